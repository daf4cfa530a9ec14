//! What expressions of a `setup.py` come to, as far as literals and the usual ways of reading a file tell. Nothing is run.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::tokens::{Kind, Token};
use crate::outline::{Piece, Text};
use crate::source::{FileId, Span};

/// Lists in lists.
const DEEPEST: usize = 16;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    String(Text),
    List(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    /// The lines of a file.
    File(Text),
    /// Found out when it is run.
    Unknown,
}

/// Names in an expression that reads a file's lines and leaves them as they are.
const READS: &[&str] = &[
    "open",
    "io",
    "codecs",
    "os",
    "path",
    "join",
    "dirname",
    "abspath",
    "realpath",
    "__file__",
    "Path",
    "pathlib",
    "parent",
    "resolve",
    "read",
    "read_text",
    "readlines",
    "splitlines",
    "split",
    "strip",
    "rstrip",
    "encoding",
    "mode",
    "list",
    "str",
    "req",
    "requirement",
    "for",
    "in",
    "if",
    "and",
    "not",
    "startswith",
    "parse_requirements",
    "session",
    "False",
    "True",
    "None",
];
/// Strings in such an expression that are no path.
const NO_PATH: &[&str] = &["\n", "#", "", "r", "rt", "utf-8", "utf8", "UTF-8"];
/// Methods that change what a name stands for.
const CHANGES: &[&str] = &["append", "extend", "insert", "remove", "update", "pop", "clear", "setdefault", "discard"];

/// A file's tokens, with the brackets matched and the names that are bound once.
pub(super) struct Names<'t> {
    file: FileId,
    text: &'t str,
    tokens: &'t [Token],
    /// For an opening bracket its closing one.
    closing: HashMap<usize, usize>,
    bound: HashMap<&'t str, Range<usize>>,
}

impl<'t> Names<'t> {
    pub(super) fn of(file: FileId, text: &'t str, tokens: &'t [Token]) -> Self {
        let mut names = Self { file, text, tokens, closing: HashMap::new(), bound: HashMap::new() };
        let mut open = Vec::new();
        for (n, token) in tokens.iter().enumerate() {
            match names.word(token) {
                "(" | "[" | "{" if token.kind == Kind::Sign => open.push(n),
                ")" | "]" | "}" if token.kind == Kind::Sign => {
                    let begin = open.pop();
                    names.closing.extend(begin.map(|begin| (begin, n)));
                }
                _ => {}
            }
        }
        names.bind();
        names
    }
    pub(super) fn word(&self, token: &Token) -> &'t str {
        &self.text[token.at.clone()]
    }
    fn is(&self, n: usize, sign: &str) -> bool {
        self.tokens.get(n).is_some_and(|token| token.kind == Kind::Sign && self.word(token) == sign)
    }
    fn name(&self, n: usize) -> Option<&'t str> {
        let token = self.tokens.get(n).filter(|token| token.kind == Kind::Name)?;
        Some(self.word(token))
    }
    /// The token behind the bracket that opens at `n`, or the end of the file.
    pub(super) fn behind(&self, n: usize) -> usize {
        self.closing.get(&n).map_or(self.tokens.len(), |end| end + 1)
    }
    /// Finds the names that one statement binds and nothing else touches; only where that statement always happens.
    fn bind(&mut self) {
        let mut touched: HashMap<&str, u32> = HashMap::new();
        let (mut n, mut indent) = (0, 0);
        // Where a `with open(…)` of the top level stands, its body always happens.
        let mut with: Option<usize> = None;
        let mut begins = true;
        while n < self.tokens.len() {
            if let Kind::Line(next) = self.tokens[n].kind {
                (indent, begins) = (next, true);
                n += 1;
                continue;
            }
            let first = std::mem::take(&mut begins);
            let Some(name) = self.name(n) else {
                n += 1;
                continue;
            };
            if first && indent == 0 {
                with = (name == "with").then_some(n);
            }
            let always = indent == 0 || with.is_some();
            let attribute = n > 0 && self.is(n - 1, ".");
            match name {
                "for" | "global" | "nonlocal" | "del" | "import" | "def" | "class" => {
                    if let Some(bound) = self.name(n + 1) {
                        *touched.entry(bound).or_default() += 2;
                    }
                }
                "as" if with.is_some() && always => {
                    if let (Some(handle), Some(start)) = (self.name(n + 1), with) {
                        *touched.entry(handle).or_default() += 1;
                        self.bound.insert(handle, start + 1..n);
                    }
                }
                "as" => {
                    if let Some(bound) = self.name(n + 1) {
                        *touched.entry(bound).or_default() += 2;
                    }
                }
                _ if attribute => {}
                _ if self.is(n + 1, "=") && first => {
                    *touched.entry(name).or_default() += if always { 1 } else { 2 };
                    self.bound.insert(name, n + 2..self.end(n + 2));
                }
                _ if first && self.tokens.get(n + 1).is_some_and(|t| t.kind == Kind::Sign && self.is_assignment(n + 1)) => {
                    *touched.entry(name).or_default() += 2;
                }
                _ if self.is(n + 1, ".") && self.name(n + 2).is_some_and(|method| CHANGES.contains(&method)) => {
                    *touched.entry(name).or_default() += 2;
                }
                _ if first && self.is(n + 1, "[") && self.is(self.behind(n + 1), "=") => *touched.entry(name).or_default() += 2,
                _ => {}
            }
            n += 1;
        }
        self.bound.retain(|name, _| touched.get(name) == Some(&1));
    }
    /// `a += b`, `a, b = …`, `a: list = …`.
    fn is_assignment(&self, n: usize) -> bool {
        let sign = self.word(&self.tokens[n]);
        sign.len() == 2 && sign.ends_with('=') && !matches!(sign, "==" | "!=" | "<=" | ">=") || matches!(sign, "," | ":")
    }
    /// The end of the statement that goes on at `n`.
    fn end(&self, mut n: usize) -> usize {
        while let Some(token) = self.tokens.get(n) {
            if matches!(token.kind, Kind::Line(_)) || self.is(n, ";") {
                return n;
            }
            n = self.next(n);
        }
        self.tokens.len()
    }
    /// The token behind `n`, or behind the bracket that opens there.
    fn next(&self, n: usize) -> usize {
        if self.tokens[n].kind == Kind::Sign && matches!(self.word(&self.tokens[n]), "(" | "[" | "{") {
            self.behind(n)
        } else {
            n + 1
        }
    }
    /// The parts between commas.
    pub(super) fn parts(&self, within: Range<usize>) -> Vec<Range<usize>> {
        self.split(within, ",").into_iter().filter(|part| !part.is_empty()).collect()
    }
    fn split(&self, within: Range<usize>, sign: &str) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let (mut start, mut n) = (within.start, within.start);
        while n < within.end {
            if self.is(n, sign) {
                parts.push(start..n);
                start = n + 1;
            }
            n = self.next(n);
        }
        parts.push(start..within.end.max(start));
        parts
    }
    /// A keyword argument: its name and its value.
    pub(super) fn keyword(&self, part: &Range<usize>) -> Option<(&'t str, Range<usize>)> {
        let name = self.name(part.start).filter(|_| self.is(part.start + 1, "="))?;
        Some((name, part.start + 2..part.end))
    }
    pub(super) fn span(&self, part: &Range<usize>) -> Span {
        let at = |n: usize| self.tokens.get(n).map_or(0..0, |token| token.at.clone());
        Span::new(self.file, at(part.start).start, at(part.end.saturating_sub(1)).end.max(at(part.start).start))
    }
    /// What an expression comes to.
    pub(super) fn value(&self, part: Range<usize>) -> Value {
        self.evaluate(part, DEEPEST, &mut HashSet::new())
    }
    fn evaluate(&self, part: Range<usize>, depth: usize, visited: &mut HashSet<&'t str>) -> Value {
        let Some(first) = self.tokens.get(part.start).filter(|_| !part.is_empty() && depth > 0) else { return Value::Unknown };
        let brackets = self.closing.get(&part.start).is_some_and(|end| end + 1 == part.end);
        let inner = part.start + 1..part.end - 1;
        if self.tokens[part.clone()].iter().all(|token| matches!(token.kind, Kind::String(_))) {
            return Value::String(self.literal(&part));
        }
        if part.len() == 1
            && let Some(name) = self.name(part.start)
        {
            let Some(bound) = self.bound.get(name).filter(|_| visited.insert(name)) else { return Value::Unknown };
            let value = self.evaluate(bound.clone(), depth - 1, visited);
            visited.remove(name);
            return value;
        }
        let comprehension = brackets && self.split(inner.clone(), ",").len() == 1 && self.has(&inner, "for");
        match self.word(first) {
            "[" | "(" if brackets && !comprehension => {
                let parts = self.split(inner.clone(), ",");
                if self.word(first) == "(" && parts.len() == 1 {
                    return self.evaluate(inner, depth - 1, visited);
                }
                let parts = parts.into_iter().filter(|part| !part.is_empty());
                return Value::List(parts.map(|part| self.evaluate(part, depth - 1, visited)).collect());
            }
            "{" if brackets && !self.has(&inner, "for") => {
                let pair = |part: Range<usize>| match self.split(part, ":").as_slice() {
                    [key, value] => (key.clone(), value.clone()),
                    _ => (0..0, 0..0),
                };
                let pairs = self.parts(inner).into_iter().map(pair).collect::<Vec<_>>();
                let mut evaluate = |part| self.evaluate(part, depth - 1, visited);
                return Value::Dict(pairs.into_iter().map(|(key, value)| (evaluate(key), evaluate(value))).collect());
            }
            _ => {}
        }
        let sum = self.split(part.clone(), "+");
        if sum.len() > 1 && sum.iter().all(|part| !part.is_empty()) {
            let added = sum.into_iter().map(|part| match self.evaluate(part, depth - 1, visited) {
                Value::List(items) => items,
                other @ Value::File(_) => vec![other],
                _ => vec![Value::Unknown],
            });
            return Value::List(added.flatten().collect());
        }
        self.read_file(part, depth, visited).map_or(Value::Unknown, Value::File)
    }
    fn has(&self, part: &Range<usize>, word: &str) -> bool {
        part.clone().any(|n| self.name(n) == Some(word))
    }
    /// Adjacent literals are one.
    fn literal(&self, part: &Range<usize>) -> Text {
        let mut pieces: Vec<Piece> = Vec::new();
        let strings = self.tokens[part.clone()].iter();
        let all = strings.filter_map(|token| if let Kind::String(pieces) = &token.kind { Some(pieces) } else { None });
        for piece in all.flatten() {
            match (pieces.last_mut(), piece) {
                (Some(Piece::Literal(text)), Some(more)) => text.push_str(more),
                (_, Some(text)) => pieces.push(Piece::Literal(text.clone())),
                (_, None) => pieces.push(Piece::Opaque),
            }
        }
        let mut at = self.span(part);
        // One plain literal has its place inside its quotes.
        if let ([Piece::Literal(text)], 1) = (pieces.as_slice(), part.len()) {
            let inside = at.range().start + 1..at.range().end.saturating_sub(1);
            if self.text.get(inside.clone()) == Some(text) {
                at = Span::new(self.file, inside.start, inside.end);
            }
        }
        Text { pieces, at }
    }
    /// The file whose lines an expression reads, if it is one of the usual ways to do so.
    fn read_file(&self, part: Range<usize>, depth: usize, visited: &mut HashSet<&'t str>) -> Option<Text> {
        let mut targets: HashSet<&str> = HashSet::new();
        targets.extend(part.clone().filter(|n| self.name(*n) == Some("for")).filter_map(|n| self.name(n + 1)));
        let (mut path, mut reads) = (None, false);
        for n in part {
            let token = &self.tokens[n];
            let found = match &token.kind {
                Kind::String(_) => {
                    let text = self.literal(&(n..n + 1));
                    let known = text.known()?;
                    Some(text.clone()).filter(|_| !NO_PATH.contains(&known))
                }
                Kind::Name => {
                    let name = self.word(token);
                    reads |= matches!(name, "open" | "read_text" | "parse_requirements");
                    // `join(here, "x")`, `here / "x"`: a folder that is taken to be the file's own.
                    let folder = self.is(n + 1, "/") || n > 1 && self.is(n - 1, "(") && self.name(n - 2) == Some("join");
                    let attribute = n > 0 && self.is(n - 1, ".");
                    if READS.contains(&name) || targets.contains(name) {
                        None
                    } else {
                        match self.bound.get(name).filter(|_| !attribute && visited.insert(name)) {
                            Some(bound) => {
                                let value = self.evaluate(bound.clone(), depth - 1, visited);
                                visited.remove(name);
                                match value {
                                    Value::File(path) => {
                                        reads = true;
                                        Some(path)
                                    }
                                    Value::String(path) => Some(path),
                                    _ if folder => None,
                                    _ => return None,
                                }
                            }
                            None if folder => None,
                            None => return None,
                        }
                    }
                }
                Kind::Sign if matches!(self.word(token), "+" | "%" | "*" | ":") => return None,
                Kind::Sign | Kind::Number | Kind::Line(_) => None,
            };
            match (found, &path) {
                (Some(found), None) => path = Some(found),
                (Some(_), Some(_)) => return None,
                (None, _) => {}
            }
        }
        path.filter(|path| reads && path.known().is_some_and(|path| path.ends_with(".txt") || path.ends_with(".in")))
    }
}
