//! Which files are ours by name: a wildcard match on the end of a path.

/// The first and last bytes that a name must have to fit one of several globs.
pub(super) struct Borders {
    /// Last bytes of globs that end in a letter.
    last: [bool; 256],
    /// First bytes of those that end in a star and begin with a letter.
    first: [bool; 256],
    /// Folders whose every file fits.
    folders: Vec<&'static str>,
}

impl Borders {
    pub(super) fn of(globs: impl Iterator<Item = &'static str>) -> Self {
        let mut borders = Self { last: [false; 256], first: [false; 256], folders: Vec::new() };
        for glob in globs {
            let name = glob.rsplit('/').next().unwrap_or(glob);
            match (name.as_bytes(), glob.strip_suffix("/*")) {
                ([b'*'], Some(folder)) => borders.folders.push(folder),
                ([b'*'] | [b'*', .., b'*'], _) => borders.first.fill(true),
                ([.., last], _) if *last != b'*' => borders.last[usize::from(*last)] = true,
                ([first, ..], _) => borders.first[usize::from(*first)] = true,
                ([], _) => {}
            }
        }
        borders
    }
    /// `false` only for a path that no glob fits.
    pub(super) fn may_fit(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is = |set: &[bool; 256], byte: Option<&u8>| byte.is_some_and(|b| set[usize::from(*b)]);
        let name = name.as_bytes();
        is(&self.last, name.last()) || is(&self.first, name.first()) || self.folders.iter().any(|f| folder.ends_with(f))
    }
}

/// Whether a glob fits the last part of a path or, where it holds a `/`, as many last parts as it has. `*` stays within a part.
pub(super) fn fits(glob: &str, path: &str) -> bool {
    // Most paths end otherwise, which is told at once.
    let end = glob.rsplit('*').next().unwrap_or(glob);
    if !path.ends_with(end) {
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
    use super::{Borders, fits};

    #[test]
    fn borders_refuse_only_what_no_glob_fits() {
        let globs = ["*.txt", "Dockerfile*", "activate.d/*", ".github/workflows/*.yml"];
        let borders = Borders::of(globs.into_iter());
        for path in
            ["a/b.txt", "x/Dockerfile.cu121", "activate.d/x", "e/activate.d/9", ".github/workflows/a.yml", "a.py", "q", ""]
        {
            let ours = globs.iter().any(|glob| fits(glob, path));
            assert!(!ours || borders.may_fit(path), "{path}");
        }
        assert!(!borders.may_fit("a/b.py") && !borders.may_fit("x/activate.d2/f.py"));
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
