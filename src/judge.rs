//! Grades clashes, lets one rule speak where several see the same break, and merges what is one cause.
//! The only place that decides a severity.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::environment::{Evidence, Holds, Join};
use crate::knowledge::Basis;
use crate::rules::{Clash, Rule};
use crate::source::Span;

/// A clash with all that the judge must know of where it was seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// By which rule.
    pub(crate) rule: &'static Rule,
    /// What.
    pub(crate) clash: Clash,
    /// In which environment, by name; empty for a file's or a launch's own.
    pub(crate) environment: String,
    /// On which host; empty where none takes part.
    pub(crate) host: String,
}

/// Groups of rules of which only one speaks about one thing. Source: the catalogue's "Who speaks".
enum Precedence {
    /// The first of the list that speaks about a link silences the others about it.
    First(&'static [&'static str]),
    /// On one host, the rule with the highest driver bound speaks; the others' links become labels.
    HighestBound(&'static [&'static str]),
}

static WHO_SPEAKS: &[Precedence] = &[
    Precedence::HighestBound(&["driver-too-old", "image-needs-newer-driver"]),
    Precedence::First(&["index-shadowed", "torch-replaced-later", "companion-mismatch"]),
];

/// From what was seen to what is said; levels, suppressions and order come after.
pub(crate) fn judge(seen: Vec<Seen>) -> Vec<Diagnostic> {
    let mut graded: Vec<(Seen, Severity)> = seen.into_iter().filter_map(|s| grade(&s).map(|level| (s, level))).collect();
    for precedence in WHO_SPEAKS {
        match precedence {
            Precedence::First(rules) => first_speaks(&mut graded, rules),
            Precedence::HighestBound(rules) => highest_bound_speaks(&mut graded, rules),
        }
    }
    merge(graded)
}

/// `min(rule's level, the clash's cap, how far it holds, the basis and join of each link)`; `None` = nothing is said.
fn grade(seen: &Seen) -> Option<Severity> {
    let mut level = seen.rule.level.min(seen.clash.at_most);
    match seen.clash.holds {
        Holds::Always => {}
        Holds::Today => level = level.min(Severity::Warning),
        Holds::Sometimes | Holds::Never | Holds::Unknown => return None,
    }
    for link in &seen.clash.of {
        if link.join == Join::Assumed || matches!(link.basis, Basis::Report | Basis::Inferred) {
            level = level.min(Severity::Warning);
        }
    }
    Some(level)
}

fn first_speaks(graded: &mut Vec<(Seen, Severity)>, rules: &[&str]) {
    let rank = |s: &Seen| rules.iter().position(|r| *r == s.rule.name);
    // One place, in one environment, on one host: the foremost rule that speaks there.
    let mut foremost: HashMap<(&str, &str, Span), usize> = HashMap::new();
    let subject = |s: &'_ Seen| Some((s.clash.of.first()?.at, rank(s)?));
    for (s, _) in graded.iter() {
        if let Some((at, mine)) = subject(s) {
            let first = foremost.entry((&s.environment, &s.host, at)).or_insert(mine);
            *first = mine.min(*first);
        }
    }
    let first = |s: &Seen, at: Span| foremost.get(&(s.environment.as_str(), s.host.as_str(), at)).copied();
    let speaks = |(s, _): &(Seen, Severity)| subject(s).is_none_or(|(at, mine)| first(s, at).is_none_or(|first| first >= mine));
    let spoken: Vec<bool> = graded.iter().map(speaks).collect();
    let mut spoken = spoken.into_iter();
    graded.retain(|_| spoken.next().unwrap_or(true));
}

fn highest_bound_speaks(graded: &mut Vec<(Seen, Severity)>, rules: &[&str]) {
    // One environment on one host is one question: which driver does it need?
    let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (i, (s, _)) in graded.iter().enumerate() {
        if rules.contains(&s.rule.name) && !s.host.is_empty() {
            groups.entry((s.environment.clone(), s.host.clone())).or_default().push(i);
        }
    }
    let mut silent = vec![false; graded.len()];
    let mut extra: Vec<(usize, Vec<Evidence>)> = Vec::new();
    for members in groups.values() {
        let higher = |a: &usize, b: &usize| {
            let bound = |i: &usize| graded[*i].0.clash.bound.clone();
            // An error beats a warning: what every version breaks is not hidden behind what today's does.
            graded[*a].1.cmp(&graded[*b].1).then_with(|| match (bound(a), bound(b)) {
                (Some(x), Some(y)) => x.order(&y),
                (x, y) => x.is_some().cmp(&y.is_some()),
            })
        };
        let Some(&speaker) = members.iter().rev().max_by(|a, b| higher(a, b)) else { continue };
        for &other in members {
            let (a, b) = (&graded[speaker].0, &graded[other].0);
            if other != speaker && a.rule.name != b.rule.name {
                silent[other] = true;
                extra.push((speaker, b.clash.of.iter().take(1).cloned().collect()));
            }
        }
    }
    for (speaker, links) in extra {
        for link in links {
            let of = &mut graded[speaker].0.clash.of;
            if !of.iter().any(|l| l.at == link.at) {
                of.push(link);
            }
        }
    }
    let mut at = 0;
    graded.retain(|_| {
        at += 1;
        !silent[at - 1]
    });
}

/// No diagnostic has more labels.
const MOST_LABELS: usize = 12;

/// A diagnostic while others are merged into it.
struct Merged {
    said: Diagnostic,
    environments: BTreeSet<String>,
    hosts: BTreeSet<String>,
}

/// One cause is one diagnostic: the same rule at the same primary place. The gravest speaks, the others are listed.
fn merge(graded: Vec<(Seen, Severity)>) -> Vec<Diagnostic> {
    let mut merged: BTreeMap<(Span, &'static str), Merged> = BTreeMap::new();
    for (seen, severity) in graded {
        let Some(primary) = seen.clash.of.first() else { continue };
        let key = (primary.at, seen.rule.name);
        let mut found = diagnostic(&seen, severity);
        let (environments, hosts) = (std::mem::take(&mut found.environments), std::mem::take(&mut found.hosts));
        let Some(into) = merged.get_mut(&key) else {
            let (environments, hosts) = (environments.into_iter().collect(), hosts.into_iter().collect());
            merged.insert(key, Merged { said: found, environments, hosts });
            continue;
        };
        into.environments.extend(environments);
        into.hosts.extend(hosts);
        if severity > into.said.severity {
            std::mem::swap(&mut into.said, &mut found);
        }
        // Links of other hosts and other ways to the same place are listed beside the first ones.
        let labels = &mut into.said.labels;
        for label in found.labels {
            if labels.len() < MOST_LABELS && !labels.iter().any(|l| l.at == label.at) {
                labels.push(label);
            }
        }
    }
    let listed = |m: Merged| Diagnostic {
        environments: m.environments.into_iter().collect(),
        hosts: m.hosts.into_iter().collect(),
        ..m.said
    };
    merged.into_values().map(listed).collect()
}

fn diagnostic(seen: &Seen, severity: Severity) -> Diagnostic {
    let mut labels: Vec<Label> = Vec::new();
    let mut push = |at: Span, reason: &crate::environment::Reason| {
        if !labels.iter().any(|l| l.at == at) {
            labels.push(Label { at, reason: reason.clone() });
        }
    };
    for link in &seen.clash.of {
        push(link.at, &link.reason);
    }
    for (at, reason) in seen.clash.of.iter().flat_map(|link| &link.also) {
        push(*at, reason);
    }
    let message = match seen.clash.holds {
        Holds::Today if !seen.clash.message.contains("today") => format!("{} (as picked today)", seen.clash.message),
        _ => seen.clash.message.clone(),
    };
    Diagnostic {
        rule: seen.rule.name,
        severity,
        message,
        labels,
        help: seen.clash.help.clone(),
        environments: Some(seen.environment.clone()).filter(|e| !e.is_empty()).into_iter().collect(),
        hosts: Some(seen.host.clone()).filter(|h| !h.is_empty()).into_iter().collect(),
        fix: seen.clash.fix.clone(),
    }
}
