use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Compiled, Effect, Environment, Evidence, Holds, Reason};
use crate::extension::{self, Compiles, Nvccs};

pub(super) static RULE: Rule = Rule {
    name: "nvcc-mismatch",
    level: Severity::Error,
    page: include_str!("../../rules/nvcc-mismatch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for built in env.compiled.iter().filter(|built| extension::sees_torch(built)) {
        let at_most = match extension::compiles(env, built) {
            Compiles::Surely => Severity::Error,
            // On a machine with nvcc there is a GPU, too.
            Compiles::IfThere(_) if !env.is_built => Severity::Warning,
            _ => continue,
        };
        out.extend(clash(env, built).map(|clash| Clash { at_most: clash.at_most.min(at_most), ..clash }));
    }
}

fn clash(env: &Environment, built: &Compiled) -> Option<Clash> {
    // What it was compiled against is gone since.
    let changes = env.steps.iter().skip(built.after).flat_map(|step| &step.changes);
    if changes.into_iter().any(|change| change.package == "torch" && matches!(change.effect, Effect::Replaces { .. })) {
        return None;
    }
    let torch = env.component("torch").or_else(|| env.component("conda:pytorch")).filter(|torch| !torch.may_be_another())?;
    let build = extension::torch(env)?;
    let own = build.cuda()?;
    let (nvcc, by) = extension::nvcc(built)?;
    // How far the majors differ, else the minors.
    let majors = torch.builds.hold(|build| Some(build.cuda()?.major() != nvcc.major()));
    let minors = torch.builds.hold(|build| build.cuda()?.same_minor(&nvcc).map(|same| !same));
    let (holds, major) = match (majors, minors) {
        (Holds::Always | Holds::Today, _) => (majors, true),
        (_, Holds::Always | Holds::Today) => (minors, false),
        _ => return None,
    };
    let name = extension::name(built);
    let (own_minor, nvcc_minor) = (own.minor_only(), nvcc.minor_only());
    let message =
        format!("{name} is compiled with the nvcc of CUDA {nvcc_minor} against torch {} of CUDA {own_minor}", build.version);
    let toolkit = match by {
        Nvccs::Named(set) => set.evidence.clone(),
        Nvccs::Brought(toolkit) => {
            let by = match &toolkit.evidence.reason {
                Reason::Puts { what } => what.clone(),
                Reason::Image { image, .. } => image.clone(),
                Reason::Asked { package, .. } | Reason::Comes { package, .. } => package.trim_start_matches("conda:").to_owned(),
                _ => "this".to_owned(),
            };
            Evidence { reason: Reason::Nvcc { by, cuda: nvcc_minor.to_string() }, ..toolkit.evidence.clone() }
        }
    };
    let compiled = Evidence { reason: Reason::Compiles { what: name.to_owned() }, ..built.evidence.clone() };
    let clash = Clash::new(holds, message, vec![torch.evidence.clone(), toolkit, compiled]);
    let help = if major {
        format!("torch refuses to build with another major: compile with CUDA {own_minor}, or take a torch for CUDA {nvcc_minor}")
    } else {
        format!("another minor usually works; CUDA {own_minor} is sure to")
    };
    Some(clash.at_most(if major { Severity::Error } else { Severity::Info }).help(help))
}
