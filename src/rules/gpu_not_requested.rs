use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Asks, Evidence, Holds, Join, Launched, Reason};
use crate::knowledge::Basis;
use crate::outline::Launcher;

pub(super) static RULE: Rule = Rule {
    name: "gpu-not-requested",
    level: Severity::Warning,
    page: include_str!("../../rules/gpu-not-requested.md"),
    needs: Needs::Nothing,
    check: Check::Launch(check),
};

fn check(launch: &Launched<'_>, out: &mut Out) {
    if launch.asks != Asks::No || launch.needs.is_empty() {
        return;
    }
    let (what, help) = match launch.by {
        Launcher::Compose => (
            "service",
            "add `gpus: all` (Compose 2.30 or newer), or deploy.resources.reservations.devices with driver: nvidia, count: all, capabilities: [gpu]",
        ),
        Launcher::Kubernetes => ("container", "add resources.limits with nvidia.com/gpu: 1"),
        Launcher::Devcontainer => {
            ("dev container", "add \"runArgs\": [\"--gpus\", \"all\"], or \"hostRequirements\": {\"gpu\": true}")
        }
        Launcher::DockerRun => ("command", "add --gpus all"),
        Launcher::DockerBuild | Launcher::Slurm | Launcher::Apptainer => return,
    };
    let name = launch.name.as_ref().map_or_else(|| format!("the {what}"), |name| format!("{what} `{name}`"));
    let primary = Evidence {
        at: launch.at,
        reason: Reason::Launched { by: launch.by },
        also: Vec::new(),
        basis: Basis::Vendor,
        join: Join::Stated,
    };
    let needs = || launch.needs.iter().map(|need| &need.reason);
    let must = needs().find_map(|need| if let Reason::NeedsGpu { because } = need { Some(because) } else { None });
    let may = needs().find_map(|need| if let Reason::MadeForGpu { because } = need { Some(because) } else { None });
    let can = needs().find_map(|need| if let Reason::UsesGpu { because } = need { Some(because) } else { None });
    let (message, level) = match (must, may, can) {
        (Some(because), ..) => (format!("{name} gets no GPU, and needs one: {because}"), Severity::Warning),
        (None, Some(because), _) => (format!("{name} gets no GPU, though {because}"), Severity::Warning),
        (None, None, Some(because)) => (format!("{name} gets no GPU, though {because}"), Severity::Info),
        (None, None, None) => return,
    };
    let links = std::iter::once(primary).chain(launch.needs.iter().cloned()).collect();
    out.push(Clash::new(Holds::Always, message, links).help(help).at_most(level));
}
