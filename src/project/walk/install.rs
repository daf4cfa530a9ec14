//! Installing commands and the manifests that they read.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::File;
use super::super::paths;
use super::super::worlds::World;
use super::prefix::conda;
use super::project::{Members, is_project};
use super::words::{Origins, Spoken, any_options};
use super::{Asked, Event, Indexed, Installed, Prefix, Routed, Walker};
use crate::environment::{Join, Reason, Untold};
use crate::knowledge;
use crate::notation::asking::Says;
use crate::notation::requirement::{self, Subject};
use crate::outline::{
    Choice, Does, How, Include, IndexKind, IndexLine, Install, InstallFlags, Kind, Language, Piece, Place, Requirement, Route,
    RouteTo, Target, Text, Tool,
};
use crate::source::Span;

impl<'p, 'a> Walker<'p, 'a> {
    pub(super) fn step(&self, tool: Tool, at: Span) -> Installed {
        Installed {
            tool,
            at,
            prefix: self.active(tool),
            made: false,
            asks: Vec::new(),
            bounds: Vec::new(),
            overrides: Vec::new(),
            locks: Vec::new(),
            indexes: Vec::new(),
            routes: Vec::new(),
            unheeded: Vec::new(),
            flags: InstallFlags::default(),
            torch_backend: None,
            index_strategy: None,
            open: false,
            bounds_open: false,
            // While an image is built no driver is there.
            no_cuda: tool == Tool::Conda && self.image.is_some() && self.variable("CONDA_OVERRIDE_CUDA").is_none(),
            cuda_elsewhere: false,
            folders: Vec::new(),
            extensions: Vec::new(),
            variables: Vec::new(),
            says: self.says,
            join: Join::Stated,
        }
    }

    pub(super) fn install(&mut self, at: Span, install: &Install) {
        match &install.line {
            None => self.install_as(at, install, Says::default(), None, &HashMap::new()),
            Some(line) => {
                if let Some(Spoken { install, says, any, from }) = self.spoken(line, install.tool, at) {
                    self.install_as(at, &install, says, any, &from);
                }
            }
        }
    }

    /// A command all of whose words are known, but for those that may be `any`.
    fn install_as(&mut self, at: Span, install: &Install, says: Says, any: Option<Span>, from: &Origins) {
        // Source: <https://docs.astral.sh/uv/reference/environment/#uv_no_sync>.
        if install.flags.elsewhere || install.flags.before_run && self.variable("UV_NO_SYNC").is_some() {
            return;
        }
        let mut step = self.step(install.tool, at);
        step.says |= says;
        if let Some(at) = any {
            any_options(&mut step, at);
        }
        step.flags = install.flags.clone();
        step.bounds_open |= install.flags.not_newest;
        step.torch_backend = install.flags.torch_backend.as_ref().map(|t| self.variables.resolve(t));
        step.index_strategy = install.flags.index_strategy.as_ref().map(|t| self.variables.resolve(t));
        step.prefix = self.prefix_to(install.tool, &install.target, &install.flags);
        // The Python that uv is told to install for.
        let python = install.flags.python.as_ref().filter(|_| matches!(install.tool, Tool::Uv | Tool::UvPip));
        if let Some((at, python)) = python.and_then(|text| Some((text.at, self.variables.resolve(text)?))) {
            self.script.events.push(Event::PythonOf { prefix: step.prefix.clone(), python, at, now: true });
        }
        let asked = install.asks.iter().map(|ask| &ask.written);
        let looked_at = install.indexes.iter().map(|index| &index.url);
        let read = install.reads.iter().map(|include| &include.path);
        let chosen = install.flags.torch_backend.iter();
        asked.chain(looked_at).chain(read).chain(chosen).for_each(|text| step.says |= self.variables.says_of(text));
        for index in &install.indexes {
            let mut index = self.index(index);
            index.also.extend(from.get(&index.at).into_iter().flatten().cloned());
            step.indexes.push(index);
        }
        for ask in &install.asks {
            let via = from.get(&ask.written.at).map_or(&[][..], Vec::as_slice);
            self.ask(ask, &mut step, false, via, "");
        }
        let via = [(at, Reason::InstalledBy)];
        // A script with metadata of its own has an environment of its own, and the project takes no part.
        let scripts = install.reads.iter().filter(|include| include.how == How::PythonScript);
        for include in scripts {
            if self.python_script(&include.path, at, &step, &via) {
                return;
            }
        }
        for include in install.reads.iter().filter(|include| include.how != How::PythonScript) {
            if include.how == How::CondaEnvironment {
                match self.open(&include.path, Kind::CondaEnvironment) {
                    Some((file, path)) => {
                        self.enter(&path, file);
                        // Without -n the file's own name holds.
                        let own = self.own_name(file);
                        let into = match (&install.target, own) {
                            (Target::Active, Some(name)) => conda(&name),
                            _ => step.prefix.clone(),
                        };
                        if let (true, Prefix::Conda(name)) = (install.flags.creates, &into) {
                            self.fresh.insert(name.clone());
                        }
                        let before = std::mem::replace(&mut self.prefix, into);
                        if file.kind == Kind::CondaLock {
                            let mut locked = Installed { prefix: self.prefix.clone(), ..self.step(Tool::Pip, at) };
                            locked.flags = install.flags.clone();
                            let world = self.chosen(&path, file, &mut locked);
                            let before = self.enter_world(world);
                            self.lock_file(file, &mut locked, &via);
                            self.world = before;
                            self.push(locked);
                        } else {
                            self.conda_environment(&path, file, at, via.to_vec());
                        }
                        self.prefix = before;
                    }
                    None => step.open = true,
                }
            } else {
                let mut via = via.to_vec();
                via.extend(from.get(&include.path.at).into_iter().flatten().cloned());
                via.extend(self.reasons(&include.path));
                if include.how == How::Project {
                    let is_here = self.open_project(&include.path, step.tool).is_some();
                    let folder = self.folder_of(include);
                    step.folders.extend(folder.map(|folder| if is_here { folder } else { cloned(folder) }));
                }
                let before = Before::of(&step);
                self.read(include, &mut step, &via, 0);
                if include.how == How::Project {
                    before.alone(&mut step);
                }
            }
        }
        let built = step.folders.iter().any(is_source_build);
        let nothing = step.asks.is_empty() && step.locks.is_empty() && step.extensions.is_empty() && !built && !step.open;
        if !nothing && !self.is_for_another(install) {
            self.push(step);
        }
    }

    /// The name that a conda environment's file gives it.
    pub(super) fn own_name(&self, file: File<'a>) -> Option<String> {
        file.outline.acts.iter().find_map(|act| match &act.does {
            Does::Enter(Place::CondaEnvironment(name)) => self.variables.resolve(name),
            _ => None,
        })
    }

    /// A file or project that a manifest leads to and that is not here. Of what is called like something that is compiled for the
    /// GPU it is known what it is.
    fn absent(&self, how: How, path: &Text, step: &mut Installed, via: &[(Span, Reason)]) {
        let folder = self.variables.resolve(path).filter(|_| how == How::Project).map(|folder| {
            let text = Some(format!("./{}", folder.trim_start_matches("./")));
            cloned(Asked { text, package: None, anything: false, language: Language::Pep508, at: path.at, also: via.to_vec() })
        });
        match folder.filter(|folder| folder.package.is_some() || is_source_build(folder)) {
            Some(folder) => step.folders.push(folder),
            None => unread(step, how, path),
        }
    }

    /// The folder of a project that is installed, as an ask: what is built in it has its name.
    fn folder_of(&self, include: &Include) -> Option<Asked> {
        let path = self.path(&include.path)?;
        self.ask_where(&path);
        let working = self.image.as_ref().map(|image| image.folder.as_str()).or(self.folders.first().map(String::as_str))?;
        let text = Some(format!("./{}", paths::inside(working, &path)));
        let (at, language) = (include.path.at, Language::Pep508);
        Some(Asked { text, package: None, anything: false, language, at, also: Vec::new() })
    }

    /// Whether a command installs for another machine than the one that is looked at, or for one that cannot be told.
    fn is_for_another(&self, install: &Install) -> bool {
        let Some(platform) = &install.flags.platform else { return false };
        // pip takes these only for packages that go into a folder of their own, to be carried elsewhere.
        install.tool != Tool::UvPip && install.tool != Tool::Uv
            || !self.variables.resolve(platform).is_some_and(|named| self.world.platform.is_named(&named))
    }

    /// A file named on a command line or by a variable.
    pub(super) fn read(&mut self, include: &Include, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
        let path = match include.how {
            How::Project => {
                let found = self.open_project(&include.path, step.tool);
                match found.as_ref().map(|(_, path)| self.members(path, step)) {
                    Some(Members::All(all)) => {
                        for (file, path) in all {
                            self.include(&path, file, include.how, step, via, depth);
                        }
                        return;
                    }
                    Some(Members::Unknown) => None,
                    Some(Members::NoneNamed) | None => found,
                }
            }
            How::CondaEnvironment => self.open(&include.path, Kind::CondaEnvironment),
            How::Script => self.open(&include.path, Kind::Script),
            // Those are read where they are met.
            How::Setup | How::PythonScript | How::Makefile | How::Compose | How::Pipeline | How::Manifest | How::Component => {
                return;
            }
            How::Requirements | How::Constraints | How::Overrides => self.open(&include.path, Kind::Requirements),
        };
        let Some((file, path)) = path else {
            unread(step, include.how, &include.path);
            if include.how == How::Overrides {
                let at = include.path.at;
                step.overrides.push(Asked {
                    text: None,
                    package: None,
                    anything: false,
                    language: Language::Pep508,
                    at,
                    also: via.to_vec(),
                });
            }
            return;
        };
        self.include(&path, file, include.how, step, via, depth);
    }

    pub(super) fn include(
        &mut self,
        path: &str,
        file: File<'a>,
        how: How,
        step: &mut Installed,
        via: &[(Span, Reason)],
        depth: usize,
    ) {
        if !self.bounds.follows(depth) {
            return;
        }
        self.enter(path, file);
        // A file that comes in again while it is read adds nothing that it does not say itself.
        if !self.bounds.enter(file.outline) {
            return;
        }
        match how {
            How::Requirements | How::Constraints if file.kind == Kind::Requirements => {
                self.requirements(path, file, step, how == How::Constraints, via, depth);
            }
            How::Overrides if file.kind == Kind::Requirements => {
                for act in &file.outline.acts {
                    if let Does::Require(requirement) = &act.does {
                        let asked = self.asked(requirement, via);
                        step.overrides.push(asked);
                    }
                }
            }
            How::Requirements if file.kind == Kind::Pylock => self.lock_file(file, step, via),
            How::Project if is_project(file.kind) || file.kind.is_lock() => {
                let world = self.chosen(path, file, step);
                // The extras hold inside the project only.
                let before = self.enter_world(world);
                if file.kind.is_lock() {
                    self.lock_file(file, step, via);
                } else {
                    self.project_file(path, file, step, via, depth);
                }
                self.world = before;
            }
            _ => step.open = true,
        }
        self.bounds.leave();
    }

    /// The world with what a step takes of a project or lock: extras, groups, an environment.
    pub(super) fn chosen(&mut self, path: &str, file: File<'a>, step: &mut Installed) -> World {
        let mut world = World::clone(&self.world);
        world.project = true;
        match self.locked_groups(path, step) {
            Some(groups) => {
                step.flags.parts_only |= !groups.contains(&Choice::Group("default".to_owned()));
                world.with.extend(groups);
            }
            None => {
                world.with.extend(self.extras(file, step));
                world.with.extend(self.groups(file, step));
            }
        }
        let named = step.flags.environment.as_ref().map(|name| self.variables.resolve(name));
        if named == Some(None) {
            step.open = true;
            return world;
        }
        let named = named.flatten().map(Choice::PixiEnvironment);
        world.with.extend(named.clone());
        // Without a name it is the default one, where the manifest puts any together.
        let wanted = named.unwrap_or_else(|| Choice::PixiEnvironment("default".to_owned()));
        let mut composed = self.project.parts(file).environments().iter().filter(|composed| composed.tool == step.tool);
        if let Some(composed) = composed.find(|composed| composed.with.contains(&wanted)) {
            world.project = composed.project;
            world.with.extend(composed.with.iter().cloned());
        }
        world
    }

    /// Goes into another world; gives back the one that was left.
    pub(super) fn enter_world(&mut self, world: World) -> Cow<'p, World> {
        std::mem::replace(&mut self.world, Cow::Owned(world))
    }

    pub(super) fn requirements(
        &mut self,
        path: &str,
        file: File<'a>,
        step: &mut Installed,
        bounds: bool,
        via: &[(Span, Reason)],
        depth: usize,
    ) {
        if !self.bounds.acts(&file.outline.acts) {
            return;
        }
        for act in &file.outline.acts {
            if self.bounds.left_out {
                return;
            }
            if !self.takes(act) {
                continue;
            }
            match &act.does {
                Does::Require(requirement) => self.ask(requirement, step, bounds, via, path),
                Does::Index(index) => {
                    let index = self.index(index);
                    step.indexes.push(index);
                }
                Does::Options(flags) => self.options(flags, step),
                Does::Include(include) => {
                    let how = if bounds { How::Constraints } else { include.how };
                    match self.beside(path, &include.path, how) {
                        Some((file, found)) => {
                            let mut inner = via.to_vec();
                            inner.insert(0, (act.at, Reason::BroughtBy { path: found.clone() }));
                            inner.truncate(4);
                            self.include(&found, file, how, step, &inner, depth + 1);
                        }
                        None => self.absent(how, &include.path, step, via),
                    }
                }
                _ => {}
            }
        }
    }

    /// Options that a manifest sets for the whole of an install; the command line's own come first.
    pub(super) fn options(&mut self, flags: &InstallFlags, step: &mut Installed) {
        step.flags.pre |= flags.pre;
        step.bounds_open |= flags.not_newest;
        step.flags.no_build_isolation |= flags.no_build_isolation;
        step.flags.no_binary.extend(flags.no_binary.iter().cloned());
        if step.index_strategy.is_none() {
            step.index_strategy = flags.index_strategy.as_ref().map(|t| self.variables.resolve(t));
        }
        if step.torch_backend.is_none() {
            step.torch_backend = flags.torch_backend.as_ref().map(|t| self.variables.resolve(t));
        }
    }

    pub(super) fn conda_environment(&mut self, path: &str, file: File<'a>, at: Span, via: Vec<(Span, Reason)>) {
        let mut conda_step = self.step(Tool::Conda, at);
        let mut pip_step = self.step(Tool::Pip, at);
        if !self.bounds.acts(&file.outline.acts) {
            return;
        }
        for act in &file.outline.acts {
            if self.bounds.left_out {
                return;
            }
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
                    Some((file, found)) => {
                        let mut inner = via.clone();
                        inner.insert(0, (act.at, Reason::BroughtBy { path: found.clone() }));
                        self.include(&found, file, include.how, &mut pip_step, &inner, 1);
                    }
                    None => self.absent(include.how, &include.path, &mut pip_step, &via),
                },
                Does::Set(variable) => self.set(variable, act.at),
                _ => {}
            }
        }
        for step in [conda_step, pip_step] {
            if !step.asks.is_empty() || !step.folders.is_empty() || step.open {
                self.push(step);
            }
        }
    }

    pub(super) fn ask(
        &mut self,
        requirement: &Requirement,
        step: &mut Installed,
        bounds: bool,
        via: &[(Span, Reason)],
        path: &str,
    ) {
        let mut asked = self.asked(requirement, via);
        // A package that is not known may hold any other to a version.
        step.bounds_open |= asked.text.is_none();
        if step.tool == Tool::Conda {
            // `conda install --file`: the lines are match specs.
            asked.language = Language::MatchSpec;
        }
        // `.` and `-e .[x]` are projects: what they ask for stands in their own file.
        if let Some(text) = &asked.text
            && requirement.language == Language::Pep508
            && let Ok(parsed) = requirement::parse(text)
        {
            if let Some(marker) = text.split_once(';').map(|(_, m)| m.trim()).filter(|_| parsed.marker.is_some()) {
                self.meet_marker(marker);
            }
            if let Subject::Path(folder) = &parsed.subject {
                let at = requirement.written.at;
                let found = match path {
                    "" => self.open_project(&Text::literal(folder.clone(), at), Tool::Pip),
                    path => self.beside(path, &Text::literal(folder.clone(), at), How::Project),
                };
                let alone = Before::of(step);
                match found {
                    Some((file, found)) => {
                        let mut inner = via.to_vec();
                        inner.insert(0, (at, Reason::BroughtBy { path: found.clone() }));
                        let before = std::mem::take(&mut step.flags.extras);
                        step.flags.extras = parsed.extras.iter().map(|e| Text::literal(e.clone(), at)).collect();
                        self.include(&found, file, How::Project, step, &inner, 1);
                        step.flags.extras = before;
                    }
                    None => {
                        asked = cloned(asked);
                        // What another project asks for stands in a file that is not here.
                        step.open |= asked.package.is_none() && !is_source_build(&asked);
                    }
                }
                alone.alone(step);
                // What is built in it has its name.
                if !bounds {
                    step.folders.push(asked);
                }
                return;
            }
            // What a project requires whose manifest lies elsewhere is not known.
            if let Subject::Elsewhere { name: None, url } = &parsed.subject {
                asked.package = knowledge::package_at(url).map(str::to_owned);
                step.open |= asked.package.is_none() && !bounds;
            }
            if let Subject::Package { name, wants, .. } = &parsed.subject {
                self.published_from_here(name, &parsed.extras, wants.pin().is_some(), requirement.written.at, step);
            }
        }
        if bounds {
            step.bounds.push(asked);
        } else {
            step.asks.push(asked);
        }
    }

    pub(super) fn asked(&self, requirement: &Requirement, via: &[(Span, Reason)]) -> Asked {
        let text = self.variables.resolve(&requirement.written);
        let package = if text.is_none() { package_of(&requirement.written) } else { None };
        let begins = matches!(requirement.written.pieces.first(), Some(Piece::Literal(_)));
        let unnamed = text.is_none() && package.is_none() && requirement.language == Language::Pep508;
        Asked {
            package,
            anything: unnamed && (!begins || archives(&requirement.written).is_some() || is_path(&requirement.written)),
            text,
            language: requirement.language,
            at: requirement.written.at,
            also: self.reasons(&requirement.written).into_iter().chain(via.iter().cloned()).collect(),
        }
    }

    pub(super) fn index(&self, index: &IndexLine) -> Indexed {
        Indexed {
            url: self.variables.resolve(&index.url).ok_or(Untold::Variable),
            kind: index.kind,
            name: index.name.clone(),
            explicit: index.explicit,
            in_project: false,
            at: index.url.at,
            also: self.reasons(&index.url),
        }
    }

    pub(super) fn route(&self, route: &Route) -> Routed {
        let (index, file) = match &route.to {
            RouteTo::Index(name) => (self.variables.resolve(name), None),
            RouteTo::Url(url) => (None, self.variables.resolve(url).map(|file| (file, url.at))),
            RouteTo::Here | RouteTo::Elsewhere => (None, None),
        };
        Routed { package: route.package.clone(), index, file }
    }
}

/// A folder that is not here, of which its name tells whose clone it may be.
fn cloned(folder: Asked) -> Asked {
    let package = folder.text.as_deref().and_then(knowledge::package_cloned_to).map(str::to_owned);
    Asked { package, ..folder }
}

/// Whether a folder is called like something that is compiled for the GPU where it is installed.
fn is_source_build(folder: &Asked) -> bool {
    folder.text.as_deref().is_some_and(|text| knowledge::source_build_in(text).is_some())
}

/// What a step asked for before a project took part.
struct Before {
    asks: usize,
    locks: usize,
    open: bool,
    bounds_open: bool,
}

impl Before {
    fn of(step: &Installed) -> Self {
        Self { asks: step.asks.len(), locks: step.locks.len(), open: step.open, bounds_open: step.bounds_open }
    }
    /// Where `--no-deps` says so, the project alone is installed, not what it requires.
    fn alone(&self, step: &mut Installed) {
        if step.flags.no_deps && matches!(step.tool, Tool::Pip | Tool::UvPip) {
            step.asks.truncate(self.asks);
            step.locks.truncate(self.locks);
            (step.open, step.bounds_open) = (self.open, self.bounds_open);
        }
    }
}

/// The names of wheels and archives of which not all is known: `torch` of `dist/torch-*.whl`; nothing of `dist/*.whl`, nor of
/// `dist/torch*.whl`, which may be torchvision's.
fn archives(written: &Text) -> Option<&str> {
    let [Piece::Literal(first), .., Piece::Literal(last)] = written.pieces.as_slice() else { return None };
    let file = first.rsplit('/').next()?;
    let is_archive = [".whl", ".tar.gz", ".zip"].iter().any(|end| last.ends_with(end));
    is_archive.then(|| file.split_once('-').map_or("", |(name, _)| name))
}

/// Whether a text of which only the beginning is known leads to files: `dist/*`.
fn is_path(written: &Text) -> bool {
    matches!(written.pieces.first(), Some(Piece::Literal(first)) if first.contains('/') && !first.contains(['@', ':']))
}

/// The package that a requirement names before what is not known of it: `torch==${VERSION}`.
fn package_of(written: &Text) -> Option<String> {
    let Some(Piece::Literal(text)) = written.pieces.first() else { return None };
    if text.contains("://") {
        return knowledge::package_at(text).map(str::to_owned);
    }
    if let Some(name) = archives(written) {
        return Some(requirement::normalise(name)).filter(|name| !name.is_empty());
    }
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))?;
    Some(requirement::normalise(&text[..end]))
        .filter(|name| !name.is_empty() && text[end..].starts_with([' ', '[', '=', '<', '>', '!', '~', ';', '@', '(']))
}

/// A file that takes part and cannot be read may hold anything its format allows: an index, a bound.
pub(super) fn unread(step: &mut Installed, how: How, path: &Text) {
    step.open = true;
    match how {
        How::Constraints => step.bounds_open = true,
        How::Requirements if step.tool != Tool::Conda => {
            let why = Untold::File(path.known().map(str::to_owned));
            step.indexes.push(Indexed::untold(why, path.at));
        }
        _ => {}
    }
}
