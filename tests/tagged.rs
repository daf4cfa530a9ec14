//! Pins of one build by its local version, and the indexes that could serve it, as many ways as people write them.

mod found;

use found::found;

const INDEX: &str = "https://download.pytorch.org/whl";

/// What is found in a Dockerfile on a plain Python image with these commands.
fn run(commands: &str) -> Vec<String> {
    found(&[("Dockerfile", &format!("FROM python:3.10\n{commands}\n"))])
}

#[test]
fn no_index_serves_a_local_version() {
    for commands in [
        "RUN pip install torch==2.1.0+cu118",
        "RUN pip3 install 'torch==2.1.0+cu118' torchvision==0.16.0+cu118",
        "RUN python -m pip install torch===2.1.0+cu118",
        "RUN uv pip install --system torch==2.1.0+cu118",
        "ARG TORCH=2.1.0+cu118\nRUN pip install torch==${TORCH}",
        "ENV V=2.1.0\nRUN pip install \"torch==$V+cu118\" --no-cache-dir",
        "RUN pip install torch==2.1.0+cu118 -i https://pypi.org/simple",
        "RUN pip install torch-scatter==2.1.2+pt21cu118",
        "RUN pip install torch==2.1.0 && pip install --force-reinstall torch==2.1.0+cu118",
    ] {
        assert_eq!(run(commands), ["error local-version-without-index"], "{commands}");
    }
    for (path, text) in [
        ("requirements.txt", "torch==2.1.0+cu118 ; sys_platform == 'linux'\n"),
        (
            "environment.yml",
            "name: x\nchannels: [conda-forge]\ndependencies:\n  - python=3.10\n  - pip:\n    - torch==2.1.0+cu118\n",
        ),
        ("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"torch==2.1.0+cu118\"]\n"),
        ("Makefile", "install:\n\tpip install torch==2.1.0+cu118\n"),
        (
            ".github/workflows/a.yml",
            "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install torch==2.1.0+cpu\n",
        ),
    ] {
        assert_eq!(found(&[(path, text)]), ["error local-version-without-index"], "{path}");
    }
}

#[test]
fn a_local_version_that_may_be_served() {
    for commands in [
        &format!("RUN pip install torch==2.1.0+cu118 --index-url {INDEX}/cu118"),
        &format!("ENV PIP_EXTRA_INDEX_URL={INDEX}/cu118\nRUN pip install torch==2.1.0+cu118"),
        &format!("RUN pip config set global.extra-index-url {INDEX}/cu118\nRUN pip install torch==2.1.0+cu118"),
        &format!("RUN pip install torch==2.1.0+cu118 -f {INDEX}/torch_stable.html"),
        &format!("RUN pip install torch==2.1.0+cu118 --extra-index-url {INDEX}"),
        "COPY pip.conf /etc/pip.conf\nRUN pip install torch==2.1.0+cu118",
        "RUN --mount=type=secret,id=pip,target=/etc/pip.conf pip install torch==2.1.0+cu118",
        "RUN pip install torch==2.1.0+cu118 --find-links /wheels",
        "RUN pip install torch==2.1.0+cu118 --no-index --find-links /wheels",
        "ARG INDEX\nRUN pip install torch==2.1.0+cu118 --extra-index-url $INDEX",
        "RUN pip install torch==2.1.*",
        "RUN pip install \"torch>=2.1.0\"",
        "RUN pip install torch==$(cat version)+cu118",
    ] {
        assert!(run(commands).is_empty(), "{commands}: {:?}", run(commands));
    }
    // What an image has is not looked for.
    for image in ["company/torch:1", "nvcr.io/nvidia/pytorch:99.01-py3"] {
        let dockerfile = format!("FROM {image}\nRUN pip install torch==2.1.0+cu118\n");
        assert!(found(&[("Dockerfile", &dockerfile)]).is_empty(), "{image}");
    }
    // A lock was made with the index at hand.
    let lock = "version = 1\nrequires-python = \">=3.10\"\n[[package]]\nname = \"x\"\nversion = \"1\"\nsource = { virtual = \".\" }\n\
                dependencies = [{ name = \"torch\" }]\n[[package]]\nname = \"torch\"\nversion = \"2.4.1+cu121\"\n\
                source = { registry = \"https://wheels.example/whl\" }\n";
    let project =
        "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.10\"\ndependencies = [\"torch==2.4.1+cu121\"]\n";
    assert!(found(&[("pyproject.toml", project), ("uv.lock", lock)]).is_empty());
}

#[test]
fn an_index_of_another_tag() {
    for commands in [
        &format!("RUN pip install torch==2.1.0+cu118 --index-url {INDEX}/cu121"),
        &format!("RUN pip install torch==2.1.0+cu118 --extra-index-url {INDEX}/cu121"),
        &format!("RUN pip install torch==2.1.0+cu118 -f {INDEX}/cu121/torch_stable.html"),
        &format!("RUN uv pip install --system torch==2.1.0+cu118 --index {INDEX}/cu121"),
        &format!("RUN pip install torch==2.1.0+cpu --index-url {INDEX}/cu121/"),
        &format!("RUN pip install torch==2.1.0+cu121 --index-url {INDEX}/cpu"),
        &format!("ENV UV_INDEX={INDEX}/cu121\nRUN uv pip install --system torch==2.1.0+cu118"),
    ] {
        assert_eq!(run(commands), ["error wheel-tag-index-mismatch"], "{commands}");
    }
    let project = "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \"==3.11.*\"\ndependencies = [\"torch==2.4.1+cu124\"]\n\
                   [tool.uv.sources]\ntorch = { index = \"pytorch\" }\n[[tool.uv.index]]\nname = \"pytorch\"\n\
                   url = \"https://download.pytorch.org/whl/cu121\"\nexplicit = true\n";
    assert_eq!(found(&[("pyproject.toml", project)]), ["error wheel-tag-index-mismatch"]);
    for commands in [
        &format!("RUN pip install torch==2.1.0+cu118 --index-url {INDEX}/cu121 --extra-index-url {INDEX}/cu118"),
        &format!("RUN pip install torch==2.1.0+cu118 --index-url {INDEX}/cu121 --extra-index-url https://wheels.example/simple"),
        // Other packages have builds of other tags there.
        &format!("RUN pip install torchtext==0.16.0+cpu --index-url {INDEX}/cu121"),
        &format!("RUN pip install mine==1.0+cu118 --index-url {INDEX}/cu121"),
    ] {
        assert!(run(commands).is_empty(), "{commands}: {:?}", run(commands));
    }
}

#[test]
fn a_build_that_was_never_made() {
    for (version, tag) in [("2.6.0", "cu121"), ("2.0.0", "cu113"), ("2.0.1", "cu124"), ("1.13.1", "cu118"), ("2.9.0", "cu124")] {
        for index in [
            format!("--index-url {INDEX}/{tag}"),
            format!("-f {INDEX}/torch_stable.html"),
            format!("--extra-index-url {INDEX}/{tag}"),
        ] {
            let commands = format!("RUN pip install torch=={version}+{tag} {index}");
            assert_eq!(run(&commands), ["error wheel-never-published"], "{commands}");
        }
    }
    for (version, tag) in [("2.5.1", "cu121"), ("2.4.0", "cu124"), ("2.5.1", "cu126"), ("2.9.1", "cu129"), ("2.99.0", "cu130")] {
        let commands = format!("RUN pip install torch=={version}+{tag} --index-url {INDEX}/{tag}");
        assert!(run(&commands).is_empty(), "{commands}: {:?}", run(&commands));
    }
}

#[test]
fn an_index_that_never_was() {
    for address in ["cu122", "cu123", "cu125", "cu127", "cu131", "cu12.1", "cu12", "cu1211", "cu122/torch_stable.html", "cu120/"]
    {
        let commands = format!("RUN pip install torch --index-url {INDEX}/{address}");
        assert_eq!(run(&commands), ["error unknown-wheel-index"], "{commands}");
        let commands = format!("RUN pip install torch --extra-index-url {INDEX}/{address}");
        assert_eq!(run(&commands), ["warning unknown-wheel-index"], "{commands}");
    }
    assert_eq!(run(&format!("RUN pip install torch --index-url {INDEX}/cu199")), ["warning unknown-wheel-index"]);
    for address in
        ["cu118", "cu75", "rocm6.9", "nightly/cu131", "test/cu131", "cpu-cxx11-abi", "cu118/torch", "cuda", "cu122/torch/x"]
    {
        let commands = format!("RUN pip install torch --index-url {INDEX}/{address}");
        assert!(run(&commands).is_empty(), "{commands}: {:?}", run(&commands));
    }
}

#[test]
fn a_version_that_the_only_index_never_had() {
    for (version, tag) in [("2.6.0", "cu121"), ("1.13.0", "cu102"), ("2.3.0", "cu124"), ("1.12.1", "cu118"), ("2.4.1", "cu128")] {
        for wants in [format!("torch=={version}"), format!("torch=={version} numpy --no-cache-dir")] {
            let commands = format!("RUN pip install {wants} --index-url {INDEX}/{tag}");
            assert_eq!(run(&commands), ["error wheel-never-published"], "{commands}");
        }
    }
    let wheel = |tag: &str| format!("RUN pip install {INDEX}/{tag}/torch-2.6.0%2B{tag}-cp310-cp310-linux_x86_64.whl");
    assert_eq!(run(&wheel("cu121")), ["error wheel-never-published"]);
    assert!(run(&wheel("cu124")).is_empty());
    let routed = |wants: &str, tag: &str| {
        let project = format!(
            "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \"==3.11.*\"\ndependencies = [\"{wants}\"]\n\
             [tool.uv.sources]\ntorch = {{ index = \"pytorch\" }}\n[[tool.uv.index]]\nname = \"pytorch\"\n\
             url = \"{INDEX}/{tag}\"\nexplicit = true\n"
        );
        found(&[("pyproject.toml", &project)])
    };
    assert_eq!(routed("torch>=2.6", "cu121"), ["error wheel-never-published"], "a range that begins behind the end");
    assert_eq!(routed("torch==2.6.0", "cu121"), ["error wheel-never-published"]);
    for (wants, tag) in [("torch>=2.4", "cu121"), ("torch==2.6.0", "cu124"), ("torch", "cu121"), ("torch>=2.99", "cu130")] {
        assert!(routed(wants, tag).is_empty(), "{wants} {tag}: {:?}", routed(wants, tag));
    }
    for commands in [
        // It may be a build off the matrix, or another package's.
        &format!("RUN pip install torch==2.5.1 --index-url {INDEX}/cu126"),
        &format!("RUN pip install torchmetrics==0.1.0 --index-url {INDEX}/cu121"),
        &format!("RUN pip install --pre torch==2.6.0 --index-url {INDEX}/nightly/cu121"),
        &format!("RUN pip install torch==2.6.0 --index-url {INDEX}"),
        &format!("RUN pip install torch==2.6.0 --index-url {INDEX}/cu121 --extra-index-url https://wheels.example/simple"),
    ] {
        assert!(run(commands).is_empty(), "{commands}: {:?}", run(commands));
    }
}

#[test]
fn an_index_beside_pypi_that_never_had_the_version() {
    for (version, tag) in [("2.4.1", "cu128"), ("1.9.1", "cu113"), ("2.7.0", "cu124")] {
        for index in [format!("--extra-index-url {INDEX}/{tag}"), format!("-f {INDEX}/{tag}/torch_stable.html")] {
            let commands = format!("RUN pip install torch=={version} {index}");
            let found = found(&[("Dockerfile", &format!("FROM python:3.9\n{commands}\n"))]);
            assert_eq!(found, ["warning index-shadowed"], "{commands}");
        }
    }
    for commands in [
        &format!("RUN pip install torch==2.4.1 --extra-index-url {INDEX}/cu124"),
        &format!("RUN pip install torch==2.4.1 --extra-index-url {INDEX}/cpu"),
        &format!("RUN pip install torch==2.5.1 --extra-index-url {INDEX}/cu126"),
    ] {
        assert!(run(commands).is_empty(), "{commands}: {:?}", run(commands));
    }
}

#[test]
fn a_project_copied_to_a_place_in_an_image() {
    let project = "[project]\nname = \"u\"\nversion = \"1\"\nrequires-python = \">=3.10\"\ndependencies = []\n\
                   [project.optional-dependencies]\ncu126 = [\"torch==2.7.0+cu126\"]\n";
    let built = |from: &str, place: &str, path: &str, options: &str| {
        let image = format!("FROM python:3.11\nCOPY {from} {place}\nRUN pip install '{place}[cu126]'{options}\n");
        found(&[(path, project), ("Dockerfile", &image)])
    };
    let index = format!(" --extra-index-url {INDEX}/cu126");
    for (from, place, path) in
        [(".", "/src", "pyproject.toml"), ("train", "/opt/train", "train/pyproject.toml"), (".", "/a/b/", "pyproject.toml")]
    {
        assert!(built(from, place, path, &index).is_empty(), "{place}: {:?}", built(from, place, path, &index));
        assert_eq!(built(from, place, path, ""), ["error local-version-without-index"], "{place}");
    }
}
