//! The labelled cases of `fixtures/cases`, read and linted: for the tests that hold findings against labels.
//!
//! A case folder holds environment files and a `case.toml`:
//! - `[[expected]]` `file`, `line`, `finding`, `severity`: must be reported by a finding of its own of that rule, with one
//!   of its first labels on that line; loud (warning or error) where the label is loud;
//! - `must_not`: rules that must not be loud; `negative = true`: no rule may be, save the expected ones;
//! - `allowed`: rules that may speak: judged right by a reader, but not what the case is about;
//! - `[host]`: the machine it runs on; `live_only = true`: only a machine can tell, left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cudalint::linter::Linter;
use cudalint::report::{Format, Outcome, Part};
use cudalint::settings::Settings;
use cudalint::source::Origin;
use cudalint::viewpoint::Viewpoint;
use cudalint::walk::{self, Asked};
use serde_json::Value;

/// A finding that points everywhere points nowhere.
const LABELS: usize = 6;
/// How often links are followed to files that name further files.
const ROUNDS: usize = 5;

/// Texts by path.
pub(crate) type Files = BTreeMap<String, String>;
/// A place on a line of a file.
pub(crate) type At = (String, u64);

/// One case.
pub(crate) struct Case {
    pub(crate) name: String,
    /// `case.toml`.
    pub(crate) table: toml::Table,
    /// What the walk finds.
    pub(crate) files: Files,
    /// What is read only where a link leads to it.
    pub(crate) others: Files,
}

/// The cases that need no machine, by name.
pub(crate) fn cases() -> Vec<Case> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    let mut folders: Vec<_> = fs::read_dir(cases).expect("the cases").flatten().map(|e| e.path()).collect();
    folders.retain(|folder| folder.join("case.toml").is_file());
    folders.sort();
    assert!(folders.len() > 100, "only {} cases", folders.len());
    folders.iter().map(|folder| case(folder)).filter(|case| !is(&case.table, "live_only")).collect()
}

fn case(folder: &Path) -> Case {
    let root = folder.canonicalize().expect("a folder");
    let asked = Asked { no_ignore: true, ..Asked::default() };
    let tree = walk::walk(&root, &asked);
    let found = tree.files.into_iter().filter(|f| f.path != "case.toml");
    let files: Files = found.map(|f| (f.path, f.text.to_string())).collect();
    let paths = paths_below(&root, &root).into_iter().filter(|path| path != "case.toml" && !files.contains_key(path));
    let linked = |path: String| walk::linked(&root, &path, &asked).ok().flatten().map(|text| (path, text.to_string()));
    let others = paths.filter_map(linked).collect();
    let table = fs::read_to_string(folder.join("case.toml")).expect("a case").parse().expect("TOML");
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    Case { name, table, files, others }
}

fn paths_below(root: &Path, folder: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect::<Vec<PathBuf>>() {
        if path.is_dir() {
            paths.extend(paths_below(root, &path));
        } else {
            paths.push(path.strip_prefix(root).expect("a file of the case").to_string_lossy().replace('\\', "/"));
        }
    }
    paths
}

/// The findings in these texts, as the JSON report tells them.
pub(crate) fn lint(files: &Files, others: &Files, case: &toml::Table) -> Vec<Value> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no mistakes in a configuration");
    }
    if let Some(host) = case.get("host") {
        linter.host(Origin::Outside, "../host.toml", &host_text(host.as_table().expect("a table"))).expect("a host");
    }
    let mut report = linter.report();
    for _ in 0..ROUNDS {
        let wanted: Vec<_> = linter.wants().into_iter().filter_map(|path| others.get_key_value(&path)).collect();
        if wanted.is_empty() {
            break;
        }
        for (path, text) in wanted {
            linter.set(path, text).expect("no mistakes in a configuration");
        }
        report = linter.report();
    }
    let part = Part { report: &report, sources: linter.sources(), viewpoint: Viewpoint::default(), skipped: &[] };
    let mut out = Vec::new();
    Outcome::new(vec![part]).write(Format::Json, &mut out).expect("a buffer");
    let json: Value = serde_json::from_slice(&out).expect("JSON");
    json["diagnostics"].as_array().expect("a list").clone()
}

fn host_text(host: &toml::Table) -> String {
    // Texts and booleans are written alike in both.
    let toml = |value: &toml::Value| serde_json::to_string(value).expect("a text or a boolean");
    let mut text = String::from("schema = 1\nname = \"host\"\n");
    let mut gpus = Vec::new();
    for (key, value) in host {
        match (key.as_str(), value) {
            ("gpu", toml::Value::Array(names)) => gpus.extend(names),
            ("gpu", name) => gpus.push(name),
            ("driver" | "driver_cuda" | "os" | "arch" | "wsl" | "python", value) => text += &format!("{key} = {}\n", toml(value)),
            _ => panic!("case.toml: a host has no `{key}`"),
        }
    }
    gpus.iter().fold(text, |text, name| text + &format!("[[gpu]]\nname = {}\n", toml(name)))
}

/// A finding as a label speaks of it.
pub(crate) struct Found {
    pub(crate) rule: String,
    pub(crate) loud: bool,
    pub(crate) severity: String,
    /// The primary place, then those of the first labels.
    pub(crate) at: Vec<At>,
    pub(crate) message: String,
}

impl Found {
    pub(crate) fn new(value: &Value) -> Self {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let at = |v: &Value| (v["path"].as_str().unwrap_or_default().to_owned(), v["start"]["line"].as_u64().unwrap_or(0));
        let labels = value["labels"].as_array().expect("a list").iter().take(LABELS);
        Self {
            rule: text("rule"),
            loud: text("severity") != "info",
            severity: text("severity"),
            at: std::iter::once(value).chain(labels).map(at).collect(),
            message: text("message"),
        }
    }
}

/// A finding that must be made.
pub(crate) struct Expected {
    pub(crate) rule: String,
    pub(crate) severity: String,
    pub(crate) at: At,
    /// It may be missing.
    pub(crate) optional: bool,
}

/// The findings that a case expects.
pub(crate) fn expected(case: &toml::Table) -> Vec<Expected> {
    let tables = case.get("expected").and_then(toml::Value::as_array).into_iter().flatten();
    let expected = |table: &toml::Value| {
        let table = table.as_table().expect("a table");
        let text = |key: &str| table[key].as_str().expect("text").to_owned();
        let line = table["line"].as_integer().and_then(|n| u64::try_from(n).ok()).expect("a line");
        Expected { rule: text("finding"), severity: text("severity"), at: (text("file"), line), optional: is(table, "optional") }
    };
    tables.map(expected).collect()
}

/// A case's switch; off where it is not there.
pub(crate) fn is(table: &toml::Table, key: &str) -> bool {
    table.get(key).and_then(toml::Value::as_bool).unwrap_or(false)
}
