//! What is known of files that lie outside a project: those that shells read, and those that installers obey.

use super::tables::{CONFIGURATION_FILES, SHELL_FILES};

/// Whether a file is one that a tool writes for shells, and that says nothing of where packages come from.
#[must_use]
pub fn is_shell_file(path: &str) -> bool {
    SHELL_FILES.iter().any(|end| path.ends_with(end))
}

/// The variable that says of an installer's own configuration file that another is in force, or says the same.
#[must_use]
pub fn configuration_variable(name: &str) -> Option<&'static str> {
    CONFIGURATION_FILES.binary_search_by(|(known, _)| (*known).cmp(name)).ok().map(|at| CONFIGURATION_FILES[at].1)
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
    }
}
