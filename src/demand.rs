//! `NVIDIA_REQUIRE_CUDA`: alternatives separated by spaces, each a list of conditions separated by commas.
//! Source: <https://github.com/NVIDIA/nvidia-container-toolkit/blob/main/cmd/nvidia-container-runtime/README.md>.

use crate::chain::Driver;
use crate::knowledge::Segment;
use crate::version::{CudaVersion, DriverVersion};

/// Whether a host meets a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    /// No alternative holds.
    No,
    /// One would hold on a data-centre GPU, and the host's GPU is not named.
    OnlyDataCenter,
    /// Not known.
    Unknown,
    /// One holds.
    Yes,
}

/// The CUDA version that a demand names first.
pub(crate) fn cuda(demand: &str) -> Option<CudaVersion> {
    CudaVersion::parse(first(demand).strip_prefix("cuda>=")?)
}

/// The first alternative, which speaks of CUDA.
pub(crate) fn first(demand: &str) -> &str {
    demand.split_whitespace().next().unwrap_or_default()
}

/// Answers a demand for one GPU of a host.
pub(crate) fn holds(demand: &str, driver: &Driver<'_>, gpu: Option<Segment>) -> Answer {
    let mut best = Answer::No;
    for alternative in demand.split_whitespace() {
        let mut worst = Answer::Yes;
        for condition in alternative.split(',') {
            worst = worst.min(answer(condition, driver, gpu));
        }
        best = best.max(worst);
    }
    best
}

fn answer(condition: &str, driver: &Driver<'_>, gpu: Option<Segment>) -> Answer {
    let known =
        |below: Option<bool>, wanted: bool| below.map_or(Answer::Unknown, |b| if b == wanted { Answer::Yes } else { Answer::No });
    if let Some(brand) = condition.strip_prefix("brand=") {
        return match (gpu, brand) {
            (None, _) => Answer::OnlyDataCenter,
            // "tesla" is the brand of every data-centre product.
            (Some(Segment::DataCenter), "tesla") => Answer::Yes,
            (Some(Segment::GeForce), "geforce" | "geforcertx" | "titan" | "titanrtx") => Answer::Unknown,
            (Some(Segment::Workstation), "quadro" | "quadrortx" | "nvidiartx" | "unknown" | "nvidia") => Answer::Unknown,
            (Some(_), _) => Answer::No,
        };
    }
    if let Some(version) = condition.strip_prefix("cuda>=") {
        let Some(wanted) = CudaVersion::parse(version) else { return Answer::Unknown };
        return driver.reports().map_or(Answer::Unknown, |has| known(has.below(&wanted), false));
    }
    let number = |text: &str| DriverVersion::parse(text).and_then(|bound| driver.number()?.below(&bound));
    if let Some(version) = condition.strip_prefix("driver>=") {
        return from_report(driver, version, true).unwrap_or_else(|| known(number(version), false));
    }
    if let Some(version) = condition.strip_prefix("driver<") {
        return from_report(driver, version, false).unwrap_or_else(|| known(number(version), true));
    }
    Answer::Unknown
}

/// A host that says only which CUDA its driver reports has a branch of that CUDA.
fn from_report(driver: &Driver<'_>, branch: &str, at_least: bool) -> Option<Answer> {
    if driver.number().is_some() {
        return None;
    }
    let reported = driver.reports()?;
    let of_branch = crate::knowledge::driver_cuda(&DriverVersion::parse(branch)?)?;
    let older = reported.below(&of_branch)?;
    Some(match (at_least, older) {
        (true, true) => Answer::No,
        (false, true) => Answer::Yes,
        // The same CUDA may be a later branch's, too.
        (true, false) => Answer::Unknown,
        (false, false) => {
            if of_branch.below(&reported)? {
                Answer::No
            } else {
                Answer::Unknown
            }
        }
    })
}
