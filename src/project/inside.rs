//! What is done in containers by what does not start them.

use std::collections::HashMap;

use super::{File, Project, paths};
use crate::outline::{Act, Does, How, Include, Kind, Launch, Launcher, Place};
use crate::source::Span;

/// Services, and where commands change what is in their containers; by the name of the service.
#[derive(Debug, Default)]
pub(super) struct Inside<'a> {
    done: HashMap<&'a str, Vec<Done<'a>>>,
    /// All that are written.
    services: HashMap<&'a str, Vec<(&'a str, &'a Launch)>>,
}

/// What a command does there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done<'a> {
    /// The file of the command.
    pub(super) path: &'a str,
    /// The act with which it enters the container.
    pub(super) begin: usize,
    at: Span,
    /// In a container that is made for it alone.
    pub(super) anew: bool,
}

impl<'a> Inside<'a> {
    /// What CI does says nothing of the services that people run.
    pub(super) fn of(project: &Project<'a>) -> Self {
        let mut inside = Self::default();
        for (path, file) in project.files() {
            let acts = &file.outline.acts;
            match file.kind {
                Kind::Script | Kind::Makefile => {
                    for begin in project.parts(file).services() {
                        let Does::Enter(Place::Service { name, anew }) = &acts[*begin].does else { continue };
                        if let Some(name) = name.known().filter(|_| changes(subshell(&acts[begin + 1..]))) {
                            let done = Done { path, begin: *begin, at: acts[*begin].at, anew: *anew };
                            inside.done.entry(name).or_default().push(done);
                        }
                    }
                }
                Kind::Compose => {
                    for act in acts {
                        if let Does::Launch(launch) = &act.does
                            && let Some(name) = launch.name.as_deref()
                        {
                            inside.services.entry(name).or_default().push((path, launch));
                        }
                    }
                }
                _ => {}
            }
        }
        inside
    }
    /// What is done in the container of a service.
    pub(super) fn done(&self, service: &Launch) -> &[Done<'a>] {
        let name = service.name.as_deref().filter(|_| service.by == Launcher::Compose);
        name.and_then(|name| self.done.get(name)).map_or(&[], Vec::as_slice)
    }
    /// Whether no other service of the root has the name of this one, whose layers these are.
    pub(super) fn is_only(&self, service: &Launch, layers: &[&Launch]) -> bool {
        let all = service.name.as_deref().and_then(|name| self.services.get(name));
        all.into_iter().flatten().all(|(_, other)| layers.iter().any(|layer| std::ptr::eq(*layer, *other)))
    }
    /// All places where something is done, in order.
    pub(super) fn places(&self) -> Vec<Span> {
        let mut all: Vec<Span> = self.done.values().flatten().map(|done| done.at).collect();
        all.sort_unstable();
        all
    }
}

/// What a launch's own command does, where the launch is the act at `at`.
pub(super) fn started(acts: &[Act], at: usize) -> Option<&[Act]> {
    let behind = acts.get(at + 1..)?;
    let [Act { does: Does::Enter(Place::Subshell), .. }, Act { does: Does::Enter(Place::Started), .. }, inside @ ..] = behind
    else {
        return None;
    };
    Some(subshell(inside))
}

/// Acts without those that happen in containers.
pub(super) fn on_host(acts: &[Act]) -> impl Iterator<Item = &Act> {
    let mut open = 0_usize;
    let mut left: Option<usize> = None;
    acts.iter().filter(move |act| {
        match &act.does {
            Does::Enter(Place::Subshell | Place::Call) => open += 1,
            Does::Enter(Place::Container(_) | Place::Service { .. } | Place::Started) => {
                left = left.or_else(|| open.checked_sub(1));
            }
            Does::Enter(Place::Back) => open = open.saturating_sub(1),
            _ => {}
        }
        left = left.filter(|before| open > *before);
        left.is_none()
    })
}

/// The acts up to the end of the subshell that they begin in.
pub(super) fn subshell(acts: &[Act]) -> &[Act] {
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

/// The service that a dev container is, with the compose file that it stands in.
pub(super) fn service<'a>(project: &Project<'a>, path: &str, file: File<'_>, launch: &Launch) -> Option<(&'a str, &'a Launch)> {
    let name = launch.name.as_deref().filter(|_| launch.by == Launcher::Devcontainer)?;
    let included = file.outline.acts.iter().filter_map(|act| match &act.does {
        Does::Include(Include { path: to, how: How::Compose }) => paths::join(paths::folder(path), to.known()?),
        _ => None,
    });
    included.into_iter().find_map(|to| {
        let (to, file) = project.files.get_key_value(to.as_str())?;
        file.outline.acts.iter().find_map(|act| match &act.does {
            Does::Launch(service) if service.name.as_deref() == Some(name) => Some((*to, service.as_ref())),
            _ => None,
        })
    })
}

/// Whether acts change what is there: what a dev container runs once it is made.
pub(super) fn changes(acts: &[Act]) -> bool {
    acts.iter().any(|act| match &act.does {
        Does::Include(include) => include.how == How::Script,
        does => matches!(does, Does::Install(_) | Does::Remove(_) | Does::System(_) | Does::Compile(_)),
    })
}
