//! Which tests tell: those whose arms do anything from which what is installed could differ. Of the others one arm is looked at.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Walker;
use crate::knowledge::fetches_no_packages;
use crate::outline::{Act, Choice, Does, Piece, Place, Scope, Text};

/// What an act does to what comes after it.
enum Tells<'a> {
    Nothing,
    /// What a variable of a shell is, or on what it rests.
    Variable(&'a str),
    Something,
}

fn tells(act: &Act) -> Tells<'_> {
    match &act.does {
        // The value of one that is exported, and who sees it, are looked at in the end.
        Does::Set(variable) if variable.scope == Scope::Shell => Tells::Variable(&variable.name),
        Does::Answer(answer) => Tells::Variable(&answer.name),
        // A frame is there in any case.
        Does::Enter(Place::Subshell | Place::Call | Place::Back) => Tells::Nothing,
        Does::Launch(_) | Does::Sent(_) | Does::Download(_) | Does::Patch(_) | Does::ConfigMap(_) | Does::DefaultRuntime => {
            Tells::Nothing
        }
        Does::Fetched(url) if brings_nothing(url) => Tells::Nothing,
        Does::Conflict(_) | Does::Members(_) => Tells::Nothing,
        // What follows is weighed in its place.
        Does::Leave(_) => Tells::Nothing,
        Does::Compile(compile) if !matches!(compile.program.as_str(), "make" | "nvcc" | "cmake" | "setup.py") => Tells::Nothing,
        Does::System(packages) if packages.removes => Tells::Nothing,
        Does::Modules(modules) if modules.unloads => Tells::Nothing,
        Does::Install(install) if install.flags.elsewhere => Tells::Nothing,
        _ => Tells::Something,
    }
}

/// Whether the address of a fetched script begins as that of one which installs no packages.
pub(super) fn brings_nothing(url: &Text) -> bool {
    matches!(url.pieces.first(), Some(Piece::Literal(begin)) if fetches_no_packages(begin))
}

/// What a survey has seen so far.
#[derive(Default)]
pub(super) struct Survey {
    /// Variables of shells that are set under tests, with these.
    sets: HashMap<String, BTreeSet<String>>,
    /// The variables that a test, or the value of a variable, rests on.
    by_tests: HashMap<String, HashSet<String>>,
    by_variables: HashMap<String, HashSet<String>>,
    /// Where what follows may not happen, innermost last.
    leaving: Vec<Leaving>,
}

/// Tests on which it rests whether all happens that follows.
struct Leaving {
    tests: Vec<String>,
    /// While so many frames are open; 0: to the end.
    open: usize,
}

/// Of more places where a shell may be left at once, each tells.
const MOST_LEAVING: usize = 64;

impl Walker<'_, '_> {
    /// Takes into account what an act would do, whichever way its tests go.
    pub(super) fn weigh(&mut self, act: &Act) {
        let Some(survey) = &mut self.survey else { return };
        if act.when.0.is_empty() && survey.leaving.is_empty() {
            return;
        }
        match tells(act) {
            Tells::Nothing => {}
            Tells::Variable(name) if self.variables.is_watched() => {
                let left = survey.leaving.iter().flat_map(|leaving| &leaving.tests).map(String::as_str);
                let known = match survey.sets.get_mut(name) {
                    Some(known) => known,
                    None => survey.sets.entry(name.to_owned()).or_default(),
                };
                tests(act).chain(left).for_each(|test| add(known, test));
            }
            Tells::Variable(_) | Tells::Something => {
                let left = survey.leaving.drain(..).flat_map(|leaving| leaving.tests);
                self.script.telling.extend(left);
                tests(act).for_each(|test| add(&mut self.script.telling, test));
            }
        }
    }

    /// Takes into account that what follows may not happen while so many frames are open, to the end where it is 0; `None`
    /// where what follows is not seen.
    pub(super) fn weigh_leaving(&mut self, act: &Act, open: Option<usize>) {
        let Some(survey) = &mut self.survey else { return };
        let mut tests = tests(act).map(str::to_owned).peekable();
        match open {
            _ if tests.peek().is_none() => {}
            Some(open) if survey.leaving.len() < MOST_LEAVING => survey.leaving.push(Leaving { tests: tests.collect(), open }),
            _ => self.script.telling.extend(tests),
        }
    }

    /// How many places there are before acts happen where their shell may be left.
    pub(super) fn leaving(&self) -> usize {
        self.survey.as_ref().map_or(0, |survey| survey.leaving.len())
    }

    /// Of those places that came after `before` the ones are done with that no frame holds any more; all without frames.
    pub(super) fn close_leaving(&mut self, before: usize, open: Option<usize>) {
        let Some(survey) = &mut self.survey else { return };
        let mut n = 0;
        survey.leaving.retain(|leaving| {
            n += 1;
            n <= before || leaving.open == 0 || open.is_some_and(|open| open >= leaving.open)
        });
    }

    /// What tests, or the value of a variable, rest on is asked from here on.
    pub(super) fn listen(&mut self) -> HashSet<String> {
        self.variables.swap_asked(HashSet::new())
    }

    /// It has been asked for these tests.
    pub(super) fn heard_tests(&mut self, act: &Act, before: HashSet<String>) {
        let heard = self.variables.swap_asked(before);
        let Some(survey) = self.survey.as_mut().filter(|_| !heard.is_empty()) else { return };
        for test in tests(act) {
            survey.by_tests.entry(test.to_owned()).or_default().extend(heard.iter().cloned());
        }
    }

    /// It has been asked for this variable.
    pub(super) fn heard_variable(&mut self, name: &str, before: HashSet<String>) {
        let heard = self.variables.swap_asked(before);
        if let Some(survey) = self.survey.as_mut().filter(|_| !heard.is_empty()) {
            survey.by_variables.entry(name.to_owned()).or_default().extend(heard);
        }
    }

    /// Takes into account the variables that make a difference, in the end.
    pub(super) fn weigh_variables(&mut self) {
        let Some(survey) = self.survey.take() else { return };
        let mut tests: Vec<String> = self.script.telling.iter().cloned().collect();
        let asked = survey.sets.keys().chain(survey.by_variables.keys()).filter(|name| self.variables.matters(name));
        let mut names: Vec<String> = asked.cloned().collect();
        let mut seen: HashSet<String> = names.iter().cloned().collect();
        while !tests.is_empty() || !names.is_empty() {
            let by_tests = tests.drain(..).filter_map(|test| survey.by_tests.get(&test));
            let by_names = names.iter().filter_map(|name| survey.by_variables.get(name));
            let mut found: Vec<String> = by_tests.chain(by_names).flatten().cloned().collect();
            for test in names.drain(..).filter_map(|name| survey.sets.get(&name)).flatten() {
                if self.script.telling.insert(test.clone()) {
                    tests.push(test.clone());
                }
            }
            found.retain(|name| seen.insert(name.clone()));
            names = found;
        }
    }
}

fn tests(act: &Act) -> impl Iterator<Item = &str> {
    act.when.0.iter().filter_map(|choice| if let Choice::Branch { test, .. } = choice { Some(test.as_str()) } else { None })
}

fn add(tests: &mut BTreeSet<String>, test: &str) {
    if !tests.contains(test) {
        tests.insert(test.to_owned());
    }
}
