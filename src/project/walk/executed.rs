//! What commands do in a container while it runs: `docker exec NAME pip install …`.

use super::super::File;
use super::{Event, Walker};
use crate::outline::{Act, Does, Place};

impl<'a> Walker<'_, 'a> {
    /// Lets happen what a file of commands does in a container that it starts with the act at `start`.
    pub(super) fn executed(&mut self, path: &str, file: File<'a>, start: usize, name: Option<&str>) {
        let acts = &file.outline.acts;
        for begin in self.project.parts(file).containers_after(start) {
            let Does::Enter(Place::Container(container)) = &acts[*begin].does else { continue };
            let inside = inside(&acts[begin + 1..]);
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
}

/// The acts up to the end of the subshell that they begin in.
fn inside(acts: &[Act]) -> &[Act] {
    let mut open = 0_usize;
    for (at, act) in acts.iter().enumerate() {
        match act.does {
            Does::Enter(Place::Subshell | Place::Call) => open += 1,
            Does::Enter(Place::Back) if open == 0 => return &acts[..at],
            Does::Enter(Place::Back) => open -= 1,
            _ => {}
        }
    }
    acts
}
