use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{self, Basis};
use crate::meant;
use crate::outline::Tool;
use crate::platform::Os;
use crate::resolve;

pub(super) static RULE: Rule = Rule {
    name: "conda-no-cuda-at-solve",
    level: Severity::Warning,
    page: include_str!("../../rules/conda-no-cuda-at-solve.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // Builds for CUDA are there for these two.
    if env.platform.os == Os::MacOs {
        return;
    }
    let told = env.variable("CONDA_OVERRIDE_CUDA").is_some();
    for step in env.steps.iter().filter(|step| step.tool == Tool::Conda && !told) {
        // While an image is built no driver is there; pixi works out for machines without CUDA unless it is told.
        let image = if env.is_built { meant::for_gpu(env) } else { None };
        if !step.no_cuda && image.is_none() {
            continue;
        }
        if let Some(ask) = step.asks.iter().find(|ask| goes_by_machine(step, ask)) {
            out.push(clash(step, ask, image));
        }
    }
}

/// Whether conda-forge has builds with and without CUDA of what is asked for, of which the solver takes one by the machine.
fn goes_by_machine(step: &Step, ask: &Ask) -> bool {
    let Some(spec) = ask.spec.as_ref().filter(|_| ask.package == "conda:pytorch") else { return false };
    let forge = Some("conda/conda-forge");
    let from = match spec.channel.as_deref() {
        Some(name) => resolve::channel(name),
        None => step
            .channels
            .iter()
            .map(|channel| channel.id)
            .find(|id| matches!(id, None | Some("conda/pytorch" | "conda/conda-forge")))
            .flatten(),
    };
    // A build string chooses, and so do these.
    let chosen = |name: &str| matches!(name, "conda:pytorch-gpu" | "conda:pytorch-cpu" | "conda:cpuonly" | "conda:pytorch-cuda");
    from == forge && spec.build.is_none() && !step.asks.iter().any(|other| chosen(&other.package))
}

fn clash(step: &Step, ask: &Ask, image: Option<Evidence>) -> Clash {
    let (who, help) = match image {
        Some(_) => {
            ("docker build sees no GPU", "set CONDA_OVERRIDE_CUDA to the CUDA of the machine it runs on (12.6) for this command")
        }
        None => {
            ("pixi is not told of any", "add [system-requirements] cuda = \"12\" (the CUDA that the machine's driver reports)")
        }
    };
    let message = format!("conda-forge's pytorch is solved without CUDA, as {who}: the build for the CPU comes");
    let mut first = ask.evidence.clone();
    let wants = ask.spec.as_ref().and_then(|spec| spec.version.clone()).unwrap_or_default();
    (first.reason, first.basis) = (Reason::Asked { package: "pytorch".to_owned(), wants }, Basis::Vendor);
    let mut links = vec![first];
    links.extend(step.channels.iter().find(|channel| channel.id == Some("conda/conda-forge")).map(|channel| Evidence {
        at: channel.at,
        reason: Reason::Index { index: knowledge::index_by_id("conda/conda-forge").map_or("", |index| index.id).to_owned() },
        also: Vec::new(),
        basis: Basis::Vendor,
        join: ask.evidence.join,
    }));
    links.extend(image);
    Clash::new(Holds::Always, message, links).help(help)
}
