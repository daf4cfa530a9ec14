//! What rows are sorted by, and that no two are the same.

use std::collections::BTreeMap;

use crate::row::Answer;

pub(crate) type Key = Vec<Part>;

/// A piece of a key: versions order by number, texts by letter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Number(u64),
    Text(String),
}

pub(crate) fn version_key(version: &str) -> Key {
    let mut key = Vec::new();
    let release: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    for number in release.trim_matches('.').split('.') {
        key.push(Part::Number(number.parse().unwrap_or(0)));
    }
    let rest = &version[release.len()..];
    let rank = if rest.is_empty() {
        5
    } else if rest.contains("post") {
        6
    } else if rest.contains("dev") {
        1
    } else if rest.starts_with('a') {
        2
    } else if rest.starts_with('b') {
        3
    } else {
        4
    };
    // A release compares as if it went on with zeros.
    key.resize(8, Part::Number(0));
    key.push(Part::Number(rank));
    key.push(Part::Number(rest.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)));
    key
}

pub(crate) fn release_key(version: &str, tag: &str, platforms: u8, indexes: &str) -> Key {
    let mut key = version_key(version);
    key.extend([Part::Text(tag.to_owned()), Part::Number(platforms.into()), Part::Text(indexes.to_owned())]);
    key
}

pub(crate) fn text_key(text: &str) -> Key {
    vec![Part::Text(text.to_owned())]
}

/// Patterns come after exact tags, the longest first.
pub(crate) fn image_key(tag: &str) -> Key {
    match tag.contains('*') {
        false => vec![Part::Number(0), Part::Text(tag.to_owned())],
        true => vec![Part::Number(1), Part::Number(1000 - tag.len() as u64), Part::Text(tag.to_owned())],
    }
}

/// The texts that rows are sorted by, in that order.
pub(crate) fn names(rows: &[(Key, String)]) -> Vec<String> {
    let mut names: Vec<_> = rows
        .iter()
        .filter_map(|(key, _)| if let [Part::Text(name), ..] = key.as_slice() { Some(name.clone()) } else { None })
        .collect();
    names.sort();
    names
}

pub(crate) fn groups(all: BTreeMap<String, Vec<(Key, String)>>, kind: &str) -> Answer<Vec<String>> {
    all.into_iter()
        .map(|(name, rows)| Ok(format!("({name:?}, &[\n{}\n])", sorted(rows, &format!("{kind} of {name}"))?.join(",\n"))))
        .collect()
}

pub(crate) fn sorted(mut rows: Vec<(Key, String)>, kind: &str) -> Answer<Vec<String>> {
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some(twice) = rows.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("rules/knowledge: two rows for the same {kind}: {}", twice[1].1));
    }
    Ok(rows.into_iter().map(|(_, text)| text).collect())
}
