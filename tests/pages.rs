//! Every rule page is a test: its Bad examples report what they print, its Good ones stay silent from every rule.
//! `UPDATE=1 cargo test --test pages` rewrites the printed reports; a person reads them.

use std::fs;
use std::path::PathBuf;

use cudalint::diagnostic::{Report, Severity};
use cudalint::linter::Linter;
use cudalint::rules::RULES;
use cudalint::settings::Settings;
use cudalint::source::{LineIndex, Origin};

#[test]
fn pages_tell_the_truth() {
    let update = std::env::var_os("UPDATE").is_some();
    for rule in RULES {
        let page = Page::parse(rule.page);
        assert_eq!(page.title, rule.name, "the title of {}", rule.name);
        assert!(!rule.summary().is_empty() && !rule.summary().ends_with(':'), "{} needs a summary", rule.name);
        for section in ["Why", "Bad", "Good", "Sources"] {
            assert!(page.sections.contains(&section), "{} needs a section {section}", rule.name);
        }
        assert!(!page.bad.is_empty() && !page.good.is_empty(), "{} needs a Bad and a Good example", rule.name);
        let mut silent = false;
        for example in &page.good {
            let (report, linter) = example.lint();
            let loud: Vec<String> = printed(&report, &linter, |severity| severity > Severity::Info);
            assert!(loud.is_empty(), "a Good example of {} is not silent: {loud:#?}", rule.name);
            silent |= !report.diagnostics.iter().any(|d| d.rule == rule.name);
        }
        assert!(silent, "{} speaks of each of its Good examples", rule.name);
        let mut text = rule.page.to_owned();
        for example in &page.bad {
            let (report, linter) = example.lint();
            let lines: String = printed(&report, &linter, |_| true).concat();
            assert!(lines.contains(&format!("[{}]", rule.name)), "a Bad example of {} does not report it:\n{lines}", rule.name);
            if update {
                let block = |inside: &str| format!("Reports:\n\n```text\n{inside}```");
                text = text.replacen(&block(&example.expected), &block(&lines), 1);
            } else {
                assert_eq!(lines, example.expected, "a Bad example of {}", rule.name);
            }
        }
        if update {
            fs::write(root().join("rules").join(rule.name).with_extension("md"), text).expect("a writable page");
        }
    }
}

#[test]
fn every_page_has_a_rule() {
    let except = ["README", "MYTHS", "FLEET"];
    for entry in fs::read_dir(root().join("rules")).expect("rules/").flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|s| s.to_str()).expect("a name");
        if path.extension().is_some_and(|e| e == "md") && !except.contains(&stem) {
            assert!(cudalint::rules::find(stem).is_some(), "{stem}.md has no rule");
        }
    }
}

/// A break between two links is told with both places, and these mostly lie in two files.
#[test]
fn every_rule_tells_of_a_break_across_files() {
    // These speak of one line in one file.
    let alone = ["gpu-request-malformed", "unreadable-file", "unused-ignore"];
    for rule in RULES.iter().filter(|rule| !alone.contains(&rule.name)) {
        let crosses = Page::parse(rule.page).bad.iter().any(|example| {
            let (report, _) = example.lint();
            let mut own = report.diagnostics.iter().filter(|d| d.rule == rule.name);
            own.any(|d| d.labels.iter().any(|label| label.at.file != d.labels[0].at.file))
        });
        assert!(crosses, "{} needs a Bad example whose finding has labels in two files", rule.name);
    }
}

#[test]
fn rules_are_sorted_by_name_and_unique() {
    assert!(RULES.windows(2).all(|pair| pair[0].name < pair[1].name));
}

/// A page, cut up.
#[derive(Default)]
struct Page<'a> {
    title: &'a str,
    sections: Vec<&'a str>,
    bad: Vec<Example<'a>>,
    good: Vec<Example<'a>>,
}

/// One small project of a page.
#[derive(Default)]
struct Example<'a> {
    files: Vec<(&'a str, String)>,
    hosts: Vec<(&'a str, String)>,
    expected: String,
}

impl<'a> Page<'a> {
    /// A project is the blocks up to `Reports:` (Bad), or up to the next `###` heading or section (Good).
    fn parse(text: &'a str) -> Self {
        let mut page = Self::default();
        let (mut section, mut name) = ("", "");
        let mut example = Example::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(title) = line.strip_prefix("# ") {
                page.title = title;
            } else if line.starts_with("## ") || line.starts_with("### ") {
                page.close(section, &mut example);
                if let Some(heading) = line.strip_prefix("## ") {
                    section = heading;
                    page.sections.push(heading);
                }
            } else if let Some(file) = line.strip_suffix(':').filter(|l| l.starts_with('`') || *l == "Reports") {
                name = file.trim_matches('`');
            } else if line.starts_with("```") {
                let block: String = lines.by_ref().take_while(|l| *l != "```").map(|l| format!("{l}\n")).collect();
                if !matches!(section, "Bad" | "Good") {
                    continue;
                }
                match name {
                    "Reports" => {
                        example.expected = block;
                        page.close(section, &mut example);
                    }
                    host if host.starts_with("hosts/") => example.hosts.push((host, block)),
                    file => example.files.push((file, block)),
                }
                name = "";
            }
        }
        page.close(section, &mut example);
        page
    }

    fn close(&mut self, section: &str, example: &mut Example<'a>) {
        let whole = std::mem::take(example);
        if !whole.files.is_empty() {
            match section {
                "Bad" => self.bad.push(whole),
                "Good" => self.good.push(whole),
                _ => {}
            }
        }
    }
}

impl Example<'_> {
    fn lint(&self) -> (Report, Linter) {
        let mut linter = Linter::new(Settings::default());
        for (path, text) in &self.files {
            linter.set(path, text).unwrap_or_else(|e| panic!("{path}: {e:?}"));
        }
        for (path, text) in &self.hosts {
            linter.host(Origin::Outside, path, text).unwrap_or_else(|e| panic!("{path}: {e:?}"));
        }
        let report = linter.report();
        (report, linter)
    }
}

/// The findings as the concise format prints them.
fn printed(report: &Report, linter: &Linter, want: impl Fn(Severity) -> bool) -> Vec<String> {
    let sources = linter.sources();
    let lines = report.diagnostics.iter().filter(|d| want(d.severity)).map(|d| {
        let at = d.labels[0].at;
        let text = sources.text(at.file);
        let place = LineIndex::new(text).position(text, at.start as usize);
        let (path, severity) = (sources.path(at.file), d.severity.word());
        format!("{path}:{}:{}: {severity}[{}]: {}\n", place.line, place.column, d.rule, d.message)
    });
    lines.collect()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
