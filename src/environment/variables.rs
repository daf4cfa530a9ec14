//! Which variables of an environment tell anything.

use super::{Environment, Setting};
use crate::device;

/// Those by which programs find CUDA and libraries, and those that say what of the driver there is, and what it must be.
const TELLING: [&str; 9] = [
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_TOOLKIT_ROOT_DIR",
    "LD_LIBRARY_PATH",
    "NVIDIA_DISABLE_REQUIRE",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_REQUIRE_CUDA",
    "PATH",
];

/// Whether anybody may ask for a variable of an environment; what the others are makes no other environment of it. A variable
/// that a rule or a link of the chain reads is one of these.
pub(crate) fn tells(name: &str) -> bool {
    TELLING.contains(&name) || device::may_hide_gpus(name)
}

impl Environment {
    /// A variable as it is exported in the end.
    pub(crate) fn variable(&self, name: &str) -> Option<&Setting> {
        debug_assert!(tells(name), "{name} is not kept: it belongs into the list");
        self.variables.get(name)
    }
}
