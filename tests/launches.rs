//! Which launches are said to lack a GPU, and which plainly do without one.

use cudalint::linter::Linter;
use cudalint::settings::Settings;

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
