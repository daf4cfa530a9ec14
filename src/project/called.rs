//! What workflows and composite actions are given by those that call them: each call is a world of its own.

use std::collections::BTreeMap;

use super::variables::{Seen, Variables};
use super::{File, paths};
use crate::outline::{Act, Does, INPUTS, Kind, Piece, Variable};

/// More calls of one file are not told apart.
const MOST: usize = 16;

/// The inputs of each call, by the file that is called.
#[derive(Debug, Default)]
pub(super) struct Called(BTreeMap<String, Vec<Variables>>);

impl Called {
    pub(super) fn of(files: &BTreeMap<&str, File<'_>>) -> Self {
        let mut found: BTreeMap<String, Vec<Variables>> = BTreeMap::new();
        let acts = files.values().filter(|file| matches!(file.kind, Kind::Workflow | Kind::Action));
        for act in acts.flat_map(|file| &file.outline.acts) {
            let Does::Use(used) = &act.does else { continue };
            let Some(path) = used.path.known().and_then(|path| paths::join("", path)) else { continue };
            let names = [path.clone(), format!("{path}/action.yml"), format!("{path}/action.yaml")];
            let Some(path) = names.into_iter().find(|name| files.contains_key(name.as_str())) else { continue };
            let mut inputs = Variables::default();
            for input in &used.with {
                if let Some(value) = &input.value {
                    let value = Variables::default().value(value, value.at, Seen::Shell);
                    inputs.set(&input.name, value);
                }
            }
            let all = found.entry(path).or_default();
            if all.len() <= MOST {
                all.push(inputs);
            }
        }
        found.retain(|_, all| all.len() <= MOST);
        Self(found)
    }
    /// The inputs of each call of a file; none where nobody is known to call it.
    pub(super) fn ways(&self, path: &str) -> &[Variables] {
        self.0.get(path).map_or(&[], Vec::as_slice)
    }
}

/// The input whose default an act is: it holds where a caller gives no other.
pub(super) fn input_of_default(act: &Act) -> Option<&str> {
    let Does::Set(Variable { name, value: Some(value), .. }) = &act.does else { return None };
    let own = matches!(value.pieces.as_slice(), [Piece::Variable { name: own, fallback: Some(_), .. }] if own == name);
    (own && name.starts_with(INPUTS)).then_some(name)
}
