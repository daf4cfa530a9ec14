//! What containers are given of the driver, and what uses it.

use super::rows::{CapabilityUser, CpuImage, ImageVariables};
use super::tables;
use crate::notation::image::ImageReference;

/// Whether a text is one that a pattern with `*` in it stands for.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split('*').collect::<Vec<_>>().as_slice() {
        [start, end] => text.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        ["", middle, ""] => text.contains(middle),
        _ => pattern == text,
    }
}

/// The row that says of an image that it runs on the CPU alone.
#[must_use]
pub fn cpu_image(reference: &str) -> Option<&'static CpuImage> {
    let parsed = ImageReference::parse(reference)?;
    let tag = match (&parsed.tag, &parsed.digest) {
        (Some(tag), _) => tag,
        (None, None) => "latest",
        (None, Some(_)) => return None,
    };
    tables::CPU_IMAGES.iter().find(|row| row.repository == parsed.repository && fits(row.tag, tag))
}

/// What an image sets for NVIDIA's container runtime, where that is known.
#[must_use]
pub fn image_variables(reference: &str) -> Option<&'static ImageVariables> {
    let parsed = ImageReference::parse(reference)?;
    let at = tables::IMAGE_VARIABLES.binary_search_by(|row| row.repository.cmp(&parsed.repository)).ok()?;
    Some(&tables::IMAGE_VARIABLES[at])
}

/// What is of no use without a part of the driver.
#[must_use]
pub fn capability_users() -> &'static [CapabilityUser] {
    tables::CAPABILITY_USERS
}

/// Whether a package has no code of its own for a GPU: it runs on what torch runs on.
#[must_use]
pub fn is_without_kernels(package: &str) -> bool {
    tables::WITHOUT_KERNELS.binary_search(&package).is_ok()
}

impl CapabilityUser {
    /// Whether one of its values is this.
    #[must_use]
    pub fn means(&self, value: &str) -> bool {
        self.values.iter().any(|pattern| fits(pattern, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_for_the_cpu() {
        for (reference, cpu) in [
            ("ghcr.io/huggingface/text-embeddings-inference:cpu-0.6", true),
            ("ghcr.io/huggingface/text-embeddings-inference:cpu-latest", true),
            ("ghcr.io/huggingface/text-embeddings-inference:1.5", false),
            ("ghcr.io/huggingface/text-embeddings-inference", false),
            ("tensorflow/tensorflow", true),
            ("docker.io/tensorflow/tensorflow:2.15.0-jupyter", true),
            ("tensorflow/tensorflow:2.15.0-gpu", false),
            ("tensorflow/tensorflow:latest-gpu-jupyter", false),
            ("tensorflow/tensorflow@sha256:ff", false),
            ("ghcr.io/ggml-org/llama.cpp:server", true),
            ("ghcr.io/ggml-org/llama.cpp:server-cuda", false),
            ("company/tensorflow:latest", false),
            ("", false),
        ] {
            assert_eq!(cpu_image(reference).is_some(), cpu, "{reference}");
        }
    }

    #[test]
    fn variables_of_images() {
        let of = |reference: &str| image_variables(reference).map(|row| (row.visible_devices, row.capabilities));
        assert_eq!(of("docker.io/library/debian:bookworm-slim"), Some(("", "")));
        assert_eq!(of("nvidia/cuda:12.4.1-base-ubuntu22.04"), Some(("all", "compute,utility")));
        assert_eq!((of("company/app:1"), of("")), (None, None));
    }

    #[test]
    fn patterns() {
        for (pattern, text, fit) in [
            ("*_nvenc", "h264_nvenc", true),
            ("*_nvenc", "h264_nvenc2", false),
            ("nvenc_*", "nvenc_h264", true),
            ("*nvidia_icd*", "/etc/vulkan/icd.d/nvidia_icd.json", true),
            ("cuda", "cuda", true),
            ("cuda", "cuda:0", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits(pattern, text), fit, "{pattern} {text}");
        }
    }
}
