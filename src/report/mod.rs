//! The outcome of a run, printed. One file a format.

mod clean;
mod concise;
mod excerpt;
mod json;
mod text;
mod words;

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, Label, Report, Severity, Skipped};
use crate::source::{FileId, LineIndex, Origin, Position, Sources, Span};
use crate::viewpoint::Viewpoint;
pub use clean::one_line;
pub use text::Look;

/// A form of output.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// For people: source excerpts.
    Text(Look),
    /// One line a finding.
    Concise(Look),
    /// For programs.
    Json,
}

/// One root's part of an outcome.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// What the engine says.
    pub report: &'a Report,
    /// The texts that its spans point into.
    pub sources: &'a Sources,
    /// How its paths are printed.
    pub viewpoint: Viewpoint,
    /// Files that could not be used, root-relative.
    pub skipped: &'a [Skipped],
}

/// All that a run comes to.
#[derive(Debug)]
pub struct Outcome<'a> {
    parts: Vec<Part<'a>>,
    indexes: Vec<HashMap<FileId, LineIndex>>,
    findings: Vec<(usize, &'a Diagnostic)>,
}

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Infos.
    pub infos: usize,
}

/// A place, as outputs print it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// `None` for options of the command line.
    path: Option<String>,
    start: Position,
    end: Position,
}

impl<'a> Outcome<'a> {
    /// Puts the parts together: findings in order, each once though two roots hold the same file.
    #[must_use]
    pub fn new(parts: Vec<Part<'a>>) -> Self {
        let indexes = parts.iter().map(line_indexes).collect();
        let mut outcome = Self { parts, indexes, findings: Vec::new() };
        let mut keyed = BTreeSet::new();
        for (i, part) in outcome.parts.iter().enumerate() {
            for (j, diagnostic) in part.report.diagnostics.iter().enumerate() {
                let place = diagnostic.labels.first().map(|label| outcome.place(i, label.at));
                keyed.insert((place, diagnostic.rule, &diagnostic.message, i, j));
            }
        }
        let mut keyed: Vec<_> = keyed.into_iter().collect();
        keyed.dedup_by(|b, a| (&a.0, a.1, a.2) == (&b.0, b.1, b.2) && a.3 != b.3);
        outcome.findings = keyed.iter().map(|(.., i, j)| (*i, &outcome.parts[*i].report.diagnostics[*j])).collect();
        outcome
    }
    /// How many findings there are of each severity.
    #[must_use]
    pub fn count(&self) -> Count {
        let of = |severity| self.findings.iter().filter(|(_, d)| d.severity == severity).count();
        Count { errors: of(Severity::Error), warnings: of(Severity::Warning), infos: of(Severity::Info) }
    }
    /// How many files are read; one outside of several roots is one.
    fn files(&self) -> usize {
        let outside = |part: &Part<'_>| {
            let sources = part.sources;
            sources.iter().filter(|(id, ..)| sources.origin(*id) == Origin::Outside).map(|(_, path, _)| path.to_owned()).collect()
        };
        let outside: Vec<Vec<String>> = self.parts.iter().map(outside).collect();
        let distinct = outside.iter().flatten().collect::<BTreeSet<_>>().len();
        let twice = outside.iter().flatten().count() - distinct;
        self.parts.iter().map(|p| p.report.files).sum::<usize>().saturating_sub(twice)
    }
    /// The worst severity of all findings.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|(_, d)| d.severity).max()
    }
    /// How many findings each rule has, most first.
    #[must_use]
    pub fn by_rule(&self) -> Vec<(&'static str, usize)> {
        let rules: BTreeSet<_> = self.findings.iter().map(|(_, d)| d.rule).collect();
        let mut counts: Vec<_> =
            rules.into_iter().map(|r| (r, self.findings.iter().filter(|(_, d)| d.rule == r).count())).collect();
        counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        counts
    }
    /// Prints the findings.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text(look) => text::write(self, look, out),
            Format::Concise(look) => concise::write(self, look, out),
            Format::Json => json::write(self, out),
        }
    }
    /// The lines that end a run: the sum, and with `needs` what each start needs.
    #[must_use]
    pub fn closing(&self, needs: bool) -> Vec<String> {
        text::closing(self, needs)
    }

    fn place(&self, part: usize, span: Span) -> Place {
        let sources = self.parts[part].sources;
        let (text, index) = (sources.text(span.file), &self.indexes[part][&span.file]);
        let at = |offset: u32| index.position(text, offset as usize);
        Place { path: self.path(part, span.file), start: at(span.start), end: at(span.end) }
    }
    fn path(&self, part: usize, file: FileId) -> Option<String> {
        self.parts[part].viewpoint.name(self.parts[part].sources, file)
    }
    /// Names of starts begin with the path of a file.
    fn environments(&self, part: usize, diagnostic: &Diagnostic) -> Vec<String> {
        diagnostic.environments.iter().map(|name| self.parts[part].viewpoint.path(name)).collect()
    }
}

fn line_indexes(part: &Part<'_>) -> HashMap<FileId, LineIndex> {
    let labels = part.report.diagnostics.iter().flat_map(|d| d.labels.iter().map(|l| l.at));
    let edits = part.report.diagnostics.iter().filter_map(|d| d.fix.as_ref()).flat_map(|f| f.edits.iter().map(|e| e.at));
    let mut indexes = HashMap::new();
    for span in labels.chain(edits) {
        indexes.entry(span.file).or_insert_with(|| LineIndex::new(part.sources.text(span.file)));
    }
    indexes
}

/// The words of a label, fit to be printed.
fn label_text(label: &Label) -> String {
    clean::one_line(&words::of(label))
}
