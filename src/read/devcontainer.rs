//! `devcontainer.json`: one launch.

use std::ops::Range;

use super::container::{GpuOptions, gpu_options, option_values, option_variables, variables};
use super::syntax::interpolation::node_text;
use super::syntax::yaml::{Node, Tree};
use super::{command, scalar, shell};
use crate::outline::{
    Act, BuildOf, Does, Feature, GpuRequest, How, Include, Launch, Launcher, Outline, Place, Scope, Terms, Text, Together, When,
};
use crate::source::FileId;

/// Reads a dev container: JSON with comments and trailing commas.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (masked, comments) = mask(text);
    let tree = Tree::read_masked(file, text, &masked);
    let mut acts = Vec::new();
    if let Some((root, act)) = tree.documents().find_map(|root| Some((root, launch(root, tree.is_torn_in(&(0..text.len())))?))) {
        acts.push(act);
        let always = |at, does| Act { at, when: When::default(), does };
        let files = root.get("dockerComposeFile").into_iter();
        let files = files.flat_map(|node| if node.is_list() { node.items() } else { vec![node] }).filter_map(node_text);
        let files: Vec<Text> = files.collect();
        if let ([first, ..], [.., last]) = (files.as_slice(), files.as_slice()) {
            acts.push(always(first.at.to(last.at), Does::Together(Together::of(files.clone()))));
        }
        acts.extend(files.into_iter().map(|path| always(path.at, Does::Include(Include { path, how: How::Compose }))));
        for (key, options) in root.get("features").map(Node::entries).unwrap_or_default() {
            let version = if options.is_map() { options.get("version") } else { Some(options) };
            let name = key.text().map(|name| Text::literal(name, key.body()));
            let feature = name.map(|name| Feature { name, version: version.and_then(node_text) });
            acts.extend(feature.map(|feature| always(key.at().to(options.at()), Does::Feature(feature))));
        }
        for command in COMMANDS.iter().filter_map(|key| root.get(key)) {
            // The commands of an object run beside each other.
            let all =
                if command.is_map() { command.entries().into_iter().map(|(_, value)| value).collect() } else { vec![command] };
            all.into_iter().for_each(|command| run(command, &mut acts));
        }
    }
    tree.outline(acts, comments)
}

/// What runs in the container once it is there, in this order (<https://containers.dev/implementors/json_reference/>).
const COMMANDS: &[&str] =
    &["onCreateCommand", "updateContentCommand", "postCreateCommand", "postStartCommand", "postAttachCommand"];

/// A command: a text that a shell reads, or a list of words.
fn run(command: Node<'_>, acts: &mut Vec<Act>) {
    let at = command.at();
    let said = if command.is_list() {
        let words: Vec<Text> = command.items().into_iter().filter_map(node_text).collect();
        command::read(&words, at).into_iter().map(|does| Act { at, when: When::default(), does }).collect()
    } else {
        scalar::excerpt(command).map(|script| shell::read_excerpt(&shell::joined(&script)).acts).unwrap_or_default()
    };
    if !said.is_empty() {
        let enter = |place| Act { at, when: When::default(), does: Does::Enter(place) };
        acts.push(enter(Place::Subshell));
        acts.extend(said);
        acts.push(enter(Place::Back));
    }
}

fn launch(root: Node<'_>, torn: bool) -> Option<Act> {
    let of = |node: Node<'_>, key: &str| node.get(key).and_then(node_text);
    let image = root.pair("image");
    let build = root.pair("build").filter(|(_, node)| node.is_map());
    let dockerfile = root.pair("dockerFile");
    let compose = root.pair("dockerComposeFile");
    let (key, _) = image.or(build).or(dockerfile).or(compose)?;
    let here = || Text::literal(".", key.at());
    let build = match (build, dockerfile) {
        (Some((_, node)), _) => Some(BuildOf {
            dockerfile: of(node, "dockerfile").or_else(|| of(node, "dockerFile")),
            target: of(node, "target"),
            arguments: node.get("args").map(|n| variables(n, Scope::Arg)).unwrap_or_default(),
            ..BuildOf::of(of(node, "context").unwrap_or_else(here))
        }),
        (None, Some((_, node))) => {
            Some(BuildOf { dockerfile: node_text(node), ..BuildOf::of(of(root, "context").unwrap_or_else(here)) })
        }
        (None, None) => None,
    };
    let options: Vec<_> = root.get("runArgs").into_iter().flat_map(Node::items).filter_map(node_text).collect();
    let GpuOptions { asked, by_device, malformed, open } = gpu_options(&options);
    let required = root.path(&["hostRequirements", "gpu"]);
    let gpu = match (asked, required) {
        (Some(at), _) => GpuRequest::Asked(at),
        (None, Some(node)) if node.text() == Some("optional") => GpuRequest::Optional(node.at()),
        (None, Some(node)) if node.text() == Some("true") || node.is_map() => GpuRequest::Asked(node.at()),
        _ => GpuRequest::None,
    };
    let built_with = root.path(&["build", "options"]).into_iter().flat_map(Node::items).filter_map(node_text);
    let platforms = option_values("--platform", options.iter().cloned().chain(built_with));
    let (given, unread_environment) = option_variables(&options);
    let environment = ["containerEnv", "remoteEnv"].iter().filter_map(|k| root.get(k));
    let launch = Launch {
        by: Launcher::Devcontainer,
        name: compose.and_then(|_| root.get("service")?.text()).map(str::to_owned),
        key: key.at(),
        image: image.and_then(|(_, node)| node_text(node)),
        build,
        platforms: platforms.collect(),
        gpu,
        terms: Terms::default(),
        malformed,
        // What it requires, it asks for by `--gpus`.
        unchecked: by_device && required.is_none(),
        command: Vec::new(),
        entrypoint: None,
        mounts: Vec::new(),
        shares_files: false,
        folder: None,
        extends: None,
        profiles: Vec::new(),
        environment: environment.flat_map(|n| variables(n, Scope::Environment)).chain(given).collect(),
        environment_files: Vec::new(),
        unread_environment,
        config_maps: Vec::new(),
        pod: None,
        object: None,
        gpu_node: None,
        nodes: Vec::new(),
        // The compose file may ask for what is not asked here.
        open: open || torn || compose.is_some(),
        idle: false,
        made: false,
    };
    Some(Act { at: root.at(), when: When::default(), does: Does::Launch(Box::new(launch)) })
}

/// The text with comments, and tabs outside strings, as blanks; and where the comments stand.
fn mask(text: &str) -> (String, Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let (mut out, mut comments) = (String::with_capacity(text.len()), Vec::new());
    let (mut at, mut done, mut string) = (0, 0, false);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = match (string, rest) {
            (true, [b'\\', _, ..]) => {
                at += 2;
                continue;
            }
            // A string ends on its line; what follows a half-typed one is read again.
            (true, [b'"' | b'\n', ..]) | (false, [b'"', ..]) => {
                string = !string;
                at += 1;
                continue;
            }
            (false, [b'/', b'/', ..]) => rest.iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n),
            (false, [b'/', b'*', ..]) => text[at + 2..].find("*/").map_or(bytes.len(), |n| at + 2 + n + 2),
            (false, [b'\t', ..]) => at + 1,
            _ => {
                at += 1;
                continue;
            }
        };
        if bytes[at] == b'/' {
            comments.push(at..at + text[at..end].trim_end().len());
        }
        out.push_str(&text[done..at]);
        out.extend(text[at..end].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        (at, done) = (end, end);
    }
    out.push_str(&text[done..]);
    (out, comments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch_of(text: &str) -> Option<Launch> {
        let outline = read(FileId(0), text);
        outline.acts.into_iter().next().map(|act| match act.does {
            Does::Launch(launch) => *launch,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn comments_and_commas() {
        let text = "// top\n{\n\t\"image\": \"a:1\", /* \"x\": 1 */\n\t// cudalint: ignore[gpu-not-requested]\n\t\"runArgs\": [\"--gpus\", \"all\", ], // \"y\"\n\t\"containerEnv\": { \"U\": \"http://x//y\" },\n}\n";
        let launch = launch_of(text).expect("a launch");
        assert_eq!(launch.image.expect("an image").known(), Some("a:1"));
        assert_eq!(&text[launch.key.range()], "\"image\"");
        assert_eq!(launch.environment[0].value.as_ref().and_then(Text::known), Some("http://x//y"));
        assert!(matches!(launch.gpu, GpuRequest::Asked(at) if &text[at.range()] == "--gpus\", \"all"));
        let outline = read(FileId(0), text);
        assert_eq!((outline.ignores.len(), outline.torn.len()), (1, 0));
    }

    #[test]
    fn gpu_forms() {
        for (rest, asked) in [
            ("", "no"),
            ("\"runArgs\": [\"--gpus all\"]", "--gpus all"),
            ("\"runArgs\": [\"--gpus=all\"]", "--gpus=all"),
            ("\"runArgs\": [\"--device=nvidia.com/gpu=all\"]", "--device=nvidia.com/gpu=all"),
            ("\"runArgs\": [\"--runtime\", \"nvidia\"]", "--runtime\", \"nvidia"),
            ("\"runArgs\": [\"--gpus\", \"${localEnv:GPUS}\"]", "open"),
            ("\"hostRequirements\": {\"gpu\": true}", "true"),
            ("\"hostRequirements\": {\"gpu\": \"optional\"}", "optional"),
            ("\"hostRequirements\": {\"gpu\": {\"cores\": 1}}", "{\"cores\": 1}"),
            ("\"hostRequirements\": {\"gpu\": false}", "no"),
        ] {
            let text = format!("{{\"image\": \"x\", {rest}}}");
            let launch = launch_of(&text).expect("a launch");
            let shown = match launch.gpu {
                GpuRequest::Asked(at) => &text[at.range()],
                GpuRequest::Optional(_) => "optional",
                GpuRequest::None if launch.open => "open",
                GpuRequest::None | GpuRequest::Declined => "no",
            };
            assert_eq!(shown, asked, "{rest}");
        }
    }

    #[test]
    fn commands_that_run_in_it() {
        let text = "{\"image\": \"a\", \"postCreateCommand\": {\"x\": \"cd b && apt install c\", \"y\": [\"apt\", \"install\", \"d\"]},\n\"onCreateCommand\": \"apt install e\", \"postStartCommand\": \"bash -c \\\"apt install f\\\" && \\\\\\n apt install g\"}";
        let acts = read(FileId(0), text).acts;
        let shown: Vec<_> = acts[1..].iter().map(|act| crate::read::shell::rendering::act(act, text)).collect();
        assert_eq!(
            shown,
            ["(", "apt e", ")", "(", "cd b", "apt c", ")", "(", "apt d", ")", "(", "(", "apt f", ")", "apt g", ")"]
        );
    }

    #[test]
    fn variables_of_run_arguments() {
        for (arguments, shown) in [
            (r#""--gpus", "all", "--env", "A=1""#, "A=1"),
            (r#""-eA=1", "-e", "B=2", "--env=C=3""#, "A=1 B=2 C=3"),
            (r#""-e A=1", "--env", "B", "--entrypoint", "x=1""#, "A=1"),
            (r#""--env", "A=${localEnv:X}", "--env-file", ".env""#, "A=? unread"),
        ] {
            let launch = launch_of(&format!("{{\"image\": \"x\", \"runArgs\": [{arguments}]}}")).expect("a launch");
            let value = |v: &crate::outline::Variable| v.value.as_ref().and_then(|t| t.known().map(str::to_owned));
            let mut found: Vec<_> =
                launch.environment.iter().map(|v| format!("{}={}", v.name, value(v).as_deref().unwrap_or("?"))).collect();
            found.extend(launch.unread_environment.then(|| "unread".to_owned()));
            assert_eq!(found.join(" "), shown, "{arguments}");
        }
    }

    #[test]
    fn builds_and_compose() {
        let built = launch_of(
            "{\"build\": {\"dockerfile\": \"../D\", \"context\": \"..\", \"args\": {\"A\": \"1\"}, \"target\": \"t\"}}",
        );
        let build = built.and_then(|l| l.build).expect("a build");
        assert_eq!((build.context.known(), build.dockerfile.as_ref().and_then(Text::known)), (Some(".."), Some("../D")));
        assert_eq!((build.arguments.len(), build.target.as_ref().and_then(Text::known)), (1, Some("t")));
        let old = launch_of("{\"dockerFile\": \"D\"}").and_then(|l| l.build).expect("a build");
        assert_eq!((old.context.known(), old.dockerfile.as_ref().and_then(Text::known)), (Some("."), Some("D")));
        let compose = launch_of("{\"dockerComposeFile\": [\"c.yml\"], \"service\": \"dev\"}").expect("a launch");
        assert!(compose.open && compose.name.as_deref() == Some("dev") && compose.image.is_none());
        for text in ["", "{", "[]", "{}", "/*", "\"", "\u{feff}{}", "{\"image\""] {
            assert_eq!(launch_of(text), None, "{text:?}");
        }
    }
}
