//! Typed access to the tables in `rules/knowledge`. The only module that knows version facts.

mod rows;
pub use rows::*;

use crate::version::{CudaVersion, DriverVersion};

/// All builds of a package, in the order of the tables (rising versions); empty for an unknown package.
#[must_use]
pub fn releases(package: &str) -> &'static [Release] {
    let _ = package;
    &[]
}

/// What is known of an index address; credentials, scheme, trailing slash and `www.` do not matter.
#[must_use]
pub fn index(url: &str) -> Option<&'static Index> {
    let _ = url;
    None
}

/// The index of that id.
#[must_use]
pub fn index_by_id(id: &str) -> Option<&'static Index> {
    let _ = id;
    None
}

/// What is known of an image reference: `nvidia/cuda:12.4.1-base-ubuntu22.04`, with or without `docker.io/`, digest ignored.
#[must_use]
pub fn image(reference: &str) -> Option<&'static Image> {
    let _ = reference;
    None
}

/// What a GPU name means, as NVML or people write it: `Tesla V100-SXM2-16GB`, `RTX 4090`, `A100-SXM4-40GB MIG 3g.20gb`.
/// `None` for an unknown name and for one with several meanings.
#[must_use]
pub fn gpu(name: &str) -> Option<&'static Gpu> {
    let _ = name;
    None
}

/// The row that bounds the driver for a CUDA release: by major from 11 on (11.0 apart), by minor before.
#[must_use]
pub fn driver_bound(cuda: &CudaVersion) -> Option<&'static DriverBound> {
    let _ = cuda;
    None
}

/// The CUDA version that a Linux driver reports.
#[must_use]
pub fn driver_cuda(driver: &DriverVersion) -> Option<CudaVersion> {
    let _ = driver;
    None
}

/// Driver branches on which `cuda-compat` of a CUDA release works (data-centre GPUs); empty = not known.
#[must_use]
pub fn forward_compat_branches(cuda: &CudaVersion) -> &'static [u16] {
    let _ = cuda;
    &[]
}

/// What a system package puts in place.
#[must_use]
pub fn system_package(name: &str) -> Option<&'static SystemPackage> {
    let _ = name;
    None
}

/// The text of a source.
#[must_use]
pub fn source(id: SourceId) -> &'static str {
    let _ = id;
    ""
}

/// The day of the tables: `2026-11-30`.
#[must_use]
pub fn date() -> &'static str {
    ""
}

/// All rows that bound a driver.
#[must_use]
pub fn driver_bounds() -> &'static [DriverBound] {
    &[]
}

/// All driver branches.
#[must_use]
pub fn driver_branches() -> &'static [DriverBranch] {
    &[]
}
