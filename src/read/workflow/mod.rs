//! GitHub Actions: every job of a workflow is an environment, every `run:` a script in it; composite actions are steps.

mod condition;
mod matrix;
mod uses;

use std::ops::Range;

use self::matrix::{Row, Worth, expression, put_in, rows};
use super::container::{gpu_options, words};
use super::excerpt::{Excerpt, UNKNOWN};
use super::scalar;
use super::shell::{self, word::push_literal};
use super::syntax::yaml::{Node, Tree};
use crate::outline::{
    Act, Choice, Does, GpuRequest, Job, Launch, Launcher, Outline, Piece, Place, PutIn, Scope, Text, Torn, Use, Variable, When,
    input_name,
};
use crate::platform::Os;
use crate::source::{FileId, Span};

/// Rows times bytes of a job that are read; above, its matrix counts as unknown.
const BUDGET: usize = 1 << 22;

/// Jobs times variables that a workflow sets for all of them; above, nothing is read.
const SHARED: usize = 200_000;

/// Reads a workflow or a composite action; a file without `jobs:` or composite `runs:` says nothing.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let tree = Tree::read(file, text);
    let mut reader = Reader {
        file,
        text,
        acts: Vec::new(),
        put_in: Vec::new(),
        comments: Vec::new(),
        torn: Vec::new(),
        may_have_conda: false,
    };
    for root in tree.documents() {
        let jobs = root.get("jobs").map(Node::entries).unwrap_or_default();
        let shared = root.get("env").map(Node::entries).unwrap_or_default().len();
        let head = Run { root, job: root, row: Row::default(), choices: Vec::new() };
        reader.inputs(&["on", "workflow_call", "inputs"], &head);
        for (key, job) in &jobs {
            let (key, job) = (*key, *job);
            if job.is_map() && !never(job) && jobs.len() * shared <= SHARED {
                reader.rows_of(root, key, job);
            }
        }
        if let Some(runs) = root.get("runs").filter(|runs| runs.get("using").and_then(Node::text) == Some("composite")) {
            reader.composite(root, runs);
        }
    }
    let Reader { acts, mut put_in, comments, torn, .. } = reader;
    put_in.sort();
    let mut outline = tree.outline(acts, comments);
    outline.put_in = put_in;
    outline.torn.extend(torn);
    outline.torn.sort_by_key(|t| t.at);
    outline.torn.dedup();
    outline
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    acts: Vec<Act>,
    put_in: Vec<PutIn>,
    /// Of scripts.
    comments: Vec<Range<usize>>,
    /// Of scripts.
    torn: Vec<Torn>,
    /// A step of the job may have set conda up.
    may_have_conda: bool,
}

/// A job in one row of its matrix.
struct Run<'a> {
    root: Node<'a>,
    job: Node<'a>,
    row: Row,
    choices: Vec<Choice>,
}

impl Run<'_> {
    fn text(&self, node: Node<'_>) -> Option<Text> {
        if node.is_null() {
            return None;
        }
        let raw = node.text().or_else(|| node.is_template().then(|| node.raw()))?;
        Some(self.row.text(raw, node.body()))
    }
    fn act(&self, at: Span, does: Does) -> Act {
        Act { at, when: When(self.choices.clone()), does }
    }
    /// `env:` of a workflow, a job or a step.
    fn sets(&self, of: Node<'_>) -> Vec<Act> {
        let entries = of.get("env").map(Node::entries).unwrap_or_default().into_iter();
        let set = |(key, value): (Node<'_>, Node<'_>)| {
            let value_text = self.text(value).or_else(|| value.is_null().then(|| Text::literal("", value.at())));
            let variable = Variable { name: key.text()?.to_owned(), value: value_text, scope: Scope::Environment };
            Some(self.act(key.at().to(value.at()), Does::Set(variable)))
        };
        entries.filter_map(set).collect()
    }
    /// What `defaults.run` says, the job's before the workflow's.
    fn default(&self, key: &str) -> Option<Node<'_>> {
        [self.job, self.root].into_iter().find_map(|of| of.path(&["defaults", "run", key]))
    }
}

impl Reader<'_> {
    /// The job once, or once in each row of a matrix that it speaks of.
    fn rows_of(&mut self, root: Node<'_>, key: Node<'_>, job: Node<'_>) {
        let name = key.text().unwrap_or_default();
        let bytes = job.at().range();
        let length = bytes.len().max(1);
        let speaks = self.text.get(bytes).is_some_and(|t| t.contains("matrix."));
        let rows = if speaks { job.get("strategy").map(rows).unwrap_or_default() } else { Vec::new() };
        if rows.is_empty() || rows.len() * length > BUDGET {
            self.job(key, &Run { root, job, row: Row::default(), choices: Vec::new() });
            return;
        }
        self.put_in.extend(put_in(&rows, job.at(), self.text));
        for (number, row) in (0u32..).zip(rows) {
            let choices = vec![Choice::Row { job: name.to_owned(), row: number }];
            self.job(key, &Run { root, job, row, choices });
        }
    }

    fn job(&mut self, key: Node<'_>, run: &Run<'_>) {
        let job = run.job;
        self.may_have_conda = false;
        let image = |node: Node<'_>| run.text(node.get("image").unwrap_or(node));
        let container = job.get("container");
        let runs_on = job.get("runs-on").and_then(|n| runs_on(n, run));
        let does = Job {
            name: key.text().unwrap_or_default().to_owned(),
            container: container.and_then(image),
            runs_on: runs_on.clone(),
        };
        self.acts.push(run.act(key.at(), Does::Job(does)));
        let mut row = run.row.clone();
        row.set_system(runs_on.as_ref().and_then(Text::known).unwrap_or_default());
        let run = &Run { root: run.root, job, row, choices: run.choices.clone() };
        let services = job.get("services").map(Node::entries).unwrap_or_default();
        let containers = container.map(|node| (key, node)).into_iter().chain(services);
        let launches = containers.filter_map(|(key, node)| gpu_container(run, key, node, image(node)));
        self.acts.extend(launches.collect::<Vec<_>>());
        for of in [Some(run.root), Some(job), container].into_iter().flatten() {
            self.acts.extend(run.sets(of));
        }
        if let Some((path, node)) = job.get("uses").and_then(|n| Some((uses::local(n)?, n))) {
            let with = uses::with(job, run);
            self.acts.push(run.act(node.at(), Does::Use(Use { path, with })));
        }
        self.steps(job, run, runs_on.as_ref());
    }

    /// A composite action: its inputs have their defaults where the caller gives none.
    fn composite(&mut self, root: Node<'_>, runs: Node<'_>) {
        let run = Run { root, job: runs, row: Row::default(), choices: Vec::new() };
        self.inputs(&["inputs"], &run);
        self.steps(runs, &run, None);
    }

    /// Inputs have their defaults where the caller gives none.
    fn inputs(&mut self, at: &[&str], run: &Run<'_>) {
        for (key, input) in run.root.path(at).map(Node::entries).unwrap_or_default() {
            let default = input.get("default").and_then(|node| run.text(node));
            if let (Some(name), Some(default)) = (key.text().map(input_name), default) {
                let fallback = Some(uses::one_word(default.clone()).pieces);
                let pieces = vec![Piece::Variable { name: name.clone(), fallback, instead: None }];
                let value = Some(Text { pieces, at: default.at });
                self.acts.push(run.act(default.at, Does::Set(Variable { name, value, scope: Scope::Shell })));
            }
        }
    }

    fn steps(&mut self, of: Node<'_>, run: &Run<'_>, runs_on: Option<&Text>) {
        for step in of.get("steps").map(Node::items).unwrap_or_default() {
            let choices = match step.get("if").and_then(Node::text).map_or(Some(None), |test| branch(test, &run.row)) {
                Some(choice) => run.choices.iter().cloned().chain(choice).collect(),
                None => continue,
            };
            let run = Run { root: run.root, job: of, row: run.row.clone(), choices };
            self.step(step, &run, runs_on);
        }
    }

    fn step(&mut self, step: Node<'_>, run: &Run<'_>, runs_on: Option<&Text>) {
        if let Some(node) = step.get("uses") {
            let acts = uses::used(node, step, run, runs_on.is_some_and(is_windows));
            // What another file sets up is looked at where it is taken in.
            self.may_have_conda |= acts.iter().any(|act| {
                matches!(act.does, Does::Use(_) | Does::Enter(Place::CondaEnvironment(_) | Place::CondaEnvironmentOf(_)))
            });
            self.acts.extend(acts);
        }
        let Some(body) = step.get("run") else { return };
        let shell = step.get("shell").or_else(|| run.default("shell")).and_then(|n| run.text(n));
        let posix = match shell.as_ref().map(Text::known) {
            Some(Some(shell)) => ["bash", "sh", uses::MICROMAMBA].contains(&shell.split_whitespace().next().unwrap_or_default()),
            Some(None) => false,
            None => !runs_on.is_some_and(is_windows),
        };
        if !posix {
            return;
        }
        let torn = self.torn.len();
        let script = self.script(body, &run.row);
        // A machine of one's own whose system no label tells may have PowerShell, too.
        if shell.is_none() && runs_on.is_some_and(|it| is_own(it) && it.known().and_then(Os::of_labels).is_none()) {
            self.torn.truncate(torn);
        }
        if script.acts.is_empty() {
            return;
        }
        let at = body.body();
        self.acts.push(run.act(at, Does::Enter(Place::Subshell)));
        if self.may_have_conda && !uses::starts_in_conda(shell.as_ref().and_then(Text::known)) {
            self.acts.push(run.act(at, Does::Enter(Place::PlainShell)));
        }
        self.acts.extend(run.sets(step));
        if let Some(folder) = step.get("working-directory").or_else(|| run.default("working-directory"))
            && let Some(text) = run.text(folder)
        {
            self.acts.push(run.act(folder.at(), Does::Enter(Place::Directory(text))));
        }
        for mut act in script.acts {
            act.when.0.splice(0..0, run.choices.iter().cloned());
            self.acts.push(act);
        }
        self.acts.push(run.act(Span::new(self.file, at.range().end, at.range().end), Does::Enter(Place::Back)));
    }

    fn script(&mut self, body: Node<'_>, row: &Row) -> shell::Script {
        let cut = scalar::script(body);
        let mut script = shell::read_excerpt(&self.filled(&cut, row));
        self.comments.append(&mut script.comments);
        self.torn.append(&mut script.torn);
        script
    }

    /// Puts what is known of `${{ … }}` into a script.
    fn filled(&self, cut: &Excerpt, row: &Row) -> Excerpt {
        let mut out = Excerpt::new(self.file);
        let mut done = 0;
        for (at, mark) in cut.text().match_indices(UNKNOWN) {
            let place = cut.span(at..at + mark.len()).range();
            let written = self.text.get(place.clone()).unwrap_or_default();
            out.push_part(cut, done..at);
            match expression(written).map(|(_, inside, _)| row.worth(inside)) {
                Some(Worth::Value(value)) => out.push_for(value, place),
                Some(Worth::Variable(name)) => out.push_for(&format!("${{{name}}}"), place),
                _ => out.push_part(cut, at..at + mark.len()),
            }
            done = at + mark.len();
        }
        out.push_part(cut, done..cut.text().len());
        out
    }
}

/// `runs-on` as one text; several labels with blanks between.
fn runs_on(node: Node<'_>, run: &Run<'_>) -> Option<Text> {
    let node = node.get("labels").or_else(|| node.get("group")).unwrap_or(node);
    if !node.is_list() {
        return run.text(node);
    }
    let mut pieces = Vec::new();
    for label in node.items().into_iter().filter_map(|n| run.text(n)) {
        let blank = if pieces.is_empty() { "" } else { " " };
        push_literal(&mut pieces, blank);
        for piece in label.pieces {
            match piece {
                Piece::Literal(text) => push_literal(&mut pieces, &text),
                other => pieces.push(other),
            }
        }
    }
    Some(Text { pieces, at: node.at() })
}

/// A Windows machine's own shell is PowerShell.
fn is_windows(runs_on: &Text) -> bool {
    let named = |text: &str| text.contains("windows") || text.split_whitespace().any(|label| label.starts_with("win"));
    runs_on.pieces.iter().any(|p| matches!(p, Piece::Literal(text) if named(&text.to_lowercase())))
}

/// A machine that GitHub does not lend.
fn is_own(runs_on: &Text) -> bool {
    runs_on.pieces.iter().any(|p| matches!(p, Piece::Literal(text) if text.contains("self-hosted")))
}

/// A test without its `${{ }}`.
fn bare(test: &str) -> &str {
    let test = test.trim();
    test.strip_prefix("${{").and_then(|t| t.strip_suffix("}}")).unwrap_or(test).trim()
}

/// `if: false`.
fn never(node: Node<'_>) -> bool {
    node.get("if").and_then(|test| test.text().or_else(|| test.is_template().then(|| test.raw()))).map(bare) == Some("false")
}

/// The choice that a step's `if:` makes; `None` where the row shows that it does not run.
fn branch(test: &str, row: &Row) -> Option<Option<Choice>> {
    let test = bare(test);
    if let Some(holds) = condition::holds(test, row) {
        return holds.then_some(None);
    }
    if ["", "always()", "success()", "!cancelled()", "success() || failure()", "true"].contains(&test) {
        return Some(None);
    }
    let whole = !test.contains("&&") && !test.contains("||");
    // Scripts ask the same by another name.
    let test = &test.replace("runner.os", "$RUNNER_OS").replace("runner.arch", "$RUNNER_ARCH");
    let (test, arm) = match test.split_once("!=").filter(|_| whole) {
        Some((left, right)) => (format!("{} == {}", left.trim(), right.trim()), 1),
        None => (test.clone(), 0),
    };
    Some(Some(Choice::Branch { test: test.into(), arm }))
}

/// A container with `options: --gpus all`.
fn gpu_container(run: &Run<'_>, key: Node<'_>, node: Node<'_>, image: Option<Text>) -> Option<Act> {
    let options = gpu_options(&words(node.get("options")?));
    let (name, gpu) = (key.text().map(str::to_owned), GpuRequest::Asked(options.asked?));
    let (unchecked, malformed) = (options.by_device, options.malformed);
    let launch = Launch { name, image, gpu, unchecked, malformed, ..Launch::new(Launcher::DockerRun, key.at()) };
    Some(run.act(node.at(), Does::Launch(Box::new(launch))))
}

#[cfg(test)]
mod tests;
