//! One instruction → acts.

use std::ops::Range;

use super::split::{Heredoc, Instruction};
use super::{at_once, json, mount};
use crate::outline::{Act, Copy, Does, Piece, Place, Scope, Stage, Text, Torn, Variable, When};
use crate::read::command;
use crate::read::excerpt::Excerpt;
use crate::read::shell::{
    self,
    word::{self, Words},
};
use crate::read::written::{self, Expands};
use crate::source::{FileId, Span};

/// Reads instructions in their order.
pub(super) struct Reader<'t> {
    file: FileId,
    text: &'t str,
    words: Words,
    shell: Shell,
    pub(super) acts: Vec<Act>,
    pub(super) torn: Vec<Torn>,
    /// Comments of the shell: behind a command, inside heredocs.
    pub(super) comments: Vec<Range<usize>>,
}

/// What `SHELL` says about the RUNs that follow.
enum Shell {
    /// `sh` and its like.
    Plain,
    /// `conda run -n x`: in that environment.
    Conda(Place, Span),
    /// Another language.
    Foreign,
}

impl<'t> Reader<'t> {
    pub(super) fn new(file: FileId, text: &'t str, words: Words) -> Self {
        Self { file, text, words, shell: Shell::Plain, acts: Vec::new(), torn: Vec::new(), comments: Vec::new() }
    }

    pub(super) fn instruction(&mut self, instruction: &Instruction) {
        if instruction.too_long {
            return self.tear(instruction, "a line of more than 65,535 bytes");
        }
        if instruction.unended {
            self.tear(instruction, "a heredoc without its end");
        }
        match instruction.keyword.as_str() {
            "FROM" => self.from(instruction),
            "ARG" | "ENV" => self.variables(instruction),
            "RUN" => self.run(instruction),
            "COPY" | "ADD" => self.copy(instruction),
            "WORKDIR" => {
                let to = self.whole(&instruction.body);
                self.act(instruction, Does::Enter(Place::Directory(to)));
            }
            "SHELL" => self.shell(instruction),
            "CMD" | "ENTRYPOINT" => {
                let entrypoint = instruction.keyword == "ENTRYPOINT";
                let words = self.exec_or_shell(&instruction.body, 0);
                self.act(instruction, Does::Runs { entrypoint, words });
            }
            "LABEL" | "MAINTAINER" | "EXPOSE" | "VOLUME" | "USER" | "STOPSIGNAL" | "HEALTHCHECK" => {}
            "ONBUILD" => self.on_build(instruction),
            _ => self.tear(instruction, "not an instruction"),
        }
    }

    fn act(&mut self, instruction: &Instruction, does: Does) {
        self.act_at(Span::new(self.file, instruction.at.start, instruction.at.end), does);
    }

    fn act_at(&mut self, at: Span, does: Does) {
        self.acts.push(Act { at, when: When::default(), does });
    }

    fn tear(&mut self, instruction: &Instruction, why: &str) {
        self.torn.push(super::torn(self.file, self.text, instruction.at.clone(), why));
    }

    fn word(&self, body: &Excerpt, part: Range<usize>) -> Text {
        word::text(body, part, self.words)
    }

    fn whole(&self, body: &Excerpt) -> Text {
        self.word(body, 0..body.text().len())
    }

    /// The flags before an instruction's words (`--from=x`), and where the rest begins.
    fn flags<'e>(&self, body: &'e Excerpt) -> (Vec<(&'e str, Range<usize>)>, usize) {
        let text = body.text();
        let (mut flags, mut at) = (Vec::new(), 0);
        while text[at..].starts_with("--") {
            let end = text[at..].find(|c: char| c.is_ascii_whitespace()).map_or(text.len(), |n| at + n);
            let name_end = text[at..end].find('=').map_or(end, |n| at + n);
            flags.push((&text[at..name_end], (name_end + 1).min(end)..end));
            at = text.len() - text[end..].trim_start().len();
        }
        (flags, at)
    }

    fn from(&mut self, instruction: &Instruction) {
        self.shell = Shell::Plain;
        let body = &instruction.body;
        let (flags, start) = self.flags(body);
        let words = word::split(body, start..body.text().len(), self.words);
        let platform = flags.iter().find(|(name, _)| *name == "--platform").map(|(_, value)| self.word(body, value.clone()));
        let name = words.get(2).map(|name| body.text()[name.clone()].to_lowercase());
        let stated = match words.as_slice() {
            [_] => true,
            [_, between, _] => body.text()[between.clone()].eq_ignore_ascii_case("as"),
            _ => false,
        };
        let image = match words.first() {
            Some(image) if stated => self.word(body, image.clone()),
            _ => {
                self.tear(instruction, "FROM takes an image, or an image AS a name");
                Text { pieces: vec![Piece::Opaque], at: body.span(0..body.text().len()) }
            }
        };
        self.act(instruction, Does::From(Stage { image, name: name.filter(|_| stated), platform }));
    }

    fn variables(&mut self, instruction: &Instruction) {
        let body = &instruction.body;
        let is_arg = instruction.keyword == "ARG";
        let scope = if is_arg { Scope::Arg } else { Scope::Environment };
        let words = word::split(body, 0..body.text().len(), self.words);
        let equals = |word: &Range<usize>| body.text()[word.clone()].find('=').map(|n| word.start + n);
        if !is_arg && let Some(first) = words.first().filter(|w| equals(w).is_none()) {
            let Some(second) = words.get(1) else { return self.tear(instruction, "ENV without a value") };
            let name = body.text()[first.clone()].to_owned();
            let value = Some(self.word(body, second.start..body.text().len()));
            return self.act_at(body.span(first.start..body.text().len()), Does::Set(Variable { name, value, scope }));
        }
        if words.is_empty() {
            self.tear(instruction, "a variable's name is missing");
        }
        let mut set = Vec::new();
        for word in words {
            let sign = equals(&word);
            let name = self.word(body, word.start..sign.unwrap_or(word.end));
            let Some(name) = name.known().filter(|name| !name.is_empty()) else { continue };
            if sign.is_none() && !is_arg {
                self.tear(instruction, "ENV takes NAME=value");
                continue;
            }
            let value = sign.map(|n| self.word(body, n + 1..word.end));
            let variable = Variable { name: name.to_owned(), value, scope };
            set.push((body.span(word), variable));
        }
        let set = if is_arg { set } else { at_once::ordered(set) };
        set.into_iter().for_each(|(at, variable)| self.act_at(at, Does::Set(variable)));
    }

    fn copy(&mut self, instruction: &Instruction) {
        let body = &instruction.body;
        let (flags, start) = self.flags(body);
        let from = flags.iter().find(|(name, _)| *name == "--from").map(|(_, value)| self.word(body, value.clone()));
        let is_heredoc = |word: &Range<usize>| instruction.heredocs.iter().any(|h| h.word == *word);
        let rest = body.part(start..body.text().len());
        let mut words: Vec<Text> = match json::strings(rest.text()) {
            Some(strings) => strings
                .into_iter()
                .map(|string| Text { at: rest.span(string.clone()), ..self.whole(&json::unescaped(&rest, string)) })
                .collect(),
            None => {
                let words = word::split(body, start..body.text().len(), self.words).into_iter();
                words.filter(|word| !is_heredoc(word)).map(|word| self.word(body, word)).collect()
            }
        };
        let Some(to) = words.pop() else { return };
        if !words.is_empty() {
            self.act(instruction, Does::Copy(Copy { from, sources: words, to: to.clone() }));
        } else if instruction.heredocs.is_empty() {
            return self.tear(instruction, "COPY takes a source and a destination");
        }
        for heredoc in &instruction.heredocs {
            let mut path = to.clone();
            let marker = &body.text()[heredoc.word.clone()];
            let folder = matches!(to.pieces.last(), Some(Piece::Literal(end)) if end.ends_with('/'));
            if instruction.heredocs.len() > 1 || folder {
                word::push_literal(&mut path.pieces, if folder { "" } else { "/" });
                word::push_literal(
                    &mut path.pieces,
                    marker.trim_start_matches(|c: char| !c.is_alphabetic()).trim_end_matches(['"', '\'']),
                );
            }
            let script = |script: &Excerpt| Some(shell::read_excerpt(script).acts);
            let quoted = marker.contains(['"', '\'']);
            let expands = if quoted { Expands::Nothing } else { Expands::As(self.words) };
            let does = written::write(&self.heredoc(heredoc), path, None, expands, script);
            self.act(instruction, does);
        }
    }

    /// The instruction that stands in this one; never another `ONBUILD`, `FROM` or `MAINTAINER`.
    fn on_build(&mut self, instruction: &Instruction) {
        let body = &instruction.body;
        let end = body.text().find(|c: char| c.is_ascii_whitespace()).unwrap_or(body.text().len());
        let keyword = body.text()[..end].to_ascii_uppercase();
        if matches!(keyword.as_str(), "ONBUILD" | "FROM" | "MAINTAINER") || !instruction.heredocs.is_empty() {
            return;
        }
        let start = body.text().len() - body.text()[end..].trim_start().len();
        let inner = Instruction {
            at: instruction.at.clone(),
            keyword,
            body: body.part(start..body.text().len()),
            heredocs: Vec::new(),
            unended: instruction.unended,
            too_long: false,
        };
        let before = std::mem::take(&mut self.acts);
        self.instruction(&inner);
        let acts = std::mem::replace(&mut self.acts, before);
        if !acts.is_empty() {
            self.act(instruction, Does::OnBuild(acts));
        }
    }

    fn shell(&mut self, instruction: &Instruction) {
        let words = self.exec_or_shell(&instruction.body, 0);
        let program = words.first().and_then(Text::known).unwrap_or_default();
        let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
        self.shell = match program {
            "conda" | "mamba" | "micromamba" => {
                let environment = words.iter().position(|w| matches!(w.known(), Some("-n" | "--name" | "-p" | "--prefix")));
                match environment.and_then(|n| words.get(n + 1)) {
                    Some(name) => {
                        let at = Span::new(self.file, instruction.at.start, instruction.at.end);
                        Shell::Conda(Place::CondaEnvironment(name.clone()), at)
                    }
                    None => Shell::Plain,
                }
            }
            "sh" | "bash" | "ash" | "dash" | "zsh" | "ksh" | "env" | "_entrypoint.sh" | "" => Shell::Plain,
            _ => Shell::Foreign,
        };
    }

    fn run(&mut self, instruction: &Instruction) {
        let body = &instruction.body;
        let (flags, start) = self.flags(body);
        let at = Span::new(self.file, instruction.at.start, instruction.at.end);
        let opened = self.acts.len();
        self.act_at(at, Does::Enter(Place::Subshell));
        if let Shell::Conda(place, at) = &self.shell {
            let (place, at) = (place.clone(), *at);
            self.act_at(at, Does::Enter(place));
        }
        for (name, value) in flags {
            if name == "--mount" {
                let acts = mount::read(body, value, self.words);
                self.acts.extend(acts);
            }
        }
        let before = self.acts.len();
        let rest = body.part(start..body.text().len());
        if let Some(strings) = json::strings(rest.text()) {
            self.exec(&rest, &strings, at);
        } else if !matches!(self.shell, Shell::Foreign) {
            self.script(instruction, start);
        }
        if self.acts.len() == before {
            self.acts.truncate(opened);
        } else {
            self.act_at(at, Does::Enter(Place::Back));
        }
    }

    /// The exec form: no shell, unless the program is one.
    fn exec(&mut self, body: &Excerpt, strings: &[Range<usize>], at: Span) {
        let words = self.exec_or_shell(body, 0);
        let known: Vec<_> = words.iter().map(|w| w.known().unwrap_or_default()).collect();
        let is_shell = known.first().is_some_and(|p| matches!(p.rsplit('/').next(), Some("sh" | "bash" | "ash" | "zsh")));
        let option = known.iter().position(|w| w.starts_with('-') && !w.starts_with("--") && w.contains('c'));
        match option.filter(|_| is_shell).and_then(|n| strings.get(n + 1)) {
            Some(string) => self.read_shell(&json::unescaped(body, string.clone()), false),
            None => command::read(&words, at).into_iter().for_each(|does| self.act_at(at, does)),
        }
    }

    /// The shell form, its heredocs included.
    fn script(&mut self, instruction: &Instruction, start: usize) {
        let body = &instruction.body;
        let Some(first) = instruction.heredocs.first() else {
            let torn = self.torn.len();
            self.read_shell(&body.part(start..body.text().len()), true);
            if instruction.unended {
                self.torn.truncate(torn);
            }
            return;
        };
        let words = word::split(body, start..body.text().len(), self.words);
        let (markers, others): (Vec<_>, Vec<_>) =
            words.into_iter().partition(|w| instruction.heredocs.iter().any(|h| h.word == *w));
        if others.is_empty() {
            let script = self.heredoc(first);
            let interpreter = script.text().lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or("sh");
            if ["sh", "bash", "zsh"]
                .iter()
                .any(|shell| interpreter.trim_end().ends_with(shell) || interpreter.contains(&format!("{shell} ")))
            {
                self.read_shell(&script, true);
            }
            return;
        }
        let mut script = Excerpt::new(self.file);
        let leading = markers.first().is_some_and(|m| m.start == start);
        if leading {
            // `<<EOF bash -e`: the shell's grammar wants the command first.
            for word in others.iter().chain(&markers) {
                script.push_part(body, word.clone());
                script.push_for(" ", body.span(word.clone()).range());
            }
        } else {
            script.push_part(body, start..body.text().len());
        }
        for heredoc in &instruction.heredocs {
            if !script.text().ends_with('\n') {
                script.push_for("\n", heredoc.all.start.saturating_sub(1)..heredoc.all.start);
            }
            script.push_templated(&self.text[heredoc.all.clone()], heredoc.all.start);
        }
        self.read_shell(&script, true);
    }

    /// A heredoc's lines as a script.
    fn heredoc(&self, heredoc: &Heredoc) -> Excerpt {
        let whole = shell::excerpt(self.file, self.text, heredoc.lines.clone());
        if !heredoc.tabs {
            return whole;
        }
        let mut out = Excerpt::new(self.file);
        let mut at = 0;
        for line in whole.text().split_inclusive('\n') {
            let tabs = line.len() - line.trim_start_matches('\t').len();
            out.push_part(&whole, at + tabs..at + line.len());
            at += line.len();
        }
        out
    }

    fn read_shell(&mut self, script: &Excerpt, has_comments: bool) {
        let read = shell::read_excerpt(script);
        self.acts.extend(read.acts);
        self.torn.extend(read.torn);
        if has_comments {
            self.comments.extend(read.comments);
        }
    }

    /// The words of an exec form, or of a shell form as its shell cuts them.
    fn exec_or_shell(&self, body: &Excerpt, start: usize) -> Vec<Text> {
        if let Some(strings) = json::strings(body.text()) {
            let literal = |string: Range<usize>| {
                let at = body.span(string.clone());
                Text::literal(json::unescaped(body, string).text(), at)
            };
            return strings.into_iter().map(literal).collect();
        }
        let words = word::split(body, start..body.text().len(), Words::Shell).into_iter();
        words.map(|word| word::text(body, word, Words::Shell)).collect()
    }
}
