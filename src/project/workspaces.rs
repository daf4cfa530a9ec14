//! Which projects are members of a uv workspace: what its root sets holds for all of them.
//! Source: <https://docs.astral.sh/uv/concepts/projects/workspaces/>.

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::{File, Project, paths};
use crate::outline::{Does, Kind, Members, Text};

/// Folders above a project that are looked at.
const HIGHEST: usize = 32;
/// Globs of one root that are looked at.
const MOST: usize = 256;

/// Acts that are looked at for all members of one root together.
const MOST_WORK: usize = 2_000_000;

/// The roots of members, by the members' manifests.
#[derive(Debug, Default)]
pub(super) struct Workspaces<'a> {
    roots: BTreeMap<&'a str, &'a str>,
    /// How many members each root has.
    counts: BTreeMap<&'a str, usize>,
}

impl<'a> Workspaces<'a> {
    pub(super) fn of(files: &BTreeMap<&'a str, File<'a>>) -> Self {
        let projects =
            || files.iter().filter(|(path, file)| file.kind == Kind::Pyproject && paths::name(path) == "pyproject.toml");
        let mut roots: BTreeMap<&str, (&'a str, GlobSet, GlobSet)> = BTreeMap::new();
        for (path, file) in projects() {
            let members = file.outline.acts.iter().find_map(|act| if let Does::Members(m) = &act.does { Some(m) } else { None });
            if let Some(Members { with, without }) = members {
                roots.insert(paths::folder(path), (path, globs(with), globs(without)));
            }
        }
        let mut found = BTreeMap::new();
        for (path, _) in projects().filter(|_| !roots.is_empty()) {
            let own = paths::folder(path);
            let mut folder = own;
            for _ in 0..HIGHEST {
                if folder.is_empty() {
                    break;
                }
                folder = paths::folder(folder);
                // The nearest root above decides: where it does not take the project in, none does.
                if let Some((root, with, without)) = roots.get(folder) {
                    let inside = paths::under(own, folder).unwrap_or(own);
                    if with.is_match(inside) && !without.is_match(inside) {
                        found.insert(*path, *root);
                    }
                    break;
                }
            }
        }
        let mut members: BTreeMap<&str, usize> = BTreeMap::new();
        found.values().for_each(|root| *members.entry(*root).or_default() += 1);
        Self { roots: found, counts: members }
    }
    /// The manifest of the workspace that a project is a member of.
    pub(super) fn root(&self, manifest: &str) -> Option<&'a str> {
        self.roots.get(manifest).copied()
    }
    /// The manifests of the members of the workspace of that root, without its own.
    pub(super) fn members<'s>(&'s self, root: &'s str) -> impl Iterator<Item = &'a str> + 's {
        self.roots.iter().filter(move |(_, of)| **of == root).map(|(path, _)| *path)
    }
    /// Whether looking at a root and its lock for each of its members is more work than anybody's workspace is.
    pub(super) fn is_too_much(&self, project: &Project<'_>, root: &str) -> bool {
        let lock = paths::beside(root, "uv.lock");
        let acts = |path: &str| project.file(path).map_or(0, |file| file.outline.acts.len());
        self.counts.get(root).is_some_and(|members| members * (acts(root) + acts(&lock)) > MOST_WORK)
    }
}

fn globs(written: &[Text]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for text in written.iter().filter_map(Text::known).take(MOST) {
        let text = text.trim_end_matches('/');
        let text = text.strip_prefix("./").unwrap_or(text);
        if let Ok(glob) = GlobBuilder::new(text).literal_separator(true).build() {
            set.add(glob);
        }
    }
    set.build().unwrap_or_default()
}
