//! Commands that bring other files, other environments or other values in.

mod rendered;

use rendered::check;

const PROJECT: (&str, &str) = (
    "pyproject.toml",
    "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.10\"\ndependencies = [\"torch==2.1.0\"]\n",
);

#[test]
fn what_uv_adds_for_one_run_is_in_no_other_environment() {
    for (script, installed) in [
        ("uv run --no-project --with torch==2.6.0 python train.py\n", &["a.sh: torch 2.6.0 pypi"][..]),
        (
            "uv run --with torchvision==0.21.0 --with torch==2.6.0 python train.py\nuv run python test.py\n",
            &["a.sh: torch 2.6.0 pypi, torchvision 0.21.0 pypi", "a.sh: torch 2.1.0 pypi"],
        ),
        (
            "pip install torch==2.2.0\nuvx --with torch==2.4.0 vllm@0.6.3\n",
            &["a.sh: torch 2.2.0 pypi", "a.sh: torch 2.4.0 pypi, torchvision 0.19.0 pypi, vllm 0.6.3 pypi"],
        ),
        ("uv run --isolated python train.py\n", &["a.sh: torch 2.1.0 pypi"]),
    ] {
        let all = rendered::environments(&[PROJECT, ("a.sh", script)]);
        let own: Vec<&str> = all.iter().map(String::as_str).filter(|line| line.starts_with("a.sh")).collect();
        assert_eq!(own, installed, "{script}");
    }
}

#[test]
fn a_tool_has_an_environment_of_its_own() {
    check(
        &[
            (
                "a.sh",
                "pip install torch==2.1.0\nuv tool install vllm==0.6.0 --with torch==2.4.0\nuv tool install 'xformers==0.0.27'\n",
            ),
            ("b.sh", "pipx install vllm==0.6.0\npipx inject vllm torch==2.4.0\npip install torch==2.1.0\n"),
        ],
        &[
            "a.sh: torch 2.1.0 pypi",
            "a.sh: torch 2.4.0 pypi, torchvision 0.19.0 pypi, vllm 0.6.0 pypi",
            "a.sh: torch 2.3.1 pypi, xformers 0.0.27 pypi",
            "b.sh: torch 2.1.0 pypi",
            "b.sh: torch 2.4.0 pypi, torchvision 0.19.0 pypi, vllm 0.6.0 pypi",
        ],
    );
}

#[test]
fn a_script_of_any_name_says_what_it_needs() {
    check(
        &[
            ("a.sh", "uv run --script tools/train --epochs 3\n"),
            ("tools/train", "#!/usr/bin/env python3\n# /// script\n# dependencies = [\"torch==2.5.0\"]\n# ///\n"),
        ],
        &["a.sh: torch 2.5.0 pypi"],
    );
}

#[test]
fn uv_installs_the_members_that_are_named() {
    let root =
        "[project]\nname = \"root\"\nversion = \"1\"\ndependencies = []\n[tool.uv.workspace]\nmembers = [\"packages/*\"]\n";
    let member = |name: &str, asks: &str| format!("[project]\nname = \"{name}\"\nversion = \"1\"\ndependencies = [\"{asks}\"]\n");
    let (a, b, c) = (member("a", "torch==2.6.0"), member("b", "torchvision==0.21.0"), member("c", "numpy==1.26.4"));
    let files = |script: &'static str| {
        vec![
            ("pyproject.toml", root),
            ("packages/a/pyproject.toml", a.as_str()),
            ("packages/b/pyproject.toml", b.as_str()),
            ("packages/c/pyproject.toml", c.as_str()),
            ("z.sh", script),
        ]
    };
    for (script, installed) in [
        ("uv sync --package a --package b\n", "z.sh: torch 2.6.0 pypi, torchvision 0.21.0 pypi"),
        ("uv sync --all-packages\n", "z.sh: numpy ?, torch 2.6.0 pypi, torchvision 0.21.0 pypi"),
        ("uv run --package c --no-default-groups python x.py\n", "z.sh: numpy ?"),
        ("uv sync --package a --package elsewhere\n", "z.sh: "),
    ] {
        let all = rendered::environments(&files(script));
        assert_eq!(all.last().map(String::as_str), Some(installed), "{script}");
    }
}

const IMAGE: (&str, &str) = ("Dockerfile", "FROM python:3.11\nARG TORCH=2.0.0\nRUN pip install torch==${TORCH}\n");

/// What is installed in the image of these files.
fn built(files: &[(&str, &str)]) -> Vec<String> {
    let all: Vec<(&str, &str)> = files.iter().copied().chain([IMAGE]).collect();
    let found = rendered::environments(&all).into_iter();
    let of_image = |line: String| Some(line.strip_prefix("Dockerfile")?.split_once("<python:3.11> ")?.1.to_owned());
    let mut found: Vec<String> = found.filter_map(of_image).collect();
    found.sort();
    found
}

#[test]
fn commands_say_what_stands_in_a_compose_file() {
    let compose = ("compose.yml", "services:\n  a:\n    build: {context: ., args: {TORCH: \"${TORCH:-2.5.0}\"}}\n");
    let variables = ("deploy/prod.env", "TORCH=2.6.0\n");
    for (path, script, torches) in [
        ("a.sh", "docker compose --env-file deploy/prod.env up\n", &["torch 2.5.0 pypi", "torch 2.6.0 pypi"][..]),
        ("a.sh", "docker compose --env-file deploy/other.env up\n", &["torch 2.5.0 pypi"]),
        ("a.sh", "TORCH=2.4.0 docker-compose build a\n", &["torch 2.4.0 pypi", "torch 2.5.0 pypi"]),
        ("a.sh", "export TORCH=2.4.0\ndocker compose up -d\nexport TORCH=2.3.0\n", &["torch 2.4.0 pypi", "torch 2.5.0 pypi"]),
        ("a.sh", "TORCH=2.4.0\ndocker compose up -d\n", &["torch 2.5.0 pypi"]),
        ("a.sh", "TORCH=2.4.0 docker compose down\n", &["torch 2.5.0 pypi"]),
        ("Makefile", "up:\n\tTORCH=2.4.0 docker compose up\n", &["torch 2.4.0 pypi", "torch 2.5.0 pypi"]),
        (
            ".github/workflows/x.yml",
            "on: push\njobs:\n  a:\n    runs-on: gpu\n    env: {TORCH: 2.4.0}\n    steps:\n    - run: docker compose up\n  \
             b:\n    runs-on: gpu\n    steps:\n    - run: docker compose up\n",
            &["torch 2.4.0 pypi", "torch 2.5.0 pypi"],
        ),
        ("README.md", "```sh\nTORCH=2.4.0 docker compose up\n```\n", &["torch 2.5.0 pypi"]),
    ] {
        assert_eq!(built(&[compose, variables, (path, script)]), torches, "{script}");
    }
    let dotenv = (".env", "TORCH=2.2.0\n");
    let script = ("a.sh", "docker compose --env-file deploy/prod.env up\n");
    assert_eq!(built(&[compose, variables, dotenv, script]), ["torch 2.2.0 pypi", "torch 2.6.0 pypi"]);
}

#[test]
fn an_image_whose_name_a_command_says_is_not_that_of_the_file() {
    let compose = ("compose.yml", "services:\n  a:\n    image: nvidia/cuda:${CUDA:-12.4.1}-base-ubuntu22.04\n    command: x\n");
    let of = |script: &str| rendered::environments(&[compose, ("a.sh", script)]).join(" ");
    assert!(of("docker compose up\n").contains("<nvidia/cuda:12.4.1-base-ubuntu22.04>"));
    assert!(!of("CUDA=11.8.0 docker compose up\n").contains("12.4.1"));
}

#[test]
fn a_called_workflow_has_its_defaults_where_the_caller_gives_nothing() {
    let called = "on:\n  workflow_call:\n    inputs:\n      torch: {type: string, default: 2.3.0}\n      image: {type: string, default: \"python:3.11\"}\n\
                  jobs:\n  x:\n    runs-on: ubuntu-latest\n    container:\n      image: ${{ inputs.image }}\n    steps:\n\
                  \x20   - run: pip install torch==${{ inputs.torch }}\n    - run: docker build --build-arg TORCH=${{ inputs.torch }} .\n";
    let caller = "on: push\njobs:\n  a:\n    uses: ./.github/workflows/build.yml\n    with:\n      torch: 2.6.0\n      image: python:3.12\n\
                  \x20 b:\n    uses: ./.github/workflows/build.yml\n";
    let files = [(".github/workflows/build.yml", called), (".github/workflows/ci.yml", caller)];
    check(
        &[files[0], files[1], IMAGE],
        &[
            ".github/workflows/build.yml:x: <> torch ?",
            ".github/workflows/ci.yml:a: ",
            ".github/workflows/ci.yml:a/x: <python:3.12> torch 2.6.0 pypi",
            ".github/workflows/ci.yml:b: ",
            ".github/workflows/ci.yml:b/x: <python:3.11> torch 2.3.0 pypi",
            "Dockerfile: <python:3.11> torch 2.3.0 pypi",
            "Dockerfile?build 2: <python:3.11> torch 2.6.0 pypi",
        ],
    );
    assert_eq!(built(&files[..1]), ["torch ?"], "nobody calls it");
}

#[test]
fn an_action_builds_with_what_it_is_given() {
    let action = "inputs: {torch: {default: 2.3.0}}\nruns:\n  using: composite\n  steps:\n  - uses: docker/build-push-action@v6\n    with:\n      build-args: TORCH=${{ inputs.torch }}\n";
    let step = |with: &str| {
        format!("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n    - uses: ./.github/actions/b\n{with}")
    };
    for (with, torch) in [
        ("", "torch 2.3.0 pypi"),
        ("      with: {torch: 2.5.0}\n", "torch 2.5.0 pypi"),
        ("      with: {torch: \"${{ github.ref }}\"}\n", "torch ?"),
    ] {
        let workflow = step(with);
        assert_eq!(
            built(&[(".github/actions/b/action.yml", action), (".github/workflows/ci.yml", &workflow)]),
            [torch],
            "{with}"
        );
    }
}

#[test]
fn a_dockerfile_may_stand_in_a_bake_file_or_behind_a_command() {
    check(
        &[
            (
                "docker-bake.hcl",
                "variable \"PY\" { default = \"3.11\" }\ntarget \"a\" {\n  dockerfile-inline = <<EOT\nFROM python:${PY}\nRUN pip install torch==2.6.0\nEOT\n}\n\
                 target \"b\" { dockerfile-inline = \"FROM python:3.12\\nRUN pip install torch==2.5.0\\n\" }\n",
            ),
            ("other.docker", "FROM python:3.9\nRUN pip install torch==2.0.0\n"),
            ("requirements.txt", "torch==2.7.0\n"),
            (
                "z.sh",
                "docker build -t a - <<EOF\nFROM python:3.10\nCOPY requirements.txt .\nRUN pip install torch==2.4.0 torchvision==$V\nEOF\n\
                 docker build -t b -t c -f- . <<'EOF'\nFROM python:3.11\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\nEOF\n",
            ),
        ],
        &[
            "docker-bake.hcl[a]: <python:3.11> torch 2.6.0 pypi",
            "docker-bake.hcl[b]: <python:3.12> torch 2.5.0 pypi",
            "z.sh: ",
            "z.sh[1]: <python:3.10> torch 2.4.0 pypi, torchvision ?",
            "z.sh[2]: <python:3.11> torch 2.7.0 pypi",
        ],
    );
}

#[test]
fn each_row_of_a_bake_target_is_a_build() {
    for bake in [
        "target \"x\" {\n  name = \"x-${replace(torch, \".\", \"-\")}\"\n  matrix = { torch = [\"2.6.0\", \"2.5.0\"] }\n  args = { TORCH = torch }\n}\n",
        "target \"x\" {\n  matrix = { item = [{ name = \"a\", torch = \"2.6.0\" }, { name = \"b\", torch = \"2.5.0\" }] }\n  args = { TORCH = \"${item.torch}\" }\n}\n",
    ] {
        assert_eq!(built(&[("docker-bake.hcl", bake)]), ["torch 2.5.0 pypi", "torch 2.6.0 pypi"], "{bake}");
    }
    let calculated = "target \"x\" {\n  matrix = { torch = concat(A, B) }\n  args = { TORCH = torch }\n}\n";
    assert_eq!(built(&[("docker-bake.hcl", calculated)]), ["torch ?"]);
}

#[test]
fn make_puts_in_what_is_defined_in_several_lines() {
    check(
        &[(
            "Makefile",
            "CU = cu124\ndefine install\n\t@pip install torch==$(1) --index-url https://download.pytorch.org/whl/$(CU)\n\tpip install torchvision==$(2)\nendef\n\
             a:\n\t$(call install,2.6.0,0.21.0)\ndefine canned =\n\tpip install torch==2.1.0\nendef\nb:\n\t$(canned)\n\
             define asked\nifeq ($(X),)\npip install torch==2.0.0\nendif\nendef\nc:\n\tpip install torchvision==0.20.0\n\t$(asked)\n\
             d:\n\tpip install $(foreach p,torch,$(p)==2.2.0)\n\
             one = pip install torch==$1\ne:\n\t-$(call one,$(or 2.3.0,))\nf:\n\t$(call one,2.3.0)\n",
        )],
        &[
            "Makefile:a: torch 2.6.0+cu124 pytorch/cu124, torchvision 0.21.0 pypi",
            "Makefile:b: torch 2.1.0 pypi",
            "Makefile:c: torch 2.5.0 pypi, torchvision 0.20.0 pypi",
            "Makefile:d: ",
            "Makefile:f: torch 2.3.0 pypi",
        ],
    );
}
