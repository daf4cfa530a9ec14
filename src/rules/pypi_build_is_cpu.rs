use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Build, Environment, Evidence, Host, Reason, StepIndex};
use crate::knowledge;
use crate::meant;
use crate::outline::Tool;
use crate::platform::{Arch, Os};

pub(super) static RULE: Rule = Rule {
    name: "pypi-build-is-cpu",
    level: Severity::Warning,
    page: include_str!("../../rules/pypi-build-is-cpu.md"),
    needs: Needs::Nothing,
    check: Check::OnAnyHost(check),
};

fn check(env: &Environment, host: Option<&Host>, out: &mut Out) {
    let platform = match (env.platform.os, env.platform.arch) {
        (Os::Windows, _) => "Windows",
        (Os::Linux, Arch::Aarch64) => "Linux on ARM",
        _ => return,
    };
    if meant::is_for_others(env) {
        return;
    }
    let Some(torch) = env.component("torch") else { return };
    let asked =
        env.steps.iter().filter(|step| step.tool != Tool::Conda).flat_map(|step| step.asks.iter().map(move |ask| (step, ask)));
    let Some((step, ask)) = asked.into_iter().find(|(_, ask)| ask.package == "torch" && ask.evidence.at == torch.evidence.at)
    else {
        return;
    };
    // What asks for it by the index of CPU builds means it; an index that serves others only does not count.
    let of_pytorch = |index: &&StepIndex| index.id.is_some_and(|id| id.starts_with("pytorch/"));
    if step.looks_at(ask).map_or(step.indexes.iter().any(|index| of_pytorch(&index)), |all| all.iter().any(of_pytorch)) {
        return;
    }
    let gpu = host.and_then(|host| host.gpus.first());
    let meant = gpu.map(|gpu| Evidence {
        at: gpu.at,
        reason: Reason::HostGpu { name: gpu.name.clone(), sm: gpu.sm },
        also: Vec::new(),
        basis: gpu.basis,
        join: crate::environment::Join::Stated,
    });
    let Some(meant) = meant.or_else(|| meant::for_gpu(env)) else { return };
    let cpu = |build: &Build| Some(build.index == "pypi" && build.is_cpu());
    let holds = torch.builds.hold(cpu);
    let Some(build) = torch.builds.only().or_else(|| torch.builds.today()).filter(|build| cpu(build) == Some(true)) else {
        return;
    };
    let message = format!("torch {} from PyPI is the build for the CPU on {platform}", build.version.public());
    let tags: Vec<&str> = knowledge::releases("torch")
        .iter()
        .filter(|row| row.version == build.release.version && row.platforms.meets(env.platform.bits()) && row.cuda().is_some())
        .map(|row| row.tag)
        .collect();
    let clash = Clash::new(holds, message, vec![torch.evidence.clone(), meant]);
    let root = knowledge::index_by_id("pytorch/root").map_or("", |index| index.address);
    out.push(match tags.last() {
        Some(tag) => clash.help(format!("name an index of PyTorch's for CUDA: --index-url https://{root}/{tag}")),
        None => clash,
    });
}
