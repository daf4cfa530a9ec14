//! Compose files: every service is a launch.

use super::container::{by_default, is_gpu_device, is_other_gpu, mount, stretches, variables, words};
use super::started::PutInBy;
use super::syntax::interpolation::node_text;
use super::syntax::yaml::{Node, Tree};
use super::{gpu_request, inline, started};
use crate::outline::{
    Act, BuildOf, Does, Extends, GpuRequest, How, Include, Launch, Launcher, Mount, Outline, Scope, Terms, Text, Variable, When,
};
use crate::source::{FileId, Span};

/// Keys that Compose knows (<https://github.com/compose-spec/compose-spec/blob/main/schema/compose-spec.json>); with
/// others it refuses a file.
const TOP_KEYS: &[&str] = &["version", "name", "include", "services", "models", "networks", "volumes", "secrets", "configs"];
/// Those of a service.
const SERVICE_KEYS: &[&str] = &[
    "annotations",
    "attach",
    "blkio_config",
    "build",
    "cap_add",
    "cap_drop",
    "cgroup",
    "cgroup_parent",
    "command",
    "configs",
    "container_name",
    "cpu_count",
    "cpu_percent",
    "cpu_period",
    "cpu_quota",
    "cpu_rt_period",
    "cpu_rt_runtime",
    "cpu_shares",
    "cpus",
    "cpuset",
    "credential_spec",
    "depends_on",
    "deploy",
    "develop",
    "device_cgroup_rules",
    "devices",
    "dns",
    "dns_opt",
    "dns_search",
    "domainname",
    "entrypoint",
    "env_file",
    "environment",
    "expose",
    "extends",
    "external_links",
    "extra_hosts",
    "gpus",
    "group_add",
    "healthcheck",
    "hostname",
    "image",
    "init",
    "ipc",
    "isolation",
    "label_file",
    "labels",
    "links",
    "logging",
    "mac_address",
    "mem_limit",
    "mem_reservation",
    "mem_swappiness",
    "memswap_limit",
    "models",
    "network_mode",
    "networks",
    "oom_kill_disable",
    "oom_score_adj",
    "pid",
    "pids_limit",
    "platform",
    "ports",
    "post_start",
    "pre_stop",
    "privileged",
    "profiles",
    "provider",
    "pull_policy",
    "pull_refresh_after",
    "read_only",
    "restart",
    "runtime",
    "scale",
    "secrets",
    "security_opt",
    "shm_size",
    "stdin_open",
    "stop_grace_period",
    "stop_signal",
    "storage_opt",
    "sysctls",
    "tmpfs",
    "tty",
    "ulimits",
    "use_api_socket",
    "user",
    "userns_mode",
    "uts",
    "volume_driver",
    "volumes",
    "volumes_from",
    "working_dir",
];

/// Services of a file that are looked at to tell whether it is a compose file.
const TOLD_BY: usize = 100;

/// Behind so many bytes a text may be cut off.
const CUT: usize = 60 << 10;

/// Whether a file of no compose name, which speaks of services and images, is one that Compose would take.
pub(super) fn may_be(path: &str, head: &str) -> bool {
    let mut parts = path.rsplit('/');
    let chart = parts.next().is_some_and(|name| name.starts_with("values")) || parts.any(|folder| folder == "templates");
    let tree = Tree::read(FileId(0), head);
    let fits = |keys: &[&str], node: Node<'_>| {
        let names = node.entries().into_iter().filter_map(|(key, _)| key.text());
        names.into_iter().all(|key| key.starts_with("x-") || keys.contains(&key))
    };
    // The last lines of a head may be cut.
    let is_whole = |node: Node<'_>| head.len() < CUT || node.at().range().end < CUT;
    let is_one = |root: Node<'_>| {
        let services = root.get("services").map(Node::entries).unwrap_or_default();
        let mut whole = services.iter().take(TOLD_BY).map(|(_, service)| *service).filter(|service| is_whole(*service));
        !services.is_empty()
            && fits(TOP_KEYS, root)
            && whole.all(|service| service.is_null() || service.is_map() && fits(SERVICE_KEYS, service))
    };
    !chart && tree.documents().any(is_one)
}

/// Services that may stand on one another through `extends`.
const EXTENDS_LIMIT: usize = 16;

/// Reads a compose file.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let (mut acts, mut comments): (Vec<Act>, Vec<_>) = (Vec::new(), Vec::new());
    // Each service with what its command does.
    let mut launches: Vec<Vec<Act>> = Vec::new();
    for root in tree.documents() {
        acts.extend(root.get("include").into_iter().flat_map(included));
        let Some(services) = root.get("services") else { continue };
        let entries = services.entries();
        let stretches = stretches(&entries, text.len());
        // With one such key none of its services is started: the first one says so.
        let mut of_file = if tree.is_torn_in(&root.at().range()) { Vec::new() } else { gpu_request::compose::of_file(root) };
        for ((key, node), stretch) in entries.iter().zip(stretches) {
            if !node.is_map() {
                continue;
            }
            let mut service = Service::new(*node, services);
            let torn = tree.is_torn_in(&stretch);
            service.open |= torn;
            let at = key.at().to(node.at());
            comments.extend(node.path(&["build", "dockerfile_inline"]).map(inline::comments).unwrap_or_default());
            let nodes: Vec<_> = ["entrypoint", "command"].iter().filter_map(|key| service.get(key)).collect();
            let mut started = started::read(file, &nodes, PutInBy::Compose);
            comments.append(&mut started.comments);
            let mut launch = service.launch(*key);
            if !torn {
                launch.malformed = gpu_request::compose::of_service(*node);
            }
            launch.malformed.append(&mut of_file);
            if let (GpuRequest::None, Some(malformed)) = (&launch.gpu, launch.malformed.first()) {
                launch.by_hook(malformed.at);
            }
            // The other file is read as one, whatever its name.
            acts.extend(launch.extends.iter().map(|base| take_in(base.file.clone())));
            let act = Act { at, when: When::default(), does: Does::Launch(Box::new(launch)) };
            launches.push([act].into_iter().chain(started.acts).collect());
        }
    }
    launches.extend(acts.into_iter().map(|act| vec![act]));
    launches.sort_by_key(|acts| acts[0].at);
    tree.outline(launches.concat(), comments)
}

/// A service with those that it extends, itself first.
struct Service<'a> {
    layers: Vec<Node<'a>>,
    /// Of another file, that which the last of them stands on.
    extends: Option<Extends>,
    open: bool,
}

impl<'a> Service<'a> {
    fn new(node: Node<'a>, services: Node<'a>) -> Self {
        let mut service = Self { layers: vec![node], extends: None, open: node.is_open() };
        let mut last = node;
        while let Some(extends) = last.get("extends") {
            let name = extends.text().or_else(|| extends.get("service")?.text());
            let file = extends.get("file").and_then(node_text);
            if let (Some(name), Some(file)) = (name, file.filter(|file| file.known().is_some())) {
                service.extends = Some(Extends { file, service: name.to_owned() });
                break;
            }
            let here = extends.get("file").is_none();
            match name.filter(|_| here).and_then(|n| services.get(n)) {
                Some(base) if base.is_map() && service.layers.len() < EXTENDS_LIMIT => {
                    service.open |= base.is_open();
                    service.layers.push(base);
                    last = base;
                }
                _ => {
                    service.open = true;
                    break;
                }
            }
        }
        service
    }

    fn get(&self, key: &str) -> Option<Node<'a>> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    /// Those of a service that it stands on are not its own.
    fn profiles(&self) -> Vec<String> {
        let own = self.layers.first().and_then(|layer| layer.get("profiles")).map(Node::items).unwrap_or_default();
        own.into_iter().filter_map(|profile| profile.text().map(str::to_owned)).collect()
    }

    fn launch(mut self, key: Node<'_>) -> Launch {
        let build = self.get("build").and_then(|b| self.build(b));
        let environments = self.layers.iter().rev().filter_map(|l| l.get("environment"));
        let environment: Vec<_> = environments.flat_map(|n| variables(n, Scope::Environment)).collect();
        let (gpu, unchecked, terms) = self.gpu(&environment);
        // The service's own is the one of those it is built for that it runs on.
        let built_for = || Some(self.get("build")?.get("platforms")?.items().into_iter().filter_map(node_text).collect());
        let platform = self.get("platform").and_then(node_text).map(|platform| vec![platform]);
        let platforms = platform.or_else(built_for).unwrap_or_default();
        let of = |key: &str| self.get(key).map(words);
        let command = of("command").unwrap_or_default();
        let entrypoint = self.get("entrypoint").filter(|n| !n.is_null()).map(words);
        Launch {
            by: Launcher::Compose,
            name: key.text().map(str::to_owned),
            key: key.at(),
            image: self.get("image").and_then(node_text),
            build,
            platforms,
            gpu,
            terms,
            malformed: Vec::new(),
            unchecked,
            idle: self.has_no_replicas() || Launch::only_tells(entrypoint.as_deref(), &command),
            command,
            entrypoint,
            mounts: self.mounts(),
            shares_files: false,
            folder: self.get("working_dir").and_then(node_text),
            extends: self.extends.clone(),
            profiles: self.profiles(),
            environment,
            environment_files: self.get("env_file").map(files).unwrap_or_default(),
            unread_environment: false,
            config_maps: Vec::new(),
            pod: None,
            object: None,
            gpu_node: None,
            nodes: Vec::new(),
            open: self.open,
            made: false,
        }
    }

    /// Those of a service that it stands on are its own, too.
    fn mounts(&self) -> Vec<Mount> {
        let all = self.layers.iter().rev().filter_map(|layer| layer.get("volumes")).flat_map(Node::items);
        let mount = |volume: Node<'_>| match volume.is_map() {
            true if volume.get("type").and_then(Node::text) == Some("bind") => {
                Some(Mount { from: volume.get("source").and_then(node_text)?, to: volume.get("target").and_then(node_text)? })
            }
            true => None,
            false => mount(&node_text(volume)?),
        };
        all.filter_map(mount).collect()
    }

    fn has_no_replicas(&self) -> bool {
        let replicas = || self.layers.iter().find_map(|layer| layer.path(&["deploy", "replicas"]));
        self.get("scale").or_else(replicas).and_then(Node::text) == Some("0")
    }

    fn build(&mut self, node: Node<'a>) -> Option<BuildOf> {
        if !node.is_map() || node.is_template() {
            return node_text(node).map(BuildOf::of);
        }
        let inline = match node.get("dockerfile_inline").map(inline::read) {
            None => None,
            Some(Some(inline)) => Some(Box::new(inline)),
            Some(None) => {
                self.open = true;
                return None;
            }
        };
        let of = |key: &str| node.get(key).and_then(node_text);
        Some(BuildOf {
            context: of("context").unwrap_or_else(|| Text::literal(".", node.at())),
            dockerfile: of("dockerfile"),
            inline,
            target: of("target"),
            arguments: node.get("args").map(|n| variables(n, Scope::Arg)).unwrap_or_default(),
            unread_arguments: node.is_open() || node.get("args").is_some_and(Node::is_open),
            contexts: node.get("additional_contexts").map(contexts).unwrap_or_default(),
        })
    }

    /// Its request for a GPU, whether nothing asks then what the image demands, and what it says besides; a variable may hide all
    /// from the `nvidia` runtime.
    fn gpu(&mut self, environment: &[Variable]) -> (GpuRequest, bool, Terms) {
        let hidden = Launch::hides_gpus(environment);
        let mut declined = false;
        // Where, and whether as a device.
        let mut asked: Vec<(Span, bool)> = Vec::new();
        let mut other: Option<Span> = None;
        // Those that say of what GPUs they are.
        let mut requests: Vec<Node<'_>> = Vec::new();
        let mut by_runtime = 0;
        for layer in self.layers.clone() {
            if let Some((key, value)) = layer.pair("gpus") {
                let text = node_text(value);
                match text.as_ref().map(|t| (t, by_default(t))) {
                    Some((t, None)) => self.open |= t.known().is_none(),
                    Some((_, Some(count))) if count == "0" || count.is_empty() => {}
                    Some(_) => asked.push((key.at().to(value.at()), false)),
                    None if !value.items().is_empty() => {
                        asked.push((key.at().to(value.at()), value.items().into_iter().all(is_cdi)));
                        requests.extend(value.items());
                    }
                    None => {}
                }
            }
            if let Some((key, value)) = layer.pair("runtime")
                && let Some(text) = node_text(value)
            {
                self.open |= text.known().is_none();
                match by_default(&text).as_deref() == Some("nvidia") {
                    true if hidden => declined = true,
                    true => {
                        by_runtime += 1;
                        asked.push((key.at().to(value.at()), Launch::names_devices(environment)));
                    }
                    false => {}
                }
            }
            let reservations = layer.path(&["deploy", "resources", "reservations"]);
            let devices = reservations.and_then(|r| r.get("devices")).into_iter().chain(layer.get("device_requests"));
            let devices: Vec<Node<'_>> = devices.flat_map(Node::items).filter(|d| is_gpu_request(*d)).collect();
            asked.extend(devices.iter().map(|d| (d.at(), is_cdi(*d))));
            requests.extend(devices);
            let generic = reservations.and_then(|r| r.get("generic_resources")).into_iter().flat_map(Node::items);
            let kind = |g: Node<'_>| g.path(&["discrete_resource_spec", "kind"]).and_then(Node::text).map(str::to_lowercase);
            asked.extend(generic.filter(|g| kind(*g).is_some_and(|k| k.contains("gpu"))).map(|g| (g.at(), false)));
            for device in layer.get("devices").into_iter().flat_map(Node::items) {
                let source = device.get("source").unwrap_or(device);
                match node_text(source) {
                    Some(text) if by_default(&text).is_some_and(|t| is_gpu_device(&t)) => asked.push((device.at(), true)),
                    Some(text) if by_default(&text).is_some_and(|t| is_other_gpu(&t)) => other = other.or(Some(device.at())),
                    Some(text) => self.open |= text.known().is_none(),
                    None => {}
                }
            }
            let unread = ["deploy", "gpus", "runtime", "devices", "device_requests"];
            let mut inner = unread.iter().filter_map(|k| layer.get(k)).chain(reservations);
            self.open |= inner.any(Node::is_open);
        }
        let request = match (asked.first(), other) {
            (Some((at, _)), _) => GpuRequest::Asked(*at),
            (None, Some(at)) => GpuRequest::Optional(at),
            (None, None) if declined => GpuRequest::Declined,
            (None, None) => GpuRequest::None,
        };
        let by_device = !asked.is_empty() && asked.iter().all(|(_, by_device)| *by_device);
        let mut terms = match requests.as_slice() {
            [request] if asked.len() == 1 + by_runtime => terms(*request),
            _ => Terms { by_runtime: !by_device && by_runtime > 0 && asked.len() == by_runtime, ..Terms::default() },
        };
        terms.privileged = self.get("privileged").is_some_and(|privileged| privileged.text() != Some("false"));
        (request, by_device, terms)
    }
}

/// `include: [a.yaml, {path: [b.yaml, c.yaml]}]`.
fn included(node: Node<'_>) -> Vec<Act> {
    let items = if node.is_list() { node.items() } else { vec![node] };
    let paths = items.into_iter().flat_map(|item| {
        let path = item.get("path").unwrap_or(item);
        if path.is_list() { path.items() } else { vec![path] }
    });
    let paths = paths.filter_map(node_text);
    paths.map(take_in).collect()
}

fn take_in(path: Text) -> Act {
    Act { at: path.at, when: When::default(), does: Does::Include(Include { path, how: How::Compose }) }
}

/// `env_file: a`, `[a, b]`, `[{path: a, required: false}]`.
fn files(node: Node<'_>) -> Vec<Text> {
    let items = if node.is_list() { node.items() } else { vec![node] };
    items.into_iter().filter_map(|item| node_text(item.get("path").unwrap_or(item))).collect()
}

/// A device request for devices by their names in CDI.
fn is_cdi(device: Node<'_>) -> bool {
    device.get("driver").and_then(Node::text) == Some("cdi")
}

/// What one request for devices says.
fn terms(request: Node<'_>) -> Terms {
    let texts = |key: &str| request.get(key).map(|list| list.items().into_iter().map(Node::text).collect::<Vec<_>>());
    let devices = texts("device_ids").filter(|ids| !ids.is_empty()).map(|ids| ids.len());
    let capabilities = texts("capabilities").unwrap_or_default();
    Terms::of(request.get("count").and_then(Node::text), devices, capabilities.into_iter().flatten())
}

/// A device request with `capabilities: [gpu]` (or a list in the list), the nvidia driver, or a CDI device.
fn is_gpu_request(device: Node<'_>) -> bool {
    let zero = device.get("count").and_then(Node::text) == Some("0");
    let capabilities = device.get("capabilities").into_iter().flat_map(Node::items);
    let mut capabilities = capabilities.flat_map(|c| if c.is_list() { c.items() } else { vec![c] });
    let gpu = capabilities.any(|c| c.text().is_some_and(|t| t == "gpu" || t.starts_with("nvidia")));
    let nvidia = device.get("driver").and_then(Node::text) == Some("nvidia");
    let mut ids = device.get("device_ids").into_iter().flat_map(Node::items);
    !zero && (gpu || nvidia || (is_cdi(device) && ids.any(|i| i.text().is_some_and(is_gpu_device))))
}

/// What takes the place of stages and images, by name: a map, or a list of `name=what`.
fn contexts(node: Node<'_>) -> Vec<(String, Text)> {
    let named = variables(node, Scope::Arg).into_iter();
    named.filter_map(|context| Some((context.name, context.value?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(text: &str) -> Vec<(Act, Launch)> {
        let acts = read(FileId(0), text).acts.into_iter();
        // What a container's own command does stands between them.
        let launch = |act: Act| match act.does.clone() {
            Does::Launch(launch) => Some((act, *launch)),
            Does::Enter(_) | Does::Leave(_) | Does::OnCuda => None,
            other => panic!("{other:?}"),
        };
        acts.filter_map(launch).collect()
    }

    fn gpu(service: &str) -> String {
        let text = format!("services:\n  s:\n    image: x\n    {service}\n");
        let (_, launch) = launches(&text).pop().expect("a service");
        match launch.gpu {
            GpuRequest::Asked(at) => text[at.range()].split_whitespace().collect::<Vec<_>>().join(" "),
            GpuRequest::Optional(at) => format!("perhaps {}", &text[at.range()]),
            _ if launch.idle => "idle".to_owned(),
            _ if launch.open => "open".to_owned(),
            _ => "no".to_owned(),
        }
    }

    #[test]
    fn gpu_forms() {
        for (service, asked) in [
            ("ports: [1]", "no"),
            ("gpus: all", "gpus: all"),
            ("gpus: [{driver: nvidia, count: 1}]", "gpus: [{driver: nvidia, count: 1}]"),
            ("gpus: ${GPUS:-all}", "gpus: ${GPUS:-all}"),
            ("gpus: ${GPUS}", "open"),
            ("runtime: nvidia", "runtime: nvidia"),
            ("runtime: runc", "no"),
            ("runtime: ${R}", "open"),
            ("deploy: {resources: {reservations: {devices: [{capabilities: [gpu]}]}}}", "{capabilities: [gpu]}"),
            (
                "deploy: {resources: {reservations: {devices: [{driver: nvidia, capabilities: [[compute, gpu]]}]}}}",
                "{driver: nvidia, capabilities: [[compute, gpu]]}",
            ),
            (
                "deploy: {resources: {reservations: {devices: [{driver: cdi, device_ids: [nvidia.com/gpu=all]}]}}}",
                "{driver: cdi, device_ids: [nvidia.com/gpu=all]}",
            ),
            ("deploy: {resources: {reservations: {devices: [{count: 0, capabilities: [gpu]}]}}}", "no"),
            ("deploy: {resources: {reservations: {devices: [{capabilities: [tpm]}]}}}", "no"),
            (
                "deploy: {resources: {reservations: {generic_resources: [{discrete_resource_spec: {kind: 'NVIDIA-GPU', value: 0}}]}}}",
                "{discrete_resource_spec: {kind: 'NVIDIA-GPU', value: 0}}",
            ),
            ("device_requests: [{driver: nvidia, capabilities: [[gpu]]}]", "{driver: nvidia, capabilities: [[gpu]]}"),
            ("devices: [\"nvidia.com/gpu=all\"]", "\"nvidia.com/gpu=all\""),
            ("devices: [\"/dev/nvidia0:/dev/nvidia0\"]", "\"/dev/nvidia0:/dev/nvidia0\""),
            ("devices: [/dev/kfd, /dev/dri]", "perhaps /dev/kfd"),
            ("devices: ['/dev/dri:/dev/dri', '/dev/nvidia0']", "'/dev/nvidia0'"),
            ("devices: [/dev/fuse]", "no"),
            ("scale: 0", "idle"),
            ("deploy: {replicas: 0}", "idle"),
            ("deploy: {replicas: 1}", "no"),
            ("command: --help", "idle"),
            ("command: [serve, --helpful]", "no"),
            ("<<: *unknown", "open"),
            ("extends: {file: '${A}.yml', service: b}", "open"),
            ("extends: nowhere", "open"),
            ("deploy: {{ x }}", "open"),
            ("environment: {NVIDIA_VISIBLE_DEVICES: all}", "no"),
        ] {
            assert_eq!(gpu(service), asked, "{service}");
        }
    }

    #[test]
    fn a_service() {
        let text = "x-e: &e {A: 1, B: 2}\nx-gpu: &g\n  runtime: nvidia\nservices:\n  base:\n    image: \"b:${T:-1}\"\n    environment: [C=3]\n\
                    \x20 s:\n    <<: *g\n    extends: {service: base}\n    build: {context: ., dockerfile: D, target: t, args: [X=1, Y]}\n\
                    \x20   command: python -m a --device cuda\n    entrypoint: [\"sh\", \"-c\"]\n    environment: {<<: *e, B: 4}\n    profiles: [gpu, all]\n\
                    \x20 t:\n    build: ./t\n";
        let all = launches(text);
        assert_eq!(all.len(), 3);
        let (_, s) = &all[1];
        let at = |t: &Text| text[t.at.range()].to_owned();
        assert_eq!(s.profiles, ["gpu", "all"]);
        assert_eq!((&text[s.key.range()], s.name.as_deref(), s.open), ("s", Some("s"), false));
        assert_eq!(s.image.as_ref().map(at).as_deref(), Some("b:${T:-1}"));
        assert!(matches!(s.gpu, GpuRequest::Asked(at) if &text[at.range()] == "runtime: nvidia"));
        assert_eq!(s.command.iter().map(at).collect::<Vec<_>>(), ["python", "-m", "a", "--device", "cuda"]);
        assert_eq!(s.entrypoint.as_ref().map(Vec::len), Some(2));
        let environment: Vec<_> =
            s.environment.iter().map(|v| format!("{}={}", v.name, v.value.as_ref().map(at).unwrap_or_default())).collect();
        assert_eq!(environment, ["C=3", "B=4", "A=1"]);
        let build = s.build.as_ref().expect("a build");
        assert_eq!(
            [Some(&build.context), build.dockerfile.as_ref(), build.target.as_ref()].map(|t| t.map(at)),
            [".", "D", "t"].map(|t| Some(t.to_owned()))
        );
        assert_eq!(build.arguments.iter().map(|v| v.value.is_some()).collect::<Vec<_>>(), [true, false]);
        let files = |of: &str| {
            let (_, launch) = launches(&format!("services:\n  a:\n    image: x\n    env_file: {of}\n")).remove(0);
            launch.environment_files.iter().filter_map(Text::known).collect::<Vec<_>>().join(" ")
        };
        assert_eq!((files(".env").as_str(), files("[a, {path: b, required: false}]").as_str()), (".env", "a b"));
        assert_eq!(all[2].1.build.as_ref().map(|b| at(&b.context)).as_deref(), Some("./t"));
    }

    #[test]
    fn odd_files() {
        for text in [
            "",
            "services:\n",
            "services: [a]\n",
            "services: {a: }\n",
            "services: {a: {extends: a}}\n",
            "- x\n",
            "services:\n  a: &a\n    <<: *a\n",
        ] {
            read(FileId(0), text);
        }
        let half = launches("services:\n  a:\n    image: x\n    dep\n  b:\n    image: y\n");
        assert_eq!(half.iter().map(|(_, l)| l.open).collect::<Vec<_>>(), [true, false]);
    }
}
