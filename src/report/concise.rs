//! `path:line:column: severity[rule]: message`, one line a finding.

use std::io::{self, Write};

use super::{Outcome, clean::clean};

pub(super) fn write(outcome: &Outcome<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (part, diagnostic) in &outcome.findings {
        if let Some(label) = diagnostic.labels.first() {
            let place = outcome.place(*part, label.at);
            let path = place.path.as_deref().unwrap_or("<command line>");
            write!(out, "{}:{}:{}: ", one_line(path), place.start.line, place.start.column)?;
        }
        writeln!(out, "{}[{}]: {}", diagnostic.severity.word(), diagnostic.rule, one_line(&diagnostic.message))?;
    }
    Ok(())
}

/// Text for one line of output: no control characters, no credentials.
#[must_use]
pub fn one_line(text: &str) -> String {
    clean(text).replace(['\n', '\r', '\t'], " ")
}
