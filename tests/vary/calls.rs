//! `pip install …` in a line of a Dockerfile, script or workflow, taken apart.

use std::ops::Range;

use cudalint::outline::Kind;

use crate::written::{Line, Written};

/// Words that are followed by `install` where pip is called.
const PIP: &[&str] = &["python3 -m pip install ", "python -m pip install ", "uv pip install ", "pip3 install ", "pip install "];
/// Options of pip whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-r",
    "-c",
    "-e",
    "-i",
    "-f",
    "-t",
    "--requirement",
    "--constraint",
    "--editable",
    "--index-url",
    "--extra-index-url",
    "--find-links",
    "--target",
    "--no-binary",
    "--only-binary",
];

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    /// An option, with its value.
    Option,
    /// A requirement by name.
    Requirement,
    /// A path, or what a variable or a program says.
    Other,
}

/// One argument: an option's value belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) text: String,
    pub(crate) is: Is,
}

/// One call within a line.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Of the whole call within the line.
    pub(crate) at: Range<usize>,
    /// `pip install`, as it is written.
    pub(crate) head: String,
    pub(crate) arguments: Vec<Argument>,
}

impl Call {
    /// The call with these words instead.
    pub(crate) fn text(head: &str, arguments: &[Argument]) -> String {
        arguments.iter().fold(head.to_owned(), |text, argument| text + " " + &argument.text)
    }

    pub(crate) fn is_uv(&self) -> bool {
        self.head.starts_with("uv")
    }

    pub(crate) fn requirements(&self) -> impl Iterator<Item = &Argument> {
        self.arguments.iter().filter(|argument| argument.is == Is::Requirement)
    }

    /// The value of an option, if it is given once.
    pub(crate) fn value(&self, option: &str) -> Option<&str> {
        let mut values = self.arguments.iter().filter_map(|argument| argument.text.strip_prefix(option)?.strip_prefix(' '));
        values.next().filter(|_| values.next().is_none())
    }
}

/// The calls in a line, first to last.
pub(crate) fn calls(line: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut from = 0;
    // With a comment, or as a list of words it is no command line.
    if line.ends_with('\\') || line.contains('#') || line.starts_with("RUN [") {
        return calls;
    }
    while let Some((start, head)) = next(line, from) {
        let words = start + head.len();
        let end = words + end_of_command(&line[words..]);
        if let Some(arguments) = arguments(line[words..end].trim()) {
            let at = start..words + line[words..end].trim_end().len();
            calls.push(Call { at, head: head.trim_end().to_owned(), arguments });
        }
        from = end;
    }
    calls
}

fn next(line: &str, from: usize) -> Option<(usize, &'static str)> {
    let is_word = |at: usize| line[..at].ends_with([' ', '"', '(', ';']) || at == 0;
    let of = |head: &&'static str| {
        let found = line[from..].match_indices(*head).map(|(at, _)| from + at).find(|at| is_word(*at))?;
        Some((found, *head))
    };
    // `uv pip install` begins before the `pip install` in it.
    PIP.iter().filter_map(of).min_by_key(|(at, _)| *at)
}

fn end_of_command(rest: &str) -> usize {
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            (None, ';' | '&' | '|') => return at,
            _ => {}
        }
    }
    rest.len()
}

/// `None` for what is not told apart by spaces.
fn arguments(text: &str) -> Option<Vec<Argument>> {
    let mut arguments: Vec<Argument> = Vec::new();
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let bare = unquoted(word);
        let whole =
            (bare == word && !word.contains(['\'', '"'])) || (word.len() == bare.len() + 2 && !bare.contains(['\'', '"']));
        if !whole || word.contains(['(', '`', '>']) && bare == word {
            return None;
        }
        if WITH_VALUE.contains(&word) {
            arguments.push(Argument { text: format!("{word} {}", words.next()?), is: Is::Option });
        } else if word.starts_with('-') {
            arguments.push(Argument { text: word.to_owned(), is: Is::Option });
        } else {
            let named = bare.starts_with(|c: char| c.is_ascii_alphabetic()) && !bare.contains(['$', '/', '@', ':', '\\']);
            arguments.push(Argument { text: word.to_owned(), is: if named { Is::Requirement } else { Is::Other } });
        }
    }
    Some(arguments)
}

/// A word without the quotes round it.
pub(crate) fn unquoted(word: &str) -> &str {
    let inside = |q: char| word.strip_prefix(q)?.strip_suffix(q);
    inside('"').or_else(|| inside('\'')).unwrap_or(word)
}

/// Whether pip is called in files of the kind.
pub(crate) fn has_calls(kind: Kind) -> bool {
    matches!(kind, Kind::Dockerfile | Kind::Script | Kind::Workflow)
}

/// The case with each call in the words that `f` has for it.
pub(crate) fn each_call(written: &Written, f: impl Fn(Kind, &Call) -> Option<String>) -> Option<Written> {
    written.each_line(|kind, line| {
        let calls = if has_calls(kind) { calls(&line.text) } else { Vec::new() };
        let mut text = line.text.clone();
        // From the last, so that places before it stay.
        for call in calls.iter().rev() {
            if let Some(new) = f(kind, call) {
                text.replace_range(call.at.clone(), &new);
            }
        }
        (text != line.text).then(|| text.split('\n').map(|text| line.with(text)).collect::<Vec<Line>>())
    })
}

#[test]
fn calls_are_taken_apart() {
    let line = "RUN apt-get update && pip install -r a.txt torch==2.1.0 \"x[y]\" ./src --pre; uv pip install $A";
    let calls = calls(line);
    let told: Vec<_> = calls.iter().map(|call| (&line[call.at.clone()], call.arguments.iter().map(|a| a.is).collect())).collect();
    let first = vec![Is::Option, Is::Requirement, Is::Requirement, Is::Other, Is::Option];
    assert_eq!(
        told,
        [("pip install -r a.txt torch==2.1.0 \"x[y]\" ./src --pre", first), ("uv pip install $A", vec![Is::Other]),]
    );
}
