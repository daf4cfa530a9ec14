//! Who may use whom: each module looks down only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the library, and those that it may name. A new module is entered here with what it stands on.
const MAY_USE: &[(&str, &str)] = &[
    // What everything stands on.
    ("secret", ""),
    ("source", "secret"),
    ("version", ""),
    ("outline", "source"),
    ("near", ""),
    ("device", ""),
    ("work", ""),
    ("visible", ""),
    ("knowledge", "near notation platform version"),
    ("platform", "knowledge version"),
    ("notation", "platform version"),
    ("environment", "device knowledge notation outline platform source version"),
    ("diagnostic", "environment source"),
    ("viewpoint", "source"),
    ("globs", "source"),
    // A reader knows syntax; a rule knows the chain.
    ("read", "device notation outline platform source"),
    ("config", "diagnostic environment globs knowledge outline platform read source version"),
    ("settings", "config diagnostic source"),
    ("project", "device environment knowledge notation outline platform read source version work"),
    ("resolve", "environment knowledge notation outline platform source version"),
    ("loader", "environment knowledge outline platform version"),
    ("install", "device environment knowledge loader notation outline platform project resolve secret source version"),
    ("launched", "device environment knowledge outline project source work"),
    ("chain", "environment knowledge notation outline platform resolve source version"),
    ("unknown", "diagnostic environment knowledge project resolve secret source"),
    ("hardware", "environment knowledge outline platform"),
    ("demand", "chain environment knowledge platform version"),
    ("needs", "chain demand diagnostic environment knowledge version"),
    ("able", "chain environment knowledge resolve version"),
    ("other_image", "chain demand environment knowledge notation version"),
    ("made_for_torch", "chain environment knowledge outline platform version"),
    ("meant", "environment knowledge resolve source version"),
    ("parts", "environment knowledge notation platform resolve version"),
    ("reach", "environment knowledge loader parts version"),
    ("mismatch", "environment knowledge meant parts reach version"),
    ("extension", "chain environment knowledge loader platform version"),
    ("wheels", "environment knowledge notation platform resolve version"),
    ("tagged", "environment knowledge notation version"),
    ("capability", "environment knowledge source"),
    ("alternative", "chain environment knowledge made_for_torch other_image outline platform version"),
    (
        "rules",
        "alternative capability chain demand diagnostic environment extension knowledge loader made_for_torch meant mismatch near notation other_image outline parts platform reach resolve source tagged version visible wheels",
    ),
    ("suppress", "diagnostic outline rules source"),
    ("judge", "diagnostic environment knowledge outline rules settings source suppress"),
    (
        "linter",
        "able config diagnostic environment hardware install judge knowledge launched near needs outline platform project read resolve rules settings \
         source suppress unknown version",
    ),
    // The rim: what touches files, and what is printed.
    ("walk", "config diagnostic globs outline read source viewpoint"),
    ("report", "diagnostic environment knowledge outline secret source viewpoint"),
];

/// These know each other's words: a table's row is for platforms, an image of the tables is written in a notation.
const TOGETHER: &[&str] = &["knowledge", "notation", "platform"];

#[test]
fn modules_look_down_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in rust_files(&src) {
        let module = module_of(&src, &file);
        // The root of the library declares, the program wires.
        if matches!(module.as_str(), "lib" | "main" | "cli") {
            continue;
        }
        let text = code(&file);
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{}: `{module}` is not in the table", file.display()));
            continue;
        };
        let allowed: BTreeSet<_> = allowed.split_whitespace().chain([module.as_str()]).collect();
        for used in uses(&text) {
            if !allowed.contains(used.as_str()) {
                wrong.push(format!("{}: `{module}` may not use `{used}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The modules of the table can be built one after the other.
#[test]
fn the_table_has_no_circle() {
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut left: Vec<_> = MAY_USE.to_vec();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|(name, uses)| {
            let beside = |used: &str| TOGETHER.contains(name) && TOGETHER.contains(&used);
            let ready = uses.split_whitespace().all(|used| done.contains(used) || beside(used));
            if ready {
                done.insert(name);
            }
            !ready
        });
        assert!(left.len() < before, "a circle among {:?}", left.iter().map(|(name, _)| name).collect::<Vec<_>>());
    }
}

#[test]
fn the_engine_touches_nothing_outside() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src) {
        let only_tests = matches!(file.file_stem().and_then(|s| s.to_str()), Some("tests" | "oracle"));
        if only_tests || matches!(module_of(&src, &file).as_str(), "walk" | "cli" | "main") {
            continue;
        }
        let code = code(&file);
        for outside in
            ["std::fs", "std::env::", "std::net", "std::process", "SystemTime", "Instant::now", "println!", "eprintln!"]
        {
            assert!(!code.contains(outside), "{}: {outside}", file.display());
        }
    }
}

/// Only variables that tell anything are kept; whoever asks for another one is told by a panic.
#[test]
fn variables_of_environments_are_asked_for_by_name() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src) {
        let code = code(&file);
        for past in ["env.variables.get(", "env.variables.contains_key(", "environment.variables.get("] {
            assert!(!code.contains(past), "{}: `{past}` for `variable(`", file.display());
        }
    }
}

#[test]
fn uses_are_seen_in_every_form() {
    for (text, seen) in [
        ("use crate::source::Span;", "source"),
        ("use crate::{outline::{Act, Does}, source};", "outline source"),
        ("pub(crate) use crate::{\n    read,\n    walk as w,\n};", "read walk"),
        ("fn f() -> crate::config::Mistake { crate::rules::all() }", "config rules"),
        ("// crate::cli in a comment\n/// [`crate::walk`]\nuse crate::read::read;", "read"),
        ("use crate::{};", ""),
        ("pub(crate) fn f() {}", ""),
    ] {
        assert_eq!(uses(text).into_iter().collect::<Vec<_>>().join(" "), seen, "{text}");
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// A source file up to its tests, which may use whatever shows that it works.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a source file");
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let declared = fs::read_to_string(file.with_file_name("mod.rs")).unwrap_or_default();
    if declared.contains(&format!("#[cfg(test)]\nmod {name};")) {
        return String::new();
    }
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// `src/read/shell.rs` and `src/read.rs` belong to `read`.
fn module_of(src: &Path, file: &Path) -> String {
    let first = file.strip_prefix(src).ok().and_then(|below| below.components().next()).expect("a file of src");
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The modules that a text names behind `crate::`, comments left out.
fn uses(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for (at, mark) in code.match_indices("crate::") {
        let rest = code[at + mark.len()..].trim_start();
        match rest.strip_prefix('{') {
            None => found.extend(first_word(rest)),
            Some(group) => found.extend(members(group).into_iter().filter_map(first_word)),
        }
    }
    found
}

/// The members of a `{…}` whose opening brace is already read, those of inner groups not counted.
fn members(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut members) = (0usize, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth > 0 => {}
            ',' | '}' => {
                members.push(&group[start..at]);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    members
}

fn first_word(text: &str) -> Option<String> {
    let word: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty() && word.starts_with(char::is_lowercase)).then_some(word)
}
