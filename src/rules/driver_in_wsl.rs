use super::driver_in_container::help;
use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Host, Reason, SystemPart};
use crate::knowledge::Carries;

pub(super) static RULE: Rule = Rule {
    name: "driver-in-wsl",
    level: Severity::Error,
    page: include_str!("../../rules/driver-in-wsl.md"),
    needs: Needs::Nothing,
    check: Check::OnAnyHost(check),
};

fn check(env: &Environment, host: Option<&Host>, out: &mut Out) {
    let wsl = host.map_or(env.for_wsl, |host| host.wsl);
    if !wsl || env.image.is_some() {
        return;
    }
    let drivers: Vec<&SystemPart> = env.system.iter().filter(|part| part.carries.contains(&Carries::Driver)).collect();
    let Some(part) = drivers.first() else { return };
    let name = part.name.split('=').next().unwrap_or(&part.name);
    let message = format!("{name} brings a Linux driver, which in WSL takes the place of the one that Windows lends");
    let link = |part: &&SystemPart| Evidence { reason: Reason::Puts { what: part.name.clone() }, ..part.evidence.clone() };
    let links = drivers.iter().map(link).collect();
    let help = if part.carries.contains(&Carries::Toolkit) {
        help(part)
    } else {
        format!("take {name} away: the driver is Windows' own")
    };
    out.push(Clash::new(Holds::Always, message, links).help(help));
}
