//! A shell syntax tree → acts, in the order in which they happen.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::answers::Answers;
use super::builtin;
use super::fed::Fed;
use super::functions::{self, Call, Entry, Functions, Handed};
use super::leaving;
use super::predicates::Predicates;
use super::redirect::{Heredoc, Into, JobFile};
use super::scan::{self, substitutions};
use super::word::{self, Words};
use crate::outline::{Act, Choice, Does, Piece, Place, Scope, Sifted, Text, Torn, Variable, When};
use crate::read::excerpt::Excerpt;
use crate::source::Span;

/// What stands under more tests than this is not read.
const TESTS: usize = 32;
/// What stands in more shells within shells than this is not read: each is read in its own words and in those of all around it.
const SUBSHELLS: usize = 32;
/// Scripts in strings in strings.
const NESTED: usize = 4;
/// Loops over more words than this are read once, for no word.
pub(super) const UNROLLED: usize = 8;
/// Reported places that are no shell.
const TORN: usize = 32;

/// Reads a tree.
pub(super) fn read(excerpt: &Excerpt, tree: &Tree) -> (Vec<Act>, Vec<Torn>) {
    let mut out = Out { composes: excerpt.text().contains("compose"), ..Out::default() };
    Walk::new(excerpt, &mut out).run(tree.root_node());
    let acts = functions::follow(&out.entries, &out.functions, &out.cut);
    if acts.is_none() {
        out.torn.push(super::tangled(excerpt));
    }
    (acts.unwrap_or_default(), out.torn)
}

/// What has been read so far; shared with scripts inside the script.
#[derive(Default)]
pub(super) struct Out {
    entries: Vec<Entry>,
    pub(super) functions: Functions,
    torn: Vec<Torn>,
    pub(super) when: Vec<Choice>,
    /// Tests that are not in `when` any more, being too deep.
    untold: usize,
    /// Where subshells opened, as indices into `entries`.
    opened: Vec<usize>,
    pub(super) known: HashMap<String, Known>,
    /// The places of words that the shell cuts into several once their variables are known.
    pub(super) cut: HashSet<Span>,
    /// Words that arrays became.
    pub(super) expanded: usize,
    /// Functions whose bodies are being read: where they began, and the variables that they set.
    bodies: Vec<(usize, Vec<String>)>,
    nested: usize,
    /// It speaks of Compose.
    pub(super) composes: bool,
    pub(super) unrolling: bool,
    /// Where commands begin that may fail, as indices into `entries`, and where each ends.
    marks: Vec<usize>,
}

/// What a variable of this script holds.
pub(super) struct Known {
    pub(super) value: Option<String>,
    /// Of an array.
    pub(super) items: Option<Vec<Text>>,
    pub(super) when: Vec<Choice>,
}

impl Out {
    pub(super) fn act(&mut self, at: Span, does: Does) {
        if self.untold == 0 {
            self.entries.push(Entry::Act(Box::new(Act { at, when: When(self.when.clone()), does })));
        }
    }

    pub(super) fn call(&mut self, name: &str, at: Span, arguments: Vec<Text>) {
        if self.untold == 0 {
            self.entries.push(Entry::Call(Call { name: name.to_owned(), at, when: self.when.clone(), arguments }));
        }
    }

    /// Whether a function's body is being read.
    pub(super) fn in_function(&self) -> bool {
        !self.bodies.is_empty()
    }

    /// A command of a function that takes in what the function is given.
    pub(super) fn hand(&mut self, at: Span, words: Vec<Text>) {
        if self.untold == 0 {
            self.entries.push(Entry::Handed(Handed { words, at, when: self.when.clone() }));
        }
    }

    /// A function's body has been read: it happens where it is called, and so do the variables that it sets.
    fn defined(&mut self, name: &str, at: Span) {
        let Some((began, set)) = self.bodies.pop() else { return };
        for variable in set {
            if let Some(known) = self.known.get_mut(&variable) {
                known.value = None;
                known.items = None;
            }
        }
        let body = self.entries.split_off(began.min(self.entries.len()));
        let number = self.functions.define(name, at, !self.when.is_empty(), body);
        self.entries.push(Entry::Function(number));
    }

    fn choose(&mut self, choice: Choice) {
        if self.untold > 0 || self.when.len() == TESTS {
            self.untold += 1;
        } else {
            self.when.push(choice);
        }
    }

    fn unchoose(&mut self) {
        if self.untold > 0 {
            self.untold -= 1;
        } else {
            self.when.pop();
        }
    }

    /// What stands between the last two marks comes where the test succeeds, if both that and what follows install something.
    fn instead(&mut self, test: String) {
        let (Some(mid), Some(start)) = (self.marks.pop(), self.marks.pop()) else { return };
        let outer = self.when.len();
        let installs =
            |entry: &Entry| matches!(entry, Entry::Act(act) if matches!(act.does, Does::Install(_) | Does::Include(_)));
        if self.untold > 0 || !self.entries.iter().skip(mid).any(installs) {
            return;
        }
        let first = Choice::Branch { test: test.into(), arm: 0 };
        let same = |choice: &Choice| matches!((choice, &first), (Choice::Branch { test: a, .. }, Choice::Branch { test: b, .. }) if a == b);
        for entry in self.entries.iter_mut().take(mid).skip(start).filter(|entry| installs(entry)) {
            if let Entry::Act(act) = entry
                && !act.when.0.iter().any(same)
            {
                act.when.0.insert(outer.min(act.when.0.len()), first.clone());
            }
        }
    }

    pub(super) fn open(&mut self, at: Span) {
        self.opened.push(self.entries.len());
        self.act(at, Does::Enter(Place::Subshell));
    }

    /// Ends a subshell; one in which nothing happened leaves no trace.
    pub(super) fn back(&mut self, at: Span) {
        let Some(opened) = self.opened.pop() else { return };
        let elsewhere = |does: &Does| matches!(does, Does::Enter(Place::Container(_) | Place::Service { .. } | Place::Started));
        let enters = |entry: &Entry| matches!(entry, Entry::Act(act) if elsewhere(&act.does));
        let nothing = match self.entries.get(opened + 1..) {
            Some([]) => true,
            Some([only]) => enters(only),
            _ => false,
        };
        if nothing {
            self.entries.truncate(opened);
        } else if self.entries.len() > opened {
            self.act(at, Does::Enter(Place::Back));
        }
    }

    /// A variable is set, in a scope that outlives the command.
    pub(super) fn set(&mut self, at: Span, variable: Variable) {
        let value = variable.value.as_ref().and_then(|v| v.known()).map(str::to_owned);
        let exported = variable.value.as_ref().is_some_and(|v| refers_to(v, &variable.name));
        if !exported {
            let changed = self.known.contains_key(&variable.name);
            let value = value.filter(|_| !changed && !self.unrolling);
            self.known.insert(variable.name.clone(), Known { value, items: None, when: self.when.clone() });
            if let Some((_, set)) = self.bodies.last_mut() {
                set.push(variable.name.clone());
            }
        }
        self.act(at, Does::Set(variable));
    }

    /// The words that an unquoted variable becomes, where they are certain and matter.
    pub(super) fn words_of(&self, text: &Text, first: bool) -> Option<Vec<Text>> {
        let [Piece::Variable { name, fallback: None, instead: None }] = text.pieces.as_slice() else { return None };
        let known = self.known.get(name)?;
        let value = known.value.as_deref()?;
        let matters = first || value.starts_with('-') || value.contains([' ', '\t', '\n']) || value.is_empty();
        let holds = self.when.starts_with(&known.when) && value.len() < 4096;
        (matters && holds).then(|| value.split_whitespace().map(|w| Text::literal(w, text.at)).collect())
    }
}

fn refers_to(value: &Text, name: &str) -> bool {
    matches!(value.pieces.as_slice(), [Piece::Variable { name: of, .. }] if of == name)
}

/// One step of the walk; the last comes first.
pub(super) enum Step<'t> {
    Visit(Node<'t>),
    /// A command whose inner commands have been visited.
    Command(Node<'t>, Vec<Range<usize>>),
    /// Text that a shell reads.
    Script(Range<usize>),
    Edit(Span, Text),
    /// Parts of files are handed on.
    Sift(Span, Sifted),
    /// A heredoc's lines go to a file.
    Write(Into, Heredoc),
    /// A command's output goes to the later steps of a job.
    Exports(Node<'t>, JobFile),
    Assign(Node<'t>),
    Declare(Node<'t>),
    Choose(String, u32),
    /// What comes next may fail.
    Mark,
    /// What comes in its place where it fails has been read, which is arm 1 of this test: where it installs something, what failed
    /// did not.
    Instead(String),
    /// An environment marker.
    When(String),
    Unchoose,
    Open(Node<'t>),
    Back(Node<'t>),
    Define(Node<'t>),
    Defined(Node<'t>),
    LoopVariable(Node<'t>, Option<Text>),
    Unrolled(bool),
}

pub(super) struct Walk<'e, 'o> {
    pub(super) excerpt: &'e Excerpt,
    pub(super) out: &'o mut Out,
    /// Functions that end the script.
    leaving: HashSet<&'e str>,
    answers: Answers,
    /// Functions that only ask.
    pub(super) predicates: Predicates,
    /// What commands are given to read, by their nodes.
    pub(super) fed: HashMap<usize, Fed>,
}

/// A word of a command.
#[derive(Clone)]
pub(super) struct Word {
    pub(super) text: Text,
    /// Where it stands in the excerpt.
    pub(super) part: Range<usize>,
}

impl<'e, 'o> Walk<'e, 'o> {
    fn new(excerpt: &'e Excerpt, out: &'o mut Out) -> Self {
        let (answers, predicates) = (Answers::default(), Predicates::default());
        Self { excerpt, out, leaving: HashSet::new(), answers, predicates, fed: HashMap::new() }
    }

    /// Reads a script that stands in this one.
    pub(super) fn inner(&mut self, script: &Excerpt) {
        if self.out.nested == NESTED {
            return;
        }
        if let Some(tree) = super::parse(script.text()) {
            self.out.nested += 1;
            let torn = self.out.torn.len();
            Walk::new(script, self.out).run(tree.root_node());
            self.out.torn.truncate(torn);
            self.out.nested -= 1;
        }
    }

    /// The acts of a script that is only written here; `None` where it lies too deep.
    pub(super) fn file(&self, script: &Excerpt) -> Option<Vec<Act>> {
        let nested = Some(self.out.nested + 1).filter(|nested| *nested <= NESTED)?;
        let tree = super::parse(script.text())?;
        let mut out = Out { nested, ..Out::default() };
        Walk::new(script, &mut out).run(tree.root_node());
        functions::follow(&out.entries, &out.functions, &out.cut)
    }

    /// The same, so that what it sets ends with it.
    pub(super) fn inner_shell(&mut self, script: &Excerpt, at: Span) {
        self.out.open(at);
        self.inner(script);
        self.out.back(at);
    }

    fn run(&mut self, root: Node<'_>) {
        let functions = scan::functions(root);
        for function in &functions {
            self.out.functions.declare(self.name_of(*function));
        }
        self.leaving = leaving::functions(&functions, self.excerpt.text());
        self.answers = Answers::of(&functions, self.excerpt.text());
        self.predicates = Predicates::of(&functions, self.excerpt.text());
        let mut todo = vec![Step::Visit(root)];
        while let Some(step) = todo.pop() {
            match step {
                Step::Visit(node) => self.visit(node, &mut todo),
                Step::Command(node, more) => self.command(node, &more),
                Step::Script(part) => {
                    let script = self.without_tabs(part.clone());
                    self.inner_shell(&script, self.excerpt.span(part));
                }
                Step::Sift(at, sifted) => self.out.act(at, Does::Sift(sifted)),
                Step::Edit(at, path) => self.out.act(at, Does::Edit(path)),
                Step::Write(into, heredoc) => self.write(into, heredoc),
                Step::Exports(node, file) => self.exports(node, file),
                Step::Assign(node) => self.assign(node, Scope::Shell),
                Step::Declare(node) => builtin::declare(self, node),
                Step::Choose(test, arm) => self.out.choose(Choice::Branch { test: test.into(), arm }),
                Step::Mark => self.out.marks.push(self.out.entries.len()),
                Step::Instead(test) => self.out.instead(test),
                Step::When(marker) => self.out.choose(Choice::Marker(marker)),
                Step::Unchoose => self.out.unchoose(),
                Step::Open(node) => self.out.open(self.at(node)),
                Step::Back(node) => self.out.back(self.at(node)),
                Step::Define(node) => {
                    self.out.bodies.push((self.out.entries.len(), Vec::new()));
                    let answer = self.answers.of_function(self.name_of(node)).cloned();
                    answer.into_iter().for_each(|answer| self.out.act(self.at(node), Does::Answer(answer)));
                }
                Step::Defined(node) => self.out.defined(self.name_of(node), self.at(node)),
                Step::LoopVariable(name, value) => self.loop_variable(name, value),
                Step::Unrolled(on) => self.out.unrolling = on,
            }
        }
    }

    fn visit<'t>(&mut self, node: Node<'t>, todo: &mut Vec<Step<'t>>) {
        let mut steps = Vec::new();
        match node.kind() {
            "command" => self.after_substitutions(node, Step::Command(node, Vec::new()), &mut steps),
            "declaration_command" | "unset_command" => self.after_substitutions(node, Step::Declare(node), &mut steps),
            "variable_assignment" => self.after_substitutions(node, Step::Assign(node), &mut steps),
            "redirected_statement" => {
                self.feed_body(node);
                self.redirected(node, &mut steps);
            }
            "test_command" | "comment" => steps.extend(substitutions(node).into_iter().map(Step::Visit)),
            "list" => self.list(node, &mut steps),
            "if_statement" => self.if_statement(node, &mut steps),
            "case_statement" => self.case_statement(node, &mut steps),
            "for_statement" => self.for_statement(node, &mut steps),
            "c_style_for_statement" => steps.extend(node.child_by_field_name("body").map(Step::Visit)),
            "function_definition" => {
                steps.push(Step::Define(node));
                steps.extend(node.child_by_field_name("body").map(Step::Visit));
                steps.push(Step::Defined(node));
            }
            "subshell" | "command_substitution" | "process_substitution" if self.out.opened.len() < SUBSHELLS => {
                steps.push(Step::Open(node));
                steps.extend(named(node).into_iter().map(Step::Visit));
                steps.push(Step::Back(node));
            }
            "ERROR" => {
                self.torn(node);
                steps.extend(named(node).into_iter().map(Step::Visit));
            }
            "pipeline" => {
                self.feed_last(node);
                steps.extend(named(node).into_iter().map(Step::Visit));
                self.sifted_by_pipeline(node, &mut steps);
            }
            "program" | "do_group" | "compound_statement" | "while_statement" | "negated_command" | "variable_assignments" => {
                steps.extend(named(node).into_iter().map(Step::Visit))
            }
            _ => {}
        }
        todo.extend(steps.into_iter().rev());
    }

    /// Whether the script, or the function, ends with these statements.
    pub(super) fn ends(&self, statements: &[Node<'_>]) -> bool {
        leaving::end(statements, self.excerpt.text(), &|name| self.leaving.contains(name))
    }

    fn name_of(&self, function: Node<'_>) -> &'e str {
        function.child_by_field_name("name").map_or("", |name| self.source(name))
    }

    pub(super) fn after_substitutions<'t>(&self, node: Node<'t>, then: Step<'t>, steps: &mut Vec<Step<'t>>) {
        let inner = substitutions(node);
        steps.extend(Some(&inner).filter(|inner| !inner.is_empty()).and_then(|inner| self.sifted_for(node, inner)));
        steps.extend(inner.into_iter().map(Step::Visit));
        steps.push(then);
    }

    fn torn(&mut self, node: Node<'_>) {
        if self.out.torn.len() < TORN {
            let source = self.source(node);
            let template = ["{{", "{%", "<%", "%}"].iter().any(|mark| source.contains(mark));
            let at = self.at(node);
            self.out.torn.push(Torn { at, why: "not shell syntax".to_owned(), template });
        }
    }

    fn for_statement<'t>(&mut self, node: Node<'t>, steps: &mut Vec<Step<'t>>) {
        let mut cursor = node.walk();
        let values: Vec<_> = node.children_by_field_name("value", &mut cursor).collect();
        let (Some(name), Some(body)) = (node.child_by_field_name("variable"), node.child_by_field_name("body")) else {
            return;
        };
        let inputs: Vec<_> = values.iter().flat_map(|n| substitutions(*n)).collect();
        steps.extend(self.sifted_by_loop(body, &inputs));
        steps.extend(inputs.into_iter().map(Step::Visit));
        let values = self.loop_words(&values);
        let literal = |value: &Text| value.known().is_some();
        // Of what a person is asked to `select` one is taken.
        let each = node.child(0).is_none_or(|word| word.kind() != "select");
        if each && (1..=UNROLLED).contains(&values.len()) && !self.out.unrolling && values.iter().all(literal) {
            steps.push(Step::Unrolled(true));
            for value in values {
                steps.extend([Step::LoopVariable(name, Some(value)), Step::Visit(body)]);
            }
            steps.push(Step::Unrolled(false));
        } else {
            steps.extend([Step::LoopVariable(name, None), Step::Visit(body)]);
        }
    }

    fn loop_variable(&mut self, name: Node<'_>, value: Option<Text>) {
        let value = value.unwrap_or_else(|| Text { pieces: vec![Piece::Opaque], at: self.at(name) });
        let variable = Variable { name: self.source(name).to_owned(), value: Some(value), scope: Scope::Shell };
        self.out.set(self.at(name), variable);
    }

    fn assign(&mut self, node: Node<'_>, scope: Scope) {
        if let Some(variable) = self.variable(node, scope) {
            let at = self.at(node);
            if scope == Scope::Command {
                self.out.act(at, Does::Set(variable));
            } else {
                self.set(at, variable, node);
            }
        }
    }

    /// `A=b`, `A+=b`, `A=(b c)`.
    pub(super) fn variable(&self, node: Node<'_>, scope: Scope) -> Option<Variable> {
        let name = node.child_by_field_name("name")?;
        let subscript = name.kind() == "subscript";
        let name = if subscript { name.child_by_field_name("name")? } else { name };
        let name = self.source(name).to_owned();
        let source = self.source(node);
        let sign = source.find('=')?;
        let value = node.start_byte() + sign + 1;
        let mut text = self.text(value..node.end_byte());
        let array = node.child_by_field_name("value").is_some_and(|n| n.kind() == "array");
        if array || subscript {
            text.pieces = vec![Piece::Opaque];
        } else if source[..sign].ends_with('+') {
            let itself = Piece::Variable { name: name.clone(), fallback: None, instead: None };
            text.pieces.insert(0, itself);
        }
        Some(Variable { name, value: Some(text), scope })
    }

    fn command(&mut self, node: Node<'_>, more: &[Range<usize>]) {
        let prefix: Vec<_> = named(node).into_iter().filter(|n| n.kind() == "variable_assignment").collect();
        let mut words = self.words(node, more);
        if words.is_empty() {
            return prefix.into_iter().for_each(|n| self.assign(n, Scope::Shell));
        }
        self.substitute(&mut words);
        if let Some(input) = self.herestring(node, &words) {
            return self.string(input, self.at(node));
        }
        let before = self.out.entries.len();
        for node in &prefix {
            self.assign(*node, Scope::Command);
        }
        let set = self.out.entries.len();
        self.runs_fetched(node, &words);
        if !self.with_given(node, &mut words) {
            builtin::command(self, self.at(node), &words);
        }
        for answer in self.answers_read(node, &words) {
            self.out.act(self.at(node), Does::Answer(answer));
        }
        if self.out.entries.len() == set {
            self.out.entries.truncate(before);
            let chooses = |variable: &Variable| variable.name.ends_with("_VISIBLE_DEVICES");
            for node in prefix {
                if let Some(variable) = self.variable(node, Scope::Command).filter(chooses) {
                    self.out.act(self.at(node), Does::Given(variable));
                }
            }
        }
    }

    /// Puts the words of variables that this script sets in their places.
    fn substitute(&mut self, words: &mut Vec<Word>) {
        let bytes = self.excerpt.text().as_bytes();
        let mut out = Vec::with_capacity(words.len());
        for (i, word) in words.drain(..).enumerate() {
            let unquoted = bytes.get(word.part.start) == Some(&b'$');
            let array = self.items(word.part.clone());
            match array.or_else(|| self.out.words_of(&word.text, i == 0).filter(|_| unquoted)) {
                Some(texts) => out.extend(texts.into_iter().map(|text| Word { text, part: word.part.clone() })),
                None => {
                    if word.text.known().is_none() && self.excerpt.text().get(word.part.clone()).is_some_and(word::is_cut) {
                        self.out.cut.insert(word.text.at);
                    }
                    out.push(word);
                }
            }
        }
        *words = out;
    }

    /// The words of a command; the tree has some in pieces.
    pub(super) fn words(&self, node: Node<'_>, more: &[Range<usize>]) -> Vec<Word> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        for child in all(node) {
            let kind = child.kind();
            let is_word = !matches!(
                kind,
                "variable_assignment" | "file_redirect" | "herestring_redirect" | "comment" | "subshell" | "ERROR"
            );
            match parts.last_mut() {
                _ if !is_word => {}
                Some(last) if last.end == child.start_byte() => last.end = child.end_byte(),
                _ => parts.push(child.byte_range()),
            }
        }
        parts.extend_from_slice(more);
        parts.into_iter().map(|part| Word { text: self.text(part.clone()), part }).collect()
    }

    pub(super) fn text(&self, part: Range<usize>) -> Text {
        word::text(self.excerpt, part, Words::Shell)
    }

    pub(super) fn source(&self, node: Node<'_>) -> &'e str {
        self.excerpt.text().get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn at(&self, node: Node<'_>) -> Span {
        self.excerpt.span(node.byte_range())
    }
}

pub(super) fn all(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}
