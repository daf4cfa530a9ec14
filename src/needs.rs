//! What a start needs of a machine, host or no host.

use crate::demand;
use crate::diagnostic::Needs;
use crate::environment::{Build, Environment};
use crate::knowledge::{self, Kernels, Sm};
use crate::version::{CudaVersion, DriverVersion};

/// What a start needs of a machine; `None` where it has no chain.
pub(crate) fn needs(env: &Environment) -> Option<Needs> {
    let mut driver: Option<DriverVersion> = None;
    let mut oldest: Option<Sm> = None;
    for component in &env.components {
        let Some(build) = component.builds.only().or_else(|| component.builds.today()) else { continue };
        if let Some(bound) =
            build.cuda().and_then(|cuda| knowledge::driver_bound(&cuda)).and_then(|row| DriverVersion::parse(row.linux))
            && driver.as_ref().is_none_or(|d| d.order(&bound).is_lt())
        {
            driver = Some(bound);
        }
        if let Some(lowest) = lowest(build)
            && oldest.is_none_or(|o| o < lowest)
        {
            oldest = Some(lowest);
        }
    }
    let image_cuda = image_cuda(env);
    if driver.is_none() && oldest.is_none() && image_cuda.is_none() {
        return None;
    }
    Some(Needs {
        environment: env.start.name.clone(),
        driver: driver.map(|d| d.to_string()),
        image_cuda: image_cuda.map(|cuda| cuda.to_string()),
        sm: oldest.map(|sm| format!("{}.{}", sm.major, sm.minor)),
    })
}

fn lowest(build: &Build) -> Option<Sm> {
    let Kernels::Known { code, ptx, .. } = build.release.kernels else { return None };
    code.iter().chain(ptx).filter(|c| !c.exact).min().copied()
}

/// What the image of something that is run demands.
fn image_cuda(env: &Environment) -> Option<CudaVersion> {
    let image = env.image.as_ref().filter(|image| env.runs && !image.disable_require)?;
    match &image.require_cuda {
        Some(setting) => demand::cuda(setting.value.as_ref()?),
        None => demand::cuda(image.row?.require_cuda),
    }
}
