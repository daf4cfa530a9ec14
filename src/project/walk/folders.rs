//! In which folders of an image an environment lies.

use super::super::paths;
use super::Prefix;
use super::prefix::conda;

/// How the folders of conda's own environment are called.
const CONDA: [&str; 3] = ["conda", "mamba", "miniforge"];

/// The folder of the environment to whose packages a path leads, and what follows these: `/opt/venv` and `torch` of
/// `/opt/venv/lib/python3.11/site-packages/torch`.
pub(super) fn of_packages(path: &str) -> Option<(&str, &str)> {
    let (before, after) = ["/site-packages", "/dist-packages"].iter().find_map(|name| path.split_once(name))?;
    let rest = after.trim_matches('/');
    let folder = before.rsplit_once("/lib").map(|(folder, _)| folder)?;
    Some((folder, rest))
}

impl Prefix {
    /// The environment that lies in a folder, or to whose packages it leads, where its path tells.
    pub(crate) fn of_folder(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        let packages = of_packages(path);
        let folder = packages.map_or(path, |(folder, _)| folder);
        let name = paths::name(folder);
        match folder {
            "" | "/usr" | "/usr/local" => return Some(Self::System),
            _ if name == ".local" || CONDA.iter().any(|conda| name.contains(conda)) => return Some(Self::System),
            _ => {}
        }
        let told = packages.is_some() || ["venv", "virtualenv"].iter().any(|part| name.contains(part));
        match folder.rsplit_once("/envs/") {
            Some(_) => Some(conda(folder)),
            None => told.then(|| Self::Venv(folder.to_owned())),
        }
    }

    /// Whether a folder that is copied whole holds the packages of an environment.
    pub(crate) fn lies_in(&self, folder: &str) -> bool {
        let folder = folder.trim_end_matches('/');
        let name = paths::name(folder);
        let of_conda = CONDA.iter().any(|conda| name.contains(conda));
        let packages = of_packages(folder).filter(|(_, rest)| rest.is_empty());
        match self {
            // Debian's own Python calls it `dist-packages`; `/opt/conda` is the Python of conda's images.
            Self::System | Self::Python(_) | Self::Distribution => {
                let lib = name == "lib" && folder.starts_with("/usr") || name.starts_with("python3") && folder.contains("/lib/");
                let whole = ["/usr", "/usr/local", "", "/root/.local", "/install"].contains(&folder);
                packages.is_some_and(|_| Self::of_folder(folder).is_none_or(|of| of == Self::System)) || lib || whole || of_conda
            }
            Self::Conda(own) if !own.contains('/') => {
                let its_packages = packages.is_some_and(|(of, _)| of.ends_with(&format!("/envs/{own}")));
                of_conda || name == "envs" || folder.ends_with(&format!("/envs/{own}")) || its_packages || folder.is_empty()
            }
            Self::Venv(own) | Self::Conda(own) => {
                paths::under(own, folder).is_some() || packages.is_some_and(|(of, _)| of == own)
            }
            Self::Unknown | Self::Somewhere(_) => false,
        }
    }

    /// Whether it may lie in a folder of which nothing is known: in `/opt` that of an image may, too.
    pub(crate) fn may_lie_in(&self, folder: &str) -> bool {
        self.lies_in(folder) || *self == Self::System && folder.trim_end_matches('/') == "/opt"
    }

    /// Where it is after the folder `from` that holds it was copied to `to`.
    pub(super) fn copied(&self, from: &str, to: &str) -> Self {
        let from = from.trim_end_matches('/');
        match self {
            Self::Venv(own) | Self::Conda(own) if own.starts_with('/') => match paths::under(own, from) {
                Some(rest) => {
                    let there = paths::inside(to, rest);
                    Self::of_folder(&there).unwrap_or(Self::Venv(there))
                }
                None => Self::of_folder(to).unwrap_or_else(|| self.clone()),
            },
            // All of its environments go along, or this one.
            Self::Conda(_) if from.contains("/envs/") => Self::of_folder(to).unwrap_or_else(|| self.clone()),
            Self::Conda(_) => self.clone(),
            // What is no environment's folder is looked at by name (`PYTHONPATH`), or is copied on.
            _ => Self::of_folder(to).filter(|of| matches!(of, Self::Venv(_) | Self::Conda(_))).unwrap_or_else(|| self.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_copied_folder_holds() {
        let named = Prefix::Conda("base".to_owned());
        let venv = Prefix::Venv("/app/.venv".to_owned());
        for (source, system, conda, own) in [
            ("/usr/local/lib/python3.10/dist-packages/", true, false, false),
            ("/usr/local/lib/python3.11/site-packages", true, false, false),
            ("/usr/local/lib/python3.11/site-packages/torch", false, false, false),
            ("/app/.venv/lib/python3.11/site-packages", false, false, true),
            ("/usr/local/lib", true, false, false),
            ("/usr/local/lib/python3.11", true, false, false),
            ("/usr/local", true, false, false),
            ("/", true, true, true),
            ("/opt/conda", true, true, false),
            ("/opt/conda/envs/base", false, true, false),
            ("/opt/conda/envs/other", false, false, false),
            ("/app", false, false, true),
            ("/app/dist/x.whl", false, false, false),
            ("/usr/local/bin", false, false, false),
        ] {
            let all = [&Prefix::System, &named, &venv].map(|prefix| prefix.lies_in(source));
            assert_eq!(all, [system, conda, own], "{source}");
        }
    }

    #[test]
    fn where_it_is_after_that() {
        let venv = |folder: &str| Prefix::Venv(folder.to_owned());
        for (prefix, from, to, after) in [
            (venv("/install"), "/install", "/usr/local", Prefix::System),
            (venv("/opt/venv"), "/opt/venv", "/opt/venv", venv("/opt/venv")),
            (venv("/app/.venv"), "/app", "/srv", venv("/srv/.venv")),
            (venv("/opt/venv"), "/opt/venv/lib/python3.11/site-packages", "/usr/lib/python3/dist-packages", Prefix::System),
            (
                Prefix::System,
                "/usr/local/lib/python3.11/site-packages",
                "/opt/venv/lib/python3.11/site-packages",
                venv("/opt/venv"),
            ),
            (Prefix::System, "/usr/local/lib/python3.11/site-packages", "/deps", Prefix::System),
            (Prefix::Conda("x".to_owned()), "/opt/conda/envs/x", "/opt/venv", venv("/opt/venv")),
            (Prefix::Conda("x".to_owned()), "/opt/conda", "/opt/conda", Prefix::Conda("x".to_owned())),
        ] {
            assert_eq!(prefix.copied(from, to), after, "{from} to {to}");
        }
    }
}
