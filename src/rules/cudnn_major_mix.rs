use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, Reason};
use crate::knowledge::{self, Flavour, Library, Release};
use crate::meant;
use crate::parts;
use crate::reach::{self, Reach};
use crate::version::LibraryVersion;

pub(super) static RULE: Rule = Rule {
    name: "cudnn-major-mix",
    level: Severity::Error,
    page: include_str!("../../rules/cudnn-major-mix.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    if meant::for_other_hardware(env) {
        return;
    }
    for component in &env.components {
        let Some(needs) = reach::Needs::of(env, component, Library::Cudnn) else { continue };
        let reach = Reach::of(env, Library::Cudnn, component, reach::is_optional(&component.name));
        if let Some(unmet) = reach.lacks_major(&needs, |_| true) {
            let (need, brings) = (unmet.need.major(), unmet.brings.major());
            let what = parts::shown(component);
            let message = format!("{what} looks for cuDNN {need}, {} brings cuDNN {}", unmet.by.what, unmet.brings);
            let links = vec![needing(component, &what, unmet.need), unmet.by.evidence.clone()];
            let other = other_release(&component.name, brings);
            let or = other.map_or(String::new(), |other| format!("take {other}, which looks for cuDNN {brings}, or "));
            out.push(Clash::new(unmet.holds, message, links).help(format!("{or}bring cuDNN {need} along")));
        } else if reach.is_empty() {
            out.extend(none(env, component, &needs));
        }
    }
}

fn needing(component: &Component, what: &str, need: LibraryVersion) -> Evidence {
    let reason = Reason::Needs { what: what.to_owned(), library: Library::Cudnn, version: need.to_string() };
    Evidence { reason, ..component.evidence.clone() }
}

/// In a CUDA image without cuDNN a GPU is meant. What needs it for some of its models only is spoken of where a package is there
/// that runs just those.
fn none(env: &Environment, component: &Component, needs: &reach::Needs) -> Option<Clash> {
    /// What an image lacks for these is said by rules of their own.
    const APART: &[&str] = &["onnxruntime-gpu", "tensorflow"];
    if APART.contains(&component.name.as_str()) || env.thrown_away {
        return None;
    }
    let image = env.image.as_ref().filter(|image| image.row.is_some_and(|row| row.flavour != Flavour::None))?;
    let (need, holds) = needs.picked()?;
    let requires = |build: &Build| build.release.requires.iter().any(|text| requires(text, &component.name));
    let user = env.components.iter().find(|user| user.builds.builds.iter().any(requires))?;
    let what = parts::shown(component);
    let message = format!("{what} looks for cuDNN {}, {} has none", need.major(), image.reference);
    let mut links = vec![needing(component, &what, need), image.evidence.clone()];
    links.extend((user.evidence.at != component.evidence.at).then(|| user.evidence.clone()));
    let help = format!("take an image of the same CUDA with cuDNN {}, or install nvidia-cudnn-cu12 of that major", need.major());
    Some(Clash::new(holds, message, links).help(help))
}

fn requires(text: &str, package: &str) -> bool {
    text.strip_prefix(package).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c)))
}

/// The nearest release of a package that looks for another major of cuDNN.
fn other_release(package: &str, major: u32) -> Option<String> {
    let of_cudnn = |row: &&Release| row.needs.iter().find(|part| part.library == Library::Cudnn);
    let fits =
        |row: &&Release| of_cudnn(row).and_then(|part| LibraryVersion::parse(part.version)).is_some_and(|v| v.major() == major);
    let rows = knowledge::releases(package);
    let newest = rows.iter().rev().find(|row| of_cudnn(row).is_some())?;
    let name = package.trim_start_matches("conda:");
    if fits(&newest) {
        return rows.iter().find(fits).map(|row| format!("{name} {} or newer", row.version));
    }
    rows.iter().rev().find(fits).map(|row| format!("{name} {} or older", row.version))
}
