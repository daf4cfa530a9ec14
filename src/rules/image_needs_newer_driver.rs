use super::{Check, Clash, Has, Needs, Out, Rule};
use crate::chain::Driver;
use crate::demand::{self, Answer};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Host, Image, Reason};
use crate::knowledge::{self, Segment};
use crate::platform::Os;
use crate::version::{CudaVersion, DriverVersion};

pub(super) static RULE: Rule = Rule {
    name: "image-needs-newer-driver",
    level: Severity::Error,
    page: include_str!("../../rules/image-needs-newer-driver.md"),
    needs: Needs::Host(|host| asked_of(host).is_some()),
    check: Check::Host(check),
};

fn check(env: &Environment, host: &Host, out: &mut Out) {
    let Some(image) = env.image.as_ref().filter(|i| !i.disable_require) else { return };
    let Some(driver) = asked_of(host) else { return };
    match &image.require_cuda {
        Some(setting) => {
            let Some(text) = &setting.value else { return };
            refuse(image, text, setting.evidence.clone(), host, &driver, out);
        }
        None => {
            let Some(row) = image.row else { return };
            if !row.require_cuda.is_empty() {
                refuse(image, row.require_cuda, image.evidence.clone(), host, &driver, out);
            } else if let Some(bound) = DriverVersion::parse(row.driver) {
                release_notes(image, row, &bound, host, &driver, out);
            }
        }
    }
}

/// The driver that the demand is put to. Docker Desktop's Linux VM meets it with Windows' own numbers: not known here.
fn asked_of(host: &Host) -> Option<Driver<'_>> {
    Driver::of(host).filter(|_| !host.wsl && host.platform.os != Os::Windows)
}

/// `NVIDIA_REQUIRE_CUDA` is false for the host: the container does not start.
fn refuse(image: &Image, text: &str, primary: Evidence, host: &Host, driver: &Driver<'_>, out: &mut Out) {
    let brands: Vec<Option<Segment>> = match host.gpus.as_slice() {
        [] => vec![None],
        gpus => gpus.iter().map(|gpu| gpu.segment).collect(),
    };
    let answers: Vec<Answer> = brands.iter().map(|brand| demand::holds(text, driver, *brand)).collect();
    let level = match answers.iter().max() {
        Some(Answer::No) => Severity::Error,
        // Without a named GPU an alternative for data-centre brands may let it start.
        Some(Answer::OnlyDataCenter) => Severity::Warning,
        _ => return,
    };
    let Some(wanted) = demand::cuda(text) else { return };
    let has = match (driver.number(), driver.reports()) {
        (Some(number), Some(cuda)) => format!("{number}, which reports CUDA {cuda}"),
        _ => driver.shown(),
    };
    let unless = if level == Severity::Warning { " unless the GPU is a data-centre one" } else { "" };
    let message = format!("the image asks for a driver with CUDA {wanted} or newer{unless}");
    let mut first = primary;
    if first.at == image.evidence.at {
        first.reason = Reason::Demand { demand: demand::first(text).to_owned() };
    }
    let clash = Clash::new(Holds::Always, message, vec![first, driver.evidence()]);
    let mut clash = clash.host_has(Has::Driver(has)).at_most(level);
    if let Some(gpu) = host.gpus.first() {
        let reason = gpu.sm.map_or(Reason::Here, |sm| Reason::HostGpu { name: gpu.name.clone(), sm });
        clash.of.push(Evidence {
            at: gpu.at,
            reason,
            also: Vec::new(),
            basis: gpu.basis,
            join: crate::environment::Join::Stated,
        });
    }
    clash.bound = first_driver(&wanted);
    clash.help = Some(help(&wanted, driver));
    out.push(clash);
}

/// NVIDIA's release notes name the driver; older branches are for data-centre GPUs only.
fn release_notes(image: &Image, row: &knowledge::Image, bound: &DriverVersion, host: &Host, driver: &Driver<'_>, out: &mut Out) {
    let Some(number) = driver.number().filter(|n| n.below(bound) == Some(true)) else { return };
    let listed = row.driver_branches.iter().any(|b| u32::from(*b) == number.branch());
    let consumer = !host.gpus.is_empty() && host.gpus.iter().all(|g| g.segment.is_some_and(|s| s != Segment::DataCenter));
    let level = match (listed, consumer, host.gpus.is_empty()) {
        (false, ..) | (true, true, _) => Severity::Error,
        (true, false, true) => Severity::Warning,
        (true, false, false) => return,
    };
    let message = format!("the image is made for driver {bound} or newer");
    let mut first = image.evidence.clone();
    first.reason = Reason::ReleaseNotes { driver: bound.to_string() };
    let clash = Clash::new(Holds::Always, message, vec![first, driver.evidence()]);
    let mut clash = clash.host_has(Has::Driver(number.to_string())).at_most(level);
    clash.bound = Some(bound.clone());
    clash.help = Some(format!("raise the driver to {bound} or newer, or take an older release of the image"));
    out.push(clash);
}

/// The first driver branch that reports a CUDA release.
fn first_driver(cuda: &CudaVersion) -> Option<DriverVersion> {
    let mut branches: Vec<_> = knowledge::driver_branches().iter().collect();
    branches.sort_by_key(|b| b.branch);
    let reports = |b: &&&knowledge::DriverBranch| CudaVersion::parse(b.cuda).is_some_and(|c| c.below(cuda) == Some(false));
    branches.iter().find(reports).and_then(|b| DriverVersion::parse(&b.branch.to_string()))
}

fn help(wanted: &CudaVersion, driver: &Driver<'_>) -> String {
    let raise = first_driver(wanted)
        .map_or_else(|| "raise the driver".to_owned(), |d| format!("raise the driver to branch {d} or newer"));
    let older = driver.reports().map_or(String::new(), |c| format!(" (CUDA {c} or older)"));
    format!(
        "{raise}, or take an older image{older}; NVIDIA_DISABLE_REQUIRE=1 lets it start where the programs inside need no more"
    )
}
