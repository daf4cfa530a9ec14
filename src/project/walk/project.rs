//! Projects: what their manifests require, in the order and under the conditions in which their tool reads them.

use super::super::File;
use super::super::installers::is_read_by;
use super::super::locks;
use super::super::manifests::{defaults, is_of_feature};
use super::super::paths::beside;
use super::install::unread;
use super::{Event, Installed, Prefix, Walker};
use crate::environment::{Reason, Unheeded, Untold, WhyUnheeded};
use crate::notation::requirement;
use crate::outline::{Act, Choice, Does, How, Include, Kind, Language, Role, Route, RouteTo, Text, Tool};
use crate::source::Span;

/// The members of a workspace that a command names.
pub(super) enum Members<'a> {
    NoneNamed,
    /// These, with their manifests.
    All(Vec<(File<'a>, String)>),
    /// One of them is not here.
    Unknown,
}

/// Whether a file is a project's manifest.
pub(super) fn is_project(kind: Kind) -> bool {
    matches!(kind, Kind::Pyproject | Kind::SetupPy | Kind::SetupCfg | Kind::Pipfile | Kind::Pixi)
}

impl<'a> Walker<'_, 'a> {
    /// The groups that a step takes of a project: those it names, and the defaults of its tool.
    pub(super) fn groups(&self, file: File<'a>, step: &Installed) -> Vec<Choice> {
        let named = |names: &[Text]| -> Vec<Choice> {
            let known = names.iter().filter_map(|name| self.variables.resolve(name));
            known.map(|name| Choice::Group(requirement::normalise(&name))).collect()
        };
        let all = || of_kind(file, |choice| matches!(choice, Choice::Group(_)));
        let mut groups = named(&step.flags.groups);
        if step.flags.all_groups {
            groups.extend(all().cloned());
        }
        if step.flags.default_groups {
            // Sources: <https://docs.astral.sh/uv/concepts/projects/dependencies/#default-groups>,
            // <https://pdm-project.org/latest/usage/dependency/#select-a-subset-of-dependency-groups-to-install>.
            let usual = || match step.tool {
                Tool::Uv => vec![Choice::Group("dev".to_owned())],
                Tool::Pdm => all().cloned().collect(),
                _ => Vec::new(),
            };
            let defaults = defaults(self.project, file, step.tool).unwrap_or_else(usual);
            // For pdm, one of them that is named stands for the others.
            if step.tool != Tool::Pdm || !groups.iter().any(|group| defaults.contains(group)) {
                groups.extend(defaults);
            }
        }
        let without = named(&step.flags.without);
        groups.retain(|group| !without.contains(group));
        groups
    }

    /// What pdm takes of a project where a command names no part of it: the parts that its lock was made for.
    /// Source: pdm-project/pdm@060a8e476b3b280ee0a82e033d7afcc7765fe64f:src/pdm/cli/filters.py.
    pub(super) fn locked_groups(&self, path: &str, step: &Installed) -> Option<Vec<Choice>> {
        let flags = &step.flags;
        let named = flags.all_extras || flags.all_groups || flags.parts_only || !step.asks.is_empty();
        let lists = [&flags.extras, &flags.groups, &flags.without];
        let unset = step.tool == Tool::Pdm && flags.default_groups && !named && lists.iter().all(|list| list.is_empty());
        locks::groups_of_pdm(self.project, path).filter(|_| unset)
    }

    /// The members that a step names, of the workspace of which a manifest is one.
    pub(super) fn members(&self, manifest: &str, step: &Installed) -> Members<'a> {
        let (project, workspaces) = (self.project, &self.project.workspaces);
        if step.flags.all_members {
            let root = workspaces.root(manifest).unwrap_or(manifest);
            let all = [root].into_iter().chain(workspaces.members(root));
            return Members::All(all.filter_map(|path| Some((project.file(path)?, path.to_owned()))).collect());
        }
        if step.flags.members.is_empty() {
            return Members::NoneNamed;
        }
        let named: Option<_> = step.flags.members.iter().map(|name| self.member(manifest, name)).collect();
        named.map_or(Members::Unknown, Members::All)
    }

    fn member(&self, manifest: &str, name: &Text) -> Option<(File<'a>, String)> {
        let name = requirement::normalise(&self.variables.resolve(name)?);
        let path = beside(&format!("{}/x", self.project.named.get(name.as_str())?), "pyproject.toml");
        let path = path.trim_start_matches('/');
        let workspaces = &self.project.workspaces;
        let root = |path| workspaces.root(path).unwrap_or(path).to_owned();
        let file = self.project.file(path).filter(|_| root(path) == root(manifest))?;
        Some((file, path.to_owned()))
    }

    /// The extras that a step takes of a project.
    pub(super) fn extras(&self, file: File<'a>, step: &Installed) -> Vec<Choice> {
        let named = |names: &[Text]| -> Vec<Choice> {
            let known = names.iter().filter_map(|name| self.variables.resolve(name));
            known.map(|name| Choice::Extra(requirement::normalise(&name))).collect()
        };
        let mut extras = named(&step.flags.extras);
        if step.flags.all_extras {
            let without = named(&step.flags.without);
            let all = of_kind(file, |choice| matches!(choice, Choice::Extra(_)));
            extras.extend(all.filter(|extra| !without.contains(extra)).cloned());
        }
        extras
    }

    pub(super) fn project_file(
        &mut self,
        path: &str,
        file: File<'a>,
        step: &mut Installed,
        via: &[(Span, Reason)],
        depth: usize,
    ) {
        // Members of a workspace find each other by its root's routes, too.
        let root = self.project.workspaces.root(path).and_then(|root| self.project.file(root));
        let acts = root.into_iter().chain([file]).flat_map(|file| &file.outline.acts);
        let here = acts.filter(|_| step.tool == Tool::Uv).filter_map(|act| match &act.does {
            Does::Route(Route { package, to: RouteTo::Here }) => Some(package.as_str()),
            _ => None,
        });
        let before = std::mem::replace(&mut self.here, here.collect());
        self.project_in_full(path, file, step, via, depth);
        self.here = before;
    }

    fn project_in_full(&mut self, path: &str, file: File<'a>, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
        if !self.bounds.follows(depth) || !self.bounds.acts(&file.outline.acts) {
            return;
        }
        let uv = step.tool == Tool::Uv;
        if uv && self.image.is_none() {
            self.python_beside(path);
        }
        // Another file may take the place of the settings here.
        let settings = if uv && file.kind == Kind::Pyproject { self.settings_of_uv(path) } else { None };
        let of_uv = matches!(step.tool, Tool::Uv | Tool::UvPip);
        let root = self.project.workspaces.root(path).filter(|_| of_uv && file.kind == Kind::Pyproject);
        // On other machines uv refuses, and what excludes each other it never installs.
        let resolved = root.and_then(|root| self.project.file(root)).unwrap_or(file);
        if uv && (!self.is_resolved_here(resolved) || self.is_in_conflict(resolved) || self.is_in_conflict(file)) {
            return;
        }
        let parts_only = !self.world.project;
        let mut cuda = self.variable("CONDA_OVERRIDE_CUDA").is_some();
        let acts = &file.outline.acts;
        // poetry looks at all of them, installed or not.
        let looked_at = if step.tool == Tool::Poetry {
            (0..acts.len()).collect()
        } else {
            self.project.parts(file).under(self.world.with.iter())
        };
        for act in looked_at.into_iter().map(|at| &acts[at]) {
            if self.bounds.left_out {
                return;
            }
            if step.flags.parts_only && is_asked_always(act) {
                self.bounds_of_others(path, act, step, via);
                continue;
            }
            if parts_only && !is_of_feature(act) || settings.is_some() && is_setting(act) {
                // A member's own sources find its own indexes.
                if let Does::Index(index) = &act.does
                    && root.is_some()
                    && index.name.is_some()
                {
                    let named = self.index(index);
                    step.indexes.push(super::Indexed { explicit: true, ..named });
                }
                continue;
            }
            if !self.takes_for(step.tool, act) {
                self.bounds_of_others(path, act, step, via);
                continue;
            }
            match &act.does {
                // The CUDA that pixi takes to be there.
                Does::Require(r) if r.language == Language::MatchSpec && r.role == Role::Bounds => cuda = true,
                // One of its tasks.
                Does::OnCuda => self.script.on_cuda = self.script.on_cuda.or(Some(act.at)),
                // `uv pip` takes its settings from where it runs; a route needs its index all the same.
                Does::Index(index) if step.tool == Tool::UvPip => {
                    if index.name.is_some() {
                        let named = self.index(index);
                        step.indexes.push(super::Indexed { explicit: true, ..named });
                    }
                }
                Does::Options(_) if step.tool == Tool::UvPip => {}
                Does::Route(route) if of_uv => match self.unheeded(file, root.is_some(), route) {
                    Some(why) => step.unheeded.push(Unheeded { package: route.package.clone(), at: act.at, why }),
                    None => self.project_act(path, act, step, via, depth),
                },
                _ => self.project_act(path, act, step, via, depth),
            }
        }
        if let Some(settings) = settings {
            self.settings(&settings, step);
        }
        if let Some(root) = root {
            if self.project.workspaces.is_too_much(self.project, root) {
                (step.open, step.bounds_open) = (true, true);
                step.indexes.push(super::Indexed::untold(Untold::TooMuch, step.at));
                return;
            }
            self.of_workspace(root, step);
        }
        // Without it, pixi takes builds for machines without a GPU, whatever the machine has.
        let of_machine =
            |act: &Act| matches!(&act.does, Does::Require(r) if r.language == Language::MatchSpec && r.role == Role::Bounds);
        step.cuda_elsewhere |= acts.iter().any(of_machine);
        step.no_cuda = step.tool == Tool::Pixi && !cuda && (step.no_cuda || depth == 0);
        if file.kind == Kind::SetupPy && depth == 0 {
            let at = Span::new(file.id, 0, 0);
            self.set_up(path, &Text::literal("setup.cfg", at), step, via, depth);
        }
        self.lock_beside(root.unwrap_or(path), step, via);
    }

    /// Why uv does not heed the source that a project names for a package, where that is sure. Those of a workspace's root are
    /// for its members, and what a project's other files ask for has its sources, too.
    fn unheeded(&self, file: File<'a>, member: bool, route: &Route) -> Option<WhyUnheeded> {
        let acts = &file.outline.acts;
        if member || file.kind != Kind::Pyproject || acts.iter().any(|act| matches!(act.does, Does::Members(_))) {
            return None;
        }
        let of_group = |act: &Act| act.when.0.iter().any(|choice| matches!(choice, Choice::Group(_)));
        if file.outline.name.is_none() {
            return (!acts.iter().any(of_group)).then_some(WhyUnheeded::NoProject);
        }
        let others = acts.iter().any(|act| matches!(act.does, Does::Include(_)));
        (!others && !self.project.parts(file).names(&route.package)).then_some(WhyUnheeded::NotNamed)
    }

    /// Whether uv may have worked a project out for such a machine.
    /// Source: <https://docs.astral.sh/uv/reference/settings/#environments>.
    fn is_resolved_here(&self, root: File<'a>) -> bool {
        let of_act = |act: &'a Act| if let Does::ResolvedFor(markers) = &act.does { Some(markers) } else { None };
        let Some(markers) = root.outline.acts.iter().find_map(of_act) else { return true };
        let excludes = |marker: &Text| marker.known().and_then(|marker| self.world.marker(marker)) == Some(false);
        markers.is_empty() || !markers.iter().all(excludes)
    }

    /// Whether more than one of what a project says to exclude each other is taken.
    /// Source: <https://docs.astral.sh/uv/concepts/projects/config/#conflicting-dependencies>.
    fn is_in_conflict(&self, file: File<'a>) -> bool {
        let taken = |all: &[Choice]| all.iter().filter(|choice| self.world.with.contains(*choice)).count();
        file.outline.acts.iter().any(|act| matches!(&act.does, Does::Conflict(all) if taken(all) > 1))
    }

    /// poetry works out one version of each package for all groups and extras, installed or not.
    /// Source: <https://python-poetry.org/docs/managing-dependencies/#dependency-groups>.
    fn bounds_of_others(&mut self, path: &str, act: &Act, step: &mut Installed, via: &[(Span, Reason)]) {
        let Does::Require(requirement) = &act.does else { return };
        if step.tool != Tool::Poetry || requirement.role != Role::Asks || !is_read_by(step.tool, act) {
            return;
        }
        let markers = act.when.0.iter().filter(|choice| !matches!(choice, Choice::Extra(_) | Choice::Group(_)));
        if self.world.takes(markers) == Some(true) {
            self.ask(requirement, step, true, via, path);
        }
    }

    fn project_act(&mut self, path: &str, act: &Act, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
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
                step.indexes.push(super::Indexed { in_project: true, ..index });
            }
            Does::Options(flags) => self.options(flags, step),
            Does::Route(route) => {
                let routed = self.route(route);
                step.routes.push(routed);
            }
            Does::Python(text) => {
                if let Some(python) = self.variables.resolve(text) {
                    self.script.events.push(Event::Python(python, text.at));
                }
            }
            Does::Set(variable) => self.set(variable, act.at),
            Does::Include(include) => self.brought(path, include, act.at, step, via, depth),
            Does::Compile(compile) => {
                let tests = compile.arguments.iter().map(|word| word.known().map(str::to_owned)).collect();
                step.extensions.push((act.at, tests));
            }
            _ => {}
        }
    }

    /// A file that a manifest leads to.
    fn brought(&mut self, path: &str, include: &Include, at: Span, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
        if include.how == How::Setup {
            return self.set_up(path, &include.path, step, via, depth);
        }
        let Some((file, found)) = self.beside(path, &include.path, include.how) else {
            return unread(step, include.how, &include.path);
        };
        let mut inner = via.to_vec();
        inner.insert(0, (at, Reason::BroughtBy { path: found.clone() }));
        inner.truncate(4);
        // A build takes the requirements of a file, and not its indexes.
        let before = step.indexes.len();
        let extras = std::mem::take(&mut step.flags.extras);
        step.flags.extras = extras_of(&include.path);
        self.include(&found, file, include.how, step, &inner, depth + 1);
        step.flags.extras = extras;
        if include.how == How::Requirements {
            step.indexes.truncate(before);
        }
    }

    /// `setup.cfg` or `setup.py` beside, if there is one; or what is worked out when it is run.
    fn set_up(&mut self, path: &str, name: &Text, step: &mut Installed, via: &[(Span, Reason)], depth: usize) {
        if self.variables.resolve(name).is_none() {
            (step.open, step.bounds_open) = (true, true);
            return;
        }
        if let Some((file, found)) = self.beside(path, name, How::Setup)
            && self.bounds.enter(file.outline)
        {
            self.enter(&found, file);
            self.project_file(&found, file, step, via, depth + 1);
            self.bounds.leave();
        }
    }

    /// The metadata of a script, in an environment of its own; whether it has any.
    pub(super) fn python_script(&mut self, script: &Text, at: Span, command: &Installed, via: &[(Span, Reason)]) -> bool {
        let Some((file, found)) = self.open(script, Kind::PythonScript) else { return false };
        if file.kind != Kind::PythonScript || file.outline.acts.is_empty() {
            return false;
        }
        self.enter(&found, file);
        let mut step = Installed { prefix: Prefix::Venv(found.clone()), at, ..command.clone() };
        self.project_file(&found, file, &mut step, via, 1);
        self.push(step);
        true
    }

    /// A package that is asked for by its name, and that the root itself defines: what it requires holds for the others, as far
    /// as it can be read here. What an older version required is not known.
    pub(super) fn published_from_here(&mut self, name: &str, extras: &[String], pinned: bool, at: Span, step: &mut Installed) {
        let Some((name, folder)) = self.project.named.get_key_value(name) else { return };
        let first = self.published.is_empty();
        // Members of a monorepo ask for each other over and over.
        if !pinned && !self.published.insert(*name) {
            return;
        }
        let mut own = self.step(step.tool, at);
        own.flags.extras = extras.iter().map(|extra| Text::literal(extra.clone(), at)).collect();
        let found = self.beside("", &Text::literal(format!("./{folder}"), at), How::Project);
        match found {
            Some((file, path)) if !pinned && !self.bounds.is_deep() => {
                self.script.reached.insert(file.id);
                // A project that asks for itself says nothing new.
                if self.bounds.enter(file.outline) {
                    let world = self.chosen(&path, file, &mut own);
                    let before = self.enter_world(world);
                    self.project_file(&path, file, &mut own, &[], 1);
                    self.world = before;
                    self.bounds.leave();
                }
            }
            _ => own.open = true,
        }
        if first {
            self.published.clear();
        }
        // What is routed to its folder comes from there.
        if self.here.contains(name) { &mut step.asks } else { &mut step.bounds }.extend(own.asks);
        step.bounds.extend(own.bounds);
        step.bounds_open |= own.open || own.bounds_open;
    }

    /// `.python-version` beside a manifest.
    pub(super) fn python_beside(&mut self, path: &str) {
        let path = beside(path, ".python-version");
        let Some(file) = self.project.file(&path) else {
            self.script.looked.insert((path, Kind::PythonVersion));
            return;
        };
        self.enter(&path, file);
        let versions =
            file.outline.acts.iter().filter_map(|act| if let Does::Python(python) = &act.does { Some(python) } else { None });
        let resolved = versions.filter_map(|version| Some(Event::Python(self.variables.resolve(version)?, version.at)));
        self.script.events.extend(resolved);
    }
}

/// Whether an act is asked for whichever parts of a project are named.
fn is_asked_always(act: &Act) -> bool {
    let asks = match &act.does {
        Does::Require(requirement) => requirement.role == Role::Asks && requirement.language == Language::Pep508,
        Does::Include(_) => true,
        _ => false,
    };
    asks && !is_of_part(act)
}

/// Whether an act belongs to an extra or a group.
pub(super) fn is_of_part(act: &Act) -> bool {
    act.when.0.iter().any(|choice| matches!(choice, Choice::Extra(_) | Choice::Group(_)))
}

/// The choices of a kind that a manifest or lock has.
fn of_kind<'a>(file: File<'a>, is_one: impl Fn(&Choice) -> bool + Copy) -> impl Iterator<Item = &'a Choice> {
    file.outline.acts.iter().flat_map(|act| &act.when.0).filter(move |choice| is_one(choice))
}

/// The extras of a folder, `./sub[gpu]`.
fn extras_of(path: &Text) -> Vec<Text> {
    let listed = path.known().and_then(|path| path.split_once('[')).map_or("", |(_, list)| list.trim_end_matches(']'));
    listed.split(',').filter(|extra| !extra.trim().is_empty()).map(|extra| Text::literal(extra.trim(), path.at)).collect()
}

/// What a `uv.toml` says in place of `[tool.uv]`.
pub(super) fn is_setting(act: &Act) -> bool {
    let of_uv = act.when.0.iter().any(|choice| matches!(choice, Choice::For(Tool::Uv | Tool::UvPip)));
    let said = match &act.does {
        Does::Index(index) => !index.explicit,
        Does::Options(_) => true,
        Does::Require(requirement) => matches!(requirement.role, Role::Bounds | Role::Overrides),
        _ => false,
    };
    of_uv && said
}
