//! The processors that images are for.

use std::collections::BTreeSet;

use super::variables::Variables;
use crate::outline::{Launch, Text};
use crate::platform::Arch;

/// The variable that names a platform where a command does not.
/// Source: <https://docs.docker.com/reference/cli/docker/#environment-variables>.
pub(super) const DEFAULT: &str = "DOCKER_DEFAULT_PLATFORM";

/// Which processors something is built for, or runs on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Processors {
    /// Those that are stated.
    stated: BTreeSet<Arch>,
    /// That of whatever machine it is on, too.
    own: bool,
    /// Others that cannot be told.
    unknown: bool,
}

impl Default for Processors {
    /// That of the machine: nothing is stated.
    fn default() -> Self {
        Self { stated: BTreeSet::new(), own: true, unknown: false }
    }
}

impl Processors {
    /// This one alone.
    pub(super) fn only(arch: Arch) -> Self {
        Self { stated: BTreeSet::from([arch]), own: false, unknown: false }
    }
    /// One that cannot be told.
    pub(super) fn unknown() -> Self {
        Self { stated: BTreeSet::new(), own: false, unknown: true }
    }
    /// Those of a platform as its text says it, or of a list with commas.
    pub(super) fn written(platforms: &str) -> Self {
        let all = platforms.split([',', '\n']).map(str::trim).filter(|one| !one.is_empty());
        all.map(|one| arch(one).map_or_else(Self::unknown, Self::only)).reduce(Self::and).unwrap_or_default()
    }
    /// Those that a launch states; of the layers that it is put together of the last that states any.
    pub(super) fn of(layers: &[&Launch], variables: &Variables) -> Self {
        let written = |text: &Text| variables.resolve(text).map_or_else(Self::unknown, |text| Self::written(&text));
        let stated = layers.iter().rev().find(|layer| !layer.platforms.is_empty());
        match (stated, variables.get(DEFAULT)) {
            (Some(layer), _) => layer.platforms.iter().map(written).reduce(Self::and).unwrap_or_default(),
            (None, Some(set)) => set.text.as_deref().map_or_else(Self::unknown, Self::written),
            (None, None) => Self::default(),
        }
    }
    /// Those of a CI job's machine, by its labels.
    pub(super) fn of_labels(labels: &str) -> Self {
        let words = labels.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let arm = words.into_iter().any(|word| matches!(word, "arm" | "arm64" | "aarch64"));
        if arm { Self::only(Arch::Aarch64) } else { Self::default() }
    }
    /// These and those.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.stated.extend(other.stated);
        Self { own: self.own || other.own, unknown: self.unknown || other.unknown, ..self }
    }
    /// Whether anything is stated.
    pub(super) fn is_stated(&self) -> bool {
        !self.own
    }
    /// Whether a machine with this processor surely runs it as it is.
    pub(crate) fn fit(&self, arch: Arch) -> bool {
        self.own || self.stated.contains(&arch)
    }
    /// The one that is looked at where no machine is known.
    pub(crate) fn usual(&self) -> Arch {
        let other = !self.own && !self.unknown && self.stated.contains(&Arch::Aarch64) && !self.stated.contains(&Arch::X86_64);
        if other { Arch::Aarch64 } else { Arch::X86_64 }
    }
}

/// The processor of a platform: `linux/arm64`, `amd64`.
fn arch(platform: &str) -> Option<Arch> {
    match platform {
        "linux/arm64" | "linux/arm64/v8" | "linux/aarch64" | "arm64" | "arm64/v8" | "aarch64" => Some(Arch::Aarch64),
        "linux/x86_64" | "amd64" | "x86_64" => Some(Arch::X86_64),
        // `linux/amd64/v3` too.
        _ if platform == "linux/amd64" || platform.starts_with("linux/amd64/") => Some(Arch::X86_64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Arch::{Aarch64, X86_64};

    #[test]
    fn platforms_as_they_are_written() {
        for (written, x86, arm, usual) in [
            ("linux/arm64", false, true, Aarch64),
            ("linux/arm64/v8", false, true, Aarch64),
            ("linux/amd64/v3", true, false, X86_64),
            ("linux/amd64, linux/arm64", true, true, X86_64),
            ("linux/arm64\nlinux/s390x", false, true, X86_64),
            ("linux/s390x", false, false, X86_64),
            ("", true, true, X86_64),
        ] {
            let found = Processors::written(written);
            assert_eq!((found.fit(X86_64), found.fit(Aarch64), found.usual()), (x86, arm, usual), "{written}");
        }
        for (labels, usual) in
            [("ubuntu-24.04-arm", Aarch64), ("self-hosted linux arm64", Aarch64), ("ubuntu-latest farm", X86_64)]
        {
            assert_eq!(Processors::of_labels(labels).usual(), usual, "{labels}");
        }
    }
}
