//! Words that are put through commands or operators whose answer is sure: `$(echo $A | cut -d. -f1,2 | tr -d .)`, `${A//./}`.

use crate::outline::{Edit, Piece};

/// A longer command tells something else.
const LONGEST: usize = 512;

/// What a command in the place of a word gives out, where it writes words and edits them; `read` reads a word.
pub(super) fn by_commands(command: &str, read: impl Fn(&str) -> Vec<Piece>) -> Option<Piece> {
    let mut commands = commands(command).filter(|_| command.len() <= LONGEST)?.into_iter();
    let mut first = commands.next()?;
    let mut edits = Vec::new();
    let of = match first.as_slice() {
        ["echo", word] | ["echo", "-n", word] | ["printf", "%s" | "'%s'" | "\"%s\"", word] => read(word),
        // `cut -d. -f1 <<< "$A"`.
        [.., "<<<", word] => {
            let of = read(word);
            first.truncate(first.len() - 2);
            edits.push(by_command(&first)?);
            of
        }
        _ => return None,
    };
    for command in commands {
        edits.push(by_command(&command)?);
    }
    let plain = |piece: &Piece| matches!(piece, Piece::Literal(_) | Piece::Variable { .. } | Piece::Edited { .. });
    (!edits.is_empty() && of.iter().all(plain)).then_some(Piece::Edited { of, edits })
}

fn by_command(words: &[&str]) -> Option<Edit> {
    match words {
        ["cut", options @ ..] => cut(options),
        ["tr", "-d" | "--delete", signs] => {
            let signs = unquoted(signs)?;
            // Ranges and classes are others.
            (!signs.is_empty() && !signs.contains(['-', '[', '\\'])).then(|| Edit::Delete(signs.to_owned()))
        }
        ["sed", "-e" | "-E" | "-r", script] | ["sed", script] => substitution(unquoted(script)?),
        _ => None,
    }
}

/// `-d. -f1,2`, `-d '.' -f 1-2`, `-c1-3`.
fn cut(options: &[&str]) -> Option<Edit> {
    let (mut sign, mut fields, mut characters) = ('\t', None, None);
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        let letter = option.get(..2)?;
        let value = match option.get(2..).filter(|value| !value.is_empty()) {
            Some(value) => value,
            None => *rest.next()?,
        };
        let value = unquoted(value)?;
        match letter {
            "-d" => {
                let mut signs = value.strip_prefix('\\').filter(|rest| !rest.is_empty()).unwrap_or(value).chars();
                sign = signs.next().filter(|_| signs.next().is_none())?;
            }
            "-f" => fields = Some(ranges(value)?),
            "-c" => characters = Some(ranges(value)?),
            _ => return None,
        }
    }
    match (fields, characters) {
        (Some(ranges), None) => Some(Edit::Fields { sign, ranges }),
        (None, Some(ranges)) => Some(Edit::Characters(ranges)),
        _ => None,
    }
}

/// `1`, `1,2`, `1-2`, `2-`.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    let range = |part: &str| match part.split_once('-') {
        None => part.parse().ok().map(|n| (n, n)),
        Some((first, "")) => Some((first.parse().ok()?, usize::MAX)),
        Some(("", last)) => Some((1, last.parse().ok()?)),
        Some((first, last)) => Some((first.parse().ok()?, last.parse().ok()?)),
    };
    list.split(',').map(range).collect()
}

/// `s/\.//g` of signs that stand for themselves.
fn substitution(script: &str) -> Option<Edit> {
    let sign = script.strip_prefix('s')?.chars().next().filter(char::is_ascii_punctuation)?;
    let parts: Vec<&str> = script[1 + sign.len_utf8()..].split(sign).collect();
    let [old, new, flags @ ("" | "g")] = parts.as_slice() else { return None };
    let mut literal = String::new();
    let mut signs = old.chars();
    while let Some(c) = signs.next() {
        match c {
            '\\' => literal.push(signs.next().filter(char::is_ascii_punctuation)?),
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | ',') => literal.push(c),
            _ => return None,
        }
    }
    let plain = !literal.is_empty() && !new.contains(['\\', '&']);
    plain.then(|| Edit::Replace { old: literal, new: (*new).to_owned(), all: *flags == "g" })
}

/// What stands behind the name in `${A%.*}`, `${A//./}`, `${A:0:4}`.
pub(super) fn by_operator(rest: &str) -> Option<Edit> {
    let plain = |text: &str| !text.contains(['$', '`', '"', '\'', '\\', '?', '[', '{', '(']);
    let trim = |pattern: &str, end, longest| {
        let known = plain(pattern) && !pattern.is_empty() && pattern.matches('*').count() <= 1;
        known.then(|| Edit::Trim { pattern: pattern.to_owned(), end, longest })
    };
    if let Some(pattern) = rest.strip_prefix("%%") {
        return trim(pattern, true, true);
    }
    if let Some(pattern) = rest.strip_prefix('%') {
        return trim(pattern, true, false);
    }
    if let Some(pattern) = rest.strip_prefix("##") {
        return trim(pattern, false, true);
    }
    if let Some(pattern) = rest.strip_prefix('#') {
        return trim(pattern, false, false);
    }
    if let Some(written) = rest.strip_prefix('/') {
        let (written, all) = written.strip_prefix('/').map_or((written, false), |written| (written, true));
        let (old, new) = written.split_once('/').unwrap_or((written, ""));
        // Bound to one end these are others.
        let known = plain(old)
            && plain(new)
            && !old.contains('*')
            && !old.is_empty()
            && !old.starts_with(['#', '%'])
            && !new.contains('&');
        return known.then(|| Edit::Replace { old: old.to_owned(), new: new.to_owned(), all });
    }
    let (from, length) = match rest.strip_prefix(':')?.split_once(':') {
        Some((from, length)) => (from, Some(length.parse().ok()?)),
        None => (rest.strip_prefix(':')?, None),
    };
    Some(Edit::Slice { from: from.parse().ok()?, length })
}

/// A word of which no quote is left, and in which nothing is put.
fn unquoted(word: &str) -> Option<&str> {
    let inner = ['"', '\''].iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote));
    let inner = inner.unwrap_or(word);
    (!inner.contains(['$', '`', '"', '\''])).then_some(inner)
}

/// The commands of a pipe, each as its words; `None` for other forms.
fn commands(text: &str) -> Option<Vec<Vec<&str>>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Vec<&str>> = vec![Vec::new()];
    let (mut start, mut quote, mut depth) = (None, None, 0usize);
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => {
                quote = Some(*byte);
                start.get_or_insert(at);
            }
            (None, b'{' | b'(') => {
                depth += 1;
                start.get_or_insert(at);
            }
            (None, b'}' | b')') => {
                depth = depth.checked_sub(1)?;
                start.get_or_insert(at);
            }
            (None, b'|' | b' ' | b'\t') if depth == 0 => {
                found.last_mut()?.extend(start.take().map(|start: usize| &text[start..at]));
                if *byte == b'|' {
                    found.push(Vec::new());
                }
            }
            (None, b'&' | b';' | b'\n' | b'>') if depth == 0 => return None,
            _ => {
                start.get_or_insert(at);
            }
        }
    }
    found.last_mut()?.extend(start.map(|start| &text[start..]));
    (quote.is_none() && depth == 0 && found.iter().all(|words| !words.is_empty())).then_some(found)
}
