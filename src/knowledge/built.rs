//! What a package's files are, and what is compiled where it is installed.

use super::rows::{ModuleOwner, SourceBuild};
use super::tables::{BUILD_VARIABLES, CONDA_TOOLKITS, MODULE_OWNERS, SOURCE_BUILDS};

/// The module whose files a package's wheels are; `None` for a package that the tables do not have.
#[must_use]
pub fn module_owner(package: &str) -> Option<&'static ModuleOwner> {
    MODULE_OWNERS.binary_search_by(|row| row.package.cmp(package)).ok().map(|at| &MODULE_OWNERS[at])
}

/// What is known of compiling a package, by its normalised name.
#[must_use]
pub fn source_build(name: &str) -> Option<&'static SourceBuild> {
    SOURCE_BUILDS.binary_search_by(|row| row.name.cmp(name)).ok().map(|at| &SOURCE_BUILDS[at])
}

/// The same by its repository's address, without scheme: a final `.git`, a slash and what follows an `@` do not matter.
#[must_use]
pub fn source_build_of(repository: &str) -> Option<&'static SourceBuild> {
    let path = repository.split(['@', '#', '?']).next()?.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    SOURCE_BUILDS.iter().find(|row| row.repositories.iter().any(|known| known.eq_ignore_ascii_case(path)))
}

/// Whether a conda package brings an nvcc.
#[must_use]
pub fn is_conda_toolkit(name: &str) -> bool {
    CONDA_TOOLKITS.binary_search(&name).is_ok()
}

/// The variables that builds read, sorted by name.
#[must_use]
pub fn build_variables() -> &'static [&'static str] {
    BUILD_VARIABLES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Nvcc;

    #[test]
    fn owners_of_one_module() {
        let module = |package: &str| module_owner(package).map(|row| (row.module, row.cuda));
        for (package, owned) in [
            ("onnxruntime", Some(("onnxruntime", ""))),
            ("onnxruntime-gpu", Some(("onnxruntime", ""))),
            ("cupy-cuda12x", Some(("cupy", "12"))),
            ("cupy-cuda102", Some(("cupy", "10"))),
            ("cupy-cuda117", Some(("cupy", "11"))),
            ("faiss-gpu-cu11", Some(("faiss", "11"))),
            ("spconv-cu120", Some(("spconv", "12"))),
            ("nvidia-cudnn-cu12", Some(("nvidia.cudnn", "12"))),
            ("nvidia-cublas-cu12", None),
            ("numpy", None),
        ] {
            assert_eq!(module(package), owned, "{package}");
        }
        assert_eq!(module_owner("tensorflow-gpu").map(|row| row.until), Some("2.11.0"));
    }

    #[test]
    fn builds_by_name_and_by_repository() {
        assert_eq!(source_build("deepspeed").map(|row| row.nvcc), Some(Nvcc::Asked("DS_BUILD_OPS")));
        assert_eq!(source_build("detectron2").map(|row| (row.nvcc, row.forced_by)), Some((Nvcc::IfThere, "FORCE_CUDA")));
        assert!(source_build("torch").is_none());
        for (address, name) in [
            ("github.com/facebookresearch/detectron2.git", Some("detectron2")),
            ("github.com/nvlabs/tiny-cuda-nn/", Some("tinycudann")),
            ("github.com/Dao-AILab/flash-attention.git@v2.5.8", Some("flash-attn")),
            ("gitlab.inria.fr/bkerbl/simple-knn.git", Some("simple-knn")),
            ("github.com/facebookresearch", None),
            ("", None),
        ] {
            assert_eq!(source_build_of(address).map(|row| row.name), name, "{address}");
        }
    }
}
