use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Holds, Setting};
use crate::loader;
use crate::version::CudaVersion;

pub(super) static RULE: Rule = Rule {
    name: "conda-toolkit-beside-wheel",
    level: Severity::Error,
    page: include_str!("../../rules/conda-toolkit-beside-wheel.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let toolkits = env.components.iter().filter(|c| c.name.starts_with("conda:") && is_toolkit(c));
    let wheels: Vec<&Component> = env.components.iter().filter(|c| !c.name.starts_with("conda:")).collect();
    for toolkit in toolkits {
        let Some(conda) = toolkit.builds.only().or_else(|| toolkit.builds.today()).and_then(Build::cuda) else { continue };
        // One wheel is enough to say it; the framework comes first by having kernels.
        let Some((wheel, holds)) = wheels.iter().find_map(|w| Some((*w, differs(w, &conda)?))) else { continue };
        let Some(build) = wheel.builds.only().or_else(|| wheel.builds.today()) else { continue };
        let Some(brought) = build.cuda() else { continue };
        let name = toolkit.name.trim_start_matches("conda:");
        let wheel_shown = format!("{} {}", wheel.name, build.version);
        let message = format!(
            "conda's {name} brings CUDA {}, the wheel {wheel_shown} runs on its own CUDA {}",
            conda.minor_only(),
            brought.minor_only()
        );
        let mut links = vec![toolkit.evidence.clone(), wheel.evidence.clone()];
        let replaced = if conda.major() == brought.major() { loader::replaced_by_conda(env, build) } else { Vec::new() };
        let path = loader::conda_library_path(env).filter(|_| !replaced.is_empty());
        let clash = match path {
            Some(Setting { evidence, .. }) => {
                links.push(evidence.clone());
                let libraries = replaced.join(" and ");
                let message = format!("{message}, and LD_LIBRARY_PATH puts conda's {libraries} before the wheel's");
                Clash::new(holds, message, links).help(
                    "take the environment's lib folder out of LD_LIBRARY_PATH, and remove the toolkit or take the wheel's own CUDA release",
                )
            }
            None => Clash::new(holds, message, links).at_most(Severity::Warning).help(format!(
                "remove {name}, or give it the wheel's release ({}): {} does not use it, while numba, cupy and extensions built here would",
                brought.minor_only(),
                wheel.name
            )),
        };
        out.push(clash);
    }
}

/// A conda package whose business is CUDA itself, not a framework built with it.
fn is_toolkit(component: &Component) -> bool {
    let toolkit = |b: &Build| b.cuda().is_some() && b.release.kernels == crate::knowledge::Kernels::Unknown;
    !component.builds.builds.is_empty() && component.builds.builds.iter().all(toolkit)
}

fn differs(wheel: &Component, conda: &CudaVersion) -> Option<Holds> {
    let framework = |b: &Build| b.release.kernels != crate::knowledge::Kernels::Unknown;
    if !wheel.builds.builds.iter().all(framework) {
        return None;
    }
    let holds = wheel.builds.hold(|b| b.cuda()?.same_minor(conda).map(|same| !same));
    matches!(holds, Holds::Always | Holds::Today).then_some(holds)
}
