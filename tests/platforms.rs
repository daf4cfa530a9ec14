//! Images are for the platform that they are built for, or run on.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

/// On Arm this release of torch has no CUDA.
const DOCKERFILE: &str = "FROM python:3.11\nRUN pip install torch==2.1.0\n";
const ON_ARM: &str = "linux/arm64";

/// The places of what is said for a machine with an old driver, on x86-64 unless `arch` says more.
fn said(files: &[(&str, &str)], arch: &str) -> Vec<String> {
    let mut linter = Linter::new(Settings { select: vec!["driver-too-old".to_owned()], ..Settings::default() });
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    let host = format!("driver = \"470.182.03\"\n{arch}");
    linter.host(Origin::Outside, "host.toml", &host).expect("a host");
    let report = linter.report();
    let places = report.diagnostics.iter().map(|found| linter.sources().path(found.labels[0].at.file).to_owned());
    places.collect()
}

/// Every way to say for which platform a Dockerfile is built.
fn ways(platform: &str) -> Vec<(&'static str, String)> {
    let step = format!(
        "jobs:\n  b:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: docker/build-push-action@v6\n        with:\n          platforms: {platform}\n"
    );
    let rows = format!(
        "jobs:\n  b:\n    strategy:\n      matrix:\n        p: [{platform}]\n    steps:\n      - uses: docker/build-push-action@v6\n        with:\n          platforms: ${{{{ matrix.p }}}}\n"
    );
    vec![
        (".github/workflows/b.yml", step),
        (".github/workflows/rows.yml", rows),
        ("build.sh", format!("docker buildx build --platform {platform} -t me/app .\n")),
        ("default.sh", format!("export DOCKER_DEFAULT_PLATFORM={platform}\ndocker build -t me/app .\n")),
        ("run.sh", format!("docker build -t me/app .\ndocker run --gpus all --platform {platform} me/app\n")),
        ("Makefile", format!("P ?= {platform}\nimage:\n\tdocker build --platform $(P) -t me/app .\n")),
        (".gitlab-ci.yml", format!("b:\n  script: [\"docker build --platform {platform} .\"]\n")),
        ("docker-bake.hcl", format!("target \"app\" {{\n  platforms = [\"{platform}\"]\n}}\n")),
        ("compose.yml", format!("services:\n  a: {{build: ., platform: {platform}, gpus: all}}\n")),
        ("docker-compose.yml", format!("services:\n  a: {{build: {{context: ., platforms: [{platform}]}}, gpus: all}}\n")),
        (
            ".devcontainer/devcontainer.json",
            format!(
                "{{\"build\": {{\"dockerfile\": \"../Dockerfile\", \"context\": \"..\", \"options\": [\"--platform={platform}\"]}}, \"runArgs\": [\"--gpus=all\"]}}"
            ),
        ),
    ]
}

#[test]
fn who_builds_a_dockerfile_says_for_which_platform() {
    for (path, text) in ways(ON_ARM) {
        assert_eq!(said(&[("Dockerfile", DOCKERFILE), (path, &text)], ""), [""; 0], "{path}");
    }
    for (path, text) in ways("linux/amd64") {
        assert_eq!(said(&[("Dockerfile", DOCKERFILE), (path, &text)], ""), ["Dockerfile"], "{path}");
    }
}

#[test]
fn of_several_platforms_a_machine_has_its_own() {
    let script = ("build.sh", "docker buildx build --platform linux/amd64,linux/arm64 -t me/app .\n");
    assert_eq!(said(&[("Dockerfile", DOCKERFILE), script], ""), ["Dockerfile"]);
    assert_eq!(said(&[("Dockerfile", DOCKERFILE), script], "arch = \"aarch64\"\n"), [""; 0]);
    // What is not known is not told.
    let unknown = ("build.sh", "docker buildx build --platform $(cat platforms) -t me/app .\n");
    assert_eq!(said(&[("Dockerfile", DOCKERFILE), unknown], ""), [""; 0]);
}

#[test]
fn a_stage_says_it_itself() {
    for (from, speaks) in [
        ("FROM --platform=linux/arm64 python:3.11", false),
        ("ARG P=linux/arm64\nFROM --platform=$P python:3.11", false),
        ("ARG P=linux/amd64\nFROM --platform=$P python:3.11", true),
        ("ARG P\nFROM --platform=$P python:3.11", false),
        ("FROM --platform=$TARGETPLATFORM python:3.11", true),
        ("FROM --platform=linux/arm64 python:3.11 AS a\nFROM a", false),
    ] {
        let text = DOCKERFILE.replace("FROM python:3.11", from);
        assert_eq!(said(&[("Dockerfile", &text)], "").len(), usize::from(speaks), "{from}");
    }
    let text = DOCKERFILE.replace("FROM python:3.11", "FROM --platform=$TARGETPLATFORM python:3.11");
    assert_eq!(said(&[("Dockerfile", &text), ("b.sh", "docker build --platform linux/arm64 .\n")], ""), [""; 0]);
}

#[test]
fn an_image_is_run_for_a_platform() {
    let image = "pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime";
    for (option, speaks) in [("--platform linux/arm64", false), ("--platform=linux/amd64", true), ("", true)] {
        let run = format!("docker run --gpus all {option} {image}\n");
        assert_eq!(said(&[("run.sh", &run)], "").len(), usize::from(speaks), "{option}");
    }
    for (selector, speaks) in [("{kubernetes.io/arch: arm64}", false), ("{kubernetes.io/arch: amd64}", true)] {
        let pod = format!(
            "apiVersion: v1\nkind: Pod\nspec:\n  nodeSelector: {selector}\n  containers: [{{image: {image}, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]\n"
        );
        assert_eq!(said(&[("k/pod.yaml", &pod)], "").len(), usize::from(speaks), "{selector}");
    }
}

#[test]
fn a_job_builds_for_its_own_machine() {
    for (runner, speaks) in [("ubuntu-24.04-arm", false), ("ubuntu-24.04", true), ("[self-hosted, ARM64]", false)] {
        let job = format!("jobs:\n  b:\n    runs-on: {runner}\n    steps:\n      - run: docker build -t me/app .\n");
        let files = [("Dockerfile", DOCKERFILE), (".github/workflows/b.yml", job.as_str())];
        assert_eq!(said(&files, "").len(), usize::from(speaks), "{runner}");
    }
    let job = "jobs:\n  t:\n    runs-on: [self-hosted, ARM64, gpu]\n    steps:\n      - run: pip install torch==2.1.0\n";
    assert_eq!(said(&[(".github/workflows/t.yml", job)], ""), [""; 0]);
}
