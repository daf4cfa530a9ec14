//! An outline as lines that a person can check against the file: all that is said, nothing that is left empty.

use std::fmt::Write as _;

use cudalint::outline::{Act, Choice, Does, Outline, When};
use cudalint::source::LineIndex;

use crate::tree::Tree;

/// The longest slice of a file that is shown whole.
const SHORT: usize = 60;

/// What is so unless said otherwise: it is left out.
const USUAL: &[(&str, &str)] = &[
    ("language", "Pep508"),
    ("role", "Asks"),
    ("target", "Active"),
    ("flags", "InstallFlags"),
    ("terms", "Terms"),
    ("scope", "Arg"),
];

/// Their fields say what they are.
const PLAIN: &[&str] = &["Requirement", "Include", "IndexLine", "Variable", "BuildOf", "Line"];

/// The lines of an outline of `text`.
pub(crate) fn shown(outline: &Outline, text: &str) -> String {
    let shown = Shown { text, lines: LineIndex::new(text) };
    let mut out = String::new();
    if let Some(name) = &outline.name {
        let _ = writeln!(out, "name {name}");
    }
    shown.acts(&outline.acts, 0, &mut out);
    for ignore in &outline.ignores {
        let _ = writeln!(out, "{}", shown.tree(&Tree::of(&format!("{ignore:?}"))));
    }
    for torn in &outline.torn {
        let _ = writeln!(out, "{}", shown.tree(&Tree::of(&format!("{torn:?}"))));
    }
    out
}

struct Shown<'a> {
    text: &'a str,
    lines: LineIndex,
}

impl Shown<'_> {
    fn acts(&self, acts: &[Act], depth: usize, out: &mut String) {
        for act in acts {
            let (from, to) = (self.line(act.at.range().start), self.line(act.at.range().end));
            let lines = if from == to { format!("{from}") } else { format!("{from}-{to}") };
            let _ = write!(out, "{:indent$}{lines}{} ", "", self.when(&act.when), indent = depth * 4);
            match &act.does {
                Does::OnBuild(acts) => {
                    out.push_str("OnBuild\n");
                    self.acts(acts, depth + 1, out);
                }
                Does::Write(written) => {
                    let path = self.tree(&Tree::of(&format!("{:?}", written.path)));
                    let _ = writeln!(out, "Write {:?} {path}", written.kind);
                    self.acts(&written.outline.acts, depth + 1, out);
                }
                does => {
                    let _ = writeln!(out, "{}", self.tree(&Tree::of(&format!("{does:?}"))));
                }
            }
        }
    }

    fn line(&self, offset: usize) -> usize {
        self.lines.position(self.text, offset).line
    }

    fn when(&self, when: &When) -> String {
        let choices = when.0.iter().map(|choice| match choice {
            Choice::Branch { test, arm } => format!("{arm} of {test}"),
            Choice::Row { job, row } => format!("row {row} of {job}"),
            choice => self.tree(&Tree::of(&format!("{choice:?}"))),
        });
        let choices: Vec<_> = choices.collect();
        if choices.is_empty() { String::new() } else { format!(" [{}]", choices.join(", ")) }
    }

    /// A value; empty where it says nothing.
    fn tree(&self, tree: &Tree) -> String {
        let Tree::Node { name, fields } = tree else {
            let empty = ["None", "false", ""].contains(&tree.name());
            return if empty { String::new() } else { tree.name().to_owned() };
        };
        match name.as_str() {
            "Span" => return self.slice(tree),
            "Some" | "Box" => return self.tree(&fields[0].1),
            "Text" => return self.of_text(tree),
            _ => {}
        }
        // A variant's one value says its own fields.
        if let [(of, inner @ Tree::Node { name: _, fields })] = fields.as_slice()
            && of.is_empty()
            && !name.is_empty()
            && fields.first().is_some_and(|(field, _)| !field.is_empty())
            && !["Text", "Span", "Some"].contains(&inner.name())
        {
            return self.node(name, fields);
        }
        self.node(name, fields)
    }

    fn node(&self, name: &str, fields: &[(String, Tree)]) -> String {
        let parts = fields.iter().filter_map(|(field, tree)| {
            let value = self.tree(tree);
            match (value.as_str(), field.as_str()) {
                ("", _) => None,
                (usual, field) if USUAL.contains(&(field, usual)) => None,
                ("true", flag) if !flag.is_empty() => Some(flag.to_owned()),
                (_, "" | "written") => Some(value),
                (_, field) => Some(format!("{field}={value}")),
            }
        });
        let parts: Vec<_> = parts.collect();
        let all = parts.join(if name.is_empty() { " | " } else { ", " });
        match (name, parts.as_slice()) {
            ("", [_]) => all,
            ("", []) => String::new(),
            ("", _) => format!("[{all}]"),
            (name, []) => name.to_owned(),
            (name, [one]) if PLAIN.contains(&name) => one.clone(),
            (name, _) if PLAIN.contains(&name) => format!("({all})"),
            (name, _) => format!("{name}({all})"),
        }
    }

    /// What is known of a text; where that is not what stands there, what stands there too.
    fn of_text(&self, tree: &Tree) -> String {
        let Some(Tree::Node { fields, .. }) = tree.field("pieces") else { return "no pieces".to_owned() };
        let means = pieces(fields);
        let stands = tree.field("at").map(|at| self.slice(at)).unwrap_or_default();
        let bare = stands.trim_matches('`');
        if bare == means || bare.trim_matches(['"', '\'']) == means {
            format!("`{means}`")
        } else {
            format!("`{means}` at {stands}")
        }
    }

    fn slice(&self, span: &Tree) -> String {
        let number = |name: &str| span.field(name).and_then(|n| n.name().parse().ok()).unwrap_or(0);
        let (start, end) = (number("start"), number("end"));
        let slice = self.text.get(start..end).expect("a span lies on borders of characters");
        if slice.len() <= SHORT && !slice.contains('\n') {
            return format!("`{slice}`");
        }
        format!("lines {}-{}", self.line(start), self.line(end))
    }
}

/// `text`, `${NAME}`, `${NAME:-fallback}`, `${NAME:+instead}`, `$(above …)`, `…` for what is known only when run.
fn pieces(of: &[(String, Tree)]) -> String {
    of.iter().map(|(_, piece)| one(piece)).collect()
}

fn one(piece: &Tree) -> String {
    let inner = |field: &str| match piece.field(field) {
        Some(Tree::Node { name, fields }) if name == "Some" => match &fields[0].1 {
            Tree::Node { fields, .. } => Some(pieces(fields)),
            Tree::Leaf(_) => None,
        },
        _ => None,
    };
    match (piece, piece.name()) {
        (Tree::Node { fields, .. }, "Literal") => fields[0].1.name().to_owned(),
        (_, "Variable") => {
            let name = piece.field("name").map(Tree::name).unwrap_or_default();
            let fallback = inner("fallback").map(|text| format!(":-{text}")).unwrap_or_default();
            let instead = inner("instead").map(|text| format!(":+{text}")).unwrap_or_default();
            format!("${{{name}{fallback}{instead}}}")
        }
        (Tree::Node { fields, .. }, "Path") => format!("$({})", lead(&fields[0].1)),
        _ => "…".to_owned(),
    }
}

fn lead(of: &Tree) -> String {
    let words = match of {
        Tree::Node { fields, .. } => match &fields[0].1 {
            Tree::Node { fields, .. } => format!(" {}", pieces(fields)),
            Tree::Leaf(_) => String::new(),
        },
        Tree::Leaf(_) => String::new(),
    };
    format!("{}{words}", of.name().to_lowercase())
}
