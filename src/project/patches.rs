//! Manifests that a kustomization changes before they are applied.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Project, paths};
use crate::outline::{Change, Does, How, Kind, Launch, Object, Patch};
use crate::source::FileId;

/// Files that all kustomizations together are followed to; what lies behind the last of them counts as changed.
const MOST: usize = 20_000;
/// Different patches of one file; with more all of it counts as changed.
const MOST_OF_ONE: usize = 100;
/// The names that Kustomize looks for in a folder.
const NAMES: &[&str] = &["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Of files with patches: whether they may concern GPUs, and whether they name what they change. Each is read once.
type Concerns = HashMap<FileId, (bool, bool)>;

/// What a path of a kustomization leads to.
enum Taken {
    Kustomization(String),
    /// `None`: more than is followed.
    Manifests(Option<Vec<String>>),
}

/// Patches that may concern GPUs, by the path of the manifest.
#[derive(Debug, Default)]
pub(super) struct Patches {
    of: HashMap<String, BTreeSet<Object>>,
    /// There was more than is followed: any manifest may be changed.
    open: bool,
}

/// What a kustomization takes and changes, with all that it stands on.
#[derive(Default)]
struct Reach {
    manifests: BTreeSet<String>,
    targets: BTreeSet<Object>,
}

impl Patches {
    pub(super) fn of(project: &Project<'_>) -> Self {
        let mut patches = Self::default();
        let (mut left, mut concerns) = (MOST, Concerns::new());
        for (path, _) in project.files().filter(|(_, file)| file.kind == Kind::Kustomization) {
            let Some(reach) = project.reach(path, &mut left, &mut concerns) else {
                patches.open = true;
                return patches;
            };
            for manifest in reach.manifests.into_iter().filter(|_| !reach.targets.is_empty()) {
                let of = patches.of.entry(manifest).or_default();
                of.extend(reach.targets.iter().take(MOST_OF_ONE).cloned());
                if of.len() >= MOST_OF_ONE {
                    *of = BTreeSet::from([Object::default()]);
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
    /// Follows a kustomization; `None` where that takes more than is `left`.
    fn reach(&self, path: &str, left: &mut usize, concerns: &mut Concerns) -> Option<Reach> {
        let mut reach = Reach::default();
        let mut seen = HashSet::from([path.to_owned()]);
        // With each, whether its patches hold for what is taken here.
        let mut ahead = vec![(path.to_owned(), true)];
        while let Some((path, own)) = ahead.pop() {
            let Some(file) = self.file(&path) else { continue };
            *left = left.checked_sub(file.outline.acts.len())?;
            for act in &file.outline.acts {
                match &act.does {
                    Does::Patch(patch) if own => reach.targets.extend(self.target(&path, patch, concerns)),
                    Does::Include(include) => {
                        let place = include.path.known().and_then(|to| paths::join(paths::folder(&path), to));
                        let own = own && include.how == How::Component;
                        match place.map(|place| self.taken(place, left)) {
                            Some(Taken::Kustomization(next)) if seen.insert(next.clone()) => ahead.push((next, own)),
                            Some(Taken::Manifests(all)) => reach.manifests.extend(all?),
                            _ => {}
                        }
                    }
                    _ => {}
                }
            }
        }
        Some(reach)
    }

    /// What a path leads to: a manifest, the kustomization of a folder, or, where it has none, the manifests in it.
    fn taken(&self, place: String, left: &mut usize) -> Taken {
        if self.file(&place).is_some() {
            return Taken::Manifests(Some(vec![place]));
        }
        let folder = if place.is_empty() { place } else { format!("{place}/") };
        let names = NAMES.iter().map(|name| format!("{folder}{name}"));
        if let Some(path) = names.into_iter().find(|path| self.file(path).is_some()) {
            return Taken::Kustomization(path);
        }
        let mut found = Vec::new();
        let below = self.files.range(folder.as_str()..).take_while(|(path, _)| path.starts_with(&folder));
        for (path, _) in below {
            let Some(less) = left.checked_sub(1) else { return Taken::Manifests(None) };
            *left = less;
            if !path[folder.len()..].contains('/') {
                found.push((*path).to_owned());
            }
        }
        Taken::Manifests(Some(found))
    }

    /// What a patch changes, if it may concern GPUs. That of a manifest without a target names its object itself, and is
    /// found by that.
    fn target(&self, path: &str, patch: &Patch, concerns: &mut Concerns) -> Option<Object> {
        let to = match &patch.change {
            Change::Here(at) => return may_concern_gpus(self.sources.slice(*at)).then(|| patch.of.clone()),
            Change::File(to) => to.known().and_then(|to| paths::join(paths::folder(path), to)),
            Change::Unknown => None,
        };
        let Some(file) = to.and_then(|path| self.file(&path)) else { return Some(patch.of.clone()) };
        let looked = || {
            let names_it = file.outline.acts.iter().any(|act| matches!(&act.does, Does::Launch(l) if l.object.is_some()));
            (may_concern_gpus(self.sources.text(file.id)), names_it)
        };
        let (concerns, names_it) = *concerns.entry(file.id).or_insert_with(looked);
        (concerns && !(names_it && patch.of == Object::default())).then(|| patch.of.clone())
    }
}

/// Whether a patch's text speaks of what decides whether a container gets a GPU, and whether it needs one.
fn may_concern_gpus(text: &str) -> bool {
    let words = [
        "resources",
        "nodeSelector",
        "ffinity",
        "untimeClass",
        "gpu",
        "command",
        "args",
        "env",
        "image",
        // Of a patch in JSON these may be put in whole.
        "/containers/",
        "/containers\"",
        "/spec\"",
        "/template",
        "$patch",
    ];
    words.iter().any(|word| text.contains(word))
}
