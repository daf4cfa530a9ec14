use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::Environment;
use crate::mismatch;

pub(super) static RULE: Rule = Rule {
    name: "onnxruntime-cuda-mismatch",
    level: Severity::Error,
    page: include_str!("../../rules/onnxruntime-cuda-mismatch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    out.extend(mismatch::of_module(env, "onnxruntime").into_iter().map(Clash::from));
}
