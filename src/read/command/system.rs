//! System package managers.

use crate::outline::{Does, SystemPackages, Text};
use crate::source::Span;

/// A family of managers with one way of writing.
struct Manager {
    programs: &'static [&'static str],
    name: &'static str,
    installs: &'static [&'static str],
    removes: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
}

static MANAGERS: &[Manager] = &[
    Manager {
        programs: &["apt", "apt-get", "aptitude"],
        name: "apt",
        installs: &["install", "reinstall"],
        removes: &["remove", "purge", "autoremove", "autopurge"],
        valued: &["-t", "--target-release", "--default-release", "-o", "--option", "-c", "--config-file", "-a"],
    },
    Manager {
        programs: &["dnf", "yum", "microdnf", "tdnf"],
        name: "dnf",
        installs: &["install", "localinstall", "reinstall"],
        removes: &["remove", "erase", "autoremove"],
        valued: &[
            "-c",
            "--config",
            "-x",
            "--exclude",
            "--enablerepo",
            "--disablerepo",
            "--repo",
            "--repoid",
            "--releasever",
            "--setopt",
            "--installroot",
            "-e",
            "-d",
        ],
    },
    Manager {
        programs: &["apk"],
        name: "apk",
        installs: &["add"],
        removes: &["del"],
        valued: &["-t", "--virtual", "-X", "--repository", "-p", "--root", "--arch", "--cache-dir"],
    },
    Manager {
        programs: &["zypper"],
        name: "zypper",
        installs: &["install", "in"],
        removes: &["remove", "rm"],
        valued: &["-r", "--repo", "--from", "-t", "--type", "-R", "--root", "-C"],
    },
];

/// `apt-get install -y a b=1`.
pub(super) fn system(words: &[Text], _at: Span) -> Vec<Does> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let program = program.known().and_then(|p| p.rsplit('/').next()).unwrap_or_default();
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit());
    if program == "pacman" {
        return pacman(arguments);
    }
    if program == "ubuntu-drivers" {
        return ubuntu_drivers(&words[0], arguments);
    }
    let Some(manager) = MANAGERS.iter().find(|m| m.programs.contains(&program)) else { return Vec::new() };
    let mut operands = operands(arguments, manager.valued).into_iter();
    let mut verb = operands.next().and_then(Text::known).unwrap_or_default();
    if manager.name == "dnf" && verb == "module" {
        verb = operands.next().and_then(Text::known).unwrap_or_default();
    }
    let removes = manager.removes.contains(&verb);
    if !removes && !manager.installs.contains(&verb) {
        return Vec::new();
    }
    packages(manager.name, operands.cloned().collect(), removes)
}

fn operands<'a>(arguments: &'a [Text], valued: &[&str]) -> Vec<&'a Text> {
    let (mut found, mut skip) = (Vec::new(), false);
    for word in arguments {
        match word.known() {
            _ if std::mem::take(&mut skip) => {}
            Some(option) if option.starts_with('-') => skip = valued.contains(&option),
            _ => found.push(word),
        }
    }
    found
}

/// `ubuntu-drivers install nvidia:550`, or the driver that it picks.
fn ubuntu_drivers(program: &Text, arguments: &[Text]) -> Vec<Does> {
    let mut operands = operands(arguments, &["--package-list"]).into_iter();
    if !matches!(operands.next().and_then(Text::known), Some("install" | "autoinstall")) {
        return Vec::new();
    }
    let named = operands.next().and_then(|word| Some((word.at, word.known()?.strip_prefix("nvidia:")?)));
    let name = match named {
        Some((at, branch)) => Text::literal(format!("nvidia-driver-{branch}"), at),
        None => Text::literal("nvidia-driver", program.at),
    };
    packages("apt", vec![name], false)
}

fn pacman(arguments: &[Text]) -> Vec<Does> {
    let has = |letter: char| {
        let has = |w: &Text| w.known().is_some_and(|w| w.starts_with('-') && !w.starts_with("--") && w.contains(letter));
        arguments.iter().any(has)
    };
    let long = |name: &str| arguments.iter().any(|w| w.known() == Some(name));
    let removes = has('R') || long("--remove");
    let queries = has('Q') || has('s') && !removes;
    if !removes && !((has('S') || has('U') || long("--sync")) && !queries) {
        return Vec::new();
    }
    packages(
        "pacman",
        operands(arguments, &["--ignore", "--overwrite", "--dbpath", "-r", "-b"]).into_iter().cloned().collect(),
        removes,
    )
}

fn packages(manager: &str, names: Vec<Text>, removes: bool) -> Vec<Does> {
    if names.is_empty() {
        return Vec::new();
    }
    vec![Does::System(SystemPackages { manager: manager.to_owned(), names, removes })]
}
