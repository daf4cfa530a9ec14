//! Who builds which Dockerfile, and how what is built is run.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::arguments::Arguments;
use super::composed::interpolation_file;
use super::made::{Images, Made, Naming};
use super::origins::{self, Origin};
use super::processors::Processors;
use super::spoken::Name;
use super::starts::has_own_runner;
use super::variables::Variables;
use super::{Project, merged, paths};
use crate::outline::{BuildOf, Does, Kind, Launch, Launcher, Node, Text};
use crate::source::Span;

/// One file of the root that builds a Dockerfile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Giver {
    /// The build context, relative to the root.
    context: String,
    /// The stage, if it names one; empty for the last.
    target: String,
    /// What the image is called; empty where it gets no name.
    image: String,
    arguments: Arguments,
    /// Where these are written.
    origins: BTreeMap<String, Vec<Origin>>,
    processors: Processors,
    /// The file whose variables stand in what it says here, root-relative.
    interpolation: Option<String>,
    run: Option<Run>,
    /// The profiles of which one must be asked for; none where it is started with all others.
    profiles: Vec<String>,
}

/// What is built is run, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Run {
    way: Way,
    gpu: Gpu,
    unchecked: bool,
    processors: Processors,
    nodes: Vec<Nodes>,
}

/// Whether a GPU may be there when something runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Gpu {
    /// No, and it does without.
    #[default]
    No,
    /// No; what the image runs by itself may need one.
    IfOwnNeeds,
    /// Perhaps, or it is missing where it is needed.
    Yes,
}

/// How an image is run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Way {
    /// Variables whose values are known, with the place of each.
    environment: Vec<(String, String, Span)>,
    /// Those whose values are not known.
    untold: Vec<String>,
    /// Files of variables, root-relative; `None` for one whose path is not known.
    files: Vec<Option<String>>,
    /// More of them come from where nothing is read.
    unread: bool,
    /// The file whose variables stand in what is said here, root-relative.
    interpolation: Option<String>,
}

/// What a node must have.
pub(super) type Nodes = Vec<Node>;

/// An image of one name is not run in more ways: with more it is not known how.
const MOST_RUNS: usize = 16;

impl Way {
    /// That of a launch; of two values of one variable the last holds.
    fn of(path: &str, layers: &[&Launch], by: Launcher, variables: &Variables) -> Self {
        let mut given: BTreeMap<&str, Option<(String, Span)>> = BTreeMap::new();
        for variable in merged::environment(layers) {
            let value = variable.value.as_ref().and_then(|value| Some((variables.resolve(value)?, value.at)));
            given.insert(&variable.name, value);
        }
        let untold = given.iter().filter(|(_, value)| value.is_none()).map(|(name, _)| (*name).to_owned()).collect();
        let environment = given.into_iter().filter_map(|(name, value)| value.map(|(text, at)| (name.to_owned(), text, at)));
        let beside = |text: &Text| paths::join(paths::folder(path), &variables.resolve(text)?);
        Self {
            environment: environment.collect(),
            untold,
            files: merged::environment_files(layers).map(beside).collect(),
            unread: layers.iter().any(|layer| layer.is_given_more()),
            interpolation: interpolation_file(path, by),
        }
    }
    fn unknown() -> Self {
        Self { unread: true, ..Self::default() }
    }
}

/// What all who build a Dockerfile say of it.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// The build contexts, in the order of givers; none where nobody builds it.
    pub(super) contexts: Vec<String>,
    /// The different sets of build arguments, in their order; one, empty, where nobody builds it.
    pub(super) arguments: Vec<Arguments>,
    /// Where those of each set are written, by name.
    pub(super) origins: Vec<BTreeMap<String, Vec<Origin>>>,
    /// What is built with several of these sets is run, each by the same machines: they are no choice.
    pub(super) all_run: bool,
    /// Stages that someone asks for, by name; empty for the last. That one alone where nobody builds it.
    targets: BTreeSet<String>,
    /// Whether a GPU may be there when they are run, of those of which a run is known.
    gpu: BTreeMap<String, Gpu>,
    /// Those that nobody is known to run in a way in which what they demand of the driver is asked.
    unchecked: BTreeMap<String, bool>,
    /// The processors that they are built for.
    processors: BTreeMap<String, Processors>,
    /// The nodes that they are sent to.
    nodes: BTreeMap<String, Vec<Nodes>>,
    /// Variables that all run it with, where all agree.
    pub(super) environment: Vec<(String, String, Span)>,
    /// Variables that only some run it with, or with values that differ or are not known.
    pub(super) unagreed: BTreeSet<String>,
    /// Files of variables that all run it with, root-relative; `None` for one whose path is not known.
    pub(super) environment_files: Vec<Option<String>>,
    /// More of them come from where nothing is read.
    pub(super) unread_environment: bool,
    /// Only Markdown says how people build it: no stage is asked for that would not be built without it.
    told: bool,
    /// The files whose variables stand in what is said of it, root-relative.
    pub(super) interpolations: BTreeSet<String>,
    /// Of all this.
    pub(super) hash: u64,
}

impl Built {
    fn by(givers: &[Giver]) -> Self {
        let mut hasher = DefaultHasher::new();
        givers.hash(&mut hasher);
        let mut seen = BTreeSet::new();
        let contexts = givers.iter().map(|g| g.context.clone()).filter(|c| seen.insert(c.clone())).collect();
        let sets: BTreeSet<&Arguments> = givers.iter().map(|g| &g.arguments).collect();
        let mut arguments: Vec<Arguments> = sets.into_iter().cloned().collect();
        if arguments.is_empty() {
            arguments.push(Arguments::default());
        }
        let mut origins = vec![BTreeMap::new(); arguments.len()];
        for giver in givers {
            if let Ok(at) = arguments.binary_search(&giver.arguments) {
                origins::join(&mut origins[at], &giver.origins);
            }
        }
        let all_run = run_together(givers.iter().filter(|giver| giver.run.is_some()));
        let mut agree: HashMap<(&str, &str), usize> = HashMap::new();
        let runs: Vec<&Run> = givers.iter().filter_map(|giver| giver.run.as_ref()).collect();
        for run in &runs {
            let own = run.way.environment.iter().map(|(name, value, _)| (name.as_str(), value.as_str()));
            own.collect::<BTreeSet<_>>().into_iter().for_each(|variable| *agree.entry(variable).or_default() += 1);
        }
        let all = |(name, value, _): &&(String, String, Span)| agree[&(name.as_str(), value.as_str())] == runs.len();
        let first = runs.first().map(|run| &run.way);
        let same_files = runs.iter().all(|run| Some(&run.way.files) == first.map(|way| &way.files));
        let mut targets: BTreeSet<String> = givers.iter().map(|g| g.target.to_lowercase()).collect();
        if givers.is_empty() {
            targets.insert(String::new());
        }
        let mut gpu: BTreeMap<String, Gpu> = BTreeMap::new();
        for giver in givers {
            if let Some(run) = &giver.run {
                let known = gpu.entry(giver.target.to_lowercase()).or_default();
                *known = run.gpu.max(*known);
            }
        }
        let mut unchecked: BTreeMap<String, bool> = BTreeMap::new();
        for giver in givers {
            if let Some(run) = giver.run.as_ref().filter(|run| run.gpu == Gpu::Yes) {
                *unchecked.entry(giver.target.to_lowercase()).or_insert(true) &= run.unchecked;
            }
        }
        let mut processors: BTreeMap<String, Processors> = BTreeMap::new();
        for giver in givers {
            // What names none is built for the machine that runs it.
            let run = giver.run.as_ref().map(|run| &run.processors).filter(|_| !giver.processors.is_stated());
            let own = run.unwrap_or(&giver.processors);
            let all = processors.entry(giver.target.to_lowercase()).or_insert_with(|| own.clone());
            *all = all.clone().and(own.clone());
        }
        let given = runs.iter().flat_map(|run| &run.way.environment).filter(|variable| !all(variable));
        let unagreed = given.map(|(name, ..)| name).chain(runs.iter().flat_map(|run| &run.way.untold)).cloned().collect();
        let mut nodes: BTreeMap<String, Vec<Nodes>> = BTreeMap::new();
        for giver in givers {
            if let Some(run) = &giver.run {
                nodes.entry(giver.target.to_lowercase()).or_default().extend(run.nodes.iter().cloned());
            }
        }
        Self {
            contexts,
            arguments,
            origins,
            all_run,
            targets,
            gpu,
            unchecked,
            processors,
            nodes,
            unagreed,
            environment: first.map(|way| way.environment.iter().filter(all).cloned().collect()).unwrap_or_default(),
            environment_files: first.filter(|_| same_files).map(|way| way.files.clone()).unwrap_or_default(),
            unread_environment: !same_files || runs.iter().any(|run| run.way.unread),
            told: false,
            interpolations: givers
                .iter()
                .flat_map(|g| [g.interpolation.as_ref(), g.run.as_ref().and_then(|run| run.way.interpolation.as_ref())])
                .flatten()
                .cloned()
                .collect(),
            hash: hasher.finish(),
        }
    }
}

/// Whether what is built with different arguments is run together: of profiles that are not asked for together one is.
fn run_together<'g>(givers: impl Iterator<Item = &'g Giver>) -> bool {
    let mut by_profile: BTreeMap<&str, BTreeSet<&Arguments>> = BTreeMap::new();
    let (mut all, mut always) = (BTreeSet::new(), false);
    for giver in givers {
        all.insert(&giver.arguments);
        always |= giver.profiles.is_empty();
        for profile in &giver.profiles {
            by_profile.entry(profile).or_default().insert(&giver.arguments);
        }
    }
    always && all.len() > 1 || by_profile.values().any(|arguments| arguments.len() > 1)
}

impl Built {
    /// What Markdown says of one that nothing else builds: what any command gives is not known.
    fn told(givers: &[Giver]) -> Self {
        let arguments = vec![Arguments::unknown(givers.iter().map(|giver| &giver.arguments))];
        Self { told: true, contexts: Vec::new(), arguments, processors: BTreeMap::new(), ..Self::by(givers) }
    }
    /// The position of a set of build arguments: where only people say how it is built, any is the one.
    fn position(&self, arguments: &Arguments) -> Option<usize> {
        if self.told { Some(0) } else { self.arguments.binary_search(arguments).ok() }
    }
    /// Whether someone builds a stage to run it; where nobody builds any, it is the last.
    pub(super) fn wants(&self, stage: &str, is_last: bool) -> bool {
        self.targets.contains(stage) && (is_last || !self.told) || is_last && self.targets.contains("")
    }
    /// Whether a GPU may be there when a stage is run; `None` where no run of it is known.
    pub(super) fn gpu(&self, stage: &str, is_last: bool) -> Option<Gpu> {
        let by_default = if is_last { self.gpu.get("") } else { None };
        by_default.into_iter().chain(self.gpu.get(stage)).copied().max()
    }
    /// Whether all who are known to run a stage get it its GPU in a way in which nothing asks what it demands of the driver.
    pub(super) fn is_unchecked(&self, stage: &str, is_last: bool) -> bool {
        let by_default = if is_last { self.unchecked.get("") } else { None };
        by_default.into_iter().chain(self.unchecked.get(stage)).copied().reduce(|a, b| a && b).unwrap_or(false)
    }
    /// What the nodes of a cluster must have that a stage is sent to, one of these; none where it is run elsewhere, too.
    pub(super) fn nodes(&self, stage: &str, is_last: bool) -> Vec<Nodes> {
        let by_default = if is_last { self.nodes.get("") } else { None };
        let all: Vec<Nodes> = by_default.into_iter().chain(self.nodes.get(stage)).flatten().cloned().collect();
        if all.iter().any(Vec::is_empty) { Vec::new() } else { all }
    }
    /// The processors that a stage is built for; one that nobody asks for is built for what others stand on it for.
    pub(super) fn processors(&self, stage: &str, is_last: bool) -> Processors {
        let by_default = if is_last { self.processors.get("") } else { None };
        let asked = by_default.into_iter().chain(self.processors.get(stage)).cloned().reduce(Processors::and);
        asked.or_else(|| self.processors.values().cloned().reduce(Processors::and)).unwrap_or_default()
    }
}

/// Who builds which Dockerfile.
#[derive(Debug, Default)]
pub(super) struct Givers {
    of: BTreeMap<String, Built>,
    /// Of what nobody builds.
    none: Built,
    images: Images,
    hash_of_images: u64,
    /// Services that commands run with other variables for the container's runtime.
    changed_services: BTreeSet<String>,
}

impl Givers {
    pub(super) fn of(&self, dockerfile: &str) -> &Built {
        self.of.get(dockerfile).unwrap_or(&self.none)
    }
    /// The services of compose files that commands run with other variables for the container's runtime, by name.
    pub(super) fn changed_services(&self) -> &BTreeSet<String> {
        &self.changed_services
    }
    /// Whether a service is one of them.
    pub(super) fn is_changed(&self, launch: &Launch) -> bool {
        launch.by == Launcher::Compose && launch.name.as_ref().is_some_and(|name| self.changed_services.contains(name))
    }
    /// What an image of that name may be.
    pub(super) fn named(&self, name: &Name) -> Vec<&Made> {
        self.images.named(name)
    }
    /// The build whose image a Dockerfile stands on that names it so. What people build by hand is another's to know.
    pub(super) fn stood_on(&self, name: &Name) -> Option<&Made> {
        self.images.only(name).filter(|made| !self.of(&made.dockerfile).told)
    }
    /// Of all that give images their names.
    pub(super) fn hash_of_images(&self) -> u64 {
        self.hash_of_images
    }
    /// What a launch of these layers builds, if it says so, where no command says what stands in it.
    pub(super) fn made(&self, path: &str, layers: &[&Launch], interpolations: &mut Interpolations<'_, '_>) -> Option<Made> {
        self.all_made(path, layers, interpolations).into_iter().next()
    }
    /// The same, then by each command that does.
    pub(super) fn all_made(&self, path: &str, layers: &[&Launch], interpolations: &mut Interpolations<'_, '_>) -> Vec<Made> {
        let mut all = || {
            let build = merged::build(layers)?;
            let launch = layers.iter().find(|layer| layer.build.is_some())?;
            let (dockerfile, _) = dockerfiles(interpolations.project, path, launch, &build)?;
            let target = build.target.as_ref().and_then(Text::known).unwrap_or_default().to_owned();
            let made = |variables: &Variables| {
                let build = self.of(&dockerfile).position(&Arguments::of(&build, variables));
                Made { dockerfile: dockerfile.clone(), target: target.clone(), build }
            };
            let mut all: Vec<Made> = Vec::new();
            for made in interpolations.all_of_launch(path, launch).into_iter().map(made) {
                if !all.contains(&made) {
                    all.push(made);
                }
            }
            Some(all)
        };
        all().unwrap_or_default()
    }
}

/// Reads all launches for what they say of building.
pub(super) fn givers(project: &Project<'_>) -> Givers {
    let mut found: BTreeMap<String, Vec<Giver>> = BTreeMap::new();
    let mut seen = HashSet::new();
    let (mut stated, mut told): (Vec<Naming>, Vec<Naming>) = (Vec::new(), Vec::new());
    let mut by_hand: BTreeMap<String, Vec<Giver>> = BTreeMap::new();
    let mut interpolations = Interpolations::new(project);
    let runs = runs(project, &mut interpolations);
    let changed_services = changed_services(project);
    for (path, file) in project.files() {
        let mut machine = Processors::default();
        for act in &file.outline.acts {
            if let Does::Job(job) = &act.does {
                let labels = job.runs_on.as_ref().and_then(Text::known).unwrap_or_default();
                machine = Processors::of_labels(&labels.to_lowercase());
            }
            let Does::Launch(launch) = &act.does else { continue };
            let layers = project.merged.layers(path, launch);
            let Some(build) = merged::build(&layers).filter(|_| project.merged.is_place(path, launch)) else { continue };
            let name = merged::imaged(&layers).and_then(|layer| project.spoken.name(path, layer));
            let image = name.as_ref().map(|name| name.image.clone()).unwrap_or_default();
            let Some((dockerfile, context)) = dockerfiles(project, path, launch, &build) else { continue };
            let target = build.target.as_ref().and_then(Text::known).unwrap_or_default().to_owned();
            let naming = |name: Option<Name>, arguments: &Arguments| {
                let (dockerfile, target, arguments) = (dockerfile.clone(), target.clone(), arguments.clone());
                name.map(|name| Naming { name, dockerfile, target, arguments })
            };
            if file.kind == Kind::Markdown {
                // How people build it by hand is no world of its own.
                let arguments = Arguments::of(&build, project.spoken.variables(launch));
                told.extend(naming(name, &arguments));
                let giver = Giver {
                    context,
                    target,
                    image,
                    arguments,
                    origins: BTreeMap::new(),
                    processors: Processors::default(),
                    interpolation: None,
                    run: None,
                    profiles: Vec::new(),
                };
                by_hand.entry(dockerfile).or_default().push(giver);
                continue;
            }
            for variables in interpolations.all_of_launch(path, launch) {
                // A build starts nothing: what runs the image by its name gives it its variables.
                let started = if launch.by == Launcher::DockerBuild {
                    let known = runs.get(&image).filter(|_| !image.is_empty());
                    known.map_or_else(|| vec![None], |runs| runs.iter().cloned().map(Some).collect())
                } else if launch.idle {
                    vec![None]
                } else {
                    let mut way = Way::of(path, &layers, launch.by, variables);
                    way.unread |= launch.name.as_ref().is_some_and(|name| changed_services.contains(name));
                    let processors = Processors::default();
                    let (gpu, unchecked) = (project.gpu(&layers), project.unchecked(&layers));
                    vec![Some(Run { way, gpu, unchecked, processors, nodes: vec![launch.nodes.clone()] })]
                };
                let (arguments, origins) = (Arguments::of(&build, variables), origins::of_build(&build, file.outline, variables));
                stated.extend(naming(name.clone(), &arguments));
                stated.extend(naming(as_context(launch), &arguments));
                let own = Processors::of(&layers, variables);
                let processors = if own.is_stated() { own } else { machine.clone() };
                for run in started {
                    let giver = Giver {
                        context: context.clone(),
                        target: target.clone(),
                        image: image.clone(),
                        arguments: arguments.clone(),
                        origins: origins.clone(),
                        processors: processors.clone(),
                        interpolation: interpolation_file(path, launch.by),
                        run,
                        profiles: merged::profiles(&layers),
                    };
                    if seen.insert((dockerfile.clone(), giver.clone())) {
                        found.entry(dockerfile.clone()).or_default().push(giver);
                    }
                }
            }
        }
    }
    let changed = changed_by_hand(project);
    let mut of: BTreeMap<String, Built> = BTreeMap::new();
    for (path, givers) in by_hand {
        if !found.contains_key(&path) {
            of.insert(path, Built::told(&givers));
        }
    }
    of.extend(found.into_iter().map(|(path, givers)| (path, Built::by(&givers))));
    let position = |path: &str, arguments: &Arguments| of.get(path)?.position(arguments);
    let images = Images::of(stated.into_iter(), told.into_iter(), position);
    let unread: BTreeSet<&str> = images.all().filter(|(image, _)| changed.contains(*image)).map(|(_, path)| path).collect();
    for path in unread {
        if let Some(built) = of.get_mut(path) {
            built.unread_environment = true;
            built.hash ^= 1;
        }
    }
    let by_pages = unchecked_by_hand(project);
    for (_, path) in images.all().filter(|(image, _)| by_pages.get(*image).is_some_and(|unchecked| *unchecked)) {
        // A file that says how it is run knows better.
        if let Some(built) = of.get_mut(path).filter(|built| built.unchecked.is_empty()) {
            built.unchecked.insert(String::new(), true);
            built.hash ^= 2;
        }
    }
    let mut hasher = DefaultHasher::new();
    images.hash(&mut hasher);
    of.iter().for_each(|(path, built)| (path, built.hash).hash(&mut hasher));
    Givers { of, none: Built::by(&[]), images, hash_of_images: hasher.finish(), changed_services }
}

/// What other builds call what a launch builds: `target:x` of a bake file, `service:x` of a compose file.
/// Sources: <https://docs.docker.com/build/bake/contexts/#using-a-result-of-one-target-as-a-base-image-in-another-target>,
/// <https://docs.docker.com/reference/compose-file/build/#additional_contexts>.
fn as_context(launch: &Launch) -> Option<Name> {
    let kind = match launch.by {
        Launcher::Compose => "service",
        Launcher::DockerBuild => "target",
        _ => return None,
    };
    Some(Name { image: kind.to_owned(), tag: Some(launch.name.clone()?) })
}

/// Images that people run with other variables for the container's runtime, as Markdown tells them.
fn changed_by_hand(project: &Project<'_>) -> HashSet<String> {
    let mut found = HashSet::new();
    for (path, file) in project.files().filter(|(_, file)| file.kind == Kind::Markdown) {
        for act in &file.outline.acts {
            let Does::Launch(launch) = &act.does else { continue };
            if changes_runtime(launch) || launch.is_given_more() {
                found.extend(project.spoken.image(path, launch));
            }
        }
    }
    found
}

/// Images that people run with a GPU, as Markdown tells them: whether always in a way in which nothing asks what they demand of
/// the driver.
fn unchecked_by_hand(project: &Project<'_>) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for (path, file) in project.files().filter(|(_, file)| file.kind == Kind::Markdown) {
        for act in &file.outline.acts {
            if let Does::Launch(launch) = &act.does
                && launch.gpu.is_asked()
                && let Some(image) = project.spoken.image(path, launch)
            {
                *found.entry(image).or_insert(true) &= project.unchecked(&[launch]);
            }
        }
    }
    found
}

/// Whether a launch gives variables that the container's runtime looks at, as far as that can be told.
fn changes_runtime(launch: &Launch) -> bool {
    let given = launch.environment.iter().any(|variable| variable.name.starts_with("NVIDIA_"));
    given || !launch.environment_files.is_empty()
}

/// Services that `docker compose run` gives such variables, in a script or on a page.
fn changed_services(project: &Project<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, file) in project.files().filter(|(_, file)| file.kind != Kind::Compose) {
        for act in &file.outline.acts {
            if let Does::Launch(launch) = &act.does
                && launch.by == Launcher::Compose
                && changes_runtime(launch)
            {
                found.extend(launch.name.clone());
            }
        }
    }
    found
}

/// How images are run that have a name and are not built where they are run.
fn runs(project: &Project<'_>, interpolations: &mut Interpolations<'_, '_>) -> BTreeMap<String, Vec<Run>> {
    let mut found: BTreeMap<String, Known> = BTreeMap::new();
    // What Markdown says people do is no run of its own.
    for (path, file) in project.files().filter(|(_, file)| file.kind != Kind::Markdown) {
        let mut lent = false;
        for act in &file.outline.acts {
            if let Does::Job(job) = &act.does {
                lent = !has_own_runner(job);
            }
            let Does::Launch(launch) = &act.does else { continue };
            // A machine that is lent has no GPU to run it with: that says nothing of those that have one.
            if lent {
                continue;
            }
            // One that becomes a file for another program is not run with a GPU here.
            let handed_on = launch.by == Launcher::Apptainer && launch.idle;
            let started = launch.build.is_none() && (!launch.idle || handed_on);
            let Some(image) = project.spoken.image(path, launch).filter(|_| started) else { continue };
            let layers = project.merged.layers(path, launch);
            let with_gpu = if handed_on { Gpu::No } else { project.gpu(&layers) };
            let variables = interpolations.of_launch(path, launch);
            let own = Processors::of(&layers, variables);
            let known = found.entry(image).or_default();
            // Those with a GPU say how it is used.
            if with_gpu > known.gpu {
                *known = Known { gpu: with_gpu, ..Known::default() };
            }
            if with_gpu < known.gpu {
                continue;
            }
            known.checked |= !project.unchecked(&layers);
            known.processors = Some(known.processors.take().map_or_else(|| own.clone(), |known| known.and(own.clone())));
            if known.ways.len() <= MOST_RUNS {
                let way = Way::of(path, &layers, launch.by, interpolations.of(path, launch.by));
                if !known.ways.contains(&way) {
                    known.ways.push(way);
                }
            }
            if known.nodes.len() < MOST_RUNS && !known.nodes.contains(&launch.nodes) {
                known.nodes.push(launch.nodes.clone());
            }
        }
    }
    let runs = found.into_iter().map(|(image, known)| {
        let Known { gpu, checked, ways, processors, nodes } = known;
        let processors = processors.unwrap_or_default();
        let ways = if ways.len() > MOST_RUNS { vec![Way::unknown()] } else { ways };
        let run = |way| Run { way, gpu, unchecked: !checked, processors: processors.clone(), nodes: nodes.clone() };
        (image, ways.into_iter().map(run).collect())
    });
    runs.collect()
}

/// How an image is run.
#[derive(Default)]
struct Known {
    gpu: Gpu,
    /// Some of them ask what the image demands of the driver.
    checked: bool,
    ways: Vec<Way>,
    processors: Option<Processors>,
    nodes: Vec<Nodes>,
}

/// The variables that stand in compose files, each file of them read once.
pub(super) struct Interpolations<'p, 'a> {
    project: &'p Project<'a>,
    read: HashMap<Option<String>, Variables>,
}

impl<'p, 'a> Interpolations<'p, 'a> {
    pub(super) fn new(project: &'p Project<'a>) -> Self {
        Self { project, read: HashMap::new() }
    }
    /// Those that stand in what a launch says: of a command those that the commands before it set.
    pub(super) fn of_launch(&mut self, path: &str, launch: &Launch) -> &Variables {
        if launch.by == Launcher::Compose { self.of(path, launch.by) } else { self.project.spoken.variables(launch) }
    }
    /// The same, then those of each command that starts it with others.
    pub(super) fn all_of_launch(&mut self, path: &str, launch: &Launch) -> Vec<&Variables> {
        let project = self.project;
        if launch.by != Launcher::Compose {
            return project.spoken.ways(launch);
        }
        std::iter::once(self.of(path, launch.by)).chain(project.composed.ways(path)).collect()
    }
    fn of(&mut self, path: &str, by: Launcher) -> &Variables {
        self.read.entry(interpolation_file(path, by)).or_insert_with_key(|path| {
            let file = path.as_deref().and_then(|path| self.project.file(path));
            file.filter(|file| file.kind == Kind::EnvFile).map(Variables::of_file).unwrap_or_default()
        })
    }
}

/// The Dockerfile of a build, with its context. A command's folder is not known: the root's, then the script's.
pub(super) fn dockerfiles(project: &Project<'_>, path: &str, launch: &Launch, build: &BuildOf) -> Option<(String, String)> {
    let own = paths::folder(path);
    let by = launch.by;
    let by_command = matches!(by, Launcher::DockerBuild | Launcher::DockerRun);
    let bases: &[&str] = if by_command { &["", own] } else { &[own] };
    // What a command says may be spelled by where its script lies.
    let written = |text: &Text| match text.known() {
        None if by_command => project.spoken.variables(launch).path(text).filter(|path| paths::is_led(path)),
        known => known.map(str::to_owned),
    };
    let at = |base: &str, path: &str| match paths::leading(path, &[base.to_owned()]) {
        Some(led) => led.into_iter().next(),
        None => paths::join(base, path),
    };
    let context = written(&build.context)?;
    bases.iter().find_map(|base| {
        let context = at(base, &context)?;
        let dockerfile = match &build.dockerfile {
            _ if let Some(inline) = &build.inline => inline.path.clone(),
            None => paths::join(&context, "Dockerfile")?,
            Some(text) if by == Launcher::Compose => paths::join(&context, text.known()?)?,
            Some(text) => at(base, &written(text)?)?,
        };
        project.file(&dockerfile).is_some().then_some((dockerfile, context))
    })
}
