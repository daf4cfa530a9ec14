//! Tests of nothing but known words: what they always answer. A matrix puts its values into scripts, and most of their
//! tests are of one row.

use tree_sitter::Node;

use super::walk::{Walk, all, named};
use super::word::{self, Words};
use crate::notation::pattern::{Form, Pattern};

/// Tests in tests in tests.
const DEPTH: usize = 8;

impl Walk<'_, '_> {
    /// What a statement that tests always answers; `None` where it depends on something.
    pub(super) fn verdict(&self, node: Node<'_>) -> Option<bool> {
        self.verdict_at(node, 0)
    }

    fn verdict_at(&self, node: Node<'_>, depth: usize) -> Option<bool> {
        if depth == DEPTH {
            return None;
        }
        let inner = |node: Node<'_>| self.verdict_at(node, depth + 1);
        match node.kind() {
            "negated_command" => Some(!inner(named(node).pop()?)?),
            "list" => {
                let parts = all(node);
                let [left, operator, right] = parts.as_slice() else { return None };
                match operator.kind() {
                    "&&" => both(inner(*left), inner(*right)),
                    _ => either(inner(*left), inner(*right)),
                }
            }
            "test_command" | "command" => {
                let part = node.byte_range();
                let parts = word::split(self.excerpt, part, Words::Shell);
                let raw = |part: &std::ops::Range<usize>| self.excerpt.text().get(part.clone()).unwrap_or_default();
                if let [open, left, operator, right, _] = parts.as_slice()
                    && raw(open) == "[["
                    && let Some(left) = self.text(left.clone()).known()
                    && let Some(fits) = matched(left, raw(operator), raw(right))
                {
                    return Some(fits);
                }
                let words = parts.into_iter().map(|part| self.text(part));
                let words: Vec<Option<String>> = words.map(|text| text.known().map(str::to_owned)).collect();
                let words: Vec<Option<&str>> = words.iter().map(Option::as_deref).collect();
                match words.as_slice() {
                    [Some("["), test @ .., Some("]")] | [Some("[["), test @ .., Some("]]")] | [Some("test"), test @ ..] => {
                        answer(test)
                    }
                    [Some("true" | ":")] => Some(true),
                    [Some("false")] => Some(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// `a = b -o c = d`; `||` where the brackets are double.
fn answer(words: &[Option<&str>]) -> Option<bool> {
    let any = words.split(|w| matches!(w, Some("||" | "-o"))).map(|part| {
        let all = part.split(|w| matches!(w, Some("&&" | "-a"))).map(comparison);
        all.reduce(both).flatten()
    });
    any.reduce(either).flatten()
}

fn comparison(words: &[Option<&str>]) -> Option<bool> {
    // What the shell would make of these is not looked at: patterns, folders, names of files.
    let plain = |word: Option<&str>| word.is_none_or(|w| !w.starts_with('~') && !w.contains(['*', '?', '[', '(', '`']));
    if !words.iter().all(|w| plain(*w)) {
        return None;
    }
    match words {
        [Some("!"), rest @ ..] => comparison(rest).map(|holds| !holds),
        [Some("-n"), Some(word)] => Some(!word.is_empty()),
        [Some("-z"), Some(word)] => Some(word.is_empty()),
        [Some(left), Some("=" | "=="), Some(right)] => Some(left == right),
        [Some(left), Some("!="), Some(right)] => Some(left != right),
        _ => None,
    }
}

/// What a known word answers to a pattern of double brackets.
fn matched(word: &str, operator: &str, pattern: &str) -> Option<bool> {
    match operator {
        "=" | "==" if pattern.contains('*') => fits(word, pattern),
        "!=" if pattern.contains('*') => fits(word, pattern).map(|fits| !fits),
        "=~" => Some(Pattern::parse(pattern, Form::Extended, false)?.fits(word)),
        _ => None,
    }
}

/// Whether a pattern with stars at its ends only fits a word; `None` for all other patterns.
pub(super) fn fits(word: &str, pattern: &str) -> Option<bool> {
    let (open, pattern) = pattern.strip_prefix('*').map_or((false, pattern), |rest| (true, rest));
    let (on, pattern) = pattern.strip_suffix('*').map_or((false, pattern), |rest| (true, rest));
    (pattern.is_empty() && open || is_plain(pattern)).then(|| match (open, on) {
        (false, false) => word == pattern,
        (false, true) => word.starts_with(pattern),
        (true, false) => word.ends_with(pattern),
        (true, true) => word.contains(pattern),
    })
}

/// Letters that mean themselves in every pattern.
fn is_plain(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn either(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    both(a.map(|a| !a), b.map(|b| !b)).map(|neither| !neither)
}

#[cfg(test)]
mod tests {
    use super::super::rendering;
    use crate::source::FileId;

    fn read(text: &str) -> Vec<String> {
        super::super::read(FileId(0), text).acts.iter().map(|act| rendering::act(act, text)).collect()
    }

    #[test]
    fn known_words_are_compared() {
        for (test, holds) in [
            ("[ 2.4.1 == \"latest\" ]", Some(false)),
            ("[ latest = 'latest' ]", Some(true)),
            ("[[ \"2.4.1\" != latest ]]", Some(true)),
            ("test 1 = 2", Some(false)),
            ("[ -z \"\" ]", Some(true)),
            ("[ -n \"\" ]", Some(false)),
            ("! [ a = b ]", Some(true)),
            ("[ ! a = b ]", Some(true)),
            ("[[ a == b || $X == c ]]", None),
            ("[[ a == b && $X == c ]]", Some(false)),
            ("[ a = b ] || [ c = c ]", Some(true)),
            ("[ a = a ] && [ -f x ]", None),
            ("[ a = b ] && [ -f x ]", Some(false)),
            ("false", Some(false)),
            ("[[ macos-13 == macos* ]]", Some(true)),
            ("[[ \"ubuntu-latest\" == macos* ]]", Some(false)),
            ("[[ ubuntu-latest != *latest ]]", Some(false)),
            ("[[ ubuntu-latest =~ macos ]]", Some(false)),
            ("[[ macos-13 =~ ^macos ]]", Some(true)),
            ("[[ macos-13 =~ ^mac.s ]]", None),
            ("[[ 2.4.1 == 2.* ]]", None),
            ("[[ 2.4.1 == 2.?.1 ]]", None),
            ("[ a ]", None),
            ("[ 3 -gt 2 ]", None),
            ("[ \"$X\" = a ]", None),
            ("[ \"$(uname)\" = a ]", None),
            ("[ $(echo a) = $(echo b) ]", None),
            ("[ -f a ]", None),
        ] {
            let acts = read(&format!("if {test}; then apt install x; else apt install y; fi"));
            let want: &[&str] = match holds {
                Some(true) => &["apt x"],
                Some(false) => &["apt y"],
                None => &[&format!("{{{test}}}0 apt x"), &format!("{{{test}}}1 apt y")],
            };
            assert_eq!(acts, want, "{test}");
        }
    }

    #[test]
    fn only_the_arms_that_may_be_taken_are_read() {
        for (text, want) in [
            ("if [ a = b ]; then apt install x; fi", &[][..]),
            (
                "if [ a = b ]; then apt install x; elif c; then apt install y; else apt install z; fi",
                &["{c}0 apt y", "{c}1 apt z"],
            ),
            (
                "if c; then apt install x; elif [ a = a ]; then apt install y; else apt install z; fi",
                &["{c}0 apt x", "{c}1 apt y"],
            ),
            ("[ a = b ] && apt install x", &[]),
            ("[ a = a ] && apt install x", &["apt x"]),
            ("[ a = a ] && [ -f c ] && apt install x", &["{[ -f c ]}0 apt x"]),
            ("[ a = b ] || apt install x", &["apt x"]),
            ("[ a = a ] || apt install x", &[]),
            ("[ a = b ] && apt install x || apt install y", &["apt y"]),
            (
                "case \"ubuntu-22.04\" in macos*) apt install x;; ubuntu* | 'debian') apt install y;; *) apt install z;; esac",
                &["apt y"],
            ),
            ("case windows in macos*) apt install x;; ubuntu) apt install y;; esac", &[]),
            ("case a in [ab]) apt install x;; *) apt install y;; esac", &["{a in [ab]) *)}0 apt x", "{a in [ab]) *)}1 apt y"]),
        ] {
            assert_eq!(read(text), want, "{text}");
        }
    }
}
