//! What one file says, in its own order. No knowledge, no judgement.
//!
//! A reader turns text into an [`Outline`]; only `project` puts outlines together.

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
    /// A shell script.
    Script,
    /// `.bashrc` and its like: read at the start of every shell.
    Rc,
    /// Compose file.
    Compose,
    /// Kubernetes manifest.
    Kubernetes,
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
        test: String,
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
    /// A compose profile.
    Profile(String),
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
    /// Groups that the project's own tool installs unasked, in place of its usual ones.
    Defaults(Vec<Choice>),
    /// An environment that the manifest puts together (`tool.hatch.envs`, pixi's `environments`).
    Environment(Composed),
    /// A command installs packages.
    Install(Install),
    /// A virtual environment is made in a folder; nothing enters it yet.
    Venv(Text),
    /// A command removes packages.
    Remove {
        /// With which tool.
        tool: Tool,
        /// Package names.
        names: Vec<Text>,
    },
    /// A Dockerfile stage begins; all acts up to the next belong to it.
    From(Stage),
    /// A CI job begins; all acts up to the next belong to it.
    Job(Job),
    /// A make target begins; all acts up to the next are its recipe.
    Goal(Goal),
    /// Files go into the image.
    Copy(Copy),
    /// A variable is set or declared.
    Set(Variable),
    /// What follows happens elsewhere.
    Enter(Place),
    /// What follows does not happen.
    Leave(Leaves),
    /// Something is compiled.
    Compile(Compile),
    /// A container or program is started.
    Launch(Box<Launch>),
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
    /// A file is written whose text stands here (`cat > requirements.txt <<EOF`): known from here on.
    Write(Box<Written>),
    /// A step or a job takes another file's steps or jobs in (`uses: ./path`).
    Use(Use),
    /// Environment modules are loaded or unloaded (`module load cuda/12.1`).
    Modules(Modules),
    /// A file is fetched (`wget`, `curl`).
    Download(Download),
    /// NVIDIA's installer is run (`sh cuda_12.4.1_550.54.15_linux.run --toolkit`).
    Runfile {
        /// The file.
        file: Text,
        /// Its options.
        arguments: Vec<Text>,
    },
    /// What happens in a stage that stands on this one, right after its `FROM` (`ONBUILD`).
    OnBuild(Vec<Act>),
}

/// Text that may hold variables. Linking resolves it to one value, or to none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    /// In order; adjacent literals are joined.
    pub pieces: Vec<Piece>,
    /// Where it stands, quotes included.
    pub at: Span,
}

/// A part of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Means itself; quotes and escapes are already taken away.
    Literal(String),
    /// `$NAME`, `${NAME}`, `${NAME:-fallback}`, `${NAME:+instead}`.
    Variable {
        /// Its name.
        name: String,
        /// What stands in when it is unset or empty (`:-`, `-`).
        fallback: Option<Vec<Piece>>,
        /// What stands there only when it is set (`:+`, `+`).
        instead: Option<Vec<Piece>>,
    },
    /// Known only when run: `$(nvcc --version)`, `${A//x/y}`, `${{ matrix.x }}`, `{{ jinja }}`, a glob.
    Opaque,
}

impl Text {
    /// A text without variables.
    #[must_use]
    pub fn literal(text: impl Into<String>, at: Span) -> Self {
        Self { pieces: vec![Piece::Literal(text.into())], at }
    }
    /// The text, if it holds no variable.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }
}

/// An environment that a manifest puts together.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// Its name; `None` for the one that is meant where none is named.
    pub name: Option<String>,
    /// With which tool it is installed.
    pub tool: Tool,
    /// What it is made of.
    pub with: Vec<Choice>,
    /// The project itself comes along, with what it requires.
    pub project: bool,
}

/// A package that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The whole requirement without options, hashes and comment: `torch==2.1.0+cu118; sys_platform == "linux"`,
    /// a URL, a path, or a conda match spec. `read::syntax` parses it once its variables are known.
    pub written: Text,
    /// How `written` is to be read.
    pub language: Language,
    /// What it is for.
    pub role: Role,
}

/// The notation of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// PEP 508, and what pip accepts beside it: URL, path, `-e`.
    Pep508,
    /// conda's match specification.
    MatchSpec,
}

/// What a requirement does to the package it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Installs it.
    Asks,
    /// Bounds its version if something else installs it (`-c`, `tool.uv.constraint-dependencies`).
    Bounds,
    /// Replaces what other packages ask (`tool.uv.override-dependencies`).
    Overrides,
    /// Needed to build, in a throw-away environment (`build-system.requires`).
    Builds,
}

/// A lock's entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Locked {
    /// The package, with the place of its name's value.
    pub name: Text,
    /// Its one version, with the place of that value; the line that a user would edit.
    pub version: Text,
    /// Where it comes from.
    pub from: LockedFrom,
    /// PEP 508 markers, one of which must hold (lock forks); empty = always.
    pub markers: Vec<String>,
}

/// Where a lock's entry comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum LockedFrom {
    /// From the indexes that are in force where it is installed: the lock names none.
    Indexes,
    /// From PyPI, which such a lock leaves unnamed.
    Pypi,
    /// From the index of that address.
    Index(Text),
    /// A wheel or archive of that address.
    File(Text),
    /// Sources: git, a path; unknown to us.
    Elsewhere,
    /// A conda package: its file's address, or an exact match spec.
    Conda(Text),
}

/// A place that packages come from.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexLine {
    /// Its address or, for conda, the channel's name.
    pub url: Text,
    /// How it takes part.
    pub kind: IndexKind,
    /// The name that a [`Route`] calls it by.
    pub name: Option<String>,
    /// Serves only packages routed to it (`explicit = true`).
    pub explicit: bool,
}

/// How an index takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// Takes the place of PyPI (`--index-url`, `-i`, uv's `default = true`).
    Primary,
    /// Beside PyPI (`--extra-index-url`, `[[tool.uv.index]]`).
    Extra,
    /// A page of links (`-f`, `--find-links`).
    FindLinks,
    /// Asked only for what no other index has (poetry's `supplemental`).
    Supplemental,
    /// No index at all (`--no-index`); `url` is the option itself.
    None,
    /// A conda channel, in order of priority.
    Channel,
}

/// A package's own index.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The package, normalised.
    pub package: String,
    /// Where it comes from.
    pub to: RouteTo,
}

/// Where a routed package comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum RouteTo {
    /// The index of that name.
    Index(Text),
    /// A wheel or archive.
    Url(Text),
    /// Sources: git, a path, a workspace member; unknown to us.
    Elsewhere,
}

/// Which installer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// pip, also through `python -m pip`.
    Pip,
    /// `uv pip`.
    UvPip,
    /// uv's project commands: `sync`, `run`, `add`, `lock`.
    Uv,
    /// conda, mamba, micromamba.
    Conda,
    /// poetry.
    Poetry,
    /// pdm.
    Pdm,
    /// pipenv.
    Pipenv,
    /// pixi, its Python part; what it takes from conda's channels is [`Tool::Conda`]'s.
    Pixi,
}

/// A command that installs.
#[derive(Clone, Debug, PartialEq)]
pub struct Install {
    /// Which installer.
    pub tool: Tool,
    /// Packages named on the command line.
    pub asks: Vec<Requirement>,
    /// Files named on the command line, in order.
    pub reads: Vec<Include>,
    /// Indexes and channels named on the command line.
    pub indexes: Vec<IndexLine>,
    /// Into which environment.
    pub target: Target,
    /// The options that change what is installed.
    pub flags: InstallFlags,
}

/// Into which environment a command installs.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Target {
    /// The one in force.
    #[default]
    Active,
    /// A conda environment by name (`-n`).
    Named(Text),
    /// The one that a tool keeps for its project (`poetry run pip install x`).
    Own(Tool),
    /// The packages of one Python among several (`python3.9 -m pip`, `pip3.9`): `3.9`.
    Python(String),
    /// An environment by folder or by its Python (`-p`, `--python /opt/venv/bin/python`, `--target`).
    Prefix(Text),
}

/// Options of an installing command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstallFlags {
    /// `--no-deps`.
    pub no_deps: bool,
    /// `-U`, `--upgrade`, conda's `update`.
    pub upgrade: bool,
    /// `--force-reinstall`, `--ignore-installed`, `--reinstall`.
    pub reinstall: bool,
    /// `--pre`.
    pub pre: bool,
    /// `--no-build-isolation`.
    pub no_build_isolation: bool,
    /// Installs nothing here: `--dry-run`, `download`, `wheel`, `uv lock`, `uv pip compile`.
    pub elsewhere: bool,
    /// A new environment (`conda create`, `conda env create`).
    pub creates: bool,
    /// `--no-binary` names.
    pub no_binary: Vec<Text>,
    /// Packages that are built with what the environment has, or with named packages beside their own.
    pub no_isolation_for: Vec<Text>,
    /// uv's `--torch-backend`.
    pub torch_backend: Option<Text>,
    /// uv's `--index-strategy`.
    pub index_strategy: Option<Text>,
    /// `--environment` of pixi.
    pub environment: Option<Text>,
    /// `--extra` of uv, normalised where literal.
    pub extras: Vec<Text>,
    /// `--group` of uv and pip.
    pub groups: Vec<Text>,
    /// Groups that are left out, defaults or not.
    pub without: Vec<Text>,
    /// The project's default groups come along.
    pub default_groups: bool,
    /// `--all-extras`.
    pub all_extras: bool,
    /// `--python-version`, `-p 3.11` of uv.
    pub python: Option<Text>,
}

/// Another file that takes part.
#[derive(Clone, Debug, PartialEq)]
pub struct Include {
    /// Its path as written.
    pub path: Text,
    /// As what.
    pub how: How,
}

/// As what a file is included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// `-r`: its requirements are asked for. The path is relative to the including file, or to the working directory for a command.
    Requirements,
    /// `-c`: its requirements only bound.
    Constraints,
    /// uv's `--overrides`: its requirements take the place of what is asked.
    Overrides,
    /// conda's `-f environment.yml`.
    CondaEnvironment,
    /// A folder with a `pyproject.toml` (`pip install .`, `-e .[gpu]`, `uv sync`); extras stand in the requirement text.
    Project,
    /// `source x.sh`.
    Script,
    /// What setuptools takes from `setup.cfg` and `setup.py` beside; neither need be there.
    Setup,
    /// `uv run x.py`: an environment of its own, where its inline metadata says what goes in.
    PythonScript,
    /// make's `include x.mk`.
    Makefile,
}

/// A file that stands inside another.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Where it goes.
    pub path: Text,
    /// How it is read.
    pub kind: Kind,
    /// What it says; its places are those of the file around it.
    pub outline: Outline,
}

/// A Dockerfile stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The image or an earlier stage's name.
    pub image: Text,
    /// `AS name`, lower case.
    pub name: Option<String>,
    /// `--platform`.
    pub platform: Option<Text>,
}

/// A CI job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its key.
    pub name: String,
    /// `container:` image.
    pub container: Option<Text>,
    /// `runs-on`, as written; several labels joined by a space.
    pub runs_on: Option<Text>,
}

/// A rule of a makefile.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// Its targets.
    pub names: Vec<String>,
    /// Its prerequisites, which are made before.
    pub needs: Vec<Text>,
}

/// `COPY`, `ADD`.
#[derive(Clone, Debug, PartialEq)]
pub struct Copy {
    /// `--from`: a stage or an image. `None`: the build context.
    pub from: Option<Text>,
    /// What.
    pub sources: Vec<Text>,
    /// To where.
    pub to: Text,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value; `None` for a declaration without one (`ARG X`).
    pub value: Option<Text>,
    /// How far it reaches.
    pub scope: Scope,
}

/// How far a variable reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Dockerfile `ARG`.
    Arg,
    /// Written to the user's configuration (`pip config set`): outlives the shell and the layer.
    Configured,
    /// Written to `$GITHUB_ENV` or `$GITHUB_PATH`: holds for the later steps of the job.
    Job,
    /// The whole environment from here on: `ENV`, `export`, a workflow's or compose's `env`.
    Environment,
    /// The shell that sets it only.
    Shell,
    /// One command only (`X=1 cmd`), or a `RUN export` that ends with its layer; stands right before the act it is for.
    Command,
}

/// Where what follows happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// `WORKDIR`, `cd`.
    Directory(Text),
    /// `conda activate`.
    CondaEnvironment(Text),
    /// `source X/bin/activate`, `python -m venv X` followed by its use.
    Venv(Text),
    /// The whole script runs in a container of that image (`#SBATCH --container-image`).
    Image(Text),
    /// A called function's body begins, in the same shell; the [`Place::Back`] that belongs to it follows.
    Call,
    /// A subshell or a RUN begins; the [`Place::Back`] that belongs to it follows.
    Subshell,
    /// A subshell or a RUN ends: directory, environment and shell variables are again what they were before it.
    /// Or a call ends, which changes nothing.
    Back,
}

/// What the rest of does not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// The shell's: `exit`, `exec program`.
    Shell,
    /// The function's or the sourced file's: `return`.
    Function,
}

/// A compiling command.
#[derive(Clone, Debug, PartialEq)]
pub struct Compile {
    /// The program: `nvcc`, `cmake`, `make`, `setup.py`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<Text>,
}

/// System packages.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemPackages {
    /// `apt`, `dnf`, `apk`, `pacman` …
    pub manager: String,
    /// With versions as written (`cuda-toolkit-12-4=12.4.1-1`).
    pub names: Vec<Text>,
    /// Whether they go.
    pub removes: bool,
}

/// A composite action or a workflow of the root that takes part.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// Its path from the root.
    pub path: Text,
    /// Its inputs, as variables by [`input_name`].
    pub with: Vec<Variable>,
}

/// The variable that stands for `${{ inputs.python-version }}`.
#[must_use]
pub fn input_name(input: &str) -> String {
    let name = input.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    INPUTS.chars().chain(name).collect()
}

/// What the names of [`input_name`] begin with.
pub const INPUTS: &str = "inputs__";

/// Environment modules.
#[derive(Clone, Debug, PartialEq)]
pub struct Modules {
    /// With versions as written: `cuda/12.1`; empty where all of them go (`module purge`).
    pub names: Vec<Text>,
    /// Whether they go.
    pub unloads: bool,
}

/// A file that is fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct Download {
    /// From where.
    pub url: Text,
    /// To where; `None` for standard output.
    pub to: Option<Text>,
}

/// Something is started: a compose service, a pod's container, `docker run`.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// By what.
    pub by: Launcher,
    /// The service, pod or container name.
    pub name: Option<String>,
    /// Where a finding about it is placed: the service's key, the `docker` word, the container's entry.
    pub key: Span,
    /// The image it runs.
    pub image: Option<Text>,
    /// Or the Dockerfile that is built for it.
    pub build: Option<BuildOf>,
    /// The GPU it asks for.
    pub gpu: GpuRequest,
    /// Arguments after the image, or `command:`/`args:`, word by word.
    pub command: Vec<Text>,
    /// `--entrypoint`, `entrypoint:`, Kubernetes' `command:`.
    pub entrypoint: Option<Vec<Text>>,
    /// Variables given to it.
    pub environment: Vec<Variable>,
    /// Files of variables given to it, before those (`env_file`); relative to the file that says so.
    pub environment_files: Vec<Text>,
    /// More variables come from where nothing is read (`envFrom`).
    pub unread_environment: bool,
    /// A word that asks for a GPU node without asking for the GPU (Kubernetes nodeSelector, affinity).
    pub gpu_node: Option<Text>,
    /// An argument could not be read (`$GPU_ARGS`, an array, `extends`): absence proves nothing.
    pub open: bool,
    /// Nothing of it uses a GPU: it has no replicas, or only prints its help.
    pub idle: bool,
}

impl Launch {
    /// Whether a GPU's devices and driver may be there when it runs.
    #[must_use]
    pub fn may_have_gpu(&self) -> bool {
        // Where the `nvidia` runtime is the default one, this variable asks.
        let chosen = |v: &Variable| {
            let value = v.value.as_ref().and_then(Text::known);
            v.name == "NVIDIA_VISIBLE_DEVICES" && !matches!(value, Some("" | "void" | "none"))
        };
        !self.idle && (self.gpu != GpuRequest::None || self.open || self.environment.iter().any(chosen))
    }
    /// Whether these words only ask a program for its help or version.
    #[must_use]
    pub fn only_tells(command: &[Text]) -> bool {
        command.iter().filter_map(Text::known).any(|word| matches!(word, "--help" | "--version"))
    }
}

/// What starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Launcher {
    /// A compose service.
    Compose,
    /// `docker run`, `podman run`, `nvidia-docker run`.
    DockerRun,
    /// `docker build -t X`: starts nothing, but names an image for its Dockerfile.
    DockerBuild,
    /// A Kubernetes container.
    Kubernetes,
    /// `devcontainer.json`.
    Devcontainer,
    /// `srun --container-image`, `shifter`.
    Slurm,
    /// `apptainer exec`, `singularity run`.
    Apptainer,
}

/// A Dockerfile to build.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildOf {
    /// The folder.
    pub context: Text,
    /// The Dockerfile, relative to the context (compose) or to the working directory (`docker build -f`).
    pub dockerfile: Option<Text>,
    /// The stage.
    pub target: Option<Text>,
    /// Build arguments.
    pub arguments: Vec<Variable>,
}

/// How a launch asks for a GPU.
#[derive(Clone, Debug, PartialEq)]
pub enum GpuRequest {
    /// Not at all.
    None,
    /// At that place.
    Asked(Span),
    /// "If there is one" (`hostRequirements.gpu: optional`).
    Optional(Span),
}

/// A comment that silences rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignore {
    /// The whole comment.
    pub at: Span,
    /// The rules, with the place of each name; empty where it names none, and then it silences none.
    pub rules: Vec<(String, Span)>,
    /// What it covers.
    pub covers: Covers,
}

/// What an ignore comment covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Labels that touch these bytes (whole lines).
    Lines(Span),
    /// The file.
    File,
    /// Nothing, for this reason.
    Nothing(Vain),
}

/// Why a comment silences nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vain {
    /// `ignore-file` below something else.
    NotAtTop,
    /// Neither `ignore` nor `ignore-file`.
    OtherWord,
}

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Torn {
    /// Where.
    pub at: Span,
    /// Why, in the words of the format: one line, no full stop.
    pub why: String,
    /// A template marker (`{{`, `{%`, `<%`) explains it.
    pub template: bool,
}
