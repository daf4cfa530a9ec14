use super::{Check, Clash, Needs, Out, Rule, torch_replaced_later};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Holds};
use crate::knowledge::{self, Kernels, Release};
use crate::loader;
use crate::version::CudaVersion;

pub(super) static RULE: Rule = Rule {
    name: "conda-toolkit-beside-wheel",
    level: Severity::Error,
    page: include_str!("../../rules/conda-toolkit-beside-wheel.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

/// A conda package of CUDA and a wheel with another CUDA.
struct Pair<'a> {
    toolkit: &'a Component,
    conda: &'a Build,
    wheel: &'a Component,
    build: &'a Build,
    holds: Holds,
}

fn check(env: &Environment, out: &mut Out) {
    // One wheel is enough to say it, and the packages of one toolkit are one cause: the first speaks.
    let toolkits = env.components.iter().filter(|c| c.name.starts_with("conda:") && is_toolkit(c));
    let pairs: Vec<Pair<'_>> = toolkits.filter_map(|toolkit| pair(env, toolkit)).collect();
    let Some(first) =
        pairs.iter().min_by_key(|p| (loader::replaced_by_conda(env, p.conda, p.build).is_empty(), p.toolkit.evidence.at))
    else {
        return;
    };
    let (Some(conda), Some(brought)) = (first.conda.cuda(), first.build.cuda()) else { return };
    let name = first.toolkit.name.trim_start_matches("conda:");
    let (wheel, conda_minor, brought_minor) = (&first.wheel.name, conda.minor_only(), brought.minor_only());
    let message = format!(
        "conda's {name} brings CUDA {conda_minor}, the wheel {wheel} {} runs on its own CUDA {brought_minor}",
        first.build.version
    );
    let mut links = vec![first.toolkit.evidence.clone(), first.wheel.evidence.clone()];
    let replaced =
        if conda.major() == brought.major() { loader::replaced_by_conda(env, first.conda, first.build) } else { Vec::new() };
    let path = loader::conda_library_path(env).filter(|_| !replaced.is_empty());
    // The toolkit belongs to the framework of conda's that the wheel has replaced: that is said of the wheel.
    if path.is_none() && torch_replaced_later::takes_the_place_of_conda_s(env, first.wheel) {
        return;
    }
    links.extend(path.map(|path| path.evidence.clone()));
    links.extend(pairs.iter().filter(|p| p.toolkit.name != first.toolkit.name).map(|p| p.toolkit.evidence.clone()));
    out.push(if path.is_some() {
        let libraries = replaced.join(" and ");
        let message = format!("{message}, and LD_LIBRARY_PATH puts conda's {libraries} before the wheel's");
        Clash::new(first.holds, message, links)
            .help("take the environment's lib folder out of LD_LIBRARY_PATH, and remove the toolkit or take the wheel's own CUDA release")
    } else {
        let of_wheel = |r: &&Release| CudaVersion::parse(r.version).is_some_and(|v| v.same_minor(&brought) == Some(true));
        let served = knowledge::releases(&first.toolkit.name).iter().any(|r| of_wheel(&r));
        let or = if served { format!(", or give it the wheel's release ({brought_minor})") } else { String::new() };
        Clash::new(first.holds, message, links).at_most(Severity::Warning).help(format!(
            "remove {name}{or}: {wheel} does not use it, while numba, cupy and extensions built here would"
        ))
    });
}

fn pair<'a>(env: &'a Environment, toolkit: &'a Component) -> Option<Pair<'a>> {
    let conda = picked(toolkit)?;
    let release = conda.cuda()?;
    let wheels = env.components.iter().filter(|c| !c.name.starts_with("conda:"));
    let (wheel, holds) = wheels.into_iter().find_map(|w| Some((w, differs(w, &release)?)))?;
    // A toolkit of another release may be allowed, too.
    let same = toolkit.builds.hold(|b| b.cuda()?.same_minor(&release));
    let holds = if same == Holds::Always { holds } else { Holds::Today };
    Some(Pair { toolkit, conda, wheel, build: picked(wheel)?, holds })
}

fn picked(component: &Component) -> Option<&Build> {
    component.builds.only().or_else(|| component.builds.today())
}

/// A conda package whose business is CUDA itself, not a framework built with it.
fn is_toolkit(component: &Component) -> bool {
    let toolkit = |b: &Build| b.cuda().is_some() && b.release.kernels == Kernels::Unknown && b.release.provides.is_empty();
    !component.builds.builds.is_empty() && component.builds.builds.iter().all(toolkit)
}

fn differs(wheel: &Component, conda: &CudaVersion) -> Option<Holds> {
    if wheel.builds.builds.iter().any(|b| b.release.kernels == Kernels::Unknown) {
        return None;
    }
    let holds = wheel.builds.hold(|b| b.cuda()?.same_minor(conda).map(|same| !same));
    matches!(holds, Holds::Always | Holds::Today).then_some(holds)
}
