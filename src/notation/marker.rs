//! Environment markers (PEP 508), answered in three values.

use crate::platform::Platform;

/// A parsed marker.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {}

impl Marker {
    /// Parses a marker: `sys_platform == "linux" and python_version < "3.12"`.
    ///
    /// # Errors
    /// One line: what PEP 508 does not admit.
    pub fn parse(text: &str) -> Result<Self, String> {
        Err(text.to_owned())
    }
    /// Whether it holds on a platform with these extras chosen; `None` where that is not known
    /// (several Pythons that differ in it, `platform_release`, `in`/`not in` that cannot be told).
    #[must_use]
    pub fn holds(&self, platform: &Platform, extras: &[&str]) -> Option<bool> {
        let _ = (platform, extras);
        None
    }
}
