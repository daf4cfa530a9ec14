//! Python's INI dialect (`configparser`): sections of keys, a value on one line or on indented lines below.
//! Source: <https://docs.python.org/3/library/configparser.html#supported-ini-file-structure>.

use std::ops::Range;

/// One key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its section, as written.
    pub(crate) section: String,
    /// Lower case.
    pub(crate) key: String,
    /// From the key to the last line of the value.
    pub(crate) at: Range<usize>,
    /// The lines of the value that say something, without blanks around them.
    pub(crate) lines: Vec<Range<usize>>,
}

/// The entries of a file in its order, and its comments; what is neither key nor value is left out.
pub(crate) fn parse(text: &str) -> (Vec<Entry>, Vec<Range<usize>>) {
    let (mut entries, mut comments): (Vec<Entry>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    let mut section = None;
    // Whether an indented line continues the last entry.
    let mut open = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let from = start;
        start += line.len();
        let body = line.trim_start_matches('\u{feff}');
        let indented = body.starts_with([' ', '\t']);
        let at = trimmed(text, from..from + line.len());
        let said = &text[at.clone()];
        if said.is_empty() {
            continue;
        }
        if said.starts_with(['#', ';']) {
            comments.push(at);
            continue;
        }
        if indented
            && open
            && let Some(last) = entries.last_mut()
        {
            last.at.end = at.end;
            last.lines.push(at);
            continue;
        }
        open = false;
        if let Some(name) = said.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = Some(name.to_owned());
            continue;
        }
        let (Some(section), Some(sign)) = (&section, said.find(['=', ':'])) else { continue };
        let value = trimmed(text, at.start + sign + 1..at.end);
        let lines = if value.is_empty() { Vec::new() } else { vec![value] };
        let key = said[..sign].trim().to_lowercase();
        entries.push(Entry { section: section.clone(), key, at, lines });
        open = true;
    }
    (entries, comments)
}

fn trimmed(text: &str, at: Range<usize>) -> Range<usize> {
    let blank = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\0');
    let said = &text[at.clone()];
    let start = at.start + (said.len() - said.trim_start_matches(blank).len());
    start..start + text[start..at.end].trim_end_matches(blank).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let (entries, comments) = parse(text);
        let entry = |e: &Entry| {
            let lines: Vec<_> = e.lines.iter().map(|at| &text[at.clone()]).collect();
            format!("{}.{} = {}", e.section, e.key, lines.join("|"))
        };
        entries.iter().map(entry).chain(comments.iter().map(|at| text[at.clone()].to_owned())).collect()
    }

    #[test]
    fn a_file() {
        assert_eq!(
            show("\u{feff}a = 1\n[S x]\r\nKey=v = w\r\n  more\r\n\r\n  # no\r\n  last\r\nk2 : \n\tonly\n; c\n[T]\nnothing\nk=中"),
            ["S x.key = v = w|more|last", "S x.k2 = only", "T.k = 中", "# no", "; c"]
        );
        for text in ["", "[", "[a", "=", "[a]\n=", " x", "[a]\n\0=\0"] {
            show(text);
        }
        assert_eq!(show(&format!("[a]\nk=\n{}", " x\n".repeat(100_000))).len(), 1);
    }
}
