//! `uses:`: actions and workflows of the root, and the actions that set an environment up.

use super::Run;
use crate::outline::{
    Act, BuildOf, Does, How, Include, Install, InstallFlags, Launch, Launcher, Piece, Place, Scope, SystemPackages, Target, Text,
    Tool, Use, Variable, input_name,
};
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
            if let Some(path) = with("environment-file").filter(|t| t.known() != Some("false")) {
                let install = Install {
                    tool: Tool::Conda,
                    asks: Vec::new(),
                    reads: vec![Include { path: path.clone(), how: How::CondaEnvironment }],
                    indexes: Vec::new(),
                    target: target.clone().map_or(Target::Active, Target::Named),
                    flags: InstallFlags { creates: true, ..InstallFlags::default() },
                };
                acts.push(run.act(path.at, Does::Install(install)));
            }
            acts.extend(target.map(|t| run.act(t.at, Does::Enter(Place::CondaEnvironment(t)))));
            acts
        }
        "docker/build-push-action" => vec![run.act(node.at(), built(node, step, run))],
        "Jimver/cuda-toolkit" if !windows => toolkit(with("cuda")).map_or_else(Vec::new, |(package, folder)| {
            let packages = SystemPackages { manager: "apt".to_owned(), names: vec![package.clone()], removes: false };
            vec![run.act(package.at, Does::System(packages)), sets("CUDA_PATH", folder)]
        }),
        _ => Vec::new(),
    }
}

/// The Dockerfile that an action builds; without a context it is the root's.
fn built(node: Node<'_>, step: Node<'_>, run: &Run<'_>) -> Does {
    let with = |key: &str| step.path(&["with", key]).and_then(|n| run.text(n));
    let arguments = step.path(&["with", "build-args"]).into_iter().flat_map(|list| {
        let lines = list.text().unwrap_or_default().lines().filter_map(|line| line.trim().split_once('='));
        lines.map(move |(name, value)| Variable {
            name: name.trim().to_owned(),
            value: Some(run.row.text(value, list.body())),
            scope: Scope::Arg,
        })
    });
    let build = BuildOf {
        context: with("context").unwrap_or_else(|| Text::literal(".", node.at())),
        dockerfile: with("file"),
        target: with("target"),
        arguments: arguments.collect(),
    };
    Does::Launch(Box::new(Launch { build: Some(build), ..Launch::new(Launcher::DockerBuild, node.at()) }))
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
