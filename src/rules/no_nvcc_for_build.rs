use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Build, Compiled, Environment, Evidence, Holds, Image, Reason};
use crate::extension::{self, Compiles};
use crate::knowledge::{Basis, Flavour};
use crate::other_image;

pub(super) static RULE: Rule = Rule {
    name: "no-nvcc-for-build",
    level: Severity::Error,
    page: include_str!("../../rules/no-nvcc-for-build.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // A machine may have one that no file names.
    let Some(image) = &env.image else { return };
    let on_cpu = extension::torch(env).is_some_and(Build::is_cpu);
    for built in env.compiled.iter().filter(|built| !built.toolkits.open) {
        let silently = match extension::compiles(env, built) {
            Compiles::Surely => None,
            // Beside a torch for the CPU it is to be so.
            Compiles::IfThere(_) if on_cpu => continue,
            Compiles::IfThere(variable) => Some(variable),
            Compiles::Unknown => continue,
        };
        match silently {
            _ if built.toolkits.known.is_empty() => out.push(clash(image, built, silently)),
            // With nvcc, and no GPU to compile for.
            Some(variable) if env.is_built && !variable.is_empty() && extension::sets_no_variable(image) => {
                out.push(unforced(image, built, variable));
            }
            _ => {}
        }
    }
}

/// What looks for a GPU while an image is built, and is not told to compile for one anyway.
fn unforced(image: &Image, built: &Compiled, variable: &str) -> Clash {
    let name = extension::name(built);
    let message =
        format!("{name} is compiled for a GPU only where one is seen: docker build sees none, and {variable} is not set");
    let reason = Reason::Image { image: image.reference.clone(), cuda: image.row.map_or("", |row| row.cuda).to_owned() };
    let compiled = Evidence { reason: Reason::Compiles { what: name.to_owned() }, ..built.evidence.clone() };
    let links = vec![compiled, Evidence { reason, ..image.evidence.clone() }];
    let list = if built.variables.contains_key(LIST) { String::new() } else { format!(", and the chips by {LIST}") };
    Clash::new(Holds::Always, message, links)
        .at_most(Severity::Warning)
        .help(format!("set {variable}=1 for the command that builds it{list}"))
}

const LIST: &str = "TORCH_CUDA_ARCH_LIST";

fn clash(image: &Image, built: &Compiled, silently: Option<&str>) -> Clash {
    let name = extension::name(built);
    let message = match silently {
        None => format!("{name} is compiled here with nvcc, and {} has none", image.reference),
        Some(_) => format!("{name} is compiled here for the CPU only: {} has no nvcc", image.reference),
    };
    let reason = Reason::Image { image: image.reference.clone(), cuda: image.row.map_or("", |row| row.cuda).to_owned() };
    let compiled = Evidence { reason: Reason::Compiles { what: name.to_owned() }, ..built.evidence.clone() };
    // That no nvcc is in an image is no fact of its row but of its kind.
    let basis = if image.evidence.basis == Basis::Inferred { Basis::Vendor } else { image.evidence.basis };
    let links = vec![Evidence { reason, basis, ..image.evidence.clone() }, compiled];
    let clash = Clash::new(Holds::Always, message, links);
    let clash = if silently.is_some() { clash.at_most(Severity::Warning) } else { clash };
    let forced =
        silently.filter(|variable| !variable.is_empty()).map_or(String::new(), |variable| format!(", and set {variable}=1"));
    let devel = image.row.filter(|row| matches!(row.flavour, Flavour::Base | Flavour::Runtime)).and_then(other_image::with_nvcc);
    match devel {
        Some(devel) => clash.help(format!("build on {devel}{forced}")),
        None => clash
            .help(format!("build on an image with nvcc (a devel one), or install cuda-toolkit of torch's CUDA before{forced}")),
    }
}
