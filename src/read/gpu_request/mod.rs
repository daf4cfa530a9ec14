//! Requests for a GPU as those read them whom they are for: what each of them refuses, or reads otherwise than it was meant.

use super::command;
use crate::outline::{Does, Malformed, Text};
use crate::source::Span;

pub(super) mod compose;
pub(super) mod docker;
pub(super) mod kubernetes;

/// What a container's own command starts: `command: ["docker", "run", "--gpus all", …]`.
pub(super) fn of_command(entrypoint: Option<&[Text]>, command: &[Text], at: Span) -> Vec<Malformed> {
    let words: Vec<Text> = entrypoint.unwrap_or_default().iter().chain(command).cloned().collect();
    let launches = command::read(&words, at).into_iter();
    launches.flat_map(|does| if let Does::Launch(launch) = does { launch.malformed } else { Vec::new() }).collect()
}
