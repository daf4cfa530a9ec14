//! Who finds which library: what the loader's path puts before a wheel's own copies.
//! Source: ld.so(8), "The dynamic linker searches": DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache.

use crate::environment::{Environment, Setting};

/// `LD_LIBRARY_PATH`, where it holds the library folder of a conda environment.
pub(crate) fn conda_library_path(env: &Environment) -> Option<&Setting> {
    env.variables.get("LD_LIBRARY_PATH").filter(|path| path.written.split(':').any(is_conda_library_folder))
}

fn is_conda_library_folder(folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    folder == "${CONDA_PREFIX}/lib" || (folder.ends_with("/lib") && folder.contains("/envs/"))
}

#[cfg(test)]
mod tests {
    use super::is_conda_library_folder as conda;

    #[test]
    fn folders() {
        assert!(conda("${CONDA_PREFIX}/lib") && conda("/opt/conda/envs/x/lib/") && conda("${HOME}/miniconda3/envs/x/lib"));
        assert!(!conda("/usr/local/cuda/lib64") && !conda("${CONDA_PREFIX}/lib64") && !conda(""));
    }
}
