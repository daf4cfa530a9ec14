use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds};
use crate::knowledge::{self, Basis};

pub(super) static RULE: Rule = Rule {
    name: "apt-key-rotated",
    level: Severity::Error,
    page: include_str!("../../rules/apt-key-rotated.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    // Beside the key of today the old one does no harm.
    if env.keys.iter().any(|(key, _)| !key.withdrawn) {
        return;
    }
    let Some((_, old)) = env.keys.first() else { return };
    let mut links = vec![old.clone()];
    links.extend(env.keys.iter().skip(1).map(|(_, again)| again.clone()));
    let message = "NVIDIA's repositories of CUDA are no longer signed with this key: what they have is refused (NO_PUBKEY)";
    links.extend(env.image.as_ref().map(|image| Evidence { basis: Basis::Vendor, ..image.evidence.clone() }));
    let clash = Clash::new(Holds::Always, message, links)
        .help("install the package cuda-keyring, which brings the key and the repository");
    // An image of NVIDIA's may have the new one.
    let may_have = env.image.as_ref().is_some_and(|image| knowledge::is_of_cuda(&image.reference));
    out.push(clash.at_most(if may_have { Severity::Warning } else { Severity::Error }));
}
