//! What a container's own command does: in an environment of its own, which stands on the image and has the folders that are
//! mounted.

use super::super::variables::{self, Value};
use super::super::{File, paths};
use super::{Event, Walker};
use crate::outline::{Act, Does, Kind, Launch, Launcher};
use crate::source::Span;

/// Folders that are mounted into one container.
const MOUNTS: usize = 64;

impl<'a> Walker<'_, 'a> {
    /// What a file of commands begins with: in which folders, and what it is called.
    pub(super) fn begins_in(&mut self, path: &str, file: File<'a>, at: Span) {
        if matches!(file.kind, Kind::Script | Kind::Makefile) {
            self.folders = vec![String::new(), paths::folder(path).to_owned()];
            self.starts.clone_from(&self.folders);
            self.begins(path, at);
        }
        for name in variables::TOP {
            self.variables.set(name, Value::leading(Some(paths::from_root("")), at));
        }
    }

    /// Where the folders that are mounted lie in the root, with their places; none for one that is not known.
    pub(super) fn mounted(&self, path: &str, layers: &[&Launch]) -> Vec<(Option<String>, Vec<String>)> {
        let mounts = layers.iter().flat_map(|layer| layer.mounts.iter().map(move |mount| (layer.by, mount))).take(MOUNTS);
        let mounted = mounts.map(|(by, mount)| {
            let from = self.variables.path(&mount.from);
            let lie = match (by, from) {
                (Launcher::Compose, Some(from)) => paths::join(paths::folder(path), &from).into_iter().collect(),
                (_, Some(from)) => self.lead(&from),
                (_, None) => Vec::new(),
            };
            (self.variables.resolve(&mount.to), lie)
        });
        mounted.collect()
    }

    /// Lays these over the image, and goes to where its command begins.
    pub(super) fn lay(&mut self, mounts: Vec<(Option<String>, Vec<String>)>, layers: &[&Launch]) {
        let folder = layers.iter().rev().find_map(|layer| layer.folder.as_ref());
        let folder = folder.map(|folder| self.variables.resolve(folder));
        let Some(image) = &mut self.image else { return };
        if let Some(folder) = folder {
            image.folder = folder.map_or_else(|| "/?".to_owned(), |folder| paths::inside(&image.folder, &folder));
        }
        for (to, from) in mounts {
            // Of one whose place is not known any place may be its.
            let to = to.map_or_else(|| "/".to_owned(), |to| paths::inside("/", &to));
            image.contents.mount(to, from);
        }
    }

    /// Lets happen what a launch's own command does, unless another file gives its service another.
    pub(super) fn started(&mut self, path: &str, launch: &'a Launch, inside: &'a [Act]) {
        let layers = self.project.merged.layers(path, launch);
        let last = layers.iter().rev().find(|layer| layer.entrypoint.is_some() || !layer.command.is_empty());
        if last.is_some_and(|last| !std::ptr::eq(*last, launch)) {
            if inside.iter().any(|act| matches!(&act.does, Does::Install(_) | Does::Remove(_))) {
                self.script.events.push(Event::Unknown);
            }
            return;
        }
        if self.bounds.again(inside.len()) {
            self.acts(path, inside, 0);
        }
    }
}
