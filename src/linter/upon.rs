//! Which manifests are installed only where packages are already.

use std::collections::{BTreeMap, BTreeSet};

use super::Judged;
use crate::environment::{Ask, Environment, Image};
use crate::source::FileId;
use crate::{knowledge, resolve};

/// Manifests that all who install them install upon packages which are not known from them: an image's, or what the same
/// commands bring besides. `id` is that of a file by its path.
pub(super) fn upon<'j>(
    judged: impl Iterator<Item = (&'j str, &'j Judged)>,
    id: impl Fn(&str) -> Option<FileId>,
) -> BTreeSet<String> {
    let mut found: BTreeMap<&str, bool> = BTreeMap::new();
    for (name, start) in judged {
        for path in &start.installed {
            let own = id(path);
            let all = start.environments.iter().all(|env| is_upon(env, own, is_of_ci(name)));
            *found.entry(path).or_insert(true) &= all && !start.environments.is_empty();
        }
    }
    found.into_iter().filter(|(_, upon)| *upon).map(|(path, _)| path.to_owned()).collect()
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
