//! What bounds the packages of a step beside their asks: constraints and lock entries, by package.

use std::collections::HashMap;

use super::Aliases;
use super::indexes::{known, pypi};
use super::step::open;
use crate::environment::{Candidates, StepIndex};
use crate::knowledge;
use crate::notation::match_spec::MatchSpec;
use crate::notation::requirement::{self, Subject};
use crate::notation::wheel::WheelName;
use crate::outline::{Language, Locked, LockedFrom};
use crate::platform::Platform;
use crate::project::{Installed, LockEntry};
use crate::resolve::{self, Reach};
use crate::source::Span;
use crate::version::{Specifiers, Version};

/// Of more conditions on one package only the first ones are looked at; an installer takes no version that breaks them.
pub(super) const MOST: usize = 64;

/// The constraints and lock entries of a step.
#[derive(Default)]
pub(super) struct Limits<'s> {
    bounds: HashMap<String, Vec<(Span, Specifiers)>>,
    pins: HashMap<String, Vec<(Span, MatchSpec)>>,
    locks: HashMap<String, Vec<Entry<'s>>>,
    conda: HashMap<String, Vec<(&'s LockEntry, MatchSpec)>>,
}

/// A lock's entry of a Python package of the tables.
pub(super) struct Entry<'s> {
    pub(super) entry: &'s LockEntry,
    pub(super) version: Version,
    place: Place,
}

/// Where the build of an entry comes from.
enum Place {
    /// Where the step looks.
    Step,
    Index(StepIndex),
    /// A file, with the index in whose folder it lies.
    Wheel(WheelName, Option<&'static str>),
    Unknown,
}

impl<'s> Limits<'s> {
    /// Those that hold on a platform.
    pub(super) fn new(step: &'s Installed, platform: &Platform, aliases: &dyn Aliases) -> Self {
        let mut limits = Self::default();
        for bound in &step.bounds {
            if bound.language == Language::MatchSpec {
                if let Some(pin) = bound.text.as_deref().and_then(|t| MatchSpec::parse(t).ok()) {
                    keep(&mut limits.pins, pin.name.clone(), (bound.at, pin));
                }
                continue;
            }
            let Some(parsed) = bound.text.as_deref().and_then(|t| requirement::parse(t).ok()) else { continue };
            if let Subject::Package { name, wants, .. } = parsed.subject
                && parsed.marker.as_ref().is_none_or(|m| m.holds(platform, &[]) == Some(true))
            {
                keep(&mut limits.bounds, name, (bound.at, wants));
            }
        }
        for entry in &step.locks {
            if let LockedFrom::Conda(spec) = &entry.lock.from {
                if let Some(spec) = spec.known().and_then(|text| MatchSpec::parse(text).ok()) {
                    keep(&mut limits.conda, spec.name.clone(), (entry, spec));
                }
                continue;
            }
            let Some(name) = entry.lock.name.known().map(requirement::normalise) else { continue };
            // A lock names hundreds of packages; those of the tables are a few.
            if knowledge::releases(&name).is_empty() {
                continue;
            }
            if let Some(version) = entry.lock.version.known().and_then(Version::parse) {
                let place = Place::of(&entry.lock, &name, aliases);
                keep(&mut limits.locks, name, Entry { entry, version, place });
            }
        }
        limits
    }
    /// The constraints on a package, with their places.
    pub(super) fn bounds(&self, package: &str) -> &[(Span, Specifiers)] {
        self.bounds.get(package).map_or(&[], Vec::as_slice)
    }
    /// What conda holds a package to in every install, with their places.
    pub(super) fn pins(&self, package: &str) -> &[(Span, MatchSpec)] {
        self.pins.get(package).map_or(&[], Vec::as_slice)
    }
    /// The lock's entries of a Python package.
    pub(super) fn locks(&self, package: &str) -> &[Entry<'s>] {
        self.locks.get(package).map_or(&[], Vec::as_slice)
    }
    /// The lock's entries of a conda package, by its own name.
    pub(super) fn conda(&self, package: &str) -> &[(&'s LockEntry, MatchSpec)] {
        self.conda.get(package).map_or(&[], Vec::as_slice)
    }
}

impl Place {
    fn of(lock: &Locked, name: &str, aliases: &dyn Aliases) -> Self {
        match &lock.from {
            LockedFrom::Indexes => Self::Step,
            LockedFrom::Pypi => Self::Index(pypi()),
            LockedFrom::Index(url) => url.known().map_or(Self::Unknown, |url| Self::Index(known(url, aliases))),
            LockedFrom::File(url) => {
                let wheel = url.known().and_then(WheelName::parse).filter(|wheel| wheel.name == name);
                let folder = url.known().and_then(knowledge::index_of_file).map(|index| index.id);
                wheel.map_or(Self::Unknown, |wheel| Self::Wheel(wheel, folder))
            }
            LockedFrom::Elsewhere | LockedFrom::Conda(_) => Self::Unknown,
        }
    }
}

impl Entry<'_> {
    /// The builds that it stands for, out of those that `wants` admits.
    pub(super) fn candidates(&self, package: &str, wants: &Specifiers, reach: &Reach<'_>, platform: &Platform) -> Candidates {
        let exact = wants.and(&Specifiers::exactly(&self.version));
        match &self.place {
            Place::Step => {
                let mut found = resolve::python_candidates(package, &exact, &reach.any_order(), platform);
                // `2.1.0` of a lock is not `2.1.0+cu118`, which a requirement would take.
                found.builds.retain(|build| build.version == self.version);
                found.today = found.today.and_then(|_| found.builds.len().checked_sub(1));
                found.open |= found.builds.is_empty();
                found
            }
            Place::Index(index) => {
                resolve::python_candidates(package, &exact, &Reach { routed: Some(index), ..reach.clone() }, platform)
            }
            Place::Wheel(wheel, folder) => resolve::from_wheel(wheel, *folder, platform),
            Place::Unknown => open(),
        }
    }
}

fn keep<T>(into: &mut HashMap<String, Vec<T>>, name: String, limit: T) {
    let of = into.entry(name).or_default();
    if of.len() < MOST {
        of.push(limit);
    }
}
