//! What is built from sources, or comes as files of which not all is known.

mod rendered;

use rendered::{check, environments};

fn script(text: &str) -> String {
    environments(&[("s.sh", text)]).join("; ")
}

#[test]
fn what_is_built_of_a_repository_is_of_no_known_build() {
    for sources in [
        "git+https://github.com/pytorch/pytorch",
        "git+https://github.com/pytorch/pytorch@$REF",
        "'torch @ git+https://github.com/pytorch/pytorch@v2.6.0'",
        "https://github.com/pytorch/pytorch/archive/refs/tags/v2.1.0.tar.gz",
        "./pytorch",
        "-e third_party/pytorch",
    ] {
        for first in ["", "pip install torch==2.5.1\n"] {
            assert_eq!(script(&format!("{first}pip install {sources}\n")), "s.sh: torch ?", "{first}{sources}");
        }
        let later = script(&format!("pip install {sources}\npip install torchvision\n"));
        assert!(later.contains("torch ?"), "{sources}: {later}");
    }
    let clone = "pip install torch==2.5.1\ngit clone https://github.com/pytorch/pytorch && cd pytorch\n";
    for build in ["python setup.py develop", "python setup.py install", "pip install ."] {
        assert_eq!(script(&format!("{clone}{build}\n")), "s.sh: torch ?", "{build}");
    }
    // Of its companions it is no other.
    assert_eq!(script("pip install torch==2.5.1\npip install -e vision/\n"), "s.sh: torch 2.5.1 pypi, torchvision ?");
}

#[test]
fn a_folder_that_is_here_is_what_its_manifest_says() {
    let manifest = ("audio/pyproject.toml", "[project]\nname = \"own\"\ndependencies = [\"torch==2.5.1\"]\n");
    check(&[("s.sh", "pip install audio/\n"), manifest], &["audio/pyproject.toml: torch 2.5.1 pypi", "s.sh: torch 2.5.1 pypi"]);
}

#[test]
fn what_a_project_elsewhere_requires_is_not_known() {
    let later = script("pip install git+https://github.com/company/model\npip install torch\n");
    assert_eq!(later, "s.sh: torch ?");
}

#[test]
fn files_of_unknown_names_may_be_anything() {
    for files in ["w/*", "w/*.whl", "w/*.tar.gz", "w/torch*.tar.gz"] {
        assert_eq!(script(&format!("pip install torch==2.5.1\npip install {files}\n")), "s.sh: torch ?", "{files}");
    }
    assert_eq!(script("pip install torch==2.5.1\npip install w/other-*.tar.gz\n"), "s.sh: other ?, torch 2.5.1 pypi");
}

#[test]
fn a_release_is_no_source() {
    check(&[("requirements.txt", "torch==2.6.0\n")], &["requirements.txt: torch 2.6.0 pypi"]);
}
