//! The labelled cases: what must be found, and what must not be said.
//!
//! A case folder holds environment files and a `case.toml`:
//! - `[[expected]]` `file`, `line`, `finding`, `severity`: must be reported by a finding of its own of that rule, with one
//!   of its first labels on that line; loud (warning or error) where the label is loud;
//! - `must_not`: rules that must not be loud; `negative = true`: no rule may be, save the expected ones;
//! - `allowed`: rules that may speak: judged right by a reader, but not what the case is about;
//! - `[host]`: the machine it runs on; `live_only = true`: only a machine can tell, left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cudalint::linter::Linter;
use cudalint::report::{Format, Outcome, Part};
use cudalint::settings::Settings;
use cudalint::source::Origin;
use cudalint::viewpoint::Viewpoint;
use cudalint::walk::{self, Asked};
use serde_json::Value;

/// Findings that are expected of the rules that exist and not made: their facts are not in the tables, or what they rest on is not
/// read. All others must be made.
const NOT_YET: &[&str] = &[
    // Of `latest` no table knows which torch it has.
    "064-detectron2-latest-image: find-links-for-other-torch",
    // No source tells that this build compiles without being asked to.
    "072-nvcc-missing-runtime-neox: no-nvcc-for-build",
    // The value is computed from a variable of an image that no table has.
    "031-index-from-base-cuda: unknown-wheel-index",
];
/// A finding that points everywhere points nowhere.
const LABELS: usize = 6;
/// How often links are followed to files that name further files.
const ROUNDS: usize = 5;

#[derive(Default)]
struct Score {
    /// By rule: made, expected.
    rules: BTreeMap<String, (usize, usize)>,
    missed: Vec<String>,
    false_alarms: Vec<String>,
    unlabelled: Vec<String>,
}

#[test]
fn the_labelled_cases() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    let mut folders: Vec<_> = fs::read_dir(cases).expect("the cases").flatten().map(|e| e.path()).collect();
    folders.retain(|folder| folder.join("case.toml").is_file());
    folders.sort();
    assert!(folders.len() > 100, "only {} cases", folders.len());
    let mut score = Score::default();
    for folder in &folders {
        let case: toml::Table = fs::read_to_string(folder.join("case.toml")).expect("a case").parse().expect("TOML");
        if !is(&case, "live_only") {
            judge(&name_of(folder), &case, &lint(folder, &case), &line_counts(folder), &mut score);
        }
    }
    // A label of a rule that is still to come is no miss.
    score.rules.retain(|rule, _| cudalint::rules::find(rule).is_some());
    score.missed.retain(|line| line.split_whitespace().any(|word| cudalint::rules::find(word).is_some()));
    let (made, expected) = score.rules.values().fold((0, 0), |(a, b), (made, expected)| (a + made, b + expected));
    for line in [&score.missed, &score.false_alarms, &score.unlabelled].into_iter().flatten() {
        println!("{line}");
    }
    for (rule, (made, expected)) in &score.rules {
        println!("{made:3}/{expected:<3} {rule}");
    }
    println!("recall {made}/{expected}, false alarms {}, unlabelled {}", score.false_alarms.len(), score.unlabelled.len());
    assert!(score.false_alarms.is_empty(), "false alarms:\n{}", score.false_alarms.join("\n"));
    let known = |line: &&String| NOT_YET.iter().any(|label| line.contains(label));
    let missed: Vec<_> = score.missed.iter().filter(|line| !known(line)).collect();
    assert!(missed.is_empty(), "missed:\n{missed:#?}");
    let made: Vec<_> = NOT_YET.iter().filter(|label| !score.missed.iter().any(|line| line.contains(*label))).collect();
    assert!(made.is_empty(), "made by now: {made:?}");
}

/// The findings of a case, as the JSON report tells them.
fn lint(folder: &Path, case: &toml::Table) -> Vec<Value> {
    let root = folder.canonicalize().expect("a folder");
    let asked = Asked { no_ignore: true, ..Asked::default() };
    let tree = walk::walk(&root, &asked);
    let mut linter = Linter::new(Settings::default());
    for file in tree.files.iter().filter(|f| f.path != "case.toml") {
        linter.set(&file.path, &file.text).expect("no mistakes in a configuration");
    }
    for _ in 0..ROUNDS {
        linter.report();
        for path in linter.wants() {
            if let Ok(Some(text)) = walk::linked(&root, &path, &asked) {
                linter.set(&path, &text).expect("no mistakes in a configuration");
            }
        }
    }
    if let Some(host) = case.get("host") {
        linter.host(Origin::Outside, "../host.toml", &host_text(host.as_table().expect("a table"))).expect("a host");
    }
    let report = linter.report();
    let viewpoint = Viewpoint::new(&root, &root);
    let part = Part { report: &report, sources: linter.sources(), viewpoint, skipped: &tree.skipped };
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

/// A place on a line of a file.
type At = (String, u64);

struct Found {
    rule: String,
    loud: bool,
    severity: String,
    /// The primary place, then those of the first labels.
    at: Vec<At>,
    message: String,
}

fn found(value: &Value) -> Found {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let at = |v: &Value| (v["path"].as_str().unwrap_or_default().to_owned(), v["start"]["line"].as_u64().unwrap_or(0));
    let labels = value["labels"].as_array().expect("a list").iter().take(LABELS);
    Found {
        rule: text("rule"),
        loud: text("severity") != "info",
        severity: text("severity"),
        at: std::iter::once(value).chain(labels).map(at).collect(),
        message: text("message"),
    }
}

fn judge(case_name: &str, case: &toml::Table, findings: &[Value], lines: &BTreeMap<String, u64>, score: &mut Score) {
    let findings: Vec<_> = findings.iter().map(found).collect();
    let (must_not, allowed) = (list(case, "must_not"), list(case, "allowed"));
    let mut seen = BTreeSet::new();
    for f in &findings {
        let whole = !f.message.is_empty() && f.at[0].1 >= 1 && f.at[0].1 <= *lines.get(&f.at[0].0).unwrap_or(&0);
        if !whole {
            score
                .false_alarms
                .push(format!("{case_name}: {} has no message, or a place outside the files: {:?}", f.rule, f.at[0]));
        } else if !seen.insert((&f.rule, &f.at[0])) && f.loud {
            score.false_alarms.push(format!("{case_name}: {} twice at {:?}", f.rule, f.at[0]));
        }
    }
    let mut used = BTreeSet::new();
    let mut wanted = BTreeSet::new();
    for expected in case.get("expected").and_then(toml::Value::as_array).into_iter().flatten() {
        let expected = expected.as_table().expect("a table");
        let text = |key: &str| expected[key].as_str().expect("text").to_owned();
        let (rule, severity) = (text("finding"), text("severity"));
        wanted.insert(rule.clone());
        if is(expected, "optional") {
            continue;
        }
        let at: At = (text("file"), expected["line"].as_integer().and_then(|n| u64::try_from(n).ok()).expect("a line"));
        // A rule that must stay quiet here may be expected as an info: a loud one is no hit.
        let quiet = must_not.contains(&rule);
        let hit = (0..findings.len()).filter(|i| !used.contains(i)).find(|i| {
            let f = &findings[*i];
            !(quiet && f.loud) && f.rule == rule && f.at.contains(&at) && (f.loud || severity == "info")
        });
        let (made, all) = score.rules.entry(rule.clone()).or_default();
        *all += 1;
        match hit {
            Some(i) => {
                *made += 1;
                used.insert(i);
            }
            None => score.missed.push(format!("missed {case_name}: {rule} ({severity}) at {}:{}", at.0, at.1)),
        }
    }
    for (_, f) in findings.iter().enumerate().filter(|(i, f)| !used.contains(i) && f.loud) {
        let line = format!("{case_name}: {} ({}) at {}:{}: {}", f.rule, f.severity, f.at[0].0, f.at[0].1, f.message);
        if must_not.contains(&f.rule) || (is(case, "negative") && !wanted.contains(&f.rule)) {
            score.false_alarms.push(line);
        } else if !allowed.contains(&f.rule) && !wanted.contains(&f.rule) {
            score.unlabelled.push(format!("unlabelled {line}"));
        }
    }
}

fn is(table: &toml::Table, key: &str) -> bool {
    table.get(key).and_then(toml::Value::as_bool).unwrap_or(false)
}

fn list(table: &toml::Table, key: &str) -> BTreeSet<String> {
    let items = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    items.filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn name_of(folder: &Path) -> String {
    folder.file_name().expect("a name").to_string_lossy().into_owned()
}

fn line_counts(folder: &Path) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(at) = left.pop() {
        for entry in fs::read_dir(at).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let text = fs::read(&path).expect("a file");
            let lines = u64::try_from(String::from_utf8_lossy(&text).lines().count()).expect("few lines");
            let below = path.strip_prefix(folder).expect("a file of the case").to_string_lossy().into_owned();
            counts.insert(below, lines.max(1));
        }
    }
    counts
}

#[test]
fn the_score_knows_a_hit_from_a_false_alarm() {
    let case: toml::Table =
        "negative = false\nmust_not = [\"b\"]\n[[expected]]\nfile = \"x\"\nline = 2\nfinding = \"a\"\nseverity = \"error\"\n"
            .parse()
            .expect("TOML");
    let finding = |rule: &str, severity: &str, line: u64| serde_json::json!({ "rule": rule, "severity": severity, "message": "m", "path": "x", "start": { "line": line }, "labels": [] });
    for (findings, made, false_alarms, unlabelled) in [
        (vec![finding("a", "warning", 2)], 1, 0, 0),
        (vec![finding("a", "info", 2)], 0, 0, 0),
        (vec![finding("a", "error", 1)], 0, 0, 0),
        (vec![finding("a", "error", 2), finding("a", "error", 2)], 1, 1, 0),
        (vec![finding("b", "warning", 1)], 0, 1, 0),
        (vec![finding("b", "info", 1)], 0, 0, 0),
        (vec![finding("c", "error", 1)], 0, 0, 1),
        (vec![finding("c", "info", 9)], 0, 1, 0),
    ] {
        let mut score = Score::default();
        judge("case", &case, &findings, &BTreeMap::from([("x".to_owned(), 3)]), &mut score);
        let told = (score.rules["a"].0, score.false_alarms.len(), score.unlabelled.len());
        assert_eq!(told, (made, false_alarms, unlabelled), "{findings:?}");
    }
}
