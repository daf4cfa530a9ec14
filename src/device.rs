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

/// `--device` and `cpu`, `--use-cuda` and `false`.
fn chooses_cpu(option: &str, value: &str, choice: Choice) -> bool {
    let option = option.trim_start_matches('-').to_ascii_lowercase();
    let value = value.to_ascii_lowercase();
    let device = option == "d" || ["device", "accelerator"].iter().any(|name| option.ends_with(name));
    let gpu = option.ends_with("cuda") || option.ends_with("gpu") || option.ends_with("gpus");
    let any = value == "auto" && choice == Choice::CpuOrAny;
    device && (any || value.split(':').next() == Some("cpu")) || gpu && is_no(&value)
}

fn is_no(value: &str) -> bool {
    ["false", "0", "no", "off", "none"].iter().any(|no| value.eq_ignore_ascii_case(no))
}

/// `CUDA_VISIBLE_DEVICES=`, `DEVICE=cpu`, `USE_CUDA=0`, `FORCE_CPU=1`.
pub(crate) fn hides_gpus(name: &str, value: &str, choice: Choice) -> bool {
    let value = value.trim();
    match name.trim_start_matches('-').to_ascii_uppercase().as_str() {
        "CUDA_VISIBLE_DEVICES" => value.is_empty() || value.starts_with('-') || value.eq_ignore_ascii_case("none"),
        // Source: <https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html>.
        "NVIDIA_VISIBLE_DEVICES" => ["", "none", "void"].contains(&value),
        "NO_CUDA" | "NO_GPU" | "FORCE_CPU" | "USE_CPU" | "CPU_ONLY" => !value.is_empty() && !is_no(value),
        variable => {
            let device = variable.ends_with("DEVICE") && chooses_cpu("device", value, choice);
            device || ["CUDA", "USE_CUDA", "GPU", "USE_GPU", "ENABLE_GPU", "ENABLE_CUDA"].contains(&variable) && is_no(value)
        }
    }
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
        ] {
            let says = |choice| says_cpu([line], choice);
            assert_eq!((says(Choice::Cpu), says(Choice::CpuOrAny)), (cpu, any), "{line}");
        }
        assert!(hides_gpus("CUDA_VISIBLE_DEVICES", "-1", Choice::Cpu) && hides_gpus("DEVICE", "auto", Choice::CpuOrAny));
        assert!(
            hides_gpus("NVIDIA_VISIBLE_DEVICES", "", Choice::Cpu) && hides_gpus("NVIDIA_VISIBLE_DEVICES", "void", Choice::Cpu)
        );
        assert!(!hides_gpus("NVIDIA_VISIBLE_DEVICES", "all", Choice::Cpu));
        assert!(!hides_gpus("DEVICE", "auto", Choice::Cpu) && !hides_gpus("CUDA_VISIBLE_DEVICES", "0", Choice::CpuOrAny));
    }
}
