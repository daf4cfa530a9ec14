//! Minimal forms of what real repositories do right: nothing may be said of them at warning or above.

use std::fs;
use std::path::Path;

use cudalint::diagnostic::Severity;
use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;
use cudalint::walk::{self, Asked};

/// How often links are followed to files that name further files.
const ROUNDS: usize = 5;

#[test]
fn nothing_is_said_of_what_works() {
    let clean = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/clean");
    let mut folders: Vec<_> = fs::read_dir(clean).expect("the folders").flatten().map(|e| e.path()).collect();
    folders.sort();
    assert!(!folders.is_empty());
    let said: Vec<String> = folders.iter().flat_map(|folder| findings(folder)).collect();
    assert!(said.is_empty(), "\n{}", said.join("\n"));
}

fn findings(folder: &Path) -> Vec<String> {
    let root = folder.canonicalize().expect("a folder");
    let asked = Asked { no_ignore: true, ..Asked::default() };
    let tree = walk::walk(&root, &asked);
    let mut linter = Linter::new(Settings::default());
    let files: Vec<_> = tree.files.iter().filter(|f| f.path != "host.toml").collect();
    assert!(!files.is_empty(), "{}: nothing is read", folder.display());
    for file in files {
        linter.set(&file.path, &file.text).expect("no mistakes in a configuration");
    }
    if let Ok(host) = fs::read_to_string(folder.join("host.toml")) {
        linter.host(Origin::Outside, "host.toml", &host).expect("a host");
    }
    for _ in 0..ROUNDS {
        linter.report();
        for path in linter.wants() {
            if let Ok(Some(text)) = walk::linked(&root, &path, &asked) {
                linter.set(&path, &text).expect("no mistakes in a configuration");
            }
        }
    }
    let report = linter.report();
    assert!(report.environments > 0, "{}: no environment", folder.display());
    let loud = report.diagnostics.iter().filter(|d| d.severity >= Severity::Warning);
    loud.map(|d| format!("{}: {}: {}", folder.display(), d.rule, d.message)).collect()
}
