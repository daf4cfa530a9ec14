use super::{Check, Clash, Needs, Out, Rule};
use crate::chain;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Build, Candidates, Change, Effect, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{self, Index};
use crate::outline::Tool;
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
            let requires = change.cause.also.iter().find_map(|(_, reason)| match reason {
                Reason::Requires { by, .. } => Some((by.as_str(), reason)),
                _ => None,
            });
            let message = format!("{} replaces torch {from} by {to}", requires.map_or("this step", |(by, _)| by));
            let mut cause = change.cause.clone();
            if let Some((_, reason)) = requires {
                cause.reason = reason.clone();
            }
            let mut before = change.before.clone();
            before.also.clear();
            let command = Evidence { at: step.at, reason: Reason::InstalledBy, also: Vec::new(), ..change.cause.clone() };
            let mut links = vec![cause, before, command];
            links.dedup_by(|a, b| a.at == b.at);
            let holds = if *holds == Holds::Always { Holds::Always } else { Holds::Today };
            let mended = partner(step, requires.map(|(by, _)| by), from, own_index(env, step, change));
            let by_conda = |s: &Step| s.tool == Tool::Conda && s.asks.iter().any(|a| a.evidence.at == change.before.at);
            let help = match (mended, requires) {
                _ if env.steps.iter().any(by_conda) => "take torch and its companions from conda, or all of them from pip".to_owned(),
                (Some(mended), _) => mended,
                // What pins torch itself is not held back by torch's own pin.
                (None, Some((by, _))) if pins(step, by) => {
                    format!("take a release of {} made for torch {from}, or take torch {to} from the beginning", name_of(by))
                }
                _ => "install both in one command, or hold torch in the later one: pass its pin again with -c, and pin its companions"
                    .to_owned(),
            };
            let mut clash = Clash::new(holds, message, links).help(help);
            // Who writes another pin means it; the image or the earlier line may only be out of date.
            let pinned = step.asks.iter().any(|a| a.package == "torch" && a.wants.pin().is_some());
            if requires.is_none() && pinned {
                clash = clash
                    .at_most(Severity::Info)
                    .help("take one of the two away, so that only one torch is downloaded and meant");
            }
            out.push(clash);
        }
    }
}

/// Whether both the torch that was there and the one that is there now are known to be for the CPU.
fn is_without_cuda(env: &Environment, change: &Change) -> bool {
    let mut asks = env.steps.iter().flat_map(|step| &step.asks);
    let before = asks.find(|ask| ask.package == change.package && ask.evidence.at == change.before.at).map(|ask| &ask.builds);
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
    let mut asks = env.steps.iter().flat_map(|step| &step.asks);
    let ask = asks.find(|ask| ask.package == change.package && ask.evidence.at == change.before.at)?;
    let build = ask.builds.only().or_else(|| ask.builds.today())?;
    let index = knowledge::index_by_id(build.index).filter(|index| index.local_versions && !index.address.is_empty())?;
    (!step.indexes.iter().any(|known| known.id == Some(index.id))).then_some(index)
}

/// Whether a step pins the package that requires another torch.
fn pins(step: &Step, build: &str) -> bool {
    step.asks.iter().any(|ask| ask.package == name_of(build) && ask.wants.pin().is_some())
}

/// The releases for the torch that was there of the pinned companion, and of all others of the command that are pinned to
/// go with another.
fn partner(step: &Step, by: Option<&str>, torch: &str, index: Option<&Index>) -> Option<String> {
    let by = name_of(by.filter(|by| pins(step, by))?);
    let torch = Version::parse(torch.split(' ').next()?)?.public();
    let goes = |ask: &&Ask| ask.alone.builds.iter().any(|build| chain::goes_with(build.release, "torch", &torch));
    let others = step.asks.iter().filter(|ask| ask.package != by && ask.wants.pin().is_some() && !goes(ask));
    let other = others.filter_map(|ask| Some(format!("{}=={}", ask.package, chain::partner(&ask.package, "torch", &torch)?)));
    let first = format!("{by}=={}", chain::partner(by, "torch", &torch)?);
    let all: Vec<String> = std::iter::once(first).chain(other).collect();
    let release = if all.len() == 1 { "release" } else { "releases" };
    let whence = index.map_or(String::new(), |index| format!(", from https://{} as torch is", index.address));
    Some(format!("write {}, the {release} for torch {torch}{whence}", all.join(" and ")))
}
