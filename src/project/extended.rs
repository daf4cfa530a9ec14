//! Services that stand on a service of another file (`extends`).
//! Source: <https://docs.docker.com/reference/compose-file/services/#extends>.

use std::collections::{BTreeMap, HashMap};

use super::paths;
use crate::outline::{Launch, Launcher, Piece, Text};

/// Services that stand on one another.
const DEEPEST: usize = 16;
/// Words and variables of all bases together; what comes behind is not known.
const WORK: usize = 200_000;

/// What such services have from others, by file and name; the one that all stand on comes first.
#[derive(Debug, Default)]
pub(super) struct Extended<'a>(HashMap<&'a str, HashMap<&'a str, Vec<Launch>>>);

impl<'a> Extended<'a> {
    /// `services` are those of each file, by name.
    pub(super) fn of(services: &BTreeMap<&'a str, BTreeMap<&'a str, &'a Launch>>) -> Self {
        let (mut found, mut left): (HashMap<_, HashMap<_, _>>, _) = (HashMap::new(), WORK);
        for (path, own) in services {
            for (name, launch) in own.iter().filter(|(_, launch)| launch.extends.is_some()) {
                let mut bases = Vec::new();
                let mut at = Some((*path, *launch));
                while let Some((file, of)) = at
                    && let Some(extends) = &of.extends
                {
                    let base = extends.file.known().and_then(|to| paths::join(paths::folder(file), to));
                    let base = base.and_then(|base| services.get_key_value(base.as_str()));
                    at = base.and_then(|(file, own)| Some((*file, *own.get(extends.service.as_str())?)));
                    let room = bases.len() < DEEPEST && left > 0;
                    match at.filter(|_| room) {
                        Some((file, base)) => {
                            left = left.saturating_sub(1 + base.environment.len() + base.command.len());
                            bases.push(moved(base, file, path));
                        }
                        None => {
                            // What it brings is not known.
                            bases.push(Launch { open: true, ..Launch::new(Launcher::Compose, launch.key) });
                            break;
                        }
                    }
                }
                bases.reverse();
                found.entry(*path).or_default().insert(*name, bases);
            }
        }
        Self(found)
    }

    /// What a launch has from others.
    pub(super) fn bases(&self, path: &str, launch: &Launch) -> &[Launch] {
        let name = launch.name.as_deref().filter(|_| launch.by == Launcher::Compose && launch.extends.is_some());
        name.and_then(|name| self.0.get(path)?.get(name)).map_or(&[], Vec::as_slice)
    }
}

/// A service with the paths that it has from its own file as they lead there from another.
fn moved(base: &Launch, from: &str, to: &str) -> Launch {
    let mut launch = base.clone();
    launch.profiles.clear();
    if paths::folder(from) != paths::folder(to) {
        let up = "../".repeat(to.matches('/').count());
        let way = format!("{up}{}/", paths::folder(from));
        launch.environment_files.iter_mut().for_each(|file| *file = led(file, &way));
        if let Some(build) = &mut launch.build {
            build.context = led(&build.context, &way);
        }
    }
    launch
}

/// A path behind a way.
fn led(path: &Text, way: &str) -> Text {
    match path.known() {
        Some(known) if known.starts_with(['/', '~']) || known.contains("://") => path.clone(),
        Some(known) => Text::literal(format!("{way}{known}"), path.at),
        // It may be spelled from the top.
        None => Text { pieces: vec![Piece::Opaque], at: path.at },
    }
}
