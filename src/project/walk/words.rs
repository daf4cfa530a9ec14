//! Command lines with words from variables: what they say once these are known.

use std::collections::HashSet;

use super::{Indexed, Installed, Walker};
use crate::notation::asking::Says;
use crate::outline::{Does, IndexKind, Install, Line, Tool};
use crate::read::command;
use crate::source::Span;

/// A command line with all of its words that are known.
pub(super) struct Spoken {
    /// What it installs.
    pub(super) install: Install,
    /// On what its words rest.
    pub(super) says: Says,
    /// A word of it may be any words, options too.
    pub(super) any: Option<Span>,
}

impl Walker<'_, '_> {
    /// Reads a line again, with what its variables hold now; `None` where it installs nothing then.
    pub(super) fn spoken(&mut self, line: &Line, tool: Tool, at: Span) -> Option<Spoken> {
        let mut words = Vec::with_capacity(line.words.len());
        let mut unknown = HashSet::new();
        let mut says = Says::default();
        for (word, cut) in &line.words {
            if !cut {
                words.push(word.clone());
                continue;
            }
            says |= self.variables.says_of(word);
            match self.variables.words(word) {
                Some(more) => words.extend(more),
                None => {
                    unknown.insert(word.at);
                    words.push(word.clone());
                }
            }
        }
        if !self.bounds.copy(words.len()) {
            return None;
        }
        let does = command::read(&words, at).into_iter();
        let mut installs = does.filter_map(|does| if let Does::Install(install) = does { Some(install) } else { None });
        let install = installs.find(|install| install.tool == tool)?;
        // The value of an option is one word.
        let any = install.asks.iter().map(|ask| ask.written.at).find(|at| unknown.contains(at));
        Some(Spoken { install, says, any })
    }
}

/// Options that are not known may name any index, leave requirements out, or bound them.
pub(super) fn any_options(step: &mut Installed, at: Span) {
    step.open = true;
    step.bounds_open = true;
    let kind = if step.tool == Tool::Conda { IndexKind::Channel } else { IndexKind::Extra };
    step.indexes.push(Indexed { url: None, kind, name: None, explicit: false, at });
}
