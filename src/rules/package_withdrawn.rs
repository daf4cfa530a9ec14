use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Origin, Reason, Step};
use crate::knowledge::{self, Basis, Withdrawn};
use crate::version::Version;

pub(super) static RULE: Rule = Rule {
    name: "package-withdrawn",
    level: Severity::Error,
    page: include_str!("../../rules/package-withdrawn.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        for ask in &step.asks {
            let Some(row) = knowledge::withdrawn(&ask.package) else { continue };
            let elsewhere = |step: &Step| step.asks.iter().any(|ask| ask.package == row.unless);
            if !env.steps.iter().any(elsewhere) {
                out.extend(clash(step, ask, row));
            }
        }
    }
}

fn clash(step: &Step, ask: &Ask, row: &Withdrawn) -> Option<Clash> {
    if ask.from != Origin::Index || !ask.looked_for {
        return None;
    }
    // What another index has of that name is not known.
    let looked_at = step.looks_at(ask)?;
    if looked_at.iter().any(|index| index.id != Some("pypi") && !is_of_others(index.id, row.package)) {
        return None;
    }
    let pypi = looked_at.into_iter().find(|index| index.id == Some("pypi"))?;
    // The newest that is admitted is taken, and no older one where it cannot be built.
    let refuses = match Version::parse(row.since) {
        Some(since) => ask.wants.admits(&since),
        None => true,
    };
    if !refuses {
        return None;
    }
    let message = match row.since {
        "" => format!("{} has no real release on PyPI: what it has refuses to be installed", row.package),
        since => format!("{} {since}, its last release, refuses to be installed", row.package),
    };
    let link = Evidence {
        reason: Reason::Asked { package: ask.package.clone(), wants: ask.wants.to_string() },
        basis: if pypi.by_name { Basis::Inferred } else { Basis::Measured },
        ..ask.evidence.clone()
    };
    let clash = Clash::new(Holds::Always, message, vec![link]);
    Some(match row.instead {
        "" => clash,
        instead => clash.help(format!("it is {instead} now")),
    })
}

/// Whether an index is known to serve other packages only: those of its rows, and parts of CUDA.
fn is_of_others(id: Option<&str>, package: &str) -> bool {
    let Some(index) = id.and_then(knowledge::index_by_id) else { return false };
    let listed = !index.carries.is_empty() && !index.carries.contains(&package);
    listed || index.id.starts_with("pytorch/") && !package.starts_with("nvidia-")
}
