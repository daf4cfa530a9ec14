//! What may have been installed before a manifest is, by other commands or manifests.

use std::collections::BTreeMap;

use super::state::State;
use crate::knowledge;
use crate::resolve;
use crate::version::{Specifiers, Version};

/// Packages that may be there already, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier(BTreeMap<String, Vec<Known>>);

/// One of several that it may be.
#[derive(Clone, Debug)]
struct Known {
    /// `None` where it is not known.
    version: Option<Version>,
    /// It is there even where one version is asked for.
    told: bool,
}

impl Earlier {
    /// Adds what was chosen there: by a pin, an upper bound, an index, or from conda. The rest comes to the same again.
    pub(super) fn take(&mut self, state: &State, told: bool) {
        for (name, held) in &state.installed {
            let distribution = knowledge::provides(name);
            if !(held.chosen || held.builds.open || distribution.is_some()) || !distribution.is_none_or(resolve::is_framework) {
                continue;
            }
            let picked = held.builds.only().or_else(|| held.builds.today()).map(|build| build.version.clone());
            let version = held.pin.clone().or(picked);
            for name in [Some(name.as_str()), distribution].into_iter().flatten() {
                self.0.entry(name.to_owned()).or_default().push(Known { version: version.clone(), told });
            }
        }
    }
    /// Whether a package may be there in a version that meets an ask: then it stays as it is.
    pub(super) fn may_stay(&self, name: &str, wants: &Specifiers) -> bool {
        let pinned = wants.pin().is_some();
        let stays = |known: &Known| match &known.version {
            Some(version) => wants.admits(version) && (known.told || !pinned),
            None => !pinned,
        };
        self.0.get(name).is_some_and(|all| all.iter().any(stays))
    }
}
