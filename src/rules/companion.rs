//! Which release of a companion goes with which torch.

use crate::knowledge;
use crate::notation::requirement::{Subject, parse};
use crate::version::Version;

/// The companion's newest release that requires a torch by its exact version.
pub(super) fn partner(companion: &str, torch: &Version) -> Option<&'static str> {
    let fits = |text: &&str| match parse(text).map(|r| r.subject) {
        Ok(Subject::Package { name, wants, .. }) => name == "torch" && wants.pin().is_some_and(|pin| pin.public() == *torch),
        _ => false,
    };
    let rows = knowledge::releases(companion);
    rows.iter().rev().find(|r| r.requires.iter().any(fits)).map(|r| r.version)
}
