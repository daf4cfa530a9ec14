//! The lines of one file that labels point at, in the form that `miette` asks for.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::clean::{clean, one_line};
use crate::source::{LineIndex, Position, Span};

/// Of a longer line only the part around the label is shown.
const LONGEST_LINE: usize = 400;
/// What is shown of it before the label and after its start.
const BEFORE: usize = 80;
const AFTER: usize = 160;

/// One file; its text is clean, with every byte at its place.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    name: String,
    text: Cow<'a, str>,
    index: &'a LineIndex,
}

impl<'a> Excerpt<'a> {
    pub(super) fn new(path: &str, text: &'a str, index: &'a LineIndex) -> Self {
        Self { name: one_line(path), text: clean(text), index }
    }
    /// What is underlined of a label: on its first line, at least one character long where the line has one.
    fn underlined(&self, at: Span) -> Range<usize> {
        let start = self.text.floor_char_boundary(at.start as usize);
        // Behind the last line end there is no line to show: the one before it stands in.
        let behind = start == self.text.len() && self.text.ends_with('\n');
        let line = self.line(self.index.position(&self.text, if behind { start - 1 } else { start }).line);
        // A label at the end of a line points at its last character.
        let start =
            if start >= line.end { self.text.floor_char_boundary(line.end.saturating_sub(1)).max(line.start) } else { start };
        let end = self.text.floor_char_boundary((at.end as usize).min(line.end).min(start + AFTER));
        let next = start + self.text[start..].chars().next().map_or(0, char::len_utf8);
        start..end.max(next.min(line.end))
    }
    /// The bytes of a line without its end.
    fn line(&self, number: usize) -> Range<usize> {
        let line = self.index.line(&self.text, number);
        line.start..line.start + self.text[line].trim_end_matches('\r').len()
    }
}

/// A label before it is drawn.
#[derive(Debug)]
pub(super) struct Pointed {
    pub(super) at: Span,
    /// Where it begins, as every other output says it.
    pub(super) place: Position,
    pub(super) text: String,
}

/// The labels of one finding in one file.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    excerpt: &'a Excerpt<'a>,
    /// The first of them is the finding's own place.
    primary: bool,
    /// In the order of the text, no two of them on one character.
    marks: Vec<Mark>,
}

/// What is underlined, and what stands beside it.
#[derive(Debug)]
struct Mark {
    bytes: Range<usize>,
    place: Position,
    text: String,
    /// The first label's.
    first: bool,
}

impl<'a> Shown<'a> {
    pub(super) fn new(excerpt: &'a Excerpt<'a>, labels: impl Iterator<Item = Pointed>, primary: bool) -> Self {
        let mark = |(i, label): (usize, Pointed)| Mark {
            bytes: excerpt.underlined(label.at),
            place: label.place,
            text: label.text,
            first: i == 0,
        };
        Self { excerpt, primary, marks: apart(&excerpt.text, labels.enumerate().map(mark).collect()) }
    }
}

/// Marks side by side: underlines that share a character cannot be drawn. Of two that overlap the wider one keeps what
/// stands before the other or, where both begin together, what stands behind it; two on the same bytes are one.
fn apart(text: &str, mut marks: Vec<Mark>) -> Vec<Mark> {
    // From the end, so that what is next is popped.
    let order = |mark: &Mark| (std::cmp::Reverse(mark.bytes.start), std::cmp::Reverse(mark.bytes.end));
    marks.sort_by_key(order);
    let mut done: Vec<Mark> = Vec::with_capacity(marks.len());
    while let Some(mut mark) = marks.pop() {
        let Some(next) = marks.last().filter(|next| next.bytes.start < mark.bytes.end) else {
            done.push(mark);
            continue;
        };
        if next.bytes.start > mark.bytes.start {
            let before = &text[mark.bytes.start..next.bytes.start];
            let kept = before.trim_end().len();
            mark.bytes.end = mark.bytes.start + if kept == 0 { before.len() } else { kept };
            done.push(mark);
            continue;
        }
        // Both begin here, and the next is at least as long.
        let Some(mut next) = marks.pop() else { break };
        let behind = &text[mark.bytes.end..next.bytes.end];
        let rest = behind.trim_start();
        if rest.is_empty() {
            let (one, other) = if next.first { (next.text, mark.text) } else { (mark.text, next.text) };
            mark.text = if one == other { one } else { format!("{one}; {other}") };
            mark.first |= next.first;
            marks.push(mark);
        } else {
            next.bytes.start = next.bytes.end - rest.len();
            let at = marks.partition_point(|other| order(other) < order(&next));
            marks.insert(at, next);
            done.push(mark);
        }
    }
    done
}

impl SourceCode for Shown<'_> {
    fn read_span<'b>(&'b self, span: &SourceSpan, _: usize, _: usize) -> Result<Box<dyn SpanContents<'b> + 'b>, MietteError> {
        let Excerpt { name, text, index } = self.excerpt;
        let (from, to) = (span.offset().min(text.len()), (span.offset() + span.len()).min(text.len()));
        let (first, last) = (index.position(text, from), index.position(text, to));
        let mut start = self.excerpt.line(first.line).start;
        let mut end = self.excerpt.line(last.line).end.max(to);
        if from - start > LONGEST_LINE {
            start = text.floor_char_boundary(from - BEFORE);
        }
        if end - to > LONGEST_LINE {
            end = text.floor_char_boundary(to + AFTER);
        }
        // A mark that was moved is named by the place of its label.
        let place = self.marks.iter().find(|mark| mark.bytes.start == from).map_or(first, |mark| mark.place);
        Ok(Box::new(MietteSpanContents::new_named(
            format!("{name}:{}:{}", place.line, place.column),
            &text.as_bytes()[start..end],
            (start, end - start).into(),
            first.line - 1,
            first.column - 1,
            last.line - first.line + 1,
        )))
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.marks.iter().map(|mark| {
            let (text, bytes) = (Some(mark.text.clone()), (mark.bytes.start, mark.bytes.len()));
            match mark.first && self.primary {
                true => LabeledSpan::new_primary_with_span(text, bytes),
                false => LabeledSpan::new_with_span(text, bytes),
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underlines_share_no_character() {
        let place = Position { line: 1, column: 1 };
        for (text, labels, drawn) in [
            ("pip install torch==2.9.0 -i cu130", &[(0, 33), (12, 24), (28, 33)][..], "0-11:0 12-24:1 28-33:2"),
            ("pip install torchaudio==2.6.0", &[(12, 29), (0, 29)], "0-11:1 12-29:0"),
            ("torch==2.9.0", &[(0, 12), (0, 5)], "0-5:1 5-12:0"),
            ("torch", &[(0, 5), (0, 5)], "0-5:0; 1"),
            ("torch  x", &[(0, 7), (0, 5)], "0-5:0; 1"),
            ("a b", &[(0, 3), (0, 1), (2, 3)], "0-1:1 2-3:0; 2"),
            ("a b c", &[(0, 5), (0, 5), (2, 3), (2, 5)], "0-1:0; 1 2-3:2 4-5:3"),
            ("  x", &[(0, 3), (2, 3)], "0-2:0 2-3:1"),
            ("中文 ok", &[(0, 9), (3, 6), (7, 9)], "0-3:0 3-6:1 7-9:2"),
            ("abc", &[(0, 2), (1, 3)], "0-1:0 1-3:1"),
        ] {
            let mark =
                |(i, (from, to)): (usize, &(usize, usize))| Mark { bytes: *from..*to, place, text: i.to_string(), first: i == 0 };
            let found = apart(text, labels.iter().enumerate().map(mark).collect());
            let shown: Vec<_> = found.iter().map(|m| format!("{}-{}:{}", m.bytes.start, m.bytes.end, m.text)).collect();
            assert_eq!(shown.join(" "), drawn, "{text}");
            assert_eq!(found.iter().filter(|m| m.first).count(), 1);
        }
    }
}
