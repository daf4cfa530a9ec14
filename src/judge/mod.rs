//! Grades clashes, lets one rule speak where several see the same break, and merges what is one cause.
//! The only place that decides a severity.

mod choices;
mod helps;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::diagnostic::{Diagnostic, Label, OnHost, Severity};
use crate::environment::{Evidence, Holds, Join, Reason};
use crate::knowledge::Basis;
use crate::rules::{Clash, Has, Rule};
use crate::source::{FileId, Span, brief};
pub(crate) use choices::Choices;
use helps::Helps;

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
    /// Of the rules of the list that speak about a link the gravest does, of equally grave ones the first.
    Gravest(&'static [&'static str]),
    /// On one host, the rule with the highest driver bound speaks; the others' links become labels.
    HighestBound(&'static [&'static str]),
}

static WHO_SPEAKS: &[Precedence] = &[
    Precedence::First(&["pytorch-channel-frozen", "conda-no-cuda-at-solve", "conda-may-pick-cpu"]),
    Precedence::First(&["torch-from-conda-and-pip", "module-installed-twice"]),
    Precedence::First(&["no-wheel-for-platform", "no-wheel-for-python"]),
    Precedence::First(&["pypi-build-is-cpu", "cpu-build-in-gpu-environment"]),
    Precedence::First(&["module-installed-twice", "nvidia-pin-conflict", "cuda-major-mix", "cudnn-major-mix", "cudnn-too-old"]),
    // What an image or a module provides is certain; what a package brings that is only picked today is less so.
    Precedence::Gravest(&["cuda-major-mix", "onnxruntime-cuda-mismatch", "cupy-cuda-mismatch", "tensorflow-cuda-mismatch"]),
    Precedence::First(&[
        "module-installed-twice",
        "onnxruntime-cuda-mismatch",
        "cupy-cuda-mismatch",
        "tensorflow-cuda-mismatch",
        "cudnn-major-mix",
        "cudnn-too-old",
    ]),
    Precedence::HighestBound(&["driver-too-old", "image-needs-newer-driver"]),
    Precedence::First(&[
        "local-version-without-index",
        "wheel-tag-index-mismatch",
        "wheel-never-published",
        "unknown-wheel-index",
        "index-shadowed",
        "torch-from-conda-and-pip",
        "torch-replaced-later",
        "companion-mismatch",
        "companion-build-mismatch",
        "companion-unpinned",
    ]),
    Precedence::First(&["find-links-for-other-torch", "extension-for-other-torch"]),
];

/// What a host breaks at is said of it; how it came there, by the first rule, becomes labels of that.
static BREAKS: &[(&str, &[&str])] = &[("torch-replaced-later", &["driver-too-old", "no-kernels-for-gpu"])];

/// From what was seen to what is said, where so many hosts are in force; levels, the repository's suppressions and order come
/// after. What a host's own file silences is said of the others all the same: `silent` tells it by the rule and the places of
/// that host.
pub(crate) fn judge(
    seen: Vec<Seen>,
    hosts: usize,
    choices: &Choices,
    mut silent: impl FnMut(&str, &[Span]) -> bool,
) -> Vec<Diagnostic> {
    let mut graded: Vec<(Seen, Severity)> = seen.into_iter().filter_map(|s| grade(&s).map(|level| (s, level))).collect();
    for precedence in WHO_SPEAKS {
        match precedence {
            Precedence::First(rules) => first_speaks(&mut graded, rules, false),
            Precedence::Gravest(rules) => first_speaks(&mut graded, rules, true),
            Precedence::HighestBound(rules) => highest_bound_speaks(&mut graded, rules),
        }
    }
    graded.retain(|(seen, _)| !silent(seen.rule.name, &places_of_host(seen)));
    for (cause, rules) in BREAKS {
        breaking_speaks(&mut graded, cause, rules);
    }
    choices.soften(&mut graded);
    merge(graded, hosts)
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

/// Where the host's own file says what does not fit.
fn places_of_host(seen: &Seen) -> Vec<Span> {
    let of_host = |link: &&Evidence| matches!(link.reason, Reason::HostDriver | Reason::HostGpu { .. });
    seen.clash.of.iter().filter(of_host).map(|link| link.at).collect()
}

fn first_speaks(graded: &mut Vec<(Seen, Severity)>, rules: &[&str], gravest: bool) {
    let rank = |(s, severity): &(Seen, Severity)| {
        let at = rules.iter().position(|r| *r == s.rule.name)?;
        Some((Reverse(if gravest { *severity } else { Severity::Error }), at))
    };
    // One place, in one environment, on one host: the foremost rule that speaks there.
    let mut foremost = HashMap::new();
    let place = |s: &Seen| Some((s.environment.clone(), s.host.clone(), s.clash.of.first()?.at));
    // What is only worth knowing silences nobody.
    for found in graded.iter().filter(|(_, severity)| *severity > Severity::Info) {
        if let Some((place, mine)) = place(&found.0).zip(rank(found)) {
            let first = foremost.entry(place).or_insert(mine);
            *first = mine.min(*first);
        }
    }
    let first = |found: &(Seen, Severity)| foremost.get(&place(&found.0)?).copied();
    graded.retain(|found| rank(found).is_none_or(|mine| first(found).is_none_or(|first| first.1 == mine.1 || first > mine)));
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

fn breaking_speaks(graded: &mut Vec<(Seen, Severity)>, cause: &str, rules: &[&str]) {
    let place = |s: &Seen, at: Span| (s.environment.clone(), at);
    let mut told: HashMap<_, (Severity, Vec<Evidence>)> = HashMap::new();
    for (s, severity) in graded.iter().filter(|(s, _)| s.rule.name == cause) {
        if let [first, others @ ..] = s.clash.of.as_slice() {
            told.entry(place(s, first.at)).or_insert_with(|| (*severity, others.to_vec()));
        }
    }
    let mut gone: HashSet<_> = HashSet::new();
    for (s, severity) in graded.iter_mut().filter(|(s, _)| rules.contains(&s.rule.name)) {
        // What came is named where it was asked for, or where another requires it.
        let Some(first) = s.clash.of.first() else { continue };
        let places: Vec<_> = [first.at].into_iter().chain(first.also.iter().map(|(at, _)| *at)).map(|at| place(s, at)).collect();
        for place in places {
            if let Some((_, links)) = told.get(&place).filter(|(level, _)| level <= severity) {
                let new =
                    links.iter().filter(|link| !s.clash.of.iter().any(|known| known.at == link.at)).cloned().collect::<Vec<_>>();
                s.clash.of.extend(new);
                gone.insert(place);
            }
        }
    }
    let is_told = |s: &Seen| s.clash.of.first().is_some_and(|first| gone.contains(&place(s, first.at)));
    graded.retain(|(s, _)| s.rule.name != cause || !is_told(s));
}

/// No diagnostic has more labels.
const MOST_LABELS: usize = 12;

/// A diagnostic while others are merged into it; its message still lacks what the hosts have.
struct Merged {
    said: Diagnostic,
    holds: Holds,
    /// Those that it is seen in, with how grave it is there and what is said of that.
    environments: BTreeMap<String, (Severity, String)>,
    hosts: BTreeSet<Met>,
    /// What mends it.
    helps: Helps,
}

/// A host, what of it does not fit, and the message that this ends.
type Met = (String, Has, String);

/// One cause is one diagnostic: the same rule at the same primary place. The gravest speaks, the others are listed.
fn merge(graded: Vec<(Seen, Severity)>, hosts: usize) -> Vec<Diagnostic> {
    let mut merged: BTreeMap<(Span, &'static str), Merged> = BTreeMap::new();
    for (seen, severity) in graded {
        let Some(primary) = seen.clash.of.first() else { continue };
        let into = merged.entry((primary.at, seen.rule.name)).or_insert_with(|| Merged {
            said: diagnostic(&seen, severity),
            holds: seen.clash.holds,
            environments: BTreeMap::new(),
            hosts: BTreeSet::new(),
            helps: Helps::default(),
        });
        let mut found = diagnostic(&seen, severity);
        let graver = severity > into.said.severity;
        if let Some(help) = found.help.take().filter(|help| !help.is_empty()) {
            into.helps.add(
                help,
                helps::For { environment: seen.environment.clone(), host: seen.host.clone(), build: given(&seen) },
                graver,
            );
        }
        if !seen.host.is_empty() {
            into.hosts.insert((seen.host, seen.clash.has, found.message.clone()));
        }
        if !seen.environment.is_empty() {
            let new = (severity, found.message.clone());
            let gravest = into.environments.entry(seen.environment).or_insert_with(|| new.clone());
            if new.0 > gravest.0 {
                *gravest = new;
            }
        }
        if graver {
            std::mem::swap(&mut into.said, &mut found);
            into.holds = seen.clash.holds;
        }
        // Links of other hosts and other ways to the same place are listed beside the first ones.
        let labels = &mut into.said.labels;
        for label in found.labels {
            if labels.len() < MOST_LABELS && !labels.iter().any(|l| l.at == label.at) {
                labels.push(label);
            }
        }
    }
    merged.into_values().map(|merged| merged.listed(hosts)).collect()
}

/// What the build was given that a finding speaks of: `CUDA=11.8.0`.
fn given(seen: &Seen) -> String {
    let reasons = seen.clash.of.iter().flat_map(|evidence| &evidence.also).map(|(_, reason)| reason);
    let values: BTreeSet<String> = reasons
        .filter_map(|reason| match reason {
            Reason::Holds { name, value } => Some(brief(&format!("{name}={value}")).into_owned()),
            _ => None,
        })
        .collect();
    values.into_iter().collect::<Vec<_>>().join(", ")
}

/// No message speaks of more hosts or GPUs; the others are listed.
const MOST_SPOKEN: usize = 3;

impl Merged {
    fn listed(self, in_force: usize) -> Diagnostic {
        // Where it is less grave, it may be another thing.
        let said = &self.said;
        let same = |(severity, message): &(Severity, String)| *severity == said.severity || *message == said.message;
        let listed: Vec<_> = self.environments.iter().filter(|(_, found)| same(found)).collect();
        let milder = listed.iter().filter(|(_, (severity, _))| *severity < said.severity);
        let milder: Vec<String> = milder.map(|(name, (severity, _))| format!("{} in {name}", severity.word())).collect();
        let environments = listed.into_iter().map(|(name, _)| name.clone()).collect();
        let mut hosts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, has, _) in &self.hosts {
            let what = match has {
                Has::Nothing => None,
                Has::Driver(what) | Has::Gpu { name: what, .. } => Some(what.clone()),
            };
            let all = hosts.entry(name.clone()).or_default();
            all.extend(what.filter(|what| !all.contains(what)));
        }
        let mut message = self.said.message.clone() + &self.ending(in_force) + &self.besides();
        if let [first, others @ ..] = milder.as_slice() {
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            message += &format!(" ({first}{more})");
        }
        if self.holds == Holds::Today && !message.contains("today") {
            let may_be_there = |label: &Label| matches!(label.reason, Reason::MayBeThere { .. });
            let unless = self.said.labels.iter().any(may_be_there);
            message += if unless { " (unless another build is there already)" } else { " (as picked today)" };
        }
        Diagnostic {
            message,
            help: Some(self.helps.said()).filter(|help| !help.is_empty()),
            environments,
            hosts: hosts.into_iter().map(|(name, has)| OnHost { name, has }).collect(),
            ..self.said
        }
    }
    /// The hosts of which the message is not true, which break for another number: the first of them with that, the others
    /// by name.
    fn besides(&self) -> String {
        let spoken: BTreeSet<&str> =
            self.hosts.iter().filter(|(.., message)| *message == self.said.message).map(|(name, ..)| name.as_str()).collect();
        let mut others = self.hosts.iter().filter(|(name, ..)| !spoken.contains(name.as_str()));
        let Some((name, has, message)) = others.next() else { return String::new() };
        let has = match (has.driver(), has.gpu()) {
            (Some(driver), _) => format!(", {name} has {driver}"),
            (None, Some(gpu)) => format!(" {gpu} of {name}"),
            (None, None) => String::new(),
        };
        let more: BTreeSet<&str> = others.map(|(other, ..)| other.as_str()).filter(|other| other != name).collect();
        let more: String = more.into_iter().map(|other| format!(", and so on {other}")).collect();
        format!("; {message}{has}{more}")
    }
    /// What the hosts have of which the message is true; another host may break for another number. Of several hosts in
    /// force it says which, unless all of them have the same.
    fn ending(&self, in_force: usize) -> String {
        let same = || self.hosts.iter().filter(|(.., message)| *message == self.said.message);
        let drivers: BTreeSet<(&str, &str)> = same().filter_map(|(name, has, _)| Some((name.as_str(), has.driver()?))).collect();
        let gpus: BTreeSet<(String, &str)> = same().filter_map(|(name, has, _)| Some((has.gpu()?, name.as_str()))).collect();
        let alike = drivers.first().filter(|(_, driver)| drivers.iter().all(|(_, other)| other == driver));
        match alike.filter(|_| drivers.len() >= in_force) {
            Some((_, driver)) if drivers.len() == 1 => format!(", the host has {driver}"),
            Some((_, driver)) => format!(", the hosts have {driver}"),
            None if gpus.is_empty() => spoken(drivers.iter().map(|(name, driver)| format!(", {name} has {driver}"))),
            None => {
                let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
                for (gpu, host) in &gpus {
                    owners.entry(gpu).or_default().push(host);
                }
                let all = gpus.iter().map(|(_, host)| host).collect::<BTreeSet<_>>().len() >= in_force;
                spoken(owners.iter().enumerate().map(|(i, (gpu, hosts))| {
                    let of = if all && owners.len() == 1 || in_force < 2 { String::new() } else { listed_names(hosts) };
                    format!("{} {gpu}{of}", if i == 0 { "" } else { "," })
                }))
            }
        }
    }
}

/// ` of desk and node`, ` of desk and 4 more hosts`.
fn listed_names(hosts: &[&str]) -> String {
    match hosts {
        [] => String::new(),
        [one] => format!(" of {one}"),
        [one, other] => format!(" of {one} and {other}"),
        [one, others @ ..] => format!(" of {one} and {} more hosts", others.len()),
    }
}

fn spoken(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(MOST_SPOKEN);
    let text: String = all.take(MOST_SPOKEN).collect();
    if more == 0 { text } else { format!("{text}, and {more} more") }
}

/// What is the same on the same host in several lines of one file is said once, at the first of them: raising the driver
/// or taking another card mends them all. Where no host takes part, each line is to be mended by itself.
/// A lock says again what its manifest says: `manifest` is the file that speaks for one.
/// Suppressions come before: a comment at one of the lines silences that line.
pub(crate) fn gather(said: &mut Vec<Diagnostic>, manifest: impl Fn(FileId) -> FileId) {
    said.sort_by_cached_key(|found| found.labels.first().map(|l| (manifest(l.at.file) != l.at.file, l.at)));
    let mut first: HashMap<_, usize> = HashMap::new();
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(said.len());
    for found in said.drain(..) {
        let file = found.labels.first().map(|l| manifest(l.at.file));
        let fact = (found.rule, file, found.severity, found.message.clone(), found.hosts.clone());
        match first.get(&fact).filter(|_| !found.hosts.is_empty() && found.fix.is_none()) {
            Some(&at) => {
                let into: &mut Diagnostic = &mut kept[at];
                let environments: BTreeSet<String> = into.environments.drain(..).chain(found.environments).collect();
                into.environments = environments.into_iter().collect();
                for label in found.labels {
                    if into.labels.len() < MOST_LABELS && !into.labels.iter().any(|l| l.at == label.at) {
                        into.labels.push(label);
                    }
                }
            }
            None => {
                first.insert(fact, kept.len());
                kept.push(found);
            }
        }
    }
    *said = kept;
}

fn diagnostic(seen: &Seen, severity: Severity) -> Diagnostic {
    let mut labels: Vec<Label> = Vec::new();
    let mut push = |at: Span, reason: &Reason| {
        // The start of a file that no command installs is no place to look at.
        if at.start == at.end && !labels.is_empty() {
            return;
        }
        match labels.iter_mut().find(|l| l.at == at) {
            None => labels.push(Label { at, reason: reason.clone(), required: None }),
            // A place that asks for a package may bring another one.
            Some(Label { reason: Reason::Comes { .. } | Reason::Carries { .. }, required: required @ None, .. })
                if matches!(reason, Reason::Requires { .. }) =>
            {
                *required = Some(reason.clone());
            }
            Some(_) => {}
        }
    };
    for link in &seen.clash.of {
        push(link.at, &link.reason);
    }
    for (at, reason) in seen.clash.of.iter().flat_map(|link| &link.also) {
        push(*at, reason);
    }
    Diagnostic {
        rule: seen.rule.name,
        severity,
        message: seen.clash.message.clone(),
        labels,
        help: seen.clash.help.clone(),
        environments: Vec::new(),
        hosts: Vec::new(),
        fix: seen.clash.fix.clone(),
    }
}
