//! Which arms of a test end the script or the function: the script goes on where they are not taken.

use std::collections::HashSet;

use tree_sitter::Node;

use super::walk::{all, named};

/// Statements in statements that are looked into.
const DEEPEST: usize = 8;
/// Functions that leave by calling others that leave.
const ROUNDS: usize = 4;

/// The functions that end the script whenever they are called: `usage() { …; exit 1; }`.
pub(super) fn functions<'s>(functions: &[Node<'_>], text: &'s str) -> HashSet<&'s str> {
    let mut leaving = HashSet::new();
    let all: Vec<(&str, Node<'_>)> = functions
        .iter()
        .filter_map(|node| Some((source(node.child_by_field_name("name")?, text), node.child_by_field_name("body")?)))
        .collect();
    for _ in 0..ROUNDS {
        let more: Vec<&str> = all
            .iter()
            .filter(|(name, body)| !leaving.contains(name) && leaves(*body, text, &|name| leaving.contains(name), false, DEEPEST))
            .map(|(name, _)| *name)
            .collect();
        if more.is_empty() {
            break;
        }
        leaving.extend(more);
    }
    leaving
}

/// Whether the script, or the function, ends with these statements.
pub(super) fn end(statements: &[Node<'_>], text: &str, calls: &dyn Fn(&str) -> bool) -> bool {
    statements.iter().any(|node| leaves(*node, text, calls, true, DEEPEST))
}

fn leaves(node: Node<'_>, text: &str, calls: &dyn Fn(&str) -> bool, returns: bool, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    let inner = |node: &Node<'_>| leaves(*node, text, calls, returns, depth - 1);
    match node.kind() {
        "command" => {
            let mut words = source(node, text).split_ascii_whitespace();
            match words.next() {
                Some("exit") => true,
                Some("exec") => words.next().is_some(),
                Some("return") => returns,
                Some(name) => calls(name),
                None => false,
            }
        }
        "compound_statement" => named(node).iter().any(inner),
        "redirected_statement" => node.child_by_field_name("body").as_ref().is_some_and(inner),
        // What stands behind `||` or a test may not happen.
        "list" => {
            let parts = all(node);
            let both = parts.iter().any(|n| n.kind() == "&&") && parts.first().is_some_and(|n| n.kind() == "command");
            let asks = parts.first().is_some_and(|n| source(*n, text).starts_with(['[', '!']));
            parts.first().as_ref().is_some_and(|n| inner(n)) || (both && !asks && parts.last().as_ref().is_some_and(|n| inner(n)))
        }
        _ => false,
    }
}

fn source<'s>(node: Node<'_>, text: &'s str) -> &'s str {
    text.get(node.byte_range()).unwrap_or_default()
}
