//! pip's requirements format; constraints are written in the same way, and the file that includes them knows.

use std::collections::BTreeSet;
use std::ops::Range;

use super::command::asks::{Asked, asked, index, no_index};
use super::command::options::{Grammar, Part};
use super::command::pip;
use super::excerpt::{LETTERS, UNKNOWN};
use super::syntax::comments::ignores;
use super::syntax::lines::{Line, Lines};
use super::syntax::template;
use super::syntax::torn::{has_template, torn};
use crate::notation::requirement::{self, Subject};
use crate::outline::{
    Act, Choice, Does, How, Include, IndexKind, InstallFlags, Language, Outline, Piece, Requirement, Role, Text, When,
};
use crate::source::{FileId, Span};

/// More places in one file say nothing new.
const TORN: usize = 50;
/// A file that is worked out comes from no more others.
const SOURCES: usize = 64;

/// The options that pip takes in a requirements file.
const OPTIONS: Grammar = Grammar {
    valued: &[
        &["-r", "--requirement"],
        &["-c", "--constraint"],
        &["-e", "--editable"],
        &["-i", "--pypi-url", "--index-url"],
        &["--extra-index-url"],
        &["-f", "--find-links"],
        &["--no-binary"],
        &["--only-binary"],
        &["--trusted-host"],
        &["--use-feature"],
        &["--all-releases"],
        &["--only-final"],
        &["--hash"],
        &["--global-option"],
        &["--install-option"],
        &["-C", "--config-setting", "--config-settings"],
    ],
    flags: &[&["--no-index"], &["--pre"], &["--prefer-binary"], &["--require-hashes"]],
    abbreviates: true,
};

/// Reads a requirements file.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let lines = Lines::of(text);
    let mut reader = Reader { file, text, outline: Outline::default() };
    let conda = is_conda_list(text, &lines);
    for line in &lines.lines {
        if conda { reader.conda(line) } else { reader.line(line) }
    }
    let mut outline = reader.outline;
    outline.acts.extend(worked_out_from(file, text, &lines));
    outline.torn.truncate(TORN);
    template::choose(text, &mut outline.acts);
    let whole = |spoken_of: Range<usize>| lines.whole(spoken_of.end.saturating_sub(1).max(spoken_of.start));
    outline.ignores = ignores(file, text, lines.comments.iter().cloned(), |line| {
        let whole = whole(line.clone());
        if whole.is_empty() { line } else { whole }
    });
    outline
}

/// `conda list --export` and `--explicit` write files that go by the same name.
fn is_conda_list(text: &str, lines: &Lines) -> bool {
    let said = lines.comments.iter().take(4).any(|comment| text[comment.clone()].contains("conda create --name"));
    let first = || lines.lines.iter().take(20);
    let explicit = first().next().is_some_and(|line| line.text == "@EXPLICIT");
    said || explicit || (!lines.lines.is_empty() && first().all(|line| exported(&line.text).is_some()))
}

/// The files that pip-compile and `uv pip compile` say this one comes from: in the command at its top, or behind each package.
/// Sources: <https://pip-tools.readthedocs.io/en/stable/>, <https://docs.astral.sh/uv/pip/compile/>.
fn worked_out_from(file: FileId, text: &str, lines: &Lines) -> Vec<Act> {
    let mut seen = BTreeSet::new();
    let mut acts = Vec::new();
    for comment in &lines.comments {
        let words = text[comment.clone()].split_whitespace();
        let mut said = false;
        for word in words {
            let named = said && word.ends_with(".in");
            said |= word == "-r" || word == "compile" || word.ends_with("pip-compile");
            if named && seen.len() < SOURCES && seen.insert(word) {
                let at = Span::new(file, comment.start, comment.end);
                acts.push(Act { at, when: When::default(), does: Does::WorkedOutFrom(Text::literal(word, at)) });
            }
        }
    }
    acts
}

/// The build in a line of `conda list --export`: `name=version=build`.
fn exported(line: &str) -> Option<&str> {
    let mut parts = line.split('=');
    let (name, version, build) = (parts.next()?, parts.next()?, parts.next()?);
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-+!".contains(c));
    (parts.next().is_none() && [name, version, build].into_iter().all(plain)).then_some(build)
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    outline: Outline,
}

impl Reader<'_> {
    fn conda(&mut self, line: &Line) {
        // What pip put into the environment is listed, and is no package of conda's.
        let by_pip = exported(&line.text).is_some_and(|build| build.starts_with("pypi_"));
        if line.text != "@EXPLICIT" && !by_pip {
            let written = self.plain(line, 0..line.text.len());
            self.require(written, Language::MatchSpec);
        }
    }
    fn line(&mut self, line: &Line) {
        let text = line.text.as_str();
        let unknown = ["{%", "<%"].iter().any(|marker| text.contains(marker)) || text.starts_with("{{");
        if has_template(text) {
            self.torn(line, 0..text.len(), "a template: its text is known only once it is filled in");
        }
        if unknown {
            return;
        }
        let asked_end = first_option(text);
        let asked = 0..text[..asked_end].trim_end().len();
        let words = match words(text, asked_end) {
            Ok(words) => words,
            Err((at, why)) => return self.torn(line, at, why),
        };
        let words: Vec<_> = words.into_iter().map(|(pieces, at)| Text { pieces, at: self.span(line, &at) }).collect();
        let parts = OPTIONS.parse(&words);
        for part in &parts {
            self.check(part);
        }
        if !asked.is_empty() {
            // pip looks at no other option of such a line than its hashes and build settings.
            if !self.asked(line, asked) {
                self.options(&parts);
            }
        } else if let Some(folder) = value_of(&parts, "--editable") {
            self.require_or_include(folder, None);
        } else {
            self.options(&parts);
        }
    }
    /// Says what pip refuses in an option.
    fn check(&mut self, part: &Part) {
        let (at, why) = match part {
            Part::Option { name, value: None, at } if is_valued(name) => (*at, format!("`{name}` needs a value")),
            Part::Unknown(word) => (word.at, "pip takes no such option in a requirements file".to_owned()),
            _ => return,
        };
        self.outline.torn.push(torn(self.file, self.text, at.range(), why));
    }
    /// One requirement; `false` for a line that pip refuses.
    fn asked(&mut self, line: &Line, at: Range<usize>) -> bool {
        let written = self.plain(line, at.clone());
        let Some(known) = written.known() else {
            self.require_or_include(written, None);
            return true;
        };
        let mistake = match requirement::parse(known) {
            Ok(parsed) => {
                let path = matches!(parsed.subject, Subject::Path(_));
                match known.split_once(';').filter(|_| path) {
                    Some((folder, marker)) => {
                        let folder = self.plain(line, at.start..at.start + folder.trim_end().len());
                        self.require_or_include(folder, Some(marker.trim()));
                    }
                    None => self.require_or_include(written, None),
                }
                return true;
            }
            Err(mistake) => mistake,
        };
        let place = if mistake.at.is_empty() { at.clone() } else { at.start + mistake.at.start..at.start + mistake.at.end };
        self.torn(line, place, &mistake.why);
        for part in recovered(&line.text, at) {
            let written = self.plain(line, part);
            self.require(written, Language::Pep508);
        }
        false
    }
    fn options(&mut self, parts: &[Part]) {
        // Where a line names a file, pip looks at nothing else of it.
        for (name, how) in [("--requirement", How::Requirements), ("--constraint", How::Constraints)] {
            let named = parts.iter().find_map(|part| match part {
                Part::Option { name: called, value: Some(path), at } if *called == name => Some((path, at)),
                _ => None,
            });
            if let Some((path, at)) = named {
                return self.act(*at, None, Does::Include(Include { path: path.clone(), how }));
            }
        }
        let called = |wanted| move |part: &&Part| matches!(part, Part::Option { name, .. } if *name == wanted);
        let last = parts.iter().rfind(called("--index-url"));
        for part in parts {
            let Part::Option { name, value, at } = part else { continue };
            let does = match (*name, value) {
                ("--index-url", Some(_)) if last != Some(part) => continue,
                ("--index-url", Some(url)) => Does::Index(index(url.clone(), IndexKind::Primary)),
                ("--extra-index-url", Some(url)) => Does::Index(index(url.clone(), IndexKind::Extra)),
                ("--find-links", Some(url)) => Does::Index(index(url.clone(), IndexKind::FindLinks)),
                ("--no-index", None) => Does::Index(no_index(*at)),
                ("--pre", None) => Does::Options(InstallFlags { pre: true, ..InstallFlags::default() }),
                ("--no-binary", Some(names)) => {
                    Does::Options(InstallFlags { no_binary: pip::names(names), ..InstallFlags::default() })
                }
                _ => continue,
            };
            self.act(*at, None, does);
        }
    }
    fn require_or_include(&mut self, written: Text, marker: Option<&str>) {
        let at = written.at;
        match asked(written) {
            Asked::Package(requirement) => self.act(at, None, Does::Require(requirement)),
            Asked::Project(folder) => self.act(at, marker, Does::Include(folder)),
        }
    }
    fn require(&mut self, written: Text, language: Language) {
        let at = written.at;
        self.act(at, None, Does::Require(Requirement { written, language, role: Role::Asks }));
    }
    fn act(&mut self, at: Span, marker: Option<&str>, does: Does) {
        let when = When(marker.into_iter().map(|marker| Choice::Marker(marker.to_owned())).collect());
        self.outline.acts.push(Act { at, when, does });
    }
    fn torn(&mut self, line: &Line, at: Range<usize>, why: &str) {
        if self.outline.torn.len() < TORN {
            self.outline.torn.push(torn(self.file, self.text, line.original(&at), why));
        }
    }
    fn span(&self, line: &Line, at: &Range<usize>) -> Span {
        let at = line.original(at);
        Span::new(self.file, at.start, at.end)
    }
    /// A part of a line, in which quotes mean themselves.
    fn plain(&self, line: &Line, at: Range<usize>) -> Text {
        let mut pieces = Pieces::default();
        let mut rest = &line.text[at.clone()];
        while let Some(c) = rest.chars().next() {
            rest = pieces.take(rest, c);
        }
        Text { pieces: pieces.done, at: self.span(line, &at) }
    }
}

fn is_valued(name: &str) -> bool {
    OPTIONS.valued.iter().any(|names| names.last() == Some(&name))
}

fn value_of(parts: &[Part], wanted: &str) -> Option<Text> {
    parts.iter().find_map(|part| match part {
        Part::Option { name, value, .. } if *name == wanted => value.clone(),
        _ => None,
    })
}

/// Where the options of a line begin: at a word that begins with `-`.
fn first_option(text: &str) -> usize {
    if text.starts_with('-') { 0 } else { text.find(" -").map_or(text.len(), |n| n + 1) }
}

/// The pieces of a text that is read from left to right.
#[derive(Default)]
struct Pieces {
    done: Vec<Piece>,
    /// No `}}` is to come.
    closed: bool,
}

impl Pieces {
    fn push(&mut self, c: char) {
        match self.done.last_mut() {
            Some(Piece::Literal(text)) => text.push(c),
            _ => self.done.push(Piece::Literal(c.into())),
        }
    }
    /// Takes a character, a variable as pip expands it (`${UPPER}` only), or what a template or a shell fills in; the rest.
    fn take<'t>(&mut self, rest: &'t str, first: char) -> &'t str {
        let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let name = rest.strip_prefix("${").map(|t| &t[..t.find(|c| !upper(c)).unwrap_or(t.len())]);
        if let Some(name) = name.filter(|name| !name.is_empty() && rest[2 + name.len()..].starts_with('}')) {
            self.done.push(Piece::Variable { name: name.to_owned(), fallback: None, instead: None });
            return &rest[name.len() + 3..];
        }
        if let Some(inner) = rest.strip_prefix("{{").filter(|_| !self.closed) {
            if let Some(end) = inner.find("}}") {
                self.done.push(Piece::Opaque);
                return &inner[end + 2..];
            }
            self.closed = true;
        }
        match first {
            UNKNOWN => self.done.push(Piece::Opaque),
            letter if LETTERS.contains(&letter) => {
                self.done.push(Piece::Variable { name: letter.to_string(), fallback: None, instead: None });
            }
            plain => self.push(plain),
        }
        &rest[first.len_utf8()..]
    }
}

/// A word, and where it stands.
type Word = (Vec<Piece>, Range<usize>);

/// The words of the options, with quotes and backslashes as a POSIX shell takes them (pip uses Python's `shlex`);
/// the place of a quote that is never closed, of a backslash at the end.
fn words(text: &str, from: usize) -> Result<Vec<Word>, (Range<usize>, &'static str)> {
    let mut words = Vec::new();
    let mut rest = &text[from..];
    let mut word: Option<(Pieces, usize)> = None;
    let mut quote: Option<(char, usize)> = None;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        if c.is_whitespace() && quote.is_none() {
            words.extend(word.take().map(|(pieces, start)| (pieces.done, start..at)));
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (pieces, _) = word.get_or_insert_with(|| (Pieces::default(), at));
        let escapes = c == '\\' && !matches!(quote, Some(('\'', _)));
        let next = rest[c.len_utf8()..].chars().next();
        match (quote, next) {
            (None, _) if matches!(c, '\'' | '"') => quote = Some((c, at)),
            (Some((open, _)), _) if open == c => quote = None,
            (None, None) if escapes => return Err((at..at + 1, "a backslash with nothing behind it")),
            (None, Some(next)) if escapes => {
                pieces.push(next);
                rest = &rest[c.len_utf8() + next.len_utf8()..];
                continue;
            }
            (Some(_), Some(next @ ('"' | '\\'))) if escapes => {
                pieces.push(next);
                rest = &rest[2..];
                continue;
            }
            _ => {
                rest = pieces.take(rest, c);
                continue;
            }
        }
        rest = &rest[c.len_utf8()..];
    }
    if let Some((_, at)) = quote {
        return Err((at..at + 1, "the quote is never closed"));
    }
    words.extend(word.map(|(pieces, start)| (pieces.done, start..text.len())));
    Ok(words)
}

/// The requirements in a line that pip refuses, where it is clear what is meant: a quoted item of a list, or several
/// packages in one line.
fn recovered(text: &str, at: Range<usize>) -> Vec<Range<usize>> {
    let bare = |part: Range<usize>| {
        let said = |c: char| "'\", ".contains(c);
        let start = part.end - text[part.clone()].trim_start_matches(said).len();
        start..start + text[start..part.end].trim_end_matches(said).len()
    };
    let package = |part: &Range<usize>| {
        let letter = text[part.clone()].starts_with(|c: char| c.is_ascii_alphabetic());
        letter && requirement::parse(&text[part.clone()]).is_ok_and(|r| !matches!(r.subject, Subject::Path(_)))
    };
    let one = bare(at.clone());
    if package(&one) {
        return vec![one];
    }
    let mut words = Vec::new();
    let mut start = at.start;
    for word in text[at.clone()].split(char::is_whitespace) {
        let part = bare(start..start + word.len());
        start += word.len() + text[start + word.len()..].chars().next().map_or(0, char::len_utf8);
        if part.is_empty() {
            continue;
        }
        if !package(&part) {
            return Vec::new();
        }
        words.push(part);
    }
    // Prose holds no conditions.
    let conditions = words.iter().any(|word| text[word.clone()].contains(['=', '<', '>', '[']));
    if conditions { words } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Covers;

    fn piece(p: &Piece) -> String {
        match p {
            Piece::Literal(text) => text.clone(),
            Piece::Variable { name, .. } => format!("${{{name}}}"),
            Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => "?".into(),
        }
    }

    /// What a file says, an act a line; `!` before a place that could not be read.
    fn show(text: &str) -> Vec<String> {
        let outline = read(FileId(0), text);
        let word = |t: &Text| t.pieces.iter().map(piece).collect::<String>();
        let act = |act: &Act| {
            assert!(text.get(act.at.range()).is_some());
            let when = if act.when.0.is_empty() { String::new() } else { format!(" {:?}", act.when.0) };
            let what = match &act.does {
                Does::Require(r) => {
                    assert_eq!(text[r.written.at.range()].replace("\\\n", ""), text[act.at.range()].replace("\\\n", ""));
                    word(&r.written)
                }
                Does::Include(i) => format!("{:?} {}", i.how, word(&i.path)),
                Does::Index(i) => format!("{:?} {}", i.kind, word(&i.url)),
                Does::Options(o) => format!("pre {} no-binary {}", o.pre, o.no_binary.len()),
                other => format!("{other:?}"),
            };
            format!("{what}{when}")
        };
        let torn = |t: &crate::outline::Torn| format!("!{}{}", &text[t.at.range()], if t.template { " template" } else { "" });
        outline.acts.iter().map(act).chain(outline.torn.iter().map(torn)).collect()
    }

    #[test]
    fn lines_as_pip_reads_them() {
        let cases: &[(&str, &[&str])] = &[
            ("torch==2.1.0+cu118\r\nnumpy # c\r\n", &["torch==2.1.0+cu118", "numpy"]),
            ("\u{feff}torch ; sys_platform == 'linux'", &["torch ; sys_platform == 'linux'"]),
            ("torch==2.1.0 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd\n    # via x\nnumpy", &["torch==2.1.0", "numpy"]),
            ("-i https://e.org/cu118", &["Primary https://e.org/cu118"]),
            ("-i https://a --index-url=https://e.org", &["Primary https://e.org"]),
            ("--extra-index-url \"https://e.org/a b\"", &["Extra https://e.org/a b"]),
            ("--extra-index-url='https://e.org'", &["Extra https://e.org"]),
            ("-fhttps://e.org/x.html\n--find-links u", &["FindLinks https://e.org/x.html", "FindLinks u"]),
            ("--no-index --pre", &["None --no-index", "pre true no-binary 0"]),
            ("--no-binary torch,x", &["pre false no-binary 2"]),
            ("-r a.txt\n-c ../b.txt\n--requirement=c.txt", &["Requirements a.txt", "Constraints ../b.txt", "Requirements c.txt"]),
            ("--trusted-host e.org\n--require-hashes\n--prefer-binary\n--only-binary :all:", &[]),
            (
                "-e .[gpu]\n.\n-e ./sub\n-e git+https://e.org/x.git#egg=y",
                &["Project .[gpu]", "Project .", "Project ./sub", "git+https://e.org/x.git#egg=y"],
            ),
            (". ; os_name == 'nt'", &["Project . [Marker(\"os_name == 'nt'\")]"]),
            ("torch==${TORCH}+cu118\n-i ${A_1}/x\nx==${lower}", &["torch==${TORCH}+cu118", "Primary ${A_1}/x", "!==${lower}"]),
            (
                "torch @ https://e.org/torch-2.0-py3-none-any.whl#sha256=ab",
                &["torch @ https://e.org/torch-2.0-py3-none-any.whl#sha256=ab"],
            ),
            ("torch -f https://e.org", &["torch"]),
            ("-r a.txt -r b.txt --no-index", &["Requirements a.txt"]),
            ("torch>=1,\\\n<2", &["torch>=1,<2"]),
            ("", &[]),
            ("\0\0\n\\\n#", &["!\0"]),
        ];
        for (text, want) in cases {
            assert_eq!(show(text), *want, "{text:?}");
        }
    }

    #[test]
    fn refused_lines() {
        let cases: &[(&str, &[&str])] = &[
            ("'jsonpickle',\n'torch>=1.9.0',\nnumpy", &["jsonpickle", "torch>=1.9.0", "numpy", "!'", "!'"]),
            (
                "torch==2.0.0 torchvision==0.15.1 -f https://e.org",
                &["torch==2.0.0", "torchvision==0.15.1", "FindLinks https://e.org", "!torchvision==0.15.1"],
            ),
            ("flash-attn --no-build-isolation", &["flash-attn", "!--no-build-isolation"]),
            ("torch=2.0", &["!="]),
            ("install torch first", &["!torch first"]),
            ("--index-url", &["!--index-url"]),
            ("--index-url 'x", &["!'"]),
            ("--index-url x \\ ", &["!\\"]),
            ("--nonsense\ntorch", &["torch", "!--nonsense"]),
            (
                "torch=={{ v }}\n{% if x %}\n{{ y }}",
                &["torch==?", "!torch=={{ v }} template", "!{% if x %} template", "!{{ y }} template"],
            ),
            ("# conda create --name <env> --file <this file>\n@EXPLICIT\ntorch=1.0=py_0", &["torch=1.0=py_0"]),
        ];
        for (text, want) in cases {
            assert_eq!(show(text), *want, "{text:?}");
        }
    }

    #[test]
    fn ignore_comments() {
        let text = "# cudalint: ignore[a]\ntorch \\\n --hash=x:y\nnumpy # cudalint: ignore[b]";
        let covers: Vec<_> = read(FileId(0), text).ignores.iter().map(|i| i.covers).collect();
        let lines = |a, b| Covers::Lines(Span::new(FileId(0), a, b));
        assert_eq!(covers, [lines(22, 42), lines(42, text.len())]);
    }

    #[test]
    fn hostile_text() {
        let long = [
            "torch ".repeat(20_000),
            "'".repeat(100_000),
            "a==1 \\\n".repeat(10_000),
            "-r ".repeat(20_000),
            "${A}".repeat(10_000),
            format!("a {}", "{{".repeat(100_000)),
            "x y\n".repeat(10_000),
            "# cudalint: ignore[a]\n".repeat(5_000),
        ];
        for text in long {
            assert!(read(FileId(0), &text).torn.len() <= TORN);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[a-z0-9\\n\\r'\"#\\\\ ${}A=<;@\\[\\],中\\u{feff}\\u{85}/.-]{0,60}") {
            let outline = read(FileId(0), &text);
            let torn = outline.torn.iter().map(|t| t.at);
            for at in outline.acts.iter().map(|a| a.at).chain(torn) {
                proptest::prop_assert!(text.get(at.range()).is_some());
            }
        }
    }
}
