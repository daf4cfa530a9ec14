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
