//! The labelled cases: what must be found, and what must not be said.

mod labelled;

use std::collections::{BTreeMap, BTreeSet};

use labelled::{Case, Expected, Found, expected, is, lint};
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
    let mut score = Score::default();
    for case in &labelled::cases() {
        let findings = lint(&case.files, &case.others, &case.table);
        judge(&case.name, &case.table, &findings, &line_counts(case), &mut score);
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

fn judge(case_name: &str, case: &toml::Table, findings: &[Value], lines: &BTreeMap<String, u64>, score: &mut Score) {
    let findings: Vec<_> = findings.iter().map(Found::new).collect();
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
    for expected in expected(case) {
        wanted.insert(expected.rule.clone());
        if expected.optional {
            continue;
        }
        // A rule that must stay quiet here may be expected as an info: a loud one is no hit.
        let quiet = must_not.contains(&expected.rule);
        let hit = (0..findings.len()).filter(|i| !used.contains(i)).find(|i| {
            let f = &findings[*i];
            !(quiet && f.loud)
                && f.rule == expected.rule
                && f.at.contains(&expected.at)
                && (f.loud || expected.severity == "info")
        });
        let (made, all) = score.rules.entry(expected.rule.clone()).or_default();
        *all += 1;
        match hit {
            Some(i) => {
                *made += 1;
                used.insert(i);
            }
            None => {
                let (Expected { rule, severity, at, .. }, name) = (&expected, case_name);
                score.missed.push(format!("missed {name}: {rule} ({severity}) at {}:{}", at.0, at.1));
            }
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

/// A case's list of names; empty where it is not there.
fn list(table: &toml::Table, key: &str) -> BTreeSet<String> {
    let items = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    items.filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn line_counts(case: &Case) -> BTreeMap<String, u64> {
    let count = |text: &String| u64::try_from(text.lines().count()).expect("few lines").max(1);
    case.files.iter().chain(&case.others).map(|(path, text)| (path.clone(), count(text))).collect()
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
