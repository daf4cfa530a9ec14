//! The tests of all files, each taken apart once: a walk comes to the same one again and again.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::arms::{Answer, Arms};
use super::gpu_machine;
use super::number::Number;
use crate::notation::asking::{self, Says};
use crate::outline::{Act, Choice};

/// A test of a branch.
#[derive(Default)]
pub(super) struct Test {
    /// What it asks itself.
    pub(super) asks: Says,
    /// The variables, and as `(name)` the functions, that it speaks of.
    pub(super) rests_on: Vec<String>,
    /// Values of variables or outputs of commands take part.
    pub(super) has_values: bool,
    /// What it compares; `None` where it is too long for that.
    pub(super) arms: Option<Arms>,
}

impl Test {
    fn of(text: &str) -> Self {
        if is_of_template(text) {
            return Self::default();
        }
        let called = asking::words(text).map(|word| format!("({word})"));
        let answer =
            |part: &str| Answer { on_host: gpu_machine::answers(part, false), in_build: gpu_machine::answers(part, true) };
        Self {
            asks: asking::asks(text),
            rests_on: asking::names(text).into_iter().chain(called).collect(),
            has_values: text.contains(['$', '`', '|']),
            arms: Arms::of(text, &answer),
        }
    }
}

/// Whether a test is a template's: what it asks, whoever fills the template in knows.
pub(super) fn is_of_template(text: &str) -> bool {
    text.starts_with("{%")
}

/// The tests by their texts.
#[derive(Default)]
pub(super) struct Tests<'a> {
    all: Vec<Test>,
    by_text: HashMap<&'a str, usize>,
    /// By where a text lies in memory, which all acts of an arm share: long texts are not compared again and again.
    by_place: HashMap<usize, usize, BuildHasherDefault<Number>>,
    /// One that is in no file.
    none: Test,
}

impl<'a> Tests<'a> {
    /// Adds the tests of these acts.
    pub(super) fn add(&mut self, acts: &'a [Act]) {
        for choice in acts.iter().flat_map(|act| &act.when.0) {
            let Choice::Branch { test, .. } = choice else { continue };
            if self.by_place.contains_key(&place(test)) {
                continue;
            }
            let number = *self.by_text.entry(test).or_insert_with(|| {
                self.all.push(Test::of(test));
                self.all.len() - 1
            });
            self.by_place.insert(place(test), number);
        }
    }
    /// The test of that text.
    pub(super) fn of(&self, text: &Arc<str>) -> &Test {
        let number = self.by_place.get(&place(text)).or_else(|| self.by_text.get(&**text));
        number.and_then(|number| self.all.get(*number)).unwrap_or(&self.none)
    }
}

/// Where a text lies; it does not move while a project is there.
fn place(text: &Arc<str>) -> usize {
    Arc::as_ptr(text).addr()
}
