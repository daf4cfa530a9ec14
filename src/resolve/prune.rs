//! Within one step, candidates prune each other by their published requirements until nothing changes.

use std::collections::BTreeMap;

use crate::environment::{Build, Candidates};
use crate::notation::requirement::Subject;
use crate::platform::Platform;
use crate::version::{Specifiers, Version};

/// The outcome: what is left of each package, and the pairs that leave nothing.
pub(crate) struct Pruned {
    /// In the order given.
    pub(crate) left: Vec<Candidates>,
    /// (package, the package that it requires otherwise).
    pub(crate) conflicts: Vec<(usize, usize)>,
    /// For each package those that left fewer of its builds, or another one to be picked today; each once.
    pub(crate) by: Vec<Vec<usize>>,
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
struct Demand {
    of: usize,
    wants: Specifiers,
}

/// Prunes; `packages` are (name, candidates).
pub(crate) fn prune(packages: &[(String, Candidates)], platform: &Platform) -> Pruned {
    let index: BTreeMap<&str, usize> = packages.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
    let demands: Vec<Vec<Vec<Demand>>> =
        packages.iter().map(|(_, c)| c.builds.iter().map(|b| demands(b, &index, platform)).collect()).collect();
    let mut alive: Vec<Vec<bool>> = packages.iter().map(|(_, c)| vec![true; c.builds.len()]).collect();
    let mut conflicts: Vec<(usize, usize)> = Vec::new();
    let mut by: Vec<Vec<usize>> = vec![Vec::new(); packages.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (a, mine) in demands.iter().enumerate() {
            let others: Vec<usize> = {
                let mut of: Vec<usize> = mine.iter().flatten().map(|d| d.of).collect();
                of.sort_unstable();
                of.dedup();
                of
            };
            for b in others {
                let open = |p: usize| packages[p].1.open || packages[p].1.builds.is_empty();
                if open(b) || conflicts.contains(&(a, b)) {
                    continue;
                }
                let met = |i: usize, j: usize| {
                    mine[i].iter().filter(|d| d.of == b).all(|d| d.wants.admits(&packages[b].1.builds[j].version))
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
    let left = packages.iter().zip(&alive).map(|((_, c), alive)| keep(c, alive)).collect();
    let mut pruned = Pruned { left, conflicts, by };
    settle(packages, &mut pruned, platform);
    pruned
}

/// The newest of each that go together: what others require is picked first, then who requires it.
fn settle(packages: &[(String, Candidates)], pruned: &mut Pruned, platform: &Platform) {
    let index: BTreeMap<&str, usize> = packages.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
    for p in 0..packages.len() {
        let left = &pruned.left[p];
        let Some(now) = left.today else { continue };
        let fits = |build: &Build| {
            demands(build, &index, platform).iter().all(|d| {
                pruned.conflicts.contains(&(p, d.of)) || pruned.left[d.of].today().is_none_or(|t| d.wants.admits(&t.version))
            })
        };
        // Who is held to a version by another cannot give way: what it requires does.
        let held = |build: &Build| {
            let others = pruned.left.iter().enumerate().filter(|(q, _)| *q != p && !pruned.conflicts.contains(&(*q, p)));
            let mut demanded = others.filter_map(|(_, c)| c.today()).flat_map(|today| demands(today, &index, platform));
            demanded.all(|d| d.of != p || d.wants.admits(&build.version))
        };
        if !fits(&left.builds[now])
            && let Some(newest) = left.builds.iter().rposition(|build| fits(build) && held(build))
        {
            for demand in demands(&pruned.left[p].builds[now], &index, platform) {
                note(&mut pruned.by[p], demand.of);
            }
            pruned.left[p].today = Some(newest);
        }
    }
}

fn note(all: &mut Vec<usize>, one: usize) {
    if !all.contains(&one) {
        all.push(one);
    }
}

impl Pruned {
    /// What the packages require of each other: each as it `stays`, else as it is picked today.
    pub(crate) fn beside(&self, names: &[(String, Candidates)], stays: &[Stays<'_>], platform: &Platform) -> Beside {
        let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
        let mut of: Vec<Vec<(usize, Specifiers)>> = names.iter().map(|_| Vec::new()).collect();
        for (by, (picked, stays)) in self.left.iter().zip(stays).enumerate() {
            let build = match stays {
                Stays::No => picked.today(),
                Stays::As(build) => Some(*build),
                Stays::Unknown => None,
            };
            let Some(build) = build else { continue };
            for demand in demands(build, &index, platform) {
                of[demand.of].push((by, demand.wants));
            }
        }
        Beside(of)
    }
}

/// For each package of a step what the others require of it.
pub(crate) struct Beside(Vec<Vec<(usize, Specifiers)>>);

impl Beside {
    /// Whether the other packages admit a version of one of them.
    pub(crate) fn admit(&self, of: usize, version: &Version) -> bool {
        self.0[of].iter().filter(|(by, _)| *by != of).all(|(_, wants)| wants.admits(version))
    }
}

fn keep(from: &Candidates, alive: &[bool]) -> Candidates {
    let builds: Vec<Build> = from.builds.iter().zip(alive).filter(|(_, a)| **a).map(|(b, _)| b.clone()).collect();
    let today = from.today.and_then(|_| super::python::today(&builds));
    Candidates { builds, open: from.open, today }
}

fn demands(build: &Build, index: &BTreeMap<&str, usize>, platform: &Platform) -> Vec<Demand> {
    let published = super::requirements(build.release);
    let of_step = published.iter().filter_map(|(_, r)| match &r.subject {
        Subject::Package { name, wants, .. } if !wants.is_any() => Some((r, *index.get(name.as_str())?, wants)),
        _ => None,
    });
    let held = of_step.filter(|(r, ..)| r.marker.as_ref().is_none_or(|m| m.holds(platform, &[]) != Some(false)));
    held.map(|(_, of, wants)| Demand { of, wants: wants.clone() }).collect()
}
