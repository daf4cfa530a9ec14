//! What the name of a start or an image says of the hardware that it is meant for.

use crate::environment::Host;
use crate::knowledge::{self, Segment};
use crate::outline::Node;
use crate::platform::{Arch, Os};

/// Places where no GPU is needed.
const WITHOUT: &[&str] = &["cpu", "nocuda", "nogpu", "doc", "docs", "lint", "linting", "readthedocs", "rtd"];
/// What a file's own name calls boards and Macs; a folder's may mean anything by it.
/// Sources: <https://www.raspberrypi.com/documentation/>, <https://support.apple.com/en-us/116943>.
const SHORT: &[&str] = &["m1", "m2", "m3", "m4", "pi", "pi3", "pi4", "pi5"];
const TEGRA: &[&str] = &["dustynv", "jetpack", "jetson"];

/// Whether a host may be what is meant: `requirements-rocm.txt`, `pyproject.toml[cpu]` and `l4t-base` are not for an RTX card.
pub(crate) fn meets(name: &str, host: &Host) -> bool {
    let name = name.to_ascii_lowercase();
    let words = || name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    // `rocm6`, `win32`: the number says which.
    let named =
        |list: &[&str]| words().any(|w| list.contains(&w) || list.contains(&w.trim_end_matches(|c: char| c.is_ascii_digit())));
    let tegra = host.gpus.iter().any(|gpu| gpu.segment == Some(Segment::Tegra));
    let pairs = || words().zip(words().skip(1));
    if words().any(|w| knowledge::is_other_machine(w.trim_end_matches(|c: char| c.is_ascii_digit())))
        || pairs().any(|(a, b)| knowledge::is_other_machine(&format!("{a} {b}")))
    {
        return false;
    }
    if named(TEGRA) || words().any(|w| w.starts_with("l4t")) {
        return tegra;
    }
    if !meets_processor(words(), host) {
        return false;
    }
    let os = host.platform.os;
    let systems = [
        (Os::MacOs, &["mac", "macos", "osx", "darwin", "mlx"][..]),
        (Os::Windows, &["win", "windows"][..]),
        (Os::Linux, &["linux"][..]),
    ];
    // A name that says systems is for these only.
    if systems.iter().any(|(_, words)| named(words)) && !systems.iter().any(|(system, words)| *system == os && named(words)) {
        return false;
    }
    if !meets_gpu(&name, host) {
        return false;
    }
    // `requirements-no-cuda.txt` does without, whatever else it says.
    if pairs().any(|pair| matches!(pair, ("no" | "without", "cuda" | "gpu"))) {
        return false;
    }
    let own = name.split(':').next().unwrap_or(&name);
    let own = own.rsplit('/').next().unwrap_or(own);
    if own.split(|c: char| !c.is_ascii_alphanumeric()).any(|w| SHORT.contains(&w)) {
        return false;
    }
    let cuda = |w: &str| {
        let number = w.strip_prefix("cu").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        number || ["cublas", "cuda", "gpu", "nvidia"].iter().any(|start| w.starts_with(start))
    };
    // The processor's `amd64` is no maker's name.
    let other = |w: &str| {
        let bare = w.trim_end_matches(|c: char| c.is_ascii_digit());
        w != "amd64" && (knowledge::is_other_hardware(w) || knowledge::is_other_hardware(bare))
    };
    words().any(cuda) || !named(WITHOUT) && !words().any(other)
}

/// `requirements-aarch64.txt` is for that processor; NVIDIA's DGX Spark and RTX Spark are Arm, and Apache's runs where no GPU is asked
/// for.
fn meets_processor<'w>(words: impl Iterator<Item = &'w str> + Clone, host: &Host) -> bool {
    let says = |list: &[&str]| words.clone().any(|word| list.contains(&word));
    let (arm, x86) = (says(&["arm64", "aarch64", "spark"]), says(&["amd64", "x86", "x64"]));
    match host.platform.arch {
        Arch::Aarch64 => arm || !x86,
        Arch::X86_64 => x86 || !arm,
    }
}

/// Whether a host may be a node with the labels of one of these lists; without a list it may be any machine.
pub(crate) fn fits_any_node(lists: &[Vec<Node>], host: &Host) -> bool {
    lists.is_empty() || lists.iter().any(|nodes| fits_nodes(nodes, host))
}

/// Whether a host may be a node with these labels: what cannot be told of the GPU that they ask for is not the host's.
fn fits_nodes(nodes: &[Node], host: &Host) -> bool {
    let is = |card: &knowledge::Gpu| {
        host.gpus.iter().any(|gpu| match knowledge::gpu(&gpu.name) {
            Some(known) => knowledge::is_same_model(known, card),
            None => gpu.sm == Some(card.sm),
        })
    };
    host.gpus.is_empty()
        || nodes.iter().all(|node| {
            let mut values = node.values.iter().map(|value| value.known());
            match knowledge::node_label(&node.label) {
                Some(label) => values.any(|value| value.and_then(|v| knowledge::gpu_of_node(label, v)).is_some_and(is)),
                // A label of one's own may be named for a card.
                None => values.any(|value| meets_gpu(&value.unwrap_or_default().to_ascii_lowercase(), host)),
            }
        })
}

/// `Dockerfile.b200` and `nv-torch-v100.yml` are for these cards, and for those of the same chip.
fn meets_gpu(name: &str, host: &Host) -> bool {
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let cards = words.iter().zip(words.iter().skip(1).copied().chain([""])).filter_map(|(word, next)| match *word {
        "rtx" | "gtx" => knowledge::gpu(&format!("{word} {next}")),
        // `t4` and `l4` may be anything.
        _ if word.len() > 3 && word.starts_with(|c: char| c.is_ascii_alphabetic()) => knowledge::gpu(word),
        _ => None,
    });
    let mut named = cards.peekable();
    named.peek().is_none()
        || host.gpus.is_empty()
        || named.any(|card| host.gpus.iter().any(|gpu| gpu.sm.is_none_or(|sm| sm == card.sm)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::source::Sources;

    #[test]
    fn names() {
        let host = |text: &str| config::host(Sources::default().set("h.toml", text), text).expect("a host");
        let rtx = host("[[gpu]]\nname = \"RTX 4090\"\n");
        let orin = host("[[gpu]]\nname = \"Jetson AGX Orin\"\n");
        for (name, on_rtx, on_orin) in [
            ("requirements.txt", true, true),
            ("requirements-cpu.txt", false, false),
            ("requirements-colab.txt", false, false),
            ("requirements-android.txt", false, false),
            ("requirements_termux.txt", false, false),
            ("hf-space/requirements.txt", false, false),
            ("hf_spaces/gpu/requirements.txt", false, false),
            ("deploy/huggingface-space/Dockerfile", false, false),
            ("hugging_face_spaces/requirements.txt", false, false),
            ("requirements-streamlit-cloud.txt", false, false),
            ("streamlit/requirements.txt", true, true),
            ("spaces/requirements.txt", true, true),
            ("huggingface/requirements.txt", true, true),
            ("colab/gpu.txt", false, false),
            ("requirements-openvino.txt", false, false),
            ("collaboration.txt", true, true),
            ("docs/requirements.txt", false, false),
            ("docs/gpu/requirements.txt", true, true),
            ("requirements-rocm6.txt", false, false),
            ("environment-macos.yml", false, false),
            ("requirements-macos-linux.txt", true, true),
            ("requirements_windows.txt", false, false),
            ("requirements_linux.txt", true, true),
            ("pyproject.toml[cpu]", false, false),
            ("pyproject.toml[cu121]", true, true),
            ("requirements-l4t13.txt", false, true),
            ("nvcr.io/nvidia/l4t-jetpack:r36.4.0", false, true),
            ("nvidia/cuda:12.4.1-base-ubuntu22.04", true, true),
            ("rocm/pytorch:latest", false, false),
            ("docker/requirements-amd64.txt", true, false),
            ("requirements-aarch64.txt", false, true),
            ("requirements-x86_64-arm64.txt", true, true),
            ("spark_requirements.txt", false, true),
            ("pytorch_xla/requirements.txt", false, false),
            ("é/cpufreq.txt", true, true),
            (".github/workflows/nv-torch-v100.yml:unit", false, false),
            ("Dockerfile.B200", false, false),
            ("docker/rtx-4090/Dockerfile", true, false),
            ("docker/rtx_5090/Dockerfile", false, false),
            ("requirements-l40s.txt", true, false),
            ("requirements-l40s-h100.txt", true, false),
            ("requirements-cu118-py310-v2.txt", true, true),
            ("install_mlx.sh", false, false),
            ("requirements-amd.txt", false, false),
            ("requirements-apple-silicon.txt", false, false),
            ("requirements.neuron.txt", false, false),
            ("requirements_directml.txt", false, false),
            ("requirements/runtime_camb.txt", false, false),
            ("requirements/runtime_maca.txt", false, false),
            ("requirements/runtime_ascend.txt", false, false),
            ("docker/Dockerfile.musa", false, false),
            ("requirements-rpi5.txt", false, false),
            ("requirements-pi.txt", false, false),
            ("requirements-m1.txt", false, false),
            ("m1/requirements.txt", true, true),
            ("requirements-nogpu.txt", false, false),
            ("requirements-no-cuda.txt", false, false),
            ("requirements-no-torch.txt", true, true),
            ("requirements-kaggle.txt", false, false),
            ("requirements-aws-lambda.txt", false, false),
            ("lambda-labs/requirements.txt", true, true),
            ("requirements-ipex.txt", false, false),
            ("requirements_dml.txt", false, false),
        ] {
            assert_eq!((meets(name, &rtx), meets(name, &orin)), (on_rtx, on_orin), "{name}");
        }
    }
}
