use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Join, Reason};
use crate::knowledge::{self, Basis};
use crate::tagged::{Serves, Tagged, by_tag};
use crate::version::Version;

pub(super) static RULE: Rule = Rule {
    name: "wheel-never-published",
    level: Severity::Error,
    page: include_str!("../../rules/wheel-never-published.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        for pins in by_tag(step, |pin| pin.served() == Serves::Tag && outside(pin).is_some()) {
            out.extend(clash(&pins));
        }
    }
}

/// On which side of all releases with its tag a pin lies.
enum Outside {
    /// The tag's line ended before it.
    Behind(Version),
    /// The tag came after it.
    Before(Version),
}

/// `None` where the build may exist: builds off the official matrix do.
fn outside(pin: &Tagged<'_>) -> Option<Outside> {
    // Only of torch, and of what is released with it, the tables have all releases.
    let listed = pin.ask.package == "torch" || knowledge::companion_of(&pin.ask.package) == Some("torch");
    let unlisted = |index: &knowledge::Index| index.pre_releases || index.candidates || !index.carries.is_empty();
    if !listed || pin.version.is_pre() || pin.indexes.iter().any(|(_, index)| unlisted(index)) {
        return None;
    }
    let with_tag = pin.with_tag();
    let (first, last) = (with_tag.first()?, with_tag.last()?);
    let closed = knowledge::index_by_id(&format!("pytorch/{}", pin.tag)).is_some_and(|index| index.closed);
    if pin.version > *last && closed {
        return Some(Outside::Behind(last.clone()));
    }
    // Between the two another line of releases came and went without that tag.
    let between = || {
        pin.rows()
            .filter_map(|row| Version::parse(row.version))
            .any(|v| v > pin.version && v < *first && !same_line(&v, &pin.version))
    };
    (pin.version < *first && (closed || between())).then(|| Outside::Before(first.clone()))
}

/// Whether two releases share major and minor.
fn same_line(a: &Version, b: &Version) -> bool {
    let line = |version: &Version| version.to_string().split('.').take(2).map(str::to_owned).collect::<Vec<_>>();
    line(a) == line(b)
}

fn clash(pins: &[Tagged<'_>]) -> Option<Clash> {
    let first = &pins[0];
    let name = |pin: &Tagged<'_>| format!("{} {}+{}", pin.ask.package, pin.version, pin.tag);
    let names: Vec<String> = pins.iter().map(name).collect();
    let were = if pins.len() == 1 { "was" } else { "were" };
    let (why, near) = match outside(first)? {
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
    Some(clash.help(format!("write {}=={near}+{} with what goes with it{other}", first.ask.package, first.tag)))
}

/// `a`, `a or b`, `a, b or c`.
fn either(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
