use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Holds, Reason};
use crate::knowledge;

pub(super) static RULE: Rule = Rule {
    name: "companion-mismatch",
    level: Severity::Error,
    page: include_str!("../../rules/companion-mismatch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        for conflict in &step.conflicts {
            let ask = |name: &str| step.asks.iter().find(|a| a.package == name);
            let (Some(companion), Some(torch)) = (ask(&conflict.package), ask(&conflict.against)) else { continue };
            if knowledge::companion_of(&conflict.package) != Some(&conflict.against) {
                continue;
            }
            let shown = |ask: &crate::environment::Ask| match (ask.alone.only(), ask.wants.pin()) {
                (Some(build), _) => format!("{} {}", ask.package, build.version.public()),
                (None, Some(pin)) => format!("{} {pin}", ask.package),
                (None, None) => format!("{}{}", ask.package, ask.wants),
            };
            let message = format!("{} goes with {}, not with {}", shown(companion), conflict.requires, shown(torch));
            let mut one = companion.evidence.clone();
            one.reason = Reason::Requires { by: shown(companion), what: conflict.requires.clone() };
            let mut other = torch.evidence.clone();
            other.reason = Reason::Asked { package: torch.package.clone(), wants: torch.wants.to_string() };
            let mut clash = Clash::new(Holds::Always, message, vec![one, other]);
            if let Some(partner) = partner(companion, torch) {
                clash = clash.help(format!("write {}=={partner}, the release for {}", companion.package, shown(torch)));
            }
            out.push(clash);
        }
    }
}

/// The companion's release that requires the torch which is asked for.
fn partner(companion: &crate::environment::Ask, torch: &crate::environment::Ask) -> Option<String> {
    use crate::notation::requirement::{Subject, parse};
    let picked = torch.alone.only().or_else(|| torch.alone.today()).map(|build| build.version.public());
    let wanted = picked.or_else(|| torch.wants.pin().map(|pin| pin.public()))?;
    let fits = |text: &&str| match parse(text).map(|r| r.subject) {
        Ok(Subject::Package { name, wants, .. }) => name == "torch" && wants.pin().is_some_and(|pin| pin.public() == wanted),
        _ => false,
    };
    let rows = knowledge::releases(&companion.package);
    rows.iter().rev().find(|r| r.requires.iter().any(fits)).map(|r| r.version.to_owned())
}
