use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Join, Origin, Reason, Step, Unheeded, WhyUnheeded};
use crate::knowledge::{self, Basis};

pub(super) static RULE: Rule = Rule {
    name: "uv-source-not-applied",
    level: Severity::Warning,
    page: include_str!("../../rules/uv-source-not-applied.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        // Of other packages no build is better than another.
        let of_ours = |source: &&Unheeded| !knowledge::releases(&source.package).is_empty();
        out.extend(step.unheeded.iter().filter(of_ours).filter_map(|source| clash(step, source)));
    }
}

fn clash(step: &Step, source: &Unheeded) -> Option<Clash> {
    let ask = step.asks.iter().find(|ask| ask.package == source.package)?;
    let package = &source.package;
    let (message, help) = match source.why {
        WhyUnheeded::NoProject => (
            format!("this source of {package} is not heeded: the file has no [project] table"),
            format!(
                "declare the project here ([project], with {package} in its dependencies), or name the index where it is installed"
            ),
        ),
        // Who brings it in which version is known.
        WhyUnheeded::NotNamed if ask.from == Origin::Required => (
            format!("this source of {package} is not heeded: the project does not depend on it, another package brings it"),
            format!("add {package} to the project's dependencies, or to uv's constraint-dependencies"),
        ),
        WhyUnheeded::NotNamed => return None,
    };
    let here = Evidence { at: source.at, reason: Reason::Here, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated };
    Some(Clash::new(Holds::Always, message, vec![here, ask.evidence.clone()]).help(help))
}
