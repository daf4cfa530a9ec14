//! What stands in the place of variables in compose files where commands of the root start their services: each such command
//! is a world of its own beside the one in which nothing but `.env` is there.
//! Source: <https://docs.docker.com/compose/how-tos/environment-variables/envvars-precedence/>.

use std::collections::{BTreeMap, BTreeSet};

use super::variables::{MOST, Seen, Value, Variables};
use super::{File, merged, paths};
use crate::outline::{Act, Does, Kind, Launcher, Scope};

/// More commands are not looked at for one compose file.
const MOST_WAYS: usize = 16;
/// Acts before all commands together that are looked at.
const WORK: usize = 200_000;

/// By compose file.
#[derive(Debug, Default)]
pub(super) struct Composed {
    ways: BTreeMap<String, Vec<Variables>>,
    /// Files of variables that commands name, wherever these may run.
    files: BTreeSet<String>,
}

impl Composed {
    pub(super) fn of(files: &BTreeMap<&str, File<'_>>) -> Self {
        let mut found = Self::default();
        let mut left = WORK;
        // What a page tells is one way among others.
        for (path, file) in files.iter().filter(|(_, file)| !matches!(file.kind, Kind::Markdown | Kind::Devcontainer)) {
            for run in merged::runs(path, &file.outline.acts) {
                found.files.extend(run.places.iter().flat_map(|place| place.environment_files.iter().cloned()));
                let is_there = |path: &String| files.contains_key(path.as_str());
                let Some(place) = run.places.iter().find(|place| place.files.iter().all(is_there) && !place.files.is_empty())
                else {
                    continue;
                };
                let before = &file.outline.acts[..run.at];
                left = left.saturating_sub(before.len());
                if left == 0 {
                    return found;
                }
                let own = given(before, &file.outline.acts[run.at]);
                let named = place.environment_files.iter().filter_map(|path| files.get(path.as_str())).copied();
                let named: Vec<File<'_>> = named.filter(|file| file.kind == Kind::EnvFile).collect();
                if named.is_empty() && own.is_empty() {
                    continue;
                }
                let beside = place.files.iter().filter(|_| !run.named).flat_map(|path| merged::overrides(path));
                for path in place.files.iter().cloned().chain(beside.filter(is_there)) {
                    let ways = found.ways.entry(path.clone()).or_default();
                    if ways.len() >= MOST_WAYS {
                        continue;
                    }
                    let mut variables = match place.environment_files.as_slice() {
                        [] => interpolated(files, &path),
                        _ => Variables::default(),
                    };
                    named.iter().for_each(|file| variables.add(Variables::of_file(*file)));
                    for (name, value) in &own {
                        variables.set(name, value.clone());
                    }
                    ways.push(variables);
                }
            }
        }
        found
    }
    /// What stands in a compose file where a command starts it, for each such command that says anything of that.
    pub(super) fn ways(&self, path: &str) -> &[Variables] {
        self.ways.get(path).map_or(&[], Vec::as_slice)
    }
    /// The files of variables that commands may name.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }
}

/// The file beside a compose file from which Compose takes the variables that stand in it where no command says otherwise.
/// Source: <https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/>.
pub(super) fn interpolation_file(path: &str, by: Launcher) -> Option<String> {
    paths::join(paths::folder(path), ".env").filter(|_| by == Launcher::Compose)
}

/// The variables of that file.
fn interpolated(files: &BTreeMap<&str, File<'_>>, path: &str) -> Variables {
    let file = interpolation_file(path, Launcher::Compose).and_then(|path| files.get(path.as_str()).copied());
    file.filter(|file| file.kind == Kind::EnvFile).map(Variables::of_file).unwrap_or_default()
}

/// What a command finds set for it: in its own words, by the job, or by the script before it. What rests on a test that the
/// command does not rest on is not known.
fn given(before: &[Act], command: &Act) -> Vec<(String, Value)> {
    let begin = before.iter().rposition(|act| matches!(act.does, Does::Job(_) | Does::Goal(_))).unwrap_or(0);
    let own = before.iter().rev().take_while(|act| matches!(&act.does, Does::Set(v) if v.scope == Scope::Command)).count();
    let (mut variables, mut found) = (Variables::default(), BTreeMap::new());
    for (at, act) in before.iter().enumerate().skip(begin).take(MOST) {
        let Does::Set(variable) = &act.does else { continue };
        let seen = match variable.scope {
            Scope::Environment | Scope::Job => true,
            Scope::Command => at >= before.len() - own,
            _ => false,
        };
        let sure = act.when.0.iter().all(|choice| command.when.0.contains(choice));
        let value = match variable.value.as_ref().filter(|_| sure) {
            Some(text) => variables.value(text, act.at, Seen::Programs),
            // `export X` of what was set before.
            None if sure => match variables.get(&variable.name).cloned() {
                Some(value) => value,
                None => continue,
            },
            None => Value::unknown(act.at, Seen::Programs),
        };
        variables.set(&variable.name, value.clone());
        if seen {
            found.insert(variable.name.clone(), value);
        }
    }
    found.into_iter().collect()
}
