//! What Kubernetes refuses of a container's request for a GPU, or leaves out where its client does not check.
//! Sources: <https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/>; `ValidateContainerResourceRequirements` and
//! `ValidateResourceQuantityValue` in
//! <https://github.com/kubernetes/kubernetes/blob/a7264f95ffc8b56377da16e83461aa59467ebb3e/pkg/apis/core/validation/validation.go>;
//! that a client checks fields by itself, measured: `kubectl apply --help` of kubectl 1.32.4 (`--validate='strict'`).

use crate::outline::{Malformed, Misread, Takes, Within};
use crate::read::syntax::yaml::{Node, Style};

/// The only field of a pod's specification that chooses a runtime.
const CLASS: &str = "runtimeClassName";
/// Where it is written around the specification of a pod.
const AROUND: &[&[&str]] = &[
    &[],
    &["metadata"],
    &["spec"],
    &["spec", "template"],
    &["spec", "template", "metadata"],
    &["spec", "jobTemplate"],
    &["spec", "jobTemplate", "spec"],
    &["spec", "jobTemplate", "spec", "template"],
];

/// What an object asks for outside the specification of its pod.
pub(in crate::read) fn of_object(object: Node<'_>, pod: Node<'_>) -> Vec<Malformed> {
    let around = AROUND.iter().filter_map(|path| object.path(path)).filter(|node| node.is_map() && node.at() != pod.at());
    around.filter_map(|node| class(node, Within::Object)).collect()
}

/// What a container asks for; `is_gpu` tells resources that are GPUs.
pub(in crate::read) fn of_container(container: Node<'_>, is_gpu: fn(&str) -> bool) -> Vec<Malformed> {
    let mut found = Vec::new();
    let resources = container.get("resources");
    found.extend(class(container, Within::Container));
    found.extend(container.get("securityContext").and_then(|context| class(context, Within::Container)));
    found.extend(resources.and_then(|resources| class(resources, Within::ContainerResources)));
    found.extend(counted(container, is_gpu).map(|(key, value, _)| misplaced(key, value, Within::Container)));
    for list in ["limits", "requests"].iter().filter_map(|list| container.get(list)) {
        found.extend(counted(list, is_gpu).map(|(key, value, _)| misplaced(key, value, Within::Container)));
    }
    let Some(resources) = resources else { return found };
    found.extend(counted(resources, is_gpu).map(|(key, value, _)| misplaced(key, value, Within::ContainerResources)));
    let list = |list: &str| resources.get(list);
    for (key, value, resource) in ["limits", "requests"].into_iter().filter_map(list).flat_map(|list| counted(list, is_gpu)) {
        let (resource, count) = (resource.to_owned(), value.text().unwrap_or_default().to_owned());
        let how = match amount(value) {
            Some(amount) if amount.fract() != 0.0 => Misread::Fraction { resource, count },
            None if matches!(count.as_str(), "all" | "true" | "false") => Misread::Form { key: resource, takes: Takes::Number },
            _ => continue,
        };
        found.push(Malformed { at: key.at().to(value.at()), how });
    }
    let limits = list("limits");
    let open =
        resources.is_open() || resources.is_template() || limits.is_some_and(|limits| limits.is_open() || limits.is_template());
    for (key, value, resource) in list("requests").filter(|_| !open).into_iter().flat_map(|list| counted(list, is_gpu)) {
        let Some(request) = amount(value).filter(|amount| *amount > 0.0) else { continue };
        let limit = limits.and_then(|limits| limits.get(resource));
        let (resource, written) = (resource.to_owned(), |node: Node<'_>| node.text().unwrap_or_default().to_owned());
        let how = match limit {
            None => Misread::NoLimit { resource, request: written(value) },
            Some(limit) if amount(limit).is_some_and(|limit| limit != request) => {
                Misread::Unequal { resource, request: written(value), limit: written(limit) }
            }
            Some(_) => continue,
        };
        found.push(Malformed { at: key.at().to(value.at()), how });
    }
    found
}

/// A class of NVIDIA's in a map that has no such field.
fn class(map: Node<'_>, within: Within) -> Option<Malformed> {
    let (key, value) = map.pair(CLASS)?;
    value.text().filter(|class| class.contains("nvidia")).map(|_| misplaced(key, value, within))
}

fn misplaced(key: Node<'_>, value: Node<'_>, within: Within) -> Malformed {
    let how = Misread::Misplaced { key: key.text().unwrap_or_default().to_owned(), within };
    Malformed { at: key.at().to(value.at()), how }
}

/// The GPUs in a map of counts.
fn counted<'a>(map: Node<'a>, is_gpu: fn(&str) -> bool) -> impl Iterator<Item = (Node<'a>, Node<'a>, &'a str)> {
    let entries = map.entries().into_iter();
    entries.filter_map(move |(key, value)| Some((key, value, key.text().filter(|name| is_gpu(name) && value.style().is_some())?)))
}

/// A quantity without a suffix, or in thousandths.
/// Source: <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>.
fn amount(node: Node<'_>) -> Option<f64> {
    let text = node.text().filter(|_| matches!(node.style(), Some(Style::Plain | Style::Single | Style::Double)))?;
    let (number, share) = text.strip_suffix('m').map_or((text, 1.0), |number| (number, 1000.0));
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    number.parse::<f64>().ok().filter(|_| plain).map(|number| number / share)
}
