use super::{Check, Clash, Has, Needs, Out, Rule};
use crate::chain::{self, Driver};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, Gpu, Holds, Host, Join, Reason};
use crate::knowledge::{Basis, Kernels, Library, Segment, Sm};
use crate::version::CudaVersion;

pub(super) static RULE: Rule = Rule {
    name: "no-kernels-for-gpu",
    level: Severity::Error,
    page: include_str!("../../rules/no-kernels-for-gpu.md"),
    needs: Needs::Host(|host| host.gpus.iter().any(|gpu| gpu.sm.is_some())),
    check: Check::Host(check),
};

fn check(env: &Environment, host: &Host, out: &mut Out) {
    for component in &env.components {
        for gpu in &host.gpus {
            let Some(sm) = gpu.sm else { continue };
            let tegra = gpu.segment == Some(Segment::Tegra);
            let lacks = |build: &Build| match build.release.kernels {
                // A CPU build is another rule's matter; here it is no answer.
                Kernels::Cpu => Some(false),
                kernels => chain::runs_on(kernels, sm, tegra).map(|runs| !runs),
            };
            let holds = component.builds.hold(lacks);
            if !matches!(holds, Holds::Always | Holds::Today) {
                continue;
            }
            let builds = &component.builds;
            let Some(build) = builds.today().or(builds.builds.last()).filter(|b| lacks(b) == Some(true)) else { continue };
            let shown = format!("{} {}", component.name, build.version);
            let has = Has::Gpu { name: gpu.name.clone(), sm: format!("sm_{}{}", sm.major, sm.minor) };
            let clash = Clash::new(holds, format!("{shown} has no kernels for"), links(component, build, gpu, sm));
            out.push(clash.host_has(has).help(remedy(component, env, host, sm, tegra)));
        }
    }
}

fn links(component: &Component, build: &Build, gpu: &Gpu, sm: Sm) -> Vec<Evidence> {
    let mut package = component.evidence.clone();
    package.basis = build.release.kernels_basis;
    package.reason = Reason::Carries {
        build: format!("{} {}", component.name, build.version),
        kernels: chain::carried(build.release.kernels),
    };
    let reason = Reason::HostGpu { name: gpu.name.clone(), sm };
    vec![package, Evidence { at: gpu.at, reason, also: Vec::new(), basis: gpu.basis, join: Join::Stated }]
}

/// Which other build of the same version has code for the GPU.
fn remedy(component: &Component, env: &Environment, host: &Host, sm: Sm, tegra: bool) -> String {
    let Some(now) = component.builds.today().or(component.builds.builds.last()) else { return String::new() };
    let rows = crate::knowledge::releases(&component.name);
    let runs = |r: &&crate::knowledge::Release| {
        r.platforms.meets(env.platform.bits())
            && chain::runs_on(r.kernels, sm, tegra) == Some(true)
            && r.kernels_basis != Basis::Inferred
    };
    // Of the same version the newest CUDA that the host's driver runs.
    let driver = Driver::of(host);
    let cuda = |r: &crate::knowledge::Release| {
        let part = r.brings.iter().find(|p| p.library == Library::Cuda)?;
        CudaVersion::parse(part.version).filter(|cuda| driver.as_ref().and_then(|d| d.below(cuda)) != Some(true))
    };
    let other = rows.iter().filter(runs).filter(|r| r.version == now.release.version && r.tag != now.release.tag);
    let same = other.filter_map(|r| Some((cuda(r)?, r))).max_by_key(|(cuda, _)| (cuda.major(), cuda.minor())).map(|(_, r)| r);
    if let Some(other) = same {
        return format!(
            "take the {} build of {} {}, which has code for sm_{}{}",
            other.tag, component.name, other.version, sm.major, sm.minor
        );
    }
    let newer = rows.iter().filter(runs).find(|r| crate::version::Version::parse(r.version) > Some(now.version.public()));
    // An older release may run a newer GPU through PTX of old; that is no advice.
    let own = |r: &&crate::knowledge::Release| match r.kernels {
        Kernels::Known { code, .. } => code.iter().any(|c| c.major == sm.major && c.minor <= sm.minor),
        _ => false,
    };
    let older = rows.iter().rev().filter(own).find(runs);
    match newer.or(older) {
        Some(other) => {
            let tag = if other.tag.is_empty() { String::new() } else { format!(" ({})", other.tag) };
            format!("take {} {}{tag}, which has code for sm_{}{}", component.name, other.version, sm.major, sm.minor)
        }
        None => format!("no known build of {} has code for sm_{}{}", component.name, sm.major, sm.minor),
    }
}
