//! The engine: texts in, a report out. Nothing here touches a file, the clock, the network or the machine.

mod conclude;
pub mod coverage;
mod launches;
mod upon;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use crate::able::is_able;
use crate::config::{self, Config, Mistake};
use crate::diagnostic::{Notice, Report};
use crate::environment::{Environment, Gpu, Host};
use crate::install::{self, Aliases};
use crate::judge::{Choices, Seen};
use crate::outline::{Ignore, Kind, Outline};
use crate::platform::Platform;
use crate::project::{self, Beginning, Command, Enters, File, Link, Processors, Project, Script, World};
use crate::rules::{Check, Out, RULES, Rule};
use crate::settings::Settings;
use crate::source::{FileId, Origin, Sources, Span, brief};
use crate::{hardware, knowledge, needs, read, unknown};

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

/// One file as it was last read.
struct Read {
    id: FileId,
    kind: Kind,
    by_link: bool,
    hash: u64,
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
        let hash = hash_of(text);
        if self.files.get(path).is_some_and(|f| f.hash == hash && !f.mistaken) {
            return Ok(());
        }
        let own = read::kind_by_name(path).or_else(|| read::kind_by_content(path, text));
        let kind = own.or_else(|| self.files.get(path).map(|f| f.kind));
        let id = self.sources.set(path, text);
        if let Some(kind) = kind {
            self.read(path, id, kind, own.is_none());
        }
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

    fn read(&mut self, path: &str, id: FileId, kind: Kind, by_link: bool) {
        let text = self.sources.text(id);
        let outline = Arc::new(read::read(kind, path, id, text));
        self.files.insert(path.to_owned(), Read { id, kind, by_link, hash: hash_of(text), mistaken: false, outline });
        self.work.files += 1;
    }

    /// Reads the texts that a link makes ours; whether there were any.
    fn read_linked(&mut self) -> bool {
        let looked = self.starts.values().flat_map(|s| &s.looked).chain(&self.links);
        let linked: BTreeMap<String, (FileId, Kind)> = looked
            .filter(|(path, _)| !self.files.contains_key(path))
            .filter_map(|(path, kind)| Some((path.clone(), (self.sources.find(path)?, *kind))))
            .collect();
        for (path, (id, kind)) in &linked {
            self.read(path, *id, *kind, true);
        }
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
        let mut report = self.round();
        // A file that a link makes ours may link to others.
        for _ in 0..MOST_ROUNDS {
            if !self.read_linked() {
                break;
            }
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
        let mut run = |beginnings: Vec<Beginning>, judged: &mut HashMap<String, Judged>, order: &mut Vec<String>| {
            let mut changed: Vec<(Beginning, Vec<Host>)> = Vec::new();
            for mut beginning in beginnings {
                // Two of one name are two all the same.
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
        seen.extend(launches::launches(&project, &judged));
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

    // ---- one start ----

    fn fingerprint(&self, project: &Project<'_>, beginning: &Beginning, hosts: &[Host], judged: &Judged) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&beginning.name, beginning.runs, &beginning.at, &beginning.processors, project.given_to(&beginning.path))
            .hash(&mut hasher);
        matches!(&beginning.enters, Enters::Manifest(selection) if selection.upon).hash(&mut hasher);
        format!("{hosts:?}").hash(&mut hasher);
        for id in &judged.reached {
            (id, self.files.get(self.sources.path(*id)).map(|f| f.hash)).hash(&mut hasher);
        }
        for (path, _) in &judged.looked {
            (path, self.files.get(path).map(|f| f.hash)).hash(&mut hasher);
        }
        if matches!(beginning.enters, Enters::Manifest(_)) {
            for (path, file) in project.rc_files_above(&beginning.path) {
                (file.id, self.files.get(path).map(|f| f.hash)).hash(&mut hasher);
            }
        }
        if let Some(config) = self.config_of(&beginning.path) {
            config.mirrors.hash(&mut hasher);
            config.images.iter().for_each(|(pattern, image)| (&pattern.written, image).hash(&mut hasher));
        }
        hasher.finish()
    }

    /// Starts do not know of each other: each thread takes its share.
    fn judge_starts(&self, project: &Project<'_>, starts: &[(Beginning, Vec<Host>)]) -> Vec<(String, Judged)> {
        let judge = |share: &[(Beginning, Vec<Host>)]| -> Vec<(String, Judged)> {
            share.iter().map(|(start, hosts)| (start.name.clone(), self.judge_start(project, start, hosts))).collect()
        };
        let threads = self.settings.threads.max(1);
        if threads == 1 || starts.len() < 2 * threads {
            return judge(starts);
        }
        std::thread::scope(|scope| {
            let shares: Vec<_> =
                starts.chunks(starts.len().div_ceil(threads)).map(|share| scope.spawn(move || judge(share))).collect();
            shares.into_iter().flat_map(|share| share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    }

    fn judge_start(&self, project: &Project<'_>, beginning: &Beginning, hosts: &[Host]) -> Judged {
        let mut judged = Judged {
            fingerprint: 0,
            reached: BTreeSet::new(),
            looked: BTreeSet::new(),
            installed: BTreeSet::new(),
            only_copied: false,
            outside: BTreeSet::new(),
            left_out: None,
            environments: Arc::default(),
            able: Vec::new(),
            runs: BTreeMap::new(),
            seen: Vec::new(),
        };
        let aliases = self.aliases(&beginning.path);
        let mut environments = Vec::new();
        for (platform, hosts) in platforms(beginning, hosts) {
            let first = World::of(platform, beginning);
            let survey = |world: &World| project::survey(project, beginning, world);
            // Worlds in which the same happens are one.
            let mut happened: HashMap<_, Range<usize>> = HashMap::new();
            let worlds = project::worlds(&first, survey);
            let several = worlds.len() > 1;
            for (world, seen) in worlds {
                let script = seen.unwrap_or_else(|| project::walk(project, beginning, &world));
                judged.left_out = judged.left_out.or(script.left_out.then_some(beginning.at));
                let happens = several.then(|| (script.happens(), world.platform.clone()));
                if let Some(same) = happens.as_ref().and_then(|happens| happened.get(happens)) {
                    let same: &mut [Environment] = environments.get_mut(same.clone()).unwrap_or_default();
                    same.iter_mut().filter(|env| !env.builds.contains(&world.build)).for_each(|env| env.builds.push(world.build));
                    judged.take(script, world.build);
                    continue;
                }
                let mut found = install::fold(beginning, &world, &script, &aliases);
                self.join_rc(project, beginning, &world, &mut found, &mut judged);
                for env in &found {
                    check_environment(env, &hosts, &mut judged.seen);
                    let able = hosts.iter().filter_map(|host| match is_able(env, host) {
                        Some(false) => None,
                        known => Some((host.name.clone(), known.is_some())),
                    });
                    judged.able.push(able.collect());
                }
                happened.extend(happens.map(|happens| (happens, environments.len()..environments.len() + found.len())));
                environments.extend(found);
                judged.take(script, world.build);
            }
        }
        judged.environments = Arc::new(environments);
        judged.fingerprint = self.fingerprint(project, beginning, hosts, &judged);
        judged
    }

    /// Variables of an rc file hold where a person installs by hand: by place only.
    fn join_rc(
        &self,
        project: &Project<'_>,
        beginning: &Beginning,
        world: &World,
        found: &mut [Environment],
        judged: &mut Judged,
    ) {
        if !matches!(beginning.enters, Enters::Manifest(_)) {
            return;
        }
        for (path, file) in project.rc_files_above(&beginning.path) {
            let rc = Beginning {
                name: path.to_owned(),
                path: path.to_owned(),
                at: Span::new(file.id, 0, 0),
                enters: Enters::Script,
                runs: true,
                wanted: true,
                machine: String::new(),
                processors: Processors::default(),
                nodes: Vec::new(),
            };
            let script = project::walk(project, &rc, world);
            for env in found.iter_mut() {
                install::assume(env, &script);
            }
            judged.reached.insert(file.id);
        }
    }

    // ---- files ----

    fn of_files(&self) -> Vec<Seen> {
        let mut seen = Vec::new();
        for rule in RULES {
            if let Check::File(check) = rule.check {
                for file in self.files.values() {
                    let mut out = Out::default();
                    check(&file.outline, &mut out);
                    collect(rule, out, "", "", &mut seen);
                }
            }
        }
        seen
    }

    // ---- configurations, hosts ----

    fn config_of(&self, path: &str) -> Option<&Config> {
        self.config_with_folder(path).map(|(_, config)| config)
    }

    /// The nearest configuration above a file, with the length of its folder's path.
    fn config_with_folder(&self, path: &str) -> Option<(usize, &Config)> {
        if let Some(given) = &self.given {
            return Some((0, given));
        }
        if self.settings.no_config {
            return None;
        }
        let folders = path.rmatch_indices('/').map(|(at, _)| &path[..=at]).chain([""]);
        folders.into_iter().find_map(|folder| {
            // In one folder cudalint.toml comes before pyproject.toml.
            let mut own = ["cudalint.toml", "pyproject.toml"].iter().map(|name| format!("{folder}{name}"));
            own.find_map(|config| self.configs.get(&config)).map(|config| (folder.len(), config))
        })
    }

    fn hosts_of(&self, path: &str) -> Vec<Host> {
        let inline = self.config_of(path).map_or(&[][..], |c| c.host.as_slice());
        let named = self.hosts.iter().filter(|(folder, _)| folder.is_empty() || path.starts_with(&format!("{folder}/")));
        named.map(|(_, host)| host).chain(inline).cloned().collect()
    }

    /// Those of every folder.
    fn all_hosts(&self) -> impl Iterator<Item = &Host> {
        let inline = self.configs.values().chain(&self.given).flat_map(|config| &config.host);
        self.hosts.iter().map(|(_, host)| host).chain(inline)
    }

    fn aliases(&self, path: &str) -> CompanyNames<'_> {
        CompanyNames(self.config_of(path))
    }
}

impl Judged {
    fn take(&mut self, script: Script, build: usize) {
        self.reached.extend(script.reached);
        self.looked.extend(script.looked);
        self.installed.extend(script.installed);
        self.only_copied |= script.only_copied;
        self.outside.extend(script.links.into_iter().filter_map(|(at, link)| match link {
            Link::Outside(path) => Some((path, at)),
            _ => None,
        }));
        let runs = self.runs.entry(build).or_default();
        if runs.is_empty() {
            *runs = script.runs;
        }
    }
}

/// `[mirrors]` and `[images]` of a configuration.
struct CompanyNames<'a>(Option<&'a Config>);

impl Aliases for CompanyNames<'_> {
    fn index(&self, url: &str) -> Option<&'static str> {
        let mirrors = &self.0?.mirrors;
        let asked = without_scheme(url);
        let (_, id, _) = mirrors.iter().find(|(address, ..)| {
            let rest = asked.strip_prefix(without_scheme(address));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })?;
        // "pytorch" names the root: what follows the address is the variant.
        let tail = url.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
        let variant = format!("{id}/{tail}");
        knowledge::index_by_id(&variant).or_else(|| knowledge::index_by_id(id)).map(|i| i.id)
    }
    fn image(&self, reference: &str) -> Option<String> {
        let images = &self.0?.images;
        let (_, public) = images.iter().find(|(pattern, _)| pattern.fits(reference))?;
        Some(public.clone())
    }
}

fn without_scheme(url: &str) -> &str {
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    bare.trim_end_matches('/')
}

/// The platforms that a start is looked at on, with the hosts of each: without a host, Linux on x86-64; an image is always
/// Linux, a CI job's machine what its labels say. What comes on one machine is not what comes on another.
fn platforms(beginning: &Beginning, hosts: &[Host]) -> Vec<(Platform, Vec<Host>)> {
    let image = matches!(beginning.enters, Enters::Stage(_) | Enters::Image(_) | Enters::Job(_) | Enters::Called { .. });
    let own = Platform { os: beginning.os(), arch: beginning.processors.usual(), ..Platform::default() };
    let mut found: Vec<(Platform, Vec<Host>)> = Vec::new();
    // What is for another processor is not what this machine runs.
    for host in hosts.iter().filter(|host| !image || beginning.processors.fit(host.platform.arch)) {
        let platform = match image {
            true => Platform { arch: host.platform.arch, ..own.clone() },
            false => host.platform.clone(),
        };
        match found.iter_mut().find(|(known, _)| *known == platform) {
            Some((_, hosts)) => hosts.push(host.clone()),
            None => found.push((platform, vec![host.clone()])),
        }
    }
    if found.is_empty() {
        found.push((own, Vec::new()));
    }
    found
}

fn check_environment(env: &Environment, hosts: &[Host], seen: &mut Vec<Seen>) {
    for rule in RULES {
        match rule.check {
            Check::Environment(check) => {
                let mut out = Out::default();
                check(env, &mut out);
                collect(rule, out, &env.start.name, "", seen);
            }
            Check::Host(check) => {
                let image = env.image.as_ref().map_or("", |image| image.reference.as_str());
                for host in hosts.iter().filter(|host| env.runs && hardware::meets(image, host)) {
                    let mut out = Out::default();
                    check(env, host, &mut out);
                    collect(rule, out, &env.start.name, &host.name, seen);
                }
            }
            Check::File(_) | Check::Launch(_) | Check::Suppressions => {}
        }
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
