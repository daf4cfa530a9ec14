//! Installers' own configuration files: which are in force where a command runs, and what they add to its step.

use super::super::before::Tags;
use super::super::paths;
use super::super::variables::{Seen, Value};
use super::acts::configures;
use super::{File, Indexed, Installed, Routed, Walker};
use crate::environment::Untold;
use crate::notation::requirement::{self, Subject};
use crate::outline::{Does, How, Include, IndexKind, Kind, Role, Text, Tool, Written};
use crate::source::Span;

/// The configuration files that were put in place: a path under the root, or of the image where it was written there.
#[derive(Clone, Debug, Default)]
pub(super) struct Configuration {
    /// pip's.
    pip: Option<String>,
    /// conda's.
    conda: Option<String>,
}

/// Where the tools look for a configuration whoever calls them, as far as that can be told in an image.
/// Sources: <https://pip.pypa.io/en/stable/topics/configuration/#location>,
/// <https://docs.conda.io/projects/conda/en/stable/user-guide/configuration/use-condarc.html#searching-for-condarc>.
const PLACES: &[(Kind, &[&str])] = &[
    (
        Kind::PipConfig,
        &[
            "/etc/pip.conf",
            "/etc/xdg/pip/pip.conf",
            "/root/.pip/pip.conf",
            "/root/.config/pip/pip.conf",
            "/usr/local/pip.conf",
            "/usr/pip.conf",
        ],
    ),
    (Kind::Condarc, &["/root/.condarc", "/opt/conda/.condarc", "/etc/conda/.condarc", "/var/lib/conda/.condarc"]),
];

impl<'a> Walker<'_, 'a> {
    /// A folder of the build context comes to one of the image: configurations that lie in it come to where they are looked for.
    pub(super) fn configure_all(&mut self, source: &str, to: &str, at: Span) {
        let contexts = self.image.as_ref().map(|i| i.contexts.clone()).unwrap_or_default();
        let folders =
            contexts.iter().filter_map(|context| Some((context, paths::join(context, source.trim_start_matches('/'))?)));
        let mut found: Vec<(String, String)> = Vec::new();
        for (context, folder) in folders {
            for path in self.project.configurations() {
                let Some(below) = paths::under(path, &folder).filter(|below| !below.is_empty()) else { continue };
                let own = paths::under(path, context).unwrap_or(path).to_owned();
                found.push((own, paths::inside(to, below)));
            }
        }
        for (own, to) in found {
            if PLACES.iter().any(|(_, paths)| paths.contains(&to.as_str())) {
                self.configure(&own, &to, at);
            }
        }
    }

    /// A file of the build context comes to a path of the image, at that place of the Dockerfile.
    pub(super) fn configure(&mut self, source: &str, to: &str, at: Span) {
        let Some(kind) = self.configured_at(to) else {
            // In another place it may be meant for another user, or be named by a variable.
            configures(&mut self.configured, &mut self.variables, to, at);
            return;
        };
        let contexts = self.image.as_ref().map(|i| i.contexts.clone()).unwrap_or_default();
        let wanted = contexts.iter().filter_map(|context| paths::join(context, source.trim_start_matches('/')));
        let found = self.first(wanted.collect(), kind).filter(|path| self.project.file(path).is_some_and(|f| f.kind == kind));
        self.put_in_place(kind, found, at);
    }

    /// A file of which is known what it says is written to a path.
    pub(super) fn configure_written(&mut self, written: &Written, to: String) {
        let at = written.path.at;
        match self.configured_at(&to).filter(|kind| self.image.is_some() && *kind == written.kind) {
            Some(kind) => self.put_in_place(kind, Some(to), at),
            None => configures(&mut self.configured, &mut self.variables, &to, at),
        }
    }

    /// As what a tool reads what lies there, whoever calls it.
    fn configured_at(&self, to: &str) -> Option<Kind> {
        let own = self.variable("VIRTUAL_ENV").and_then(|v| v.text.as_deref()).map(|folder| folder.trim_end_matches('/'));
        let in_own = own.is_some_and(|folder| paths::under(to, folder) == Some("pip.conf"));
        let place = PLACES.iter().find(|(_, paths)| paths.contains(&to)).map(|(kind, _)| *kind);
        place.or(in_own.then_some(Kind::PipConfig))
    }

    fn put_in_place(&mut self, kind: Kind, found: Option<String>, at: Span) {
        match (kind, found) {
            (Kind::Condarc, found) => self.configuration.conda = found,
            // Of several files all hold, one over the other.
            (_, Some(path)) if self.configuration.pip.as_ref().is_none_or(|before| *before == path) => {
                self.configuration.pip = Some(path);
            }
            _ => configures(&mut self.configured, &mut self.variables, "pip.conf", at),
        }
    }

    /// A configuration that was put in place.
    fn configuration(&self, path: Option<&String>) -> Option<(File<'a>, String)> {
        let file = self.written(path?).or_else(|| self.project.file(path?))?;
        Some((file, path?.clone()))
    }

    /// Adds what pip's configuration says; what a command line or a variable says goes before.
    pub(super) fn configured_pip(&mut self, step: &mut Installed) {
        let named = self.variable("PIP_CONFIG_FILE").map(|v| (v.text.clone(), v.at, configured_by(v)));
        let found = match named {
            None => self.configuration(self.configuration.pip.as_ref()),
            // All others are left out, too.
            Some((Some(text), ..)) if text == "/dev/null" => return,
            Some((text, at, by)) => {
                let found = text.and_then(|text| self.open(&Text::literal(text, at), Kind::PipConfig));
                if found.is_none() || self.configuration.pip.is_some() {
                    step.indexes.push(Indexed::untold(by, at));
                    return;
                }
                found
            }
        };
        let Some((file, path)) = found.filter(|(file, _)| file.kind == Kind::PipConfig) else { return };
        self.enter(&path, file);
        let set = |walker: &Self, name: &str| walker.variable(name).is_some();
        for act in &file.outline.acts {
            match &act.does {
                Does::Index(line) => {
                    let instead = match line.kind {
                        IndexKind::Primary => step.indexes.iter().any(|i| i.kind == IndexKind::Primary),
                        IndexKind::Extra => set(self, "PIP_EXTRA_INDEX_URL"),
                        IndexKind::FindLinks => set(self, "PIP_FIND_LINKS"),
                        IndexKind::Supplemental | IndexKind::None | IndexKind::Channel => false,
                    };
                    if !instead {
                        let index = self.index(line);
                        step.indexes.push(index);
                    }
                }
                Does::Options(flags) => {
                    step.flags.no_deps |= flags.no_deps;
                    self.options(flags, step);
                }
                Does::Include(Include { path, how: How::Constraints }) if !set(self, "PIP_CONSTRAINT") => {
                    self.read(&Include { path: path.clone(), how: How::Constraints }, step, &[], 0);
                }
                _ => {}
            }
        }
    }

    /// Adds conda's channels and pins.
    pub(super) fn configured_conda(&mut self, step: &mut Installed) {
        let Some((file, path)) = self.configuration(self.configuration.conda.as_ref()) else { return };
        self.enter(&path, file);
        for act in &file.outline.acts {
            match &act.does {
                Does::Index(line) => {
                    let index = self.index(line);
                    step.indexes.push(index);
                }
                Does::Require(requirement) if requirement.role == Role::Bounds => {
                    let asked = self.asked(requirement, &[]);
                    step.bounds.push(asked);
                }
                _ => {}
            }
        }
    }

    /// pip looks at no configuration in its working directory, yet one that lies there is meant to be put in place. Whether
    /// it is, nobody says: what it may change is not known, so that it takes findings away and never makes one.
    pub(super) fn assume_configuration(&mut self, manifest: &str, step: &mut Installed) {
        if step.tool != Tool::Pip {
            return;
        }
        let folders: Vec<&str> = manifest.rmatch_indices('/').map(|(at, _)| &manifest[..at]).chain([""]).collect();
        let wanted: Vec<String> =
            folders.iter().flat_map(|f| ["pip.conf", "pip.ini"].iter().filter_map(|name| paths::join(f, name))).collect();
        let Some(path) = self.first(wanted, Kind::PipConfig) else { return };
        let Some(file) = self.project.file(&path).filter(|file| file.kind == Kind::PipConfig) else { return };
        self.enter(&path, file);
        for act in &file.outline.acts {
            match act.does {
                Does::Index(_) => step.indexes.push(Indexed::untold(Untold::Unplaced, act.at)),
                Does::Include(_) => step.bounds_open = true,
                _ => {}
            }
        }
    }
}

impl Walker<'_, '_> {
    /// All ways of installing a manifest must agree: what comes of it alone is not known where others bring an index, nor
    /// of a package that they bring.
    pub(super) fn agree(&mut self, manifest: &str, step: &mut Installed) {
        let brought = self.project.brought(manifest);
        step.indexes.extend(brought.index.map(|at| Indexed::untold(Untold::Others, at)));
        let tagged = step.asks.iter().filter_map(|ask| local_pin(ask.text.as_deref()?));
        let served = tagged.filter(|(_, tag)| brought.tags.is_some_and(|tags| tags == Tags::Any || tag == "cpu"));
        let untold = brought.packages.into_iter().chain(served.map(|(package, _)| package));
        step.routes.extend(untold.map(|package| Routed { package, index: None, file: None }));
    }
    /// The same of what is run: others name an index for it.
    pub(super) fn run_by_others(&mut self, path: &str) {
        if let Some(at) = self.project.index_for(path) {
            for name in ["PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL"] {
                self.variables.set(name, Value::unknown(at, Seen::Programs));
            }
        }
    }
}

/// The package that a requirement holds to one build, and the build's local version: `torch==2.1.0+cpu`.
fn local_pin(requirement: &str) -> Option<(String, String)> {
    let Subject::Package { name, wants, .. } = requirement::parse(requirement).ok()?.subject else { return None };
    Some((name, wants.pin()?.local()?))
}

/// By what an installer is told of a configuration that is not read: modules set the variable to what nobody writes.
pub(super) fn configured_by(variable: &Value) -> Untold {
    if variable.text.is_none() && variable.written.is_empty() { Untold::Module } else { Untold::Configuration }
}
