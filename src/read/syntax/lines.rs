//! The logical lines of a requirements file: continued by `\`, cut at comments, as pip cuts them.

use std::ops::Range;

/// A logical line that says something.
#[derive(Debug)]
pub(crate) struct Line {
    /// What it says: joined, without comment and without blanks at both ends.
    pub(crate) text: String,
    /// Where the joined parts come from: a start in `text`, and the start in the file.
    parts: Vec<(usize, usize)>,
    /// The physical lines that it takes, line ends included.
    pub(crate) whole: Range<usize>,
}

impl Line {
    /// Bytes of `text` as bytes of the file.
    pub(crate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let part = self.parts.partition_point(|(start, _)| *start <= at).saturating_sub(1);
            self.parts.get(part).map_or(at, |(start, from)| from + (at - start))
        };
        let start = place(range.start);
        // The end belongs to the part of the last byte.
        let end = if range.is_empty() { start } else { place(range.end - 1) + 1 };
        start..end.max(start)
    }
}

/// What a file is made of.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The lines that say something.
    pub(crate) lines: Vec<Line>,
    /// The comments.
    pub(crate) comments: Vec<Range<usize>>,
}

impl Lines {
    /// Cuts a file up.
    pub(crate) fn of(text: &str) -> Self {
        let mut all = Self::default();
        let mut open: Option<Line> = None;
        for (body, whole) in physical(text) {
            let written = &text[body.clone()];
            let comment_only = written.trim_start().starts_with('#');
            let goes_on = written.ends_with('\\') && !comment_only;
            let line = open.get_or_insert_with(|| Line { text: String::new(), parts: Vec::new(), whole: whole.clone() });
            line.whole.end = whole.end;
            if comment_only {
                line.text.push(' ');
            }
            let said = if goes_on { written.trim_matches('\\') } else { written };
            let from = body.start + if goes_on { written.len() - written.trim_start_matches('\\').len() } else { 0 };
            line.parts.push((line.text.len(), from));
            line.text.push_str(said);
            if !goes_on && let Some(line) = open.take() {
                all.close(text, line);
            }
        }
        if let Some(line) = open {
            all.close(text, line);
        }
        all
    }
    /// The physical lines of the logical line at an offset; empty where nothing is said.
    pub(crate) fn whole(&self, offset: usize) -> Range<usize> {
        let next = self.lines.partition_point(|line| line.whole.start <= offset);
        let line = next.checked_sub(1).and_then(|n| self.lines.get(n)).filter(|line| offset < line.whole.end);
        line.map_or(offset..offset, |line| line.whole.clone())
    }
    fn close(&mut self, text: &str, mut line: Line) {
        if let Some(at) = comment(&line.text) {
            let start = line.original(&(at..at + 1)).start;
            let end = text[start..].find(is_line_end).map_or(text.len(), |n| start + n);
            self.comments.push(start..end);
            line.text.truncate(at);
        }
        line.text.truncate(line.text.trim_end().len());
        let blanks = line.text.len() - line.text.trim_start().len();
        if line.text.len() == blanks {
            return;
        }
        let first = line.parts.partition_point(|(start, _)| *start <= blanks).saturating_sub(1);
        line.parts.drain(..first);
        for (start, from) in &mut line.parts {
            *from += blanks.saturating_sub(*start);
            *start = start.saturating_sub(blanks);
        }
        line.text.drain(..blanks);
        self.lines.push(line);
    }
}

/// Where a comment begins: a `#` at the start or behind a blank.
fn comment(line: &str) -> Option<usize> {
    let mut before = ' ';
    line.char_indices().find_map(|(at, c)| {
        let found = c == '#' && before.is_whitespace();
        before = c;
        found.then_some(at)
    })
}

/// What Python's `splitlines` takes for the end of a line.
fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Each line without and with its end; a byte order mark belongs to none.
fn physical(text: &str) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let mut start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find(is_line_end).unwrap_or(rest.len());
        let end = match rest[length..].chars().next() {
            Some('\r') if rest[length..].starts_with("\r\n") => length + 2,
            Some(c) => length + c.len_utf8(),
            None => length,
        };
        let line = (start..start + length, start..start + end);
        start += end;
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_comments() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("a\nb", &["a", "b"], &[]),
            ("\u{feff}a\r\n\r\n  b  # c\r\n#d", &["a", "b"], &["# c", "#d"]),
            ("a#b # c", &["a#b"], &["# c"]),
            ("a \\\n  --x \\\r\n --y\nb", &["a   --x  --y", "b"], &[]),
            ("a \\\n# c\nb", &["a", "b"], &["# c"]),
            ("a # c \\\nb\nd", &["a", "d"], &["# c \\"]),
            ("# c \\\nb", &["b"], &["# c \\"]),
            ("a\\", &["a"], &[]),
            ("\\\n\\\na", &["a"], &[]),
            ("a\rb\u{c}c\u{2028}中", &["a", "b", "c", "中"], &[]),
            ("", &[], &[]),
            ("\u{feff}", &[], &[]),
        ];
        for (text, lines, comments) in cases {
            let all = Lines::of(text);
            assert_eq!(all.lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), *lines, "{text:?}");
            assert_eq!(all.comments.iter().map(|c| &text[c.clone()]).collect::<Vec<_>>(), *comments, "{text:?}");
            for line in &all.lines {
                for (at, c) in line.text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
                    let place = line.original(&(at..at + c.len_utf8()));
                    assert_eq!(text[place].chars().next(), Some(c), "{text:?}");
                }
                let all = line.original(&(0..line.text.len()));
                assert!(text.get(all.clone()).is_some() && line.whole.start <= all.start && all.end <= line.whole.end);
            }
        }
    }

    #[test]
    fn the_whole_of_a_line() {
        let text = "a \\\n b\n\nc";
        let lines = Lines::of(text);
        assert_eq!((lines.whole(5), lines.whole(7), lines.whole(8)), (0..7, 7..7, 8..9));
    }
}
