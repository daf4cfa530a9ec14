//! pdm's command line: <https://pdm-project.org/latest/reference/cli/>.

use super::options::{Grammar, Part};
use super::pip;
use crate::outline::{Does, How, Include, Install, InstallFlags, Target, Text, Tool};
use crate::source::Span;

const PDM: Grammar = Grammar {
    valued: &[
        &["-G", "--group", "--with"],
        &["--without"],
        &["-p", "--project"],
        &["-L", "--lockfile"],
        &["-k", "--skip"],
        &["--venv"],
        &["-c", "--config"],
        &["--config-setting"],
        &["--exclude-newer"],
        &["--override"],
        &["-e", "--editable"],
    ],
    flags: &[
        &["-d", "--dev"],
        &["--prod", "--production"],
        &["--no-default"],
        &["--dry-run"],
        &["--check"],
        &["--no-lock", "--frozen-lockfile"],
        &["--no-self"],
        &["--no-editable"],
        &["--no-isolation"],
        &["--no-sync"],
        &["-g", "--global"],
        &["--clean"],
        &["--only-keep"],
        &["-r", "--reinstall"],
        &["-q", "--quiet"],
        &["-v", "--verbose"],
        &["-h", "--help"],
        &["-V", "--version"],
    ],
    abbreviates: false,
};

/// What `pdm …` does; `words` are those behind `pdm`.
pub(super) fn pdm(words: &[Text], at: Span) -> Vec<Does> {
    let Some((mut parts, command, rest)) = PDM.command(words) else { return Vec::new() };
    parts.extend(PDM.parse(rest));
    match command.known() {
        Some("install" | "sync") => project(parts, at),
        Some("add") => project(parts, at),
        // What is newest on that day is installed, and locked.
        Some("update" | "lock") => vec![Does::Edit(Text::literal("pdm.lock", at))],
        _ => Vec::new(),
    }
}

fn project(parts: Vec<Part>, at: Span) -> Vec<Does> {
    let mut folder = Text::literal(".", at);
    let mut it = Install {
        tool: Tool::Pdm,
        asks: Vec::new(),
        reads: Vec::new(),
        indexes: Vec::new(),
        target: Target::Active,
        flags: InstallFlags { default_groups: true, ..InstallFlags::default() },
        line: None,
    };
    let mut production = false;
    for part in parts {
        match part {
            Part::Argument(word) => pip::ask(&mut it, word),
            Part::Option { name: "--no-default", .. } => it.flags.parts_only = true,
            // Another lock than the one that we know.
            Part::Option { name: "--lockfile" | "--override", .. } => return Vec::new(),
            Part::Option { name: "--dry-run" | "--check" | "--no-sync" | "--global", .. } => it.flags.elsewhere = true,
            Part::Option { name: "--exclude-newer", .. } => it.flags.not_newest = true,
            Part::Option { name: "--production", .. } => (production, it.flags.default_groups) = (true, false),
            Part::Option { name: "--dev", .. } => it.flags.all_groups = true,
            Part::Option { name: "--reinstall", .. } => it.flags.reinstall = true,
            Part::Option { name: "--project", value: Some(value), .. } => folder = value,
            Part::Option { name: "--without", value: Some(value), .. } => it.flags.without.extend(pip::names(&value)),
            Part::Option { name: "--with", value: Some(value), .. } if value.known() == Some(":all") => {
                it.flags.all_extras = true
            }
            Part::Option { name: "--with", value: Some(value), .. } => {
                // pdm calls extras groups.
                it.flags.extras.extend(pip::names(&value));
                it.flags.groups.extend(pip::names(&value));
            }
            _ => {}
        }
    }
    // A group that is named stands for all of them; what is left out is left out of all there is.
    it.flags.all_extras |= !it.flags.without.is_empty() && it.flags.groups.is_empty() && !it.flags.all_groups && !production;
    it.flags.all_groups &= it.flags.groups.is_empty();
    it.reads.insert(0, Include { path: folder, how: How::Project });
    vec![Does::Install(it)]
}

#[cfg(test)]
mod tests {
    use super::super::pip::tests::{show, words};
    use super::*;
    use crate::source::FileId;

    #[test]
    fn commands() {
        for (line, want) in [
            ("install -G gpu --prod --no-lock", "Pdm Project:. extras:gpu groups:gpu"),
            ("sync -p /app --without dev --no-editable", "Pdm Project:/app all-extras defaults without:dev"),
            ("sync --prod --without gpu", "Pdm Project:. without:gpu"),
            ("install -d", "Pdm Project:. all-groups defaults"),
            ("install -d -G t", "Pdm Project:. defaults extras:t groups:t"),
            ("install -G :all", "Pdm Project:. all-extras defaults"),
            ("sync -G t --no-default", "Pdm Project:. parts-only defaults extras:t groups:t"),
            ("install --check", "Pdm Project:. elsewhere defaults"),
            ("install -L other.lock", ""),
            ("add torch==2.1.0", "Pdm torch==2.1.0 Project:. defaults"),
            ("run train", ""),
            ("", ""),
        ] {
            assert_eq!(show(&pdm(&words(line), Span::new(FileId(0), 0, line.len()))), want, "{line}");
        }
        assert!(matches!(&pdm(&words("update"), Span::new(FileId(0), 0, 6))[..], [Does::Edit(_)]));
    }
}
