//! What is known of what lies outside a project: files that shells read, those that installers obey, environment modules.

use super::tables::{CONFIGURATION_FILES, MODULES_WITHOUT_PYTHON, SHELL_FILES};

/// Whether a file is one that a tool writes for shells, and that says nothing of where packages come from.
#[must_use]
pub fn is_shell_file(path: &str) -> bool {
    SHELL_FILES.iter().any(|end| path.ends_with(end))
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

/// Whether an environment module is known to bring no Python and none of its packages: `cuda/12.1`, `GCC@12.3.0`.
#[must_use]
pub fn module_without_python(name: &str) -> bool {
    let name = name.split(['/', '@']).next().unwrap_or_default().to_lowercase();
    MODULES_WITHOUT_PYTHON.binary_search(&name.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tools() {
        for (path, known) in [("/root/.bashrc", true), ("/opt/ros/humble/setup.bash", true), ("env.sh", false), ("", false)] {
            assert_eq!(is_shell_file(path), known, "{path}");
        }
        assert_eq!(configuration_variable("pip.conf"), Some("PIP_CONFIG_FILE"));
        assert_eq!(configuration_variable("npmrc"), None);
        assert_eq!(configured_index("uv.toml"), Some("UV_INDEX_URL"));
        assert_eq!(configured_index(".condarc"), None);
    }

    #[test]
    fn modules() {
        for (name, without) in
            [("cuda/12.1", true), ("GCC@12.3.0", true), ("python/3.11", false), ("PyTorch", false), ("", false)]
        {
            assert_eq!(module_without_python(name), without, "{name}");
        }
    }
}
