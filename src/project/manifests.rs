//! Starts that are manifests: projects with their extras, groups and environments, requirements, locks.

use std::collections::BTreeSet;

use super::installers::is_read_by;
use super::paths::beside;
use super::processors::Processors;
use super::starts::{Beginning, Enters, Selection};
use super::{File, Project, locks, paths};
use crate::notation::requirement::{self, Subject};
use crate::outline::{Act, Choice, Does, How, Kind, Role, Tool};
use crate::source::Span;

/// The starts of one project are together no more work than this many acts; the rest of its extras and environments is left out.
const MOST_WORK: usize = 1_000_000;
/// A requirement that takes part in a start is as much work as this many acts that are passed over.
const REQUIRED: usize = 64;
/// Of the folders above a file no more are looked at.
const DEEPEST: usize = 32;

/// The starts that are manifests, without those that a command of the root installs. Those of `upon` are installed by all who do
/// where packages are already.
pub(crate) fn manifests(project: &Project<'_>, installed: &BTreeSet<String>, upon: &BTreeSet<String>) -> Vec<Beginning> {
    let mut found = Vec::new();
    let sources = worked_out(project);
    for (path, file) in project.files().filter(|(_, file)| !file.by_link) {
        let at = Span::new(file.id, 0, 0);
        let mut push = |name: String, selection: Selection| {
            let choices = choices(path, file, &selection.with);
            let selection = Selection { upon: upon.contains(path), choices, ..selection };
            let (path, enters, machine) = (path.to_owned(), Enters::Manifest(selection), String::new());
            let processors = Processors::default();
            found.push(Beginning {
                name,
                path,
                at,
                enters,
                runs: true,
                unchecked: false,
                wanted: true,
                machine,
                processors,
                nodes: Vec::new(),
                gpus: Vec::new(),
            });
        };
        match file.kind {
            Kind::Requirements if !installed.contains(path) && !is_constraints(path) && !sources.contains(path) => {
                push(path.to_owned(), alone());
            }
            Kind::CondaEnvironment if !installed.contains(path) && !file.outline.acts.is_empty() => {
                push(path.to_owned(), alone())
            }
            Kind::Pyproject | Kind::Pipfile => {
                if !project.usage.is_abroad(path) && (installed.contains(path) || !is_list(project, path, file)) {
                    own(project, path, file, &mut push);
                }
                composed(project, path, file, &mut push);
            }
            Kind::Pixi => composed(project, path, file, &mut push),
            Kind::SetupPy | Kind::SetupCfg if is_set_up_by(project, path, file.kind) => own(project, path, file, &mut push),
            kind => {
                let Some(lock) = locks::by_kind(kind).filter(|lock| !locks::has_manifest(project, lock, path)) else { continue };
                // One that any command may install, by name, is that command's.
                if !(lock.manifests.is_empty() && installed.contains(path)) {
                    push(path.to_owned(), alone());
                    each(path, file.outline.acts.iter(), &alone(), most(project, path, file, lock.tool, &alone()), &mut push);
                }
            }
        }
    }
    found
}

/// The choices among what excludes each other that a selection belongs to: what a manifest says is in conflict, and extras or
/// groups that pin one package to different versions.
fn choices(path: &str, file: File<'_>, with: &BTreeSet<Choice>) -> Vec<String> {
    let acts = &file.outline.acts;
    let conflicts = acts.iter().filter_map(|act| if let Does::Conflict(all) = &act.does { Some(all) } else { None });
    let numbered = conflicts.enumerate().filter(|(_, all)| all.iter().any(|choice| with.contains(choice)));
    let mut found: Vec<String> = numbered.map(|(n, _)| format!("{path}#{n}")).collect();
    for act in acts.iter().filter(|act| act.when.0.iter().any(|choice| with.contains(choice))) {
        if let Does::Require(requirement) = &act.does
            && requirement.role == Role::Asks
            && let Some(parsed) = requirement.written.known().and_then(|text| requirement::parse(text).ok())
            && let Subject::Package { name, wants, .. } = parsed.subject
            && wants.pin().is_some()
        {
            found.push(format!("{path}#{name}"));
        }
    }
    found
}

fn alone() -> Selection {
    Selection { with: BTreeSet::new(), project: true, tool: None, upon: false, choices: Vec::new() }
}

/// How many starts of a project are no more work together than they may be.
fn most(project: &Project<'_>, path: &str, file: File<'_>, tool: Tool, each: &Selection) -> usize {
    // What a workspace's root holds is looked at for each of its members.
    let root = project.workspaces.root(path);
    let shared = root.and_then(|root| project.file(root)).map_or(0, |root| root.outline.acts.len());
    let locks = locks::beside(project, root.unwrap_or(path))
        .filter_map(|(_, lock)| project.file(&lock))
        .map(|lock| lock.outline.acts.len());
    let taken = match tool {
        // poetry looks at all groups whichever are installed.
        Tool::Poetry => file.outline.acts.len() * REQUIRED,
        _ => project.parts(file).always(),
    };
    MOST_WORK / (taken + shared + locks.sum::<usize>() + each.with.len()).max(1)
}

/// What the project's own tool installs unasked, and that with each extra and group beside.
fn own(project: &Project<'_>, path: &str, file: File<'_>, push: &mut impl FnMut(String, Selection)) {
    let tool = project.tool_of(path, file);
    let acts = || file.outline.acts.iter().filter(|act| is_read_by(tool, act) && !is_of_feature(act));
    // A lock has packages where its manifest's own are not known.
    if !acts().any(asks) && !locks::beside(project, path).any(|(lock, _)| lock.tool == tool) {
        return;
    }
    let mut selection = alone();
    // uv's usual group is looked at by itself: `--no-dev` leaves it out.
    if tool != Tool::Uv {
        let locked = if tool == Tool::Pdm { locks::groups_of_pdm(project, path) } else { None };
        selection.with.extend(locked.or_else(|| defaults(project, file, tool)).into_iter().flatten());
    }
    let choosing = project.usage.choosing(path, &file.outline.acts);
    if choosing.is_none() {
        push(path.to_owned(), selection.clone());
    }
    // What chooses nothing comes beside what does, and is not looked at without it.
    let whole =
        |act: &&Act| asks(act) && choosing.as_ref().is_none_or(|all| act.when.0.iter().any(|choice| all.contains(choice)));
    each(path, acts().filter(whole), &selection, most(project, path, file, tool, &selection), push);
}

/// The same with each extra, group and environment of these acts beside.
fn each<'a>(
    path: &str,
    acts: impl Iterator<Item = &'a Act>,
    selection: &Selection,
    most: usize,
    push: &mut impl FnMut(String, Selection),
) {
    let most = selection.with.len() + most;
    let mut seen = selection.with.clone();
    for choice in acts.flat_map(|act| &act.when.0) {
        let name = match choice {
            Choice::Extra(name) => format!("{path}[{name}]"),
            Choice::Group(name) => format!("{path}{{{name}}}"),
            Choice::PixiEnvironment(name) if name != "default" => format!("{path}:{name}"),
            _ => continue,
        };
        if seen.len() < most && seen.insert(choice.clone()) {
            let mut selection = selection.clone();
            selection.with.insert(choice.clone());
            push(name, selection);
        }
    }
}

/// The environments that a manifest puts together, where anything is in them.
fn composed(project: &Project<'_>, path: &str, file: File<'_>, push: &mut impl FnMut(String, Selection)) {
    let acts = &file.outline.acts;
    let full: BTreeSet<&Choice> = acts.iter().filter(|act| asks(act)).flat_map(|act| &act.when.0).collect();
    let asked = acts.iter().any(|act| asks(act) && !is_of_feature(act));
    for composed in project.parts(file).environments() {
        if !(composed.with.iter().any(|part| full.contains(part)) || composed.project && asked) {
            continue;
        }
        let name = composed.name.as_ref().map_or_else(|| path.to_owned(), |name| format!("{path}:{name}"));
        let with = composed.with.iter().cloned().collect();
        push(name, Selection { with, project: composed.project, tool: Some(composed.tool), ..alone() });
    }
}

/// The groups that a manifest's tool installs unasked; `None` where it does not say.
pub(super) fn defaults(project: &Project<'_>, file: File<'_>, tool: Tool) -> Option<Vec<Choice>> {
    let all = project.parts(file).defaults().iter();
    let said: Vec<&[Choice]> = all.filter(|(act, _)| is_read_by(tool, act)).map(|(_, groups)| *groups).collect();
    (!said.is_empty()).then(|| said.concat())
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

/// A project of poetry that nothing installs: only the list of its lock is taken.
fn is_list(project: &Project<'_>, path: &str, file: File<'_>) -> bool {
    project.tool_of(path, file) == Tool::Poetry && project.usage.is_list(path, &file.outline.acts)
}

/// The `.in` files that others are worked out from: these are installed in their place.
fn worked_out(project: &Project<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, file) in project.files() {
        // Where a command runs is not known: any folder above.
        let mut add = |named: &str| {
            let folders = path.match_indices('/').map(|(at, _)| &path[..at]).take(DEEPEST).chain([""]);
            found.extend(folders.filter_map(|folder| paths::join(folder, named)).filter(|path| project.file(path).is_some()));
        };
        for act in &file.outline.acts {
            match &act.does {
                Does::WorkedOutFrom(source) => source.known().map_or((), &mut add),
                Does::Install(install) if install.tool == Tool::UvPip && install.flags.elsewhere => {
                    let read = install.reads.iter().filter_map(|include| include.path.known());
                    read.filter(|path| path.ends_with(".in")).for_each(&mut add);
                }
                _ => {}
            }
        }
        if file.kind == Kind::Requirements
            && let Some(stem) = path.strip_suffix(".txt")
        {
            found.insert(format!("{stem}.in"));
        }
    }
    found
}

/// A file that only bounds what others install.
fn is_constraints(path: &str) -> bool {
    paths::name(path).to_lowercase().contains("constraint")
}
