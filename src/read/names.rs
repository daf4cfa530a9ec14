//! Which files are ours by name: a wildcard match on the end of a path.

use std::collections::HashMap;

/// Globs with what each stands for, found by the end of a file's name: a path is held against the few that may fit it.
pub(super) struct Index<T> {
    /// By what stands after the last dot of the name, or by the whole name where it has none.
    ends: HashMap<&'static str, Vec<(&'static str, T)>>,
    /// Those whose name may end in anything.
    open: Vec<(&'static str, T)>,
}

impl<T: Copy> Index<T> {
    pub(super) fn of(globs: impl Iterator<Item = (&'static str, T)>) -> Self {
        let mut index = Self { ends: HashMap::new(), open: Vec::new() };
        for row in globs {
            let end = end_of(name_of(row.0));
            if end.contains('*') { &mut index.open } else { index.ends.entry(end).or_default() }.push(row);
        }
        index
    }
    /// What the globs that fit a path stand for, in no order.
    pub(super) fn fitting(&self, path: &str) -> impl Iterator<Item = T> {
        let name = name_of(path);
        let by_end = self.ends.get(end_of(name)).into_iter().flatten();
        let fit =
            move |glob: &str| if glob.contains('/') { fits(glob, path) } else { part_fits(glob.as_bytes(), name.as_bytes()) };
        by_end.chain(&self.open).filter(move |(glob, _)| fit(glob)).map(|(_, meaning)| *meaning)
    }
}

fn name_of(path: &str) -> &str {
    path.bytes().rposition(|b| b == b'/').map_or(path, |at| &path[at + 1..])
}

fn end_of(name: &str) -> &str {
    name.bytes().rposition(|b| b == b'.').map_or(name, |at| &name[at + 1..])
}

/// Whether a glob fits the last part of a path or, where it holds a `/`, as many last parts as it has. `*` stays within a part.
pub(super) fn fits(glob: &str, path: &str) -> bool {
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
    use super::{Index, fits};

    #[test]
    fn an_index_finds_every_glob_that_fits() {
        let globs =
            ["*.txt", "r*.txt", "Dockerfile*", "Makefile", "activate.d/*", ".github/workflows/*.yml", ".bashrc", "a.*.toml"];
        let index = Index::of(globs.into_iter().map(|glob| (glob, glob)));
        for (path, count) in [
            ("a/b.txt", 1),
            ("req.txt", 2),
            ("x/Dockerfile.cu121", 1),
            ("Dockerfile.txt", 2),
            ("m/Makefile", 1),
            ("x.Makefile", 0),
            ("activate.d/x", 1),
            ("e/activate.d/9.txt", 2),
            (".github/workflows/a.yml", 1),
            ("workflows/a.yml", 0),
            (".bashrc", 1),
            ("a.dev.toml", 1),
            ("a.py", 0),
            ("", 0),
        ] {
            assert_eq!(index.fitting(path).count(), count, "{path}");
            assert_eq!(globs.iter().filter(|glob| fits(glob, path)).count(), count, "{path}");
        }
    }

    #[test]
    fn globs() {
        assert!(fits("*requirements*.txt", "a/b/dev-requirements.old.txt"));
        assert!(fits("requirements/*.in", "x/requirements/base.in") && !fits("requirements/*.in", "x/requirements/sub/base.in"));
        assert!(fits("Dockerfile*", "docker/Dockerfile.cu121") && !fits("Dockerfile*", "docker/dockerfile"));
        assert!(!fits("requirements/*.txt", "base.txt"));
        assert!(!fits("*a*a*a*a*a*a*a*b", &"a".repeat(5000)));
    }
}
