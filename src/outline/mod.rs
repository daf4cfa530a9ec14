//! What one file says, in its own order. No knowledge, no judgement.
//!
//! A reader turns text into an [`Outline`]; only `project` puts outlines together.

mod edit;
mod install;
mod launch;
mod link;
mod malformed;
mod package;
mod place;
mod text;
mod told;

pub use edit::Edit;
pub use install::{Compile, Download, Feature, Install, InstallFlags, Line, Modules, Removal, SystemPackages, Target, Tool};
pub use launch::{
    BuildOf, Change, ConfigMap, Extends, GpuRequest, Inline, Launch, Launcher, Mount, Node, Object, Patch, Terms, Together,
};
pub use link::{Copy, Goal, How, INPUTS, Include, Job, Members, Sifted, Stage, Use, Written, input_name};
pub use malformed::{Malformed, Misread, Takes, Within};
pub use package::{IndexKind, IndexLine, Language, Locked, LockedFrom, Requirement, Role, Route, RouteTo};
pub use place::{Answer, Leaves, Place, Scope, Variable};
pub use text::{Composed, Lead, Piece, PutIn, Text};
pub use told::{Covers, Ignore, Torn, Vain};

use std::sync::Arc;

use crate::source::Span;

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// In the order in which they stand, which is the order in which they happen.
    pub acts: Vec<Act>,
    /// `# cudalint: ignore[…]` comments.
    pub ignores: Vec<Ignore>,
    /// Places that could not be read. The rest of the file is in `acts` all the same.
    pub torn: Vec<Torn>,
    /// Values that stand in the acts' texts, by place.
    pub put_in: Vec<PutIn>,
    /// The project that it defines, normalised.
    pub name: Option<String>,
}

/// The kinds of file we read. The table of names is `read::FORMATS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// pip's requirements format, constraints too.
    Requirements,
    /// conda's `environment.yml`.
    CondaEnvironment,
    /// `pyproject.toml`.
    Pyproject,
    /// `uv.lock`.
    UvLock,
    /// `uv.toml`.
    UvSettings,
    /// `pixi.toml`.
    Pixi,
    /// `Pipfile`.
    Pipfile,
    /// `setup.cfg`.
    SetupCfg,
    /// `setup.py`.
    SetupPy,
    /// A Python script, of which only its inline metadata is read.
    PythonScript,
    /// `.python-version`.
    PythonVersion,
    /// `poetry.lock`.
    PoetryLock,
    /// `pdm.lock`.
    PdmLock,
    /// `pylock.toml` (PEP 751).
    Pylock,
    /// `Pipfile.lock`.
    PipfileLock,
    /// `pixi.lock`.
    PixiLock,
    /// conda-lock's `conda-lock.yml`.
    CondaLock,
    /// `pip.conf`, `pip.ini`.
    PipConfig,
    /// `.condarc`.
    Condarc,
    /// Compose's `.env` and other files of variables.
    EnvFile,
    /// `Dockerfile`, `Containerfile`.
    Dockerfile,
    /// `.dockerignore`: what a build context leaves out.
    Dockerignore,
    /// A shell script.
    Script,
    /// `.bashrc` and its like: read at the start of every shell.
    Rc,
    /// Compose file.
    Compose,
    /// `docker-bake.hcl`, `docker-bake.json`: images that are built.
    Bake,
    /// Kubernetes manifest.
    Kubernetes,
    /// Kustomize's file.
    Kustomization,
    /// Settings of the program that starts containers (`daemon.json`).
    ContainerDaemon,
    /// `devcontainer.json`.
    Devcontainer,
    /// GitHub Actions workflow.
    Workflow,
    /// GitLab's pipeline.
    GitlabCi,
    /// Makefile.
    Makefile,
    /// Markdown: its shell blocks, to silence only.
    Markdown,
    /// GitHub composite action.
    Action,
    /// `cudalint.toml`.
    Config,
    /// A machine, recorded by `probe` or written by hand.
    Host,
}

impl Kind {
    /// Whether a tool writes it, with the one version of each package.
    #[must_use]
    pub fn is_lock(self) -> bool {
        use Kind::{CondaLock, PdmLock, PipfileLock, PixiLock, PoetryLock, Pylock, UvLock};
        matches!(self, UvLock | PoetryLock | PdmLock | Pylock | PipfileLock | PixiLock | CondaLock)
    }
}

/// One thing that a file says or does.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The whole of it: the requirement, the instruction's command, the key with its value.
    pub at: Span,
    /// When it holds.
    pub when: When,
    /// What it says.
    pub does: Does,
}

/// All must hold; empty = always.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct When(pub Vec<Choice>);

/// One condition. Two acts whose choices exclude each other are never in one environment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// An optional-dependencies table, normalised name.
    Extra(String),
    /// A dependency group (PEP 735, poetry's, pdm's, a category of a Pipfile), normalised name.
    Group(String),
    /// A part that environments of pixi or hatch are put together from, by its tool's name for it.
    Feature(String),
    /// It stands in a table of this installer: others never look at it.
    For(Tool),
    /// An environment marker (PEP 508), as written.
    Marker(String),
    /// One arm of an `if`/`case`: `test` is the text of the test, so that equal tests move together;
    /// arm 0 is the `then` of an `if`, the last the `else`.
    Branch {
        /// The test as written (`if`), or the word and its patterns (`case`).
        test: Arc<str>,
        /// Which arm, from 0.
        arm: u32,
    },
    /// A row of a CI matrix.
    Row {
        /// The job.
        job: String,
        /// Which row, from 0.
        row: u32,
    },
    /// An environment of pixi, by name; `default` holds where no other is chosen.
    PixiEnvironment(String),
}

/// What an act says.
#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    /// A manifest names a package.
    Require(Requirement),
    /// A lock names the one version of a package.
    Lock(Locked),
    /// A place that packages come from.
    Index(IndexLine),
    /// A package comes from a named index only (`tool.uv.sources`).
    Route(Route),
    /// The manifest states which Python it is for, as a PEP 440 specifier set (`>=3.10`) or a version.
    Python(Text),
    /// Extras or groups that are never installed together (`tool.uv.conflicts`).
    Conflict(Vec<Choice>),
    /// The project is worked out for machines on which one of these markers holds, and no others (`tool.uv.environments`).
    ResolvedFor(Vec<Text>),
    /// The file was worked out from this one, whose place it takes (`# via -r requirements.in`).
    WorkedOutFrom(Text),
    /// The project is no package: it lists what is installed, and is not installed itself (poetry's `package-mode = false`).
    Unpackaged,
    /// The project is the root of others, which share what it sets (`tool.uv.workspace`).
    Members(Members),
    /// Groups that the project's own tool installs unasked, in place of its usual ones.
    Defaults(Vec<Choice>),
    /// An environment that the manifest puts together (`tool.hatch.envs`, pixi's `environments`).
    Environment(Composed),
    /// A command installs packages.
    Install(Install),
    /// A program is started on the GPU in so many words: `--device cuda`.
    OnCuda,
    /// A virtual environment is made; nothing enters it yet.
    Venv {
        /// In which folder.
        folder: Text,
        /// For which Python, where that is named: `3.10`.
        python: Option<Text>,
    },
    /// A command removes packages.
    Remove(Removal),
    /// A Dockerfile stage begins; all acts up to the next belong to it.
    From(Stage),
    /// A CI job begins; all acts up to the next belong to it.
    Job(Job),
    /// A make target begins; all acts up to the next are its recipe.
    Goal(Goal),
    /// Files go into the image.
    Copy(Copy),
    /// A build context leaves out what fits a pattern, or, `back`, has it all the same.
    LeaveOut {
        /// The pattern, relative to the context.
        pattern: Text,
        /// `!`.
        back: bool,
    },
    /// A variable is set or declared.
    Set(Variable),
    /// A program of which nothing else is told is given a variable that chooses devices (`X_VISIBLE_DEVICES=0 python train.py`).
    Given(Variable),
    /// Where a variable's value comes from that is known only when run.
    Answer(Answer),
    /// What follows happens elsewhere.
    Enter(Place),
    /// What follows does not happen.
    Leave(Leaves),
    /// Something is compiled.
    Compile(Compile),
    /// A container or program is started.
    Launch(Box<Launch>),
    /// Containers that were made before are started (`docker start`), by name.
    Start(Vec<Text>),
    /// System packages (apt, dnf, apk …) come or go.
    System(SystemPackages),
    /// Another file takes part here.
    Include(Include),
    /// What the image runs when it is started (`CMD`, `ENTRYPOINT`); a shell form's words as its shell cuts them.
    Runs {
        /// `ENTRYPOINT`, not `CMD`.
        entrypoint: bool,
        /// The program and its arguments.
        words: Vec<Text>,
    },
    /// A requirements file sets options for the whole of an install: `--pre`, `--no-binary`.
    Options(InstallFlags),
    /// A file is changed on the way (`sed -i`, `grep -v torch a > b`): its text here is no longer known.
    Edit(Text),
    /// A file lies there of which nobody says what is in it (`RUN --mount=type=secret`).
    Secret(Text),
    /// A file is written whose text stands here (`cat > requirements.txt <<EOF`): known from here on.
    Write(Box<Written>),
    /// Parts of files are handed on (`grep -v torch a > b`, `grep -v torch a | pip install -r /dev/stdin`).
    Sift(Sifted),
    /// A step or a job takes another file's steps or jobs in (`uses: ./path`).
    Use(Use),
    /// Environment modules are loaded or unloaded (`module load cuda/12.1`).
    Modules(Modules),
    /// Something is put into a dev container's image by name (`features`).
    Feature(Feature),
    /// A file is fetched (`wget`, `curl`).
    Download(Download),
    /// A script is run that is fetched from this address (`curl … | bash`).
    Fetched(Text),
    /// NVIDIA's installer is run (`sh cuda_12.4.1_550.54.15_linux.run --toolkit`).
    Runfile {
        /// The file.
        file: Text,
        /// Its options.
        arguments: Vec<Text>,
    },
    /// An installer puts a conda into a folder (`bash Miniconda3-latest-Linux-x86_64.sh -b -p /opt/conda`).
    CondaInstaller {
        /// The file.
        file: Text,
        /// The folder.
        prefix: Text,
    },
    /// Manifests are changed.
    Patch(Patch),
    /// Variables that containers may be given.
    ConfigMap(ConfigMap),
    /// The script is sent to nodes of that name (`#SBATCH --partition`, `--constraint`, `--qos`).
    Sent(Text),
    /// Compose reads files together.
    Together(Together),
    /// `nvidia` is made the runtime of all containers that name none.
    DefaultRuntime,
    /// What happens in a stage that stands on this one, right after its `FROM` (`ONBUILD`).
    OnBuild(Vec<Act>),
}
