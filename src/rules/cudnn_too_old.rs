use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Reason};
use crate::knowledge::Library;
use crate::parts;
use crate::reach::{self, Reach};

pub(super) static RULE: Rule = Rule {
    name: "cudnn-too-old",
    level: Severity::Error,
    page: include_str!("../../rules/cudnn-too-old.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for component in &env.components {
        let Some(needs) = reach::Needs::of(env, component, Library::Cudnn) else { continue };
        let reach = Reach::of(env, Library::Cudnn, component, reach::is_optional(&component.name));
        let Some(unmet) = reach.is_too_old(&needs) else { continue };
        let what = parts::shown(component);
        let message = format!("{what} was compiled with cuDNN {}, {} brings {}", unmet.need, unmet.by.what, unmet.brings);
        let reason = Reason::Needs { what, library: Library::Cudnn, version: unmet.need.to_string() };
        let mut links = vec![unmet.by.evidence.clone(), Evidence { reason, ..component.evidence.clone() }];
        // Who brings its own is not what changes.
        if unmet.by.own {
            links.reverse();
        }
        let name = unmet.by.what.split(' ').next().unwrap_or_default();
        let help = if unmet.by.own {
            format!("take a {name} with cuDNN {} or newer of the same major, or an environment for each", unmet.need)
        } else if unmet.by.package {
            format!("take {name} {} or newer of the same major", unmet.need)
        } else {
            format!("bring cuDNN {} or newer of the same major along", unmet.need)
        };
        out.push(Clash::new(unmet.holds, message, links).help(help));
    }
}
