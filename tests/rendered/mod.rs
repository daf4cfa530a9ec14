//! Environments as short lines, for the tests that look at what files lead to.

mod line;

use cudalint::linter::Linter;
use cudalint::settings::Settings;

pub(crate) use line::line;

/// The environments of a project, one a line.
pub(crate) fn environments(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    // What only a link makes ours is read the next time.
    for _ in 0..3 {
        linter.report();
    }
    let mut lines: Vec<String> = linter.environments().map(line).collect();
    lines.dedup();
    lines
}

/// The environments are these.
#[track_caller]
pub(crate) fn check(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(environments(files), expected);
}
