//! Paths as outputs print them: relative to the working directory, with `/`.

use std::path::{Component, Path};

use crate::source::{FileId, Origin, Sources};

/// A root as it is seen from the working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewpoint {
    /// What leads from the working directory to the root; empty where the working directory is the root or lies below it.
    to_root: String,
    /// The folders that lead from the root down to the working directory.
    below: Vec<String>,
}

impl Viewpoint {
    /// Both paths are absolute and have no `.` or `..`.
    #[must_use]
    pub fn new(root: &Path, cwd: &Path) -> Self {
        let (root, cwd) = (parts(root), parts(cwd));
        let shared = root.iter().zip(&cwd).take_while(|(a, b)| a == b).count();
        if shared == root.len() {
            return Self { to_root: String::new(), below: cwd[shared..].to_vec() };
        }
        // Another drive: there is no way from here to there.
        if shared == 0 {
            return Self { to_root: root.join("/") + "/", below: Vec::new() };
        }
        let mut to_root = "../".repeat(cwd.len() - shared);
        for folder in &root[shared..] {
            to_root.push_str(folder);
            to_root.push('/');
        }
        Self { to_root, below: Vec::new() }
    }
    /// A root-relative path, seen from the working directory.
    #[must_use]
    pub fn path(&self, path: &str) -> String {
        let shared = self.below.iter().zip(path.split('/')).take_while(|(a, b)| a == b).count();
        // The path of a folder that the working directory lies in or under has nothing left after it.
        let rest = path.splitn(shared + 1, '/').nth(shared).unwrap_or_default();
        let up = "../".repeat(self.below.len() - shared);
        let seen = format!("{}{up}{rest}", self.to_root);
        let seen = seen.strip_suffix('/').unwrap_or(&seen);
        if seen.is_empty() { ".".to_owned() } else { seen.to_owned() }
    }
    /// The path of a text; `None` for one made of options.
    #[must_use]
    pub fn name(&self, sources: &Sources, file: FileId) -> Option<String> {
        match sources.origin(file) {
            Origin::Repository => Some(self.path(sources.path(file))),
            Origin::Outside => Some(sources.path(file).to_owned()),
            Origin::CommandLine => None,
        }
    }
}

fn parts(path: &Path) -> Vec<String> {
    let name = |c: Component<'_>| match c {
        // Keeps the first element of an absolute path apart from every folder name.
        Component::RootDir => String::new(),
        other => other.as_os_str().to_string_lossy().into_owned(),
    };
    path.components().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_the_working_directory() {
        for (root, cwd, path, seen) in [
            ("/r", "/r", "a/b.txt", "a/b.txt"),
            ("/r", "/r/a", "a/b.txt", "b.txt"),
            ("/r", "/r/a/c", "a/b.txt", "../b.txt"),
            ("/r", "/r/a/c", "b.txt", "../../b.txt"),
            ("/r/x", "/r", "a/b.txt", "x/a/b.txt"),
            ("/s/x", "/r/y", "a.txt", "../../s/x/a.txt"),
            ("/", "/r", "a.txt", "../a.txt"),
            ("/r", "/", "a.txt", "r/a.txt"),
            ("/r", "/r", "", "."),
            ("/r", "/r/a", "", ".."),
            ("/r", "/r/a", "a", "."),
            ("/r", "/r/a", "Dockerfile:runtime", "../Dockerfile:runtime"),
        ] {
            assert_eq!(Viewpoint::new(Path::new(root), Path::new(cwd)).path(path), seen, "{root} {cwd} {path}");
        }
    }
}
