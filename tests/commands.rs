//! From commands to environments: what scripts, images, jobs and recipes lead to.

use cudalint::environment::Environment;
use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// The environments of a project, one a line: `start: <image> package version index, …`.
fn environments(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    linter.report();
    let mut lines: Vec<String> = linter.environments().map(line).collect();
    lines.dedup();
    lines
}

fn line(env: &Environment) -> String {
    let image = env.image.as_ref().map(|i| format!("<{}> ", i.reference)).unwrap_or_default();
    let parts = env.components.iter().map(|c| match (c.builds.only(), c.builds.today()) {
        (Some(only), _) => format!("{} {} {}", c.name, only.version, only.index),
        (None, Some(today)) => format!("{} {}… {}", c.name, today.version, today.index),
        (None, None) => format!("{} ?", c.name),
    });
    format!("{}: {image}{}", env.start.name, parts.collect::<Vec<_>>().join(", "))
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(environments(files), expected);
}

#[test]
fn a_file_that_is_written_on_the_way_is_installed() {
    let own = ("requirements.txt", "torch==2.2.0\n");
    check(
        &[("a.sh", "cat > requirements.txt <<EOF\ntorch==2.1.0\nEOF\npip install -r requirements.txt\n"), own],
        &["a.sh: torch 2.1.0 pypi"],
    );
    check(
        &[("a.sh", "cat > /tmp/r.txt <<EOF\ntorch==2.1.0\nEOF\necho x >> /tmp/r.txt\npip install -r /tmp/r.txt\n")],
        &["a.sh: "],
    );
    check(
        &[("a.sh", "cat > x.sh <<'EOF'\npip install torch==2.1.0\nbash x.sh\nEOF\ncat x.sh | xargs echo\nbash x.sh\n")],
        &["a.sh: torch 2.1.0 pypi"],
    );
    check(
        &[(
            "Dockerfile",
            "FROM python:3.11\nWORKDIR /a\nCOPY <<EOF r.txt\ntorch==2.1.0\nEOF\nRUN cd / && pip install -r a/r.txt\n",
        )],
        &["Dockerfile: <python:3.11> torch 2.1.0 pypi"],
    );
    check(
        &[
            (
                "Dockerfile",
                "FROM python:3.11\nCOPY requirements.txt /r.txt\nADD https://x.example/r.txt /r.txt\nRUN pip install -r /r.txt\n",
            ),
            own,
        ],
        &["Dockerfile: <python:3.11> "],
    );
}

#[test]
fn a_stage_triggers_what_stands_on_it() {
    check(
        &[(
            "Dockerfile",
            "FROM python:3.11 AS base\nONBUILD RUN pip install torch==2.1.0\nFROM base AS next\nFROM next AS last\nRUN true\n",
        )],
        &[
            "Dockerfile:base: <python:3.11> ",
            "Dockerfile:last: <python:3.11> torch 2.1.0 pypi",
            "Dockerfile:next: <python:3.11> torch 2.1.0 pypi",
        ],
    );
}

#[test]
fn modules_of_a_cluster_bring_what_is_not_known() {
    check(
        &[
            ("a.sh", "module load gcc cuda/12.1\npip install torch==2.1.0\n"),
            ("b.sh", "module load PyTorch/2.1.2\npip install torch==2.1.0 xformers\n"),
        ],
        &["a.sh: torch 2.1.0 pypi", "b.sh: torch ?, xformers ?"],
    );
}

#[test]
fn a_batch_script_runs_in_its_container() {
    check(
        &[(
            "a.sbatch",
            "#!/bin/bash\n#SBATCH --container-image=nvcr.io#nvidia/pytorch:23.10-py3\nsrun --container-image=nvcr.io#nvidia/pytorch:24.01-py3 python x.py\npip install a\n",
        )],
        &["a.sbatch: <nvcr.io/nvidia/pytorch:23.10-py3> a ?", "a.sbatch:pytorch: <nvcr.io/nvidia/pytorch:24.01-py3> torch ?"],
    );
}

#[test]
fn arrays_are_installed() {
    check(
        &[(
            "a.sh",
            "P=(torch==2.1.0 \"torchvision==0.16.0\")\nA=(--extra-index-url https://download.pytorch.org/whl/cu118)\npip install \"${P[@]}\" \"${A[@]}\"\n",
        )],
        &["a.sh: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0+cu118 pytorch/cu118"],
    );
}
