//! The conda that an installer puts in a folder (`bash Miniconda3-py310_23.1.0-1-Linux-x86_64.sh -b -p /opt/conda`): its name
//! says which Python is in its base.
//! Source: <https://repo.anaconda.com/miniconda/>.

use std::collections::BTreeMap;

use super::super::paths;
use super::prefix::venv;
use super::{Installed, Prefix, Walker};
use crate::outline::Tool;

/// Of more installers that are fetched under another name none is known.
const MOST: usize = 64;

/// What installers were fetched, and where they put a conda.
#[derive(Clone, Debug, Default)]
pub(super) struct Base {
    /// The Pythons of those that are fetched under another name, by that name.
    fetched: BTreeMap<String, String>,
    /// The folder of the last that was installed, with its Python; `None` where its name does not say it.
    installed: Option<(String, Option<String>)>,
}

impl Base {
    /// A file is fetched; `to` is where it lies then, if that is told.
    pub(super) fn fetch(&mut self, url: &str, to: Option<&str>) {
        let Some(to) = to else { return };
        match python_of(url) {
            Some(python) if self.fetched.len() < MOST => drop(self.fetched.insert(paths::name(to).to_owned(), python)),
            _ => drop(self.fetched.remove(paths::name(to))),
        }
    }
    /// An installer is run.
    pub(super) fn install(&mut self, file: &str, folder: String) {
        let python = python_of(file).or_else(|| self.fetched.get(paths::name(file)).cloned());
        self.installed = Some((folder, python));
    }
}

impl Walker<'_, '_> {
    /// The Python of a step that installs into such a base, where that is known.
    pub(super) fn python_of_base(&self, step: &Installed) -> Option<String> {
        let (folder, python) = self.base.installed.as_ref()?;
        let on_path = || {
            let path = self.variable("PATH")?;
            let mut own = path.written.split(':').take_while(|part| !part.contains("${PATH}"));
            own.next()?.strip_suffix("/bin").filter(|first| first == folder)
        };
        let is_base = match &step.prefix {
            Prefix::System => step.tool == Tool::Conda || on_path().is_some() || self.names_base(step, folder),
            Prefix::Venv(other) | Prefix::Conda(other) => other == folder || other == "base",
            Prefix::Python(_) | Prefix::Distribution | Prefix::Unknown | Prefix::Somewhere(_) => false,
        };
        python.clone().filter(|_| is_base)
    }

    /// `/opt/conda/bin/pip` lands where the image's own pip does.
    fn names_base(&self, step: &Installed, folder: &str) -> bool {
        let written = self.project.sources.slice(step.at);
        venv(folder.to_owned()) == Prefix::System && written.contains(&format!("{folder}/bin/"))
    }
}

/// `3.10` of `Miniconda3-py310_23.1.0-1-Linux-x86_64.sh`.
fn python_of(path: &str) -> Option<String> {
    let (digits, _) = paths::name(path).strip_prefix("Miniconda3-py3")?.split_once('_')?;
    (!digits.is_empty() && digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| format!("3.{digits}"))
}
