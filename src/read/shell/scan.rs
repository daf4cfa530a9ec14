//! Looking through a syntax tree or a text without recursion.

use std::ops::Range;

use tree_sitter::{Node, Tree};

/// All comments, in order.
pub(super) fn comments(tree: &Tree) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each(tree.root_node(), |node| {
        if node.kind() == "comment" {
            found.push(node.byte_range());
        }
        true
    });
    found
}

/// All function definitions.
pub(super) fn functions(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each(root, |node| {
        if node.kind() == "function_definition" {
            found.push(node);
        }
        true
    });
    found
}

/// All commands under a node, itself among them.
pub(super) fn commands(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each(node, |node| {
        if node.kind() == "command" {
            found.push(node);
        }
        true
    });
    found
}

/// The commands under a node that it runs itself, not to take their output.
pub(super) fn called(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each(node, |node| {
        if node.kind() == "command" {
            found.push(node);
        }
        !matches!(node.kind(), "command_substitution" | "process_substitution")
    });
    found
}

/// The outermost command and process substitutions under a node.
pub(super) fn substitutions(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each(node, |node| {
        let inner = matches!(node.kind(), "command_substitution" | "process_substitution");
        if inner {
            found.push(node);
        }
        !inner
    });
    found
}

/// Visits a node and all below it in order; goes below one where `visit` says so.
fn each<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if visit(cursor.node()) && cursor.goto_first_child() {
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
