use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::{self, listed};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Build, Effect, Environment, Evidence, Holds, Join, Reason, Step};
use crate::knowledge::{self, Basis, Index, Platforms, Release};
use crate::outline::Tool;
use crate::tagged::{by_build, outside};
use crate::version::Version;

pub(super) static RULE: Rule = Rule {
    name: "index-shadowed",
    level: Severity::Warning,
    page: include_str!("../../rules/index-shadowed.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // Where a build that was never made is asked for, nothing comes from anywhere.
    let fails = |step: &Step| !by_build(step, |pin| outside(&pin.ask.package, &pin.tag, &pin.version).is_some()).is_empty();
    for step in env.steps.iter().filter(|step| step.one_list && !fails(step)) {
        for index in step.indexes.iter().filter(|i| !i.explicit) {
            let (Some(row), Some(at)) = (index.id.and_then(knowledge::index_by_id), index.at) else { continue };
            // One index that loses is one cause: the first package speaks, the others are labels.
            let lost: Vec<(&Ask, Lost)> = step
                .asks
                .iter()
                .filter(|ask| comes(ask, step))
                .filter_map(|ask| Some((ask, loses(ask, row, env.platform.bits())?)))
                // Of the same version uv takes the first index'.
                .filter(|(_, how)| step.tool == Tool::Pip || matches!(how, Lost::Lower(_) | Lost::Lacks(_)))
                .collect();
            let Some((first, how)) = lost.first() else { continue };
            let reason = Reason::Index { index: row.id.to_owned() };
            let line = Evidence { at, reason, also: index.also.clone(), basis: Basis::Vendor, join: Join::Stated };
            let mut asked = first.evidence.clone();
            // Neither index is sure to be the one that it comes from.
            if matches!(how, Lost::Tied(_)) {
                asked.reason = Reason::Asked { package: first.package.clone(), wants: first.wants.to_string() };
            }
            let mut links = vec![asked, line];
            links.extend(lost[1..].iter().map(|(ask, _)| ask.evidence.clone()));
            let names: Vec<&str> = lost.iter().map(|(ask, _)| ask.package.as_str()).collect();
            let set = alternative::set_on(row, step, &names, &env.platform);
            let (message, help) = words(first, row, how, &names, &written(set.unwrap_or_default(), step), step.tool);
            out.push(Clash::new(Holds::Today, message, links).help(help));
        }
    }
}

/// Whether the step looks for a package at all: what is there already and fits stays.
fn comes(ask: &Ask, step: &Step) -> bool {
    let stays =
        |change: &&crate::environment::Change| change.package == ask.package && !matches!(change.effect, Effect::Replaces { .. });
    !step.changes.iter().any(|change| stays(&change))
}

/// How an index loses a package that it is named for.
enum Lost {
    /// To a higher version elsewhere.
    Lower(Build),
    /// It has no version that is asked for, another index has.
    Lacks(Build),
    /// It has development builds only.
    Development(Build),
    /// To nobody: another index serves the same version with another CUDA.
    Tied(Build),
}

fn loses(ask: &Ask, row: &Index, bits: Platforms) -> Option<Lost> {
    let here: Vec<&Release> = knowledge::releases(&ask.package).iter().filter(|r| r.indexes.contains(&row.id)).collect();
    let follows =
        row.pre_releases && knowledge::releases(&ask.package).iter().any(|r| r.indexes.iter().any(|i| i.starts_with("pytorch/")));
    let tag = if row.tag.is_empty() { here.first()?.tag } else { row.tag };
    // Nobody misses a CPU build that loses; an index of many variants is not named for one.
    let named_for_one = !tag.is_empty() && tag != "cpu" && here.iter().all(|r| r.tag == tag);
    if !named_for_one || (here.is_empty() && !follows) {
        return None;
    }
    // Where the tables list builds for other platforms only, what the index has for this one is not known.
    if !here.is_empty() && !here.iter().any(|r| r.platforms.meets(bits)) {
        return None;
    }
    let builds = &ask.builds;
    match builds.today() {
        Some(winner) if winner.index != row.id && winner.release.tag != tag => {
            let winner = winner.clone();
            if row.pre_releases {
                return Some(Lost::Development(winner));
            }
            if builds.builds.iter().any(|b| b.index == row.id) || ask.wants.is_any() {
                return Some(Lost::Lower(winner));
            }
            // That an index lacks a release is proved only behind the end of a line that has ended, and before its beginning.
            outside(&ask.package, tag, &winner.version.public())?;
            Some(Lost::Lacks(winner))
        }
        None if !builds.open => {
            let newest = &builds.builds.last()?.version;
            let tied = |b: &&Build| b.version == *newest;
            let own = builds.builds.iter().filter(tied).any(|b| b.index == row.id);
            builds.builds.iter().filter(tied).find(|b| own && b.index != row.id && b.release.tag != tag).cloned().map(Lost::Tied)
        }
        _ => None,
    }
}

/// The pins that change: what is pinned so already stays.
fn written(set: Vec<(String, &'static str)>, step: &Step) -> String {
    let pinned = |package: &str, version: &str| {
        let ask = step.asks.iter().find(|ask| ask.package == package);
        ask.and_then(|ask| ask.wants.pin()).is_some_and(|pin| Version::parse(version) == Some(pin.public()))
    };
    let changed = set.iter().filter(|(package, version)| !pinned(package, version));
    changed.map(|(package, version)| format!("{package}=={version}")).collect::<Vec<_>>().join(" ")
}

fn words(ask: &Ask, row: &Index, how: &Lost, lost: &[&str], set: &str, tool: Tool) -> (String, String) {
    let package = &ask.package;
    let by = if tool == Tool::Pip { "pip takes" } else { "by unsafe-best-match uv takes" };
    let here = place(row.id);
    let last = knowledge::releases(package).iter().rev().find(|r| r.indexes.contains(&row.id));
    let ends = last.map_or("", |r| r.version);
    let shown = |b: &Build| {
        let tag =
            if b.release.tag.is_empty() || b.version.local().is_some() { String::new() } else { format!(" ({})", b.release.tag) };
        format!("{package} {}{tag} from {}", b.version, place(b.index))
    };
    match how {
        Lost::Lower(b) => (format!("{by} {} today: {here} ends at {ends}", shown(b)), {
            let names: Vec<String> = lost.iter().map(|name| (*name).to_owned()).collect();
            let pins = match set.matches(' ').count() {
                _ if set.is_empty() => String::new(),
                0 => format!(", or pin a release that it has: {set}"),
                _ => format!(", or pin releases that it has and that go together: {set}"),
            };
            let first = match tool {
                Tool::Pip => format!("install {} with --index-url of {here} alone", listed(&names)),
                _ => format!("leave uv its own strategy (first-index), or route {} to {here} alone", listed(&names)),
            };
            first + &pins
        }),
        Lost::Lacks(b) => (format!("{by} {} today: {here} has no {package} {}", shown(b), ask.wants), {
            let pins = if set.is_empty() { format!("up to {ends}") } else { set.to_owned() };
            format!("pin what {here} has ({pins}), or name the index of the CUDA that you want")
        }),
        Lost::Development(b) => (
            format!("pip takes {} today: a final release outranks the development builds of {here}", shown(b)),
            "take the other index away, or add --pre".to_owned(),
        ),
        Lost::Tied(b) => (
            format!(
                "{package} {} is on {} and on {here}, for another CUDA each: pip may take either today",
                b.version,
                place(b.index)
            ),
            "name one index only (--index-url), or install the wheel by its address".to_owned(),
        ),
    }
}

fn place(id: &str) -> String {
    match id.rsplit_once('/') {
        Some((_, tag)) => format!("the {tag} index"),
        None if id == "pypi" => "PyPI".to_owned(),
        None => id.to_owned(),
    }
}
