//! What a start needs of a machine, host or no host.

use crate::chain;
use crate::demand;
use crate::diagnostic::Needs;
use crate::environment::{Build, Environment};
use crate::knowledge::{self, Kernels, Segment, Sm};

/// What a start needs of a machine; of several builds that need otherwise, each what it needs.
pub(crate) fn of_start(environments: &[Environment]) -> Vec<Needs> {
    let mut all: Vec<Needs> = Vec::new();
    for env in environments.iter().filter(|env| env.runs) {
        // Of the arms of one build the first speaks.
        if !all.is_empty() && env.builds.first().is_none_or(|build| *build == 0) {
            continue;
        }
        let Some(needs) = needs(env) else { continue };
        let same = |known: &Needs| Needs { environment: needs.environment.clone(), ..known.clone() } == needs;
        if !all.iter().any(|known| known.environment == needs.environment || same(known)) {
            all.push(needs);
        }
    }
    all
}

/// What an environment needs of a machine; `None` where it has no chain.
fn needs(env: &Environment) -> Option<Needs> {
    let driver = chain::driver(env);
    let (mut oldest, mut newest): (Option<Sm>, Option<Sm>) = (None, None);
    for component in env.components.iter().filter(|component| !component.may_be_another()) {
        let Some(build) = component.builds.only().or_else(|| component.builds.today()) else { continue };
        if let Some(lowest) = lowest(build)
            && oldest.is_none_or(|o| o < lowest)
        {
            oldest = Some(lowest);
        }
        if let Some(highest) = highest(build)
            && newest.is_none_or(|n| n > highest)
        {
            newest = Some(highest);
        }
    }
    let demanded = demanded(env);
    let image_cuda = demanded.and_then(demand::cuda);
    if driver.is_none() && oldest.is_none() && image_cuda.is_none() {
        return None;
    }
    Some(Needs {
        environment: env.start.name.clone(),
        driver: driver.map(|d| d.to_string()),
        image_others: demanded.filter(|_| image_cuda.is_some()).map(others).unwrap_or_default(),
        image_cuda: image_cuda.map(|cuda| cuda.to_string()),
        sm: oldest.map(|sm| format!("{}.{}", sm.major, sm.minor)),
        newest_sm: newest.map(|sm| format!("{}.{}", sm.major, sm.minor)),
    })
}

fn lowest(build: &Build) -> Option<Sm> {
    let Kernels::Known { code, ptx, .. } = build.release.kernels else { return None };
    code.iter().chain(ptx).filter(|c| !c.exact).min().copied()
}

/// The newest chip that a build has code for, where newer ones are known that it has none for.
fn highest(build: &Build) -> Option<Sm> {
    lowest(build)?;
    let runs = |sm: &Sm| chain::release_runs_on(build.release, *sm, false);
    let chips = knowledge::chips();
    let highest = chips.iter().rev().find(|sm| runs(sm) == Some(true))?;
    let newer: Vec<_> = chips.iter().filter(|sm| *sm > highest).collect();
    (!newer.is_empty() && newer.iter().all(|sm| runs(sm) == Some(false))).then_some(*highest)
}

/// What the image of something that is run demands.
fn demanded(env: &Environment) -> Option<&str> {
    let image = env.image.as_ref().filter(|image| env.runs && !image.disable_require && !image.unchecked)?;
    match &image.require_cuda {
        Some(setting) => setting.value.as_deref(),
        None => Some(image.row?.require_cuda),
    }
}

fn others(demand: &str) -> Vec<String> {
    let other = |others: demand::Others| {
        let kind = |segment: &Segment| match segment {
            Segment::DataCenter => "data-centre",
            Segment::GeForce => "GeForce",
            Segment::Workstation => "workstation",
            Segment::Tegra => "Tegra",
        };
        let kinds: Vec<_> = others.segments.iter().map(|segment| kind(segment).to_owned()).collect();
        let gpu = if kinds.is_empty() { String::new() } else { format!(" on a {} GPU", any_of(&kinds)) };
        format!("a driver of branch {}{gpu}", any_of(&others.branches))
    };
    demand::others(demand).into_iter().map(other).collect()
}

/// `a, b or c`.
fn any_of(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => names.concat(),
    }
}
