//! Packages as manifests and locks name them, and where they come from.

use super::Text;

/// A package that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The whole requirement without options, hashes and comment: `torch==2.1.0+cu118; sys_platform == "linux"`,
    /// a URL, a path, or a conda match spec. `read::syntax` parses it once its variables are known.
    pub written: Text,
    /// How `written` is to be read.
    pub language: Language,
    /// What it is for.
    pub role: Role,
}

/// The notation of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// PEP 508, and what pip accepts beside it: URL, path, `-e`.
    Pep508,
    /// conda's match specification.
    MatchSpec,
}

/// What a requirement does to the package it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Installs it.
    Asks,
    /// Bounds its version if something else installs it (`-c`, `tool.uv.constraint-dependencies`).
    Bounds,
    /// Replaces what other packages ask (`tool.uv.override-dependencies`).
    Overrides,
    /// Needed to build, in a throw-away environment (`build-system.requires`).
    Builds,
}

/// A lock's entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Locked {
    /// The package, with the place of its name's value.
    pub name: Text,
    /// Its one version, with the place of that value; the line that a user would edit.
    pub version: Text,
    /// Where it comes from.
    pub from: LockedFrom,
    /// PEP 508 markers, one of which must hold (lock forks); empty = always.
    pub markers: Vec<String>,
}

/// Where a lock's entry comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum LockedFrom {
    /// From the indexes that are in force where it is installed: the lock names none.
    Indexes,
    /// From PyPI, which such a lock leaves unnamed.
    Pypi,
    /// From the index of that address.
    Index(Text),
    /// A wheel or archive of that address.
    File(Text),
    /// Sources: git, a path; unknown to us.
    Elsewhere,
    /// A conda package: its file's address, or an exact match spec.
    Conda(Text),
}

/// A place that packages come from.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexLine {
    /// Its address or, for conda, the channel's name.
    pub url: Text,
    /// How it takes part.
    pub kind: IndexKind,
    /// The name that a [`Route`] calls it by.
    pub name: Option<String>,
    /// Serves only packages routed to it (`explicit = true`).
    pub explicit: bool,
}

/// How an index takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// Takes the place of PyPI (`--index-url`, `-i`, uv's `default = true`).
    Primary,
    /// Beside PyPI (`--extra-index-url`, `[[tool.uv.index]]`).
    Extra,
    /// A page of links (`-f`, `--find-links`).
    FindLinks,
    /// Asked only for what no other index has (poetry's `supplemental`).
    Supplemental,
    /// No index at all (`--no-index`); `url` is the option itself.
    None,
    /// A conda channel, in order of priority.
    Channel,
}

/// A package's own index.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The package, normalised.
    pub package: String,
    /// Where it comes from.
    pub to: RouteTo,
}

/// Where a routed package comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum RouteTo {
    /// The index of that name.
    Index(Text),
    /// A wheel or archive.
    Url(Text),
    /// A folder here: a path, a workspace member.
    Here,
    /// Sources that are not here.
    Elsewhere,
}
