//! What a package's files are, and what is compiled where it is installed.

use super::rows::{ModuleOwner, SourceBuild};
use super::tables::{BUILD_VARIABLES, CONDA_TOOLKITS, MODULE_OWNERS, SOURCE_BUILDS, SOURCE_REPOSITORIES};
use crate::notation::requirement;

/// The module whose files a package's wheels are; `None` for a package that the tables do not have.
#[must_use]
pub fn module_owner(package: &str) -> Option<&'static ModuleOwner> {
    MODULE_OWNERS.binary_search_by(|row| row.package.cmp(package)).ok().map(|at| &MODULE_OWNERS[at])
}

/// The package of a module that is made for a CUDA major, where there is one alone.
#[must_use]
pub fn owner_for(module: &str, cuda: &str) -> Option<&'static str> {
    let mut owners = MODULE_OWNERS.iter().filter(|row| row.module == module && row.cuda == cuda);
    owners.next().filter(|_| owners.next().is_none()).map(|row| row.package)
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

/// The package whose sources lie at an address: `git+https://github.com/pytorch/pytorch.git@v2.6.0`, an archive of it.
#[must_use]
pub fn package_at(url: &str) -> Option<&'static str> {
    let (_, rest) = url.split_once("://")?;
    // Who logs in is no part of it.
    let rest = rest.split_once('@').filter(|(user, _)| !user.contains('/')).map_or(rest, |(_, rest)| rest);
    let path = rest.split(['@', '#', '?']).next()?;
    let mut parts = path.splitn(4, '/');
    let (host, owner, name) = (parts.next()?, parts.next()?, parts.next()?);
    let repository = format!("{host}/{owner}/{}", name.strip_suffix(".git").unwrap_or(name));
    sources().find(|(known, _)| known.eq_ignore_ascii_case(&repository)).map(|(_, package)| package)
}

/// The package whose sources a folder may hold, that is called as their clone: `third_party/pytorch`.
#[must_use]
pub fn package_cloned_to(folder: &str) -> Option<&'static str> {
    let folder = folder.trim_end_matches('/');
    let called = |path: &str, known: &str| {
        let last = path.rsplit('/').next().unwrap_or_default();
        known.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(last))
    };
    let within = SOURCE_BUILDS.iter().filter(|row| !row.folder.is_empty()).find(|row| {
        let top = folder.strip_suffix(row.folder).and_then(|top| top.strip_suffix('/'));
        top.is_some_and(|top| row.repositories.iter().any(|known| called(top, known)))
    });
    if let Some(row) = within {
        return Some(row.name);
    }
    let is_clone = |known: &str| called(folder, known);
    sources().find(|(known, _)| is_clone(known)).map(|(_, package)| package)
}

/// What is compiled in a folder, that is called like it or as the clone of its repository.
#[must_use]
pub fn source_build_in(folder: &str) -> Option<&'static SourceBuild> {
    let last = folder.trim_end_matches('/').rsplit('/').next()?;
    source_build(&requirement::normalise(last)).or_else(|| source_build(package_cloned_to(folder)?))
}

fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    let compiled = SOURCE_BUILDS.iter().flat_map(|row| row.repositories.iter().map(|repository| (*repository, row.name)));
    SOURCE_REPOSITORIES.iter().copied().chain(compiled)
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
    fn where_sources_lie() {
        for (url, package) in [
            ("git+https://github.com/pytorch/pytorch", Some("torch")),
            ("git+https://me:x@github.com/PyTorch/pytorch.git@v2.6.0#egg=y", Some("torch")),
            ("git+ssh://git@github.com/pytorch/vision", Some("torchvision")),
            ("https://github.com/pytorch/pytorch/archive/refs/tags/v2.1.0.tar.gz", Some("torch")),
            ("git+https://github.com/Dao-AILab/flash-attention", Some("flash-attn")),
            ("git+https://github.com/company/pytorch", None),
            ("github.com/pytorch/pytorch", None),
        ] {
            assert_eq!(package_at(url), package, "{url}");
        }
        let folders = ["pytorch", "third_party/pytorch/", "./vision", "flash-attention", "src", ""];
        let cloned = folders.map(package_cloned_to);
        assert_eq!(cloned, [Some("torch"), Some("torch"), Some("torchvision"), Some("flash-attn"), None, None]);
    }

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
