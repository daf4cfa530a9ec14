//! conda's channels and builds for the CPU, as many ways as people write them.

mod found;

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;
use found::found;

const MAY_PICK_CPU: &str = "warning conda-may-pick-cpu";
const FROZEN: &str = "warning pytorch-channel-frozen";
const BOTH: &str = "error torch-from-conda-and-pip";
const NO_CUDA: &str = "warning conda-no-cuda-at-solve";
const CPU: &str = "warning cpu-build-in-gpu-environment";
const PLAIN: &str = "warning pypi-build-is-cpu";
const INDEX: &str = "https://download.pytorch.org/whl";

/// What is found in an `environment.yml` with these channels and packages.
fn conda(channels: &str, packages: &[&str]) -> Vec<String> {
    let lines: String = packages.iter().map(|package| format!("  - {package}\n")).collect();
    found(&[("environment.yml", &format!("channels: [{channels}]\ndependencies:\n{lines}"))])
}

fn script(text: &str) -> Vec<String> {
    found(&[("setup.sh", text)])
}

fn pixi(text: &str) -> Vec<String> {
    let head = "[workspace]\nname = \"x\"\nplatforms = [\"linux-64\"]\n";
    found(&[("pixi.toml", &format!("{head}{text}")), ("train.sh", "pixi run python train.py --device cuda\n")])
}

/// In a CUDA image with a conda of its own.
fn built(commands: &str) -> Vec<String> {
    let head = "FROM nvidia/cuda:12.6.3-runtime-ubuntu22.04\nRUN wget https://e.example/Miniforge3-Linux-x86_64.sh && \
                bash Miniforge3-Linux-x86_64.sh -b -p /opt/conda\nENV PATH=/opt/conda/bin:$PATH\n";
    found(&[("Dockerfile", &format!("{head}{commands}\n"))])
}

fn on(host: &str, path: &str, text: &str) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    linter.set(path, text).expect("no configuration");
    linter.host(Origin::Outside, "desk.toml", &format!("schema = 1\n{host}")).expect("a host");
    let said = linter.report().diagnostics;
    said.iter().filter(|said| said.rule.contains("cpu")).map(|said| format!("{} {}", said.severity.word(), said.rule)).collect()
}

#[test]
fn conda_may_pick_the_cpu_s_build() {
    for (channels, packages) in [
        ("conda-forge, pytorch, defaults", &["pytorch=1.11.0", "cudatoolkit=11.3"][..]),
        ("defaults, conda-forge, pytorch", &["pytorch=1.9", "torchvision", "cudatoolkit=11.1"]),
        ("conda-forge, pytorch, nvidia", &["pytorch=2.1", "pytorch-cuda=12.1"]),
        ("conda-forge, bioconda, pytorch, nvidia", &["pytorch>=2.0,<2.2", "pytorch-cuda=11.8"]),
        ("bioconda, conda-forge, pytorch", &["pytorch=1.11.0", "cudatoolkit=11.3"]),
        ("bioconda, conda-forge", &["pytorch", "cudatoolkit=11.8"]),
        ("pytorch, conda-forge", &["pytorch=2.1", "pytorch-cuda=11.8"]),
        ("pytorch", &["pytorch=2.1", "pytorch-cuda=12.1"]),
        ("pytorch, conda-forge", &["pytorch==1.9.1", "cudatoolkit=11.3"]),
        ("pytorch, nvidia", &["pytorch=2.0.1", "pytorch-cuda=12.1"]),
        ("pytorch", &["python=3.8", "pytorch", "cudatoolkit=11.3"]),
        ("pytorch", &["pytorch=2.0", "cudatoolkit=11.7"]),
        ("conda-forge", &["pytorch=2.6", "cudatoolkit=11.8"]),
        ("conda-forge", &["pytorch::pytorch=2.0.1", "pytorch::pytorch-cuda=12.4"]),
    ] {
        assert_eq!(conda(channels, packages), [MAY_PICK_CPU], "{channels}: {packages:?}");
    }
    for text in [
        "conda install -c conda-forge -c pytorch -c nvidia pytorch==2.1.0 pytorch-cuda=12.1\n",
        "mamba create -n x -c pytorch pytorch=1.13 cudatoolkit=11.6\n",
        "V=11.3\nmicromamba install -y pytorch=1.9.0 cudatoolkit=$V -c pytorch -c conda-forge\n",
    ] {
        assert_eq!(script(text), [MAY_PICK_CPU], "{text}");
    }
    for (channels, packages) in [
        ("pytorch, nvidia, conda-forge", &["pytorch=2.1", "pytorch-cuda=11.8"][..]),
        ("pytorch, conda-forge", &["pytorch=2.1", "pytorch-cuda=12.1"]),
        ("pytorch, conda-forge", &["pytorch=2.1", "pytorch-cuda=11.8", "nvidia::cuda-toolkit=11.8"]),
        ("conda-forge, nvidia", &["pytorch::pytorch=2.1", "pytorch::pytorch-cuda=11.8"]),
        ("pytorch, nvidia, conda-forge", &["pytorch=2.0", "cudatoolkit=11.8"]),
        ("pytorch, conda-forge", &["pytorch=1.11.0", "cudatoolkit=11.3"]),
        ("conda-forge, pytorch", &["pytorch=1.11.0=*cuda*", "cudatoolkit=11.3"]),
        ("conda-forge, pytorch, nvidia", &["pytorch=2.0.1=py3.10_cuda11.7_cudnn8.5.0_0", "pytorch-cuda=11.7"]),
        ("conda-forge, pytorch", &["pytorch=2.1", "cpuonly", "cudatoolkit=11.8"]),
        ("conda-forge, pytorch", &["pytorch-gpu=1.12", "cudatoolkit=11.3"]),
        ("conda-forge, pytorch", &["pytorch=2.1", "cudatoolkit=11.8", "cuda-version=11.8"]),
        ("conda-forge", &["pytorch=2.1", "cudatoolkit=11.8"]),
        ("conda-forge", &["pytorch=1.11", "cudatoolkit=11.4"]),
        ("conda-forge, pytorch", &["pytorch=1.11.0", "torchvision"]),
        ("https://conda.example/mirror, pytorch", &["pytorch=1.9.1", "cudatoolkit=11.3"]),
        ("pytorch, https://conda.example/cuda", &["pytorch=2.1", "pytorch-cuda=11.8"]),
    ] {
        assert!(conda(channels, packages).is_empty(), "{channels}: {packages:?}: {:?}", conda(channels, packages));
    }
}

#[test]
fn the_pytorch_channel_has_ended() {
    for (channels, packages) in [
        ("pytorch, nvidia, conda-forge", &["pytorch>=2.6", "pytorch-cuda=12.4"][..]),
        ("pytorch, nvidia", &["pytorch=2.7"]),
        ("conda-forge", &["pytorch::pytorch=2.6"]),
        ("conda-forge, pytorch, nvidia", &["pytorch=2.8.0", "pytorch-cuda=12.4"]),
    ] {
        assert_eq!(conda(channels, packages), [FROZEN], "{channels}: {packages:?}");
    }
    assert_eq!(script("conda install 'pytorch>=2.6' torchvision -c pytorch -c nvidia\n"), [FROZEN]);
    let pixi_of = "channels = [\"pytorch\", \"nvidia\", \"conda-forge\"]\n[system-requirements]\ncuda = \"12\"\n[dependencies]\n\
                   pytorch = \">=2.6\"\npytorch-cuda = \"12.4.*\"\n";
    assert_eq!(pixi(pixi_of), [FROZEN]);
    for (channels, packages) in [
        ("pytorch, nvidia", &["pytorch=2.5.1", "pytorch-cuda=12.4"][..]),
        ("pytorch, nvidia", &["pytorch<2.6", "pytorch-cuda=12.4"]),
        ("pytorch, nvidia", &["pytorch", "pytorch-cuda=12.4"]),
        ("conda-forge, pytorch", &["pytorch>=2.6", "torchdata"]),
        ("pytorch, conda-forge", &["conda-forge::pytorch=2.7"]),
        ("pytorch", &["pytorch=0.4.1"]),
        ("conda-forge", &["pytorch-gpu>=2.6"]),
    ] {
        assert!(conda(channels, packages).is_empty(), "{channels}: {packages:?}: {:?}", conda(channels, packages));
    }
}

#[test]
fn one_framework_of_conda_and_of_pip() {
    let pip = |own: &str, pip: &str| {
        let pip = format!("pip:\n      - --extra-index-url {INDEX}/cu118\n      - {pip}");
        let found = conda("pytorch, nvidia", &["python=3.10", own, "pytorch-cuda=11.8", "pip", &pip]);
        found.contains(&BOTH.to_owned())
    };
    for (own, other) in [
        ("pytorch=2.0.0", "torch==2.1.0"),
        ("pytorch", "torch==2.1.0+cu118"),
        ("pytorch=2.1.0", "torch==2.1.0+cu118"),
        ("pytorch=2.0", "torch==2.2.*"),
        ("pytorch>=2.0,<2.2", "torch==2.3.0"),
        ("pytorch-gpu=2.4", "torch==2.6.0"),
    ] {
        assert!(pip(own, other), "{own} {other}");
    }
    for (own, other) in [
        ("pytorch=2.1.0", "torch==2.1.0"),
        ("pytorch=2.1", "torch>=2.0"),
        ("pytorch=2.1", "torch"),
        ("pytorch", "torch==2.1.0"),
        ("numpy=1.26", "torch==2.1.0+cu118"),
        ("pytorch=2.1.0", "lightning"),
    ] {
        assert!(!pip(own, other), "{own} {other}");
    }
    let conda_later = "conda create -n x python=3.10\nconda activate x\npip install torch==2.1.0\n\
                       conda install pytorch==2.0.0 -c pytorch -c nvidia\n";
    assert!(script(conda_later).contains(&BOTH.to_owned()));
    assert_eq!(script(&conda_later.replace("conda install", "conda create -n y")), [""; 0]);
    assert_eq!(script("conda install -y tensorflow-gpu=2.6\npip install tensorflow==2.12.0\n"), [BOTH]);
}

#[test]
fn no_cuda_where_conda_solves() {
    let forge = "channels = [\"conda-forge\"]\n";
    for text in [
        "[dependencies]\npytorch = \">=2.4\"\n",
        "[dependencies]\npython = \"3.11.*\"\npytorch = { version = \"*\", channel = \"conda-forge\" }\n",
    ] {
        assert_eq!(pixi(&format!("{forge}{text}")), [NO_CUDA], "{text}");
    }
    for text in [
        "[system-requirements]\ncuda = \"12\"\n[dependencies]\npytorch = \">=2.4\"\n",
        "[dependencies]\npytorch-gpu = \">=2.4\"\npytorch = \"*\"\n",
        "[dependencies]\npytorch-cpu = \">=2.4\"\npytorch = \"*\"\n",
        "[dependencies]\npytorch = { version = \">=2.4\", build = \"*cuda*\" }\n",
        "[dependencies]\npytorch = \"*\"\n[feature.gpu.system-requirements]\ncuda = \"12\"\n[environments]\ngpu = [\"gpu\"]\n",
        "[dependencies]\npython = \"3.11.*\"\n[pypi-dependencies]\ntorch = \"*\"\n",
    ] {
        assert!(pixi(&format!("{forge}{text}")).is_empty(), "{text}: {:?}", pixi(&format!("{forge}{text}")));
    }
    // Nobody says that a GPU is meant.
    let bare = format!("[workspace]\nname = \"x\"\nplatforms = [\"linux-64\"]\n{forge}[dependencies]\npytorch = \"*\"\n");
    assert!(found(&[("pixi.toml", &bare)]).is_empty());
    for command in ["mamba install -y -c conda-forge pytorch", "conda create -n x -c conda-forge pytorch=2.5 python=3.11"] {
        assert_eq!(built(&format!("RUN {command}")), [NO_CUDA], "{command}");
        for told in ["ENV CONDA_OVERRIDE_CUDA=12.6\nRUN ", "ARG CONDA_OVERRIDE_CUDA=12.6\nRUN ", "RUN CONDA_OVERRIDE_CUDA=12.6 "]
        {
            assert!(built(&format!("{told}{command}")).is_empty(), "{told}{command}");
        }
    }
    assert!(built("RUN conda install -y -c pytorch -c nvidia pytorch=2.1 pytorch-cuda=12.1").is_empty());
    assert!(built("RUN conda install -y -c conda-forge pytorch=2.1=*cuda*").is_empty());
    let image = |from: &str| found(&[("Dockerfile", &format!("FROM {from}\nRUN conda install -y -c conda-forge pytorch=2.5\n"))]);
    assert!(image("condaforge/miniforge3").is_empty());
}

#[test]
fn the_cpu_s_build_where_a_gpu_is_meant() {
    let install = format!("RUN pip install torch==2.5.1 --index-url {INDEX}/cpu");
    let image = |from: &str, more: &str| {
        let commands = format!("FROM {from}\nRUN apt-get update && apt-get install -y python3-pip\n{install}\n{more}\n");
        found(&[("Dockerfile", &commands)])
    };
    assert_eq!(image("nvidia/cuda:12.6.3-runtime-ubuntu22.04", ""), [CPU]);
    assert_eq!(image("nvcr.io/nvidia/cuda:12.6.3-base-ubuntu22.04", "CMD python3 app.py"), [CPU]);
    assert_eq!(image("ubuntu:22.04", "CMD [\"python3\", \"app.py\", \"--device\", \"cuda\"]"), [CPU]);
    assert!(image("ubuntu:22.04", "CMD [\"python3\", \"app.py\"]").is_empty());
    let cuda = "nvidia/cuda:12.6.3-cudnn-runtime-ubuntu22.04";
    for other in ["onnxruntime-gpu==1.20.0", "ctranslate2==4.5.0", "tensorflow==2.16.1"] {
        assert!(!image(cuda, &format!("RUN pip install {other}")).contains(&CPU.to_owned()), "{other}");
    }
    assert!(
        !image(cuda, &format!("RUN pip install --force-reinstall torch==2.5.1 --index-url {INDEX}/cu124"))
            .contains(&CPU.to_owned())
    );
    let own = format!("FROM python:3.11\n{install}\n");
    let gpu = "services:\n  a:\n    build: .\n    gpus: all\n";
    assert_eq!(found(&[("Dockerfile", &own), ("compose.yml", gpu)]), [CPU]);
    assert_eq!(found(&[("Dockerfile", &own), ("run.sh", "docker build -t app .\ndocker run --gpus all app\n")]), [CPU]);
    assert!(found(&[("Dockerfile", &own), ("run.sh", "docker build -t app .\ndocker run app\n")]).is_empty());
    assert!(
        found(&[
            ("Dockerfile.cpu", &own),
            ("compose.yml", &gpu.replace("build: .", "build: {context: ., dockerfile: Dockerfile.cpu}"))
        ])
        .iter()
        .all(|said| said != CPU)
    );
    assert_eq!(script(&format!("pip install torch --index-url {INDEX}/cpu\npython train.py --device cuda\n")), [CPU]);
    let lines = format!("--extra-index-url {INDEX}/cpu\ntorch==2.5.1+cpu\n");
    for (path, more, speaks) in [
        ("requirements-gpu.txt", "", true),
        ("requirements/cu124.txt", "", true),
        ("requirements.txt", "nvidia-cudnn-cu12==9.1.0.70\n", true),
        ("requirements.txt", "flash-attn==2.7.0.post2\n", true),
        ("requirements.txt", "", false),
        ("requirements-cpu.txt", "flash-attn==2.7.0.post2\n", false),
        ("tests/requirements.txt", "nvidia-cudnn-cu12==9.1.0.70\n", false),
        ("docs/requirements-gpu.txt", "", false),
    ] {
        assert_eq!(found(&[(path, &format!("{lines}{more}"))]).contains(&CPU.to_owned()), speaks, "{path} {more}");
    }
}

#[test]
fn pypi_s_build_is_the_cpu_s() {
    let windows = "os = \"windows\"\ndriver = \"546.33\"\n[[gpu]]\nname = \"GeForce RTX 3060\"\n";
    let arm = "arch = \"aarch64\"\n[[gpu]]\nname = \"GH200\"\n";
    let project = |wants: &str| {
        format!("[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.10\"\ndependencies = [\"torch{wants}\"]\n")
    };
    let poetry = "[tool.poetry]\nname = \"x\"\n[tool.poetry.dependencies]\npython = \">=3.11\"\ntorch = \"^2.0.1\"\n";
    for (host, path, text) in [
        (windows, "requirements.txt", "torch==2.1.0\n"),
        (windows, "requirements.txt", "torch\ntorchvision\n"),
        (windows, "requirements.txt", "torch>=2.0,<2.3\n"),
        (windows, "pyproject.toml", project(">=2.4").as_str()),
        (windows, "pyproject.toml", poetry),
        (windows, "environment.yml", "dependencies:\n  - python=3.11\n  - pip:\n    - torch==2.1.0\n"),
        (windows, "setup.sh", "pip install torch==2.1.0\n"),
        (windows, "setup.sh", "uv pip install torch==2.1.0\n"),
        (arm, "requirements.txt", "torch==2.5.1\n"),
        (arm, "requirements.txt", "torch<2.11\n"),
        ("os = \"windows\"\n", "requirements.txt", "torch==2.1.0\nnvidia-cublas-cu12==12.1.3.1\n"),
    ] {
        assert_eq!(on(host, path, text), [PLAIN], "{host} {path} {text}");
    }
    for (host, path, text) in [
        (windows, "requirements.txt", "--extra-index-url https://download.pytorch.org/whl/cu121\ntorch==2.1.0\n"),
        (windows, "requirements.txt", "torch==2.1.0; sys_platform != \"win32\"\n"),
        (windows, "requirements.txt", "--index-url https://wheels.example/simple\ntorch==2.1.0\n"),
        (windows, "requirements.txt", "https://download.pytorch.org/whl/cu121/torch-2.1.0%2Bcu121-cp311-cp311-win_amd64.whl\n"),
        (windows, "requirements-cpu.txt", "torch==2.1.0\n"),
        (windows, "tests/requirements.txt", "torch==2.1.0\n"),
        (windows, "Dockerfile", "FROM python:3.11\nRUN pip install torch==2.1.0\n"),
        ("os = \"windows\"\n", "requirements.txt", "torch==2.1.0\n"),
        (arm, "requirements.txt", "torch==2.11.0\n"),
        ("[[gpu]]\nname = \"GeForce RTX 3060\"\n", "requirements.txt", "torch==2.1.0\n"),
        ("os = \"macos\"\narch = \"aarch64\"\n", "requirements.txt", "torch==2.1.0\n"),
    ] {
        assert!(on(host, path, text).is_empty(), "{host} {path} {text}: {:?}", on(host, path, text));
    }
}

#[test]
fn a_task_of_pixi_runs_on_the_gpu() {
    let head =
        "[workspace]\nname = \"x\"\nplatforms = [\"linux-64\"]\nchannels = [\"conda-forge\"]\n[dependencies]\npytorch = \"*\"\n";
    let manifest = |rest: &str| found(&[("pixi.toml", &format!("{head}{rest}"))]);
    for task in [
        "[tasks]\ntrain = \"python train.py --device cuda\"\n",
        "[tasks]\ntrain = { cmd = \"python train.py --device=cuda:0\", depends-on = [\"get\"] }\n",
        "[tasks.train]\ncmd = [\"python\", \"train.py\", \"--device\", \"cuda\"]\n",
        "[target.linux-64.tasks]\nx = \"y\"\n[tasks]\ntrain = \"accelerate launch a.py --accelerator gpu\"\n",
    ] {
        assert_eq!(manifest(task), [NO_CUDA], "{task}");
    }
    for task in [
        "[tasks]\ntrain = \"python train.py --device cpu\"\n",
        "[tasks]\ntrain = { depends-on = [\"get\"] }\n",
        "[feature.other.tasks]\ntrain = \"python train.py --device cuda\"\n",
        "[tasks]\ntrain = \"python train.py --device cuda\"\n[system-requirements]\ncuda = \"12\"\n",
    ] {
        assert!(manifest(task).is_empty(), "{task}: {:?}", manifest(task));
    }
    let in_project = "[tool.pixi.tasks]\ntrain = \"python t.py --device cuda\"\n[tool.pixi.workspace]\nchannels = [\"conda-forge\"]\n\
                      platforms = [\"linux-64\"]\n[tool.pixi.dependencies]\npytorch = \"*\"\n";
    assert_eq!(found(&[("pyproject.toml", in_project)]), [NO_CUDA]);
}

#[test]
fn a_source_for_linux_only_leaves_windows_to_pypi() {
    let project = |marker: &str| {
        format!(
            "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \"==3.11.*\"\ndependencies = [\"torch==2.7.0\"]\n\
             [tool.uv.sources]\ntorch = [{{ index = \"pt\", marker = \"{marker}\" }}]\n[[tool.uv.index]]\nname = \"pt\"\n\
             url = \"{INDEX}/cu128\"\nexplicit = true\n"
        )
    };
    let windows = "os = \"windows\"\n[[gpu]]\nname = \"RTX 4090\"\n";
    assert_eq!(on(windows, "pyproject.toml", &project("sys_platform == 'linux'")), [PLAIN]);
    assert!(on(windows, "pyproject.toml", &project("sys_platform != 'darwin'")).is_empty());
    assert!(on("", "pyproject.toml", &project("sys_platform == 'linux'")).is_empty());
}
