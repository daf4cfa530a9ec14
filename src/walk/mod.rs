//! Paths → texts: which files of a root are read.

mod decode;
mod find;
mod ignored;
mod open;
mod root;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::config::{self, Config};
use crate::diagnostic::Skipped;
use crate::globs::PathGlobs;
use crate::outline::Kind;
use crate::read::markdown;
use crate::source::Sources;
use crate::viewpoint::Viewpoint;
pub use decode::decode;
pub use find::is_never_entered;
use find::{Candidate, Met};
pub use open::{LARGEST_CONFIG, NOT_REGULAR, too_large};
pub use root::{RootOf, root_of};

/// What to walk, beside the root.
#[derive(Debug, Default)]
pub struct Asked {
    /// Root-relative PATHs; empty = the root itself.
    pub paths: Vec<String>,
    /// Ignore files do not count.
    pub no_ignore: bool,
    /// `--exclude`: globs that start at the working directory.
    pub exclude: PathGlobs,
    /// Nothing but the PATHs is read: what lies around them is no project of theirs.
    pub alone: bool,
    /// The root, seen from the working directory.
    pub viewpoint: Viewpoint,
    /// Which configurations hold.
    pub configs: Configs,
}

/// Which configurations hold.
#[derive(Debug, Default)]
pub enum Configs {
    /// For each file the nearest above it.
    #[default]
    Nearest,
    /// None.
    None,
    /// One for all files: its `exclude`.
    One(PathGlobs),
}

/// The files of a root that are read.
#[derive(Debug, Default)]
pub struct Tree {
    /// Sorted by path.
    pub files: Vec<Found>,
    /// What is ours and could not be used; sorted by path, root-relative.
    pub skipped: Vec<Skipped>,
    /// The configurations found, by their folder; the root's is empty. Those with mistakes are only in `files`.
    pub configs: BTreeMap<String, Held>,
}

/// A configuration that holds for a folder.
#[derive(Debug)]
pub struct Held {
    /// Its file.
    pub path: String,
    /// What it says.
    pub config: Config,
}

/// A file that is read.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Its kind, as far as name and content tell.
    pub kind: Option<Kind>,
    /// Its text.
    pub text: String,
}

/// Walks a root, an absolute path without links.
#[must_use]
pub fn walk(root: &Path, asked: &Asked) -> Tree {
    let mut tree = Tree::default();
    let mut excludes = Excludes::default();
    match &asked.configs {
        Configs::Nearest => excludes.learn(root, "", &mut tree.configs),
        Configs::One(exclude) => excludes.0.extend([(String::new(), exclude.clone())]),
        Configs::None => {}
    }
    let leave_out = |folder: &str| {
        let asked_for =
            asked.paths.iter().any(|p| p.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
        !asked_for && (asked.leaves_out(folder) || excludes.leave_out(root, folder))
    };
    let mut met = BTreeMap::new();
    let mut enter = |folder: &Path, met: &mut BTreeMap<String, Candidate>| {
        for one in find::find(root, folder, asked.no_ignore, &leave_out) {
            match one {
                Met::File(path, candidate) => drop(met.insert(path, candidate)),
                Met::Skipped(skipped) => tree.skipped.push(skipped),
            }
        }
    };
    if !asked.alone {
        enter(root, &mut met);
    }
    // A PATH in a folder that is ignored or never entered was not met.
    for path in &asked.paths {
        let below = format!("{path}/");
        if root.join(path).is_file() {
            met.entry(path.clone()).or_insert_with(|| Candidate::of(path).unwrap_or(Candidate::Ours(None)));
        } else if !met.range(below.clone()..).next().is_some_and(|(p, _)| p.starts_with(&below)) {
            enter(&root.join(path), &mut met);
        }
    }
    if matches!(asked.configs, Configs::Nearest) {
        for path in met.keys().filter(|p| matches!(name(p), "cudalint.toml" | "pyproject.toml")) {
            excludes.learn(root, folder(path), &mut tree.configs);
        }
    }
    let kept = |path: &String| asked.paths.contains(path) || !(asked.covers(path) || excludes.cover(path));
    let kept: Vec<_> = met.into_iter().filter(|(path, _)| kept(path)).collect();
    read_all(root, &kept, asked, &mut tree);
    tree
}

/// The text of a file that another file names; `None` where there is no such file inside the root.
///
/// # Errors
/// The file is there and cannot be used.
pub fn linked(root: &Path, path: &str, asked: &Asked) -> Result<Option<String>, Skipped> {
    let whole = root.join(path);
    // Most names that are tried are of no file. A link among the folders that lead there may go anywhere.
    let inside = || whole.canonicalize().is_ok_and(|whole| whole.starts_with(root));
    if !whole.is_file() || !inside() || asked.covers(path) {
        return Ok(None);
    }
    open::text(root, path).map(|opened| Some(opened.text)).map_err(|refusal| refusal.of(path))
}

impl Asked {
    fn leaves_out(&self, folder: &str) -> bool {
        !self.exclude.is_empty() && self.exclude.match_path(&self.viewpoint.path(folder))
    }
    fn covers(&self, path: &str) -> bool {
        !self.exclude.is_empty() && self.exclude.cover(&self.viewpoint.path(path))
    }
}

/// The `exclude` of each configuration, by its folder.
#[derive(Default)]
struct Excludes(BTreeMap<String, PathGlobs>);

impl Excludes {
    /// Reads the configuration of a folder, if it has one.
    fn learn(&mut self, root: &Path, folder: &str, configs: &mut BTreeMap<String, Held>) {
        if configs.contains_key(folder) {
            return;
        }
        if let Some((path, config)) = config_in(root, folder) {
            self.0.insert(folder.to_owned(), config.exclude.clone());
            configs.insert(folder.to_owned(), Held { path, config });
        }
    }
    /// Whether the nearest configuration above a file leaves it out.
    fn cover(&self, path: &str) -> bool {
        let nearest = above(path).find_map(|folder| Some((folder, self.0.get(folder)?)));
        nearest.is_some_and(|(folder, exclude)| exclude.cover(path[folder.len()..].trim_start_matches('/')))
    }
    /// Whether the root's configuration leaves a folder out, and no nearer one may have another say.
    fn leave_out(&self, root: &Path, folder: &str) -> bool {
        self.0.get("").is_some_and(|exclude| exclude.cover(folder))
            && above(folder).all(|f| f.is_empty() || config_in(root, f).is_none())
    }
}

/// The configuration of a folder and its path; `cudalint.toml` goes before `pyproject.toml`.
fn config_in(root: &Path, folder: &str) -> Option<(String, Config)> {
    let path = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let (own, project) = (path("cudalint.toml"), path("pyproject.toml"));
    if let Ok(text) = open::text(root, &own) {
        let file = Sources::default().set(&own, text.text.as_str());
        return Some((own, config::config(file, &text.text).ok()?));
    }
    let text = open::text(root, &project).ok().map(|opened| opened.text).filter(|text| text.contains("cudalint"))?;
    let file = Sources::default().set(&project, text.as_str());
    Some((project, config::config_in_pyproject(file, &text).ok()??))
}

fn read_all(root: &Path, candidates: &[(String, Candidate)], asked: &Asked, tree: &mut Tree) {
    let read = |path: &str, candidate| match candidate {
        // One that cannot be used silences nothing.
        Candidate::Ours(Some(Kind::Markdown)) => {
            let text = open::text(root, path).ok().filter(|opened| markdown::is_worth_reading(&opened.text));
            Ok(text.map(|text| (Some(Kind::Markdown), text)))
        }
        Candidate::Ours(kind) => open::text(root, path).map(|text| Some((kind, text))),
        Candidate::Yaml => match open::yaml(root, path)? {
            Some((kind, text)) => Ok(Some((Some(kind), text))),
            None if asked.paths.iter().any(|p| p == path) => open::text(root, path).map(|text| Some((None, text))),
            None => Ok(None),
        },
    };
    let (next, done) = (AtomicUsize::new(0), Mutex::new((Vec::new(), Vec::new())));
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8)).min(candidates.len() / 64 + 1);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let (mut files, mut refused) = (Vec::new(), Vec::new());
                while let Some((path, candidate)) = candidates.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match read(path, *candidate) {
                        Ok(Some((kind, opened))) => {
                            refused.extend(opened.skipped(path));
                            files.push(Found { path: path.clone(), kind, text: opened.text });
                        }
                        Ok(None) => {}
                        Err(refusal) => refused.push(refusal.of(path)),
                    }
                }
                if let Ok(mut done) = done.lock() {
                    done.0.append(&mut files);
                    done.1.append(&mut refused);
                }
            });
        }
    });
    let (files, refused) = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    tree.files = files;
    tree.skipped.extend(refused);
    tree.files.sort();
    tree.skipped.sort();
    tree.skipped.dedup();
}

fn skipped(path: &str, reason: &str) -> Skipped {
    Skipped { path: path.to_owned(), reason: reason.to_owned(), at: None }
}

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folders above a path, nearest first, the root (empty) last.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(at, _)| &path[..at]).chain([""])
}

#[cfg(test)]
mod tests;
