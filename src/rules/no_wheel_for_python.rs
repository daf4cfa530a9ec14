use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{Basis, Release};
use crate::notation::wheel::WheelName;
use crate::outline::Tool;
use crate::platform::Pythons;
use crate::version::Version;
use crate::wheels::{self, Wheels};

pub(super) static RULE: Rule = Rule {
    name: "no-wheel-for-python",
    level: Severity::Error,
    page: include_str!("../../rules/no-wheel-for-python.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let Some(python) = &env.python else { return };
    // conda's packages are none; uv brings a Python of its own where the image's is not the one it wants.
    let installs = |step: &&Step| step.tool != Tool::Conda && (step.tool != Tool::Uv || env.image.is_none());
    for step in env.steps.iter().filter(installs) {
        let mut files: Vec<(&Ask, WheelName)> = Vec::new();
        for ask in &step.asks {
            match wheels::wheels(step, ask) {
                Some(Wheels::Released { admitted, all, listed }) if listed.meets(env.platform.bits()) => {
                    out.extend(of_releases(env, ask, &admitted, &all, python));
                }
                Some(Wheels::File(wheel)) if wheel.pythons != Pythons(0) && !wheel.pythons.meets(env.platform.wheels) => {
                    files.push((ask, wheel));
                }
                _ => {}
            }
        }
        out.extend(of_files(env, &files, python));
    }
}

fn of_releases(
    env: &Environment,
    ask: &Ask,
    admitted: &[&'static Release],
    all: &[&'static Release],
    python: &Evidence,
) -> Option<Clash> {
    let here = |rows: &[&'static Release]| -> Vec<&'static Release> {
        rows.iter().copied().filter(|row| row.platforms.meets(env.platform.bits())).collect()
    };
    let rows = here(admitted);
    if rows.is_empty() || rows.iter().any(|row| wheels::fits_python(row, &env.platform)) {
        return None;
    }
    let has = rows.iter().fold(Pythons(0), |all, row| Pythons(all.0 | wheels::pythons(row).0));
    let (has_words, wants) = (wheels::in_words(has), wheels::in_words(env.platform.wheels));
    let message = format!("{}{} has wheels for Python {has_words} only, here it is {wants}", ask.package, ask.wants);
    let fits = here(all).into_iter().filter(|row| wheels::fits_python(row, &env.platform));
    let mut others: Vec<Version> = fits.filter_map(|row| Version::parse(row.version)).collect();
    others.sort();
    // A Python that is too new asks for a newer release, one that is too old for an older one.
    let newer = env.platform.wheels.minors().next() > has.minors().last();
    let (other, which) = if newer { (others.first(), "first") } else { (others.last(), "last") };
    let nearest = if newer { has.minors().last() } else { has.minors().next() };
    let python_of = nearest.map(|minor| format!("take Python 3.{minor}")).unwrap_or_default();
    let help = match other {
        Some(other) => format!("{python_of}, or {} {other}, the {which} release with wheels for Python {wants}", ask.package),
        None => python_of,
    };
    let published = rows.iter().any(|row| row.indexes.contains(&"pypi"));
    let basis = if published { Some(Basis::Metadata) } else { Basis::weakest(rows.iter().map(|row| row.basis)) };
    let asked = Evidence {
        reason: Reason::Asked { package: ask.package.clone(), wants: ask.wants.to_string() },
        basis: basis.unwrap_or(Basis::Inferred),
        ..ask.evidence.clone()
    };
    Some(Clash::new(Holds::Always, message, vec![asked, python.clone()]).help(help))
}

/// Wheels that are named one by one are for one Python together: the first speaks.
fn of_files(env: &Environment, files: &[(&Ask, WheelName)], python: &Evidence) -> Option<Clash> {
    let (_, wheel) = files.first()?;
    let (name, version) = (&wheel.name, &wheel.version);
    let (has, here) = (wheels::in_words(wheel.pythons), wheels::in_words(env.platform.wheels));
    let message = format!("this wheel of {name} {version} is for Python {has}, here it is {here}");
    let asked = |(ask, wheel): &(&Ask, WheelName)| Evidence {
        reason: Reason::Asked { package: wheel.name.clone(), wants: format!("=={}", wheel.version) },
        basis: Basis::Metadata,
        ..ask.evidence.clone()
    };
    let mut links: Vec<Evidence> = files.iter().map(asked).collect();
    links.insert(1, python.clone());
    Some(Clash::new(Holds::Always, message, links).help(format!("name the wheel for Python {here}, or take Python {has}")))
}
