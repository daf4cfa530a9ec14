//! Which parts of CUDA (NVIDIA's own wheels) packages require, and in which versions.

use crate::environment::{Ask, Build, Component, Environment, Origin, Reason, Step};
use crate::knowledge;
use crate::notation::requirement::Subject;
use crate::platform::Platform;
use crate::resolve;
use crate::version::{LibraryVersion, Specifiers, Version};

/// What a build requires of one of NVIDIA's wheels.
#[derive(Clone, Debug)]
pub(crate) struct Required {
    /// Normalised name.
    pub(crate) part: String,
    /// In which versions.
    pub(crate) wants: Specifiers,
}

/// How deep metapackages are followed: torch names cuda-toolkit, which names the parts.
const DEEPEST: usize = 2;

/// What a build requires of NVIDIA's wheels on a platform, with the extras that it is asked for with; the parts that a
/// metapackage of one version brings are required, too.
pub(crate) fn required(build: &Build, extras: &[String], platform: &Platform) -> Vec<Required> {
    let mut found = Vec::new();
    collect(build.release, extras, platform, DEEPEST, &mut found);
    found
}

fn collect(release: &'static knowledge::Release, extras: &[String], platform: &Platform, deep: usize, found: &mut Vec<Required>) {
    let extras: Vec<&str> = extras.iter().map(String::as_str).collect();
    for (_, parsed) in resolve::requirements(release).iter() {
        if parsed.marker.as_ref().is_some_and(|marker| marker.holds(platform, &extras) != Some(true)) {
            continue;
        }
        let Subject::Package { name, wants, .. } = &parsed.subject else { continue };
        if !is_part(name) {
            continue;
        }
        found.push(Required { part: name.clone(), wants: wants.clone() });
        let pinned = |row: &&knowledge::Release| {
            wants.pin().is_some_and(|pin| Version::parse(row.version).is_some_and(|version| version == pin.public()))
        };
        let metapackage = knowledge::releases(name).iter().find(pinned).filter(|_| !parsed.extras.is_empty() && deep > 0);
        if let Some(row) = metapackage {
            collect(row, &parsed.extras, platform, deep - 1, found);
        }
    }
}

/// Whether a package is one of NVIDIA's wheels of CUDA's parts.
pub(crate) fn is_part(name: &str) -> bool {
    name == "cuda-toolkit" || name.starts_with("nvidia-") && !knowledge::releases(name).is_empty() || is_named_for_a_major(name)
}

/// Whether a part is of the toolkit itself; cuDNN, NCCL and NVSHMEM have numbers of their own.
pub(crate) fn is_of_toolkit(part: &str) -> bool {
    let others = ["nvidia-cudnn", "nvidia-nccl", "nvidia-nvshmem", "nvidia-cusparselt", "nvidia-cufile"];
    is_part(part) && !others.iter().any(|other| part.starts_with(other))
}

/// `nvidia-cufft-cu12`.
fn is_named_for_a_major(name: &str) -> bool {
    let major = name.strip_prefix("nvidia-").and_then(|rest| rest.rsplit_once("-cu"));
    major.is_some_and(|(_, major)| !major.is_empty() && major.bytes().all(|b| b.is_ascii_digit()))
}

/// A package that is there, with the step that it came with.
pub(crate) struct There<'a> {
    pub(crate) component: &'a Component,
    pub(crate) ask: &'a Ask,
    /// The position of its step.
    pub(crate) at: usize,
    pub(crate) step: &'a Step,
}

impl There<'_> {
    /// `torch 2.7.0`; without a version that is known, the name.
    pub(crate) fn shown(&self) -> String {
        shown(self.component)
    }
    /// Whether somebody asks for it in a version: by its own line, or by a constraint.
    pub(crate) fn is_asked(&self) -> bool {
        let by_constraint = || {
            let bounds = self.component.evidence.also.iter();
            let of_it = |reason: &Reason| matches!(reason, Reason::Asked { package, .. } if *package == self.component.name);
            bounds.into_iter().any(|(_, reason)| of_it(reason))
        };
        self.ask.from != Origin::Required || by_constraint()
    }
}

/// `torch 2.7.0`; without a version that is known, the name.
pub(crate) fn shown(component: &Component) -> String {
    let name = component.name.trim_start_matches("conda:");
    match component.builds.only().or_else(|| component.builds.today()) {
        Some(build) => format!("{name} {}", build.version),
        None => name.to_owned(),
    }
}

/// The packages that steps have brought and that are there in the end.
pub(crate) fn there(env: &Environment) -> Vec<There<'_>> {
    let found = env.components.iter().filter_map(|component| {
        let (at, ask) = env.ask_of(component)?;
        Some(There { component, ask, at, step: env.steps.get(at)? })
    });
    found.collect()
}

/// Whether some release of a package requires parts of CUDA.
pub(crate) fn may_require(package: &str) -> bool {
    let of_part = |text: &&str| text.starts_with("nvidia-") || text.starts_with("cuda-toolkit");
    !is_part(package) && knowledge::releases(package).iter().any(|release| release.requires.iter().any(&of_part))
}

/// The CUDA major that a part is of, by its name: 12 for `nvidia-cublas-cu12`; from 13 on those of the toolkit have none.
pub(crate) fn cuda_of(part: &str) -> Option<LibraryVersion> {
    let (_, major) = part.strip_prefix("nvidia-")?.rsplit_once("-cu")?;
    LibraryVersion::parse(major).filter(|version| !version.has_minor())
}

/// Whether a build of a package that may be there requires a part.
pub(crate) fn requires(env: &Environment, component: &Component, part: &str) -> bool {
    if !may_require(&component.name) {
        return false;
    }
    let extras = env.ask_of(component).map(|(_, ask)| ask.extras.clone()).unwrap_or_default();
    component.builds.builds.iter().any(|build| required(build, &extras, &env.platform).iter().any(|r| r.part == part))
}
