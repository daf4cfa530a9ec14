//! GitLab's pipelines, each read together with the files of the repository that it takes in.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::Linter;
use crate::outline::{Does, How, Include, Kind};
use crate::read;
use crate::read::gitlab::{Included, local_path};
use crate::source::FileId;

/// Files of one pipeline.
const MOST: usize = 150;

impl Linter {
    /// Reads those again of which a file that they take in has come or changed.
    pub(super) fn join_pipelines(&mut self) {
        let pipelines = self.files.iter().filter(|(_, file)| file.kind == Kind::GitlabCi && !file.by_link);
        let pipelines: Vec<String> = pipelines.map(|(path, _)| path.clone()).collect();
        for path in pipelines {
            let parts = self.included(&path);
            let mut hasher = DefaultHasher::new();
            for (part, id) in &parts {
                (part, id, self.files.get(self.sources.path(*id)).map(|file| file.hash)).hash(&mut hasher);
            }
            let joined = if parts.is_empty() { 0 } else { hasher.finish() };
            let Some(file) = self.files.get_mut(&path).filter(|file| file.joined != joined) else { continue };
            let included: Vec<Included<'_>> =
                parts.iter().map(|(path, file)| Included { path, file: *file, text: self.sources.text(*file) }).collect();
            file.outline = Arc::new(read::pipeline(&path, file.id, self.sources.text(file.id), &included));
            file.joined = joined;
            self.work.files += 1;
        }
    }

    /// The files that a pipeline takes in, and those that they take in, by their paths from its folder.
    fn included(&self, pipeline: &str) -> Vec<(String, FileId)> {
        let folder = pipeline.rfind('/').map_or("", |slash| &pipeline[..=slash]);
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut ahead = vec![pipeline.to_owned()];
        while let Some(file) = ahead.pop().and_then(|path| self.files.get(&path)) {
            for act in &file.outline.acts {
                let Does::Include(Include { path, how: How::Pipeline }) = &act.does else { continue };
                let Some(local) = local_path(path).filter(|local| found.len() < MOST && seen.insert((*local).to_owned())) else {
                    continue;
                };
                let whole = format!("{folder}{local}");
                if let Some(part) = self.files.get(&whole).filter(|part| part.kind == Kind::GitlabCi) {
                    found.push((local.to_owned(), part.id));
                    ahead.push(whole);
                }
            }
        }
        found
    }
}
