use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Join, Reason};
use crate::knowledge::Basis;
use crate::tagged::{Serves, Tagged, by_tag};

pub(super) static RULE: Rule = Rule {
    name: "wheel-tag-index-mismatch",
    level: Severity::Error,
    page: include_str!("../../rules/wheel-tag-index-mismatch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        for pins in by_tag(step, |pin| pin.served() == Serves::OtherTags) {
            out.push(clash(&pins));
        }
    }
}

fn clash(pins: &[Tagged<'_>]) -> Clash {
    let first = &pins[0];
    let others: Vec<_> = first.indexes.iter().filter(|(_, index)| first.served_by(index) == Serves::OtherTags).collect();
    let tags: Vec<String> = others.iter().map(|(_, index)| format!("+{}", index.tag)).collect();
    let shown: Vec<String> = pins.iter().map(Tagged::shown).collect();
    let are = if pins.len() == 1 { "is" } else { "are" };
    let of = if others.len() == 1 { "the index in reach has" } else { "the indexes in reach have" };
    let message = format!("{} {are} asked for, and {of} {} builds only", listed(&shown), listed(&tags));
    let asked = |pin: &Tagged<'_>| Evidence {
        reason: Reason::Asked { package: pin.ask.package.clone(), wants: pin.ask.wants.to_string() },
        basis: Basis::Vendor,
        ..pin.ask.evidence.clone()
    };
    let mut links: Vec<Evidence> = vec![asked(first)];
    links.extend(others.iter().filter_map(|(step, index)| {
        let reason = Reason::Index { index: index.id.to_owned() };
        Some(Evidence { at: step.at?, reason, also: step.also.clone(), basis: Basis::Vendor, join: Join::Stated })
    }));
    links.extend(pins[1..].iter().map(asked));
    let clash = Clash::new(Holds::Always, message, links);
    // The other way is open where each has a build of the index's tag.
    let here = |tag: &str| pins.iter().all(|pin| pin.other_tags().contains(&tag));
    let pin = others.iter().map(|(_, index)| index.tag).find(|tag| here(tag)).map(|tag| {
        let names: Vec<String> = pins.iter().map(|pin| format!("{}=={}+{tag}", pin.ask.package, pin.version)).collect();
        format!("write {}", listed(&names))
    });
    let index = first.own_index().map(|index| format!("name https://{} as the index", index.address));
    match (pin, index) {
        (Some(pin), Some(index)) => clash.help(format!("{pin}, or {index}")),
        (Some(one), None) | (None, Some(one)) => clash.help(one),
        (None, None) => clash,
    }
}
