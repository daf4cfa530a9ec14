//! pixi's command line: <https://pixi.sh/latest/reference/cli/pixi/>.

use super::options::{Grammar, Part};
use super::pip;
use crate::outline::{Does, How, Include, Install, InstallFlags, Target, Text, Tool};
use crate::source::Span;

const PIXI: Grammar = Grammar {
    valued: &[
        &["-e", "--environment"],
        &["--manifest-path"],
        &["-w", "--workspace"],
        &["--color"],
        &["--skip"],
        &["--skip-with-deps"],
        &["--only"],
        &["--auth-file"],
        &["--concurrent-downloads"],
        &["--concurrent-solves"],
        &["--pinning-strategy"],
        &["--pypi-keyring-provider"],
        &["-s", "--shell"],
        &["-p", "--platform"],
    ],
    flags: &[
        &["-a", "--all"],
        &["--frozen"],
        &["--locked"],
        &["--as-is"],
        &["--no-install"],
        &["--no-lockfile-update"],
        &["--no-lock-file-update"],
        &["--revalidate"],
        &["--clean-env"],
        &["--no-progress"],
        &["-q", "--quiet"],
        &["-v", "--verbose"],
        &["-h", "--help"],
        &["-V", "--version"],
    ],
    abbreviates: false,
};

/// What `pixi …` does; `words` are those behind `pixi`. Of what `run` starts only pip is looked at.
pub(super) fn pixi(words: &[Text], at: Span) -> Vec<Does> {
    let Some((mut parts, command, rest)) = PIXI.command(words) else { return Vec::new() };
    match command.known() {
        Some("install" | "i" | "shell" | "shell-hook" | "s") => parts.extend(PIXI.parse(rest)),
        Some("run" | "r") => return run(parts, rest, at),
        // What is newest on that day is locked.
        Some("update" | "upgrade" | "lock" | "add" | "remove") => return vec![Does::Edit(Text::literal("pixi.lock", at))],
        _ => return Vec::new(),
    }
    project(&parts, at)
}

/// Brings the environment up to date, then starts a program in it.
fn run(mut parts: Vec<Part>, rest: &[Text], at: Span) -> Vec<Does> {
    let Some((of_run, command, arguments)) = PIXI.command(rest) else { return Vec::new() };
    parts.extend(of_run);
    let mut does = project(&parts, at);
    let known: Vec<_> = arguments.iter().take(2).map(|word| word.known().unwrap_or_default()).collect();
    let mut by_pip = match (command.known(), known.as_slice()) {
        (Some("pip"), _) => pip::pip(arguments),
        (Some("python"), ["-m", "pip"]) => pip::pip(&arguments[2..]),
        _ => Vec::new(),
    };
    let environment = does.iter().find_map(|does| if let Does::Install(it) = does { it.flags.environment.clone() } else { None });
    for does in &mut by_pip {
        if let Does::Install(it) = does {
            it.target = Target::Own(Tool::Pixi);
            it.flags.environment = environment.clone();
        }
    }
    does.extend(by_pip);
    does
}

fn project(parts: &[Part], at: Span) -> Vec<Does> {
    let mut folder = Text::literal(".", at);
    let mut environments = Vec::new();
    for part in parts {
        match part {
            Part::Option { name: "--environment", value: Some(name), .. } => environments.push(name.clone()),
            Part::Option { name: "--manifest-path", value: Some(path), .. } => {
                let Some(known) = path.known() else { return Vec::new() };
                let above = known.strip_suffix("pixi.toml").or_else(|| known.strip_suffix("pyproject.toml"));
                folder = Text::literal(above.map_or(known, |above| if above.is_empty() { "." } else { above }), path.at);
            }
            // Which environments there are, the manifest says; what is left out is not known.
            Part::Option {
                name: "--all" | "--no-install" | "--skip" | "--skip-with-deps" | "--only" | "--workspace", ..
            } => {
                return Vec::new();
            }
            _ => {}
        }
    }
    let install = |environment: Option<Text>| {
        Does::Install(Install {
            tool: Tool::Pixi,
            asks: Vec::new(),
            reads: vec![Include { path: folder.clone(), how: How::Project }],
            indexes: Vec::new(),
            target: Target::Active,
            flags: InstallFlags { environment, ..InstallFlags::default() },
            line: None,
        })
    };
    match environments.is_empty() {
        true => vec![install(None)],
        false => environments.into_iter().map(|name| install(Some(name))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::pip::tests::{show, words};
    use super::*;
    use crate::source::FileId;

    #[test]
    fn commands() {
        for (line, want) in [
            ("install --locked", "Pixi Project:."),
            ("install -e gpu -e test", "Pixi Project:. environment:gpu; Pixi Project:. environment:test"),
            ("run --frozen -e gpu python -e x", "Pixi Project:. environment:gpu"),
            ("run -e gpu pip install torch", "Pixi Project:. environment:gpu; Pip torch environment:gpu own:Pixi"),
            ("run --manifest-path sub/pixi.toml train", "Pixi Project:sub/"),
            ("install --all", ""),
            ("task list", ""),
            ("", ""),
        ] {
            assert_eq!(show(&pixi(&words(line), Span::new(FileId(0), 0, line.len()))), want, "{line}");
        }
        assert!(matches!(&pixi(&words("update"), Span::new(FileId(0), 0, 6))[..], [Does::Edit(_)]));
    }
}
