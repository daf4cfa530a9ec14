use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Join, Reason, Step, StepIndex};
use crate::knowledge::{self, Basis};
use crate::version::CudaVersion;

pub(super) static RULE: Rule = Rule {
    name: "unknown-wheel-index",
    level: Severity::Error,
    page: include_str!("../../rules/unknown-wheel-index.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        out.extend(step.indexes.iter().filter(|index| index.id.is_none()).filter_map(|index| clash(step, index)));
    }
}

fn clash(step: &Step, index: &StepIndex) -> Option<Clash> {
    let (url, at) = (index.url.as_ref().ok()?, index.at?);
    let named = knowledge::unlisted_tag(url)?;
    let tags: Vec<(CudaVersion, &str)> = knowledge::indexes()
        .iter()
        .filter(|row| row.id == format!("pytorch/{}", row.tag))
        .filter_map(|row| Some((CudaVersion::of_tag(row.tag)?, row.tag)))
        .collect();
    let order = |cuda: &CudaVersion| (cuda.major(), cuda.minor().unwrap_or_default());
    let oldest = tags.iter().map(|(cuda, _)| order(cuda)).min()?;
    let newest = tags.iter().map(|(cuda, _)| order(cuda)).max()?;
    // `cu12` is a major alone.
    let major_alone = |digits: &str| digits.parse().is_ok_and(|major| (oldest.0..=newest.0).contains(&major));
    let cuda = CudaVersion::of_tag(named).filter(|_| !major_alone(&named[2..]));
    // Older ones than the tables have were served long ago.
    if cuda.is_some_and(|cuda| order(&cuda) < oldest) {
        return None;
    }
    let later = cuda.is_some_and(|cuda| order(&cuda) > newest);
    let message = if later {
        format!("PyTorch has no index {named} (as of {})", knowledge::date())
    } else {
        format!("PyTorch never had an index {named}")
    };
    let reason = Reason::Index { index: url.clone() };
    let line = Evidence { at, reason, also: index.also.clone(), basis: Basis::Vendor, join: Join::Stated };
    let mut links = vec![line];
    links.extend(step.asks.iter().filter(|ask| ask.package == "torch").map(|ask| Evidence {
        reason: Reason::Asked { package: ask.package.clone(), wants: ask.wants.to_string() },
        ..ask.evidence.clone()
    }));
    // Where another index has the package, that one is taken.
    let others = step.indexes.iter().any(|other| !std::ptr::eq(other, index) && !other.explicit && other.id == Some("pypi"));
    let at_most = if later || others && !index.explicit { Severity::Warning } else { Severity::Error };
    let clash = Clash::new(Holds::Always, message, links).at_most(at_most);
    // The nearest of the same major; of a number with a dot, that one without.
    let dotless: String = named.chars().filter(|c| *c != '.').collect();
    let major = cuda.map(|cuda| cuda.major()).or_else(|| named.get(2..4)?.parse().ok());
    let mut near: Vec<&str> = tags.iter().filter(|(cuda, _)| Some(cuda.major()) == major).map(|(_, tag)| *tag).collect();
    if let Some(meant) = near.iter().position(|tag| *tag == dotless) {
        near = vec![near[meant]];
    }
    let root = knowledge::index_by_id("pytorch/root")?.address;
    Some(match near.as_slice() {
        [] => clash,
        [one] => clash.help(format!("write https://{root}/{one}")),
        several => clash.help(format!(
            "take one that exists, like https://{root}/{}: {}",
            several[several.len() - 1],
            several.join(", ")
        )),
    })
}
