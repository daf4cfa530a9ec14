//! How much of what files say is understood: a measure for those who build readers and joins.

use std::collections::{BTreeMap, BTreeSet};

use super::Linter;
use super::start::platforms;
use crate::environment::Untold;
use crate::outline::{Act, Does, How, Kind, Piece, Text};
use crate::project::{self, Event, Installed, Link, Script, World};
use crate::read::kind_by_name;
use crate::source::Span;

/// Why something is not understood, in few words.
pub type Gap = &'static str;

/// What files say, by place; with each what keeps it from being understood.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Commands that install.
    pub installs: BTreeMap<Span, Option<Gap>>,
    /// Texts with variables in them that say what is installed, from where, or upon what.
    pub variables: BTreeMap<Span, Option<Gap>>,
    /// Files and images that are named: `-r`, `COPY`, `FROM`, `source`.
    pub links: BTreeMap<Span, Option<Gap>>,
    /// What is the matter with a text whose variables are not known.
    open: BTreeMap<Span, Gap>,
}

const UNREACHED: Gap = "no start leads there";

impl Linter {
    /// What is understood of the files; meaningful after [`Linter::report`].
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::default();
        for file in self.files.values().filter(|file| file.kind != Kind::Markdown) {
            coverage.says(&file.outline.acts);
        }
        let project = self.project();
        let nothing = BTreeSet::new();
        let starts = project::commanded(&project).into_iter().chain(project::manifests(&project, &nothing, &nothing));
        for beginning in starts {
            for (platform, _) in platforms(&beginning, &[]) {
                let first = World::of(platform, &beginning);
                for (world, seen) in project::worlds(&first, |world| project::survey(&project, &beginning, world)) {
                    coverage.happens(&seen.unwrap_or_else(|| project::walk(&project, &beginning, &world)));
                }
            }
        }
        coverage
    }
}

impl Coverage {
    /// What stands in a file: nothing of it is understood yet.
    fn says(&mut self, acts: &[Act]) {
        for act in acts {
            match &act.does {
                Does::Install(install) if !install.flags.elsewhere => {
                    self.installs.insert(act.at, Some(UNREACHED));
                    install.asks.iter().for_each(|ask| self.text(&ask.written));
                    install.indexes.iter().for_each(|index| self.text(&index.url));
                    install.reads.iter().filter(|include| is_link(include.how)).for_each(|include| self.named(&include.path));
                }
                Does::Include(include) if is_link(include.how) => self.named(&include.path),
                Does::From(stage) => self.named(&stage.image),
                Does::Copy(copy) if copy.from.is_none() => {
                    let is_ours = |source: &&Text| source.known().is_none_or(|path| kind_by_name(path).is_some());
                    copy.sources.iter().filter(is_ours).for_each(|source| self.text(source));
                }
                Does::Require(requirement) => self.text(&requirement.written),
                Does::Index(index) => self.text(&index.url),
                Does::OnBuild(acts) => self.says(acts),
                _ => {}
            }
        }
    }

    fn named(&mut self, text: &Text) {
        self.text(text);
        self.links.insert(text.at, Some(UNREACHED));
    }

    fn text(&mut self, text: &Text) {
        let of_piece = |piece: &Piece| match piece {
            Piece::Literal(_) => None,
            Piece::Opaque | Piece::Path(_) | Piece::Edited { .. } => Some("it is worked out when run"),
            Piece::Variable { name, .. } if name.bytes().all(|b| b.is_ascii_digit() || b"@*#".contains(&b)) => {
                Some("it is an argument of a script")
            }
            Piece::Variable { .. } => Some("its variable has no known value"),
        };
        if let Some(gap) = text.pieces.iter().find_map(of_piece) {
            self.variables.insert(text.at, Some(UNREACHED));
            self.open.insert(text.at, gap);
        }
    }

    /// What comes of it in one world of a start.
    fn happens(&mut self, script: &Script) {
        for event in &script.events {
            match event {
                Event::Base { image, at, .. } => self.variable(*at, image.is_some()),
                Event::Install(step) => self.installed(step),
                _ => {}
            }
        }
        for (at, link) in &script.links {
            self.variable(*at, *link != Link::Untold);
            let gap = match link {
                Link::Found => None,
                Link::Absent => Some("nothing of that name is there"),
                Link::Outside(_) => Some("it leads outside the root"),
                Link::Untold => Some("a variable in its name is not known"),
                Link::Changed => Some("it is changed on the way"),
            };
            better(self.links.entry(*at).or_insert(Some(UNREACHED)), gap);
        }
    }

    fn variable(&mut self, at: Span, known: bool) {
        if let Some(gap) = self.variables.get_mut(&at) {
            better(gap, if known { None } else { self.open.get(&at).copied() });
        }
    }

    fn installed(&mut self, step: &Installed) {
        for ask in step.asks.iter().chain(&step.bounds) {
            self.variable(ask.at, ask.text.is_some());
        }
        for index in &step.indexes {
            self.variable(index.at, index.url.is_ok());
        }
        let unknown = step.asks.iter().any(|ask| ask.text.is_none()).then_some("a package with an unknown variable");
        let index = || step.indexes.iter().find_map(|index| index.url.as_ref().err()).map(of_index);
        let gap = unknown.or_else(index).or(step.open.then_some("a file that takes part is not known"));
        if let Some(known) = self.installs.get_mut(&step.at) {
            better(known, gap);
        }
    }
}

fn of_index(why: &Untold) -> Gap {
    match why {
        Untold::Variable => "an index with an unknown variable",
        Untold::File(_) => "a file that is not there may name an index",
        Untold::Configuration | Untold::Unplaced => "a configuration that is not read may name an index",
        Untold::Module => "a module that is loaded may name an index",
        Untold::Sourced => "a file that is sourced may name an index",
        Untold::Others | Untold::TooMuch => "others may name an index",
        Untold::Machine => "the machine chooses the index",
    }
}

/// The best of what comes of a thing in several worlds.
fn better(known: &mut Option<Gap>, gap: Option<Gap>) {
    if gap.is_none() || *known == Some(UNREACHED) {
        *known = gap;
    }
}

fn is_link(how: How) -> bool {
    matches!(how, How::Requirements | How::Constraints | How::Overrides | How::CondaEnvironment | How::Project | How::Script)
}
