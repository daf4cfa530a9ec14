//! A pod that is sent to nodes with one GPU says nothing of a machine with another.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

/// Whether anything is said of a pod with these lines for a machine with an old driver.
fn speaks(pod: &str, gpu: &str) -> bool {
    let mut linter = Linter::new(Settings { select: vec!["driver-too-old".to_owned()], ..Settings::default() });
    let text = format!(
        "apiVersion: v1\nkind: Pod\nspec:\n  {pod}\n  containers:\n    - image: pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime\n      resources: {{limits: {{nvidia.com/gpu: 1}}}}\n"
    );
    linter.set("k8s/pod.yaml", &text).expect("no configuration");
    let host = format!("driver = \"470.182.03\"\n{gpu}");
    linter.host(Origin::Outside, "host.toml", &host).expect("a host");
    !linter.report().diagnostics.is_empty()
}

#[test]
fn nodes_are_told_by_their_labels() {
    let a100 = "[[gpu]]\nname = \"NVIDIA A100-SXM4-80GB\"\n";
    for (label, on_a100, on_4090) in [
        ("nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB", true, false),
        ("nvidia.com/gpu.product: NVIDIA-GeForce-RTX-4090-SHARED", false, true),
        ("nvidia.com/gpu.product: NVIDIA-Something", false, false),
        ("nvidia.com/gpu.product: \"{{ .Values.gpu }}\"", false, false),
        ("nvidia.com/gpu.present: \"true\"", true, true),
        ("nvidia.com/gpu.family: ampere", false, false),
        ("cloud.google.com/gke-accelerator: nvidia-tesla-t4", false, false),
        ("cloud.google.com/gke-accelerator: nvidia-tesla-a100", true, false),
        ("node.kubernetes.io/instance-type: p4d.24xlarge", true, false),
        ("node.kubernetes.io/instance-type: my-machine", false, false),
        ("pool: gpu-a100", true, false),
        ("pool: gpu", true, true),
        ("kubernetes.io/hostname: node1", true, true),
    ] {
        let selector = format!("nodeSelector: {{{label}}}");
        let found = [a100, "[[gpu]]\nname = \"RTX 4090\"\n"].map(|gpu| speaks(&selector, gpu));
        assert_eq!(found, [on_a100, on_4090], "{label}");
        // Of a machine of which no GPU is told, none is told to be another.
        assert!(speaks(&selector, ""), "{label}");
    }
}

#[test]
fn each_term_of_an_affinity_will_do() {
    let term =
        |product: &str| format!("{{matchExpressions: [{{key: nvidia.com/gpu.product, operator: In, values: [{product}]}}]}}");
    let affinity = |terms: &str| {
        let pod = format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{terms}]}}}}}}"
        );
        speaks(&pod, "[[gpu]]\nname = \"RTX 4090\"\n")
    };
    let (a100, rtx) = (term("NVIDIA-A100-SXM4-80GB"), term("NVIDIA-GeForce-RTX-4090"));
    let any = "{matchExpressions: [{key: pool, operator: Exists}]}";
    assert!(!affinity(&a100) && affinity(&rtx) && affinity(&format!("{a100}, {rtx}")) && affinity(&format!("{a100}, {any}")));
}

#[test]
fn an_image_that_is_built_here_is_for_the_nodes_of_its_pods() {
    let pod = |selector: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nspec:\n  {selector}\n  containers:\n    - name: x\n      image: acme/app:1\n      resources: {{limits: {{nvidia.com/gpu: 1}}}}\n"
        )
    };
    let speaks = |files: &[(&str, &str)], gpu: &str| {
        let mut linter = Linter::new(Settings { select: vec!["no-kernels-for-gpu".to_owned()], ..Settings::default() });
        let build =
            [("Dockerfile", "FROM python:3.11\nRUN pip install torch==2.11.0\n"), ("b.sh", "docker build -t acme/app:1 .\n")];
        for (path, text) in build.iter().chain(files) {
            linter.set(path, text).expect("no configuration");
        }
        linter.host(Origin::Outside, "host.toml", &format!("[[gpu]]\nname = \"{gpu}\"\n")).expect("a host");
        !linter.report().diagnostics.is_empty()
    };
    let (t4, v100) = ("cloud.google.com/gke-accelerator: nvidia-tesla-t4", "cloud.google.com/gke-accelerator: nvidia-tesla-v100");
    let [on_t4, on_v100] = [t4, v100].map(|label| pod(&format!("nodeSelector: {{{label}}}")));
    let (anywhere, compose) = (pod("restartPolicy: Never"), "services:\n  a:\n    image: acme/app:1\n    gpus: all\n");
    for (files, told) in [
        (&[][..], true),
        (&[("k/a.yaml", on_t4.as_str())][..], false),
        (&[("k/a.yaml", &on_v100)], true),
        (&[("k/a.yaml", &on_t4), ("k/b.yaml", &on_v100)], true),
        (&[("k/a.yaml", &on_t4), ("k/b.yaml", &anywhere)], true),
        (&[("k/a.yaml", &on_t4), ("compose.yaml", compose)], true),
    ] {
        assert_eq!(speaks(files, "V100"), told, "{files:?}");
    }
    assert!(!speaks(&[("k/a.yaml", &on_v100)], "GTX 1080"));
}

/// Whether this file is held against a machine with an old driver.
fn held(path: &str, text: &str, gpu: &str) -> bool {
    let mut linter = Linter::new(Settings { select: vec!["driver-too-old".to_owned()], ..Settings::default() });
    linter.set(path, text).expect("no configuration");
    linter.host(Origin::Outside, "host.toml", &format!("driver = \"470.182.03\"\n{gpu}")).expect("a host");
    !linter.report().diagnostics.is_empty()
}

#[test]
fn batch_scripts_are_sent_to_nodes() {
    for (options, want) in [
        ("#SBATCH --gres=gpu:1", true),
        ("#SBATCH --time=1:00:00", true),
        ("#SBATCH --partition=cpu", false),
        ("#SBATCH -p cpu", false),
        ("#SBATCH -pcpu", false),
        ("#SBATCH --partition=cpu-long --time=1", false),
        ("#SBATCH --partition \"cpu\"", false),
        ("#SBATCH --constraint=cpu\n#SBATCH --qos=regular", false),
        ("#SBATCH -C cpu", false),
        ("#SBATCH -q cpu_short", false),
        ("#SBATCH --partition=cpu,gpu", true),
        ("#SBATCH --partition=gpu\n#SBATCH --gres=gpu:1", true),
        ("#SBATCH --partition=long", true),
        ("#SBATCH --partition=b200", false),
        ("##SBATCH --partition=cpu", true),
        ("module purge\n#SBATCH --partition=cpu", true),
    ] {
        let text = format!("#!/bin/bash\n{options}\npip install torch==2.6.0\n");
        assert_eq!(held("a.sbatch", &text, "[[gpu]]\nname = \"RTX 4090\"\n"), want, "{options}");
    }
    // What it starts is sent there, too.
    let container = |partition: &str| {
        let text = format!(
            "#!/bin/bash\n#SBATCH --partition={partition}\nsrun --container-image=pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime python x.py\n"
        );
        held("a.sbatch", &text, "")
    };
    assert!(!container("cpu") && container("gpu"));
}

#[test]
fn a_job_container_has_the_gpu_that_its_options_ask_for() {
    let job = |container: &str| {
        let text = format!(
            "on: push\njobs:\n  t:\n    runs-on: [self-hosted, gpu]\n{container}    steps:\n      - run: pip install torch==2.6.0\n"
        );
        held(".github/workflows/x.yml", &text, "")
    };
    assert!(job(""));
    for (container, want) in [
        ("python:3.11", false),
        ("{image: 'python:3.11'}", false),
        ("{image: 'python:3.11', options: --gpus all}", true),
        ("{image: 'python:3.11', options: --runtime=nvidia --ipc=host}", true),
        ("{image: 'python:3.11', options: --ipc=host}", false),
        ("{image: 'python:3.11', options: '${{ inputs.options }}'}", false),
    ] {
        assert_eq!(job(&format!("    container: {container}\n")), want, "{container}");
    }
    // The GPU of a service is not the job's; what a pipeline's runner gives its jobs stands with the runner.
    let service = "    services: {s: {image: 'a', options: --gpus all}}\n    container: python:3.11\n";
    assert!(!job(service));
    assert!(held(
        ".gitlab-ci.yml",
        "t:\n  tags: [self-hosted, gpu]\n  image: python:3.11\n  script: pip install torch==2.6.0\n",
        ""
    ));
}
