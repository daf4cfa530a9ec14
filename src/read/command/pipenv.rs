//! pipenv's command line: <https://pipenv.pypa.io/en/latest/commands.html>.

use super::asks::{index, normal};
use super::options::{Grammar, Part};
use super::pip;
use crate::outline::{Does, How, Include, IndexKind, Install, InstallFlags, Removal, Target, Text, Tool};
use crate::source::Span;

const PIPENV: Grammar = Grammar {
    valued: &[
        &["-r", "--requirements"],
        &["-e", "--editable"],
        &["-i", "--index"],
        &["--categories"],
        &["--python"],
        &["--pypi-mirror"],
        &["--extra-pip-args"],
    ],
    flags: &[
        &["-d", "--dev"],
        &["--system"],
        &["--deploy"],
        &["--ignore-pipfile"],
        &["--skip-lock"],
        &["--pre"],
        &["--site-packages"],
        &["-v", "--verbose"],
        &["-q", "--quiet"],
        &["--clear"],
        &["-h", "--help"],
    ],
    abbreviates: false,
};

/// What `pipenv …` does; `words` are those behind `pipenv`.
pub(super) fn pipenv(words: &[Text], at: Span) -> Vec<Does> {
    let Some((mut parts, command, rest)) = PIPENV.command(words) else { return Vec::new() };
    parts.extend(PIPENV.parse(rest));
    match command.known() {
        Some("install" | "sync") => install(parts, at),
        // What is newest on that day is installed, and locked.
        Some("update" | "lock" | "upgrade") => vec![Does::Edit(Text::literal("Pipfile.lock", at))],
        Some("uninstall") => {
            let names = pip::named(parts);
            if names.is_empty() { Vec::new() } else { vec![Does::Remove(Removal::of(Tool::Pipenv, names))] }
        }
        _ => Vec::new(),
    }
}

fn install(parts: Vec<Part>, at: Span) -> Vec<Does> {
    let mut it = Install {
        tool: Tool::Pipenv,
        asks: Vec::new(),
        reads: vec![Include { path: Text::literal(".", at), how: How::Project }],
        indexes: Vec::new(),
        target: Target::Active,
        flags: InstallFlags::default(),
        line: None,
    };
    for part in parts {
        match part {
            Part::Argument(word) | Part::Option { name: "--editable", value: Some(word), .. } => pip::ask(&mut it, word),
            Part::Option { name: "--requirements", value: Some(path), .. } => {
                it.reads.push(Include { path, how: How::Requirements });
            }
            Part::Option { name: "--index", value: Some(url), .. } => it.indexes.push(index(url, IndexKind::Primary)),
            Part::Option { name: "--categories", value: Some(value), .. } => categories(&mut it, &value),
            Part::Option { name: "--dev", .. } => it.flags.groups.push(Text::literal("dev", at)),
            Part::Option { name: "--pre", .. } => it.flags.pre = true,
            // The Python that runs pipenv itself.
            Part::Option { name: "--system", .. } => it.target = Target::Prefix(Text::literal("/usr", at)),
            // The newest of what the Pipfile asks for: the lock is not looked at.
            Part::Option { name: "--skip-lock", .. } => return Vec::new(),
            _ => {}
        }
    }
    vec![Does::Install(it)]
}

/// `--categories "a,b c"`: these alone; pipenv's own two are called otherwise here.
/// Source: <https://pipenv.pypa.io/en/latest/pipfile.html>.
fn categories(it: &mut Install, value: &Text) {
    let names: Vec<Text> = match value.known() {
        Some(text) => text
            .split([' ', ','])
            .filter(|name| !name.is_empty())
            .map(|name| match name {
                "dev-packages" | "develop" => Text::literal("dev", value.at),
                name => normal(Text::literal(name, value.at)),
            })
            .collect(),
        None => vec![value.clone()],
    };
    let (own, others): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|name| matches!(name.known(), Some("packages" | "default")));
    it.flags.parts_only = own.is_empty();
    it.flags.groups.extend(others);
}

#[cfg(test)]
mod tests {
    use super::super::pip::tests::{show, words};
    use super::*;
    use crate::source::FileId;

    #[test]
    fn commands() {
        for (line, want) in [
            ("install --system --deploy --ignore-pipfile", "Pipenv Project:. into:/usr"),
            ("sync --dev", "Pipenv Project:. groups:dev"),
            ("install --categories packages,dev-packages,gpu", "Pipenv Project:. groups:dev,gpu"),
            ("install torch==2.1.0 -i https://e.org/cu118", "Pipenv torch==2.1.0 Project:. Primary:https://e.org/cu118"),
            ("sync --categories cpu,test", "Pipenv Project:. parts-only groups:cpu,test"),
            ("install -r a.txt", "Pipenv Project:. Requirements:a.txt"),
            ("install --skip-lock", ""),
            ("uninstall torch", "Pipenv removes torch"),
            ("run x", ""),
            ("", ""),
        ] {
            assert_eq!(show(&pipenv(&words(line), Span::new(FileId(0), 0, line.len()))), want, "{line}");
        }
        let at = Span::new(FileId(0), 0, 0);
        let quoted = [words("sync --categories"), vec![Text::literal("cpu packages", at)]].concat();
        assert_eq!(show(&pipenv(&quoted, at)), "Pipenv Project:. groups:cpu");
    }
}
