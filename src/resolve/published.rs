//! What the tables say of releases, parsed once: a run asks it thousands of times.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::environment::Build;
use crate::knowledge::{self, Kernels, Release};
use crate::notation::requirement::{self, Requirement, Subject};
use crate::platform::{Platform, Pythons};
use crate::version::Version;

/// Requirements with their texts.
pub(crate) type Published = Arc<[(&'static str, Requirement)]>;

/// A build that an index serves.
pub(crate) struct Served {
    /// With the local version that the index gives it.
    pub(crate) build: Build,
    /// The Python versions it has wheels for; empty where the tables do not say.
    pub(crate) pythons: Vec<Pythons>,
}

impl Served {
    /// Whether it has wheels for a platform and its Python.
    pub(crate) fn is_for(&self, platform: &Platform) -> bool {
        let runs = self.pythons.is_empty() || self.pythons.iter().any(|set| set.meets(platform.wheels));
        runs && self.build.release.platforms.meets(platform.bits())
    }
}

/// Answers that are worked out at their first question.
struct Known<K, V>(LazyLock<Mutex<HashMap<K, V>>>);

impl<K: Eq + Hash, V: Clone> Known<K, V> {
    const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }
    fn get(&self, key: K, work_out: impl FnOnce() -> V) -> V {
        // The map is whole between two statements: a panic elsewhere spoils nothing.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(key).or_insert_with(work_out).clone()
    }
}

/// Where a static list lies, and its length: hashing its texts would cost as much as parsing them.
type Place = (usize, usize);

fn place<T>(rows: &'static [T]) -> Place {
    (rows.as_ptr().addr(), rows.len())
}

/// The published requirements of a release, without those that cannot be read.
pub(crate) fn requirements(release: &'static Release) -> Published {
    static KNOWN: Known<Place, Published> = Known::new();
    let texts = release.requires;
    let parse = || texts.iter().filter_map(|text| Some((*text, requirement::parse(text).ok()?))).collect();
    KNOWN.get(place(texts), parse)
}

/// The extras of a release that come with some of them, these too: `srt` with `all`, where that is `sglang[srt]`.
pub(crate) fn all_extras(release: &'static Release, asked: &[String], platform: &Platform) -> Vec<String> {
    let mut all = asked.to_vec();
    let published = if asked.is_empty() { Published::default() } else { requirements(release) };
    let own: Vec<&Requirement> = published
        .iter()
        .map(|(_, parsed)| parsed)
        .filter(|parsed| matches!(&parsed.subject, Subject::Package { name, .. } if name == release.package))
        .collect();
    loop {
        let known: Vec<&str> = all.iter().map(String::as_str).collect();
        let holds = |parsed: &&&Requirement| parsed.marker.as_ref().is_none_or(|m| m.holds(platform, &known) == Some(true));
        let with: Vec<String> = own.iter().filter(holds).flat_map(|parsed| parsed.extras.clone()).collect();
        let before = all.len();
        for extra in with {
            if !all.contains(&extra) {
                all.push(extra);
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

/// The builds of a package that an index serves, in the order of the tables.
pub(crate) fn served(rows: &'static [Release], index: &'static str) -> Arc<[Served]> {
    static KNOWN: Known<(Place, &'static str), Arc<[Served]>> = Known::new();
    KNOWN.get((place(rows), index), || {
        let local = knowledge::index_by_id(index).is_some_and(|i| i.local_versions);
        let here = rows.iter().filter(|release| release.indexes.contains(&index));
        here.filter_map(|release| serve(release, index, local)).collect()
    })
}

/// The builds of a package that PyTorch's indexes serve, each under the first one.
pub(crate) fn of_torch(rows: &'static [Release]) -> Arc<[Served]> {
    static KNOWN: Known<Place, Arc<[Served]>> = Known::new();
    KNOWN.get(place(rows), || {
        let local = |id: &&'static str| knowledge::index_by_id(id).is_some_and(|i| i.local_versions);
        let of_torch = rows.iter().filter(|release| release.indexes.iter().any(local));
        of_torch.filter_map(|release| serve(release, release.indexes.first()?, true)).collect()
    })
}

fn serve(release: &'static Release, index: &'static str, local: bool) -> Option<Served> {
    let version = match release.tag {
        tag if local && !tag.is_empty() => Version::parse(&format!("{}+{tag}", release.version)),
        _ => Version::parse(release.version),
    };
    let pythons = release.pythons.iter().filter_map(|text| Pythons::parse(text)).collect();
    Some(Served { build: Build { version: version?, index, release }, pythons })
}

/// The frameworks that releases of a package on PyPI pin.
pub(crate) fn frameworks_pinned_by(package: &str) -> Arc<[String]> {
    static KNOWN: Known<Place, Arc<[String]>> = Known::new();
    let rows = knowledge::releases(package);
    KNOWN.get(place(rows), || {
        let mut names: Vec<String> = Vec::new();
        for release in rows.iter().filter(|release| release.indexes.contains(&"pypi")) {
            for (_, parsed) in requirements(release).iter() {
                if let Subject::Package { name, wants, .. } = &parsed.subject
                    && wants.pin().is_some()
                    && is_framework(name)
                    && !names.contains(name)
                {
                    names.push(name.clone());
                }
            }
        }
        names.into()
    })
}

/// Whether a release of a package on PyPI does not go with the newest torch that is there.
pub(crate) fn bounds_torch(package: &str) -> bool {
    let newest = knowledge::releases("torch").iter().rev().find(|release| release.indexes.contains(&"pypi"));
    let Some(newest) = newest.and_then(|release| Version::parse(release.version)) else { return false };
    let on_pypi = knowledge::releases(package).iter().filter(|release| release.indexes.contains(&"pypi"));
    let mut required = on_pypi.flat_map(|release| requirements(release).to_vec());
    required.any(|(_, parsed)| {
        matches!(&parsed.subject, Subject::Package { name, wants, .. } if name == "torch" && !wants.admits(&newest))
    })
}

/// Whether which torch comes bears on which release of a package does: torch itself, and what requires it.
pub(crate) fn goes_by_torch(package: &str) -> bool {
    let torch = |parsed: &Requirement| matches!(&parsed.subject, Subject::Package { name, .. } if name == "torch");
    package == "torch"
        || knowledge::releases(package).iter().any(|release| requirements(release).iter().any(|(_, parsed)| torch(parsed)))
}

/// A package that carries kernels of its own, or looks for CUDA's libraries: the chain runs through it.
pub(crate) fn is_framework(package: &str) -> bool {
    knowledge::releases(package).iter().any(|release| release.kernels != Kernels::Unknown || !release.needs.is_empty())
}

/// A framework is built with and without CUDA; a toolkit is CUDA itself.
pub(crate) fn has_variants(package: &str) -> bool {
    is_framework(package) || knowledge::releases(package).iter().any(|release| !release.provides.is_empty())
}
