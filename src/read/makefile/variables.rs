//! Make's variables, and texts with them put in.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::outline::{Choice, Piece, PutIn};
use crate::read::excerpt::{Excerpt, UNKNOWN};
use crate::source::{FileId, Span};

/// Variables in variables.
const DEEPEST: usize = 16;
/// A longer value is not known.
const LONGEST: usize = 8 * 1024;
/// No name is longer.
const LONGEST_NAME: usize = 128;
/// No file puts in more values.
const MOST_PUT_IN: usize = 4_096;
/// Bytes that all variables of a file become, and look-ups.
const BUDGET: usize = 1 << 20;

/// One definition.
struct Defined {
    value: String,
    at: Range<usize>,
    when: Vec<Choice>,
}

/// What a name stands for.
enum Meaning {
    /// The same wherever it stands.
    One(Defined),
    /// One of these, by the conditionals around them.
    Varies(Vec<Defined>),
    /// Known only when run.
    Unknown,
}

/// A definition that a conditional chooses: name, value, place, choices.
pub(super) type Varying<'v> = (&'v str, Vec<Piece>, Range<usize>, Vec<Choice>);

/// The variables of a makefile.
#[derive(Default)]
pub(super) struct Variables {
    names: HashMap<String, Meaning>,
    /// Files that are included may define any.
    elsewhere: bool,
    spent: Cell<usize>,
}

impl Variables {
    /// Takes a definition in; `sign` is its `=`, `:=`, `?=`, `+=` or `!=`.
    pub(super) fn define(&mut self, name: &str, sign: &str, value: String, at: Range<usize>, when: Vec<Choice>) {
        let new = Defined { value, at, when };
        let before = self.names.remove(name);
        let meaning = match (sign, before) {
            ("!=", _) | (_, Some(Meaning::Unknown)) => Meaning::Unknown,
            ("?=", None) if self.elsewhere => Meaning::Unknown,
            ("?=", Some(before @ Meaning::One(_))) => before,
            ("+=", Some(Meaning::One(before))) if before.when.is_empty() && new.when.is_empty() => {
                let value = format!("{} {}", before.value, new.value);
                if value.len() > LONGEST { Meaning::Unknown } else { Meaning::One(Defined { value, ..before }) }
            }
            ("+=", Some(_)) => Meaning::Unknown,
            (_, None) if new.when.is_empty() => Meaning::One(new),
            (_, None) => Meaning::Varies(vec![new]),
            // Without a conditional the last one holds.
            (_, Some(_)) if new.when.is_empty() => Meaning::One(new),
            (_, Some(Meaning::One(before))) => Meaning::Varies(vec![before, new]),
            (_, Some(Meaning::Varies(mut all))) => {
                all.push(new);
                Meaning::Varies(all)
            }
        };
        self.names.insert(name.to_owned(), meaning);
    }

    /// A variable whose value is known only when run.
    pub(super) fn forget(&mut self, name: &str) {
        self.names.insert(name.to_owned(), Meaning::Unknown);
    }

    /// What `$@`, `$<` and `$^` are in the recipe that follows; `None` where that is not known.
    pub(super) fn in_recipe(&mut self, of: [(&str, Option<String>); 3]) {
        for (name, value) in of {
            let known = |value| Meaning::One(Defined { value, at: 0..0, when: Vec::new() });
            self.names.insert(name.to_owned(), value.map_or(Meaning::Unknown, known));
        }
    }

    /// A file is included.
    pub(super) fn more_elsewhere(&mut self) {
        self.elsewhere = true;
    }

    /// Where a variable is defined once.
    pub(super) fn place(&self, name: &str) -> Option<Range<usize>> {
        match self.names.get(name)? {
            Meaning::One(one) => Some(one.at.clone()),
            Meaning::Varies(_) | Meaning::Unknown => None,
        }
    }

    /// The value of a variable that is defined once, as it is written.
    pub(super) fn written(&self, name: &str) -> Option<&str> {
        match self.names.get(name)? {
            Meaning::One(one) => Some(&one.value),
            Meaning::Varies(_) | Meaning::Unknown => None,
        }
    }

    /// The value of a variable, all in it put in.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.looked_up(name, 0)
    }

    /// A text with all variables put in; `None` where one is not known.
    pub(super) fn filled(&self, text: &str) -> Option<String> {
        self.string(text, 0)
    }

    /// Definitions that conditionals choose between. The shell sees them as its variables.
    pub(super) fn varying(&self) -> Vec<Varying<'_>> {
        let sorted: BTreeMap<_, _> = self.names.iter().collect();
        let all = sorted.into_iter().filter_map(|(name, meaning)| match meaning {
            Meaning::Varies(all) if is_shell_name(name) => Some((name.as_str(), all)),
            _ => None,
        });
        let each = all.flat_map(|(name, all)| {
            all.iter().map(move |one| {
                let value =
                    self.filled(&one.value).filter(|v| !v.contains(|c: char| c.is_whitespace() || "$`\"'\\;&|".contains(c)));
                let pieces = value.map_or_else(|| vec![Piece::Opaque], |value| vec![Piece::Literal(value)]);
                (name, pieces, one.at.clone(), one.when.clone())
            })
        });
        each.collect()
    }

    fn looked_up(&self, name: &str, depth: usize) -> Option<String> {
        let spent = self.spent.get() + 1;
        self.spent.set(spent);
        if depth > DEEPEST || spent > BUDGET {
            return None;
        }
        let value = match self.names.get(name) {
            None if let Some(call) = name.strip_prefix("call ") => self.called(call, depth)?,
            Some(Meaning::One(one)) => self.string(&one.value, depth + 1)?,
            Some(Meaning::Varies(_)) if is_shell_name(name) => format!("${{{name}}}"),
            None if name == "MAKE" => "make".to_owned(),
            // What the shell that starts make has in it, as its own `pwd`.
            None if matches!(name, "CURDIR" | "PWD" | "shell pwd") => ".".to_owned(),
            _ => return None,
        };
        self.spent.set(self.spent.get() + value.len());
        (value.len() <= LONGEST).then_some(value)
    }

    /// `$(call NAME,a,b)`: what it is with `$(1)`, `$(2)` in it.
    /// Source: <https://www.gnu.org/software/make/manual/html_node/Call-Function.html>.
    fn called(&self, call: &str, depth: usize) -> Option<String> {
        let mut parts = arguments(call).into_iter();
        let name = parts.next()?.trim();
        // What is given is put in as it is, once.
        let given: Option<Vec<String>> = parts.map(|part| Some(self.string(part, depth + 1)?.replace('$', "$$"))).collect();
        let (written, given) = (self.written(name)?, given?);
        let (mut out, mut at) = (String::new(), 0);
        while let Some(dollar) = written[at..].find('$').map(|n| at + n) {
            out.push_str(&written[at..dollar]);
            let (own, end) = reference(written, dollar);
            match own.parse::<usize>() {
                Ok(0) => out.push_str(name),
                Ok(n) => out.push_str(given.get(n - 1).map_or("", String::as_str)),
                Err(_) => out.push_str(&written[dollar..end]),
            }
            at = end;
            if out.len() > LONGEST {
                return None;
            }
        }
        out.push_str(&written[at..]);
        self.string(&out, depth + 1)
    }

    fn string(&self, text: &str, depth: usize) -> Option<String> {
        let mut out = String::new();
        let mut at = 0;
        while let Some(dollar) = text[at..].find('$').map(|n| at + n) {
            out.push_str(&text[at..dollar]);
            let (name, end) = reference(text, dollar);
            out.push_str(&match name {
                "$" => "$".to_owned(),
                name => self.looked_up(name, depth)?,
            });
            if out.len() > LONGEST {
                return None;
            }
            at = end;
        }
        out.push_str(&text[at..]);
        Some(out)
    }

    /// Where variables that are defined once are asked for, with what they are.
    pub(super) fn put_in(&self, file: FileId, text: &str) -> Vec<PutIn> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(dollar) = text[at..].find('$').map(|n| at + n) {
            // A longer one is a call.
            let (name, end) = reference(&text[..text.floor_char_boundary(dollar + LONGEST_NAME)], dollar);
            at = end;
            if let Some(from) = self.place(name)
                && let Some(value) = self
                    .value(name)
                    .map(|value| value.trim().to_owned())
                    .filter(|value| !value.is_empty() && !value.contains('\n'))
            {
                let span = |part: Range<usize>| Span::new(file, part.start, part.end);
                found.push(PutIn { at: span(dollar..end), name: name.to_owned(), value, from: span(from) });
            }
            if found.len() >= MOST_PUT_IN {
                break;
            }
        }
        found
    }

    /// Appends a part of the file with its variables put in; the shell sees those that are not known as such.
    pub(super) fn expand(&self, text: &str, part: Range<usize>, out: &mut Excerpt) {
        let within = &text[..part.end];
        let mut at = part.start;
        while let Some(dollar) = within[at..].find('$').map(|n| at + n) {
            out.push(&within[at..dollar], at);
            let (name, end) = reference(within, dollar);
            let value = if name == "$" { Some("$".to_owned()) } else { self.looked_up(name, 0) };
            match value {
                Some(value) => out.push_for(&value, dollar..end),
                None => out.push_for(UNKNOWN.encode_utf8(&mut [0; 4]), dollar..end),
            }
            at = end;
        }
        out.push(&within[at..], at);
    }
}

/// Cut at the commas that stand in no reference.
fn arguments(call: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, c) in call.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&call[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&call[start..]);
    found
}

/// The name in `$(X)`, `${X}` or `$X`, and where the reference ends; a function call is a name that nothing has.
fn reference(text: &str, dollar: usize) -> (&str, usize) {
    let rest = &text[dollar + 1..];
    let Some(first) = rest.chars().next() else { return ("", text.len()) };
    let close = match first {
        '(' => ')',
        '{' => '}',
        _ => return (&rest[..first.len_utf8()], dollar + 1 + first.len_utf8()),
    };
    let mut depth = 0usize;
    for (at, c) in rest.char_indices() {
        if c == first {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return (rest[1..at].trim(), dollar + 1 + at + 1);
            }
        } else if c == '\n' {
            break;
        }
    }
    ("", dollar + 1 + first.len_utf8())
}

fn is_shell_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
}
