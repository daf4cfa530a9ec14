//! Containers that a file makes and never starts: what lies in their image is copied out of them.

use std::collections::HashSet;

use crate::outline::{Act, Does};

/// Says of the containers that are made here, and never started, that they are idle.
pub(super) fn settle(acts: &mut [Act]) {
    let mut names: HashSet<String> = HashSet::new();
    // One that is started by an unknown name may be any.
    let mut any = false;
    for act in acts.iter_mut().rev() {
        match &mut act.does {
            Does::Start(started) => {
                any |= started.iter().any(|name| name.known().is_none());
                names.extend(started.iter().filter_map(|name| name.known().map(str::to_owned)));
            }
            Does::Launch(launch) if launch.made => {
                let by_name = launch.name.as_ref().is_some_and(|name| names.contains(name));
                launch.idle |= !any && !by_name;
            }
            _ => {}
        }
    }
}
