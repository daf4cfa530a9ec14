//! Which parts of a project a command installs: groups, extras, categories.

mod rendered;

use rendered::{check, environments};

/// What an image has into which a project is copied and in which this is run.
fn installed(files: &[(&str, &str)], command: &str) -> String {
    let dockerfile = format!("FROM x\nCOPY . /app\nWORKDIR /app\nRUN {command}\n");
    let files: Vec<_> = [("Dockerfile", dockerfile.as_str())].into_iter().chain(files.iter().copied()).collect();
    let all = environments(&files);
    let own = all.iter().find_map(|line| line.strip_prefix("Dockerfile: <x> "));
    own.unwrap_or_default().to_owned()
}

#[test]
fn groups_of_uv() {
    let project = [(
        "pyproject.toml",
        "[project]\nname = 'a'\ndependencies = ['torchtext==0.16.0']\n\
         [project.optional-dependencies]\ncu = ['torch==2.1.0']\n\
         [dependency-groups]\nx = ['torch==2.1.1', {include-group = 'y'}]\ny = [{include-group = 'x'}]\nt = ['torchaudio==2.1.0']\n\
         [tool.uv]\ndefault-groups = ['x']\n",
    )];
    for (command, want) in [
        ("uv sync", "torch 2.1.1 pypi, torchtext 0.16.0 pypi"),
        ("uv sync --no-dev", "torch 2.1.1 pypi, torchtext 0.16.0 pypi"),
        ("uv sync --no-default-groups", "torch 2.1.0 pypi, torchtext 0.16.0 pypi"),
        ("uv sync --only-group y", "torch 2.1.1 pypi"),
        ("uv sync --only-group t --only-group x", "torch 2.1.1 pypi, torchaudio 2.1.0 pypi"),
        ("uv sync --all-groups", "torch 2.1.1 pypi, torchaudio 2.1.0 pypi, torchtext 0.16.0 pypi"),
        ("uv sync --all-groups --no-group t --no-group y", "torch 2.1.1 pypi, torchtext 0.16.0 pypi"),
        ("uv sync --all-extras --no-extra cu", "torch 2.1.1 pypi, torchtext 0.16.0 pypi"),
    ] {
        assert_eq!(installed(&project, command), want, "{command}");
    }
}

#[test]
fn what_excludes_each_other_is_never_installed_together() {
    let project = [(
        "pyproject.toml",
        "[project]\nname = 'a'\n[dependency-groups]\na = ['torch==2.1.0']\nb = ['torchvision==0.17.0']\n\
         [tool.uv]\nconflicts = [[{group = 'a'}, {group = 'b'}]]\n",
    )];
    assert_eq!(installed(&project, "uv sync --group a"), "torch 2.1.0 pypi");
    assert_eq!(installed(&project, "uv sync --all-groups"), "");
}

#[test]
fn groups_of_poetry() {
    let manifest = "[tool.poetry]\nname = 'a'\n[tool.poetry.dependencies]\npython = '^3.10'\ntorchtext = '0.16.0'\n\
         [tool.poetry.group.g.dependencies]\ntorchaudio = '2.1.0'\n\
         [tool.poetry.group.o]\noptional = true\n[tool.poetry.group.o.dependencies]\ntorch = '^2.1'\n";
    let locked = |name: &str, version: &str, groups: &str| {
        format!("[[package]]\nname = '{name}'\nversion = '{version}'\noptional = false\ngroups = {groups}\n")
    };
    let lock = [
        locked("torchtext", "0.16.0", "['main']"),
        locked("torchaudio", "2.1.0", "['g']"),
        locked("torch", "2.1.0", "['main', 'o']"),
    ]
    .concat();
    let project = [("pyproject.toml", manifest), ("poetry.lock", lock.as_str())];
    for (command, want) in [
        ("poetry install --all-groups", "torch 2.1.0 pypi, torchaudio 2.1.0 pypi, torchtext 0.16.0 pypi"),
        ("poetry install --only o", "torch 2.1.0 pypi"),
        ("poetry install --only g", "torchaudio 2.1.0 pypi"),
        ("poetry install --only main,g", "torch 2.1.0 pypi, torchaudio 2.1.0 pypi, torchtext 0.16.0 pypi"),
    ] {
        assert_eq!(installed(&project, command), want, "{command}");
    }
}

#[test]
fn groups_of_pdm() {
    let project = [(
        "pyproject.toml",
        "[project]\nname = 'a'\ndependencies = ['torchtext==0.16.0']\n[project.optional-dependencies]\ncu = ['torch==2.1.0']\n\
         [dependency-groups]\nt = ['torchaudio==2.1.0']\n[tool.pdm.dev-dependencies]\nv = ['torchvision==0.16.0']\n",
    )];
    for (command, want) in [
        ("pdm install", "torch 2.1.0 pypi, torchaudio 2.1.0 pypi, torchtext 0.16.0 pypi, torchvision 0.16.0 pypi"),
        // One group for development that is named stands for all of them; an extra does not.
        ("pdm install -dG t", "torch 2.1.0 pypi, torchaudio 2.1.0 pypi, torchtext 0.16.0 pypi"),
        ("pdm install -G cu", "torch 2.1.0 pypi, torchaudio 2.1.0 pypi, torchtext 0.16.0 pypi, torchvision 0.16.0 pypi"),
        ("pdm sync -G cu --no-default --prod", "torch 2.1.0 pypi"),
    ] {
        assert_eq!(installed(&project, command), want, "{command}");
    }
}

#[test]
fn categories_of_a_pipfile() {
    let project = [("Pipfile", "[packages]\ntorchtext = '==0.16.0'\n[gpu]\ntorch = '==2.1.0'\n[cpu]\ntorchaudio = '==2.1.0'\n")];
    for (command, want) in [
        ("pipenv install --categories gpu", "torch 2.1.0 pypi"),
        ("pipenv sync --categories=\"packages cpu\"", "torch 2.1.0 pypi, torchaudio 2.1.0 pypi, torchtext 0.16.0 pypi"),
        ("pipenv sync --categories $WHICH", ""),
    ] {
        assert_eq!(installed(&project, command), want, "{command}");
    }
}

#[test]
fn the_last_arm_of_a_template() {
    check(
        &[(
            "requirements.txt",
            "{% if gpu %}\ntorch==2.1.0\n{% elif cpu %}\ntorch==2.2.0\n{% else %}\ntorch==2.3.0\n{% endif %}\n",
        )],
        &[
            "requirements.txt: torch 2.1.0 pypi",
            "requirements.txt?branch 2: torch 2.2.0 pypi",
            "requirements.txt?branch 3: ",
            "requirements.txt?branch 2?branch 2: torch 2.3.0 pypi",
        ],
    );
}
