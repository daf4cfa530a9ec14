use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, Holds, Host, Join, Reason};
use crate::knowledge::{self, Kernels};
use crate::meant;
use crate::platform::Os;
use crate::version::Version;

pub(super) static RULE: Rule = Rule {
    name: "no-gpu-build-on-windows",
    level: Severity::Warning,
    page: include_str!("../../rules/no-gpu-build-on-windows.md"),
    needs: Needs::Nothing,
    check: Check::OnAnyHost(check),
};

fn check(env: &Environment, host: Option<&Host>, out: &mut Out) {
    if env.platform.os != Os::Windows || meant::is_for_others(env) {
        return;
    }
    let gpu = host.and_then(|host| host.gpus.first()).map(|gpu| Evidence {
        at: gpu.at,
        reason: Reason::HostGpu { name: gpu.name.clone(), sm: gpu.sm },
        also: Vec::new(),
        basis: gpu.basis,
        join: Join::Stated,
    });
    let Some(meant) = gpu.or_else(|| meant::for_gpu(env)) else { return };
    // torch has builds for Windows, if not on PyPI.
    let others = env.components.iter().filter(|component| component.name != "torch" && !component.may_be_another());
    out.extend(others.filter_map(|component| clash(env, component, meant.clone())));
}

fn clash(env: &Environment, component: &Component, meant: Evidence) -> Option<Clash> {
    let here = env.platform.bits();
    let rows = || knowledge::releases(&component.name).iter();
    // Of that release there is a build for GPUs, for another system only.
    let for_cpu = |build: &Build| {
        let same = || rows().filter(|row| row.version == build.release.version && !matches!(row.kernels, Kernels::Cpu));
        let elsewhere = same().any(|row| !row.needs.is_empty() || row.cuda().is_some());
        Some(build.is_cpu() && elsewhere && !same().any(|row| row.platforms.meets(here)))
    };
    let holds = component.builds.hold(for_cpu);
    if !matches!(holds, Holds::Always | Holds::Today) {
        return None;
    }
    let build = component.builds.only().or_else(|| component.builds.today())?;
    let name = &component.name;
    let message = format!("{name} {} has no build for GPUs on Windows", build.version.public());
    let clash = Clash::new(holds, message, vec![component.evidence.clone(), meant]);
    // The last release that has one.
    let with = rows().filter(|row| row.platforms.meets(here) && !matches!(row.kernels, Kernels::Cpu) && row.package == *name);
    let last = with.filter_map(|row| Version::parse(row.version)).max();
    Some(match last {
        Some(last) => clash.help(format!("the last one is {name} {last}; in WSL the builds for Linux run")),
        None => clash.help("in WSL the builds for Linux run"),
    })
}
