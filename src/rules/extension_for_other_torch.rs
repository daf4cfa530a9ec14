use super::{Check, Clash, Needs, Out, Rule};
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Build, Building, Conflict, Effect, Environment, Evidence, Holds, Origin, Reason, Step};
use crate::extension;
use crate::knowledge::{self, Basis, Release};
use crate::made_for_torch::{self, Compiled, Named, Torch};
use crate::meant;
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
        let compiled = |package: &str| is_compiled_anew(step, package);
        out.extend(step.conflicts.iter().filter(|c| !compiled(&c.package)).filter_map(|conflict| conflicting(step, conflict)));
        let Some(torch) = &torch else { continue };
        let conflicts = |ask: &Ask| step.conflicts.iter().any(|conflict| conflict.package == ask.package);
        let asks = step.asks.iter().filter(|ask| is_extension(ask) && !conflicts(ask) && !compiled(&ask.package));
        // What a later step takes away or replaces is no part of it.
        for ask in asks.filter(|ask| made_for_torch::stays(env, ask)) {
            let found = by_requirement(torch, ask, step.flags.no_deps)
                .or_else(|| by_name(env, torch, ask))
                .or_else(|| by_cuda(torch, ask))
                .or_else(|| by_build(env, torch, ask));
            out.extend(found);
        }
    }
}

/// Whether a step is told to compile a package from its sources, against the torch that is there.
fn is_compiled_anew(step: &Step, package: &str) -> bool {
    step.flags.no_binary.iter().any(|name| name.known().is_none_or(|name| name == package || name == ":all:"))
}

fn is_extension(ask: &Ask) -> bool {
    ask.package != "torch" && knowledge::companion_of(&ask.package).is_none() && ask.from != Origin::Required
}

/// Whether all of its builds come from pages for one torch each: what these are for no wheel requires, and the page is spoken of.
fn is_of_pages(ask: &Ask) -> bool {
    !ask.alone.builds.is_empty() && ask.alone.builds.iter().all(|build| Named::of(build.index).torch.is_some())
}

fn asked(ask: &Ask) -> Evidence {
    let reason = Reason::Asked { package: ask.package.clone(), wants: ask.wants.to_string() };
    Evidence { reason, basis: Basis::Vendor, ..ask.evidence.clone() }
}

/// A release whose published requirement of torch fails in its own command, of a package each release of which is made for one torch.
fn conflicting(step: &Step, conflict: &Conflict) -> Option<Clash> {
    let ask = |name: &str| step.asks.iter().find(|ask| ask.package == name);
    let (package, torch) = (ask(&conflict.package)?, ask(&conflict.against)?);
    let unsaid = !is_extension(package) || !is_made_for_some(&conflict.package) || is_of_pages(package);
    if conflict.against != "torch" || unsaid {
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

/// A build that says by its local version, its file or the folder of that for which torch it is.
fn by_name(env: &Environment, torch: &Torch<'_>, ask: &Ask) -> Option<Clash> {
    let pin = || ask.wants.pin().and_then(|pin| pin.local());
    let (said, folder) = match &ask.from {
        Origin::Wheel(url) => (local_of_file(url).or_else(pin), folder_of_file(url)),
        _ => (pin(), None),
    };
    let said = said.map(|local| (Named::of(&local), format!("+{local}"))).filter(|(named, _)| named.torch.is_some());
    let folder = folder.map(|folder| (Named::of(folder), format!("from {folder}"))).filter(|(named, _)| named.is_whole());
    // Without a torch in its name the CUDA may be its own business.
    let (named, by) = said.or(folder)?;
    let (other, own) = (named.torch?, torch.line()?);
    let there = format!("torch {}", torch.version);
    let (made_for, there, at_most) = match (named.cuda, torch.cuda) {
        _ if other != own => (format!("torch {}.{}", other.0, other.1), there, Severity::Error),
        (Some(cuda), Some(own)) if cuda.major() != own.major() => {
            (format!("CUDA {}", cuda.major()), format!("{there} of CUDA {}", own.minor_only()), Severity::Error)
        }
        (Some(cuda), None) if torch.cpu => (format!("CUDA {}", cuda.major()), format!("{there} for the CPU"), Severity::Error),
        // It loads, and knows nothing of the GPU.
        (None, Some(own)) if named.cpu && meant::is_for_gpu(env, torch.index) => {
            ("the CPU".to_owned(), format!("{there} of CUDA {}", own.minor_only()), Severity::Warning)
        }
        _ => match (named.cxx11?, torch.cxx11?) {
            (true, false) => ("a torch with C++11's ABI".to_owned(), format!("{there} without it"), Severity::Error),
            (false, true) => ("a torch without C++11's ABI".to_owned(), format!("{there} with it"), Severity::Error),
            _ => return None,
        },
    };
    let message = format!("{} is built for {made_for} ({by}), and {there} is there", ask.package);
    let abi = |cxx11: bool| format!(" with cxx11abi{}", if cxx11 { "TRUE" } else { "FALSE" });
    let abi = torch.cxx11.filter(|_| named.cxx11.is_some()).map_or(String::new(), abi);
    let clash = Clash::new(holds(torch), message, vec![asked(ask), torch.evidence.clone()]).at_most(at_most);
    Some(clash.help(format!("take a build of {} for torch {}.{}{abi}", ask.package, own.0, own.1)))
}

/// A release made for the torch that is there, in a build for another CUDA: a library of that major is not there.
fn by_cuda(torch: &Torch<'_>, ask: &Ask) -> Option<Clash> {
    let cuda = torch.cuda?;
    let build = ask.builds.only().or_else(|| ask.builds.today())?;
    let other = |build: &Build| {
        // By its own tag alone: what is made for one torch may be Python only.
        CudaVersion::of_tag(build.release.tag)?;
        let compiled = Compiled::of(build.release)?;
        Some(chain::goes_with(build.release, "torch", &torch.version) && !compiled.goes_with(&torch.version, &cuda))
    };
    // Which of several builds of one number comes is not known.
    let same = |it: &&Build| it.version.public() == build.version.public();
    if !ask.builds.builds.iter().filter(same).all(|it| other(it) == Some(true)) {
        return None;
    }
    let built = Compiled::of(build.release)?.cuda;
    let name = format!("{} {}", ask.package, build.version.public());
    let message =
        format!("{name} is built for CUDA {}, and torch {} of CUDA {} is there", built.major(), torch.version, cuda.minor_only());
    let holds = if torch.sure { ask.builds.hold(other) } else { Holds::Today };
    let clash = Clash::new(holds, message, vec![ask.evidence.clone(), torch.evidence.clone()]);
    let fits = |row: &&'static Release| {
        row.version == build.release.version && Compiled::of(row).is_some_and(|it| it.goes_with(&torch.version, &cuda))
    };
    let mut rows = knowledge::releases(&ask.package).iter().filter(fits);
    let index =
        rows.find_map(|row| row.indexes.iter().filter_map(|id| knowledge::index_by_id(id)).find(|i| !i.address.is_empty()));
    Some(match index {
        Some(index) => clash.help(format!("take it from https://{}", index.address)),
        None => clash.help(format!("take a torch {} of CUDA {}", torch.version, built.major())),
    })
}

/// The local version in the name of a wheel, with `%2B` or `+` before it.
fn local_of_file(url: &str) -> Option<String> {
    let file = url.split(['?', '#']).next()?.rsplit('/').next()?.replace("%2B", "+").replace("%2b", "+");
    let version = file.split('-').nth(1)?;
    version.split_once('+').map(|(_, local)| local.to_owned())
}

/// The folder that a wheel of an address lies in, without the host.
fn folder_of_file(url: &str) -> Option<&str> {
    let path = url.split(['?', '#']).next()?.split_once("://")?.1.split_once('/')?.1;
    path.rsplit_once('/').map(|(folder, _)| folder)
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
        let cuda = match (Named::of(row.tag).cuda, torch.cuda) {
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
    // Many a nightly was chosen for such an image.
    if torch.nightly.as_ref().is_some_and(|nightly| built.contains(nightly)) {
        return None;
    }
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
