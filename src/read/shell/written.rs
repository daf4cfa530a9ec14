//! Files that stand inside a script or a Dockerfile: `cat > requirements.txt <<EOF`, `COPY <<EOF run.sh`.

use crate::outline::{Act, Does, Kind, Outline, Piece, Text, Written};
use crate::read::excerpt::{Excerpt, UNKNOWN};
use crate::read::{kind_by_name, requirements};
use crate::source::Span;

/// The kind of a file that is written to a path; `None` for one that is not read.
fn kind(path: &Text) -> Option<Kind> {
    let Some(Piece::Literal(end)) = path.pieces.last() else { return None };
    match kind_by_name(end) {
        Some(kind @ (Kind::Requirements | Kind::Script | Kind::Rc)) => Some(kind),
        None if end.ends_with(".txt") || end.ends_with(".in") || end == "/dev/stdin" => Some(Kind::Requirements),
        _ => None,
    }
}

/// The act of writing `body` to a path; `plain` text is written as it stands, other text goes through the shell first.
/// `script` reads a shell script. A file whose text is not known is only changed.
pub(in crate::read) fn write(body: &Excerpt, path: Text, plain: bool, script: impl FnOnce(&Excerpt) -> Option<Vec<Act>>) -> Does {
    let text = body.text();
    let known = !text.contains(UNKNOWN) && (plain || !text.contains(['$', '`', '\\']));
    let acts = match kind(&path).filter(|_| known) {
        Some(kind @ Kind::Requirements) => Some((kind, required(body))),
        Some(kind) => script(body).map(|acts| (kind, acts)),
        None => None,
    };
    match acts {
        Some((kind, acts)) => {
            let outline = Outline { acts, ..Outline::default() };
            Does::Write(Box::new(Written { path, kind, outline }))
        }
        None => Does::Edit(path),
    }
}

/// The acts of a requirements file, with the places of the file around it.
fn required(body: &Excerpt) -> Vec<Act> {
    let mut acts = requirements::read(body.file(), body.text()).acts;
    let moved = |at: &mut Span| *at = body.span(at.range());
    for act in &mut acts {
        moved(&mut act.at);
        match &mut act.does {
            Does::Require(requirement) => moved(&mut requirement.written.at),
            Does::Index(index) => moved(&mut index.url.at),
            Does::Include(include) => moved(&mut include.path.at),
            Does::Options(flags) => flags.no_binary.iter_mut().for_each(|name| moved(&mut name.at)),
            _ => {}
        }
    }
    acts
}
