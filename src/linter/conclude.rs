//! From what was seen to the report: levels, suppressions, PATHs, order.

use std::collections::{BTreeSet, HashSet};

use super::Linter;
use crate::diagnostic::{Diagnostic, Label, Notice, Report, Severity};
use crate::environment::Reason;
use crate::judge::{self, Choices, Seen};
use crate::project;
use crate::rules::{Check, Needs, RULES, Rule};
use crate::settings::Levels;
use crate::source::{FileId, Origin, Span, brief};
use crate::suppress::Suppressions;
use crate::{hardware, knowledge, near};

/// No more mirrors of unknown indexes are told.
const MOST_MIRRORS: usize = 100;

impl Linter {
    pub(super) fn conclude(&self, seen: Vec<Seen>, choices: &Choices, report: &mut Report) {
        let chosen = |name: &str| {
            (self.settings.select.is_empty() || self.settings.select.iter().any(|s| s == name))
                && !self.settings.ignore.iter().any(|s| s == name)
        };
        let seen = seen.into_iter().filter(|s| chosen(s.rule.name)).collect();
        let hosts: BTreeSet<&str> = self.all_hosts().map(|host| host.name.as_str()).collect();
        let of_files = self.files.values().map(|f| (f.id, f.outline.ignores.as_slice()));
        let read: HashSet<FileId> = self.files.values().map(|f| f.id).collect();
        let beside = self.beside.iter().filter(|(id, _)| !read.contains(id));
        let mut suppressions = Suppressions::new(of_files.chain(beside.map(|(id, ignores)| (*id, ignores.as_slice()))));
        let mut said =
            judge::judge(seen, hosts.len(), choices, |rule, places| suppressions.silence_at(rule, places.iter().copied()));
        report.warnings.extend(suppressions.without_effect().chain(self.unknown_rules()).chain(self.unknown_mirrors()));
        said.retain_mut(|found| self.level(found) && !suppressions.silence(found));
        if let Some(rule) = RULES.iter().find(|r| matches!(r.check, Check::Suppressions) && chosen(r.name)) {
            // A host file of the repository is read as well as any; what was given from elsewhere is its owner's.
            let own = |file: FileId| {
                read.contains(&file) || self.beside.contains_key(&file) && self.sources.origin(file) == Origin::Repository
            };
            // What silences this rule may itself be told once all the others are.
            for of_rule in [false, true] {
                for (name, at) in suppressions.unused() {
                    if (name == rule.name) != of_rule || !own(at.file) || !self.could_speak(name, at, &chosen) {
                        continue;
                    }
                    let mut found = unused(rule, name, at);
                    if self.level(&mut found) && (of_rule || !suppressions.silence(&found)) {
                        said.push(found);
                    }
                }
            }
        }
        let within = |found: &Diagnostic| {
            self.settings.within.is_empty()
                || found.labels.iter().any(|l| {
                    let path = self.sources.path(l.at.file);
                    self.sources.origin(l.at.file) == Origin::Repository
                        && self.settings.within.iter().any(|w| w.is_empty() || path == w || path.starts_with(&format!("{w}/")))
                })
        };
        said.retain(within);
        let manifest = |file: FileId| {
            let beside = project::manifest_of(self.sources.path(file), |path| self.sources.find(path).is_some());
            beside.and_then(|path| self.sources.find(&path)).unwrap_or(file)
        };
        judge::gather(&mut said, manifest);
        said.sort_by_cached_key(|found| {
            let at = found.labels.first().map(|l| (self.sources.path(l.at.file).to_owned(), l.at.start));
            (at, found.rule, found.message.clone())
        });
        report.diagnostics = said;
        let place = |notice: &Notice| notice.at.map(|at| (self.sources.path(at.file).to_owned(), at.start));
        report.warnings.sort_by_cached_key(|notice| (place(notice), notice.what.clone()));
        report.warnings.dedup();
    }

    /// Whether the rule of that name could have spoken of a place: it is in force there, with a host that it needs.
    fn could_speak(&self, rule: &str, at: Span, chosen: &impl Fn(&str) -> bool) -> bool {
        let path = self.sources.path(at.file);
        let Some(rule) = crate::rules::find(rule).filter(|rule| chosen(rule.name)) else { return false };
        let met = || self.hosts_of(path).iter().any(|host| rule.needs.meets(host) && hardware::meets(path, host));
        self.levels_at(at, rule.name) != Some(None) && (matches!(rule.needs, Needs::Nothing) || met())
    }

    /// Rules that configurations name and that do not exist.
    fn unknown_rules(&self) -> impl Iterator<Item = Notice> {
        let configs = self.configs.values().chain(&self.given);
        let levels = configs.flat_map(|config| config.levels.iter().chain(config.per_path.iter().flat_map(|p| &p.levels)));
        let unknown = levels.filter(|(name, ..)| crate::rules::find(name).is_none());
        unknown.map(|(name, _, at)| Notice { at: Some(*at), what: format!("levels: no rule is called {}", brief(name)) })
    }

    /// What configurations say that an index mirrors, and what is none.
    fn unknown_mirrors(&self) -> impl Iterator<Item = Notice> {
        let mirrors = self.configs.values().chain(&self.given).flat_map(|config| &config.mirrors);
        let unknown = mirrors.filter(|(_, id, _)| !knowledge::mirrored().any(|known| known == id));
        unknown.take(MOST_MIRRORS).map(|(_, id, at)| {
            let near = near::nearest(id, knowledge::mirrored()).map_or(String::new(), |near| format!(" (is it {near}?)"));
            Notice { at: Some(*at), what: format!("mirrors: no index is called {}{near}: the mirror is not known", brief(id)) }
        })
    }

    /// Applies the levels in force at a finding's primary place; whether it is still said.
    fn level(&self, found: &mut Diagnostic) -> bool {
        let Some(at) = found.labels.first().map(|l| l.at) else { return false };
        match self.levels_at(at, found.rule) {
            None => true,
            Some(None) => false,
            Some(Some(highest)) => {
                found.severity = found.severity.min(highest);
                true
            }
        }
    }

    fn levels_at(&self, at: Span, rule: &str) -> Option<Option<Severity>> {
        let path = self.sources.path(at.file);
        let (folder, config) = self.config_with_folder(path)?;
        Levels::new(config).at(path.get(folder..)?, rule)
    }
}

fn unused(rule: &Rule, name: &str, at: Span) -> Diagnostic {
    Diagnostic {
        rule: rule.name,
        severity: rule.level,
        message: format!("ignore[{name}] silences nothing here"),
        labels: vec![Label { at, reason: Reason::Here, required: None }],
        help: Some("take it away".to_owned()),
        environments: Vec::new(),
        hosts: Vec::new(),
        fix: None,
    }
}
