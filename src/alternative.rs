//! Another build that a user may take instead of the one that breaks, and how it is asked for.

use crate::chain::{self, Driver};
use crate::environment::{Build, Environment, Host};
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
    /// What to write (`torch 2.7.0+cu128 from https://download.pytorch.org/whl/cu128`): of the same version the build with
    /// the newest CUDA; else the next newer version; else the newest older one.
    pub(crate) fn instead_of(&self, package: &str, now: &Build) -> Option<String> {
        let driver = Driver::of(self.host);
        let mine = now.version.public();
        let mut best: Option<(u8, Version, CudaVersion, &Release)> = None;
        for release in knowledge::releases(package).iter().filter(|release| self.fits(release)) {
            let cuda = release.brings.iter().find(|part| part.library == Library::Cuda);
            let Some(cuda) = cuda.and_then(|part| CudaVersion::parse(part.version)) else { continue };
            let Some(version) = Version::parse(release.version) else { continue };
            if std::ptr::eq(release, now.release) || driver.as_ref().is_some_and(|d| d.below(&cuda) != Some(false)) {
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
        best.map(|(_, version, _, release)| self.written(package, now, &version, release))
    }

    fn fits(&self, release: &Release) -> bool {
        let platform = &self.env.platform;
        let python = release.pythons.is_empty()
            || release.pythons.iter().any(|p| crate::platform::Pythons::parse(p).is_some_and(|set| set.meets(platform.wheels)));
        let runs = self.host.gpus.iter().all(|gpu| {
            let tegra = gpu.segment == Some(knowledge::Segment::Tegra);
            gpu.sm.is_none_or(|sm| chain::runs_on(release.kernels, sm, tegra) != Some(false))
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
