//! Dockerfile stages: what they stand on, and what is copied into them.

use std::collections::BTreeSet;

use super::super::File;
use super::super::arguments::InPlace;
use super::super::context::LeftOut;
use super::super::givers::Gpu;
use super::super::paths;
use super::super::variables::{self, Seen, Value, Variables};
use super::acts::configures;
use super::{DEEPEST, Event, Link, Walker};
use crate::device::{self, Choice};
use crate::environment::Reason;
use crate::knowledge;
use crate::outline::{Copy, Does, Kind};
use crate::read::kind_by_name;
use crate::source::Span;

impl<'a> Walker<'_, 'a> {
    /// The `ARG`s before the first stage.
    pub(super) fn globals(&mut self, file: File<'a>) {
        let parts = self.project.parts(file);
        let before = parts.before();
        // For each stage anew: more than anybody writes is not read for any.
        if !self.bounds.globals(before * parts.len()) {
            return;
        }
        for act in &file.outline.acts[..before] {
            if let Does::Set(variable) = &act.does
                && let Some(image) = &mut self.image
            {
                let value = image.global_argument(variable, act.at);
                image.global.set(&variable.name, value);
            }
        }
    }

    /// A stage, after the stages it stands on.
    pub(super) fn stage(&mut self, path: &str, file: File<'a>, n: usize, depth: usize) {
        let acts = &file.outline.acts;
        let parts = self.project.parts(file);
        let Some((begin, end)) = parts.part(n, acts.len()) else { return };
        let Does::From(stage) = &acts[begin].does else { return };
        let image = self.image.as_ref().and_then(|i| i.global.resolve(&stage.image));
        let given = image.as_deref().and_then(|name| self.image.as_ref()?.in_place_of(name));
        let (earlier, image) = match given {
            Some(InPlace::Image(other) | InPlace::Built(other)) => (None, Some(other.to_owned())),
            Some(InPlace::Unknown) => (None, None),
            None => (image.as_deref().map(str::to_lowercase).and_then(|name| parts.last_named(&name, n)), image),
        };
        match earlier {
            Some(base) if depth < DEEPEST => {
                self.link(stage.image.at, Link::Found);
                self.stage(path, file, base, depth + 1);
                self.trigger(path, file, base);
                if let Some(Event::Base { also, .. }) = self.script.events.iter_mut().find(|e| matches!(e, Event::Base { .. })) {
                    also.push((acts[begin].at, Reason::Here));
                }
            }
            _ => {
                // Deeper than is followed: what it stands on is not known.
                let image = image.filter(|_| earlier.is_none());
                self.link(stage.image.at, if image.is_some() { Link::Found } else { Link::Untold });
                let is_built = image.as_deref().is_some_and(|image| self.on_built(path, image, acts[begin].at, depth));
                let image = image.filter(|_| !matches!(given, Some(InPlace::Built(_))));
                let also = self.image.as_ref().map(|i| i.global.reasons(&stage.image)).unwrap_or_default();
                if !is_built {
                    self.base_image(image, stage.image.at, also);
                }
            }
        }
        if let Some(image) = &mut self.image {
            image.stage = n;
        }
        if depth == 0 || self.bounds.again(end - begin) {
            self.acts(path, &acts[begin + 1..end], 0);
        }
    }

    /// What follows happens in an image, with what that sets for its programs; what others set for them stays.
    pub(super) fn base_image(&mut self, image: Option<String>, at: Span, also: Vec<(Span, Reason)>) {
        let is_set = self.variables.replaced("CUDA_VERSION").is_some_and(|value| value.seen == Seen::Programs);
        if let Some(version) = image.as_deref().and_then(knowledge::cuda_version).filter(|_| !is_set) {
            let value = Value::known(version.to_owned(), at, Seen::Programs).given(Vec::new());
            self.variables.set("CUDA_VERSION", value);
        }
        self.script.events.push(Event::Base { image, at, also });
    }

    /// Lets happen in a stage of the Dockerfile at `path` what the stage that it stands on has for that (`ONBUILD`).
    pub(super) fn trigger(&mut self, path: &str, file: File<'a>, base: usize) {
        let acts = &file.outline.acts;
        let (from, to) = self.project.parts(file).part(base, acts.len()).unwrap_or_default();
        for act in &acts[from..to] {
            if let Does::OnBuild(triggered) = &act.does {
                self.acts(path, triggered, 0);
            }
        }
    }

    /// The files that say what the build contexts leave out.
    pub(super) fn look_for_contexts(&mut self) {
        let Some(image) = &self.image else { return };
        let files = image.contexts.iter().flat_map(|context| LeftOut::files(&image.dockerfile, context)).flatten();
        for path in files.collect::<BTreeSet<_>>() {
            match self.project.file(&path) {
                Some(file) => drop(self.script.reached.insert(file.id)),
                None => drop(self.script.looked.insert((path, Kind::Dockerignore))),
            }
        }
    }

    /// The files whose variables stand in what is said of building it.
    pub(super) fn look_for_variables(&mut self, dockerfile: &str) {
        let files = &self.project.givers.of(dockerfile).interpolations;
        self.script.looked.extend(files.iter().map(|file| (file.clone(), Kind::EnvFile)));
    }

    /// Variables that whoever runs the image gives it, where all agree.
    pub(super) fn run_with(&mut self, dockerfile: &str) {
        let built = self.project.givers.of(dockerfile);
        self.script.unread_environment = built.unread_environment;
        for file in &built.environment_files {
            self.environment_file(file.as_deref());
        }
        self.script.unagreed.clone_from(&built.unagreed);
        for (name, value, at) in &built.environment {
            self.variables.set(name, Value::known(value.clone(), *at, Seen::Programs));
        }
    }

    /// Whether what a stage runs by itself chooses the CPU, and nobody runs it with a GPU.
    pub(super) fn is_on_cpu(&self, path: &str, file: File<'a>, n: usize) -> bool {
        let parts = self.project.parts(file);
        let name = match parts.part(n, file.outline.acts.len()).map(|(begin, _)| &file.outline.acts[begin].does) {
            Some(Does::From(stage)) => stage.name.clone().unwrap_or_else(|| n.to_string()),
            _ => return false,
        };
        let known = self.project.givers.of(path).gpu(&name, n + 1 == parts.len());
        let mut set = self.variables.exported().filter_map(|(name, value)| Some((name, value.text.as_deref()?)));
        let words = self.script.runs.words().map(|(word, _)| word);
        known != Some(Gpu::Yes)
            && (set.any(|(name, value)| device::hides_gpus(name, value, Choice::Cpu)) || device::says_cpu(words, Choice::Cpu))
    }

    /// The variables of a file that whoever runs the image gives it.
    pub(super) fn environment_file(&mut self, path: Option<&str>) {
        match path.and_then(|path| self.variables_of(path)) {
            Some(variables) => self.variables.add(variables.all_exported()),
            None => self.script.unread_environment = true,
        }
    }

    /// The variables of a file, if it is there.
    pub(super) fn variables_of(&mut self, path: &str) -> Option<Variables> {
        let Some(file) = self.project.file(path) else {
            self.script.looked.insert((path.to_owned(), Kind::EnvFile));
            return None;
        };
        if file.kind != Kind::EnvFile || !self.bounds.variables(file.outline.acts.len().min(variables::MOST)) {
            return None;
        }
        self.script.reached.insert(file.id);
        Some(Variables::of_file(file))
    }

    pub(super) fn copy(&mut self, path: &str, copy: &Copy) {
        let Some(to) = self.variables.resolve(&copy.to) else { return };
        let sources: Vec<String> = copy.sources.iter().filter_map(|s| self.variables.resolve(s)).collect();
        self.link_copied(copy);
        sources.iter().for_each(|source| self.put_cudnn(Some(source), copy.to.at));
        let Some(image) = &self.image else { return };
        self.ask_where(&to);
        let inside = paths::inside(&image.folder, &to);
        self.written.remove(&inside);
        let folder = to.ends_with('/') || to == "." || sources.len() > 1 || inside == image.folder;
        for source in &sources {
            let whole = if folder { paths::inside(&inside, paths::name(source)) } else { inside.clone() };
            match copy.from {
                None => {
                    self.configure(source, &whole, copy.to.at);
                    self.configure_all(source, &inside, copy.to.at);
                }
                Some(_) => configures(&mut self.configured, &mut self.variables, &whole, copy.to.at),
            }
        }
        let Some(image) = &mut self.image else { return };
        match &copy.from {
            None => {
                for source in &sources {
                    if source.contains("://") {
                        // What comes from elsewhere is not the file that lay there before.
                        let name = paths::name(source);
                        image.contents.edit(if folder { paths::inside(&inside, name) } else { inside.clone() });
                    } else {
                        image.contents.copy(source, &inside, folder);
                    }
                }
            }
            Some(from) => {
                if ["/usr", "/opt"].iter().any(|folder| inside == "/" || inside.starts_with(folder)) {
                    self.script.compilers_open = true;
                }
                let from = (self.variables.resolve(from), from.at);
                // A folder's contents are copied, not the folder.
                self.copy_from(path, from, &sources, &inside);
            }
        }
    }

    /// Of what comes from the build context, the files that are ours by name.
    fn link_copied(&mut self, copy: &Copy) {
        for source in copy.sources.iter().filter(|_| copy.from.is_none()) {
            let Some(path) = self.variables.resolve(source) else {
                self.link(source.at, Link::Untold);
                continue;
            };
            if kind_by_name(&path).is_none() || path.contains(['*', '?', '[', ':']) {
                continue;
            }
            let contexts = self.image.iter().flat_map(|image| image.contexts.iter().map(move |context| (image, context)));
            let mut lie = contexts.filter_map(|(image, context)| image.in_context(self.project, context, &path));
            let is_there = lie.any(|path| self.project.file(&path).is_some());
            self.link(source.at, if is_there { Link::Found } else { Link::Absent });
        }
    }
}
