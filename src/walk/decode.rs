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

/// One of so many bytes may be no character; with more it is no text.
const GARBLED: usize = 8;

/// The same, with `?` for every byte of an old encoding (a comment in Latin-1) and the place of the first: offsets are those
/// of the file.
///
/// # Errors
/// The place of the first such byte of what is no text at all.
pub(super) fn decode_garbled(bytes: Vec<u8>) -> Result<(String, Option<Position>), Position> {
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if wide || bytes.contains(&0) || std::str::from_utf8(&bytes).is_ok() {
        return decode(bytes).map(|text| (text, None));
    }
    let mut text = String::with_capacity(bytes.len());
    let (mut first, mut garbled) = (None, 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            first = first.or_else(|| Some(end_of(&text)));
            garbled += chunk.invalid().len();
            text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
        }
    }
    match first {
        Some(at) if garbled * GARBLED > bytes.len() => Err(at),
        first => Ok((text, first)),
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
    decode_garbled(bytes).ok().map(|(text, _)| text)
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
    fn bytes_of_an_old_encoding_are_question_marks() {
        let garbled = |bytes: &[u8]| decode_garbled(bytes.to_vec());
        let text = b"# caf\xe9 \xe4\xb8 \xe4\xb8\xad, and so on\ntorch==2.1.0\n";
        let read = "# caf? ?? 中, and so on\ntorch==2.1.0\n";
        assert_eq!(garbled(text), Ok((read.to_owned(), Some(Position { line: 1, column: 6 }))));
        assert_eq!(text.len(), read.len(), "offsets are those of the file");
        assert_eq!(garbled("中".as_bytes()), Ok(("中".to_owned(), None)));
        assert!(garbled(b"a\xff").is_err() && garbled(&[&[b'a'; 100][..], &[0, 0xff]].concat()).is_err());
        assert_eq!(decode_head([&[b'a'; 20][..], b"\xff"].concat()), Some(format!("{}?", "a".repeat(20))));
    }

    #[test]
    fn a_head_may_end_inside_a_character() {
        assert_eq!(decode_head("ab中".as_bytes()[..4].to_vec()).as_deref(), Some("ab"));
        assert_eq!(decode_head(vec![b'a', 0xff, b'b']), None);
        assert_eq!(decode_head(vec![0xff, 0xfe, b'a', 0, b'b']).as_deref(), Some("a"));
    }
}
