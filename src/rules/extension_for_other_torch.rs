use super::{Check, Clash, Needs, Out, Rule};
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Building, Conflict, Effect, Environment, Evidence, Holds, Origin, Reason, Step};
use crate::extension;
use crate::knowledge::{self, Basis, Release};
use crate::made_for_torch::{Named, Torch};
use crate::outline::Tool;
use crate::platform::Pythons;
use crate::version::{CudaVersion, Specifiers, Version};

pub(super) static RULE: Rule = Rule {
    name: "extension-for-other-torch",
    level: Severity::Error,
    page: include_str!("../../rules/extension-for-other-torch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // What another package moves is said of that.
    let moved = env
        .steps
        .iter()
        .flat_map(|step| &step.changes)
        .any(|change| change.package == "torch" && matches!(change.effect, Effect::Replaces { holds: Holds::Today, .. }));
    let torch = Torch::of(env).filter(|torch| torch.sure || !moved);
    for step in env.steps.iter().filter(|step| step.tool != Tool::Conda) {
        out.extend(step.conflicts.iter().filter_map(|conflict| conflicting(step, conflict)));
        let Some(torch) = &torch else { continue };
        let conflicts = |ask: &Ask| step.conflicts.iter().any(|conflict| conflict.package == ask.package);
        for ask in step.asks.iter().filter(|ask| is_extension(ask) && !conflicts(ask)) {
            let found = by_requirement(torch, ask, step.flags.no_deps)
                .or_else(|| by_name(torch, ask))
                .or_else(|| by_build(env, torch, ask));
            out.extend(found);
        }
    }
}

fn is_extension(ask: &Ask) -> bool {
    ask.package != "torch" && knowledge::companion_of(&ask.package).is_none() && ask.from != Origin::Required
}

fn asked(ask: &Ask) -> Evidence {
    let reason = Reason::Asked { package: ask.package.clone(), wants: ask.wants.to_string() };
    Evidence { reason, basis: Basis::Vendor, ..ask.evidence.clone() }
}

/// A release whose published requirement of torch fails in its own command, of a package each release of which is made for one torch.
fn conflicting(step: &Step, conflict: &Conflict) -> Option<Clash> {
    let ask = |name: &str| step.asks.iter().find(|ask| ask.package == name);
    let (package, torch) = (ask(&conflict.package)?, ask(&conflict.against)?);
    if conflict.against != "torch" || !is_extension(package) || !is_made_for_some(&conflict.package) {
        return None;
    }
    let version = package.alone.only().map(|build| build.version.public().to_string());
    let name = version
        .map_or_else(|| format!("{}{}", package.package, package.wants), |version| format!("{} {version}", package.package));
    let message = format!("{name} requires {}, and torch{} is asked for", conflict.requires, torch.wants);
    let reason = Reason::Requires { by: name.clone(), what: conflict.requires.clone() };
    let links = vec![Evidence { reason, ..package.evidence.clone() }, asked(torch)];
    let clash = Clash::new(Holds::Always, message, links);
    let wanted = torch.alone.only().or_else(|| torch.alone.today()).map(|build| build.version.public());
    let other = wanted.and_then(|torch| Some((chain::partner(&package.package, "torch", &torch)?, torch)));
    Some(match other {
        Some((release, torch)) => clash.help(format!("write {}=={release}, the release for torch {torch}", package.package)),
        None => clash.help(format!(
            "take {}, or a release of {} made for the torch that is asked for",
            conflict.requires, package.package
        )),
    })
}

/// A release of which each build requires another torch than the one that is there in the end.
fn by_requirement(torch: &Torch<'_>, ask: &Ask, on_purpose: bool) -> Option<Clash> {
    let pin = ask.wants.pin()?.public();
    // Where none of its wheels fits it is compiled against the torch that is there.
    if knowledge::source_build(&ask.package).is_some_and(|row| !row.fetches_wheels_unless.is_empty()) {
        return None;
    }
    let rows = || knowledge::releases(&ask.package).iter();
    let goes = |row: &'static Release| chain::goes_with(row, "torch", &torch.version);
    let mut own = rows().filter(|row| Version::parse(row.version).as_ref() == Some(&pin)).peekable();
    let first: &'static Release = own.peek()?;
    if torch.version.is_pre() || !is_made_for_some(&ask.package) || own.any(goes) {
        return None;
    }
    // Who switches its pin off for another patch knows what is done.
    let line = |version: &Version| version.to_string().split('.').take(2).collect::<Vec<_>>().join(".");
    let near = |wants: Specifiers| wants.pin().is_some_and(|pin| line(&pin) == line(&torch.version));
    if on_purpose && chain::demands(first, "torch").any(near) {
        return None;
    }
    let what = first.requires.iter().find(|text| text.starts_with("torch"))?.split(';').next()?.trim();
    let message = format!("{} {pin} goes with {what}, and torch {} is there", ask.package, torch.version);
    let reason = Reason::Requires { by: format!("{} {pin}", ask.package), what: what.to_owned() };
    let links = vec![Evidence { reason, basis: first.basis, ..ask.evidence.clone() }, torch.evidence.clone()];
    let clash = Clash::new(holds(torch), message, links);
    Some(match rows().rev().find(|row| goes(row)) {
        Some(other) => clash.help(format!("write {}=={}, which goes with torch {}", ask.package, other.version, torch.version)),
        None => clash.help(format!("take a torch that it goes with: {what}")),
    })
}

/// Whether releases of a package are made for some releases of torch and no others.
fn is_made_for_some(package: &str) -> bool {
    let bounded = |release: &'static Release| chain::demands(release, "torch").any(|wants| !wants.is_open_above());
    knowledge::releases(package).iter().any(|release| !release.built_with.is_empty() || bounded(release))
}

fn holds(torch: &Torch<'_>) -> Holds {
    if torch.sure { Holds::Always } else { Holds::Today }
}

/// A build that says by its local version or its file for which torch it is.
fn by_name(torch: &Torch<'_>, ask: &Ask) -> Option<Clash> {
    let pin = match &ask.from {
        Origin::Wheel(url) => local_of_file(url).map_or_else(|| ask.wants.pin().and_then(|pin| pin.local()), Some)?,
        _ => ask.wants.pin()?.local()?,
    };
    let named = Named::of(&pin);
    let own = torch.line()?;
    let message = match (named.torch, named.cuda, torch.cuda) {
        (Some(other), ..) if other != own => {
            format!("{} is built for torch {}.{} (+{pin}), and torch {} is there", ask.package, other.0, other.1, torch.version)
        }
        // Without a torch in its name the CUDA may be its own business.
        (Some(_), Some(cuda), Some(own)) if cuda.major() != own.major() => format!(
            "{} is built for CUDA {} (+{pin}), and torch {} of CUDA {} is there",
            ask.package,
            cuda.major(),
            torch.version,
            own.minor_only()
        ),
        (Some(_), Some(cuda), None) if torch.cpu => {
            format!(
                "{} is built for CUDA {} (+{pin}), and torch {} for the CPU is there",
                ask.package,
                cuda.major(),
                torch.version
            )
        }
        _ => return None,
    };
    let links = vec![asked(ask), torch.evidence.clone()];
    Some(Clash::new(holds(torch), message, links).help(format!("take a build of {} for torch {}.{}", ask.package, own.0, own.1)))
}

/// The local version in the name of a wheel, with `%2B` or `+` before it.
fn local_of_file(url: &str) -> Option<String> {
    let file = url.split(['?', '#']).next()?.rsplit('/').next()?.replace("%2B", "+").replace("%2b", "+");
    let version = file.split('-').nth(1)?;
    version.split_once('+').map(|(_, local)| local.to_owned())
}

/// A release whose wheel for this minor of torch was compiled against another of its releases, which it downloads by itself.
fn by_build(env: &Environment, torch: &Torch<'_>, ask: &Ask) -> Option<Clash> {
    let pin = ask.wants.pin()?.public();
    let downloads = |built: &&crate::environment::Compiled| match &built.what {
        Building::Package { row, .. } => row.name == ask.package && extension::fetches_wheels(row, built),
        Building::Program { .. } => false,
    };
    env.compiled.iter().find(downloads)?;
    let line = Version::parse(&format!("{}.{}.0", torch.line()?.0, torch.line()?.1))?;
    let fits = |row: &&'static Release| {
        let python = row.pythons.is_empty()
            || row.pythons.iter().filter_map(|p| Pythons::parse(p)).any(|set| set.meets(env.platform.wheels));
        let cuda = match (Named::of(row.tag).cuda.or_else(|| CudaVersion::of_tag(row.tag)), torch.cuda) {
            (Some(its), Some(own)) => its.major() == own.major(),
            _ => true,
        };
        Version::parse(row.version).as_ref() == Some(&pin) && chain::goes_with(row, "torch", &line) && python && cuda
    };
    let rows: Vec<&'static Release> = knowledge::releases(&ask.package).iter().filter(fits).collect();
    let built: Vec<Version> = rows.iter().map(|row| Version::parse(row.built_with)).collect::<Option<_>>()?;
    let own = torch.version.is_pre();
    let breaks =
        |row: &&'static Release| row.breaks_with.iter().any(|known| Version::parse(known).as_ref() == Some(&torch.version));
    let reported = rows.iter().all(breaks);
    if built.is_empty() || !(own || reported || built.iter().all(Version::is_pre)) {
        return None;
    }
    let with = built.iter().max()?;
    let nightly = built.iter().all(Version::is_pre);
    let message = if own {
        format!(
            "the wheel of {} {pin} is compiled against torch {with}, and the image has its own torch {}",
            ask.package, torch.version
        )
    } else {
        format!(
            "the wheel of {} {pin} for torch {}.{} is compiled against {with}, not against {}",
            ask.package,
            line_of(&line).0,
            line_of(&line).1,
            torch.version
        )
    };
    let basis = rows.iter().map(|row| row.basis).max()?;
    let reason =
        Reason::Carries { build: format!("{} {pin}", ask.package), kernels: format!("a wheel compiled against torch {with}") };
    let links = vec![Evidence { reason, basis, ..ask.evidence.clone() }, torch.evidence.clone()];
    let at_most = if nightly && !own { Severity::Error } else { Severity::Warning };
    let clash = Clash::new(holds(torch), message, links).at_most(at_most);
    let better = knowledge::releases(&ask.package).iter().rev().find(|row| {
        chain::goes_with(row, "torch", &line)
            && Version::parse(row.built_with).is_some_and(|with| !with.is_pre() && with <= torch.version)
    });
    let compile = match env.compiled.iter().find(downloads).map(|built| &built.what) {
        Some(Building::Package { row, .. }) => format!("compile it ({}=TRUE)", row.fetches_wheels_unless),
        _ => "compile it".to_owned(),
    };
    Some(match better.filter(|_| !own) {
        Some(row) => clash.help(format!(
            "write {}=={}, whose wheel is compiled against torch {}, or {compile}",
            ask.package, row.version, row.built_with
        )),
        None => clash.help(compile),
    })
}

fn line_of(version: &Version) -> (String, String) {
    let text = version.to_string();
    let mut numbers = text.split('.');
    (numbers.next().unwrap_or_default().to_owned(), numbers.next().unwrap_or_default().to_owned())
}
