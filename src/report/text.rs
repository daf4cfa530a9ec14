//! `--format text`: findings with source excerpts, for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use miette::{GraphicalReportHandler, GraphicalTheme};

use super::clean::{one_line, quoting_line};
use super::excerpt::{Excerpt, Pointed, Shown};
use super::{Outcome, label_text};
use crate::diagnostic::{Diagnostic, Label, Needs, OnHost, Severity};
use crate::source::FileId;

/// No finding names more environments; the other formats have all.
const MOST_ENVIRONMENTS: usize = 8;

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
        .with_wrap_lines(false)
        .with_width(100)
        .with_context_lines(0)
        .without_primary_span_start();
    let excerpts = excerpts(outcome);
    for (part, diagnostic) in &outcome.findings {
        write_headline(diagnostic, look, out)?;
        let mut drawn = Vec::new();
        let mut facts = Vec::new();
        for (file, labels) in by_file(outcome, *part, diagnostic) {
            match excerpts.get(&(*part, file)) {
                Some(excerpt) => {
                    let mut text = String::new();
                    let pointed = labels.iter().map(|label| Pointed {
                        at: label.at,
                        place: outcome.place(*part, label.at).start,
                        text: label_text(label),
                    });
                    let shown = Shown::new(excerpt, pointed, drawn.is_empty());
                    handler.render_report(&mut text, &shown).map_err(io::Error::other)?;
                    drawn.push(text);
                }
                None => facts.extend(labels.iter().map(|label| fact(outcome, *part, label))),
            }
        }
        write!(out, "{}", joined(&drawn))?;
        for fact in facts {
            writeln!(out, "  and: {}", one_line(&fact))?;
        }
        write_footer(outcome, *part, diagnostic, out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_headline(diagnostic: &Diagnostic, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let kind = format!("{}[{}]", diagnostic.severity.word(), diagnostic.rule);
    let message = quoting_line(&diagnostic.message);
    let color = color(diagnostic.severity);
    if look.color {
        writeln!(out, "\u{1b}[1;{color}m{kind}\u{1b}[0;1m: {message}\u{1b}[0m")
    } else {
        writeln!(out, "{kind}: {message}")
    }
}

/// The terminal's colour of a severity.
pub(super) fn color(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 31,
        Severity::Warning => 33,
        Severity::Info => 36,
    }
}

/// Labels in the order of their files' first ones. What stands further up in the primary label's file comes after it:
/// the first place of a finding is the line to change.
fn by_file<'d>(outcome: &Outcome<'_>, part: usize, diagnostic: &'d Diagnostic) -> Vec<(FileId, Vec<&'d Label>)> {
    let mut files: Vec<(FileId, Vec<&Label>)> = Vec::new();
    for label in &diagnostic.labels {
        match files.iter_mut().find(|(file, _)| *file == label.at.file) {
            Some((_, labels)) => labels.push(label),
            None => files.push((label.at.file, vec![label])),
        }
    }
    let Some((file, labels)) = files.first_mut() else { return files };
    let line = |label: &Label| outcome.place(part, label.at).start.line;
    let lines: BTreeSet<usize> = labels.iter().map(|label| line(label)).collect();
    let mut top = labels.first().map_or(0, |primary| line(primary));
    // Lines that touch are shown in one piece.
    while top > 0 && lines.contains(&(top - 1)) {
        top -= 1;
    }
    let (with, above): (Vec<_>, Vec<_>) = std::mem::take(labels).into_iter().partition(|label| line(label) >= top);
    *labels = with;
    if !above.is_empty() {
        let above = (*file, above);
        files.insert(1, above);
    }
    files
}

/// A label on a fact of the command line, which has no file to show.
fn fact(outcome: &Outcome<'_>, part: usize, label: &Label) -> String {
    let given = outcome.parts[part].sources.slice(label.at);
    format!("{}, given as {}", label_text(label), given.trim_matches('"'))
}

/// The excerpts of all files as one drawing: one frame, with the line numbers of all in one column. A file whose labels lie
/// far apart is drawn in several pieces, each as wide as its own line numbers.
fn joined(drawn: &[String]) -> String {
    let mut pieces: Vec<Vec<&str>> = Vec::new();
    for line in drawn.iter().flat_map(|text| text.lines()).filter(|line| !line.is_empty() && line.trim() != CLOSE) {
        match pieces.last_mut() {
            _ if opens(line) => pieces.push(vec![line]),
            Some(piece) => piece.push(line),
            None => {}
        }
    }
    let indent = |piece: &[&str]| piece.first().map_or(0, |line| line.len() - line.trim_start().len());
    let widest = pieces.iter().map(|piece| indent(piece)).max().unwrap_or(0);
    let mut out = String::new();
    for piece in &pieces {
        let pad = " ".repeat(widest - indent(piece));
        for line in piece {
            let line = if opens(line) && !out.is_empty() { line.replacen('╭', "├", 1) } else { (*line).to_owned() };
            out.push_str(&pad);
            out.push_str(&line);
            out.push('\n');
        }
    }
    if !out.is_empty() {
        out.push_str(&" ".repeat(widest));
        out.push_str(CLOSE);
        out.push('\n');
    }
    out
}

/// How `miette` begins and ends the frame of an excerpt; lines of a file never begin so, their numbers stand before them.
fn opens(line: &str) -> bool {
    line.trim_start().starts_with("╭─[")
}
const CLOSE: &str = "╰────";

fn write_footer(outcome: &Outcome<'_>, part: usize, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    if let Some(help) = &diagnostic.help {
        let mut lead = "  help: ";
        for line in help.lines() {
            writeln!(out, "{lead}{}", quoting_line(line))?;
            lead = "        ";
        }
    }
    let environments = outcome.environments(part, diagnostic);
    let path = diagnostic.labels.first().and_then(|l| outcome.path(part, l.at.file));
    if environments.iter().any(|e| Some(e) != path.as_ref()) {
        let shown = &environments[..environments.len().min(MOST_ENVIRONMENTS)];
        let more = environments.len() - shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        writeln!(out, "  in: {}{more}", one_line(&shown.join(", ")))?;
    }
    if !diagnostic.hosts.is_empty() {
        // Of a single host the message says what it has.
        let several = diagnostic.hosts.len() > 1;
        let host = |host: &OnHost| match host.has.join(", ").as_str() {
            has if several && !has.is_empty() => format!("{} ({has})", host.name),
            _ => host.name.clone(),
        };
        let hosts: Vec<_> = diagnostic.hosts.iter().map(host).collect();
        writeln!(out, "  on: {}", one_line(&hosts.join(", ")))?;
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

pub(super) fn closing(outcome: &Outcome<'_>, needs: bool) -> Vec<String> {
    let count = outcome.count();
    let some = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    let kinds = [(count.errors, "error"), (count.warnings, "warning"), (count.infos, "info")];
    let found: Vec<_> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, one)| some(*n, one)).collect();
    let found = if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    let starts = outcome.parts.iter().map(|p| p.report.environments).sum();
    let mut lines = vec![format!("{found} in {}, {}", some(outcome.files(), "file"), some(starts, "environment"))];
    if needs {
        for part in &outcome.parts {
            lines.extend(part.report.needs.iter().filter_map(|n| {
                let driver = n.driver.as_ref().map(|driver| format!("driver ≥ {driver}"));
                let sm = |sm: &String| format!("sm_{}", sm.replace('.', ""));
                let gpu = n.sm.as_ref().map(|oldest| match &n.newest_sm {
                    Some(newest) if newest == oldest => format!("a GPU of {}", sm(oldest)),
                    Some(newest) => format!("a GPU of {} to {}", sm(oldest), sm(newest)),
                    None => format!("a GPU of {} or newer", sm(oldest)),
                });
                let what = [driver, gpu].into_iter().flatten().collect::<Vec<_>>().join(" and ");
                let what = match (what.as_str(), &n.image_cuda) {
                    ("", None) => return None,
                    (what, None) => what.to_owned(),
                    ("", Some(cuda)) => format!("a driver that reports CUDA {cuda}{}, for its image", others(n)),
                    (what, Some(cuda)) => format!("{what}; its image wants a driver that reports CUDA {cuda}{}", others(n)),
                };
                Some(one_line(&format!("{} needs {what}", part.viewpoint.path(&n.environment))))
            }));
        }
    }
    lines
}

/// The drivers that an image lets in beside those of its CUDA.
fn others(needs: &Needs) -> String {
    needs.image_others.iter().map(|other| format!(", or {other}")).collect()
}
