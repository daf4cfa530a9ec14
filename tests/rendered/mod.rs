//! Environments as short lines, for the tests that look at what files lead to.

use cudalint::environment::Environment;
use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// The environments of a project, one a line: `start: package version index, …`, with `?` where more is possible.
pub(crate) fn environments(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    linter.report();
    let mut lines: Vec<String> = linter.environments().map(line).collect();
    lines.dedup();
    lines
}

fn line(env: &Environment) -> String {
    let image = env.image.as_ref().map(|i| format!("<{}> ", i.reference)).unwrap_or_default();
    let parts = env.components.iter().map(|c| match (c.builds.only(), c.builds.today()) {
        (Some(only), _) => format!("{} {} {}", c.name, only.version, only.index),
        (None, Some(today)) => format!("{} {}… {}", c.name, today.version, today.index),
        (None, None) => format!("{} ?", c.name),
    });
    format!("{}: {image}{}", env.start.name, parts.collect::<Vec<_>>().join(", "))
}

/// The environments are these.
#[track_caller]
pub(crate) fn check(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(environments(files), expected);
}
