//! `$NAME` and `${NAME:-fallback}` inside values, as Compose, conda and template languages write them.

use crate::outline::{Piece, Text};
use crate::read::excerpt::{LETTERS, UNKNOWN};
use crate::source::Span;

use super::yaml::Node;

/// Fallbacks in fallbacks beyond this are not read.
const DEPTH: usize = 16;
/// A marker that does not end within so many bytes is none.
const LENGTH: usize = 512;

/// A value with its variables. `$$` is a dollar sign; `${{ … }}`, `{{ … }}`, `$(…)` and `<% … %>` are opaque.
pub(in crate::read) fn text_of(raw: &str, at: Span) -> Text {
    Text { pieces: pieces(raw, DEPTH), at }
}

/// The value of a scalar; `None` for maps and lists, unless a template writes the whole of it.
pub(in crate::read) fn node_text(node: Node<'_>) -> Option<Text> {
    match node.text() {
        Some(_) if node.is_null() => None,
        Some(value) => Some(text_of(value, node.body())),
        None if node.is_template() && node.is_map() => Some(Text { pieces: vec![Piece::Opaque], at: node.at() }),
        None if node.is_template() => Some(text_of(node.raw(), node.body())),
        None => None,
    }
}

fn pieces(raw: &str, depth: usize) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut literal = String::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let plain = rest.find(begins).unwrap_or(rest.len());
        literal.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let Some((piece, length)) = special(rest, depth) else {
            let length = rest.chars().next().map_or(0, char::len_utf8);
            literal.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        };
        match piece {
            Piece::Literal(text) => literal.push_str(&text),
            other => {
                if !literal.is_empty() {
                    found.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                found.push(other);
            }
        }
        rest = &rest[length..];
    }
    if !literal.is_empty() {
        found.push(Piece::Literal(literal));
    }
    found
}

fn begins(c: char) -> bool {
    matches!(c, '$' | '{' | '<' | UNKNOWN) || LETTERS.contains(&c)
}

/// What begins here other than itself, with its length.
fn special(text: &str, depth: usize) -> Option<(Piece, usize)> {
    let text = &text[..text.floor_char_boundary(LENGTH)];
    let until = |open: usize, close: &str| text[open..].find(close).map(|n| (Piece::Opaque, open + n + close.len()));
    match text.as_bytes() {
        [b'$', b'$', ..] => Some((Piece::Literal("$".to_owned()), 2)),
        [b'$', b'{', b'{', ..] => until(3, "}}"),
        [b'{', b'{', ..] | [b'{', b'%', ..] => until(2, if text.starts_with("{{") { "}}" } else { "%}" }),
        [b'<', b'%', ..] => until(2, "%>"),
        [b'$', b'(', ..] => until(2, ")"),
        [b'$', b'{', ..] => {
            let length = braces(text)?;
            Some((variable(&text[2..length - 1], depth), length))
        }
        [b'$', first, ..] if first.is_ascii_alphabetic() || *first == b'_' => {
            let end = text[1..].find(|c: char| !is_name(c)).map_or(text.len(), |n| n + 1);
            Some((Piece::Variable { name: text[1..end].to_owned(), fallback: None, instead: None }, end))
        }
        _ => match text.chars().next()? {
            UNKNOWN => Some((Piece::Opaque, UNKNOWN.len_utf8())),
            letter if LETTERS.contains(&letter) => {
                Some((Piece::Variable { name: letter.to_string(), fallback: None, instead: None }, letter.len_utf8()))
            }
            _ => None,
        },
    }
}

/// The length of `${…}` with all that is nested in it.
fn braces(text: &str) -> Option<usize> {
    let mut open = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' if open == 1 => return Some(at + 1),
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn variable(inner: &str, depth: usize) -> Piece {
    let end = inner.find(|c: char| !is_name(c)).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(end);
    let operator = rest.trim_start_matches(':');
    let value = |text: &str| Some(pieces(text, depth - 1));
    let named = |fallback, instead| Piece::Variable { name: name.to_owned(), fallback, instead };
    let valid = name.starts_with(|c: char| !c.is_ascii_digit()) && rest.len() - operator.len() <= 1 && depth > 0;
    match operator.as_bytes().first() {
        _ if !valid => Piece::Opaque,
        None if rest.is_empty() => named(None, None),
        Some(b'-') => named(value(&operator[1..]), None),
        Some(b'+') => named(None, value(&operator[1..])),
        // `${X:?message}` has no value but its own.
        Some(b'?') => named(None, None),
        _ => Piece::Opaque,
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn show(pieces: &[Piece]) -> String {
        let part = |p: &Piece| match p {
            Piece::Literal(text) => text.clone(),
            Piece::Variable { name, fallback, instead } => {
                let side = |mark, of: &Option<Vec<Piece>>| of.as_ref().map_or(String::new(), |p| format!("{mark}{}", show(p)));
                format!("<{name}{}{}>", side("-", fallback), side("+", instead))
            }
            Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => "<>".to_owned(),
        };
        pieces.iter().map(part).collect()
    }

    #[test]
    fn forms() {
        for (raw, shown) in [
            ("", ""),
            ("a$", "a$"),
            ("$$A ${", "$A ${"),
            ("x:${TAG:-12.4}-dev", "x:<TAG-12.4>-dev"),
            ("${A-${B:-c}}/$D.e", "<A-<B-c>>/<D>.e"),
            ("${A:+b}${C:?no}", "<A+b><C>"),
            ("${A/x/y}${1}${}", "<><><>"),
            ("${{ matrix.x }}-{{ y }}-$(z)", "<>-<>-<>"),
            ("a {b} <c", "a {b} <c"),
        ] {
            assert_eq!(show(&text_of(raw, Span::new(FileId(0), 0, 0)).pieces), shown, "{raw:?}");
        }
    }

    #[test]
    fn depth_has_an_end() {
        let deep = "${A:-".repeat(50) + &"}".repeat(50);
        assert!(show(&text_of(&deep, Span::new(FileId(0), 0, 0)).pieces).starts_with("<A-<A-"));
        for open in ["${A:-", "{{", "$(", "<%", "${{"] {
            assert_eq!(show(&text_of(&open.repeat(100_000), Span::new(FileId(0), 0, 0)).pieces).len(), open.len() * 100_000);
        }
    }
}
