//! Bytes of a file → text.

use crate::source::{LineIndex, Position};

/// UTF-8 (a byte order mark stays, so that offsets are those of the file), or UTF-16 where a byte order mark says so.
///
/// # Errors
/// The place of the first bytes that are no character.
pub fn decode(bytes: Vec<u8>) -> Result<String, Position> {
    let units = |of: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes[2..].as_chunks::<2>();
        let mut text = String::new();
        for unit in char::decode_utf16(pairs.iter().map(|p| of(*p))) {
            text.push(unit.map_err(|_| end_of(&text))?);
        }
        if rest.is_empty() { Ok(text) } else { Err(end_of(&text)) }
    };
    match bytes.as_slice() {
        // UTF-32.
        [0xff, 0xfe, 0, 0, ..] => Err(end_of("")),
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        _ => String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            end_of(std::str::from_utf8(&error.as_bytes()[..good]).unwrap_or_default())
        }),
    }
}

fn end_of(text: &str) -> Position {
    LineIndex::new(text).position(text, text.len())
}

/// The text at the start of a file of which only the first bytes are known; the last character may be cut.
pub(super) fn decode_head(mut bytes: Vec<u8>) -> Option<String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        bytes.truncate(bytes.len() & !1);
        return decode(bytes).ok();
    }
    if let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_decides() {
        let le: Vec<u8> = "\u{feff}torch\r\n中".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}torch\r\n中".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, text) in [
            (le.clone(), Some("torch\r\n中")),
            (be, Some("torch\r\n中")),
            (le[..le.len() - 1].to_vec(), None),
            ("\u{feff}torch".into(), Some("\u{feff}torch")),
            (Vec::new(), Some("")),
            (vec![0xff], None),
            (vec![0xff, 0xfe], Some("")),
            (vec![0xff, 0xfe, 0, 0xd8], None),
            (vec![0xff, 0xfe, 0, 0, b'a', 0, 0, 0], None),
            (vec![b'a', 0, b'b'], Some("a\0b")),
            (vec![b'a', 0xe4], None),
        ] {
            assert_eq!(decode(bytes.clone()).ok().as_deref(), text, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_text_has_a_place() {
        let wide =
            |text: &str| "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        for (bytes, line, column) in [
            (b"name = \"x\"\r\n\xe4\xb8\xad \xff".to_vec(), 2, 3),
            (b"\xff".to_vec(), 1, 1),
            (b"a\n\n\xe4".to_vec(), 3, 1),
            ([wide("ab\ncd"), vec![0, 0xd8]].concat(), 2, 3),
            ([wide("ab"), vec![0]].concat(), 1, 3),
            (vec![0xff, 0xfe, 0, 0], 1, 1),
        ] {
            assert_eq!(decode(bytes.clone()), Err(Position { line, column }), "{bytes:?}");
        }
    }

    #[test]
    fn a_head_may_end_inside_a_character() {
        assert_eq!(decode_head("ab中".as_bytes()[..4].to_vec()).as_deref(), Some("ab"));
        assert_eq!(decode_head(vec![b'a', 0xff, b'b']), None);
        assert_eq!(decode_head(vec![0xff, 0xfe, b'a', 0, b'b']).as_deref(), Some("a"));
    }
}
