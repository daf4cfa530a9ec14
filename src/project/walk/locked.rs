//! What the entries of a lock add to a step.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::locks::{self, Lock};
use super::super::{File, paths};
use super::project::is_of_part;
use super::{Event, Installed, LockEntry, Walker};
use crate::environment::Reason;
use crate::outline::{Choice, Does, IndexKind, Language, Locked, LockedFrom, Tool, When};
use crate::source::Span;

impl<'a> Walker<'_, 'a> {
    /// The lock that lies beside a manifest, of those that fit; where others are looked for is remembered.
    pub(super) fn lock_of(&mut self, manifest: &str, fits: impl Fn(&Lock) -> bool) -> Option<(&'static Lock, String, File<'a>)> {
        for (lock, path) in locks::wanted(manifest) {
            if self.project.file(&path).is_none() {
                self.script.looked.insert((path, lock.kind));
            }
        }
        let (lock, path) = locks::beside(self.project, manifest).find(|(lock, _)| fits(lock))?;
        let file = self.project.file(&path)?;
        Some((lock, path, file))
    }

    /// Adds the lock that the step's tool keeps beside a manifest.
    pub(super) fn lock_beside(&mut self, manifest: &str, step: &mut Installed, via: &[(Span, Reason)]) {
        let tool = step.tool;
        let Some((_, path, file)) = self.lock_of(manifest, |lock| lock.tool == tool) else { return };
        if step.flags.upgrade || !self.is_as_read(&path) {
            // The tool makes another, or none is there: what comes is what it finds on that day.
            step.open = true;
            step.bounds_open = true;
            return;
        }
        self.enter(&path, file);
        let before = step.indexes.len();
        self.lock_file(file, step, via);
        // The manifest names its indexes itself.
        step.indexes.truncate(before);
    }

    /// Adds all that a lock says.
    pub(super) fn lock_file(&mut self, file: File<'a>, step: &mut Installed, via: &[(Span, Reason)]) {
        if !self.bounds.acts(&file.outline.acts) {
            return;
        }
        let mut world = Cow::clone(&self.world);
        if step.tool == Tool::Pdm {
            // pdm's lock calls extras groups.
            let groups: Vec<_> = world.extras().into_iter().map(|name| Choice::Group(name.to_owned())).collect();
            world.to_mut().with.extend(groups);
        }
        // Thousands of entries have a few conditions.
        let mut answers: HashMap<&When, bool> = HashMap::new();
        let mut markers: HashMap<&str, Option<bool>> = HashMap::new();
        let default = Choice::PixiEnvironment("default".to_owned());
        let selected = world.with.iter().chain([&default]);
        for act in self.project.parts(file).under(selected).into_iter().map(|at| &file.outline.acts[at]) {
            let takes = *answers.entry(&act.when).or_insert_with(|| {
                self.meet(act.when.0.iter());
                world.takes(&act.when.0) == Some(true)
            });
            if !takes {
                continue;
            }
            match &act.does {
                Does::Lock(lock) => {
                    self.lock(lock, step, via, &mut markers);
                    // What the project itself requires may be there for the parts that are taken, too.
                    if step.flags.parts_only
                        && !is_of_part(act)
                        && let Some(entry) = step.locks.last_mut().filter(|entry| entry.lock.version.at == lock.version.at)
                    {
                        entry.sure = false;
                    }
                }
                Does::Index(index) => {
                    let index = self.index(index);
                    step.indexes.push(index);
                }
                Does::Python(text) => {
                    let python = self.variables.resolve(text);
                    self.script.events.extend(python.map(|python| Event::Python(python, text.at)));
                }
                _ => {}
            }
        }
    }

    /// Whether a file of the root is where a command runs, unchanged.
    fn is_as_read(&mut self, path: &str) -> bool {
        self.ask_for_changes(path);
        self.ask_where(path);
        let Some(image) = &self.image else { return !self.edited.contains(path) };
        if !self.bounds.look_through(image.contents.len() * image.contexts.len()) {
            return false;
        }
        let edited = image.contents.is_edited(&paths::inside(&image.folder, paths::name(path)));
        !edited && image.contexts.iter().any(|context| paths::under(path, context).is_some_and(|p| image.contents.holds(p)))
    }

    fn lock<'m>(
        &mut self,
        lock: &'m Locked,
        step: &mut Installed,
        via: &[(Span, Reason)],
        markers: &mut HashMap<&'m str, Option<bool>>,
    ) {
        let (mut may, mut sure) = (lock.markers.is_empty(), lock.markers.is_empty());
        for marker in &lock.markers {
            let holds = *markers.entry(marker).or_insert_with(|| {
                self.meet_marker(marker);
                self.world.marker(marker)
            });
            may |= holds != Some(false);
            sure |= holds == Some(true);
        }
        if may {
            step.locks.push(LockEntry { lock: lock.clone(), also: via.to_vec(), sure });
        }
    }

    /// What conda does of a step of pixi or conda-lock, before the rest.
    pub(super) fn conda_part(&self, step: &mut Installed) -> Option<Installed> {
        let conda = |entry: &LockEntry| matches!(entry.lock.from, LockedFrom::Conda(_));
        let spec = |language| language == Language::MatchSpec;
        if step.tool == Tool::Conda || !(step.asks.iter().any(|a| spec(a.language)) || step.locks.iter().any(conda)) {
            return None;
        }
        let mut part = Installed { prefix: step.prefix.clone(), open: step.open, ..self.step(Tool::Conda, step.at) };
        part.asks = step.asks.extract_if(.., |ask| spec(ask.language)).collect();
        part.locks = step.locks.extract_if(.., |entry| conda(entry)).collect();
        part.indexes = step.indexes.extract_if(.., |index| index.kind == IndexKind::Channel).collect();
        part.bounds_open = step.bounds_open;
        part.no_cuda = step.no_cuda && part.locks.is_empty();
        part.cuda_elsewhere = step.cuda_elsewhere;
        Some(part)
    }
}
