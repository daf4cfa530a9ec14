//! Which lock belongs to which manifest, and to which tool.

use super::{Project, paths};
use crate::outline::{Choice, Kind, Tool};

/// A kind of lock.
#[derive(Debug)]
pub(super) struct Lock {
    /// What it is called; empty for those of any name.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The manifests that it may lie beside: their tool installs from it.
    pub(super) manifests: &'static [&'static str],
    /// Who installs what is not conda's in it.
    pub(super) tool: Tool,
}

/// Where several lie beside a manifest, the first holds.
static LOCKS: &[Lock] = &[
    Lock { name: "uv.lock", kind: Kind::UvLock, manifests: &["pyproject.toml"], tool: Tool::Uv },
    Lock { name: "poetry.lock", kind: Kind::PoetryLock, manifests: &["pyproject.toml"], tool: Tool::Poetry },
    Lock { name: "pdm.lock", kind: Kind::PdmLock, manifests: &["pyproject.toml"], tool: Tool::Pdm },
    Lock { name: "pixi.lock", kind: Kind::PixiLock, manifests: &["pixi.toml", "pyproject.toml"], tool: Tool::Pixi },
    Lock { name: "Pipfile.lock", kind: Kind::PipfileLock, manifests: &["Pipfile"], tool: Tool::Pipenv },
    // These two are made from a manifest and installed without it.
    Lock { name: "", kind: Kind::Pylock, manifests: &[], tool: Tool::Pip },
    Lock { name: "", kind: Kind::CondaLock, manifests: &[], tool: Tool::Pip },
];

/// The lock of a kind of file.
pub(super) fn by_kind(kind: Kind) -> Option<&'static Lock> {
    LOCKS.iter().find(|lock| lock.kind == kind)
}

/// The locks that a tool keeps beside its manifests.
pub(super) fn of_tool(tool: Tool) -> impl Iterator<Item = (&'static str, Kind)> {
    let own = LOCKS.iter().filter(move |lock| lock.tool == tool && !lock.manifests.is_empty());
    own.map(|lock| (lock.name, lock.kind))
}

/// The paths at which locks of a manifest may lie.
pub(super) fn wanted(manifest: &str) -> impl Iterator<Item = (&'static Lock, String)> {
    let of_manifest = LOCKS.iter().filter(move |lock| lock.manifests.contains(&paths::name(manifest)));
    of_manifest.map(move |lock| (lock, paths::beside(manifest, lock.name)))
}

/// The locks that lie beside a manifest; none that is another manifest's (`pixi.toml` goes before `pyproject.toml`).
pub(super) fn beside<'p>(project: &'p Project<'_>, manifest: &'p str) -> impl Iterator<Item = (&'static Lock, String)> + use<'p> {
    wanted(manifest).filter(move |(lock, path)| {
        let before = lock.manifests.iter().take_while(|name| **name != paths::name(manifest));
        project.file(path).is_some() && !before.clone().any(|name| project.file(&paths::beside(manifest, name)).is_some())
    })
}

/// The groups and extras that pdm installs unasked: those that its lock was made for. `None` where none lies beside the manifest,
/// or does not say it.
/// Source: <https://pdm-project.org/latest/usage/dependency/#select-a-subset-of-dependency-groups-to-install>.
pub(super) fn groups_of_pdm(project: &Project<'_>, manifest: &str) -> Option<Vec<Choice>> {
    let (_, path) = beside(project, manifest).find(|(lock, _)| lock.kind == Kind::PdmLock)?;
    let defaults = project.parts(project.file(&path)?).defaults();
    let (_, groups) = defaults.first().filter(|(_, groups)| !groups.is_empty())?;
    // pdm calls extras groups.
    let both = groups.iter().flat_map(|group| match group {
        Choice::Group(name) => vec![group.clone(), Choice::Extra(name.clone())],
        _ => Vec::new(),
    });
    Some(both.collect())
}

/// The manifest that a lock is made from, of those that there are.
pub(crate) fn manifest_of(lock: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let kind = LOCKS.iter().find(|kind| !kind.name.is_empty() && kind.name == paths::name(lock))?;
    kind.manifests.iter().map(|name| paths::beside(lock, name)).find(|path| is_there(path))
}

/// Whether a manifest lies beside a lock.
pub(super) fn has_manifest(project: &Project<'_>, lock: &Lock, path: &str) -> bool {
    lock.manifests.iter().any(|name| project.file(&paths::beside(path, name)).is_some())
}
