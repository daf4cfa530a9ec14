//! A YAML file as a tree that knows its bytes. Nothing is lost on the way: scalars keep their text (`3.10` stays `3.10`),
//! repeated keys stay visible, and a file that is being typed gives all the rest of itself.

mod build;
#[cfg(test)]
mod oracle;
mod repair;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::comments;
use crate::outline::{Act, Outline, Torn};
use crate::source::{FileId, Span};

/// Maps that one look-up may visit through `<<`.
const MERGE_LIMIT: usize = 64;
/// What aliases may hand out in all, in nodes and 32-byte pieces of text: far above any real file, far below a bomb.
const ALIAS_BUDGET: usize = 1 << 17;

/// The documents of one file.
pub(in crate::read) struct Tree<'t> {
    file: FileId,
    text: &'t str,
    nodes: Vec<Entry>,
    documents: Vec<u32>,
    comments: Vec<Range<usize>>,
    torn: Vec<Torn>,
    budget: Cell<usize>,
}

/// One node of a tree. Aliases are followed by every question but [`Node::at`].
#[derive(Clone, Copy)]
pub(in crate::read) struct Node<'a> {
    tree: &'a Tree<'a>,
    /// What it is.
    id: u32,
    /// Where it is mentioned; differs from `id` behind an alias.
    mention: u32,
}

struct Entry {
    at: Range<usize>,
    /// Itself and all below it, in the units of [`ALIAS_BUDGET`].
    weight: usize,
    shape: Shape,
}

enum Shape {
    Scalar {
        value: String,
        style: Style,
        /// Holds a masked marker: the value is not known.
        templated: bool,
        /// Without quotes; a block scalar's lines.
        body: Range<usize>,
    },
    Sequence(Vec<u32>),
    Mapping {
        pairs: Vec<(u32, u32)>,
        /// Text of a key → its last pair.
        index: HashMap<String, u32>,
        /// Values of `<<`, in order.
        merges: Vec<u32>,
        flow: bool,
    },
    /// Of a node that stands before it.
    Alias(u32),
    /// `*name` without an anchor.
    Unresolved,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum Style {
    /// Without quotes.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

impl<'t> Tree<'t> {
    /// Reads a file; what cannot be read is in [`Tree::torn`].
    pub(in crate::read) fn read(file: FileId, text: &'t str) -> Self {
        repair::read(file, text, text)
    }
    /// Reads `masked`, which differs from `text` only in bytes that became blanks (comments of JSON).
    pub(in crate::read) fn read_masked(file: FileId, text: &'t str, masked: &str) -> Self {
        repair::read(file, text, masked)
    }
    /// The outline of a file that says `acts`; `more` are comments inside its scalars.
    pub(in crate::read) fn outline(&self, acts: Vec<Act>, more: Vec<Range<usize>>) -> Outline {
        let mut all = more;
        all.extend(self.comments.iter().cloned());
        all.sort_by_key(|c| (c.start, c.end));
        all.dedup();
        let ignores = comments::ignores(self.file, self.text, all.into_iter(), |line| line);
        Outline { acts, ignores, torn: self.torn.clone(), ..Outline::default() }
    }
    /// The roots, one a document.
    pub(in crate::read) fn documents(&self) -> impl Iterator<Item = Node<'_>> {
        self.documents.iter().map(|id| self.node(*id))
    }
    /// The text of the comments that begin in `within`.
    pub(in crate::read) fn comments_in(&self, within: Range<usize>) -> impl Iterator<Item = &'t str> + '_ {
        let first = self.comments.partition_point(|c| c.start < within.start);
        let inside = self.comments[first..].iter().take_while(move |c| c.start < within.end);
        inside.filter_map(|c| self.text.get(c.clone()))
    }
    /// The whole text.
    pub(in crate::read) fn text(&self) -> &'t str {
        self.text
    }
    /// Whether a place there could not be read.
    pub(in crate::read) fn is_torn_in(&self, within: &Range<usize>) -> bool {
        self.torn.iter().any(|t| t.at.range().start < within.end && within.start <= t.at.range().end)
    }
    fn node(&self, id: u32) -> Node<'_> {
        let target = match self.nodes[id as usize].shape {
            Shape::Alias(target) if self.spend(self.nodes[target as usize].weight) => target,
            _ => id,
        };
        Node { tree: self, id: target, mention: id }
    }
    fn spend(&self, weight: usize) -> bool {
        let left = self.budget.get().checked_sub(weight);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }
    fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }
}

impl<'a> Node<'a> {
    fn shape(self) -> &'a Shape {
        &self.tree.nodes[self.id as usize].shape
    }
    /// Where it is written: quotes included, a map from its first key to its last value; an alias by its own `*name`.
    pub(in crate::read) fn at(self) -> Span {
        self.tree.span(&self.tree.nodes[self.mention as usize].at)
    }
    /// The bytes of a scalar's text without quotes (for a block scalar: its lines); [`Node::at`] for others.
    pub(in crate::read) fn body(self) -> Span {
        match self.shape() {
            Shape::Scalar { body, .. } => self.tree.span(body),
            _ => self.at(),
        }
    }
    /// The bytes of [`Node::body`] as they stand in the file.
    pub(in crate::read) fn raw(self) -> &'a str {
        self.tree.text.get(self.body().range()).unwrap_or_default()
    }
    /// The whole text that it stands in.
    pub(in crate::read) fn source(self) -> &'a str {
        self.tree.text
    }
    /// A scalar's text, whatever YAML would make of it; `None` for maps, lists and texts that a template writes.
    pub(in crate::read) fn text(self) -> Option<&'a str> {
        match self.shape() {
            Shape::Scalar { value, templated: false, .. } => Some(value),
            _ => None,
        }
    }
    /// How a scalar is written.
    pub(in crate::read) fn style(self) -> Option<Style> {
        match self.shape() {
            Shape::Scalar { style, .. } => Some(*style),
            _ => None,
        }
    }
    /// Nothing, `~` or `null`.
    pub(in crate::read) fn is_null(self) -> bool {
        self.style() == Some(Style::Plain) && matches!(self.text(), Some("" | "~" | "null" | "Null" | "NULL"))
    }
    /// Whether it is a map.
    pub(in crate::read) fn is_map(self) -> bool {
        matches!(self.shape(), Shape::Mapping { .. })
    }
    /// Whether it is a list.
    pub(in crate::read) fn is_list(self) -> bool {
        matches!(self.shape(), Shape::Sequence(_))
    }
    /// `{{ x }}` as a whole value reads as a map in a map.
    pub(in crate::read) fn is_template(self) -> bool {
        match self.shape() {
            Shape::Scalar { templated, .. } => *templated,
            Shape::Mapping { flow: true, .. } => self.tree.text[self.tree.nodes[self.id as usize].at.start..].starts_with("{{"),
            _ => false,
        }
    }
    /// The value of a key: the last of its own, else of the maps merged with `<<`.
    pub(in crate::read) fn get(self, key: &str) -> Option<Node<'a>> {
        self.pair(key).map(|(_, value)| value)
    }
    /// Key and value.
    pub(in crate::read) fn pair(self, key: &str) -> Option<(Node<'a>, Node<'a>)> {
        let tree = self.tree;
        let (maps, _) = self.merged();
        maps.into_iter().find_map(|map| {
            let Shape::Mapping { pairs, index, .. } = &tree.nodes[map as usize].shape else { return None };
            let (key, value) = pairs[*index.get(key)? as usize];
            (map == self.id || tree.spend(tree.nodes[value as usize].weight)).then(|| (tree.node(key), tree.node(value)))
        })
    }
    /// The value at the end of a path of keys.
    pub(in crate::read) fn path(self, keys: &[&str]) -> Option<Node<'a>> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }
    /// The pairs of a map as they hold: of repeated keys the last, then what `<<` adds. Without `<<` itself.
    pub(in crate::read) fn entries(self) -> Vec<(Node<'a>, Node<'a>)> {
        let tree = self.tree;
        let mut seen: HashSet<&str> = HashSet::new();
        let mut found = Vec::new();
        for map in self.merged().0 {
            let entry = &tree.nodes[map as usize];
            let Shape::Mapping { pairs, index, .. } = &entry.shape else { continue };
            if map != self.id && !tree.spend(entry.weight) {
                break;
            }
            for (at, (key, value)) in (0u32..).zip(pairs) {
                let name = match &tree.nodes[*key as usize].shape {
                    Shape::Scalar { value, .. } => value.as_str(),
                    _ => continue,
                };
                if index.get(name) == Some(&at) && seen.insert(name) {
                    found.push((tree.node(*key), tree.node(*value)));
                }
            }
        }
        found
    }
    /// The items of a list; of anything else none.
    pub(in crate::read) fn items(self) -> Vec<Node<'a>> {
        match self.shape() {
            Shape::Sequence(items) => items.iter().map(|id| self.tree.node(*id)).collect(),
            _ => Vec::new(),
        }
    }
    /// Whether keys may be there that we do not see: `<<` of something unknown, an alias without an anchor.
    pub(in crate::read) fn is_open(self) -> bool {
        matches!(self.shape(), Shape::Unresolved | Shape::Alias(_)) || self.is_template() || !self.merged().1
    }
    /// Itself and the maps merged into it, nearest first, each once; and whether all could be found.
    fn merged(self) -> (Vec<u32>, bool) {
        let (mut maps, mut whole) = (Vec::new(), true);
        let mut ahead = vec![self.id];
        for _ in 0..MERGE_LIMIT * 4 {
            let Some(id) = ahead.pop() else { return (maps, whole) };
            match &self.tree.nodes[id as usize].shape {
                Shape::Mapping { .. } if maps.contains(&id) => {}
                Shape::Mapping { merges, .. } if maps.len() < MERGE_LIMIT => {
                    maps.push(id);
                    ahead.extend(merges.iter().take(MERGE_LIMIT).rev());
                }
                Shape::Sequence(items) if id != self.id => ahead.extend(items.iter().take(MERGE_LIMIT).rev()),
                Shape::Alias(target) if id != self.id => ahead.push(*target),
                _ => whole &= id == self.id,
            }
        }
        (maps, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Tree<'_> {
        Tree::read(FileId(0), text)
    }

    /// `path: value` of every scalar, aliases followed, at most 8 deep.
    fn show(node: Node<'_>, depth: usize) -> String {
        if depth == 0 {
            return "…".to_owned();
        }
        if let Some(text) = node.text() {
            return text.to_owned();
        }
        let all: Vec<_> = match node.is_list() {
            true => node.items().into_iter().map(|n| show(n, depth - 1)).collect(),
            false => node.entries().into_iter().map(|(k, v)| format!("{}={}", show(k, 1), show(v, depth - 1))).collect(),
        };
        format!("({})", all.join(" "))
    }

    fn shown(text: &str) -> String {
        read(text).documents().map(|d| show(d, 8)).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn trees() {
        for (text, tree) in [
            ("", ""),
            ("\u{feff}a: 3.10\r\nb: 'x'\r\n", "(a=3.10 b=x)"),
            ("a: 1\na: 2", "(a=2)"),
            ("a: 1\n---\n- b\n- [c, {d: e}]\n", "(a=1) | (b (c (d=e)))"),
            ("x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  b: 3\n", "(x=(a=1 b=2) y=(b=3 a=1))"),
            ("x: &x {a: 1}\nz: &z {a: 2, c: 3}\ny: {<<: [*x, *z]}\n", "(x=(a=1) z=(a=2 c=3) y=(a=1 c=3))"),
            ("a: &a {<<: *a, b: 1}\n", "(a=(b=1))"),
            ("a: &a [*a]\n", "(a=(((((((…))))))))"),
            ("a: b\0\nc: d\n", "(a=b c=d)"),
            ("{\"a\": [1, 2,], \"b\": true,}", "(a=(1 2) b=true)"),
        ] {
            assert_eq!(shown(text), tree, "{text:?}");
        }
    }

    #[test]
    fn half_typed_files_keep_the_rest() {
        for (text, tree) in [
            ("a: \"open\nb: 1\n", "(b=1)"),
            ("a: [1,\nb: 2\nc: 3\n", "(b=2 c=3)"),
            ("a: 1\ncud\nb: 1\n", "(a=1 b=1)"),
            ("a:\n\tb: 1\nc: 2\n", "(a=() c=2)"),
            ("a: x: y\nd: 2\n", "(d=2)"),
            ("{% set v = 1 %}\na: 2\n{% if x %}\nb: {{ y }}-z\n{% endif %}\n", "(a=2 b=())"),
        ] {
            let tree_of = read(text);
            assert_eq!(shown(text).replace("=~", "=()").replace("a= ", "a=() "), tree, "{text:?}");
            assert!(!tree_of.torn.is_empty(), "{text:?}");
            assert!(tree_of.torn.iter().all(|t| t.template == text.contains("{%")), "{text:?}");
        }
    }

    #[test]
    fn bytes() {
        let text = "中: 'é'\nrun: |\n  one\n\n  two\nz: >-\n  p\n  q\n# c\nl: [a, b]\nm:\n  k: v\n  w: x\n";
        let tree = read(text);
        let root = tree.documents().next().expect("a document");
        let at = |key: &str| {
            let (k, v) = root.pair(key).expect(key);
            (&text[k.at().range()], &text[v.at().range()], v.raw())
        };
        assert_eq!(at("中"), ("中", "'é'", "é"));
        assert_eq!(at("run").2, "one\n\n  two\n");
        assert_eq!(at("z").2, "p\n  q\n");
        assert_eq!(at("l"), ("l", "[a, b]", "[a, b]"));
        assert_eq!(at("m").1, "k: v\n  w: x");
        assert_eq!(tree.comments_in(0..text.len()).collect::<Vec<_>>(), ["# c"]);
    }

    #[test]
    fn unknown_merges_leave_a_map_open() {
        let tree = read("a: {<<: *nowhere, b: 1}\nc: &c {d: 1}\ne: {<<: *c}\n");
        let root = tree.documents().next().expect("a document");
        assert!(root.get("a").expect("a").is_open());
        assert!(!root.get("e").expect("e").is_open());
    }
}
