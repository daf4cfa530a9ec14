//! What is compiled, with which compilers for CUDA at hand, and what is put on the system.

use cudalint::environment::{Building, Environment, Origin};
use cudalint::linter::Linter;
use cudalint::settings::Settings;

fn environments(files: &[(&str, &str)]) -> Vec<Environment> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    linter.report();
    linter.environments().cloned().collect()
}

/// Of the only environment that compiles: `what wants | compilers | isolated | variables`.
fn compiled(files: &[(&str, &str)]) -> Vec<String> {
    let all = environments(files);
    let builds = all.iter().flat_map(|env| &env.compiled).map(|built| {
        let what = match &built.what {
            Building::Package { row, wants } => format!("{}{wants}", row.name),
            Building::Program { program, .. } => program.clone(),
        };
        let release = |t: &cudalint::environment::Toolkit| t.cuda.map_or_else(|| "?".to_owned(), |cuda| cuda.to_string());
        let mut toolkits: Vec<String> = built.toolkits.known.iter().map(release).collect();
        toolkits.extend(built.toolkits.open.then(|| "open".to_owned()));
        let isolated = if built.isolated { "isolated" } else { "" };
        let set: Vec<String> =
            built.variables.iter().map(|(name, set)| format!("{name}={}", set.value.as_deref().unwrap_or("?"))).collect();
        format!("{what} | {} | {isolated} | {}", toolkits.join(" "), set.join(" "))
    });
    builds.collect()
}

#[test]
fn what_an_installer_builds_and_with_what() {
    for (dockerfile, expected) in [
        // PyPI has no wheel of it.
        (
            "FROM python:3.11\nRUN pip install torch==2.3.1\nRUN pip install flash-attn==2.5.8",
            "flash-attn==2.5.8 |  | isolated | ",
        ),
        (
            "FROM nvidia/cuda:12.1.1-devel-ubuntu22.04\nENV TORCH_CUDA_ARCH_LIST=8.0\nRUN pip install --no-build-isolation flash-attn",
            "flash-attn | 12.1.1 |  | TORCH_CUDA_ARCH_LIST=8.0",
        ),
        (
            "FROM nvidia/cuda:12.1.1-runtime-ubuntu22.04\nRUN FORCE_CUDA=1 pip install git+https://github.com/facebookresearch/detectron2.git",
            "detectron2 |  | isolated | FORCE_CUDA=1",
        ),
        (
            "FROM nvidia/cuda:12.1.1-base-ubuntu22.04\nRUN apt-get install -y cuda-nvcc-12-1\nRUN pip install ./submodules/simple-knn",
            "simple-knn | 12.1 | isolated | ",
        ),
        (
            "FROM ubuntu:22.04\nRUN apt-get install -y nvidia-cuda-toolkit\nRUN pip install 'git+https://u:p@github.com/NVlabs/tiny-cuda-nn/#subdirectory=bindings/torch'",
            "tinycudann | ? | isolated | ",
        ),
        (
            "FROM nvidia/cuda:12.1.1-devel-ubuntu22.04\nRUN git clone https://github.com/NVIDIA/apex && cd apex && pip install -v .",
            "apex | 12.1.1 | isolated | ",
        ),
        ("FROM company/base:1\nRUN pip install mamba-ssm==2.2.2", "mamba-ssm==2.2.2 | open | isolated | "),
        (
            "FROM ubuntu:22.04\nRUN wget https://developer.download.nvidia.com/compute/cuda/11.8.0/local_installers/cuda_11.8.0_520.61.05_linux.run && sh cuda_11.8.0_520.61.05_linux.run --silent --toolkit\nRUN cd /src && python setup.py install",
            "setup.py | 11.8.0 |  | ",
        ),
        // A stage may bring anything under /usr/local.
        (
            "FROM nvidia/cuda:12.1.1-devel-ubuntu22.04 AS a\nFROM python:3.11\nCOPY --from=a /usr/local/cuda /usr/local/cuda\nRUN pip install flash-attn==2.5.8",
            "flash-attn==2.5.8 | open | isolated | ",
        ),
    ] {
        assert_eq!(compiled(&[("Dockerfile", dockerfile)]), [expected], "{dockerfile}");
    }
}

#[test]
fn what_comes_as_a_wheel_is_not_built() {
    for command in [
        "pip install xformers==0.0.27",
        "pip install gsplat",
        // Another index may have wheels of it.
        "pip install flash-attn --find-links https://wheels.example/torch2.3",
        "pip install https://github.com/Dao-AILab/flash-attention/releases/download/v2.5.8/flash_attn-2.5.8+cu122torch2.3cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
        "pip install numpy",
    ] {
        assert!(compiled(&[("Dockerfile", &format!("FROM python:3.11\nRUN {command}\n"))]).is_empty(), "{command}");
    }
}

#[test]
fn conda_and_modules_bring_compilers() {
    let file = "name: x\nchannels: [conda-forge]\ndependencies:\n  - python=3.10\n  - cuda-nvcc=12.4\n  - pip\n  - pip:\n    - flash-attn==2.5.8\n";
    assert_eq!(compiled(&[("environment.yml", file)]), ["flash-attn==2.5.8 | 12.4 open | isolated | "]);
    let script = "module load cuda/11.8\npip install flash-attn==2.5.8\n";
    assert_eq!(compiled(&[("setup.sh", script)]), ["flash-attn==2.5.8 | 11.8 open | isolated | CUDA_HOME=? CUDA_PATH=?"]);
}

#[test]
fn what_is_put_on_the_system() {
    let dockerfile = "FROM ubuntu:20.04\nRUN apt-get install -y curl nvtop cuda-12-4 libcudnn8=8.9.6.50-1+cuda11.8\n";
    let all = environments(&[("Dockerfile", dockerfile)]);
    let parts: Vec<String> =
        all.iter().flat_map(|env| &env.system).map(|part| format!("{} {:?}", part.name, part.carries)).collect();
    assert_eq!(parts, ["curl []", "nvtop [Driver]", "cuda-12-4 [Driver, Toolkit]", "libcudnn8=8.9.6.50-1+cuda11.8 [Cudnn]"]);
    assert!(all.iter().all(|env| env.is_built));
}

#[test]
fn from_where_a_package_is_asked_for() {
    let requirements = "torch==2.1.0\nxformers @ git+https://user:secret@github.com/facebookresearch/xformers@v0.0.22\n\
                        https://download.pytorch.org/whl/cu118/torchvision-0.16.0%2Bcu118-cp310-cp310-linux_x86_64.whl\n";
    let all = environments(&[("requirements.txt", requirements)]);
    let asks = all.iter().flat_map(|env| &env.steps).flat_map(|step| &step.asks);
    let from: Vec<(&str, &Origin)> = asks.map(|ask| (ask.package.as_str(), &ask.from)).collect();
    assert_eq!(from[0], ("torch", &Origin::Index));
    let Origin::Sources(url) = from[1].1 else { panic!("{from:?}") };
    assert!(url.contains("facebookresearch/xformers@v0.0.22") && !url.contains("secret"), "{url}");
    assert!(matches!(from[2], ("torchvision", Origin::Wheel(_))), "{from:?}");
}
