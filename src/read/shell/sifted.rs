//! What of files is handed on by commands that take parts of them: to another file, or to what installs them.

use tree_sitter::Node;

use super::scan;
use super::walk::{Step, Walk, named};
use crate::outline::{Does, Sifted, Text};
use crate::read::command;

/// A pipeline of more bytes is not looked through.
const LONGEST: usize = 4_096;

/// Programs that hand on a part of their input, with the options whose value is the next word.
/// Of the first ones the first operand is what to do, not a file.
const SIFTING: &[(&[&str], &[&str], bool)] = &[
    (&["grep", "egrep", "fgrep", "rg"], &["-e", "-f", "-m", "-A", "-B", "-C", "--regexp", "--file"], true),
    (&["sed", "gsed"], &["-e", "-f", "--expression", "--file"], true),
    (&["awk", "gawk", "mawk"], &["-F", "-v", "-f"], true),
    (&["perl"], &["-e", "-ne", "-pe"], true),
    (&["head", "tail"], &["-n", "-c"], false),
    (&["cut"], &["-d", "-f", "-c"], false),
    (&["tr"], &[], false),
];
/// Programs that hand on all of it.
const PASSING: &[&str] = &["cat", "sort", "uniq", "tac"];

/// What a stretch of commands reads.
#[derive(Default)]
struct Found {
    files: Vec<Text>,
    sifts: bool,
}

impl Walk<'_, '_> {
    /// Files that a pipeline hands on to an installing command, or to the file that its end is written to.
    pub(super) fn sifted_by_pipeline<'t>(&self, pipeline: Node<'t>, steps: &mut Vec<Step<'t>>) {
        let parts = named(pipeline);
        let Some((last, before)) = parts.split_last() else { return };
        let found = self.sifts(before);
        let body = if last.kind() == "redirected_statement" { last.child_by_field_name("body") } else { None }.unwrap_or(*last);
        if !found.sifts && !self.takes_words(body) {
            return;
        }
        if self.has_install(*last) {
            return steps.extend(self.handed(*last, found.files, None));
        }
        if !found.sifts {
            return;
        }
        let tee = command::unwrap(&self.words_in(body)).words;
        let to = match tee.as_slice() {
            [program, .., path] if program.known() == Some("tee") => Some(path.clone()),
            _ => self.written_to(*last),
        };
        let mut more = self.sifts(&[*last]);
        more.files.splice(0..0, found.files);
        steps.extend(to.and_then(|to| self.handed(*last, more.files, Some(to))));
    }

    /// Files whose lines or words are installed: `while read p; do pip install $p; done < r.txt`, `for p in $(cat r.txt)`,
    /// `xargs pip install < r.txt`.
    pub(super) fn sifted_by_loop<'t>(&self, body: Node<'t>, input: &[Node<'t>]) -> Option<Step<'t>> {
        let files = self.sifts(input).files;
        (!files.is_empty() && self.has_install(body)).then(|| self.handed(body, files, None)).flatten()
    }

    /// The same, of the files that a statement is given to read.
    pub(super) fn sifted_by_input<'t>(&self, statement: Node<'t>, body: Node<'t>) -> Option<Step<'t>> {
        let input = || named(statement).into_iter().filter(|n| n.kind() == "file_redirect").collect::<Vec<_>>();
        self.takes_words(body).then(|| self.sifted_by_loop(body, &input())).flatten()
    }

    /// Whether what a statement is given to read becomes words of its commands.
    fn takes_words(&self, node: Node<'_>) -> bool {
        let words = self.words_in(node);
        let program = words.first().and_then(Text::known).and_then(|program| program.rsplit('/').next());
        node.kind() == "while_statement" || program == Some("xargs")
    }

    fn has_install(&self, node: Node<'_>) -> bool {
        let small = Some(node).filter(|node| node.byte_range().len() <= LONGEST);
        small.into_iter().flat_map(scan::commands).any(|command| self.installs(&self.words_in(command)))
    }

    /// Files that a statement hands on to the file that it is written to.
    pub(super) fn sifted_into<'t>(&self, statement: Node<'t>, to: &Text) -> Option<Step<'t>> {
        let found = self.sifts(&[statement]);
        self.handed(statement, found.files, Some(to.clone())).filter(|_| found.sifts)
    }

    /// Files that the substitutions of an installing command hand on to it.
    pub(super) fn sifted_for<'t>(&self, command: Node<'t>, substitutions: &[Node<'t>]) -> Option<Step<'t>> {
        let found = self.sifts(substitutions);
        let installs = || self.installs(&self.words_in(command));
        (!found.files.is_empty() && installs()).then(|| self.handed(command, found.files, None)).flatten()
    }

    fn handed<'t>(&self, node: Node<'t>, from: Vec<Text>, to: Option<Text>) -> Option<Step<'t>> {
        (!from.is_empty()).then(|| Step::Sift(self.at(node), Sifted { from, to }))
    }

    fn words_in(&self, node: Node<'_>) -> Vec<Text> {
        if node.kind() != "command" {
            return Vec::new();
        }
        self.words(node, &[]).into_iter().map(|word| word.text).collect()
    }

    fn installs(&self, words: &[Text]) -> bool {
        let Some(first) = words.first() else { return false };
        command::read(words, first.at).iter().any(|does| matches!(does, Does::Install(_)))
    }

    /// What the commands in these nodes read, and whether they leave any of it out.
    fn sifts(&self, nodes: &[Node<'_>]) -> Found {
        let mut found = Found::default();
        let mut todo: Vec<Node<'_>> = nodes.iter().rev().copied().filter(|n| n.byte_range().len() <= LONGEST).collect();
        while let Some(node) = todo.pop() {
            match node.kind() {
                "command" => self.reads(&self.words_in(node), &mut found),
                "file_redirect" => {
                    let from = self.source(node).trim_start().starts_with('<').then(|| node.child_by_field_name("destination"));
                    match from.flatten() {
                        Some(output) if output.kind() == "process_substitution" => todo.push(output),
                        from => found.files.extend(from.map(|n| self.text(n.byte_range()))),
                    }
                }
                "pipeline" | "redirected_statement" | "command_substitution" | "process_substitution" | "subshell" => {
                    todo.extend(named(node).into_iter().rev());
                }
                _ => {}
            }
        }
        found
    }

    fn reads(&self, words: &[Text], found: &mut Found) {
        let words = command::unwrap(words).words;
        let Some((program, arguments)) = words.split_first() else { return };
        let program = program.known().and_then(|p| p.rsplit('/').next()).unwrap_or_default();
        let sifting = SIFTING.iter().find(|(names, ..)| names.contains(&program));
        let (valued, mut scripted) = match sifting {
            Some((_, valued, scripted)) => (*valued, *scripted),
            None if PASSING.contains(&program) => (&[][..], false),
            None => return,
        };
        found.sifts |= sifting.is_some();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            match word.known() {
                Some(option) if option.len() > 1 && option.starts_with('-') => {
                    if valued.contains(&option) {
                        rest.next();
                        scripted &= !matches!(option, "-e" | "-f" | "-ne" | "-pe" | "--regexp" | "--file" | "--expression");
                    }
                }
                Some("-") => {}
                _ if std::mem::take(&mut scripted) => {}
                _ => found.files.push(word.clone()),
            }
        }
    }

    /// The file that a statement's redirection writes to.
    fn written_to(&self, node: Node<'_>) -> Option<Text> {
        let redirect = named(node).into_iter().find(|n| n.kind() == "file_redirect")?;
        let target = redirect.child_by_field_name("destination")?;
        self.source(redirect).trim_start().starts_with('>').then(|| self.text(target.byte_range()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rendering;
    use crate::source::FileId;

    #[test]
    fn what_is_handed_on() {
        for (text, want) in [
            ("grep -v torch r.txt | pip install -r /dev/stdin", "sift r.txt -> -"),
            ("cat a.txt b.txt | grep -v torch | xargs -n 1 pip install", "sift a.txt b.txt -> -"),
            ("grep -v torch r.txt | while read p; do pip install $p; done", "sift r.txt -> -"),
            ("pip install -r <(grep -v torch r.txt)", "sift r.txt -> -"),
            ("pip install $(sed -e /torch/d r.txt)", "sift r.txt -> -"),
            ("xargs -a <(awk '!/torch/' r.txt) pip install", "sift r.txt -> -"),
            ("sed '/torch/d' r.txt > /tmp/r.txt", "sift r.txt -> /tmp/r.txt"),
            ("grep -v torch < r.txt > s.txt", "sift r.txt -> s.txt"),
            ("grep -v torch r.txt | sort > s.txt", "sift r.txt -> s.txt"),
            ("grep -v torch r.txt | tee s.txt", "sift r.txt -> s.txt"),
            ("while read p; do pip install \"$p\" || true; done < r.txt", "sift r.txt -> -"),
            ("while read p; do pip install $p; done < <(grep -v torch r.txt)", "sift r.txt -> -"),
            ("cat r.txt | while read p; do pip install $p; done", "sift r.txt -> -"),
            ("cat r.txt | xargs -n 1 pip install", "sift r.txt -> -"),
            ("cat r.txt | xargs -I{} pip install {}", "sift r.txt -> -"),
            ("for p in $(cat r.txt); do pip install $p; done", "sift r.txt -> -"),
            ("cat r.txt | xargs pip install -i u", "sift r.txt -> -"),
            ("xargs -n1 pip install -i u < r.txt", "sift r.txt -> -"),
            ("pip install -i u $(cat r.txt)", "sift r.txt -> -"),
            ("xargs echo < r.txt", ""),
            ("echo $(cat r.txt)", ""),
            ("while read p; do echo $p; done < r.txt", ""),
            ("for p in $(cat r.txt); do echo $p; done", ""),
            ("cat r.txt | pip install -r /dev/stdin", ""),
            ("cat r.txt > s.txt", ""),
            ("if grep -q torch r.txt; then echo; fi", ""),
            ("V=$(grep torch r.txt)", ""),
            ("grep torch r.txt | wc -l", ""),
        ] {
            let acts = super::super::read(FileId(0), text).acts;
            let all: Vec<_> = acts.iter().map(|act| rendering::act(act, text)).filter(|act| act.starts_with("sift")).collect();
            assert_eq!(all.join("; "), want, "{text}");
        }
    }
}
