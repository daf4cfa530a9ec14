use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Evidence, Reason};
use crate::knowledge::{Flavour, Library};
use crate::meant;
use crate::mismatch;
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
        if let Some(unmet) = reach.lacks(&needs, |_| true) {
            let (need, brings) = (unmet.need.major(), unmet.brings.major());
            let what = parts::shown(component);
            let message = format!("{what} looks for cuDNN {need}, {} brings cuDNN {}", unmet.by.what, unmet.brings);
            let links = vec![needing(component, &what, unmet.need), unmet.by.evidence.clone()];
            let other = mismatch::other_release(&component.name, Library::Cudnn, &brings.to_string());
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
    if mismatch::has_own_rule(&component.name) || env.thrown_away {
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
