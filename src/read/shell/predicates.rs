//! Functions that only ask something (`is_mac() { [ "$(uname)" = Darwin ]; }`): a call of one asks what stands in it.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::scan;
use super::walk::{all, named};

/// Statements in statements that are looked into.
const DEEPEST: usize = 8;
/// Functions that ask by calling others that ask.
const ROUNDS: usize = 4;
/// A longer test is none that is asked in many places.
const LONGEST: usize = 256;

/// The tests of such functions, by name.
#[derive(Default)]
pub(super) struct Predicates(HashMap<String, String>);

impl Predicates {
    pub(super) fn of(functions: &[Node<'_>], text: &str) -> Self {
        let mut bodies: HashMap<&str, Option<Node<'_>>> = HashMap::new();
        for function in functions {
            let name = function.child_by_field_name("name").map_or("", |name| source(name, text));
            // Which of several is called is not told.
            bodies.entry(name).and_modify(|body| *body = None).or_insert_with(|| function.child_by_field_name("body"));
        }
        let mut found = Self::default();
        for _ in 0..ROUNDS {
            let new: Vec<(String, String)> = bodies
                .iter()
                .filter(|(name, _)| !found.0.contains_key(**name))
                .filter_map(|(name, body)| {
                    let body = (*body)?;
                    // What it calls comes first.
                    let program = |command: Node<'_>| source(command, text).split_ascii_whitespace().next().unwrap_or_default();
                    let waits = |name: &str| bodies.contains_key(name) && !found.0.contains_key(name);
                    let test = found.body(body, text)?;
                    let ready = !scan::called(body).into_iter().any(|command| waits(program(command)));
                    ready.then(|| ((*name).to_owned(), test))
                })
                .collect();
            if new.is_empty() {
                break;
            }
            found.0.extend(new);
        }
        found
    }

    /// Whether a statement only asks something.
    pub(super) fn asks(&self, node: Node<'_>, text: &str) -> bool {
        let mut inner = node;
        for _ in 0..4 {
            let next = match inner.kind() {
                "redirected_statement" => inner.child_by_field_name("body"),
                "pipeline" => named(inner).pop(),
                _ => break,
            };
            let Some(next) = next else { return false };
            inner = next;
        }
        match inner.kind() {
            "test_command" | "negated_command" => true,
            "command" => {
                let mut words = source(inner, text).split_ascii_whitespace();
                match words.next() {
                    Some("test" | "which" | "type" | "hash" | "grep" | "egrep" | "false" | "nvidia-smi") => true,
                    Some("command") => words.next() == Some("-v"),
                    // `$IS_MAC && …`: the value is the command.
                    Some(program) if program.starts_with('$') && !program.contains('(') => words.next().is_none(),
                    Some(program) => self.0.contains_key(program),
                    None => false,
                }
            }
            _ => false,
        }
    }

    /// A part of the text with the tests of the functions that are called in it in their places.
    pub(super) fn told(&self, nodes: &[Node<'_>], text: &str) -> String {
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else { return String::new() };
        let part = first.start_byte()..last.end_byte();
        let mut told = String::new();
        let mut at = part.start;
        // What is longer is cut off in any case.
        if !self.0.is_empty() && part.len() <= 4 * LONGEST {
            for command in nodes.iter().flat_map(|node| scan::called(*node)) {
                let Some(test) = self.test(command, text).filter(|_| command.start_byte() >= at) else { continue };
                told.push_str(text.get(at..command.start_byte()).unwrap_or_default());
                told.push_str(&test);
                at = command.end_byte();
            }
        }
        told.push_str(text.get(at..part.end).unwrap_or_default());
        told
    }

    /// What a call tests, with its own words in the places of `$1` and its like; `None` where that cannot be written there.
    fn test(&self, command: Node<'_>, text: &str) -> Option<String> {
        let mut words = source(command, text).split_ascii_whitespace();
        let test = self.0.get(words.next()?)?;
        let turned = command.parent().is_some_and(|around| around.kind() == "negated_command");
        if turned && is_compound(test) {
            return None;
        }
        let mut test = test.clone();
        for (n, word) in (1..10).zip(words) {
            let plain = word.trim_matches(['"', '\'']);
            if plain.contains(['$', '`', '"', '\'', '\\', '&', '|', '>', '<', '*']) {
                break;
            }
            for form in [format!("\"${n}\""), format!("\"${{{n}}}\""), format!("${n}"), format!("${{{n}}}")] {
                test = test.replace(&form, plain);
            }
        }
        let given = |c: char| c.is_ascii_digit() || "@*#".contains(c);
        let left = test.match_indices('$').any(|(at, _)| test[at + 1..].trim_start_matches('{').starts_with(given));
        (!left && test.len() <= LONGEST).then_some(test)
    }

    /// The one test that a function's body is.
    fn body(&self, body: Node<'_>, text: &str) -> Option<String> {
        let mut statements = match body.kind() {
            "compound_statement" => named(body),
            _ => vec![body],
        };
        statements.retain(|node| node.kind() != "comment");
        let sets =
            |node: &&Node<'_>| matches!(node.kind(), "declaration_command" | "variable_assignment" | "variable_assignments");
        let begin = statements.iter().take_while(sets).count();
        let test = match &statements[begin..] {
            [test] => self.statement(*test, text, 0)?,
            [test, end] if matches!(source(*end, text), "return" | "return $?") => self.statement(*test, text, 0)?,
            [chooses, end] => {
                let otherwise = returns(*end, text)?;
                let (test, status) = self.returning(*chooses, text)?;
                (status != otherwise).then_some(())?;
                if status { test } else { turned(&test)? }
            }
            _ => return None,
        };
        (!test.is_empty() && test.len() <= LONGEST).then_some(test)
    }

    /// A test, and what it returns where it holds: `T && return 0`, `if T; then return 1; fi`, `T || return 1`.
    fn returning(&self, node: Node<'_>, text: &str) -> Option<(String, bool)> {
        let parts = all(node);
        match (node.kind(), parts.as_slice()) {
            ("list", [left, operator, right]) => {
                let (test, status) = (self.statement(*left, text, 0)?, returns(*right, text)?);
                if operator.kind() == "&&" { Some((test, status)) } else { Some((turned(&test)?, status)) }
            }
            ("if_statement", _) => {
                let (test, then, otherwise) = arms(&parts)?;
                otherwise.is_none().then_some(())?;
                Some((self.statement(test, text, 0)?, returns(then, text)?))
            }
            _ => None,
        }
    }

    /// What a statement tests that only asks.
    fn statement(&self, node: Node<'_>, text: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        match node.kind() {
            "list" => {
                let parts = all(node);
                let [left, operator, right] = parts.as_slice() else { return None };
                let (left, right) = (self.statement(*left, text, depth + 1)?, self.statement(*right, text, depth + 1)?);
                Some(format!("{left} {} {right}", operator.kind()))
            }
            "if_statement" => {
                let (test, then, otherwise) = arms(&all(node))?;
                let (test, status) = (self.statement(test, text, depth + 1)?, returns(then, text)?);
                (returns(otherwise?, text)? != status).then_some(())?;
                if status { Some(test) } else { turned(&test) }
            }
            "case_statement" => self.case(node, text),
            _ => self.asks(node, text).then(|| self.told(&[node], text)),
        }
    }

    /// `case X in a|b*) return 0;; *) return 1;; esac`.
    fn case(&self, node: Node<'_>, text: &str) -> Option<String> {
        let subject = source(node.child_by_field_name("value")?, text);
        let mut items = Vec::new();
        for item in named(node).into_iter().filter(|node| node.kind() == "case_item") {
            let parts = all(item);
            let close = parts.iter().position(|part| part.kind() == ")")?;
            let pattern = text.get(item.start_byte()..parts[close].start_byte())?.trim();
            let body: Vec<Node<'_>> = parts[close..].iter().copied().filter(Node::is_named).collect();
            let [body] = body.as_slice() else { return None };
            items.push((pattern.trim_start_matches('('), returns(*body, text)?));
        }
        let ("*", otherwise) = items.pop()? else { return None };
        if items.iter().any(|(_, status)| *status == otherwise) {
            return None;
        }
        let patterns = items.iter().flat_map(|(pattern, _)| pattern.split('|'));
        let tests: Vec<String> = patterns.map(|pattern| format!("[[ {subject} == {} ]]", pattern.trim())).collect();
        let test = tests.join(" || ");
        if otherwise { turned(&test) } else { Some(test) }
    }
}

/// The test of an `if` with one arm, that arm's statement, and that of its `else`.
fn arms<'t>(parts: &[Node<'t>]) -> Option<(Node<'t>, Node<'t>, Option<Node<'t>>)> {
    let then = parts.iter().position(|part| part.kind() == "then")?;
    let statements = |parts: &[Node<'t>]| -> Vec<Node<'t>> {
        parts.iter().copied().filter(|part| part.is_named() && part.kind() != "comment").collect()
    };
    let [test] = statements(&parts[..then])[..] else { return None };
    match statements(&parts[then..])[..] {
        [body] if body.kind() != "elif_clause" => Some((test, body, None)),
        [body, end] if end.kind() == "else_clause" => match statements(&all(end))[..] {
            [otherwise] => Some((test, body, Some(otherwise))),
            _ => None,
        },
        _ => None,
    }
}

/// What a function answers with this statement.
fn returns(node: Node<'_>, text: &str) -> Option<bool> {
    match source(node, text) {
        "return 0" | "true" | ":" => Some(true),
        "return 1" | "false" => Some(false),
        _ => None,
    }
}

fn is_compound(test: &str) -> bool {
    test.contains("&&") || test.contains("||")
}

fn turned(test: &str) -> Option<String> {
    (!is_compound(test)).then(|| format!("! {test}"))
}

fn source<'s>(node: Node<'_>, text: &'s str) -> &'s str {
    let part: Range<usize> = node.byte_range();
    text.get(part).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::rendering;
    use crate::source::FileId;

    fn read(text: &str) -> Vec<String> {
        let acts = super::super::read(FileId(0), text).acts;
        acts.iter().map(|act| rendering::act(act, text)).filter(|act| act.contains("apt")).collect()
    }

    #[test]
    fn a_call_asks_what_stands_in_the_function() {
        for (body, test) in [
            ("{ [ -f a ]; }", "[ -f a ]"),
            ("{ # why\n [ -f a ]\n return $?\n }", "[ -f a ]"),
            ("{ local b; b=c; test -f a; }", "test -f a"),
            ("{ command -v a >/dev/null 2>&1; }", "command -v a >/dev/null 2>&1"),
            ("{ uname -r | grep -q WSL; }", "uname -r | grep -q WSL"),
            ("{ [ -f a ] && ! [ -f b ]; }", "[ -f a ] && ! [ -f b ]"),
            ("{ if [ -f a ]; then return 0; else return 1; fi; }", "[ -f a ]"),
            ("{ if [ -f a ]; then return 1; fi; return 0; }", "! [ -f a ]"),
            ("{ [ -f a ] && return 0; return 1; }", "[ -f a ]"),
            ("{ [ -f a ] || return 1; return 0; }", "! ! [ -f a ]"),
            ("{ case \"$A\" in b|c*) return 0;; *) return 1;; esac; }", "[[ \"$A\" == b ]] || [[ \"$A\" == c* ]]"),
            ("{ case $A in b) false;; *) true;; esac; }", "! [[ $A == b ]]"),
        ] {
            let text = format!("f() {body}\nif f; then apt install x; fi");
            assert_eq!(read(&text), [format!("{{{test}}}0 apt x")], "{body}");
        }
        for body in [
            "{ apt-mark x; }",
            "{ [ -f a ]; b; }",
            "{ if [ -f a ]; then return 0; elif b; then return 1; else return 1; fi; }",
            "{ [ -f a ] && return 0; return 0; }",
            "{ case $A in b) return 0;; c) return 1;; *) return 1;; esac; }",
            "{ [ -f \"$@\" ]; }",
            "{ [ -f $1 ]; }",
            "{ [ -f a ]; }; f() { [ -f b ]; }",
            "{ f; }",
        ] {
            let text = format!("f() {body}\nif f; then apt install x; fi");
            assert_eq!(read(&text), ["{f}0 apt x"], "{body}");
        }
    }

    #[test]
    fn calls_stand_anywhere_in_a_test() {
        let functions =
            "m() { [ -f a ]; }\nn() { ! m; }\nhas() { command -v \"$1\" >/dev/null; }\nboth() { [ -f a ] && [ -f b ]; }\n";
        for (text, want) in [
            ("m && apt install x", "{[ -f a ]}0 apt x"),
            ("m || apt install x", "{[ -f a ]}1 apt x"),
            ("! m && apt install x", "{! [ -f a ]}0 apt x"),
            ("if n; then apt install x; fi", "{! [ -f a ]}0 apt x"),
            ("if ! m || [ -f c ]; then apt install x; fi", "{! [ -f a ] || [ -f c ]}0 apt x"),
            ("if b; then a; elif m; then apt install x; fi", "{b elif [ -f a ]}1 apt x"),
            ("if has b; then apt install x; fi", "{command -v b >/dev/null}0 apt x"),
            ("if has \"$B\"; then apt install x; fi", "{has \"$B\"}0 apt x"),
            ("if ! both; then apt install x; fi", "{! both}0 apt x"),
            ("if [ -n \"$(m)\" ]; then apt install x; fi", "{[ -n \"$(m)\" ]}0 apt x"),
            ("$M && apt install x", "{$M}0 apt x"),
            ("$SUDO b && apt install x", "apt x"),
        ] {
            assert_eq!(read(&format!("{functions}{text}")), [want], "{text}");
        }
    }
}
