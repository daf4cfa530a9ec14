//! Links between files, and nothing else: which starts there are, who includes, copies and builds from whom.

mod images;
mod installers;
mod launches;
mod paths;
mod starts;
mod variables;
mod walk;
mod worlds;

pub(crate) use launches::{LaunchPlace, launches};
pub(crate) use starts::{Beginning, Enters, commanded, manifests};
pub(crate) use walk::{Asked, Event, Indexed, Installed, Prefix, Script, walk};
pub(crate) use worlds::{World, worlds};

use std::collections::BTreeMap;

use crate::outline::{Kind, Outline};
use crate::source::{FileId, Sources};

/// All files of the repository with what they say, by path.
pub(crate) struct Project<'a> {
    /// For the texts of spans.
    pub(crate) sources: &'a Sources,
    files: BTreeMap<&'a str, File<'a>>,
    rc_files: Vec<(&'a str, File<'a>)>,
    givers: images::Givers,
    installers: installers::Installers,
}

/// One file.
#[derive(Clone, Copy)]
pub(crate) struct File<'a> {
    pub(crate) id: FileId,
    pub(crate) kind: Kind,
    pub(crate) outline: &'a Outline,
    /// Ours because another file links to it, not by its own name.
    pub(crate) by_link: bool,
}

impl<'a> Project<'a> {
    /// Links these files.
    pub(crate) fn new(sources: &'a Sources, files: impl Iterator<Item = (&'a str, File<'a>)>) -> Self {
        let files: BTreeMap<_, _> = files.collect();
        let rc_files = files.iter().filter(|(_, f)| f.kind == Kind::Rc).map(|(path, f)| (*path, *f)).collect();
        let mut project =
            Self { sources, files, rc_files, givers: images::Givers::default(), installers: installers::Installers::default() };
        project.givers = images::givers(&project);
        project.installers = installers::Installers::of(&project);
        project
    }
    /// The file at a root-relative path.
    pub(crate) fn file(&self, path: &str) -> Option<File<'a>> {
        self.files.get(path).copied()
    }
    /// All files, by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'a str, File<'a>)> {
        self.files.iter().map(|(path, file)| (*path, *file))
    }
    /// The files that every shell reads at its start.
    pub(crate) fn rc_files(&self) -> impl Iterator<Item = (&'a str, File<'a>)> {
        self.rc_files.iter().copied()
    }
    /// What the other files say of building a Dockerfile or of who installs a manifest: part of the fingerprint of its starts.
    pub(crate) fn given_to(&self, path: &str) -> String {
        format!("{:?}{:?}{:?}", self.givers.of(path), self.installers.tool(path), self.installers.by_hand(path))
    }
}
