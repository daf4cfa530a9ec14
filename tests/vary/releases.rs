//! Another patch release with the same answer.

use cudalint::outline::Kind;

use crate::calls::{calls, has_calls};
use crate::words::is_named;
use crate::written::Written;

/// Releases of torch, torchvision and torchaudio that belong together, and their siblings of another patch level, built for the same
/// CUDA releases, GPUs and Pythons (<https://pytorch.org/get-started/previous-versions/>).
const EQUAL: &[([&str; 3], [&str; 3])] = &[
    (["1.7.1", "0.8.2", "0.7.2"], ["1.7.0", "0.8.1", "0.7.0"]),
    (["1.10.1", "0.11.2", "0.10.1"], ["1.10.2", "0.11.3", "0.10.2"]),
    (["1.10.2", "0.11.3", "0.10.2"], ["1.10.1", "0.11.2", "0.10.1"]),
    (["2.0.1", "0.15.2", "2.0.2"], ["2.0.0", "0.15.1", "2.0.1"]),
    (["2.1.0", "0.16.0", "2.1.0"], ["2.1.2", "0.16.2", "2.1.2"]),
    (["2.1.2", "0.16.2", "2.1.2"], ["2.1.0", "0.16.0", "2.1.0"]),
    (["2.3.1", "0.18.1", "2.3.1"], ["2.3.0", "0.18.0", "2.3.0"]),
    (["2.4.0", "0.19.0", "2.4.0"], ["2.4.1", "0.19.1", "2.4.1"]),
    (["2.5.1", "0.20.1", "2.5.1"], ["2.5.0", "0.20.0", "2.5.0"]),
    (["2.7.0", "0.22.0", "2.7.0"], ["2.7.1", "0.22.1", "2.7.1"]),
    (["2.7.1", "0.22.1", "2.7.1"], ["2.7.0", "0.22.0", "2.7.0"]),
    (["2.9.1", "0.24.1", "2.9.1"], ["2.9.0", "0.24.0", "2.9.0"]),
];
const NAMES: [&str; 3] = ["torch", "torchvision", "torchaudio"];
/// Packages that are made for one release of torch: of another they may say something else.
const OF_ONE: &[&str] = &[
    "xformers",
    "flash-attn",
    "dgl",
    "vllm",
    "torch-scatter",
    "torch-sparse",
    "tensorrt",
    "mmcv",
    "detectron2",
    "torchdata",
    "torchtext",
];

/// Each `torch==X` of the case and its companions.
pub(crate) fn other_patch(written: &Written) -> Option<Written> {
    if OF_ONE.iter().any(|name| written.says(name)) {
        return None;
    }
    let (from, to) = EQUAL.iter().find(|(from, _)| written.says(&format!("torch=={}", from[0])))?;
    let other = written.each_line(|kind, line| {
        let named = (kind == Kind::Requirements && is_named(&line.text)) || (has_calls(kind) && !calls(&line.text).is_empty());
        let mut text = line.text.clone();
        for ((name, from), to) in NAMES.iter().zip(from).zip(to) {
            let pinned = format!("{name}=={from}");
            for (at, _) in line.text.match_indices(&pinned) {
                let after = line.text[at + pinned.len()..].chars().next();
                if after.is_some_and(|c| c.is_ascii_digit() || c == '.') {
                    return None;
                }
            }
            text = text.replace(&pinned, &format!("{name}=={to}"));
        }
        (named && text != line.text).then(|| vec![line.with(text)])
    })?;
    // Each mention could be rewritten.
    let left = |i: usize| from[i] != to[i] && other.says(from[i]);
    (!(0..3).any(left)).then_some(other)
}
