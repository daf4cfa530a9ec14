//! What setuptools reads from other files: `[tool.setuptools.dynamic]`, and `setup.py` and `setup.cfg` beside.
//!
//! Source: <https://setuptools.pypa.io/en/latest/userguide/pyproject_config.html>.

use super::super::syntax::toml::{Table, Toml, Value, entries, get, items, table, word};
use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, How, Include, Piece, Text, When};
use crate::source::Span;

/// What the file leaves to others.
pub(super) fn acts(toml: &Toml<'_>, root: &Table<'_>) -> Vec<Act> {
    let backend = table(root, &["build-system"]).and_then(|build| word(build, "build-backend")).unwrap_or("setuptools");
    let by_setuptools = backend.starts_with("setuptools");
    let Some(project) = table(root, &["project"]) else {
        let elsewhere = table(root, &["tool", "poetry"]).is_some();
        return if by_setuptools && !elsewhere { setup(toml.span(0..0)) } else { Vec::new() };
    };
    let Some(dynamic) = project.get("dynamic") else { return Vec::new() };
    let is_dynamic = |key: &str| items(dynamic).any(|item| item.get_ref().as_str() == Some(key));
    let at = toml.whole(dynamic);
    let mut acts = Vec::new();
    let files = get(root, &["tool", "setuptools", "dynamic", "dependencies"]);
    if is_dynamic("dependencies") {
        match files {
            Some(files) => acts.extend(named(toml, files, &When::default())),
            None if by_setuptools => acts.extend(setup(at)),
            // poetry's own table says it.
            None if table(root, &["tool", "poetry", "dependencies"]).is_some() => {}
            None => acts.push(computed(at)),
        }
    }
    if is_dynamic("optional-dependencies") {
        for (extra, files) in entries(root, &["tool", "setuptools", "dynamic", "optional-dependencies"]) {
            acts.extend(named(toml, files, &When(vec![Choice::Extra(normalise(extra.get_ref()))])));
        }
    }
    acts
}

/// `setup.cfg` and `setup.py` beside, where there are such files.
fn setup(at: Span) -> Vec<Act> {
    let beside = |name: &str| Does::Include(Include { path: Text::literal(name, at), how: How::Setup });
    ["setup.cfg", "setup.py"].map(|name| Act { at, when: When::default(), does: beside(name) }).into()
}

/// What a program finds out while it builds.
fn computed(at: Span) -> Act {
    let path = Text { pieces: vec![Piece::Opaque], at };
    Act { at, when: When::default(), does: Does::Include(Include { path, how: How::Setup }) }
}

/// `{ file = "requirements.txt" }`, `{ file = ["a.txt", "b.txt"] }`.
fn named(toml: &Toml<'_>, files: &Value<'_>, when: &When) -> Vec<Act> {
    let Some(file) = files.get_ref().as_table().and_then(|table| table.get("file")) else { return Vec::new() };
    let paths = toml.string(file).map_or_else(|| toml.strings(file), |one| vec![one]);
    let include =
        |path: Text| Act { at: path.at, when: when.clone(), does: Does::Include(Include { path, how: How::Requirements }) };
    paths.into_iter().map(include).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::show;

    #[test]
    fn what_is_left_to_others() {
        let own = "defaults";
        for (text, want) in [
            ("[build-system]\nrequires = []\n", vec!["setup setup.cfg", "setup setup.py"]),
            ("[tool.black]\n", vec!["setup setup.cfg", "setup setup.py"]),
            ("[project]\nname = 'x'\n", vec![]),
            ("[project]\ndynamic = ['dependencies']\n", vec!["setup setup.cfg", "setup setup.py"]),
            ("[build-system]\nbuild-backend = 'hatchling.build'\n[project]\ndynamic = ['dependencies']\n", vec!["setup ?"]),
            ("[build-system]\nbuild-backend = 'hatchling.build'\n", vec![]),
            (
                "[project]\ndynamic = ['dependencies', 'optional-dependencies']\n[tool.setuptools.dynamic]\ndependencies = { file = ['a.txt', 'b.txt'] }\n\
                 optional-dependencies.GPU = { file = 'g.txt' }\n",
                vec!["requirements a.txt", "requirements b.txt", "requirements g.txt <Extra(gpu)>"],
            ),
            ("[tool.poetry]\nname = 'x'\n", vec![]),
        ] {
            let got: Vec<_> = show(text).into_iter().filter(|line| !line.starts_with(own)).collect();
            assert_eq!(got, want, "{text}");
        }
    }
}
