//! Links between files, and nothing else: which starts there are, who includes, copies and builds from whom.

mod images;
mod installers;
mod launches;
mod merged;
mod parts;
mod paths;
mod questions;
mod starts;
mod variables;
mod walk;
mod worlds;

pub(crate) use launches::{LaunchPlace, launches};
pub(crate) use starts::{Beginning, Enters, commanded, manifests};
pub(crate) use walk::{Asked, Event, Indexed, Installed, Prefix, Routed, Script, UNREAD, walk};
pub(crate) use worlds::{World, worlds};

use std::collections::{BTreeMap, HashMap};

use crate::outline::{Kind, Outline, Tool};
use crate::source::{FileId, Sources};

/// An rc file that does more is nobody's; each is walked for every manifest below it.
const MOST_OF_RC: usize = 300;
/// Nor does one in a folder deeper than this count.
const DEEPEST_RC: usize = 32;

/// All files of the repository with what they say, by path.
pub(crate) struct Project<'a> {
    /// For the texts of spans.
    pub(crate) sources: &'a Sources,
    files: BTreeMap<&'a str, File<'a>>,
    /// By folder.
    rc_files: HashMap<&'a str, Vec<(&'a str, File<'a>)>>,
    parts: HashMap<FileId, parts::Parts<'a>>,
    givers: images::Givers,
    merged: merged::Merged<'a>,
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
        let mut rc_files: HashMap<&str, Vec<_>> = HashMap::new();
        for (path, file) in files.iter().filter(|(_, f)| f.kind == Kind::Rc && f.outline.acts.len() <= MOST_OF_RC) {
            rc_files.entry(paths::folder(path)).or_default().push((*path, *file));
        }
        let parts = files.values().map(|f| (f.id, parts::Parts::of(f.outline))).collect();
        let (givers, installers) = (images::Givers::default(), installers::Installers::default());
        let merged = merged::Merged::of(files.iter().map(|(path, file)| (*path, *file)));
        let mut project = Self { sources, files, rc_files, parts, givers, merged, installers };
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
    /// The files in or above a path's folder that every shell reads at its start.
    pub(crate) fn rc_files_above(&self, path: &str) -> Vec<(&'a str, File<'a>)> {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]).take(DEEPEST_RC);
        let all = std::iter::once("").chain(folders).filter_map(|folder| self.rc_files.get(folder));
        let mut found: Vec<_> = all.flatten().copied().collect();
        found.sort_unstable_by_key(|(path, _)| *path);
        found
    }
    /// What the other files say of building a Dockerfile or of who installs a manifest: part of the fingerprint of its starts.
    pub(crate) fn given_to(&self, path: &str) -> (u64, Tool) {
        (self.givers.of(path).hash, self.installers.tool(path))
    }
    /// Where the parts of a file begin.
    fn parts(&self, file: FileId) -> &parts::Parts<'a> {
        &self.parts[&file]
    }
}
