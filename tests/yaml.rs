//! The readers of YAML files on the project's own cases and on text that does harm.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use cudalint::outline::{Act, Does, Kind, Outline};
use cudalint::read::read;
use cudalint::source::Sources;
use proptest::prelude::*;

const KINDS: [Kind; 5] = [Kind::CondaEnvironment, Kind::Compose, Kind::Kubernetes, Kind::Devcontainer, Kind::Workflow];

/// Reads a text as one kind within a bound, every place on character borders.
fn survive(kind: Kind, text: &str) -> Outline {
    let file = Sources::default().set("x.yml", text);
    let begin = Instant::now();
    let outline = read(kind, "x.yml", file, text);
    let time = begin.elapsed();
    assert!(time < Duration::from_secs(30), "{kind:?}: {time:?} for {} bytes of {:?}", text.len(), text.get(..40));
    for at in outline.acts.iter().map(|a| a.at).chain(outline.torn.iter().map(|t| t.at)) {
        assert!(text.get(at.range()).is_some(), "{kind:?} {at:?} in {text:?}");
    }
    outline
}

fn files(folder: &str) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![PathBuf::from(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()) {
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn cases_are_read_whole() {
    let mut acts = 0;
    for path in files("fixtures/cases") {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let kind = match name {
            _ if path.to_string_lossy().contains(".github/workflows") => Kind::Workflow,
            _ if name.starts_with("environment") => Kind::CondaEnvironment,
            _ if name.contains("compose") => Kind::Compose,
            "devcontainer.json" => Kind::Devcontainer,
            "pod.yaml" | "deploy.yaml" => Kind::Kubernetes,
            _ => continue,
        };
        let outline = survive(kind, &std::fs::read_to_string(&path).expect("a text"));
        assert!(!outline.acts.is_empty() && outline.torn.is_empty(), "{}: {outline:?}", path.display());
        acts += outline.acts.len();
    }
    assert!(acts >= 80, "{acts}");
}

#[test]
fn aliases_do_not_multiply() {
    let keys: String = (0..2000).map(|n| format!("  K{n}: {}\n", "v".repeat(50))).collect();
    let services: String = (0..2000).map(|n| format!("  s{n}: {{image: x, environment: {{<<: *e}}, command: *c}}\n")).collect();
    let text = format!("x-e: &e\n{keys}x-c: &c '{}'\nservices:\n{services}", "word ".repeat(10_000));
    let outline = survive(Kind::Compose, &text);
    let size = |act: &Act| match &act.does {
        Does::Launch(launch) => launch.environment.len() + launch.command.len(),
        _ => 0,
    };
    assert_eq!(outline.acts.len(), 2000);
    assert!(outline.acts.iter().map(size).sum::<usize>() < 1_200_000);
}

#[test]
fn hostile() {
    for (head, unit, times) in [
        ("", "\0", 1000),
        ("dependencies:\n", "- a\n", 10_000),
        ("dependencies:\n- pip:\n", "  - torch==1\n", 5_000),
        ("dependencies: [{pip: [", "a, ", 5_000),
        ("services:\n", "  a:\n    extends: a\n", 2_000),
        ("services: ", "{a: ", 5_000),
        ("services:\n  a:\n    command: ", "${A:-", 20_000),
        ("services:\n  a:\n    command: ", "'\"", 20_000),
        ("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n", "  - image: x\n", 5_000),
        ("", "apiVersion: v1\nkind: Pod\nspec: {containers: [{image: x}]}\n---\n", 1_000),
        ("{\"image\": \"x\", \"runArgs\": [", "\"--gpus\", ", 5_000),
        ("", "/* ", 20_000),
        ("", "// \"", 20_000),
        ("", "{\"a\": [", 5_000),
        ("jobs:\n", "  a: {steps: [{run: pip install a}]}\n", 300),
        ("jobs: {a: {strategy: {matrix: {", "x: [1, 2], ", 2_000),
        ("jobs: {a: {steps: [{run: '", "${{ matrix.x }}", 2_000),
        ("", "{{ x }}\n", 5_000),
        ("", "中\u{feff}\r", 10_000),
    ] {
        let text = head.to_owned() + &unit.repeat(times);
        for kind in KINDS {
            survive(kind, &text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn any_text(text in "(?s)(dependencies:\n|services:\n|jobs:\n|apiVersion: v1\nkind: P\n|\\{)?( {0,4}(- )?(image|pip|run|steps|containers|build|a|\"image\")?:? ?[a-z$\\{\\}'\"\\[\\]|>#&*=,.\t\r\u{0}é中]{0,12}\n){0,10}") {
        for kind in KINDS {
            survive(kind, &text);
        }
    }

    #[test]
    fn half_of_a_file(cut in 0usize..400) {
        let whole = "name: é\nservices:\n  中:\n    image: \"nvidia/cuda:${T:-12}\"\n    deploy: {resources: {reservations: {devices: [{capabilities: [gpu]}]}}}\n\
                     jobs:\n  t:\n    steps:\n    - run: |\n        pip install torch\ndependencies:\n- python=3.10\n- pip:\n  - torch==2.1.0+cu118\n";
        let text = &whole[..whole.floor_char_boundary(cut)];
        for kind in KINDS {
            survive(kind, text);
        }
    }
}
