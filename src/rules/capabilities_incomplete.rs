use super::{Check, Clash, Needs, Out, Rule};
use crate::capability::{self, CAPABILITIES, Need};
use crate::diagnostic::Severity;
use crate::environment::{Asks, Environment, Evidence, Holds, Join, Launched, Reason};
use crate::knowledge::Basis;
use crate::outline::Launcher;

pub(super) static RULE: Rule = Rule {
    name: "capabilities-incomplete",
    level: Severity::Warning,
    page: include_str!("../../rules/capabilities-incomplete.md"),
    needs: Needs::Nothing,
    check: Check::All(&[Check::Environment(check_image), Check::Launch(check_launch)]),
};

/// An image that names them itself.
fn check_image(env: &Environment, out: &mut Out) {
    if !env.is_built || !env.runs || env.thrown_away || env.unread_environment || env.unagreed.contains(CAPABILITIES) {
        return;
    }
    let Some(set) = env.variable(CAPABILITIES) else { return };
    if let Some(list) = &set.value {
        let needs = capability::needs(&env.own_words, &env.variables, &[env]);
        report(list, &set.evidence, &format!("{CAPABILITIES}={list}"), &needs, out);
    }
}

fn check_launch(launch: &Launched<'_>, out: &mut Out) {
    let by_docker = matches!(launch.by, Launcher::Compose | Launcher::DockerRun | Launcher::Devcontainer);
    // As a device, by its name in CDI, it comes with all of the driver.
    if !by_docker || launch.asks != Asks::Yes || launch.asks_at.is_empty() || launch.by_device || launch.open {
        return;
    }
    let needs = capability::needs(&launch.words, &launch.variables, &launch.environments);
    // What Docker is asked for stands behind what the files set.
    if !launch.terms.capabilities.is_empty() {
        let list = launch.terms.capabilities.join(",");
        let asked = format!("the request's {list}");
        report(&list, &capability::written(launch.asks_at[0]), &asked, &needs, out);
    } else if let Some(set) = launch.variables.get(CAPABILITIES) {
        if let Some(list) = &set.value {
            report(list, &set.evidence, &format!("{CAPABILITIES}={list}"), &needs, out);
        }
    } else {
        let lists: Vec<Option<&str>> = launch.environments.iter().map(|env| capability::of_image(env)).collect();
        let Some(Some(list)) = lists.first().copied().filter(|first| lists.iter().all(|list| list == first)) else { return };
        let reason = Reason::Launched { by: launch.by };
        let at = Evidence { at: launch.at, reason, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated };
        report(list, &at, &format!("the usual {list}"), &needs, out);
    }
}

/// The first need of each part that is left out.
fn report(list: &str, at: &Evidence, asked: &str, needs: &[Need], out: &mut Out) {
    let mut told: Vec<&str> = Vec::new();
    for need in needs.iter().filter(|need| capability::has(list, need.capability) == Some(false)) {
        if told.contains(&need.capability) {
            continue;
        }
        told.push(need.capability);
        let message = format!("{asked} leaves out {}, which {} needs", need.capability, need.by);
        let links = vec![Evidence { also: Vec::new(), ..at.clone() }, need.evidence.clone()];
        let all = if list.trim().is_empty() { capability::USUAL } else { list };
        out.push(Clash::new(Holds::Always, message, links).help(format!("set {CAPABILITIES}={all},{}", need.capability)));
    }
}
