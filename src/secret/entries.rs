//! Values of entries whose names say that they are secret: `{name: API_KEY, value: …}`, on one line or on two.

use super::{is_plain, is_secret};

/// No entry is longer: hostile text stays cheap.
const LONGEST: usize = 256;

/// The places of such values.
pub(super) fn in_entries(text: &str) -> Vec<(usize, usize)> {
    let mut secrets = Vec::new();
    for (at, _) in text.match_indices("name") {
        let Some((name, end)) = scalar(text, at, "name") else { continue };
        if !is_secret(&text[name.clone()]) {
            continue;
        }
        let behind = &text[end..text.floor_char_boundary(end + LONGEST)];
        let behind = &behind[..own(behind).unwrap_or(behind.len())];
        let before_from = text.ceil_char_boundary(at.saturating_sub(LONGEST));
        let before = &text[before_from..at];
        let before_from = before_from + before.rfind('{').into_iter().chain(before.rfind("- ")).max().unwrap_or(0);
        for (from, part) in [(end, behind), (before_from, &text[before_from..at])] {
            for (n, _) in part.match_indices("value").take(1) {
                let Some((value, _)) = scalar(text, from + n, "value") else { continue };
                if !is_plain(&text[value.clone()]) {
                    secrets.push((value.start, value.end));
                }
            }
        }
    }
    secrets
}

/// Where what follows an entry's name is another entry's.
fn own(text: &str) -> Option<usize> {
    [text.find('}'), text.find("- "), text.find("name")].into_iter().flatten().min()
}

/// The scalar of the key that stands at `at`, and where it ends.
fn scalar(text: &str, at: usize, key: &str) -> Option<(std::ops::Range<usize>, usize)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if text[..at].chars().next_back().is_some_and(is_word) {
        return None;
    }
    let after = at + key.len();
    let rest = &text[after..text.floor_char_boundary(after + LONGEST)];
    let colon = rest.strip_prefix(['"', '\'']).unwrap_or(rest).strip_prefix(':')?;
    let value = colon.trim_start_matches([' ', '\t']);
    let from = after + rest.len() - value.len();
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let length = value[1..].find([quote, '\n']).unwrap_or(value.len() - 1);
        return Some((from + 1..from + 1 + length, from + 1 + length));
    }
    let length = value.find([',', '}', '\n', '\r']).unwrap_or(value.len());
    let length = value[..length].find(" #").unwrap_or(length);
    let length = value[..length].trim_end().len();
    Some((from..from + length, from + length))
}
