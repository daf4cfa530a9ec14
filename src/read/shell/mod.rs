//! Shell: scripts, `.bashrc` and its like, RUN bodies, `run:` blocks.
//!
//! A script is not run: every command that stands in it counts where it stands, under the tests around it; what stands in
//! a function, where that is called.

mod answers;
mod array;
mod batch;
mod branches;
mod built_to_run;
mod builtin;
mod edited;
mod fed;
mod functions;
mod heredoc;
mod leading;
mod leaving;
mod predicates;
mod redirect;
#[cfg(test)]
pub(crate) mod rendering;
mod scan;
mod sifted;
mod verdict;
mod walk;
pub(crate) mod word;

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::{Parser, Tree};

use super::excerpt::Excerpt;
use super::syntax::comments;
use crate::outline::{Act, Outline, Torn};
use crate::source::FileId;

/// Commands in a pipeline; where the last is missing, the grammar's recovery looks at them all for each.
const PIPES: usize = 1_000;
/// Heredocs in a script; each is looked for to the end of the text.
const HEREDOCS: usize = 1_000;

/// Reads a script or an rc file.
pub(crate) fn read(file: FileId, text: &str) -> Outline {
    let Script { mut acts, comments, torn } = read_excerpt(&excerpt(file, text, 0..text.len()));
    acts.splice(0..0, batch::options(file, text));
    let ignores = comments::ignores(file, text, comments.into_iter(), |line| scan::continued(text, line));
    Outline { acts, ignores, torn, ..Outline::default() }
}

/// What a script says, and where its comments stand in the file.
pub(super) struct Script {
    pub(super) acts: Vec<Act>,
    pub(super) comments: Vec<Range<usize>>,
    pub(super) torn: Vec<Torn>,
}

/// Reads a cut-together script.
pub(super) fn read_excerpt(excerpt: &Excerpt) -> Script {
    let Some(tree) = parse(excerpt.text()) else {
        return Script { acts: Vec::new(), comments: Vec::new(), torn: vec![tangled(excerpt)] };
    };
    let comments = scan::comments(&tree).into_iter().map(|at| excerpt.span(at).range()).collect();
    let (mut acts, torn) = walk::read(excerpt, &tree);
    built_to_run::join(&mut acts);
    Script { acts, comments, torn }
}

/// `None` for a text on which the grammar's error recovery would take too long; no shell script is like that.
fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar's ABI is one that tree-sitter reads");
    if text.matches("<<").count() > HEREDOCS || longest_pipeline(text) > PIPES {
        return None;
    }
    parser.parse(&*without_remarks(heredoc::with_own_ends(plain(text))), None)
}

/// The text with other scripts' letters as so many `%`, which is no syntax either: the grammar's scanner hands any
/// character to C's `isdigit`, which reads outside its table for those above 255.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() { plain.push(c) } else { plain.extend(std::iter::repeat_n('%', c.len_utf8())) }
    }
    Cow::Owned(plain)
}

/// The text without comments in backquotes (`` `# …` `` between the words of a command), which the grammar does not know; every
/// byte keeps its place. The text is ASCII.
fn without_remarks(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains("`#") {
        return text;
    }
    let mut bytes = text.into_owned().into_bytes();
    for line in bytes.split_mut(|byte| *byte == b'\n') {
        let quotes: Vec<usize> = (0..line.len()).filter(|at| line[*at] == b'`' && (*at == 0 || line[*at - 1] != b'\\')).collect();
        for pair in quotes.chunks_exact(2) {
            let apart = pair[0] == 0 || line[pair[0] - 1].is_ascii_whitespace();
            if apart && line[pair[0] + 1] == b'#' {
                line[pair[0]..=pair[1]].fill(b' ');
            }
        }
    }
    Cow::Owned(String::from_utf8(bytes).expect("ASCII takes the place of ASCII"))
}

/// An upper bound: the pipes on lines that follow each other.
fn longest_pipeline(text: &str) -> usize {
    let (mut longest, mut pipes) = (0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let here = line.matches('|').count() - 2 * line.matches("||").count();
        pipes = if here == 0 { 0 } else { pipes + here };
        longest = longest.max(pipes);
    }
    longest
}

/// A script that was given up.
fn tangled(excerpt: &Excerpt) -> Torn {
    let at = excerpt.span(0..excerpt.text().len());
    Torn { at, why: "too tangled to be read as shell".to_owned(), template: false }
}

/// Joins continued lines, drops carriage returns and the indentation that all lines share (a block in YAML).
pub(super) fn excerpt(file: FileId, text: &str, part: Range<usize>) -> Excerpt {
    let mut out = Excerpt::new(file);
    let Some(source) = text.get(part.clone()) else { return out };
    let indent = shared_indent(source);
    let mut at = part.start;
    let mut joined = false;
    for (i, line) in source.split_inclusive('\n').enumerate() {
        let bare = line.trim_end_matches('\n').trim_end_matches('\r');
        let spaces = bare.len() - bare.trim_start_matches(' ').len();
        let skip = if i == 0 || joined { 0 } else { indent.min(spaces) };
        let skip = if at == 0 && bare.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { skip };
        let backslashes = bare.len() - bare.trim_end_matches('\\').len();
        joined = backslashes % 2 == 1 && !bare.trim_start().starts_with('#');
        let end = bare.len() - usize::from(joined);
        out.push_templated(&bare[skip.min(end)..end], at + skip.min(end));
        if line.ends_with('\n') && !joined {
            out.push("\n", at + line.len() - 1);
        }
        at += line.len();
    }
    out
}

/// Joins the continued lines of a script that is already cut out.
pub(super) fn joined(script: &Excerpt) -> Excerpt {
    let (mut out, mut at) = (Excerpt::new(script.file()), 0);
    for line in script.text().split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        let backslashes = bare.len() - bare.trim_end_matches('\\').len();
        let goes_on = backslashes % 2 == 1 && bare.len() < line.len() && !bare.trim_start().starts_with('#');
        out.push_part(script, at..at + if goes_on { bare.len() - 1 } else { line.len() });
        at += line.len();
    }
    out
}

/// The text of a quoted word, as a script of its own.
pub(super) fn unquoted(excerpt: &Excerpt, part: Range<usize>) -> Excerpt {
    let source = excerpt.text().get(part.clone()).unwrap_or_default();
    let mut out = Excerpt::new(excerpt.file());
    let (mut quote, mut escaped) = (None, false);
    for (i, c) in source.char_indices() {
        let drops = match (quote, c) {
            _ if std::mem::take(&mut escaped) => false,
            (None, '\'' | '"') => {
                quote = Some(c);
                true
            }
            (Some(open), _) if open == c => {
                quote = None;
                true
            }
            (Some('\''), _) => false,
            (_, '\\') => {
                let next = source[i + 1..].chars().next();
                escaped = next.is_some_and(|n| quote.is_none() || "$`\"\\\n".contains(n));
                escaped
            }
            _ => false,
        };
        if !drops {
            out.push_part(excerpt, part.start + i..part.start + i + c.len_utf8());
        }
    }
    out
}

/// The spaces before every line but the first, which may begin in the midst of one.
fn shared_indent(source: &str) -> usize {
    let lines = source.lines().skip(1).filter(|line| !line.trim().is_empty());
    lines.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0)
}

#[cfg(test)]
mod tests;
