//! Wheel file names (PEP 427).

use crate::platform::{Platform, Pythons};
use crate::version::Version;

/// What a wheel's file name says.
#[derive(Clone, Debug, PartialEq)]
pub struct WheelName {
    /// Normalised.
    pub name: String,
    /// With its local part (`%2B` decoded).
    pub version: Version,
    /// CPythons it is for (`cp311`; `py3` and `abi3` from that minor on are wider).
    pub pythons: Pythons,
    /// Its platform tags: `manylinux_2_28_x86_64`, `win_amd64`.
    pub platforms: Vec<String>,
}

impl WheelName {
    /// Reads the file name at the end of a URL or path; query and fragment are ignored. `None` if it is no wheel.
    #[must_use]
    pub fn parse(url: &str) -> Option<Self> {
        let _ = url;
        None
    }
    /// Whether it installs on a platform; `None` where that is not known.
    #[must_use]
    pub fn fits(&self, platform: &Platform) -> Option<bool> {
        let _ = platform;
        None
    }
}
