//! Containers that are started: on what they stand, what they are given, and what is done in them.

use super::super::composed::interpolation_file;
use super::super::givers::Interpolations;
use super::super::made::Made;
use super::super::spoken::Name;
use super::super::variables::{Seen, Value, Variables};
use super::super::{File, inside, merged, paths};
use super::decided::Decided;
use super::{Event, ImageState, Walker};
use crate::environment::Reason;
use crate::outline::{Act, Does, Launch, Launcher, Piece, Scope, Text, Variable};
use crate::source::Span;

impl<'a> Walker<'_, 'a> {
    /// The container that the act at `at` starts.
    pub(super) fn launched(&mut self, path: &str, file: File<'a>, at: usize) {
        let acts = &file.outline.acts;
        let Some(Act { does: Does::Launch(launch), .. }) = acts.get(at) else { return };
        // Variables set before a `docker run` of a script hold for its image's name, and for what is mounted.
        let started = inside::started(acts, at);
        let mut before = self.project.parts(file).sets_for(launch, acts, at);
        if started.is_some() && launch.by != Launcher::Compose {
            self.begins_in(path, file, launch.key);
            before.extend(self.project.parts(file).way_to(at).iter().map(|at| &acts[*at]));
            before.sort_by_key(|act| std::ptr::from_ref::<Act>(act).addr());
        }
        if !self.bounds.again(before.len()) {
            return;
        }
        for act in before {
            match &act.does {
                Does::Set(variable) if self.takes(act) => self.set(variable, act.at),
                Does::Answer(answer) if self.takes(act) => self.answer(answer),
                Does::Enter(place) if self.takes(act) => self.go(place),
                _ => {}
            }
        }
        let mut decided = Decided::default();
        self.decide(&acts[at], &mut decided);
        self.script.suits_host |= decided.says().suits_host();
        let project = self.project;
        for act in project.parts(file).drivers_before(at).iter().map(|at| &acts[*at]) {
            if self.takes(act) {
                self.put_driver(&act.does);
            }
        }
        match inside::service(project, path, file, launch) {
            // A dev container is given what its service is, and more.
            Some((of, service)) => {
                self.stands(of, service, launch.key, false);
                self.given(path, &[launch.as_ref()]);
            }
            None => self.stands(path, launch, launch.key, started.is_some()),
        }
        if let Some(inside) = started {
            self.started(path, launch, inside);
        }
        if launch.by == Launcher::DockerRun {
            self.executed(path, file, at, launch.name.as_deref());
        }
        self.executed_in_service(path, launch);
        if launch.by == Launcher::Devcontainer {
            // The root is its working folder.
            self.acts(path, &acts[at + 1..], 0);
        }
    }

    /// What a launch in the file at `path` stands on, and what it is given; `worked_in` where more happens in its container.
    fn stands(&mut self, path: &str, launch: &'a Launch, key: Span, worked_in: bool) {
        let project = self.project;
        if let Some(file) = project.file(path) {
            self.script.reached.insert(file.id);
        }
        if let Some(variables) = interpolation_file(path, launch.by).and_then(|path| self.variables_of(&path)) {
            self.variables.add(variables);
        }
        self.differ_by_command(path, launch);
        let layers = project.merged.layers(path, launch);
        let made = project.givers.made(path, &layers, &mut Interpolations::new(project));
        let mounts = if worked_in { self.mounted(path, &layers) } else { Vec::new() };
        if merged::build(&layers).is_some() {
            let dockerfile = made.as_ref().map_or(path, |made| made.dockerfile.as_str());
            self.image =
                worked_in.then(|| ImageState::new(project, dockerfile, made.as_ref().and_then(|m| m.build).unwrap_or(0)));
            if made.as_ref().is_none_or(|made| self.makes(made, key, 1).is_none()) {
                self.script.events.push(Event::Base { image: None, at: key, also: Vec::new() });
            }
            self.lay(mounts, &layers);
            self.given(path, &layers);
            return;
        }
        let Some(image) = merged::imaged(&layers).and_then(|layer| layer.image.as_ref()) else {
            // A dev container whose service is not here.
            self.script.events.push(Event::Base { image: None, at: key, also: Vec::new() });
            return self.given(path, &layers);
        };
        self.script.suits_host |= self.variables.says_of(image).suits_host();
        let (name, own) = (self.variables.resolve(image), self.variable_of(image));
        let reasons = self.reasons(image);
        let apart = worked_in && !launch.shares_files;
        let built = name.as_deref().filter(|_| worked_in).and_then(|name| project.givers.stood_on(&Name::of(name)));
        let state = |made: &Made| ImageState::new(project, &made.dockerfile, made.build.unwrap_or(0));
        self.image = apart.then(|| built.map_or_else(|| ImageState::new(project, path, 0), state));
        let is_made = built.is_some_and(|made| self.makes(made, key, 1).is_some());
        self.lay(mounts, &layers);
        self.given(path, &layers);
        // Who wants another image changes the variable that names it.
        let launched = own.map(|_| (image.at, Reason::Launched { by: launch.by }));
        if is_made {
            return;
        }
        let also = launched.into_iter().chain(reasons).collect();
        self.script.events.push(Event::Base { image: name, at: own.unwrap_or(image.at), also });
    }

    /// What commands that start a compose file's services set otherwise is not known there.
    fn differ_by_command(&mut self, path: &str, launch: &Launch) {
        let project = self.project;
        let ways = if launch.by == Launcher::Compose { project.composed.ways(path) } else { &[] };
        for (name, value) in ways.iter().flat_map(Variables::all) {
            let known = self.variables.replaced(name).and_then(|own| own.text.as_ref());
            if known.is_none() || known != value.text.as_ref() {
                self.variables.set(name, Value::unknown(value.at, Seen::Shell));
            }
        }
    }

    /// Where the variable is set that an image's name is.
    fn variable_of(&self, image: &Text) -> Option<Span> {
        let value: Option<&Value> = match image.pieces.as_slice() {
            [Piece::Variable { name, instead: None, .. }] => self.variables.get(name),
            _ => None,
        };
        value.filter(|value| value.text.as_ref().is_some_and(|text| !text.is_empty())).map(|value| value.at)
    }

    /// The variables that a container is given, in a file at `path`.
    fn given(&mut self, path: &str, layers: &[&Launch]) {
        self.script.unread_environment |=
            layers.iter().any(|layer| layer.is_given_more() || self.project.givers.is_changed(layer));
        for file in merged::environment_files(layers) {
            let file = self.variables.resolve(file).and_then(|file| paths::join(paths::folder(path), &file));
            self.environment_file(file.as_deref());
        }
        for variable in merged::environment(layers) {
            let at = variable.value.as_ref().map_or_else(|| layers[0].key, |value| value.at);
            self.set(&Variable { scope: Scope::Environment, ..variable.clone() }, at);
        }
    }
}
