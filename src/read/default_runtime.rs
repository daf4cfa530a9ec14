//! What makes `nvidia` the runtime of every container that names none: a daemon's settings, wherever they are written.

use crate::outline::{Act, Does, Kind, When};
use crate::source::{FileId, Span};

/// Between the setting and its value stand no more bytes than this.
const NEAR: usize = 64;
/// Of a file so many lines that may say it are looked at.
const MOST: usize = 1_000;
/// A command is no longer than this.
const COMMAND: usize = 512;

/// The line that says so, in a file that runs commands, writes files, or is the daemon's own.
pub(super) fn find(kind: Kind, file: FileId, text: &str) -> Option<Act> {
    let writes = matches!(
        kind,
        Kind::Script
            | Kind::Rc
            | Kind::Dockerfile
            | Kind::Makefile
            | Kind::Workflow
            | Kind::Action
            | Kind::GitlabCi
            | Kind::Markdown
            | Kind::Kubernetes
            | Kind::ContainerDaemon
    );
    let settings = ["default-runtime", "default_runtime_name"].into_iter();
    let settings = settings.flat_map(|key| text.match_indices(key).map(move |(at, key)| (at, at + key.len())));
    let set = settings.filter(|(_, end)| {
        let value = text[*end..text.floor_char_boundary(*end + NEAR)].trim_start_matches(BETWEEN);
        value.strip_prefix("nvidia").is_some_and(|rest| !rest.starts_with('-'))
    });
    let option = "set-as-default";
    let commanded = text.match_indices(option).map(|(at, _)| (at, at + option.len())).filter(|(at, end)| {
        let command = &text[text.floor_char_boundary(at.saturating_sub(COMMAND))..*at];
        command.contains("nvidia-ctk") && !text[*end..].starts_with("=false")
    });
    let line = |(at, end): (usize, usize)| {
        let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
        let comment = text[start..at].trim_start().starts_with(['#', '/']) && kind != Kind::Markdown;
        (!comment).then(|| Span::new(file, start, text[end..].find('\n').map_or(text.len(), |n| end + n)))
    };
    let at = set.chain(commanded).filter(|_| writes).take(MOST).find_map(line)?;
    Some(Act { at, when: When::default(), does: Does::DefaultRuntime })
}

/// What stands between a setting and its value in JSON, YAML, TOML, a shell's quotes and jq.
const BETWEEN: &[char] = &['"', '\'', '\\', ' ', ':', '=', ']', '\t', '\r', '\n'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_set_it() {
        let found = |kind, text: &str| find(kind, FileId(0), text).is_some();
        for (text, sets) in [
            ("sudo nvidia-ctk runtime configure --runtime=docker --set-as-default\n", true),
            ("nvidia-ctk runtime configure \\\n  --runtime=docker \\\n  --set-as-default", true),
            ("nvidia-ctk runtime configure --set-as-default=false", false),
            ("nvidia-ctk runtime configure --runtime=docker", false),
            ("# nvidia-ctk runtime configure --set-as-default", false),
            ("nvidia-ctk runtime configure --runtime=containerd --nvidia-set-as-default", true),
            ("update-alternatives --set-as-default", false),
            ("echo '{\"default-runtime\": \"nvidia\"}' > /etc/docker/daemon.json", true),
            ("echo \"{\\\"default-runtime\\\": \\\"nvidia\\\"}\"", true),
            ("jq '.[\"default-runtime\"]=\"nvidia\"' daemon.json", true),
            ("dockerd --default-runtime=nvidia", true),
            ("sed -i 's/default_runtime_name = \"runc\"/default_runtime_name = \"nvidia\"/'", true),
            ("{\"default-runtime\": \"runc\", \"runtimes\": {\"nvidia\": {}}}", false),
            ("default-runtime: nvidia-legacy", false),
            ("default-runtime", false),
            ("é --set-as-default é", false),
        ] {
            assert_eq!(found(Kind::Script, text), sets, "{text}");
            assert!(!found(Kind::Requirements, text), "{text}");
        }
        assert!(found(Kind::ContainerDaemon, "{\"default-runtime\":\n  \"nvidia\"}"));
        assert!(found(Kind::Markdown, "# set `default-runtime: nvidia`"));
    }
}
