//! What an image has from another stage or image: `COPY --from`.

mod rendered;

use rendered::{check, environments};

/// The environments of the last stage.
fn last(stages: &str) -> Vec<String> {
    let all = environments(&[("Dockerfile", &format!("{stages}\n"))]);
    let number = stages.lines().filter(|line| line.starts_with("FROM")).count() - 1;
    let name = if number == 0 { "Dockerfile: ".to_owned() } else { format!("Dockerfile:{number}: ") };
    all.into_iter().filter_map(|line| Some(line.strip_prefix(&name)?.to_owned())).collect()
}

#[test]
fn it_lands_where_it_is_copied_to() {
    let python = "FROM python:3.10 AS b\n";
    for (stages, expected) in [
        (
            "RUN pip install --prefix=/install torch==2.6.0\nFROM python:3.10-slim\nCOPY --from=b /install /usr/local\n\
             RUN pip install torchvision==0.21.0",
            "<python:3.10-slim> torch 2.6.0 pypi, torchvision 0.21.0 pypi",
        ),
        (
            "RUN python -m venv /app/x && /app/x/bin/pip install torch==2.6.0\nFROM python:3.10-slim\n\
             COPY --from=b /app/x /srv/y\nENV PATH=/srv/y/bin:$PATH\nRUN pip install torchvision==0.21.0",
            "<python:3.10-slim> torch 2.6.0 pypi, torchvision 0.21.0 pypi",
        ),
        (
            "RUN python -m venv /v && /v/bin/pip install torch==2.6.0\nFROM python:3.10-slim\n\
             COPY --from=b /v/lib/python3.10/site-packages /usr/local/lib/python3.10/site-packages\nRUN pip install torchvision==0.21.0",
            "<python:3.10-slim> torch 2.6.0 pypi, torchvision 0.21.0 pypi",
        ),
        // Of one package the others do not come along.
        (
            "RUN pip install torch==2.6.0 flash-attn\nFROM python:3.10-slim\nRUN pip install torch==2.5.1\n\
             COPY --from=b /usr/local/lib/python3.10/site-packages/flash_attn /usr/local/lib/python3.10/site-packages/flash_attn",
            "<python:3.10-slim> torch 2.5.1 pypi",
        ),
    ] {
        assert_eq!(last(&format!("{python}{stages}")), [expected], "{stages}");
    }
}

#[test]
fn an_image_has_what_its_row_says() {
    let image = "pytorch/pytorch:2.6.0-cuda12.6-cudnn9-runtime";
    for stages in [
        format!("FROM {image} AS b\nFROM ubuntu:22.04\nCOPY --from=b /opt/conda /opt/conda\n"),
        format!("FROM ubuntu:22.04\nCOPY --from={image} /opt/conda /opt/conda\n"),
    ] {
        let later = "ENV PATH=/opt/conda/bin:$PATH\nRUN pip install torchvision==0.21.0";
        let found = last(&format!("{stages}{later}"));
        assert!(
            matches!(found.as_slice(), [line] if line.starts_with("<ubuntu:22.04> torch 2.6.0 image, ")),
            "{stages}: {found:?}"
        );
    }
}

#[test]
fn what_comes_over_it_and_is_not_known_may_be_anything() {
    let packages = "/usr/local/lib/python3.10/dist-packages";
    let torch = "FROM python:3.10\nRUN pip install torch==2.6.0\n";
    for copied in [
        format!("{torch}COPY --from=company/ml:1 {packages} {packages}"),
        format!("{torch}COPY --from=company/ml:1 {packages}/torch {packages}/torch"),
        format!("{torch}COPY --from=company/ml:1 / /"),
        format!("FROM company/ml:1 AS b\n{torch}COPY --from=b /usr/local /usr/local"),
        format!("ARG X\n{torch}COPY --from=$X /usr/local /usr/local"),
        "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime\nCOPY --from=company/ml:1 /opt/conda /opt/conda\nRUN pip install torch"
            .to_owned(),
    ] {
        let found = last(&copied);
        assert!(matches!(found.as_slice(), [line] if line.contains("> torch ?")), "{copied}: {found:?}");
    }
    // Neither does a program, nor what lies elsewhere.
    for copied in ["/usr/local/bin/uv /usr/local/bin/uv", "/usr/local/cuda /usr/local/cuda", "/app /app"] {
        assert_eq!(last(&format!("{torch}COPY --from=company/ml:1 {copied}")), ["<python:3.10> torch 2.6.0 pypi"], "{copied}");
    }
    // Those have no packages at all.
    assert_eq!(last(&format!("{torch}COPY --from=python:3.10 /usr/local /usr/local")), ["<python:3.10> torch 2.6.0 pypi"]);
}

#[test]
fn what_is_installed_into_it_meets_what_it_may_have() {
    for copied in [
        "COPY --from=company/ml:1 /opt/venv /opt/venv\nRUN /opt/venv/bin/pip install torch",
        "COPY --from=company/ml:1 /opt/env /opt/env\nENV PATH=/opt/env/bin:$PATH\nRUN pip install torch",
        "COPY --from=company/ml:1 /opt/conda /opt/conda\nENV PATH=/opt/conda/bin:$PATH\nRUN pip install torch",
        "COPY --from=company/ml:1 /opt /opt\nENV PATH=/opt/conda/bin:$PATH\nRUN pip install torch",
        "COPY --from=company/ml:1 /app /app\nRUN /app/.venv/bin/pip install torch",
    ] {
        let found = last(&format!("FROM ubuntu:22.04\n{copied}"));
        assert!(matches!(found.as_slice(), [line] if line.ends_with("> torch ?")), "{copied}: {found:?}");
    }
    // What is made here has nothing from there.
    let made = "COPY --from=company/ml:1 /usr/local /usr/local\nRUN python3 -m venv /v && /v/bin/pip install torch==2.6.0";
    check(&[("Dockerfile", &format!("FROM ubuntu:22.04\n{made}\n"))], &["Dockerfile: <ubuntu:22.04> torch 2.6.0 pypi"]);
}

#[test]
fn what_lies_elsewhere_brings_nothing() {
    check(
        &[(
            "Dockerfile",
            "FROM python:3.10 AS b\nRUN pip install torch==2.6.0\nFROM python:3.10-slim\nCOPY --from=b /etc/hosts /etc/hosts\n",
        )],
        &["Dockerfile:1: <python:3.10-slim> ", "Dockerfile:b: <python:3.10> torch 2.6.0 pypi"],
    );
}
