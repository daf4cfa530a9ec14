use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Reason, Step};
use crate::knowledge::{self, Basis};
use crate::resolve;
use crate::version::{CondaVersion, Version};

pub(super) static RULE: Rule = Rule {
    name: "pytorch-channel-frozen",
    level: Severity::Warning,
    page: include_str!("../../rules/pytorch-channel-frozen.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

const CHANNEL: &str = "conda/pytorch";

fn check(env: &Environment, out: &mut Out) {
    for step in &env.steps {
        for ask in step.asks.iter().filter(|ask| ask.package == "conda:pytorch") {
            out.extend(clash(step, ask));
        }
    }
}

fn clash(step: &Step, ask: &Ask) -> Option<Clash> {
    let spec = ask.spec.as_ref()?;
    let named = spec.channel.as_deref().map(|name| resolve::channel(name) == Some(CHANNEL));
    let channel = step.channels.iter().find(|channel| channel.id == Some(CHANNEL));
    if named == Some(false) || named.is_none() && channel.is_none() {
        return None;
    }
    // Another channel has the newer ones, and serves them where nothing ties the ask to this one.
    let may_have = |id: Option<&str>| matches!(id, None | Some("conda/conda-forge" | "conda/defaults"));
    let elsewhere = named.is_none() && step.channels.iter().any(|channel| may_have(channel.id));
    let tied = step.asks.iter().any(|other| other.package == "conda:pytorch-cuda");
    let first = step.channels.iter().map(|channel| channel.id).find(|id| may_have(*id) || *id == Some(CHANNEL));
    let there = knowledge::releases("conda:pytorch").iter().filter(|row| row.indexes.contains(&CHANNEL));
    let (last, row) = there.filter_map(|row| Some((Version::parse(row.version)?, row))).max_by(|a, b| a.0.cmp(&b.0))?;
    let has = |row: &knowledge::Release| {
        row.indexes.contains(&CHANNEL) && CondaVersion::parse(row.version).is_some_and(|version| spec.admits(&version))
    };
    let mut links = vec![ask.evidence.clone()];
    links.extend(channel.map(|channel| Evidence {
        at: channel.at,
        reason: Reason::Index { index: CHANNEL.to_owned() },
        also: Vec::new(),
        basis: Basis::Vendor,
        join: ask.evidence.join,
    }));
    links[0].reason = Reason::Asked { package: "pytorch".to_owned(), wants: spec.version.clone().unwrap_or_default() };
    links[0].basis = Basis::Vendor;
    let help = "take pytorch-gpu from conda-forge, or torch from pip";
    if !knowledge::releases("conda:pytorch").iter().any(has) {
        // A version between two releases is no matter of the channel's end.
        let newer = CondaVersion::parse(row.version).is_some_and(|_| wants_newer(spec, &last));
        let message =
            format!("the pytorch channel ends at {last} and has no pytorch {}", spec.version.as_deref().unwrap_or_default());
        return (newer && (tied || !elsewhere)).then(|| Clash::new(Holds::Always, message, links).help(help));
    }
    // What is open above stays where it is.
    let open = spec.version.is_none() || wants_newer(spec, &last);
    let message = format!("the pytorch channel ends at {last}: pytorch stays there");
    // What comes before it serves all that it has.
    let from_here = named.is_some() || first == Some(Some(CHANNEL));
    (open && from_here).then(|| Clash::new(Holds::Always, message, links).at_most(Severity::Info).help(help))
}

/// Whether a spec admits releases after the last one.
fn wants_newer(spec: &crate::notation::match_spec::MatchSpec, last: &Version) -> bool {
    let rows = knowledge::releases("torch").iter().filter_map(|row| Some((Version::parse(row.version)?, row.version)));
    let newer = rows.filter(|(version, _)| version > last).filter_map(|(_, text)| CondaVersion::parse(text));
    newer.into_iter().any(|version| spec.admits(&version))
}
