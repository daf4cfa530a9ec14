//! The walk itself: in parallel, without opening a file.

use std::borrow::Cow;
use std::path::Path;
use std::sync::mpsc;

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::ignored::Ignored;
use super::skipped;
use crate::diagnostic::Skipped;
use crate::outline::Kind;
use crate::read;

/// Folders that are never entered, unless a PATH lies inside.
const NEVER: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    "node_modules",
    "site-packages",
    "__pycache__",
    ".tox",
    ".nox",
    ".pixi",
    ".mypy_cache",
    ".ruff_cache",
    ".eggs",
    "conda-meta",
];
/// Files that mark an installed environment: the folder that holds one is never entered either.
const MARKS: &[&str] = &["pyvenv.cfg", "conda-meta/history"];

/// What the walk met.
#[derive(Debug)]
pub(super) enum Met {
    /// A file to open, by its root-relative path.
    File(String, Candidate),
    /// A file or folder that cannot be.
    Skipped(Skipped),
}

/// A file that may be ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// Ours, of that kind; without one where the user names the file.
    Ours(Option<Kind>),
    /// A YAML file: its content decides.
    Yaml,
}

impl Candidate {
    pub(super) fn of(path: &str) -> Option<Self> {
        match read::kind_by_name(path) {
            Some(kind) => Some(Self::Ours(Some(kind))),
            None if path.ends_with(".yml") || path.ends_with(".yaml") => Some(Self::Yaml),
            None if super::name(path) == "cudalint.toml" => Some(Self::Ours(Some(Kind::Config))),
            None => None,
        }
    }
}

/// Walks what is below `start`, a folder in or under `root`; `leave_out` tells the folders (root-relative) to stay out of.
pub(super) fn find(root: &Path, start: &Path, no_ignore: bool, leave_out: &(dyn Fn(&str) -> bool + Sync)) -> Vec<Met> {
    let mut builder = WalkBuilder::new(start);
    builder.standard_filters(false).follow_links(false);
    let ignored = (!no_ignore).then(Ignored::default);
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8));
    let (sender, met) = mpsc::channel();
    let look = Look { root, ignored: ignored.as_ref(), leave_out };
    builder.threads(threads).build_parallel().run(|| {
        let sender = sender.clone();
        Box::new(move |entry| {
            let (met, state) = match entry {
                Ok(entry) => look.at(&entry),
                Err(error) => (Vec::from_iter(failure(root, &error)), WalkState::Continue),
            };
            if met.into_iter().all(|met| sender.send(met).is_ok()) { state } else { WalkState::Quit }
        })
    });
    drop(sender);
    met.into_iter().collect()
}

/// What an entry is looked at with.
#[derive(Clone, Copy)]
struct Look<'w> {
    root: &'w Path,
    ignored: Option<&'w Ignored>,
    leave_out: &'w (dyn Fn(&str) -> bool + Sync),
}

impl Look<'_> {
    fn at(self, entry: &DirEntry) -> (Vec<Met>, WalkState) {
        let path = relative(self.root, entry.path());
        if entry.file_type().is_some_and(|t| t.is_dir()) {
            let out = entry.depth() > 0
                && (is_never_entered(entry.path())
                    || path.as_deref().is_ok_and(self.leave_out)
                    || self.is_ignored(entry.path(), true));
            if out {
                return (Vec::new(), WalkState::Skip);
            }
            let told = self.ignored.map(|ignored| ignored.enter(self.root, entry.path())).unwrap_or_default();
            return (told.into_iter().map(Met::Skipped).collect(), WalkState::Continue);
        }
        let met = match path {
            Ok(path) => Candidate::of(&path).map(|candidate| Met::File(path.into_owned(), candidate)),
            Err(lossy) => Candidate::of(&lossy).map(|_| Met::Skipped(skipped(&lossy, "its name is not UTF-8"))),
        };
        // Few files are candidates: only these are held against patterns.
        let met = met.filter(|_| entry.depth() > 0 && !self.is_ignored(entry.path(), false));
        (met.into_iter().collect(), WalkState::Continue)
    }

    fn is_ignored(self, path: &Path, is_folder: bool) -> bool {
        self.ignored.is_some_and(|ignored| ignored.leave_out(path, is_folder))
    }
}

/// Whether a folder holds nothing of ours: a repository's own, an installed environment, downloaded packages.
#[must_use]
pub fn is_never_entered(folder: &Path) -> bool {
    folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| NEVER.contains(&name))
        || MARKS.iter().any(|mark| folder.join(mark).exists())
}

/// The part of a path below the root, with `/`; with replacement characters where it is not UTF-8.
pub(super) fn relative<'p>(root: &Path, path: &'p Path) -> Result<Cow<'p, str>, String> {
    let top = root.as_os_str().as_encoded_bytes();
    let below = path.as_os_str().as_encoded_bytes().get(top.len()..).unwrap_or_default();
    let below = match below {
        [first, rest @ ..] if std::path::is_separator(char::from(*first)) => rest,
        below => below,
    };
    match std::str::from_utf8(below) {
        Ok(path) if cfg!(windows) => Ok(path.replace('\\', "/").into()),
        Ok(path) => Ok(path.into()),
        Err(_) => Err(String::from_utf8_lossy(below).into_owned()),
    }
}

fn failure(root: &Path, error: &ignore::Error) -> Option<Met> {
    let mut inner = error;
    let mut path = None;
    loop {
        inner = match inner {
            ignore::Error::WithPath { path: at, err } => {
                path = Some(at);
                err
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => err,
            _ => break,
        };
    }
    let path = relative(root, path?).unwrap_or_else(Cow::Owned);
    let reason = inner.io_error().map_or_else(|| inner.to_string(), super::open::reason);
    Some(Met::Skipped(skipped(if path.is_empty() { "." } else { &path }, &reason)))
}
