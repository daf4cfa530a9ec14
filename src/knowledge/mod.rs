//! Typed access to the tables in `rules/knowledge`. The only module that knows version facts.

mod built;
mod container;
mod files;
mod gpu;
mod gpu_name;
mod gpu_near;
mod image;
mod index;
mod node;
mod rows;
mod service;
mod system;
mod tables;

pub use built::{
    build_variables, is_conda_toolkit, module_owner, owner_for, package_at, package_cloned_to, source_build, source_build_in,
    source_build_of,
};
pub use container::{capability_users, cpu_image, image_variables, is_without_kernels};
pub use files::{
    Brings, configuration_variable, configured_index, feature_brings, fetches_no_packages, is_shell_file, module_brings,
    module_toolkit,
};
pub use gpu::{chips, gpu, is_chip, oldest_sm};
pub use gpu_near::gpus_near;
pub use image::{cuda_version, image, image_gone, image_list, is_bare, is_musl, is_of_cuda, libc, system_of, system_python};
pub use index::{index, index_by_id, index_of_file, is_pypi_by_name, is_tag, mirrored, serves, serves_as_pypi, unlisted_tag};
pub use node::{gpu_of_node, is_same_model, node_label};
pub use rows::*;
pub use service::{is_of_service, set_by_service};
pub use system::{cudnn_of, is_of_cudnn, release_of_package, system_package, system_package_on};

use crate::version::{CudaVersion, DriverVersion, Specifiers, Version};

/// The rows under a name in a table that is sorted by name.
fn under<T>(table: &'static [(&'static str, &'static [T])], name: &str) -> &'static [T] {
    table.binary_search_by(|(known, _)| (*known).cmp(name)).map_or(&[], |at| table[at].1)
}

/// All builds of a package, in the order of the tables (rising versions); empty for an unknown package.
#[must_use]
pub fn releases(package: &str) -> &'static [Release] {
    under(tables::RELEASES, package)
}

/// The Python distribution that a conda package (`conda:pytorch`) installs: pip counts it as there. By its own name where
/// the tables say no other.
#[must_use]
pub fn provides(package: &str) -> Option<&str> {
    let own = package.strip_prefix("conda:")?;
    Some(releases(package).first().map(|row| row.provides).filter(|name| !name.is_empty()).unwrap_or(own))
}

/// The package that each release of this one is made to go with: torch, for torchvision.
#[must_use]
pub fn companion_of(package: &str) -> Option<&'static str> {
    tables::COMPANIONS.binary_search_by(|(name, _)| (*name).cmp(package)).ok().map(|at| tables::COMPANIONS[at].1)
}

/// The release of a package from which on all are in the tables, up to their date; `None` where that is true of none.
#[must_use]
pub fn complete_since(package: &str) -> Option<&'static str> {
    tables::COMPLETE.binary_search_by(|(name, _)| (*name).cmp(package)).ok().map(|at| tables::COMPLETE[at].1)
}

/// The platforms for which the rows of a package name everything that has wheels, where PyPI has of it wheels only, none of them
/// for musl; `None` for a package with sources, and where that is not known.
#[must_use]
pub fn wheels_only(package: &str) -> Option<Platforms> {
    let at = tables::WHEELS_ONLY.binary_search_by(|(name, _)| (*name).cmp(package)).ok()?;
    Some(tables::WHEELS_ONLY[at].1)
}

/// The row of a name under which PyPI has only packages that refuse to be installed.
#[must_use]
pub fn withdrawn(package: &str) -> Option<&'static Withdrawn> {
    let at = tables::WITHDRAWN.binary_search_by(|row| row.package.cmp(package)).ok()?;
    Some(&tables::WITHDRAWN[at])
}

/// The key of packages, or the package that brings it, that lies at an address.
#[must_use]
pub fn signing_key(url: &str) -> Option<&'static SigningKey> {
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    let (folder, name) = address.rsplit_once('/')?;
    tables::SIGNING_KEYS.iter().find(|key| name.starts_with(key.name) && folder.starts_with(key.below))
}

/// Whether some release of a package, which need not be in the tables, requires a torch below some version.
#[must_use]
pub fn may_bound_torch(package: &str) -> bool {
    tables::TORCH_BOUNDS.binary_search(&package).is_ok()
}

/// Whether a torch for Linux on `x86_64` is compiled with C++11's ABI: a wheel by its tag, or that of an image's repository;
/// `None` where that is not known.
#[must_use]
pub fn has_cxx11_abi(torch: &Version, tag: &str, image: &str) -> Option<bool> {
    let fits = |row: &&TorchAbi| {
        let tags = row.tags.is_empty() || row.tags.contains(&tag);
        row.image == image && tags && Specifiers::parse(row.releases).is_ok_and(|releases| releases.admits(torch))
    };
    tables::TORCH_ABIS.iter().find(fits).map(|row| row.cxx11)
}

/// How a release of a companion compares its CUDA with torch's when it is imported; `None` for those that do not.
#[must_use]
pub fn cuda_check(package: &str, version: &Version) -> Option<CudaCheck> {
    let admits = |releases: &str| Specifiers::parse(releases).is_ok_and(|releases| releases.admits(version));
    let row = tables::CUDA_CHECKS.iter().find(|(name, releases, _)| *name == package && admits(releases))?;
    Some(if row.2 { CudaCheck::Minor } else { CudaCheck::Major })
}

/// The packages whose releases are made to go with those of this one.
pub fn companions_of(package: &str) -> impl Iterator<Item = &'static str> {
    tables::COMPANIONS.iter().filter(move |(_, of)| *of == package).map(|(name, _)| *name)
}

/// The names of all packages that have releases, sorted.
pub fn packages() -> impl Iterator<Item = &'static str> {
    tables::RELEASES.iter().map(|(name, _)| *name)
}

/// All indexes, sorted by id.
#[must_use]
pub fn indexes() -> &'static [Index] {
    tables::INDEXES
}

/// All images by repository: exact tags first, then those with a `*`, the longest first.
#[must_use]
pub fn images() -> &'static [(&'static str, &'static [Image])] {
    tables::IMAGES
}

/// All GPU products, sorted by name.
#[must_use]
pub fn gpus() -> &'static [Gpu] {
    tables::GPUS
}

/// The row that bounds the driver for a CUDA release: by major from 11 on (11.0 apart), by minor before.
/// For a bare 11 it is the lower bound, that of 11.0.
#[must_use]
pub fn driver_bound(cuda: &CudaVersion) -> Option<&'static DriverBound> {
    let of = match (cuda.major(), cuda.minor()) {
        (11, Some(0) | None) => "11.0".to_owned(),
        (11.., _) => cuda.major().to_string(),
        (_, Some(_)) => cuda.minor_only().to_string(),
        (_, None) => return None,
    };
    tables::DRIVER_BOUNDS.iter().find(|row| row.cuda == of)
}

/// All driver bounds, oldest CUDA first.
#[must_use]
pub fn driver_bounds() -> &'static [DriverBound] {
    tables::DRIVER_BOUNDS
}

/// Whether all minors of a major of CUDA have one driver bound, and libraries of one name: from 11 on.
#[must_use]
pub fn goes_by_major(cuda: u32) -> bool {
    let major = cuda.to_string();
    tables::DRIVER_BOUNDS.iter().any(|row| row.cuda == major)
}

/// The CUDA version that a Linux driver reports.
#[must_use]
pub fn driver_cuda(driver: &DriverVersion) -> Option<CudaVersion> {
    let at = tables::DRIVER_BRANCHES.binary_search_by_key(&driver.branch(), |row| row.branch.into()).ok()?;
    CudaVersion::parse(tables::DRIVER_BRANCHES[at].cuda)
}

/// Whether a word of a file's name says that it is meant for chips which are no NVIDIA GPUs.
#[must_use]
pub fn is_other_hardware(word: &str) -> bool {
    tables::OTHER_HARDWARE.binary_search(&word).is_ok()
}

/// Whether words of a file's name, one or several with blanks between, say that it is meant for a machine which is no host
/// of the user's: one that a service lends, a telephone.
#[must_use]
pub fn is_other_machine(words: &str) -> bool {
    tables::OTHER_MACHINES.binary_search(&words).is_ok()
}

/// All driver branches, oldest first.
#[must_use]
pub fn driver_branches() -> &'static [DriverBranch] {
    tables::DRIVER_BRANCHES
}

/// The oldest driver branch of the tables.
#[must_use]
pub fn oldest_branch() -> Option<u32> {
    tables::DRIVER_BRANCHES.iter().map(|row| row.branch.into()).min()
}

/// The newest driver branch of the tables.
#[must_use]
pub fn newest_branch() -> Option<u32> {
    tables::DRIVER_BRANCHES.iter().map(|row| row.branch.into()).max()
}

/// Driver branches on which `cuda-compat` of a CUDA release works (data-centre GPUs); empty = not known.
#[must_use]
pub fn forward_compat_branches(cuda: &CudaVersion) -> &'static [u16] {
    let of = cuda.minor_only().to_string();
    tables::FORWARD_COMPAT.iter().find(|(known, _)| *known == of).map_or(&[], |(_, branches)| branches)
}

/// Whether some `cuda-compat` that meets `wanted` works on a driver branch (data-centre GPUs).
#[must_use]
pub fn some_forward_compat(branch: u32, wanted: impl Fn(&CudaVersion) -> bool) -> bool {
    let works = |branches: &[u16]| branches.iter().any(|b| u32::from(*b) == branch);
    tables::FORWARD_COMPAT.iter().any(|(cuda, branches)| works(branches) && CudaVersion::parse(cuda).is_some_and(|c| wanted(&c)))
}

/// What the nvcc of a CUDA release compiles for; `None` for a release that is not in the tables.
#[must_use]
pub fn toolkit(cuda: &CudaVersion) -> Option<&'static Toolkit> {
    let of = cuda.minor_only().to_string();
    tables::TOOLKITS.iter().find(|row| row.cuda == of)
}

/// All toolkits, oldest first.
#[must_use]
pub fn toolkits() -> &'static [Toolkit] {
    tables::TOOLKITS
}

/// The text of a source.
#[must_use]
pub fn source(id: SourceId) -> &'static str {
    tables::SOURCES.get(usize::from(id)).copied().unwrap_or("")
}

/// The day of the tables: `2026-11-30`.
#[must_use]
pub fn date() -> &'static str {
    tables::DATE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuda(text: &str) -> CudaVersion {
        CudaVersion::parse(text).expect("a CUDA version")
    }

    #[test]
    fn bounds_go_by_major_from_eleven_on() {
        let table = [
            ("9.0", Some(("384.81", "385.54"))),
            ("10.2.89", Some(("440.33", "441.22"))),
            ("11.0", Some(("450.36.06", "451.22"))),
            ("11", Some(("450.36.06", "451.22"))),
            ("11.8", Some(("450.80.02", "452.39"))),
            ("12.4.1", Some(("525.60.13", "527.41"))),
            ("12", Some(("525.60.13", "527.41"))),
            ("13.2", Some(("580.65.06", "580"))),
            ("10", None),
            ("9.7", None),
            ("14.0", None),
        ];
        for (version, bound) in table {
            assert_eq!(driver_bound(&cuda(version)).map(|b| (b.linux, b.windows)), bound, "{version}");
        }
        assert_eq!(driver_bound(&cuda("12.1")).map(|b| b.windows_disputed), Some("528.33"));
    }

    #[test]
    fn a_driver_reports_the_cuda_of_its_branch() {
        let reports = |d: &str| driver_cuda(&DriverVersion::parse(d).expect("a driver")).map(|c| c.to_string());
        for (driver, known) in
            [("535.104.05", "12.2"), ("470", "11.4"), ("525.60.13", "12.0"), ("580.95", "13.0"), ("418.67", "10.1")]
        {
            assert_eq!(reports(driver).as_deref(), Some(known), "{driver}");
        }
        assert_eq!(reports("999.1"), None);
        assert_eq!(reports("536.25"), None, "a Windows number is no Linux branch");
    }

    #[test]
    fn forward_compatibility_is_per_release() {
        assert_eq!(forward_compat_branches(&cuda("12.6.3")), [470, 535, 550]);
        assert_eq!(forward_compat_branches(&cuda("13.0")), [535, 550, 565, 570, 575]);
        assert!(forward_compat_branches(&cuda("12")).is_empty());
        let from = |major| move |c: &CudaVersion| c.major() >= major;
        for (branch, major, some) in [(470, 12, true), (470, 13, false), (535, 13, true), (440, 12, false), (440, 11, true)] {
            assert_eq!(some_forward_compat(branch, from(major)), some, "{branch} {major}");
        }
    }

    #[test]
    fn toolkits_know_their_chips() {
        let knows = |c: &str, major, minor| toolkit(&cuda(c)).is_some_and(|t| t.sms.contains(&Sm { major, minor, exact: false }));
        assert!(knows("11.8", 8, 9) && !knows("11.7", 8, 9));
        assert!(knows("12.8", 12, 0) && !knows("12.6", 12, 0));
        assert!(knows("12.9", 7, 0) && !knows("13.0", 7, 0));
        assert!(toolkit(&cuda("12")).is_none());
    }

    #[test]
    fn what_goes_with_what() {
        assert_eq!(companion_of("torchvision"), Some("torch"));
        assert_eq!(companion_of("xformers"), None);
        for (package, distribution) in [("conda:pytorch", "torch"), ("conda:pytorch-gpu", "torch"), ("conda:numpy", "numpy")] {
            assert_eq!(provides(package), Some(distribution));
        }
        assert_eq!(provides("torch"), None);
    }

    #[test]
    fn sources_and_date() {
        assert_eq!(source(SourceId::MAX), "");
        assert_eq!(date(), "2026-11-30");
        assert!(releases("no-such-package").is_empty() && !releases("torch").is_empty());
    }
}
