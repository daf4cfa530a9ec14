//! The engine: texts in, a report out. Nothing here touches a file, the clock, the network or the machine.

mod conclude;
pub mod coverage;
mod in_force;
mod launches;
mod pipelines;
mod shared;
mod start;
mod upon;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::config::{self, Config, Mistake};
use crate::diagnostic::{Notice, Report};
use crate::environment::{Environment, Gpu, Host};
use crate::judge::{Choices, Seen};
use crate::outline::{Ignore, Kind, Outline};
use crate::project::{self, Beginning, Command, File, Project};
use crate::rules::{Check, Out, RULES, Rule};
use crate::settings::Settings;
use crate::source::{FileId, Origin, Sources, Span, brief};
use crate::{hardware, needs, read, unknown};

/// Lints a set of texts, and again after each change, doing only what the change asks for.
#[derive(Default)]
pub struct Linter {
    settings: Settings,
    sources: Sources,
    /// With the folder whose configuration names them; empty for those in force everywhere.
    hosts: Vec<(String, Host)>,
    /// Comments that silence rules in the texts that are no files of the repository: hosts, the one configuration.
    beside: BTreeMap<FileId, Vec<Ignore>>,
    files: BTreeMap<String, Read>,
    configs: BTreeMap<String, Config>,
    /// The one that holds for every file, if one is given.
    given: Option<Config>,
    starts: HashMap<String, Judged>,
    /// Paths that files name to be read together with others.
    links: BTreeSet<(String, Kind)>,
    work: Work,
}

/// Links from linked files are followed no further.
const MOST_ROUNDS: usize = 8;

/// For fewer files no thread is begun.
const FEW_FILES: usize = 8;

/// One file as it was last read.
struct Read {
    id: FileId,
    kind: Kind,
    by_link: bool,
    hash: u64,
    /// Of the files that it is read together with.
    joined: u64,
    /// What it configures is wrong, and that is told each time.
    mistaken: bool,
    outline: Arc<Outline>,
}

/// One start as it was last judged.
struct Judged {
    /// Of all that it read; equal = nothing to do.
    fingerprint: u64,
    reached: BTreeSet<FileId>,
    looked: BTreeSet<(String, Kind)>,
    installed: BTreeSet<String>,
    /// It is a stage that nobody runs: what of it counts is in those that copy from it.
    only_copied: bool,
    outside: BTreeSet<(String, Span)>,
    /// Where it starts, if more leads on from there than is followed.
    left_out: Option<Span>,
    environments: Arc<Vec<Environment>>,
    /// The hosts that are known to run each of them, by name.
    able: Vec<Vec<(String, bool)>>,
    /// What the image runs, by build.
    runs: BTreeMap<usize, Command>,
    seen: Vec<Seen>,
}

/// How much was done, for tests of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Files read.
    pub files: usize,
    /// Starts installed and judged.
    pub starts: usize,
}

impl std::fmt::Debug for Linter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Linter").field("files", &self.files.len()).field("work", &self.work).finish_non_exhaustive()
    }
}

impl Linter {
    /// An engine without files.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Adds or changes a file of the repository; `path` is relative to the root, with `/`.
    ///
    /// # Errors
    /// Mistakes in a configuration.
    pub fn set(&mut self, path: &str, text: &str) -> Result<(), Vec<Mistake>> {
        self.set_all(&[(path, text)]).pop().unwrap_or(Ok(()))
    }

    /// The same for many files, which several threads read; the answers stand in their order.
    pub fn set_all(&mut self, files: &[(&str, &str)]) -> Vec<Result<(), Vec<Mistake>>> {
        let mut to_read = Vec::new();
        let mut known = Vec::new();
        for &(path, text) in files {
            let hash = hash_of(text);
            if self.files.get(path).is_some_and(|f| f.hash == hash && !f.mistaken) {
                known.push(None);
                continue;
            }
            let own = read::kind_by_name(path).or_else(|| read::kind_by_content(path, text));
            let kind = own.or_else(|| self.files.get(path).map(|f| f.kind));
            let id = self.sources.set(path, text);
            to_read.extend(kind.map(|kind| (path, id, kind, own.is_none())));
            known.push(Some((id, kind)));
        }
        self.read_all(&to_read);
        files
            .iter()
            .zip(known)
            .map(|((path, text), known)| known.map_or(Ok(()), |(id, kind)| self.configure(path, text, id, kind)))
            .collect()
    }

    /// What a file says as a configuration.
    fn configure(&mut self, path: &str, text: &str, id: FileId, kind: Option<Kind>) -> Result<(), Vec<Mistake>> {
        let config = match kind {
            // Another configuration holds, or none: what is wrong in this one does not matter.
            _ if self.settings.no_config => return Ok(()),
            Some(Kind::Config) => config::config(id, text).map(Some),
            Some(Kind::Pyproject) => config::config_in_pyproject(id, text),
            _ => return Ok(()),
        };
        self.configs.remove(path);
        if let Some(file) = self.files.get_mut(path) {
            file.mistaken = config.is_err();
        }
        self.configs.extend(config?.map(|config| (path.to_owned(), config)));
        Ok(())
    }

    /// Reads texts that are there: each with its path, as what it is read, and whether that is so by link only.
    fn read_all(&mut self, texts: &[(&str, FileId, Kind, bool)]) {
        let read = |&(path, id, kind, by_link): &(&str, FileId, Kind, bool)| {
            let text = self.sources.text(id);
            let outline = Arc::new(read::read(kind, path, id, text));
            Read { id, kind, by_link, hash: hash_of(text), joined: 0, mistaken: false, outline }
        };
        let read = shared::each(self.settings.threads, FEW_FILES, texts, read);
        self.work.files += texts.len();
        self.files.extend(texts.iter().map(|(path, ..)| (*path).to_owned()).zip(read));
    }

    /// Reads the texts that a link makes ours; whether there were any.
    fn read_linked(&mut self) -> bool {
        let looked = self.starts.values().flat_map(|s| &s.looked).chain(&self.links);
        // One that is a list of variables for one link is that for a shell that sources it, too: of several kinds the first.
        let is_new = |path: &str, kind: Kind| self.files.get(path).is_none_or(|file| file.by_link && kind < file.kind);
        let mut linked: BTreeMap<String, (FileId, Kind)> = BTreeMap::new();
        for (path, kind) in looked.filter(|(path, kind)| is_new(path, *kind)) {
            let Some(id) = self.sources.find(path) else { continue };
            let (_, known) = linked.entry(path.clone()).or_insert((id, *kind));
            *known = (*known).min(*kind);
        }
        let texts: Vec<_> = linked.iter().map(|(path, (id, kind))| (path.as_str(), *id, *kind, true)).collect();
        self.read_all(&texts);
        !linked.is_empty()
    }

    /// Forgets a file.
    pub fn remove(&mut self, path: &str) {
        self.sources.remove(path);
        self.files.remove(path);
        self.configs.remove(path);
    }

    /// Adds a host that is in force for every start.
    ///
    /// # Errors
    /// Mistakes in the host's text.
    pub fn host(&mut self, origin: Origin, path: &str, text: &str) -> Result<(), Vec<Mistake>> {
        self.host_of("", origin, path, text)
    }

    /// Adds a host that is in force for the starts in `folder` (root-relative), whose configuration names it.
    ///
    /// # Errors
    /// Mistakes in the host's text.
    pub fn host_of(&mut self, folder: &str, origin: Origin, path: &str, text: &str) -> Result<(), Vec<Mistake>> {
        let file = self.sources.set_from(origin, path, text);
        let mut host = config::host(file, text)?;
        if host.name.is_empty() {
            let name = path.rsplit('/').next().unwrap_or(path);
            host.name =
                if origin == Origin::CommandLine { "host" } else { name.strip_suffix(".toml").unwrap_or(name) }.to_owned();
        }
        self.beside.insert(file, config::ignores(file, text));
        self.hosts.push((folder.to_owned(), host));
        Ok(())
    }

    /// Gives the one configuration that holds for every file, in place of the repository's.
    ///
    /// # Errors
    /// Mistakes in the configuration.
    pub fn config(&mut self, origin: Origin, path: &str, text: &str) -> Result<(), Vec<Mistake>> {
        let file = self.sources.set_from(origin, path, text);
        let is_pyproject = path.rsplit('/').next() == Some("pyproject.toml");
        self.given = Some(match is_pyproject {
            true => config::config_in_pyproject(file, text)?
                .ok_or_else(|| vec![Mistake { at: Span::new(file, 0, 0), what: "it holds no `[tool.cudalint]`".to_owned() }])?,
            false => config::config(file, text)?,
        });
        self.beside.insert(file, config::ignores(file, text));
        Ok(())
    }

    /// The texts, for outputs.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// What a file of the repository is linted as, and whether only a link makes it so; meaningful after
    /// [`Linter::report`].
    #[must_use]
    pub fn kind(&self, path: &str) -> Option<(Kind, bool)> {
        self.files.get(path).map(|f| (f.kind, f.by_link))
    }

    /// The environments of the last report, by start; meaningful after [`Linter::report`].
    pub fn environments(&self) -> impl Iterator<Item = &Environment> {
        let mut names: Vec<&String> = self.starts.keys().collect();
        names.sort();
        names.into_iter().flat_map(|name| self.starts[name].environments.iter())
    }

    /// How much was done since the engine was made.
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    /// Paths that some file links to and that were not given; meaningful after [`Linter::report`].
    #[must_use]
    pub fn wants(&self) -> Vec<String> {
        let looked = self.starts.values().flat_map(|s| &s.looked).chain(&self.links);
        let all: BTreeSet<&String> = looked.map(|(path, _)| path).collect();
        all.into_iter().filter(|path| self.sources.find(path).is_none()).cloned().collect()
    }

    /// Lints.
    pub fn report(&mut self) -> Report {
        self.join_pipelines();
        let mut report = self.round();
        // A file that a link makes ours may link to others.
        for _ in 0..MOST_ROUNDS {
            if !self.read_linked() {
                break;
            }
            self.join_pipelines();
            report = self.round();
        }
        report
    }

    fn round(&mut self) -> Report {
        let mut starts = std::mem::take(&mut self.starts);
        let mut judged: HashMap<String, Judged> = HashMap::new();
        let mut order: Vec<String> = Vec::new();
        let mut work = self.work;
        let mut names: HashMap<String, usize> = HashMap::new();
        let project = self.project();
        let launches = project::launches(&project);
        let gpus = launches::gpus(&launches);
        let mut run = |beginnings: Vec<Beginning>, judged: &mut HashMap<String, Judged>, order: &mut Vec<String>| {
            let mut changed: Vec<(Beginning, Vec<Host>)> = Vec::new();
            for mut beginning in beginnings {
                // Two of one name are two all the same.
                beginning.gpus = gpus.get(&beginning.name).cloned().unwrap_or_default();
                let taken = names.entry(beginning.name.clone()).and_modify(|n| *n += 1).or_insert(1);
                if *taken > 1 {
                    beginning.name = format!("{}#{taken}", beginning.name);
                }
                let mut hosts = self.hosts_of(&beginning.path);
                let meant_for = format!("{} {}", beginning.name, beginning.machine);
                hosts.retain(|host| hardware::meets(&meant_for, host) && hardware::fits_any_node(&beginning.nodes, host));
                let old = starts.remove(&beginning.name);
                let fresh = old.filter(|old| old.fingerprint == self.fingerprint(&project, &beginning, &hosts, old));
                order.push(beginning.name.clone());
                match fresh {
                    Some(fresh) => drop(judged.insert(beginning.name, fresh)),
                    None => changed.push((beginning, hosts)),
                }
            }
            work.starts += changed.len();
            judged.extend(self.judge_starts(&project, &changed));
        };
        run(project::commanded(&project), &mut judged, &mut order);
        // What CI installs, people install by hand, too; what an image or a script installs is theirs.
        let by_hand = judged.iter().filter(|(name, j)| !upon::is_of_ci(name) && !j.only_copied);
        let installed: BTreeSet<String> = by_hand.flat_map(|(_, j)| j.installed.iter().cloned()).collect();
        let upon = upon::upon(judged.iter().map(|(name, j)| (name.as_str(), j)), |path| self.files.get(path).map(|f| f.id));
        run(project::manifests(&project, &installed, &upon), &mut judged, &mut order);
        let mut seen: Vec<Seen> = order.iter().filter_map(|name| judged.get(name)).flat_map(|j| j.seen.iter().cloned()).collect();
        seen.extend(self.of_files());
        seen.extend(launches::launches(launches, &judged));
        let needs = order.iter().filter_map(|name| judged.get(name)).flat_map(|judged| needs::of_start(&judged.environments));
        let mut report =
            Report { needs: needs.collect(), environments: order.len(), files: self.files_read(), ..Report::default() };
        let unknown: BTreeSet<String> = judged.values().flat_map(|j| j.environments.iter()).flat_map(unknown::unknown).collect();
        report.unknown = unknown.into_iter().collect();
        report.needs.sort_by(|a, b| a.environment.cmp(&b.environment));
        report.needs.dedup_by(|a, b| a.environment == b.environment);
        let outside: BTreeSet<&(String, Span)> = judged.values().flat_map(|j| &j.outside).collect();
        report.warnings.extend(
            outside.into_iter().map(|(path, at)| Notice {
                at: Some(*at),
                what: format!("{} lies outside the root and is not read", brief(path)),
            }),
        );
        let left_out = order.iter().filter_map(|name| Some((name.as_str(), judged.get(name)?.left_out?)));
        report.warnings.extend(unknown::left_out(left_out));
        let is_option = |gpu: &Gpu| self.sources.origin(gpu.at.file) == Origin::CommandLine;
        report.warnings.extend(unknown::gpus(self.all_hosts().flat_map(|host| &host.gpus), is_option));
        let mut choices = Choices::default();
        for judged in order.iter().filter_map(|name| judged.get(name)) {
            for (env, able) in judged.environments.iter().zip(&judged.able) {
                choices.add(&env.start.name, &env.choices, able);
            }
        }
        self.conclude(seen, &choices, &mut report);
        let links = project.links();
        self.starts = judged;
        self.links = links;
        self.work = work;
        report
    }

    fn project(&self) -> Project<'_> {
        let files = self
            .files
            .iter()
            .map(|(path, f)| (path.as_str(), File { id: f.id, kind: f.kind, outline: &f.outline, by_link: f.by_link }));
        Project::new(&self.sources, files)
    }

    /// How many files are read: those of the repository, host files, the one configuration.
    fn files_read(&self) -> usize {
        let own: HashSet<FileId> = self.files.values().map(|file| file.id).collect();
        let beside = self.beside.keys().filter(|id| self.sources.origin(**id) != Origin::CommandLine && !own.contains(id));
        own.len() + beside.count()
    }

    fn of_files(&self) -> Vec<Seen> {
        let mut seen = Vec::new();
        for rule in RULES {
            for check in rule.check.each() {
                let Check::File(check) = check else { continue };
                // What people write in pages is not ours to judge.
                for file in self.files.values().filter(|file| file.kind != Kind::Markdown) {
                    let mut out = Out::default();
                    check(&file.outline, &mut out);
                    collect(rule, out, "", "", &mut seen);
                }
            }
        }
        seen
    }
}

fn collect(rule: &'static Rule, out: Out, environment: &str, host: &str, seen: &mut Vec<Seen>) {
    seen.extend(out.0.into_iter().map(|clash| Seen { rule, clash, environment: environment.to_owned(), host: host.to_owned() }));
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
