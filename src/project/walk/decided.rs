//! Which arms are taken because all is known that their tests ask.

use super::super::arms;
use super::super::variables::{Seen, Value, Variables};
use super::Walker;
use crate::outline::{Act, Choice, Kind};
use crate::platform::{Arch, Os, Platform};
use crate::source::Span;

/// The arms under which the last act stood, outermost first: `None` where more than one may be taken. What an arm does to the
/// variables of its test does not end it.
#[derive(Default)]
pub(super) struct Decided<'a>(Vec<(&'a str, Option<u32>)>);

impl<'a> Decided<'a> {
    /// Whether the act stands in no arm that is known not to be taken.
    pub(super) fn holds(&self, act: &Act) -> bool {
        let mut branches = self.0.iter();
        act.when.0.iter().all(|choice| match choice {
            Choice::Branch { arm, .. } => branches.next().is_none_or(|(_, taken)| taken.is_none_or(|taken| taken == *arm)),
            _ => true,
        })
    }
}

impl Walker<'_, '_> {
    /// Decides the arms that an act stands in; gives back the choices that are left.
    pub(super) fn decide<'a>(&self, act: &'a Act, decided: &mut Decided<'a>) -> Vec<&'a Choice> {
        let mut depth = 0;
        let mut open = Vec::new();
        for choice in &act.when.0 {
            let Choice::Branch { test, .. } = choice else {
                open.push(choice);
                continue;
            };
            if decided.0.get(depth).is_none_or(|(before, _)| before != test) {
                decided.0.truncate(depth);
                decided.0.push((test, self.taken(act, test)));
            }
            if decided.0[depth].1.is_none() {
                open.push(choice);
            }
            depth += 1;
        }
        decided.0.truncate(depth);
        open
    }

    fn taken(&self, act: &Act, test: &str) -> Option<u32> {
        if self.unsure || !test.contains(['$', '`']) {
            return None;
        }
        let value = |name: &str| match name {
            "(uname)" | "(uname -s)" => match self.world.platform.os {
                Os::Linux => Some("Linux".to_owned()),
                Os::MacOs => Some("Darwin".to_owned()),
                Os::Windows => None,
            },
            _ => self.variables.get(name).filter(|value| value.sure)?.text.clone(),
        };
        // Whoever calls make may give its variables other values.
        let by_make = || self.project.file(self.project.sources.path(act.at.file)).is_some_and(|f| f.kind == Kind::Makefile);
        arms::taken(test, &value).filter(|_| !by_make())
    }
}

/// What the machine answers to commands that ask for it.
pub(super) fn of_machine(platform: &Platform, at: Span) -> Variables {
    let kernel = match (platform.arch, platform.os) {
        (Arch::X86_64, _) => "x86_64",
        (Arch::Aarch64, Os::MacOs) => "arm64",
        (Arch::Aarch64, _) => "aarch64",
    };
    let mut variables = Variables::default();
    for (command, answer) in [("(uname -m)", kernel), ("(arch)", kernel), ("(dpkg --print-architecture)", by_docker(platform))] {
        variables.set(command, Value::known(answer.to_owned(), at, Seen::Shell));
    }
    variables
}

/// The arguments that every build has without being given them.
/// Source: <https://docs.docker.com/reference/dockerfile/#automatic-platform-args-in-the-global-scope>.
pub(super) fn of_build(name: &str, platform: &Platform) -> Option<String> {
    match name {
        "TARGETPLATFORM" => Some(format!("linux/{}", by_docker(platform))),
        "TARGETARCH" => Some(by_docker(platform).to_owned()),
        "TARGETOS" => Some("linux".to_owned()),
        _ => None,
    }
}

fn by_docker(platform: &Platform) -> &'static str {
    match platform.arch {
        Arch::X86_64 => "amd64",
        Arch::Aarch64 => "arm64",
    }
}
