//! What a GPU's name means.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use super::gpu_name::key;
use super::rows::{Gpu, Segment, Sm};
use super::tables::{GPU_NAMES, GPUS, TOOLKITS};

/// What a GPU name means, as NVML or people write it: `Tesla V100-SXM2-16GB`, `RTX 4090`, `A100-SXM4-40GB MIG 3g.20gb`.
/// `None` for an unknown name and for one with several meanings.
#[must_use]
pub fn gpu(name: &str) -> Option<&'static Gpu> {
    if name.len() > LONGEST {
        return None;
    }
    let mut words = words(name);
    loop {
        if let Some(found) = with_or_without_brand(&words) {
            return Some(found);
        }
        if !words.pop().is_some_and(is_variant) {
            return of_one_chip(name);
        }
    }
}

/// A model number that stands in several names, all of one chip: `A800` is in `NVIDIA A800-SXM4-80GB` and others.
fn of_one_chip(name: &str) -> Option<&'static Gpu> {
    let [model] = named(name)[..] else { return None };
    let is_model = model.starts_with(|c: char| c.is_ascii_alphabetic()) && model.ends_with(|c: char| c.is_ascii_digit());
    if !is_model || is_variant(model) {
        return None;
    }
    BY_WORD.get(&model.to_ascii_lowercase()).copied().flatten()
}

/// The first GPU in whose name a word stands; `None` where the word is in names of several kinds. A path's words are asked, too.
static BY_WORD: LazyLock<HashMap<String, Option<&'static Gpu>>> = LazyLock::new(|| {
    let mut found: HashMap<String, Option<&'static Gpu>> = HashMap::new();
    for gpu in GPUS {
        for word in words(gpu.name) {
            let first = found.entry(word.to_ascii_lowercase()).or_insert(Some(gpu));
            *first = first.filter(|first| gpu.sm == first.sm && gpu.segment == first.segment);
        }
    }
    found
});

/// Whether any GPU or toolkit of the tables knows this compute capability.
#[must_use]
pub fn is_chip(sm: Sm) -> bool {
    let same = |known: &Sm| (known.major, known.minor) == (sm.major, sm.minor);
    GPUS.iter().any(|gpu| same(&gpu.sm)) || TOOLKITS.iter().any(|toolkit| toolkit.sms.iter().any(same))
}

/// The compute capabilities of all GPUs of the tables that are no Tegra, rising.
#[must_use]
pub fn chips() -> Vec<Sm> {
    let chips: BTreeSet<Sm> = GPUS.iter().filter(|gpu| gpu.segment != Segment::Tegra).map(|gpu| gpu.sm).collect();
    chips.into_iter().collect()
}

/// The oldest compute capability that a CUDA of the tables makes code for.
#[must_use]
pub fn oldest_sm() -> Option<Sm> {
    TOOLKITS.iter().flat_map(|toolkit| toolkit.sms).copied().min()
}

/// No product name is longer; anything else is noise.
pub(super) const LONGEST: usize = 120;

fn words(name: &str) -> Vec<&str> {
    let mut words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    if let Some(mig) = words.iter().position(|w| w.eq_ignore_ascii_case("mig")) {
        words.truncate(mig);
    }
    words
}

/// The words of a name that say which chip it is.
pub(super) fn named(name: &str) -> Vec<&str> {
    let mut words = words(name);
    while words.last().is_some_and(|last| is_variant(last)) {
        words.pop();
    }
    words.drain(..words.iter().take_while(|word| is_brand(word)).count());
    words
}

/// NVML writes the brand, people often do not, and they write `Tesla` before everything.
fn with_or_without_brand(words: &[&str]) -> Option<&'static Gpu> {
    let branded = words.iter().take_while(|word| is_brand(word)).count();
    (0..=branded).find_map(|from| exact(&words[from..].concat()))
}

fn is_brand(word: &str) -> bool {
    ["nvidia", "geforce", "tesla", "grid"].iter().any(|b| word.eq_ignore_ascii_case(b))
}

fn exact(name: &str) -> Option<&'static Gpu> {
    let key = key(name);
    let at = GPU_NAMES.binary_search_by(|(known, _)| (*known).cmp(&key)).ok()?;
    GPUS.get(usize::from(GPU_NAMES[at].1))
}

/// Words at the end of a name that say nothing about the chip: memory, form factor, vGPU profile, "Laptop GPU", "Max-Q".
fn is_variant(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let counted = digits.len() < word.len();
    let form = ["sxm", "sxm2", "sxm3", "sxm4", "sxm5", "pcie", "pci", "nvl", "hbm2", "hbm2e", "hbm3", "dgxs", "fhhl", "oam"];
    let kind = ["gpu", "laptop", "mobile", "max", "q", "design", "with", "gb", "oem"];
    form.contains(&word.as_str()) || kind.contains(&word.as_str()) || counted && ["gb", "g", "q", "c", "a", "b"].contains(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Segment::{self, *};

    #[test]
    fn names_as_nvml_and_people_write_them() {
        let table: &[(&str, (u8, u8), Segment)] = &[
            ("Tesla V100-SXM2-16GB", (7, 0), DataCenter),
            ("Tesla V100-PCIE-32GB", (7, 0), DataCenter),
            ("V100", (7, 0), DataCenter),
            ("Tesla T4", (7, 5), DataCenter),
            ("T4", (7, 5), DataCenter),
            ("Tesla P100-PCIE-16GB", (6, 0), DataCenter),
            ("Tesla K80", (3, 7), DataCenter),
            ("NVIDIA A100-SXM4-40GB", (8, 0), DataCenter),
            ("NVIDIA A100 80GB PCIe", (8, 0), DataCenter),
            ("A100-SXM4-40GB MIG 3g.20gb", (8, 0), DataCenter),
            ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", (8, 0), DataCenter),
            ("NVIDIA A10G", (8, 6), DataCenter),
            ("NVIDIA H100 80GB HBM3", (9, 0), DataCenter),
            ("NVIDIA H100 PCIe", (9, 0), DataCenter),
            ("NVIDIA H100 NVL", (9, 0), DataCenter),
            ("h200", (9, 0), DataCenter),
            ("NVIDIA L4", (8, 9), DataCenter),
            ("NVIDIA L40S", (8, 9), DataCenter),
            ("NVIDIA B200", (10, 0), DataCenter),
            ("GRID T4-16C", (7, 5), DataCenter),
            ("NVIDIA GeForce RTX 4090", (8, 9), GeForce),
            ("GeForce RTX 4090", (8, 9), GeForce),
            ("RTX 4090", (8, 9), GeForce),
            ("rtx-4090", (8, 9), GeForce),
            ("RTX4090", (8, 9), GeForce),
            ("4090", (8, 9), GeForce),
            ("NVIDIA GeForce RTX 4090 D", (8, 9), GeForce),
            ("NVIDIA GeForce RTX 4070 Laptop GPU", (8, 9), GeForce),
            ("RTX 5090", (12, 0), GeForce),
            ("NVIDIA GeForce RTX 5070 Ti", (12, 0), GeForce),
            ("NVIDIA GeForce RTX 3060 12GB", (8, 6), GeForce),
            ("GeForce RTX 2080 SUPER", (7, 5), GeForce),
            ("GeForce GTX 1080 Ti", (6, 1), GeForce),
            ("gtx_1050", (6, 1), GeForce),
            ("GeForce GTX TITAN X", (5, 2), GeForce),
            ("NVIDIA TITAN V", (7, 0), GeForce),
            ("A800", (8, 0), DataCenter),
            ("NVIDIA A800", (8, 0), DataCenter),
            ("Quadro P5000", (6, 1), Workstation),
            ("Quadro RTX 6000", (7, 5), Workstation),
            ("NVIDIA RTX A6000", (8, 6), Workstation),
            ("NVIDIA RTX 6000 Ada Generation", (8, 9), Workstation),
            ("RTX PRO 6000 Blackwell Workstation Edition", (12, 0), Workstation),
            ("NVIDIA RTX 5000 Ada Generation Laptop GPU", (8, 9), Workstation),
        ];
        for (name, sm, segment) in table {
            let found = gpu(name).unwrap_or_else(|| panic!("{name} is not known"));
            assert_eq!((found.sm.major, found.sm.minor), *sm, "{name}");
            assert_eq!(found.segment, *segment, "{name}");
        }
    }

    #[test]
    fn silence() {
        let none = [
            "",
            " ",
            "GPU",
            "Laptop GPU",
            "NVIDIA",
            "GeForce",
            "MIG",
            "RTX 6000",
            "NVIDIA RTX 4000",
            "RTX 5000",
            "TITAN X",
            "RTX 9999",
            "Radeon RX 7900",
            "\u{0}\u{feff}é",
            "RTX 4090 and a dog",
            "16GB",
            "Tesla",
        ];
        for name in none {
            assert!(gpu(name).is_none(), "{name:?} is {:?}", gpu(name));
        }
        assert!(gpu(&"RTX 4090 ".repeat(100_000)).is_none());
    }
}
