use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Join, Reason, Step, StepIndex};
use crate::knowledge::{self, Basis};
use crate::outline::Tool;

pub(super) static RULE: Rule = Rule {
    name: "index-shadowed",
    level: Severity::Warning,
    page: include_str!("../../rules/index-shadowed.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in env.steps.iter().filter(|s| s.tool == Tool::Pip) {
        for ask in &step.asks {
            for index in step.indexes.iter().filter(|i| i.at.is_some() && !i.explicit) {
                shadowed(step, ask, index, out);
            }
        }
    }
}

/// An index that is named for its builds, and another one that wins over it.
fn shadowed(step: &Step, ask: &Ask, index: &StepIndex, out: &mut Out) {
    let (Some(id), Some(at)) = (index.id, index.at) else { return };
    let Some(row) = knowledge::index_by_id(id).filter(|row| !row.tag.is_empty()) else { return };
    let served = knowledge::releases(&ask.package).iter().any(|r| r.indexes.contains(&id))
        || (row.pre_releases && follows_torch(&ask.package));
    // A lower build of CPU code loses to what is wanted: no harm.
    if !served || row.tag == "cpu" {
        return;
    }
    let link = Evidence {
        at,
        reason: Reason::Index { index: id.to_owned() },
        also: Vec::new(),
        basis: Basis::Vendor,
        join: ask.evidence.join,
    };
    let builds = &ask.builds;
    let holds = builds.hold(|b| Some(b.index != id && b.release.tag != row.tag));
    if let Some(winner) = builds.today().filter(|_| matches!(holds, Holds::Always | Holds::Today)) {
        // The same build from elsewhere is what was meant.
        let tag = if winner.release.tag.is_empty() { String::new() } else { format!(" ({})", winner.release.tag) };
        let message =
            format!("pip takes {} {}{tag} from another index: {} has a lower version", ask.package, winner.version, place(id));
        let message = if row.pre_releases {
            format!(
                "pip takes {} {}{tag}: a final release outranks the development builds of {}",
                ask.package,
                winner.version,
                place(id)
            )
        } else {
            message
        };
        let help = if row.pre_releases {
            "take the other index away, or add --pre".to_owned()
        } else {
            let pin = knowledge::releases(&ask.package).iter().rev().find(|r| r.indexes.contains(&id)).map_or("", |r| r.version);
            format!("write --index-url for this index alone, or pin a build that it has: {}=={pin}+{}", ask.package, row.tag)
        };
        out.push(Clash::new(Holds::Today, message, vec![ask.evidence.clone(), link]).help(help));
    } else if let Some(newest) = tied(ask) {
        let other = ask.builds.builds.iter().rev().find(|b| b.version == newest && b.index != id);
        let here = ask.builds.builds.iter().any(|b| b.version == newest && b.index == id);
        if let (Some(other), true) = (other, here) {
            let message = format!(
                "{} {newest} is on {} and on {} with another CUDA: pip may take either today",
                ask.package,
                place(other.index),
                place(id)
            );
            let help = "name one index only (--index-url), or install the wheel by its address".to_owned();
            out.push(Clash::new(Holds::Today, message, vec![ask.evidence.clone(), link]).help(help));
        }
    }
    let _ = (step, Join::Stated);
}

/// The newest version, when two indexes serve it with different builds.
fn tied(ask: &Ask) -> Option<crate::version::Version> {
    let builds = &ask.builds;
    let newest = builds.builds.last()?;
    (builds.today.is_none() && !builds.open).then(|| newest.version.clone())
}

fn follows_torch(package: &str) -> bool {
    knowledge::releases(package).iter().any(|r| r.indexes.iter().any(|i| i.starts_with("pytorch/")))
}

fn place(id: &str) -> String {
    match id.rsplit_once('/') {
        Some((_, tag)) => format!("the {tag} index"),
        None if id == "pypi" => "PyPI".to_owned(),
        None => id.to_owned(),
    }
}
