//! What is known of what lies outside a project: files that shells read, those that installers obey, environment modules.

use super::rows::Module;
use super::tables::{CONFIGURATION_FILES, FEATURES, FETCHED_SCRIPTS, MODULES, SHELL_FILES};
use crate::version::CudaVersion;

/// Whether a file is one that a tool writes for shells, and that says nothing of where packages come from.
#[must_use]
pub fn is_shell_file(path: &str) -> bool {
    SHELL_FILES.iter().any(|end| path.ends_with(end))
}

/// Whether a script that is fetched from an address puts nothing into a Python environment which is there.
#[must_use]
pub fn fetches_no_packages(address: &str) -> bool {
    let bare = address.split_once("://").map_or(address, |(_, rest)| rest);
    let bare = bare.strip_prefix("www.").unwrap_or(bare);
    FETCHED_SCRIPTS.iter().any(|begin| bare.starts_with(begin))
}

/// The variable that says of an installer's own configuration file that another is in force, or says the same.
#[must_use]
pub fn configuration_variable(name: &str) -> Option<&'static str> {
    configuration_file(name).map(|(_, variable, _)| *variable)
}

/// The variable that names the index which an installer's own configuration file may name.
#[must_use]
pub fn configured_index(name: &str) -> Option<&'static str> {
    configuration_file(name).map(|(_, _, index)| *index).filter(|index| !index.is_empty())
}

fn configuration_file(name: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    CONFIGURATION_FILES.binary_search_by(|(known, ..)| (*known).cmp(name)).ok().map(|at| &CONFIGURATION_FILES[at])
}

/// What an environment module, or a dev container's feature, brings of Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brings {
    /// None of it: `cuda/12.1`, `GCC@12.3.0`.
    Nothing,
    /// A Python of the version that is asked for.
    Python,
    /// A conda, with a Python and packages of its own.
    Conda,
}

/// What a dev container's feature brings of Python; `None` where that is not known. Its version does not matter.
#[must_use]
pub fn feature_brings(name: &str) -> Option<Brings> {
    let last = name.rfind('/').map_or(0, |slash| slash + 1);
    let end = name[last..].find([':', '@']).map_or(name.len(), |end| last + end);
    FEATURES.binary_search_by(|(known, _)| (*known).cmp(&name[..end])).ok().map(|at| FEATURES[at].1)
}

/// What an environment module brings of Python; `None` where that is not known. The number in `cuda10.2/toolkit`, `miniconda3`,
/// `gcc-11.2` says which of its releases it is.
#[must_use]
pub fn module_brings(name: &str) -> Option<Brings> {
    let (row, version) = module(name)?;
    (row.toolchain.is_empty() || version.split('-').any(|part| part == row.toolchain)).then_some(row.brings)
}

/// The release of CUDA whose nvcc an environment module brings, where its name tells; `None` for one that brings no nvcc.
#[must_use]
pub fn module_toolkit(name: &str) -> Option<Option<CudaVersion>> {
    let (row, version) = module(name)?;
    // `cuda10.2/toolkit` has its number in the name.
    let number = |text: &str| CudaVersion::parse(text.trim_start_matches(|c: char| !c.is_ascii_digit()).split('-').next()?);
    row.nvcc.then(|| number(version).or_else(|| number(name.split(['/', '@']).next()?)))
}

/// A row, with the version behind the name.
fn module(name: &str) -> Option<(&'static Module, &str)> {
    let (name, version) = name.split_once(['/', '@']).unwrap_or((name, ""));
    let name = name.to_lowercase();
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let known = |name: &str| MODULES.binary_search_by(|row| row.name.cmp(name)).ok().map(|at| &MODULES[at]);
    known(&name).or_else(|| known(bare)).map(|row| (row, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tools() {
        for (path, known) in [("/root/.bashrc", true), ("/opt/ros/humble/setup.bash", true), ("env.sh", false), ("", false)] {
            assert_eq!(is_shell_file(path), known, "{path}");
        }
        for (address, known) in [
            ("https://astral.sh/uv/0.5.4/install.sh", true),
            ("https://www.sh.rustup.rs", true),
            ("get.docker.com", true),
            ("https://example.com/astral.sh/uv/install.sh", false),
        ] {
            assert_eq!(fetches_no_packages(address), known, "{address}");
        }
        assert_eq!(configuration_variable("pip.conf"), Some("PIP_CONFIG_FILE"));
        assert_eq!(configuration_variable("npmrc"), None);
        assert_eq!(configured_index("uv.toml"), Some("UV_INDEX_URL"));
        assert_eq!(configured_index(".condarc"), None);
    }

    #[test]
    fn features() {
        for (name, brings) in [
            ("ghcr.io/devcontainers/features/python:1", Some(Brings::Python)),
            ("ghcr.io/devcontainers/features/conda", Some(Brings::Conda)),
            ("ghcr.io/devcontainers/features/nvidia-cuda:1.2.3", Some(Brings::Nothing)),
            ("ghcr.io/devcontainers/features/git@sha256:0", Some(Brings::Nothing)),
            ("ghcr.io/others/features/git:1", None),
            ("./local", None),
            ("", None),
        ] {
            assert_eq!(feature_brings(name), brings, "{name}");
        }
    }

    #[test]
    fn modules() {
        for (name, brings) in [
            ("cuda/12.1", Some(Brings::Nothing)),
            ("GCC@12.3.0", Some(Brings::Nothing)),
            ("cuda10.2/toolkit/10.2.89", Some(Brings::Nothing)),
            ("gcc-11.2", Some(Brings::Nothing)),
            ("Miniconda3", Some(Brings::Conda)),
            // Sites give their own Python a configuration of pip; one that is named by its toolchain has none.
            ("python/3.11", None),
            ("Python/3.11.3-GCCcore-12.3.0", Some(Brings::Nothing)),
            ("PyTorch", None),
            ("", None),
        ] {
            assert_eq!(module_brings(name), brings, "{name}");
        }
    }
}
