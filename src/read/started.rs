//! What a container's own command does: `command: bash -c "pip install x && python y"` in a compose file, `command` and `args` in
//! a manifest.

use std::ops::Range;

use super::excerpt::Excerpt;
use super::syntax::yaml::Node;
use super::{container, inline, scalar, shell};
use crate::outline::{Act, Does, Place, When};
use crate::source::{FileId, Span};

/// The words of commands that are looked at together.
const MOST_WORDS: usize = 1_000;

/// Who puts values into the text of a command before it is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PutInBy {
    /// Compose: `$$` is a dollar sign.
    Compose,
    /// Nobody, or nobody whose way of writing is not a shell's.
    Nobody,
}

/// What a command does; where it stands, and where its comments are.
#[derive(Default)]
pub(super) struct Started {
    pub(super) acts: Vec<Act>,
    pub(super) comments: Vec<Range<usize>>,
}

/// Reads the words of a container's entrypoint and of its arguments, one after the other.
pub(super) fn read(file: FileId, nodes: &[Node<'_>], by: PutInBy) -> Started {
    let words: Vec<Excerpt> = nodes.iter().flat_map(|node| words(*node, by)).take(MOST_WORDS).collect();
    let Some(at) = nodes.iter().map(|node| node.at()).reduce(Span::to).filter(|_| !words.is_empty()) else {
        return Started::default();
    };
    let acts = inside(at, shell::read_excerpt(&line(file, &words, by)).acts);
    let scripts = words.iter().filter(|word| word.text().contains('\n') && !acts.is_empty());
    Started { comments: scripts.flat_map(inline::lines_of_comments).collect(), acts }
}

/// These acts as those of the container that the launch before them starts; none where nothing is done.
fn inside(at: Span, acts: Vec<Act>) -> Vec<Act> {
    if acts.is_empty() {
        return acts;
    }
    let enter = |place| Act { at, when: When::default(), does: Does::Enter(place) };
    [enter(Place::Subshell), enter(Place::Started)].into_iter().chain(acts).chain([enter(Place::Back)]).collect()
}

/// The words of a list, or of a text that is cut as a shell would; nothing where one of them is not known.
fn words(node: Node<'_>, by: PutInBy) -> Vec<Excerpt> {
    let text = |node: Node<'_>| {
        let text = scalar::excerpt(node)?.templated();
        let put_in = by == PutInBy::Compose && text.text().contains("$$");
        Some(if put_in { without_doubles(&text) } else { text })
    };
    if node.is_list() {
        let all: Option<Vec<Excerpt>> = node.items().into_iter().map(text).collect();
        return all.unwrap_or_default();
    }
    let Some(whole) = Some(node).filter(|node| !node.is_null()).and_then(text) else { return Vec::new() };
    container::split(whole.text()).into_iter().map(|(_, part)| shell::unquoted(&whole, part)).collect()
}

/// `$$` as the dollar sign that it is.
fn without_doubles(text: &Excerpt) -> Excerpt {
    let (mut out, mut done) = (Excerpt::new(text.file()), 0);
    for (at, _) in text.text().match_indices("$$") {
        out.push_part(text, done..at);
        out.push_for("$", text.span(at..at + 2).range());
        done = at + 2;
    }
    out.push_part(text, done..text.text().len());
    out
}

/// Words as the one line of a shell in which each is quoted. What Compose puts into a word is known only with its variables; those
/// of a script are as good as its shell's.
fn line(file: FileId, words: &[Excerpt], by: PutInBy) -> Excerpt {
    let mut out = Excerpt::new(file);
    for word in words {
        let at = word.span(0..word.text().len()).range();
        let is_script = word.text().contains(char::is_whitespace);
        let mark = if by == PutInBy::Compose && !is_script { '"' } else { '\'' };
        let quote = |out: &mut Excerpt, text: &str, place: usize| out.push_for(text, place..place);
        quote(&mut out, &mark.to_string(), at.start);
        let mut done = 0;
        for (quoted, _) in word.text().match_indices(mark) {
            out.push_part(word, done..quoted);
            out.push_for(if mark == '"' { "\\\"" } else { "'\\''" }, word.span(quoted..quoted + 1).range());
            done = quoted + 1;
        }
        out.push_part(word, done..word.text().len());
        quote(&mut out, &format!("{mark} "), at.end);
    }
    out
}
