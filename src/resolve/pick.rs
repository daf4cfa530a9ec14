//! Which build of each package an installer picks, in its own order.

use super::prune::{Demand, Package, Places, Stays, demands, note};
use crate::environment::Build;
use crate::platform::Platform;

/// No step is looked at longer: what is not decided by then is not known.
const MOST_TRIED: usize = 20_000;

/// What comes of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// What is there stays.
    Stays,
    /// The build at that place among the candidates comes.
    Takes(usize),
    /// Not known.
    Unknown,
}

/// The packages of a step while their builds are picked.
///
/// Pinned packages are picked first, then those with an upper bound, then the others as they are asked for, and what is only
/// required last; of each what is there if it fits, else the newest build that fits what is picked already. Where none fits,
/// what was picked before gives way. Source: pypa/pip@6d309205789d:src/pip/_internal/resolution/resolvelib/provider.py,
/// `get_preference`, and factory.py, `_iter_found_candidates`.
struct Picking<'p, 'a> {
    packages: &'p [Package<'a>],
    demands: &'p [Vec<Vec<Demand>>],
    alive: &'p [Vec<bool>],
    /// What each package that is there requires.
    of_stays: Vec<Vec<Demand>>,
    /// Pairs that nothing can bring together.
    conflicts: &'p [(usize, usize)],
    picks: Vec<Option<Pick>>,
    /// In which order they were picked.
    order: Vec<usize>,
    /// Picks that were tried and led nowhere.
    excluded: Vec<Vec<Pick>>,
    /// For each package those whose picks kept it from its first choice.
    by: Vec<Vec<usize>>,
    tried: usize,
}

/// Picks; `alive` says which candidates are left, `newest` whether what is newest is known of each package.
pub(super) fn pick(
    packages: &[Package<'_>],
    demands_of: &[Vec<Vec<Demand>>],
    alive: &[Vec<bool>],
    newest: &[bool],
    conflicts: &[(usize, usize)],
    index: &Places<'_>,
    platform: &Platform,
) -> (Vec<Pick>, Vec<Vec<usize>>) {
    let of_stays = packages.iter().map(|package| match package.stays {
        Stays::As(build) => demands(build, index, platform),
        Stays::No | Stays::Unknown => Vec::new(),
    });
    let mut picking = Picking {
        packages,
        demands: demands_of,
        alive,
        of_stays: of_stays.collect(),
        conflicts,
        picks: vec![None; packages.len()],
        order: Vec::new(),
        excluded: vec![Vec::new(); packages.len()],
        by: vec![Vec::new(); packages.len()],
        tried: 0,
    };
    while picking.tried < MOST_TRIED {
        let Some(next) = picking.next() else { break };
        picking.decide(next, newest[next]);
    }
    let picks = picking.picks.iter().map(|pick| pick.unwrap_or(Pick::Unknown)).collect();
    (picks, picking.by)
}

impl Picking<'_, '_> {
    fn next(&self) -> Option<usize> {
        let open = (0..self.packages.len()).filter(|p| self.picks[*p].is_none());
        open.min_by_key(|p| {
            let package = &self.packages[*p];
            let mut strict = package.strict;
            for (_, demand) in self.on(*p) {
                strict = strict.max(demand.wants.strictness());
            }
            (std::cmp::Reverse(strict), package.implied, *p)
        })
    }
    /// What the picked packages require of one, with who does.
    fn on(&self, of: usize) -> impl Iterator<Item = (usize, &Demand)> {
        let picked = self.order.iter().map(|q| (*q, self.required_by(*q, self.picks[*q])));
        picked.flat_map(move |(q, all)| all.iter().filter(move |d| d.of == of && !self.apart(q, of)).map(move |d| (q, d)))
    }
    fn required_by(&self, package: usize, pick: Option<Pick>) -> &[Demand] {
        match pick {
            Some(Pick::Stays) => &self.of_stays[package],
            Some(Pick::Takes(build)) => &self.demands[package][build],
            Some(Pick::Unknown) | None => &[],
        }
    }
    fn build(&self, package: usize, pick: Pick) -> Option<&Build> {
        match (pick, &self.packages[package].stays) {
            (Pick::Stays, Stays::As(build)) => Some(build),
            (Pick::Takes(build), _) => self.packages[package].candidates.builds.get(build),
            _ => None,
        }
    }
    fn apart(&self, a: usize, b: usize) -> bool {
        self.conflicts.contains(&(a, b)) || self.conflicts.contains(&(b, a))
    }
    /// Those picked ones with which a pick does not go.
    fn against(&self, package: usize, pick: Pick) -> Vec<usize> {
        let Some(build) = self.build(package, pick) else { return Vec::new() };
        let demanded = self.on(package).filter(|(_, d)| !d.wants.admits(&build.version)).map(|(q, _)| q);
        let mut found: Vec<usize> = demanded.collect();
        for demand in self.required_by(package, Some(pick)).iter().filter(|d| !self.apart(package, d.of)) {
            let other = self.picks[demand.of].and_then(|pick| self.build(demand.of, pick));
            if other.is_some_and(|other| !demand.wants.admits(&other.version)) {
                found.push(demand.of);
            }
        }
        found
    }
    fn choices(&self, package: usize) -> impl Iterator<Item = Pick> + use<> {
        let stays = matches!(self.packages[package].stays, Stays::As(_)).then_some(Pick::Stays);
        let alive: Vec<usize> = (0..self.alive[package].len()).rev().filter(|i| self.alive[package][*i]).collect();
        stays.into_iter().chain(alive.into_iter().map(Pick::Takes))
    }
    fn decide(&mut self, package: usize, newest: bool) {
        let unknown = matches!(self.packages[package].stays, Stays::Unknown);
        let known = newest || matches!(self.packages[package].stays, Stays::As(_));
        let mut culprits: Vec<usize> = Vec::new();
        let mut chosen = None;
        for pick in self.choices(package).filter(|_| !unknown && known) {
            if self.excluded[package].contains(&pick) || (!newest && pick != Pick::Stays) {
                continue;
            }
            self.tried += 1;
            let against = self.against(package, pick);
            if against.is_empty() {
                chosen = Some(pick);
                break;
            }
            for other in against {
                note(&mut culprits, other);
            }
        }
        for other in &culprits {
            note(&mut self.by[package], *other);
        }
        // The last one picked that has another choice gives way.
        let last = culprits.iter().filter(|q| self.has_other(**q)).max_by_key(|q| self.order.iter().position(|p| p == *q));
        match (chosen, last) {
            (None, Some(&last)) => {
                let from = self.order.iter().position(|p| *p == last).unwrap_or(0);
                self.excluded[last].extend(self.picks[last]);
                for undone in self.order.split_off(from) {
                    self.picks[undone] = None;
                }
                note(&mut self.by[last], package);
            }
            (chosen, _) => {
                self.picks[package] = Some(chosen.unwrap_or(Pick::Unknown));
                self.order.push(package);
            }
        }
    }
    fn has_other(&self, package: usize) -> bool {
        let now = self.picks[package];
        self.choices(package).any(|pick| Some(pick) != now && !self.excluded[package].contains(&pick))
    }
}
