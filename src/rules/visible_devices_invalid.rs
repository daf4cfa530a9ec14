use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Evidence, Holds, Join, Launched, Reason};
use crate::knowledge::Basis;
use crate::outline::{Does, Outline, Scope};
use crate::source::Span;
use crate::visible::{Wrong, wrong};

pub(super) static RULE: Rule = Rule {
    name: "visible-devices-invalid",
    level: Severity::Warning,
    page: include_str!("../../rules/visible-devices-invalid.md"),
    needs: Needs::Nothing,
    check: Check::All(&[Check::File(check_file), Check::Launch(check_launch)]),
};

const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

fn check_file(outline: &Outline, out: &mut Out) {
    for act in &outline.acts {
        let (Does::Set(variable) | Does::Given(variable)) = &act.does else { continue };
        let seen = matches!(variable.scope, Scope::Environment | Scope::Command | Scope::Job);
        let Some(value) = variable.value.as_ref().filter(|_| seen && variable.name == VISIBLE) else { continue };
        if let Some((known, found)) = value.known().and_then(|known| Some((known, wrong(known, None)?))) {
            out.push(clash(known, &found, vec![here(act.at)]));
        }
    }
}

fn check_launch(launch: &Launched<'_>, out: &mut Out) {
    let Some(set) = launch.variables.get(VISIBLE) else { return };
    let Some(value) = set.value.as_deref() else { return };
    // Another file may ask for more of them.
    let count = given(launch).filter(|_| !launch.open && !launch.terms.privileged);
    let Some(found) = wrong(value, count) else { return };
    let by_count = matches!(found, Wrong::Beyond(_) | Wrong::CutBeyond(..));
    let mut links = vec![Evidence { reason: Reason::Here, ..set.evidence.clone() }];
    if by_count {
        links.extend(launch.asks_at.first().map(|at| Evidence { reason: Reason::Launched { by: launch.by }, ..here(*at) }));
    }
    out.push(clash(value, &found, links));
}

/// How many GPUs it gets, which are numbered from 0 in it.
fn given(launch: &Launched<'_>) -> Option<u32> {
    if !launch.terms.by_runtime {
        return launch.terms.count;
    }
    let devices = launch.variables.get("NVIDIA_VISIBLE_DEVICES")?.value.as_deref()?;
    let one = |device: &str| device.starts_with("GPU-") || !device.is_empty() && device.bytes().all(|b| b.is_ascii_digit());
    let devices: Vec<&str> = devices.split(',').map(str::trim).collect();
    devices.iter().all(|device| one(device)).then(|| u32::try_from(devices.len()).ok())?
}

fn here(at: Span) -> Evidence {
    Evidence { at, reason: Reason::Here, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated }
}

fn clash(value: &str, found: &Wrong, links: Vec<Evidence>) -> Clash {
    let set = format!("CUDA_VISIBLE_DEVICES={value}");
    let numbers = "write the numbers of GPUs, from 0 on, with commas between them; all are seen where the variable is not set";
    let (message, help) = match found {
        Wrong::NoGpu => (format!("{set} hides every GPU: CUDA takes numbers and UUIDs"), numbers),
        Wrong::Wrapped => {
            (format!("{set} hides every GPU: its quotes or brackets are part of the value"), "write the numbers without them")
        }
        Wrong::Twice(number) => (format!("{set} hides every GPU: {number} stands in it twice"), "name each GPU once"),
        Wrong::Cut(word) => (format!("{set} hides `{word}` and what follows it: CUDA takes numbers and UUIDs"), numbers),
        Wrong::ReadAs(word, number) => {
            (format!("{set} shows no more than GPU {number} of `{word}`: CUDA reads one number"), numbers)
        }
        Wrong::Beyond(count) => {
            let some =
                if *count == 1 { "one GPU, which is 0 in it".to_owned() } else { format!("{count} GPUs, numbered from 0 in it") };
            (
                format!("{set} hides every GPU: the container gets {some}"),
                "leave it out: the container sees only what it is given",
            )
        }
        Wrong::CutBeyond(number, count) => {
            let some = if *count == 1 { "one".to_owned() } else { count.to_string() };
            let message =
                format!("{set} hides GPU {number} and what follows it: the container gets {some}, numbered from 0 in it");
            (message, "leave it out: the container sees only what it is given")
        }
    };
    Clash::new(Holds::Always, message, links).help(help)
}
