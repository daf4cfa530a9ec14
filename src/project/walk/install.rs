//! Installing commands and the manifests that they read.

use std::borrow::Cow;

use super::super::File;
use super::super::starts::beside;
use super::super::variables::Value;
use super::super::worlds::World;
use super::acts::{conda, first_on_path, venv};
use super::{Asked, DEEPEST, Event, Indexed, Installed, Prefix, Routed, Walker};
use crate::environment::{Join, Reason};
use crate::notation::requirement::{self, Subject};
use crate::outline::{
    Choice, Does, How, Include, IndexKind, IndexLine, Install, InstallFlags, Kind, Language, Locked, Piece, Place, Requirement,
    Role, Route, RouteTo, Target, Text, Tool,
};
use crate::source::Span;

impl<'a> Walker<'_, 'a> {
    pub(super) fn step(&self, tool: Tool, at: Span) -> Installed {
        Installed {
            tool,
            at,
            prefix: self.active(tool),
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
            bounds_open: false,
            join: Join::Stated,
        }
    }

    /// The prefix that a command without a target installs into.
    pub(super) fn active(&self, tool: Tool) -> Prefix {
        if self.prefix != Prefix::System || tool == Tool::Conda {
            return self.prefix.clone();
        }
        let exported = |name: &str| self.variables.get(name).filter(|v| v.exported);
        let own = exported("VIRTUAL_ENV").and_then(|v| v.text.as_deref()).map(|v| v.trim_end_matches('/'));
        let path = exported("PATH").and_then(|v| first_on_path(&v.written, own, &self.made));
        // uv installs into VIRTUAL_ENV whatever PATH says.
        let by_uv = || own.filter(|_| tool != Tool::Pip).map(|own| venv(own.to_owned()));
        path.or_else(by_uv).unwrap_or_default()
    }

    /// Adds what variables say (`PIP_EXTRA_INDEX_URL` …), and lets the step happen.
    pub(super) fn push(&mut self, mut step: Installed) {
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
        // Another configuration file takes the place of pip's or uv's own, and is not read.
        if let Some(at) = self
            .variable(if pip { "PIP_CONFIG_FILE" } else { "UV_CONFIG_FILE" })
            .filter(|v| v.text.as_deref() != Some("/dev/null"))
            .map(|v| v.at)
        {
            step.indexes.push(Indexed { url: None, kind: IndexKind::Extra, name: None, explicit: false, at });
        }
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
                (None, at) => unread(&mut step, How::Constraints, &Text { pieces: vec![Piece::Opaque], at }),
            }
        }
        if !pip && step.torch_backend.is_none() {
            step.torch_backend = self.variable("UV_TORCH_BACKEND").map(|v| v.text.clone());
        }
        if !pip && step.index_strategy.is_none() {
            step.index_strategy = self.variable("UV_INDEX_STRATEGY").map(|v| v.text.clone());
        }
        self.bounds.step(step.asks.len() + step.locks.len());
        self.script.events.push(Event::Install(Box::new(step)));
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        let pending = self.pending.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v);
        pending.or_else(|| self.variables.get(name).filter(|v| v.exported))
    }

    pub(super) fn install(&mut self, at: Span, install: &Install) {
        if install.flags.elsewhere {
            return;
        }
        let mut step = self.step(install.tool, at);
        step.flags = install.flags.clone();
        step.torch_backend = install.flags.torch_backend.as_ref().map(|t| self.variables.resolve(t));
        step.index_strategy = install.flags.index_strategy.as_ref().map(|t| self.variables.resolve(t));
        step.prefix = match &install.target {
            Target::Active => self.active(install.tool),
            // The first of several Pythons is the start's own; each has packages of its own.
            Target::Python(minor) => match self.active(install.tool) {
                Prefix::System if self.minor.get_or_insert_with(|| minor.clone()) != minor => {
                    Prefix::Venv(format!("python{minor}"))
                }
                active => active,
            },
            Target::Named(name) => self.variables.resolve(name).map_or(Prefix::Unknown, |n| conda(&n)),
            Target::Prefix(folder) => self.variables.resolve(folder).map_or(Prefix::Unknown, |f| match install.tool {
                Tool::Conda => conda(&f),
                _ => venv(f),
            }),
        };
        if install.flags.creates
            && let Target::Prefix(folder) = &install.target
            && let Some(folder) = self.variables.resolve(folder)
        {
            self.make(&folder);
        }
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
                match self.open(&include.path, Kind::CondaEnvironment).and_then(|p| Some((self.project.file(&p)?, p))) {
                    Some((file, path)) => {
                        self.enter(&path, file);
                        // Without -n the file's own name holds.
                        let own = file.outline.acts.iter().find_map(|a| match &a.does {
                            Does::Enter(Place::CondaEnvironment(name)) => self.variables.resolve(name),
                            _ => None,
                        });
                        let into = match (&install.target, own) {
                            (Target::Active, Some(name)) => conda(&name),
                            _ => step.prefix.clone(),
                        };
                        let before = std::mem::replace(&mut self.prefix, into);
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
    pub(super) fn read(&mut self, include: &Include, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
        let path = match include.how {
            How::Project => self.open_project(&include.path),
            How::CondaEnvironment => self.open(&include.path, Kind::CondaEnvironment),
            How::Script => self.open(&include.path, Kind::Script),
            How::Requirements | How::Constraints | How::Overrides => self.open(&include.path, Kind::Requirements),
        };
        let Some((file, path)) = path.and_then(|p| Some((self.project.file(&p)?, p))) else {
            unread(step, include.how, &include.path);
            if include.how == How::Overrides {
                let at = include.path.at;
                step.overrides.push(Asked { text: None, language: Language::Pep508, at, also: via.to_vec() });
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
        if depth > DEEPEST {
            return;
        }
        self.enter(path, file);
        // A file that comes in again while it is read adds nothing that it does not say itself.
        if !self.bounds.enter(file.id) {
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
            How::Project if file.kind == Kind::Pyproject => {
                let extras: Vec<String> = step.flags.extras.iter().filter_map(|e| self.variables.resolve(e)).collect();
                let groups: Vec<String> = step.flags.groups.iter().filter_map(|g| self.variables.resolve(g)).collect();
                let chosen = extras.into_iter().map(|e| Choice::Extra(requirement::normalise(&e)));
                let groups = groups.into_iter().map(|g| Choice::Group(requirement::normalise(&g)));
                let mut world = World::clone(&self.world);
                world.with.extend(chosen.chain(groups));
                if step.flags.all_extras {
                    let all = file.outline.acts.iter().flat_map(|a| &a.when.0).filter(|c| matches!(c, Choice::Extra(_)));
                    world.with.extend(all.cloned());
                }
                // The extras hold inside the project only.
                let before = std::mem::replace(&mut self.world, Cow::Owned(world));
                self.project_file(path, file, step, via, depth);
                self.world = before;
            }
            _ => step.open = true,
        }
        self.bounds.leave();
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
                        None => unread(step, how, &include.path),
                    }
                }
                _ => {}
            }
        }
    }

    /// Options that a manifest sets for the whole of an install; the command line's own come first.
    pub(super) fn options(&mut self, flags: &InstallFlags, step: &mut Installed) {
        step.flags.pre |= flags.pre;
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
                    None => unread(&mut pip_step, include.how, &include.path),
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

    pub(super) fn project_file(
        &mut self,
        path: &str,
        file: File<'a>,
        step: &mut Installed,
        via: &[(Span, Reason)],
        depth: usize,
    ) {
        if depth > DEEPEST || !self.bounds.acts(&file.outline.acts) {
            return;
        }
        for at in self.project.parts(file.id).under(self.world.with.iter()) {
            let act = &file.outline.acts[at];
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
                Does::Options(flags) => self.options(flags, step),
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
            if let Some(file) = self.project.file(&lock).filter(|file| self.bounds.acts(&file.outline.acts)) {
                self.enter(&lock, file);
                for act in &file.outline.acts {
                    if let Does::Lock(entry) = &act.does {
                        self.lock(entry, step, via);
                    }
                }
            } else {
                self.script.looked.insert((lock, Kind::UvLock));
            }
        }
    }

    pub(super) fn lock(&mut self, lock: &Locked, step: &mut Installed, via: &[(Span, Reason)]) {
        let mut holds = lock.markers.is_empty();
        for marker in &lock.markers {
            self.script.markers.insert(marker.clone());
            holds |= self.world.marker(marker) == Some(true);
        }
        if holds {
            step.locks.push((lock.clone(), via.to_vec()));
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
                self.script.markers.insert(marker.to_owned());
            }
            if let Subject::Path(folder) = &parsed.subject {
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

    pub(super) fn asked(&self, requirement: &Requirement, via: &[(Span, Reason)]) -> Asked {
        Asked {
            text: self.variables.resolve(&requirement.written),
            language: requirement.language,
            at: requirement.written.at,
            also: via.to_vec(),
        }
    }

    pub(super) fn index(&self, index: &IndexLine) -> Indexed {
        Indexed {
            url: self.variables.resolve(&index.url),
            kind: index.kind,
            name: index.name.clone(),
            explicit: index.explicit,
            at: index.url.at,
        }
    }

    pub(super) fn route(&self, route: &Route) -> Routed {
        let index = match &route.to {
            RouteTo::Index(name) => self.variables.resolve(name),
            RouteTo::Url(_) | RouteTo::Elsewhere => None,
        };
        Routed { package: route.package.clone(), index }
    }
}

/// Begins the address of an index that an unread file may name; the file's path follows.
pub(crate) const UNREAD: &str = "unread:";

/// A file that takes part and cannot be read may hold anything its format allows: an index, a bound.
fn unread(step: &mut Installed, how: How, path: &Text) {
    step.open = true;
    match how {
        How::Constraints => step.bounds_open = true,
        How::Requirements if step.tool != Tool::Conda => {
            let url = path.known().map(|path| format!("{UNREAD}{path}"));
            step.indexes.push(Indexed { url, kind: IndexKind::Extra, name: None, explicit: false, at: path.at });
        }
        _ => {}
    }
}
