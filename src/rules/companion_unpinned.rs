use super::{Check, Clash, Needs, Out, Rule};
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Build, Environment, Evidence, Holds, Origin, Reason, Step};
use crate::knowledge::{self, Basis};
use crate::made_for_torch::{self, Torch};
use crate::outline::Tool;
use crate::source::Span;
use crate::version::Version;

pub(super) static RULE: Rule = Rule {
    name: "companion-unpinned",
    level: Severity::Warning,
    page: include_str!("../../rules/companion-unpinned.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let Some(torch) = Torch::of(env) else { return };
    // A torch that is free goes up with what is newest.
    let held = env.steps.iter().flat_map(|step| &step.asks).any(|ask| ask.package == "torch" && !ask.wants.is_open_above());
    if !held {
        return;
    }
    for step in env.steps.iter().filter(|step| step.tool != Tool::Conda) {
        for ask in step.asks.iter().filter(|ask| is_free(ask) && made_for_torch::stays(env, ask)) {
            out.extend(clash(step, ask, &torch));
        }
    }
}

/// A companion that may come in any release.
fn is_free(ask: &Ask) -> bool {
    let companion = knowledge::companion_of(&ask.package) == Some("torch");
    companion && ask.wants.is_open_above() && ask.from == Origin::Index && ask.looked_for
}

fn clash(step: &Step, ask: &Ask, torch: &Torch<'_>) -> Option<Clash> {
    let build = ask.builds.today()?;
    let partner = chain::partner(&ask.package, "torch", &torch.version)?;
    if build.version.public() == Version::parse(partner)? || !is_for_another(build, torch) {
        return None;
    }
    let declares = chain::demands(build.release, "torch").next().is_some();
    // What it declares holds it in one step with torch.
    let why = if !declares {
        "it declares no torch".to_owned()
    } else if step.flags.no_deps {
        "--no-deps switches its own pin off".to_owned()
    } else {
        return None;
    };
    let message = format!(
        "{} is free beside torch {}: {} {} is taken today, and {why}",
        ask.package,
        torch.version,
        ask.package,
        build.version.public()
    );
    let reason = Reason::Asked { package: ask.package.clone(), wants: ask.wants.to_string() };
    let mut links = vec![Evidence { reason, basis: Basis::Vendor, ..ask.evidence.clone() }, torch.evidence.clone()];
    // A list that leaves torch free, too, is right by itself: who holds torch beside it has to hold the companion.
    let here = ask.evidence.at.file;
    let free_there =
        |(at, reason): &(Span, Reason)| at.file == here && matches!(reason, Reason::Asked { package, .. } if package == "torch");
    if torch.evidence.at.file != here && torch.evidence.also.iter().any(free_there) {
        links.swap(0, 1);
    }
    Some(
        Clash::new(Holds::Today, message, links)
            .help(format!("write {}=={partner}, the release for torch {}", ask.package, torch.version)),
    )
}

/// Whether a build is made for another release of torch.
fn is_for_another(build: &Build, torch: &Torch<'_>) -> bool {
    let declared: Vec<_> = chain::demands(build.release, "torch").collect();
    if !declared.is_empty() {
        return declared.iter().any(|wants| !wants.public().admits(&torch.version));
    }
    // Its number is that of the torch that it is released with, where it has its own row of builds.
    knowledge::releases(build.release.package)
        .iter()
        .filter_map(|row| Version::parse(row.version))
        .any(|version| version > torch.version && version == build.version.public())
}
