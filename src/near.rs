//! Which known name may be meant by one that is not known.

/// More letters apart, and another name is meant.
const FURTHEST: usize = 3;
/// A shorter name is part of too many others.
const SHORTEST: usize = 4;
/// Anything longer is noise.
const LONGEST: usize = 120;

/// The nearest of these names; capitals and `_` for `-` do not matter. `None` where none is near.
pub(crate) fn nearest<'n>(asked: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if asked.len() > LONGEST {
        return None;
    }
    let asked = asked.trim().to_ascii_lowercase().replace('_', "-");
    let most = FURTHEST.min(asked.len() / 2);
    let apart = |name: &str| {
        // Names of other lengths are further apart than that.
        let few = name.len().abs_diff(asked.len()) <= most;
        let letters = few.then(|| distance(name, &asked)).filter(|apart| *apart <= most);
        let holds = asked.len() >= SHORTEST && name.contains(&asked);
        letters.or_else(|| holds.then(|| FURTHEST + name.len() - asked.len()))
    };
    known.filter_map(|name| Some((apart(name)?, name))).min().map(|(_, name)| name)
}

/// How many letters must be put in, taken out or changed.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name() {
        let known = ["companion-mismatch", "driver-too-old", "pytorch", "pypi"];
        for (asked, near) in [
            ("companion", Some("companion-mismatch")),
            ("DRIVER_TOO_OLD", Some("driver-too-old")),
            ("pytorhc", Some("pytorch")),
            ("pipy", Some("pypi")),
            ("unrelated", None),
            ("", None),
            ("é", None),
            (&"pypi".repeat(1 << 18), None),
        ] {
            assert_eq!(nearest(asked, known.into_iter()), near, "{asked:.20}");
        }
    }

    #[test]
    fn distances() {
        for (a, b, apart) in [("", "abc", 3), ("kitten", "sitting", 3), ("rtx4090", "rtx4900", 2), ("a", "a", 0)] {
            assert_eq!((distance(a, b), distance(b, a)), (apart, apart), "{a} {b}");
        }
    }
}
