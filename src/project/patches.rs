//! Manifests that a kustomization changes before they are applied.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Project, paths};
use crate::outline::{Does, How, Kind, Launch, Object, Patch};
use crate::read::kustomization::may_concern_gpus;

/// Files that all kustomizations together are followed to; what lies behind the last of them counts as changed.
const MOST: usize = 20_000;
/// Different patches of one file; with more all of it counts as changed.
const MOST_OF_ONE: usize = 100;
/// The names that Kustomize looks for in a folder.
const NAMES: &[&str] = &["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Patches that may concern GPUs, by the path of the manifest.
#[derive(Debug, Default)]
pub(super) struct Patches {
    of: HashMap<String, BTreeSet<Object>>,
    /// There was more than is followed: any manifest may be changed.
    open: bool,
}

impl Patches {
    pub(super) fn of(project: &Project<'_>) -> Self {
        let mut patches = Self::default();
        let mut left = MOST;
        for (path, file) in project.files().filter(|(_, file)| file.kind == Kind::Kustomization) {
            let mut targets: BTreeSet<Object> = BTreeSet::new();
            let mut manifests: Vec<String> = Vec::new();
            let mut seen = HashSet::from([path.to_owned()]);
            // With each, whether its patches hold for what is taken here.
            let mut ahead = vec![(path.to_owned(), file, true)];
            while let Some((path, file, own)) = ahead.pop() {
                for act in &file.outline.acts {
                    match &act.does {
                        Does::Patch(patch) if own => targets.extend(project.target(&path, patch)),
                        Does::Include(include) => {
                            let Some(place) = include.path.known().and_then(|to| paths::join(paths::folder(&path), to)) else {
                                continue;
                            };
                            if left == 0 {
                                patches.open = true;
                                return patches;
                            }
                            left -= 1;
                            let own = own && include.how == How::Component;
                            match project.file(&place) {
                                Some(file) if file.kind == Kind::Kubernetes => manifests.push(place),
                                _ => {
                                    let found = NAMES.iter().map(|name| {
                                        if place.is_empty() { (*name).to_owned() } else { format!("{place}/{name}") }
                                    });
                                    let found = found.filter_map(|path| Some((project.file(&path)?, path))).next();
                                    ahead.extend(
                                        found.filter(|(_, path)| seen.insert(path.clone())).map(|(file, path)| (path, file, own)),
                                    );
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            for manifest in manifests.into_iter().filter(|_| !targets.is_empty()) {
                let of = patches.of.entry(manifest).or_default();
                let all = targets.iter().take(MOST_OF_ONE - of.len().min(MOST_OF_ONE));
                of.extend(all.cloned());
                if of.len() >= MOST_OF_ONE {
                    of.insert(Object::default());
                }
            }
        }
        patches
    }

    /// Whether what a launch asks for may be changed.
    pub(super) fn change(&self, path: &str, launch: &Launch) -> bool {
        let Some(object) = &launch.object else { return false };
        let fits = |pattern: &str, name: &str| {
            // Names may be regular expressions: those are not read.
            let plain = pattern.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
            pattern.is_empty() || !plain || pattern == name
        };
        let all = self.of.get(path).into_iter().flatten();
        self.open || all.into_iter().any(|of| fits(&of.kind, &object.kind) && fits(&of.name, &object.name))
    }
}

impl Project<'_> {
    /// What a patch changes, if it may concern GPUs. That of a manifest without a target names its object itself, and is
    /// found by that.
    fn target(&self, path: &str, patch: &Patch) -> Option<Object> {
        let file = patch.path.as_ref().map(|to| paths::join(paths::folder(path), to.known()?).and_then(|path| self.file(&path)));
        let Some(Some(file)) = file else { return Some(patch.of.clone()) };
        let names_it = file.outline.acts.iter().any(|act| matches!(&act.does, Does::Launch(l) if l.object.is_some()));
        let found_by_name = names_it && patch.of == Object::default();
        let text = self.sources.text(file.id);
        (!found_by_name && may_concern_gpus(text)).then(|| patch.of.clone())
    }
}
