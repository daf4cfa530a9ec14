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
        assert_eq!(upon("build.sh", text), "<acme/base:1> torch ?, torchaudio 2.1.0 pypi", "{text}");
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
