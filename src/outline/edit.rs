//! What a shell, or a command whose answer is sure, makes of words: `${A%.*}`, `| cut -d. -f1,2`.

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Edit {
    /// `${A%.*}`, `${A##*-}`: the shortest or longest part of one end that a pattern fits is taken away.
    /// Source: <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_06_02>.
    Trim {
        /// Literal but for `*`, which stands for any text.
        pattern: String,
        /// At the end, else at the beginning.
        end: bool,
        /// The longest such part.
        longest: bool,
    },
    /// `${A//./}`, `sed s/\.//`.
    Replace {
        /// Literal.
        old: String,
        /// Literal.
        new: String,
        /// All of them, else the first.
        all: bool,
    },
    /// `${A:0:4}`.
    Slice {
        /// The first character, counted from 0.
        from: usize,
        /// How many; `None` for all that follow.
        length: Option<usize>,
    },
    /// `cut -d. -f1,2`; a text without the sign stays as it is.
    Fields {
        /// The sign between them.
        sign: char,
        /// First and last, counted from 1.
        ranges: Vec<(usize, usize)>,
    },
    /// `cut -c1-3`, counted from 1.
    Characters(Vec<(usize, usize)>),
    /// `tr -d .-`.
    Delete(String),
}

/// What grows beyond is not followed.
const LONGEST: usize = 8 * 1024;

impl Edit {
    /// What it makes of a text; `None` where that is more than one line, of which each is a text of its own.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        if text.contains('\n') || text.len() > LONGEST {
            return None;
        }
        let within = |ranges: &[(usize, usize)], n: usize| ranges.iter().any(|(first, last)| (*first..=*last).contains(&n));
        let made = match self {
            Self::Trim { pattern, end, longest } => trim(text, pattern, *end, *longest).to_owned(),
            Self::Replace { old, .. } if old.is_empty() => return None,
            Self::Replace { old, new, all: true } => text.replace(old, new),
            Self::Replace { old, new, all: false } => text.replacen(old, new, 1),
            Self::Slice { from, length } => text.chars().skip(*from).take(length.unwrap_or(usize::MAX)).collect(),
            Self::Fields { sign, .. } if !text.contains(*sign) => text.to_owned(),
            Self::Fields { sign, ranges } => {
                let fields: Vec<&str> =
                    text.split(*sign).enumerate().filter(|(n, _)| within(ranges, n + 1)).map(|(_, f)| f).collect();
                fields.join(&sign.to_string())
            }
            Self::Characters(ranges) => text.chars().enumerate().filter(|(n, _)| within(ranges, n + 1)).map(|(_, c)| c).collect(),
            Self::Delete(signs) => text.chars().filter(|c| !signs.contains(*c)).collect(),
        };
        (made.len() <= LONGEST).then_some(made)
    }
}

/// Takes away what fits of one end.
fn trim<'t>(text: &'t str, pattern: &str, end: bool, longest: bool) -> &'t str {
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    // The shortest part first, or the longest.
    if end != longest {
        cuts.reverse();
    }
    let part = |at: usize| if end { &text[at..] } else { &text[..at] };
    match cuts.into_iter().find(|at| fits(part(*at), pattern)) {
        Some(at) if end => &text[..at],
        Some(at) => &text[at..],
        None => text,
    }
}

/// Whether a text is what a pattern with at most one `*` stands for.
fn fits(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((before, after)) => text.len() >= before.len() + after.len() && text.starts_with(before) && text.ends_with(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made() {
        let trim = |pattern: &str, end, longest| Edit::Trim { pattern: pattern.to_owned(), end, longest };
        let replace = |old: &str, new: &str, all| Edit::Replace { old: old.to_owned(), new: new.to_owned(), all };
        for (edit, text, made) in [
            (trim(".*", true, false), "12.4.1", Some("12.4")),
            (trim(".*", true, true), "12.4.1", Some("12")),
            (trim("*.", false, false), "12.4.1", Some("4.1")),
            (trim("*.", false, true), "12.4.1", Some("1")),
            (trim("cu", false, false), "cu124", Some("124")),
            (trim("x*", true, false), "12.4.1", Some("12.4.1")),
            (replace(".", "", true), "12.4.1", Some("1241")),
            (replace(".", "-", false), "12.4.1", Some("12-4.1")),
            (replace("", "-", true), "12.4.1", None),
            (Edit::Slice { from: 0, length: Some(4) }, "12.4.1", Some("12.4")),
            (Edit::Slice { from: 3, length: None }, "12.4.1", Some("4.1")),
            (Edit::Fields { sign: '.', ranges: vec![(1, 2)] }, "12.4.1", Some("12.4")),
            (Edit::Fields { sign: '-', ranges: vec![(2, 2)] }, "12.4.1", Some("12.4.1")),
            (Edit::Characters(vec![(1, 2), (4, 4)]), "12.4.1", Some("124")),
            (Edit::Delete(".".to_owned()), "12.4.1", Some("1241")),
            (Edit::Delete(".".to_owned()), "12\n4", None),
        ] {
            assert_eq!(edit.apply(text).as_deref(), made, "{edit:?} {text}");
        }
    }
}
