//! Secrets that stand in commands without a name of their own: `curl -u user:password`, `wandb login KEY`.

use std::ops::Range;

use super::{is_plain, is_secret};

/// Options whose values are secret, behind a program or verb; whether the value may stand in the same word.
const OPTIONS: &[(&str, &[&str], bool)] = &[
    ("login", &["-p"], false),
    ("twine", &["-p"], false),
    ("unzip", &["-P"], true),
    ("zip", &["-P"], true),
    ("sshpass", &["-p"], true),
    ("curl", &["-u", "--user", "-U", "--proxy-user"], false),
    ("redis-cli", &["-a"], false),
    ("useradd", &["-p"], false),
    ("usermod", &["-p"], false),
];
/// Programs that take a password in the word of the option only: behind a space stands something else.
const JOINED: &[&str] = &["mysql", "mysqldump", "mariadb", "7z", "7za", "7zr", "7zz", "rar", "unrar"];
/// Programs whose `login` has the password in the word of its option, too.
const REGISTRIES: &[&str] = &["buildah", "docker", "nerdctl", "podman", "skopeo"];
/// Programs whose `login` has a key as its operand.
const KEYED: &[&str] = &["vault", "wandb"];
/// Nobody writes more options before an operand: hostile text stays cheap.
const MOST_OPTIONS: usize = 16;
/// What takes a secret from its input.
const BY_INPUT: &[&str] = &["--password-stdin", "--with-token", "--stdin", "chpasswd"];

/// A word of a command.
struct Word<'t> {
    text: &'t str,
    at: Range<usize>,
    /// With what it may hold besides, up to its closing quote.
    whole: Range<usize>,
}

/// The places of secrets, in no order.
pub(super) fn in_commands(text: &str) -> Vec<(usize, usize)> {
    let mut secrets = Vec::new();
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut piped: Vec<Word<'_>> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at <= bytes.len() {
        let joined = at > 0 && bytes[at - 1] == b'\\';
        match bytes.get(at) {
            None | Some(b';' | b'|' | b'&') => {}
            Some(b'\n' | b'\r') if !joined => {}
            Some(b) if b.is_ascii_whitespace() || is_mark(*b) => {
                at += 1;
                continue;
            }
            Some(_) => {
                let length = text[at..]
                    .find(|c: char| c.is_ascii_whitespace() || c.is_ascii() && ends(c as u8))
                    .unwrap_or(text.len() - at);
                let range = at..at + length.max(1);
                let quote = text[..at].chars().next_back().filter(|c| matches!(c, '"' | '\''));
                // No word is looked through twice.
                let whole = quote.map_or(range.clone(), |quote| {
                    let rest = &text[range.end..];
                    let end = rest.find([quote, '\n']).unwrap_or(rest.len());
                    range.start..if rest[end..].starts_with(quote) { range.end + end } else { range.end }
                });
                at = range.end;
                words.push(Word { text: &text[range.clone()], at: range, whole });
                continue;
            }
        }
        of(&words, &piped, text, &mut secrets);
        let pipes = bytes.get(at) == Some(&b'|') && bytes.get(at + 1) != Some(&b'|');
        piped = if pipes { std::mem::take(&mut words) } else { Vec::new() };
        words.clear();
        at += 1;
    }
    secrets
}

/// Stands around words.
fn is_mark(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b',' | b'[' | b']' | b'(' | b')' | b'`')
}

/// Ends a word.
fn ends(byte: u8) -> bool {
    matches!(byte, b';' | b'|' | b'&' | b'"' | b'\'' | b'`')
}

/// The secrets of one command; `piped` is the one that it takes its input from.
fn of(words: &[Word<'_>], piped: &[Word<'_>], text: &str, secrets: &mut Vec<(usize, usize)>) {
    let mut mask = |word: &Word<'_>| {
        let value = text[word.whole.clone()].trim_end_matches([',', ']', ')', '}']);
        if !word.text.starts_with('-') && !is_plain(value) {
            secrets.push((word.whole.start, word.whole.start + value.len()));
        }
    };
    let names = |word: &Word<'_>, name: &str| word.text == name || word.text.strip_suffix(name).is_some_and(|p| p.ends_with('/'));
    let (mut configures, mut logs_in, mut by_input) = (false, false, false);
    let mut options: Vec<(&str, bool)> = Vec::new();
    let (mut joins, mut kaggle, mut creates_secret, mut reads) = (false, false, false, false);
    // The options of sudo itself.
    let mut sudo = false;
    // Where `mc alias set` ends; it has four operands, the last of which is secret.
    let mut alias: Option<usize> = None;
    for (n, word) in words.iter().enumerate() {
        let next = words.get(n + 1);
        for (program, own, joined) in OPTIONS {
            if names(word, program) && options.len() < OPTIONS.len() {
                options.extend(own.iter().map(|option| (*option, *joined)));
            }
        }
        if names(word, "login")
            && n > 0
            && REGISTRIES.iter().any(|program| names(&words[n - 1], program))
            && options.len() < OPTIONS.len()
        {
            options.push(("-p", true));
        }
        joins |= JOINED.iter().any(|program| names(word, program));
        by_input |= BY_INPUT.iter().any(|option| names(word, option));
        let before = n.checked_sub(1).map(|n| &words[n]);
        let is_short = word.text.starts_with('-') && !word.text.starts_with("--");
        by_input |= sudo && is_short && word.text.contains('S');
        let has_value = before.is_some_and(|before| matches!(before.text, "-u" | "-g" | "-p"));
        sudo = names(word, "sudo") || (sudo && (word.text.starts_with('-') || has_value));
        by_input |= reads && !word.text.starts_with('-') && is_secret(word.text);
        reads |= n == 0 && word.text == "read";
        kaggle |= names(word, "kaggle");
        if kaggle && word.text == "key" && options.len() < OPTIONS.len() {
            options.extend([("-v", false), ("--value", false)]);
        }
        creates_secret |= word.text == "secret" && before.is_some_and(|before| before.text == "create");
        if creates_secret && let Some(own) = word.text.strip_prefix("--from-literal") {
            let literal = if own.is_empty() { next } else { Some(word) };
            let pair = literal.and_then(|literal| {
                let from = if own.is_empty() { 0 } else { "--from-literal=".len() };
                let (_, value) = literal.text.get(from..)?.split_once('=')?;
                Some(Word { text: value, at: literal.at.clone(), whole: literal.at.end - value.len()..literal.whole.end })
            });
            pair.iter().for_each(&mut mask);
        }
        if word.text == "set" && n > 1 && words[n - 1].text == "alias" && names(&words[n - 2], "mc") {
            alias = Some(0);
        } else if let Some(operands) = alias.as_mut().filter(|_| !word.text.starts_with('-')) {
            *operands += 1;
            if *operands == 4 {
                mask(word);
            }
        }
        options.retain(|(option, joined)| {
            let value = word.text.strip_prefix(option).filter(|value| *joined || value.is_empty() || value.starts_with('='));
            let Some(value) = value.map(|value| value.trim_start_matches('=')) else { return true };
            if value.is_empty() {
                next.into_iter().for_each(&mut mask);
            } else {
                mask(&Word { text: value, at: word.at.clone(), whole: word.at.end - value.len()..word.at.end });
            }
            // Behind the password stands another command with options of its own.
            !joined
        });
        if let Some(value) = word.text.strip_prefix("-p").filter(|value| joins && !value.is_empty()) {
            mask(&Word { text: value, at: word.at.clone(), whole: word.at.end - value.len()..word.at.end });
        }
        // `wandb login [--relogin] KEY`.
        if names(word, "login") && before.is_some_and(|before| KEYED.iter().any(|program| names(before, program))) {
            let is_key = |word: &&Word<'_>| !word.text.starts_with('-') && !word.text.contains("://") && !word.text.contains('=');
            let operand = words[n + 1..].iter().take(MOST_OPTIONS).find(is_key);
            operand.into_iter().for_each(&mut mask);
        }
        // `aws configure set aws_secret_access_key X`, `poetry config pypi-token.a X`, `poetry config http-basic.a user X`.
        if configures && !word.text.starts_with('-') {
            if word.text.starts_with("http-basic.") {
                words.get(n + 2).into_iter().for_each(&mut mask);
            } else if !word.text.contains('=') && !word.text.ends_with(".helper") && is_secret(word.text) {
                next.into_iter().for_each(&mut mask);
            }
        }
        configures |= matches!(word.text, "config" | "configure");
        // `machine h login u password X`.
        if word.text == "password" && (logs_in || words.len() == 2 && n == 0) {
            next.into_iter().for_each(&mut mask);
        }
        logs_in |= matches!(word.text, "machine" | "login");
    }
    if by_input {
        let said = piped.iter().position(|word| names(word, "echo") || names(word, "printf")).map_or(piped.len(), |n| n + 1);
        piped[said..].iter().for_each(&mut mask);
        let here = words.iter().position(|word| word.text == "<<<").map_or(words.len(), |n| n + 1);
        words[here..].iter().take(1).for_each(&mut mask);
        let glued = words.iter().find_map(|word| Some((word, word.text.strip_prefix("<<<").filter(|value| !value.is_empty())?)));
        if let Some((word, value)) = glued {
            mask(&Word { text: value, at: word.at.clone(), whole: word.at.end - value.len()..word.at.end });
        }
    }
}
