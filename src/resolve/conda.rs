//! Candidates of a conda package.

use crate::environment::{Build, Candidates};
use crate::knowledge;
use crate::notation::match_spec::MatchSpec;
use crate::platform::Platform;
use crate::version::{CondaVersion, Version};

/// The builds that a match spec admits, over all channels.
pub(crate) fn candidates(package: &str, spec: &MatchSpec, platform: &Platform) -> Candidates {
    let rows = knowledge::releases(package).iter().filter(|r| r.platforms.meets(platform.bits()));
    let mut builds: Vec<Build> = rows
        .filter(|r| CondaVersion::parse(r.version).is_some_and(|v| spec.admits(&v)))
        .filter_map(|release| Some(Build { version: Version::parse(release.version)?, index: release.indexes.first()?, release }))
        .collect();
    builds.sort_by(|a, b| a.version.cmp(&b.version));
    // Without a pin the channel decides (`nvidia/label/cuda-12.1.1` has one release of each package), and the tables do not
    // list all that a channel has.
    let today = builds.len().checked_sub(1).filter(|_| spec.version.is_some());
    Candidates { open: builds.is_empty() || spec.version.is_none(), builds, today }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_says_what_is_there_and_a_label_does_not() {
        let table = [
            ("cuda-toolkit=12.4", false, Some("12.4.1")),
            ("cuda-toolkit==12.1.1", false, Some("12.1.1")),
            ("cuda-cudart=12.1", false, Some("12.1.105")),
            ("cuda-toolkit", true, None),
            ("nvidia/label/cuda-12.1.1::cuda-toolkit", true, None),
            ("cuda-toolkit=99", true, None),
            ("cuda-version=12.4", true, None),
        ];
        for (spec, open, today) in table {
            let spec = MatchSpec::parse(spec).expect("a spec");
            let found = candidates(&format!("conda:{}", spec.name), &spec, &Platform::default());
            assert_eq!(found.open, open, "{spec:?}");
            assert_eq!(found.today().map(|b| b.release.version), today, "{spec:?}");
        }
    }
}
