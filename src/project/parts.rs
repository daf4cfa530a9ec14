//! Where the parts of a file begin, looked up once: its stages, its jobs, its extras, its tools' tables, its variables.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::drivers;
use crate::notation::asking;
use crate::notation::requirement::{self, Subject};
use crate::outline::{Act, Choice, Composed, Does, Launch, Outline, Piece, Place, Requirement, Tool, Variable};

/// Drivers that one launch looks back at.
const DRIVERS: usize = 4;
/// Changes of the working folder that one launch follows.
const WAY: usize = 16;

/// The acts of one file, by what is asked of them.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    /// The acts with which its stages or jobs begin.
    begins: Vec<usize>,
    /// Positions among these, by name; in order.
    named: HashMap<&'a str, Vec<usize>>,
    /// Acts that belong to no extra, group, or part of environments.
    always: Vec<usize>,
    /// Those of each of them.
    chosen: HashMap<&'a Choice, Vec<usize>>,
    /// The installers that have tables of their own here.
    tools: BTreeSet<Tool>,
    /// What each tool installs unasked, where it says so.
    defaults: Vec<(&'a Act, &'a [Choice])>,
    /// The environments that it puts together.
    environments: Vec<&'a Composed>,
    /// Acts that set a variable, by its name.
    sets: HashMap<&'a str, Vec<usize>>,
    /// The acts with which its make targets begin.
    goals: Vec<usize>,
    /// Positions among these, by name; in order.
    made: HashMap<&'a str, Vec<usize>>,
    launches: usize,
    /// The packages that it names, where it says where some come from; empty where it does not.
    packages: HashSet<String>,
    /// Acts from which on containers that run are worked in.
    containers: Vec<usize>,
    /// Acts from which on it is worked in containers of services.
    services: Vec<usize>,
    /// Acts that put a driver on the machine.
    drivers: Vec<usize>,
    /// The acts that have gone to where a launch which mounts folders happens, by that launch's act.
    ways: HashMap<usize, Vec<usize>>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(outline: &'a Outline) -> Self {
        let mut parts = Self::default();
        let (mut way, mut frames): (Vec<usize>, Vec<Option<Vec<usize>>>) = (Vec::new(), Vec::new());
        for (i, act) in outline.acts.iter().enumerate() {
            match &act.does {
                Does::Enter(Place::Directory(_)) if way.len() < WAY => way.push(i),
                Does::Enter(Place::Subshell) => frames.push(Some(way.clone())),
                Does::Enter(Place::Call) => frames.push(None),
                Does::Enter(Place::Back) => way = frames.pop().flatten().unwrap_or(way),
                Does::Job(_) | Does::Goal(_) => way.clear(),
                Does::Launch(launch) if !launch.mounts.is_empty() && !way.is_empty() => drop(parts.ways.insert(i, way.clone())),
                _ => {}
            }
            let named = match &act.does {
                Does::From(stage) => Some(stage.name.as_deref()),
                Does::Job(job) => Some(Some(job.name.as_str())),
                Does::Set(variable) => {
                    parts.sets.entry(&variable.name).or_default().push(i);
                    None
                }
                does @ (Does::System(_) | Does::Runfile { .. }) => {
                    if drivers::installed(does, &|text| text.known().map(str::to_owned)).is_some() {
                        parts.drivers.push(i);
                    }
                    None
                }
                Does::Launch(_) => {
                    parts.launches += 1;
                    None
                }
                Does::Enter(Place::Container(_)) => {
                    parts.containers.push(i);
                    None
                }
                Does::Enter(Place::Service { .. }) => {
                    parts.services.push(i);
                    None
                }
                Does::Goal(goal) => {
                    for name in &goal.names {
                        parts.made.entry(name).or_default().push(parts.goals.len());
                    }
                    parts.goals.push(i);
                    None
                }
                Does::Defaults(groups) => {
                    parts.defaults.push((act, groups));
                    None
                }
                Does::Environment(composed) => {
                    parts.environments.push(composed);
                    None
                }
                _ => None,
            };
            // Tools put environments together for others.
            if !matches!(act.does, Does::Environment(_)) {
                parts.tools.extend(
                    act.when.0.iter().filter_map(|choice| if let Choice::For(tool) = choice { Some(*tool) } else { None }),
                );
            }
            if let Some(name) = named {
                if let Some(name) = name {
                    parts.named.entry(name).or_default().push(parts.begins.len());
                }
                parts.begins.push(i);
            }
            match act.when.0.iter().find(|choice| is_selected(choice)) {
                Some(choice) => parts.chosen.entry(choice).or_default().push(i),
                None => parts.always.push(i),
            }
        }
        if outline.acts.iter().any(|act| matches!(act.does, Does::Route(_))) {
            parts.packages = outline.acts.iter().filter_map(package).collect();
        }
        parts
    }
    /// Whether a package is among those that a project names which says where some come from.
    pub(super) fn names(&self, package: &str) -> bool {
        self.packages.contains(package)
    }
    /// How many stages or jobs there are.
    pub(super) fn len(&self) -> usize {
        self.begins.len()
    }
    /// The last acts before this one that put a driver on the machine.
    pub(super) fn drivers_before(&self, at: usize) -> &[usize] {
        let before = &self.drivers[..self.drivers.partition_point(|driver| *driver < at)];
        &before[before.len().saturating_sub(DRIVERS)..]
    }
    /// The acts that have gone to where the launch at this act happens, in order.
    pub(super) fn way_to(&self, launch: usize) -> &[usize] {
        self.ways.get(&launch).map_or(&[], Vec::as_slice)
    }
    /// The acts behind this one from which on containers that run are worked in.
    pub(super) fn containers_after(&self, at: usize) -> &[usize] {
        &self.containers[self.containers.partition_point(|container| *container <= at)..]
    }
    /// The acts from which on it is worked in containers of services.
    pub(super) fn services(&self) -> &[usize] {
        &self.services
    }
    /// How many launches there are.
    pub(super) fn launches(&self) -> usize {
        self.launches
    }
    /// The act with which one begins, and the act behind its last.
    pub(super) fn part(&self, n: usize, acts: usize) -> Option<(usize, usize)> {
        Some((*self.begins.get(n)?, self.begins.get(n + 1).copied().unwrap_or(acts)))
    }
    /// The acts before the first.
    pub(super) fn before(&self) -> usize {
        self.begins.first().copied().unwrap_or(0)
    }
    /// The positions of all of one name.
    pub(super) fn named(&self, name: &str) -> &[usize] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }
    /// The last of a name among the first `n`.
    pub(super) fn last_named(&self, name: &str, n: usize) -> Option<usize> {
        let all = self.named(name);
        all[..all.partition_point(|at| *at < n)].last().copied()
    }
    /// The first of a name or number among the first `n`.
    pub(super) fn first_called(&self, name: &str, n: usize) -> Option<usize> {
        let number = name.parse::<usize>().ok().filter(|number| number.to_string() == name);
        self.named(name).first().copied().into_iter().chain(number).min().filter(|at| *at < n)
    }
    /// How many make targets there are, by their rules.
    pub(super) fn goals(&self) -> usize {
        self.goals.len()
    }
    /// The act with which the first make target begins, or the act behind the last of a file without any.
    pub(super) fn before_goals(&self, acts: usize) -> usize {
        self.goals.first().copied().unwrap_or(acts)
    }
    /// The rules of a make target: the act with which each begins, and the act behind its last.
    pub(super) fn rules(&self, name: &str, acts: usize) -> impl Iterator<Item = (usize, usize)> {
        let all = self.made.get(name).map_or(&[][..], Vec::as_slice).iter();
        all.map(move |n| (self.goals[*n], self.goals.get(n + 1).copied().unwrap_or(acts)))
    }
    /// Whether an installer has tables of its own here.
    pub(super) fn has_tables_of(&self, tool: Tool) -> bool {
        self.tools.contains(&tool)
    }
    /// The acts that say what is installed unasked, with what they name.
    pub(super) fn defaults(&self) -> &[(&'a Act, &'a [Choice])] {
        &self.defaults
    }
    /// The environments that the file puts together.
    pub(super) fn environments(&self) -> &[&'a Composed] {
        &self.environments
    }
    /// How many acts take place under all choices.
    pub(super) fn always(&self) -> usize {
        self.always.len()
    }
    /// The acts that may take place under these choices, in order.
    pub(super) fn under<'c>(&self, choices: impl Iterator<Item = &'c Choice>) -> Vec<usize> {
        let mut all = self.always.clone();
        all.extend(choices.filter_map(|choice| self.chosen.get(choice)).flatten());
        all.sort_unstable();
        all.dedup();
        all
    }
    /// The acts before a launch that set the variables which it speaks of, and those which they speak of; in order.
    pub(super) fn sets_for<'o>(&self, launch: &'o Launch, acts: &'o [Act], at: usize) -> Vec<&'o Act>
    where
        'a: 'o,
    {
        let mut open: Vec<&str> = Vec::new();
        open.push(super::processors::DEFAULT);
        launch
            .image
            .iter()
            .chain(&launch.environment_files)
            .chain(&launch.platforms)
            // What quotes do not hold back is the machine's.
            .chain(launch.entrypoint.iter().flatten().chain(&launch.command))
            .chain(launch.mounts.iter().map(|mount| &mount.from))
            .chain(&launch.folder)
            .chain(launch.build.iter().flat_map(|build| [&build.context].into_iter().chain(&build.dockerfile)))
            .for_each(|text| names(&text.pieces, 0, &mut open));
        let spoken = |variable: &'o Variable, open: &mut Vec<&'o str>| match &variable.value {
            Some(text) => names(&text.pieces, 0, open),
            None => open.push(&variable.name),
        };
        for choice in acts.get(at).iter().flat_map(|act| &act.when.0) {
            if let Choice::Branch { test, .. } = choice {
                open.extend(asking::names(test).iter().filter_map(|name| Some(*self.sets.get_key_value(name.as_str())?.0)));
            }
        }
        let arguments = launch.build.iter().flat_map(|build| &build.arguments);
        launch.environment.iter().chain(arguments).for_each(|variable| spoken(variable, &mut open));
        let mut seen: HashSet<&str> = HashSet::new();
        let mut found: Vec<usize> = Vec::new();
        while let Some(name) = open.pop() {
            let sets = self.sets.get(name).filter(|_| seen.insert(name)).map_or(&[][..], Vec::as_slice);
            for set in sets.iter().take_while(|set| **set < at) {
                found.push(*set);
                if let Does::Set(variable) = &acts[*set].does {
                    spoken(variable, &mut open);
                }
                if let Some(Act { does: Does::Answer(answer), .. }) = acts.get(set + 1) {
                    found.push(set + 1);
                    open.extend(answer.from.iter().map(String::as_str));
                }
            }
        }
        found.sort_unstable();
        found.into_iter().map(|i| &acts[i]).collect()
    }
}

/// Whether a start says itself which choices of this kind there are.
pub(super) fn is_selected(choice: &Choice) -> bool {
    matches!(choice, Choice::Extra(_) | Choice::Group(_) | Choice::Feature(_) | Choice::PixiEnvironment(_))
}

/// The package that an act names, in whatever role.
fn package(act: &Act) -> Option<String> {
    let Does::Require(Requirement { written, .. }) = &act.does else { return None };
    match requirement::parse(written.known()?).ok()?.subject {
        Subject::Package { name, .. } | Subject::Elsewhere { name: Some(name), .. } => Some(name),
        Subject::Wheel { wheel, .. } => Some(wheel.name),
        Subject::Elsewhere { name: None, .. } | Subject::Path(_) => None,
    }
}

/// The variables that a text speaks of, fallbacks too.
fn names<'o>(pieces: &'o [Piece], depth: usize, found: &mut Vec<&'o str>) {
    for piece in pieces {
        let inner: [Option<&[Piece]>; 2] = match piece {
            Piece::Variable { name, fallback, instead } => {
                found.push(name);
                [fallback.as_deref(), instead.as_deref()]
            }
            Piece::Path(lead) => [Some(lead.words()), None],
            Piece::Edited { of, .. } => [Some(of), None],
            Piece::Literal(_) | Piece::Opaque => continue,
        };
        for inner in inner.into_iter().flatten().filter(|_| depth < super::variables::DEEPEST) {
            names(inner, depth + 1, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Kind;
    use crate::read::read;
    use crate::source::Sources;

    #[test]
    fn stages_are_found_by_name_and_number() {
        let id = Sources::default().set("x", "");
        let outline = read(Kind::Dockerfile, "x", id, "ARG V\nFROM a AS b\nRUN x\nFROM b AS c\nFROM c AS b\nENV V=1\nFROM b\n");
        let parts = Parts::of(&outline);
        assert_eq!((parts.len(), parts.before(), parts.named("b")), (4, 1, &[0, 2][..]));
        assert_eq!([1, 3].map(|n| parts.last_named("b", n)), [Some(0), Some(2)]);
        assert_eq!((parts.last_named("b", 0), parts.last_named("B", 3)), (None, None));
        let called = [("b", 3), ("2", 3), ("2", 2), ("02", 3), ("x", 3)];
        assert_eq!(called.map(|(name, n)| parts.first_called(name, n)), [Some(0), Some(2), None, None, None]);
    }

    #[test]
    fn a_launch_knows_who_sets_what_it_speaks_of() {
        let text = "A=1\nB=$A\nC=2\nexport T=3\ndocker run -e T -e X=${Y:-$C} i:$B x\nA=4\n";
        let outline = read(Kind::Script, "x.sh", Sources::default().set("x.sh", text), text);
        let (at, launch) = outline
            .acts
            .iter()
            .enumerate()
            .find_map(|(i, act)| if let Does::Launch(launch) = &act.does { Some((i, launch)) } else { None })
            .expect("a launch");
        let sets = Parts::of(&outline).sets_for(launch, &outline.acts, at);
        let set: Vec<_> = sets.iter().map(|act| &text[act.at.range()]).collect();
        assert_eq!(set, ["A=1", "B=$A", "C=2", "T=3"]);
    }
}
