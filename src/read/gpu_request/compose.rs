//! What Compose refuses of a service's request for a GPU; then nothing of the file is started. Sources:
//! <https://github.com/compose-spec/compose-go/blob/e70e961c3a3acebf0800b882f1afb3dbf1fb74a2/schema/compose-spec.json>, which every file
//! is held against with those before it, and `validation/validation.go` and `types/device.go` beside it.

use crate::outline::{Malformed, Misread, Takes, Within};
use crate::read::container::is_gpu_device;
use crate::read::syntax::yaml::{Node, Style};

/// Those that hold a request somewhere below.
const AROUND: &[&str] = &["deploy", "resources", "reservations", "limits"];
/// How deep a request stands below such a key.
const DEPTH: usize = 4;

/// What is asked for beside the services.
pub(in crate::read) fn of_file(root: Node<'_>) -> Vec<Malformed> {
    let mut found = Vec::new();
    misplaced(root, Within::File, &[], &mut found);
    let services = root.get("services");
    let scalars = services.map(Node::entries).unwrap_or_default().into_iter();
    // A service is a map.
    let scalars = scalars.filter(|(key, value)| matches!(key.text(), Some("gpus" | "runtime")) && is_plain(*value));
    found.extend(scalars.map(|(key, value)| at(key, value, Misread::Misplaced { key: text(key), within: Within::Services })));
    found
}

/// What a service asks for; what stands in one that it extends is said of that.
pub(in crate::read) fn of_service(service: Node<'_>) -> Vec<Malformed> {
    let mut found = Vec::new();
    misplaced(service, Within::Service, &["gpus", "runtime", "devices", "deploy"], &mut found);
    if let Some(build) = service.get("build") {
        misplaced(build, Within::Build, &[], &mut found);
    }
    if let Some((key, value)) = service.pair("gpus") {
        gpus(key, value, &mut found);
    }
    for device in service.get("devices").map(Node::items).unwrap_or_default() {
        let own = |key: &&&str| device.get(key).is_some();
        if let Some(key) = ["driver", "capabilities", "device_ids"].iter().find(own) {
            found.push(Malformed { at: device.at(), how: Misread::Misplaced { key: (*key).to_owned(), within: Within::Device } });
        }
    }
    let Some(deploy) = service.get("deploy") else { return found };
    misplaced(deploy, Within::Deploy, &["resources"], &mut found);
    let Some(resources) = deploy.get("resources") else { return found };
    misplaced(resources, Within::Resources, &["limits", "reservations"], &mut found);
    if let Some(limits) = resources.get("limits") {
        misplaced(limits, Within::Limits, &[], &mut found);
    }
    let Some(reservations) = resources.get("reservations") else { return found };
    misplaced(reservations, Within::Reservations, &["devices"], &mut found);
    if let Some((key, value)) = reservations.pair("devices") {
        devices(key, value, &mut found);
    }
    found
}

/// Keys that ask for a GPU in a map that takes only these of them.
fn misplaced(map: Node<'_>, within: Within, takes: &[&str], found: &mut Vec<Malformed>) {
    for (key, value) in map.entries() {
        let Some(name) = key.text() else { continue };
        let asks = asks(name, value) || AROUND.contains(&name) && asks_below(value, DEPTH);
        if asks && !takes.contains(&name) {
            found.push(at(key, value, Misread::Misplaced { key: name.to_owned(), within }));
        }
    }
}

/// Whether a key asks for a GPU, or is thought to, or is a part of what does.
fn asks(name: &str, value: Node<'_>) -> bool {
    let names = |of: &[&str]| value.items().into_iter().any(|item| item.text().is_some_and(|item| of.contains(&item)));
    match name {
        "gpus" | "gpu" | "device_requests" | "nvidia.com/gpu" | "device_ids" => true,
        "runtime" => value.text().is_some_and(|value| value.starts_with("nvidia")),
        "capabilities" => names(&["gpu", "nvidia"]),
        "devices" => value.items().into_iter().any(|device| device.is_map() || device.text().is_some_and(is_gpu_device)),
        _ => false,
    }
}

/// Whether a map holds a request for a GPU.
fn asks_below(node: Node<'_>, depth: usize) -> bool {
    let mut entries = node.entries().into_iter().filter_map(|(key, value)| Some((key.text()?, value)));
    depth > 0 && entries.any(|(name, value)| asks(name, value) || AROUND.contains(&name) && asks_below(value, depth - 1))
}

/// `gpus: all`, or a list.
fn gpus(key: Node<'_>, value: Node<'_>, found: &mut Vec<Malformed>) {
    let requests = value.items();
    let scalar = is_plain(value) && value.text() != Some("all");
    if scalar || is_own_map(value) || requests.iter().any(|request| is_plain(*request)) {
        found.push(at(key, value, Misread::Form { key: text(key), takes: Takes::AllOrRequests }));
    }
    requests.into_iter().filter(|request| request.is_map()).for_each(|request| parts(request, found));
}

/// `deploy.resources.reservations.devices`.
fn devices(key: Node<'_>, value: Node<'_>, found: &mut Vec<Malformed>) {
    if is_own_map(value) || is_plain(value) || value.items().into_iter().any(is_plain) {
        found.push(at(key, value, Misread::Form { key: text(key), takes: Takes::Requests }));
        return;
    }
    let requests = || value.items().into_iter().filter(|request| request.is_map() && is_gpu(*request));
    // One request that was cut into several lacks it in most of them.
    let bare = requests().find(|request| request.get("capabilities").is_none() && !request.is_open());
    found.extend(bare.map(|request| Malformed { at: request.at(), how: Misread::NoCapabilities }));
    for request in requests() {
        let known = ["capabilities", "count", "device_ids", "driver", "options"];
        for (key, value) in request.entries() {
            if key.text().is_some_and(|name| !known.contains(&name) && !name.starts_with("x-")) {
                found.push(at(key, value, Misread::Misplaced { key: text(key), within: Within::DeviceRequest }));
            }
        }
        parts(request, found);
    }
}

/// Whether it is not for devices of another kind.
fn is_gpu(request: Node<'_>) -> bool {
    let driver = request.get("driver").map(|driver| driver.text().unwrap_or_default());
    let named = driver.is_none_or(|driver| ["nvidia", "cdi", "gpu", "amd"].iter().any(|of| driver.contains(of)));
    let capabilities = request.get("capabilities").map(Node::items).unwrap_or_default();
    let of_gpu = |one: &Node<'_>| one.text().is_none_or(|one| one == "gpu" || one.starts_with("nvidia"));
    named && (capabilities.is_empty() || driver.is_some() || capabilities.iter().any(of_gpu))
}

/// The parts of one request.
fn parts(request: Node<'_>, found: &mut Vec<Malformed>) {
    let form = |key: Node<'_>, value, takes| at(key, value, Misread::Form { key: text(key), takes });
    for name in ["capabilities", "device_ids"] {
        let Some((key, value)) = request.pair(name) else { continue };
        if is_plain(value) || is_own_map(value) {
            found.push(form(key, value, Takes::List));
        } else if value.items().into_iter().any(|item| is_number(item) || item.is_list()) {
            found.push(form(key, value, Takes::Texts));
        }
    }
    let count = request.pair("count");
    if let Some((key, value)) = count
        && is_plain(value)
        && value.text().is_some_and(|count| !count.eq_ignore_ascii_case("all") && count.parse::<i64>().is_err())
    {
        found.push(form(key, value, Takes::Count));
    }
    if count.is_some() && request.get("device_ids").is_some() {
        found.push(Malformed { at: request.at(), how: Misread::CountAndIds });
    }
}

fn at(key: Node<'_>, value: Node<'_>, how: Misread) -> Malformed {
    // A map's lines say more than is wrong.
    let whole = is_plain(value);
    Malformed { at: if whole { key.at().to(value.at()) } else { key.at() }, how }
}

fn text(key: Node<'_>) -> String {
    key.text().unwrap_or_default().to_owned()
}

/// A scalar that says what it says: nothing is put into it, and it is not left out.
fn is_plain(node: Node<'_>) -> bool {
    node.text().is_some_and(|text| !text.contains(['$', '{', '<', '%'])) && !node.is_null()
}

/// A map that no template writes.
fn is_own_map(node: Node<'_>) -> bool {
    node.is_map() && !node.is_template()
}

/// What YAML takes for a number, where a text is wanted.
fn is_number(node: Node<'_>) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    node.style() == Some(Style::Plain) && node.text().is_some_and(digits)
}
