//! Options and arguments of a command line, told apart by a table of the options that a program knows.

use crate::outline::{Piece, Text};
use crate::source::Span;

/// The options of a program.
pub(in crate::read) struct Grammar {
    /// Options with a value: all names of one option, the name that we call it by last.
    pub(in crate::read) valued: &'static [&'static [&'static str]],
    /// Options without.
    pub(in crate::read) flags: &'static [&'static [&'static str]],
    /// Whether a long option may be cut short as long as it stays unique (Python's optparse).
    pub(in crate::read) abbreviates: bool,
}

/// A part of a command line.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::read) enum Part {
    /// An option that the program knows.
    Option {
        /// The name that the grammar calls it by.
        name: &'static str,
        /// Its value; `None` for a flag, and where the line ends before the value.
        value: Option<Text>,
        /// The option with its value.
        at: Span,
    },
    /// An argument.
    Argument(Text),
    /// An option that the program does not know. Takes no value.
    Unknown(Text),
}

impl Grammar {
    /// The subcommand: the first argument, the options before it, and the words behind it.
    pub(in crate::read) fn command<'a>(&self, words: &'a [Text]) -> Option<(Vec<Part>, &'a Text, &'a [Text])> {
        let mut parts = Vec::new();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let start = leading(word);
            if start.starts_with("--") {
                parts.push(self.long(word, start, &mut rest));
            } else if start.starts_with('-') {
                self.short(word, start, &mut rest, &mut parts);
            } else {
                return Some((parts, word, rest.as_slice()));
            }
        }
        None
    }
    /// The same of a program whose subcommands are `verbs`: unknown words before one of them stand for options.
    pub(in crate::read) fn verb<'a>(&self, words: &'a [Text], verbs: &[&str]) -> Option<(Vec<Part>, &'a Text, &'a [Text])> {
        let (mut parts, mut command, mut rest) = self.command(words)?;
        let unknown = |word: &Text| leading(word).is_empty() && word.known().is_none();
        let mut skipped = Vec::new();
        while unknown(command) {
            skipped.push(Part::Unknown(command.clone()));
            let (more, next, behind) = self.command(rest)?;
            skipped.extend(more);
            (command, rest) = (next, behind);
        }
        if !skipped.is_empty() && !command.known().is_some_and(|verb| verbs.contains(&verb)) {
            return self.command(words);
        }
        parts.extend(skipped);
        Some((parts, command, rest))
    }
    /// Takes a command line apart.
    pub(in crate::read) fn parse(&self, words: &[Text]) -> Vec<Part> {
        let mut parts = Vec::with_capacity(words.len());
        let mut words = words.iter();
        let mut options = true;
        while let Some(word) = words.next() {
            let start = leading(word);
            if !options || !start.starts_with('-') || start == "-" && word.pieces.len() == 1 {
                parts.push(Part::Argument(word.clone()));
            } else if word.known() == Some("--") {
                options = false;
            } else if start.starts_with("--") {
                parts.push(self.long(word, start, &mut words));
            } else {
                self.short(word, start, &mut words, &mut parts);
            }
        }
        parts
    }
    fn long<'a>(&self, word: &Text, start: &str, rest: &mut impl Iterator<Item = &'a Text>) -> Part {
        let (written, glued) = start.split_once('=').map_or((start, false), |(name, _)| (name, true));
        // "--${X}" may be any option.
        let whole = glued || word.pieces.len() == 1;
        match self.find(written).filter(|_| whole) {
            Some((name, true)) if glued => {
                let value = behind(word, written.len() + 1);
                Part::Option { name, value: Some(value), at: word.at }
            }
            Some((name, true)) => with_next(name, word, rest),
            Some((name, false)) => Part::Option { name, value: None, at: word.at },
            None => Part::Unknown(word.clone()),
        }
    }
    /// `-r x`, `-rx`, and several in one: `-qU`, `-Ur x`.
    fn short<'a>(&self, word: &Text, start: &str, rest: &mut impl Iterator<Item = &'a Text>, parts: &mut Vec<Part>) {
        for (at, letter) in start.char_indices().skip(1) {
            let end = at + letter.len_utf8();
            let last = end == start.len() && word.pieces.len() == 1;
            match self.find(&format!("-{letter}")) {
                Some((name, false)) => parts.push(Part::Option { name, value: None, at: word.at }),
                Some((name, true)) if last => return parts.push(with_next(name, word, rest)),
                Some((name, true)) => {
                    return parts.push(Part::Option { name, value: Some(behind(word, end)), at: word.at });
                }
                None => return parts.push(Part::Unknown(word.clone())),
            }
        }
    }
    /// The name that an option goes by, and whether it takes a value.
    fn find(&self, written: &str) -> Option<(&'static str, bool)> {
        let all = || {
            let rows = |rows: &'static [&'static [&'static str]], valued| rows.iter().map(move |names| (*names, valued));
            rows(self.valued, true).chain(rows(self.flags, false))
        };
        let called = |(names, valued): (&'static [&'static str], bool)| Some((*names.last()?, valued));
        if let Some(row) = all().find(|(names, _)| names.contains(&written)) {
            return called(row);
        }
        if !self.abbreviates || written.len() < 4 || !written.starts_with("--") {
            return None;
        }
        let mut close = all().filter(|(names, _)| names.iter().any(|name| name.starts_with(written)));
        let row = close.next()?;
        close.next().is_none().then(|| called(row)).flatten()
    }
}

fn with_next<'a>(name: &'static str, word: &Text, rest: &mut impl Iterator<Item = &'a Text>) -> Part {
    let value = rest.next().cloned();
    let at = value.as_ref().map_or(word.at, |value| word.at.to(value.at));
    Part::Option { name, value, at }
}

/// The literal that a word begins with; empty where it begins with a variable.
pub(in crate::read) fn leading(word: &Text) -> &str {
    match word.pieces.first() {
        Some(Piece::Literal(text)) => text,
        _ => "",
    }
}

/// A word without the first `length` bytes of the literal that it begins with.
pub(in crate::read) fn behind(word: &Text, length: usize) -> Text {
    let mut pieces = word.pieces.clone();
    if let Some(Piece::Literal(text)) = pieces.first_mut() {
        text.replace_range(..text.floor_char_boundary(length), "");
        if text.is_empty() {
            pieces.remove(0);
        }
    }
    let skip = u32::try_from(length).unwrap_or(u32::MAX);
    let start = word.at.start.saturating_add(skip).min(word.at.end);
    // A quoted word is longer than what it means: its parts have no place of their own.
    let exact = word.known().is_none_or(|text| text.len() == word.at.range().len());
    Text { pieces, at: if exact { Span { start, ..word.at } } else { word.at } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    const GRAMMAR: Grammar = Grammar {
        valued: &[&["-r", "--requirement"], &["-i", "--pypi-url", "--index-url"]],
        flags: &[&["-q", "--quiet"], &["-U", "--upgrade"], &["--upgrade-all"]],
        abbreviates: true,
    };

    fn show(line: &str) -> String {
        let mut words = Vec::new();
        let mut start = 0;
        for word in line.split(' ') {
            words.push(Text::literal(word, Span::new(FileId(0), start, start + word.len())));
            start += word.len() + 1;
        }
        let part = |part: &Part| match part {
            Part::Option { name, value: Some(value), at } => {
                assert_eq!(&line[value.at.range()], value.known().expect("a literal"));
                format!("{name}={} <{}>", value.known().expect("a literal"), &line[at.range()])
            }
            Part::Option { name, .. } => (*name).to_owned(),
            Part::Argument(word) => word.known().expect("a literal").to_owned(),
            Part::Unknown(word) => format!("?{}", word.known().expect("a literal")),
        };
        GRAMMAR.parse(&words).iter().map(part).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn forms() {
        for (line, want) in [
            ("-r x torch", "--requirement=x <-r x> | torch"),
            ("-rx torch", "--requirement=x <-rx> | torch"),
            ("--requirement=x -qU", "--requirement=x <--requirement=x> | --quiet | --upgrade"),
            ("-Ur x", "--upgrade | --requirement=x <-Ur x>"),
            ("--pypi-url u --req f", "--index-url=u <--pypi-url u> | --requirement=f <--req f>"),
            ("--upgrade --upg x", "--upgrade | ?--upg | x"),
            ("--new torch -Z x", "?--new | torch | ?-Z | x"),
            ("-- -r x", "-r | x"),
            ("- -r", "- | --requirement"),
            ("--index-url=", "--index-url= <--index-url=>"),
            ("-中", "?-中"),
        ] {
            assert_eq!(show(line), want, "{line}");
        }
    }

    #[test]
    fn a_subcommand() {
        let words = ["-q", "-i", "u", "--new", "install", "-U"].map(|w| Text::literal(w, Span::new(FileId(0), 0, w.len())));
        let (parts, command, rest) = GRAMMAR.command(&words).expect("a command");
        assert_eq!((parts.len(), command.known(), rest.len()), (3, Some("install"), 1));
        assert!(GRAMMAR.command(&words[..4]).is_none());
    }

    #[test]
    fn variables_stay() {
        let at = Span::new(FileId(0), 0, 16);
        let variable = Piece::Variable { name: "URL".into(), fallback: None, instead: None };
        let word = Text { pieces: vec![Piece::Literal("--index-url=".into()), variable.clone()], at };
        let [Part::Option { name: "--index-url", value: Some(value), .. }] = &GRAMMAR.parse(&[word])[..] else {
            panic!("an option")
        };
        assert_eq!((value.pieces.as_slice(), value.at.start), (&[variable.clone()][..], 12));
        let word = Text { pieces: vec![variable], at };
        assert_eq!(GRAMMAR.parse(std::slice::from_ref(&word)), [Part::Argument(word)]);
    }
}
