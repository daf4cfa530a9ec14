//! GitLab's pipelines and the files that they take in.

mod rendered;

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use rendered::{check, environments, line};

const BASE: &str = "default: {image: 'python:3.11'}\nvariables: {V: 2.1.0}\n.install:\n  script:\n    - \"pip install \\\"torch==$V\\\"\"\n\
    of_it:\n  script: pip install torchaudio==2.1.0\n";

fn jobs(pipeline: &str, more: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<_> = [(".gitlab-ci.yml", pipeline), ("ci/base.yml", BASE)].into_iter().chain(more.iter().copied()).collect();
    environments(&files)
}

#[test]
fn a_pipeline_is_read_with_the_files_that_it_takes_in() {
    for include in ["ci/base.yml", "/ci/base.yml", "[ci/base.yml]", "{local: /ci/base.yml}", "[{local: ci/base.yml}]"] {
        let rest =
            "train:\n  extends: .install\n  variables: {V: 2.2.0}\nrefers:\n  script:\n    - !reference [.install, script]\n";
        assert_eq!(
            jobs(&format!("include: {include}\n{rest}"), &[]),
            [
                ".gitlab-ci.yml:of_it: <python:3.11> torch 2.1.0 pypi, torchaudio 2.1.0 pypi",
                ".gitlab-ci.yml:refers: <python:3.11> torch 2.1.0 pypi",
                ".gitlab-ci.yml:train: <python:3.11> torch 2.2.0 pypi",
            ],
            "{include}"
        );
    }
}

#[test]
fn the_pipeline_itself_has_the_last_word() {
    let pipeline = "include: ci/more.yml\nvariables: {V: 2.3.0}\nof_it: {image: 'python:3.10'}\ntrain: {extends: .install}\n";
    assert_eq!(
        jobs(pipeline, &[("ci/more.yml", "include: ci/base.yml\n")]),
        [
            ".gitlab-ci.yml:of_it: <python:3.10> torch 2.1.0 pypi, torchaudio 2.1.0 pypi",
            ".gitlab-ci.yml:train: <python:3.11> torch 2.3.0 pypi",
        ]
    );
}

#[test]
fn what_comes_from_elsewhere_is_not_known() {
    for include in [
        "{project: a/b, file: c.yml}",
        "{remote: 'https://x.example/c.yml'}",
        "{template: c.yml}",
        "'https://x.example/c.yml'",
        "ci/*.yml",
        "ci/nowhere.yml",
        "{local: ci/base.yml, rules: [{if: $X}]}",
    ] {
        let pipeline = format!("include: {include}\na:\n  extends: .install\nb:\n  script: pip install torch==2.2.0\n");
        assert_eq!(jobs(&pipeline, &[]), [".gitlab-ci.yml:b: <> torch ?"], "{include}");
    }
    // Of files that take each other in none is read twice.
    let each_other = [
        ("ci/a.yml", "include: ci/b.yml\n"),
        ("ci/b.yml", "include: [ci/a.yml, .gitlab-ci.yml]\nx: {script: pip install torch==2.2.0}\n"),
    ];
    let files = [(".gitlab-ci.yml", "include: ci/a.yml\n"), each_other[0], each_other[1]];
    check(&files, &[".gitlab-ci.yml:x: torch 2.2.0 pypi"]);
}

#[test]
fn a_pipeline_is_read_again_when_what_it_takes_in_changes() {
    let mut linter = Linter::new(Settings::default());
    let mut said = |path: &str, text: &str| {
        linter.set(path, text).expect("no configuration");
        linter.report();
        linter.environments().map(line).collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(said(".gitlab-ci.yml", "include: ci/a.yml\nx: {extends: .a}\n"), "");
    assert_eq!(said("ci/a.yml", ".a: {script: pip install torch==2.2.0}\n"), ".gitlab-ci.yml:x: torch 2.2.0 pypi");
    assert_eq!(said("ci/a.yml", ".a: {script: pip install torch==2.3.0}\n"), ".gitlab-ci.yml:x: torch 2.3.0 pypi");
}
