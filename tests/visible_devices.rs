//! Which GPUs a container or program sees, and with which parts of the driver: what is said of it, and what is left alone.

use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// Path, line and message of each finding of a rule, at warning or above.
fn said(rule: &str, files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings { select: vec![rule.to_owned()], ..Settings::default() });
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    let mut report = linter.report();
    for path in linter.wants() {
        if let Some((_, text)) = files.iter().find(|(known, _)| *known == path) {
            linter.set(&path, text).expect("no configuration");
        }
    }
    if !linter.wants().is_empty() {
        report = linter.report();
    }
    let shown = report.diagnostics.into_iter().map(|found| {
        let at = found.labels[0].at;
        let text = linter.sources().text(at.file);
        let line = text[..at.range().start].matches('\n').count() + 1;
        format!("{}:{line} {}", linter.sources().path(at.file), found.message)
    });
    shown.collect()
}

const UNSET: &str = "visible-devices-unset";
const INVALID: &str = "visible-devices-invalid";
const INCOMPLETE: &str = "capabilities-incomplete";
const CPU: &str = "gpu-requested-for-cpu-image";

fn service(more: &str) -> String {
    format!("services:\n  a:\n    runtime: nvidia\n{more}")
}

#[test]
fn the_runtime_gives_what_the_variable_names() {
    let file = |more: &str| [("compose.yaml", service(more))];
    for (more, speaks) in [
        ("    image: python:3.11\n", true),
        ("    image: docker.io/library/ubuntu:22.04\n", true),
        ("    image: python:3.11\n    environment: [NVIDIA_DRIVER_CAPABILITIES=all]\n", true),
        ("    image: python:3.11\n    environment: [NVIDIA_VISIBLE_DEVICES=all]\n", false),
        ("    image: python:3.11\n    environment: [NVIDIA_VISIBLE_DEVICES]\n", false),
        ("    image: python:3.11\n    environment: {NVIDIA_VISIBLE_DEVICES: \"${X}\"}\n", false),
        ("    image: python:3.11\n    environment: {NVIDIA_VISIBLE_DEVICES: none}\n", false),
        ("    image: python:3.11\n    environment: {CUDA_VERSION: \"12.4\"}\n", false),
        ("    image: python:3.11\n    env_file: missing.env\n", false),
        ("    image: python:3.11\n    gpus: all\n", false),
        ("    image: python:3.11\n    devices: [nvidia.com/gpu=all]\n", false),
        ("    image: python:3.11\n    volumes: [\"/dev/null:/var/run/nvidia-container-devices/all\"]\n", false),
        ("    image: python:3.11\n    extends: {file: other.yml, service: b}\n", false),
        ("    image: nvidia/cuda:12.4.1-base-ubuntu22.04\n", false),
        ("    image: pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime\n", false),
        ("    image: company/app:1\n", false),
        ("    image: $IMAGE\n", false),
        ("    build: elsewhere\n", false),
    ] {
        let [(path, text)] = file(more);
        assert_eq!(said(UNSET, &[(path, &text)]).len(), usize::from(speaks), "{more}");
    }
    for (line, speaks) in [
        ("docker run --runtime=nvidia python:3.11 python x.py", true),
        ("docker run --runtime nvidia -it debian", true),
        ("docker run --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=0 python:3.11", false),
        ("docker run --runtime=nvidia --gpus all python:3.11", false),
        ("docker run --runtime=nvidia $ARGS python:3.11", false),
        ("docker run --runtime=nvidia --env-file x.env python:3.11", false),
        ("docker run --runtime=runc python:3.11", false),
        ("docker run --gpus all python:3.11", false),
    ] {
        assert_eq!(said(UNSET, &[("run.sh", &format!("{line}\n"))]).len(), usize::from(speaks), "{line}");
    }
}

#[test]
fn an_image_of_ones_own_may_set_it() {
    let compose = ("compose.yaml", &*service("    build: .\n"));
    for (dockerfile, speaks) in [
        ("FROM python:3.11\n", true),
        ("FROM python:3.11 AS a\nFROM a\nENV X=1\n", true),
        ("ARG BASE=python:3.11\nFROM $BASE\n", true),
        ("FROM python:3.11 AS a\nENV NVIDIA_VISIBLE_DEVICES all\nFROM a\n", false),
        ("FROM python:3.11\nARG D\nENV NVIDIA_VISIBLE_DEVICES=$D\n", false),
        ("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n", false),
        ("FROM company/base:1\n", false),
        ("ARG BASE\nFROM $BASE\n", false),
    ] {
        assert_eq!(said(UNSET, &[compose, ("Dockerfile", dockerfile)]).len(), usize::from(speaks), "{dockerfile}");
    }
    // Another file of the same service asks Docker itself.
    let over = ("compose.override.yaml", "services:\n  a:\n    gpus: all\n");
    assert!(said(UNSET, &[compose, over, ("Dockerfile", "FROM python:3.11\n")]).is_empty());
    let by_default = ("daemon.json", "{\"default-runtime\": \"nvidia\", \"runtimes\": {\"nvidia\": {\"path\": \"x\"}}}\n");
    assert!(said(UNSET, &[compose, by_default, ("Dockerfile", "FROM python:3.11\n")]).is_empty());
}

#[test]
fn values_are_read_wherever_they_stand() {
    let set = "CUDA_VISIBLE_DEVICES=all";
    for (path, text, line) in [
        ("a.sh", format!("export {set}\n"), 1),
        ("a.sh", format!("{set} python train.py\n"), 1),
        ("a.sh", format!("#!/bin/bash\nif true; then\n  {set} python train.py\nfi\n"), 3),
        ("job.sbatch", format!("#!/bin/bash\n#SBATCH --gres=gpu:1\nexport {set}\nsrun python x.py\n"), 3),
        ("Dockerfile", format!("FROM company/base:1\nENV {set}\n"), 2),
        ("Dockerfile", "FROM company/base:1\nENV A=b \\\n    CUDA_VISIBLE_DEVICES=\"all\"\n".to_owned(), 3),
        ("run.sh", format!("docker run --gpus all -e {set} x\n"), 1),
        ("compose.yaml", format!("services:\n  a:\n    image: x\n    environment: [{set}]\n"), 4),
        ("compose.yaml", format!("services:\n  a:\n    image: x\n    command: bash -c \"{set} python x.py\"\n"), 4),
        (".github/workflows/a.yml", format!("jobs:\n  a:\n    runs-on: [gpu]\n    steps:\n      - run: {set} pytest\n"), 5),
        (
            ".github/workflows/a.yml",
            "jobs:\n  a:\n    runs-on: [gpu]\n    env:\n      CUDA_VISIBLE_DEVICES: all\n    steps:\n      - run: a\n".to_owned(),
            5,
        ),
        ("Makefile", format!("train:\n\t{set} python x.py\n"), 2),
        (
            "pod.yaml",
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: a\n      image: x\n      env:\n        - {name: CUDA_VISIBLE_DEVICES, value: all}\n"
                .to_owned(),
            8,
        ),
    ] {
        let message = "CUDA_VISIBLE_DEVICES=all hides every GPU: CUDA takes numbers and UUIDs";
        assert_eq!(said(INVALID, &[(path, &text)]), [format!("{path}:{line} {message}")], "{text}");
    }
    for (path, text) in [
        ("a.sh", "export CUDA_VISIBLE_DEVICES=$X\n"),
        ("a.sh", "export CUDA_VISIBLE_DEVICES=\"\"\n"),
        ("a.sh", "export HIP_VISIBLE_DEVICES=all\nexport NVIDIA_VISIBLE_DEVICES=all\n"),
        ("a.sh", "echo CUDA_VISIBLE_DEVICES=all\n# CUDA_VISIBLE_DEVICES=all python x.py\n"),
        ("README.md", "```bash\nCUDA_VISIBLE_DEVICES=all python x.py\n```\n"),
        ("compose.yaml", "services:\n  a:\n    image: x\n    environment: [CUDA_VISIBLE_DEVICES=]\n"),
        ("compose.yaml", "services:\n  a:\n    image: x\n    environment: [CUDA_VISIBLE_DEVICES]\n"),
        ("compose.yaml", "services:\n  a:\n    image: x\n    environment: [\"CUDA_VISIBLE_DEVICES=${GPUS}\"]\n"),
        ("Dockerfile", "FROM company/base:1\nENV CUDA_VISIBLE_DEVICES=\"0,1\"\n"),
    ] {
        assert!(said(INVALID, &[(path, text)]).is_empty(), "{text}");
    }
}

#[test]
fn a_container_counts_its_gpus_from_0() {
    let one = "hides every GPU: the container gets one GPU, which is 0 in it";
    for (line, part) in [
        ("docker run --gpus 1 -e CUDA_VISIBLE_DEVICES=1 x", one),
        ("docker run --gpus device=3 -e CUDA_VISIBLE_DEVICES=3 x", one),
        ("docker run --gpus '\"device=2,3\"' -e CUDA_VISIBLE_DEVICES=2,3 x", "gets 2 GPUs, numbered from 0"),
        ("docker run --gpus 2 -e CUDA_VISIBLE_DEVICES=0,2 x", "hides GPU 2 and what follows it"),
        ("docker run --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=2 -e CUDA_VISIBLE_DEVICES=2 x", one),
        ("docker run --gpus 1 -e CUDA_VISIBLE_DEVICES=0 x", ""),
        ("docker run --gpus all -e CUDA_VISIBLE_DEVICES=3 x", ""),
        ("docker run --gpus $N -e CUDA_VISIBLE_DEVICES=3 x", ""),
        ("docker run --gpus 1 -e CUDA_VISIBLE_DEVICES=$N x", ""),
        ("docker run --gpus 1 --privileged -e CUDA_VISIBLE_DEVICES=1 x", ""),
        ("docker run --gpus 1 $ARGS -e CUDA_VISIBLE_DEVICES=1 x", ""),
        ("docker run --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=all -e CUDA_VISIBLE_DEVICES=2 x", ""),
        ("docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=2 -e CUDA_VISIBLE_DEVICES=2 x", ""),
        ("docker run -e CUDA_VISIBLE_DEVICES=2 x", ""),
    ] {
        let found = said(INVALID, &[("run.sh", &format!("{line}\n"))]);
        assert!(found.len() == usize::from(!part.is_empty()) && found.concat().contains(part), "{line}: {found:?}");
    }
    let devices = |more: &str| {
        format!(
            "services:\n  a:\n    image: x\n    environment: {{CUDA_VISIBLE_DEVICES: \"1\"}}\n    deploy:\n      resources:\n        \
             reservations:\n          devices:\n            - {{driver: nvidia, capabilities: [gpu], {more}}}\n"
        )
    };
    for (more, speaks) in [
        ("count: 1", true),
        ("device_ids: ['1']", true),
        ("count: 2", false),
        ("count: all", false),
        ("device_ids: ['0', '1']", false),
    ] {
        assert_eq!(said(INVALID, &[("compose.yaml", &devices(more))]).len(), usize::from(speaks), "{more}");
    }
    let over = ("compose.override.yaml", "services:\n  a:\n    gpus: all\n");
    assert!(said(INVALID, &[("compose.yaml", &devices("count: 1")), over]).is_empty(), "another file gives it all");
    let pod = |count: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: a\n      image: x\n      env: [{{name: \
             CUDA_VISIBLE_DEVICES, value: '1'}}]\n      resources: {{limits: {{nvidia.com/gpu: {count}}}}}\n"
        )
    };
    assert_eq!((said(INVALID, &[("p.yaml", &pod("1"))]).len(), said(INVALID, &[("p.yaml", &pod("2"))]).len()), (1, 0));
}

#[test]
fn parts_of_the_driver() {
    let image = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\n";
    let nvenc = "CMD [\"ffmpeg\", \"-i\", \"a\", \"-c:v\", \"h264_nvenc\", \"b\"]\n";
    for (more, speaks) in [
        ("ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility\n", true),
        ("ENV NVIDIA_DRIVER_CAPABILITIES compute,graphics\n", true),
        ("ENV NVIDIA_DRIVER_CAPABILITIES=video\n", false),
        ("ENV NVIDIA_DRIVER_CAPABILITIES=all\n", false),
        ("ARG C\nENV NVIDIA_DRIVER_CAPABILITIES=$C\n", false),
        // Who runs it may name them.
        ("", false),
    ] {
        let text = format!("{image}{more}{nvenc}");
        assert_eq!(said(INCOMPLETE, &[("Dockerfile", &text)]).len(), usize::from(speaks), "{more}");
    }
    let own = format!("{image}ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility\n{nvenc}");
    let service = |more: &str| format!("services:\n  a:\n    build: .\n    gpus: all\n{more}");
    for (more, lines) in [
        ("", &["Dockerfile:2"][..]),
        ("    environment: {NVIDIA_DRIVER_CAPABILITIES: all}\n", &[]),
        ("    environment: [NVIDIA_DRIVER_CAPABILITIES]\n", &[]),
        ("    environment: {NVIDIA_DRIVER_CAPABILITIES: compute}\n", &["compose.yaml:5"]),
        ("    command: sleep infinity\n", &["Dockerfile:2"]),
    ] {
        let found = said(INCOMPLETE, &[("Dockerfile", &own), ("compose.yaml", &service(more))]);
        let places: Vec<&str> = found.iter().filter_map(|found| found.split(' ').next()).collect();
        assert_eq!(places, lines, "{more}: {found:?}");
    }
    for (line, part) in [
        ("docker run --gpus all debian ffmpeg -hwaccel cuda -i a b", "the usual compute,utility leaves out video"),
        (
            "docker run --gpus 'all,\"capabilities=compute,utility\"' x ffmpeg -c:v h264_nvenc b",
            "the request's compute,utility leaves out video",
        ),
        (
            "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute x nvidia-smi",
            "leaves out utility, which nvidia-smi needs",
        ),
        ("docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=utility vllm/vllm-openai:v0.9.0 --model m", "leaves out compute"),
        (
            "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility -e VK_ICD_FILENAMES=/etc/vulkan/icd.d/nvidia_icd.json x",
            "leaves out graphics",
        ),
        ("docker run --gpus 'all,\"capabilities=compute,video\"' debian ffmpeg -c:v h264_nvenc b", ""),
        ("docker run --gpus all company/ffmpeg:1 ffmpeg -c:v h264_nvenc b", ""),
        ("docker run --gpus all $ARGS debian ffmpeg -c:v h264_nvenc b", ""),
        ("docker run --device nvidia.com/gpu=all debian ffmpeg -c:v h264_nvenc b", ""),
        ("docker run debian ffmpeg -c:v h264_nvenc b", ""),
        ("docker run --gpus all debian ffmpeg -hwaccel auto -i a b", ""),
    ] {
        let found = said(INCOMPLETE, &[("run.sh", &format!("{line}\n"))]);
        assert!(found.len() == usize::from(!part.is_empty()) && found.concat().contains(part), "{line}: {found:?}");
    }
}

#[test]
fn images_for_the_cpu() {
    for (line, speaks) in [
        ("docker run --gpus all ghcr.io/huggingface/text-embeddings-inference:cpu-1.5 --model-id x", true),
        ("docker run --gpus all tensorflow/tensorflow:2.15.0 python train.py", true),
        ("docker run --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=all tensorflow/tensorflow python train.py", true),
        ("docker run --gpus all tensorflow/tensorflow:latest-jupyter", true),
        ("docker run --gpus all ghcr.io/ggml-org/llama.cpp:server -m x", true),
        ("docker run --gpus all tensorflow/tensorflow:2.15.0-gpu python train.py", false),
        ("docker run --gpus all -it tensorflow/tensorflow:2.15.0", false),
        ("docker run --gpus all -it tensorflow/tensorflow:2.15.0 bash", false),
        ("docker run --gpus all tensorflow/tensorflow:2.15.0 nvidia-smi", false),
        ("docker run --gpus all tensorflow/tensorflow:2.15.0 ./program", false),
        ("docker run --gpus all tensorflow/tensorflow:2.15.0 bash -c 'pip install tensorflow[and-cuda] && python x.py'", false),
        ("docker run --gpus all $ARGS tensorflow/tensorflow:2.15.0 python train.py", false),
        ("docker run $GPU tensorflow/tensorflow:2.15.0 python train.py", false),
        ("docker run --gpus all company/app:cpu python train.py", false),
        ("docker run --gpus all ghcr.io/huggingface/text-embeddings-inference:1.5 --model-id x", false),
        ("docker run tensorflow/tensorflow:2.15.0 python train.py", false),
    ] {
        assert_eq!(said(CPU, &[("run.sh", &format!("{line}\n"))]).len(), usize::from(speaks), "{line}");
    }
    let compose = ("compose.yaml", "services:\n  a:\n    build: {context: ., dockerfile: Dockerfile.cpu}\n    gpus: all\n");
    let cpu = "RUN pip install torch==2.3.1 --index-url https://download.pytorch.org/whl/cpu\n";
    let command = "CMD [\"python\", \"serve.py\"]\n";
    for (body, speaks) in [
        (format!("FROM python:3.11\n{cpu}{command}"), true),
        (format!("FROM python:3.11\n{cpu}RUN pip install flask transformers\n{command}"), true),
        (format!("FROM python:3.11\n{cpu}RUN pip install faster-whisper\n{command}"), false),
        (format!("FROM python:3.11\n{cpu}RUN apt-get update && apt-get install -y ffmpeg\n{command}"), false),
        (format!("FROM python:3.11\n{cpu}RUN pip install -r missing.txt\n{command}"), false),
        (format!("FROM company/base:1\n{cpu}{command}"), false),
        (format!("FROM python:3.11\n{cpu}"), false),
        (format!("FROM python:3.11\nRUN pip install torch==2.3.1\n{command}"), false),
        (format!("FROM tensorflow/tensorflow:2.15.0\nRUN pip install flask\n{command}"), true),
        (format!("FROM tensorflow/tensorflow:2.15.0\nRUN pip install 'tensorflow[and-cuda]'\n{command}"), false),
        (format!("FROM tensorflow/tensorflow:2.15.0\nRUN ./install_cuda.sh\n{command}"), false),
    ] {
        assert_eq!(said(CPU, &[compose, ("Dockerfile.cpu", &body)]).len(), usize::from(speaks), "{body}");
    }
}
