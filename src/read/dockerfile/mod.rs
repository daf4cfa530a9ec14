//! Dockerfile, Containerfile.
//!
//! No grammar of tree-sitter takes part: BuildKit cuts lines and words by rules of its own (heredocs by word, comments
//! inside continued lines), which [`split`] follows to the letter; what is left of an instruction is flags and words.

mod at_once;
mod instruction;
mod json;
mod mount;
mod split;

use std::ops::Range;

use crate::outline::{Outline, Torn};
use crate::read::syntax::{comments, template};
use crate::source::{FileId, Span};

/// Reported lines that are no instruction.
const TORN: usize = 32;

/// Reads a Dockerfile.
pub(crate) fn read(file: FileId, text: &str) -> Outline {
    let parts = split::split(file, text);
    let mut reader = instruction::Reader::new(file, text, parts.words);
    for instruction in &parts.instructions {
        reader.instruction(instruction);
    }
    let whole = |line: Range<usize>| {
        let after = parts.instructions.partition_point(|i| i.at.start < line.end);
        let spoken_of = after.checked_sub(1).map(|n| &parts.instructions[n].at).filter(|at| at.start >= line.start);
        spoken_of.map_or(line.clone(), |at| line.start..at.end.max(line.end))
    };
    let instruction::Reader { mut acts, mut torn, comments: mut found, .. } = reader;
    found.extend(parts.comments);
    found.sort_by_key(|c| c.start);
    let ignores = comments::ignores(file, text, found.into_iter(), whole);
    torn.truncate(TORN);
    template::choose(text, &mut acts);
    Outline { acts, ignores, torn, ..Outline::default() }
}

fn torn(file: FileId, text: &str, at: Range<usize>, why: &str) -> Torn {
    let source = text.get(at.clone()).unwrap_or_default();
    let template = ["{{", "{%", "<%", "%}", "}}"].iter().any(|mark| source.contains(mark));
    Torn { at: Span::new(file, at.start, at.end), why: why.to_owned(), template }
}

#[cfg(test)]
mod tests;
