//! The row shapes. `rules/build` makes static tables of them from `rules/knowledge/*.toml`.

use crate::version::CudaVersion;

/// How sure a fact is. An error rests on the first three only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// The vendor's documentation or build scripts.
    Vendor,
    /// Published metadata (`Requires-Dist`, file names).
    Metadata,
    /// Measured on the artefact itself.
    Measured,
    /// A user's report.
    Report,
    /// Concluded from other rows.
    Inferred,
}

impl Basis {
    /// The least certain of several: what is said of all of them is no surer.
    #[must_use]
    pub fn weakest(all: impl Iterator<Item = Self>) -> Option<Self> {
        all.max_by_key(|basis| match basis {
            Self::Vendor | Self::Metadata | Self::Measured => 0,
            Self::Report => 1,
            Self::Inferred => 2,
        })
    }
}

/// Where a fact comes from: an index into the texts that [`super::source`] returns.
pub type SourceId = u16;

/// Platforms that a build is for, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Platforms(pub u8);

impl Platforms {
    /// Linux on x86-64, glibc.
    pub const LINUX_X86_64: Self = Self(1);
    /// Linux on 64-bit Arm, glibc (servers; not Tegra).
    pub const LINUX_AARCH64: Self = Self(2);
    /// Windows on x86-64.
    pub const WINDOWS_X86_64: Self = Self(4);
    /// macOS, any processor.
    pub const MACOS: Self = Self(8);
    /// All of them.
    pub const ANY: Self = Self(15);
    /// Whether the two share one.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Machine code in a build, by compute capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// A CPU build: none, and none is meant.
    Cpu,
    /// Exactly these.
    Known {
        /// SASS: runs on the same major with an equal or higher minor.
        code: &'static [Sm],
        /// PTX: the driver compiles it for this and every later one.
        ptx: &'static [Sm],
        /// There may be PTX besides: a build script asks for it, no wheel was opened. No conclusion about later GPUs.
        ptx_unknown: bool,
    },
    /// Not known; no conclusion.
    Unknown,
}

/// A compute capability: 8.6 is `Sm { major: 8, minor: 6 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sm {
    /// Before the dot.
    pub major: u8,
    /// After the dot.
    pub minor: u8,
    /// Code for this chip only (`sm_90a`).
    pub exact: bool,
}

impl Sm {
    /// Reads the compute capability of a GPU: `7.0`, `sm_70`, and as compilers are told it: `sm_90a`, `compute_90`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (major, minor) = match text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_")) {
            // `a` and `f` say what code may use, not what the chip is.
            Some(name) => {
                let digits = name.strip_suffix(['a', 'f']).unwrap_or(name);
                digits.split_at_checked(digits.len().checked_sub(1)?)?
            }
            None => text.split_once('.')?,
        };
        let number = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
        Some(Self { major: number(major)?, minor: number(minor).filter(|_| minor.len() == 1)?, exact: false })
    }
}

/// What a build finds at run time, or brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which library.
    pub library: Library,
    /// Its version, as far as known: `12.1`, `12.1.105`, `8`, `9.1.0.70`.
    pub version: &'static str,
    /// How it is found (for a need) or where it lies (for a thing brought).
    pub found: Found,
}

/// A library of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Library {
    /// The CUDA runtime, which stands for the toolkit release as a whole.
    Cuda,
    /// cuDNN.
    Cudnn,
    /// NCCL.
    Nccl,
    /// cuBLAS.
    Cublas,
    /// nvJitLink.
    NvJitLink,
    /// TensorRT.
    TensorRt,
}

/// How the loader comes to a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    /// Inside the package, by `DT_RPATH` or a hashed name: nothing on `LD_LIBRARY_PATH` replaces it.
    Rpath,
    /// Inside the package or its `nvidia-*` dependencies, by `DT_RUNPATH` or `dlopen` by soname: `LD_LIBRARY_PATH` comes first.
    Runpath,
    /// On the loader's ordinary path only.
    System,
}

/// One build of one release of a package.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// Normalised name: `torch`, `nvidia-cudnn-cu12`; for conda `conda:pytorch`.
    pub package: &'static str,
    /// Public version, without local part.
    pub version: &'static str,
    /// What the build is made for: `cu121`, `cpu`; empty where the package has one build only.
    pub tag: &'static str,
    /// Index ids that serve it (`index` rows): `pypi`, `pytorch/cu121`. On PyPI it has no local version,
    /// on a PyTorch index the local version is `tag`.
    pub indexes: &'static [&'static str],
    /// For which platforms.
    pub platforms: Platforms,
    /// The Python distribution that a conda package installs, which pip counts as there; empty = one of its own name, or none.
    pub provides: &'static str,
    /// CPython minor versions with a wheel (`"3.11"`); empty = any.
    pub pythons: &'static [&'static str],
    /// Oldest glibc by wheel tag (`2.28`); empty = not known.
    pub glibc: &'static str,
    /// Published requirements (PEP 508) on packages of our tables.
    pub requires: &'static [&'static str],
    /// The torch that the build was compiled against (`2.2.2`, `2.3.0.dev20240207`); empty = not known.
    pub built_with: &'static str,
    /// Releases of torch that `requires` admits, and that it is reported not to load with.
    pub breaks_with: &'static [&'static str],
    /// Libraries it must find.
    pub needs: &'static [Part],
    /// Libraries it brings, itself or by its pinned dependencies.
    pub brings: &'static [Part],
    /// Machine code.
    pub kernels: Kernels,
    /// How sure `brings` and `requires` are.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
    /// How sure `kernels` is.
    pub kernels_basis: Basis,
    /// Where `kernels` is from.
    pub kernels_source: SourceId,
}

impl Release {
    /// The library of that kind that it brings along.
    #[must_use]
    pub fn brings(&self, library: Library) -> Option<&'static Part> {
        self.brings.iter().find(|part| part.library == library)
    }
    /// The CUDA that it brings along.
    #[must_use]
    pub fn cuda(&self) -> Option<CudaVersion> {
        CudaVersion::parse(self.brings(Library::Cuda)?.version)
    }
}

/// How far two CUDA releases are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CudaCheck {
    /// By their majors.
    Major,
    /// By their majors and minors.
    Minor,
}

/// With which ABI of the C++ standard library a torch for Linux on `x86_64` is compiled.
#[derive(Clone, Copy, Debug)]
pub struct TorchAbi {
    /// The repository of the images that have it; empty = wheels of PyPI and of PyTorch's indexes.
    pub image: &'static str,
    /// Which releases, as a specifier.
    pub releases: &'static str,
    /// Which builds (`cu126`); empty = all.
    pub tags: &'static [&'static str],
    /// C++11's; else the one before.
    pub cxx11: bool,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// A place that packages come from.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    /// `pypi`, `pytorch/cu121`, `pytorch/flat`, `pytorch/nightly/cu128` …
    pub id: &'static str,
    /// Its address without scheme, the first of several; empty where only its id is known.
    pub address: &'static str,
    /// The CUDA tag that all its builds share; empty = several or none.
    pub tag: &'static str,
    /// Whether it is a flat page of links.
    pub flat: bool,
    /// Day (`YYYY-MM-DD`) on which the rows that name it were all it had; empty = never complete.
    pub complete: &'static str,
    /// Nothing will be added to it any more.
    pub closed: bool,
    /// Serves versions with a local part, which is the build's tag (`2.1.0+cu121`), as all of PyTorch's do.
    pub local_versions: bool,
    /// Serves development builds, which no table lists (nightly).
    pub pre_releases: bool,
    /// Serves candidates under the number of the coming release, which no table lists (test).
    pub candidates: bool,
    /// Packages that it serves in releases which no table lists; where there are any, it serves nothing else.
    pub carries: &'static [&'static str],
    /// Where from.
    pub source: SourceId,
}

/// A container image that exists.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// `nvidia/cuda`, `pytorch/pytorch`, `nvcr.io/nvidia/pytorch`: Docker Hub names without host.
    pub repository: &'static str,
    /// One tag or, with one `*`, the tags it stands for.
    pub tag: &'static str,
    /// CUDA it carries (`12.4.1`); empty = none or not known.
    pub cuda: &'static str,
    /// Which flavour of CUDA image.
    pub flavour: Flavour,
    /// cuDNN version or major; empty = none.
    pub cudnn: &'static str,
    /// torch inside: public version; empty = none or not known.
    pub torch: &'static str,
    /// The nightly of torch that its own is like (`2.2.0.dev20231106`); empty = not known.
    pub torch_nightly: &'static str,
    /// `NVIDIA_REQUIRE_CUDA` as set in the image; empty = not set or not known.
    pub require_cuda: &'static str,
    /// Oldest driver by release notes (NGC), in place of `require_cuda`; empty = not known.
    pub driver: &'static str,
    /// Driver branches below `driver` that the notes admit on data-centre GPUs.
    pub driver_branches: &'static [u16],
    /// Does nothing without a GPU (inference servers).
    pub gpu_only: bool,
    /// Uses a GPU where it gets one, and runs without.
    pub gpu_optional: bool,
    /// Its torch is conda's build.
    pub conda_torch: bool,
    /// Its CUDA comes without the `cuda-compat` of its release.
    pub without_compat: bool,
    /// `ubuntu22.04`; empty = not known.
    pub os: &'static str,
    /// CPython inside (`3.10`, `>=3.14` for a tag that moves); empty = none or not known.
    pub python: &'static str,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// A tag (with one `*`: those it stands for) that is there no longer.
#[derive(Clone, Copy, Debug)]
pub struct ImageGone {
    /// As in [`Image`].
    pub repository: &'static str,
    /// `latest`, `10.2-*`.
    pub tag: &'static str,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// A repository of whose releases before one our exact tags were all, on a day.
#[derive(Clone, Copy, Debug)]
pub struct ImageList {
    /// As in [`Image`].
    pub repository: &'static str,
    /// The first release that is outside the list: `13.1.1`.
    pub before: &'static str,
    /// That day (`YYYY-MM-DD`).
    pub complete: &'static str,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// A tag (with one `*`: those it stands for) of an image that runs on the CPU alone.
#[derive(Clone, Copy, Debug)]
pub struct CpuImage {
    /// As in [`Image`].
    pub repository: &'static str,
    /// `cpu-*`.
    pub tag: &'static str,
    /// Its own command starts the program: no shell waits in it.
    pub serves: bool,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// What an image sets for NVIDIA's container runtime, whatever its tag.
#[derive(Clone, Copy, Debug)]
pub struct ImageVariables {
    /// As in [`Image`].
    pub repository: &'static str,
    /// `NVIDIA_VISIBLE_DEVICES`; empty = not set.
    pub visible_devices: &'static str,
    /// `NVIDIA_DRIVER_CAPABILITIES`; empty = not set.
    pub capabilities: &'static str,
}

/// What is of no use in a container without a part of the driver.
#[derive(Clone, Copy, Debug)]
pub struct CapabilityUser {
    /// The part: `video`.
    pub capability: &'static str,
    /// Programs that are started, by name.
    pub programs: &'static [&'static str],
    /// The option whose value is one of `values`; empty = any word may be.
    pub after: &'static str,
    /// A variable that is set for all programs; empty = none.
    pub variable: &'static str,
    /// Words or values, with `*` for any text; empty = the program is enough.
    pub values: &'static [&'static str],
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// What a CUDA image has in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Not a CUDA image, or not known.
    None,
    /// libcudart only.
    Base,
    /// The libraries.
    Runtime,
    /// nvcc and headers, too.
    Devel,
}

/// Who buys a GPU; decides about forward compatibility and image exemptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// Tesla, A100, L4 …
    DataCenter,
    /// Quadro, RTX A6000, RTX Ada …
    Workstation,
    /// GeForce, TITAN.
    GeForce,
    /// Jetson, Drive.
    Tegra,
}

/// A GPU product.
#[derive(Clone, Copy, Debug)]
pub struct Gpu {
    /// As the vendor writes it.
    pub name: &'static str,
    /// Its compute capability.
    pub sm: Sm,
    /// `Ampere`.
    pub architecture: &'static str,
    /// Who buys it.
    pub segment: Segment,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// The drivers that a CUDA major (from 11 on) or minor (before) runs on.
#[derive(Clone, Copy, Debug)]
pub struct DriverBound {
    /// `12` or `10.2`; `11.0` is apart.
    pub cuda: &'static str,
    /// Oldest Linux driver; empty = not known.
    pub linux: &'static str,
    /// Oldest Windows driver, in Windows' own numbers; empty = not known.
    pub windows: &'static str,
    /// A Windows driver from `windows` up to here is disputed between sources; empty = not disputed.
    pub windows_disputed: &'static str,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// A driver branch and the CUDA version it reports.
#[derive(Clone, Copy, Debug)]
pub struct DriverBranch {
    /// `550`.
    pub branch: u16,
    /// What `nvidia-smi` prints: `12.4`.
    pub cuda: &'static str,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// What one nvcc release compiles for.
#[derive(Clone, Copy, Debug)]
pub struct Toolkit {
    /// `12.4`.
    pub cuda: &'static str,
    /// Compute capabilities its nvcc knows.
    pub sms: &'static [Sm],
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// A package of the operating system's package manager.
#[derive(Clone, Copy, Debug)]
pub struct SystemPackage {
    /// With `*` for a version part: `cuda-compat-*`, `nvidia-driver-*`.
    pub pattern: &'static str,
    /// The only systems (`ubuntu20.04`) where it does; empty = wherever it is.
    pub systems: &'static [&'static str],
    /// What it puts there.
    pub carries: &'static [Carries],
    /// The distribution packs it, from an older release of NVIDIA's.
    pub of_distribution: bool,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

impl SystemPackage {
    /// Whether it puts that in place.
    #[must_use]
    pub fn carries(&self, what: Carries) -> bool {
        self.carries.contains(&what)
    }
}

/// What a system package puts in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carries {
    /// The driver's user space.
    Driver,
    /// cuda-compat: a newer libcuda beside the driver's.
    ForwardCompat,
    /// A toolkit with nvcc.
    Toolkit,
    /// CUDA libraries.
    Libraries,
    /// cuDNN.
    Cudnn,
    /// NCCL.
    Nccl,
}

/// An environment module, by its name.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// In lower case, without a number at its end.
    pub name: &'static str,
    /// What it brings of Python.
    pub brings: super::Brings,
    /// Where this is known of it only where its version names this; empty = always.
    pub toolchain: &'static str,
    /// It brings an nvcc.
    pub nvcc: bool,
}

/// A package whose wheels are a module's files: of two owners of one module, the last one installed wins.
#[derive(Clone, Copy, Debug)]
pub struct ModuleOwner {
    /// Normalised name.
    pub package: &'static str,
    /// `onnxruntime`; with dots for a folder below (`nvidia.cudnn`).
    pub module: &'static str,
    /// The last release that is known to own it; empty = all.
    pub until: &'static str,
    /// The first release that is the same build as the package of the module's own name; empty = none is.
    pub same_from: &'static str,
    /// The CUDA major that the package is made for, by its name or its libraries'; empty = not in the name.
    pub cuda: &'static str,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// A name under which PyPI has nothing any more but a package that refuses to be installed.
#[derive(Clone, Copy, Debug)]
pub struct Withdrawn {
    /// Normalised name.
    pub package: &'static str,
    /// The release that refuses, the last one of the name; empty = all of them do.
    pub since: &'static str,
    /// What has taken its place, as it is installed; empty = nothing.
    pub instead: &'static str,
    /// The package that, where it is installed first, makes pip look at an index which has the real ones; empty = none.
    pub unless: &'static str,
    /// Where from.
    pub source: SourceId,
}

/// A key that the packages of NVIDIA's repositories are signed with, or were.
#[derive(Clone, Copy, Debug)]
pub struct SigningKey {
    /// The address of the folder below which it lies.
    pub below: &'static str,
    /// How its file's name begins.
    pub name: &'static str,
    /// The repositories are no longer signed with it.
    pub withdrawn: bool,
    /// Where from.
    pub source: SourceId,
}

/// What is compiled for the GPU where it is installed.
#[derive(Clone, Copy, Debug)]
pub struct SourceBuild {
    /// Normalised name of what it installs.
    pub name: &'static str,
    /// `github.com/NVIDIA/apex`: where its sources are.
    pub repositories: &'static [&'static str],
    /// The folder of the repository that it is built in; empty = the top.
    pub folder: &'static str,
    /// Whether it needs nvcc.
    pub nvcc: Nvcc,
    /// The variable (or option) that makes it compile for the GPU though none is seen; empty = none, or none is needed.
    pub forced_by: &'static str,
    /// The variable that turns the compilation off; empty = none.
    pub skipped_by: &'static str,
    /// It is compiled without torch's help, and goes with any.
    pub without_torch: bool,
    /// Its `setup.py` imports torch at once.
    pub imports_torch: bool,
    /// It names torch as a requirement of its build.
    pub declares_torch: bool,
    /// It has a list of chips where no GPU is seen and no variable names them.
    pub own_architectures: bool,
    /// The variable that names the chips; empty = `TORCH_CUDA_ARCH_LIST`.
    pub architectures_by: &'static str,
    /// Releases of which PyPI has wheels: `none`, `all`, those of a specifier, or `absent`: no such package is there.
    pub wheels: &'static str,
    /// The build first looks for a wheel for the torch, CUDA and Python that are there, unless this variable is set, and compiles
    /// only where there is none: those that are known have rows of the package in the tables. Empty = it looks for none.
    pub fetches_wheels_unless: &'static str,
    /// The first release of which this is true; empty = all.
    pub since: &'static str,
    /// The last release of which this is known; empty = all.
    pub until: &'static str,
    /// How sure.
    pub basis: Basis,
    /// Where from.
    pub source: SourceId,
}

/// Whether a build needs nvcc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nvcc {
    /// It fails without.
    Must,
    /// It compiles for the CPU alone where nvcc or a GPU is missing.
    IfThere,
    /// It compiles nothing for the GPU unless this variable asks for it.
    Asked(&'static str),
}

/// What the values of a node's label are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeLabel {
    /// Products.
    Gpu,
    /// Types of a cloud's machines.
    Machine,
    /// What is no product.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compute_capabilities() {
        let sm = |major, minor| Some(Sm { major, minor, exact: false });
        for (text, read) in [
            ("7.0", sm(7, 0)),
            (" 12.0 ", sm(12, 0)),
            ("sm_89", sm(8, 9)),
            ("sm_120", sm(12, 0)),
            ("sm_90a", sm(9, 0)),
            ("sm_103f", sm(10, 3)),
            ("compute_90", sm(9, 0)),
            ("compute_120a", sm(12, 0)),
            ("sm_a", None),
            ("sm_90b", None),
            ("8", None),
            ("8.60", None),
            ("8.", None),
            (".6", None),
            ("+8.6", None),
            ("999.0", None),
            ("sm_", None),
            ("sm_7", None),
            ("sm_é", None),
            ("V100", None),
            ("", None),
        ] {
            assert_eq!(Sm::parse(text), read, "{text:?}");
        }
    }
}
