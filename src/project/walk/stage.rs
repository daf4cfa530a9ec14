//! Dockerfile stages: what they stand on, and what is copied into them.

use super::super::File;
use super::super::paths;
use super::super::variables::{Value, Variables};
use super::acts::configures;
use super::{DEEPEST, Event, ImageState, Prefix, Walker};
use crate::environment::Reason;
use crate::outline::{Act, Copy, Does};
use crate::source::Span;

impl<'a> Walker<'_, 'a> {
    /// A stage, after the stages it stands on.
    pub(super) fn stage(&mut self, path: &str, file: File<'a>, n: usize, depth: usize) {
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
                let end = froms.get(base + 1).copied().unwrap_or(acts.len());
                let triggers: Vec<&'a [Act]> = acts[froms[base]..end]
                    .iter()
                    .filter_map(|act| if let Does::OnBuild(acts) = &act.does { Some(acts.as_slice()) } else { None })
                    .collect();
                for acts in triggers {
                    self.acts(path, acts, 0);
                }
                if let Some(Event::Base { also, .. }) = self.script.events.iter_mut().find(|e| matches!(e, Event::Base { .. })) {
                    also.push((acts[begin].at, Reason::Here));
                }
            }
            _ => {
                // Only what FROM gives is there: global ARGs are not, until a stage declares them again.
                for name in self.image.iter().flat_map(|i| i.global.keys().cloned()).collect::<Vec<_>>() {
                    self.variables.forget(&name);
                }
                // Deeper than is followed: what it stands on is not known.
                let image = image.filter(|_| earlier.is_none());
                self.script.events.push(Event::Base { image, at: stage.image.at, also: Vec::new() });
            }
        }
        if let Some(image) = &mut self.image {
            image.stage = n;
        }
        let end = froms.get(n + 1).copied().unwrap_or(acts.len());
        self.acts(path, &acts[begin + 1..end], 0);
    }

    /// Variables that whoever runs the image gives it, where all agree.
    pub(super) fn run_with(&mut self, dockerfile: &str) {
        let Some((first, rest)) = self.project.givers.of(dockerfile).split_first() else { return };
        self.script.unread_environment = first.unread_environment || rest.iter().any(|g| g.unread_environment);
        for (name, value, at) in &first.environment {
            let same = |(n, v, _): &(String, String, Span)| n == name && v == value;
            if rest.iter().all(|giver| giver.environment.iter().any(same)) {
                self.variables.set(name, Value::known(value.clone(), *at, true));
            }
        }
    }

    pub(super) fn copy(&mut self, path: &str, copy: &Copy) {
        let Some(to) = self.variables.resolve(&copy.to) else { return };
        let sources: Vec<String> = copy.sources.iter().filter_map(|s| self.variables.resolve(s)).collect();
        let Some(image) = &mut self.image else { return };
        let inside = paths::inside(&image.folder, &to);
        self.written.remove(&inside);
        let folder = to.ends_with('/') || to == "." || sources.len() > 1 || inside == image.folder;
        for path in sources.iter().chain([&inside]) {
            configures(&mut self.configured, &mut self.variables, path, copy.to.at);
        }
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
                if let Some(from) = self.variables.resolve(from) {
                    self.copy_from(path, &from, &sources);
                }
            }
        }
    }

    /// Packages that an earlier stage installed under a folder that is copied whole.
    pub(super) fn copy_from(&mut self, path: &str, from: &str, sources: &[String]) {
        let Some((earlier, nested)) = self.image.as_ref().map(|i| (i.stage, i.nested + 1)) else { return };
        let Some(file) = self.project.file(path).filter(|_| nested <= DEEPEST) else { return };
        let stages = file.outline.acts.iter().filter_map(|a| if let Does::From(s) = &a.does { Some(s) } else { None });
        let from = from.to_lowercase();
        let Some(n) =
            stages.take(earlier).enumerate().position(|(n, s)| s.name.as_deref() == Some(&*from) || n.to_string() == from)
        else {
            return;
        };
        let mut other = Walker::new(self.project, self.world);
        other.image = Some(ImageState { nested, ..ImageState::new(self.project, path, self.world.build) });
        other.bounds = std::mem::take(&mut self.bounds);
        other.stage(path, file, n, 0);
        self.bounds = std::mem::take(&mut other.bounds);
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
}
