//! Files that are written or changed on the way.

use super::super::variables::{Seen, Value};
use super::Walker;
use super::acts::configures;
use crate::outline::{Piece, Text, Written};

/// What a command reads that reads what it is given.
const INPUT: &[&str] = &["/dev/stdin", "-"];

impl<'a> Walker<'_, 'a> {
    /// A file is changed in a way that is not known.
    pub(super) fn change(&mut self, text: &Text) {
        let before = self.listen();
        let path = self.path(text);
        // `~/.pip/pip.conf` has an unknown folder and a known name.
        let name = path.clone().or_else(|| {
            text.pieces.iter().rev().find_map(|p| match p {
                Piece::Literal(end) => Some(end.clone()),
                _ => None,
            })
        });
        configures(&mut self.configured, &mut self.variables, name.as_deref().unwrap_or_default(), text.at);
        for place in path.map(|path| self.places(&path)).unwrap_or_default() {
            self.edit(place);
        }
        self.heard_setting(before);
    }

    /// What a file says from here on is not known.
    pub(super) fn edit(&mut self, place: String) {
        self.written.remove(&place);
        match &mut self.image {
            Some(image) => image.contents.edit(place),
            None => drop(self.edited.insert(place)),
        }
    }

    /// A file is written whose text is known.
    pub(super) fn write(&mut self, written: &'a Written) {
        let Some(path) = self.path(&written.path) else { return self.change(&written.path) };
        for variable in &written.put_in {
            if let Some(text) = &variable.value {
                self.fill(&variable.name, text);
            }
        }
        for place in self.places(&path) {
            self.written.insert(place.clone(), written);
            self.configure_written(written, place);
        }
    }

    /// What a text is given when it is written; no shell's end takes it back.
    fn fill(&mut self, name: &str, text: &Text) {
        let mut says = self.variables.says_of(text);
        says |= self.says;
        self.variables.rest(name, says);
        let value = self.variables.value(text, text.at, Seen::Shell);
        let before = self.variables.replaced(name).map(|before| before.text.clone());
        // Of several files that one heredoc writes, one after the other, each has its own; what takes several lines may be
        // anything.
        let other = before.is_some_and(|before| before != value.text);
        let lines = value.text.as_ref().is_some_and(|text| text.contains('\n'));
        let value = if other || lines { Value::unknown(text.at, Seen::Shell) } else { value };
        let value = Value { sure: value.sure && !self.tested, ..value };
        if self.bounds.copy(value.written.len() / 64) {
            self.configured.insert(name.to_owned());
            self.variables.set(name, value);
        }
    }

    /// What a command was given to read is read.
    pub(super) fn read_input(&mut self) {
        if !self.written.is_empty() {
            let places: Vec<String> = INPUT.iter().flat_map(|input| self.places(input)).collect();
            for place in places {
                self.written.remove(&place);
            }
        }
    }
}
