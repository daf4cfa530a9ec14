//! The program follows links to files whose names are not ours, and passes over no configuration that it cannot read.

use std::fs;
use std::process::{Command, Output};

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

/// Where something is said of these files, on a machine whose driver is too old for what any of them may bring.
fn said(files: &[(&str, &str)]) -> Vec<String> {
    let select = ["driver-too-old", "image-needs-newer-driver", "unreadable-file"].map(str::to_owned).to_vec();
    let mut linter = Linter::new(Settings { select, ..Settings::default() });
    for (path, text) in files {
        linter.set(path, text).expect("no configuration");
    }
    linter.host(Origin::Outside, "host.toml", "driver = \"470.57.02\"\n").expect("a host");
    let report = linter.report();
    let place = |found: &cudalint::diagnostic::Diagnostic| {
        let environments = found.environments.join(" ");
        format!("{} in {environments}", linter.sources().path(found.labels[0].at.file))
    };
    report.diagnostics.iter().map(place).collect()
}

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

/// Ways in which a script in `scripts` names the folder that it lies in.
const OWN_FOLDER: &[&str] = &[
    r#"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"#,
    r#"$( cd -- "$( dirname -- "${BASH_SOURCE[0]}" )" &> /dev/null && pwd )"#,
    r#"$(CDPATH= cd "$(dirname "$0")" 2>/dev/null; pwd -P)"#,
    r#"$(dirname "$0")"#,
    r#"$(dirname "$(readlink -f "$0")")"#,
    r#"$(dirname $(realpath ${BASH_SOURCE:-$0}))"#,
    "`dirname $0`",
    "${BASH_SOURCE%/*}",
    "${BASH_SOURCE[0]%/*}",
    "${0%/*}",
    "${0:A:h}",
    r#"$(git rev-parse --show-toplevel)/scripts"#,
    r#"$(cd "$(dirname "$0")/.." && git rev-parse --show-toplevel)/scripts"#,
    r#"$(cd "$(dirname "$0")/../scripts/sub/.." && pwd)"#,
    r#"$(realpath "$(dirname "$0")/.")"#,
];

#[test]
fn scripts_name_the_folder_they_lie_in() {
    let list = ("scripts/list.txt", "torch==2.11.0\n");
    let found = ["scripts/list.txt in scripts/a.sh"];
    for folder in OWN_FOLDER {
        let at_once = format!("#!/bin/bash\npip install -r \"{folder}/list.txt\"\n");
        assert_eq!(said(&[("scripts/a.sh", &at_once), list]), found, "{at_once}");
        let kept = format!("DIR={folder}\ncd /tmp\npip install -r \"$DIR/list.txt\"\n");
        assert_eq!(said(&[("scripts/a.sh", &kept), list]), found, "{kept}");
        let entered = format!("cd \"{folder}/..\"\nHERE=$(pwd)\ncd /opt\npip install -r $HERE/scripts/list.txt\n");
        assert_eq!(said(&[("scripts/a.sh", &entered), list]), found, "{entered}");
    }
    for other in
        ["$(dirname \"$(which pip)\")", "$(cd \"$X\" && pwd)", "$(cd /opt && pwd)", "$(dirname \"$0\")/../..", "$(ls | head -1)"]
    {
        let text = format!("DIR={other}\npip install -r \"$DIR/list.txt\"\n");
        assert!(said(&[("scripts/a.sh", &text), list, ("list.txt", "torch==2.11.0\n")]).is_empty(), "{text}");
    }
}

#[test]
fn scripts_of_an_image_name_the_folder_they_lie_in_there() {
    let dockerfile = ("Dockerfile", "FROM python:3.11\nWORKDIR /app\nCOPY scripts ./setup\nRUN cd / && bash app/setup/a.sh\n");
    let list = ("scripts/list.txt", "torch==2.11.0\n");
    for folder in OWN_FOLDER.iter().filter(|folder| !folder.contains("git ") && !folder.contains("sub")) {
        let entered = format!("#!/bin/bash\nset -e\ncd \"{folder}\"\npip install -r list.txt\n");
        let at_once = format!("#!/bin/bash\npip install -r \"{folder}/list.txt\"\n");
        for script in [entered, at_once] {
            let found = said(&[dockerfile, ("scripts/a.sh", &script), list]);
            assert_eq!(found, ["scripts/list.txt in Dockerfile scripts/a.sh"], "{script}");
        }
    }
}

#[test]
fn a_sourced_file_names_its_own_folder() {
    let sources = |how: &str, installs: &str| {
        let script = format!("source \"$(dirname \"$0\")/lib/env.sh\"\npip install -r \"{installs}\"\n");
        let env = format!("LIST=\"$(dirname \"{how}\")/list.txt\"\n");
        let list = |path| (path, "torch==2.11.0\n");
        let lists = ["scripts/lib/list.txt", "scripts/list.txt"].map(list);
        said(&[("scripts/a.sh", &script), ("scripts/lib/env.sh", &env), lists[0], lists[1]])
    };
    assert_eq!(sources("${BASH_SOURCE[0]}", "$LIST"), ["scripts/lib/list.txt in scripts/a.sh"]);
    assert_eq!(sources("${BASH_SOURCE[0]}", "$(dirname \"$0\")/list.txt"), ["scripts/list.txt in scripts/a.sh"]);
    assert!(sources("$0", "$LIST").is_empty(), "which script was started is not known there");
}

#[test]
fn what_a_script_builds_is_told_from_its_own_folder() {
    let script = "ROOT=$(cd \"$(dirname \"$0\")/..\" && pwd)\ndocker build -f \"$ROOT/docker/Dockerfile\" -t app \"$ROOT\"\n";
    let files = [
        ("tools/build.sh", script),
        ("docker/Dockerfile", "FROM python:3.11\nCOPY list.txt .\nRUN pip install -r list.txt\n"),
        ("list.txt", "torch==2.11.0\n"),
        ("docker/list.txt", "torch==1.13.1\n"),
    ];
    assert_eq!(said(&files), ["list.txt in docker/Dockerfile"]);
}

#[test]
fn where_a_script_lies_is_no_index_and_no_version() {
    let script = "DIR=$(dirname \"$0\")\npip install torch==2.11.0 --index-url \"$DIR/simple\"\npip install torch==$DIR\n";
    assert!(said(&[("scripts/a.sh", script)]).is_empty());
}

#[test]
fn a_job_knows_the_folders_of_its_service() {
    let list = ("ci/list.txt", "torch==2.11.0\n");
    let job = |steps: &str| format!("jobs:\n  t:\n    runs-on: [self-hosted, gpu]\n    steps:\n{steps}");
    let found = ["ci/list.txt in .github/workflows/a.yml:t"];
    for steps in [
        "      - run: cd /tmp && pip install -r ${{ github.workspace }}/ci/list.txt\n",
        "      - run: cd /tmp && pip install -r $GITHUB_WORKSPACE/ci/list.txt\n",
        "      - {working-directory: '${{ github.workspace }}/ci', run: pip install -r list.txt}\n",
        "      - uses: ./ci\n        with: {list: '${{ github.workspace }}/ci/list.txt'}\n",
    ] {
        let files = [
            (".github/workflows/a.yml", job(steps)),
            ("ci/action.yml", "inputs: {list: {}}\nruns:\n  using: composite\n  steps: [{shell: bash, run: 'pip install -r ${{ inputs.list }}'}]\n".to_owned()),
        ];
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).chain([list]).collect();
        assert_eq!(said(&files), found, "{steps}");
    }
    let action =
        "runs:\n  using: composite\n  steps: [{shell: bash, run: 'pip install -r ${{ github.action_path }}/list.txt'}]\n";
    let files = [(".github/workflows/a.yml", &*job("      - uses: ./ci\n")), ("ci/action.yml", action), list];
    assert_eq!(said(&files), found);
    let own = job("      - run: pip install -r ${{ github.action_path }}/list.txt\n");
    assert!(said(&[(".github/workflows/a.yml", &own), list]).is_empty(), "that is a folder only in an action");
    let gitlab = "t:\n  tags: [gpu]\n  script: [cd /tmp, pip install -r $CI_PROJECT_DIR/ci/list.txt]\n";
    assert_eq!(said(&[(".gitlab-ci.yml", gitlab), list]), ["ci/list.txt in .gitlab-ci.yml:t"]);
    let built = "      - uses: docker/build-push-action@v6\n        with: {context: '${{ github.workspace }}/ci', file: '${{ github.workspace }}/d/Dockerfile'}\n";
    let dockerfile = ("d/Dockerfile", "FROM python:3.11\nCOPY list.txt .\nRUN pip install -r list.txt\n");
    let files = [(".github/workflows/a.yml", &*job(built)), dockerfile, list, ("d/list.txt", "torch==1.13.1\n")];
    assert_eq!(said(&files), ["ci/list.txt in d/Dockerfile"]);
}

#[test]
fn a_service_is_built_as_the_one_that_it_extends() {
    let base = "services:\n  base:\n    build: {context: ../app, dockerfile: gpu.Dockerfile}\n    gpus: all\n";
    let own = "services:\n  a:\n    extends: {file: parts/base.yml, service: base}\n    build: {args: {TORCH: '2.11.0'}}\n";
    let dockerfile = "FROM python:3.11\nARG TORCH=1.13.1\nCOPY list.txt .\nRUN pip install torch==$TORCH -r list.txt\n";
    let files = [("parts/base.yml", base), ("compose.yml", own), ("app/gpu.Dockerfile", dockerfile), ("app/list.txt", "numpy\n")];
    assert_eq!(said(&files), ["app/gpu.Dockerfile in app/gpu.Dockerfile?build 2"], "the base is one, too");
    let same = own.replace("2.11.0", "1.13.1");
    assert!(said(&[files[0], ("compose.yml", &same), files[2], files[3]]).is_empty());
}

#[test]
fn what_a_build_context_leaves_out_is_not_copied() {
    let dockerfile = "FROM python:3.11\nCOPY . /app\nRUN pip install -r /app/deps/gpu.txt\n";
    let built = |ignored: &[(&str, &str)]| {
        let files = [
            ("docker/Dockerfile", dockerfile),
            ("build.sh", "docker build -f docker/Dockerfile .\n"),
            ("deps/gpu.txt", "torch==2.11.0\n"),
        ];
        said(&[&files[..], ignored].concat())
    };
    let there = ["deps/gpu.txt in docker/Dockerfile"];
    assert_eq!(built(&[]), there);
    for out in
        ["deps", "/deps/", "**/*.txt", "*\n!docker", "deps/*.txt\n!deps/cpu.txt", "deps/g?u.txt", "**\n!deps/gpu.md", "de*/"]
    {
        assert!(built(&[(".dockerignore", out)]).is_empty(), "{out}");
    }
    for kept in
        ["*.txt", "gpu.txt", "# deps", "deps\n!deps/gpu.txt", "*\n!deps", "*\n!**/gpu.txt", ".", "!", "docker", "[", "../deps"]
    {
        assert_eq!(built(&[(".dockerignore", kept)]), there, "{kept}");
    }
    assert_eq!(built(&[("docker/.dockerignore", "deps")]), there, "that is another context's");
    assert!(built(&[("docker/Dockerfile.dockerignore", "deps"), (".dockerignore", "x")]).is_empty());
    assert_eq!(built(&[("docker/Dockerfile.dockerignore", "x"), (".dockerignore", "deps")]), there, "its own one holds");
}
