use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Asks, Build, Component, Environment, Evidence, Holds, Join, Launched, Reason, Works};
use crate::knowledge::{self, Basis};
use crate::meant;
use crate::outline::Launcher;

pub(super) static RULE: Rule = Rule {
    name: "gpu-requested-for-cpu-image",
    level: Severity::Warning,
    page: include_str!("../../rules/gpu-requested-for-cpu-image.md"),
    needs: Needs::Nothing,
    check: Check::Launch(check),
};

fn check(launch: &Launched<'_>, out: &mut Out) {
    // In a container that people work in they may install more.
    let idle = launch.by == Launcher::Devcontainer || launch.works == Works::Other;
    let [first, ..] = launch.asks_at.as_slice() else { return };
    if launch.asks != Asks::Yes || launch.open || idle {
        return;
    }
    let found: Vec<Option<(String, Evidence)>> = launch.environments.iter().map(|env| for_cpu(env, launch)).collect();
    let Some(Some((because, evidence))) = found.first().filter(|_| found.iter().all(Option::is_some)) else { return };
    let what = match launch.by {
        Launcher::Compose => "service",
        Launcher::Kubernetes => "container",
        _ => "command",
    };
    let name = launch.name.as_ref().map_or_else(|| format!("the {what}"), |name| format!("{what} `{name}`"));
    let asks = Evidence { at: *first, reason: Reason::Here, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated };
    let message = format!("{name} asks for a GPU that it cannot use: {because}");
    let help = "drop the request, without which it starts on machines without a GPU, too; or take a build for CUDA";
    out.push(Clash::new(Holds::Always, message, vec![asks, evidence.clone()]).help(help));
}

/// Why what an environment holds runs on the CPU alone, where that is certain.
fn for_cpu(env: &Environment, launch: &Launched<'_>) -> Option<(String, Evidence)> {
    let image = env.image.as_ref()?;
    let is_cpu = |build: &Build| Some(build.is_cpu());
    let cpu = |component: &Component| component.builds.hold(is_cpu) == Holds::Always;
    let plain = |name: &str| knowledge::is_without_kernels(name);
    let all_plain = env.components.iter().all(|component| plain(&component.name) || cpu(component))
        && env.steps.iter().flat_map(|step| &step.asks).all(|ask| plain(&ask.package) || env.component(&ask.package).is_some());
    if !all_plain || env.unlisted || env.system_open || !env.system.is_empty() || !env.compiled.is_empty() {
        return None;
    }
    if let Some(row) = knowledge::cpu_image(&image.reference) {
        let runs = launch.works == Works::Program || row.serves && !env.is_built;
        let evidence = Evidence { basis: row.basis, ..image.evidence.clone() };
        return runs.then(|| (format!("{} runs on the CPU alone", image.reference), evidence));
    }
    // One whose name does not say that it is for the CPU is meant for the GPU that it gets: then the build is the fault.
    let bare = knowledge::is_bare(&image.reference) && !knowledge::is_of_cuda(&image.reference);
    let torch = env.component("torch").filter(|torch| cpu(torch) && bare && meant::is_called_cpu(env))?;
    let version = torch.builds.only().or_else(|| torch.builds.today()).map(|build| build.version.to_string()).unwrap_or_default();
    (launch.works == Works::Program).then(|| (format!("torch {version} is a build for the CPU"), torch.evidence.clone()))
}
