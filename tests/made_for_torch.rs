//! What is made for one torch, beside another: extensions, pages of wheels, companions. Each kind in many spellings, and what
//! only looks like it.

use cudalint::diagnostic::Severity;
use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// Findings at warning or above, as `rule file:line severity`.
fn findings(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no mistakes in a configuration");
    }
    // What only a link makes ours is read the next time.
    for _ in 0..2 {
        linter.report();
    }
    let report = linter.report();
    let loud = report.diagnostics.iter().filter(|found| found.severity >= Severity::Warning);
    let shown = loud.map(|found| {
        let at = &found.labels[0].at;
        let path = linter.sources().path(at.file);
        let text = files.iter().find(|(name, _)| *name == path).map_or("", |(_, text)| text);
        let line = text[..at.start as usize].matches('\n').count() + 1;
        format!("{} {path}:{line} {}", found.rule, found.severity.word())
    });
    shown.collect()
}

/// Each project gives this one finding, or none.
#[track_caller]
fn check(rule: &str, projects: &[(&str, &str, &str)]) {
    for (file, text, place) in projects {
        let expected: Vec<String> = if place.is_empty() { Vec::new() } else { vec![format!("{rule} {file}:{place}")] };
        assert_eq!(findings(&[(file, text)]), expected, "{text}");
    }
}

const FLASH: &str = "https://github.com/Dao-AILab/flash-attention/releases/download";
const CU118: &str = "https://download.pytorch.org/whl/cu118";
const CU121: &str = "https://download.pytorch.org/whl/cu121";

#[test]
fn extensions_by_what_they_require() {
    check(
        "extension-for-other-torch",
        &[
            ("requirements.txt", "torch==2.1.0\nxformers==0.0.20\n", "2 error"),
            ("requirements.txt", "torch>=2.2,<2.3\nxformers==0.0.20\n", "2 error"),
            ("Dockerfile", "FROM python:3.10\nRUN pip install torch==2.1.0 xformers==0.0.20\n", "2 error"),
            (
                "Dockerfile",
                "FROM python:3.10\nRUN pip install torch==2.1.0\nRUN pip install --no-deps xformers==0.0.20\n",
                "3 error",
            ),
            (
                "Dockerfile",
                "FROM python:3.10\nARG T=2.1.0\nARG X=0.0.20\nRUN pip install torch==${T} xformers==${X}\n",
                "4 error",
            ),
            (
                "environment.yml",
                "dependencies:\n  - python=3.10\n  - pip\n  - pip:\n    - torch==2.1.0\n    - xformers==0.0.20\n",
                "6 error",
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'x'\nversion = '1'\nrequires-python = '==3.10.*'\ndependencies = ['torch==2.1.0', 'xformers==0.0.20']\n",
                "5 error",
            ),
            (
                "pyproject.toml",
                "[tool.poetry]\nname = 'x'\nversion = '1'\n[tool.poetry.dependencies]\npython = '~3.10'\ntorch = '2.1.0'\nxformers = '0.0.20'\n",
                "7 error",
            ),
            ("Pipfile", "[packages]\ntorch = '==2.1.0'\nxformers = '==0.0.20'\n", "3 error"),
            ("install.sh", "X=0.0.20\nuv pip install torch==2.1.0 xformers==$X\n", "2 error"),
            ("Makefile", "T := 2.1.0\nall:\n\tpip install torch==$(T) xformers==0.0.20\n", "3 error"),
            (
                "Dockerfile",
                "FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-runtime\nRUN pip install --no-deps vllm==0.6.3\n",
                "2 error",
            ),
            // Compiled here, or not there in the end.
            ("install.sh", "pip install torch==2.1.0\npip install --no-binary xformers --no-deps xformers==0.0.20\n", ""),
            (
                "install.sh",
                "pip install torch==2.0.1 xformers==0.0.20\npip uninstall -y xformers\npip install torch==2.1.0\n",
                "",
            ),
            ("install.sh", "pip install torch==2.0.1 xformers==0.0.20\npip install torch==2.1.0 xformers==0.0.22.post7\n", ""),
            ("requirements.txt", "torch==2.1.0\nxformers @ git+https://github.com/facebookresearch/xformers@v0.0.20\n", ""),
            ("requirements.txt", "torch==2.1.0\nxformers\n", ""),
            ("requirements.txt", "torch==2.2.1\ndgl==2.1.0\n", ""),
            ("requirements.txt", "torch==2.0.1\nbitsandbytes==0.41.0\n", ""),
        ],
    );
}

#[test]
fn extensions_by_their_names() {
    let beside = |torch: &str, wheel: &str| format!("torch=={torch}\n{wheel}\n");
    let wheel =
        |version: &str, local: &str| format!("{FLASH}/v{version}/flash_attn-{version}+{local}-cp310-cp310-linux_x86_64.whl");
    for (text, place) in [
        (beside("2.3.0", &wheel("2.5.8", "cu122torch2.2cxx11abiFALSE")), "2 error"),
        (beside("2.3.0", &wheel("2.5.8", "cu122torch2.2cxx11abiFALSE").replace('+', "%2B")), "2 error"),
        (beside("2.3.0", &format!("flash-attn @ {}", wheel("2.5.8", "cu122torch2.2cxx11abiFALSE"))), "2 error"),
        // Another CUDA, another ABI.
        (beside("2.4.0", &wheel("2.7.0", "cu11torch2.4cxx11abiFALSE")), "2 error"),
        (beside("2.3.0", &wheel("2.5.8", "cu122torch2.3cxx11abiTRUE")), "2 error"),
        (format!("--extra-index-url {CU118}\n{}", beside("2.6.0+cu118", &wheel("2.7.4", "cu11torch2.6cxx11abiTRUE"))), "3 error"),
        (
            format!(
                "--extra-index-url https://download.pytorch.org/whl/cu126\n{}",
                beside("2.6.0+cu126", &wheel("2.7.4", "cu12torch2.6cxx11abiFALSE"))
            ),
            "3 error",
        ),
        // Other words for the same.
        (beside("2.2.0", "https://x.example/gsplat-1.0+pt24cu124-cp310-cp310-linux_x86_64.whl"), "2 error"),
        (beside("2.1.0", "https://x.example/natten-0.17.1+torch200cu118-cp310-cp310-linux_x86_64.whl"), "2 error"),
        (beside("2.1.0", "https://x.example/exllamav2-0.0.20+cu121.torch2.2.0-cp310-cp310-linux_x86_64.whl"), "2 error"),
        (
            beside(
                "2.2.0",
                "https://dl.fbaipublicfiles.com/pytorch3d/packaging/wheels/py310_cu121_pyt210/pytorch3d-0.7.5-cp310-cp310-linux_x86_64.whl",
            ),
            "2 error",
        ),
        // Those that fit.
        (beside("2.6.0", &wheel("2.7.4.post1", "cu12torch2.6cxx11abiFALSE")), ""),
        (beside("2.7.0", &wheel("2.8.0", "cu12torch2.7cxx11abiFALSE")), ""),
        (beside("2.7.0", &wheel("2.8.0", "cu12torch2.7cxx11abiTRUE")), ""),
        (format!("--extra-index-url {CU118}\n{}", beside("2.4.0+cu118", &wheel("2.7.0", "cu11torch2.4cxx11abiFALSE"))), ""),
        (
            beside(
                "2.1.0",
                "https://dl.fbaipublicfiles.com/pytorch3d/packaging/wheels/py310_cu121_pyt210/pytorch3d-0.7.5-cp310-cp310-linux_x86_64.whl",
            ),
            "",
        ),
        // What says nothing of torch, or may be read in two ways.
        (beside("2.4.0", "https://x.example/llama_cpp_python-0.2.90+cu118-cp310-cp310-linux_x86_64.whl"), ""),
        (beside("2.4.0", "https://x.example/fast-1.0+script12-cp310-cp310-linux_x86_64.whl"), ""),
        (beside("2.4.0", "https://x.example/natten-0.17.1+torch210cu121-cp310-cp310-linux_x86_64.whl"), ""),
    ] {
        check("extension-for-other-torch", &[("requirements.txt", &text, place)]);
    }
}

#[test]
fn extensions_in_images_and_manifests() {
    let local = "cu122torch2.2cxx11abiFALSE-cp310-cp310-linux_x86_64.whl";
    let dockerfile =
        |image: &str, local: &str| format!("FROM {image}\nRUN pip install {FLASH}/v2.5.8/flash_attn-2.5.8+{local}\n");
    let pyproject = |torch: &str| {
        format!(
            "[project]\nname = 'x'\nversion = '1'\nrequires-python = '==3.10.*'\ndependencies = ['torch=={torch}', 'flash-attn']\n[tool.uv.sources]\nflash-attn = {{ url = '{FLASH}/v2.5.8/flash_attn-2.5.8+{local}' }}\n"
        )
    };
    for (file, text, place) in [
        ("Dockerfile", dockerfile("pytorch/pytorch:2.3.1-cuda12.1-cudnn8-runtime", local), "2 error"),
        // NVIDIA's own torch has the other ABI.
        ("Dockerfile", dockerfile("nvcr.io/nvidia/pytorch:24.01-py3", local), "2 error"),
        ("Dockerfile", dockerfile("nvcr.io/nvidia/pytorch:24.01-py3", &local.replace("FALSE", "TRUE")), ""),
        ("Dockerfile", dockerfile("mycompany/base:1", local), ""),
        ("pyproject.toml", pyproject("2.3.0"), "7 error"),
        ("pyproject.toml", pyproject("2.2.2"), ""),
    ] {
        check("extension-for-other-torch", &[(file, &text, place)]);
    }
}

#[test]
fn an_extra_that_takes_in_another_pins_torch_too() {
    check(
        "extension-for-other-torch",
        &[
            ("requirements.txt", "torchdata\nsglang[all]==0.5.2\n", ""),
            ("requirements.txt", "torch\nsglang[all]==0.5.2\n", ""),
            ("requirements.txt", "torch>=2.0\nsglang[srt]==0.5.2\n", ""),
            ("requirements.txt", "torch==2.6.0\nsglang[all]==0.5.2\n", "2 error"),
        ],
    );
}

#[test]
fn a_nightly_that_was_chosen_for_an_image_goes_with_it() {
    let in_image =
        |image: &str| format!("FROM nvcr.io/nvidia/pytorch:{image}\nRUN pip install flash-attn==2.4.1 --no-build-isolation\n");
    let (goes, also, another) = (in_image("23.12-py3"), in_image("24.01-py3"), in_image("23.11-py3"));
    check(
        "extension-for-other-torch",
        &[("Dockerfile", &goes, ""), ("Dockerfile", &also, ""), ("Dockerfile", &another, "2 warning")],
    );
}

#[test]
fn who_holds_torch_beside_a_list_that_leaves_it_free_has_to_hold_the_companion() {
    let list = ("requirements.txt", "torch>=2.1.0\ntorchaudio>=2.1.0\n");
    let held = ("docs/rtd-requirements.txt", "-r ../requirements.txt\ntorch==2.9.0\n");
    assert_eq!(findings(&[list, held]), ["companion-unpinned docs/rtd-requirements.txt:2 warning"]);
    let (own, with) = (("requirements.txt", "torchaudio\n"), ("rtd-requirements.txt", "-r requirements.txt\ntorch==2.9.0\n"));
    assert_eq!(findings(&[own, with]), ["companion-unpinned requirements.txt:1 warning"]);
}

#[test]
fn extensions_for_another_cuda() {
    for (text, place) in [
        (
            format!(
                "pip install torch==2.5.1 --index-url {CU121}\npip install --no-deps xformers==0.0.29.post1 --index-url {CU118}\n"
            ),
            "2 error",
        ),
        (format!("pip install torch==2.5.1 --index-url {CU118}\npip install xformers==0.0.29.post1\n"), "2 error"),
        (format!("pip install torch==2.5.1 --index-url {CU118}\npip install xformers==0.0.29.post1 --index-url {CU118}\n"), ""),
        (format!("pip install torch==2.5.1 --index-url {CU121}\npip install xformers==0.0.29.post1\n"), ""),
    ] {
        check("extension-for-other-torch", &[("install.sh", &text, place)]);
    }
}

#[test]
fn pages_for_another_torch() {
    let pyg = "https://data.pyg.org/whl/torch-2.0.0+cu117.html";
    for (file, text, place) in [
        ("requirements.txt", format!("-f {pyg}\ntorch==2.1.0\ntorch-scatter\n"), "1 error"),
        ("requirements.txt", format!("-f {}\ntorch==2.1.0\ntorch-sparse\n", pyg.replace('+', "%2B")), "1 error"),
        ("requirements.txt", "-f https://pytorch-geometric.com/whl/torch-1.9.0+cu111.html\ntorch==1.10.0\ntorch-scatter\n".to_owned(), "1 error"),
        ("Dockerfile", format!("FROM python:3.10\nENV PIP_FIND_LINKS={pyg}\nRUN pip install torch==2.1.0 pyg-lib\n"), "2 error"),
        ("install.sh", "T=2.0.0\nC=cu117\nuv pip install torch==2.1.0\nuv pip install torch-scatter --find-links https://data.pyg.org/whl/torch-${T}+${C}.html\n".to_owned(), "4 error"),
        (
            "pyproject.toml",
            format!("[project]\nname = 'x'\nversion = '1'\nrequires-python = '==3.10.*'\ndependencies = ['torch==2.1.0', 'torch-scatter']\n[tool.uv]\nfind-links = ['{pyg}']\n"),
            "7 error",
        ),
        (
            "environment.yml",
            format!("channels: [pytorch, nvidia]\ndependencies:\n  - python=3.10\n  - pytorch=2.1.0\n  - pytorch-cuda=12.1\n  - pip:\n    - --find-links {pyg}\n    - torch-scatter\n"),
            "7 error",
        ),
        ("requirements.txt", "-f https://download.openmmlab.com/mmcv/dist/cu111/torch1.9.0/index.html\ntorch==1.10.0\nmmcv-full==1.4.0\n".to_owned(), "1 error"),
        ("install.sh", "pip install torch==1.9.0+cu111 -f https://download.pytorch.org/whl/torch_stable.html\npip install detectron2 -f https://dl.fbaipublicfiles.com/detectron2/wheels/cu102/torch1.9/index.html\n".to_owned(), "2 error"),
        ("requirements.txt", "-f https://data.dgl.ai/wheels/torch-2.3/cu121/repo.html\ntorch==2.1.0\ndgl\n".to_owned(), "1 error"),
        ("install.sh", format!("pip install torch==2.3.0 --index-url {CU121}\npip install dgl -f https://data.dgl.ai/wheels/torch-2.3/cu118/repo.html\n"), "2 error"),
        ("install.sh", "pip install torch==2.1.0\npip install kaolin==0.15.0 -f https://nvidia-kaolin.s3.us-east-2.amazonaws.com/torch-2.0.1_cu118.html\n".to_owned(), "2 error"),
        ("install.sh", "pip install torch==2.1.0\npip install natten==0.14.6 -f https://shi-labs.com/natten/wheels/cu118/torch2.0.0/index.html\n".to_owned(), "2 error"),
        ("install.sh", "pip install torch==1.12.1\npip install --no-index pytorch3d -f https://dl.fbaipublicfiles.com/pytorch3d/packaging/wheels/py38_cu113_pyt1110/download.html\n".to_owned(), "2 error"),
        ("install.sh", "pip install torch==2.6.0\npip install flashinfer==0.2.0 -i https://flashinfer.ai/whl/cu121/torch2.4/\n".to_owned(), "2 error"),
        // No such page.
        ("requirements.txt", "-f https://data.pyg.org/whl/torch-2.1.0+cu12.1.html\ntorch==2.1.0\ntorch-scatter\n".to_owned(), "1 error"),
        ("requirements.txt", "-f https://data.pyg.org/whl/torch-1.13.0+cu102.html\ntorch==1.13.0\ntorch-scatter\n".to_owned(), "1 error"),
        // It works, on the CPU.
        ("install.sh", format!("pip install torch==2.1.0 --index-url {CU121}\npip install torch-scatter -f https://data.pyg.org/whl/torch-2.1.0+cpu.html\n"), "2 warning"),
        ("install.sh", "pip install torch==2.1.0\npip install torch-scatter -f https://data.pyg.org/whl/torch-2.1.0+cpu.html\n".to_owned(), ""),
        // Those that fit, of which one fits, that nothing is taken from, or that say nothing.
        ("requirements.txt", "-f https://data.pyg.org/whl/torch-2.1.0+cu121.html\ntorch==2.1.2\ntorch-scatter\n".to_owned(), ""),
        ("requirements.txt", format!("-f https://data.pyg.org/whl/torch-2.1.0+cu121.html\n-f {pyg}\ntorch==2.1.0\ntorch-scatter\n"), ""),
        ("requirements.txt", format!("-f {pyg}\ntorch==2.1.0\ntorch-geometric\n"), ""),
        ("requirements.txt", format!("-f {pyg}\ntorch==2.1.0\ntorch-scatter @ git+https://github.com/rusty1s/pytorch_scatter.git\n"), ""),
        ("requirements.txt", "-f https://download.openmmlab.com/mmcv/dist/cu117/torch2.0/index.html\ntorch==2.1.0\nmmcv-lite\n".to_owned(), ""),
        ("requirements.txt", "-f https://data.dgl.ai/wheels/cu121/repo.html\ntorch==2.1.0\ndgl\n".to_owned(), ""),
        ("requirements.txt", "-f https://wheels.example/torch-2.0.0+cu117/natten.html\ntorch==2.1.0\nnatten\n".to_owned(), ""),
        ("install.sh", "pip install torch==2.1.0\npip install torch-scatter -f https://data.pyg.org/whl/torch-$(python -c 'import torch; print(torch.__version__)').html\n".to_owned(), ""),
        ("install.sh", format!("pip install torch-scatter -f {pyg}\n"), ""),
    ] {
        check("find-links-for-other-torch", &[(file, &text, place)]);
    }
}

#[test]
fn builds_of_companions() {
    for (file, text, place) in [
        ("requirements.txt", format!("--extra-index-url {CU118}\n--extra-index-url {CU121}\ntorch==2.1.0+cu118\ntorchvision==0.16.0+cu121\n"), "4 error"),
        ("Dockerfile", format!("FROM python:3.10\nRUN pip install torch==2.1.0 torchvision==0.16.0 --index-url {CU118}\nRUN pip install torchaudio==2.1.0\n"), "3 error"),
        ("install.sh", format!("uv pip install torch==2.1.0 --index-url {CU118}\nuv pip install torchvision==0.16.0\n"), "2 error"),
        (
            "requirements.txt",
            format!("{CU118}/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl\n{CU121}/torchvision-0.16.0%2Bcu121-cp310-cp310-linux_x86_64.whl\n"),
            "2 error",
        ),
        (
            "pyproject.toml",
            format!("[project]\nname = 'x'\nversion = '1'\nrequires-python = '==3.10.*'\ndependencies = ['torch==2.1.0', 'torchvision==0.16.0']\n[tool.uv.sources]\ntorch = {{ index = 'pt' }}\n[[tool.uv.index]]\nname = 'pt'\nurl = '{CU118}'\nexplicit = true\n"),
            "5 error",
        ),
        (
            "pyproject.toml",
            format!("[project]\nname = 'x'\nversion = '1'\nrequires-python = '==3.10.*'\ndependencies = ['torch', 'torchvision==0.16.0']\n[tool.uv.sources]\ntorch = {{ url = '{CU118}/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl' }}\n"),
            "5 error",
        ),
        (
            "pyproject.toml",
            format!("[tool.poetry]\nname = 'x'\nversion = '1'\n[tool.poetry.dependencies]\npython = '~3.10'\ntorch = {{ version = '2.1.0', source = 'pt' }}\ntorchvision = '0.16.0'\n[[tool.poetry.source]]\nname = 'pt'\nurl = '{CU118}'\npriority = 'explicit'\n"),
            "7 error",
        ),
        // Before 0.16 torchvision, and torchaudio, compare the minor, too.
        ("install.sh", "pip install torch==2.0.1 --index-url https://download.pytorch.org/whl/cu118\npip install torchvision==0.15.2\n".to_owned(), "2 error"),
        ("install.sh", format!("pip install torch==2.5.1 --index-url {CU121}\npip install torchaudio==2.5.1\n"), "2 error"),
        ("install.sh", format!("pip install torch==2.5.1 --index-url {CU121}\npip install torchvision==0.20.1\n"), ""),
        // It loads, without the GPU.
        ("install.sh", format!("pip install torch==2.1.0 --index-url {CU118}\npip install torchvision==0.16.0 --index-url https://download.pytorch.org/whl/cpu\n"), "2 warning"),
        (
            "Dockerfile",
            "FROM pytorch/pytorch:2.1.0-cuda11.8-cudnn8-runtime\nRUN pip install --force-reinstall --no-deps torchvision==0.16.0 --index-url https://download.pytorch.org/whl/cpu\n".to_owned(),
            "2 warning",
        ),
        ("requirements.txt", "torch==2.1.0\ntorchvision==0.16.0\ntorchaudio==2.1.0\n".to_owned(), ""),
        ("requirements.txt", format!("--extra-index-url {CU118}\ntorch==2.1.0+cu118\ntorchvision==0.16.0\n"), ""),
        ("install.sh", format!("pip install torch==2.1.0 --index-url {CU118}\npip install torchtext==0.16.0\n"), ""),
        ("install.sh", format!("pip install torch==2.1.0 --index-url {CU121}\npip install torchvision==0.16.0\n"), ""),
        ("install.sh", "pip install torch==2.1.0 --index-url https://artifacts.example/cu118\npip install torchvision==0.16.0\n".to_owned(), ""),
        ("install.sh", "pip install torch==1.9.1+cu111 torchvision==0.10.1+cu111 torchaudio==0.9.1 -f https://download.pytorch.org/whl/torch_stable.html\n".to_owned(), ""),
        (
            "install.sh",
            format!("pip install torch==2.1.0 torchvision==0.16.0 --index-url https://download.pytorch.org/whl/cpu\npip install --force-reinstall torch==2.1.0 torchvision==0.16.0 --index-url {CU118}\n"),
            "",
        ),
    ] {
        check("companion-build-mismatch", &[(file, &text, place)]);
    }
}

#[test]
fn free_companions() {
    check(
        "companion-unpinned",
        &[
            ("requirements.txt", "torch==2.8.0\ntorchaudio\n", "2 warning"),
            ("requirements.txt", "torch==2.8.0\ntorchaudio>=2.0\n", "2 warning"),
            ("requirements.txt", "torch<2.9\ntorchaudio\n", "2 warning"),
            ("requirements.txt", "torch~=2.8.0\ntorchaudio\n", "2 warning"),
            ("Dockerfile", "FROM python:3.11\nRUN pip install torch==2.8.0 torchaudio\n", "2 warning"),
            ("Makefile", "all:\n\tpip install torch==2.8.0 torchaudio\n", "2 warning"),
            ("install.sh", "uv pip install torch==2.5.1\nuv pip install --no-deps torchvision\n", "2 warning"),
            (
                "install.sh",
                "pip install torch==2.8.0 torchaudio --index-url https://download.pytorch.org/whl/cu128\n",
                "1 warning",
            ),
            (
                "environment.yml",
                "dependencies:\n  - python=3.11\n  - pip\n  - pip:\n    - torch==2.8.0\n    - torchaudio\n",
                "6 warning",
            ),
            (
                "pyproject.toml",
                "[tool.poetry]\nname = 'x'\nversion = '1'\n[tool.poetry.dependencies]\npython = '~3.11'\ntorch = '2.8.0'\ntorchaudio = '*'\n",
                "7 warning",
            ),
            ("requirements.txt", "torch==2.8.0\ntorchvision\n", ""),
            ("requirements.txt", "torch==2.8.0\ntorchaudio==2.8.0\n", ""),
            ("requirements.txt", "torch==2.8.0\ntorchaudio<2.9\n", ""),
            ("requirements.txt", "torch\ntorchaudio\n", ""),
            ("requirements.txt", "torch==2.11.0\ntorchaudio\n", ""),
            ("requirements.txt", "--index-url https://artifacts.example/api/pt\ntorch==2.8.0\ntorchaudio\n", ""),
            // Nothing newer has a wheel for that Python, or is on that index.
            ("Dockerfile", "FROM python:3.8\nRUN pip install torch==2.4.1 torchaudio\n", ""),
            ("install.sh", "pip install torch==2.7.1 torchaudio --index-url https://download.pytorch.org/whl/cu118\n", ""),
            // It is another one in the end, or none.
            ("install.sh", "pip install torch==2.8.0 torchaudio\npip install torchaudio==2.8.0\n", ""),
            ("install.sh", "pip install torch==2.8.0 torchaudio\npip uninstall -y torchaudio\n", ""),
            ("Dockerfile", "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime\nRUN pip install torchaudio\n", ""),
            ("requirements.txt", "torch==2.8.0\ntorchaudio @ git+https://github.com/pytorch/audio@v2.8.0\n", ""),
        ],
    );
}
