//! Keeps a walk finite: files that include themselves, or each other over and over, and variables without end.

use std::collections::HashSet;

use crate::outline::{Act, Outline};

/// Acts that are walked once more; what is read for the first time is as long as its file.
const REPEATED: usize = 4_000;
/// Variables that are copied at the beginning of subshells, and `COPY` sources that are looked through for a file.
const COPIED: usize = 1_000_000;
/// An installing step is as much work as this many other acts.
const STEP: usize = 20;

/// What a walk has done so far.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Files that are being read, by the address of their outline; none is entered again from itself.
    entered: Vec<usize>,
    /// Runs of acts by their address: the outlines do not move while a walk lasts.
    seen: HashSet<usize>,
    acts: usize,
    repeated: usize,
    copied: usize,
    steps: usize,
    /// Something was left out for being too much.
    pub(super) left_out: bool,
}

impl Bounds {
    /// Whether a file may be entered: it is not being read already.
    pub(super) fn enter(&mut self, file: &Outline) -> bool {
        let address = std::ptr::from_ref(file).addr();
        let new = !self.entered.contains(&address);
        if new {
            self.entered.push(address);
        }
        new
    }
    /// The file entered last has been read.
    pub(super) fn leave(&mut self) {
        self.entered.pop();
    }
    /// Whether these acts may be walked.
    pub(super) fn acts(&mut self, acts: &[Act]) -> bool {
        self.acts += acts.len();
        if !acts.is_empty() && !self.seen.insert(acts.as_ptr().addr()) {
            // Walking nothing much, over and over, counts too.
            self.repeated += acts.len() + 1;
        }
        self.left_out |= self.repeated > REPEATED;
        !self.left_out
    }
    /// Whether this many more may be copied or looked through.
    pub(super) fn copy(&mut self, variables: usize) -> bool {
        self.copied += variables;
        self.left_out |= self.copied > COPIED;
        !self.left_out
    }
    /// A step of this many packages is worked out.
    pub(super) fn step(&mut self, packages: usize) {
        self.steps += 1 + packages;
        if self.repeated > 0 {
            self.repeated += STEP;
        }
    }
    /// How much work the walk was, in acts.
    pub(super) fn weight(&self) -> usize {
        self.acts + self.copied / 8 + self.steps * STEP
    }
}
