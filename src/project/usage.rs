//! How the root's commands and pages use its own projects: whether anything installs one, with which extras, or only takes
//! the list of its lock.

use std::collections::{BTreeMap, BTreeSet};

use super::before::{folder_of, places};
use super::{Project, paths};
use crate::notation::requirement::{self, Subject, normalise};
use crate::outline::{Act, Choice, Does, How, Install, Kind, Role, Text, Tool};
use crate::platform::{Arch, Platform};

/// Of one project no more commands count.
const MOST: usize = 256;

/// By the paths of manifests.
#[derive(Debug, Default)]
pub(super) struct Usage {
    /// A command takes the list of its lock.
    exported: BTreeSet<String>,
    /// A command or a page installs it.
    installed: BTreeSet<String>,
    /// A command installs it for another machine than one on Linux.
    abroad: BTreeSet<String>,
    /// The extras of each command of a page that installs it.
    told: BTreeMap<String, Vec<BTreeSet<String>>>,
}

impl Usage {
    pub(super) fn of(project: &Project<'_>) -> Self {
        let mut usage = Self::default();
        for (path, file) in project.files() {
            for act in &file.outline.acts {
                let Does::Install(install) = &act.does else { continue };
                usage.install(project, path, file.kind == Kind::Markdown, install);
            }
        }
        usage
    }

    fn install(&mut self, project: &Project<'_>, path: &str, page: bool, install: &Install) {
        // Where a command runs is not known: its file's folder, or the root.
        let folders = [paths::folder(path), ""];
        let at = |folder: &str| places(How::Project, &folders, folder);
        let known = |texts: &[Text]| texts.iter().filter_map(Text::known).map(normalise).collect::<BTreeSet<String>>();
        for read in install.reads.iter().filter(|read| read.how == How::Project) {
            let Some(folder) = read.path.known() else { continue };
            for place in at(folder) {
                if install.flags.platform.as_ref().is_some_and(is_abroad) {
                    self.abroad.insert(place);
                } else if install.flags.elsewhere {
                    self.exported.extend(Some(place).filter(|_| install.tool == Tool::Poetry));
                } else {
                    let extras = known(&install.flags.extras);
                    // What is not known may name any.
                    let told = page && !install.flags.all_extras && extras.len() == install.flags.extras.len();
                    self.installs(place, extras, told);
                }
            }
        }
        if install.flags.elsewhere {
            return;
        }
        for ask in &install.asks {
            let Some(parsed) = ask.written.known().and_then(|text| requirement::parse(text).ok()) else { continue };
            let places = match &parsed.subject {
                Subject::Path(_) => folder_of(&ask.written).map(|folder| at(&folder)).unwrap_or_default(),
                Subject::Package { name, .. } => {
                    let folder = project.named.get(name.as_str()).copied();
                    folder.map(|folder| places(How::Project, &[folder], ".")).unwrap_or_default()
                }
                _ => continue,
            };
            for place in places {
                self.installs(place, parsed.extras.iter().map(|extra| normalise(extra)).collect(), page);
            }
        }
    }

    fn installs(&mut self, place: String, extras: BTreeSet<String>, told: bool) {
        if told {
            let all = self.told.entry(place.clone()).or_default();
            if all.len() < MOST {
                all.push(extras);
            }
        }
        self.installed.insert(place);
    }

    /// Whether nothing installs a project of poetry: it is no package, or a command takes the list of its lock.
    pub(super) fn is_list(&self, path: &str, acts: &[Act]) -> bool {
        let unpackaged = || acts.iter().any(|act| act.does == Does::Unpackaged);
        !self.installed.contains(path) && (self.exported.contains(path) || unpackaged())
    }

    /// Whether a project is installed for other machines only.
    pub(super) fn is_abroad(&self, path: &str) -> bool {
        self.abroad.contains(path) && !self.installed.contains(path)
    }

    /// The extras and groups of which people always name one, as it chooses one of the project's packages: those which choose it
    /// exclude each other, or each command of its pages names one. `None` where people may do without.
    pub(super) fn choosing(&self, path: &str, acts: &[Act]) -> Option<BTreeSet<Choice>> {
        let mut own: BTreeSet<String> = BTreeSet::new();
        let mut by_choice: BTreeMap<&Choice, BTreeSet<String>> = BTreeMap::new();
        for act in acts {
            let package = match &act.does {
                Does::Require(r) if r.role == Role::Asks => r.written.known().and_then(package_of),
                Does::Route(route) => Some(route.package.clone()),
                _ => None,
            };
            let Some(package) = package else { continue };
            let parts =
                act.when.0.iter().filter(|choice| matches!(choice, Choice::Extra(_) | Choice::Group(_) | Choice::Feature(_)));
            match (parts.collect::<Vec<_>>().as_slice(), &act.does) {
                ([], Does::Require(_)) => drop(own.insert(package)),
                ([choice @ (Choice::Extra(_) | Choice::Group(_))], _) => {
                    by_choice.entry(choice).or_default().insert(package);
                }
                _ => {}
            }
        }
        by_choice.retain(|_, packages| packages.iter().any(|name| own.contains(name)));
        let chooses = |choice: &Choice| by_choice.contains_key(choice);
        let exclusive = acts.iter().any(|act| match &act.does {
            Does::Conflict(sides) => sides.iter().filter(|side| chooses(side)).take(2).count() == 2,
            _ => false,
        });
        let names = |extras: &BTreeSet<String>| extras.iter().any(|extra| chooses(&Choice::Extra(extra.clone())));
        let told = self.told.get(path).is_some_and(|all| all.iter().all(names));
        (exclusive || told).then(|| by_choice.into_keys().cloned().collect())
    }
}

fn is_abroad(platform: &Text) -> bool {
    let linux = |arch| Platform { arch, ..Platform::default() };
    !platform.known().is_some_and(|name| [Arch::X86_64, Arch::Aarch64].into_iter().any(|arch| linux(arch).is_named(name)))
}

fn package_of(text: &str) -> Option<String> {
    match requirement::parse(text).ok()?.subject {
        Subject::Package { name, .. } | Subject::Elsewhere { name: Some(name), .. } => Some(name),
        Subject::Wheel { wheel, .. } => Some(wheel.name),
        Subject::Elsewhere { name: None, .. } | Subject::Path(_) => None,
    }
}
