//! Commands that compile.

use crate::outline::{Compile, Does, How, Include, Install, InstallFlags, Target, Text, Tool};
use crate::source::Span;

/// `nvcc`, `cmake`, `make`, `ninja`; not where they only speak of themselves.
pub(super) fn compile(words: &[Text], _at: Span) -> Vec<Does> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let program = program.known().and_then(|p| p.rsplit('/').next()).unwrap_or_default();
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let speaks = |w: &Text| {
        let word = w.known().unwrap_or_default();
        match program {
            "cmake" => matches!(word, "--version" | "--help" | "-E" | "-P" | "-V"),
            "nvcc" => matches!(word, "--version" | "-V" | "--help" | "-h" | "--list-gpu-arch" | "--list-gpu-code"),
            _ => matches!(word, "--version" | "--help" | "-v" | "-h"),
        }
    };
    let idle = arguments.first().is_some_and(speaks) || arguments.is_empty() && matches!(program, "nvcc" | "cmake");
    if idle {
        return Vec::new();
    }
    vec![Does::Compile(Compile { program: program.to_owned(), arguments: arguments.to_vec() })]
}

/// `python setup.py build|install|develop …`; the words begin with the script. The last two install what the project
/// requires, too.
pub(super) fn setup_py(words: &[Text]) -> Vec<Does> {
    let Some((script, arguments)) = words.split_first() else { return Vec::new() };
    // `setup_cuda.py` is one beside another.
    let name = script.known().and_then(|p| p.rsplit('/').next()).unwrap_or_default();
    let is_setup = name == "setup.py" || name.starts_with("setup_") && name.ends_with(".py");
    let compiles = |w: &Text| {
        let command = w.known().unwrap_or_default();
        command.starts_with("build") || command.starts_with("bdist") || matches!(command, "install" | "develop")
    };
    if !is_setup || !arguments.iter().any(compiles) {
        return Vec::new();
    }
    let compiled = Does::Compile(Compile { program: "setup.py".to_owned(), arguments: arguments.to_vec() });
    let installs = arguments.iter().any(|w| matches!(w.known(), Some("install" | "develop")));
    let no_deps = arguments.iter().any(|w| matches!(w.known(), Some("--no-deps" | "-N")));
    let build_options = arguments.iter().filter(|w| w.known().is_some_and(|w| w.starts_with("--"))).cloned().collect();
    let folder = script.known().and_then(|path| path.rsplit_once('/')).map_or(".", |(folder, _)| folder);
    let install = Install {
        tool: Tool::Pip,
        asks: Vec::new(),
        reads: vec![Include { path: Text::literal(folder, script.at), how: How::Project }],
        indexes: Vec::new(),
        target: Target::Active,
        // It is run with what is there.
        flags: InstallFlags { no_deps, no_build_isolation: true, build_options, ..InstallFlags::default() },
        line: None,
    };
    if installs { vec![Does::Install(install), compiled] } else { vec![compiled] }
}
