//! Commands after which `python` and `pip` are another Python's: pyenv, asdf, mise, virtualenvwrapper, alternatives.

use crate::outline::{Does, Place, Text};
use crate::source::Span;

/// `pyenv global 3.11`, `pyenv activate x`.
/// Source: <https://github.com/pyenv/pyenv/blob/master/COMMANDS.md>.
pub(super) fn pyenv(words: &[Text], _at: Span) -> Vec<Does> {
    let named = |words: &[Text]| operand(words).map(chosen).into_iter().collect();
    match words.get(1).and_then(Text::known) {
        Some("global" | "local" | "shell" | "activate") => named(&words[2..]),
        _ => Vec::new(),
    }
}

/// `asdf global python 3.11`, `asdf set python 3.11`.
pub(super) fn asdf(words: &[Text], _at: Span) -> Vec<Does> {
    let verb = words.get(1).and_then(Text::known).unwrap_or_default();
    let rest = words.get(2..).unwrap_or_default();
    match rest.iter().position(|word| word.known() == Some("python")) {
        Some(at) if matches!(verb, "global" | "local" | "shell" | "set") => {
            operand(&rest[at + 1..]).map(chosen).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// `mise use -g python@3.11`.
pub(super) fn mise(words: &[Text], _at: Span) -> Vec<Does> {
    let uses = matches!(words.get(1).and_then(Text::known), Some("use" | "shell" | "global" | "local"));
    let version = |word: &Text| {
        let version = word.known()?.strip_prefix("python@")?;
        Some(chosen(Text::literal(version, word.at)))
    };
    words.iter().skip(2).filter(|_| uses).find_map(version).into_iter().collect()
}

/// `workon x`.
pub(super) fn workon(words: &[Text], _at: Span) -> Vec<Does> {
    operand(words.get(1..).unwrap_or_default()).map(chosen).into_iter().collect()
}

/// `update-alternatives --set python3 /usr/bin/python3.11`.
pub(super) fn alternatives(words: &[Text], _at: Span) -> Vec<Does> {
    let known = |n: usize| words.get(n).and_then(Text::known).unwrap_or_default();
    let option = words.iter().position(|word| matches!(word.known(), Some("--set" | "--install")));
    let Some(at) = option else { return Vec::new() };
    let (name, path) = if known(at) == "--set" { (at + 1, at + 2) } else { (at + 2, at + 3) };
    match words.get(path) {
        Some(path) if matches!(known(name), "python" | "python3" | "pip" | "pip3") => python_of(path).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// `ln -s /usr/bin/python3.8 /usr/bin/python`, beside what any link does.
pub(super) fn link(words: &[Text], at: Span) -> Vec<Does> {
    let mut does = super::files::files(words, at);
    let mut operands = words.iter().skip(1).filter_map(Text::known).filter(|word| !word.starts_with('-'));
    let system = ["/usr/bin/", "/usr/local/bin/"];
    let program = |path: &str| system.iter().find_map(|folder| path.strip_prefix(folder)).map(str::to_owned);
    if let (Some(of), Some(name), None) = (operands.next(), operands.next(), operands.next())
        && matches!(program(name).as_deref(), Some("python" | "python3"))
        && let Some(minor) = program(of).as_deref().unwrap_or(of).strip_prefix("python3.")
        && !minor.is_empty()
        && minor.bytes().all(|b| b.is_ascii_digit())
    {
        does.push(Does::Enter(Place::SystemPython(Text::literal(format!("3.{minor}"), at))));
    }
    does
}

/// `alias pip=pip3.11`: the Python of a program that a name stands for; `None` where that tells none.
pub(in crate::read) fn alias(word: &Text) -> Option<Does> {
    let (name, value) = super::assignment(word)?;
    python_of(&value).filter(|_| matches!(name.as_str(), "python" | "python3" | "pip" | "pip3"))
}

/// The Python that a word names: `3.11` of `python3.11`, `/usr/bin/python3.11` and `3.11`.
pub(super) fn named(word: &Text) -> Option<Text> {
    let program = word.known()?.rsplit('/').next()?;
    let version = program.strip_prefix("python").unwrap_or(program);
    let minor = version.strip_prefix("3.")?.split('.').next()?;
    (!minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit())).then(|| Text::literal(format!("3.{minor}"), word.at))
}

/// `3.11` of `/usr/bin/python3.11`; another folder's program is that folder's.
fn python_of(path: &Text) -> Option<Does> {
    let program = match path.known() {
        Some(path) => path.split_whitespace().next().unwrap_or_default(),
        None => return Some(chosen(path.clone())),
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    let version = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let own = name.len() > version.len() && version.contains('.');
    let system = ["/usr/bin/", "/usr/local/bin/"].iter().any(|folder| program.strip_prefix(folder) == Some(name));
    match (own, program.contains('/') && !system) {
        (_, true) => Some(chosen(Text::literal(program, path.at))),
        (true, false) => Some(chosen(Text::literal(version, path.at))),
        (false, false) => None,
    }
}

fn operand(words: &[Text]) -> Option<Text> {
    words.iter().find(|word| !word.known().is_some_and(|w| w.starts_with('-'))).cloned()
}

fn chosen(python: Text) -> Does {
    Does::Enter(Place::Python(python))
}

#[cfg(test)]
mod tests {
    use super::super::pip::tests::words;
    use super::super::read;
    use super::*;
    use crate::source::FileId;

    #[test]
    fn a_link_names_the_systems_python() {
        let at = Span::new(FileId(0), 0, 0);
        for (line, want) in [
            ("ln -s /usr/bin/python3.7 /usr/bin/python", Some("3.7")),
            ("ln -sf python3.8 /usr/bin/python3", Some("3.8")),
            ("ln -s /opt/conda/bin/python3.8 /usr/bin/python", None),
            ("ln -s /usr/bin/python3 /usr/bin/python", None),
            ("ln -s /usr/bin/python3.7 /opt/python", None),
            ("ln -s python3. /usr/bin/python", None),
        ] {
            let does = read(&words(line), at);
            let named = does.iter().find_map(|does| match does {
                Does::Enter(Place::SystemPython(text)) => text.known(),
                _ => None,
            });
            assert_eq!(named, want, "{line}");
        }
    }

    #[test]
    fn another_python() {
        let at = Span::new(FileId(0), 0, 0);
        for (line, want) in [
            ("pyenv global 3.11", Some("3.11")),
            ("pyenv local --force 3.10.4 3.9", Some("3.10.4")),
            ("pyenv activate x", Some("x")),
            ("pyenv install 3.11", None),
            ("pyenv local", None),
            ("asdf global python 3.11.4", Some("3.11.4")),
            ("asdf set -u python 3.11.4", Some("3.11.4")),
            ("asdf global nodejs 20", None),
            ("mise use -g python@3.12", Some("3.12")),
            ("mise use node@20", None),
            ("workon x", Some("x")),
            ("update-alternatives --set python3 /usr/bin/python3.11", Some("3.11")),
            ("update-alternatives --install /usr/bin/python python /usr/bin/python3.9 1", Some("3.9")),
            ("update-alternatives --install /usr/bin/python python /usr/bin/python3 1", None),
            ("update-alternatives --set gcc /usr/bin/gcc-11", None),
        ] {
            let does = read(&words(line), at);
            let python = match does.as_slice() {
                [Does::Enter(Place::Python(text))] => text.known(),
                [] => None,
                other => panic!("{line}: {other:?}"),
            };
            assert_eq!(python, want, "{line}");
        }
        for (word, want) in [
            ("pip=pip3.11", Some("3.11")),
            ("python='/opt/py/bin/python -u'", Some("/opt/py/bin/python")),
            ("pip=uv", None),
            ("python=python3", None),
            ("ll=ls", None),
        ] {
            let word = Text::literal(word.replace('\'', ""), at);
            let python = alias(&word).map(|does| if let Does::Enter(Place::Python(t)) = does { t } else { panic!() });
            assert_eq!(python.as_ref().and_then(Text::known), want, "{word:?}");
        }
    }
}
