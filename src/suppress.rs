//! `# cudalint: ignore[…]`: which findings a comment silences, and which comments silence none.

use std::collections::HashMap;

use crate::diagnostic::{Diagnostic, Notice};
use crate::outline::{Covers, Ignore, Vain};
use crate::rules;
use crate::source::{FileId, Span, brief};

/// Why a comment that names no rule silences none.
const NAMELESS: &str = "silences nothing: it needs the names of rules, as in `cudalint: ignore[driver-too-old]`";

/// Why `ignore-file` may silence none.
const NOT_AT_TOP: &str = "silences nothing: `ignore-file` counts only above everything else in the file";
/// Why a list without an end silences none.
const OPEN: &str = "silences nothing: the list of rules has no `]`";
/// Why a comment that is written in another way silences none.
const MISSPELT: &str = "silences nothing: it is written `cudalint: ignore[rule]`, in small letters and with the colon";
/// Why a comment that begins with another word silences none.
const OTHER_WORD: &str = "silences nothing: only `cudalint: ignore[rule]` and `cudalint: ignore-file[rule]` do";

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
    /// Those of these files, in order.
    pub(crate) fn new(files: impl Iterator<Item = (FileId, &'a [Ignore])>) -> Self {
        let (mut ignores, mut names) = (Vec::new(), HashMap::<_, Names>::new());
        for (file, ignore) in files.flat_map(|(file, ignores)| ignores.iter().map(move |i| (file, i))) {
            for (k, (rule, _)) in ignore.rules.iter().enumerate() {
                let names = names.entry((file, rule.as_str())).or_default();
                match ignore.covers {
                    Covers::File => names.whole.push((ignores.len(), k)),
                    Covers::Nothing(_) => {}
                    Covers::Lines(lines) => {
                        names.lines.push((lines, 0, ignores.len(), k));
                        // What is said of the comment itself, too.
                        names.lines.push((ignore.at, 0, ignores.len(), k));
                    }
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
        self.silence_at(found.rule, found.labels.iter().map(|label| label.at))
    }
    /// The same of a rule that speaks of these places.
    pub(crate) fn silence_at(&mut self, rule: &str, places: impl Iterator<Item = Span>) -> bool {
        let mut silent = false;
        for at in places {
            let Some(names) = self.names.get(&(at.file, rule)) else { continue };
            let near = names.lines.partition_point(|(lines, ..)| lines.start <= at.start.max(at.end));
            let behind = names.lines[..near].iter().rev().take_while(|(_, furthest, ..)| *furthest >= at.start);
            let covers = |lines: &Span| lines.touches(at) || lines.contains(at);
            let lines = behind.filter(|(lines, ..)| covers(lines)).map(|(.., n, k)| (*n, *k));
            for (n, k) in names.whole.iter().copied().chain(lines) {
                self.used[n][k] = true;
                silent = true;
            }
        }
        silent
    }
    /// The names that silenced nothing so far, with their places.
    pub(crate) fn unused(&self) -> Vec<(&'a str, Span)> {
        let names = self.ignores.iter().zip(&self.used);
        let unused = |(i, used): (&&'a Ignore, &Vec<bool>)| {
            let names = i.rules.iter().zip(used.clone()).filter(|(_, used)| !used);
            names.map(|((name, at), _)| (name.as_str(), *at)).collect::<Vec<_>>()
        };
        names.flat_map(unused).collect()
    }
    /// The comments that name no rule, and the names that are none.
    pub(crate) fn without_effect(&self) -> impl Iterator<Item = Notice> {
        let nameless = self.ignores.iter().filter(|i| i.rules.is_empty()).map(|i| {
            let why = match i.covers {
                Covers::Nothing(Vain::NotAtTop) => NOT_AT_TOP,
                Covers::Nothing(Vain::OtherWord) => OTHER_WORD,
                Covers::Nothing(Vain::Misspelt) => MISSPELT,
                Covers::Nothing(Vain::Open) => OPEN,
                Covers::Lines(_) | Covers::File => NAMELESS,
            };
            (i.at, why.to_owned())
        });
        let names = self.ignores.iter().flat_map(|i| &i.rules).filter(|(name, _)| rules::find(name).is_none());
        let names = names.map(|(name, at)| (*at, format!("ignore[{}]: no rule is called so", brief(name))));
        nameless.chain(names).map(|(at, what)| Notice { at: Some(at), what })
    }
}
