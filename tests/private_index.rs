//! Indexes whose host's name alone says that they mirror PyPI.

mod program;

use program::{folder, run};

/// What is said, by level and rule.
fn said(files: &[(&str, &str)]) -> Vec<String> {
    let (out, ..) = run(folder(files).path(), &["--driver", "470.82.01", "--gpu", "V100"]);
    out.lines().filter_map(|line| Some(line.split(": ").nth(1)?.to_owned())).collect()
}

#[test]
fn they_may_serve_builds_of_their_own() {
    let own = "--index-url https://pypi.example/simple\n";
    let extra = "--extra-index-url https://me:x@builds.pypi.example/simple\n";
    let (old, mismatch) = ("driver-too-old", "companion-mismatch");
    for (asks, found) in [
        ("torch==2.6.0\n", vec![old]),
        ("torch==2.6.0\ntorchvision==0.15.0\n", vec![old, mismatch]),
        ("torch==1.13.1+cu117\n", vec![]),
    ] {
        for index in [own, extra] {
            let expected: Vec<String> = found.iter().map(|rule| format!("warning[{rule}]")).collect();
            assert_eq!(said(&[("requirements.txt", &format!("{index}{asks}"))]), expected, "{index}{asks}");
        }
    }
}

#[test]
fn what_the_configuration_calls_a_mirror_is_one() {
    let config = ("cudalint.toml", "[mirrors]\n\"https://pypi.example/simple\" = \"pypi\"\n");
    let index = "--index-url https://pypi.example/simple\n";
    for (asks, found) in [("torch==2.6.0\n", "driver-too-old"), ("torch==1.13.1+cu117\n", "local-version-without-index")] {
        let text = format!("{index}{asks}");
        assert_eq!(said(&[("requirements.txt", text.as_str()), config]), [format!("error[{found}]")], "{asks}");
        // PyPI's own.
        let text = text.replace("pypi.example", "pypi.org");
        assert_eq!(said(&[("requirements.txt", text.as_str())]), [format!("error[{found}]")], "{asks}");
    }
}
