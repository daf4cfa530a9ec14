//! What holds for all packages of a step, made once and then asked by package.

use std::collections::HashMap;

use super::Aliases;
use super::limits::{Limits, MOST};
use super::overrides::Overrides;
use super::step::open;
use crate::environment::{Candidates, Route, StepIndex};
use crate::knowledge;
use crate::notation::wheel::WheelName;
use crate::outline::Tool;
use crate::platform::Platform;
use crate::project::{Installed, Routed};
use crate::resolve::{self, Reach};
use crate::source::Span;
use crate::version::Specifiers;

/// A step as its packages see it.
pub(super) struct View<'s> {
    pub(super) step: &'s Installed,
    /// The indexes that the step looks at.
    pub(super) found: &'s [StepIndex],
    pub(super) limits: Limits<'s>,
    pub(super) overrides: Overrides<'s>,
    /// An index of one CUDA takes part.
    pub(super) one_cuda: bool,
    aliases: &'s dyn Aliases,
    routes: Routes<'s>,
    /// The indexes by the names that routes call them by.
    named: HashMap<&'s str, &'s StepIndex>,
}

impl<'s> View<'s> {
    pub(super) fn new(step: &'s Installed, found: &'s [StepIndex], platform: &Platform, aliases: &'s dyn Aliases) -> Self {
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
        let tagged = |i: &StepIndex| !i.explicit && i.id.and_then(knowledge::index_by_id).is_some_and(|i| !i.tag.is_empty());
        Self {
            step,
            found,
            limits: Limits::new(step, platform, aliases),
            overrides: Overrides::new(step, platform),
            aliases,
            one_cuda: found.iter().any(tagged),
            routes: Routes::of(&step.routes),
            named: lines.into_iter().filter_map(|(name, at)| Some((name, *by_place.get(&at)?))).collect(),
        }
    }
    /// The version and the builds that a wheel stands for. A file that no index serves may be built in any way and require
    /// anything, unless its own name says which of their builds it is.
    pub(super) fn wheel(&self, wheel: &WheelName, url: &str, platform: &Platform) -> (Specifiers, Candidates) {
        let tagged = wheel.version.local().is_some_and(|local| knowledge::is_tag(&local));
        if tagged || knowledge::serves(url) || self.aliases.index(url).is_some() {
            let own =
                url.split(['?', '#']).next().and_then(|url| url.rsplit_once('/')).and_then(|(at, _)| self.aliases.index(at));
            let folder = own.or_else(|| knowledge::index_of_file(url).map(|index| index.id));
            return (Specifiers::exactly(&wheel.version), resolve::from_wheel(wheel, folder, platform));
        }
        (Specifiers::default(), open())
    }
    /// Whether uv is told to take the best version of all indexes.
    pub(super) fn is_told_to_match_best(&self) -> bool {
        let strategy = self.step.index_strategy.as_ref().and_then(Option::as_deref);
        matches!(self.step.tool, Tool::Uv | Tool::UvPip) && strategy == Some("unsafe-best-match")
    }
    /// The same as a position among the step's indexes.
    pub(super) fn route(&self, package: &str) -> Route {
        let reach = self.reach(package);
        match reach.routed {
            Some(routed) => self.found.iter().position(|index| std::ptr::eq(index, routed)).map_or(Route::Unknown, Route::Only),
            None if reach.indexes.is_empty() => Route::Unknown,
            None => Route::All,
        }
    }
    /// The file that is the source of a package, and where it is named.
    pub(super) fn file(&self, package: &str) -> Option<&'s (String, Span)> {
        self.routes.get(package)?.and_then(|routed| routed.file.as_ref())
    }
    /// Whether a package may come from sources or a file, not from an index.
    pub(super) fn is_from_elsewhere(&self, package: &str) -> bool {
        self.routes.get(package).is_some_and(|routed| routed.is_none_or(|routed| routed.index.is_none()))
    }
    /// Where the step looks for a package.
    pub(super) fn reach(&self, package: &str) -> Reach<'s> {
        let strategy = self.step.index_strategy.as_ref().map(Option::as_deref);
        let routed = self.routes.get(package);
        let named = routed.and_then(|r| self.named.get(r?.index.as_deref()?)).copied();
        Reach {
            first_index: match self.step.tool {
                Tool::UvPip | Tool::Uv | Tool::Pixi => strategy.is_none_or(|strategy| strategy == Some("first-index")),
                _ => strategy == Some(Some("first-index")),
            },
            indexes: if routed.is_some() && named.is_none() { &[] } else { self.found },
            routed: named,
            pre: self.step.flags.pre,
        }
    }
}

/// The packages' own sources.
struct Routes<'s> {
    /// With its position, by the package's name; of several the first.
    by_name: HashMap<&'s str, (usize, &'s Routed)>,
    /// Those for all names of a pattern, in order.
    patterns: Vec<(usize, &'s Routed)>,
}

impl<'s> Routes<'s> {
    fn of(routes: &'s [Routed]) -> Self {
        let mut all = Self { by_name: HashMap::new(), patterns: Vec::new() };
        for (n, route) in routes.iter().enumerate() {
            if route.package.contains('*') {
                all.patterns.push((n, route));
            } else {
                all.by_name.entry(&route.package).or_insert((n, route));
            }
        }
        all
    }
    /// The route of a package; `Some(None)` where it may have any.
    fn get(&self, package: &str) -> Option<Option<&'s Routed>> {
        let named = self.by_name.get(package).copied();
        if self.patterns.len() > MOST {
            return Some(named.filter(|(n, _)| *n < self.patterns[0].0).map(|(_, route)| route));
        }
        let fitting = self.patterns.iter().copied().find(|(_, route)| covers(&route.package, package));
        let first = named.into_iter().chain(fitting).min_by_key(|(n, _)| *n)?;
        Some(Some(first.1))
    }
}

/// Whether a route's pattern (`nvidia-*`) means a package.
fn covers(pattern: &str, package: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return pattern == package };
    package.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_route_that_means_a_package_is_its_own() {
        let route =
            |package: &str, index: &str| Routed { package: package.to_owned(), index: Some(index.to_owned()), file: None };
        let index = |routes: &[Routed], package: &str| Routes::of(routes).get(package).map(|r| r.and_then(|r| r.index.clone()));
        let routes = [route("a", "1"), route("a", "2"), route("nvidia-*-cu12", "3"), route("nvidia-nccl-cu12", "4")];
        for (package, expected) in
            [("a", Some("1")), ("nvidia-nccl-cu12", Some("3")), ("nvidia-nccl-cu11", None), ("nvidia-cu12", None)]
        {
            assert_eq!(index(&routes, package), expected.map(|e| Some(e.to_owned())), "{package}");
        }
        let mut many = vec![route("a", "1")];
        many.extend((0..=MOST).map(|n| route(&format!("x{n}*"), "2")));
        many.push(route("b", "3"));
        assert_eq!(["a", "b", "c"].map(|p| index(&many, p)), [Some(Some("1".to_owned())), Some(None), Some(None)]);
    }
}
