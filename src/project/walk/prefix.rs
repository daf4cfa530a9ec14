//! Into which environment a command installs.

use super::super::paths;
use super::super::variables::Seen;
use super::{Prefix, Walker};
use crate::outline::{InstallFlags, Target, Tool};

impl Walker<'_, '_> {
    /// The prefix that a command without a target installs into.
    pub(super) fn active(&self, tool: Tool) -> Prefix {
        if self.prefix != Prefix::System || tool == Tool::Conda {
            return self.prefix.clone();
        }
        let exported = |name: &str| self.variables.get(name).filter(|v| v.seen != Seen::Shell);
        let own = exported("VIRTUAL_ENV").and_then(|v| v.text.as_deref()).map(|v| v.trim_end_matches('/'));
        let path = exported("PATH").and_then(|v| self.first_on_path(&v.written, own));
        // uv installs into VIRTUAL_ENV whatever PATH says.
        let by_uv = || own.filter(|_| tool != Tool::Pip).map(|own| venv(own.to_owned()));
        path.or_else(by_uv).or_else(|| self.python.clone()).unwrap_or_default()
    }

    /// The virtual environment whose programs come first on `PATH`: one that was made here, or that `VIRTUAL_ENV` or its own
    /// name tells.
    fn first_on_path(&self, path: &str, own: Option<&str>) -> Option<Prefix> {
        let folders = path.split(':').take_while(|part| !part.contains("${PATH}")).filter_map(|part| part.strip_suffix("/bin"));
        // `$PWD/env` is the `env` that was made.
        let here = |folder: &str| ["${PWD}/", "$()/"].iter().find_map(|pwd| folder.strip_prefix(pwd)).map(|f| self.here(f));
        let told = |folder: &str| {
            own == Some(folder)
                || self.made.contains(folder)
                || folder.contains("/envs/")
                || folder.rsplit('/').any(|part| part.contains("venv") || part.contains("virtualenv"))
        };
        folders.into_iter().find_map(|folder| {
            let made = here(folder).filter(|folder| self.made.contains(folder));
            made.or_else(|| told(folder).then(|| folder.to_owned())).map(venv)
        })
    }

    /// The environment of a command without a target: tools that keep a project make one of their own for it.
    fn own_environment(&self, tool: Tool, flags: &InstallFlags) -> Prefix {
        let active = self.active(tool);
        let off = |name: &str| self.variable(name).is_some_and(|v| v.text.as_deref() != Some("true"));
        match tool {
            Tool::Pixi => {
                let name = flags.environment.as_ref().map(|name| self.variables.resolve(name));
                let folder = |name: &str| Prefix::Conda(self.here(&format!(".pixi/envs/{name}")));
                match name {
                    Some(None) => Prefix::Unknown,
                    Some(Some(name)) => folder(&name),
                    None => folder("default"),
                }
            }
            // Source: <https://python-poetry.org/docs/configuration/#virtualenvscreate>.
            Tool::Poetry if off("POETRY_VIRTUALENVS_CREATE") => active,
            Tool::Poetry | Tool::Pdm | Tool::Pipenv if active == Prefix::System => Prefix::Venv(self.here(".venv")),
            // Whatever is active. Source: <https://docs.astral.sh/uv/concepts/projects/config/#project-environment-path>.
            Tool::Uv => match self.variable("UV_PROJECT_ENVIRONMENT").map(|v| v.text.as_deref()) {
                None | Some(Some("")) => Prefix::Venv(self.here(".venv")),
                Some(Some("/usr" | "/usr/local")) => Prefix::System,
                Some(Some(folder)) if folder.contains("conda") => conda(folder),
                Some(Some(folder)) => venv(self.here(folder)),
                Some(None) => Prefix::Unknown,
            },
            // It takes the `.venv` that is there, unless one is active.
            Tool::UvPip if active == Prefix::System && self.variable("UV_SYSTEM_PYTHON").is_none() => {
                let own = self.here(".venv");
                if self.made.contains(&own) { Prefix::Venv(own) } else { active }
            }
            _ => active,
        }
    }

    /// A path as the place where commands run has it.
    pub(super) fn here(&self, path: &str) -> String {
        self.ask_where(path);
        match (&self.image, self.folders.first()) {
            (Some(image), _) => paths::inside(&image.folder, path),
            (None, folder) => folder.and_then(|folder| paths::join(folder, path)).unwrap_or_else(|| path.to_owned()),
        }
    }

    /// The prefix that a command changes.
    pub(super) fn prefix_of(&self, tool: Tool, target: &Target, flags: &InstallFlags) -> Prefix {
        match target {
            Target::Active => self.own_environment(tool, flags),
            Target::Own(tool) => self.own_environment(*tool, flags),
            Target::System => Prefix::System,
            Target::Apart(name) => match self.variables.resolve(name) {
                None => Prefix::Unknown,
                Some(unnamed) if unnamed.is_empty() => {
                    Prefix::Venv(format!("({}:{})", self.project.sources.path(name.at.file), name.at.start))
                }
                Some(name) => Prefix::Venv(format!("({name})")),
            },
            Target::Python(minor) => match self.active(tool) {
                Prefix::System => Prefix::Python(minor.clone()),
                active => active,
            },
            Target::Named(name) => self.variables.resolve(name).map_or(Prefix::Unknown, |n| conda(&n)),
            Target::Prefix(folder) => match (self.variables.resolve(folder), tool) {
                (None, _) if flags.creates => Prefix::Unknown,
                (None, _) => Prefix::Somewhere(self.project.sources.slice(folder.at).to_owned()),
                (Some(f), Tool::Conda) => conda(&f),
                (Some(f), _) if f.trim_end_matches('/') == "/usr" => Prefix::Distribution,
                (Some(f), _) => venv(self.here(&f)),
            },
        }
    }

    /// The prefix that a command installs into; what it makes is made.
    pub(super) fn prefix_to(&mut self, tool: Tool, target: &Target, flags: &InstallFlags) -> Prefix {
        let prefix = self.prefix_of(tool, target, flags);
        if flags.creates
            && let Target::Prefix(folder) = target
            && let Some(folder) = self.variables.resolve(folder)
        {
            self.made.insert(self.here(&folder));
        }
        let by_tool = match tool {
            Tool::Uv | Tool::Pixi => true,
            Tool::Poetry | Tool::Pdm | Tool::Pipenv => prefix == Prefix::Venv(self.here(".venv")),
            _ => flags.creates,
        };
        if let (true, Prefix::Venv(name) | Prefix::Conda(name)) = (by_tool, &prefix) {
            self.fresh.insert(name.clone());
        }
        if let (Tool::Uv, Prefix::Venv(folder)) = (tool, &prefix) {
            self.made.insert(folder.clone());
        }
        prefix
    }

    /// Whether the environment that a step changes was made here.
    pub(super) fn was_made(&self, prefix: &Prefix) -> bool {
        matches!(prefix, Prefix::Venv(name) | Prefix::Conda(name) if self.fresh.contains(name))
    }
}

/// `/usr/bin/pip` is the system's, and `/opt/conda/bin/pip` that of an image whose Python is conda's base.
pub(super) fn venv(folder: String) -> Prefix {
    match folder.trim_end_matches('/') {
        "" | "/usr" | "/usr/local" | "/opt/conda" => Prefix::System,
        name if name.contains("/envs/") => conda(name),
        name => Prefix::Venv(name.to_owned()),
    }
}

pub(super) fn conda(name: &str) -> Prefix {
    match name.rsplit_once("/envs/") {
        // `/opt/conda/envs/x` and `-n x` are one environment.
        Some((_, last)) => Prefix::Conda(last.trim_end_matches('/').to_owned()),
        // Its folder may stand on PATH.
        None if name.starts_with('/') => venv(name.to_owned()),
        None => Prefix::Conda(name.trim_end_matches('/').to_owned()),
    }
}
