//! Compose files of one folder that are always read together: the file itself and its override.

use std::collections::HashMap;

use super::{File, paths};
use crate::outline::{BuildOf, Does, Kind, Launch, Launcher, Text, Variable};

/// A service as the two files write it.
#[derive(Clone, Copy, Debug, Default)]
struct Layers<'a> {
    base: Option<&'a Launch>,
    over: Option<&'a Launch>,
}

/// The services that are written in both files, by folder and name.
#[derive(Debug, Default)]
pub(super) struct Merged<'a>(HashMap<(&'a str, &'a str), Layers<'a>>);

impl<'a> Merged<'a> {
    pub(super) fn of(files: impl Iterator<Item = (&'a str, File<'a>)>) -> Self {
        let mut found: HashMap<_, Layers<'_>> = HashMap::new();
        for (path, file) in files.filter(|(_, file)| file.kind == Kind::Compose) {
            let Some(over) = is_override(path) else { continue };
            for act in &file.outline.acts {
                if let Does::Launch(launch) = &act.does
                    && let Some(name) = launch.name.as_deref()
                {
                    let layers = found.entry((paths::folder(path), name)).or_default();
                    let layer = if over { &mut layers.over } else { &mut layers.base };
                    *layer = layer.or(Some(launch));
                }
            }
        }
        found.retain(|_, layers| layers.base.is_some() && layers.over.is_some());
        Self(found)
    }

    /// The launches that a launch is put together of, the one that has the last word last.
    pub(super) fn layers<'l>(&self, path: &str, launch: &'l Launch) -> Vec<&'l Launch>
    where
        'a: 'l,
    {
        let layers = launch.name.as_deref().filter(|_| launch.by == Launcher::Compose && is_override(path).is_some());
        match layers.and_then(|name| self.0.get(&(paths::folder(path), name))) {
            Some(Layers { base: Some(base), over: Some(over) }) => vec![*base, *over],
            _ => vec![launch],
        }
    }
}

/// Whether a path is that of an override (`true`) or of what it overrides (`false`).
fn is_override(path: &str) -> Option<bool> {
    let stem = paths::name(path).strip_suffix(".yml").or_else(|| paths::name(path).strip_suffix(".yaml"))?;
    match stem {
        "compose" | "docker-compose" => Some(false),
        "compose.override" | "docker-compose.override" => Some(true),
        _ => None,
    }
}

/// Whether a later layer says what image is run.
pub(super) fn is_replaced(launch: &Launch, layers: &[&Launch]) -> bool {
    layers.last().is_some_and(|last| !std::ptr::eq(*last, launch) && (last.image.is_some() || last.build.is_some()))
}

/// The variables of all layers, those that win last.
pub(super) fn environment<'l>(layers: &[&'l Launch]) -> impl Iterator<Item = &'l Variable> {
    layers.iter().flat_map(|layer| &layer.environment)
}

/// The files of variables of all layers, in the same order.
pub(super) fn environment_files<'l>(layers: &[&'l Launch]) -> impl Iterator<Item = &'l Text> {
    layers.iter().flat_map(|layer| &layer.environment_files)
}

/// What is built in the end.
pub(super) fn build(layers: &[&Launch]) -> Option<BuildOf> {
    layers.iter().filter_map(|layer| layer.build.clone()).reduce(|base, over| BuildOf {
        // A context that is not written stands as `.`.
        context: if over.context.known() == Some(".") { base.context } else { over.context },
        dockerfile: over.dockerfile.or(base.dockerfile),
        target: over.target.or(base.target),
        arguments: base.arguments.into_iter().chain(over.arguments).collect(),
        unread_arguments: base.unread_arguments || over.unread_arguments,
    })
}

/// The layer that names the image in the end.
pub(super) fn imaged<'l>(layers: &[&'l Launch]) -> Option<&'l Launch> {
    layers.iter().rev().copied().find(|layer| layer.image.is_some())
}
