use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Join, Reason, Step, StepIndex};
use crate::knowledge::Basis;
use crate::outline::Tool;

pub(super) static RULE: Rule = Rule {
    name: "uv-index-not-explicit",
    level: Severity::Warning,
    page: include_str!("../../rules/uv-index-not-explicit.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // Where the best of all indexes is taken, none hides another.
    for step in env.steps.iter().filter(|step| step.tool == Tool::Uv && !step.one_list) {
        // The last one stands in PyPI's place: it is all that there is.
        let beside = step.indexes.split_last().map_or(&[][..], |(_, rest)| rest);
        let of_torch =
            |index: &&StepIndex| index.in_project && !index.explicit && index.id.is_some_and(|id| id.starts_with("pytorch/"));
        out.extend(beside.iter().filter(of_torch).filter_map(|index| clash(step, index)));
    }
}

fn clash(step: &Step, index: &StepIndex) -> Option<Clash> {
    let (id, at) = (index.id?, index.at?);
    let reason = Reason::Index { index: id.to_owned() };
    let mut links = vec![Evidence { at, reason, also: index.also.clone(), basis: Basis::Vendor, join: Join::Stated }];
    links.extend(step.asks.iter().find(|ask| ask.package == "torch").map(|ask| ask.evidence.clone()));
    let message = "not only torch: every package that this index has comes from it, in the versions that it has";
    let help =
        "say explicit = true of the index, and name it as the source of torch and what goes with it under [tool.uv.sources]";
    Some(Clash::new(Holds::Always, message, links).help(help))
}
