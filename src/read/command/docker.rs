//! docker, podman, nvidia-docker: what is started, with which GPU, and what is built.

use super::super::container::{is_gpu_device, is_other_gpu, mount, parts};
use super::super::gpu_request;
use super::assignment;
use super::compose;
use crate::outline::{BuildOf, Does, GpuRequest, Launch, Launcher, Malformed, Misread, Mount, Piece, Scope, Text, Variable};
use crate::source::Span;

/// Options of `run` and `create` without a value.
const RUN_FLAGS: &[&str] = &[
    "--detach",
    "--disable-content-trust",
    "--help",
    "--init",
    "--interactive",
    "--no-healthcheck",
    "--no-hosts",
    "--oom-kill-disable",
    "--privileged",
    "--publish-all",
    "--quiet",
    "--read-only",
    "--replace",
    "--rm",
    "--rmi",
    "--rootfs",
    "--sig-proxy",
    "--tls-verify",
    "--tty",
    "--no-hostname",
    "--env-host",
    "--http-proxy",
    "--unsetenv-all",
];
/// Options of `start` without a value.
const START_FLAGS: &[&str] = &["--all", "--attach", "--interactive", "--sig-proxy"];
/// Options of `exec` without a value.
const EXEC_FLAGS: &[&str] = &["--detach", "--interactive", "--latest", "--privileged", "--tty"];
/// Options of `build` without a value.
const BUILD_FLAGS: &[&str] = &[
    "--no-cache",
    "--pull",
    "--push",
    "--load",
    "--rm",
    "--force-rm",
    "--squash",
    "--quiet",
    "--compress",
    "--help",
    "--check",
    "--debug",
    "--disable-content-trust",
    "--tls-verify",
    "--layers",
    "--squash-all",
    "--no-hosts",
];

/// As a context or a Dockerfile: what the command is given to read.
pub(in crate::read) const INPUT: &str = "-";

/// The command line of docker or podman.
pub(super) fn docker(words: &[Text], at: Span) -> Vec<Does> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let is = |name: &str| program.known().is_some_and(|program| program.ends_with(name));
    let mut rest = rest;
    // OCI hooks may be those of NVIDIA's toolkit, which gives a GPU by them.
    let mut hooks = false;
    let mut verbs = 0;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        match word.known() {
            Some(
                "-H" | "--host" | "-c" | "--context" | "--config" | "-l" | "--log-level" | "--connection" | "--root"
                | "--runroot" | "--url",
            ) if verbs == 0 => {
                rest = rest.get(1..).unwrap_or_default();
            }
            Some("--hooks-dir") if verbs == 0 => {
                hooks = true;
                rest = rest.get(1..).unwrap_or_default();
            }
            Some(option) if option.starts_with('-') && verbs == 0 => hooks |= option.starts_with("--hooks-dir="),
            Some("container" | "image" | "builder" | "buildx") if verbs == 0 => verbs = 1,
            Some("start") if verbs < 2 => return vec![Does::Start(started(rest))],
            Some(verb @ ("run" | "create")) => {
                let mut launch = Launch { made: verb == "create", ..run(rest, program.at, is("podman")) };
                launch.open |= hooks;
                if is("nvidia-docker") {
                    launch.by_hook(program.at);
                }
                return vec![Does::Launch(Box::new(launch))];
            }
            Some("build") => return build(rest, program.at, at, is("podman")),
            Some("compose") if verbs == 0 => return compose::compose(rest, program.at),
            _ => break,
        }
    }
    Vec::new()
}

/// The container that a command is run in (`docker exec NAME pip …`), and that command.
pub(in crate::read) fn inside(words: &[Text]) -> Option<(&Text, &[Text])> {
    let (program, rest) = words.split_first()?;
    let program = program.known()?.rsplit('/').next()?;
    if !matches!(program, "docker" | "podman" | "nvidia-docker") {
        return None;
    }
    let rest = rest.split_first().filter(|(word, _)| word.known() == Some("container")).map_or(rest, |(_, rest)| rest);
    let (_, mut rest) = rest.split_first().filter(|(verb, _)| verb.known() == Some("exec"))?;
    while let Some(next) = next(&mut rest, EXEC_FLAGS, "dit") {
        if let Next::Operand(container) = next {
            return (!rest.is_empty()).then_some((container, rest));
        }
    }
    None
}

/// An option with its value, or the first word that is none.
pub(super) enum Next<'a> {
    Flag,
    Valued(&'a str, Text, Span),
    /// Words that are known only when run.
    Unread,
    Operand(&'a Text),
}

/// Reads one option off `rest`; `short` are letters without a value.
pub(super) fn next<'a>(rest: &mut &'a [Text], flags: &[&str], short: &str) -> Option<Next<'a>> {
    let (word, after) = rest.split_first()?;
    *rest = after;
    let first = match word.pieces.first() {
        Some(Piece::Literal(first)) => first.as_str(),
        None => "",
        _ => return Some(Next::Operand(word)),
    };
    if !first.starts_with('-') || first == "-" {
        return Some(Next::Operand(word));
    }
    let valued = |name: &'a str, rest: &mut &'a [Text]| match rest.split_first() {
        Some((value, after)) => {
            *rest = after;
            Next::Valued(name, value.clone(), word.at.to(value.at))
        }
        None => Next::Unread,
    };
    if first.starts_with("--") {
        return Some(match first.split_once('=') {
            Some((name, _)) => Next::Valued(name, behind(word, name.len() + 1), word.at),
            None if word.known().is_none() => Next::Unread,
            None if flags.contains(&first) => Next::Flag,
            None => valued(first, rest),
        });
    }
    for (i, letter) in first.char_indices().skip(1) {
        if short.contains(letter) {
            continue;
        }
        let name = &first[i..i + letter.len_utf8()];
        let attached = behind(word, i + letter.len_utf8());
        let attached = match attached.pieces.first() {
            Some(Piece::Literal(text)) if text.starts_with('=') => behind(&attached, 1),
            _ => attached,
        };
        return Some(if attached.pieces.is_empty() { valued(name, rest) } else { Next::Valued(name, attached, word.at) });
    }
    Some(if word.known().is_some() { Next::Flag } else { Next::Unread })
}

/// The text behind its first bytes, which are literal.
fn behind(word: &Text, bytes: usize) -> Text {
    let mut pieces = word.pieces.clone();
    if let Some(Piece::Literal(first)) = pieces.first_mut() {
        let kept = first.get(bytes..).unwrap_or_default().to_owned();
        if kept.is_empty() {
            pieces.remove(0);
        } else {
            *first = kept;
        }
    }
    Text { pieces, at: word.at }
}

fn run(words: &[Text], key: Span, podman: bool) -> Launch {
    let mut out = Launch::new(Launcher::DockerRun, key);
    let mut rest = words;
    let (mut by_runtime, mut privileged) = (None, false);
    while let Some(word) = rest.first() {
        if let Some(malformed) = gpu_request::docker::word(word) {
            out.by_hook(word.at);
            out.malformed.push(malformed);
            rest = behind_request(word, &rest[1..]);
            continue;
        }
        privileged |= matches!(word.known(), Some("--privileged" | "--privileged=true"));
        let Some(next) = next(&mut rest, RUN_FLAGS, "ditPq") else { break };
        match next {
            Next::Flag => {}
            Next::Unread => out.open = true,
            // It gives what a variable says.
            Next::Valued("--runtime", value, at) if value.known().is_some_and(|value| value.starts_with("nvidia")) => {
                by_runtime = Some(at);
            }
            // Podman takes `--gpus` for names in CDI:
            // <https://github.com/containers/podman/blob/c6580b4a5219c9efb9ab79a540637d8a58b736f8/libpod/container_internal_common.go>.
            Next::Valued("--gpus", value, at) if asks_gpus(&value) => {
                if podman {
                    out.by_device(at);
                } else {
                    out.by_hook(at);
                    out.terms = value.known().map(gpu_request::docker::terms).unwrap_or_default();
                    out.malformed.extend(value.known().and_then(|known| gpu_request::docker::value(known, at)));
                }
            }
            Next::Valued(name, value, at) => option(&mut out, name, value, at),
            Next::Operand(word) if !is_image(word, rest) => out.open = true,
            Next::Operand(word) => {
                out.image = Some(word.clone());
                out.command = rest.to_vec();
                out.idle = Launch::only_tells(out.entrypoint.as_deref(), rest);
                break;
            }
        }
    }
    if let Some(at) = by_runtime {
        let asked = matches!(out.gpu, GpuRequest::Asked(_));
        match (Launch::hides_gpus(&out.environment), Launch::names_devices(&out.environment)) {
            (true, _) | (_, true) if asked => {}
            (true, _) => out.gpu = GpuRequest::Declined,
            (_, true) => out.by_device(at),
            _ if asked => out.unchecked = false,
            _ => {
                out.by_hook(at);
                out.terms.by_runtime = true;
            }
        }
    }
    out.terms.privileged = privileged;
    out
}

/// What follows a name like that of `--gpus`, behind the value that was meant for it.
fn behind_request<'w>(word: &Text, rest: &'w [Text]) -> &'w [Text] {
    let alone = word.known().is_some_and(|word| !word.contains(['=', ' ']));
    let value = |next: &Text| next.known().is_some_and(|next| next == "all" || next.parse::<u32>().is_ok() || next.contains('='));
    if alone && rest.first().is_some_and(value) { &rest[1..] } else { rest }
}

/// The containers that `docker start` names.
fn started(words: &[Text]) -> Vec<Text> {
    let (mut found, mut rest) = (Vec::new(), words);
    while let Some(next) = next(&mut rest, START_FLAGS, "ai") {
        if let Next::Operand(word) = next {
            found.push(word.clone());
        }
    }
    found
}

/// `$IMAGE` among options is the image, `$GPU_ARGS` is not; a last word always is.
fn is_image(word: &Text, rest: &[Text]) -> bool {
    match word.pieces.as_slice() {
        // A command in its place, which builds it.
        [Piece::Variable { name, .. }] if name.starts_with('(') => true,
        [Piece::Variable { name, instead: None, .. }] => {
            let name = name.to_ascii_uppercase();
            let options = ["OPT", "ARG", "FLAG", "GPU", "PARAM", "VOLUME", "MOUNT", "ENV", "PORT"];
            rest.is_empty()
                || ["IMAGE", "IMG", "TAG"].iter().any(|n| name.contains(n))
                || !options.iter().any(|n| name.contains(n)) && {
                    rest.iter().all(|w| w.known().is_some_and(|w| !w.starts_with('-')))
                }
        }
        [Piece::Variable { .. } | Piece::Opaque] => rest.is_empty(),
        [] => false,
        _ => true,
    }
}

fn asks_gpus(value: &Text) -> bool {
    value.known().is_none_or(|value| !matches!(value, "" | "0" | "none"))
}

fn option(out: &mut Launch, name: &str, value: Text, at: Span) {
    let known = value.known().unwrap_or_default();
    if name == "--device" && is_gpu_device(known) {
        out.by_device(at);
    } else if name == "--device" && is_other_gpu(known) && out.gpu == GpuRequest::None {
        out.gpu = GpuRequest::Optional(at);
    }
    match name {
        "--platform" => out.platforms = vec![value],
        "--hooks-dir" => out.open = true,
        "--runtime" | "--device" if value.known().is_none() => out.open = true,
        "--name" => out.name = value.known().map(str::to_owned),
        "--entrypoint" => out.entrypoint = Some(if value.pieces.is_empty() { vec![] } else { vec![value] }),
        "--env-file" => out.environment_files.push(value),
        "v" | "--volume" => out.mounts.extend(mount(&value)),
        "--mount" => out.mounts.extend(mounted(&value)),
        "w" | "--workdir" => out.folder = Some(value),
        "e" | "--env" => out.environment.extend(variable(&value, Scope::Environment)),
        _ => {}
    }
}

/// `type=bind,source=.,target=/app`.
fn mounted(value: &Text) -> Option<Mount> {
    let named: Vec<_> = parts(value, ',').iter().filter_map(assignment).collect();
    let of = |names: &[&str]| named.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value.clone());
    let bind = of(&["type"]).is_some_and(|kind| kind.known() == Some("bind"));
    Some(Mount { from: of(&["source", "src"]).filter(|_| bind)?, to: of(&["target", "dst", "destination"])? })
}

/// `name=what` of a build context; a name may be an image's.
pub(in crate::read) fn context_of(word: &Text) -> Option<(String, Text)> {
    let Some(Piece::Literal(first)) = word.pieces.first() else { return None };
    let (name, _) = first.split_once('=').filter(|(name, _)| !name.is_empty())?;
    Some((name.to_owned(), behind(word, name.len() + 1)))
}

/// `A=b`, or `A` alone.
pub(super) fn variable(word: &Text, scope: Scope) -> Option<Variable> {
    match assignment(word) {
        Some((name, value)) => Some(Variable { name, value: Some(value), scope }),
        None => {
            word.known().filter(|name| !name.contains('=')).map(|name| Variable { name: name.to_owned(), value: None, scope })
        }
    }
}

fn build(words: &[Text], key: Span, at: Span, podman: bool) -> Vec<Does> {
    let (mut tags, mut context, mut rest) = (Vec::new(), None, words);
    let mut of = BuildOf::of(Text::literal(".", at));
    let (mut open, mut platforms, mut malformed) = (false, Vec::new(), Vec::new());
    while let Some(next) = next(&mut rest, BUILD_FLAGS, "qD") {
        match next {
            Next::Valued("t" | "--tag", tag, _) => tags.push(tag),
            Next::Valued("f" | "--file", file, _) => of.dockerfile = Some(file),
            Next::Valued("--platform", platform, _) => platforms.push(platform),
            Next::Valued("--target", target, _) => of.target = Some(target),
            Next::Valued("--build-arg", argument, _) => match variable(&argument, Scope::Arg) {
                Some(argument) => of.arguments.push(argument),
                None => of.unread_arguments = true,
            },
            Next::Valued("--build-context", context, _) => match context_of(&context) {
                Some(context) => of.contexts.push(context),
                None => of.unread_arguments = true,
            },
            // Measured: `docker build --gpus all .` of Docker 28.2.2.
            Next::Valued(option @ ("--gpus" | "--gpu"), _, at) if !podman => {
                malformed.push(Malformed { at, how: Misread::NotOfBuild(option.to_owned()) });
            }
            // Of podman: a file of them.
            Next::Valued("--build-arg-file", ..) => of.unread_arguments = true,
            Next::Flag | Next::Valued(..) => {}
            Next::Unread => open = true,
            Next::Operand(word) => {
                let unsure = context.is_some() || !matches!(word.pieces.as_slice(), [Piece::Literal(_), ..]);
                open |= unsure;
                context = Some(word.clone());
            }
        }
    }
    let Some(context) = context else { return Vec::new() };
    if context.known() == Some(INPUT) {
        // What it is given is the Dockerfile; nothing else is there.
        of.dockerfile = Some(context.clone());
    }
    of.context = context;
    // What is not known may be more of them.
    of.unread_arguments |= open;
    let launch_of = |image: Option<Text>| {
        let launch = Launch {
            image,
            build: Some(of.clone()),
            platforms: platforms.clone(),
            malformed: malformed.clone(),
            open,
            ..Launch::new(Launcher::DockerBuild, key)
        };
        Does::Launch(Box::new(launch))
    };
    if tags.is_empty() { vec![launch_of(None)] } else { tags.into_iter().map(|tag| launch_of(Some(tag))).collect() }
}
