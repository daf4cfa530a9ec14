//! Commands that change files: what they write is no longer what we read.

use crate::outline::{Does, Download, Piece, Text};
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
    let landed = landed(&operands().collect::<Vec<_>>());
    let changed: Vec<&Text> = match program {
        "sed" | "gsed" if short('i') || long("--in-place") => scripted(arguments, &["-e", "-f", "--expression", "--file"]),
        "perl" if short('i') => scripted(arguments, &["-e", "-ne", "-pe", "-i", "-pi", "-pie"]),
        "tee" | "truncate" | "patch" => operands().collect(),
        "mv" => operands().chain(landed.iter()).collect(),
        "cp" | "ln" => operands().skip(1).last().into_iter().chain(landed.iter()).collect(),
        "curl" | "wget" => return fetched(program, arguments),
        _ => Vec::new(),
    };
    let unwritten = |text: &&Text| !text.known().is_some_and(|path| path.is_empty() || path == "-" || path.starts_with("/dev/"));
    changed.into_iter().filter(unwritten).map(|text| Does::Edit(text.clone())).collect()
}

/// `apt-key adv --fetch-keys URL`, `rpm --import URL`: keys that packages are signed with.
pub(super) fn key(words: &[Text], _at: Span) -> Vec<Does> {
    let Some((_, arguments)) = words.split_first() else { return Vec::new() };
    let says = |word: &Text| word.known().is_some_and(|w| w.starts_with("--fetch-key") || w == "--import");
    let fetches = arguments.iter().any(says);
    let is_address = |text: &&Text| matches!(text.pieces.first(), Some(Piece::Literal(text)) if text.contains("://"));
    let addresses = arguments.iter().filter(is_address).filter(|_| fetches);
    addresses.map(|url| Does::Download(Download { url: url.clone(), to: None })).collect()
}

/// Where sources lie in the last operand, should that be a folder.
fn landed(operands: &[&Text]) -> Vec<Text> {
    let Some((folder, sources)) = operands.split_last() else { return Vec::new() };
    let ends = folder.pieces.last().is_some_and(|piece| matches!(piece, Piece::Literal(text) if text.ends_with('/')));
    let own = |source: &&&Text| source.known().and_then(|path| path.trim_end_matches('/').rsplit('/').next().map(str::to_owned));
    let names = sources.iter().filter_map(|source| own(&source)).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let end = Piece::Literal(if ends { name.as_str().into() } else { format!("/{name}").as_str().into() });
            Text { pieces: folder.pieces.iter().cloned().chain([end]).collect(), at: folder.at }
        })
        .collect()
}

/// Options of curl and wget whose value is the next word.
const FETCH_VALUED: &[&str] = &[
    "-o",
    "--output",
    "-O",
    "--output-document",
    "-P",
    "--directory-prefix",
    "--output-dir",
    "-H",
    "--header",
    "-A",
    "-U",
    "--user-agent",
    "-u",
    "--user",
    "-x",
    "--proxy",
    "-d",
    "--data",
    "-X",
    "--request",
    "-e",
    "-T",
    "-t",
    "--tries",
    "--retry",
    "--retry-delay",
    "--connect-timeout",
    "--max-time",
    "-m",
    "--timeout",
    "-C",
    "-b",
    "-c",
    "--cacert",
    "--cert",
    "--key",
    "--proto",
    "-i",
    "--input-file",
    "-w",
];

/// What curl or wget fetches, and the files that are other ones then.
fn fetched(program: &str, arguments: &[Text]) -> Vec<Does> {
    let curl = program == "curl";
    let (mut urls, mut to, mut folder, mut remote) = (Vec::new(), None, None, !curl);
    let mut i = 0;
    while let Some(word) = arguments.get(i) {
        let option = word.known().unwrap_or_default();
        let long = option.split_once('=').filter(|(name, _)| name.starts_with("--"));
        let named = |value: &str| Text::literal(value, word.at);
        // `-fsSLo file`, `-qO-`: a letter that takes a value takes the rest of the word, or the next one.
        let is_short = option.len() > 1 && option.starts_with('-') && !option.starts_with("--");
        let takes = |letter: char| FETCH_VALUED.contains(&format!("-{letter}").as_str()) && !(curl && letter == 'O');
        let short = option.char_indices().skip(1).filter(|_| is_short).find(|(_, letter)| takes(*letter));
        let letter = short.map(|(_, letter)| format!("-{letter}"));
        let glued = short.map(|(at, letter)| &option[at + letter.len_utf8()..]).filter(|rest| !rest.is_empty());
        let name = letter.as_deref().or(long.map(|(name, _)| name)).unwrap_or(option);
        let value = long.map(|(_, value)| value).or(glued).map(named);
        let taken = value.is_none() && (short.is_some() || option.starts_with("--") && FETCH_VALUED.contains(&option));
        let value = value.or_else(|| arguments.get(i + 1).filter(|_| taken).cloned());
        match (name, curl) {
            ("-o" | "--output", true) | ("-O" | "--output-document", false) => to = value,
            ("-P" | "--directory-prefix", false) | ("--output-dir", true) => folder = value,
            ("--remote-name" | "--remote-name-all", true) => remote = true,
            _ if option.starts_with('-') && option.len() > 1 => {}
            _ => urls.push(word),
        }
        remote |= curl && is_short && option[..short.map_or(option.len(), |(at, _)| at)].contains('O');
        i += 1 + usize::from(taken);
    }
    let mut does = Vec::new();
    for url in urls {
        let own = || {
            let name = url.known().and_then(|url| url.split(['?', '#']).next()?.rsplit('/').next())?;
            let folder = folder.as_ref().map_or(Some(""), Text::known)?;
            (!name.is_empty())
                .then(|| Text::literal(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }, url.at))
        };
        let to = to.clone().or_else(|| own().filter(|_| remote));
        let written = to.filter(|to| !to.known().is_some_and(|path| path.is_empty() || path == "-" || path.starts_with("/dev/")));
        does.extend(written.clone().map(Does::Edit));
        does.push(Does::Download(Download { url: url.clone(), to: written }));
    }
    does
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
