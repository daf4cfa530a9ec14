//! Variables, and where what follows happens.

use super::Text;

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

/// What a variable holds, or what a function answers, comes from asking. Stands right behind the act that sets the variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The variable, or `(name)` for a function.
    pub name: String,
    /// The machine was asked which driver, toolkit or GPU it has.
    pub machine: bool,
    /// Which packages are there was asked.
    pub packages: bool,
    /// Variables, and functions as `(name)`, that it comes from besides.
    pub from: Vec<String>,
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
    /// The conda environment that a file names, which is made by then.
    CondaEnvironmentOf(Text),
    /// The rest of the subshell is run by a shell that reads no start files: in no conda environment that these activate.
    PlainShell,
    /// `source X/bin/activate`, `python -m venv X` followed by its use.
    Venv(Text),
    /// `pyenv global X`: `python` and `pip` are another Python's from here on, whatever shell runs them.
    Python(Text),
    /// `ln -s /usr/bin/python3.8 /usr/bin/python`: the system's Python is this one, unless its `pip` is still another's.
    SystemPython(Text),
    /// The whole script runs in a container of that image (`#SBATCH --container-image`).
    Image(Text),
    /// The rest of the subshell happens in a container that is running, by its name (`docker exec`).
    Container(Text),
    /// The same in that of a compose file's service (`docker compose exec`), or in one that is made of it for this alone (`run`).
    Service {
        /// The service.
        name: Text,
        /// One of its own.
        anew: bool,
    },
    /// The rest of the subshell happens in the container that the launch before it starts: its own command.
    Started,
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
