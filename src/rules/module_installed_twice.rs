use std::collections::BTreeMap;

use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Component, Environment, Evidence, Holds, Reason};
use crate::knowledge::{self, ModuleOwner};
use crate::version::Version;

pub(super) static RULE: Rule = Rule {
    name: "module-installed-twice",
    level: Severity::Warning,
    page: include_str!("../../rules/module-installed-twice.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

/// A package whose files are a module.
struct Owner<'a> {
    row: &'static ModuleOwner,
    component: &'a Component,
    /// The position of the step that it comes with.
    step: usize,
    /// The version that it is pinned to.
    pin: Option<Version>,
}

fn check(env: &Environment, out: &mut Out) {
    let mut owners: BTreeMap<&str, Vec<Owner<'_>>> = BTreeMap::new();
    for owner in env.components.iter().filter_map(|component| owner(env, component)) {
        owners.entry(owner.row.module).or_default().push(owner);
    }
    for (module, mut owners) in owners {
        if owners.len() < 2 || of_one_build(&owners) || conda_alone(&owners) || ends_whole(env, &owners) {
            continue;
        }
        // Where one of them is for a GPU, the others are what goes; else the one that came last.
        let for_gpu = |owner: &Owner<'_>| !owner.row.cuda.is_empty() || owner.row.package.contains("-gpu");
        let gpus = owners.iter().filter(|owner| for_gpu(owner)).count();
        let one = gpus == 1;
        // In which order one command installs is the installer's own.
        owners.sort_by_key(|owner| (one && for_gpu(owner), std::cmp::Reverse((owner.step, owner.row.package))));
        let names: Vec<String> = owners.iter().map(|owner| owner.row.package.to_owned()).collect();
        // What is for the GPU is written last, and whole.
        let ends_for_gpu = one && owners.iter().all(|owner| for_gpu(owner) || owner.step < owners[owners.len() - 1].step);
        let level = if ends_for_gpu { Severity::Info } else { Severity::Warning };
        let message = format!("{} write the files of one module, {module}: the last one installed wins", listed(&names));
        let help = match owners.iter().find(|owner| one && for_gpu(owner)) {
            Some(gpu) => format!("keep {} alone, and take {} away", gpu.row.package, others(&names, gpu.row.package)),
            None => "keep one of them, and take the others away before it is installed".to_owned(),
        };
        out.push(Clash::new(Holds::Always, message, owners.iter().map(link).collect()).at_most(level).help(help));
    }
}

fn others(names: &[String], but: &str) -> String {
    listed(&names.iter().filter(|name| *name != but).cloned().collect::<Vec<_>>())
}

fn link(owner: &Owner<'_>) -> Evidence {
    let wants = owner.pin.as_ref().map_or(String::new(), |pin| format!("=={pin}"));
    let evidence = owner.component.evidence.clone();
    match evidence.reason {
        Reason::Asked { .. } | Reason::Comes { .. } => Evidence {
            reason: Reason::Asked { package: owner.row.package.to_owned(), wants },
            basis: owner.row.basis,
            ..evidence
        },
        _ => evidence,
    }
}

fn owner<'a>(env: &'a Environment, component: &'a Component) -> Option<Owner<'a>> {
    let name = knowledge::provides(&component.name).unwrap_or(&component.name);
    let row = knowledge::module_owner(name)?;
    let (step, ask) = env.ask_of(component)?;
    let pin = ask.wants.pin().or_else(|| component.builds.only().map(|build| build.version.public()));
    // Later releases do not own it.
    let until = Version::parse(row.until);
    let owns = until.is_none_or(|until| pin.as_ref().is_some_and(|pin| *pin <= until));
    owns.then_some(Owner { row, component, step, pin })
}

/// Packages that are the same build under several names, in the same version.
fn of_one_build(owners: &[Owner<'_>]) -> bool {
    let same = |owner: &Owner<'_>| {
        let from = Version::parse(owner.row.same_from);
        let is_own = owner.row.package == owner.row.module;
        is_own || from.zip(owner.pin.clone()).is_some_and(|(from, pin)| pin >= from)
    };
    owners.iter().all(same) && owners.iter().all(|owner| owner.pin.is_some() && owner.pin == owners[0].pin)
}

/// conda's solver sees to its own: they are one package and its variants.
fn conda_alone(owners: &[Owner<'_>]) -> bool {
    owners.iter().filter(|owner| owner.component.name.starts_with("conda:")).count() == owners.len()
}

/// One of them is written whole once more, after the others.
fn ends_whole(env: &Environment, owners: &[Owner<'_>]) -> bool {
    env.steps.iter().enumerate().filter(|(_, step)| step.flags.reinstall).any(|(at, step)| {
        let again = |owner: &&Owner<'_>| step.asks.iter().any(|ask| ask.package == owner.component.name);
        let (again, others): (Vec<_>, Vec<_>) = owners.iter().partition(again);
        again.len() == 1 && others.iter().all(|owner| owner.step < at)
    })
}
