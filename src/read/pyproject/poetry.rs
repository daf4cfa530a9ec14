//! `[tool.poetry]`: dependencies, groups and sources.
//!
//! Sources: <https://python-poetry.org/docs/dependency-specification/>, <https://python-poetry.org/docs/managing-dependencies/>,
//! <https://python-poetry.org/docs/repositories/>.

use std::collections::HashMap;

use super::super::asked_by_table::{Of, is_file, requirement};
use super::super::syntax::toml::{Key, Table, Toml, Value, entries, is_set, items, table, word};
use crate::notation::poetry;
use crate::notation::requirement::normalise;
use crate::outline::{
    Act, Choice, Does, How, Include, IndexKind, IndexLine, Requirement, Role, Route, RouteTo, Text, Tool, When,
};
use crate::source::Span;

/// Extras that one optional package is listed in.
const EXTRAS: usize = 64;

/// What the table says; none of it where there is no such table.
pub(super) fn acts(toml: &Toml<'_>, root: &Table<'_>) -> Vec<Act> {
    let Some(tool) = table(root, &["tool", "poetry"]) else { return Vec::new() };
    let mut reader = Reader { toml, extras: extras(tool), acts: Vec::new() };
    // PEP 621's own list comes first: the table then only says where its packages come from.
    let project = table(root, &["project"]);
    let listed = |key: &str| project.is_some_and(|project| project.contains_key(key));
    let dynamic = project
        .and_then(|project| project.get("dynamic"))
        .is_some_and(|dynamic| items(dynamic).any(|key| key.get_ref().as_str() == Some("dependencies")));
    let enriches = !dynamic && (listed("dependencies") || listed("optional-dependencies"));
    for (name, value) in entries(tool, &["dependencies"]) {
        match (name.get_ref().as_ref(), value.get_ref().as_str()) {
            ("python", Some(python)) if !enriches => reader.python(name, value, python),
            ("python", _) => {}
            _ => reader.package(name, value, None, !enriches),
        }
    }
    let mut defaults = Vec::new();
    for (group, value) in entries(tool, &["group"]) {
        let Some(of_group) = value.get_ref().as_table() else { continue };
        let group = Choice::Group(normalise(group.get_ref()));
        let main = group == Choice::Group("main".into());
        if !is_set(of_group, "optional") && !main {
            defaults.push(group.clone());
        }
        for (name, value) in entries(of_group, &["dependencies"]).filter(|(name, _)| name.get_ref() != "python") {
            reader.package(name, value, Some(&group).filter(|_| !main), true);
        }
    }
    let dev = Choice::Group("dev".into());
    for (name, value) in entries(tool, &["dev-dependencies"]) {
        reader.package(name, value, Some(&dev), true);
    }
    if tool.contains_key("dev-dependencies") && !defaults.contains(&dev) {
        defaults.push(dev);
    }
    for (group, list) in entries(root, &["dependency-groups"]) {
        let optional = get_group(tool, group.get_ref()).is_some_and(|group| is_set(group, "optional"));
        if list.get_ref().is_array() && !optional {
            defaults.push(Choice::Group(normalise(group.get_ref())));
        }
    }
    for (name, value) in tool {
        if name.get_ref() == "source" {
            let sources = items(value).filter_map(|item| source(toml, item));
            reader.acts.extend(sources);
        }
    }
    let at = toml.span(0..0);
    if tool.get("package-mode").is_some_and(|mode| mode.get_ref().as_bool() == Some(false)) {
        reader.acts.push(Act { at, when: own(), does: Does::Unpackaged });
    }
    reader.acts.push(Act { at, when: own(), does: Does::Defaults(defaults) });
    reader.acts
}

/// pip, which installs the project as any other, reads nothing of it.
fn own() -> When {
    When(vec![Choice::For(Tool::Poetry)])
}

fn get_group<'a, 't>(tool: &'a Table<'t>, name: &str) -> Option<&'a Table<'t>> {
    table(tool, &["group", name])
}

/// The extras that each package is listed in.
fn extras(tool: &Table<'_>) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for (extra, list) in entries(tool, &["extras"]) {
        for package in items(list).filter_map(|item| item.get_ref().as_str()) {
            let of_package = found.entry(normalise(package)).or_default();
            if of_package.len() < EXTRAS {
                of_package.push(normalise(extra.get_ref()));
            }
        }
    }
    found
}

struct Reader<'a, 't> {
    toml: &'a Toml<'t>,
    extras: HashMap<String, Vec<String>>,
    acts: Vec<Act>,
}

impl Reader<'_, '_> {
    fn python(&mut self, key: &Key<'_>, value: &Value<'_>, python: &str) {
        let at = self.toml.entry(key, value);
        if let Some(conditions) = poetry::pythons(python) {
            self.acts.push(Act { at, when: When::default(), does: Does::Python(Text::literal(conditions, at)) });
        }
    }
    /// A package with one condition, or with several under conditions of their own.
    fn package(&mut self, key: &Key<'_>, value: &Value<'_>, group: Option<&Choice>, asks: bool) {
        match value.get_ref().as_array() {
            Some(list) => list.iter().for_each(|item| self.entry(key, item, self.toml.whole(item), group, asks)),
            None => self.entry(key, value, self.toml.entry(key, value), group, asks),
        }
    }
    fn entry(&mut self, key: &Key<'_>, value: &Value<'_>, at: Span, group: Option<&Choice>, asks: bool) {
        let name = normalise(key.get_ref());
        let empty = Table::new();
        let table = match value.get_ref().as_table() {
            Some(table) => table,
            None if value.get_ref().is_str() => &empty,
            None => return,
        };
        let Some(markers) = markers(table) else { return self.unknown(&name, at, group, asks) };
        let markers = markers.into_iter().map(Choice::Marker);
        let group: Vec<Choice> = group.into_iter().flat_map(|group| [group.clone(), Choice::For(Tool::Poetry)]).collect();
        let when: Vec<Choice> = group.into_iter().chain(markers).collect();
        if let Some(index) = self.toml.string_at(table, "source") {
            let to = Route { package: name.clone(), to: RouteTo::Index(index) };
            let when = own().0.into_iter().chain(when.iter().cloned()).collect();
            self.acts.push(Act { at, when: When(when), does: Does::Route(to) });
        }
        if !asks {
            return;
        }
        let extras: Vec<String> =
            table.get("extras").map(|list| self.toml.strings(list)).unwrap_or_default().iter().filter_map(known).collect();
        let version = value.get_ref().as_str().or_else(|| word(table, "version"));
        let of = match (word(table, "url"), word(table, "path").or(word(table, "file")), word(table, "git"), version) {
            (Some(url), ..) => Of::Address(url.to_owned()),
            (None, Some(path), ..) if is_file(path) => Of::Address(path.to_owned()),
            (None, Some(path), ..) => {
                let path = Text::literal(format!("./{path}{}", listed(&extras)), at);
                return self.add(&name, table, at, when, Does::Include(Include { path, how: How::Project }));
            }
            (None, None, Some(git), _) => Of::Address(format!("git+{git}")),
            (None, None, None, Some(version)) => poetry::conditions(version).map_or(Of::Unknown, Of::Conditions),
            (None, None, None, None) => Of::Unknown,
        };
        let asked = requirement(&name, &extras, of, at);
        self.add(&name, table, at, when, Does::Require(asked));
    }
    /// Optional packages come with the extras that list them.
    fn add(&mut self, name: &str, table: &Table<'_>, at: Span, when: Vec<Choice>, does: Does) {
        let mut add = |extra: Option<&String>| {
            let extra = extra.map(|extra| Choice::Extra(extra.clone()));
            let when = When(extra.into_iter().chain(when.iter().cloned()).collect());
            self.acts.push(Act { at, when, does: does.clone() });
        };
        if is_set(table, "optional") {
            self.extras.get(name).into_iter().flatten().for_each(|extra| add(Some(extra)));
        } else {
            add(None);
        }
    }
    /// What says when it holds cannot be read.
    fn unknown(&mut self, name: &str, at: Span, group: Option<&Choice>, asks: bool) {
        if asks {
            let when = group.into_iter().flat_map(|group| [group.clone(), Choice::For(Tool::Poetry)]).collect();
            let asked: Requirement = requirement(name, &[], Of::Unknown, at);
            self.acts.push(Act { at, when: When(when), does: Does::Require(Requirement { role: Role::Asks, ..asked }) });
        }
    }
}

fn known(text: &Text) -> Option<String> {
    text.known().map(str::to_owned)
}

fn listed(extras: &[String]) -> String {
    if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) }
}

/// `markers`, `python`, `platform` of an entry; `None` where one cannot be read.
fn markers(table: &Table<'_>) -> Option<Vec<String>> {
    let mut found = Vec::new();
    if let Some(marker) = table.get("markers") {
        found.push(marker.get_ref().as_str()?.to_owned());
    }
    if let Some(python) = table.get("python") {
        found.push(poetry::python_marker(python.get_ref().as_str()?)?);
    }
    if let Some(platform) = table.get("platform") {
        let platform = platform.get_ref().as_str().filter(|p| p.chars().all(|c| c.is_ascii_alphanumeric()))?;
        found.push(format!("sys_platform == '{platform}'"));
    }
    found.retain(|marker| !marker.trim().is_empty());
    Some(found)
}

fn source(toml: &Toml<'_>, item: &Value<'_>) -> Option<Act> {
    let table = item.get_ref().as_table()?;
    let name = toml.string_at(table, "name")?;
    // PyPI is named without an address.
    let url = toml.string_at(table, "url").unwrap_or_else(|| name.clone());
    let (kind, explicit) = match word(table, "priority").map(str::to_lowercase).as_deref() {
        Some("default") => (IndexKind::Primary, false),
        Some("supplemental") => (IndexKind::Supplemental, false),
        Some("explicit") => (IndexKind::Extra, true),
        None if is_set(table, "default") => (IndexKind::Primary, false),
        _ => (IndexKind::Extra, false),
    };
    let line = IndexLine { url, kind, name: name.known().map(str::to_owned), explicit };
    Some(Act { at: toml.whole(item), when: own(), does: Does::Index(line) })
}

#[cfg(test)]
mod tests {
    use super::super::tests::show;

    #[test]
    fn dependencies() {
        let text = "[tool.poetry]\nname = 'x'\n[tool.poetry.dependencies]\npython = '^3.10'\ntorch = '^2.1'\n\
            numpy = { version = '~1.26', extras = ['a'], markers = \"os_name == 'nt'\", python = '<3.12', platform = 'win32' }\n\
            cupy = { version = '*', optional = true }\nunlisted = { version = '1', optional = true }\nodd = '<1 || >2'\n\
            w = { url = 'https://e.org/w-1-py3-none-any.whl' }\ng = { git = 'https://e.org/g.git' }\np = { path = 'sub', extras = ['e'] }\n\
            f = { path = 'f.whl' }\n\
            [tool.poetry.extras]\nGPU_x = ['cupy']\nall = ['CuPy']\n\
            [tool.poetry.group.Dev.dependencies]\npytest = '*'\n[tool.poetry.group.docs]\noptional = true\n\
            [tool.poetry.group.docs.dependencies]\nsphinx = '>=7'\n[tool.poetry.dev-dependencies]\nruff = '0.1'\n";
        assert_eq!(
            show(text),
            [
                "defaults dev <For(Poetry)>",
                "python >=3.10,<4",
                "torch>=2.1,<3",
                "numpy[a]>=1.26,<1.27 <Marker(os_name == 'nt') Marker(python_version < \\3.12\\) Marker(sys_platform == 'win32')>",
                "cupy <Extra(gpu-x)>",
                "cupy <Extra(all)>",
                "odd ?",
                "w @ https://e.org/w-1-py3-none-any.whl",
                "g @ git+https://e.org/g.git",
                "project ./sub[e]",
                "f @ f.whl",
                "pytest <Group(dev) For(Poetry)>",
                "sphinx>=7 <Group(docs) For(Poetry)>",
                "ruff==0.1 <Group(dev) For(Poetry)>",
            ]
        );
    }

    #[test]
    fn sources_and_several_constraints() {
        let text = "[tool.poetry.dependencies]\ntorch = [\n  { version = '2.1.0', source = 'pt', markers = \"sys_platform == 'linux'\" },\n  \
            { version = '2.1.0', platform = 'darwin' },\n]\n\
            [[tool.poetry.source]]\nname = 'pt'\nurl = 'https://e.org/cu118'\npriority = 'explicit'\n\
            [[tool.poetry.source]]\nname = 'PyPI'\npriority = 'primary'\n[[tool.poetry.source]]\nname = 's'\nurl = 'u'\npriority = 'supplemental'\n\
            [[tool.poetry.source]]\nname = 'd'\nurl = 'v'\ndefault = true\n[[tool.poetry.source]]\nname = 'o'\nurl = 'w'\n";
        assert_eq!(
            show(text),
            [
                "defaults  <For(Poetry)>",
                "torch -> pt <For(Poetry) Marker(sys_platform == 'linux')>",
                "torch==2.1.0 <Marker(sys_platform == 'linux')>",
                "torch==2.1.0 <Marker(sys_platform == 'darwin')>",
                "Extra pt=https://e.org/cu118 explicit <For(Poetry)>",
                "Extra PyPI=PyPI <For(Poetry)>",
                "Supplemental s=u <For(Poetry)>",
                "Primary d=v <For(Poetry)>",
                "Extra o=w <For(Poetry)>",
            ]
        );
    }

    #[test]
    fn beside_the_standard_list_the_table_only_says_whence() {
        let text = "[project]\nname = 'x'\ndependencies = ['torch>=2']\n[tool.poetry.dependencies]\ntorch = { source = 'pt' }\npython = '^3.9'\n";
        assert_eq!(show(text), ["defaults  <For(Poetry)>", "torch>=2", "torch -> pt <For(Poetry)>"]);
    }

    #[test]
    fn half_typed() {
        let text = "[tool.poetry]\n[tool.poetry.dependencies]\na = 1\nb = { version = 2 }\nc = { markers = 3 }\nd = [1, { }]\n[tool.poetry.group]\nx = 1\n";
        assert_eq!(show(text), ["defaults  <For(Poetry)>", "b ?", "c ?", "d ?"]);
    }
}
