//! Each labelled case, rewritten into siblings that mean the same: what is found in the case is found in each of them, at the line that
//! the case's line has moved to and as severe, and nothing more is.

mod calls;
mod ends;
mod images;
#[path = "../labelled/mod.rs"]
mod labelled;
mod manifests;
mod mends;
mod noise;
mod paths;
mod pins;
mod releases;
mod shell;
mod through;
mod toml_text;
mod words;
mod written;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use labelled::{At, Case, Found, expected, lint};
use written::Written;

/// `None` where it does not apply.
type Rewrite = fn(&Written) -> Option<Written>;

const REWRITES: &[(&str, Rewrite)] = &[
    ("line ends of Windows", ends::carriage_returns),
    ("byte order mark", ends::byte_order_mark),
    ("comments above", ends::comments_above),
    ("comments behind", ends::comments_behind),
    ("empty lines", ends::empty_lines),
    ("blanks behind", ends::blanks_behind),
    ("moved folder", paths::moved),
    ("other file names", paths::renamed),
    ("python -m pip", words::as_module),
    ("pip3", words::pip3),
    ("pip by its path", words::by_path),
    ("uv pip", words::uv_pip),
    ("idle options", words::idle_options),
    ("options first", words::options_first),
    ("options last", words::options_last),
    ("continued lines", words::continued),
    ("quoted requirements", words::quoted),
    ("--option=value", words::joined_options),
    ("short options", words::short_options),
    ("slash of an index", words::slash),
    ("names as people write them", words::other_name),
    ("blanks in requirements", words::spaced),
    ("idle markers", words::marked),
    ("out of calls", manifests::out_of_calls),
    ("into calls", manifests::into_calls),
    ("-r", manifests::included),
    ("-c", manifests::constrained),
    ("pip: into requirements", manifests::out_of_conda),
    ("installed by a script", manifests::by_script),
    ("installed by make", manifests::by_makefile),
    ("pin by ARG", pins::by_arg),
    ("pin by ENV", pins::by_env),
    ("pin by variable", pins::by_variable),
    ("pin by default value", pins::by_default),
    ("CUDA tag by ARG", pins::tag_by_arg),
    ("CUDA tag by variable", pins::tag_by_variable),
    ("requirement by variable", pins::requirement_by_variable),
    ("tag of an image by variable", pins::tag_of_image),
    ("image by variable", pins::whole_image),
    ("index by variable", pins::index_by_variable),
    ("image with registry", images::with_registry),
    ("image for a platform", images::for_platform),
    ("base as a stage", images::through_stage),
    ("small letters", images::small_letters),
    ("RUN with a cache", images::cache_mount),
    ("RUN of a document", images::run_document),
    ("RUN of a list", images::run_list),
    ("RUN set -eux", images::run_strict),
    ("block lists", yaml::block_lists),
    ("lists in brackets", yaml::flow_lists),
    ("quoted values", yaml::quoted),
    ("lists without indent", yaml::unindented_lists),
    ("environment as a list", yaml::environment_lists),
    ("service by anchor", yaml::anchored),
    ("run: in a block", yaml::run_blocks),
    ("in a function", shell::in_function),
    ("on one line", shell::on_one_line),
    ("logged", shell::logged),
    ("set -euo", shell::strict),
    ("another order", noise::reversed),
    ("other packages beside", noise::other_packages),
    ("other files beside", noise::other_files),
    ("other instructions", noise::other_instructions),
    ("another shell", noise::other_shell),
    ("virtual environment", noise::virtual_environment),
    ("RUNs apart", noise::runs_apart),
    ("RUNs together", noise::runs_together),
    ("apt in other words", noise::other_apt),
    ("export in other words", noise::other_exports),
    ("docker run in other words", noise::other_docker),
    ("ENV of old", noise::old_env),
    ("mamba", noise::other_conda),
    ("hashes", noise::hashed),
    ("script run by a script", through::by_script),
    ("script sourced", through::sourced),
    ("script run by make", through::by_make),
    ("script as a makefile", through::as_make),
    ("RUN in a script", through::run_scripts),
    ("environment created by a script", through::conda_by_script),
    ("build: in long", through::long_build),
    ("compose file included", through::included_compose),
    ("TOML lists on lines", toml_text::long_lists),
    ("TOML texts in single quotes", toml_text::literal_texts),
    ("TOML keys with dots", toml_text::dotted_keys),
    ("TOML tables of their own", toml_text::own_tables),
    ("another patch release", releases::other_patch),
];

/// What is not found yet, or said too much: `rewrite: case: rule`, each with its reason.
const NOT_YET: &[&str] = &[
    // A word before the image may hold options of `docker run`; that one is the image is seen by its name only (`$IMAGE`).
    "image by variable: 114-gpus-all-on-cpu-image: gpu-requested-for-cpu-image lost",
    "image by variable, script run by make: 114-gpus-all-on-cpu-image: gpu-requested-for-cpu-image lost",
];

/// What came of the siblings.
#[derive(Default)]
struct Tally {
    /// By rewrite, and by rule: made, expected.
    rewrites: BTreeMap<&'static str, (usize, usize)>,
    rules: BTreeMap<String, (usize, usize)>,
    siblings: usize,
    wrong: BTreeSet<String>,
}

#[test]
fn siblings_say_the_same() {
    let cases = labelled::cases();
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let of_case = vary(case);
                    let mut tally = tally.lock().expect("no panic");
                    tally.add(of_case);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("no panic");
    let sum = |of: &mut dyn Iterator<Item = (usize, usize)>| of.fold((0, 0), |(a, b), (made, all)| (a + made, b + all));
    for line in &tally.wrong {
        println!("{line}");
    }
    for (name, (made, all)) in &tally.rewrites {
        println!("{made:4}/{all:<4} {name}");
    }
    for (rule, (made, all)) in &tally.rules {
        println!("{made:4}/{all:<4} {rule}");
    }
    let (made, all) = sum(&mut tally.rules.values().copied());
    println!("recall over {} siblings {made}/{all}", tally.siblings);
    let is_known = |line: &String| NOT_YET.iter().any(|known| line.contains(known));
    let wrong: Vec<_> = tally.wrong.iter().filter(|line| !is_known(line)).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{wrong:#?}", wrong.len());
    let by_now: Vec<_> = NOT_YET.iter().filter(|known| !tally.wrong.iter().any(|line| line.contains(*known))).collect();
    assert!(by_now.is_empty(), "right by now: {by_now:?}");
    let idle: Vec<_> = rewrites().filter(|(name, _)| !tally.rewrites.contains_key(name)).map(|(name, _)| name).collect();
    assert!(idle.is_empty(), "these apply to no case: {idle:?}");
}

fn rewrites() -> impl Iterator<Item = (&'static str, Rewrite)> {
    REWRITES.iter().chain(manifests::INTO).copied()
}

impl Tally {
    fn add(&mut self, other: Self) {
        other.rewrites.into_iter().for_each(|(name, of)| add(self.rewrites.entry(name).or_default(), of));
        other.rules.into_iter().for_each(|(rule, of)| add(self.rules.entry(rule).or_default(), of));
        self.siblings += other.siblings;
        self.wrong.extend(other.wrong);
    }
}

fn add(to: &mut (usize, usize), (made, all): (usize, usize)) {
    *to = (to.0 + made, to.1 + all);
}

/// What is found in a case and must be found in each sibling.
struct Subject<'a> {
    found: &'a Found,
    /// The line that a label names, or that of the finding's primary place.
    at: At,
    /// A label asks for it: it is counted.
    counts: bool,
}

/// The findings that are expected and made (those that are not are for `cases` to tell), and all others that are loud.
fn subjects<'a>(case: &Case, found: &'a [Found]) -> Vec<Subject<'a>> {
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    let mut left: Vec<_> = found.iter().collect();
    for label in expected(&case.table) {
        let of = |f: &&Found| f.rule == label.rule && f.at.contains(&label.at) && (f.loud || label.severity == "info");
        if let Some(i) = left.iter().position(of) {
            subjects.push(Subject { found: left.remove(i), at: label.at, counts: !label.optional });
        }
    }
    subjects.extend(left.into_iter().filter(|f| f.loud).map(|found| Subject { found, at: found.at[0].clone(), counts: false }));
    subjects
}

/// The siblings of a case.
fn vary(case: &Case) -> Tally {
    let mut tally = Tally::default();
    let original = Written::new(case);
    let found = findings(case, &original);
    let subjects = subjects(case, &found);
    let siblings: Vec<_> = rewrites().filter_map(|(name, rewrite)| Some((name, rewrite(&original)?))).collect();
    for (name, sibling) in &siblings {
        let of_rewrite = tally.hold(case, name, sibling, &found, &subjects);
        add(tally.rewrites.entry(name).or_default(), of_rewrite);
    }
    // And of two after each other, some.
    for (first, sibling) in &siblings {
        for (second, rewrite) in rewrites().filter(|(second, _)| is_taken(&[&case.name, first, second])) {
            if let Some(sibling) = rewrite(sibling).filter(|both| both != sibling) {
                let of_pair = tally.hold(case, &format!("{first}, {second}"), &sibling, &found, &subjects);
                add(tally.rewrites.entry("(two after each other)").or_default(), of_pair);
            }
        }
    }
    tally
}

/// One of how many pairs of rewrites is taken; `VARY=1` takes all.
const PAIRS: u64 = 60;

fn is_taken(names: &[&str]) -> bool {
    let every = std::env::var("VARY").ok().and_then(|every| every.parse().ok()).unwrap_or(PAIRS);
    // The same ones each time: FNV-1a.
    let bytes = names.iter().flat_map(|name| name.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 8).is_multiple_of(every)
}

impl Tally {
    /// Holds a sibling against what is found in its case: made, expected.
    fn hold(&mut self, case: &Case, name: &str, sibling: &Written, found: &[Found], subjects: &[Subject<'_>]) -> (usize, usize) {
        self.siblings += 1;
        let of_sibling = findings(case, sibling);
        let mut of_rewrite = (0, 0);
        let mut used = BTreeSet::new();
        for subject in subjects {
            let (rule, severity) = (&subject.found.rule, &subject.found.severity);
            let places = sibling.places(&subject.at);
            let same = |f: &Found| f.rule == *rule && f.severity == *severity && f.at.iter().any(|at| places.contains(at));
            let hit = (0..of_sibling.len()).find(|i| !used.contains(i) && same(&of_sibling[*i]));
            used.extend(hit);
            if subject.counts {
                let one = (usize::from(hit.is_some()), 1);
                add(&mut of_rewrite, one);
                add(self.rules.entry(rule.clone()).or_default(), one);
            }
            if hit.is_none() {
                let line = format!("{name}: {}: {rule} lost ({severity}), at {places:?}", case.name);
                self.wrong.insert(with_text(line, sibling));
            }
        }
        let count = |found: &[Found], rule: &str| found.iter().filter(|f| f.loud && f.rule == rule).count();
        for f in of_sibling.iter().filter(|f| f.loud) {
            if count(&of_sibling, &f.rule) > count(found, &f.rule) {
                let line = format!("{name}: {}: {} new ({}), at {:?}: {}", case.name, f.rule, f.severity, f.at[0], f.message);
                self.wrong.insert(with_text(line, sibling));
            }
        }
        of_rewrite
    }
}

/// Where `SHOW` is set, the sibling is shown with what is wrong of it.
fn with_text(line: String, sibling: &Written) -> String {
    if std::env::var_os("SHOW").is_none() {
        return line;
    }
    let (files, others) = sibling.texts();
    files.iter().chain(&others).fold(line, |line, (path, text)| line + &format!("\n--- {path}\n{text}"))
}

fn findings(case: &Case, written: &Written) -> Vec<Found> {
    let (files, others) = written.texts();
    lint(&files, &others, &case.table).iter().map(Found::new).collect()
}
