//! Arms of tests that a host with an NVIDIA GPU never takes, and what a script changes of the host itself.

use cudalint::linter::Linter;
use cudalint::settings::Settings;
use cudalint::source::Origin;

const NEW: &str = "pip install torch==2.6.0";
const OLD: &str = "pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118";

/// The lines at which a file says too much of a host with an old driver.
fn said(path: &str, text: &str) -> Vec<usize> {
    let mut linter = Linter::new(Settings::default());
    linter.set(path, text).expect("no configuration");
    linter.host(Origin::Outside, "host.toml", "driver = \"470.182.03\"\n").expect("a host");
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
    // A driver in an image is not the one of the machine.
    let image = format!("FROM python:3.11\nRUN apt-get install -y nvidia-driver-550\nRUN {NEW}\n");
    assert_eq!(said("Dockerfile", &image), [3]);
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
    let both = arms.to_owned() + "{% if not new %}\nRUN pip install torchaudio==2.1.0\n{% endif %}\n";
    assert_eq!(said("Dockerfile.j2", &both), [3]);
    let go = arms
        .replace("{% if new %}", "{{- if not .Old }}")
        .replace("{% else %}", "{{- else }}")
        .replace("{% endif %}", "{{- end }}");
    assert_eq!(said("Dockerfile.tmpl", &go), [3]);
    let pins = "{% if new %}\ntorch==2.6.0\n{% else %}\ntorch==1.12.1\ntorchvision==0.13.1\n{% endif %}\n";
    assert_eq!(said("requirements-gpu.txt", pins), [2]);
}
