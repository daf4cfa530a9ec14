//! Statements that choose what happens: lists, `if`, `case`.

use std::ops::Range;

use tree_sitter::Node;

use super::verdict::fits;
use super::walk::{Step, UNROLLED, Walk, all, named};

/// Bytes of a test's text that are kept.
const TEST_TEXT: usize = 256;

impl Walk<'_, '_> {
    pub(super) fn list<'t>(&self, node: Node<'t>, steps: &mut Vec<Step<'t>>) {
        let parts = all(node);
        let named: Vec<_> = parts.iter().copied().filter(Node::is_named).collect();
        let operator = parts.iter().find(|n| !n.is_named()).map_or("", |n| n.kind());
        let (Some(&left), Some(&right)) = (named.first(), named.get(1)) else {
            return steps.extend(named.into_iter().map(Step::Visit));
        };
        steps.push(Step::Visit(left));
        let guards = self.guards(left);
        match (operator, self.verdict(left)) {
            ("||", Some(true)) | ("&&", Some(false)) => {}
            (_, Some(_)) => steps.push(Step::Visit(right)),
            ("||", None) => {
                let test = match guards.as_slice() {
                    [one] => one.clone(),
                    _ => self.asked(&[left]),
                };
                steps.insert(steps.len() - 1, Step::Mark);
                steps.extend([
                    Step::Mark,
                    Step::Choose(test.clone(), 1),
                    Step::Visit(right),
                    Step::Unchoose,
                    Step::Instead(test),
                ]);
            }
            // `[ … ] && exit`: the script goes on where the test fails, without what stands between the two.
            ("&&", None) if !guards.is_empty() && self.ends(&[right]) => {
                let parts = chain(left);
                let asked = parts.iter().take_while(|part| self.guard(**part).is_some()).count();
                let (tests, between) = parts.split_at(asked);
                let asked = self.asked(if tests.is_empty() { std::slice::from_ref(&left) } else { tests });
                steps.pop();
                steps.extend(tests.iter().map(|test| Step::Visit(*test)));
                steps.push(Step::Choose(format!("{asked} …"), 1));
                steps.extend(between.iter().map(|part| Step::Visit(*part)));
                steps.extend([Step::Visit(right), Step::Unchoose]);
            }
            _ => {
                let count = guards.len();
                steps.extend(guards.into_iter().map(|test| Step::Choose(test, 0)));
                steps.push(Step::Visit(right));
                steps.extend((0..count).map(|_| Step::Unchoose));
            }
        }
    }

    /// The number of each arm, with the test's text: arm 0, which is taken where nothing is known, is one that does not
    /// end the script.
    fn arms(&self, text: String, bodies: &[Vec<Node<'_>>]) -> (String, Vec<u32>) {
        let mut numbers: Vec<u32> = (0u32..).take(bodies.len()).collect();
        let on = bodies.iter().position(|body| !self.ends(body)).unwrap_or(0);
        if on == 0 {
            return (text, numbers);
        }
        numbers.swap(0, on);
        // Not the arms of another such test.
        (if on == 1 { format!("{text} …") } else { format!("{text} …{on}") }, numbers)
    }

    /// The tests that have succeeded once `node` has, innermost first.
    fn guards(&self, node: Node<'_>) -> Vec<String> {
        let (mut found, mut node) = (Vec::new(), node);
        for _ in 0..UNROLLED {
            if node.kind() != "list" {
                break;
            }
            let parts = all(node);
            if !parts.iter().any(|n| n.kind() == "&&") {
                return found;
            }
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return found };
            found.extend(self.guard(*last));
            node = *first;
        }
        found.extend(self.guard(node));
        found
    }

    /// The text of a statement that only asks something, to which there is no one answer.
    fn guard(&self, node: Node<'_>) -> Option<String> {
        // Whether it asks is told sooner than what it comes to.
        let asks = self.predicates.asks(node, self.excerpt.text());
        (asks && self.verdict(node).is_none()).then(|| self.asked(&[node]))
    }

    /// The text of what is tested, with the tests of functions in their places.
    fn asked(&self, nodes: &[Node<'_>]) -> String {
        cut(&self.predicates.told(nodes, self.excerpt.text()))
    }

    fn test_text(&self, part: Range<usize>) -> String {
        cut(self.excerpt.text().get(part).unwrap_or_default())
    }

    pub(super) fn if_statement<'t>(&self, node: Node<'t>, steps: &mut Vec<Step<'t>>) {
        let mut arms: Vec<(Vec<Node<'t>>, Vec<Node<'t>>)> = vec![Default::default()];
        let mut tests = Vec::new();
        let mut end = Vec::new();
        let mut in_test = false;
        for part in all(node) {
            match part.kind() {
                "if" => in_test = true,
                "then" => in_test = false,
                "elif_clause" => {
                    let mut arm = (Vec::new(), Vec::new());
                    let mut in_test = true;
                    for part in all(part) {
                        match part.kind() {
                            "then" => in_test = false,
                            _ if !part.is_named() => {}
                            _ if in_test => arm.0.push(part),
                            _ => arm.1.push(part),
                        }
                    }
                    arms.push(arm);
                }
                "else_clause" => end = named(part),
                _ if !part.is_named() => {}
                _ if in_test => arms[0].0.push(part),
                _ => arms[0].1.push(part),
            }
        }
        // An arm whose test never holds is none; one whose test always holds is the last.
        let mut open = Vec::new();
        for (test, body) in arms {
            let verdict = if let [test] = test.as_slice() { self.verdict(*test) } else { None };
            match verdict {
                Some(false) => {}
                Some(true) => {
                    end = body;
                    break;
                }
                None => open.push((test, body)),
            }
        }
        let arms = open;
        if arms.is_empty() {
            return steps.extend(end.into_iter().map(Step::Visit));
        }
        if let [(test, body)] = arms.as_slice()
            && let [test] = test.as_slice()
            && let Some(system) = system(&self.asked(&[*test]))
        {
            steps.extend([Step::Visit(*test), Step::When(system.marker(true))]);
            steps.extend(body.iter().map(|n| Step::Visit(*n)));
            steps.extend([Step::Unchoose, Step::When(system.marker(false))]);
            steps.extend(end.into_iter().map(Step::Visit));
            steps.push(Step::Unchoose);
            return;
        }
        let mut length = 0;
        for (test, _) in &arms {
            if !test.is_empty() && length < TEST_TEXT {
                let text = self.asked(test);
                length += text.len();
                tests.push(text);
            }
        }
        let (conditions, mut bodies): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
        bodies.push(end);
        let (text, numbers) = self.arms(tests.join(" elif "), &bodies);
        let mut conditions = conditions.into_iter();
        for (arm, body) in numbers.into_iter().zip(bodies) {
            steps.extend(conditions.next().into_iter().flatten().map(Step::Visit));
            steps.push(Step::Choose(text.clone(), arm));
            steps.extend(body.into_iter().map(Step::Visit));
            steps.push(Step::Unchoose);
        }
    }

    pub(super) fn case_statement<'t>(&self, node: Node<'t>, steps: &mut Vec<Step<'t>>) {
        let value = node.child_by_field_name("value").map(|n| self.source(n)).unwrap_or_default();
        let mut text = format!("{value} in");
        let mut items: Vec<_> = named(node).into_iter().filter(|n| n.kind() == "case_item").collect();
        let mut known = false;
        if let Some(word) = node.child_by_field_name("value").map(|n| self.text(n.byte_range()))
            && let Some(taken) = word.known().and_then(|word| self.taken(word, &items))
        {
            let Some(item) = taken else { return };
            items = vec![item];
            known = true;
        }
        let bodies: Vec<Vec<_>> = items
            .iter()
            .map(|item| {
                let parts = all(*item);
                let body = parts.iter().position(|n| n.kind() == ")").unwrap_or(parts.len());
                if text.len() < TEST_TEXT
                    && let Some(end) = parts.get(body)
                {
                    text.push(' ');
                    text.push_str(&self.test_text(item.start_byte()..end.start_byte()));
                    text.push(')');
                }
                parts.into_iter().skip(body).filter(Node::is_named).collect()
            })
            .collect();
        if known {
            return steps.extend(bodies.into_iter().flatten().map(Step::Visit));
        }
        let (text, numbers) = self.arms(text, &bodies);
        for (arm, body) in numbers.into_iter().zip(bodies) {
            steps.push(Step::Choose(text.clone(), arm));
            steps.extend(body.into_iter().map(Step::Visit));
            steps.push(Step::Unchoose);
        }
    }

    /// The arm of a `case` that a known word takes, if any; `None` where that cannot be told.
    fn taken<'t>(&self, word: &str, items: &[Node<'t>]) -> Option<Option<Node<'t>>> {
        for item in items {
            // What falls through is not told.
            if ends_in_fall(*item) {
                return None;
            }
            let parts = all(*item);
            for pattern in parts.iter().take_while(|n| n.kind() != ")").filter(|n| n.is_named()) {
                let pattern = self.source(*pattern);
                let quoted = ['"', '\''].iter().find_map(|q| pattern.strip_prefix(*q)?.strip_suffix(*q));
                if fits(word, quoted.filter(|q| !q.contains('*')).unwrap_or(pattern))? {
                    return Some(Some(*item));
                }
            }
        }
        Some(None)
    }
}

/// The beginning of a test's text, without what ends its statement.
fn cut(text: &str) -> String {
    let text = text.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    text[..text.floor_char_boundary(TEST_TEXT)].to_owned()
}

/// Whether an arm of a `case` goes on in another.
fn ends_in_fall(item: Node<'_>) -> bool {
    all(item).last().is_some_and(|end| matches!(end.kind(), ";&" | ";;&"))
}

/// The statements that `&&` joins, in order; those that stand too deep stay together.
fn chain(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut found, mut node) = (Vec::new(), node);
    for _ in 0..UNROLLED {
        if node.kind() != "list" {
            break;
        }
        match all(node).as_slice() {
            [left, operator, right] if operator.kind() == "&&" => {
                found.push(*right);
                node = *left;
            }
            _ => break,
        }
    }
    found.push(node);
    found.reverse();
    found
}

/// What a test asks of the system: whether it is this one, or whether it is not.
struct System {
    name: &'static str,
    is: bool,
}

impl System {
    /// As an environment marker; `holds` tells the `then` from the `else`.
    fn marker(&self, holds: bool) -> String {
        format!("sys_platform {} \"{}\"", if self.is == holds { "==" } else { "!=" }, self.name)
    }
}

/// `[ "$(uname)" = Darwin ]`, `[[ "$OSTYPE" != linux* ]]`.
fn system(test: &str) -> Option<System> {
    let asks = ["$(uname)", "$(uname -s)", "`uname`", "`uname -s`", "$OSTYPE", "${OSTYPE}"];
    let test = test.to_ascii_lowercase();
    let whole = asks.iter().any(|a| test.contains(&a.to_ascii_lowercase()))
        && !["&&", "||", " -a ", " -o "].iter().any(|o| test.contains(o));
    let (is, is_not) = (test.contains(" = ") || test.contains(" == "), test.contains(" != "));
    let name = match (test.contains("darwin"), test.contains("linux")) {
        (true, false) => "darwin",
        (false, true) => "linux",
        _ => return None,
    };
    let plain = !test.starts_with('!') && !test.starts_with("[ !") && !test.starts_with("[[ !");
    (whole && plain && is != is_not).then_some(System { name, is })
}

#[cfg(test)]
mod tests {
    use super::super::rendering;
    use crate::source::FileId;

    #[test]
    fn systems() {
        let (mac, other) = ("{sys_platform == \"darwin\"} ", "{sys_platform != \"darwin\"} ");
        for (text, want) in [
            ("if [ \"$(uname)\" = Darwin ]; then apt install x; else apt install y; fi; apt install z", [mac, other, ""]),
            ("if [[ $OSTYPE != darwin* ]]; then apt install x; else apt install y; fi; apt install z", [other, mac, ""]),
            ("if [ `uname -s` != Darwin ]; then apt install x; exit 1; fi; apt install y; apt install z", [other, "", ""]),
            ("if [ `uname -s` != Darwin ]; then apt install x; fi; apt install y; apt install z", [other, "", ""]),
        ] {
            let acts = super::super::read(FileId(0), text).acts;
            let acts: Vec<_> =
                acts.iter().map(|act| rendering::act(act, text)).filter(|act| !act.contains("Shell ends")).collect();
            let want: Vec<_> = want.iter().zip(["x", "y", "z"]).map(|(when, name)| format!("{when}apt {name}")).collect();
            assert_eq!(acts, want, "{text}");
        }
        for test in ["[ \"$(uname -m)\" = darwin ]", "[ $X = Darwin ]", "[ `uname` = Darwin -o -f x ]", "[ ! `uname` = Darwin ]"]
        {
            assert!(super::system(test).is_none(), "{test}");
        }
    }
}
