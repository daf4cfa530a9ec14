//! Which files and configurations a PATH brings along, and how their names are printed.

mod program;

use program::{folder, run};

use std::path::Path;

const OLD: (&str, &str) = ("requirements.txt", "torch==2.11.0\n");

#[test]
fn the_top_of_the_file_system_is_no_project() {
    let temp = folder(&[("a/requirements.txt", ""), ("a/sub/Dockerfile", "FROM x\n"), ("a/passwd", "")]);
    let top = Path::new("/");
    let shown = |path: &str| {
        let whole = temp.path().join(path).canonicalize().expect("a path");
        let (files, told, status) = run(top, &["--show-files", whole.to_str().expect("UTF-8")]);
        assert_eq!((told.as_str(), status), ("", Some(0)), "{path}");
        let here = whole.parent().expect("a folder").to_str().expect("UTF-8").trim_start_matches('/').to_owned() + "/";
        files.replace(&here, "")
    };
    assert_eq!(shown("a/requirements.txt"), "requirements.txt: requirements\nsub/Dockerfile: dockerfile\n");
    // What is of no kind of ours has nothing around it.
    assert_eq!(shown("a/passwd"), "passwd: no kind that is linted\n");
}

#[test]
fn names_of_files_are_no_secrets() {
    let temp = folder(&[
        (".git/", ""),
        ("login-token=abc.sh", "pip install torch==2.11.0\n"),
        ("password/requirements.txt", "torch==2.11.0\n"),
        ("token: x.sh", "export HF_TOKEN=s3cret\npip install torch==2.11.0\n"),
        ("passwd", ""),
    ]);
    let (found, _, _) = run(temp.path(), &["--driver", "470"]);
    let places: Vec<_> = found.lines().filter_map(|line| line.split_once(": error[")).map(|(place, _)| place).collect();
    assert_eq!(places, ["login-token=abc.sh:1:13", "password/requirements.txt:1:1", "token: x.sh:2:13"]);
    let (found, _, _) = run(temp.path(), &["--driver", "470", "--format", "text"]);
    assert!(found.contains("╭─[login-token=abc.sh:1:13]") && found.contains("╭─[token: x.sh:2:13]"), "{found}");
    let (_, told, _) = run(temp.path(), &["passwd"]);
    assert_eq!(told, "warning: passwd: not a kind of file that is linted\n");
    let (files, _, _) = run(temp.path(), &["--show-files"]);
    assert_eq!(files, "login-token=abc.sh: script\npassword/requirements.txt: requirements\ntoken: x.sh: script\n");
    let (_, told, status) = run(temp.path(), &["token: gone.txt"]);
    assert_eq!((told.as_str(), status), ("error: token: gone.txt: no such file or folder\n", Some(2)));
}

#[test]
fn what_files_say_is_masked_on_standard_error() {
    let text = "torch # cudalint: ignore[https://me:s3cret@h.example]\n--index-url https://me:s3cret@h.example/simple\n";
    let config = "[levels]\n\"password=s3cret\" = \"off\"\n[mirrors]\n\"https://h.example\" = \"token=s3cret\"\n";
    let temp = folder(&[("requirements.txt", text), ("cudalint.toml", config), ("bad.toml", "\"password=s3cret\" = 1\n")]);
    for arguments in [&["-v"][..], &["--config", "bad.toml"], &["--host", "bad.toml"]] {
        let (_, told, _) = run(temp.path(), arguments);
        assert!(!told.is_empty() && !told.contains("s3cret"), "{told}");
    }
}

#[test]
fn a_configuration_that_concerns_no_path_is_passed_over() {
    let temp = folder(&[
        (".git/", ""),
        OLD,
        ("sub/x/.git/", ""),
        ("sub/x/cudalint.toml", "nonsense = 1\n"),
        ("sub/x/requirements.txt", "torch==2.11.0\n"),
        ("sub/y/cudalint.toml", "hosts = [\"gone.toml\"]\n"),
        ("sub/z/pyproject.toml", "[project]\nname = \"z\"\ndependencies = [\"torch==2.11.0\"]\n[tool.cudalint]\nnonsense = 1\n"),
    ]);
    for (paths, told) in [
        (&["requirements.txt"][..], &[][..]),
        (&["sub/x"], &["sub/x/cudalint.toml:1:1"]),
        (&["sub/x/requirements.txt"], &["sub/x/cudalint.toml:1:1"]),
        (&["sub"], &["sub/x/cudalint.toml:1:1", "sub/z/pyproject.toml:5:1", "sub/y/cudalint.toml:1:11"]),
        (&["requirements.txt", "sub/y"], &["sub/y/cudalint.toml:1:11"]),
        (&[], &["sub/x/cudalint.toml:1:1", "sub/z/pyproject.toml:5:1", "sub/y/cudalint.toml:1:11"]),
    ] {
        let (found, errors, status) = run(temp.path(), &[&["--driver", "470"], paths].concat());
        let places: Vec<_> =
            errors.lines().filter_map(|line| line.strip_prefix("error: ")?.split_once(": ")).map(|(p, _)| p).collect();
        assert_eq!((places.as_slice(), status), (told, Some(if told.is_empty() { 1 } else { 2 })), "{paths:?}: {errors}");
        assert_eq!(found.lines().count(), usize::from(told.is_empty()), "{found}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_opened_is_no_clean_one() {
    use std::os::unix::fs::PermissionsExt;
    let temp = folder(&[(".git/", ""), OLD, ("shut/requirements.txt", "torch\n")]);
    let shut = temp.path().join("shut");
    std::fs::set_permissions(&shut, PermissionsExt::from_mode(0o000)).expect("a folder of mine");
    // For who may open every folder there is none that is shut.
    if std::fs::read_dir(&shut).is_err() {
        let (_, told, status) = run(temp.path(), &["shut"]);
        assert_eq!((told.as_str(), status), ("error: shut: permission denied\n", Some(2)));
        let (_, told, status) = run(&shut, &["."]);
        assert_eq!(status, Some(2), "{told}");
        assert_eq!(run(temp.path(), &["requirements.txt"]).2, Some(0));
    }
    std::fs::set_permissions(&shut, PermissionsExt::from_mode(0o755)).expect("a folder of mine");
}

#[test]
fn a_glob_that_is_none_is_told_with_its_place() {
    for (config, place) in [
        ("exclude = [\"a\", \"[\"]\n", "1:18: exclude: "),
        ("hosts = [\"[\"]\n", "1:11: hosts: "),
        ("[[per-path]]\npath = \"sub[\"\n", "2:9: path: "),
        ("[images]\n\"a[\" = \"nvidia/cuda:12.4.1-base-ubuntu22.04\"\n", "2:1: images: "),
    ] {
        let temp = folder(&[("cudalint.toml", config), ("requirements.txt", "torch\n")]);
        for arguments in [&[][..], &["--config", "cudalint.toml"]] {
            let (_, told, status) = run(temp.path(), arguments);
            assert_eq!(status, Some(2), "{config}");
            assert!(told.starts_with(&format!("error: cudalint.toml:{place}error parsing glob '")), "{told}");
            assert_eq!(told.lines().count(), 1, "{told}");
        }
    }
}

#[test]
fn a_folder_of_per_path_covers_its_files() {
    for (path, found) in
        [("sub", 0), ("sub/", 0), ("./sub", 0), ("sub/**", 0), ("sub/requirements.txt", 0), ("su", 1), ("b/*", 1)]
    {
        let config = format!("[[per-path]]\npath = \"{path}\"\nlevels = {{ driver-too-old = \"off\" }}\n");
        let temp = folder(&[("cudalint.toml", config.as_str()), ("sub/requirements.txt", "torch==2.11.0\n")]);
        assert_eq!(run(temp.path(), &["--driver", "470"]).0.lines().count(), found, "{path}");
    }
}

#[test]
fn an_include_that_leads_outside_is_told_with_its_line() {
    let temp =
        folder(&[("in/.git/", ""), ("in/sub/requirements.txt", "numpy\n-r ../../outside.txt\n"), ("outside.txt", "torch\n")]);
    let (_, told, status) = run(&temp.path().join("in"), &[]);
    let line = "warning: sub/requirements.txt:2:4: ../../outside.txt lies outside the root and is not read\n";
    assert_eq!((told.as_str(), status), (line, Some(0)));
}

#[test]
fn a_broken_pyproject_stops_the_run_where_it_configures() {
    let docker = ("Dockerfile", "FROM nvidia/cuda:12.8.0-base-ubuntu22.04\n");
    let config = "[[tool.cudalint.host]]\ndriver = \"535\"\n";
    let broken = format!("[project]\nname = \"x\"\n{config}version = 1.0.0\n");
    let temp = folder(&[docker, ("pyproject.toml", broken.as_str())]);
    let (out, told, status) = run(temp.path(), &[]);
    assert_eq!((out.as_str(), status), ("", Some(2)), "{told}");
    assert!(told.starts_with("error: pyproject.toml:5:") && told.lines().count() == 1, "{told}");
    assert_eq!(run(temp.path(), &["--no-config"]).2, Some(1), "unreadable-file");
    let temp = folder(&[docker, ("pyproject.toml", "[project]\nversion = 1.0.0\n")]);
    let (out, _, status) = run(temp.path(), &[]);
    assert!(out.contains("warning[unreadable-file]") && status == Some(1), "{out}");
}

#[test]
fn a_pyproject_may_be_the_given_configuration() {
    let text = "[project]\nname = \"x\"\n[[tool.cudalint.host]]\ndriver = \"450.51.06\"\n";
    let files =
        [("conf/pyproject.toml", text), ("bare/pyproject.toml", "[project]\n"), ("a/requirements.txt", "torch==2.11.0\n")];
    let temp = folder(&files);
    let (out, told, status) = run(temp.path(), &["--config", "conf/pyproject.toml", "a"]);
    assert!(out.contains("error[driver-too-old]") && status == Some(1), "{out}{told}");
    let (_, told, status) = run(temp.path(), &["--config", "bare/pyproject.toml", "a"]);
    assert_eq!((told.as_str(), status), ("error: bare/pyproject.toml:1:1: it holds no `[tool.cudalint]`\n", Some(2)));
}

#[test]
fn the_files_that_are_counted_are_those_that_are_shown() {
    let host = "driver = \"590.48.01\"\n";
    let temp = folder(&[
        ("a/cudalint.toml", "hosts = [\"h/*.toml\", \"../out.toml\"]\n"),
        ("a/h/one.toml", host),
        ("out.toml", host),
        ("a/requirements.txt", "torch==2.11.0\n"),
        ("b/.git/", ""),
        ("b/requirements.txt", "torch==2.11.0\n"),
    ]);
    for arguments in [&["a"][..], &["a", "b", "--host", "out.toml"], &["b", "--driver", "590.48.01"]] {
        let shown = run(temp.path(), &[arguments, &["--show-files"]].concat()).0.lines().count();
        let json = run(temp.path(), &[arguments, &["--format", "json"]].concat()).0;
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["summary"]["files"], shown, "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_links_out_of_the_root_are_not_opened() {
    let temp = folder(&[
        ("a/requirements.txt", "torch==2.1.0\n"),
        ("b/requirements.txt", "torch==2.1.0\n"),
        ("outside.toml", "not = [\n"),
    ]);
    let make = |arguments: &[&str]| {
        let done = std::process::Command::new(arguments[0]).args(&arguments[1..]).current_dir(temp.path()).status();
        assert!(done.is_ok_and(|status| status.success()), "{arguments:?}");
    };
    make(&["mkdir", "a/.git", "b/.git"]);
    make(&["mkfifo", "a/cudalint.toml"]);
    make(&["ln", "-s", "../outside.toml", "b/cudalint.toml"]);
    for (folder, arguments, told) in [
        ("a", &[][..], "error: cudalint.toml: not a regular file\n"),
        ("a", &["--no-config", "--host", "cudalint.toml"], "error: cudalint.toml: not a regular file\n"),
        ("a", &["--config", "cudalint.toml"], "error: cudalint.toml: not a regular file\n"),
        ("a", &["--no-config", "--host", "/dev/zero"], "error: /dev/zero: not a regular file\n"),
        ("b", &[], "error: cudalint.toml: a link that leads outside the root\n"),
    ] {
        let (_, said, status) = run(&temp.path().join(folder), arguments);
        assert_eq!((said.as_str(), status), (told, Some(2)), "{folder} {arguments:?}");
    }
}
