//! Files that stand inside a script or a Dockerfile: `cat > requirements.txt <<EOF`, `COPY <<EOF run.sh`.

mod filled;
mod moved;

use super::excerpt::{Excerpt, LETTERS, UNKNOWN};
use super::shell::word::Words;
use super::{FORMATS, kind_by_content, kind_by_name};
use crate::outline::{Act, Does, Kind, Outline, Piece, Text, Torn, Written};
use filled::Filled;

/// What becomes of the text between a heredoc's ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expands {
    /// It is written as it stands: the end marker is quoted.
    Nothing,
    /// Variables are put in, as in such words.
    As(Words),
}

/// The kind of a file that is written to a path; `None` for one that is not read.
fn kind(path: &Text, body: &str) -> Option<Kind> {
    // `Dockerfile.$VERSION` is one whatever the version is.
    let name: String = path.pieces.iter().map(|piece| if let Piece::Literal(text) = piece { text } else { "x" }).collect();
    let by_use = || (name.ends_with(".txt") || name.ends_with(".in")).then_some(Kind::Requirements);
    kind_by_name(&name).or_else(|| kind_by_content(&name, body)).or_else(by_use)
}

/// The act of writing `body` to a path, as a file of that kind where it is known. `script` reads a shell script. A file whose
/// text is not known is only changed.
pub(super) fn write(
    body: &Excerpt,
    path: Text,
    kind_of_use: Option<Kind>,
    expands: Expands,
    script: impl FnOnce(&Excerpt) -> Option<Vec<Act>>,
) -> Does {
    let read = || {
        let kind = kind_of_use.or_else(|| kind(&path, body.text()))?;
        let filled = match expands {
            Expands::Nothing => Filled::plain(body),
            Expands::As(words) => Filled::of(body, words)?,
        };
        let outline = match kind {
            // The places of what it says are the file's already.
            Kind::Script | Kind::Rc => {
                let acts = script(&filled.text)?;
                moved::named(&filled, Outline { acts, ..Outline::default() })
            }
            kind => moved::moved(&filled, plain(kind, &filled.text)?),
        }?;
        Some((kind, outline, filled.put_in()))
    };
    match read() {
        Some((kind, outline, put_in)) => Does::Write(Box::new(Written { path, kind, outline, put_in })),
        None => Does::Edit(path),
    }
}

/// What a Dockerfile says that stands in another file. What a shell puts into it is not known.
pub(super) fn dockerfile(body: &Excerpt, expands: Expands) -> Option<Outline> {
    let filled = match expands {
        Expands::Nothing => Filled::plain(body),
        Expands::As(words) => Filled::of(body, words)?,
    };
    moved::moved(&filled, plain(Kind::Dockerfile, &filled.text)?)
}

/// What such a text says, by its own places; `None` where it is not what its kind should be, so that nobody knows what it
/// says once it is written.
fn plain(kind: Kind, body: &Excerpt) -> Option<Outline> {
    let text = body.text();
    // Scripts in files in scripts go no deeper.
    if holds_scripts(kind) && text.contains("<<") {
        return None;
    }
    let format = FORMATS.iter().find(|format| format.kind == kind)?;
    let outline = (format.read)(body.file(), text);
    // A requirement that is none takes nothing from the others.
    let asked = |torn: &Torn| outline.acts.iter().any(|act| matches!(act.does, Does::Require(_)) && act.at.contains(torn.at));
    let whole = kind == Kind::Requirements || outline.torn.iter().all(asked);
    // What is put in may be a line of its own, or several: syntax of more than words.
    let put_in = |c: char| c == UNKNOWN || LETTERS.contains(&c);
    let by_lines = kind == Kind::Requirements || !text.lines().any(|line| line.trim_start().starts_with(put_in));
    (whole && by_lines).then_some(outline)
}

fn holds_scripts(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Requirements
            | Kind::CondaEnvironment
            | Kind::Pyproject
            | Kind::UvSettings
            | Kind::Pipfile
            | Kind::SetupCfg
            | Kind::PythonVersion
            | Kind::PipConfig
            | Kind::Condarc
    ) && !kind.is_lock()
}
