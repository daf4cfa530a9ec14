//! One requirement: PEP 508, and what pip takes beside it (URLs, paths, VCS addresses).

use std::ops::Range;

use super::marker::Marker;
use super::wheel::WheelName;
use crate::version::Specifiers;

/// A parsed requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// What is asked for.
    pub subject: Subject,
    /// Its extras, normalised.
    pub extras: Vec<String>,
    /// Its marker.
    pub marker: Option<Marker>,
}

/// What a requirement asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A package from an index.
    Package {
        /// Normalised (PEP 503).
        name: String,
        /// Bytes of the name in the text.
        name_at: Range<usize>,
        /// The conditions on its version.
        wants: Specifiers,
        /// Bytes of the conditions in the text; empty and behind the name (and extras) where there are none.
        wants_at: Range<usize>,
    },
    /// A wheel by address or path: `torch @ https://…whl`, a bare URL, `./x.whl`.
    Wheel {
        /// What its file name says.
        wheel: WheelName,
        /// Its address.
        url: String,
    },
    /// A package whose version cannot be told: a VCS address, an archive. The name where it is given (`name @`, `#egg=`), normalised.
    Elsewhere {
        /// Its name.
        name: Option<String>,
        /// Its address, or the archive's path, as written.
        url: String,
    },
    /// A folder with a project (`.`, `./sub`, also of `-e`).
    Path(String),
}

/// What is wrong with a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Bytes in the text.
    pub at: Range<usize>,
    /// One line, no full stop.
    pub why: String,
}

/// Parses one requirement, without options and comment.
///
/// # Errors
/// What pip would refuse, with its place.
pub fn parse(text: &str) -> Result<Requirement, Mistake> {
    let start = text.len() - text.trim_start().len();
    let end = start + text[start..].trim_end().len();
    let whole = start..end;
    if whole.is_empty() {
        return mistake(whole, "nothing is asked for");
    }
    if is_url(&text[whole.clone()]) {
        let (address, marker) = address_and_marker(text, whole)?;
        return Ok(from_address(&text[address], None, marker));
    }
    let (asked, marker) = split_marker(text, whole);
    if is_path(&text[asked.clone()]) {
        let marker = marker.map(|at| marker_at(text, at)).transpose()?.flatten();
        return Ok(from_path(&text[asked], marker));
    }
    named(text, asked, marker)
}

/// A name as PEP 503 normalises it: `Torch_Vision` is `torch-vision`.
#[must_use]
pub fn normalise(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            _ => normal.extend(c.to_lowercase()),
        }
    }
    normal
}

fn mistake<T>(at: Range<usize>, why: impl Into<String>) -> Result<T, Mistake> {
    Err(Mistake { at, why: why.into() })
}

/// Whether pip takes it for an address by itself: a scheme that it knows.
pub(crate) fn is_url(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let scheme = scheme.to_ascii_lowercase();
    let vcs = scheme.split_once('+').is_some_and(|(vcs, _)| matches!(vcs, "git" | "hg" | "svn" | "bzr"));
    matches!(scheme.as_str(), "http" | "https" | "file" | "ftp") || vcs
}

fn is_archive(path: &str) -> bool {
    const ENDS: [&str; 11] =
        [".whl", ".zip", ".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".tlz", ".tar.lzma"];
    ENDS.iter().any(|end| {
        path.len() >= end.len() && path.is_char_boundary(path.len() - end.len()) && path.to_ascii_lowercase().ends_with(end)
    })
}

/// Whether a text without marker is a path: it begins like one, or holds a slash and no sign of PEP 508, or is an archive's name.
fn is_path(text: &str) -> bool {
    let begins = text.starts_with(['.', '/', '~']) && !text.starts_with("~=");
    let drive = text.get(1..3).is_some_and(|t| t == ":\\" || t == ":/");
    let plain = !text.contains(|c: char| c.is_whitespace() || "<>=!~@;,".contains(c));
    let (bare, _) = split_extras(text);
    let letter = text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    begins || drive || plain && letter && (text.contains(['/', '\\']) || is_archive(bare))
}

/// `path[a,b]` in two.
fn split_extras(text: &str) -> (&str, Vec<String>) {
    let Some((path, extras)) = text.strip_suffix(']').and_then(|t| t.rsplit_once('[')) else { return (text, Vec::new()) };
    (path, extras.split(',').map(normalise).filter(|extra| !extra.is_empty()).collect())
}

fn from_path(text: &str, marker: Option<Marker>) -> Requirement {
    let (path, extras) = split_extras(text);
    let subject = match WheelName::parse(path) {
        Some(wheel) => Subject::Wheel { wheel, url: path.to_owned() },
        None if is_archive(path) => Subject::Elsewhere { name: None, url: path.to_owned() },
        None => Subject::Path(path.to_owned()),
    };
    Requirement { subject, extras, marker }
}

/// `name` is what stands before `@`, with its extras.
fn from_address(address: &str, name: Option<(String, Vec<String>)>, marker: Option<Marker>) -> Requirement {
    let (name, mut extras) = name.map_or((None, Vec::new()), |(name, extras)| (Some(name), extras));
    let bare = if address.contains('#') { address } else { split_extras(address).0 };
    if let Some(wheel) = WheelName::parse(bare) {
        extras.extend(split_extras(address).1);
        return Requirement { subject: Subject::Wheel { wheel, url: bare.to_owned() }, extras, marker };
    }
    let egg = address.split_once('#').and_then(|(_, f)| f.split('&').find_map(|part| part.strip_prefix("egg=")));
    let (egg, of_egg) = egg.map_or((None, Vec::new()), |egg| {
        let (name, extras) = split_extras(egg);
        (Some(normalise(name)), extras)
    });
    extras.extend(of_egg);
    let path =
        address.strip_prefix("file:").filter(|path| name.is_none() && egg.is_none() && !is_archive(bare) && !path.is_empty());
    let subject = match path {
        Some(path) => Subject::Path(split_extras(path).0.trim_start_matches("//").to_owned()),
        None => Subject::Elsewhere { name: name.or(egg).filter(|name| !name.is_empty()), url: address.to_owned() },
    };
    Requirement { subject, extras, marker }
}

/// An address ends at a blank, or at a `;` behind which a marker stands.
fn address_and_marker(text: &str, whole: Range<usize>) -> Result<(Range<usize>, Option<Marker>), Mistake> {
    let all = &text[whole.clone()];
    let end = all.find(char::is_whitespace).map_or(whole.end, |n| whole.start + n);
    let rest = skip_blanks(text, end).min(whole.end);
    // "https://…whl; marker": the blank stands behind the semicolon.
    let glued = text[..end].ends_with(';') && rest < whole.end;
    if glued {
        return Ok((whole.start..end - 1, marker_at(text, rest..whole.end)?));
    }
    if text[rest..whole.end].starts_with(';') {
        return Ok((whole.start..end, marker_at(text, rest + 1..whole.end)?));
    }
    if rest < whole.end {
        // "https://…whl;python_version < '3'": its value has the first blank.
        return match text[whole.start..end].find(';').map(|n| whole.start + n) {
            Some(at) => Ok((whole.start..at, marker_at(text, at + 1..whole.end)?)),
            None => mistake(rest..whole.end, "an address ends at the first blank; what follows it is no marker"),
        };
    }
    let glued = text[whole.clone()].match_indices(';').next_back().map(|(n, _)| whole.start + n);
    if let Some(at) = glued
        && let Ok(Some(marker)) = marker_at(text, at + 1..whole.end)
    {
        return Ok((whole.start..at, Some(marker)));
    }
    Ok((whole, None))
}

fn split_marker(text: &str, whole: Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    match text[whole.clone()].find(';') {
        Some(n) => {
            let at = whole.start + n;
            let end = whole.start + text[whole.start..at].trim_end().len();
            (whole.start..end, Some(at + 1..whole.end))
        }
        None => (whole, None),
    }
}

/// pip takes an empty marker for none.
fn marker_at(text: &str, at: Range<usize>) -> Result<Option<Marker>, Mistake> {
    if text[at.clone()].trim().is_empty() {
        return Ok(None);
    }
    let placed = |m: Mistake| {
        let end = at.start + text[at.clone()].trim_end().len();
        let (start, end) = ((at.start + m.at.start).min(end), (at.start + m.at.end).min(end));
        Mistake { at: start..end, why: m.why }
    };
    Marker::parse_placed(&text[at.clone()]).map(Some).map_err(placed)
}

fn skip_blanks(text: &str, from: usize) -> usize {
    text.len() - text[from..].trim_start().len()
}

/// `name[extras] conditions` or `name[extras] @ address`; `asked` is without the marker.
fn named(text: &str, asked: Range<usize>, marker: Option<Range<usize>>) -> Result<Requirement, Mistake> {
    let end = asked.end;
    let name_at = name(text, asked.clone())?;
    let normal = normalise(&text[name_at.clone()]);
    let (extras, behind) = extras(text, skip_blanks(text, name_at.end).min(end)..end)?;
    let behind_name = if extras.is_empty() && text[name_at.end..behind].trim().is_empty() { name_at.end } else { behind };
    let rest = skip_blanks(text, behind).min(end);
    if text[rest..end].starts_with('@') {
        let behind = marker.map_or(end, |at| at.end);
        let whole = skip_blanks(text, rest + 1).min(behind)..behind;
        if whole.is_empty() || text[whole.clone()].starts_with(';') {
            return mistake(rest..rest + 1, "an address must follow `@`");
        }
        let (address, marker) = address_and_marker(text, whole)?;
        return Ok(from_address(&text[address], Some((normal, extras)), marker));
    }
    let (wants, wants_at) = conditions(text, rest..end)?;
    let wants_at = if wants_at.is_empty() { behind_name..behind_name } else { wants_at };
    let marker = marker.map(|at| marker_at(text, at)).transpose()?.flatten();
    Ok(Requirement { subject: Subject::Package { name: normal, name_at, wants, wants_at }, extras, marker })
}

fn name(text: &str, within: Range<usize>) -> Result<Range<usize>, Mistake> {
    let all = &text[within.clone()];
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let length = all.find(|c: char| !fine(c)).unwrap_or(all.len());
    let at = within.start..within.start + length;
    let word = &all[..length];
    let Some(first) = all.chars().next() else { return mistake(at, "nothing is asked for") };
    if matches!(first, '\'' | '"') {
        return mistake(within.start..within.start + 1, "a requirement takes no quotes");
    }
    if length == 0 || !first.is_ascii_alphanumeric() {
        return mistake(within.start..within.start + first.len_utf8(), "a name begins with a letter or a digit");
    }
    if !word.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return mistake(at.end - 1..at.end, "a name ends with a letter or a digit");
    }
    Ok(at)
}

/// The extras, and where they end.
fn extras(text: &str, within: Range<usize>) -> Result<(Vec<String>, usize), Mistake> {
    let Some(list) = text[within.clone()].strip_prefix('[') else { return Ok((Vec::new(), within.start)) };
    let Some(length) = list.find(']') else { return mistake(within.start..within.end, "`[` is never closed") };
    let inner = within.start + 1..within.start + 1 + length;
    if list[..length].trim().is_empty() {
        return Ok((Vec::new(), inner.end + 1));
    }
    let mut found = Vec::new();
    let mut start = inner.start;
    for part in list[..length].split(',') {
        let from = (start + part.len() - part.trim_start().len()).min(start + part.len());
        let at = from..from + part.trim().len();
        let one = name(text, at.clone())?;
        if one != at {
            return mistake(one.end..at.end, "extras are names with commas between them");
        }
        found.push(normalise(part));
        start += part.len() + 1;
    }
    Ok((found, inner.end + 1))
}

fn conditions(text: &str, within: Range<usize>) -> Result<(Specifiers, Range<usize>), Mistake> {
    let mut at = within.clone();
    if text[at.clone()].starts_with('(') {
        if !text[at.clone()].ends_with(')') {
            return mistake(at, "`(` is never closed");
        }
        let inner = &text[at.start + 1..at.end - 1];
        let start = at.start + 1 + (inner.len() - inner.trim_start().len());
        at = start..start + inner.trim().len();
    }
    let mut start = at.start;
    for (i, part) in text[at.clone()].split(',').enumerate() {
        let from = start + (part.len() - part.trim_start().len());
        let this = from..from + part.trim().len();
        start += part.len() + 1;
        if this.is_empty() {
            // pip takes a comma at the end.
            if start > at.end && i > 0 || at.is_empty() {
                continue;
            }
            return mistake(this.start..this.start + 1, "a condition is missing before this comma");
        }
        condition(text, this)?;
    }
    match Specifiers::parse(&text[at.clone()]) {
        Ok(wants) => Ok((wants, at)),
        Err(why) => mistake(at, why),
    }
}

/// Checks one condition by itself, to say what is wrong with it and where.
fn condition(text: &str, at: Range<usize>) -> Result<(), Mistake> {
    const SIGNS: [&str; 8] = ["===", "==", "~=", "!=", "<=", ">=", "<", ">"];
    let written = &text[at.clone()];
    let Some(sign) = SIGNS.iter().find(|sign| written.starts_with(**sign)) else {
        let first = at.start..at.start + written.chars().next().map_or(0, char::len_utf8);
        return match written.as_bytes().first() {
            Some(b'=') => mistake(first, "`=` is no comparison: write `==`"),
            Some(b'\'' | b'"') => mistake(first, "a requirement takes no quotes"),
            _ => mistake(at, "expected a comparison (`==`, `>=`, `<` …), `;` or the end"),
        };
    };
    let version = written[sign.len()..].trim_start();
    let from = at.end - version.len();
    if version.is_empty() {
        return mistake(at, format!("a version must follow `{sign}`"));
    }
    if let Some(n) = version.find(char::is_whitespace) {
        let rest = skip_blanks(text, from + n);
        return mistake(rest..at.end, "expected a comma, `;` or the end");
    }
    if *sign != "===" && version.ends_with(['\'', '"']) {
        return mistake(at.end - 1..at.end, "a requirement takes no quotes");
    }
    Specifiers::parse(written).map(|_| ()).or_else(|why| mistake(at, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name[extras] conditions` with the texts of the two places, `WHEEL name version`, `ELSEWHERE name`, `PATH path`.
    fn show(text: &str) -> String {
        let r = parse(text).unwrap_or_else(|m| panic!("{text}: {m:?}"));
        let subject = match &r.subject {
            Subject::Package { name, name_at, wants, wants_at } => {
                format!("{name} {wants} <{}|{}>", &text[name_at.clone()], &text[wants_at.clone()])
            }
            Subject::Wheel { wheel, url } => format!("WHEEL {} {} {url}", wheel.name, wheel.version),
            Subject::Elsewhere { name, .. } => format!("ELSEWHERE {}", name.as_deref().unwrap_or("?")),
            Subject::Path(path) => format!("PATH {path}"),
        };
        let extras = if r.extras.is_empty() { String::new() } else { format!(" [{}]", r.extras.join(",")) };
        format!("{subject}{extras}{}", if r.marker.is_some() { " ;" } else { "" })
    }

    #[test]
    fn packages() {
        for (text, want) in [
            ("torch", "torch  <torch|>"),
            ("  Torch_Vision == 2.1.0 ", "torch-vision ==2.1.0 <Torch_Vision|== 2.1.0>"),
            ("torch>=2.0,<2.3;sys_platform=='linux'", "torch >=2.0,<2.3 <torch|>=2.0,<2.3> ;"),
            ("torch (>=1.0)", "torch >=1.0 <torch|>=1.0>"),
            ("torch(>= 1.0 , < 2 )", "torch >=1.0,<2 <torch|>= 1.0 , < 2>"),
            ("torch===2.1.0+cu118", "torch ===2.1.0+cu118 <torch|===2.1.0+cu118>"),
            ("jax [ cuda12, K8S ]~=0.4", "jax ~=0.4 <jax|~=0.4> [cuda12,k8s]"),
            ("torch[]", "torch  <torch|>"),
            ("torch>=1.0,", "torch >=1.0 <torch|>=1.0,>"),
            ("torch==1.0 ;", "torch ==1.0 <torch|==1.0>"),
            ("torch==2.1.*;python_version<'3.12' and (os_name=='nt')", "torch ==2.1.* <torch|==2.1.*> ;"),
            ("2captcha", "2captcha  <2captcha|>"),
            ("ruamel.yaml", "ruamel-yaml  <ruamel.yaml|>"),
        ] {
            assert_eq!(show(text), want, "{text}");
        }
        let Ok(Requirement { subject: Subject::Package { wants_at, .. }, .. }) = parse(" jax[cuda] ; os_name == 'nt'") else {
            panic!("a package")
        };
        assert_eq!(wants_at, 10..10);
    }

    #[test]
    fn addresses_and_paths() {
        let wheel = "https://e.org/cu118/torch-2.0.1%2Bcu118-cp310-cp310-linux_x86_64.whl";
        for (text, want) in [
            (wheel.to_owned(), format!("WHEEL torch 2.0.1+cu118 {wheel}")),
            (format!("{wheel}#sha256=ab"), format!("WHEEL torch 2.0.1+cu118 {wheel}#sha256=ab")),
            (format!("{wheel} ; sys_platform == 'linux'"), format!("WHEEL torch 2.0.1+cu118 {wheel} ;")),
            (format!("{wheel}; sys_platform == 'linux'"), format!("WHEEL torch 2.0.1+cu118 {wheel} ;")),
            (format!("torch@{wheel}"), format!("WHEEL torch 2.0.1+cu118 {wheel}")),
            (format!("torch[x] @ {wheel};os_name=='nt'"), format!("WHEEL torch 2.0.1+cu118 {wheel} [x] ;")),
            (format!("torch @ {wheel} ; os_name == 'nt'"), format!("WHEEL torch 2.0.1+cu118 {wheel} ;")),
            (format!("torch @ {wheel};os_name == 'nt'"), format!("WHEEL torch 2.0.1+cu118 {wheel} ;")),
            ("git+https://e.org/a/b.git@v1#egg=A_b[x]&subdirectory=c".into(), "ELSEWHERE a-b [x]".into()),
            ("git+ssh://git@e.org/a/b.git".into(), "ELSEWHERE ?".into()),
            ("flash-attn @ git+https://e.org/x.git@main".into(), "ELSEWHERE flash-attn".into()),
            ("https://e.org/master.zip".into(), "ELSEWHERE ?".into()),
            ("https://e.org/a;b.zip".into(), "ELSEWHERE ?".into()),
            ("x @ file:///w/torch-2.0-py3-none-any.whl".into(), "WHEEL torch 2.0 file:///w/torch-2.0-py3-none-any.whl".into()),
            ("file:///app".into(), "PATH /app".into()),
            (".".into(), "PATH .".into()),
            (".[GPU, dev]".into(), "PATH . [gpu,dev]".into()),
            ("./sub[x] ; os_name == 'nt'".into(), "PATH ./sub [x] ;".into()),
            ("third_party/apex".into(), "PATH third_party/apex".into()),
            ("C:\\src\\apex".into(), "PATH C:\\src\\apex".into()),
            ("./torch-2.0-py3-none-any.whl".into(), "WHEEL torch 2.0 ./torch-2.0-py3-none-any.whl".into()),
            ("torch-2.0-py3-none-any.whl[x]".into(), "WHEEL torch 2.0 torch-2.0-py3-none-any.whl [x]".into()),
            ("dist/x.tar.gz".into(), "ELSEWHERE ?".into()),
        ] {
            assert_eq!(show(&text), want, "{text}");
        }
    }

    #[test]
    fn mistakes_have_places() {
        for (text, place) in [
            ("", ""),
            ("'jsonpickle',", "'"),
            ("jsonpickle',", "'"),
            ("torch-", "-"),
            ("flash- x", "-"),
            ("-x", "-"),
            ("torch torchvision", "torchvision"),
            ("torch==2.0.0 torchvision==0.15.1", "torchvision==0.15.1"),
            ("torch=1.0", "="),
            ("torch>=1.0 <2.0", "<2.0"),
            ("torch>=,<2", ">="),
            ("torch,>=2", ","),
            ("torch>=2.0+cu118", ">=2.0+cu118"),
            ("torch>=1,>=x.y", ">=x.y"),
            ("torch==1.0'", "'"),
            ("torch[gpu", "[gpu"),
            ("torch[gpu-]", "-"),
            ("torch[a b]", " b"),
            ("torch[中]", "中"),
            ("torch(>=1", "(>=1"),
            ("torch @ ", "@"),
            ("torch ; python_version > '3' 中", "中"),
            ("torch ; pythonversion > '3'", "pythonversion"),
            ("torch ; os_name ==", ""),
            ("中", "中"),
            ("https://e.org/x.whl y", "y"),
        ] {
            let mistake = parse(text).expect_err(text);
            assert_eq!(&text[mistake.at.clone()], place, "{text}: {mistake:?}");
            assert!(!mistake.why.contains('\n'));
        }
    }

    #[test]
    fn a_long_line_is_quick() {
        let long = format!("torch{}", ",>=1".repeat(200_000));
        assert!(parse(&long).is_err());
        assert!(parse(&format!("torch>=1{}", ",>=1".repeat(100_000))).is_ok());
        assert!(parse(&"[".repeat(1_000_000)).is_err());
        assert!(parse(&format!("a[{}", "b,".repeat(300_000))).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_requirement_is_answered(text in " ?(torch|a_|x)? ?(\\[a?,?b?\\]?)? ?[@(]?[=<>~!, a1.;()@]{0,12}(;| ; )?[a-z_'= ]{0,6} ?") {
            if let Err(mistake) = parse(&text) {
                proptest::prop_assert!(text.get(mistake.at).is_some());
            }
        }
        #[test]
        fn any_text_is_answered(text in "[a-z0-9_.@;,'\"\\[\\]()<>=!~+:/# 中é\\\\-]{0,40}") {
            if let Err(mistake) = parse(&text) {
                proptest::prop_assert!(text.get(mistake.at).is_some());
            }
        }
    }
}
