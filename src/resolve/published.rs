//! What a release of the tables requires, parsed once: a run asks it thousands of times.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::knowledge::Release;
use crate::notation::requirement::{self, Requirement};

/// Requirements with their texts.
pub(crate) type Published = Arc<[(&'static str, Requirement)]>;

/// The published requirements of a release, without those that cannot be read.
pub(crate) fn requirements(release: &'static Release) -> Published {
    /// By place in the tables: hashing the texts would cost as much as parsing them.
    static KNOWN: OnceLock<Mutex<HashMap<(usize, usize), Published>>> = OnceLock::new();
    let texts = release.requires;
    let parse = || texts.iter().filter_map(|text| Some((*text, requirement::parse(text).ok()?))).collect();
    // The map is whole between two statements: a panic elsewhere spoils nothing.
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    known.entry((texts.as_ptr().addr(), texts.len())).or_insert_with(parse).clone()
}
