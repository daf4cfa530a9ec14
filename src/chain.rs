//! Questions along the chain that several rules and reports ask: which driver a CUDA release needs, what a GPU can run,
//! what a start needs in all.

use crate::environment::{Environment, Evidence, Host, Join, Reason};
use crate::knowledge::{self, Basis, DriverBound, Kernels, Release, Segment, Sm};
use crate::notation::requirement::Subject;
use crate::platform::Os;
use crate::resolve;
use crate::source::Span;
use crate::version::{CudaVersion, DriverVersion, Specifiers, Version};

/// What is known of a host's driver.
pub(crate) struct Driver<'a> {
    host: &'a Host,
    at: Span,
    known: Known,
}

enum Known {
    /// Its number.
    Number(DriverVersion),
    /// The CUDA version that it reports.
    Cuda(CudaVersion),
}

impl<'a> Driver<'a> {
    /// The driver of a host; `None` where nothing is said of it, and for Tegra, whose driver is the system's.
    pub(crate) fn of(host: &'a Host) -> Option<Self> {
        if host.gpus.iter().any(|gpu| gpu.segment == Some(Segment::Tegra)) {
            return None;
        }
        let number = host.driver.as_ref().map(|(v, at)| (Known::Number(v.clone()), *at));
        let cuda = || host.driver_cuda.as_ref().map(|(v, at)| (Known::Cuda(*v), *at));
        let (known, at) = number.or_else(cuda)?;
        Some(Self { host, at, known })
    }
    /// The driver under which an environment runs on a host; `None` where it brings one that may be newer than the host's.
    pub(crate) fn under(env: &Environment, host: &'a Host) -> Option<Self> {
        let driver = Self::of(host)?;
        let Some(own) = env.own_driver.as_ref().filter(|_| !driver.windows()) else { return Some(driver) };
        let branch = own.version.as_ref().map(DriverVersion::branch);
        (branch.zip(driver.branch()).is_some_and(|(own, host)| own <= host)).then_some(driver)
    }
    /// Windows numbers its drivers apart, and a WSL host has a Windows driver.
    fn windows(&self) -> bool {
        self.host.wsl || self.host.platform.os == Os::Windows
    }
    /// The oldest driver that runs a CUDA release, in the host's own numbers.
    pub(crate) fn bound(&self, cuda: &CudaVersion) -> Option<DriverVersion> {
        let row = knowledge::driver_bound(cuda)?;
        DriverVersion::parse(if self.windows() { row.windows } else { row.linux })
    }
    /// Whether it is too old for a CUDA release; `None` where the numbers leave it open.
    pub(crate) fn below(&self, cuda: &CudaVersion) -> Option<bool> {
        let row = knowledge::driver_bound(cuda)?;
        match &self.known {
            Known::Number(number) => self.number_below(number, row),
            Known::Cuda(reported) => reported_below(*reported, cuda, row),
        }
    }
    fn number_below(&self, number: &DriverVersion, row: &DriverBound) -> Option<bool> {
        if !self.windows() {
            return number.below(&DriverVersion::parse(row.linux)?);
        }
        let below = number.below(&DriverVersion::parse(row.windows)?);
        if below == Some(false)
            && !row.windows_disputed.is_empty()
            && number.below(&DriverVersion::parse(row.windows_disputed)?) != Some(false)
        {
            return None;
        }
        below
    }
    /// As written by the user, or what it reports.
    pub(crate) fn shown(&self) -> String {
        match &self.known {
            Known::Number(number) => number.to_string(),
            Known::Cuda(cuda) => format!("a driver that reports CUDA {cuda}"),
        }
    }
    /// The CUDA version that it reports.
    pub(crate) fn reports(&self) -> Option<CudaVersion> {
        match &self.known {
            Known::Cuda(cuda) => Some(*cuda),
            // The branch table has Linux numbers.
            Known::Number(number) if !self.windows() => knowledge::driver_cuda(number),
            Known::Number(_) => None,
        }
    }
    /// Its number, where it is written.
    pub(crate) fn number(&self) -> Option<&DriverVersion> {
        if let Known::Number(number) = &self.known { Some(number) } else { None }
    }
    /// Its branch, where its number is written.
    pub(crate) fn branch(&self) -> Option<u32> {
        self.number().map(DriverVersion::branch)
    }
    /// The host's line as a link.
    pub(crate) fn evidence(&self) -> Evidence {
        Evidence { at: self.at, reason: Reason::HostDriver, also: Vec::new(), basis: Basis::Measured, join: Join::Stated }
    }
}

/// A driver reports the newest CUDA it was made for. From 11 on a release runs on every driver at or above its major's first.
fn reported_below(reported: CudaVersion, cuda: &CudaVersion, row: &DriverBound) -> Option<bool> {
    if row.cuda.contains('.') && cuda.major() < 11 {
        return reported.below(&cuda.minor_only());
    }
    let majors = reported.major().cmp(&cuda.major());
    match majors {
        std::cmp::Ordering::Less => Some(true),
        // 11.0's own driver is below the bound of 11.1 and later.
        std::cmp::Ordering::Equal if cuda.major() == 11 && reported.minor() == Some(0) && cuda.minor() != Some(0) => None,
        std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => Some(false),
    }
}

/// The newest CUDA major (or, before 11, release) that a driver runs, for the help text.
pub(crate) fn newest_cuda(driver: &Driver<'_>) -> Option<String> {
    let fits = |bound: &&DriverBound| CudaVersion::parse(bound.cuda).is_some_and(|cuda| driver.below(&cuda) == Some(false));
    let newest = knowledge::driver_bounds()
        .iter()
        .filter(fits)
        .max_by_key(|b| CudaVersion::parse(b.cuda).map(|c| (c.major(), c.minor().unwrap_or(u32::MAX))))?;
    Some(newest.cuda.to_owned())
}

/// Whether a build has something that runs on a GPU: machine code of the same major with a minor at most the GPU's,
/// or PTX at or below it. Chips of the Tegra family run only their own code.
/// Source: CUDA C++ Programming Guide, "Binary Compatibility" and "PTX Compatibility".
pub(crate) fn runs_on(kernels: Kernels, sm: Sm, tegra: bool) -> Option<bool> {
    let Kernels::Known { code, ptx, ptx_unknown } = kernels else { return None };
    let native = code.iter().any(|c| c.major == sm.major && if c.exact { c.minor == sm.minor } else { c.minor <= sm.minor });
    if native {
        // Whether sm_80 code runs on a Jetson of 8.7 is disputed between sources.
        let own = code.iter().any(|c| c.major == sm.major && c.minor == sm.minor);
        return Some(true).filter(|_| own || !tegra);
    }
    let compiled = ptx.iter().any(|p| !p.exact && (p.major, p.minor) <= (sm.major, sm.minor));
    match (compiled, ptx_unknown) {
        (true, _) => Some(true),
        (false, true) => None,
        (false, false) => Some(false),
    }
}

/// The same of a release: PTX that is not known cannot be older than what the compiler of its CUDA has targets for.
pub(crate) fn release_runs_on(release: &Release, sm: Sm, tegra: bool) -> Option<bool> {
    runs_on(release.kernels, sm, tegra).or_else(|| {
        let Kernels::Known { ptx_unknown: true, .. } = release.kernels else { return None };
        let toolkit = knowledge::toolkit(&release.cuda()?)?;
        let newer = toolkit.sms.iter().all(|target| (target.major, target.minor) > (sm.major, sm.minor));
        (newer && !tegra).then_some(false)
    })
}

/// The architectures in a build, in words: `sm_50 … sm_90, PTX 9.0`.
pub(crate) fn carried(kernels: Kernels) -> String {
    let Kernels::Known { code, ptx, .. } = kernels else { return String::new() };
    let mut words: Vec<String> =
        code.iter().map(|c| format!("sm_{}{}{}", c.major, c.minor, if c.exact { "a" } else { "" })).collect();
    words.extend(ptx.iter().map(|p| format!("PTX {}.{}", p.major, p.minor)));
    words.join(" ")
}

/// The newest release of a package that requires another one (torch, for torchvision) by its exact version.
pub(crate) fn partner(package: &str, of: &str, version: &Version) -> Option<&'static str> {
    let rows = knowledge::releases(package);
    rows.iter().rev().find(|release| is_made_for(release, of, version)).map(|release| release.version)
}

/// Whether a release requires a package by its exact version.
pub(crate) fn is_made_for(release: &'static Release, package: &str, version: &Version) -> bool {
    demands(release, package).any(|wants| wants.pin().is_some_and(|pin| pin.public() == *version))
}

/// Whether a release goes with a version of a package, as far as it says.
pub(crate) fn goes_with(release: &'static Release, package: &str, version: &Version) -> bool {
    demands(release, package).all(|wants| wants.public().admits(version))
}

/// What a release demands of a package.
pub(crate) fn demands(release: &'static Release, package: &str) -> impl Iterator<Item = Specifiers> {
    let all = resolve::requirements(release);
    let of_it = all.iter().filter_map(|(_, parsed)| match &parsed.subject {
        Subject::Package { name, wants, .. } => (name == package).then(|| wants.clone()),
        _ => None,
    });
    of_it.collect::<Vec<_>>().into_iter()
}

/// The driver from which on all of an environment runs, as far as it is known; `None` where nothing needs one.
pub(crate) fn driver(env: &Environment) -> Option<DriverVersion> {
    let components = env.components.iter().filter(|component| !component.may_be_another());
    let builds = components.filter_map(|component| component.builds.only().or_else(|| component.builds.today()));
    let bounds = builds.filter_map(|build| DriverVersion::parse(knowledge::driver_bound(&build.cuda()?)?.linux));
    bounds.reduce(|one, other| if one.order(&other).is_lt() { other } else { one })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn sm(major: u8, minor: u8) -> Sm {
        Sm { major, minor, exact: false }
    }

    #[test]
    fn code_runs_within_a_major() {
        static CODE: [Sm; 3] = [sm(8, 0), sm(8, 6), Sm { major: 9, minor: 0, exact: true }];
        static PTX: [Sm; 1] = [sm(9, 0)];
        let known = |ptx, ptx_unknown| Kernels::Known { code: &CODE, ptx, ptx_unknown };
        assert_eq!(runs_on(known(&[], false), sm(8, 9), false), Some(true), "sm_86 code on sm_89");
        assert_eq!(runs_on(known(&[], false), sm(7, 5), false), Some(false));
        assert_eq!(runs_on(known(&[], false), sm(9, 0), false), Some(true), "sm_90a on its own chip");
        assert_eq!(runs_on(known(&[], false), sm(12, 0), false), Some(false));
        assert_eq!(runs_on(known(&PTX, false), sm(12, 0), false), Some(true), "PTX is compiled");
        assert_eq!(runs_on(known(&[], true), sm(12, 0), false), None, "PTX not known");
        assert_eq!(runs_on(known(&[], false), sm(8, 7), true), None, "Orin is disputed");
        assert_eq!(runs_on(Kernels::Unknown, sm(8, 0), false), None);
    }
}
