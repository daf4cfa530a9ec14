//! `cudalint check`: lints files and folders.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::{ArgAction, Args, ValueEnum};
use cudalint::diagnostic::{Report, Severity};
use cudalint::globs::PathGlobs;
use cudalint::report::{Format, Look, Outcome, Part, one_line};
use cudalint::source::brief;
use cudalint::walk;

use super::progress::Progress;
use super::root::{Asks, ReadAs, Root};
use super::targets::{self, Target};
use super::{Failure, Verdict, explain, hosts, print, tell};

/// The end of the help: without a host the half that people come for stays silent.
const ABOUT_HOSTS: &str = "\
Drivers and GPUs are checked for the hosts that you give: --driver 535.104.05 --gpu \"RTX 4090\", --host FILE,
or hosts = [\"hosts/*.toml\"] in cudalint.toml. A host file holds driver = \"535.104.05\" and, under [[gpu]], name = \"RTX 4090\".";

#[derive(Debug, Args)]
#[command(after_help = ABOUT_HOSTS)]
pub(super) struct Check {
    /// Files and folders to report on [default: .]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How findings are printed
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
    /// Write the findings to a file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A host file, or a folder of them: a machine that the project must run on
    #[arg(long, value_name = "FILE")]
    host: Vec<PathBuf>,
    /// The driver of a host without a file: 535.104.05
    #[arg(long, value_name = "VERSION")]
    driver: Option<String>,
    /// A GPU of a host without a file: "RTX 4090", or its compute capability, 8.9
    #[arg(long, value_name = "NAME")]
    gpu: Vec<String>,
    /// Only these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,
    /// Not these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// The lowest severity that makes the exit status 1
    #[arg(long, value_enum, default_value = "warning", value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Lint standard input as the text of this file
    #[arg(long, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,
    /// The configuration for all files, instead of the nearest above each
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Use no configuration
    #[arg(long)]
    no_config: bool,
    /// Files and folders not to read
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Read what .gitignore, .ignore and .cudalintignore leave out, too
    #[arg(long)]
    no_ignore: bool,
    /// Print the files that are read, with their kinds, and stop
    #[arg(long)]
    show_files: bool,
    /// Colours
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: Color,
    /// Print how many findings each rule has
    #[arg(long)]
    statistics: bool,
    /// Print nothing but findings and what is asked for
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what is not known and what was skipped
    #[arg(short, long, action = ArgAction::SetTrue)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Text,
    Concise,
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// More files that are not UTF-8 are only counted.
const MOST_GARBLED: usize = 10;

impl Check {
    pub(super) fn run(&self) -> Result<Verdict, Failure> {
        let progress = Progress::start(self.quiet);
        let cwd = std::env::current_dir().and_then(|cwd| cwd.canonicalize());
        let cwd = cwd.map_err(|e| Failure::new(format!("working directory: {e}")))?;
        let targets = self.targets(&cwd)?;
        let asks = self.asks(cwd)?;
        self.tell_of_unknown_rules(&asks);
        let (mut roots, mut failures) = (Vec::new(), Vec::new());
        for target in &targets {
            match Root::open(target, &asks) {
                Ok(root) => roots.push(root),
                Err(Failure(lines)) => failures.extend(lines),
            }
        }
        if !failures.is_empty() {
            failures.dedup();
            return Err(Failure(failures));
        }
        if self.show_files {
            drop(progress);
            return show_files(&roots);
        }
        let reports: Vec<_> = roots.iter_mut().map(|root| root.linter.report()).collect();
        drop(progress);
        self.tell_of_strangers(&roots, &targets);
        self.report(&roots, &reports)
    }

    fn targets(&self, cwd: &Path) -> Result<Vec<Target>, Failure> {
        let stdin = Path::new("-");
        match (&self.stdin_filename, self.paths.as_slice()) {
            (Some(path), []) => Ok(vec![targets::of_text(path, cwd)?]),
            (Some(path), [only]) if only == stdin => Ok(vec![targets::of_text(path, cwd)?]),
            (Some(_), _) => Err(Failure::new("--stdin-filename says what is linted: no PATH may stand beside it")),
            (None, paths) if paths.iter().any(|p| p == stdin) => Err(Failure::new("-: standard input needs --stdin-filename")),
            (None, []) => targets::of(&[PathBuf::from(".")], cwd),
            (None, paths) => targets::of(paths, cwd),
        }
    }

    fn asks(&self, cwd: PathBuf) -> Result<Asks, Failure> {
        let mut failures = Vec::new();
        let mut hosts = Vec::new();
        for path in &self.host {
            match hosts::named(path) {
                Ok(files) => hosts.extend(files),
                Err(line) => failures.push(line),
            }
        }
        if self.gpu.iter().any(|gpu| gpu.trim().is_empty()) {
            failures.push("--gpu: a name (\"RTX 4090\") or a compute capability (8.9) is needed".to_owned());
        }
        let (select, ignore) = (named(&self.select), named(&self.ignore));
        for (option, given, rules) in [("--select", &self.select, &select), ("--ignore", &self.ignore, &ignore)] {
            if !given.is_empty() && rules.is_empty() {
                failures.push(format!("{option}: the name of a rule is needed; `cudalint explain` lists them"));
            }
        }
        if self.driver.as_ref().is_some_and(|driver| driver.trim().is_empty()) {
            failures.push("--driver: a version (535.104.05) is needed".to_owned());
        }
        let nameless = hosts::of_options(self.driver.as_deref(), &self.gpu);
        if failures.is_empty() {
            failures.extend(nameless.as_deref().map(hosts::mistakes_of_options).unwrap_or_default());
        }
        let config = self.config.as_deref().and_then(|path| hosts::open(path).map_err(|line| failures.push(line)).ok());
        let exclude = PathGlobs::new(&self.exclude).unwrap_or_else(|line| {
            failures.push(format!("--exclude: {line}"));
            PathGlobs::default()
        });
        if !failures.is_empty() {
            return Err(Failure(failures));
        }
        Ok(Asks {
            cwd,
            select,
            ignore,
            exclude,
            no_ignore: self.no_ignore,
            no_config: self.no_config,
            config,
            hosts,
            nameless,
            stdin: self.stdin_filename.as_ref().map(|_| standard_input()).transpose()?,
        })
    }

    /// Told with `--quiet`, too: what a mistyped rule does not find must not pass for "clean".
    fn tell_of_unknown_rules(&self, asks: &Asks) {
        let pages = explain::pages();
        for (option, rules) in [("--select", &asks.select), ("--ignore", &asks.ignore)] {
            for rule in rules.iter().filter(|rule| !pages.iter().any(|p| p.rule == rule.as_str())) {
                tell(&format!("warning: {option}: no rule is called {}", brief(rule)));
            }
        }
    }

    /// A PATH that is a file and of no kind of ours is linted as nothing: that must not pass for "clean".
    fn tell_of_strangers(&self, roots: &[Root], targets: &[Target]) {
        for (root, target) in roots.iter().zip(targets) {
            for path in target.files.iter().filter(|path| matches!(root.read_as(path), ReadAs::Nothing)) {
                self.warn(&format!("{}: not a kind of file that is linted", root.viewpoint.path(path)));
            }
        }
    }

    fn report(&self, roots: &[Root], reports: &[Report]) -> Result<Verdict, Failure> {
        let parts = roots.iter().zip(reports).map(|(root, report)| Part {
            report,
            sources: root.linter.sources(),
            viewpoint: root.viewpoint.clone(),
            skipped: &root.skipped,
        });
        let outcome = Outcome::new(parts.collect());
        let mut out = Vec::new();
        let written = outcome.write(self.format(), &mut out);
        written.map_err(|e| Failure::new(format!("report: {e}")))?;
        match &self.output {
            Some(path) => std::fs::write(path, &out)
                .map_err(|e| Failure::new(format!("--output: {}: {}", path.display(), targets::why(&e))))?,
            None => print(&out)?,
        }
        self.tell_the_rest(roots, reports, &outcome);
        let worst = outcome.worst();
        let fails = match self.fail_on {
            FailOn::Error => worst >= Some(Severity::Error),
            FailOn::Warning => worst >= Some(Severity::Warning),
            FailOn::Info => worst.is_some(),
            FailOn::Never => false,
        };
        Ok(if fails { Verdict::Findings } else { Verdict::Clean })
    }

    /// All that is no finding goes to standard error.
    fn tell_the_rest(&self, roots: &[Root], reports: &[Report], outcome: &Outcome<'_>) {
        if self.statistics {
            for (rule, count) in outcome.by_rule() {
                tell(&format!("{count:5} {rule}"));
            }
        }
        // A host of several roots is one host.
        let mut told = BTreeSet::new();
        for warning in roots.iter().zip(reports).flat_map(|(root, report)| root.notices(report)) {
            if told.insert(warning.clone()) {
                self.warn(&warning);
            }
        }
        if self.quiet {
            return;
        }
        let all = roots.iter().flat_map(|r| r.skipped.iter().map(|s| (r.viewpoint.path(&s.path), s)));
        // A text of ours in another encoding is seldom meant to be left out.
        let (garbled, skipped): (Vec<_>, Vec<_>) =
            all.partition(|(_, s)| s.at.is_some() && cudalint::read::kind_by_name(&s.path).is_some());
        for (path, skipped) in garbled.iter().take(MOST_GARBLED) {
            let place = skipped.at.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
            let rest = if skipped.reason.contains(": ") { "" } else { ": the file is not read" };
            self.warn(&format!("{path}{place}: {}{rest}", skipped.reason));
        }
        if garbled.len() > MOST_GARBLED {
            self.warn(&format!("{} more files are not UTF-8", garbled.len() - MOST_GARBLED));
        }
        if self.verbose {
            for (path, skipped) in skipped.iter().chain(garbled.iter().skip(MOST_GARBLED)) {
                tell(&format!("skipped {path}: {}", skipped.reason));
            }
            for line in reports.iter().flat_map(|r| &r.unknown) {
                tell(line);
            }
        } else if !skipped.is_empty() {
            tell(&format!(
                "{} could not be used; -v names what",
                if skipped.len() == 1 { "1 file".to_owned() } else { format!("{} files", skipped.len()) }
            ));
        }
        let terminal = std::io::stderr().is_terminal();
        if matches!(self.format, Form::Text) || terminal {
            outcome.closing(terminal).iter().for_each(|line| tell(line));
        }
        if terminal && reports.iter().any(|r| r.environments > 0) && !roots.iter().any(|r| r.has_host) {
            tell(
                "no host is given, so nothing is said of drivers and GPUs: --driver 535.104.05 --gpu \"RTX 4090\", --host FILE, or hosts = [\"hosts/*.toml\"] in cudalint.toml",
            );
        }
    }

    fn warn(&self, line: &str) {
        if !self.quiet {
            tell(&format!("warning: {line}"));
        }
    }

    fn format(&self) -> Format {
        let terminal = self.output.is_none() && std::io::stdout().is_terminal();
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let color = match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb"),
        };
        match self.format {
            Form::Text => Format::Text(Look { color }),
            Form::Concise => Format::Concise(Look { color }),
            Form::Json => Format::Json,
        }
    }
}

/// The names of rules; a comma may end a list.
fn named(given: &[String]) -> Vec<String> {
    given.iter().map(|rule| rule.trim()).filter(|rule| !rule.is_empty()).map(str::to_owned).collect()
}

fn standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Failure::new(format!("standard input: {e}")))?;
    walk::decode(bytes).map_err(|at| Failure::new(format!("standard input:{}:{}: not UTF-8", at.line, at.column)))
}

fn show_files(roots: &[Root]) -> Result<Verdict, Failure> {
    let (mut out, mut told) = (Vec::new(), BTreeSet::new());
    for root in roots {
        for (path, read_as) in root.shown_files() {
            let kind = match read_as {
                ReadAs::Kind(kind) => spoken(&format!("{kind:?}")),
                ReadAs::Linked(kind) => format!("{}, by link", spoken(&format!("{kind:?}"))),
                ReadAs::Host => "host".to_owned(),
                ReadAs::Nothing => "no kind that is linted".to_owned(),
            };
            let line = format!("{}: {kind}", one_line(&path));
            // What lies outside of several roots is read for each.
            if told.insert(line.clone()) {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    print(&out)?;
    Ok(Verdict::Clean)
}

/// `CondaEnvironment` → `conda environment`.
fn spoken(kind: &str) -> String {
    let mut out = String::new();
    for c in kind.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.extend(c.to_lowercase());
    }
    out
}
