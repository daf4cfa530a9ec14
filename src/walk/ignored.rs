//! What ignore files leave out. They are read by ourselves, as carefully as all else: the walking library opens whatever
//! bears such a name, be it a device without an end, a pipe without a writer or a link out of the root.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::find::relative;
use super::{open, skipped};
use crate::diagnostic::Skipped;

/// The first that has something to say of a path decides.
const NAMES: [&str; 3] = [".cudalintignore", ".ignore", ".gitignore"];

const NO_PATTERNS: &str = "its patterns are too many or too large";

/// The rules that hold in a folder: for each name those of the folders from the start of the walk on, the nearest last.
type Rules = [Vec<Arc<Gitignore>>; NAMES.len()];

/// The rules of the folders that a walk has met; a folder is met before what it holds.
#[derive(Default)]
pub(super) struct Ignored(RwLock<HashMap<PathBuf, Arc<Rules>>>);

impl Ignored {
    /// Reads the ignore files of a folder that is about to be entered.
    pub(super) fn enter(&self, root: &Path, folder: &Path) -> Vec<Skipped> {
        let above = folder.parent().and_then(|above| self.rules(above)).unwrap_or_default();
        let mut told = Vec::new();
        let mut own: Option<Rules> = None;
        for (n, name) in NAMES.iter().enumerate() {
            let whole = folder.join(name);
            // Most folders have none, and a folder of that name is no such file.
            if whole.symlink_metadata().map_or(true, |about| about.is_dir()) {
                continue;
            }
            match rules_of(root, folder, &whole, &mut told) {
                Ok(rules) => own.get_or_insert_with(|| (*above).clone())[n].push(Arc::new(rules)),
                Err(why) => told.push(why),
            }
        }
        let rules = own.map_or(above, Arc::new);
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), rules);
        told
    }

    /// Whether the ignore files above a path leave it out.
    pub(super) fn leave_out(&self, path: &Path, is_folder: bool) -> bool {
        let Some(rules) = path.parent().and_then(|folder| self.rules(folder)) else { return false };
        let said = |of: &Vec<Arc<Gitignore>>| {
            let mut said = of.iter().rev().map(|rules| rules.matched(path, is_folder).map(|_| ()));
            said.find(|said| !said.is_none())
        };
        rules.iter().find_map(said).is_some_and(|said| said.is_ignore())
    }

    fn rules(&self, folder: &Path) -> Option<Arc<Rules>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(folder).cloned()
    }
}

/// The patterns of one file; one that is no pattern counts for nothing.
fn rules_of(root: &Path, folder: &Path, whole: &Path, told: &mut Vec<Skipped>) -> Result<Gitignore, Skipped> {
    let path = relative(root, whole);
    let shown = path.as_deref().unwrap_or_else(|lossy| lossy).to_owned();
    let opened = open::ignore_file(root, whole).map_err(|refusal| refusal.of(&shown))?;
    told.extend(opened.skipped(&shown));
    let mut builder = GitignoreBuilder::new(folder);
    for line in opened.text.trim_start_matches('\u{feff}').lines() {
        // What is wrong with one line is no fault of the others.
        drop(builder.add_line(None, line));
    }
    builder.build().map_err(|_| skipped(&shown, NO_PATTERNS))
}
