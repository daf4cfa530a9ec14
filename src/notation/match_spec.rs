//! conda's match specifications.
//! Source: <https://docs.conda.io/projects/conda/en/stable/user-guide/concepts/pkg-specs.html>.

use crate::version::CondaVersion;

/// A parsed match spec.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSpec {
    /// `pytorch::`, `nvidia/label/cuda-11.8.0::`, or the one in brackets; without subdirectory.
    pub channel: Option<String>,
    /// Lower case.
    pub name: String,
    /// The version part: `=11.8` admits all that begin so, `==11.8` only itself. `None` where none is given.
    pub version: Option<String>,
    /// The build glob.
    pub build: Option<String>,
    /// One of these lists must hold as a whole.
    wants: Vec<Vec<Condition>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Any,
    Equal(CondaVersion),
    NotEqual(CondaVersion),
    Below(CondaVersion),
    AtMost(CondaVersion),
    Above(CondaVersion),
    AtLeast(CondaVersion),
    StartsWith(CondaVersion),
    StartsOtherwise(CondaVersion),
    /// `~=`: at least the first, beginning as the second.
    Compatible(CondaVersion, CondaVersion),
    /// `1.*.3`, of the version's text.
    Glob(String),
}

/// Package folders of a channel; not part of its name.
const SUBDIRS: &[&str] = &[
    "noarch",
    "linux-32",
    "linux-64",
    "linux-aarch64",
    "linux-armv7l",
    "linux-ppc64le",
    "linux-s390x",
    "osx-64",
    "osx-arm64",
    "win-32",
    "win-64",
    "win-arm64",
];

impl MatchSpec {
    /// Parses `pytorch::pytorch=2.1.*=*cuda11.8*`, `cudatoolkit 11.8.*`, `pkg[version='2.1',build=*cuda*]`, or the
    /// address of a package file.
    ///
    /// # Errors
    /// One line: what conda would refuse.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.contains("://") {
            return package_file(text).ok_or_else(|| "this address is not that of a conda package".to_owned());
        }
        let (text, brackets) = match text.split_once('[') {
            Some((before, rest)) => (before.trim_end(), rest.trim_end().strip_suffix(']').ok_or("`]` is missing")?),
            None => (text, ""),
        };
        let (channel, text) = match text.split_once("::") {
            Some((channel, rest)) => (Some(channel_name(channel)), rest.trim_start()),
            None => (None, text),
        };
        let end = text.find(|c: char| c.is_whitespace() || "=<>!~".contains(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let fine = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || !name.chars().all(fine) {
            return Err(format!("`{name}` is no package name"));
        }
        let (version, build) = version_and_build(rest)?;
        let mut spec = Self { channel, name: name.to_lowercase(), version, build, wants: Vec::new() };
        for (key, value) in fields(brackets) {
            match key {
                "version" => spec.version = Some(value.to_owned()),
                "build" => spec.build = Some(value.to_owned()),
                "channel" => spec.channel = Some(channel_name(value)),
                _ => {}
            }
        }
        spec.wants = spec.version.as_deref().map_or(Ok(Vec::new()), conditions)?;
        Ok(spec)
    }
    /// The spec of a bare name: any version.
    #[must_use]
    pub fn any(name: &str) -> Self {
        Self { channel: None, name: name.to_owned(), version: None, build: None, wants: Vec::new() }
    }
    /// Whether a version meets the version part (`,` is and, `|` is or).
    #[must_use]
    pub fn admits(&self, version: &CondaVersion) -> bool {
        self.wants.is_empty() || self.wants.iter().any(|all| all.iter().all(|c| c.admits(version)))
    }
    /// Whether a build string meets the build glob.
    #[must_use]
    pub fn admits_build(&self, build: &str) -> bool {
        self.build.as_deref().is_none_or(|glob| matches(glob, build))
    }
    /// The one version that it pins: `==1.26`, `=1.26=build`.
    #[must_use]
    pub fn pin(&self) -> Option<CondaVersion> {
        let [all] = self.wants.as_slice() else { return None };
        all.iter().find_map(|c| match c {
            Condition::Equal(version) => Some(version.clone()),
            _ => None,
        })
    }
}

impl Condition {
    fn parse(text: &str) -> Result<Self, String> {
        let operators = ["==", "!=", "<=", ">=", "~=", "=", "<", ">"];
        let operator = operators.into_iter().find(|o| text.starts_with(o)).unwrap_or("");
        let written = &text[operator.len()..];
        let refuse = || format!("`{text}` is no condition on a version");
        if written == "*" {
            return Ok(Self::Any);
        }
        let stem = written.trim_end_matches('*').trim_end_matches('.');
        let starred = stem.len() < written.len();
        if stem.contains('*') && ["", "=", "=="].contains(&operator) {
            let fine = |c: char| c.is_ascii_alphanumeric() || "._-+!*".contains(c);
            return written.chars().all(fine).then(|| Self::Glob(written.to_lowercase())).ok_or_else(refuse);
        }
        if starred && !written.ends_with('*') {
            return Err(refuse());
        }
        let version = CondaVersion::parse(stem).ok_or_else(refuse)?;
        Ok(match operator {
            "" | "==" if starred => Self::StartsWith(version),
            "" | "==" => Self::Equal(version),
            "=" => Self::StartsWith(version),
            "!=" if starred => Self::StartsOtherwise(version),
            "!=" => Self::NotEqual(version),
            // conda ignores a star behind an inequality.
            "<" => Self::Below(version),
            "<=" => Self::AtMost(version),
            ">" => Self::Above(version),
            ">=" => Self::AtLeast(version),
            _ => {
                let prefix = stem.rsplit_once('.').and_then(|(p, _)| CondaVersion::parse(p)).ok_or_else(refuse)?;
                Self::Compatible(version, prefix)
            }
        })
    }
    fn admits(&self, version: &CondaVersion) -> bool {
        // 11.8 begins as 11.8.0 does: what is not written is zero.
        let begins = |with: &CondaVersion| version.starts_with(with) || version == with;
        match self {
            Self::Any => true,
            Self::Equal(v) => version == v,
            Self::NotEqual(v) => version != v,
            Self::Below(v) => version < v,
            Self::AtMost(v) => version <= v,
            Self::Above(v) => version > v,
            Self::AtLeast(v) => version >= v,
            Self::StartsWith(v) => begins(v),
            Self::StartsOtherwise(v) => !begins(v),
            Self::Compatible(v, prefix) => version >= v && begins(prefix),
            Self::Glob(glob) => matches(glob, &version.to_string()),
        }
    }
}

fn conditions(text: &str) -> Result<Vec<Vec<Condition>>, String> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    compact.split('|').map(|all| all.split(',').map(Condition::parse).collect()).collect()
}

/// What stands behind a name: `=11.8`, ` 11.8.*`, `=2.1=py3*`, ` >=1, <2 *cuda*`.
fn version_and_build(rest: &str) -> Result<(Option<String>, Option<String>), String> {
    let spaced = squeeze(rest);
    let rest = spaced.trim();
    if rest.is_empty() {
        return Ok((None, None));
    }
    let operators = "=!|,<>~";
    // The last blank or `=` that belongs to no operator parts version and build.
    let cut = rest.char_indices().rev().find(|(at, c)| {
        matches!(c, ' ' | '=') && *at > 0 && !rest[..*at].ends_with(|p| operators.contains(p)) && !rest[at + 1..].starts_with('=')
    });
    let (version, build) = match cut {
        Some((at, _)) if !rest[at + 1..].contains(|c: char| operators.contains(c) || c == '-' || c == ' ') => {
            (rest[..at].trim(), Some(&rest[at + 1..]))
        }
        _ => (rest, None),
    };
    if build == Some("") || version.contains(' ') {
        return Err(format!("`{rest}` is no version"));
    }
    let simple = version.strip_prefix('=').filter(|v| !v.contains(['=', ',', '|']));
    let version = match (simple, build) {
        // With a build, `=2.1` means that very version.
        (Some(exact), Some(_)) if !exact.contains('*') => format!("=={exact}"),
        _ => version.to_owned(),
    };
    Ok((Some(version), build.map(str::to_owned)))
}

/// One blank for many, none behind an operator or before `,` and `|`.
fn squeeze(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        let glued = out.is_empty() || out.ends_with(['=', '!', '|', ',', '<', '>', '~']) || word.starts_with([',', '|']);
        if !glued {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// `key=value` pairs of brackets; values may be quoted.
fn fields(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut quote = None;
    let parts = text.split(|c: char| {
        match quote {
            Some(q) if q == c => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
        c == ',' && quote.is_none()
    });
    for part in parts {
        if let Some((key, value)) = part.split_once('=') {
            found.push((key.trim(), value.trim().trim_matches(['\'', '"'])));
        }
    }
    found
}

fn channel_name(written: &str) -> String {
    let written = written.trim().trim_end_matches('/');
    match written.rsplit_once('/') {
        Some((channel, subdir)) if SUBDIRS.contains(&subdir) => channel.to_owned(),
        _ => written.to_owned(),
    }
}

/// `https://conda.anaconda.org/pytorch/linux-64/pytorch-2.1.0-py3.10_cuda11.8_0.tar.bz2`
fn package_file(url: &str) -> Option<MatchSpec> {
    let url = url.split(['#', '?']).next()?;
    let (folder, file) = url.rsplit_once('/')?;
    let stem = file.strip_suffix(".tar.bz2").or_else(|| file.strip_suffix(".conda"))?;
    let mut parts = stem.rsplitn(3, '-');
    let (build, version, name) = (parts.next()?, parts.next()?, parts.next()?);
    let (_, path) = folder.split_once("://")?.1.split_once('/')?;
    let version = format!("=={version}");
    let wants = conditions(&version).ok()?;
    let (channel, build) = (Some(channel_name(path)), Some(build.to_owned()));
    Some(MatchSpec { channel, name: name.to_lowercase(), version: Some(version), build, wants })
}

/// Whether a glob with `*` covers all of a text, letter case aside.
fn matches(glob: &str, text: &str) -> bool {
    let (glob, text) = (glob.to_lowercase(), text.to_lowercase());
    let mut parts = glob.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        match MatchSpec::parse(text) {
            Ok(s) => [s.channel, Some(s.name), s.version, s.build].map(|p| p.unwrap_or_else(|| "-".to_owned())).join(" "),
            Err(_) => "refused".to_owned(),
        }
    }

    #[test]
    fn forms() {
        for (text, parts) in [
            ("PyTorch", "- pytorch - -"),
            ("cudatoolkit=11.8", "- cudatoolkit =11.8 -"),
            ("cudatoolkit = 11.8", "- cudatoolkit =11.8 -"),
            ("numpy==1.26", "- numpy ==1.26 -"),
            ("cudatoolkit 11.8.*", "- cudatoolkit 11.8.* -"),
            ("pytorch::pytorch=2.1.*=*cuda11.8*", "pytorch pytorch =2.1.* *cuda11.8*"),
            ("pytorch=2.1=py3.10_cuda11.8_cudnn8.7.0_0", "- pytorch ==2.1 py3.10_cuda11.8_cudnn8.7.0_0"),
            ("pytorch==2.1=py3.10_0", "- pytorch ==2.1 py3.10_0"),
            ("nvidia/label/cuda-11.8.0::cuda-toolkit", "nvidia/label/cuda-11.8.0 cuda-toolkit - -"),
            ("conda-forge/linux-64::cupy", "conda-forge cupy - -"),
            ("pkg[version='2.1,<3',build=*cuda*]", "- pkg 2.1,<3 *cuda*"),
            ("pkg=1.0[channel=nvidia]", "nvidia pkg =1.0 -"),
            ("cudnn=8.*|9.*", "- cudnn =8.*|9.* -"),
            ("__cuda>=11.8", "- __cuda >=11.8 -"),
            ("python >= 3.8, < 3.12", "- python >=3.8,<3.12 -"),
            ("python >=3.8,<3.12 *_cpython", "- python >=3.8,<3.12 *_cpython"),
            ("jaxlib=*=*cuda*", "- jaxlib =* *cuda*"),
            ("numpy 1.8 py26_0", "- numpy 1.8 py26_0"),
            ("cuda-version<13", "- cuda-version <13 -"),
            ("https://conda.anaconda.org/pytorch/linux-64/pytorch-1.7.1-py3.8_0.tar.bz2#00", "pytorch pytorch ==1.7.1 py3.8_0"),
        ] {
            assert_eq!(show(text), parts, "{text}");
        }
        for text in
            ["", "pip:", "https://x.example/", "pytorch==", "pytorch=", "=1.2", "a b c d", "a[version=1", "a>=", "a=1=", "中"]
        {
            assert_eq!(show(text), "refused", "{text}");
        }
    }

    #[test]
    fn admitted_versions() {
        for (text, yes, no) in [
            ("a", "1", ""),
            ("a=11.8", "11.8 11.8.0 11.8.89", "11.80 11.7 12.0"),
            ("a=11.8.0", "11.8 11.8.0", "11.8.1"),
            ("a==11.8", "11.8 11.8.0", "11.8.89"),
            ("a=2.1=b", "2.1 2.1.0", "2.1.1"),
            ("a 2.1", "2.1.0", "2.1.1"),
            ("a=2.1.*=b", "2.1.1 2.1", "2.2"),
            ("a 2.1.*", "2.1.1", "2.10"),
            ("a>=1.8,<2", "1.8 1.13.1", "1.7 2.0"),
            ("a=8.*|9.*", "8.1 9.0", "7.6 10.0"),
            ("a<1|>=3,<4", "0.9 3.5", "1 2 4"),
            ("a~=1.2.3", "1.2.3 1.2.9", "1.2.2 1.3"),
            ("a!=1.2.*", "1.3", "1.2.5"),
            ("a!=1.2", "1.2.5", "1.2"),
            ("a>=1.2.*", "1.2", "1.1"),
            ("a=*", "1", ""),
            ("a=1.*.3", "1.2.3", "1.2.4"),
        ] {
            let spec = MatchSpec::parse(text).expect(text);
            let admits = |v: &str| spec.admits(&CondaVersion::parse(v).expect(v));
            assert!(yes.split_whitespace().all(admits), "{text} refuses one of {yes}");
            assert!(!no.split_whitespace().any(admits), "{text} admits one of {no}");
        }
    }

    #[test]
    fn pins_and_builds() {
        let pin = |t: &str| MatchSpec::parse(t).expect(t).pin().map(|v| v.to_string());
        assert_eq!(pin("a==1.26").as_deref(), Some("1.26"));
        assert_eq!(pin("a=1.26=x").as_deref(), Some("1.26"));
        assert_eq!(pin("a 1.26").as_deref(), Some("1.26"));
        for text in ["a", "a=1.26", "a>=1", "a==1|==2", "a=1.*=x"] {
            assert_eq!(pin(text), None, "{text}");
        }
        let build = |glob: &str, build: &str| MatchSpec::parse(&format!("a=1={glob}")).expect(glob).admits_build(build);
        assert!(build("*cuda11.8*", "py3.10_cuda11.8_0") && build("py3*_0", "py310_0") && build("x", "X"));
        assert!(!build("*cuda*", "py310_cpu_0") && !build("py3*_0", "py3") && !build("a*a", "a"));
    }
}
