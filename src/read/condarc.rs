//! conda's configuration: <https://docs.conda.io/projects/conda/en/stable/user-guide/configuration/settings.html>.

use super::syntax::interpolation::node_text;
use super::syntax::yaml::{Node, Tree};
use crate::notation::match_spec::MatchSpec;
use crate::outline::{Act, Does, IndexKind, IndexLine, Language, Outline, Requirement, Role, When};
use crate::source::FileId;

/// Reads channels, and packages that every install is held to.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut acts = Vec::new();
    let always = |node: Node<'_>, does| Act { at: node.body(), when: When::default(), does };
    for root in tree.documents() {
        for node in root.get("channels").into_iter().flat_map(Node::items) {
            let line = node_text(node).map(|url| IndexLine { url, kind: IndexKind::Channel, name: None, explicit: false });
            acts.extend(line.map(|line| always(node, Does::Index(line))));
        }
        for node in root.get("pinned_packages").into_iter().flat_map(Node::items) {
            let Some(written) = node_text(node) else { continue };
            if written.known().is_some_and(|text| MatchSpec::parse(text).is_err()) {
                continue;
            }
            let does = Does::Require(Requirement { written, language: Language::MatchSpec, role: Role::Bounds });
            acts.push(always(node, does));
        }
    }
    tree.outline(acts, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file() {
        let text = "channels:\n  - pytorch\n  - https://e.example/conda-forge # mirror\nchannel_priority: strict\npinned_packages:\n  - cudatoolkit=11.3\n  - a b c d\n";
        let show = |text: &str| -> Vec<String> {
            let act = |act: &Act| match &act.does {
                Does::Index(line) => format!("{:?} {}", line.kind, &text[line.url.at.range()]),
                Does::Require(r) => format!("{:?} {}", r.role, &text[r.written.at.range()]),
                other => format!("{other:?}"),
            };
            read(FileId(0), text).acts.iter().map(act).collect()
        };
        assert_eq!(show(text), ["Channel pytorch", "Channel https://e.example/conda-forge", "Bounds cudatoolkit=11.3"]);
        for end in 0..text.len() {
            show(&text[..end]);
        }
        assert!(show("channels: pytorch\n").is_empty() && show("[]").is_empty());
    }
}
