//! The program as people call it, for the tests that look at what it says of a folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A folder with these files; a path that ends in `/` is a folder.
pub(crate) fn folder(files: &[(&str, impl AsRef<[u8]>)]) -> tempfile::TempDir {
    let temp = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let whole = temp.path().join(path);
        let above = if path.ends_with('/') { &whole } else { whole.parent().expect("a parent") };
        fs::create_dir_all(above).expect("a folder");
        if !path.ends_with('/') {
            fs::write(whole, text).expect("a file");
        }
    }
    temp
}

/// A run in a folder: standard output, standard error, exit status. Findings are one line each unless a format is asked for.
pub(crate) fn run(cwd: &Path, arguments: &[&str]) -> (String, String, Option<i32>) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_cudalint"));
    let format = if arguments.contains(&"--format") { &[][..] } else { &["--format", "concise"] };
    program.args(format).args(arguments).current_dir(cwd).env_clear().stdin(Stdio::null());
    let output = program.output().expect("a run");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}
