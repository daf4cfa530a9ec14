//! What containers are given of the driver, and what uses it.

use crate::Tables;
use crate::order::{Key, text_key};
use crate::row::{Answer, Row};

impl Tables {
    /// Tags of images that run on the CPU alone.
    pub(crate) fn cpu_image(&mut self, row: &Row) -> Answer<Key> {
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let (repository, tags, serves) = (row.must("repository")?, row.list("tags")?, row.flag("serves")?);
        if tags.is_empty() || tags.iter().any(|tag| tag.matches('*').count() > 1) {
            return Err("`tags` is empty, or a tag has more than one `*`".to_owned());
        }
        for tag in &tags {
            let text = format!(
                "CpuImage {{ repository: {repository:?}, tag: {tag:?}, serves: {serves}, basis: {basis}, source: {source} }}"
            );
            let mut key = text_key(repository);
            key.extend(text_key(tag));
            self.cpu_images.push((key, text));
        }
        Ok(text_key(repository))
    }

    /// What an image sets for NVIDIA's runtime.
    pub(crate) fn image_variables(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let repository = row.must("repository")?;
        let (devices, capabilities) = (row.text("visible_devices")?, row.text("capabilities")?);
        let text = format!(
            "ImageVariables {{ repository: {repository:?}, visible_devices: {devices:?}, capabilities: {capabilities:?} }}"
        );
        self.image_variables.push((text_key(repository), text));
        Ok(text_key(repository))
    }

    /// A program or a variable that is of no use without a part of the driver.
    pub(crate) fn capability_user(&mut self, row: &Row) -> Answer<Key> {
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let capability = row.must("capability")?;
        let (programs, values) = (row.list("programs")?, row.list("values")?);
        let (after, variable) = (row.text("after")?, row.text("variable")?);
        if programs.is_empty() == variable.is_empty() {
            return Err("it needs either `programs` or a `variable`".to_owned());
        }
        if values.iter().any(|value| value.matches('*').count() > 2) {
            return Err("a value has more than two `*`".to_owned());
        }
        let text = format!(
            "CapabilityUser {{ capability: {capability:?}, programs: &{programs:?}, after: {after:?}, \
             variable: {variable:?}, values: &{values:?}, basis: {basis}, source: {source} }}"
        );
        let mut key = text_key(capability);
        key.extend(text_key(after));
        key.extend(text_key(programs.first().copied().unwrap_or(variable)));
        key.extend(text_key(values.first().copied().unwrap_or_default()));
        self.capability_users.push((key.clone(), text));
        Ok(key)
    }

    /// A package that has no code of its own for a GPU.
    pub(crate) fn without_kernels(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let package = row.must("package")?;
        self.without_kernels.push((text_key(package), format!("{package:?}")));
        Ok(text_key(package))
    }
}
