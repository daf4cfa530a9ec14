//! `--format text`: findings with source excerpts, for people.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};

use super::concise::one_line;
use super::excerpt::Excerpt;
use super::{Outcome, label_text};
use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{FileId, Origin};

/// How the text looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// With colours.
    pub color: bool,
}

pub(super) fn write(outcome: &Outcome<'_>, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let theme = if look.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        // A command to copy is not broken into lines.
        .with_wrap_lines(false)
        .with_width(100)
        .with_context_lines(0)
        .with_show_related_as_nested(true);
    let excerpts = excerpts(outcome);
    for (part, diagnostic) in &outcome.findings {
        let mut text = String::new();
        let shown = Shown::new(outcome, &excerpts, *part, diagnostic);
        handler.render_report(&mut text, &shown).map_err(io::Error::other)?;
        write!(out, "{text}")?;
        write_footer(outcome, *part, diagnostic, out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_footer(outcome: &Outcome<'_>, part: usize, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    if let Some(help) = &diagnostic.help {
        let mut lead = "  help: ";
        for line in help.lines() {
            writeln!(out, "{lead}{}", one_line(line))?;
            lead = "        ";
        }
    }
    let environments = outcome.environments(part, diagnostic);
    let path = diagnostic.labels.first().and_then(|l| outcome.path(part, l.at.file));
    if environments.iter().any(|e| Some(e) != path.as_ref()) {
        writeln!(out, "  in: {}", one_line(&environments.join(", ")))?;
    }
    if !diagnostic.hosts.is_empty() {
        writeln!(out, "  on: {}", one_line(&diagnostic.hosts.join(", ")))?;
    }
    Ok(())
}

/// The files that findings point into, cleaned once each.
type Excerpts<'a> = BTreeMap<(usize, FileId), Excerpt<'a>>;

fn excerpts<'a>(outcome: &'a Outcome<'a>) -> Excerpts<'a> {
    let files = outcome.findings.iter().flat_map(|(part, d)| d.labels.iter().map(|l| (*part, l.at.file)));
    let mut excerpts = BTreeMap::new();
    for (part, file) in files {
        if let Some(path) = outcome.path(part, file) {
            let (text, index) = (outcome.parts[part].sources.text(file), &outcome.indexes[part][&file]);
            excerpts.entry((part, file)).or_insert_with(|| Excerpt::new(&path, text, index));
        }
    }
    excerpts
}

/// A finding, or its labels in one more file, as `miette` asks for it.
#[derive(Debug)]
struct Shown<'a> {
    code: Option<String>,
    severity: Severity,
    message: String,
    excerpt: Option<&'a Excerpt<'a>>,
    labels: Vec<LabeledSpan>,
    related: Vec<Shown<'a>>,
}

impl<'a> Shown<'a> {
    fn new(outcome: &Outcome<'_>, excerpts: &'a Excerpts<'a>, part: usize, diagnostic: &Diagnostic) -> Self {
        let mut files: Vec<(FileId, Vec<&Label>)> = Vec::new();
        for label in &diagnostic.labels {
            match files.iter_mut().find(|(file, _)| *file == label.at.file) {
                Some((_, labels)) => labels.push(label),
                None => files.push((label.at.file, vec![label])),
            }
        }
        let mut shown = files.into_iter().enumerate().map(|(i, (file, labels))| {
            let excerpt = excerpts.get(&(part, file));
            let sources = outcome.parts[part].sources;
            let message = match sources.origin(file) {
                Origin::CommandLine => {
                    let facts: Vec<_> = labels
                        .iter()
                        .map(|l| format!("{}, given as {}", label_text(l), sources.slice(l.at).trim_matches('"')))
                        .collect();
                    facts.join("; ")
                }
                _ => "together with".to_owned(),
            };
            let label = |(j, label): (usize, &&Label)| excerpt.map(|e| e.label(label.at, label_text(label), i == 0 && j == 0));
            Self {
                code: None,
                severity: Severity::Info,
                message: one_line(&message),
                excerpt,
                labels: labels.iter().enumerate().filter_map(label).collect(),
                related: Vec::new(),
            }
        });
        let main = shown.next();
        let related = shown.collect();
        let (excerpt, labels) = main.map_or((None, Vec::new()), |m| (m.excerpt, m.labels));
        let place = diagnostic.labels.first().map(|label| outcome.place(part, label.at));
        let place = place.and_then(|p| Some(format!(" {}:{}:{}", p.path?, p.start.line, p.start.column)));
        let code = format!("{}[{}]{}", diagnostic.severity.word(), diagnostic.rule, one_line(&place.unwrap_or_default()));
        Self { code: Some(code), severity: diagnostic.severity, message: one_line(&diagnostic.message), excerpt, labels, related }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.code.as_ref().map(|code| Box::new(code) as _)
    }
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.map(|e| e as _)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
    fn related<'b>(&'b self) -> Option<Box<dyn Iterator<Item = &'b dyn miette::Diagnostic> + 'b>> {
        let related = self.related.iter().map(|r| r as &dyn miette::Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(related) as _)
    }
}

pub(super) fn closing(outcome: &Outcome<'_>, needs: bool) -> Vec<String> {
    let count = outcome.count();
    let some = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    let kinds = [(count.errors, "error"), (count.warnings, "warning"), (count.infos, "info")];
    let found: Vec<_> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, one)| some(*n, one)).collect();
    let found = if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    let files = outcome.parts.iter().map(|p| p.report.files).sum();
    let starts = outcome.parts.iter().map(|p| p.report.environments).sum();
    let mut lines = vec![format!("{found} in {}, {}", some(files, "file"), some(starts, "environment"))];
    if needs {
        for part in &outcome.parts {
            lines.extend(part.report.needs.iter().filter_map(|n| {
                let driver = n.driver.as_ref().map(|driver| format!("driver ≥ {driver}"));
                let gpu = n.sm.as_ref().map(|sm| format!("a GPU of sm_{} or newer", sm.replace('.', "")));
                let what = [driver, gpu].into_iter().flatten().collect::<Vec<_>>().join(" and ");
                (!what.is_empty()).then(|| one_line(&format!("{} needs {what}", part.viewpoint.path(&n.environment))))
            }));
        }
    }
    lines
}
