//! What must not reach a terminal or a log: control characters and credentials of addresses.
//!
//! Both are replaced byte for byte, so that offsets into a text stay true.

use std::borrow::Cow;

/// Both replacements.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    match masked(text) {
        Cow::Borrowed(text) => printable(text),
        Cow::Owned(text) => Cow::Owned(printable(&text).into_owned()),
    }
}

/// Characters that move the cursor, hide or turn text, as `?` or `�`. Line ends and tabs stay, and so does a byte order
/// mark at the start.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    let harmful = |at: usize, c: char| match c {
        '\n' | '\t' => false,
        '\r' => !text[at + 1..].starts_with('\n'),
        '\u{feff}' => at > 0,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
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

/// Passwords, tokens and user names in addresses, as `*`: `https://user:secret@host`, `?token=secret`.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    let mut secrets: Vec<(usize, usize)> = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        let address = address(&text[start..]);
        if let Some(end) = user_info(address) {
            secrets.push((start, start + end));
        }
        secrets.extend(parameters(address).map(|(from, to)| (start + from, start + to)));
    }
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (from, to) in secrets {
        if from < done {
            continue;
        }
        out.push_str(&text[done..from]);
        out.extend(std::iter::repeat_n('*', to - from));
        done = to;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// The longest address that is looked at: hostile text stays cheap.
const LONGEST: usize = 2048;

/// What follows `://`, up to the end of the address.
fn address(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    // The next address bounds this one, so that no byte is looked at twice.
    let text = text.find("://").map_or(text, |next| &text[..next]);
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`'));
    &text[..end.unwrap_or(text.len())]
}

/// Where the `user:password` of an address ends.
fn user_info(address: &str) -> Option<usize> {
    let authority = &address[..address.find(['/', '?', '#']).unwrap_or(address.len())];
    if let Some(at) = authority.rfind('@') {
        return Some(at);
    }
    // A password with an unescaped `/`: what stands after the colon is no port.
    let (_, port) = authority.split_once(':')?;
    (!port.is_empty() && !port.bytes().all(|b| b.is_ascii_digit())).then(|| address.rfind('@')).flatten()
}

/// The values of query parameters whose names speak of secrets.
fn parameters(address: &str) -> impl Iterator<Item = (usize, usize)> {
    let query = address.find('?').map_or(address.len(), |at| at + 1);
    let query_end = address[query..].find('#').map_or(address.len(), |at| query + at);
    let mut at = query;
    address[query..query_end].split('&').filter_map(move |pair| {
        let start = at;
        at += pair.len() + 1;
        let (name, value) = pair.split_once('=')?;
        let name_low = name.to_ascii_lowercase();
        let speaks = ["token", "key", "secret", "pass", "auth", "sig", "credential"].iter().any(|word| name_low.contains(word));
        let from = start + name.len() + 1;
        (speaks && !value.is_empty()).then_some((from, from + value.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_masked_in_place() {
        for (text, shown) in [
            ("-i https://user:s3cret@pypi.example/simple", "-i https://***********@pypi.example/simple"),
            ("https://ghp_abc@github.com/x/y@v1", "https://*******@github.com/x/y@v1"),
            ("https://a:p@ss@h/", "https://******@h/"),
            ("https://a:p/ss@h/x", "https://******@h/x"),
            ("https://a:中@h", "https://*****@h"),
            ("https://h:8080/x@y", "https://h:8080/x@y"),
            ("git+https://github.com/x/y@v1", "git+https://github.com/x/y@v1"),
            ("https://h/s?token=abc&x=1&sig=de#f", "https://h/s?token=***&x=1&sig=**#f"),
            ("https://h/ user@host", "https://h/ user@host"),
            ("a://b:c@d://e:f@g", "a://***@d://***@g"),
            ("://", "://"),
        ] {
            assert_eq!(masked(text), shown);
            assert_eq!(masked(text).len(), text.len());
        }
    }

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

    #[test]
    fn hostile_text_stays_cheap() {
        let started = std::time::Instant::now();
        for text in ["://".repeat(300_000), "://a:b".repeat(200_000), "://a:b/?".repeat(200_000), "\u{1b}".repeat(1_000_000)] {
            assert_eq!(clean(&text).len(), text.len());
        }
        assert!(started.elapsed().as_secs() < 10);
    }
}
