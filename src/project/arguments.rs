//! Build arguments: what whoever builds a Dockerfile gives for its `ARG`s, and puts in the place of its stages.

use std::collections::BTreeMap;

use super::variables::Variables;
use crate::outline::BuildOf;

/// The build arguments of one build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Arguments {
    /// By name; `None` for a value that is not known.
    given: BTreeMap<String, Option<String>>,
    /// More of them may be given.
    open: bool,
    /// What takes the place of stages and images, by their names; `None` for what is not known.
    contexts: BTreeMap<String, Option<String>>,
}

impl Arguments {
    /// Those of a build; of one name the last holds.
    pub(super) fn of(build: &BuildOf, variables: &Variables) -> Self {
        let given = build.arguments.iter().map(|argument| {
            let value = match &argument.value {
                Some(value) => variables.resolve(value),
                // The builder's own variable of that name.
                None => variables.get(&argument.name).and_then(|value| value.text.clone()),
            };
            (argument.name.clone(), value)
        });
        let contexts = build.contexts.iter().map(|(name, text)| (name.to_lowercase(), variables.resolve(text)));
        Self { given: given.collect(), open: build.unread_arguments, contexts: contexts.collect() }
    }
    /// Those that any of these gives, with no value known.
    pub(super) fn unknown<'s>(all: impl Iterator<Item = &'s Self> + Clone) -> Self {
        let given = all.clone().flat_map(|one| one.given.keys().map(|name| (name.clone(), None))).collect();
        let contexts = all.clone().flat_map(|one| one.contexts.keys().map(|name| (name.clone(), None))).collect();
        Self { given, open: all.into_iter().any(|one| one.open), contexts }
    }
    /// What is given for an `ARG`: `None` where nothing is, `Some(None)` where it is not known.
    pub(super) fn value(&self, name: &str) -> Option<Option<&str>> {
        match self.given.get(name) {
            Some(value) => Some(value.as_deref()),
            None => self.open.then_some(None),
        }
    }
    /// What takes the place of a stage or an image of that name, as BuildKit has it: `None` where nothing does.
    /// Source: <https://docs.docker.com/reference/cli/docker/buildx/build/#build-context>.
    pub(super) fn in_place_of(&self, name: &str) -> Option<InPlace<'_>> {
        let context = self.contexts.get(&name.to_lowercase())?.as_deref().unwrap_or_default();
        Some(match (context.strip_prefix("docker-image://"), context.split_once(':')) {
            (Some(image), _) => InPlace::Image(image),
            (None, Some(("target" | "service", _))) => InPlace::Built(context),
            _ => InPlace::Unknown,
        })
    }
}

/// What takes the place of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InPlace<'a> {
    /// Another one.
    Image(&'a str),
    /// What is built beside, by the name that builds have for it: `target:base`.
    Built(&'a str),
    /// Not known.
    Unknown,
}
