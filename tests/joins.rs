//! Commands that bring other files, other environments or other values in.

mod rendered;

use rendered::check;

const PROJECT: (&str, &str) =
    ("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.10\"\ndependencies = [\"torch==2.1.0\"]\n");

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
            ("a.sh", "pip install torch==2.1.0\nuv tool install vllm==0.6.0 --with torch==2.4.0\nuv tool install 'xformers==0.0.27'\n"),
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
    let root = "[project]\nname = \"root\"\nversion = \"1\"\ndependencies = []\n[tool.uv.workspace]\nmembers = [\"packages/*\"]\n";
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
