//! A text cut together from pieces of a file, each byte of which still knows its place: shell and Dockerfile join
//! continued lines, drop comments and nest one language's text in another's quotes.

use std::ops::{Range, RangeInclusive};

use crate::source::{FileId, Span};

/// Stands in an excerpt for text that is known only when run.
pub(crate) const UNKNOWN: char = '\u{e000}';

/// Each stands in an excerpt for something that a shell puts there.
pub(crate) const LETTERS: RangeInclusive<char> = '\u{e001}'..='\u{f8ff}';

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Excerpt {
    file: FileId,
    text: String,
    runs: Vec<Run>,
}

#[derive(Clone, Debug)]
struct Run {
    /// Where it begins in the excerpt.
    here: usize,
    /// What it is in the file.
    there: Range<usize>,
    /// Its bytes are not the file's, only their place is.
    stands_in: bool,
}

impl Excerpt {
    /// Nothing yet, of that file.
    pub(crate) fn new(file: FileId) -> Self {
        Self { file, text: String::new(), runs: Vec::new() }
    }

    /// Appends text that stands at `at` in the file.
    pub(crate) fn push(&mut self, text: &str, at: usize) {
        if text.is_empty() {
            return;
        }
        match self.runs.last_mut() {
            Some(run) if !run.stands_in && run.there.end == at => run.there.end += text.len(),
            _ => self.runs.push(Run { here: self.text.len(), there: at..at + text.len(), stands_in: false }),
        }
        self.text.push_str(text);
    }

    /// Appends text that takes the place of `there`.
    pub(crate) fn push_for(&mut self, text: &str, there: Range<usize>) {
        if !text.is_empty() {
            self.runs.push(Run { here: self.text.len(), there, stands_in: true });
            self.text.push_str(text);
        }
    }

    /// Appends text like [`Self::push`], with `{{ … }}` and `${{ … }}` of one line as unknown.
    pub(crate) fn push_templated(&mut self, text: &str, at: usize) {
        let (mut done, mut line_end) = (0, 0);
        while let Some(open) = text[done..].find("{{").map(|n| n + done) {
            if line_end <= open {
                line_end = text[open..].find('\n').map_or(text.len(), |n| n + open);
            }
            let Some(close) = text[open..line_end].find("}}").map(|n| n + open + 2) else {
                self.push(&text[done..line_end], at + done);
                done = line_end;
                continue;
            };
            let start = if text[done..open].ends_with('$') { open - 1 } else { open };
            self.push(&text[done..start], at + done);
            self.push_for(UNKNOWN.encode_utf8(&mut [0; 4]), at + start..at + close);
            done = close;
        }
        self.push(&text[done..], at + done);
    }

    /// With `{{ … }}` and `${{ … }}` of one line as unknown.
    pub(crate) fn templated(&self) -> Excerpt {
        let (mut out, mut done, mut line_end) = (Excerpt::new(self.file), 0, 0);
        while let Some(open) = self.text[done..].find("{{").map(|n| n + done) {
            if line_end <= open {
                line_end = self.text[open..].find('\n').map_or(self.text.len(), |n| n + open);
            }
            let Some(close) = self.text[open..line_end].find("}}").map(|n| n + open + 2) else {
                out.push_part(self, done..line_end);
                done = line_end;
                continue;
            };
            let start = if self.text[done..open].ends_with('$') { open - 1 } else { open };
            out.push_part(self, done..start);
            out.push_for(UNKNOWN.encode_utf8(&mut [0; 4]), self.span(start..close).range());
            done = close;
        }
        out.push_part(self, done..self.text.len());
        out
    }

    /// Appends a part of another excerpt of the same file.
    pub(crate) fn push_part(&mut self, from: &Excerpt, part: Range<usize>) {
        let first = from.runs.partition_point(|r| r.here <= part.start).saturating_sub(1);
        for (i, run) in from.runs.iter().enumerate().skip(first) {
            if run.here >= part.end {
                break;
            }
            let run_end = from.runs.get(i + 1).map_or(from.text.len(), |r| r.here);
            let (start, end) = (run.here.max(part.start), run_end.min(part.end));
            let Some(text) = from.text.get(start..end) else { continue };
            if run.stands_in {
                self.push_for(text, run.there.clone());
            } else {
                self.push(text, run.there.start + (start - run.here));
            }
        }
    }

    /// A part of it.
    pub(crate) fn part(&self, part: Range<usize>) -> Excerpt {
        let mut out = Excerpt::new(self.file);
        out.push_part(self, part);
        out
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Which file.
    pub(crate) fn file(&self) -> FileId {
        self.file
    }

    /// The place in the file of a part; from its first byte to its last, with what was cut out between.
    pub(crate) fn span(&self, part: Range<usize>) -> Span {
        let run_of = |offset: usize| self.runs.get(self.runs.partition_point(|r| r.here <= offset).saturating_sub(1));
        let start =
            run_of(part.start).map_or(0, |r| if r.stands_in { r.there.start } else { r.there.start + part.start - r.here });
        if part.is_empty() {
            let start = start.min(self.runs.iter().map(|r| r.there.end).next_back().unwrap_or(start));
            return Span::new(self.file, start, start);
        }
        let last = part.end - 1;
        let end = run_of(last).map_or(start, |r| if r.stands_in { r.there.end } else { r.there.start + last - r.here + 1 });
        Span::new(self.file, start.min(end), end.max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_knows_its_place() {
        let file = "a \\\n中b ${{ x }} c";
        let mut all = Excerpt::new(FileId(0));
        all.push_templated(&file[..2], 0);
        all.push_templated(&file[4..], 4);
        assert_eq!(all.text(), format!("a 中b {UNKNOWN} c"));
        let show = |e: &Excerpt, part: Range<usize>| file[e.span(part).range()].to_owned();
        assert_eq!(show(&all, 2..6), "中b");
        assert_eq!(show(&all, 7..10), "${{ x }}");
        assert_eq!(show(&all, 0..6), "a \\\n中b");
        let part = all.part(5..12);
        assert_eq!(part.text(), format!("b {UNKNOWN} c"));
        assert_eq!(show(&part, 0..1), "b");
        assert_eq!(show(&part, 6..7), "c");
        assert_eq!(show(&part, 2..5), "${{ x }}");
    }

    #[test]
    fn braces_that_nothing_closes_are_text() {
        for text in ["{{", "{{ x\n{{ y }}\n{{", "a {{\n}}\n{{ b"] {
            let mut pushed = Excerpt::new(FileId(0));
            pushed.push_templated(text, 0);
            let mut whole = Excerpt::new(FileId(0));
            whole.push(text, 0);
            let expected = text.replace("{{ y }}", &UNKNOWN.to_string());
            assert_eq!((pushed.text(), whole.templated().text()), (expected.as_str(), expected.as_str()));
        }
    }
}
