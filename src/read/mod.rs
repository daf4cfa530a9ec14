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
mod shell;
mod syntax;

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
pub static FORMATS: &[Format] = &[];

/// The kind of a file by its path alone; `None` for one that is not ours by name.
#[must_use]
pub fn kind_by_name(path: &str) -> Option<Kind> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    match name {
        "Dockerfile" => Some(Kind::Dockerfile),
        "pyproject.toml" => Some(Kind::Pyproject),
        "environment.yml" => Some(Kind::CondaEnvironment),
        _ if name.contains("requirements") && name.ends_with(".txt") => Some(Kind::Requirements),
        _ if name.ends_with(".sh") => Some(Kind::Script),
        _ if name.starts_with("docker-compose") && name.ends_with(".yml") => Some(Kind::Compose),
        _ => None,
    }
}

/// The kind of a `*.yml`/`*.yaml` that is not ours by name, by the first 64 KiB of its text.
#[must_use]
pub fn kind_by_content(path: &str, head: &str) -> Option<Kind> {
    let yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    (yaml && head.contains("services:") && head.contains("image:")).then_some(Kind::Compose)
}

/// Reads one file of a kind.
#[must_use]
pub fn read(kind: Kind, file: FileId, text: &str) -> Outline {
    let format = FORMATS.iter().find(|f| f.kind == kind);
    format.and_then(|f| f.read).map_or_else(Outline::default, |read| read(file, text))
}
