//! What uv's overrides make of the packages of a step.

use std::collections::HashMap;

use crate::notation::requirement::{self, Subject};
use crate::outline::Tool;
use crate::platform::Platform;
use crate::project::{Asked, Installed};
use crate::version::Specifiers;

/// What an override makes of a package.
pub(super) enum Override<'s> {
    /// The condition that takes the place of what is asked, with its line.
    Wants(Specifiers, &'s Asked),
    /// Left out, by a marker that never holds.
    Absent,
    /// It may say anything.
    Unknown,
}

/// The overrides of a step, by package.
pub(super) struct Overrides<'s> {
    by_name: HashMap<String, Override<'s>>,
    /// A line that cannot be read may be for any package.
    unread: bool,
}

impl<'s> Overrides<'s> {
    /// Those that hold on a platform. pip knows none: the project's are uv's.
    pub(super) fn new(step: &'s Installed, platform: &Platform) -> Self {
        let mut overrides = Self { by_name: HashMap::new(), unread: false };
        for line in step.overrides.iter().filter(|_| step.tool != Tool::Pip) {
            let Some(text) = line.text.as_deref() else {
                overrides.unread = true;
                break;
            };
            let Ok(parsed) = requirement::parse(text) else { continue };
            let holds = parsed.marker.as_ref().map_or(Some(true), |m| m.holds(platform, &[]));
            let (name, over) = match parsed.subject {
                Subject::Package { name, wants, .. } => match holds {
                    Some(true) => (name, Override::Wants(wants, line)),
                    // An earlier line that holds stays in force.
                    Some(false) => {
                        overrides.by_name.entry(name).or_insert(Override::Absent);
                        continue;
                    }
                    None => (name, Override::Unknown),
                },
                Subject::Wheel { wheel, .. } => (wheel.name, Override::Unknown),
                Subject::Elsewhere { name: Some(name), .. } => (name, Override::Unknown),
                Subject::Elsewhere { name: None, .. } | Subject::Path(_) => continue,
            };
            overrides.by_name.insert(name, over);
        }
        overrides
    }
    /// What they make of a package; `None` where they leave it alone.
    pub(super) fn of(&self, package: &str) -> Option<&Override<'s>> {
        if self.unread { Some(&Override::Unknown) } else { self.by_name.get(package) }
    }
}
