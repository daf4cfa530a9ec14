//! What a container's own command installs: an environment of its own, upon the image, with the files that are mounted.

mod found;
mod rendered;

use found::found;
use rendered::{check, environments};

const PAIR: &str = "torch==2.6.0\ntorchvision==0.21.0\n";
const HAS: &str = "torch 2.6.0 pypi, torchvision 0.21.0 pypi";

/// What the one service has that is written so, beside these files.
#[track_caller]
fn service(service: &str, want: &str) {
    let text = format!("services:\n  s:\n    image: python:3.11\n{service}");
    let files = [("docker/compose.yml", text.as_str()), ("docker/r.txt", PAIR), ("docker/sub/r.txt", "torch==2.5.0\n")];
    let all = environments(&files);
    let own = all.iter().find_map(|line| line.strip_prefix("docker/compose.yml:s: <python:3.11> "));
    assert_eq!(own, Some(want), "{service}: {all:?}");
}

#[test]
fn commands_of_services_in_every_form() {
    for command in [
        "command: pip install torch==2.6.0 torchvision==0.21.0",
        "command: [pip, install, torch==2.6.0, torchvision==0.21.0]",
        "command: bash -c \"pip install torch==2.6.0 torchvision==0.21.0 && python train.py\"",
        "command: [\"/bin/bash\", \"-euxo\", \"pipefail\", \"-c\", \"pip install torch==2.6.0 torchvision==0.21.0; python x.py\"]",
        "command: 'bash -c ''pip install torch==2.6.0 torchvision==0.21.0'''",
        "command: >\n      bash -c \"pip install torch==2.6.0\n      && pip install torchvision==0.21.0\n      && python x.py\"",
        "command: |\n      bash -c \"pip install torch==2.6.0 torchvision==0.21.0\n      python x.py\"",
        "entrypoint: [sh, -c]\n    command:\n      - |\n        pip install torch==2.6.0 torchvision==0.21.0\n        python -c 'print(\"it''s\")'",
        "entrypoint: bash -c \"pip install torch==2.6.0 torchvision==0.21.0\"",
        "command: [tini, --, bash, -c, --, 'pip install torch==2.6.0 torchvision==0.21.0']",
        "command: pip install torch==${TORCH:-2.6.0} torchvision==0.21.0",
        "command: bash -c \"export V=2.6.0; pip install torch==$$V torchvision==0.21.0\"",
        "environment: {V: 2.6.0}\n    command: bash -c 'pip install torch==$$V torchvision==0.21.0'",
    ] {
        service(&format!("    {command}\n"), HAS);
    }
    for command in ["python train.py", "bash -c 'python pip install torch==2.6.0'", "bash -c 'echo pip install torch==2.6.0'"] {
        service(&format!("    command: {command}\n"), "");
    }
}

#[test]
fn what_is_mounted_is_read() {
    let install = "command: pip install -r r.txt";
    for (mounts, want) in [
        ("volumes: [\".:/app\"]\n    working_dir: /app", HAS),
        ("volumes: ['./:/app:ro', 'cache:/root/.cache']\n    working_dir: /app", HAS),
        ("volumes: [\"${CODE:-.}:/app\"]\n    working_dir: /app/sub", "torch 2.5.0 pypi"),
        ("volumes: [{type: bind, source: ./sub, target: /app}]\n    working_dir: /app", "torch 2.5.0 pypi"),
        // The deeper one lies over the other.
        ("volumes: [./sub:/app/x, \".:/app\"]\n    working_dir: /app/x", "torch 2.5.0 pypi"),
        ("volumes: ['./r.txt:/app/r.txt']\n    working_dir: /app", HAS),
        // Not known: not mounted, mounted from elsewhere, mounted by a name, or the image's own folder.
        ("working_dir: /app", ""),
        ("volumes: ['/srv/app:/app']\n    working_dir: /app", ""),
        ("volumes: ['app:/app']\n    working_dir: /app", ""),
        ("volumes: ['$CODE:/app']\n    working_dir: /app", ""),
        ("volumes: ['.:/app']", ""),
        ("volumes: ['.:/app']\n    working_dir: $WHERE", ""),
    ] {
        service(&format!("    {mounts}\n    {install}\n"), want);
    }
    service("    volumes: ['.:/app']\n    command: sh -c 'cd /app/sub && pip install -r r.txt'\n", "torch 2.5.0 pypi");
}

#[test]
fn it_happens_upon_the_image_that_is_built_and_changes_nothing_there() {
    let dockerfile = "FROM python:3.11\nWORKDIR /work\nCOPY r.txt more.txt ./\nRUN pip install -r r.txt\n";
    let compose = "services:\n  a:\n    build: .\n    command: pip install -r more.txt\n  b:\n    build: .\n    command: python x.py\n  c:\n    build: .\n    volumes: ['./sub:/work']\n    command: pip install -r r.txt\n";
    let files = [
        ("Dockerfile", dockerfile),
        ("compose.yml", compose),
        ("r.txt", "torch==2.6.0\n"),
        ("more.txt", "torchvision==0.21.0\n"),
        ("sub/r.txt", "torch==2.5.0\n"),
    ];
    let own = "Dockerfile: <python:3.11> torch 2.6.0 pypi";
    let two = format!("compose.yml:a: <python:3.11> {HAS}");
    check(&files, &[own, &two, "compose.yml:c: <python:3.11> torch 2.5.0 pypi"]);
    let script = "docker build -t mine:1 .\ndocker run mine:1 pip install -r more.txt\n";
    let two = format!("run.sh:mine: <python:3.11> {HAS}");
    check(&[files[0], files[2], files[3], ("run.sh", script)], &[own, "run.sh: ", &two]);
}

#[test]
fn another_file_may_give_the_service_another_command() {
    let base = "services:\n  s:\n    image: python:3.11\n    command: pip install torch==2.6.0\n";
    let over = "services:\n  s:\n    command: python x.py\n";
    check(&[("compose.yml", base), ("compose.override.yml", over)], &["compose.yml:s: <python:3.11> "]);
    let over = "services:\n  s:\n    environment: {A: b}\n";
    check(&[("compose.yml", base), ("compose.override.yml", over)], &["compose.yml:s: <python:3.11> torch 2.6.0 pypi"]);
}

#[test]
fn commands_of_pods() {
    let has = |container: &str| {
        let text = format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec:\n  template:\n    spec:\n      containers:\n      - name: c\n        image: python:3.11\n{container}"
        );
        let all = environments(&[("job.yaml", text.as_str()), ("r.txt", PAIR)]);
        all.iter().find_map(|line| line.strip_prefix("job.yaml:c: <python:3.11> ")).unwrap_or("none").to_owned()
    };
    let install = "pip install torch==2.6.0 torchvision==0.21.0";
    for container in [
        format!("        command: [bash, -c, \"{install} && python x.py\"]\n"),
        format!("        command: [/bin/sh, -c]\n        args: [\"{install}\"]\n"),
        format!("        command: [/bin/bash, -c, --]\n        args:\n        - |\n          set -e\n          {install}\n"),
        format!("        args: [bash, -lc, '{install}']\n"),
        "        command: [pip]\n        args: [install, torch==2.6.0, torchvision==0.21.0]\n".to_owned(),
    ] {
        assert_eq!(has(&container), HAS, "{container}");
    }
    // Nothing of the root lies in it.
    assert_eq!(has("        workingDir: /app\n        command: [pip, install, -r, r.txt]\n"), "");
    assert_eq!(has("        command: [bash, -c, 'pip install {{ .Values.packages }}']\n"), "");
}

#[test]
fn commands_of_containers_that_scripts_start() {
    let files = |script: &str| {
        let all = environments(&[("ci/run.sh", script), ("r.txt", PAIR), ("sub/r.txt", "torch==2.5.0\n")]);
        let own = all.iter().find_map(|line| line.strip_prefix("ci/run.sh:python: <python:3.11> "));
        // Nothing of it is done on the machine itself.
        assert!(all.iter().all(|line| !line.starts_with("ci/run.sh: ") || line == "ci/run.sh: "), "{all:?}");
        own.unwrap_or("none").to_owned()
    };
    let install = "bash -c \"pip install -r r.txt && python x.py\"";
    for (script, want) in [
        (format!("docker run -v $(pwd):/app -w /app python:3.11 {install}"), HAS),
        (format!("podman run -it --rm --volume=$PWD:/app:z --workdir=/app python:3.11 {install}"), HAS),
        (format!("docker run --mount type=bind,src=\"$(pwd)\",dst=/app -w /app python:3.11 {install}"), HAS),
        ("docker run -v .:/app -w /app --entrypoint bash python:3.11 -c 'pip install -r r.txt'".to_owned(), HAS),
        (format!("cd sub\ndocker run -v $PWD:/app -w /app python:3.11 {install}"), "torch 2.5.0 pypi"),
        (format!("(cd sub; ls)\ndocker run -v $PWD:/app -w /app python:3.11 {install}"), HAS),
        (
            format!("TOP=$(cd \"$(dirname \"$0\")/..\" && pwd)\ncd x\ndocker run -v $TOP/sub:/app -w /app python:3.11 {install}"),
            "torch 2.5.0 pypi",
        ),
        (format!("cd $SOMEWHERE\ndocker run -v $PWD:/app -w /app python:3.11 {install}"), ""),
        (format!("docker run -v /data:/app -w /app python:3.11 {install}"), ""),
        (format!("docker run python:3.11 {install}"), ""),
        (
            format!("srun --container-image=python:3.11 --container-mounts=$PWD:/w,/data:/data --container-workdir=/w {install}"),
            HAS,
        ),
        (format!("srun --container-image=python:3.11 {install}"), ""),
        (format!("singularity exec --nv docker://python:3.11 {install}"), HAS),
        ("V=2.6.0\ndocker run python:3.11 bash -c \"pip install torch==$V\"".to_owned(), "torch 2.6.0 pypi"),
        // This one is the container's own.
        ("V=2.6.0\ndocker run python:3.11 bash -c 'pip install torch==$V'".to_owned(), "torch ?"),
        ("V=2.5.0\ndocker run -e V=2.6.0 python:3.11 bash -c 'pip install torch==$V'".to_owned(), "torch 2.6.0 pypi"),
        ("docker run python:3.11 python x.py".to_owned(), ""),
    ] {
        assert_eq!(files(&format!("{script}\n")), want, "{script}");
    }
}

#[test]
fn commands_of_containers_in_recipes_and_jobs() {
    let run = "docker run -v $(PWD):/app -w /app python:3.11 bash -c \"pip install -r r.txt\"\n";
    let own = format!("Makefile:python: <python:3.11> {HAS}");
    for here in ["$(PWD)", "$(CURDIR)", "$(shell pwd)", "`pwd`"] {
        let text = format!("train:\n\t{}", run.replace("$(PWD)", here));
        check(&[("Makefile", &text), ("r.txt", PAIR)], &[&own]);
    }
    let job = |here: &str| {
        let run = run.replace("$(PWD)", here);
        let text = format!("on: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {run}");
        environments(&[(".github/workflows/x.yml", &text), ("r.txt", PAIR)])
    };
    let own = format!(".github/workflows/x.yml:python: <python:3.11> {HAS}");
    for here in ["${{ github.workspace }}", "$GITHUB_WORKSPACE", "$PWD"] {
        assert_eq!(job(here), [own.as_str(), ".github/workflows/x.yml:t: "], "{here}");
    }
}

#[test]
fn rules_speak_of_it() {
    let mismatch = ["error companion-mismatch"];
    let compose = |command: &str| format!("services:\n  s:\n    image: python:3.11\n    command: {command}\n");
    assert_eq!(found(&[("compose.yml", &compose("pip install torch==2.6.0 torchvision==0.20.0"))]), mismatch);
    assert_eq!(found(&[("compose.yml", &compose("bash -c \"pip install torch==2.6.0 torchvision==0.20.0\""))]), mismatch);
    assert_eq!(found(&[("compose.yml", &compose("pip install torch==2.6.0 torchvision==0.21.0"))]), [""; 0]);
    let script = "docker run python:3.11 bash -c 'pip install torch==2.6.0 torchvision==0.20.0'\n";
    assert_eq!(found(&[("run.sh", script)]), mismatch);
    // A remark in the command covers what is written there.
    let remark = "\n      - bash\n      - -c\n      - |\n        # cudalint: ignore[companion-mismatch] not used\n        pip install torch==2.6.0 torchvision==0.20.0\n";
    assert_eq!(found(&[("compose.yml", &compose(remark))]), [""; 0]);
}

#[test]
fn odd_commands_end() {
    for command in
        ["\"", "'", "[bash, -c]", "bash -c", "[[a], {b: c}]", "{a: b}", "'{{ x }}'", "$$", "\"\\\"'\"", "bash -c \"'\"", "é 'ü"]
    {
        environments(&[("compose.yml", &format!("services:\n  s:\n    image: a\n    command: {command}\n"))]);
    }
    let nested = "docker run a ".repeat(2_000);
    environments(&[("run.sh", &format!("{nested}pip install torch\n"))]);
}
