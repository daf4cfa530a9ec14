//! What the README shows is what the program prints; what it lists is what there is.
//! `UPDATE=1 cargo test --test readme` rewrites both; a person reads them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cudalint::linter::Linter;
use cudalint::report::{Outcome, Part};
use cudalint::rules::RULES;
use cudalint::settings::Settings;
use cudalint::source::Origin;
use cudalint::viewpoint::Viewpoint;

#[test]
fn the_readme_tells_the_truth() {
    let path = root().join("README.md");
    let text = fs::read_to_string(&path).expect("the README");
    let now = with_list(&with_runs(&text));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, now).expect("a writable README");
    } else {
        assert_eq!(now, text);
    }
}

/// Every run of a console block, with what it prints now. A run that is shown without output only has to work.
fn with_runs(text: &str) -> String {
    let (mut out, mut runs) = (String::new(), 0);
    let mut folder = root();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let commands: Vec<&str> = block.iter().filter_map(|line| line.strip_prefix("$ ")).collect();
        let examples = commands.len() > 1 && commands.len() == block.len() && !commands[0].starts_with("cd ");
        for command in commands {
            out += &format!("$ {command}\n");
            if let Some(to) = command.strip_prefix("cd ") {
                folder = root().join(to);
                continue;
            }
            runs += 1;
            let printed = run(&folder, command);
            if !examples {
                out += &printed;
            }
        }
        out += "```\n";
    }
    assert!(runs >= 5, "{runs} runs");
    out
}

/// What a command prints, as on a terminal that shows both outputs.
fn run(folder: &Path, command: &str) -> String {
    let arguments: Vec<String> = command.split('"').enumerate().fold(Vec::new(), |mut all, (i, part)| {
        if i % 2 == 1 {
            all.push(part.to_owned())
        } else {
            all.extend(part.split_whitespace().map(str::to_owned))
        }
        all
    });
    assert_eq!(arguments[0], "cudalint", "{command}");
    let mut program = Command::new(env!("CARGO_BIN_EXE_cudalint"));
    let run = program.args(&arguments[1..]).current_dir(folder).env_clear().stdin(Stdio::null()).output().expect("a run");
    assert!(matches!(run.status.code(), Some(0 | 1)), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8([run.stdout, run.stderr].concat()).expect("UTF-8")
}

/// The list of rules, as it is now.
fn with_list(text: &str) -> String {
    let (before, rest) = text.split_once("<!-- rules -->\n").expect("the list's start");
    let (_, after) = rest.split_once("<!-- /rules -->\n").expect("the list's end");
    let mut list = "| rule | at most | |\n|---|---|---|\n".to_owned();
    for rule in RULES {
        list += &format!("| [`{0}`](rules/{0}.md) | {1} | {2} |\n", rule.name, rule.level.word(), rule.summary());
    }
    format!("{before}<!-- rules -->\n{list}<!-- /rules -->\n{after}")
}

/// What a terminal shows at the end of a run.
#[test]
fn its_closing_line_is_true() {
    let mut linter = Linter::new(Settings::default());
    for path in ["scripts/bench.sh", "requirements/bench.txt"] {
        let text = fs::read_to_string(root().join("fixtures/projects/broken-trainer").join(path)).expect(path);
        linter.set(path, &text).expect("no configuration");
    }
    let report = linter.report();
    let viewpoint = Viewpoint::new(Path::new("/r"), Path::new("/r"));
    let part = Part { report: &report, sources: linter.sources(), viewpoint, skipped: &[] };
    let closing = Outcome::new(vec![part]).closing(true);
    let text = fs::read_to_string(root().join("README.md")).expect("the README");
    assert!(text.contains(&format!("`{}`", closing[1])), "{closing:#?}");
}

/// Its host file and its configuration are read as they stand.
#[test]
fn its_toml_is_valid() {
    let text = fs::read_to_string(root().join("README.md")).expect("the README");
    let blocks: Vec<&str> = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [host, config] = blocks[..] else { panic!("{} blocks", blocks.len()) };
    let mut linter = Linter::new(Settings::default());
    linter.host(Origin::Outside, "host.toml", host).expect("a host");
    linter.config(Origin::Outside, "cudalint.toml", config).expect("a configuration");
}

#[test]
fn its_links_lead_somewhere() {
    let text = fs::read_to_string(root().join("README.md")).expect("the README");
    for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(link.starts_with("https://") || root().join(link).exists(), "{link}");
    }
    for command in ["fixtures/projects/broken-trainer", "fixtures/projects/mended-trainer", "test", ".ci/run"] {
        assert!(text.contains(command) && root().join(command).exists(), "{command}");
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
