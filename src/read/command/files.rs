//! Commands that change files: what they write is no longer what we read.

use crate::outline::{Does, Text};
use crate::source::Span;

/// `sed -i`, `mv`, `curl -o` …
pub(super) fn files(words: &[Text], _at: Span) -> Vec<Does> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let program = program.known().and_then(|p| p.rsplit('/').next()).unwrap_or_default();
    let option = |text: &&Text| text.known().is_some_and(|w| w.len() > 1 && w.starts_with('-'));
    let operands = || arguments.iter().filter(|w| !option(w));
    let short = |letter: char| {
        let has = |w: &Text| w.known().is_some_and(|w| w.starts_with('-') && !w.starts_with("--") && w.contains(letter));
        arguments.iter().any(has)
    };
    let long = |name: &str| arguments.iter().any(|w| w.known().is_some_and(|w| w.starts_with(name)));
    let changed: Vec<&Text> = match program {
        "sed" | "gsed" if short('i') || long("--in-place") => scripted(arguments, &["-e", "-f", "--expression", "--file"]),
        "perl" if short('i') => scripted(arguments, &["-e", "-ne", "-pe", "-i", "-pi", "-pie"]),
        "tee" | "mv" | "truncate" | "patch" => operands().collect(),
        "cp" => operands().skip(1).last().into_iter().collect(),
        "curl" => value_of(arguments, &["-o", "--output"]),
        "wget" => value_of(arguments, &["-O", "--output-document"]),
        _ => Vec::new(),
    };
    let unwritten = |text: &&Text| !text.known().is_some_and(|path| path.is_empty() || path == "-" || path.starts_with("/dev/"));
    changed.into_iter().filter(unwritten).map(|text| Does::Edit(text.clone())).collect()
}

/// The files of a program whose script is its first operand, unless an option gives it.
fn scripted<'a>(arguments: &'a [Text], valued: &[&str]) -> Vec<&'a Text> {
    let (mut files, mut given, mut i) = (Vec::new(), false, 0);
    while let Some(word) = arguments.get(i) {
        match word.known() {
            Some(option) if option.len() > 1 && option.starts_with('-') => {
                let takes = option.starts_with("--") && valued.contains(&option)
                    || !option.starts_with("--") && (option.ends_with('e') || option.ends_with('f'));
                if takes {
                    given = true;
                    i += 1;
                }
            }
            _ => files.push(word),
        }
        i += 1;
    }
    if !given && !files.is_empty() {
        files.remove(0);
    }
    files
}

fn value_of<'a>(arguments: &'a [Text], options: &[&str]) -> Vec<&'a Text> {
    let at = arguments.iter().position(|w| w.known().is_some_and(|w| options.contains(&w)));
    at.and_then(|n| arguments.get(n + 1)).into_iter().collect()
}
