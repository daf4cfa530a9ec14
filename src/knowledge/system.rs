//! What a package of the operating system puts in place.

use super::rows::SystemPackage;
use super::tables::SYSTEM_PACKAGES;
use crate::version::{CudaVersion, LibraryVersion};

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

/// Whether a package, a file or a module is cuDNN by its name.
#[must_use]
pub fn is_of_cudnn(name: &str) -> bool {
    name.to_ascii_lowercase().contains("cudnn")
}

/// The release of cuDNN that the name of a package, a file or a module tells: `libcudnn8=8.9.6.50-1+cuda11.8`, `cudnn9-cuda-12`,
/// `cudnn-linux-x86_64-8.9.2.26_cuda12-archive.tar.xz`, `cuDNN/8.9.2.26-CUDA-12.1.1`; `None` where it tells none.
#[must_use]
pub fn cudnn_of(name: &str) -> Option<LibraryVersion> {
    let name = name.to_ascii_lowercase();
    let from = &name[name.find("cudnn")?..];
    let words: Vec<&str> = from.split(['-', '_', '=', '/', '+', '@', ':']).collect();
    let number = |word: &str| {
        let digits = word.trim_start_matches(['v', '~']).trim_end_matches(|c: char| !c.is_ascii_digit());
        LibraryVersion::parse(digits).filter(LibraryVersion::has_minor)
    };
    // What stands behind `cuda` is CUDA's own number.
    let of_cuda = |at: usize| at > 0 && words[at - 1] == "cuda";
    let told = words.iter().enumerate().filter(|(at, _)| !of_cuda(*at));
    let full: Vec<LibraryVersion> = told.filter_map(|(_, word)| number(word)).collect();
    // `cudnn-11.0-linux-x64-v8.0.4.30.tgz` has CUDA's first.
    if words.iter().any(|word| word.starts_with('v') && number(word).is_some()) {
        return full.last().copied();
    }
    let own = words[0].trim_start_matches("cudnn");
    let digits = own.find(|c: char| !c.is_ascii_digit() && c != '.').map_or(own, |end| &own[..end]);
    full.first().copied().or_else(|| LibraryVersion::parse(digits.trim_matches('.')))
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
    fn releases_of_cudnn_in_names() {
        for (name, version) in [
            ("libcudnn8=8.9.6.50-1+cuda11.8", Some("8.9.6.50")),
            ("libcudnn8", Some("8")),
            ("libcudnn8-dev", Some("8")),
            ("cudnn9-cuda-12", Some("9")),
            ("libcudnn9-cuda-12=9.1.0.70-1", Some("9.1.0.70")),
            ("cudnn", None),
            ("cudnn-cuda-12", None),
            ("nvidia-cudnn", None),
            ("cuDNN/8.9.2.26-CUDA-12.1.1", Some("8.9.2.26")),
            ("cudnn/8.6", Some("8.6")),
            ("cudnn-linux-x86_64-8.9.2.26_cuda12-archive.tar.xz", Some("8.9.2.26")),
            ("cudnn-11.0-linux-x64-v8.0.4.30.tgz", Some("8.0.4.30")),
            ("cudnn-local-repo-ubuntu2204-9.1.0_1.0-1_amd64.deb", Some("9.1.0")),
            ("libcudnn8_8.9.7.29-1+cuda12.2_amd64.deb", Some("8.9.7.29")),
            ("libcudnn.so.8", None),
            ("cuda-toolkit-12-4", None),
            ("", None),
        ] {
            assert_eq!(cudnn_of(name).map(|v| v.to_string()).as_deref(), version, "{name}");
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
