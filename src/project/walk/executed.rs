//! What commands do in a container while it runs: `docker exec NAME pip install …`.

use super::super::{File, inside};
use super::{Event, Walker};
use crate::outline::{Does, Launch, Place};

impl<'a> Walker<'_, 'a> {
    /// Lets happen what a file of commands does in a container that it starts with the act at `start`.
    pub(super) fn executed(&mut self, path: &str, file: File<'a>, start: usize, name: Option<&str>) {
        let acts = &file.outline.acts;
        for begin in self.project.parts(file).containers_after(start) {
            let Does::Enter(Place::Container(container)) = &acts[*begin].does else { continue };
            let inside = inside::subshell(&acts[begin + 1..]);
            if !self.bounds.again(inside.len()) {
                return;
            }
            match (name, self.variables.resolve(container)) {
                (Some(name), Some(container)) if name == container => drop(self.acts(path, inside, 0)),
                (Some(_), Some(_)) => {}
                // It may be this one.
                _ if inside.iter().any(|act| matches!(act.does, Does::Install(_) | Does::Remove { .. })) => {
                    self.script.events.push(Event::Unknown);
                }
                _ => {}
            }
        }
    }

    /// The same in the container of a service of the compose file at `path`.
    pub(super) fn executed_in_service(&mut self, path: &str, service: &Launch) {
        let project = self.project;
        let done = project.inside.done(service);
        if done.is_empty() {
            return;
        }
        let only = project.inside.is_only(service, &project.merged.layers(path, service));
        for at in done {
            let Some(file) = project.file(at.path) else { continue };
            self.script.reached.insert(file.id);
            let acts = inside::subshell(&file.outline.acts[at.begin + 1..]);
            if !self.bounds.again(acts.len()) {
                return;
            }
            // It may be another service; and what is done in one container is not in the next.
            if only && (!at.anew || done.len() == 1) {
                self.acts(at.path, acts, 0);
            } else {
                self.script.events.push(Event::Unknown);
            }
        }
    }
}
