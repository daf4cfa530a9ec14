//! One type for each way of counting: Python packages (PEP 440), drivers, CUDA releases, conda packages.

mod conda;
mod dotted;
mod pep440;

pub use conda::CondaVersion;
pub use dotted::{CudaVersion, DriverVersion, LibraryVersion};
pub use pep440::{Specifiers, Version};
