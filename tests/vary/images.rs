//! The same image in other words.

use cudalint::outline::Kind;

use crate::written::{Line, Written};

/// With the registry that is meant where none is named.
pub(crate) fn with_registry(written: &Written) -> Option<Written> {
    in_images(written, |image| {
        let official = !image.contains('/');
        let registry = image.split_once('/').is_some_and(|(first, _)| first.contains(['.', ':']));
        (!registry && image != "scratch").then(|| format!("docker.io/{}{image}", if official { "library/" } else { "" }))
    })
}

/// For a platform: the one that is meant where none is named.
pub(crate) fn for_platform(written: &Written) -> Option<Written> {
    written.each_line(|kind, line| {
        let rest = line.text.strip_prefix("FROM ").filter(|_| kind == Kind::Dockerfile)?;
        Some(vec![line.with(format!("FROM --platform=linux/amd64 {rest}"))])
    })
}

/// Each image of a `FROM`, Compose's or Kubernetes' `image:`, `docker run`, in other words; those that variables say, and stages,
/// are left alone.
fn in_images(written: &Written, f: impl Fn(&str) -> Option<String>) -> Option<Written> {
    let stages = stages(written);
    written.each_line(|kind, line| {
        let image = image(kind, &line.text).filter(|image| !stages.contains(image) && !image.contains('$'))?;
        Some(vec![line.with(line.text.replacen(image, &f(image)?, 1))])
    })
}

/// The names of the Dockerfiles' stages.
pub(crate) fn stages(written: &Written) -> Vec<&str> {
    let lines = written.files.values().flatten();
    lines.filter(|line| line.text.starts_with("FROM ")).filter_map(|line| Some(line.text.split_once(" AS ")?.1.trim())).collect()
}

/// The image that a line names.
pub(crate) fn image(kind: Kind, line: &str) -> Option<&str> {
    match kind {
        Kind::Dockerfile => line.strip_prefix("FROM ")?.split(' ').find(|word| !word.starts_with("--")),
        Kind::Compose | Kind::Kubernetes | Kind::Devcontainer => {
            let (_, value) = line.split_once("image: ").or_else(|| line.split_once("\"image\": "))?;
            let value = value.split(' ').next().unwrap_or(value);
            Some(value.trim_end_matches(',').trim_matches('"'))
        }
        Kind::Script => {
            let (_, words) = line.split_once("docker run ")?;
            words
                .split(' ')
                .find(|word| word.contains('/') || (word.contains(':') && !word.starts_with(|c: char| c.is_ascii_digit())))
        }
        _ => None,
    }
}

/// The base through a stage of its own: `FROM x AS base`, `FROM base`.
pub(crate) fn through_stage(written: &Written) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        let froms = lines.iter().filter(|line| line.text.starts_with("FROM ")).count();
        if kind != Kind::Dockerfile || froms != 1 {
            return None;
        }
        let mut out = Vec::new();
        for line in lines {
            if line.text.starts_with("FROM ") && !line.text.contains(" AS ") {
                out.push(line.with(format!("{} AS base", line.text)));
                out.push(line.with("FROM base"));
            } else {
                out.push(line.clone());
            }
        }
        Some(out)
    })
}

/// Instructions in small letters.
pub(crate) fn small_letters(written: &Written) -> Option<Written> {
    in_instructions(written, |word, rest, line| {
        let rest = if word == "FROM" { rest.replace(" AS ", " as ") } else { rest.to_owned() };
        Some(vec![line.with(format!("{} {rest}", word.to_lowercase()))])
    })
}

/// `RUN` with a cache mount.
pub(crate) fn cache_mount(written: &Written) -> Option<Written> {
    in_instructions(written, |word, rest, line| {
        (word == "RUN").then(|| vec![line.with(format!("RUN --mount=type=cache,target=/root/.cache/pip {rest}"))])
    })
}

/// `RUN` with its commands in a document.
pub(crate) fn run_document(written: &Written) -> Option<Written> {
    in_instructions(written, |word, rest, line| {
        let lines = [line.with("RUN <<EOF"), line.with("set -e"), line.with(rest), Line::new("EOF")];
        (word == "RUN" && !rest.starts_with(['-', '['])).then(|| lines.to_vec())
    })
}

/// `RUN` in the words of a program and its arguments, with a shell.
pub(crate) fn run_list(written: &Written) -> Option<Written> {
    in_instructions(written, |word, rest, line| {
        let body = format!("[\"/bin/sh\", \"-c\", {}]", serde_json::to_string(rest).expect("a text"));
        (word == "RUN" && !rest.starts_with(['-', '['])).then(|| vec![line.with(format!("RUN {body}"))])
    })
}

/// `RUN` with what people set before their commands.
pub(crate) fn run_strict(written: &Written) -> Option<Written> {
    in_instructions(written, |word, rest, line| {
        let lines = [line.with("RUN set -eux; \\"), line.with(format!("    {rest}"))];
        (word == "RUN" && !rest.starts_with(['-', '['])).then(|| lines.to_vec())
    })
}

/// Each instruction on a line of its own; not those that go on.
fn in_instructions(written: &Written, f: impl Fn(&str, &str, &Line) -> Option<Vec<Line>>) -> Option<Written> {
    written.each_file(|kind, _, lines| {
        let whole = lines.iter().all(|line| !line.text.ends_with('\\') && !line.text.contains("<<"));
        if kind != Kind::Dockerfile || !whole {
            return None;
        }
        let other = |line: &Line| {
            let (word, rest) = line.text.split_once(' ')?;
            word.chars().all(|c| c.is_ascii_uppercase()).then(|| f(word, rest, line)).flatten()
        };
        Some(lines.iter().flat_map(|line| other(line).unwrap_or_else(|| vec![line.clone()])).collect())
    })
}
