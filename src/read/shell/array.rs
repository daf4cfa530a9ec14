//! Arrays: `A=(x y)`, `A+=(z)`, `"${A[@]}"` and `for x in "${A[@]}"`.

use std::ops::Range;

use tree_sitter::Node;

use super::walk::{UNROLLED, Walk, named};
use crate::outline::{Does, Piece, Text, Together, Variable};
use crate::read::command::compose;
use crate::source::Span;

/// A longer array is not known.
const ITEMS: usize = 256;
/// Words that all arrays of a script become; behind these none is known.
const EXPANDED: usize = 20_000;

impl Walk<'_, '_> {
    /// A variable is set, by that assignment.
    pub(super) fn set(&mut self, at: Span, variable: Variable, node: Node<'_>) {
        let name = variable.name.clone();
        let items = self.items_after(&name, node);
        let answer = self.answer_in(&variable, node);
        if self.out.composes {
            let items = node.child_by_field_name("value").filter(|n| n.kind() == "array").map(named).unwrap_or_default();
            let items: Vec<Text> = items.into_iter().map(|n| self.text(n.byte_range())).collect();
            let whole = variable.value.as_slice();
            for file in compose::gathered(if items.is_empty() { whole } else { &items }) {
                self.out.act(at, Does::Together(Together::of(vec![file])));
            }
        }
        self.out.set(at, variable);
        answer.into_iter().for_each(|answer| self.out.act(at, Does::Answer(answer)));
        if let Some(known) = self.out.known.get_mut(&name) {
            known.items = items;
        }
    }

    /// What an array holds after an assignment, where that is certain.
    fn items_after(&self, name: &str, node: Node<'_>) -> Option<Vec<Text>> {
        let value = node.child_by_field_name("value").filter(|n| n.kind() == "array")?;
        let whole = node.child_by_field_name("name").is_some_and(|n| n.kind() == "variable_name");
        let appends = self.source(node).get(name.len()..).is_some_and(|rest| rest.starts_with("+="));
        let before = match (appends, self.out.known.get(name)) {
            (false, None) => Vec::new(),
            (true, Some(known)) if known.when == self.out.when => known.items.clone()?,
            _ => return None,
        };
        let items: Vec<Text> =
            named(value).into_iter().filter(|n| n.kind() != "comment").map(|n| self.text(n.byte_range())).collect();
        let certain = |text: &Text| text.pieces.iter().all(|piece| self.is_certain(piece));
        let known = whole && !self.out.unrolling && items.iter().all(certain) && before.len() + items.len() <= ITEMS;
        known.then(|| before.into_iter().chain(items).collect())
    }

    /// A literal, or a variable that this script sets at most once.
    fn is_certain(&self, piece: &Piece) -> bool {
        match piece {
            Piece::Literal(_) => true,
            Piece::Variable { name, .. } => self.out.known.get(name).is_none_or(|known| known.value.is_some()),
            Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => false,
        }
    }

    /// The words that `"${A[@]}"` stands for.
    pub(super) fn items(&mut self, part: Range<usize>) -> Option<Vec<Text>> {
        let source = self.excerpt.text().get(part)?;
        let quoted = source.strip_prefix('"').and_then(|s| s.strip_suffix('"'));
        let inner = quoted.unwrap_or(source).strip_prefix("${")?.strip_suffix('}')?;
        let name = inner.strip_suffix("[@]").or_else(|| inner.strip_suffix("[*]").filter(|_| quoted.is_none()))?;
        let known = self.out.known.get(name)?;
        let items = known.items.as_ref().filter(|_| self.out.when.starts_with(&known.when))?;
        self.out.expanded += items.len();
        if self.out.expanded > EXPANDED {
            return None;
        }
        match quoted {
            Some(_) => Some(items.clone()),
            None => items.iter().map(cut).collect::<Option<Vec<_>>>().map(|words| words.concat()),
        }
    }

    /// The words that a loop goes through.
    pub(super) fn loop_words(&mut self, values: &[Node<'_>]) -> Vec<Text> {
        let mut words = Vec::new();
        for value in values.iter().take(UNROLLED + 1) {
            let text = self.text(value.byte_range());
            let unquoted = self.source(*value).starts_with('$');
            match self.items(value.byte_range()).or_else(|| self.out.words_of(&text, true).filter(|_| unquoted)) {
                Some(items) => words.extend(items),
                None => words.push(text),
            }
        }
        words
    }
}

/// An item as a shell cuts it where no quotes stand around the array; `None` where that depends on what is put in.
fn cut(item: &Text) -> Option<Vec<Text>> {
    let blank = |piece: &Piece| matches!(piece, Piece::Literal(text) if text.contains(char::is_whitespace));
    match item.known() {
        Some(text) => Some(text.split_whitespace().map(|word| Text::literal(word, item.at)).collect()),
        None => (!item.pieces.iter().any(blank)).then(|| vec![item.clone()]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rendering;
    use crate::source::FileId;

    fn read(text: &str) -> Vec<String> {
        let acts = super::super::read(FileId(0), text).acts;
        acts.iter().map(|act| rendering::act(act, text)).filter(|act| !act.contains("set ") && !act.contains(" of ")).collect()
    }

    #[test]
    fn arrays_become_their_words() {
        for (text, want) in [
            ("A=(x 'y z')\napt install \"${A[@]}\"", &["apt x y z"][..]),
            ("A=(\n  x # why\n  y=$V\n)\napt install ${A[*]} w", &["apt x y=<V> w"]),
            ("A=(apt install)\nA+=(x)\n\"${A[@]}\" y", &["apt x y"]),
            ("A=(); A+=(x); sudo apt install ${A[@]}", &["apt x"]),
            ("declare -a A=(x)\nfor p in \"${A[@]}\" y; do apt install $p; done", &["apt <p>", "apt <p>"]),
            ("L=\"x y\"\nfor p in $L; do apt install $p; done", &["apt <p>", "apt <p>"]),
            ("A=('x y' \"z\")\napt install ${A[@]} ${A[*]}", &["apt x y z x y z"]),
            ("A=(\"x $V\")\napt install ${A[@]}", &["apt ?"]),
            ("A=(x)\nif a; then A+=(y); fi\napt install \"${A[@]}\"", &["apt ?"]),
            ("A=(x)\nA=(y)\napt install \"${A[@]}\"", &["apt ?"]),
            ("A=(x $(y))\napt install \"${A[@]}\"", &["apt ?"]),
            ("V=1; V=2; A=(x=$V)\napt install \"${A[@]}\"", &["apt ?"]),
            ("f() { A=(x); }\nf\napt install \"${A[@]}\"", &["{", ")", "apt ?"]),
            ("A=(x y)\napt install \"${A[*]}\" \"${A[0]}\" \"${#A[@]}\"", &["apt ? ? ?"]),
        ] {
            assert_eq!(read(text), want, "{text}");
        }
        let many = format!("A=({})\n{}", "x ".repeat(200), "apt install \"${A[@]}\"\n".repeat(5_000));
        assert_eq!(read(&many).len(), 5_000);
    }
}
