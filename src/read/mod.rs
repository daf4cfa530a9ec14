//! One reader a format: text → [`Outline`]. A reader knows syntax and nothing else.

use std::cell::LazyCell;
use std::sync::LazyLock;

use crate::outline::{Kind, Outline};
use crate::source::FileId;

mod asked_by_table;
mod bake;
pub(crate) mod command;
mod compose;
mod conda_environment;
mod condarc;
mod container;
mod default_runtime;
mod devcontainer;
mod dockerfile;
mod dockerignore;
mod env_file;
mod excerpt;
pub(crate) mod gitlab;
mod gpu_request;
mod inline;
mod kubernetes;
mod kustomization;
mod lock;
mod made;
mod makefile;
pub(crate) mod markdown;
mod names;
mod pip_config;
mod pipfile;
mod pixi;
mod pyproject;
mod python_script;
mod python_version;
mod requirements;
mod scalar;
mod setup_cfg;
mod setup_py;
mod shell;
mod started;
mod subdir;
pub(crate) mod syntax;
mod uv_settings;
mod workflow;
mod written;

/// A reader: never panics, whatever the bytes; spans lie on character borders of `text`.
pub(crate) type Reader = fn(FileId, &str) -> Outline;

/// One row of the table of our files.
pub struct Format {
    /// The kind of file.
    pub kind: Kind,
    /// Names that leave no doubt: what their own program would refuse is worth a word.
    pub exact: &'static [&'static str],
    /// Names that are ours too, as globs on the last part of the path or, with `/`, on its last parts.
    pub names: &'static [&'static str],
    pub(crate) read: Reader,
}

/// The files that are ours; the first row that fits decides.
pub static FORMATS: &[Format] = &[
    Format { kind: Kind::Config, exact: &["cudalint.toml"], names: &[], read: config },
    Format {
        kind: Kind::Requirements,
        exact: &["requirements.txt"],
        names: &[
            "*requirements*.txt",
            "*requirements*.in",
            "req*.txt",
            "requirements/*.txt",
            "requirements/*.in",
            "reqs/*.txt",
            "reqs/*.in",
            "*constraints*.txt",
        ],
        read: requirements::read,
    },
    Format { kind: Kind::Pyproject, exact: &["pyproject.toml"], names: &[], read: pyproject::read },
    Format { kind: Kind::UvSettings, exact: &["uv.toml"], names: &[], read: uv_settings::read },
    Format { kind: Kind::Pixi, exact: &["pixi.toml"], names: &[], read: pixi::read },
    Format { kind: Kind::Pipfile, exact: &["Pipfile"], names: &[], read: pipfile::read },
    Format { kind: Kind::SetupCfg, exact: &["setup.cfg"], names: &[], read: setup_cfg::read },
    Format { kind: Kind::SetupPy, exact: &["setup.py"], names: &[], read: setup_py::read },
    Format { kind: Kind::PythonVersion, exact: &[".python-version"], names: &[], read: python_version::read },
    Format { kind: Kind::UvLock, exact: &["uv.lock"], names: &[], read: lock::uv::read },
    Format { kind: Kind::PoetryLock, exact: &["poetry.lock"], names: &[], read: lock::poetry::read },
    Format { kind: Kind::PdmLock, exact: &["pdm.lock"], names: &[], read: lock::pdm::read },
    Format { kind: Kind::Pylock, exact: &["pylock.toml", "pylock.*.toml"], names: &["pylock*.toml"], read: lock::pylock::read },
    Format { kind: Kind::PipfileLock, exact: &["Pipfile.lock"], names: &[], read: lock::pipfile::read },
    Format { kind: Kind::PixiLock, exact: &["pixi.lock"], names: &[], read: lock::pixi::read },
    Format {
        kind: Kind::CondaLock,
        exact: &["conda-lock.yml", "conda-lock.yaml"],
        names: &["conda-lock*.yml", "conda-lock*.yaml", "*.conda-lock.yml", "*.conda-lock.yaml"],
        read: lock::conda::read,
    },
    Format {
        kind: Kind::Workflow,
        exact: &[".github/workflows/*.yml", ".github/workflows/*.yaml"],
        names: &[],
        read: workflow::read,
    },
    Format { kind: Kind::Action, exact: &["action.yml", "action.yaml"], names: &[], read: workflow::read },
    Format {
        kind: Kind::Compose,
        exact: &["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
        names: &["*compose*.yml", "*compose*.yaml"],
        read: compose::read,
    },
    Format {
        kind: Kind::CondaEnvironment,
        exact: &["environment.yml", "environment.yaml"],
        names: &["environment*.yml", "environment*.yaml", "env*.yml", "env*.yaml", "conda*.yml", "conda*.yaml"],
        read: conda_environment::read,
    },
    Format {
        kind: Kind::Devcontainer,
        exact: &["devcontainer.json", ".devcontainer.json"],
        names: &[],
        read: devcontainer::read,
    },
    Format {
        kind: Kind::Dockerfile,
        exact: &["Dockerfile", "dockerfile", "Containerfile"],
        names: &["Dockerfile*", "dockerfile*", "*.Dockerfile", "*.dockerfile", "Containerfile*"],
        read: dockerfile::read,
    },
    Format {
        kind: Kind::Rc,
        exact: &[".bashrc", ".bash_profile", ".profile", ".zshrc", ".envrc"],
        names: &["activate.d/*"],
        read: shell::read,
    },
    Format { kind: Kind::Script, exact: &[], names: &["*.sh", "*.bash", "*.zsh", "*.sbatch", "*.slurm"], read: shell::read },
    Format { kind: Kind::Bake, exact: &["docker-bake.hcl", "docker-bake.json"], names: &[], read: bake::read },
    Format { kind: Kind::PipConfig, exact: &["pip.conf", "pip.ini"], names: &[], read: pip_config::read },
    Format { kind: Kind::Condarc, exact: &[".condarc"], names: &[], read: condarc::read },
    Format { kind: Kind::GitlabCi, exact: &[".gitlab-ci.yml", ".gitlab-ci.yaml"], names: &[], read: gitlab::read },
    Format { kind: Kind::Makefile, exact: &["Makefile", "makefile", "GNUmakefile"], names: &[], read: makefile::read },
    Format {
        kind: Kind::Markdown,
        exact: &["README*.md", "Readme*.md", "readme*.md", "INSTALL*.md", "Install*.md", "install*.md", "docs/*.md"],
        names: &[],
        read: markdown::read,
    },
    Format {
        kind: Kind::Kustomization,
        exact: &[],
        names: &["kustomization.yaml", "kustomization.yml", "Kustomization"],
        read: kustomization::read,
    },
    // Only whether it makes `nvidia` the default runtime; a YAML that writes such settings is known by content.
    Format { kind: Kind::ContainerDaemon, exact: &["daemon.json"], names: &[], read: |_, _| Outline::default() },
    // Known by link only: what builds a Dockerfile looks for it.
    Format { kind: Kind::Dockerignore, exact: &[], names: &[], read: dockerignore::read },
    // Known by link only: a compose file names it, or lies beside it.
    Format { kind: Kind::EnvFile, exact: &[], names: &[], read: env_file::read },
    // Known by content only.
    Format { kind: Kind::Kubernetes, exact: &[], names: &[], read: kubernetes::read },
    // Known by a link only.
    Format { kind: Kind::PythonScript, exact: &[], names: &[], read: python_script::read },
];

/// A configuration of our own: here only its comments count.
fn config(file: FileId, text: &str) -> Outline {
    Outline { ignores: syntax::toml::ignores(file, text), ..Outline::default() }
}

/// What `Dockerfile*` and its like would take in and must not.
static NOT_OURS: &[&str] =
    &["*.dockerignore", "*.md", "*.rst", "*.py", "*.js", "*.ts", "*.go", "*.rs", "*.json", "*.html", "*.orig", "*~"];

/// The globs of the table with their row, and whether the name leaves no doubt.
static BY_NAME: LazyLock<names::Index<(usize, bool)>> = LazyLock::new(|| {
    let rows = FORMATS.iter().enumerate();
    names::Index::of(rows.flat_map(|(row, format)| {
        let exact = format.exact.iter().map(move |glob| (*glob, (row, true)));
        exact.chain(format.names.iter().map(move |glob| (*glob, (row, false))))
    }))
});
static REFUSED: LazyLock<names::Index<()>> = LazyLock::new(|| names::Index::of(NOT_OURS.iter().map(|glob| (*glob, ()))));

/// The kind of a file by its path alone; `None` for one that is not ours by name.
#[must_use]
pub fn kind_by_name(path: &str) -> Option<Kind> {
    let refused = LazyCell::new(|| REFUSED.fitting(path).next().is_some());
    let ours = BY_NAME.fitting(path).filter(|(_, exact)| *exact || !*refused);
    ours.map(|(row, _)| row).min().map(|row| FORMATS[row].kind)
}

/// The kind of a `*.yml`/`*.yaml` that is not ours by name, by the first 64 KiB of its text.
#[must_use]
pub fn kind_by_content(path: &str, head: &str) -> Option<Kind> {
    if !path.ends_with(".yml") && !path.ends_with(".yaml") {
        return None;
    }
    let head = head.strip_prefix('\u{feff}').unwrap_or(head);
    let has = |key: &str| {
        head.match_indices(key).any(|(at, _)| at == 0 || matches!(head.as_bytes()[at - 1], b'\n' | b' ' | b'-' | b'{'))
    };
    if has("apiVersion:") && has("containers:") {
        return Some(Kind::Kubernetes);
    }
    if has("services:") && (has("image:") || has("build:")) && compose::may_be(path, head) {
        return Some(Kind::Compose);
    }
    if has("dependencies:") && has("channels:") {
        return Some(Kind::CondaEnvironment);
    }
    (head.contains("default-runtime") && head.contains("nvidia")).then_some(Kind::ContainerDaemon)
}

/// Reads one file of a kind.
#[must_use]
pub fn read(kind: Kind, path: &str, file: FileId, text: &str) -> Outline {
    let Some(format) = FORMATS.iter().find(|f| f.kind == kind) else { return Outline::default() };
    settled(format, path, file, text, (format.read)(file, text))
}

/// Reads one of GitLab's pipelines together with the files that it takes in: what those say is a part of it.
pub(crate) fn pipeline(path: &str, file: FileId, text: &str, included: &[gitlab::Included<'_>]) -> Outline {
    let Some(format) = FORMATS.iter().find(|f| f.kind == Kind::GitlabCi) else { return Outline::default() };
    settled(format, path, file, text, gitlab::joined(file, text, included))
}

fn settled(format: &Format, path: &str, file: FileId, text: &str, mut outline: Outline) -> Outline {
    made::settle(&mut outline.acts);
    inline::name(path, &mut outline.acts);
    outline.acts.extend(default_runtime::find(format.kind, file, text));
    // Files that are ours by a pattern or by content may be meant for another program.
    if !format.exact.iter().any(|glob| names::fits(glob, path)) {
        outline.torn.clear();
    }
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_name() {
        let kind = |path| kind_by_name(path);
        for (path, expected) in [
            ("a/requirements-dev.txt", Some(Kind::Requirements)),
            ("requirements/base.in", Some(Kind::Requirements)),
            ("requirements_gpu.in", Some(Kind::Requirements)),
            ("req.txt", Some(Kind::Requirements)),
            ("docs/robots.txt", None),
            ("docker/Dockerfile.cu121", Some(Kind::Dockerfile)),
            ("docker/train.Dockerfile", Some(Kind::Dockerfile)),
            ("Dockerfile.dockerignore", None),
            ("dockerfile_parse.py", None),
            ("docker-compose.gpu.yml", Some(Kind::Compose)),
            (".github/workflows/ci.yml", Some(Kind::Workflow)),
            (".devcontainer/docker-compose.yml", Some(Kind::Compose)),
            (".devcontainer/devcontainer.json", Some(Kind::Devcontainer)),
            ("env.yaml", Some(Kind::CondaEnvironment)),
            ("conda-lock.yml", Some(Kind::CondaLock)),
            ("gpu.conda-lock.yml", Some(Kind::CondaLock)),
            ("a/pylock.dev.toml", Some(Kind::Pylock)),
            (".bashrc", Some(Kind::Rc)),
            ("etc/conda/activate.d/cuda.sh", Some(Kind::Rc)),
            ("train.sbatch", Some(Kind::Script)),
            ("config.yml", None),
            ("a/pixi.toml", Some(Kind::Pixi)),
            ("a/Pipfile", Some(Kind::Pipfile)),
            ("uv.toml", Some(Kind::UvSettings)),
            ("a/setup.py", Some(Kind::SetupPy)),
            ("setup.cfg", Some(Kind::SetupCfg)),
            ("a/.python-version", Some(Kind::PythonVersion)),
            ("a/train.py", None),
            ("recipe/meta.yaml", None),
        ] {
            assert_eq!(kind(path), expected, "{path}");
        }
    }

    #[test]
    fn kinds_by_content() {
        let kind = |head| kind_by_content("x/some.yaml", head);
        assert_eq!(kind("channels:\n- a\ndependencies:\n- b\n"), Some(Kind::CondaEnvironment));
        assert_eq!(kind("services:\n  a:\n    image: x\n"), Some(Kind::Compose));
        assert_eq!(kind("apiVersion: v1\nspec:\n  containers:\n"), Some(Kind::Kubernetes));
        assert_eq!(kind("services:\n  a:\n    image: x\n    gpu: {enabled: true}\n"), None, "a chart's values");
        assert_eq!(kind("services:\n  a:\n    image: x\nreplicas: 1\n"), None);
        assert_eq!(kind("services: [{image: x}]\n"), None);
        assert_eq!(kind("x-a: &a {image: x}\nname: n\nservices:\n  a: {<<: *a, x-b: 1}\n  b:\n"), Some(Kind::Compose));
        assert_eq!(kind_by_content("chart/values.yaml", "services:\n  a:\n    image: x\n"), None);
        assert_eq!(kind_by_content("chart/templates/a.yaml", "services:\n  a:\n    image: x\n"), None);
        assert_eq!(kind("docker:\n  default-runtime: nvidia\n"), Some(Kind::ContainerDaemon));
        assert_eq!(kind("microservices:\n  image: x\n"), None);
        // A recipe of conda's is no environment.
        assert_eq!(kind("package:\n  name: x\nrequirements:\n  host:\n    - pytorch\n  run:\n    - cudatoolkit\n"), None);
        assert_eq!(kind_by_content("x.json", "services:\n image:"), None);
    }
}
