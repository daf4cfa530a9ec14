//! Dockerfiles that stand in compose files (`dockerfile_inline`), in bake files (`dockerfile-inline`) and behind commands.

use std::ops::Range;

use super::excerpt::{Excerpt, UNKNOWN};
use super::syntax::yaml::Node;
use super::{scalar, written};
use crate::outline::{Act, Does, Inline};
use crate::source::Span;

/// What such a Dockerfile says; `None` where that is not known.
pub(super) fn read(node: Node<'_>) -> Option<Inline> {
    let outline = written::dockerfile(&interpolated(&scalar::excerpt(node)?), written::Expands::Nothing)?;
    Some(Inline { path: String::new(), outline })
}

/// Gives each its name in the root: of a file and its service, or its number among those that commands build.
pub(super) fn name(path: &str, acts: &mut [Act]) {
    // One that gets several names is one.
    let mut unnamed: Vec<Span> = Vec::new();
    for act in acts {
        if let Does::Launch(launch) = &mut act.does
            && let Some(inline) = launch.build.as_mut().and_then(|build| build.inline.as_mut())
        {
            let own = launch.name.clone().unwrap_or_else(|| {
                if unnamed.last() != Some(&launch.key) {
                    unnamed.push(launch.key);
                }
                unnamed.len().to_string()
            });
            inline.path = format!("{path}[{own}]");
        }
    }
}

/// The comments in it.
pub(super) fn comments(node: Node<'_>) -> Vec<Range<usize>> {
    scalar::excerpt(node).map(|body| lines_of_comments(&body)).unwrap_or_default()
}

/// The lines of a text that are comments.
pub(super) fn lines_of_comments(body: &Excerpt) -> Vec<Range<usize>> {
    let mut at = 0;
    let lines = body.text().split_inclusive('\n').filter_map(|line| {
        at += line.len();
        let bare = line.trim_start();
        let start = at - bare.len();
        bare.starts_with('#').then(|| body.span(start..start + bare.trim_end().len()).range())
    });
    lines.collect()
}

/// With what Compose puts in place of variables, as in any text of such a file: `$$` is a dollar sign.
fn interpolated(body: &Excerpt) -> Excerpt {
    let (text, mut out, mut done) = (body.text(), Excerpt::new(body.file()), 0);
    while let Some(at) = text[done..].find('$').map(|n| n + done) {
        out.push_part(body, done..at);
        let rest = &text.as_bytes()[at + 1..];
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let (length, stands) = match rest.first() {
            Some(b'$') => (2, '$'),
            Some(b'{') => (1 + braces(rest), UNKNOWN),
            Some(b) if is_name(b) => (1 + rest.iter().take_while(|b| is_name(b)).count(), UNKNOWN),
            _ => (1, '$'),
        };
        out.push_for(stands.encode_utf8(&mut [0; 4]), body.span(at..at + length).range());
        done = at + length;
    }
    out.push_part(body, done..text.len());
    out
}

/// The length of `{ … }`, with such in it.
fn braces(text: &[u8]) -> usize {
    let mut depth = 0usize;
    let end = text.iter().position(|b| {
        match b {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    end.map_or(text.len(), |end| end + 1)
}
