//! Composite actions that a step takes in, and workflows that a job calls.

use super::super::called::input_of_default;
use super::super::variables::{self, Seen, Value};
use super::super::{File, paths};
use super::Walker;
use crate::outline::{Act, Does, INPUTS, Kind, Use};

impl<'a> Walker<'_, 'a> {
    /// Whether a file's acts are steps of a job.
    pub(super) fn is_job(&self, path: &str) -> bool {
        self.project.file(path).is_some_and(|file| matches!(file.kind, Kind::Workflow | Kind::Action))
    }

    /// The steps of a composite action: what they set for the job stays, their inputs do not.
    pub(super) fn take_in(&mut self, used: &'a Use, depth: usize) {
        let Some(folder) = self.variables.resolve(&used.path) else { return };
        let names = ["action.yml", "action.yaml"].iter();
        let wanted = names.filter_map(|name| paths::join(&folder, name)).collect();
        let Some(path) = self.first(wanted, Kind::Action) else { return };
        let Some(file) = self.project.file(&path).filter(|file| file.kind == Kind::Action) else { return };
        if !self.bounds.copy(self.variables.len()) || !self.bounds.enter(file.outline) {
            return;
        }
        self.enter(&path, file);
        let before = self.give(used);
        let outer = self.variables.replaced(variables::ACTION).cloned();
        let own = Value::leading(Some(paths::from_root(paths::folder(&path))), used.path.at);
        self.variables.set(variables::ACTION, own);
        self.acts(&path, &file.outline.acts, depth + 1);
        let outer = outer.unwrap_or_else(|| Value::unknown(used.path.at, Seen::Shell));
        self.variables.set(variables::ACTION, outer);
        self.variables.forget_all(INPUTS);
        before.into_iter().for_each(|(name, value)| self.variables.set(&name, value));
        self.bounds.leave();
    }

    /// Sets the inputs that a caller gives; hands back those that were set before.
    fn give(&mut self, used: &Use) -> Vec<(String, super::Value)> {
        let with = used.with.iter().filter_map(|input| {
            let value = input.value.as_ref()?;
            Some((input.name.clone(), self.variables.value(value, value.at, Seen::Shell)))
        });
        let with: Vec<_> = with.collect();
        let before = self.variables.forget_all(INPUTS);
        with.into_iter().for_each(|(name, value)| self.variables.set(&name, value));
        before
    }

    /// Nobody's call of a workflow is looked at: what its inputs are is not known.
    pub(super) fn uncalled(&mut self, file: File<'a>) {
        for act in &file.outline.acts[..self.project.parts(file).before()] {
            if let Some(name) = input_of_default(act) {
                self.variables.set(name, Value::unknown(act.at, Seen::Shell));
            }
        }
    }

    /// A job of a workflow that another workflow's job calls: of the caller only the inputs reach it.
    pub(super) fn called(&mut self, caller: &str, at: usize, path: &str, file: File<'a>, job: usize) {
        let Some(calling) = self.project.file(caller) else { return };
        self.enter(caller, calling);
        let acts = &calling.outline.acts;
        let Some(Act { does: Does::Job(wanted), .. }) = acts.get(at) else { return };
        // A matrix repeats its job, once a row; the world takes one of them.
        let parts = self.project.parts(calling);
        for (begin, end) in parts.named(&wanted.name).iter().filter_map(|n| parts.part(*n, acts.len())) {
            if !self.takes(&acts[begin]) {
                continue;
            }
            let mut own = acts[begin + 1..end].iter();
            if let Some(used) = own.find_map(|act| if let Does::Use(used) = &act.does { Some(used) } else { None }) {
                self.give(used);
                self.job(path, file, job);
            }
        }
    }
}
