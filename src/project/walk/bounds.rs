//! Keeps a walk finite: files that include themselves, or each other over and over, and variables without end.

use std::collections::HashSet;

use crate::outline::{Act, Outline};

/// No include is followed deeper.
pub(super) const DEEPEST: usize = 12;
/// Files that lead to each other in any way: a stack has an end.
const MOST_ENTERED: usize = 32;

/// Acts that are walked once more; what is read for the first time is as long as its file.
const REPEATED: usize = 40_000;
/// The same for all starts of a file together, and what each may have of it in any case.
const REPEATED_BY_ALL: usize = 400_000;
const REPEATED_BY_EACH: usize = 200;
/// Values that are made.
const COPIED: usize = 1_000_000;
/// A `COPY` source that is looked through for a file is as much work as this many values.
const SOURCE: usize = 16;
/// `ARG`s before the first stage, times stages.
const GLOBALS: usize = 250_000;
/// Variables of files, times the starts that read them.
const VARIABLES: usize = 40_000;
/// An installing step is as much work as this many other acts.
const STEP: usize = 20;

/// What a walk has done so far.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Acts that may be walked once more.
    most: usize,
    /// Starts of the same file.
    starts: usize,
    /// Files that are being read, by the address of their outline; none is entered again from itself.
    entered: Vec<usize>,
    /// Runs of acts by their address: the outlines do not move while a walk lasts.
    seen: HashSet<usize>,
    acts: usize,
    repeated: usize,
    copied: usize,
    variables: usize,
    steps: usize,
    /// Something was left out for being too much.
    pub(super) left_out: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            most: REPEATED,
            starts: 1,
            entered: Vec::new(),
            seen: HashSet::new(),
            acts: 0,
            repeated: 0,
            copied: 0,
            variables: 0,
            steps: 0,
            left_out: false,
        }
    }
}

impl Bounds {
    /// For one of so many starts of a file: what they have of each other is bounded for all together.
    pub(super) fn of_one_in(starts: usize) -> Self {
        let most = (REPEATED_BY_ALL / starts.max(1)).clamp(REPEATED_BY_EACH, REPEATED);
        Self { most, starts, ..Self::default() }
    }
    /// Whether a file may be entered: it is not being read already.
    pub(super) fn enter(&mut self, file: &Outline) -> bool {
        let address = std::ptr::from_ref(file).addr();
        if self.entered.contains(&address) {
            return false;
        }
        self.left_out |= self.entered.len() >= MOST_ENTERED;
        if !self.left_out {
            self.entered.push(address);
        }
        !self.left_out
    }
    /// Whether files lead to each other as deep as includes do.
    pub(super) fn is_deep(&self) -> bool {
        self.entered.len() > DEEPEST
    }
    /// Whether something so deep is followed: what it leads to may change all that is seen.
    pub(super) fn follows(&mut self, depth: usize) -> bool {
        self.left_out |= depth > DEEPEST;
        !self.left_out
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
        self.left_out |= self.repeated > self.most;
        !self.left_out
    }
    /// Whether this many acts may be walked that other starts walk, too.
    pub(super) fn again(&mut self, acts: usize) -> bool {
        self.repeated += 1 + acts;
        self.left_out |= self.repeated > self.most;
        !self.left_out
    }
    /// Whether so many values of `ARG`s before the stages may be made, over all stages.
    pub(super) fn globals(&mut self, values: usize) -> bool {
        self.left_out |= values > GLOBALS;
        !self.left_out
    }
    /// Whether so many variables of a file may be read, by each of the starts.
    pub(super) fn variables(&mut self, variables: usize) -> bool {
        self.variables += variables;
        self.left_out |= self.variables * self.starts > VARIABLES;
        !self.left_out
    }
    /// Whether this many more `COPY` sources may be looked through.
    pub(super) fn look_through(&mut self, sources: usize) -> bool {
        self.copy(sources * SOURCE)
    }
    /// Whether this many more may be copied.
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
    /// A walk of its own takes part.
    pub(super) fn aside(&mut self, other: &Self) {
        self.acts += other.acts;
        self.copied += other.copied;
        self.steps += other.steps;
    }
    /// How much work the walk was, in acts.
    pub(super) fn weight(&self) -> usize {
        self.acts + self.copied / 8 + self.steps * STEP
    }
}
