//! One requirement: PEP 508, and what pip takes beside it (URLs, paths, VCS addresses).

use std::ops::Range;

use super::marker::Marker;
use super::wheel::WheelName;
use crate::version::Specifiers;

/// A parsed requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// What is asked for.
    pub subject: Subject,
    /// Its extras, normalised.
    pub extras: Vec<String>,
    /// Its marker.
    pub marker: Option<Marker>,
}

/// What a requirement asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A package from an index.
    Package {
        /// Normalised (PEP 503).
        name: String,
        /// Bytes of the name in the text.
        name_at: Range<usize>,
        /// The conditions on its version.
        wants: Specifiers,
        /// Bytes of the conditions in the text; empty and behind the name (and extras) where there are none.
        wants_at: Range<usize>,
    },
    /// A wheel by address or path: `torch @ https://…whl`, a bare URL, `./x.whl`.
    Wheel {
        /// What its file name says.
        wheel: WheelName,
        /// Its address.
        url: String,
    },
    /// A package whose version cannot be told: a VCS address, an archive. The name where it is given (`name @`, `#egg=`), normalised.
    Elsewhere {
        /// Its name.
        name: Option<String>,
    },
    /// A folder with a project (`.`, `./sub`, also of `-e`).
    Path(String),
}

/// What is wrong with a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Bytes in the text.
    pub at: Range<usize>,
    /// One line, no full stop.
    pub why: String,
}

/// Parses one requirement, without options and comment.
///
/// # Errors
/// What pip would refuse, with its place.
pub fn parse(text: &str) -> Result<Requirement, Mistake> {
    Err(Mistake { at: 0..text.len(), why: String::new() })
}

/// A name as PEP 503 normalises it: `Torch_Vision` is `torch-vision`.
#[must_use]
pub fn normalise(name: &str) -> String {
    name.to_owned()
}
