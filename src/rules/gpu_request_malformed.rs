use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Evidence, Holds, Join, Launched, Reason};
use crate::knowledge::Basis;
use crate::outline::{Launcher, Misread, Takes, Within};

pub(super) static RULE: Rule = Rule {
    name: "gpu-request-malformed",
    level: Severity::Error,
    page: include_str!("../../rules/gpu-request-malformed.md"),
    needs: Needs::Nothing,
    check: Check::Launch(check),
};

fn check(launch: &Launched<'_>, out: &mut Out) {
    for malformed in &launch.malformed {
        let place =
            Evidence { at: malformed.at, reason: Reason::Here, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated };
        let level = match malformed.how {
            // Docker gives other GPUs; a cluster of a vendor's own may give out parts.
            Misread::Unquoted { taken: true, .. } | Misread::Fraction { .. } => Severity::Warning,
            _ => Severity::Error,
        };
        let (message, help) = words(launch.by, &malformed.how);
        out.push(Clash::new(Holds::Always, message, vec![place]).help(help).at_most(level));
    }
}

/// What is wrong, and what to write.
fn words(by: Launcher, how: &Misread) -> (String, String) {
    match how {
        Misread::OneWord { option, value } => {
            let value = value.as_deref().unwrap_or("…");
            let help = format!("write two arguments, \"{option}\" and \"{value}\", or \"{option}={value}\"");
            (format!("`{option} {value}` is one argument, which docker takes for the name of an option"), help)
        }
        Misread::NoOption(name) => (format!("`docker run` has no option `{name}`"), "write --gpus all".to_owned()),
        Misread::NotOfBuild(name) => (
            format!("`docker build` has no option `{name}`"),
            "drop it: a build gets no GPU; ask for one where the image is run, with docker run --gpus all".to_owned(),
        ),
        Misread::Unquoted { value, list, count, taken } => {
            let but = if *taken { "gives other GPUs than are meant" } else { "refuses it" };
            let message = format!("docker parts `--gpus {value}` at its commas, takes `{count}` for a count of GPUs, and {but}");
            (message, format!("quote the list within the argument: {}", quoted(by, list)))
        }
        Misread::Value(value) => (
            format!("docker cannot read `{value}` as a request for GPUs"),
            format!("write all, a whole number, device=0, or a list with quotes of its own: {}", quoted(by, "device=0,1")),
        ),
        Misread::Misplaced { key, within } => misplaced(by, key, *within),
        Misread::NoCapabilities => {
            ("Compose refuses a device request without capabilities".to_owned(), "add capabilities: [gpu] to the same entry".to_owned())
        }
        Misread::CountAndIds => (
            "Compose refuses a device request with both count and device_ids".to_owned(),
            "keep device_ids to choose GPUs, or count for a number of them".to_owned(),
        ),
        Misread::Form { key, takes } => form(by, key, *takes),
        Misread::NoLimit { resource, request } => (
            format!("Kubernetes refuses a request for {request} {resource} without a limit"),
            format!("write it under limits: {resource}: {request}; the request is then the same"),
        ),
        Misread::Unequal { resource, request, limit } => (
            format!("Kubernetes refuses a request for {request} {resource} with a limit of {limit}: they must be equal"),
            format!("write only the limit: {resource}: {limit}"),
        ),
        Misread::Fraction { resource, count } => (
            format!("Kubernetes gives {resource} in whole numbers, not {count}"),
            "write a whole number; parts of a GPU are resources of their own (MIG, time slices), as the cluster's device plugin names them".to_owned(),
        ),
    }
}

/// `--gpus` with quotes that reach docker.
fn quoted(by: Launcher, list: &str) -> String {
    match by {
        Launcher::Devcontainer => format!("\"--gpus\", \"\\\"{list}\\\"\""),
        _ => format!("--gpus '\"{list}\"'"),
    }
}

fn misplaced(by: Launcher, key: &str, within: Within) -> (String, String) {
    let place = match within {
        Within::File => "a compose file",
        Within::Services => "the list of services",
        Within::Service => "a service",
        Within::Build => "build",
        Within::Deploy => "deploy",
        Within::Resources => "deploy.resources",
        Within::Limits => "deploy.resources.limits",
        Within::Reservations => "deploy.resources.reservations",
        Within::DeviceRequest => "a device request",
        Within::Device => "an entry of devices",
        Within::Container => "a container",
        Within::ContainerResources => "resources",
        Within::Object => "the object around the pod's spec",
    };
    let whose = if by == Launcher::Kubernetes { "Kubernetes" } else { "Compose" };
    let help = match (by, key) {
        (Launcher::Kubernetes, "runtimeClassName") => "move it to the pod's spec, beside containers".to_owned(),
        (Launcher::Kubernetes, _) => format!("write it under resources.limits of the container: {key}: 1"),
        (_, "runtime") => "move it to the service, beside image".to_owned(),
        (_, "gpus") => "move it to the service, beside image: gpus: all (Compose 2.30 or newer)".to_owned(),
        (_, "deploy") => "move it into the service".to_owned(),
        _ if within == Within::DeviceRequest => {
            "a device request has driver, count or device_ids, capabilities and options".to_owned()
        }
        _ => "write deploy.resources.reservations.devices in the service, with driver: nvidia, count: all, capabilities: [gpu]"
            .to_owned(),
    };
    (format!("{whose} knows no {key} in {place}"), help)
}

fn form(by: Launcher, key: &str, takes: Takes) -> (String, String) {
    let (takes, help) = match takes {
        Takes::AllOrRequests => {
            ("all or a list of device requests", format!("write {key}: all, or a list: - driver: nvidia, count: 1"))
        }
        Takes::Requests => ("a list of device requests", "begin each request with a dash: - driver: nvidia".to_owned()),
        Takes::List => ("a list", format!("write {key}: [{}]", if key == "device_ids" { "'0'" } else { "gpu" })),
        Takes::Texts => ("a list of texts", format!("write {key}: [{}]", if key == "device_ids" { "'0', '1'" } else { "gpu" })),
        Takes::Count => ("all or a whole number", format!("write {key}: all, or {key}: 1")),
        Takes::Number => ("a whole number", format!("write {key}: 1")),
    };
    let whose = if by == Launcher::Kubernetes { "Kubernetes" } else { "Compose" };
    (format!("{whose} takes {takes} for {key}, and refuses this"), help)
}
