//! Programs in environments of their own: `uv tool install`, `uvx`.

use super::super::options::{Part, leading};
use super::super::pip;
use super::{UV, done, gone, new, option};
use crate::notation::requirement::normalise;
use crate::outline::{Does, Install, Piece, Removal, Target, Text, Tool};
use crate::source::Span;

/// What `uvx …` does: a tool in an environment that is gone when it ends, unless it is already there as one of those that
/// `uv tool install` makes.
/// Source: <https://docs.astral.sh/uv/concepts/tools/>.
pub(in crate::read) fn uvx(words: &[Text], at: Span) -> Vec<Does> {
    let Some((mut parts, program, _)) = UV.command(words) else { return Vec::new() };
    let from = parts.iter().any(|part| matches!(part, Part::Option { name: "--from", .. }));
    if !from {
        parts.push(Part::Argument(program.clone()));
    }
    let mut it = new(Tool::Uv, false);
    it.target = gone(at);
    tool(parts, it, at)
}

/// `uv tool install x`: x in an environment of that name.
pub(super) fn install(parts: Vec<Part>, at: Span) -> Vec<Does> {
    let asked = |part: &Part| match part {
        Part::Argument(word) | Part::Option { name: "--from", value: Some(word), .. } => Some(word.clone()),
        _ => None,
    };
    let mut it = new(Tool::Uv, false);
    // `uv tool install --from git+… x`: the name is that of what is installed.
    let word = parts.iter().filter_map(|part| if let Part::Argument(word) = part { Some(word) } else { None }).next();
    let from = parts.iter().any(|part| matches!(part, Part::Option { name: "--from", .. }));
    let Some(word) = word.cloned().or_else(|| parts.iter().find_map(asked)) else { return Vec::new() };
    it.target = kept(&word);
    let parts = parts.into_iter().filter(|part| !(from && matches!(part, Part::Argument(_)))).collect();
    tool(parts, it, at)
}

/// `uv tool uninstall x`.
pub(super) fn uninstall(parts: Vec<Part>) -> Vec<Does> {
    let names = parts.into_iter().filter_map(|part| if let Part::Argument(word) = part { Some(word) } else { None });
    let gone = |name: Text| Removal { target: kept(&name), whole: true, ..Removal::of(Tool::Uv, Vec::new()) };
    names.map(|name| Does::Remove(gone(name))).collect()
}

/// The environment of the tool that a requirement names.
fn kept(word: &Text) -> Target {
    let name = leading(word);
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).unwrap_or(name.len());
    let known = end > 0 && (end < name.len() || word.pieces.len() == 1);
    Target::Apart(match known {
        true => Text::literal(format!("uv tool {}", normalise(&name[..end])), word.at),
        false => Text { pieces: vec![Piece::Opaque], at: word.at },
    })
}

/// What a tool is installed from, with what goes beside it.
fn tool(parts: Vec<Part>, mut it: Install, at: Span) -> Vec<Does> {
    let target = it.target.clone();
    for part in parts {
        match part {
            Part::Argument(word) | Part::Option { name: "--from", value: Some(word), .. } => pip::ask(&mut it, of_version(word)),
            other => option(&mut it, other, at),
        }
    }
    it.target = target;
    done(it)
}

/// `ruff@0.3.0` is `ruff==0.3.0`, and `ruff@latest` any.
/// Source: <https://docs.astral.sh/uv/guides/tools/#requesting-specific-versions>.
fn of_version(word: Text) -> Text {
    match word.known().and_then(|text| text.split_once('@')) {
        Some((name, "latest")) => Text::literal(name, word.at),
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => {
            Text::literal(format!("{name}=={version}"), word.at)
        }
        _ => word,
    }
}
