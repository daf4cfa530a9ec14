//! Kubernetes manifests: every container of a pod is a launch, whatever makes the pod.

use super::container::document_stretches;
use super::syntax::interpolation::node_text;
use super::syntax::yaml::{Node, Tree};
use crate::outline::{Act, Does, GpuRequest, Launch, Launcher, Outline, Piece, Scope, Text, Variable, When};
use crate::source::FileId;

/// A pod's specification is looked for no deeper.
const DEPTH: usize = 24;
/// Nor among more values.
const VALUES: usize = 100_000;

/// Reads a manifest with all its documents.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut acts = Vec::new();
    for (root, stretch) in document_stretches(&tree) {
        if root.get("apiVersion").is_none() || root.get("kind").is_none() {
            continue;
        }
        let torn = tree.is_torn_in(&stretch);
        for pod in pods(root) {
            let gpu_node = gpu_node(pod);
            let open = torn || pod.is_open();
            for (list, init) in [("initContainers", true), ("containers", false)] {
                for container in pod.get(list).into_iter().flat_map(Node::items).filter(|c| c.is_map()) {
                    let launch = launch(container, pod, init, gpu_node.clone(), open);
                    acts.push(Act { at: container.at(), when: When::default(), does: Does::Launch(Box::new(launch)) });
                }
            }
        }
    }
    acts.sort_by_key(|act| act.at);
    tree.outline(acts)
}

/// All maps with `containers:`, in the order of the file.
fn pods(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut ahead = vec![(root, 0)];
    for _ in 0..VALUES {
        let Some((node, depth)) = ahead.pop() else { break };
        if node.get("containers").is_some_and(Node::is_list) {
            found.push(node);
        } else if depth < DEPTH {
            let below: Vec<_> = match node.is_map() {
                true => node.entries().into_iter().map(|(_, value)| value).collect(),
                false => node.items(),
            };
            ahead.extend(below.into_iter().rev().map(|n| (n, depth + 1)));
        }
    }
    found
}

fn launch(container: Node<'_>, pod: Node<'_>, init: bool, gpu_node: Option<Text>, open: bool) -> Launch {
    let entries = container.entries();
    let key = entries.first().map_or(container.at(), |(key, value)| key.at().to(value.at()));
    let name = container.get("name").and_then(Node::text);
    let words =
        |key: &str| container.get(key).filter(|n| !n.is_null()).map(|n| n.items().into_iter().filter_map(node_text).collect());
    let resources = container.get("resources");
    let lists: Vec<_> = ["limits", "requests"].iter().filter_map(|k| resources?.get(k)).collect();
    let counted = lists.iter().flat_map(|l| l.entries()).find(|(key, count)| {
        let named = key.text().is_some_and(|k| k.contains("/gpu") || k.starts_with("nvidia.com/"));
        named && !matches!(count.text(), Some("0"))
    });
    let claims = resources.and_then(|r| r.get("claims")).filter(|c| !c.items().is_empty());
    let class = pod.pair("runtimeClassName").filter(|(_, value)| value.text() == Some("nvidia"));
    let asked = counted.or(class).map(|(key, value)| key.at().to(value.at())).or(claims.map(Node::at));
    Launch {
        by: Launcher::Kubernetes,
        name: name.map(|n| if init { format!("init:{n}") } else { n.to_owned() }),
        key,
        image: container.get("image").and_then(node_text),
        build: None,
        gpu: asked.map_or(GpuRequest::None, GpuRequest::Asked),
        command: words("args").unwrap_or_default(),
        entrypoint: words("command"),
        environment: container.get("env").map(environment).unwrap_or_default(),
        gpu_node,
        open: open || container.is_open() || resources.into_iter().chain(lists).any(Node::is_open),
    }
}

/// `[{name, value}]`; what comes from a secret or a field is not known.
fn environment(node: Node<'_>) -> Vec<Variable> {
    let items = node.items().into_iter();
    items
        .filter_map(|item| {
            let (_, name) = item.pair("name")?;
            let value = match (item.get("value"), item.get("valueFrom")) {
                (Some(value), _) => node_text(value).or(Some(Text::literal("", value.at()))),
                (None, Some(from)) => Some(Text { pieces: vec![Piece::Opaque], at: from.at() }),
                (None, None) => Some(Text::literal("", name.at())),
            };
            Some(Variable { name: name.text()?.to_owned(), value, scope: Scope::Environment })
        })
        .collect()
}

/// The first word that sends the pod to a GPU node: of its selector, affinity, tolerations.
fn gpu_node(pod: Node<'_>) -> Option<Text> {
    let mentioned = |node: Node<'_>| {
        let text = node.text()?;
        speaks_of_gpu(text).then(|| Text::literal(text, node.body()))
    };
    let selector = pod.get("nodeSelector").map(Node::entries).unwrap_or_default();
    let selected = selector.into_iter().find_map(|(key, value)| {
        let refused = value.text().is_some_and(|t| ["false", "no", "none", "cpu"].contains(&t));
        if refused { None } else { mentioned(key).or_else(|| mentioned(value)) }
    });
    let affinity = pod.path(&["affinity", "nodeAffinity"]);
    let required = affinity.and_then(|a| a.get("requiredDuringSchedulingIgnoredDuringExecution")?.get("nodeSelectorTerms"));
    let preferred = affinity.and_then(|a| a.get("preferredDuringSchedulingIgnoredDuringExecution"));
    let terms = required.map(Node::items).unwrap_or_default().into_iter();
    let terms = terms.chain(preferred.map(Node::items).unwrap_or_default().into_iter().filter_map(|p| p.get("preference")));
    let expressions: Vec<_> = terms.filter_map(|t| t.get("matchExpressions")).flat_map(Node::items).collect();
    let wanted =
        expressions.into_iter().filter(|e| !matches!(e.get("operator").and_then(Node::text), Some("NotIn" | "DoesNotExist")));
    let attracted = || {
        wanted.into_iter().find_map(|e| {
            let values = e.get("values").map(Node::items).unwrap_or_default();
            e.get("key").and_then(mentioned).or_else(|| values.into_iter().find_map(mentioned))
        })
    };
    let tolerated = || pod.get("tolerations")?.items().into_iter().find_map(|t| mentioned(t.get("key")?));
    selected.or_else(attracted).or_else(tolerated)
}

fn speaks_of_gpu(text: &str) -> bool {
    let text = text.to_lowercase();
    ["gpu", "nvidia", "accelerator"].iter().any(|w| text.contains(w)) && !["tpu", "neuron"].iter().any(|w| text.contains(w))
}
