//! Commands that take packages away.

use super::{Event, Removed, Walker};
use crate::notation::requirement::{self, Subject};
use crate::outline::{InstallFlags, Removal};
use crate::source::Span;

impl Walker<'_, '_> {
    pub(super) fn remove(&mut self, at: Span, removal: &Removal) {
        match &removal.line {
            None => self.remove_as(at, removal),
            Some(line) => {
                if let Some(removal) = self.spoken_removal(line, at) {
                    self.remove_as(at, &removal);
                }
            }
        }
    }

    /// A command all of whose words are known, but for names.
    fn remove_as(&mut self, at: Span, removal: &Removal) {
        let tool = removal.tool;
        let prefix = self.prefix_of(tool, &removal.target, &InstallFlags::default());
        let what = match removal.whole {
            true => Removed::Whole,
            false => self.removed(at, removal).map_or(Removed::Unknown(at), Removed::Packages),
        };
        self.script.events.push(Event::Remove { tool, prefix, what });
    }

    /// The names of what goes; `None` where one is not known.
    fn removed(&mut self, at: Span, removal: &Removal) -> Option<Vec<String>> {
        let mut names = removal.names.iter().map(|name| self.variables.resolve(name)).collect::<Option<Vec<_>>>()?;
        let mut listed = self.step(removal.tool, at);
        for include in &removal.reads {
            self.read(include, &mut listed, &[], 0);
        }
        for asked in &listed.asks {
            let requirement = requirement::parse(asked.text.as_ref()?).ok()?;
            let Subject::Package { name, .. } = requirement.subject else { return None };
            names.push(name);
        }
        (!listed.open).then_some(names)
    }
}
