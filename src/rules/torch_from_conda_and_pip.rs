use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Effect, Environment, Holds, Origin, Step};
use crate::knowledge;
use crate::outline::Tool;
use crate::resolve;
use crate::version::CondaVersion;

pub(super) static RULE: Rule = Rule {
    name: "torch-from-conda-and-pip",
    level: Severity::Error,
    page: include_str!("../../rules/torch-from-conda-and-pip.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // Those that can meet any, with their steps: looked for once.
    let steps = env.steps.iter().enumerate().filter(|(_, step)| step.tool == Tool::Conda);
    let asked = steps.flat_map(|(n, step)| step.asks.iter().map(move |ask| (n, ask)));
    let conda: Vec<(usize, &Ask)> =
        asked.filter(|(_, ask)| knowledge::provides(&ask.package).is_some_and(is_framework)).collect();
    for (n, step) in env.steps.iter().enumerate().filter(|(_, step)| step.tool != Tool::Conda) {
        let (before, after) = conda.split_at(conda.partition_point(|(at, _)| *at < n));
        for ask in step.asks.iter().filter(|ask| ask.from != Origin::Required && is_framework(&ask.package)) {
            // What is there in the end is what the last one puts there.
            let is_there = env.component(&ask.package).is_some_and(|there| there.evidence.at == ask.evidence.at);
            out.extend(before.iter().filter(|_| is_there).find_map(|(_, conda)| pip_later(step, ask, conda)));
            out.extend(after.iter().find_map(|(_, conda)| conda_later(ask, conda)));
        }
    }
}

fn is_framework(package: &str) -> bool {
    resolve::has_variants(package)
}

/// pip's package takes the place of conda's.
fn pip_later(step: &Step, ask: &Ask, conda: &Ask) -> Option<Clash> {
    if knowledge::provides(&conda.package) != Some(ask.package.as_str()) {
        return None;
    }
    let change = step.changes.iter().find(|change| change.package == ask.package);
    let name = conda.package.trim_start_matches("conda:");
    let (message, holds) = match change.map(|change| &change.effect) {
        Some(Effect::Replaces { from, to, holds }) if change.is_some_and(|c| c.before.at == conda.evidence.at) => {
            (format!("pip's {} {to} takes the place of conda's {name} {from}", ask.package), always(ask, conda).unwrap_or(*holds))
        }
        // Whatever conda's is, it is not what pip is asked for.
        _ if excludes(ask, conda) => {
            (format!("pip's {}{} takes the place of conda's {name}{}", ask.package, ask.wants, asked(conda)), Holds::Always)
        }
        _ => return None,
    };
    let links = vec![ask.evidence.clone(), conda.evidence.clone()];
    let help = format!("ask one of them only: take {name} out of conda's packages, or {} out of pip's", ask.package);
    Some(Clash::new(holds, message, links).help(help))
}

/// conda does not look at what pip has put there, and writes its own over it.
fn conda_later(ask: &Ask, conda: &Ask) -> Option<Clash> {
    let same = knowledge::provides(&conda.package) == Some(ask.package.as_str());
    if !same || !excludes(ask, conda) {
        return None;
    }
    let name = conda.package.trim_start_matches("conda:");
    let message = format!("conda puts {name}{} over pip's {}{}", asked(conda), ask.package, ask.wants);
    let links = vec![conda.evidence.clone(), ask.evidence.clone()];
    let help = format!("ask one of them only: take {} out of pip's packages, or {name} out of conda's", ask.package);
    Some(Clash::new(Holds::Always, message, links).help(help))
}

fn always(ask: &Ask, conda: &Ask) -> Option<Holds> {
    excludes(ask, conda).then_some(Holds::Always)
}

/// Whether no build of conda's is the one that pip is asked for: conda has no local versions, and its spec may not admit the pin.
fn excludes(ask: &Ask, conda: &Ask) -> bool {
    let (Some(pin), Some(spec)) = (ask.wants.pin(), &conda.spec) else { return false };
    pin.local().is_some() || CondaVersion::parse(&pin.public().to_string()).is_some_and(|version| !spec.admits(&version))
}

/// ` 2.0.0`, ` >=2.0`, or nothing.
fn asked(conda: &Ask) -> String {
    let version = conda.spec.as_ref().and_then(|spec| spec.version.as_deref());
    version.map_or(String::new(), |version| format!(" {}", version.trim_start_matches('=')))
}
