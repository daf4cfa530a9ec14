//! Which environments a project has, by how the root's commands and pages use it.

mod rendered;

use rendered::{check, environments};

#[test]
fn a_list_that_nothing_installs_is_no_environment() {
    let project =
        "[tool.poetry]\nname = \"x\"\nversion = \"0\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\ntorch = \"2.1.0\"\n";
    let list = project.replace("[tool.poetry.dep", "package-mode = false\n[tool.poetry.dep");
    let export = ("a.sh", "poetry export -o r.txt\n");
    let readme = ("README.md", "```sh\npoetry install --no-root\n```\n");
    let own = &["pyproject.toml: torch 2.1.0 pypi"];
    check(&[("pyproject.toml", project)], own);
    check(&[("pyproject.toml", list.as_str())], &[]);
    check(&[("pyproject.toml", list.as_str()), readme], own);
    check(&[("pyproject.toml", project), export], &["a.sh: "]);
    check(&[("pyproject.toml", project), export, readme], &["a.sh: ", own[0]]);
}

#[test]
fn a_project_that_is_told_to_be_installed_bare_is_an_environment() {
    let project = "[project]\nname = \"x\"\ndependencies = [\"torch==2.1.0\"]\n[project.optional-dependencies]\ncu = [\"torch==2.1.0+cu118\"]\n";
    let names = |page: &str| {
        let mut found = environments(&[("pyproject.toml", project), ("README.md", page)]);
        found.iter_mut().for_each(|line| line.truncate(line.find(": ").unwrap_or_default()));
        found
    };
    let both = ["pyproject.toml", "pyproject.toml[cu]"];
    assert_eq!(names("```sh\npip install \"x[cu]\"\n```\n"), ["pyproject.toml[cu]"]);
    assert_eq!(names("```sh\npip install \"x[cu]\"\npip install x\n```\n"), both);
    assert_eq!(names("```sh\npip install -e \".[$EXTRA]\"\n```\n"), both);
    assert_eq!(names("```sh\npip install other\n```\n"), both);
}
