//! What bounds the packages of a step beside their asks: constraints and lock entries, by package.

use std::collections::HashMap;

use crate::notation::requirement::{self, Subject};
use crate::outline::Locked;
use crate::platform::Platform;
use crate::project::Installed;
use crate::source::Span;
use crate::version::{Specifiers, Version};

/// Of more conditions on one package only the first ones are looked at; an installer takes no version that breaks them.
pub(super) const MOST: usize = 64;

/// The constraints and lock entries of a step.
pub(super) struct Limits<'s> {
    bounds: HashMap<String, Vec<(Span, Specifiers)>>,
    locks: HashMap<String, Vec<(&'s Locked, Version)>>,
}

impl<'s> Limits<'s> {
    /// Those that hold on a platform.
    pub(super) fn new(step: &'s Installed, platform: &Platform) -> Self {
        let mut limits = Self { bounds: HashMap::new(), locks: HashMap::new() };
        for bound in &step.bounds {
            let Some(parsed) = bound.text.as_deref().and_then(|t| requirement::parse(t).ok()) else { continue };
            if let Subject::Package { name, wants, .. } = parsed.subject
                && parsed.marker.as_ref().is_none_or(|m| m.holds(platform, &[]) == Some(true))
            {
                keep(&mut limits.bounds, name, (bound.at, wants));
            }
        }
        for (lock, _) in &step.locks {
            if let (Some(name), Some(version)) = (lock.name.known(), lock.version.known().and_then(Version::parse)) {
                keep(&mut limits.locks, requirement::normalise(name), (lock, version));
            }
        }
        limits
    }
    /// The constraints on a package, with their places.
    pub(super) fn bounds(&self, package: &str) -> &[(Span, Specifiers)] {
        self.bounds.get(package).map_or(&[], Vec::as_slice)
    }
    /// The lock's entries of a package, with their versions.
    pub(super) fn locks(&self, package: &str) -> &[(&'s Locked, Version)] {
        self.locks.get(package).map_or(&[], Vec::as_slice)
    }
}

fn keep<T>(into: &mut HashMap<String, Vec<T>>, name: String, limit: T) {
    let of = into.entry(name).or_default();
    if of.len() < MOST {
        of.push(limit);
    }
}
