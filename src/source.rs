//! Texts and places in them. Everything else points here by [`Span`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::secret::masked;

/// One text of a [`Sources`]; given once for a path and never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// A byte range of one file. Lines and columns exist only in outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file that the range lies in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { file, start: clamp(start), end: clamp(end) }
    }
    /// The same range as indices into the file's text.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
    /// Whether `other` lies wholly inside.
    #[must_use]
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
    /// Whether the two share a byte.
    #[must_use]
    pub fn touches(self, other: Span) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }
    /// The smallest range of one file that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Where a text comes from; decides how outputs name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A file of the root; its path is relative to the root, with `/`.
    Repository,
    /// A host file or a configuration outside the root; its path is as the user wrote it.
    Outside,
    /// Made from options such as `--driver`; outputs print no path.
    CommandLine,
}

#[derive(Clone, Debug)]
struct Source {
    path: Arc<str>,
    origin: Origin,
    text: Option<Arc<str>>,
}

/// The texts to lint: read from disk, from an editor's buffers, or from a test.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
    by_path: HashMap<Arc<str>, FileId>,
}

impl Sources {
    /// Adds the text of a repository file, or replaces it.
    pub fn set(&mut self, path: &str, text: impl Into<Arc<str>>) -> FileId {
        self.set_from(Origin::Repository, path, text)
    }
    /// Adds a text of any origin, or replaces it.
    pub fn set_from(&mut self, origin: Origin, path: &str, text: impl Into<Arc<str>>) -> FileId {
        let text = Some(text.into());
        if let Some(&id) = self.by_path.get(path) {
            self.files[id.0 as usize].text = text;
            return id;
        }
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let path: Arc<str> = path.into();
        self.files.push(Source { path: path.clone(), origin, text });
        self.by_path.insert(path, id);
        id
    }
    /// Forgets the text of a path; its [`FileId`] stays taken.
    pub fn remove(&mut self, path: &str) -> Option<FileId> {
        let &id = self.by_path.get(path)?;
        self.files[id.0 as usize].text.take().map(|_| id)
    }
    /// The files that have a text, in the order in which they were first added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &str, &Arc<str>)> {
        (0u32..).zip(&self.files).filter_map(|(i, s)| Some((FileId(i), &*s.path, s.text.as_ref()?)))
    }
    /// The file at a path, if it has a text.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied().filter(|id| self.files[id.0 as usize].text.is_some())
    }
    /// The path of a file, as [`Origin`] says.
    #[must_use]
    pub fn path(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].path
    }
    /// Where a file comes from.
    #[must_use]
    pub fn origin(&self, file: FileId) -> Origin {
        self.files[file.0 as usize].origin
    }
    /// The whole text of a file; empty when it was removed.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        self.files[file.0 as usize].text.as_deref().unwrap_or_default()
    }
    /// The text of a span; empty when the file changed since and the span no longer fits.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.range()).unwrap_or_default()
    }
}

/// A place as outputs print it; both numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line number.
    pub line: usize,
    /// Unicode scalar values since the start of the line.
    pub column: usize,
}

/// Where the lines of a text start; made once a file, then asked per place.
#[derive(Clone, Debug)]
pub struct LineIndex(Vec<usize>);

impl LineIndex {
    /// Lines end at `\n` (a `\r` before it belongs to the line).
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }
    /// The place of a byte offset in `text`, the text the index was made of. A byte order mark is no column.
    #[must_use]
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let line = self.0.partition_point(|start| *start <= offset);
        let mark = if line == 1 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let start = self.0[line - 1] + mark;
        let column = text.get(start..offset.min(text.len())).map_or(0, |t| t.chars().count()) + 1;
        Position { line, column }
    }
    /// The byte range of a line (from 1), without its line end.
    #[must_use]
    pub fn line(&self, text: &str, line: usize) -> std::ops::Range<usize> {
        let start = self.0.get(line.wrapping_sub(1)).copied().unwrap_or(text.len());
        let end = self.0.get(line).map_or(text.len(), |next| next - 1);
        start..end.max(start)
    }
}

/// The most characters of a user's word that a message repeats.
const BRIEF: usize = 80;

/// What a user wrote, as a message repeats it: its start, without secrets, with control characters escaped.
#[must_use]
pub fn brief(text: &str) -> Cow<'_, str> {
    match masked(text) {
        Cow::Borrowed(text) => shortened(text),
        Cow::Owned(text) => Cow::Owned(shortened(&text).into_owned()),
    }
}

fn shortened(text: &str) -> Cow<'_, str> {
    if text.chars().nth(BRIEF).is_none() && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == BRIEF {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_repeated_in_brief() {
        assert_eq!(brief("hosts/*.toml"), "hosts/*.toml");
        assert_eq!(brief("a\u{1b}[2J\n中"), "a\\u{1b}[2J\\n中");
        let long = brief(&"中".repeat(1 << 20)).into_owned();
        assert_eq!((long.chars().count(), long.ends_with("中…")), (BRIEF + 1, true));
        assert_eq!(brief(&"x".repeat(BRIEF)), "x".repeat(BRIEF));
        assert_eq!(brief("https://me:s3cret@h.example/x"), "https://*********@h.example/x");
    }

    #[test]
    fn columns_count_characters() {
        let text = "a\n中文x\n";
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 0), Position { line: 1, column: 1 });
        assert_eq!(index.position(text, text.find('x').expect("x")), Position { line: 2, column: 3 });
        assert_eq!(index.position(text, text.len()), Position { line: 3, column: 1 });
        assert_eq!(index.line(text, 2), 2..9);
        let marked = "\u{feff}ab\ncd";
        let index = LineIndex::new(marked);
        let columns = [0, 3, 4, 6, 7].map(|offset| index.position(marked, offset).column);
        assert_eq!(columns, [1, 1, 2, 1, 2], "a byte order mark is no column");
    }

    #[test]
    fn a_path_keeps_its_id() {
        let mut sources = Sources::default();
        let id = sources.set("a", "1");
        assert_eq!(sources.remove("a"), Some(id));
        assert_eq!(sources.find("a"), None);
        assert_eq!(sources.set("a", "2"), id);
        assert_eq!(sources.text(id), "2");
    }
}
