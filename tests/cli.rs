//! The program as people call it: examples in `tests/cli`, each in a copy of `tests/cli/project`, and what an example
//! cannot show.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[test]
fn examples() {
    trycmd::TestCases::new().case("tests/cli/*.toml");
}

fn cudalint(cwd: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cudalint"))
        .args(arguments)
        .current_dir(cwd)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    // It may end without reading.
    let _ = child.stdin.take().expect("its input").write_all(input);
    child.wait_with_output().expect("its output")
}

fn project() -> tempfile::TempDir {
    let temp = tempfile::tempdir().expect("a folder");
    fs::write(temp.path().join("requirements.txt"), "torch==2.1.0\n").expect("a file");
    temp
}

#[test]
fn output_is_the_same_from_run_to_run() {
    let temp = project();
    let run = || cudalint(temp.path(), &["--format", "json", "--driver", "470.182.03"], b"").stdout;
    let first = run();
    assert!(!first.is_empty());
    assert_eq!(first, run());
}

#[test]
fn output_goes_to_a_file() {
    let temp = project();
    let run = cudalint(temp.path(), &["check", "--format", "json", "-o", "out.json", "--color", "always"], b"");
    assert_eq!(run.stdout, b"");
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(temp.path().join("out.json")).expect("the file")).expect("JSON");
    assert_eq!(json["schema"], 1);
    let run = cudalint(temp.path(), &["-o", "no/out.json"], b"");
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("no/out.json"));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let temp = project();
    let mut child = Command::new(env!("CARGO_BIN_EXE_cudalint"))
        .args(["--format", "json"])
        .current_dir(temp.path())
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    drop(child.stdout.take());
    let run = child.wait_with_output().expect("its end");
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(!told.contains("panic") && !told.contains("error"), "{told}");
    assert!(matches!(run.status.code(), Some(0 | 1)), "{:?}", run.status);
}

#[test]
fn a_linked_root_and_a_working_directory_below_it_agree() {
    let temp = project();
    fs::create_dir_all(temp.path().join(".git")).expect("a folder");
    fs::create_dir_all(temp.path().join("sub")).expect("a folder");
    fs::write(temp.path().join("sub/requirements.txt"), "torch\n").expect("a file");
    let files = |cwd: &str, arguments: &[&str]| {
        let run = cudalint(&temp.path().join(cwd), &[&["check", "--show-files"], arguments].concat(), b"");
        String::from_utf8(run.stdout).expect("UTF-8")
    };
    assert_eq!(files("", &[]), "requirements.txt: requirements\nsub/requirements.txt: requirements\n");
    assert_eq!(files("sub", &[]), "../requirements.txt: requirements\nrequirements.txt: requirements\n");
    assert_eq!(files("sub", &["requirements.txt"]), files("sub", &["../sub", "."]));
}

#[cfg(unix)]
#[test]
fn names_of_files_cannot_harm_the_terminal() {
    let temp = project();
    fs::write(temp.path().join("\u{1b}[2Jrequirements.txt"), [0xff]).expect("a file");
    for arguments in
        [&["-v"][..], &["--show-files"], &["\u{1b}[2Jrequirements.txt"], &["\u{1b}[31mgone"], &["--select", "\u{1b}[31m"]]
    {
        let run = cudalint(temp.path(), arguments, b"");
        assert!(!run.stdout.contains(&0x1b) && !run.stderr.contains(&0x1b), "{arguments:?}");
    }
}

#[test]
fn any_bytes_on_standard_input_are_survived() {
    let temp = project();
    for (input, status) in [
        (&b""[..], 0),
        (b"\xef\xbb\xbftorch\r\n", 0),
        (b"\xff\xfet\0o\0", 0),
        (b"\xff", 2),
        (b"\0\0\0", 0),
        (&[b'{'; 100_000], 0),
    ] {
        for name in ["requirements.txt", "Dockerfile", "environment.yml", "pyproject.toml", "run.sh", "new/requirements.txt"] {
            let run = cudalint(temp.path(), &["--stdin-filename", name, "--fail-on", "never"], input);
            assert_eq!(run.status.code(), Some(status), "{name}: {}", String::from_utf8_lossy(&run.stderr));
        }
    }
}
