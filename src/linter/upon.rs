//! Which manifests are installed only where packages are already.

use std::collections::{BTreeMap, BTreeSet};

use super::Judged;
use crate::environment::{Ask, Environment, Image};
use crate::source::FileId;
use crate::{knowledge, resolve};

/// Manifests that are installed upon packages which are not known from them: an image's, or what the same commands bring besides.
/// All who install one must do so; of CI's jobs, which say nothing of how people do, one is enough. `id` is that of a file by its
/// path.
pub(super) fn upon<'j>(
    judged: impl Iterator<Item = (&'j str, &'j Judged)>,
    id: impl Fn(&str) -> Option<FileId>,
) -> BTreeSet<String> {
    // Whether all others do, and whether a job of CI does.
    let mut found: BTreeMap<&str, (Option<bool>, bool)> = BTreeMap::new();
    for (name, start) in judged {
        let of_ci = is_of_ci(name);
        for path in &start.installed {
            let own = id(path);
            let environments = &start.environments;
            let upon = !environments.is_empty() && environments.iter().all(|env| is_upon(env, own, of_ci));
            let (others, jobs) = found.entry(path).or_default();
            if of_ci {
                *jobs |= upon;
            } else {
                *others = Some(others.unwrap_or(true) && upon);
            }
        }
    }
    let upon = found.into_iter().filter(|(_, (others, jobs))| others.unwrap_or(*jobs));
    upon.map(|(path, _)| path.to_owned()).collect()
}

/// Whether a start is one of CI.
pub(super) fn is_of_ci(name: &str) -> bool {
    name.starts_with(".github/") || name.starts_with(".gitlab-ci.")
}

/// Whether an environment has a framework that the file `own` does not bring: of its image, or, where people run the same, of
/// the commands beside.
fn is_upon(env: &Environment, own: Option<FileId>, of_ci: bool) -> bool {
    let has = |image: &Image| image.row.is_some_and(|row| !row.torch.is_empty()) || !knowledge::is_bare(&image.reference);
    let brings = |ask: &Ask| Some(ask.evidence.at.file) != own && resolve::is_framework(&ask.package);
    env.image.as_ref().is_some_and(has) || !of_ci && env.steps.iter().flat_map(|step| &step.asks).any(brings)
}
