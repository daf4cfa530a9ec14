use super::{Check, Clash, Needs, Out, Rule};
use crate::alternative::listed;
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Join, Reason, Step};
use crate::knowledge::Basis;
use crate::outline::Tool;
use crate::tagged::{Serves, Tagged, by_tag};

pub(super) static RULE: Rule = Rule {
    name: "local-version-without-index",
    level: Severity::Error,
    page: include_str!("../../rules/local-version-without-index.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        for pins in by_tag(step, |pin| pin.served() == Serves::NoTags) {
            out.push(clash(step, &pins));
        }
    }
}

fn clash(step: &Step, pins: &[Tagged<'_>]) -> Clash {
    let shown: Vec<String> = pins.iter().map(Tagged::shown).collect();
    let (them, are) = if pins.len() == 1 { ("it", "is") } else { ("them", "are") };
    let message = match pins[0].indexes.iter().any(|(_, index)| index.id != "pypi") {
        false => format!(
            "{} {are} not on PyPI, which has no local versions (+{}), and no other index is in reach",
            listed(&shown),
            pins[0].tag
        ),
        true => {
            format!("{} {are} on none of the indexes in reach: PyPI has no local versions (+{})", listed(&shown), pins[0].tag)
        }
    };
    let asked = |pin: &Tagged<'_>| Evidence {
        reason: Reason::Asked { package: pin.ask.package.clone(), wants: pin.ask.wants.to_string() },
        basis: Basis::Vendor,
        ..pin.ask.evidence.clone()
    };
    let mut links: Vec<Evidence> = pins.iter().map(asked).collect();
    let named = pins[0].indexes.iter().filter_map(|(step, index)| {
        let reason = Reason::Index { index: index.id.to_owned() };
        Some(Evidence { at: step.at?, reason, also: step.also.clone(), basis: Basis::Vendor, join: Join::Stated })
    });
    links.extend(named);
    let clash = Clash::new(Holds::Always, message, links);
    match pins[0].own_index() {
        Some(index) => clash.help(format!("{}, which serves {them}", adding(step.tool, index.address))),
        None => clash.help(format!("name the index or page that serves {them} (--extra-index-url, --find-links)")),
    }
}

/// How an index is named for a tool.
fn adding(tool: Tool, address: &str) -> String {
    match tool {
        Tool::Pip | Tool::UvPip => format!("add --extra-index-url https://{address}"),
        Tool::Conda => format!("add the line --extra-index-url https://{address}"),
        Tool::Uv => format!("add https://{address} under [[tool.uv.index]] and route the package to it in [tool.uv.sources]"),
        Tool::Poetry => format!("add https://{address} under [[tool.poetry.source]] and name it as the package's source"),
        Tool::Pdm => format!("add https://{address} under [[tool.pdm.source]]"),
        Tool::Pipenv => format!("add https://{address} under [[source]] and name it as the package's index"),
        Tool::Pixi => format!("add https://{address} to extra-index-urls of [pypi-options]"),
    }
}
