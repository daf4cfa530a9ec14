//! Launches with the start that each of them runs.

use std::collections::HashMap;

use super::givers::Interpolations;
use super::made::Made;
use super::patches::Patches;
use super::starts::has_own_runner;
use super::{Project, merged, paths};
use crate::outline::{Does, GpuRequest, Kind, Launch, Launcher, Object};
use crate::source::Span;

/// A launch, and what is known of the rest of the root about it.
pub(crate) struct LaunchPlace<'a> {
    /// As its file says.
    pub(crate) launch: &'a Launch,
    /// What it runs of the root's: one of these.
    pub(crate) runs: Vec<Ran>,
    /// Where the same image or service gets a GPU elsewhere in the root, or may get one.
    pub(crate) elsewhere: Option<Span>,
    /// Where a Dockerfile is named for it.
    pub(crate) built_at: Option<Span>,
}

/// What is built here and may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The start's name.
    pub(crate) start: String,
    /// Which of its builds; `None` for one of which nothing is known.
    pub(crate) build: Option<usize>,
}

/// A launch on the way to its place.
struct Met<'a> {
    path: &'a str,
    launch: &'a Launch,
    /// What its image is called, where its name is not known whole.
    called: Option<String>,
    runs: Vec<Ran>,
}

/// What makes two launches the same container.
#[derive(PartialEq, Eq, Hash)]
enum Same<'m> {
    Image(&'m str),
    Dockerfile(&'m str),
    /// An override file gives the same service its GPU.
    Service(&'m str, &'m str),
    /// A file that is for others' use, wherever it lies, gives a service of that name its GPU.
    AnyService(&'m str),
    /// A patch changes the container of an object.
    Container(&'m Object, &'m str),
}

impl Met<'_> {
    fn same(&self) -> impl Iterator<Item = Same<'_>> {
        let known = self.launch.image.as_ref().and_then(|i| i.known());
        let image = known.or(self.called.as_deref()).map(Same::Image);
        let mut dockerfiles: Vec<&str> = self.runs.iter().map(|ran| dockerfile(&ran.start)).collect();
        dockerfiles.dedup();
        let name = self.launch.name.as_deref().filter(|_| self.launch.by == Launcher::Compose);
        let service = name.map(|name| Same::Service(paths::folder(self.path), name));
        let any = name.map(Same::AnyService);
        let object = self.launch.object.as_ref().filter(|object| !object.name.is_empty());
        let container = object.zip(self.launch.name.as_deref()).map(|(object, name)| Same::Container(object, name));
        let dockerfiles = dockerfiles.into_iter().map(Same::Dockerfile);
        [image, service, any, container].into_iter().flatten().chain(dockerfiles)
    }
    /// It only changes what stands elsewhere.
    fn is_patch(&self) -> bool {
        let written = matches!(self.launch.by, Launcher::Compose | Launcher::Kubernetes);
        let says_what = self.launch.image.is_some() || self.launch.build.is_some() || self.launch.extends.is_some();
        written && !says_what
    }
    /// Where it asks for a GPU, if what it is the same as gets that one, too.
    fn gives(&self, same: &Same<'_>) -> Option<Span> {
        let asks = match self.launch.gpu {
            GpuRequest::Asked(at) | GpuRequest::Optional(at) => Some(at),
            GpuRequest::None | GpuRequest::Declined => Some(self.launch.key).filter(|_| self.is_patch() && self.launch.open),
        };
        let goes_on = match same {
            Same::Container(..) => self.is_patch(),
            Same::AnyService(_) => self.is_patch() || is_variant(self.path),
            Same::Image(_) | Same::Dockerfile(_) | Same::Service(..) => self.launch.gpu.is_asked(),
        };
        asks.filter(|_| goes_on)
    }
}

/// `docker-compose.ci.yml`, `compose.test.yml`: these run where the tests do.
fn is_for_tests(path: &str) -> bool {
    let mut words = paths::name(path).split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| ["ci", "test", "tests", "testing", "e2e"].contains(&word.to_ascii_lowercase().as_str()))
}

/// All launches that run something, in the order of paths.
pub(crate) fn launches<'a>(project: &Project<'a>) -> Vec<LaunchPlace<'a>> {
    let (mut stages, mut interpolations) = (Stages::new(), Interpolations::new(project));
    let mut all: Vec<Met<'a>> = Vec::new();
    for (path, file) in project.files() {
        // A lent machine has no GPU to ask for.
        let mut lent = file.kind == Kind::Compose && is_for_tests(path);
        for act in &file.outline.acts {
            if let Does::Job(job) = &act.does {
                lent = !has_own_runner(job);
            }
            if let Does::Launch(launch) = &act.does
                && launch.by != Launcher::DockerBuild
                && !launch.idle
                && (!lent || launch.gpu.is_asked())
            {
                let unknown = launch.image.as_ref().is_some_and(|image| image.known().is_none());
                let called = unknown.then(|| project.spoken.image(path, launch)).flatten();
                let by_base = || merged::imaged(&project.merged.layers(path, launch))?.image.as_ref()?.known().map(str::to_owned);
                let called = called.or_else(|| by_base().filter(|_| launch.extends.is_some()));
                all.push(Met { path, launch, called, runs: runs(project, path, launch, &mut interpolations, &mut stages) });
            }
        }
    }
    // The first of each that asks for a GPU, and the first of another place.
    let mut askers: HashMap<Same<'_>, Vec<(usize, Span)>> = HashMap::new();
    for (j, met) in all.iter().enumerate() {
        for same in met.same() {
            if let Some(at) = met.gives(&same) {
                let anywhere = !matches!(same, Same::Service(..));
                let found = askers.entry(same).or_default();
                if found.is_empty() || (found.len() == 1 && (anywhere || all[found[0].0].path != met.path)) {
                    found.push((j, at));
                }
            }
        }
    }
    let patches = Patches::of(project);
    // What Markdown says people do is no launch of its own.
    let own = |met: &Met<'_>| project.file(met.path).is_none_or(|file| file.kind != Kind::Markdown) && !met.is_patch();
    let places = all.iter().enumerate().filter(|(_, met)| own(met)).map(|(i, met)| {
        let others = met.same().filter_map(|same| {
            let other = |j: usize| j != i && (!matches!(same, Same::Service(..)) || all[j].path != met.path);
            askers.get(&same)?.iter().find(|(j, _)| other(*j))
        });
        let layers = project.merged.layers(met.path, met.launch);
        let over = layers.iter().filter(|layer| !std::ptr::eq(**layer, met.launch));
        let over = over.into_iter().any(|layer| layer.may_have_gpu() || layer.entrypoint.is_some() || !layer.command.is_empty());
        let changed = Some(met.launch.key).filter(|_| over || patches.change(met.path, met.launch));
        LaunchPlace {
            launch: met.launch,
            runs: met.runs.clone(),
            elsewhere: others.min_by_key(|(j, _)| *j).map(|(_, at)| *at).or(changed).or(project.default_runtime),
            built_at: met.launch.build.as_ref().map(|b| b.context.at),
        }
    });
    places.collect()
}

/// Whether a compose file is one for a machine with GPUs, or one that overrides others.
fn is_variant(path: &str) -> bool {
    let name = paths::name(path).to_ascii_lowercase();
    ["gpu", "cuda", "nvidia", "override"].iter().any(|word| name.contains(word))
}

/// The Dockerfile of a stage's name.
fn dockerfile(start: &str) -> &str {
    start.rsplit_once(':').map_or(start, |(path, _)| path)
}

/// The names of a Dockerfile's starts, made once.
type Stages = HashMap<String, Names>;

#[derive(Default)]
struct Names {
    /// By what stands behind the last colon; of several the first.
    by_stage: HashMap<String, String>,
    last: Option<String>,
}

/// What a launch runs: a stage of a Dockerfile here, as it is built for it or may be; none where it runs an image of others.
fn runs(
    project: &Project<'_>,
    path: &str,
    launch: &Launch,
    interpolations: &mut Interpolations<'_, '_>,
    stages: &mut Stages,
) -> Vec<Ran> {
    let layers = project.merged.layers(path, launch);
    let made = if launch.build.is_some() || launch.extends.is_some() && layers.iter().any(|layer| layer.build.is_some()) {
        project.givers.made(path, &layers, interpolations).into_iter().collect()
    } else {
        let name = project.spoken.name(path, launch);
        name.map(|name| project.givers.named(&name).into_iter().cloned().collect()).unwrap_or_default()
    };
    let made: Vec<Made> = made;
    let ran = made.into_iter().filter_map(|made| {
        let target = Some(made.target.to_lowercase()).filter(|target| !target.is_empty());
        Some(Ran { start: stage_name(project, &made.dockerfile, target.as_deref(), stages)?, build: made.build })
    });
    ran.collect()
}

fn stage_name(project: &Project<'_>, dockerfile: &str, target: Option<&str>, stages: &mut Stages) -> Option<String> {
    let made = || {
        let mut names = Names::default();
        for name in super::starts::stages(project, dockerfile).into_iter().map(|s| s.name) {
            let stage = name.rsplit(':').next().unwrap_or_default().to_owned();
            names.by_stage.entry(stage).or_insert_with(|| name.clone());
            names.last = Some(name);
        }
        names
    };
    let names = stages.entry(dockerfile.to_owned()).or_insert_with(made);
    match target {
        Some(target) => names.by_stage.get(target).cloned(),
        None => names.last.clone(),
    }
}
