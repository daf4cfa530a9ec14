//! From a path as written to a file of the root.

use super::super::{File, paths};
use super::Walker;
use super::locked::manifests_of;
use crate::outline::{How, Kind, Text, Tool};

impl<'a> Walker<'_, 'a> {
    /// The root-relative path of a file that a command names as one of a kind; `None` where it is not there or not known.
    pub(super) fn open(&mut self, text: &Text, kind: Kind) -> Option<String> {
        let path = self.variables.resolve(text)?;
        if let Some(image) = &self.image {
            let inside = paths::inside(&image.folder, &path);
            if !self.bounds.copy(image.contents.len()) {
                return None;
            }
            let edited = image.contents.is_edited(&inside);
            let (sources, contexts) = (image.contents.sources(&inside), image.contexts.clone());
            let wanted = contexts.iter().flat_map(|c| sources.iter().filter_map(move |s| paths::join(c, s)));
            let found = self.first(wanted.collect(), kind);
            return self.unless(edited, found);
        }
        let folders = self.folders.clone();
        let wanted: Vec<String> = folders.iter().filter_map(|f| paths::join(f, &path)).collect();
        // After a `cd` to who knows where it is not known to be outside.
        if wanted.is_empty() && !folders.is_empty() {
            self.script.outside.insert(path);
        }
        let found = self.first(wanted, kind);
        let edited = found.as_ref().is_some_and(|path| self.edited.contains(path));
        self.unless(edited, found)
    }

    /// A file that was changed on the way is installed, and what it says then is not known.
    fn unless(&mut self, edited: bool, found: Option<String>) -> Option<String> {
        if edited {
            self.script.installed.extend(found);
            return None;
        }
        found
    }

    pub(super) fn first(&mut self, wanted: Vec<String>, kind: Kind) -> Option<String> {
        for path in wanted {
            if self.project.file(&path).is_some() {
                return Some(path);
            }
            self.script.looked.insert((path, kind));
        }
        None
    }

    /// The manifest that a tool takes in a folder named by a command.
    pub(super) fn open_project(&mut self, text: &Text, tool: Tool) -> Option<String> {
        let folder = self.variables.resolve(text)?;
        let folder = folder.split('[').next().unwrap_or_default();
        manifests_of(tool).find_map(|(name, kind)| self.open(&Text::literal(format!("{folder}/{name}"), text.at), kind))
    }

    /// A file named by a manifest, relative to its folder.
    pub(super) fn beside(&mut self, path: &str, text: &Text, how: How) -> Option<(File<'a>, String)> {
        let written = self.variables.resolve(text)?;
        let written = if how == How::Project {
            format!("{}/pyproject.toml", written.split('[').next().unwrap_or_default())
        } else {
            written
        };
        let Some(found) = paths::join(paths::folder(path), &written) else {
            self.script.outside.insert(written);
            return None;
        };
        let file = self.project.file(&found);
        if file.is_none() {
            let kind = if how == How::Project { Kind::Pyproject } else { Kind::Requirements };
            self.script.looked.insert((found.clone(), kind));
        }
        Some((file?, found))
    }
}
