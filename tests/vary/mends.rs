//! What a person would write instead: then the finding is gone, and no other comes.

use std::collections::BTreeMap;

use crate::labelled::{self, Case, Files, Found, lint};

const MENDS: &str = include_str!("mends.toml");

#[test]
fn mended_cases_are_silent() {
    let mends: toml::Table = MENDS.parse().expect("TOML");
    let cases: BTreeMap<String, Case> = labelled::cases().into_iter().map(|case| (case.name.clone(), case)).collect();
    let mut wrong = Vec::new();
    for mend in mends["mend"].as_array().expect("a list") {
        let case = &cases[mend["case"].as_str().expect("a name")];
        let of: Vec<_> = mend["of"].as_array().expect("a list").iter().filter_map(toml::Value::as_str).collect();
        let before = loud(case, &case.files, &case.others);
        let (files, others) = (mended(&case.files, mend), mended(&case.others, mend));
        assert!((&files, &others) != (&case.files, &case.others), "{}: nothing is mended", case.name);
        let after = loud(case, &files, &others);
        let count = |found: &[Found], rule: &str| found.iter().filter(|f| f.rule == rule).count();
        wrong.extend(
            of.iter().filter(|rule| count(&before, rule) == 0).map(|rule| format!("{}: {rule} was not there", case.name)),
        );
        let left = after.iter().filter(|f| of.contains(&f.rule.as_str()) || count(&after, &f.rule) > count(&before, &f.rule));
        wrong.extend(left.map(|f| format!("{}: {} ({}) at {:?}: {}", case.name, f.rule, f.severity, f.at[0], f.message)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn loud(case: &Case, files: &Files, others: &Files) -> Vec<Found> {
    lint(files, others, &case.table).iter().map(Found::new).filter(|found| found.loud).collect()
}

/// The files with the edits of a mend made in them.
fn mended(files: &Files, mend: &toml::Value) -> Files {
    let edits = || mend["edits"].as_array().expect("a list").iter();
    let edit = |path: &str, line: usize| {
        let at =
            |edit: &&toml::Value| edit["file"].as_str() == Some(path) && edit["line"].as_integer() == i64::try_from(line).ok();
        edits().find(at).map(|edit| edit["text"].as_str().expect("a text").to_owned())
    };
    let text = |(path, text): (&String, &String)| {
        let lines = text.lines().enumerate().map(|(i, line)| edit(path, i + 1).unwrap_or_else(|| line.to_owned()));
        let kept = lines.zip(text.lines()).filter(|(new, old)| !new.is_empty() || old.is_empty()).map(|(new, _)| new + "\n");
        (path.clone(), kept.collect())
    };
    files.iter().map(text).collect()
}
