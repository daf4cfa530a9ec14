//! From locks to environments: which version a start has, alone, beside its manifest, and through a command.

mod rendered;

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use rendered::{check, environments, line};

const POETRY: &str = "[[package]]\nname = \"torch\"\nversion = \"2.1.0+cu118\"\noptional = false\ngroups = [\"main\"]\n[package.source]\n\
    type = \"legacy\"\nurl = \"https://download.pytorch.org/whl/cu118\"\nreference = \"pt\"\n\
    [[package]]\nname = \"torchvision\"\nversion = \"0.16.0\"\noptional = true\n[extras]\nvision = [\"torchvision\"]\n\
    [metadata]\npython-versions = \">=3.10,<3.12\"\n";

#[test]
fn poetry() {
    check(
        &[("poetry.lock", POETRY)],
        &[
            "poetry.lock: torch 2.1.0+cu118 pytorch/cu118",
            "poetry.lock[vision]: torch 2.1.0+cu118 pytorch/cu118, torchvision 0.16.0 pypi",
        ],
    );
    let project = ("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch>=2\"]\n");
    check(&[project, ("poetry.lock", POETRY)], &["pyproject.toml: torch 2.1.0+cu118 pytorch/cu118"]);
    // A lock that is not this manifest's any more says nothing.
    let newer = ("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch>=2.3\"]\n");
    check(&[newer, ("poetry.lock", POETRY)], &["pyproject.toml: torch ?"]);
}

#[test]
fn a_lock_that_its_manifest_has_overtaken_holds_nothing() {
    let project = |wants: &str| {
        format!("[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.12\"\ndependencies = [{wants}]\n")
    };
    let lock = "version = 1\n[[package]]\nname = \"x\"\nversion = \"1\"\nsource = { editable = \".\" }\n\
        dependencies = [{ name = \"torch\" }, { name = \"vllm\" }]\n[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\n\
        [[package]]\nname = \"vllm\"\nversion = \"0.8.5\"\n";
    let torch = |wants: &str| {
        let lines = environments(&[("pyproject.toml", &project(wants)), ("uv.lock", lock)]);
        lines.iter().any(|line| line.contains("torch 2.6.0"))
    };
    assert!(torch("\"vllm==0.8.5\"") && torch("\"vllm>=0.8\", \"torch\""));
    // What is not of the chain may be newer.
    assert!(torch("\"vllm\", \"fastapi==0.128.0\""));
    assert!(!torch("\"vllm==0.13.0\"") && !torch("\"vllm\", \"xformers\""));
}

#[test]
fn of_several_versions_it_is_one() {
    let two = POETRY.to_owned() + "[[package]]\nname = \"torch\"\nversion = \"2.1.0\"\noptional = false\n";
    check(&[("poetry.lock", &two)], &["poetry.lock: torch ?2", "poetry.lock[vision]: torch ?2, torchvision 0.16.0 pypi"]);
    let told = two.replace("version = \"2.1.0\"\n", "version = \"2.1.0\"\nmarkers = \"sys_platform == 'darwin'\"\n");
    assert_eq!(environments(&[("poetry.lock", &told)])[0], "poetry.lock: torch 2.1.0+cu118 pytorch/cu118");
}

#[test]
fn pdm() {
    let lock =
        "[metadata]\ngroups = [\"default\", \"gpu\"]\n[[package]]\nname = \"torch\"\nversion = \"2.1.0\"\ngroups = [\"gpu\"]\n";
    let project = "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"numpy\"]\n[project.optional-dependencies]\ngpu = [\"torch>=2\"]\n";
    // The lock was made for the extra, too, or does not say for what.
    check(&[("pyproject.toml", project), ("pdm.lock", lock)], &["pyproject.toml: numpy ?, torch 2.1.0 pypi"]);
    check(
        &[("pyproject.toml", project), ("pdm.lock", &lock.replace("\"default\", \"gpu\"]\n[[", "]\n[["))],
        &["pyproject.toml: numpy ?", "pyproject.toml[gpu]: numpy ?, torch 2.1.0 pypi"],
    );
    check(&[("pdm.lock", lock)], &["pdm.lock: ", "pdm.lock{gpu}: torch 2.1.0 pypi"]);
}

#[test]
fn pipenv() {
    let lock = "{\"_meta\": {\"requires\": {\"python_version\": \"3.10\"}, \"sources\": [{\"name\": \"pypi\", \"url\": \"https://pypi.example/simple\"}, \
        {\"name\": \"pt\", \"url\": \"https://download.pytorch.org/whl/cu118\"}]},\n\"default\": {\"torch\": {\"index\": \"pt\", \"markers\": \"python_version >= '3.8'\", \"version\": \"==2.1.0+cu118\"}},\n\
        \"develop\": {\"torchvision\": {\"version\": \"==0.16.0\"}}}";
    check(
        &[("Pipfile.lock", lock)],
        &["Pipfile.lock: torch 2.1.0+cu118 pytorch/cu118", "Pipfile.lock{dev}: torch 2.1.0+cu118 pytorch/cu118, torchvision ?"],
    );
}

#[test]
fn what_only_an_extra_of_a_pylock_brings_comes_with_it() {
    let package = |name: &str, version: &str, marker: &str| {
        format!("[[packages]]\nname = \"{name}\"\nversion = \"{version}\"\nmarker = \"{marker}\"\n")
    };
    let lock = "lock-version = \"1.0\"\nextras = [\"vision\"]\ndefault-groups = [\"main\"]\n".to_owned()
        + &package("torch", "2.1.0", "'main' in dependency_groups")
        + &package("torchvision", "0.16.0", "'vision' in extras")
        + &package("torchaudio", "2.1.0", "'audio' in dependency_groups");
    let own = [
        "pylock.toml: torch 2.1.0 pypi",
        "pylock.toml[vision]: torch 2.1.0 pypi, torchvision 0.16.0 pypi",
        "pylock.toml{audio}: torch 2.1.0 pypi, torchaudio 2.1.0 pypi",
    ];
    let mut found = environments(&[("pylock.toml", &lock)]);
    found.sort();
    assert_eq!(found, own);
    check(&[("pylock.toml", &lock), ("setup.sh", "pip install -r pylock.toml\n")], &["setup.sh: torch 2.1.0 pypi"]);
}

#[test]
fn pylock() {
    let lock = "lock-version = \"1.0\"\n[[packages]]\nname = \"torch\"\nversion = \"2.6.0+cu124\"\nindex = \"https://download.pytorch.org/whl/cu124\"\n";
    check(&[("pylock.toml", lock)], &["pylock.toml: torch 2.6.0+cu124 pytorch/cu124"]);
    check(
        &[("pylock.gpu.toml", lock), ("setup.sh", "pip install -r pylock.gpu.toml\n")],
        &["setup.sh: torch 2.6.0+cu124 pytorch/cu124"],
    );
}

const PIXI: &str = "version: 6\nenvironments:\n  default:\n    channels:\n    - url: https://conda.anaconda.org/conda-forge/\n    packages:\n      linux-64:\n\
    \x20     - conda: https://conda.anaconda.org/conda-forge/linux-64/python-3.11.9-h0_0_cpython.conda\n\
    \x20     - conda: https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.7.1-cpu_generic_py311_h0_0.conda\n\
    \x20     win-64:\n      - conda: https://conda.anaconda.org/conda-forge/win-64/pytorch-2.7.0-cuda126_py311_h0_0.conda\n\
    \x20 gpu:\n    packages:\n      linux-64:\n      - conda: https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.7.1-cuda126_mkl_py311_h0_0.conda\n\
    \x20     - pypi: https://download.pytorch.org/whl/cu126/torchvision-0.22.1%2Bcu126-cp311-cp311-linux_x86_64.whl\npackages: []\n";

#[test]
fn pixi() {
    check(
        &[("pixi.lock", PIXI)],
        &[
            "pixi.lock: conda:python ?, conda:pytorch 2.7.1 cpu conda/conda-forge",
            "pixi.lock:gpu: conda:pytorch 2.7.1 cu126 conda/conda-forge, torchvision 0.22.1+cu126 url",
        ],
    );
}

#[test]
fn conda_lock() {
    let lock = "version: 1\npackage:\n- name: cudatoolkit\n  version: 11.3.1\n  manager: conda\n  platform: linux-64\n\
        \x20 url: https://conda.anaconda.org/conda-forge/linux-64/cudatoolkit-11.3.1-h0_0.tar.bz2\n  category: main\n\
        - name: torch\n  version: 2.1.0\n  manager: pip\n  platform: linux-64\n  url: https://e.org/torch-2.1.0-cp310-cp310-manylinux1_x86_64.whl\n  category: main\n";
    check(&[("conda-lock.yml", lock)], &["conda-lock.yml: conda:cudatoolkit 11.3.1 conda/conda-forge, torch 2.1.0 url"]);
}

#[test]
fn conda_lock_is_installed_into_its_environment() {
    let lock = "version: 1\npackage:\n- name: pytorch\n  version: 2.1.0\n  manager: conda\n  platform: linux-64\n\
        \x20 url: https://conda.anaconda.org/pytorch/linux-64/pytorch-2.1.0-py3.10_cuda11.8_cudnn8.7.0_0.tar.bz2\n  category: gpu\n";
    let of = |command: &str| {
        environments(&[("gpu.conda-lock.yml", lock), ("a.sh", &format!("{command}\npip install torch==2.2.0\n"))])
    };
    assert_eq!(of("conda-lock install -n x -E gpu gpu.conda-lock.yml")[1], "a.sh: conda:pytorch 2.1.0 cu118 conda/pytorch");
    assert_eq!(of("conda-lock install -n x gpu.conda-lock.yml")[0], "a.sh: torch 2.2.0 pypi");
    assert_eq!(of("uv sync")[0], "a.sh: torch 2.2.0 pypi");
}

#[test]
fn an_upgrade_does_not_keep_to_the_lock() {
    let project = ("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch>=2\"]\n");
    let lock = (
        "uv.lock",
        "version = 1\n[[package]]\nname = \"torch\"\nversion = \"2.1.0\"\nsource = { registry = \"https://pypi.example/simple\" }\n",
    );
    let of = |command: &str| environments(&[project, lock, ("a.sh", command)])[0].clone();
    assert_eq!(of("uv sync\n"), "a.sh: torch 2.1.0 pypi");
    assert!(of("uv sync --upgrade\n").starts_with("a.sh: torch ?"), "{}", of("uv sync --upgrade\n"));
}

#[test]
fn conda_s_own_lists() {
    let explicit = "# platform: linux-64\n@EXPLICIT\nhttps://conda.anaconda.org/pytorch/linux-64/pytorch-2.1.0-py3.10_cuda11.8_cudnn8.7.0_0.tar.bz2#0123\n";
    let pytorch = "conda:pytorch 2.1.0 cu118 conda/pytorch";
    check(&[("requirements.txt", explicit)], &[&format!("requirements.txt: {pytorch}")]);
    let export = "pytorch=2.1.0=py3.10_cuda11.8_cudnn8.7.0_0\nnumpy=1.26.4=py310h0_0\ntorchvision=0.16.0=pypi_0\n";
    check(&[("requirements.txt", export)], &["requirements.txt: conda:numpy ?, conda:pytorch 2.1.0 cu118 conda/conda-forge"]);
    check(
        &[("conda-linux-64.lock", explicit), ("setup.sh", "conda create -n x --file conda-linux-64.lock\n")],
        &[&format!("setup.sh: {pytorch}")],
    );
}

#[test]
fn pdm_installs_the_parts_that_its_lock_was_made_for() {
    let project = "[project]\nname = \"x\"\ndependencies = [\"torch\"]\n[project.optional-dependencies]\ngpu = [\"torchvision\"]\n\
        [dependency-groups]\nsound = [\"torchaudio\"]\n";
    let lock = |groups: &str| {
        let package = |name: &str, version: &str, group: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ngroups = [\"{group}\"]\n")
        };
        let packages = [("torch", "2.1.0", "default"), ("torchvision", "0.16.0", "gpu"), ("torchaudio", "2.1.0", "sound")];
        let packages: String = packages.map(|(name, version, group)| package(name, version, group)).concat();
        format!("[metadata]\n{groups}lock_version = \"4.5.0\"\n{packages}")
    };
    let said = |groups: &str, command: &str| {
        let text = lock(groups);
        let all = environments(&[("pyproject.toml", project), ("pdm.lock", &text), ("a.sh", command)]);
        let own = all.iter().find_map(|line| line.strip_prefix("a.sh: ")).unwrap_or_default();
        own.replace(" pypi", "")
    };
    let all = "groups = [\"default\", \"gpu\", \"sound\"]\n";
    let (torch, vision, audio) = ("torch 2.1.0", "torchvision 0.16.0", "torchaudio 2.1.0");
    assert_eq!(said(all, "pdm install\n"), format!("{torch}, {audio}, {vision}"));
    assert_eq!(said("groups = [\"default\", \"gpu\"]\n", "pdm sync\n"), format!("{torch}, {vision}"));
    assert_eq!(said("", "pdm install\n"), format!("{torch}, {audio}"), "an old lock does not say it");
    assert_eq!(said(all, "pdm install -d\n"), format!("{torch}, {audio}"));
    assert_eq!(said(all, "pdm install --prod\n"), torch);
    assert_eq!(said(all, "pdm install --without sound\n"), format!("{torch}, {vision}"));
    // The project by itself is what `pdm install` makes of it.
    let text = lock(all);
    check(
        &[("pyproject.toml", project), ("pdm.lock", &text)],
        &[&format!("pyproject.toml: {torch} pypi, {audio} pypi, {vision} pypi")],
    );
}

#[test]
fn commands_install_from_the_lock_beside_the_manifest() {
    let project = ("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch>=2\"]\n");
    let torch = "torch 2.1.0+cu118 pytorch/cu118";
    let dockerfile = "FROM python:3.11\nRUN poetry config virtualenvs.create false\nWORKDIR /app\nCOPY pyproject.toml poetry.lock* ./\nRUN poetry install --no-root -E vision\n";
    check(
        &[project, ("poetry.lock", POETRY), ("Dockerfile", dockerfile)],
        &[&format!("Dockerfile: <python:3.11> {torch}, torchvision 0.16.0 pypi"), &format!("pyproject.toml: {torch}")],
    );
    // Without its lock, or with another one, the newest comes: which that is, the day decides.
    for changed in
        [dockerfile.replace(" poetry.lock*", ""), dockerfile.replace("RUN poetry install", "RUN poetry lock && poetry install")]
    {
        let found = environments(&[project, ("poetry.lock", POETRY), ("Dockerfile", &changed)]);
        assert!(found[0].starts_with("Dockerfile: <python:3.11> torch ?"), "{changed}: {found:?}");
    }
    check(
        &[("pixi.lock", PIXI), ("a.sh", "pixi run -e gpu train\n")],
        &[
            "a.sh: conda:pytorch 2.7.1 cu126 conda/conda-forge, torchvision 0.22.1+cu126 url",
            "pixi.lock: conda:python ?, conda:pytorch 2.7.1 cpu conda/conda-forge",
            "pixi.lock:gpu: conda:pytorch 2.7.1 cu126 conda/conda-forge, torchvision 0.22.1+cu126 url",
        ],
    );
}

#[test]
fn a_project_s_own_environment_is_not_the_system_s() {
    let lock = ("poetry.lock", POETRY);
    let of_script = |text: &str| -> Vec<String> {
        let all = environments(&[lock, ("a.sh", text)]);
        all.into_iter().filter(|line| line.starts_with("a.sh")).collect()
    };
    let apart = of_script("poetry install\npip install torch==2.2.0\n");
    assert_eq!(apart, ["a.sh: torch 2.2.0 pypi", "a.sh: torch 2.1.0+cu118 pytorch/cu118"]);
    let inside = of_script("poetry install\npoetry run pip install torch==2.2.0\n");
    assert_eq!(inside, ["a.sh: torch 2.2.0 pypi"]);
    let path = "FROM python:3.11\nWORKDIR /app\nENV PATH=/app/.venv/bin:$PATH\nCOPY . .\nRUN poetry install && pip install torch==2.2.0\n";
    assert_eq!(environments(&[lock, ("Dockerfile", path)])[0], "Dockerfile: <python:3.11> torch 2.2.0 pypi");
}

#[test]
fn a_configuration_that_is_copied_holds() {
    let conf = ("docker/pip.conf", "[global]\nextra-index-url = https://download.pytorch.org/whl/cu118\n");
    for place in ["/etc/pip.conf", "/root/.config/pip/", "/root/.pip/pip.conf"] {
        let text = format!(
            "FROM python:3.11\nCOPY docker/pip.conf {place}\nRUN pip install torch==2.6.0\nRUN pip install torch==2.1.0\n"
        );
        let found = environments(&[conf, ("Dockerfile", &text)]);
        assert_eq!(found[0], "Dockerfile: <python:3.11> torch 2.1.0+cu118 pytorch/cu118", "{place}");
    }
    let by = |text: &str| environments(&[conf, ("Dockerfile", text)])[0].clone();
    let named = "FROM python:3.11\nCOPY docker/pip.conf /x.conf\nENV PIP_CONFIG_FILE=/x.conf\nRUN pip install torch==2.1.0\n";
    assert_eq!(by(named), "Dockerfile: <python:3.11> torch 2.1.0+cu118 pytorch/cu118");
    // A variable goes before; another user's file may hold or not.
    let variable = "FROM python:3.11\nCOPY docker/pip.conf /etc/pip.conf\nENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cu121\nRUN pip install torch==2.1.0\n";
    assert_eq!(by(variable), "Dockerfile: <python:3.11> torch 2.1.0+cu121 pytorch/cu121");
    let home = "FROM python:3.11\nCOPY docker/pip.conf /home/me/.pip/pip.conf\nRUN pip install torch==2.1.0\n";
    assert_eq!(by(home), "Dockerfile: <python:3.11> torch ?");
}

#[test]
fn a_configuration_that_nobody_copies_is_never_a_reason() {
    let torch = ("requirements.txt", "torch==2.1.0\n");
    check(&[torch, ("pip.conf", "[global]\ntimeout = 60\n")], &["requirements.txt: torch 2.1.0 pypi"]);
    let found = environments(&[torch, ("pip.conf", "[global]\nindex-url = https://wheels.example/simple\n")]);
    assert!(found[0].starts_with("requirements.txt: torch ?"), "{found:?}");
}

#[test]
fn pins_of_conda_s_configuration() {
    let text = "FROM python:3.11\nCOPY .condarc /opt/conda/.condarc\nRUN conda install cudatoolkit\n";
    check(
        &[(".condarc", "pinned_packages: [cudatoolkit=11.3.1]\n"), ("Dockerfile", text)],
        &["Dockerfile: <python:3.11> conda:cudatoolkit 11.3.1 conda/conda-forge"],
    );
}

#[test]
fn variables_of_a_compose_file_s_folder() {
    let env = ("deploy/.env", "CUDA=11.8.0 # ours\nTORCH='2.1.0'\n");
    let image = "services:\n  a:\n    image: nvidia/cuda:${CUDA:-12.4.1}-base-ubuntu22.04\n    env_file: [run.env]\n";
    let run = ("deploy/run.env", "NVIDIA_REQUIRE_CUDA=cuda>=${CUDA}\n");
    let mut linter = Linter::new(Settings::default());
    for (path, text) in [("deploy/compose.yml", image), env, run] {
        linter.set(path, text).expect("no configuration");
    }
    assert!(linter.wants().is_empty());
    linter.report();
    let found: Vec<_> = linter.environments().map(line).collect();
    assert_eq!(found, ["deploy/compose.yml:a: <nvidia/cuda:11.8.0-base-ubuntu22.04> "]);
    let setting = linter.environments().find_map(|e| e.variables.get("NVIDIA_REQUIRE_CUDA")).expect("the variable");
    assert_eq!(linter.sources().slice(setting.evidence.at), "NVIDIA_REQUIRE_CUDA=cuda>=${CUDA}");
    let built = "services:\n  a:\n    build: {context: ., args: {TORCH: \"${TORCH}\"}}\n";
    check(
        &[
            ("deploy/compose.yml", built),
            env,
            ("deploy/Dockerfile", "FROM python:3.11\nARG TORCH=2.6.0\nRUN pip install torch==${TORCH}\n"),
        ],
        &["deploy/Dockerfile: <python:3.11> torch 2.1.0 pypi"],
    );
    // A file that is not given may say anything.
    let (mut bare, mut told) = (Linter::new(Settings::default()), Vec::new());
    bare.set("compose.yml", "services:\n  a:\n    image: x\n    env_file: .env\n").expect("no configuration");
    bare.report();
    told.extend(bare.wants());
    assert!(told.contains(&".env".to_owned()));
}

#[test]
fn a_manifest_of_its_own_tool_takes_its_lock() {
    // What a condition says that cannot be put into words, the lock says.
    let poetry = ("pyproject.toml", "[tool.poetry]\nname = \"x\"\n[tool.poetry.dependencies]\ntorch = \"2.0.1 || ^2.1\"\n");
    check(&[poetry, ("poetry.lock", POETRY)], &["pyproject.toml: torch 2.1.0+cu118 pytorch/cu118"]);
    let pipfile =
        ("Pipfile", "[[source]]\nname = \"pt\"\nurl = \"https://download.pytorch.org/whl/cu118\"\n[packages]\ntorch = \"*\"\n");
    let lock = "{\"_meta\": {\"sources\": [{\"name\": \"pt\", \"url\": \"https://download.pytorch.org/whl/cu118\"}]},\n\
        \"default\": {\"torch\": {\"index\": \"pt\", \"version\": \"==2.1.0+cu118\"}}}";
    check(
        &[pipfile, ("Pipfile.lock", lock), ("a.sh", "pipenv sync\n")],
        &["Pipfile: torch 2.1.0+cu118 pytorch/cu118", "a.sh: torch 2.1.0+cu118 pytorch/cu118"],
    );
    // Without the machine's CUDA pixi takes any build; the lock says which.
    let pixi = "[workspace]\nchannels = [\"conda-forge\"]\nplatforms = [\"linux-64\"]\n[dependencies]\npython = \"3.11.*\"\n\
        pytorch = \"*\"\n[feature.gpu.pypi-dependencies]\ntorchvision = \"*\"\n[environments]\ngpu = [\"gpu\"]\n";
    let of = |command: &str| environments(&[("pixi.toml", pixi), ("pixi.lock", PIXI), ("a.sh", command)]);
    let (cpu, gpu) = (
        "conda:python ?, conda:pytorch 2.7.1 cpu conda/conda-forge",
        "conda:python ?, conda:pytorch 2.7.1 cu126 conda/conda-forge, torchvision 0.22.1+cu126 url",
    );
    assert_eq!(of("pixi install\n")[0], format!("a.sh: {cpu}"));
    assert_eq!(
        of("pixi run -e gpu train\n"),
        [format!("a.sh: {gpu}"), format!("pixi.toml: {cpu}"), format!("pixi.toml:gpu: {gpu}")]
    );
}
