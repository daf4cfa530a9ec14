//! Which build of each package an installer picks, in its own order.

use super::prune::{Demand, Package, Stays, note};
use crate::environment::Build;
use crate::version::Specifiers;

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
/// `get_preference`, and factory.py, `_iter_found_candidates`. pip picks anew what was picked before where another build of it
/// meets all that is required of it by then (resolvelib, `_attempt_to_pin_criterion`: a pin that no longer satisfies its
/// criterion is dropped); others keep to it.
struct Picking<'p, 'a> {
    packages: &'p [Package<'a>],
    /// Whether what was picked is picked anew rather than that it keeps others from their newest builds.
    anew: bool,
    newest: &'p [bool],
    demands: &'p [Vec<Vec<Demand>>],
    alive: &'p [Vec<bool>],
    /// What each package that is there requires.
    of_stays: &'p [Vec<Demand>],
    /// Pairs that nothing can bring together.
    conflicts: &'p [(usize, usize)],
    picks: Vec<Option<Pick>>,
    /// In which order they were picked.
    order: Vec<usize>,
    /// What the picked packages require of each, with who does.
    on: Vec<Vec<(usize, &'p Demand)>>,
    /// Picks that were tried and led nowhere.
    excluded: Vec<Vec<Pick>>,
    /// For each package those whose picks kept it from its first choice.
    by: Vec<Vec<usize>>,
    tried: usize,
}

/// Picks; `alive` says which candidates are left, `newest` whether what is newest is known of each package.
pub(super) fn pick(
    packages: &[Package<'_>],
    anew: bool,
    demands_of: &[Vec<Vec<Demand>>],
    of_stays: &[Vec<Demand>],
    alive: &[Vec<bool>],
    newest: &[bool],
    conflicts: &[(usize, usize)],
) -> (Vec<Pick>, Vec<Vec<usize>>) {
    // Of what nothing is known nothing can be picked.
    let nothing = |package: &Package<'_>| package.candidates.builds.is_empty() && !matches!(package.stays, Stays::As(_));
    let mut picking = Picking {
        packages,
        anew,
        newest,
        demands: demands_of,
        alive,
        of_stays,
        conflicts,
        picks: packages.iter().map(|package| nothing(package).then_some(Pick::Unknown)).collect(),
        order: Vec::new(),
        on: vec![Vec::new(); packages.len()],
        excluded: vec![Vec::new(); packages.len()],
        by: vec![Vec::new(); packages.len()],
        tried: 0,
    };
    while picking.tried < MOST_TRIED {
        let Some(next) = picking.next() else { break };
        picking.decide(next);
    }
    let picks = picking.picks.iter().map(|pick| pick.unwrap_or(Pick::Unknown)).collect();
    (picks, picking.by)
}

impl<'p> Picking<'p, '_> {
    fn next(&self) -> Option<usize> {
        let open = (0..self.packages.len()).filter(|p| self.picks[*p].is_none());
        open.min_by_key(|p| {
            let package = &self.packages[*p];
            let required = self.on[*p].iter().map(|(_, demand)| demand.wants.strictness()).max();
            (std::cmp::Reverse(required.unwrap_or(0).max(package.strict)), package.implied, *p)
        })
    }
    fn set(&mut self, package: usize, pick: Pick) {
        self.picks[package] = Some(pick);
        self.order.push(package);
        for demand in self.required_by(package, pick) {
            if !self.apart(package, demand.of) {
                self.on[demand.of].push((package, demand));
            }
        }
    }
    /// Takes back the picks from that one on.
    fn back_to(&mut self, package: usize) {
        let from = self.order.iter().position(|p| *p == package).unwrap_or(0);
        for undone in self.order.split_off(from) {
            if let Some(pick) = self.picks[undone].take() {
                for demand in self.required_by(undone, pick) {
                    self.on[demand.of].retain(|(by, _)| *by != undone);
                }
            }
        }
    }
    fn required_by(&self, package: usize, pick: Pick) -> &'p [Demand] {
        match pick {
            Pick::Stays => &self.of_stays[package],
            Pick::Takes(build) => &self.demands[package][build],
            Pick::Unknown => &[],
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
        let demanded = self.on[package].iter().filter(|(_, d)| !d.wants.admits(&build.version)).map(|(q, _)| *q);
        let mut found: Vec<usize> = demanded.collect();
        for demand in self.required_by(package, pick).iter().filter(|d| !self.apart(package, d.of)) {
            let other = self.picks[demand.of].and_then(|pick| self.build(demand.of, pick));
            if other.is_some_and(|other| !demand.wants.admits(&other.version)) && !self.gives_way(demand.of, package, pick) {
                found.push(demand.of);
            }
        }
        found
    }
    /// Whether a picked package has another build that meets what is required of it, and what `pick` would require besides.
    fn gives_way(&self, other: usize, package: usize, pick: Pick) -> bool {
        let of_pick = self.required_by(package, pick).iter().filter(|demand| demand.of == other);
        let all: Vec<&Specifiers> =
            self.on[other].iter().map(|(_, demand)| &demand.wants).chain(of_pick.map(|d| &d.wants)).collect();
        let meets = |build: &Build| all.iter().all(|wants| wants.admits(&build.version));
        self.anew
            && self
                .choices(other)
                .any(|choice| !self.excluded[other].contains(&choice) && self.build(other, choice).is_some_and(meets))
    }
    /// Drops picks that what is required by now does not admit.
    fn drop_unfit(&mut self, by: usize, pick: Pick) {
        for demand in self.required_by(by, pick) {
            let Some(now) = self.picks[demand.of].filter(|_| !self.apart(by, demand.of)) else { continue };
            if self.build(demand.of, now).is_none_or(|build| demand.wants.admits(&build.version)) {
                continue;
            }
            self.picks[demand.of] = None;
            self.order.retain(|p| *p != demand.of);
            for undone in self.required_by(demand.of, now) {
                self.on[undone.of].retain(|(by, _)| *by != demand.of);
            }
        }
    }
    fn choices(&self, package: usize) -> impl Iterator<Item = Pick> + use<> {
        let stays = matches!(self.packages[package].stays, Stays::As(_)).then_some(Pick::Stays);
        let alive: Vec<usize> = (0..self.alive[package].len()).rev().filter(|i| self.alive[package][*i]).collect();
        stays.into_iter().chain(alive.into_iter().map(Pick::Takes))
    }
    fn decide(&mut self, package: usize) {
        let newest = self.newest[package];
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
                self.excluded[last].extend(self.picks[last]);
                self.back_to(last);
                note(&mut self.by[last], package);
            }
            (chosen, _) => {
                let pick = chosen.unwrap_or(Pick::Unknown);
                if self.anew {
                    self.drop_unfit(package, pick);
                }
                self.set(package, pick);
            }
        }
    }
    fn has_other(&self, package: usize) -> bool {
        let now = self.picks[package];
        self.choices(package).any(|pick| Some(pick) != now && !self.excluded[package].contains(&pick))
    }
}
