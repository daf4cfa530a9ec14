//! Command lines with words from variables: what they say once these are known.

use std::collections::{HashMap, HashSet};

use super::super::origins::{self, Origin};
use super::{Indexed, Installed, Walker};
use crate::environment::{Reason, Untold};
use crate::notation::asking::Says;
use crate::outline::{Does, IndexKind, Install, Line, Piece, Removal, Text, Tool};
use crate::read::command;
use crate::source::Span;

/// A word is as much work as this many values.
const WORD: usize = 8;
/// Unknown words of a line that are looked at.
const LOOKED_AT: usize = 8;

/// By the place of a word, where the values of its variables are written.
pub(super) type Origins = HashMap<Span, Vec<(Span, Reason)>>;

/// A command line with all of its words that are known.
pub(super) struct Spoken {
    /// What it installs.
    pub(super) install: Install,
    /// On what its words rest.
    pub(super) says: Says,
    /// A word of it may be any words, options too.
    pub(super) any: Option<Span>,
    /// Where the values of its variables are written.
    pub(super) from: Origins,
}

/// The words of a line.
struct Words {
    words: Vec<Text>,
    /// Which of them are not known, by their numbers.
    unknown: Vec<usize>,
    /// On what they rest.
    says: Says,
    from: Origins,
}

impl Walker<'_, '_> {
    /// Where the values that a text holds are written.
    pub(super) fn reasons(&self, text: &Text) -> Vec<(Span, Reason)> {
        let mut reasons = self.variables.reasons(text);
        let put: Vec<Origin> = self.put_in(text).into_iter().chain(self.cut_from(text)).collect();
        reasons.extend(origins::reasons(&put, self.variables.resolve(text).is_none_or(|text| text.contains("://"))));
        reasons
    }

    /// That of the variable whose words the shell's reader has put in the place of `$X`.
    fn cut_from(&self, text: &Text) -> Vec<Origin> {
        let Some(word) = text.known().filter(|word| !word.is_empty()) else { return Vec::new() };
        let written = self.project.sources.slice(text.at).strip_prefix('$');
        let Some(name) = written.map(|name| name.trim_start_matches('{').trim_end_matches('}')) else { return Vec::new() };
        let holds = self.variables.get(name).and_then(|value| value.text.as_ref()).is_some_and(|value| value.contains(word));
        let piece = Piece::Variable { name: name.to_owned(), fallback: None, instead: None };
        if holds { self.variables.origins(&Text { pieces: vec![piece], at: text.at }) } else { Vec::new() }
    }

    /// Those that the reader of its file has put into it.
    pub(super) fn put_in(&self, text: &Text) -> Vec<Origin> {
        let file = self.project.file(self.project.sources.path(text.at.file));
        let Some(file) = file.filter(|file| !file.outline.put_in.is_empty()) else { return Vec::new() };
        self.variables.resolve(text).map(|whole| origins::put_in(file.outline, text, &whole)).unwrap_or_default()
    }

    /// Reads a line again, with what its variables hold now; `None` where it installs nothing then.
    pub(super) fn spoken(&mut self, line: &Line, tool: Tool, at: Span) -> Option<Spoken> {
        let Words { words, unknown, says, from } = self.words_of(line)?;
        // What a variable runs is known only with its value: `PIP="uv pip"`.
        let whole: Vec<Text> = line.words.iter().map(|(word, _)| word.clone()).collect();
        let named = command::program(&whole).is_some_and(|program| program.known().is_none());
        let install = read(&words, Some(tool).filter(|_| !named), at)?;
        let any = any(&install, &words, &unknown, at);
        Some(Spoken { install, says, any, from })
    }

    /// The same of one that takes packages away; what of its words is not known stays in them.
    pub(super) fn spoken_removal(&mut self, line: &Line, at: Span) -> Option<Removal> {
        let words = self.words_of(line)?.words;
        command::read(&words, at).into_iter().find_map(|does| if let Does::Remove(it) = does { Some(it) } else { None })
    }

    fn words_of(&mut self, line: &Line) -> Option<Words> {
        if !self.bounds.copy(line.words.len() * WORD) {
            return None;
        }
        let mut words = Vec::with_capacity(line.words.len());
        let mut unknown = Vec::new();
        let (mut says, mut from) = (Says::default(), Origins::new());
        for (word, cut) in &line.words {
            if !cut {
                words.push(word.clone());
                continue;
            }
            says |= self.variables.says_of(word);
            let written = self.reasons(word);
            if !written.is_empty() {
                from.insert(word.at, written);
            }
            match self.variables.words(word) {
                Some(more) if self.bounds.copy(more.len() * WORD) => words.extend(more),
                Some(_) => return None,
                None => {
                    unknown.push(words.len());
                    words.push(word.clone());
                }
            }
        }
        Some(Words { words, unknown, says, from })
    }
}

/// The first install with that tool, or with any.
fn read(words: &[Text], tool: Option<Tool>, at: Span) -> Option<Install> {
    let is = |install: &Install| tool.is_none_or(|tool| install.tool == tool);
    let mut does = command::read(words, at).into_iter();
    does.find_map(|does| if let Does::Install(install) = does { Some(install).filter(is) } else { None })
}

/// The first of the unknown words that may be any words. The value of an option is one word, and what a started program is
/// told changes nothing.
fn any(install: &Install, words: &[Text], unknown: &[usize], at: Span) -> Option<Span> {
    let places: HashSet<Span> = unknown.iter().map(|n| words[*n].at).collect();
    if let Some(ask) = install.asks.iter().find(|ask| places.contains(&ask.written.at)) {
        return Some(ask.written.at);
    }
    if words.iter().any(|word| word.known() == Some("run")) {
        return None;
    }
    // Those before pip's verb are options of its own, none of which names an index or a bound.
    // Source: <https://pip.pypa.io/en/stable/cli/pip/#general-options>.
    let verb = words.iter().position(|word| word.known() == Some("install")).filter(|_| install.tool == Tool::Pip);
    let unknown = &unknown[unknown.partition_point(|n| verb.is_some_and(|verb| *n < verb))..];
    // A command that takes no arguments says the same without it.
    let idle = unknown.iter().take(LOOKED_AT).find(|n| {
        let without: Vec<Text> = words[..**n].iter().chain(&words[**n + 1..]).cloned().collect();
        read(&without, Some(install.tool), at).is_some_and(|other| other == *install)
    });
    idle.map(|n| words[*n].at)
}

/// Options that are not known may name any index, leave requirements out, or bound them.
pub(super) fn any_options(step: &mut Installed, at: Span) {
    step.open = true;
    step.bounds_open = true;
    let kind = if step.tool == Tool::Conda { IndexKind::Channel } else { IndexKind::Extra };
    step.indexes.push(Indexed { kind, ..Indexed::untold(Untold::Variable, at) });
}
