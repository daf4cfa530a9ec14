//! What may be there before a manifest is installed: what Markdown tells people to install first, and what the files that
//! are installed with it choose. It only ever silences.

use std::collections::BTreeMap;

use super::{File, Project, paths};
use crate::notation::requirement::{self, Subject};
use crate::outline::{Does, How, Include, Install, Kind, Place};
use crate::source::Span;

/// Of one page no more commands are looked at, and of all pages no more for one manifest.
const MOST: usize = 16;
/// No project has more manifests that bring it.
const MOST_MANIFESTS: usize = 8;
/// Manifests that a folder's project may be installed by.
const PROJECT: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// What comes before one manifest.
#[derive(Debug, Default)]
pub(crate) struct Before<'a> {
    /// Commands of Markdown, each with its page.
    pub(super) commands: Vec<Told<'a>>,
    /// Manifests beside it, or that bring it.
    pub(super) manifests: Vec<&'a str>,
}

/// A command that a page tells people to type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'a> {
    pub(super) page: &'a str,
    pub(super) at: Span,
    pub(super) install: &'a Install,
}

/// All that comes before manifests, by their paths.
pub(super) fn before<'a>(project: &Project<'a>) -> BTreeMap<String, Before<'a>> {
    let mut found: BTreeMap<String, Before<'a>> = BTreeMap::new();
    for (path, file) in project.files().filter(|(_, file)| file.kind == Kind::Markdown) {
        page(project, path, file, &mut found);
    }
    let mut folders: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
    let chooses = |path: &str, kind| match kind {
        Kind::Requirements => !paths::name(path).to_lowercase().contains("constraint"),
        kind => kind == Kind::CondaEnvironment,
    };
    for (path, file) in project.files().filter(|(path, file)| !file.by_link && chooses(path, file.kind)) {
        folders.entry(paths::folder(path)).or_default().push(path);
        for place in brought(file).filter_map(|folder| paths::join(paths::folder(path), &folder)) {
            if place != paths::folder(path) {
                PROJECT.iter().for_each(|name| add(project, &mut found, inside(&place, name), path));
            }
        }
    }
    for (folder, manifests) in folders {
        for name in PROJECT {
            manifests.iter().take(MOST_MANIFESTS).for_each(|path| add(project, &mut found, inside(folder, name), path));
        }
    }
    found
}

fn add<'a>(project: &Project<'a>, found: &mut BTreeMap<String, Before<'a>>, place: String, manifest: &'a str) {
    if project.file(&place).is_some() {
        let manifests = &mut found.entry(place).or_default().manifests;
        if manifests.len() < MOST_MANIFESTS && !manifests.contains(&manifest) {
            manifests.push(manifest);
        }
    }
}

fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The folders of projects that a manifest brings: `-e .`.
fn brought(file: File<'_>) -> impl Iterator<Item = String> {
    file.outline.acts.iter().filter_map(|act| match &act.does {
        Does::Include(Include { path, how: How::Project }) => path.known().map(str::to_owned),
        Does::Require(requirement) => {
            let text = requirement.written.known().filter(|text| text.starts_with(['.', '/']))?;
            match requirement::parse(text).ok()?.subject {
                Subject::Path(folder) => Some(folder),
                _ => None,
            }
        }
        _ => None,
    })
}

/// Reads one page from its top: all commands before the one that installs a manifest count, alternatives or not.
fn page<'a>(project: &Project<'a>, path: &'a str, file: File<'a>, found: &mut BTreeMap<String, Before<'a>>) {
    let mut before: Vec<Told<'a>> = Vec::new();
    let mut entered: Option<&str> = None;
    for act in &file.outline.acts {
        let install = match &act.does {
            Does::Enter(Place::Directory(to)) => {
                entered = to.known();
                continue;
            }
            Does::Install(install) if !install.flags.elsewhere => install,
            _ => continue,
        };
        // What makes a new environment begins anew.
        if !install.flags.creates {
            for place in places(project, path, entered, install) {
                let commands = &mut found.entry(place).or_default().commands;
                let known = commands.iter().filter(|told| told.page == path).count();
                let room = MOST.saturating_sub(commands.len());
                commands.extend(before.iter().skip(known).take(room));
            }
        }
        if before.len() < MOST {
            before.push(Told { page: path, at: act.at, install });
        }
    }
}

/// The manifests that a command of a page installs. Where it is run is not known: the page's folder, the root, or the
/// folder that was entered last.
fn places(project: &Project<'_>, page: &str, entered: Option<&str>, install: &Install) -> Vec<String> {
    let mut bases: Vec<String> = [paths::folder(page), ""].map(str::to_owned).into();
    bases.dedup();
    let into: Vec<_> = bases.iter().filter_map(|base| paths::join(base, entered?)).collect();
    bases.extend(into);
    let mut found = Vec::new();
    for read in &install.reads {
        let Some(path) = read.path.known() else { continue };
        let names: Vec<String> = match read.how {
            How::Requirements | How::CondaEnvironment => vec![path.to_owned()],
            How::Project => PROJECT.iter().map(|name| format!("{}/{name}", path.split('[').next().unwrap_or_default())).collect(),
            _ => continue,
        };
        let all = bases.iter().flat_map(|base| names.iter().filter_map(move |name| paths::join(base, name)));
        found.extend(all.filter(|place| project.file(place).is_some()));
    }
    found
}
