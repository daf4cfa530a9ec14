//! Which tests tell: those whose arms do anything from which what is installed could differ. Of the others one arm is looked at.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::super::paths;
use super::super::variables::{Variables, WORKING};
use super::super::watched::{Setting, Settings, Under};
use super::Walker;
use crate::environment;
use crate::knowledge::{configured_index, fetches_no_packages};
use crate::outline::{Act, Choice, Does, Leaves, Piece, Place, Scope, Text, When};

/// What an act does to what comes after it.
enum Tells<'a> {
    Nothing,
    /// What a variable is, or on what it rests: it tells where anybody asks for that. So do a shell's folder and the files that
    /// were changed, by [`WORKING`] and [`edited`].
    Variable(Cow<'a, str>),
    /// Not whether it happens, but what stands in it: where anybody asks for that.
    Words(&'static str),
    Something,
}

fn tells<'a>(act: &'a Act, variables: &Variables) -> Tells<'a> {
    match &act.does {
        // Who else sees it is looked at in the end; in an arm that is not taken it may be exported unseen.
        Does::Set(variable) if variable.scope == Scope::Shell || !environment::tells(&variable.name) => {
            Tells::Variable(Cow::Borrowed(&variable.name))
        }
        Does::Answer(answer) => Tells::Variable(Cow::Borrowed(&answer.name)),
        Does::Enter(Place::Directory(_)) => Tells::Variable(Cow::Borrowed(WORKING)),
        Does::Edit(text) => match name_of_edited(text, variables) {
            Some(name) if configured_index(&name).is_some() => Tells::Something,
            Some(name) => Tells::Variable(Cow::Owned(edited(&name))),
            // Nobody asks for that.
            None => Tells::Variable(Cow::Borrowed(UNNAMED)),
        },
        // A frame is there in any case.
        Does::Enter(Place::Subshell | Place::Call | Place::Back) => Tells::Nothing,
        Does::Launch(_) | Does::Sent(_) | Does::Patch(_) | Does::ConfigMap(_) | Does::DefaultRuntime => Tells::Nothing,
        // What it is by its name is looked at where it is fetched.
        Does::Download(download) if is_of_nvidia(&download.url, variables) => Tells::Nothing,
        Does::Download(_) => Tells::Words(FETCHED),
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

/// The variable that stands for what was fetched, and from where.
pub(super) const FETCHED: &str = "(fetched)";

/// Whether the address of what is fetched may say that it is cuDNN, or for WSL.
fn is_of_nvidia(url: &Text, variables: &Variables) -> bool {
    let says = |text: &str| text.contains("cudnn") || text.contains("wsl");
    let literal = |piece: &Piece| if let Piece::Literal(text) = piece { Some(says(text)) } else { None };
    let written: Vec<bool> = url.pieces.iter().filter_map(literal).collect();
    written.is_empty() || written.contains(&true) || variables.peek(url).is_some_and(|url| says(&url))
}

/// A file of which not even the name is known stays as it is.
const UNNAMED: &str = "(edited)";

/// The variable that stands for whether a file of that name was changed.
pub(super) fn edited(name: &str) -> String {
    format!("(edited) {name}")
}

/// The name of a file that is changed: as it is written, or as the variables have it that are seen on the way.
fn name_of_edited(text: &Text, variables: &Variables) -> Option<String> {
    let end = match text.pieces.as_slice() {
        [Piece::Literal(whole)] => return Some(paths::name(whole).to_owned()),
        [.., Piece::Literal(end)] => Some(end),
        _ => None,
    };
    let written = end.filter(|end| end.contains('/')).cloned();
    let path = written.or_else(|| variables.peek(text)).or_else(|| end.cloned())?;
    Some(paths::name(&path).to_owned())
}

/// Whether the address of a fetched script begins as that of one which installs no packages.
pub(super) fn brings_nothing(url: &Text) -> bool {
    matches!(url.pieces.first(), Some(Piece::Literal(begin)) if fetches_no_packages(begin))
}

/// What a survey has seen so far.
#[derive(Default)]
pub(super) struct Survey {
    /// Choices by numbers of their own, and the tests of those that are arms.
    numbers: HashMap<Choice, u32>,
    tests: Vec<Option<Arc<str>>>,
    /// The choices under which the acts happen that are walked now: those of the act that leads to them.
    outer: Under,
    /// Those under which the last act stands, with all.
    last: When,
    here: Under,
    /// How many acts lead to each other now.
    nested: usize,
    /// What the last act sets, which counts after it.
    setting: Option<Sets>,
    /// The tests under which settings happen.
    sets: HashMap<Setting, Vec<u32>>,
    /// The settings of variables that a test, or another setting, rests on.
    by_tests: HashMap<u32, Settings>,
    by_settings: HashMap<Setting, Settings>,
    /// Where what follows may not happen, innermost last.
    leaving: Vec<Leaving>,
}

/// A variable that an act sets.
struct Sets {
    name: String,
    setting: Setting,
    under: Under,
    sure: bool,
}

/// Tests on which it rests whether all happens that follows.
struct Leaving {
    tests: Vec<u32>,
    /// While so many frames are open; 0: to the end.
    open: usize,
    /// Nothing at all follows.
    ends: bool,
}

/// Of more places where a shell may be left at once, each tells.
const MOST_LEAVING: usize = 64;

/// What an act is that happens under others: [`Walker::nest`].
pub(super) struct Outer {
    outer: Under,
    last: When,
    here: Under,
}

impl Survey {
    fn number(&mut self, choice: &Choice) -> u32 {
        if let Some(number) = self.numbers.get(choice) {
            return *number;
        }
        let number = u32::try_from(self.tests.len()).unwrap_or(u32::MAX);
        self.tests.push(if let Choice::Branch { test, .. } = choice { Some(Arc::clone(test)) } else { None });
        self.numbers.insert(choice.clone(), number);
        number
    }
    /// The choices under which an act happens.
    fn under(&mut self, act: &Act) -> Under {
        if self.last != act.when {
            let own: Vec<u32> = act.when.0.iter().map(|choice| self.number(choice)).collect();
            self.here = self.outer.iter().copied().chain(own).collect();
            self.last = act.when.clone();
        }
        Under::clone(&self.here)
    }
    /// The tests of the last act, by the numbers of their arms.
    fn own_tests(&self) -> impl Iterator<Item = u32> {
        let own = self.here.get(self.outer.len()..).unwrap_or_default();
        own.iter().copied().filter(|number| self.test(*number).is_some())
    }
    fn test(&self, number: u32) -> Option<&Arc<str>> {
        self.tests.get(number as usize)?.as_ref()
    }
}

impl Walker<'_, '_> {
    /// Takes into account what an act would do, whichever way its tests go.
    pub(super) fn weigh(&mut self, act: &Act) {
        let Some(survey) = &mut self.survey else { return };
        if let (Some(sets), Some(watched)) = (survey.setting.take(), self.variables.watched()) {
            watched.set(&sets.name, sets.setting, &sets.under, sets.sure);
        }
        let under = survey.under(act);
        if let Some(watched) = self.variables.watched() {
            watched.stand(&under);
        }
        match tells(act, &self.variables) {
            Tells::Nothing => {}
            Tells::Words(name) => {
                let Some(watched) = self.variables.watched() else { return };
                let setting = watched.number();
                survey.setting = Some(Sets { name: name.to_owned(), setting, under, sure: false });
            }
            Tells::Variable(name) if self.variables.is_watched() => {
                let name = name.into_owned();
                let Some(watched) = self.variables.watched() else { return };
                let setting = watched.number();
                let left = survey.leaving.iter().flat_map(|leaving| leaving.tests.iter().copied());
                let tests: Vec<u32> = survey.own_tests().chain(left).collect();
                if !tests.is_empty() {
                    survey.sets.insert(setting, tests);
                }
                let sure = is_whole(act) && survey.leaving.iter().all(|leaving| leaving.ends);
                survey.setting = Some(Sets { name, setting, under, sure });
            }
            Tells::Variable(_) | Tells::Something => {
                let left = std::mem::take(&mut survey.leaving);
                for number in left.into_iter().flat_map(|leaving| leaving.tests) {
                    self.script.telling.extend(survey.test(number).map(|test| test.to_string()));
                }
                tests(act).for_each(|test| add(&mut self.script.telling, test));
            }
        }
    }

    /// What follows happens under the choices of the act that leads to it.
    pub(super) fn nest(&mut self) -> Option<Outer> {
        let survey = self.survey.as_mut()?;
        survey.nested += 1;
        let here = Under::clone(&survey.here);
        let outer = std::mem::replace(&mut survey.outer, Under::clone(&here));
        Some(Outer { outer, last: std::mem::take(&mut survey.last), here })
    }

    /// What follows happens again where that act does.
    pub(super) fn unnest(&mut self, outer: Option<Outer>) {
        let (Some(survey), Some(outer)) = (&mut self.survey, outer) else { return };
        survey.nested -= 1;
        (survey.outer, survey.last, survey.here) = (outer.outer, outer.last, outer.here);
        if let Some(watched) = self.variables.watched() {
            if let Some(sets) = survey.setting.take() {
                watched.set(&sets.name, sets.setting, &sets.under, sets.sure);
            }
            watched.stand(&survey.here);
        }
    }

    /// Takes into account that what follows may not happen while so many frames are open, to the end where it is 0; `None`
    /// where what follows is not seen.
    pub(super) fn weigh_leaving(&mut self, act: &Act, leaves: Leaves, open: Option<usize>) {
        let Some(survey) = &mut self.survey else { return };
        let mut own = tests(act).peekable();
        match open {
            _ if own.peek().is_none() => {}
            Some(open) if survey.leaving.len() < MOST_LEAVING => {
                let ends = leaves == Leaves::Shell && open == 0 && survey.nested <= 1;
                let tests = survey.own_tests().collect();
                survey.leaving.push(Leaving { tests, open, ends });
            }
            _ => self.script.telling.extend(own.map(str::to_owned)),
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
    pub(super) fn listen(&mut self) -> Settings {
        self.swap_asked(Settings::default())
    }

    fn swap_asked(&mut self, asked: Settings) -> Settings {
        self.variables.watched().map_or_else(Settings::default, |watched| watched.swap(asked))
    }

    /// It has been asked for the tests of the last act.
    pub(super) fn heard_tests(&mut self, before: Settings) {
        let heard = self.swap_asked(before);
        let Some(survey) = self.survey.as_mut().filter(|_| !heard.is_empty()) else { return };
        let tests: Vec<u32> = survey.own_tests().collect();
        for test in tests {
            survey.by_tests.entry(test).or_default().extend(&heard);
        }
    }

    /// It has been asked for what the last act sets.
    pub(super) fn heard_setting(&mut self, mut before: Settings) {
        let setting = self.survey.as_ref().and_then(|survey| Some(survey.setting.as_ref()?.setting));
        let heard = self.swap_asked(Settings::default());
        match (setting, &mut self.survey) {
            (Some(setting), Some(survey)) if !heard.is_empty() => survey.by_settings.entry(setting).or_default().extend(heard),
            _ => before.extend(heard),
        }
        self.swap_asked(before);
    }

    /// Takes into account the variables that make a difference, in the end.
    pub(super) fn weigh_variables(&mut self) {
        let Some(mut survey) = self.survey.take() else { return };
        if let (Some(sets), Some(watched)) = (survey.setting.take(), self.variables.watched()) {
            watched.set(&sets.name, sets.setting, &sets.under, sets.sure);
        }
        // The arms of a test rest on the same.
        let mut arms: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, test) in (0..).zip(&survey.tests) {
            if let Some(test) = test {
                arms.entry(test).or_default().push(number);
            }
        }
        let mut tests: Vec<String> = self.script.telling.iter().cloned().collect();
        let mut settings: Vec<Setting> = self.variables.asked().into_iter().collect();
        let mut seen: Settings = settings.iter().copied().collect();
        let wholes = self.variables.watched().map(|watched| watched.wholes()).unwrap_or_default();
        while !tests.is_empty() || !settings.is_empty() {
            let arms = tests.iter().filter_map(|test| arms.get(test.as_str())).flatten();
            let mut found: Vec<Setting> = arms.filter_map(|arm| survey.by_tests.get(arm)).flatten().copied().collect();
            tests.clear();
            for setting in settings.drain(..) {
                found.extend(survey.by_settings.get(&setting).into_iter().flatten());
                found.extend(wholes.get(&setting).into_iter().copied().flatten());
                let under = survey.sets.get(&setting).into_iter().flatten().filter_map(|number| survey.test(*number));
                for test in under {
                    if !self.script.telling.contains(&**test) {
                        self.script.telling.insert(test.to_string());
                        tests.push(test.to_string());
                    }
                }
            }
            found.retain(|setting| seen.insert(*setting));
            settings = found;
        }
    }
}

/// Whether nothing is left of what a variable was before it is set: other than where its value comes from later, or is only
/// told.
fn is_whole(act: &Act) -> bool {
    match &act.does {
        Does::Set(variable) => variable.value.is_some() && matches!(variable.scope, Scope::Shell | Scope::Environment),
        Does::Enter(Place::Directory(_)) => true,
        _ => false,
    }
}

fn tests(act: &Act) -> impl Iterator<Item = &str> {
    act.when.0.iter().filter_map(|choice| if let Choice::Branch { test, .. } = choice { Some(&**test) } else { None })
}

fn add(tests: &mut BTreeSet<String>, test: &str) {
    if !tests.contains(test) {
        tests.insert(test.to_owned());
    }
}
