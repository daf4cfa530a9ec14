//! Which files are ours by name: a wildcard match on the end of a path.

/// Whether a glob fits the last part of a path or, where it holds a `/`, as many last parts as it has. `*` stays within a part.
pub(super) fn fits(glob: &str, path: &str) -> bool {
    // Nearly every file of a tree is not ours, and its last byte already says so.
    if path.as_bytes().last() != glob.as_bytes().last() && !glob.ends_with('*') {
        return false;
    }
    let mut parts = path.rsplit('/');
    glob.rsplit('/').all(|glob| parts.next().is_some_and(|part| part_fits(glob.as_bytes(), part.as_bytes())))
}

fn part_fits(glob: &[u8], text: &[u8]) -> bool {
    // The classic two-pointer match: on a mismatch go back to the last star and let it take one byte more.
    let (mut g, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        if glob.get(g) == Some(&b'*') {
            star = Some((g, t));
            g += 1;
        } else if glob.get(g) == Some(&text[t]) {
            (g, t) = (g + 1, t + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (g, t) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|b| *b == b'*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn globs() {
        assert!(fits("*requirements*.txt", "a/b/dev-requirements.old.txt"));
        assert!(fits("requirements/*.in", "x/requirements/base.in") && !fits("requirements/*.in", "x/requirements/sub/base.in"));
        assert!(fits("Dockerfile*", "docker/Dockerfile.cu121") && !fits("Dockerfile*", "docker/dockerfile"));
        assert!(!fits("requirements/*.txt", "base.txt"));
        assert!(!fits("*a*a*a*a*a*a*a*b", &"a".repeat(5000)));
    }
}
