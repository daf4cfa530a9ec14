use super::{Check, Clash, Needs, Out, Rule};
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Environment, Holds, Reason};
use crate::knowledge;
use crate::outline::Choice;

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
            let (Some(companion_ask), Some(torch)) = (ask(&conflict.package), ask(&conflict.against)) else { continue };
            if knowledge::companion_of(&conflict.package) != Some(&conflict.against) {
                continue;
            }
            let shown = |ask: &crate::environment::Ask| match (ask.alone.only(), ask.wants.pin()) {
                (Some(build), _) => format!("{} {}", ask.package, build.version.public()),
                (None, Some(pin)) => format!("{} {pin}", ask.package),
                (None, None) => format!("{}{}", ask.package, ask.wants),
            };
            let message = format!("{} goes with {}, not with {}", shown(companion_ask), conflict.requires, shown(torch));
            let mut one = companion_ask.evidence.clone();
            one.reason = Reason::Requires { by: shown(companion_ask), what: conflict.requires.clone() };
            let mut other = torch.evidence.clone();
            other.reason = Reason::Asked { package: torch.package.clone(), wants: torch.wants.to_string() };
            let mut clash = Clash::new(Holds::Always, message, vec![one, other]);
            let picked = torch.alone.only().or_else(|| torch.alone.today()).map(|build| build.version.public());
            let wanted = picked.or_else(|| torch.wants.pin().map(|pin| pin.public()));
            if let Some(partner) = wanted.and_then(|wanted| chain::partner(&companion_ask.package, &wanted)) {
                // What mends one row may break the next.
                let row = env.chosen.iter().any(|choice| matches!(choice, Choice::Row { .. }));
                let only = if row { ", in the rows of the matrix that have it" } else { "" };
                clash = clash.help(format!("write {}=={partner}, the release for {}{only}", companion_ask.package, shown(torch)));
            }
            out.push(clash);
        }
    }
}
