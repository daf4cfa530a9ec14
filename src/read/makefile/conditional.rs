//! What a conditional tests, as a shell would ask it: all that is known of a shell's tests holds for make's, too.

use super::variables::Variables;

/// Variables in variables, functions in functions.
const DEEPEST: usize = 6;
/// A longer test is not told.
const LONGEST: usize = 256;
/// Nor is one of more words.
const WORDS: usize = 8;

/// The test of `ifeq (…)` and its like; as it is written where a shell could not ask it.
pub(super) fn test(said: &str, variables: &Variables) -> String {
    let asked = if said.len() < LONGEST { asked(said, variables) } else { None };
    asked.unwrap_or_else(|| said.chars().take(LONGEST).collect())
}

fn asked(said: &str, variables: &Variables) -> Option<String> {
    let end = said.find(|c: char| !c.is_ascii_alphabetic())?;
    let (word, rest) = (&said[..end], said[end..].trim());
    match word {
        "ifdef" | "ifndef" => {
            let option = if word == "ifdef" { "-n" } else { "-z" };
            is_name(rest).then(|| format!("[ {option} \"${rest}\" ]"))
        }
        "ifeq" | "ifneq" => {
            let (left, right) = sides(rest)?;
            let (left, right) = (Side::of(left, variables)?, Side::of(right, variables)?);
            match (left, right) {
                (Side::Word(word), asked) | (asked, Side::Word(word)) => asked.compared(word, said.starts_with("ifeq")),
                _ => None,
            }
        }
        _ => None,
    }
}

/// One side of a comparison.
enum Side<'t> {
    Word(&'t str),
    /// What a variable or a command comes to.
    Value(String),
    /// `$(findstring X,…)`.
    Found(&'t str, String),
    /// `$(filter X Y,…)`.
    Kept(Vec<&'t str>, String),
}

impl<'t> Side<'t> {
    fn of(text: &'t str, variables: &'t Variables) -> Option<Self> {
        let text = text.trim();
        if !text.contains('$') {
            let plain = text.chars().all(|c| is_plain(c) || c == '%');
            return plain.then_some(Self::Word(text));
        }
        if let Some((function, arguments)) = call(text) {
            let (first, second) = apart(arguments)?;
            let word = |text: &'t str| Some(text.trim()).filter(|text| !text.is_empty() && text.chars().all(is_plain));
            return match function {
                "findstring" => Some(Self::Found(word(first)?, value(second, variables, 0)?)),
                "filter" => {
                    // Either may be the one that is asked for.
                    let (listed, of) = if first.contains('$') { (second, first) } else { (first, second) };
                    let listed: Vec<&str> = listed.split_whitespace().collect();
                    let plain = listed.iter().all(|word| word.chars().all(|c| is_plain(c) || c == '%'));
                    let some = plain && !listed.is_empty() && listed.len() <= WORDS;
                    Some(Self::Kept(Some(listed).filter(|_| some)?, value(of, variables, 0)?))
                }
                _ => None,
            };
        }
        Some(Self::Value(value(text, variables, 0)?))
    }

    fn compared(self, word: &str, equal: bool) -> Option<String> {
        let sign = |equal: bool| if equal { "==" } else { "!=" };
        match self {
            Self::Word(_) => None,
            Self::Value(value) if word.is_empty() => Some(format!("[ {} \"{value}\" ]", if equal { "-z" } else { "-n" })),
            Self::Value(value) => Some(format!("[[ \"{value}\" {} \"{word}\" ]]", sign(equal))),
            Self::Found(found, value) if word.is_empty() || word == found => {
                let holds = equal != word.is_empty();
                Some(format!("[[ \"{value}\" {} *{found}* ]]", sign(holds)))
            }
            Self::Kept(words, value) if word.is_empty() => {
                let one = |word: &&str| format!("\"{value}\" == {}", word.replace('%', "*"));
                let any = words.iter().map(one).collect::<Vec<_>>().join(" || ");
                Some(if equal { format!("! [[ {any} ]]") } else { format!("[[ {any} ]]") })
            }
            _ => None,
        }
    }
}

/// A variable or the output of a command, as a shell would write it.
fn value(text: &str, variables: &Variables, depth: usize) -> Option<String> {
    let inner = inside(text.trim()).filter(|_| depth < DEEPEST)?;
    if let Some(command) = inner.strip_prefix("shell ").map(str::trim) {
        return (!command.is_empty() && !command.contains(['$', '"', '\n'])).then(|| format!("$({command})"));
    }
    if let Some(stripped) = inner.strip_prefix("strip ") {
        return value(stripped, variables, depth + 1);
    }
    if !is_name(inner) {
        return None;
    }
    // Of what is defined here only what is asked of the machine: others may give it another value.
    let asked = variables.written(inner).and_then(|defined| value(defined, variables, depth + 1));
    Some(asked.filter(|asked| asked.starts_with("$(")).unwrap_or_else(|| format!("${inner}")))
}

/// What stands in `$(…)` where that is all there is.
fn inside(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('$')?;
    let (open, close) = if rest.starts_with('(') { ('(', ')') } else { ('{', '}') };
    let inner = rest.strip_prefix(open)?.strip_suffix(close)?;
    let mut depth = 0usize;
    for c in inner.chars() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
        }
    }
    (depth == 0).then(|| inner.trim())
}

/// A function, and what it is given.
fn call(text: &str) -> Option<(&str, &str)> {
    let (function, arguments) = inside(text)?.split_once(char::is_whitespace)?;
    matches!(function, "findstring" | "filter").then_some((function, arguments))
}

/// `(a,b)`, `"a" "b"`, `'a' 'b'`.
fn sides(text: &str) -> Option<(&str, &str)> {
    if let Some(inner) = text.strip_prefix('(') {
        return apart(inner.strip_suffix(')')?);
    }
    let quoted = |text| -> Option<(&str, &str)> {
        let text: &str = text;
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        text[1..].split_once(quote)
    };
    let (left, rest) = quoted(text)?;
    let (right, rest) = quoted(rest.trim())?;
    rest.trim().is_empty().then_some((left, right))
}

/// Cuts at the comma that stands in no call.
fn apart(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./+:".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_as_a_shell_asks_them() {
        let mut variables = Variables::default();
        for (name, value) in [("U", "$(shell uname -s)"), ("M", "$(U)"), ("L", "cpu"), ("S", "$(S)")] {
            variables.define(name, ":=", value.to_owned(), 0..0, Vec::new());
        }
        for (said, want) in [
            ("ifeq ($(U),Darwin)", "[[ \"$(uname -s)\" == \"Darwin\" ]]"),
            ("ifneq (Linux, ${M})", "[[ \"$(uname -s)\" != \"Linux\" ]]"),
            ("ifeq ($(L),cpu)", "[[ \"$L\" == \"cpu\" ]]"),
            ("ifeq ($(strip $(X)),)", "[ -z \"$X\" ]"),
            ("ifneq \"$(X)\" \"\"", "[ -n \"$X\" ]"),
            ("ifeq '$(OS)' 'Windows_NT'", "[[ \"$OS\" == \"Windows_NT\" ]]"),
            ("ifneq (,$(findstring Darwin,$(shell uname -s)))", "[[ \"$(uname -s)\" == *Darwin* ]]"),
            ("ifeq (,$(findstring Darwin,$(U)))", "[[ \"$(uname -s)\" != *Darwin* ]]"),
            ("ifeq ($(findstring MINGW,$(U)),MINGW)", "[[ \"$(uname -s)\" == *MINGW* ]]"),
            ("ifneq (,$(filter arm64 aarch64,$(A)))", "[[ \"$A\" == arm64 || \"$A\" == aarch64 ]]"),
            ("ifneq ($(filter $(shell uname -m),arm64 a%),)", "[[ \"$(uname -m)\" == arm64 || \"$(uname -m)\" == a* ]]"),
            ("ifeq ($(filter x,$(A)),)", "! [[ \"$A\" == x ]]"),
            ("ifeq ($(shell command -v nvidia-smi),)", "[ -z \"$(command -v nvidia-smi)\" ]"),
            ("ifdef CI", "[ -n \"$CI\" ]"),
            ("ifndef CI", "[ -z \"$CI\" ]"),
            ("ifeq ($(S),1)", "[[ \"$S\" == \"1\" ]]"),
        ] {
            assert_eq!(test(said, &variables), want, "{said}");
        }
        for said in [
            "ifeq",
            "ifeq (",
            "ifeq (a",
            "ifeq (a,b)",
            "ifeq ($(A),$(B))",
            "ifeq ($(A)x,y)",
            "ifeq ($(wildcard a),)",
            "ifeq ($(A),a b)",
            "ifneq (,$(findstring a b,$(A)))",
            "ifneq (,$(filter-out a,$(A)))",
            "ifeq \"a",
            "ifdef",
            "ifdef $(A)",
            "ifeq ($(shell echo $$X),)",
            "ifeq ($(A)),)",
            "é",
        ] {
            assert_eq!(test(said, &variables), said);
        }
        assert_eq!(test(&format!("ifdef {}", "x".repeat(400)), &variables).len(), LONGEST);
    }
}
