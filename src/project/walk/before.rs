//! What may have happened before a manifest is installed.

use super::super::starts::Selection;
use super::super::{File, paths};
use super::project::is_project;
use super::telling::Survey;
use super::{Before, Event, Walker};
use crate::outline::Tool;
use crate::source::FileId;

impl<'a> Walker<'_, 'a> {
    /// Adds what people are told to do first, and what manifests choose that are installed with this one.
    pub(super) fn before(&mut self, path: &str, file: File<'a>, selection: &Selection) {
        let project = self.project;
        let tool = match file.kind {
            kind if is_project(kind) => selection.tool.unwrap_or_else(|| project.tool_of(path, file)),
            _ => Tool::Pip,
        };
        // These make an environment of their own.
        if matches!(tool, Tool::Uv | Tool::Pixi | Tool::Pipenv) {
            return;
        }
        if selection.upon {
            self.script.events.push(Event::Unknown);
        }
        let Some(before) = project.before.get(path) else { return };
        for told in &before.commands {
            self.script.reached.insert(told.at.file);
            let own = Some(file.id);
            self.aside(own, |aside| {
                aside.folders = vec![paths::folder(told.page).to_owned(), String::new()];
                aside.install(told.at, told.install);
            });
        }
        for path in before.manifests.iter().filter(|_| tool == Tool::Pip) {
            let Some(file) = project.file(path) else { continue };
            self.aside(None, |aside| {
                aside.enter(path, file);
                aside.bounds.enter(file.outline);
                aside.folders = vec![paths::folder(path).to_owned()];
                aside.manifest(path, file, None);
            });
        }
    }

    /// Walks what happens elsewhere, and before. What reads `own` is no other installation than this one.
    fn aside(&mut self, own: Option<FileId>, act: impl FnOnce(&mut Walker<'_, 'a>)) {
        let mut world = (*self.world).clone();
        world.with.clear();
        world.project = true;
        let mut aside = Walker { survey: self.survey.as_ref().map(|_| Survey::default()), ..Walker::new(self.project, &world) };
        act(&mut aside);
        self.bounds.aside(&aside.bounds);
        let script = aside.script;
        let again = own.is_some_and(|own| script.reached.contains(&own));
        self.script.reached.extend(script.reached);
        self.script.looked.extend(script.looked);
        self.script.telling.extend(script.telling);
        if again {
            return;
        }
        if aside.bounds.left_out {
            self.script.events.push(Event::Unknown);
            return;
        }
        let steps = script.events.into_iter().filter_map(|e| if let Event::Install(step) = e { Some(*step) } else { None });
        let before = Before { steps: steps.collect(), told: own.is_some() };
        if !before.steps.is_empty() {
            self.script.events.push(Event::Before(before));
        }
    }
}
