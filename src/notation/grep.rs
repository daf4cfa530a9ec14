//! Tests that look for something in what a command says: `uname | grep -q Darwin`, `grep -qi microsoft /proc/version`.

use super::pattern::{Form, Pattern};

/// Redirections that only keep the output from being seen.
const SILENCES: &[&str] = &[">", "2>", "&>", "1>", ">>"];

/// What is looked for, and in what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grep {
    /// `$X`, or `$(command)`; a file is what `cat` says of it.
    pub(crate) subject: String,
    pub(crate) pattern: Pattern,
    /// It holds where there is none.
    pub(crate) negated: bool,
}

impl Grep {
    /// `None` for other commands, and for what is more than a word or one of some.
    pub(crate) fn parse(test: &str) -> Option<Self> {
        let mut stages = stages(test)?;
        let last = stages.pop()?;
        let mut search = Search::parse(&last)?;
        // What goes through these is still a line of the same.
        while let Some(stage) = stages.last()
            && stages.len() > 1
        {
            match program(stage) {
                "tr" if stage.iter().any(|word| word.contains("upper") || word.contains("A-Z")) => search.ignores_case = true,
                "head" | "cat" if stage.iter().skip(1).all(|word| word.starts_with('-')) => {}
                _ => return None,
            }
            stages.pop();
        }
        let subject = match (stages.pop(), search.file.take()) {
            (None, Some(file)) => file,
            (Some(stage), None) => match (program(&stage), &stage[1..]) {
                ("echo" | "printf", [.., word]) => value(word)?,
                ("", _) => return None,
                _ => format!("$({})", stage.join(" ")),
            },
            _ => return None,
        };
        let pattern = Pattern::parse(search.pattern, search.form, search.ignores_case)?;
        Some(Self { subject, pattern, negated: search.negated })
    }
}

/// A `grep` with its options.
struct Search<'t> {
    pattern: &'t str,
    form: Form,
    ignores_case: bool,
    negated: bool,
    file: Option<String>,
}

impl<'t> Search<'t> {
    fn parse(words: &[&'t str]) -> Option<Self> {
        let form = match program(words) {
            "grep" => Form::Basic,
            "egrep" => Form::Extended,
            "fgrep" => Form::Fixed,
            _ => return None,
        };
        let mut search = Self { pattern: "", form, ignores_case: false, negated: false, file: None };
        let mut operands = Vec::new();
        let mut rest = words.iter().skip(1);
        while let Some(word) = rest.next() {
            match *word {
                "--quiet" | "--silent" | "--no-messages" => {}
                "--ignore-case" => search.ignores_case = true,
                "--extended-regexp" | "--perl-regexp" => search.form = Form::Extended,
                "--fixed-strings" => search.form = Form::Fixed,
                "--invert-match" => search.negated = true,
                "<<<" => search.file = Some(value(rest.next()?)?),
                "--" => {}
                option if option.len() > 1 && option.starts_with('-') => {
                    for letter in option[1..].chars() {
                        match letter {
                            'q' | 's' | 'm' | 'o' | 'a' | '1' => {}
                            'i' | 'y' => search.ignores_case = true,
                            'E' | 'P' => search.form = Form::Extended,
                            'F' => search.form = Form::Fixed,
                            'v' => search.negated = true,
                            'e' => {}
                            _ => return None,
                        }
                    }
                }
                word => match word.strip_prefix("<<<") {
                    Some(given) => search.file = Some(value(given)?),
                    None => operands.push(word),
                },
            }
        }
        match operands.as_slice() {
            [pattern] => search.pattern = unquoted(pattern),
            [pattern, file] if search.file.is_none() => {
                search.pattern = unquoted(pattern);
                search.file = Some(format!("$(cat {})", unquoted(file)));
            }
            _ => return None,
        }
        // What a shell puts in is not known here.
        (!search.pattern.contains(['$', '`']) || search.pattern.ends_with('$') && search.pattern.matches('$').count() == 1)
            .then_some(search)
    }
}

/// The program of a command, without its folder.
fn program<'t>(words: &[&'t str]) -> &'t str {
    words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default()
}

/// A value alone: `"$X"`, `$(uname)`.
fn value(word: &str) -> Option<String> {
    let plain = unquoted(word);
    let whole = plain.starts_with('$') || plain.starts_with('`') && plain.ends_with('`');
    whole.then(|| plain.to_owned())
}

fn unquoted(word: &str) -> &str {
    ['"', '\''].iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(word)
}

/// The commands of a pipeline as their words, without what silences them; `None` for more than one pipeline.
fn stages(test: &str) -> Option<Vec<Vec<&str>>> {
    let mut found: Vec<Vec<&str>> = vec![Vec::new()];
    let (mut start, mut quote, mut depth) = (None, None, 0usize);
    for (at, c) in test.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.checked_sub(1)?,
            (None, ';' | '\n') if depth == 0 => return None,
            _ => {}
        }
        let apart = quote.is_none() && depth == 0 && (c.is_whitespace() || c == '|');
        if !apart {
            start.get_or_insert(at);
            continue;
        }
        found.last_mut()?.extend(start.take().map(|start: usize| &test[start..at]));
        if c == '|' {
            found.push(Vec::new());
        }
    }
    found.last_mut()?.extend(start.map(|start| &test[start..]));
    for words in &mut found {
        let mut target = false;
        words.retain(|word| {
            let silences = SILENCES.iter().any(|sign| word.starts_with(sign));
            let goes = std::mem::replace(&mut target, SILENCES.contains(word)) || silences;
            !goes
        });
        if words.first() == Some(&"sudo") {
            words.remove(0);
        }
    }
    let one = found.iter().all(|words| !words.is_empty() && !words.iter().any(|word| word.contains("&&")));
    one.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_and_where() {
        for (test, subject, words, negated) in [
            ("uname | grep -q Darwin", "$(uname)", &["Darwin"][..], false),
            ("uname -m | grep -qE 'arm|aarch64' > /dev/null", "$(uname -m)", &["arm", "aarch64"], false),
            ("uname -a|grep -iq \"microsoft\"", "$(uname -a)", &["microsoft"], false),
            ("grep -qi microsoft /proc/version 2>/dev/null", "$(cat /proc/version)", &["microsoft"], false),
            ("cat /proc/version | grep -q WSL", "$(cat /proc/version)", &["WSL"], false),
            ("echo \"$OSTYPE\" | egrep -q '^darwin|^msys'", "$OSTYPE", &["darwin", "msys"], false),
            ("grep -q arm <<< \"$(uname -m)\"", "$(uname -m)", &["arm"], false),
            ("grep -q arm <<<$ARCH", "$ARCH", &["arm"], false),
            ("uname -s | tr A-Z a-z | grep -v darwin", "$(uname -s)", &["darwin"], true),
            ("sudo dpkg -l | grep -q nvidia-l4t", "$(dpkg -l)", &["nvidia-l4t"], false),
            ("uname | grep -q 'Darwin$'", "$(uname)", &["Darwin"], false),
        ] {
            let grep = Grep::parse(test).expect(test);
            assert_eq!((grep.subject.as_str(), grep.negated), (subject, negated), "{test}");
            assert!(grep.pattern.words().eq(words.iter().copied()), "{test}");
        }
    }

    #[test]
    fn what_is_no_such_test() {
        for test in [
            "",
            "|",
            "grep",
            "grep -q",
            "grep -q a",
            "uname | grep -q $X",
            "uname | wc -l",
            "uname | cut -c1 | grep a",
            "a; uname | grep -q b",
            "uname | grep -qf list",
            "grep a b c",
            "uname | grep -q 'a",
            "echo x y | grep -q y",
            "uname || grep -q a",
            "é | grep é",
            "(((",
            ")",
        ] {
            assert_eq!(Grep::parse(test), None, "{test}");
        }
    }
}
