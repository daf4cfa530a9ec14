use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{self, Basis, Release};
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
        let (mut files, mut lacks): (Vec<(&Ask, WheelName)>, Vec<Lack<'_>>) = (Vec::new(), Vec::new());
        for ask in &step.asks {
            match wheels::wheels(step, ask) {
                Some(Wheels::Released { admitted, all, listed }) if listed.meets(env.platform.bits()) => {
                    lacks.extend(Lack::of(env, ask, &admitted, all));
                }
                Some(Wheels::File(wheel)) if wheel.pythons != Pythons(0) && !wheel.pythons.meets(env.platform.wheels) => {
                    files.push((ask, wheel));
                }
                _ => {}
            }
        }
        while !lacks.is_empty() {
            // What is released with it is mended with it.
            let first = lacks.remove(0);
            let with = |other: &mut Lack<'_>| family(&other.ask.package) == family(&first.ask.package);
            let others: Vec<Lack<'_>> = lacks.extract_if(.., with).collect();
            out.push(of_releases(env, &first, &others, python));
        }
        out.extend(of_files(env, &files, python));
    }
}

/// An ask of which no release that it admits has a wheel for the Python.
struct Lack<'a> {
    ask: &'a Ask,
    admitted: Vec<&'static Release>,
    all: Vec<&'static Release>,
}

impl<'a> Lack<'a> {
    fn of(env: &Environment, ask: &'a Ask, admitted: &[&'static Release], all: Vec<&'static Release>) -> Option<Self> {
        let admitted = here(env, admitted);
        let lacks = !admitted.is_empty() && !admitted.iter().any(|row| wheels::fits_python(row, &env.platform));
        lacks.then_some(Self { ask, admitted, all })
    }
    /// The Pythons for which there are wheels.
    fn has(&self) -> Pythons {
        self.admitted.iter().fold(Pythons(0), |all, row| Pythons(all.0 | wheels::pythons(row).0))
    }
    fn evidence(&self) -> Evidence {
        let published = self.admitted.iter().any(|row| row.indexes.contains(&"pypi"));
        let basis = if published { Some(Basis::Metadata) } else { Basis::weakest(self.admitted.iter().map(|row| row.basis)) };
        Evidence {
            reason: Reason::Asked { package: self.ask.package.clone(), wants: self.ask.wants.to_string() },
            basis: basis.unwrap_or(Basis::Inferred),
            ..self.ask.evidence.clone()
        }
    }
}

fn here(env: &Environment, rows: &[&'static Release]) -> Vec<&'static Release> {
    rows.iter().copied().filter(|row| row.platforms.meets(env.platform.bits())).collect()
}

/// The framework that a package is released with, or itself.
fn family(package: &str) -> &str {
    knowledge::companion_of(package).unwrap_or(package)
}

fn of_releases(env: &Environment, first: &Lack<'_>, others: &[Lack<'_>], python: &Evidence) -> Clash {
    let (ask, has) = (first.ask, first.has());
    let (has_words, wants) = (wheels::in_words(has), wheels::in_words(env.platform.wheels));
    let shown = |lack: &Lack<'_>| format!("{}{}", lack.ask.package, lack.ask.wants);
    let names: Vec<String> =
        std::iter::once(shown(first)).chain(others.iter().filter(|other| other.has() == has).map(shown)).collect();
    let have = if names.len() == 1 { "has" } else { "have" };
    let message = format!("{} {have} wheels for Python {has_words} only, here it is {wants}", listed(&names));
    // Of a release without a list of Pythons it is not known for which it has wheels.
    let fits = |row: &&Release| !row.pythons.is_empty() && wheels::fits_python(row, &env.platform);
    let mut fitting: Vec<Version> =
        here(env, &first.all).into_iter().filter(fits).filter_map(|row| Version::parse(row.version)).collect();
    fitting.sort();
    // A Python that is too new asks for a newer release, one that is too old for an older one.
    let newer = env.platform.wheels.minors().next() > has.minors().last();
    let (other, which) = if newer { (fitting.first(), "first") } else { (fitting.last(), "last") };
    let nearest = if newer { has.minors().last() } else { has.minors().next() };
    let python_of = nearest.map(|minor| format!("take Python 3.{minor}")).unwrap_or_default();
    let help = match other {
        Some(other) => format!("{python_of}, or {} {other}, the {which} release with wheels for Python {wants}", ask.package),
        None => python_of,
    };
    let mut links = vec![first.evidence(), python.clone()];
    links.extend(others.iter().map(Lack::evidence));
    Clash::new(Holds::Always, message, links).help(help)
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
