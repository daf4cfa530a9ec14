//! What other files of the root say of what a manifest leaves open: what may be there before it is installed, and what the
//! root's own packages require.

mod rendered;

use rendered::{check, environments};

const CU118: &str = "https://download.pytorch.org/whl/cu118";

fn with_page(page: &str, requirements: &str) -> String {
    let readme = format!("# x\n{page}\n");
    environments(&[("README.md", readme.as_str()), ("requirements.txt", requirements)]).join("; ")
}

#[test]
fn a_page_tells_what_to_install_first() {
    let bash = |lines: &str| format!("```bash\n{lines}\n```");
    let cu118 = format!("pip install torch --index-url {CU118}");
    for (page, requirements, want) in [
        // A mirror of PyPI has what PyPI has.
        (
            bash("pip install -r requirements.txt -i https://pypi.example/simple"),
            "torch==2.3.1\n",
            "requirements.txt: torch 2.3.1 pypi",
        ),
        (
            bash("pip install -r requirements.txt -i https://packages.example.org/simple"),
            "torch==2.3.1\n",
            "requirements.txt: torch ?",
        ),
        (bash(&format!("{cu118}\npip install -r requirements.txt")), "torch\n", "requirements.txt: torch ?"),
        // In two blocks, with a prompt, in the midst of a line.
        (
            format!("{}\nand\n{}", bash(&format!("$ {cu118}")), bash("$ pip install -r requirements.txt")),
            "torch>=2.0\n",
            "requirements.txt: torch ?",
        ),
        (format!("First `{cu118}`, then `pip install -r requirements.txt`."), "torch\n", "requirements.txt: torch ?"),
        // What others require stays, too.
        (
            bash("pip install torch==2.4.1\npip install -r requirements.txt"),
            "bitsandbytes\n",
            "requirements.txt: bitsandbytes 0.50.2… pypi, torch ?",
        ),
        (
            bash("conda install pytorch pytorch-cuda=11.8 -c pytorch -c nvidia\npip install -r requirements.txt"),
            "torch>=1.13\n",
            "requirements.txt: torch ?",
        ),
        // Alternatives: any of them.
        (
            bash(&format!("# CPU\npip install torch==1.13.1\n# GPU\n{cu118}\npip install -r requirements.txt")),
            "torch>=2.0\n",
            "requirements.txt: torch ?",
        ),
        // The pinned version itself is there already.
        (
            bash(&format!("{cu118}\npip install torch==2.4.1 -i {CU118}\npip install -r requirements.txt")),
            "torch==2.4.1\n",
            "requirements.txt: torch ?",
        ),
        // Another one takes its place.
        (bash(&format!("{cu118}\npip install -r requirements.txt")), "torch==2.4.1\n", "requirements.txt: torch 2.4.1 pypi"),
        (
            bash("pip install torch==1.13.1\npip install -r requirements.txt"),
            "torch>=2.0\n",
            "requirements.txt: torch 2.15.0… pypi",
        ),
        // What is chosen by nobody comes to the same; what comes behind is not there yet; a new environment begins anew.
        (bash("pip install torch\npip install -r requirements.txt"), "torch\n", "requirements.txt: torch 2.15.0… pypi"),
        (bash(&format!("pip install -r requirements.txt\n{cu118}")), "torch\n", "requirements.txt: torch 2.15.0… pypi"),
        // What reads the file itself is no other installation.
        (
            bash("pip install -r requirements.txt\npip install -r requirements.txt"),
            "torch==2.4.1\n",
            "requirements.txt: torch 2.4.1 pypi",
        ),
    ] {
        assert_eq!(with_page(&page, requirements), want, "{page}\n{requirements}");
    }
}

#[test]
fn whoever_installs_a_manifest_in_an_image_has_what_is_there() {
    let job = |image: &str| format!("test:\n  {image}\n  script:\n    - pip install -r requirements.txt\n");
    let pytorch = job("image: pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime");
    let own = |ci: &str, text: &str| {
        let all = environments(&[(".gitlab-ci.yml", ci), ("requirements.txt", text)]);
        all.into_iter().find(|env| env.starts_with("requirements.txt")).unwrap_or_default()
    };
    assert_eq!(own(&pytorch, "torch>=2.0\n"), "requirements.txt: torch ?");
    assert_eq!(own(&pytorch, "torch==2.5.1\n"), "requirements.txt: torch 2.5.1 pypi");
    assert_eq!(own(&job("image: python:3.11"), "torch>=2.0\n"), "requirements.txt: torch 2.15.0… pypi");
    // Of CI's jobs one is enough, whatever the others have.
    let both = format!("{pytorch}{}", job("tags: [x]").replace("test:", "lint:"));
    assert_eq!(own(&both, "torch>=2.0\n"), "requirements.txt: torch ?");
    let on_cpu = job("image: python:3.11")
        .replace("    - pip", "    - pip install torch -i https://download.pytorch.org/whl/cpu\n    - pip");
    assert_eq!(own(&on_cpu, "torch>=2.0\n"), "requirements.txt: torch 2.15.0… pypi");
    assert_eq!(own(&format!("{pytorch}{}", on_cpu.replace("test:", "cpu:")), "torch>=2.0\n"), "requirements.txt: torch ?");
}

#[test]
fn what_is_installed_with_a_project_chooses_for_it() {
    let setup = "from setuptools import setup\nsetup(name='x', install_requires=['torch'])\n";
    let own = |files: &[(&str, &str)], name: &str| {
        environments(files).into_iter().find(|env| env.starts_with(name)).unwrap_or_default()
    };
    let environment = "channels: [pytorch]\ndependencies:\n  - pytorch=1.11.0\n  - cudatoolkit=11.3\n  - pip:\n    - -e .\n";
    let dockerfile = "FROM pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime\nCOPY . .\nRUN pip install -e .\n";
    let script = "pip install torch==1.13.1\npip install -e .\n";
    for (path, text, want) in [
        ("environment.yaml", environment, "setup.py: torch ?"),
        ("requirements.txt", "torch==1.13.1\n", "setup.py: torch ?"),
        ("requirements.txt", "--extra-index-url https://download.pytorch.org/whl/cu118\ntorch\n", "setup.py: torch ?"),
        ("Dockerfile", dockerfile, "setup.py: torch ?"),
        ("install.sh", script, "setup.py: torch ?"),
        ("requirements.txt", "torch\n", "setup.py: torch 2.15.0… pypi"),
        ("constraints.txt", "torch==1.13.1\n", "setup.py: torch 2.15.0… pypi"),
        ("Dockerfile", "FROM python:3.11\nCOPY . .\nRUN pip install -e .\n", "setup.py: torch 2.15.0… pypi"),
        ("a/requirements.txt", "torch==1.13.1\n", "setup.py: torch 2.15.0… pypi"),
        ("a/requirements.txt", "torch==1.13.1\n-e ..\n", "setup.py: torch ?"),
    ] {
        assert_eq!(own(&[("setup.py", setup), (path, text)], "setup.py"), want, "{path}: {text}");
    }
    // One that pins is judged all the same.
    let pinned = "[project]\nname = 'x'\ndependencies = ['torch==2.4.1']\n";
    check(
        &[("pyproject.toml", pinned), ("requirements.txt", "torch==2.4.1\n")],
        &["pyproject.toml: torch 2.4.1 pypi", "requirements.txt: torch 2.4.1 pypi"],
    );
}

#[test]
fn what_the_root_s_own_package_requires_holds_where_it_is_asked_for_by_name() {
    let with = |name: &str, project: &str, text: &str| {
        let all = environments(&[(name, project), ("examples/requirements.txt", text)]);
        all.into_iter().find(|env| env.starts_with("examples/")).unwrap_or_default()
    };
    let project = "[project]\nname = 'My_Own'\ndependencies = ['torch>=2.0,<2.5']\n";
    let setup = "from setuptools import setup\nsetup(name='my-own', install_requires=find())\n";
    let cfg = "[metadata]\nname = my_own\n[options]\ninstall_requires =\n    torch<2.5\n";
    let poetry = "[tool.poetry]\nname = 'my-own'\n[tool.poetry.dependencies]\ntorch = '<2.5'\n";
    for (name, text) in [("pyproject.toml", project), ("setup.cfg", cfg), ("pyproject.toml", poetry)] {
        assert_eq!(with(name, text, "my-own>=0.1\ntorch\n"), "examples/requirements.txt: my-own ?, torch 2.4.1… pypi", "{name}");
    }
    assert_eq!(with("setup.py", setup, "my.own\ntorch\n"), "examples/requirements.txt: my-own ?, torch ?");
    // An older version required what it did.
    assert_eq!(with("pyproject.toml", project, "my-own==0.1\ntorch\n"), "examples/requirements.txt: my-own ?, torch ?");
    assert_eq!(with("setup.py", setup, "my-own\ntorch==2.1.0\n"), "examples/requirements.txt: my-own ?, torch 2.1.0 pypi");
    assert_eq!(with("setup.py", setup, "other\ntorch\n"), "examples/requirements.txt: other ?, torch 2.15.0… pypi");
}
