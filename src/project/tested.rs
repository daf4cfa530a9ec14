//! The tests of all files, each taken apart once: a walk comes to the same one again and again.

use std::collections::HashMap;

use super::arms::{Answer, Arms};
use super::gpu_machine;
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
    by_text: HashMap<&'a str, Test>,
    /// One that is in no file.
    none: Test,
}

impl<'a> Tests<'a> {
    /// Adds the tests of these acts.
    pub(super) fn add(&mut self, acts: &'a [Act]) {
        for choice in acts.iter().flat_map(|act| &act.when.0) {
            if let Choice::Branch { test, .. } = choice
                && !self.by_text.contains_key(test.as_str())
            {
                self.by_text.insert(test, Test::of(test));
            }
        }
    }
    /// The test of that text.
    pub(super) fn of(&self, text: &str) -> &Test {
        self.by_text.get(text).unwrap_or(&self.none)
    }
}
