//! What a build context leaves out (`.dockerignore`).

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::{File, paths};
use crate::outline::{Does, Kind};

/// Of a file with more patterns, or of longer ones, it is not known what they leave out.
const MOST: usize = 1_000;
const LONGEST: usize = 1_024;

/// What the files of a root say of it, by their paths.
#[derive(Debug, Default)]
pub(super) struct LeftOut<'a>(BTreeMap<&'a str, Patterns>);

/// Those of one file.
#[derive(Debug)]
struct Patterns {
    set: GlobSet,
    /// By position, whether it brings back.
    back: Vec<bool>,
}

impl<'a> LeftOut<'a> {
    pub(super) fn of(files: &BTreeMap<&'a str, File<'a>>) -> Self {
        let ours = files.iter().filter(|(_, file)| file.kind == Kind::Dockerignore);
        Self(ours.filter_map(|(path, file)| Some((*path, Patterns::of(*file)?))).collect())
    }

    /// The file that holds for a context: the Dockerfile's own, where there is one.
    pub(super) fn files(dockerfile: &str, context: &str) -> [Option<String>; 2] {
        [Some(format!("{dockerfile}.dockerignore")), paths::join(context, ".dockerignore")]
    }

    /// Whether a path of the context is not in it.
    pub(super) fn leaves_out(&self, dockerfile: &str, context: &str, path: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let holds = Self::files(dockerfile, context).into_iter().flatten().find_map(|file| self.0.get(file.as_str()));
        let path = paths::join("", path);
        holds.zip(path).is_some_and(|(patterns, path)| patterns.leave_out(&path))
    }
}

impl Patterns {
    fn of(file: File<'_>) -> Option<Self> {
        let (mut set, mut back) = (GlobSetBuilder::new(), Vec::new());
        for act in &file.outline.acts {
            let Does::LeaveOut { pattern, back: brings } = &act.does else { continue };
            let pattern = pattern.known().filter(|pattern| pattern.len() <= LONGEST && back.len() < MOST)?;
            // `.` is the whole, of which nothing is left out by that.
            let Some(pattern) = paths::join("", pattern.trim_start_matches('/')).filter(|pattern| !pattern.is_empty()) else {
                continue;
            };
            set.add(GlobBuilder::new(&pattern).literal_separator(true).build().ok()?);
            back.push(*brings);
        }
        Some(Self { set: set.build().ok()?, back })
    }

    /// The last pattern that a path or a folder above it fits decides.
    fn leave_out(&self, path: &str) -> bool {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        let last = above.chain([path]).flat_map(|part| self.set.matches(part)).max();
        last.is_some_and(|last| !self.back[last])
    }
}
