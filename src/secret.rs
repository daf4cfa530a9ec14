//! What nobody else may read: credentials in addresses, and values whose names say that they are secret.

mod commands;
mod entries;

use std::borrow::Cow;

/// A text with its secrets as `*`, byte for byte, so that offsets into it stay true: the user and the password of
/// `https://user:secret@host`, the token of conda's `…/t/token/…`, the values of `?token=…`, `PASSWORD=…`, `--api-key …`,
/// `Authorization: Bearer …`, what commands and entries take (`docker login -p …`, `{name: API_KEY, value: …}`), tokens that
/// are known by how they begin.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    let mut secrets = in_addresses(text);
    secrets.extend(Named { text, at: 0 });
    secrets.extend(commands::in_commands(text));
    secrets.extend(entries::in_entries(text));
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    secrets.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (from, to) in secrets {
        let from = from.max(done);
        if from < to {
            out.push_str(&text[done..from]);
            out.extend(std::iter::repeat_n('*', to - from));
            done = to;
        }
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// An address that may be shown: no user, password, query or fragment, however it is misspelt.
pub(crate) fn address_without(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let shown = match url.rsplit_once('@') {
        Some((before, host)) => {
            let scheme = before.split_once("://").map_or(String::new(), |(scheme, _)| format!("{scheme}://"));
            format!("{scheme}{host}")
        }
        None => url.to_owned(),
    };
    let mut whole = String::with_capacity(shown.len());
    let mut done = 0;
    let mut tokens = in_channels(&shown);
    tokens.extend(shown.split_once("://").and_then(|(scheme, rest)| {
        let start = scheme.len() + "://".len();
        in_path(rest).map(|(from, to)| (start + from, start + to))
    }));
    tokens.sort_unstable();
    for (from, to) in tokens.into_iter().filter(|(from, to)| from < to) {
        let from = from.max(done);
        whole.push_str(&shown[done..from]);
        whole.extend(std::iter::repeat_n('*', to - from));
        done = to;
    }
    whole + &shown[done..]
}

// ---- addresses ----

fn in_addresses(text: &str) -> Vec<(usize, usize)> {
    let mut secrets = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        let address = address(&text[start..]);
        if let Some(end) = user_info(address) {
            secrets.push((start, start + end));
        }
        secrets.extend(in_path(address).map(|(from, to)| (start + from, start + to)));
        secrets.extend(parameters(address).map(|(from, to)| (start + from, start + to)));
    }
    secrets.extend(in_channels(text));
    secrets
}

/// Services whose addresses may have a token as a part of their path, by a label of the host; what stands before it.
/// Sources: <https://help.cloudsmith.io/docs/entitlements>; for Gemfury <https://devcenter.heroku.com/articles/gemfury>, which
/// shows one; packagecloud's is as public build files write it (`/priv/${read_token}/owner/repository`).
const TOKEN_IN_PATH: &[(&str, &str)] = &[("cloudsmith", "/"), ("packagecloud", "/priv/"), ("fury", "/")];
/// What stands in its place where there is none.
const NO_TOKEN: &[&str] = &["public", "basic", "simple"];
/// The least that a token has.
const SHORTEST: usize = 8;

/// The token in the path of an address without its scheme: of several parts the one that names no owner.
fn in_path(address: &str) -> Option<(usize, usize)> {
    let authority = address.find('/')?;
    let host = address[..authority].rsplit('@').next()?.to_ascii_lowercase();
    let (_, before) = TOKEN_IN_PATH.iter().find(|(service, _)| host.split(['.', ':']).any(|label| label == *service))?;
    let path = address[authority..].strip_prefix(before)?;
    let from = address.len() - path.len();
    let (token, rest) = path.split_once('/')?;
    let owned = rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let fits = token.len() >= SHORTEST && owned && !NO_TOKEN.contains(&token) && !is_plain(token);
    fits.then_some((from, from + token.len()))
}

/// How far before its token the host of a channel is looked for.
const HOST: usize = 64;

/// The tokens of conda's channels, in order: `https://conda.example/t/token/name`.
/// Source: <https://docs.conda.io/projects/conda/en/stable/user-guide/configuration/settings.html>.
fn in_channels(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, mark) in text.match_indices("/t/") {
        let host = &text[text.ceil_char_boundary(at.saturating_sub(HOST))..at];
        let host = host.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).next().unwrap_or_default();
        let from = at + mark.len();
        let rest = &text[from..text.floor_char_boundary(from + LONGEST)];
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | ',' | ']' | '}');
        let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
        if (host.contains("conda") || token.starts_with("tk-")) && !token.is_empty() && !is_plain(token) {
            found.push((from, from + token.len()));
        }
    }
    found
}

/// The longest address that is looked at: hostile text stays cheap.
const LONGEST: usize = 2048;

/// What follows `://`, up to the end of the address.
fn address(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    // The next address bounds this one, so that no byte is looked at twice.
    let text = text.find("://").map_or(text, |next| &text[..next]);
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`'));
    &text[..end.unwrap_or(text.len())]
}

/// Where the `user:password` of an address ends.
fn user_info(address: &str) -> Option<usize> {
    let authority = &address[..address.find(['/', '?', '#']).unwrap_or(address.len())];
    if let Some(at) = authority.rfind('@') {
        return Some(at);
    }
    // A password with an unescaped `/`: what stands after the colon is no port.
    let (_, port) = authority.split_once(':')?;
    (!port.is_empty() && !port.bytes().all(|b| b.is_ascii_digit())).then(|| address.rfind('@')).flatten()
}

/// The values of query parameters whose names speak of secrets.
fn parameters(address: &str) -> impl Iterator<Item = (usize, usize)> {
    let query = address.find('?').map_or(address.len(), |at| at + 1);
    let query_end = address[query..].find('#').map_or(address.len(), |at| query + at);
    let mut at = query;
    address[query..query_end].split('&').filter_map(move |pair| {
        let start = at;
        at += pair.len() + 1;
        let (name, value) = pair.split_once('=')?;
        let name_low = name.to_ascii_lowercase();
        let speaks = ["token", "key", "secret", "pass", "auth", "sig", "credential"].iter().any(|word| name_low.contains(word));
        let from = start + name.len() + 1;
        (speaks && !value.is_empty()).then_some((from, from + value.len()))
    })
}

// ---- values with names ----

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
const LAST: &[&str] = &["key", "pat", "pwd"];
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
const SECRET_KEYS: &[&str] = &["access", "api", "auth", "encryption", "license", "private", "signing", "ssh"];
/// With these behind them they speak of where the secret is, or what.
const BESIDE: &[&str] = &[
    "count", "dir", "endpoint", "env", "file", "host", "id", "length", "method", "mode", "name", "path", "stdin", "ttl", "type",
    "uri", "url",
];
/// Values that are none: switches, rights.
const PLAIN: &[&str] = &["false", "inherit", "no", "none", "null", "read", "true", "write", "yes"];
/// No name is longer.
const LONGEST_NAME: usize = 128;

/// The places of values whose names say that they are secret, in order.
struct Named<'t> {
    text: &'t str,
    at: usize,
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
fn is_secret(name: &str) -> bool {
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
        [only] => marked && only == "pat",
        [] => false,
    };
    let pwd = words.len() > 1 && words.iter().any(|word| word == "pwd");
    let beside = words.last().is_some_and(|word| BESIDE.contains(&word.as_str()));
    (keys || pwd || last || words.iter().any(|word| has(SECRET, word))) && !beside
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

/// What is no secret though its name says so: a switch, a right, `--secret id=x,src=y` of a build.
fn is_plain(value: &str) -> bool {
    value.is_empty() || PLAIN.contains(&value.to_ascii_lowercase().as_str()) || value.starts_with("id=") || is_reference(value)
}

/// `$NAME`, `${NAME}`, `${{ … }}`, `{{ … }}`, `$(…)`: what stands there is elsewhere.
fn is_reference(value: &str) -> bool {
    let name = value.strip_prefix('$').map(|v| v.strip_prefix('{').and_then(|v| v.strip_suffix('}')).unwrap_or(v));
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()))
        || ["${{", "{{", "$("].iter().any(|mark| value.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_addresses_are_masked_in_place() {
        for (text, shown) in [
            ("-i https://user:s3cret@pypi.example/simple", "-i https://***********@pypi.example/simple"),
            ("https://ghp_abc@github.com/x/y@v1", "https://*******@github.com/x/y@v1"),
            ("https://a:p@ss@h/", "https://******@h/"),
            ("https://a:p/ss@h/x", "https://******@h/x"),
            ("https://a:中@h", "https://*****@h"),
            ("https://h:8080/x@y", "https://h:8080/x@y"),
            ("git+https://github.com/x/y@v1", "git+https://github.com/x/y@v1"),
            ("https://h/s?token=abc&x=1&sig=de#f", "https://h/s?token=***&x=1&sig=**#f"),
            ("https://h/ user@host", "https://h/ user@host"),
            (
                "-i https://dl.cloudsmith.example/aB3dE6gH/o/r/python/simple",
                "-i https://dl.cloudsmith.example/********/o/r/python/simple",
            ),
            ("https://dl.cloudsmith.example/public/o/r/python/", "https://dl.cloudsmith.example/public/o/r/python/"),
            ("https://dl.cloudsmith.example/basic/o/r/", "https://dl.cloudsmith.example/basic/o/r/"),
            ("https://dl.cloudsmith.example/$CS_TOKEN/o/r/", "https://dl.cloudsmith.example/$CS_TOKEN/o/r/"),
            ("https://packagecloud.example/priv/aB3dE6gH/o/r/", "https://packagecloud.example/priv/********/o/r/"),
            ("https://packagecloud.example/owner-name/r/", "https://packagecloud.example/owner-name/r/"),
            ("https://pypi.fury.example/aB3dE6gH/me/", "https://pypi.fury.example/********/me/"),
            ("https://pypi.fury.example/some-nightlies/", "https://pypi.fury.example/some-nightlies/"),
            ("https://h.example/aB3dE6gH/o/r/", "https://h.example/aB3dE6gH/o/r/"),
            ("a://b:c@d://e:f@g", "a://***@d://***@g"),
            ("://", "://"),
        ] {
            assert_eq!(masked(text), shown);
            assert_eq!(masked(text).len(), text.len());
        }
    }

    #[test]
    fn values_with_secret_names_are_masked_in_place() {
        for (text, shown) in [
            ("ENV PASSWORD=hunter2 A=1", "ENV PASSWORD=******* A=1"),
            ("ENV DB_PASS hunter2", "ENV DB_PASS *******"),
            ("x --token abc -r y", "x --token *** -r y"),
            ("x --api-key=abc", "x --api-key=***"),
            ("docker run -e HF_TOKEN=hf_x i", "docker run -e HF_TOKEN=**** i"),
            ("export API_KEY=\"a b\" C", "export API_KEY=\"***\" C"),
            ("-H 'Authorization: Bearer abc.d' https://h", "-H 'Authorization: ************' https://h"),
            ("dbPassword: 'x y' # c", "dbPassword: '***' # c"),
            ("{\"auth\": \"x\", \"image\": \"y\"}", "{\"auth\": \"*\", \"image\": \"y\"}"),
            ("AWSSecretKey = k", "AWSSecretKey = *"),
            ("ORACLE_PWD=x PWD=/a", "ORACLE_PWD=* PWD=/a"),
            ("private_key: 中", "private_key: ***"),
            ("h.example/x?token=abc&x=1#y a", "h.example/x?token=***&x=1#y a"),
            ("TOKEN2=a\nB=c", "TOKEN2=*\nB=c"),
            ("TOKEN=${T:-abc}", "TOKEN=*********"),
            ("TOKEN=\"abc", "TOKEN=\"***"),
            ("PASSWORD=https://u:p@h", "PASSWORD=*************"),
            ("[\"serve\", \"--hf-token\", \"hf_x\", \"--device\"]", "[\"serve\", \"--hf-token\", \"****\", \"--device\"]"),
            ("['--api-key','a b']", "['--api-key','***']"),
            ("['--token', '--device']", "['--token', '--device']"),
            ("docker run -e 'MY_SECRET=x y' i", "docker run -e 'MY_SECRET=***' i"),
            ("docker run -e \"MY_SECRET=x 'y'\" i", "docker run -e \"MY_SECRET=*****\" i"),
            ("-e 'TOKEN=x", "-e 'TOKEN=*"),
            ("docker login -u a -p s3cret h", "docker login -u a -p ****** h"),
            ("docker login -p=x -u a", "docker login -p=* -u a"),
            ("docker login -u a -p $PW h\nmkdir -p x", "docker login -u a -p $PW h\nmkdir -p x"),
            ("serve --openai-key=abc --gh-pat abc", "serve --openai-key=*** --gh-pat ***"),
            ("OPENAI_KEY=abc DB_PWD=x", "OPENAI_KEY=*** DB_PWD=*"),
            ("GH_TOKEN=$(echo s3cret) x", "GH_TOKEN=$(***********) x"),
            ("x hf_abcdefgH1 ghp_12345678,", "x ************ ************,"),
            ("- nvapi-abcdefg1\n- AKIA1234567890AB", "- **************\n- ****************"),
            (
                "clone glpat-ABCDEFGH xoxb-12345678 sk-proj-abcdefgh12345678",
                "clone ************** ************* ************************",
            ),
            ("conda install -c https://conda.anaconda.org/t/S3c/x a", "conda install -c https://conda.anaconda.org/t/***/x a"),
            ("[conda.example/t/ab-c/x, b]", "[conda.example/t/****/x, b]"),
            ("- https://h.example/t/tk-1/get/x", "- https://h.example/t/****/get/x"),
            ("curl -u me:S3c https://x", "curl -u ****** https://x"),
            ("curl --user \"me:S3c r\" https://x", "curl --user \"********\" https://x"),
            ("sshpass -p S3c scp a b; sshpass -pS3c ssh -p 22 h", "sshpass -p *** scp a b; sshpass -p*** ssh -p 22 h"),
            ("twine upload -u __token__ -p S3c d/*", "twine upload -u __token__ -p *** d/*"),
            ("wandb login --relogin S3c && x", "wandb login --relogin *** && x"),
            ("/opt/bin/wandb login S3c", "/opt/bin/wandb login ***"),
            ("aws configure set aws_secret_access_key S3c", "aws configure set aws_secret_access_key ***"),
            ("poetry config pypi-token.a S3c", "poetry config pypi-token.a ***"),
            ("poetry config http-basic.a me S3c", "poetry config http-basic.a me ***"),
            ("machine h login me password S3c", "machine h login me password ***"),
            ("login me\n  password S3c\n", "login me\n  password ***\n"),
            ("echo S3c | docker login -u me --password-stdin", "echo *** | docker login -u me --password-stdin"),
            ("docker login --password-stdin <<< \"S3c\"", "docker login --password-stdin <<< \"***\""),
            ("docker login -u me \\\n  -p S3c", "docker login -u me \\\n  -p ***"),
            ("[\"docker\", \"login\", \"-p\", \"S3c\"]", "[\"docker\", \"login\", \"-p\", \"***\"]"),
            ("mysql -pS3c -u me db", "mysql -p*** -u me db"),
            ("env: [{name: WANDB_API_KEY, value: \"S3c\"}]", "env: [{name: WANDB_API_KEY, value: \"***\"}]"),
            (
                "env: [{value: S3c, name: HF_TOKEN}, {name: A, value: b}]",
                "env: [{value: ***, name: HF_TOKEN}, {name: A, value: b}]",
            ),
            (
                "- name: HF_TOKEN\n  value: S3c # d\n- name: A\n  value: b",
                "- name: HF_TOKEN\n  value: *** # d\n- name: A\n  value: b",
            ),
            ("{\"name\":\"HF_TOKEN\",\"value\":\"S3c\"}", "{\"name\":\"HF_TOKEN\",\"value\":\"***\"}"),
            // What is no secret, or not here.
            ("https://discuss.example/t/a-title/12", "https://discuss.example/t/a-title/12"),
            ("curl -o a https://x; mkdir -p b && cp -u c d", "curl -o a https://x; mkdir -p b && cp -u c d"),
            ("wandb login; wandb login $KEY", "wandb login; wandb login $KEY"),
            ("echo $PW | docker login --password-stdin", "echo $PW | docker login --password-stdin"),
            ("echo hello | tee x; git config credential.helper store", "echo hello | tee x; git config credential.helper store"),
            (
                "aws configure set region eu && conda config --add channels x",
                "aws configure set region eu && conda config --add channels x",
            ),
            ("mysql -p db; useradd -m me", "mysql -p db; useradd -m me"),
            ("- name: HF_TOKEN\n  valueFrom: {x: y}", "- name: HF_TOKEN\n  valueFrom: {x: y}"),
            ("- name: TOKEN\n- name: A\n  value: b", "- name: TOKEN\n- name: A\n  value: b"),
            ("name: trainer\nvalue: 3", "name: trainer\nvalue: 3"),
            ("hostname: TOKEN\nvalue: 3", "hostname: TOKEN\nvalue: 3"),
            ("torch==2.1.0 keyring monkey=1 tokenizers==0.15", "torch==2.1.0 keyring monkey=1 tokenizers==0.15"),
            ("--gpus all --device=cuda image: x", "--gpus all --device=cuda image: x"),
            ("hf_transfer hf_hub_download1 sk-learn-contrib", "hf_transfer hf_hub_download1 sk-learn-contrib"),
            ("CACHE_KEY=a --sort-key b --key-file=c --cache-key=d", "CACHE_KEY=a --sort-key b --key-file=c --cache-key=d"),
            ("TOKEN=$(cat /run/x) y", "TOKEN=$(cat /run/x) y"),
            ("key: value", "key: value"),
            ("[\"--token\"]", "[\"--token\"]"),
            ("author: me, tokenizer=x, --max-tokens 5", "author: me, tokenizer=x, --max-tokens 5"),
            ("TOKEN=$HF_TOKEN TOKEN=${{ secrets.X }}", "TOKEN=$HF_TOKEN TOKEN=${{ secrets.X }}"),
            ("id-token: write", "id-token: write"),
            ("TOKEN_FILE=/run/x --password-stdin host", "TOKEN_FILE=/run/x --password-stdin host"),
            ("--mount=type=secret,id=hf --secret id=a,src=b", "--mount=type=secret,id=hf --secret id=a,src=b"),
            ("the token that you need", "the token that you need"),
            ("cache_key=torch KEY=a", "cache_key=torch KEY=a"),
            ("TOKEN=\nx", "TOKEN=\nx"),
            ("TOKEN=", "TOKEN="),
            ("--token \\", "--token \\"),
            ("token", "token"),
        ] {
            assert_eq!(masked(text), shown);
            assert_eq!(masked(text).len(), text.len());
        }
    }

    #[test]
    fn an_address_is_shown_without_what_is_secret() {
        assert_eq!(address_without("https://me:secret@host.example/simple"), "https://host.example/simple");
        for bad in [
            "//u:SECRET@h.example/x",
            "https:/u:SECRET@h.example/x",
            "u:SECRET@h.example/x",
            "https://SECRET@h.example/x",
            "https://h.example/x?t=SECRET",
            "https://h.example/x#SECRET",
            "https://u:p/SECRET@h.example",
        ] {
            assert!(!address_without(bad).contains("SECRET"), "{bad}: {}", address_without(bad));
        }
    }

    #[test]
    fn hostile_text_stays_cheap() {
        for text in [
            "://".repeat(300_000),
            "://a:b".repeat(200_000),
            "://a:b/?".repeat(200_000),
            "token:".repeat(200_000),
            "TOKEN \"".repeat(200_000),
            "token".repeat(200_000),
            "--token --token ".repeat(60_000),
            "TOKEN=${{".repeat(100_000),
            "token ".repeat(200_000),
            "TOKEN=id=".repeat(100_000),
            "'TOKEN=".repeat(100_000),
            "\"--token\",\"".repeat(100_000),
            "login -p ".repeat(100_000),
            "TOKEN=$(echo ".repeat(100_000),
            "/t/".repeat(300_000),
            "conda/t/".repeat(200_000),
            "'a".repeat(300_000),
            "curl -u ".repeat(100_000),
            "echo a |".repeat(100_000),
            "name: TOKEN value".repeat(60_000),
            "wandb login ".repeat(100_000),
        ] {
            let started = std::time::Instant::now();
            assert_eq!(masked(&text).len(), text.len());
            assert!(started.elapsed().as_secs() < 10);
        }
    }
}
