//! HCL, as far as bake files use it: blocks, attributes, and values that need no calculation.
//! Source: <https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md>.

use std::ops::Range;

use crate::outline::{Piece, Text};
use crate::read::shell::word::push_literal;
use crate::source::{FileId, Span};

/// Maps in lists in maps deeper than this are not known.
const DEEPEST: usize = 8;

/// `target "app" { … }`.
pub(in crate::read) struct Block {
    /// `target`.
    pub(in crate::read) kind: String,
    /// `app`; empty where it has none.
    pub(in crate::read) label: String,
    /// The first word of it.
    pub(in crate::read) at: Span,
    /// What it holds, in order; blocks inside it are left out.
    pub(in crate::read) attributes: Vec<(String, Value)>,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::read) enum Value {
    Text(Text),
    Map(Vec<(String, Value)>),
    List(Vec<Value>),
    /// A calculation.
    Unknown,
}

/// The blocks of a file, those that stand in no other.
pub(in crate::read) fn blocks(file: FileId, text: &str) -> Vec<Block> {
    let mut reader = Reader { file, text, at: 0 };
    let mut found = Vec::new();
    while let Some(token) = reader.next() {
        let Token::Word(kind) = token else { continue };
        let at = kind.clone();
        let mut labels = Vec::new();
        loop {
            match reader.next() {
                Some(Token::Word(word)) => labels.push(text[word].to_owned()),
                Some(Token::String(word)) => labels.push(text[word].to_owned()),
                Some(Token::Sign('{')) => {
                    let attributes = reader.body();
                    let (kind, label) = (text[kind].to_owned(), labels.into_iter().next().unwrap_or_default());
                    found.push(Block { kind, label, at: Span::new(file, at.start, at.end), attributes });
                    break;
                }
                Some(Token::Sign('=')) => {
                    reader.value(0);
                    break;
                }
                _ => break,
            }
        }
    }
    found
}

enum Token {
    Word(Range<usize>),
    /// Without its quotes.
    String(Range<usize>),
    /// Without the lines that begin and end it.
    Heredoc(Range<usize>),
    Sign(char),
    LineEnd,
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Option<Token> {
        loop {
            let rest = self.rest();
            let c = rest.chars().next()?;
            let start = self.at;
            let line_end = || rest.find('\n').unwrap_or(rest.len());
            if rest.starts_with("/*") {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            match c {
                '#' => self.at += line_end(),
                '/' if rest.starts_with("//") => self.at += line_end(),
                '\n' => {
                    self.at += 1;
                    return Some(Token::LineEnd);
                }
                c if c.is_whitespace() => self.at += c.len_utf8(),
                '"' => return Some(Token::String(self.string())),
                '<' if rest.starts_with("<<") => {
                    return Some(Token::Heredoc(self.heredoc()));
                }
                c if c.is_alphanumeric() || c == '_' => {
                    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c))).unwrap_or(rest.len());
                    self.at += end;
                    return Some(Token::Word(start..start + end));
                }
                c => {
                    self.at += c.len_utf8();
                    return Some(Token::Sign(c));
                }
            }
        }
    }

    /// The inside of a string; quotes may stand in its `${…}`.
    fn string(&mut self) -> Range<usize> {
        let start = self.at + 1;
        let (mut deep, mut inner, mut escaped) = (0usize, false, false);
        let mut before = '"';
        for (i, c) in self.text[start..].char_indices() {
            match c {
                _ if std::mem::take(&mut escaped) => {}
                '\\' => escaped = true,
                // What goes on over the end of its line is none.
                '\n' if deep == 0 => {
                    self.at = start + i;
                    return start..start + i;
                }
                '"' if deep == 0 => {
                    self.at = start + i + 1;
                    return start..start + i;
                }
                '"' => inner = !inner,
                '{' if !inner && (deep > 0 || matches!(before, '$' | '%')) => deep += 1,
                '}' if !inner && deep > 0 => deep -= 1,
                _ => {}
            }
            before = c;
        }
        self.at = self.text.len();
        start..self.text.len()
    }

    /// Goes behind `<<END … END`; what stands between.
    fn heredoc(&mut self) -> Range<usize> {
        let rest = self.rest();
        let line = rest.lines().next().unwrap_or_default();
        let marker = line.trim_start_matches('<').trim_start_matches('-').trim().to_owned();
        let first = (self.at + line.len() + 1).min(self.text.len());
        let first = self.text.ceil_char_boundary(first);
        let (mut at, mut end) = (first, first);
        for line in self.text[first..].split_inclusive('\n') {
            if line.trim() == marker {
                // The end of its line ends the value, too.
                at += line.trim_end_matches('\n').len();
                break;
            }
            at += line.len();
            end = at;
        }
        self.at = if marker.is_empty() { self.at + 2 } else { at.max(self.at + 2).min(self.text.len()) };
        self.at = self.text.ceil_char_boundary(self.at);
        first..end.max(first)
    }

    /// The attributes up to the `}` of a block.
    fn body(&mut self) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        while let Some(token) = self.next() {
            match token {
                Token::Sign('}') => break,
                Token::Sign('{' | '[' | '(') => self.skip(),
                Token::Word(name) => match self.next() {
                    Some(Token::Sign('=')) => found.push((self.text[name].to_owned(), self.value(0))),
                    Some(Token::Sign('{')) => self.skip(),
                    Some(Token::Sign('}')) | None => break,
                    _ => {}
                },
                _ => {}
            }
        }
        found
    }

    /// Goes behind the bracket that ends what has begun.
    fn skip(&mut self) {
        let mut open = 1usize;
        while open > 0 {
            match self.next() {
                Some(Token::Sign('{' | '[' | '(')) => open += 1,
                Some(Token::Sign('}' | ']' | ')')) => open -= 1,
                Some(_) => {}
                None => return,
            }
        }
    }

    /// A value, up to the end of its line, its comma, or the bracket that ends what it stands in.
    fn value(&mut self, depth: usize) -> Value {
        let mut found: Option<Value> = None;
        loop {
            let before = self.at;
            let part = match self.next() {
                None | Some(Token::LineEnd | Token::Sign(',')) => break,
                Some(Token::Sign('}' | ']' | ')')) => {
                    self.at = before;
                    break;
                }
                Some(Token::Sign('{')) if depth < DEEPEST => self.map(depth),
                Some(Token::Sign('[')) if depth < DEEPEST => self.list(depth),
                Some(Token::Sign('{' | '[' | '(')) => {
                    self.skip();
                    Value::Unknown
                }
                Some(Token::Sign(_)) => Value::Unknown,
                Some(Token::String(part)) => Value::Text(self.template(part, true)),
                Some(Token::Heredoc(part)) => Value::Text(self.template(part, false)),
                Some(Token::Word(part)) => self.word(part),
            };
            // `a + b`, `f(x)`.
            found = Some(if found.is_some() { Value::Unknown } else { part });
        }
        found.unwrap_or(Value::Unknown)
    }

    fn word(&self, part: Range<usize>) -> Value {
        let at = Span::new(self.file, part.start, part.end);
        let word = &self.text[part];
        let constant = word.starts_with(|c: char| c.is_ascii_digit()) || matches!(word, "true" | "false");
        let pieces = match word {
            "null" => return Value::Unknown,
            _ if constant => vec![Piece::Literal(word.to_owned())],
            _ => vec![variable(word)],
        };
        Value::Text(Text { pieces, at })
    }

    fn map(&mut self, depth: usize) -> Value {
        let mut found = Vec::new();
        loop {
            let name = match self.next() {
                None | Some(Token::Sign('}')) => return Value::Map(found),
                Some(Token::LineEnd | Token::Sign(',')) => continue,
                Some(Token::Word(name) | Token::String(name)) => self.text[name].to_owned(),
                Some(_) => {
                    self.skip();
                    return Value::Unknown;
                }
            };
            match self.next() {
                Some(Token::Sign('=' | ':')) => found.push((name, self.value(depth + 1))),
                // `{for x in y : …}`
                _ => {
                    self.skip();
                    return Value::Unknown;
                }
            }
        }
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut found = Vec::new();
        loop {
            let before = self.at;
            match self.next() {
                None | Some(Token::Sign(']')) => return Value::List(found),
                Some(Token::LineEnd | Token::Sign(',')) => {}
                // Brackets that do not fit each other.
                Some(Token::Sign('}' | ')')) => {
                    self.at = before;
                    return Value::Unknown;
                }
                Some(_) => {
                    self.at = before;
                    found.push(self.value(depth + 1));
                }
            }
        }
    }

    fn template(&self, part: Range<usize>, escapes: bool) -> Text {
        let at = Span::new(self.file, part.start, part.end);
        Text { pieces: template(&self.text[part], escapes), at }
    }
}

/// The text between the quotes of a string, in which a backslash `escapes`, or in a heredoc, in which it does not.
pub(in crate::read) fn template(text: &str, escapes: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(sign) = rest.find(['$', '%', '\\']) {
        push_literal(&mut pieces, &rest[..sign]);
        rest = &rest[sign..];
        if rest.starts_with("$${") || rest.starts_with("%%{") {
            push_literal(&mut pieces, &rest[1..3]);
            rest = &rest[3..];
        } else if let Some(inner) = rest.strip_prefix("${") {
            let end = inner.find('}').unwrap_or(inner.len());
            let name = inner[..end].trim();
            let plain = !name.is_empty() && name.bytes().all(|b| b == b'_' || b == b'.' || b.is_ascii_alphanumeric());
            if !plain {
                // What it comes to, and where it ends, is not looked at.
                pieces.push(Piece::Opaque);
                return pieces;
            }
            pieces.push(variable(name));
            rest = inner.get(end + 1..).unwrap_or_default();
        } else if let Some(escaped) = rest.strip_prefix('\\').filter(|_| escapes) {
            let stands = match escaped.chars().next() {
                Some('n') => "\n",
                Some('r') => "\r",
                Some('t') => "\t",
                Some('"') => "\"",
                Some('\\') => "\\",
                _ => {
                    pieces.push(Piece::Opaque);
                    return pieces;
                }
            };
            push_literal(&mut pieces, stands);
            rest = &rest[2..];
        } else if rest.starts_with("%{") {
            pieces.push(Piece::Opaque);
            return pieces;
        } else {
            push_literal(&mut pieces, &rest[..1]);
            rest = &rest[1..];
        }
    }
    push_literal(&mut pieces, rest);
    pieces
}

fn variable(name: &str) -> Piece {
    if name.contains('-') {
        return Piece::Opaque;
    }
    Piece::Variable { name: name.to_owned(), fallback: None, instead: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(value: &Value) -> String {
        let piece = |p: &Piece| match p {
            Piece::Literal(text) => text.clone(),
            Piece::Variable { name, .. } => format!("${name}"),
            Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => "?".to_owned(),
        };
        match value {
            Value::Text(text) => text.pieces.iter().map(piece).collect(),
            Value::Map(all) => {
                format!("{{{}}}", all.iter().map(|(k, v)| format!("{k}={}", show(v))).collect::<Vec<_>>().join(" "))
            }
            Value::List(all) => format!("[{}]", all.iter().map(show).collect::<Vec<_>>().join(" ")),
            Value::Unknown => "??".to_owned(),
        }
    }

    fn shown(text: &str) -> Vec<String> {
        let all = blocks(FileId(0), text).into_iter();
        let attributes = |all: &[(String, Value)]| {
            all.iter().map(|(name, value)| format!(" {name}={}", show(value))).collect::<Vec<_>>().concat()
        };
        all.map(|b| format!("{} {}:{}", b.kind, b.label, attributes(&b.attributes))).collect()
    }

    #[test]
    fn values() {
        for (text, want) in [
            ("target \"a\" { context = \".\" }", "target a: context=."),
            ("target \"a\" {\n  # c\n  x = A // c\n  y = \"p-${A}-$${B}-q\" /* c */\n}", "target a: x=$A y=p-$A-${B}-q"),
            (
                "t \"a\" {\n args = {\n  A = \"1\"\n  \"B\" : B, C = f(\"x\", [1])\n D = 2.1 }\n l = [\"a\",\n B]\n}",
                "t a: args={A=1 B=$B C=?? D=2.1} l=[a $B]",
            ),
            (
                "t \"a\" { x = cond ? \"1\" : \"2\"\n y = merge({A = \"1\"}, B)\n z = \"${x == \"}\" ? 1 : 2}\" }",
                "t a: x=?? y=?? z=?",
            ),
            (
                "t \"a\" {\n x = {for k, v in m : k => v}\n y = null\n attest { type = \"sbom\" }\n z = \"1\"\n}",
                "t a: x=?? y=?? z=1",
            ),
            ("t \"a\" {\n x = <<EOT\nRUN { [ \"\\n$A${B}\nEOT\n y = \"1\"\n}", "t a: x=RUN { [ \"\\n$A$B\n y=1"),
            ("t \"a\" {\n x = \"a\\nb\\\"\"\n y = item.v\n z = \"${item.v}\" }", "t a: x=a\nb\" y=$item.v z=$item.v"),
            ("t \"a\" { x = \"open\n y = \"é\" }", "t a: x=open y=é"),
            ("t {", "t :"),
        ] {
            assert_eq!(shown(text), [want], "{text}");
        }
        assert_eq!(shown("X = \"1\"\nt \"a\" {}\nt \"b\" {}"), ["t a:", "t b:"]);
    }

    #[test]
    fn any_text_ends() {
        let deep = "[".repeat(50_000);
        for text in ["t \"a\" { x = ", "<<", "<<é", "\"", "t \"a\" { x = [}", "t \"a\" { x = {= }", "}}}", "${", "t \"a\" { \"\\"]
        {
            blocks(FileId(0), text);
            blocks(FileId(0), &format!("t \"a\" {{ x = {deep}{text}"));
        }
        blocks(FileId(0), &"{".repeat(200_000));
        blocks(FileId(0), &"<<A\n".repeat(20_000));
    }
}
