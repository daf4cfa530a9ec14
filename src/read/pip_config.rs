//! pip's configuration files: <https://pip.pypa.io/en/stable/topics/configuration/>.

use std::collections::BTreeMap;

use super::command::asks::{index, no_index};
use super::command::pip;
use super::syntax::comments::ignores;
use super::syntax::ini::{self, Entry};
use crate::outline::{Act, Does, How, Include, IndexKind, InstallFlags, Outline, Text, When};
use crate::source::{FileId, Span};

/// Reads what holds for `pip install`: of one key in both sections, `[install]` goes before `[global]`.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (entries, comments) = ini::parse(text);
    let mut holds: BTreeMap<String, &Entry> = BTreeMap::new();
    for section in ["global", "install"] {
        let own = entries.iter().filter(|entry| entry.section == section);
        holds.extend(own.map(|entry| (entry.key.replace('_', "-"), entry)));
    }
    let mut acts: Vec<Act> = holds.iter().flat_map(|(key, entry)| says(file, text, key, entry)).collect();
    acts.sort_by_key(|act| act.at);
    Outline { acts, ignores: ignores(file, text, comments.into_iter(), |line| line), ..Outline::default() }
}

fn says(file: FileId, text: &str, key: &str, entry: &Entry) -> Vec<Act> {
    let at = Span::new(file, entry.at.start, entry.at.end);
    let act = |at, does| Act { at, when: When::default(), does };
    // A comment ends with its line only where it begins it: `#` is part of a value.
    let words: Vec<Text> = entry.lines.iter().flat_map(|line| words(file, text, line.clone())).collect();
    let on = || {
        words
            .first()
            .and_then(Text::known)
            .is_some_and(|v| matches!(v.to_lowercase().as_str(), "1" | "true" | "yes" | "y" | "on" | "t"))
    };
    let options = |flags| vec![act(at, Does::Options(flags))];
    let indexes = |kind| words.iter().map(|url| act(url.at, Does::Index(index(url.clone(), kind)))).collect();
    match key {
        "index-url" | "pypi-url" => indexes(IndexKind::Primary),
        "extra-index-url" => indexes(IndexKind::Extra),
        "find-links" => indexes(IndexKind::FindLinks),
        "no-index" if on() => vec![act(at, Does::Index(no_index(at)))],
        "constraint" => {
            let include = |path: &Text| act(path.at, Does::Include(Include { path: path.clone(), how: How::Constraints }));
            words.iter().map(include).collect()
        }
        "uploaded-prior-to" => options(InstallFlags { not_newest: true, ..InstallFlags::default() }),
        "pre" if on() => options(InstallFlags { pre: true, ..InstallFlags::default() }),
        "no-deps" | "no-dependencies" if on() => options(InstallFlags { no_deps: true, ..InstallFlags::default() }),
        "no-build-isolation" if on() => options(InstallFlags { no_build_isolation: true, ..InstallFlags::default() }),
        "no-binary" => {
            let no_binary = words.iter().flat_map(pip::names).collect();
            options(InstallFlags { no_binary, ..InstallFlags::default() })
        }
        _ => Vec::new(),
    }
}

/// The words of a line; pip knows no variables here.
fn words(file: FileId, text: &str, line: std::ops::Range<usize>) -> Vec<Text> {
    let mut found = Vec::new();
    let mut start = line.start;
    for word in text[line].split(char::is_whitespace) {
        if !word.is_empty() {
            found.push(Text::literal(word, Span::new(file, start, start + word.len())));
        }
        start += word.len() + text[start + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let at = |t: &Text| text[t.at.range()].to_owned();
        let act = |act: &Act| match &act.does {
            Does::Index(line) if line.kind == IndexKind::None => format!("no index: {}", &text[act.at.range()]),
            Does::Index(line) => format!("{:?} {}", line.kind, at(&line.url)),
            Does::Include(include) => format!("{:?} {}", include.how, at(&include.path)),
            Does::Options(f) => format!("pre {} no-deps {} no-binary {}", f.pre, f.no_deps, f.no_binary.len()),
            other => format!("{other:?}"),
        };
        read(FileId(0), text).acts.iter().map(act).collect()
    }

    #[test]
    fn a_file() {
        let text = "\u{feff}[global]\r\nindex-url = https://pypi.example/simple\r\nextra_index_url =\r\n    https://download.pytorch.org/whl/cu118\r\n    # no\r\n    https://b.example\r\n\
            timeout = 60\r\npre = no\r\n[install]\r\nINDEX-URL: https://c.example/simple\r\nfind-links = a b\r\nno-index = true\r\nconstraint = c.txt\r\n\
            pre = 1\r\nno-binary = x,y\r\n[freeze]\r\nextra-index-url = d\r\n";
        assert_eq!(
            show(text),
            [
                "Extra https://download.pytorch.org/whl/cu118",
                "Extra https://b.example",
                "Primary https://c.example/simple",
                "FindLinks a",
                "FindLinks b",
                "no index: no-index = true",
                "Constraints c.txt",
                "pre true no-deps false no-binary 0",
                "pre false no-deps false no-binary 2",
            ]
        );
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            show(&text[..end]);
        }
    }
}
