use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Reason, SystemPart};
use crate::knowledge::{self, Basis, Carries};

pub(super) static RULE: Rule = Rule {
    name: "driver-in-container",
    level: Severity::Error,
    page: include_str!("../../rules/driver-in-container.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // What a stage that nobody runs has in it goes nowhere.
    if !env.is_built || env.thrown_away {
        return;
    }
    let drivers: Vec<&SystemPart> = env.system.iter().filter(|part| part.carries.contains(&Carries::Driver)).collect();
    let Some(first) = drivers.first() else { return };
    let message = format!("{} puts the driver's user space into the image, where it must come from the host", name(first));
    let link = |part: &&SystemPart| Evidence { reason: Reason::Puts { what: name(part).to_owned() }, ..part.evidence.clone() };
    let mut links: Vec<Evidence> = drivers.iter().map(link).collect();
    links.extend(env.image.iter().map(|image| Evidence { basis: Basis::Vendor, ..image.evidence.clone() }));
    out.push(Clash::new(Holds::Always, message, links).help(help(first)));
}

/// Without the version behind it.
fn name(part: &SystemPart) -> &str {
    part.name.split('=').next().unwrap_or(&part.name)
}

/// What to put there instead.
pub(super) fn help(part: &SystemPart) -> String {
    if part.name.ends_with(".run") {
        return "run it with --silent --toolkit: without the driver".to_owned();
    }
    let toolkit = part.carries.contains(&Carries::Toolkit);
    match knowledge::release_of_package(&part.name).filter(|_| toolkit).map(|cuda| cuda.minor_only()) {
        Some(cuda) => format!("install cuda-toolkit-{}, which comes without the driver", cuda.to_string().replace('.', "-")),
        None if toolkit => "install cuda-toolkit, which comes without the driver".to_owned(),
        None => format!("take {} away: the container runtime brings the host's own", name(part)),
    }
}
