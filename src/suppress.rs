//! `# cudalint: ignore[…]`: which findings a comment silences, and which comments silence none.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::outline::{Covers, Ignore, Outline};
use crate::source::{FileId, Span};

/// The suppression comments of all files.
pub(crate) struct Suppressions<'a> {
    ignores: Vec<(FileId, &'a Ignore)>,
    used: Vec<Vec<bool>>,
}

impl<'a> Suppressions<'a> {
    /// Those of these outlines, in order.
    pub(crate) fn new(outlines: impl Iterator<Item = (FileId, &'a Arc<Outline>)>) -> Self {
        let ignores: Vec<_> = outlines.flat_map(|(file, o)| o.ignores.iter().map(move |i| (file, i))).collect();
        let used = ignores.iter().map(|(_, i)| vec![false; i.rules.len()]).collect();
        Self { ignores, used }
    }
    /// Whether a comment at any of its labels names the finding's rule; the comment then counts as used.
    pub(crate) fn silence(&mut self, found: &Diagnostic) -> bool {
        let mut silent = false;
        for (n, (file, ignore)) in self.ignores.iter().enumerate() {
            let covers = |span: Span| match ignore.covers {
                Covers::File => span.file == *file,
                Covers::Lines(lines) => lines.touches(span) || lines.contains(span),
            };
            if found.labels.iter().any(|label| covers(label.at)) {
                for (k, (rule, _)) in ignore.rules.iter().enumerate() {
                    if rule == found.rule {
                        self.used[n][k] = true;
                        silent = true;
                    }
                }
            }
        }
        silent
    }
    /// The names that silenced nothing, with their places.
    pub(crate) fn unused(&self) -> impl Iterator<Item = (&'a str, Span)> {
        let names = self.ignores.iter().zip(&self.used);
        names.flat_map(|((_, i), used)| i.rules.iter().zip(used).filter(|(_, u)| !**u).map(|((n, at), _)| (n.as_str(), *at)))
    }
    /// All names, with their places.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'a str, Span)> {
        self.ignores.iter().flat_map(|(_, i)| i.rules.iter().map(|(name, at)| (name.as_str(), *at)))
    }
}
