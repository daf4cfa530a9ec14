//! What makes a broken file readable: template markers are masked, lines that stop the parser are blanked, byte for byte.

use std::cell::Cell;
use std::ops::Range;

use super::build::{self, Error, Pass};
use super::{ALIAS_BUDGET, Tree};
use crate::outline::Torn;
use crate::source::{FileId, Span};

/// After so many blanked lines the rest is given up.
const REPAIRS: usize = 20;
/// Up to this size several lines are tried for each error.
const SMALL: usize = 1 << 18;

/// Reads a file, repaired where it must be.
pub(super) fn read<'t>(file: FileId, text: &'t str, masked: &str) -> Tree<'t> {
    let mut torn = Vec::new();
    let mut masked = masked.replace('\0', " ");
    let mut pass = build::pass(text, &masked);
    if pass.error.is_some() {
        let marks = markers(text);
        if !marks.is_empty() {
            for mark in &marks {
                mask(&mut masked, mark);
                if !mark.expression {
                    torn.push(tear(file, text, mark.at.clone(), "a template writes this"));
                }
            }
            pass = build::pass(text, &masked);
        }
    }
    for _ in 0..REPAIRS {
        let Some(error) = pass.error.take_if(|e| !e.fatal) else { break };
        let Some((line, better_masked, better)) = best(text, &masked, &error) else {
            pass.error = Some(error);
            break;
        };
        torn.push(tear(file, text, line, &error.why));
        (masked, pass) = (better_masked, better);
    }
    if let Some(error) = &pass.error {
        torn.push(tear(file, text, line_at(text, error.at.min(text.len())), &error.why));
    }
    torn.extend(pass.unresolved.iter().map(|at| tear(file, text, at.clone(), "no anchor of that name stands before it")));
    torn.sort_by_key(|t| t.at);
    let Pass { nodes, documents, comments, .. } = pass;
    Tree { file, text, nodes, documents, comments, torn, budget: Cell::new(ALIAS_BUDGET) }
}

/// Blanks the line whose absence lets the parser come furthest.
fn best(text: &str, masked: &str, error: &Error) -> Option<(Range<usize>, String, Pass)> {
    let here = filled_line(masked, error.at)?;
    let mut candidates = vec![here.clone()];
    if masked.len() <= SMALL {
        candidates.extend(error.openers.iter().filter_map(|at| filled_line(masked, *at)));
        candidates.extend(here.start.checked_sub(1).and_then(|at| filled_line(masked, at)));
    }
    candidates.dedup();
    let tried = candidates.into_iter().map(|line| {
        let mut blanked = masked.to_owned();
        blank(&mut blanked, line.clone());
        let pass = build::pass(text, &blanked);
        (line, blanked, pass)
    });
    let reach = |pass: &Pass| (pass.error.as_ref().map_or(usize::MAX, |e| e.at), pass.nodes.len());
    tried.reduce(|best, next| if reach(&next.2) > reach(&best.2) { next } else { best })
}

/// The line of a place or, if that is blank, the nearest before it that is not.
fn filled_line(text: &str, at: usize) -> Option<Range<usize>> {
    let mut line = line_at(text, at.min(text.len()));
    while text[line.clone()].trim().is_empty() {
        line = line_at(text, line.start.checked_sub(1)?);
    }
    Some(line)
}

/// Without its line end.
fn line_at(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let is_end = |b: &u8| matches!(b, b'\n' | b'\r');
    let start = bytes[..at].iter().rposition(is_end).map_or(0, |n| n + 1);
    let end = bytes[at..].iter().position(is_end).map_or(text.len(), |n| at + n);
    start..end
}

fn blank(text: &mut String, range: Range<usize>) {
    let spaces = " ".repeat(range.len());
    text.replace_range(range, &spaces);
}

fn tear(file: FileId, text: &str, at: Range<usize>, why: &str) -> Torn {
    let line = text.get(at.clone()).unwrap_or_default();
    let lead = line.len() - line.trim_start().len();
    let end = at.start + line.trim_end().len().max(lead);
    let template = ["{{", "{%", "<%"].iter().any(|mark| line.contains(mark));
    Torn { at: Span::new(file, at.start + lead, end.max(at.start + lead)), why: why.to_owned(), template }
}

/// A template marker.
struct Mark {
    at: Range<usize>,
    /// It fills its line: a statement, not a value.
    alone: bool,
    /// `${{ … }}` of a workflow: part of a value, nothing is lost.
    expression: bool,
}

/// All `{{ … }}`, `{% … %}`, `<% … %>` that end on their line.
fn markers(text: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let before = found.len();
        let mut at = 0;
        while let Some((open, close)) = next_marker(&line[at..]) {
            let expression = line[..at + open].ends_with('$');
            found.push(Mark { at: start + at + open..start + at + close, alone: false, expression });
            at += close;
        }
        let marks = &mut found[before..];
        let covered: usize = marks.iter().map(|m| m.at.len()).sum();
        let rest = line.chars().filter(|c| !c.is_whitespace()).count();
        let inner: usize = marks.iter().map(|m| text[m.at.clone()].chars().filter(|c| !c.is_whitespace()).count()).sum();
        if covered > 0 && rest == inner {
            marks.iter_mut().for_each(|m| m.alone = true);
        }
        start += line.len();
    }
    found
}

/// The first marker of a line.
fn next_marker(line: &str) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let open = bytes.windows(2).position(|w| matches!(w, b"{{" | b"{%" | b"<%"))?;
    let close: &str = match &bytes[open..open + 2] {
        b"{{" => "}}",
        b"{%" => "%}",
        _ => "%>",
    };
    let end = line[open + 2..].find(close)?;
    Some((open, open + 2 + end + 2))
}

/// A statement goes; a value becomes one word of the same length.
fn mask(text: &mut String, mark: &Mark) {
    let filler = if mark.alone { " " } else { "_" };
    text.replace_range(mark.at.clone(), &filler.repeat(mark.at.len()));
}
