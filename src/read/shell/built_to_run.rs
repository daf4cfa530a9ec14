//! `docker run $(docker build -q .)`: what is run is what the command in its place builds.

use crate::outline::{Act, BuildOf, Does, Launch, Launcher, Piece, Text};
use crate::source::Span;

/// Whether a command gives out the name of the image that it builds.
pub(super) fn gives_out_an_image(command: &str) -> bool {
    let builds = ["(docker build ", "(docker buildx build ", "(docker image build ", "(podman build "];
    builds.iter().any(|start| command.starts_with(start))
        && command.split_ascii_whitespace().any(|w| matches!(w, "-q" | "--quiet"))
}

/// Gives the launches of such images the build that stands in them.
pub(super) fn join(acts: &mut [Act]) {
    for at in 0..acts.len() {
        let Some(image) = image_built_in_place(&acts[at]) else { continue };
        // What stands in a command comes before it.
        let within = acts[..at].iter().rev().take_while(|act| act.at.file == image.file && act.at.start >= image.start);
        let build = within.filter(|act| act.at.end <= image.end).find_map(build).cloned();
        if let (Some(build), Does::Launch(launch)) = (build, &mut acts[at].does) {
            launch.build = Some(build);
        }
    }
}

fn image_built_in_place(act: &Act) -> Option<Span> {
    let Does::Launch(launch) = &act.does else { return None };
    let of = |image: &Text| matches!(image.pieces.as_slice(), [Piece::Variable { name, .. }] if gives_out_an_image(name));
    launch.image.as_ref().filter(|image| launch.by == Launcher::DockerRun && of(image)).map(|image| image.at)
}

fn build(act: &Act) -> Option<&BuildOf> {
    let Does::Launch(launch) = &act.does else { return None };
    let Launch { by: Launcher::DockerBuild, build, .. } = &**launch else { return None };
    build.as_ref()
}
