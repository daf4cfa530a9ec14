//! `.dockerignore` (<https://docs.docker.com/build/concepts/context/#dockerignore-files>).

use crate::outline::{Act, Does, Outline, Text, When};
use crate::source::{FileId, Span};

/// Reads the patterns, each on a line of its own.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        (at - line.len(), line)
    });
    Outline { acts: lines.filter_map(|(at, line)| pattern(file, at, line)).collect(), ..Outline::default() }
}

fn pattern(file: FileId, at: usize, line: &str) -> Option<Act> {
    // A comment begins with the line, a byte order mark with the file.
    let mark = if at == 0 && line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (at, line) = (at + mark, &line[mark..]);
    let written = line.trim();
    if line.starts_with('#') || written.is_empty() {
        return None;
    }
    let (pattern, back) = match written.strip_prefix('!') {
        Some(rest) => (rest.trim(), true),
        None => (written, false),
    };
    let start = at + line.len() - line.trim_start().len();
    let at = Span::new(file, start, start + written.len());
    Some(Act { at, when: When::default(), does: Does::LeaveOut { pattern: Text::literal(pattern, at), back } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let text = "\u{feff}# a\r\n *.txt \r\n! b\n #c\n\n/d/";
        let shown: Vec<_> = read(FileId(0), text)
            .acts
            .into_iter()
            .map(|act| match act.does {
                Does::LeaveOut { pattern, back } => {
                    (pattern.known().map(str::to_owned).unwrap_or_default(), back, text[act.at.range()].to_owned())
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let line = |pattern: &str, back, text: &str| (pattern.to_owned(), back, text.to_owned());
        assert_eq!(
            shown,
            [line("*.txt", false, "*.txt"), line("b", true, "! b"), line("#c", false, "#c"), line("/d/", false, "/d/")]
        );
    }
}
