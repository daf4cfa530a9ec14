//! What happens from a start on, as walking it tells.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hasher};

use super::super::command::Command;
use super::super::drivers::Runfile;
use super::super::variables::Value;
use crate::environment::{Join, Reason, Unheeded, Untold};
use crate::knowledge::SigningKey;
use crate::notation::asking::Says;
use crate::outline::{Choice, IndexKind, InstallFlags, Kind, Language, Locked, Tool};
use crate::source::{FileId, Span};
use crate::version::DriverVersion;

/// What happens from a start on, in one world.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// In order.
    pub(crate) events: Vec<Event>,
    /// With how many sets of build arguments the Dockerfile is built; 0 where there is none.
    pub(crate) builds: usize,
    /// What comes of several of them is run on the same machines.
    pub(crate) all_run: bool,
    /// What is installed was chosen by what the machine says of itself: no host is held against it.
    pub(crate) suits_host: bool,
    /// What the image runs by itself chooses the CPU, and no other run of it is known.
    pub(crate) on_cpu: bool,
    /// Variables come from files that are not read.
    pub(crate) unread_environment: bool,
    /// Variables that only some who run the image give it, or with values that differ or are not known.
    pub(crate) unagreed: BTreeSet<String>,
    /// Files come into the system's own folders from another stage or image, or by a script that is not read: any compiler may
    /// be there.
    pub(crate) compilers_open: bool,
    /// Files that were read on the way.
    pub(crate) reached: BTreeSet<FileId>,
    /// Paths that were looked for and are not there, with the kind that the link makes of them.
    pub(crate) looked: BTreeSet<(String, Kind)>,
    /// Manifests that were installed on the way.
    pub(crate) installed: BTreeSet<String>,
    /// It is a stage that nobody runs: what others do not copy from it comes to nothing.
    pub(crate) only_copied: bool,
    /// All arms and rows that were met, taken or not.
    pub(crate) choices: BTreeSet<Choice>,
    /// Arms of several tests, none of them the first, under which something stands.
    pub(crate) nested: BTreeSet<Vec<Choice>>,
    /// The tests whose arms do anything that tells: the others' arms are all one.
    pub(crate) telling: BTreeSet<String>,
    /// All markers that were met.
    pub(crate) markers: BTreeSet<String>,
    /// Exported variables in the end, of those that tell anything.
    pub(crate) exported: BTreeMap<String, Value>,
    /// What became of the files and images that are named, by place.
    pub(crate) links: BTreeMap<Span, Link>,
    /// What the image runs.
    pub(crate) runs: Command,
    /// How much work the walk was; the more, the fewer worlds are looked at.
    pub(crate) weight: usize,
    /// By its name, or by what it fetches, it is for Linux under Windows.
    pub(crate) for_wsl: bool,
    /// It fetches NVIDIA's repository for Linux under Windows, whose packages bring no driver, or one that does.
    pub(crate) repository_of_wsl: bool,
    pub(crate) repository_of_linux: bool,
    /// What is installed stands in an arm that no machine with Linux under Windows comes to.
    pub(crate) not_for_wsl: bool,
    /// The keys of repositories of packages that are fetched, with their places.
    pub(crate) keys: Vec<(&'static SigningKey, Span)>,
    /// Where it says that a program runs on the GPU.
    pub(crate) on_cuda: Option<Span>,
    /// More leads on from here than is followed: nothing is said of it.
    pub(crate) left_out: bool,
}

impl Script {
    /// Equal where the same happens, by a hash of all that is installed and set.
    pub(crate) fn happens(&self) -> u64 {
        let mut hashed = Hashed(DefaultHasher::new());
        let all = (&self.events, &self.exported, &self.runs, self.unread_environment, self.compilers_open);
        // Nothing fails in hashing.
        let _ = write!(hashed, "{all:?}");
        hashed.0.finish()
    }
}

/// Hashes what is written to it.
struct Hashed(DefaultHasher);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// What became of a file, a folder or an image that is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// It is there, or its name is known.
    Found,
    /// Nothing lies there.
    Absent,
    /// It leads outside the root: the path as written.
    Outside(String),
    /// A variable in it is not known.
    Untold,
    /// It was changed on the way.
    Changed,
}

/// Into which environment something is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Prefix {
    /// The one that a start begins in.
    #[default]
    System,
    /// The packages of the system's Python of that version: which of several the start has, the fold decides.
    Python(String),
    /// The packages of the Python that the distribution brings.
    Distribution,
    /// A conda environment by name or folder.
    Conda(String),
    /// A virtual environment by folder.
    Venv(String),
    /// One that is not known.
    Unknown,
    /// One that is told by these words only, which may lead to any that is there.
    Somewhere(String),
}

/// What of an environment goes.
#[derive(Clone, Debug)]
pub(crate) enum Removed {
    /// Packages of these names.
    Packages(Vec<String>),
    /// Packages that are not known, by a command there.
    Unknown(Span),
    /// All of it.
    Whole,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// The image that everything stands on; `None` where its name is not known.
    Base { image: Option<String>, at: Span, also: Vec<(Span, Reason)> },
    /// Packages are installed.
    Install(Box<Installed>),
    /// Packages are removed.
    Remove { tool: Tool, prefix: Prefix, what: Removed },
    /// Packages of the system are installed, each with its place.
    System { names: Vec<(String, Span)> },
    /// NVIDIA's installer of a toolkit or driver is run.
    Runfile(Runfile, Span),
    /// Environment modules are loaded, each with its place.
    Modules(Vec<(String, Span)>),
    /// Something is compiled, other than what an installer compiles by itself.
    Compile(Box<Compiling>),
    /// A driver is put on the machine itself; its number, as far as it is told.
    Driver(Option<DriverVersion>),
    /// Packages may be there that are not known: all who install this have them.
    Unknown,
    /// What goes in from here on goes upon something of which nothing is known, named there.
    Upon(Span),
    /// Something comes into a folder of the image from another one, named there.
    Brought { folder: String, what: Brought, at: Span },
    /// A script is run of which nothing is known: what is there may be replaced, and more may be there.
    Unread,
    /// The manifest says which Python it is for.
    Python(String, Span),
    /// Which Python a prefix has is told: `now`, or when it was made, and another may have come since.
    PythonOf { prefix: Prefix, python: String, at: Span, now: bool },
    /// The system's Python is this one, or still its own.
    SystemPython(String),
    /// Before all this, these steps may have happened.
    Before(Before),
}

/// What comes from another image.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Brought {
    /// The packages that the image of this name has.
    Image(String),
    /// Anything that it may have.
    Perhaps(String),
    /// It is not known what.
    Unknown,
    /// One package, by how its files are called: `torch`, `torch-2.6.0.dist-info`.
    Package(String),
}

/// A command that compiles, with its variables resolved.
#[derive(Clone, Debug)]
pub(crate) struct Compiling {
    /// `nvcc`, `cmake`, `make`, `setup.py`.
    pub(crate) program: String,
    /// Its words; `None` for one that is not known.
    pub(crate) arguments: Vec<Option<String>>,
    pub(crate) at: Span,
    /// The environment whose Python and packages it sees.
    pub(crate) prefix: Prefix,
    /// The variables that builds read, as they stand then.
    pub(crate) variables: Vec<(String, Value)>,
}

/// What may have happened before: one command or manifest.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    pub(crate) steps: Vec<Installed>,
    /// People are told to do it: it holds even where the manifest names one version.
    pub(crate) told: bool,
}

/// An installing step with everything resolved.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    pub(crate) tool: Tool,
    pub(crate) at: Span,
    pub(crate) prefix: Prefix,
    /// That environment was made here: nothing was in it before.
    pub(crate) made: bool,
    pub(crate) asks: Vec<Asked>,
    pub(crate) bounds: Vec<Asked>,
    pub(crate) overrides: Vec<Asked>,
    pub(crate) locks: Vec<LockEntry>,
    pub(crate) indexes: Vec<Indexed>,
    pub(crate) routes: Vec<Routed>,
    /// Sources of packages that the tool does not heed.
    pub(crate) unheeded: Vec<Unheeded>,
    pub(crate) flags: InstallFlags,
    /// Values of the flags that hold text.
    pub(crate) torch_backend: Option<Option<String>>,
    pub(crate) index_strategy: Option<Option<String>>,
    /// Something that takes part could not be read: what is missing proves nothing.
    pub(crate) open: bool,
    /// A constraints file could not be read: what no pin holds may be anything.
    pub(crate) bounds_open: bool,
    /// What conda does of it is worked out for machines without CUDA.
    pub(crate) no_cuda: bool,
    /// Another environment of the manifest is for machines with CUDA.
    pub(crate) cuda_elsewhere: bool,
    /// The folders whose projects are installed: what is built in one has its name.
    pub(crate) folders: Vec<Asked>,
    /// Where the scripts of such projects say that they compile for the GPU, and what they ask before.
    pub(crate) extensions: Vec<(Span, Vec<Option<String>>)>,
    /// The variables that builds read, as they stand then.
    pub(crate) variables: Vec<(String, Value)>,
    /// On what it rests that it happens, and what it installs.
    pub(crate) says: Says,
    pub(crate) join: Join,
}

/// A lock's entry that may hold.
#[derive(Clone)]
pub(crate) struct LockEntry {
    pub(crate) lock: Locked,
    pub(crate) also: Vec<(Span, Reason)>,
    /// Its marker does hold, or it has none.
    pub(crate) sure: bool,
}

impl std::fmt::Debug for LockEntry {
    /// A lock has thousands of entries: its place says which one it is.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (self.lock.version.at, &self.also, self.sure).fmt(f)
    }
}

/// A requirement with its variables resolved.
#[derive(Clone)]
pub(crate) struct Asked {
    /// `None` where it holds an unknown variable.
    pub(crate) text: Option<String>,
    /// The package, normalised, that such a text names all the same.
    pub(crate) package: Option<String>,
    /// Not even how it begins is known: it may be a file, too.
    pub(crate) anything: bool,
    pub(crate) language: Language,
    pub(crate) at: Span,
    pub(crate) also: Vec<(Span, Reason)>,
}

impl std::fmt::Debug for Asked {
    /// Where the values of its variables are written makes no other requirement of it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let written = |reason: &Reason| matches!(reason, Reason::Holds { .. } | Reason::Variable { .. });
        let also: Vec<_> = self.also.iter().filter(|(_, reason)| !written(reason)).collect();
        (&self.text, &self.package, self.anything, self.language, self.at, also).fmt(f)
    }
}

/// An index with its variables resolved.
#[derive(Clone)]
pub(crate) struct Indexed {
    pub(crate) url: Result<String, Untold>,
    pub(crate) kind: IndexKind,
    pub(crate) name: Option<String>,
    pub(crate) explicit: bool,
    /// A project or its settings name it; no command, and no variable.
    pub(crate) in_project: bool,
    pub(crate) at: Span,
    /// Where the values of its variables are written.
    pub(crate) also: Vec<(Span, Reason)>,
}

impl std::fmt::Debug for Indexed {
    /// The same holds here.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (&self.url, self.kind, &self.name, self.explicit, self.at).fmt(f)
    }
}

impl Indexed {
    /// One of which nothing is known.
    pub(super) fn untold(why: Untold, at: Span) -> Self {
        Self { url: Err(why), kind: IndexKind::Extra, name: None, explicit: false, in_project: false, at, also: Vec::new() }
    }
}

/// A package's own source with its variables resolved.
#[derive(Clone, Debug)]
pub(crate) struct Routed {
    pub(crate) package: String,
    /// The index's name; `None` for a source that is no index.
    pub(crate) index: Option<String>,
    /// The file's address or path, where it is one, and where that is named.
    pub(crate) file: Option<(String, Span)>,
}
