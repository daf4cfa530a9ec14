//! Launches with the start that each of them runs.

use super::{Project, images, paths};
use crate::outline::{Does, GpuRequest, Launch, Launcher};
use crate::source::Span;

/// A launch, and what is known of the rest of the root about it.
pub(crate) struct LaunchPlace<'a> {
    /// As its file says.
    pub(crate) launch: &'a Launch,
    /// The name of the start that it runs, if it is one of the root's.
    pub(crate) runs: Option<String>,
    /// Where the same image or service gets a GPU elsewhere in the root.
    pub(crate) elsewhere: Option<Span>,
    /// Where a Dockerfile is named for it.
    pub(crate) built_at: Option<Span>,
}

/// All launches that run something, in the order of paths.
pub(crate) fn launches<'a>(project: &Project<'a>) -> Vec<LaunchPlace<'a>> {
    let mut all: Vec<(&str, Span, &'a Launch, Option<String>)> = Vec::new();
    for (path, file) in project.files() {
        for act in &file.outline.acts {
            if let Does::Launch(launch) = &act.does
                && launch.by != Launcher::DockerBuild
            {
                all.push((path, act.at, launch, target(project, path, launch)));
            }
        }
    }
    let same = |a: &(&str, Span, &Launch, Option<String>), b: &(&str, Span, &Launch, Option<String>)| {
        let image = |l: &Launch| l.image.as_ref().and_then(|i| i.known().map(str::to_owned));
        let images = image(a.2).is_some() && image(a.2) == image(b.2);
        let starts = a.3.is_some() && a.3.as_deref().map(dockerfile) == b.3.as_deref().map(dockerfile);
        // An override file gives the same service its GPU.
        let service = a.2.by == Launcher::Compose && b.2.by == Launcher::Compose && a.2.name == b.2.name && a.0 != b.0;
        images || starts || (service && paths::folder(a.0) == paths::folder(b.0))
    };
    let places = (0..all.len()).map(|i| {
        let me = &all[i];
        let other = all.iter().enumerate().find_map(|(j, other)| match other.2.gpu {
            GpuRequest::Asked(at) | GpuRequest::Optional(at) if j != i && same(me, other) => Some(at),
            _ => None,
        });
        LaunchPlace { launch: me.2, runs: me.3.clone(), elsewhere: other, built_at: me.2.build.as_ref().map(|b| b.context.at) }
    });
    places.collect()
}

/// The Dockerfile of a stage's name.
fn dockerfile(start: &str) -> &str {
    start.rsplit_once(':').map_or(start, |(path, _)| path)
}

/// The start that a launch runs: a stage of a Dockerfile here, or its own image.
fn target(project: &Project<'_>, path: &str, launch: &Launch) -> Option<String> {
    if let Some(build) = &launch.build {
        let (dockerfile, _) = images::dockerfiles(project, path, launch.by, build)?;
        let target = build.target.as_ref().and_then(|t| t.known()).map(str::to_lowercase);
        return stage_name(project, &dockerfile, target.as_deref());
    }
    let image = launch.image.as_ref()?.known()?;
    let (dockerfile, giver) = project.givers.builder(image)?;
    stage_name(project, dockerfile, Some(giver.target.as_str()).filter(|t| !t.is_empty()))
}

fn stage_name(project: &Project<'_>, dockerfile: &str, target: Option<&str>) -> Option<String> {
    let starts = super::starts::stages(project, dockerfile);
    match target {
        Some(target) => starts.into_iter().find(|s| s.name.rsplit(':').next() == Some(target)).map(|s| s.name),
        None => starts.into_iter().last().map(|s| s.name),
    }
}
