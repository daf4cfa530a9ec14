//! Packages, modules and files of systems and tools.

use crate::Tables;
use crate::order::{Key, text_key};
use crate::row::{Answer, Row};

/// What a system package may put in place.
const CARRIED: [&str; 6] = ["Driver", "ForwardCompat", "Toolkit", "Libraries", "Cudnn", "Nccl"];

impl Tables {
    pub(crate) fn system_package(&mut self, row: &Row) -> Answer<Key> {
        let carries = row.list("carries")?;
        if carries.is_empty() {
            return Err("`carries` names nothing".to_owned());
        }
        if let Some(other) = carries.iter().find(|c| !CARRIED.contains(c)) {
            return Err(format!("unknown `carries`: {other}"));
        }
        let carries: String = carries.iter().map(|c| format!("Carries::{c}, ")).collect();
        let of_distribution = row.flag("of_distribution")?;
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let (patterns, systems) = (row.each("pattern", "patterns")?, row.list("systems")?);
        for pattern in &patterns {
            let text = format!(
                "SystemPackage {{ pattern: {pattern:?}, systems: &{systems:?}, carries: &[{carries}], of_distribution: {of_distribution}, \
                 basis: {basis}, source: {source} }}"
            );
            self.packages.push((text_key(pattern), text));
        }
        Ok(text_key(patterns[0]))
    }

    pub(crate) fn shell_file(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let end = row.must("end")?;
        self.shell_files.push((text_key(end), format!("{end:?}")));
        Ok(text_key(end))
    }

    pub(crate) fn fetched_script(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let begin = row.must("begin")?;
        self.fetched_scripts.push((text_key(begin), format!("{begin:?}")));
        Ok(text_key(begin))
    }

    pub(crate) fn signing_key(&mut self, row: &Row) -> Answer<Key> {
        let (_, source) = self.basis_and_source(row, "basis", "source", "")?;
        let (below, name, withdrawn) = (row.must("below")?, row.must("name")?, row.flag("withdrawn")?);
        let text = format!("SigningKey {{ below: {below:?}, name: {name:?}, withdrawn: {withdrawn}, source: {source} }}");
        self.signing_keys.push((text_key(name), text));
        Ok(text_key(name))
    }

    pub(crate) fn service_variable(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (name, services) = (row.must("name")?, row.list("services")?);
        self.service_variables.push((text_key(name), format!("({name:?}, &{services:?})")));
        Ok(text_key(name))
    }

    pub(crate) fn configuration_file(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (name, variable, index) = (row.must("name")?, row.must("variable")?, row.text("index")?);
        self.configuration_files.push((text_key(name), format!("({name:?}, {variable:?}, {index:?})")));
        Ok(text_key(name))
    }

    pub(crate) fn module(&mut self, row: &Row) -> Answer<Key> {
        let (key, name, brings) = self.brings(row)?;
        let (toolchain, nvcc) = (row.text("toolchain")?, row.flag("nvcc")?);
        let text = format!("Module {{ name: {name:?}, brings: {brings}, toolchain: {toolchain:?}, nvcc: {nvcc} }}");
        self.modules.push((key.clone(), text));
        Ok(key)
    }

    pub(crate) fn feature(&mut self, row: &Row) -> Answer<Key> {
        let (key, name, brings) = self.brings(row)?;
        self.features.push((key.clone(), format!("({name:?}, {brings})")));
        Ok(key)
    }

    /// A name with what it brings of Python.
    fn brings<'r>(&mut self, row: &'r Row) -> Answer<(Key, &'r str, String)> {
        self.source(row.must("source")?)?;
        let name = row.must("name")?;
        let brings = match row.must("brings")? {
            "nothing" => "Nothing",
            "python" => "Python",
            "conda" => "Conda",
            other => return Err(format!("unknown `brings`: {other}")),
        };
        Ok((text_key(name), name, format!("Brings::{brings}")))
    }
}
