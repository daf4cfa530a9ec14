//! `kustomization.yaml`: which manifests it takes, and what it changes of them.

use super::syntax::interpolation::node_text;
use super::syntax::yaml::{Node, Tree};
use crate::outline::{Act, Does, How, Include, Object, Outline, Patch, Text, When};
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
            acts.extend(root.get(key).map(Node::items).unwrap_or_default().into_iter().filter_map(patch));
        }
        // What these change is not read.
        for node in ["replacements", "transformers", "vars"].iter().filter_map(|key| root.get(key)) {
            if !node.items().is_empty() {
                acts.push(act(node.at(), Does::Patch(Patch { of: Object::default(), path: None })));
            }
        }
    }
    acts.sort_by_key(|act| act.at);
    tree.outline(acts, Vec::new())
}

/// `path: x.yaml`, `patch: |-` with its text, or just one of them as it stands; `None` for one that leaves GPUs alone.
fn patch(item: Node<'_>) -> Option<Act> {
    let of = |key: &str| item.path(&["target", key]).and_then(Node::text).unwrap_or_default().to_owned();
    let target = Object { kind: of("kind"), name: of("name") };
    let (path, inline) = match item.get("path") {
        Some(path) => (node_text(path), None),
        None => (None, item.get("patch").or(Some(item)).filter(|node| !node.is_map())),
    };
    let inline = inline.and_then(Node::text);
    let (path, inline) = match inline {
        Some(text) if !text.contains('\n') && !text.contains(':') => (Some(Text::literal(text, item.body())), None),
        inline => (path, inline),
    };
    if inline.is_some_and(|text| !may_concern_gpus(text)) {
        return None;
    }
    Some(act(item.at(), Does::Patch(Patch { of: target, path })))
}

/// Whether a patch's text speaks of what decides whether a container gets a GPU, and whether it needs one.
pub(crate) fn may_concern_gpus(text: &str) -> bool {
    let words = [
        "resources",
        "nodeSelector",
        "ffinity",
        "untimeClass",
        "gpu",
        "command",
        "args",
        "env",
        "image",
        // Of a patch in JSON these may be put in whole.
        "/containers/",
        "/containers\"",
        "/spec\"",
        "/template",
        "$patch",
    ];
    words.iter().any(|word| text.contains(word))
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
            Does::Patch(Patch { of, path }) => {
                format!("patch {}/{} {}", of.kind, of.name, path.as_ref().and_then(Text::known).unwrap_or("-"))
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
                "patch Job/ -",
                "patch / s.yaml",
                "patch / -",
                "patch Pod/b j.json"
            ]
        );
        assert_eq!(show("replacements: [{path: r.yaml}]\n"), ["patch / -"]);
        for text in ["", "patches:", "patches: [1, {}, []]", "resources: {a: b}", "- x", "patches: [{path: {}}]"] {
            show(text);
        }
    }
}
