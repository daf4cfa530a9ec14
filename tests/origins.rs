//! A finding whose version comes from a variable names the line where that is written; a comment there silences it.

use cudalint::environment::Reason;
use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// The values that labels tell: `path:line NAME=value`.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no mistakes");
    }
    let report = linter.report();
    let labels = report.diagnostics.iter().filter(|d| d.rule == "companion-mismatch").flat_map(|d| &d.labels);
    let show = |label: &cudalint::diagnostic::Label| {
        let Reason::Holds { name, value } = &label.reason else { return None };
        let text = linter.sources().text(label.at.file);
        let line = text[..label.at.start as usize].matches('\n').count() + 1;
        Some(format!("{}:{line} {name}={value}", linter.sources().path(label.at.file)))
    };
    labels.filter_map(show).collect()
}

const DOCKERFILE: &str = "FROM python:3.11\nARG TV\nRUN pip install torch==2.4.0 torchvision==${TV}\n";

#[test]
fn the_line_of_a_value_is_a_label() {
    let global = format!("ARG TV=0.20.0\n{DOCKERFILE}");
    assert_eq!(told(&[("Dockerfile", &global)]), ["Dockerfile:1 TV=0.20.0"]);
    let compose = "services:\n  a:\n    build:\n      context: .\n      args:\n        TV: \"0.20.0\"\n";
    assert_eq!(told(&[("Dockerfile", DOCKERFILE), ("compose.yaml", compose)]), ["compose.yaml:6 TV=0.20.0"]);
    let workflow = "on: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        tv: [\"0.19.0\", \"0.20.0\"]\n    \
                    steps:\n      - run: pip install torch==2.4.0 torchvision==${{ matrix.tv }}\n";
    assert_eq!(told(&[(".github/workflows/a.yml", workflow)]), [".github/workflows/a.yml:7 matrix.tv=0.20.0"]);
    let make = "TV ?= 0.20.0\ninstall:\n\tpip install torch==2.4.0 torchvision==$(TV)\n";
    assert_eq!(told(&[("Makefile", make)]), ["Makefile:1 TV=0.20.0"]);
    let shell = "TV=0.20.0\npip install torch==2.4.0 torchvision==$TV\n";
    assert_eq!(told(&[("a.sh", shell)]), ["a.sh:1 TV=0.20.0"]);
    let words = "ALL=\"torch==2.4.0 torchvision==0.20.0\"\npip install $ALL\n";
    assert_eq!(told(&[("a.sh", words)]), ["a.sh:1 ALL=torch==2.4.0 torchvision==0.20.0"]);
    // What comes of another is written there.
    let through = "V=20.0\nTV=0.$V\npip install torch==2.4.0 torchvision==$TV\n";
    assert_eq!(told(&[("a.sh", through)]), ["a.sh:2 TV=0.20.0", "a.sh:1 V=20.0"]);
}

#[test]
fn a_comment_there_silences() {
    let said = |text: &str| {
        let mut linter = Linter::new(Settings::default());
        linter.set("a.sh", text).expect("no mistakes");
        linter.report().diagnostics.len()
    };
    let script = |end: &str| format!("TV=0.20.0{end}\npip install torch==2.4.0 torchvision==$TV\n");
    assert_eq!((said(&script("")), said(&script("  # cudalint: ignore[companion-mismatch] so"))), (1, 0));
}

#[test]
fn what_goes_into_an_address_is_not_shown() {
    let script = "KEY=abcdef\npip install torch==2.4.0 torchvision==0.20.0 --index-url https://me:$KEY@pypi.example/simple\n";
    assert_eq!(told(&[("a.sh", script)]), Vec::<String>::new());
}
