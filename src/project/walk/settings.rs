//! uv's settings: the nearest `uv.toml` or `[tool.uv]` at or above where it runs.
//! Source: <https://docs.astral.sh/uv/concepts/configuration-files/>.

use std::collections::BTreeSet;

use super::super::installers::is_read_by;
use super::super::{File, paths};
use super::project::is_setting;
use super::{Indexed, Installed, Walker};
use crate::outline::{Choice, Does, IndexKind, Kind, Role, Text, Tool};
use crate::source::Span;

/// Folders above that are looked at.
const HIGHEST: usize = 32;

impl<'a> Walker<'_, 'a> {
    /// The settings that hold for a project in place of those in its own `pyproject.toml`.
    pub(super) fn settings_of_uv(&mut self, manifest: &str) -> Option<File<'a>> {
        let own = self.project.file(manifest).map(|file| file.id);
        // A member has those of its workspace.
        let root = self.project.workspaces.root(manifest).unwrap_or(manifest);
        self.nearest(paths::folder(root)).filter(|file| Some(file.id) != own)
    }

    /// What the root of a workspace holds for its members beside settings: the sources of packages that have none of their
    /// own, the indexes that these name, and what it requires, since uv works all of them out together.
    pub(super) fn of_workspace(&mut self, root: &str, step: &mut Installed) {
        let Some(file) = self.project.file(root) else { return };
        self.enter(root, file);
        if !self.bounds.acts(&file.outline.acts) {
            return;
        }
        let own: BTreeSet<String> = step.routes.iter().map(|route| route.package.clone()).collect();
        let known: BTreeSet<Span> = step.indexes.iter().map(|index| index.at).collect();
        for act in &file.outline.acts {
            if !self.takes_for(step.tool, act) {
                continue;
            }
            match &act.does {
                Does::Route(route) if !own.contains(&route.package) => {
                    let route = self.route(route);
                    step.routes.push(route);
                }
                Does::Index(index) if index.name.is_some() && !known.contains(&index.url.at) => {
                    let index = self.index(index);
                    step.indexes.push(Indexed { explicit: true, ..index });
                }
                Does::Require(requirement) if requirement.role == Role::Asks && step.tool == Tool::Uv => {
                    let chosen = |choice: &Choice| matches!(choice, Choice::Extra(_) | Choice::Group(_));
                    if !act.when.0.iter().any(chosen) {
                        let asked = self.asked(requirement, &[]);
                        step.bounds.push(asked);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the settings that hold where `uv pip` runs.
    pub(super) fn settings_of_uv_pip(&mut self, step: &mut Installed) {
        let found = if self.image.is_some() {
            let at = step.at;
            let names = [("uv.toml", Kind::UvSettings), ("pyproject.toml", Kind::Pyproject)];
            let paths = names.map(|(name, kind)| self.open(&Text::literal(name, at), kind));
            let files = paths.into_iter().flatten().map(|(file, _)| file);
            files.into_iter().find(|file| self.has_settings(*file))
        } else {
            self.ask_where("");
            let folders = self.folders.clone();
            folders.iter().find_map(|folder| self.nearest(folder))
        };
        if let Some(found) = found {
            self.settings(&found, step);
        }
    }

    /// The nearest file of settings in a folder or above it.
    fn nearest(&mut self, folder: &str) -> Option<File<'a>> {
        let mut folder = folder;
        for _ in 0..HIGHEST {
            let inside = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            for (name, kind) in [("uv.toml", Kind::UvSettings), ("pyproject.toml", Kind::Pyproject)] {
                match self.project.file(&inside(name)) {
                    Some(file) if self.has_settings(file) => return Some(file),
                    Some(_) => {}
                    None => drop(self.script.looked.insert((inside(name), kind))),
                }
            }
            if folder.is_empty() {
                return None;
            }
            folder = paths::folder(folder);
        }
        None
    }

    /// Whether uv looks no further up: a `uv.toml`, or anything in a `[tool.uv]`.
    fn has_settings(&self, file: File<'_>) -> bool {
        let parts = self.project.parts(file);
        file.kind == Kind::UvSettings || [Tool::Uv, Tool::UvPip].into_iter().any(|tool| parts.has_tables_of(tool))
    }

    /// Adds what a file of settings says; what a command line or a variable says comes first.
    pub(super) fn settings(&mut self, file: &File<'a>, step: &mut Installed) {
        self.script.reached.insert(file.id);
        let primary = step.indexes.iter().any(|index| index.kind == IndexKind::Primary);
        let known: Vec<Span> = step.indexes.iter().filter(|index| !index.explicit).map(|index| index.at).collect();
        for act in &file.outline.acts {
            if !(is_setting(act) && is_read_by(step.tool, act) && self.takes(act)) {
                continue;
            }
            match &act.does {
                Does::Index(index) if index.kind == IndexKind::Primary && primary => {}
                Does::Index(index) if known.contains(&index.url.at) => {}
                Does::Index(index) => {
                    let index = self.index(index);
                    step.indexes.push(Indexed { in_project: true, ..index });
                }
                Does::Options(flags) => self.options(flags, step),
                Does::Require(requirement) if requirement.role == Role::Bounds => self.ask(requirement, step, true, &[], ""),
                Does::Require(requirement) => {
                    let asked = self.asked(requirement, &[]);
                    step.overrides.push(asked);
                }
                _ => {}
            }
        }
    }
}
