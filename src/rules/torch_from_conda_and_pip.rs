use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Change, Effect, Environment, Origin, Step};
use crate::knowledge;
use crate::outline::Tool;

pub(super) static RULE: Rule = Rule {
    name: "torch-from-conda-and-pip",
    level: Severity::Error,
    page: include_str!("../../rules/torch-from-conda-and-pip.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let mut conda: Vec<&Ask> = Vec::new();
    for step in &env.steps {
        if step.tool == Tool::Conda {
            conda.extend(&step.asks);
            continue;
        }
        for ask in step.asks.iter().filter(|ask| ask.from != Origin::Required) {
            out.extend(clash(step, ask, &conda));
        }
    }
}

/// The same framework asked of conda and, by name, of pip, where the second takes the first one's place.
fn clash(step: &Step, ask: &Ask, conda: &[&Ask]) -> Option<Clash> {
    let change: &Change = step.changes.iter().find(|change| change.package == ask.package)?;
    let Effect::Replaces { from, to, holds } = &change.effect else { return None };
    let first = conda.iter().find(|other| {
        other.evidence.at == change.before.at && knowledge::provides(&other.package) == Some(ask.package.as_str())
    })?;
    let name = first.package.trim_start_matches("conda:");
    let message = format!("pip's {} {to} takes the place of conda's {name} {from}", ask.package);
    let links = vec![ask.evidence.clone(), first.evidence.clone()];
    let help = format!("ask one of them only: take {name} out of conda's packages, or {} out of pip's", ask.package);
    Some(Clash::new(*holds, message, links).help(help))
}
