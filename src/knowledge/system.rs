//! What a package of the operating system puts in place.

use super::rows::SystemPackage;
use super::tables::SYSTEM_PACKAGES;
use crate::version::CudaVersion;

/// What a system package puts in place, wherever it is installed; a version (`=12.4.1-1`) and an architecture (`:amd64`) behind the name do not matter.
#[must_use]
pub fn system_package(name: &str) -> Option<&'static SystemPackage> {
    named(name).find(|row| row.systems.is_empty())
}

/// What a system package puts in place on a system (`ubuntu20.04`).
#[must_use]
pub fn system_package_on(system: &str, name: &str) -> Option<&'static SystemPackage> {
    named(name).find(|row| row.systems.is_empty() || row.systems.contains(&system))
}

fn named(name: &str) -> impl Iterator<Item = &'static SystemPackage> {
    let name = name.split(['=', ':']).next().unwrap_or(name).trim();
    SYSTEM_PACKAGES.iter().filter(move |row| stands_for(row.pattern, name))
}

/// `*` is a version part: numbers with dots and dashes.
fn stands_for(pattern: &str, name: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return pattern == name };
    name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).is_some_and(|version| {
        version.starts_with(|c: char| c.is_ascii_digit())
            && version.ends_with(|c: char| c.is_ascii_digit())
            && version.chars().all(|c| c.is_ascii_digit() || ".-".contains(c))
    })
}

/// The release of CUDA that the name or the version of a package of CUDA tells: `cuda-toolkit-12-4`, `cuda-nvcc-11-8=11.8.89-1`.
#[must_use]
pub fn release_of_package(name: &str) -> Option<CudaVersion> {
    let row = named(name).next()?;
    let (start, end) = row.pattern.split_once('*')?;
    let bare = name.split(['=', ':']).next()?.trim();
    let version = bare.strip_prefix(start)?.strip_suffix(end)?;
    CudaVersion::parse(&version.replace('-', "."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Carries::*;

    #[test]
    fn names() {
        let table = [
            ("cuda", Some(Driver)),
            ("cuda-12-4", Some(Driver)),
            ("cuda-drivers", Some(Driver)),
            ("cuda-drivers-535", Some(Driver)),
            ("cuda-runtime-12-4", Some(Driver)),
            ("nvidia-driver-535", Some(Driver)),
            ("nvidia-driver-535-server", Some(Driver)),
            ("nvidia-driver-580-server-open", Some(Driver)),
            ("nvidia-utils-470", Some(Driver)),
            ("libnvidia-compute-470:amd64", Some(Driver)),
            ("cuda-toolkit-12-4=12.4.1-1", Some(Toolkit)),
            ("cuda-toolkit-13", Some(Toolkit)),
            ("cuda-nvcc-11-8", Some(Toolkit)),
            ("nvidia-cuda-toolkit", Some(Toolkit)),
            ("cuda-compat-12-8", Some(ForwardCompat)),
            ("cuda-cudart-12-1", Some(Libraries)),
            ("libcublas-12-4", Some(Libraries)),
            ("libcudnn8=8.9.6.50-1+cuda11.8", Some(Cudnn)),
            ("cudnn9-cuda-12", Some(Cudnn)),
            ("libcudnn9-dev-cuda-13", Some(Cudnn)),
            ("libnccl2", Some(Nccl)),
            ("nvidia-utils", Some(Driver)),
            ("libnvidia-compute", Some(Driver)),
            ("libnvidia-gl-565", Some(Driver)),
            ("nvtop", None),
            ("cuda-keyring", None),
            ("cuda-toolkit-12-2-dev", None),
            ("nvidia-container-toolkit", None),
            ("nvidia-driver-", None),
            ("cuda-", None),
            ("", None),
            ("é", None),
        ];
        for (name, carries) in table {
            assert_eq!(system_package(name).map(|p| p.carries[0]), carries, "{name}");
        }
    }

    #[test]
    fn releases_in_names() {
        for (name, cuda) in [
            ("cuda-toolkit-12-4", Some("12.4")),
            ("cuda-nvcc-11-8=11.8.89-1", Some("11.8")),
            ("cuda-12-1", Some("12.1")),
            ("cuda-toolkit-13", Some("13")),
            ("cuda-toolkit", None),
            ("nvidia-cuda-toolkit", None),
            ("gcc-12", None),
        ] {
            assert_eq!(release_of_package(name).map(|c| c.to_string()).as_deref(), cuda, "{name}");
        }
    }

    #[test]
    fn some_only_on_one_system() {
        let on = |system: &str, name: &str| system_package_on(system, name).map(|p| p.carries[0]);
        assert_eq!(on("ubuntu20.04", "nvtop=1.0.0-1ubuntu2"), Some(Driver));
        assert_eq!(on("ubuntu22.04", "nvtop"), None);
        assert_eq!(on("ubuntu22.04", "cuda-drivers"), Some(Driver));
    }
}
