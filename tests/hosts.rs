//! Hosts as people give them: how they are named, what of them is contradictory, what silences a finding in their files.

mod program;

use program::{folder, run};

const OLD: (&str, &str) = ("requirements.txt", "torch==2.11.0\n");

#[test]
fn a_comment_in_a_host_file_silences_what_is_labelled_there() {
    let host = |driver: &str, gpu: &str| format!("driver = \"535\"  {driver}\n[[gpu]]\n{gpu}\nname = \"V100\"\n");
    let (driver, gpu) = ("# cudalint: ignore[driver-too-old] soon", "# cudalint: ignore[no-kernels-for-gpu] soon");
    for (text, rules) in [
        (host("", ""), "driver-too-old no-kernels-for-gpu"),
        (host(driver, ""), "no-kernels-for-gpu"),
        (host("", gpu), "driver-too-old"),
        (host(driver, gpu), ""),
        (host("# cudalint: ignore[index-shadowed]", ""), "driver-too-old no-kernels-for-gpu"),
    ] {
        let inline = format!("[[host]]\n{}", text.replace("[[gpu]]", "[[host.gpu]]"));
        let pyproject = format!("[tool.cudalint]\n{}", inline.replace("host", "tool.cudalint.host"));
        let outside = folder(&[("desk.toml", &text), ("config.toml", &inline)]);
        let at = |path: &str| outside.path().join(path).to_str().expect("UTF-8").to_owned();
        for (files, arguments) in [
            (&[OLD, ("desk.toml", &text)][..], &["--host", "desk.toml"][..]),
            (&[OLD], &["--host", &at("desk.toml")]),
            (&[OLD, ("cudalint.toml", &inline)], &[]),
            (&[OLD, ("pyproject.toml", &pyproject)], &[]),
            (&[OLD], &["--config", &at("config.toml")]),
        ] {
            let (found, told, _) = run(folder(files).path(), arguments);
            let found: Vec<_> = found.lines().filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0)).collect();
            let found: Vec<_> = found.into_iter().filter(|rule| *rule != "unused-ignore").collect();
            assert_eq!(found.join(" "), rules, "{text} {files:?}");
            assert!(!told.contains("warning"), "{told}");
        }
    }
    let (_, told, _) = run(folder(&[OLD, ("h.toml", &host("# cudalint: ignore[bogus]", ""))]).path(), &["--host", "h.toml"]);
    assert!(told.starts_with("warning: h.toml:1:36: ignore[bogus]: no rule is called so\n"), "{told}");
}

#[test]
fn a_comment_in_a_host_file_silences_what_is_said_of_that_host() {
    let old = "driver = \"470\"";
    let quiet = format!("{old}  # cudalint: ignore[driver-too-old] goes away\n");
    let whole = format!("# cudalint: ignore-file[driver-too-old]\n{old}\n");
    for of_one in [&quiet, &whole] {
        for (other, says) in [(old, ", b has 470"), ("driver = \"570\"", ", b has 570"), ("driver = \"590\"", "")] {
            let temp = folder(&[OLD, ("hosts/a.toml", of_one), ("hosts/b.toml", other)]);
            let (found, ..) = run(temp.path(), &["--host", "hosts"]);
            assert_eq!((found.lines().count(), found.contains(says)), (usize::from(!says.is_empty()), true), "{other}: {found}");
            let inline = format!("[[host]]\nname = \"a\"\n{quiet}[[host]]\nname = \"b\"\n{other}\n");
            let (found, ..) = run(folder(&[OLD, ("cudalint.toml", &inline)]).path(), &[]);
            assert_eq!((found.lines().count(), found.contains(says)), (usize::from(!says.is_empty()), true), "{inline}: {found}");
        }
    }
    // One GPU of several; a comment in the repository is about every host.
    let gpus = "[[gpu]]\nname = \"V100\"  # cudalint: ignore[no-kernels-for-gpu]\n[[gpu]]\nname = \"GTX 1080\"\n";
    let (found, ..) = run(folder(&[OLD, ("h.toml", gpus)]).path(), &["--host", "h.toml"]);
    assert!(found.contains("for GTX 1080 (sm_61)\n") && !found.contains("V100"), "{found}");
    let told = ("requirements.txt", "torch==2.11.0  # cudalint: ignore[driver-too-old]\n");
    let (found, ..) = run(folder(&[told, ("hosts/a.toml", old), ("hosts/b.toml", old)]).path(), &["--host", "hosts"]);
    assert_eq!(found, "");
    // What is true without a host stays.
    let script = "pip install torch==2.5.1\npip install torch==2.11.0\n";
    let (found, ..) = run(folder(&[("a.sh", script), ("a.toml", &quiet)]).path(), &["--host", "a.toml"]);
    let (alone, ..) = run(folder(&[("a.sh", script)]).path(), &[]);
    assert_eq!(found, alone);
    assert!(alone.contains("torch-replaced-later"), "{alone}");
}

#[test]
fn a_comment_for_a_rule_that_lacks_its_host_is_not_unused() {
    let text = "numpy  # cudalint: ignore[driver-too-old, no-kernels-for-gpu, image-needs-newer-driver]\n";
    let (driver, gpu, image) = ("driver-too-old", "no-kernels-for-gpu", "image-needs-newer-driver");
    for (host, file, unused) in [
        ("driver = \"580\"\n", "requirements.txt", &[driver, image][..]),
        ("[[gpu]]\nname = \"V100\"\n", "requirements.txt", &[gpu]),
        ("[[gpu]]\nname = \"Mystery\"\n", "requirements.txt", &[]),
        ("driver = \"580\"\n[[gpu]]\nname = \"V100\"\n", "requirements.txt", &[driver, gpu, image]),
        ("driver = \"580\"\n[[gpu]]\nname = \"V100\"\n", "requirements-rocm.txt", &[]),
        ("os = \"windows\"\ndriver = \"580\"\n", "requirements.txt", &[driver]),
        ("os = \"macos\"\ndriver = \"580\"\n[[gpu]]\nname = \"V100\"\n", "requirements.txt", &[]),
        ("", "requirements.txt", &[]),
    ] {
        let temp = folder(&[(file, text), ("h.toml", host)]);
        let (found, _, status) = run(temp.path(), &["--host", "h.toml"]);
        let expected: Vec<_> = unused.iter().map(|rule| format!("ignore[{rule}] silences nothing here")).collect();
        let found: Vec<_> = found.lines().filter_map(|line| Some(line.split_once("info[unused-ignore]: ")?.1)).collect();
        assert_eq!((found.len(), status), (expected.len(), Some(0)), "{host} {file}: {found:?}");
        assert!(expected.iter().all(|line| found.contains(&line.as_str())), "{host}: {found:?}");
    }
}

#[test]
fn a_comment_in_a_host_file_of_the_repository_may_be_unused() {
    let host = |driver: &str| format!("driver = \"{driver}\"  # cudalint: ignore[driver-too-old] soon\n");
    let manifest = ("requirements.txt", "torch==2.6.0\n");
    let config = ("cudalint.toml", "hosts = [\"hosts/*.toml\"]\n");
    let said = |driver: &str| run(folder(&[manifest, config, ("hosts/a.toml", &host(driver))]).path(), &[]).0;
    assert_eq!(said("470.82.01"), "", "it silences that");
    assert!(
        said("580.65.06").contains("hosts/a.toml:1:42: info[unused-ignore]: ignore[driver-too-old]"),
        "{}",
        said("580.65.06")
    );
}

#[test]
fn a_comment_may_silence_that_another_is_unused() {
    let both = "companion-mismatch, unused-ignore";
    for (text, found) in [
        ("numpy  # cudalint: ignore[companion-mismatch]\n".to_owned(), "1:27"),
        (format!("numpy  # cudalint: ignore[{both}]\n"), ""),
        (format!("# cudalint: ignore[{both}]\nnumpy\n"), ""),
        ("# cudalint: ignore-file[unused-ignore]\nnumpy  # cudalint: ignore[companion-mismatch]\n".to_owned(), ""),
        ("numpy  # cudalint: ignore[unused-ignore]\n".to_owned(), "1:27"),
    ] {
        let (out, _, _) = run(folder(&[("requirements.txt", &text)]).path(), &[]);
        let places: Vec<_> = out.lines().filter_map(|line| line.strip_prefix("requirements.txt:")?.split_once(": ")).collect();
        assert_eq!(places.iter().map(|(place, _)| *place).collect::<Vec<_>>().join(" "), found, "{text}: {out}");
    }
}

#[test]
fn comments_that_nearly_count_are_told() {
    for (comment, why) in [
        ("# cudalint ignore[driver-too-old]", "it is written `cudalint: ignore[rule]`"),
        ("# Cudalint: Ignore[driver-too-old]", "it is written `cudalint: ignore[rule]`"),
        ("# cudalint: ignore[driver-too-old", "the list of rules has no `]`"),
        ("# cudalint: ignore[]", "it needs the names of rules"),
    ] {
        let (found, told, _) =
            run(folder(&[("requirements.txt", &format!("torch==2.11.0  {comment}\n"))]).path(), &["--driver", "470"]);
        assert!(found.contains("driver-too-old"), "{comment}");
        assert!(told.starts_with("warning: requirements.txt:1:16: silences nothing: ") && told.contains(why), "{told}");
    }
}

#[test]
fn host_files_are_named_from_the_working_directory() {
    let driver = "driver = \"470\"\n";
    let temp = folder(&[
        ("desk.toml", driver),
        ("cfg/cudalint.toml", "hosts = [\"../desk.toml\", \"./in.toml\"]\n"),
        ("cfg/in.toml", driver),
        ("cfg/requirements.txt", OLD.1),
    ]);
    let cfg = temp.path().join("cfg");
    let whole = temp.path().join("desk.toml");
    let labels = |cwd: &std::path::Path, arguments: &[&str]| {
        let (json, _, _) = run(cwd, &[&["--format", "json"], arguments].concat());
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let labels = json["diagnostics"][0]["labels"].as_array().expect("labels").clone();
        labels.iter().map(|label| label["path"].as_str().expect("a path").to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(labels(&cfg, &[]), "requirements.txt ../desk.toml in.toml");
    assert_eq!(labels(temp.path(), &["cfg"]), "cfg/requirements.txt desk.toml cfg/in.toml");
    assert_eq!(labels(&cfg, &["--no-config", "--host", whole.to_str().expect("UTF-8")]), "requirements.txt ../desk.toml");
    let (files, _, _) = run(&cfg, &["--show-files"]);
    assert_eq!(files, "cudalint.toml: config\nin.toml: host\nrequirements.txt: requirements\n../desk.toml: host\n");
    let (files, _, _) = run(&cfg, &["--show-files", "--config", "cudalint.toml"]);
    assert_eq!(files.matches("cudalint.toml").count(), 1, "{files}");
    let (files, _, _) = run(temp.path(), &["--show-files", "--config", "cfg/cudalint.toml", "--exclude", "in.toml", "cfg"]);
    assert!(files.contains("cfg/cudalint.toml: config\n"), "{files}");
    std::fs::create_dir_all(temp.path().join("other/.git")).expect("a folder");
    let (files, _, _) = run(temp.path(), &["--show-files", "--host", "desk.toml", "cfg", "other"]);
    assert_eq!(files.matches("desk.toml: host\n").count(), 1, "{files}");
    // A host file in force that is a PATH is no stranger.
    let (found, told, _) = run(&cfg, &["in.toml"]);
    assert_eq!((found.lines().count(), told.as_str()), (1, ""));
    std::fs::write(&whole, "drivr = \"470\"\n").expect("a file");
    let (_, told, status) = run(&cfg, &[]);
    assert!(told.starts_with("error: ../desk.toml:1:1: unknown key `drivr`") && status == Some(2), "{told}");
}

#[test]
fn of_several_hosts_each_message_says_which() {
    let image = "FROM nvidia/cuda:12.6.3-base-ubuntu22.04\n";
    let old = "driver = \"550.142\"\n[[gpu]]\nname = \"TITAN V\"\n";
    let desk = ("hosts/desk.toml", old);
    let node = ("hosts/node.toml", "driver = \"590.48.01\"\n[[gpu]]\nname = \"RTX 4090\"\n");
    for (files, says) in [
        (&[desk][..], &["or newer, the host has 550.142", "for TITAN V (sm_70)\n"][..]),
        (&[desk, node], &["or newer, desk has 550.142", "for TITAN V (sm_70) of desk\n"]),
        (&[desk, ("hosts/two.toml", old)], &["or newer, the hosts have 550.142", "for TITAN V (sm_70)\n"]),
        (
            &[desk, node, ("hosts/two.toml", old)],
            &["or newer, desk has 550.142", ", two has 550.142", "for TITAN V (sm_70) of desk and two\n"],
        ),
    ] {
        let temp = folder(&[files, &[OLD, ("Dockerfile", image)]].concat());
        let (found, _, _) = run(temp.path(), &["--host", "hosts"]);
        assert!(found.contains("[image-needs-newer-driver]"), "{found}");
        for says in says {
            assert!(found.contains(says), "{says}: {found}");
        }
    }
}

#[test]
fn a_host_has_a_name_and_a_gpu_one_compute_capability() {
    let (_, told, status) = run(folder(&[OLD, ("h.toml", "name = \"\"\n")]).path(), &["--host", "h.toml"]);
    assert_eq!((told.as_str(), status), ("error: h.toml:1:9: `name` is empty: it is what findings call the machine\n", Some(2)));
    let gpu = "[[gpu]]\nname = \"RTX 4090\"\ncompute_capability = \"7.0\"\n";
    let (found, told, _) = run(folder(&[OLD, ("h.toml", gpu)]).path(), &["--host", "h.toml"]);
    assert_eq!(found, "");
    assert!(
        told.starts_with("warning: h.toml:2:9: \"RTX 4090\" has compute capability 8.9, and `compute_capability` says another"),
        "{told}"
    );
}

#[test]
fn an_image_that_carries_cuda_is_asked_for_its_driver_whatever_it_is_built_on() {
    let host = "driver = \"470.57.02\"\n[[gpu]]\nname = \"RTX 3090\"\n";
    for (image, said) in [
        // Their demand lets this branch in with a GeForce card; what they carry does not run there.
        ("vllm/vllm-openai:v0.6.2", "warning[driver-too-old]: CUDA 12.4 needs driver 525.60.13"),
        ("vllm/vllm-openai:v0.6.4.post1", "warning[driver-too-old]: CUDA 12.4 needs driver 525.60.13"),
        ("vllm/vllm-openai:v0.8.5", "error[driver-too-old]: CUDA 12.4 needs driver 525.60.13"),
        // What it is built on is not told.
        ("tensorflow/tensorflow:2.16.1-gpu", "error[driver-too-old]: CUDA 12.3 needs driver 525.60.13"),
        // Its release notes speak.
        ("nvcr.io/nvidia/tritonserver:20.08-py3", ""),
    ] {
        let text = format!("docker run --gpus all {image}\n");
        let (found, ..) = run(folder(&[("run.sh", text.as_str()), ("h.toml", host)]).path(), &["--host", "h.toml"]);
        assert!(found.contains(said) && found.contains("driver-too-old") != said.is_empty(), "{image}: {found}");
    }
}

#[test]
fn what_a_launch_tells_the_runtime_reaches_the_host() {
    let image = "nvidia/cuda:12.6.3-base-ubuntu22.04";
    let dockerfile = format!("FROM {image}\n");
    let service = |more: &str| format!("services:\n  a:\n    build: .\n    {more}\n");
    let asked = service("gpus: all");
    let run = |options: &str| format!("docker run {options} {image} x\n");
    let by_device = "--device nvidia.com/gpu=all";
    let devices = "[{driver: cdi, device_ids: ['nvidia.com/gpu=all'], capabilities: [gpu]}]";
    let by_name = service(&format!("deploy: {{resources: {{reservations: {{devices: {devices}}}}}}}"));
    let over = |more: &str| format!("services:\n  a:\n    {more}\n");
    let started = |options: &[&str]| options.iter().map(|options| format!("docker run {options} m\n")).collect::<String>();
    let build = ("Dockerfile", dockerfile.clone());
    let hidden = "environment: {NVIDIA_VISIBLE_DEVICES: void}";
    let page = "```sh\ndocker compose run -e NVIDIA_DISABLE_REQUIRE=1 a\n```\n";
    for (files, speaks) in [
        (vec![("r.sh", run("--runtime nvidia"))], true),
        (vec![("r.sh", run("--runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=void"))], false),
        (vec![("r.sh", run("-e NVIDIA_VISIBLE_DEVICES=none --runtime nvidia"))], false),
        (vec![("r.sh", run("--runtime nvidia -e NVIDIA_VISIBLE_DEVICES=0"))], true),
        // Docker's own request sets the variable anew, behind `-e`: see `Launch::hides_gpus`.
        (vec![("r.sh", run("--gpus all --runtime nvidia -e NVIDIA_VISIBLE_DEVICES=void"))], true),
        (vec![("r.sh", run("--gpus all -e NVIDIA_DISABLE_REQUIRE=1"))], false),
        (vec![("compose.yaml", service(&format!("runtime: nvidia\n    {hidden}")))], false),
        (vec![("compose.yaml", service(&format!("gpus: all\n    {hidden}")))], true),
        (vec![("compose.yaml", asked.clone())], true),
        (vec![("compose.yaml", asked.clone()), ("r.sh", "docker compose run -e NVIDIA_DISABLE_REQUIRE=1 a\n".into())], false),
        (vec![("compose.yaml", asked.clone()), ("r.sh", "docker compose run --env-from-file x a\n".into())], false),
        (vec![("compose.yaml", asked.clone()), ("r.sh", "docker compose run -e A=1 a\n".into())], true),
        (vec![("compose.yaml", asked.clone()), ("r.sh", "docker compose run -e NVIDIA_DISABLE_REQUIRE=1 b\n".into())], true),
        (vec![("compose.yaml", asked.clone()), ("README.md", page.into())], false),
        // By CDI, by a device's file, by Apptainer's own means nothing asks.
        (vec![("r.sh", run("--device nvidia.com/gpu=all"))], false),
        (vec![("r.sh", run("--device=/dev/nvidia0 --device=/dev/nvidiactl"))], false),
        (vec![("r.sh", run("--device nvidia.com/gpu=all --gpus all"))], true),
        (vec![("r.sh", run("--device nvidia.com/gpu=all --runtime nvidia"))], true),
        (vec![("r.sh", run("--runtime nvidia -e NVIDIA_VISIBLE_DEVICES=nvidia.com/gpu=0,nvidia.com/gpu=1"))], false),
        (vec![("r.sh", run("--runtime nvidia -e NVIDIA_VISIBLE_DEVICES=nvidia.com/gpu=0,1"))], true),
        (vec![("r.sh", format!("podman run --gpus all {image} x\n"))], false),
        (vec![("r.sh", format!("nvidia-docker run --device /dev/nvidia0 {image} x\n"))], true),
        (vec![("r.sh", format!("apptainer exec --nv docker://{image} x\n"))], false),
        (vec![("r.sh", format!("apptainer exec --nvccli docker://{image} x\n"))], true),
        (vec![("compose.yaml", by_name.clone())], false),
        (vec![("compose.yaml", by_name.clone()), ("compose.override.yaml", over("gpus: all"))], true),
        (vec![("compose.yaml", by_name.clone()), ("daemon.json", "{\"default-runtime\": \"nvidia\"}".into())], true),
        (vec![("compose.yaml", service("devices: ['nvidia.com/gpu=all']"))], false),
        (vec![("compose.yaml", service("gpus: [{driver: cdi, device_ids: ['nvidia.com/gpu=all']}]"))], false),
        (vec![("compose.yaml", service("gpus: [{driver: nvidia, count: 1}]"))], true),
        // One who asks is enough.
        (vec![("r.sh", format!("docker build -t m .\n{}", started(&[by_device, "--gpus all"]))), build.clone()], true),
        (vec![("r.sh", format!("docker build -t m .\n{}", started(&[by_device, by_device]))), build.clone()], false),
        (vec![("README.md", format!("```sh\ndocker build -t m .\n{}```\n", started(&[by_device]))), build.clone()], false),
        (vec![("README.md", format!("```sh\ndocker build -t m .\n{}```\n", started(&[by_device, "--gpus 1"]))), build], true),
        (
            vec![
                ("compose.yaml", format!("services:\n  a:\n    image: {image}\n    gpus: all\n")),
                ("r.sh", "docker compose run -e NVIDIA_DISABLE_REQUIRE=1 a\n".into()),
            ],
            false,
        ),
    ] {
        let built = files[0].0 == "compose.yaml" && files[0].1.contains("build");
        let own = built.then(|| ("Dockerfile", dockerfile.clone()));
        let all: Vec<_> = files.into_iter().chain(own).collect();
        let (found, ..) = program::run(folder(&all).path(), &["--driver", "535.104.05", "--gpu", "RTX 3090"]);
        assert_eq!(found.contains("image-needs-newer-driver"), speaks, "{all:?}: {found}");
    }
}

#[test]
fn what_an_image_of_nvidia_s_registry_carries_of_cuda_compat_decides_for_what_is_installed_in_it() {
    let host = |gpu: &str| format!("driver = \"470.182.03\"\n[[gpu]]\nname = \"{gpu}\"\n");
    let too_new = "[driver-too-old]: CUDA 12.1 needs driver 525.60.13";
    for (image, gpu, said) in [
        // Its release notes name the branch.
        (
            "nvcr.io/nvidia/tritonserver:23.04-py3",
            "Tesla V100",
            "info[driver-too-old]: CUDA 12.1 runs by forward compatibility only",
        ),
        ("nvcr.io/nvidia/tritonserver:23.04-py3", "RTX 3090", &format!("error{too_new}")),
        // Of this month they are not known.
        ("nvcr.io/nvidia/tritonserver:99.01-py3", "Tesla V100", &format!("info{too_new}")),
        ("nvcr.io/nvidia/tritonserver:99.01-py3", "RTX 3090", &format!("error{too_new}")),
        ("ubuntu:22.04", "Tesla V100", &format!("error{too_new}")),
    ] {
        let text =
            format!("FROM {image}\nRUN pip install torch==2.1.0+cu121 --index-url https://download.pytorch.org/whl/cu121\n");
        let root = folder(&[("Dockerfile", text.as_str()), ("h.toml", &host(gpu))]);
        let (found, ..) = run(root.path(), &["--host", "h.toml"]);
        assert!(found.contains(said), "{image} {gpu}: {found}");
    }
}

#[test]
fn branches_that_no_release_notes_tell_are_not_refused() {
    for (image, driver, gpu, refused) in [
        ("nvcr.io/nvidia/pytorch:22.12-py3", "450.51.06", "A100", false),
        // The branch is among those of the notes, and so is no other.
        ("nvcr.io/nvidia/tritonserver:23.04-py3", "450.51.06", "A100", false),
        ("nvcr.io/nvidia/pytorch:25.12-py3", "470.182.03", "A100", true),
    ] {
        let host = format!("driver = \"{driver}\"\n[[gpu]]\nname = \"{gpu}\"\n");
        let root = folder(&[("Dockerfile", format!("FROM {image}\n").as_str()), ("h.toml", &host)]);
        let (found, ..) = run(root.path(), &["--host", "h.toml"]);
        assert_eq!(found.contains("error[") || found.contains("warning["), refused, "{image} {gpu}: {found}");
    }
}

#[test]
fn condas_builds_of_torch_have_the_kernels_that_their_script_asks_for() {
    let host = "driver = \"580.65.06\"\n[[gpu]]\nname = \"RTX 5090\"\n";
    let conda = |cuda: &str| {
        let build = format!("py3.10_cuda{cuda}_cudnn8_0");
        format!("channels: [pytorch, nvidia]\ndependencies: [python=3.10, \"pytorch=2.3.1={build}\"]\n")
    };
    for (path, text, lacks) in [
        ("environment.yml", conda("12.1.1").as_str(), true),
        // It asks for PTX here, and whether the build has it is not known.
        ("environment.yml", &conda("11.8.0"), false),
        ("Dockerfile", "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime\n", true),
        ("Dockerfile", "FROM pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime\n", false),
    ] {
        let root = folder(&[(path, text), ("h.toml", host)]);
        let (found, ..) = run(root.path(), &["--host", "h.toml"]);
        assert_eq!(found.contains("error[no-kernels-for-gpu]"), lacks, "{path} {text}: {found}");
    }
}
