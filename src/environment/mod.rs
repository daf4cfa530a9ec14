//! What is there together, under one set of choices; and the machine that it meets.

mod compiled;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

pub use compiled::{Building, Compiled, SystemPart, Toolkit, Toolkits};
pub(crate) use variables::tells;

use crate::knowledge::{self, Basis, Kernels, Library, Part, Release, Segment, SigningKey, Sm};
use crate::notation::match_spec::MatchSpec;
use crate::outline::{Choice, InstallFlags, Launcher, Malformed, Terms, Tool};
use crate::platform::Platform;
use crate::source::{FileId, Span};
use crate::version::{CudaVersion, DriverVersion, Specifiers, Version};

/// Where an environment starts: the file, stage, job or service that a person installs or runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Start {
    /// `requirements.txt`, `Dockerfile:runtime`, `pyproject.toml[cu124]`, `install.sh?branch 2`.
    pub name: String,
    /// The place that stands for it: `FROM`, the job's key, the start of the file.
    pub at: Span,
}

/// One environment.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Where it starts.
    pub start: Start,
    /// The choices under which it is as it is.
    pub chosen: Vec<Choice>,
    /// Names of the choices that it belongs to, of whose environments people take one: the arms of tests, extras that exclude
    /// each other.
    pub choices: Vec<String>,
    /// The builds that it comes of, by the position of their build arguments; 0 where there is but one.
    pub builds: Vec<usize>,
    /// What it runs on.
    pub platform: Platform,
    /// What says which Python it has; `None` where nothing does, or two places contradict each other.
    pub python: Option<Evidence>,
    /// The image it stands on.
    pub image: Option<Image>,
    /// Whether a host runs it as it is; a builder stage is only copied from, a hosted CI job has its own machine, an image
    /// that is started without a GPU asks nothing of the host's.
    pub runs: bool,
    /// Whether it is the one that a start begins in: where conda's base is one, that.
    pub base: bool,
    /// The installing steps, in order.
    pub steps: Vec<Step>,
    /// What is there in the end.
    pub components: Vec<Component>,
    /// The paths of the files that ask for it.
    pub files: BTreeMap<FileId, String>,
    /// Exported variables in the end, by name, of those that tell anything: [`tells`].
    pub variables: BTreeMap<String, Setting>,
    /// The driver that a step puts on the machine, in the place of the one that the host is told to have.
    pub own_driver: Option<OwnDriver>,
    /// What a step or the image brings of `cuda-compat`.
    pub forward_compat: Vec<ForwardCompat>,
    /// It is not known of the image whether it brings another one.
    pub forward_compat_open: bool,
    /// An image is built of it (a Dockerfile's stage): while that happens no GPU is there.
    pub is_built: bool,
    /// Nobody runs it: what others do not copy from it comes to nothing.
    pub thrown_away: bool,
    /// The files say that it is for Linux under Windows.
    pub for_wsl: bool,
    /// The keys of NVIDIA's repositories of packages that are fetched, in order.
    pub keys: Vec<(&'static SigningKey, Evidence)>,
    /// Where who runs it asks for a GPU, or starts its program on one.
    pub gpus: Vec<Evidence>,
    /// What is put on the system itself, in order.
    pub system: Vec<SystemPart>,
    /// The system may have libraries of which nothing is told: an image that is not known, a script that is not read.
    pub system_open: bool,
    /// A list of packages was installed that is not known.
    pub unlisted: bool,
    /// What is compiled with what it holds, in order.
    pub compiled: Vec<Compiled>,
    /// The words that its image runs by itself, entrypoint first; one that is not known is empty.
    pub own_words: Vec<(String, Span)>,
    /// Whoever runs it gives it variables of which nothing is known.
    pub unread_environment: bool,
    /// Variables that only some who run it give it, or with values that differ or are not known; `variables` has the image's own.
    pub unagreed: BTreeSet<String>,
}

impl Environment {
    /// The component of that name: a wheel `torch`, a conda package `conda:cudatoolkit`.
    #[must_use]
    pub fn component(&self, name: &str) -> Option<&Component> {
        self.components.iter().find(|c| c.name == name)
    }
    /// The ask that a component comes of, with the position of its step; `None` for what an image has.
    #[must_use]
    pub fn ask_of(&self, component: &Component) -> Option<(usize, &Ask)> {
        let (step, ask) = component.asked?;
        Some((step, self.steps.get(step)?.asks.get(ask)?))
    }
}

/// A driver that is installed along with the rest.
#[derive(Clone, Debug)]
pub struct OwnDriver {
    /// Its number as far as it is told: `550`, `550.54.14`.
    pub version: Option<DriverVersion>,
}

/// A libcuda newer than the driver's own, for data-centre GPUs: the package `cuda-compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardCompat {
    /// The CUDA release that it is of.
    pub cuda: CudaVersion,
    /// Driver branches that whoever brings it names, beside those that the release is known to work on.
    pub branches: &'static [u16],
}

/// One installing command.
#[derive(Clone, Debug)]
pub struct Step {
    /// With which tool.
    pub tool: Tool,
    /// The command, or the manifest that is its own step.
    pub at: Span,
    /// What it asks for, by package of our tables; others only as names.
    pub asks: Vec<Ask>,
    /// Where it looks, in the installer's order of priority.
    pub indexes: Vec<StepIndex>,
    /// Whether all indexes are one list of which the highest version is taken: by pip, and by uv where it is told so.
    pub one_list: bool,
    /// Its options.
    pub flags: InstallFlags,
    /// What it does to packages that were there before.
    pub changes: Vec<Change>,
    /// Asks that no choice of builds can meet together.
    pub conflicts: Vec<Conflict>,
    /// Sources of packages that do not take part.
    pub unheeded: Vec<Unheeded>,
    /// What conda picks, it picks where no CUDA is seen (`__cuda`), and no other environment of the manifest is for one.
    pub no_cuda: bool,
    /// conda's channels, the first one foremost; empty where none is named.
    pub channels: Vec<Channel>,
}

/// A channel of conda that is named.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its id in the tables; `None` for one that they do not have, or that is not known.
    pub id: Option<&'static str>,
    /// Where.
    pub at: Span,
}

/// One package in a step.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Normalised name, `conda:` before a conda package's.
    pub package: String,
    /// What is demanded of its version: its own specifiers, with constraints.
    pub wants: Specifiers,
    /// Where it is asked for.
    pub evidence: Evidence,
    /// All builds that the ask alone admits.
    pub alone: Candidates,
    /// Those left once the asks of the step have pruned each other.
    pub builds: Candidates,
    /// `tensorflow[and-cuda]`.
    pub extras: Vec<String>,
    /// What others require of it does not count: a setting says what comes.
    pub overridden: bool,
    /// From where, as far as that is written.
    pub from: Origin,
    /// As conda is asked for it.
    pub spec: Option<MatchSpec>,
    /// At which of the step's indexes the installer looks for it.
    pub route: Route,
    /// The installer does look for it: nothing that meets the ask can be there already, and no lock names the file.
    pub looked_for: bool,
}

/// Where an installer looks for one package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// At all of the step's indexes that serve packages which are not routed to them.
    All,
    /// At this one only, by its position among the step's.
    Only(usize),
    /// At a place that is not known.
    Unknown,
}

impl Step {
    /// The indexes at which an ask is looked for; `None` where one of them is not known.
    #[must_use]
    pub fn looks_at(&self, ask: &Ask) -> Option<Vec<&StepIndex>> {
        let all: Vec<&StepIndex> = match ask.route {
            Route::Unknown => return None,
            Route::Only(at) => vec![self.indexes.get(at)?],
            Route::All => self.indexes.iter().filter(|index| !index.explicit).collect(),
        };
        (!all.is_empty() && all.iter().all(|index| index.id.is_some())).then_some(all)
    }
}

/// From where a package is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From an index.
    Index,
    /// This wheel, by its address or path without credentials.
    Wheel(String),
    /// Sources: the address of a repository or an archive, a folder; without credentials.
    Sources(String),
    /// Nobody asks for it: another package requires it.
    Required,
}

/// An index that a step looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct StepIndex {
    /// Its id in the tables; `None` for one we do not know.
    pub id: Option<&'static str>,
    /// Its address without credentials, or why it is not known.
    pub url: Result<String, Untold>,
    /// Where it is named; `None` for PyPI, which nobody named.
    pub at: Option<Span>,
    /// Where the values of the variables in it are written.
    pub also: Vec<(Span, Reason)>,
    /// Serves only packages routed to it.
    pub explicit: bool,
    /// A project or its settings name it; no command, and no variable.
    pub in_project: bool,
    /// Asked only for what no other index has.
    pub last: bool,
    /// Other versions of the installer do not look at it.
    pub perhaps: bool,
    /// Its host's name alone says that it mirrors PyPI: it may serve builds of its own besides.
    pub by_name: bool,
}

/// Why the address of an index is not known, or whether there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untold {
    /// A variable in it has no known value.
    Variable,
    /// A file at this path, or one of which the path is not known, takes part and is not there.
    File(Option<String>),
    /// A configuration of the installer is not read.
    Configuration,
    /// One lies beside what is installed, and nobody says whether it is put in place.
    Unplaced,
    /// Environment modules are loaded.
    Module,
    /// A file is sourced that is not read, or whose variables programs may not see.
    Sourced,
    /// Others who install the same name one.
    Others,
    /// More takes part than is looked at.
    TooMuch,
    /// The installer chooses it by the machine.
    Machine,
}

/// What a step does to a package that was there before.
#[derive(Clone, Debug)]
pub struct Change {
    /// Which package.
    pub package: String,
    /// What happens.
    pub effect: Effect,
    /// What was there.
    pub before: Evidence,
    /// Whether what was there had been chosen: by a pin, an upper bound, an index or an image.
    pub chosen: bool,
    /// What in this step causes it.
    pub cause: Evidence,
}

/// What happens to a package.
#[derive(Clone, Debug)]
pub enum Effect {
    /// It stays.
    Keeps,
    /// Another build takes its place: always, or with what is picked today.
    Replaces {
        /// What was there, in words of the chain: version and tag.
        from: String,
        /// What comes, today.
        to: String,
        /// Every version, or today's only.
        holds: Holds,
    },
    /// Not known.
    Unknown,
}

/// A source of a package that a project names (`tool.uv.sources`), and that its tool does not heed.
/// Source: <https://docs.astral.sh/uv/concepts/projects/dependencies/#dependency-sources>: sources belong to the project's own
/// dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unheeded {
    /// Which package.
    pub package: String,
    /// Where it is named.
    pub at: Span,
    /// Why.
    pub why: WhyUnheeded,
}

/// Why a tool does not heed a package's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyUnheeded {
    /// The file has no `[project]` table: what is installed is another file's.
    NoProject,
    /// No dependency of the project is that package: it comes with another one.
    NotNamed,
}

/// Two asks that cannot both be met.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The package whose published requirement fails (the companion).
    pub package: String,
    /// The package that it requires otherwise (torch).
    pub against: String,
    /// What its admitted releases require of the other, in words: `torch==2.0.1`.
    pub requires: String,
}

/// A component: a package that is there in the end.
#[derive(Clone, Debug)]
pub struct Component {
    /// Normalised name, `conda:` before a conda package's.
    pub name: String,
    /// The builds that may be there.
    pub builds: Candidates,
    /// Why.
    pub evidence: Evidence,
    /// The step that it comes of, and the ask of that, by their positions; `None` for what an image has.
    pub asked: Option<(usize, usize)>,
}

impl Component {
    /// Whether another build may be there, from something of which nothing is known.
    #[must_use]
    pub fn may_be_another(&self) -> bool {
        self.evidence.also.iter().any(|(_, reason)| matches!(reason, Reason::MayBeThere { .. }))
    }
}

/// Builds, one of which will be there.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Those of the tables that are admitted, rising in the installer's preference.
    pub builds: Vec<Build>,
    /// Something we do not know may be taken instead: an unknown index, a version outside the tables.
    pub open: bool,
    /// The one that an installer picks on the tables' date, as an index into `builds`.
    pub today: Option<usize>,
}

/// How far something is true of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Of every build that the files allow.
    Always,
    /// Of the one that is picked today, not of every one.
    Today,
    /// Of some, not of today's.
    Sometimes,
    /// Of none.
    Never,
    /// Not known.
    Unknown,
}

impl Candidates {
    /// How far `f` holds; `None` from `f` is "not known of this build".
    pub fn hold(&self, f: impl Fn(&Build) -> Option<bool>) -> Holds {
        let answers: Vec<_> = self.builds.iter().map(&f).collect();
        if !self.open && !answers.is_empty() && answers.iter().all(|a| *a == Some(true)) {
            return Holds::Always;
        }
        match self.today.and_then(|i| answers.get(i).copied().flatten()) {
            Some(true) => Holds::Today,
            _ if answers.contains(&Some(true)) => Holds::Sometimes,
            _ if !self.open && !answers.is_empty() && answers.iter().all(|a| *a == Some(false)) => Holds::Never,
            _ => Holds::Unknown,
        }
    }
    /// The build picked today.
    #[must_use]
    pub fn today(&self) -> Option<&Build> {
        self.builds.get(self.today?)
    }
    /// The only build, if there is but one version to take.
    #[must_use]
    pub fn only(&self) -> Option<&Build> {
        let first = self.builds.first()?;
        (!self.open && self.builds.iter().all(|b| b.version == first.version)).then_some(first)
    }
}

/// One build of a package, from one index.
#[derive(Clone, Debug)]
pub struct Build {
    /// As the index serves it: with a local part on PyTorch's indexes.
    pub version: Version,
    /// The index that serves it, by its id.
    pub index: &'static str,
    /// Its row in the tables.
    pub release: &'static Release,
}

impl Build {
    /// The library of that kind that it brings along.
    #[must_use]
    pub fn brings(&self, library: Library) -> Option<&'static Part> {
        self.release.brings(library)
    }
    /// The CUDA that it brings along.
    #[must_use]
    pub fn cuda(&self) -> Option<CudaVersion> {
        self.release.cuda()
    }
    /// Whether it is known to be a build without CUDA.
    #[must_use]
    pub fn is_cpu(&self) -> bool {
        self.release.kernels == Kernels::Cpu
    }
}

/// A place, and why it matters.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The line that a user would change.
    pub at: Span,
    /// Why.
    pub reason: Reason,
    /// Places that lead there: the command that installs it, the index it comes from.
    pub also: Vec<(Span, Reason)>,
    /// How sure the facts are.
    pub basis: Basis,
    /// How sure it is that it belongs to this environment.
    pub join: Join,
}

/// How a part came into an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Join {
    /// A file says so.
    Stated,
    /// By place only: an rc file beside a manifest.
    Assumed,
}

/// A reason as a value; the reports put it into words.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A package is asked for, as written.
    Asked {
        /// Name.
        package: String,
        /// `==2.1.0`, or empty.
        wants: String,
    },
    /// A package that is asked for, and the build that this comes to.
    Comes {
        /// Name.
        package: String,
        /// As the index serves it.
        version: String,
        /// `PyPI`, `the cu121 index`: an index id.
        index: String,
        /// What it brings: a CUDA release; empty where none.
        cuda: String,
        /// Picked today, out of several.
        today: bool,
    },
    /// The range of architectures in a build: `sm_50 … sm_90`.
    Carries {
        /// Name and version.
        build: String,
        /// In words of the field.
        kernels: String,
    },
    /// Another package requires it.
    Requires {
        /// By name and version.
        by: String,
        /// What.
        what: String,
    },
    /// Something of which nothing is known: a package may be there already, in another build.
    MayBeThere {
        /// Which.
        package: String,
    },
    /// A command installs the file or package.
    InstalledBy,
    /// A file is included or copied.
    BroughtBy {
        /// Its path.
        path: String,
    },
    /// An index is named.
    Index {
        /// Its id or address, without credentials.
        index: String,
    },
    /// An image.
    Image {
        /// `nvidia/cuda:12.4.1-base-ubuntu22.04`.
        image: String,
        /// What it brings; empty where none.
        cuda: String,
    },
    /// What is there brings a library of the chain.
    Brings {
        /// By name and version.
        what: String,
        /// Which.
        library: Library,
        /// In which version.
        version: String,
    },
    /// What is there needs a library of the chain that it does not bring.
    Needs {
        /// By name and version.
        what: String,
        /// Which.
        library: Library,
        /// In which version.
        version: String,
    },
    /// An nvcc comes with it.
    Nvcc {
        /// What brings it.
        by: String,
        /// Its CUDA release; empty where that is not known.
        cuda: String,
    },
    /// Something is compiled from its sources.
    Compiles {
        /// By name.
        what: String,
    },
    /// The Python is told.
    Python {
        /// As written: `3.11`, `>=3.10`.
        python: String,
    },
    /// Something is named that is put there.
    Puts {
        /// As written.
        what: String,
    },
    /// The demand of an image on the driver.
    Demand {
        /// `cuda>=12.6`.
        demand: String,
    },
    /// The driver that the release notes of an image ask for; nothing checks it.
    ReleaseNotes {
        /// `545.23.06`.
        driver: String,
    },
    /// A variable is set.
    Variable {
        /// Its name.
        name: String,
    },
    /// A variable of a line takes its value.
    Holds {
        /// Its name.
        name: String,
        /// What it is.
        value: String,
    },
    /// A program is started in a way that needs a GPU.
    NeedsGpu {
        /// The words that say so.
        because: String,
    },
    /// What is started carries CUDA, and may run without a GPU, too.
    MadeForGpu {
        /// What carries it.
        because: String,
    },
    /// What is started runs without a GPU, too, and uses one where it gets it.
    UsesGpu {
        /// What does.
        because: String,
    },
    /// A launch.
    Launched {
        /// By what.
        by: Launcher,
    },
    /// The host's driver.
    HostDriver,
    /// A GPU of the host.
    HostGpu {
        /// As written.
        name: String,
        /// Its compute capability, where that is known.
        sm: Option<Sm>,
    },
    /// Text of the reader: why a place could not be read.
    Torn(String),
    /// The place itself; nothing to add.
    Here,
}

/// An image that an environment stands on.
#[derive(Clone, Debug)]
pub struct Image {
    /// As resolved: `nvidia/cuda:12.4.1-base-ubuntu22.04`.
    pub reference: String,
    /// Its row.
    pub row: Option<&'static knowledge::Image>,
    /// `NVIDIA_REQUIRE_CUDA` in force in the end, when a file sets it.
    pub require_cuda: Option<Setting>,
    /// `NVIDIA_DISABLE_REQUIRE` is set.
    pub disable_require: bool,
    /// All who are known to run it give it its GPU in a way in which nothing asks what it demands.
    pub unchecked: bool,
    /// Where it is named: the stage that runs, then the stages it stands on.
    pub evidence: Evidence,
}

/// A variable's value and place.
#[derive(Clone, Debug)]
pub struct Setting {
    /// `None` where it is not known.
    pub value: Option<String>,
    /// The same with unknown variables kept as `${NAME}`.
    pub written: String,
    /// Where it is set.
    pub evidence: Evidence,
}

/// One machine, as its host file says.
#[derive(Clone, Debug)]
pub struct Host {
    /// Its name; `host` for one made of options.
    pub name: String,
    /// Its driver, with the place.
    pub driver: Option<(DriverVersion, Span)>,
    /// What its `nvidia-smi` prints; used where `driver` is absent.
    pub driver_cuda: Option<(CudaVersion, Span)>,
    /// Its GPUs.
    pub gpus: Vec<Gpu>,
    /// Its operating system, processor, Python.
    pub platform: Platform,
    /// Linux under Windows, with a Windows driver.
    pub wsl: bool,
}

/// A GPU of a host.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// As written.
    pub name: String,
    /// Where.
    pub at: Span,
    /// Its compute capability; `None` for an unknown or ambiguous name.
    pub sm: Option<Sm>,
    /// Who buys it, where the tables know the product.
    pub segment: Option<Segment>,
    /// How sure the tables are of it.
    pub basis: Basis,
}

/// A launch with what it runs, ready for a rule.
#[derive(Clone, Debug)]
pub struct Launched<'e> {
    /// By what.
    pub by: Launcher,
    /// The service or container name.
    pub name: Option<String>,
    /// Where a finding is placed.
    pub at: Span,
    /// Reasons to think that it must have a GPU, strongest first; empty = none is known.
    pub needs: Vec<Evidence>,
    /// Whether it asks for a GPU, says that none is needed, or leaves it open.
    pub asks: Asks,
    /// Where it asks in a way that is refused or read otherwise.
    pub malformed: Vec<Malformed>,
    /// Where it asks for a GPU in so many words, it and those it is put together of.
    pub asks_at: Vec<Span>,
    /// What it says of these GPUs.
    pub terms: Terms,
    /// Variables that its programs see, by name: those that it is given over those of its image, where these are known.
    pub variables: BTreeMap<String, Setting>,
    /// It may be given more than is told here: variables that are not read, an argument or a change of it that is not known.
    pub open: bool,
    /// What it runs, in each way in which that may be built; empty where nothing is known of it.
    pub environments: Vec<&'e Environment>,
    /// What runs in the end, word by word, as far as the words are known.
    pub words: Vec<(String, Span)>,
    /// What these are, the program's first.
    pub works: Works,
    /// It gets its GPU as a device, with all of the driver that belongs to it.
    pub by_device: bool,
}

/// What a launch's words start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Works {
    /// A program that is known to use what the image carries.
    Program,
    /// There are none, or they are options for the image's own program.
    Own,
    /// Something else, or it is not known.
    Other,
}

/// Whether a launch asks for a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Yes, here or where the same image is run elsewhere in the root.
    Yes,
    /// No.
    No,
    /// "If there is one", or an argument that cannot be read.
    Unknown,
}
