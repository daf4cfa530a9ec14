//! Makefiles (<https://www.gnu.org/software/make/manual/make.html>): a variable is put into a recipe as text, and each
//! line of a recipe is a shell of its own.

mod conditional;
mod variables;

use std::collections::HashMap;
use std::ops::Range;

use self::variables::Variables;
use super::command::compose;
use super::excerpt::Excerpt;
use super::shell;
use super::syntax::comments;
use crate::outline::{Act, Choice, Does, Goal, How, Include, Outline, Place, Scope, Text, Together, Variable, When};
use crate::source::{FileId, Span};

/// Recipe lines of a file that are read.
const LINES: usize = 4_000;
/// Of a target that needs more, not all are named by one variable.
const NEEDS: usize = 64;
/// Conditionals in conditionals.
const DEEPEST: usize = 32;

/// Reads a makefile.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let mut reader = Reader {
        file,
        text,
        variables: Variables::default(),
        rules: Vec::new(),
        in_rule: false,
        one_shell: false,
        foreign: false,
        composes: text.contains("compose"),
        defining: None,
        when: Vec::new(),
        includes: Vec::new(),
        exports: Vec::new(),
        comments: Vec::new(),
        lines: 0,
    };
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while at < text.len() {
        let recipe = text[at..].starts_with('\t') && reader.in_rule;
        let line = at..logical_end(text, at);
        at = line.end;
        if reader.defining.is_some() {
            reader.defined(line);
        } else if recipe {
            reader.recipe(line.start + 1..line.end)
        } else {
            reader.line(line)
        }
    }
    reader.finish()
}

/// Behind the lines that a backslash at each end joins.
fn logical_end(text: &str, start: usize) -> usize {
    let mut at = start;
    loop {
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
        let bare = text[at..end].trim_end_matches(['\n', '\r']);
        let backslashes = bare.len() - bare.trim_end_matches('\\').len();
        if backslashes.is_multiple_of(2) || end == text.len() {
            return end;
        }
        at = end;
    }
}

/// A variable of several lines (`define … endef`).
struct Defining {
    name: String,
    /// Its first line.
    at: Range<usize>,
    /// `None` where it is known only when run.
    value: Option<String>,
}

/// A rule with its recipe.
struct Rule {
    at: Range<usize>,
    targets: String,
    needs: Range<usize>,
    when: Vec<Choice>,
    recipe: Vec<(Range<usize>, Vec<Choice>)>,
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    variables: Variables,
    rules: Vec<Rule>,
    in_rule: bool,
    one_shell: bool,
    foreign: bool,
    /// It speaks of Compose.
    composes: bool,
    defining: Option<Defining>,
    /// The open conditionals; `None` for those that lie too deep.
    when: Vec<Option<Choice>>,
    includes: Vec<Act>,
    exports: Vec<String>,
    comments: Vec<Range<usize>>,
    lines: usize,
}

impl<'t> Reader<'t> {
    fn choices(&self) -> Vec<Choice> {
        self.when.iter().flatten().cloned().collect()
    }

    fn recipe(&mut self, line: Range<usize>) {
        self.lines += 1;
        let when = self.choices();
        if let Some(rule) = self.rules.last_mut().filter(|_| self.lines <= LINES) {
            rule.recipe.push((line, when));
        }
    }

    /// A line of make's own.
    fn line(&mut self, line: Range<usize>) {
        let mut written = &self.text[line.clone()];
        if let Some(comment) = comment(written) {
            let end = written[comment..].find('\n').map_or(written.len(), |n| comment + n);
            let end = comment + written[comment..end].trim_end().len();
            self.comments.push(line.start + comment..line.start + end);
            written = &written[..comment];
        }
        let said = written.trim();
        let word = said.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        match word {
            "" => {}
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                let open = self.when.len() < DEEPEST;
                self.when.push(open.then(|| Choice::Branch { test: self.tests(said, line.end).into(), arm: 0 }));
            }
            "else" => {
                if let Some(Some(Choice::Branch { arm, .. })) = self.when.last_mut() {
                    *arm += 1;
                }
            }
            "endif" => drop(self.when.pop()),
            "define" => {
                let said = said["define".len()..].trim();
                let name = said.split([' ', '=', ':', '?', '+', '!']).next().unwrap_or_default().to_owned();
                // Added to what it was, or worked out by a shell.
                let known = matches!(said[name.len()..].trim(), "" | "=" | ":=" | "::=");
                let value = known.then(String::new);
                self.defining = Some(Defining { name, at: line.start..line.start + written.trim_end().len(), value });
            }
            "include" | "-include" | "sinclude" => {
                self.variables.more_elsewhere();
                let start = line.start + written.find(word).unwrap_or(0) + word.len();
                for part in words(self.text, start..line.start + written.len()) {
                    let path = self.expanded(part.clone());
                    let path = shell::word::text(&path, 0..path.text().len(), shell::word::Words::Shell);
                    let include = Does::Include(Include { path, how: How::Makefile });
                    self.includes.push(self.act(part, self.choices(), include));
                }
            }
            _ => self.statement(line.start..line.start + written.len()),
        }
    }

    /// A line between `define` and `endef`: commands, without what make takes off them.
    fn defined(&mut self, line: Range<usize>) {
        let said = self.text[line].trim();
        let word = without_comment(said).split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        let Some(defining) = &mut self.defining else { return };
        match word {
            "endef" => {
                let when = self.choices();
                if let Some(Defining { name, at, value }) = self.defining.take() {
                    match value {
                        Some(value) => self.variables.define(&name, "=", value.trim_end().to_owned(), at, when),
                        None => self.variables.forget(&name),
                    }
                }
            }
            // Its own conditionals, and others inside.
            "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif" | "define" => defining.value = None,
            _ => {
                if let Some(value) = &mut defining.value {
                    value.push_str(&joined(said.trim_start_matches(['@', '-', '+', ' ', '\t'])));
                    value.push('\n');
                }
            }
        }
    }

    /// What a conditional tests, and each `else ifeq` that goes with it; `from` is behind its line.
    fn tests(&self, said: &str, from: usize) -> String {
        let mut tests = conditional::test(said, &self.variables);
        let mut depth = 0usize;
        for line in self.text[from..].lines() {
            let said = without_comment(line).trim();
            let (word, rest) = said.split_at(said.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(said.len()));
            match word {
                "ifeq" | "ifneq" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth == 0 => break,
                "endif" => depth -= 1,
                "else" if depth == 0 && !rest.trim().is_empty() => {
                    tests.push_str(" elif ");
                    tests.push_str(&conditional::test(rest.trim(), &self.variables));
                }
                _ => {}
            }
            // Cut off: what is longer is not told in any case.
            if tests.len() > 256 {
                tests.truncate(tests.floor_char_boundary(256));
                break;
            }
        }
        tests
    }

    /// An assignment or a rule.
    fn statement(&mut self, line: Range<usize>) {
        let mut start = line.start;
        let mut exports = false;
        loop {
            let rest = &self.text[start..line.end];
            start += rest.len() - rest.trim_start().len();
            let rest = rest.trim_start();
            let Some(word) = ["override ", "export ", "unexport ", "private "].into_iter().find(|word| rest.starts_with(word))
            else {
                break;
            };
            exports |= word == "export ";
            start += word.len();
        }
        let said = &self.text[start..line.end];
        match sign(said) {
            Some(Sign::Assigns { at, length }) => {
                self.in_rule = false;
                let name = said[..at].trim();
                let value = trimmed(self.text, start + at + length..line.end);
                if self.composes {
                    let text = Text::literal(joined(&self.text[value.clone()]), Span::new(self.file, value.start, value.end));
                    for file in compose::gathered(&[text]) {
                        self.includes.push(self.act(value.clone(), self.choices(), Does::Together(Together::of(vec![file]))));
                    }
                }
                self.variables.define(name, &said[at..at + length], joined(&self.text[value.clone()]), value, self.choices());
                if exports {
                    self.exports.push(name.to_owned());
                }
            }
            Some(Sign::Rules(at)) => self.rule(line.start..line.end, start..start + at, start + at + 1),
            None if exports => self.exports.extend(said.split_whitespace().map(str::to_owned)),
            None => {}
        }
    }

    fn rule(&mut self, line: Range<usize>, targets: Range<usize>, mut rest: usize) {
        while self.text[rest..line.end].starts_with(':') {
            rest += 1;
        }
        let behind = &self.text[rest..line.end];
        self.in_rule = true;
        let end = behind.find(';').map_or(line.end, |n| rest + n);
        // What stands behind the `;` is a shell's.
        let behind = &self.text[rest..end];
        if let Some(Sign::Assigns { at, .. }) = sign(behind) {
            // For the recipes of these targets only.
            return self.variables.forget(behind[..at].trim().rsplit(' ').next().unwrap_or_default());
        }
        let names = joined(&self.text[targets]);
        match names.trim() {
            ".ONESHELL" => self.one_shell = true,
            name if name.starts_with('.')
                && !name.contains(' ')
                && name.bytes().all(|b| b == b'.' || b.is_ascii_uppercase() || b == b'_') =>
            {
                self.in_rule = false;
            }
            _ => {
                let at = line.start..line.start + self.text[line.clone()].trim_end().len();
                let when = self.choices();
                self.rules.push(Rule { at, targets: names, needs: rest..end, when, recipe: Vec::new() });
                if end < line.end {
                    self.recipe(end + 1..line.end);
                }
            }
        }
    }

    fn act(&self, at: Range<usize>, when: Vec<Choice>, does: Does) -> Act {
        Act { at: Span::new(self.file, at.start, at.end), when: When(when), does }
    }

    /// A part of the file with make's variables put in.
    fn expanded(&self, part: Range<usize>) -> Excerpt {
        let mut out = Excerpt::new(self.file);
        self.variables.expand(self.text, part, &mut out);
        out
    }

    fn finish(mut self) -> Outline {
        self.foreign = self.variables.value("SHELL").is_some_and(|shell| !shell.trim().ends_with("sh"));
        let mut acts: Vec<Act> = std::mem::take(&mut self.includes);
        for (name, value, at, when) in self.variables.varying() {
            let value = Text { pieces: value, at: Span::new(self.file, at.start, at.end) };
            let variable = Variable { name: name.to_owned(), value: Some(value), scope: Scope::Shell };
            acts.push(self.act(at, when, Does::Set(variable)));
        }
        for name in &self.exports {
            let Some(at) = self.variables.place(name) else { continue };
            let text = self.variables.value(name).map_or_else(
                || Text { pieces: vec![crate::outline::Piece::Opaque], at: Span::new(self.file, at.start, at.end) },
                |value| Text::literal(value.trim(), Span::new(self.file, at.start, at.end)),
            );
            let variable = Variable { name: name.clone(), value: Some(text), scope: Scope::Environment };
            acts.push(self.act(at, Vec::new(), Does::Set(variable)));
        }
        let rules = std::mem::take(&mut self.rules);
        let mut written: HashMap<String, usize> = HashMap::new();
        rules.iter().for_each(|rule| *written.entry(rule.targets.trim().to_owned()).or_default() += 1);
        for rule in rules {
            let alone = written.get(rule.targets.trim()) == Some(&1);
            self.goal(&rule, alone, &mut acts);
        }
        self.comments.sort_by_key(|c| c.start);
        let ignores = comments::ignores(self.file, self.text, self.comments.into_iter(), |line| line);
        let put_in = self.variables.put_in(self.file, self.text);
        Outline { acts, ignores, put_in, ..Outline::default() }
    }

    /// `alone`: no other rule adds to what its target needs.
    fn goal(&mut self, rule: &Rule, alone: bool, acts: &mut Vec<Act>) {
        let Some(names) = self.variables.filled(&rule.targets) else { return };
        let names: Vec<String> = names.split_whitespace().filter(|n| !n.contains('%')).map(str::to_owned).collect();
        if names.is_empty() {
            return;
        }
        let needs = words(self.text, rule.needs.clone()).into_iter().filter(|part| &self.text[part.clone()] != "|");
        let needs = needs.filter_map(|part| {
            let at = Span::new(self.file, part.start, part.end);
            Some(self.variables.filled(&self.text[part])?.split_whitespace().map(|w| Text::literal(w, at)).collect::<Vec<_>>())
        });
        let needs: Vec<Text> = needs.flatten().collect();
        self.automatic(rule, alone, &names, &needs);
        acts.push(self.act(rule.at.clone(), rule.when.clone(), Does::Goal(Goal { names, needs })));
        if self.foreign {
            return;
        }
        let mut shells: Vec<(Excerpt, Vec<Choice>)> = Vec::new();
        for (line, when) in &rule.recipe {
            let script = self.command(line.clone());
            match shells.last_mut().filter(|_| self.one_shell) {
                Some((all, before)) if before == when => {
                    all.push_for("\n", line.start..line.start);
                    all.push_part(&script, 0..script.text().len());
                }
                _ => shells.push((script, when.clone())),
            }
        }
        for (script, when) in shells {
            if script.text().trim().is_empty() {
                continue;
            }
            let read = shell::read_excerpt(&script);
            self.comments.extend(read.comments);
            if read.acts.is_empty() {
                continue;
            }
            let at = script.span(0..script.text().len());
            let enter = |place| Act { at, when: When(when.clone()), does: Does::Enter(place) };
            acts.push(enter(Place::Subshell));
            acts.extend(read.acts.into_iter().map(|mut act| {
                act.when.0.splice(0..0, when.iter().cloned());
                act
            }));
            acts.push(enter(Place::Back));
        }
    }

    /// The variables that make sets for the recipe of one target.
    fn automatic(&mut self, rule: &Rule, alone: bool, names: &[String], needs: &[Text]) {
        // What comes behind `|` is not among them.
        let written = self.text[rule.needs.clone()].split('|').next().unwrap_or_default();
        let end = rule.needs.start + written.len();
        // A pattern's are others for each target.
        let plain = !rule.targets.contains('%') && !written.contains(['%', ':', '*', '?']);
        // One that is not known is not among the needs.
        let whole = plain && self.variables.filled(written).is_some();
        let target = names.first().filter(|_| names.len() == 1 && !rule.targets.contains('%')).cloned();
        let mut all: Vec<&str> = Vec::new();
        for need in needs.iter().filter(|need| need.at.range().end <= end).filter_map(Text::known) {
            if all.len() < NEEDS && !all.contains(&need) {
                all.push(need);
            }
        }
        let first = all.first().filter(|_| whole).map(|need| (*need).to_owned());
        let every = Some(all.join(" ")).filter(|_| whole && alone && all.len() < NEEDS);
        self.variables.in_recipe([("@", target), ("<", first), ("^", every)]);
    }

    /// A recipe line as its shell gets it: without `@`, `-`, `+` before it, its lines joined, make's variables put in.
    fn command(&self, line: Range<usize>) -> Excerpt {
        let written = &self.text[line.clone()];
        let start = line.start + written.len() - written.trim_start_matches(['@', '-', '+', ' ', '\t']).len();
        let mut out = Excerpt::new(self.file);
        let mut at = start;
        while at < line.end {
            let end = self.text[at..line.end].find('\n').map_or(line.end, |n| at + n + 1);
            let bare = self.text[at..end].trim_end_matches(['\n', '\r']);
            let bare = if end < line.end { bare.strip_suffix('\\').unwrap_or(bare) } else { bare };
            self.variables.expand(self.text, at..at + bare.len(), &mut out);
            at = end + usize::from(self.text[end..line.end].starts_with('\t'));
        }
        out
    }
}

/// What a line of make's own does.
enum Sign {
    /// `=` and its like: where it stands, and how long it is.
    Assigns { at: usize, length: usize },
    /// The `:` behind the targets.
    Rules(usize),
}

fn sign(said: &str) -> Option<Sign> {
    let bytes = said.as_bytes();
    let mut depth = 0usize;
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 => return Some(Sign::Assigns { at: i, length: 1 }),
            b'?' | b'+' | b'!' if depth == 0 && bytes.get(i + 1) == Some(&b'=') => {
                return Some(Sign::Assigns { at: i, length: 2 });
            }
            b':' if depth == 0 => {
                let colons = bytes[i..].iter().take_while(|b| **b == b':').count();
                return Some(match bytes.get(i + colons) {
                    Some(b'=') => Sign::Assigns { at: i, length: colons + 1 },
                    _ => Sign::Rules(i),
                });
            }
            _ => {}
        }
        i += 1;
    }
    None
}

/// A part without the blanks around it.
fn trimmed(text: &str, part: Range<usize>) -> Range<usize> {
    let whole = &text[part.clone()];
    let start = part.start + whole.len() - whole.trim_start().len();
    start..start + whole.trim().len()
}

/// Where a comment begins.
fn comment(written: &str) -> Option<usize> {
    written.match_indices('#').map(|(at, _)| at).find(|at| !written[..*at].ends_with('\\'))
}

fn without_comment(line: &str) -> &str {
    comment(line).map_or(line, |at| &line[..at])
}

/// A value whose lines are joined by blanks.
fn joined(written: &str) -> String {
    if !written.contains('\n') {
        return written.trim().to_owned();
    }
    written.lines().map(|line| line.trim().trim_end_matches('\\').trim_end()).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// The words of a part, cut at blanks outside `$(…)`.
fn words(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut start, mut depth) = (Vec::new(), None, 0usize);
    for (i, b) in text.as_bytes()[part.clone()].iter().enumerate() {
        let at = part.start + i;
        match b {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (b.is_ascii_whitespace() || *b == b'\\') {
            found.extend(start.take().map(|s| s..at));
        } else {
            start.get_or_insert(at);
        }
    }
    found.extend(start.map(|s| s..part.end));
    found
}

#[cfg(test)]
mod tests;
