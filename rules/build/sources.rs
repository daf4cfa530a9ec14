//! Packages that own a module, and what is compiled where it is installed.

use crate::Tables;
use crate::order::{Key, text_key};
use crate::row::{Answer, Row};

impl Tables {
    /// A package whose wheels are a module's files.
    pub(crate) fn module_owner(&mut self, row: &Row) -> Answer<Key> {
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let (package, module) = (row.must("package")?, row.must("module")?);
        let text = format!(
            "ModuleOwner {{ package: {package:?}, module: {module:?}, until: {:?}, same_from: {:?}, cuda: {:?}, basis: {basis}, source: {source} }}",
            row.text("until")?,
            row.text("same_from")?,
            row.text("cuda")?,
        );
        self.module_owners.push((text_key(package), text));
        Ok(text_key(package))
    }

    /// A conda package that brings an nvcc.
    pub(crate) fn conda_toolkit(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let name = row.must("name")?;
        self.conda_toolkits.push((text_key(name), format!("{name:?}")));
        Ok(text_key(name))
    }

    /// Where the sources of a package lie.
    pub(crate) fn source_repository(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (address, package) = (row.must("address")?, row.must("package")?);
        self.source_repositories.push((text_key(address), format!("({address:?}, {package:?})")));
        Ok(text_key(address))
    }

    /// A variable that builds read, whatever they build.
    pub(crate) fn build_variable(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let name = row.must("name")?;
        self.build_variables.insert(name.to_owned());
        Ok(text_key(name))
    }

    /// What is compiled for the GPU where it is installed.
    pub(crate) fn source_build(&mut self, row: &Row) -> Answer<Key> {
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let name = row.must("name")?;
        let nvcc = match (row.text("nvcc")?, row.text("asked_by")?) {
            ("must", "") => "Nvcc::Must".to_owned(),
            ("if-there", "") => "Nvcc::IfThere".to_owned(),
            ("asked", asked) if !asked.is_empty() => format!("Nvcc::Asked({asked:?})"),
            (other, asked) => {
                return Err(format!(
                    "`nvcc` is `{other}`, `asked_by` `{asked}`: must, if-there, or asked with the variable that asks"
                ));
            }
        };
        let text = format!(
            "SourceBuild {{ name: {name:?}, repositories: &{:?}, folder: {:?}, nvcc: {nvcc}, forced_by: {:?}, skipped_by: {:?}, without_torch: {}, imports_torch: {}, \
             declares_torch: {}, own_architectures: {}, architectures_by: {:?}, wheels: {:?}, fetches_wheels_unless: {:?}, since: {:?}, until: {:?}, basis: {basis}, source: {source} }}",
            row.list("repositories")?,
            row.text("folder")?,
            row.text("forced_by")?,
            row.text("skipped_by")?,
            row.flag("without_torch")?,
            row.flag("imports_torch")?,
            row.flag("declares_torch")?,
            row.flag("own_architectures")?,
            row.text("architectures_by")?,
            row.text("wheels")?,
            row.text("fetches_wheels_unless")?,
            row.text("since")?,
            row.text("until")?,
        );
        for column in ["forced_by", "skipped_by", "asked_by", "architectures_by", "fetches_wheels_unless"] {
            let names = row.text(column)?.split(' ').filter_map(|name| name.split('=').next());
            self.build_variables.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
        }
        self.source_builds.push((text_key(name), text));
        Ok(text_key(name))
    }
}
