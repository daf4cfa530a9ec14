//! Starts that are manifests: projects with their extras, groups and environments, requirements, locks.

use std::collections::BTreeSet;

use super::installers::is_read_by;
use super::starts::{Beginning, Enters, Parts, beside};
use super::{File, Project, paths};
use crate::outline::{Act, Choice, Does, How, Kind, Role, Tool};
use crate::source::Span;

/// The starts that are manifests, without those that a command of the root installs.
pub(crate) fn manifests(project: &Project<'_>, installed: &BTreeSet<String>) -> Vec<Beginning> {
    let mut found = Vec::new();
    for (path, file) in project.files().filter(|(_, file)| !file.by_link) {
        let at = Span::new(file.id, 0, 0);
        let mut push = |name: String, parts: Parts| {
            found.push(Beginning { name, path: path.to_owned(), at, enters: Enters::Manifest(parts), runs: true });
        };
        match file.kind {
            Kind::Requirements if !installed.contains(path) && !is_constraints(path) => push(path.to_owned(), alone()),
            Kind::CondaEnvironment if !installed.contains(path) && !file.outline.acts.is_empty() => {
                push(path.to_owned(), alone())
            }
            Kind::Pyproject | Kind::Pipfile => {
                own(project, path, file, &mut push);
                composed(path, file, &mut push);
            }
            Kind::Pixi => composed(path, file, &mut push),
            Kind::SetupPy | Kind::SetupCfg if is_set_up_by(project, path, file.kind) => own(project, path, file, &mut push),
            Kind::UvLock if project.file(&beside(path, "pyproject.toml")).is_none() => push(path.to_owned(), alone()),
            _ => {}
        }
    }
    found
}

fn alone() -> Parts {
    Parts { with: BTreeSet::new(), project: true, tool: None }
}

/// What the project's own tool installs unasked, and that with each extra and group beside.
fn own(project: &Project<'_>, path: &str, file: File<'_>, push: &mut impl FnMut(String, Parts)) {
    let tool = project.tool_of(path, file);
    let acts = || file.outline.acts.iter().filter(|act| is_read_by(tool, act) && !is_of_feature(act));
    if !acts().any(asks) {
        return;
    }
    let mut parts = alone();
    // uv's usual group is looked at by itself: `--no-dev` leaves it out.
    if tool != Tool::Uv {
        parts.with.extend(defaults(file, tool));
    }
    push(path.to_owned(), parts.clone());
    let mut seen = parts.with.clone();
    for act in acts().filter(|act| asks(act)) {
        for choice in &act.when.0 {
            let name = match choice {
                Choice::Extra(name) => format!("{path}[{name}]"),
                Choice::Group(name) => format!("{path}{{{name}}}"),
                _ => continue,
            };
            if seen.insert(choice.clone()) {
                let mut parts = parts.clone();
                parts.with.insert(choice.clone());
                push(name, parts);
            }
        }
    }
}

/// The environments that a manifest puts together, where anything is in them.
fn composed(path: &str, file: File<'_>, push: &mut impl FnMut(String, Parts)) {
    let acts = &file.outline.acts;
    let full: BTreeSet<&Choice> = acts.iter().filter(|act| asks(act)).flat_map(|act| &act.when.0).collect();
    let project = acts.iter().any(|act| asks(act) && !is_of_feature(act));
    for act in acts {
        let Does::Environment(composed) = &act.does else { continue };
        if !(composed.with.iter().any(|part| full.contains(part)) || composed.project && project) {
            continue;
        }
        let name = composed.name.as_ref().map_or_else(|| path.to_owned(), |name| format!("{path}:{name}"));
        let with = composed.with.iter().cloned().collect();
        push(name, Parts { with, project: composed.project, tool: Some(composed.tool) });
    }
}

/// The groups that a manifest's tool installs unasked, where it says so.
pub(super) fn defaults(file: File<'_>, tool: Tool) -> Vec<Choice> {
    let said = file.outline.acts.iter().filter(|act| is_read_by(tool, act)).filter_map(|act| match &act.does {
        Does::Defaults(groups) => Some(groups),
        _ => None,
    });
    said.flatten().cloned().collect()
}

/// Whether an act is a part of environments that a manifest puts together, not the project's own.
pub(super) fn is_of_feature(act: &Act) -> bool {
    act.when.0.iter().any(|choice| matches!(choice, Choice::Feature(_) | Choice::For(Tool::Pixi)))
}

fn asks(act: &Act) -> bool {
    match &act.does {
        Does::Require(requirement) => requirement.role == Role::Asks,
        Does::Include(include) => matches!(include.how, How::Requirements | How::Project),
        _ => false,
    }
}

/// Whether setuptools begins at this file: nothing beside says more of the project than it does.
fn is_set_up_by(project: &Project<'_>, path: &str, kind: Kind) -> bool {
    if kind == Kind::SetupCfg && project.file(&beside(path, "setup.py")).is_some_and(|file| file.outline.acts.iter().any(asks)) {
        return false;
    }
    match project.file(&beside(path, "pyproject.toml")) {
        None => true,
        Some(file) => {
            let acts = &file.outline.acts;
            let leaves = |act: &Act| matches!(&act.does, Does::Include(include) if include.how == How::Setup);
            acts.iter().any(leaves) && !acts.iter().any(|act| asks(act) && !is_of_feature(act))
        }
    }
}

/// A file that only bounds what others install.
fn is_constraints(path: &str) -> bool {
    paths::name(path).to_lowercase().contains("constraint")
}
