//! The `Debug` text of a value as a tree, so that what it says can be printed without what it leaves empty.

/// A part of a `Debug` text.
#[derive(Debug, PartialEq)]
pub(crate) enum Tree {
    /// A number, a word, a string without its quotes.
    Leaf(String),
    /// `Name { field: …, … }`, `Name(…)`, `[…]`, `(…)`; fields without a name have an empty one.
    Node { name: String, fields: Vec<(String, Tree)> },
}

impl Tree {
    /// The tree of a `Debug` text (`{:?}`, derived).
    pub(crate) fn of(text: &str) -> Tree {
        let mut reading = Reading { rest: text };
        let tree = reading.tree();
        assert_eq!(reading.rest, "", "the whole text is one value");
        tree
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Tree> {
        let Tree::Node { fields, .. } = self else { return None };
        fields.iter().find(|(of, _)| of == name).map(|(_, tree)| tree)
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Tree::Leaf(text) => text,
            Tree::Node { name, .. } => name,
        }
    }
}

struct Reading<'a> {
    rest: &'a str,
}

impl Reading<'_> {
    fn eat(&mut self, what: &str) -> bool {
        let rest = self.rest.strip_prefix(what);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn tree(&mut self) -> Tree {
        if self.rest.starts_with('"') {
            return Tree::Leaf(self.string());
        }
        let end = self.rest.find([',', ' ', '(', ')', '[', ']', '{', '}', ':']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let name = name.to_owned();
        let (open, close) = match () {
            () if self.eat(" { ") => (true, " }"),
            () if self.eat("(") => (false, ")"),
            () if self.eat("[") => (false, "]"),
            () => return Tree::Leaf(name),
        };
        let mut fields = Vec::new();
        while !self.eat(close) {
            let field = if open { self.name() } else { String::new() };
            fields.push((field, self.tree()));
            self.eat(", ");
        }
        Tree::Node { name, fields }
    }

    fn name(&mut self) -> String {
        let (name, rest) = self.rest.split_once(": ").expect("a field has a name");
        self.rest = rest;
        name.to_owned()
    }

    fn string(&mut self) -> String {
        let mut escaped = false;
        let end = self.rest[1..].find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let end = end.expect("a string ends") + 2;
        let text = self.rest[1..end - 1].replace("\\\"", "\"").replace("\\\\", "\\");
        self.rest = &self.rest[end..];
        text
    }
}

#[test]
fn reads_what_debug_writes() {
    #[derive(Debug)]
    struct Of<'a> {
        #[expect(dead_code, reason = "printed only")]
        a: Option<&'a str>,
        #[expect(dead_code, reason = "printed only")]
        b: Vec<(u8, bool)>,
    }
    let tree = Tree::of(&format!("{:?}", Of { a: Some("x, \"y\" \\"), b: vec![(1, true), (2, false)] }));
    assert_eq!(tree.name(), "Of");
    let leaf = |text: &str| Tree::Leaf(text.to_owned());
    let node = |name: &str, of: Vec<Tree>| Tree::Node {
        name: name.to_owned(),
        fields: of.into_iter().map(|tree| (String::new(), tree)).collect(),
    };
    assert_eq!(tree.field("a"), Some(&node("Some", vec![leaf(r#"x, "y" \"#)])));
    let pairs = vec![node("", vec![leaf("1"), leaf("true")]), node("", vec![leaf("2"), leaf("false")])];
    assert_eq!(tree.field("b"), Some(&node("", pairs)));
}
