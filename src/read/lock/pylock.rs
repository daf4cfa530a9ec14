//! `pylock.toml` (PEP 751): <https://packaging.python.org/en/latest/specifications/pylock-toml/>.

use crate::outline::{Act, Does, Locked, LockedFrom, Outline, When};
use crate::read::syntax::comments::ignores;
use crate::read::syntax::toml::{Table, Toml, Value, comments, items};
use crate::source::FileId;

/// Reads a lock.
pub(in crate::read) fn read(file: FileId, text: &str) -> Outline {
    let (toml, root, torn) = Toml::parse(file, text);
    let mut acts = Vec::new();
    if let Some(python) = toml.string_at(&root, "requires-python") {
        acts.push(Act { at: python.at, when: When::default(), does: Does::Python(python) });
    }
    acts.extend(root.get("packages").into_iter().flat_map(items).filter_map(|package| entry(&toml, package)));
    Outline { acts, ignores: ignores(file, text, comments(text), |line| line), torn, ..Outline::default() }
}

fn entry(toml: &Toml<'_>, package: &Value<'_>) -> Option<Act> {
    let table = package.get_ref().as_table()?;
    let (name, version) = (toml.string_at(table, "name")?, toml.string_at(table, "version")?);
    let marker = toml.string_at(table, "marker").and_then(|marker| marker.known().map(str::to_owned));
    let at = name.at.to(version.at);
    let lock = Locked { from: from(toml, table), markers: marker.into_iter().collect(), name, version };
    Some(Act { at, when: When::default(), does: Does::Lock(lock) })
}

fn from(toml: &Toml<'_>, table: &Table<'_>) -> LockedFrom {
    let url_of = |value: &Value<'_>| toml.string_at(value.get_ref().as_table()?, "url");
    if table.contains_key("vcs") || table.contains_key("directory") {
        return LockedFrom::Elsewhere;
    }
    if let Some(archive) = table.get("archive") {
        return url_of(archive).map_or(LockedFrom::Elsewhere, LockedFrom::File);
    }
    // The files of one entry are of one version; the index says which build that is, else any of their addresses.
    let wheel = || table.get("wheels").and_then(|list| items(list).find_map(url_of)).map(LockedFrom::File);
    toml.string_at(table, "index").map(LockedFrom::Index).or_else(wheel).unwrap_or(LockedFrom::Indexes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::lock::tests::{show as shown, survives};

    const SAMPLE: &str = "lock-version = \"1.0\"\nrequires-python = \">=3.12\"\ncreated-by = \"x\"\n[[packages]]\nname = \"torch\"\n\
        version = \"2.6.0+cu124\"\nindex = \"https://download.pytorch.org/whl/cu124\"\nwheels = [{url = \"https://e.org/a.whl\"}]\n\
        [[packages]]\nname = \"b\"\nversion = \"1\"\nmarker = \"'gpu' in extras\"\n[[packages.wheels]]\nurl = \"https://e.org/b-1-py3-none-any.whl\"\n\
        [[packages]]\nname = \"c\"\nversion = \"1\"\nvcs = {type = \"git\", url = \"https://e.org/c\"}\n\
        [[packages]]\nname = \"d\"\nversion = \"1\"\narchive = {url = \"https://e.org/d-1-py3-none-any.whl\"}\n\
        [[packages]]\nname = \"e\"\ndirectory = {path = \".\"}\n";

    #[test]
    fn entries() {
        assert_eq!(
            shown(read, SAMPLE),
            [
                "python >=3.12",
                "torch 2.6.0+cu124 index https://download.pytorch.org/whl/cu124",
                "b 1 file https://e.org/b-1-py3-none-any.whl if 'gpu' in extras",
                "c 1 elsewhere",
                "d 1 file https://e.org/d-1-py3-none-any.whl",
            ]
        );
        survives(read, SAMPLE);
    }
}
