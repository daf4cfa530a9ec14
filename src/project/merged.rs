//! Compose files that are read together: a file and its override, or those that a command or a variable names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::extended::Extended;
use super::{File, paths};
use crate::outline::{self, Act, BuildOf, Does, Kind, Launch, Launcher, Piece, Text, Variable};

/// Services that are looked at for all groups together.
const WORK: usize = 200_000;
/// Groups of files that are followed, and files of one.
const MOST: usize = 1_000;
const MOST_FILES: usize = 16;
/// No folder of a command is further away.
const LONGEST_WAY: usize = 256;

/// The services of which more is written than stands in one place.
#[derive(Debug, Default)]
pub(super) struct Merged<'a> {
    /// Those that are written in several files of a group, by one of these files and name; the file that has the last word
    /// comes last.
    together: HashMap<(&'a str, &'a str), Vec<&'a Launch>>,
    extended: Extended<'a>,
}

impl<'a> Merged<'a> {
    pub(super) fn of(files: &BTreeMap<&'a str, File<'a>>) -> Self {
        let mut services: BTreeMap<&'a str, BTreeMap<&'a str, &'a Launch>> = BTreeMap::new();
        for (path, file) in files.iter().filter(|(_, file)| file.kind == Kind::Compose) {
            let own = services.entry(path).or_default();
            for act in &file.outline.acts {
                if let Does::Launch(launch) = &act.does
                    && let Some(name) = launch.name.as_deref()
                {
                    own.entry(name).or_insert(launch);
                }
            }
        }
        let (mut found, mut left) = (HashMap::new(), WORK);
        for group in groups(files) {
            let mut layers: BTreeMap<&str, Vec<(&'a str, &'a Launch)>> = BTreeMap::new();
            for path in group.iter().filter_map(|path| Some(*files.get_key_value(path.as_str())?.0)) {
                let own = services.get(path).into_iter().flatten().take(left);
                for (name, launch) in own {
                    left -= 1;
                    layers.entry(name).or_default().push((path, *launch));
                }
            }
            for (name, all) in layers.into_iter().filter(|(_, all)| all.len() > 1) {
                let launches: Vec<&'a Launch> = all.iter().map(|(_, launch)| *launch).collect();
                for (path, _) in all {
                    found.entry((path, name)).or_insert_with(|| launches.clone());
                }
            }
        }
        let extended = Extended::of(&services);
        Self { together: found, extended }
    }

    /// The launches that a launch is put together of, the one that has the last word last.
    pub(super) fn layers<'l>(&'l self, path: &str, launch: &'l Launch) -> Vec<&'l Launch>
    where
        'a: 'l,
    {
        self.extended.bases(path, launch).iter().chain(self.written(path, launch)).collect()
    }

    /// The same without what other services bring.
    fn written<'l>(&self, path: &str, launch: &'l Launch) -> Vec<&'l Launch>
    where
        'a: 'l,
    {
        let name = launch.name.as_deref().filter(|_| launch.by == Launcher::Compose);
        let layers = name.and_then(|name| self.together.get(&(path, name)));
        // Of two services of one name in a file the first is the one.
        let own = layers.filter(|layers| layers.iter().any(|layer| std::ptr::eq(*layer, launch)));
        own.map_or_else(|| vec![launch], Clone::clone)
    }

    /// Whether a launch is the one place of what all its layers build: of the files that write a service the first that says
    /// how it is built, or the one that has it from another service.
    pub(super) fn is_place(&self, path: &str, launch: &Launch) -> bool {
        let written = self.written(path, launch);
        let by_base = self.extended.bases(path, launch).iter().any(|base| base.build.is_some());
        let place = written.iter().find(|layer| layer.build.is_some()).copied();
        place.or(Some(launch).filter(|_| by_base)).is_some_and(|place| std::ptr::eq(place, launch))
    }
}

/// The groups of files, those of most files first.
fn groups(files: &BTreeMap<&str, File<'_>>) -> Vec<Vec<String>> {
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (path, file) in files {
        if let Some(true) = is_override(path).filter(|_| file.kind == Kind::Compose) {
            for base in USUAL {
                let base = paths::join(paths::folder(path), base).filter(|base| files.contains_key(base.as_str()));
                found.extend(base.map(|base| vec![base, (*path).to_owned()]));
            }
        }
        // What a page tells is one way among others.
        if file.kind != Kind::Markdown {
            let is_there = |all: &Vec<String>| all.iter().all(|file| files.contains_key(file.as_str()));
            let named = runs(path, &file.outline.acts).into_iter().filter(|run| run.named);
            found.extend(named.filter_map(|run| run.places.into_iter().map(|place| place.files).find(is_there)));
        }
        if found.len() > MOST {
            break;
        }
    }
    let mut groups: Vec<_> = found.into_iter().filter(|group| group.len() <= MOST_FILES).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

/// Files that a command or a variable says are read together.
pub(super) struct Together {
    /// Which act says so.
    pub(super) at: usize,
    /// It names them; others are the usual ones of the folder.
    pub(super) named: bool,
    /// The files, by each folder that it may be said in.
    pub(super) places: Vec<Place>,
}

/// Files that are read together, root-relative.
pub(super) struct Place {
    pub(super) files: Vec<String>,
    /// Files of variables that stand in them.
    pub(super) environment_files: Vec<String>,
}

/// The files that each command or variable of a file says are read together: where a command runs is where it went from the
/// root's folder, or from the script's, if it went anywhere.
/// Source: <https://docs.docker.com/compose/how-tos/environment-variables/envvars/#compose_file>.
pub(super) fn runs(path: &str, acts: &[Act]) -> Vec<Together> {
    let (mut found, mut way, mut left) = (Vec::new(), String::new(), Vec::new());
    for (at, act) in acts.iter().enumerate() {
        let (written, variables): (Vec<&str>, &[Text]) = match &act.does {
            Does::Enter(outline::Place::Directory(to)) => {
                way = gone(&way, to);
                continue;
            }
            Does::Enter(outline::Place::Subshell) => {
                left.push(Some(way.clone()));
                continue;
            }
            Does::Enter(outline::Place::Call) => {
                left.push(None);
                continue;
            }
            Does::Enter(outline::Place::Back) => {
                way = left.pop().flatten().unwrap_or(way);
                continue;
            }
            // Of those that are gathered in a variable the others are not known.
            Does::Together(together) => {
                let files: Vec<&str> = together.files.iter().filter_map(Text::known).collect();
                if files.is_empty() && !together.files.is_empty() {
                    continue;
                }
                (files, &together.environment_files)
            }
            Does::Set(Variable { name, value: Some(Text { pieces, .. }), .. }) if name == "COMPOSE_FILE" => {
                let whole = matches!(pieces.as_slice(), [Piece::Literal(_)]);
                let parts =
                    pieces.iter().filter_map(|piece| if let Piece::Literal(text) = piece { Some(text.as_str()) } else { None });
                let files = parts.flat_map(|part| part.split([':', ';'])).filter(|file| !file.is_empty());
                let files: Vec<&str> = files.filter(|file| whole || is_compose_file(file)).collect();
                if files.is_empty() {
                    continue;
                }
                (files, &[])
            }
            _ => continue,
        };
        let mut bases = vec![way.as_str(), ""];
        bases.dedup();
        let bases = bases.into_iter().flat_map(|way| ["", paths::folder(path)].map(|from| paths::join(from, way))).flatten();
        let beside = |base: &str, files: &mut dyn Iterator<Item = &str>| -> Option<Vec<String>> {
            files.map(|file| paths::join(base, file)).collect()
        };
        let places = |base: String| -> Vec<Place> {
            let Some(environment_files) = beside(&base, &mut variables.iter().filter_map(Text::known)) else { return Vec::new() };
            let files = match written.as_slice() {
                [] => USUAL.iter().filter_map(|file| beside(&base, &mut [*file].into_iter())).collect(),
                _ => vec![beside(&base, &mut written.iter().copied()).unwrap_or_default()],
            };
            let place = |files| Place { files, environment_files: environment_files.clone() };
            files.into_iter().filter(|files| !files.is_empty()).map(place).collect()
        };
        let places = bases.flat_map(places).collect();
        found.push(Together { at, named: !written.is_empty(), places });
    }
    found
}

/// The names of the files that are read where none is named, the first that is there.
const USUAL: &[&str] = &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/// Where a `cd` leads; back to the beginning where that is not known.
fn gone(way: &str, to: &Text) -> String {
    let to = to.known().filter(|to| !to.starts_with(['/', '~', '-']) && way.len() + to.len() < LONGEST_WAY);
    to.and_then(|to| paths::join(way, to)).unwrap_or_default()
}

fn is_compose_file(name: &str) -> bool {
    (name.ends_with(".yml") || name.ends_with(".yaml")) && !name.starts_with('.')
}

/// What is read over one of the usual files, if it is there.
pub(super) fn overrides(path: &str) -> Vec<String> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    ["yml", "yaml"].map(|end| format!("{stem}.override.{end}")).to_vec()
}

/// Whether a path is that of an override (`true`) or of what it overrides (`false`).
fn is_override(path: &str) -> Option<bool> {
    let stem = paths::name(path).strip_suffix(".yml").or_else(|| paths::name(path).strip_suffix(".yaml"))?;
    match stem {
        "compose" | "docker-compose" => Some(false),
        "compose.override" | "docker-compose.override" => Some(true),
        _ => None,
    }
}

/// Whether a later layer says what image is run.
pub(super) fn is_replaced(launch: &Launch, layers: &[&Launch]) -> bool {
    layers.last().is_some_and(|last| !std::ptr::eq(*last, launch) && (last.image.is_some() || last.build.is_some()))
}

/// The variables of all layers, those that win last.
pub(super) fn environment<'l>(layers: &[&'l Launch]) -> impl Iterator<Item = &'l Variable> {
    layers.iter().flat_map(|layer| &layer.environment)
}

/// The files of variables of all layers, in the same order.
pub(super) fn environment_files<'l>(layers: &[&'l Launch]) -> impl Iterator<Item = &'l Text> {
    layers.iter().flat_map(|layer| &layer.environment_files)
}

/// The profiles of all layers.
pub(super) fn profiles(layers: &[&Launch]) -> Vec<String> {
    layers.iter().flat_map(|layer| &layer.profiles).cloned().collect()
}

/// What is built in the end.
pub(super) fn build(layers: &[&Launch]) -> Option<BuildOf> {
    layers.iter().filter_map(|layer| layer.build.clone()).reduce(|base, over| BuildOf {
        // A context that is not written stands as `.`.
        context: if over.context.known() == Some(".") { base.context } else { over.context },
        dockerfile: over.dockerfile.or(base.dockerfile),
        inline: over.inline.or(base.inline),
        target: over.target.or(base.target),
        arguments: base.arguments.into_iter().chain(over.arguments).collect(),
        unread_arguments: base.unread_arguments || over.unread_arguments,
        contexts: base.contexts.into_iter().chain(over.contexts).collect(),
    })
}

/// The layer that names the image in the end.
pub(super) fn imaged<'l>(layers: &[&'l Launch]) -> Option<&'l Launch> {
    layers.iter().rev().copied().find(|layer| layer.image.is_some())
}
