//! Cuts a Dockerfile into instructions as BuildKit does: the escape directive, continued lines, comments and blank lines
//! between them, heredocs.

use std::ops::Range;

use crate::read::excerpt::Excerpt;
use crate::read::shell::word::{self, Words};
use crate::source::FileId;

/// Heredocs without an end that are searched to the end of the file; more are not.
const UNENDED: usize = 32;
/// BuildKit refuses a file with a longer line, in bytes without the line end: Go's `bufio.MaxScanTokenSize` less one.
/// Source: moby/buildkit@0a7f6ccf5e307be6a7ec1866ba92b4f822466094:frontend/dockerfile/parser/parser.go.
const LONGEST: usize = 65_535;

/// The parts of a Dockerfile.
pub(super) struct Parts {
    pub(super) instructions: Vec<Instruction>,
    /// Whole comments, without their line ends.
    pub(super) comments: Vec<Range<usize>>,
    /// The escape character: `\`, or a backtick by directive.
    pub(super) words: Words,
}

/// One instruction.
pub(super) struct Instruction {
    /// All of it in the file, its heredocs too, without the last line end.
    pub(super) at: Range<usize>,
    /// The keyword in capitals.
    pub(super) keyword: String,
    /// What follows the keyword, its lines joined.
    pub(super) body: Excerpt,
    pub(super) heredocs: Vec<Heredoc>,
    /// A heredoc's end is missing: it was read as none.
    pub(super) unended: bool,
    /// A line of it is longer than any that is read: what it says is left out.
    pub(super) too_long: bool,
}

/// `<<EOF` with its lines.
pub(super) struct Heredoc {
    /// `<<EOF` in the instruction's body.
    pub(super) word: Range<usize>,
    /// Its lines in the file.
    pub(super) lines: Range<usize>,
    /// Its lines with the end marker's.
    pub(super) all: Range<usize>,
    /// `<<-`: tabs before its lines do not count.
    pub(super) tabs: bool,
}

/// Cuts the text.
pub(super) fn split(file: FileId, text: &str) -> Parts {
    let mut lines = Lines { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
    let mut parts = Parts { instructions: Vec::new(), comments: Vec::new(), words: Words::Dockerfile('\\') };
    let mut directives = true;
    let mut unended = 0;
    while let Some(line) = lines.next() {
        let source = &text[line.clone()];
        let start = line.start + (source.len() - source.trim_start().len());
        if source.trim_start().starts_with('#') {
            match directive(source.trim()).filter(|_| directives) {
                Some((name, value)) if name.eq_ignore_ascii_case("escape") && value == "`" => {
                    parts.words = Words::Dockerfile('`');
                }
                Some(_) => {}
                None => directives = false,
            }
            parts.comments.push(start..line.start + source.trim_end().len());
            continue;
        }
        directives = false;
        if source.trim().is_empty() {
            continue;
        }
        let mut all = Excerpt::new(file);
        let mut end = line.start + source.trim_end().len();
        let mut too_long = is_too_long(source);
        let mut open = push_line(&mut all, text, start..line.end, parts.words);
        while open && let Some(line) = lines.next() {
            let source = &text[line.clone()];
            let bare = source.trim();
            if bare.starts_with('#') {
                let start = line.start + (source.len() - source.trim_start().len());
                parts.comments.push(start..start + bare.len());
            } else if !bare.is_empty() {
                end = line.start + source.trim_end().len();
                too_long |= is_too_long(source);
                open = push_line(&mut all, text, line, parts.words);
            }
        }
        let joined = all.text();
        let keyword_end = joined.find(|c: char| c.is_ascii_whitespace()).unwrap_or(joined.len());
        let rest = joined[keyword_end..].trim();
        let body_start = joined.len() - joined[keyword_end..].trim_start().len();
        let mut instruction = Instruction {
            at: start..end,
            keyword: joined[..keyword_end].to_ascii_uppercase(),
            body: all.part(body_start..body_start + rest.len()),
            heredocs: Vec::new(),
            unended: false,
            too_long,
        };
        if matches!(instruction.keyword.as_str(), "RUN" | "COPY" | "ADD" | "ONBUILD") && rest.contains("<<") {
            heredocs(&mut instruction, &mut lines, parts.words, &mut unended);
        }
        parts.instructions.push(instruction);
    }
    parts
}

struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;
    /// The next line, its end included.
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        self.at = self.text[start..].find('\n').map_or(self.text.len(), |n| start + n + 1);
        (start < self.text.len()).then_some(start..self.at)
    }
}

/// `# name = value`.
fn directive(comment: &str) -> Option<(&str, &str)> {
    let (name, value) = comment.strip_prefix('#')?.split_once('=')?;
    let name = name.trim();
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(|b| b.is_ascii_alphanumeric());
    (good && !value.trim().is_empty()).then_some((name, value.trim()))
}

/// Appends a line; says whether the next one continues it.
fn push_line(all: &mut Excerpt, text: &str, line: Range<usize>, words: Words) -> bool {
    let bare = text[line.clone()].trim_end_matches(['\n', '\r']);
    let escape = if words == Words::Dockerfile('`') { '`' } else { '\\' };
    let before = bare.trim_end_matches([' ', '\t']).strip_suffix(escape).filter(|b| !b.ends_with(escape));
    if !is_too_long(bare) {
        all.push_templated(before.unwrap_or(bare), line.start);
    }
    before.is_some()
}

fn is_too_long(line: &str) -> bool {
    line.trim_end_matches('\n').len() > LONGEST
}

/// Takes the lines of an instruction's heredocs.
fn heredocs(instruction: &mut Instruction, lines: &mut Lines<'_>, words: Words, unended: &mut usize) {
    if is_json(instruction.body.text()) {
        return;
    }
    for word in word::split(&instruction.body, 0..instruction.body.text().len(), words) {
        let Some((name, tabs)) = marker(&instruction.body.text()[word.clone()]) else { continue };
        if *unended == UNENDED {
            instruction.unended = true;
            return;
        }
        let start = lines.at;
        let mut search = Lines { text: lines.text, at: start };
        let end = search.find(|line| {
            let line = lines.text[line.clone()].trim_end_matches(['\n', '\r']);
            name == if tabs { line.trim_start_matches('\t') } else { line }
        });
        let Some(end) = end else {
            *unended += 1;
            instruction.unended = true;
            return;
        };
        lines.at = end.end;
        instruction.at.end = end.start + lines.text[end.clone()].trim_end().len();
        instruction.heredocs.push(Heredoc { word, lines: start..end.start, all: start..end.end, tabs });
    }
}

/// The name of `<<EOF`, `<<-"EOF"`, `3<<EOF`, and whether tabs are cut.
fn marker(word: &str) -> Option<(String, bool)> {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix("<<")?;
    let (rest, tabs) = rest.strip_prefix('-').map_or((rest, false), |rest| (rest, true));
    let name: String = rest.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
    (!rest.contains('<') && !name.is_empty()).then_some((name, tabs))
}

/// `["a", "b"]`, as far as can be seen from outside.
pub(super) fn is_json(body: &str) -> bool {
    super::json::strings(body).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let parts = split(FileId(0), text);
        for i in &parts.instructions {
            assert!(text.get(i.at.clone()).is_some(), "{text:?}");
        }
        let one = |i: &Instruction| {
            let docs: String = i.heredocs.iter().map(|h| format!(" | {:?}", &text[h.lines.clone()])).collect();
            format!("{} {}{docs}", i.keyword, i.body.text())
        };
        parts.instructions.iter().map(one).collect()
    }

    #[test]
    fn instructions() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("\u{feff}from a", &["FROM a"]),
            ("FROM a\r\nRUN b \\\r\n  c\r\n", &["FROM a", "RUN b   c"]),
            ("RUN a \\\n# no\n\n  b \\  \nc\nENV X=1", &["RUN a   b c", "ENV X=1"]),
            ("RUN a \\\\\nENV X=1", &["RUN a \\\\", "ENV X=1"]),
            ("# escape=`\nRUN a `\nb\nCOPY a\\ b", &["RUN a b", "COPY a\\ b"]),
            ("# x\n# escape=`\nRUN a `\nENV b=1", &["RUN a `", "ENV b=1"]),
            ("\n# escape=`\nRUN a `\nENV b=1", &["RUN a `", "ENV b=1"]),
            ("RUN <<EOF\na\nEOF\nENV b=1", &["RUN <<EOF | \"a\\n\"", "ENV b=1"]),
            ("RUN <<-'E F' x\n\ta\n\tE F\nENV b=1", &["RUN <<-'E F' x | \"\\ta\\n\"", "ENV b=1"]),
            ("COPY <<A <<\"B\" /c/\n1\nA\n2\nB\nENV b=1", &["COPY <<A <<\"B\" /c/ | \"1\\n\" | \"2\\n\"", "ENV b=1"]),
            ("RUN cut <<< $X; echo $((1<<2)) 2<<\nENV b=1", &["RUN cut <<< $X; echo $((1<<2)) 2<<", "ENV b=1"]),
            ("RUN <<EOF\na\nENV b=1", &["RUN <<EOF", "A ", "ENV b=1"]),
            ("ENV a=<<EOF\nRUN [\"<<EOF\"]\nRUN x", &["ENV a=<<EOF", "RUN [\"<<EOF\"]", "RUN x"]),
            ("RUN a \\", &["RUN a"]),
            ("RUN a {{ b }} \0c", &["RUN a \u{e000} \0c"]),
        ];
        for (text, want) in cases {
            assert_eq!(show(text), *want, "{text:?}");
        }
    }

    #[test]
    fn hostile_texts_end() {
        for text in ["RUN <<A\n".repeat(50_000), "RUN a \\\n".repeat(100_000), "<<".repeat(200_000), "RUN <<A <<B ".repeat(1000)]
        {
            split(FileId(0), &text);
        }
        let many: String = (0..300).map(|i| format!("RUN <<E{i}\npip install x\nE{i}\n")).collect();
        assert_eq!(split(FileId(0), &many).instructions.iter().filter(|i| i.heredocs.len() == 1).count(), 300);
    }
}
