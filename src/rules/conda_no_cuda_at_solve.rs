use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::Basis;
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

const FORGE: &str = "conda/conda-forge";

fn check(env: &Environment, out: &mut Out) {
    // Builds for CUDA are there for the others.
    if env.platform.os == Os::MacOs || env.thrown_away {
        return;
    }
    for step in env.steps.iter().filter(|step| step.tool == Tool::Conda && step.no_cuda) {
        let meant = meant::for_gpu(env);
        // An image without a word of a GPU is for the CPU; a pixi project may be for either.
        let at_most = match (&meant, env.is_built) {
            (Some(_), _) => Severity::Warning,
            (None, false) if !meant::is_for_others(env) => Severity::Info,
            (None, _) => continue,
        };
        if let Some(ask) = step.asks.iter().find(|ask| goes_by_machine(step, ask)) {
            out.push(clash(env, step, ask, meant).at_most(at_most));
        }
    }
}

/// Whether conda-forge has builds with and without CUDA of what is asked for, of which the solver takes one by the machine.
fn goes_by_machine(step: &Step, ask: &Ask) -> bool {
    let Some(spec) = ask.spec.as_ref().filter(|_| ask.package == "conda:pytorch") else { return false };
    let from = match spec.channel.as_deref() {
        Some(name) => resolve::channel(name),
        None => {
            let mut channels = step.channels.iter().map(|channel| channel.id);
            channels.find(|id| matches!(id, None | Some("conda/pytorch" | "conda/defaults" | FORGE))).flatten()
        }
    };
    // A build string chooses, and so do these.
    let chosen = |name: &str| matches!(name, "conda:pytorch-gpu" | "conda:pytorch-cpu" | "conda:cpuonly" | "conda:pytorch-cuda");
    from == Some(FORGE) && spec.build.is_none() && !step.asks.iter().any(|other| chosen(&other.package))
}

fn clash(env: &Environment, step: &Step, ask: &Ask, meant: Option<Evidence>) -> Clash {
    let (who, help) = if env.is_built {
        ("docker build sees no GPU", "set CONDA_OVERRIDE_CUDA to the CUDA of the machine it runs on (12.6) for this command")
    } else {
        ("pixi is not told of any", "add [system-requirements] cuda = \"12\" (the CUDA that the machine's driver reports)")
    };
    let message = format!("conda-forge's pytorch is solved without CUDA, as {who}: the build for the CPU comes");
    let mut first = ask.evidence.clone();
    let wants = ask.spec.as_ref().and_then(|spec| spec.version.clone()).unwrap_or_default();
    (first.reason, first.basis) = (Reason::Asked { package: "pytorch".to_owned(), wants }, Basis::Vendor);
    let mut links = vec![first];
    links.extend(step.channels.iter().find(|channel| channel.id == Some(FORGE)).map(|channel| Evidence {
        at: channel.at,
        reason: Reason::Index { index: FORGE.to_owned() },
        also: Vec::new(),
        basis: Basis::Vendor,
        join: ask.evidence.join,
    }));
    links.extend(meant);
    Clash::new(Holds::Always, message, links).help(help)
}
