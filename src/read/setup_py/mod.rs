//! `setup.py`: the requirements that its call of `setup` gives as literals, or reads from a file in one of the usual ways.
//! Nothing is run; what is worked out otherwise is not known.
//!
//! Source: <https://setuptools.pypa.io/en/latest/references/keywords.html>.

mod extension;
mod tokens;
mod values;

use super::syntax::comments::ignores;
use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, How, Include, Language, Outline, Piece, Requirement, Role, Text, When};
use crate::source::{FileId, Span};
use tokens::{Kind, tokens};
use values::{Names, Value};

/// Reads a project's script.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (found, comments) = tokens(text);
    let names = Names::of(file, text, &found);
    let mut out = Out { acts: Vec::new(), name: None };
    let call = (0..found.len()).find(|n| {
        let is = |n: usize, word: &str| found.get(n).is_some_and(|token| names.word(token) == word);
        let own = *n == 0 || !matches!(names.word(&found[n - 1]), "def" | "import");
        found[*n].kind == Kind::Name && is(*n, "setup") && is(n + 1, "(") && own
    });
    match call {
        Some(n) => arguments(&names, n + 1, &mut out),
        None if found.iter().any(|token| token.kind == Kind::Name) => out.unknown(Span::new(file, 0, 0), &When::default()),
        None => {}
    }
    out.acts.extend(extension::extension(&names, &found));
    out.acts.sort_by_key(|act| act.at.start);
    let ignores = ignores(file, text, comments.into_iter(), |line| line);
    Outline { acts: out.acts, ignores, name: out.name, ..Outline::default() }
}

/// The arguments of the call whose bracket opens at `n`.
fn arguments(names: &Names<'_>, n: usize, out: &mut Out) {
    let end = names.behind(n);
    let mut unknown = None;
    let mut given = false;
    for part in names.parts(n + 1..end.saturating_sub(1).max(n + 1)) {
        let Some((keyword, value)) = names.keyword(&part) else {
            // `**arguments`
            unknown = Some(names.span(&part));
            continue;
        };
        let at = names.span(&value);
        match keyword {
            "install_requires" => {
                given = true;
                out.list(names.value(value), at, &When::default(), Role::Asks);
            }
            "setup_requires" => out.list(names.value(value), at, &When::default(), Role::Builds),
            "name" => {
                if let Value::String(name) = names.value(value) {
                    out.name = name.known().map(normalise);
                }
            }
            "python_requires" => {
                if let Value::String(python) = names.value(value) {
                    out.acts.push(Act { at: python.at, when: When::default(), does: Does::Python(python) });
                }
            }
            "extras_require" => {
                let Value::Dict(extras) = names.value(value) else {
                    // Which of them says what is not known.
                    out.unknown(at, &When::default());
                    continue;
                };
                for (extra, list) in extras {
                    match extra {
                        Value::String(extra) if extra.known().is_some() => {
                            out.list(list, extra.at, &extra_of(extra.known().unwrap_or_default()), Role::Asks);
                        }
                        _ => out.unknown(at, &When::default()),
                    }
                }
            }
            _ => {}
        }
    }
    if let Some(at) = unknown.filter(|_| !given) {
        out.unknown(at, &When::default());
    }
}

/// `gpu`, `gpu:python_version < '3.12'`, `:sys_platform == 'linux'`.
fn extra_of(key: &str) -> When {
    let (extra, marker) = key.split_once(':').unwrap_or((key, ""));
    let extra = Some(normalise(extra)).filter(|extra| !extra.is_empty()).map(Choice::Extra);
    let marker = Some(marker.trim()).filter(|marker| !marker.is_empty()).map(|marker| Choice::Marker(marker.to_owned()));
    When(extra.into_iter().chain(marker).collect())
}

struct Out {
    acts: Vec<Act>,
    name: Option<String>,
}

impl Out {
    fn list(&mut self, value: Value, at: Span, when: &When, role: Role) {
        let items = match value {
            Value::List(items) => items,
            // One text may hold several lines.
            one @ (Value::String(_) | Value::File(_)) => vec![one],
            Value::Dict(_) | Value::Unknown => vec![Value::Unknown],
        };
        for item in items {
            match item {
                Value::String(text) if text.known().is_some_and(|known| known.contains('\n')) => self.lines(&text, when, role),
                Value::String(written) => {
                    let does = Does::Require(Requirement { language: Language::Pep508, role, written });
                    let at = if let Does::Require(r) = &does { r.written.at } else { at };
                    self.acts.push(Act { at, when: when.clone(), does });
                }
                Value::File(path) => {
                    let include = Include { path, how: How::Requirements };
                    self.acts.push(Act { at: include.path.at, when: when.clone(), does: Does::Include(include) });
                }
                Value::List(_) | Value::Dict(_) | Value::Unknown => self.unknown(at, when),
            }
        }
    }
    fn lines(&mut self, text: &Text, when: &When, role: Role) {
        let lines = text.known().unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty());
        for line in lines.filter(|line| !line.starts_with('#')) {
            let written = Text::literal(line, text.at);
            let does = Does::Require(Requirement { written, language: Language::Pep508, role });
            self.acts.push(Act { at: text.at, when: when.clone(), does });
        }
    }
    fn unknown(&mut self, at: Span, when: &When) {
        let path = Text { pieces: vec![Piece::Opaque], at };
        self.acts.push(Act { at, when: when.clone(), does: Does::Include(Include { path, how: How::Setup }) });
    }
}

#[cfg(test)]
mod tests {
    use super::super::pyproject::tests::shown;
    use super::*;

    fn show(text: &str) -> Vec<String> {
        shown(text, &read(FileId(0), text))
    }

    #[test]
    fn literals() {
        let text = "from setuptools import setup\nextras = {'GPU': ['cupy'], 'x:os_name==\"nt\"': ['y']}\nbase = ['numpy', \"torch\" '==2.1.0']\n\
            def f():\n    base2 = 1\nsetup(\n  name='x', # c\n  install_requires=base + ['scipy', f'a=={v}', other],\n  extras_require=extras,\n\
            \x20 python_requires='>=3.8',\n  setup_requires=['cython'],\n)\n";
        let mut got = show(text);
        got.sort();
        let mut want = [
            "cupy <Extra(gpu)>",
            "y <Extra(x) Marker(os_name==\\nt\\)>",
            "numpy",
            "torch==2.1.0",
            "scipy",
            "a==?",
            "setup ?",
            "python >=3.8",
            "Builds cython",
        ];
        want.sort_unstable();
        assert_eq!(got, want);
        let outline = read(FileId(0), text);
        let scipy = outline.acts.iter().find(|act| &text[act.at.range()] == "scipy");
        assert!(scipy.is_some(), "the place is inside the quotes");
    }

    #[test]
    fn files_that_are_read() {
        for (before, value) in [
            ("", "open('requirements.txt').read().splitlines()"),
            ("", "open(os.path.join(here, 'requirements.txt'), encoding='utf-8').readlines()"),
            ("", "[l.strip() for l in open('requirements.txt') if l.strip() and not l.startswith('#')]"),
            ("", "(Path(__file__).parent / 'requirements.txt').read_text().splitlines()"),
            ("", "[str(r.req) for r in parse_requirements('requirements.txt', session=False)]"),
            ("with open('requirements.txt') as f:\n    reqs = f.read().splitlines()\n", "reqs"),
            ("with open('requirements.txt', 'r') as f:\n    reqs = [line.strip() for line in f]\n", "reqs"),
            ("f = 'requirements.txt'\nreqs = list(open(f))\n", "reqs"),
            ("got = parse_requirements('requirements.txt', session='')\nreqs = [str(r.requirement) for r in got]\n", "reqs"),
        ] {
            assert_eq!(
                show(&format!("{before}setup(install_requires={value})")),
                ["requirements requirements.txt"],
                "{before}{value}"
            );
        }
    }

    #[test]
    fn what_is_worked_out_is_not_known() {
        for text in [
            "setup(install_requires=find())",
            "a = ['x']\na.append('y')\nsetup(install_requires=a)",
            "a = ['x']\nif b:\n    a = ['y']\nsetup(install_requires=a)",
            "if b:\n    a = ['y']\nsetup(install_requires=a)",
            "a = ['x']\na += ['y']\nsetup(install_requires=a)",
            "a = a\nsetup(install_requires=a)",
            "setup(**arguments)",
            "main()",
            "setup(install_requires=[l for l in open('requirements.txt') if 'torch' not in l])",
            "setup(install_requires=[fix(l) for l in open('requirements.txt')])",
            "setup(install_requires=['x'] if y else ['z'])",
            "e = {}\ne['x'] = ['y']\nsetup(extras_require=e)",
            "setup(extras_require={**more})",
        ] {
            assert_eq!(show(text), ["setup ?"], "{text}");
        }
        for text in ["", "\u{feff}", "# x", "setup(name='x')", "setup(", "setup(install_requires=[", "\0"] {
            assert!(show(text).iter().all(|line| line == "setup ?"), "{text:?}");
        }
        assert_eq!(show("setup(install_requires='''\n  torch==2.1.0\n  # c\n  numpy\n''')"), ["torch==2.1.0", "numpy"]);
    }

    #[test]
    fn hostile_text() {
        for text in [
            format!("setup(install_requires={})", "[".repeat(100_000)),
            format!("setup(install_requires={}{})", "[".repeat(50_000), "]".repeat(50_000)),
            format!("a=b\n{}setup(install_requires=a)", "b=a\n".repeat(50_000)),
            format!("setup(install_requires=[{}])", "'x',".repeat(100_000)),
            "'".repeat(200_000),
        ] {
            read(FileId(0), &text);
        }
    }
}
