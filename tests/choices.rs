//! Of what excludes each other people take one: that a host cannot run it is an error only where it can run none.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

/// What is said of a file on a host: `severity help`.
fn said(path: &str, text: &str, host: &str) -> Vec<String> {
    let mut linter = Linter::new(Settings::default());
    linter.set(path, text).expect("no mistakes");
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
    assert_eq!(said("a.sh", &arms("cu128"), BLACKWELL), ["info take a.sh instead, which runs here"]);
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
        "[project]\nname = \"x\"\nversion = \"1\"\n[project.optional-dependencies]\ncu126 = [\"torch==2.7.1\"]\n\
         cu128 = [\"torch==2.7.1\"]\n[tool.uv]\nconflicts = [{conflicts}]\n[tool.uv.sources]\ntorch = [\
         {{ index = \"a\", extra = \"cu126\" }}, {{ index = \"b\", extra = \"cu128\" }}]\n[[tool.uv.index]]\nname = \"a\"\n\
         url = \"https://download.pytorch.org/whl/cu126\"\nexplicit = true\n[[tool.uv.index]]\nname = \"b\"\n\
         url = \"https://download.pytorch.org/whl/cu128\"\nexplicit = true\n"
    )
}

#[test]
fn extras_that_exclude_each_other() {
    let one_of = extras("[{ extra = \"cu126\" }, { extra = \"cu128\" }]");
    assert_eq!(said("pyproject.toml", &one_of, BLACKWELL), ["info take pyproject.toml[cu128] instead, which runs here"]);
    let apart = said("pyproject.toml", &extras(""), BLACKWELL);
    assert!(apart.len() == 1 && apart[0].starts_with("error "), "{apart:?}");
}
