//! One word with its quotes, escapes and variables → [`Text`]; the shell's, and the Dockerfile's, which is like it.

use std::ops::Range;

use super::built_to_run::gives_out_an_image;
use super::{edited, leading};
use crate::outline::{Lead, Piece, Text};
use crate::read::excerpt::{Excerpt, LETTERS, UNKNOWN};

/// `${A:-${B:-…` deeper than this is not followed.
const DEPTH: usize = 16;

/// Commands whose answer is the machine's, which the one who follows the commands knows; they have it as variables.
const MACHINE: &[&str] = &["(uname)", "(uname -s)", "(uname -m)", "(arch)", "(dpkg --print-architecture)"];

/// What takes the last part away from a path, bash's way and zsh's.
const FOLDER: &[&str] = &["%/*}", ":h}", ":a:h}", ":A:h}"];

/// Whose words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// A shell's: command substitutions, globs, braces.
    Shell,
    /// A Dockerfile instruction's, with its escape character.
    Dockerfile(char),
}

impl Words {
    fn escape(self) -> u8 {
        match self {
            Words::Shell | Words::Dockerfile('\\') => b'\\',
            Words::Dockerfile(_) => b'`',
        }
    }
}

/// Reads a part of an excerpt as one word.
pub(crate) fn text(excerpt: &Excerpt, part: Range<usize>, words: Words) -> Text {
    let at = excerpt.span(part.clone());
    let Some(source) = excerpt.text().get(part) else { return Text { pieces: vec![Piece::Opaque], at } };
    let mut reader = Reader { source, at: 0, words };
    let mut pieces = Vec::new();
    reader.pieces(&mut pieces, End::Source, 0);
    Text { pieces, at }
}

/// Cuts a part of an excerpt at blanks outside quotes.
pub(crate) fn split(excerpt: &Excerpt, part: Range<usize>, words: Words) -> Vec<Range<usize>> {
    let bytes = &excerpt.text().as_bytes()[part.clone()];
    let (mut found, mut start, mut quote) = (Vec::new(), None, None);
    let mut i = 0;
    while i < bytes.len() {
        let byte = bytes[i];
        if byte.is_ascii_whitespace() && quote.is_none() {
            found.extend(start.take().map(|s: usize| part.start + s..part.start + i));
        } else {
            start.get_or_insert(i);
            match quote {
                None if byte == b'"' || byte == b'\'' => quote = Some(byte),
                Some(q) if q == byte => quote = None,
                Some(b'\'') => {}
                _ if byte == words.escape() => i += 1,
                _ => {}
            }
        }
        i += 1;
    }
    found.extend(start.map(|s| part.start + s..part.end));
    found
}

/// What a `$` or a backquote begins in a text where quotes mean themselves: how long it is, and what it comes to.
pub(crate) fn expansion(source: &str, words: Words) -> (usize, Vec<Piece>) {
    let mut reader = Reader { source, at: 1, words };
    let mut pieces = Vec::new();
    if source.starts_with('$') {
        reader.dollar(&mut pieces, End::DoubleQuote, 0);
    } else {
        reader.skip_backquoted();
        Reader::opaque(&mut pieces);
    }
    (reader.at, pieces)
}

/// Whether a shell cuts what a word comes to into words: something in it is put in outside quotes, or stands for several.
pub(super) fn is_cut(word: &str) -> bool {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in word.char_indices() {
        match (quote, c) {
            _ if std::mem::take(&mut escaped) => {}
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (None, '$' | '`' | UNKNOWN) => return true,
            (Some(_), '$') => {
                let rest = &word[at + 1..];
                let name = rest.strip_prefix('{').map(|rest| rest.split(['}', '"']).next().unwrap_or_default());
                if rest.starts_with('@') || name.is_some_and(|name| name == "@" || name.ends_with("[@]")) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Appends literal text, joined with literal text before it.
pub(crate) fn push_literal(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Literal(before)) => before.push_str(text),
        _ => pieces.push(Piece::Literal(text.to_owned())),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Source,
    DoubleQuote,
    Brace,
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    words: Words,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    fn opaque(pieces: &mut Vec<Piece>) {
        if pieces.last() != Some(&Piece::Opaque) {
            pieces.push(Piece::Opaque);
        }
    }

    /// Up to the end asked for, which is eaten.
    fn pieces(&mut self, pieces: &mut Vec<Piece>, end: End, depth: usize) {
        let shell = self.words == Words::Shell;
        let escape = char::from(self.words.escape());
        while let Some(c) = self.peek() {
            let start = self.at;
            self.at += c.len_utf8();
            match c {
                '"' if end == End::DoubleQuote => return,
                '}' if end == End::Brace => return,
                UNKNOWN => Self::opaque(pieces),
                letter if LETTERS.contains(&letter) => {
                    pieces.push(Piece::Variable { name: letter.to_string(), fallback: None, instead: None });
                }
                _ if c == escape => match self.peek() {
                    Some(next) if end != End::DoubleQuote || "$`\"\\\n".contains(next) => {
                        self.at += next.len_utf8();
                        push_literal(pieces, next.encode_utf8(&mut [0; 4]));
                    }
                    _ => push_literal(pieces, c.encode_utf8(&mut [0; 4])),
                },
                '\'' if end != End::DoubleQuote => {
                    let close = self.source[self.at..].find('\'').map_or(self.source.len(), |n| self.at + n);
                    self.literal_with_unknowns(pieces, self.at..close);
                    self.at = (close + 1).min(self.source.len());
                }
                '"' if depth < DEPTH => self.pieces(pieces, End::DoubleQuote, depth + 1),
                '$' => self.dollar(pieces, end, depth),
                '`' if shell => {
                    self.skip_backquoted();
                    Self::lead(self.source.get(start + 1..self.at).and_then(|c| c.strip_suffix('`')), pieces, depth);
                }
                // `<(…)` is a file whose text and name are known only when run.
                '<' | '>' if shell && end == End::Source && self.peek() == Some('(') => {
                    self.at += 1;
                    self.skip_to('(', ')');
                    Self::opaque(pieces);
                }
                '*' if shell && end == End::Source && !compares(&self.source[..start]) => Self::opaque(pieces),
                '{' if shell && end == End::Source && self.is_brace_list() => {
                    self.skip_to('{', '}');
                    Self::opaque(pieces);
                }
                _ => push_literal(pieces, c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    fn literal_with_unknowns(&self, pieces: &mut Vec<Piece>, part: Range<usize>) {
        for (i, text) in self.source[part].split(UNKNOWN).enumerate() {
            if i > 0 {
                Self::opaque(pieces);
            }
            push_literal(pieces, text);
        }
    }

    /// What a command in the place of a word gives out.
    fn lead(command: Option<&str>, pieces: &mut Vec<Piece>, depth: usize) {
        let read = |word: &str| {
            let mut found = Vec::new();
            Reader { source: word, at: 0, words: Words::Shell }.pieces(&mut found, End::Source, depth + 1);
            found
        };
        let edited = command.filter(|_| depth < DEPTH).and_then(|command| edited::by_commands(command, read));
        if let Some(edited) = edited {
            pieces.push(edited);
            return;
        }
        let lead = command.filter(|_| depth < DEPTH).and_then(|command| leading::lead(command, read));
        match lead.filter(|lead| !lead.words().contains(&Piece::Opaque)) {
            Some(lead) => pieces.push(Piece::Path(lead)),
            None => Self::opaque(pieces),
        }
    }

    /// After a `$`.
    fn dollar(&mut self, pieces: &mut Vec<Piece>, end: End, depth: usize) {
        let shell = self.words == Words::Shell;
        match self.peek() {
            Some('{') => {
                self.at += 1;
                self.braced(pieces, depth);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.name().to_owned();
                pieces.push(Piece::Variable { name, fallback: None, instead: None });
            }
            Some('(') if shell => {
                let start = self.at;
                self.at += 1;
                self.skip_to('(', ')');
                let command = self.source.get(start..self.at).unwrap_or_default();
                if MACHINE.contains(&command) || gives_out_an_image(command) {
                    pieces.push(Piece::Variable { name: command.to_owned(), fallback: None, instead: None });
                } else {
                    Self::lead(command.strip_prefix('(').and_then(|c| c.strip_suffix(')')), pieces, depth);
                }
            }
            Some('\'') if shell && end == End::Source => {
                let close = self.source[self.at + 1..].find('\'').map_or(self.source.len(), |n| self.at + 1 + n);
                match &self.source[self.at + 1..close] {
                    text if text.contains(['\\', UNKNOWN]) => Self::opaque(pieces),
                    text => push_literal(pieces, text),
                }
                self.at = (close + 1).min(self.source.len());
            }
            Some('"') if shell && end == End::Source => {}
            Some(c) if shell && (c.is_ascii_digit() || "@*".contains(c)) => {
                self.at += 1;
                let name = if c == '*' { '@' } else { c };
                pieces.push(Piece::Variable { name: name.to_string(), fallback: None, instead: None });
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.at += 1;
                Self::opaque(pieces);
            }
            _ => push_literal(pieces, "$"),
        }
    }

    /// After a `${`.
    fn braced(&mut self, pieces: &mut Vec<Piece>, depth: usize) {
        let name = self.name().to_owned();
        // The first of these is the file itself.
        if name == "BASH_SOURCE" && self.source[self.at..].starts_with("[0]") {
            self.at += "[0]".len();
        }
        let rest = &self.source[self.at..];
        let (operator, colon) = match rest.strip_prefix(':') {
            Some(after) => (after.chars().next(), 1),
            None => (rest.chars().next(), 0),
        };
        let plain = Piece::Variable { name: name.clone(), fallback: None, instead: None };
        match operator {
            Some('}') if colon == 0 && !name.is_empty() => {
                self.at += 1;
                pieces.push(plain);
            }
            Some(sign @ ('-' | '=' | '+')) if !name.is_empty() && depth < DEPTH => {
                self.at += colon + 1;
                let mut word = Vec::new();
                self.pieces(&mut word, End::Brace, depth + 1);
                pieces.push(if sign == '+' {
                    Piece::Variable { name, fallback: None, instead: Some(word) }
                } else {
                    Piece::Variable { name, fallback: Some(word), instead: None }
                });
            }
            Some('?') if !name.is_empty() => {
                self.skip_to('{', '}');
                pieces.push(plain);
            }
            Some(_) if !name.is_empty() && FOLDER.iter().any(|end| rest.starts_with(end)) => {
                self.skip_to('{', '}');
                pieces.push(Piece::Path(Lead::Above(vec![plain])));
            }
            _ => {
                let start = self.at;
                self.skip_to('{', '}');
                let operator = self.source.get(start..self.at).and_then(|rest| rest.strip_suffix('}'));
                match operator.filter(|_| !name.is_empty()).and_then(edited::by_operator) {
                    Some(edit) => pieces.push(Piece::Edited { of: vec![plain], edits: vec![edit] }),
                    None => Self::opaque(pieces),
                }
            }
        }
    }

    fn name(&mut self) -> &str {
        let rest = &self.source[self.at..];
        let digit_first = rest.starts_with(|c: char| c.is_ascii_digit());
        let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        // An argument's number is a name like others.
        let len = if digit_first && !rest[..len].bytes().all(|b| b.is_ascii_digit()) { 0 } else { len };
        self.at += len;
        &rest[..len]
    }

    /// Behind the sign that closes one opened already.
    fn skip_to(&mut self, open: char, close: char) {
        let (mut depth, mut quote) = (1usize, None);
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match quote {
                Some(q) if q == c => quote = None,
                Some('\'') => {}
                _ if c == '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                Some(_) => {}
                None if c == '\'' || c == '"' => quote = Some(c),
                None if c == open => depth += 1,
                None if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                None => {}
            }
        }
    }

    fn skip_backquoted(&mut self) {
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '`' => return,
                '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                _ => {}
            }
        }
    }

    /// After a `{`: `{a,b}` and `{1..3}` become several words.
    fn is_brace_list(&self) -> bool {
        let rest = &self.source[self.at..];
        let close = rest.as_bytes().iter().take(256).position(|b| *b == b'}');
        close.is_some_and(|n| rest.as_bytes()[..n].contains(&b',') || rest[..n].contains(".."))
    }
}

/// `torch==2.*`, `cudatoolkit=11.*`: a star behind a comparison is the version's, no file has such a name.
fn compares(before: &str) -> bool {
    let tail = before.as_bytes();
    tail[tail.len().saturating_sub(64)..].iter().any(|b| b"=<>".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::shell::rendering;
    use crate::source::FileId;

    fn excerpt(source: &str) -> Excerpt {
        let mut excerpt = Excerpt::new(FileId(0));
        excerpt.push(source, 0);
        excerpt
    }

    fn show(pieces: &[Piece]) -> String {
        rendering::text(&Text { pieces: pieces.to_vec(), at: crate::source::Span::new(FileId(0), 0, 0) })
    }

    #[test]
    fn pieces_of_words() {
        let cases = [
            (r#"torch"[x]"'=='2"#, "torch[x]==2"),
            (r#""a \"b\" \n $X""#, r#"a "b" \n <X>"#),
            (r"a\ b\$c", "a b$c"),
            ("cu${CUDA:-121}x", "cu<CUDA-121>x"),
            ("${A-b}${C:+d$E}${F:?no}${G:=h}", "<A-b><C+d<E>><F><G-h>"),
            ("${A//x/y}${#A}${A[@]}${!A}$1$@$#", "<edited <A>>?<1><@>?"),
            ("${A##*/}b", "<edited <A>>b"),
            ("$(nvcc -V | x \")\")z`a b`", "?z?"),
            ("x-$(uname -m).sh", "x-<(uname -m)>.sh"),
            ("<(curl -s https://x.example/r.txt)", "?"),
            ("dist/*.whl", "dist/?.whl"),
            ("torch==2.*", "torch==2.*"),
            ("~/*", "~/?"),
            ("'*'", "*"),
            ("torch{vision,audio}", "torch?"),
            ("{}", "{}"),
            ("$'a b'$'a\\n'", "a b?"),
            ("\"unterminated $X", "unterminated <X>"),
            ("${A:-'}'}", "<A-}>"),
            ("$", "$"),
            ("a$", "a$"),
            ("${", "?"),
            ("${A", "?"),
        ];
        for (source, want) in cases {
            let e = excerpt(source);
            assert_eq!(show(&text(&e, 0..source.len(), Words::Shell).pieces), want, "{source}");
        }
        let docker = [("$(x)`y`*{a,b}", "$(x)`y`*{a,b}"), ("a\\ b", "a b"), ("\"a$X\"", "a<X>")];
        for (source, want) in docker {
            let e = excerpt(source);
            assert_eq!(show(&text(&e, 0..source.len(), Words::Dockerfile('\\')).pieces), want, "{source}");
        }
    }

    #[test]
    fn cuts_at_blanks() {
        let source = "a 'b c' \"d e\"f g\\ h  ";
        let e = excerpt(source);
        let words: Vec<_> = split(&e, 0..source.len(), Words::Shell).into_iter().map(|r| &source[r]).collect();
        assert_eq!(words, ["a", "'b c'", "\"d e\"f", "g\\ h"]);
    }

    #[test]
    fn words_that_are_cut() {
        for word in ["$X", "a${X}b", "`x`", "$(x)", "\"a\"$X", "\"$@\"", "\"${A[@]}\"", "\"${@}\"", "\\\"$X"] {
            assert!(is_cut(word), "{word}");
        }
        for word in ["\"$X\"", "'$X'", "\\$X", "\"${A[*]}\"", "\"${A[0]}\"", "\"$(x)\"", "'\"'\"$X\""] {
            assert!(!is_cut(word), "{word}");
        }
    }

    #[test]
    fn deep_nesting_is_opaque() {
        for open in ["${A:-", "\"${A:-", "$(", "${A:-\"", "{", "`", "'"] {
            let source = open.repeat(20_000);
            text(&excerpt(&source), 0..source.len(), Words::Shell);
        }
    }
}
