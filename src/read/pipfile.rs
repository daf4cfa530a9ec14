//! `Pipfile`: sources, packages and their categories.
//!
//! Sources: <https://pipenv.pypa.io/en/latest/pipfile.html>, <https://pipenv.pypa.io/en/latest/indexes.html>.

use super::asked_by_table::{Of, conditions, is_file, requirement};
use super::syntax::comments::ignores;
use super::syntax::toml::{Key, Table, Toml, Value, comments, entries, is_set, items, table, word};
use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, How, Include, IndexKind, IndexLine, InstallFlags, Outline, Route, RouteTo, Text, When};
use crate::source::FileId;

/// Tables that are no list of packages.
const OTHERS: &[&str] = &["source", "requires", "pipenv", "scripts"];

/// Reads a Pipfile.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (toml, root, torn) = Toml::parse(file, text);
    let mut acts = Vec::new();
    let always = |at, does| Act { at, when: When::default(), does };
    let settings = table(&root, &["pipenv"]);
    let search_all = settings.is_some_and(|settings| is_set(settings, "install_search_all_sources"));
    for (n, item) in root.get("source").into_iter().flat_map(items).enumerate() {
        let Some(own) = item.get_ref().as_table() else { continue };
        let Some(url) = toml.string_at(own, "url") else { continue };
        // A package without an index of its own comes from the first.
        let kind = if n == 0 { IndexKind::Primary } else { IndexKind::Extra };
        let line = IndexLine { url, kind, name: word(own, "name").map(str::to_owned), explicit: n > 0 && !search_all };
        acts.push(always(toml.whole(item), Does::Index(line)));
    }
    if settings.is_some_and(|settings| is_set(settings, "allow_prereleases")) {
        let flags = InstallFlags { pre: true, ..InstallFlags::default() };
        acts.push(always(toml.span(0..0), Does::Options(flags)));
    }
    for (key, value) in entries(&root, &["requires"]) {
        if let (Some(version), "python_version" | "python_full_version") = (toml.string(value), key.get_ref().as_ref()) {
            let minor: Vec<&str> = version.known().unwrap_or_default().split('.').take(2).collect();
            let exactly = Text::literal(format!("=={}.*", minor.join(".")), version.at);
            acts.push(always(exactly.at, Does::Python(exactly)));
        }
    }
    for (name, value) in root.iter().filter(|(name, _)| !OTHERS.contains(&name.get_ref().as_ref())) {
        let group = match name.get_ref().as_ref() {
            "packages" => None,
            "dev-packages" => Some(Choice::Group("dev".into())),
            category => Some(Choice::Group(normalise(category))),
        };
        for (package, value) in value.get_ref().as_table().into_iter().flat_map(|packages| packages.iter()) {
            acts.extend(asked(&toml, package, value, group.as_ref()));
        }
    }
    acts.sort_by_key(|act| act.at.start);
    Outline { acts, ignores: ignores(file, text, comments(text), |line| line), torn, ..Outline::default() }
}

fn asked(toml: &Toml<'_>, key: &Key<'_>, value: &Value<'_>, group: Option<&Choice>) -> Vec<Act> {
    let (name, at) = (normalise(key.get_ref()), toml.entry(key, value));
    let empty = Table::new();
    let own = match (value.get_ref().as_table(), value.get_ref().as_str()) {
        (Some(table), _) => table,
        (None, Some(_)) => &empty,
        (None, None) => return Vec::new(),
    };
    let when = When(group.cloned().into_iter().chain(markers(own).map(Choice::Marker)).collect());
    let mut acts = Vec::new();
    if let Some(index) = toml.string_at(own, "index") {
        let route = Route { package: name.clone(), to: RouteTo::Index(index) };
        acts.push(Act { at, when: when.clone(), does: Does::Route(route) });
    }
    let extras = own.get("extras").map(|list| toml.strings(list)).unwrap_or_default();
    let extras: Vec<String> = extras.iter().filter_map(Text::known).map(normalise).collect();
    let version = value.get_ref().as_str().or_else(|| word(own, "version"));
    let address = word(own, "file").or(word(own, "path"));
    let of = match (address, word(own, "git"), version) {
        (Some(address), ..) if address.contains("://") || is_file(address) => Of::Address(address.to_owned()),
        (Some(folder), ..) => {
            let extras = if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
            let include = Include { path: Text::literal(format!("./{folder}{extras}"), at), how: How::Project };
            acts.push(Act { at, when, does: Does::Include(include) });
            return acts;
        }
        (None, Some(git), _) => Of::Address(format!("git+{git}")),
        (None, None, Some(version)) => conditions(version),
        (None, None, None) => Of::Unknown,
    };
    acts.push(Act { at, when, does: Does::Require(requirement(&name, &extras, of, at)) });
    acts
}

/// `markers`, and the variables of a marker as keys of their own: `sys_platform = "== 'linux'"`.
fn markers(own: &Table<'_>) -> impl Iterator<Item = String> {
    const VARIABLES: &[&str] = &[
        "os_name",
        "sys_platform",
        "platform_machine",
        "platform_python_implementation",
        "platform_release",
        "platform_system",
        "platform_version",
        "python_version",
        "python_full_version",
        "implementation_name",
    ];
    let variable = |key: &&str| Some(format!("{key} {}", word(own, key)?));
    let whole = word(own, "markers").map(str::to_owned);
    whole.into_iter().chain(VARIABLES.iter().filter_map(variable)).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::pyproject::tests::shown;
    use super::*;

    fn show(text: &str) -> Vec<String> {
        shown(text, &read(FileId(0), text))
    }

    #[test]
    fn a_pipfile() {
        let text = "[[source]]\nurl = 'https://pypi.example/simple'\nname = 'pypi'\n[[source]]\nurl = 'https://e.org/cu118'\nname = 'pt'\n\
            [packages]\ntorch = { version = '==2.1.0', index = 'pt', extras = ['X'], sys_platform = \"== 'linux'\" }\nNumpy = '*'\nbare = '1.0'\n\
            g = { git = 'https://e.org/g.git', ref = 'main' }\nme = { path = '.', editable = true }\nw = { file = 'https://e.org/w-1-py3-none-any.whl' }\n\
            [dev-packages]\npytest = '>=7'\n[docs]\nsphinx = '~=7.0'\n[requires]\npython_version = '3.10'\n";
        let linux = "<Marker(sys_platform == 'linux')>";
        assert_eq!(
            show(text),
            [
                "Primary pypi=https://pypi.example/simple".to_owned(),
                "Extra pt=https://e.org/cu118 explicit".to_owned(),
                format!("torch -> pt {linux}"),
                format!("torch[x]==2.1.0 {linux}"),
                "numpy".to_owned(),
                "bare ?".to_owned(),
                "g @ git+https://e.org/g.git".to_owned(),
                "project ./.".to_owned(),
                "w @ https://e.org/w-1-py3-none-any.whl".to_owned(),
                "pytest>=7 <Group(dev)>".to_owned(),
                "sphinx~=7.0 <Group(docs)>".to_owned(),
                "python ==3.10.*".to_owned(),
            ]
        );
    }

    #[test]
    fn half_typed() {
        for text in ["", "\u{feff}", "[packages]\nx = 1", "packages = 3", "[[source]]\nurl = 2", "\0"] {
            assert!(show(text).iter().all(|line| line.starts_with('!')), "{text:?}");
        }
    }
}
