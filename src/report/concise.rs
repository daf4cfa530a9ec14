//! `path:line:column: severity[rule]: message`, one line a finding.

use std::io::{self, Write};

use super::Outcome;
use super::clean::{one_line, quoting_line};
use super::text::{Look, color};

pub(super) fn write(outcome: &Outcome<'_>, look: Look, out: &mut dyn Write) -> io::Result<()> {
    for (part, diagnostic) in &outcome.findings {
        if let Some(label) = diagnostic.labels.first() {
            let place = outcome.place(*part, label.at);
            let path = one_line(place.path.as_deref().unwrap_or("<command line>"));
            let (line, column) = (place.start.line, place.start.column);
            if look.color {
                write!(out, "\u{1b}[1m{path}\u{1b}[0m{COLON}{line}{COLON}{column}{COLON} ")?;
            } else {
                write!(out, "{path}:{line}:{column}: ")?;
            }
        }
        let kind = format!("{}[{}]", diagnostic.severity.word(), diagnostic.rule);
        let message = quoting_line(&diagnostic.message);
        if look.color {
            writeln!(out, "\u{1b}[1;{}m{kind}\u{1b}[0m: {message}", color(diagnostic.severity))?;
        } else {
            writeln!(out, "{kind}: {message}")?;
        }
    }
    Ok(())
}

/// Between the parts of a place.
const COLON: &str = "\u{1b}[36m:\u{1b}[0m";
