//! How much of what real repositories say is understood. Each argument is a folder; the figures are of all of them together.
//!
//! `cargo run --release --example coverage -- FOLDER…`; `--list REASON` prints the places of one reason, `--environments` what
//! is there together, a line each.

#[path = "../rendered/line.rs"]
mod line;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, process};

use cudalint::linter::Linter;
use cudalint::linter::coverage::Gap;
use cudalint::settings::Settings;
use cudalint::source::{LineIndex, Span};
use cudalint::walk::{self, Asked};

/// How often links are followed to files that name further files.
const ROUNDS: usize = 5;
/// So many reasons are told.
const REASONS: usize = 10;

/// Of one kind of thing.
#[derive(Default)]
struct Share {
    all: usize,
    understood: usize,
    gaps: BTreeMap<Gap, usize>,
}

fn main() {
    let mut folders: Vec<String> = env::args().skip(1).collect();
    let (mut list, mut environments) = (None, false);
    match folders.first().map(String::as_str) {
        Some("--list") if folders.len() > 2 => list = folders.drain(..2).nth(1),
        Some("--environments") => environments = folders.drain(..1).next().is_some(),
        _ => {}
    }
    if folders.is_empty() {
        eprintln!("usage: coverage [--list REASON | --environments] FOLDER…");
        process::exit(2);
    }
    let mut shares: [(&str, Share); 3] =
        [("install commands", Share::default()), ("variables", Share::default()), ("links", Share::default())];
    for folder in &folders {
        let Ok(root) = Path::new(folder).canonicalize() else {
            eprintln!("{folder}: is not there");
            process::exit(2);
        };
        let linter = read(&root);
        if environments {
            println!("{folder}");
            linter.environments().for_each(|env| println!("  {}", line::line(env)));
            continue;
        }
        let coverage = linter.coverage();
        for ((_, share), of) in shares.iter_mut().zip([&coverage.installs, &coverage.variables, &coverage.links]) {
            share.add(of);
            for (at, gap) in of {
                if list.as_deref().is_some_and(|list| *gap == Some(list)) {
                    println!("{folder}/{}", place(&linter, *at));
                }
            }
        }
    }
    if list.is_some() || environments {
        return;
    }
    println!("{} folders", folders.len());
    for (name, share) in &shares {
        share.print(name);
    }
}

fn read(root: &Path) -> Linter {
    let asked = Asked::default();
    let mut linter = Linter::new(Settings::default());
    for file in walk::walk(root, &asked).files {
        // A repository's own configuration of this tool changes nothing of what is understood.
        let _ = linter.set(&file.path, &file.text);
    }
    for _ in 0..ROUNDS {
        linter.report();
        for path in linter.wants() {
            if let Ok(Some(text)) = walk::linked(root, &path, &asked) {
                let _ = linter.set(&path, &text);
            }
        }
    }
    linter.report();
    linter
}

fn place(linter: &Linter, at: Span) -> String {
    let text = linter.sources().text(at.file);
    let line = LineIndex::new(text).position(text, at.range().start).line;
    let slice = linter.sources().slice(at).lines().next().unwrap_or_default();
    format!("{}:{line}: {}", linter.sources().path(at.file), slice.escape_debug())
}

impl Share {
    fn add(&mut self, of: &BTreeMap<Span, Option<Gap>>) {
        self.all += of.len();
        for gap in of.values() {
            match gap {
                None => self.understood += 1,
                Some(gap) => *self.gaps.entry(gap).or_default() += 1,
            }
        }
    }

    fn print(&self, name: &str) {
        let share = if self.all == 0 { 100.0 } else { 100.0 * self.understood as f64 / self.all as f64 };
        println!("{name}: {} of {} ({share:.1} %)", self.understood, self.all);
        let mut gaps: Vec<_> = self.gaps.iter().collect();
        gaps.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (gap, count) in gaps.iter().take(REASONS) {
            println!("  {count:6}  {gap}");
        }
    }
}
