//! Which folder is the root of a PATH.

use std::path::{Path, PathBuf};

use super::find::Candidate;
use super::open;
use crate::config;
use crate::source::Sources;

/// The root of a PATH: the nearest folder above it that holds `.git`, a `cudalint.toml`, or a `pyproject.toml` with
/// `[tool.cudalint]`; else the PATH itself, for a file the working directory (or, outside of it, the file's folder).
/// The root of a file system is no project, whatever it holds: only who names it has it walked.
/// Both paths are absolute.
#[must_use]
pub fn root_of(path: &Path, is_folder: bool, cwd: &Path) -> RootOf {
    let start = if is_folder { path } else { path.parent().unwrap_or(path) };
    let known = |root: &Path| RootOf { path: root.to_owned(), alone: false };
    if let Some(root) = start.ancestors().filter(|folder| !is_top(folder)).find(|folder| is_root(folder)) {
        return known(root);
    }
    if is_folder {
        return known(start);
    }
    if start.starts_with(cwd) && !is_top(cwd) {
        return known(cwd);
    }
    let ours = path.to_str().and_then(|path| Candidate::of(&path.replace('\\', "/"))).is_some();
    RootOf { path: start.to_owned(), alone: !ours || is_top(start) }
}

/// A root, and what is to be read of it.
#[derive(Debug, PartialEq, Eq)]
pub struct RootOf {
    /// The folder.
    pub path: PathBuf,
    /// Nothing but the PATH is read: no project holds it, and it is of no kind that has something around it.
    pub alone: bool,
}

fn is_top(folder: &Path) -> bool {
    folder.parent().is_none()
}

fn is_root(folder: &Path) -> bool {
    folder.join(".git").exists() || folder.join("cudalint.toml").is_file() || {
        let text = open::text(folder, "pyproject.toml").map(|opened| opened.text).unwrap_or_default();
        text.contains("cudalint") && {
            let file = Sources::default().set("pyproject.toml", text.as_str());
            // One with mistakes is one: they are told when it is read.
            !matches!(config::config_in_pyproject(file, &text), Ok(None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mark_above_decides() {
        let temp = tempfile::tempdir().expect("a folder");
        let top = temp.path();
        for folder in ["git/.git", "git/a/b", "conf/a", "bare/a"] {
            std::fs::create_dir_all(top.join(folder)).expect("a folder");
        }
        for file in ["git/a/b/requirements.txt", "conf/cudalint.toml", "bare/a/requirements.txt"] {
            std::fs::write(top.join(file), "").expect("a file");
        }
        for (path, folder, cwd, root) in [
            ("git/a/b", true, "git", "git"),
            ("git/a/b/requirements.txt", false, "git/a", "git"),
            ("git", true, "bare", "git"),
            ("conf/a", true, "conf/a", "conf"),
            ("bare/a", true, "bare", "bare/a"),
            ("bare/a/requirements.txt", false, "bare", "bare"),
            ("bare/a/requirements.txt", false, "conf", "bare/a"),
        ] {
            let known = RootOf { path: top.join(root), alone: false };
            assert_eq!(root_of(&top.join(path), folder, &top.join(cwd)), known, "{path} from {cwd}");
        }
        let found = |path: &str, is_folder: bool, cwd: &Path| {
            let RootOf { path, alone } = root_of(&top.join(path), is_folder, cwd);
            (path, alone)
        };
        // From the top of the file system a file's own folder is its root.
        let up = Path::new("/");
        assert_eq!(found("bare/a/requirements.txt", false, up), (top.join("bare/a"), false));
        assert_eq!(found("bare/a/passwd", false, up), (top.join("bare/a"), true));
        assert_eq!(found("bare/a/passwd", false, &top.join("conf")), (top.join("bare/a"), true));
        assert_eq!(found("bare/a/passwd", false, &top.join("bare")), (top.join("bare"), false));
        assert_eq!(found("conf/a/passwd", false, up), (top.join("conf"), false));
        assert_eq!(found("/requirements.txt", false, up), (up.to_owned(), true));
        assert_eq!(found("/", true, up), (up.to_owned(), false));
    }
}
