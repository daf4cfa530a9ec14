//! What commands and other manifests bring where they install one: an index that it does not name, packages that were there
//! before it. Alone, such a manifest is not known to be installed as it stands.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{File, Project, paths};
use super::{folder_of, places};
use crate::knowledge;
use crate::notation::requirement::{self, Subject, normalise};
use crate::outline::{Act, Choice, Does, How, Include, IndexKind, IndexLine, Install, Kind, Language, Role, Scope, Text, Tool};
use crate::source::Span;

/// Packages that are remembered of one place.
const MOST: usize = 64;
/// Manifests that other manifests include, in all.
const INCLUDED: usize = 10_000;

/// What comes with a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::project) struct Brought {
    /// Where an index is named for it.
    pub(in crate::project) index: Option<Span>,
    /// Pins of builds that only such an index has come from one that is named for it: of what PyPI has the same comes without it.
    pub(in crate::project) tags: Option<Tags>,
    /// Packages that come in a version of their own before it or with it, normalised.
    pub(in crate::project) packages: BTreeSet<String>,
}

/// Of which local versions an index has builds that changes nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::project) enum Tags {
    /// `+cpu`.
    Cpu,
    /// Any.
    Any,
}

impl Brought {
    /// What an index that is named brings.
    fn of_index(url: &Text) -> Self {
        let tags = if is_for_cpu(url) { Some(Tags::Cpu) } else { changes_nothing(url).then_some(Tags::Any) };
        Self { index: Some(url.at).filter(|_| tags.is_none()), tags, packages: BTreeSet::new() }
    }
    fn add(&mut self, other: &Self) {
        self.index = self.index.or(other.index);
        self.tags = self.tags.max(other.tags);
        let left = MOST.saturating_sub(self.packages.len());
        self.packages.extend(other.packages.iter().take(left).cloned());
    }
    fn is_nothing(&self) -> bool {
        self.index.is_none() && self.tags.is_none() && self.packages.is_empty()
    }
}

/// By the manifests' paths.
pub(super) fn brought(project: &Project<'_>) -> BTreeMap<String, Brought> {
    let own: BTreeMap<&str, Brought> = project.files().filter(|(_, f)| is_list(f.kind)).map(|(p, f)| (p, of_list(f))).collect();
    let mut found = Found { project, own, given: BTreeMap::new() };
    for (path, file) in project.files() {
        match file.kind {
            kind if is_list(kind) => found.list(path, file),
            Kind::Pyproject => {
                let index = file.outline.acts.iter().find(|act| is_of_uv_pip(act)).map(|act| act.at);
                found.give(path.to_owned(), &Brought { index, ..Brought::default() });
            }
            _ => found.commands(path, file),
        }
    }
    found.pass_on();
    found.given
}

/// The place at which acts set a variable that names an index for pip or uv.
pub(super) fn index_variable(acts: &[Act]) -> Option<Span> {
    acts.iter()
        .find_map(|act| if let Does::Set(variable) = &act.does { names_index(&variable.name).then_some(act.at) } else { None })
}

fn names_index(variable: &str) -> bool {
    let of_tool = variable.strip_prefix("PIP_").or_else(|| variable.strip_prefix("UV_"));
    of_tool
        .is_some_and(|rest| rest == "FIND_LINKS" || rest == "TORCH_BACKEND" || rest.contains("INDEX") && rest != "INDEX_STRATEGY")
}

/// Whether a project's settings for `uv pip` alone name where packages come from.
fn is_of_uv_pip(act: &Act) -> bool {
    let names = match &act.does {
        Does::Index(_) => true,
        Does::Options(flags) => flags.torch_backend.is_some(),
        _ => false,
    };
    names && act.when.0.contains(&Choice::For(Tool::UvPip))
}

fn is_list(kind: Kind) -> bool {
    matches!(kind, Kind::Requirements | Kind::CondaEnvironment)
}

/// What is published there is for machines without a GPU: beside it the same file is installed on others without it.
fn is_for_cpu(url: &Text) -> bool {
    url.known().is_some_and(|url| url.trim_end_matches('/').ends_with("/cpu"))
}

/// With it the same comes as without it.
fn changes_nothing(url: &Text) -> bool {
    url.known().and_then(knowledge::index).is_some_and(knowledge::serves_as_pypi)
}

/// The index that a requirements file or an environment names, and the packages that it holds to a version.
fn of_list(file: File<'_>) -> Brought {
    let mut own = Brought::default();
    for act in &file.outline.acts {
        match &act.does {
            Does::Index(index) if index.kind != IndexKind::Channel => own.add(&match Brought::of_index(&index.url) {
                Brought { tags: Some(Tags::Cpu), .. } if file.kind == Kind::CondaEnvironment => {
                    Brought { index: Some(index.url.at), ..Brought::default() }
                }
                of_index => of_index,
            }),
            Does::Require(r) if r.role == Role::Asks && own.packages.len() < MOST => {
                own.packages.extend(named(&r.written, r.language));
            }
            _ => {}
        }
    }
    own
}

/// A package that is asked for in a version: conda's `pytorch` is pip's `torch`.
fn named(written: &Text, language: Language) -> Option<String> {
    let text = written.known()?;
    if language == Language::MatchSpec {
        let text = text.rsplit("::").next().unwrap_or(text);
        let name = normalise(text.split(['=', '<', '>', '!', ' ', '[']).next().unwrap_or(text).trim());
        let conda = format!("conda:{name}");
        return Some(knowledge::provides(&conda).map_or(name, str::to_owned));
    }
    if !text.contains(['=', '<', '>', '~', '@']) {
        return None;
    }
    match requirement::parse(text).ok()?.subject {
        Subject::Package { name, wants, .. } => (!wants.is_any()).then_some(name),
        Subject::Wheel { wheel, .. } => Some(wheel.name),
        Subject::Elsewhere { name, .. } => name,
        Subject::Path(_) => None,
    }
}

/// The folders of the root that may have been copied to a place in an image: the root, and those by whose path it ends.
fn of_copied(place: &str) -> impl Iterator<Item = &str> {
    let folder = place.split('[').next().filter(|folder| folder.starts_with('/')).map(|folder| folder.trim_matches('/'));
    folder.into_iter().flat_map(|folder| {
        let ends = folder.match_indices('/').map(|(at, _)| &folder[at + 1..]);
        ["", folder].into_iter().chain(ends)
    })
}

struct Found<'p, 'a> {
    project: &'p Project<'a>,
    own: BTreeMap<&'p str, Brought>,
    given: BTreeMap<String, Brought>,
}

impl Found<'_, '_> {
    fn give(&mut self, place: String, brought: &Brought) {
        if !brought.is_nothing() && self.project.file(&place).is_some() {
            self.given.entry(place).or_default().add(brought);
        }
    }

    /// An environment's or a requirements file's own lines hold for what it includes.
    fn list(&mut self, path: &str, file: File<'_>) {
        let Some(own) = self.own.get(path).cloned() else { return };
        let mut with = own;
        // What stands in the files before comes, too.
        for act in &file.outline.acts {
            let places = match &act.does {
                Does::Include(include) => include.path.known().map(|to| places(include.how, &[paths::folder(path)], to)),
                Does::Require(r) if r.language == Language::Pep508 => {
                    folder_of(&r.written).map(|to| places(How::Project, &[paths::folder(path)], &to))
                }
                _ => None,
            };
            let places = places.unwrap_or_default();
            for place in &places {
                self.give(place.clone(), &with);
            }
            places.iter().filter_map(|place| self.own.get(place.as_str())).for_each(|other| {
                with.tags = with.tags.max(other.tags);
                if other.index.is_some() {
                    with.add(other);
                }
            });
        }
    }

    /// The commands of a file, in their order.
    fn commands(&mut self, path: &str, file: File<'_>) {
        let mut now = Brought::default();
        let mut before_jobs: Option<Brought> = None;
        let mut for_next = Brought::default();
        for act in &file.outline.acts {
            match &act.does {
                Does::Job(_) => now = before_jobs.get_or_insert_with(|| now.clone()).clone(),
                Does::Set(variable) if names_index(&variable.name) => {
                    let named = variable.value.as_ref().map(Brought::of_index);
                    let tags = named.and_then(|named| named.tags);
                    let named = Brought { index: Some(act.at).filter(|_| tags.is_none()), tags, ..Brought::default() };
                    match variable.scope {
                        Scope::Command => for_next = named,
                        _ => now.add(&named),
                    }
                }
                Does::Install(install) if !install.flags.elsewhere => {
                    self.install(path, file.kind, install, &std::mem::take(&mut for_next), &mut now);
                }
                Does::Include(Include { path: script, how: How::Script }) => {
                    self.run(path, script, &std::mem::take(&mut for_next), &now);
                }
                Does::Compile(compile) if compile.program == "make" => {
                    let file = |option: &[Text]| matches!(option[0].known(), Some("-f" | "--file" | "--makefile"));
                    let named = compile.arguments.windows(2).find(|option| file(option)).map(|option| option[1].clone());
                    let makefile = named.unwrap_or_else(|| Text::literal("Makefile", act.at));
                    self.run(path, &makefile, &std::mem::take(&mut for_next), &now);
                }
                Does::Launch(launch) => {
                    let variables = launch.environment.iter().filter(|v| names_index(&v.name));
                    let Some(at) = variables.filter_map(|v| v.value.as_ref()).find(|v| !is_for_cpu(v)).map(|v| v.at) else {
                        continue;
                    };
                    let words = launch.command.iter().chain(launch.entrypoint.iter().flatten()).filter_map(Text::known);
                    let with = Brought { index: Some(at), ..Brought::default() };
                    for word in words.flat_map(str::split_whitespace).take(MOST) {
                        let to = places(How::Requirements, &[paths::folder(path), ""], word);
                        to.into_iter().for_each(|place| self.give(place, &with));
                    }
                }
                _ => {}
            }
        }
    }

    /// What is run sees the variables that are there.
    fn run(&mut self, path: &str, what: &Text, for_it: &Brought, now: &Brought) {
        let index = for_it.index.or(now.index);
        let with = Brought { index, tags: for_it.tags.max(now.tags), ..Brought::default() };
        let to = what.known().map(|what| places(How::Script, &[paths::folder(path), ""], what));
        to.into_iter().flatten().for_each(|place| self.give(place, &with));
    }

    fn install(&mut self, path: &str, kind: Kind, install: &Install, for_it: &Brought, now: &mut Brought) {
        let on_cpu =
            kind != Kind::Markdown && !install.indexes.is_empty() && install.indexes.iter().all(|index| is_for_cpu(&index.url));
        let other = |index: &&IndexLine| index.kind != IndexKind::Channel && !changes_nothing(&index.url);
        let mut named_here = install.indexes.iter().filter(other).map(|index| index.url.at);
        let own = named_here.next().filter(|_| !on_cpu);
        let own = own
            .or_else(|| install.flags.torch_backend.as_ref().filter(|b| b.known() != Some("cpu")).map(|b| b.at))
            .or(for_it.index);
        let named_here = install.indexes.iter().filter(|index| index.kind != IndexKind::Channel);
        let tags = named_here.filter_map(|index| Brought::of_index(&index.url).tags).max().max(for_it.tags);
        let with = Brought { index: own.or(now.index), tags: tags.max(now.tags), packages: now.packages.clone() };
        let folders = [paths::folder(path), ""];
        let mut to: Vec<String> = Vec::new();
        for read in &install.reads {
            to.extend(read.path.known().map(|read_path| places(read.how, &folders, read_path)).unwrap_or_default());
            let copied = read.path.known().filter(|_| kind == Kind::Dockerfile && read.how == How::Project);
            to.extend(copied.into_iter().flat_map(of_copied).flat_map(|folder| places(How::Project, &[folder], ".")));
        }
        to.extend(
            install
                .asks
                .iter()
                .filter_map(|ask| folder_of(&ask.written))
                .flat_map(|folder| places(How::Project, &folders, &folder)),
        );
        for place in &to {
            self.give(place.clone(), &with);
        }
        // What a page tells people to install first is looked at by itself.
        if on_cpu || kind == Kind::Markdown {
            return;
        }
        let left = MOST.saturating_sub(now.packages.len());
        let index_names = own.is_some();
        let asked = install.asks.iter().filter_map(|ask| {
            named(&ask.written, ask.language)
                .or_else(|| ask.written.known().filter(|_| index_names && folder_of(&ask.written).is_none()).map(normalise))
        });
        now.packages.extend(asked.take(left));
        for other in to.iter().filter_map(|place| self.own.get(place.as_str())) {
            if other.index.is_some() || own.is_some() {
                now.add(&Brought { packages: other.packages.clone(), ..Brought::default() });
            }
        }
    }

    /// What comes with a requirements file or a script comes with those that it includes or runs.
    fn pass_on(&mut self) {
        let mut open: Vec<String> = self.given.keys().cloned().collect();
        let mut left = INCLUDED;
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(path) = open.pop() {
            let passes = |file: &File<'_>| matches!(file.kind, Kind::Requirements | Kind::Script);
            let Some(file) = self.project.file(&path).filter(passes) else { continue };
            let Some(with) = self.given.get(&path).cloned() else { continue };
            if !seen.insert(path.clone()) {
                continue;
            }
            for act in &file.outline.acts {
                let Does::Include(include) = &act.does else { continue };
                if left == 0 {
                    return;
                }
                left -= 1;
                for place in include.path.known().map(|to| places(include.how, &[paths::folder(&path)], to)).unwrap_or_default() {
                    self.give(place.clone(), &with);
                    open.push(place);
                }
            }
        }
    }
}
