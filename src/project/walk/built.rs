//! Images that stand on one which another Dockerfile of the root builds.

use super::super::File;
use super::super::made::Made;
use super::super::spoken::Name;
use super::{DEEPEST, Event, ImageState, Walker};
use crate::environment::Reason;
use crate::source::Span;

impl<'a> Walker<'_, 'a> {
    /// Lets happen what makes the image of that name, where one build here gives it that name; whether it does. `at` is the
    /// `FROM` of the Dockerfile at `path` that names it.
    pub(super) fn on_built(&mut self, path: &str, image: &str, at: Span, depth: usize) -> bool {
        let project = self.project;
        let Some(made) = project.givers.stood_on(&Name::of(image)).filter(|_| depth < DEEPEST) else { return false };
        let Some((file, n)) = self.makes(made, at, depth + 1) else { return false };
        self.trigger(path, file, n);
        true
    }

    /// Lets happen what makes an image that is named at `at`; its Dockerfile and its stage, where they are known.
    pub(super) fn makes(&mut self, made: &Made, at: Span, depth: usize) -> Option<(File<'a>, usize)> {
        let project = self.project;
        let (build, file) = (made.build?, project.file(&made.dockerfile)?);
        let parts = project.parts(file);
        let n = match made.target.as_str() {
            "" => parts.len().checked_sub(1)?,
            target => parts.first_called(&target.to_lowercase(), parts.len())?,
        };
        // One that stands on itself is another's.
        if !self.bounds.enter(file.outline) {
            return None;
        }
        if !self.bounds.again(file.outline.acts.len()) {
            self.bounds.leave();
            return None;
        }
        self.enter(&made.dockerfile, file);
        let nested = self.image.as_ref().map_or(0, |image| image.nested);
        let own = self.image.replace(ImageState { nested, ..ImageState::new(project, &made.dockerfile, build) });
        let stages = std::mem::take(&mut self.stages);
        self.look_for_contexts();
        self.globals(file);
        self.stage(&made.dockerfile, file, n, depth);
        self.variables.end_build();
        self.stages = stages;
        self.bounds.leave();
        let base = std::mem::replace(&mut self.image, own);
        if let (Some(own), Some(base)) = (&mut self.image, base) {
            own.folder = base.folder;
            // What comes from other folders cannot be told from what comes from its own.
            if own.contexts == base.contexts {
                own.contents = base.contents;
            }
        }
        if let Some(Event::Base { also, .. }) = self.script.events.iter_mut().find(|e| matches!(e, Event::Base { .. })) {
            also.push((at, Reason::Here));
        }
        Some((file, n))
    }
}
