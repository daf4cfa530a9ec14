//! How files name each other, and the parts of a file that are built or run by name.

use super::{Kind, Outline, Text, Variable};

/// Another file that takes part.
#[derive(Clone, Debug, PartialEq)]
pub struct Include {
    /// Its path as written.
    pub path: Text,
    /// As what.
    pub how: How,
}

/// The projects that a workspace takes in, by globs of their folders, relative to its root.
#[derive(Clone, Debug, PartialEq)]
pub struct Members {
    /// Those.
    pub with: Vec<Text>,
    /// Except for these.
    pub without: Vec<Text>,
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
    /// A file of GitLab's that a pipeline takes in; its path is the repository's.
    Pipeline,
    /// A compose file that is read together with another.
    Compose,
    /// Kustomize's `resources`: a manifest, or a folder with a kustomization.
    Manifest,
    /// Kustomize's `components`: a folder whose patches hold for the manifests taken here.
    Component,
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
    /// What is put into it when it is written, by the names that its texts have for it: later values change nothing.
    pub put_in: Vec<Variable>,
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

/// Parts of files that are handed on.
#[derive(Clone, Debug, PartialEq)]
pub struct Sifted {
    /// The files.
    pub from: Vec<Text>,
    /// The file that they become; `None` where a command installs them at once.
    pub to: Option<Text>,
}
