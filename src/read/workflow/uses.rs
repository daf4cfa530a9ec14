//! `uses:`: actions and workflows of the root, and the actions that set an environment up.

use super::Run;
use crate::outline::{
    Act, BuildOf, Does, How, Include, Install, InstallFlags, Launch, Launcher, Piece, Place, Scope, SystemPackages, Target, Text,
    Tool, Use, Variable, input_name,
};
use crate::read::command;
use crate::read::shell::word::push_literal;
use crate::read::syntax::yaml::Node;

/// The path of an action or workflow of the root.
pub(super) fn local(node: Node<'_>) -> Option<Text> {
    let path = node.text().filter(|path| path.starts_with("./"))?;
    Some(Text::literal(path, node.body()))
}

/// What a caller gives; of inputs that are put into scripts only single words are known.
pub(super) fn with(of: Node<'_>, run: &Run<'_>) -> Vec<Variable> {
    let entries = of.get("with").map(Node::entries).unwrap_or_default().into_iter();
    let input = |(key, value): (Node<'_>, Node<'_>)| {
        let name = input_name(key.text()?);
        let value = run.text(value).map_or_else(|| Text { pieces: vec![Piece::Opaque], at: value.at() }, one_word);
        Some(Variable { name, value: Some(value), scope: Scope::Shell })
    };
    entries.filter_map(input).collect()
}

/// The text if the shell would take it for one word: `${{ inputs.x }}` is put into scripts as it stands.
pub(super) fn one_word(mut text: Text) -> Text {
    let plain = |piece: &Piece| !matches!(piece, Piece::Literal(text) if text.contains(|c: char| c.is_whitespace() || "$`\"'\\;&|".contains(c)));
    if !text.pieces.iter().all(plain) {
        text.pieces = vec![Piece::Opaque];
    }
    text
}

/// A step with an action.
pub(super) fn used(node: Node<'_>, step: Node<'_>, run: &Run<'_>, windows: bool) -> Vec<Act> {
    if let Some(path) = local(node) {
        return vec![run.act(node.at(), Does::Use(Use { path, with: with(step, run) }))];
    }
    let name = node.text().unwrap_or_default().split('@').next().unwrap_or_default();
    let with = |key: &str| step.path(&["with", key]).and_then(|n| run.text(n));
    let python = || {
        let version = with("python-version").filter(|t| t.known().is_some_and(is_version));
        version.map(|t| run.act(t.at, Does::Python(t)))
    };
    let sets = |name: &str, value: Text| {
        let at = value.at;
        run.act(at, Does::Set(Variable { name: name.to_owned(), value: Some(value), scope: Scope::Environment }))
    };
    match name {
        "actions/setup-python" | "astral-sh/setup-uv" => python().into_iter().collect(),
        "conda-incubator/setup-miniconda" | "mamba-org/setup-micromamba" | "mamba-org/provision-with-micromamba" => {
            let mut acts: Vec<Act> = python().into_iter().collect();
            acts.extend(with("channels").map(|channels| sets("CONDA_CHANNELS", channels)));
            let target = with("activate-environment").or_else(|| with("environment-name"));
            let file = with("environment-file").filter(|t| t.known() != Some("false"));
            if let Some(path) = &file {
                let install = Install {
                    tool: Tool::Conda,
                    asks: Vec::new(),
                    reads: vec![Include { path: path.clone(), how: How::CondaEnvironment }],
                    indexes: Vec::new(),
                    target: target.clone().map_or(Target::Active, Target::Named),
                    flags: InstallFlags { creates: true, ..InstallFlags::default() },
                    line: None,
                };
                acts.push(run.act(path.at, Does::Install(install)));
            }
            if let Some(arguments) = with("create-args") {
                acts.extend(created(&arguments, target.as_ref()).into_iter().map(|does| run.act(arguments.at, does)));
            }
            let place = target.map(|name| (name.at, Place::CondaEnvironment(name)));
            // Without a name it is the file's own.
            let place = place.or_else(|| file.map(|path| (path.at, Place::CondaEnvironmentOf(path))));
            acts.extend(place.map(|(at, place)| run.act(at, Does::Enter(place))));
            acts
        }
        "Jimver/cuda-toolkit" if !windows => toolkit(with("cuda")).map_or_else(Vec::new, |(package, folder)| {
            let packages = SystemPackages { manager: "apt".to_owned(), names: vec![package.clone()], removes: false };
            vec![run.act(package.at, Does::System(packages)), sets("CUDA_PATH", folder)]
        }),
        _ if name.ends_with("/build-push-action") => built(node, step, run),
        _ => Vec::new(),
    }
}

/// What micromamba puts into the environment that it makes.
/// Source: <https://github.com/mamba-org/setup-micromamba>, "create-args".
fn created(arguments: &Text, name: Option<&Text>) -> Vec<Does> {
    let word = |text: &str| Text::literal(text, arguments.at);
    let mut words = vec![word("micromamba"), word("create")];
    words.extend(name.map(|name| [word("-n"), name.clone()]).into_iter().flatten());
    match arguments.known() {
        Some(text) => words.extend(text.split_whitespace().map(word)),
        None => words.push(arguments.clone()),
    }
    command::read(&words, arguments.at)
}

/// Whether the actions that set conda up make a shell start in the environment that they made: one that reads its start files,
/// or that micromamba starts.
/// Source: <https://github.com/mamba-org/setup-micromamba>, <https://github.com/conda-incubator/setup-miniconda>, "important".
pub(super) fn starts_in_conda(shell: Option<&str>) -> bool {
    let mut words = shell.unwrap_or_default().split_whitespace();
    let program = words.next().unwrap_or_default();
    let short = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('l');
    program == MICROMAMBA || words.any(|word| word == "--login" || short(word))
}

/// The shell that setup-micromamba writes, which runs its script by bash in the environment.
pub(super) const MICROMAMBA: &str = "micromamba-shell";

/// An image that a step builds, once for each of its names.
/// Source: <https://github.com/docker/build-push-action>, "inputs".
fn built(node: Node<'_>, step: Node<'_>, run: &Run<'_>) -> Vec<Act> {
    let with = |key: &str| step.path(&["with", key]).and_then(|n| run.text(n));
    let arguments = with("build-args").map(|text| lines(&text)).unwrap_or_default();
    let (named, other): (Vec<_>, Vec<_>) = arguments.iter().map(command::assignment).partition(Option::is_some);
    let named = named.into_iter().flatten();
    let build = BuildOf {
        context: with("context").map_or_else(|| Text::literal(".", node.at()), context),
        dockerfile: with("file"),
        inline: None,
        target: with("target"),
        arguments: named.map(|(name, value)| Variable { name, value: Some(value), scope: Scope::Arg }).collect(),
        unread_arguments: !other.is_empty(),
        contexts: with("build-contexts")
            .map(|text| lines(&text))
            .unwrap_or_default()
            .iter()
            .filter_map(command::docker::context_of)
            .collect(),
    };
    let platforms = with("platforms").map(|text| lines(&text)).unwrap_or_default();
    let launch = |image| {
        let platforms = platforms.clone();
        let launch = Launch { image, build: Some(build.clone()), platforms, ..Launch::new(Launcher::DockerBuild, node.at()) };
        run.act(node.at(), Does::Launch(Box::new(launch)))
    };
    let tags = with("tags").map(|text| lines(&text)).unwrap_or_default();
    if tags.is_empty() { vec![launch(None)] } else { tags.into_iter().map(|tag| launch(Some(tag))).collect() }
}

/// The repository itself, as the action has it when no other is named.
fn context(mut text: Text) -> Text {
    if let Some(Piece::Literal(first)) = text.pieces.first_mut()
        && let Some(rest) = first.strip_prefix("{{defaultContext}}")
    {
        *first = format!("./{}", rest.trim_start_matches(':'));
    }
    text
}

/// The lines of a text that hold anything.
fn lines(text: &Text) -> Vec<Text> {
    let mut lines = vec![Vec::new()];
    for piece in &text.pieces {
        let Piece::Literal(literal) = piece else {
            lines.last_mut().into_iter().for_each(|line| line.push(piece.clone()));
            continue;
        };
        for (n, part) in literal.split('\n').enumerate() {
            if n > 0 {
                lines.push(Vec::new());
            }
            let line = lines.last_mut();
            let part = if line.as_ref().is_some_and(|line| line.is_empty()) { part.trim_start() } else { part };
            line.into_iter().for_each(|line| push_literal(line, part));
        }
    }
    let kept = lines.into_iter().map(|mut pieces| {
        if let Some(Piece::Literal(last)) = pieces.last_mut() {
            last.truncate(last.trim_end().len());
        }
        pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
        Text { pieces, at: text.at }
    });
    kept.filter(|line| !line.pieces.is_empty()).collect()
}

/// The package and the folder of a toolkit: `12.4.1` is `cuda-toolkit-12-4` in `/usr/local/cuda-12.4`.
fn toolkit(version: Option<Text>) -> Option<(Text, Text)> {
    let version = version?;
    let mut parts = version.known()?.split('.');
    let (major, minor) = (parts.next()?.parse::<u16>().ok()?, parts.next()?.parse::<u16>().ok()?);
    let text = |text: String| Text::literal(text, version.at);
    Some((text(format!("cuda-toolkit-{major}-{minor}")), text(format!("/usr/local/cuda-{major}.{minor}"))))
}

/// `3.11`, `3.11.4`.
fn is_version(text: &str) -> bool {
    text.starts_with("3.") && text.split('.').count() <= 3 && text.split('.').all(|n| n.parse::<u16>().is_ok())
}
