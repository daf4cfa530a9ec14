//! What a run was asked for beside the files, and the levels that a configuration sets.

use crate::config::{Config, PerPath};
use crate::diagnostic::Severity;

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
    /// How many threads may judge starts; 0 = one.
    pub threads: usize,
}

/// The levels of one configuration.
pub(crate) struct Levels<'a>(&'a Config);

impl<'a> Levels<'a> {
    pub(crate) fn new(config: &'a Config) -> Self {
        Self(config)
    }
    /// What the configuration says of a rule at a path (relative to its folder): nothing, off, or a highest level.
    /// A path's own level wins over the general one; the last of several that fit.
    pub(crate) fn at(&self, path: &str, rule: &str) -> Option<Option<Severity>> {
        let of = |levels: &[(String, Option<Severity>, crate::source::Span)]| {
            levels.iter().rev().find(|(name, ..)| name == rule).map(|(_, level, _)| *level)
        };
        let fits = |own: &&PerPath| own.path.cover(path);
        let own = self.0.per_path.iter().rev().filter(fits).find_map(|p| of(&p.levels));
        own.or_else(|| of(&self.0.levels))
    }
}
