//! `RUN --mount`: what lies in an image, or what is known there, for one `RUN`.

use std::ops::Range;

use crate::outline::{Act, Copy, Does, Piece, Scope, Text, Variable, When};
use crate::read::excerpt::Excerpt;
use crate::read::shell::word::{self, Words};

/// What the value of one `--mount` says.
pub(super) fn read(body: &Excerpt, value: Range<usize>, words: Words) -> Option<Act> {
    let mut at = value.start;
    let (mut kind, mut from, mut source, mut target, mut variable) = ("bind", None, None, None, None);
    for part in body.text()[value.clone()].split(',') {
        let (name, text) = part.split_once('=').unwrap_or((part, ""));
        let here = at + part.len() - text.len()..at + part.len();
        at += part.len() + 1;
        match name {
            "type" => kind = text,
            "from" => from = Some(word::text(body, here, words)),
            "source" | "src" => source = Some(word::text(body, here, words)),
            "target" | "dst" | "destination" => target = Some(word::text(body, here, words)),
            "env" => variable = Some(text.to_owned()),
            _ => {}
        }
    }
    let at = body.span(value);
    let does = match kind {
        // A COPY for one RUN.
        "bind" => {
            let sources = vec![source.unwrap_or_else(|| Text::literal(".", at))];
            Does::Copy(Copy { from, sources, to: target? })
        }
        // What is in it nobody says.
        "secret" => match variable {
            Some(name) => {
                let value = Some(Text { pieces: vec![Piece::Opaque], at });
                Does::Set(Variable { name, value, scope: Scope::Environment })
            }
            None => Does::Secret(target?),
        },
        _ => return None,
    };
    Some(Act { at, when: When::default(), does })
}
