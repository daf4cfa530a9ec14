//! PATHs → roots.

use std::path::{Component, Path, PathBuf};

use cudalint::viewpoint::Viewpoint;
use cudalint::walk::{RootOf, root_of};

use super::Failure;

/// A root with the PATHs that lie in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Absolute and without links.
    pub(super) root: PathBuf,
    /// Root-relative PATHs; empty where the root itself is one.
    pub(super) within: Vec<String>,
    /// Those of them that are files, root-relative.
    pub(super) files: Vec<String>,
    /// Nothing but these files is read.
    pub(super) alone: bool,
}

/// Groups PATHs by their roots.
pub(super) fn of(paths: &[PathBuf], cwd: &Path) -> Result<Vec<Target>, Failure> {
    let mut failures = Vec::new();
    let mut targets: Vec<Target> = Vec::new();
    for path in paths {
        match resolve(path, cwd) {
            Ok((whole, is_folder)) => add(&mut targets, &whole, is_folder, cwd).unwrap_or_else(|line| failures.push(line)),
            Err(error) => failures.push(format!("{}: {}", path.display(), why(&error))),
        }
    }
    if failures.is_empty() { Ok(targets) } else { Err(Failure(failures)) }
}

/// The root of a file that need not exist: its text comes from standard input.
pub(super) fn of_text(path: &Path, cwd: &Path) -> Result<Target, Failure> {
    let whole = resolve(path, cwd).map(|(whole, _)| whole).unwrap_or_else(|_| flat(&cwd.join(path)));
    let mut targets = Vec::new();
    add(&mut targets, &whole, false, cwd).map_err(Failure::new)?;
    targets.pop().ok_or_else(|| Failure::new(format!("{}: no file name", path.display())))
}

fn add(targets: &mut Vec<Target>, path: &Path, is_folder: bool, cwd: &Path) -> Result<(), String> {
    let RootOf { path: root, alone } = root_of(path, is_folder, cwd);
    let below = path.strip_prefix(&root).ok().and_then(Path::to_str).ok_or_else(|| format!("{}: not UTF-8", path.display()))?;
    let below = if cfg!(windows) { below.replace('\\', "/") } else { below.to_owned() };
    let at = targets.iter().position(|t| t.root == root).unwrap_or_else(|| {
        targets.push(Target { root, within: Vec::new(), files: Vec::new(), alone });
        targets.len() - 1
    });
    targets[at].alone &= alone;
    if !is_folder {
        targets[at].files.push(below.clone());
    }
    targets[at].within.push(below);
    Ok(())
}

/// The absolute path without links, save a link at its end to a file: the name decides what a file is.
fn resolve(path: &Path, cwd: &Path) -> std::io::Result<(PathBuf, bool)> {
    let whole = cwd.join(path);
    if whole.metadata()?.is_dir() {
        return Ok((whole.canonicalize()?, true));
    }
    match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) => Ok((parent.canonicalize()?.join(name), false)),
        _ => Ok((whole.canonicalize()?, false)),
    }
}

/// A file that the user names, as outputs print it: relative to the working directory, with `/`. Links stay.
pub(super) fn seen(path: &Path, cwd: &Path) -> String {
    let whole = flat(&cwd.join(path));
    match (whole.parent(), whole.file_name()) {
        (Some(folder), Some(name)) => Viewpoint::new(folder, cwd).path(&name.to_string_lossy()),
        _ => whole.to_string_lossy().into_owned(),
    }
}

/// Without `.` and `..`, by the letters alone.
fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            part => flat.push(part),
        }
    }
    flat
}

/// An error of the file system in few words.
pub(super) fn why(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        kind => kind.to_string(),
    }
}
