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
