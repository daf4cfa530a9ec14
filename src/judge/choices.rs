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
    /// The environments that a host may run, and whether it is known to, by choice and host.
    able: HashMap<(String, String), Vec<(String, bool)>>,
}

impl Choices {
    /// Adds an environment that belongs to these choices, with the hosts that may run it, and whether they are known to.
    pub(crate) fn add(&mut self, environment: &str, choices: &[String], able: &[(String, bool)]) {
        if choices.is_empty() {
            return;
        }
        for (choice, (host, sure)) in choices.iter().flat_map(|choice| able.iter().map(move |host| (choice, host))) {
            let all = self.able.entry((choice.clone(), host.clone())).or_default();
            // Several prefixes have one name.
            if all.last().is_none_or(|(last, _)| last != environment) {
                all.push((environment.to_owned(), *sure));
            }
        }
        self.of.insert(environment.to_owned(), choices.to_vec());
    }

    /// What a host cannot run is worth knowing, no more, where it runs what may be taken instead; and no error where it may.
    pub(super) fn soften(&self, graded: &mut [(Seen, Severity)]) {
        let broken: HashSet<(String, String)> = graded
            .iter()
            .filter(|(s, severity)| !s.host.is_empty() && *severity > Severity::Info && self.of.contains_key(&s.environment))
            .map(|(s, _)| (s.environment.clone(), s.host.clone()))
            .collect();
        let mut found: HashMap<(String, String), Option<(&str, bool)>> = HashMap::new();
        for (seen, severity) in graded.iter_mut().filter(|(s, _)| broken.contains(&(s.environment.clone(), s.host.clone()))) {
            let others = self.of[&seen.environment].iter().filter_map(|choice| {
                let asked = (choice.clone(), seen.host.clone());
                *found.entry(asked).or_insert_with_key(|asked| {
                    let able = self.able.get(asked)?.iter();
                    let whole = able.filter(|(name, _)| !broken.contains(&(name.clone(), seen.host.clone())));
                    // The first that is known to, or any.
                    whole.map(|(name, sure)| (name.as_str(), *sure)).reduce(|one, other| if one.1 { one } else { other })
                })
            });
            match others.reduce(|one, other| if one.1 { one } else { other }) {
                Some((instead, true)) => {
                    *severity = Severity::Info;
                    seen.clash.help = Some(format!("take {} instead, which runs here", called(instead, &seen.environment)));
                }
                Some((_, false)) => *severity = (*severity).min(Severity::Warning),
                None => {}
            }
        }
    }
}

/// What an environment is called where another one is spoken of: the first of several has the bare name of their file.
fn called(other: &str, than: &str) -> String {
    let differs = than.strip_prefix(other).and_then(|rest| rest.strip_prefix('?'));
    match differs.and_then(|rest| rest.split_once(' ')) {
        Some((what, _)) => format!("another {what} of {other}"),
        None => other.to_owned(),
    }
}
