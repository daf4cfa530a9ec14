//! What an image, or a place, of which nothing is known may bring bears on what is said of it, and on nothing else.

mod rendered;

use cudalint::diagnostic::Severity;
use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;
use rendered::check;

/// Too old for CUDA 13, with a GPU that only torch's builds for CUDA 12.6 have code for.
const HOST: &str = "driver = \"570.124.06\"\n[[gpu]]\nname = \"GTX 1080 Ti\"\n";

/// Each finding: its rule, how grave it is, its message.
fn found(files: &[(&str, &str)]) -> Vec<(&'static str, Severity, String)> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    linter.host(Origin::CommandLine, "host.toml", HOST).expect("a host");
    linter.report().diagnostics.into_iter().map(|d| (d.rule, d.severity, d.message)).collect()
}

/// How grave the gravest finding is.
fn gravest(files: &[(&str, &str)]) -> Option<Severity> {
    found(files).into_iter().map(|(_, severity, _)| severity).max()
}

#[test]
fn a_pin_may_be_met_by_what_an_unknown_image_has() {
    let of = |image: &str, lines: &str| gravest(&[("Dockerfile", &format!("FROM {image}\n{lines}\n"))]);
    let (error, warning) = (Some(Severity::Error), Some(Severity::Warning));
    let acme = "acme/torch-base:cu126";
    for (image, lines, grave) in [
        (acme, "RUN pip install torch==2.11.0", warning),
        (acme, "RUN uv pip install --system torch==2.11.0", warning),
        (acme, "RUN pip install torch==2.11.0 --index-url https://download.pytorch.org/whl/cu130", warning),
        (acme, "RUN pip install 'torch>=2.11,<2.13'", warning),
        // Where its environments lie is not told, either.
        (acme, "ENV PATH=/opt/venv/bin:$PATH\nRUN pip install torch==2.11.0", warning),
        (acme, "RUN conda run -n own pip install torch==2.11.0", warning),
        (acme, "RUN . /opt/own/bin/activate && pip install torch==2.11.0", warning),
        // What it has plays no part.
        (acme, "RUN pip install torch==2.11.0+cu130 --index-url https://download.pytorch.org/whl/cu130", error),
        (acme, "RUN pip install --force-reinstall torch==2.11.0", error),
        (acme, "RUN pip uninstall -y torch && pip install torch==2.11.0", error),
        // What went is not told: another build may have stayed.
        ("python:3.11", "RUN pip install torch && pip uninstall -y -r gone.txt && pip install torch==2.11.0", warning),
        (acme, "RUN python -m venv /opt/venv && /opt/venv/bin/pip install torch==2.11.0", error),
        (acme, "RUN uv venv /opt/venv\nENV PATH=/opt/venv/bin:$PATH\nRUN pip install torch==2.11.0", error),
        (acme, "RUN conda create -n own python=3.11\nRUN conda run -n own pip install torch==2.11.0", error),
        (
            acme,
            "RUN pip install https://download.pytorch.org/whl/cu130/torch-2.11.0%2Bcu130-cp311-cp311-manylinux_2_28_x86_64.whl",
            error,
        ),
        // Of these it is known what they have.
        ("python:3.11", "RUN pip install torch==2.11.0", error),
        ("nvidia/cuda:12.6.3-runtime-ubuntu22.04", "RUN pip install torch==2.11.0", error),
        ("pytorch/pytorch:2.4.1-cuda12.4-cudnn9-runtime", "RUN pip install torch==2.11.0", error),
    ] {
        assert_eq!(of(image, lines), grave, "FROM {image}\n{lines}");
    }
}

#[test]
fn it_is_said_what_another_build_would_come_of() {
    let all = found(&[("Dockerfile", "FROM acme/torch-base:cu126\nRUN pip install torch==2.11.0\n")]);
    let ends = all.iter().all(|(.., message)| message.ends_with(" (unless another build is there already)"));
    assert!(all.len() == 2 && ends, "{all:?}");
}

#[test]
fn whatever_starts_an_unknown_image_starts_what_it_has() {
    let table = [
        (
            ".github/workflows/a.yml",
            "on: push\njobs:\n  t:\n    runs-on: [self-hosted, gpu]\n    container: {image: 'IMAGE', options: --gpus all}\n    steps:\n      - run: pip install torch==2.11.0\n",
        ),
        (".gitlab-ci.yml", "t:\n  image: IMAGE\n  tags: [gpu]\n  script:\n    - pip install torch==2.11.0\n"),
        (
            ".devcontainer/devcontainer.json",
            "{\"image\": \"IMAGE\", \"runArgs\": [\"--gpus\", \"all\"], \"postCreateCommand\": \"pip install torch==2.11.0\"}\n",
        ),
    ];
    for (path, text) in table {
        let of = |image: &str| gravest(&[(path, &text.replace("IMAGE", image))]);
        assert_eq!(of("acme/torch-base:cu126"), Some(Severity::Warning), "{path}");
        assert_eq!(of("python:3.11"), Some(Severity::Error), "{path}");
    }
}

#[test]
fn a_pinned_version_goes_whatever_its_build() {
    let lines = "FROM acme/torch-base:cu126\nRUN pip install torch==2.6.0\nRUN pip install torchvision==0.20.0\n";
    let all = found(&[("Dockerfile", lines)]);
    assert!(
        all.iter().any(|(rule, _, said)| *rule == "torch-replaced-later" && said.contains("replaces torch 2.6.0 by 2.5.0")),
        "{all:?}"
    );
}

#[test]
fn what_a_version_says_of_its_build_no_image_changes() {
    let lines = "FROM acme/torch-base:cu126\nRUN pip install nvidia-cuda-runtime-cu12==12.4.127\n";
    check(&[("Dockerfile", lines)], &["Dockerfile: <acme/torch-base:cu126> nvidia-cuda-runtime-cu12 12.4.127 pypi"]);
}
