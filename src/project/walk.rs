//! Follows one start through the files it leads to, in one world: what happens, in order, with variables resolved.

use std::collections::{BTreeMap, BTreeSet};

use super::images::Contents;
use super::starts::{Beginning, Enters, beside};
use super::variables::{Value, Variables};
use super::worlds::World;
use super::{File, Project, paths};
use crate::environment::{Join, Reason};
use crate::outline::{
    Act, Choice, Does, How, Include, IndexKind, IndexLine, Install, InstallFlags, Kind, Language, Launch, Locked, Place,
    Requirement, Role, Route, RouteTo, Scope, Target, Text, Tool, Variable,
};
use crate::source::{FileId, Span};

/// No include is followed deeper: cycles end here.
const DEEPEST: usize = 12;

/// What happens from a start on, in one world.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// In order.
    pub(crate) events: Vec<Event>,
    /// Files that were read on the way.
    pub(crate) reached: BTreeSet<FileId>,
    /// Paths that were looked for and are not there.
    pub(crate) looked: BTreeSet<String>,
    /// Manifests that were installed on the way.
    pub(crate) installed: BTreeSet<String>,
    /// All choices that were met, taken or not.
    pub(crate) choices: BTreeSet<Choice>,
    /// All markers that were met.
    pub(crate) markers: BTreeSet<String>,
    /// Exported variables in the end.
    pub(crate) exported: BTreeMap<String, Value>,
    /// Includes that lead outside the root, as written.
    pub(crate) outside: BTreeSet<String>,
    /// What the image runs.
    pub(crate) runs: Vec<(String, Span)>,
}

/// Into which environment something is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Prefix {
    /// The one that a start begins in.
    #[default]
    System,
    /// A conda environment by name or folder.
    Conda(String),
    /// A virtual environment by folder.
    Venv(String),
    /// One that is not known.
    Unknown,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// The image that everything stands on; `None` where its name is not known.
    Base { image: Option<String>, at: Span, also: Vec<(Span, Reason)> },
    /// Packages are installed.
    Install(Box<Installed>),
    /// Packages are removed.
    Remove { prefix: Prefix, names: Vec<String> },
    /// System packages are installed.
    System { names: Vec<String> },
    /// The manifest says which Python it is for.
    Python(String),
}

/// An installing step with everything resolved.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    pub(crate) tool: Tool,
    pub(crate) at: Span,
    pub(crate) prefix: Prefix,
    pub(crate) asks: Vec<Asked>,
    pub(crate) bounds: Vec<Asked>,
    pub(crate) overrides: Vec<Asked>,
    pub(crate) locks: Vec<(Locked, Vec<(Span, Reason)>)>,
    pub(crate) indexes: Vec<Indexed>,
    pub(crate) routes: Vec<Routed>,
    pub(crate) flags: InstallFlags,
    /// Values of the flags that hold text.
    pub(crate) torch_backend: Option<Option<String>>,
    pub(crate) index_strategy: Option<Option<String>>,
    /// Something that takes part could not be read: what is missing proves nothing.
    pub(crate) open: bool,
    pub(crate) join: Join,
}

/// A requirement with its variables resolved.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// `None` where it holds an unknown variable.
    pub(crate) text: Option<String>,
    pub(crate) language: Language,
    pub(crate) at: Span,
    pub(crate) also: Vec<(Span, Reason)>,
}

/// An index with its variables resolved.
#[derive(Clone, Debug)]
pub(crate) struct Indexed {
    /// `None` where it holds an unknown variable.
    pub(crate) url: Option<String>,
    pub(crate) kind: IndexKind,
    pub(crate) name: Option<String>,
    pub(crate) explicit: bool,
    pub(crate) at: Span,
}

/// A package's own source with its variables resolved.
#[derive(Clone, Debug)]
pub(crate) struct Routed {
    pub(crate) package: String,
    /// The index's name; `None` for a source that is no index.
    pub(crate) index: Option<String>,
}

/// Walks one start in one world.
pub(crate) fn walk(project: &Project<'_>, beginning: &Beginning, world: &World) -> Script {
    let mut walker = Walker::new(project, world);
    let Some(file) = project.file(&beginning.path) else { return walker.script };
    walker.enter(&beginning.path, file);
    match &beginning.enters {
        Enters::Manifest(_) => walker.manifest(&beginning.path, file),
        Enters::Stage(n) => {
            walker.image = Some(ImageState::new(project, &beginning.path));
            walker.stage(&beginning.path, file, *n, 0);
        }
        Enters::Script => {
            walker.folders = vec![String::new(), paths::folder(&beginning.path).to_owned()];
            walker.acts(&beginning.path, &file.outline.acts, 0);
        }
        Enters::Job(at) => walker.job(&beginning.path, file, *at),
        Enters::Image(at) => walker.image_of(file, *at),
    }
    let exported = walker.variables.exported().map(|(name, value)| (name.to_owned(), value.clone()));
    walker.script.exported = exported.collect();
    walker.script
}

struct Walker<'p, 'a> {
    project: &'p Project<'a>,
    world: &'p World,
    script: Script,
    variables: Variables,
    /// Where relative paths lead, likeliest first.
    folders: Vec<String>,
    prefix: Prefix,
    image: Option<ImageState>,
    /// Set for the next command only.
    pending: Vec<(String, Value)>,
}

/// What is only there while a Dockerfile is walked.
#[derive(Clone)]
struct ImageState {
    contents: Contents,
    folder: String,
    contexts: Vec<String>,
    /// Build arguments that a giver sets.
    arguments: BTreeMap<String, String>,
    /// `ARG`s before the first `FROM`.
    global: BTreeMap<String, Value>,
}

impl ImageState {
    fn new(project: &Project<'_>, dockerfile: &str) -> Self {
        let givers = project.givers.of(dockerfile);
        let mut contexts: Vec<String> = givers.iter().map(|g| g.context.clone()).collect();
        if contexts.is_empty() {
            contexts = vec![paths::folder(dockerfile).to_owned(), String::new()];
        }
        contexts.dedup();
        // An argument that all givers set to the same value is known; else the file's default holds.
        let mut arguments: BTreeMap<String, String> = BTreeMap::new();
        if let Some((first, rest)) = givers.split_first() {
            for (name, value) in &first.arguments {
                if rest.iter().all(|g| g.arguments.contains(&(name.clone(), value.clone()))) {
                    arguments.insert(name.clone(), value.clone());
                }
            }
        }
        Self { contents: Contents::default(), folder: "/".to_owned(), contexts, arguments, global: BTreeMap::new() }
    }
}

/// State that a subshell or a `RUN` gives back at its end.
#[derive(Clone)]
struct Kept {
    variables: Variables,
    folders: Vec<String>,
    prefix: Prefix,
    folder: Option<String>,
}

impl<'p, 'a> Walker<'p, 'a> {
    fn new(project: &'p Project<'a>, world: &'p World) -> Self {
        Self {
            project,
            world,
            script: Script::default(),
            variables: Variables::default(),
            folders: vec![String::new()],
            prefix: Prefix::default(),
            image: None,
            pending: Vec::new(),
        }
    }

    fn enter(&mut self, path: &str, file: File<'a>) {
        self.script.reached.insert(file.id);
        if matches!(file.kind, Kind::Requirements | Kind::CondaEnvironment) {
            self.script.installed.insert(path.to_owned());
        }
    }

    /// Whether an act takes place; remembers the choices on the way.
    fn takes(&mut self, act: &Act) -> bool {
        for choice in &act.when.0 {
            match choice {
                Choice::Marker(text) => {
                    self.script.markers.insert(text.clone());
                }
                choice => {
                    self.script.choices.insert(choice.clone());
                }
            }
        }
        self.world.takes(&act.when) == Some(true)
    }

    // ---- starts ----

    fn manifest(&mut self, path: &str, file: File<'a>) {
        let at = Span::new(file.id, 0, 0);
        match file.kind {
            Kind::CondaEnvironment => self.conda_environment(path, file, at, Vec::new()),
            Kind::Pyproject | Kind::UvLock => {
                let tool = self.project_tool(path, file);
                let mut step = self.step(tool, at);
                self.project_file(path, file, &mut step, &[], 0);
                self.push(step);
            }
            _ => {
                let mut step = self.step(Tool::Pip, at);
                self.requirements(path, file, &mut step, false, &[], 0);
                self.push(step);
            }
        }
    }

    /// A project with uv's tables or lock is installed by uv.
    fn project_tool(&mut self, path: &str, file: File<'a>) -> Tool {
        let lock = beside(path, "uv.lock");
        let locked = self.project.file(&lock).is_some();
        if !locked {
            self.script.looked.insert(lock);
        }
        let uses_uv = |act: &Act| match &act.does {
            Does::Route(_) | Does::Conflict(_) | Does::Index(_) => true,
            Does::Require(r) => matches!(r.role, Role::Overrides | Role::Bounds),
            _ => false,
        };
        let uv = file.kind == Kind::UvLock || locked || file.outline.acts.iter().any(uses_uv);
        if uv { Tool::Uv } else { Tool::Pip }
    }

    fn job(&mut self, path: &str, file: File<'a>, at: usize) {
        let acts = &file.outline.acts;
        // What stands before the first job holds for all of them.
        let shared = acts.iter().position(|a| matches!(a.does, Does::Job(_))).unwrap_or(0);
        self.acts(path, &acts[..shared], 0);
        if let Some(Act { at: key, does: Does::Job(job), .. }) = acts.get(at)
            && let Some(container) = &job.container
        {
            let image = self.variables.resolve(container);
            let _ = key;
            self.script.events.push(Event::Base { image, at: container.at, also: Vec::new() });
        }
        let rest = &acts[at + 1..];
        let end = rest.iter().position(|a| matches!(a.does, Does::Job(_))).unwrap_or(rest.len());
        self.acts(path, &rest[..end], 0);
    }

    fn image_of(&mut self, file: File<'a>, at: usize) {
        // Variables set before a `docker run` of a script hold for its image's name.
        let acts = &file.outline.acts;
        for act in acts.iter().take(at) {
            if let Does::Set(variable) = &act.does
                && self.takes(act)
            {
                self.set(variable, act.at);
            }
        }
        if let Some(Act { does: Does::Launch(launch), .. }) = acts.get(at)
            && let Some(image) = &launch.image
        {
            let name = self.variables.resolve(image);
            for variable in &launch.environment {
                self.set(
                    &Variable { scope: Scope::Environment, ..variable.clone() },
                    variable.value.as_ref().map_or(image.at, |v| v.at),
                );
            }
            self.script.events.push(Event::Base { image: name, at: image.at, also: Vec::new() });
        }
    }

    /// A stage, after the stages it stands on.
    fn stage(&mut self, path: &str, file: File<'a>, n: usize, depth: usize) {
        let acts = &file.outline.acts;
        let froms: Vec<usize> = (0..acts.len()).filter(|i| matches!(acts[*i].does, Does::From(_))).collect();
        let Some(&begin) = froms.get(n) else { return };
        if depth == 0 {
            for act in &acts[..froms[0]] {
                if let Does::Set(variable) = &act.does {
                    let value = self.argument(variable, act.at);
                    if let Some(image) = &mut self.image {
                        image.global.insert(variable.name.clone(), value.clone());
                    }
                    self.variables.set(&variable.name, value);
                }
            }
        }
        let Does::From(stage) = &acts[begin].does else { return };
        let globals: Variables = {
            let mut globals = Variables::default();
            for (name, value) in self.image.iter().flat_map(|i| &i.global) {
                globals.set(name, value.clone());
            }
            globals
        };
        let image = globals.resolve(&stage.image);
        let earlier = image.as_deref().map(str::to_lowercase).and_then(|name| {
            froms[..n].iter().rposition(|i| matches!(&acts[*i].does, Does::From(s) if s.name.as_deref() == Some(&name)))
        });
        match earlier {
            Some(base) if depth < DEEPEST => {
                self.stage(path, file, base, depth + 1);
                if let Some(Event::Base { also, .. }) = self.script.events.iter_mut().find(|e| matches!(e, Event::Base { .. })) {
                    also.push((acts[begin].at, Reason::Here));
                }
            }
            _ => {
                // Only what FROM gives is there: global ARGs are not, until a stage declares them again.
                for name in self.image.iter().flat_map(|i| i.global.keys().cloned()).collect::<Vec<_>>() {
                    self.variables.forget(&name);
                }
                self.script.events.push(Event::Base { image, at: stage.image.at, also: Vec::new() });
            }
        }
        let end = froms.get(n + 1).copied().unwrap_or(acts.len());
        self.acts(path, &acts[begin + 1..end], 0);
    }

    // ---- acts in order ----

    fn acts(&mut self, path: &str, acts: &[Act], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        // A `Back` spans the region that it ends; the state is kept where its first act begins.
        let backs: Vec<Span> = acts.iter().filter(|a| matches!(a.does, Does::Enter(Place::Back))).map(|a| a.at).collect();
        let mut kept: Vec<(Span, Kept)> = Vec::new();
        for act in acts {
            // Regions nest: outer ones that begin with this act come first.
            let mut begins: Vec<Span> = backs
                .iter()
                .copied()
                .filter(|b| b.contains(act.at) && b.start < b.end && !kept.iter().any(|(k, _)| k == b))
                .collect();
            begins.sort_by_key(|b| std::cmp::Reverse(b.end - b.start));
            for begin in begins {
                kept.push((begin, self.keep()));
            }
            if matches!(act.does, Does::Enter(Place::Back)) {
                if let Some(i) = kept.iter().rposition(|(span, _)| *span == act.at) {
                    let state = kept.swap_remove(i).1;
                    self.back(state);
                    kept.retain(|(span, _)| !act.at.contains(*span));
                }
                continue;
            }
            if self.takes(act) {
                self.act(path, act, depth);
            }
        }
    }

    fn keep(&self) -> Kept {
        Kept {
            variables: self.variables.clone(),
            folders: self.folders.clone(),
            prefix: self.prefix.clone(),
            folder: self.image.as_ref().map(|i| i.folder.clone()),
        }
    }

    fn back(&mut self, state: Kept) {
        self.variables = state.variables;
        self.folders = state.folders;
        self.prefix = state.prefix;
        if let (Some(image), Some(folder)) = (&mut self.image, state.folder) {
            image.folder = folder;
        }
    }

    fn act(&mut self, path: &str, act: &Act, depth: usize) {
        match &act.does {
            Does::Set(variable) if variable.scope == Scope::Command => {
                let value = match &variable.value {
                    Some(text) => self.variables.value(text, act.at, true),
                    None => Value::unknown(act.at, true),
                };
                self.pending.push((variable.name.clone(), value));
                return;
            }
            Does::Set(variable) => self.set(variable, act.at),
            Does::Enter(place) => self.go(path, place),
            Does::Install(install) => self.install(act.at, install),
            Does::Remove { names, .. } => {
                let names = names.iter().filter_map(|n| self.variables.resolve(n)).collect();
                self.script.events.push(Event::Remove { prefix: self.prefix.clone(), names });
            }
            Does::System(packages) if !packages.removes => {
                let names = packages.names.iter().filter_map(|n| self.variables.resolve(n)).collect();
                self.script.events.push(Event::System { names });
            }
            Does::Copy(copy) => self.copy(path, copy, depth),
            Does::Edit(text) => {
                let path = self.variables.resolve(text);
                if let (Some(image), Some(path)) = (&mut self.image, path) {
                    let inside = paths::inside(&image.folder, &path);
                    image.contents.edit(inside);
                }
            }
            Does::Include(Include { path: text, how: How::Script }) => {
                if let Some(found) = self.open(text)
                    && let Some(file) = self.project.file(&found)
                    && matches!(file.kind, Kind::Script | Kind::Rc)
                {
                    self.enter(&found, file);
                    self.acts(&found, &file.outline.acts, depth + 1);
                }
            }
            Does::Python(text) => {
                if let Some(text) = self.variables.resolve(text) {
                    self.script.events.push(Event::Python(text));
                }
            }
            Does::Runs { words, .. } => {
                let resolved = words.iter().map(|w| (self.variables.resolve(w).unwrap_or_default(), w.at));
                self.script.runs = resolved.collect();
            }
            _ => {}
        }
        self.pending.clear();
    }

    fn set(&mut self, variable: &Variable, at: Span) {
        let value = match variable.scope {
            Scope::Arg => {
                // An ENV of the same name wins over an ARG.
                if self.variables.get(&variable.name).is_some_and(|v| v.exported) {
                    return;
                }
                self.argument(variable, at)
            }
            scope => {
                let before = self.variables.get(&variable.name).cloned();
                let exported = scope == Scope::Environment || before.as_ref().is_some_and(|v| v.exported);
                match (&variable.value, before) {
                    (Some(text), _) => self.variables.value(text, at, exported),
                    // `export X` after `X=…` keeps the value.
                    (None, Some(before)) => Value { exported, ..before },
                    (None, None) => Value::unknown(at, exported),
                }
            }
        };
        self.variables.set(&variable.name, value);
    }

    fn argument(&self, variable: &Variable, at: Span) -> Value {
        let image = self.image.as_ref();
        let given = image.and_then(|i| i.arguments.get(&variable.name)).cloned();
        let global = image.and_then(|i| i.global.get(&variable.name));
        match (given, &variable.value) {
            (Some(given), _) => Value::known(given, at, false),
            (None, Some(value)) => self.variables.value(value, at, false),
            (None, None) => global.cloned().unwrap_or_else(|| Value::unknown(at, false)),
        }
    }

    fn go(&mut self, path: &str, place: &Place) {
        match place {
            Place::Directory(text) => {
                let to = self.variables.resolve(text);
                if let Some(image) = &mut self.image {
                    image.folder = to.map_or_else(|| "/?".to_owned(), |to| paths::inside(&image.folder, &to));
                    return;
                }
                self.folders = match to {
                    Some(to) => self.folders.iter().filter_map(|f| paths::join(f, &to)).collect(),
                    None => own_folder(path, text),
                };
            }
            Place::CondaEnvironment(text) => {
                self.prefix = self.variables.resolve(text).map_or(Prefix::Unknown, |name| conda(&name));
            }
            Place::Venv(text) => self.prefix = self.variables.resolve(text).map_or(Prefix::Unknown, Prefix::Venv),
            Place::Back => {}
        }
    }

    fn copy(&mut self, path: &str, copy: &crate::outline::Copy, depth: usize) {
        let Some(to) = self.variables.resolve(&copy.to) else { return };
        let sources: Vec<String> = copy.sources.iter().filter_map(|s| self.variables.resolve(s)).collect();
        let Some(image) = &mut self.image else { return };
        let inside = paths::inside(&image.folder, &to);
        let folder = to.ends_with('/') || to == "." || sources.len() > 1 || inside == image.folder;
        match &copy.from {
            None => {
                for source in &sources {
                    image.contents.copy(source, &inside, folder);
                }
            }
            Some(from) => {
                if let Some(from) = self.variables.resolve(from) {
                    self.copy_from(path, &from, &sources, depth);
                }
            }
        }
    }

    /// Packages that an earlier stage installed under a folder that is copied whole.
    fn copy_from(&mut self, path: &str, from: &str, sources: &[String], depth: usize) {
        let Some(file) = self.project.file(path).filter(|_| depth < DEEPEST) else { return };
        let stages = file.outline.acts.iter().filter_map(|a| if let Does::From(s) = &a.does { Some(s) } else { None });
        let from = from.to_lowercase();
        let Some(n) = stages.enumerate().position(|(n, s)| s.name.as_deref() == Some(&*from) || n.to_string() == from) else {
            return;
        };
        let mut other = Walker::new(self.project, self.world);
        other.image = Some(ImageState::new(self.project, path));
        other.stage(path, file, n, 1);
        self.script.reached.append(&mut other.script.reached);
        self.script.looked.append(&mut other.script.looked);
        self.script.installed.append(&mut other.script.installed);
        self.script.choices.append(&mut other.script.choices);
        let carries = |prefix: &Prefix| {
            sources.iter().any(|source| match prefix {
                Prefix::System => {
                    source.contains("site-packages")
                        || ["/usr", "/usr/local", "/", "/root/.local", "/install"].contains(&source.trim_end_matches('/'))
                }
                Prefix::Venv(folder) | Prefix::Conda(folder) => paths::under(folder, source).is_some(),
                Prefix::Unknown => false,
            })
        };
        for event in other.script.events {
            match &event {
                Event::Install(step) if carries(&step.prefix) => self.script.events.push(event),
                Event::Remove { prefix, .. } if carries(prefix) => self.script.events.push(event),
                _ => {}
            }
        }
    }

    // ---- installing ----

    fn step(&self, tool: Tool, at: Span) -> Installed {
        Installed {
            tool,
            at,
            prefix: self.prefix.clone(),
            asks: Vec::new(),
            bounds: Vec::new(),
            overrides: Vec::new(),
            locks: Vec::new(),
            indexes: Vec::new(),
            routes: Vec::new(),
            flags: InstallFlags::default(),
            torch_backend: None,
            index_strategy: None,
            open: false,
            join: Join::Stated,
        }
    }

    /// Adds what variables say (`PIP_EXTRA_INDEX_URL` …), and lets the step happen.
    fn push(&mut self, mut step: Installed) {
        let pip = step.tool == Tool::Pip;
        let named: &[(&str, IndexKind)] = match step.tool {
            Tool::Pip => &[
                ("PIP_INDEX_URL", IndexKind::Primary),
                ("PIP_EXTRA_INDEX_URL", IndexKind::Extra),
                ("PIP_FIND_LINKS", IndexKind::FindLinks),
            ],
            Tool::UvPip | Tool::Uv => &[
                ("UV_INDEX_URL", IndexKind::Primary),
                ("UV_DEFAULT_INDEX", IndexKind::Primary),
                ("UV_EXTRA_INDEX_URL", IndexKind::Extra),
                ("UV_INDEX", IndexKind::Extra),
                ("UV_FIND_LINKS", IndexKind::FindLinks),
            ],
            Tool::Conda => &[],
        };
        for (name, kind) in named {
            let Some(value) = self.variable(name) else { continue };
            let (text, at) = (value.text.clone(), value.at);
            // The command line's own --index-url wins over the variable.
            if *kind == IndexKind::Primary && step.indexes.iter().any(|i| i.kind == IndexKind::Primary) {
                continue;
            }
            let url = |url: Option<String>| Indexed { url, kind: *kind, name: None, explicit: false, at };
            match text {
                None => step.indexes.push(url(None)),
                Some(text) => step.indexes.extend(text.split_whitespace().map(|part| {
                    let address = part.split_once('=').filter(|(name, _)| !pip && !name.contains(':')).map_or(part, |(_, u)| u);
                    url(Some(address.to_owned()))
                })),
            }
        }
        if let Some(constraint) =
            self.variable(if pip { "PIP_CONSTRAINT" } else { "UV_CONSTRAINT" }).map(|v| (v.text.clone(), v.at))
        {
            match constraint {
                (Some(text), at) => {
                    for part in text.split_whitespace() {
                        self.read(&Include { path: Text::literal(part, at), how: How::Constraints }, &mut step, &[], 0);
                    }
                }
                (None, _) => step.open = true,
            }
        }
        if !pip && step.torch_backend.is_none() {
            step.torch_backend = self.variable("UV_TORCH_BACKEND").map(|v| v.text.clone());
        }
        if !pip && step.index_strategy.is_none() {
            step.index_strategy = self.variable("UV_INDEX_STRATEGY").map(|v| v.text.clone());
        }
        self.script.events.push(Event::Install(Box::new(step)));
    }

    fn variable(&self, name: &str) -> Option<&Value> {
        let pending = self.pending.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v);
        pending.or_else(|| self.variables.get(name).filter(|v| v.exported))
    }

    fn install(&mut self, at: Span, install: &Install) {
        if install.flags.elsewhere {
            return;
        }
        let mut step = self.step(install.tool, at);
        step.flags = install.flags.clone();
        step.torch_backend = install.flags.torch_backend.as_ref().map(|t| self.variables.resolve(t));
        step.index_strategy = install.flags.index_strategy.as_ref().map(|t| self.variables.resolve(t));
        step.prefix = match &install.target {
            Target::Active => self.prefix.clone(),
            Target::Named(name) => self.variables.resolve(name).map_or(Prefix::Unknown, |n| conda(&n)),
            Target::Prefix(folder) => self.variables.resolve(folder).map_or(Prefix::Unknown, |f| match install.tool {
                Tool::Conda => conda(&f),
                _ => Prefix::Venv(f),
            }),
        };
        for index in &install.indexes {
            let index = self.index(index);
            step.indexes.push(index);
        }
        for ask in &install.asks {
            self.ask(ask, &mut step, false, &[], "");
        }
        let via = [(at, Reason::InstalledBy)];
        for include in &install.reads {
            if include.how == How::CondaEnvironment {
                match self.open(&include.path).and_then(|p| Some((self.project.file(&p)?, p))) {
                    Some((file, path)) => {
                        self.enter(&path, file);
                        let before = std::mem::replace(&mut self.prefix, step.prefix.clone());
                        self.conda_environment(&path, file, at, via.to_vec());
                        self.prefix = before;
                    }
                    None => step.open = true,
                }
            } else {
                self.read(include, &mut step, &via, 0);
            }
        }
        let nothing = step.asks.is_empty() && step.locks.is_empty() && !step.open;
        if !nothing {
            self.push(step);
        }
    }

    /// A file named on a command line or by a variable.
    fn read(&mut self, include: &Include, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
        let path = match include.how {
            How::Project => self.open_project(&include.path),
            _ => self.open(&include.path),
        };
        let Some((file, path)) = path.and_then(|p| Some((self.project.file(&p)?, p))) else {
            step.open = true;
            return;
        };
        self.include(&path, file, include.how, step, via, depth);
    }

    fn include(&mut self, path: &str, file: File<'a>, how: How, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        self.enter(path, file);
        match how {
            How::Requirements | How::Constraints if file.kind == Kind::Requirements => {
                self.requirements(path, file, step, how == How::Constraints, via, depth);
            }
            How::Project if file.kind == Kind::Pyproject => {
                let extras: Vec<String> = step.flags.extras.iter().filter_map(|e| self.variables.resolve(e)).collect();
                let groups: Vec<String> = step.flags.groups.iter().filter_map(|g| self.variables.resolve(g)).collect();
                let chosen = extras.into_iter().map(|e| Choice::Extra(crate::notation::requirement::normalise(&e)));
                let groups = groups.into_iter().map(|g| Choice::Group(crate::notation::requirement::normalise(&g)));
                let before = self.world;
                let mut world = before.clone();
                world.with.extend(chosen.chain(groups));
                if step.flags.all_extras {
                    let all = file.outline.acts.iter().flat_map(|a| &a.when.0).filter(|c| matches!(c, Choice::Extra(_)));
                    world.with.extend(all.cloned());
                }
                // The extras hold inside the project only.
                let mut inner = Walker { world: &world, ..self.fork() };
                inner.project_file(path, file, step, via, depth);
                let (script, variables) = (std::mem::take(&mut inner.script), std::mem::take(&mut inner.variables));
                self.script = script;
                self.variables = variables;
            }
            _ => step.open = true,
        }
    }

    /// Moves this walker's state into another that may have another world.
    fn fork<'w>(&mut self) -> Walker<'w, 'a>
    where
        'p: 'w,
    {
        Walker {
            project: self.project,
            world: self.world,
            script: std::mem::take(&mut self.script),
            variables: std::mem::take(&mut self.variables),
            folders: self.folders.clone(),
            prefix: self.prefix.clone(),
            image: self.image.clone(),
            pending: self.pending.clone(),
        }
    }

    fn requirements(
        &mut self,
        path: &str,
        file: File<'a>,
        step: &mut Installed,
        bounds: bool,
        via: &[(Span, Reason)],
        depth: usize,
    ) {
        for act in &file.outline.acts {
            if !self.takes(act) {
                continue;
            }
            match &act.does {
                Does::Require(requirement) => self.ask(requirement, step, bounds, via, path),
                Does::Index(index) => {
                    let index = self.index(index);
                    step.indexes.push(index);
                }
                Does::Include(include) => {
                    let mut inner = via.to_vec();
                    inner.insert(0, (act.at, Reason::BroughtBy { path: path.to_owned() }));
                    inner.truncate(4);
                    let how = if bounds { How::Constraints } else { include.how };
                    match self.beside(path, &include.path, how) {
                        Some((file, found)) => self.include(&found, file, how, step, &inner, depth + 1),
                        None => step.open = true,
                    }
                }
                _ => {}
            }
        }
    }

    fn conda_environment(&mut self, path: &str, file: File<'a>, at: Span, via: Vec<(Span, Reason)>) {
        let mut conda_step = self.step(Tool::Conda, at);
        let mut pip_step = self.step(Tool::Pip, at);
        for act in &file.outline.acts {
            if !self.takes(act) {
                continue;
            }
            match &act.does {
                Does::Require(r) if r.language == Language::MatchSpec => self.ask(r, &mut conda_step, false, &via, path),
                Does::Require(r) => self.ask(r, &mut pip_step, false, &via, path),
                Does::Index(index) if index.kind == IndexKind::Channel => {
                    let index = self.index(index);
                    conda_step.indexes.push(index);
                }
                Does::Index(index) => {
                    let index = self.index(index);
                    pip_step.indexes.push(index);
                }
                Does::Include(include) => match self.beside(path, &include.path, include.how) {
                    Some((file, found)) => self.include(&found, file, include.how, &mut pip_step, &via, 1),
                    None => pip_step.open = true,
                },
                Does::Set(variable) => self.set(variable, act.at),
                _ => {}
            }
        }
        for step in [conda_step, pip_step] {
            if !step.asks.is_empty() || step.open {
                self.push(step);
            }
        }
    }

    fn project_file(&mut self, path: &str, file: File<'a>, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for act in &file.outline.acts {
            if !self.takes(act) {
                continue;
            }
            match &act.does {
                Does::Require(requirement) => match requirement.role {
                    Role::Asks => self.ask(requirement, step, false, via, path),
                    Role::Bounds => self.ask(requirement, step, true, via, path),
                    Role::Overrides => {
                        let asked = self.asked(requirement, via);
                        step.overrides.push(asked);
                    }
                    Role::Builds => {}
                },
                Does::Index(index) => {
                    let index = self.index(index);
                    step.indexes.push(index);
                }
                Does::Route(route) => {
                    let routed = self.route(route);
                    step.routes.push(routed);
                }
                Does::Python(text) => {
                    if let Some(text) = self.variables.resolve(text) {
                        self.script.events.push(Event::Python(text));
                    }
                }
                Does::Lock(lock) => self.lock(lock, step, via),
                _ => {}
            }
        }
        if step.tool == Tool::Uv && file.kind == Kind::Pyproject {
            let lock = beside(path, "uv.lock");
            if let Some(file) = self.project.file(&lock) {
                self.enter(&lock, file);
                for act in &file.outline.acts {
                    if let Does::Lock(entry) = &act.does {
                        self.lock(entry, step, via);
                    }
                }
            } else {
                self.script.looked.insert(lock);
            }
        }
    }

    fn lock(&mut self, lock: &Locked, step: &mut Installed, via: &[(Span, Reason)]) {
        let mut holds = lock.markers.is_empty();
        for marker in &lock.markers {
            self.script.markers.insert(marker.clone());
            holds |= self.world.marker(marker) == Some(true);
        }
        if holds {
            step.locks.push((lock.clone(), via.to_vec()));
        }
    }

    fn ask(&mut self, requirement: &Requirement, step: &mut Installed, bounds: bool, via: &[(Span, Reason)], path: &str) {
        let asked = self.asked(requirement, via);
        // `.` and `-e .[x]` are projects: what they ask for stands in their own file.
        if let Some(text) = &asked.text
            && requirement.language == Language::Pep508
            && let Ok(parsed) = crate::notation::requirement::parse(text)
        {
            if let Some(marker) = text.split_once(';').map(|(_, m)| m.trim()).filter(|_| parsed.marker.is_some()) {
                self.script.markers.insert(marker.to_owned());
            }
            if let crate::notation::requirement::Subject::Path(folder) = &parsed.subject {
                let at = requirement.written.at;
                let found = match path {
                    "" => self.open_project(&Text::literal(folder.clone(), at)).and_then(|p| Some((self.project.file(&p)?, p))),
                    path => self.beside(path, &Text::literal(folder.clone(), at), How::Project),
                };
                match found {
                    Some((file, found)) => {
                        let mut inner = via.to_vec();
                        inner.insert(0, (at, Reason::BroughtBy { path: found.clone() }));
                        let before = std::mem::take(&mut step.flags.extras);
                        step.flags.extras = parsed.extras.iter().map(|e| Text::literal(e.clone(), at)).collect();
                        self.include(&found, file, How::Project, step, &inner, 1);
                        step.flags.extras = before;
                    }
                    None => step.open = true,
                }
                return;
            }
        }
        if bounds {
            step.bounds.push(asked);
        } else {
            step.asks.push(asked);
        }
    }

    fn asked(&self, requirement: &Requirement, via: &[(Span, Reason)]) -> Asked {
        Asked {
            text: self.variables.resolve(&requirement.written),
            language: requirement.language,
            at: requirement.written.at,
            also: via.to_vec(),
        }
    }

    fn index(&self, index: &IndexLine) -> Indexed {
        Indexed {
            url: self.variables.resolve(&index.url),
            kind: index.kind,
            name: index.name.clone(),
            explicit: index.explicit,
            at: index.url.at,
        }
    }

    fn route(&self, route: &Route) -> Routed {
        let index = match &route.to {
            RouteTo::Index(name) => self.variables.resolve(name),
            RouteTo::Url(_) | RouteTo::Elsewhere => None,
        };
        Routed { package: route.package.clone(), index }
    }

    // ---- opening ----

    /// The root-relative path of a file named by a command; `None` where it is not there or not known.
    fn open(&mut self, text: &Text) -> Option<String> {
        let path = self.variables.resolve(text)?;
        if let Some(image) = &self.image {
            let inside = paths::inside(&image.folder, &path);
            if image.contents.is_edited(&inside) {
                return None;
            }
            let (sources, contexts) = (image.contents.sources(&inside), image.contexts.clone());
            let wanted = contexts.iter().flat_map(|c| sources.iter().filter_map(move |s| paths::join(c, s)));
            return self.first(wanted.collect());
        }
        let folders = self.folders.clone();
        let wanted: Vec<String> = folders.iter().filter_map(|f| paths::join(f, &path)).collect();
        if wanted.is_empty() {
            self.script.outside.insert(path);
        }
        self.first(wanted)
    }

    fn first(&mut self, wanted: Vec<String>) -> Option<String> {
        for path in wanted {
            if self.project.file(&path).is_some() {
                return Some(path);
            }
            self.script.looked.insert(path);
        }
        None
    }

    /// The `pyproject.toml` of a folder named by a command.
    fn open_project(&mut self, text: &Text) -> Option<String> {
        let mut inner = text.clone();
        inner.pieces.push(crate::outline::Piece::Literal("/pyproject.toml".to_owned()));
        self.open(&inner)
    }

    /// A file named by a manifest, relative to its folder.
    fn beside(&mut self, path: &str, text: &Text, how: How) -> Option<(File<'a>, String)> {
        let written = self.variables.resolve(text)?;
        let written = if how == How::Project { format!("{written}/pyproject.toml") } else { written };
        let Some(found) = paths::join(paths::folder(path), &written) else {
            self.script.outside.insert(written);
            return None;
        };
        let file = self.project.file(&found);
        if file.is_none() {
            self.script.looked.insert(found.clone());
        }
        Some((file?, found))
    }
}

fn conda(name: &str) -> Prefix {
    // `/opt/conda/envs/x` and `-n x` are one environment.
    let name = name.rsplit_once("/envs/").map_or(name, |(_, last)| last);
    Prefix::Conda(name.trim_end_matches('/').to_owned())
}

/// `cd "$(dirname "$0")/.."`: the script's own folder and what follows; any other unknown folder is nowhere.
fn own_folder(path: &str, text: &Text) -> Vec<String> {
    use crate::outline::Piece;
    let rest = match text.pieces.as_slice() {
        [Piece::Opaque] => "",
        [Piece::Opaque, Piece::Literal(rest)] => rest,
        _ => return Vec::new(),
    };
    paths::join(paths::folder(path), rest.trim_start_matches('/')).into_iter().collect()
}
