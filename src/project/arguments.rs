//! Build arguments: what whoever builds a Dockerfile gives for its `ARG`s.

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
        Self { given: given.collect(), open: build.unread_arguments }
    }
    /// Those that any of these gives, with no value known.
    pub(super) fn unknown<'s>(all: impl Iterator<Item = &'s Self> + Clone) -> Self {
        let given = all.clone().flat_map(|one| one.given.keys().map(|name| (name.clone(), None))).collect();
        Self { given, open: all.into_iter().any(|one| one.open) }
    }
    /// What is given for an `ARG`: `None` where nothing is, `Some(None)` where it is not known.
    pub(super) fn value(&self, name: &str) -> Option<Option<&str>> {
        match self.given.get(name) {
            Some(value) => Some(value.as_deref()),
            None => self.open.then_some(None),
        }
    }
}
