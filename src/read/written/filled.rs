//! A heredoc's text with letters in the places of what is put in, so that the reader of its kind takes them for text.

use crate::outline::{Piece, Scope, Text, Variable};
use crate::read::excerpt::{Excerpt, LETTERS, UNKNOWN};
use crate::read::shell::word::{self, Words};
use crate::source::Span;
use std::collections::HashMap;

/// See the module.
pub(super) struct Filled {
    pub(super) text: Excerpt,
    /// What is put in, by the order of its letters.
    found: Vec<(Span, Vec<Piece>)>,
    /// What sets these variables apart from those of other texts.
    within: Span,
}

impl Filled {
    /// A text into which nothing is put.
    pub(super) fn plain(body: &Excerpt) -> Self {
        Self { text: body.clone(), found: Vec::new(), within: body.span(0..body.text().len()) }
    }

    /// A text into which a shell or a Dockerfile puts its variables; `None` where it is not clear what it makes of it.
    pub(super) fn of(body: &Excerpt, words: Words) -> Option<Self> {
        let text = body.text();
        let mut out = Self { text: Excerpt::new(body.file()), ..Self::plain(body) };
        let (mut letters, mut left): (HashMap<Vec<Piece>, char>, _) = (HashMap::new(), LETTERS);
        let special = |c: char| matches!(c, '$' | '\\') || (c == '`' && words == Words::Shell) || LETTERS.contains(&c);
        let mut done = 0;
        while let Some(at) = text[done..].find(special).map(|n| n + done) {
            out.text.push_part(body, done..at);
            let c = text[at..].chars().next()?;
            let unknown = |out: &mut Self, part| out.text.push_for(UNKNOWN.encode_utf8(&mut [0; 4]), body.span(part).range());
            if LETTERS.contains(&c) {
                done = at + c.len_utf8();
                unknown(&mut out, at..done);
                continue;
            }
            if c == '\\' {
                done = at + 1;
                match (text[done..].chars().next(), words) {
                    (Some('$' | '\\'), _) | (Some('`'), Words::Shell) => {
                        out.text.push_part(body, done..done + 1);
                        done += 1;
                    }
                    (Some('\n'), Words::Shell) => done += 1,
                    (_, Words::Shell) => out.text.push_part(body, at..done),
                    // What a Dockerfile makes of other signs behind one is not what a reader expects.
                    (_, Words::Dockerfile(_)) => return None,
                }
                continue;
            }
            let (length, pieces) = word::expansion(&text[at..], words);
            done = at + length;
            let part = at..done;
            match pieces.as_slice() {
                [Piece::Literal(_)] => out.text.push_part(body, part),
                [Piece::Variable { name, .. }] if !is_of_call(name) => {
                    let letter = letters.get(&pieces).copied().or_else(|| left.next());
                    let Some(letter) = letter else {
                        unknown(&mut out, part);
                        continue;
                    };
                    let at = body.span(part);
                    out.text.push_for(letter.encode_utf8(&mut [0; 4]), at.range());
                    if letters.insert(pieces.clone(), letter).is_none() {
                        out.found.push((at, pieces));
                    }
                }
                _ => unknown(&mut out, part),
            }
        }
        out.text.push_part(body, done..text.len());
        Some(out)
    }

    /// The variables that its texts are given, each with what the shell has in its place when it writes.
    pub(super) fn put_in(&self) -> Vec<Variable> {
        let variable = |(n, (at, pieces)): (usize, &(Span, Vec<Piece>))| {
            let value = Some(Text { pieces: pieces.clone(), at: *at });
            Variable { name: self.name(n), value, scope: Scope::Shell }
        };
        self.found.iter().enumerate().map(variable).collect()
    }

    /// A name that no variable of a shell has.
    fn name(&self, n: usize) -> String {
        format!("({n} of {}:{})", self.within.file.0, self.within.start)
    }

    /// What stands in the text for a letter; `None` for those that mean themselves.
    pub(super) fn stands_for(&self, letter: char) -> Option<Piece> {
        if letter == UNKNOWN {
            return Some(Piece::Opaque);
        }
        let n = u32::from(letter).checked_sub(u32::from(*LETTERS.start()))? as usize;
        (n < self.found.len()).then(|| Piece::Variable { name: self.name(n), fallback: None, instead: None })
    }
}

/// `$1`, `$@`: what a function is given stands there by the call.
fn is_of_call(name: &str) -> bool {
    name == "@" || name.bytes().all(|b| b.is_ascii_digit())
}
