//! What compose files, manifests, dev containers and workflows write alike: variables, words, options of `docker run`.

use std::ops::Range;

use super::command::assignment;
use super::gpu_request;
use super::syntax::interpolation::{node_text, text_of};
use super::syntax::yaml::{Node, Style, Tree};
use crate::outline::{Malformed, Mount, Piece, Scope, Text, Variable};
use crate::source::Span;

/// `{A: b}` or `[A=b, C]`; a name without value is declared only.
pub(super) fn variables(node: Node<'_>, scope: Scope) -> Vec<Variable> {
    let named = |name: &str, value| Variable { name: name.trim().to_owned(), value, scope };
    if node.is_map() {
        let entries = node.entries().into_iter();
        return entries.filter_map(|(key, value)| Some(named(key.text()?, node_text(value)))).collect();
    }
    let items = node.items().into_iter();
    items
        .filter_map(|item| {
            let Some((name, value)) = item.text()?.split_once('=') else { return Some(named(item.text()?, None)) };
            Some(named(name, Some(text_of(value, part(item, name.len() + 1..name.len() + 1 + value.len())))))
        })
        .collect()
}

/// A list item by item, a string cut into words as a shell would.
pub(super) fn words(node: Node<'_>) -> Vec<Text> {
    if node.is_list() {
        return node.items().into_iter().filter_map(node_text).collect();
    }
    if node.is_template() {
        return node_text(node).into_iter().collect();
    }
    let Some(value) = node.text().filter(|_| !node.is_null()) else { return Vec::new() };
    let escaped = match node.style() {
        Some(Style::Double) => node.raw().contains('\\'),
        Some(Style::Single) => node.raw().contains("''"),
        _ => false,
    };
    // A folded text parts its words where the file does, only with other blanks.
    let (text, known) = if escaped { (value, false) } else { (node.raw(), true) };
    let whole = node.body();
    let place = |at: Range<usize>| {
        let start = whole.start as usize;
        if known { Span::new(whole.file, start + at.start, start + at.end) } else { whole }
    };
    split(text).into_iter().map(|(word, at)| text_of(&word, place(at))).collect()
}

/// Shell words without their quotes, with their places.
pub(super) fn split(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut word: Option<(String, usize)> = None;
    let mut quote = None;
    let mut template = 0usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, n)| *n);
        // `{{ x }}` and `${X:-a b}` are one word.
        match c {
            '{' if quote.is_none() && (template > 0 || next == Some('{') || text[..at].ends_with('$')) => template += 1,
            '}' => template = template.saturating_sub(1),
            _ => {}
        }
        if quote.is_none() && template == 0 && c.is_whitespace() {
            found.extend(word.take().map(|(text, start)| (text, start..at)));
            continue;
        }
        let (text, _) = word.get_or_insert((String::new(), at));
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), _) if q == c => quote = None,
            (None | Some('"'), '\\') => match chars.next() {
                Some((_, '\n')) | None => {}
                Some((_, escaped)) => {
                    if quote.is_some() && !"\"\\$`".contains(escaped) {
                        text.push('\\');
                    }
                    text.push(escaped);
                }
            },
            _ => text.push(c),
        }
    }
    found.extend(word.map(|(word, start)| (word, start..text.len())));
    found
}

/// The parts of a text between these signs, where these are literal.
pub(super) fn parts(text: &Text, sign: char) -> Vec<Text> {
    let mut parts: Vec<Vec<Piece>> = vec![Vec::new()];
    for piece in &text.pieces {
        let Piece::Literal(literal) = piece else {
            parts.last_mut().expect("one is there from the beginning").push(piece.clone());
            continue;
        };
        for (n, part) in literal.split(sign).enumerate() {
            if n > 0 {
                parts.push(Vec::new());
            }
            let last = parts.last_mut().expect("one is there from the beginning");
            last.extend((!part.is_empty()).then(|| Piece::Literal(part.to_owned())));
        }
    }
    parts.into_iter().map(|pieces| Text { pieces, at: text.at }).collect()
}

/// A folder of the machine that is mounted, as docker writes it: `./src:/app:ro`. Volumes by name hold what is not known here.
pub(super) fn mount(word: &Text) -> Option<Mount> {
    let mut parts = parts(word, ':').into_iter();
    let (from, to) = (parts.next()?, parts.next()?);
    let named = matches!(from.pieces.first(), Some(Piece::Literal(text)) if !text.starts_with(['.', '/', '~']));
    (!named && !from.pieces.is_empty() && !to.pieces.is_empty()).then_some(Mount { from, to })
}

/// The place of a part of a scalar's text; all of it where quotes or folding moved the bytes.
pub(super) fn part(node: Node<'_>, range: Range<usize>) -> Span {
    let whole = node.body();
    if node.text() == Some(node.raw()) {
        let start = whole.start as usize;
        return Span::new(whole.file, start + range.start, start + range.end);
    }
    whole
}

/// What options of `docker run` say of a GPU.
#[derive(Debug, Default)]
pub(super) struct GpuOptions {
    /// Where one is asked for.
    pub(super) asked: Option<Span>,
    /// Only as a device.
    pub(super) by_device: bool,
    /// In ways that docker refuses or reads otherwise.
    pub(super) malformed: Vec<Malformed>,
    /// An option cannot be read.
    pub(super) open: bool,
}

/// Reads the options of `docker run` for what they say of a GPU.
pub(super) fn gpu_options(words: &[Text]) -> GpuOptions {
    let mut out = GpuOptions::default();
    let mut before: Option<(&str, Span)> = None;
    for word in words {
        if before.is_none()
            && let Some(malformed) = gpu_request::docker::word(word)
        {
            out.by_device &= out.asked.is_some();
            out.asked = out.asked.or(Some(word.at));
            out.malformed.push(malformed);
            continue;
        }
        let Some(text) = word.known() else {
            out.open = true;
            before = None;
            continue;
        };
        let (name, value, at) = match (before.take(), text.split_once(['=', ' '])) {
            (Some((name, at)), _) => (name, Some(text), at.to(word.at)),
            (None, Some((name, value))) if name.starts_with("--") => (name, Some(value), word.at),
            _ => (text, None, word.at),
        };
        let gpu = match (name, value) {
            ("--gpus" | "--runtime" | "--device", None) => {
                before = Some((name, word.at));
                false
            }
            ("--gpus", Some(value)) => {
                out.malformed.extend(gpu_request::docker::value(value, at));
                !matches!(value, "0" | "" | "none")
            }
            ("--runtime", Some(value)) => value == "nvidia",
            ("--device", Some(value)) => {
                out.open |= is_other_gpu(value);
                is_gpu_device(value)
            }
            _ => false,
        };
        if gpu {
            out.by_device = name == "--device" && (out.by_device || out.asked.is_none());
            out.asked = out.asked.or(Some(at));
        }
    }
    out
}

/// The values that a long option has among these words.
pub(super) fn option_values(name: &str, words: impl Iterator<Item = Text>) -> impl Iterator<Item = Text> {
    let mut before = false;
    words.filter_map(move |mut word| {
        let is_value = std::mem::take(&mut before);
        before = !is_value && word.known() == Some(name);
        let attached = match word.pieces.first() {
            Some(Piece::Literal(first)) => {
                first.strip_prefix(name).and_then(|rest| rest.strip_prefix(['=', ' '])).map(str::to_owned)
            }
            _ => None,
        };
        if let (Some(value), Some(first)) = (attached, word.pieces.first_mut()) {
            *first = Piece::Literal(value);
            return Some(word);
        }
        is_value.then_some(word)
    })
}

/// The variables that options of `docker run` give, and whether more of them come from files that are not read.
pub(super) fn option_variables(words: &[Text]) -> (Vec<Variable>, bool) {
    let (mut found, mut unread) = (Vec::new(), false);
    let mut before = false;
    for word in words {
        let first = if let Some(Piece::Literal(first)) = word.pieces.first() { first.as_str() } else { "" };
        unread |= first.starts_with("--env-file");
        let option = ["--env=", "--env ", "-e=", "-e ", "-e"].into_iter().find(|option| first.starts_with(option));
        let skip = match option {
            _ if before => Some(0),
            Some(_) if first.starts_with("--") || first != "-e" => option.map(str::len),
            _ => None,
        };
        before = !before && matches!(word.known(), Some("-e" | "--env"));
        if let Some(skip) = skip {
            let mut pieces = word.pieces.clone();
            if let Some(Piece::Literal(first)) = pieces.first_mut() {
                first.replace_range(..skip, "");
            }
            let assigned = assignment(&Text { pieces, at: word.at });
            found.extend(assigned.map(|(name, value)| Variable { name, value: Some(value), scope: Scope::Environment }));
        }
    }
    (found, unread)
}

/// A device of an NVIDIA GPU, by its file or by CDI.
pub(super) fn is_gpu_device(device: &str) -> bool {
    device.starts_with("/dev/nvidia") || device.starts_with("nvidia.com/") || device.starts_with("/dev/dxg")
}

/// A device of a GPU that is perhaps not NVIDIA's: ROCm's and the kernel's own files.
pub(super) fn is_other_gpu(device: &str) -> bool {
    ["/dev/kfd", "/dev/dri", "amd.com/gpu", "intel.com/gpu"].iter().any(|d| device.starts_with(d))
}

/// What a text is when none of its variables is set; `None` where that is not known.
pub(super) fn by_default(text: &Text) -> Option<String> {
    text.pieces
        .iter()
        .map(|piece| match piece {
            Piece::Literal(text) => Some(text.as_str()),
            Piece::Variable { fallback: Some(fallback), .. } => match fallback.as_slice() {
                [] => Some(""),
                [Piece::Literal(text)] => Some(text.as_str()),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// The bytes from each entry of a map to the next; the last one goes to `end`.
pub(super) fn stretches<'a>(entries: &[(Node<'a>, Node<'a>)], end: usize) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = entries.iter().map(|(key, _)| key.at().range().start).collect();
    starts.sort_unstable();
    let next = |start: usize| starts[starts.partition_point(|s| *s <= start)..].first().copied().unwrap_or(end);
    entries.iter().map(|(key, _)| key.at().range().start).map(|start| start..next(start)).collect()
}

/// The bytes of each document with the blanks behind it.
pub(super) fn document_stretches<'a>(tree: &'a Tree<'a>) -> Vec<(Node<'a>, Range<usize>)> {
    let roots: Vec<_> = tree.documents().collect();
    let starts = roots.iter().skip(1).map(|r| r.at().range().start).chain([tree.text().len()]);
    let ends: Vec<_> = starts.collect();
    let first = std::iter::once(0).chain(ends.iter().copied());
    roots.into_iter().zip(first.zip(ends.clone()).map(|(a, b)| a..b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn shell_words() {
        let text = "python  -c 'a b' \"c\\\"d\" x\\ y ${A:-b c} {{ z }}";
        let words = split(text);
        let shown: Vec<_> = words.iter().map(|(w, at)| (w.as_str(), &text[at.clone()])).collect();
        assert_eq!(
            shown,
            [
                ("python", "python"),
                ("-c", "-c"),
                ("a b", "'a b'"),
                ("c\"d", "\"c\\\"d\""),
                ("x y", "x\\ y"),
                ("${A:-b c}", "${A:-b c}"),
                ("{{ z }}", "{{ z }}")
            ]
        );
    }

    #[test]
    fn words_and_variables_keep_their_place() {
        let text = "c: >-\n  run --a\n  $B\ne:\n  - A=x\n  - 'B=y'\n  - C\nm: {D: 1, E: }\n";
        let tree = Tree::read(FileId(0), text);
        let root = tree.documents().next().expect("a document");
        let at = |t: &Text| text[t.at.range()].to_owned();
        assert_eq!(words(root.get("c").expect("c")).iter().map(at).collect::<Vec<_>>(), ["run", "--a", "$B"]);
        let all = [root.get("e").expect("e"), root.get("m").expect("m")].map(|n| variables(n, Scope::Environment)).concat();
        let shown: Vec<_> = all.iter().map(|v| format!("{}={}", v.name, v.value.as_ref().map_or("-".to_owned(), at))).collect();
        assert_eq!(shown, ["A=x", "B=y", "C=-", "D=1", "E=-"]);
    }

    #[test]
    fn gpu_options_of_docker_run() {
        for (line, asked, open) in [
            ("--gpus all --net host", "--gpus all", false),
            ("-it --gpus=all", "--gpus=all", false),
            ("--runtime nvidia", "--runtime nvidia", false),
            ("--device=nvidia.com/gpu=all", "--device=nvidia.com/gpu=all", false),
            ("--device nvidia.com/gpu=0 --gpus all --device nvidia.com/gpu=1", "--device nvidia.com/gpu=0", false),
            ("--device /dev/fuse $X", "", true),
            ("--gpus 0", "", false),
            ("--device=/dev/kfd --device /dev/dri", "", true),
            ("", "", false),
        ] {
            let tree_text = format!("a: {line}");
            let tree = Tree::read(FileId(0), &tree_text);
            let node = tree.documents().next().and_then(|d| d.get("a")).expect("a");
            let options = gpu_options(&words(node));
            assert_eq!((options.asked.map_or("", |s| &tree_text[s.range()]), options.open), (asked, open), "{line}");
            assert_eq!(options.by_device, line.contains("nvidia.com") && !line.contains("--gpus"), "{line}");
        }
    }
}
