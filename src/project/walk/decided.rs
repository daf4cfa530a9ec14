//! Which arms are taken because all is known that their tests ask.

use std::sync::Arc;

use super::super::arms::By;
use super::super::tested::Test;
use super::super::variables::{Seen, Value, Variables};
use super::Walker;
use crate::notation::asking::Says;
use crate::outline::{Act, Choice, Kind, When};
use crate::platform::{Arch, Os, Platform};
use crate::source::Span;

/// The arms under which the last act stood, outermost first. What an arm does to the variables of its test does not end it.
#[derive(Default)]
pub(super) struct Decided<'a> {
    arms: Vec<Arm<'a>>,
    pub(super) last: Option<Last<'a>>,
}

/// Whether the last act took place.
pub(super) struct Last<'a> {
    pub(super) when: &'a When,
    pub(super) takes: bool,
    /// It stood under a test that may go either way.
    pub(super) tested: bool,
    /// It stood in the other arm of a test for WSL.
    pub(super) native: bool,
}

struct Arm<'a> {
    test: &'a Arc<str>,
    /// `None` where more than one may be taken.
    taken: Option<u32>,
    /// On what the test rests.
    says: Says,
}

impl<'a> Decided<'a> {
    /// Whether the act stands in no arm that is known not to be taken.
    pub(super) fn holds(&self, act: &Act) -> bool {
        let mut branches = self.arms.iter();
        act.when.0.iter().all(|choice| match choice {
            Choice::Branch { arm, .. } => branches.next().is_none_or(|of| of.taken.is_none_or(|taken| taken == *arm)),
            _ => true,
        })
    }
    /// On what the tests together rest.
    pub(super) fn says(&self) -> Says {
        let mut all = Says::default();
        self.arms.iter().for_each(|arm| all |= arm.says);
        all
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
            if decided.arms.get(depth).is_none_or(|before| before.test != test) {
                decided.arms.truncate(depth);
                let asked = self.project.tests.of(test);
                let mut arm = Arm { test, taken: self.taken(act, asked), says: self.says(asked) };
                arm.says.elsewhere |= arm.taken.is_none() && self.is_elsewhere(test, asked);
                decided.arms.push(arm);
            }
            if decided.arms[depth].taken.is_none() {
                open.push(choice);
            }
            depth += 1;
        }
        decided.arms.truncate(depth);
        open
    }

    /// On what a test rests: on what it asks, or on the variables and functions that it speaks of.
    fn says(&self, test: &Test) -> Says {
        let mut says = test.asks;
        test.rests_on.iter().for_each(|name| says |= self.variables.says(name));
        says
    }

    /// The system: that of the job's row, else that of the start.
    fn os(&self) -> Os {
        match self.os_by_github() {
            Some("Linux") => Os::Linux,
            Some("macOS") => Os::MacOs,
            Some("Windows") => Os::Windows,
            _ => self.world.platform.os,
        }
    }

    fn os_by_github(&self) -> Option<&str> {
        self.variables.get("RUNNER_OS")?.text.as_deref()
    }

    fn taken(&self, act: &Act, test: &Test) -> Option<u32> {
        if self.unsure || !test.has_values {
            return None;
        }
        // Whoever calls make may give its variables other values.
        let by_make = || self.project.file(self.project.sources.path(act.at.file)).is_some_and(|f| f.kind == Kind::Makefile);
        let taken = test.arms.as_ref()?.taken(&|name| self.known(name, |value| value.sure));
        taken.filter(|_| !by_make())
    }

    /// Whether the arm that the world takes is one that no Linux machine with an NVIDIA GPU comes to.
    fn is_elsewhere(&self, text: &str, test: &Test) -> bool {
        let value = |name: &str| self.known(name, |value| value.sure_here && !self.unsure);
        let by = if self.image.is_some() { By::Build } else { By::Host };
        test.arms.as_ref().is_some_and(|arms| arms.excludes(self.world.arm(text), &value, by))
    }

    /// What a variable, or as `(command)` a command, comes to.
    fn known(&self, name: &str, is_sure: impl Fn(&Value) -> bool) -> Option<String> {
        let known = self.variables.get(name);
        let said = name.strip_prefix('(').and_then(|command| system(self.os(), command)).map(str::to_owned);
        said.or_else(|| known.filter(|value| is_sure(value))?.text.clone())
    }
}

/// What a command says that asks for the system, by the name that it gives it.
fn system(os: Os, command: &str) -> Option<&'static str> {
    let python = command.starts_with("python") && command.contains(" -c");
    let names = match command.trim_end_matches(')') {
        _ if python && command.contains("print(sys.platform)") => ["linux", "darwin", "win32"],
        _ if python && command.contains("print(platform.system())") => ["Linux", "Darwin", "Windows"],
        _ => return None,
    };
    let name = match os {
        Os::Linux => names[0],
        Os::MacOs => names[1],
        Os::Windows => names[2],
    };
    Some(name).filter(|name| !name.is_empty())
}

/// What the machine answers to commands that ask for it.
pub(super) fn of_machine(platform: &Platform, at: Span) -> Variables {
    let kernel = match (platform.arch, platform.os) {
        (Arch::X86_64, _) => "x86_64",
        (Arch::Aarch64, Os::MacOs) => "arm64",
        (Arch::Aarch64, _) => "aarch64",
    };
    let by_github = match platform.arch {
        Arch::X86_64 => "X64",
        Arch::Aarch64 => "ARM64",
    };
    let mut variables = Variables::default();
    variables.set("RUNNER_ARCH", Value::known(by_github.to_owned(), at, Seen::Shell).given(Vec::new()));
    let debian = by_docker(platform);
    let of_processor =
        [("(uname -m)", kernel), ("(arch)", kernel), ("HOSTTYPE", kernel), ("(dpkg --print-architecture)", debian)];
    for (command, answer) in of_processor {
        variables.set(command, Value::known(answer.to_owned(), at, Seen::Shell).given(Vec::new()));
    }
    variables.add(of_system(platform.os, at));
    variables
}

/// What a system answers to commands that ask for it, and what its shell says of it.
pub(super) fn of_system(os: Os, at: Span) -> Variables {
    let (kernel, shell) = match os {
        Os::Linux => (Some("Linux"), Some("linux-gnu")),
        // The release stands behind it: that of macOS 15.
        Os::MacOs => (Some("Darwin"), Some("darwin24")),
        // Those of the shells that people install there.
        Os::Windows => (None, None),
    };
    let mut variables = Variables::default();
    for (name, answer) in [("(uname)", kernel), ("(uname -s)", kernel), ("OSTYPE", shell)] {
        let value = match answer {
            Some(answer) => Value::known(answer.to_owned(), at, Seen::Shell).given(Vec::new()),
            None => Value::unknown(at, Seen::Shell),
        };
        variables.set(name, value);
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
