//! What is found in a project, for the tests of rules.

use cudalint::diagnostic::Severity;
use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// `error rule` of each finding at warning or above, in order of places.
pub(crate) fn found(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    let report = linter.report();
    let loud = report.diagnostics.iter().filter(|said| said.severity >= Severity::Warning);
    loud.map(|said| format!("{} {}", said.severity.word(), said.rule)).collect()
}
