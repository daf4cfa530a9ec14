//! From files to environments: links, exclusive worlds, the order of steps, what is there in the end.

mod rendered;

use cudalint::environment::Effect;
use cudalint::linter::Linter;
use cudalint::settings::Settings;
use rendered::{check, environments};

#[test]
fn a_dockerfile_installs_what_it_copied() {
    check(
        &[
            (
                "docker/Dockerfile",
                "FROM python:3.11\nARG REQ=requirements\nWORKDIR /app\nCOPY reqs/${REQ}.txt ./r.txt\nRUN cd /tmp && pip install -r /app/r.txt\nRUN pip install -r r.txt\n",
            ),
            ("reqs/requirements.txt", "torch==2.1.0\n"),
        ],
        &["docker/Dockerfile: <python:3.11> torch 2.1.0 pypi"],
    );
}

#[test]
fn a_directory_is_given_back_at_the_end_of_a_run() {
    check(
        &[
            (
                "Dockerfile",
                "FROM debian\nCOPY . /src\nWORKDIR /src\nRUN cd sub && export A=1\nRUN pip install -r requirements.txt\n",
            ),
            ("requirements.txt", "torch==2.1.0\n"),
            ("sub/requirements.txt", "torch==2.2.0\n"),
        ],
        &["Dockerfile: <debian> torch 2.1.0 pypi", "sub/requirements.txt: torch 2.2.0 pypi"],
    );
}

#[test]
fn a_stage_stands_on_another_and_copies_from_a_third() {
    check(
        &[(
            "Dockerfile",
            "FROM python:3.11 AS base\nENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cu121\n\
             FROM base AS build\nRUN python -m venv /venv && /venv/bin/pip install torch==2.3.1\n\
             FROM python:3.11-slim AS run\nCOPY --from=build /venv /venv\n",
        )],
        &[
            "Dockerfile:base: <python:3.11> ",
            "Dockerfile:build: <python:3.11> torch 2.3.1+cu121 pytorch/cu121",
            "Dockerfile:run: <python:3.11-slim> torch 2.3.1+cu121 pytorch/cu121",
        ],
    );
}

#[test]
fn a_compose_file_gives_context_and_arguments() {
    check(
        &[
            (
                "docker-compose.yml",
                "services:\n  a:\n    build:\n      context: .\n      dockerfile: docker/Dockerfile\n      args: {TORCH: 2.2.0}\n",
            ),
            ("docker/Dockerfile", "ARG TORCH=2.1.0\nFROM python:3.11\nARG TORCH\nRUN pip install torch==${TORCH}\n"),
        ],
        &["docker/Dockerfile: <python:3.11> torch 2.2.0 pypi"],
    );
}

#[test]
fn a_dockerfile_may_stand_in_a_compose_file() {
    check(
        &[
            (
                "docker-compose.yml",
                "services:\n  a:\n    build:\n      context: sub\n      args: {V: 2.2.0}\n      dockerfile_inline: |\n        \
                 FROM python:3.11\n        ARG V=2.1.0\n        COPY r.txt ./\n        RUN pip install torch==$$V -r r.txt\n\
                 \x20 b:\n    build:\n      dockerfile_inline: \"FROM python:3.12\\nRUN pip install \\\"torch==2.3.0\\\"\\n\"\n\
                 \x20 c:\n    build:\n      dockerfile_inline: |\n        FROM python:$V\n        RUN pip install torch==$W\n",
            ),
            ("sub/r.txt", "torchvision==0.17.0\n"),
        ],
        &[
            "docker-compose.yml[a]: <python:3.11> torch 2.2.0 pypi, torchvision 0.17.0 pypi",
            "docker-compose.yml[b]: <python:3.12> torch 2.3.0 pypi",
            "docker-compose.yml[c]: <> torch ?",
        ],
    );
}

#[test]
fn a_file_that_is_changed_on_the_way_is_not_known() {
    check(
        &[
            ("Dockerfile", "FROM x\nCOPY requirements.txt /r.txt\nRUN sed -i /torch/d /r.txt && pip install -r /r.txt\n"),
            ("requirements.txt", "torch==2.1.0\n"),
        ],
        &["Dockerfile: <x> "],
    );
    check(
        &[
            ("a.sh", "cd sub; sed -i /torch/d requirements.txt\npip install -r requirements.txt\n"),
            ("sub/requirements.txt", "torch==2.1.0\n"),
        ],
        &["a.sh: "],
    );
}

#[test]
fn arms_of_a_branch_are_worlds() {
    check(
        &[(
            "install.sh",
            "if [ \"$CUDA\" = 11 ]; then\n  pip install torch==2.1.0+cu118 --index-url https://download.pytorch.org/whl/cu118\nelse\n  pip install torch==2.3.0\nfi\n",
        )],
        &["install.sh: torch 2.1.0+cu118 pytorch/cu118", "install.sh?branch 2: torch 2.3.0 pypi", "install.sh?branch 3: "],
    );
}

#[test]
fn extras_are_worlds_and_a_command_joins_them() {
    let project = (
        "pyproject.toml",
        "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"numpy\"]\n[project.optional-dependencies]\na = [\"torch==2.1.0\"]\nb = [\"torchvision==0.16.0\"]\n",
    );
    check(
        &[project],
        &[
            "pyproject.toml: numpy ?",
            "pyproject.toml[a]: numpy ?, torch 2.1.0 pypi",
            "pyproject.toml[b]: numpy ?, torch 2.1.0 pypi, torchvision 0.16.0 pypi",
        ],
    );
    let joined = environments(&[project, ("setup.sh", "pip install -e '.[a,b]'\n")]);
    assert_eq!(joined.last().map(String::as_str), Some("setup.sh: numpy ?, torch 2.1.0 pypi, torchvision 0.16.0 pypi"));
}

#[test]
fn markers_split_the_pythons() {
    check(
        &[(
            "requirements.txt",
            "torch==1.13.1; python_version < '3.8'\ntorch==2.1.0; python_version >= '3.8'\ntorch==1.0.0; sys_platform == 'darwin'\n",
        )],
        &["requirements.txt: torch 2.1.0 pypi", "requirements.txt: torch 1.13.1 pypi"],
    );
}

#[test]
fn the_python_of_an_environment_bounds_the_newest_build() {
    check(
        &[("environment.yml", "channels: [conda-forge]\ndependencies:\n  - python=3.9\n  - pip:\n    - torch\n")],
        &["environment.yml: conda:python ?, torch 2.8.0… pypi"],
    );
    check(
        &[(
            "pyproject.toml",
            "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.8,<3.9\"\ndependencies = [\"torch\"]\n",
        )],
        &["pyproject.toml: torch 2.4.1… pypi"],
    );
}

#[test]
fn pip_takes_the_highest_and_uv_the_first_index() {
    let index = "--extra-index-url https://download.pytorch.org/whl/cu118";
    check(
        &[
            ("a.sh", &format!("pip install torch {index}\n")),
            ("b.sh", &format!("uv pip install torch {index}\n")),
            ("c.sh", &format!("pip install torch==2.1.0 {index}\n")),
        ],
        &["a.sh: torch 2.15.0… pypi", "b.sh: torch 2.7.1+cu118… pytorch/cu118", "c.sh: torch 2.1.0+cu118 pytorch/cu118"],
    );
    check(&[("d.sh", "pip install torch --extra-index-url https://wheels.example/simple\n")], &["d.sh: torch ?"]);
}

#[test]
fn uv_routes_a_package_to_its_index() {
    check(
        &[(
            "pyproject.toml",
            "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch>=2.6\", \"torchvision\"]\n[tool.uv.sources]\ntorch = { index = \"pt\" }\n\
             [[tool.uv.index]]\nname = \"pt\"\nurl = \"https://download.pytorch.org/whl/cu124\"\nexplicit = true\n",
        )],
        &["pyproject.toml: torch 2.6.0+cu124 pytorch/cu124, torchvision 0.21.0… pypi"],
    );
}

#[test]
fn a_lock_decides() {
    check(
        &[
            ("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch>=2\"]\n"),
            (
                "uv.lock",
                "version = 1\n[[package]]\nname = \"torch\"\nversion = \"2.5.1+cu121\"\nsource = { registry = \"https://download.pytorch.org/whl/cu121\" }\n",
            ),
        ],
        &["pyproject.toml: torch 2.5.1+cu121 pytorch/cu121"],
    );
}

#[test]
fn prefixes_are_apart() {
    check(
        &[(
            "setup.sh",
            "conda create -n a python=3.10\nconda create -n b python=3.10\nconda activate a\npip install torch==2.1.0\nconda run -n b pip install torch==2.2.0\n",
        )],
        &["setup.sh: conda:python ?, torch 2.1.0 pypi", "setup.sh: conda:python ?, torch 2.2.0 pypi"],
    );
}

#[test]
fn matrix_rows_are_worlds() {
    check(
        &[(
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        torch: ['2.1.0', '2.2.0']\n    steps:\n      - run: pip install torch==${{ matrix.torch }}\n",
        )],
        &[".github/workflows/ci.yml:t: torch 2.1.0 pypi", ".github/workflows/ci.yml:t?row 2: torch 2.2.0 pypi"],
    );
}

#[test]
fn the_order_of_steps_counts() {
    let effects = |text: &str| {
        let mut linter = Linter::new(Settings::default());
        linter.set("s.sh", text).expect("no configuration");
        linter.report();
        let changes: Vec<String> = linter
            .environments()
            .flat_map(|e| &e.steps)
            .flat_map(|s| &s.changes)
            .filter(|c| c.package == "torch")
            .map(|c| match &c.effect {
                Effect::Keeps => "keeps".to_owned(),
                Effect::Replaces { from, to, holds } => format!("{from} -> {to} {holds:?}"),
                Effect::Unknown => "unknown".to_owned(),
            })
            .collect();
        changes.join("; ")
    };
    assert_eq!(effects("pip install torch==2.6.0\npip install torchvision==0.21.0"), "keeps");
    assert_eq!(effects("pip install torch==2.6.0\npip install torch"), "keeps");
    assert_eq!(effects("pip install torch==2.6.0\npip install torchvision==0.20.0"), "2.6.0 (cu124) -> 2.5.0 (cu124) Always");
    assert_eq!(effects("pip install torch==2.6.0\npip install torchvision"), "2.6.0 (cu124) -> 2.15.0 (cu132) Today");
    assert_eq!(effects("pip install torch==2.6.0\npip install --no-deps torchvision"), "");
    // What is there is taken first, in the order of the asks, and what comes later fits it.
    let three = "pip install torch==2.4.1 torchvision==0.19.1 --index-url https://download.pytorch.org/whl/cu121\n";
    assert_eq!(effects(&format!("{three}pip install torch torchvision torchaudio")), "keeps");
    assert_eq!(effects(&format!("{three}pip install torchvision torchaudio timm")), "keeps");
    assert_eq!(effects(&format!("{three}pip install torchvision xformers")), "keeps");
    assert_eq!(effects(&format!("{three}pip install xformers torchvision")), "2.4.1+cu121 -> 2.15.0 (cu132) Today");
    // No index in reach has what it requires: pip fails, and nothing is replaced.
    assert_eq!(effects("pip install torch==2.1.0\npip install torchvision==0.15.0"), "unknown");
    assert_eq!(effects("pip install torch==2.6.0\npip uninstall -y torch\npip install torch==2.5.0"), "");
    assert_eq!(effects("uv pip install torch==2.6.0\nuv pip install torchvision"), "2.6.0 (cu124) -> 2.15.0 (cu132) Today");
}

#[test]
fn a_venv_first_on_the_path_is_copied_with_what_is_in_it() {
    for environment in ["ENV PATH=/opt/venv/bin:$PATH", "ENV VIRTUAL_ENV=/opt/app\nENV PATH=\"$VIRTUAL_ENV/bin:$PATH\""] {
        let folder = if environment.contains("venv") { "/opt/venv" } else { "/opt/app" };
        let text = format!(
            "FROM python:3.11 AS build\n{environment}\nRUN pip install torch==2.6.0\nFROM python:3.11-slim\nCOPY --from=build {folder} {folder}\n"
        );
        let found = environments(&[("Dockerfile", &text)]);
        assert!(found.contains(&"Dockerfile:1: <python:3.11-slim> torch 2.6.0 pypi".to_owned()), "{environment}: {found:?}");
    }
    check(
        &[(
            "Dockerfile",
            "FROM debian\nENV PATH=/usr/local/cuda/bin:$PATH\nRUN pip install torch==2.6.0\nRUN /usr/bin/pip install torchvision==0.21.0\n",
        )],
        &["Dockerfile: <debian> torch 2.6.0 pypi, torchvision 0.21.0 pypi"],
    );
}

#[test]
fn each_set_of_build_arguments_is_a_world() {
    check(
        &[
            ("compose.yml", "services:\n  a:\n    build: {context: ., args: {TORCH: 2.2.0}}\n  b: {build: .}\n"),
            ("Dockerfile", "ARG TORCH=2.1.0\nFROM python:3.11\nARG TORCH\nRUN pip install torch==${TORCH}\n"),
        ],
        &["Dockerfile: <python:3.11> torch 2.1.0 pypi", "Dockerfile?build 2: <python:3.11> torch 2.2.0 pypi"],
    );
}

#[test]
fn a_known_build_takes_the_place_of_an_unknown_one() {
    check(
        &[(
            "s.sh",
            "pip install --index-url https://wheels.example/cu128 torch==2.7.0\npip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128\n",
        )],
        &["s.sh: torch 2.7.1+cu128 pytorch/cu128"],
    );
}

#[test]
fn what_cannot_be_read_may_be_anything() {
    // A file that may name an index, or bound what nothing pins.
    check(&[("requirements.txt", "-r missing.txt\ntorch==2.6.0\n")], &["requirements.txt: torch ?"]);
    check(
        &[("a.sh", "pip install -c missing.txt torch\n"), ("b.sh", "pip install -c missing.txt torch==2.6.0\n")],
        &["a.sh: torch ?", "b.sh: torch 2.6.0 pypi"],
    );
    for configures in [
        "COPY pip.conf /etc/pip.conf",
        "RUN echo x > /etc/pip.conf",
        "ENV PIP_CONFIG_FILE=/x.ini",
        "RUN cat a >> ~/.pip/pip.conf",
    ] {
        let text = format!("FROM x\n{configures}\nRUN pip install torch==2.6.0\n");
        check(&[("Dockerfile", &text)], &["Dockerfile: <x> torch ?"]);
    }
    // A companion that another index may have for this torch is no mismatch.
    let pair = "torch==2.1.0\ntorchvision==0.15.2\n";
    let mut linter = Linter::new(Settings::default());
    linter
        .set("requirements.txt", &format!("--extra-index-url https://wheels.example/simple\n{pair}"))
        .expect("no configuration");
    linter.set("b/requirements.txt", pair).expect("no configuration");
    assert_eq!(linter.report().diagnostics.len(), 1, "the second file alone");
}

#[test]
fn pips_own_configuration_outlives_its_layer() {
    let text =
        "FROM debian\nRUN pip config set global.index-url https://download.pytorch.org/whl/cu118\nRUN pip install torch==2.6.0\n";
    check(&[("Dockerfile", text)], &["Dockerfile: <debian> torch 2.6.0+cu118 pytorch/cu118"]);
}

#[test]
fn what_never_happens_is_no_environment() {
    check(
        &[(
            "s.sh",
            "alias p='pip install torch==2.6.0'\nif false; then pip install torch==2.6.0; else pip install torch==2.1.0; fi\n",
        )],
        &["s.sh: torch 2.1.0 pypi"],
    );
}

#[test]
fn functions_happen_where_they_are_called() {
    let script = "#!/bin/bash\nmain() {\n  put \"${1:-2.1.0}\"\n}\nput() {\n  [ -n \"$1\" ] || return\n  pip install torch==$1\n}\nmain \"$@\"\n";
    let fallen = script.replace("main \"$@\"\n", "main 2.2.0\n");
    // Where the test of `put` fails, nothing is installed.
    check(&[("a.sh", script)], &["a.sh: torch 2.1.0 pypi", "a.sh?branch 2: "]);
    // Its argument is known: it does not.
    check(&[("a.sh", &fallen)], &["a.sh: torch 2.2.0 pypi"]);
    // Nobody calls it, and the script does its own work.
    let nobody = "put() { pip install torch==2.1.0; }\npip install torchvision==0.15.2 torch==2.0.1\n";
    check(&[("a.sh", nobody)], &["a.sh: torch 2.0.1 pypi, torchvision 0.15.2 pypi"]);
    check(&[("a.sh", "put() { pip install torch==2.1.0; }\n")], &["a.sh: ", "a.sh?branch 2: torch 2.1.0 pypi"]);
}

#[test]
fn tests_of_one_thing_never_hold_together() {
    let two = |a: &str, b: &str| {
        format!("if {a}; then pip install torch==2.1.0; fi\nif {b}; then pip install torchvision==0.17.0; fi\n")
    };
    for (a, b) in [
        ("[ \"$CUDA\" = cu118 ]", "[ \"$CUDA\" = cu121 ]"),
        ("[ -n \"$A\" ]", "[ -z \"$A\" ]"),
        ("[ $V -ge 12 ]", "[ $V -lt 12 ]"),
        ("[[ $V =~ ^11 ]]", "[[ \"${V}\" =~ ^12 ]]"),
        ("nvcc --version", "! nvcc --version"),
        ("[ \"$(uname -m)\" = x86_64 ]", "[ \"$(uname -m)\" = aarch64 ]"),
    ] {
        let text = two(a, b);
        let both =
            environments(&[("a.sh", &text)]).into_iter().filter(|line| line.contains("2.1.0") && line.contains("0.17.0")).count();
        assert_eq!(both, 0, "{text}");
    }
    // Tests of different things may.
    let text = two("[ \"$A\" = 1 ]", "[ \"$B\" = 1 ]");
    assert!(environments(&[("a.sh", &text)]).iter().any(|line| line.contains("0.17.0")));
}

#[test]
fn what_comes_where_an_install_fails_comes_in_its_place() {
    for text in [
        "pip install torch==2.4.1 || pip install torchvision==0.20.0\n",
        "(pip install torch==2.4.1) || { pip install -U pip; pip install torchvision==0.20.0; }\n",
        "bash a/one.sh || bash a/two.sh\n",
    ] {
        let files =
            [("a.sh", text), ("a/one.sh", "pip install torch==2.4.1\n"), ("a/two.sh", "pip install torchvision==0.20.0\n")];
        let lines = environments(&files);
        let own: Vec<_> = lines.iter().filter(|line| line.starts_with("a.sh")).collect();
        assert!(own.iter().any(|line| line.contains("2.4.1")) && own.iter().any(|line| line.contains("0.20.0")), "{lines:#?}");
        assert!(!own.iter().any(|line| line.contains("2.4.1") && line.contains("0.20.0")), "{lines:#?}");
    }
    // What installs nothing takes nothing's place.
    for text in ["pip install torch==2.4.1 || echo no\n", "pip install torch==2.4.1 || exit 1\n"] {
        assert!(environments(&[("a.sh", text)]).iter().any(|line| line.contains("2.4.1")), "{text}");
    }
}

#[test]
fn what_ends_the_script_takes_what_stands_before_it_along() {
    let text = "test -n \"$CPU\" && pip install torch==2.4.1 && exit 0\npip install torchvision==0.20.0\n";
    let lines = environments(&[("a.sh", text)]);
    assert!(lines.iter().any(|line| line.contains("2.4.1")) && lines.iter().any(|line| line.contains("0.20.0")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("2.4.1") && line.contains("0.20.0")), "{lines:#?}");
}

#[test]
fn a_value_alone_asks_whether_there_is_one() {
    let text = "if [ \"$GPU\" ]; then V=2.4.1; fi\nif [ -z \"$GPU\" ]; then W=0.20.0; fi\n\
                pip install torch==${V:-2.5.0}\npip install torchvision==${W:-0.19.1}\n";
    let lines = environments(&[("a.sh", text)]);
    assert_eq!(lines.len(), 2, "{lines:#?}");
}

#[test]
fn an_arm_that_asks_for_the_driver_suits_it() {
    let runs = |test: &str| {
        let text = format!("if {test}; then\n  pip install torch==2.11.0\nfi\n");
        let mut linter = Linter::new(Settings::default());
        linter.set("a.sh", &text).expect("no configuration");
        linter.report();
        linter.environments().next().map(|env| env.runs)
    };
    assert_eq!(runs("nvidia-smi | grep -q 'CUDA Version: 13'"), Some(false));
    assert_eq!(runs("[ \"$(nvidia-smi --query-gpu=driver_version --format=csv)\" -ge 580 ]"), Some(false));
    assert_eq!(runs("command -v nvidia-smi"), Some(true));
    assert_eq!(runs("nvidia-smi || false"), Some(true));
}

#[test]
fn an_arm_for_a_machine_without_the_gpu_is_not_the_hosts() {
    let runs = |text: &str| {
        let mut linter = Linter::new(Settings::default());
        linter.set("a.sh", text).expect("no configuration");
        linter.report();
        let mut all: Vec<(String, bool)> = linter
            .environments()
            .flat_map(|env| env.components.iter().map(move |c| (c.name.clone(), env.runs)))
            .filter(|(name, _)| name.starts_with("flas"))
            .collect();
        all.sort();
        all.dedup();
        all.iter().map(|(name, runs)| if *runs { name.to_uppercase() } else { name.clone() }).collect::<Vec<_>>().join(" ")
    };
    let (one, other) = ("pip install flash-attn==2.7.4", "pip install flashinfer-python==0.2.5");
    for (text, want) in [
        (format!("if nvidia-smi; then {one}; else {other}; fi"), "FLASH-ATTN flashinfer-python"),
        (format!("if ! which nvidia-smi; then {other}; exit; fi; {one}"), "FLASH-ATTN flashinfer-python"),
        (format!("if nvidia-smi; then {one}; exit; fi; {other}"), "FLASH-ATTN flashinfer-python"),
        (format!("G=0; which nvidia-smi && G=1; if [ $G = 1 ]; then {one}; else {other}; fi"), "FLASH-ATTN flashinfer-python"),
        (format!("if [ \"$1\" = cpu ]; then {other}; else {one}; fi"), "FLASH-ATTN flashinfer-python"),
        (format!("case $1 in cpu) {other};; gpu) {one};; esac"), "FLASH-ATTN flashinfer-python"),
        (format!("O=`uname -s`; if [ $O = Linux ]; then {one}; else {other}; fi"), "FLASH-ATTN flashinfer-python"),
        // What stands for itself may be anything.
        (format!("V=${{V:-a}}; if [ $V = a ]; then {one}; else {other}; fi"), "FLASH-ATTN FLASHINFER-PYTHON"),
        // What happens in any case happens there, too.
        (format!("if [ -d /opt/rocm ]; then {other}; fi; {one}"), "flash-attn FLASH-ATTN flashinfer-python"),
        (format!("if [ -d /opt/rocm ]; then echo; fi; {one}"), "FLASH-ATTN"),
    ] {
        assert_eq!(runs(&text), want, "{text}");
    }
}

#[test]
fn each_python_and_each_venv_has_packages_of_its_own() {
    check(
        &[(
            "Dockerfile",
            "FROM ubuntu:22.04\nRUN python3.9 -m pip install torch==2.1.0\nRUN pip3.10 install torchvision==0.15.2\n",
        )],
        &["Dockerfile: <ubuntu:22.04> torch 2.1.0 pypi", "Dockerfile: <ubuntu:22.04> torch 2.0.1 pypi, torchvision 0.15.2 pypi"],
    );
    for made in
        ["python -m venv /opt/app", "uv venv /opt/app", "virtualenv -p python3.10 /opt/app", "conda create -y -p /opt/app python"]
    {
        let text = format!(
            "FROM ubuntu:22.04\nRUN python -mpip install torch==2.1.0\nRUN {made}\nENV PATH=/opt/app/bin:$PATH\nRUN pip install torchvision==0.15.2\n"
        );
        let found = environments(&[("Dockerfile", &text)]);
        assert!(found.contains(&"Dockerfile: <ubuntu:22.04> torch 2.1.0 pypi".to_owned()), "{text}: {found:?}");
    }
}

#[test]
fn what_follows_an_exit_does_not_happen() {
    check(&[("a.sh", "pip install torch==2.1.0\nexit 0\npip install torch==2.2.0\n")], &["a.sh: torch 2.1.0 pypi"]);
    // It ends its subshell, its RUN, the script it stands in; a sourced one ends its reader, too.
    check(
        &[("a.sh", "(exit; pip install torch==2.2.0)\nbash b.sh\npip install torch==2.1.0\n"), ("b.sh", "exit\n")],
        &["a.sh: torch 2.1.0 pypi", "b.sh: "],
    );
    check(
        &[("a.sh", "source b.sh\npip install torch==2.1.0\n"), ("b.sh", "pip install torch==2.0.1\nexit\n")],
        &["a.sh: torch 2.0.1 pypi", "b.sh: torch 2.0.1 pypi"],
    );
    check(
        &[("a.sh", "source b.sh\npip install torch==2.1.0\n"), ("b.sh", "return\npip install torch==2.0.1\n")],
        &["a.sh: torch 2.1.0 pypi", "b.sh: "],
    );
    check(
        &[("Dockerfile", "FROM debian\nRUN true; exit 0; false\nRUN pip install torch==2.1.0\n")],
        &["Dockerfile: <debian> torch 2.1.0 pypi"],
    );
    // Two guards: the script goes on behind both.
    let guarded = "if ! a; then exit 1; fi\nif ! b; then echo no; exit 1; fi\nc || exit\npip install torch==2.1.0\n";
    let first = environments(&[("a.sh", guarded)]);
    assert_eq!(first[0], "a.sh: torch 2.1.0 pypi");
}

#[test]
fn what_leads_outside_is_said_and_what_was_never_inside_is_not() {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in [
        ("requirements.txt", "-r ../other/requirements.txt\n"),
        ("a.sh", "source /etc/os-release\n. ~/.bashrc\npip install -r ../../shared.txt\n"),
    ] {
        linter.set(path, text).expect("no configuration");
    }
    let said: Vec<String> = linter.report().warnings.into_iter().map(|w| w.what).collect();
    assert_eq!(
        said,
        [
            "../../shared.txt lies outside the root and is not read",
            "../other/requirements.txt lies outside the root and is not read"
        ]
    );
}

#[test]
fn a_wheel_in_an_index_s_folder_is_of_its_cuda() {
    let wheel = |folder: &str| format!("https://download.pytorch.org/whl/{folder}torch-2.1.0-cp310-cp310-linux_x86_64.whl\n");
    let cuda = |folder: &str| {
        let mut linter = Linter::new(Settings::default());
        linter.set("requirements.txt", &wheel(folder)).expect("no configuration");
        linter.report();
        let torch = linter.environments().next().and_then(|env| env.component("torch")?.builds.only().cloned());
        torch.map(|build| build.release.tag)
    };
    assert_eq!(cuda("cu118/"), Some("cu118"));
    // It has no such build.
    assert_eq!(cuda("cu126/"), None);
}

#[test]
fn what_goes_into_a_place_that_commands_name_is_judged_by_itself() {
    let script = "pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118\n\
                  uv pip install --prefix \"$(python -c 'import sys; print(sys.prefix)')\" torchvision\n\
                  uv pip install --python $(which python) torch==2.5.1\n";
    check(
        &[("a.sh", script)],
        &["a.sh: torch 2.1.0+cu118 pytorch/cu118", "a.sh: torch ?, torchvision ?", "a.sh: torch 2.5.1… pypi"],
    );
}

#[test]
fn cuda_version_chooses_among_condas_builds() {
    let asked = |channels: &str, package: &str, cuda: &str| {
        format!("channels: [{channels}]\ndependencies:\n  - {package}\n  - cuda-version{cuda}\n")
    };
    for (package, cuda, comes) in [
        ("pytorch-gpu=2.10", "=12.9", "pytorch-gpu 2.10.0 cu129 conda/conda-forge"),
        ("pytorch-gpu=2.10", "=13", "pytorch-gpu 2.10.0 cu130 conda/conda-forge"),
        ("pytorch-gpu=2.7.1", "=12.8", "pytorch-gpu 2.7.1 cu126 conda/conda-forge"),
        // What none of the tables' builds goes with is not known.
        ("pytorch-gpu=2.9", "=13.0", "pytorch-gpu ?"),
        ("cudatoolkit", "=11.8", "cudatoolkit 11.8.0… conda/conda-forge"),
        ("cuda-toolkit", "=12.4", "cuda-toolkit 12.4.1… conda/conda-forge"),
        ("cuda-toolkit", "", "cuda-toolkit ?"),
    ] {
        let found = environments(&[("environment.yml", &asked("conda-forge", package, cuda))]);
        assert!(found.len() == 1 && found[0].contains(&format!("conda:{comes}")), "{package} {cuda}: {found:?}");
    }
    // The other channel's builds are chosen otherwise.
    let text = asked("pytorch, nvidia", "pytorch=2.4.0", "=12.1");
    let found = environments(&[("environment.yml", &text)]);
    assert_eq!(found, environments(&[("environment.yml", &text.replace("=12.1", ""))]));
}

#[test]
fn a_folder_of_packages_comes_from_another_stage() {
    let ends = [
        "COPY --from=build /usr/local/lib/python3.10/dist-packages/ /usr/local/lib/python3.10/dist-packages/",
        "COPY --from=build /usr/local/lib /usr/local/lib",
    ];
    for end in ends {
        let dockerfile = format!(
            "FROM ubuntu:22.04 AS build\nCOPY requirements.txt /r.txt\nRUN pip install -r /r.txt\nFROM ubuntu:22.04 AS run\n{end}\n"
        );
        check(
            &[("Dockerfile", &dockerfile), ("requirements.txt", "torch==2.3.1\n")],
            &["Dockerfile:build: <ubuntu:22.04> torch 2.3.1 pypi", "Dockerfile:run: <ubuntu:22.04> torch 2.3.1 pypi"],
        );
    }
}

#[test]
fn what_is_left_behind_in_a_stage_is_installed_nowhere() {
    check(
        &[
            (
                "Dockerfile",
                "FROM ubuntu:22.04 AS build\nCOPY requirements.txt /r.txt\nRUN pip install -r /r.txt\nFROM ubuntu:22.04 AS run\n\
                 COPY --from=build /out /out\n",
            ),
            ("requirements.txt", "torch==2.3.1\n"),
        ],
        &[
            "Dockerfile:build: <ubuntu:22.04> torch 2.3.1 pypi",
            "Dockerfile:run: <ubuntu:22.04> ",
            "requirements.txt: torch 2.3.1 pypi",
        ],
    );
}

#[test]
fn a_conda_environment_comes_from_another_stage() {
    check(
        &[
            (
                "Dockerfile",
                "FROM mambaorg/micromamba AS build\nCOPY environment.yml /e.yml\nRUN micromamba env create -f /e.yml\n\
                 FROM debian:12 AS run\nCOPY --from=build /opt/conda /opt/conda\n",
            ),
            (
                "environment.yml",
                "name: gpu\nchannels: [conda-forge]\ndependencies:\n- python=3.11\n- pip\n- pip:\n  - torch==2.3.1\n",
            ),
        ],
        &[
            "Dockerfile:build: <mambaorg/micromamba> conda:pip ?, conda:python ?, torch 2.3.1 pypi",
            "Dockerfile:run: <debian:12> conda:pip ?, conda:python ?, torch 2.3.1 pypi",
        ],
    );
}

#[test]
fn uv_installs_for_the_python_that_it_is_told() {
    check(&[("a.sh", "uv pip install --python-version 3.8 torch\n")], &["a.sh: torch 2.4.1… pypi"]);
}

#[test]
fn the_environment_of_an_action_is_that_of_its_file() {
    let file = ("environment.yml", "name: foo\ndependencies:\n  - python=3.10\n  - pytorch=2.1.0\n");
    let job = |shell: &str| {
        let uses = "      - uses: mamba-org/setup-micromamba@v2\n        with: {environment-file: environment.yml}\n";
        let run = format!("      - run: pip install torchvision==0.16.0\n        shell: {shell}\n");
        format!("on: push\njobs:\n  a:\n    runs-on: self-hosted\n    steps:\n{uses}{run}")
    };
    let starts = |shell: &str| {
        let found = environments(&[(".github/workflows/ci.yml", &job(shell)), file]);
        found.into_iter().filter(|line| line.starts_with(".github")).collect::<Vec<_>>()
    };
    assert_eq!(starts("bash -el {0}").len(), 1, "{:?}", starts("bash -el {0}"));
    assert_eq!(starts("bash").len(), 2, "{:?}", starts("bash"));
}
