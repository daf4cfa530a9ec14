//! GitLab CI (<https://docs.gitlab.com/ci/yaml/>): every job is an environment, its `before_script` and `script` one shell.

use std::collections::HashSet;

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

/// A file that a pipeline takes in, by its path from the pipeline's folder.
pub(crate) struct Included<'t> {
    pub(crate) path: &'t str,
    pub(crate) file: FileId,
    pub(crate) text: &'t str,
}

/// Reads a pipeline of which nothing else is known.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    joined(file, text, &[])
}

/// Reads a pipeline together with the files that it takes in, and that those take in
/// (<https://docs.gitlab.com/ci/yaml/includes/>): what it says itself has the last word.
pub(super) fn joined(file: FileId, text: &str, included: &[Included<'_>]) -> Outline {
    let own = Tree::read(file, text);
    let trees: Vec<(&str, Tree<'_>)> = included.iter().map(|one| (one.path, Tree::read(one.file, one.text))).collect();
    let mut pipeline = Pipeline { roots: own.documents().last().into_iter().collect(), unknown: None };
    let mut reader = Reader { acts: Vec::new(), comments: Vec::new() };
    for path in pipeline.roots.iter().filter_map(|root| root.get("include")).flat_map(locals).filter_map(Result::ok) {
        let does = Does::Include(Include { path: path.clone(), how: How::Pipeline });
        reader.acts.push(Act { at: path.at, when: When::default(), does });
    }
    let mut ahead: Vec<Node<'_>> = pipeline.roots.clone();
    let mut taken: HashSet<&str> = HashSet::new();
    while let Some(root) = ahead.pop() {
        // Of several the last one wins.
        for local in root.get("include").into_iter().flat_map(locals).rev() {
            let found = local.as_ref().ok().and_then(|path| trees.iter().find(|(of, _)| Some(*of) == local_path(path)));
            match (found, local) {
                (Some((path, tree)), _) => {
                    if taken.insert(path) {
                        pipeline.roots.extend(tree.documents().last());
                        ahead.extend(tree.documents().last());
                    }
                }
                (None, Ok(Text { at, .. }) | Err(at)) => pipeline.unknown = pipeline.unknown.or(Some(at)),
            }
        }
    }
    let mut seen: HashSet<&str> = HashSet::new();
    for (key, job) in pipeline.roots.iter().flat_map(|root| root.entries()) {
        let Some(name) = key.text().filter(|name| !name.starts_with('.') && !KEYWORDS.contains(name)) else { continue };
        if job.is_map()
            && seen.insert(name)
            && let Some(layers) = pipeline.layers(name)
        {
            reader.job(&pipeline, key, name, &layers);
        }
    }
    // Those of the other files are told with them.
    let comments = reader.comments.into_iter().filter(|at| at.file == file).map(|at| at.range());
    own.outline(reader.acts, comments.collect())
}

/// The files of the repository that an `include` names; of others the place.
fn locals(include: Node<'_>) -> Vec<Result<Text, Span>> {
    let items = if include.is_list() { include.items() } else { vec![include] };
    let local = |item: Node<'_>| {
        // Which rules hold, and what inputs make of it, is known only when it runs.
        let plain = ["rules", "inputs"].iter().all(|key| item.get(key).is_none());
        let path = if item.is_map() { item.get("local").filter(|_| plain) } else { Some(item) };
        path.and_then(node_text).filter(|path| local_path(path).is_some()).ok_or(item.at())
    };
    items.into_iter().map(local).collect()
}

/// The path of a file of the repository, from its top.
pub(crate) fn local_path(path: &Text) -> Option<&str> {
    let path = path.known()?;
    (!path.contains("://") && !path.contains(['*', '?', '['])).then(|| path.trim_start_matches('/'))
}

/// All files of a pipeline.
struct Pipeline<'a> {
    /// Those that have the last word first; of a file the last document, which a header may stand before.
    roots: Vec<Node<'a>>,
    /// Where something is taken in of which nothing is known.
    unknown: Option<Span>,
}

impl<'a> Pipeline<'a> {
    fn all(&self, key: &str) -> impl Iterator<Item = Node<'a>> + Clone {
        self.roots.iter().filter_map(|root| root.get(key)).collect::<Vec<_>>().into_iter()
    }

    fn path(&self, keys: &[&str]) -> Option<Node<'a>> {
        let (first, rest) = keys.split_first()?;
        self.all(first).find_map(|node| node.path(rest))
    }

    /// A job with what it extends, itself first; `None` where that is not here.
    fn layers(&self, name: &'a str) -> Option<Vec<Node<'a>>> {
        let mut found = Vec::new();
        let mut todo = vec![name];
        while let Some(name) = todo.pop() {
            let own: Vec<Node<'a>> = self.all(name).collect();
            let whole = !own.is_empty() && own.iter().all(|layer| layer.is_map() && !layer.is_open());
            if !whole || found.len() >= LAYERS {
                return None;
            }
            let extends = own.iter().find_map(|layer| layer.get("extends"));
            found.extend(own);
            let Some(extends) = extends else { continue };
            // Of several the last one wins: it is looked at first.
            for name in if extends.is_list() { extends.items() } else { vec![extends] } {
                todo.push(name.text()?);
            }
        }
        Some(found)
    }
}

struct Reader {
    acts: Vec<Act>,
    comments: Vec<Span>,
}

impl Reader {
    fn job(&mut self, pipeline: &Pipeline<'_>, key: Node<'_>, name: &str, layers: &[Node<'_>]) {
        let default = pipeline.all("default").chain(pipeline.roots.iter().copied());
        let inherits = |kind: &str, name: &str| match layers.iter().find_map(|layer| layer.path(&["inherit", kind])) {
            Some(list) if list.is_list() => list.items().iter().any(|item| item.text() == Some(name)),
            all => all.and_then(Node::text) != Some("false"),
        };
        let of = |wanted: &str| {
            let default = default.clone().filter(|_| inherits("default", wanted));
            layers.iter().copied().chain(default).find_map(|layer| layer.get(wanted))
        };
        let rules = layers.iter().find_map(|layer| layer.get("rules")).into_iter();
        let rules = rules.chain(pipeline.path(&["workflow", "rules"]));
        let ruled: Vec<_> =
            rules.flat_map(Node::items).filter_map(|rule| rule.get("variables")).flat_map(Node::entries).collect();
        let Some(script) = layers.iter().find_map(|layer| layer.get("script")) else { return };
        let matrix = layers.iter().find_map(|layer| layer.path(&["parallel", "matrix"]));
        let length = layers.iter().map(|layer| layer.at().range().len()).sum::<usize>().max(1);
        let rows = matrix.map(rows).unwrap_or_default();
        let rows = if rows.len() * length > BUDGET { Vec::new() } else { rows };
        let image = of("image").map(|node| node.get("name").unwrap_or(node));
        let included = pipeline.unknown.map(|at| Text { pieces: vec![Piece::Opaque], at });
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
            let nodes = pipeline.roots.iter().rev().chain(layers.iter().rev()).copied();
            // What is included may set variables for all jobs.
            self.acts.extend(pipeline.unknown.map(|at| act(at, anything(at))));
            let variables: Vec<_> = nodes.filter_map(|of| of.get("variables")).collect();
            let (named, own): (Vec<_>, Vec<_>) = variables.into_iter().partition(|node| is_reference(*node));
            self.acts.extend(named.into_iter().map(|node| act(node.at(), anything(node.at()))));
            let of_all: Vec<Span> = pipeline.all("variables").map(Node::at).collect();
            let given = own.into_iter().flat_map(|node| {
                let inherited = of_all.contains(&node.at());
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
            self.shell(pipeline, &before.collect::<Vec<_>>(), &when);
            self.shell(pipeline, &of("after_script").into_iter().collect::<Vec<_>>(), &when);
        }
    }

    /// Scripts that one shell runs.
    fn shell(&mut self, pipeline: &Pipeline<'_>, scripts: &[Node<'_>], when: &[Choice]) {
        let (Some(first), Some(last)) = (scripts.first(), scripts.last()) else { return };
        let opened = self.acts.len();
        let enter = |at, place| Act { at, when: When(when.to_vec()), does: Does::Enter(place) };
        self.acts.push(enter(first.at(), Place::Subshell));
        let mut left = LINES;
        for line in scripts.iter().flat_map(|script| lines(*script)) {
            self.line_of(pipeline, line, when, 0, &mut left);
        }
        if self.acts.len() == opened + 1 {
            self.acts.pop();
        } else {
            self.acts.push(enter(last.at(), Place::Back));
        }
    }

    /// A line, or the lines that a `!reference` stands for; one to what is not here may set anything.
    fn line_of(&mut self, pipeline: &Pipeline<'_>, line: Node<'_>, when: &[Choice], depth: usize, left: &mut usize) {
        if !is_reference(line) {
            return self.line(line, when);
        }
        let keys: Option<Vec<&str>> = line.items().into_iter().map(Node::text).collect();
        let found = keys.filter(|keys| !keys.is_empty() && depth < REFERENCES).and_then(|keys| pipeline.path(&keys));
        let lines = found.map(lines).filter(|lines| lines.len() <= *left);
        match lines {
            Some(lines) => {
                *left -= lines.len();
                lines.into_iter().for_each(|line| self.line_of(pipeline, line, when, depth + 1, left));
            }
            None => {
                self.acts.push(Act { at: line.at(), when: When(when.to_vec()), does: anything(line.at()) });
            }
        }
    }

    fn line(&mut self, line: Node<'_>, when: &[Choice]) {
        let read = shell::read_excerpt(&scalar::script(line));
        let file = line.body().file;
        self.comments.extend(read.comments.into_iter().map(|at| Span::new(file, at.start, at.end)));
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
fn is_reference(list: Node<'_>) -> bool {
    let before = list.source().get(..list.at().range().start).unwrap_or_default().trim_end_matches([' ', '\t']);
    list.is_list() && (before.ends_with(REFERENCE) || list.raw().starts_with(REFERENCE))
}

/// The lines of a script: a text, a list, a list with lists in it. What a `!reference` names stays a list.
fn lines(script: Node<'_>) -> Vec<Node<'_>> {
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
