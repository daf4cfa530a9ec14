use super::{Check, Clash, Has, Needs, Out, Rule, image_needs_newer_driver, torch_replaced_later};
use crate::alternative::Wanted;
use crate::chain::{self, Driver};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, ForwardCompat, Holds, Host, Image, Reason};
use crate::knowledge::{self, Flavour, Kernels, Segment};
use crate::other_image::other_image;
use crate::version::{CudaVersion, DriverVersion};

pub(super) static RULE: Rule = Rule {
    name: "driver-too-old",
    level: Severity::Error,
    page: include_str!("../../rules/driver-too-old.md"),
    needs: Needs::Host(|host| Driver::of(host).is_some()),
    check: Check::Host(check),
};

fn check(env: &Environment, host: &Host, out: &mut Out) {
    let Some(driver) = Driver::under(env, host) else { return };
    let machine = Machine { env, host, driver };
    let brought = machine.brought();
    // NVIDIA's own wheels are parts of the framework beside them: one cause, said at the framework.
    // So are conda's toolkit and the framework that it is for: of these the one speaks of which more is sure.
    let is_part = |n: usize, b: &Brought<'_>| {
        let mut others = brought.iter().enumerate().filter(|(_, other)| other.told.bound == b.told.bound);
        b.part && others.clone().any(|(_, whole)| !whole.part)
            || others.any(|(at, other)| b.is_conda_s() && other.is_conda_s() && at != n && (other.rank(), n) > (b.rank(), at))
    };
    let (parts, wholes): (Vec<_>, Vec<_>) = brought.iter().enumerate().partition(|(n, b)| is_part(*n, b));
    let parts: Vec<&Brought<'_>> = parts.into_iter().map(|(_, part)| part).collect();
    for (_, found) in wholes {
        let Demand { cuda, bound } = &found.told;
        let message = match (&found.compatible, &found.weakest) {
            (Some(_), _) => format!("CUDA {cuda} runs by forward compatibility only"),
            (None, Some((package, Demand { cuda, bound }))) => {
                format!("every version of {package} that the files allow needs driver {bound} or newer (CUDA {cuda} or later)")
            }
            (None, None) => format!("CUDA {cuda} needs driver {bound} or newer"),
        };
        let parts = parts.iter().filter(|part| part.told.bound == *bound).map(|part| part.evidence.clone());
        let links = [found.evidence.clone(), machine.driver.evidence()].into_iter().chain(parts).chain(found.compatible.clone());
        let mut clash = Clash::new(found.holds, message, links.collect()).host_has(Has::Driver(machine.driver.shown()));
        if found.compatible.is_some() {
            let keeps = "it works as long as the image's own libcuda (cuda-compat) is loaded";
            clash = clash.at_most(Severity::Info).help(format!("{keeps}; from driver {bound} on nothing has to stand in"));
        } else {
            // An image that is not known may bring a newer libcuda.
            let open = env.forward_compat_open && machine.may_admit_another(cuda);
            if open {
                clash = clash.at_most(Severity::Info);
            }
            let unless = if open { " (unless the image brings a newer libcuda, cuda-compat: that is not known)" } else { "" };
            let beside = machine.image_beside(found).unwrap_or_default();
            let other = machine.other(found).map(|other| format!(", or {other}{beside}"));
            // What is picked today may need more than what every version needs, and the image more than both.
            let refused = env.image.as_ref().filter(|image| image_needs_newer_driver::refused(image, host));
            let least = found.weakest.as_ref().map(|(_, least)| least).filter(|least| least.bound != *bound && refused.is_none());
            let least = least.map(|least| format!(", or to {} and pin a build for CUDA {}", least.bound, least.cuda));
            let (least, other) = (least.unwrap_or_default(), other.unwrap_or_default());
            clash = clash.help(format!("raise the driver to {bound} or newer{least}{other}{unless}"));
        }
        clash.bound = Some(bound.clone());
        out.push(clash);
    }
}

/// A CUDA release and the oldest driver that runs it.
struct Demand {
    cuda: CudaVersion,
    bound: DriverVersion,
}

/// What brings a CUDA that the driver does not run.
struct Brought<'a> {
    holds: Holds,
    evidence: Evidence,
    /// That of the only build, of today's, or the oldest that does not fit.
    told: Demand,
    /// What brings a newer libcuda for it.
    compatible: Option<Evidence>,
    /// A library for frameworks, not one itself.
    part: bool,
    /// What comes, of which package; `None` for an image's toolkit.
    build: Option<(&'a Component, &'a Build)>,
    /// Where several releases may come and none fits: the package, and the demand that all of them have in common.
    weakest: Option<(String, Demand)>,
}

impl Brought<'_> {
    fn is_conda_s(&self) -> bool {
        self.build.is_some_and(|(component, _)| component.name.starts_with("conda:"))
    }
    /// Which of several speaks: what is sure goes before what is picked today, what is asked for before what comes along, and the
    /// toolkit, which chooses the framework's build.
    fn rank(&self) -> (bool, bool, bool) {
        let implied = self.evidence.also.iter().any(|(_, reason)| matches!(reason, Reason::Requires { .. }));
        let toolkit = self.build.is_some_and(|(_, build)| build.release.kernels == Kernels::Unknown);
        (self.holds == Holds::Always, !implied, toolkit)
    }
}

/// An environment on a host.
struct Machine<'a> {
    env: &'a Environment,
    host: &'a Host,
    driver: Driver<'a>,
}

impl<'a> Machine<'a> {
    /// By packages, or by the toolkit of an image into which no package brings its own.
    fn brought(&self) -> Vec<Brought<'a>> {
        let mut found: Vec<_> = self.env.components.iter().filter_map(|component| self.packaged(component)).collect();
        let alone = self.env.components.iter().all(|c| c.builds.builds.iter().all(|b| b.cuda().is_none()));
        let image = self.env.image.as_ref().filter(|_| alone);
        let toolkit = image.and_then(|image| Some((image, CudaVersion::parse(image.row.filter(has_cuda)?.cuda)?)));
        if let Some((image, cuda)) = toolkit.filter(|(_, cuda)| self.driver.below(cuda) == Some(true))
            && let Some(told) = self.demand(&cuda)
        {
            let compatible = self.forward_compat(&told.cuda);
            found.push(Brought {
                holds: Holds::Always,
                evidence: image.evidence.clone(),
                told,
                compatible,
                part: false,
                build: None,
                weakest: None,
            });
        }
        found
    }

    fn packaged(&self, component: &'a Component) -> Option<Brought<'a>> {
        let builds = &component.builds;
        let old = |b: &&Build| self.too_old(b) == Some(true);
        let build = builds.today().filter(old).or_else(|| builds.builds.iter().find(old))?;
        let told = self.demand(&build.cuda()?)?;
        let evidence = component.evidence.clone();
        let library = builds.builds.iter().all(|build| build.release.kernels == Kernels::Unknown);
        let part = library && !component.name.starts_with("conda:");
        let named = Some((component, builds.today().unwrap_or(build)));
        if let Some(compatible) = self.forward_compat(&told.cuda) {
            let holds = builds.hold(|build| self.too_old(build));
            return Some(Brought { holds, evidence, told, compatible: Some(compatible), part, build: named, weakest: None });
        }
        let holds = builds.hold(|build| self.refuses(build));
        let cuda = |build: &Build| build.cuda().map(|cuda| cuda.minor_only());
        let several = holds == Holds::Always && builds.builds.iter().any(|b| cuda(b) != Some(told.cuda));
        let demands = builds.builds.iter().filter(|_| several).filter_map(|b| self.demand(&b.cuda()?));
        let weakest = demands.min_by(|a, b| {
            let minor = |demand: &Demand| (demand.cuda.major(), demand.cuda.minor());
            a.bound.order(&b.bound).then_with(|| minor(a).cmp(&minor(b)))
        });
        let name = component.name.trim_start_matches("conda:").to_owned();
        Some(Brought {
            holds,
            evidence,
            told,
            compatible: None,
            part,
            build: named,
            weakest: weakest.map(|weakest| (name, weakest)),
        })
    }

    /// What to take instead: another build of the package, or another image.
    fn other(&self, brought: &Brought<'_>) -> Option<String> {
        let wanted = Wanted { env: self.env, host: self.host, gpu: None };
        match brought.build {
            Some((component, build)) => {
                let runs = |build: &Build| self.too_old(build).map(|old| !old);
                torch_replaced_later::kept(self.env, component, runs).or_else(|| wanted.instead_of(component, build))
            }
            None => {
                let named = self.env.image.as_ref().and_then(|image| other_image(image, self.host));
                let newest = || chain::newest_cuda(&self.driver).map(|older| format!("an image with CUDA {older} or older"));
                named.or_else(newest).map(|other| format!("take {other}"))
            }
        }
    }

    /// Another image, where the one below the package does not start on the host either.
    fn image_beside(&self, brought: &Brought<'_>) -> Option<String> {
        let (component, _) = brought.build?;
        let own = matches!(component.evidence.reason, Reason::Image { .. });
        let refused = |image: &&Image| !own && image_needs_newer_driver::refused(image, self.host);
        let image = self.env.image.as_ref().filter(refused)?;
        if image_needs_newer_driver::is_refused_by_file_alone(image, self.host) {
            return Some(", and lower or remove NVIDIA_REQUIRE_CUDA".to_owned());
        }
        Some(format!(", and {} below it", image_needs_newer_driver::older(image, self.host)))
    }

    fn demand(&self, cuda: &CudaVersion) -> Option<Demand> {
        Some(Demand { cuda: cuda.minor_only(), bound: self.driver.bound(cuda)? })
    }

    fn too_old(&self, build: &Build) -> Option<bool> {
        match build.cuda() {
            Some(cuda) => self.driver.below(&cuda),
            None => Some(false).filter(|_| build.is_cpu()),
        }
    }

    /// Whether the driver is too old for a build, and no newer libcuda stands in.
    fn refuses(&self, build: &Build) -> Option<bool> {
        let stands_in = |cuda: CudaVersion| self.forward_compat(&cuda.minor_only()).is_some();
        self.too_old(build).map(|old| old && !build.cuda().is_some_and(stands_in))
    }

    /// Whether the host's GPUs may take a libcuda other than the driver's.
    fn takes_another(&self) -> bool {
        let gpus = self.host.gpus.iter().all(|gpu| matches!(gpu.segment, None | Some(Segment::DataCenter)));
        gpus && !self.host.wsl
    }

    /// Whether the host's driver is known to admit a newer libcuda.
    fn admits(&self, compat: &ForwardCompat) -> bool {
        let named = compat.branches.iter().chain(knowledge::forward_compat_branches(&compat.cuda));
        self.takes_another() && self.driver.branch().is_some_and(|branch| named.into_iter().any(|b| u32::from(*b) == branch))
    }

    /// Whether there is a newer libcuda for a CUDA release that the host may admit.
    fn may_admit_another(&self, cuda: &CudaVersion) -> bool {
        let some = |branch| knowledge::some_forward_compat(branch, |other| runs(other, cuda));
        self.takes_another() && self.driver.branch().is_none_or(some)
    }

    /// The image or package that brings a newer libcuda, where the host's GPU and branch admit it.
    fn forward_compat(&self, cuda: &CudaVersion) -> Option<Evidence> {
        let mut brought = self.env.forward_compat.iter().filter(|c| runs(&c.cuda, cuda));
        if !brought.any(|c| self.admits(c)) {
            return None;
        }
        self.env.image.as_ref().map(|image| Evidence { also: Vec::new(), ..image.evidence.clone() })
    }
}

/// Whether the libcuda of one CUDA release runs what is built with another: with the same, with an older one, or from CUDA 11 on
/// with another of the same major.
/// Source: <https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html>.
fn runs(libcuda: &CudaVersion, cuda: &CudaVersion) -> bool {
    let release = |c: &CudaVersion| (c.major(), c.minor());
    release(libcuda) >= release(cuda) || libcuda.major() == cuda.major() && libcuda.major() >= 11
}

/// Where release notes name the driver, they speak: the image may carry a libcuda of its own.
fn has_cuda(image: &&knowledge::Image) -> bool {
    image.flavour != Flavour::None || image.driver.is_empty()
}
