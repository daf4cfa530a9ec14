//! Host files: those that `--host` and `hosts =` name, and the nameless host that `--driver` and `--gpu` make.

use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use cudalint::config;
use cudalint::globs;
use cudalint::knowledge::Sm;
use cudalint::source::{Origin, Sources, Span, brief};
use cudalint::walk;
use globset::GlobBuilder;

use super::targets::{seen, why};

/// A host file.
#[derive(Debug)]
pub(super) struct HostFile {
    /// As the user wrote it, or, where a glob found it, as it is seen from the working directory.
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

/// `hosts =`: the files that a glob names, from the folder of its configuration; seen from the working directory.
pub(super) fn of_glob(folder: &Path, glob: &str, cwd: &Path) -> Result<Vec<HostFile>, String> {
    let mut search = Search { left: MOST_ENTRIES };
    let parts: Vec<_> = Path::new(glob).components().collect();
    let mut found = BTreeSet::from([folder.to_owned()]);
    for (i, part) in parts.iter().enumerate() {
        let last = i + 1 == parts.len();
        let mut next = BTreeSet::new();
        for at in &found {
            next.extend(search.step(at, *part, last).map_err(|what| format!("hosts: {}", what.told(glob)))?);
        }
        found = next;
    }
    let files: Vec<_> = found.into_iter().filter(|path| path.is_file()).collect();
    if files.is_empty() {
        return Err(format!("hosts: no file is called {}", brief(glob)));
    }
    files.iter().map(|file| open_as(file, &seen(file, cwd))).collect()
}

/// How deep `**` goes.
const DEEPEST: usize = 16;
/// How many files and folders one glob may pass.
const MOST_ENTRIES: usize = 20_000;

/// The search for the files of one glob.
struct Search {
    /// How many entries it may still pass.
    left: usize,
}

/// Why a search ended.
enum Stopped {
    NoGlob(globset::Error),
    TooWide,
}

impl Stopped {
    fn told(&self, glob: &str) -> String {
        match self {
            Self::NoGlob(error) => globs::bad_glob(glob, error),
            Self::TooWide => {
                format!("{} passes more than {MOST_ENTRIES} files and folders: name the folder of the host files", brief(glob))
            }
        }
    }
}

impl Search {
    fn step(&mut self, at: &Path, part: Component<'_>, last: bool) -> Result<Vec<PathBuf>, Stopped> {
        let name = part.as_os_str().to_string_lossy();
        if name == "**" {
            return self.folders_below(at, last);
        }
        if !name.contains(['*', '?', '[', '{']) {
            return Ok(vec![at.join(part)]);
        }
        let glob = GlobBuilder::new(&name).literal_separator(true).build().map_err(Stopped::NoGlob)?.compile_matcher();
        let entries = self.entries(at)?;
        Ok(entries.into_iter().map(|e| e.file_name()).filter(|name| glob.is_match(name)).map(|name| at.join(name)).collect())
    }

    /// The folder and those below it; at the end of a glob, their files.
    fn folders_below(&mut self, top: &Path, files: bool) -> Result<Vec<PathBuf>, Stopped> {
        let mut found = vec![(top.to_owned(), 0)];
        let mut at = 0;
        let mut leaves = Vec::new();
        while let Some((folder, depth)) = found.get(at).cloned() {
            at += 1;
            for entry in self.entries(&folder)? {
                match entry.file_type() {
                    Ok(t) if t.is_dir() && depth < DEEPEST && !walk::is_never_entered(&entry.path()) => {
                        found.push((entry.path(), depth + 1));
                    }
                    Ok(t) if t.is_file() => leaves.push(entry.path()),
                    _ => {}
                }
            }
        }
        Ok(if files { leaves } else { found.into_iter().map(|(folder, _)| folder).collect() })
    }

    fn entries(&mut self, folder: &Path) -> Result<Vec<DirEntry>, Stopped> {
        // One more than is left, so that an overlong folder is seen without being read to its end.
        let entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().take(self.left + 1).collect();
        self.left = self.left.checked_sub(entries.len()).ok_or(Stopped::TooWide)?;
        Ok(entries)
    }
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
    let gpu = |gpu: &String| match Sm::parse(gpu) {
        Some(Sm { major, minor, .. }) => format!("[[gpu]]\ncompute_capability = \"{major}.{minor}\"\n"),
        None => format!("[[gpu]]\nname = {}\n", quoted(gpu)),
    };
    Some(driver + &gpus.iter().map(gpu).collect::<String>())
}

/// The mistakes in the text that the options make, before anything is read.
pub(super) fn mistakes_of_options(text: &str) -> Vec<String> {
    let file = Sources::default().set_from(Origin::CommandLine, "<options>", text);
    let mistakes = config::host(file, text).err().unwrap_or_default();
    mistakes.iter().map(|mistake| line_of_option(text, mistake.at, &mistake.what)).collect()
}

/// What is to be said of a place in the text that the options make: its line has its option's name.
pub(super) fn line_of_option(text: &str, at: Span, what: &str) -> String {
    let before = text.get(..at.start as usize).unwrap_or_default();
    let key = before.rsplit('\n').next().unwrap_or_default();
    let option = if key.starts_with("driver") { "--driver" } else { "--gpu" };
    format!("{option}: {}: {what}", brief(text.get(at.range()).unwrap_or_default()))
}

/// Opens one file that the user named.
pub(super) fn open(path: &Path) -> Result<HostFile, String> {
    open_as(path, &path.display().to_string())
}

fn open_as(path: &Path, shown: &str) -> Result<HostFile, String> {
    let text = text(path, shown)?;
    let whole = path.canonicalize().map_err(|e| format!("{shown}: {}", why(&e)))?;
    Ok(HostFile { path: shown.into(), whole, text })
}

/// The text of a configuration or host file, or one line on why it has none; `shown` is how that line names it.
pub(super) fn text(path: &Path, shown: &str) -> Result<String, String> {
    let told = |what: &str| format!("{shown}: {what}");
    let mut bytes = Vec::new();
    // Opening a pipe without a writer would wait for ever.
    if !path.metadata().map_err(|e| told(&why(&e)))?.is_file() {
        return Err(told(walk::NOT_REGULAR));
    }
    let file = std::fs::File::open(path).map_err(|e| told(&why(&e)))?;
    // It may grow while it is read.
    file.take(walk::LARGEST_CONFIG + 1).read_to_end(&mut bytes).map_err(|e| told(&why(&e)))?;
    if bytes.len() as u64 > walk::LARGEST_CONFIG {
        return Err(told(&walk::too_large(walk::LARGEST_CONFIG)));
    }
    walk::decode(bytes).map_err(|at| format!("{shown}:{}:{}: not UTF-8", at.line, at.column))
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
    fn a_compute_capability_is_none_of_the_names() {
        for gpu in ["8.9", "sm_89"] {
            let text = of_options(None, &[gpu.to_owned()]);
            assert_eq!(text.as_deref(), Some("[[gpu]]\ncompute_capability = \"8.9\"\n"));
        }
    }

    #[test]
    fn a_glob_that_passes_too_much_is_refused() {
        let temp = tempfile::tempdir().expect("a folder");
        for folder in 0..3 {
            let below = temp.path().join(folder.to_string());
            std::fs::create_dir_all(below.join("node_modules/x")).expect("a folder");
            std::fs::write(below.join("host.toml"), "").expect("a file");
            std::fs::write(below.join("node_modules/x/host.toml"), "").expect("a file");
        }
        let below = |left: usize| Search { left }.folders_below(temp.path(), true).map(|files| files.len());
        assert!(matches!(below(9), Ok(3)), "what is never entered is not searched");
        assert!(matches!(below(8), Err(Stopped::TooWide)));
        // Each folder is found in many ways, and looked at once.
        assert_eq!(of_glob(temp.path(), "**/**/**/**/host.toml", temp.path()).expect("files").len(), 3);
        let wide = of_glob(temp.path(), "/**/**/**/*.toml", temp.path()).err();
        assert!(wide.is_none_or(|told| told.starts_with("hosts: ")));
        let told = of_glob(temp.path(), &("\n[".to_owned() + &"x".repeat(1 << 20)), temp.path()).expect_err("no glob");
        assert!(told.starts_with("hosts: error parsing glob '\\n[xxx") && told.len() < 300, "{told}");
        let told = of_glob(temp.path(), &"x".repeat(1 << 20), temp.path()).expect_err("no file");
        assert!(told.len() < 300, "{told}");
    }

    #[test]
    fn a_host_file_is_text_of_sane_size() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("h.toml");
        for (bytes, told) in
            [(b"name = \"x\"\nos = \"\xff\"".to_vec(), "h:2:7: not UTF-8"), (vec![b'#'; (1 << 20) + 1], "h: larger than 1 MiB")]
        {
            std::fs::write(&path, bytes).expect("a file");
            assert_eq!(text(&path, "h"), Err(told.to_owned()));
        }
        std::fs::write(&path, vec![b'#'; 1 << 20]).expect("a file");
        assert!(text(&path, "h").is_ok());
        #[cfg(unix)]
        assert_eq!(text(Path::new("/dev/zero"), "h"), Err("h: not a regular file".to_owned()));
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
            let found = of_glob(&temp.path().join("conf"), glob, temp.path()).expect("files");
            let found: Vec<_> = found.iter().map(|f| f.path.file_name().expect("a name").to_string_lossy()).collect();
            assert_eq!(found.join(" "), names, "{glob}");
        }
        assert!(of_glob(temp.path(), "no/*.toml", temp.path()).expect_err("nothing").contains("no/*.toml"));
        assert_eq!(named(&temp.path().join("conf/hosts")).expect("files").len(), 2);
        assert!(named(&temp.path().join("conf")).is_err());
    }
}
