//! Looking through a syntax tree or a text without recursion.

use std::ops::Range;
use std::sync::LazyLock;

use tree_sitter::{Language, Node, Tree};

/// The grammar's numbers of kinds that are looked for: all nodes are asked for theirs.
struct Kinds {
    comment: u16,
    function: u16,
    command: u16,
    substitutions: [u16; 2],
}

static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_bash::LANGUAGE);
    let kind = |name: &str| language.id_for_node_kind(name, true);
    Kinds {
        comment: kind("comment"),
        function: kind("function_definition"),
        command: kind("command"),
        substitutions: ["command_substitution", "process_substitution"].map(kind),
    }
});

/// All comments, in order.
pub(super) fn comments(tree: &Tree) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each(tree.root_node(), |node, kind| {
        if kind == KINDS.comment {
            found.push(node.byte_range());
        }
        true
    });
    found
}

/// All function definitions.
pub(super) fn functions(root: Node<'_>) -> Vec<Node<'_>> {
    of_kind(root, KINDS.function)
}

/// All commands under a node, itself among them.
pub(super) fn commands(node: Node<'_>) -> Vec<Node<'_>> {
    of_kind(node, KINDS.command)
}

fn of_kind(root: Node<'_>, wanted: u16) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each(root, |node, kind| {
        if kind == wanted {
            found.push(node);
        }
        true
    });
    found
}

/// The commands under a node that it runs itself, not to take their output.
pub(super) fn called(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each(node, |node, kind| {
        if kind == KINDS.command {
            found.push(node);
        }
        !KINDS.substitutions.contains(&kind)
    });
    found
}

/// The outermost command and process substitutions under a node.
pub(super) fn substitutions(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each(node, |node, kind| {
        let inner = KINDS.substitutions.contains(&kind);
        if inner {
            found.push(node);
        }
        !inner
    });
    found
}

/// Visits a node and all below it in order, each with the number of its kind; goes below one where `visit` says so.
fn each<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, u16) -> bool) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if visit(node, node.kind_id()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The lines that a line is continued with.
pub(super) fn continued(text: &str, line: Range<usize>) -> Range<usize> {
    let mut end = line.end;
    let ends_open = |end: usize| {
        let bare = text[line.start..end].trim_end_matches(['\n', '\r']);
        bare.ends_with('\\') && end < text.len()
    };
    while ends_open(end) {
        end += text[end..].find('\n').map_or(text.len() - end, |n| n + 1);
    }
    line.start..end
}
