use super::{Check, Clash, Needs, Out, Rule};
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Build, Component, Environment, Holds};
use crate::knowledge;

pub(super) static RULE: Rule = Rule {
    name: "companion-build-mismatch",
    level: Severity::Error,
    page: include_str!("../../rules/companion-build-mismatch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let Some(torch) = env.component("torch").filter(|torch| !torch.may_be_another()) else { return };
    let companions = env.components.iter().filter(|other| knowledge::companion_of(&other.name) == Some("torch"));
    for companion in companions.filter(|other| is_compiled(&other.name) && !other.may_be_another()) {
        out.extend(clash(torch, companion));
    }
}

/// Those that have code for the GPU, or link torch's own libraries.
fn is_compiled(package: &str) -> bool {
    matches!(package, "torchvision" | "torchaudio")
}

fn picked(component: &Component) -> Option<&Build> {
    component.builds.only().or_else(|| component.builds.today())
}

fn clash(torch: &Component, companion: &Component) -> Option<Clash> {
    let (of_torch, of_companion) = (picked(torch)?, picked(companion)?);
    let differs = |a: &Build, b: &Build| {
        let (a, b) = (a.release.tag, b.release.tag);
        (!a.is_empty() && !b.is_empty()).then_some(a != b)
    };
    // Of releases that do not go together others speak.
    let version = of_torch.version.public();
    let pair = chain::is_made_for(of_companion.release, "torch", &version)
        || chain::partner(&companion.name, "torch", &version) == Some(of_companion.release.version);
    if !pair || differs(of_torch, of_companion) != Some(true) {
        return None;
    }
    let one = torch.builds.hold(|build| differs(build, of_companion));
    let other = companion.builds.hold(|build| differs(of_torch, build));
    let holds = if one == Holds::Always && other == Holds::Always { Holds::Always } else { Holds::Today };
    let shown = |component: &Component, build: &Build| {
        format!("{} {} is the {} build", component.name, build.version.public(), build.release.tag)
    };
    let message = format!("{}, {}", shown(companion, of_companion), shown(torch, of_torch));
    let links = vec![companion.evidence.clone(), torch.evidence.clone()];
    let index = knowledge::index_by_id(of_torch.index).filter(|index| !index.address.is_empty());
    let help = match index {
        Some(index) => format!("install {} from where torch comes from: https://{}", companion.name, index.address),
        None => format!("install torch and {} from one index", companion.name),
    };
    Some(Clash::new(holds, message, links).help(help))
}
