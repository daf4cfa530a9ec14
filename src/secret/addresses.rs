//! Secrets in addresses: users and passwords, tokens in paths and queries.

use super::is_plain;

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

/// The places of secrets in addresses, in no order.
pub(super) fn in_addresses(text: &str) -> Vec<(usize, usize)> {
    let mut secrets = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        let address = address(&text[start..]);
        if let Some(end) = user_info(address) {
            secrets.push((start, start + end));
        }
        if let Some(hook) = WEBHOOKS.iter().find(|hook| address.starts_with(**hook)) {
            secrets.push((start + hook.len(), start + address.len()));
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

/// What stands behind these lets anyone post.
/// Sources: <https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks>,
/// <https://discord.com/developers/docs/resources/webhook>.
const WEBHOOKS: &[&str] = &["hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"];

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
