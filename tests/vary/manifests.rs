//! The same requirements in another kind of file.

use std::collections::{BTreeMap, BTreeSet};

use cudalint::outline::Kind;

use crate::Rewrite;
use crate::calls::{Argument, Call, Is, calls, has_calls, unquoted};
use crate::labelled::At;
use crate::words::is_named;
use crate::written::{Line, Written};

/// What a call of pip names, in a requirements file that the call installs.
pub(crate) fn out_of_calls(written: &Written) -> Option<Written> {
    let mut files: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    // A script in an image finds what was copied there.
    let in_image = written.files.keys().any(|path| path.contains("Dockerfile") || path.contains("Containerfile"));
    let mut out = written.each_line(|kind, line| {
        let calls = calls(&line.text);
        let whole = if kind == Kind::Dockerfile { line.text.starts_with("RUN ") } else { kind == Kind::Script && !in_image };
        let ready = whole && !line.text.contains("cd ");
        let [call] = calls.as_slice() else { return None };
        // Files know no `--no-deps`, and one that names pins of variables would need them.
        let named: Vec<_> = call.requirements().map(|argument| line.with(unquoted(&argument.text))).collect();
        if !ready || named.is_empty() {
            return None;
        }
        let path = format!("requirements/step-{}.txt", files.len());
        files.insert(path.clone(), named);
        let mut rest: Vec<_> = call.arguments.iter().filter(|a| a.is != Is::Requirement).cloned().collect();
        rest.push(Argument { text: format!("-r {path}"), is: Is::Option });
        let mut text = line.text.clone();
        text.replace_range(call.at.clone(), &Call::text(&call.head, &rest));
        let copy = (kind == Kind::Dockerfile).then(|| Line::new(format!("COPY {path} requirements/")));
        Some(copy.into_iter().chain([line.with(text)]).collect())
    })?;
    out.files.extend(files);
    Some(out)
}

/// What `-r` leads to, in the call itself.
pub(crate) fn into_calls(written: &Written) -> Option<Written> {
    let mut gone: BTreeSet<String> = BTreeSet::new();
    let named = |path: &str| {
        written.files.get(path).filter(|lines| lines.iter().all(|line| is_named(&line.text) && !line.text.contains('"')))
    };
    let mut out = written.each_line(|kind, line| {
        let calls = calls(&line.text);
        let [call] = calls.as_slice() else { return None };
        let path = call.value("-r").filter(|_| has_calls(kind))?;
        let lines = named(path)?;
        gone.insert(path.to_owned());
        let mut rest: Vec<_> = call.arguments.iter().filter(|a| !a.text.starts_with("-r ")).cloned().collect();
        rest.extend(lines.iter().map(|line| Argument { text: format!("\"{}\"", line.text), is: Is::Requirement }));
        let mut new = line.clone();
        new.text.replace_range(call.at.clone(), &Call::text(&call.head, &rest));
        new.of.extend(lines.iter().flat_map(|line| line.of.iter().cloned()));
        Some(vec![new])
    })?;
    for path in &gone {
        out.files.remove(path);
        let copy = format!("COPY {path} ");
        out = out.each_line(|_, line| line.text.starts_with(&copy).then(Vec::new)).unwrap_or(out);
        if out.says(path) {
            return None;
        }
    }
    Some(out)
}

/// The lines in a file that the requirements file includes.
pub(crate) fn included(written: &Written) -> Option<Written> {
    beside(written, "requirements-base.txt", |_| true, |_| None, "-r requirements-base.txt")
}

/// Exact pins in a constraints file.
pub(crate) fn constrained(written: &Written) -> Option<Written> {
    let pinned = |line: &str| line.contains("==") && !line.contains(['[', '*']);
    let name = |line: &str| line.split_once("==").map(|(name, _)| name.trim().to_owned());
    beside(written, "constraints.txt", pinned, name, "-c constraints.txt")
}

/// Lines of the only requirements file, in a second one beside it, and what stays of each in the first.
fn beside(
    written: &Written,
    other: &str,
    moves: impl Fn(&str) -> bool,
    stays: impl Fn(&str) -> Option<String>,
    link: &str,
) -> Option<Written> {
    let (path, kind, lines) = written.only_file()?;
    let folder = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    if kind != Kind::Requirements {
        return None;
    }
    let mut all: BTreeSet<At> = BTreeSet::new();
    let (mut kept, mut moved) = (Vec::new(), Vec::new());
    for line in lines {
        if is_named(&line.text) && moves(&line.text) {
            all.extend(line.of.iter().cloned());
            kept.extend(stays(&line.text).map(|text| line.with(text)));
            moved.push(line.clone());
        } else {
            kept.push(line.clone());
        }
    }
    kept.push(Line { text: link.to_owned(), of: all });
    let files = BTreeMap::from([(path.to_owned(), kept), (format!("{folder}{other}"), moved.clone())]);
    (!moved.is_empty()).then(|| Written { files, ..written.clone() })
}

/// A manifest that lists requirements.
pub(crate) struct Manifest {
    path: &'static str,
    before: &'static [&'static str],
    /// A requirement as the list writes it.
    item: fn(&str) -> Option<String>,
    /// An option, if the list may hold it.
    option: fn(&str) -> Option<String>,
    after: &'static [&'static str],
}

fn quoted(requirement: &str) -> Option<String> {
    (!requirement.contains('"')).then(|| format!("    \"{requirement}\","))
}

fn none(_: &str) -> Option<String> {
    None
}

fn listed(requirement: &str) -> Option<String> {
    Some(format!("      - {requirement}"))
}

/// `name = "specifier"`.
fn keyed(requirement: &str) -> Option<String> {
    let at = requirement.find(['=', '<', '>', '~', '!']).unwrap_or(requirement.len());
    let (name, rest) = requirement.split_at(at);
    let rest = if rest.is_empty() { "*" } else { rest };
    (!name.contains(['[', ';', ' ']) && !rest.contains(';')).then(|| format!("{name} = \"{rest}\""))
}

/// Where a plain requirements file may go; each names the same to install.
const MANIFESTS: &[Manifest] = &[
    Manifest {
        path: "environment.yml",
        before: &["channels:", "  - conda-forge", "dependencies:", "  - pip", "  - pip:"],
        item: listed,
        option: listed,
        after: &[],
    },
    Manifest {
        path: "pyproject.toml",
        before: &["[project]", "name = \"case\"", "version = \"0\"", "dependencies = ["],
        item: quoted,
        option: none,
        after: &["]"],
    },
    Manifest {
        path: "pyproject.toml",
        before: &["[project]", "name = \"case\"", "version = \"0\"", "[project.optional-dependencies]", "train = ["],
        item: quoted,
        option: none,
        after: &["]"],
    },
    Manifest {
        path: "pyproject.toml",
        before: &["[project]", "name = \"case\"", "version = \"0\"", "[dependency-groups]", "train = ["],
        item: quoted,
        option: none,
        after: &["]"],
    },
    Manifest {
        path: "setup.py",
        before: &["from setuptools import setup", "setup(", "    name=\"case\",", "    install_requires=["],
        item: quoted,
        option: none,
        after: &["    ],", ")"],
    },
    Manifest {
        path: "setup.cfg",
        before: &["[metadata]", "name = case", "[options]", "install_requires ="],
        item: |requirement| Some(format!("    {requirement}")),
        option: none,
        after: &[],
    },
    Manifest { path: "Pipfile", before: &["[packages]"], item: keyed, option: none, after: &[] },
    Manifest {
        path: "pyproject.toml",
        before: &["[tool.poetry]", "name = \"case\"", "version = \"0\"", "[tool.poetry.dependencies]"],
        item: keyed,
        option: none,
        after: &[],
    },
];

/// Names of the manifests, for the report.
pub(crate) const INTO: &[(&str, Rewrite)] = &[
    ("requirements in pip: of environment.yml", |written| into(written, &MANIFESTS[0])),
    ("requirements in pyproject", |written| into(written, &MANIFESTS[1])),
    ("requirements in an extra", |written| into(written, &MANIFESTS[2])),
    ("requirements in a group", |written| into(written, &MANIFESTS[3])),
    ("requirements in setup.py", |written| into(written, &MANIFESTS[4])),
    ("requirements in setup.cfg", |written| into(written, &MANIFESTS[5])),
    ("requirements in Pipfile", |written| into(written, &MANIFESTS[6])),
    ("requirements in poetry", |written| into(written, &MANIFESTS[7])),
];

/// The only file, requirements, as another manifest.
fn into(written: &Written, manifest: &Manifest) -> Option<Written> {
    let (path, kind, lines) = written.only_file()?;
    // What the file's name says of a GPU would be lost.
    if kind != Kind::Requirements || ["gpu", "cu1", "cuda"].iter().any(|word| path.contains(word)) {
        return None;
    }
    let item = |line: &Line| {
        let text = if is_named(&line.text) { (manifest.item)(&line.text) } else { (manifest.option)(&line.text) };
        text.map(|text| line.with(text))
    };
    let lines: Vec<_> = lines.iter().map(item).collect::<Option<_>>()?;
    let fixed = |texts: &[&str]| texts.iter().map(|text| Line::new(*text)).collect::<Vec<_>>();
    let whole = [fixed(manifest.before), lines, fixed(manifest.after)].concat();
    Some(Written { files: BTreeMap::from([(manifest.path.to_owned(), whole)]), ..written.clone() })
}

/// The `pip:` section of an environment that has nothing else than Python, as a requirements file.
pub(crate) fn out_of_conda(written: &Written) -> Option<Written> {
    let (_, kind, lines) = written.only_file()?;
    let at = lines.iter().position(|line| line.text.trim() == "- pip:").filter(|_| kind == Kind::CondaEnvironment)?;
    let plain = |line: &Line| {
        let text = line.text.trim();
        text == "dependencies:" || text == "- pip" || text.starts_with("- python=") || text.starts_with("name:")
    };
    let lines_of_pip: Vec<_> =
        lines[at + 1..].iter().map(|line| Some(line.with(line.text.trim().strip_prefix("- ")?))).collect::<Option<_>>()?;
    let files = BTreeMap::from([("requirements.txt".to_owned(), lines_of_pip)]);
    lines[..at].iter().all(plain).then(|| Written { files, ..written.clone() })
}

/// A requirements file installed by a script, or into an image that has Python and nothing else.
pub(crate) fn by_script(written: &Written) -> Option<Written> {
    installed(written, |path| ("install.sh", vec![format!("pip install -r {path}")]))
}

/// The same, where a Makefile installs.
pub(crate) fn by_makefile(written: &Written) -> Option<Written> {
    installed(written, |path| ("Makefile", vec!["install:".to_owned(), format!("\tpip install -r {path}")]))
}

fn installed(written: &Written, by: impl Fn(&str) -> (&'static str, Vec<String>)) -> Option<Written> {
    let (path, kind, _) = written.only_file()?;
    let (by, lines) = by(path);
    let mut out = written.clone();
    out.files.insert(by.to_owned(), lines.into_iter().map(Line::new).collect());
    // A shell script runs where there is a shell.
    (kind == Kind::Requirements && written.os.as_deref() != Some("windows")).then_some(out)
}
