//! Places that could not be read.

use std::ops::Range;

use crate::outline::Torn;
use crate::source::{FileId, Span};

/// How far around a place a template marker is looked for.
const AROUND: usize = 2_000;

/// A place of `text` that could not be read; a template marker on its line explains it.
pub(crate) fn torn(file: FileId, text: &str, at: Range<usize>, why: impl Into<String>) -> Torn {
    let start = text.floor_char_boundary(at.start.min(text.len()));
    let end = text.ceil_char_boundary(at.end.clamp(start, text.len()));
    let before = &text[text.floor_char_boundary(start.saturating_sub(AROUND))..start];
    let after = &text[start..text.floor_char_boundary(start.saturating_add(AROUND).min(text.len()))];
    let line = [before.rsplit('\n').next(), after.split('\n').next()];
    let template = line.into_iter().flatten().any(has_template);
    let why = why.into().lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    Torn { at: Span::new(file, start, end), why, template }
}

/// Whether a text has a marker of a template language.
pub(crate) fn has_template(text: &str) -> bool {
    ["{{", "{%", "<%"].iter().any(|marker| text.contains(marker))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_templates() {
        let text = "a\n{{ b }} é中\nc";
        let read = |at| torn(FileId(0), text, at, "why.\nmore");
        assert!(read(9..12).template && !read(0..1).template && !read(17..99).template);
        assert_eq!(read(9..12).why, "why");
        for start in 0..text.len() + 3 {
            assert!(text.get(read(start..start + 1).at.range()).is_some());
        }
    }
}
