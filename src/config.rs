//! `cudalint.toml`, `[tool.cudalint]`, and host files: the same keys, read in the same way.

use crate::diagnostic::Severity;
use crate::environment::{Gpu, Host};
use crate::globs::{self, ImageGlob, PathGlobs};
use crate::knowledge::{self, Basis, Segment, Sm};
use crate::outline::{Ignore, Text};
use crate::platform::{Arch, Os, Platform, Pythons};
use crate::read::syntax::toml::{self, Table, Toml, Value, items, table};
use crate::source::{FileId, Span, brief};
use crate::version::{CudaVersion, DriverVersion};

/// Sections of a host file that `probe` writes about what lies on the machine.
const FOUND: [&str; 6] = ["container", "toolkit", "loader", "package", "library", "kernel"];

/// One configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Globs of host files, relative to the configuration's folder.
    pub hosts: Vec<(String, Option<Span>)>,
    /// Globs of paths that are not read, relative to the configuration's folder.
    pub exclude: PathGlobs,
    /// Hosts written inline.
    pub host: Vec<Host>,
    /// A company's index in terms of a public one: address → index id of the tables, with its place.
    pub mirrors: Vec<(String, String, Span)>,
    /// A company's image (glob) in terms of a public one.
    pub images: Vec<(ImageGlob, String)>,
    /// Highest level by rule; `None` = off.
    pub levels: Vec<(String, Option<Severity>, Span)>,
    /// Levels by path.
    pub per_path: Vec<PerPath>,
}

/// Levels for some paths.
#[derive(Clone, Debug)]
pub struct PerPath {
    /// Files and folders, relative to the configuration's folder.
    pub path: PathGlobs,
    /// Highest level by rule; `None` = off.
    pub levels: Vec<(String, Option<Severity>, Span)>,
}

/// A mistake in a configuration or host file; the program exits with 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// Where.
    pub at: Span,
    /// What, with the key's name and what to do: one line.
    pub what: String,
}

/// Reads `cudalint.toml`.
///
/// # Errors
/// Every mistake in the file: syntax, an unknown key, a value of the wrong type.
pub fn config(file: FileId, text: &str) -> Result<Config, Vec<Mistake>> {
    let (reader, root) = Reader::open(file, text, "");
    reader.read(|reader| reader.config(&root))
}

/// Reads `[tool.cudalint]` of a pyproject.toml; `None` where there is none.
///
/// # Errors
/// As [`config`]: what breaks the file anywhere breaks the configuration in it.
pub fn config_in_pyproject(file: FileId, text: &str) -> Result<Option<Config>, Vec<Mistake>> {
    let (reader, root) = Reader::open(file, text, "tool.cudalint.");
    match table(&root, &["tool", "cudalint"]) {
        Some(ours) => reader.read(|reader| Some(reader.config(ours))),
        // What comes after an open quote is no table.
        None if !reader.mistakes.is_empty() && has_our_header(text) => Err(reader.mistakes),
        None => Ok(None),
    }
}

/// Whether a line is the header of `[tool.cudalint]` or of a table in it.
fn has_our_header(text: &str) -> bool {
    text.lines().any(|line| {
        let after = line.trim_start().trim_start_matches('[').trim_start().strip_prefix("tool.cudalint");
        line.trim_start().starts_with('[') && after.is_some_and(|rest| rest.trim_start().starts_with([']', '.']))
    })
}

/// The comments of a configuration or host file that silence rules.
#[must_use]
pub fn ignores(file: FileId, text: &str) -> Vec<Ignore> {
    toml::ignores(file, text)
}

/// Reads a host file; its name is empty where it says none.
///
/// # Errors
/// As [`config`].
pub fn host(file: FileId, text: &str) -> Result<Host, Vec<Mistake>> {
    let (reader, root) = Reader::open(file, text, "");
    reader.read(|reader| reader.host(&root, ""))
}

struct Reader<'t> {
    toml: Toml<'t>,
    /// What stands before a key in the header of its table.
    above: &'static str,
    mistakes: Vec<Mistake>,
}

impl<'t> Reader<'t> {
    fn open(file: FileId, text: &'t str, above: &'static str) -> (Self, Table<'t>) {
        let (toml, root, torn) = Toml::parse(file, text);
        let mistakes = torn.into_iter().map(|torn| Mistake { at: torn.at, what: torn.why }).collect();
        (Self { toml, above, mistakes }, root)
    }
    /// Reads what is TOML; what half-typed text would seem to say is no mistake of its own.
    fn read<T>(mut self, read: impl FnOnce(&mut Self) -> T) -> Result<T, Vec<Mistake>> {
        if !self.mistakes.is_empty() {
            return Err(self.mistakes);
        }
        let read = read(&mut self);
        if self.mistakes.is_empty() { Ok(read) } else { Err(self.mistakes) }
    }
    fn config(&mut self, root: &Table<'_>) -> Config {
        let mut config = Config::default();
        for (key, value) in root {
            match key.get_ref().as_ref() {
                "hosts" => config.hosts = self.strings("hosts", value).iter().map(|t| (said(t), Some(t.at))).collect(),
                "exclude" => {
                    let written = self.strings("exclude", value);
                    config.exclude = self.path_globs("exclude", &written);
                }
                "host" => {
                    for item in self.tables("host", value) {
                        let mut host = self.host(item, "host.");
                        if host.name.is_empty() {
                            let before = config.host.len();
                            host.name = if before == 0 { "host".to_owned() } else { format!("host {}", before + 1) };
                        }
                        config.host.push(host);
                    }
                }
                "mirrors" => {
                    let pairs = self.pairs("mirrors", value);
                    config.mirrors = pairs.into_iter().map(|(address, _, id)| (address, said(&id), id.at)).collect();
                }
                "images" => {
                    for (glob, at, image) in self.pairs("images", value) {
                        match ImageGlob::new(glob) {
                            Ok(glob) => config.images.push((glob, said(&image))),
                            Err(what) => self.mistake(at, format!("images: {what}")),
                        }
                    }
                }
                "levels" => config.levels = self.levels(value),
                "per-path" => config.per_path = self.per_path(value),
                "gpu" => {
                    let what = format!("unknown key `gpu`; a GPU of a `[[{0}host]]` is a `[[{0}host.gpu]]`", self.above);
                    self.mistake(self.toml.span(key.span()), what);
                }
                other => {
                    let known = ["hosts", "exclude", "host", "mirrors", "images", "levels", "per-path"];
                    self.unknown(self.toml.span(key.span()), other, "the configuration", &known);
                }
            }
        }
        config
    }
    fn per_path(&mut self, value: &Value<'_>) -> Vec<PerPath> {
        let mut all = Vec::new();
        for item in self.tables("per-path", value) {
            let (mut path, mut levels) = (None, Vec::new());
            for (key, value) in item {
                match key.get_ref().as_ref() {
                    "path" => path = self.string("path", value),
                    "levels" => levels = self.levels(value),
                    other => {
                        let header = self.header("per-path");
                        self.unknown(self.toml.span(key.span()), other, &header, &["path", "levels"]);
                    }
                }
            }
            match path {
                Some(path) => {
                    let path = self.path_globs("path", &[path]);
                    all.push(PerPath { path, levels });
                }
                None if item.contains_key("path") => {}
                None => self.mistake(self.toml.span(value.span()), format!("{} needs a `path`", self.header("per-path"))),
            }
        }
        all
    }
    /// Globs of paths; one that is none is a mistake of its own.
    fn path_globs(&mut self, key: &str, written: &[Text]) -> PathGlobs {
        let mut good = Vec::new();
        for text in written {
            match globs::glob_of_path(text.known().unwrap_or_default()) {
                Ok(_) => good.push(said(text)),
                Err(what) => self.mistake(text.at, format!("{key}: {what}")),
            }
        }
        PathGlobs::new(&good).unwrap_or_else(|what| {
            written.iter().take(1).for_each(|text| self.mistake(text.at, format!("{key}: {what}")));
            PathGlobs::default()
        })
    }
    fn levels(&mut self, value: &Value<'_>) -> Vec<(String, Option<Severity>, Span)> {
        let mut levels = Vec::new();
        for (rule, value) in self.table("levels", value) {
            let at = self.toml.span(rule.span());
            let level = match value.get_ref().as_str() {
                Some("error") => Some(Severity::Error),
                Some("warning") => Some(Severity::Warning),
                Some("info") => Some(Severity::Info),
                Some("off") => None,
                _ => {
                    let rule = brief(rule.get_ref());
                    let what = format!("the level of `{rule}` is none of \"error\", \"warning\", \"info\", \"off\"");
                    self.mistake(self.toml.span(value.span()), what);
                    continue;
                }
            };
            levels.push((rule.get_ref().to_string(), level, at));
        }
        levels
    }
    /// Reads a host; `within` stands before a key in the header of its table.
    fn host(&mut self, root: &Table<'_>, within: &str) -> Host {
        let gpu_header = self.header(&format!("{within}gpu"));
        let platform = Platform::default();
        let mut arch = None;
        let mut host = Host { name: String::new(), driver: None, driver_cuda: None, gpus: Vec::new(), platform, wsl: false };
        for (key, value) in root {
            match key.get_ref().as_ref() {
                "schema" => {
                    let number = value.get_ref().as_integer().map(|n| n.as_str());
                    if number != Some("1") {
                        self.mistake(self.toml.span(value.span()), "`schema` is 1 in every host file that this cudalint reads");
                    }
                }
                "name" => {
                    let name = self.string("name", value);
                    if let Some(empty) = name.as_ref().filter(|name| name.known().is_none_or(|name| name.trim().is_empty())) {
                        self.mistake(empty.at, "`name` is empty: it is what findings call the machine");
                    }
                    host.name = name.as_ref().map(said).unwrap_or_default();
                }
                "os" => {
                    let names = [("linux", Os::Linux), ("windows", Os::Windows), ("macos", Os::MacOs)];
                    host.platform.os = self.one_of("os", value, &names).unwrap_or(Os::Linux);
                }
                "arch" => {
                    let names = [("x86_64", Arch::X86_64), ("aarch64", Arch::Aarch64)];
                    arch = self.one_of("arch", value, &names);
                }
                "wsl" => match value.get_ref().as_bool() {
                    Some(wsl) => host.wsl = wsl,
                    None => self.mistake(self.toml.span(value.span()), "`wsl` is true or false"),
                },
                "driver" => {
                    host.driver = self.parsed("driver", value, "535.104.05", DriverVersion::parse);
                    let foreign = host.driver.as_ref().and_then(|(driver, at)| Some((*at, no_driver(driver)?)));
                    foreign.into_iter().for_each(|(at, what)| self.mistake(at, what));
                }
                "driver_cuda" => {
                    host.driver_cuda = self.parsed("driver_cuda", value, "12.2", CudaVersion::parse);
                    if let Some((_, at)) = host.driver_cuda.filter(|(cuda, _)| digits_of_driver(cuda.major())) {
                        self.mistake(at, "`driver_cuda` looks like the number of a driver: write it as `driver`");
                    }
                }
                "python" => {
                    let python = self.parsed("python", value, "3.11", Pythons::parse);
                    host.platform.set_python(python.map_or(Pythons::ANY, |(python, _)| python));
                }
                "gpu" => {
                    for item in items(value).chain(value.get_ref().as_array().is_none().then_some(value)) {
                        host.gpus.extend(self.gpu(item, &gpu_header));
                    }
                }
                section if FOUND.contains(&section) => {}
                other => {
                    let known = ["schema", "name", "os", "arch", "wsl", "driver", "driver_cuda", "python", "gpu"];
                    self.unknown(self.toml.span(key.span()), other, "a host", &known);
                }
            }
        }
        host.platform.arch = arch.unwrap_or_else(|| arch_of(&host.gpus));
        host
    }
    fn gpu(&mut self, item: &Value<'_>, header: &str) -> Option<Gpu> {
        let at = self.toml.span(item.span());
        let Some(gpu) = item.get_ref().as_table() else {
            self.mistake(at, format!("`gpu` is a list of tables: a line {header}, then `name = \"RTX 4090\"`"));
            return None;
        };
        let (mut name, mut capability) = (None, None);
        for (key, value) in gpu {
            match key.get_ref().as_ref() {
                "name" => name = self.string("name", value),
                "compute_capability" => capability = self.parsed("compute_capability", value, "8.6", Sm::parse),
                other => self.unknown(self.toml.span(key.span()), other, header, &["name", "compute_capability"]),
            }
        }
        let named = name.as_ref().and_then(Text::known).and_then(knowledge::gpu);
        let given = capability.map(|(sm, _)| sm);
        // No chip has it: the GPU is as unknown as one with an unknown name.
        let strange = given.is_some_and(|sm| !knowledge::is_chip(sm));
        // Of a name and a number that contradict each other one is wrong, and who knows which.
        let agree = |row: &knowledge::Gpu| given.is_none_or(|sm| (sm.major, sm.minor) == (row.sm.major, row.sm.minor));
        let row = named.filter(|row| agree(row));
        let known = !strange && row.is_some() == named.is_some();
        let capability_name = || given.map(|sm| format!("sm_{}{}", sm.major, sm.minor));
        Some(Gpu {
            name: name.as_ref().filter(|_| !strange).map(said).or_else(capability_name).unwrap_or_default(),
            at: name.map(|name| name.at).or(capability.map(|(_, at)| at)).unwrap_or(at),
            sm: given.or(row.map(|row| row.sm)).filter(|_| known),
            segment: row.map(|row| row.segment),
            // What the host file says outright was read off the machine.
            basis: if given.is_some() { Basis::Measured } else { row.map_or(Basis::Inferred, |row| row.basis) },
        })
    }
    /// The header of a list of tables, as it is written in this file.
    fn header(&self, key: &str) -> String {
        format!("`[[{}{key}]]`", self.above)
    }
    fn mistake(&mut self, at: Span, what: impl Into<String>) {
        self.mistakes.push(Mistake { at, what: what.into() });
    }
    fn unknown(&mut self, at: Span, key: &str, of: &str, known: &[&str]) {
        self.mistake(at, format!("unknown key `{}`; {of} knows {}", brief(key), known.join(", ")));
    }
    fn string(&mut self, key: &str, value: &Value<'_>) -> Option<Text> {
        let text = self.toml.string(value);
        if text.is_none() {
            let kind = value.get_ref().type_str();
            self.mistake(
                self.toml.span(value.span()),
                format!("`{}` is a string, in quotes; this is of type {kind}", brief(key)),
            );
        }
        text
    }
    /// A list of strings, or one string.
    fn strings(&mut self, key: &str, value: &Value<'_>) -> Vec<Text> {
        match value.get_ref().as_array() {
            Some(list) => list.iter().filter_map(|item| self.string(key, item)).collect(),
            None => self.string(key, value).into_iter().collect(),
        }
    }
    fn one_of<T: Copy>(&mut self, key: &str, value: &Value<'_>, names: &[(&str, T)]) -> Option<T> {
        let text = self.string(key, value)?;
        let found = names.iter().find(|(name, _)| text.known() == Some(name));
        if found.is_none() {
            let names: Vec<_> = names.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            self.mistake(text.at, format!("`{key}` is one of {}", names.join(", ")));
        }
        found.map(|(_, meant)| *meant)
    }
    fn parsed<T>(&mut self, key: &str, value: &Value<'_>, like: &str, parse: fn(&str) -> Option<T>) -> Option<(T, Span)> {
        let text = self.string(key, value)?;
        let read = text.known().and_then(parse);
        if read.is_none() {
            self.mistake(text.at, format!("`{key}` is written like \"{like}\""));
        }
        read.map(|read| (read, text.at))
    }
    fn table<'a, 'v>(&mut self, key: &str, value: &'a Value<'v>) -> Vec<Pair<'a, 'v>> {
        match value.get_ref().as_table() {
            Some(table) => table.iter().collect(),
            None => {
                self.mistake(self.toml.span(value.span()), format!("`{key}` is a table"));
                Vec::new()
            }
        }
    }
    fn tables<'a, 'v>(&mut self, key: &str, value: &'a Value<'v>) -> Vec<&'a Table<'v>> {
        let found: Vec<_> = items(value).filter_map(|item| item.get_ref().as_table()).collect();
        if value.get_ref().as_array().is_none_or(|list| list.len() != found.len()) {
            self.mistake(self.toml.span(value.span()), format!("`{key}` is a list of tables: write {}", self.header(key)));
        }
        found
    }
    /// Names with their places, and what they are set to.
    fn pairs(&mut self, section: &str, value: &Value<'_>) -> Vec<(String, Span, Text)> {
        let table = self.table(section, value);
        let pair = |(key, value): Pair<'_, '_>| {
            let (name, at) = (key.get_ref().to_string(), self.toml.span(key.span()));
            self.string(&name, value).map(|text| (name, at, text))
        };
        table.into_iter().filter_map(pair).collect()
    }
}

type Pair<'a, 'v> = (&'a ::toml::Spanned<::toml::de::DeString<'v>>, &'a Value<'v>);

fn said(text: &Text) -> String {
    text.known().unwrap_or_default().to_owned()
}

/// Whether a number has as many digits as the driver branches of the tables, those before them included; CUDA's have fewer.
fn digits_of_driver(number: u32) -> bool {
    let digits = |n: u32| n.checked_ilog10().unwrap_or(0);
    knowledge::oldest_branch().is_none_or(|oldest| digits(number) >= digits(oldest))
}

/// What a number is that cannot be a driver's.
fn no_driver(number: &DriverVersion) -> Option<String> {
    let digits = |n: u32| n.checked_ilog10().unwrap_or(0);
    if knowledge::newest_branch().is_some_and(|newest| digits(number.branch()) > digits(newest)) {
        return Some(format!("no driver is called {number}: its branch has more digits than any known one; like \"535.104.05\""));
    }
    if digits_of_driver(number.branch()) {
        return None;
    }
    let what = match windows_driver(&number.to_string()) {
        Some(driver) => format!("`driver` looks like the number that Windows gives to driver {driver}: write that"),
        None => "`driver` looks like a CUDA version, not like \"535.104.05\"; the CUDA version that nvidia-smi prints is \
                 `driver_cuda` in a host file"
            .to_owned(),
    };
    Some(what)
}

/// Windows ends its own number with that of the driver: `31.0.15.3623` is 536.23.
fn windows_driver(number: &str) -> Option<String> {
    let parts: Vec<&str> = number.split('.').collect();
    let [_, _, third, last] = parts[..] else { return None };
    let (first, last) = (third.chars().next_back()?, (last.len() == 4).then_some(last)?);
    Some(format!("{first}{}.{}", &last[..2], &last[2..]))
}

/// NVIDIA's own systems on a chip are 64-bit Arm, whether a host says so or not.
fn arch_of(gpus: &[Gpu]) -> Arch {
    let tegra = !gpus.is_empty() && gpus.iter().all(|gpu| gpu.segment == Some(Segment::Tegra));
    if tegra { Arch::Aarch64 } else { Arch::X86_64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileId = FileId(0);

    #[test]
    fn a_host() {
        let text = "schema = 1\nname = \"gpu-box\"\nos = \"windows\"\narch = \"aarch64\"\nwsl = true\ndriver = \"470.182.03\"\n\
            driver_cuda = \"11.4\"\npython = \"3.11\"\n[[gpu]]\nname = \"Mystery\"\ncompute_capability = \"7.0\"\n[[gpu]]\nname = \"Other\"\n\
            [container]\nruntime = true\n[[toolkit]]\nversion = 1\n";
        let host = host(FILE, text).expect("a host");
        assert_eq!(
            (host.name.as_str(), host.wsl, host.platform.os, host.platform.arch),
            ("gpu-box", true, Os::Windows, Arch::Aarch64)
        );
        let (driver, at) = host.driver.expect("a driver");
        assert_eq!((driver.to_string().as_str(), &text[at.range()]), ("470.182.03", "470.182.03"));
        assert_eq!(host.driver_cuda.map(|(cuda, _)| cuda), CudaVersion::parse("11.4"));
        assert_eq!(host.platform.python, Pythons::only(11));
        let gpus: Vec<_> = host.gpus.iter().map(|g| (g.name.as_str(), g.sm, &text[g.at.range()])).collect();
        assert_eq!(gpus, [("Mystery", Some(Sm { major: 7, minor: 0, exact: false }), "Mystery"), ("Other", None, "Other")]);
        assert_eq!(super::host(FILE, "").expect("a host").platform, Platform::default());
    }

    #[test]
    fn mistakes_in_a_host() {
        for (text, place, what) in [
            ("drivr = \"535\"", "drivr", "`drivr`"),
            ("driver = 535", "535", "`driver`"),
            ("driver = \"new\"", "new", "`driver`"),
            ("schema = 2", "2", "`schema`"),
            ("os = \"linus\"", "linus", "`os`"),
            ("wsl = \"yes\"", "\"yes\"", "`wsl`"),
            ("gpu = \"RTX\"", "\"RTX\"", "`gpu`"),
            ("python = \"2.7\"", "2.7", "`python`"),
            ("[[gpu]]\ncompute_capability = \"8\"", "8", "`compute_capability`"),
            ("[[gpu]]\nsm = 3", "sm", "`sm`"),
            ("driver = \"12.4\"", "12.4", "`driver_cuda` in a host file"),
            ("driver = \"0\"", "0", "looks like a CUDA version"),
            ("driver = \"5350\"", "5350", "more digits"),
            ("driver = \"31.0.15.3623\"", "31.0.15.3623", "driver 536.23"),
            ("driver_cuda = \"535.104.05\"", "535.104.05", "`driver`"),
            ("name = \"\"", "", "`name` is empty"),
            ("name = \" \"", " ", "`name` is empty"),
            ("driver = ", "", ""),
        ] {
            let mistakes = host(FILE, text).expect_err(text);
            assert_eq!((&text[mistakes[0].at.range()], mistakes.len()), (place, 1), "{text}: {mistakes:?}");
            assert!(mistakes[0].what.contains(what), "{mistakes:?}");
        }
    }

    #[test]
    fn a_driver_before_the_tables_is_one() {
        for text in ["driver = \"340.108\"", "driver = \"999\"", "driver_cuda = \"99.9\""] {
            assert!(host(FILE, text).is_ok(), "{text}");
        }
    }

    const CONFIG: &str = "hosts = [\"hosts/*.toml\"]\nexclude = [\"third_party/**\"]\n[[host]]\ndriver = \"535.104.05\"\n\
        [mirrors]\n\"https://m.example/pt\" = \"pytorch\"\n[images]\n\"r.example/base:*\" = \"nvidia/cuda:12.4.1-base\"\n\
        [levels]\ncuda-build-drifts = \"off\"\nx = \"info\"\n[[per-path]]\npath = \"ci/**\"\nlevels = { gpu-not-requested = \"off\" }\n";

    #[test]
    fn a_configuration() {
        let config = config(FILE, CONFIG).expect("a configuration");
        assert_eq!(
            config.hosts.iter().map(|(h, at)| (h.as_str(), &CONFIG[at.expect("a place").range()])).collect::<Vec<_>>(),
            [("hosts/*.toml", "hosts/*.toml")]
        );
        assert_eq!((config.exclude.cover("third_party/a/b.txt"), config.host.len()), (true, 1));
        let mirrors: Vec<_> =
            config.mirrors.iter().map(|(url, id, at)| (url.as_str(), id.as_str(), &CONFIG[at.range()])).collect();
        assert_eq!(mirrors, [("https://m.example/pt", "pytorch", "pytorch")]);
        assert_eq!(config.images[0].1, "nvidia/cuda:12.4.1-base");
        let levels: Vec<_> = config.levels.iter().map(|(rule, level, at)| (rule.as_str(), *level, &CONFIG[at.range()])).collect();
        assert_eq!(levels, [("cuda-build-drifts", None, "cuda-build-drifts"), ("x", Some(Severity::Info), "x")]);
        assert_eq!((config.per_path[0].path.cover("ci/a.txt"), config.per_path[0].levels.len()), (true, 1));
        assert_eq!(super::config(FILE, "hosts = \"a.toml\"").expect("a string will do").hosts.len(), 1);
    }

    #[test]
    fn a_configuration_in_pyproject() {
        let read = |text: &str| config_in_pyproject(FILE, text);
        for text in ["[project]\nname = \"x\"", "[project\n[tool.cudalinter]\n# [tool.cudalint]\n"] {
            assert!(read(text).expect("none").is_none(), "{text}");
        }
        for text in [
            "[tool.cudalint]\n[[tool.cudalint.host]]\ndriver = \"535\"\n[project]\nversion = 1.0.0\n",
            "[project\n[tool.cudalint]\n",
            "[project]\nname = \"\"\"\n[[ tool.cudalint.host ]]\n",
        ] {
            assert!(!read(text).expect_err(text).is_empty());
        }
        assert_eq!(read("[tool.cudalint.levels]\nx = \"off\"").expect("one").expect("one").levels.len(), 1);
        assert_eq!(read("[tool.cudalint]\nx = 1").expect_err("a mistake").len(), 1);
    }

    #[test]
    fn messages_speak_in_the_terms_of_their_file() {
        let own: fn(&str) -> Vec<Mistake> = |text| config(FILE, text).expect_err(text);
        let project: fn(&str) -> Vec<Mistake> = |text| config_in_pyproject(FILE, text).expect_err(text);
        let alone: fn(&str) -> Vec<Mistake> = |text| host(FILE, text).expect_err(text);
        for (read, text, told) in [
            (alone, "gpu = \"RTX 4090\"", "a line `[[gpu]]`, then"),
            (own, "[[host]]\ngpu = \"RTX 4090\"", "a line `[[host.gpu]]`, then"),
            (own, "[[host]]\ngpu = [\"RTX 4090\"]", "a line `[[host.gpu]]`, then"),
            (own, "[[host]]\ndriver = \"535\"\n[[gpu]]\nname = \"T4\"", "a GPU of a `[[host]]` is a `[[host.gpu]]`"),
            (own, "[[host]]\n[[host.gpu]]\nmemory = 1", "`[[host.gpu]]` knows name"),
            (own, "host = 1", "write `[[host]]`"),
            (project, "[[tool.cudalint.host]]\ngpu = \"RTX 4090\"", "a line `[[tool.cudalint.host.gpu]]`, then"),
            (project, "[[tool.cudalint.gpu]]\nname = \"T4\"", "is a `[[tool.cudalint.host.gpu]]`"),
            (project, "[tool.cudalint]\nper-path = 1", "write `[[tool.cudalint.per-path]]`"),
            (project, "[[tool.cudalint.per-path]]\nx = 1", "`[[tool.cudalint.per-path]]` knows path"),
        ] {
            let mistakes = read(text);
            assert!(mistakes[0].what.contains(told), "{text}: {mistakes:?}");
        }
    }

    #[test]
    fn mistakes_in_a_configuration() {
        for (text, place) in [
            ("host = 3", "3"),
            ("exclude = [1, \"a\"]", "1"),
            ("levels = 1", "1"),
            ("[levels]\nx = \"fatal\"", "\"fatal\""),
            ("[mirrors]\na = 1", "1"),
            ("[[per-path]]\nlevels = {}", "[[per-path]]\nlevels = {}"),
            ("[[per-path]]\npath = 1", "1"),
            ("per_path = []", "per_path"),
            ("[[host]]\ndrivers = \"535\"", "drivers"),
            ("exclude = [\"a\", \"[\"]", "["),
            ("[[per-path]]\npath = \"sub[\"", "sub["),
            ("[images]\n\"a[\" = \"b\"", "\"a[\""),
            ("exclude = [\"a\", \"!ci\"]", "!ci"),
            ("[[per-path]]\npath = \"!ci/**\"", "!ci/**"),
        ] {
            let mistakes = config(FILE, text).expect_err(text);
            let at = &text[mistakes[0].at.range()];
            assert!(mistakes.len() == 1 && (at == place || place.starts_with(at) && !at.is_empty()), "{text}: {mistakes:?}");
        }
    }
}
