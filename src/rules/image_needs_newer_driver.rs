use super::{Check, Clash, Has, Needs, Out, Rule};
use crate::alternative::Wanted;
use crate::chain::{self, Driver};
use crate::demand::{self, Answer};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, Holds, Host, Image, Reason};
use crate::knowledge::{self, Kernels, Segment};
use crate::other_image::other_image;
use crate::version::{CudaVersion, DriverVersion};

pub(super) static RULE: Rule = Rule {
    name: "image-needs-newer-driver",
    level: Severity::Error,
    page: include_str!("../../rules/image-needs-newer-driver.md"),
    needs: Needs::Host(|host| demand::asked_of(host).is_some()),
    check: Check::Host(check),
};

fn check(env: &Environment, host: &Host, out: &mut Out) {
    let Some(image) = env.image.as_ref().filter(|i| !i.disable_require) else { return };
    let Some(driver) = demand::asked_of(host).filter(|_| Driver::under(env, host).is_some()) else { return };
    let machine = Machine { env, host, driver };
    match &image.require_cuda {
        // The release notes are held against the driver by the image's own start.
        Some(_) if image.unchecked => {}
        Some(setting) => {
            let Some(text) = &setting.value else { return };
            machine.refuse(image, text, setting.evidence.clone(), out);
        }
        None => {
            let Some(row) = image.row else { return };
            if !row.require_cuda.is_empty() {
                if image.unchecked {
                    return;
                }
                machine.refuse(image, row.require_cuda, image.evidence.clone(), out);
            } else if let Some(bound) = DriverVersion::parse(row.driver) {
                machine.release_notes(image, row, &bound, out);
            }
        }
    }
}

/// Whether an image does not start on a host, as far as it says itself.
pub(super) fn refused(image: &Image, host: &Host) -> bool {
    let text = match &image.require_cuda {
        _ if image.disable_require || image.unchecked => None,
        Some(setting) => setting.value.as_deref(),
        None => image.row.map(|row| row.require_cuda),
    };
    let driver = demand::asked_of(host).filter(|_| text.is_some_and(|text| demand::cuda(text).is_some()));
    let answer = |driver: &Driver<'_>| demand::of_host(text.unwrap_or_default(), driver, host);
    driver.is_some_and(|driver| matches!(answer(&driver), Answer::No | Answer::OnlyDataCenter))
}

/// Whether it is a file's own demand by which a refused image does not start, and not what the image demands itself.
pub(super) fn is_refused_by_file_alone(image: &Image, host: &Host) -> bool {
    image.require_cuda.is_some() && !refused(&Image { require_cuda: None, ..image.clone() }, host)
}

/// What to take instead of a refused image: one by name, or up to which CUDA.
pub(super) fn older(image: &Image, host: &Host) -> String {
    // What a file demands, it demands of every image.
    let named = other_image(image, host).filter(|_| image.require_cuda.is_none());
    let reports = || demand::asked_of(host).and_then(|driver| driver.reports());
    named.unwrap_or_else(|| "an older image".to_owned() + &reports().map_or(String::new(), |c| format!(" (CUDA {c} or older)")))
}

/// An environment on a host.
struct Machine<'a> {
    env: &'a Environment,
    host: &'a Host,
    driver: Driver<'a>,
}

impl Machine<'_> {
    /// `NVIDIA_REQUIRE_CUDA` is false for the host: the container does not start.
    fn refuse(&self, image: &Image, text: &str, primary: Evidence, out: &mut Out) {
        let level = match demand::of_host(text, &self.driver, self.host) {
            Answer::No => Severity::Error,
            // Without a named GPU an alternative for data-centre brands may let it start.
            Answer::OnlyDataCenter => Severity::Warning,
            Answer::Unknown | Answer::Yes => return,
        };
        let Some(wanted) = demand::cuda(text) else { return };
        let has = match (self.driver.number(), self.driver.reports()) {
            (Some(number), Some(cuda)) => format!("{number}, which reports CUDA {cuda}"),
            _ => self.driver.shown(),
        };
        let unless = if level == Severity::Warning { " unless the GPU is a data-centre one" } else { "" };
        let message = format!("the image asks for a driver with CUDA {wanted} or newer{unless}");
        let mut first = primary;
        if first.at == image.evidence.at {
            first.reason = Reason::Demand { demand: demand::first(text).to_owned() };
        }
        let clash = Clash::new(Holds::Always, message, vec![first, self.driver.evidence()]);
        let mut clash = clash.host_has(Has::Driver(has)).at_most(level);
        if let Some(gpu) = self.host.gpus.first() {
            let reason = Reason::HostGpu { name: gpu.name.clone(), sm: gpu.sm };
            clash.of.push(Evidence {
                at: gpu.at,
                reason,
                also: Vec::new(),
                basis: gpu.basis,
                join: crate::environment::Join::Stated,
            });
        }
        clash.bound = first_driver(&wanted);
        clash.help = Some(self.help(image, &wanted));
        out.push(clash);
    }

    fn help(&self, image: &Image, wanted: &CudaVersion) -> String {
        let raise = first_driver(wanted)
            .map_or_else(|| "raise the driver".to_owned(), |d| format!("raise the driver to branch {d} or newer"));
        let starts = "NVIDIA_DISABLE_REQUIRE=1 lets it start where the programs inside need no more";
        let own = is_refused_by_file_alone(image, self.host);
        let take = if own { "lower or remove this line".to_owned() } else { format!("take {}", older(image, self.host)) };
        // Another image does not mend what its packages need of the driver.
        match self.too_new() {
            None if own => {
                let from = chain::driver(self.env);
                let inside = from.map_or(String::new(), |from| format!(": what is inside runs from driver {from} on"));
                format!("{raise}, or {take}{inside}")
            }
            None => format!("{raise}, or {take}; {starts}"),
            Some((component, build)) => {
                let other = Wanted { env: self.env, host: self.host, gpu: None }.instead_of(component, build);
                raise + &other.map_or(String::new(), |other| format!(", or {take}, and {other}"))
            }
        }
    }

    /// A framework whose CUDA the driver does not run.
    fn too_new(&self) -> Option<(&Component, &Build)> {
        let framework = |build: &&Build| matches!(build.release.kernels, Kernels::Known { .. });
        let old = |build: &&Build| build.cuda().is_some_and(|cuda| self.driver.below(&cuda) == Some(true));
        self.env.components.iter().find_map(|component| {
            let build = component.builds.only().or_else(|| component.builds.today()).filter(framework).filter(old)?;
            Some((component, build))
        })
    }

    /// NVIDIA's release notes name the driver; older branches, where they are known, are for data-centre GPUs only.
    fn release_notes(&self, image: &Image, row: &knowledge::Image, bound: &DriverVersion, out: &mut Out) {
        let Some(number) = self.driver.number().filter(|n| n.below(bound) == Some(true)) else { return };
        let gpus = &self.host.gpus;
        let branches = row.driver_branches;
        let listed = branches.is_empty() || branches.iter().any(|b| u32::from(*b) == number.branch());
        let consumer = !gpus.is_empty() && gpus.iter().all(|g| g.segment.is_some_and(|s| s != Segment::DataCenter));
        let level = match (listed, consumer, gpus.is_empty()) {
            (false, ..) | (true, true, _) => Severity::Error,
            (true, false, true) => Severity::Warning,
            (true, false, false) => return,
        };
        let message = format!("the image is made for driver {bound} or newer");
        let mut first = image.evidence.clone();
        first.reason = Reason::ReleaseNotes { driver: bound.to_string() };
        let clash = Clash::new(Holds::Always, message, vec![first, self.driver.evidence()]);
        let mut clash = clash.host_has(Has::Driver(number.to_string())).at_most(level);
        clash.bound = Some(bound.clone());
        let other = other_image(image, self.host).unwrap_or_else(|| "an older release of the image".to_owned());
        clash.help = Some(format!("raise the driver to {bound} or newer, or take {other}"));
        out.push(clash);
    }
}

/// The first driver branch that reports a CUDA release.
fn first_driver(cuda: &CudaVersion) -> Option<DriverVersion> {
    let mut branches: Vec<_> = knowledge::driver_branches().iter().collect();
    branches.sort_by_key(|b| b.branch);
    let reports = |b: &&&knowledge::DriverBranch| CudaVersion::parse(b.cuda).is_some_and(|c| c.below(cuda) == Some(false));
    branches.iter().find(reports).and_then(|b| DriverVersion::parse(&b.branch.to_string()))
}
