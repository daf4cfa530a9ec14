//! What an installing command is given to read: the words of `echo` and `printf`, lines that stand here, whole files.

use std::ops::Range;

use tree_sitter::Node;

use super::builtin;
use super::redirect::Into;
use super::scan;
use super::walk::{Walk, Word, named};
use super::word::{self, Words};
use crate::outline::{Does, Download, How, Inline, Kind, Piece, Text};
use crate::read::command::{self, docker::INPUT};
use crate::read::excerpt::Excerpt;
use crate::read::written::{self, Expands};
use crate::source::Span;

/// Of more bytes it is not looked at what they say.
const LONGEST: usize = 4_096;

/// What a command is given.
#[derive(Clone)]
pub(super) enum Fed {
    /// This text.
    Text(Excerpt),
    /// The lines of a heredoc, which become a file of their own where they are read as one.
    Heredoc(Excerpt, Expands),
    /// All that these files say.
    Files(Vec<Text>),
    /// What lies at this address.
    Fetched(Text),
    /// Not known.
    Unknown,
}

/// How `xargs` hands on what it is given.
#[derive(Default)]
struct Handing {
    /// Word by word, each to a command of its own.
    singly: bool,
    /// In the place of this word.
    placeholder: Option<String>,
}

impl Walk<'_, '_> {
    /// What a pipeline gives its last command.
    pub(super) fn feed_last(&mut self, pipeline: Node<'_>) {
        let parts = named(pipeline);
        let Some((last, before)) = parts.split_last() else { return };
        let body = if last.kind() == "redirected_statement" { last.child_by_field_name("body") } else { None }.unwrap_or(*last);
        let fed = match before {
            [one] => self.given_out(*one),
            // What is fetched is fetched, whatever is done to it.
            [first, ..] => Some(self.given_out(*first)).filter(|fed| matches!(fed, Fed::Fetched(_))).unwrap_or(Fed::Unknown),
            [] => Fed::Unknown,
        };
        self.fed.insert(body.id(), fed);
    }

    /// What a statement's redirections give its command.
    pub(super) fn feed_body(&mut self, statement: Node<'_>) {
        let Some(body) = statement.child_by_field_name("body") else { return };
        for part in named(statement) {
            let fed = match part.kind() {
                "file_redirect" if self.source(part).starts_with('<') => match part.child_by_field_name("destination") {
                    Some(inner) if inner.kind() == "process_substitution" => self.given_out_inside(inner),
                    Some(file) => Fed::Files(vec![self.text(file.byte_range())]),
                    None => Fed::Unknown,
                },
                "heredoc_redirect" => match self.heredoc_body(part) {
                    Some(heredoc) => Fed::Heredoc(self.without_tabs(heredoc.lines()), heredoc.expands()),
                    None => Fed::Unknown,
                },
                "herestring_redirect" => self.herestring_text(part),
                _ => continue,
            };
            self.fed.insert(body.id(), fed);
        }
    }

    fn herestring_text(&self, redirect: Node<'_>) -> Fed {
        let string = named(redirect).pop().filter(|string| string.byte_range().len() <= LONGEST);
        let string = string.filter(|string| string.kind() != "ansi_c_string").map(|string| string.byte_range());
        string.map_or(Fed::Unknown, |part| Fed::Text(super::unquoted(self.excerpt, part)))
    }

    /// What the one command in a substitution gives out.
    fn given_out_inside(&self, substitution: Node<'_>) -> Fed {
        match named(substitution).as_slice() {
            [one] => self.given_out(*one),
            _ => Fed::Unknown,
        }
    }

    /// What a command gives out.
    fn given_out(&self, node: Node<'_>) -> Fed {
        if node.kind() != "command" || node.byte_range().len() > LONGEST {
            return Fed::Unknown;
        }
        let words = self.words(node, &[]);
        let Some((program, arguments)) = words.split_first() else { return Fed::Unknown };
        let is_option = |word: &Word| word.text.known().is_some_and(|text| text.len() > 1 && text.starts_with('-'));
        match program.text.known() {
            Some("cat" | "sort") if !arguments.is_empty() && !arguments.iter().any(is_option) => {
                Fed::Files(arguments.iter().map(|word| word.text.clone()).collect())
            }
            Some("curl" | "wget") => {
                let texts: Vec<Text> = words.iter().map(|word| word.text.clone()).collect();
                let fetched = command::read(&texts, program.text.at).into_iter().find_map(|does| match does {
                    Does::Download(Download { url, to: None }) => Some(url),
                    _ => None,
                });
                fetched.map_or(Fed::Unknown, Fed::Fetched)
            }
            Some("echo") => {
                let options = arguments.iter().take_while(|word| matches!(word.text.known(), Some("-n" | "-e" | "-ne" | "-en")));
                let (count, escapes) = options.fold((0, false), |(n, escapes), word| {
                    (n + 1, escapes || word.text.known().is_some_and(|option| option.contains('e')))
                });
                self.lines(&arguments[count..], " ", escapes)
            }
            Some("printf") => match arguments.split_first() {
                Some((format, rest)) => match self.source_of(format).trim_matches(['"', '\'']) {
                    "%s\\n" => self.lines(rest, "\n", false),
                    "%s " => self.lines(rest, " ", false),
                    format if !format.contains('%') && rest.is_empty() => self.lines(&arguments[..1], "", true),
                    _ => Fed::Unknown,
                },
                None => Fed::Unknown,
            },
            _ => Fed::Unknown,
        }
    }

    fn source_of(&self, word: &Word) -> &str {
        self.excerpt.text().get(word.part.clone()).unwrap_or_default()
    }

    /// Words as one text, with that behind each; of what a backslash stands for, only the end of a line is known.
    fn lines(&self, words: &[Word], behind: &str, escapes: bool) -> Fed {
        let mut out = Excerpt::new(self.excerpt.file());
        for word in words {
            let text = super::unquoted(self.excerpt, word.part.clone());
            let at = word.text.at.range().end;
            let mut start = 0;
            if escapes {
                while let Some(slash) = text.text()[start..].find('\\').map(|n| n + start) {
                    if !text.text()[slash..].starts_with("\\n") {
                        return Fed::Unknown;
                    }
                    out.push_part(&text, start..slash);
                    out.push("\n", at);
                    start = slash + 2;
                }
            }
            out.push_part(&text, start..text.text().len());
            out.push(behind, at);
        }
        Fed::Text(out)
    }

    /// Lets an installing command happen with what it is given; whether it is one that reads anything.
    pub(super) fn with_given(&mut self, node: Node<'_>, words: &mut [Word]) -> bool {
        let is_xargs = |word: &Word| word.text.known().and_then(|word| word.rsplit('/').next()) == Some("xargs");
        let substitutes = || named(node).iter().any(|inner| inner.kind() == "process_substitution");
        let string = named(node).into_iter().find(|inner| inner.kind() == "herestring_redirect");
        if let Some(string) = string {
            let fed = self.herestring_text(string);
            self.fed.insert(node.id(), fed);
        }
        if !self.fed.contains_key(&node.id()) && !words.iter().any(is_xargs) && !substitutes() {
            return false;
        }
        let texts: Vec<Text> = words.iter().map(|word| word.text.clone()).collect();
        let program = command::unwrap(&texts).words.into_iter().next();
        let inner = texts.iter().position(|text| Some(text) == program.as_ref()).unwrap_or(texts.len());
        let xargs = words[..inner].iter().position(is_xargs);
        let Some(first) = texts.first() else { return false };
        let at = self.at(node);
        let does = command::read(&texts, first.at);
        let acts = |does: &Does| matches!(does, Does::Install(_) | Does::Remove(_));
        if let Some(xargs) = xargs {
            let fed = self.fed.get(&node.id()).cloned().filter(|_| does.iter().any(acts));
            let without = [&words[..xargs], &words[inner..]].concat();
            return fed.is_some_and(|fed| self.handed_on(at, &without, &handing(&texts), fed));
        }
        if does.iter().any(is_built_of_input) {
            let fed = self.fed.get(&node.id()).cloned().unwrap_or(Fed::Unknown);
            for mut does in does {
                built_of(&mut does, &fed);
                self.out.act(at, does);
            }
            return true;
        }
        if let Some(into) = input_of(does) {
            match self.fed.get(&node.id()).cloned() {
                Some(Fed::Text(text)) => self.given_file(at, &text, into),
                Some(Fed::Files(files)) => {
                    if let ([file], Some(word)) = (files.as_slice(), words.iter_mut().find(|word| word.text.at == into.at)) {
                        word.text = file.clone();
                    }
                }
                Some(Fed::Heredoc(..) | Fed::Fetched(_) | Fed::Unknown) | None => {}
            }
        }
        self.given_by_substitutions(node, words);
        false
    }

    /// `curl … | bash`, `bash <(curl …)`, `bash -c "$(curl …)"`: a script that is fetched is run.
    pub(super) fn runs_fetched(&mut self, node: Node<'_>, words: &[Word]) {
        let texts: Vec<Text> = words.iter().map(|word| word.text.clone()).collect();
        let unwrapped = command::unwrap(&texts).words;
        let program = unwrapped.first().and_then(Text::known);
        let shell = program.is_some_and(builtin::is_shell);
        if !shell && !matches!(program, Some("source" | "." | "eval")) {
            return;
        }
        let reads = shell && (builtin::is_bare_shell(&unwrapped) || unwrapped.iter().any(|word| word.known() == Some("-s")));
        let piped = self.fed.get(&node.id()).cloned().filter(|_| reads);
        let whole = |inner: &Node<'_>| words.iter().any(|word| self.source_of(word).trim_matches('"') == self.source(*inner));
        let inside = scan::substitutions(node).into_iter().filter(whole).map(|inner| self.given_out_inside(inner));
        let urls = piped.into_iter().chain(inside).filter_map(|fed| if let Fed::Fetched(url) = fed { Some(url) } else { None });
        for url in urls.collect::<Vec<_>>() {
            self.out.act(self.at(node), Does::Fetched(url));
        }
    }

    /// `pip install -r <(echo torch)`.
    fn given_by_substitutions(&mut self, node: Node<'_>, words: &mut [Word]) {
        let substitutions: Vec<_> = named(node).into_iter().filter(|inner| inner.kind() == "process_substitution").collect();
        for substitution in substitutions {
            let Some(word) = words.iter_mut().find(|word| word.part == substitution.byte_range()) else { continue };
            match self.given_out_inside(substitution) {
                Fed::Text(text) => {
                    let path = Text::literal(format!("/dev/fd/{}", substitution.start_byte()), word.text.at);
                    word.text = path.clone();
                    let at = word.text.at;
                    self.given_file(at, &text, Into { at, path, kind: Some(Kind::Requirements) });
                }
                Fed::Files(files) => {
                    if let [file] = files.as_slice() {
                        word.text = file.clone();
                    }
                }
                Fed::Heredoc(..) | Fed::Fetched(_) | Fed::Unknown => {}
            }
        }
    }

    fn given_file(&mut self, at: Span, text: &Excerpt, into: Into) {
        let does = written::write(text, into.path, into.kind, Expands::As(Words::Shell), |script| self.file(script));
        self.out.act(at, does);
    }

    /// `xargs pip install`, with the words that it hands on; whether they are known.
    fn handed_on(&mut self, at: Span, words: &[Word], handing: &Handing, fed: Fed) -> bool {
        let word = |text: Text| Word { text, part: 0..0 };
        let opaque = || word(Text { pieces: vec![Piece::Opaque], at });
        let put = |more: Vec<Word>| -> Vec<Word> {
            let Some(placeholder) = &handing.placeholder else { return words.iter().cloned().chain(more).collect() };
            let instead = |own: &Word| match own.text.known() {
                Some(text) if text == placeholder => more.clone(),
                Some(text) if text.contains(placeholder.as_str()) => vec![opaque()],
                _ => vec![own.clone()],
            };
            words.iter().flat_map(instead).collect()
        };
        let all = match fed {
            Fed::Text(text) | Fed::Heredoc(text, _) => {
                let tokens = self.tokens(&text).into_iter().map(word);
                if handing.singly { tokens.map(|token| put(vec![token])).collect() } else { vec![put(tokens.collect())] }
            }
            Fed::Files(files) if !handing.singly => {
                vec![put(files.into_iter().flat_map(|file| [word(Text::literal("-r", file.at)), word(file)]).collect())]
            }
            Fed::Files(_) | Fed::Fetched(_) | Fed::Unknown => return false,
        };
        for words in all {
            builtin::command(self, at, &words);
        }
        true
    }

    /// The words of a text, with those of this script's variables in their places.
    fn tokens(&mut self, text: &Excerpt) -> Vec<Text> {
        let mut found = Vec::new();
        for part in blanks_apart(text.text()) {
            let token = word::text(text, part.clone(), Words::Shell);
            match self.out.words_of(&token, false) {
                Some(words) => found.extend(words),
                None => {
                    if token.known().is_none() {
                        self.out.cut.insert(token.at);
                    }
                    found.push(token);
                }
            }
        }
        found
    }
}

fn blanks_apart(text: &str) -> Vec<Range<usize>> {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_ascii_whitespace().map(|word| start(word)..start(word) + word.len()).collect()
}

/// Where a command looks for its input, if it installs what it finds there.
pub(super) fn input_of(does: Vec<Does>) -> Option<Into> {
    does.into_iter().find_map(|does| {
        let Does::Install(install) = does else { return None };
        let input = |path: &Text| matches!(path.known(), Some("/dev/stdin" | "-"));
        let include = install.reads.into_iter().find(|include| input(&include.path))?;
        let kind = match include.how {
            How::Requirements | How::Constraints | How::Overrides => Kind::Requirements,
            How::CondaEnvironment => Kind::CondaEnvironment,
            _ => return None,
        };
        Some(Into { at: include.path.at, path: include.path, kind: Some(kind) })
    })
}

/// `docker build -`, `docker build -f - .`.
fn is_built_of_input(does: &Does) -> bool {
    let Does::Launch(launch) = does else { return false };
    let file = launch.build.as_ref().and_then(|build| build.dockerfile.as_ref());
    file.is_some_and(|file| file.known() == Some(INPUT))
}

/// Puts the Dockerfile that a command is given into what it builds.
fn built_of(does: &mut Does, fed: &Fed) {
    let Does::Launch(launch) = does else { return };
    let Some(build) = &mut launch.build else { return };
    let (body, expands) = match fed {
        Fed::Text(text) => (text, Expands::As(Words::Shell)),
        Fed::Heredoc(lines, expands) => (lines, *expands),
        Fed::Files(files) => {
            if let [file] = files.as_slice() {
                build.dockerfile = Some(file.clone());
            }
            return;
        }
        Fed::Fetched(_) | Fed::Unknown => return,
    };
    let outline = written::dockerfile(body, expands);
    build.inline = outline.map(|outline| Box::new(Inline { path: String::new(), outline }));
}

fn handing(words: &[Text]) -> Handing {
    let mut out = Handing::default();
    let mut rest = words.iter().filter_map(Text::known).skip_while(|word| word.rsplit('/').next() != Some("xargs")).skip(1);
    while let Some(option) = rest.next().filter(|word| word.starts_with('-')) {
        let (name, glued) = match option {
            _ if option.starts_with("--") => option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value))),
            _ => match option.char_indices().nth(2) {
                Some((end, _)) => (&option[..end], Some(&option[end..])),
                None => (option, None),
            },
        };
        match name {
            "-I" | "--replace" | "-i" => {
                let value = if name == "-I" { glued.or_else(|| rest.next()) } else { glued };
                out.placeholder = Some(value.unwrap_or("{}").to_owned()).filter(|placeholder| !placeholder.is_empty());
                out.singly = true;
            }
            "-n" | "-L" | "-l" | "--max-args" | "--max-lines" => {
                out.singly = true;
                if glued.is_none() && name != "-l" {
                    rest.next();
                }
            }
            "-a" | "-d" | "-E" | "-P" | "-s" if glued.is_none() => drop(rest.next()),
            _ => {}
        }
    }
    out
}
