//! `uv.lock`: the one version of each package, or several with the conditions under which each holds.

use std::collections::{HashMap, HashSet};

use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, Locked, LockedFrom, Outline, Text, When};
use crate::read::syntax::comments::ignores;
use crate::read::syntax::toml::{Table, Toml, Value, comments, items, table};
use crate::source::{FileId, Span};

/// Reads a lock.
pub(in crate::read) fn read(file: FileId, text: &str) -> Outline {
    let (toml, root, torn) = Toml::parse(file, text);
    let packages: Vec<_> =
        root.get("package").map(|list| items(list).filter_map(|p| Package::of(&toml, p)).collect()).unwrap_or_default();
    let mut versions: HashMap<&str, u32> = HashMap::new();
    for package in &packages {
        *versions.entry(package.name()).or_default() += 1;
    }
    let edges = edges(&packages);
    let ways = ways(&packages);
    let mut acts = Vec::new();
    if let Some(python) = toml.string_at(&root, "requires-python") {
        acts.push(Act { at: python.at, when: When::default(), does: Does::Python(python) });
    }
    for package in packages.iter().filter(|package| !package.is_root()) {
        let Some(version) = &package.version else { continue };
        let lock = |when: &When, markers| {
            let (name, from) = (package.name.clone(), package.from.clone());
            let does = Does::Lock(Locked { name, version: version.clone(), from, markers });
            Act { at: package.at, when: when.clone(), does }
        };
        let alone = versions.get(package.name()).is_none_or(|n| *n == 1);
        let asked = edges.get(&(package.name(), version.known().unwrap_or_default()));
        match asked.filter(|_| !alone) {
            Some(asked) => acts.extend(asked.iter().map(|edge| {
                lock(&edge.when, edge.marker.map_or_else(|| package.markers.clone(), |marker| vec![marker.to_owned()]))
            })),
            // Where it cannot be told which of several versions it is, all of them stay: it is one of these.
            None => match ways.get(package.name()) {
                Some(ways) => acts.extend(ways.iter().map(|when| lock(when, package.markers.clone()))),
                None => acts.push(lock(&When::default(), package.markers.clone())),
            },
        }
    }
    Outline { acts, ignores: ignores(file, text, comments(text), |line| line), torn, ..Outline::default() }
}

/// An entry of the lock.
struct Package<'a, 't> {
    at: Span,
    name: Text,
    version: Option<Text>,
    from: LockedFrom,
    markers: Vec<String>,
    table: &'a Table<'t>,
}

impl<'a, 't> Package<'a, 't> {
    fn of(toml: &Toml<'_>, value: &'a Value<'t>) -> Option<Self> {
        let table = value.get_ref().as_table()?;
        let name = toml.string_at(table, "name")?;
        let version = toml.string_at(table, "version");
        let source = table.get("source").and_then(|source| source.get_ref().as_table());
        let markers = table.get("resolution-markers").map(|list| toml.strings(list)).unwrap_or_default();
        Some(Self {
            at: version.as_ref().map_or(name.at, |version| name.at.to(version.at)),
            from: source.map_or(LockedFrom::Indexes, |source| from(toml, source)),
            markers: markers.iter().filter_map(|marker| marker.known().map(str::to_owned)).collect(),
            name,
            version,
            table,
        })
    }
    fn name(&self) -> &str {
        self.name.known().unwrap_or_default()
    }
    /// The lists of what it depends on, each with the choice under which it holds.
    fn lists(&self) -> Vec<(When, &'a Value<'t>)> {
        let mut lists: Vec<(When, &Value<'_>)> = Vec::new();
        lists.extend(self.table.get("dependencies").map(|list| (When::default(), list)));
        for (key, choice) in
            [("optional-dependencies", Choice::Extra as fn(String) -> Choice), ("dev-dependencies", Choice::Group)]
        {
            let of_key = table(self.table, &[key]).into_iter().flat_map(|t| t.iter());
            lists.extend(of_key.map(|(name, list)| (When(vec![choice(normalise(name.get_ref()))]), list)));
        }
        lists
    }
    /// Whether it is a project that the lock is for.
    fn is_root(&self) -> bool {
        let source = table(self.table, &["source"]);
        source.is_some_and(|source| ["virtual", "editable"].iter().any(|kind| source.contains_key(*kind)))
    }
}

/// `source = { … }` of an entry.
fn from(toml: &Toml<'_>, source: &Table<'_>) -> LockedFrom {
    match (toml.string_at(source, "registry"), toml.string_at(source, "url")) {
        (Some(index), _) => LockedFrom::Index(index),
        (None, Some(url)) => LockedFrom::File(url),
        (None, None) => LockedFrom::Elsewhere,
    }
}

/// A dependency of a project that says which version it means.
struct Edge<'a> {
    when: When,
    marker: Option<&'a str>,
}

/// What the projects of the lock ask for, by name and version; only where they name a version.
fn edges<'a>(packages: &'a [Package<'_, '_>]) -> HashMap<(&'a str, &'a str), Vec<Edge<'a>>> {
    let mut found: HashMap<_, Vec<Edge<'a>>> = HashMap::new();
    let mut seen = HashSet::new();
    for package in packages.iter().filter(|package| package.is_root()) {
        for (when, list) in package.lists() {
            for asked in items(list).filter_map(|item| item.get_ref().as_table()) {
                let text = |key: &str| asked.get(key).and_then(|value| value.get_ref().as_str());
                let (Some(name), Some(version), marker) = (text("name"), text("version"), text("marker")) else { continue };
                if seen.insert((name, version, when.clone(), marker)) {
                    found.entry((name, version)).or_default().push(Edge { when: when.clone(), marker });
                }
            }
        }
    }
    found
}

/// Packages that are looked at for the ways that lead to them.
const MOST_VISITS: usize = 200_000;

/// The choices of the lock's projects under which each package comes, by its name; none for those that no way leads to.
fn ways<'a>(packages: &'a [Package<'_, '_>]) -> HashMap<&'a str, Vec<When>> {
    let mut by_name: HashMap<&str, Vec<&Package<'_, '_>>> = HashMap::new();
    for package in packages {
        by_name.entry(package.name()).or_default().push(package);
    }
    let roots = packages.iter().filter(|package| package.is_root());
    let mut lists: Vec<(When, &Value<'_>)> = roots.flat_map(Package::lists).collect();
    // What comes anyway comes first: extras and groups are looked at for what they add.
    lists.sort_by_key(|(when, _)| !when.0.is_empty());
    let mut found: HashMap<&str, Vec<When>> = HashMap::new();
    let mut visits = 0;
    let mut with_extra: HashSet<(&str, &str)> = HashSet::new();
    for (when, list) in lists {
        // What came anyway keeps its extras.
        let mut with_own = with_extra.clone();
        let seen = if when.0.is_empty() { &mut with_extra } else { &mut with_own };
        let mut todo: Vec<&Value<'_>> = vec![list];
        while let Some(list) = todo.pop() {
            for asked in items(list).filter_map(|item| item.get_ref().as_table()) {
                visits += 1;
                if visits > MOST_VISITS {
                    return HashMap::new();
                }
                let Some(name) = asked.get("name").and_then(|name| name.get_ref().as_str()) else { continue };
                let Some((&name, all)) = by_name.get_key_value(name) else { continue };
                let known = found.entry(name).or_default();
                let again = known.iter().any(|before| before.0.is_empty() || *before == when);
                if !again {
                    known.push(when.clone());
                    todo.extend(all.iter().filter_map(|package| package.table.get("dependencies")));
                }
                // What its extras bring, it brings with them only.
                let extras = asked.get("extra").into_iter().flat_map(items).filter_map(|extra| extra.get_ref().as_str());
                for extra in extras.filter(|extra| seen.insert((name, *extra))) {
                    todo.extend(all.iter().filter_map(|package| table(package.table, &["optional-dependencies"])?.get(extra)));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::read::lock::tests::show as shown;

    fn show(text: &str) -> Vec<String> {
        shown(read, text)
    }

    #[test]
    fn one_version_each() {
        let text = "version = 1\nrequires-python = \">=3.10\"\n[[package]]\nname = \"p\"\nversion = \"0\"\nsource = { virtual = \".\" }\n\
            [[package]]\nname = \"torch\"\nversion = \"2.11.0+cu130\"\nsource = { registry = \"https://e.org/cu130\" }\n\
            [[package]]\nname = \"x\"\nversion = \"1\"\nsource = { git = \"https://e.org/x\" }\n";
        assert_eq!(show(text), ["python >=3.10", "torch 2.11.0+cu130 index https://e.org/cu130", "x 1 elsewhere"]);
    }

    #[test]
    fn forks() {
        let text = "[[package]]\nname = \"p\"\nsource = { editable = \".\" }\n\
            [package.optional-dependencies]\ncpu = [{ name = \"torch\", version = \"2.6.0+cpu\" }]\n\
            cu124 = [{ name = \"torch\", version = \"2.6.0+cu124\", marker = \"sys_platform == 'linux'\" }]\n\
            [[package]]\nname = \"torch\"\nversion = \"2.6.0+cpu\"\n[[package]]\nname = \"torch\"\nversion = \"2.6.0+cu124\"\n\
            [[package]]\nname = \"numpy\"\nversion = \"1.26\"\nresolution-markers = [\"python_version < '3.10'\"]\n\
            [[package]]\nname = \"numpy\"\nversion = \"2.0\"\nresolution-markers = [\"python_version >= '3.10'\"]\n\
            [[package]]\nname = \"z\"\nversion = \"1\"\n[[package]]\nname = \"z\"\nversion = \"2\"\n";
        assert_eq!(
            show(text),
            [
                "torch 2.6.0+cpu <Extra(cpu)>",
                "torch 2.6.0+cu124 <Extra(cu124)> if sys_platform == 'linux'",
                "numpy 1.26 if python_version < '3.10'",
                "numpy 2.0 if python_version >= '3.10'",
                "z 1",
                "z 2",
            ]
        );
    }

    #[test]
    fn what_only_an_extra_or_a_group_brings_comes_with_it() {
        let text = "[[package]]\nname = \"p\"\nsource = { editable = \".\" }\ndependencies = [{ name = \"a\" }]\n\
            [package.optional-dependencies]\ngpu = [{ name = \"a\", extra = [\"x\"] }, { name = \"b\" }]\n\
            [package.dev-dependencies]\ndev = [{ name = \"b\" }]\n\
            [[package]]\nname = \"a\"\nversion = \"1\"\n[package.optional-dependencies]\nx = [{ name = \"c\" }]\n\
            [[package]]\nname = \"b\"\nversion = \"1\"\ndependencies = [{ name = \"torch\" }, { name = \"a\" }]\n\
            [[package]]\nname = \"c\"\nversion = \"1\"\n[[package]]\nname = \"torch\"\nversion = \"2\"\n\
            [[package]]\nname = \"z\"\nversion = \"1\"\n";
        assert_eq!(
            show(text),
            [
                "a 1",
                "b 1 <Extra(gpu)>",
                "b 1 <Group(dev)>",
                "c 1 <Extra(gpu)>",
                "torch 2 <Extra(gpu)>",
                "torch 2 <Group(dev)>",
                "z 1",
            ]
        );
    }

    #[test]
    fn what_is_broken_is_left_out() {
        assert_eq!(show("[[package]]\nname = 1\n[[package]]\nname = \"a\"\nversion = \"1\"\n[[package]]\nname = \"b"), ["a 1"]);
        assert!(show("").is_empty() && show("package = 3").is_empty() && show("[package]\nname = \"x\"").is_empty());
    }
}
