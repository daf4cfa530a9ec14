//! One root: its files, configurations and hosts go into the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cudalint::config::{Config, Mistake};
use cudalint::diagnostic::{Notice, Report, Skipped};
use cudalint::linter::Linter;
use cudalint::outline::Kind;
use cudalint::settings::Settings;
use cudalint::source::{LineIndex, Origin, Sources, Span, brief};
use cudalint::viewpoint::Viewpoint;
use cudalint::walk::{self, Asked, Configs, Exclude, Held};

use super::Failure;
use super::hosts::{self, HostFile};
use super::targets::Target;

/// How often links are followed to files that name further files.
const ROUNDS: usize = 5;

/// What a root is read with.
#[derive(Debug)]
pub(super) struct Asks {
    pub(super) cwd: PathBuf,
    pub(super) select: Vec<String>,
    pub(super) ignore: Vec<String>,
    pub(super) exclude: Exclude,
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
    /// The kinds of the repository's files, as far as name and content tell.
    pub(super) kinds: BTreeMap<String, Option<Kind>>,
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
            kinds: BTreeMap::new(),
            has_host: false,
        };
        let mut mistakes = Vec::new();
        let mut configs = Configs::Nearest;
        if asks.no_config {
            configs = Configs::None;
        }
        if let Some(file) = &asks.config {
            configs = Configs::One(root.add_config(target, file, &mut mistakes)?);
        }
        let asked = Asked { paths: within, no_ignore: asks.no_ignore, exclude: asks.exclude.clone(), viewpoint, configs };
        let tree = walk::walk(&target.root, &asked).map_err(Failure::new)?;
        for file in &tree.files {
            root.kinds.insert(file.path.clone(), file.kind);
            root.linter.set(&file.path, &file.text).unwrap_or_else(|found| mistakes.extend(found));
        }
        root.skipped = tree.skipped;
        // A configuration that cannot be read must not be passed over.
        let config =
            |s: &&Skipped| s.path.rsplit('/').next() == Some("cudalint.toml") && matches!(asked.configs, Configs::Nearest);
        let unread: Vec<String> = root.skipped.iter().filter(config).map(|s| root.unread(&target.root, s)).collect();
        if let (Some(text), [path]) = (&asks.stdin, target.files.as_slice()) {
            root.kinds.entry(path.clone()).or_insert_with(|| cudalint::read::kind_by_name(path));
            root.skipped.retain(|s| s.path != *path);
            root.linter.set(path, text).unwrap_or_else(|found| mistakes.extend(found));
        }
        root.check_named(target)?;
        let mut failures = root.told(mistakes);
        failures.extend(unread);
        root.follow_links(&target.root, &asked, &mut failures);
        root.add_hosts(target, asks, &tree.configs, &mut failures);
        failures.dedup();
        if failures.is_empty() { Ok(root) } else { Err(Failure(failures)) }
    }

    /// Why a configuration cannot be read, with the line where it has one.
    fn unread(&self, root: &Path, skipped: &Skipped) -> String {
        let path = self.viewpoint.path(&skipped.path);
        let told = hosts::text(&root.join(&skipped.path), &path).err();
        told.unwrap_or_else(|| format!("{path}: {}", skipped.reason))
    }

    /// Every file that is a PATH must have a text.
    fn check_named(&self, target: &Target) -> Result<(), Failure> {
        let told = |path: &String| {
            let why = self.skipped.iter().find(|s| s.path == *path).map_or("cannot be read", |s| &s.reason);
            format!("{}: {why}", self.viewpoint.path(path))
        };
        let failures: Vec<_> = target.files.iter().filter(|path| !self.kinds.contains_key(*path)).map(told).collect();
        if failures.is_empty() { Ok(()) } else { Err(Failure(failures)) }
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
                        self.kinds.insert(path.clone(), None);
                        if let Err(mistakes) = self.linter.set(&path, &text) {
                            failures.extend(self.told(mistakes));
                        }
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
    fn add_config(&mut self, target: &Target, file: &HostFile, mistakes: &mut Vec<Mistake>) -> Result<Exclude, Failure> {
        let (origin, path) = self.place(target, file);
        self.linter.config(origin, &path, &file.text).unwrap_or_else(|found| mistakes.extend(found));
        let globs = read_config(file).map(|config| config.exclude).unwrap_or_default();
        Exclude::new(&globs).map_err(|why| Failure::new(format!("{}: exclude: {why}", file.path.display())))
    }

    fn add_hosts(&mut self, target: &Target, asks: &Asks, configs: &BTreeMap<String, Held>, failures: &mut Vec<String>) {
        let given = asks.config.as_ref().and_then(|file| Some((file, read_config(file)?)));
        let everywhere = asks.hosts.iter().map(|file| (None, file));
        let mut of_configs = Vec::new();
        let nearest = configs.iter().map(|(folder, held)| {
            let path = self.viewpoint.path(&held.path);
            let text = self.linter.sources().find(&held.path).map_or("", |file| self.linter.sources().text(file));
            (Some(folder.as_str()), target.root.join(folder), &held.config, path, text)
        });
        let given = given.as_ref().map(|(file, config)| {
            let folder = file.whole.parent().unwrap_or(&file.whole).to_owned();
            (None, folder, config, file.path.display().to_string(), file.text.as_str())
        });
        for (scope, folder, config, path, text) in nearest.chain(given) {
            self.has_host |= !config.host.is_empty();
            for (glob, at) in &config.hosts {
                match hosts::of_glob(&folder, glob) {
                    Ok(files) => of_configs.extend(files.into_iter().map(|file| (scope, file))),
                    Err(what) => failures.push(line(&path, text, at.map_or(0, |at| at.start), &what)),
                }
            }
        }
        let mut added = BTreeSet::new();
        for (scope, file) in everywhere.chain(of_configs.iter().map(|(scope, file)| (*scope, file))) {
            // Named twice, it is one machine all the same.
            if added.contains(&(None, &file.whole)) || !added.insert((scope, &file.whole)) {
                continue;
            }
            let (origin, path) = self.place(target, file);
            let done = match scope {
                None => self.linter.host(origin, &path, &file.text),
                Some(folder) => self.linter.host_of(folder, origin, &path, &file.text),
            };
            failures.extend(self.told(done.err().unwrap_or_default()));
        }
        if let Some(text) = &asks.nameless {
            let done = self.linter.host(Origin::CommandLine, "<options>", text);
            failures.extend(self.told(done.err().unwrap_or_default()));
        }
        self.has_host |= !added.is_empty() || asks.nameless.is_some();
    }

    /// How the engine names a file that the user named.
    fn place(&self, target: &Target, file: &HostFile) -> (Origin, String) {
        match file.whole.strip_prefix(&target.root).ok().and_then(Path::to_str) {
            Some(path) => (Origin::Repository, path.replace('\\', "/")),
            None => {
                let path = file.path.to_string_lossy().into_owned();
                // A file of the repository may be called the same from the root.
                let taken = self.linter.sources().find(&path).is_some();
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
            None => {
                // A line of the text that the options make has its option's name.
                let before = text.get(..at.start as usize).unwrap_or_default();
                let key = before.rsplit('\n').next().unwrap_or_default();
                let option = if key.starts_with("driver") { "--driver" } else { "--gpu" };
                format!("{option}: {}: {what}", brief(sources.slice(at)))
            }
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
