//! The sample project: what it reports, the silence of its mended twin, and the program as people call it there.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Every finding: place, severity and rule, and the files that its labels lie in.
const BROKEN: [(&str, &str, &[&str]); 10] = [
    ("Dockerfile:10", "error[image-needs-newer-driver]", &["Dockerfile", "hosts/desk.toml"]),
    ("docker-compose.yml:2", "warning[gpu-not-requested]", &["Dockerfile", "docker-compose.yml"]),
    ("environment.yml:6", "warning[conda-toolkit-beside-wheel]", &[".bashrc", "environment.yml", "requirements/base.txt"]),
    (
        "requirements/augment.txt:2",
        "warning[torch-replaced-later]",
        &["requirements/augment.txt", "requirements/base.txt", "scripts/setup.sh"],
    ),
    (
        "requirements/bench.txt:2",
        "error[driver-too-old]",
        &["hosts/desk.toml", "hosts/node.toml", "requirements/bench.txt", "scripts/bench.sh"],
    ),
    ("requirements/bench.txt:2", "error[no-kernels-for-gpu]", &["hosts/node.toml", "requirements/bench.txt", "scripts/bench.sh"]),
    ("requirements/export.txt:2", "error[cudnn-major-mix]", &["requirements/export.txt", "serve/Dockerfile"]),
    ("requirements/export.txt:2", "warning[index-shadowed]", &["requirements/export.txt", "serve/Dockerfile"]),
    ("requirements/train.txt:2", "error[companion-mismatch]", &["Dockerfile", "requirements/base.txt", "requirements/train.txt"]),
    ("serve/Dockerfile:6", "error[no-kernels-for-gpu]", &["hosts/node.toml", "serve/Dockerfile"]),
];

#[test]
fn the_broken_project_breaks_where_it_should() {
    let json = json(&cudalint(&project("broken-trainer"), &["--format", "json"]));
    let mut found = Vec::new();
    for finding in json["diagnostics"].as_array().expect("a list") {
        let text = |key: &str| finding[key].as_str().expect(key).to_owned();
        let labels = finding["labels"].as_array().expect("a list").iter();
        let files: BTreeSet<String> = labels.map(|l| l["path"].as_str().expect("a path").to_owned()).collect();
        let place = format!("{}:{}", text("path"), finding["start"]["line"]);
        found.push((place, format!("{}[{}]", text("severity"), text("rule")), files.into_iter().collect::<Vec<_>>()));
    }
    let expected = BROKEN.map(|(place, kind, files)| {
        (place.to_owned(), kind.to_owned(), files.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>())
    });
    assert_eq!(found, expected);
    assert_eq!(json["summary"].to_string(), r#"{"errors":6,"warnings":4,"infos":0,"files":18,"environments":9}"#);
    assert!(json["skipped"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn the_mended_project_is_silent() {
    let run = cudalint(&project("mended-trainer"), &["--fail-on", "info", "-v"]);
    assert_eq!((text(&run.stdout), run.status.code()), ("", Some(0)));
    assert_eq!(text(&run.stderr), "no findings in 18 files, 9 environments\n");
    // Mended, not emptied: the same files are read, and every start that had a chain has one.
    let files = |name: &str| text(&cudalint(&project(name), &["--show-files"]).stdout).to_owned();
    assert_eq!(files("broken-trainer"), files("mended-trainer"));
}

/// Every rule that looks at the chain speaks in the sample project, across files.
#[test]
fn every_rule_of_the_first_ones_speaks_across_files() {
    let rules: BTreeSet<&str> = BROKEN.iter().filter(|(.., files)| files.len() > 1).map(|(_, kind, _)| rule(kind)).collect();
    assert!(rules.len() >= 8, "{rules:?}");
    for name in rules {
        assert!(cudalint::rules::find(name).is_some(), "{name}");
    }
}

#[test]
fn the_output_is_the_same_over_and_over() {
    for format in ["text", "concise", "json"] {
        let runs: BTreeSet<Vec<u8>> =
            (0..5).map(|_| cudalint(&project("broken-trainer"), &["--format", format]).stdout).collect();
        assert_eq!(runs.len(), 1, "{format}");
    }
}

#[test]
fn a_run_from_a_folder_below_says_the_same() {
    let above = concise(&project("broken-trainer"), &[]);
    let paths = |line: &str| line.split(':').next().map(str::to_owned).expect("a path");
    let from = |folder: &str, path: &str| concise(&project("broken-trainer").join(folder), &[path]);
    assert_eq!(
        from("requirements", "..").iter().map(|l| paths(l)).collect::<Vec<_>>(),
        [
            "../Dockerfile",
            "../docker-compose.yml",
            "../environment.yml",
            "../serve/Dockerfile",
            "augment.txt",
            "bench.txt",
            "bench.txt",
            "export.txt",
            "export.txt",
            "train.txt"
        ]
    );
    let said = |lines: &[String]| lines.iter().map(|l| l.split_once(' ').expect("words").1.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(said(&from("requirements", "..")), said(&above));
    // Without a PATH the working directory is the PATH: what has no label in it is not reported.
    assert_eq!(from("scripts", ".").len(), 3);
    let json = json(&cudalint(&project("broken-trainer").join("serve"), &["--format", "json"]));
    let paths: Vec<_> =
        json["diagnostics"].as_array().expect("a list").iter().map(|d| d["path"].as_str().expect("a path")).collect();
    assert_eq!(paths, ["../requirements/export.txt", "../requirements/export.txt", "Dockerfile"]);
}

#[test]
fn a_path_limits_what_is_reported_and_not_what_is_read() {
    for (path, places) in [
        (".bashrc", &["environment.yml"][..]),
        ("requirements/base.txt", &["environment.yml", "requirements/augment.txt", "requirements/train.txt"]),
        ("hosts/desk.toml", &["Dockerfile", "requirements/bench.txt"]),
        ("serve", &["requirements/export.txt", "requirements/export.txt", "serve/Dockerfile"]),
        ("trainer", &[]),
    ] {
        let lines = concise(&project("broken-trainer"), &[path]);
        assert_eq!(lines.iter().map(|l| l.split(':').next().expect("a path")).collect::<Vec<_>>(), places, "{path}");
    }
}

#[test]
fn hosts_come_from_options_files_and_folders() {
    let project = project("broken-trainer");
    for (arguments, on) in [
        (&["--no-config"][..], &[][..]),
        (&["--no-config", "--host", "hosts/desk.toml"], &["desk"]),
        (&["--no-config", "--host", "hosts"], &["desk", "node"]),
        (&["--no-config", "--driver", "470.82.01", "--gpu", "Tesla V100-SXM2-32GB"], &["host"]),
        (&["--no-config", "--driver", "580.65.06", "--gpu", "RTX 4090"], &[]),
    ] {
        let json = json(&cudalint(&project, &[&["--format", "json"], arguments].concat()));
        let findings = json["diagnostics"].as_array().expect("a list");
        let hosts: BTreeSet<&str> =
            findings.iter().flat_map(|d| d["hosts"].as_array().expect("a list")).map(|h| h.as_str().expect("a name")).collect();
        assert_eq!(hosts.into_iter().collect::<Vec<_>>(), on, "{arguments:?}");
    }
}

#[test]
fn a_gpu_that_is_not_known_is_told() {
    let project = project("mended-trainer");
    for (name, known) in [("RTX 4090", true), ("RTX 6090", false), ("RTX 6000", false)] {
        let run = cudalint(&project, &["--gpu", name]);
        let warned = text(&run.stderr).contains(&format!("warning: --gpu: {name}: no single GPU is known"));
        assert_eq!((text(&run.stdout), warned), ("", !known), "{name}");
    }
}

#[test]
fn rules_and_severities_are_chosen() {
    let project = project("broken-trainer");
    for (arguments, lines, status) in [
        (&["--select", "companion-mismatch"][..], 1, 1),
        (&["--select", "companion-mismatch,index-shadowed"], 2, 1),
        (&["--ignore", "no-kernels-for-gpu", "--ignore", "driver-too-old"], 7, 1),
        (&["--select", "index-shadowed", "--fail-on", "error"], 1, 0),
        (&["--select", "index-shadowed", "--fail-on", "warning"], 1, 1),
        (&["--select", "driver-too-old", "--fail-on", "error"], 1, 1),
        (&["--fail-on", "never"], 10, 0),
        (&["--select", "unused-ignore", "--fail-on", "info"], 0, 0),
        (&["no-such-folder"], 0, 2),
        (&["--fail-on", "sometimes"], 0, 2),
        (&["--format", "sometimes"], 0, 2),
    ] {
        let run = cudalint(&project, &[&["--format", "concise"], arguments].concat());
        assert_eq!((text(&run.stdout).lines().count(), run.status.code()), (lines, Some(status)), "{arguments:?}");
    }
}

#[test]
fn standard_input_stands_in_for_a_file() {
    let project = project("broken-trainer");
    let name = ["--format", "concise", "--stdin-filename", "requirements/train.txt"];
    let run = cudalint_with(&project, &name, b"-r base.txt\ntorchvision==0.21.0\n");
    assert_eq!((text(&run.stdout), run.status.code()), ("", Some(0)));
    let run = cudalint_with(&project, &name, b"# one more line\n-r base.txt\ntorchvision==0.19.1\n");
    assert!(text(&run.stdout).starts_with("requirements/train.txt:3:1: error[companion-mismatch]"), "{}", text(&run.stdout));
    // The same as from the file itself.
    let own = fs::read(project.join("requirements/train.txt")).expect("the file");
    assert_eq!(cudalint_with(&project, &name, &own).stdout, cudalint(&project, &["--format", "concise", name[3]]).stdout);
}

#[test]
fn findings_go_to_standard_output_or_a_file_and_nothing_else_does() {
    let project = project("broken-trainer");
    let whole = cudalint(&project, &[]);
    assert_eq!(text(&whole.stderr), "6 errors, 4 warnings in 18 files, 9 environments\n");
    let temp = tempfile::tempdir().expect("a folder");
    let file = temp.path().join("report.txt");
    let run = cudalint(&project, &["-o", file.to_str().expect("UTF-8")]);
    assert_eq!((text(&run.stdout), run.status.code()), ("", Some(1)));
    assert_eq!(fs::read(&file).expect("the report"), whole.stdout);
    let quiet = cudalint(&project, &["-q"]);
    assert_eq!((text(&quiet.stderr), &quiet.stdout), ("", &whole.stdout));
    for format in ["concise", "json"] {
        assert_eq!(text(&cudalint(&project, &["--format", format]).stderr), "", "{format}");
    }
}

#[test]
fn colours_are_asked_for() {
    let project = project("broken-trainer");
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let run = command(&project, arguments).envs(variables.iter().copied()).output().expect("a run");
        run.stdout.contains(&0x1b)
    };
    assert!(!colored(&[], &[]) && colored(&["--color", "always"], &[]) && !colored(&["--color", "never"], &[]));
    assert!(!colored(&[], &[("NO_COLOR", "1")]) && colored(&["--color", "always"], &[("NO_COLOR", "1")]));
}

#[test]
fn findings_are_silenced_and_graded_where_the_project_says_so() {
    let ours = |change: &dyn Fn(&Path)| {
        let temp = copy("broken-trainer");
        change(temp.path());
        concise(temp.path(), &[]).iter().map(|l| rule(l.split(' ').nth(1).expect("a rule")).to_owned()).collect::<Vec<_>>()
    };
    let rules: Vec<&str> = BROKEN.iter().map(|(_, kind, _)| rule(kind)).collect();
    let without = |names: &[&str]| rules.iter().filter(|r| !names.contains(r)).copied().collect::<Vec<_>>();
    let edit = |path: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(path).expect("the file");
        assert!(text.contains(from), "{from}");
        fs::write(path, text.replace(from, to)).expect("the file");
    };
    // At the end of a line, on the line above, at another label's line, at a Dockerfile's instruction, for a whole file.
    let train = ours(&|at| edit(&at.join("requirements/train.txt"), "0.19.1", "0.19.1  # cudalint: ignore[companion-mismatch]"));
    assert_eq!(train, without(&["companion-mismatch"]));
    let base =
        ours(&|at| edit(&at.join("requirements/base.txt"), "torch==", "# cudalint: ignore[companion-mismatch] so\ntorch=="));
    assert_eq!(base, without(&["companion-mismatch"]));
    let image =
        ours(&|at| edit(&at.join("Dockerfile"), "FROM nvidia", "# cudalint: ignore[image-needs-newer-driver]\nFROM nvidia"));
    assert_eq!(image, without(&["image-needs-newer-driver"]));
    let bench = "# cudalint: ignore-file[driver-too-old, no-kernels-for-gpu] runs on the new node\n# torch";
    let bench = ours(&|at| edit(&at.join("requirements/bench.txt"), "# torch", bench));
    assert_eq!(bench, [&without(&["driver-too-old", "no-kernels-for-gpu"])[..], &["no-kernels-for-gpu"]].concat());
    // By the configuration.
    let configured = |more: &str| ours(&|at| edit(&at.join("cudalint.toml"), "hosts =", &format!("{more}\nhosts =")));
    assert_eq!(
        configured(r#"levels = { driver-too-old = "off", index-shadowed = "off" }"#),
        without(&["driver-too-old", "index-shadowed"])
    );
    assert_eq!(
        ours(&|at| edit(
            &at.join("cudalint.toml"),
            "]",
            "]\n[[per-path]]\npath = \"serve/**\"\nlevels = { no-kernels-for-gpu = \"off\" }"
        )),
        rules[..9]
    );
    // A level caps.
    let temp = copy("broken-trainer");
    edit(
        &temp.path().join("cudalint.toml"),
        "hosts =",
        "levels = { companion-mismatch = \"info\", index-shadowed = \"error\" }\nhosts =",
    );
    let lines = concise(temp.path(), &["--select", "companion-mismatch,index-shadowed"]).concat();
    assert!(lines.contains("info[companion-mismatch]") && lines.contains("warning[index-shadowed]"), "{lines}");
}

/// `error[rule]:` → `rule`.
fn rule(kind: &str) -> &str {
    kind.split(['[', ']']).nth(1).expect("a rule")
}

fn project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/projects").join(name)
}

fn copy(name: &str) -> tempfile::TempDir {
    fn files(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder").flatten() {
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                files(&entry.path(), &to)
            } else {
                _ = fs::copy(entry.path(), to).expect("a copy");
            }
        }
    }
    let temp = tempfile::tempdir().expect("a folder");
    files(&project(name), temp.path());
    temp
}

fn command(cwd: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cudalint"));
    command.args(arguments).current_dir(cwd).env_clear();
    command
}

fn cudalint(cwd: &Path, arguments: &[&str]) -> Output {
    command(cwd, arguments).stdin(Stdio::null()).output().expect("a run")
}

fn cudalint_with(cwd: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let piped = command(cwd, arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = piped.expect("the program");
    child.stdin.take().expect("its input").write_all(input).expect("it reads");
    child.wait_with_output().expect("its output")
}

fn concise(cwd: &Path, arguments: &[&str]) -> Vec<String> {
    let run = cudalint(cwd, &[&["--format", "concise"], arguments].concat());
    text(&run.stdout).lines().map(str::to_owned).collect()
}

fn json(run: &Output) -> Value {
    serde_json::from_slice(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&run.stderr)))
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}
