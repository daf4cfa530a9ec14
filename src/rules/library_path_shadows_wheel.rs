use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Component, Environment, Evidence, Reason};
use crate::loader::{self, Named};

pub(super) static RULE: Rule = Rule {
    name: "library-path-shadows-wheel",
    level: Severity::Warning,
    page: include_str!("../../rules/library-path-shadows-wheel.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let named = loader::toolkits_on_library_path(env);
    for component in env.components.iter().filter(|component| !component.name.starts_with("conda:")) {
        // The first of a major is the one that is found.
        let shadows = |toolkit: &&Named<'_>| match component.builds.today().or_else(|| component.builds.only()) {
            Some(build) => !loader::replaced_by_toolkit(&toolkit.cuda, build).is_empty(),
            None => false,
        };
        let same_major = |toolkit: &&Named<'_>| {
            component.builds.builds.iter().filter_map(|build| build.cuda()).any(|cuda| cuda.major() == toolkit.cuda.major())
        };
        if let Some(toolkit) = named.iter().find(same_major).filter(shadows) {
            out.extend(clash(component, toolkit));
        }
    }
}

fn clash(component: &Component, toolkit: &Named<'_>) -> Option<Clash> {
    let build = component.builds.today().or_else(|| component.builds.only())?;
    let holds = component.builds.hold(|build| Some(!loader::replaced_by_toolkit(&toolkit.cuda, build).is_empty()));
    let libraries: Vec<String> = loader::replaced_by_toolkit(&toolkit.cuda, build).into_iter().map(str::to_owned).collect();
    let message = format!(
        "LD_LIBRARY_PATH puts {} of CUDA {} before those that {} {} needs, of CUDA {}",
        listed(&libraries),
        toolkit.cuda.minor_only(),
        component.name,
        build.version,
        build.cuda()?.minor_only()
    );
    let reason = Reason::Holds { name: toolkit.variable.to_owned(), value: toolkit.folder.to_owned() };
    let links = vec![Evidence { reason, ..toolkit.setting.evidence.clone() }, component.evidence.clone()];
    let help = format!("take {} off LD_LIBRARY_PATH: the wheel brings its own CUDA", toolkit.folder);
    Some(Clash::new(holds, message, links).help(help))
}
