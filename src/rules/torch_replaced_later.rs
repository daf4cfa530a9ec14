use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Build, Candidates, Change, Component, Effect, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{self, Index, Platforms, Release};
use crate::outline::Tool;
use crate::source::Span;
use crate::version::Version;

pub(super) static RULE: Rule = Rule {
    name: "torch-replaced-later",
    level: Severity::Warning,
    page: include_str!("../../rules/torch-replaced-later.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        for change in step.changes.iter().filter(|c| c.package == "torch" && c.chosen) {
            let Effect::Replaces { from, to, holds } = &change.effect else { continue };
            // A later step that brings the chosen build back repairs it.
            let stays = env.component("torch").is_some_and(|c| c.evidence.at == change.cause.at);
            if !stays {
                continue;
            }
            // Where neither has CUDA, no GPU loses anything.
            if is_without_cuda(env, change) {
                continue;
            }
            let requires = requirer(change);
            let message = format!("{} replaces torch {from} by {to}", requires.map_or("this step", |(by, ..)| by));
            let mut cause = change.cause.clone();
            if let Some((_, at, reason)) = requires {
                // Another line may ask for torch, too, and be met by what was there.
                (cause.at, cause.reason) = (at, reason.clone());
            }
            let mut before = change.before.clone();
            before.also.clear();
            let command = Evidence { at: step.at, reason: Reason::InstalledBy, also: Vec::new(), ..change.cause.clone() };
            let mut links = vec![cause, before, command];
            links.dedup_by(|a, b| a.at == b.at);
            let holds = if *holds == Holds::Always { Holds::Always } else { Holds::Today };
            let to_it = || format!(", or take torch {to} from the beginning");
            let of_uv = "say in the project where torch comes from ([tool.uv.sources]), or leave it alone (uv run --no-sync)";
            let help = match (mending(env, step, change, |_| true), requires) {
                // What pins torch itself is not held back by torch's own pin.
                (Some(Mending::Unnamed(mended)), _) => mended + &to_it(),
                (Some(Mending::Named(mended)), _) => mended,
                (None, _) if step.tool == Tool::Uv => of_uv.to_owned(),
                (None, _) => {
                    "install both in one command, or hold torch in the later one: pass its pin again with -c, and pin its companions"
                        .to_owned()
                }
            };
            let mut clash = Clash::new(holds, message, links).help(help);
            // Who writes another pin means it; the image or the earlier line may only be out of date.
            let pinned = step.asks.iter().any(|a| a.package == "torch" && a.wants.pin().is_some());
            // So does who writes an upgrade of torch into the command itself.
            let upgraded =
                step.flags.upgrade && step.asks.iter().any(|a| a.package == "torch" && step.at.contains(a.evidence.at));
            if requires.is_none() && (pinned || upgraded) {
                clash = clash
                    .at_most(Severity::Info)
                    .help("take one of the two away, so that only one torch is downloaded and meant");
            }
            out.push(clash);
        }
    }
}

/// What keeps the torch that was there, in words, where a component is what has replaced it and `runs` is not known to be false
/// of what was there.
pub(super) fn kept(env: &Environment, component: &Component, runs: impl Fn(&Build) -> Option<bool>) -> Option<String> {
    let changes = env.steps.iter().flat_map(|step| step.changes.iter().map(move |change| (step, change)));
    let replaces = |change: &Change| matches!(change.effect, Effect::Replaces { .. }) && change.chosen;
    let mut mine = changes.filter(|(_, change)| change.package == component.name && change.cause.at == component.evidence.at);
    let (step, change) = mine.find(|(_, change)| replaces(change))?;
    let before = asked_before(env, change)?;
    if !before.builds.iter().any(|build| runs(build) != Some(false)) {
        return None;
    }
    mending(env, step, change, |build| runs(build) == Some(true)).map(|mending| match mending {
        Mending::Named(words) | Mending::Unnamed(words) => words,
    })
}

/// Whether a wheel that nobody pins took the place of what conda had put there.
pub(super) fn takes_the_place_of_conda_s(env: &Environment, wheel: &Component) -> bool {
    let by_conda = |change: &Change| {
        let asks = env.steps.iter().filter(|step| step.tool == Tool::Conda).flat_map(|step| &step.asks);
        asks.into_iter().any(|ask| ask.evidence.at == change.before.at)
    };
    let pinned = |step: &Step| step.asks.iter().any(|ask| ask.package == wheel.name && ask.wants.pin().is_some());
    let replaces = |change: &Change| matches!(change.effect, Effect::Replaces { .. }) && change.package == wheel.name;
    let mut changes = env.steps.iter().filter(|step| !pinned(step)).flat_map(|step| &step.changes);
    changes.any(|change| replaces(change) && change.chosen && change.cause.at == wheel.evidence.at && by_conda(change))
}

/// What ends the replacement, in words.
enum Mending {
    /// Releases by name, or the installer to take.
    Named(String),
    /// Some release that the tables do not name.
    Unnamed(String),
}

/// `runs` says whether a build may be advised.
fn mending(env: &Environment, step: &Step, change: &Change, runs: impl Fn(&Build) -> bool) -> Option<Mending> {
    let Effect::Replaces { from, .. } = &change.effect else { return None };
    let by = requirer(change).map(|(by, ..)| by);
    let partners = by.and_then(|by| partners(step, name_of(by), from));
    let by_conda = |s: &Step| s.tool == Tool::Conda && s.asks.iter().any(|a| a.evidence.at == change.before.at);
    if env.steps.iter().any(by_conda) {
        // pip takes PyPI's build.
        let plain = Version::parse(from.split(' ').next()?).and_then(|version| on_pypi(&version.public(), env.platform.bits()));
        let or = if plain.is_none_or(|build| runs(&build)) { ", or all of them from pip" } else { "" };
        return Some(Mending::Named(match partners {
            Some(Partners { named, releases, torch }) => {
                format!("take {}, the {releases} for torch {torch}, from conda as torch is{or}", listed(&named))
            }
            None => format!("take torch and its companions from conda{or}"),
        }));
    }
    let by = by?;
    if let Some(Partners { named, releases, torch }) = partners {
        let index = own_index(env, step, change);
        // A line of a file that several commands install has no index of its own.
        if index.is_some() && !step.at.contains(change.cause.at) {
            let earlier = env.steps.iter().take_while(|other| !std::ptr::eq(*other, step)).flat_map(|other| &other.asks);
            let done = |name: &String| {
                earlier
                    .clone()
                    .any(|ask| ask.wants.pin().is_some_and(|pin| *name == format!("{}=={}", ask.package, pin.public())))
            };
            if named.iter().all(done) {
                return Some(Mending::Named(format!(
                    "write {} here, as the command that installs torch has it, or take the line away",
                    listed(&named)
                )));
            }
            return Some(Mending::Named(format!(
                "install {}, the {releases} for torch {torch}, in the command that installs torch",
                listed(&named)
            )));
        }
        let whence = index.map_or(String::new(), |index| format!(", from https://{} as torch is", index.address));
        return Some(Mending::Named(format!("write {}, the {releases} for torch {torch}{whence}", listed(&named))));
    }
    pins(step, by).then(|| Mending::Unnamed(format!("take a release of {} made for torch {from}", name_of(by))))
}

/// The build of a torch that PyPI has for a platform.
fn on_pypi(version: &Version, bits: Platforms) -> Option<Build> {
    let plain = |row: &&Release| row.indexes.contains(&"pypi") && row.platforms.meets(bits);
    let mut rows = knowledge::releases("torch").iter().filter(plain);
    let release = rows.find(|row| Version::parse(row.version).as_ref() == Some(version))?;
    Some(Build { version: version.clone(), index: "pypi", release })
}

/// By name and version, what requires the torch that comes, and where it is asked for.
fn requirer(change: &Change) -> Option<(&str, Span, &Reason)> {
    change.cause.also.iter().find_map(|(at, reason)| match reason {
        Reason::Requires { by, .. } => Some((by.as_str(), *at, reason)),
        _ => None,
    })
}

/// The builds that were there: of a wheel, or of conda's package.
fn asked_before<'a>(env: &'a Environment, change: &Change) -> Option<&'a Candidates> {
    let mut asks = env.steps.iter().flat_map(|step| &step.asks);
    let same = |ask: &Ask| ask.package == change.package || knowledge::provides(&ask.package) == Some(change.package.as_str());
    asks.find(|ask| same(ask) && ask.evidence.at == change.before.at).map(|ask| &ask.builds)
}

/// Whether both the torch that was there and the one that is there now are known to be for the CPU.
fn is_without_cuda(env: &Environment, change: &Change) -> bool {
    let before = asked_before(env, change);
    let now = env.component(&change.package).map(|now| &now.builds);
    let cpu = |builds: Option<&Candidates>| builds.and_then(|all| all.only().or_else(|| all.today())).is_some_and(Build::is_cpu);
    cpu(before) && cpu(now)
}

/// `torchvision` of `torchvision 0.22.0`.
fn name_of(build: &str) -> &str {
    build.split(' ').next().unwrap_or(build)
}

/// The index that the torch that was there came from, where the later step does not look at it.
fn own_index(env: &Environment, step: &Step, change: &Change) -> Option<&'static Index> {
    let before = asked_before(env, change)?;
    let build = before.only().or_else(|| before.today())?;
    let index = knowledge::index_by_id(build.index).filter(|index| index.local_versions && !index.address.is_empty())?;
    (!step.indexes.iter().any(|known| known.id == Some(index.id))).then_some(index)
}

/// Whether a step pins the package that requires another torch.
fn pins(step: &Step, build: &str) -> bool {
    step.asks.iter().any(|ask| ask.package == name_of(build) && ask.wants.pin().is_some())
}

/// Releases for the torch that was there.
struct Partners {
    /// `torchvision==0.21.0`.
    named: Vec<String>,
    /// `release` or `releases`.
    releases: &'static str,
    torch: Version,
}

/// Those of what requires another torch, and of all others of the command that are pinned to go with another.
fn partners(step: &Step, by: &str, torch: &str) -> Option<Partners> {
    let torch = Version::parse(torch.split(' ').next()?)?.public();
    let goes = |ask: &&Ask| ask.alone.builds.iter().any(|build| chain::goes_with(build.release, "torch", &torch));
    let others = step.asks.iter().filter(|ask| ask.package != by && ask.wants.pin().is_some() && !goes(ask));
    let other = others.filter_map(|ask| Some(format!("{}=={}", ask.package, chain::partner(&ask.package, "torch", &torch)?)));
    let first = format!("{by}=={}", chain::partner(by, "torch", &torch)?);
    let named: Vec<String> = std::iter::once(first).chain(other).collect();
    let releases = if named.len() == 1 { "release" } else { "releases" };
    Some(Partners { named, releases, torch })
}
