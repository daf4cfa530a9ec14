//! Container images, and the systems in them.

use crate::Tables;
use crate::order::{Key, image_key, text_key};
use crate::row::{Answer, Row};

/// The keys of a row.
pub(crate) const IMAGE: &[&str] = &[
    "repository",
    "tag",
    "tags",
    "variants",
    "oses",
    "cuda",
    "flavour",
    "cudnn",
    "torch",
    "torch_nightly",
    "require_cuda",
    "driver",
    "driver_branches",
    "gpu_only",
    "gpu_optional",
    "without_compat",
    "conda_torch",
    "os",
    "python",
    "basis",
    "source",
];

impl Tables {
    pub(crate) fn image(&mut self, row: &Row) -> Answer<Key> {
        let repository = row.must("repository")?;
        let (cuda, cudnn) = (row.text("cuda")?, row.text("cudnn")?);
        // (tag, flavour, cuDNN, operating system)
        let mut tags: Vec<(String, &str, &str, &str)> = Vec::new();
        if row.own.contains_key("variants") {
            for os in row.list("oses")? {
                for variant in row.list("variants")? {
                    let (with, flavour) = variant.rsplit_once('-').unwrap_or(("", variant));
                    let cudnn = if with.starts_with("cudnn") { cudnn } else { "" };
                    tags.push((format!("{cuda}-{variant}-{os}"), flavour, cudnn, os));
                }
            }
        } else {
            let (flavour, os) = (row.text("flavour")?, row.text("os")?);
            tags.extend(row.each("tag", "tags")?.into_iter().map(|tag| (tag.to_owned(), flavour, cudnn, os)));
        }
        for (tag, flavour, cudnn, os) in &tags {
            let (basis, source) = self.basis_and_source(row, "basis", "source", tag)?;
            let flavour = match *flavour {
                "" => "None",
                "base" => "Base",
                "runtime" => "Runtime",
                "devel" => "Devel",
                other => return Err(format!("unknown flavour `{other}`")),
            };
            if tag.matches('*').count() > 1 {
                return Err(format!("`{tag}` has more than one `*`"));
            }
            let text = format!(
                "Image {{ repository: {repository:?}, tag: {tag:?}, cuda: {cuda:?}, flavour: Flavour::{flavour}, cudnn: {cudnn:?}, \
                 torch: {:?}, torch_nightly: {:?}, require_cuda: {:?}, driver: {:?}, driver_branches: &{:?}, gpu_only: {}, gpu_optional: {}, without_compat: {}, conda_torch: {}, os: {os:?}, \
                 python: {:?}, basis: {basis}, source: {source} }}",
                row.text("torch")?,
                row.text("torch_nightly")?,
                row.text("require_cuda")?,
                row.text("driver")?,
                row.numbers("driver_branches")?,
                row.flag("gpu_only")?,
                row.flag("gpu_optional")?,
                row.flag("without_compat")?,
                row.flag("conda_torch")?,
                row.text("python")?,
            );
            self.images.entry(repository.to_owned()).or_default().push((image_key(tag), text));
        }
        let first = tags.first().ok_or("no tag: `variants` or `oses` is empty")?;
        let mut key = text_key(repository);
        key.extend(image_key(&first.0));
        Ok(key)
    }

    /// Tags that are there no longer.
    pub(crate) fn image_gone(&mut self, row: &Row) -> Answer<Key> {
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let (repository, tags) = (row.must("repository")?, row.list("tags")?);
        for tag in &tags {
            let text = format!("ImageGone {{ repository: {repository:?}, tag: {tag:?}, basis: {basis}, source: {source} }}");
            let mut key = text_key(repository);
            key.extend(text_key(tag));
            self.images_gone.push((key, text));
        }
        Ok(text_key(repository))
    }

    /// A repository of which the tables had every tag, on a day.
    pub(crate) fn image_list(&mut self, row: &Row) -> Answer<Key> {
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let repository = row.must("repository")?;
        let text = format!(
            "ImageList {{ repository: {repository:?}, before: {:?}, complete: {:?}, basis: {basis}, source: {source} }}",
            row.must("before")?,
            row.must("complete")?,
        );
        self.image_lists.push((text_key(repository), text));
        Ok(text_key(repository))
    }

    pub(crate) fn bare_image(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let repository = row.must("repository")?;
        self.bare_images.push((text_key(repository), format!("{repository:?}")));
        Ok(text_key(repository))
    }

    pub(crate) fn system_python(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (system, python) = (row.must("system")?, row.must("python")?);
        self.system_pythons.push((text_key(system), format!("({system:?}, {python:?})")));
        Ok(text_key(system))
    }

    /// The glibc of a system.
    pub(crate) fn system_glibc(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (system, glibc) = (row.must("system")?, row.must("glibc")?);
        self.system_glibcs.push((text_key(system), format!("({system:?}, {glibc:?})")));
        Ok(text_key(system))
    }
}
