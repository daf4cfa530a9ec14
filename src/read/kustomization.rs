//! `kustomization.yaml`: which manifests it takes, and what it changes of them.

use super::container::variables;
use super::syntax::interpolation::node_text;
use super::syntax::yaml::{Node, Tree};
use crate::outline::{Act, Change, ConfigMap, Does, How, Include, Object, Outline, Patch, Scope, Text, When};
use crate::source::{FileId, Span};

/// Reads a kustomization.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut acts = Vec::new();
    for root in tree.documents() {
        for (key, how) in [("resources", How::Manifest), ("bases", How::Manifest), ("components", How::Component)] {
            let paths = root.get(key).map(Node::items).unwrap_or_default().into_iter().filter_map(node_text);
            acts.extend(paths.map(|path| act(path.at, Does::Include(Include { path, how }))));
        }
        for key in ["patches", "patchesJson6902", "patchesStrategicMerge"] {
            acts.extend(root.get(key).map(Node::items).unwrap_or_default().into_iter().map(patch));
        }
        acts.extend(root.get("configMapGenerator").map(Node::items).unwrap_or_default().into_iter().filter_map(config_map));
        // What these change is not read.
        for node in ["replacements", "transformers", "vars"].iter().filter_map(|key| root.get(key)) {
            if !node.items().is_empty() {
                acts.push(act(node.at(), Does::Patch(Patch { of: Object::default(), change: Change::Unknown })));
            }
        }
    }
    acts.sort_by_key(|act| act.at);
    tree.outline(acts, Vec::new())
}

/// `path: x.yaml`, `patch: |-` with its text, or just one of them as it stands.
fn patch(item: Node<'_>) -> Act {
    let of = |key: &str| item.path(&["target", key]).and_then(Node::text).unwrap_or_default().to_owned();
    let of = Object { kind: of("kind"), name: of("name") };
    let inline = |text: &str| text.contains(['\n', ':']);
    let change = match (item.get("path").and_then(node_text), item.get("patch")) {
        (Some(path), _) => Change::File(path),
        (None, Some(patch)) => Change::Here(patch.at()),
        (None, None) => match item.text() {
            Some(text) if !inline(text) => Change::File(Text::literal(text, item.body())),
            Some(_) => Change::Here(item.at()),
            None => Change::Unknown,
        },
    };
    act(item.at(), Does::Patch(Patch { of, change }))
}

/// `{name: x, literals: [A=b]}`; files, and what another kustomization generates, bring more.
fn config_map(item: Node<'_>) -> Option<Act> {
    let alone = ["envs", "env", "files", "behavior"].iter().all(|key| item.get(key).is_none());
    let map = ConfigMap {
        name: item.get("name")?.text()?.to_owned(),
        variables: item.get("literals").map(|literals| variables(literals, Scope::Environment)).unwrap_or_default(),
        whole: alone && !item.is_open(),
    };
    Some(act(item.at(), Does::ConfigMap(map)))
}

fn act(at: Span, does: Does) -> Act {
    Act { at, when: When::default(), does }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let acts = read(FileId(0), text).acts.into_iter();
        let shown = acts.map(|act| match act.does {
            Does::Include(include) => format!("{:?} {}", include.how, include.path.known().unwrap_or("?")),
            Does::Patch(Patch { of, change }) => {
                let change = match &change {
                    Change::File(path) => path.known().unwrap_or("?"),
                    Change::Here(_) => "here",
                    Change::Unknown => "-",
                };
                format!("patch {}/{} {change}", of.kind, of.name)
            }
            other => panic!("{other:?}"),
        });
        shown.collect()
    }

    #[test]
    fn what_is_taken_and_changed() {
        let text = "resources: [../../base, a.yaml]\ncomponents: [../gpu]\npatches:\n  - path: p.yaml\n  - {path: q.yaml, target: {kind: Deployment, name: a}}\n  - target: {kind: Job}\n    patch: |-\n      - op: add\n        path: /spec/template/spec/containers/0/resources\n  - patch: |-\n      spec:\n        replicas: 3\npatchesStrategicMerge:\n  - s.yaml\n  - |-\n    kind: Job\n    spec: {nodeSelector: null}\npatchesJson6902: [{target: {kind: Pod, name: b}, path: j.json}]\n";
        assert_eq!(
            show(text),
            [
                "Manifest ../../base",
                "Manifest a.yaml",
                "Component ../gpu",
                "patch / p.yaml",
                "patch Deployment/a q.yaml",
                "patch Job/ here",
                "patch / here",
                "patch / s.yaml",
                "patch / here",
                "patch Pod/b j.json"
            ]
        );
        assert_eq!(show("replacements: [{path: r.yaml}]\n"), ["patch / -"]);
        for text in ["", "patches:", "patches: [1, {}, []]", "resources: {a: b}", "- x", "patches: [{path: {}}]"] {
            show(text);
        }
    }
}
