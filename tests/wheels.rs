//! Wheels that there are none of, for a Python or a system, as many ways as people write them.

mod found;

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;
use found::found;

fn image(from: &str, commands: &str) -> Vec<String> {
    found(&[("Dockerfile", &format!("FROM {from}\n{commands}\n"))])
}

const PYTHON: &str = "error no-wheel-for-python";
const PLATFORM: &str = "error no-wheel-for-platform";

#[test]
fn no_wheel_is_for_the_python() {
    for (from, commands) in [
        ("python:3.12", "RUN pip install torch==2.0.1"),
        ("python:3.12-slim", "ARG TORCH=2.0.1\nRUN pip install torch==${TORCH}"),
        ("python:3", "RUN python -m pip install 'torch<2.4'"),
        ("python", "RUN pip install torch==1.13.1 --index-url https://download.pytorch.org/whl/cu117"),
        ("python:3.13", "RUN pip install torch==2.1.0+cu118 -f https://download.pytorch.org/whl/torch_stable.html"),
        ("python:3.12", "RUN pip install uv && uv pip install --system torch==1.13.0"),
        ("python:3.13", "RUN pip install tensorflow==2.10.0"),
        ("python:3.7", "RUN pip install torch==2.2.0"),
        ("python:3.12", "RUN pip install torch==1.13.1 torchvision==0.14.1 torchaudio==0.13.1"),
        ("debian:bookworm-slim", "RUN apt-get install -y python3 python3-pip\nRUN pip3 install torch==1.12.0"),
        ("ubuntu:noble-20240801", "RUN apt-get install -y python3-pip\nRUN pip3 install torch==2.0.1"),
        ("mcr.microsoft.com/devcontainers/python:1-3.12-bookworm", "RUN pip install torch==2.1.2"),
        ("mcr.microsoft.com/vscode/devcontainers/python:0-3.9", "RUN pip install torch==1.4.0"),
        ("nvidia/cuda:12.6.3-runtime-ubuntu24.04", "RUN apt-get install -y python3-pip\nRUN pip install torch==2.0.1"),
        ("continuumio/miniconda3", "RUN conda create -y -n x python=3.13 && conda run -n x pip install torch==2.2.0"),
        (
            "python:3.11",
            "RUN pip install https://download.pytorch.org/whl/cu118/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl",
        ),
        (
            "python:3.12",
            "RUN pip install https://github.com/Dao-AILab/flash-attention/releases/download/v2.6.3/\
             flash_attn-2.6.3+cu118torch2.0cxx11abiFALSE-cp310-cp310-linux_x86_64.whl",
        ),
    ] {
        assert_eq!(image(from, commands), [PYTHON], "{from}: {commands}");
    }
    for files in [
        &[("environment.yml", "dependencies:\n  - python=3.12\n  - pip:\n    - torch==2.0.1\n")][..],
        &[(
            "pyproject.toml",
            "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.12\"\ndependencies = [\"torch==2.0.1\"]\n",
        )],
        &[("pyproject.toml", "[tool.poetry]\nname = \"x\"\n[tool.poetry.dependencies]\npython = \"^3.12\"\ntorch = \"2.0.1\"\n")],
        &[("setup.sh", "conda create -y -n x python=3.12\nconda activate x\npip install torch==2.1.0\n")],
        &[("setup.sh", "uv venv --python 3.13\nuv pip install torch==2.1.0\n")],
        &[(
            ".github/workflows/a.yml",
            "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/setup-python@v5\n        \
             with:\n          python-version: '3.13'\n      - run: pip install torch==2.1.0\n",
        )],
        &[
            ("Dockerfile", "FROM python:latest\nCOPY reqs/base.txt .\nRUN pip install -r base.txt\n"),
            ("reqs/base.txt", "torch==1.4.0\n"),
        ],
    ] {
        assert_eq!(found(files), [PYTHON], "{files:?}");
    }
}

#[test]
fn a_wheel_may_be_for_the_python() {
    for (from, commands) in [
        ("python:3.11", "RUN pip install torch==2.0.1"),
        ("python:3", "RUN pip install torch"),
        ("python:3.12", "RUN pip install 'torch>=2.0'"),
        ("python:3.12", "RUN pip install torch==2.0.1 --find-links /wheels"),
        ("python:3.12", "RUN pip install --pre torch==2.0.1"),
        ("python:3.12", "RUN pip install torch==2.0.1 -i https://wheels.example/simple"),
        ("python:3.12", "RUN pip install git+https://github.com/pytorch/pytorch@v2.0.1"),
        // These have sources, and what the tables do not know may be there.
        ("python:3.12", "RUN pip install vllm==0.2.0 --no-deps"),
        ("python:3.12", "RUN pip install torch==2.0.99"),
        ("company/python:3.12", "RUN pip install torch==2.0.1"),
        ("ubuntu:24.04", "RUN pip install torch==2.0.1"),
        ("debian:bookworm-slim", "RUN apt-get install -y python3 python3-pip\nRUN pip3 install torch==1.13.1"),
        ("debian:stable-slim", "RUN apt-get install -y python3 python3-pip\nRUN pip3 install torch==1.12.0"),
        ("mcr.microsoft.com/devcontainers/python:3", "RUN pip install torch==2.1.2"),
        ("mcr.microsoft.com/devcontainers/python:1-3.11", "RUN pip install torch==2.1.2"),
        ("python:3.12", "RUN apt-get install -y python3.10-venv && python3.10 -m venv /v && /v/bin/pip install torch==2.0.1"),
        ("python:3.12", "RUN uv venv --python 3.10 /v && VIRTUAL_ENV=/v uv pip install torch==2.0.1"),
        ("python:3.12", "RUN conda create -n x python=3.10 && conda run -n x pip install torch==2.0.1"),
        ("continuumio/miniconda3", "RUN conda create -n x && conda run -n x pip install torch==1.13.1"),
        ("python:3.12", "RUN pip install https://e.example/x-1.0-py3-none-any.whl"),
        ("python:3.12", "RUN pip install https://e.example/x-1.0-cp38-abi3-manylinux2014_x86_64.whl"),
        ("pypy:3.10", "RUN pip install https://e.example/x-1.0-pp310-pypy310_pp73-manylinux2014_x86_64.whl"),
    ] {
        assert!(image(from, commands).is_empty(), "{from}: {commands}: {:?}", image(from, commands));
    }
    for files in [
        &[("requirements.txt", "torch==1.4.0\n")][..],
        &[("requirements.txt", "torch==1.13.1; python_version < '3.11'\ntorch==2.4.0; python_version >= '3.11'\n")],
        &[(
            "pyproject.toml",
            "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.8\"\ndependencies = [\"torch==2.6.0\"]\n",
        )],
        &[(
            ".github/workflows/a.yml",
            "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        include:\n          - \
             { py: '3.8', torch: 1.13.1 }\n          - { py: '3.13', torch: 2.6.0 }\n    steps:\n      - uses: actions/setup-python@v5\n        \
             with:\n          python-version: ${{ matrix.py }}\n      - run: pip install torch==${{ matrix.torch }}\n",
        )],
    ] {
        assert!(found(files).is_empty(), "{files:?}: {:?}", found(files));
    }
}

#[test]
fn no_wheel_is_for_the_system() {
    for (from, commands) in [
        ("python:3.11-alpine", "RUN pip install torch"),
        ("python:3.11-alpine3.20", "RUN apk add build-base && pip install --no-cache-dir torch==2.3.0"),
        ("alpine:3.20", "RUN apk add py3-pip && pip install --break-system-packages tensorflow"),
        ("python:3.12-alpine", "RUN pip install onnxruntime-gpu"),
        ("centos:7", "RUN pip3 install torch==2.7.0"),
        ("centos:centos7", "RUN pip3 install torch==2.7.0"),
        ("amazonlinux:2", "RUN pip3 install torch==2.7.0"),
        ("python:3.11-slim", "RUN pip install triton-windows"),
        ("python:3.12-alpine", "RUN python -m venv /v && /v/bin/pip install torch==2.3.0"),
        (
            "--platform=linux/arm64 python:3.11",
            "RUN pip install torch==2.1.0+cu118 --index-url https://download.pytorch.org/whl/cu118",
        ),
        ("python:3.11", "RUN pip install https://download.pytorch.org/whl/cu118/torch-2.1.0%2Bcu118-cp311-cp311-win_amd64.whl"),
    ] {
        assert_eq!(image(from, commands), [PLATFORM], "{from}: {commands}");
    }
    // Who names a file for 64-bit Arm builds on such a machine, unless a host says otherwise.
    let arm = "RUN pip install tensorrt-10.3.0-cp310-none-linux_aarch64.whl";
    assert!(image("python:3.10", arm).is_empty());
    let mut linter = Linter::new(Settings::default());
    linter.set("Dockerfile", &format!("FROM python:3.10\n{arm}\n")).expect("no configuration");
    linter.host(Origin::Outside, "box.toml", "driver = \"580.95.05\"\n").expect("a host");
    let said: Vec<_> = linter.report().diagnostics.iter().map(|said| said.rule).collect();
    assert_eq!(said, ["no-wheel-for-platform"]);
    // What does not come needs no driver.
    let mut linter = Linter::new(Settings::default());
    linter.set("Dockerfile", "FROM python:3.11-alpine\nRUN pip install torch==2.6.0\n").expect("no configuration");
    linter
        .host(Origin::Outside, "old.toml", "driver = \"450.80.02\"\n[[gpu]]\nname = \"Tesla V100-SXM2-16GB\"\n")
        .expect("a host");
    let said: Vec<_> = linter.report().diagnostics.iter().map(|said| said.rule).collect();
    assert_eq!(said, ["no-wheel-for-platform"]);
    let deadsnakes = "RUN apt-get update && apt-get install -y python3.10 python3.10-venv && python3.10 -m venv /v\n";
    let old = |wants: &str| image("ubuntu:18.04", &format!("{deadsnakes}RUN /v/bin/pip install '{wants}'"));
    assert_eq!(old("torch==2.8.0"), [PLATFORM]);
    assert_eq!(old("torch>=2.7"), [PLATFORM]);
    assert_eq!(old("torch"), ["warning no-wheel-for-platform"], "an older one comes");
    assert!(old("torch==2.6.0").is_empty());
    assert!(old("torch<2.7").is_empty());
}

#[test]
fn a_wheel_may_be_for_the_system() {
    for (from, commands) in [
        ("python:3.11-slim", "RUN pip install torch"),
        ("python:3.11-slim", "RUN pip install \"triton-windows; sys_platform == 'win32'\""),
        ("centos:7", "RUN pip3 install torch==2.6.0"),
        ("amazonlinux:2023", "RUN pip3 install torch==2.7.0"),
        ("python:3.11-alpine", "RUN pip install flask"),
        ("python:3.11-alpine", "RUN pip install torch -i https://wheels.example/simple"),
        ("frolvlad/alpine-glibc", "RUN pip install torch"),
        ("python:3.11-alpine", "RUN pip install xformers"),
        ("--platform=linux/arm64 python:3.11", "RUN pip install torch==2.1.0"),
        ("--platform=linux/arm64 python:3.11", "RUN pip install triton==3.5.0"),
        ("ubuntu:20.04", "RUN apt-get install -y python3-pip && pip3 install torch==2.4.0"),
    ] {
        assert!(!image(from, commands).iter().any(|f| f.contains("no-wheel")), "{from}: {commands}: {:?}", image(from, commands));
    }
    // Which system it is nobody says.
    let frozen = "nvidia-nccl-cu12==2.18.1\nhttps://e.example/x-1-cp311-cp311-win_amd64.whl\ntriton==2.1.0\n";
    assert!(found(&[("requirements.txt", frozen)]).is_empty());
    let host = |os: &str, text: &str| {
        let mut linter = Linter::new(Settings::default());
        linter.set("requirements.txt", text).expect("no configuration");
        linter.host(Origin::Outside, "desk.toml", &format!("schema = 1\nos = \"{os}\"\n")).expect("a host");
        let said = linter.report().diagnostics;
        let said = said.iter().map(|said| format!("{} {}", said.severity.word(), said.rule));
        said.filter(|said| said.contains("no-wheel")).collect::<Vec<_>>()
    };
    assert_eq!(host("windows", "nvidia-nccl-cu12==2.18.1\n"), [PLATFORM]);
    assert_eq!(host("windows", "triton==2.1.0\n"), [PLATFORM]);
    assert_eq!(host("windows", "nvidia-cufile-cu12==1.13.1.3\n"), [PLATFORM]);
    assert_eq!(host("windows", "nvidia-nvshmem-cu12==3.3.20\nnvidia-cufile==1.15.1.6\n"), [PLATFORM], "one cause");
    assert!(host("windows", "triton-windows==3.3.0.post19\n").is_empty());
    assert_eq!(host("macos", "nvidia-cublas-cu12==12.1.3.1\nnvidia-nccl-cu12==2.18.1\n"), [PLATFORM], "one cause");
    assert_eq!(host("macos", "torch==2.1.0+cu121\n--extra-index-url https://download.pytorch.org/whl/cu121\n"), [PLATFORM]);
    assert!(host("linux", "nvidia-nccl-cu12==2.18.1\ntriton==2.1.0\nnvidia-cufile-cu12==1.13.1.3\n").is_empty());
    assert!(host("windows", "nvidia-nccl-cu12==2.18.1; sys_platform == 'linux'\n").is_empty());
    assert!(host("windows", "nvidia-cublas-cu12==12.1.3.1\ntorch==2.1.0\n").is_empty());
    assert!(host("macos", "torch==2.1.0\ntensorflow==2.15.0\n").is_empty());
    assert!(host("windows", "triton; platform_system != 'Windows'\n").is_empty());
}
