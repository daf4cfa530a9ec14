use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Building, Compiled, Environment, Evidence, Holds, Image, Reason};
use crate::extension::{self, Compiles};

pub(super) static RULE: Rule = Rule {
    name: "arch-list-missing",
    level: Severity::Warning,
    page: include_str!("../../rules/arch-list-missing.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

/// The variable that names the chips where a build has none of its own.
const LIST: &str = "TORCH_CUDA_ARCH_LIST";

fn check(env: &Environment, out: &mut Out) {
    // Only while an image is built no GPU is there, and only of some images it is known which variables they set.
    let Some(image) = env.image.as_ref().filter(|image| env.is_built && extension::sets_no_variable(image)) else { return };
    for built in &env.compiled {
        // Without nvcc nothing is compiled.
        let nvcc = !built.toolkits.known.is_empty();
        if nvcc && extension::is_of_torch(built) && lacks_list(built) && extension::compiles(env, built) == Compiles::Surely {
            out.push(clash(image, built));
        }
    }
}

fn lacks_list(built: &Compiled) -> bool {
    let own = match &built.what {
        Building::Package { row, .. } => {
            row.own_architectures || !row.architectures_by.is_empty() && built.variables.contains_key(row.architectures_by)
        }
        Building::Program { .. } => false,
    };
    !own && !built.variables.contains_key(LIST)
}

fn clash(image: &Image, built: &Compiled) -> Clash {
    let name = extension::name(built);
    let message = format!("{name} is compiled in docker build, where no GPU is seen, and no {LIST} says for which chips");
    let compiled = Evidence { reason: Reason::Compiles { what: name.to_owned() }, ..built.evidence.clone() };
    let reason = Reason::Image { image: image.reference.clone(), cuda: image.row.map_or("", |row| row.cuda).to_owned() };
    let links = vec![compiled, Evidence { reason, ..image.evidence.clone() }];
    Clash::new(Holds::Always, message, links)
        .help(format!("write ENV {LIST}=\"8.0 8.6 9.0+PTX\" (the chips it is to run on) before it"))
}
