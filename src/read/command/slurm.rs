//! Slurm's containers: Pyxis (<https://github.com/NVIDIA/pyxis>) and Shifter.

use super::super::container::{mount, parts};
use super::wrapper::behind_options;
use crate::outline::{Does, Launch, Launcher, Piece, Text};
use crate::source::Span;

/// `srun --container-image=nvcr.io#nvidia/pytorch:23.10-py3 …`, `shifter --image=docker:… …`.
pub(super) fn slurm(words: &[Text], _at: Span) -> Vec<Does> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let is_shifter = program.known().is_some_and(|p| p.ends_with("shifter"));
    let option = if is_shifter { "--image" } else { "--container-image" };
    let Some(named) = rest.iter().enumerate().find_map(|(i, word)| value(word, option, rest.get(i + 1))) else {
        return Vec::new();
    };
    let option = |option: &str| rest.iter().enumerate().find_map(|(i, word)| value(word, option, rest.get(i + 1)));
    let mut does = launch(program.at, &named, behind_options(words).to_vec());
    if let Does::Launch(launch) = &mut does {
        launch.mounts =
            option("--container-mounts").iter().flat_map(|all| parts(all, ',')).filter_map(|one| mount(&one)).collect();
        launch.folder = option("--container-workdir");
        launch.shares_files = is_shifter;
    }
    vec![does]
}

/// The value of `--option=value` or `--option value`.
fn value(word: &Text, option: &str, next: Option<&Text>) -> Option<Text> {
    if word.known() == Some(option) {
        return next.cloned();
    }
    let Some(Piece::Literal(first)) = word.pieces.first() else { return None };
    let rest = first.strip_prefix(option)?.strip_prefix('=')?.to_owned();
    let mut pieces = word.pieces.clone();
    if rest.is_empty() {
        pieces.remove(0);
    } else {
        pieces[0] = Piece::Literal(rest);
    }
    Some(Text { pieces, at: word.at })
}

/// A container that Slurm starts, with the GPUs of its allocation.
pub(in crate::read) fn launch(key: Span, named: &Text, command: Vec<Text>) -> Does {
    let open = true;
    Does::Launch(Box::new(Launch { image: image(named), command, open, ..Launch::new(Launcher::Slurm, key) }))
}

/// The image that `docker://host#name:tag` means; `None` for a file on disk.
pub(in crate::read) fn image(named: &Text) -> Option<Text> {
    let file = |text: &str| [".sqsh", ".squashfs", ".sif", ".img"].iter().any(|end| text.ends_with(end));
    let mut pieces = named.pieces.clone();
    if matches!(pieces.last(), Some(Piece::Literal(end)) if file(end)) {
        return None;
    }
    if let Some(Piece::Literal(first)) = pieces.first_mut() {
        if first.starts_with(['/', '.', '~']) {
            return None;
        }
        for scheme in ["docker://", "docker:", "dockerd://"] {
            if let Some(rest) = first.strip_prefix(scheme) {
                *first = rest.to_owned();
                break;
            }
        }
        if first.contains("://") {
            return None;
        }
        *first = first.replacen('#', "/", 1);
    }
    Some(Text { pieces, at: named.at })
}
