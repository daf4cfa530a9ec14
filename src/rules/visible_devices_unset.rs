use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Join, Launched, Reason};
use crate::knowledge::{self, Basis};
use crate::outline::Launcher;

pub(super) static RULE: Rule = Rule {
    name: "visible-devices-unset",
    level: Severity::Warning,
    page: include_str!("../../rules/visible-devices-unset.md"),
    needs: Needs::Nothing,
    check: Check::Launch(check),
};

const VISIBLE: &str = "NVIDIA_VISIBLE_DEVICES";

fn check(launch: &Launched<'_>, out: &mut Out) {
    // To an image of CUDA that demands nothing all GPUs are given.
    let tells = |name: &String| name == VISIBLE || name == "CUDA_VERSION" || name.starts_with("DOCKER_RESOURCE_");
    if !launch.terms.by_runtime || launch.open || launch.environments.is_empty() || launch.variables.keys().any(tells) {
        return;
    }
    let sets_none = |env: &&Environment| {
        let row = env.image.as_ref().and_then(|image| knowledge::image_variables(&image.reference));
        row.is_some_and(|row| row.visible_devices.is_empty()) && !env.unread_environment && !env.variables.keys().any(tells)
    };
    if !launch.environments.iter().all(sets_none) {
        return;
    }
    let (what, help) = match launch.by {
        Launcher::Compose => ("service", "add NVIDIA_VISIBLE_DEVICES: all to its environment, or ask Docker itself: gpus: all"),
        _ => ("command", "add -e NVIDIA_VISIBLE_DEVICES=all, or ask Docker itself: --gpus all"),
    };
    let name = launch.name.as_ref().map_or_else(|| format!("the {what}"), |name| format!("{what} `{name}`"));
    let message =
        format!("{name} gets no GPU: the nvidia runtime gives those that NVIDIA_VISIBLE_DEVICES names, and nothing sets it");
    let here = |at, reason| Evidence { at, reason, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated };
    let mut links = vec![here(launch.at, Reason::Launched { by: launch.by })];
    links.extend(launch.asks_at.iter().map(|at| here(*at, Reason::Here)).filter(|link| link.at != launch.at));
    links.extend(launch.environments.iter().take(1).filter_map(|env| Some(env.image.as_ref()?.evidence.clone())));
    out.push(Clash::new(Holds::Always, message, links).help(help));
}
