//! A case as lines that remember where they come from.

use std::collections::{BTreeMap, BTreeSet};

use cudalint::outline::Kind;
use cudalint::read;

use crate::labelled::{At, Case, Files};

/// A line, and the lines of the original case that it stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) of: BTreeSet<At>,
}

impl Line {
    /// A line that says nothing of the case.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), of: BTreeSet::new() }
    }

    /// Other words for the same.
    pub(crate) fn with(&self, text: impl Into<String>) -> Self {
        Self { text: text.into(), of: self.of.clone() }
    }
}

/// A case, or a sibling of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) files: BTreeMap<String, Vec<Line>>,
    /// Between lines.
    pub(crate) end: &'static str,
    /// A byte order mark before requirements, YAML and TOML.
    pub(crate) mark: bool,
    /// The names of `[host]`'s operating system, if any.
    pub(crate) os: Option<String>,
}

impl Written {
    pub(crate) fn new(case: &Case) -> Self {
        let lines = |path: &str, text: &str| -> Vec<Line> {
            let at = |i: usize| (path.to_owned(), u64::try_from(i + 1).expect("few lines"));
            text.lines().enumerate().map(|(i, text)| Line { text: text.to_owned(), of: BTreeSet::from([at(i)]) }).collect()
        };
        let files = case.files.iter().chain(&case.others).map(|(path, text)| (path.clone(), lines(path, text))).collect();
        let os = case.table.get("host").and_then(|host| host.get("os")?.as_str().map(str::to_owned));
        Self { files, end: "\n", mark: false, os }
    }

    /// The texts that a walk finds, and those that only links lead to.
    pub(crate) fn texts(&self) -> (Files, Files) {
        let text = |(path, lines): (&String, &Vec<Line>)| {
            let marked = self.mark && kind(path, lines).is_some_and(has_mark);
            let mark = if marked { "\u{feff}" } else { "" };
            let text = lines.iter().fold(mark.to_owned(), |text, line| text + &line.text + self.end);
            (path.clone(), text)
        };
        self.files
            .iter()
            .map(text)
            .partition(|(path, text)| read::kind_by_name(path).or_else(|| read::kind_by_content(path, text)).is_some())
    }

    /// Where a line of the original case is now.
    pub(crate) fn places(&self, at: &At) -> BTreeSet<At> {
        let numbered = self.files.iter().flat_map(|(path, lines)| lines.iter().enumerate().map(move |(i, line)| (path, i, line)));
        let of = numbered.filter(|(_, _, line)| line.of.contains(at));
        of.map(|(path, i, _)| (path.clone(), u64::try_from(i + 1).expect("few lines"))).collect()
    }

    /// The same with each line in the words that `f` has for it.
    pub(crate) fn each_line(&self, mut f: impl FnMut(Kind, &Line) -> Option<Vec<Line>>) -> Option<Self> {
        self.each_file(|kind, _, lines| {
            let mut out = Vec::new();
            let mut changed = false;
            for line in lines {
                let new = f(kind, line);
                changed |= new.is_some();
                out.extend(new.unwrap_or_else(|| vec![line.clone()]));
            }
            changed.then_some(out)
        })
    }

    /// The same with each file as `f` writes it.
    pub(crate) fn each_file(&self, mut f: impl FnMut(Kind, &str, &[Line]) -> Option<Vec<Line>>) -> Option<Self> {
        let mut out = self.clone();
        let mut changed = false;
        for (path, lines) in &mut out.files {
            let Some(kind) = kind(path, lines) else { continue };
            if let Some(new) = f(kind, path, lines) {
                changed |= *lines != new;
                *lines = new;
            }
        }
        changed.then_some(out)
    }

    /// The only file of the case, if it is one.
    pub(crate) fn only_file(&self) -> Option<(&str, Kind, &[Line])> {
        let (path, lines) = self.files.first_key_value().filter(|_| self.files.len() == 1)?;
        Some((path, kind(path, lines)?, lines))
    }

    /// Whether a line of the case holds a text.
    pub(crate) fn says(&self, what: &str) -> bool {
        self.files.values().flatten().any(|line| line.text.contains(what))
    }
}

fn kind(path: &str, lines: &[Line]) -> Option<Kind> {
    read::kind_by_name(path).or_else(|| {
        let text: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
        read::kind_by_content(path, &text.join("\n"))
    })
}

/// Whether programs read the format past a byte order mark.
fn has_mark(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Requirements
            | Kind::CondaEnvironment
            | Kind::Pyproject
            | Kind::Pixi
            | Kind::UvLock
            | Kind::Compose
            | Kind::Kubernetes
            | Kind::Workflow
    )
}
