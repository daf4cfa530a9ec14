use super::{Check, Clash, Has, Needs, Out, Rule, torch_replaced_later};
use crate::alternative::Wanted;
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, Gpu, Holds, Host, Join, Reason};
use crate::knowledge::{Basis, Kernels, Segment, Sm};
use crate::platform::Pythons;

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
                _ => chain::release_runs_on(build.release, sm, tegra).map(|runs| !runs),
            };
            let holds = component.builds.hold(lacks);
            if !matches!(holds, Holds::Always | Holds::Today) {
                continue;
            }
            let builds = &component.builds;
            let Some(build) = builds.today().or(builds.builds.last()).filter(|b| lacks(b) == Some(true)) else { continue };
            let shown = shown(component, build);
            let basis = Basis::weakest(builds.builds.iter().map(|build| build.release.kernels_basis));
            let has = Has::Gpu { name: gpu.name.clone(), sm: chip(sm) };
            let clash = Clash::new(holds, format!("{shown} has no kernels for"), links(component, build, basis, gpu, sm));
            let mut clash = clash.host_has(has);
            clash.help = help(&Wanted { env, host, gpu: Some(sm) }, component, build, sm, tegra).or_else(|| {
                // Where none runs on all of them, each GPU has its own.
                let alone = Host { gpus: vec![gpu.clone()], ..host.clone() };
                let other = Wanted { env, host: &alone, gpu: Some(sm) }.instead_of(component, build)?;
                let others = host.gpus.len() > 1;
                others.then(|| format!("{other}, which has code that runs on {}, not on the host's other GPUs", chip(sm)))
            });
            out.push(clash);
        }
    }
}

/// A package and its version; of conda's, without what tells it from a wheel.
fn shown(component: &Component, build: &Build) -> String {
    format!("{} {}", component.name.trim_start_matches("conda:"), build.version)
}

fn chip(sm: Sm) -> String {
    format!("sm_{}{}", sm.major, sm.minor)
}

fn help(wanted: &Wanted<'_>, component: &Component, build: &Build, sm: Sm, tegra: bool) -> Option<String> {
    let code = format!("has code that runs on {}", chip(sm));
    // Whether a build that was there before has such code is to be known: it is advised.
    let runs = |build: &Build| Some(chain::release_runs_on(build.release, sm, tegra) == Some(true));
    if let Some(kept) = torch_replaced_later::kept(wanted.env, component, runs) {
        return Some(kept);
    }
    Some(match (wanted.instead_of(component, build), wanted.for_any_driver(component, build)) {
        (Some(other), _) => format!("{other}, which {code}"),
        (None, Some(other)) => format!("raise the driver, and {other}, which {code}"),
        (None, None) if wanted.leaves_open(component) || wanted.host.gpus.len() > 1 => return None,
        (None, None) if wanted.env.platform.wheels != Pythons::ANY => {
            format!("no known build of {} for this Python {code}: take a newer Python, too", component.name)
        }
        (None, None) => format!("no known build of {} {code}", component.name),
    })
}

fn links(component: &Component, build: &Build, basis: Option<Basis>, gpu: &Gpu, sm: Sm) -> Vec<Evidence> {
    let mut package = component.evidence.clone();
    package.basis = basis.unwrap_or(build.release.kernels_basis);
    package.reason = Reason::Carries { build: shown(component, build), kernels: chain::carried(build.release.kernels) };
    let reason = Reason::HostGpu { name: gpu.name.clone(), sm: Some(sm) };
    vec![package, Evidence { at: gpu.at, reason, also: Vec::new(), basis: gpu.basis, join: Join::Stated }]
}
