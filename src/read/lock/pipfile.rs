//! `Pipfile.lock`: <https://pipenv.pypa.io/en/latest/pipfile.html>, and of the sources
//! <https://pipenv.pypa.io/en/latest/indexes.html>.

use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, IndexKind, IndexLine, Locked, LockedFrom, Outline, Text, When};
use crate::read::container::part;
use crate::read::syntax::yaml::{Node, Tree};
use crate::source::FileId;

/// Reads a lock: JSON, which is YAML.
pub(in crate::read) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut acts = Vec::new();
    let Some(root) = tree.documents().next().filter(|root| root.is_map()) else { return tree.outline(acts, Vec::new()) };
    let python = root.path(&["_meta", "requires"]).and_then(|r| r.get("python_full_version").or_else(|| r.get("python_version")));
    if let Some((node, version)) = python.and_then(|node| Some((node, node.text()?))) {
        let text = Text::literal(format!("=={}.*", version.split('.').take(2).collect::<Vec<_>>().join(".")), node.body());
        acts.push(Act { at: node.body(), when: When::default(), does: Does::Python(text) });
    }
    let sources: Vec<(&str, Text)> =
        root.path(&["_meta", "sources"]).into_iter().flat_map(Node::items).filter_map(source).collect();
    for (n, (name, url)) in sources.iter().enumerate() {
        // pipenv's first source is its index, the others serve what names them.
        let kind = if n == 0 { IndexKind::Primary } else { IndexKind::Extra };
        let line = IndexLine { url: url.clone(), kind, name: Some((*name).to_owned()), explicit: n > 0 };
        acts.push(Act { at: url.at, when: When::default(), does: Does::Index(line) });
    }
    for (category, packages) in root.entries() {
        let group = match category.text() {
            None | Some("_meta") => continue,
            Some("default") => None,
            Some("develop") => Some(Choice::Group("dev".to_owned())),
            Some(other) => Some(Choice::Group(normalise(other))),
        };
        for (name, package) in packages.entries() {
            acts.extend(entry(name, package, &sources).map(|lock| {
                let at = lock.name.at.to(lock.version.at);
                Act { at, when: When(group.iter().cloned().collect()), does: Does::Lock(lock) }
            }));
        }
    }
    tree.outline(acts, Vec::new())
}

fn source(node: Node<'_>) -> Option<(&str, Text)> {
    let url = node.get("url")?;
    Some((node.get("name")?.text()?, crate::read::syntax::interpolation::node_text(url)?))
}

fn entry(name: Node<'_>, package: Node<'_>, sources: &[(&str, Text)]) -> Option<Locked> {
    let written = package.get("version")?;
    let version = written.text()?;
    let pin = version.trim_start_matches('=');
    let version = Text::literal(pin, part(written, version.len() - pin.len()..version.len()));
    let text = |key: &str| package.get(key).and_then(|node| Some(Text::literal(node.text()?, node.body())));
    let index = || {
        let named = package.get("index").and_then(Node::text);
        match (named, sources) {
            (Some(named), _) => sources.iter().find(|(name, _)| *name == named).map(|(_, url)| url.clone()),
            // Older releases looked everywhere.
            (None, [(_, only)]) => Some(only.clone()),
            (None, _) => None,
        }
    };
    let elsewhere = ["git", "hg", "svn", "path"].iter().any(|key| package.get(key).is_some());
    let from = match text("file") {
        _ if elsewhere => LockedFrom::Elsewhere,
        Some(url) => LockedFrom::File(url),
        None => index().filter(|url| url.known().is_some()).map_or(LockedFrom::Elsewhere, LockedFrom::Index),
    };
    let markers = text("markers").and_then(|marker| marker.known().map(str::to_owned)).into_iter().collect();
    Some(Locked { name: Text::literal(name.text()?, name.body()), version, from, markers })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::lock::tests::{show as shown, survives};

    const SAMPLE: &str = "{\n    \"_meta\": {\n        \"requires\": {\"python_version\": \"3.10\"},\n        \"sources\": [\n\
        {\"name\": \"pypi\", \"url\": \"https://pypi.example/simple\", \"verify_ssl\": true},\n\
        {\"name\": \"pt\", \"url\": \"https://download.pytorch.org/whl/cu118\"}]\n    },\n    \"default\": {\n\
        \"torch\": {\"hashes\": [\"sha256:0\"], \"index\": \"pt\", \"markers\": \"python_version >= '3.8'\", \"version\": \"==2.1.0+cu118\"},\n\
        \"numpy\": {\"version\": \"==1.26.4\"},\n        \"g\": {\"git\": \"https://e.org/g\", \"version\": \"==1\"},\n\
        \"w\": {\"file\": \"https://e.org/w-1-py3-none-any.whl\", \"version\": \"==1\"},\n        \"n\": {\"editable\": true, \"path\": \".\"}\n    },\n\
        \"develop\": {\"pytest\": {\"index\": \"pypi\", \"version\": \"==8\"}},\n    \"Gpu_x\": {\"cupy\": {\"index\": \"nowhere\", \"version\": \"==13\"}}\n}\n";

    #[test]
    fn entries() {
        assert_eq!(
            shown(read, SAMPLE),
            [
                "python 3.10",
                "Primary https://pypi.example/simple",
                "Extra https://download.pytorch.org/whl/cu118",
                "torch 2.1.0+cu118 index https://download.pytorch.org/whl/cu118 if python_version >= '3.8'",
                "numpy 1.26.4 elsewhere",
                "g 1 elsewhere",
                "w 1 file https://e.org/w-1-py3-none-any.whl",
                "pytest 8 index https://pypi.example/simple <Group(dev)>",
                "cupy 13 elsewhere <Group(gpu-x)>",
            ]
        );
        survives(read, SAMPLE);
    }

    #[test]
    fn one_source_is_every_package_s() {
        let text = SAMPLE.replace(",\n{\"name\": \"pt\", \"url\": \"https://download.pytorch.org/whl/cu118\"}", "");
        assert!(shown(read, &text).contains(&"numpy 1.26.4 index https://pypi.example/simple".to_owned()));
    }
}
