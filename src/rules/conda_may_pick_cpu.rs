use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Channel, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{self, Basis};
use crate::notation::match_spec::MatchSpec;
use crate::outline::Tool;
use crate::platform::Os;
use crate::resolve;
use crate::version::{CondaVersion, Version};

pub(super) static RULE: Rule = Rule {
    name: "conda-may-pick-cpu",
    level: Severity::Warning,
    page: include_str!("../../rules/conda-may-pick-cpu.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

const PYTORCH: &str = "conda/pytorch";

fn check(env: &Environment, out: &mut Out) {
    if env.platform.os == Os::MacOs {
        return;
    }
    for step in env.steps.iter().filter(|step| step.tool == Tool::Conda) {
        let asked = |name: &str| step.asks.iter().find(|ask| ask.package == name);
        // Who says so wants it, and a build string or this package chooses.
        if asked("conda:cpuonly").is_some() || asked("conda:pytorch-cpu").is_some() || asked("conda:pytorch-gpu").is_some() {
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
    let unknown = step.channels.iter().any(|channel| channel.id.is_none());
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
    let before =
        own.and_then(|own| step.channels[..own].iter().find(|c| matches!(c.id, Some("conda/conda-forge" | "conda/defaults"))));
    if let Some(before) = before.filter(|_| named.is_none() && !unknown) {
        links.push(named_channel(before));
        let name = before.id.unwrap_or_default().trim_start_matches("conda/");
        let cuda_name = cuda.package.trim_start_matches("conda:");
        let message = format!(
            "{name} comes before the pytorch channel, and its pytorch is not chosen by {cuda_name}: the build for the CPU may come"
        );
        let help = format!("put pytorch first among the channels, or write pytorch::pytorch{}", spec_of(&wants(ask)));
        return Some(Clash::new(Holds::Always, message, links).help(help));
    }
    // From 1.13 on pytorch-cuda chooses among the channel's builds, and cudatoolkit chooses nothing.
    // Source: pytorch/builder, conda/build_pytorch.sh: CONDA_CUDATOOLKIT_CONSTRAINT.
    let from_own = named == Some(Some(PYTORCH)) || named.is_none() && own.is_some() && before.is_none() && !unknown;
    if from_own && !by_chooser {
        let first = Version::parse(FIRST_BY_PYTORCH_CUDA)?;
        let rows = || knowledge::releases("conda:pytorch").iter().filter(|row| row.indexes.contains(&PYTORCH));
        let admitted = rows().filter(|row| CondaVersion::parse(row.version).is_some_and(|version| spec.admits(&version)));
        let versions: Vec<Version> = admitted.filter_map(|row| Version::parse(row.version)).collect();
        let newest = versions.iter().max()?;
        if *newest < first {
            return None;
        }
        let all = versions.iter().all(|version| *version >= first);
        let message = format!("cudatoolkit chooses no build of pytorch {newest}: without pytorch-cuda the one for the CPU comes");
        let older = if all { String::new() } else { ", or hold pytorch below 1.13".to_owned() };
        let help = format!("write pytorch-cuda=11.8 or 12.1 in the place of cudatoolkit, with the nvidia channel{older}");
        return Some(Clash::new(if all { Holds::Always } else { Holds::Today }, message, links).help(help));
    }
    None
}

/// The first release whose builds are chosen by pytorch-cuda.
const FIRST_BY_PYTORCH_CUDA: &str = "1.13.0";

fn spec_of(version: &str) -> String {
    if version.starts_with(['=', '<', '>', '!', '~']) || version.is_empty() { version.to_owned() } else { format!("={version}") }
}
