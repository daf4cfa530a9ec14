//! What is known of machines that services lend or keep: Colab's, CI's.

use super::tables::SERVICE_VARIABLES;

/// Whether a variable is one that only such machines set.
#[must_use]
pub fn is_of_service(variable: &str) -> bool {
    SERVICE_VARIABLES.binary_search_by(|(known, _)| (*known).cmp(variable)).is_ok()
}

/// The variables that a service (`github`, `gitlab`) sets to `true` in each of its jobs.
pub fn set_by_service(service: &'static str) -> impl Iterator<Item = &'static str> {
    SERVICE_VARIABLES.iter().filter(move |(_, services)| services.contains(&service)).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables() {
        for (name, known) in [("CI", true), ("COLAB_GPU", true), ("CIRCUS", false), ("", false)] {
            assert_eq!(is_of_service(name), known, "{name}");
        }
        assert_eq!(set_by_service("gitlab").collect::<Vec<_>>(), ["CI", "GITLAB_CI"]);
    }
}
