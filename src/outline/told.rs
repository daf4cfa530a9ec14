//! What a file says about findings, and where it could not be read.

use crate::source::Span;

/// A comment that silences rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignore {
    /// The whole comment.
    pub at: Span,
    /// The rules, with the place of each name; empty where it names none, and then it silences none.
    pub rules: Vec<(String, Span)>,
    /// What it covers.
    pub covers: Covers,
}

/// What an ignore comment covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Labels that touch these bytes (whole lines).
    Lines(Span),
    /// The file.
    File,
    /// Nothing, for this reason.
    Nothing(Vain),
}

/// Why a comment silences nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vain {
    /// `ignore-file` below something else.
    NotAtTop,
    /// Neither `ignore` nor `ignore-file`.
    OtherWord,
    /// Nearly the right words: another case, no colon.
    Misspelt,
    /// The list of names is not closed.
    Open,
}

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Torn {
    /// Where.
    pub at: Span,
    /// Why, in the words of the format: one line, no full stop.
    pub why: String,
    /// A template marker (`{{`, `{%`, `<%`) explains it.
    pub template: bool,
}
