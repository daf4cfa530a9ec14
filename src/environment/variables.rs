//! Which variables of an environment tell anything.

use super::{Environment, Setting};
use crate::{device, knowledge};

/// Those by which programs find CUDA and libraries, and those by which the container runtime knows an image of CUDA.
const TELLING: [&str; 7] =
    ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR", "CUDA_VERSION", "LD_LIBRARY_PATH", "PATH"];

/// What those begin with that the container runtime reads: which driver it must be, which GPUs and which parts of the driver are
/// given. Source: <https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html>.
const OF_RUNTIME: [&str; 2] = ["NVIDIA_", "DOCKER_RESOURCE_"];

/// Whether anybody may ask for a variable of an environment; what the others are makes no other environment of it. A variable
/// that a rule or a link of the chain reads is one of these.
pub(crate) fn tells(name: &str) -> bool {
    TELLING.contains(&name)
        || OF_RUNTIME.iter().any(|start| name.starts_with(start))
        || device::may_hide_gpus(name)
        || knowledge::capability_users().iter().any(|row| row.variable == name)
}

impl Environment {
    /// A variable as it is exported in the end.
    pub(crate) fn variable(&self, name: &str) -> Option<&Setting> {
        debug_assert!(tells(name), "{name} is not kept: it belongs into the list");
        self.variables.get(name)
    }
}
