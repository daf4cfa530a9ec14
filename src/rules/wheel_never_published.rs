use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Join, Reason};
use crate::knowledge::{self, Basis};
use crate::tagged::{By, Outside, Serves, Tagged, by_build, outside};

pub(super) static RULE: Rule = Rule {
    name: "wheel-never-published",
    level: Severity::Error,
    page: include_str!("../../rules/wheel-never-published.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        for pins in by_build(step, |pin| (pin.by == By::File || pin.served() == Serves::Tag) && lies_outside(pin).is_some()) {
            out.extend(clash(&pins));
        }
    }
}

/// `None` where the build may exist.
fn lies_outside(pin: &Tagged<'_>) -> Option<Outside> {
    let unlisted = |index: &knowledge::Index| index.pre_releases || index.candidates || !index.carries.is_empty();
    if pin.indexes.iter().any(|(_, index)| unlisted(index)) {
        return None;
    }
    // A range goes on, and only behind the end of a line there is nothing more.
    outside(&pin.ask.package, &pin.tag, &pin.version)
        .filter(|outside| pin.by != By::Range || matches!(outside, Outside::Behind(_)))
}

fn clash(pins: &[Tagged<'_>]) -> Option<Clash> {
    let first = &pins[0];
    let name = |pin: &Tagged<'_>| match pin.by {
        By::Tag | By::File => format!("{} {}+{}", pin.ask.package, pin.version, pin.tag),
        By::Index => format!("{} {} for {}", pin.ask.package, pin.version, pin.tag),
        By::Range => format!("{}{} for {}", pin.ask.package, pin.ask.wants, pin.tag),
    };
    let names: Vec<String> = pins.iter().map(name).collect();
    let were = if pins.len() == 1 { "was" } else { "were" };
    let (why, near) = match lies_outside(first)? {
        Outside::Behind(last) => (format!("{} ends at {} {last}", first.tag, first.ask.package), last),
        Outside::Before(begins) => (format!("{} begins with {} {begins}", first.tag, first.ask.package), begins),
    };
    let message = format!("{} {were} never published: {why}", listed(&names));
    let asked = |pin: &Tagged<'_>| Evidence {
        reason: Reason::Asked { package: pin.ask.package.clone(), wants: pin.ask.wants.to_string() },
        basis: Basis::Vendor,
        ..pin.ask.evidence.clone()
    };
    let mut links: Vec<Evidence> = vec![asked(first)];
    links.extend(first.indexes.iter().filter_map(|(step, index)| {
        let reason = Reason::Index { index: index.id.to_owned() };
        Some(Evidence { at: step.at?, reason, also: step.also.clone(), basis: Basis::Vendor, join: Join::Stated })
    }));
    links.extend(pins[1..].iter().map(asked));
    let clash = Clash::new(Holds::Always, message, links);
    let tags: Vec<String> = first.other_tags().into_iter().map(str::to_owned).collect();
    let root = knowledge::index_by_id("pytorch/root").map(|root| format!("https://{}", root.address)).unwrap_or_default();
    let other = match tags.as_slice() {
        [] => String::new(),
        tags => format!(", or take {} {} with {} from {root}/TAG", first.ask.package, first.version, either(tags)),
    };
    let (package, tag) = (&first.ask.package, &first.tag);
    let mended = match first.by {
        By::Tag => format!("write {package}=={near}+{tag}"),
        By::Index | By::Range => format!("write {package}=={near}"),
        By::File => format!("take the wheel of {package} {near}+{tag}"),
    };
    Some(clash.help(format!("{mended} with what goes with it{other}")))
}

/// `a`, `a or b`, `a, b or c`.
fn either(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
