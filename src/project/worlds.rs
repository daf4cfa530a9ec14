//! Exclusive worlds: the combinations of choices under which a start is walked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::questions::{Question, questions};
use super::starts::{Beginning, Enters};
use super::tested::is_of_template;
use super::walk::{Event, Script};
use crate::notation::marker::Marker;
use crate::outline::Choice;
use crate::platform::{Platform, Pythons};

/// No start has more; the rest of the combinations is left out.
const MOST: usize = 256;
/// Nor are all its worlds together more work than this many acts.
const MOST_WORK: usize = 300_000;
/// No job has more rows that count.
const MOST_ROWS: u32 = 64;

/// One set of choices.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// What it runs on; markers are answered by it.
    pub(crate) platform: Platform,
    /// Extras, groups and features that are installed.
    pub(crate) with: BTreeSet<Choice>,
    /// What the project itself requires comes along with them.
    pub(crate) project: bool,
    /// The arm taken, by test; arm 0 where a test is not named.
    pub(crate) arms: BTreeMap<String, u32>,
    /// Tests that share a subject, with what they ask.
    asked: Arc<BTreeMap<String, Arms>>,
    /// The answer that each such subject has; `None` where it is another.
    answers: BTreeMap<String, Option<String>>,
    /// Which answer this world is about, by its number.
    answer: u32,
    /// The row taken, by job; row 0 where a job is not named.
    pub(crate) rows: BTreeMap<String, u32>,
    /// Which set of build arguments is given, by its position.
    pub(crate) build: usize,
}

impl World {
    /// The world of a start in which every test is true.
    pub(crate) fn of(platform: Platform, beginning: &Beginning) -> Self {
        let (with, project) = match &beginning.enters {
            Enters::Manifest(selection) => (selection.with.clone(), selection.project),
            _ => (BTreeSet::new(), true),
        };
        let (arms, rows, answers) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { platform, with, project, arms, asked: Arc::default(), answers, answer: 0, rows, build: 0 }
    }
    /// Whether an act takes place here; `None` where a marker cannot be told.
    pub(super) fn takes<'c>(&self, when: impl IntoIterator<Item = &'c Choice>) -> Option<bool> {
        let mut known = true;
        for choice in when {
            match self.holds(choice) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => known = false,
            }
        }
        known.then_some(true)
    }
    fn holds(&self, choice: &Choice) -> Option<bool> {
        match choice {
            Choice::Extra(_) | Choice::Group(_) | Choice::Feature(_) => Some(self.with.contains(choice)),
            Choice::PixiEnvironment(name) => {
                let other = self.with.iter().any(|c| matches!(c, Choice::PixiEnvironment(_)));
                Some(self.with.contains(choice) || (name == "default" && !other))
            }
            // Which tool reads an act is asked before.
            Choice::For(_) => Some(true),
            Choice::Branch { test, arm } => Some(self.arm(test) == *arm),
            Choice::Row { job, row } => Some(self.rows.get(job).copied().unwrap_or(0) == *row),
            Choice::Marker(text) => self.marker(text),
        }
    }
    /// The arm that is taken of a test.
    pub(super) fn arm(&self, test: &str) -> u32 {
        if let Some(arm) = constant(test) {
            return arm;
        }
        if self.asked.contains_key(test) { self.answered(test) } else { self.arms.get(test).copied().unwrap_or(0) }
    }
    /// The arm that the answers lead to.
    fn answered(&self, test: &str) -> u32 {
        let Some((questions, swapped)) = self.asked.get(test) else { return 0 };
        let holds = |q: &Question| {
            let given = self.answers.get(&q.subject).and_then(Option::as_deref);
            given.is_some_and(|given| q.answers.iter().any(|answer| answer == given)) != q.negated
        };
        let arm = (0u32..).zip(questions).find(|(_, q)| holds(q)).map(|(arm, _)| arm);
        let last = u32::try_from(questions.len()).unwrap_or(u32::MAX);
        match arm.unwrap_or(last) {
            arm if *swapped => 1 - arm.min(1),
            arm => arm,
        }
    }
    pub(super) fn marker(&self, text: &str) -> Option<bool> {
        Marker::parse(text).ok()?.holds(&self.platform, &self.extras())
    }
    pub(super) fn extras(&self) -> Vec<&str> {
        self.with.iter().filter_map(|c| if let Choice::Extra(name) = c { Some(name.as_str()) } else { None }).collect()
    }
    /// What tells this world from the first, for the environment's name: `?branch 2`.
    pub(crate) fn suffix(&self) -> String {
        let arms = self.arms.values().map(|arm| format!("?branch {}", arm + 1));
        let answer = Some(self.answer).filter(|answer| *answer > 0).map(|answer| format!("?branch {}", answer + 1));
        let rows = self.rows.values().map(|row| format!("?row {}", row + 1));
        arms.chain(answer).chain(rows).chain([self.suffix_of_build()]).collect()
    }
    /// The same for the build arguments alone.
    pub(crate) fn suffix_of_build(&self) -> String {
        if self.build > 0 { format!("?build {}", self.build + 1) } else { String::new() }
    }
}

/// The worlds of a start: each test and matrix varied alone, and Python split where a marker tells its versions apart. With
/// the first of them what happens there, where that has been seen. `survey` is a walk that looks around.
pub(crate) fn worlds(first: &World, survey: impl Fn(&World) -> Script) -> Vec<(World, Option<Script>)> {
    let met = survey(first);
    // The last arm that was seen of each test, and whether the first was.
    let mut arms: BTreeMap<&str, (u32, bool)> = BTreeMap::new();
    let mut rows: BTreeMap<&str, u32> = BTreeMap::new();
    for choice in &met.choices {
        match choice {
            Choice::Branch { test, arm } if constant(test).is_none() => {
                let (last, begins) = arms.entry(test).or_default();
                *last = (*last).max(*arm);
                *begins |= *arm == 0;
            }
            Choice::Row { job, row } => {
                let last = rows.entry(job).or_default();
                *last = (*last).max(*row);
            }
            _ => {}
        }
    }
    let shared = shared(arms.keys().copied());
    let first = &World {
        // Each subject has the first of its answers.
        answers: shared.answers.iter().map(|(subject, all)| (subject.clone(), all.first().cloned())).collect(),
        asked: Arc::new(shared.asked),
        ..first.clone()
    };
    arms.retain(|test, _| !first.asked.contains_key(*test));
    let mut found = vec![first.clone()];
    // Where the answers lead elsewhere than at first, other things tell.
    let answered = (!first.asked.is_empty()).then(|| survey(first));
    let tells = |test: &str| met.telling.contains(test) || answered.as_ref().is_some_and(|met| met.telling.contains(test));
    arms.retain(|test, _| tells(test));
    let telling: BTreeSet<&str> =
        first.asked.iter().filter(|(test, _)| tells(test)).flat_map(|(_, arms)| &arms.0).map(|q| q.subject.as_str()).collect();
    for (subject, all) in shared.answers.into_iter().filter(|(subject, _)| telling.contains(subject.as_str())) {
        let others = all.into_iter().skip(1).map(Some).chain([None]);
        found.extend((1u32..).zip(others).map(|(answer, other)| {
            let mut world = World { answer, ..first.clone() };
            world.answers.insert(subject.clone(), other);
            world
        }));
    }
    let nested: Vec<_> = nested(&met, &arms).collect();
    for (test, (last, begins)) in arms {
        // One arm more than was seen: no test is true, and there is no `else`. Where nothing happens in the first, that is it.
        found.extend((1..=last.saturating_add(u32::from(begins))).map(|arm| {
            let mut world = first.clone();
            world.arms.insert(test.to_owned(), arm);
            world
        }));
    }
    found.extend(nested.into_iter().map(|arms| World { arms, ..first.clone() }));
    found.extend((1..met.builds).map(|build| World { build, ..first.clone() }));
    for (job, last) in rows {
        found.extend((1..=last.min(MOST_ROWS - 1)).map(|row| {
            let mut world = first.clone();
            world.rows.insert(job.to_owned(), row);
            world
        }));
    }
    let most = (MOST_WORK / met.weight.max(1)).clamp(1, MOST);
    found.truncate(most);
    // One split alone may still tell what a marker could not: `requires-python` leaves few Pythons.
    let splits = pythons(first, &met);
    if splits.iter().any(|python| *python != first.platform.python) {
        let of_python = |world: &World, python: Pythons| {
            let mut world = world.clone();
            world.platform.python = python;
            (world, None)
        };
        let split = found.iter().flat_map(|world| splits.iter().map(move |python| of_python(world, *python)));
        return split.take(most).collect();
    }
    let mut seen = answered.or(Some(met));
    found.into_iter().map(|world| (world, seen.take())).collect()
}

/// The arms of tests in tests, where all of these tell.
fn nested(met: &Script, telling: &BTreeMap<&str, (u32, bool)>) -> impl Iterator<Item = BTreeMap<String, u32>> {
    let arm = |choice: &Choice| match choice {
        Choice::Branch { test, arm } if telling.contains_key(&**test) => Some((test.to_string(), *arm)),
        _ => None,
    };
    met.nested.iter().filter_map(move |arms| arms.iter().map(arm).collect())
}

/// What the arms of a test ask, and whether its two arms changed places.
type Arms = (Vec<Question>, bool);

/// Subjects that several tests ask about.
struct Shared {
    asked: BTreeMap<String, Arms>,
    answers: BTreeMap<String, BTreeSet<String>>,
}

fn shared<'t>(tests: impl Iterator<Item = &'t str>) -> Shared {
    let mut by_subject: BTreeMap<String, Vec<(&str, Arms)>> = BTreeMap::new();
    for test in tests.filter(|test| !is_of_template(test)) {
        if let Some((all, swapped)) = questions(test)
            && let Some(subject) = all.first().map(|q| q.subject.clone())
        {
            by_subject.entry(subject).or_default().push((test, (all, swapped)));
        }
    }
    let mut shared = Shared { asked: BTreeMap::new(), answers: BTreeMap::new() };
    for (subject, tests) in by_subject.into_iter().filter(|(_, tests)| tests.len() > 1) {
        for (test, arms) in tests {
            let answers = shared.answers.entry(subject.clone()).or_default();
            answers.extend(arms.0.iter().flat_map(|q| q.answers.clone()));
            shared.asked.insert(test.to_owned(), arms);
        }
    }
    shared
}

/// The one arm of a test that always comes out the same way.
fn constant(test: &str) -> Option<u32> {
    match test.trim() {
        "true" | ":" => Some(0),
        "false" => Some(1),
        _ => None,
    }
}

/// The Pythons of a platform, grouped by what the markers say of each.
fn pythons(world: &World, met: &Script) -> Vec<Pythons> {
    let unsure: Vec<Marker> = met
        .markers
        .iter()
        .filter_map(|text| Marker::parse(text).ok())
        .filter(|marker| marker.holds(&world.platform, &world.extras()).is_none())
        .collect();
    if unsure.is_empty() {
        return vec![world.platform.python];
    }
    let mut groups: BTreeMap<Vec<Option<bool>>, Pythons> = BTreeMap::new();
    // CPython 3.6 is the oldest that a wheel of the tables is for.
    for minor in stated(world.platform.python, met).minors().filter(|minor| (6..32).contains(minor)) {
        let platform = Platform { python: Pythons::only(minor), ..world.platform.clone() };
        let answers = unsure.iter().map(|marker| marker.holds(&platform, &world.extras())).collect();
        let group = groups.entry(answers).or_insert(Pythons(0));
        group.0 |= Pythons::only(minor).0;
    }
    groups.into_values().collect()
}

/// Those of `all` that the files state (`requires-python`); all where they state none of them.
fn stated(all: Pythons, met: &Script) -> Pythons {
    let mut left = all;
    for event in &met.events {
        if let Event::Python(text, _) = event
            && let Some(stated) = Pythons::stated(text)
        {
            let both = stated.and(left);
            left = if both.0 == 0 { left } else { both };
        }
    }
    left
}
