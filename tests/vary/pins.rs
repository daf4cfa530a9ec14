//! What is pinned, said by a variable.

use std::collections::BTreeMap;

use cudalint::outline::Kind;

use crate::calls::{Call, Is, calls, unquoted};
use crate::images::{image, stages};
use crate::written::{Line, Written};

/// `ARG TORCH_VERSION=2.1.0` before the `RUN` that installs.
pub(crate) fn by_arg(written: &Written) -> Option<Written> {
    before_calls(written, Kind::Dockerfile, |name, value| format!("ARG {name}={value}"), version)
}

/// `ENV TORCH_VERSION=2.1.0`.
pub(crate) fn by_env(written: &Written) -> Option<Written> {
    before_calls(written, Kind::Dockerfile, |name, value| format!("ENV {name}={value}"), version)
}

/// `TORCH_VERSION=2.1.0` in the script.
pub(crate) fn by_variable(written: &Written) -> Option<Written> {
    before_calls(written, Kind::Script, |name, value| format!("{name}={value}"), version)
}

/// `export TORCH_VERSION="${TORCH_VERSION:-2.1.0}"`: what holds where nobody says otherwise.
pub(crate) fn by_default(written: &Written) -> Option<Written> {
    before_calls(written, Kind::Script, |name, value| format!("export {name}=\"${{{name}:-{value}}}\""), version)
}

/// `ARG CUDA_TAG=cu118` for each `cu118` of a tag or an index.
pub(crate) fn tag_by_arg(written: &Written) -> Option<Written> {
    before_calls(written, Kind::Dockerfile, |name, value| format!("ARG {name}={value}"), tag)
}

/// `CUDA_TAG=cu118` in the script.
pub(crate) fn tag_by_variable(written: &Written) -> Option<Written> {
    before_calls(written, Kind::Script, |name, value| format!("{name}={value}"), tag)
}

/// The whole requirement in a variable.
pub(crate) fn requirement_by_variable(written: &Written) -> Option<Written> {
    let whole = |call: &Call| {
        let named = call.requirements().map(|argument| unquoted(&argument.text)).filter(|text| text.contains("=="));
        named.map(|text| (variable(text, "SPEC"), text.to_owned(), text.to_owned())).collect()
    };
    let set = |name: &str, value: &str| format!("{name}={value}");
    let script = before_calls(written, Kind::Script, set, whole);
    let docker = |name: &str, value: &str| format!("ARG {name}={value}");
    before_calls(script.as_ref().unwrap_or(written), Kind::Dockerfile, docker, whole).or(script)
}

/// Name, value and the text that stands for the value, of each exact pin.
fn version(call: &Call) -> Vec<(String, String, String)> {
    let pins = call.requirements().filter_map(|argument| {
        let text = unquoted(&argument.text);
        let (name, version) = text.split_once("==").filter(|(_, version)| !version.contains([',', ';', '*']))?;
        Some((variable(name, "VERSION"), version.to_owned(), text.to_owned()))
    });
    pins.collect()
}

fn variable(requirement: &str, what: &str) -> String {
    let name = requirement.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).next().unwrap_or_default();
    format!("{}_{what}", name.to_uppercase().replace('-', "_"))
}

fn tag(call: &Call) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for argument in &call.arguments {
        for mark in ["+cu", "/whl/cu", "/nightly/cu"] {
            for (at, _) in argument.text.match_indices(mark) {
                let digits: String = argument.text[at + mark.len()..].chars().take_while(char::is_ascii_digit).collect();
                found.push(("CUDA_TAG".to_owned(), format!("cu{digits}"), format!("{mark}{digits}")));
            }
        }
    }
    // Of one value only.
    let same = found.iter().all(|(_, value, _)| *value == found[0].1);
    if same { found } else { Vec::new() }
}

/// Sets variables above each line with a call, and uses them in it. A variable of one name has one value.
fn before_calls(
    written: &Written,
    of: Kind,
    set: impl Fn(&str, &str) -> String,
    values: impl Fn(&Call) -> Vec<(String, String, String)>,
) -> Option<Written> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    written.each_line(|kind, line| {
        let whole = of != Kind::Dockerfile || line.text.starts_with("RUN ");
        if kind != of || !whole || line.text.contains("TORCH_VERSION") || line.text.contains('$') {
            return None;
        }
        let (mut text, mut before) = (line.text.clone(), Vec::new());
        for call in calls(&line.text) {
            for (name, value, whole) in values(&call) {
                if known.entry(name.clone()).or_insert_with(|| value.clone()) != &value {
                    return None;
                }
                let line = line.with(set(&name, &value));
                if !before.contains(&line) {
                    before.push(line);
                }
                let used = whole.replacen(&value, &format!("${{{name}}}"), 1);
                text = text.replace(&whole, &used);
            }
        }
        before.push(line.with(text));
        (before.len() > 1).then_some(before)
    })
}

/// `ARG CUDA=12.1.0` before `FROM nvidia/cuda:${CUDA}-…`; of other images the whole tag.
pub(crate) fn tag_of_image(written: &Written) -> Option<Written> {
    of_image(written, |image| {
        let (_, tag) = image.rsplit_once(':')?;
        Some(if image.starts_with("nvidia/cuda:") { tag.split('-').next().unwrap_or(tag).to_owned() } else { tag.to_owned() })
    })
}

/// `ARG BASE=…` before `FROM ${BASE}`.
pub(crate) fn whole_image(written: &Written) -> Option<Written> {
    of_image(written, |image| Some(image.to_owned()))
}

fn of_image(written: &Written, part: impl Fn(&str) -> Option<String>) -> Option<Written> {
    let stages: Vec<String> = stages(written).into_iter().map(str::to_owned).collect();
    let variable =
        |image: &str| (!image.contains(['$', '@']) && !stages.iter().any(|s| s == image)).then(|| part(image)).flatten();
    written.each_file(|kind, _, lines| {
        let mut out: Vec<Line> = Vec::new();
        for line in lines {
            let found = image(kind, &line.text).and_then(|image| Some((image, variable(image)?)));
            let Some((image, value)) = found else {
                out.push(line.clone());
                continue;
            };
            match kind {
                Kind::Dockerfile => {
                    let name = format!("BASE_{}", out.len());
                    let new = image.replace(&value, &format!("${{{name}}}"));
                    out.push(line.with(line.text.replacen(image, &new, 1)));
                    out.insert(0, line.with(format!("ARG {name}={value}")));
                }
                Kind::Compose => {
                    let new = image.replace(&value, &format!("${{BASE:-{value}}}"));
                    out.push(line.with(line.text.replacen(image, &new, 1)));
                }
                Kind::Script => {
                    let new = image.replace(&value, "${BASE}");
                    out.push(line.with(format!("BASE={value}")));
                    out.push(line.with(line.text.replacen(image, &new, 1)));
                }
                _ => out.push(line.clone()),
            }
        }
        Some(out)
    })
}

/// `--index-url X` of a call as `PIP_INDEX_URL=X` before it.
pub(crate) fn index_by_variable(written: &Written) -> Option<Written> {
    crate::calls::each_call(written, |kind, call| {
        if call.is_uv() || kind == Kind::Workflow {
            return None;
        }
        let options = [
            ("--index-url", "PIP_INDEX_URL"),
            ("-i", "PIP_INDEX_URL"),
            ("--extra-index-url", "PIP_EXTRA_INDEX_URL"),
            ("--find-links", "PIP_FIND_LINKS"),
            ("-f", "PIP_FIND_LINKS"),
        ];
        let (option, name) = options.into_iter().find(|(option, _)| call.value(option).is_some())?;
        let value = call.value(option)?;
        let rest: Vec<_> = call.arguments.iter().filter(|a| a.is != Is::Option || !a.text.starts_with(option)).cloned().collect();
        Some(format!("{name}={value} {}", Call::text(&call.head, &rest)))
    })
}
