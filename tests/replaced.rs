//! A torch that a later step of the same environment replaces, and a companion that nothing ties to it.

mod found;

use found::found;

const INDEX: &str = "https://download.pytorch.org/whl";
const REPLACED: &str = "warning torch-replaced-later";

fn script(text: &str) -> Vec<String> {
    found(&[("setup.sh", text)])
}

#[test]
fn an_upgrade_that_is_written_into_the_command_is_meant() {
    let first = "pip install torch==2.1.0\n";
    for later in ["pip install -U torch", "python -m pip install --upgrade torch torchvision", "pip install torch==2.2.0"] {
        assert!(script(&format!("{first}{later}\n")).is_empty(), "{later}: {:?}", script(&format!("{first}{later}\n")));
    }
    for later in ["pip install torchvision", "pip install -U torchvision", "pip install -U -r requirements.txt"] {
        let files = [("setup.sh", format!("{first}{later}\n")), ("requirements.txt", "torch>=2.0\n".to_owned())];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        assert_eq!(found(&files), [REPLACED], "{later}");
    }
}

#[test]
fn uv_brings_the_project_s_environment_to_what_it_resolves() {
    let project = "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \"==3.11.*\"\ndependencies = [\"torch>=2.1\"]\n";
    let run = |before: &str, last: &str| {
        let script = format!("uv venv\n{before}uv pip install torch==2.5.1+cu121 --index-url {INDEX}/cu121\n{last}\n");
        found(&[("pyproject.toml", project), ("run.sh", &script)])
    };
    for last in ["uv run python train.py", "uv sync", "uv run pytest"] {
        assert_eq!(run("", last), [REPLACED], "{last}");
    }
    for (before, last) in [
        ("", "uv run --no-sync python train.py"),
        ("", "uv run --no-project python train.py"),
        ("export UV_NO_SYNC=1\n", "uv run python train.py"),
        ("", ".venv/bin/python train.py"),
        ("", "uv pip install ."),
    ] {
        assert!(run(before, last).is_empty(), "{before}{last}: {:?}", run(before, last));
    }
}
