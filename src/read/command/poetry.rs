//! poetry's command line: <https://python-poetry.org/docs/cli/>.

use super::asks::normal;
use super::options::{Grammar, Part};
use super::pip;
use crate::outline::{Does, How, Include, Install, InstallFlags, Removal, Scope, Target, Text, Tool, Variable};
use crate::source::Span;

const POETRY: Grammar = Grammar {
    valued: &[
        &["--with"],
        &["--without"],
        &["--only"],
        &["-E", "--extras"],
        &["-C", "--directory"],
        &["-P", "--project"],
        &["-G", "--group"],
        &["--source"],
        &["--python"],
        &["--platform"],
        &["--markers"],
    ],
    flags: &[
        &["--all-extras"],
        &["--all-groups"],
        &["--no-dev"],
        &["--no-root"],
        &["--no-directory"],
        &["--only-root"],
        &["--sync"],
        &["--remove-untracked"],
        &["--dry-run"],
        &["--compile"],
        &["--lock"],
        &["-D", "--dev"],
        &["-e", "--editable"],
        &["--optional"],
        &["--allow-prereleases"],
        &["-n", "--no-interaction"],
        &["--no-plugins"],
        &["--no-cache"],
        &["--ansi"],
        &["--no-ansi"],
        &["-q", "--quiet"],
        &["-v", "-vv", "-vvv", "--verbose"],
        &["-h", "--help"],
        &["-V", "--version"],
    ],
    abbreviates: false,
};

/// What `poetry …` does; `words` are those behind `poetry`.
pub(super) fn poetry(words: &[Text], at: Span) -> Vec<Does> {
    let Some((mut parts, command, rest)) = POETRY.command(words) else { return Vec::new() };
    parts.extend(POETRY.parse(rest));
    match command.known() {
        Some("install" | "sync") => install(parts, at),
        Some("export") => export(&parts, at),
        Some("add") => add(parts, at),
        // What is newest on that day is installed, and locked.
        Some("update" | "lock") => vec![Does::Edit(Text::literal("poetry.lock", at))],
        Some("remove") => remove(&parts),
        Some("config") => config(&parts),
        _ => Vec::new(),
    }
}

fn new(at: Span, folder: Option<Text>) -> Install {
    let folder = folder.unwrap_or_else(|| Text::literal(".", at));
    Install {
        tool: Tool::Poetry,
        asks: Vec::new(),
        reads: vec![Include { path: folder, how: How::Project }],
        indexes: Vec::new(),
        target: Target::Active,
        flags: InstallFlags { default_groups: true, ..InstallFlags::default() },
        line: None,
    }
}

fn folder(parts: &[Part]) -> Option<Text> {
    parts.iter().rev().find_map(|part| match part {
        Part::Option { name: "--directory" | "--project", value, .. } => value.clone(),
        _ => None,
    })
}

fn install(parts: Vec<Part>, at: Span) -> Vec<Does> {
    let mut it = new(at, folder(&parts));
    for part in parts {
        match part {
            Part::Option { name: "--only-root", .. } => return Vec::new(),
            Part::Option { name: "--dry-run", .. } => it.flags.elsewhere = true,
            Part::Option { name: "--all-extras", .. } => it.flags.all_extras = true,
            Part::Option { name: "--all-groups", .. } => it.flags.all_groups = true,
            Part::Option { name: "--no-dev", .. } => it.flags.without.push(Text::literal("dev", at)),
            Part::Option { name: "--with", value: Some(value), .. } => it.flags.groups.extend(pip::names(&value)),
            Part::Option { name: "--without", value: Some(value), .. } => it.flags.without.extend(pip::names(&value)),
            Part::Option { name: "--extras", value: Some(value), .. } => it.flags.extras.extend(words_of(&value)),
            Part::Option { name: "--only", value: Some(value), .. } => {
                let (main, others): (Vec<_>, Vec<_>) = pip::names(&value).into_iter().partition(|g| g.known() == Some("main"));
                // Other groups alone leave the project's own packages out.
                it.flags.parts_only = main.is_empty() && (it.flags.default_groups || it.flags.parts_only);
                it.flags.default_groups = false;
                it.flags.groups.extend(others);
            }
            _ => {}
        }
    }
    vec![Does::Install(it)]
}

/// The lock as a list, for others to install.
fn export(parts: &[Part], at: Span) -> Vec<Does> {
    let mut it = new(at, folder(parts));
    it.flags.elsewhere = true;
    vec![Does::Install(it)]
}

/// `--extras "a b"`, `--extras a,b`.
fn words_of(value: &Text) -> Vec<Text> {
    match value.known() {
        Some(text) => {
            let names = text.split([' ', ',']).filter(|name| !name.is_empty());
            names.map(|name| normal(Text::literal(name, value.at))).collect()
        }
        None => vec![value.clone()],
    }
}

/// The project with its lock and the new packages; a version behind `@` is poetry's own notation, which is not read here.
fn add(parts: Vec<Part>, at: Span) -> Vec<Does> {
    let mut it = new(at, folder(&parts));
    let source = parts.iter().any(|part| matches!(part, Part::Option { name: "--source", .. }));
    for part in parts {
        match part {
            Part::Option { name: "--dry-run" | "--lock", .. } => it.flags.elsewhere = true,
            Part::Argument(word) if !source && !word.known().is_some_and(|text| text.contains('@')) => pip::ask(&mut it, word),
            _ => {}
        }
    }
    vec![Does::Install(it)]
}

fn remove(parts: &[Part]) -> Vec<Does> {
    let named = parts.iter().filter_map(|part| if let Part::Argument(word) = part { Some(normal(word.clone())) } else { None });
    let names: Vec<_> = named.collect();
    if names.is_empty() { Vec::new() } else { vec![Does::Remove(Removal::of(Tool::Poetry, names))] }
}

/// `poetry config virtualenvs.create false` acts as the variable does.
fn config(parts: &[Part]) -> Vec<Does> {
    let words: Vec<_> = parts.iter().filter_map(|p| if let Part::Argument(word) = p { Some(word) } else { None }).collect();
    match words.as_slice() {
        [key, value] if key.known() == Some("virtualenvs.create") => vec![Does::Set(Variable {
            name: "POETRY_VIRTUALENVS_CREATE".to_owned(),
            value: Some((*value).clone()),
            scope: Scope::Configured,
        })],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::pip::tests::{show, words};
    use super::*;
    use crate::source::FileId;

    #[test]
    fn commands() {
        for (line, want) in [
            (
                "install --no-root -E gpu --with Train,x --without dev",
                "Poetry Project:. defaults extras:gpu groups:train,x without:dev",
            ),
            ("install --only main --no-interaction", "Poetry Project:."),
            ("install --only dev", "Poetry Project:. parts-only groups:dev"),
            ("install --only dev,main", "Poetry Project:. groups:dev"),
            ("install --all-groups", "Poetry Project:. all-groups defaults"),
            ("install --only-root", ""),
            ("-C /app sync --all-extras", "Poetry Project:/app all-extras defaults"),
            ("install --no-dev --dry-run", "Poetry Project:. elsewhere defaults without:dev"),
            ("add torch==2.1.0 numpy@^1", "Poetry torch==2.1.0 Project:. defaults"),
            ("add --source pt torch==2.1.0", "Poetry Project:. defaults"),
            ("export -f requirements.txt --without-hashes -o r.txt", "Poetry Project:. elsewhere defaults"),
            ("remove torch", "Poetry removes torch"),
            ("config virtualenvs.create false --local", "POETRY_VIRTUALENVS_CREATE=false"),
            ("config virtualenvs.create false", "POETRY_VIRTUALENVS_CREATE=false"),
            ("run python x.py", ""),
            ("", ""),
        ] {
            assert_eq!(show(&poetry(&words(line), Span::new(FileId(0), 0, line.len()))), want, "{line}");
        }
        assert!(
            matches!(&poetry(&words("lock"), Span::new(FileId(0), 0, 4))[..], [Does::Edit(t)] if t.known() == Some("poetry.lock"))
        );
    }
}
