//! Image references: `docker.io/nvidia/cuda:12.4.1-base-ubuntu22.04@sha256:…`.

use std::fmt;

/// A parsed image reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImageReference {
    /// Docker Hub names without host and without `library/`; others with their host.
    pub repository: String,
    /// The tag; `None` means `latest`, unless there is a digest.
    pub tag: Option<String>,
    /// `sha256:…`.
    pub digest: Option<String>,
}

impl ImageReference {
    /// Reads a reference; `docker://` and enroot's `host#path` forms too. `None` for what is no reference.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix("docker://").unwrap_or(text).replacen('#', "/", 1);
        let (name, digest) = match text.split_once('@') {
            // Anything but a digest behind an @ is a password's host.
            Some((name, digest)) if digest.starts_with("sha256:") || digest.starts_with("sha512:") => {
                (name, Some(digest.to_owned()))
            }
            Some(_) => return None,
            None => (text.as_str(), None),
        };
        let slash = name.rfind('/').map_or(0, |at| at + 1);
        let (repository, tag) = match name[slash..].split_once(':') {
            Some((last, tag)) => (format!("{}{last}", &name[..slash]), Some(tag.to_owned())),
            None => (name.to_owned(), None),
        };
        let hub = ["docker.io/", "index.docker.io/", "registry-1.docker.io/"];
        let repository = hub.iter().find_map(|h| repository.strip_prefix(h)).unwrap_or(&repository);
        let repository = repository.strip_prefix("library/").unwrap_or(repository);
        let fine = |c: char| c.is_ascii_alphanumeric() || "._-/:".contains(c);
        if repository.is_empty() || !repository.chars().all(fine) || tag.as_deref() == Some("") {
            return None;
        }
        Some(Self { repository: repository.to_owned(), tag, digest })
    }
}

impl fmt::Display for ImageReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.repository)?;
        match (&self.tag, &self.digest) {
            (Some(tag), _) => write!(f, ":{tag}"),
            (None, Some(digest)) => write!(f, "@{digest}"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let show = |t: &str| ImageReference::parse(t).map(|i| format!("{} {:?}", i.repository, i.tag));
        assert_eq!(show("docker.io/library/python:3.9-slim").as_deref(), Some("python Some(\"3.9-slim\")"));
        assert_eq!(show("nvcr.io#nvidia/pytorch:20.12-py3").as_deref(), Some("nvcr.io/nvidia/pytorch Some(\"20.12-py3\")"));
        assert_eq!(show("localhost:5000/a/b").as_deref(), Some("localhost:5000/a/b None"));
        assert_eq!(show("a:1@sha256:ff").as_deref(), Some("a Some(\"1\")"));
        assert_eq!(show("Apache Spark 3.4.1"), None);
    }
}
