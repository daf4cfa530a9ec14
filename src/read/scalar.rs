//! The text of a YAML scalar, each byte of which knows its place: quotes, escapes, indentation and folding are YAML's own.

use std::iter::Peekable;
use std::str::CharIndices;

use super::excerpt::Excerpt;
use super::shell;
use super::syntax::yaml::{Node, Style};

/// The script that a scalar holds, its continued lines joined; what a template writes in it is not known.
pub(super) fn script(node: Node<'_>) -> Excerpt {
    let body = node.body();
    match excerpt(node) {
        Some(script) => shell::joined(&script.templated()),
        // What is hidden from YAML is in no value.
        None if node.is_template() && node.style().is_some() => shell::excerpt(body.file, node.source(), body.range()),
        None => Excerpt::new(body.file),
    }
}

/// A scalar's text, nothing where it is blank; `None` where a template writes it, or where its bytes do not lead to it.
pub(super) fn excerpt(node: Node<'_>) -> Option<Excerpt> {
    let (value, raw, style, body) = (node.text()?, node.raw(), node.style()?, node.body());
    let mut out = Excerpt::new(body.file);
    let start = body.range().start;
    let (mut read, mut written) = (value.char_indices().peekable(), Written { raw, at: 0, style });
    loop {
        // Blanks and line ends stand for each other, and some for nothing.
        let (from, blanks) = (written.at, blanks(value, &mut read));
        written.skip_blanks();
        if raw.get(from..written.at) == Some(blanks) {
            out.push(blanks, start + from);
        } else if from < written.at {
            out.push_for(blanks, start + from..start + written.at);
        } else if !blanks.is_empty() && from < raw.len() {
            return None;
        }
        let Some((at, c)) = read.next() else { break };
        let from = written.at;
        let c = &value[at..at + c.len_utf8()];
        match written.next()? {
            one if one == c => out.push(one, start + from),
            escaped if written.stands_for(escaped, c) => out.push_for(c, start + from..start + written.at),
            _ => return None,
        }
    }
    (written.at == raw.len()).then_some(out)
}

/// The blanks and line ends that come next.
fn blanks<'v>(value: &'v str, read: &mut Peekable<CharIndices<'_>>) -> &'v str {
    let Some((start, _)) = read.peek().copied() else { return "" };
    while read.next_if(|(_, c)| is_blank(*c)).is_some() {}
    &value[start..read.peek().map_or(value.len(), |(at, _)| *at)]
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// A scalar as it stands in the file.
struct Written<'t> {
    raw: &'t str,
    at: usize,
    style: Style,
}

impl<'t> Written<'t> {
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.raw[self.at..];
            let mut chars = rest.chars();
            self.at += match (chars.next(), chars.next()) {
                (Some(c), _) if is_blank(c) => 1,
                (Some('\\'), Some('n' | 't' | 'r' | ' ' | '\t' | '\n' | '\r')) if self.style == Style::Double => 2,
                _ => return,
            };
        }
    }
    /// One character, or what stands for one.
    fn next(&mut self) -> Option<&'t str> {
        let rest = &self.raw[self.at..];
        let length = match (self.style, rest.as_bytes()) {
            (Style::Single, [b'\'', b'\'', ..]) => 2,
            (Style::Double, [b'\\', kind, ..]) => {
                1 + match kind {
                    b'x' => 3,
                    b'u' => 5,
                    b'U' => 9,
                    _ => rest[1..].chars().next()?.len_utf8(),
                }
            }
            _ => rest.chars().next()?.len_utf8(),
        };
        let one = rest.get(..length)?;
        self.at += length;
        Some(one)
    }
    /// Whether an escape is that of a character; of those that are spelled by number it is taken from the parser.
    fn stands_for(&self, escape: &str, c: &str) -> bool {
        match (self.style, escape) {
            (Style::Single, "''") => c == "'",
            (Style::Double, "\\\"" | "\\\\" | "\\/") => escape.ends_with(c),
            (Style::Double, _) => escape.starts_with('\\'),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::syntax::yaml::Tree;
    use crate::source::FileId;
    use proptest::prelude::*;

    /// The text of the value of `a`, and what stands in the file for each of its words.
    fn read(text: &str) -> Option<(String, Vec<String>)> {
        let tree = Tree::read(FileId(0), text);
        let value = tree.documents().next()?.get("a")?;
        let excerpt = excerpt(value)?;
        let blank = value.text()?.trim().is_empty();
        assert!(blank || Some(excerpt.text()) == value.text(), "{text:?} is {:?}", excerpt.text());
        let mut at = 0;
        let words = excerpt.text().split_inclusive(char::is_whitespace).map(|word| {
            at += word.len();
            text[excerpt.span(at - word.len()..at - word.len() + word.trim_end().len()).range()].to_owned()
        });
        Some((excerpt.text().to_owned(), words.collect()))
    }

    #[test]
    fn every_style() {
        for (text, value, words) in [
            ("a: b c", "b c", "b|c"),
            ("a: b\n  c\n\n  d\n", "b c\nd", "b|c|d"),
            ("a: 'it''s b'\n", "it's b", "it''s|b"),
            (r#"a: "b \"c\" \\d\n e\té\u00e9 \/""#, "b \"c\" \\d\n e\té\u{e9} /", r#"b|\"c\"|\\d||e|é\u00e9|\/"#),
            ("a: \"b \\\n  c\n  d\"\n", "b c d", "b|c|d"),
            ("a: |\n    b\n      c\n\n    d\nz: 1\n", "b\n  c\n\nd\n", "b|||c||d"),
            ("a: >-\n  b\n  c\n    d\n  e\n", "b c\n  d\ne", "b|c|||d|e"),
            ("a: |+\r\n  b\r\n  c\r\n\r\n", "b\nc\n\n", "b|c|"),
            ("a: |2\n     b\n", "   b\n", "|||b"),
            ("a: ''", "", ""),
        ] {
            assert_eq!(
                read(text),
                Some((value.to_owned(), words.split('|').filter(|_| !value.is_empty()).map(str::to_owned).collect())),
                "{text:?}"
            );
        }
        assert_eq!(read("a: [b]"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn whatever_stands_there(mark in prop_oneof![Just(""), Just("'"), Just("\""), Just("|\n  "), Just(">\n  ")],
            body in "([ab'\"\\\\né\t]| {1,3}|\n {0,4}){0,30}") {
            read(&format!("a: {mark}{body}{}", if mark.len() == 1 { mark } else { "" }));
        }
    }
}
