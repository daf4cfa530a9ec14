//! The small languages inside files: requirements (PEP 508), markers, wheel names, conda match specs, image references,
//! what shell text asks and looks for, names that say their CUDA.
//! Readers check them as they read; `install` parses them again once variables are resolved.

pub(crate) mod asking;
pub(crate) mod cuda_name;
pub(crate) mod grep;
pub mod image;
pub mod marker;
pub mod match_spec;
pub(crate) mod pattern;
pub mod poetry;
pub mod requirement;
pub mod wheel;
