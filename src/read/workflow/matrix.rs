//! `strategy.matrix`: its rows, and what `${{ … }}` is in one of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::outline::{Piece, PutIn, Text, input_name};
use crate::platform::Os;
use crate::read::shell::word::push_literal;
use crate::read::syntax::yaml::Node;
use crate::source::Span;

/// Rows beyond these are not looked at.
const ROWS: usize = 64;
/// A matrix of more values in all its rows, or of more keys in one of its own, counts as computed.
const CELLS: usize = 1 << 15;
const KEYS: usize = 64;
/// An expression that does not end within so many bytes is none.
const LENGTH: usize = 512;

/// One row: `cuda` → `11.8`, and `cfg.cuda` → `11.8` for maps; with the place of what is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row(Vec<(String, String, Option<Span>)>);

/// No job puts in more values.
const MOST_PUT_IN: usize = 4_096;

/// What a script calls the machine's system.
const RUNNER_OS: &str = "RUNNER_OS";
/// And an expression.
const SYSTEM: &str = "runner.os";

/// What an expression is worth in a row.
#[derive(Debug, PartialEq)]
pub(super) enum Worth<'r> {
    /// A value of the matrix.
    Value(&'r str),
    /// `env.NAME`, `inputs.name`.
    Variable(Cow<'r, str>),
    /// Known only when run.
    Unknown,
}

/// Folders, and the variables that scripts have them in.
/// Source: <https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#github-context>.
const FOLDERS: &[(&str, &str)] = &[("github.workspace", "GITHUB_WORKSPACE"), ("github.action_path", "GITHUB_ACTION_PATH")];

impl Row {
    fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.iter().find(|(k, ..)| k == key).map(|(_, value, _)| value.as_str());
        value.filter(|value| expression(value).is_none())
    }

    /// Whether nothing of that name stands in the row, not even what is computed.
    fn lacks(&self, key: &str) -> bool {
        let within = |k: &str, whole: &str| k.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        !self.0.is_empty() && !self.0.iter().any(|(k, ..)| within(k, key) || within(key, k))
    }

    /// The machine's system, by the labels of its job.
    pub(super) fn set_system(&mut self, labels: &str) {
        if let Some(os) = Os::of_labels(labels) {
            self.0.push((SYSTEM.to_owned(), os.by_github().to_owned(), None));
        }
    }

    /// The system, where it is known.
    fn system(&self) -> Option<&str> {
        self.get(SYSTEM)
    }

    /// The worth of what stands between `${{` and `}}`.
    pub(super) fn worth<'r>(&'r self, expression: &'r str) -> Worth<'r> {
        let expression = expression.trim();
        let name = |n: &&str| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        if let Some(key) = expression.strip_prefix("matrix.") {
            return self.get(key).map_or(Worth::Unknown, Worth::Value);
        }
        if expression == SYSTEM {
            return self.system().map_or(Worth::Variable(Cow::Borrowed(RUNNER_OS)), Worth::Value);
        }
        if let Some(input) = expression.strip_prefix("inputs.").filter(name) {
            return Worth::Variable(input_name(input).into());
        }
        if let Some((_, variable)) = FOLDERS.iter().find(|(known, _)| *known == expression) {
            return Worth::Variable(Cow::Borrowed(variable));
        }
        expression.strip_prefix("env.").filter(name).map_or(Worth::Unknown, |name| Worth::Variable(name.into()))
    }

    /// A value with its expressions; `$NAME` means itself here.
    pub(super) fn text(&self, raw: &str, at: Span) -> Text {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut rest = raw;
        while let Some((before, inside, after)) = expression(rest) {
            push_literal(&mut pieces, before);
            match self.worth(inside) {
                Worth::Value(value) => push_literal(&mut pieces, value),
                Worth::Variable(name) => {
                    pieces.push(Piece::Variable { name: name.into_owned(), fallback: None, instead: None });
                }
                Worth::Unknown => pieces.push(Piece::Opaque),
            }
            rest = after;
        }
        push_literal(&mut pieces, rest);
        Text { pieces, at }
    }

    /// What a name comes to in a test: nothing, where the row has no such key.
    pub(super) fn value<'r>(&'r self, name: &'r str) -> Option<&'r str> {
        let key = name.strip_prefix("matrix.");
        let plain = |key: &&str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        match self.worth(name) {
            Worth::Value(value) => Some(value),
            _ => key.filter(plain).filter(|key| self.lacks(key)).map(|_| ""),
        }
    }
}

/// The first `${{ … }}`: what stands before it, in it, behind it.
pub(super) fn expression(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find("${{").map(|n| n + from) {
        let inside = &text[open + 3..];
        let near = &inside[..inside.floor_char_boundary(LENGTH)];
        if let Some(end) = near.find("}}") {
            return Some((&text[..open], &inside[..end], &inside[end + 2..]));
        }
        from = open + 3;
    }
    None
}

/// What rows put into a job, which is a part of a file's text.
pub(super) fn put_in(rows: &[Row], job: Span, text: &str) -> Vec<PutIn> {
    let part = job.range();
    let mut found = BTreeSet::new();
    let mut rest = text.get(part.clone()).unwrap_or_default();
    let whole = rest.len();
    while let Some((before, inside, after)) = expression(rest) {
        let begin = part.start + whole - rest.len() + before.len();
        let at = Span::new(job.file, begin, part.start + whole - after.len());
        if let Some(key) = inside.trim().strip_prefix("matrix.") {
            for (_, value, from) in rows.iter().flat_map(|row| row.0.iter().filter(|(k, ..)| k == key)) {
                if let Some(from) = from.filter(|_| expression(value).is_none() && !value.is_empty()) {
                    found.insert(PutIn { at, name: format!("matrix.{key}"), value: value.clone(), from });
                }
            }
        }
        if found.len() > MOST_PUT_IN {
            break;
        }
        rest = after;
    }
    found.into_iter().collect()
}

/// The rows of a job; none where the matrix is computed or absent.
pub(super) fn rows(strategy: Node<'_>) -> Vec<Row> {
    let Some(matrix) = strategy.get("matrix").filter(|m| m.is_map() && !m.is_template()) else { return Vec::new() };
    let mut rows = vec![Row::default()];
    let mut axes = Vec::new();
    for (key, values) in matrix.entries() {
        let Some(name) = key.text().filter(|n| !matches!(*n, "include" | "exclude")) else { continue };
        if !values.is_list() {
            return Vec::new();
        }
        axes.push(name);
        let values: Vec<_> = values.items().into_iter().take(ROWS).collect();
        let mut next = Vec::new();
        let mut cells = 0;
        for (row, value) in rows.iter().flat_map(|row| values.iter().map(move |value| (row, *value))).take(ROWS * 8) {
            let mut row = row.clone();
            flatten(name, value, &mut row);
            cells += row.0.len();
            if cells > CELLS {
                return Vec::new();
            }
            next.push(row);
        }
        rows = next;
    }
    let listed = |key: &str| {
        let items = matrix.get(key).into_iter().flat_map(Node::items).filter(|n| n.is_map()).take(ROWS);
        let row = |node: Node<'_>| {
            let mut row = Row::default();
            node.entries().into_iter().filter_map(|(k, v)| Some((k.text()?, v))).for_each(|(k, v)| flatten(k, v, &mut row));
            row
        };
        items.map(row).collect::<Vec<_>>()
    };
    let (excluded, included) = (listed("exclude"), listed("include"));
    if excluded.iter().chain(&included).any(|row| row.0.len() > KEYS) {
        return Vec::new();
    }
    for excluded in excluded {
        rows.retain(|row| !excluded.0.iter().all(|(key, value, _)| row.get(key) == Some(value)));
    }
    if axes.is_empty() {
        rows.clear();
    }
    let of_axis = |key: &str| axes.iter().any(|axis| key == *axis || key.strip_prefix(axis).is_some_and(|r| r.starts_with('.')));
    let product = rows.len();
    for included in included {
        let (own, more): (Vec<_>, Vec<_>) = included.0.iter().cloned().partition(|(key, ..)| of_axis(key));
        let mut joined = false;
        for row in rows[..product].iter_mut().filter(|row| own.iter().all(|(key, value, _)| row.get(key) == Some(value))) {
            row.0.retain(|(key, ..)| more.iter().all(|(k, ..)| k != key));
            row.0.extend(more.iter().cloned());
            joined = true;
        }
        if !joined {
            rows.push(included);
        }
    }
    rows.truncate(ROWS);
    rows
}

/// `cfg: {cuda: 1}` as `cfg.cuda` → `1`.
fn flatten(name: &str, value: Node<'_>, row: &mut Row) {
    // What is computed stays as it is written, which is no value.
    if let Some(text) = value.text().or_else(|| value.is_template().then(|| value.raw())) {
        row.0.push((name.to_owned(), if value.is_null() { String::new() } else { text.to_owned() }, Some(value.at())));
    }
    for (key, value) in value.entries() {
        if let (Some(key), Some(text)) = (key.text(), value.text()) {
            row.0.push((format!("{name}.{key}"), text.to_owned(), Some(value.at())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition;
    use super::*;
    use crate::read::syntax::yaml::Tree;
    use crate::source::FileId;

    fn show(matrix: &str) -> Vec<String> {
        let text = format!("matrix: {matrix}");
        let tree = Tree::read(FileId(0), &text);
        let rows = rows(tree.documents().next().expect("a document"));
        rows.into_iter().map(|r| r.0.iter().map(|(k, v, _)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn rows_of_a_matrix() {
        for (matrix, rows) in [
            ("{a: [1, 2.10], b: [x]}", vec!["a=1 b=x", "a=2.10 b=x"]),
            ("{a: [1, 2], exclude: [{a: 2}]}", vec!["a=1"]),
            ("{a: [1, 2], include: [{a: 1, c: y}, {a: 3, c: z}]}", vec!["a=1 c=y", "a=2", "a=3 c=z"]),
            ("{a: [1], include: [{c: y}]}", vec!["a=1 c=y"]),
            ("{include: [{a: 1, b: x}, {a: 2}]}", vec!["a=1 b=x", "a=2"]),
            ("{cfg: [{cuda: 11.8, t: 2.1}]}", vec!["cfg.cuda=11.8 cfg.t=2.1"]),
            ("{a: '${{ fromJson(x) }}'}", vec![]),
            ("'${{ fromJson(x) }}'", vec![]),
            ("{a: ['${{ x }}']}", vec!["a=${{ x }}"]),
        ] {
            assert_eq!(show(matrix), rows, "{matrix}");
        }
        let wide = format!("[{}]", vec!["1"; 200].join(", "));
        assert_eq!(show(&format!("{{a: {wide}, b: {wide}, c: {wide}}}")).len(), ROWS);
        let axes: String = (0..5_000).map(|n| format!("a{n}: [1, 2], ")).collect();
        let keys: String = (0..5_000).map(|n| format!("k{n}: 1, ")).collect();
        for much in
            [format!("{{{axes}}}"), format!("{{a: [{{{keys}}}, {{{keys}}}], b: {wide}}}"), format!("{{include: [{{{keys}}}]}}")]
        {
            assert_eq!(show(&much), Vec::<String>::new());
        }
    }

    #[test]
    fn expressions() {
        let cells = [("cuda", "11.8"), ("new", "true"), ("old", "false"), ("n", "2.10"), ("x", "${{ y }}")];
        let mut row = Row(cells.map(|(key, value)| (key.to_owned(), value.to_owned(), None)).to_vec());
        row.set_system("self-hosted linux");
        let text = row.text("a${{ matrix.cuda }}b${{env.X}}${{ github.sha }}$Y", Span::new(FileId(0), 0, 0));
        let variable = Piece::Variable { name: "X".to_owned(), fallback: None, instead: None };
        assert_eq!(text.pieces, [Piece::Literal("a11.8b".to_owned()), variable, Piece::Opaque, Piece::Literal("$Y".to_owned())]);
        for (test, holds) in [
            ("matrix.cuda == '11.8'", Some(true)),
            ("matrix.cuda != '11.8'", Some(false)),
            ("matrix.cuda == '12.1'", Some(false)),
            ("matrix.cuda == 11.8", Some(true)),
            ("matrix.cuda == '11.8' && x == 'y'", None),
            ("matrix.cuda == '12.1' && x == 'y'", Some(false)),
            ("matrix.cuda == '12.1' || matrix.new", Some(true)),
            ("matrix.new", Some(true)),
            ("!matrix.new", Some(false)),
            ("! matrix.old", Some(true)),
            ("matrix.new == true", Some(true)),
            ("matrix.new != true", Some(false)),
            ("matrix.old == false", Some(true)),
            ("matrix.n == 2.1", Some(true)),
            ("matrix.none", Some(false)),
            ("matrix.none != 'a'", Some(true)),
            ("matrix.x", None),
            ("matrix.x.y", None),
            ("runner.os == 'Linux'", Some(true)),
            ("runner.os == 'macOS'", Some(false)),
            ("startsWith(matrix.cuda, '11')", Some(true)),
            ("!(endsWith(matrix.cuda, '8') || x)", Some(false)),
            ("contains(runner.os, 'MAC')", Some(false)),
            ("contains(fromJSON('[1]'), matrix.n)", None),
            ("(matrix.new && matrix.cuda) == '11.8'", None),
            ("github.ref == 'x' && (matrix.old || matrix.none)", Some(false)),
            ("github.ref == 'x'", None),
            ("always()", Some(true)),
            ("failure()", None),
            ("matrix.new)", None),
            ("matrix['new']", None),
            ("'a", None),
            ("", None),
        ] {
            assert_eq!(condition::holds(test, &row), holds, "{test}");
        }
        for much in ["!".repeat(100_000), "(".repeat(100_000), "a(".repeat(100_000), "x || ".repeat(100_000)] {
            assert_eq!(condition::holds(&much, &row), None);
        }
        row.text(&"${{".repeat(100_000), Span::new(FileId(0), 0, 0));
    }
}
