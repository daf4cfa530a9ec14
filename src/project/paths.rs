//! Root-relative paths, and paths inside an image.

/// Joins and tidies: `join("a/b", "../c.txt")` is `a/c.txt`. `None` for a path that leaves the root or is absolute.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) || path.contains("://") {
        return None;
    }
    tidy(folder.split('/').chain(path.split(['/', '\\'])))
}

/// Joins inside an image, where `/` is the top: `inside("/app", "../x")` is `/x`.
pub(super) fn inside(folder: &str, path: &str) -> String {
    let parts = if path.starts_with('/') { tidy(path.split('/')) } else { tidy(folder.split('/').chain(path.split('/'))) };
    format!("/{}", parts.unwrap_or_default())
}

/// How paths begin that are spelled from the top when run: no name of a file holds this sign.
const FROM_ROOT: &str = "\0root/";
const FROM_START: &str = "\0start/";

/// The path, spelled from the top, of what lies at a path of the root.
pub(super) fn from_root(path: &str) -> String {
    format!("{FROM_ROOT}{path}")
}

/// The same from where commands run at first.
pub(super) fn from_start(path: &str) -> String {
    format!("{FROM_START}{path}")
}

/// Whether a path is one of those.
pub(super) fn is_led(path: &str) -> bool {
    [FROM_ROOT, FROM_START].iter().any(|from| path.starts_with(from))
}

/// Where such a path leads, in the root; `starts` are the folders where commands may run at first. `None` for other paths.
pub(super) fn leading(path: &str, starts: &[String]) -> Option<Vec<String>> {
    match path.strip_prefix(FROM_ROOT) {
        Some(rest) => Some(join("", rest.trim_start_matches('/')).into_iter().collect()),
        None => {
            let rest = path.strip_prefix(FROM_START)?;
            Some(starts.iter().filter_map(|start| join(start, rest.trim_start_matches('/'))).collect())
        }
    }
}

/// Such a path without detours, as `pwd` has it; `None` for one that leaves the root.
pub(super) fn without_detours(path: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix(FROM_ROOT) {
        return Some(from_root(&join("", rest.trim_start_matches('/'))?));
    }
    let mut kept: Vec<&str> = Vec::new();
    for part in path.strip_prefix(FROM_START)?.split('/') {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    Some(from_start(&kept.join("/")))
}

/// The folder of what such a path names, as `dirname` has it.
pub(super) fn above(path: &str) -> Option<String> {
    let from = [FROM_ROOT, FROM_START].into_iter().find(|from| path.starts_with(from))?;
    let rest = path[from.len()..].trim_matches('/');
    match (rest.rfind('/'), rest) {
        (Some(at), _) => Some(format!("{from}{}", &rest[..at])),
        (None, "" | "." | "..") if from == FROM_ROOT => None,
        (None, "" | "." | "..") => Some(format!("{from}{rest}/..")),
        (None, _) => Some(from.to_owned()),
    }
}

fn tidy<'a>(parts: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        match part {
            "" | "." => {}
            ".." => {
                kept.pop()?;
            }
            part => kept.push(part),
        }
    }
    Some(kept.join("/"))
}

/// The folder of a path; empty for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
}

/// The path of a file in the same folder.
pub(super) fn beside(path: &str, name: &str) -> String {
    match folder(path) {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What is left of `path` under `folder`; empty when they are the same.
pub(super) fn under<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let folder = folder.trim_end_matches('/');
    let rest = path.strip_prefix(folder)?;
    if folder.is_empty() {
        return Some(rest.trim_start_matches('/'));
    }
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins() {
        assert_eq!(join("a/b", "../c.txt").as_deref(), Some("a/c.txt"));
        assert_eq!(join("", "./x").as_deref(), Some("x"));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(join("a", "/x"), None);
        assert_eq!(inside("/app", "../x/./y"), "/x/y");
        assert_eq!(inside("/app", "/y"), "/y");
        assert_eq!(under("/app/req/a.txt", "/app"), Some("req/a.txt"));
        assert_eq!(under("/apple", "/app"), None);
        assert_eq!(under("/app", "/app/"), Some(""));
        assert_eq!(under("/a", "/"), Some("a"));
        assert_eq!((folder("a/b.txt"), folder("b.txt"), name("a/b.txt")), ("a", "", "b.txt"));
    }
}
