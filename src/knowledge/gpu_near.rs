//! Which GPUs may be meant by a name that names none, or more than one.

use super::gpu::{LONGEST, named};
use super::gpu_name::key;
use super::rows::Gpu;
use super::tables::{GPU_NAMES, GPUS};
use crate::near::distance;

/// How many are worth telling.
const MOST: usize = 3;
/// A shorter name is part of too many others.
const SHORTEST: usize = 4;

/// The GPUs whose names hold this one, else those whose names differ in a letter or two; nearest first.
#[must_use]
pub fn gpus_near(name: &str) -> Vec<&'static Gpu> {
    let asked = if name.len() > LONGEST { String::new() } else { key(&named(name).concat()) };
    if asked.len() < SHORTEST {
        return Vec::new();
    }
    let all = || GPU_NAMES.iter().filter_map(|(known, at)| Some((*known, GPUS.get(usize::from(*at))?)));
    let mut near: Vec<_> = all().filter(|(known, _)| known.contains(&asked)).map(|(known, gpu)| (known.len(), gpu)).collect();
    if near.is_empty() {
        let far = if asked.len() < 6 { 1 } else { 2 };
        let close = all().filter(|(known, _)| known.len().abs_diff(asked.len()) <= far);
        near = close.map(|(known, gpu)| (distance(known, &asked), gpu)).filter(|(apart, _)| *apart <= far).collect();
    }
    near.sort_by_key(|(apart, gpu)| (*apart, gpu.name));
    let (mut found, mut alike): (Vec<&Gpu>, Vec<&Gpu>) = (Vec::new(), Vec::new());
    for (_, gpu) in near {
        // What tells the chips apart comes first; one chip under a short and a long name is told once.
        let known = |found: &[&Gpu]| found.iter().any(|f| gpu.name.starts_with(f.name));
        if !found.iter().any(|f| f.sm == gpu.sm) {
            found.push(gpu);
        } else if alike.len() < MOST && !known(&found) && !known(&alike) {
            alike.push(gpu);
        }
    }
    found.extend(alike);
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        for (name, near) in [
            ("RTX 409", "GeForce RTX 4090"),
            ("RTX 4091", "GeForce RTX 4090"),
            ("NVIDIA GeForce RTX 4O90", "GeForce RTX 4090"),
            ("RTX 6000", "Quadro RTX 6000"),
            ("RTX 6000", "NVIDIA RTX 6000 Ada"),
            ("Tesla V1000-SXM2-16GB", "NVIDIA V100"),
            ("H1000", "NVIDIA H100"),
        ] {
            let found: Vec<_> = gpus_near(name).iter().map(|gpu| gpu.name).collect();
            assert!(found.contains(&near) && found.len() <= MOST, "{name}: {found:?}");
        }
        for name in ["", "GPU", "NVIDIA", "Radeon RX 7900 XTX", "RTX 9999", "é", "4", &"RTX 409 ".repeat(100_000)] {
            assert!(gpus_near(name).is_empty(), "{name:.20}: {:?}", gpus_near(name));
        }
    }
}
