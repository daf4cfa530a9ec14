//! Comments that silence rules: `# cudalint: ignore[rule-a, rule-b] reason`, `# cudalint: ignore-file[rule]`.

use std::ops::Range;

use crate::outline::{Covers, Ignore, Vain};
use crate::source::{FileId, Span};

/// Comment lines that may stand between a comment and the line it speaks of.
const STACKED: usize = 32;

/// The ignore comments among `comments`: byte ranges of whole comments (`#` or `//` included, line end not), in the
/// order of the text.
///
/// A comment behind something speaks of its own line; one alone on its line speaks of the line below (further comment
/// lines in between do not matter). `whole` widens that line to the thing it belongs to, an instruction or a continued
/// line; `|line| line` where a line is a line. `ignore-file` counts where only comments stand before it.
pub(crate) fn ignores(
    file: FileId,
    text: &str,
    comments: impl Iterator<Item = Range<usize>>,
    whole: impl Fn(Range<usize>) -> Range<usize>,
) -> Vec<Ignore> {
    let mut found = Vec::new();
    let (mut top, mut seen) = (true, 0);
    let mut line = line_at(text, 0);
    for comment in comments {
        let Some(body) = text.get(comment.clone()) else { continue };
        top = top && text.get(seen..comment.start).is_some_and(blank);
        seen = comment.end;
        // All that a comment says is said of the same lines.
        let mut spoken_of = None;
        for (said, names) in directives(body) {
            let covers = match said {
                Said::Ignore => *spoken_of.get_or_insert_with(|| {
                    if comment.start >= line.end {
                        line = line_from(text, line.end, comment.start);
                    }
                    let alone = text.get(line.start..comment.start).is_some_and(blank);
                    let spoken_of = if alone { below(text, comment.end) } else { line.clone() };
                    let all = whole(spoken_of.clone());
                    Covers::Lines(Span::new(file, all.start.min(spoken_of.start), all.end.max(spoken_of.end)))
                }),
                Said::IgnoreFile if top => Covers::File,
                Said::IgnoreFile => Covers::Nothing(Vain::NotAtTop),
                Said::Vain(why) => Covers::Nothing(why),
            };
            let names = if matches!(covers, Covers::Nothing(_)) { 0..0 } else { names };
            let rules = names_in(body, names)
                .map(|name| {
                    let at = Span::new(file, comment.start + name.start, comment.start + name.end);
                    (body[name].to_owned(), at)
                })
                .collect::<Vec<_>>();
            found.push(Ignore { at: Span::new(file, comment.start, comment.end), rules, covers });
        }
    }
    found
}

/// Nothing that a file says: white space, a byte order mark, the start of a YAML document.
fn blank(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    text.is_empty() || text == "---"
}

/// What a comment says to this program.
enum Said {
    Ignore,
    IgnoreFile,
    /// Something else, or not in the way in which it counts.
    Vain(Vain),
}

/// What is said, and the bytes between its brackets; none where there are no brackets. Words that are neither `ignore` nor
/// `ignore-file` only where the comment begins with them: in prose the name may stand before a colon.
fn directives(comment: &str) -> Vec<(Said, Range<usize>)> {
    let small = comment.to_ascii_lowercase();
    let places: Vec<usize> = small.match_indices(NAME).map(|(at, _)| at).collect();
    // Each ends where the next begins, so that no byte is looked at twice.
    let ends = places.iter().skip(1).copied().chain([comment.len()]);
    places.iter().zip(ends).filter_map(|(at, end)| directive(&comment[..end], *at)).collect()
}

const NAME: &str = "cudalint";

/// What is said where the name stands at `at`, in letters of any case.
fn directive(comment: &str, at: usize) -> Option<(Said, Range<usize>)> {
    let before = comment[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || "-_.".contains(c)) {
        return None;
    }
    let begins = before.is_none() || comment[..at].trim_end().ends_with(['#', '/']);
    let behind = &comment[at + NAME.len()..];
    let (exact, said) = match behind.strip_prefix(':') {
        Some(said) => (comment[at..].starts_with(NAME), said.trim_start()),
        None if behind.starts_with([' ', '\t']) => (false, behind.trim_start().trim_start_matches(':').trim_start()),
        None => return None,
    };
    let end = said.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').unwrap_or(said.len());
    let (word, rest) = said.split_at(end);
    let list = rest.trim_start().strip_prefix('[');
    let names = list.unwrap_or_default();
    let close = names.find([']', '\n']).filter(|close| names[*close..].starts_with(']'));
    let meant = ["ignore", "ignore-file", "ignore_file"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let said = match word {
        "ignore" | "ignore-file" if exact && list.is_some() && close.is_none() => Said::Vain(Vain::Open),
        "ignore" if exact => Said::Ignore,
        "ignore-file" if exact => Said::IgnoreFile,
        _ if begins && meant && list.is_some() => Said::Vain(Vain::Misspelt),
        _ if begins && exact && !word.is_empty() => Said::Vain(Vain::OtherWord),
        _ => return None,
    };
    let start = comment.len() - names.len();
    Some((said, start..start + close.unwrap_or(0)))
}

/// The names in a list, without the blanks around them.
fn names_in(comment: &str, list: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = list.start;
    comment[list].split(',').filter_map(move |part| {
        let at = start + (part.len() - part.trim_start().len());
        start += part.len() + 1;
        let name = part.trim();
        (!name.is_empty()).then_some(at..at + name.len())
    })
}

/// The line that starts at `start`, its line end included.
fn line_at(text: &str, start: usize) -> Range<usize> {
    start..text[start..].find('\n').map_or(text.len(), |n| start + n + 1)
}

/// The line that holds `offset`; `start` is the start of a line before it.
fn line_from(text: &str, start: usize, offset: usize) -> Range<usize> {
    let start = text[start..offset].rfind('\n').map_or(start, |n| start + n + 1);
    line_at(text, start)
}

/// The lines below `end` up to the first that is more than a comment.
fn below(text: &str, end: usize) -> Range<usize> {
    let first = line_at(text, end).end;
    let mut last = line_at(text, first);
    for _ in 0..STACKED {
        let line = text[last.clone()].trim_start();
        if !(line.starts_with('#') || line.starts_with("//")) || last.end == text.len() {
            break;
        }
        last = line_at(text, last.end);
    }
    first..last.end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments are what follows a `#`.
    fn read(text: &str) -> Vec<(String, String)> {
        let mut comments = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if let Some(at) = line.find('#') {
                comments.push(start + at..start + line.trim_end_matches(['\r', '\n']).len());
            }
            start += line.len();
        }
        let found = ignores(FileId(0), text, comments.into_iter(), |line| line);
        let show = |i: &Ignore| {
            for (name, at) in &i.rules {
                assert_eq!(&text[at.range()], name);
            }
            let rules: Vec<_> = i.rules.iter().map(|r| r.0.as_str()).collect();
            let covers = match i.covers {
                Covers::File => "FILE".to_owned(),
                Covers::Nothing(vain) => format!("{vain:?}"),
                Covers::Lines(at) => text[at.range()].to_owned(),
            };
            (rules.join("+"), covers)
        };
        found.iter().map(show).collect()
    }

    #[test]
    fn what_a_comment_covers() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("torch # cudalint: ignore[a, b] why\nx\n", &[("a+b", "torch # cudalint: ignore[a, b] why\n")]),
            ("# cudalint: ignore[a]\r\ntorch\r\nx", &[("a", "torch\r\n")]),
            ("  #cudalint:ignore [a]\ntorch", &[("a", "torch")]),
            ("# cudalint: ignore[a]", &[("a", "")]),
            ("# cudalint: ignore[a]\n# cudalint: ignore[b]\nt\nx", &[("a", "# cudalint: ignore[b]\nt\n"), ("b", "t\n")]),
            ("#!/bin/sh\n\n# cudalint: ignore-file[a]\nx", &[("a", "FILE")]),
            ("\u{feff}# cudalint: ignore-file[a]", &[("a", "FILE")]),
            ("x\n# cudalint: ignore-file[a]", &[("", "NotAtTop")]),
            ("x # cudalint: disable=a", &[("", "OtherWord")]),
            ("x # noqa # cudalint: noqa", &[("", "OtherWord")]),
            ("x # run cudalint: it is good", &[]),
            ("x # noqa # cudalint: ignore[a]", &[("a", "x # noqa # cudalint: ignore[a]")]),
            ("x # cudalint: ignore", &[("", "x # cudalint: ignore")]),
            ("x # cudalint: ignore because", &[("", "x # cudalint: ignore because")]),
            ("x # cudalint: ignore[", &[("", "Open")]),
            ("x # cudalint: ignore[a\n]", &[("", "Open")]),
            ("# cudalint: ignore-file[a", &[("", "Open")]),
            ("x # cudalint ignore[a]", &[("", "Misspelt")]),
            ("x # cudalint : ignore[a]", &[("", "Misspelt")]),
            ("x # Cudalint: Ignore[a]", &[("", "Misspelt")]),
            ("x # CUDALINT: ignore[a]", &[("", "Misspelt")]),
            ("x # cudalint: Ignore-File[a]", &[("", "Misspelt")]),
            ("x # cudalint: ignore_file[a]", &[("", "Misspelt")]),
            ("x # see cudalint ignore[a]", &[]),
            ("x # cudalint ignores much", &[]),
            ("x # Cudalint: a linter", &[]),
            ("x # cudalint-ignore[a]", &[]),
            ("x # cudalint: ignore[ , ]", &[("", "x # cudalint: ignore[ , ]")]),
            ("# cudalint: ignore-file\nx", &[("", "FILE")]),
            ("x # cudalint:", &[]),
            ("x # cudalint: ignores", &[("", "OtherWord")]),
            ("x # cudalint: ignoré[a]", &[("", "OtherWord")]),
            ("x # see my-cudalint: ignore[a]", &[]),
            ("x # cudalint: ignored[a]", &[("", "OtherWord")]),
            ("x # cudalint: ignore[中,é]", &[("中+é", "x # cudalint: ignore[中,é]")]),
        ];
        for (text, want) in cases {
            let want: Vec<_> = want.iter().map(|(r, c)| ((*r).to_owned(), (*c).to_owned())).collect();
            assert_eq!(read(text), want, "{text:?}");
        }
    }

    #[test]
    fn hostile_comments_stay_cheap() {
        for part in ["cudalint: ignore[", "cudalint: ignore[a] ", "cudalint ", "# Cudalint : ignore-file"] {
            let comment = format!("# {}", part.repeat(100_000));
            let text = format!("{comment}\n{}", "x".repeat(1 << 20));
            let started = std::time::Instant::now();
            let whole = std::iter::once(0..comment.len());
            assert!(ignores(FileId(0), &text, whole, |line| line).len() <= 100_000);
            assert!(started.elapsed().as_secs() < 10, "{part}");
        }
    }

    #[test]
    fn a_line_is_widened() {
        let text = "# cudalint: ignore[a]\nRUN a \\\n b\nx";
        let found = ignores(FileId(0), text, std::iter::once(0..21), |line| line.start..35);
        assert_eq!(found[0].covers, Covers::Lines(Span::new(FileId(0), 22, 35)));
    }
}
