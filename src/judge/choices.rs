//! Environments of which people take one: the arms of a test, extras that exclude each other. That a host cannot run one of
//! them is no mistake where it can run another.

use std::collections::{HashMap, HashSet};

use super::Seen;
use crate::diagnostic::Severity;

/// The environments of which people take one, by name.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// The choices that an environment belongs to.
    of: HashMap<String, Vec<String>>,
    /// The environments of a choice that a host may run on its GPU.
    able: HashMap<String, Vec<String>>,
}

impl Choices {
    /// Adds an environment that belongs to these choices.
    pub(crate) fn add(&mut self, environment: &str, choices: &[String], able: bool) {
        if choices.is_empty() {
            return;
        }
        for choice in choices.iter().filter(|_| able) {
            let all = self.able.entry(choice.clone()).or_default();
            // Several prefixes have one name.
            if all.last().is_none_or(|last| last != environment) {
                all.push(environment.to_owned());
            }
        }
        self.of.insert(environment.to_owned(), choices.to_vec());
    }

    /// What a host cannot run is worth knowing, no more, where it runs what may be taken instead.
    pub(super) fn soften(&self, graded: &mut [(Seen, Severity)]) {
        let broken: HashSet<(String, String)> = graded
            .iter()
            .filter(|(s, severity)| !s.host.is_empty() && *severity > Severity::Info && self.of.contains_key(&s.environment))
            .map(|(s, _)| (s.environment.clone(), s.host.clone()))
            .collect();
        let mut found: HashMap<(&str, String), Option<&str>> = HashMap::new();
        for (seen, severity) in graded.iter_mut().filter(|(s, _)| broken.contains(&(s.environment.clone(), s.host.clone()))) {
            let instead = self.of[&seen.environment].iter().find_map(|choice| {
                *found.entry((choice, seen.host.clone())).or_insert_with(|| {
                    let mut able = self.able.get(choice)?.iter();
                    able.find(|name| !broken.contains(&((*name).clone(), seen.host.clone()))).map(String::as_str)
                })
            });
            if let Some(instead) = instead {
                *severity = Severity::Info;
                seen.clash.help = Some(format!("take {instead} instead, which runs here"));
            }
        }
    }
}
