//! Compose (<https://docs.docker.com/reference/cli/docker/compose/>): which files it reads together, and services that are run
//! otherwise than their files say.

use super::docker::{Next, next, variable};
use crate::outline::{Does, Launch, Launcher, Piece, Place, Scope, Text, Together};
use crate::source::Span;

/// Options without a value, of compose itself and of `run`.
const FLAGS: &[&str] = &[
    "--all-resources",
    "--compatibility",
    "--dry-run",
    "--verbose",
    "--build",
    "--detach",
    "--interactive",
    "--no-deps",
    "--no-TTY",
    "--no-tty",
    "--privileged",
    "--quiet",
    "--quiet-build",
    "--quiet-pull",
    "--remove-orphans",
    "--rm",
    "--service-ports",
    "--use-aliases",
];
/// Those of one letter, of `run` and `exec`.
const SHORT: &str = "dTitP";
/// Commands that neither build nor start anything.
const IDLE: &[&str] = &["config", "convert", "down", "images", "kill", "logs", "ls", "ps", "rm", "stop", "top", "version"];

/// `docker compose -f a.yml -f b.yml run --entrypoint x service`, from the word behind `compose` on.
pub(super) fn compose(words: &[Text], key: Span) -> Vec<Does> {
    let (mut rest, mut together) = (words, Together::default());
    let verb = loop {
        match next(&mut rest, FLAGS, "") {
            Some(Next::Valued("f" | "--file", file, _)) => together.files.push(file),
            Some(Next::Valued("--env-file", file, _)) => together.environment_files.push(file),
            Some(Next::Flag | Next::Valued(..)) => {}
            Some(Next::Operand(verb)) => break verb,
            Some(Next::Unread) | None => return Vec::new(),
        }
    };
    if verb.known().is_none_or(|verb| IDLE.contains(&verb)) {
        return Vec::new();
    }
    // What is run in a container that is there says which files its service stands in only where it names them.
    let told = verb.known() != Some("exec") || together != Together::default();
    let mut does: Vec<Does> = told.then_some(Does::Together(together)).into_iter().collect();
    if verb.known() == Some("run") {
        does.extend(run(rest, key).map(|launch| Does::Launch(Box::new(launch))));
    }
    does
}

/// Where a command is run in a service's container (`docker compose exec SERVICE pip …`), and that command.
pub(in crate::read) fn inside(words: &[Text]) -> Option<(Place, &[Text])> {
    let (program, rest) = words.split_first()?;
    let mut rest = match program.known()?.rsplit('/').next()? {
        "docker-compose" | "podman-compose" => rest,
        "docker" | "podman" => rest.split_first().filter(|(word, _)| word.known() == Some("compose"))?.1,
        _ => return None,
    };
    let mut verb: Option<&Text> = None;
    while let Some(next) = next(&mut rest, FLAGS, if verb.is_some() { SHORT } else { "" }) {
        match (next, verb) {
            (Next::Operand(word), None) => verb = Some(word).filter(|verb| matches!(verb.known(), Some("exec" | "run"))),
            (Next::Operand(service), Some(verb)) => {
                let place = Place::Service { name: service.clone(), anew: verb.known() == Some("run") };
                return (!rest.is_empty()).then_some((place, rest));
            }
            _ => continue,
        }
        verb?;
    }
    None
}

/// The files that a part of such a command names which a variable gathers: `FILES="$FILES -f gpu.yml"`. Those that stand in
/// pieces are not known.
pub(in crate::read) fn gathered(value: &[Text]) -> Vec<Text> {
    let (mut found, mut before) = (Vec::new(), false);
    for text in value {
        for piece in &text.pieces {
            let Piece::Literal(part) = piece else {
                before = false;
                continue;
            };
            for word in part.split_whitespace() {
                let attached = ["--file=", "-f="].iter().find_map(|option| word.strip_prefix(option));
                let file = attached.or_else(|| Some(word).filter(|_| std::mem::take(&mut before)));
                before = matches!(word, "-f" | "--file");
                let is_file = |file: &&str| file.ends_with(".yml") || file.ends_with(".yaml");
                found.extend(file.filter(is_file).map(|file| Text::literal(file, text.at)));
            }
        }
    }
    found
}

/// A service that is run once, where it is not run as its file says.
fn run(words: &[Text], key: Span) -> Option<Launch> {
    let mut rest = words;
    let mut launch = Launch { open: true, ..Launch::new(Launcher::Compose, key) };
    while let Some(next) = next(&mut rest, FLAGS, SHORT) {
        match next {
            Next::Valued("e" | "--env", value, _) => launch.environment.extend(variable(&value, Scope::Environment)),
            Next::Valued("--env-from-file", file, _) => launch.environment_files.push(file),
            Next::Valued("--entrypoint", value, _) => launch.entrypoint = Some(vec![value]),
            Next::Flag | Next::Unread | Next::Valued(..) => {}
            Next::Operand(service) => {
                launch.name = Some(service.known()?.to_owned());
                launch.command = rest.to_vec();
                break;
            }
        }
    }
    let given = !launch.environment.is_empty() || !launch.environment_files.is_empty();
    let changed = launch.entrypoint.is_some() || !launch.command.is_empty() || given;
    (changed && launch.name.is_some()).then_some(launch)
}
