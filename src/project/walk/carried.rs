//! What an image has from another stage or image: `COPY --from`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::File;
use super::super::arguments::InPlace;
use super::super::spoken::Name;
use super::decided::of_machine;
use super::folders::of_packages;
use super::telling::Survey;
use super::{Brought, DEEPEST, Event, ImageState, Prefix, Walker};
use crate::source::Span;

/// What is copied from.
enum Giver {
    /// A stage, or an image that is built here.
    Here(Rc<Happened>),
    /// Another image, by its name.
    Image(String),
    Unknown,
}

impl<'a> Walker<'_, 'a> {
    /// Packages that another stage or image has under folders that are copied into the folder `to`. `from` is its name as far as
    /// that is known, and where it stands.
    pub(super) fn copy_from(&mut self, path: &str, from: (Option<String>, Span), sources: &[String], to: &str) {
        let (name, at) = from;
        let giver = name.map_or(Giver::Unknown, |name| self.giver(path, name, at));
        // Of single packages the rest of what is there stays what it is.
        let (single, whole): (Vec<_>, Vec<_>) = sources.iter().partition(|source| package(source).is_some());
        let brings = |what: Brought| Event::Brought { folder: to.to_owned(), what, at };
        self.script.events.extend(single.into_iter().filter_map(|source| package(source)).map(Brought::Package).map(brings));
        let before = self.script.events.len();
        match giver {
            Giver::Here(happened) => {
                self.bring(&happened, &whole, to, at);
                // What is left behind in the stage is installed nowhere.
                if self.script.events[before..].iter().any(|event| matches!(event, Event::Install(_))) {
                    self.script.installed.extend(happened.installed.iter().cloned());
                }
            }
            Giver::Image(image) => self.script.events.extend(whole.into_iter().map(|source| brings(of_image(&image, source)))),
            Giver::Unknown => self.script.events.extend(whole.into_iter().map(|_| brings(Brought::Unknown))),
        }
        // The programs that lie in its folder are those of an environment.
        let is_place = |event: &Event| match event {
            Event::Install(step) => matches!(step.prefix, Prefix::Venv(_)),
            Event::Brought { .. } => Prefix::of_folder(to) != Some(Prefix::System),
            _ => false,
        };
        if self.script.events[before..].iter().any(is_place) {
            self.made.insert(to.to_owned());
        }
    }

    /// What is meant by a name that is copied from.
    fn giver(&mut self, path: &str, from: String, at: Span) -> Giver {
        let Some((earlier, nested)) = self.image.as_ref().map(|i| (i.stage, i.nested + 1)) else { return Giver::Unknown };
        let Some(file) = self.project.file(path).filter(|_| nested <= DEEPEST) else { return Giver::Unknown };
        let given = self.image.as_ref().and_then(|image| image.in_place_of(&from));
        let image = match given {
            Some(InPlace::Image(image) | InPlace::Built(image)) => image.to_owned(),
            Some(InPlace::Unknown) => return Giver::Unknown,
            None => match self.project.parts(file).first_called(&from.to_lowercase(), earlier) {
                Some(n) => return self.happened_in(path, file, n, nested).map_or(Giver::Unknown, Giver::Here),
                None => from,
            },
        };
        let here = self.happened_in_built(path, file, &image, at, nested);
        here.map_or_else(|| Giver::Image(image), Giver::Here)
    }

    /// Lets happen here what happened in a stage to what lies in the folders that are copied from it.
    fn bring(&mut self, happened: &Happened, sources: &[&String], to: &str, at: Span) {
        let installed_apart = |source: &str| {
            let own = |event: &Event| matches!(event, Event::Install(step) if step.prefix == Prefix::Venv(source.to_owned()));
            happened.events.iter().any(own)
        };
        // Asked once, not for each event.
        let apart: Vec<bool> = sources.iter().map(|source| installed_apart(source)).collect();
        let made_there: Vec<bool> = sources.iter().map(|source| was_made_in(happened, source)).collect();
        let lands = |prefix: &Prefix| {
            let mut fitting = sources.iter().zip(&apart);
            let (from, _) = fitting.find(|(source, apart)| prefix.lies_in(source) && !(**apart && *prefix == Prefix::System))?;
            Some(prefix.copied(from, to))
        };
        let mut brought = Vec::new();
        // From where it came there does not matter here.
        let mut told: Vec<Brought> = Vec::new();
        let mut once = |what: Brought, at: Span| {
            let new = !told.contains(&what);
            told.extend(new.then(|| what.clone()));
            new.then(|| Event::Brought { folder: to.to_owned(), what, at })
        };
        for event in &happened.events {
            match event {
                Event::Install(step) => brought.extend(lands(&step.prefix).map(|prefix| {
                    let mut step = step.clone();
                    step.prefix = prefix;
                    Event::Install(step)
                })),
                Event::Remove { tool, prefix, what } => {
                    let (tool, what) = (*tool, what.clone());
                    brought.extend(lands(prefix).map(|prefix| Event::Remove { tool, prefix, what }));
                }
                Event::PythonOf { prefix, python, at, now } => {
                    let (python, at, now) = (python.clone(), *at, *now);
                    brought.extend(lands(prefix).map(|prefix| Event::PythonOf { prefix, python, at, now }));
                }
                Event::Base { image, at, .. } => {
                    for (source, _) in sources.iter().zip(&made_there).filter(|(_, made)| !**made) {
                        let what = image.as_ref().map_or(Brought::Unknown, |image| of_image(image, source));
                        brought.extend(once(what, *at));
                    }
                }
                Event::Brought { folder, what, at } if sources.iter().any(|source| lies_below(folder, source)) => {
                    brought.extend(once(what.clone(), *at));
                }
                Event::Unread | Event::Upon(_) | Event::Unknown if lands(&Prefix::System).is_some() => {
                    brought.extend(once(Brought::Unknown, at));
                }
                _ => {}
            }
        }
        self.script.events.extend(brought);
    }

    /// What happens in an earlier stage, so many stages deep: the same for all that copy from it.
    fn happened_in(&mut self, path: &str, file: File<'a>, n: usize, nested: usize) -> Option<Rc<Happened>> {
        if let Some(happened) = self.stages.get(&(n, nested)).cloned() {
            let steps = happened.events.iter().filter(|event| !matches!(event, Event::Brought { .. })).count();
            return self.bounds.again(steps + happened.installed.len()).then_some(happened);
        }
        let parts = self.project.parts(file);
        if !self.bounds.again(parts.part(n, file.outline.acts.len()).map_or(0, |(begin, end)| end - begin)) {
            return None;
        }
        let happened = Rc::new(self.apart(path, file, nested, |other| {
            other.globals(file);
            other.stage(path, file, n, 0);
        }));
        self.stages.insert((n, nested), Rc::clone(&happened));
        Some(happened)
    }

    /// What happens in an image that one build here gives its name.
    fn happened_in_built(&mut self, path: &str, file: File<'a>, image: &str, at: Span, nested: usize) -> Option<Rc<Happened>> {
        let project = self.project;
        let made = project.givers.stood_on(&Name::of(image))?;
        // What a stage takes from its own image was made before, of what is not known.
        let earlier = self.image.as_ref().map_or(0, |image| image.stage);
        let of_before = || project.parts(file).first_called(&made.target.to_lowercase(), earlier).is_some();
        if made.dockerfile == path && (made.target.is_empty() || !of_before()) {
            return None;
        }
        let mut is_made = false;
        let happened = self.apart(path, file, nested, |other| is_made = other.makes(made, at, 1).is_some());
        is_made.then(|| Rc::new(happened))
    }

    /// What happens where nothing has happened yet, so many stages deep.
    fn apart(&mut self, path: &str, file: File<'a>, nested: usize, goes: impl FnOnce(&mut Walker<'_, 'a>)) -> Happened {
        let survey = self.survey.as_ref().map(|_| Survey::default());
        let mut other = Walker { survey, ..Walker::new(self.project, &self.world) };
        other.image = Some(ImageState { nested, ..ImageState::new(self.project, path, self.world.build) });
        other.bounds = std::mem::take(&mut self.bounds);
        other.stages = std::mem::take(&mut self.stages);
        other.variables = of_machine(&self.world.platform, Span::new(file.id, 0, 0));
        goes(&mut other);
        self.bounds = std::mem::take(&mut other.bounds);
        self.stages = std::mem::take(&mut other.stages);
        self.script.reached.append(&mut other.script.reached);
        self.script.looked.append(&mut other.script.looked);
        self.script.choices.append(&mut other.script.choices);
        self.script.telling.append(&mut other.script.telling);
        Happened { events: other.script.events, installed: other.script.installed }
    }
}

/// What happens in a stage that is copied from.
pub(super) struct Happened {
    events: Vec<Event>,
    /// The manifests that are installed there.
    installed: BTreeSet<String>,
}

/// Whether a folder is an environment that was made there: it holds what was put into it.
fn was_made_in(happened: &Happened, source: &str) -> bool {
    let made = |event: &Event| matches!(event, Event::Install(step) if step.made && step.prefix.lies_in(source));
    !Prefix::System.lies_in(source) && happened.events.iter().any(made)
}

/// The package whose files alone a path leads to.
fn package(source: &str) -> Option<String> {
    let (_, rest) = of_packages(source).filter(|(_, rest)| !rest.is_empty() && *rest != "*")?;
    Some(rest.split('/').next().unwrap_or(rest).to_owned())
}

/// What a folder of an image holds: all of its packages where these lie in a folder of that kind, whichever its Python is.
fn of_image(image: &str, source: &str) -> Brought {
    let certain = of_packages(source).is_some() || source.trim_end_matches('/').is_empty() || source.contains("conda");
    if certain && Prefix::System.lies_in(source) { Brought::Image(image.to_owned()) } else { Brought::Perhaps(image.to_owned()) }
}

/// Whether what came into a folder goes along when another one is copied.
fn lies_below(folder: &str, source: &str) -> bool {
    super::paths::under(folder, source).is_some() || super::paths::under(source, folder).is_some()
}
