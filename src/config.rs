//! `cudalint.toml`, `[tool.cudalint]`, and host files: the same keys, read in the same way.

use crate::diagnostic::Severity;
use crate::environment::Host;
use crate::source::{FileId, Span};

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Globs of host files, relative to the configuration's folder.
    pub hosts: Vec<(String, Option<Span>)>,
    /// Globs of paths that are not read, relative to the configuration's folder.
    pub exclude: Vec<String>,
    /// Hosts written inline.
    pub host: Vec<Host>,
    /// A company's index in terms of a public one: address → index id of the tables.
    pub mirrors: Vec<(String, String)>,
    /// A company's image (glob) in terms of a public one.
    pub images: Vec<(String, String)>,
    /// Highest level by rule; `None` = off.
    pub levels: Vec<(String, Option<Severity>, Span)>,
    /// Levels by path.
    pub per_path: Vec<PerPath>,
}

/// Levels for some paths.
#[derive(Clone, Debug)]
pub struct PerPath {
    /// Glob, relative to the configuration's folder.
    pub path: String,
    /// Highest level by rule; `None` = off.
    pub levels: Vec<(String, Option<Severity>, Span)>,
}

/// A mistake in a configuration or host file; the program exits with 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// Where.
    pub at: Span,
    /// What, with the key's name and what to do: one line.
    pub what: String,
}

/// Reads `cudalint.toml`.
///
/// # Errors
/// Every mistake in the file: syntax, an unknown key, a value of the wrong type.
pub fn config(file: FileId, text: &str) -> Result<Config, Vec<Mistake>> {
    let _ = (file, text);
    Err(Vec::new())
}

/// Reads `[tool.cudalint]` of a pyproject.toml; `None` where there is none, or the file is not TOML.
///
/// # Errors
/// As [`config`].
pub fn config_in_pyproject(file: FileId, text: &str) -> Result<Option<Config>, Vec<Mistake>> {
    let _ = (file, text);
    Ok(None)
}

/// Reads a host file.
///
/// # Errors
/// As [`config`].
pub fn host(file: FileId, text: &str) -> Result<Host, Vec<Mistake>> {
    let _ = (file, text);
    Err(Vec::new())
}
