//! `# cudalint: ignore[…]`: which findings a comment silences, and which comments silence none.

use std::collections::HashMap;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::outline::{Covers, Ignore, Outline};
use crate::source::{FileId, Span};

/// The suppression comments of all files.
pub(crate) struct Suppressions<'a> {
    ignores: Vec<&'a Ignore>,
    used: Vec<Vec<bool>>,
    /// Where each rule is named in each file.
    names: HashMap<(FileId, &'a str), Names>,
}

/// The comments of one file that name one rule.
#[derive(Default)]
struct Names {
    /// (comment, name in it) of those that cover the file.
    whole: Vec<(usize, usize)>,
    /// Those that cover lines, by where these begin, with the furthest end so far.
    lines: Vec<(Span, u32, usize, usize)>,
}

impl<'a> Suppressions<'a> {
    /// Those of these outlines, in order.
    pub(crate) fn new(outlines: impl Iterator<Item = (FileId, &'a Arc<Outline>)>) -> Self {
        let (mut ignores, mut names) = (Vec::new(), HashMap::<_, Names>::new());
        for (file, ignore) in outlines.flat_map(|(file, o)| o.ignores.iter().map(move |i| (file, i))) {
            for (k, (rule, _)) in ignore.rules.iter().enumerate() {
                let names = names.entry((file, rule.as_str())).or_default();
                match ignore.covers {
                    Covers::File => names.whole.push((ignores.len(), k)),
                    Covers::Lines(lines) => names.lines.push((lines, 0, ignores.len(), k)),
                }
            }
            ignores.push(ignore);
        }
        for names in names.values_mut() {
            names.lines.sort_unstable();
            let mut furthest = 0;
            for (lines, end, ..) in &mut names.lines {
                furthest = furthest.max(lines.end);
                *end = furthest;
            }
        }
        let used = ignores.iter().map(|i| vec![false; i.rules.len()]).collect();
        Self { ignores, used, names }
    }
    /// Whether a comment at any of its labels names the finding's rule; the comment then counts as used.
    pub(crate) fn silence(&mut self, found: &Diagnostic) -> bool {
        let mut silent = false;
        for label in &found.labels {
            let Some(names) = self.names.get(&(label.at.file, found.rule)) else { continue };
            let near = names.lines.partition_point(|(lines, ..)| lines.start <= label.at.start.max(label.at.end));
            let behind = names.lines[..near].iter().rev().take_while(|(_, furthest, ..)| *furthest >= label.at.start);
            let covers = |lines: &Span| lines.touches(label.at) || lines.contains(label.at);
            let lines = behind.filter(|(lines, ..)| covers(lines)).map(|(.., n, k)| (*n, *k));
            for (n, k) in names.whole.iter().copied().chain(lines) {
                self.used[n][k] = true;
                silent = true;
            }
        }
        silent
    }
    /// The names that silenced nothing, with their places.
    pub(crate) fn unused(&self) -> impl Iterator<Item = (&'a str, Span)> {
        let names = self.ignores.iter().zip(&self.used);
        names.flat_map(|(i, used)| i.rules.iter().zip(used).filter(|(_, u)| !**u).map(|((n, at), _)| (n.as_str(), *at)))
    }
    /// The comments that name no rule.
    pub(crate) fn nameless(&self) -> impl Iterator<Item = Span> {
        self.ignores.iter().filter(|i| i.rules.is_empty()).map(|i| i.at)
    }
    /// All names, with their places.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'a str, Span)> {
        self.ignores.iter().flat_map(|i| i.rules.iter().map(|(name, at)| (name.as_str(), *at)))
    }
}
