//! What is said of launches, by what they run.

use std::collections::{HashMap, HashSet};

use super::{Judged, collect};
use crate::environment::{Environment, Launched};
use crate::judge::Seen;
use crate::launched;
use crate::outline::GpuRequest;
use crate::project::{Command, LaunchPlace};
use crate::rules::{Check, Out, RULES};
use crate::source::Span;

/// Where launches ask for a GPU, by the name of the start that each of them runs, with the build of it.
pub(super) fn gpus(places: &[LaunchPlace<'_>]) -> HashMap<String, Vec<(Option<usize>, Span)>> {
    let mut found: HashMap<String, Vec<(Option<usize>, Span)>> = HashMap::new();
    for place in places {
        if let GpuRequest::Asked(at) = place.launch.gpu {
            for ran in &place.runs {
                found.entry(ran.start.clone()).or_default().push((ran.build, at));
            }
        }
    }
    found
}

/// Asks the rules about every launch.
pub(super) fn launches(places: Vec<LaunchPlace<'_>>, judged: &HashMap<String, Judged>) -> Vec<Seen> {
    let mut seen = Vec::new();
    let by_place: HashMap<Span, &Judged> =
        judged.values().flat_map(|j| j.environments.iter().map(move |e| (e.start.at, j))).collect();
    let mut pods: HashSet<Span> = HashSet::new();
    for place in places {
        let pod = place.launch.pod;
        let Some(mut launch) = launch(&place, judged, &by_place) else { continue };
        // Of its containers one is enough to say that a GPU is missing.
        if pod.is_some_and(|pod| pods.contains(&pod)) {
            launch.needs.clear();
        }
        let said = seen.len();
        for rule in RULES {
            for check in rule.check.each() {
                if let Check::Launch(check) = check {
                    let mut out = Out::default();
                    check(&launch, &mut out);
                    collect(rule, out, "", "", &mut seen);
                }
            }
        }
        pods.extend(pod.filter(|_| seen.len() > said));
    }
    seen
}

/// A launch with the stage that is built for it, or its own image's start. Where it may run one of several builds, that which
/// needs a GPU least: what one does not need is not missing.
fn launch<'e>(
    place: &LaunchPlace<'_>,
    judged: &'e HashMap<String, Judged>,
    by_place: &HashMap<Span, &'e Judged>,
) -> Option<Launched<'e>> {
    let own = place.launch.image.as_ref().and_then(|image| by_place.get(&image.at).copied());
    let mut may_be: Vec<(Option<&'e Judged>, Option<usize>)> = Vec::new();
    for ran in &place.runs {
        may_be.push(judged.get(&ran.start).map_or((own, Some(0)), |start| (Some(start), ran.build)));
    }
    if may_be.is_empty() {
        may_be.push((own, Some(0)));
    }
    let mut all: Vec<Launched<'e>> = may_be.into_iter().map(|(start, build)| built(place, start, build)).collect();
    // What only one of them is, is not known of it.
    if all.len() > 1 {
        all.iter_mut().for_each(|launch| launch.open = true);
    }
    all.into_iter().min_by_key(|launch| !launch.needs.is_empty())
}

fn built<'e>(place: &LaunchPlace<'_>, start: Option<&'e Judged>, build: Option<usize>) -> Launched<'e> {
    let of_build = |env: &&Environment| build.is_some_and(|build| env.builds.contains(&build));
    let environments: Vec<&'e Environment> = start.iter().flat_map(|start| start.environments.iter()).filter(of_build).collect();
    let unknown = Command::default();
    let runs = start.zip(build).and_then(|(start, build)| start.runs.get(&build));
    launched::launched(place, &environments, runs.unwrap_or(&unknown))
}
