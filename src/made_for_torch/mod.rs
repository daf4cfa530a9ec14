//! Packages that are made for one torch beside it: wheels that are compiled against it, and what says so by its own version or
//! its page and is in no table.

mod named;

use crate::chain;
use crate::environment::{Ask, Environment, Evidence, Reason, Step, StepIndex};
use crate::knowledge::{self, Release};
use crate::outline::Tool;
use crate::platform::{Arch, Os};
use crate::version::{CudaVersion, Version};
pub(crate) use named::Named;

/// A wheel that is compiled against one torch, and so against that one's CUDA.
pub(crate) struct Compiled {
    release: &'static Release,
    /// What it is compiled with.
    pub(crate) cuda: CudaVersion,
}

impl Compiled {
    /// What is compiled against torch, where its CUDA is known: by its own tag, or that of the torch on PyPI which it is made for.
    /// A companion is none: each index has it for its own torch. Nor is what has a page of its own for each torch.
    pub(crate) fn of(release: &'static Release) -> Option<Self> {
        let beside_torch = |id: &&str| *id == "pypi" || knowledge::index_by_id(id).is_some_and(|index| index.local_versions);
        if knowledge::companion_of(release.package).is_some() || !release.indexes.iter().any(beside_torch) {
            return None;
        }
        let pinned = chain::demands(release, "torch").find_map(|wants| wants.pin());
        let torch = pinned.or_else(|| Version::parse(release.built_with))?.public();
        let cuda = CudaVersion::of_tag(release.tag).or_else(|| release.cuda()).or_else(|| cuda_on_pypi(&torch))?;
        Some(Self { release, cuda })
    }
    /// Whether it runs with a torch of that version and CUDA: a library of another CUDA major is not there.
    pub(crate) fn goes_with(&self, torch: &Version, cuda: &CudaVersion) -> bool {
        chain::goes_with(self.release, "torch", torch) && self.cuda.major() == cuda.major()
    }
}

/// The CUDA of a release of torch as PyPI has it, which what PyPI has beside it is built with.
fn cuda_on_pypi(torch: &Version) -> Option<CudaVersion> {
    let plain = |row: &&Release| row.indexes.contains(&"pypi") && Version::parse(row.version).as_ref() == Some(torch);
    knowledge::releases("torch").iter().filter(plain).find_map(Release::cuda)
}

/// No help names more.
const MOST: usize = 6;

/// The packages of an environment that are asked for in a build which names a torch or a CUDA, by their version or by the page
/// that they come from.
pub(crate) fn named(env: &Environment) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for step in env.steps.iter().filter(|step| step.tool != Tool::Conda) {
        for ask in &step.asks {
            let of_torch = ask.package == "torch" || knowledge::companion_of(&ask.package) == Some("torch");
            let listed = || ask.builds.builds.iter().any(|build| Compiled::of(build.release).is_some());
            let named = || says_torch(&local(ask)) || comes_from_page(step, ask);
            if !of_torch
                && !names.contains(&ask.package)
                && !ask.package.starts_with("nvidia-")
                && named()
                && !listed()
                && stays(env, ask)
            {
                names.push(ask.package.clone());
            }
            if names.len() >= MOST {
                return names;
            }
        }
    }
    names
}

/// The torch of an environment, as far as it is known.
pub(crate) struct Torch<'a> {
    /// `2.1.0`, or an image's own `2.2.0a0`.
    pub(crate) version: Version,
    /// The nightly that an image's own is like.
    pub(crate) nightly: Option<Version>,
    pub(crate) cuda: Option<CudaVersion>,
    pub(crate) cpu: bool,
    /// It is compiled with C++11's ABI of the standard library, or with the one before; `None` where that is not known.
    pub(crate) cxx11: Option<bool>,
    /// The index that serves it, by its id; empty for an image's own.
    pub(crate) index: &'static str,
    pub(crate) evidence: &'a Evidence,
    /// It is that one and no other.
    pub(crate) sure: bool,
}

impl<'a> Torch<'a> {
    pub(crate) fn of(env: &'a Environment) -> Option<Self> {
        let torch = env.component("torch").or_else(|| env.component("conda:pytorch")).filter(|torch| !torch.may_be_another())?;
        if let Some(build) = torch.builds.only().or_else(|| torch.builds.today()) {
            let alike = torch.builds.builds.iter().all(|other| other.cuda() == build.cuda() && other.is_cpu() == build.is_cpu());
            let version = build.version.public();
            let linux = env.platform.os == Os::Linux && env.platform.arch == Arch::X86_64;
            let of_wheels = build.index == "pypi" || build.index.starts_with("pytorch/");
            return Some(Self {
                cxx11: knowledge::has_cxx11_abi(&version, build.release.tag, "").filter(|_| linux && of_wheels && alike),
                version,
                nightly: None,
                cuda: build.cuda().filter(|_| alike),
                cpu: build.is_cpu() && alike,
                index: build.index,
                evidence: &torch.evidence,
                sure: torch.builds.only().is_some(),
            });
        }
        // The row of an image tells its torch, of which no index has a build.
        let row = env.image.as_ref().and_then(|image| image.row).filter(|row| !row.torch.is_empty())?;
        let from_image = torch.evidence.at == env.image.as_ref()?.evidence.at;
        let version = Version::parse(row.torch).filter(|_| from_image)?;
        Some(Self {
            cxx11: knowledge::has_cxx11_abi(&version, "", row.repository),
            version,
            nightly: Version::parse(row.torch_nightly),
            cuda: CudaVersion::parse(row.cuda),
            cpu: false,
            index: "",
            evidence: &torch.evidence,
            sure: true,
        })
    }
    /// Major and minor.
    pub(crate) fn line(&self) -> Option<(u64, u64)> {
        let text = self.version.to_string();
        let mut numbers = text.split(|c: char| !c.is_ascii_digit());
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }
}

/// The page where all of these packages are for another torch, where the tables know it.
pub(crate) fn page(names: &[String], torch: &Version, tag: &str) -> Option<&'static str> {
    let index = knowledge::index_by_id(&format!("pyg/torch-{torch}+{tag}"))?;
    let all = names.iter().all(|name| index.carries.contains(&name.as_str()));
    Some(index.address).filter(|address| all && !address.is_empty())
}

/// The local part of the version that is asked for; of a wheel, as its file is called.
fn local(ask: &Ask) -> String {
    let written = match &ask.evidence.reason {
        Reason::Asked { wants, .. } => wants.split_once('+').map(|(_, local)| local.to_lowercase()),
        _ => None,
    };
    written.or_else(|| ask.wants.pin().and_then(|pin| pin.local())).unwrap_or_default()
}

/// Whether a text names a release of torch or of CUDA: `pt113cu117`, `cu116`, `cu122torch2.1cxx11abifalse`.
fn says_torch(text: &str) -> bool {
    let follows = |word: &str, digits: usize| {
        text.match_indices(word).any(|(at, _)| {
            let rest = text[at + word.len()..].trim_start_matches('-');
            rest.bytes().take_while(u8::is_ascii_digit).count() >= digits
        })
    };
    follows("cu", 2) || follows("torch", 1) || follows("pt", 2)
}

/// Whether a package comes from a page of builds for one torch: one that has nothing else, or that bears its name.
fn comes_from_page(step: &Step, ask: &Ask) -> bool {
    step.indexes.iter().any(|index| is_on_page(index, ask) && index.url.as_ref().is_ok_and(|url| says_torch(&url.to_lowercase())))
}

/// Whether an index is a page that has a package: one that has nothing else, or that bears its name.
pub(crate) fn is_on_page(index: &StepIndex, ask: &Ask) -> bool {
    let family = ask.package.split('-').next().unwrap_or_default();
    let row = index.id.and_then(knowledge::index_by_id);
    let Ok(url) = &index.url else { return false };
    let of_torch = row.is_some_and(|row| row.local_versions || row.id == "pypi");
    let carries = row.is_some_and(|row| row.carries.contains(&ask.package.as_str()));
    let bears = family.len() > 2 && row.is_none_or(|row| row.carries.is_empty()) && url.contains(family);
    !of_torch && (carries || bears)
}

/// Whether what an ask brings is there in the end.
pub(crate) fn stays(env: &Environment, ask: &Ask) -> bool {
    env.component(&ask.package).is_some_and(|there| there.evidence.at == ask.evidence.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_has_the_cuda_of_its_torch() {
        let of = |package: &str, version: &str, tag: &str| {
            let row = knowledge::releases(package).iter().find(|row| row.version == version && row.tag == tag);
            Compiled::of(row.expect("in the tables")).map(|it| it.cuda.major())
        };
        assert_eq!(of("vllm", "0.25.1", ""), Some(13));
        assert_eq!(of("vllm", "0.19.1", ""), Some(12));
        assert_eq!(of("xformers", "0.0.29.post3", "cu118"), Some(11));
        assert_eq!(of("lightning", knowledge::releases("lightning")[0].version, ""), None);
    }

    #[test]
    fn versions_that_name_a_torch() {
        for (text, says) in [
            ("pt113cu117", true),
            ("cu116", true),
            ("cu122torch2.1cxx11abifalse", true),
            ("data.pyg.org/whl/torch-1.13.1+cu117.html", true),
            ("cpu", false),
            ("git1234", false),
            ("", false),
        ] {
            assert_eq!(says_torch(text), says, "{text}");
        }
    }
}
