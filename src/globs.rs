//! Globs of paths, as `--exclude`, the `exclude` key and `[[per-path]]` write them, and of images.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::source::brief;

/// Globs of files and folders. One without `/` matches a name at any depth; one with `/` starts at the folder that it
/// belongs to. A folder that matches is meant with all that it holds.
#[derive(Clone, Debug, Default)]
pub struct PathGlobs(GlobSet);

impl PathGlobs {
    /// Compiles the globs.
    ///
    /// # Errors
    /// The first glob that is none, with the reason.
    pub fn new<S: AsRef<str>>(globs: &[S]) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for written in globs {
            set.add(glob_of_path(written.as_ref())?);
        }
        Ok(Self(set.build().map_err(|e| bad_glob(e.glob().unwrap_or_default(), &e))?))
    }
    /// Whether there is no glob.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Whether a path, relative to the globs' folder, is meant: it matches, or a folder above it does.
    #[must_use]
    pub fn cover(&self, path: &str) -> bool {
        !self.is_empty() && (self.match_path(path) || path.match_indices('/').any(|(at, _)| self.match_path(&path[..at])))
    }
    /// Whether the path itself matches.
    #[must_use]
    pub fn match_path(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

/// A glob of images, ready to be asked; one without a tag means every tag.
#[derive(Clone, Debug)]
pub struct ImageGlob {
    /// As it stands in the file.
    pub written: String,
    matcher: GlobSet,
}

impl ImageGlob {
    pub(crate) fn new(written: String) -> Result<Self, String> {
        let bad = |e: &globset::Error| bad_glob(&written, e);
        let mut all = GlobSet::builder();
        all.add(Glob::new(&written).map_err(|e| bad(&e))?);
        // A colon before the last slash is that of a port.
        if !written.rsplit('/').next().unwrap_or_default().contains([':', '@']) {
            for end in [":*", "@*"] {
                all.add(Glob::new(&format!("{written}{end}")).map_err(|e| bad(&e))?);
            }
        }
        let matcher = all.build().map_err(|e| bad(&e))?;
        Ok(Self { matcher, written })
    }
    /// Whether an image fits.
    pub(crate) fn fits(&self, image: &str) -> bool {
        self.matcher.is_match(image)
    }
}

/// One glob of a path.
pub(crate) fn glob_of_path(written: &str) -> Result<Glob, String> {
    if written.starts_with('!') {
        return Err(format!("'{}' takes nothing back: write `[!]` for a name that begins with `!`", brief(written)));
    }
    let bare = written.trim_end_matches('/');
    let anchored = bare.strip_prefix("./").or_else(|| bare.strip_prefix('/')).unwrap_or(bare);
    let pattern = if bare.contains('/') { anchored.to_owned() } else { format!("**/{bare}") };
    GlobBuilder::new(&pattern).literal_separator(true).build().map_err(|e| bad_glob(written, &e))
}

/// Why a glob is none.
#[must_use]
pub fn bad_glob(glob: &str, error: &globset::Error) -> String {
    format!("error parsing glob '{}': {}", brief(glob), brief(&error.kind().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_mean_what_people_expect() {
        for (glob, path, covered) in [
            ("third_party/**", "third_party/a/requirements.txt", true),
            ("third_party/**", "src/third_party/requirements.txt", false),
            ("third_party", "third_party/a.txt", true),
            ("third_party", "src/third_party/a.txt", true),
            ("third_party/", "src/third_party/a.txt", true),
            ("./docs/x", "docs/x/a.txt", true),
            ("/docs", "docs/a.txt", true),
            ("/docs", "src/docs/a.txt", false),
            ("*.dev.txt", "a/b.dev.txt", true),
            ("a/*.txt", "a/b/c.txt", false),
            ("a/**/c.txt", "a/b/c.txt", true),
            ("{x,y}/*", "y/z.txt", true),
            ("doc", "docs/a.txt", false),
        ] {
            assert_eq!(PathGlobs::new(&[glob]).expect("a glob").cover(path), covered, "{glob} {path}");
        }
        let long = PathGlobs::new(&["x\n[".repeat(1 << 18)]).expect_err("no glob");
        assert!(long.starts_with("error parsing glob 'x\\n[x") && long.len() < 300, "{}", long.len());
        assert!(PathGlobs::new(&["!ci"]).expect_err("no glob").starts_with("'!ci' takes nothing back"));
        assert!(!PathGlobs::default().cover("a"));
    }
    #[test]
    fn an_image_without_a_tag_means_every_tag() {
        for (pattern, image, fits) in [
            ("reg.example/base", "reg.example/base", true),
            ("reg.example/base", "reg.example/base:1", true),
            ("reg.example/base", "reg.example/base@sha256:0", true),
            ("reg.example:5000/base", "reg.example:5000/base:1", true),
            ("reg.example/base", "reg.example/base2:1", false),
            ("reg.example/base:1*", "reg.example/base:2", false),
            ("reg.example/base:1", "reg.example/base:1", true),
        ] {
            let read = ImageGlob::new(pattern.to_owned()).expect("a pattern");
            assert_eq!(read.fits(image), fits, "{pattern} {image}");
        }
    }
}
