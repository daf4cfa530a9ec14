//! What is there before a manifest is installed, or comes with it, and does not stand in it: what Markdown tells people to
//! install first, what the files choose that are installed with it, and what the commands bring that install it. It only
//! ever silences.

mod brought;
mod told;

use std::collections::BTreeMap;

use super::{File, Project, locks, paths};
use crate::notation::requirement::{self, Subject};
use crate::outline::{Does, How, Include, Kind, Text};
use crate::source::Span;
pub(super) use brought::{Brought, Tags};
pub(crate) use told::Told;

/// No project has more manifests that bring it.
const MOST_MANIFESTS: usize = 8;
/// Manifests that a folder's project may be installed by.
const PROJECT: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// What comes before one manifest, or with it.
#[derive(Debug, Default)]
pub(crate) struct Before<'a> {
    /// Commands of Markdown, each with its page.
    pub(super) commands: Vec<Told<'a>>,
    /// Manifests beside it, or that bring it.
    pub(super) manifests: Vec<&'a str>,
    /// What the commands and manifests bring that install it.
    brought: Brought,
}

/// All that comes before manifests, by their paths.
pub(super) fn before<'a>(project: &Project<'a>) -> BTreeMap<String, Before<'a>> {
    let mut found: BTreeMap<String, Before<'a>> = BTreeMap::new();
    for (path, file) in project.files().filter(|(_, file)| file.kind == Kind::Markdown) {
        told::page(project, path, file, &mut found);
    }
    for (place, brought) in brought::brought(project) {
        found.entry(place).or_default().brought = brought;
    }
    let mut folders: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
    let chooses = |path: &str, kind| match kind {
        Kind::Requirements => !paths::name(path).to_lowercase().contains("constraint"),
        kind => kind == Kind::CondaEnvironment,
    };
    for (path, file) in project.files().filter(|(path, file)| !file.by_link && chooses(path, file.kind)) {
        folders.entry(paths::folder(path)).or_default().push(path);
        for place in projects(file).filter_map(|folder| paths::join(paths::folder(path), &folder)) {
            if place != paths::folder(path) {
                PROJECT.iter().for_each(|name| add(project, &mut found, paths::join(&place, name), path));
            }
        }
    }
    for (folder, manifests) in folders {
        for name in PROJECT {
            manifests.iter().take(MOST_MANIFESTS).for_each(|path| add(project, &mut found, paths::join(folder, name), path));
        }
    }
    found
}

fn add<'a>(project: &Project<'a>, found: &mut BTreeMap<String, Before<'a>>, place: Option<String>, manifest: &'a str) {
    if let Some(place) = place.filter(|place| project.file(place).is_some()) {
        let manifests = &mut found.entry(place).or_default().manifests;
        if manifests.len() < MOST_MANIFESTS && !manifests.contains(&manifest) {
            manifests.push(manifest);
        }
    }
}

/// The folders of projects that a manifest brings: `-e .`.
fn projects(file: File<'_>) -> impl Iterator<Item = String> {
    file.outline.acts.iter().filter_map(|act| match &act.does {
        Does::Include(Include { path, how: How::Project }) => path.known().map(str::to_owned),
        Does::Require(requirement) => folder_of(&requirement.written),
        _ => None,
    })
}

/// Where a manifest may lie that is named in one of these folders.
pub(super) fn places<F: AsRef<str>>(how: How, folders: &[F], to: &str) -> Vec<String> {
    let (to, names): (&str, &[&str]) = match how {
        How::Requirements | How::CondaEnvironment | How::Script => (to, &[""]),
        How::Project => (to.split('[').next().unwrap_or(to), &PROJECT),
        _ => (to, &[]),
    };
    let all = folders.iter().filter_map(|folder| paths::join(folder.as_ref(), to));
    let mut found: Vec<String> = all.flat_map(|to| names.iter().filter_map(move |name| paths::join(&to, name))).collect();
    found.dedup();
    found
}

/// The folder of a project that is asked for (`.`, `-e ./sub[x]`).
pub(super) fn folder_of(written: &Text) -> Option<String> {
    let text = written.known().filter(|text| text.starts_with(['.', '/', '-']))?;
    match requirement::parse(text).ok()?.subject {
        Subject::Path(folder) => Some(folder),
        _ => None,
    }
}

impl Project<'_> {
    /// Where those who run a script or a makefile name an index for it.
    pub(super) fn index_for(&self, path: &str) -> Option<Span> {
        self.before.get(path)?.brought.index
    }

    /// What else comes where people install a manifest: then it is not known to be installed as it stands.
    pub(super) fn brought(&self, path: &str) -> Brought {
        // A lock says itself what comes.
        if locks::beside(self, self.workspaces.root(path).unwrap_or(path)).next().is_some() {
            return Brought::default();
        }
        let mut all = self.before.get(path).map(|before| before.brought.clone()).unwrap_or_default();
        // Every shell there has it.
        all.index =
            all.index.or_else(|| self.rc_files_above(path).iter().find_map(|(_, rc)| brought::index_variable(&rc.outline.acts)));
        all
    }
}
