//! Which folder is the root of a PATH.

use std::path::{Path, PathBuf};

use super::open;
use crate::config;
use crate::source::Sources;

/// The root of a PATH: the nearest folder above it that holds `.git`, a `cudalint.toml`, or a `pyproject.toml` with
/// `[tool.cudalint]`; else the PATH itself, for a file the working directory (or, outside of it, the file's folder).
/// Both paths are absolute.
#[must_use]
pub fn root_of(path: &Path, is_folder: bool, cwd: &Path) -> PathBuf {
    let start = if is_folder { path } else { path.parent().unwrap_or(path) };
    if let Some(root) = start.ancestors().find(|folder| is_root(folder)) {
        return root.to_owned();
    }
    if !is_folder && start.starts_with(cwd) { cwd.to_owned() } else { start.to_owned() }
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
            assert_eq!(root_of(&top.join(path), folder, &top.join(cwd)), top.join(root), "{path} from {cwd}");
        }
    }
}
