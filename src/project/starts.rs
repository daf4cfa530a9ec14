//! Where environments start.

use std::collections::{BTreeMap, BTreeSet};

use super::givers::{Built, Gpu, Interpolations};
use super::processors::Processors;
use super::variables::{Seen, Value, Variables};
use super::{Project, inside, merged, paths};
use crate::outline::{Act, Choice, Does, Goal, Job, Kind, Launcher, Node, Piece, Place, Stage, Text, Tool};
use crate::platform::{Arch, Os};
use crate::source::Span;
use crate::{device, work};

/// Names of nodes in one batch script.
const MOST_SENT: usize = 16;
/// Jobs of workflows that one workflow's jobs call.
const CALLED: usize = 1_000;

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
    /// All who are known to run it give it its GPU in a way in which nothing asks what the image demands of the driver.
    pub(crate) unchecked: bool,
    /// Someone asks for it: it is no stage that is only there for others.
    pub(crate) wanted: bool,
    /// The labels of the machine that a CI job asks for, or of the nodes that a batch script is sent to.
    pub(crate) machine: String,
    /// The processors that an image is for, or that a CI job runs on.
    pub(crate) processors: Processors,
    /// What the nodes of a cluster that it is sent to must have, one of these; none where it is for any machine.
    pub(crate) nodes: Vec<Vec<Node>>,
    /// Where a launch of it asks for a GPU, with the build that it runs; `None` where that is not known.
    pub(crate) gpus: Vec<(Option<usize>, Span)>,
}

impl Beginning {
    /// The system that it runs on, where no host says more: what the labels of a CI job name, else Linux.
    pub(crate) fn os(&self) -> Os {
        Os::of_labels(&self.machine).unwrap_or(Os::Linux)
    }
}

/// What is entered at a start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Enters {
    /// A requirements file, an `environment.yml`, a lock, a project.
    Manifest(Selection),
    /// A Dockerfile stage, by its position among the stages.
    Stage(usize),
    /// A script or rc file.
    Script,
    /// A target of a makefile.
    Goal(String),
    /// A CI job, by the position of its act.
    Job(usize),
    /// A job of this workflow, by the position of its act, called by another's job.
    Called {
        /// The calling workflow.
        caller: String,
        /// The position of the calling job's act.
        at: usize,
        /// The position of the called job's act.
        job: usize,
    },
    /// A launch of an image that is not built here, or in whose container more is done, by the position of its act.
    Image(usize),
}

/// What of a manifest is installed, and by whom.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selection {
    /// These extras, groups and features.
    pub(crate) with: BTreeSet<Choice>,
    /// And what the project itself requires.
    pub(crate) project: bool,
    /// By the tool that the manifest names for it; else by the project's own.
    pub(crate) tool: Option<Tool>,
    /// All who install it have packages there already that are not known here.
    pub(crate) upon: bool,
    /// Names of the choices that it belongs to: extras and groups that exclude each other.
    pub(crate) choices: Vec<String>,
}

/// The starts that are commands: Dockerfile stages, scripts, jobs, launches of images.
pub(crate) fn commanded(project: &Project<'_>) -> Vec<Beginning> {
    let mut found = Vec::new();
    let mut interpolations = Interpolations::new(project);
    for (path, file) in project.files().filter(|(_, file)| !file.by_link && file.kind != Kind::Markdown) {
        let acts = &file.outline.acts;
        let top = Span::new(file.id, 0, 0);
        let sent = sent_to(acts);
        let start = |name: String, at, enters, runs| {
            let machine = sent.clone();
            Beginning {
                name,
                path: path.to_owned(),
                at,
                enters,
                runs,
                unchecked: false,
                wanted: true,
                machine,
                processors: Processors::default(),
                nodes: Vec::new(),
                gpus: Vec::new(),
            }
        };
        match file.kind {
            Kind::Dockerfile => found.extend(stages(project, path)),
            Kind::Script | Kind::Rc if acts.iter().any(|act| !matches!(act.does, Does::Sent(_) | Does::OnCuda)) => {
                found.push(start(path.to_owned(), top, Enters::Script, true))
            }
            Kind::Makefile => {
                let goals = goals(acts).into_iter();
                found.extend(goals.map(|(name, at)| start(format!("{path}:{name}"), at, Enters::Goal(name.to_owned()), true)));
            }
            Kind::Workflow | Kind::GitlabCi => {
                let (mut seen, mut left) = (BTreeSet::new(), CALLED);
                for (i, act) in acts.iter().enumerate() {
                    // A matrix repeats its job, once a row.
                    if let Does::Job(job) = &act.does
                        && seen.insert(&job.name)
                    {
                        let machine = machine(&acts[i..], job);
                        let given = given_to_container(&acts[i..], job);
                        let runs = on_own_runner(&machine) && (file.kind == Kind::GitlabCi || given.gpu);
                        let start = start(format!("{path}:{}", job.name), act.at, Enters::Job(i), runs);
                        let start = Beginning { unchecked: given.unchecked, ..start };
                        let called = called(project, &start, &acts[i + 1..], i, left);
                        left -= called.len();
                        found.extend(called);
                        found.push(Beginning { processors: Processors::of_labels(&machine), machine, ..start });
                    }
                }
            }
            _ => {}
        }
        // A job's own container is where the job starts.
        let containers: BTreeSet<Span> = acts.iter().filter_map(container).collect();
        let mut lent = false;
        for (i, act) in acts.iter().enumerate() {
            if let Does::Job(job) = &act.does {
                lent = !has_own_runner(job);
            }
            let Does::Launch(launch) = &act.does else { continue };
            // What is only built is its Dockerfile's, unless more is done in it.
            let worked_in = || match launch.by {
                Launcher::Devcontainer => inside::changes(&acts[i + 1..]),
                _ if inside::started(acts, i).is_some_and(inside::changes) => launch.build.is_some(),
                _ => launch.build.is_some() && !project.inside.done(launch).is_empty(),
            };
            let (at, word) = match &launch.image {
                Some(image) if launch.build.is_none() => {
                    if containers.contains(&image.at) {
                        continue;
                    }
                    let image_name = || {
                        let image = written(project, image);
                        let name = paths::name(&image);
                        name.split(':').next().unwrap_or(name).to_owned()
                    };
                    (image.at, launch.name.clone().unwrap_or_else(image_name))
                }
                _ if worked_in() => {
                    let dockerfile = launch.build.as_ref().and_then(|build| build.dockerfile.as_ref()?.known());
                    let built = || paths::name(dockerfile.unwrap_or("Dockerfile")).to_owned();
                    (launch.key, launch.name.clone().unwrap_or_else(built))
                }
                _ => continue,
            };
            let (of, stands) = inside::service(project, path, file, launch).unwrap_or((path, launch));
            // The driver is asked only where the GPU is given.
            let layers = project.merged.layers(of, stands);
            let given = launch.gpu.is_asked() || project.gpu(&layers) == Gpu::Yes;
            let runs = !lent && given && !merged::is_replaced(launch, &layers);
            let processors = Processors::of(&layers, interpolations.of_launch(of, stands));
            let start = start(format!("{path}:{word}"), at, Enters::Image(i), runs);
            let unchecked = project.unchecked(&layers);
            found.push(Beginning { processors, unchecked, nodes: vec![launch.nodes.clone()], ..start });
        }
    }
    found
}

/// A text with its variables by name.
fn written(project: &Project<'_>, text: &Text) -> String {
    let pieces = text.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => Some(text.clone()),
        Piece::Variable { name, .. } => Some(format!("${name}")),
        Piece::Path(_) | Piece::Opaque => None,
    });
    let whole: Option<String> = pieces.collect();
    whole.unwrap_or_else(|| project.sources.slice(text.at).trim_matches(['"', '\'']).to_owned())
}

/// The targets whose own recipe installs something.
fn goals(acts: &[Act]) -> Vec<(&str, Span)> {
    let mut found = BTreeMap::new();
    let mut goal: Option<(&Goal, Span)> = None;
    for act in inside::on_host(acts) {
        match (&act.does, goal) {
            (Does::Goal(next), _) => goal = Some((next, act.at)),
            (Does::Install(_) | Does::System(_) | Does::Include(_), Some((of, at))) => {
                for name in &of.names {
                    found.entry(name.as_str()).or_insert(at);
                }
                goal = None;
            }
            _ => {}
        }
    }
    found.into_iter().collect()
}

/// The jobs of the workflow that a job calls; `rest` is what stands behind the job's act.
fn called(project: &Project<'_>, calling: &Beginning, rest: &[Act], at: usize, most: usize) -> Vec<Beginning> {
    let own = rest.iter().take_while(|act| !matches!(act.does, Does::Job(_)));
    let path = own.filter_map(|act| if let Does::Use(used) = &act.does { used.path.known() } else { None }).next();
    let Some(path) = path.and_then(|path| paths::join("", path)) else { return Vec::new() };
    let Some(file) = project.file(&path).filter(|file| file.kind == Kind::Workflow && path != calling.path) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    let (acts, parts) = (&file.outline.acts, project.parts(file));
    let begins = (0..parts.len()).filter_map(|n| parts.part(n, acts.len())).map(|(n, _)| (n, &acts[n]));
    let jobs = begins.filter_map(|(n, act)| match &act.does {
        Does::Job(job) if seen.insert(&job.name) => {
            let machine = machine(&acts[n..], job);
            let given = given_to_container(&acts[n..], job);
            Some(Beginning {
                name: format!("{}/{}", calling.name, job.name),
                path: path.clone(),
                at: act.at,
                runs: on_own_runner(&machine) && given.gpu,
                unchecked: given.unchecked,
                wanted: true,
                processors: Processors::of_labels(&machine),
                nodes: Vec::new(),
                gpus: Vec::new(),
                machine,
                enters: Enters::Called { caller: calling.path.clone(), at, job: n },
            })
        }
        _ => None,
    });
    jobs.take(most).collect()
}

/// The labels of the machine that a job is for: of several rows, those of one that runs on a machine of one's own.
fn machine(acts: &[Act], job: &Job) -> String {
    let labels = |job: &Job| job.runs_on.as_ref().and_then(Text::known).unwrap_or_default().to_lowercase();
    let rows = acts.iter().filter_map(|act| if let Does::Job(row) = &act.does { Some(row) } else { None });
    let mut rows = rows.take_while(|row| row.name == job.name).map(labels);
    rows.find(|labels| on_own_runner(labels)).unwrap_or_else(|| labels(job))
}

/// The names of the nodes that a batch script is sent to.
fn sent_to(acts: &[Act]) -> String {
    let names = acts.iter().map_while(|act| match &act.does {
        Does::Sent(name) => Some(name.known()),
        Does::Enter(Place::Image(_)) => Some(None),
        _ => None,
    });
    names.flatten().take(MOST_SENT).collect::<Vec<_>>().join(" ").to_lowercase()
}

/// What a job's steps have of the runner's GPU.
struct OfRunner {
    gpu: bool,
    unchecked: bool,
}

/// A job's own container is made with the options that it names and no others: whether a GPU is there without `--gpus` rests on
/// how the runner's docker is set up, of which nothing is known. `acts` begin with the job's; of several rows one is enough.
/// Source: <https://github.com/actions/runner/blob/01eef8fc3ed98f0753c1c8b76023aceae965100f/src/Runner.Worker/Container/DockerCommandManager.cs>.
fn given_to_container(acts: &[Act], job: &Job) -> OfRunner {
    let rows = acts.iter().take_while(|act| if let Does::Job(row) = &act.does { row.name == job.name } else { true });
    let (mut on_it, mut given) = (false, Vec::new());
    for act in rows {
        match &act.does {
            Does::Job(row) => on_it |= row.container.is_none(),
            Does::Launch(launch) if launch.key == acts[0].at && launch.gpu.is_asked() => given.push(launch.unchecked),
            _ => {}
        }
    }
    OfRunner {
        gpu: on_it || !given.is_empty(),
        unchecked: !on_it && !given.is_empty() && given.iter().all(|unchecked| *unchecked),
    }
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
    let built = project.givers.of(path);
    let processors = processors(&file.outline.acts, &stages, built);
    let last = stages.len().saturating_sub(1);
    let acts = &file.outline.acts;
    // What a stage runs by itself is written in it.
    let own = |n: usize| {
        let (begin, end) = project.parts(file).part(n, acts.len()).unwrap_or_default();
        acts[begin..end].iter().filter_map(|act| match &act.does {
            Does::Runs { entrypoint, words } => Some((*entrypoint, words)),
            _ => None,
        })
    };
    let own_needs = |n: usize| {
        let words = own(n).flat_map(|(_, words)| words).filter_map(Text::known);
        device::says_cuda(words.map(|word| (word, ()))).is_some()
    };
    // It only hands files on, whatever arguments it is given.
    let is_idle = |n: usize| {
        let last = own(n).rfind(|(entrypoint, _)| *entrypoint);
        last.is_some_and(|(_, words)| work::is_idle(&words.iter().filter_map(Text::known).collect::<Vec<_>>()))
    };
    stages
        .iter()
        .enumerate()
        .map(|(n, (at, stage))| Beginning {
            name: if stages.len() == 1 && stage.name.is_none() {
                path.to_owned()
            } else {
                format!("{path}:{}", name_of(n, stage))
            },
            path: path.to_owned(),
            at: *at,
            enters: Enters::Stage(n),
            machine: String::new(),
            processors: processors[n].clone(),
            nodes: built.nodes(&name_of(n, stage), n == last),
            gpus: Vec::new(),
            unchecked: built.is_unchecked(&name_of(n, stage), n == last),
            wanted: built.wants(&name_of(n, stage), n == last),
            runs: {
                let name = name_of(n, stage);
                let gpu = built.gpu(&name, n == last);
                built.wants(&name, n == last)
                    && (gpu == Some(Gpu::Yes) || gpu.is_none() && !is_idle(n) || gpu == Some(Gpu::IfOwnNeeds) && own_needs(n))
            },
        })
        .collect()
}

/// The processors that each stage is for: by its platform or its image's name, by the stage under it, or by who builds it.
fn processors(acts: &[Act], stages: &[(Span, &Stage)], built: &Built) -> Vec<Processors> {
    let mut named: BTreeMap<&str, Processors> = BTreeMap::new();
    let mut found = Vec::new();
    // What the file's own arguments are where nobody gives them.
    let mut defaults = Variables::default();
    for act in acts.iter().take_while(|act| !matches!(act.does, Does::From(_))) {
        if let Does::Set(variable) = &act.does {
            let given = built.arguments.iter().any(|arguments| arguments.value(&variable.name).is_some());
            let value = match variable.value.as_ref().filter(|_| !given) {
                Some(text) => defaults.value(text, act.at, Seen::Build),
                None => Value::unknown(act.at, Seen::Build),
            };
            defaults.set(&variable.name, value);
        }
    }
    let last = stages.len().saturating_sub(1);
    for (n, (_, stage)) in stages.iter().enumerate() {
        let image = stage.image.known().unwrap_or_default();
        let asked = || built.processors(&name_of(n, stage), n == last);
        let own = match stage.platform.as_ref() {
            Some(text) => match text.pieces.as_slice() {
                [Piece::Variable { name, .. }] if name == "TARGETPLATFORM" => asked(),
                [Piece::Variable { name, .. }] if name == "BUILDPLATFORM" => Processors::default(),
                _ => defaults.resolve(text).map_or_else(Processors::unknown, |text| Processors::written(&text)),
            },
            None if image.split('/').any(|part| part == "arm64v8") => Processors::only(Arch::Aarch64),
            None => named.get(image.to_lowercase().as_str()).cloned().unwrap_or_else(asked),
        };
        if let Some(name) = &stage.name {
            named.insert(name, own.clone());
        }
        found.push(own);
    }
    found
}

fn name_of(n: usize, stage: &Stage) -> String {
    stage.name.clone().unwrap_or_else(|| n.to_string())
}

/// Whether a job runs on a machine that may have a GPU of the user's.
pub(super) fn has_own_runner(job: &Job) -> bool {
    let labels = job.runs_on.as_ref().and_then(Text::known).unwrap_or_default();
    on_own_runner(&labels.to_lowercase())
}

/// A job that runs on a machine of one's own, which a host may describe; GitHub's hosted runners have no GPU of the user's.
fn on_own_runner(labels: &str) -> bool {
    labels
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .any(|label| label == "self-hosted" || label.split('-').any(|w| w == "gpu"))
}
