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
    for template in [false, true] {
        let mut torn = outline.torn.iter().filter(|torn| torn.template == template);
        let Some(first) = torn.next() else { continue };
        // What follows is often torn by the first place alone.
        let also: Vec<_> = torn.map(|torn| (torn.at, Reason::Torn(torn.why.clone()))).collect();
        let mut message = format!("this cannot be read: {}", first.why);
        match also.len() {
            0 => {}
            1 => message += " (and another place)",
            more => message += &format!(" (and {more} more places)"),
        }
        let link =
            Evidence { at: first.at, reason: Reason::Torn(first.why.clone()), also, basis: Basis::Measured, join: Join::Stated };
        let level = if template { Severity::Info } else { Severity::Warning };
        let help = match template {
            true => "what stands here is not checked",
            false => "what stands here is not checked, and the program that the file is for refuses it",
        };
        out.push(Clash::new(Holds::Always, message, vec![link]).at_most(level).help(help));
    }
}
