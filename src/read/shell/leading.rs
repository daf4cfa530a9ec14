//! Commands that give out where something lies: `$(cd "$(dirname "$0")/.." && pwd)`, `$(git rev-parse --show-toplevel)`.

use crate::outline::{Lead, Piece};

/// A longer command tells something else.
const LONGEST: usize = 512;

/// Where what a command gives out leads; `read` reads a word.
pub(super) fn lead(command: &str, read: impl Fn(&str) -> Vec<Piece>) -> Option<Lead> {
    let commands = commands(command).filter(|_| command.len() <= LONGEST)?;
    let commands: Vec<&[&str]> = commands.iter().map(|words| unwrapped(words)).filter(|words| !is_for_cd(words)).collect();
    match commands.as_slice() {
        [["cd" | "pushd", to @ ..], last] => match last {
            ["pwd", options @ ..] if are_options(options) => Some(Lead::To(read(operand(to)?))),
            git if is_top(git) => Some(Lead::Top),
            _ => None,
        },
        [["pwd", options @ ..]] if are_options(options) => Some(Lead::Working),
        [["dirname", of @ ..]] => Some(Lead::Above(read(operand(of)?))),
        [["readlink" | "realpath" | "greadlink" | "grealpath", of @ ..]] => Some(Lead::To(read(operand(of)?))),
        [git] if is_top(git) => Some(Lead::Top),
        _ => None,
    }
}

/// `git -C folder rev-parse --show-toplevel`.
fn is_top(words: &[&str]) -> bool {
    let ["git", rest @ ..] = words else { return false };
    let rest = if let ["-C", _, rest @ ..] = rest { rest } else { rest };
    rest == ["rev-parse", "--show-toplevel"]
}

/// `CDPATH= cd`, `builtin cd`.
fn unwrapped<'w, 'c>(words: &'w [&'c str]) -> &'w [&'c str] {
    let own = words.iter().take_while(|word| matches!(**word, "builtin" | "command" | "CDPATH=" | "CDPATH=\"\"" | "CDPATH=''"));
    &words[own.count()..]
}

fn is_for_cd(words: &[&str]) -> bool {
    words.is_empty() || words == ["unset", "CDPATH"]
}

fn are_options(words: &[&str]) -> bool {
    words.iter().all(|word| is_option(word))
}

/// One without a value.
fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.contains('='))
}

/// The one word that is no option.
fn operand<'c>(words: &[&'c str]) -> Option<&'c str> {
    match words.split_last()? {
        (last, options) if are_options(options) && !is_option(last) => Some(last),
        _ => None,
    }
}

/// The commands that stand one behind the other, each as its words without redirections; what only comes of a failure is left
/// out. `None` for other forms.
fn commands(text: &str) -> Option<Vec<Vec<&str>>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Vec<&str>> = vec![Vec::new()];
    let mut open: Vec<u8> = Vec::new();
    let (mut start, mut at) = (None, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        let two = bytes.get(at..at + 2);
        let top = open.is_empty();
        let ends = top && (byte.is_ascii_whitespace() || byte == b';' || two == Some(b"&&") || byte == b'|');
        if ends {
            found.last_mut()?.extend(start.take().map(|start: usize| &text[start..at]));
            match byte {
                b'|' if two == Some(b"||") => return Some(without_redirections(found)),
                b'|' => return None,
                b';' | b'\n' => found.push(Vec::new()),
                b'&' => {
                    found.push(Vec::new());
                    at += 1;
                }
                _ => {}
            }
            at += 1;
            continue;
        }
        start.get_or_insert(at);
        match (open.last(), byte) {
            (_, b'\\') => at += 1,
            (Some(b'"'), b'"') | (Some(b'('), b')') | (Some(b'`'), b'`') => drop(open.pop()),
            (Some(b'"'), b'(') if at > 0 && bytes[at - 1] == b'$' => open.push(b'('),
            (Some(b'"'), b'(') => {}
            (Some(b'"'), b'\'') => {}
            (_, b'\'') => at += 1 + bytes[at + 1..].iter().position(|b| *b == b'\'')?,
            (_, b'"' | b'(' | b'`') => open.push(byte),
            _ => {}
        }
        at += 1;
    }
    found.last_mut()?.extend(start.map(|start| &text[start..]));
    open.is_empty().then(|| without_redirections(found))
}

fn without_redirections(mut commands: Vec<Vec<&str>>) -> Vec<Vec<&str>> {
    for words in &mut commands {
        let mut target = false;
        words.retain(|word| {
            if std::mem::take(&mut target) {
                return false;
            }
            let redirection = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&').strip_prefix('>');
            target = matches!(redirection, Some("" | ">"));
            redirection.is_none()
        });
    }
    commands
}
