//! Kubernetes manifests: every container of a pod is a launch, whatever makes the pod.

use std::collections::BTreeMap;
use std::ops::Range;

use super::container::{document_stretches, variables};
use super::gpu_request;
use super::started::{self, PutInBy};
use super::syntax::interpolation::node_text;
use super::syntax::yaml::{Node, Tree};
use crate::outline::Node as Labelled;
use crate::outline::{
    Act, ConfigMap, Does, GpuRequest, Launch, Launcher, Object, Outline, Piece, Scope, Terms, Text, Variable, When,
};
use crate::source::{FileId, Span};

/// Objects that one container has its variables from.
const CONFIG_MAPS: usize = 64;
/// Labels of a pod's nodes, and values of one, beyond which nobody writes any.
const LABELS: usize = 64;
/// Where the terms stand one of which a node must fit.
const REQUIRED: &[&str] = &["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
/// A pod's specification is looked for no deeper.
const DEPTH: usize = 24;
/// The names of containers that prepare the others begin so.
const INIT: &str = "init:";
/// Nor among more values.
const VALUES: usize = 100_000;

/// Kinds whose pods run as they are written. What other kinds hold is a template whose resources come from elsewhere, or
/// nothing that is known.
const RUN_AS_WRITTEN: &[&str] = &[
    "Pod",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "ReplicationController",
    // Volcano's, too.
    "Job",
    "CronJob",
    "JobSet",
    "LeaderWorkerSet",
    // Argo's.
    "Rollout",
    // Kubeflow's.
    "PyTorchJob",
    "MPIJob",
    "TFJob",
    "JAXJob",
    "XGBoostJob",
    "PaddleJob",
    "Notebook",
    // KubeRay's.
    "RayCluster",
    "RayJob",
    "RayService",
    // Knative's and KServe's.
    "Service",
    "Configuration",
    "InferenceService",
];

/// Kinds of Kubernetes itself, of which each field is known.
const ITS_OWN: &[&str] =
    &["Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob"];

/// Reads a manifest with all its documents.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let (mut acts, mut comments) = (Vec::new(), Vec::new());
    for (root, stretch) in document_stretches(&tree) {
        if root.get("apiVersion").is_none() || root.get("kind").is_none() {
            continue;
        }
        let torn = tree.is_torn_in(&stretch);
        let list = root.get("kind").and_then(Node::text) == Some("List");
        let objects = if list { root.get("items").map(Node::items).unwrap_or_default() } else { vec![root] };
        objects.into_iter().for_each(|object| comments.extend(read_object(file, object, torn, &mut acts)));
    }
    acts.sort_by_key(|acts| acts[0].at);
    tree.outline(acts.concat(), comments)
}

/// Each container with what its command does; the comments in their commands.
fn read_object(file: FileId, object: Node<'_>, torn: bool, acts: &mut Vec<Vec<Act>>) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let kind = object.get("kind").and_then(Node::text).unwrap_or_default();
    let name = object.path(&["metadata", "name"]).and_then(Node::text).unwrap_or_default();
    if kind == "ConfigMap" {
        acts.push(vec![config_map(object, name, torn)]);
    }
    // Those of a daemon set serve the nodes: they are sent to those with a GPU without using one.
    let elsewhere = kind == "DaemonSet" || !RUN_AS_WRITTEN.contains(&kind);
    let idle = is_asleep(object);
    let mut all_pods = Vec::new();
    for (pod, metadata) in pods(object) {
        let share = metadata.and_then(|metadata| share(pod, metadata));
        let all = containers(pod);
        let mut launches: Vec<_> =
            all.iter().map(|(container, init)| (container.at(), launch(*container, pod, share, *init))).collect();
        // KServe puts its containers together with those of a runtime.
        if RUN_AS_WRITTEN.contains(&kind) && kind != "InferenceService" && !torn {
            malformed(object, pod, &all, &mut launches);
        }
        all_pods.push((pod, all, launches));
    }
    // The GPU is one container's: that the others ask for none proves nothing, nor that a preparing one does. The same holds for
    // the pods of one job: one starts what runs on the others (`mpirun`, Ray's head).
    let asked = all_pods.iter().any(|(_, _, launches)| launches.iter().any(|(_, l)| l.gpu.is_asked()));
    for (pod, all, mut launches) in all_pods {
        let nodes = nodes(pod);
        for ((_, launch), (_, init)) in launches.iter_mut().zip(&all) {
            launch.nodes.clone_from(&nodes);
            launch.open |= torn || pod.is_open() || *init || (asked && !launch.gpu.is_asked());
            let written = RUN_AS_WRITTEN.contains(&kind);
            launch.open |= !written;
            // A template that names no GPU may be run by anything.
            launch.idle |= idle || !written && !launch.gpu.is_asked() && launch.image.is_some();
            launch.object = Some(Object { kind: kind.to_owned(), name: name.to_owned() });
        }
        if !asked
            && !elsewhere
            && let Some((_, user)) = user(&mut launches)
            && user.image.is_some()
        {
            user.gpu_node = gpu_node(pod);
        }
        for ((at, launch), (container, _)) in launches.into_iter().zip(all) {
            let nodes: Vec<_> = ["command", "args"].iter().filter_map(|key| container.get(key)).collect();
            let mut started = started::read(file, &nodes, PutInBy::Nobody);
            comments.append(&mut started.comments);
            let act = Act { at, when: When::default(), does: Does::Launch(Box::new(launch)) };
            acts.push([act].into_iter().chain(started.acts).collect());
        }
    }
    comments
}

/// What of the requests is refused; it was asked for all the same.
fn malformed(object: Node<'_>, pod: Node<'_>, containers: &[(Node<'_>, bool)], launches: &mut [(Span, Launch)]) {
    let own = object.get("kind").and_then(Node::text).is_some_and(|kind| ITS_OWN.contains(&kind));
    let mut around = if own { gpu_request::kubernetes::of_object(object, pod) } else { Vec::new() };
    for ((_, launch), (container, _)) in launches.iter_mut().zip(containers) {
        launch.malformed = gpu_request::kubernetes::of_container(*container, is_gpu);
        launch.malformed.append(&mut around);
        if let (GpuRequest::None, Some(malformed)) = (&launch.gpu, launch.malformed.first()) {
            launch.gpu = GpuRequest::Asked(malformed.at);
        }
    }
}

fn config_map(object: Node<'_>, name: &str, torn: bool) -> Act {
    let data = object.get("data");
    let map = ConfigMap {
        name: name.to_owned(),
        variables: data.map(|data| variables(data, Scope::Environment)).unwrap_or_default(),
        whole: !torn && !object.is_open() && !data.is_some_and(Node::is_open),
    };
    Act { at: object.at(), when: When::default(), does: Does::ConfigMap(map) }
}

/// Whether none of its pods are started: `replicas: 0`, `suspend: true`.
fn is_asleep(object: Node<'_>) -> bool {
    let spec = |key: &str| object.path(&["spec", key]).and_then(Node::text);
    spec("replicas") == Some("0") || spec("suspend") == Some("true")
}

/// The containers of a pod; with each, whether it only prepares the others.
fn containers(pod: Node<'_>) -> Vec<(Node<'_>, bool)> {
    let lists = [("initContainers", true), ("containers", false)].into_iter();
    let items = lists.flat_map(|(list, init)| pod.get(list).into_iter().flat_map(Node::items).map(move |c| (c, init)));
    items.filter(|(container, _)| container.is_map()).collect()
}

/// The container that a GPU node is asked for: the only one, or the only one that speaks of a GPU itself.
fn user(launches: &mut [(Span, Launch)]) -> Option<&mut (Span, Launch)> {
    let main = |l: &Launch| !l.name.as_ref().is_some_and(|n| n.starts_with(INIT));
    let speaks = |l: &Launch| {
        let words = l.image.iter().chain(&l.command).chain(l.entrypoint.iter().flatten());
        words.filter_map(Text::known).any(|w| speaks_of_gpu(w) || w.contains("cuda"))
    };
    let mut mains: Vec<_> = launches.iter_mut().filter(|(_, l)| main(l)).collect();
    if mains.len() > 1 {
        mains.retain(|(_, l)| speaks(l));
    }
    if mains.len() == 1 { mains.pop() } else { None }
}

/// All maps with `containers:`, in the order of the file; with each, what stands of it beside.
fn pods(root: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    let mut found = Vec::new();
    let mut ahead = vec![(root, None, 0)];
    for _ in 0..VALUES {
        let Some((node, metadata, depth)) = ahead.pop() else { break };
        if node.get("containers").is_some_and(Node::is_list) {
            found.push((node, metadata));
        } else if depth < DEPTH {
            let below: Vec<_> = match node.is_map() {
                true => node.entries().into_iter().map(|(_, value)| value).collect(),
                false => node.items(),
            };
            let metadata = node.get("metadata");
            ahead.extend(below.into_iter().rev().map(|n| (n, metadata, depth + 1)));
        }
    }
    found
}

/// The node's devices are mounted into a container (`hostPath: {path: /dev}`): which of them its runtime lets it use is not known.
fn has_devices_of_node(container: Node<'_>, pod: Node<'_>) -> bool {
    let volumes = pod.get("volumes").map(Node::items).unwrap_or_default().into_iter();
    let of_devices = |path: &str| path.trim_end_matches('/') == "/dev" || path.starts_with("/dev/nvidia");
    let given = volumes.filter(|volume| volume.path(&["hostPath", "path"]).and_then(Node::text).is_some_and(of_devices));
    let names: Vec<_> = given.filter_map(|volume| volume.get("name").and_then(Node::text)).collect();
    let mounts = container.get("volumeMounts").map(Node::items).unwrap_or_default().into_iter();
    mounts.filter_map(|mount| mount.get("name").and_then(Node::text)).any(|name| names.contains(&name))
}

/// A part of a GPU that an annotation asks for, of schedulers that give out such parts, or a device by its name in CDI.
/// Sources: <https://github.com/NVIDIA/KAI-Scheduler/blob/82d69adbd1a21afc3a4b0004cdb10555153ae4d9/docs/gpu-sharing/README.md>,
/// <https://github.com/cncf-tags/container-device-interface/blob/main/SPEC.md>.
fn share(pod: Node<'_>, metadata: Node<'_>) -> Option<Span> {
    let scheduler = pod.get("schedulerName").and_then(Node::text);
    let entries = metadata.get("annotations").map(Node::entries).unwrap_or_default();
    let device = |key: &str, value: &str| key.starts_with("cdi.k8s.io/") && value.starts_with("nvidia.com/");
    let by_name = entries.iter().find(|(key, value)| key.text().zip(value.text()).is_some_and(|(k, v)| device(k, v)));
    if let Some((key, value)) = by_name {
        return Some(key.at().to(value.at()));
    }
    let share = entries.iter().find(|(key, _)| matches!(key.text(), Some("gpu-fraction" | "gpu-memory")));
    let (key, value) = share.filter(|_| matches!(scheduler, Some("kai-scheduler" | "runai-scheduler")))?;
    Some(key.at().to(value.at()))
}

/// Whether a resource is a GPU or a part of one.
/// Sources: <https://github.com/tkestack/gpu-manager/blob/088928cbcaaef7ecfd83ad7c9659cf87d247491a/README.md>,
/// <https://github.com/smarter-project/smarter-device-manager>.
fn is_gpu(resource: &str) -> bool {
    ["nvidia.com/", "tencent.com/vcuda-", "smarter-devices/nvidia"].iter().any(|start| resource.starts_with(start))
        || resource.contains('/') && resource.contains("gpu")
}

fn launch(container: Node<'_>, pod: Node<'_>, share: Option<Span>, init: bool) -> Launch {
    let entries = container.entries();
    let key = entries.first().map_or(container.at(), |(key, value)| key.at().to(value.at()));
    let name = container.get("name").and_then(Node::text);
    let words =
        |key: &str| container.get(key).filter(|n| !n.is_null()).map(|n| n.items().into_iter().filter_map(node_text).collect());
    let resources = container.get("resources");
    let lists: Vec<_> = ["limits", "requests"].iter().filter_map(|k| resources?.get(k)).collect();
    let gpus: Vec<_> = lists.iter().flat_map(|l| l.entries()).filter(|(key, _)| key.text().is_some_and(is_gpu)).collect();
    let counted = gpus.iter().copied().find(|(_, count)| !matches!(count.text(), Some("0")));
    let claims = resources.and_then(|r| r.get("claims")).filter(|c| !c.items().is_empty());
    let class = pod.pair("runtimeClassName").filter(|(_, class)| !class.is_null());
    // `nvidia`, `nvidia-cdi`, `kata-qemu-nvidia-gpu`; what another gives is not known.
    let class_of_nvidia = class.filter(|(_, class)| class.text().is_some_and(|name| name.contains("nvidia")));
    let asked = counted.or(class_of_nvidia).map(|(key, value)| key.at().to(value.at())).or(claims.map(Node::at)).or(share);
    let unasked = if gpus.is_empty() { GpuRequest::None } else { GpuRequest::Declined };
    // Without an image it is a patch of a container that stands elsewhere.
    let changes = |of: Node<'_>, keys: &[&str]| keys.iter().any(|key| of.get(key).is_some());
    let patches = container.get("image").is_none()
        && (changes(container, &["resources", "command", "args", "env", "envFrom"])
            || changes(pod, &["nodeSelector", "affinity", "runtimeClassName", "$patch"]));
    let whole =
        counted.filter(|(key, _)| key.text() == Some("nvidia.com/gpu") && gpus.iter().all(|(k, _)| k.text() == key.text()));
    let count = whole.and_then(|(_, count)| count.text()).filter(|_| claims.is_none());
    let privileged = container.path(&["securityContext", "privileged"]).is_some_and(|node| node.text() != Some("false"));
    let terms = Terms { privileged, ..Terms::of(count, None, []) };
    let (config_maps, unread_environment) = environment_from(container);
    let (entrypoint, command): (Option<Vec<Text>>, Vec<Text>) = (words("command"), words("args").unwrap_or_default());
    Launch {
        by: Launcher::Kubernetes,
        name: name.map(|n| if init { format!("{INIT}{n}") } else { n.to_owned() }),
        key,
        image: container.get("image").and_then(node_text),
        build: None,
        platforms: platforms(pod),
        gpu: asked.map_or(unasked, GpuRequest::Asked),
        terms,
        malformed: Vec::new(),
        unchecked: false,
        extends: None,
        profiles: Vec::new(),
        idle: Launch::only_tells(entrypoint.as_deref(), &command),
        made: false,
        command,
        entrypoint,
        mounts: Vec::new(),
        shares_files: false,
        folder: container.get("workingDir").and_then(node_text),
        environment: container.get("env").map(environment).unwrap_or_default(),
        environment_files: Vec::new(),
        unread_environment,
        config_maps,
        pod: Some(pod.at()),
        gpu_node: None,
        nodes: Vec::new(),
        object: None,
        open: patches
            || class.is_some() && class_of_nvidia.is_none()
            || has_devices_of_node(container, pod)
            || container.is_open()
            || resources.into_iter().chain(lists).any(Node::is_open),
    }
}

/// The labels of the nodes that a pod is sent to, by its selector and its affinity.
fn nodes(pod: Node<'_>) -> Vec<Labelled> {
    let unknown = |node: Node<'_>| Text { pieces: vec![Piece::Opaque], at: node.at() };
    let value = |node: Node<'_>| node_text(node).unwrap_or_else(|| unknown(node));
    let labelled = |key: Node<'_>, values: Vec<Text>| Some(Labelled { label: key.text()?.to_owned(), values });
    let selector = pod.get("nodeSelector").map(Node::entries).unwrap_or_default();
    let mut found: Vec<_> = selector.into_iter().filter_map(|(key, one)| labelled(key, vec![value(one)])).collect();
    let conditions = |term: Node<'_>| {
        let all = term.get("matchExpressions").map(Node::items).unwrap_or_default().into_iter();
        let named = all.filter(|condition| condition.get("operator").and_then(Node::text) == Some("In"));
        let values = |of: Node<'_>| of.get("values").map(Node::items).unwrap_or_default().into_iter().map(value).collect();
        named.filter_map(|of| labelled(of.get("key")?, values(of))).collect::<Vec<_>>()
    };
    let mut terms = pod.path(REQUIRED).map(Node::items).unwrap_or_default().into_iter().map(conditions);
    let first = terms.next().unwrap_or_default();
    // Each of the terms will do: what they all ask for is asked for.
    found.extend(terms.fold(first, |mut shared, term| {
        let of: BTreeMap<&str, &Labelled> = term.iter().map(|one| (one.label.as_str(), one)).collect();
        shared.retain_mut(|one| match of.get(one.label.as_str()) {
            Some(other) => {
                one.values.extend(other.values.iter().cloned());
                true
            }
            None => false,
        });
        shared
    }));
    // Each container has them.
    found.retain(|one| one.values.len() <= LABELS);
    found.truncate(LABELS);
    found
}

/// The platforms of the nodes that a pod is sent to by its selector.
/// Source: <https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-arch>.
fn platforms(pod: Node<'_>) -> Vec<Text> {
    let selector = pod.get("nodeSelector");
    let labels = ["kubernetes.io/arch", "beta.kubernetes.io/arch"].iter();
    labels.filter_map(|label| node_text(selector?.get(label)?)).take(1).collect()
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

/// The objects whose variables a container is given as they are, and whether it is given others that are not known.
fn environment_from(container: Node<'_>) -> (Vec<String>, bool) {
    let Some(from) = container.get("envFrom").filter(|from| !from.is_null()) else { return (Vec::new(), false) };
    let (mut found, mut unread) = (Vec::new(), from.is_open() || !from.is_list());
    for item in from.items() {
        let name = item.path(&["configMapRef", "name"]).and_then(Node::text).filter(|_| item.get("prefix").is_none());
        match name {
            Some(name) if found.len() < CONFIG_MAPS && !name.contains(['{', '$']) => found.push(name.to_owned()),
            _ => unread = true,
        }
    }
    (found, unread)
}

/// The first word that sends the pod to a GPU node and to no other, of its selector or affinity, or that lets it onto nodes which
/// are kept for GPUs. A preference only likes one.
fn gpu_node(pod: Node<'_>) -> Option<Text> {
    let selector = pod.get("nodeSelector").map(Node::entries).unwrap_or_default();
    let selected = selector.into_iter().find_map(|(key, value)| speaks(key, &[value]));
    let attracted = || {
        // Each of the terms will do.
        let terms = pod.path(REQUIRED).map(Node::items).unwrap_or_default();
        let words: Vec<_> = terms.into_iter().map(term).collect();
        if words.iter().all(Option::is_some) { words.into_iter().flatten().next() } else { None }
    };
    // Source: <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration>.
    let tolerated = || {
        let all = pod.get("tolerations").map(Node::items).unwrap_or_default().into_iter();
        let mut keys = all.filter_map(|toleration| toleration.get("key"));
        let key = keys.find(|key| key.text() == Some("nvidia.com/gpu"))?;
        Some(Text::literal("nvidia.com/gpu", key.body()))
    };
    selected.or_else(attracted).or_else(tolerated)
}

/// The first word for a GPU among the conditions of a term, all of which must hold.
fn term(term: Node<'_>) -> Option<Text> {
    term.get("matchExpressions").map(Node::items).unwrap_or_default().into_iter().find_map(|condition| {
        let values = condition.get("values").map(Node::items).unwrap_or_default();
        match condition.get("operator").and_then(Node::text)? {
            "In" | "Gt" => speaks(condition.get("key")?, &values),
            "Exists" => speaks(condition.get("key")?, &[]),
            _ => None,
        }
    })
}

/// The word of a label, or of each of the values one of which it has, that speaks of a GPU.
fn speaks(key: Node<'_>, values: &[Node<'_>]) -> Option<Text> {
    let mentioned = |node: Node<'_>| {
        let text = node.text()?;
        speaks_of_gpu(text).then(|| Text::literal(text, node.body()))
    };
    let refused = |value: &Node<'_>| {
        let text = value.text().unwrap_or_default().to_ascii_lowercase();
        ["", "false", "no", "none", "cpu", "0", "disabled", "off"].contains(&text.as_str())
    };
    if values.iter().any(refused) {
        return None;
    }
    let of_values = || {
        let words: Vec<_> = values.iter().map(|value| mentioned(*value)).collect();
        if words.iter().all(Option::is_some) { words.into_iter().flatten().next() } else { None }
    };
    mentioned(key).or_else(of_values)
}

fn speaks_of_gpu(text: &str) -> bool {
    let text = text.to_lowercase();
    ["gpu", "nvidia", "accelerator"].iter().any(|w| text.contains(w)) && !["tpu", "neuron"].iter().any(|w| text.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let acts = read(FileId(0), text).acts.into_iter();
        let at = |t: &Text| text[t.at.range()].to_owned();
        // What a container's own command does stands between them.
        let launches = acts.filter_map(|act| match act.does {
            Does::Launch(launch) => Some(launch),
            Does::Enter(_) | Does::Leave(_) | Does::OnCuda => None,
            other => panic!("{other:?}"),
        });
        launches
            .map(|l| {
                let gpu = match l.gpu {
                    GpuRequest::Asked(at) => &text[at.range()],
                    _ => "no",
                };
                let words = |w: &[Text]| w.iter().map(at).collect::<Vec<_>>().join(" ");
                let node = l.gpu_node.as_ref().map(at).unwrap_or_default();
                let open = if l.open { " open" } else { "" };
                let (entry, run) = (words(l.entrypoint.as_deref().unwrap_or_default()), words(&l.command));
                format!("{} [{}] {gpu} [{node}] {entry}|{run}{open}", l.name.unwrap_or_default(), &text[l.key.range()])
            })
            .collect()
    }

    #[test]
    fn whatever_makes_the_pod() {
        let pod = "{containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}";
        for spec in [
            format!("kind: Pod\nspec: {pod}"),
            format!("kind: Deployment\nspec: {{template: {{spec: {pod}}}}}"),
            format!("kind: CronJob\nspec: {{jobTemplate: {{spec: {{template: {{spec: {pod}}}}}}}}}"),
            format!("kind: List\nitems:\n- kind: Pod\n  spec: {pod}"),
            format!("kind: PyTorchJob\nspec: {{pytorchReplicaSpecs: {{Worker: {{template: {{spec: {pod}}}}}}}}}"),
        ] {
            let text = format!("kind: Namespace\napiVersion: v1\n---\napiVersion: v1\n{spec}\n");
            assert_eq!(show(&text), ["c [name: c] nvidia.com/gpu: 1 [] |"], "{spec}");
        }
        assert_eq!(show("spec: {containers: [{image: i}]}\n"), [""; 0]);
    }

    #[test]
    fn requests_and_nodes() {
        let of = |pod: &str, container: &str| {
            let text = format!("apiVersion: v1\nkind: Pod\nspec:\n  {pod}\n  containers:\n  - image: i\n    {container}\n");
            let shown = show(&text).pop().expect("a container");
            shown.trim_start_matches(" [image: i] ").trim_end_matches('|').trim().to_owned()
        };
        for (pod, container, shown) in [
            ("x: 1", "y: 1", "no []"),
            ("x: 1", "resources: {requests: {nvidia.com/mig-1g.5gb: 1}}", "nvidia.com/mig-1g.5gb: 1 []"),
            ("x: 1", "resources: {limits: {amd.com/gpu: 1}}", "amd.com/gpu: 1 []"),
            ("x: 1", "resources: {limits: {nvidia.com/gpu: 0}}", "no []"),
            ("x: 1", "resources: {claims: [{name: g}]}", "[{name: g}] []"),
            ("x: 1", "resources: {{ toYaml .r }}", "no [] | open"),
            ("runtimeClassName: nvidia", "y: 1", "runtimeClassName: nvidia []"),
            (
                "nodeSelector: {cloud.google.com/gke-accelerator: nvidia-tesla-t4}",
                "y: 1",
                "no [cloud.google.com/gke-accelerator]",
            ),
            ("nodeSelector: {pool: gpu-pool}", "y: 1", "no [gpu-pool]"),
            ("nodeSelector: {gpu: 'false'}", "y: 1", "no []"),
            ("nodeSelector: {cloud.google.com/gke-tpu-accelerator: v5}", "y: 1", "no []"),
            ("tolerations: [{key: nvidia.com/gpu, operator: Exists}]", "y: 1", "no [nvidia.com/gpu]"),
            ("tolerations: [{operator: Exists}]", "y: 1", "no []"),
            (
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: In, values: [a]}]}]}}}",
                "y: 1",
                "no [gpu]",
            ),
            ("nodeSelector: {nvidia.com/gpu.count: '0'}", "y: 1", "no []"),
            ("x: 1", "resources: {limits: {volcano.sh/vgpu-number: 1}}", "volcano.sh/vgpu-number: 1 []"),
        ] {
            assert_eq!(of(pod, container), shown, "{pod} {container}");
        }
    }

    #[test]
    fn nodes_by_affinity() {
        let gpu = "{key: gpu, operator: In, values: [a]}";
        for (terms, word) in [
            (format!("[{{matchExpressions: [{gpu}]}}]"), "[gpu]"),
            (format!("[{{matchExpressions: [{{key: zone, operator: In, values: [a]}}, {gpu}]}}]"), "[gpu]"),
            (
                format!("[{{matchExpressions: [{gpu}]}}, {{matchExpressions: [{{key: pool, operator: In, values: [cpu]}}]}}]"),
                "[]",
            ),
            (
                format!("[{{matchExpressions: [{gpu}]}}, {{matchFields: [{{key: metadata.name, operator: In, values: [a]}}]}}]"),
                "[]",
            ),
            ("[{matchExpressions: [{key: gpu, operator: DoesNotExist}]}]".to_owned(), "[]"),
            ("[{matchExpressions: [{key: gpu, operator: NotIn, values: [a]}]}]".to_owned(), "[]"),
            ("[{matchExpressions: [{key: gpu, operator: In, values: ['false']}]}]".to_owned(), "[]"),
            ("[{matchExpressions: [{key: pool, operator: In, values: [gpu, web]}]}]".to_owned(), "[]"),
            ("[{matchExpressions: [{key: pool, operator: In, values: [gpu-a, gpu-b]}]}]".to_owned(), "[gpu-a]"),
            ("[{matchExpressions: [{key: nvidia.com/gpu.present, operator: Exists}]}]".to_owned(), "[nvidia.com/gpu.present]"),
            ("[]".to_owned(), "[]"),
        ] {
            let of = |when: &str, what: &str| {
                let text = format!(
                    "apiVersion: v1\nkind: Pod\nspec:\n  affinity: {{nodeAffinity: {{{when}: {what}}}}}\n  containers:\n  - image: i\n"
                );
                show(&text).pop().expect("a container")
            };
            let required = of("requiredDuringSchedulingIgnoredDuringExecution", &format!("{{nodeSelectorTerms: {terms}}}"));
            assert_eq!(required, format!(" [image: i] no {word} |"), "{terms}");
            let liked = format!("[{{weight: 1, preference: {{matchExpressions: [{gpu}]}}}}]");
            assert_eq!(of("preferredDuringSchedulingIgnoredDuringExecution", &liked), " [image: i] no [] |");
        }
    }

    #[test]
    fn what_does_not_run_as_it_is_written() {
        let node = "nodeSelector: {pool: gpu}";
        let show_of = |kind: &str, more: &str| {
            let text = format!(
                "apiVersion: v1\nkind: {kind}\nmetadata: {{name: n}}\nspec: {{{more} template: {{spec: {{{node}, containers: [{{name: c, image: x}}, {{name: d}}]}}}}}}\n"
            );
            let found = read(FileId(0), &text).acts.into_iter().map(|act| match act.does {
                Does::Launch(l) => *l,
                other => panic!("{other:?}"),
            });
            found.collect::<Vec<_>>()
        };
        let states = |launches: &[Launch]| launches.iter().map(|l| (l.open, l.idle)).collect::<Vec<_>>();
        let deployed = show_of("Deployment", "");
        assert_eq!(states(&deployed), [(false, false), (true, false)], "a container without an image is a patch");
        assert_eq!(deployed[0].object, Some(Object { kind: "Deployment".to_owned(), name: "n".to_owned() }));
        assert_eq!(states(&show_of("Deployment", "replicas: 0,")), [(false, true), (true, true)]);
        for kind in ["TrainingRuntime", "ClusterTrainingRuntime", "ServingRuntime", "PodTemplate", "Whatever"] {
            let template = show_of(kind, "");
            assert_eq!(states(&template), [(true, true), (true, false)], "{kind}");
            assert!(template.iter().all(|l| l.gpu_node.is_none()), "{kind}");
        }
    }

    #[test]
    fn a_gpu_node_is_asked_for_one_container() {
        let node = "nodeSelector: {pool: gpu}";
        let gpu = "resources: {limits: {nvidia.com/gpu: 1}}";
        for (kind, pod, shown) in [
            ("Pod", format!("{node}, containers: [{{name: a, image: x}}, {{name: b, image: y}}]"), ["a no []", "b no []"]),
            (
                "Pod",
                format!("{node}, containers: [{{name: a, image: x}}, {{name: b, image: 'y:cuda'}}]"),
                ["a no []", "b no [gpu]"],
            ),
            (
                "Pod",
                format!("{node}, containers: [{{name: a, image: x}}, {{name: b, image: y, {gpu}}}]"),
                ["a no [] open", "b nvidia.com/gpu: 1 []"],
            ),
            (
                "Pod",
                format!("{node}, initContainers: [{{name: a, image: x}}], containers: [{{name: b, image: y}}]"),
                ["init:a no [] open", "b no [gpu]"],
            ),
            (
                "Pod",
                format!("{node}, initContainers: [{{name: a, image: x, {gpu}}}], containers: [{{name: b, image: y}}]"),
                ["init:a nvidia.com/gpu: 1 [] open", "b no [] open"],
            ),
            (
                "DaemonSet",
                format!("{node}, containers: [{{name: a, image: x}}, {{name: b, image: 'y:cuda'}}]"),
                ["a no []", "b no []"],
            ),
        ] {
            let found = show(&format!("apiVersion: v1\nkind: {kind}\nspec: {{{pod}}}\n"));
            let found: Vec<_> = found
                .iter()
                .map(|s| {
                    let (name, rest) = s.split_once(" [name: ").expect("a name");
                    let rest = rest.split_once("] ").expect("an end").1.replace(" |", "");
                    format!("{name} {rest}")
                })
                .collect();
            assert_eq!(found, shown, "{pod}");
        }
    }

    #[test]
    fn containers_and_templates() {
        let text = "apiVersion: v1\nkind: Pod\nspec:\n  initContainers:\n    - name: a\n      image: x\n  containers:\n    - image: {{ .Values.i }}:{{ .Values.t }}\n      name: b\n      command: [python]\n      args: ['--device', cuda]\n{{- if .Values.gpu }}\n      resources:\n        limits:\n          nvidia.com/gpu: {{ .n }}\n{{- end }}\n";
        assert_eq!(
            show(text),
            [
                "init:a [name: a] no [] | open",
                "b [image: {{ .Values.i }}:{{ .Values.t }}] nvidia.com/gpu: {{ .n }} [] python|--device cuda open"
            ]
        );
        for text in [
            "",
            "apiVersion: v1\nkind: Pod\nspec: {containers: [1, {}, []]}",
            "apiVersion: v1\nkind: P\nspec: &a {containers: [*a]}",
        ] {
            show(text);
        }
    }
}
