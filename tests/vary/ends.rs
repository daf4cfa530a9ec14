//! What no program sees: line ends, byte order marks, comments, empty lines.

use cudalint::outline::Kind;

use crate::written::{Line, Written};

/// As git writes a checkout on Windows.
pub(crate) fn carriage_returns(written: &Written) -> Option<Written> {
    Some(Written { end: "\r\n", ..written.clone() })
}

/// As editors on Windows write UTF-8.
pub(crate) fn byte_order_mark(written: &Written) -> Option<Written> {
    let marked = Written { mark: true, ..written.clone() };
    (marked.texts() != written.texts()).then_some(marked)
}

/// A comment on a line of its own above each line.
pub(crate) fn comments_above(written: &Written) -> Option<Written> {
    above(written, |kind| match kind {
        Kind::Devcontainer => Some("// note"),
        kind if hash(kind) => Some("# note"),
        _ => None,
    })
}

/// An empty line above each line.
pub(crate) fn empty_lines(written: &Written) -> Option<Written> {
    above(written, |kind| (hash(kind) || kind == Kind::Devcontainer).then_some(""))
}

/// A comment at the end of each line.
pub(crate) fn comments_behind(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let rest = hash(kind) && kind != Kind::Dockerfile && !line.text.trim().is_empty() && is_whole(line);
        (rest && !line.text.starts_with("#!")).then(|| vec![line.with(format!("{}  # note", line.text))])
    })
}

/// Blanks at the end of each line.
pub(crate) fn blanks_behind(written: &Written) -> Option<Written> {
    written.each_line(|_, line| is_whole(line).then(|| vec![line.with(format!("{}  ", line.text))]))
}

fn above(written: &Written, note: impl Fn(Kind) -> Option<&'static str>) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        let note = note(kind)?;
        let mut out: Vec<Line> = Vec::new();
        for line in lines {
            if !line.text.starts_with("#!") && out.last().is_none_or(is_whole) {
                let indent: String = line.text.chars().take_while(|c| *c == ' ').collect();
                out.push(Line::new(if note.is_empty() { String::new() } else { format!("{indent}{note}") }));
            }
            out.push(line.clone());
        }
        Some(out)
    })
}

/// The next line is no part of it.
fn is_whole(line: &Line) -> bool {
    !line.text.ends_with(['\\', '|', '>']) && !line.text.contains("EOF")
}

/// Comments begin with `#`, at the end of a line, too.
fn hash(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Requirements
            | Kind::CondaEnvironment
            | Kind::Pyproject
            | Kind::UvLock
            | Kind::Pixi
            | Kind::SetupPy
            | Kind::Dockerfile
            | Kind::Script
            | Kind::Rc
            | Kind::Compose
            | Kind::Kubernetes
            | Kind::Workflow
    )
}
