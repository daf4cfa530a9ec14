use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Ask, Build, Channel, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{self, Basis, Release};
use crate::notation::match_spec::MatchSpec;
use crate::outline::Tool;
use crate::platform::Os;
use crate::resolve;
use crate::version::CudaVersion;

pub(super) static RULE: Rule = Rule {
    name: "conda-may-pick-cpu",
    level: Severity::Warning,
    page: include_str!("../../rules/conda-may-pick-cpu.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

const PYTORCH: &str = "conda/pytorch";
const FORGE: &str = "conda/conda-forge";

fn check(env: &Environment, out: &mut Out) {
    if env.platform.os == Os::MacOs {
        return;
    }
    for step in env.steps.iter().filter(|step| step.tool == Tool::Conda) {
        let asked = |name: &str| step.asks.iter().find(|ask| ask.package == name);
        // Who says so wants it, and a build string or this package chooses.
        if asked("conda:cpuonly").is_some()
            || asked("conda:pytorch-cpu").is_some()
            || asked("conda:pytorch-gpu").is_some()
            || asked("conda:cuda-version").is_some()
        {
            continue;
        }
        let chooser = asked("conda:pytorch-cuda");
        // One of them says that a GPU is meant.
        let Some(cuda) = chooser.or_else(|| asked("conda:cudatoolkit")) else { continue };
        let Some(ask) = asked("conda:pytorch") else { continue };
        let Some(spec) = ask.spec.as_ref().filter(|spec| spec.build.is_none()) else { continue };
        out.extend(clash(step, ask, spec, cuda, chooser.is_some()));
    }
}

fn clash(step: &Step, ask: &Ask, spec: &MatchSpec, cuda: &Ask, by_chooser: bool) -> Option<Clash> {
    let named = spec.channel.as_deref().map(resolve::channel);
    // What a channel has of which nothing is known goes before all behind it.
    let known = step.channels.iter().take_while(|channel| channel.id.is_some()).count();
    let place = |id: &str| step.channels.iter().position(|channel| channel.id == Some(id));
    let of = |ask: &Ask, version: &str| Evidence {
        reason: Reason::Asked { package: ask.package.trim_start_matches("conda:").to_owned(), wants: version.to_owned() },
        basis: Basis::Vendor,
        ..ask.evidence.clone()
    };
    let wants = |ask: &Ask| ask.spec.as_ref().and_then(|spec| spec.version.clone()).unwrap_or_default();
    let mut links = vec![of(ask, &wants(ask)), of(cuda, &wants(cuda))];
    let named_channel = |channel: &Channel| Evidence {
        at: channel.at,
        reason: Reason::Index { index: channel.id.unwrap_or_default().to_owned() },
        also: Vec::new(),
        basis: Basis::Vendor,
        join: ask.evidence.join,
    };
    // The first channel that has the package goes before the others with all that it has.
    // Source: <https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-channels.html>.
    let own = place(PYTORCH);
    let others = |channels: &'_ [Channel]| channels.iter().position(|c| matches!(c.id, Some(FORGE | "conda/defaults")));
    let before = own.and_then(|own| others(&step.channels[..own])).filter(|at| *at < known && named.is_none());
    if let Some(before) = before.map(|at| &step.channels[at]) {
        links.push(named_channel(before));
        let name = before.id.unwrap_or_default().trim_start_matches("conda/");
        let cuda_name = cuda.package.trim_start_matches("conda:");
        let message = format!(
            "{name} comes before the pytorch channel, and its pytorch is not chosen by {cuda_name}: the build for the CPU may come"
        );
        let help = format!("put pytorch first among the channels, or write pytorch::pytorch{}", spec_of(&wants(ask)));
        return Some(Clash::new(Holds::Always, message, links).help(help));
    }
    let first = || {
        let mut channels = step.channels[..known].iter().filter_map(|channel| channel.id);
        channels.find(|id| matches!(*id, PYTORCH | FORGE | "conda/defaults"))
    };
    by_solver(step, ask, named.unwrap_or_else(first)?, cuda, by_chooser, links)
}

/// What the solver is left with once the builds for CUDA are gone that do not go with what is asked for beside them.
fn by_solver(step: &Step, ask: &Ask, from: &str, cuda: &Ask, by_chooser: bool, links: Vec<Evidence>) -> Option<Clash> {
    let here = |builds: &'_ [Build]| -> Vec<Build> { builds.iter().filter(|build| build.index == from).cloned().collect() };
    let (all, left) = (here(&ask.alone.builds), here(&ask.builds.builds));
    let newest = all.iter().map(|build| &build.version).max()?.clone();
    let of_newest = |builds: &[Build]| -> Vec<Build> { builds.iter().filter(|build| build.version == newest).cloned().collect() };
    let (of_all, of_left) = (of_newest(&all), of_newest(&left));
    let tags: Vec<&str> = of_all.iter().filter(|build| build.cuda().is_some()).map(|build| build.release.tag).collect();
    // Of a release whose builds are not all known nothing is said.
    if tags.is_empty() || !of_left.iter().any(Build::is_cpu) {
        return None;
    }
    let name = cuda.package.trim_start_matches("conda:");
    let wants = cuda.spec.as_ref().and_then(|spec| spec.version.as_deref()).unwrap_or_default().trim_start_matches('=');
    let comes = of_left.iter().filter(|build| build.cuda().is_some()).collect::<Vec<_>>();
    let holds = if all.iter().all(|build| build.version == newest) { Holds::Always } else { Holds::Today };
    if comes.is_empty() {
        let message =
            format!("pytorch {newest} has no build for {name} {wants} (it has {}): the one for the CPU comes", cudas(&tags));
        let help = match from {
            FORGE => "take conda-forge's pytorch-gpu with cuda-version of a CUDA that it is built for".to_owned(),
            _ => format!("write {name} of a CUDA that it is built for ({})", cudas(&tags)),
        };
        return Some(Clash::new(holds, message, links).help(help));
    }
    // Builds that pytorch-cuda chooses need it, and it needs the packages of CUDA.
    let missing = comes.iter().all(|build| match chooser_of(build) {
        Some(version) => !has_cuda(step, version),
        None => false,
    });
    if !missing {
        return None;
    }
    let channel = if comes.iter().any(|build| chooser_of(build).is_some_and(|version| !version.starts_with("11."))) {
        "the nvidia channel or conda-forge"
    } else {
        "the nvidia channel"
    };
    let (message, help) = if by_chooser {
        (
            format!("{name} {wants} needs packages of {channel}, which is not named: the build for the CPU comes, or none"),
            "name the nvidia channel beside pytorch".to_owned(),
        )
    } else {
        (
            format!("{name} chooses no build of pytorch {newest}: without pytorch-cuda the one for the CPU comes"),
            format!("write pytorch-cuda={} in the place of {name}, with the nvidia channel", cudas(&tags[tags.len() - 1..])),
        )
    };
    Some(Clash::new(holds, message, links).help(help))
}

/// The pytorch-cuda that a build requires: `11.8`.
fn chooser_of(build: &Build) -> Option<&'static str> {
    build
        .release
        .requires
        .iter()
        .find_map(|text| text.strip_prefix("pytorch-cuda=="))
        .map(|version| version.trim_end_matches(".*"))
}

/// Whether a channel in reach has the packages that a pytorch-cuda needs: up to 11.8 NVIDIA's alone does.
/// Source: <https://github.com/pytorch/builder/blob/release/2.5/conda/pytorch-cuda/meta.yaml>; conda:cuda-cudart in the tables.
fn has_cuda(step: &Step, version: &str) -> bool {
    let minor = CudaVersion::parse(version);
    let of_it = |row: &&Release| row.cuda().zip(minor).is_some_and(|(own, minor)| own.same_minor(&minor) == Some(true));
    let rows: Vec<&Release> = knowledge::releases("conda:cuda-cudart").iter().filter(of_it).collect();
    let serves = |id: &str| rows.iter().any(|row| row.indexes.contains(&id));
    let pinned = step.asks.iter().filter_map(|ask| ask.spec.as_ref()?.channel.as_deref()).map(resolve::channel);
    let mut ids = step.channels.iter().map(|channel| channel.id).chain(pinned);
    rows.is_empty() || ids.any(|id| id.is_none_or(serves))
}

/// `11.7 and 11.8` of `cu117`, `cu118`.
fn cudas(tags: &[&str]) -> String {
    let mut all: Vec<CudaVersion> = tags.iter().filter_map(|tag| CudaVersion::of_tag(tag)).collect();
    all.sort_by_key(|cuda| (cuda.major(), cuda.minor()));
    all.dedup();
    listed(&all.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn spec_of(version: &str) -> String {
    if version.starts_with(['=', '<', '>', '!', '~']) || version.is_empty() { version.to_owned() } else { format!("={version}") }
}
