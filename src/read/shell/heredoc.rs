//! Where heredocs end: at a line that is their delimiter and nothing else. The grammar ends them at one that begins with it.

use std::borrow::Cow;
use std::collections::HashMap;

/// The text with the lines of heredocs that only begin like their ends made to begin otherwise; every byte keeps its place.
/// The text is ASCII.
pub(super) fn with_own_ends(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains("<<") {
        return text;
    }
    let changed = lines_to_change(&text);
    if changed.is_empty() {
        return text;
    }
    let mut bytes = text.into_owned().into_bytes();
    for at in changed {
        bytes[at] = if bytes[at] == b'_' { b'-' } else { b'_' };
    }
    Cow::Owned(String::from_utf8(bytes).expect("ASCII takes the place of ASCII"))
}

/// The first letter of each such line.
fn lines_to_change(text: &str) -> Vec<usize> {
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        lines.push((start, line.trim_end_matches(['\n', '\r'])));
        start += line.len();
    }
    let ends = Ends::of(&lines);
    let mut changed = Vec::new();
    let mut n = 0;
    while n < lines.len() {
        let mut next = n + 1;
        for heredoc in heredocs(lines[n].1) {
            let Some(end) = ends.of_heredoc(&heredoc, next) else { continue };
            for (start, line) in &lines[next..end] {
                let bare = line.trim_start();
                if bare.starts_with(&heredoc.delimiter) {
                    changed.push(start + line.len() - bare.len());
                }
            }
            next = end + 1;
        }
        n = next;
    }
    changed
}

/// The lines that may be ends, by their text, in order.
struct Ends<'t> {
    whole: HashMap<&'t str, Vec<usize>>,
    /// Without the tabs before them.
    bare: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Ends<'t> {
    fn of(lines: &[(usize, &'t str)]) -> Self {
        let (mut whole, mut bare): (HashMap<_, Vec<usize>>, HashMap<_, Vec<usize>>) = (HashMap::new(), HashMap::new());
        for (n, (_, line)) in lines.iter().enumerate() {
            whole.entry(*line).or_default().push(n);
            bare.entry(line.trim_start_matches('\t')).or_default().push(n);
        }
        Self { whole, bare }
    }
    /// The first from that line on.
    fn of_heredoc(&self, heredoc: &Heredoc, from: usize) -> Option<usize> {
        let lines = if heredoc.tabs { &self.bare } else { &self.whole };
        let lines = lines.get(heredoc.delimiter.as_str())?;
        lines.get(lines.partition_point(|line| *line < from)).copied()
    }
}

struct Heredoc {
    delimiter: String,
    /// `<<-`.
    tabs: bool,
}

/// The heredocs that a line begins. What only looks like one has no line that ends it.
fn heredocs(line: &str) -> Vec<Heredoc> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("<<") {
        rest = &rest[at + 2..];
        if let Some(after) = rest.strip_prefix('<') {
            rest = after.trim_start_matches('<');
            continue;
        }
        let tabs = rest.starts_with('-');
        let word = rest[usize::from(tabs)..].trim_start_matches([' ', '\t']);
        let (delimiter, length) = delimiter(word);
        rest = &word[length..];
        if !delimiter.is_empty() {
            found.push(Heredoc { delimiter, tabs });
        }
    }
    found
}

/// A word without its quotes, and how long it is with them.
fn delimiter(text: &str) -> (String, usize) {
    let (mut delimiter, mut quote, mut escaped) = (String::new(), None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if std::mem::take(&mut escaped) => delimiter.push(c),
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => delimiter.push(c),
            (None, '"' | '\'') => quote = Some(c),
            (None, '\\') => escaped = true,
            (None, _) if c.is_whitespace() || ";|&<>()`".contains(c) => return (delimiter, at),
            (None, _) => delimiter.push(c),
        }
    }
    (delimiter, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn only_whole_lines_end_a_heredoc() {
        for (text, want) in [
            ("cat <<EOF\nEOFX\nEOF\nEOFX\n", "cat <<EOF\n_OFX\nEOF\nEOFX\n"),
            ("cat <<'EOF' > f\nEOF x\n EOF\nEOF \nEOF\n", "cat <<'EOF' > f\n_OF x\n _OF\n_OF \nEOF\n"),
            ("cat <<-\"E F\"\n\tE F2\n  E F\n\tE F\n", "cat <<-\"E F\"\n\t_ F2\n  _ F\n\tE F\n"),
            ("cat << \\EOF\nEOFX\r\nEOF\r\nEOFX\r\n", "cat << \\EOF\n_OFX\r\nEOF\r\nEOFX\r\n"),
            ("cat <<A; cat <<B\nAA\nBB\nA\nBB\nB\n", "cat <<A; cat <<B\n_A\nBB\nA\n_B\nB\n"),
            ("bash <<EOF\ncat <<EOF2\nx\nEOF2\nEOF\n", "bash <<EOF\ncat <<EOF2\nx\n_OF2\nEOF\n"),
            ("cat <<_E\n_EX\n_E\n", "cat <<_E\n-EX\n_E\n"),
            // No heredocs, or none that ends.
            ("cat <<EOF\nEOFX\n", "cat <<EOF\nEOFX\n"),
            ("cat <<<EOF\nEOFX\nEOF\n", "cat <<<EOF\nEOFX\nEOF\n"),
            ("x=$((1<<2))\n2x\n", "x=$((1<<2))\n2x\n"),
            ("cat <<", "cat <<"),
            ("cat <<'EOF\nEOFX\nEOF\n", "cat <<'EOF\n_OFX\nEOF\n"),
        ] {
            assert_eq!(with_own_ends(Cow::Borrowed(text)), want, "{text}");
        }
    }

    #[test]
    fn what_stands_in_a_heredoc_is_no_command() {
        for text in [
            "cat > x <<\"EOF\"\nEOFINNER\npip install torch==1.13.1\nEOF\napt install y\n",
            "cat > x <<-EOF\n\tEOFINNER\n\tpip install torch==1.13.1\n\tEOF\napt install y\n",
            "cat > x <<EOF\r\nEOFINNER\r\npip install torch==1.13.1\r\nEOF\r\napt install y\r\n",
            "cat > x <<EOF\ncat <<EOF2\npip install a\nEOF2\npip install torch==1.13.1\nEOF\napt install y\n",
        ] {
            let outline = super::super::read(FileId(0), text);
            let acts: Vec<_> = outline.acts.iter().map(|act| super::super::rendering::act(act, text)).collect();
            assert_eq!((acts, outline.torn), (vec!["edit x".to_owned(), "apt y".to_owned()], vec![]), "{text}");
        }
    }
}
