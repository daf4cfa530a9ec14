//! Images that stand on what the root itself builds, and what is done in containers that run.

mod rendered;

use rendered::{check, environments};

const BASE: &str = "FROM python:3.11\nARG V=2.1.0\nENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cu121\n\
    RUN pip install torch==${V}\nONBUILD RUN pip install torchvision==0.16.0\n";
const UPON: &str = "ARG TAG=1\nFROM acme/base:${TAG}\nRUN pip install torchaudio==2.1.${V:-0}\n";

/// What the image has that stands on the one that this file builds.
fn upon(path: &str, text: &str) -> String {
    let files = [("base.Dockerfile", BASE), ("Dockerfile", UPON), (path, text)];
    let all = environments(&files);
    all.iter().find_map(|line| line.strip_prefix("Dockerfile: ")).unwrap_or_default().to_owned()
}

#[test]
fn an_image_stands_on_one_that_is_built_here() {
    let joined = "<python:3.11> torch 2.1.0+cu121 pytorch/cu121, torchaudio 2.1.0+cu121 pytorch/cu121, torchvision 0.16.0+cu121 pytorch/cu121";
    for (path, text) in [
        ("build.sh", "docker build -t acme/base:1 -f base.Dockerfile .\n"),
        ("Makefile", "TAG ?= 1\nbase:\n\tdocker build -t acme/base:$(TAG) -f base.Dockerfile .\n"),
        (
            "docker-compose.yml",
            "services:\n  base:\n    image: acme/base:1\n    build: {context: ., dockerfile: base.Dockerfile}\n  app:\n    build: .\n",
        ),
        (
            ".github/workflows/x.yml",
            "on: push\njobs:\n  b:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: docker/build-push-action@v5\n        with: {context: ., file: base.Dockerfile, tags: 'acme/base:1'}\n",
        ),
        ("docker-bake.hcl", "target \"base\" {\n  dockerfile = \"base.Dockerfile\"\n  tags = [\"acme/base:1\"]\n}\n"),
        // The name in FROM is another's: what takes its place is built here.
        (
            "docker-bake.hcl",
            "target \"base\" {\n  dockerfile = \"base.Dockerfile\"\n}\ntarget \"app\" {\n  contexts = { \"acme/base:1\" = \"target:base\" }\n}\n",
        ),
        (
            "docker-compose.yml",
            "services:\n  base:\n    build: {context: ., dockerfile: base.Dockerfile}\n  app:\n    build:\n      context: .\n      additional_contexts: {'acme/base:1': 'service:base'}\n",
        ),
    ] {
        assert_eq!(upon(path, text), joined, "{path}: {text}");
    }
}

#[test]
fn an_image_of_another_tag_is_not_the_one_that_is_built_here() {
    for text in [
        "docker build -t acme/base:2 -f base.Dockerfile .\n",
        "docker build -t acme/base:$(date) -f base.Dockerfile .\n",
        // Which of the two has the name, the order says in which they are built.
        "docker build -t acme/base:1 -f base.Dockerfile .\ndocker build -t acme/base:1 --build-arg V=2.2.0 -f base.Dockerfile .\n",
    ] {
        assert_eq!(upon("build.sh", text), "<acme/base:1> torch ?, torchaudio 2.1.0… pypi", "{text}");
    }
}

#[test]
fn images_that_stand_on_each_other_end() {
    let files = [
        ("a.Dockerfile", "FROM b:1\nRUN pip install torch==2.1.0\n"),
        ("b.Dockerfile", "FROM a:1\nRUN pip install torch==2.2.0\n"),
        ("build.sh", "docker build -t a:1 -f a.Dockerfile .\ndocker build -t b:1 -f b.Dockerfile .\n"),
    ];
    check(&files, &["a.Dockerfile: <a:1> torch 2.1.0 pypi", "b.Dockerfile: <b:1> torch 2.2.0 pypi", "build.sh: "]);
}

#[test]
fn what_is_copied_from_an_image_that_is_built_here_comes_along() {
    let has = |text: &str, build: &str| {
        let text = format!("FROM python:3.11\n{text}");
        let files = [("base.Dockerfile", BASE), ("Dockerfile", text.as_str()), ("build.sh", build)];
        let all = environments(&files);
        let own =
            |line: &String| Some(line.strip_prefix("Dockerfile: ").or_else(|| line.strip_prefix("Dockerfile:2: "))?.to_owned());
        all.iter().find_map(own).unwrap_or_default()
    };
    let build = "docker build -t acme/base:1 -f base.Dockerfile .\n";
    let whole = "COPY --from=acme/base:1 /usr/local/lib/python3.11/site-packages /usr/local/lib/python3.11/site-packages\n";
    assert_eq!(has(whole, build), "<python:3.11> torch 2.1.0+cu121 pytorch/cu121");
    let later = format!("{whole}RUN pip install torchaudio==2.1.0\n");
    assert_eq!(has(&later, build), "<python:3.11> torch 2.1.0+cu121 pytorch/cu121, torchaudio 2.1.0 pypi");
    let named = "FROM acme/base:1 AS made\nFROM python:3.11\nCOPY --from=made /usr/local /usr/local\n";
    assert_eq!(has(named, build), "<python:3.11> torch 2.1.0+cu121 pytorch/cu121, torchvision 0.16.0+cu121 pytorch/cu121");
    // One file of it, another tag, its own image of before.
    assert_eq!(has("COPY --from=acme/base:1 /usr/local/bin/x /x\n", build), "<python:3.11> ");
    assert_eq!(has(&whole.replace(":1", ":2"), build), "<python:3.11> ");
    let own = format!("RUN pip install torch==2.2.0\n{whole}");
    // Of what that one has nothing is known, and it comes over what is there.
    assert_eq!(has(&own, "docker build -t acme/base:1 .\n"), "<python:3.11> torch ?");
}

#[test]
fn images_that_copy_from_each_other_end() {
    let text = |other: &str, version: &str| {
        format!("FROM python:3.11\nCOPY --from={other} /usr/local /usr/local\nRUN pip install torch=={version}\n")
    };
    let (a, b) = (text("b:1", "2.1.0"), text("a:1", "2.2.0"));
    let build = "docker build -t a:1 -f a.Dockerfile .\ndocker build -t b:1 -f b.Dockerfile .\n";
    let all = environments(&[("a.Dockerfile", a.as_str()), ("b.Dockerfile", b.as_str()), ("build.sh", build)]);
    assert_eq!(
        all,
        ["a.Dockerfile: <python:3.11> torch 2.1.0 pypi", "b.Dockerfile: <python:3.11> torch 2.2.0 pypi", "build.sh: "]
    );
}

#[test]
fn commands_in_a_container_that_runs() {
    let run = "docker run -d --gpus all --name foo python:3.11 sleep infinity\n";
    let said = |rest: &str, want: &str| {
        let script = format!("{run}{rest}");
        let all = environments(&[("run.sh", script.as_str())]);
        let own = all.iter().find_map(|line| line.strip_prefix("run.sh:foo: <python:3.11> "));
        assert_eq!(own.unwrap_or_default(), want, "{rest}: {all:?}");
        // Nothing of it is done on the machine itself.
        assert!(all.iter().all(|line| !line.starts_with("run.sh: ") || line == "run.sh: "), "{all:?}");
    };
    said("docker exec foo pip install torch==2.2.0\n", "torch 2.2.0 pypi");
    said("docker container exec -it -w /w foo bash -c 'cd x && pip install torch==2.2.0 && python x.py'\n", "torch 2.2.0 pypi");
    said("docker exec bar pip install torch==2.2.0\n", "");
    said("docker exec foo pip install torch==2.2.0\ndocker exec $OTHER pip install torch==2.3.0\n", "torch 2.2.0 pypi");
    said("docker exec foo nvidia-smi\n", "");
}

const MADE: &str =
    "FROM python:3.11 AS base\nARG V=2.1.0\nRUN pip install torch==$V\nFROM base AS more\nRUN pip install torchvision\n";

/// What a development container has that these files describe.
fn developed(json: &str, more: &[(&str, &str)]) -> String {
    let files: Vec<_> = [(".devcontainer/devcontainer.json", json), ("Dockerfile", MADE), ("r.txt", "torchaudio==2.2.0\n")]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    let all = environments(&files);
    let own = all.iter().filter_map(|line| line.strip_prefix(".devcontainer/devcontainer.json:"));
    own.map(str::to_owned).collect::<Vec<_>>().join(" | ")
}

#[test]
fn a_development_container_works_in_what_is_built_for_it() {
    let build = r#""build": {"dockerfile": "../Dockerfile", "context": "..", "args": {"V": "2.2.0"}, "target": "base"}"#;
    let joined = "Dockerfile: <python:3.11> torch 2.2.0 pypi, torchaudio 2.2.0 pypi";
    for command in [
        r#""postCreateCommand": "pip install -r r.txt""#,
        r#""onCreateCommand": ["pip", "install", "-r", "r.txt"]"#,
        r#""updateContentCommand": {"a": "pip install -r r.txt", "b": "echo x"}"#,
    ] {
        assert_eq!(developed(&format!("{{{build}, {command}}}"), &[]), joined, "{command}");
    }
    // What changes nothing makes no environment of its own.
    assert_eq!(developed(&format!(r#"{{{build}, "postCreateCommand": "git config x y"}}"#), &[]), "");
    let old = r#"{"dockerFile": "../Dockerfile", "context": "..", "postCreateCommand": "pip install torchaudio==2.1.0"}"#;
    let all = "Dockerfile: <python:3.11> torch 2.1.0 pypi, torchaudio 2.1.0 pypi, torchvision 0.29.2… pypi";
    assert_eq!(developed(old, &[]), all);
}

#[test]
fn a_development_container_may_be_a_service() {
    let json = |files: &str| {
        format!(r#"{{"dockerComposeFile": {files}, "service": "dev", "postCreateCommand": "pip install -r r.txt"}}"#)
    };
    let built = "services:\n  dev:\n    build: {context: ., target: base}\n    environment: {PIP_EXTRA_INDEX_URL: 'https://download.pytorch.org/whl/cu121'}\n";
    let with_index = "dev: <python:3.11> torch 2.2.0+cu121 pytorch/cu121, torchaudio 2.2.0+cu121 pytorch/cu121";
    assert_eq!(developed(&json("\"../compose.yml\""), &[("compose.yml", built)]), with_index);
    let named = ("compose.yml", "services:\n  dev: {image: 'pytorch/pytorch:$TAG'}\n");
    let over = (".devcontainer/over.yml", "services:\n  dev: {image: 'python:3.12'}\n");
    assert_eq!(
        developed(&json("[\"../compose.yml\", \"over.yml\"]"), &[named, over]),
        "dev: <python:3.12> torch 2.2.0 pypi, torchaudio 2.2.0 pypi"
    );
    assert_eq!(developed(&json("\"../nowhere.yml\""), &[]), "dev: <> torch ?, torchaudio 2.2.0… pypi");
}

#[test]
fn features_bring_pythons_and_what_is_not_known() {
    let with = |features: &str| {
        let json = r#"{"build": {"dockerfile": "../Dockerfile", "target": "base"}, "postCreateCommand": "pip install torchaudio==2.1.0", "#;
        developed(&format!("{json}\"features\": {features}}}"), &[])
    };
    let own = "Dockerfile: <python:3.11> torch 2.1.0 pypi, torchaudio 2.1.0 pypi";
    assert_eq!(with(r#"{"ghcr.io/devcontainers/features/nvidia-cuda:1": {"installCudnn": true}}"#), own);
    assert_eq!(with(r#"{"ghcr.io/devcontainers/features/python:1": {}}"#), own);
    let other = "Dockerfile: <python:3.11> torch 2.1.0 pypi | Dockerfile: <python:3.11> torch 2.1.0 pypi, torchaudio 2.1.0 pypi";
    assert_eq!(with(r#"{"ghcr.io/devcontainers/features/python:1": "3.10"}"#), other);
    assert_eq!(with(r#"{"ghcr.io/devcontainers/features/python:1": {"version": "3.10"}}"#), other);
    let perhaps = "Dockerfile: <python:3.11> torch 2.1.0 pypi, torchaudio 2.1.0… pypi";
    assert_eq!(with(r#"{"ghcr.io/others/features/x:1": {}}"#), perhaps);
}

#[test]
fn commands_in_the_container_of_a_service() {
    let compose = "services:\n  app: {image: 'python:3.11'}\n  built: {build: {context: ., target: base}}\n";
    let said = |path: &str, text: &str, start: &str, more: &[(&str, &str)]| {
        let mut files = vec![("compose.yml", compose), ("Dockerfile", MADE), (path, text)];
        files.extend(more);
        let all = environments(&files);
        let prefix = format!("compose.yml:{start}: <python:3.11> ");
        all.iter().find_map(|line| line.strip_prefix(prefix.as_str())).unwrap_or("none").to_owned()
    };
    for text in [
        "docker compose exec app pip install torch==2.2.0\n",
        "docker-compose -f compose.yml exec -T -w /w app bash -c 'pip install torch==2.2.0'\n",
        "docker compose --profile gpu run --rm app pip install torch==2.2.0\n",
    ] {
        assert_eq!(said("run.sh", text, "app", &[]), "torch 2.2.0 pypi", "{text}");
    }
    assert_eq!(said("Makefile", "x:\n\tdocker compose exec app pip install torch==2.2.0\n", "app", &[]), "torch 2.2.0 pypi");
    let exec = "docker compose exec built pip install torchaudio==2.1.0\n";
    assert_eq!(said("run.sh", exec, "built", &[]), "torch 2.1.0 pypi, torchaudio 2.1.0 pypi");
    for text in ["docker compose exec other pip install torch==2.2.0\n", "docker compose exec app nvidia-smi\n"] {
        assert_eq!(said("run.sh", text, "app", &[]), "", "{text}");
    }
    assert_eq!(said("run.sh", "docker compose exec built nvidia-smi\n", "built", &[]), "none");
    // It may be the other one; and what one container gets, the next has not.
    let other = ("sub/compose.yml", "services:\n  app: {image: 'python:3.11'}\n");
    assert_eq!(said("run.sh", "docker compose exec app pip install torch==2.2.0\n", "app", &[other]), "");
    let twice = "docker compose run app pip install torch==2.2.0\ndocker compose run app pip install torchaudio==2.1.0\n";
    assert_eq!(said("run.sh", twice, "app", &[]), "");
}
