use std::fs;
use std::path::PathBuf;

use super::*;

/// A folder with those files; a name that ends in `/` is a folder, ` -> ` makes a link.
fn tree_of(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().expect("a folder");
    let root = temp.path().canonicalize().expect("a path");
    for (path, text) in files {
        let whole = root.join(path);
        fs::create_dir_all(whole.parent().expect("a parent")).expect("a folder");
        match text.strip_prefix("-> ") {
            #[cfg(unix)]
            Some(to) => std::os::unix::fs::symlink(to, whole).expect("a link"),
            _ => fs::write(whole, text).expect("a file"),
        }
    }
    (temp, root)
}

fn paths(root: &Path, asked: &Asked) -> Vec<String> {
    walk(root, asked).files.into_iter().map(|f| f.path).collect()
}

#[test]
fn ours_are_read_and_nothing_else() {
    let long = format!("#{}\nservices:\n  a:\n    image: x\n", "-".repeat(70 << 10));
    let (_temp, root) = tree_of(&[
        ("requirements.txt", "torch"),
        (".devcontainer/Dockerfile", "FROM x"),
        ("a/b/c/requirements-dev.txt", ""),
        ("deploy/stack.yaml", "services:\n  a:\n    image: x\n"),
        ("deploy/values.yaml", "a: 1\n"),
        ("deploy/late.yml", &long),
        ("src/main.py", "torch"),
        (".venv/requirements.txt", ""),
        ("node_modules/x/Dockerfile", ""),
        ("mine/pyvenv.cfg", ""),
        ("mine/requirements.txt", ""),
        ("conda/conda-meta/history", ""),
        ("conda/environment.yml", ""),
        (".git/requirements.txt", ""),
    ]);
    let expected = [".devcontainer/Dockerfile", "a/b/c/requirements-dev.txt", "deploy/stack.yaml", "requirements.txt"];
    assert_eq!(paths(&root, &Asked::default()), expected);
    let tree = walk(&root, &Asked::default());
    assert_eq!(tree.skipped, []);
    assert_eq!(tree.files[2].kind, Some(Kind::Compose));
}

#[test]
fn ignore_files_count_without_git() {
    let (_temp, root) = tree_of(&[
        (".gitignore", "build/\n"),
        ("build/requirements.txt", ""),
        ("a/.ignore", "requirements.txt\n"),
        ("a/requirements.txt", ""),
        ("b/.cudalintignore", "*.sh\n!keep.sh\n"),
        ("b/x.sh", ""),
        ("b/keep.sh", ""),
    ]);
    assert_eq!(paths(&root, &Asked::default()), ["b/keep.sh"]);
    let no_ignore = Asked { no_ignore: true, ..Asked::default() };
    assert_eq!(paths(&root, &no_ignore), ["a/requirements.txt", "b/keep.sh", "b/x.sh", "build/requirements.txt"]);
    // What the user names is read, whatever an ignore file says.
    for path in ["build", "build/requirements.txt"] {
        let named = Asked { paths: vec![path.to_owned()], ..Asked::default() };
        assert_eq!(paths(&root, &named), ["b/keep.sh", "build/requirements.txt"], "{path}");
    }
}

#[test]
fn a_named_path_is_read_where_none_is_entered() {
    let (_temp, root) =
        tree_of(&[("requirements.txt", ""), (".venv/pyvenv.cfg", ""), (".venv/lib/requirements.txt", ""), ("note.txt", "")]);
    let named = Asked { paths: vec![".venv/lib".to_owned(), "note.txt".to_owned()], ..Asked::default() };
    let tree = walk(&root, &named);
    let found: Vec<_> = tree.files.iter().map(|f| (f.path.as_str(), f.kind)).collect();
    let ours = Some(Kind::Requirements);
    assert_eq!(found, [(".venv/lib/requirements.txt", ours), ("note.txt", None), ("requirements.txt", ours)]);
}

#[test]
fn exclude_leaves_out_files_and_folders() {
    let (_temp, root) = tree_of(&[("a/requirements.txt", ""), ("b/a/requirements.txt", ""), ("c/requirements.txt", "")]);
    for (cwd, globs, left) in [
        ("", &["a"][..], "c/requirements.txt"),
        ("", &["/a"], "b/a/requirements.txt c/requirements.txt"),
        ("", &["./a"], "b/a/requirements.txt c/requirements.txt"),
        ("", &["b/a/**"], "a/requirements.txt c/requirements.txt"),
        ("b", &["a/*"], "a/requirements.txt c/requirements.txt"),
        ("", &["requirements.txt"], ""),
    ] {
        let exclude = PathGlobs::new(globs).expect("globs");
        let asked = Asked { exclude, viewpoint: Viewpoint::new(&root, &root.join(cwd)), ..Asked::default() };
        assert_eq!(paths(&root, &asked).join(" "), left, "{globs:?}");
    }
    let one = Asked { configs: Configs::One(PathGlobs::new(&["b/**"]).expect("globs")), ..Asked::default() };
    assert_eq!(paths(&root, &one), ["a/requirements.txt", "c/requirements.txt"]);
}

#[test]
fn what_cannot_be_used_is_named_with_the_reason() {
    let (_temp, root) = tree_of(&[("ok/requirements.txt", "torch")]);
    fs::write(root.join("a-requirements.txt"), [0xff, 0x41]).expect("a file");
    fs::write(root.join("blob.yml"), [b'a', 0xff]).expect("a file");
    fs::File::create(root.join("big-requirements.txt")).and_then(|f| f.set_len((8 << 20) + 1)).expect("a file");
    fs::File::create(root.join("full-requirements.txt")).and_then(|f| f.set_len(8 << 20)).expect("a file");
    fs::File::create(root.join("big.yml")).and_then(|f| f.set_len(9 << 20)).expect("a file");
    let tree = walk(&root, &Asked::default());
    let read: Vec<_> = tree.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(read, ["full-requirements.txt", "ok/requirements.txt"]);
    let skipped: Vec<_> = tree.skipped.iter().map(|s| format!("{}: {}", s.path, s.reason)).collect();
    let expected = ["a-requirements.txt: not UTF-8", "big-requirements.txt: larger than 8 MiB", "blob.yml: not UTF-8"];
    assert_eq!(skipped, expected);
}

#[cfg(unix)]
#[test]
fn links_are_read_inside_the_root_only() {
    let (_outer, outside) = tree_of(&[("secret.txt", "x")]);
    let out = format!("-> {}/secret.txt", outside.display());
    let (_temp, root) = tree_of(&[
        ("base.txt", "torch"),
        ("requirements.txt", "-> base.txt"),
        ("loop/again", "-> .."),
        ("out-requirements.txt", &out),
        ("gone-requirements.txt", "-> nothing"),
        ("self-requirements.txt", "-> self-requirements.txt"),
        ("dir-requirements.txt", "-> loop"),
        ("away", &format!("-> {}", outside.display())),
    ]);
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket-requirements.txt")).expect("a socket");
    let tree = walk(&root, &Asked::default());
    let read: Vec<_> = tree.files.iter().map(|f| (f.path.as_str(), f.text.as_str())).collect();
    assert_eq!(read, [("requirements.txt", "torch")]);
    let skipped: Vec<_> = tree.skipped.iter().map(|s| s.path.trim_end_matches("-requirements.txt")).collect();
    assert_eq!(skipped, ["dir", "gone", "out", "self", "socket"]);
    assert!(tree.skipped[2].reason.contains("outside"));
    let asked = Asked::default();
    assert_eq!(linked(&root, "base.txt", &asked), Ok(Some("torch".to_owned())));
    for path in ["away/secret.txt", "../x", "none", "loop", "/etc/passwd", "out-requirements.txt"] {
        assert_eq!(linked(&root, path, &asked), Ok(None), "{path}");
    }
}

#[test]
fn deep_trees_are_walked() {
    let temp = tempfile::tempdir().expect("a folder");
    let root = temp.path().canonicalize().expect("a path");
    let deep = root.join("d/".repeat(900));
    fs::create_dir_all(&deep).expect("folders");
    fs::write(deep.join("requirements.txt"), "torch").expect("a file");
    assert_eq!(paths(&root, &Asked::default()).len(), 1);
}

#[test]
fn the_nearest_ignore_file_of_the_highest_name_decides() {
    let (_temp, root) = tree_of(&[
        (".gitignore", "\u{feff}*.sh\n[\n/top/\nb/c/*.sh\n"),
        ("a/.gitignore", "!keep.sh\n"),
        ("a/keep.sh", ""),
        ("a/other.sh", ""),
        ("a/top/requirements.txt", ""),
        ("top/requirements.txt", ""),
        ("b/.gitignore", "!*.sh\n"),
        ("b/.ignore", "no.sh\n"),
        ("b/.cudalintignore", "!no.sh\n"),
        ("b/no.sh", ""),
        ("b/c/.ignore", "*.sh\n"),
        ("b/c/no.sh", ""),
        ("b/c/yes.sh", ""),
        ("d/.gitignore", "*\n!e\n"),
        ("d/requirements.txt", ""),
        ("d/e/requirements.txt", ""),
    ]);
    assert_eq!(paths(&root, &Asked::default()), ["a/keep.sh", "a/top/requirements.txt", "b/c/no.sh", "b/no.sh"]);
}

#[cfg(unix)]
#[test]
fn ignore_files_are_read_as_carefully_as_all_else() {
    let (_outer, outside) = tree_of(&[("patterns", "*\n"), (".ignore", "*\n"), ("inner/requirements.txt", "")]);
    let (_temp, root) = tree_of(&[
        ("a/.gitignore", "-> /dev/zero"),
        ("a/requirements.txt", ""),
        ("b/.ignore", &format!("-> {}/patterns", outside.display())),
        ("b/requirements.txt", ""),
        ("c/.cudalintignore", "-> none"),
        ("c/requirements.txt", ""),
        ("d/.gitignore", "-> ../patterns"),
        ("d/requirements.txt", ""),
        ("e/.ignore/requirements.txt", ""),
        ("f/requirements.txt", ""),
        ("g/requirements.txt", ""),
        ("h/requirements.txt", ""),
        ("patterns", "requirements.txt\n"),
    ]);
    let pipe = std::process::Command::new("mkfifo").arg(root.join("f/.gitignore")).status();
    assert!(pipe.is_ok_and(|status| status.success()));
    fs::File::create(root.join("g/.gitignore")).and_then(|f| f.set_len((256 << 10) + 1)).expect("a file");
    fs::write(root.join("h/.gitignore"), b"# caf\xe9\nrequirements.txt\n").expect("a file");
    let tree = walk(&root, &Asked::default());
    let read: Vec<_> = tree.files.iter().map(|f| f.path.trim_end_matches("requirements.txt")).collect();
    assert_eq!(read, ["a/", "b/", "c/", "e/.ignore/", "f/", "g/"]);
    let skipped: Vec<_> = tree.skipped.iter().map(|s| format!("{}: {}", s.path, s.reason)).collect();
    assert_eq!(
        skipped,
        [
            "a/.gitignore: a link that leads outside the root",
            "b/.ignore: a link that leads outside the root",
            "c/.cudalintignore: a link that cannot be followed: no such file",
            "f/.gitignore: not a regular file",
            "g/.gitignore: larger than 256 KiB",
            "h/.gitignore: not UTF-8: read without these bytes",
        ]
    );
    assert_eq!(walk(&root, &Asked { no_ignore: true, ..Asked::default() }).skipped, []);
    // What lies above the root is not looked at.
    assert_eq!(paths(&outside.join("inner"), &Asked::default()), ["requirements.txt"]);
}

#[test]
fn hostile_patterns_stay_cheap() {
    for line in ["*a*b*c*d*\n", "!{a,{b,c}}[a-z]?**/x\n", "{{{{{{{{{{{{{{{{\n"] {
        let (_temp, root) = tree_of(&[(".gitignore", &line.repeat((256 << 10) / line.len())), ("x/y/requirements.txt", "")]);
        let started = std::time::Instant::now();
        assert_eq!(paths(&root, &Asked::default()), ["x/y/requirements.txt"]);
        assert!(started.elapsed().as_secs() < 60, "{line:?}");
    }
}
