//! The tokens of a Python file, with byte spans: enough to tell literals, names and brackets apart.
//! Source: <https://docs.python.org/3/reference/lexical_analysis.html>.

use std::ops::Range;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Quotes included.
    pub(super) at: Range<usize>,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Name,
    Number,
    /// What the literal means; `None` in place of what is filled in when it is run (`{x}` of an f-string).
    String(Vec<Option<String>>),
    /// One sign, or two that belong together (`==`, `+=`, `**` …).
    Sign,
    /// The end of a statement, with the indentation of the next.
    Line(usize),
}

const PAIRS: &[&str] =
    &["==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "|=", "&=", "%=", "**", "//", "->", ":=", "<<", ">>", "^=", "@="];

/// The tokens of a text, and its comments.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Vec<Range<usize>>) {
    let (mut found, mut comments) = (Vec::new(), Vec::new());
    let mut depth = 0usize;
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            '\n' => {
                if depth == 0 {
                    let indent = rest[1..].bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
                    found.push(Token { kind: Kind::Line(indent), at: at..at + 1 });
                }
                1
            }
            '\\' if rest.starts_with("\\\n") => 2,
            '\\' if rest.starts_with("\\\r\n") => 3,
            '#' => {
                let end = rest.find('\n').unwrap_or(rest.len());
                comments.push(at..at + rest[..end].trim_end().len());
                end
            }
            _ if c.is_whitespace() => c.len_utf8(),
            _ if c.is_alphabetic() || c == '_' || matches!(c, '"' | '\'') => {
                let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let prefix = &rest[..name];
                let quoted = rest[name..].starts_with(['"', '\'']) && name <= 2 && prefix.chars().all(|c| "rRbBuUfF".contains(c));
                let (kind, length) = if quoted { string(rest, name) } else { (Kind::Name, name) };
                found.push(Token { kind, at: at..at + length });
                length
            }
            _ if c.is_ascii_digit() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_').unwrap_or(rest.len());
                found.push(Token { kind: Kind::Number, at: at..at + end });
                end
            }
            _ => {
                match c {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                let pair = PAIRS.iter().any(|pair| rest.starts_with(pair));
                let length = if pair { 2 } else { c.len_utf8() };
                found.push(Token { kind: Kind::Sign, at: at..at + length });
                length
            }
        };
        at += length.max(1);
    }
    (found, comments)
}

/// A string literal behind its prefix, and its length; one that is never closed ends with its line.
fn string(rest: &str, prefix: usize) -> (Kind, usize) {
    let (raw, filled) = (rest[..prefix].contains(['r', 'R']), rest[..prefix].contains(['f', 'F']));
    let body = &rest[prefix..];
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| body.starts_with(quotes)).unwrap_or(&body[..1]);
    let mut pieces: Vec<Option<String>> = Vec::new();
    let mut at = quotes.len();
    while let Some(c) = body[at..].chars().next() {
        if body[at..].starts_with(quotes) {
            at += quotes.len();
            break;
        }
        if c == '\n' && quotes.len() == 1 {
            break;
        }
        at += c.len_utf8();
        let next = body[at..].chars().next();
        match (c, next) {
            ('\\', Some(next)) => {
                at += next.len_utf8();
                match next {
                    _ if raw => said(&mut pieces, &['\\', next]),
                    '\n' => {}
                    'n' => said(&mut pieces, &['\n']),
                    't' => said(&mut pieces, &['\t']),
                    '\\' | '\'' | '"' => said(&mut pieces, &[next]),
                    _ => said(&mut pieces, &['\\', next]),
                }
            }
            ('{' | '}', Some(next)) if filled && next == c => {
                at += 1;
                said(&mut pieces, &[c]);
            }
            ('{', _) if filled => {
                at += body[at..].find(['}', '\n']).map_or(body.len() - at, |n| n + 1);
                pieces.push(None);
            }
            _ => said(&mut pieces, &[c]),
        }
    }
    (Kind::String(pieces), prefix + at)
}

fn said(pieces: &mut Vec<Option<String>>, more: &[char]) {
    match pieces.last_mut() {
        Some(Some(text)) => text.extend(more),
        _ => pieces.push(Some(more.iter().collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let token = |t: &Token| match &t.kind {
            Kind::Name => text[t.at.clone()].to_owned(),
            Kind::Number => format!("#{}", &text[t.at.clone()]),
            Kind::String(pieces) => {
                format!("<{}>", pieces.iter().map(|p| p.clone().unwrap_or_else(|| "?".to_owned())).collect::<String>())
            }
            Kind::Sign => format!("`{}", &text[t.at.clone()]),
            Kind::Line(indent) => format!("/{indent}"),
        };
        tokens(text).0.iter().map(token).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn forms() {
        for (text, want) in [
            ("\u{feff}a = 'x' # c\n  b", "a `= <x> /2 b"),
            ("f('a\\'b', r'\\d', \"\"\"l\n\"m\"\"\", u'é')", "f `( <a'b> `, <\\d> `, <l\n\"m> `, <é> `)"),
            ("f'{v}.{{x}}' b'y'", "<?.{x}> <y>"),
            ("x = [\n 1,\n 2\n]\ny", "x `= `[ #1 `, #2 `] /0 y"),
            ("a \\\n b == c += 1", "a b `== c `+= #1"),
            ("'open\nx", "<open> /0 x"),
            ("'", "<>"),
            ("'\\", "<\\>"),
            ("f'{", "<?>"),
            ("中 = '\0'", "中 `= <\0>"),
            ("", ""),
        ] {
            assert_eq!(show(text), want, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_cut(text in "[a-f =+'\"\\\\{}\\[\\]()#\n\r中0-9]{0,40}") {
            let (found, comments) = tokens(&text);
            for at in found.iter().map(|t| &t.at).chain(&comments) {
                proptest::prop_assert!(text.get(at.clone()).is_some());
            }
        }
    }
}
