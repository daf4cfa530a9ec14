//! Requests for a GPU that are refused or read otherwise, in all the ways of writing one, and those that are right.

use cudalint::linter::Linter;
use cudalint::settings::Settings;

/// Line, severity and message of each finding of `gpu-request-malformed`.
fn said(files: &[(&str, &str)]) -> Vec<String> {
    let mut linter = Linter::new(Settings { select: vec!["gpu-request-malformed".to_owned()], ..Settings::default() });
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    let found = linter.report().diagnostics.into_iter();
    let shown = found.map(|found| {
        let at = found.labels[0].at;
        let text = linter.sources().text(at.file);
        let line = text[..at.range().start].lines().count().max(1) + usize::from(text[..at.range().start].ends_with('\n'));
        format!("{line} {:?} {}", found.severity, found.message)
    });
    shown.collect()
}

#[track_caller]
fn one(files: &[(&str, &str)], part: &str) {
    let found = said(files);
    assert!(found.len() == 1 && found[0].contains(part), "{files:#?}\nwants {part}, finds {found:#?}");
}

#[track_caller]
fn none(files: &[(&str, &str)]) {
    assert_eq!(said(files), [""; 0], "{files:#?}");
}

const ONE: &str = "is one argument, which docker takes for the name of an option";

#[test]
fn options_of_docker_run() {
    for (line, part) in [
        ("docker run \"--gpus all\" x", "Error `--gpus all` is one"),
        ("docker run --rm '--gpus all' -it x python a.py", ONE),
        ("docker run \"--gpus ${N}\" x", "`--gpus …` is one"),
        ("docker container run --rm '--runtime nvidia' x", ONE),
        ("docker create \"--device nvidia.com/gpu=all\" x", ONE),
        ("podman run \"--gpus all\" x", ONE),
        (
            "docker run --gpus device=0,1 x",
            "Error docker parts `--gpus device=0,1` at its commas, takes `1` for a count of GPUs, and refuses it",
        ),
        ("docker run --gpus=device=0,1 x", "takes `1`"),
        ("docker run --gpus \"device=0,1\" x", "takes `1`"),
        ("docker run --gpus='device=1,2,3' x", "takes `3`"),
        ("sudo docker run -d --gpus device=GPU-1f,GPU-2e x", "takes `GPU-2e`"),
        ("docker run --gpus device=1,0 x", "Warning docker parts `--gpus device=1,0` at its commas, takes `0`"),
        ("docker run --gpus 0,1 x", "Warning docker parts"),
        ("docker run --gpus all,capabilities=compute,utility x", "takes `utility`"),
        ("docker run --gpus 0.5 x", "Error docker cannot read `0.5`"),
        ("docker run --rm --gpus nvidia/cuda:12.4.1-base-ubuntu22.04 nvidia-smi", "cannot read `nvidia/cuda:12.4.1"),
        ("docker run --gpus device=0,device=1 x", "cannot read"),
        ("docker run --gpus \"'device=0'\" x", "cannot read"),
        ("docker run --gpus all,device=0 x", "cannot read"),
        ("docker run --gpus true x", "cannot read `true`"),
        ("docker run --gpu all x", "Error `docker run` has no option `--gpu`"),
        ("docker run --gpu=all x", "no option `--gpu`"),
        ("docker run -gpus all x", "no option `-gpus`"),
        ("docker run -it --rm -gpus=all x", "no option `-gpus`"),
        ("docker build --gpus all -t x .", "Error `docker build` has no option `--gpus`"),
        ("docker buildx build --gpus=all -t a -t b .", "no option `--gpus`"),
        ("nvidia-docker run --gpus device=0,1 x", "takes `1`"),
    ] {
        one(&[("run.sh", &format!("#!/bin/bash\n{line}\n"))], part);
        assert!(said(&[("run.sh", &format!("#!/bin/bash\n{line}\n"))])[0].starts_with("2 "), "{line}");
        let job = format!("jobs:\n  a:\n    runs-on: [self-hosted]\n    steps:\n      - run: |\n          {line}\n");
        one(&[(".github/workflows/a.yml", &job)], part);
        one(&[(".gitlab-ci.yml", &format!("a:\n  script:\n    - |\n      {line}\n"))], part);
        // In a makefile a dollar sign begins a variable of its own.
        if !line.contains('$') {
            one(&[("Makefile", &format!("run:\n\t{line}\n"))], part);
        }
    }
}

#[test]
fn options_that_docker_takes() {
    for line in [
        "docker run --gpus all x",
        "docker run --gpus=all x",
        "docker run --gpus \"all\" x",
        "docker run --gpus 2 x",
        "docker run --gpus 0 x",
        "docker run --gpus -1 x",
        "docker run --gpus device=0 x",
        "docker run --gpus '\"device=0,1\"' x",
        "docker run --gpus \\\"device=0,1\\\" x",
        "docker run --gpus \"\\\"device=0,1\\\"\" x",
        "docker run --gpus='\"device=0,1\"' x",
        "docker run --gpus '\"device=0,1\",\"capabilities=compute,utility\"' x",
        "docker run --gpus 'all,capabilities=utility' x",
        "docker run --gpus 'all,\"capabilities=compute,utility\"' x",
        "docker run --gpus device=$GPU x",
        "docker run --gpus \"$GPUS\" x",
        "docker run --gpus device=${A},${B} x",
        "docker run $GPU_FLAG x",
        "docker run ${GPU:+--gpus all} x",
        "GPU='--gpus all'\ndocker run $GPU x",
        "GPU='--gpus all'; docker run ${GPU} x",
        "docker run ${GPU:---gpus all} x",
        "docker run --runtime nvidia --device nvidia.com/gpu=all x",
        "docker run x python train.py --gpus 0,1",
        "docker run x python train.py --gpu all",
        "docker run -e A='--gpus all' x",
        "docker run --label '--gpus all' x",
        "docker run --name \"a --gpus b\" x",
        "python train.py --gpus 0,1 --gpu 3",
        "podman run --gpus device=0,1 x",
        "docker build --build-arg G='--gpus all' .",
        "echo 'docker run --gpus device=0,1 x'",
        "# docker run --gpus device=0,1 x",
        "docker run --gpus all \"$@\"",
        "cat > a.sh <<EOF\ndocker run --gpus $N x\nEOF\nbash a.sh",
    ] {
        none(&[("run.sh", &format!("#!/bin/bash\n{line}\n"))]);
    }
    // What people write in pages is not ours to judge.
    none(&[("README.md", "```bash\ndocker run --gpus device=0,1 x\n```\n")]);
}

#[test]
fn arguments_of_a_dev_container() {
    let of = |arguments: &str| format!("{{\n  \"image\": \"x\",\n  \"runArgs\": [{arguments}]\n}}\n");
    for (arguments, part) in [
        (r#""--gpus all""#, "3 Error `--gpus all` is one"),
        (r#""--ipc=host", "--gpus all", "--rm""#, ONE),
        (r#""--gpus 1""#, ONE),
        (r#""--gpus device=0""#, ONE),
        (r#""--gpus ${localEnv:GPUS}""#, ONE),
        (r#""--gpus all --ipc=host""#, ONE),
        (r#""--runtime nvidia""#, ONE),
        (r#""--gpus", "device=0,1""#, "takes `1`"),
        (r#""--gpus=device=0,1""#, "takes `1`"),
        (r#""--gpus", "'all'""#, "cannot read `'all'`"),
        (r#""--gpus", "'\"device=0,1\"'""#, "cannot read"),
        (r#""--gpu", "all""#, "no option `--gpu`"),
        (r#""-gpus=all""#, "no option `-gpus`"),
    ] {
        one(&[(".devcontainer/devcontainer.json", &of(arguments))], part);
    }
    for arguments in [
        r#""--gpus", "all""#,
        r#""--gpus=all""#,
        r#""--gpus", "\"device=0,1\"""#,
        r#""--gpus=\"device=0,1\"""#,
        r#""--gpus", "device=0""#,
        r#""--gpus", "${localEnv:GPUS:all}""#,
        r#""--runtime=nvidia""#,
        r#""--device=nvidia.com/gpu=all""#,
        r#""--shm-size 1g""#,
        "",
    ] {
        none(&[(".devcontainer/devcontainer.json", &of(arguments))]);
    }
    none(&[(".devcontainer/devcontainer.json", "{\"image\": \"x\", \"hostRequirements\": {\"gpu\": \"optional\"}}\n")]);
}

#[test]
fn lists_of_words() {
    let run = "[\"docker\", \"run\", \"--gpus all\", \"x\"]";
    one(&[("docker-compose.yml", &format!("services:\n  a:\n    image: docker:27\n    command: {run}\n"))], ONE);
    one(&[("docker-compose.yml", &format!("services:\n  a:\n    image: docker:27\n    entrypoint: {run}\n"))], ONE);
    one(&[("k8s/a.yaml", &pod(&format!("command: {run}")))], ONE);
    one(&[("Dockerfile", &format!("FROM docker:27\nRUN {run}\n"))], ONE);
    one(&[(".devcontainer/devcontainer.json", &format!("{{\"image\": \"y\", \"postStartCommand\": {run}}}\n"))], ONE);
    one(&[("run.sh", "ARGS=(--rm \"--gpus all\")\ndocker run \"${ARGS[@]}\" x\n")], ONE);
    for right in [
        "command: docker run --gpus all x",
        "command: [docker, run, --gpus, all, x]",
        "command: [docker, run, x, python, --gpus all]",
        "command: [python, train.py, \"--gpus all\"]",
        "entrypoint: [train, \"--gpus all\"]",
    ] {
        none(&[("docker-compose.yml", &format!("services:\n  a:\n    image: docker:27\n    {right}\n"))]);
    }
    for right in [
        "ARGS=(--rm \"--gpus all\")\ndocker run ${ARGS[@]} x",
        "ARGS=(--rm \"--gpus all\")\ndocker run ${ARGS[*]} x",
        "ARGS=()\nARGS+=(\"--gpus all\")\ndocker run ${ARGS[@]} x",
        "ARGS=(--gpus all)\ndocker run \"${ARGS[@]}\" x",
        "set -- --gpus all\ndocker run \"$@\" x",
        "f() { docker run $1 x; }\nf '--gpus all'",
        "CMD=\"docker run --gpus all\"\n$CMD x",
        "eval \"docker run '--gpus' all x\"",
    ] {
        none(&[("run.sh", &format!("{right}\n"))]);
    }
}

#[test]
fn options_of_a_job_container() {
    let of = |options: &str| {
        let head = "jobs:\n  a:\n    runs-on: [self-hosted]\n    container:\n      image: x\n";
        format!("{head}      options: {options}\n    steps:\n      - run: a\n")
    };
    one(&[(".github/workflows/a.yml", &of("--gpus device=0,1"))], "takes `1`");
    one(&[(".github/workflows/a.yml", &of("--ipc=host --gpu all"))], "no option `--gpu`");
    for options in
        ["--gpus all", "--gpus all --ipc host", "--gpus '\"device=0,1\"'", "--gpus ${{ inputs.gpus }}", "--runtime nvidia"]
    {
        none(&[(".github/workflows/a.yml", &of(options))]);
    }
}

/// A device request of a service.
fn request(lines: &str) -> String {
    let head = "services:\n  a:\n    image: x\n    deploy:\n      resources:\n        reservations:\n          devices:\n";
    format!("{head}            - {}\n", lines.replace('\n', "\n              "))
}

#[test]
fn device_requests_of_compose() {
    for (lines, part) in [
        ("driver: nvidia", "8 Error Compose refuses a device request without capabilities"),
        ("driver: nvidia\ncount: all", "without capabilities"),
        ("count: 1", "without capabilities"),
        ("driver: cdi\ndevice_ids: [nvidia.com/gpu=all]", "without capabilities"),
        (
            "count: 1\ndevice_ids: ['0']\ncapabilities: [gpu]",
            "8 Error Compose refuses a device request with both count and device_ids",
        ),
        ("device_ids: ['0']\ncount: all\ncapabilities: [gpu]", "both count and device_ids"),
        ("device_ids: [0]\ncapabilities: [gpu]", "8 Error Compose takes a list of texts for device_ids"),
        ("capabilities: [gpu]\ndevice_ids:\n  - '0'\n  - 1", "a list of texts for device_ids"),
        ("device_ids: '0'\ncapabilities: [gpu]", "a list for device_ids"),
        ("driver: nvidia\ncapabilities: gpu", "9 Error Compose takes a list for capabilities"),
        ("driver: nvidia\ncapabilities: [[gpu]]", "a list of texts for capabilities"),
        ("capabilities: [gpu]\ncount: 0.5", "all or a whole number for count"),
        ("capabilities: [gpu]\ncount: some", "all or a whole number for count"),
        ("capabilities: [gpu]\ndevice_id: '0'", "Compose knows no device_id in a device request"),
        ("capabilities: [gpu]\nruntime: nvidia", "Compose knows no runtime in a device request"),
    ] {
        one(&[("docker-compose.yml", &request(lines))], part);
        // An override is held against the same schema, whatever it overrides.
        let over = request(lines).replace("    image: x\n", "");
        one(&[("docker-compose.gpu.yml", &over), ("docker-compose.yml", "services:\n  a:\n    image: x\n")], "Compose");
    }
    for lines in [
        "driver: nvidia\ncount: all\ncapabilities: [gpu]",
        "driver: nvidia\ncount: ALL\ncapabilities: [gpu, utility]",
        "capabilities: [gpu]",
        "count: 1\ncapabilities: ['gpu']",
        "count: '2'\ncapabilities: [gpu]",
        "count: ${GPUS:-1}\ncapabilities: [gpu]",
        "device_ids: ['0', '1']\ncapabilities: [gpu]",
        "device_ids:\n  - '0'\n  - \"1\"\ncapabilities:\n  - gpu",
        "device_ids: [\"${GPU:-0}\"]\ncapabilities: [gpu]",
        "device_ids: [GPU-1f]\ncapabilities: [gpu]",
        "driver: cdi\ndevice_ids: [nvidia.com/gpu=all]\ncapabilities: [gpu]",
        "driver: nvidia\noptions: {a: b}\ncapabilities: [gpu]\nx-note: b",
        "driver: tpm",
        "<<: *gpu\ncapabilities: [gpu]",
        "<<: *gpu",
    ] {
        none(&[("docker-compose.yml", &request(lines))]);
    }
    let cut = request("driver: nvidia").trim_end().to_owned() + "\n            - count: 1\n            - capabilities: [gpu]\n";
    one(&[("compose.yaml", &cut)], "8 Error Compose refuses a device request without capabilities");
    let map = request("driver: nvidia").replace("- driver", "driver") + "            capabilities: [gpu]\n";
    one(&[("compose.yaml", &map)], "7 Error Compose takes a list of device requests for devices");
    // Said once, where several services share it.
    let shared = "x-gpu: &gpu\n  deploy:\n    resources:\n      reservations:\n        devices:\n          - driver: nvidia\n\
                  services:\n  a:\n    <<: *gpu\n    image: x\n  b:\n    <<: *gpu\n    image: y\n";
    one(&[("compose.yaml", shared)], "6 Error Compose refuses a device request without capabilities");
}

#[test]
fn keys_of_compose() {
    let of = |more: &str| format!("services:\n  a:\n    image: x\n    {}\n", more.replace('\n', "\n    "));
    let devices = "devices: [{driver: nvidia, capabilities: [gpu]}]";
    for (more, part) in [
        ("gpus: 1".to_owned(), "4 Error Compose takes all or a list of device requests for gpus"),
        ("gpus: true".to_owned(), "for gpus"),
        ("gpus: '0'".to_owned(), "for gpus"),
        ("gpus: {count: 1}".to_owned(), "for gpus"),
        ("gpus: [all]".to_owned(), "for gpus"),
        ("gpus: [{count: 1, device_ids: ['0']}]".to_owned(), "both count and device_ids"),
        ("gpus:\n  - device_ids: [0]".to_owned(), "a list of texts for device_ids"),
        ("gpu: all".to_owned(), "Compose knows no gpu in a service"),
        (format!("deploy:\n  {devices}"), "5 Error Compose knows no devices in deploy"),
        (format!("deploy:\n  resources:\n    {devices}"), "Compose knows no devices in deploy.resources"),
        (format!("deploy:\n  resources:\n    limits:\n      {devices}"), "in deploy.resources.limits"),
        (format!("deploy:\n  reservations:\n    {devices}"), "Compose knows no reservations in deploy"),
        (format!("resources:\n  reservations:\n    {devices}"), "Compose knows no resources in a service"),
        (format!("reservations:\n  {devices}"), "Compose knows no reservations in a service"),
        (format!("build: .\n{devices}"), "5 Error Compose knows no driver in an entry of devices"),
        (
            "device_requests: [{driver: nvidia, capabilities: [[gpu]]}]".to_owned(),
            "Compose knows no device_requests in a service",
        ),
        ("deploy:\n  runtime: nvidia".to_owned(), "Compose knows no runtime in deploy"),
        ("deploy:\n  gpus: all".to_owned(), "Compose knows no gpus in deploy"),
        ("deploy:\n  resources:\n    limits:\n      nvidia.com/gpu: 1".to_owned(), "Compose knows no nvidia.com/gpu"),
        ("deploy:\n  resources:\n    reservations:\n      gpus: 1".to_owned(), "in deploy.resources.reservations"),
        ("build:\n  context: .\n  runtime: nvidia".to_owned(), "Compose knows no runtime in build"),
    ] {
        one(&[("docker-compose.yml", &of(&more))], part);
    }
    for more in [
        "gpus: all",
        "gpus: \"all\"",
        "gpus: ${GPUS:-all}",
        "gpus: [{driver: nvidia, count: 1}]",
        "gpus:\n  - count: all",
        "gpus: []",
        "runtime: nvidia",
        "runtime: nvidia\ndeploy: {resources: {reservations: {devices: [{driver: nvidia, capabilities: [gpu]}]}}}",
        "devices: [/dev/nvidia0, 'nvidia.com/gpu=all']",
        "devices: [{source: /dev/dri, target: /dev/dri}]",
        "deploy: {resources: {limits: {cpus: '2', memory: 4G}}}",
        "deploy: {resources: {reservations: {generic_resources: [{discrete_resource_spec: {kind: gpu, value: 1}}]}}}",
        "deploy: {replicas: 0}",
        "resources: {limits: {memory: 4G}}",
        "capabilities: [SYS_ADMIN]",
        "deploy: {runtime: python}",
        "x-gpu: {gpus: 1}",
        "environment: {gpus: 1, runtime: nvidia}",
        "labels: {gpus: '1'}",
        "gpus: <number>",
        "gpus: {{ gpus }}",
    ] {
        none(&[("docker-compose.yml", &of(more))]);
    }
    let beside = "services:\n  a:\n    image: x\n  deploy:\n    resources:\n      reservations:\n        devices: [{capabilities: [gpu]}]\n";
    one(&[("docker-compose.yml", beside)], "5 Error Compose knows no resources in a service");
    one(
        &[("docker-compose.yml", "services:\n  a:\n    image: x\n  runtime: nvidia\n")],
        "4 Error Compose knows no runtime in the list",
    );
    one(
        &[("docker-compose.yml", "services:\n  a:\n    image: x\n  b:\n    image: y\nruntime: nvidia\n")],
        "6 Error Compose knows no runtime in a compose file",
    );
    // What is never started is refused with the rest of its file.
    one(&[("docker-compose.yml", &of("scale: 0\ngpus: 1"))], "for gpus");
    one(&[("docker-compose.ci.yml", &of("gpus: 1"))], "for gpus");
    // Half of it is being typed.
    none(&[("docker-compose.yml", "services:\n  a:\n    image: x\n    gpus: 1\n    dep\n")]);
}

/// A deployment with one container.
fn pod(container: &str) -> String {
    let head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  template:\n    spec:\n      containers:\n";
    format!("{head}        - name: c\n          image: x\n          {}\n", container.replace('\n', "\n          "))
}

#[test]
fn containers_of_kubernetes() {
    for (container, part) in [
        ("runtimeClassName: nvidia", "10 Error Kubernetes knows no runtimeClassName in a container"),
        ("resources:\n  runtimeClassName: nvidia", "Kubernetes knows no runtimeClassName in resources"),
        ("securityContext: {runtimeClassName: nvidia}", "Kubernetes knows no runtimeClassName in a container"),
        ("resources: {nvidia.com/gpu: 1}", "Kubernetes knows no nvidia.com/gpu in resources"),
        ("limits: {nvidia.com/gpu: 1}", "Kubernetes knows no nvidia.com/gpu in a container"),
        ("nvidia.com/gpu: 1", "Kubernetes knows no nvidia.com/gpu in a container"),
        (
            "resources: {requests: {nvidia.com/gpu: 1}}",
            "10 Error Kubernetes refuses a request for 1 nvidia.com/gpu without a limit",
        ),
        ("resources: {requests: {nvidia.com/gpu: '1'}, limits: {memory: 4Gi}}", "without a limit"),
        ("resources: {requests: {nvidia.com/mig-1g.5gb: 1}}", "nvidia.com/mig-1g.5gb without a limit"),
        ("resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}", "with a limit of 2: they must be equal"),
        ("resources: {requests: {nvidia.com/gpu: 2}, limits: {nvidia.com/gpu: '1'}}", "with a limit of 1"),
        ("resources: {requests: {amd.com/gpu: 1}}", "amd.com/gpu without a limit"),
        ("resources: {limits: {nvidia.com/gpu: 0.5}}", "Warning Kubernetes gives nvidia.com/gpu in whole numbers, not 0.5"),
        ("resources: {limits: {nvidia.com/gpu: '500m'}}", "in whole numbers, not 500m"),
        ("resources: {limits: {nvidia.com/gpu: all}}", "takes a whole number for nvidia.com/gpu"),
        ("resources: {limits: {nvidia.com/gpu: true}}", "takes a whole number for nvidia.com/gpu"),
    ] {
        let text = pod(container);
        one(&[("k8s/a.yaml", &text)], part);
        one(&[("k8s/a.yaml", &text.replace("kind: Deployment", "kind: StatefulSet"))], part);
    }
    for container in [
        "resources: {limits: {nvidia.com/gpu: 1}}",
        "resources: {limits: {nvidia.com/gpu: '1'}, requests: {nvidia.com/gpu: 1}}",
        "resources: {limits: {nvidia.com/gpu: 1.0}}",
        "resources: {limits: {nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 2000m}}",
        "resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: 0.1}}",
        "resources: {requests: {cpu: 1}}",
        "resources: {requests: {nvidia.com/gpu: 0}}",
        "resources: {limits: {nvidia.com/gpu: $GPUS}}",
        "resources: {limits: {nvidia.com/gpu: '{{ .Values.gpus }}'}}",
        "resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: '{{ .Values.gpus }}'}}",
        "resources: {requests: {nvidia.com/gpu: 1}, limits: {<<: *limits}}",
        "resources: {claims: [{name: gpu}]}",
        "env: [{name: runtimeClassName, value: nvidia}]",
        "runtimeClassName: gvisor",
    ] {
        none(&[("k8s/a.yaml", &pod(container))]);
    }
}

#[test]
fn objects_of_kubernetes() {
    let class = "runtimeClassName: nvidia\n";
    let text = pod("resources: {limits: {nvidia.com/gpu: 1}}");
    none(&[("k8s/a.yaml", &text.replace("      containers:\n", &format!("      {class}      containers:\n")))]);
    for (before, depth) in [("spec:\n  template", 0), ("  template:\n", 2), ("    spec:\n", 4)] {
        let text = text.replacen(before, &format!("{}{class}{before}", " ".repeat(depth)), 1);
        one(&[("k8s/a.yaml", &text)], "Error Kubernetes knows no runtimeClassName in the object around the pod's spec");
    }
    let own = "apiVersion: v1\nkind: Pod\nruntimeClassName: nvidia\nspec:\n  containers:\n    - {name: c, image: x}\n    - {name: d, image: y}\n";
    one(&[("k8s/a.yaml", own)], "3 Error");
    // A kind of others' may have any field of its own.
    let other = own.replace("kind: Pod", "kind: PyTorchJob");
    none(&[("k8s/a.yaml", &other)]);
    none(&[(
        "k8s/a.yaml",
        &pod("resources: {requests: {nvidia.com/gpu: 1}}").replace("kind: Deployment", "kind: ServingRuntime"),
    )]);
    // Each container says its own.
    let two = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - {name: c, image: x, runtimeClassName: nvidia}\n    - {name: d, image: y, resources: {requests: {nvidia.com/gpu: 1}}}\n";
    assert_eq!(said(&[("k8s/a.yaml", two)]).len(), 2);
    // What a kustomization puts in is not here.
    let base = pod("resources: {requests: {nvidia.com/gpu: 1}}");
    one(&[("base/a.yaml", &base), ("base/kustomization.yaml", "resources: [a.yaml]\n")], "without a limit");
    let patch = "resources: [../base/a.yaml]\npatches:\n  - target: {kind: Deployment, name: d}\n    patch: |-\n      - op: add\n        path: /spec/template/spec/containers/0/resources/limits\n        value: {nvidia.com/gpu: 1}\n";
    none(&[("base/a.yaml", &base), ("over/kustomization.yaml", patch)]);
    let limits = pod("resources: {limits: {nvidia.com/gpu: 1}}").replace("          image: x\n", "");
    for how in ["patchesStrategicMerge: [gpu.yaml]", "patches: [{path: gpu.yaml}]"] {
        let over = format!("resources: [../base/a.yaml]\n{how}\n");
        none(&[("base/a.yaml", &base), ("over/kustomization.yaml", &over), ("over/gpu.yaml", &limits)]);
    }
    // A patch is put together with what it changes.
    none(&[("over/gpu.yaml", &pod("resources: {requests: {nvidia.com/gpu: 1}}").replace("          image: x\n", ""))]);
}

#[test]
fn what_is_refused_is_asked_for() {
    let mut linter = Linter::new(Settings::default());
    let service = "services:\n  a:\n    image: vllm/vllm-openai:v0.6.3\n    deploy:\n      runtime: nvidia\n";
    linter.set("docker-compose.yml", service).expect("no configuration");
    linter.set("run.sh", "docker run '--gpus all' vllm/vllm-openai:v0.6.3\n").expect("no configuration");
    let text = pod("runtimeClassName: nvidia").replace("image: x", "image: vllm/vllm-openai:v0.6.3");
    linter.set("k8s/a.yaml", &text).expect("no configuration");
    let rules: Vec<_> = linter.report().diagnostics.into_iter().map(|found| found.rule).collect();
    assert_eq!(rules, ["gpu-request-malformed"; 3]);
}
