//! One cause is one diagnostic: where it is placed, and which other places are its labels.

use cudalint::diagnostic::Severity;
use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

const HOST: &str = "driver = \"470.182.03\"\n";

/// `rule line+line`, the primary place first; the host's line is left out.
fn said(path: &str, text: &str) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    linter.set(path, text).expect("no mistakes");
    linter.host(Origin::CommandLine, "host.toml", HOST).expect("a host");
    let report = linter.report();
    let sources = linter.sources();
    let line = |at: cudalint::source::Span| sources.text(at.file)[..at.range().start].matches('\n').count() + 1;
    let show = |d: &cudalint::diagnostic::Diagnostic| {
        let own = d.labels.iter().filter(|l| sources.path(l.at.file) == path);
        format!("{} {}", d.rule, own.map(|l| line(l.at).to_string()).collect::<Vec<_>>().join("+"))
    };
    report.diagnostics.iter().map(show).collect()
}

#[test]
fn nvidia_s_wheels_are_parts_of_their_framework() {
    let freeze = "nvidia-cuda-runtime-cu12==12.6.77\ntorch==2.7.1\n";
    assert_eq!(said("requirements.txt", freeze), ["driver-too-old 2+1"]);
    assert_eq!(said("requirements.txt", "nvidia-cuda-runtime-cu12==12.6.77\n"), ["driver-too-old 1"]);
    // Another bound is another cause.
    let two = "nvidia-cuda-runtime==13.0.48\ntorch==2.7.1\n";
    assert_eq!(said("requirements.txt", two).len(), 2);
}

#[test]
fn what_is_the_same_in_several_lines_is_said_at_the_first() {
    let extras = "[project]\nname = \"x\"\n[project.optional-dependencies]\n\
                  a = [\"torch==2.1.0\"]\nb = [\"torch==2.2.0\"]\nc = [\"torch==2.11.0\"]\n";
    assert_eq!(said("pyproject.toml", extras), ["driver-too-old 4+5", "driver-too-old 6"]);
    // A comment silences its own line.
    let quiet = extras.replace("2.2.0\"]", "2.2.0\"] # cudalint: ignore[driver-too-old] known");
    assert_eq!(said("pyproject.toml", &quiet), ["driver-too-old 4", "driver-too-old 6"]);
}

#[test]
fn the_line_that_fixes_an_implied_package_is_the_place() {
    assert_eq!(said("requirements.txt", "torchvision\nvllm==0.8.5.post1\n"), ["driver-too-old 2"]);
    assert_eq!(said("requirements.txt", "torchvision\n"), ["driver-too-old 1"]);
}

#[test]
fn what_a_missing_file_may_say_does_not_reconcile_two_pins() {
    let pins = "torch==2.1.0\ntorchvision==0.15.0\n";
    // It may name an index with builds for an older driver; none of them goes with another torch.
    assert_eq!(said("requirements.txt", &format!("-r other.txt\n{pins}")), ["companion-mismatch 3+2"]);
    assert_eq!(said("requirements.txt", "-r other.txt\ntorch==2.1.0\ntorchvision\n"), [""; 0]);
    assert_eq!(said("requirements.txt", "-r other.txt\ntorch==2.1.0\ntorchvision==0.16.0\n"), [""; 0]);
    let module = format!("module load python/3.10\npip install {}\n", pins.replace('\n', " "));
    assert_eq!(said("a.sh", &module), ["companion-mismatch 2+2"]);
    // What an index that is not known serves may require anything.
    assert_eq!(said("requirements.txt", &format!("--extra-index-url https://unknown.example/simple\n{pins}")), [""; 0]);
}

#[test]
fn a_label_of_a_channel_is_one_release() {
    let environment = |channels: &str, toolkit: &str| {
        format!("channels: [{channels}]\ndependencies:\n  - {toolkit}\n  - pip:\n    - torch==1.13.1\n")
    };
    let found = ["conda-toolkit-beside-wheel 3+5"];
    for (channels, toolkit, want) in [
        ("nvidia/label/cuda-11.8.0", "cuda-toolkit", &found[..]),
        ("conda-forge", "nvidia/label/cuda-11.8.0::cuda-toolkit", &found),
        ("nvidia/label/cuda-11.7.0, conda-forge", "cuda-toolkit", &[]),
        // Another channel goes before it.
        ("conda-forge, nvidia/label/cuda-11.8.0", "cuda-toolkit", &[]),
    ] {
        assert_eq!(said("environment.yml", &environment(channels, toolkit)), want, "{channels} {toolkit}");
    }
}

#[test]
fn a_finding_lists_the_environments_where_it_is_as_grave() {
    let text = "[project]\nname = \"x\"\ndependencies = [\"torch\"]\n[project.optional-dependencies]\ncu13 = [\"numpy\"]\n\
        [tool.uv.sources]\ntorch = { index = \"pt\", marker = \"extra == 'cu13'\" }\n\
        [[tool.uv.index]]\nname = \"pt\"\nurl = \"https://download.pytorch.org/whl/cu130\"\nexplicit = true\n";
    let mut linter = Linter::new(Settings::default());
    linter.set("pyproject.toml", text).expect("no mistakes");
    linter.host(Origin::CommandLine, "host.toml", HOST).expect("a host");
    let found = linter.report().diagnostics;
    let said: Vec<_> = found.iter().map(|d| (d.severity.word(), d.environments.as_slice())).collect();
    assert_eq!(said, [("error", &["pyproject.toml[cu13]".to_owned()][..])]);
}

#[test]
fn where_a_replaced_torch_breaks_it_is_said_once() {
    let host = "driver = \"580.95\"\n[[gpu]]\nname = \"RTX 5090\"\n";
    let text = "FROM python:3.11\nRUN pip install torch==2.7.0 --index-url https://download.pytorch.org/whl/cu128\n\
                RUN pip install torchvision==0.20.1\n";
    let mut linter = Linter::new(Settings::default());
    linter.set("Dockerfile", text).expect("no mistakes");
    assert_eq!(linter.report().diagnostics.iter().map(|d| d.rule).collect::<Vec<_>>(), ["torch-replaced-later"]);
    linter.host(Origin::CommandLine, "host.toml", host).expect("a host");
    let report = linter.report();
    let [found] = report.diagnostics.as_slice() else { panic!("{:?}", report.diagnostics) };
    assert_eq!(found.rule, "no-kernels-for-gpu");
    // The torch that was there has code for it: what replaced it is to change.
    let help = found.help.as_deref().unwrap_or_default();
    assert!(help.contains("write torchvision==0.22.0, the release for torch 2.7.0"), "{help}");
    assert!(found.labels.iter().any(|label| &text[label.at.range()] == "torch==2.7.0"), "{:?}", found.labels);
}

#[test]
fn what_is_said_of_several_builds_is_as_sure_as_the_least_of_them() {
    let severity = |pin: &str| {
        let mut linter = Linter::new(Settings::default());
        let text = format!("channels: [nvidia]\ndependencies:\n  - cuda-toolkit={pin}\n");
        linter.set("environment.yml", &text).expect("no mistakes");
        linter.host(Origin::CommandLine, "host.toml", HOST).expect("a host");
        linter.report().diagnostics.first().map(|found| found.severity)
    };
    assert_eq!(severity("12.4.1"), Some(Severity::Error));
    assert_eq!([severity("12.1.1"), severity("12.4")], [Some(Severity::Warning); 2]);
}

#[test]
fn a_lock_and_its_manifest_say_it_once() {
    let lock = |name: &str| {
        format!("[[package]]\nname = \"{name}\"\nversion = \"{}\"\n", if name == "torch" { "2.7.0" } else { "0.0.30" })
            + "source = { registry = \"https://pypi.example/simple\" }\n"
    };
    let files = [
        (
            "pyproject.toml",
            "[project]\nname = \"x\"\nrequires-python = \"==3.11.*\"\ndependencies = [\"xformers==0.0.30\"]\n".to_owned(),
        ),
        ("uv.lock", format!("version = 1\n{}{}", lock("torch"), lock("xformers"))),
        ("Dockerfile", "FROM python:3.11\nCOPY . .\nRUN pip install .\n".to_owned()),
    ];
    let mut linter = Linter::new(Settings::default());
    for (path, text) in &files {
        linter.set(path, text).expect("no mistakes");
    }
    linter.host(Origin::CommandLine, "host.toml", HOST).expect("a host");
    let report = linter.report();
    let [found] = report.diagnostics.as_slice() else { panic!("{:#?}", report.diagnostics) };
    assert_eq!(found.environments, ["Dockerfile", "pyproject.toml"]);
    let paths: Vec<&str> = found.labels.iter().map(|label| linter.sources().path(label.at.file)).collect();
    assert!(paths[0] == "pyproject.toml" && paths.contains(&"uv.lock"), "{paths:?}");
}

#[test]
fn what_a_range_requires_is_that_of_the_build_that_comes() {
    let mut linter = Linter::new(Settings::default());
    linter.set("requirements.txt", "vllm>=0.6.0,<1\n").expect("no mistakes");
    linter.host(Origin::CommandLine, "host.toml", HOST).expect("a host");
    let report = linter.report();
    assert!(!report.diagnostics.is_empty());
    assert!(!format!("{:?}", report.diagnostics).contains('\u{2026}'), "{:#?}", report.diagnostics);
}

#[test]
fn no_label_is_an_empty_place() {
    let list = "name: x\nchannels: [pytorch, nvidia]\ndependencies:\n  - python=3.10\n  - pytorch=2.1.0\n  - pytorch-cuda=12.1\n";
    for text in [format!("{list}  - pip:\n    - torch==2.6.0\n"), format!("{list}  - pip:\n    - -r requirements.txt\n")] {
        let mut linter = Linter::new(Settings::default());
        linter.set("environment.yml", &text).expect("no mistakes");
        linter.set("requirements.txt", "torch==2.6.0\n").expect("no mistakes");
        linter.host(Origin::CommandLine, "host.toml", HOST).expect("a host");
        let report = linter.report();
        assert!(!report.diagnostics.is_empty(), "{text}");
        let empty = report.diagnostics.iter().find(|d| d.labels.iter().any(|label| label.at.range().is_empty()));
        assert!(empty.is_none(), "{text}: {empty:?}");
    }
}
