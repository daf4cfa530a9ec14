//! Patterns of `grep` and `=~` that are made of letters, alternatives and anchors, as those are that tests of a machine use.

/// A longer pattern is none of these.
const LONGEST: usize = 256;
/// Nor is one that stands for more words.
const MOST: usize = 64;

/// How a pattern is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// That of `=~` and `grep -E`.
    Extended,
    /// That of `grep`: a backslash makes `|`, `(` and `)` what they are in the other.
    Basic,
    /// Letters mean themselves.
    Fixed,
}

/// A pattern that stands for a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    words: Vec<Word>,
    ignores_case: bool,
}

/// A word, and whether nothing may stand before and behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Word {
    letters: String,
    begins: bool,
    ends: bool,
}

impl Pattern {
    /// `None` for one that has more than letters, sets of letters, groups, alternatives and anchors.
    pub(crate) fn parse(text: &str, form: Form, ignores_case: bool) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let words = match form {
            Form::Fixed => vec![Word { letters: text.to_owned(), ..Word::default() }],
            Form::Extended => alternatives(text)?,
            Form::Basic => alternatives(&extended(text))?,
        };
        let whole = words.iter().all(|word| !word.letters.is_empty());
        whole.then_some(Self { words, ignores_case })
    }

    /// Whether it is found in a line.
    pub(crate) fn fits(&self, line: &str) -> bool {
        let folded = |text: &str| if self.ignores_case { text.to_ascii_lowercase() } else { text.to_owned() };
        let line = folded(line);
        self.words.iter().any(|word| {
            let letters = folded(&word.letters);
            match (word.begins, word.ends) {
                (true, true) => line == letters,
                (true, false) => line.starts_with(&letters),
                (false, true) => line.ends_with(&letters),
                (false, false) => line.contains(&letters),
            }
        })
    }

    /// The words that it stands for.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.letters.as_str())
    }
}

/// A basic pattern in the extended form.
fn extended(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(next) if "|(){}+?".contains(next) => out.push(next),
                Some(next) => out.extend(['\\', next]),
                None => out.push('\\'),
            },
            '|' | '(' | ')' | '{' | '}' | '+' | '?' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// The words of an extended pattern, with a group's put in.
fn alternatives(text: &str) -> Option<Vec<Word>> {
    let mut found = Vec::new();
    let mut now = vec![Word::default()];
    // What stood before the group that is open, and the words that are read in it.
    let mut group: Option<(Vec<Word>, Vec<Word>)> = None;
    let mut chars = text.chars().peekable();
    let mut first = true;
    while let Some(c) = chars.next() {
        let begins = std::mem::take(&mut first);
        let ended = now.iter().any(|word| word.ends);
        match c {
            '|' => {
                match &mut group {
                    Some((before, read)) => {
                        read.append(&mut now);
                        now.clone_from(before);
                    }
                    None => {
                        found.append(&mut now);
                        now = vec![Word::default()];
                        first = true;
                    }
                }
                continue;
            }
            '^' if begins => now.iter_mut().for_each(|word| word.begins = true),
            '(' if group.is_none() && !ended => {
                group = Some((now.clone(), Vec::new()));
                // `(^a|^b)` is the same as `^(a|b)` only where all of them have it.
                first = false;
            }
            ')' => {
                let (_, mut read) = group.take()?;
                read.append(&mut now);
                now = read;
            }
            '$' if matches!(chars.peek(), None | Some('|' | ')')) => now.iter_mut().for_each(|word| word.ends = true),
            // Anything may stand at either end in any case.
            '.' if chars.peek() == Some(&'*') && !ended => {
                chars.next();
                let at_end = group.is_none() && matches!(chars.peek(), None | Some('|'));
                let at_start = now.iter().all(|word| word.letters.is_empty());
                match (at_start, at_end) {
                    (true, _) => now.iter_mut().for_each(|word| word.begins = false),
                    (false, true) => {}
                    (false, false) => return None,
                }
                continue;
            }
            '[' if !ended => {
                let set: String = chars.by_ref().take_while(|c| *c != ']').collect();
                if set.is_empty() || !set.chars().all(|c| c.is_ascii_alphanumeric()) {
                    return None;
                }
                now = now.iter().flat_map(|word| set.chars().map(|c| with(word, c))).take(MOST + 1).collect();
            }
            '\\' => {
                let next = chars.next().filter(|next| next.is_ascii_punctuation())?;
                now.iter_mut().for_each(|word| word.letters.push(next));
            }
            c if !ended && (c.is_ascii_alphanumeric() || "-_/ :,=".contains(c)) => {
                now.iter_mut().for_each(|word| word.letters.push(c));
            }
            _ => return None,
        }
        // What is repeated is no word.
        if matches!(chars.peek(), Some('*' | '+' | '?' | '{')) || now.len() + found.len() > MOST {
            return None;
        }
        if let Some((_, read)) = &group
            && read.len() > MOST
        {
            return None;
        }
    }
    found.append(&mut now);
    group.is_none().then_some(found)
}

fn with(word: &Word, c: char) -> Word {
    let mut word = word.clone();
    word.letters.push(c);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_finds() {
        for (pattern, form, fits, not) in [
            ("^darwin", Form::Extended, &["darwin", "darwin23"][..], &["x-darwin", "Darwin"][..]),
            ("^(aarch64|arm64)$", Form::Extended, &["aarch64", "arm64"], &["arm", "xarm64", "x86_64"]),
            ("^(MINGW|MSYS)", Form::Extended, &["MINGW64_NT", "MSYS_NT"], &["Linux"]),
            ("^a|b$", Form::Extended, &["ab", "ax", "xb"], &["xa", "bx"]),
            ("arm|aarch64", Form::Extended, &["armv7l", "aarch64"], &["x86_64"]),
            ("[Dd]arwin.*", Form::Extended, &["darwin1", "Darwin"], &["arwin"]),
            (".*arm.*", Form::Extended, &["alarm", "arm"], &["x"]),
            ("^12\\.", Form::Extended, &["12.4"], &["12"]),
            ("x(a|b)y", Form::Extended, &["xay", "1xby2"], &["xy", "xcy"]),
            ("arm\\|aarch64", Form::Basic, &["arm", "aarch64"], &["x86_64"]),
            ("arm|aarch64", Form::Basic, &["arm|aarch64"], &["arm", "aarch64"]),
            ("a.b", Form::Fixed, &["a.b"], &["axb"]),
        ] {
            let parsed = Pattern::parse(pattern, form, false).expect(pattern);
            fits.iter().for_each(|line| assert!(parsed.fits(line), "{pattern} in {line}"));
            not.iter().for_each(|line| assert!(!parsed.fits(line), "{pattern} not in {line}"));
        }
        assert!(Pattern::parse("WSL2", Form::Basic, true).is_some_and(|p| p.fits("x-wsl2")));
        assert!(Pattern::parse("^(a|b)$", Form::Extended, false).is_some_and(|p| p.words().eq(["a", "b"])));
    }

    #[test]
    fn what_is_no_word() {
        for pattern in
            ["", "a.b", "a+", "a|", "(a", "a)", "((a))", "[a-z]", "[", "a{2}", "(a)*", "$X", "a.*b", "^", "\\d", "a$b", "é", "`"]
        {
            assert_eq!(Pattern::parse(pattern, Form::Extended, false), None, "{pattern}");
        }
        let wide = "[abcd]".repeat(40);
        assert_eq!(Pattern::parse(&wide, Form::Extended, false), None);
        assert_eq!(Pattern::parse(&"(a|b)".repeat(30), Form::Extended, false), None);
        assert_eq!(Pattern::parse(&"a|".repeat(100), Form::Extended, false), None);
    }
}
