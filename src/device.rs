//! What says on which device a program runs: options and variables.

/// Of a command these many words are looked at.
const MOST_WORDS: usize = 256;

/// How a choice of a device is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The CPU, whatever there is.
    Cpu,
    /// The CPU, or that it takes what there is (`--device auto`).
    CpuOrAny,
}

/// `--device cpu`, `--no-cuda`, `--cuda false`; also within the one word of a shell's `-c`.
pub(crate) fn says_cpu<'w>(words: impl IntoIterator<Item = &'w str>, choice: Choice) -> bool {
    let mut before = "";
    for word in words.into_iter().flat_map(str::split_ascii_whitespace).take(MOST_WORDS) {
        let word = word.trim_matches(['"', '\'']);
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value),
            None if before.starts_with('-') => (before, word),
            None => ("", ""),
        };
        if is_cpu_flag(word) || hides_gpus(name, value, choice) || chooses_cpu(name, value, choice) {
            return true;
        }
        before = word;
    }
    false
}

/// Whether something is called after the CPU: a service, a profile, a program, or the value of an option (`--backend onnx-cpu`,
/// `--config cpu.yaml`). Options speak of it for other ends, too (`--cpu-offload`). Gloo is the one backend of torch that needs no
/// GPU: <https://docs.pytorch.org/docs/stable/distributed.html>.
pub(crate) fn is_called_cpu(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    !value.starts_with('-') && words(value).any(|word| word == "CPU" || word == "GLOO")
}

/// `--device cuda`, `--device=cuda:0`, `--accelerator gpu`, `--nproc-per-node gpu`, with the place of the word that says so;
/// also within the one word of a shell's `-c`.
pub(crate) fn says_cuda<'w, P: Copy>(words: impl IntoIterator<Item = (&'w str, P)>) -> Option<(P, &'static str)> {
    let parts = words.into_iter().flat_map(|(word, at)| word.split_ascii_whitespace().map(move |part| (part, at)));
    let mut before = "";
    for (part, at) in parts.take(MOST_WORDS) {
        let part = part.trim_matches(['"', '\'']);
        let (option, value) = part.split_once('=').unwrap_or((if before.starts_with('-') { before } else { "" }, part));
        let device = option.ends_with("device") || option == "-d";
        if device && is_cuda(value) || option.ends_with("accelerator") && ["gpu", "cuda"].contains(&value) {
            return Some((at, "its command says that it runs on cuda"));
        }
        if option.trim_start_matches('-').replace('-', "_") == "nproc_per_node" && value == "gpu" {
            return Some((at, "its command starts a process for each GPU"));
        }
        before = part;
    }
    None
}

fn is_cuda(device: &str) -> bool {
    device == "cuda" || device.strip_prefix("cuda:").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
}

/// `CUDA_VISIBLE_DEVICES=0`, `DEVICE=cuda`.
pub(crate) fn chooses_gpu(name: &str, value: &str) -> bool {
    let value = value.trim();
    let numbered = name == "CUDA_VISIBLE_DEVICES" && value.starts_with(|c: char| c.is_ascii_digit() || c == 'G');
    numbered || name.ends_with("DEVICE") && is_cuda(value)
}

fn is_cpu_flag(word: &str) -> bool {
    let flags = [
        "cpu",
        "cpu-only",
        "use-cpu",
        "force-cpu",
        "no-cuda",
        "nocuda",
        "disable-cuda",
        "no-use-cuda",
        "no-gpu",
        "nogpu",
        "disable-gpu",
        "no-use-gpu",
    ];
    word.starts_with('-') && flags.contains(&word.trim_start_matches('-').replace('_', "-").to_ascii_lowercase().as_str())
}

/// What names a device, or what gives one.
const OF_DEVICES: &[&str] = &[
    "DEVICE",
    "DEVICES",
    "ACCELERATOR",
    "ACCELERATORS",
    "ACCEL",
    "PROVIDER",
    "PROVIDERS",
    "PLATFORM",
    "PLATFORMS",
    "BACKEND",
    "HARDWARE",
    "PROCESSOR",
    "COMPUTE",
    "RUNTIME",
    "TARGET",
    "MODE",
];
/// The first GPU is `0` to these, the last one or none `-1`.
const NUMBERS_ONE: &[&str] =
    &["ID", "IDS", "INDEX", "INDICES", "DEVICE", "DEVICES", "RANK", "ORDINAL", "UUID", "CARD", "LIST", "START", "OFFSET"];
/// With these in the name, what is off lets the GPU in.
const NEGATIONS: &[&str] = &["NO", "NOT", "DISABLE", "DISABLED", "WITHOUT", "SKIP", "FORCE"];
/// Beside these nothing but whether there is a GPU is said.
const SWITCHES: &[&str] = &["USE", "USES", "ENABLE", "ENABLED", "WITH", "HAS", "HAVE", "ALLOW", "IS", "AVAILABLE"];

/// The words of a name, in capitals.
fn words(name: &str) -> impl Iterator<Item = String> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_ascii_uppercase)
}

fn is_gpu(word: &str) -> bool {
    matches!(word, "GPU" | "GPUS" | "NGPU" | "NGPUS")
}

/// Whether a variable chooses between a GPU and the CPU by its name alone.
pub(crate) fn is_choice(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let switch = || words(&name).all(|word| is_gpu(&word) || word == "CUDA" || SWITCHES.contains(&word.as_str()));
    ["DEVICE", "DEVICES", "ACCELERATOR"].iter().any(|end| name.ends_with(end)) || switch()
}

/// `--device` and `cpu`, `--use-cuda` and `false`, `--gpu_ids` and `-1`.
fn chooses_cpu(option: &str, value: &str, choice: Choice) -> bool {
    let option = option.trim_start_matches('-').to_ascii_lowercase();
    let value = value.to_ascii_lowercase();
    let device = option == "d" || ["device", "accelerator"].iter().any(|name| option.ends_with(name));
    let gpu = option == "ngl" || ["cuda", "gpu", "gpus"].iter().any(|name| option.ends_with(name));
    let any = value == "auto" && choice == Choice::CpuOrAny;
    // Apple's GPUs (`mps`) are none of NVIDIA's.
    let none = ["mps", "none"].contains(&value.as_str());
    device && (any || none || is_cpu(&value)) || gpu && is_off(&value) || leaves_to_cpu(&option, &value)
}

/// The value is the CPU, of what names a device; or the name speaks of GPUs, and the value is off.
fn leaves_to_cpu(name: &str, value: &str) -> bool {
    let has = |list: &[&str]| words(name).any(|word| list.contains(&word.as_str()));
    if is_cpu(value) && has(OF_DEVICES) {
        return true;
    }
    if !is_off(value) || has(NEGATIONS) {
        return false;
    }
    let counted = value != "0" || !has(NUMBERS_ONE);
    let switch = || words(name).all(|word| word == "CUDA" || SWITCHES.contains(&word.as_str())) && has(&["CUDA"]);
    words(name).any(|word| is_gpu(&word)) && counted || switch()
}

fn is_cpu(value: &str) -> bool {
    let value = value.trim_matches(['[', ']', '"', '\'']);
    let first = value.split(':').next().unwrap_or_default();
    first.eq_ignore_ascii_case("cpu") || value.eq_ignore_ascii_case("CPUExecutionProvider")
}

fn is_no(value: &str) -> bool {
    ["false", "0", "no", "off", "none", "disabled"].iter().any(|no| value.eq_ignore_ascii_case(no))
}

fn is_off(value: &str) -> bool {
    is_no(value) || value == "-1"
}

/// Switched on, they leave the work to the CPU.
const WITHOUT_GPU: &[&str] = &["NO_CUDA", "NO_GPU", "FORCE_CPU", "USE_CPU", "CPU_ONLY", "DISABLE_CUDA", "DISABLE_GPU"];

/// `CUDA_VISIBLE_DEVICES=`, `DEVICE=cpu`, `USE_CUDA=0`, `FORCE_CPU=1`, `NUM_GPUS=0`.
pub(crate) fn hides_gpus(name: &str, value: &str, choice: Choice) -> bool {
    let value = value.trim();
    match name.trim_start_matches('-').to_ascii_uppercase().as_str() {
        "CUDA_VISIBLE_DEVICES" => value.is_empty() || value.starts_with('-') || value.eq_ignore_ascii_case("none"),
        // Source: <https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html>.
        "NVIDIA_VISIBLE_DEVICES" => ["", "none", "void"].contains(&value),
        variable if WITHOUT_GPU.contains(&variable) => !value.is_empty() && !is_no(value),
        variable => variable.ends_with("DEVICE") && chooses_cpu("device", value, choice) || leaves_to_cpu(variable, value),
    }
}

/// Whether [`hides_gpus`] may say so of some value of that variable.
pub(crate) fn may_hide_gpus(name: &str) -> bool {
    let name = name.trim_start_matches('-').to_ascii_uppercase();
    let speaks = |word: String| is_gpu(&word) || word == "CUDA" || OF_DEVICES.contains(&word.as_str());
    WITHOUT_GPU.contains(&name.as_str()) || name.ends_with("DEVICE") || words(&name).any(speaks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus() {
        for (line, says) in [
            ("--device cuda", true),
            ("--device=cuda:1", true),
            ("sh -c 'x --device cuda'", true),
            ("--accelerator gpu", true),
            ("torchrun --nproc_per_node=gpu x", true),
            ("--device cpu", false),
            ("x cuda", false),
            ("--device cuda:x", false),
        ] {
            assert_eq!(says_cuda([(line, ())]).is_some(), says, "{line}");
        }
        assert!(chooses_gpu("CUDA_VISIBLE_DEVICES", "0,1") && chooses_gpu("MODEL_DEVICE", "cuda"));
        assert!(!chooses_gpu("CUDA_VISIBLE_DEVICES", "") && !chooses_gpu("DEVICE", "cpu"));
    }

    #[test]
    fn devices() {
        for (line, cpu, any) in [
            ("--device cpu", true, true),
            ("--device auto", false, true),
            ("sh -c 'x --device=cpu'", true, true),
            ("env CUDA_VISIBLE_DEVICES= x", true, true),
            ("--device cuda", false, false),
            ("x cpu", false, false),
            ("--gpu_ids -1", true, true),
            ("--gpu -1", true, true),
            ("--gpu_id=-1", true, true),
            ("--execution-providers cpu", true, true),
            ("--execution-provider=CPUExecutionProvider", true, true),
            ("--devices cpu", true, true),
            ("--jax_platform cpu", true, true),
            ("--n-gpu-layers 0", true, true),
            ("-ngl 0", true, true),
            ("--num_gpus=0", true, true),
            ("--gpu_ids 0", false, false),
            ("--gpu-id=0", false, false),
            ("-ngl 99", false, false),
            ("--devices 1", false, false),
            ("--execution-providers cuda", false, false),
            ("--queue cpu", false, false),
        ] {
            let says = |choice| says_cpu([line], choice);
            assert_eq!((says(Choice::Cpu), says(Choice::CpuOrAny)), (cpu, any), "{line}");
        }
        assert!(hides_gpus("CUDA_VISIBLE_DEVICES", "-1", Choice::Cpu) && hides_gpus("DEVICE", "auto", Choice::CpuOrAny));
        assert!(
            hides_gpus("NVIDIA_VISIBLE_DEVICES", "", Choice::Cpu) && hides_gpus("NVIDIA_VISIBLE_DEVICES", "void", Choice::Cpu)
        );
        assert!(!hides_gpus("NVIDIA_VISIBLE_DEVICES", "all", Choice::Cpu));
        for (word, cpu) in
            [("serve_cpu.py", true), ("api-cpu", true), ("--backend=onnx-cpu", true), ("--cpu-offload", false), ("cpus", false)]
        {
            assert_eq!(is_called_cpu(word), cpu, "{word}");
        }
        for (name, value, hides) in [
            ("ACCELERATOR", "cpu", true),
            ("NUM_GPUS", "0", true),
            ("GPU_ENABLED", "no", true),
            ("MODE", "cpu", true),
            ("GPU_IDS", "-1", true),
            ("JAX_PLATFORMS", "cpu", true),
            ("CUDA_ENABLED", "disabled", true),
            ("DISABLE_GPU", "1", true),
            ("GPU_IDS", "0", false),
            ("NUM_GPUS", "1", false),
            ("DISABLE_GPU", "false", false),
            ("CUDA_LAUNCH_BLOCKING", "0", false),
            ("MODE", "gpu", false),
            ("QUEUE", "cpu", false),
            ("CUDA_DEVICE", "0", false),
            ("TORCH_DEVICE", "mps", true),
            ("MODE", "none", false),
        ] {
            assert_eq!(hides_gpus(name, value, Choice::Cpu), hides, "{name}={value}");
            assert!(!hides || may_hide_gpus(name), "{name}");
        }
        assert!(!hides_gpus("DEVICE", "auto", Choice::Cpu) && !hides_gpus("CUDA_VISIBLE_DEVICES", "0", Choice::CpuOrAny));
    }
}
