//! What goes into an image from its build context: `COPY`.

use std::collections::BTreeSet;

use globset::{Glob, GlobMatcher};

use super::paths;

/// One source of a `COPY`.
#[derive(Clone, Debug)]
struct Copied {
    /// Its path in the context.
    source: String,
    /// The pattern that its name is, if it is one.
    pattern: Option<GlobMatcher>,
    /// The path in the image.
    to: String,
    /// Whether that is surely a folder.
    folder: bool,
}

/// What an image has from the build context, in the order in which it came.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    copies: Vec<Copied>,
    /// Files that a command changed.
    edited: BTreeSet<String>,
    /// What lies over all that: folders and files of the root by their places, the deeper ones last. Where that is not known,
    /// nothing is known of what lies there.
    mounted: Vec<(String, Vec<String>)>,
}

impl Contents {
    /// Lays what is at these paths of the root, of which the first that is there is meant, over a place in the image.
    pub(super) fn mount(&mut self, to: String, from: Vec<String>) {
        let behind = self.mounted.partition_point(|(known, _)| known.len() <= to.len());
        self.mounted.insert(behind, (to, from));
    }
    /// The paths of the root that may lie at a place over which something is laid.
    pub(super) fn mounted(&self, path: &str) -> Option<Vec<String>> {
        let (rest, from) = self.mounted.iter().rev().find_map(|(to, from)| Some((paths::under(path, to)?, from)))?;
        Some(from.iter().filter_map(|from| if rest.is_empty() { Some(from.clone()) } else { paths::join(from, rest) }).collect())
    }
    pub(super) fn copy(&mut self, source: &str, to: &str, folder: bool) {
        let source = source.trim_start_matches('/').to_owned();
        let name = paths::name(&source);
        let pattern = name.contains(['*', '?', '[']).then(|| Glob::new(name).ok().map(|g| g.compile_matcher())).flatten();
        self.copies.push(Copied { source, pattern, to: to.to_owned(), folder });
    }
    pub(super) fn len(&self) -> usize {
        self.copies.len()
    }
    pub(super) fn edit(&mut self, path: String) {
        self.edited.insert(path);
    }
    pub(super) fn is_edited(&self, path: &str) -> bool {
        self.edited.contains(path)
    }
    /// Whether a context path was copied, to wherever.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.copies.iter().any(|Copied { source, pattern, .. }| match pattern {
            Some(pattern) => paths::folder(source) == paths::folder(path) && pattern.is_match(paths::name(path)),
            None => paths::under(path, source.trim_start_matches("./").trim_end_matches('.')).is_some(),
        })
    }
    /// The context paths of that name that were copied, to wherever.
    pub(super) fn called(&self, name: &str) -> Vec<String> {
        let fits = |copied: &&Copied| match &copied.pattern {
            Some(pattern) => pattern.is_match(name),
            None => paths::name(&copied.source) == name,
        };
        self.copies.iter().filter(fits).filter_map(|copied| paths::join(paths::folder(&copied.source), name)).collect()
    }
    /// The context paths that may lie at a path of the image, likeliest first.
    pub(super) fn sources(&self, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        for Copied { source, pattern, to, folder } in self.copies.iter().rev() {
            let Some(rest) = paths::under(path, to) else { continue };
            if rest.is_empty() {
                if !folder {
                    found.push(source.clone());
                }
                continue;
            }
            // A file copied into a folder keeps its name; a folder's contents are copied, not the folder.
            let fits = pattern.as_ref().map_or_else(|| paths::name(source) == rest, |pattern| pattern.is_match(rest));
            if fits && !source.is_empty() {
                found.extend(paths::join(paths::folder(source), rest));
            }
            found.extend(paths::join(source, rest));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_lies_over_the_rest() {
        let mut contents = Contents::default();
        contents.mount("/app/data".to_owned(), Vec::new());
        contents.mount("/app".to_owned(), vec!["src".to_owned(), String::new()]);
        let at = |path: &str| contents.mounted(path).map(|paths| paths.join(" "));
        assert_eq!(at("/app/r.txt").as_deref(), Some("src/r.txt r.txt"));
        assert_eq!((at("/app/data/r.txt").as_deref(), at("/apple/r.txt")), (Some(""), None));
    }

    #[test]
    fn copies_are_found_again() {
        let mut contents = Contents::default();
        contents.copy("requirements.txt", "/app/", true);
        contents.copy("docker/req*.txt", "/tmp", false);
        contents.copy(".", "/src", false);
        contents.copy("a.txt", "/b.txt", false);
        assert_eq!(contents.sources("/app/requirements.txt")[0], "requirements.txt");
        assert_eq!(contents.sources("/tmp/requirements.txt")[0], "docker/requirements.txt");
        assert_eq!(contents.sources("/src/sub/x.txt")[0], "sub/x.txt");
        assert_eq!(contents.sources("/b.txt"), ["a.txt"]);
        assert!(contents.sources("/nowhere").is_empty());
        assert!(contents.holds("any/poetry.lock") && contents.holds("docker/req-a.txt"));
        let mut few = Contents::default();
        few.copy("./sub/", "/app", true);
        few.copy("poetry.lock*", "/app/", true);
        assert!(few.holds("sub/x") && few.holds("poetry.lock") && !few.holds("pdm.lock") && !few.holds("a/poetry.lock"));
    }
}
