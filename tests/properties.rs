//! What must hold whatever the files say.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use cudalint::diagnostic::Report;
use cudalint::linter::Linter;
use cudalint::outline::{Does, Kind};
use cudalint::read::{FORMATS, read};
use cudalint::report::{Format, Look, Outcome, Part};
use cudalint::settings::Settings;
use cudalint::source::{Origin, Sources, Span};
use cudalint::viewpoint::Viewpoint;
use cudalint::walk::{self, Asked};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

const HOST: &str = "driver = \"470.182.03\"\n[[gpu]]\nname = \"RTX 4090\"\n";

const PATHS: &[&str] = &[
    "requirements.txt",
    "requirements-dev.txt",
    "Dockerfile",
    "compose.yml",
    "install.sh",
    ".bashrc",
    "pyproject.toml",
    "poetry.lock",
    "pixi.lock",
    "pip.conf",
    ".env",
];

/// Lines that some reader understands, for all of them to be confused by.
const LINES: &[&str] = &[
    "torch==2.1.0",
    "torch==2.1.0; python_version < \"3.99999999999\"",
    "-r requirements-dev.txt",
    "-r requirements.txt",
    "-c ../../etc/passwd",
    "--extra-index-url https://u:p@h.example/simple",
    "# cudalint: ignore[driver-too-old]",
    "FROM nvidia/cuda:12.4.1-base-ubuntu22.04 AS a",
    "FROM a AS b",
    "COPY --from=a /usr /usr",
    "COPY --from=1 /usr /usr",
    "RUN pip install torch==2.1.0 && \\",
    "source install.sh",
    "pip install -r requirements.txt",
    "if [ $A ]; then",
    "fi",
    "export A=${B:-${C:-中}}",
    "services: {a: {image: nvidia/cuda:12.4.1-base-ubuntu22.04, build: .}}",
    "[project]",
    "[[package]]\nname = \"torch\"\nversion = \"2.1.0\"",
    "environments: {default: {packages: {linux-64: [{conda: \"https://e.example/pytorch/linux-64/pytorch-2.1.0-py3.10_cpu_0.tar.bz2\"}]}}}",
    "[global]\nextra-index-url = https://download.pytorch.org/whl/cu118",
    "COPY pip.conf /etc/pip.conf",
    "COPY . .",
    "RUN poetry install && pip install torch==2.2.0",
    "poetry lock; pixi install; poetry run pip install torch",
    "services: {a: {image: \"nvidia/cuda:${A:-12.4.1}-base-ubuntu22.04\", env_file: .env}}",
    "dependencies = [\"torch==2.1.0\", \"./\"]",
    "cat <<EOF",
    "\t\u{feff}\r",
    "\"'`$((",
    "\0\u{1b}[31m\u{202e}",
];

fn text() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop_oneof![6 => select(LINES).prop_map(str::to_owned), 1 => ".{0,12}"], 0..8);
    (lines, select(&["\n", "\r\n", "\r", ""][..])).prop_map(|(lines, end)| lines.join(end))
}

fn linter() -> Linter {
    let mut linter = Linter::new(Settings::default());
    linter.host(Origin::Outside, "host.toml", HOST).expect("a host");
    linter
}

fn lint(files: &[(&str, String)]) -> (Vec<String>, Linter) {
    let mut linter = linter();
    for (path, text) in files {
        // A configuration with mistakes is told, and no configuration.
        let _ = linter.set(path, text);
    }
    let report = linter.report();
    (said(&linter, &report), linter)
}

/// A report in words that do not depend on the numbers of files.
fn said(linter: &Linter, report: &Report) -> Vec<String> {
    let place = |at: Span| format!("{}:{}-{}", linter.sources().path(at.file), at.start, at.end);
    let said = report.diagnostics.iter().map(|d| {
        let labels: Vec<_> = d.labels.iter().map(|l| format!("{} {:?}", place(l.at), l.reason)).collect();
        format!("{} {:?} {} {labels:?} {:?} {:?}", d.rule, d.severity, d.message, d.environments, d.hosts)
    });
    said.chain(report.warnings.iter().map(|w| format!("{:?} {}", w.at.map(place), w.what))).collect()
}

fn files() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    prop::collection::btree_map(select(PATHS), text(), 1..4).prop_map(|files| files.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn readers_take_any_text(text in prop_oneof![text(), prop::collection::vec(any::<u8>(), 0..200).prop_map(|b| String::from_utf8_lossy(&b).into_owned())]) {
        let id = Sources::default().set("x", text.as_str());
        for kind in FORMATS.iter().map(|f| f.kind).filter(|k| *k != Kind::Config) {
            let outline = read(kind, "x", id, &text);
            let acts = outline.acts.iter().flat_map(|act| match &act.does {
                Does::Require(r) => vec![act.at, r.written.at],
                Does::Index(i) => vec![act.at, i.url.at],
                _ => vec![act.at],
            });
            for at in acts.chain(outline.torn.iter().map(|t| t.at)).chain(outline.ignores.iter().flat_map(|i| i.rules.iter().map(|r| r.1))) {
                prop_assert!(text.get(at.range()).is_some(), "{kind:?} {at:?} in {text:?}");
            }
        }
    }

    #[test]
    fn the_order_of_files_does_not_matter(files in files()) {
        let reversed: Vec<_> = files.iter().rev().cloned().collect();
        prop_assert_eq!(lint(&files).0, lint(&reversed).0);
    }

    #[test]
    fn a_linter_that_lives_on_says_what_a_new_one_says(files in files(), others in files(), gone in select(PATHS)) {
        let mut living = linter();
        for (path, text) in others.iter().filter(|(path, _)| files.iter().any(|(p, _)| p == path) || path == &gone) {
            let _ = living.set(path, text);
        }
        living.report();
        if !files.iter().any(|(path, _)| *path == gone) {
            living.remove(gone);
        }
        for (path, text) in &files {
            let _ = living.set(path, text);
        }
        let report = living.report();
        prop_assert_eq!(said(&living, &report), lint(&files).0);
    }
}

/// Files that lead to themselves, to each other, or to more than anybody would wait for.
#[test]
fn hostile_repositories_end() {
    let stage =
        |i: usize| format!("FROM python:3.11 AS s{i}\n{}", format!("COPY --from=s{} /usr /usr\n", i.wrapping_sub(1)).repeat(3));
    let chained = |i: usize| format!("FROM s{i} AS s{}\nCOPY --from=s{i} /usr /usr\n", i + 1);
    let torch = "RUN pip install torch==2.1.0\n";
    let requirements = |i: usize| (format!("requirements-{i}.txt"), format!("-r requirements-{}.txt\n", i + 1).repeat(10));
    let script = |i: usize| (format!("s{i}.sh"), format!("source s{}.sh\n", i + 1).repeat(10));
    let one = |path: &str, text: String| vec![(path.to_owned(), text)];
    for files in [
        one("Dockerfile", format!("FROM a AS a\nCOPY --from=a /usr /usr\nCOPY --from=0 /usr /usr\n{torch}")),
        one("Dockerfile", format!("FROM a AS a\nCOPY --from=b /usr /usr\nFROM a AS b\nCOPY --from=a /usr /usr\n{torch}")),
        one("Dockerfile", format!("FROM a AS s0\n{torch}{}", (1..30).map(stage).collect::<String>())),
        one("Dockerfile", format!("FROM a AS s0\n{torch}{}", (0..30).map(chained).collect::<String>())),
        one("requirements.txt", "-r requirements.txt\n".repeat(12)),
        one("install.sh", "source install.sh\n".repeat(12)),
        one("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"./\", \".[a]\"]\n".to_owned()),
        (0..14).map(requirements).collect(),
        (0..14).map(script).collect(),
        one("install.sh", format!("A={}\nB={}\nexport B\npip install torch\n", "x".repeat(8000), "$A".repeat(100_000))),
    ] {
        let started = Instant::now();
        let mut linter = linter();
        for (path, text) in &files {
            linter.set(path, text).expect("no configuration");
        }
        linter.report();
        assert!(started.elapsed() < Duration::from_secs(60), "{}", files[0].1.get(..80).unwrap_or(&files[0].1));
    }
}

/// Two starts of one name are two.
#[test]
fn launches_of_one_image_name_do_not_hide_each_other() {
    let run = |tag: &str| format!("docker run --gpus all nvidia/cuda:{tag} nvidia-smi\n");
    let (_, linter) = lint(&[("run.sh", run("12.4.1-base-ubuntu22.04") + &run("11.0.3-base-ubuntu20.04"))]);
    let images: Vec<_> = linter.environments().filter_map(|e| e.image.as_ref()).map(|i| i.reference.as_str()).collect();
    assert!(images.iter().any(|i| i.contains("12.4.1")) && images.iter().any(|i| i.contains("11.0.3")), "{images:?}");
}

/// The scanner of the shell's grammar looks characters up in a table that ends behind the first 256.
#[test]
fn characters_of_all_scripts_stand_in_shell() {
    for text in [
        "{中",
        "{1中",
        "{1..中}",
        "a{\u{10ffff}",
        "{\u{10ffff}..\u{10ffff}}",
        "pip install torch # {1中",
        "$A中 ${A中}",
        "<<中\nx\n中\n",
    ] {
        let outline = read(Kind::Script, "a.sh", Sources::default().set("a.sh", text), text);
        assert!(outline.acts.iter().all(|act| text.get(act.at.range()).is_some()), "{text}");
    }
}

/// The texts of every fixture, links followed.
fn fixtures() -> Vec<Vec<(String, String)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let kinds = ["cases", "clean", "projects"].map(|kind| fs::read_dir(root.join(kind)).expect("the fixtures"));
    let mut folders: Vec<_> = kinds.into_iter().flatten().flatten().map(|e| e.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let asked = Asked { no_ignore: true, ..Asked::default() };
    let texts = |folder: &Path| {
        let tree = walk::walk(folder, &asked);
        // Levels of a configuration are not what this is about.
        let ours = |path: &str| !["case.toml", "host.toml", "cudalint.toml"].contains(&path);
        let mut files: Vec<_> =
            tree.files.into_iter().map(|f| (f.path, f.text.to_string())).filter(|(path, _)| ours(path)).collect();
        for _ in 0..3 {
            let given: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
            let wants = lint(&given).1.wants();
            let found = wants.into_iter().filter_map(|path| Some((walk::linked(folder, &path, &asked).ok()??.to_string(), path)));
            let found: Vec<_> = found.map(|(text, path)| (path, text)).collect();
            files.extend(found);
        }
        files
    };
    folders.iter().map(|folder| texts(&folder.canonicalize().expect("a folder"))).collect()
}

/// Rule, message and file of what is said.
fn told(linter: &Linter, report: &Report) -> Vec<(&'static str, String, String)> {
    let path = |d: &cudalint::diagnostic::Diagnostic| linter.sources().path(d.labels[0].at.file).to_owned();
    report.diagnostics.iter().map(|d| (d.rule, d.message.clone(), path(d))).collect()
}

/// The text with a comment above the line, or the continued line, that holds `offset`.
fn ignoring(path: &str, text: &str, offset: usize, rule: &str) -> String {
    let line_of = |offset: usize| text[..offset].rfind('\n').map_or(0, |n| n + 1);
    let mut start = line_of(offset);
    // A Dockerfile may have comments between continued lines.
    while start > 0 && text[..start].trim_end().ends_with('\\') && !path.ends_with("Dockerfile") {
        start = line_of(start - 1);
    }
    let indent: String = text[start..].chars().take_while(|c| *c == ' ').collect();
    let mark = if path.ends_with(".json") { "//" } else { "#" };
    format!("{}{indent}{mark} cudalint: ignore[{rule}]\n{}", &text[..start], &text[start..])
}

#[test]
fn a_comment_silences_its_finding_and_no_other() {
    let mut silenced = 0;
    for files in fixtures() {
        let given: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let (_, mut linter) = lint(&given);
        let report = linter.report();
        let before = told(&linter, &report);
        for (n, found) in report.diagnostics.iter().enumerate() {
            let at = found.labels[0].at;
            let path = linter.sources().path(at.file).to_owned();
            if linter.sources().origin(at.file) != Origin::Repository || found.rule == "unused-ignore" {
                continue;
            }
            let with = ignoring(&path, linter.sources().text(at.file), at.range().start, found.rule);
            let mut changed = given.clone();
            changed.iter_mut().filter(|(p, _)| *p == path).for_each(|(_, text)| text.clone_from(&with));
            let (_, mut again) = lint(&changed);
            let report = again.report();
            let after = told(&again, &report);
            assert!(!after.contains(&before[n]), "{path}: {:?}\n{with}", before[n]);
            // One comment may silence several findings of its rule, and of no other; and it is used.
            let others =
                |all: &[(&'static str, String, String)]| all.iter().filter(|t| t.0 != found.rule).cloned().collect::<Vec<_>>();
            assert_eq!(others(&after), others(&before), "{path}\n{with}");
            assert!(after.iter().all(|t| before.contains(t)), "{path}: {after:?}");
            silenced += 1;
        }
    }
    assert!(silenced > 50, "only {silenced}");
}

#[test]
fn json_and_concise_say_the_same() {
    let mut lines = 0;
    for files in fixtures() {
        let given: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let (_, mut linter) = lint(&given);
        let report = linter.report();
        let part = Part { report: &report, sources: linter.sources(), viewpoint: Viewpoint::default(), skipped: &[] };
        let outcome = Outcome::new(vec![part]);
        let printed = |format: Format| {
            let mut out = Vec::new();
            outcome.write(format, &mut out).expect("memory");
            String::from_utf8(out).expect("text")
        };
        let json: Value = serde_json::from_str(&printed(Format::Json)).expect("JSON");
        let line = |finding: &Value| {
            let text = |key: &str| finding[key].as_str().expect(key).to_owned();
            let (at, message) = (&finding["start"], text("message"));
            let (severity, rule) = (text("severity"), text("rule"));
            format!("{}:{}:{}: {severity}[{rule}]: {message}", text("path"), at["line"], at["column"])
        };
        let told: Vec<_> = json["diagnostics"].as_array().expect("a list").iter().map(line).collect();
        let concise = printed(Format::Concise(Look { color: false }));
        assert_eq!(told, concise.lines().collect::<Vec<_>>());
        lines += told.len();
    }
    assert!(lines > 50, "only {lines}");
}
