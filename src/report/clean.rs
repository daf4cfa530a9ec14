//! What must not reach a terminal or a log: control characters and secrets.
//!
//! Both are replaced byte for byte, so that offsets into a text stay true.

use std::borrow::Cow;

use crate::secret::masked;

/// Both replacements.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    match masked(text) {
        Cow::Borrowed(text) => printable(text),
        Cow::Owned(text) => Cow::Owned(printable(&text).into_owned()),
    }
}

/// Text for one line of output: no control characters. Paths and the program's own words are no secrets.
#[must_use]
pub fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\r', '\t'], " ")
}

/// The same for a text that quotes files: no credentials either.
pub(super) fn quoting_line(text: &str) -> String {
    one_line(&masked(text))
}

/// Characters that move the cursor, hide or turn text, as `?` or `�`. Line ends and tabs stay, and so does a byte order
/// mark at the start.
fn printable(text: &str) -> Cow<'_, str> {
    let harmful = |at: usize, c: char| match c {
        '\n' | '\t' => false,
        '\r' => !text[at + 1..].starts_with('\n'),
        '\u{feff}' => at > 0,
        c => is_hidden(c),
    };
    let Some((first, _)) = text.char_indices().find(|(at, c)| harmful(*at, *c)) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    for (at, c) in text[first..].char_indices().map(|(at, c)| (first + at, c)) {
        match (harmful(at, c), c.len_utf8()) {
            (false, _) => out.push(c),
            (true, 3) => out.push('\u{fffd}'),
            (true, bytes) => out.extend(std::iter::repeat_n('?', bytes)),
        }
    }
    Cow::Owned(out)
}

/// Whether a character moves the cursor, hides or turns text.
pub(super) fn is_hidden(c: char) -> bool {
    let format = matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    format || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}') || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced_byte_for_byte() {
        for (text, shown) in [
            ("a\u{1b}[31mb", "a?[31mb"),
            ("a\tb\r\nc\n", "a\tb\r\nc\n"),
            ("a\rb", "a?b"),
            ("a\0\u{7f}", "a??"),
            ("\u{202e}x\u{2066}", "\u{fffd}x\u{fffd}"),
            ("\u{85}", "??"),
            ("\u{feff}a\u{feff}", "\u{feff}a\u{fffd}"),
            ("中文 ok", "中文 ok"),
        ] {
            assert_eq!(printable(text), shown);
            assert_eq!(printable(text).len(), text.len());
        }
    }
}
