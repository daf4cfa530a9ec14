//! Arms of tests that a host with an NVIDIA GPU never takes, and what a script changes of the host itself.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

const NEW: &str = "pip install torch==2.6.0";
const OLD: &str = "pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118";

/// The lines at which a file says too much of a host with an old driver.
fn said(path: &str, text: &str) -> Vec<usize> {
    said_under("470.182.03", path, text)
}

fn said_under(driver: &str, path: &str, text: &str) -> Vec<usize> {
    let mut linter = Linter::new(Settings::default());
    linter.set(path, text).expect("no configuration");
    linter.host(Origin::Outside, "host.toml", format!("driver = \"{driver}\"\n").as_str()).expect("a host");
    let report = linter.report();
    let mut lines: Vec<usize> =
        report.diagnostics.iter().map(|d| text[..d.labels[0].at.range().start].matches('\n').count() + 1).collect();
    lines.dedup();
    lines
}

#[test]
fn arms_for_other_machines() {
    for setting in [
        "is_mac() { [ \"$(uname)\" = Darwin ]; }\nif is_mac; then NEW; fi",
        "is_mac() { [[ $OSTYPE == darwin* ]]; }\nis_mac && NEW",
        "is_mac() [[ $(uname -s) == D* ]]\nif is_mac; then NEW; else OLD; fi",
        "is_mac() { case \"$OSTYPE\" in darwin*) return 0;; *) return 1;; esac; }\nif is_mac; then NEW; fi",
        "is_mac() {\n  local os\n  os=$(uname -s)\n  [ \"$os\" = Darwin ]\n}\nif is_mac; then NEW; fi",
        "is_linux() { [ \"$(uname)\" = Linux ]; }\nis_linux || NEW",
        "is_linux() { [ \"$(uname)\" = Linux ]; }\n! is_linux && NEW",
        "is_linux() { if [ \"$(uname)\" = Linux ]; then return 0; fi; return 1; }\nif ! is_linux; then NEW; else OLD; fi",
        "has() { command -v \"$1\" >/dev/null 2>&1; }\nif has nvidia-smi; then OLD; else NEW; fi",
        "has() { command -v \"$1\" >/dev/null 2>&1; }\nif has rocminfo; then NEW; elif has nvidia-smi; then OLD; fi",
        "if command -v nvidia-smi; then OLD; elif [ -f a ]; then NEW; fi",
        "case \"$OSTYPE\" in darwin*) NEW;; linux*) OLD;; esac",
        "if [[ $(uname -s) == D* ]]; then NEW; fi",
        "if [ -n \"$COLAB_GPU\" ]; then NEW; else OLD; fi",
        "if [ \"$CI\" = true ]; then NEW; else OLD; fi",
        "if [ -n \"${GITHUB_ACTIONS:-}\" ]; then NEW; else OLD; fi",
        "in_ci() { [ -n \"$CI\" ]; }\nin_ci && NEW",
        "if ${CI:-false}; then NEW; fi",
        "IS_MAC=false\n[ \"$(uname)\" = Darwin ] && IS_MAC=true\nif $IS_MAC; then NEW; else OLD; fi",
        "IS_MAC=false\nif [ \"$(uname)\" = Darwin ]; then IS_MAC=true; fi\n$IS_MAC && NEW",
        "MAC=0\n[ \"$(uname)\" != Darwin ] || MAC=1\nif [ $MAC -eq 1 ]; then NEW; fi",
        "JETSON=false\n[ -f /etc/nv_tegra_release ] && JETSON=true\nif $JETSON; then NEW; else OLD; fi",
        "GPU=false\ncommand -v nvidia-smi >/dev/null && GPU=true\nif ! $GPU; then NEW; fi",
        "[ \"$(uname)\" = Darwin ] && MAC=true || MAC=false\nif $MAC; then NEW; fi",
    ] {
        let text = setting.replace("NEW", NEW).replace("OLD", OLD);
        assert_eq!(said("install.sh", &text), [0usize; 0], "{text}");
    }
}

/// The forms in which files ask for the system, the kernel, the processor or the board.
const OF_OTHERS: &[&str] = &[
    "[[ \"$OSTYPE\" =~ ^darwin ]]",
    "[[ \"$(uname)\" =~ Darwin ]]",
    "[[ $(uname -s) =~ ^(MINGW|MSYS|CYGWIN) ]]",
    "[[ \"$(uname -m)\" =~ ^(aarch64|arm64)$ ]]",
    "[[ $(uname -m) =~ arm|aarch64 ]]",
    "[[ \"$OSTYPE\" == \"darwin\"* ]]",
    "uname | grep -q Darwin",
    "uname -m | grep -q aarch64",
    "uname -m | grep -qE 'arm|aarch64'",
    "uname -p | grep -q arm",
    "[ -n \"$(uname | grep Darwin)\" ]",
    "echo \"$OSTYPE\" | grep -qi darwin",
    "grep -qi microsoft /proc/version",
    "uname -r | grep -qi microsoft",
    "[[ $(uname -a) =~ \"WSL2\" ]]",
    "[[ \"$(uname -r)\" == *microsoft* ]]",
    "[ -n \"$WSL_DISTRO_NAME\" ]",
    "[ \"$(cat /etc/nv_tegra_release)\" ]",
    "uname -a | grep -q tegra",
    "dpkg -l | grep -q nvidia-l4t",
    "[[ \"$(sysctl -n machdep.cpu.brand_string)\" == *Apple* ]]",
    "[[ \"$MACHTYPE\" == *apple* ]]",
    "[[ $HOSTTYPE == arm64 ]]",
];

#[test]
fn guards_for_other_machines() {
    for test in OF_OTHERS {
        for (path, text) in [
            ("install.sh", format!("if {test}; then {NEW}; fi")),
            ("install.sh", format!("if {test}; then {NEW}; else {OLD}; fi")),
            ("install.sh", format!("{test} && {NEW}")),
            ("install.sh", format!("if [ -f a ]; then {OLD}; elif {test}; then {NEW}; fi")),
            ("install.sh", format!("is_other() {{ {test}; }}\nif is_other; then {NEW}; fi")),
            ("Dockerfile", format!("FROM python:3.11-slim\nRUN if {test}; then {NEW}; fi")),
            ("Makefile", format!("a:\n\t@{} && {NEW}", test.replace('$', "$$"))),
        ] {
            // A file may lie in an image that is not known.
            if path == "Dockerfile" && test.contains("nv_tegra_release") {
                continue;
            }
            assert_eq!(said(path, &text), [0usize; 0], "{text}");
            // Where it does not hold, they are the host's.
            let turned = text.replace(NEW, "NEW").replace(OLD, NEW).replace("NEW", OLD);
            let reached = [" else ", "[ -f a ]"].iter().any(|part| text.contains(part));
            assert_eq!(!said(path, &turned).is_empty(), reached, "{turned}");
        }
    }
}

#[test]
fn conditionals_of_make_for_other_machines() {
    for test in [
        "ifneq (,$(findstring Darwin,$(shell uname -s)))",
        "ifneq (,$(findstring MINGW,$(U)))",
        "ifneq (,$(filter arm64 aarch64,$(M)))",
        "ifneq ($(filter $(shell uname -m),arm64 aarch64),)",
        "ifeq ($(findstring microsoft,$(shell uname -r)),microsoft)",
        "ifeq ($(U),Darwin)",
        "ifneq ($(M),x86_64)",
        "ifeq ($(shell command -v nvidia-smi),)",
        "ifdef GITHUB_ACTIONS",
        "ifeq ($(OS),Windows_NT)",
        "ifdef X\na: ; OLD\nelse ifneq (,$(findstring MINGW,$(U)))",
    ] {
        let text = format!("U := $(shell uname -s)\nM = $(shell uname -m)\n{test}\na:\n\tNEW\nelse\na:\n\tOLD\nendif\n");
        let turned = text.replace("OLD", NEW).replace("NEW", OLD);
        let text = text.replace("NEW", NEW).replace("OLD", OLD);
        assert_eq!(said("Makefile", &text), [0usize; 0], "{text}");
        assert!(!said("Makefile", &turned).is_empty(), "{turned}");
    }
}

#[test]
fn what_is_for_another_system_replaces_nothing() {
    let other = "pip install torchvision==0.26.0";
    for guard in [
        "[[ \"$OSTYPE\" == \"darwin\"* ]] && OTHER",
        "case \"$OSTYPE\" in darwin*) OTHER;; esac",
        "case \"$OSTYPE\" in \"darwin\"*) OTHER;; esac",
        "OS=\"$(uname -s)\"\ncase \"$OS\" in Darwin) OTHER;; MINGW*|MSYS*) OTHER;; esac",
        "if [[ $OSTYPE =~ ^darwin ]]; then OTHER; fi",
        "uname | grep -q Darwin && OTHER",
    ] {
        let text = format!("pip install torch==2.8.0\n{}\n", guard.replace("OTHER", other));
        let mut linter = Linter::new(Settings::default());
        linter.set("install.sh", text.as_str()).expect("no configuration");
        assert!(linter.report().diagnostics.is_empty(), "{text}");
        let here = text.replace("darwin", "linux").replace("Darwin", "Linux");
        let mut linter = Linter::new(Settings::default());
        linter.set("install.sh", here.as_str()).expect("no configuration");
        assert!(!linter.report().diagnostics.is_empty(), "{here}");
    }
}

/// What an installer says on its way is no answer of the machine.
#[test]
fn installs_whose_output_is_kept() {
    for before in [
        "o=$(pip install numpy) || exit 1",
        "if ! o=$(pip install numpy); then exit 1; fi",
        "echo $(pip install numpy) || exit 1",
        "o=$(conda install -y numpy) || exit 1",
        "f() { o=$(pip install numpy) || exit 1; }",
        "f() { o=$(\"$@\" 2>&1) || exit 1; }\nf pip install numpy",
    ] {
        let lines = before.matches('\n').count();
        assert_eq!(said("install.sh", &format!("{before}\n{NEW}\n")), [lines + 2], "{before}");
    }
    let image = format!("FROM python:3.11\nRUN o=$(pip install numpy) || exit 1; {NEW}\n");
    assert_eq!(said("Dockerfile", &image), [2]);
    // What is asked is.
    assert_eq!(said("install.sh", &format!("pip show numpy | grep -q 1.26 || exit 1\n{NEW}\n")), [0usize; 0]);
}

#[test]
fn the_release_of_a_cuda_image_chooses() {
    let on = |tag: &str, run: &str| {
        format!("FROM nvidia/cuda:{tag}\nRUN {}\n", run.replace("NEW", "pip install torch==2.11.0").replace("OLD", OLD))
    };
    for (run, twelve, eleven) in [
        ("if [ \"${CUDA_VERSION%%.*}\" = 12 ]; then NEW; else OLD; fi", true, false),
        ("case \"$CUDA_VERSION\" in 12.*) NEW ;; 11.*) OLD ;; esac", true, false),
        ("if [[ $CUDA_VERSION =~ ^11 ]]; then OLD; else NEW; fi", true, false),
        ("echo $CUDA_VERSION | grep -q '^12' && NEW", true, false),
        ("if [ -z \"$CUDA_VERSION\" ]; then NEW; fi", false, false),
    ] {
        for (tag, speaks) in [("12.2.2-runtime-ubuntu22.04", twelve), ("11.8.0-runtime-ubuntu22.04", eleven)] {
            let text = on(tag, run);
            assert_eq!(said_under("535.104.05", "Dockerfile", &text).contains(&2), speaks, "{text}");
        }
    }
    // What is written over it holds; a build's argument does not.
    let text = on("12.2.2-runtime-ubuntu22.04", "case $CUDA_VERSION in 12.*) NEW ;; esac");
    assert!(!said_under("535.104.05", "Dockerfile", &text.replace("\nRUN", "\nENV CUDA_VERSION=11.8.0\nRUN")).contains(&3));
    assert!(said_under("535.104.05", "Dockerfile", &text.replace("\nRUN", "\nARG CUDA_VERSION=11.8.0\nRUN")).contains(&3));
    let stages =
        text.replace("\nRUN", " AS base\nFROM base\nARG V=${CUDA_VERSION}\nRUN").replace("case $CUDA_VERSION", "case $V");
    assert!(said_under("535.104.05", "Dockerfile", &stages).contains(&4));
}

#[test]
fn arms_for_the_host() {
    for setting in [
        "is_mac() { [ \"$(uname)\" = Darwin ]; }\nif ! is_mac; then NEW; fi",
        "is_mac() { [ \"$(uname)\" = Darwin ]; }\nif is_mac; then OLD; else NEW; fi",
        "is_linux() { [ \"$(uname)\" = Linux ]; }\nis_linux && NEW",
        "has() { command -v \"$1\" >/dev/null 2>&1; }\nif has nvidia-smi; then NEW; else OLD; fi",
        "if [ -n \"$COLAB_GPU\" ]; then OLD; else NEW; fi",
        "if [ -z \"$CI\" ]; then NEW; fi",
        "IS_MAC=false\n[ \"$(uname)\" = Darwin ] && IS_MAC=true\nif $IS_MAC; then OLD; else NEW; fi",
        "LINUX=false\n[ \"$(uname)\" = Linux ] && LINUX=true\n$LINUX && NEW",
    ] {
        let text = setting.replace("NEW", NEW).replace("OLD", OLD);
        let line = text[..text.find(NEW).expect("it")].matches('\n').count() + 1;
        assert_eq!(said("install.sh", &text), [line], "{text}");
    }
}

/// A runner of one's own may be the host: there CI's variables are set.
#[test]
fn variables_of_ci_in_its_own_jobs() {
    let job = |yes: &str, no: &str| {
        format!(
            "on: push\njobs:\n  a:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: |\n          if [ \"$CI\" = true ]; then\n            {yes}\n          else\n            {no}\n          fi\n"
        )
    };
    assert_eq!(said(".github/workflows/a.yml", &job(NEW, OLD)), [8]);
    assert_eq!(said(".github/workflows/a.yml", &job(OLD, NEW)), [0usize; 0]);
}

#[test]
fn a_script_that_puts_a_newer_driver_in_place() {
    for (setting, speaks) in [
        ("sudo apt-get install -y nvidia-driver-550\nsudo reboot\nNEW", false),
        ("NEW\nsudo apt-get install -y cuda-drivers", false),
        ("yum install -y cuda\nNEW", false),
        (
            "wget https://us.download.nvidia.com/a/NVIDIA-Linux-x86_64-550.54.14.run\nsh NVIDIA-Linux-x86_64-550.54.14.run -s\nNEW",
            false,
        ),
        ("driver() { sudo apt install -y nvidia-open; }\ndriver\nNEW", false),
        ("sh cuda_12.4.1_550.54.15_linux.run --silent --toolkit\nNEW", true),
        ("sudo apt-get install -y nvidia-driver-470\nNEW", true),
        ("sudo apt-get install -y cuda-toolkit-12-4\nNEW", true),
        ("apt-get remove nvidia-driver-550\nNEW", true),
        // It is there already.
        ("if ! command -v nvidia-smi; then sudo apt-get install -y nvidia-driver-550; fi\nNEW", true),
    ] {
        let text = setting.replace("NEW", NEW);
        assert_eq!(!said("install.sh", &text).is_empty(), speaks, "{text}");
    }
    let run = "docker run --gpus all nvidia/cuda:12.4.1-base-ubuntu22.04 nvidia-smi";
    assert_eq!(said("a.sh", &format!("sudo apt install -y nvidia-driver-550\n{run}\n")), [0usize; 0]);
    assert_eq!(said("a.sh", &format!("{run}\nsudo apt install -y nvidia-driver-550\n")), [1]);
    // A driver in an image is not the one of the machine; and it is said that it lies there.
    let image = format!("FROM python:3.11\nRUN apt-get install -y nvidia-driver-550\nRUN {NEW}\n");
    assert_eq!(said("Dockerfile", &image), [2, 3]);
}

#[test]
fn projects_that_are_worked_out_for_other_systems() {
    let project = |uv: &str| {
        format!(
            "[project]\nname = 'x'\nversion = '0'\nrequires-python = '>=3.11'\ndependencies = ['torch==2.6.0']\n[tool.uv]\n{uv}\n"
        )
    };
    for (uv, speaks) in [
        ("environments = [\"sys_platform == 'darwin'\", \"sys_platform == 'win32'\"]", false),
        ("environments = \"sys_platform == 'darwin'\"", false),
        ("environments = [\"sys_platform == 'darwin'\", \"sys_platform == 'linux'\"]", true),
        ("environments = [\"sys_platform == 'darwin'\", \"python_version < '3.13'\"]", true),
        ("environments = []", true),
        ("required-environments = [\"sys_platform == 'darwin'\"]", true),
    ] {
        assert_eq!(!said("pyproject.toml", &project(uv)).is_empty(), speaks, "{uv}");
    }
    let pixi = |platforms: &str| {
        format!(
            "[workspace]\nname = 'x'\nchannels = ['conda-forge']\nplatforms = ['{platforms}']\n[pypi-dependencies]\ntorch = '==2.6.0'\n[dependencies]\npython = '3.11.*'\n[system-requirements]\ncuda = '12'\n"
        )
    };
    assert_eq!(said("pixi.toml", &pixi("osx-arm64")), [0usize; 0]);
    assert!(!said("pixi.toml", &pixi("linux-64")).is_empty());
}

#[test]
fn arms_of_a_template_exclude_each_other() {
    let arms = "FROM python:3.11\n{% if new %}\nRUN pip install torch==2.6.0\n{% else %}\nRUN pip install torch==2.1.0 torchvision==0.16.0 --index-url https://download.pytorch.org/whl/cu118\n{% endif %}\n";
    assert_eq!(said("Dockerfile.j2", arms), [3]);
    // The same test of another block goes with it.
    let both = arms.to_owned()
        + "{% if not new %}\nRUN pip install torchaudio==2.1.0+cu118 --index-url https://download.pytorch.org/whl/cu118\n{% endif %}\n";
    assert_eq!(said("Dockerfile.j2", &both), [3]);
    let go = arms
        .replace("{% if new %}", "{{- if not .Old }}")
        .replace("{% else %}", "{{- else }}")
        .replace("{% endif %}", "{{- end }}");
    assert_eq!(said("Dockerfile.tmpl", &go), [3]);
    let pins = "{% if new %}\ntorch==2.6.0\n{% else %}\ntorch==1.12.1\ntorchvision==0.13.1\n{% endif %}\n";
    assert_eq!(said("requirements-gpu.txt", pins), [2]);
}
