//! What the words of pip's language ask for: a package, or a folder with a project.

use super::options::leading;
use crate::notation::requirement::{self, Subject, normalise};
use crate::outline::{How, Include, IndexKind, IndexLine, Language, Piece, Requirement, Role, Text};
use crate::source::Span;

/// What one word asks for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::read) enum Asked {
    /// A package, by name, address or file.
    Package(Requirement),
    /// The project in a folder.
    Project(Include),
}

/// What a requirement (without `-e`) asks for.
pub(in crate::read) fn asked(written: Text) -> Asked {
    if is_folder(&written) {
        return Asked::Project(Include { path: written, how: How::Project });
    }
    Asked::Package(Requirement { written, language: Language::Pep508, role: Role::Asks })
}

fn is_folder(written: &Text) -> bool {
    if let Some(text) = written.known() {
        return matches!(requirement::parse(text), Ok(requirement::Requirement { subject: Subject::Path(_), .. }));
    }
    let slash = |piece: Option<&Piece>| matches!(piece, Some(Piece::Literal(text)) if text.starts_with('/'));
    let wheel = |piece: &Piece| matches!(piece, Piece::Literal(text) if text.contains(".whl") || text.contains(".tar") || text.contains(".zip"));
    let spelled = matches!(written.pieces.first(), Some(Piece::Path(_)));
    let begins =
        spelled || leading(written).starts_with(['.', '/', '~']) || leading(written).is_empty() && slash(written.pieces.get(1));
    begins && !written.pieces.iter().any(wheel)
}

/// The extras of a folder's requirement, `.[gpu]`; normalised.
pub(in crate::read) fn extras(written: &Text) -> Vec<Text> {
    match written.known().map(requirement::parse) {
        Some(Ok(parsed)) => parsed.extras.into_iter().map(|extra| Text::literal(extra, written.at)).collect(),
        _ => Vec::new(),
    }
}

/// A name as PEP 503 normalises it, where it is known.
pub(in crate::read) fn normal(name: Text) -> Text {
    match name.known() {
        Some(text) => Text::literal(normalise(text), name.at),
        None => name,
    }
}

/// An index without a name.
pub(in crate::read) fn index(url: Text, kind: IndexKind) -> IndexLine {
    IndexLine { url, kind, name: None, explicit: false }
}

/// `--no-index`.
pub(in crate::read) fn no_index(at: Span) -> IndexLine {
    index(Text::literal("--no-index", at), IndexKind::None)
}
