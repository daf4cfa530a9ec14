//! What commands put in.

use super::{Include, IndexLine, Requirement, Text};

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
    /// The whole of it, where words of it come from variables: which options they are is known only with these.
    pub line: Option<Line>,
}

/// A command that takes packages away.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// With which tool.
    pub tool: Tool,
    /// Packages named on the command line.
    pub names: Vec<Text>,
    /// Files of names.
    pub reads: Vec<Include>,
    /// From which environment.
    pub target: Target,
    /// That goes, with all that is in it.
    pub whole: bool,
    /// The whole of it, where words of it come from variables.
    pub line: Option<Line>,
}

impl Removal {
    /// Those packages, from the environment in force.
    #[must_use]
    pub fn of(tool: Tool, names: Vec<Text>) -> Self {
        Self { tool, names, reads: Vec::new(), target: Target::Active, whole: false, line: None }
    }
}

/// A command line with words in it that a shell cuts into several once their variables are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its words, program first, and whether they are cut.
    pub words: Vec<(Text, bool)>,
}

/// Into which environment a command installs.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Target {
    /// The one in force.
    #[default]
    Active,
    /// The system's own Python (`uv pip install --system`), whatever virtual environment is there.
    System,
    /// A conda environment by name (`-n`).
    Named(Text),
    /// The one that a tool keeps for its project (`poetry run pip install x`).
    Own(Tool),
    /// The packages of one Python among several (`python3.9 -m pip`, `pip3.9`): `3.9`.
    Python(String),
    /// One of its own that a tool keeps for one program, by the words for both (`uv tool install vllm`: `uv tool vllm`); without a
    /// name, one that is gone after the command (`uv run --with`, `uvx`).
    Apart(Text),
    /// An environment by folder or by its Python (`-p`, `--python /opt/venv/bin/python`, `--target`).
    Prefix(Text),
}

/// Options of an installing command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstallFlags {
    /// `--no-deps`.
    pub no_deps: bool,
    /// What `uv run` installs before it runs something, which a variable switches off (`UV_NO_SYNC`).
    pub before_run: bool,
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
    /// What is handed to the script that builds: `--cuda_ext` of `--global-option=--cuda_ext`, of `-C --build-option=--cuda_ext`, of
    /// `setup.py install --cuda_ext`.
    pub build_options: Vec<Text>,
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
    /// `--package` of uv: the members of the workspace that are meant, normalised where literal.
    pub members: Vec<Text>,
    /// `--all-packages` of uv: all of them.
    pub all_members: bool,
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
    /// `--all-groups`.
    pub all_groups: bool,
    /// Of a project its named groups and extras alone, without what it requires itself: `--only-group`, `--no-default`.
    pub parts_only: bool,
    /// `--python-version`, `-p 3.11` of uv.
    pub python: Option<Text>,
    /// For the machine or Python that this names, which need not be the one that runs the command: `--platform`, `--abi`,
    /// `--python-platform`.
    pub platform: Option<Text>,
    /// What is picked need not be the newest of today: `--exclude-newer`, `--uploaded-prior-to`, `--resolution lowest`.
    pub not_newest: bool,
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

/// A dev container's feature: what is put into its image by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// `ghcr.io/devcontainers/features/python:1`.
    pub name: Text,
    /// Its option of that name.
    pub version: Option<Text>,
}
