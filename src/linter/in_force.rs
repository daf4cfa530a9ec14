//! Which configuration and which hosts hold for a file.

use super::Linter;
use crate::config::Config;
use crate::environment::Host;
use crate::install::Aliases;
use crate::knowledge;

impl Linter {
    pub(super) fn config_of(&self, path: &str) -> Option<&Config> {
        self.config_with_folder(path).map(|(_, config)| config)
    }

    /// The nearest configuration above a file, with the length of its folder's path.
    pub(super) fn config_with_folder(&self, path: &str) -> Option<(usize, &Config)> {
        if let Some(given) = &self.given {
            return Some((0, given));
        }
        if self.settings.no_config {
            return None;
        }
        let folders = path.rmatch_indices('/').map(|(at, _)| &path[..=at]).chain([""]);
        folders.into_iter().find_map(|folder| {
            // In one folder cudalint.toml comes before pyproject.toml.
            let mut own = ["cudalint.toml", "pyproject.toml"].iter().map(|name| format!("{folder}{name}"));
            own.find_map(|config| self.configs.get(&config)).map(|config| (folder.len(), config))
        })
    }

    pub(super) fn hosts_of(&self, path: &str) -> Vec<Host> {
        let inline = self.config_of(path).map_or(&[][..], |c| c.host.as_slice());
        let named = self.hosts.iter().filter(|(folder, _)| folder.is_empty() || path.starts_with(&format!("{folder}/")));
        named.map(|(_, host)| host).chain(inline).cloned().collect()
    }

    /// Those of every folder.
    pub(super) fn all_hosts(&self) -> impl Iterator<Item = &Host> {
        let inline = self.configs.values().chain(&self.given).flat_map(|config| &config.host);
        self.hosts.iter().map(|(_, host)| host).chain(inline)
    }

    pub(super) fn aliases(&self, path: &str) -> CompanyNames<'_> {
        CompanyNames(self.config_of(path))
    }
}

/// `[mirrors]` and `[images]` of a configuration.
pub(super) struct CompanyNames<'a>(Option<&'a Config>);

impl Aliases for CompanyNames<'_> {
    fn index(&self, url: &str) -> Option<&'static str> {
        let mirrors = &self.0?.mirrors;
        let asked = without_scheme(url);
        let (_, id, _) = mirrors.iter().find(|(address, ..)| {
            let rest = asked.strip_prefix(without_scheme(address));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })?;
        // "pytorch" names the root: what follows the address is the variant.
        let tail = url.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
        let variant = format!("{id}/{tail}");
        knowledge::index_by_id(&variant).or_else(|| knowledge::index_by_id(id)).map(|i| i.id)
    }
    fn image(&self, reference: &str) -> Option<String> {
        let images = &self.0?.images;
        let (_, public) = images.iter().find(|(pattern, _)| pattern.fits(reference))?;
        Some(public.clone())
    }
}

fn without_scheme(url: &str) -> &str {
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    bare.trim_end_matches('/')
}
