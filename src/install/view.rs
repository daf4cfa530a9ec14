//! What holds for all packages of a step, made once and then asked by package.

use std::collections::HashMap;

use super::limits::Limits;
use super::overrides::Overrides;
use crate::environment::StepIndex;
use crate::knowledge;
use crate::platform::Platform;
use crate::project::{Installed, Routed};
use crate::resolve::Reach;
use crate::source::Span;

/// A step as its packages see it.
pub(super) struct View<'s> {
    step: &'s Installed,
    /// The indexes that the step looks at.
    pub(super) found: &'s [StepIndex],
    pub(super) limits: Limits<'s>,
    pub(super) overrides: Overrides<'s>,
    /// An index of one CUDA takes part.
    pub(super) one_cuda: bool,
    /// The packages' own sources; of several for one package the first.
    routes: HashMap<&'s str, &'s Routed>,
    /// The indexes by the names that routes call them by.
    named: HashMap<&'s str, &'s StepIndex>,
}

impl<'s> View<'s> {
    pub(super) fn new(step: &'s Installed, found: &'s [StepIndex], platform: &Platform) -> Self {
        let mut by_place: HashMap<Span, &StepIndex> = HashMap::new();
        for index in found {
            if let Some(at) = index.at {
                by_place.entry(at).or_insert(index);
            }
        }
        let mut lines: HashMap<&str, Span> = HashMap::new();
        for index in &step.indexes {
            if let Some(name) = &index.name {
                lines.entry(name).or_insert(index.at);
            }
        }
        let mut routes: HashMap<&str, &Routed> = HashMap::new();
        for route in &step.routes {
            routes.entry(&route.package).or_insert(route);
        }
        let tagged = |i: &StepIndex| !i.explicit && i.id.and_then(knowledge::index_by_id).is_some_and(|i| !i.tag.is_empty());
        Self {
            step,
            found,
            limits: Limits::new(step, platform),
            overrides: Overrides::new(step, platform),
            one_cuda: found.iter().any(tagged),
            routes,
            named: lines.into_iter().filter_map(|(name, at)| Some((name, *by_place.get(&at)?))).collect(),
        }
    }
    /// Where the step looks for a package.
    pub(super) fn reach(&self, package: &str) -> Reach<'s> {
        let strategy = self.step.index_strategy.as_ref();
        let routed = self.routes.get(package);
        let named = routed.and_then(|r| self.named.get(r.index.as_deref()?)).copied();
        Reach {
            tool: self.step.tool,
            best_match: strategy.is_some_and(|s| s.as_deref() != Some("first-index")),
            indexes: if routed.is_some() && named.is_none() { &[] } else { self.found },
            routed: named,
            pre: self.step.flags.pre,
        }
    }
}
