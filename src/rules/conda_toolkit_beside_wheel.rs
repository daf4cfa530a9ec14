use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Holds, Setting};
use crate::knowledge::Library;
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
        let Some(build) = toolkit.builds.only().or_else(|| toolkit.builds.today()) else { continue };
        let Some(conda) = build.cuda() else { continue };
        // cuda-cudart alone has none of the libraries that LD_LIBRARY_PATH would put first.
        let has_cublas = build.release.brings.iter().any(|part| part.library == Library::Cublas);
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
        let overrides = loader::conda_library_path(env).filter(|_| has_cublas && conda.major() == brought.major());
        let clash = match overrides {
            Some(Setting { evidence, .. }) => {
                links.push(evidence.clone());
                let message = format!("{message}, and LD_LIBRARY_PATH puts conda's libcublasLt and nvJitLink before the wheel's");
                Clash::new(holds, message, links)
                    .help("take the environment's lib folder out of LD_LIBRARY_PATH, and remove the toolkit or take the wheel's own CUDA release")
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
