//! Within one step, candidates prune each other by their published requirements until nothing changes.

use std::collections::BTreeMap;

use super::pick::{Pick, pick};
use crate::environment::{Build, Candidates};
use crate::notation::requirement::Subject;
use crate::platform::{Os, Platform};
use crate::version::Specifiers;

/// The outcome: what is left of each package, what comes of it, and the pairs that leave nothing.
pub(crate) struct Pruned {
    /// In the order given.
    pub(crate) left: Vec<Candidates>,
    /// What an installer picks.
    pub(crate) picks: Vec<Pick>,
    /// (package, the package that it requires otherwise).
    pub(crate) conflicts: Vec<(usize, usize)>,
    /// For each package those that left fewer of its builds, or another one to be picked; each once.
    pub(crate) by: Vec<Vec<usize>>,
}

/// A package of a step.
pub(crate) struct Package<'a> {
    /// Normalised name.
    pub(crate) name: &'a str,
    /// Those asked for: `all` of `sglang[all]`.
    pub(crate) extras: &'a [String],
    /// The builds that its own ask admits.
    pub(crate) candidates: Candidates,
    /// What is there already.
    pub(crate) stays: Stays<'a>,
    /// How little its ask leaves open.
    pub(crate) strict: u8,
    /// Required by another package, not asked for.
    pub(crate) implied: bool,
}

/// What an installer does with a package that is there before the step.
pub(crate) enum Stays<'a> {
    /// There is none, or another takes its place.
    No,
    /// It stays.
    As(&'a Build),
    /// It may stay, and is not known: it requires nothing that we know of.
    Unknown,
}

/// What one build requires of another package of the step.
pub(super) struct Demand {
    pub(super) of: usize,
    pub(super) wants: Specifiers,
}

/// The places of packages in a step, by name.
type Places<'a> = BTreeMap<&'a str, usize>;

fn places<'a>(packages: &[Package<'a>]) -> Places<'a> {
    packages.iter().enumerate().map(|(i, package)| (package.name, i)).collect()
}

/// How an installer goes about it.
pub(crate) struct Manner {
    /// It looks at nothing that packages require.
    pub(crate) no_deps: bool,
    /// It picks anew what it had picked, rather than take an older build of what requires another one.
    pub(crate) anew: bool,
}

/// Prunes, and picks of what is left.
pub(crate) fn prune(packages: &[Package<'_>], manner: &Manner, platform: &Platform) -> Pruned {
    let index = if manner.no_deps { Places::new() } else { places(packages) };
    let of =
        |package: &Package<'_>| package.candidates.builds.iter().map(|b| demands(b, package.extras, &index, platform)).collect();
    let demands_of: Vec<Vec<Vec<Demand>>> = packages.iter().map(of).collect();
    let mut alive: Vec<Vec<bool>> = packages.iter().map(|package| vec![true; package.candidates.builds.len()]).collect();
    let mut conflicts: Vec<(usize, usize)> = Vec::new();
    let mut by: Vec<Vec<usize>> = vec![Vec::new(); packages.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (a, mine) in demands_of.iter().enumerate() {
            let others: Vec<usize> = {
                let mut of: Vec<usize> = mine.iter().flatten().map(|d| d.of).collect();
                of.sort_unstable();
                of.dedup();
                of
            };
            for b in others {
                let open = |p: usize| packages[p].candidates.open || packages[p].candidates.builds.is_empty();
                if open(b) || conflicts.contains(&(a, b)) {
                    continue;
                }
                let met = |i: usize, j: usize| {
                    mine[i].iter().filter(|d| d.of == b).all(|d| d.wants.admits(&packages[b].candidates.builds[j].version))
                };
                let living = |p: usize, alive: &[Vec<bool>]| (0..alive[p].len()).filter(|i| alive[p][*i]).collect::<Vec<_>>();
                let (ours, theirs) = (living(a, &alive), living(b, &alive));
                let keep_a: Vec<usize> = ours.iter().copied().filter(|i| theirs.iter().any(|j| met(*i, *j))).collect();
                if keep_a.is_empty() {
                    // A build that we do not know may go with it: an open set proves nothing.
                    if !open(a) {
                        conflicts.push((a, b));
                    }
                    continue;
                }
                let keep_b: Vec<usize> = if open(a) {
                    theirs.clone()
                } else {
                    theirs.iter().copied().filter(|j| keep_a.iter().any(|i| met(*i, *j))).collect()
                };
                for (p, other, before, after) in [(a, b, &ours, &keep_a), (b, a, &theirs, &keep_b)] {
                    if after.len() < before.len() {
                        changed = true;
                        note(&mut by[p], other);
                        for i in before.iter().filter(|i| !after.contains(i)) {
                            alive[p][*i] = false;
                        }
                    }
                }
            }
        }
    }
    let mut left: Vec<Candidates> =
        packages.iter().zip(&alive).map(|(package, alive)| keep(&package.candidates, alive)).collect();
    let newest: Vec<bool> = left.iter().map(|candidates| candidates.today.is_some()).collect();
    let of_stays = packages.iter().map(|package| match package.stays {
        Stays::As(build) => demands(build, package.extras, &index, platform),
        Stays::No | Stays::Unknown => Vec::new(),
    });
    let of_stays: Vec<Vec<Demand>> = of_stays.collect();
    let (picks, kept) = pick(packages, manner.anew, &demands_of, &of_stays, &alive, &newest, &conflicts);
    for (p, pick) in picks.iter().enumerate() {
        // A place among all candidates is another one among those left.
        let among_left = |build: usize| alive[p][..build].iter().filter(|alive| **alive).count();
        left[p].today = match pick {
            Pick::Takes(build) => Some(among_left(*build)),
            Pick::Stays => left[p].today,
            Pick::Unknown => None,
        };
        for other in &kept[p] {
            note(&mut by[p], *other);
        }
    }
    Pruned { left, picks, conflicts, by }
}

pub(super) fn note(all: &mut Vec<usize>, one: usize) {
    if !all.contains(&one) {
        all.push(one);
    }
}

fn keep(from: &Candidates, alive: &[bool]) -> Candidates {
    let builds: Vec<Build> = from.builds.iter().zip(alive).filter(|(_, a)| **a).map(|(b, _)| b.clone()).collect();
    let today = from.today.and_then(|_| super::python::today(&builds));
    Candidates { builds, open: from.open, today }
}

fn demands(build: &Build, extras: &[String], index: &Places<'_>, platform: &Platform) -> Vec<Demand> {
    let published = super::requirements(build.release);
    let extras = super::all_extras(build.release, extras, platform);
    let extras: Vec<&str> = extras.iter().map(String::as_str).collect();
    // What a conda package requires is one.
    let of_conda = build.release.package.starts_with("conda:");
    let called = |name: &str| if of_conda { index.get(format!("conda:{name}").as_str()) } else { index.get(name) };
    let of_step = published.iter().filter_map(|(_, r)| match &r.subject {
        Subject::Package { name, wants, .. } if !wants.is_any() => Some((r, *called(name)?, wants)),
        _ => None,
    });
    let held = of_step.filter(|(r, ..)| r.marker.as_ref().is_none_or(|m| m.holds(platform, &extras) != Some(false)));
    // The tables have what a Linux wheel requires: others are built beside a torch without a local version.
    let linux = platform.os == Os::Linux;
    held.map(|(_, of, wants)| Demand { of, wants: if linux { wants.clone() } else { wants.public() } }).collect()
}
