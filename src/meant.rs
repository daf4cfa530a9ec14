//! What says that an environment is meant for a GPU, and what says that it is not.

use crate::environment::{Environment, Evidence, Join, Reason};
use crate::knowledge::{self, Basis, Carries, Flavour, Kernels, Nvcc, Release};
use crate::resolve;
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
    let words = words(&env.start.name);
    let named = words.iter().find(|word| is_of_gpu(word))?;
    let reason = Reason::MadeForGpu { because: format!("by its name ({named}) it is for a GPU") };
    Some(Evidence { at: env.start.at, reason, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated })
}

/// Whether an environment is by its own name for the CPU, for tests, documentation or CI.
pub(crate) fn is_for_others(env: &Environment) -> bool {
    let name = &env.start.name;
    let own = name.split('@').next().unwrap_or(name);
    words(own).iter().any(|word| is_of_cpu(word)) || name.starts_with(".github/") || name.starts_with(".gitlab")
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
        for package in ["nvidia-cudnn-cu12", "cupy-cuda12x", "onnxruntime-gpu", "conda:pytorch-cuda"] {
            assert!(is_for_gpu_only(package), "{package}");
        }
        assert!(!is_for_gpu_only("torch") && !is_for_gpu_only("onnxruntime") && !is_for_gpu_only("nvidia-ml-py"));
    }
}
