//! Packages and libraries that cannot be there together: spellings that each rule must see, and traps where it must be silent.

use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// Where a rule speaks in a project: `error requirements.txt:2`, in order of places.
fn said(rule: &str, files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    let report = linter.report();
    let of_rule = report.diagnostics.iter().filter(|said| said.rule == rule);
    let place = |span: cudalint::source::Span| {
        let (path, text) =
            files.iter().find(|(path, _)| linter.sources().path(span.file) == *path).expect("a place lies in one of the files");
        format!("{path}:{}", text[..span.range().start].matches('\n').count() + 1)
    };
    of_rule.map(|said| format!("{} {}", said.severity.word(), place(said.labels[0].at))).collect()
}

/// Each project in one file: its path, its text, and where the rule speaks; nowhere where that is empty.
fn table(rule: &str, projects: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (path, text, expected) in projects {
        let said: Vec<String> = said(rule, &[(path, text)]).iter().map(|said| said.replace(&format!(" {path}:"), " ")).collect();
        if said.join(", ") != *expected {
            wrong.push(format!("{rule} in {path}: {said:?}, expected {expected:?}:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_that_are_installed_twice() {
    table(
        "module-installed-twice",
        &[
            ("requirements.txt", "onnxruntime==1.15.0\nonnxruntime-gpu==1.15.0\n", "warning 1"),
            ("requirements.txt", "onnxruntime_gpu>=1.17\nOnnxRuntime\n", "warning 2"),
            ("requirements.txt", "faiss-gpu-cu12\nfaiss-cpu==1.8.0\n", "warning 2"),
            ("requirements.txt", "tensorflow==2.15.0\ntensorflow-cpu==2.15.0\n", "warning 2"),
            ("requirements.txt", "tensorflow==2.4.0\ntensorflow-gpu==2.3.0\n", "warning 1"),
            ("requirements.txt", "nvidia-cudnn-cu11==8.9.4.25\nnvidia-cudnn-cu12==8.9.4.25\n", "warning 2"),
            ("environment.yml", "dependencies:\n  - pip:\n      - cupy-cuda11x\n      - cupy-cuda12x\n", "warning 4"),
            (
                "Dockerfile",
                "FROM python:3.11\nRUN pip install onnxruntime\nRUN uv pip install --system onnxruntime-gpu\n",
                "info 2",
            ),
            ("Dockerfile", "FROM python:3.11\nARG ORT=onnxruntime-gpu\nRUN pip install onnxruntime ${ORT}\n", "warning 3"),
            ("install.sh", "pip install xgboost\npython -m pip install xgboost-cpu\n", "warning 2"),
            ("Makefile", "install:\n\tpip install paddlepaddle paddlepaddle-gpu\n", "warning 2"),
            (
                "pyproject.toml",
                "[tool.poetry]\nname = 'x'\nversion = '1'\n[tool.poetry.dependencies]\npython = '^3.10'\ncupy-cuda12x = '*'\ncupy = '*'\n",
                "warning 7",
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'x'\nversion = '1'\ndependencies = ['onnxruntime']\n[dependency-groups]\ngpu = ['onnxruntime-gpu']\n",
                "warning 4",
            ),
            (
                ".github/workflows/ci.yml",
                "on: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install onnxruntime onnxruntime-gpu\n",
                "warning 6",
            ),
            // Traps.
            ("requirements.txt", "onnxruntime-gpu==1.15.0\nonnx\nonnxruntime-extensions\n", ""),
            ("requirements.txt", "onnxruntime-gpu==1.15.0\nonnxruntime-gpu>=1.14\n", ""),
            ("requirements.txt", "triton; sys_platform == 'linux'\ntriton-windows; sys_platform == 'win32'\n", ""),
            ("requirements.txt", "tensorflow==2.4.0\ntensorflow-gpu==2.4.0\n", ""),
            // What the newest is of it owns nothing.
            ("requirements.txt", "tensorflow==2.15.0\ntensorflow-gpu\n", ""),
            ("requirements.txt", "nvidia-cublas-cu11\nnvidia-cublas-cu12\n", ""),
            ("requirements.txt", "opencv-python\nopencv-python-headless\n", ""),
            ("install.sh", "if nvidia-smi; then\n  pip install onnxruntime-gpu\nelse\n  pip install onnxruntime\nfi\n", ""),
            ("install.sh", "pip install faiss-cpu\npip uninstall -y faiss-cpu\npip install faiss-gpu-cu12\n", ""),
            ("install.sh", "pip install onnxruntime onnxruntime-gpu\npip install --force-reinstall onnxruntime-gpu\n", ""),
            ("environment.yml", "dependencies:\n  - tensorflow\n  - tensorflow-gpu\n  - tensorflow-cpu\n", ""),
            (
                "Dockerfile",
                "FROM python:3.11 AS cpu\nRUN pip install onnxruntime\nFROM python:3.11 AS gpu\nRUN pip install onnxruntime-gpu\n",
                "",
            ),
            (
                "install.sh",
                "python -m venv a && a/bin/pip install onnxruntime\npython -m venv b && b/bin/pip install onnxruntime-gpu\n",
                "",
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'x'\nversion = '1'\n[project.optional-dependencies]\ncpu = ['onnxruntime']\ngpu = ['onnxruntime-gpu']\n",
                "",
            ),
        ],
    );
}

#[test]
fn pins_of_nvidia_s_wheels() {
    table(
        "nvidia-pin-conflict",
        &[
            ("requirements.txt", "torch==2.7.0\nnvidia-cudnn-cu12~=8.9\n", "error 2"),
            ("requirements.txt", "nvidia_cudnn_cu12==8.9.2.26\ntorch==2.4.0\n", "error 1"),
            ("requirements.txt", "torch==2.6.0\nnvidia-nccl-cu12>=2.25\n", "error 2"),
            ("requirements.txt", "torch==2.6.0\nnvidia-cublas-cu12==12.1.3.1\nnvidia-cudnn-cu12==8.9.2.26\n", "error 2"),
            ("requirements.txt", "torch==2.5.1\ntensorflow[and-cuda]==2.15.0\n", "error 1"),
            ("requirements.txt", "torch==2.3.1\nonnxruntime-gpu[cuda,cudnn]==1.22.0\n", "error 1"),
            ("requirements.txt", "vllm==0.6.6\nnvidia-nccl-cu12==2.18.1\n", "error 2"),
            ("requirements.txt", "torch==2.11.0\ncuda-toolkit==12.8.1\n", "error 2"),
            (
                "requirements.txt",
                "--index-url https://download.pytorch.org/whl/cu124\ntorch==2.6.0\nnvidia-cudnn-cu12==9.5.1.17\n",
                "error 3",
            ),
            (
                "environment.yml",
                "dependencies:\n  - pip:\n      - torch==2.2.0\n      - nvidia-cudnn-cu12==9.1.0.70\n",
                "error 4",
            ),
            (
                "Dockerfile",
                "FROM python:3.11\nARG CUDNN=8.9.7.29\nRUN pip install torch==2.5.1 nvidia-cudnn-cu12==${CUDNN}\n",
                "error 3",
            ),
            ("Dockerfile", "FROM python:3.11\nRUN uv pip install --system torch==2.5.1 \"nvidia-cudnn-cu12<9\"\n", "error 2"),
            ("Dockerfile", "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime\nRUN pip install torch==2.5.1\n", ""),
            ("Makefile", "install:\n\tpip install torch==2.5.1 nvidia-cudnn-cu12==9.3.0.75\n", "error 2"),
            (
                "pyproject.toml",
                "[tool.poetry]\nname = 'x'\nversion = '1'\n[tool.poetry.dependencies]\npython = '^3.10'\ntorch = '2.5.1'\nnvidia-cudnn-cu12 = '8.9.2.26'\n",
                "error 7",
            ),
            // One after the other.
            ("install.sh", "pip install torch==2.5.1\npip install nvidia-cudnn-cu12==8.9.7.29\n", "error 2"),
            ("install.sh", "pip install torch==2.8.0\npip install nvidia-cudnn-cu12==9.1.0.70\n", "error 2"),
            ("install.sh", "pip install torch==2.5.1\npip install --no-deps nvidia-nccl-cu12==2.18.3\n", "info 2"),
            ("install.sh", "pip install torch==2.5.1\npip install nvidia-nvjitlink-cu12==12.1.105\n", "warning 2"),
            ("install.sh", "pip install torch==2.5.1\npip install -U nvidia-nccl-cu12==2.26.2\n", "info 2"),
            ("install.sh", "pip install torch==2.3.1\npip install 'tensorflow[and-cuda]==2.18.0'\n", "error 2"),
            ("install.sh", "pip install torch==2.1.0\npip install nvidia-cudnn-cu11==8.6.0.163\n", "warning 2"),
            // Traps.
            ("requirements.txt", "torch==2.5.1\nnvidia-cudnn-cu12\nnvidia-ml-py==12.535.133\n", ""),
            ("requirements.txt", "torch==2.5.1\nnvidia-cudnn-cu12==9.1.0.70\nnvidia-nccl-cu12>=2.20\n", ""),
            ("requirements.txt", "torch==2.5.1\nnvidia-cudnn-cu12>=9,<10\n", ""),
            ("requirements.txt", "torch==2.5.1+cpu\nnvidia-cudnn-cu12==8.9.2.26\n", ""),
            ("requirements.txt", "torch==2.5.1; sys_platform == 'darwin'\nnvidia-cudnn-cu12==8.9.2.26\n", ""),
            ("requirements.txt", "torch==1.12.1\nnvidia-cudnn-cu11==8.6.0.163\n", ""),
            // A mirror may serve builds of its own.
            (
                "requirements.txt",
                "--index-url https://pypi.example/simple\ntorch==2.5.1\nnvidia-cudnn-cu12==8.9.2.26\n",
                "warning 3",
            ),
            ("requirements.txt", "--index-url https://wheels.example/pt\ntorch>=2.5.1,<2.9\nnvidia-cudnn-cu12==8.9.2.26\n", ""),
            ("requirements.txt", "tensorflow==2.15.0\ntorch==2.5.1\n", ""),
            ("requirements.txt", "torch\ntensorflow[and-cuda]==2.15.0\n", ""),
            ("install.sh", "pip install nvidia-cudnn-cu12==8.9.7.29\npip install torch==2.5.1\n", ""),
            ("install.sh", "pip install torch==2.5.1\npip install nvidia-cudnn-cu12\n", ""),
            (
                "Dockerfile",
                "FROM python:3.11 AS a\nRUN pip install torch==2.5.1\nFROM python:3.11\nRUN pip install nvidia-cudnn-cu12==8.9.7.29\n",
                "",
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'x'\nversion = '1'\n[project.optional-dependencies]\na = ['torch==2.5.1']\nb = ['nvidia-cudnn-cu12==8.9.2.26']\n",
                "",
            ),
        ],
    );
}

#[test]
fn two_majors_of_cuda() {
    table(
        "cuda-major-mix",
        &[
            ("requirements.txt", "torch==2.4.0\nonnxruntime-gpu==1.17.0\n", "error 2"),
            ("requirements.txt", "onnxruntime_gpu==1.18.1\ntorch==2.3.0\n", "error 1"),
            ("requirements.txt", "cupy-cuda11x==12.3.0\ntorch==2.2.0\n", "error 1"),
            ("requirements.txt", "cupy-cuda13x\ntorch==2.6.0\n", "error 1"),
            ("requirements.txt", "torch>=2.0\ncupy-cuda12x\n", "warning 2"),
            ("requirements.txt", "torch==2.11.0\nctranslate2==4.6.0\n", "error 2"),
            (
                "requirements.txt",
                "--index-url https://download.pytorch.org/whl/cu118\n--extra-index-url https://pypi.org/simple\ntorch==2.5.1+cu118\ncupy-cuda12x\n",
                "error 4",
            ),
            ("requirements.txt", "nvidia-cublas-cu12\nnvidia-cuda-nvrtc-cu12\ncupy-cuda11x\n", "error 3"),
            ("environment.yml", "dependencies:\n  - pip:\n      - torch==2.4.0\n      - onnxruntime-gpu==1.16.3\n", "error 4"),
            (
                "Dockerfile",
                "FROM python:3.11\nARG ORT=1.17.0\nRUN pip install torch==2.4.0\nRUN pip install onnxruntime-gpu==${ORT}\n",
                "error 4",
            ),
            ("Dockerfile", "FROM python:3.11\nRUN uv pip install --system torch==2.4.0 cupy-cuda11x\n", "error 2"),
            ("Makefile", "install:\n\tpip install torch==2.4.0 cupy-cuda11x\n", "error 2"),
            (
                "pyproject.toml",
                "[tool.poetry]\nname = 'x'\nversion = '1'\n[tool.poetry.dependencies]\npython = '^3.10'\ntorch = '2.4.0'\nonnxruntime-gpu = '1.17.0'\n",
                "error 7",
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'x'\nversion = '1'\ndependencies = ['torch==2.4.0']\n[project.optional-dependencies]\ngpu = ['cupy-cuda11x']\n",
                "error 6",
            ),
            ("requirements.txt", "deepmd-kit[gpu,cu11]==2.2.7\ntorch==2.5.1\n", "warning 1"),
            (
                "requirements.txt",
                "tensorflow[and-cuda]==2.15.0\n--extra-index-url https://download.pytorch.org/whl/cu118\ntorch==2.6.0+cu118\n",
                "warning 1",
            ),
            // Traps.
            ("requirements.txt", "torch==2.4.0\nonnxruntime-gpu==1.19.2\ncupy-cuda12x\n", ""),
            ("requirements.txt", "torch==2.4.0+cpu\ncupy-cuda11x\n", ""),
            ("requirements-intel.txt", "torch\nfaster-whisper\n", ""),
            ("requirements-l4t13.txt", "torch==2.11.0\nctranslate2==4.6.0\n", ""),
            ("requirements.txt", "--extra-index-url https://download.pytorch.org/whl/rocm6.2\ntorch\nfaster-whisper\n", ""),
            ("requirements.txt", "cupy-cuda11x\nonnxruntime-gpu==1.17.0\n", ""),
            ("requirements.txt", "torch==2.11.0\ncupy-cuda12x\nnvidia-cuda-nvrtc-cu12\n", ""),
            ("requirements.txt", "torch==2.11.0\ncupy-cuda12x[ctk]\n", ""),
            ("requirements.txt", "torch==2.11.0\nonnxruntime-gpu[cuda]==1.22.0\n", ""),
            // Both bring cuDNN, into one folder.
            ("requirements.txt", "torch==2.11.0\nonnxruntime-gpu[cuda,cudnn]==1.22.0\n", "warning 1"),
            ("requirements.txt", "torch==2.4.0\ntensorflow==2.12.0\n", ""),
            ("requirements.txt", "torch==2.4.0\nonnxruntime==1.17.0\n", ""),
            ("requirements.txt", "torch==2.4.0\nonnxruntime-gpu\n", "warning 2"),
            ("requirements.txt", "torch==2.4.0\nctranslate2>=4,<5\n", ""),
            ("requirements.txt", "torch==2.0.1; python_version < '3.9'\ncupy-cuda12x; python_version >= '3.9'\n", ""),
            (
                "Dockerfile",
                "FROM nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04\nRUN pip install torch==2.4.0 onnxruntime-gpu==1.17.0\n",
                "",
            ),
            ("Dockerfile", "FROM company/base:1\nRUN pip install torch==2.4.0 onnxruntime-gpu==1.17.0\n", ""),
            (
                "Dockerfile",
                "FROM python:3.11\nCOPY --from=nvidia/cuda:11.8.0-runtime-ubuntu22.04 /usr/local/cuda /usr/local/cuda\nRUN pip install torch==2.4.0 cupy-cuda11x\n",
                "",
            ),
            ("install.sh", "apt-get install -y cuda-toolkit-11-8\npip install torch==2.4.0 cupy-cuda11x\n", ""),
            ("install.sh", "module load cuda/11.8\npip install torch==2.4.0 cupy-cuda11x\n", ""),
            ("install.sh", "export LD_LIBRARY_PATH=/usr/local/cuda-11.8/lib64\npip install torch==2.4.0 cupy-cuda11x\n", ""),
            ("install.sh", "sh cuda_11.8.0_520.61.05_linux.run --silent --toolkit\npip install torch==2.4.0 cupy-cuda11x\n", ""),
            (
                "environment.yml",
                "dependencies:\n  - cudatoolkit=11.8\n  - pip:\n      - torch==2.4.0\n      - cupy-cuda11x\n",
                "",
            ),
            (
                "Dockerfile",
                "FROM python:3.11 AS a\nRUN pip install torch==2.4.0\nFROM python:3.11\nRUN pip install cupy-cuda11x\n",
                "",
            ),
        ],
    );
}

#[test]
fn two_majors_of_cudnn() {
    table(
        "cudnn-major-mix",
        &[
            ("requirements.txt", "torch==2.5.1\nctranslate2==4.4.0\n", "error 2"),
            ("requirements.txt", "ctranslate2==4.5.0\ntorch==2.3.1\n", "error 1"),
            ("requirements.txt", "torch>=2,<2.11\nctranslate2==4.4.0\nfaster-whisper==1.1.0\n", "warning 2"),
            ("requirements.txt", "torch==2.5.1\nwhisperx==3.3.1\n", "warning 2"),
            ("requirements.txt", "torch==2.3.1\nonnxruntime-gpu==1.20.0\n", "error 2"),
            ("requirements.txt", "nvidia-cublas-cu12\nnvidia-cudnn-cu12==9.1.0.70\nctranslate2==4.4.0\n", "error 3"),
            ("requirements.txt", "nvidia-cudnn-cu12==8.9.3.28\nctranslate2==4.5.0\n", "error 2"),
            ("environment.yml", "dependencies:\n  - pip:\n      - torch==2.5.1\n      - ctranslate2==4.3.1\n", "error 4"),
            ("Dockerfile", "FROM python:3.11\nARG CT2=4.4.0\nRUN pip install torch==2.6.0 ctranslate2==${CT2}\n", "error 3"),
            (
                "Dockerfile",
                "FROM nvidia/cuda:12.2.2-cudnn8-runtime-ubuntu22.04\nRUN uv pip install --system ctranslate2==4.5.0\n",
                "error 2",
            ),
            ("Dockerfile", "FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\nRUN pip install ctranslate2==4.4.0\n", "error 2"),
            (
                "Dockerfile",
                "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN pip install faster-whisper==1.1.0 ctranslate2==4.5.0\n",
                "error 2",
            ),
            ("setup.sh", "sudo apt-get install -y cudnn9-cuda-12\npip install ctranslate2==4.3.1\n", "error 2"),
            ("setup.sh", "sudo apt install libcudnn8=8.9.7.29-1+cuda12.2\npip install ctranslate2==4.5.0\n", "error 2"),
            ("setup.sh", "module load cudnn/8.9.7\npip install ctranslate2==4.5.0\n", "error 2"),
            ("Makefile", "install:\n\tpip install torch==2.5.1 ctranslate2==4.4.0\n", "error 2"),
            // Traps.
            ("requirements.txt", "torch==2.5.1\nctranslate2==4.5.0\nonnxruntime-gpu==1.20.0\n", ""),
            ("requirements.txt", "torch==2.3.1\nctranslate2==4.4.0\n", ""),
            ("requirements.txt", "torch==2.3.1\nctranslate2==4.7.0\n", ""),
            ("requirements.txt", "torch==2.3.1\nfaster-whisper\n", ""),
            ("requirements.txt", "torch==2.5.1+cpu\nctranslate2==4.4.0\n", ""),
            ("requirements.txt", "ctranslate2==4.4.0\nfaster-whisper==1.0.3\n", ""),
            ("requirements.txt", "torch==2.5.1\ntensorflow==2.15.0\n", ""),
            ("requirements.txt", "--index-url https://wheels.example/pt\ntorch\nctranslate2==4.4.0\n", ""),
            (
                "Dockerfile",
                "FROM nvidia/cuda:12.2.2-cudnn8-runtime-ubuntu22.04\nRUN pip install torch==2.5.1 ctranslate2==4.4.0\n",
                "",
            ),
            ("Dockerfile", "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN pip install ctranslate2==4.5.0\n", ""),
            (
                "Dockerfile",
                "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN apt-get install -y libcudnn9-cuda-12 && pip install faster-whisper==1.1.0 ctranslate2==4.5.0\n",
                "",
            ),
            (
                "Dockerfile",
                "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nCOPY cudnn.deb /tmp/\nRUN pip install faster-whisper==1.1.0 ctranslate2==4.5.0\n",
                "",
            ),
            (
                "Dockerfile",
                "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN pip install nvidia-cudnn-cu12 faster-whisper==1.1.0 ctranslate2==4.5.0\n",
                "",
            ),
            (
                "setup.sh",
                "wget https://developer.download.nvidia.com/compute/cudnn/redist/cudnn/linux-x86_64/cudnn-linux-x86_64-8.9.7.29_cuda12-archive.tar.xz\npip install torch==2.5.1 ctranslate2==4.4.0\n",
                "",
            ),
            ("setup.sh", "sudo apt-get install -y cudnn9-cuda-12 libcudnn8\npip install ctranslate2==4.3.1\n", ""),
            ("setup.sh", "sudo apt-get install -y cudnn\npip install ctranslate2==4.3.1\n", ""),
            ("environment.yml", "dependencies:\n  - cudnn=8.9\n  - pip:\n      - torch==2.5.1\n      - ctranslate2==4.4.0\n", ""),
        ],
    );
}

#[test]
fn a_cudnn_below_what_was_compiled_with() {
    table(
        "cudnn-too-old",
        &[
            ("requirements.txt", "tensorflow==2.12.0\nnvidia-cudnn-cu11==8.5.0.96\n", "error 2"),
            ("requirements.txt", "nvidia-cudnn-cu12==8.8.0.121\ntensorflow==2.15.0\n", "error 1"),
            ("requirements.txt", "tensorflow==2.18.0\nnvidia-cudnn-cu12==9.1.0.70\n", "error 2"),
            ("environment.yml", "dependencies:\n  - cudnn=8.1\n  - pip:\n      - tensorflow==2.12.0\n", "error 2"),
            (
                "environment.yml",
                "dependencies:\n  - pip:\n      - tensorflow==2.13.0\n      - nvidia-cudnn-cu11==8.5.0.96\n",
                "error 4",
            ),
            ("Dockerfile", "FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\nRUN pip install tensorflow==2.18.0\n", "error 1"),
            (
                "Dockerfile",
                "FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\nARG TF=2.19.0\nRUN uv pip install --system tensorflow==${TF}\n",
                "error 1",
            ),
            (
                "Dockerfile",
                "FROM ubuntu:22.04\nRUN apt-get install -y libcudnn8=8.4.1.50-1+cuda11.6\nRUN pip install tensorflow==2.12.0\n",
                "error 2",
            ),
            ("setup.sh", "module load cudnn/8.1.1\npip install tensorflow==2.12.0\n", "error 1"),
            ("Makefile", "install:\n\tpip install tensorflow==2.12.0 nvidia-cudnn-cu11==8.5.0.96\n", "error 2"),
            (
                "environment.yml",
                "channels: [pytorch, nvidia, conda-forge]\ndependencies:\n  - pytorch=2.1.2\n  - pytorch-cuda=11.8\n  - jaxlib=0.4.23=*cuda118*\n",
                "warning 5",
            ),
            // Traps.
            ("requirements.txt", "tensorflow==2.12.0\nnvidia-cudnn-cu11==8.6.0.163\n", ""),
            ("requirements.txt", "tensorflow==2.12.0\nnvidia-cudnn-cu11>=8.5\n", ""),
            ("requirements.txt", "tensorflow[and-cuda]==2.18.0\n", ""),
            ("requirements.txt", "torch==2.0.1\ntensorflow==2.12.0\n", ""),
            ("requirements.txt", "torch==2.0.1\nnvidia-cudnn-cu11==8.5.0.96\ntensorflow==2.12.0\n", ""),
            ("requirements.txt", "tensorflow-cpu==2.12.0\nnvidia-cudnn-cu11==8.5.0.96\n", ""),
            ("requirements.txt", "tensorflow==2.12.0\n", ""),
            ("requirements.txt", "tensorflow\nnvidia-cudnn-cu11==8.5.0.96\n", ""),
            ("Dockerfile", "FROM nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04\nRUN pip install tensorflow==2.12.0\n", ""),
            (
                "Dockerfile",
                "FROM company/base:1\nRUN apt-get install -y libcudnn8=8.4.1.50-1+cuda11.6\nRUN pip install tensorflow==2.12.0\n",
                "",
            ),
            (
                "Dockerfile",
                "FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\nRUN pip install 'tensorflow[and-cuda]==2.18.0'\n",
                "",
            ),
            ("Dockerfile", "FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\nRUN pip install torch==2.6.0\n", ""),
            ("setup.sh", "sudo apt-get install -y libcudnn8\npip install tensorflow==2.12.0\n", ""),
        ],
    );
}
