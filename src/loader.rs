//! Who finds which library: what the loader's path puts before a wheel's own copies.
//! Source: ld.so(8), "The dynamic linker searches": DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache.

use crate::environment::{Build, Environment, Setting};
use crate::knowledge::{Found, Library};

/// `LD_LIBRARY_PATH`, where it holds the library folder of a conda environment.
pub(crate) fn conda_library_path(env: &Environment) -> Option<&Setting> {
    let folder = |folder: &str| is_conda_library_folder(folder) || env.base && is_library_folder_of_base(folder);
    env.variables.get("LD_LIBRARY_PATH").filter(|path| path.written.split(':').any(folder))
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
    fn folders() {
        let conda = is_conda_library_folder;
        assert!(conda("${CONDA_PREFIX}/lib") && conda("/opt/conda/envs/x/lib/") && conda("${HOME}/miniconda3/envs/x/lib"));
        let base = is_library_folder_of_base;
        assert!(base("/opt/conda/lib") && base("${HOME}/miniconda3/lib/") && base("/root/miniforge3/lib"));
        assert!(!base("/opt/conda/envs/x/lib") && !base("${CONDA_PREFIX}/lib") && !base("/usr/lib") && !base("/opt/conda/lib64"));
        assert!(!conda("/usr/local/cuda/lib64") && !conda("${CONDA_PREFIX}/lib64") && !conda(""));
    }
}
