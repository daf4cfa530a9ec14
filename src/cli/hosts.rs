//! Host files: those that `--host` and `hosts =` name, and the nameless host that `--driver` and `--gpu` make.

use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;

use super::targets::why;

/// A host file.
#[derive(Debug)]
pub(super) struct HostFile {
    /// As the user wrote it.
    pub(super) path: PathBuf,
    /// Absolute, without links.
    pub(super) whole: PathBuf,
    pub(super) text: String,
}

/// `--host`: a file, or a folder of which every `*.toml` is one.
pub(super) fn named(path: &Path) -> Result<Vec<HostFile>, String> {
    if !path.is_dir() {
        return Ok(vec![open(path)?]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {}", path.display(), why(&e)))?;
    let mut files: Vec<_> = entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: holds no host file (*.toml)", path.display()));
    }
    files.iter().map(|file| open(file)).collect()
}

/// `hosts =`: the files that a glob names, from the folder of its configuration.
pub(super) fn of_glob(folder: &Path, glob: &str) -> Result<Vec<HostFile>, String> {
    let parts: Vec<_> = Path::new(glob).components().collect();
    let mut found = vec![folder.to_owned()];
    for (i, part) in parts.iter().enumerate() {
        found = found.iter().map(|at| step(at, *part, i + 1 == parts.len())).collect::<Result<Vec<_>, _>>()?.concat();
    }
    let files: Vec<_> = found.into_iter().filter(|path| path.is_file()).collect();
    if files.is_empty() {
        return Err(format!("hosts: no file is called {glob}"));
    }
    files.iter().map(|file| open(file)).collect()
}

/// How deep `**` goes.
const DEEPEST: usize = 16;

fn step(at: &Path, part: Component<'_>, last: bool) -> Result<Vec<PathBuf>, String> {
    let name = part.as_os_str().to_string_lossy();
    if name == "**" {
        return Ok(folders_below(at, last));
    }
    if !name.contains(['*', '?', '[', '{']) {
        return Ok(vec![at.join(part)]);
    }
    let glob = GlobBuilder::new(&name).literal_separator(true).build().map_err(|e| format!("hosts: {e}"))?.compile_matcher();
    let mut names: Vec<_> = std::fs::read_dir(at).into_iter().flatten().flatten().map(|e| e.file_name()).collect();
    names.retain(|name| glob.is_match(name));
    names.sort();
    Ok(names.into_iter().map(|name| at.join(name)).collect())
}

/// The folder and those below it; at the end of a glob, their files.
fn folders_below(top: &Path, files: bool) -> Vec<PathBuf> {
    let mut found = vec![(top.to_owned(), 0)];
    let mut at = 0;
    let mut leaves = Vec::new();
    while let Some((folder, depth)) = found.get(at).cloned() {
        at += 1;
        let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            match entry.file_type() {
                Ok(t) if t.is_dir() && depth < DEEPEST => found.push((entry.path(), depth + 1)),
                Ok(t) if t.is_file() => leaves.push(entry.path()),
                _ => {}
            }
        }
    }
    if files { leaves } else { found.into_iter().map(|(folder, _)| folder).collect() }
}

/// `--driver` and `--gpu`: the text of a host file without a name.
pub(super) fn of_options(driver: Option<&str>, gpus: &[String]) -> Option<String> {
    if driver.is_none() && gpus.is_empty() {
        return None;
    }
    let quoted = |text: &str| {
        let mut out = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
                c => out.push(c),
            }
        }
        out + "\""
    };
    let driver = driver.map(|driver| format!("driver = {}\n", quoted(driver))).unwrap_or_default();
    Some(gpus.iter().fold(driver, |text, gpu| text + &format!("[[gpu]]\nname = {}\n", quoted(gpu))))
}

/// Opens one file that the user named.
pub(super) fn open(path: &Path) -> Result<HostFile, String> {
    let told = |what: &str| format!("{}: {what}", path.display());
    let text = std::fs::read(path).map_err(|e| told(&why(&e)))?;
    let text = cudalint::walk::decode(text).ok_or_else(|| told("not UTF-8"))?;
    let whole = path.canonicalize().map_err(|e| told(&why(&e)))?;
    Ok(HostFile { path: path.to_owned(), whole, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_make_a_host_file() {
        assert_eq!(of_options(None, &[]), None);
        assert_eq!(of_options(Some("535"), &[]).as_deref(), Some("driver = \"535\"\n"));
        let gpus = ["RTX \"4090\"".to_owned(), "a\\\n".to_owned()];
        let text = of_options(None, &gpus).expect("a host");
        let read: toml::Table = text.parse().expect("TOML");
        let names: Vec<_> = read["gpu"].as_array().expect("a list").iter().map(|g| g["name"].as_str().expect("a name")).collect();
        assert_eq!(names, gpus);
    }

    #[test]
    fn globs_name_host_files() {
        let temp = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(temp.path().join("conf/hosts/eu")).expect("a folder");
        for file in ["conf/hosts/b.toml", "conf/hosts/a.toml", "conf/hosts/eu/c.toml", "conf/hosts/x.txt", "d.toml"] {
            std::fs::write(temp.path().join(file), "").expect("a file");
        }
        for (glob, names) in [
            ("hosts/*.toml", "a.toml b.toml"),
            ("hosts/**/*.toml", "a.toml b.toml c.toml"),
            ("hosts/a.toml", "a.toml"),
            ("../*.toml", "d.toml"),
            ("h*/{a,b}.toml", "a.toml b.toml"),
        ] {
            let found = of_glob(&temp.path().join("conf"), glob).expect("files");
            let found: Vec<_> = found.iter().map(|f| f.path.file_name().expect("a name").to_string_lossy()).collect();
            assert_eq!(found.join(" "), names, "{glob}");
        }
        assert!(of_glob(temp.path(), "no/*.toml").expect_err("nothing").contains("no/*.toml"));
        assert_eq!(named(&temp.path().join("conf/hosts")).expect("files").len(), 2);
        assert!(named(&temp.path().join("conf")).is_err());
    }
}
