use super::{Check, Needs, Rule};
use crate::diagnostic::Severity;

pub(super) static RULE: Rule = Rule {
    name: "unused-ignore",
    level: Severity::Info,
    page: include_str!("../../rules/unused-ignore.md"),
    needs: Needs::Nothing,
    check: Check::Suppressions,
};
