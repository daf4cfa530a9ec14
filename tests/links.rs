//! The program follows links to files whose names are not ours, and passes over no configuration that it cannot read.

use std::fs;
use std::process::{Command, Output};

fn run(files: &[(&str, &[u8])], arguments: &[&str]) -> Output {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir(root.path().join(".git")).expect("a folder");
    for (path, bytes) in files {
        fs::write(root.path().join(path), bytes).expect("a file");
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_cudalint"));
    program.current_dir(root.path()).env_clear().args(arguments).output().expect("the program")
}

#[test]
fn an_included_file_is_read_whatever_its_name() {
    let host = ["--format", "concise", "--driver", "470.57.02"];
    let index: &[u8] = b"--index-url https://download.pytorch.org/whl/cu118\n";
    let silent = run(&[("requirements.txt", b"-r idx.txt\ntorch==2.6.0\n"), ("idx.txt", index)], &host);
    assert_eq!((silent.status.code(), silent.stdout.len()), (Some(0), 0), "{}", String::from_utf8_lossy(&silent.stdout));
    let found = run(&[("requirements.txt", b"-r base.txt\n"), ("base.txt", b"torch==2.11.0\n")], &host);
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(text.starts_with("base.txt:1:1: error[driver-too-old]"), "{text}");
}

#[test]
fn a_configuration_that_is_no_text_stops_the_run() {
    let files: &[(&str, &[u8])] = &[("cudalint.toml", b"\xff"), ("requirements.txt", b"torch\n")];
    let stopped = run(files, &[]);
    assert_eq!(stopped.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&stopped.stderr).contains("cudalint.toml:1:1: not UTF-8"));
    assert_eq!(run(files, &["--no-config"]).status.code(), Some(0));
}

#[test]
fn no_output_holds_a_password() {
    let script = b"pip install -i //u:SECRETZ@download.pytorch.org/whl/cu130 torch==2.11.0\n\
        pip install --index-url 'https:/u:SECRETZ@download.pytorch.org/x' torch\n\
        pip install --extra-index-url 'https://artifacts.example/simple?token=x#SECRETZ' torch\n";
    for format in ["text", "concise", "json"] {
        let files: &[(&str, &[u8])] = &[("a.sh", script), ("Dockerfile", b"FROM u:SECRETZ@registry.example/nvidia/cuda:12\n")];
        let out = run(files, &["-v", "--format", format, "--driver", "470.57.02"]);
        let all = [out.stdout, out.stderr].concat();
        assert!(!String::from_utf8_lossy(&all).contains("SECRETZ"), "{format}: {}", String::from_utf8_lossy(&all));
    }
}
