//! What mends one host, start or build may not mend the next: of several helps each says for whom it is.

use std::collections::BTreeSet;

/// Whom a help is for; what takes no part is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct For {
    /// The start.
    pub(super) environment: String,
    pub(super) host: String,
    /// The values that a build was given: `CUDA=12.8.1`.
    pub(super) build: String,
}

/// What mends a finding, the speaker's own first.
#[derive(Debug, Default)]
pub(super) struct Helps(Vec<(String, BTreeSet<For>)>);

/// One GPU may ask for another remedy than the next; no diagnostic has more.
const MOST_HELPS: usize = 3;

/// A help names no more hosts or starts.
const MOST_NAMED: usize = 3;

/// How one help is told from the next.
type Name = fn(&For) -> String;

impl Helps {
    pub(super) fn add(&mut self, text: String, whom: For, first: bool) {
        let known = self.0.iter().position(|(other, _)| *other == text);
        let at = known.unwrap_or_else(|| {
            self.0.push((text, BTreeSet::new()));
            self.0.len() - 1
        });
        self.0[at].1.insert(whom);
        if first {
            self.0[..=at].rotate_right(1);
        }
        self.0.truncate(MOST_HELPS);
    }

    /// All of them in words.
    pub(super) fn said(&self) -> String {
        match self.0.as_slice() {
            [] => String::new(),
            [(only, _)] => only.clone(),
            [(first, _), ..] => self.several(first),
        }
    }

    fn several(&self, first: &str) -> String {
        let names: [Name; 4] = [
            |whom| whom.host.clone(),
            |whom| whom.build.clone(),
            |whom| whom.environment.clone(),
            |whom| format!("{} on {}", whom.environment, whom.host),
        ];
        let told = |name: &Name| {
            let mut all: BTreeSet<String> = BTreeSet::new();
            self.0.iter().all(|(_, whom)| {
                let mine: BTreeSet<String> = whom.iter().map(name).collect();
                let apart = mine.iter().all(|one| !one.is_empty() && !all.contains(one));
                all.extend(mine);
                apart
            })
        };
        let name = names.iter().find(|name| told(name));
        // What is the same in all of them is said once.
        let lead = first.split(", or ").next().unwrap_or_default();
        let shared = !lead.is_empty() && self.0.iter().all(|(text, _)| rest(text, lead).is_some());
        let one = |(text, whom): &(String, BTreeSet<For>)| {
            let text = if shared { rest(text, lead).filter(|rest| !rest.is_empty())? } else { text };
            let whom: BTreeSet<String> = name.map(|name| whom.iter().map(name).collect()).unwrap_or_default();
            Some(if whom.is_empty() { text.to_owned() } else { format!("for {}: {text}", listed(&whom)) })
        };
        let all: Vec<String> = self.0.iter().filter_map(one).collect();
        let between = if shared && name.is_none() { ", or " } else { "; " };
        let all = all.join(between);
        if shared { format!("{lead}, or {all}") } else { all }
    }
}

/// What a help says besides its beginning: `take …` of `raise the driver, or take …`.
fn rest<'a>(text: &'a str, lead: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(lead)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(", or ") }
}

/// `a`, `a and b`, `a, b, c and 4 more`.
fn listed(names: &BTreeSet<String>) -> String {
    let first: Vec<&str> = names.iter().map(String::as_str).take(MOST_NAMED).collect();
    match (names.len() - first.len(), first.split_last()) {
        (0, Some((last, []))) => (*last).to_owned(),
        (0, Some((last, most))) => format!("{} and {last}", most.join(", ")),
        (more, _) => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(all: &[(&str, &str, &str)]) -> String {
        let mut helps = Helps::default();
        for (text, environment, host) in all {
            let whom = For { environment: (*environment).to_owned(), host: (*host).to_owned(), build: String::new() };
            helps.add((*text).to_owned(), whom, false);
        }
        helps.said()
    }

    #[test]
    fn each_help_says_for_whom_it_is() {
        for (all, want) in [
            (&[("x", "a", "h"), ("x", "b", "h")][..], "x"),
            (&[("x", "a", "h"), ("y", "a", "g")], "for h: x; for g: y"),
            (&[("x", "a", "h"), ("x", "a", "g"), ("y", "b", "h"), ("y", "b", "g")], "for a: x; for b: y"),
            (&[("x", "a", "h"), ("y", "a", "g"), ("y", "b", "h")], "for a on h: x; for a on g and b on h: y"),
            (&[("x", "a", "h"), ("y", "a", "h")], "x; y"),
            (&[("r, or x", "a", "h"), ("r, or y", "b", "h"), ("r", "c", "h")], "r, or for a: x; for b: y"),
            (&[("r, or x", "a", "h"), ("r, or y", "a", "h")], "r, or x, or y"),
        ] {
            assert_eq!(said(all), want);
        }
    }
}
