//! Candidates of a conda package.

use crate::environment::{Build, Candidates};
use crate::knowledge::{self, Release};
use crate::notation::match_spec::MatchSpec;
use crate::platform::Platform;
use crate::version::{CondaVersion, CudaVersion, Version};

/// The builds that a match spec admits: in the channel that it names, else in the first of the step's `channels` that has any
/// (`None` for one that is not known), else anywhere.
pub(crate) fn candidates(package: &str, spec: &MatchSpec, channels: &[Option<&'static str>], platform: &Platform) -> Candidates {
    let channel = match spec.channel.as_deref().map(channel) {
        // What another channel has is not known.
        Some(None) => return Candidates { open: true, ..Candidates::default() },
        Some(id) => id,
        None => None,
    };
    // `nvidia/label/cuda-12.1.1` has the packages of that release and no others.
    let label = spec.channel.as_deref().and_then(release_of_label);
    let of_label = |r: &&'static Release| {
        label.as_ref().is_none_or(|label| r.cuda().is_some_and(|cuda| cuda.same_minor(label) == Some(true)))
    };
    let tag = spec.build.as_deref().map_or(Tag::Any, Tag::of);
    let rows = knowledge::releases(package).iter().filter(|r| r.platforms.meets(platform.bits())).filter(of_label);
    let rows: Vec<&'static Release> = rows
        .filter(|r| channel.is_none_or(|id| r.indexes.contains(&id)) && tag.fits(r.tag))
        .filter(|r| CondaVersion::parse(r.version).is_some_and(|v| spec.admits(&v)))
        .collect();
    let has = |id: &&'static str| rows.iter().any(|r| r.indexes.contains(id));
    // Source: <https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-channels.html>, "flexible" priority.
    let first = channel.or_else(|| channels.iter().map_while(|id| *id).find(has));
    let mut builds: Vec<Build> = rows
        .iter()
        .filter(|r| first.is_none_or(|id| r.indexes.contains(&id)))
        .filter_map(|release| {
            // Of several channels that are named none of which is known to have it, which it is is not said.
            let index = first.or_else(|| release.indexes.first().copied().filter(|_| channels.is_empty())).unwrap_or_default();
            Some(Build { version: Version::parse(release.version)?, index, release })
        })
        .collect();
    builds.sort_by(|a, b| a.version.cmp(&b.version));
    // The packages that bear the release's own version are that one.
    if let Some(label) = &label
        && builds.iter().any(|b| b.release.version == label.to_string())
    {
        builds.retain(|b| b.release.version == label.to_string());
    }
    // Without a pin the channel decides, and the tables do not list all that a channel has.
    let told = spec.version.is_some() || label.is_some();
    let today = builds.len().checked_sub(1).filter(|_| told);
    Candidates { open: builds.is_empty() || !told, builds, today }
}

/// The id of a channel by its name or address: `nvidia/label/cuda-12.1.1` is NVIDIA's, a mirror keeps the name at its end.
pub(crate) fn channel(written: &str) -> Option<&'static str> {
    let plain = written.split("/label/").next().unwrap_or(written).trim_end_matches('/');
    let name = match plain.rsplit('/').next().unwrap_or(plain) {
        "main" | "free" | "r" | "anaconda" => "defaults",
        name => name,
    };
    knowledge::index_by_id(&format!("conda/{name}")).map(|index| index.id)
}

/// The CUDA release that a label of NVIDIA's channel is for.
pub(crate) fn release_of_label(channel: &str) -> Option<CudaVersion> {
    let (owner, label) = channel.split_once("/label/")?;
    let nvidia = owner.trim_end_matches('/').rsplit('/').next() == Some("nvidia");
    CudaVersion::parse(label.trim_end_matches('/').strip_prefix("cuda-")?).filter(|_| nvidia)
}

/// What a build string says of CUDA: `py3.10_cuda11.8_cudnn8.7.0_0`, `cuda126_py311h0_5`, `py310_cpu_0`, `*cuda*`.
#[derive(Debug, PartialEq)]
enum Tag {
    /// Nothing.
    Any,
    Cpu,
    /// Of that release; empty = of any.
    Cuda(String),
    /// Of a release that begins so.
    CudaLike(String),
}

impl Tag {
    fn of(build: &str) -> Self {
        let build = build.to_lowercase();
        let Some(at) = build.find("cuda") else {
            return if build.contains("cpu") { Self::Cpu } else { Self::Any };
        };
        let rest = &build[at + "cuda".len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let digits: String = match rest[..end].matches('.').count() {
            // `cuda10.0.130` is of 10.0.
            1.. => rest[..end].split('.').take(2).collect(),
            0 => rest[..end].to_owned(),
        };
        let open = rest[end..].starts_with(['*', '?', '[']);
        if open && !digits.is_empty() { Self::CudaLike(digits) } else { Self::Cuda(digits) }
    }
    /// Whether a row with that tag may be meant; one without is not told apart by its build.
    fn fits(&self, tag: &str) -> bool {
        let cuda = tag.strip_prefix("cu").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        match self {
            _ if tag.is_empty() => true,
            Self::Any => true,
            Self::Cpu => tag == "cpu",
            Self::Cuda(digits) => cuda.is_some_and(|cuda| digits.is_empty() || cuda == digits),
            Self::CudaLike(digits) => cuda.is_some_and(|cuda| cuda.starts_with(digits.as_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_or_a_label_says_what_is_there() {
        let table = [
            ("cuda-toolkit=12.4", false, Some("12.4.1")),
            ("cuda-toolkit==12.1.1", false, Some("12.1.1")),
            ("cuda-cudart=12.1", false, Some("12.1.105")),
            ("cuda-toolkit", true, None),
            ("nvidia/label/cuda-12.1.1::cuda-toolkit", false, Some("12.1.1")),
            ("nvidia/label/cuda-11.8.0::cuda-toolkit", false, Some("11.8.0")),
            ("nvidia/label/dev::cuda-toolkit", true, None),
            ("other/label/cuda-12.1.1::cuda-toolkit", true, None),
            ("my-own::cuda-toolkit=12.4", true, None),
            ("https://repo.example/mirror/conda-forge/linux-64/cuda-toolkit-12.4.1-0.conda", false, Some("12.4.1")),
            ("cuda-toolkit=99", true, None),
            ("cuda-version=12.4", true, None),
        ];
        for (spec, open, today) in table {
            let spec = MatchSpec::parse(spec).expect("a spec");
            let found = candidates(&format!("conda:{}", spec.name), &spec, &[], &Platform::default());
            assert_eq!(found.open, open, "{spec:?}");
            assert_eq!(found.today().map(|b| b.release.version), today, "{spec:?}");
        }
    }

    #[test]
    fn the_first_channel_that_has_it_is_taken() {
        let spec = MatchSpec::parse("pytorch=2.4.0").expect("a spec");
        let from = |channels: &[Option<&'static str>]| {
            let found = candidates("conda:pytorch", &spec, channels, &Platform::default());
            let mut ids: Vec<_> = found.builds.iter().map(|b| b.index).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let (pytorch, forge) = ("conda/pytorch", "conda/conda-forge");
        assert_eq!(from(&[Some(pytorch), Some(forge)]), [pytorch]);
        assert_eq!(from(&[Some(forge), Some(pytorch)]), [forge]);
        assert_eq!(from(&[Some("conda/nvidia"), Some(pytorch)]), [pytorch]);
        assert_eq!(from(&[]), [forge, pytorch]);
        assert_eq!(from(&[None, Some(pytorch)]), [""], "from where is not known");
    }

    #[test]
    fn a_build_says_its_cuda() {
        let tags = |spec: &str| {
            let spec = MatchSpec::parse(spec).expect("a spec");
            let found = candidates("conda:pytorch", &spec, &[], &Platform::default());
            let mut tags: Vec<_> = found.builds.iter().map(|b| b.release.tag).collect();
            tags.sort_unstable();
            tags.dedup();
            tags.join(" ")
        };
        for (spec, want) in [
            ("pytorch=2.1.0=py3.10_cuda11.8_cudnn8.7.0_0", "cu118"),
            ("pytorch=2.1.0=py3.10_cpu_0", "cpu"),
            ("pytorch::pytorch=1.2.0=py3.7_cuda10.0.130_cudnn7.6.2_0", "cu100"),
            ("https://conda.anaconda.org/conda-forge/linux-64/pytorch-2.7.1-cuda126_mkl_py311_h0_300.conda", "cu126"),
            ("https://conda.anaconda.org/pytorch/linux-64/pytorch-2.7.1-cuda126_mkl_py311_h0_300.conda", ""),
            ("https://conda.anaconda.org/company/linux-64/pytorch-2.1.0-py3.10_cuda11.8_cudnn8.7.0_0.tar.bz2", ""),
            ("pytorch::pytorch=2.1.0=*cuda*", "cu118 cu121"),
            ("pytorch::pytorch=2.1.0=*cuda12*", "cu121"),
            ("pytorch::pytorch=2.1.0", "cpu cu118 cu121"),
        ] {
            assert_eq!(tags(spec), want, "{spec}");
        }
    }
}
