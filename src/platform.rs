//! What an environment or a host runs on: operating system, processor, C library, Python.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::knowledge::Platforms;
use crate::version::{Specifiers, Version};

/// What an environment runs on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Platform {
    /// Operating system.
    pub os: Os,
    /// Processor.
    pub arch: Arch,
    /// Which CPythons may be there; markers are answered by it.
    pub python: Pythons,
    /// For which CPythons wheels may come: more than `python` where only a marker tells these from those, which may be another
    /// package's.
    pub wheels: Pythons,
    /// The C library, where known.
    pub libc: Libc,
}

impl Default for Platform {
    fn default() -> Self {
        Self { os: Os::Linux, arch: Arch::X86_64, python: Pythons::ANY, wheels: Pythons::ANY, libc: Libc::Unknown }
    }
}

impl Platform {
    /// Says of the Python that it is one of these, too; what contradicts all that was known before says nothing, and is answered
    /// with `false`.
    pub fn narrow_python(&mut self, pythons: Pythons) -> bool {
        let agrees = self.wheels.meets(pythons);
        for known in [&mut self.python, &mut self.wheels] {
            let both = known.and(pythons);
            *known = if both.0 == 0 { *known } else { both };
        }
        agrees
    }
    /// Says of the Python that it is one of these.
    pub fn set_python(&mut self, pythons: Pythons) {
        (self.python, self.wheels) = (pythons, pythons);
    }
    /// Whether it is what uv calls by that name (`linux`, `x86_64-unknown-linux-gnu`, `x86_64-manylinux_2_28`); of what cannot be
    /// told it is not.
    /// Source: <https://docs.astral.sh/uv/reference/cli/#uv-pip-install--python-platform>.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        let bare = |os, arch| self.os == os && self.arch == arch;
        match name {
            "linux" => bare(Os::Linux, Arch::X86_64),
            "windows" => bare(Os::Windows, Arch::X86_64),
            "macos" => bare(Os::MacOs, Arch::Aarch64),
            _ => name.split_once('-').is_some_and(|(arch, rest)| {
                let arch = match arch {
                    "x86_64" => Arch::X86_64,
                    "aarch64" | "arm64" => Arch::Aarch64,
                    _ => return false,
                };
                let os = match rest {
                    "unknown-linux-gnu" => Os::Linux,
                    manylinux if manylinux.starts_with("manylinux") => Os::Linux,
                    "pc-windows-msvc" => Os::Windows,
                    "apple-darwin" => Os::MacOs,
                    _ => return false,
                };
                bare(os, arch)
            }),
        }
    }
    /// The same as bits of the tables.
    #[must_use]
    pub fn bits(&self) -> Platforms {
        type P = Platforms;
        match (self.os, self.arch) {
            (Os::Linux, Arch::X86_64) => P::LINUX_X86_64,
            (Os::Linux, Arch::Aarch64) => P::LINUX_AARCH64,
            (Os::Windows, _) => P::WINDOWS_X86_64,
            (Os::MacOs, _) => P::MACOS,
        }
    }
}

/// Operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Os {
    /// Linux, WSL too.
    Linux,
    /// Windows itself.
    Windows,
    /// macOS.
    MacOs,
}

impl Os {
    /// The system that the labels of a CI job's machine name.
    #[must_use]
    pub fn of_labels(labels: &str) -> Option<Self> {
        let labels = labels.to_lowercase();
        let named = |systems: &[&str]| labels.split_whitespace().any(|label| systems.iter().any(|name| label.starts_with(name)));
        let systems: [(Self, &[&str]); 3] =
            [(Self::MacOs, &["macos"]), (Self::Windows, &["win"]), (Self::Linux, &["ubuntu", "linux"])];
        systems.into_iter().find(|(_, names)| named(names)).map(|(os, _)| os)
    }
    /// What GitHub calls it (`RUNNER_OS`, `runner.os`).
    #[must_use]
    pub fn by_github(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
            Self::Windows => "Windows",
        }
    }
}

/// Processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arch {
    /// x86-64.
    X86_64,
    /// 64-bit Arm.
    Aarch64,
}

/// The C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Libc {
    /// glibc of that major and minor.
    Glibc(u16, u16),
    /// musl (Alpine): manylinux wheels do not fit.
    Musl,
    /// Not known.
    Unknown,
}

/// A set of CPython minor versions, as bits from 3.0 up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pythons(pub u64);

impl Pythons {
    /// Nothing is said about Python.
    pub const ANY: Self = Self(u64::MAX);
    /// Exactly 3.`minor`.
    #[must_use]
    pub fn only(minor: u32) -> Self {
        Self(1u64.checked_shl(minor).unwrap_or(0))
    }
    /// `3.11`, `3.11.4`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let minor = text.trim().strip_prefix("3.")?.split('.').next()?.parse().ok()?;
        Some(Self::only(minor)).filter(|set| set.0 != 0)
    }
    /// The minors that a PEP 440 specifier set admits in some patch release.
    #[must_use]
    pub fn admitted(by: &Specifiers) -> Self {
        const PATCHES: u64 = 30;
        static RELEASES: LazyLock<Vec<Vec<Version>>> = LazyLock::new(|| {
            let release = |minor: u32, patch: u64| Version::parse(&format!("3.{minor}.{patch}"));
            (0..40).map(|minor| (0..PATCHES).filter_map(|patch| release(minor, patch)).collect()).collect()
        });
        // Between those that are named, and those right beside them, all are one.
        let named = by.numbers(2).flat_map(|patch| [patch.saturating_sub(1), patch, patch.saturating_add(1)]);
        let patches: BTreeSet<u64> = named.chain([0, PATCHES - 1]).filter(|patch| *patch < PATCHES).collect();
        let admits = |releases: &[Version]| {
            let mut some = patches.iter().filter_map(|patch| releases.get(usize::try_from(*patch).ok()?));
            some.any(|release| by.admits(release))
        };
        let minors = (0u32..).zip(RELEASES.iter()).filter(|(_, releases)| admits(releases));
        minors.fold(Self(0), |set, (minor, _)| Self(set.0 | 1 << minor))
    }
    /// What a file says of Python: a specifier set (`>=3.10`), or a version (`3.9`).
    #[must_use]
    pub fn stated(text: &str) -> Option<Self> {
        Specifiers::parse(text).ok().map(|specifiers| Self::admitted(&specifiers)).or_else(|| Self::parse(text))
    }
    /// Those in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    /// Whether the two share one.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    /// The minors, lowest first.
    pub fn minors(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |m| self.0 >> m & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_uv_calls_a_machine() {
        let linux = Platform::default();
        let spark = Platform { arch: Arch::Aarch64, ..Platform::default() };
        for (name, is_linux, is_spark) in [
            ("linux", true, false),
            ("x86_64-unknown-linux-gnu", true, false),
            ("x86_64-manylinux_2_28", true, false),
            ("aarch64-manylinux2014", false, true),
            ("x86_64-unknown-linux-musl", false, false),
            ("windows", false, false),
            ("macos", false, false),
            ("x86_64-pc-windows-msvc", false, false),
            ("wasm32-pyodide2024", false, false),
            ("", false, false),
        ] {
            assert_eq!((linux.is_named(name), spark.is_named(name)), (is_linux, is_spark), "{name}");
        }
    }
}
