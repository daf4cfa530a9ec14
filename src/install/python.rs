//! Which Python a prefix has, and who says so.

use super::stated;
use crate::environment::{Evidence, Image, Reason};
use crate::knowledge;
use crate::platform::{Platform, Pythons};
use crate::project::Prefix;
use crate::source::Span;

/// Who says which Python a prefix has.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    by: Option<Evidence>,
    /// Two that say so contradict each other: which of them holds is not known.
    disputed: bool,
}

impl Told {
    /// Says of a platform that its Python is one of these, too.
    pub(super) fn narrow(&mut self, platform: &mut Platform, pythons: Pythons, by: &Evidence) {
        let before = platform.wheels;
        self.disputed |= !platform.narrow_python(pythons);
        // What says no more than is known says nothing.
        if platform.wheels != before || self.by.is_none() {
            self.by = Some(by.clone());
        }
    }
    /// Says of a platform that its Python is one of these, whatever it was.
    pub(super) fn set(&mut self, platform: &mut Platform, pythons: Pythons, by: Evidence) {
        platform.set_python(pythons);
        *self = Self { by: Some(by), disputed: false };
    }
    /// The place that says so; `None` where nobody does, or two that contradict each other.
    pub(super) fn evidence(&self) -> Option<Evidence> {
        self.by.clone().filter(|_| !self.disputed)
    }
}

/// That the Python is this one, said there.
pub(super) fn told(python: &str, at: Span) -> Evidence {
    stated(at, Reason::Python { python: python.to_owned() })
}

/// The Python that a system's packages put there, its own where no other is named, and the package that says so.
pub(super) fn python_of_system(image: &Image, names: &[(String, Span)]) -> Option<(Pythons, Evidence)> {
    let own = |name: &str| name.strip_prefix("python3").is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let other = names.iter().any(|(name, _)| name.starts_with("python3."));
    let (_, at) = names.iter().find(|(name, _)| own(name)).filter(|_| !other)?;
    let python = knowledge::system_python(&image.reference)?;
    Some((Pythons::parse(python)?, told(python, *at)))
}

/// Which of the system's Pythons is the start's own: the one that an image has torch for, or the first that is named.
pub(super) struct OwnPython<'a> {
    minor: Option<&'a str>,
    of_image: bool,
    /// The image has a Python beside the distribution's.
    beside: bool,
    /// The one that `python3` is among the system's packages, where that is known.
    pub(super) of_system: Option<&'static str>,
    /// Something was installed before any was named.
    pub(super) unnamed: bool,
}

impl<'a> OwnPython<'a> {
    pub(super) fn of_image(image: Option<&Image>) -> Self {
        let row = image.and_then(|image| image.row);
        let minor = row.filter(|row| !row.torch.is_empty()).map(|row| row.python);
        let beside = row.is_some_and(|row| !row.python.is_empty()) && minor.is_none();
        let of_system = image.and_then(|image| {
            let own = image.row.map(|row| row.python).filter(|python| !python.is_empty());
            own.or_else(|| knowledge::system_python(&image.reference))
        });
        Self { minor, of_image: minor.is_some(), beside, of_system, unnamed: false }
    }
    /// The prefix whose packages a step changes.
    pub(super) fn lands(&mut self, prefix: &'a Prefix) -> Prefix {
        match prefix {
            // Whether it is the one that packages went into before is not told.
            Prefix::Python(minor) if self.minor.is_none() && self.unnamed && self.of_system != Some(minor) => {
                Prefix::Somewhere(format!("python{minor}"))
            }
            // Each Python has packages of its own; what a second one finds in an image with torch is not told.
            Prefix::Python(minor) if *self.minor.get_or_insert(minor) == minor.as_str() => Prefix::System,
            Prefix::Python(_) | Prefix::Distribution if self.of_image => Prefix::Unknown,
            Prefix::Python(minor) => Prefix::Venv(format!("python{minor}")),
            Prefix::Distribution if self.beside => Prefix::Venv("/usr".to_owned()),
            Prefix::Distribution => Prefix::System,
            // What conda and pip are asked without a name goes there, too.
            Prefix::Conda(name) if name == "base" => Prefix::System,
            other => other.clone(),
        }
    }
}
