//! Another build that a user may take instead of the one that breaks, and how it is asked for.

use crate::chain::{self, Driver};
use crate::environment::{Build, Component, Environment, Host, Reason};
use crate::knowledge::{self, Basis, Index, Kernels, Library, Release, Sm};
use crate::version::{CudaVersion, Version};

/// What another build must do.
pub(crate) struct Wanted<'a> {
    /// In which environment.
    pub(crate) env: &'a Environment,
    /// On which host: a build that its driver is too old for, or that has no code for one of its GPUs, helps nobody.
    pub(crate) host: &'a Host,
    /// The GPU that it must have machine code for.
    pub(crate) gpu: Option<Sm>,
}

impl Wanted<'_> {
    /// What to write instead of a build (`torch 2.7.0+cu128 from https://download.pytorch.org/whl/cu128`): of the same version
    /// the build with the newest CUDA that the host's driver runs; else the next newer version; else the newest older one.
    pub(crate) fn instead_of(&self, component: &Component, now: &Build) -> Option<String> {
        let driver = Driver::of(self.host);
        self.best(component, now, |cuda| driver.as_ref().is_none_or(|driver| driver.below(cuda) == Some(false)))
    }
    /// The same where the driver is raised.
    pub(crate) fn for_any_driver(&self, component: &Component, now: &Build) -> Option<String> {
        self.best(component, now, |_| true)
    }

    fn best(&self, component: &Component, now: &Build, runs: impl Fn(&CudaVersion) -> bool) -> Option<String> {
        let mine = now.version.public();
        let mut best: Option<(u8, Version, CudaVersion, &Release)> = None;
        // A library for frameworks has no kernels that could be missing.
        let library = now.release.kernels == Kernels::Unknown;
        for release in knowledge::releases(&component.name).iter().filter(|release| self.fits(release, library)) {
            let cuda = release.brings.iter().find(|part| part.library == Library::Cuda);
            let Some(cuda) = cuda.and_then(|part| CudaVersion::parse(part.version)) else { continue };
            let Some(version) = Version::parse(release.version) else { continue };
            if std::ptr::eq(release, now.release) || !runs(&cuda) {
                continue;
            }
            let rank = match version.cmp(&mine) {
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Less => 2,
            };
            let newer = |than: &CudaVersion| (cuda.major(), cuda.minor()) > (than.major(), than.minor());
            let better = best.as_ref().is_none_or(|(before, other, than, _)| match rank.cmp(before) {
                std::cmp::Ordering::Equal if version == *other => newer(than),
                std::cmp::Ordering::Equal => (version > *other) == (rank == 2),
                order => order.is_lt(),
            });
            if better {
                best = Some((rank, version, cuda, release));
            }
        }
        let (_, version, cuda, release) = best?;
        let name = component.name.trim_start_matches("conda:");
        // What an image brings is not asked for by its name.
        if matches!(component.evidence.reason, Reason::Image { .. }) {
            return Some(format!("an image with {name} {version} for CUDA {}", cuda.minor_only()));
        }
        // Nor is what the line's own package requires.
        let required = component.evidence.also.iter().find_map(|(at, reason)| match reason {
            Reason::Requires { by, .. } if *at == component.evidence.at => Some(by),
            _ => None,
        });
        let written = self.written(&component.name, now, &version, release);
        match required.and_then(|by| by.split(' ').next()) {
            Some(by) => Some(format!("a release of {by} that goes with {written}")),
            None => Some(written),
        }
    }

    fn fits(&self, release: &Release, library: bool) -> bool {
        let platform = &self.env.platform;
        let python = release.pythons.is_empty()
            || release.pythons.iter().any(|p| crate::platform::Pythons::parse(p).is_some_and(|set| set.meets(platform.wheels)));
        // Of what is not known to run nothing is advised.
        let runs = self.host.gpus.iter().all(|gpu| {
            let tegra = gpu.segment == Some(knowledge::Segment::Tegra);
            gpu.sm.is_none_or(|sm| library || chain::release_runs_on(release, sm, tegra) == Some(true))
        });
        // A GPU newer than a build may run its PTX; that is no advice.
        let own = |sm: Sm| match release.kernels {
            Kernels::Known { code, .. } => code.iter().any(|c| c.major == sm.major && c.minor <= sm.minor),
            _ => false,
        };
        let has_code = self.gpu.is_none_or(|sm| own(sm) && release.kernels_basis != Basis::Inferred);
        release.platforms.meets(platform.bits()) && python && runs && has_code
    }

    fn written(&self, package: &str, now: &Build, version: &Version, release: &Release) -> String {
        let name = package.trim_start_matches("conda:");
        let index = served_by(release);
        let local = index.filter(|index| index.local_versions).map_or(String::new(), |_| format!("+{}", release.tag));
        let mut written = format!("{name} {version}{local}");
        if local.is_empty() && index.is_none() && !release.tag.is_empty() {
            written += &format!(" ({})", release.tag);
        }
        if *version != now.version.public() {
            let goes_with = |companion: &&str| self.env.component(companion).is_some();
            let mut word = " with";
            for companion in knowledge::companions_of(package).filter(goes_with) {
                if let Some(partner) = chain::partner(companion, version) {
                    written += &format!("{word} {companion} {partner}");
                    word = " and";
                }
            }
        }
        match index {
            Some(index) if index.id == now.index => {}
            Some(index) if index.id == "pypi" => written += " from PyPI",
            Some(index) => written += &format!(" from https://{}", index.address),
            None => {}
        }
        written
    }
}

/// The index to name for a build: PyPI, or the one of its own CUDA.
fn served_by(release: &Release) -> Option<&'static Index> {
    let indexes = || release.indexes.iter().filter_map(|id| knowledge::index_by_id(id));
    let plain = indexes().find(|index| index.id == "pypi");
    plain.or_else(|| indexes().find(|index| index.tag == release.tag && !index.flat && !index.address.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_asked_for_where_it_is_served() {
        let of = |version: &str, tag: &str| {
            let row = knowledge::releases("torch").iter().find(|r| r.version == version && r.tag == tag).expect("in the tables");
            served_by(row).map(|index| index.id)
        };
        assert_eq!(of("2.7.0", "cu128"), Some("pytorch/cu128"));
        assert_eq!(of("2.7.0", "cu126"), Some("pypi"), "its plain build");
    }
}
