//! The wheels that there are of what an installer is asked for, whatever they are for: where none fits, it fails.

use crate::environment::{Ask, Origin, Step};
use crate::knowledge::{self, Platforms, Release};
use crate::notation::wheel::WheelName;
use crate::platform::{Platform, Pythons};
use crate::resolve;
use crate::version::Specifiers;

/// What an ask comes to, as far as all of it is known.
pub(crate) enum Wheels {
    /// One of these.
    Released {
        /// All that the ask admits, at all indexes where it is looked for.
        admitted: Vec<&'static Release>,
        /// All that there is of the package at these indexes.
        all: Vec<&'static Release>,
        /// The platforms for which that is all.
        listed: Platforms,
    },
    /// This very wheel.
    File(WheelName),
}

/// The wheels of an ask; `None` where it may be built from sources, comes from elsewhere, or not all is known.
pub(crate) fn wheels(step: &Step, ask: &Ask) -> Option<Wheels> {
    match &ask.from {
        Origin::Wheel(url) => WheelName::parse(url).map(Wheels::File),
        Origin::Index if ask.looked_for && !step.flags.pre => {
            let listed = knowledge::wheels_only(&ask.package)?;
            let mut ids = Vec::new();
            for index in step.looks_at(ask)? {
                let row = knowledge::index_by_id(index.id?)?;
                // It serves other packages, and these only.
                if !row.carries.is_empty() && !row.carries.contains(&ask.package.as_str()) {
                    continue;
                }
                let serves = || knowledge::releases(&ask.package).iter().any(|release| release.indexes.contains(&row.id));
                // What is not listed may be for anything.
                if row.pre_releases || row.candidates || !row.carries.is_empty() || !serves() {
                    return None;
                }
                ids.push(row.id);
            }
            let admitted = resolve::for_any_platform(&ask.package, &ask.wants, &ids);
            let all = resolve::for_any_platform(&ask.package, &Specifiers::default(), &ids);
            (!admitted.is_empty()).then_some(Wheels::Released { admitted, all, listed })
        }
        Origin::Index | Origin::Sources(_) | Origin::Required => None,
    }
}

/// Whether a release has wheels for the Python of a platform, as far as is known.
pub(crate) fn fits_python(release: &Release, platform: &Platform) -> bool {
    release.pythons.is_empty() || pythons(release).meets(platform.wheels)
}

/// The Pythons that a release has wheels for.
pub(crate) fn pythons(release: &Release) -> Pythons {
    release.pythons.iter().filter_map(|text| Pythons::parse(text)).fold(Pythons(0), |all, one| Pythons(all.0 | one.0))
}

/// Pythons in words: `3.8`, `3.8 to 3.11`, `3.10 and newer`.
pub(crate) fn in_words(pythons: Pythons) -> String {
    /// No release of CPython has come so far.
    const BEYOND: u32 = 30;
    let minors: Vec<u32> = pythons.minors().collect();
    let (Some(first), Some(last)) = (minors.first(), minors.last()) else { return String::new() };
    let whole = u32::try_from(minors.len()).is_ok_and(|len| last - first + 1 == len);
    match (whole, minors.len()) {
        (_, 1) => format!("3.{first}"),
        (true, _) if *last >= BEYOND => format!("3.{first} and newer"),
        (true, _) => format!("3.{first} to 3.{last}"),
        (false, _) => minors.iter().map(|minor| format!("3.{minor}")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pythons_as_people_say_them() {
        for (minors, said) in [(&[8][..], "3.8"), (&[8, 9, 10], "3.8 to 3.10"), (&[7, 9], "3.7, 3.9"), (&[], "")] {
            let set = minors.iter().fold(Pythons(0), |all, minor| Pythons(all.0 | Pythons::only(*minor).0));
            assert_eq!(in_words(set), said);
        }
        assert_eq!(in_words(Pythons::admitted(&Specifiers::parse(">=3.10").expect("specifiers"))), "3.10 and newer");
    }
}
