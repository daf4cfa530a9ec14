//! What variables hold and functions answer that comes from asking the machine, or which packages are there.

use std::collections::HashMap;

use tree_sitter::Node;

use super::walk::{Walk, Word};
use crate::notation::asking::{self, Says};
use crate::outline::{Answer, Piece, Variable};

/// Of a longer text only the beginning is looked at.
const LONGEST: usize = 4_096;
/// Of the line around a `read`, so much before and behind it.
const AROUND: usize = 256;
/// Variables of one `read`.
const READ: usize = 8;
/// Variables and functions that an answer comes from.
const FROM: usize = 32;
/// Functions that call others that ask.
const ROUNDS: usize = 4;

/// The functions of a script whose output or status rests on something, by name.
#[derive(Default)]
pub(super) struct Answers(HashMap<String, Answer>);

impl Answers {
    /// Of a script that asks for nothing, none.
    pub(super) fn of(functions: &[Node<'_>], text: &str) -> Self {
        if asking::asks(text) == Says::default() {
            return Self::default();
        }
        let bodies: Vec<(&str, &str)> = functions
            .iter()
            .filter_map(|node| {
                let part = |field| text.get(node.child_by_field_name(field)?.byte_range());
                Some((part("name")?, cut(part("body")?)))
            })
            .collect();
        let mut found: HashMap<String, Answer> =
            bodies.iter().map(|(name, body)| ((*name).to_owned(), answer(format!("({name})"), body))).collect();
        for _ in 0..ROUNDS {
            let mut changed = false;
            for (name, body) in &bodies {
                for called in asking::words(body).filter(|called| called != name) {
                    let Some(called) = found.get(called).cloned() else { continue };
                    changed |= found.get_mut(*name).is_some_and(|own| take_in(own, called));
                }
            }
            if !changed {
                break;
            }
        }
        found.retain(|_, answer| rests(answer));
        Self(found)
    }

    pub(super) fn of_function(&self, name: &str) -> Option<&Answer> {
        self.0.get(name)
    }
}

impl Walk<'_, '_> {
    /// Where the value of a variable comes from, as far as its text does not say; `node` is the assignment.
    pub(super) fn answer_in(&self, variable: &Variable, node: Node<'_>) -> Option<Answer> {
        let opaque = variable.value.as_ref().is_some_and(|value| value.pieces.contains(&Piece::Opaque));
        let value = node.child_by_field_name("value").map_or("", |value| self.source(value));
        opaque.then(|| answer(variable.name.clone(), cut(value))).filter(rests)
    }

    /// Where the variables come from that `read` and `mapfile` fill: the line around the command.
    pub(super) fn answers_read(&self, command: Node<'_>, words: &[Word]) -> Vec<Answer> {
        let mut names = words.iter().filter_map(|word| word.text.known());
        if !names.next().is_some_and(|program| matches!(program, "read" | "mapfile" | "readarray")) {
            return Vec::new();
        }
        let (text, at) = (self.excerpt.text(), command.byte_range());
        let before = &text[text.ceil_char_boundary(at.start.saturating_sub(AROUND))..at.start];
        let behind = &text[at.end..text.floor_char_boundary(at.end + AROUND)];
        let begin = at.start - before.rsplit('\n').next().map_or(0, str::len);
        let line = &text[begin..at.end + behind.find('\n').unwrap_or(behind.len())];
        names
            .filter(|name| !name.starts_with('-'))
            .take(READ)
            .map(|name| answer(name.to_owned(), cut(line)))
            .filter(rests)
            .collect()
    }
}

fn answer(name: String, text: &str) -> Answer {
    let says = asking::asks(text);
    let from = asking::names(text).into_iter().filter(|from| *from != name).collect();
    Answer { name, machine: says.machine, packages: says.packages, from }
}

fn rests(answer: &Answer) -> bool {
    answer.machine || answer.packages || !answer.from.is_empty()
}

/// Adds what a called function rests on; whether there was anything new.
fn take_in(own: &mut Answer, called: Answer) -> bool {
    let mut changed = called.machine && !own.machine || called.packages && !own.packages;
    own.machine |= called.machine;
    own.packages |= called.packages;
    for name in called.from {
        if own.from.len() < FROM && !own.from.contains(&name) {
            own.from.push(name);
            changed = true;
        }
    }
    changed
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
