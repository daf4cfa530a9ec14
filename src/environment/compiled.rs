//! What is put on the system itself, and what is compiled there.

use std::collections::BTreeMap;

use super::{Evidence, Setting};
use crate::knowledge::{Carries, SourceBuild};
use crate::version::CudaVersion;

/// What a command puts on the system, beside Python's packages: a package of the distribution, NVIDIA's installer.
#[derive(Clone, Debug)]
pub struct SystemPart {
    /// As named: `cuda-toolkit-12-4`, `libcudnn8=8.9.6.50-1+cuda11.8`, `cuda_12.4.1_550.54.15_linux.run`.
    pub name: String,
    /// What the tables know of it.
    pub carries: &'static [Carries],
    /// Where it is named.
    pub evidence: Evidence,
}

/// Something is compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What.
    pub what: Building,
    /// The line that compiles it.
    pub evidence: Evidence,
    /// How many of the environment's steps came before: what they installed is what it is compiled against.
    pub after: usize,
    /// The build sees none of these: it has an environment of its own, with what it names itself.
    pub isolated: bool,
    /// The compilers for CUDA that it finds.
    pub toolkits: Toolkits,
    /// The variables that builds read, as they stand then.
    pub variables: BTreeMap<String, Setting>,
}

/// What is built.
#[derive(Clone, Debug)]
pub enum Building {
    /// A package of the tables, from its sources.
    Package {
        /// Its row.
        row: &'static SourceBuild,
        /// The release that is asked for, as written: `==2.5.8`; empty = any, or its repository's.
        wants: String,
    },
    /// What a program is told to build.
    Program {
        /// `nvcc`, `cmake`, `setup.py`.
        program: String,
        /// Its words; `None` for one that is not known.
        arguments: Vec<Option<String>>,
    },
}

/// The compilers for CUDA that a build finds.
#[derive(Clone, Debug, Default)]
pub struct Toolkits {
    /// Those that are known to be there, in the order in which they came.
    pub known: Vec<Toolkit>,
    /// There may be others: the machine or the image is not known.
    pub open: bool,
}

/// One nvcc with what belongs to it.
#[derive(Clone, Debug)]
pub struct Toolkit {
    /// Its release, as far as it is told.
    pub cuda: Option<CudaVersion>,
    /// The distribution's own package, which lags behind NVIDIA's.
    pub of_distribution: bool,
    /// It comes first on `PATH`, whatever else is on the machine: a module that is loaded, or of the conda environment.
    pub leads: bool,
    /// What brings it.
    pub evidence: Evidence,
}
