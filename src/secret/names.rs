//! Values whose names say that they are secret, and tokens that are known by how they begin.

use super::is_plain;

/// What tokens of well-known services begin with, and the least that follows.
const KNOWN_STARTS: &[(&str, usize)] = &[
    ("AKIA", 12),
    ("ghp_", 8),
    ("gho_", 8),
    ("ghs_", 8),
    ("ghu_", 8),
    ("github_pat_", 8),
    ("glpat-", 8),
    ("hf_", 8),
    ("nvapi-", 8),
    ("sk-", 16),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxr-", 8),
    ("xoxs-", 8),
];

/// Words of a name that say so, and pairs of words.
const SECRET: &[&str] = &[
    "apikey",
    "auth",
    "authorization",
    "credential",
    "credentials",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "secret",
    "secrets",
    "token",
];
/// Words that say so at the end of an option or of a variable in capitals.
const LAST: &[&str] = &["bearer", "cookie", "jwt", "key", "pat", "pw", "pwd", "webhook"];
/// The same, where nothing stands before them.
const ALONE: &[&str] = &["bearer", "cookie", "jwt", "pat", "pw", "webhook"];
/// What a longer word ends with that says so: `PGPASSWORD`.
const ENDS: &[&str] = &["connectionstring", "passphrase", "passwd", "password"];
/// Words that end so and say the opposite: sudo's tag.
const WITHOUT: &[&str] = &["nopasswd", "nopassword"];
/// Whose `pass` is a password, in one word: of others it may be a way (`BYPASS`, `COMPASS`, `LOWPASS`).
const ACCOUNTS: &[&str] = &[
    "admin", "db", "ftp", "key", "ldap", "login", "mail", "mongo", "my", "mysql", "pg", "postgres", "proxy", "redis", "root",
    "smtp", "sql", "ssh", "store", "sudo", "user", "vnc",
];
/// Pairs of words that say so.
const PAIRS: &[(&str, &str)] = &[("conn", "str"), ("connection", "string"), ("webhook", "uri"), ("webhook", "url")];
/// With these before them they are no secrets.
const OPEN: &[&str] = &[
    "cache",
    "foreign",
    "group",
    "hash",
    "host",
    "index",
    "lock",
    "partition",
    "primary",
    "public",
    "routing",
    "shard",
    "sort",
    "trusted",
];
const SECRET_KEYS: &[&str] =
    &["access", "account", "api", "auth", "encryption", "license", "private", "secret", "signing", "ssh"];
/// With these behind them they speak of where the secret is, or what.
const BESIDE: &[&str] = &[
    "count", "dir", "endpoint", "env", "file", "host", "id", "length", "method", "mode", "name", "path", "stdin", "ttl", "type",
    "uri", "url",
];
/// No name is longer.
const LONGEST_NAME: usize = 128;

/// The places of values whose names say that they are secret, in order.
pub(super) struct Named<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Named<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Named<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            if !is_name(bytes[self.at]) {
                self.at += 1;
                continue;
            }
            let start = self.at;
            self.at += bytes[start..].iter().take_while(|b| is_name(**b)).count();
            let name = &self.text[start..self.at];
            // Of an address the next parameter is none of this one's.
            if is_known_token(name) {
                return Some((start, self.at));
            }
            let quote = self.text[..start].chars().next_back().filter(|c| matches!(c, '"' | '\''));
            let parameter = start > 0 && matches!(bytes[start - 1], b'?' | b'&');
            // `$TOKEN x`: what follows is no value of it.
            let behind = self.text[self.at..].trim_start_matches([' ', '\t']);
            if self.text[..start].ends_with('$') && !behind.starts_with(['=', ':']) {
                continue;
            }
            if name.len() <= LONGEST_NAME
                && is_secret(name)
                && let Some((from, to)) = value(self.text, name, self.at, if parameter { &['&', '#'] } else { &[] }, quote)
            {
                // No byte is looked at as a value twice.
                self.at = to;
                if !is_plain(&self.text[from..to]) {
                    return Some((from, to));
                }
            }
        }
        None
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// `hf_…`, `ghp_…`: such a token is no word, so it has digits or capitals.
fn is_known_token(word: &str) -> bool {
    KNOWN_STARTS.iter().any(|(start, least)| {
        let rest = word.strip_prefix(start).unwrap_or_default();
        let mixed = rest.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        rest.len() >= *least && mixed && (*start != "hf_" || rest.bytes().all(|b| b.is_ascii_alphanumeric()))
    })
}

/// Whether a name in snake, kebab or camel case has a word that says so.
pub(super) fn is_secret(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut words: Vec<String> = vec![String::new()];
    for (i, byte) in bytes.iter().enumerate() {
        let upper = byte.is_ascii_uppercase();
        let after_lower = i > 0 && !bytes[i - 1].is_ascii_uppercase();
        let before_lower = bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase);
        if !byte.is_ascii_alphanumeric() || (upper && i > 0 && (after_lower || before_lower)) {
            words.push(String::new());
        }
        if byte.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    words.retain(|word| !word.is_empty());
    let has = |list: &[&str], word: &str| list.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
    let keys = words.windows(2).any(|pair| has(&["key"], &pair[1]) && has(SECRET_KEYS, &pair[0]));
    let marked = name.starts_with('-') || !name.bytes().any(|b| b.is_ascii_lowercase());
    let last = match words.as_slice() {
        [.., before, last] => marked && has(LAST, last) && !has(OPEN, before),
        // The header is written so.
        [only] => (marked || name == "Cookie") && ALONE.contains(&only.as_str()),
        [] => false,
    };
    let glued = words.iter().any(|word| is_glued(word.trim_end_matches(|c: char| c.is_ascii_digit()), marked));
    let paired = words.windows(2).any(|pair| PAIRS.contains(&(pair[0].as_str(), pair[1].as_str())));
    let pwd = words.len() > 1 && words.iter().any(|word| word == "pwd");
    let beside = words.last().is_some_and(|word| BESIDE.contains(&word.as_str()));
    paired || (keys || glued || pwd || last || words.iter().any(|word| has(SECRET, word))) && !beside
}

/// Whether one word is several that say so: `SSHPASS`, `authkey`, `HFTOKEN`.
fn is_glued(word: &str, marked: bool) -> bool {
    let ends = |end: &str, list: &[&str]| word.strip_suffix(end).is_some_and(|owner| list.contains(&owner));
    !WITHOUT.contains(&word)
        && (ENDS.iter().any(|end| word.ends_with(end))
            || ends("key", SECRET_KEYS)
            || ends("pass", ACCOUNTS)
            || (marked && word.ends_with("token")))
}

/// The value behind a name that ends at `end`, on the same line; `more` end it, too. `quote` is what stands before the name.
fn value(text: &str, name: &str, end: usize, more: &[char], quote: Option<char>) -> Option<(usize, usize)> {
    let line = &text[end..];
    // `"password": …`, `'token' = …`.
    let rest = line.strip_prefix(['"', '\'']).unwrap_or(line);
    let bare = rest.trim_start_matches([' ', '\t']);
    // `["--token", "…"]`: the next of a list.
    if let Some(list) = bare.strip_prefix(',').filter(|_| rest.len() < line.len()) {
        let next = list.trim_start_matches([' ', '\t']);
        let from = end + line.len() - next.len() + 1;
        let mark = next.chars().next().filter(|c| name.starts_with('-') && matches!(c, '"' | '\''))?;
        let inside = Some(&next[1..]).filter(|inside| !inside.starts_with('-'))?;
        let length = inside.find([mark, '\n', '\r']).unwrap_or(inside.len());
        return Some((from, from + length));
    }
    // `"token"]`: of a list the last.
    if rest.len() < line.len() && bare.starts_with([']', '}', ')']) {
        return None;
    }
    let whole = quote.filter(|_| line.starts_with('='));
    let (rest, signed) = match bare.strip_prefix(['=', ':']) {
        Some(value) => (value, true),
        // `--token …`, `ENV PASSWORD …`: of words in a sentence none is a name.
        None if bare.len() < line.len() && (name.starts_with('-') || !name.bytes().any(|b| b.is_ascii_lowercase())) => {
            (bare, false)
        }
        None => return None,
    };
    let rest = rest.trim_start_matches([' ', '\t', '=']);
    let from = end + line.len() - rest.len();
    let to = |rest: &str, ends: &[char]| rest.find(|c| c == '\n' || c == '\r' || ends.contains(&c)).unwrap_or(rest.len());
    let scheme = ["bearer ", "basic ", "token "].iter().any(|s| rest.get(..s.len()).is_some_and(|r| r.eq_ignore_ascii_case(s)));
    match rest.chars().next()? {
        quote @ ('"' | '\'') => Some((from + 1, from + 1 + to(&rest[1..], &[quote]))),
        // An argument of its own has its option before it.
        '-' | '&' | '|' | ';' | '<' | '>' | '\\' | '#' if !signed => None,
        _ if scheme => Some((from, from + to(rest, &['"', '\'']))),
        // `$(echo …)`: the secret itself stands there.
        _ if ["$(echo ", "$(printf "].iter().any(|s| rest.starts_with(s)) => Some((from + 2, from + to(rest, &[')']))),
        // `'TOKEN=a b'`: up to the closing quote, where there is one.
        _ if whole.is_some_and(|q| rest[to(rest, &[q])..].starts_with(q)) => whole.map(|q| (from, from + to(rest, &[q]))),
        _ => {
            let bare = &rest[..to(rest, &[' ', '\t', '"', '\''])];
            Some((from, from + to(bare, more)))
        }
    }
}
