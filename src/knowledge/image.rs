//! What is known of a container image.

use super::rows::{Image, ImageGone, ImageList};
use super::{tables, under};
use crate::notation::image::ImageReference;
use crate::platform::Libc;

/// What is known of an image reference: `nvidia/cuda:12.4.1-base-ubuntu22.04`, with or without `docker.io/`, digest ignored.
/// NVIDIA's own registry serves the same `nvidia/cuda`.
#[must_use]
pub fn image(reference: &str) -> Option<&'static Image> {
    let parsed = ImageReference::parse(reference)?;
    let tag = match (&parsed.tag, &parsed.digest) {
        (Some(tag), _) => tag,
        (None, None) => "latest",
        (None, Some(_)) => return None,
    };
    let repository = if parsed.repository == "nvcr.io/nvidia/cuda" { "nvidia/cuda" } else { &parsed.repository };
    let rows = under(tables::IMAGES, repository);
    // Exact tags in order, then patterns, the longest first.
    let (exact, patterns) = rows.split_at(rows.partition_point(|row| !row.tag.contains('*')));
    match exact.binary_search_by(|row| row.tag.cmp(tag)) {
        Ok(at) => Some(&exact[at]),
        Err(_) => patterns.iter().find(|row| stands_for(row.tag, tag)),
    }
}

/// The row that says of a tag that it is there no longer.
#[must_use]
pub fn image_gone(repository: &str, tag: &str) -> Option<&'static ImageGone> {
    tables::IMAGES_GONE.iter().find(|row| row.repository == repository && stands_for(row.tag, tag))
}

/// Up to which release, and on which day, the tables had every tag of a repository.
#[must_use]
pub fn image_list(repository: &str) -> Option<&'static ImageList> {
    tables::IMAGE_LISTS.iter().find(|row| row.repository == repository)
}

/// Whether an image is one in which no framework lies, whatever its tag.
#[must_use]
pub fn is_bare(reference: &str) -> bool {
    ImageReference::parse(reference).is_some_and(|parsed| tables::BARE_IMAGES.binary_search(&parsed.repository.as_str()).is_ok())
}

/// Whether an image is one of NVIDIA's CUDA images, whether the tables know its tag or not.
#[must_use]
pub fn is_of_cuda(reference: &str) -> bool {
    ImageReference::parse(reference).is_some_and(|parsed| cuda_tag(&parsed).is_some())
}

/// What programs find in `CUDA_VERSION` in one of NVIDIA's CUDA images: its release. Of those before 11 the tables do not have
/// the whole number.
/// Source: <https://gitlab.com/nvidia/container-images/cuda/-/blob/master/dist/12.2.2/ubuntu2204/base/Dockerfile>.
#[must_use]
pub fn cuda_version(reference: &str) -> Option<&'static str> {
    let row = image(reference).filter(|_| is_of_cuda(reference))?;
    Some(row.cuda).filter(|cuda| cuda.split('.').count() == 3)
}

/// Whether an image has musl in the place of glibc, by its own name or the variant in its tag: wheels of `manylinux` do not fit.
/// Sources: <https://hub.docker.com/_/python>, <https://peps.python.org/pep-0656/>.
#[must_use]
pub fn is_musl(reference: &str) -> bool {
    ImageReference::parse(reference).is_some_and(|parsed| {
        let of_tag = |tag: &str| tag.split('-').any(|part| part.trim_end_matches(|c: char| !c.is_ascii_alphabetic()) == "alpine");
        parsed.repository.rsplit('/').next() == Some("alpine") || parsed.tag.as_deref().is_some_and(of_tag)
    })
}

fn cuda_tag(parsed: &ImageReference) -> Option<&str> {
    matches!(parsed.repository.as_str(), "nvidia/cuda" | "nvcr.io/nvidia/cuda").then_some(parsed.tag.as_deref()).flatten()
}

/// The Python that `python3` is among the packages of an image's system.
#[must_use]
pub fn system_python(reference: &str) -> Option<&'static str> {
    let system = system_of(reference)?;
    let at = tables::SYSTEM_PYTHONS.binary_search_by(|(known, _)| (*known).cmp(system.as_str())).ok()?;
    Some(tables::SYSTEM_PYTHONS[at].1)
}

/// The C library of an image, by its system.
#[must_use]
pub fn libc(reference: &str) -> Libc {
    if is_musl(reference) {
        return Libc::Musl;
    }
    let glibc = || {
        let system = system_of(reference)?;
        let at = tables::SYSTEM_GLIBCS.binary_search_by(|(known, _)| (*known).cmp(system.as_str())).ok()?;
        let (major, minor) = tables::SYSTEM_GLIBCS[at].1.split_once('.')?;
        Some(Libc::Glibc(major.parse().ok()?, minor.parse().ok()?))
    };
    glibc().unwrap_or(Libc::Unknown)
}

/// The system in an image, by the name that NVIDIA's tags have for it: `ubuntu22.04`, also of `ubuntu:22.04`; of `debian:bookworm-slim`
/// and `ubuntu:jammy-20240911.1`, which name a variant or a day behind it, `debianbookworm` and `ubuntujammy`.
#[must_use]
pub fn system_of(reference: &str) -> Option<String> {
    let parsed = ImageReference::parse(reference)?;
    let system = match (image(reference).map(|row| row.os).filter(|os| !os.is_empty()), cuda_tag(&parsed)) {
        (Some(os), _) => os.to_owned(),
        (None, Some(tag)) => tag.rsplit('-').next()?.to_owned(),
        (None, None) => format!("{}{}", parsed.repository, parsed.tag.as_deref()?.split('-').next()?),
    };
    Some(system)
}

fn stands_for(pattern: &str, tag: &str) -> bool {
    let (start, end) = pattern.split_once('*').unwrap_or((pattern, ""));
    tag.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Flavour;

    #[test]
    fn what_a_tag_tells() {
        for (reference, cuda, python) in [
            ("nvidia/cuda:12.4.1-base-ubuntu22.04", true, Some("3.10")),
            ("nvcr.io/nvidia/cuda:99.8.7-cudnn-devel-ubuntu24.04", true, Some("3.12")),
            ("nvidia/cuda:10.2-base-ubuntu18.04", true, Some("3.6")),
            ("ubuntu:20.04", false, Some("3.8")),
            ("ubuntu:jammy-20240911.1", false, Some("3.10")),
            ("debian:bookworm-slim", false, Some("3.11")),
            ("debian:11", false, Some("3.9")),
            ("debian:stable-slim", false, None),
            ("ubuntu:latest", false, None),
            ("company/ubuntu:20.04", false, None),
            ("nvidia/cuda", false, None),
        ] {
            assert_eq!(is_of_cuda(reference), cuda, "{reference}");
            assert_eq!(system_python(reference), python, "{reference}");
        }
    }

    #[test]
    fn releases_of_cuda_images() {
        for (reference, version) in [
            ("nvidia/cuda:12.2.2-runtime-ubuntu22.04", Some("12.2.2")),
            ("nvcr.io/nvidia/cuda:12.6.3-base-ubuntu24.04", Some("12.6.3")),
            ("nvidia/cuda:13.3.1-cudnn-devel-ubi10", Some("13.3.1")),
            ("nvidia/cuda:10.2-cudnn7-devel-ubuntu18.04", None),
            ("nvidia/cuda:latest", None),
            ("pytorch/pytorch:2.1.0-cuda11.8-cudnn8-runtime", None),
            ("nvcr.io/nvidia/pytorch:23.11-py3", None),
            ("", None),
        ] {
            assert_eq!(cuda_version(reference), version, "{reference}");
        }
    }

    #[test]
    fn images_with_musl() {
        for reference in
            ["alpine", "alpine:3.20", "python:3.11-alpine", "python:3.11-alpine3.20", "docker.io/library/python:alpine"]
        {
            assert!(is_musl(reference), "{reference}");
        }
        for reference in ["python:3.11-slim", "nvidia/cuda:12.4.1-base-ubuntu22.04", "company/alpine-ai:1", ""] {
            assert!(!is_musl(reference), "{reference}");
        }
    }

    #[test]
    fn bare_images() {
        for (reference, bare) in [
            ("ubuntu:22.04", true),
            ("docker.io/library/python:3.11-slim", true),
            ("nvidia/cuda:99.1-made-up", true),
            ("company/pytorch:2.6", false),
            ("pytorch:2.6", false),
            ("", false),
        ] {
            assert_eq!(is_bare(reference), bare, "{reference}");
        }
    }

    #[test]
    fn images_of_nvidia_s_registry_name_the_driver_of_their_release_notes() {
        let row = image("nvcr.io/nvidia/pytorch:23.11-py3").expect("a listed tag");
        assert_eq!((row.cuda, row.driver, row.driver_branches), ("12.3.0", "545.23", &[450, 470, 510, 525, 535][..]));
    }

    #[test]
    fn cuda_images() {
        let row = image("docker.io/nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04@sha256:ff").expect("a listed tag");
        assert_eq!((row.cuda, row.flavour, row.cudnn, row.os), ("12.4.1", Flavour::Devel, "9.1.0.70", "ubuntu22.04"));
        assert!(row.require_cuda.starts_with("cuda>=12.4 brand=geforce,driver>=470,driver<471 "), "{}", row.require_cuda);
        let base = image("nvcr.io/nvidia/cuda:12.6.3-base-ubuntu24.04").expect("the same on NGC");
        assert_eq!((base.flavour, base.cudnn), (Flavour::Base, ""));
        assert!(!base.require_cuda.contains("geforce"), "from 12.5 on no GeForce on older branches");
        let newer = image("nvidia/cuda:13.3.1-cudnn-devel-ubi10").expect("by its notation");
        assert_eq!((newer.cuda, newer.flavour, newer.require_cuda, newer.cudnn), ("13.3.1", Flavour::Devel, "", ""));
        let old = image("nvidia/cuda:10.2-cudnn7-devel-ubuntu18.04").expect("gone, yet known");
        assert_eq!((old.cuda, old.flavour, old.cudnn), ("10.2", Flavour::Devel, "7.6.5.32"));
        assert_eq!(old.require_cuda, "cuda>=10.2 brand=tesla,driver>=418,driver<419");
        assert_eq!(image("nvidia/cuda:9.0-devel").map(|i| (i.cuda, i.flavour)), Some(("9.0", Flavour::Devel)));
        for none in [
            "nvidia/cuda",
            "nvidia/cuda:latest",
            "nvidia/cuda:12.4.1-base-ubuntu24.04",
            "nvidia/cuda:12.1-runtime",
            "nvidia/cuda:13.3-runtime-ubuntu24.04",
            "nvidia/cuda:13.3.1-tensorrt-ubuntu24.04",
            "nvidia/cuda@sha256:ff",
        ] {
            assert!(image(none).is_none(), "{none}");
        }
    }

    #[test]
    fn framework_images() {
        let row = image("pytorch/pytorch:2.1.0-cuda11.8-cudnn8-runtime").expect("by its grammar");
        assert_eq!((row.torch, row.cuda, row.cudnn, row.flavour), ("2.1.0", "11.8", "8", Flavour::Runtime));
        assert!(image("pytorch/pytorch:2.1.0-cu118").is_none() && image("pytorch/pytorch:latest").is_none());
        let old = image("nvcr.io/nvidia/tensorrt:20.08-py3").expect("an NGC month");
        assert_eq!((old.cuda, old.driver, old.driver_branches), ("11.0.3", "450.51", &[418, 440][..]));
        let vllm = image("vllm/vllm-openai:v0.9.0").expect("by its Dockerfile");
        assert!(vllm.require_cuda.starts_with("cuda>=12.8 brand=") && vllm.gpu_only, "{}", vllm.require_cuda);
        assert_eq!((vllm.cuda, vllm.python, vllm.flavour), ("12.8.1", "3.12", Flavour::Devel));
        assert_eq!(image("vllm/vllm-openai:v0.20.0").map(|i| i.cuda), Some("13.0.2"));
        // Its Dockerfile and its pipeline name different CUDAs.
        assert!(image("vllm/vllm-openai:v0.7.3").is_some_and(|i| i.gpu_only && i.cuda.is_empty() && i.require_cuda.is_empty()));
        assert!(image("vllm/vllm-openai:latest").is_some_and(|i| i.gpu_only && i.require_cuda.is_empty()));
        assert!(image("ghcr.io/huggingface/text-generation-inference:2.3.1").is_some_and(|i| i.gpu_only));
        assert!(image("ghcr.io/huggingface/text-generation-inference:3.0-rocm").is_some_and(|i| !i.gpu_only));
    }

    #[test]
    fn python_images() {
        let python = |reference| image(reference).map(|i| i.python);
        for (reference, known) in [
            ("python:3.9-slim", Some("3.9")),
            ("docker.io/library/python:3.11", Some("3.11")),
            ("python:3.10.12-slim-bookworm", Some("3.10")),
            ("python:3.1-slim", None),
            // These move, and only up.
            ("python:3-slim", Some(">=3.14")),
            ("python", Some(">=3.14")),
            ("python:3-buster", None),
            ("python:3.9rc", None),
            ("me/python:3.9-slim", None),
        ] {
            assert_eq!(python(reference), known, "{reference}");
        }
    }

    #[test]
    fn noise() {
        for none in ["", ":", "é", "\u{0}", "a b", "python:nightly", "nvidia/cuda:*", "//::@@"] {
            assert!(image(none).is_none(), "{none:?}");
        }
    }

    #[test]
    fn tags_that_have_gone() {
        for (tag, gone) in [
            ("latest", true),
            ("10.2-devel-ubuntu18.04", true),
            ("11.0-base-ubuntu20.04", true),
            ("11.0.3-base-ubuntu20.04", false),
            ("11.6.0-base-ubuntu20.04", true),
            ("12.4.1-base-ubuntu22.04", false),
        ] {
            assert_eq!(image_gone("nvidia/cuda", tag).is_some(), gone, "{tag}");
        }
        assert!(image_gone("pytorch/pytorch", "latest").is_none());
        assert_eq!(image_list("nvidia/cuda").map(|list| list.before), Some("13.1.1"));
        assert!(image_list("pytorch/pytorch").is_none());
    }
}
