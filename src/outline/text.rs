//! Text with variables in it.

use super::{Choice, Edit, Tool};
use crate::source::Span;

/// Text that may hold variables. Linking resolves it to one value, or to none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    /// In order; adjacent literals are joined.
    pub pieces: Vec<Piece>,
    /// Where it stands, quotes included.
    pub at: Span,
}

/// A part of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Means itself; quotes and escapes are already taken away.
    Literal(String),
    /// `$NAME`, `${NAME}`, `${NAME:-fallback}`, `${NAME:+instead}`.
    Variable {
        /// Its name.
        name: String,
        /// What stands in when it is unset or empty (`:-`, `-`).
        fallback: Option<Vec<Piece>>,
        /// What stands there only when it is set (`:+`, `+`).
        instead: Option<Vec<Piece>>,
    },
    /// A path that is spelled from the top when run, so that only where it leads is known: `$(cd "$X/.." && pwd)`.
    Path(Lead),
    /// What commands or operators whose answer is sure make of words: `$(echo $A | cut -d. -f1)`, `${A//./}`.
    Edited {
        /// The words.
        of: Vec<Piece>,
        /// What is done to them, one after the other.
        edits: Vec<Edit>,
    },
    /// Known only when run: `$(nvcc --version)`, `${A//x/y}`, `${{ matrix.x }}`, `{{ jinja }}`, a glob.
    Opaque,
}

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lead {
    /// To the top of the work tree.
    Top,
    /// To the working directory.
    Working,
    /// To where these words lead.
    To(Vec<Piece>),
    /// To the folder that what these words name lies in.
    Above(Vec<Piece>),
}

impl Lead {
    /// The words that it is told by.
    #[must_use]
    pub fn words(&self) -> &[Piece] {
        match self {
            Self::Top | Self::Working => &[],
            Self::To(words) | Self::Above(words) => words,
        }
    }
}

impl Text {
    /// A text without variables.
    #[must_use]
    pub fn literal(text: impl Into<String>, at: Span) -> Self {
        Self { pieces: vec![Piece::Literal(text.into())], at }
    }
    /// The text, if it holds no variable.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }
}

/// A value that a reader put into a text itself, in one of the ways in which the text is read: a row of a matrix, a variable of
/// make.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PutIn {
    /// Where it is asked for: `${{ matrix.cuda }}`, `$(CUDA)`.
    pub at: Span,
    /// By which name.
    pub name: String,
    /// What it is.
    pub value: String,
    /// Where that is written.
    pub from: Span,
}

/// An environment that a manifest puts together.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// Its name; `None` for the one that is meant where none is named.
    pub name: Option<String>,
    /// With which tool it is installed.
    pub tool: Tool,
    /// What it is made of.
    pub with: Vec<Choice>,
    /// The project itself comes along, with what it requires.
    pub project: bool,
}
