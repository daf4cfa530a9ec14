//! The lines of one file that labels point at, in the form that `miette` asks for.

use std::borrow::Cow;

use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::clean::clean;
use crate::source::{LineIndex, Span};

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
        Self { name: super::concise::one_line(path), text: clean(text), index }
    }
    /// A label: on its first line, at least one character long where the line has one.
    pub(super) fn label(&self, at: Span, text: String, primary: bool) -> LabeledSpan {
        let start = self.text.floor_char_boundary(at.start as usize);
        // Behind the last line end there is no line to show: the one before it stands in.
        let behind = start == self.text.len() && self.text.ends_with('\n');
        let line = self.line(self.index.position(&self.text, if behind { start - 1 } else { start }).line);
        // A label at the end of a line points at its last character.
        let start =
            if start >= line.end { self.text.floor_char_boundary(line.end.saturating_sub(1)).max(line.start) } else { start };
        let end = self.text.floor_char_boundary((at.end as usize).min(line.end).min(start + AFTER));
        let next = start + self.text[start..].chars().next().map_or(0, char::len_utf8);
        let length = end.max(next.min(line.end)) - start;
        if primary {
            LabeledSpan::new_primary_with_span(Some(text), (start, length))
        } else {
            LabeledSpan::new_with_span(Some(text), (start, length))
        }
    }
}

impl Excerpt<'_> {
    /// The bytes of a line without its end.
    fn line(&self, number: usize) -> std::ops::Range<usize> {
        let line = self.index.line(&self.text, number);
        line.start..line.start + self.text[line].trim_end_matches('\r').len()
    }
}

impl SourceCode for Excerpt<'_> {
    fn read_span<'b>(&'b self, span: &SourceSpan, _: usize, _: usize) -> Result<Box<dyn SpanContents<'b> + 'b>, MietteError> {
        let (from, to) = (span.offset().min(self.text.len()), (span.offset() + span.len()).min(self.text.len()));
        let (first, last) = (self.index.position(&self.text, from), self.index.position(&self.text, to));
        let mut start = self.line(first.line).start;
        let mut end = self.line(last.line).end.max(to);
        if from - start > LONGEST_LINE {
            start = self.text.floor_char_boundary(from - BEFORE);
        }
        if end - to > LONGEST_LINE {
            end = self.text.floor_char_boundary(to + AFTER);
        }
        let lines = last.line - first.line + 1;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            &self.text.as_bytes()[start..end],
            (start, end - start).into(),
            first.line - 1,
            first.column - 1,
            lines,
        )))
    }
}
