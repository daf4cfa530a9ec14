use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Reason};
use crate::knowledge;
use crate::parts::{self, Required, There};
use crate::version::{Specifiers, Version};

pub(super) static RULE: Rule = Rule {
    name: "nvidia-pin-conflict",
    level: Severity::Error,
    page: include_str!("../../rules/nvidia-pin-conflict.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

/// A package that requires parts of CUDA, by the builds that may be there.
struct Bringer<'a> {
    there: &'a There<'a>,
    required: Vec<Vec<Required>>,
}

/// What one asks for of a part that another requires otherwise.
struct Found {
    part: String,
    required: Specifiers,
    other: Specifiers,
    holds: Holds,
    level: Severity,
}

fn check(env: &Environment, out: &mut Out) {
    let there = parts::there(env);
    let bringers: Vec<&There<'_>> = there.iter().filter(|t| parts::may_require(&t.component.name)).collect();
    let asked: Vec<&There<'_>> = there.iter().filter(|t| parts::is_part(&t.component.name) && t.is_asked()).collect();
    if bringers.is_empty() || bringers.len() + asked.len() < 2 {
        return;
    }
    let bringers: Vec<Bringer<'_>> = bringers.into_iter().map(|there| Bringer::of(there, env)).collect();
    for bringer in &bringers {
        against_asked(bringer, &asked, out);
    }
    for (n, one) in bringers.iter().enumerate() {
        for other in &bringers[n + 1..] {
            against_each_other(one, other, out);
        }
    }
}

impl<'a> Bringer<'a> {
    fn of(there: &'a There<'a>, env: &Environment) -> Self {
        let builds = there.component.builds.builds.iter();
        let required = builds.map(|build| parts::required(build, &there.ask.extras, &env.platform)).collect();
        Self { there, required }
    }
    /// How far something is true of what it requires.
    fn hold(&self, f: impl Fn(&[Required]) -> Option<bool>) -> Holds {
        let builds = &self.there.component.builds;
        let of = |build: &crate::environment::Build| builds.builds.iter().position(|known| std::ptr::eq(known, build));
        builds.hold(|build| f(of(build).and_then(|at| self.required.get(at))?))
    }
    /// What the build requires that is picked.
    fn picked(&self) -> &[Required] {
        let builds = &self.there.component.builds;
        let one = builds.today.or(builds.only().and(Some(0)));
        one.and_then(|at| self.required.get(at)).map_or(&[], Vec::as_slice)
    }
}

/// Who installs them: together, of which an installer makes one set, or one after the other.
fn together(one: &There<'_>, other: &There<'_>) -> bool {
    one.at == other.at && !one.step.flags.no_deps
}

fn against_asked(bringer: &Bringer<'_>, asked: &[&There<'_>], out: &mut Out) {
    let found = asked.iter().filter_map(|part| Some((*part, otherwise(bringer, part).or_else(|| beside(bringer, part))?)));
    let (refused, after): (Vec<_>, Vec<_>) = found.partition(|(part, _)| together(bringer.there, part));
    // The pins of one list are one cause: the gravest speaks, the others are labels.
    for mut group in [refused, after] {
        group.sort_by_key(|(part, found)| (std::cmp::Reverse(found.level), part.component.evidence.at));
        let Some((part, first)) = group.first() else { continue };
        let name = &part.component.name;
        let by = bringer.there.shown();
        let message = if first.part != *name {
            format!("{name} writes the files of the {} that {by} requires", first.part)
        } else if together(bringer.there, part) {
            format!("{by} requires {name}{}, and {name}{} is asked for: both cannot be installed", first.required, first.other)
        } else {
            format!("{name}{} takes the place of the {name}{} that {by} requires", first.other, first.required)
        };
        let more = match group.len() - 1 {
            0 => String::new(),
            1 => " (one more pin likewise)".to_owned(),
            more => format!(" ({more} more pins likewise)"),
        };
        let mut links = vec![part.component.evidence.clone(), requires(bringer, first)];
        links.extend(group[1..].iter().map(|(part, _)| part.component.evidence.clone()));
        let own = bringer.there.component.name.as_str();
        let help = match first.required.pin() {
            Some(pin) if first.part == *name => format!("write {name}=={pin}, or leave it out: {own} brings it"),
            _ => format!("leave it out: {own} brings its own"),
        };
        out.push(Clash::new(first.holds, message + &more, links).at_most(first.level).help(help));
    }
}

/// A part that is asked for otherwise than a package requires it.
fn otherwise(bringer: &Bringer<'_>, part: &There<'_>) -> Option<Found> {
    if part.ask.overridden || bringer.there.ask.overridden {
        return None;
    }
    let name = &part.component.name;
    let wants = &part.ask.wants;
    let clashes = |all: &[Required]| Some(all.iter().any(|r| r.part == *name && r.wants.and(wants).contradict()));
    let holds = bringer.hold(clashes);
    let required = bringer.picked().iter().find(|r| r.part == *name)?.wants.clone();
    let found = |level| Found { part: name.clone(), required: required.clone(), other: wants.clone(), holds, level };
    if together(bringer.there, part) {
        // An installer takes an older release where that fits.
        return (holds == Holds::Always).then(|| found(Severity::Error));
    }
    // What comes before is replaced by what the package requires.
    let after = part.at > bringer.there.at || part.step.flags.no_deps && part.at == bringer.there.at;
    let comes = wants.pin().or_else(|| part.component.builds.only().map(|build| build.version.clone()));
    (after && matches!(holds, Holds::Always | Holds::Today)).then(|| found(gravity(name, &required, comes.as_ref())))
}

/// A part for another major of CUDA that lies where the required one does.
fn beside(bringer: &Bringer<'_>, part: &There<'_>) -> Option<Found> {
    let name = &part.component.name;
    let module = knowledge::module_owner(name)?.module;
    let same = |r: &Required| r.part != *name && knowledge::module_owner(&r.part).is_some_and(|row| row.module == module);
    let holds = bringer.hold(|all| Some(all.iter().any(same) && all.iter().all(|r| r.part != *name)));
    if !matches!(holds, Holds::Always | Holds::Today) {
        return None;
    }
    let of_it = bringer.picked().iter().find(|r| same(r))?;
    let (part, required) = (of_it.part.clone(), of_it.wants.clone());
    Some(Found { part, required, other: Specifiers::default(), holds, level: Severity::Warning })
}

fn against_each_other(one: &Bringer<'_>, other: &Bringer<'_>, out: &mut Out) {
    // The later one brings its own.
    let (before, after) = if one.there.at <= other.there.at { (one, other) } else { (other, one) };
    let together = together(before.there, after.there);
    let clash = |a: &[Required], b: &[Required]| a.iter().any(|a| b.iter().any(|b| contradict(a, b)));
    let every = before.hold(|a| Some(after.hold(|b| Some(clash(a, b))) == Holds::Always)) == Holds::Always;
    if together && !every || !clash(before.picked(), after.picked()) {
        return;
    }
    let holds = if every { Holds::Always } else { Holds::Today };
    let pairs = before.picked().iter().flat_map(|a| after.picked().iter().filter(|b| contradict(a, b)).map(move |b| (a, b)));
    let found = pairs.map(|(a, b)| Found {
        part: a.part.clone(),
        required: a.wants.clone(),
        other: b.wants.clone(),
        holds,
        level: if together { Severity::Error } else { gravity(&a.part, &a.wants, b.wants.pin().as_ref()) },
    });
    let Some(found) = found.max_by_key(|found| (found.level, std::cmp::Reverse(found.part.clone()))) else { return };
    let (first, second) = (before.there.shown(), after.there.shown());
    let Found { part, required, other, level, .. } = &found;
    let evidence = |bringer: &Bringer<'_>, wants: &Specifiers| {
        let what = format!("{part}{wants}");
        Evidence { reason: Reason::Requires { by: bringer.there.shown(), what }, ..bringer.there.component.evidence.clone() }
    };
    let (message, mut links) = if together {
        let message = format!("{first} requires {part}{required}, {second} {part}{other}: both cannot be installed");
        (message, vec![evidence(before, required), evidence(after, other)])
    } else {
        let message = format!("{second} brings {part}{other} in the place of the {part}{required} that {first} requires");
        (message, vec![evidence(after, other), evidence(before, required)])
    };
    if together {
        links.sort_by_key(|link| link.at);
    }
    let help = "give each an environment of its own, or take releases that require the same";
    out.push(Clash::new(holds, message, links).at_most(*level).help(help));
}

fn contradict(one: &Required, other: &Required) -> bool {
    one.part == other.part && one.wants.and(&other.wants).contradict()
}

/// How grave it is when a part comes in another version than is required, and the installer goes on. Libraries of another major are
/// not found. Of cuDNN a minor below the one that was compiled with is refused when it is first used; cuSPARSE finds its nvJitLink
/// by symbols that grow with each minor. Of the others people put older ones in place, and newer ones of all, and it runs.
/// Sources: pytorch/pytorch@017943b70f69:torch/backends/cudnn/__init__.py,
/// <https://docs.nvidia.com/deeplearning/cudnn/backend/v9.6.0/developer/forward-compatibility.html>,
/// <https://github.com/pytorch/pytorch/issues/134929>, <https://github.com/PaddlePaddle/Paddle/issues/74250>.
fn gravity(part: &str, required: &Specifiers, comes: Option<&Version>) -> Severity {
    let (Some(pin), Some(comes)) = (required.pin(), comes) else { return Severity::Warning };
    let (needed, there) = (pin.release(), comes.release());
    let older = needed.get(..2) > there.get(..2);
    match needed.first() == there.first() {
        false => Severity::Error,
        true if older && part.starts_with("nvidia-cudnn") => Severity::Error,
        true if older && part.starts_with("nvidia-nvjitlink") => Severity::Warning,
        true => Severity::Info,
    }
}

fn requires(bringer: &Bringer<'_>, found: &Found) -> Evidence {
    let reason = Reason::Requires { by: bringer.there.shown(), what: format!("{}{}", found.part, found.required) };
    Evidence { reason, ..bringer.there.component.evidence.clone() }
}
