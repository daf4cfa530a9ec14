//! Redirections: what is changed by them, and what the lines of a heredoc become.

use std::ops::Range;

use tree_sitter::Node;

use super::builtin;
use super::fed::input_of;
use super::scan::substitutions;
use super::walk::{Step, Walk, Word, all, named};
use super::word::Words;
use crate::outline::{Does, Kind, Piece, Scope, Text, Variable};
use crate::read::command;
use crate::read::excerpt::Excerpt;
use crate::read::written::{self, Expands};
use crate::source::Span;

/// The lines of a heredoc.
pub(super) struct Heredoc {
    lines: Range<usize>,
    /// Its end marker is quoted: its text is written as it stands.
    quoted: bool,
}

impl Heredoc {
    /// What becomes of them.
    pub(super) fn expands(&self) -> Expands {
        if self.quoted { Expands::Nothing } else { Expands::As(Words::Shell) }
    }
    /// Where they stand.
    pub(super) fn lines(&self) -> Range<usize> {
        self.lines.clone()
    }
}

/// Where a heredoc's lines go.
pub(super) struct Into {
    pub(super) at: Span,
    pub(super) path: Text,
    /// What it is read as; by its name where nothing is said.
    pub(super) kind: Option<Kind>,
}

/// What a redirection writes to.
struct Changed {
    at: Span,
    path: Text,
    /// Behind what was there.
    appends: bool,
}

/// A file by which a step of a GitHub job speaks to the later ones.
#[derive(Clone, Copy)]
pub(super) enum JobFile {
    /// `$GITHUB_ENV`.
    Variables,
    /// `$GITHUB_PATH`.
    Path,
}

fn job_file(path: &Text) -> Option<JobFile> {
    match path.pieces.as_slice() {
        [Piece::Variable { name, .. }] if name == "GITHUB_ENV" => Some(JobFile::Variables),
        [Piece::Variable { name, .. }] if name == "GITHUB_PATH" => Some(JobFile::Path),
        _ => None,
    }
}

impl Walk<'_, '_> {
    /// A statement with redirections: what it writes to is changed.
    pub(super) fn redirected<'t>(&self, node: Node<'t>, steps: &mut Vec<Step<'t>>) {
        let (mut more, mut edits, mut right) = (Vec::new(), Vec::new(), Vec::new());
        let (mut heredoc, mut to_shell, mut body) = (None, false, None);
        for part in named(node) {
            match part.kind() {
                "file_redirect" => self.file_redirect(part, &mut more, &mut edits),
                "heredoc_redirect" => {
                    heredoc = heredoc.or_else(|| self.heredoc_body(part));
                    for inner in named(part) {
                        match inner.kind() {
                            "file_redirect" => self.file_redirect(inner, &mut more, &mut edits),
                            "pipeline" => {
                                to_shell |= named(inner).last().is_some_and(|n| self.is_bare_shell(*n));
                                right.push(inner);
                            }
                            "heredoc_start" | "heredoc_body" | "heredoc_end" | "herestring_redirect" | "file_descriptor" => {}
                            _ if part.child_by_field_name("right") == Some(inner) => right.push(inner),
                            _ => more.push(inner.byte_range()),
                        }
                    }
                }
                "herestring_redirect" => right.extend(substitutions(part)),
                _ => body = body.or(Some(part)),
            }
        }
        match body {
            Some(body) if body.kind() == "command" => {
                // A `-` before `<<` is in no node.
                let between = self.excerpt.text().get(body.end_byte()..node.end_byte()).unwrap_or_default();
                let blanks = between.len() - between.trim_start().len();
                if between[blanks..].starts_with("- ") {
                    let at = body.end_byte() + blanks;
                    more.insert(0, at..at + 1);
                }
                to_shell |= self.is_bare_shell(body);
                // `pip install -r /dev/stdin <<EOF`
                if let Some(into) = heredoc.as_ref().and_then(|_| self.read_from_input(body, &more)) {
                    steps.extend(heredoc.take().map(|heredoc| Step::Write(into, heredoc)));
                }
                steps.extend(self.sifted_by_input(node, body));
                self.after_substitutions(body, Step::Command(body, more), steps);
            }
            Some(body) => {
                steps.extend(self.sifted_by_input(node, body));
                steps.push(Step::Visit(body));
            }
            None => {}
        }
        if let Some(file) = edits.iter().find_map(|to| job_file(&to.path)) {
            steps.extend(body.map(|body| Step::Exports(body, file)));
            edits.retain(|to| job_file(&to.path).is_none());
        }
        let lines = heredoc.as_ref().filter(|_| to_shell).map(|heredoc| heredoc.lines.clone());
        steps.extend(lines.map(Step::Script));
        let into = heredoc.and_then(|heredoc| Some((self.copied_to(body, &right, &edits)?, heredoc)));
        // What is written as a whole is not changed besides.
        let whole = edits.iter().position(|to| into.as_ref().is_some_and(|(into, _)| into.at == to.at));
        whole.map(|whole| edits.remove(whole));
        // It is there before it is read: `cat <<EOF | pip install -r /dev/stdin`; what `tee` writes, after that has said so.
        let before = whole.is_some() || into.as_ref().is_some_and(|(into, _)| into.kind.is_some());
        let mut written = into.map(|(into, heredoc)| Step::Write(into, heredoc));
        if before {
            steps.extend(written.take());
        }
        for to in edits {
            let sifted = self.sifted_into(node, &to.path);
            steps.push(Step::Edit(to.at, to.path));
            steps.extend(sifted);
        }
        steps.extend(right.into_iter().map(Step::Visit));
        steps.extend(written);
    }

    /// Where a command looks for its input, if it installs what it finds there.
    fn read_from_input(&self, command: Node<'_>, more: &[Range<usize>]) -> Option<Into> {
        let words: Vec<Text> = self.words(command, more).into_iter().map(|word| word.text).collect();
        input_of(command::read(&words, words.first()?.at))
    }

    /// The file that a heredoc is copied to as it is: by `cat > f`, `tee f`, `cat | tee f`; or the input of what installs it.
    fn copied_to(&self, body: Option<Node<'_>>, right: &[Node<'_>], edits: &[Changed]) -> Option<Into> {
        let into = |at, path: &Text| Into { at, path: path.clone(), kind: None };
        let words = |node: Node<'_>| -> Vec<Text> {
            let words: Vec<_> = self.words(node, &[]).into_iter().map(|w| w.text).collect();
            command::unwrap(&words).words
        };
        let tee = |node: Node<'_>| match words(node).as_slice() {
            [program, path] if program.known() == Some("tee") && !path.known().is_some_and(|p| p.starts_with('-')) => {
                Some(into(self.at(node), path))
            }
            _ => None,
        };
        let body = body.filter(|n| n.kind() == "command")?;
        let cat = match words(body).as_slice() {
            [program] => program.known() == Some("cat"),
            [program, from] => program.known() == Some("cat") && from.known() == Some("-"),
            _ => false,
        };
        match (right, edits) {
            (then, [to]) if cat && !to.appends && then.iter().all(|n| n.kind() != "pipeline") => Some(into(to.at, &to.path)),
            ([], _) => tee(body),
            ([pipeline], []) if cat => {
                let mut parts = named(*pipeline).into_iter();
                let last = parts.next().filter(|_| parts.next().is_none())?;
                let last = if last.kind() == "redirected_statement" { last.child_by_field_name("body")? } else { last };
                tee(last).or_else(|| Some(last).filter(|n| n.kind() == "command").and_then(|n| self.read_from_input(n, &[])))
            }
            _ => None,
        }
    }

    /// The lines between a heredoc's first and last.
    pub(super) fn heredoc_body(&self, redirect: Node<'_>) -> Option<Heredoc> {
        let parts = named(redirect);
        let start_of_line = |offset: usize| self.excerpt.text()[..offset].rfind('\n').map_or(0, |n| n + 1);
        let body = parts.iter().find(|n| n.kind() == "heredoc_body")?;
        let end = parts.iter().find(|n| n.kind() == "heredoc_end")?;
        let start = start_of_line(body.start_byte()).max(redirect.start_byte());
        let quoted = parts.iter().any(|n| n.kind() == "heredoc_start" && self.source(*n).contains(['"', '\'', '\\']));
        Some(Heredoc { lines: start..start_of_line(end.start_byte()).max(start), quoted })
    }

    fn file_redirect(&self, node: Node<'_>, more: &mut Vec<Range<usize>>, edits: &mut Vec<Changed>) {
        let mut cursor = node.walk();
        let mut targets = node.children_by_field_name("destination", &mut cursor);
        let target = targets.next();
        let errors = node.child_by_field_name("descriptor").is_some_and(|n| self.source(n) == "2");
        let writes = all(node).iter().any(|n| matches!(n.kind(), ">" | ">>" | "&>" | "&>>" | ">|"));
        if let Some(target) = target.filter(|_| writes && !errors) {
            let text = self.text(target.byte_range());
            if !text.known().is_some_and(|path| path.starts_with("/dev/")) {
                let appends = all(node).iter().any(|n| matches!(n.kind(), ">>" | "&>>"));
                edits.push(Changed { at: self.at(node), path: text, appends });
            }
        }
        more.extend(targets.map(|n| n.byte_range()));
    }

    fn is_bare_shell(&self, node: Node<'_>) -> bool {
        if node.kind() != "command" {
            return false;
        }
        let words: Vec<_> = self.words(node, &[]).into_iter().map(|w| w.text).collect();
        builtin::is_bare_shell(&command::unwrap(&words).words)
    }

    /// `echo "X=y" >> $GITHUB_ENV`, alone or in braces.
    pub(super) fn exports(&mut self, node: Node<'_>, file: JobFile) {
        let commands = if node.kind() == "compound_statement" { named(node) } else { vec![node] };
        for command in commands.into_iter().filter(|n| n.kind() == "command") {
            let words: Vec<Text> = self.words(command, &[]).into_iter().map(|w| w.text).collect();
            let ([echo, text] | [echo, _, text]) = words.as_slice() else { continue };
            if echo.known() != Some("echo") {
                continue;
            }
            let set = match file {
                JobFile::Variables => command::assignment(text),
                JobFile::Path => {
                    let mut value = text.clone();
                    super::word::push_literal(&mut value.pieces, ":");
                    value.pieces.push(Piece::Variable { name: "PATH".to_owned(), fallback: None, instead: None });
                    Some(("PATH".to_owned(), value))
                }
            };
            if let Some((name, value)) = set {
                let variable = Variable { name, value: Some(value), scope: Scope::Job };
                self.out.act(self.at(command), Does::Set(variable));
            }
        }
    }

    /// The string that a shell reads in place of a script: `bash <<< "…"`.
    pub(super) fn herestring(&self, command: Node<'_>, words: &[Word]) -> Option<Word> {
        let input = named(command).into_iter().find(|n| n.kind() == "herestring_redirect")?;
        let words: Vec<Text> = words.iter().map(|w| w.text.clone()).collect();
        let string = named(input).pop().filter(|_| builtin::is_bare_shell(&command::unwrap(&words).words))?;
        Some(Word { text: self.text(string.byte_range()), part: string.byte_range() })
    }

    /// Reads a quoted word as a script of its own shell.
    pub(super) fn string(&mut self, word: Word, at: Span) {
        // Within quotes that hold everything back it is not the shell which puts something in.
        let held_back = self.excerpt.text().get(word.part.clone()).is_some_and(|source| source.starts_with('\''));
        if held_back || !word.text.pieces.contains(&Piece::Opaque) {
            let script = super::unquoted(self.excerpt, word.part);
            self.inner_shell(&script, at);
        }
    }

    /// A heredoc's body; the tabs before its lines mean nothing to us.
    pub(super) fn without_tabs(&self, part: Range<usize>) -> Excerpt {
        let mut out = Excerpt::new(self.excerpt.file());
        let mut at = part.start;
        for line in self.excerpt.text().get(part).unwrap_or_default().split_inclusive('\n') {
            let tabs = line.len() - line.trim_start_matches('\t').len();
            out.push_part(self.excerpt, at + tabs..at + line.len());
            at += line.len();
        }
        out
    }

    pub(super) fn write(&mut self, into: Into, heredoc: Heredoc) {
        let body = self.without_tabs(heredoc.lines());
        let expands = heredoc.expands();
        let does = written::write(&body, into.path, into.kind, expands, |script| self.file(script));
        self.out.act(into.at, does);
    }
}
