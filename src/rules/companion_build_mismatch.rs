use super::{Check, Clash, Needs, Out, Rule};
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, Holds};
use crate::knowledge::{self, Basis, CudaCheck};
use crate::made_for_torch::Torch;
use crate::version::CudaVersion;

pub(super) static RULE: Rule = Rule {
    name: "companion-build-mismatch",
    level: Severity::Error,
    page: include_str!("../../rules/companion-build-mismatch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let Some(torch) = Torch::of(env) else { return };
    let companions = env.components.iter().filter(|other| knowledge::companion_of(&other.name) == Some("torch"));
    for companion in companions.filter(|other| !other.may_be_another()) {
        out.extend(clash(env, &torch, companion));
    }
}

/// What a build is for.
#[derive(Clone, Copy, PartialEq)]
enum For {
    Cpu,
    Cuda(CudaVersion),
}

impl For {
    fn of(build: &Build) -> Option<Self> {
        match build.release.tag {
            _ if build.is_cpu() => Some(Self::Cpu),
            "cpu" => Some(Self::Cpu),
            tag => build.cuda().or_else(|| CudaVersion::of_tag(tag)).map(Self::Cuda),
        }
    }
    /// Whether what is for the one refuses what is for the other; `None` where that is not known.
    fn refuses(self, other: Self, check: CudaCheck) -> Option<bool> {
        match (self, other, check) {
            (Self::Cuda(one), Self::Cuda(other), CudaCheck::Major) => Some(one.major() != other.major()),
            (Self::Cuda(one), Self::Cuda(other), CudaCheck::Minor) => one.same_minor(&other).map(|same| !same),
            (one, other, _) => Some(one != other),
        }
    }
}

fn picked(component: &Component) -> Option<&Build> {
    component.builds.only().or_else(|| component.builds.today())
}

fn clash(env: &Environment, torch: &Torch<'_>, companion: &Component) -> Option<Clash> {
    let build = picked(companion)?;
    let check = knowledge::cuda_check(&companion.name, &build.version.public())?;
    // Of releases that do not go together others speak.
    let pair = chain::is_made_for(build.release, "torch", &torch.version)
        || chain::partner(&companion.name, "torch", &torch.version) == Some(build.release.version);
    // Which build conda picks is not known well enough.
    let there = env.component("torch")?;
    let its = For::of(build)?;
    let own = picked(there).map_or_else(|| torch.cuda.map(For::Cuda), For::of)?;
    if !pair || its.refuses(own, check) != Some(true) {
        return None;
    }
    let one = match there.builds.builds.as_slice() {
        // An image's own.
        [] => Holds::Always,
        _ => there.builds.hold(|torch| its.refuses(For::of(torch)?, check)),
    };
    let other = companion.builds.hold(|build| For::of(build)?.refuses(own, check));
    let holds = if one == Holds::Always && other == Holds::Always { Holds::Always } else { Holds::Today };
    let message = format!(
        "{}, {}",
        shown(&companion.name, &build.version.public().to_string(), Some(build), its),
        shown("torch", &torch.version.to_string(), picked(there), own)
    );
    // What is concluded of a build is what it requires, not what it is for.
    let line = Evidence { basis: Basis::Vendor, ..companion.evidence.clone() };
    // Built for the CPU it loads, and knows nothing of the GPU.
    let at_most = if its == For::Cpu { Severity::Warning } else { Severity::Error };
    let index = knowledge::index_by_id(torch.index).filter(|index| !index.address.is_empty());
    let help = match index {
        Some(index) => format!("install {} from where torch comes from: https://{}", companion.name, index.address),
        None => format!("install torch and {} from one index", companion.name),
    };
    Some(Clash::new(holds, message, vec![line, torch.evidence.clone()]).at_most(at_most).help(help))
}

fn shown(name: &str, version: &str, build: Option<&Build>, is_for: For) -> String {
    match (build.map(|build| build.release.tag), is_for) {
        (Some(tag), _) if tag == "cpu" || CudaVersion::of_tag(tag).is_some() => format!("{name} {version} is the {tag} build"),
        (_, For::Cpu) => format!("{name} {version} is for the CPU"),
        (_, For::Cuda(cuda)) => format!("{name} {version} has CUDA {}", cuda.minor_only()),
    }
}
