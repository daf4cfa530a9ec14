use super::{Check, Clash, Needs, Out, Rule};
use crate::chain::{self, Driver};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, Holds, Host};
use crate::knowledge::{self, Flavour, Segment};
use crate::version::{CudaVersion, DriverVersion};

pub(super) static RULE: Rule = Rule {
    name: "driver-too-old",
    level: Severity::Error,
    page: include_str!("../../rules/driver-too-old.md"),
    needs: Needs::Host,
    check: Check::Host(check),
};

fn check(env: &Environment, host: &Host, out: &mut Out) {
    let Some(driver) = Driver::of(host) else { return };
    let found = brought(env, &driver);
    // NVIDIA's own wheels are parts of the framework beside them: one cause, said at the framework.
    let belongs = |b: &&Brought| b.part && found.iter().any(|whole| !whole.part && whole.bound == b.bound);
    let parts: Vec<_> = found.iter().filter(belongs).collect();
    for Brought { holds, cuda, bound, evidence, .. } in found.iter().filter(|b| !belongs(b)) {
        let message = format!("CUDA {cuda} needs driver {bound} or newer, the host has {}", driver.shown());
        let mut links = vec![evidence.clone(), driver.evidence()];
        links.extend(parts.iter().filter(|part| part.bound == *bound).map(|part| part.evidence.clone()));
        let mut clash = Clash::new(*holds, message, links);
        if let Some(link) = forward_compat(env, host, &driver, cuda) {
            clash.message = format!("CUDA {cuda} runs on driver {} by forward compatibility only", driver.shown());
            clash.of.push(link);
            clash = clash.at_most(Severity::Info);
        } else if let Some(older) = chain::newest_cuda(&driver) {
            clash.help = Some(format!("raise the driver to {bound} or newer, or take a build for CUDA {older} or older"));
        } else {
            clash.help = Some(format!("raise the driver to {bound} or newer"));
        }
        clash.bound = Some(bound.clone());
        out.push(clash);
    }
}

/// Something that brings a CUDA which the driver does not run.
struct Brought {
    holds: Holds,
    cuda: CudaVersion,
    bound: DriverVersion,
    evidence: Evidence,
    /// One of NVIDIA's wheels, which frameworks require.
    part: bool,
}

/// Packages, or the toolkit of an image into which no package brings its own.
fn brought(env: &Environment, driver: &Driver<'_>) -> Vec<Brought> {
    let packages = env.components.iter().filter_map(|component| {
        let (cuda, bound) = worst(component, driver)?;
        let holds = component.builds.hold(|build| too_old(build, driver));
        let part = component.name.starts_with("nvidia-");
        Some(Brought { holds, cuda, bound, evidence: component.evidence.clone(), part })
    });
    let mut found: Vec<_> = packages.collect();
    let alone = env.components.iter().all(|c| c.builds.builds.iter().all(|b| b.cuda().is_none()));
    let toolkit = env.image.as_ref().and_then(|image| Some((image, CudaVersion::parse(image.row.filter(has_cuda)?.cuda)?)));
    if let Some((image, cuda)) = toolkit.filter(|(_, cuda)| alone && driver.below(cuda) == Some(true))
        && let Some(bound) = driver.bound(&cuda)
    {
        let (cuda, evidence) = (cuda.minor_only(), image.evidence.clone());
        found.push(Brought { holds: Holds::Always, cuda, bound, evidence, part: false });
    }
    found
}

fn has_cuda(image: &&knowledge::Image) -> bool {
    image.flavour != Flavour::None
}

fn too_old(build: &Build, driver: &Driver<'_>) -> Option<bool> {
    match build.cuda() {
        Some(cuda) => driver.below(&cuda),
        None => Some(false).filter(|_| build.is_cpu()),
    }
}

/// The CUDA to speak of: that of the only build, of today's, or the oldest that does not fit.
fn worst(component: &Component, driver: &Driver<'_>) -> Option<(CudaVersion, DriverVersion)> {
    let builds = &component.builds;
    let refused = |b: &&Build| too_old(b, driver) == Some(true);
    let build = builds.today().filter(refused).or_else(|| builds.builds.iter().find(refused))?;
    let cuda = build.cuda()?;
    Some((cuda.minor_only(), driver.bound(&cuda)?))
}

/// The image or package that brings a newer libcuda, where the host's GPU and branch admit it.
fn forward_compat(env: &Environment, host: &Host, driver: &Driver<'_>, cuda: &CudaVersion) -> Option<Evidence> {
    let admits = host.gpus.iter().all(|gpu| matches!(gpu.segment, None | Some(Segment::DataCenter)));
    let brought = env.forward_compat.iter().any(|c| c.same_minor(cuda) == Some(true));
    let branch = driver.branch()?;
    let listed = knowledge::forward_compat_branches(cuda).iter().any(|b| u32::from(*b) == branch);
    if !(admits && brought && listed && !host.wsl) {
        return None;
    }
    env.image.as_ref().map(|image| Evidence { also: Vec::new(), ..image.evidence.clone() })
}
