//! The variables in force while a start is walked, and what a [`Text`] comes to under them.

use std::collections::HashMap;

use crate::outline::{Piece, Text};
use crate::source::Span;

/// A variable as it stands at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// `None`: set, but to what is not known.
    pub(crate) text: Option<String>,
    /// The same with unknown variables kept as `${NAME}`.
    pub(crate) written: String,
    /// Where it was set.
    pub(crate) at: Span,
    /// Whether programs see it.
    pub(crate) exported: bool,
}

impl Value {
    /// A value that is known whole.
    pub(super) fn known(text: String, at: Span, exported: bool) -> Self {
        Self { written: text.clone(), text: Some(text), at, exported }
    }
    /// A value of which nothing is known.
    pub(super) fn unknown(at: Span, exported: bool) -> Self {
        Self { text: None, written: String::new(), at, exported }
    }
}

/// A variable that holds more bytes than this is not known.
const LONGEST: usize = 8 * 1024;

/// Variables by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables(HashMap<String, Value>);

impl Variables {
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
    pub(super) fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }
    /// Takes away those whose names begin so.
    pub(super) fn forget_all(&mut self, start: &str) -> Vec<(String, Value)> {
        self.0.extract_if(|name, _| name.starts_with(start)).collect()
    }
    /// What programs see.
    pub(super) fn exported(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().filter(|(_, v)| v.exported).map(|(name, v)| (name.as_str(), v))
    }
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
    /// The text, if all its variables are known.
    pub(super) fn resolve(&self, text: &Text) -> Option<String> {
        self.pieces(&text.pieces, 0)
    }
    /// The value that a variable takes from a text.
    pub(super) fn value(&self, text: &Text, at: Span, exported: bool) -> Value {
        let known = self.resolve(text).filter(|value| value.len() <= LONGEST);
        Value { text: known, written: self.written(text), at, exported }
    }
    /// The text with unknown variables kept as `${NAME}` and opaque parts as `$()`.
    fn written(&self, text: &Text) -> String {
        let mut whole = String::new();
        for piece in &text.pieces {
            match (self.pieces(std::slice::from_ref(piece), 0), piece) {
                (Some(known), _) => whole.push_str(&known),
                (None, Piece::Variable { name, .. }) => match self.get(name).filter(|v| !v.written.is_empty()) {
                    Some(value) => whole.push_str(&value.written),
                    None => whole.push_str(&format!("${{{name}}}")),
                },
                (None, _) => whole.push_str("$()"),
            }
            if whole.len() > LONGEST {
                break;
            }
        }
        whole.truncate(whole.floor_char_boundary(LONGEST));
        whole
    }
    fn pieces(&self, pieces: &[Piece], depth: usize) -> Option<String> {
        if depth > 16 {
            return None;
        }
        let mut whole = String::new();
        for piece in pieces {
            match piece {
                Piece::Literal(text) => whole.push_str(text),
                Piece::Opaque => return None,
                Piece::Variable { name, fallback, instead } => {
                    let set = self.get(name);
                    let full = set.filter(|v| v.text.as_deref() != Some(""));
                    match (instead, fallback) {
                        (Some(instead), _) if full.is_some() => whole.push_str(&self.pieces(instead, depth + 1)?),
                        (Some(_), _) => {}
                        (None, Some(fallback)) if full.is_none() => whole.push_str(&self.pieces(fallback, depth + 1)?),
                        (None, _) => whole.push_str(set?.text.as_deref()?),
                    }
                }
            }
            if whole.len() > 64 * 1024 {
                return None;
            }
        }
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    #[test]
    fn forms() {
        let at = Span::new(Sources::default().set("x", ""), 0, 0);
        let mut variables = Variables::default();
        variables.set("A", Value::known("1".into(), at, true));
        variables.set("U", Value::unknown(at, false));
        let literal = |t: &str| Some(vec![Piece::Literal(t.into())]);
        let show = |name: &str, fallback, instead| {
            let piece = Piece::Variable { name: name.into(), fallback, instead };
            variables.resolve(&Text { pieces: vec![Piece::Literal("x".into()), piece], at })
        };
        assert_eq!(show("A", None, None).as_deref(), Some("x1"));
        assert_eq!(show("B", None, None), None);
        assert_eq!(show("B", literal("d"), None).as_deref(), Some("xd"));
        assert_eq!(show("A", literal("d"), None).as_deref(), Some("x1"));
        assert_eq!(show("A", None, literal("i")).as_deref(), Some("xi"));
        assert_eq!(show("B", None, literal("i")).as_deref(), Some("x"));
        assert_eq!(show("U", literal("d"), None), None, "set to something unknown");
        assert_eq!(variables.exported().count(), 1);
    }
}
