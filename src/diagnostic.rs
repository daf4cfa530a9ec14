//! What the linter says in the end: graded, labelled, merged. The reports print it.

use crate::environment::Reason;
use crate::source::{Position, Span};

/// How bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; never fails a run.
    Info,
    /// Breaks for many, or silently runs on the CPU.
    Warning,
    /// Cannot work as written.
    Error,
}

impl Severity {
    /// The word used in every output and in `[levels]`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The rule's name.
    pub rule: &'static str,
    /// How bad this one is.
    pub severity: Severity,
    /// What is wrong: one line, concrete numbers, no full stop.
    pub message: String,
    /// Where and because; the first is the primary place.
    pub labels: Vec<Label>,
    /// What to write.
    pub help: Option<String>,
    /// The names of the starts it is true of.
    pub environments: Vec<String>,
    /// The hosts it is true of, by name; empty where no host takes part.
    pub hosts: Vec<OnHost>,
    /// How to mend it.
    pub fix: Option<Fix>,
}

/// A host that a finding is true of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OnHost {
    /// Its name.
    pub name: String,
    /// What of it does not fit: its driver, or its GPUs.
    pub has: Vec<String>,
}

/// A place with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where.
    pub at: Span,
    /// Because.
    pub reason: Reason,
    /// What requires the package that it speaks of, where the place asks for another one.
    pub required: Option<Reason>,
}

/// Edits that mend a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What it does, as an imperative.
    pub title: String,
    /// Whether it keeps the meaning of the file in every case.
    pub safe: bool,
    /// Replacements; they do not overlap.
    pub edits: Vec<Edit>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub at: Span,
    /// By what.
    pub text: String,
}

/// What one start needs, for the closing lines of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Needs {
    /// The start.
    pub environment: String,
    /// Oldest driver (Linux numbers), if known.
    pub driver: Option<String>,
    /// The CUDA release that its image demands of the driver, if any.
    pub image_cuda: Option<String>,
    /// The older drivers that its image lets in all the same: `a driver of branch 470 or 535`.
    pub image_others: Vec<String>,
    /// Oldest compute capability, if known: `7.5`.
    pub sm: Option<String>,
    /// Newest compute capability, where newer ones are known not to do.
    pub newest_sm: Option<String>,
}

/// What is worth knowing and no finding, for standard error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// Where; `None` where no line of a file says it.
    pub at: Option<Span>,
    /// What, and what to do: one line.
    pub what: String,
}

/// A file that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Its path.
    pub path: String,
    /// Why: `not UTF-8`, `larger than 8 MiB`.
    pub reason: String,
    /// Where its text ends to be text.
    pub at: Option<Position>,
}

/// The outcome of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Sorted by path, line, column, rule.
    pub diagnostics: Vec<Diagnostic>,
    /// One a start that has a chain, sorted by name.
    pub needs: Vec<Needs>,
    /// How many starts there are.
    pub environments: usize,
    /// How many files were read.
    pub files: usize,
    /// What a user wrote to no effect: unknown rules and GPUs, includes that lead outside. Sorted by place.
    pub warnings: Vec<Notice>,
    /// For `-v`: what the tables do not know.
    pub unknown: Vec<String>,
}
