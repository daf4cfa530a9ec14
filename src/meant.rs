//! What says that an environment is meant for a GPU, and what says that it is not.

use crate::environment::{Environment, Evidence, Join, Reason};
use crate::knowledge::{self, Basis, Carries, Flavour, Kernels, Nvcc, Release};
use crate::resolve;
use crate::source::Span;
use crate::version::CudaVersion;

/// The evidence that an environment is meant for a GPU: who runs it gives it one, a CUDA image, a toolkit, a package that is for GPUs
/// only, a name; `None` where nothing says so, or its own name says that it is for the CPU, for tests or for CI.
/// Source: the catalogue of rules, "Evidence that an environment is meant for a GPU".
pub(crate) fn for_gpu(env: &Environment) -> Option<Evidence> {
    if is_for_others(env) {
        return None;
    }
    if let Some(given) = env.gpus.first() {
        return Some(given.clone());
    }
    if let Some(only) = env.components.iter().find(|component| is_for_gpu_only(&component.name)) {
        return Some(only.evidence.clone());
    }
    let image = env.image.as_ref().filter(|image| {
        let carries = image.row.is_some_and(|row| row.flavour != Flavour::None || !row.cuda.is_empty());
        carries || knowledge::is_of_cuda(&image.reference)
    });
    if let Some(image) = image {
        return Some(image.evidence.clone());
    }
    let toolkit = |carries: &[Carries]| carries.contains(&Carries::Toolkit) || carries.contains(&Carries::Cudnn);
    if let Some(part) = env.system.iter().find(|part| toolkit(part.carries)) {
        return Some(part.evidence.clone());
    }
    let own = words(&env.start.name).into_iter().find(|word| is_of_gpu(word)).map(|word| (env.start.at, word));
    let (at, named) = own.or_else(|| file_of_torch(env))?;
    let reason = Reason::MadeForGpu { because: format!("by its name ({named}) it is for a GPU") };
    Some(Evidence { at, reason, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated })
}

/// The word of a GPU in the name of the file that asks for torch, which a command installs or another file includes; with its top.
fn file_of_torch(env: &Environment) -> Option<(Span, String)> {
    let file = env.component("torch")?.evidence.at.file;
    let words = words(env.files.get(&file)?);
    if words.iter().any(|word| is_of_cpu(word)) {
        return None;
    }
    let named = words.into_iter().find(|word| is_of_gpu(word))?;
    Some((Span::new(file, 0, 0), named))
}

/// Whether an environment is meant for chips that run no CUDA, or not that of the wheels which others take: by an index that it
/// looks at, or by its name.
pub(crate) fn for_other_hardware(env: &Environment) -> bool {
    let indexes = env.steps.iter().flat_map(|step| &step.indexes);
    let mut tags = indexes.filter_map(|index| index.id.and_then(knowledge::index_by_id)).map(|index| index.tag);
    let other = |tag: &str| knowledge::is_other_hardware(bare(tag));
    tags.any(other) || words(&env.start.name).iter().any(|word| other(word) || is_of_tegra(bare(word)))
}

/// `rocm` of `rocm7.0`, `l4t` of `l4t13`.
fn bare(word: &str) -> &str {
    // The processor's name is no maker's.
    if word == "amd64" {
        return word;
    }
    word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Its wheels are NVIDIA's own for it.
fn is_of_tegra(word: &str) -> bool {
    matches!(word, "l4t" | "jetson" | "jetpack" | "tegra" | "orin" | "xavier")
}

/// Whether an environment is meant for a GPU, by what `for_gpu` tells or because its torch comes from an index of one CUDA.
pub(crate) fn is_for_gpu(env: &Environment, index_of_torch: &str) -> bool {
    for_gpu(env).is_some() || !is_for_others(env) && index_of_torch.starts_with("pytorch/cu")
}

/// Whether an environment is by its own name for the CPU, for tests, documentation or CI.
pub(crate) fn is_for_others(env: &Environment) -> bool {
    let name = &env.start.name;
    let own = name.split('@').next().unwrap_or(name);
    words(own).iter().any(|word| is_of_cpu(word)) || name.starts_with(".github/") || name.starts_with(".gitlab")
}

/// Whether an environment is by its own name for the CPU.
pub(crate) fn is_called_cpu(env: &Environment) -> bool {
    words(&env.start.name).iter().any(|word| word == "cpu")
}

/// Whether something else than torch may be what the GPU of an environment is for: another framework that runs on it.
pub(crate) fn for_another_framework(env: &Environment) -> bool {
    env.components.iter().any(|component| {
        let name = component.name.strip_prefix("conda:").unwrap_or(&component.name);
        let other = !name.starts_with("nvidia-") && name != "torch" && knowledge::companion_of(name) != Some("torch");
        let rows = knowledge::releases(name);
        let runs = |row: &Release| matches!(row.kernels, Kernels::Known { .. }) || !row.needs.is_empty();
        other && !resolve::goes_by_torch(name) && rows.iter().any(runs)
    })
}

/// Whether a package is of no use without a GPU of NVIDIA's: parts of CUDA, what chooses builds for it, what is made for one CUDA
/// major by its name, and what is built with nvcc or not at all.
pub(crate) fn is_for_gpu_only(package: &str) -> bool {
    let of_conda = |name: &str| {
        matches!(name, "pytorch-gpu" | "pytorch-cuda" | "cudatoolkit" | "cuda-version") || knowledge::is_conda_toolkit(name)
    };
    if let Some(name) = package.strip_prefix("conda:") {
        return of_conda(name);
    }
    let parts = package.strip_prefix("nvidia-").is_some_and(|rest| rest.contains("-cu"));
    let owner = knowledge::module_owner(package).is_some_and(|row| !row.cuda.is_empty());
    let built = knowledge::source_build(package).is_some_and(|row| row.nvcc == Nvcc::Must);
    parts || owner || built || package == "onnxruntime-gpu"
}

/// The words of a name, in lower case: `requirements/torch_cu126.txt` has requirements, torch, cu126, txt.
fn words(name: &str) -> Vec<String> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect()
}

fn is_of_gpu(word: &str) -> bool {
    matches!(word, "gpu" | "cuda" | "nvidia")
        || word.strip_prefix("cuda").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        || word.starts_with("cu") && word.len() == 5 && CudaVersion::of_tag(word).is_some()
}

fn is_of_cpu(word: &str) -> bool {
    matches!(word, "cpu" | "ci" | "test" | "tests" | "testing" | "docs" | "doc" | "lint" | "dev" | "rocm" | "mac" | "macos")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_say() {
        let gpu = |name: &str| words(name).iter().any(|word| is_of_gpu(word)) && !words(name).iter().any(|word| is_of_cpu(word));
        for name in [
            "requirements/torch_cu126.txt",
            "requirements-gpu.txt",
            "docker/Dockerfile.cuda",
            "env_cuda118.yml",
            "Dockerfile.nvidia",
        ] {
            assert!(gpu(name), "{name}");
        }
        for name in ["requirements.txt", "requirements-cpu-gpu.txt", "curl.txt", "culture12.txt", "cuba.yml", "tests/gpu.txt"] {
            assert!(!gpu(name), "{name}");
        }
        for (word, other) in [("rocm7.0", true), ("xpu", true), ("cu130", false), ("amd64", false), ("", false)] {
            assert_eq!(knowledge::is_other_hardware(bare(word)), other, "{word}");
        }
        assert!(is_of_tegra(bare("l4t13")) && is_of_tegra(bare("jetson")) && !is_of_tegra(bare("cu130")));
        for package in ["nvidia-cudnn-cu12", "cupy-cuda12x", "onnxruntime-gpu", "conda:pytorch-cuda"] {
            assert!(is_for_gpu_only(package), "{package}");
        }
        assert!(!is_for_gpu_only("torch") && !is_for_gpu_only("onnxruntime") && !is_for_gpu_only("nvidia-ml-py"));
    }
}
