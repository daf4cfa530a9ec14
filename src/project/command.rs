//! What an image runs by itself.

use crate::source::Span;

/// `ENTRYPOINT` and `CMD`, word by word; a word that is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command {
    /// What runs whatever arguments are given.
    pub(crate) entrypoint: Vec<(String, Span)>,
    /// What stands in for arguments where none are given.
    pub(crate) arguments: Vec<(String, Span)>,
}

impl Command {
    /// Whether the image names neither.
    pub(crate) fn is_empty(&self) -> bool {
        self.entrypoint.is_empty() && self.arguments.is_empty()
    }
    /// All of it, as it runs where nothing else is said.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&str, Span)> {
        self.entrypoint.iter().chain(&self.arguments).map(|(word, at)| (word.as_str(), *at))
    }
}
