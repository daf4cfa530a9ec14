//! Who else is given a GPU or variables, and what that says of a launch.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

const TORCH: &str = "pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime";
const CARRIES: &str = "though its image carries a CUDA build of torch";

/// The messages of `gpu-not-requested`.
fn said(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings { select: vec!["gpu-not-requested".to_owned()], ..Settings::default() });
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    linter.report().diagnostics.into_iter().map(|found| found.message).collect()
}

#[test]
fn a_gpu_of_a_service_beside_is_no_others() {
    let needs = ["service `api` gets no GPU, and needs one: its command says that it runs on cuda"];
    let api = "services:\n  api: {image: acme/api, command: python serve.py --device cuda}\n";
    let train = "  train: {image: acme/api, gpus: all}\n";
    assert_eq!(said(&[("compose.yml", &format!("{api}{train}"))]), needs);
    let variable = format!("services:\n  api: {{image: acme/api, environment: {{DEVICE: cuda}}}}\n{train}");
    assert_eq!(said(&[("compose.yml", &variable)]).len(), 1);
    // Three of one file, then one of another.
    let more = format!("{api}{train}  a: {{image: acme/api, gpus: all}}\n  b: {{image: acme/api, gpus: all}}\n");
    assert_eq!(said(&[("compose.yml", &more)]), needs);
    assert!(said(&[("compose.yml", &more), ("z/compose.yml", &format!("services:\n{train}"))]).is_empty());
    // Another way of running it.
    assert!(said(&[("compose.yml", &format!("{api}  train: {{image: acme/api, gpus: all, profiles: [gpu]}}\n"))]).is_empty());
    assert!(said(&[("compose.yml", api), ("run.sh", "docker run --gpus all acme/api\n")]).is_empty());
    // Where only the image speaks of CUDA, one that has a GPU shows that it is cared for.
    let image =
        format!("services:\n  api: {{image: '{TORCH}', command: python serve.py}}\n  train: {{image: '{TORCH}', gpus: all}}\n");
    assert!(said(&[("compose.yml", &image)]).is_empty());
}

#[test]
fn a_service_counts_with_its_own_target() {
    let dockerfile = "FROM python:3.11-slim AS base\nRUN pip install torch==2.4.1\nFROM base AS train\nCMD [\"torchrun\", \"--nproc_per_node=gpu\", \"train.py\"]\nFROM base AS dev\nCMD [\"bash\"]\n";
    let service = |dev: &str| {
        format!(
            "services:\n  train:\n    build: {{context: ., target: train}}\n  dev:\n    build: {{context: ., target: {dev}}}\n    gpus: all\n"
        )
    };
    let needs = ["service `train` gets no GPU, and needs one: its command starts a process for each GPU"];
    for dev in ["dev", "train"] {
        assert_eq!(said(&[("Dockerfile", dockerfile), ("compose.yml", &service(dev))]), needs, "{dev}");
    }
    let alone = "services:\n  train:\n    build: {context: ., target: train}\n";
    let container = "{\"build\": {\"dockerfile\": \"../Dockerfile\", \"context\": \"..\", \"target\": \"dev\"}, \"runArgs\": [\"--gpus\", \"all\"]}";
    let files = [("Dockerfile", dockerfile), ("compose.yml", alone), (".devcontainer/devcontainer.json", container)];
    assert_eq!(said(&files), needs);
    let same = container.replace("\"dev\"", "\"train\"");
    assert!(said(&[files[0], files[1], (".devcontainer/devcontainer.json", &same)]).is_empty());
}

#[test]
fn nothing_that_is_run_elsewhere_mends_a_manifest_for_gpu_nodes() {
    let pod = |node: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: infer}}\nspec:\n  {node}\n  containers:\n    - {{name: s, image: 'reg.example/s:1', args: ['--device=cuda']}}\n"
        )
    };
    let selector = pod("nodeSelector: {cloud.google.com/gke-accelerator: nvidia-tesla-t4}");
    let toleration = pod("tolerations: [{key: nvidia.com/gpu, operator: Exists}]");
    let compose = ("docker-compose.dev.yml", "services:\n  s: {image: 'reg.example/s:1', gpus: all}\n");
    let page = ("README.md", "```sh\ndocker run --gpus all reg.example/s:1\n```\n");
    for manifest in [&selector, &toleration] {
        for elsewhere in [compose, page] {
            let all = said(&[("k8s/pod.yaml", manifest), elsewhere]);
            assert_eq!(all, ["container `s` gets no GPU, and needs one: it is sent to a node with a GPU"], "{}", elsewhere.0);
        }
        let other = pod("restartPolicy: Never")
            .replace("infer}", "other}")
            .replace("args:", "resources: {limits: {nvidia.com/gpu: 1}}, args:");
        assert!(said(&[("k8s/pod.yaml", manifest), ("k8s/other.yaml", &other)]).is_empty());
    }
    assert!(said(&[("k8s/pod.yaml", &pod("restartPolicy: Never")), compose]).is_empty());
}

#[test]
fn a_patch_gives_the_gpu_to_one_container_of_a_pod() {
    let pod = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  template:\n    spec:\n      nodeSelector: {nvidia.com/gpu.present: 'true'}\n      containers:\n        - {name: s, image: 'reg.example/s:1'}\n        - {name: dcgm, image: 'nvcr.io/nvidia/k8s/dcgm-exporter:3.3.5-3.4.1-ubuntu22.04'}\n";
    let patch = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  template:\n    spec:\n      containers:\n        - name: s\n          resources: {limits: {nvidia.com/gpu: 1}}\n";
    let files = [
        ("base/d.yaml", pod),
        ("base/kustomization.yaml", "resources: [d.yaml]\ncomponents: [../comp]\n"),
        (
            "comp/kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: gpu.yaml}]\n",
        ),
        ("comp/gpu.yaml", patch),
    ];
    assert_eq!(said(&files[..2]).len(), 1);
    assert!(said(&files).is_empty());
    let other = patch.replace("{name: s}", "{name: t}");
    assert_eq!(said(&[files[0], files[1], files[2], ("comp/gpu.yaml", &other)]).len(), 1);
}

#[test]
fn variables_from_elsewhere() {
    let pod = |from: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - name: d\n    image: {TORCH}\n    command: [python, serve.py]\n    envFrom: [{from}]\n"
        )
    };
    let map = |data: &str| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{{data}}}\n");
    let of_map = pod("{configMapRef: {name: c}}");
    let carries = [format!("container `d` gets no GPU, {CARRIES}")];
    for data in ["DEVICE: cpu", "CUDA_VISIBLE_DEVICES: ''", "NUM_GPUS: '0'"] {
        assert!(said(&[("k/p.yaml", &format!("{of_map}{}", map(data)))]).is_empty(), "{data}");
    }
    assert_eq!(said(&[("k/p.yaml", &format!("{of_map}{}", map("PORT: '80'")))]), carries);
    let cuda = said(&[("k/p.yaml", &format!("{of_map}{}", map("DEVICE: cuda")))]);
    assert_eq!(cuda, ["container `d` gets no GPU, and needs one: DEVICE=cuda"]);
    let own = of_map.replace("envFrom", "env: [{name: DEVICE, value: cuda}]\n    envFrom");
    assert_eq!(said(&[("k/p.yaml", &format!("{own}{}", map("DEVICE: cpu")))]), cuda, "its own goes before");
    for unknown in ["{configMapRef: {name: c}}", "{secretRef: {name: s}}", "{prefix: X_, configMapRef: {name: c}}"] {
        assert!(said(&[("k/p.yaml", &pod(unknown))]).is_empty(), "{unknown}");
    }
    let twice = format!("{of_map}{}{}", map("PORT: '80'"), map("PORT: '81'"));
    assert!(said(&[("k/p.yaml", &twice)]).is_empty(), "which of two is applied is not known");
    let generated = |how: &str| {
        let kustomization = format!("resources: [p.yaml]\nconfigMapGenerator:\n- name: c\n  {how}\n");
        said(&[("k/p.yaml", &of_map), ("k/kustomization.yaml", &kustomization)])
    };
    assert!(generated("literals: [DEVICE=cpu]").is_empty());
    assert_eq!(generated("literals: [PORT=80]"), carries);
    assert!(generated("envs: [c.env]").is_empty());
    // What does nothing without a GPU needs one whatever the variables.
    let only =
        pod("{secretRef: {name: s}}").replace(TORCH, "vllm/vllm-openai:v0.6.3").replace("    command: [python, serve.py]\n", "");
    assert_eq!(said(&[("k/p.yaml", &only)]).len(), 1);

    let service = format!("services:\n  d:\n    image: {TORCH}\n    command: python serve.py\n    env_file: app.env\n");
    assert!(said(&[("compose.yml", &service)]).is_empty(), "a file that is not there");
    assert_eq!(said(&[("compose.yml", &service), ("app.env", "PORT=80\n")]).len(), 1);
    assert!(said(&[("compose.yml", &service), ("app.env", "ACCELERATOR=cpu\n")]).is_empty());
}

#[test]
fn words_that_choose_the_cpu_wherever_they_stand() {
    let chosen = [
        "--gpu_ids -1",
        "--gpu -1",
        "--gpu_id=-1",
        "--execution-providers cpu",
        "--execution-provider cpu",
        "--execution-providers CPUExecutionProvider",
        "--devices cpu",
        "--platform cpu",
        "--n-gpu-layers 0",
        "-ngl 0",
        "--backend onnx-cpu",
        "--dist-backend gloo",
        "--config configs/cpu.yaml",
    ];
    for words in chosen {
        let command = format!("services:\n  a: {{image: '{TORCH}', command: python serve.py {words}}}\n");
        assert!(said(&[("compose.yml", &command)]).is_empty(), "{words}");
        let quoted: Vec<String> = words.split([' ']).map(|word| format!("\"{word}\"")).collect();
        let list = quoted.join(", ");
        let pod = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - {{name: a, image: '{TORCH}', command: [python, serve.py], args: [{list}]}}\n"
        );
        assert!(said(&[("pod.yaml", &pod)]).is_empty(), "{words}");
    }
    for words in &chosen[..10] {
        let quoted: Vec<String> = words.split([' ']).map(|word| format!("\"{word}\"")).collect();
        for instruction in ["CMD", "ENTRYPOINT"] {
            let file = format!("FROM {TORCH}\n{instruction} [\"python\", \"serve.py\", {}]\n", quoted.join(", "));
            let compose = "services:\n  a: {build: .}\n";
            assert!(said(&[("Dockerfile", &file), ("compose.yml", compose)]).is_empty(), "{instruction} {words}");
        }
        let run = format!("docker run acme/x --device cuda {words}\n");
        assert!(said(&[("run.sh", &run)]).is_empty(), "{words}");
    }
    for words in ["--gpu_ids 0", "-ngl 99", "--cpu-offload", "--devices 1", "--num-cpus 4"] {
        let command = format!("services:\n  a: {{image: '{TORCH}', command: python serve.py {words}}}\n");
        assert_eq!(said(&[("compose.yml", &command)]).len(), 1, "{words}");
    }
    for variable in ["ACCELERATOR: cpu", "NUM_GPUS: '0'", "GPU_ENABLED: 'no'", "MODE: cpu", "GPU_IDS: '-1'"] {
        let service =
            format!("services:\n  a:\n    image: {TORCH}\n    command: python serve.py\n    environment: {{{variable}}}\n");
        assert!(said(&[("compose.yml", &service)]).is_empty(), "{variable}");
    }
    for more in ["profiles: [cpu]", "container_name: x"] {
        let name = if more.starts_with("profiles") { "api" } else { "api-cpu" };
        let service = format!("services:\n  {name}:\n    image: {TORCH}\n    command: python serve.py\n    {more}\n");
        assert!(said(&[("compose.yml", &service)]).is_empty(), "{more}");
    }
}

#[test]
fn hooks_of_podman_may_give_a_gpu() {
    let image = "vllm/vllm-openai:v0.6.3";
    assert_eq!(said(&[("run.sh", &format!("podman run {image}\n"))]).len(), 1);
    for options in
        ["run --hooks-dir=/usr/share/containers/oci/hooks.d", "--hooks-dir /etc/hooks run", "--hooks-dir=/etc/hooks run"]
    {
        assert!(said(&[("run.sh", &format!("podman {options} {image}\n"))]).is_empty(), "{options}");
    }
}

#[test]
fn a_demand_that_a_file_sets_is_lowered_there() {
    let help = |dockerfile: &str| {
        let mut linter = Linter::new(Settings::default());
        linter.set("Dockerfile", dockerfile).expect("no configuration");
        linter.host(Origin::Outside, "host.toml", "driver = \"535.104.05\"\n[[gpu]]\nname = \"RTX 3090\"\n").expect("a host");
        let said = linter.report().diagnostics.into_iter().filter(|found| found.rule == "image-needs-newer-driver");
        said.map(|found| found.help.unwrap_or_default()).collect::<Vec<_>>()
    };
    let own = "raise the driver to branch 570 or newer, or lower or remove this line";
    assert_eq!(help("FROM python:3.11-slim\nENV NVIDIA_REQUIRE_CUDA=cuda>=12.8\nCMD python a.py\n"), [own]);
    let torch = help(
        "FROM python:3.11-slim\nENV NVIDIA_REQUIRE_CUDA=cuda>=12.8\nRUN pip install torch==2.4.1 --index-url https://download.pytorch.org/whl/cu121\nCMD python a.py\n",
    );
    assert!(torch[0].starts_with(&format!("{own}: what is inside runs from driver ")), "{torch:?}");
    assert_eq!(help("FROM nvidia/cuda:12.1.1-base-ubuntu22.04\nENV NVIDIA_REQUIRE_CUDA=cuda>=12.8\nCMD python a.py\n"), [own]);
    let both = help("FROM nvidia/cuda:12.8.1-base-ubuntu22.04\nENV NVIDIA_REQUIRE_CUDA=cuda>=12.8\nCMD python a.py\n");
    assert!(both[0].contains("take an older image"), "{both:?}");
}
