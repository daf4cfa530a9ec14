//! TOML with byte spans that survives half-typed text.

use std::borrow::Cow;
use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use super::torn::torn;
use crate::outline::{Ignore, Text, Torn};
use crate::source::{FileId, Span};

/// A table, in the order of the file.
pub(crate) type Table<'t> = DeTable<'t>;
/// A value with its place.
pub(crate) type Value<'t> = Spanned<DeValue<'t>>;
/// A key with its place.
pub(crate) type Key<'t> = Spanned<Cow<'t, str>>;

/// More errors in one file say nothing new.
const ERRORS: usize = 20;

/// A file's text, to give places to what its tables hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Toml<'t> {
    file: FileId,
    text: &'t str,
}

impl<'t> Toml<'t> {
    /// Reads a file: all that can be read, and the places that cannot.
    pub(crate) fn parse(file: FileId, text: &'t str) -> (Self, Table<'t>, Vec<Torn>) {
        let (root, errors) = DeTable::parse_recoverable(text);
        let place = |e: &::toml::de::Error| torn(file, text, e.span().unwrap_or(0..0), e.message());
        let torn = errors.iter().take(ERRORS).map(place).collect();
        (Self { file, text }, root.into_inner(), torn)
    }
    /// A range as a span of this file.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start.min(self.text.len()), range.end.min(self.text.len()))
    }
    /// A string, with the place inside its quotes.
    pub(crate) fn string(&self, value: &Value<'_>) -> Option<Text> {
        let text = value.get_ref().as_str()?;
        Some(Text::literal(text, self.span(self.inside(value.span()))))
    }
    /// The strings of an array; other items are left out.
    pub(crate) fn strings(&self, value: &Value<'_>) -> Vec<Text> {
        items(value).filter_map(|item| self.string(item)).collect()
    }
    /// A string under a key of a table.
    pub(crate) fn string_at(&self, table: &Table<'_>, key: &str) -> Option<Text> {
        self.string(table.get(key)?)
    }
    /// A value from its first byte, or its table's header, to its last value.
    pub(crate) fn whole(&self, value: &Value<'_>) -> Span {
        let table = value.get_ref().as_table().into_iter().flat_map(|t| t.iter());
        table.fold(self.span(value.span()), |all, (key, value)| all.to(self.span(key.span())).to(self.span(value.span())))
    }
    /// A key with its value.
    pub(crate) fn entry(&self, key: &Key<'_>, value: &Value<'_>) -> Span {
        self.span(key.span()).to(self.whole(value))
    }
    fn inside(&self, range: Range<usize>) -> Range<usize> {
        let Some(written) = self.text.get(range.clone()) else { return range };
        for quotes in ["\"\"\"", "'''", "\"", "'"] {
            if let Some(inner) = written.strip_prefix(quotes).and_then(|t| t.strip_suffix(quotes)) {
                let start = range.start + quotes.len();
                return start..start + inner.len();
            }
        }
        range
    }
}

/// The value at a path of tables.
pub(crate) fn get<'a, 't>(table: &'a Table<'t>, path: &[&str]) -> Option<&'a Value<'t>> {
    let (last, above) = path.split_last()?;
    let mut table = table;
    for key in above {
        table = table.get(*key)?.get_ref().as_table()?;
    }
    table.get(*last)
}

/// The table at a path of tables.
pub(crate) fn table<'a, 't>(root: &'a Table<'t>, path: &[&str]) -> Option<&'a Table<'t>> {
    get(root, path)?.get_ref().as_table()
}

/// The entries of the table at a path of tables; none where there is no such table.
pub(crate) fn entries<'a, 't>(root: &'a Table<'t>, path: &[&str]) -> impl Iterator<Item = (&'a Key<'t>, &'a Value<'t>)> {
    table(root, path).into_iter().flat_map(|table| table.iter())
}

/// A string under a key of a table, where its place does not matter.
pub(crate) fn word<'a>(table: &'a Table<'_>, key: &str) -> Option<&'a str> {
    table.get(key)?.get_ref().as_str()
}

/// Whether a key of a table is `true`.
pub(crate) fn is_set(table: &Table<'_>, key: &str) -> bool {
    table.get(key).and_then(|value| value.get_ref().as_bool()) == Some(true)
}

/// The items of an array; none for another value.
pub(crate) fn items<'a, 't>(value: &'a Value<'t>) -> impl Iterator<Item = &'a Value<'t>> {
    value.get_ref().as_array().into_iter().flat_map(|array| array.iter())
}

/// The comments of a file, as far as quotes on their line tell.
pub(crate) fn comments(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = start;
        start += line.len();
        let body = line.trim_end_matches(['\n', '\r']);
        let (mut quote, mut escaped) = (None, false);
        let sign = body.bytes().position(|byte| {
            let skipped = std::mem::take(&mut escaped);
            match (quote, byte) {
                (None, b'#') => return true,
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(b'"'), b'\\') => escaped = !skipped,
                (Some(open), _) if open == byte && !skipped => quote = None,
                _ => {}
            }
            false
        })?;
        Some(at + sign..at + body.len())
    })
}

/// The comments of a file that silence rules.
pub(crate) fn ignores(file: FileId, text: &str) -> Vec<Ignore> {
    super::comments::ignores(file, text, comments(text), |line| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_places_inside_their_quotes() {
        for (text, inside) in
            [("a = 'x'", "x"), ("a = \"x\\ty\"", "x\\ty"), ("a = '''x\ny'''", "x\ny"), ("\u{feff}a = \"é\"", "é"), ("a = ''", "")]
        {
            let (toml, root, torn) = Toml::parse(FileId(0), text);
            assert!(torn.is_empty(), "{torn:?}");
            let value = toml.string_at(&root, "a").expect("a string");
            assert_eq!(&text[value.at.range()], inside, "{text:?}");
        }
    }

    #[test]
    fn the_rest_survives_an_error() {
        let text = "[a]\nx = \"open\ny = [1, 'two', {z = 'three'}]\n[b\n[c.d]\ne = 'f'\n";
        let (toml, root, torn) = Toml::parse(FileId(0), text);
        assert!((1..=20).contains(&torn.len()));
        assert_eq!(toml.string(get(&root, &["c", "d", "e"]).expect("e")).expect("f").known(), Some("f"));
        let y = toml.strings(get(&root, &["a", "y"]).expect("y"));
        assert_eq!(y.iter().map(Text::known).collect::<Vec<_>>(), [Some("two")]);
        assert!(get(&root, &["a", "y", "z"]).is_none() && get(&root, &[]).is_none());
    }

    #[test]
    fn hostile_text() {
        for text in ["[".repeat(100_000), "a=[".repeat(50_000), "a.".repeat(100_000), "{{ x }}\n".repeat(50_000), "\0\0".into()] {
            let (_, _, torn) = Toml::parse(FileId(0), &text);
            assert!((1..=20).contains(&torn.len()));
        }
        assert!(Toml::parse(FileId(0), "{{ x }}\n").2[0].template);
    }

    #[test]
    fn comments_of_a_line() {
        let text = "a = '#' # one\r\n# two\nb = \"\\\"#\" #three\nc = 1";
        let found: Vec<_> = comments(text).map(|at| &text[at]).collect();
        assert_eq!(found, ["# one", "# two", "#three"]);
    }
}
