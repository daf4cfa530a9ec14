//! Launches with the start that each of them runs.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::givers::Interpolations;
use super::made::Made;
use super::patches::Patches;
use super::starts::has_own_runner;
use super::variables::{Value, Variables};
use super::{Project, merged, paths};
use crate::outline::{ConfigMap, Does, GpuRequest, Kind, Launch, Launcher, Object, Terms, Text, Variable};
use crate::source::Span;

/// Variables of one config map: many containers may be given them.
const MOST_VARIABLES: usize = 256;

/// A launch, and what is known of the rest of the root about it.
pub(crate) struct LaunchPlace<'a> {
    /// As its file says.
    pub(crate) launch: &'a Launch,
    /// Whether it runs something that may need a GPU.
    pub(crate) runs_it: bool,
    /// Whether a file of the root changes what it asks for before it is started.
    pub(crate) patched: bool,
    /// What it runs of the root's: one of these.
    pub(crate) runs: Vec<Ran>,
    /// Whether the same image or service gets a GPU elsewhere in the root, or may get one.
    pub(crate) given: Given,
    /// Variables that it has from other objects, under its own.
    pub(crate) variables: Vec<&'a Variable>,
    /// It has others of which nothing is known.
    pub(crate) unread_environment: bool,
    /// All that are given to it, by name, with their values where these are known whoever starts it.
    pub(crate) given_variables: BTreeMap<String, (Option<String>, Span)>,
    /// Where it asks for a GPU, with those whose place it takes or who change it.
    pub(crate) asks: Vec<Span>,
    /// What these requests say besides, together.
    pub(crate) terms: Terms,
    /// What a container's engine gives by itself is not known: another file changes what is asked, or the default runtime is set.
    pub(crate) changed: bool,
    /// Where a Dockerfile is named for it.
    pub(crate) built_at: Option<Span>,
}

/// Whether the same as a launch is given a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Given {
    /// Nowhere.
    No,
    /// To another service that runs beside it, or to another stage of its Dockerfile: where its own words ask for a GPU that
    /// one's is of no use to it.
    Beside,
    /// In another way of running it, or it may be.
    Elsewhere,
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
    /// It runs something, on a machine that may have a GPU.
    runs_it: bool,
}

/// What makes two launches the same container.
#[derive(PartialEq, Eq, Hash)]
enum Same<'m> {
    Image(&'m str),
    /// The stage that is built.
    Start(&'m str),
    Dockerfile(&'m str),
    /// An override file gives the same service its GPU.
    Service(&'m str, &'m str),
    /// A file that is for others' use, wherever it lies, gives a service of that name its GPU.
    AnyService(&'m str),
    /// A patch changes the container of an object.
    Container(&'m Object, &'m str),
    /// A patch gives a GPU to a container of an object: that the others of its pods ask for none proves nothing.
    Pod(&'m Object),
}

impl Met<'_> {
    fn same(&self) -> impl Iterator<Item = Same<'_>> {
        let known = self.launch.image.as_ref().and_then(|i| i.known());
        let image = known.or(self.called.as_deref()).map(Same::Image);
        let mut starts: Vec<&str> = self.runs.iter().map(|ran| ran.start.as_str()).collect();
        starts.dedup();
        let starts = starts.into_iter().map(Same::Start);
        let mut dockerfiles: Vec<&str> = self.runs.iter().map(|ran| dockerfile(&ran.start)).collect();
        dockerfiles.dedup();
        let name = self.launch.name.as_deref().filter(|_| self.launch.by == Launcher::Compose);
        let service = name.map(|name| Same::Service(paths::folder(self.path), name));
        let any = name.map(Same::AnyService);
        let object = self.launch.object.as_ref().filter(|object| !object.name.is_empty());
        let container = object.zip(self.launch.name.as_deref()).map(|(object, name)| Same::Container(object, name));
        let dockerfiles = dockerfiles.into_iter().map(Same::Dockerfile);
        [image, service, any, container, object.map(Same::Pod)].into_iter().flatten().chain(starts).chain(dockerfiles)
    }
    /// What it is to this one that another is the `same` and has a GPU.
    fn given(&self, other: &Self, same: &Same<'_>) -> Given {
        let in_one_file = self.path == other.path;
        // Of what is sent to a cluster nothing that people run elsewhere mends the manifest.
        let cluster = self.launch.gpu_node.is_some() && other.launch.by != Launcher::Kubernetes;
        if cluster || in_one_file && matches!(same, Same::Service(..)) {
            return Given::No;
        }
        let compose = |met: &Self| met.launch.by == Launcher::Compose;
        let beside = in_one_file && compose(self) && compose(other) && other.launch.profiles.is_empty();
        if beside || matches!(same, Same::Dockerfile(_)) { Given::Beside } else { Given::Elsewhere }
    }
    /// What [`Met::given`] asks of the one that has a GPU, besides its file.
    fn sort(&self) -> (Launcher, bool) {
        (self.launch.by, self.launch.profiles.is_empty())
    }
    /// It only changes what stands elsewhere.
    fn is_patch(&self) -> bool {
        let written = matches!(self.launch.by, Launcher::Compose | Launcher::Kubernetes);
        let says_what = self.launch.image.is_some() || self.launch.build.is_some() || self.launch.extends.is_some();
        written && !says_what
    }
    /// Whether it runs something that may need a GPU.
    fn may_need(&self) -> bool {
        self.runs_it && !self.is_patch()
    }
    /// What of its requests is refused is refused wherever it runs; a patch of a manifest is not what is applied.
    fn is_refused(&self) -> bool {
        let patch = self.is_patch() && self.launch.by == Launcher::Kubernetes;
        !patch && !self.launch.malformed.is_empty()
    }
    /// Whether it asks for a GPU that what it is the same as gets, too.
    fn gives(&self, same: &Same<'_>) -> bool {
        let asks = self.runs_it && (self.launch.gpu.is_asked() || self.is_patch() && self.launch.open);
        let goes_on = match same {
            Same::Container(..) => self.is_patch(),
            Same::Pod(_) => self.is_patch() && self.launch.gpu.is_asked(),
            Same::AnyService(_) => self.is_patch() || is_variant(self.path),
            Same::Image(_) | Same::Start(_) | Same::Dockerfile(_) | Same::Service(..) => self.launch.gpu.is_asked(),
        };
        asks && goes_on
    }
}

/// `docker-compose.ci.yml`, `compose.test.yml`: these run where the tests do.
fn is_for_tests(path: &str) -> bool {
    let mut words = paths::name(path).split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| ["ci", "test", "tests", "testing", "e2e"].contains(&word.to_ascii_lowercase().as_str()))
}

/// All launches that run something or are refused, in the order of paths.
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
            let Does::Launch(launch) = &act.does else { continue };
            let runs_it = launch.by != Launcher::DockerBuild && !launch.idle && (!lent || launch.gpu.is_asked());
            if runs_it || !launch.malformed.is_empty() {
                let unknown = launch.image.as_ref().is_some_and(|image| image.known().is_none());
                let called = unknown.then(|| project.spoken.image(path, launch)).flatten();
                let by_base = || merged::imaged(&project.merged.layers(path, launch))?.image.as_ref()?.known().map(str::to_owned);
                let called = called.or_else(|| by_base().filter(|_| launch.extends.is_some()));
                let runs = if runs_it { runs(project, path, launch, &mut interpolations, &mut stages) } else { Vec::new() };
                all.push(Met { path, launch, called, runs, runs_it });
            }
        }
    }
    // Of each sort the first two that ask for a GPU, and the first of another place.
    let mut askers: HashMap<Same<'_>, Vec<usize>> = HashMap::new();
    for (j, met) in all.iter().enumerate() {
        for same in met.same().filter(|same| met.gives(same)) {
            let found = askers.entry(same).or_default();
            let alike: Vec<usize> = found.iter().copied().filter(|k| all[*k].sort() == met.sort()).collect();
            let in_one_place = || alike.iter().all(|k| all[*k].path == all[alike[0]].path) && met.path != all[alike[0]].path;
            if alike.len() < 2 || alike.len() == 2 && in_one_place() {
                found.push(j);
            }
        }
    }
    let config_maps = config_maps(project);
    let patches = Patches::of(project);
    // Patches that name their object themselves.
    let cluster = all.iter().filter(|met| met.is_patch() && met.launch.by == Launcher::Kubernetes);
    let named: HashSet<&Object> = cluster.filter_map(|met| met.launch.object.as_ref()).collect();
    // What Markdown says people do is no launch of its own.
    let page = |met: &Met<'_>| project.file(met.path).is_some_and(|file| file.kind == Kind::Markdown);
    let own = |met: &Met<'_>| (met.may_need() || met.is_refused()) && !page(met);
    let mut interpolations = Interpolations::new(project);
    let places = all.iter().enumerate().filter(|(_, met)| own(met)).map(|(i, met)| {
        let others = met.same().flat_map(|same| {
            let found = askers.get(&same).into_iter().flatten().filter(|j| **j != i);
            found.map(|j| met.given(&all[*j], &same)).max()
        });
        let others = others.max().unwrap_or(Given::No);
        let layers = project.merged.layers(met.path, met.launch);
        let over = layers.iter().filter(|layer| !std::ptr::eq(**layer, met.launch));
        let over = over.into_iter().any(|layer| layer.may_have_gpu() || layer.entrypoint.is_some() || !layer.command.is_empty());
        let patched = patches.change(met.path, met.launch);
        let changed = over || patched || project.default_runtime.is_some();
        let maps = || layers.iter().flat_map(|layer| &layer.config_maps);
        let known = |name: &String| config_maps.get(name.as_str()).copied().flatten();
        let file = |text: &Text| project.file(&paths::join(paths::folder(met.path), text.known()?)?);
        let unread = layers.iter().any(|layer| layer.unread_environment)
            || merged::environment_files(&layers).any(|text| file(text).is_none())
            || maps().any(|name| known(name).is_none_or(|map| !map.whole || map.variables.len() > MOST_VARIABLES));
        let asking: Vec<&Launch> = layers.iter().copied().filter(|layer| matches!(layer.gpu, GpuRequest::Asked(_))).collect();
        let terms = match asking.as_slice() {
            [one] => Terms { privileged: layers.iter().any(|layer| layer.terms.privileged), ..one.terms.clone() },
            several => {
                let by_runtime = !several.is_empty() && several.iter().all(|layer| layer.terms.by_runtime);
                Terms { by_runtime, privileged: layers.iter().any(|layer| layer.terms.privileged), ..Terms::default() }
            }
        };
        let asks = |layer: &&Launch| if let GpuRequest::Asked(at) = layer.gpu { Some(at) } else { None };
        let given_variables = given_variables(project, met.path, met.launch, &layers, &mut interpolations);
        LaunchPlace {
            given_variables,
            asks: asking.iter().filter_map(asks).collect(),
            terms,
            changed: patched || project.default_runtime.is_some() || layers.iter().any(|layer| layer.open),
            launch: met.launch,
            runs_it: met.may_need(),
            patched: patched || met.launch.object.as_ref().is_some_and(|object| named.contains(object)),
            runs: met.runs.clone(),
            given: if changed { Given::Elsewhere } else { others },
            variables: maps().filter_map(known).flat_map(|map| map.variables.iter().take(MOST_VARIABLES)).collect(),
            unread_environment: unread,
            built_at: met.launch.build.as_ref().map(|b| b.context.at),
        }
    });
    places.collect()
}

/// The variables that a launch is given by its file and the files of variables that it names; those under a name that several
/// set are the last one's. What differs by who starts it is not known.
fn given_variables(
    project: &Project<'_>,
    path: &str,
    launch: &Launch,
    layers: &[&Launch],
    interpolations: &mut Interpolations<'_, '_>,
) -> BTreeMap<String, (Option<String>, Span)> {
    let ways = interpolations.all_of_launch(path, launch);
    let resolve = |text: &Text| -> Option<String> {
        let mut values = ways.iter().map(|way| way.resolve(text));
        let first = values.next()??;
        values.all(|value| value.as_ref() == Some(&first)).then_some(first)
    };
    let mut given: BTreeMap<String, (Option<String>, Span)> = BTreeMap::new();
    for text in merged::environment_files(layers) {
        let file = resolve(text).and_then(|to| project.file(&paths::join(paths::folder(path), &to)?));
        for (name, Value { text, at, .. }) in file.map(Variables::of_file).iter().flat_map(Variables::all).take(MOST_VARIABLES) {
            given.insert(name.to_owned(), (text.clone(), *at));
        }
    }
    for variable in merged::environment(layers).take(MOST_VARIABLES) {
        let at = variable.value.as_ref().map_or(launch.key, |value| value.at);
        given.insert(variable.name.clone(), (variable.value.as_ref().and_then(resolve), at));
    }
    given
}

/// Objects that hold variables, by name; `None` for a name of several, which differ by where they are applied.
fn config_maps<'a>(project: &Project<'a>) -> HashMap<&'a str, Option<&'a ConfigMap>> {
    let mut found: HashMap<&str, Option<&ConfigMap>> = HashMap::new();
    for (_, file) in project.files().filter(|(_, file)| matches!(file.kind, Kind::Kubernetes | Kind::Kustomization)) {
        for act in &file.outline.acts {
            if let Does::ConfigMap(map) = &act.does {
                found.entry(&map.name).and_modify(|known| *known = None).or_insert(Some(map));
            }
        }
    }
    found
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
        project.givers.all_made(path, &layers, interpolations)
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
