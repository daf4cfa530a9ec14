//! Of what excludes each other people take one: that a host cannot run it is an error only where it can run none.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

/// What is said of a file on a host: `severity help`.
fn said(path: &str, text: &str, host: &str) -> Vec<String> {
    of_all(&[(path, text)], host)
}

fn of_all(files: &[(&str, &str)], host: &str) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    for (path, text) in files {
        linter.set(path, text).expect("no mistakes");
    }
    linter.host(Origin::CommandLine, "host.toml", host).expect("a host");
    let show = |d: &cudalint::diagnostic::Diagnostic| format!("{} {}", d.severity.word(), d.help.as_deref().unwrap_or_default());
    linter.report().diagnostics.iter().map(show).collect()
}

const BLACKWELL: &str = "driver = \"580.95.05\"\n[[gpu]]\nname = \"RTX 5090\"\n";
const OLD: &str = "driver = \"440.33.01\"\n[[gpu]]\nname = \"GTX 1080\"\n";

fn arms(cuda: &str) -> String {
    format!(
        "if [ \"$CUDA\" = 12.8 ]; then\n  pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/{cuda}\nelse\n  \
         pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu126\nfi\n"
    )
}

#[test]
fn arms_of_a_test() {
    assert_eq!(said("a.sh", &arms("cu128"), BLACKWELL), ["info take another branch of a.sh instead, which runs here"]);
    let none = said("a.sh", &arms("cu118"), BLACKWELL);
    assert!(none.len() == 2 && none.iter().all(|said| said.starts_with("error ")), "{none:?}");
    // One that runs nothing on the GPU is no way out.
    let cpu = said("a.sh", &arms("cpu"), BLACKWELL);
    assert!(cpu.len() == 1 && cpu[0].starts_with("error "), "{cpu:?}");
    let old = said("a.sh", &arms("cu128"), OLD);
    assert!(!old.is_empty() && old.iter().all(|said| said.starts_with("error ")), "{old:?}");
}

fn extras(conflicts: &str) -> String {
    format!(
        "[project]\nname = \"x\"\nversion = \"1\"\n[project.optional-dependencies]\nold = [\"torch>=2.7.1,<2.7.2\"]\n\
         new = [\"torch>=2.7.1,<2.7.2\"]\n[tool.uv]\nconflicts = [{conflicts}]\n[tool.uv.sources]\ntorch = [\
         {{ index = \"a\", extra = \"old\" }}, {{ index = \"b\", extra = \"new\" }}]\n[[tool.uv.index]]\nname = \"a\"\n\
         url = \"https://download.pytorch.org/whl/cu126\"\nexplicit = true\n[[tool.uv.index]]\nname = \"b\"\n\
         url = \"https://download.pytorch.org/whl/cu128\"\nexplicit = true\n"
    )
}

#[test]
fn extras_that_exclude_each_other() {
    let one_of = extras("[{ extra = \"old\" }, { extra = \"new\" }]");
    assert_eq!(said("pyproject.toml", &one_of, BLACKWELL), ["info take pyproject.toml[new] instead, which runs here"]);
    let apart = said("pyproject.toml", &extras(""), BLACKWELL);
    assert!(apart.len() == 1 && apart[0].starts_with("error "), "{apart:?}");
}

#[test]
fn extras_that_pin_one_package() {
    let extras = "[project]\nname = \"x\"\nversion = \"1\"\n[project.optional-dependencies]\n\
                  old = [\"torch==2.5.1\"]\nnew = [\"torch==2.9.1\"]\n";
    assert_eq!(said("pyproject.toml", extras, BLACKWELL), ["info take pyproject.toml[new] instead, which runs here"]);
}

#[test]
fn files_that_name_their_cuda() {
    let index = |cuda: &str| format!("--index-url https://download.pytorch.org/whl/{cuda}\ntorch==2.7.1\n");
    let (old, new) = (index("cu126"), index("cu128"));
    let both = [("requirements-cu126.txt", old.as_str()), ("requirements-cu128.txt", new.as_str())];
    assert_eq!(of_all(&both, BLACKWELL), ["info take requirements-cu128.txt instead, which runs here"]);
    let apart = of_all(&[("requirements-old.txt", &old), ("requirements-cu128.txt", &new)], BLACKWELL);
    assert!(apart.len() == 1 && apart[0].starts_with("error "), "{apart:?}");
}

#[test]
fn what_is_not_known_to_run_is_no_way_out() {
    let image = |tag: &str| format!("FROM pytorch/pytorch:{tag}\nCMD python -c 'import torch; torch.ones(1).cuda()'\n");
    let (old, unknown) = (image("2.1.0-cuda12.1-cudnn8-devel"), image("2.1.0-cuda11.8-cudnn8-devel"));
    let said = of_all(&[("cuda12.1.dockerfile", &old), ("cuda11.8.dockerfile", &unknown)], BLACKWELL);
    // It may run, so that the other one does not is no error.
    assert!(said.len() == 1 && said[0].starts_with("warning ") && !said[0].contains("instead"), "{said:?}");
    let extras = "[project]\nname = \"x\"\nversion = \"1\"\n[project.optional-dependencies]\n\
                  cpu = [\"torch==2.4.0\"]\ngpu = [\"torch==2.4.0\"]\n[tool.uv]\n\
                  conflicts = [[{ extra = \"cpu\" }, { extra = \"gpu\" }]]\n";
    let said = of_all(&[("pyproject.toml", extras)], BLACKWELL);
    assert!(said.len() == 1 && said[0].starts_with("error ") && !said[0].contains("instead"), "{said:?}");
}

const IMAGE: &str = "FROM python:3.11\nARG CU=cu128\nRUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/${CU}\n\
                     CMD python -c 'import torch; torch.ones(1).cuda()'\n";

#[test]
fn builds_of_one_image() {
    let workflow = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        cu: [cu126, cu128]\n    steps:\n      \
                    - run: docker build --build-arg CU=${{ matrix.cu }} -t x .\n";
    let built = of_all(&[("Dockerfile", IMAGE), (".github/workflows/a.yml", workflow)], BLACKWELL);
    assert!(built.len() == 1 && built[0].starts_with("info take Dockerfile"), "{built:?}");
    // What one machine runs, it must run all.
    let service = |name: &str, cu: &str| {
        format!(
            "  {name}:\n    build: {{context: ., args: {{CU: {cu}}}}}\n    command: python -c 'import torch; torch.ones(1).cuda()'\n    gpus: all\n"
        )
    };
    let compose = format!("services:\n{}{}", service("a", "cu126"), service("b", "cu128"));
    let run = of_all(&[("Dockerfile", IMAGE), ("compose.yaml", &compose)], BLACKWELL);
    assert!(run.len() == 1 && run[0].starts_with("error "), "{run:?}");
    // Profiles are asked for one by one, unless they share a service's.
    let profiled = |a: &str, b: &str| {
        let of = |name, cu, profiles| format!("{}    profiles: [{profiles}]\n", service(name, cu));
        let compose = format!("services:\n{}{}", of("a", "cu126", a), of("b", "cu128", b));
        of_all(&[("Dockerfile", IMAGE), ("compose.yaml", &compose)], BLACKWELL)
    };
    let parted = profiled("old", "new");
    assert!(parted.len() == 1 && parted[0].starts_with("info take"), "{parted:?}");
    let shared = profiled("old, all", "new, all");
    assert!(shared.len() == 1 && shared[0].starts_with("error "), "{shared:?}");
}
