//! The variables that launches speak of, as the commands before them set them; and what images are called by that.

use std::collections::HashMap;

use super::called::input_of_default;
use super::variables::{self, Seen, Value, Variables};
use super::{Project, paths};
use crate::outline::{Act, Does, Kind, Launch};

/// No root sets more variables for all its launches together; what is spoken of then is not known.
const MOST: usize = 200_000;

/// By the place of a launch in memory.
#[derive(Debug, Default)]
pub(super) struct Spoken {
    of: HashMap<usize, Variables>,
    /// The same by each call of the file that it stands in.
    called: HashMap<usize, Vec<Variables>>,
    none: Variables,
}

/// What an image is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Without its tag.
    pub(super) image: String,
    /// `None` where it is not known.
    pub(super) tag: Option<String>,
}

impl Name {
    /// That of a reference that is known whole; without a tag it is the latest.
    pub(super) fn of(reference: &str) -> Self {
        let image = untagged(reference);
        let tag = match &reference[image.len()..] {
            "" => Some("latest"),
            tag => tag.strip_prefix(':').filter(|tag| !tag.contains(['$', '@'])),
        };
        Self { image: image.to_owned(), tag: tag.map(str::to_owned) }
    }
}

impl Spoken {
    pub(super) fn of(project: &Project<'_>) -> Self {
        let mut spoken = Self::default();
        let mut left = MOST;
        for (path, file) in project.files() {
            for (at, act) in file.outline.acts.iter().enumerate() {
                let Does::Launch(launch) = &act.does else { continue };
                let sets = project.parts(file).sets_for(launch, &file.outline.acts, at);
                left = left.saturating_sub(sets.len());
                if left == 0 {
                    return Self::default();
                }
                let told = matches!(file.kind, Kind::Script | Kind::Workflow | Kind::GitlabCi);
                if !sets.is_empty() || told && launch.build.is_some() {
                    spoken.of.insert(address(launch), set(file.kind, path, &sets, act, None));
                    let calls = project.called.ways(path);
                    left = left.saturating_sub(sets.len() * calls.len());
                    if left == 0 {
                        return Self::default();
                    }
                    let called = calls.iter().map(|inputs| set(file.kind, path, &sets, act, Some(inputs)));
                    spoken.called.insert(address(launch), called.collect());
                }
            }
        }
        spoken
    }
    /// What is set for a launch.
    pub(super) fn variables(&self, launch: &Launch) -> &Variables {
        self.of.get(&address(launch)).unwrap_or(&self.none)
    }
    /// What is set for it in each way in which it is reached: by each call of the workflow or action that it stands in.
    pub(super) fn ways(&self, launch: &Launch) -> Vec<&Variables> {
        match self.called.get(&address(launch)) {
            Some(called) if !called.is_empty() => called.iter().collect(),
            _ => vec![self.variables(launch)],
        }
    }
    /// What the image of a launch is called, whatever its tag; one that is spelled by a variable which is not known is the
    /// same only in its own file.
    pub(super) fn image(&self, path: &str, launch: &Launch) -> Option<String> {
        Some(self.name(path, launch)?.image)
    }
    /// The same with the tag.
    pub(super) fn name(&self, path: &str, launch: &Launch) -> Option<Name> {
        let written = self.variables(launch).written(launch.image.as_ref()?);
        let Name { image, tag } = Name::of(&written);
        let image = match (image.contains("$()"), image.contains("${")) {
            _ if image.is_empty() => return None,
            // Two commands give two answers.
            (true, _) => return None,
            (false, true) => format!("{path}: {image}"),
            (false, false) => image,
        };
        Some(Name { image, tag })
    }
}

/// The variables of a file of commands; what is set under a test that the launch does not stand under is not known, nor is an
/// input where nobody's call is looked at.
fn set(kind: Kind, path: &str, sets: &[&Act], launch: &Act, inputs: Option<&Variables>) -> Variables {
    let mut variables = Variables::default();
    let top = || paths::from_root("");
    let told: Vec<(&str, String)> = match kind {
        Kind::Script => vec![(variables::STARTED, paths::from_root(path)), (variables::READ, paths::from_root(path))],
        Kind::Workflow | Kind::GitlabCi => variables::TOP.iter().map(|name| (*name, top())).collect(),
        _ => Vec::new(),
    };
    for (name, to) in told.into_iter().chain([(variables::WORKING, paths::from_start(""))]) {
        variables.set(name, Value::leading(Some(to), launch.at));
    }
    for (name, value) in inputs.into_iter().flat_map(Variables::all) {
        variables.set(name, value.clone());
    }
    for act in sets {
        let Does::Set(variable) = &act.does else { continue };
        if let Some(name) = input_of_default(act).filter(|_| inputs.is_none()) {
            variables.set(name, Value::unknown(act.at, Seen::Shell));
            continue;
        }
        let sure = act.when.0.iter().all(|choice| launch.when.0.contains(choice));
        let value = match variable.value.as_ref().filter(|_| sure) {
            Some(text) => variables.value(text, act.at, Seen::Shell),
            None => Value::unknown(act.at, Seen::Shell),
        };
        variables.set(&variable.name, value);
    }
    variables
}

fn address(launch: &Launch) -> usize {
    std::ptr::from_ref(launch).addr()
}

/// A name built and run in one root is the same image whatever its tag.
fn untagged(image: &str) -> &str {
    let slash = image.rfind('/').map_or(0, |at| at + 1);
    image[slash..].find([':', '@']).map_or(image, |end| &image[..slash + end])
}

#[cfg(test)]
mod tests {
    use super::untagged;

    #[test]
    fn a_port_is_no_tag() {
        assert_eq!(["a:5000/b:1", "a:5000/b", "a:1", "a@sha256:0"].map(untagged), ["a:5000/b", "a:5000/b", "a", "a"]);
    }
}
