//! Who finds which library: what the loader's path puts before a wheel's own copies.
//! Source: ld.so(8), "The dynamic linker searches": DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache.

use crate::environment::{Build, Environment, Setting};
use crate::knowledge::{Carries, Flavour, Found, Library};
use crate::version::CudaVersion;

/// `LD_LIBRARY_PATH`, where it holds the library folder of a conda environment.
pub(crate) fn conda_library_path(env: &Environment) -> Option<&Setting> {
    let folder = |folder: &str| is_conda_library_folder(folder) || env.base && is_library_folder_of_base(folder);
    env.variable("LD_LIBRARY_PATH").filter(|path| path.written.split(':').any(folder))
}

/// The libraries of a wheel that conda's replace when its folder is on `LD_LIBRARY_PATH` and their majors are equal:
/// those found by DT_RUNPATH or by their soname, not those found by DT_RPATH or under a hashed name.
pub(crate) fn replaced_by_conda(env: &Environment, toolkit: &Build, wheel: &Build) -> Vec<&'static str> {
    let open = wheel.release.brings.iter().filter(|part| part.found == Found::Runpath);
    let held = |library| toolkit.brings(library).is_some();
    open.filter_map(|part| match part.library {
        // cuBLAS's two halves find each other by soname: half of one release beside half of another fails.
        Library::Cublas => held(part.library).then_some("libcublasLt"),
        Library::NvJitLink => held(part.library).then_some("nvJitLink"),
        // These two are packages of their own.
        Library::Cudnn => env.component("conda:cudnn").map(|_| "cuDNN"),
        Library::Nccl => env.component("conda:nccl").map(|_| "NCCL"),
        Library::Cuda | Library::TensorRt => None,
    })
    .collect()
}

/// A toolkit of the system that a variable names by its release.
pub(crate) struct Named<'a> {
    /// The variable.
    pub(crate) variable: &'static str,
    /// Its release, as far as the path says.
    pub(crate) cuda: CudaVersion,
    /// The folder.
    pub(crate) folder: &'a str,
    /// With the place.
    pub(crate) setting: &'a Setting,
}

/// The variables by which builds find a toolkit, and the folder in it that their paths end in; empty = the toolkit itself.
/// Sources: <https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html#environment-setup>,
/// <https://cmake.org/cmake/help/latest/module/FindCUDAToolkit.html>,
/// <https://github.com/pytorch/pytorch/blob/v2.5.1/torch/utils/cpp_extension.py>.
const TOOLKIT_VARIABLES: [(&str, &[&str]); 6] = [
    ("CUDA_HOME", &[]),
    ("CUDA_PATH", &[]),
    ("CUDA_ROOT", &[]),
    ("CUDA_TOOLKIT_ROOT_DIR", &[]),
    ("PATH", &["bin"]),
    ("LD_LIBRARY_PATH", &["lib64", "lib"]),
];

/// The toolkits that an environment's variables name by their releases, in the order of each path.
pub(crate) fn named_toolkits(env: &Environment) -> Vec<Named<'_>> {
    let mut found = Vec::new();
    for (variable, ends) in TOOLKIT_VARIABLES {
        let Some(setting) = env.variable(variable) else { continue };
        for folder in setting.written.split(':') {
            let own = ends.is_empty() || ends.contains(&folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
            if let Some(cuda) = release_of_folder(folder).filter(|_| own) {
                found.push(Named { variable, cuda, folder, setting });
            }
        }
    }
    found
}

/// The toolkits whose libraries are on `LD_LIBRARY_PATH`, in its order: by the releases in their paths, or by that of the CUDA
/// image in which `/usr/local/cuda` lies.
pub(crate) fn toolkits_on_library_path(env: &Environment) -> Vec<Named<'_>> {
    const VARIABLE: &str = "LD_LIBRARY_PATH";
    let Some(setting) = env.variable(VARIABLE) else { return Vec::new() };
    let alone = !env.system.iter().any(|part| part.carries.contains(&Carries::Toolkit));
    let row = env.image.as_ref().and_then(|image| image.row).filter(|_| alone);
    let of_image =
        row.filter(|row| matches!(row.flavour, Flavour::Runtime | Flavour::Devel)).and_then(|row| CudaVersion::parse(row.cuda));
    let release = |folder: &str| {
        let own = || of_image.filter(|_| matches!(folder.trim_end_matches('/'), "/usr/local/cuda/lib64" | "/usr/local/cuda/lib"));
        release_of_folder(folder).or_else(own)
    };
    let folders = setting
        .written
        .split(':')
        .filter(|folder| matches!(folder.trim_end_matches('/').rsplit('/').next(), Some("lib64" | "lib")));
    folders.filter_map(|folder| Some(Named { variable: VARIABLE, cuda: release(folder)?, folder, setting })).collect()
}

/// The release of a toolkit, where the path of a folder in it says that: `/usr/local/cuda-12.1/lib64`, `/opt/cuda/11.8`.
pub(crate) fn release_of_folder(path: &str) -> Option<CudaVersion> {
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let part = part.to_ascii_lowercase();
        let Some(rest) = part.strip_prefix("cuda") else { continue };
        let number =
            if rest.is_empty() { parts.peek().copied().unwrap_or_default() } else { rest.trim_start_matches(['-', '_']) };
        if let Some(cuda) = CudaVersion::parse(number).filter(|_| number.starts_with(|c: char| c.is_ascii_digit())) {
            return Some(cuda);
        }
    }
    None
}

/// The libraries of a wheel that older ones of a toolkit of the same major take the place of when its folder is on
/// `LD_LIBRARY_PATH`: those found by DT_RUNPATH or by their soname.
pub(crate) fn replaced_by_toolkit(toolkit: &CudaVersion, wheel: &Build) -> Vec<&'static str> {
    let older = wheel.cuda().is_some_and(|own| {
        own.major() == toolkit.major() && toolkit.minor().is_some() && toolkit.minor_only().below(&own.minor_only()) == Some(true)
    });
    let open = wheel.release.brings.iter().filter(|part| older && part.found == Found::Runpath);
    open.filter_map(|part| match part.library {
        Library::Cublas => Some("libcublasLt"),
        Library::NvJitLink => Some("nvJitLink"),
        // These are no part of a toolkit, and of the runtime each wheel finds its own.
        Library::Cudnn | Library::Nccl | Library::TensorRt | Library::Cuda => None,
    })
    .collect()
}

fn is_conda_library_folder(folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    folder == "${CONDA_PREFIX}/lib" || (folder.ends_with("/lib") && folder.contains("/envs/"))
}

/// `/opt/conda/lib`, `${HOME}/miniconda3/lib`: where conda itself lies.
fn is_library_folder_of_base(folder: &str) -> bool {
    let Some(conda) = folder.trim_end_matches('/').strip_suffix("/lib").and_then(|conda| conda.rsplit('/').next()) else {
        return false;
    };
    let conda = conda.to_ascii_lowercase();
    ["conda", "mamba", "miniforge"].iter().any(|name| conda.contains(name)) && !conda.contains('$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_folders() {
        for (path, cuda) in [
            ("/usr/local/cuda-12.1/lib64", Some("12.1")),
            ("/usr/local/cuda-8.0", Some("8.0")),
            ("/opt/cuda/11.8.0/bin", Some("11.8.0")),
            ("/cm/shared/apps/cuda11.7/toolkit/11.7.1/bin", Some("11.7")),
            ("/usr/local/cuda-12/lib64", Some("12")),
            ("/usr/local/cuda/lib64", None),
            ("/usr/local/cuda-samples/bin", None),
            ("/home/me/cudatest-1.0/bin", None),
            ("${CUDA_HOME}/bin", None),
            ("", None),
        ] {
            assert_eq!(release_of_folder(path).map(|cuda| cuda.to_string()).as_deref(), cuda, "{path}");
        }
    }

    #[test]
    fn folders() {
        let conda = is_conda_library_folder;
        assert!(conda("${CONDA_PREFIX}/lib") && conda("/opt/conda/envs/x/lib/") && conda("${HOME}/miniconda3/envs/x/lib"));
        let base = is_library_folder_of_base;
        assert!(base("/opt/conda/lib") && base("${HOME}/miniconda3/lib/") && base("/root/miniforge3/lib"));
        assert!(!base("/opt/conda/envs/x/lib") && !base("${CONDA_PREFIX}/lib") && !base("/usr/lib") && !base("/opt/conda/lib64"));
        assert!(!conda("/usr/local/cuda/lib64") && !conda("${CONDA_PREFIX}/lib64") && !conda(""));
    }
}
