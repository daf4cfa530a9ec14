//! What variables and configurations add to an installing step that its command does not say.

use super::super::origins;
use super::super::variables::{Seen, Value};
use super::configuration::configured_by;
use super::install::unread;
use super::{Event, Indexed, Installed, Walker};
use crate::environment::Untold;
use crate::knowledge;
use crate::outline::{How, Include, IndexKind, Piece, Text, Tool};

impl Walker<'_, '_> {
    /// Adds what variables say (`PIP_EXTRA_INDEX_URL` …), and lets the step happen.
    pub(super) fn push(&mut self, mut step: Installed) {
        step.made = self.was_made(&step.prefix);
        step.variables = self.build_variables();
        // What builds are told on the command line stands beside what variables tell them.
        let told = step.flags.build_options.iter().filter_map(|option| option.known().map(|name| (name, option.at)));
        let told = told.filter(|(name, _)| knowledge::build_variables().contains(name));
        step.variables.extend(told.map(|(name, at)| (name.to_owned(), Value::told("1", at))));
        if let Some(conda) = self.conda_part(&mut step) {
            self.push(conda);
            if step.asks.is_empty() && step.locks.is_empty() {
                return;
            }
        }
        let pip = step.tool == Tool::Pip;
        let uv = matches!(step.tool, Tool::UvPip | Tool::Uv);
        let own = |of_pip: &'static str, of_uv: &'static str| match (pip, uv) {
            (true, _) => Some(of_pip),
            (_, true) => Some(of_uv),
            _ => None,
        };
        let named: &[(&str, IndexKind)] = match step.tool {
            Tool::Pip => &[
                ("PIP_INDEX_URL", IndexKind::Primary),
                ("PIP_EXTRA_INDEX_URL", IndexKind::Extra),
                ("PIP_FIND_LINKS", IndexKind::FindLinks),
            ],
            Tool::UvPip | Tool::Uv => &[
                ("UV_INDEX_URL", IndexKind::Primary),
                ("UV_DEFAULT_INDEX", IndexKind::Primary),
                ("UV_EXTRA_INDEX_URL", IndexKind::Extra),
                ("UV_INDEX", IndexKind::Extra),
                ("UV_FIND_LINKS", IndexKind::FindLinks),
            ],
            Tool::Conda => &[("CONDA_CHANNELS", IndexKind::Channel)],
            // Source: <https://pixi.sh/latest/reference/environment_variables/>, and none for the others' own indexes.
            Tool::Poetry | Tool::Pdm | Tool::Pipenv | Tool::Pixi => &[],
        };
        // Another configuration file takes the place of uv's own, and is not read.
        let other = self.variable("UV_CONFIG_FILE").filter(|v| uv && v.text.as_deref() != Some("/dev/null"));
        if let Some((at, by)) = other.map(|v| (v.at, configured_by(v))) {
            step.indexes.push(Indexed::untold(by, at));
        }
        if self.unsure && (pip || uv) {
            step.indexes.push(Indexed::untold(Untold::Sourced, step.at));
        }
        for (name, kind) in named {
            let Some(value) = self.variable(name) else { continue };
            step.says |= self.variables.says(name);
            let (text, at) = (value.text.clone(), value.at);
            // What nobody writes stands for a configuration that was put in place.
            let why = if value.written.is_empty() { Untold::Configuration } else { Untold::Variable };
            // The command line's own --index-url wins over the variable.
            if *kind == IndexKind::Primary && step.indexes.iter().any(|i| i.kind == IndexKind::Primary) {
                continue;
            }
            let apart = |c: char| c.is_whitespace() || step.tool == Tool::Conda && c == ',';
            let written = origins::reasons(&value.from, true);
            let url = |url: Result<String, Untold>| {
                let also = written.clone();
                Indexed { url, kind: *kind, name: None, explicit: false, in_project: false, at, also }
            };
            match text {
                None => step.indexes.push(url(Err(why))),
                Some(text) => step.indexes.extend(text.split(apart).filter(|part| !part.is_empty()).map(|part| {
                    let address = part.split_once('=').filter(|(name, _)| !pip && !name.contains(':')).map_or(part, |(_, u)| u);
                    url(Ok(address.to_owned()))
                })),
            }
        }
        if let Some(constraint) =
            own("PIP_CONSTRAINT", "UV_CONSTRAINT").and_then(|name| self.variable(name)).map(|v| (v.text.clone(), v.at))
        {
            match constraint {
                (Some(text), at) => {
                    for part in text.split_whitespace() {
                        self.read(&Include { path: Text::literal(part, at), how: How::Constraints }, &mut step, &[], 0);
                    }
                }
                (None, at) => unread(&mut step, How::Constraints, &Text { pieces: vec![Piece::Opaque], at }),
            }
        }
        match step.tool {
            Tool::Pip => self.configured_pip(&mut step),
            Tool::Conda => self.configured_conda(&mut step),
            _ => {}
        }
        if uv && step.torch_backend.is_none() {
            step.torch_backend = self.variable("UV_TORCH_BACKEND").map(|v| v.text.clone());
        }
        if uv && step.index_strategy.is_none() {
            step.index_strategy = self.variable("UV_INDEX_STRATEGY").map(|v| v.text.clone());
        }
        let dated = |name: &str| self.variable(name).is_some_and(|v| v.text.as_deref() != Some(""));
        step.bounds_open |= own("PIP_UPLOADED_PRIOR_TO", "UV_EXCLUDE_NEWER").is_some_and(dated);
        step.bounds_open |= uv && self.variable("UV_RESOLUTION").is_some_and(|v| v.text.as_deref() != Some("highest"));
        if pip {
            step.flags.no_deps |= self.is_on("PIP_NO_DEPS") || self.is_on("PIP_NO_DEPENDENCIES");
            step.flags.pre |= self.is_on("PIP_PRE");
            step.flags.upgrade |= self.is_on("PIP_UPGRADE");
        }
        if step.tool == Tool::UvPip {
            self.settings_of_uv_pip(&mut step);
        }
        if let Some(python) = self.python_of_base(&step) {
            self.script.events.push(Event::PythonOf { prefix: step.prefix.clone(), python, at: step.at, now: false });
        }
        self.script.suits_host |= step.says.suits_host();
        self.bounds.step(step.asks.len() + step.locks.len());
        self.script.events.push(Event::Install(Box::new(step)));
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.ask(name);
        let pending = self.pending.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v);
        pending.or_else(|| self.variables.get(name).filter(|v| v.seen != Seen::Shell))
    }

    /// The variables that builds read, as programs see them now.
    pub(super) fn build_variables(&self) -> Vec<(String, Value)> {
        let set = knowledge::build_variables().iter().filter_map(|name| Some(((*name).to_owned(), self.variable(name)?.clone())));
        set.collect()
    }

    /// Whether a variable switches an option of pip on; what is not known does not.
    fn is_on(&self, name: &str) -> bool {
        let value = self.variable(name).and_then(|v| v.text.as_deref());
        value.is_some_and(|text| !matches!(text.trim().to_lowercase().as_str(), "" | "0" | "n" | "no" | "f" | "false" | "off"))
    }
}
