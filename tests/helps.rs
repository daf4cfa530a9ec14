//! What a help tells people to write: pins that go together, and are where they are said to be.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

/// `rule: help` of each finding.
fn helps(path: &str, text: &str, host: &str) -> Vec<String> {
    helps_of(&[(path, text)], host)
}

/// The same of several files.
fn helps_of(files: &[(&str, &str)], host: &str) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    if !host.is_empty() {
        linter.host(Origin::CommandLine, "host.toml", host).expect("a host");
    }
    let report = linter.report();
    report.diagnostics.iter().map(|d| format!("{}: {}", d.rule, d.help.as_deref().unwrap_or_default())).collect()
}

#[test]
fn an_index_that_loses_is_pinned_to_what_it_has_together() {
    let lines = "--extra-index-url https://download.pytorch.org/whl/cu113\ntorch\ntorchvision\ntorchaudio\n";
    assert_eq!(
        helps("requirements.txt", lines, ""),
        ["index-shadowed: install torch, torchvision and torchaudio with --index-url of the cu113 index alone, or pin releases \
          that it has and that go together: torch==1.12.1 torchvision==0.13.1 torchaudio==0.12.1"]
    );
    // What is pinned already says which torch; torchaudio's last there is for another one.
    let command = "pip install torch torchvision==0.15.1 torchaudio --extra-index-url https://download.pytorch.org/whl/cu117\n";
    let found = helps("a.sh", command, "");
    assert!(found[0].ends_with("that go together: torch==2.0.0 torchaudio==2.0.1"), "{found:?}");
}

#[test]
fn what_is_pinned_beside_another_build_changes_with_it() {
    let gpu = "[[gpu]]\nname = \"RTX 5090\"\n";
    let pins = "torch==2.4.0\ntorchvision==0.19.0\nxformers==0.0.27.post2\n";
    let found = helps("requirements.txt", pins, gpu);
    assert!(found[0].contains("take torch 2.7.0+cu128 with torchvision 0.22.0 and xformers 0.0.30 from"), "{found:?}");
}

#[test]
fn companions_of_one_command_are_mended_together() {
    let command = "pip install torch==2.4.0 torchvision==0.18.0 torchaudio==2.3.0\n";
    assert_eq!(
        helps("a.sh", command, ""),
        ["companion-mismatch: write torchvision==0.19.0 and torchaudio==2.4.0, the releases for torch 2.4.0, or torch==2.3.0, \
          the release for the others"]
    );
    let later = "pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118\n\
                 pip install torchvision==0.20.1 torchaudio==2.5.1\n";
    let found = helps("a.sh", later, "");
    assert!(found[0].contains("write torchvision==0.16.0 and torchaudio==2.1.0, the releases for torch 2.1.0"), "{found:?}");
}

#[test]
fn forward_compatibility_says_what_it_rests_on() {
    let image = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN pip install torch==2.5.1\n";
    let found = helps("Dockerfile", image, "driver = \"470.182.03\"\n[[gpu]]\nname = \"A100\"\n");
    assert!(found[0].contains("cuda-compat") && found[0].contains("525.60.13"), "{found:?}");
}

#[test]
fn an_image_is_named_that_the_host_starts() {
    let table = [
        // The branches that it admits count, too.
        ("nvidia/cuda:12.6.3-runtime-ubuntu22.04", "535.104.05", "RTX 3090", "nvidia/cuda:12.4.1-runtime-ubuntu22.04"),
        ("nvidia/cuda:12.6.1-cudnn-devel-rockylinux9", "525.105.17", "T4", "nvidia/cuda:12.4.1-cudnn-devel-rockylinux9"),
        // The image that runs there is of an older system.
        ("nvidia/cuda:12.6.3-base-ubuntu24.04", "535.104.05", "RTX 3090", "nvidia/cuda:12.4.1-base-ubuntu22.04"),
        ("vllm/vllm-openai:v0.9.1", "550.54.14", "RTX 3090", "vllm/vllm-openai:v0.8.5"),
        ("nvcr.io/nvidia/pytorch:25.11-py3", "470.57.02", "A100", "nvcr.io/nvidia/pytorch:22.12-py3"),
    ];
    for (image, driver, gpu, other) in table {
        let host = format!("driver = \"{driver}\"\n[[gpu]]\nname = \"{gpu}\"\n");
        let found = helps("Dockerfile", &format!("FROM {image}\n"), &host);
        assert!(found[0].contains(&format!("or take {other}")), "{image}: {found:?}");
        assert_eq!(helps("Dockerfile", &format!("FROM {other}\n"), &host), [""; 0], "{other}");
    }
}

#[test]
fn image_and_package_are_mended_together() {
    let lines = |cuda: &str, index: &str| {
        format!(
            "FROM nvidia/cuda:{cuda}-runtime-ubuntu22.04\nRUN pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/{index}\n"
        )
    };
    let host = "driver = \"560.35.03\"\n[[gpu]]\nname = \"RTX 3090\"\n";
    let found = helps("Dockerfile", &lines("13.0.1", "cu130"), host);
    let both = "or take torch 2.9.1+cu128 from https://download.pytorch.org/whl/cu128 (in place of the cu130 index), and \
                nvidia/cuda:12.6.3-runtime-ubuntu22.04 below it";
    assert!(found.len() == 1 && found[0].ends_with(both), "{found:?}");
    assert_eq!(helps("Dockerfile", &lines("12.6.3", "cu128"), host), [""; 0]);
    // Where the image asks for the newer driver.
    let found = helps("Dockerfile", &lines("12.8.1", "cu126"), &host.replace("560.35.03", "470.57.02"));
    let both = "or take nvidia/cuda:11.8.0-runtime-ubuntu22.04, and take torch 2.7.1+cu118 from https://download.pytorch.org/whl/cu118 (in place of the cu126 index)";
    assert!(found.len() == 1 && found[0].ends_with(both), "{found:?}");
}

#[test]
fn what_only_needs_some_torch_gets_one_beside_it() {
    let found = helps("requirements.txt", "lightning\n", "driver = \"550.54.14\"\n");
    let add = "or add torch==2.14.1+cu126 from https://download.pytorch.org/whl/cu126 beside lightning";
    assert!(found[0].ends_with(add), "{found:?}");
    // A companion is where torch is.
    let found = helps("requirements.txt", "torchvision\n", "driver = \"550.54.14\"\n");
    let take = "or take torch 2.14.1+cu126 with torchvision 0.29.1 from https://download.pytorch.org/whl/cu126";
    assert!(found[0].ends_with(take), "{found:?}");
}

#[test]
fn what_is_made_for_one_torch_is_taken_in_another_release() {
    for lines in ["vllm\n", "vllm\ntorchvision\n"] {
        let found = helps("requirements.txt", lines, "driver = \"550.54.14\"\n");
        assert!(found[0].ends_with("or newer, or take vllm 0.19.1, made for torch 2.10.0 (cu128)"), "{found:?}");
    }
    // None is known that runs there.
    let found = helps("requirements.txt", "xformers\n", "driver = \"470.54.14\"\n");
    assert!(found[0].ends_with("raise the driver to 580.65.06 or newer"), "{found:?}");
}

#[test]
fn what_ends_a_replacement_is_said_with_a_host_too() {
    let command = "pip install torch==2.6.0\npip install torchvision\n";
    let write = "write torchvision==0.21.0, the release for torch 2.6.0";
    assert_eq!(helps("a.sh", command, ""), [format!("torch-replaced-later: {write}")]);
    let found = helps("a.sh", command, "driver = \"535.104.05\"\n");
    assert_eq!(found, [format!("driver-too-old: raise the driver to 580.65.06 or newer, or {write}")]);
    // What was there would not run either.
    let found = helps("a.sh", command, "driver = \"470.104.05\"\n");
    assert!(found[0].contains("torch 2.7.1+cu118 with torchvision 0.22.1 from"), "{found:?}");
    let conda = "conda install pytorch=2.1.2 pytorch-cuda=11.8 -c pytorch -c nvidia\npip install torchvision==0.29.2\n";
    let take = "take torchvision==0.16.2, the release for torch 2.1.2, from conda as torch is, or all of them from pip";
    for host in ["", "driver = \"535.104.05\"\n"] {
        let found = helps("a.sh", conda, host);
        assert!(found.iter().any(|help| help.ends_with(take)), "{found:?}");
    }
}

#[test]
fn a_line_of_a_file_has_no_index_of_its_own() {
    let mut linter = Linter::new(Settings::default());
    let command = |tag: &str| {
        format!("pip install torch==2.4.1 --index-url https://download.pytorch.org/whl/{tag}\npip install -r requirements.txt\n")
    };
    linter.set("a.sh", &command("cu118")).expect("no configuration");
    linter.set("b.sh", &command("cu124")).expect("no configuration");
    linter.set("requirements.txt", "torchaudio==2.5.1\n").expect("no configuration");
    let report = linter.report();
    let found: Vec<_> = report.diagnostics.iter().filter_map(|d| d.help.as_deref()).collect();
    assert_eq!(found, ["install torchaudio==2.4.1, the release for torch 2.4.1, in the command that installs torch"]);
}

#[test]
fn what_is_not_known_to_run_is_not_said_not_to() {
    let lines = "torch==2.5.1\n--index-url https://download.pytorch.org/whl/cu124\n";
    let host = |python: &str| format!("os = \"windows\"\npython = \"{python}\"\n[[gpu]]\nname = \"RTX 5090\"\n");
    // What is built there for older Pythons has no list.
    assert_eq!(helps("requirements.txt", lines, &host("3.9")), ["no-kernels-for-gpu: "]);
    let found = helps("requirements.txt", lines, &host("3.11"));
    assert!(
        found[0].contains(
            "take torch 2.9.0+cu130 from https://download.pytorch.org/whl/cu130 (in place of the cu124 index), which has code"
        ),
        "{found:?}"
    );
}

#[test]
fn each_build_has_its_help() {
    let dockerfile = "ARG CUDA=11.8.0\nFROM nvidia/cuda:${CUDA}-runtime-ubuntu22.04\nCMD [\"nvidia-smi\"]\n";
    let bake = "group \"default\" { targets = [\"a\", \"b\"] }\n\
                target \"a\" {\n  args = { CUDA = \"12.4.1\" }\n}\ntarget \"b\" {\n  args = { CUDA = \"12.8.1\" }\n}\n";
    let files = [("Dockerfile", dockerfile), ("docker-bake.hcl", bake)];
    let found = helps_of(&files, "driver = \"515.65.01\"\n[[gpu]]\nname = \"GTX 1080 Ti\"\n");
    assert_eq!(found.len(), 1, "{found:?}");
    let (old, new) = found[0].split_once("; for CUDA=12.8.1: ").expect("the second build");
    assert!(old.contains("for CUDA=12.4.1: raise the driver to branch 550") && new.contains("branch 570"), "{found:?}");
}

#[test]
fn a_help_for_all_builds_is_said_once() {
    let dockerfile = "ARG CUDA=11.8.0\nFROM nvidia/cuda:${CUDA}-runtime-ubuntu22.04\nCMD [\"nvidia-smi\"]\n";
    let bake = "group \"default\" { targets = [\"a\", \"b\"] }\n\
                target \"a\" {\n  args = { CUDA = \"12.8.0\" }\n}\ntarget \"b\" {\n  args = { CUDA = \"12.8.1\" }\n}\n";
    let files = [("Dockerfile", dockerfile), ("docker-bake.hcl", bake)];
    let found = helps_of(&files, "driver = \"450.80.02\"\n[[gpu]]\nname = \"GTX 1080 Ti\"\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(!found[0].contains("for CUDA=") && found[0].matches("branch 570").count() == 1, "{found:?}");
}

#[test]
fn pinned_parts_of_cuda_go_with_their_build() {
    let gpu = "[[gpu]]\nname = \"RTX 5090\"\n";
    let few = "torch==2.6.0\ntriton==3.2.0\nnvidia-cudnn-cu12==9.1.0.70\nnvidia-curand-cu12==10.3.5.147\n";
    let found = helps("requirements.txt", few, gpu);
    let take = "take torch 2.7.0+cu128 with triton 3.3.0, without the pins of nvidia-cudnn-cu12 and nvidia-curand-cu12, which it \
                brings itself, from https://download.pytorch.org/whl/cu128, which has code";
    assert!(found[0].contains(take), "{found:?}");
    // The tables do not have all that it requires, nor does the file name each by itself.
    let frozen = format!("{few}torchvision==0.21.0\nnvidia-cufft-cu12==11.2.1.3\nnvidia-nccl-cu12==2.21.5\nsympy==1.13.1\n");
    let found = helps("requirements.txt", &frozen, gpu);
    let take = "take torch 2.7.0+cu128 with torchvision 0.22.0, without the pins of what it brings itself (nvidia-* and others; or \
                compile the file anew), from https://download.pytorch.org/whl/cu128, which has code";
    assert!(found.iter().any(|help| help.contains(take)), "{found:?}");
}

#[test]
fn a_tag_that_no_index_in_reach_has_says_its_build() {
    let gpu = "driver = \"570.124.06\"\n[[gpu]]\nname = \"GTX 1080 Ti\"\n";
    let from_pypi = "no-kernels-for-gpu: take torch 2.7.0 from PyPI, which has code that runs on sm_61";
    let found = helps("requirements.txt", "--find-links https://wheels.example/\ntorch==2.7.0+cu128\n", gpu);
    assert_eq!(found, [from_pypi]);
    let add = "local-version-without-index: add --extra-index-url https://download.pytorch.org/whl/cu128, which serves it";
    assert_eq!(helps("requirements.txt", "torch==2.7.0+cu128\n", gpu), [add, from_pypi]);
    // No other index has such a build.
    let name = "local-version-without-index: name the index or page that serves it (--extra-index-url, --find-links)";
    assert_eq!(helps("requirements.txt", "torch==2.7.0+cu999\n", gpu), [name]);
}

const RTX_5090: &str = "[[gpu]]\nname = \"RTX 5090\"\n";

#[test]
fn what_is_installed_twice_has_one_tag_and_one_help() {
    let lines = "--extra-index-url https://download.pytorch.org/whl/cu121\ntorch==2.4.1+cu121\ntorchvision==0.19.1+cu121\n";
    let script = "pip install -r requirements.txt\npip install -r dev.txt\n";
    let twice = "pip install -r requirements.txt\npip install -r requirements.txt\n";
    let dev = "-r requirements.txt\npytest\n";
    let take = "driver-too-old: raise the driver to 525.60.13 or newer, or take torch 2.4.1+cu118 with torchvision 0.19.1+cu118 from \
                https://download.pytorch.org/whl/cu118 (in place of the cu121 index)";
    for script in [script, twice] {
        let files = [("requirements.txt", lines), ("dev.txt", dev), ("setup.sh", script)];
        assert_eq!(helps_of(&files, "driver = \"470.82.01\"\n"), [take]);
    }
}

#[test]
fn beside_a_wheel_that_is_compiled_against_torch_its_cuda_stays() {
    let raise = "driver-too-old: raise the driver to 580.65.06 or newer";
    let host = "driver = \"535.104.05\"\n[[gpu]]\nname = \"A100\"\n";
    let found = helps("requirements.txt", "torch==2.11.0\nvllm==0.25.1\n", host);
    assert_eq!(found, [format!("{raise}, or take torch 2.10.0 with vllm 0.19.1")]);
    // None of its releases is for an older CUDA.
    let found = helps("requirements.txt", "torch==2.11.0\nvllm==0.25.1\n", &host.replace("535.104.05", "470.82.01"));
    assert_eq!(found.len(), 1);
    assert!(!found[0].contains("cu118"), "{found:?}");
    // xformers has a build on the index of that torch.
    let found = helps("requirements.txt", "torch==2.6.0\nxformers==0.0.29.post3\n", &host.replace("535.104.05", "470.82.01"));
    let take = "or take torch 2.6.0+cu118 with xformers 0.0.29.post3 from https://download.pytorch.org/whl/cu118";
    assert!(found[0].ends_with(take), "{found:?}");
    // Nor does one come that the line leaves open.
    let found = helps("requirements.txt", "torch==2.11.0\nvllm\n", host);
    assert_eq!(found, [format!("{raise}, or take torch 2.10.0 with vllm 0.19.1")]);
    // Another CUDA of the same major is one to take.
    let found = helps("requirements.txt", "torch==2.8.0\nvllm==0.10.2\n", "[[gpu]]\nname = \"GTX 1080 Ti\"\n");
    assert!(found[0].contains("take torch 2.8.0+cu126 from https://download.pytorch.org/whl/cu126"), "{found:?}");
}

#[test]
fn another_release_is_for_the_python_that_is_there() {
    let project = |python: &str| {
        format!("[project]\nname = \"x\"\nversion = \"0\"\nrequires-python = \"{python}\"\ndependencies = [\"vllm==0.20.0\"]\n")
    };
    let host = "driver = \"550.54.14\"\n";
    let found = helps("pyproject.toml", &project("==3.12.*"), host);
    assert!(found[0].ends_with("or take vllm 0.19.1, made for torch 2.10.0 (cu128)"), "{found:?}");
    // 0.19.1 is for Python 3.13 at most.
    let found = helps("pyproject.toml", &project("==3.14.*"), host);
    assert!(found[0].ends_with("raise the driver to 580.65.06 or newer"), "{found:?}");
}

#[test]
fn what_is_built_for_a_torch_by_its_own_name_changes_with_it() {
    let h100 = "[[gpu]]\nname = \"H100\"\n";
    let torch = "--extra-index-url https://download.pytorch.org/whl/cu117\ntorch==1.13.1+cu117\n";
    let along = "here built for torch 1.13.1+cu117, changes with it";
    for (line, name, page) in [
        (
            "--find-links https://data.pyg.org/whl/torch-1.13.1+cu117.html\ntorch-scatter==2.1.0\n",
            "torch-scatter",
            ": https://data.pyg.org/whl/torch-2.0.0+cu118.html",
        ),
        ("torch-scatter==2.1.0+pt113cu117\n", "torch-scatter", ": https://data.pyg.org/whl/torch-2.0.0+cu118.html"),
        ("dgl==1.0.2+cu117\n", "dgl", ""),
        (
            "https://github.com/Dao-AILab/flash-attention/releases/download/v2.3.5/\
             flash_attn-2.3.5+cu117torch1.13cxx11abiFALSE-cp310-cp310-linux_x86_64.whl\n",
            "flash-attn",
            "",
        ),
        ("--find-links https://download.openmmlab.com/mmcv/dist/cu117/torch1.13/index.html\nmmcv==2.0.0\n", "mmcv", ""),
    ] {
        let found = helps("requirements.txt", &format!("{torch}{line}"), h100);
        let note = format!("(in place of the cu117 index; {name}, {along}{page}), which has code");
        assert!(found.len() == 1 && found[0].contains(&note), "{line}: {found:?}");
    }
    // What comes from its sources does not.
    let found = helps("requirements.txt", &format!("{torch}pytest==8.0.0\nnumpy==1.26.0+local\n"), h100);
    assert!(!found[0].contains(along), "{found:?}");
}

#[test]
fn the_named_python_bounds_what_is_offered() {
    let lines = |run: &str, pip: &str| {
        format!("FROM nvidia/cuda:11.3.1-devel-ubuntu18.04\nRUN apt-get update && {run}\nRUN {pip} install torch==1.6.0\n")
    };
    for (run, pip) in [
        ("apt-get install -y python3.7", "python3.7 -m pip"),
        ("ln -s /usr/bin/python3.7 /usr/bin/python", "pip"),
        ("ln -sf /usr/bin/python3.8 /usr/bin/python3", "python3 -m pip"),
        ("update-alternatives --install /usr/bin/python python /usr/bin/python3.7 1", "python -m pip"),
    ] {
        let found = helps("Dockerfile", &lines(run, pip), RTX_5090);
        assert_eq!(
            found,
            [
                "no-kernels-for-gpu: no known build of torch for this Python has code that runs on sm_120: take a newer Python, too"
            ],
            "{run}"
        );
    }
    let found = helps("Dockerfile", &lines("apt-get install -y python3.10", "python3.10 -m pip"), RTX_5090);
    assert!(found.iter().all(|help| !help.contains("newer Python")), "{found:?}");
}

#[test]
fn what_pip_has_is_offered_where_it_runs() {
    let conda = "conda install pytorch=2.1.2 pytorch-cuda=11.8 -c pytorch -c nvidia\npip install torchvision==0.17.0\n";
    let found = helps("a.sh", conda, "driver = \"470.82.01\"\n");
    let take = "or take torchvision==0.16.2, the release for torch 2.1.2, from conda as torch is";
    assert!(found.iter().any(|help| help.ends_with(take)), "{found:?}");
}

#[test]
fn an_index_that_is_named_is_what_changes() {
    let project = "[project]\nname = \"x\"\nversion = \"0\"\nrequires-python = \">=3.11\"\n\
                   dependencies = [\"torch==2.9.1\", \"torchvision==0.24.1\"]\n\
                   [tool.uv.sources]\ntorch = { index = \"own\" }\ntorchvision = { index = \"own\" }\n\
                   [[tool.uv.index]]\nname = \"own\"\nurl = \"https://download.pytorch.org/whl/cu130\"\nexplicit = true\n";
    let host = "driver = \"550.54.14\"\n";
    let found = helps("pyproject.toml", project, host);
    let take = "or take torch 2.9.1+cu129 with torchvision 0.24.1 from https://download.pytorch.org/whl/cu129 (in place of the cu130 index)";
    assert!(found[0].ends_with(take), "{found:?}");
    let lines = "--extra-index-url https://download.pytorch.org/whl/cu130\ntorch==2.9.1\n";
    let found = helps("requirements.txt", lines, host);
    assert!(found[0].ends_with("(in place of the cu130 index)") && !found[0].contains("PyPI"), "{found:?}");
}

#[test]
fn a_toolkit_of_conda_s_and_its_framework_are_one_cause() {
    let conda = "conda install pytorch=2.1.2 pytorch-cuda=12.1 -c pytorch -c nvidia\n";
    let found = helps("a.sh", conda, "driver = \"470.82.01\"\n");
    assert_eq!(found, ["driver-too-old: raise the driver to 525.60.13 or newer, or take pytorch-cuda 11.8"]);
}

#[test]
fn each_help_says_which_start_it_is_for() {
    let a = "FROM nvidia/cuda:12.6.3-runtime-ubuntu22.04\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n";
    let b = "FROM nvidia/cuda:11.8.0-runtime-ubuntu22.04\nCOPY requirements.txt .\n\
             RUN pip install -r requirements.txt torchvision==0.19.1\n";
    let files = [("a/Dockerfile", a), ("b/Dockerfile", b), ("requirements.txt", "torch==2.4.1\n")];
    let bake = "group \"default\" { targets = [\"a\", \"b\"] }\ntarget \"a\" {\n  dockerfile = \"a/Dockerfile\"\n}\n\
                target \"b\" {\n  dockerfile = \"b/Dockerfile\"\n}\n";
    let files: Vec<_> = files.into_iter().chain([("docker-bake.hcl", bake)]).collect();
    let found = helps_of(&files, RTX_5090);
    assert_eq!(found.len(), 1, "{found:?}");
    let each = "for a/Dockerfile: take torch 2.7.0+cu128 from";
    assert!(
        found[0].contains(each) && found[0].contains("for b/Dockerfile: take torch 2.7.0+cu128 with torchvision"),
        "{found:?}"
    );
}

#[test]
fn uv_told_to_choose_as_pip_does_loses_an_index_like_pip() {
    let command =
        |strategy: &str| format!("{strategy}uv pip install torch --extra-index-url https://download.pytorch.org/whl/cu118\n");
    assert_eq!(helps("a.sh", &command(""), ""), [""; 0]);
    let told = "index-shadowed: leave uv its own strategy (first-index), or route torch to the cu118 index alone, or pin a release \
                that it has: torch==2.7.1";
    assert_eq!(helps("a.sh", &command("export UV_INDEX_STRATEGY=unsafe-best-match\n"), ""), [told]);
    let option =
        "uv pip install --index-strategy unsafe-best-match torch --extra-index-url https://download.pytorch.org/whl/cu118\n";
    assert_eq!(helps("a.sh", option, ""), [told]);
    let project = "[project]\nname = \"x\"\nversion = \"0\"\ndependencies = [\"torch\"]\n[tool.uv]\nindex-strategy = \"unsafe-best-match\"\n\
                   [[tool.uv.index]]\nname = \"own\"\nurl = \"https://download.pytorch.org/whl/cu118\"\n";
    assert_eq!(helps("pyproject.toml", project, ""), [told]);
}

#[test]
fn an_unknown_image_says_why_it_is_no_error() {
    let image = "FROM example.com/own/base:1\nRUN pip install --no-cache-dir --force-reinstall torch==2.9.1 --index-url https://download.pytorch.org/whl/cu130\n";
    let found = helps("Dockerfile", image, "driver = \"535.104.05\"\n[[gpu]]\nname = \"A100\"\n");
    assert!(found[0].ends_with("(unless the image brings a newer libcuda, cuda-compat: that is not known)"), "{found:?}");
}

#[test]
fn an_environment_where_it_is_milder_is_listed_with_that() {
    let workflow = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        cuda: [cu118, cu121]\n\
                    \u{20}   steps:\n      - run: pip install torch==2.5.1 torchvision==0.19.1 --index-url https://download.pytorch.org/whl/${{ matrix.cuda }}\n";
    let mut linter = Linter::new(Settings::default());
    linter.set(".github/workflows/a.yml", workflow).expect("no configuration");
    let found = linter.report().diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].environments.len(), 2, "{found:?}");
    assert!(found[0].message.contains("(warning in "), "{found:?}");
}

#[test]
fn what_is_concluded_says_from_what() {
    let command =
        |tag: &str| format!("pip install torch==2.5.1 torchvision==0.19.1 --index-url https://download.pytorch.org/whl/{tag}\n");
    for (tag, concluded) in [("cu118", true), ("cu121", false)] {
        let mut linter = Linter::new(Settings::default());
        linter.set("a.sh", &command(tag)).expect("no configuration");
        let found = format!("{:?}", linter.report().diagnostics[0].labels);
        assert_eq!(found.contains("concluded from its build on PyPI"), concluded, "{found}");
    }
}
