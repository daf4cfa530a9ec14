//! The shell's own commands: variables, directories, environments, scripts in scripts.

use tree_sitter::Node;

use super::functions;
use super::walk::{Walk, Word, named};
use crate::device;
use crate::outline::{Does, How, Include, Piece, Place, Scope, Target, Text, Variable};
use crate::read::command;
use crate::source::Span;

/// What a simple command does.
pub(super) fn command(walk: &mut Walk<'_, '_>, at: Span, words: &[Word]) {
    let texts: Vec<Text> = words.iter().map(|w| w.text.clone()).collect();
    if let Some(name) = texts.first().and_then(Text::known).filter(|name| walk.out.functions.has(name)) {
        return walk.out.call(name, at, texts[1..].to_vec());
    }
    let argument = |piece: &Piece| matches!(piece, Piece::Variable { name, .. } if name == "@" || name.parse::<u32>().is_ok());
    if texts.first().is_some_and(|program| program.pieces.first().is_some_and(argument)) {
        walk.out.functions.is_told();
    }
    // What a function does with the words that it is given shows where it is called.
    if walk.out.in_function() && texts.iter().any(functions::is_all_given) && command::is_read(&texts) {
        walk.out.hand(at, texts.clone());
    } else {
        happens(walk, at, words, &texts);
    }
    if let Some(leaves) = functions::leaves(&texts) {
        walk.out.act(at, Does::Leave(leaves));
    }
}

fn happens(walk: &mut Walk<'_, '_>, at: Span, words: &[Word], texts: &[Text]) {
    let unwrapped = command::unwrap(texts);
    let inner = unwrapped.words.as_slice();
    let Some(program) = inner.first() else { return };
    if !matches!(program.known(), Some("echo" | "printf" | "grep" | "sed"))
        && let Some((place, _)) = device::says_cuda(inner.iter().filter_map(|word| Some((word.known()?, word.at))))
    {
        walk.out.act(place, Does::OnCuda);
    }
    let arguments = &inner[1..];
    let sets = |walk: &mut Walk<'_, '_>| {
        for variable in unwrapped.sets.iter().cloned() {
            walk.out.act(variable.value.as_ref().map_or(at, |v| v.at), Does::Set(variable));
        }
    };
    if let Some((run, target)) = command::inner(inner)
        && run.first().and_then(Text::known).is_some_and(is_shell)
    {
        walk.out.open(at);
        if let Some(Target::Named(name) | Target::Prefix(name)) = target {
            walk.out.act(at, Does::Enter(Place::CondaEnvironment(name)));
        }
        shell(walk, at, words, &run[1..]);
        return walk.out.back(at);
    }
    let container = || command::docker::inside(inner).map(|(name, run)| (Place::Container(name.clone()), run));
    if let Some((place, run)) = container().or_else(|| command::compose::inside(inner)) {
        command::read_cut(inner, at, &walk.out.cut).into_iter().for_each(|does| walk.out.act(at, does));
        return within(walk, at, words, place, run);
    }
    let opaque = || Text { pieces: vec![Piece::Opaque], at: program.at };
    match program.known() {
        Some("cd" | "pushd") => {
            let to = arguments.iter().find(|w| !w.known().is_some_and(|w| w.len() > 1 && w.starts_with('-')));
            let to = match to {
                Some(text) if text.known() == Some("-") => opaque(),
                Some(text) => text.clone(),
                None => Text::literal("~", program.at),
            };
            walk.out.act(at, Does::Enter(Place::Directory(to)));
        }
        Some("popd") => walk.out.act(at, Does::Enter(Place::Directory(opaque()))),
        Some("source" | ".") => source(walk, at, program, arguments),
        Some("deactivate") => walk.out.act(at, Does::Enter(Place::Venv(opaque()))),
        // What a script then types is another program's; a person may type it, too.
        Some("alias") => arguments.iter().filter_map(command::pythons::alias).for_each(|does| walk.out.act(at, does)),
        Some("eval") => {
            if let [_, word] = words {
                if reads_file(walk.excerpt.text().get(word.part.clone()).unwrap_or_default()) {
                    sets_anything(walk, word.text.at);
                }
                walk.string(word.clone(), at);
            }
        }
        // Which argument is which is no longer known.
        Some("shift") => {
            for n in 1..10 {
                walk.out.set(at, Variable { name: n.to_string(), value: Some(opaque()), scope: Scope::Shell });
            }
        }
        Some("read") => {
            let names = arguments.iter().filter_map(Text::known).filter(|w| is_name(w));
            for name in names {
                let variable = Variable { name: name.to_owned(), value: Some(opaque()), scope: Scope::Shell };
                walk.out.set(at, variable);
            }
        }
        Some("su" | "runuser") => {
            let option = arguments.iter().position(|w| matches!(w.known(), Some("-c" | "--command")));
            let text = option.and_then(|n| arguments.get(n + 1));
            if let Some(word) = text.and_then(|text| words.iter().find(|w| w.text.at == text.at)) {
                walk.string(word.clone(), at);
            }
        }
        _ if is_runfile(program) => {
            walk.out.act(at, Does::Runfile { file: program.clone(), arguments: arguments.to_vec() });
        }
        Some(name) if is_shell(name) => {
            sets(walk);
            shell(walk, at, words, arguments);
        }
        Some(path) if path.contains('/') && is_script(path) => {
            sets(walk);
            conda_installer(program, arguments).into_iter().for_each(|does| walk.out.act(at, does));
            run_script(walk, at, program);
        }
        _ => {
            let mut started: Option<Vec<Text>> = None;
            for does in command::read_cut(texts, at, &walk.out.cut) {
                let at = match &does {
                    Does::Set(Variable { value: Some(value), .. }) => value.at,
                    _ => at,
                };
                if let Does::Launch(launch) = &does {
                    started = Some(launch.entrypoint.iter().flatten().chain(&launch.command).cloned().collect());
                }
                walk.out.act(at, does);
            }
            if let Some(run) = started {
                within(walk, at, words, Place::Started, &run);
            }
        }
    }
}

/// A command that is run in a container.
fn within(walk: &mut Walk<'_, '_>, at: Span, words: &[Word], place: Place, run: &[Text]) {
    let unwrapped = command::unwrap(run);
    walk.out.open(at);
    walk.out.act(at, Does::Enter(place));
    match unwrapped.words.split_first() {
        Some((program, arguments)) if program.known().is_some_and(is_shell) => shell(walk, at, words, arguments),
        _ => command::read_cut(run, at, &walk.out.cut).into_iter().for_each(|does| walk.out.act(at, does)),
    }
    walk.out.back(at);
}

/// `export`, `declare`, `local`, `readonly`, `unset`.
pub(super) fn declare(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let source = walk.source(node);
    let keyword = source.split_ascii_whitespace().next().unwrap_or_default();
    let parts = named(node);
    let options: Vec<&str> = parts.iter().map(|n| walk.source(*n)).filter(|s| s.starts_with('-')).collect();
    let has = |letter: char| options.iter().any(|o| o.contains(letter));
    let exports = (keyword == "export" && !has('n')) || has('x');
    let scope = if exports { Scope::Environment } else { Scope::Shell };
    for part in parts {
        let at = walk.at(part);
        if exports && part.kind() == "command_substitution" {
            sets_anything(walk, at);
        }
        let variable = match part.kind() {
            "variable_assignment" => walk.variable(part, scope),
            "variable_name" if keyword == "unset" => {
                let value = Text { pieces: vec![], at };
                Some(Variable { name: walk.source(part).to_owned(), value: Some(value), scope: Scope::Environment })
            }
            "variable_name" if exports => {
                let name = walk.source(part).to_owned();
                let itself = Piece::Variable { name: name.clone(), fallback: None, instead: None };
                Some(Variable { name, value: Some(Text { pieces: vec![itself], at }), scope })
            }
            "string" | "raw_string" | "concatenation" if keyword != "unset" => {
                let text = walk.text(part.byte_range());
                command::assignment(&text).map(|(name, value)| Variable { name, value: Some(value), scope })
            }
            _ => None,
        };
        if let Some(variable) = variable {
            walk.set(at, variable, part);
        }
    }
}

/// A substitution that gives out what a file says, or what is told elsewhere: `$(cat .env)`.
fn reads_file(word: &str) -> bool {
    let inner = word.trim_matches('"').strip_prefix("$(").or_else(|| word.trim_matches('"').strip_prefix('`'));
    let program = inner.and_then(|inner| inner.split_ascii_whitespace().next());
    matches!(program, Some("cat" | "grep" | "egrep" | "sed" | "awk" | "xargs" | "envsubst" | "sops" | "vault" | "aws" | "direnv"))
}

/// What happens here may give any variable any value, as a script would of which nothing is known.
fn sets_anything(walk: &mut Walk<'_, '_>, at: Span) {
    let path = Text { pieces: vec![Piece::Opaque], at };
    walk.out.act(at, Does::Include(Include { path, how: How::Script }));
}

fn source(walk: &mut Walk<'_, '_>, at: Span, program: &Text, arguments: &[Text]) {
    let Some(path) = arguments.first() else { return };
    let environment = arguments.get(1);
    let text = path.known().unwrap_or_default();
    if text == "activate" || text == "deactivate" {
        let words: Vec<_> = [Text::literal("conda", program.at)].into_iter().chain(arguments.iter().cloned()).collect();
        return command::read(&words, at).into_iter().for_each(|does| walk.out.act(at, does));
    }
    let folder = ["/bin/activate", "/Scripts/activate", "/bin/activate.sh"].iter().find_map(|end| cut_end(path, end));
    let place = match folder {
        Some(_) if environment.is_some() => environment.cloned().map(Place::CondaEnvironment),
        Some(folder) if is_conda(&folder) => Some(Place::CondaEnvironment(Text::literal("base", path.at))),
        Some(folder) => Some(Place::Venv(folder)),
        None => None,
    };
    let hook = |piece: &Piece| matches!(piece, Piece::Literal(text) if text.ends_with("conda.sh") || text.ends_with("mamba.sh"));
    if let Some(place) = place {
        walk.out.act(at, Does::Enter(place));
    } else if !path.pieces.last().is_some_and(hook) {
        walk.out.act(at, Does::Include(Include { path: path.clone(), how: How::Script }));
    }
}

/// The text without `end`, if it ends so.
fn cut_end(text: &Text, end: &str) -> Option<Text> {
    let mut pieces = text.pieces.clone();
    let Some(Piece::Literal(last)) = pieces.last_mut() else { return None };
    let kept = last.strip_suffix(end)?.to_owned();
    if kept.is_empty() {
        pieces.pop();
    } else {
        *last = kept;
    }
    Some(Text { pieces, at: text.at })
}

fn is_conda(folder: &Text) -> bool {
    folder.pieces.iter().any(|piece| match piece {
        Piece::Literal(text) | Piece::Variable { name: text, .. } => {
            let lower = text.to_ascii_lowercase();
            ["conda", "mamba", "miniforge"].iter().any(|name| lower.contains(name))
        }
        Piece::Path(_) | Piece::Opaque => false,
    })
}

/// `bash -c '…'`, `sh script.sh`.
fn shell(walk: &mut Walk<'_, '_>, at: Span, words: &[Word], arguments: &[Text]) {
    let (mut takes_value, mut is_text, mut operands) = (false, false, false);
    for argument in arguments {
        let option = argument.known().unwrap_or_default();
        if std::mem::take(&mut takes_value) {
        } else if !operands && option == "--" {
            operands = true;
        } else if !operands && option.starts_with("--") {
            takes_value = matches!(option, "--rcfile" | "--init-file");
        } else if !operands && option.len() > 1 && option.starts_with(['-', '+']) {
            takes_value = option.ends_with(['o', 'O']);
            is_text |= option.starts_with('-') && option.contains('c');
            // What follows is for the script that it is given to read.
            if option.starts_with('-') && option.contains('s') {
                return;
            }
        } else if is_text {
            if let Some(word) = words.iter().find(|word| word.text.at == argument.at) {
                walk.string(word.clone(), at);
            }
            return;
        } else if is_runfile(argument) {
            let rest = arguments.iter().skip_while(|a| a.at != argument.at).skip(1).cloned().collect();
            return walk.out.act(at, Does::Runfile { file: argument.clone(), arguments: rest });
        } else {
            let rest = arguments.iter().skip_while(|a| a.at != argument.at).skip(1);
            let installs = conda_installer(argument, &rest.cloned().collect::<Vec<_>>());
            installs.into_iter().for_each(|does| walk.out.act(at, does));
            return run_script(walk, at, argument);
        }
    }
}

/// `Miniconda3-latest-Linux-x86_64.sh -b -p /opt/conda`, whatever the file is called: no other script has these options.
/// Source: <https://www.anaconda.com/docs/getting-started/miniconda/install>.
fn conda_installer(file: &Text, options: &[Text]) -> Option<Does> {
    let short = |word: &&Text| word.known().is_some_and(|w| w.starts_with('-') && !w.starts_with("--"));
    let has = |letter: char| options.iter().filter(short).any(|w| w.known().is_some_and(|w| w.contains(letter)));
    let prefix = options.iter().position(|w| short(&w) && w.known().is_some_and(|w| w.ends_with('p')))?;
    let prefix = options.get(prefix + 1).filter(|_| has('b'))?.clone();
    Some(Does::CondaInstaller { file: file.clone(), prefix })
}

/// Another script is run; what it sets ends with it.
fn run_script(walk: &mut Walk<'_, '_>, at: Span, path: &Text) {
    walk.out.open(at);
    walk.out.act(at, Does::Include(Include { path: path.clone(), how: How::Script }));
    walk.out.back(at);
}

pub(super) fn is_shell(name: &str) -> bool {
    matches!(name.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "dash" | "ash" | "ksh"))
}

/// NVIDIA's installers of the toolkit and the driver.
fn is_runfile(path: &Text) -> bool {
    let (Some(Piece::Literal(begin)), Some(Piece::Literal(end))) = (path.pieces.first(), path.pieces.last()) else {
        return false;
    };
    let name = begin.rsplit('/').next().unwrap_or(begin);
    end.ends_with(".run") && ["cuda", "NVIDIA", "cudnn"].iter().any(|start| name.starts_with(start))
}

fn is_script(path: &str) -> bool {
    [".sh", ".bash", ".zsh"].iter().any(|end| path.ends_with(end))
}

fn is_name(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_ascii_digit())
        && !word.is_empty()
        && word.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
}

/// A shell without a script of its own: it reads its input.
pub(super) fn is_bare_shell(words: &[Text]) -> bool {
    let mut words = words.iter().map(Text::known);
    let shell = words.next().flatten().is_some_and(is_shell);
    shell && words.all(|w| w.is_some_and(|w| w.starts_with(['-', '+']) && !w.contains('c')))
}
