//! Whether a host is known to run what an environment carries: what is merely not known to break is no way out.

use crate::chain::{self, Driver};
use crate::environment::{Environment, Host};
use crate::knowledge::{Library, Segment};
use crate::resolve;
use crate::version::CudaVersion;

/// Whether the host's driver and GPUs are known to run what an environment has for them. One that has nothing for a GPU is not
/// run by it.
pub(crate) fn is_able(env: &Environment, host: &Host) -> bool {
    env.runs && starts(env, host) && has_code(env, host)
}

/// Whether the driver runs all that is known to bring CUDA, and there is some.
fn starts(env: &Environment, host: &Host) -> bool {
    if host.driver.is_none() && host.driver_cuda.is_none() {
        return true;
    }
    let Some(driver) = Driver::under(env, host) else { return false };
    let mut some = false;
    for component in &env.components {
        for build in component.builds.today().into_iter().chain(component.builds.only()) {
            let Some(cuda) = build.cuda() else { continue };
            if driver.below(&cuda) != Some(false) {
                return false;
            }
            some = true;
        }
    }
    let image = env.image.as_ref().and_then(|image| CudaVersion::parse(image.row?.cuda));
    some || image.is_some_and(|cuda| driver.below(&cuda) == Some(false))
}

/// Whether all frameworks for CUDA have code that runs on all of its GPUs, and there is one.
fn has_code(env: &Environment, host: &Host) -> bool {
    let frameworks = env.components.iter().filter(|component| resolve::is_framework(&component.name));
    let builds = frameworks.filter_map(|component| component.builds.only().or_else(|| component.builds.today()));
    let mut builds = builds.filter(|build| build.brings(Library::Cuda).is_some()).peekable();
    let mut gpus = host.gpus.iter().filter_map(|gpu| Some((gpu.sm?, gpu.segment == Some(Segment::Tegra)))).peekable();
    if gpus.peek().is_none() {
        return true;
    }
    let gpus: Vec<_> = gpus.collect();
    let runs = |(sm, tegra): &(_, bool), release| chain::release_runs_on(release, *sm, *tegra) == Some(true);
    builds.peek().is_some() && builds.all(|build| gpus.iter().all(|gpu| runs(gpu, build.release)))
}
