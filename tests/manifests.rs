//! Python manifests: which environments each start comes to.

mod rendered;

use cudalint::linter::Linter;
use cudalint::read::{FORMATS, read};
use cudalint::settings::Settings;
use cudalint::source::Sources;
use rendered::{check, environments};

#[test]
fn poetry_translates_its_constraints() {
    check(
        &[("pyproject.toml", "[tool.poetry]\nname = 'x'\n[tool.poetry.dependencies]\npython = '^3.10'\ntorch = '~2.1.1'\n")],
        &["pyproject.toml: torch 2.1.2… pypi"],
    );
    // Several conditions are none that can be said: any version may come.
    check(
        &[("pyproject.toml", "[tool.poetry.dependencies]\ntorch = '2.0.1 || ^2.2'\ntorchvision = '*'\n")],
        &["pyproject.toml: torch ?, torchvision ?"],
    );
}

#[test]
fn poetry_looks_where_its_sources_say() {
    let project = |torch: &str, source: &str| {
        let text = format!("[tool.poetry.dependencies]\npython = '^3.10'\ntorch = {torch}\n{source}");
        environments(&[("pyproject.toml", &text)]).join("; ")
    };
    let source = |url: &str, rest: &str| format!("[[tool.poetry.source]]\nname = 'pt'\nurl = '{url}'\n{rest}");
    let cu118 = |rest: &str| source("https://download.pytorch.org/whl/cu118", rest);
    let routed = "{ version = '^2.1', source = 'pt' }";
    for (torch, source, want) in [
        // Only its own packages come from an explicit source.
        (routed, cu118("priority = 'explicit'"), "torch 2.7.1+cu118… pytorch/cu118"),
        ("'^2.1'", cu118("priority = 'explicit'"), "torch 2.15.0… pypi"),
        // A supplement is asked for what no other has.
        ("'^2.1'", cu118("priority = 'supplemental'"), "torch 2.15.0… pypi"),
        ("'2.1.0+cu118'", cu118("priority = 'supplemental'"), "torch 2.1.0+cu118 pytorch/cu118"),
        // Beside a primary source, PyPI is looked at by poetry 1 and not by poetry 2.
        ("'^2.1'", cu118(""), "torch ?"),
        ("'2.1.0'", cu118(""), "torch 2.1.0+cu118 pytorch/cu118"),
        ("'^2.1'", cu118("priority = 'default'"), "torch 2.7.1+cu118… pytorch/cu118"),
        ("'^2.1'", cu118("[[tool.poetry.source]]\nname = 'PyPI'\n"), "torch 2.15.0… pypi"),
        ("'^2.1'", source("https://wheels.example/simple", "priority = 'primary'"), "torch ?"),
    ] {
        assert_eq!(project(torch, &source), format!("pyproject.toml: {want}"), "{torch} {source}");
    }
}

#[test]
fn pip_builds_a_poetry_project_without_its_sources() {
    let text = "[tool.poetry.dependencies]\ntorch = { version = '2.1.0', source = 'pt', optional = true }\n[tool.poetry.extras]\nGPU = ['torch']\n\
        [tool.poetry.group.dev.dependencies]\ntorchvision = '*'\n[[tool.poetry.source]]\nname = 'pt'\nurl = 'https://download.pytorch.org/whl/cu118'\npriority = 'explicit'\n";
    check(
        &[("a.sh", "pip install '.[gpu]'\n"), ("pyproject.toml", text)],
        &[
            "a.sh: torch 2.1.0 pypi",
            "pyproject.toml: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0… pypi",
            "pyproject.toml[gpu]: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0… pypi",
        ],
    );
}

#[test]
fn groups_of_poetry_come_along_unless_they_are_optional() {
    let text = "[tool.poetry.dependencies]\nnumpy = '*'\n[tool.poetry.group.gpu.dependencies]\ntorch = '2.1.0'\n\
        [tool.poetry.group.old]\noptional = true\n[tool.poetry.group.old.dependencies]\ntorchvision = '0.16.0'\n";
    check(
        &[("pyproject.toml", text)],
        &["pyproject.toml: numpy ?, torch 2.1.0 pypi", "pyproject.toml{old}: numpy ?, torch 2.1.0 pypi, torchvision 0.16.0 pypi"],
    );
}

#[test]
fn pdm_takes_packages_from_their_source() {
    let text = "[project]\nname = 'x'\ndependencies = ['torch>=2.1', 'torchvision']\n[[tool.pdm.source]]\nname = 'pt'\n\
        url = 'https://download.pytorch.org/whl/cu118'\n";
    check(&[("pyproject.toml", text)], &["pyproject.toml: torch 2.15.0… pypi, torchvision 0.29.2… pypi"]);
    let included = format!("{text}include_packages = ['torch*']\n");
    check(
        &[("pyproject.toml", &included)],
        &["pyproject.toml: torch 2.7.1+cu118… pytorch/cu118, torchvision 0.22.1+cu118… pytorch/cu118"],
    );
}

#[test]
fn environments_of_hatch_stand_on_the_project() {
    let text = "[project]\nname = 'x'\ndependencies = ['torch==2.1.0']\n[project.optional-dependencies]\nv = ['torchvision==0.16.0']\n\
        [tool.hatch.envs.gpu]\nfeatures = ['v']\n[tool.hatch.envs.gpu.env-vars]\nPIP_EXTRA_INDEX_URL = 'https://download.pytorch.org/whl/cu118'\n\
        [tool.hatch.envs.lint]\ndetached = true\ndependencies = ['numpy']\n";
    check(
        &[("pyproject.toml", text)],
        &[
            "pyproject.toml: torch 2.1.0 pypi",
            "pyproject.toml:gpu: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0+cu118 pytorch/cu118",
            "pyproject.toml:lint: numpy ?",
            "pyproject.toml[v]: torch 2.1.0 pypi, torchvision 0.16.0 pypi",
        ],
    );
}

#[test]
fn each_row_of_a_matrix_of_hatch_is_an_environment() {
    let text = "[project]\nname = 'x'\ndependencies = ['numpy']\n[tool.hatch.envs.t]\nextra-dependencies = ['torch=={matrix:torch}']\n\
        [tool.hatch.envs.t.overrides]\nmatrix.cuda.dependencies = [{ value = 'torchvision', if = ['cu118'] }]\n\
        matrix.cuda.env-vars = [{ key = 'PIP_EXTRA_INDEX_URL', value = 'https://download.pytorch.org/whl/cu118', if = ['cu118'] }]\n\
        [[tool.hatch.envs.t.matrix]]\ntorch = ['2.1.0']\ncuda = ['cpu', 'cu118']\n";
    check(
        &[("pyproject.toml", text)],
        &[
            "pyproject.toml: numpy ?",
            "pyproject.toml:t.2.1.0-cpu: numpy ?, torch 2.1.0 pypi",
            "pyproject.toml:t.2.1.0-cu118: numpy ?, torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0+cu118… pytorch/cu118",
        ],
    );
}

#[test]
fn environments_of_pixi() {
    let text = "[workspace]\nchannels = ['conda-forge']\nplatforms = ['linux-64', 'win-64']\n[dependencies]\npython = '3.11.*'\n\
        [feature.gpu.system-requirements]\ncuda = '12'\n[feature.gpu.dependencies]\ncuda-toolkit = '==12.1.1'\n[feature.gpu.pypi-dependencies]\n\
        torch = { version = '==2.5.1', index = 'https://download.pytorch.org/whl/cu124' }\n\
        [feature.win.target.win-64.pypi-dependencies]\ntorch = '==2.1.0'\n\
        [environments]\ngpu = ['gpu']\nbare = { features = ['gpu'], no-default-feature = true }\nwin = ['win']\n";
    check(
        &[("pixi.toml", text)],
        &[
            "pixi.toml: conda:python ?",
            "pixi.toml:bare: conda:cuda-toolkit 12.1.1 conda/conda-forge, torch 2.5.1+cu124 pytorch/cu124",
            "pixi.toml:gpu: conda:cuda-toolkit 12.1.1 conda/conda-forge, conda:python ?, torch 2.5.1+cu124 pytorch/cu124",
            "pixi.toml:win: conda:python ?",
        ],
    );
}

#[test]
fn pixi_without_cuda_on_the_machine_takes_any_build() {
    let text = "[project]\nchannels = []\nplatforms = []\n[dependencies]\ncuda-toolkit = '==12.1.1'\npytorch = '==2.5.1'\n";
    // A toolkit is the same wherever it is installed.
    check(&[("pixi.toml", text)], &["pixi.toml: conda:cuda-toolkit 12.1.1 conda/conda-forge, conda:pytorch ?"]);
    let declared = format!("{text}[system-requirements]\ncuda = '12'\n");
    let found = environments(&[("pixi.toml", &declared)]);
    assert!(found[0].contains("conda:pytorch 2.5.1"), "{found:?}");
}

#[test]
fn pixi_in_a_project_installs_the_project() {
    let text = "[project]\nname = 'x'\ndependencies = ['torch==2.1.0']\n[project.optional-dependencies]\nv = ['torchvision==0.16.0']\n\
        [tool.pixi.workspace]\nchannels = []\nplatforms = ['linux-64']\n[tool.pixi.environments]\nv = ['v']\n";
    check(
        &[("pyproject.toml", text)],
        &[
            "pyproject.toml: torch 2.1.0 pypi",
            "pyproject.toml:default: torch 2.1.0 pypi",
            "pyproject.toml:v: torch 2.1.0 pypi, torchvision 0.16.0 pypi",
            "pyproject.toml[v]: torch 2.1.0 pypi, torchvision 0.16.0 pypi",
        ],
    );
}

#[test]
fn a_pipfile_looks_at_its_first_source_only() {
    let text = "[[source]]\nurl = 'https://pypi.example/simple'\nname = 'pypi'\n[[source]]\nurl = 'https://download.pytorch.org/whl/cu118'\nname = 'pt'\n\
        [packages]\ntorch = { version = '>=2.1', index = 'pt' }\ntorchvision = '==0.16.0'\n[dev-packages]\nnumpy = '*'\n";
    let found = environments(&[("Pipfile", text)]);
    assert!(found[0].starts_with("Pipfile: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0 pypi"), "{found:?}");
    assert!(found[1].starts_with("Pipfile{dev}: numpy ?"), "{found:?}");
}

#[test]
fn setuptools_takes_what_its_files_say() {
    let script = "from setuptools import setup\nextras = {'gpu': ['torchvision==0.16.0']}\nsetup(name='x', install_requires=['torch==2.1.0'], extras_require=extras)\n";
    let both = ["setup.py: torch 2.1.0 pypi", "setup.py[gpu]: torch 2.1.0 pypi, torchvision 0.16.0 pypi"];
    check(&[("setup.py", script)], &both);
    // A table of build requirements alone does not change that.
    check(&[("setup.py", script), ("pyproject.toml", "[build-system]\nrequires = ['setuptools']\n")], &both);
    check(
        &[("setup.py", script), ("a.sh", "pip install -e .[gpu]\n")],
        &[&["a.sh: torch 2.1.0 pypi, torchvision 0.16.0 pypi"], &both[..]].concat(),
    );
    // PEP 621's list takes its place.
    check(
        &[("setup.py", script), ("pyproject.toml", "[project]\nname = 'x'\ndependencies = ['torch==2.2.0']\n")],
        &["pyproject.toml: torch 2.2.0 pypi"],
    );
    check(
        &[("setup.cfg", "[options]\ninstall_requires = torch==2.1.0\n"), ("setup.py", "from setuptools import setup\nsetup()\n")],
        &["setup.cfg: torch 2.1.0 pypi"],
    );
}

#[test]
fn what_a_script_works_out_may_bound_anything() {
    let text = "setup(install_requires=['torchvision'] + find())\n";
    check(&[("setup.py", text)], &["setup.py: torch ?, torchvision ?"]);
    check(
        &[
            ("setup.py", "with open('requirements.txt') as f:\n    reqs = f.read().splitlines()\nsetup(install_requires=reqs)\n"),
            ("requirements.txt", "torch==2.1.0\n"),
            ("a.sh", "python setup.py develop\n"),
        ],
        &["a.sh: torch 2.1.0 pypi", "setup.py: torch 2.1.0 pypi"],
    );
}

#[test]
fn requirements_that_a_project_names() {
    check(
        &[
            (
                "pyproject.toml",
                "[project]\nname = 'x'\ndynamic = ['dependencies']\n[tool.setuptools.dynamic]\ndependencies = { file = ['deps.txt'] }\n",
            ),
            ("deps.txt", "torch==2.1.0\n"),
        ],
        &["pyproject.toml: torch 2.1.0 pypi"],
    );
    check(
        &[
            (
                "pyproject.toml",
                "[project]\nname = 'x'\ndynamic = ['dependencies']\n[tool.setuptools.dynamic]\ndependencies = { file = ['requirements.txt'] }\n",
            ),
            ("requirements.txt", "torch==2.1.0\n"),
        ],
        &["pyproject.toml: torch 2.1.0 pypi", "requirements.txt: torch 2.1.0 pypi"],
    );
}

#[test]
fn settings_of_uv() {
    let project = (
        "p/pyproject.toml",
        "[project]\nname = 'x'\ndependencies = ['torch>=2.1']\n[tool.uv]\nextra-index-url = ['https://download.pytorch.org/whl/cu121']\n",
    );
    check(&[project], &["p/pyproject.toml: torch 2.5.1+cu121… pytorch/cu121"]);
    // A file beside takes the table's place; one above holds for those without settings.
    let settings = "[[index]]\nurl = 'https://download.pytorch.org/whl/cu118'\n";
    check(&[project, ("p/uv.toml", settings)], &["p/pyproject.toml: torch 2.7.1+cu118… pytorch/cu118"]);
    check(&[project, ("uv.toml", settings)], &["p/pyproject.toml: torch 2.5.1+cu121… pytorch/cu121"]);
    let plain = ("p/pyproject.toml", "[project]\nname = 'x'\ndependencies = ['torch>=2.1']\n[tool.uv.sources]\n");
    check(
        &[plain, ("p/uv.lock", "version = 1\n"), ("uv.toml", settings)],
        &["p/pyproject.toml: torch 2.7.1+cu118… pytorch/cu118"],
    );
}

#[test]
fn settings_of_uv_pip() {
    let table = "[tool.uv.pip]\nextra-index-url = ['https://download.pytorch.org/whl/cu118']\n[tool.uv]\nconstraint-dependencies = ['torch<2.3']\n";
    check(
        &[("a.sh", "uv pip install torch\n"), ("b.sh", "pip install torch\n"), ("pyproject.toml", table)],
        &["a.sh: torch 2.2.2+cu118… pytorch/cu118", "b.sh: torch 2.15.0… pypi"],
    );
    check(
        &[("a.sh", "uv pip install torch==2.7.1\n"), ("uv.toml", "[pip]\ntorch-backend = 'cu118'\n")],
        &["a.sh: torch 2.7.1+cu118 pytorch/cu118"],
    );
}

#[test]
fn default_groups_of_uv() {
    let text = |defaults: &str| {
        format!(
            "[project]\nname = 'x'\n[dependency-groups]\ndev = ['torch==2.1.0']\ngpu = ['torchvision==0.16.0']\n[tool.uv]\n{defaults}"
        )
    };
    let first = |command: &str, defaults: &str| {
        environments(&[("a.sh", command), ("pyproject.toml", &text(defaults))]).first().cloned().unwrap_or_default()
    };
    assert_eq!(first("uv sync\n", ""), "a.sh: torch 2.1.0 pypi");
    assert_eq!(
        first("uv sync\n", "default-groups = ['gpu']\n"),
        "a.sh: torch 2.1.0… pypi, torchvision 0.16.0 pypi".replace('…', "")
    );
    assert_eq!(first("uv sync --no-group dev\n", "default-groups = 'all'\n"), "a.sh: torch 2.1.0 pypi, torchvision 0.16.0 pypi");
}

#[test]
fn scripts_with_metadata_have_environments_of_their_own() {
    let script = ("t.py", "# /// script\n# dependencies = ['torch==2.1.0']\n# ///\nimport torch\n");
    for command in ["uv run t.py --x", "uv run --script t.py", "uv run -q -s t.py"] {
        check(&[script, ("a.sh", &format!("{command}\n"))], &["a.sh: torch 2.1.0 pypi"]);
    }
    check(&[script, ("a.sh", "pipx run t.py\n")], &["a.sh: torch 2.1.0 pypi"]);
    let project = ("pyproject.toml", "[project]\nname = 'x'\ndependencies = ['torch==2.2.0']\n[tool.uv]\n");
    check(
        &[("t.py", "import torch\n"), ("a.sh", "uv run t.py\n"), project],
        &["a.sh: torch 2.2.0 pypi", "pyproject.toml: torch 2.2.0 pypi"],
    );
}

#[test]
fn the_python_beside_a_manifest() {
    check(
        &[("a/requirements.txt", "torch\n"), ("a/.python-version", "3.9.18\n"), ("requirements.txt", "torch\n")],
        &["a/requirements.txt: torch 2.8.0… pypi", "requirements.txt: torch 2.15.0… pypi"],
    );
}

#[test]
fn a_package_of_unknown_version_is_no_package_of_any_version() {
    // It may hold what is beside it to any version.
    check(&[("a.sh", "pip install torch==$V torchvision\n")], &["a.sh: torch ?, torchvision ?"]);
    check(&[("a.sh", "pip install torch$V torchvision==0.16.0\n")], &["a.sh: torch 2.1.0 pypi, torchvision 0.16.0 pypi"]);
}

const SAMPLES: &[(&str, &str)] = &[
    (
        "pyproject.toml",
        "\u{feff}[project]\r\nname = 'é'\ndependencies = ['torch==2.1.0']\ndynamic = ['x']\n[tool.poetry.dependencies]\ntorch = [{ version = '^2', source = 'p', python = '^3.8', platform = 'linux' }]\n\
         [[tool.poetry.source]]\nname = 'p'\nurl = 'u'\n[tool.poetry.group.g]\noptional = true\n[tool.pdm.resolution]\nexcludes = ['x']\n[[tool.pdm.source]]\nurl = 'u'\ninclude_packages = ['x']\n\
         [tool.hatch.envs.a]\ntemplate = 'b'\nfeatures = ['x']\nenv-vars.X = '1'\n[tool.setuptools.dynamic]\ndependencies = { file = ['a'] }\n[tool.uv.pip]\ntorch-backend = 'x'\n\
         [tool.pixi.feature.g.target.linux]\ndependencies = { x = { version = '1' } }\n[tool.pixi.environments]\ng = { features = ['g'], solve-group = 'd' }\n",
    ),
    (
        "pixi.toml",
        "[workspace]\nplatforms = [{ platform = 'linux-64', cuda = '12' }]\nchannels = ['中']\n[pypi-options]\nfind-links = [{ url = 'u' }]\n[pypi-dependencies]\nx = { path = '.' }\n",
    ),
    (
        "Pipfile",
        "[[source]]\nurl = 'u'\n[packages]\nx = { version = '==1', sys_platform = \"== 'linux'\", path = '中' }\n[requires]\npython_version = '3'\n",
    ),
    ("uv.toml", "[[index]]\nurl = 'u'\n[pip]\nno-deps = true\n[extra-build-dependencies]\nx = ['中']\n"),
    ("setup.cfg", "[options]\r\ninstall_requires =\r\n  torch; x\r\n  中 # c\r\n[options.extras_require]\na = file: b, c"),
    (
        "setup.py",
        "from x import setup\nwith open(\"r.txt\") as f:\n  r = [l for l in f]\nsetup(install_requires=r + ['中', f'a{b}'] , extras_require={'x': [\"\"\"\na\n\"\"\"]}, **k)\n",
    ),
    ("x.py", "# é\n# /// script\n# dependencies = ['torch', '中']\n# ///\n"),
    (".python-version", "# 中\n3.11.4\n"),
];

#[test]
fn half_typed_files_are_read() {
    for (path, text) in SAMPLES {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let text = &text[..end];
            let id = Sources::default().set("x", text);
            for format in FORMATS {
                // The configuration and the hosts are read elsewhere.
                let outline = read(format.kind, path, id, text);
                let places = outline.acts.iter().map(|act| act.at).chain(outline.torn.iter().map(|torn| torn.at));
                for at in places.chain(outline.ignores.iter().map(|ignore| ignore.at)) {
                    assert!(text.get(at.range()).is_some(), "{path} {end} {at:?}");
                }
            }
        }
    }
}

#[test]
fn hostile_manifests_end() {
    let many = |n: usize, of: &dyn Fn(usize) -> String| (0..n).map(of).collect::<String>();
    for (path, text) in [
        ("pixi.toml", format!("[environments]\n{}", many(20_000, &|n| format!("e{n} = ['f{n}']\n")))),
        (
            "pixi.toml",
            format!(
                "[workspace]\nplatforms = [{}]\n[dependencies]\n{}",
                "'linux-64',".repeat(5_000),
                many(5_000, &|n| format!("p{n} = '*'\n"))
            ),
        ),
        (
            "pyproject.toml",
            format!(
                "[tool.hatch.envs]\n{}",
                many(5_000, &|n| format!("e{n} = {{ template = 'e{}', dependencies = ['x'] }}\n", n + 1))
            ),
        ),
        (
            "pyproject.toml",
            format!(
                "[tool.poetry.dependencies]\nx = {{ version = '1', optional = true }}\n[tool.poetry.extras]\n{}",
                many(20_000, &|n| format!("e{n} = ['x']\n"))
            ),
        ),
        ("Pipfile", format!("[packages]\n{}", many(20_000, &|n| format!("p{n} = '*'\n")))),
        ("setup.py", format!("{}setup(install_requires=a)", many(20_000, &|n| format!("a{n} = a{}\n", n + 1)))),
        ("setup.cfg", "x".repeat(1_000_000)),
        (".python-version", "x".repeat(1_000_000)),
    ] {
        environments(&[(path, &text)]);
    }
    // Projects that bring each other.
    let folder = |a: &str| {
        format!("[project]\nname = 'x'\ndependencies = ['torch']\n[tool.poetry.dependencies]\ny = {{ path = '../{a}' }}\n")
    };
    environments(&[("a/pyproject.toml", &folder("b")), ("b/pyproject.toml", &folder("a"))]);
}

#[test]
fn uv_installs_the_member_that_it_is_told() {
    let root = "[project]\nname = 'r'\ndependencies = ['torchaudio==2.2.0']\n[tool.uv.workspace]\nmembers = ['packages/*']\n";
    let member = "[project]\nname = 'Its_own'\ndependencies = ['torch==2.2.0']\n[project.optional-dependencies]\nv = ['torchvision==0.17.0']\n";
    let said = |command: &str| {
        let files = [
            ("pyproject.toml", root),
            ("packages/a/pyproject.toml", member),
            ("other/pyproject.toml", "[project]\nname = 'other'\ndependencies = ['torch==2.3.0']\n"),
            ("a.sh", command),
        ];
        let all = environments(&files);
        all.iter().find_map(|line| line.strip_prefix("a.sh: ")).unwrap_or_default().to_owned()
    };
    assert_eq!(said("uv sync\n"), "torch 2.2.0 pypi, torchaudio 2.2.0 pypi");
    assert_eq!(said("uv sync --package its-own\n"), "torch 2.2.0 pypi");
    assert_eq!(said("uv sync --package its-own --extra v\n"), "torch 2.2.0 pypi, torchvision 0.17.0 pypi");
    assert_eq!(said("uv run --package r train.py\n"), "torch 2.2.0 pypi, torchaudio 2.2.0 pypi");
    // No member, and one that nobody knows.
    assert_eq!(said("uv sync --package other\n"), "");
    assert_eq!(said("uv sync --package nowhere\n"), "");
}

#[test]
fn what_a_workspace_sets_holds_for_its_members() {
    let root = "[project]\nname = 'r'\ndependencies = ['torchvision==0.21.0']\n\
        [tool.uv.workspace]\nmembers = ['packages/*']\nexclude = ['packages/x']\n[tool.uv.sources]\ntorch = { index = 'pt' }\n\
        [[tool.uv.index]]\nname = 'pt'\nurl = 'https://download.pytorch.org/whl/cu118'\nexplicit = true\n";
    let own = "[project]\nname = 'own'\ndependencies = ['torch==2.6.0']\n[tool.uv.sources]\ntorch = { index = 'own' }\n\
        [[tool.uv.index]]\nname = 'own'\nurl = 'https://download.pytorch.org/whl/cu126'\nexplicit = true\n";
    let bare = |name: &str| format!("[project]\nname = '{name}'\ndependencies = ['torch==2.6.0']\n");
    check(
        &[
            ("pyproject.toml", root),
            ("packages/a/pyproject.toml", &bare("a")),
            ("packages/own/pyproject.toml", own),
            ("packages/x/pyproject.toml", &bare("x")),
            ("packages/a/deeper/pyproject.toml", &bare("d")),
            ("packages/v/pyproject.toml", "[project]\nname = 'v'\ndependencies = ['torchvision']\n"),
        ],
        &[
            "packages/a/deeper/pyproject.toml: torch 2.6.0 pypi",
            "packages/a/pyproject.toml: torch 2.6.0+cu118 pytorch/cu118",
            "packages/own/pyproject.toml: torch 2.6.0+cu126 pytorch/cu126",
            "packages/v/pyproject.toml: torch 2.6.0+cu118 pytorch/cu118, torchvision 0.21.0 pypi",
            "packages/x/pyproject.toml: torch 2.6.0 pypi",
            "pyproject.toml: torch 2.6.0+cu118 pytorch/cu118, torchvision 0.21.0 pypi",
        ],
    );
}

#[test]
fn what_comes_from_a_folder_here_is_asked_for() {
    for (source, members) in [("workspace = true", "[tool.uv.workspace]\nmembers = ['core']\n"), ("path = 'core'", "")] {
        let root = format!(
            "[project]\nname = 'r'\ndependencies = ['torch==2.7.1', 'core[more]']\n[tool.uv.sources]\ncore = {{ {source} }}\n{members}"
        );
        let core = "[project]\nname = 'core'\ndependencies = ['torchvision==0.20.1']\n[project.optional-dependencies]\nmore = ['torchaudio==2.7.1']\n";
        let mut linter = Linter::new(Settings::default());
        linter.set("pyproject.toml", &root).expect("no configuration");
        linter.set("core/pyproject.toml", core).expect("no configuration");
        let said: Vec<_> = linter.report().diagnostics.into_iter().map(|d| d.message).collect();
        assert_eq!(said, ["torchvision 0.20.1 goes with torch==2.5.1, not with torch 2.7.1"], "{source}");
        assert!(linter.environments().any(|env| env.start.name == "pyproject.toml" && env.component("torchaudio").is_some()));
    }
}

#[test]
fn a_workspace_has_one_lock() {
    let root = "[project]\nname = 'r'\ndependencies = ['a']\n[tool.uv.workspace]\nmembers = ['a']\n";
    let lock = "version = 1\n[[package]]\nname = 'a'\nversion = '1'\nsource = { editable = 'a' }\ndependencies = [{ name = 'torch' }]\n\
        [[package]]\nname = 'torch'\nversion = '2.4.1'\nsource = { registry = 'https://download.pytorch.org/whl/cu118' }\n";
    check(
        &[
            ("pyproject.toml", root),
            ("uv.lock", lock),
            ("a/pyproject.toml", "[project]\nname = 'a'\ndependencies = ['torch>=2.0']\n"),
        ],
        &["a/pyproject.toml: torch 2.4.1+cu118 pytorch/cu118", "pyproject.toml: a ?, torch 2.4.1+cu118 pytorch/cu118"],
    );
}

#[test]
fn what_others_bring_takes_no_more_than_it_must() {
    let alone = |others: &[(&str, &str)], name: &str| {
        let files: Vec<_> = others.iter().copied().chain([("requirements.txt", "torch==2.6.0\n")]).collect();
        environments(&files).into_iter().find(|e| e.starts_with(&format!("{name}:"))).unwrap_or_default()
    };
    let workflow = |index: &str| {
        format!(
            "on: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install -r requirements.txt {index}\n"
        )
    };
    let file = "requirements.txt";
    let ci = ".github/workflows/ci.yml";
    let known = "requirements.txt: torch 2.6.0 pypi";
    assert_eq!(alone(&[(ci, &workflow(""))], file), known);
    // Tests run without a GPU elsewhere.
    assert_eq!(alone(&[(ci, &workflow("--extra-index-url https://download.pytorch.org/whl/cpu"))], file), known);
    assert_eq!(
        alone(&[(ci, &workflow("--extra-index-url https://download.pytorch.org/whl/cu118"))], file),
        "requirements.txt: torch ?"
    );
    // Other packages, and other folders.
    assert_eq!(alone(&[("environment.yml", "dependencies:\n- numpy=1.26\n- pip:\n  - -r requirements.txt\n")], file), known);
    assert_eq!(alone(&[("sub/.envrc", "export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cu118\n")], file), known);
    assert_eq!(
        alone(&[("environment.yml", "dependencies:\n- pytorch=2.1\n- pip:\n  - -r requirements.txt\n")], file),
        "requirements.txt: torch ?"
    );
}

#[test]
fn what_need_not_be_the_newest_is_not_known() {
    let project = |tables: &str| format!("[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch>=2.1\"]\n{tables}");
    let manifest = |tables: &str| environments(&[("pyproject.toml", project(tables).as_str())]).join("; ");
    assert!(manifest("[tool.uv]\n").contains('…'), "{}", manifest("[tool.uv]\n"));
    for tables in [
        "[tool.uv]\nexclude-newer = \"2025-01-01\"\n",
        "[tool.uv]\nexclude-newer-package = {torch = \"2025-01-01\"}\n",
        "[tool.uv]\nresolution = \"lowest-direct\"\n",
    ] {
        assert_eq!(manifest(tables), "pyproject.toml: torch ?", "{tables}");
    }
    for command in [
        "pip install torch --uploaded-prior-to 2025-01-01",
        "PIP_UPLOADED_PRIOR_TO=2025-01-01 pip install torch",
        "uv pip install --exclude-newer 2025-01-01 torch",
        "UV_EXCLUDE_NEWER=2025-01-01 uv pip install torch",
        "uv pip install --resolution lowest 'torch>=2.1'",
        "UV_RESOLUTION=lowest uv pip install 'torch>=2.1'",
    ] {
        assert_eq!(environments(&[("a.sh", command)]).join("; "), "a.sh: torch ?", "{command}");
    }
    assert!(environments(&[("a.sh", "uv pip install --resolution highest torch")])[0].contains('…'));
    let pixi = "[workspace]\nname = \"x\"\nchannels = [\"conda-forge\"]\nplatforms = [\"linux-64\"]\nexclude-newer = \"2025-01-01\"\n[pypi-dependencies]\ntorch = \"*\"\n";
    assert_eq!(environments(&[("pixi.toml", pixi)]).join("; "), "pixi.toml: torch ?");
}
