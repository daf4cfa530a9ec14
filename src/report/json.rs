//! `--format json`: the shape is fixed by `schema`; within a number, fields are only ever added.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::clean::is_hidden;
use super::{Outcome, Place, label_text};
use crate::diagnostic::{Diagnostic, Fix};
use crate::knowledge;
use crate::secret::masked;
use crate::source::{Position, Span};

#[derive(Serialize)]
struct Document {
    schema: u32,
    cudalint: &'static str,
    knowledge: &'static str,
    summary: Summary,
    diagnostics: Vec<Finding>,
    skipped: Vec<Skipped>,
}

#[derive(Serialize)]
struct Summary {
    errors: usize,
    warnings: usize,
    infos: usize,
    files: usize,
    environments: usize,
}

#[derive(Serialize)]
struct Finding {
    rule: &'static str,
    severity: &'static str,
    message: String,
    path: Option<String>,
    start: Option<Point>,
    end: Option<Point>,
    labels: Vec<Label>,
    help: Option<String>,
    environment: Option<String>,
    environments: Vec<String>,
    hosts: Vec<String>,
    docs: String,
    fix: Option<Mend>,
    live: Option<()>,
}

#[derive(Serialize)]
struct Label {
    path: Option<String>,
    start: Option<Point>,
    end: Option<Point>,
    text: String,
}

#[derive(Serialize)]
struct Point {
    line: usize,
    column: usize,
    offset: u32,
}

#[derive(Serialize)]
struct Mend {
    title: String,
    safe: bool,
    edits: Vec<Edit>,
}

#[derive(Serialize)]
struct Edit {
    path: Option<String>,
    start: Option<Point>,
    end: Option<Point>,
    text: String,
}

#[derive(Serialize)]
struct Skipped {
    path: String,
    reason: String,
}

pub(super) fn write(outcome: &Outcome<'_>, out: &mut dyn Write) -> io::Result<()> {
    let count = outcome.count();
    let mut skipped: Vec<_> =
        outcome.parts.iter().flat_map(|p| p.skipped.iter().map(|s| (p.viewpoint.path(&s.path), &s.reason))).collect();
    skipped.sort();
    skipped.dedup();
    let document = Document {
        schema: 1,
        cudalint: env!("CARGO_PKG_VERSION"),
        knowledge: knowledge::date(),
        summary: Summary {
            errors: count.errors,
            warnings: count.warnings,
            infos: count.infos,
            files: outcome.files(),
            environments: outcome.parts.iter().map(|p| p.report.environments).sum(),
        },
        diagnostics: outcome.findings.iter().map(|(part, d)| finding(outcome, *part, d)).collect(),
        skipped: skipped.into_iter().map(|(path, reason)| Skipped { path, reason: reason.clone() }).collect(),
    };
    let text = serde_json::to_string_pretty(&document)?;
    writeln!(out, "{}", escaped(&text))
}

/// A document in which what a terminal would obey or not show is written as an escape; only strings hold such.
fn escaped(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| c != '\n' && is_hidden(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn finding(outcome: &Outcome<'_>, part: usize, diagnostic: &Diagnostic) -> Finding {
    let labels: Vec<_> = diagnostic.labels.iter().map(|label| (points(outcome, part, label.at), label_text(label))).collect();
    let labels = labels.into_iter().map(|((path, start, end), text)| Label { path, start, end, text }).collect();
    let primary = diagnostic.labels.first().map(|label| points(outcome, part, label.at));
    let (path, start, end) = primary.unwrap_or_default();
    let environments = outcome.environments(part, diagnostic);
    Finding {
        rule: diagnostic.rule,
        severity: diagnostic.severity.word(),
        message: masked(&diagnostic.message).into_owned(),
        path,
        start,
        end,
        labels,
        help: diagnostic.help.as_deref().map(|help| masked(help).into_owned()),
        environment: environments.first().cloned(),
        environments,
        hosts: diagnostic.hosts.iter().map(|host| host.name.clone()).collect(),
        docs: page(diagnostic.rule),
        fix: diagnostic.fix.as_ref().and_then(|fix| mend(outcome, part, fix)),
        live: None,
    }
}

/// `None` for a fix that would print credentials: masked, it would break the file.
fn mend(outcome: &Outcome<'_>, part: usize, fix: &Fix) -> Option<Mend> {
    let edit = |edit: &crate::diagnostic::Edit| {
        let (path, start, end) = points(outcome, part, edit.at);
        (masked(&edit.text) == edit.text).then(|| Edit { path, start, end, text: edit.text.clone() })
    };
    Some(Mend {
        title: masked(&fix.title).into_owned(),
        safe: fix.safe,
        edits: fix.edits.iter().map(edit).collect::<Option<_>>()?,
    })
}

/// A place; what the command line says has none.
fn points(outcome: &Outcome<'_>, part: usize, span: Span) -> (Option<String>, Option<Point>, Option<Point>) {
    let Place { path, start, end } = outcome.place(part, span);
    let point = |at: Position, offset| path.is_some().then_some(Point { line: at.line, column: at.column, offset });
    let (start, end) = (point(start, span.start), point(end, span.end));
    (path, start, end)
}

/// The address of a rule's page.
fn page(rule: &str) -> String {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => format!("rules/{rule}.md"),
        repository => format!("{repository}/blob/main/rules/{rule}.md"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_terminal_obeys_is_passed_on() {
        let said = "a\u{9b}2J\u{202e}b\u{85}中\u{e0041}\u{7f}\n";
        let text = escaped(&serde_json::to_string_pretty(&[said]).expect("a text")).into_owned();
        assert!(!text.contains(|c: char| c != '\n' && is_hidden(c)), "{text:?}");
        assert!(text.contains("\\u009b2J\\u202eb\\u0085中"), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).expect("a document"), [said]);
        assert!(matches!(escaped("[\n  1\n]"), Cow::Borrowed(_)));
    }
}
