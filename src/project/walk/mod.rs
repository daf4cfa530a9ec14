//! Follows one start through the files it leads to, in one world: what happens, in order, with variables resolved.

mod acts;
mod ambient;
mod base;
mod before;
mod bounds;
mod built;
mod carried;
mod configuration;
mod decided;
mod executed;
mod folders;
mod install;
mod launched;
mod locked;
mod make;
mod open;
mod prefix;
mod project;
mod removal;
mod script;
mod settings;
mod stage;
mod started;
mod telling;
mod uses;
mod words;
mod written;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use base::Base;
use bounds::{Bounds, DEEPEST};
use carried::Happened;
use configuration::Configuration;
use decided::{Decided, Last};
use project::is_project;
pub(crate) use script::{
    Asked, Before, Brought, Compiling, Event, Indexed, Installed, Link, LockEntry, Prefix, Removed, Routed, Script,
};
use telling::Survey;

use super::arguments::{Arguments, InPlace};
use super::command::Command;
use super::images::Contents;
use super::installers::is_read_by;
use super::locks;
use super::origins::Origin;
use super::parts::is_selected;
use super::starts::{Beginning, Enters, has_own_runner};
use super::variables::{self, Mark, Seen, Value, Variables};
use super::worlds::World;
use super::{File, Project, drivers, paths};
use crate::environment::tells;
use crate::knowledge;
use crate::notation::asking::Says;
use crate::outline::{Act, Choice, Does, Kind, Language, Text, Tool, Variable, Written};
use crate::platform::Os;
use crate::source::Span;

/// Arms of more tests in each other, and more of them in one start, are not looked at together.
const DEEPEST_NESTED: usize = 8;
const MOST_NESTED: usize = 64;

/// Walks one start in one world.
pub(crate) fn walk(project: &Project<'_>, beginning: &Beginning, world: &World) -> Script {
    start(Walker::new(project, world), beginning, decided::of_machine(&world.platform, beginning.at))
}

/// The same in the first world, to learn which others there are.
pub(crate) fn survey(project: &Project<'_>, beginning: &Beginning, first: &World) -> Script {
    let mut variables = decided::of_machine(&first.platform, beginning.at);
    variables.watch();
    start(Walker { survey: Some(Survey::default()), ..Walker::new(project, first) }, beginning, variables)
}

fn start(mut walker: Walker<'_, '_>, beginning: &Beginning, variables: Variables) -> Script {
    let project = walker.project;
    let Some(file) = project.file(&beginning.path) else { return walker.script };
    walker.enter(&beginning.path, file);
    walker.bounds.enter(file.outline);
    walker.variables = variables;
    if !matches!(beginning.enters, Enters::Stage(_)) {
        let here = Value::leading(Some(paths::from_start("")), beginning.at);
        walker.variables.set(variables::WORKING, here);
    }
    match &beginning.enters {
        Enters::Manifest(selection) => {
            walker.folders = vec![paths::folder(&beginning.path).to_owned()];
            walker.before(&beginning.path, file, selection);
            walker.manifest(&beginning.path, file, selection.tool);
        }
        Enters::Stage(n) => {
            let built = project.givers.of(&beginning.path);
            (walker.script.builds, walker.script.all_run) = (built.arguments.len(), built.all_run);
            walker.script.only_copied = !beginning.wanted;
            walker.image = Some(ImageState::new(project, &beginning.path, walker.world.build));
            walker.look_for_contexts();
            walker.bounds = Bounds::of_one_in(project.parts(file).len());
            walker.bounds.enter(file.outline);
            walker.globals(file);
            walker.stage(&beginning.path, file, *n, 0);
            walker.look_for_variables(&beginning.path);
            if beginning.runs {
                walker.run_with(&beginning.path);
                walker.script.on_cpu = walker.is_on_cpu(&beginning.path, file, *n);
            }
        }
        Enters::Script => {
            let words = paths::name(&beginning.path).split(|c: char| !c.is_ascii_alphanumeric());
            walker.script.for_wsl = words.map(str::to_ascii_lowercase).any(|word| matches!(word.as_str(), "wsl" | "wsl2"));
            walker.folders = vec![String::new(), paths::folder(&beginning.path).to_owned()];
            walker.starts.clone_from(&walker.folders);
            walker.run_by_others(&beginning.path);
            walker.begins(&beginning.path, beginning.at);
            walker.acts(&beginning.path, &file.outline.acts, 0);
        }
        Enters::Job(at) => {
            walker.uncalled(file);
            walker.job(&beginning.path, file, *at);
        }
        Enters::Goal(name) => {
            walker.bounds = Bounds::of_one_in(project.parts(file).goals());
            walker.bounds.enter(file.outline);
            walker.run_by_others(&beginning.path);
            walker.made(&beginning.path, file, &[name], 0);
        }
        Enters::Called { caller, at, job } => walker.called(caller, *at, &beginning.path, file, *job),
        Enters::Image(at) => {
            walker.bounds = Bounds::of_one_in(project.parts(file).launches());
            walker.launched(&beginning.path, file, *at);
        }
    }
    let exported =
        walker.variables.exported().filter(|(name, _)| tells(name)).map(|(name, value)| (name.to_owned(), value.clone()));
    walker.script.exported = exported.collect();
    walker.weigh_variables();
    walker.script.weight = walker.bounds.weight();
    walker.script.left_out = walker.bounds.left_out;
    if walker.bounds.left_out {
        // What was left out may change all that was seen.
        walker.script.events.clear();
        walker.script.exported.clear();
        walker.script.runs = Command::default();
    }
    walker.script
}

/// Whether an act puts anything there.
fn installs(act: &Act) -> bool {
    matches!(act.does, Does::Install(_) | Does::System(_) | Does::Runfile { .. })
}

/// Whether a test asks for Linux under Windows, which says so in the name of its kernel.
fn asks_for_wsl(test: &str) -> bool {
    let test = test.to_ascii_lowercase();
    test.contains("microsoft") || test.contains("wsl")
}

struct Walker<'p, 'a> {
    project: &'p Project<'a>,
    world: Cow<'p, World>,
    script: Script,
    variables: Variables,
    /// Where relative paths lead, likeliest first.
    folders: Vec<String>,
    /// The same at first.
    starts: Vec<String>,
    prefix: Prefix,
    image: Option<ImageState<'p>>,
    /// Variables that stand in a configuration file: no shell's end takes them back.
    configured: BTreeSet<String>,
    /// Configuration files that were copied to where they are in force.
    configuration: Configuration,
    /// Files of the root that a command changed.
    edited: BTreeSet<String>,
    /// Files that were written on the way, by their place in the image or under the root.
    written: BTreeMap<String, &'a Written>,
    /// The files of the root of which some are parts, by their place in the image or under the root.
    sifted: BTreeMap<String, Vec<String>>,
    /// Set for the later steps of a job.
    later: Vec<(String, Value)>,
    /// Folders of the virtual environments that were made, or are there.
    made: BTreeSet<String>,
    /// The environments that were made here, by folder or name: nothing was in them before.
    fresh: BTreeSet<String>,
    /// Where the Python that was chosen by name has its packages.
    python: Option<Prefix>,
    /// The conda that an installer put there.
    base: Base,
    /// From where files were fetched, by their names.
    fetched: HashMap<String, &'a Text>,
    /// The act that happens stands under a test that may go either way.
    tested: bool,
    /// On what it rests that the act happens, or all that follow.
    says: Says,
    /// A file was sourced that cannot be read: any variable may have another value.
    unsure: bool,
    /// What happens in stages that are copied from, by number and by how many stages deep.
    stages: HashMap<(usize, usize), Rc<Happened>>,
    /// What has been seen of which tests tell, where that is asked.
    survey: Option<Survey>,
    /// Packages of the root that are asked for by name, and by those that are: what each requires is looked at once.
    published: BTreeSet<&'a str>,
    /// Those that the project which is read takes from their folders here.
    here: BTreeSet<&'a str>,
    /// Set for the next command only.
    pending: Vec<(String, Value)>,
    bounds: Bounds,
}

/// What is only there while it happens in an image: while a Dockerfile is walked, or what a container's command does.
struct ImageState<'p> {
    /// The stage that is walked; only earlier ones can be copied from.
    stage: usize,
    /// How many stages are being walked for what is copied from them.
    nested: usize,
    contents: Contents,
    folder: String,
    dockerfile: String,
    contexts: Cow<'p, [String]>,
    /// Build arguments that a giver sets.
    arguments: Option<&'p Arguments>,
    /// Where they are written.
    origins: Option<&'p BTreeMap<String, Vec<Origin>>>,
    /// `ARG`s before the first `FROM`.
    global: Variables,
}

impl<'p> ImageState<'p> {
    fn new(project: &'p Project<'_>, dockerfile: &str, build: usize) -> Self {
        let built = project.givers.of(dockerfile);
        let contexts = if built.contexts.is_empty() {
            let mut likely = vec![paths::folder(dockerfile).to_owned(), String::new()];
            likely.dedup();
            Cow::Owned(likely)
        } else {
            Cow::Borrowed(built.contexts.as_slice())
        };
        let arguments = built.arguments.get(build);
        Self {
            stage: 0,
            nested: 0,
            contents: Contents::default(),
            folder: "/".to_owned(),
            dockerfile: dockerfile.to_owned(),
            contexts,
            arguments,
            origins: built.origins.get(build),
            global: Variables::default(),
        }
    }
    /// The file of the root that is a build context's, if the context has it.
    fn in_context(&self, project: &Project<'_>, context: &str, path: &str) -> Option<String> {
        let left_out = project.left_out.leaves_out(&self.dockerfile, context, path);
        paths::join(context, path).filter(|_| !left_out)
    }
    /// The files of the root that may lie at a place in the image, likeliest first.
    fn sources(&self, project: &Project<'_>, place: &str) -> Vec<String> {
        self.contents.mounted(place).unwrap_or_else(|| {
            let sources = self.contents.sources(place);
            let lie = |context: &String| -> Vec<String> {
                sources.iter().filter_map(|source| self.in_context(project, context, source)).collect()
            };
            self.contexts.iter().flat_map(lie).collect()
        })
    }
    /// The files of the root of that name that came into the image, to wherever.
    fn called(&self, project: &Project<'_>, name: &str) -> Vec<String> {
        let all = self.contents.called(name);
        let lie = |context: &String| all.iter().filter_map(|path| self.in_context(project, context, path)).collect::<Vec<_>>();
        self.contexts.iter().flat_map(lie).collect()
    }
    /// The image that whoever builds puts in the place of a stage or an image.
    fn in_place_of(&self, name: &str) -> Option<InPlace<'p>> {
        self.arguments?.in_place_of(name)
    }
    /// The value that whoever builds gives for an `ARG`.
    fn given(&self, name: &str, at: Span) -> Option<Value> {
        let value = self.arguments?.value(name)?;
        let Some(value) = value else { return Some(Value::unknown(at, Seen::Build)) };
        let from = self.origins.and_then(|origins| origins.get(name)).cloned().unwrap_or_default();
        Some(Value::known(value.to_owned(), at, Seen::Build).given(from))
    }
    /// The value of an `ARG` before the first `FROM`.
    fn global_argument(&self, variable: &Variable, at: Span) -> Value {
        match (self.given(&variable.name, at), &variable.value) {
            (Some(given), _) => given,
            (None, Some(value)) => self.global.value(value, at, Seen::Build),
            (None, None) => self.global.get(&variable.name).cloned().unwrap_or_else(|| Value::unknown(at, Seen::Build)),
        }
    }
}

/// State that a subshell or a `RUN` gives back at its end.
struct Kept {
    variables: Mark,
    folders: Vec<String>,
    prefix: Prefix,
    folder: Option<String>,
    unsure: bool,
}

impl<'p, 'a> Walker<'p, 'a> {
    fn new(project: &'p Project<'a>, world: &'p World) -> Self {
        Self {
            project,
            world: Cow::Borrowed(world),
            script: Script::default(),
            variables: Variables::default(),
            folders: vec![String::new()],
            starts: vec![String::new()],
            prefix: Prefix::default(),
            image: None,
            configured: BTreeSet::new(),
            configuration: Configuration::default(),
            edited: BTreeSet::new(),
            written: BTreeMap::new(),
            sifted: BTreeMap::new(),
            later: Vec::new(),
            made: BTreeSet::new(),
            fresh: BTreeSet::new(),
            python: None,
            base: Base::default(),
            fetched: HashMap::new(),
            tested: false,
            says: Says::default(),
            unsure: false,
            stages: HashMap::new(),
            survey: None,
            published: BTreeSet::new(),
            here: BTreeSet::new(),
            pending: Vec::new(),
            bounds: Bounds::default(),
        }
    }

    fn enter(&mut self, path: &str, file: File<'a>) {
        self.script.reached.insert(file.id);
        if matches!(file.kind, Kind::Requirements | Kind::CondaEnvironment) || file.kind.is_lock() || is_project(file.kind) {
            self.script.installed.insert(path.to_owned());
        }
    }

    /// Whether an act is a tool's business and takes place.
    fn takes_for(&mut self, tool: Tool, act: &Act) -> bool {
        is_read_by(tool, act) && self.takes(act)
    }

    /// Whether an act takes place; remembers the choices on the way.
    fn takes(&mut self, act: &Act) -> bool {
        self.takes_in(act, &mut Decided::default())
    }

    /// The same for one of several acts that follow each other.
    fn takes_in<'d>(&mut self, act: &'d Act, decided: &mut Decided<'d>) -> bool {
        self.weigh(act);
        // Most acts stand where the one before them does.
        if let Some(last) = decided.last.as_ref().filter(|last| *last.when == act.when) {
            self.tested = last.tested;
            let takes = last.takes;
            self.script.not_for_wsl |= takes && last.native && installs(act);
            return takes;
        }
        let before = self.listen();
        let open: Vec<&Choice> = self.decide(act, decided);
        self.heard_tests(before);
        self.meet(open.iter().copied());
        self.meet_nested(&open);
        self.tested = open.iter().any(|choice| matches!(choice, Choice::Branch { .. }));
        // The arm for WSL is none for any other machine.
        let apart = open.iter().any(|choice| matches!(choice, Choice::Branch { test, .. } if asks_for_wsl(test)));
        let takes = decided.holds(act) && self.world.takes(open.iter().copied()) == Some(true);
        let native = apart && !decided.says().elsewhere;
        self.script.not_for_wsl |= takes && native && installs(act);
        decided.last = Some(Last { when: &act.when, takes, tested: self.tested, native });
        takes
    }

    /// A driver that is installed; one in an image is none.
    fn put_driver(&mut self, does: &Does) {
        let on_host = self.image.is_none() && !self.script.events.iter().any(|event| matches!(event, Event::Base { .. }));
        if on_host && let Some(version) = drivers::installed(does, &|text| self.variables.resolve(text)) {
            self.script.events.push(Event::Driver(version));
        }
    }

    /// Remembers arms that are not taken where each test is tried by itself: the `else` behind an `elif`.
    fn meet_nested(&mut self, open: &[&Choice]) {
        let later = |choice: &&&Choice| matches!(choice, Choice::Branch { arm, .. } if *arm > 0);
        let count = open.iter().filter(later).count();
        if self.survey.is_some() && (2..=DEEPEST_NESTED).contains(&count) && self.script.nested.len() < MOST_NESTED {
            self.script.nested.insert(open.iter().filter(later).map(|choice| (**choice).clone()).collect());
        }
    }

    /// Remembers choices for the worlds that there are.
    fn meet<'c>(&mut self, choices: impl Iterator<Item = &'c Choice>) {
        if self.survey.is_none() {
            return;
        }
        for choice in choices {
            match choice {
                Choice::Marker(text) => self.meet_marker(text),
                Choice::For(_) => {}
                // The start itself says which of these there are.
                choice if is_selected(choice) => {}
                choice if self.script.choices.contains(choice) => {}
                choice => drop(self.script.choices.insert(choice.clone())),
            }
        }
    }

    /// Remembers a marker: Pythons may differ in it.
    fn meet_marker(&mut self, text: &str) {
        if self.survey.is_some() && !self.script.markers.contains(text) {
            self.script.markers.insert(text.to_owned());
        }
    }

    fn manifest(&mut self, path: &str, file: File<'a>, tool: Option<Tool>) {
        let at = Span::new(file.id, 0, 0);
        self.python_beside(path);
        match file.kind {
            Kind::CondaEnvironment => self.conda_environment(path, file, at, Vec::new()),
            kind if kind.is_lock() => {
                let mut step = self.step(locks::by_kind(kind).map_or(Tool::Pip, |lock| lock.tool), at);
                self.lock_file(file, &mut step, &[]);
                self.push(step);
            }
            Kind::Requirements => {
                // What conda wrote is conda's, whatever its name.
                let conda = |act: &Act| matches!(&act.does, Does::Require(r) if r.language == Language::MatchSpec);
                let by_conda = file.outline.acts.iter().any(conda);
                let tool = if by_conda { Tool::Conda } else { self.project.installers.tool(path) };
                let mut step = self.step(tool, at);
                self.requirements(path, file, &mut step, false, &[], 0);
                self.assume_configuration(path, &mut step);
                self.agree(path, &mut step);
                self.push(step);
            }
            _ => {
                let settings = paths::beside(path, "uv.toml");
                if self.project.file(&settings).is_none() {
                    self.script.looked.insert((settings, Kind::UvSettings));
                }
                let mut step = self.step(tool.unwrap_or_else(|| self.project.tool_of(path, file)), at);
                self.project_file(path, file, &mut step, &[], 0);
                self.assume_configuration(path, &mut step);
                self.agree(path, &mut step);
                self.push(step);
            }
        }
    }

    pub(super) fn job(&mut self, path: &str, file: File<'a>, at: usize) {
        let acts = &file.outline.acts;
        let parts = self.project.parts(file);
        for name in variables::TOP {
            let top = Value::leading(Some(paths::from_root("")), Span::new(file.id, 0, 0));
            self.variables.set(name, top);
        }
        // What stands before the first job holds for all of them.
        self.acts(path, &acts[..parts.before()], 0);
        let Some(Act { does: Does::Job(wanted), .. }) = acts.get(at) else { return };
        // A matrix repeats its job, once a row; the world takes one of them.
        for (begin, end) in parts.named(&wanted.name).iter().filter_map(|n| parts.part(*n, acts.len())) {
            let Does::Job(job) = &acts[begin].does else { continue };
            if !self.takes(&acts[begin]) {
                continue;
            }
            // Of the rows some may run on machines that are lent.
            self.script.suits_host |= !has_own_runner(job);
            if let Some(os) = job.runs_on.as_ref().and_then(Text::known).and_then(Os::of_labels) {
                let value = Value::known(os.by_github().to_owned(), acts[begin].at, Seen::Shell).given(Vec::new());
                self.variables.set("RUNNER_OS", value);
                self.variables.add(decided::of_system(os, acts[begin].at));
            }
            let service = if file.kind == Kind::GitlabCi { "gitlab" } else { "github" };
            for name in knowledge::set_by_service(service) {
                if self.variables.replaced(name).is_none() {
                    self.variables.set(name, Value::known("true".to_owned(), acts[begin].at, Seen::Shell));
                }
            }
            if let Some(container) = &job.container {
                let image = self.variables.resolve(container);
                self.base_image(image, container.at, self.reasons(container));
            }
            self.acts(path, &acts[begin + 1..end], 0);
        }
    }
}
