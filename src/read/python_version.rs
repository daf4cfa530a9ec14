//! `.python-version`: the Python of the projects beside it.
//!
//! Sources: <https://docs.astral.sh/uv/concepts/python-versions/#python-version-files>, <https://github.com/pyenv/pyenv>.

use crate::outline::{Act, Does, Outline, Text, When};
use crate::source::{FileId, Span};

/// Longer names are none of a version.
const LONGEST: usize = 64;

/// Reads the first version; the name of an environment or of another implementation says nothing.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let word = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let at = start + line.find(word).unwrap_or(0);
        start += line.len();
        if word.is_empty() || word.starts_with('#') {
            continue;
        }
        let at = Span::new(file, at, at + word.len());
        let does = minor(word).map(|minor| Does::Python(Text::literal(format!("=={minor}.*"), at)));
        return Outline {
            acts: does.map(|does| Act { at, when: When::default(), does }).into_iter().collect(),
            ..Outline::default()
        };
    }
    Outline::default()
}

/// `3.11` of `3.11.4`, `cpython@3.11`, `cpython-3.11.4-linux-x86_64-gnu`.
fn minor(word: &str) -> Option<String> {
    let word = ["cpython", "python"].iter().find_map(|name| word.strip_prefix(name)).unwrap_or(word);
    let version = word.trim_start_matches(['@', '-']).split('-').next().filter(|version| version.len() <= LONGEST)?;
    let mut numbers = version.split('.');
    let (major, minor) = (numbers.next()?, numbers.next()?);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (major == "3" && number(minor)).then(|| format!("3.{minor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (text, want) in [
            ("3.11\n", Some("==3.11.*")),
            ("\u{feff}# x\r\n\r\n 3.10.4 \r\n3.9\n", Some("==3.10.*")),
            ("cpython@3.12", Some("==3.12.*")),
            ("cpython-3.12.1-linux-x86_64-gnu", Some("==3.12.*")),
            ("pypy3.10-7.3", None),
            ("my-env/3.10", None),
            ("3", None),
            ("2.7", None),
            ("", None),
            ("\0", None),
        ] {
            let outline = read(FileId(0), text);
            let said = outline.acts.first().map(|act| match &act.does {
                Does::Python(python) => python.known().expect("a literal"),
                other => panic!("{other:?}"),
            });
            assert_eq!(said, want, "{text:?}");
        }
    }
}
