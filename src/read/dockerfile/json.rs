//! The exec form: `["a", "b"]`.

use std::ops::Range;

use crate::read::excerpt::Excerpt;

/// Where the strings of a JSON array stand, quotes included; `None` for anything else.
pub(super) fn strings(body: &str) -> Option<Vec<Range<usize>>> {
    let bytes = body.as_bytes();
    let blank = |mut i: usize| {
        while bytes.get(i).is_some_and(u8::is_ascii_whitespace) {
            i += 1;
        }
        i
    };
    let mut i = blank(0);
    if bytes.get(i) != Some(&b'[') {
        return None;
    }
    let mut found = Vec::new();
    i = blank(i + 1);
    if bytes.get(i) == Some(&b']') {
        return (blank(i + 1) == bytes.len()).then_some(found);
    }
    loop {
        let start = i;
        if bytes.get(i) != Some(&b'"') {
            return None;
        }
        i += 1;
        while *bytes.get(i)? != b'"' {
            i += if bytes[i] == b'\\' { 2 } else { 1 };
        }
        i += 1;
        found.push(start..i);
        i = blank(i);
        match bytes.get(i)? {
            b',' => i = blank(i + 1),
            b']' => return (blank(i + 1) == bytes.len()).then_some(found),
            _ => return None,
        }
    }
}

/// The text of one of the strings, without quotes and escapes.
pub(super) fn unescaped(body: &Excerpt, string: Range<usize>) -> Excerpt {
    let mut out = body.part(0..0);
    let inner = string.start + 1..string.end.saturating_sub(1).max(string.start + 1);
    let source = body.text().get(inner.clone()).unwrap_or_default();
    let mut done = 0;
    while let Some(n) = source[done..].find('\\').map(|n| n + done) {
        out.push_part(body, inner.start + done..inner.start + n);
        let rest = &source[n + 1..];
        let (text, length) = match rest.chars().next() {
            Some('n') => ("\n".to_owned(), 1),
            Some('t') => ("\t".to_owned(), 1),
            Some('r' | 'b' | 'f') => (" ".to_owned(), 1),
            Some('u') => {
                let code = rest.get(1..5).and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
                code.map_or((String::new(), 1), |c| (c.to_string(), 5))
            }
            Some(c) => (c.to_string(), c.len_utf8()),
            None => (String::new(), 0),
        };
        let at = body.span(inner.start + n..inner.start + n + 1 + length).range();
        out.push_for(&text, at);
        done = n + 1 + length;
    }
    out.push_part(body, inner.start + done..inner.end);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn exec_forms() {
        let cases: &[(&str, Option<&[&str]>)] = &[
            (r#"["a", "b c"]"#, Some(&["a", "b c"])),
            (r#" [ ] "#, Some(&[])),
            (r#"["a\"b\\\n\u0041é"]"#, Some(&["a\"b\\\nAé"])),
            (r#"["a",]"#, None),
            (r#"["a" "b"]"#, None),
            (r#"['a']"#, None),
            (r#"["a"] && b"#, None),
            (r#"[ -f x ]"#, None),
            ("[", None),
            ("[\"a", None),
            ("[\"a\\", None),
            ("[\"\\u00", None),
        ];
        for (source, want) in cases {
            let mut body = Excerpt::new(FileId(0));
            body.push(source, 0);
            let found =
                strings(source).map(|all| all.into_iter().map(|s| unescaped(&body, s).text().to_owned()).collect::<Vec<_>>());
            assert_eq!(found, want.map(|w| w.iter().map(|s| (*s).to_owned()).collect()), "{source}");
        }
    }
}
