//! What Markdown tells people to install first.

use std::collections::BTreeMap;

use super::super::{File, Project, paths};
use super::{Before, places};
use crate::outline::{Does, Install, Place};
use crate::source::Span;

/// Of one page no more commands are looked at, and of all pages no more for one manifest.
const MOST: usize = 16;

/// A command that a page tells people to type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'a> {
    pub(in crate::project) page: &'a str,
    pub(in crate::project) at: Span,
    pub(in crate::project) install: &'a Install,
}

/// Reads one page from its top: all commands before the one that installs a manifest count, alternatives or not.
pub(super) fn page<'a>(project: &Project<'a>, path: &'a str, file: File<'a>, found: &mut BTreeMap<String, Before<'a>>) {
    let mut before: Vec<Told<'a>> = Vec::new();
    let mut entered: Option<&str> = None;
    for act in &file.outline.acts {
        let install = match &act.does {
            Does::Enter(Place::Directory(to)) => {
                entered = to.known();
                continue;
            }
            Does::Install(install) if !install.flags.elsewhere => install,
            _ => continue,
        };
        // What makes a new environment begins anew.
        if !install.flags.creates {
            for place in installed(project, path, entered, install) {
                let commands = &mut found.entry(place).or_default().commands;
                let known = commands.iter().filter(|told| told.page == path).count();
                let room = MOST.saturating_sub(commands.len());
                commands.extend(before.iter().skip(known).take(room));
            }
        }
        if before.len() < MOST {
            before.push(Told { page: path, at: act.at, install });
        }
    }
}

/// The manifests that a command of a page installs. Where it is run is not known: the page's folder, the root, or the
/// folder that was entered last.
fn installed(project: &Project<'_>, page: &str, entered: Option<&str>, install: &Install) -> Vec<String> {
    let mut folders: Vec<String> = [paths::folder(page), ""].map(str::to_owned).into();
    folders.dedup();
    let into: Vec<_> = folders.iter().filter_map(|base| paths::join(base, entered?)).collect();
    folders.extend(into);
    let all = install.reads.iter().filter_map(|read| Some(places(read.how, &folders, read.path.known()?)));
    all.flatten().filter(|place| project.file(place).is_some()).collect()
}
