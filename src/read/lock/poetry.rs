//! `poetry.lock`. Poetry has no page for its format; what it means is said by its own reader of it, `Locker`, and by
//! <https://python-poetry.org/docs/dependency-specification/> (markers, groups, extras, sources).

use std::collections::{HashMap, HashSet};

use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, Locked, LockedFrom, Outline, Text, When};
use crate::read::syntax::comments::ignores;
use crate::read::syntax::toml::{Table, Toml, Value, comments, items, table};
use crate::source::{FileId, Span};

/// Packages that are looked at for what the extras of a lock bring.
const MOST_VISITS: usize = 200_000;

/// Reads a lock.
pub(in crate::read) fn read(file: FileId, text: &str) -> Outline {
    let (toml, root, torn) = Toml::parse(file, text);
    let packages: Vec<_> =
        root.get("package").map(|list| items(list).filter_map(|p| Package::of(&toml, p)).collect()).unwrap_or_default();
    let extras = Extras::of(&root, &packages);
    let mut acts = Vec::new();
    if let Some(python) = table(&root, &["metadata"]).and_then(|metadata| toml.string_at(metadata, "python-versions")) {
        acts.push(Act { at: python.at, when: When::default(), does: Does::Python(specifiers(python)) });
    }
    for package in &packages {
        for (group, marker) in package.groups(&toml) {
            let group = group.map(Choice::Group);
            let extras: Vec<_> = match package.optional {
                // Where a marker names the extra, it says more than that.
                true if !marker.as_deref().is_some_and(|m| m.contains("extra")) => {
                    let named = extras.of_package(&package.normal);
                    named.map(|extra| Some(Choice::Extra(extra.to_owned()))).collect()
                }
                _ => vec![None],
            };
            for extra in extras {
                let lock = Locked {
                    name: package.name.clone(),
                    version: package.version.clone(),
                    from: package.from.clone(),
                    markers: marker.iter().cloned().collect(),
                };
                let when = When(group.iter().cloned().chain(extra).collect());
                acts.push(Act { at: package.at, when, does: Does::Lock(lock) });
            }
        }
    }
    Outline { acts, ignores: ignores(file, text, comments(text), |line| line), torn, ..Outline::default() }
}

/// An entry of the lock.
struct Package<'a, 't> {
    at: Span,
    name: Text,
    normal: String,
    version: Text,
    from: LockedFrom,
    optional: bool,
    table: &'a Table<'t>,
}

impl<'a, 't> Package<'a, 't> {
    fn of(toml: &Toml<'_>, value: &'a Value<'t>) -> Option<Self> {
        let table = value.get_ref().as_table()?;
        let (name, version) = (toml.string_at(table, "name")?, toml.string_at(table, "version")?);
        Some(Self {
            at: name.at.to(version.at),
            normal: normalise(name.known()?),
            from: table.get("source").and_then(|s| s.get_ref().as_table()).map_or(LockedFrom::Pypi, |s| from(toml, s)),
            optional: table.get("optional").and_then(|o| o.get_ref().as_bool()) == Some(true),
            name,
            version,
            table,
        })
    }
    /// The groups that it is in, each with its marker; without a group where it is in the main one, or where none is told.
    fn groups(&self, toml: &Toml<'_>) -> Vec<(Option<String>, Option<String>)> {
        let markers = self.table.get("markers");
        let all = markers.and_then(|m| m.get_ref().as_str());
        let marker = |group: &str| {
            let own = markers.and_then(|m| m.get_ref().as_table()?.get(group)?.get_ref().as_str());
            all.or(own).map(str::to_owned)
        };
        let groups = self.table.get("groups").map(|list| toml.strings(list)).unwrap_or_default();
        let mut names: Vec<&str> = groups.iter().filter_map(Text::known).collect();
        // Before poetry 1.5 there was one of two categories.
        names.extend(self.table.get("category").and_then(|category| category.get_ref().as_str()));
        if names.is_empty() || names.contains(&"main") {
            return vec![(None, marker("main"))];
        }
        names.iter().map(|name| (Some(normalise(name)), marker(name))).collect()
    }
}

/// `[package.source]`: an index has the type `legacy`.
fn from(toml: &Toml<'_>, source: &Table<'_>) -> LockedFrom {
    let kind = source.get("type").and_then(|kind| kind.get_ref().as_str());
    match (kind, toml.string_at(source, "url")) {
        (Some("legacy"), Some(url)) => LockedFrom::Index(url),
        (Some("url" | "file"), Some(url)) => LockedFrom::File(url),
        _ => LockedFrom::Elsewhere,
    }
}

/// What each extra brings: the packages that it names, and what these require.
struct Extras<'a>(HashMap<&'a str, Vec<String>>);

impl<'a> Extras<'a> {
    fn of(root: &'a Table<'_>, packages: &'a [Package<'_, '_>]) -> Self {
        let mut by_name: HashMap<&str, Vec<&Package<'_, '_>>> = HashMap::new();
        for package in packages {
            by_name.entry(&package.normal).or_default().push(package);
        }
        let mut found: HashMap<&str, Vec<String>> = HashMap::new();
        let mut visits = 0;
        for (extra, list) in table(root, &["extras"]).into_iter().flat_map(|extras| extras.iter()) {
            let extra = normalise(extra.get_ref());
            let mut seen: HashSet<&str> = HashSet::new();
            let named = items(list).filter_map(|item| item.get_ref().as_str()).map(name_of);
            let mut open: Vec<String> = named.collect();
            while let Some(name) = open.pop() {
                visits += 1;
                if visits > MOST_VISITS {
                    return Self(HashMap::new());
                }
                let Some((name, packages)) = by_name.get_key_value(name.as_str()) else { continue };
                if !seen.insert(name) {
                    continue;
                }
                found.entry(name).or_default().push(extra.clone());
                for package in packages {
                    let requires = table(package.table, &["dependencies"]).into_iter().flat_map(|t| t.keys());
                    open.extend(requires.map(|key| normalise(key.get_ref())));
                    visits += open.len() / 64;
                }
            }
        }
        Self(found)
    }
    fn of_package(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.get(name).into_iter().flatten().map(String::as_str)
    }
}

/// The name in `torch (>=2.1,<3.0)`.
fn name_of(requirement: &str) -> String {
    let end = requirement.find(|c: char| !c.is_alphanumeric() && !"._-".contains(c)).unwrap_or(requirement.len());
    normalise(&requirement[..end])
}

/// poetry's `^3.10` as PEP 440 has it; the place stays.
fn specifiers(written: Text) -> Text {
    let translated = written.known().and_then(|text| {
        let version = text.trim().strip_prefix('^')?;
        let major: u32 = version.split('.').next()?.parse().ok()?;
        let plain = version.bytes().all(|b| b.is_ascii_digit() || b == b'.') && major > 0;
        plain.then(|| format!(">={version},<{}", major.saturating_add(1)))
    });
    match translated {
        Some(text) => Text::literal(text, written.at),
        None => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::lock::tests::{show as shown, survives};

    const SAMPLE: &str = "# This file is automatically @generated by Poetry 2.1.1 and should not be changed by hand.\n\n\
        [[package]]\nname = \"numpy\"\nversion = \"1.26.4\"\noptional = false\ngroups = [\"main\", \"dev\"]\n\
        markers = {main = \"python_version < '3.12'\", dev = \"os_name == 'nt'\"}\nfiles = []\n\n\
        [[package]]\nname = \"torch\"\nversion = \"2.1.0+cu118\"\noptional = false\ngroups = [\"main\"]\n\
        markers = \"sys_platform == 'linux'\"\n\n[package.dependencies]\nnumpy = \"*\"\n\n\
        [package.source]\ntype = \"legacy\"\nurl = \"https://download.pytorch.org/whl/cu118\"\nreference = \"pytorch\"\n\n\
        [[package]]\nname = \"pytest\"\nversion = \"8\"\noptional = false\ngroups = [\"dev\", \"Test_x\"]\n\n\
        [[package]]\nname = \"cupy\"\nversion = \"13\"\noptional = true\n[package.dependencies]\nfast_rlock = \">=0.5\"\n\n\
        [[package]]\nname = \"fast-rlock\"\nversion = \"0.8\"\noptional = true\n\n\
        [[package]]\nname = \"x\"\nversion = \"1\"\noptional = true\nmarkers = \"extra == 'y'\"\n\n\
        [[package]]\nname = \"w\"\nversion = \"1\"\n[package.source]\ntype = \"url\"\nurl = \"https://e.org/w-1-py3-none-any.whl\"\n\n\
        [[package]]\nname = \"g\"\nversion = \"1\"\n[package.source]\ntype = \"git\"\nurl = \"https://e.org/g.git\"\n\n\
        [extras]\ngpu = [\"cupy (>=13)\"]\n\n[metadata]\nlock-version = \"2.1\"\npython-versions = \"^3.10\"\n";

    #[test]
    fn entries() {
        assert_eq!(
            shown(read, SAMPLE),
            [
                "python ^3.10",
                "numpy 1.26.4 PyPI if python_version < '3.12'",
                "torch 2.1.0+cu118 index https://download.pytorch.org/whl/cu118 if sys_platform == 'linux'",
                "pytest 8 PyPI <Group(dev)>",
                "pytest 8 PyPI <Group(test-x)>",
                "cupy 13 PyPI <Extra(gpu)>",
                "fast-rlock 0.8 PyPI <Extra(gpu)>",
                "x 1 PyPI if extra == 'y'",
                "w 1 file https://e.org/w-1-py3-none-any.whl",
                "g 1 elsewhere",
            ]
        );
        let outline = read(FileId(0), SAMPLE);
        assert!(matches!(&outline.acts[0].does, Does::Python(t) if t.known() == Some(">=3.10,<4")), "{:?}", outline.acts[0]);
    }

    #[test]
    fn categories_of_old() {
        let text = "[[package]]\nname = \"a\"\nversion = \"1\"\ncategory = \"dev\"\n[[package]]\nname = \"b\"\nversion = \"1\"\ncategory = \"main\"\n";
        assert_eq!(shown(read, text), ["a 1 PyPI <Group(dev)>", "b 1 PyPI"]);
    }

    #[test]
    fn any_text() {
        survives(read, SAMPLE);
        assert!(read(FileId(0), "package = 3\nextras = 1\nmetadata = []").acts.is_empty());
    }

    #[test]
    fn extras_of_extras_have_an_end() {
        let packages: String = (0..400)
            .map(|n| {
                let all: String = (0..400).map(|m| format!("p{m} = \"*\"\n")).collect();
                format!("[[package]]\nname = \"p{n}\"\nversion = \"1\"\noptional = true\n[package.dependencies]\n{all}")
            })
            .collect();
        let extras: String = (0..400).map(|n| format!("e{n} = [\"p{n}\"]\n")).collect();
        let outline = read(FileId(0), &format!("{packages}[extras]\n{extras}"));
        assert!(outline.acts.is_empty(), "an optional package of an unknown extra says nothing");
    }
}
