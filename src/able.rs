//! Whether a host is known to run what an environment carries: what is merely not known to break is no way out.

use crate::chain::{self, Driver};
use crate::environment::{Build, Component, Environment, Host};
use crate::knowledge::{Library, Segment};
use crate::resolve;
use crate::version::CudaVersion;

/// Whether the host's driver and GPUs run what an environment has for them; `None` where that is not known. One that has nothing
/// for a GPU is not run by it.
pub(crate) fn is_able(env: &Environment, host: &Host) -> Option<bool> {
    if !env.runs {
        return Some(false);
    }
    match (starts(env, host), has_code(env, host)) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true).filter(|_| !env.components.iter().any(Component::may_be_another)),
        _ => None,
    }
}

/// Whether the driver runs all that is known to bring CUDA, and there is some.
fn starts(env: &Environment, host: &Host) -> Option<bool> {
    if host.driver.is_none() && host.driver_cuda.is_none() {
        return Some(true);
    }
    let driver = Driver::under(env, host)?;
    let mut some = false;
    for component in &env.components {
        for build in component.builds.today().into_iter().chain(component.builds.only()) {
            let Some(cuda) = build.cuda() else { continue };
            if driver.below(&cuda)? {
                return Some(false);
            }
            some = true;
        }
    }
    let image = env.image.as_ref().and_then(|image| CudaVersion::parse(image.row?.cuda));
    if some { Some(true) } else { image.map_or(Some(false), |cuda| driver.below(&cuda).map(|below| !below)) }
}

/// Whether all frameworks for CUDA have code that runs on all of its GPUs, and there is one.
fn has_code(env: &Environment, host: &Host) -> Option<bool> {
    let frameworks = env.components.iter().filter(|component| resolve::is_framework(&component.name));
    let builds = frameworks.filter_map(|component| component.builds.only().or_else(|| component.builds.today()));
    let mut builds = builds.filter(|build| build.brings(Library::Cuda).is_some()).peekable();
    let mut gpus = host.gpus.iter().filter_map(|gpu| Some((gpu.sm?, gpu.segment == Some(Segment::Tegra)))).peekable();
    if gpus.peek().is_none() {
        return Some(true);
    }
    let gpus: Vec<_> = gpus.collect();
    if builds.peek().is_none() {
        // What else it has of CUDA may be there for programs that bring code of their own.
        let of_cuda = |build: &Build| build.cuda().is_some();
        let some = env.components.iter().any(|c| c.builds.only().or_else(|| c.builds.today()).is_some_and(of_cuda));
        let image = env.image.as_ref().and_then(|image| image.row).is_some_and(|row| !row.cuda.is_empty());
        return if some || image { None } else { Some(false) };
    }
    let answers: Vec<_> =
        builds.flat_map(|build| gpus.iter().map(move |(sm, tegra)| chain::release_runs_on(build.release, *sm, *tegra))).collect();
    if answers.contains(&Some(false)) { Some(false) } else { answers.iter().all(Option::is_some).then_some(true) }
}
