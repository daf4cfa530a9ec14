use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Reason};
use crate::loader::{self, Named};

pub(super) static RULE: Rule = Rule {
    name: "cuda-paths-disagree",
    level: Severity::Warning,
    page: include_str!("../../rules/cuda-paths-disagree.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let named = loader::named_toolkits(env);
    // Of a path the first counts; but the libraries of several may stand beside each other.
    let of = |variable: &'static str| {
        let most = if variable == "LD_LIBRARY_PATH" { usize::MAX } else { 1 };
        named.iter().filter(move |toolkit| toolkit.variable == variable).take(most)
    };
    let agree = |a: &Named<'_>, b: &Named<'_>| {
        of(a.variable).any(|one| of(b.variable).any(|other| one.cuda.same_minor(&other.cuda) != Some(false)))
    };
    let variables =
        || named.iter().filter(|toolkit| of(toolkit.variable).next().is_some_and(|first| std::ptr::eq(first, *toolkit)));
    for (n, first) in variables().enumerate() {
        let Some(other) = variables().skip(n + 1).find(|other| !agree(first, other)) else { continue };
        let message = format!(
            "{} names CUDA {}, {} CUDA {}",
            first.variable,
            first.cuda.minor_only(),
            other.variable,
            other.cuda.minor_only()
        );
        let link = |of: &Named<'_>| Evidence {
            reason: Reason::Holds { name: of.variable.to_owned(), value: of.folder.to_owned() },
            ..of.setting.evidence.clone()
        };
        let help =
            "let all of them name one toolkit, as by CUDA_HOME: PATH=$CUDA_HOME/bin:$PATH, LD_LIBRARY_PATH=$CUDA_HOME/lib64";
        out.push(Clash::new(Holds::Always, message, vec![link(first), link(other)]).help(help));
        return;
    }
}
