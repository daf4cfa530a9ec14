//! GitLab CI (<https://docs.gitlab.com/ci/yaml/>): every job is an environment, its `before_script` and `script` one shell.

use std::ops::Range;
use std::rc::Rc;

use super::scalar;
use super::shell::{self, word::push_literal};
use super::syntax::interpolation::node_text;
use super::syntax::yaml::{Node, Tree};
use crate::outline::{Act, Choice, Does, How, Include, Job, Outline, Piece, Place, Scope, Text, Variable, When};
use crate::source::{FileId, Span};

/// Jobs and templates that a job stands on.
const LAYERS: usize = 16;
/// Rows of a matrix.
const ROWS: usize = 64;
/// Rows times bytes of a job that are read; above, its matrix counts as unknown.
const BUDGET: usize = 1 << 22;
/// References that lead to references.
const REFERENCES: usize = 10;
/// Lines that come of the references of a script.
const LINES: usize = 10_000;
/// <https://docs.gitlab.com/ci/yaml/yaml_optimization/#reference-tags>.
const REFERENCE: &str = "!reference";
/// Acts of a pipeline; what comes behind them is not read.
const ACTS: usize = 50_000;
/// Keys that are no jobs.
const KEYWORDS: &[&str] = &[
    "default",
    "include",
    "stages",
    "variables",
    "workflow",
    "image",
    "services",
    "before_script",
    "after_script",
    "cache",
    "spec",
];

/// Reads a pipeline.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut reader = Reader { source: text.into(), acts: Vec::new(), comments: Vec::new() };
    for root in tree.documents() {
        for (key, job) in root.entries() {
            let Some(name) = key.text().filter(|name| !name.starts_with('.') && !KEYWORDS.contains(name)) else { continue };
            if let Some(layers) = layers(root, job).filter(|_| job.is_map()) {
                reader.job(root, key, name, &layers);
            }
        }
    }
    tree.outline(reader.acts, reader.comments)
}

/// A job with what it extends, itself first; `None` where that is not in this file.
fn layers<'a>(root: Node<'a>, job: Node<'a>) -> Option<Vec<Node<'a>>> {
    let mut found = Vec::new();
    let mut todo = vec![job];
    while let Some(layer) = todo.pop() {
        if found.len() == LAYERS || layer.is_open() {
            return None;
        }
        found.push(layer);
        let Some(extends) = layer.get("extends") else { continue };
        let names = if extends.is_list() { extends.items() } else { vec![extends] };
        // Of several the last one wins: it is looked at first.
        for name in names {
            todo.push(root.get(name.text()?).filter(|base| base.is_map())?);
        }
    }
    Some(found)
}

struct Reader {
    /// As it stands.
    source: Rc<str>,
    acts: Vec<Act>,
    comments: Vec<Range<usize>>,
}

impl Reader {
    fn job(&mut self, root: Node<'_>, key: Node<'_>, name: &str, layers: &[Node<'_>]) {
        let default = root.get("default").into_iter().chain([root]);
        let inherits = |kind: &str, name: &str| match layers.iter().find_map(|layer| layer.path(&["inherit", kind])) {
            Some(list) if list.is_list() => list.items().iter().any(|item| item.text() == Some(name)),
            all => all.and_then(Node::text) != Some("false"),
        };
        let of = |wanted: &str| {
            let default = default.clone().filter(|_| inherits("default", wanted));
            layers.iter().copied().chain(default).find_map(|layer| layer.get(wanted))
        };
        let rules = layers.iter().find_map(|layer| layer.get("rules")).into_iter().chain(root.path(&["workflow", "rules"]));
        let ruled: Vec<_> =
            rules.flat_map(Node::items).filter_map(|rule| rule.get("variables")).flat_map(Node::entries).collect();
        let Some(script) = layers.iter().find_map(|layer| layer.get("script")) else { return };
        let matrix = layers.iter().find_map(|layer| layer.path(&["parallel", "matrix"]));
        let length = layers.iter().map(|layer| layer.at().range().len()).sum::<usize>().max(1);
        let rows = matrix.map(rows).unwrap_or_default();
        let rows = if rows.len() * length > BUDGET { Vec::new() } else { rows };
        let image = of("image").map(|node| node.get("name").unwrap_or(node));
        let included = root.get("include").map(|node| Text { pieces: vec![Piece::Opaque], at: node.at() });
        let does =
            Job { name: name.to_owned(), container: image.and_then(node_text).or(included), runs_on: of("tags").map(labels) };
        let counted = (0u32..).zip(if rows.is_empty() { vec![Vec::new()] } else { rows.clone() });
        for (number, row) in counted {
            if self.acts.len() > ACTS {
                return;
            }
            let when = if rows.is_empty() { Vec::new() } else { vec![Choice::Row { job: name.to_owned(), row: number }] };
            let act = |at: Span, does: Does| Act { at, when: When(when.clone()), does };
            self.acts.push(act(key.at(), Does::Job(does.clone())));
            let nodes = [root].into_iter().chain(layers.iter().rev().copied());
            // What is included may set variables for all jobs.
            self.acts.extend(root.get("include").map(|node| act(node.at(), anything(node.at()))));
            let variables: Vec<_> = nodes.filter_map(|of| of.get("variables")).collect();
            let (named, own): (Vec<_>, Vec<_>) = variables.into_iter().partition(|node| is_reference(&self.source, *node));
            self.acts.extend(named.into_iter().map(|node| act(node.at(), anything(node.at()))));
            let of_all = root.get("variables").map(Node::at);
            let given = own.into_iter().flat_map(|node| {
                let inherited = Some(node.at()) == of_all;
                let own = move |name: &Node<'_>| !inherited || name.text().is_some_and(|name| inherits("variables", name));
                node.entries().into_iter().filter(move |(name, _)| own(name))
            });
            for (name, value) in given.chain(row) {
                let value = value.get("value").unwrap_or(value);
                if let Some(variable) = name.text() {
                    let text = node_text(value).unwrap_or_else(|| Text { pieces: vec![Piece::Opaque], at: value.at() });
                    let variable = Variable { name: variable.to_owned(), value: Some(text), scope: Scope::Environment };
                    self.acts.push(act(name.at().to(value.at()), Does::Set(variable)));
                }
            }
            // Which rule holds is known only when it runs.
            for (name, value) in &ruled {
                if let Some(variable) = name.text() {
                    let value = Some(Text { pieces: vec![Piece::Opaque], at: value.at() });
                    let variable = Variable { name: variable.to_owned(), value, scope: Scope::Environment };
                    self.acts.push(act(name.at(), Does::Set(variable)));
                }
            }
            let before = of("before_script").into_iter().chain([script]);
            self.shell(root, &before.collect::<Vec<_>>(), &when);
            self.shell(root, &of("after_script").into_iter().collect::<Vec<_>>(), &when);
        }
    }

    /// Scripts that one shell runs.
    fn shell(&mut self, root: Node<'_>, scripts: &[Node<'_>], when: &[Choice]) {
        let (Some(first), Some(last)) = (scripts.first(), scripts.last()) else { return };
        let opened = self.acts.len();
        let enter = |at, place| Act { at, when: When(when.to_vec()), does: Does::Enter(place) };
        self.acts.push(enter(first.at(), Place::Subshell));
        let (mut left, text) = (LINES, Rc::clone(&self.source));
        for line in scripts.iter().flat_map(|script| lines(*script, &|node| is_reference(&text, node))) {
            self.line_of(root, line, when, 0, &mut left);
        }
        if self.acts.len() == opened + 1 {
            self.acts.pop();
        } else {
            self.acts.push(enter(last.at(), Place::Back));
        }
    }

    /// A line, or the lines that a `!reference` stands for; one to what is not here may set anything.
    fn line_of(&mut self, root: Node<'_>, line: Node<'_>, when: &[Choice], depth: usize, left: &mut usize) {
        let source = Rc::clone(&self.source);
        if !is_reference(&source, line) {
            return self.line(line, when);
        }
        let keys: Option<Vec<&str>> = line.items().into_iter().map(Node::text).collect();
        let found = keys.filter(|keys| !keys.is_empty() && depth < REFERENCES).and_then(|keys| root.path(&keys));
        let lines = found.map(|found| lines(found, &|node| is_reference(&source, node))).filter(|lines| lines.len() <= *left);
        match lines {
            Some(lines) => {
                *left -= lines.len();
                lines.into_iter().for_each(|line| self.line_of(root, line, when, depth + 1, left));
            }
            None => {
                self.acts.push(Act { at: line.at(), when: When(when.to_vec()), does: anything(line.at()) });
            }
        }
    }

    fn line(&mut self, line: Node<'_>, when: &[Choice]) {
        let read = shell::read_excerpt(&scalar::script(line, &self.source));
        self.comments.extend(read.comments);
        self.acts.extend(read.acts.into_iter().map(|mut act| {
            act.when.0.splice(0..0, when.iter().cloned());
            act
        }));
    }
}

/// What is not read here may set any variable, as a script would of which nothing is known.
fn anything(at: Span) -> Does {
    Does::Include(Include { path: Text { pieces: vec![Piece::Opaque], at }, how: How::Script })
}

/// Whether a list is one of `!reference [job, script]`.
fn is_reference(text: &str, list: Node<'_>) -> bool {
    let before = text.get(..list.at().range().start).unwrap_or_default().trim_end_matches([' ', '\t']);
    list.is_list() && (before.ends_with(REFERENCE) || list.raw().starts_with(REFERENCE))
}

/// The lines of a script: a text, a list, a list with lists in it. What a `!reference` names stays a list.
fn lines<'a>(script: Node<'a>, is_reference: &impl Fn(Node<'a>) -> bool) -> Vec<Node<'a>> {
    if !script.is_list() || is_reference(script) {
        return vec![script];
    }
    let items = script.items().into_iter();
    items.flat_map(|item| if item.is_list() && !is_reference(item) { item.items() } else { vec![item] }).collect()
}

/// `tags:` with blanks between.
fn labels(tags: Node<'_>) -> Text {
    let mut pieces = Vec::new();
    for tag in tags.items().into_iter().filter_map(node_text) {
        let blank = if pieces.is_empty() { "" } else { " " };
        push_literal(&mut pieces, blank);
        for piece in tag.pieces {
            match piece {
                Piece::Literal(text) => push_literal(&mut pieces, &text),
                other => pieces.push(other),
            }
        }
    }
    Text { pieces, at: tags.at() }
}

/// The rows of `parallel: matrix:`, each with its variables.
fn rows(matrix: Node<'_>) -> Vec<Vec<(Node<'_>, Node<'_>)>> {
    let mut all = Vec::new();
    for set in matrix.items().into_iter().take(ROWS) {
        let mut rows = vec![Vec::new()];
        for (name, values) in set.entries() {
            let values = if values.is_list() { values.items() } else { vec![values] };
            rows = rows
                .iter()
                .flat_map(|row: &Vec<_>| {
                    values.iter().take(ROWS).map(move |value| row.iter().copied().chain([(name, *value)]).collect())
                })
                .take(ROWS)
                .collect();
        }
        all.extend(rows);
    }
    all.truncate(ROWS);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::shell::rendering;

    fn show(text: &str) -> Vec<String> {
        let line = |act: &Act| match &act.does {
            Does::Job(job) => {
                let of = |text: &Option<Text>| text.as_ref().map_or("-".to_owned(), rendering::text);
                let row = act
                    .when
                    .0
                    .iter()
                    .map(|c| if let Choice::Row { row, .. } = c { format!(" row {row}") } else { String::new() });
                format!("job {} in {} on {}{}", job.name, of(&job.container), of(&job.runs_on), row.collect::<String>())
            }
            _ => rendering::act(&Act { when: When::default(), ..act.clone() }, text),
        };
        read(FileId(0), text).acts.iter().map(line).collect()
    }

    #[test]
    fn jobs() {
        let text = "image: python:3.11\nvariables:\n  A: {value: '1'}\nbefore_script:\n  - cd x\n.base:\n  variables: {B: $A, C: c}\n  tags: [gpu, big]\n\
                    t:\n  extends: .base\n  image: {name: 'a/b:$A'}\n  variables: {C: d}\n  script:\n    - |\n      apt install x \\\n        y\n    - >\n      apt install\n      z\n    - [apt install w]\n  after_script: [apt install v]\n\
                    u:\n  script: apt install x\nw:\n  extends: [.base, .elsewhere]\n  script: apt install x\nv:\n  trigger: {include: z.yml}\n";
        assert_eq!(
            show(text),
            [
                "job t in a/b:<A> on gpu big",
                "env A=1",
                "env B=<A>",
                "env C=c",
                "env C=d",
                "(",
                "cd x",
                "apt x y",
                "apt z",
                "apt w",
                ")",
                "(",
                "apt v",
                ")",
                "job u in python:3.11 on -",
                "env A=1",
                "(",
                "cd x",
                "apt x",
                ")",
            ]
        );
    }

    #[test]
    fn what_a_job_inherits() {
        let text = "default: {image: a, before_script: [apt install d]}\nvariables: {A: 1, B: 2}\n\
                    t:\n  inherit: {default: [before_script], variables: [B]}\n  script: apt install t\n\
                    u:\n  inherit: {default: false, variables: false}\n  script: apt install u\n\
                    v:\n  variables: {C: 3}\n  rules:\n    - if: x\n      variables: {C: 4}\n  script: apt install v\n";
        assert_eq!(
            show(text),
            [
                "job t in - on -",
                "env B=2",
                "(",
                "apt d",
                "apt t",
                ")",
                "job u in - on -",
                "(",
                "apt u",
                ")",
                "job v in a on -",
                "env A=1",
                "env B=2",
                "env C=3",
                "env C=?",
                "(",
                "apt d",
                "apt v",
                ")",
            ]
        );
    }

    #[test]
    fn references() {
        let text = ".s:\n  before_script: [apt install a]\n  script:\n    - !reference [.s, before_script]\n    - apt install b\n\
                    t:\n  before_script: !reference [.s, before_script]\n  script:\n    - !reference [.s, script]\n    - !reference [.else, script]\n    - apt install c\n\
                    .l: {script: [!reference [.l, script]]}\nu:\n  script: [!reference [.l, script]]\n";
        let shown = show(text);
        let of_t = ["job t in - on -", "(", "apt a", "apt a", "apt b", "include ?", "apt c", ")"];
        assert_eq!(shown, [&of_t[..], &["job u in - on -", "(", "include ?", ")"]].concat());
    }

    #[test]
    fn rows_and_odd_files() {
        let text = "include: x.yml\nt:\n  parallel:\n    matrix:\n      - {V: ['1', '2'], W: a}\n      - V: '3'\n  script: apt install x=$V\n";
        let shown = show(text);
        let jobs: Vec<_> = shown.iter().filter(|line| line.starts_with("job")).collect();
        assert_eq!(jobs, ["job t in ? on - row 0", "job t in ? on - row 1", "job t in ? on - row 2"]);
        assert!(shown.contains(&"env V=2".to_owned()) && shown.contains(&"env W=a".to_owned()));
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            show(&text[..end]);
        }
        for text in [
            "",
            "- a",
            "a: {script: }",
            "a: {extends: a, script: x}",
            "a: {script: [[[x]]]}",
            "a: &a {script: *a}",
            "a: {script: \"x\\ty\"}",
        ] {
            show(text);
        }
        let wide = format!("[{}]", vec!["1"; 300].join(", "));
        show(&format!("a: {{script: apt install x, parallel: {{matrix: [{{A: {wide}, B: {wide}, C: {wide}, D: {wide}}}]}}}}"));
    }
}
