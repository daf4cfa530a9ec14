use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Reason};
use crate::knowledge::{self, Library};
use crate::meant;
use crate::mismatch;
use crate::parts::{self, Required, There};
use crate::reach::{self, Reach, Source};

pub(super) static RULE: Rule = Rule {
    name: "cuda-major-mix",
    level: Severity::Error,
    page: include_str!("../../rules/cuda-major-mix.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    if meant::for_other_hardware(env) {
        return;
    }
    lacking(env, out);
    in_one_place(env, out);
}

/// What looks for the libraries of one major, where all packages that bring CUDA bring another. What the environment provides is
/// no package, where a rule of its own speaks of that.
fn lacking(env: &Environment, out: &mut Out) {
    for component in env.components.iter().filter(|c| !reach::is_optional(&c.name)) {
        let Some(needs) = reach::Needs::of(env, component, Library::Cuda) else { continue };
        let reach = Reach::of(env, Library::Cuda, component, false);
        let apart = mismatch::has_own_rule(&component.name);
        let of = |source: &Source| source.package && !(apart && source.provided);
        out.extend(mismatch::lacking(component, &needs, &reach, of).map(Clash::from));
    }
}

/// Parts of two majors that are the same files, each required by another package: the last one installed wins.
fn in_one_place(env: &Environment, out: &mut Out) {
    let there = parts::there(env);
    let bringers: Vec<&There<'_>> = there.iter().filter(|t| parts::may_require(&t.component.name)).collect();
    for (n, one) in bringers.iter().enumerate() {
        for other in &bringers[n + 1..] {
            out.extend(same_files(env, one, other));
        }
    }
}

fn same_files(env: &Environment, one: &There<'_>, other: &There<'_>) -> Option<Clash> {
    let required = |there: &There<'_>| -> Vec<Vec<Required>> {
        let builds = there.component.builds.builds.iter();
        builds.map(|build| parts::required(build, &there.ask.extras, &env.platform)).collect()
    };
    let (of_one, of_other) = (required(one), required(other));
    let (mine, theirs) = clash(picked(one, &of_one)?, picked(other, &of_other)?)?;
    let closed = !one.component.builds.open && !other.component.builds.open;
    let always = closed && of_one.iter().all(|a| of_other.iter().all(|b| clash(a, b).is_some()));
    let holds = if always { Holds::Always } else { Holds::Today };
    let message = format!(
        "{} requires {}, {} requires {}: they write the same files, for CUDA {} and for CUDA {}",
        one.shown(),
        mine.part,
        other.shown(),
        theirs.part,
        parts::cuda_of(&mine.part)?,
        parts::cuda_of(&theirs.part)?,
    );
    let link = |there: &There<'_>, required: &Required| {
        let reason = Reason::Requires { by: there.shown(), what: format!("{}{}", required.part, required.wants) };
        Evidence { reason, ..there.component.evidence.clone() }
    };
    let mut links = vec![link(one, mine), link(other, theirs)];
    links.sort_by_key(|link| link.at);
    let help = "take builds of both for one CUDA major, or give each an environment of its own";
    Some(Clash::new(holds, message, links).at_most(Severity::Warning).help(help))
}

fn picked<'r>(there: &There<'_>, all: &'r [Vec<Required>]) -> Option<&'r [Required]> {
    let builds = &there.component.builds;
    let at = builds.today.or(builds.only().and(Some(0)))?;
    all.get(at).map(Vec::as_slice)
}

/// A part of each that lie in one place and are of two majors.
fn clash<'r>(one: &'r [Required], other: &'r [Required]) -> Option<(&'r Required, &'r Required)> {
    let place = |r: &Required| knowledge::module_owner(&r.part).filter(|row| !row.cuda.is_empty());
    let pair = |a: &&'r Required, b: &&'r Required| {
        place(a).zip(place(b)).is_some_and(|(a, b)| a.module == b.module && a.cuda != b.cuda)
    };
    one.iter().find_map(|a| Some((a, other.iter().find(|b| pair(&a, b))?)))
}
