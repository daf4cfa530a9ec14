//! pipx: programs and scripts, each in an environment of its own.
//! Source: <https://pipx.pypa.io/stable/reference/cli/>.

use super::options::{Grammar, Part};
use super::pip;
use super::uv::is_script;
use crate::notation::requirement::normalise;
use crate::outline::{Does, How, Include, IndexKind, Install, InstallFlags, Piece, Removal, Target, Text, Tool};
use crate::source::Span;

/// The options of pipx's commands that install.
const PIPX: Grammar = Grammar {
    valued: &[
        &["--spec"],
        &["--with"],
        &["-r", "--requirement"],
        &["-i", "--index-url"],
        &["--python"],
        &["--pip-args"],
        &["--preinstall"],
        &["--suffix"],
        &["--backend"],
        &["--fetch-python"],
    ],
    flags: &[&["--force", "-f"], &["--verbose", "-v"], &["--quiet", "-q"], &["--include-deps"], &["--editable", "-e"]],
    abbreviates: false,
};

/// `pipx install x`, `pipx inject x y`, `pipx run x`.
pub(super) fn pipx(words: &[Text], at: Span) -> Vec<Does> {
    let Some((mut parts, verb, rest)) = PIPX.command(words.get(1..).unwrap_or_default()) else { return Vec::new() };
    match verb.known() {
        Some("install") => {
            parts.extend(PIPX.parse(rest));
            let names = parts.iter().filter_map(|part| if let Part::Argument(word) = part { Some(word.clone()) } else { None });
            let names: Vec<Text> = names.collect();
            // Several of them have nothing in common but the options.
            names.into_iter().map(|name| Does::Install(install(vec![name.clone()], kept(&name), &parts))).collect()
        }
        Some("inject") => {
            parts.extend(PIPX.parse(rest));
            let mut words =
                parts.iter().filter_map(|part| if let Part::Argument(word) = part { Some(word.clone()) } else { None });
            let Some(into) = words.next() else { return Vec::new() };
            vec![Does::Install(install(words.collect(), kept(&into), &parts))]
        }
        Some("uninstall") => {
            let names = PIPX.parse(rest).into_iter();
            let names = names.filter_map(|part| if let Part::Argument(word) = part { Some(word) } else { None });
            let removal = |name: Text| Removal { target: kept(&name), whole: true, ..Removal::of(Tool::Pip, Vec::new()) };
            names.map(|name| Does::Remove(removal(name))).collect()
        }
        Some("run") => {
            let Some((options, program, _)) = PIPX.command(rest) else { return Vec::new() };
            parts.extend(options);
            let spec = parts.iter().find_map(|part| match part {
                Part::Option { name: "--spec", value, .. } => value.clone(),
                _ => None,
            });
            let gone = Target::Apart(Text { pieces: Vec::new(), at });
            if is_script(program) && spec.is_none() {
                let script = Include { path: program.clone(), how: How::PythonScript };
                return vec![Does::Install(Install { reads: vec![script], ..install(Vec::new(), Target::Active, &parts) })];
            }
            vec![Does::Install(install(vec![spec.unwrap_or_else(|| program.clone())], gone, &parts))]
        }
        _ => Vec::new(),
    }
}

/// The environment of the program that a requirement names.
fn kept(word: &Text) -> Target {
    let name = word.known().map(|text| {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).unwrap_or(text.len());
        Text::literal(format!("pipx {}", normalise(&text[..end])), word.at)
    });
    Target::Apart(name.unwrap_or_else(|| Text { pieces: vec![Piece::Opaque], at: word.at }))
}

fn install(asks: Vec<Text>, target: Target, parts: &[Part]) -> Install {
    let mut it = Install {
        tool: Tool::Pip,
        asks: Vec::new(),
        reads: Vec::new(),
        indexes: Vec::new(),
        target,
        flags: InstallFlags::default(),
        line: None,
    };
    asks.into_iter().for_each(|word| pip::ask(&mut it, word));
    for part in parts {
        match part {
            Part::Option { name: "--with" | "--preinstall", value: Some(word), .. } => pip::ask(&mut it, word.clone()),
            Part::Option { name: "--requirement", value: Some(path), .. } => {
                it.reads.push(Include { path: path.clone(), how: How::Requirements });
            }
            Part::Option { name: "--index-url", value: Some(url), .. } => {
                it.indexes.push(super::asks::index(url.clone(), IndexKind::Primary));
            }
            // Options of pip's own in one word: an index may be among them.
            Part::Option { name: "--pip-args", value: Some(words), .. } => {
                it.indexes.push(super::asks::index(Text { pieces: vec![Piece::Opaque], at: words.at }, IndexKind::Extra));
            }
            _ => {}
        }
    }
    it
}

#[cfg(test)]
mod tests {
    use super::super::pip::tests::{show, words};
    use super::*;
    use crate::source::FileId;

    #[test]
    fn scripts() {
        for (line, want) in [
            ("pipx run --verbose train.py --x", "Pip PythonScript:train.py"),
            ("pipx run black x.py", "Pip black apart"),
            ("pipx run --spec vllm==0.6.0 vllm serve", "Pip vllm==0.6.0 apart"),
            ("pipx install --index-url u Vllm==0.6.0", "Pip Vllm==0.6.0 Primary:u apart:pipx vllm"),
            ("pipx install a b", "Pip a apart:pipx a; Pip b apart:pipx b"),
            ("pipx inject vllm torch -r r.txt", "Pip torch Requirements:r.txt apart:pipx vllm"),
            ("pipx uninstall vllm", "Pip removes "),
            ("pipx list", ""),
            ("pipx", ""),
        ] {
            assert_eq!(show(&pipx(&words(line), Span::new(FileId(0), 0, line.len()))), want, "{line}");
        }
    }
}
