//! What standard error tells, and how findings read that several hosts or GPUs share.

mod program;

/// A run in a folder with these files: standard output, standard error, exit status.
fn run(files: &[(&str, &[u8])], arguments: &[&str]) -> (String, String, Option<i32>) {
    program::run(program::folder(files).path(), arguments)
}

const TORCH: (&str, &[u8]) = ("requirements.txt", b"torch==2.5.1\n");

#[test]
fn files_of_ours_that_are_not_utf_8_are_named() {
    let bad = b"numpy\ntorch # \xe9\n".as_slice();
    let (_, told, status) = run(&[TORCH, ("a/requirements.txt", bad), ("other.yml", b"\xff")], &[]);
    assert_eq!(
        told,
        "warning: a/requirements.txt:2:9: not UTF-8: read without these bytes\n1 file could not be used; -v names what\n"
    );
    assert_eq!(status, Some(0));
    let names: Vec<String> = (0..13).map(|i| format!("{i:02}/requirements.txt")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), bad)).collect();
    let (_, told, _) = run(&many, &[]);
    assert_eq!((told.lines().count(), told.lines().last()), (11, Some("warning: 3 more files are not UTF-8")), "{told}");
    assert_eq!(run(&many, &["-q"]).1, "");
}

#[test]
fn a_comment_in_an_old_encoding_hides_nothing() {
    let text = b"# caf\xe9, installed by hand\ntorch==2.1.0\ntorchvision==0.15.0\n".as_slice();
    let (found, told, _) = run(&[("requirements.txt", text)], &[]);
    assert!(found.starts_with("requirements.txt:3:1: error[companion-mismatch]"), "{found}");
    assert_eq!(told, "warning: requirements.txt:1:6: not UTF-8: read without these bytes\n");
}

#[test]
fn a_missing_include_is_not_called_an_index() {
    let (_, told, _) = run(&[("requirements.txt", b"-r missing.txt\ntorch==2.5.1\n")], &["-v"]);
    assert!(told.contains("the included file missing.txt is not there"), "{told}");
    assert!(!told.contains("with a variable"), "{told}");
    let (_, told, _) = run(&[("run.sh", b"pip install -i $INDEX torch==2.5.1\n")], &["-v"]);
    assert!(told.contains("the index with a variable in its address"), "{told}");
}

#[test]
fn why_an_index_is_not_known() {
    for (files, reason) in [
        (
            &[("a.sbatch", b"#!/bin/bash\nmodule load python/3.10\npip install torch==2.5.1\n".as_slice())][..],
            "a module that is loaded",
        ),
        (&[("a.sh", b"export PIP_CONFIG_FILE=$X\npip install torch==2.5.1\n")], "a configuration of the installer"),
        (&[("a.sh", b"source /opt/site.sh\npip install torch==2.5.1\n")], "a file that is sourced"),
        (
            &[("requirements.txt", b"torch==2.5.1\n"), ("pip.conf", b"[global]\nindex-url = https://h.example/simple\n")],
            "a configuration lies here",
        ),
        (
            &[("Dockerfile", b"FROM python:3.11\nCOPY site.conf /etc/pip.conf\nRUN pip install torch==2.5.1\n")],
            "a configuration of the installer",
        ),
    ] {
        let (_, told, _) = run(files, &["-v"]);
        assert!(told.contains(reason) && !told.contains("a variable in its address"), "{files:?}: {told}");
    }
}

#[test]
fn every_gpu_keeps_its_help() {
    let arguments = ["--gpu", "B200", "--gpu", "K80", "--format", "text"];
    let (text, ..) = run(&[TORCH], &arguments);
    let help = text.lines().find(|line| line.trim_start().starts_with("help: ")).expect("a help");
    assert!(help.contains("sm_100") && help.contains("sm_37") && help.contains("; "), "{text}");
    assert_eq!(text.matches("help: ").count(), 1, "{text}");
}

#[test]
fn a_gpu_by_capability_is_said_once() {
    let (found, _, _) = run(&[TORCH], &["--gpu", "3.5"]);
    assert!(found.contains("no kernels for sm_35\n"), "{found}");
    let (found, _, _) = run(&[TORCH], &["--gpu", "sm_35"]);
    assert!(!found.contains("(sm_35)"), "{found}");
}

#[test]
fn options_that_mean_no_machine() {
    for (arguments, status, said) in [
        (["--gpu", ""], 2, "error: --gpu: a name"),
        (["--gpu", " "], 2, "error: --gpu: a name"),
        (["--gpu", "sm_999"], 0, "no GPU is known with compute capability 99.9"),
        (["--gpu", "89"], 0, "write `--gpu 8.9`"),
        (["--gpu", "120"], 0, "write `--gpu 12.0`"),
        (["--gpu", "12"], 0, "write `--gpu 12.0`"),
        (["--driver", ""], 2, "error: --driver: a version"),
        (["--gpu", "compute_90"], 0, ""),
        (["--gpu", "sm_90a"], 0, ""),
        (["--gpu", "A800"], 0, ""),
        (["--driver", "5350"], 2, "more digits"),
        (["--driver", "570"], 0, ""),
    ] {
        let (_, told, code) = run(&[TORCH], &arguments);
        assert_eq!((code, told.is_empty()), (Some(status), said.is_empty()), "{arguments:?}: {told}");
        assert!(told.contains(said), "{arguments:?}: {told}");
    }
}

#[test]
fn comments_that_silence_nothing_are_told() {
    let text = b"torch==2.6.0\n# cudalint: ignore-file[driver-too-old]\nnumpy  # cudalint: disable=driver-too-old\n";
    let (_, told, _) = run(&[("requirements.txt", text)], &[]);
    assert!(told.contains("warning: requirements.txt:2:1: silences nothing: `ignore-file` counts only above"), "{told}");
    assert!(told.contains("warning: requirements.txt:3:8: silences nothing: only `cudalint: ignore[rule]`"), "{told}");
}

#[test]
fn a_comment_at_the_end_of_a_run_silences_its_line() {
    for (run_line, found) in [
        ("RUN pip install torch==2.6.0 torchvision==0.20.0", 1),
        ("RUN pip install torch==2.6.0 torchvision==0.20.0  # cudalint: ignore[companion-mismatch]", 0),
        ("RUN pip install torch==2.6.0 \\\n    torchvision==0.20.0  # cudalint: ignore[companion-mismatch] soon", 0),
    ] {
        let text = format!("FROM python:3.11\n{run_line}\n");
        let (said, told, _) = run(&[("Dockerfile", text.as_bytes())], &["--select", "companion-mismatch,unused-ignore"]);
        assert_eq!((said.lines().count(), told.as_str()), (found, ""), "{run_line}: {said}");
    }
}

#[test]
fn a_mirror_of_no_index_is_told() {
    let config = |id: &str| format!("[mirrors]\n\"https://m.example/pt\" = \"{id}\"\n");
    for (id, said) in [
        ("pytorch", None),
        ("pytorch/cu121", None),
        ("pypi", None),
        ("pytorhc", Some("warning: cudalint.toml:2:27: mirrors: no index is called pytorhc (is it pytorch?)")),
        ("", Some("mirrors: no index is called : the mirror")),
    ] {
        let (_, told, status) = run(&[TORCH, ("cudalint.toml", config(id).as_bytes())], &[]);
        assert_eq!((told.is_empty(), status), (said.is_none(), Some(0)), "{id}: {told}");
        assert!(said.is_none_or(|said| told.contains(said)), "{id}: {told}");
    }
}

#[test]
fn an_ngc_image_asks_by_its_release_notes() {
    let arguments = ["--format", "text", "--select", "image-needs-newer-driver", "--driver", "470.182.03", "--gpu", "RTX 3090"];
    let (text, ..) = run(&[("Dockerfile", b"FROM nvcr.io/nvidia/pytorch:23.08-py3\n")], &arguments);
    assert!(
        text.contains("error[image-needs-newer-driver]") && text.contains("release notes ask for driver 525.60.13"),
        "{text}"
    );
    assert!(!text.contains("demands"), "{text}");
}

#[test]
fn the_tables_are_blamed_for_what_they_do_not_know_alone() {
    for (asked, said) in [
        (
            "colossalai==0.4.0",
            "requirements.txt: no build of colossalai==0.4.0 is in the tables for this platform and these indexes\n",
        ),
        ("torch==99.0", "requirements.txt: no build of torch==99.0 is in the tables for this platform and these indexes\n"),
        (
            "torch>=2.0\ntorch==1.13.1",
            "requirements.txt: no version of torch can be ==1.13.1,>=2.0: these contradict each other\n",
        ),
        ("torch>=2.0,<1.0", "requirements.txt: no version of torch can be >=2.0,<1.0: these contradict each other\n"),
    ] {
        let (_, told, _) = run(&[("requirements.txt", asked.as_bytes())], &["-v"]);
        assert_eq!(told, said, "{asked}");
    }
}

#[test]
fn a_mirror_is_one_with_and_without_its_scheme() {
    for (address, requirements, found) in [
        ("https://m.example/pt", "--index-url https://m.example/pt/cu118\n", 1),
        ("m.example/pt", "--index-url https://m.example/pt/cu118/\n", 1),
        ("m.example/pt/", "--index-url https://m.example/pt/cu118\n", 1),
        ("m.example/p", "--index-url https://m.example/pt/cu118\n", 0),
    ] {
        let config = format!("[mirrors]\n\"{address}\" = \"pytorch\"\n");
        let text = format!("{requirements}torch==2.1.0\n");
        let files = [("requirements.txt", text.as_bytes()), ("cudalint.toml", config.as_bytes())];
        let (said, told, _) = run(&files, &["--gpu", "H100", "--driver", "450.51.06", "--select", "driver-too-old"]);
        assert_eq!(said.matches("CUDA 11.8").count(), found, "{address}: {said}{told}");
    }
}

#[test]
fn a_mistyped_rule_is_told_whatever_is_asked_for() {
    let run = |arguments: &[&str]| {
        let (_, told, status) = run(&[TORCH], arguments);
        (told, status)
    };
    let unknown = "warning: --select: no rule is called nosuch\n".to_owned();
    assert_eq!(run(&["-q", "--select", "nosuch"]), (unknown, Some(0)));
    assert_eq!(run(&["-q", "--select", "driver-too-old, index-shadowed,"]), (String::new(), Some(0)));
    for option in ["--select", "--ignore"] {
        for names in ["", " ", ","] {
            let (told, status) = run(&[option, names]);
            assert!(told.starts_with(&format!("error: {option}: the name of a rule is needed")), "{names:?}: {told}");
            assert_eq!(status, Some(2));
        }
    }
}

#[test]
fn what_another_manifest_brings_is_no_gap_of_the_tables() {
    let environment = b"channels: [pytorch, nvidia]\ndependencies:\n  - python=3.10\n  - pytorch=2.3.1\n  - pip:\n    - -e .\n";
    let setup = b"from setuptools import setup\nsetup(name=\"x\", install_requires=[\"torch>=2.3\"])\n";
    let (_, told, _) = run(&[("environment.yml", environment), ("setup.py", setup)], &["-v"]);
    assert!(told.starts_with("setup.py: which build of torch>=2.3 comes is not known from this file alone\n"), "{told}");
    let (_, told, _) = run(&[("requirements.txt", b"torch==2.99.0\n")], &["-v"]);
    assert!(told.starts_with("requirements.txt: no build of torch==2.99.0 is in the tables"), "{told}");
}

#[test]
fn where_a_service_is_built_is_not_where_it_is_started() {
    let compose = b"services:\n  train:\n    build:\n      context: .\n";
    let image = b"FROM python:3.10\nRUN pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu121\n\
                  CMD [\"python\", \"train.py\"]\n";
    let (found, _, _) = run(&[("compose.yml", compose), ("Dockerfile", image)], &["--format", "text"]);
    assert_eq!(found.matches("this service is started").count(), 1, "{found}");
    assert_eq!(found.matches("built here").count(), 1, "{found}");
}
