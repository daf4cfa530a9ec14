//! One reader a format: text → [`Outline`]. A reader knows syntax and nothing else.

use crate::outline::{Kind, Outline};
use crate::source::FileId;

mod command;
mod compose;
mod conda_environment;
mod container;
mod devcontainer;
mod dockerfile;
mod excerpt;
mod kubernetes;
mod pyproject;
mod requirements;
mod shell;
pub(crate) mod syntax;
mod uv_lock;
mod uv_settings;
mod workflow;

/// A reader: never panics, whatever the bytes; spans lie on character borders of `text`.
pub(crate) type Reader = fn(FileId, &str) -> Outline;

/// One row of the table of our files.
pub struct Format {
    /// The kind of file.
    pub kind: Kind,
    /// File names that are ours, as globs on the last part of the path (or, with `/`, on its end).
    pub names: &'static [&'static str],
    pub(crate) read: Option<Reader>,
}

/// The files that are ours; the first row that matches decides.
pub static FORMATS: &[Format] = &[
    Format {
        kind: Kind::Requirements,
        names: &[
            "*requirements*.txt",
            "*requirements*.in",
            "req*.txt",
            "reqs*.txt",
            "requirements/*.txt",
            "requirements/*.in",
            "reqs/*.txt",
            "reqs/*.in",
            "*constraints*.txt",
        ],
        read: Some(requirements::read),
    },
    Format { kind: Kind::Pyproject, names: &["pyproject.toml"], read: Some(pyproject::read) },
    Format { kind: Kind::UvLock, names: &["uv.lock"], read: Some(uv_lock::read) },
    Format {
        kind: Kind::CondaEnvironment,
        names: &["environment*.yml", "environment*.yaml", "env*.yml", "env*.yaml", "conda*.yml", "conda*.yaml"],
        read: Some(conda_environment::read),
    },
    Format { kind: Kind::Compose, names: &["*compose*.yml", "*compose*.yaml"], read: Some(compose::read) },
    Format { kind: Kind::Kubernetes, names: &[], read: Some(kubernetes::read) },
    Format { kind: Kind::Devcontainer, names: &["devcontainer.json", ".devcontainer.json"], read: Some(devcontainer::read) },
    Format { kind: Kind::Workflow, names: &[".github/workflows/*"], read: Some(workflow::read) },
];

/// The kind of a file by its path alone; `None` for one that is not ours by name.
#[must_use]
pub fn kind_by_name(path: &str) -> Option<Kind> {
    let _ = path;
    None
}

/// The kind of a `*.yml`/`*.yaml` that is not ours by name, by the first 64 KiB of its text.
#[must_use]
pub fn kind_by_content(path: &str, head: &str) -> Option<Kind> {
    let _ = (path, head);
    None
}

/// Reads one file of a kind.
#[must_use]
pub fn read(kind: Kind, file: FileId, text: &str) -> Outline {
    let format = FORMATS.iter().find(|f| f.kind == kind);
    format.and_then(|f| f.read).map_or_else(Outline::default, |read| read(file, text))
}
