//! One root: its files, configurations and hosts go into the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cudalint::config::{Config, Mistake};
use cudalint::diagnostic::{Notice, Report, Skipped};
use cudalint::globs::PathGlobs;
use cudalint::linter::Linter;
use cudalint::outline::Kind;
use cudalint::settings::Settings;
use cudalint::source::{LineIndex, Origin, Sources, Span};
use cudalint::viewpoint::Viewpoint;
use cudalint::walk::{self, Asked, Configs, Held, Tree};

use super::Failure;
use super::hosts::{self, HostFile};
use super::targets::{Target, seen};

/// How often links are followed to files that name further files.
const ROUNDS: usize = 5;

/// What a file is read as.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReadAs {
    /// What its name and content say.
    Kind(Kind),
    /// What another file makes it.
    Linked(Kind),
    /// A machine that the project must run on.
    Host,
    /// A text that nothing is known of.
    Nothing,
}

/// What a root is read with.
#[derive(Debug)]
pub(super) struct Asks {
    pub(super) cwd: PathBuf,
    pub(super) select: Vec<String>,
    pub(super) ignore: Vec<String>,
    pub(super) exclude: PathGlobs,
    pub(super) no_ignore: bool,
    pub(super) no_config: bool,
    /// `--config`.
    pub(super) config: Option<HostFile>,
    /// `--host`.
    pub(super) hosts: Vec<HostFile>,
    /// `--driver` and `--gpu` as a host file.
    pub(super) nameless: Option<String>,
    /// The text of standard input, for the one file of the one root.
    pub(super) stdin: Option<String>,
}

/// A root that is ready to be linted.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) linter: Linter,
    pub(super) viewpoint: Viewpoint,
    pub(super) skipped: Vec<Skipped>,
    /// The repository's files that are read, root-relative; those of no kind, too.
    files: BTreeSet<String>,
    /// Host files in force, and whether they lie in the root; outside of it as outputs print them.
    hosts: BTreeSet<(bool, String)>,
    /// `--config`, as outputs print it.
    config: Option<String>,
    /// PATHs, root-relative; empty where all of the root is meant.
    within: Vec<String>,
    /// Some host is in force.
    pub(super) has_host: bool,
}

impl Root {
    pub(super) fn open(target: &Target, asks: &Asks) -> Result<Self, Failure> {
        let viewpoint = Viewpoint::new(&target.root, &asks.cwd);
        let whole = target.within.iter().any(String::is_empty);
        let within = if whole { Vec::new() } else { target.within.clone() };
        let settings = Settings {
            select: asks.select.clone(),
            ignore: asks.ignore.clone(),
            within: within.clone(),
            no_config: asks.no_config || asks.config.is_some(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        };
        let mut root = Self {
            linter: Linter::new(settings),
            viewpoint: viewpoint.clone(),
            skipped: Vec::new(),
            files: BTreeSet::new(),
            hosts: BTreeSet::new(),
            config: None,
            within: within.clone(),
            has_host: false,
        };
        let mut mistakes = Vec::new();
        let mut configs = Configs::Nearest;
        if asks.no_config {
            configs = Configs::None;
        }
        if let Some(file) = &asks.config {
            configs = Configs::One(root.add_config(target, file, &asks.cwd, &mut mistakes));
        }
        let asked = Asked {
            paths: within,
            alone: target.alone,
            no_ignore: asks.no_ignore,
            exclude: asks.exclude.clone(),
            viewpoint,
            configs,
        };
        // The text may be of a file, and a folder, that an editor has yet to make.
        let is_new = asks.stdin.is_some() && !target.root.exists();
        let tree = if is_new { Tree::default() } else { walk::walk(&target.root, &asked) };
        let files: Vec<(&str, &str)> = tree.files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
        for ((path, _), done) in files.iter().zip(root.linter.set_all(&files)) {
            root.files.insert((*path).to_owned());
            mistakes.extend(done.err().filter(|_| root.concerns(path)).unwrap_or_default());
        }
        root.skipped = tree.skipped;
        // A configuration that cannot be read must not be passed over.
        let config = |s: &&Skipped| {
            let named = s.path.rsplit('/').next() == Some("cudalint.toml");
            named && matches!(asked.configs, Configs::Nearest) && root.concerns(&s.path)
        };
        let unread: Vec<String> = root.skipped.iter().filter(config).map(|s| root.unread(s)).collect();
        if let (Some(text), [path]) = (&asks.stdin, target.files.as_slice()) {
            root.files.insert(path.clone());
            root.skipped.retain(|s| s.path != *path);
            root.linter.set(path, text).unwrap_or_else(|found| mistakes.extend(found));
        }
        root.check_named(target)?;
        let mut failures = root.told(mistakes);
        failures.extend(unread);
        // What is judged without its hosts would be judged again.
        root.add_hosts(target, asks, &tree.configs, &mut failures);
        root.follow_links(&target.root, &asked, &mut failures);
        failures.dedup();
        if failures.is_empty() { Ok(root) } else { Err(Failure(failures)) }
    }

    /// Why a configuration cannot be read, with the line where it has one.
    fn unread(&self, skipped: &Skipped) -> String {
        let path = self.viewpoint.path(&skipped.path);
        let at = skipped.at.map(|at| format!(":{}:{}", at.line, at.column)).unwrap_or_default();
        format!("{path}{at}: {}", skipped.reason)
    }

    /// Every file that is a PATH must have a text, and every folder must be open.
    fn check_named(&self, target: &Target) -> Result<(), Failure> {
        let skipped = |path: &str| self.skipped.iter().find(|s| s.path == if path.is_empty() { "." } else { path });
        let told = |path: &String| {
            let unread = target.files.contains(path) && !self.files.contains(path);
            let why = skipped(path).map(|s| s.reason.as_str()).or(unread.then_some("cannot be read"))?;
            Some(format!("{}: {why}", self.viewpoint.path(path)))
        };
        let failures: Vec<_> = target.within.iter().filter_map(told).collect();
        if failures.is_empty() { Ok(()) } else { Err(Failure(failures)) }
    }

    /// Whether what a configuration says can matter to a PATH: it lies above or below it.
    fn concerns(&self, config: &str) -> bool {
        let folder = config.rsplit_once('/').map_or("", |(folder, _)| folder);
        let inside = |path: &str, folder: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.within.is_empty() || self.within.iter().any(|path| inside(path, folder) || inside(config, path))
    }

    /// What a file of the root is read as.
    pub(super) fn read_as(&self, path: &str) -> ReadAs {
        match self.linter.kind(path) {
            _ if self.hosts.contains(&(true, path.to_owned())) => ReadAs::Host,
            Some((kind, false)) => ReadAs::Kind(kind),
            Some((kind, true)) => ReadAs::Linked(kind),
            None => ReadAs::Nothing,
        }
    }

    /// The files that are read, as outputs print them, those of the root first.
    pub(super) fn shown_files(&self) -> Vec<(String, ReadAs)> {
        let inside = self.hosts.iter().filter(|(inside, _)| *inside).map(|(_, path)| path);
        let of_root: BTreeSet<&String> = self.files.iter().chain(inside).collect();
        let of_root = of_root.into_iter().map(|path| (self.viewpoint.path(path), self.read_as(path)));
        let outside = self.hosts.iter().filter(|(inside, _)| !*inside).map(|(_, path)| (path.clone(), ReadAs::Host));
        let mut all: Vec<_> = of_root.chain(outside).collect();
        if let Some(path) = self.config.as_ref().filter(|config| !all.iter().any(|(path, _)| path == *config)) {
            all.push((path.clone(), ReadAs::Kind(Kind::Config)));
        }
        all
    }

    fn follow_links(&mut self, root: &Path, asked: &Asked, failures: &mut Vec<String>) {
        let mut tried = BTreeSet::new();
        for _ in 0..ROUNDS {
            // What the links want is known once they have been followed.
            self.linter.report();
            let wanted: Vec<_> = self.linter.wants().into_iter().filter(|path| tried.insert(path.clone())).collect();
            if wanted.is_empty() {
                break;
            }
            for path in wanted {
                match walk::linked(root, &path, asked) {
                    Ok(Some(text)) => {
                        self.files.insert(path.clone());
                        let done = self.linter.set(&path, &text);
                        failures.extend(self.told(done.err().filter(|_| self.concerns(&path)).unwrap_or_default()));
                    }
                    Ok(None) => {}
                    Err(skipped) => self.skipped.push(skipped),
                }
            }
        }
        self.skipped.sort();
        self.skipped.dedup();
    }

    /// Gives the engine `--config`, and its `exclude` back.
    fn add_config(&mut self, target: &Target, file: &HostFile, cwd: &Path, mistakes: &mut Vec<Mistake>) -> PathGlobs {
        let (origin, path) = self.place(target, file, cwd);
        self.linter.config(origin, &path, &file.text).unwrap_or_else(|found| mistakes.extend(found));
        self.config = Some(if origin == Origin::Repository { self.viewpoint.path(&path) } else { path });
        read_config(file).map(|config| config.exclude).unwrap_or_default()
    }

    fn add_hosts(&mut self, target: &Target, asks: &Asks, configs: &BTreeMap<String, Held>, failures: &mut Vec<String>) {
        let given = asks.config.as_ref().and_then(|file| Some((file, read_config(file)?)));
        let everywhere = asks.hosts.iter().map(|file| (None, file));
        let (mut of_configs, mut inline) = (Vec::new(), false);
        let nearest = configs.iter().map(|(folder, held)| {
            let path = self.viewpoint.path(&held.path);
            let text = self.linter.sources().find(&held.path).map_or("", |file| self.linter.sources().text(file));
            (Some(folder.as_str()), target.root.join(folder), &held.config, path, text, self.concerns(&held.path))
        });
        let given = given.as_ref().map(|(file, config)| {
            let folder = file.whole.parent().unwrap_or(&file.whole).to_owned();
            (None, folder, config, seen(&file.path, &asks.cwd), file.text.as_str(), true)
        });
        for (scope, folder, config, path, text, concerns) in nearest.chain(given) {
            inline |= !config.host.is_empty();
            for (glob, at) in &config.hosts {
                match hosts::of_glob(&folder, glob, &asks.cwd) {
                    Ok(files) => of_configs.extend(files.into_iter().map(|file| (scope, file))),
                    Err(what) if concerns => failures.push(line(&path, text, at.map_or(0, |at| at.start), &what)),
                    Err(_) => {}
                }
            }
        }
        let mut added = BTreeSet::new();
        for (scope, file) in everywhere.chain(of_configs.iter().map(|(scope, file)| (*scope, file))) {
            // Named twice, it is one machine all the same.
            if added.contains(&(None, &file.whole)) || !added.insert((scope, &file.whole)) {
                continue;
            }
            let (origin, path) = self.place(target, file, &asks.cwd);
            self.hosts.insert((origin == Origin::Repository, path.clone()));
            let done = match scope {
                None => self.linter.host(origin, &path, &file.text),
                Some(folder) => self.linter.host_of(folder, origin, &path, &file.text),
            };
            let concerns = scope.is_none_or(|folder| self.concerns(&format!("{folder}/cudalint.toml")));
            failures.extend(self.told(done.err().filter(|_| concerns).unwrap_or_default()));
        }
        if let Some(text) = &asks.nameless {
            let done = self.linter.host(Origin::CommandLine, "<options>", text);
            failures.extend(self.told(done.err().unwrap_or_default()));
        }
        self.has_host |= inline || !added.is_empty() || asks.nameless.is_some();
    }

    /// How the engine names a file that the user named.
    fn place(&self, target: &Target, file: &HostFile, cwd: &Path) -> (Origin, String) {
        match file.whole.strip_prefix(&target.root).ok().and_then(Path::to_str) {
            Some(path) => (Origin::Repository, path.replace('\\', "/")),
            None => {
                let path = seen(&file.path, cwd);
                // A file of the repository may be called the same from the root.
                let inside = !path.starts_with("..") && target.root.join(&path).exists();
                let taken = inside || self.linter.sources().find(&path).is_some();
                (Origin::Outside, if taken { format!("./{path}") } else { path })
            }
        }
    }

    /// Mistakes as lines.
    fn told(&self, mistakes: Vec<Mistake>) -> Vec<String> {
        some(mistakes.iter().map(|mistake| self.line(mistake.at, &mistake.what)))
    }

    /// What the engine says of the user's words beside its findings, as lines.
    pub(super) fn notices(&self, report: &Report) -> Vec<String> {
        let told = |notice: &Notice| notice.at.map_or_else(|| notice.what.clone(), |at| self.line(at, &notice.what));
        some(report.warnings.iter().map(told))
    }

    /// `file:line:column: what`, or the option that was given.
    fn line(&self, at: Span, what: &str) -> String {
        let sources = self.linter.sources();
        let text = sources.text(at.file);
        match self.viewpoint.name(sources, at.file) {
            Some(path) => line(&path, text, at.start, what),
            None => hosts::line_of_option(text, at, what),
        }
    }
}

/// More of one kind are only counted.
const MOST_LINES: usize = 100;

fn some(lines: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    let mut told: Vec<_> = lines.take(MOST_LINES).collect();
    if more > 0 {
        told.push(format!("and {more} more like these"));
    }
    told
}

fn line(path: &str, text: &str, offset: u32, what: &str) -> String {
    let at = LineIndex::new(text).position(text, offset as usize);
    format!("{path}:{}:{}: {what}", at.line, at.column)
}

/// `None` for one with mistakes: the engine tells them.
fn read_config(file: &HostFile) -> Option<Config> {
    let id = Sources::default().set("config", file.text.as_str());
    if file.path.file_name().is_some_and(|name| name == "pyproject.toml") {
        return cudalint::config::config_in_pyproject(id, &file.text).ok().flatten();
    }
    cudalint::config::config(id, &file.text).ok()
}
