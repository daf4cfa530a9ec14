//! Version constraints as poetry writes them: `^2.1`, `~2.1`, `2.*`, `>=1 <2`, `1 || 2`.
//! Source: <https://python-poetry.org/docs/dependency-specification/>.

use crate::platform::Pythons;
use crate::version::{Specifiers, Version};

/// More alternatives than these are not looked at.
const MOST: usize = 16;

/// The conditions of PEP 440 that say the same; `None` where none do (`||`), or where it is no constraint.
#[must_use]
pub fn conditions(text: &str) -> Option<String> {
    let parts = alternatives(text)?;
    let [all] = parts.as_slice() else { return None };
    all_of(all)
}

/// The conditions on Python: of several alternatives, the span of Python 3 that they lie in.
#[must_use]
pub fn pythons(text: &str) -> Option<String> {
    let parts = alternatives(text)?;
    if let [all] = parts.as_slice() {
        return all_of(all);
    }
    let mut any = Pythons(0);
    for part in parts {
        any.0 |= Pythons::admitted(&Specifiers::parse(&all_of(part)?).ok()?).0;
    }
    let (first, last) = (any.minors().next()?, any.minors().last()?);
    Some(format!(">=3.{first},<3.{}", last + 1))
}

/// The marker that a constraint on Python stands for.
#[must_use]
pub fn python_marker(text: &str) -> Option<String> {
    let parts: Option<Vec<String>> = alternatives(text)?.into_iter().map(marker_of).collect();
    let parts = parts?;
    match parts.as_slice() {
        [one] => Some(one.clone()),
        several if several.iter().any(String::is_empty) => Some(String::new()),
        several => Some(several.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" or ")),
    }
}

fn alternatives(text: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = text.split('|').map(str::trim).filter(|part| !part.is_empty()).take(MOST + 1).collect();
    (!parts.is_empty() && parts.len() <= MOST).then_some(parts)
}

fn marker_of(text: &str) -> Option<String> {
    let mut markers = Vec::new();
    for condition in all_of(text)?.split(',').filter(|condition| !condition.is_empty()) {
        let end = condition.find(|c: char| !"=<>!~".contains(c))?;
        let (sign, version) = condition.split_at(end);
        let (version, starred) = version.strip_suffix(".*").map_or((version, false), |version| (version, true));
        let numbers = version.split('.').count();
        match (numbers, starred, sign) {
            (1, false, "<" | "<=" | ">" | ">=") | (2, ..) => markers.push(format!("python_version {sign} \"{version}\"")),
            (1, true, "==") => {
                let next = version.parse::<u64>().ok()?.checked_add(1)?;
                markers.push(format!("python_version >= \"{version}\" and python_version < \"{next}\""));
            }
            (3, false, _) => markers.push(format!("python_full_version {sign} \"{version}\"")),
            _ => return None,
        }
    }
    Some(markers.join(" and "))
}

/// Conditions with commas or blanks between them, all of which must hold.
fn all_of(text: &str) -> Option<String> {
    let mut conditions: Vec<String> = Vec::new();
    let mut sign = "";
    for word in text.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        let length = word.find(|c: char| !"=<>!~^".contains(c)).unwrap_or(word.len());
        let (own, version) = word.split_at(length);
        // A sign may stand apart from its version.
        if !own.is_empty() && !sign.is_empty() {
            return None;
        }
        sign = if own.is_empty() { sign } else { own };
        if version.is_empty() {
            continue;
        }
        let said = condition(sign, version)?;
        conditions.extend((!said.is_empty()).then_some(said));
        sign = "";
    }
    if !sign.is_empty() || text.trim().is_empty() {
        return None;
    }
    let all = conditions.join(",");
    Specifiers::parse(&all).ok().map(|_| all)
}

fn condition(sign: &str, version: &str) -> Option<String> {
    let version = version.trim_start_matches(['v', 'V']);
    if version.contains(['=', '<', '>', '!', '~', '^']) {
        return None;
    }
    let stem = [".*", ".x", ".X"].iter().find_map(|end| version.strip_suffix(end));
    match (sign, version, stem) {
        ("" | "==" | "=", "*", _) => Some(String::new()),
        ("" | "==" | "=", _, Some(stem)) => Some(format!("=={stem}.*")),
        ("!=", _, Some(stem)) => Some(format!("!={stem}.*")),
        ("" | "=", ..) => Some(format!("=={version}")),
        ("^", ..) => range(version, caret),
        ("~", ..) => range(version, |numbers| numbers.len().min(2) - 1),
        (">=" | ">" | "<" | "<=", ..) => Some(format!("{sign}{}", Version::parse(version)?.public())),
        _ => Some(format!("{sign}{version}")),
    }
}

/// From a version up to the next one in which the number at `place` is higher.
fn range(version: &str, place: impl Fn(&[u64]) -> usize) -> Option<String> {
    let lowest = Version::parse(version)?.public();
    let release = version.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.trim_end_matches('.');
    let numbers: Option<Vec<u64>> = release.split('.').map(|n| n.parse().ok()).collect();
    let mut numbers = numbers.filter(|numbers| !numbers.is_empty())?;
    let place = place(&numbers);
    numbers.truncate(place + 1);
    let last = numbers.last_mut()?;
    *last = last.checked_add(1)?;
    let next: Vec<String> = numbers.iter().map(u64::to_string).collect();
    Some(format!(">={lowest},<{}", next.join(".")))
}

/// The leftmost number that is not zero, or the last one.
fn caret(numbers: &[u64]) -> usize {
    numbers.iter().take(3).position(|n| *n > 0).unwrap_or(numbers.len().min(3) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints() {
        for (text, want) in [
            ("*", Some("")),
            ("^2.1", Some(">=2.1,<3")),
            ("^2.1.0+cu118", Some(">=2.1.0,<3")),
            ("^0.2.3", Some(">=0.2.3,<0.3")),
            ("^0.0.3", Some(">=0.0.3,<0.0.4")),
            ("^0.0", Some(">=0.0,<0.1")),
            ("^0", Some(">=0,<1")),
            ("^1.0b1", Some(">=1.0b1,<2")),
            ("~2.1.3", Some(">=2.1.3,<2.2")),
            ("~2.1", Some(">=2.1,<2.2")),
            ("~2", Some(">=2,<3")),
            ("~=2.1", Some("~=2.1")),
            ("2.*", Some("==2.*")),
            ("==2.1.x", Some("==2.1.*")),
            ("!=2.1.*", Some("!=2.1.*")),
            ("2.1.0", Some("==2.1.0")),
            ("= 2.1.0", Some("==2.1.0")),
            ("v2.1.0+cu118", Some("==2.1.0+cu118")),
            (">=2.0,<2.3, !=2.1", Some(">=2.0,<2.3,!=2.1")),
            (">= 2.0 <2.3", Some(">=2.0,<2.3")),
            ("<2 || >2.1", None),
            ("", None),
            ("^", None),
            (">=", None),
            ("> > 2", None),
            ("main", None),
            ("^99999999999999999999999", None),
            ("^18446744073709551615", None),
            ("中", None),
        ] {
            assert_eq!(conditions(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn conditions_on_python() {
        for (text, want, marker) in [
            ("^3.8", Some(">=3.8,<4"), Some("python_version >= \"3.8\" and python_version < \"4\"")),
            (
                "~2.7 || ^3.6",
                Some(">=3.6,<3.40"),
                Some(
                    "(python_version >= \"2.7\" and python_version < \"2.8\") or (python_version >= \"3.6\" and python_version < \"4\")",
                ),
            ),
            ("3.11", Some("==3.11"), Some("python_version == \"3.11\"")),
            ("3.*", Some("==3.*"), Some("python_version >= \"3\" and python_version < \"4\"")),
            ("*", Some(""), Some("")),
            (">=3.8.1", Some(">=3.8.1"), Some("python_full_version >= \"3.8.1\"")),
            ("x", None, None),
        ] {
            assert_eq!(pythons(text).as_deref(), want, "{text}");
            assert_eq!(python_marker(text).as_deref(), marker, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(text in "[0-9.*^~=<>!|, vx+a中]{0,16}") {
            for said in [conditions(&text), pythons(&text)].into_iter().flatten() {
                proptest::prop_assert!(Specifiers::parse(&said).is_ok(), "{text}: {said}");
            }
            if let Some(marker) = python_marker(&text).filter(|marker| !marker.is_empty()) {
                proptest::prop_assert!(super::super::marker::Marker::parse(&marker).is_ok(), "{text}: {marker}");
            }
        }
    }
}
