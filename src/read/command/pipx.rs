//! pipx: programs and scripts, each in an environment of its own.
//! Source: <https://pipx.pypa.io/stable/reference/cli/>.

use super::options::leading;
use super::uv::is_script;
use crate::outline::{Does, How, Include, Install, InstallFlags, Target, Text, Tool};
use crate::source::Span;

/// `pipx run x.py`: what the script's inline metadata asks for. Programs by name have no part in what is read.
pub(super) fn pipx(words: &[Text], _at: Span) -> Vec<Does> {
    let mut arguments = words.iter().skip(1).skip_while(|word| leading(word).starts_with('-'));
    if arguments.next().and_then(Text::known) != Some("run") {
        return Vec::new();
    }
    let script = arguments.find(|word| !leading(word).starts_with('-')).filter(|word| is_script(word));
    let include = script.map(|script| Include { path: script.clone(), how: How::PythonScript });
    let install = |include| Install {
        tool: Tool::Pip,
        asks: Vec::new(),
        reads: vec![include],
        indexes: Vec::new(),
        target: Target::Active,
        flags: InstallFlags::default(),
        line: None,
    };
    include.map(|include| Does::Install(install(include))).into_iter().collect()
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
            ("pipx run black x.py", ""),
            ("pipx install torch", ""),
            ("pipx", ""),
        ] {
            assert_eq!(show(&pipx(&words(line), Span::new(FileId(0), 0, line.len()))), want, "{line}");
        }
    }
}
