//! Where environments start.

use std::collections::BTreeSet;

use super::{Project, merged, paths};
use crate::outline::{Act, Choice, Does, Kind, Role};
use crate::source::Span;

/// The starts of one project are together no more work than this many acts; the rest of its extras is left out.
const MOST_WORK: usize = 1_000_000;

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
    /// Whether a host runs it as it is: not a builder stage, not a hosted CI job, not an image without a GPU.
    pub(crate) runs: bool,
    /// The labels of the machine that a CI job asks for.
    pub(crate) machine: String,
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
        let start = |name: String, at, enters, runs| {
            let machine = String::new();
            Beginning { name, path: path.to_owned(), at, enters, runs, machine }
        };
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
                        let machine = job.runs_on.as_ref().and_then(|r| r.known()).unwrap_or_default().to_lowercase();
                        let runs = on_own_runner(&machine);
                        let start = start(format!("{path}:{}", job.name), act.at, Enters::Job(i), runs);
                        found.push(Beginning { machine, ..start });
                    }
                }
            }
            _ => {}
        }
        // A job's own container is where the job starts.
        let containers: BTreeSet<Span> = acts.iter().filter_map(container).collect();
        for (i, act) in acts.iter().enumerate() {
            if let Does::Launch(launch) = &act.does
                && let Some(image) = &launch.image
                && launch.build.is_none()
                && !containers.contains(&image.at)
            {
                let word = launch.name.clone().unwrap_or_else(|| {
                    let image = project.sources.slice(image.at).trim_matches(['"', '\'']);
                    paths::name(image.split(':').next().unwrap_or(image)).to_owned()
                });
                // The driver is asked only where the GPU is given.
                let layers = project.merged.layers(path, launch);
                let runs = layers.iter().any(|l| l.may_have_gpu()) && !merged::is_replaced(launch, &layers);
                found.push(start(format!("{path}:{word}"), image.at, Enters::Image(i), runs));
            }
        }
    }
    found
}

/// Where a job names the image that it runs in.
fn container(act: &Act) -> Option<Span> {
    if let Does::Job(job) = &act.does { job.container.as_ref().map(|c| c.at) } else { None }
}

pub(super) fn stages(project: &Project<'_>, path: &str) -> Vec<Beginning> {
    let Some(file) = project.file(path) else { return Vec::new() };
    let stages: Vec<_> = file
        .outline
        .acts
        .iter()
        .filter_map(|act| if let Does::From(stage) = &act.does { Some((act.at, stage)) } else { None })
        .collect();
    let targets = &project.givers.of(path).targets;
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
            machine: String::new(),
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
            let machine = String::new();
            found.push(Beginning { name, path: path.to_owned(), at, enters: Enters::Manifest(with), runs: true, machine });
        };
        match file.kind {
            Kind::Requirements if !installed.contains(path) && !is_constraints(path) => push(path.to_owned(), BTreeSet::new()),
            Kind::CondaEnvironment if !installed.contains(path) && !acts.is_empty() => push(path.to_owned(), BTreeSet::new()),
            Kind::Pyproject if acts.iter().any(|a| matches!(&a.does, Does::Require(r) if r.role != Role::Builds)) => {
                push(path.to_owned(), BTreeSet::new());
                let mut seen = BTreeSet::new();
                let lock = project.file(&beside(path, "uv.lock")).map_or(0, |lock| lock.outline.acts.len());
                let most = MOST_WORK / (project.parts(file.id).always() + lock).max(1);
                for act in acts {
                    for choice in act.when.0.iter().filter(|_| matches!(act.does, Does::Require(_))) {
                        let name = match choice {
                            Choice::Extra(name) => format!("{path}[{name}]"),
                            Choice::Group(name) => format!("{path}{{{name}}}"),
                            _ => continue,
                        };
                        if seen.len() < most && seen.insert(choice.clone()) {
                            push(name, BTreeSet::from([choice.clone()]));
                        }
                    }
                }
            }
            Kind::UvLock if project.file(&beside(path, "pyproject.toml")).is_none() => push(path.to_owned(), BTreeSet::new()),
            _ => {}
        }
    }
    found
}

/// A job that runs on a machine of one's own, which a host may describe; GitHub's hosted runners have no GPU of the user's.
fn on_own_runner(labels: &str) -> bool {
    labels
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .any(|label| label == "self-hosted" || label.split('-').any(|w| w == "gpu"))
}

/// A file that only bounds what others install.
fn is_constraints(path: &str) -> bool {
    paths::name(path).to_lowercase().contains("constraint")
}

/// The path of a file in the same folder.
pub(super) fn beside(path: &str, name: &str) -> String {
    match paths::folder(path) {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}
