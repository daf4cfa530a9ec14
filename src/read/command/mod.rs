//! Command lines: one grammar a program, used wherever commands stand (shell, Dockerfile, CI, compose).

mod apptainer;
pub(super) mod asks;
mod compile;
pub(in crate::read) mod compose;
mod conda;
pub(super) mod docker;
mod files;
mod modules;
pub(super) mod options;
mod pdm;
pub(super) mod pip;
mod pipenv;
mod pipx;
mod pixi;
mod poetry;
pub(super) mod pythons;
pub(super) mod slurm;
mod system;
pub(super) mod uv;
mod wrapper;

use std::collections::HashSet;

use crate::outline::{Does, Line, Piece, Target, Text, Tool};
use crate::source::Span;

pub(crate) use wrapper::{Unwrapped, unwrap};

/// The words of one command, its program first → what it does, in order.
type Grammar = fn(&[Text], Span) -> Vec<Does>;

/// Which program has which grammar; a version behind the name (`pip3.11`) is cut off before.
static GRAMMARS: &[(&[&str], Grammar)] = &[
    (&["conda", "mamba", "micromamba"], |words, at| conda::conda(words.get(1..).unwrap_or_default(), at)),
    (&["conda-lock"], |words, at| conda::conda_lock(words.get(1..).unwrap_or_default(), at)),
    (&["poetry"], |words, at| poetry::poetry(words.get(1..).unwrap_or_default(), at)),
    (&["pdm"], |words, at| pdm::pdm(words.get(1..).unwrap_or_default(), at)),
    (&["pipenv"], |words, at| pipenv::pipenv(words.get(1..).unwrap_or_default(), at)),
    (&["pixi"], |words, at| pixi::pixi(words.get(1..).unwrap_or_default(), at)),
    (&["pip"], |words, _| pip::pip(words.get(1..).unwrap_or_default())),
    (&["uv"], |words, at| uv::uv(words.get(1..).unwrap_or_default(), at)),
    (&["uvx"], |words, at| uv::uvx(words.get(1..).unwrap_or_default(), at)),
    (&["pipx"], pipx::pipx),
    (&["docker", "podman", "nvidia-docker"], docker::docker),
    (&["docker-compose", "podman-compose"], |words, at| {
        compose::compose(words.get(1..).unwrap_or_default(), words.first().map_or(at, |w| w.at))
    }),
    (&["aws"], pip::codeartifact),
    (&["pyenv"], pythons::pyenv),
    (&["asdf"], pythons::asdf),
    (&["mise", "rtx"], pythons::mise),
    (&["workon"], pythons::workon),
    (&["update-alternatives", "alternatives"], pythons::alternatives),
    (
        &["apt", "apt-get", "aptitude", "dnf", "yum", "microdnf", "tdnf", "apk", "zypper", "pacman", "ubuntu-drivers"],
        system::system,
    ),
    (&["nvcc", "cmake", "make", "ninja"], compile::compile),
    (&["srun", "shifter"], slurm::slurm),
    (&["apptainer", "singularity"], apptainer::apptainer),
    (&["module", "ml"], modules::modules),
    (&["ln"], pythons::link),
    (&["apt-key", "rpm", "rpmkeys"], files::key),
    (&["sed", "gsed", "perl", "tee", "mv", "cp", "curl", "wget", "patch", "truncate"], files::files),
];

/// What a command line does. `at` is the whole of it.
pub(crate) fn read(words: &[Text], at: Span) -> Vec<Does> {
    let Unwrapped { sets, mut words } = unwrap(words);
    let mut does = Vec::new();
    let mut target = None;
    for _ in 0..4 {
        match inner(&words) {
            Some((inner, inside)) => {
                words = unwrap(inner).words;
                target = inside.or(target);
            }
            None => break,
        }
    }
    let Some(first) = words.first() else { return does };
    let program = Program::of(first);
    target = program.prefix().map(Target::Prefix).or(target).or_else(|| program.minor().map(Target::Python));
    if program.is_installed_by_variable() {
        target = target.or_else(|| Some(Target::Prefix(first.clone())));
    }
    does.extend(match program.family() {
        "python" => python(&words, at, matches!(target, None | Some(Target::Python(_))).then_some(first)),
        "virtualenv" => made(&words[1..], None),
        family => grammar(family).map(|grammar| grammar(&words, at)).unwrap_or_default(),
    });
    if let Some(target) = target {
        into(&mut does, &target);
    }
    if !does.is_empty() {
        does.splice(0..0, sets.into_iter().map(Does::Set));
    }
    does
}

/// The same of words of which a shell cuts those at the places `cut`; a program that a variable names is cut, too.
pub(crate) fn read_cut(words: &[Text], at: Span, cut: &HashSet<Span>) -> Vec<Does> {
    let mut does = read(words, at);
    let program = program(words);
    let is_cut = |word: &Text| word.known().is_none() && (cut.contains(&word.at) || program.as_ref() == Some(word));
    if words.iter().any(is_cut) {
        for does in &mut does {
            let line = match does {
                Does::Install(install) => &mut install.line,
                Does::Remove(removal) => &mut removal.line,
                _ => continue,
            };
            *line = Some(Line { words: words.iter().map(|word| (word.clone(), is_cut(word))).collect() });
        }
    }
    does
}

/// The word of a command that names its program, behind those that it is wrapped in.
pub(crate) fn program(words: &[Text]) -> Option<Text> {
    unwrap(words).words.into_iter().next()
}

/// Whether the words of a command may be one that is read here; a program that is not known may be any.
pub(crate) fn is_read(words: &[Text]) -> bool {
    let Unwrapped { words, .. } = unwrap(words);
    let words = inner(&words).map_or(words.as_slice(), |(inner, _)| inner);
    words.first().is_some_and(|first| {
        let family = Program::of(first);
        first.known().is_none() || matches!(family.family(), "python" | "virtualenv") || grammar(family.family()).is_some()
    })
}

/// `NAME=value` as one word.
pub(crate) fn assignment(word: &Text) -> Option<(String, Text)> {
    let Some(Piece::Literal(first)) = word.pieces.first() else { return None };
    let (name, value) = first.split_once('=')?;
    let good = !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    let mut pieces = word.pieces.clone();
    if value.is_empty() {
        pieces.remove(0);
    } else {
        pieces[0] = Piece::Literal(value.to_owned());
    }
    (good && !name.starts_with(|c: char| c.is_ascii_digit())).then(|| (name.to_owned(), Text { pieces, at: word.at }))
}

fn grammar(family: &str) -> Option<Grammar> {
    GRAMMARS.iter().find(|(names, _)| names.contains(&family)).map(|(_, grammar)| *grammar)
}

/// A command that a command runs in another environment: `conda run -n x pip …`, `poetry run pip …`.
pub(crate) fn inner(words: &[Text]) -> Option<(&[Text], Option<Target>)> {
    let (first, mut rest) = words.split_first()?;
    let own = match Program::of(first).family() {
        "poetry" => Some(Tool::Poetry),
        "pdm" => Some(Tool::Pdm),
        "pipenv" => Some(Tool::Pipenv),
        _ => None,
    };
    if let Some(tool) = own {
        let (_, inside) = rest.split_first().filter(|(word, _)| word.known() == Some("run"))?;
        return Some((inside, Some(Target::Own(tool))));
    }
    if !matches!(Program::of(first).family(), "conda" | "mamba" | "micromamba") {
        return None;
    }
    rest = rest.split_first().filter(|(word, _)| word.known() == Some("run"))?.1;
    let mut target = None;
    while let Some((word, after)) = rest.split_first() {
        let Some(option) = word.known().filter(|w| w.starts_with('-')) else { break };
        rest = after;
        match option {
            "-n" | "--name" => target = after.first().cloned().map(Target::Named),
            "-p" | "--prefix" => target = after.first().cloned().map(Target::Prefix),
            "--cwd" | "-r" | "--root-prefix" | "-e" | "--env" => {}
            _ => {
                if let Some(name) = option.strip_prefix("--name=").or(option.strip_prefix("-n")) {
                    target = Some(Target::Named(Text::literal(name, word.at)));
                } else if let Some(prefix) = option.strip_prefix("--prefix=") {
                    target = Some(Target::Prefix(Text::literal(prefix, word.at)));
                }
                continue;
            }
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    Some((rest, target))
}

/// `python -m pip …`, `python setup.py …`. `unknown` is the program's word where that may be a variable.
fn python(words: &[Text], at: Span, program: Option<&Text>) -> Vec<Does> {
    let mut i = 1;
    while let Some(option) = words.get(i).and_then(Text::known) {
        match option {
            "-m" => {
                let family = words.get(i + 1).and_then(Text::known).unwrap_or_default();
                if matches!(family, "venv" | "virtualenv") {
                    return made(&words[i + 2..], words.first().and_then(pythons::named));
                }
                let mut does = grammar(family).map(|grammar| grammar(&words[i + 1..], at)).unwrap_or_default();
                if let Some(program) = program.filter(|p| !Program::of(p).told) {
                    into(&mut does, &Target::Prefix(program.clone()));
                }
                return does;
            }
            "-mpip" => return grammar("pip").map(|grammar| grammar(&words[i..], at)).unwrap_or_default(),
            "-X" | "-W" => i += 2,
            _ if option.starts_with('-') && option.len() > 1 && option != "-c" => i += 1,
            _ => return compile::setup_py(&words[i..]),
        }
    }
    Vec::new()
}

/// `python -m venv X`, `virtualenv -p python3.10 X`: the folder that it makes an environment in, and the Python that is named.
fn made(words: &[Text], mut python: Option<Text>) -> Vec<Does> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.known() {
            Some("-p" | "--python") => python = words.next().and_then(pythons::named),
            Some("--prompt" | "--app-data" | "--seeder" | "--creator") => drop(words.next()),
            Some(option) if option.starts_with("--python=") => {
                python = pythons::named(&Text::literal(option.trim_start_matches("--python="), word.at));
            }
            Some(option) if option.starts_with('-') => {}
            _ => return vec![Does::Venv { folder: word.clone(), python }],
        }
    }
    Vec::new()
}

fn into(does: &mut [Does], target: &Target) {
    for does in does {
        let own = match does {
            Does::Install(install) => &mut install.target,
            Does::Remove(removal) => &mut removal.target,
            _ => continue,
        };
        if *own == Target::Active {
            *own = target.clone();
        }
    }
}

/// The first word of a command.
struct Program<'a> {
    word: &'a Text,
    /// Behind the last `/`; of a variable what it is without a value, or what its own name says.
    name: Option<&'a str>,
    /// It is written, no variable's.
    told: bool,
}

/// What variables are called that hold programs: `$PIP install`, `"$CONDA_EXE" install`. `MAMBA_EXE` and `CONDA_EXE` are set by
/// these themselves: <https://docs.conda.io/projects/conda/en/stable/dev-guide/deep-dives/activation.html>.
static VARIABLES: &[(&[&str], &str)] = &[
    (&["PIP", "PIP2", "PIP3", "PIP_BIN", "PIP_CMD", "PIP_EXE", "VENV_PIP"], "pip"),
    (&["CONDA", "CONDA_BIN", "CONDA_CMD", "CONDA_EXE", "MAMBA", "MAMBA_BIN", "MAMBA_CMD", "MAMBA_EXE", "MICROMAMBA"], "conda"),
    (&["UV", "UV_BIN", "UV_CMD"], "uv"),
];

fn behind_slash(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).next()
}

impl<'a> Program<'a> {
    fn of(word: &'a Text) -> Self {
        let name = match word.pieces.as_slice() {
            [] => None,
            [.., Piece::Literal(last)] if word.pieces.len() == 1 || last.contains('/') => behind_slash(last),
            // `python${VERSION}`, `/usr/bin/python${VERSION}`.
            [Piece::Literal(first), Piece::Variable { .. }] => behind_slash(first).filter(|name| !name.is_empty()),
            _ => None,
        };
        let of_variable = || match word.pieces.as_slice() {
            [Piece::Variable { name, fallback, instead: None }] => {
                let upper = name.to_ascii_uppercase();
                let known = VARIABLES.iter().find(|(names, _)| names.contains(&upper.as_str())).map(|(_, program)| *program);
                match fallback.as_deref() {
                    Some([Piece::Literal(path)]) if !path.contains(' ') => behind_slash(path),
                    _ => known,
                }
            }
            _ => None,
        };
        Self { word, name: name.or_else(of_variable), told: name.is_some() }
    }

    /// Its name without a version; `python` for `"$PY"`, as which it is read when `-m` follows.
    fn family(&self) -> &'a str {
        let Some(name) = self.name else { return "python" };
        let name = name.strip_suffix(".exe").unwrap_or(name);
        match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "python" | "pypy" => "python",
            family => family,
        }
    }

    /// A `pip` that a variable names: it may lie anywhere.
    fn is_installed_by_variable(&self) -> bool {
        !self.told && self.family() == "pip"
    }

    /// `3.9` of `python3.9` and `pip3.9`.
    fn minor(&self) -> Option<String> {
        let name = self.name.filter(|_| self.told)?;
        let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pip"))?;
        let minor = version.strip_prefix("3.")?;
        (!minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit())).then(|| version.to_owned())
    }

    /// `/opt/venv` of `/opt/venv/bin/pip`.
    fn prefix(&self) -> Option<Text> {
        let mut pieces = self.word.pieces.clone();
        let slash = pieces.iter_mut().rposition(|p| matches!(p, Piece::Literal(text) if text.contains('/')))?;
        let Some(Piece::Literal(text)) = pieces.get_mut(slash) else { return None };
        let folder = &text[..text.rfind('/')?];
        let kept = ["/bin", "/Scripts"].iter().find_map(|end| folder.strip_suffix(end))?.to_owned();
        pieces.truncate(slash);
        if !kept.is_empty() {
            pieces.push(Piece::Literal(kept));
        }
        (!pieces.is_empty()).then_some(Text { pieces, at: self.word.at })
    }
}

#[cfg(test)]
mod tests;
