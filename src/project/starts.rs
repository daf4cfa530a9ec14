//! Where environments start.

use std::collections::BTreeSet;

use super::{Project, locks, paths};
use crate::outline::{Act, Choice, Does, Job, Kind, Role};
use crate::source::Span;

/// A place where an environment starts.
#[derive(Clone, Debug)]
pub(crate) struct Beginning {
    /// The environment's name.
    pub(crate) name: String,
    /// The file.
    pub(crate) path: String,
    /// The place that stands for it.
    pub(crate) at: Span,
    /// What is entered there.
    pub(crate) enters: Enters,
    /// Whether a host runs it as it is: not a builder stage, not a hosted CI job.
    pub(crate) runs: bool,
}

/// What is entered at a start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Enters {
    /// A requirements file, an `environment.yml`, a lock, a project with these extras and groups.
    Manifest(BTreeSet<Choice>),
    /// A Dockerfile stage, by its position among the stages.
    Stage(usize),
    /// A script or rc file.
    Script,
    /// A CI job, by the position of its act.
    Job(usize),
    /// A launch of an image that is not built here, by the position of its act.
    Image(usize),
}

/// The starts that are commands: Dockerfile stages, scripts, jobs, launches of images.
pub(crate) fn commanded(project: &Project<'_>) -> Vec<Beginning> {
    let mut found = Vec::new();
    for (path, file) in project.files().filter(|(_, file)| !file.by_link) {
        let acts = &file.outline.acts;
        let top = Span::new(file.id, 0, 0);
        let start = |name: String, at, enters, runs| Beginning { name, path: path.to_owned(), at, enters, runs };
        match file.kind {
            Kind::Dockerfile => found.extend(stages(project, path)),
            Kind::Script | Kind::Rc if !acts.is_empty() => found.push(start(path.to_owned(), top, Enters::Script, true)),
            Kind::Workflow => {
                let mut seen = BTreeSet::new();
                for (i, act) in acts.iter().enumerate() {
                    // A matrix repeats its job, once a row.
                    if let Does::Job(job) = &act.does
                        && seen.insert(&job.name)
                    {
                        found.push(start(format!("{path}:{}", job.name), act.at, Enters::Job(i), on_own_runner(job)));
                    }
                }
            }
            _ => {}
        }
        for (i, act) in acts.iter().enumerate() {
            if let Does::Launch(launch) = &act.does
                && let Some(image) = &launch.image
                && launch.build.is_none()
            {
                let word = launch.name.clone().unwrap_or_else(|| {
                    let image = project.sources.slice(image.at).trim_matches(['"', '\'']);
                    paths::name(image.split(':').next().unwrap_or(image)).to_owned()
                });
                found.push(start(format!("{path}:{word}"), image.at, Enters::Image(i), true));
            }
        }
    }
    found
}

pub(super) fn stages(project: &Project<'_>, path: &str) -> Vec<Beginning> {
    let Some(file) = project.file(path) else { return Vec::new() };
    let stages: Vec<_> = file
        .outline
        .acts
        .iter()
        .filter_map(|act| if let Does::From(stage) = &act.does { Some((act.at, stage)) } else { None })
        .collect();
    let targets = project.givers.targets(path);
    let last = stages.len().saturating_sub(1);
    let name = |(n, stage): (usize, &crate::outline::Stage)| stage.name.clone().unwrap_or_else(|| n.to_string());
    stages
        .iter()
        .enumerate()
        .map(|(n, (at, stage))| Beginning {
            name: if stages.len() == 1 && stage.name.is_none() {
                path.to_owned()
            } else {
                format!("{path}:{}", name((n, stage)))
            },
            path: path.to_owned(),
            at: *at,
            enters: Enters::Stage(n),
            runs: n == last || targets.contains(&name((n, stage))),
        })
        .collect()
}

/// The starts that are manifests, without those that a command of the root installs.
pub(crate) fn manifests(project: &Project<'_>, installed: &BTreeSet<String>) -> Vec<Beginning> {
    let mut found = Vec::new();
    for (path, file) in project.files().filter(|(_, file)| !file.by_link) {
        let acts = &file.outline.acts;
        let at = Span::new(file.id, 0, 0);
        let mut push = |name: String, with: BTreeSet<Choice>| {
            found.push(Beginning { name, path: path.to_owned(), at, enters: Enters::Manifest(with), runs: true });
        };
        match file.kind {
            Kind::Requirements if !installed.contains(path) && !is_constraints(path) => push(path.to_owned(), BTreeSet::new()),
            Kind::CondaEnvironment if !installed.contains(path) && !acts.is_empty() => push(path.to_owned(), BTreeSet::new()),
            Kind::Pyproject
                if acts.iter().any(|a| matches!(&a.does, Does::Require(r) if r.role != Role::Builds))
                    || locks::beside(project, path).next().is_some() =>
            {
                push(path.to_owned(), BTreeSet::new());
                for (name, choice) in choices(path, acts) {
                    push(name, BTreeSet::from([choice]));
                }
            }
            kind => {
                let Some(lock) = locks::by_kind(kind).filter(|lock| !locks::has_manifest(project, lock, path)) else { continue };
                // One that any command may install, by name, is that command's.
                if lock.manifests.is_empty() && installed.contains(path) {
                    continue;
                }
                push(path.to_owned(), BTreeSet::new());
                for (name, choice) in choices(path, acts) {
                    push(name, BTreeSet::from([choice]));
                }
            }
        }
    }
    found
}

/// The extras, groups and environments of a manifest or lock, each a start by a name of its own.
fn choices(path: &str, acts: &[Act]) -> Vec<(String, Choice)> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for act in acts.iter().filter(|act| matches!(act.does, Does::Require(_) | Does::Lock(_))) {
        for choice in &act.when.0 {
            let name = match choice {
                Choice::Extra(name) => format!("{path}[{name}]"),
                Choice::Group(name) => format!("{path}{{{name}}}"),
                Choice::PixiEnvironment(name) if name != "default" => format!("{path}:{name}"),
                _ => continue,
            };
            if seen.insert(choice) {
                found.push((name, choice.clone()));
            }
        }
    }
    found
}

/// A job that runs on a machine of one's own, which a host may describe; GitHub's hosted runners have no GPU of the user's.
fn on_own_runner(job: &Job) -> bool {
    let labels = job.runs_on.as_ref().and_then(|r| r.known()).unwrap_or_default().to_lowercase();
    labels
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .any(|label| label == "self-hosted" || label.split('-').any(|w| w == "gpu"))
}

/// A file that only bounds what others install.
fn is_constraints(path: &str) -> bool {
    paths::name(path).to_lowercase().contains("constraint")
}
