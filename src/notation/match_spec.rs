//! conda's match specifications.

use crate::version::CondaVersion;

/// A parsed match spec.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSpec {
    /// `pytorch::`, `nvidia/label/cuda-11.8.0::`, or the one in brackets.
    pub channel: Option<String>,
    /// Lower case.
    pub name: String,
    /// The version part as written, without `=`-noise where none is given.
    pub version: Option<String>,
    /// The build glob.
    pub build: Option<String>,
}

impl MatchSpec {
    /// Parses `pytorch::pytorch=2.1.*=*cuda11.8*`, `cudatoolkit 11.8.*`, `pkg[version='2.1',build=*cuda*]`.
    ///
    /// # Errors
    /// One line: what conda would refuse.
    pub fn parse(text: &str) -> Result<Self, String> {
        Err(text.to_owned())
    }
    /// Whether a version meets the version part (`,` is and, `|` is or).
    #[must_use]
    pub fn admits(&self, version: &CondaVersion) -> bool {
        let _ = version;
        true
    }
    /// The one version that it pins: `==1.26`, `=1.26=build`.
    #[must_use]
    pub fn pin(&self) -> Option<CondaVersion> {
        None
    }
}
