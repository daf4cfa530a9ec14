//! Versions of conda packages. Order: epoch, then segments of numbers and letters, where
//! `dev` < `_` < letters < numbers < `post`.
//! Source: <https://docs.conda.io/projects/conda/en/stable/user-guide/concepts/pkg-specs.html> and conda's `VersionOrder`.

use std::cmp::Ordering;
use std::fmt;

/// A version of a conda package.
#[derive(Clone, Debug)]
pub struct CondaVersion {
    text: String,
    epoch: u64,
    segments: Vec<Vec<Atom>>,
    local: Vec<Vec<Atom>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Atom {
    Dev,
    Underscore,
    Word(String),
    Number(u64),
    Post,
}

impl Atom {
    fn rank(&self) -> u8 {
        match self {
            Self::Dev => 0,
            Self::Underscore => 1,
            Self::Word(_) => 2,
            Self::Number(_) => 3,
            Self::Post => 4,
        }
    }
}

impl Ord for Atom {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Word(a), Self::Word(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}
impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl CondaVersion {
    /// Reads a version; `None` for an empty one or one with characters that conda does not admit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        let ok = |c: char| c.is_ascii_alphanumeric() || "._-+!".contains(c);
        if text.is_empty() || !text.chars().all(ok) {
            return None;
        }
        let (epoch, rest) = match text.split_once('!') {
            Some((epoch, rest)) => (epoch.parse().ok()?, rest),
            None => (0, text.as_str()),
        };
        let (main, local) = rest.split_once('+').unwrap_or((rest, ""));
        Some(Self { epoch, segments: segments(main)?, local: segments(local)?, text })
    }
    /// Whether this version begins with the segments of `prefix`: `11.8.0` starts with `11.8`, `11.80` does not.
    #[must_use]
    pub fn starts_with(&self, prefix: &Self) -> bool {
        let n = prefix.segments.len();
        self.epoch == prefix.epoch && self.segments.len() >= n && self.segments[..n] == prefix.segments[..]
    }
}

fn segments(text: &str) -> Option<Vec<Vec<Atom>>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(['.', '-', '_']).map(atoms).collect()
}

fn atoms(segment: &str) -> Option<Vec<Atom>> {
    let mut found = Vec::new();
    let mut rest = segment;
    while let Some(first) = rest.chars().next() {
        let digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digit).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        found.push(match run {
            "dev" => Atom::Dev,
            "post" => Atom::Post,
            _ if digit => Atom::Number(run.parse().ok()?),
            word => Atom::Word(word.to_owned()),
        });
        rest = tail;
    }
    match found.first() {
        // "1_" ends in an empty segment, which conda orders before a letter.
        None => found.push(Atom::Underscore),
        // A segment that starts with a letter starts with number 0 to conda ("1.1.a1" = "1.1.0a1").
        Some(Atom::Number(_)) => {}
        Some(_) => found.insert(0, Atom::Number(0)),
    }
    Some(found)
}

fn compare(a: &[Vec<Atom>], b: &[Vec<Atom>]) -> Ordering {
    let zero = [Atom::Number(0)];
    let (none, filler): (&[Atom], Atom) = (&zero, Atom::Number(0));
    for i in 0..a.len().max(b.len()) {
        let (x, y) = (a.get(i).map_or(none, Vec::as_slice), b.get(i).map_or(none, Vec::as_slice));
        for j in 0..x.len().max(y.len()) {
            let order = x.get(j).unwrap_or(&filler).cmp(y.get(j).unwrap_or(&filler));
            if order.is_ne() {
                return order;
            }
        }
    }
    Ordering::Equal
}

impl Ord for CondaVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        self.epoch
            .cmp(&other.epoch)
            .then_with(|| compare(&self.segments, &other.segments))
            .then_with(|| compare(&self.local, &other.local))
    }
}
impl PartialOrd for CondaVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for CondaVersion {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for CondaVersion {}

impl fmt::Display for CondaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn condas_own_order() {
        // The example list of conda's VersionOrder documentation, in rising order.
        let rising = [
            "0.4",
            "0.4.1.rc",
            "0.4.1",
            "0.5a1",
            "0.5b3",
            "0.5c1",
            "0.5",
            "0.9.6",
            "0.960923",
            "1.0",
            "1.1dev1",
            "1.1a1",
            "1.1.0dev1",
            "1.1.a1",
            "1.1.0rc1",
            "1.1.0",
            "1.1.0post1",
            "1.1post1",
            "1996.07.12",
            "1!0.4.1",
            "1!3.1.1.6",
            "2!0.4.1",
        ];
        let parsed: Vec<_> = rising.iter().map(|t| CondaVersion::parse(t).expect(t)).collect();
        for pair in parsed.windows(2) {
            assert!(pair[0] <= pair[1], "{} is not after {}", pair[1], pair[0]);
        }
        let v = |t| CondaVersion::parse(t).expect("a version");
        assert_eq!(v("0.4"), v("0.4.0"));
        assert!(v("11.8.0").starts_with(&v("11.8")) && !v("11.80").starts_with(&v("11.8")));
    }
}
