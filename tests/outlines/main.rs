//! What is read from files as people write them. Each folder of `fixtures/outlines` holds files of one kind, which are found
//! and decoded as the tool does, and `outline.txt`, what is read from them: a line an act, with its lines in the file.
//!
//! `UPDATE=1` writes the outlines anew; each changed line is to be read against its file.

mod shown;
mod tree;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use cudalint::read;
use cudalint::source::Sources;
use cudalint::walk::{self, Asked};

#[test]
fn files_are_read_as_people_write_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/outlines");
    let mut folders: Vec<PathBuf> = fs::read_dir(root).expect("the folders").flatten().map(|e| e.path()).collect();
    folders.sort();
    assert!(!folders.is_empty());
    let mut wrong = Vec::new();
    for folder in &folders {
        let got = outlines(folder);
        let at = folder.join("outline.txt");
        let expected = fs::read_to_string(&at).unwrap_or_default();
        if env::var_os("UPDATE").is_some() {
            fs::write(&at, &got).expect("written");
        } else if got != expected {
            wrong.push(format!("{}\n--- expected\n{expected}\n--- got\n{got}", at.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn outlines(folder: &Path) -> String {
    let asked = Asked { no_ignore: true, ..Asked::default() };
    let tree = walk::walk(&folder.canonicalize().expect("a folder"), &asked);
    let mut out = String::new();
    for file in &tree.files {
        let _ = writeln!(out, "{}{}", if out.is_empty() { "" } else { "\n" }, file.path);
        let kind = file.kind.or_else(|| read::kind_by_content(&file.path, &file.text));
        let Some(kind) = kind else {
            out.push_str("is not ours\n");
            continue;
        };
        let mut sources = Sources::default();
        let id = sources.set(&file.path, file.text.as_str());
        let outline = read::read(kind, &file.path, id, &file.text);
        let _ = writeln!(out, "is {kind:?}");
        out.push_str(&shown::shown(&outline, &file.text));
    }
    tree.skipped.iter().for_each(|skipped| {
        let _ = writeln!(out, "\n{}\nis skipped: {}", skipped.path, skipped.reason);
    });
    out
}
