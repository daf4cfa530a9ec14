//! Which settings of variables a walk asks for: those that may stand where it asks, whichever way the tests go.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex, PoisonError};

use super::number::Number;

/// A setting of a variable, or all settings of one, by a number of its own.
pub(super) type Setting = u32;

/// Settings by their numbers.
pub(super) type Settings = HashSet<Setting, BuildHasherDefault<Number>>;

/// The choices under which something happens, outermost first, by numbers of their own.
pub(super) type Under = Arc<[u32]>;

/// So many settings of a variable are told apart where it is asked for.
const TOLD_APART: usize = 64;

/// What has been set, and what has been asked for.
#[derive(Debug, Default)]
pub(super) struct Watched {
    asked: Mutex<Settings>,
    by_name: HashMap<String, Named>,
    /// The variables that were set, in that order: those of a subshell are taken back.
    order: Vec<String>,
    /// How many numbers are taken.
    count: u32,
    /// Under which choices the walk is.
    here: Under,
}

/// The settings of one variable.
#[derive(Debug)]
struct Named {
    /// Stands for all of them.
    whole: Setting,
    all: Vec<Setting>,
    /// Those that may hold now, in their order.
    now: Vec<Set>,
}

#[derive(Debug)]
struct Set {
    setting: Setting,
    under: Under,
    /// Where its choices are taken nothing holds that was set before.
    sure: bool,
}

impl Watched {
    /// What follows happens under these choices.
    pub(super) fn stand(&mut self, under: &Under) {
        self.here = Arc::clone(under);
    }
    /// A variable is set; `sure` where its value is another one then in any case.
    pub(super) fn set(&mut self, name: &str, setting: Setting, under: &Under, sure: bool) {
        let count = &mut self.count;
        let named = match self.by_name.get_mut(name) {
            Some(named) => named,
            None => {
                let whole = next(count);
                self.by_name.entry(name.to_owned()).or_insert(Named { whole, all: Vec::new(), now: Vec::new() })
            }
        };
        named.all.push(setting);
        named.now.push(Set { setting, under: Arc::clone(under), sure });
        self.order.push(name.to_owned());
    }
    /// A number for a setting that is to come.
    pub(super) fn number(&mut self) -> Setting {
        next(&mut self.count)
    }
    /// How many were set.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }
    /// Takes those back that came after so many, but for the variables that `stays` names.
    pub(super) fn back(&mut self, to: usize, stays: impl Fn(&str) -> bool) {
        for name in self.order.split_off(to.min(self.order.len())) {
            if stays(&name) {
                self.order.push(name);
            } else if let Some(named) = self.by_name.get_mut(&name) {
                named.now.pop();
            }
        }
    }
    /// It makes a difference what a variable is here.
    pub(super) fn ask(&self, name: &str) {
        if self.by_name.contains_key(name) {
            // The set is whole between two statements.
            self.reaching(name, &self.here, &mut self.asked.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
    /// The settings of a variable that may hold under these choices.
    fn reaching(&self, name: &str, here: &[u32], found: &mut Settings) {
        let Some(named) = self.by_name.get(name) else { return };
        for (n, set) in named.now.iter().rev().enumerate() {
            if n == TOLD_APART {
                found.insert(named.whole);
                return;
            }
            found.insert(set.setting);
            if set.sure && here.starts_with(&set.under) {
                return;
            }
        }
    }
    /// The settings of a variable that may hold in the end, whatever is chosen.
    pub(super) fn in_the_end(&self, name: &str, found: &mut Settings) {
        self.reaching(name, &[], found);
    }
    /// What was asked for, with these in its place.
    pub(super) fn swap(&mut self, asked: Settings) -> Settings {
        std::mem::replace(self.asked.get_mut().unwrap_or_else(PoisonError::into_inner), asked)
    }
    /// The settings for which some numbers stand that stand for all of a variable.
    pub(super) fn wholes(&self) -> HashMap<Setting, &[Setting]> {
        self.by_name.values().map(|named| (named.whole, named.all.as_slice())).collect()
    }
}

fn next(count: &mut u32) -> u32 {
    *count += 1;
    *count
}
