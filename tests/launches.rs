//! Which launches are said to lack a GPU, and which plainly do without one.

use cudalint::diagnostic::Severity;
use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::{Origin, Span};

/// The messages of `gpu-not-requested`.
fn said(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings { select: vec!["gpu-not-requested".to_owned()], ..Settings::default() });
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    linter.report().diagnostics.into_iter().map(|found| found.message).collect()
}

/// A service on an image that carries a CUDA build, with these further lines.
fn service(more: &str) -> Vec<String> {
    let text = format!("services:\n  a:\n    image: pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime\n{more}");
    said(&[("docker-compose.yml", &text)])
}

#[test]
fn an_image_that_carries_cuda_does_not_need_a_gpu() {
    let carries = "service `a` gets no GPU, though its image carries a CUDA build of torch";
    for command in ["python train.py", "python -m trainer --batch 8", "python app.py --cuda true", "python x.py --device cpus"] {
        assert_eq!(service(&format!("    command: {command}\n")), [carries], "{command}");
    }
    let each = ["service `a` gets no GPU, and needs one: its command starts a process for each GPU"];
    assert_eq!(service("    command: torchrun --nproc-per-node=gpu train.py\n"), each);
    for command in ["python train.py --device cuda", "python -u x.py --device=cuda:0"] {
        let needs = "service `a` gets no GPU, and needs one: its command says that it runs on cuda";
        assert_eq!(service(&format!("    command: {command}\n")), [needs], "{command}");
    }
}

#[test]
fn what_plainly_runs_on_the_cpu_is_left_alone() {
    for command in [
        "python serve.py --device cpu",
        "python serve.py --device=cpu",
        "python serve.py --model_device=CPU:0",
        "python serve.py --device auto",
        "python train.py trainer.accelerator=cpu",
        "python serve.py --no-cuda",
        "python serve.py --no_cuda",
        "python serve.py --cpu",
        "python serve.py --cuda false",
        "python serve.py --use-cuda=0",
        "env CUDA_VISIBLE_DEVICES= python serve.py",
        "python serve.py --device ${DEVICE:-cpu}",
        "[\"sh\", \"-c\", \"exec python serve.py --device cpu\"]",
        "python manage.py migrate",
        "python3.11 -u manage.py migrate",
        "python -m tensorboard.main --logdir x",
        "tensorboard --logdir x",
        "alembic upgrade head",
        "/usr/sbin/nginx",
        "redis-server",
    ] {
        assert!(service(&format!("    command: {command}\n")).is_empty(), "{command}");
    }
    for variable in [
        "DEVICE: cpu",
        "WHISPER_DEVICE: auto",
        "CUDA_VISIBLE_DEVICES: \"\"",
        "CUDA_VISIBLE_DEVICES: \"-1\"",
        "USE_CUDA: \"0\"",
        "FORCE_CPU: \"1\"",
        "DEVICE: ${DEVICE}",
    ] {
        let more = format!("    command: python serve.py\n    environment:\n      {variable}\n");
        assert!(service(&more).is_empty(), "{variable}");
    }
}

#[test]
fn the_image_itself_may_say_cpu() {
    let compose = ("docker-compose.yml", "services:\n  a:\n    build: .\n");
    let base = "FROM pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime\n";
    for (more, speaks) in [
        ("CMD [\"python\", \"serve.py\"]\n", true),
        ("CMD [\"python\", \"serve.py\", \"--device\", \"cpu\"]\n", false),
        ("CMD python serve.py --no-cuda\n", false),
        ("ENV CUDA_VISIBLE_DEVICES=\"\"\nCMD [\"python\", \"serve.py\"]\n", false),
        ("ENV DEVICE=cpu\nCMD [\"python\", \"serve.py\"]\n", false),
        ("CMD [\"tensorboard\", \"--logdir\", \"x\"]\n", false),
    ] {
        let dockerfile = format!("{base}{more}");
        assert_eq!(said(&[compose, ("Dockerfile", &dockerfile)]).len(), usize::from(speaks), "{more}");
    }
}

#[test]
fn a_script_that_runs_an_image_for_gpus_only() {
    for (command, speaks) in [
        ("docker run --rm vllm/vllm-openai:v0.6.3 --model x", true),
        ("docker run --rm vllm/vllm-openai:v0.6.3", true),
        ("docker run ghcr.io/huggingface/text-generation-inference:2.0 --model-id x", true),
        ("docker run --rm vllm/vllm-openai:v0.6.3 --model $MODEL", false),
        ("docker run --rm $ARGS vllm/vllm-openai:v0.6.3 --model x", false),
        ("docker run --rm --entrypoint bash vllm/vllm-openai:v0.6.3", false),
        ("docker run --rm vllm/vllm-openai:v0.6.3 bash", false),
        ("docker run --rm vllm/vllm-openai:v0.6.3 --model x --device cpu", false),
        ("docker run --gpus all vllm/vllm-openai:v0.6.3 --model x", false),
        ("docker run pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime python train.py", false),
        ("docker run pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime", false),
    ] {
        assert_eq!(said(&[("run.sh", &format!("{command}\n"))]).len(), usize::from(speaks), "{command}");
    }
    let elsewhere = ("gpu.sh", "docker run --gpus all vllm/vllm-openai:v0.6.3 --model x\n");
    assert!(said(&[("run.sh", "docker run vllm/vllm-openai:v0.6.3 --model x\n"), elsewhere]).is_empty());
}

#[test]
fn a_pod_lacks_its_gpu_once() {
    let container = |name: &str| format!("    - {{name: {name}, image: 'vllm/vllm-openai:v0.9.0'}}\n");
    let pod = format!("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n{}{}", container("a"), container("b"));
    let needs = "container `a` gets no GPU, and needs one: vllm/vllm-openai:v0.9.0 does nothing without one";
    assert_eq!(said(&[("pod.yaml", &pod)]), [needs]);
    assert_eq!(said(&[("pods.yaml", &format!("{pod}---\n{pod}"))]), [needs, needs]);
}

#[test]
fn one_variable_names_one_image() {
    let dockerfile = ("Dockerfile", "FROM x\nCMD [\"python\", \"a.py\", \"--device\", \"cuda\"]\n");
    let needs = ["the command gets no GPU, and needs one: its command says that it runs on cuda"];
    for (script, said_of_it) in [
        ("I=me/x\ndocker build -t $I .\ndocker run $I\n", &needs[..]),
        ("docker build -t \"$1\" .\ndocker run \"${1}\"\n", &needs),
        ("docker build -t me/x:$(git describe) .\ndocker run me/x:$(git describe)\n", &needs),
        ("docker build -t $A .\ndocker run $B\n", &[]),
        ("docker build -t $(a) .\ndocker run $(a)\n", &[]),
        ("docker build -t $I .\ndocker run $I\ndocker run --gpus all $I\n", &[]),
    ] {
        assert_eq!(said(&[dockerfile, ("run.sh", script)]), said_of_it, "{script}");
    }
    // In another file it may be another.
    assert_eq!(said(&[dockerfile, ("a.sh", "docker build -t $I .\n"), ("b.sh", "docker run $I\n")]), [""; 0]);
}

#[test]
fn an_image_for_either_is_only_mentioned() {
    let mut linter = Linter::new(Settings::default());
    let text = "services:\n  a:\n    image: nvcr.io/nvidia/tritonserver:24.05-py3\n    command: tritonserver --model-repository=/models\n";
    linter.set("compose.yaml", text).expect("no configuration");
    let found = linter.report().diagnostics;
    assert_eq!(found.iter().map(|d| (d.rule, d.severity)).collect::<Vec<_>>(), [("gpu-not-requested", Severity::Info)]);
}

/// A container of an image that carries a CUDA build, in an object of this kind.
fn pod(kind: &str, container: &str) -> Vec<String> {
    let image = "image: pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime";
    let text = format!(
        "apiVersion: v1\nkind: {kind}\nmetadata: {{name: n}}\nspec:\n  template:\n    spec:\n      containers:\n        - {{name: c, {image}, {container}}}\n"
    );
    said(&[("k8s/a.yaml", &text)])
}

#[test]
fn pods_and_services_are_told_alike() {
    let carries = ["container `c` gets no GPU, though its image carries a CUDA build of torch"];
    for container in [
        "command: [python, serve.py]",
        "args: [python, train.py]",
        "command: [torchrun, --nproc_per_node=8, train.py]",
        "args: [python, train.py], resources: {limits: {cpu: 4}}",
        "command: [bash, -c, 'pip install x && python train.py']",
    ] {
        for kind in ["Job", "Deployment", "PyTorchJob"] {
            assert_eq!(pod(kind, container), carries, "{kind} {container}");
        }
        for kind in ["TrainingRuntime", "ServingRuntime", "Anything"] {
            assert!(pod(kind, container).is_empty(), "{kind} {container}");
        }
    }
    for container in [
        "command: [python, -c, print(1)]",
        "command: [sleep, infinity]",
        "args: [sleep, infinity]",
        "command: [bash, -c, 'while true; do sleep 1; done']",
        "command: [celery, -A, app, beat]",
        "command: [python, scripts/download_models.py]",
        "command: [./start.sh]",
        "command: [$(COMMAND)]",
        "tty: true",
    ] {
        assert!(pod("Job", container).is_empty(), "{container}");
    }
    // What all services of a file are given does not make one of them use it.
    for (command, speaks) in [("celery -A app beat", false), ("python scripts/download_models.py", false), ("./run.sh", true)] {
        let more = format!("    command: {command}\n    environment: {{DEVICE: cuda}}\n");
        assert_eq!(service(&more).len(), usize::from(speaks), "{command}");
    }
}

const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: llm}\nspec:\n  template:\n    spec:\n      containers:\n        - {name: server, image: 'vllm/vllm-openai:v0.6.3'}\n";

#[test]
fn a_manifest_that_is_patched_is_not_judged_as_it_stands() {
    let gpu = "resources: {limits: {nvidia.com/gpu: 1}}";
    let patch = |name: &str, container: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n      containers:\n        - {{name: server, {container}}}\n"
        )
    };
    let json = "- op: add\n  path: /spec/template/spec/containers/0/resources\n  value: {limits: {nvidia.com/gpu: 1}}\n";
    let inline = |target: &str, text: &str| {
        let text = text.lines().map(|line| format!("      {line}\n")).collect::<String>();
        format!("resources: [../base]\npatches:\n  - {target}\n    patch: |-\n{text}")
    };
    let base = ("base/kustomization.yaml", "resources: [deploy.yaml]\n");
    let said_with = |kustomization: &str, patch: Option<(&str, &str)>| {
        let mut files = vec![("base/deploy.yaml", DEPLOYMENT), base, ("gpu/kustomization.yaml", kustomization)];
        files.extend(patch);
        said(&files).len()
    };
    assert_eq!(said_with("resources: [../base]\n", None), 1);
    let listed = "resources: [../base]\npatches: [{path: p.yaml}]\n";
    assert_eq!(said_with(listed, Some(("gpu/p.yaml", &patch("llm", gpu)))), 0);
    assert_eq!(said_with(listed, Some(("gpu/p.yaml", &patch("other", gpu)))), 1);
    assert_eq!(said_with(listed, Some(("gpu/p.yaml", &patch("llm", "imagePullPolicy: Always")))), 1);
    assert_eq!(said_with(listed, None), 0, "a patch that cannot be read");
    assert_eq!(said_with(listed, Some(("gpu/p.yaml", "spec: {replicas: 2}\n"))), 1);
    for old in ["patchesStrategicMerge: [p.yaml]", "components: [../c]"] {
        let kustomization = format!("resources: [../base]\n{old}\n");
        let mut files = vec![("base/deploy.yaml", DEPLOYMENT), base, ("gpu/kustomization.yaml", kustomization.as_str())];
        files.push(("c/kustomization.yaml", "kind: Component\npatches: [{path: p.json, target: {kind: Deployment}}]\n"));
        files.push(("c/p.json", "[{\"op\": \"add\", \"path\": \"/spec/template/spec\", \"value\": {}}]"));
        assert_eq!(said(&files).len(), 0, "{old}");
    }
    assert_eq!(said_with(&inline("target: {kind: Deployment, name: llm}", json), None), 0);
    assert_eq!(said_with(&inline("target: {kind: Deployment, name: l.*m}", json), None), 0);
    assert_eq!(said_with(&inline("target: {kind: Deployment, name: other}", json), None), 1);
    assert_eq!(said_with(&inline("target: {kind: StatefulSet}", json), None), 1);
    assert_eq!(said_with(&inline("options: {}", &patch("llm", gpu)), None), 0);
    let unrelated = inline("target: {kind: Deployment}", json).replace("../base", "../nowhere");
    assert_eq!(said_with(&unrelated, None), 1, "what it does not take it does not change");
    let bare = [("base/deploy.yaml", DEPLOYMENT), ("gpu/kustomization.yaml", &inline("target: {kind: Deployment}", json))];
    assert!(said(&bare).is_empty(), "a folder without a kustomization");
    let around = [("a/kustomization.yaml", "resources: [../b]\n"), ("b/kustomization.yaml", "resources: [../a]\n")];
    assert_eq!(said(&around).len(), 0);
}

#[test]
fn compose_files_that_are_read_together() {
    let llm = "services:\n  llm: {image: 'vllm/vllm-openai:v0.6.3'}\n";
    let gpu = "services:\n  llm:\n    deploy: {resources: {reservations: {devices: [{driver: nvidia, capabilities: [gpu]}]}}}\n";
    let include = ("compose.yaml", "include:\n  - path: [llm.yaml, more.yaml]\nservices:\n  web: {image: nginx}\n");
    assert_eq!(said(&[include, ("llm.yaml", llm)]).len(), 1);
    assert!(said(&[include, ("llm.yaml", llm), ("more.yaml", gpu)]).is_empty());
    assert!(said(&[("docker/docker-compose.yml", llm), ("deploy/gpu.compose.yml", gpu)]).is_empty());
    let other = gpu.replace("llm", "other");
    assert_eq!(said(&[("docker/docker-compose.yml", llm), ("deploy/gpu.compose.yml", &other)]).len(), 1);
    let whole = gpu.replace("deploy:", "image: 'mine/llm:1'\n    deploy:");
    assert_eq!(said(&[("a/compose.yml", llm), ("b/compose.yml", &whole)]).len(), 1, "another project of the root");
    assert!(said(&[("a/compose.yml", llm), ("b/compose.gpu.yml", &whole)]).is_empty());
    let dev = ("x/devcontainer.json", "{\"dockerComposeFile\": [\"../llm.yaml\", \"dev.yaml\"], \"service\": \"llm\"}");
    assert!(said(&[("llm.yaml", llm), dev, ("x/dev.yaml", gpu)]).is_empty());
    // A part of a service is nothing that is started.
    let part = "services:\n  llm: {environment: {DEVICE: cuda}}\n";
    assert!(said(&[("compose.part.yml", part)]).is_empty());
}

#[test]
fn the_values_of_a_chart_are_no_compose_file() {
    let values = "services:\n  llm:\n    image: vllm/vllm-openai:v0.6.3\n";
    assert_eq!(said(&[("deploy/stack.yaml", values)]).len(), 1);
    assert!(said(&[("chart/values.yaml", values)]).is_empty());
    assert!(said(&[("deploy/stack.yaml", &format!("{values}    gpu: {{enabled: true}}\n"))]).is_empty());
}

#[test]
fn where_nvidia_is_the_default_runtime() {
    let compose = ("compose.yaml", "services:\n  a: {image: 'vllm/vllm-openai:v0.6.3'}\n");
    assert_eq!(said(&[compose, ("setup.sh", "sudo nvidia-ctk runtime configure --runtime=docker\n")]).len(), 1);
    for (path, text) in [
        ("setup.sh", "sudo nvidia-ctk runtime configure --runtime=docker --set-as-default\n"),
        ("setup.sh", "cat > /etc/docker/daemon.json <<EOF\n{ \"default-runtime\": \"nvidia\" }\nEOF\n"),
        ("etc/daemon.json", "{\"default-runtime\": \"nvidia\"}"),
        ("roles/docker.yml", "docker_options:\n  default-runtime: nvidia\n"),
        ("README.md", "Set `\"default-runtime\": \"nvidia\"` in daemon.json.\n"),
    ] {
        assert!(said(&[compose, (path, text)]).is_empty(), "{path} {text}");
    }
}

/// What is said of these files for an old driver.
fn said_of_driver(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    let host = "driver = \"470.182.03\"\n[[gpu]]\nname = \"GeForce RTX 3080\"\n";
    linter.host(Origin::Outside, "host.toml", host).expect("a host");
    let found = linter.report().diagnostics.into_iter().filter(|d| d.rule != "gpu-not-requested");
    let line = |span: Span| {
        let own = linter.sources().origin(span.file) == Origin::Repository;
        own.then(|| (1 + linter.sources().text(span.file)[..span.range().start].matches('\n').count()).to_string())
    };
    found.map(|d| format!("{} {}", d.rule, d.labels.iter().filter_map(|l| line(l.at)).collect::<Vec<_>>().join(","))).collect()
}

#[test]
fn a_stage_that_nobody_builds_is_no_ones_start() {
    let dockerfile = ("Dockerfile", "FROM ubuntu AS prod\nFROM nvidia/cuda:12.6.0-devel-ubuntu22.04 AS debug\n");
    let said = |with: (&str, &str)| said_of_driver(&[dockerfile, with]).len();
    assert_eq!(said(("x.txt", "")), 1);
    let action = |with: &str| {
        format!(
            "on: push\njobs:\n  b:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: docker/build-push-action@v5\n        with: {{{with}}}\n"
        )
    };
    for (path, prod, last) in [
        (
            "compose.yaml",
            "services: {a: {build: {context: ., target: prod}, gpus: all}}\n".to_owned(),
            "services: {a: {build: ., gpus: all}}\n".to_owned(),
        ),
        ("Makefile", "b:\n\tdocker build --target prod -t x .\n".to_owned(), "b:\n\tdocker build -t x .\n".to_owned()),
        (".github/workflows/b.yml", action("context: ., target: prod"), action("push: true")),
        (".github/workflows/b.yml", action("target: prod"), action("file: Dockerfile, target: debug")),
    ] {
        assert_eq!((said((path, &prod)), said((path, &last))), (0, 1), "{path}");
    }
}

#[test]
fn what_runs_on_the_cpu_asks_nothing_of_the_driver() {
    let cuda = "FROM nvidia/cuda:12.6.0-runtime-ubuntu22.04\n";
    let torch = "FROM python:3.11\nRUN pip install torch==2.4.0\n";
    let compose = |more: &str| format!("services:\n  a:\n    build: .\n{more}");
    for dockerfile in [cuda, torch] {
        let said = |dockerfile: &str, with: (&str, &str)| said_of_driver(&[("Dockerfile", dockerfile), with]).len();
        for (more, speaks) in [
            ("", false),
            ("    command: python serve.py --device cpu\n", false),
            ("    gpus: all\n", true),
            ("    gpus: ${GPUS}\n", true),
            ("  b:\n    build: .\n    gpus: all\n", true),
            ("    profiles: [x]\n    scale: 0\n", true),
        ] {
            let compose = compose(more);
            assert_eq!(said(dockerfile, ("compose.yaml", &compose)), usize::from(speaks), "{dockerfile}{more}");
        }
        let built = ("run.sh", "docker build -t x .\ndocker run x\n");
        assert_eq!(said(dockerfile, built), 0, "{dockerfile}");
        assert_eq!(said(dockerfile, ("run.sh", "docker build -t x .\ndocker push x\n")), 1, "{dockerfile}");
        for (more, speaks) in [
            ("ENV CUDA_VISIBLE_DEVICES=\"\"\nCMD [\"python\", \"serve.py\"]\n", false),
            ("ENV CUDA_VISIBLE_DEVICES=-1\n", false),
            ("CMD [\"python\", \"serve.py\", \"--device\", \"cpu\"]\n", false),
            ("ENTRYPOINT [\"python\", \"serve.py\", \"--no-cuda\"]\nCMD [\"--port\", \"1\"]\n", false),
            ("CMD [\"python\", \"serve.py\", \"--device\", \"auto\"]\n", true),
        ] {
            let dockerfile = format!("{dockerfile}{more}");
            assert_eq!(said(&dockerfile, ("x.txt", "")), usize::from(speaks), "{dockerfile}");
            let gpu = compose("    gpus: all\n    environment: {CUDA_VISIBLE_DEVICES: '0'}\n");
            assert_eq!(said(&dockerfile, ("compose.yaml", &gpu)), 1, "{dockerfile}");
        }
    }
    // How it is run counts, not that it is built elsewhere, too.
    let off = compose("    gpus: all\n    environment: {NVIDIA_DISABLE_REQUIRE: 1}\n");
    let both = [("Dockerfile", cuda), ("compose.yaml", &off), ("ci.sh", "docker build -t x .\n")];
    assert!(said_of_driver(&both).iter().all(|found| !found.starts_with("image-needs")));
    // Where nvidia is the default runtime every container has its driver.
    let daemon = ("daemon.json", "{\"default-runtime\": \"nvidia\"}");
    assert_eq!(said_of_driver(&[("Dockerfile", cuda), ("compose.yaml", &compose("")), daemon]).len(), 1);
}

#[test]
fn an_image_that_a_variable_names_is_changed_there() {
    let run = "IMAGE_NAME=nvidia/cuda:12.6.0-base-ubuntu22.04\nmake\ndocker run --gpus all \"$IMAGE_NAME\" ./x\n";
    assert_eq!(said_of_driver(&[("run.sh", run)]), ["image-needs-newer-driver 1,3"]);
    let part = "TAG=12.6.0-base-ubuntu22.04\ndocker run --gpus all nvidia/cuda:$TAG ./x\n";
    assert_eq!(said_of_driver(&[("run.sh", part)]), ["image-needs-newer-driver 2,1"]);
    let mut linter = Linter::new(Settings::default());
    let text = "#!/bin/bash\n#SBATCH -N 1\nIMAGE_NAME=a/b:1\nsrun --container-image=\"$IMAGE_NAME\" x\n";
    linter.set("train.sbatch", text).expect("no configuration");
    linter.report();
    let names: Vec<_> = linter.environments().map(|e| e.start.name.clone()).collect();
    assert!(names.iter().any(|name| name == "train.sbatch:$IMAGE_NAME"), "{names:?}");
}

/// Built for a CPU or for a GPU, as an argument says.
const EITHER: (&str, &str) = (
    "Dockerfile",
    "FROM python:3.11-slim\nARG VARIANT=cu124\nRUN pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/${VARIANT}\nCMD [\"python\", \"serve.py\"]\n",
);
const MAKEFILE: (&str, &str) = (
    "Makefile",
    "cpu:\n\tdocker build --build-arg VARIANT=cpu -t acme/app:cpu .\ngpu:\n\tdocker build --build-arg VARIANT=cu124 -t acme/app:gpu .\n",
);

#[test]
fn a_service_runs_its_own_build() {
    let gpu = ["service `gpu` gets no GPU, though torch 2.6.0+cu126 is a CUDA build"];
    let both = "services:\n  gpu:\n    build:\n      context: .\n      args: [VARIANT=cu126]\n  cpu:\n    build:\n      context: .\n      args: {VARIANT: cpu}\n";
    assert_eq!(said(&[("compose.yml", both), EITHER]), gpu);
    let cpu = ("compose.yml", "services:\n  cpu:\n    build:\n      context: .\n      args: {VARIANT: cpu}\n");
    let bake = "target \"a\" {\n  args = {VARIANT = \"cpu\"}\n}\ntarget \"b\" {\n  args = {VARIANT = \"cu124\"}\n}\n";
    let workflow = "jobs:\n  a:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        variant: [cu124, cpu]\n    steps:\n      - uses: docker/build-push-action@v6\n        with:\n          context: .\n          tags: acme/app:${{ matrix.variant }}\n          build-args: VARIANT=${{ matrix.variant }}\n";
    for other in [MAKEFILE, ("docker-bake.hcl", bake), (".github/workflows/a.yml", workflow)] {
        assert!(said(&[cpu, EITHER, other]).is_empty(), "{}", other.0);
        let plain = "services:\n  a:\n    build: .\n";
        let speaks = ["service `a` gets no GPU, though torch 2.6.0+cu124 is a CUDA build"];
        assert_eq!(said(&[("compose.yml", plain), EITHER, other]), speaks, "{}", other.0);
    }
    let base = "ARG BASE=python:3.11-slim\nFROM ${BASE}\nCMD [\"python\", \"serve.py\"]\n";
    let worker = "services:\n  gpu:\n    image: acme/app:gpu\n    build:\n      context: .\n      args: {BASE: \"pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime\"}\n  cpu:\n    image: acme/app:cpu\n    build: .\n  worker:\n    image: acme/app:cpu\n    command: python worker.py\n  trainer:\n    image: acme/app:gpu\n    command: python train.py\n";
    let carries = |name: &str| format!("service `{name}` gets no GPU, though its image carries a CUDA build of torch");
    assert_eq!(said(&[("compose.yml", worker), ("Dockerfile", base)]), [carries("gpu"), carries("trainer")]);
}

#[test]
fn an_image_is_of_the_build_that_was_given_its_tag() {
    let pod = |image: &str| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n    - name: a\n      image: {image}\n")
    };
    for (image, speaks) in [
        ("acme/app:cpu", false),
        ("acme/app:gpu", true),
        // Any of the two.
        ("acme/app:1.2", false),
        ("acme/app", false),
    ] {
        let found = said(&[("k8s/pod.yaml", &pod(image)), EITHER, MAKEFILE]);
        assert_eq!(found.len(), usize::from(speaks), "{image}: {found:?}");
    }
    let one = ("Makefile", "gpu:\n\tdocker build -t acme/app:gpu .\n");
    assert_eq!(said(&[("k8s/pod.yaml", &pod("acme/app:1.2")), EITHER, one]).len(), 1);
    // How people build it by hand is not looked at where commands build it, too.
    let readme = ("README.md", "```bash\ndocker build --build-arg VARIANT=cpu -t acme/small .\n```\n");
    assert!(said(&[("k8s/pod.yaml", &pod("acme/small")), EITHER, one, readme]).is_empty());
}

#[test]
fn what_a_build_runs_is_its_own() {
    let dockerfile = (
        "Dockerfile",
        "FROM pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime\nARG DEVICE=cuda\nENV DEVICE=${DEVICE}\nCMD python serve.py --device $DEVICE\n",
    );
    let both = "services:\n  a:\n    build:\n      context: .\n      args: {DEVICE: cpu}\n  b:\n    build: .\n";
    let found = said(&[("compose.yml", both), dockerfile]);
    assert!(found.len() == 1 && found[0].starts_with("service `b` gets no GPU, and needs one"), "{found:?}");
}

#[test]
fn a_service_has_the_gpu_of_the_one_that_it_extends() {
    let run = "    command: python train.py --device cuda\n";
    let base = |more: &str| format!("services:\n  base:\n    image: pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime\n{more}");
    let own = format!("services:\n  a:\n    extends: {{file: ../common/base.yml, service: base}}\n{run}");
    let files = |base: &str, own: &str| said(&[("common/base.yml", base), ("deploy/compose.yml", own)]);
    let gpu = "    gpus: all\n";
    assert!(files(&base(gpu), &own).is_empty());
    assert!(files(&base(""), &format!("{own}{gpu}")).is_empty(), "the base is only there to be extended");
    assert_eq!(files(&base(run), &own).len(), 1, "nobody asks for one");
    let nowhere = own.replace("common/base.yml", "common/other.yml");
    let image = "    image: pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime\n";
    assert!(said(&[("deploy/compose.yml", &format!("{nowhere}{image}"))]).is_empty(), "what it brings is not known");
    let again = "services:\n  base:\n    extends: {file: base.yml, service: base}\n";
    assert!(files(again, &own).is_empty(), "a file that extends itself");
}

#[test]
fn a_container_that_is_made_runs_once_it_is_started() {
    let made = |name: &str, start: &str| format!("docker create {name} vllm/vllm-openai:v0.8.5 --model x\n{start}\n");
    for (made, count) in [
        (made("--name app", "docker start -a app"), 1),
        (made("--name app", "docker container start other app"), 1),
        (made("--name app", "docker start other"), 0),
        (made("--name app", "docker cp app:/x ."), 0),
        (made("--name app --gpus all", "docker start app"), 0),
        (format!("id=$({})\ndocker start $id\n", made("", "").trim()), 1),
        (format!("id=$({})\ndocker cp $id:/x .\n", made("", "").trim()), 0),
    ] {
        assert_eq!(said(&[("run.sh", &made)]).len(), count, "{made}");
    }
}

#[test]
fn a_smoke_test_on_a_lent_runner_tells_nothing_of_other_machines() {
    let dockerfile = ("Dockerfile", "FROM python:3.11\nRUN pip install torch==2.11.0\n");
    let smoke = "docker run app python -c \"import torch\"";
    let job = |on: &str| {
        format!(
            "on: push\njobs:\n  smoke:\n    runs-on: {on}\n    steps:\n      - run: docker build -t app .\n      - run: {smoke}\n"
        )
    };
    let script = format!("docker build -t app .\n{smoke}\n");
    let found = |path: &str, text: &str| said_of_driver(&[dockerfile, (path, text)]).len();
    // Who has a GPU runs the image with it, for all that is told.
    assert_eq!(found(".github/workflows/a.yml", &job("ubuntu-latest")), 1);
    assert_eq!(found(".github/workflows/a.yml", &job("[self-hosted, gpu]")), 0);
    assert_eq!(found("run.sh", &script), 0);
    // What the job itself installs and starts is on the lent machine.
    let own = job("ubuntu-latest").replace("docker build -t app .", "pip install torch==2.11.0").replace("docker run app ", "");
    assert_eq!(said_of_driver(&[(".github/workflows/a.yml", &own)]), Vec::<String>::new());
}

#[test]
fn the_gpu_of_one_pod_of_a_job_is_no_lack_of_the_others() {
    let pod = |image: &str, command: &str, more: &str| {
        format!("{{template: {{spec: {{containers: [{{name: c, image: {image}, command: {command}{more}}}]}}}}}}")
    };
    let gpu = ", resources: {limits: {nvidia.com/gpu: 8}}";
    let job = |launcher: &str, worker: &str| {
        let text = format!(
            "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {{name: j}}\nspec:\n  mpiReplicaSpecs:\n    Launcher: {launcher}\n    Worker: {worker}\n"
        );
        said(&[("job.yaml", &text)]).len()
    };
    let launcher = pod("a", "[mpirun, python, x.py, --device, cuda]", "");
    assert_eq!(job(&launcher, &pod("b", "[sleep, infinity]", gpu)), 0);
    assert_eq!(job(&launcher, &pod("b", "[sleep, infinity]", "")), 1);
    // Objects of one file are no job together.
    let object = |name: &str, gpu: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c, image: {name}, command: [python, x.py, --device, cuda]{gpu}}}]}}\n"
        )
    };
    assert_eq!(said(&[("pods.yaml", &format!("{}---\n{}", object("a", ""), object("b", gpu)))]).len(), 1);
}

#[test]
fn other_ways_to_a_gpu_in_a_pod() {
    let lacks = |metadata: &str, pod: &str, container: &str| {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p{metadata}}}\nspec:\n  {pod}\n  containers:\n  - name: c\n    image: a\n    command: [python, x.py, --device, cuda]\n    {container}\n"
        );
        !said(&[("pod.yaml", &text)]).is_empty()
    };
    let none = "tty: true";
    let device = "volumeMounts: [{name: dev, mountPath: /dev}]";
    for (metadata, pod, container, want) in [
        ("", "hostNetwork: true", none, true),
        ("", "runtimeClassName: nvidia-cdi", none, false),
        ("", "runtimeClassName: my-gpus", none, false),
        ("", "runtimeClassName: '{{ .Values.runtime }}'", none, false),
        (", annotations: {cdi.k8s.io/gpu: nvidia.com/gpu=all}", "hostNetwork: true", none, false),
        (", annotations: {cdi.k8s.io/nic: vendor.com/nic=0}", "hostNetwork: true", none, true),
        ("", "volumes: [{name: dev, hostPath: {path: /dev}}]", device, false),
        ("", "volumes: [{name: dev, hostPath: {path: /dev/nvidia0}}]", device, false),
        ("", "volumes: [{name: dev, hostPath: {path: /dev/shm}}]", device, true),
        ("", "volumes: [{name: dev, hostPath: {path: /dev}}]", none, true),
        ("", "hostNetwork: true", "resources: {requests: {nvidia.com/gpu: 1}}", false),
    ] {
        assert_eq!(lacks(metadata, pod, container), want, "{metadata} {pod} {container}");
    }
}
