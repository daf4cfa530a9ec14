use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Evidence, Holds, Join, Reason};
use crate::knowledge::Basis;
use crate::outline::Outline;

pub(super) static RULE: Rule = Rule {
    name: "unreadable-file",
    level: Severity::Warning,
    page: include_str!("../../rules/unreadable-file.md"),
    needs: Needs::Nothing,
    check: Check::File(check),
};

fn check(outline: &Outline, out: &mut Out) {
    for torn in &outline.torn {
        let link = Evidence {
            at: torn.at,
            reason: Reason::Torn(torn.why.clone()),
            also: Vec::new(),
            basis: Basis::Measured,
            join: Join::Stated,
        };
        let level = if torn.template { Severity::Info } else { Severity::Warning };
        let message = format!("this cannot be read: {}", torn.why);
        let help = match torn.template {
            true => "what stands here is not checked",
            false => "what stands here is not checked, and the program that the file is for refuses it",
        };
        out.push(Clash::new(Holds::Always, message, vec![link]).at_most(level).help(help));
    }
}
