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
    assert_eq!(String::from_utf8_lossy(&run.stderr), "error: --output: no/out.json: no such file or folder\n");
}

/// What is said on standard error, and the exit status.
fn told(cwd: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let run = cudalint(cwd, arguments, b"");
    (String::from_utf8(run.stderr).expect("UTF-8"), run.status.code())
}

#[test]
fn a_gpu_that_is_not_known_is_told_once() {
    let temp = project();
    fs::create_dir_all(temp.path().join("other/.git")).expect("a folder");
    fs::write(temp.path().join("other/requirements.txt"), "torch==2.1.0\n").expect("a file");
    fs::write(temp.path().join("h.toml"), "driver = \"535\"\n[[gpu]]\nname = \"7.0\"\n").expect("a file");
    for verbose in [&[][..], &["-v"]] {
        let arguments = ["--format", "concise", "--gpu", "RTX 6000", "--host", "h.toml", "requirements.txt", "other"];
        let (told, status) = told(temp.path(), &[&arguments[..], verbose].concat());
        let warnings: Vec<_> = told.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!((warnings.len(), status), (2, Some(0)), "{told}");
        assert!(warnings.iter().any(|w| w.starts_with("warning: --gpu: RTX 6000: ") && w.contains("Quadro RTX 6000 (sm_75)")));
        assert!(warnings.iter().any(|w| w.starts_with("warning: h.toml:3:9: ") && w.contains("`compute_capability = \"7.0\"`")));
    }
    assert_eq!(told(temp.path(), &["-q", "--gpu", "RTX 6000"]), (String::new(), Some(0)));
}

#[test]
fn a_gpu_may_be_given_by_its_compute_capability() {
    let temp = project();
    fs::write(temp.path().join("requirements.txt"), "torch==2.11.0\n").expect("a file");
    for gpu in ["7.0", "sm_70", "V100"] {
        let run = cudalint(temp.path(), &["--format", "concise", "--gpu", gpu], b"");
        let out = String::from_utf8_lossy(&run.stdout);
        assert!(out.contains("error[no-kernels-for-gpu]") && out.contains("sm_70"), "{gpu}: {out}");
        assert!(!String::from_utf8_lossy(&run.stderr).contains("warning"), "{gpu}");
    }
}

#[test]
fn a_cuda_version_is_no_driver() {
    let temp = project();
    let (option, status) = told(temp.path(), &["--driver", "12.4"]);
    assert_eq!(status, Some(2));
    assert!(option.starts_with("error: --driver: 12.4: `driver` looks like a CUDA version"), "{option}");
    assert!(option.contains("`driver_cuda` in a host file"), "{option}");
    fs::write(temp.path().join("h.toml"), "name = \"h\"\ndriver = \"12.4\"\n").expect("a file");
    let (file, status) = told(temp.path(), &["--host", "h.toml"]);
    assert_eq!(status, Some(2));
    assert!(file.starts_with("error: h.toml:2:11: `driver` looks like a CUDA version"), "{file}");
}

#[test]
fn every_host_that_fails_is_told_with_what_it_has() {
    let temp = project();
    let at = |path: &str| temp.path().join(path);
    fs::write(at("requirements.txt"), "torch==2.11.0\n").expect("a file");
    fs::create_dir(at("hosts")).expect("a folder");
    let hosts = [
        ("gpu-box", "driver = \"470.82.01\"", "V100"),
        ("old-node", "driver = \"450.51.06\"", "Tesla P100"),
        ("fits", "driver = \"590.48.01\"", "RTX 4090"),
    ];
    for (name, driver, gpu) in hosts {
        let text = format!("name = \"{name}\"\n{driver}\n[[gpu]]\nname = \"{gpu}\"\n");
        fs::write(at(&format!("hosts/{name}.toml")), text).expect("a file");
    }
    let out = |arguments: &[&str]| {
        let run = cudalint(temp.path(), &[&["--host", "hosts"], arguments].concat(), b"");
        String::from_utf8(run.stdout).expect("UTF-8")
    };
    let concise = out(&["--format", "concise"]);
    let driver = "CUDA 13.0 needs driver 580.65.06 or newer, gpu-box has 470.82.01, old-node has 450.51.06\n";
    assert!(concise.contains(driver), "{concise}");
    assert!(
        concise.contains("torch 2.11.0 has no kernels for Tesla P100 (sm_60) of old-node, V100 (sm_70) of gpu-box\n"),
        "{concise}"
    );
    let text = out(&[]);
    assert!(text.contains("\n  on: gpu-box (470.82.01), old-node (450.51.06)\n"), "{text}");
    assert!(text.contains("\n  on: gpu-box (V100), old-node (Tesla P100)\n"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&out(&["--format", "json"])).expect("JSON");
    assert_eq!(json["diagnostics"][0]["hosts"].to_string(), r#"["gpu-box","old-node"]"#);
    // Alike, they need no names; of many, the first are named.
    for (drivers, ending) in [
        (&["driver = \"470.82.01\""; 3][..], "or newer, the hosts have 470.82.01\n"),
        (&["driver_cuda = \"11.4\""; 1], "or newer, the host has a driver that reports CUDA 11.4\n"),
        (
            &["driver = \"470.1\"", "driver = \"470.2\"", "driver = \"470.3\"", "driver = \"470.4\"", "driver = \"470.5\""],
            "or newer, h0 has 470.1, h1 has 470.2, h2 has 470.3, and 2 more\n",
        ),
    ] {
        fs::remove_dir_all(at("hosts")).expect("a folder");
        fs::create_dir(at("hosts")).expect("a folder");
        for (i, driver) in drivers.iter().enumerate() {
            fs::write(at(&format!("hosts/{i}.toml")), format!("name = \"h{i}\"\n{driver}\n")).expect("a file");
        }
        let concise = out(&["--format", "concise"]);
        assert!(concise.ends_with(ending), "{concise}");
    }
}

#[test]
fn of_several_versions_the_weakest_demand_is_told() {
    let temp = project();
    for (requirement, says) in [
        (
            "torch>=2.1.2,<2.9",
            "every version of torch that the files allow needs driver 525.60.13 or newer (CUDA 12.1 or later), ",
        ),
        ("torch==2.1.2", "CUDA 12.1 needs driver 525.60.13 or newer, "),
        ("torch>=2.0", "CUDA 13"),
    ] {
        fs::write(temp.path().join("requirements.txt"), requirement).expect("a file");
        let run = cudalint(temp.path(), &["--format", "concise", "--driver", "470.82.01"], b"");
        let out = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(out.contains(&format!("[driver-too-old]: {says}")), "{requirement}: {out}");
    }
}

#[test]
fn what_names_no_rule_is_told_with_its_place() {
    let temp = project();
    let at = |path: &str| temp.path().join(path);
    let text =
        "torch==2.1.0  # cudalint: ignore[bogus, unused-ignore]\nnumpy # cudalint: ignore\r\nscipy # cudalint: ignore[] x\n";
    fs::write(at("requirements.txt"), text).expect("a file");
    let levels = "[levels]\nno-such = \"off\"\n[[per-path]]\npath = \"x\"\nlevels = { nor-this = \"off\" }\n";
    fs::write(at("cudalint.toml"), levels).expect("a file");
    let (told, status) = told(temp.path(), &["--format", "concise"]);
    let places: Vec<_> =
        told.lines().map(|line| line.split_once(": ").and_then(|(_, l)| l.split_once(": ")).expect("a place")).collect();
    let names = "silences nothing: it needs the names of rules, as in `cudalint: ignore[driver-too-old]`";
    assert_eq!(
        places,
        [
            ("cudalint.toml:2:1", "levels: no rule is called no-such"),
            ("cudalint.toml:5:12", "levels: no rule is called nor-this"),
            ("requirements.txt:1:34", "ignore[bogus]: no rule is called so"),
            ("requirements.txt:2:7", names),
            ("requirements.txt:3:7", names),
        ]
    );
    assert_eq!(status, Some(0));
}

#[test]
fn a_flood_of_mistakes_is_told_in_short() {
    let temp = project();
    let at = |path: &str| temp.path().join(path);
    fs::write(at("requirements.txt"), format!("torch # cudalint: ignore[{}]\n", "x,".repeat(100_000))).expect("a file");
    let (flood, status) = told(temp.path(), &["--format", "concise"]);
    assert_eq!((flood.lines().count(), status), (101, Some(0)));
    assert!(flood.ends_with("warning: and 99900 more like these\n"), "{flood}");
    fs::write(at("cudalint.toml"), (0..50_000).map(|i| format!("k{i} = 1\n")).collect::<String>()).expect("a file");
    let (flood, status) = told(temp.path(), &[]);
    assert_eq!((flood.lines().count(), status), (101, Some(2)));
    // A control character and a long word are told in brief.
    fs::remove_file(at("cudalint.toml")).expect("the file");
    fs::write(at("requirements.txt"), format!("torch # cudalint: ignore[{}]\n", "é".repeat(500_000))).expect("a file");
    assert!(told(temp.path(), &["--format", "concise"]).0.len() < 300);
    assert!(told(temp.path(), &["--gpu", &"RTX ".repeat(20_000)]).0.len() < 1000);
}

#[test]
fn one_line_a_finding_has_colours_when_asked() {
    let temp = project();
    let run = |arguments: &[&str], env: &[(&str, &str)]| {
        let all = ["--format", "concise", "--driver", "470.182.03"];
        let mut program = Command::new(env!("CARGO_BIN_EXE_cudalint"));
        let program = program.args(all).args(arguments).current_dir(temp.path()).env_clear().envs(env.iter().copied());
        String::from_utf8(program.stdin(Stdio::null()).output().expect("a run").stdout).expect("UTF-8")
    };
    let coloured = run(&["--color", "always"], &[("NO_COLOR", "1")]);
    let start = "\u{1b}[1mrequirements.txt\u{1b}[0m\u{1b}[36m:\u{1b}[0m1\u{1b}[36m:\u{1b}[0m1\u{1b}[36m:\u{1b}[0m \u{1b}[1;31merror[driver-too-old]\u{1b}[0m: ";
    assert!(coloured.starts_with(start), "{coloured:?}");
    for plain in [run(&[], &[]), run(&["--color", "never"], &[]), run(&[], &[("NO_COLOR", "1")])] {
        assert!(plain.starts_with("requirements.txt:1:1: error[driver-too-old]: ") && !plain.contains('\u{1b}'), "{plain:?}");
    }
}

#[test]
fn what_hosts_names_is_bounded() {
    let temp = project();
    let config = |hosts: &str| fs::write(temp.path().join("cudalint.toml"), format!("hosts = [\"{hosts}\"]\n")).expect("a file");
    config(&format!("\\u001b[{}", "x".repeat(1 << 19)));
    let (bad, status) = told(temp.path(), &[]);
    assert!(bad.starts_with("error: cudalint.toml:1:11: hosts: error parsing glob '\\u{1b}[xxx") && bad.len() < 300, "{bad}");
    assert_eq!(status, Some(2));
    config("*.host");
    for (bytes, says) in [
        (b"name = \"a\"\nos = \"\xff\"\n".to_vec(), "a.host:2:7: not UTF-8\n"),
        (vec![b'#'; (1 << 20) + 1], "a.host: larger than 1 MiB\n"),
    ] {
        fs::write(temp.path().join("a.host"), bytes).expect("a file");
        let (told, status) = told(temp.path(), &[]);
        assert!(told.ends_with(says) && status == Some(2), "{told}");
    }
    for (bytes, says) in [
        (b"hosts = []\n# \xff\n".to_vec(), "error: cudalint.toml:2:3: not UTF-8\n"),
        (vec![b'#'; (1 << 20) + 1], "error: cudalint.toml: larger than 1 MiB\n"),
    ] {
        fs::write(temp.path().join("cudalint.toml"), bytes).expect("a file");
        assert_eq!(told(temp.path(), &[]), (says.to_owned(), Some(2)));
    }
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
