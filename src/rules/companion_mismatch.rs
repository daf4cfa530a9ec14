use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Conflict, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{self, Basis};
use crate::outline::Choice;
use crate::version::Specifiers;

pub(super) static RULE: Rule = Rule {
    name: "companion-mismatch",
    level: Severity::Error,
    page: include_str!("../../rules/companion-mismatch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // What mends one row may break the next.
    let row = env.chosen.iter().any(|choice| matches!(choice, Choice::Row { .. }));
    let only = if row { ", in the rows of the matrix that have it" } else { "" };
    for step in &env.steps {
        let mut pairs: Vec<Pair<'_>> = step.conflicts.iter().filter_map(|conflict| Pair::of(step, conflict)).collect();
        while !pairs.is_empty() {
            let torch = pairs[0].torch;
            // What stands in one command with one torch is mended together; of a manifest's lines each by itself.
            let inside = |ask: &Ask| step.at.contains(ask.evidence.at);
            let together = |pair: &Pair<'_>| std::ptr::eq(pair.torch, torch) && inside(pair.companion) && inside(torch);
            let mut group: Vec<Pair<'_>> = vec![pairs.remove(0)];
            if together(&group[0]) {
                group.extend(pairs.extract_if(.., |pair| together(pair)));
            }
            out.push(clash(torch, &group, only));
        }
    }
}

/// A companion that goes with another torch than the one beside it.
struct Pair<'a> {
    companion: &'a Ask,
    torch: &'a Ask,
    requires: &'a str,
}

impl<'a> Pair<'a> {
    fn of(step: &'a Step, conflict: &'a Conflict) -> Option<Self> {
        let ask = |name: &str| step.asks.iter().find(|a| a.package == name);
        let known = knowledge::companion_of(&conflict.package) == Some(conflict.against.as_str());
        let (companion, torch) = (ask(&conflict.package)?, ask(&conflict.against)?);
        known.then_some(Self { companion, torch, requires: &conflict.requires })
    }
}

fn clash(torch: &Ask, pairs: &[Pair<'_>], only: &str) -> Clash {
    // Where several agree on another torch, that may be what is meant.
    let agreed =
        pairs.iter().all(|pair| pair.requires == pairs[0].requires).then(|| pairs[0].requires).filter(|_| pairs.len() > 1);
    let goes = match agreed {
        Some(other) => {
            let names: Vec<String> = pairs.iter().map(|pair| shown(pair.companion)).collect();
            format!("{} go with {other}", listed(&names))
        }
        None => {
            let goes = |pair: &Pair<'_>| format!("{} goes with {}", shown(pair.companion), pair.requires);
            listed(&pairs.iter().map(goes).collect::<Vec<_>>())
        }
    };
    let message = format!("{goes}, not with {}", shown(torch));
    let mut links: Vec<Evidence> = Vec::new();
    for pair in pairs {
        // It does not rest on what is published of that build: no error.
        let concluded = pair.companion.alone.builds.iter().any(|build| build.release.basis == Basis::Inferred);
        let what = pair.requires.to_owned() + if concluded { " (concluded from its build on PyPI)" } else { "" };
        let reason = Reason::Requires { by: shown(pair.companion), what };
        links.push(Evidence { reason, ..pair.companion.evidence.clone() });
    }
    let reason = Reason::Asked { package: torch.package.clone(), wants: torch.wants.to_string() };
    links.insert(1, Evidence { reason, ..torch.evidence.clone() });
    let clash = Clash::new(Holds::Always, message, links);
    let picked = torch.alone.only().or_else(|| torch.alone.today()).map(|build| build.version.public());
    let Some(wanted) = picked.or_else(|| torch.wants.pin().map(|pin| pin.public())) else { return clash };
    let partner = |pair: &Pair<'_>| {
        let name = &pair.companion.package;
        Some(format!("{name}=={}", chain::partner(name, &torch.package, &wanted)?))
    };
    let partners: Option<Vec<String>> = pairs.iter().map(partner).collect();
    let agreed =
        agreed.filter(|torch| Specifiers::parse(torch.trim_start_matches(|c: char| c != '=')).is_ok_and(|w| w.pin().is_some()));
    match (partners, agreed) {
        (Some(partners), other) => {
            let releases = if partners.len() == 1 { "release" } else { "releases" };
            let other = other.map_or(String::new(), |other| format!(", or {other}, the release for the others"));
            clash.help(format!("write {}, the {releases} for {}{only}{other}", listed(&partners), shown(torch)))
        }
        (None, Some(other)) => clash.help(format!("write {other}, the release for the others{only}")),
        (None, None) => clash,
    }
}

fn shown(ask: &Ask) -> String {
    match (ask.alone.only(), ask.wants.pin()) {
        (Some(build), _) => format!("{} {}", ask.package, build.version.public()),
        (None, Some(pin)) => format!("{} {pin}", ask.package),
        (None, None) => format!("{}{}", ask.package, ask.wants),
    }
}
