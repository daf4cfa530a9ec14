//! Makes static tables of `rules/knowledge/*.toml`. A mistake in a table stops the build and names file and row.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, process};

use toml::{Table, Value};

#[path = "../../src/knowledge/gpu_name.rs"]
mod gpu_name;
mod notation;
mod order;
mod row;

use notation::{kernels, parts, platforms, sm, sms, source_is_well_formed};
use order::{Key, Part, groups, image_key, names, release_key, sorted, text_key, version_key};
use row::{Answer, Row};

fn main() {
    println!("cargo::rerun-if-changed=rules/knowledge");
    println!("cargo::rerun-if-changed=src/knowledge/gpu_name.rs");
    println!("cargo::rerun-if-changed=rules/build");
    println!("cargo::rerun-if-changed=build");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let made = read_tables(Path::new("rules/knowledge")).and_then(|t| t.into_rust());
    match made {
        Ok(text) => fs::write(Path::new(&out).join("tables.rs"), text).expect("OUT_DIR can be written"),
        Err(why) => {
            println!("cargo::error={why}");
            process::exit(1);
        }
    }
}

/// Everything read so far: rows as Rust text, with the key that orders them.
#[derive(Default)]
struct Tables {
    date: String,
    sources: Vec<String>,
    source_ids: HashMap<String, usize>,
    releases: BTreeMap<String, Vec<(Key, String)>>,
    torch: Vec<Build>,
    companions: Vec<Companion>,
    /// Packages with the one that each of their releases goes with.
    partners: BTreeMap<String, String>,
    indexes: Vec<(Key, String)>,
    addresses: Vec<(String, String)>,
    mirrors: Vec<(String, Vec<String>)>,
    images: BTreeMap<String, Vec<(Key, String)>>,
    bare_images: Vec<(Key, String)>,
    other_hardware: Vec<(Key, String)>,
    node_labels: Vec<(Key, String)>,
    machines: Vec<(Key, String)>,
    system_pythons: Vec<(Key, String)>,
    gpus: Vec<(Key, String)>,
    gpu_names: Vec<(String, String, String)>,
    ambiguous: Vec<String>,
    bounds: Vec<(Key, String)>,
    branches: Vec<(Key, String)>,
    compat: Vec<(Key, String)>,
    toolkits: Vec<(Key, String)>,
    packages: Vec<(Key, String)>,
    shell_files: Vec<(Key, String)>,
    service_variables: Vec<(Key, String)>,
    configuration_files: Vec<(Key, String)>,
}

/// A build of torch; the packages that go with it have the same ones.
struct Build {
    version: String,
    tag: String,
    indexes: Vec<String>,
    platforms: u8,
    glibc: String,
    cpu: bool,
}

/// A release that is built beside one of torch, for all its tags.
struct Companion {
    package: String,
    version: String,
    torch: String,
    requires: Vec<String>,
    source: usize,
}

fn read_tables(folder: &Path) -> Answer<Tables> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    let mut tables = Tables::default();
    for file in &files {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let table: Table = text.parse().map_err(|e| format!("{}: {e}", file.display()))?;
        tables.file(&table).map_err(|why| format!("{}: {why}", file.display()))?;
    }
    Ok(tables)
}

const DEFAULTS: &[&str] =
    &["companion_of", "source", "basis", "package", "repository", "kernels_source", "kernels_basis", "date"];
const KINDS: &[(&str, Take, &[&str])] = &[
    ("release", Tables::release, RELEASE),
    ("companion", Tables::companion, &["package", "version", "torch", "requires", "source"]),
    (
        "index",
        Tables::index,
        &["id", "urls", "tag", "flat", "complete", "closed", "local_versions", "pre_releases", "candidates", "carries", "source"],
    ),
    ("mirror", Tables::mirror, &["of", "urls", "source"]),
    ("image", Tables::image, IMAGE),
    ("system_python", Tables::system_python, &["system", "python", "source"]),
    ("bare_image", Tables::bare_image, &["repository", "source"]),
    ("other_hardware", Tables::other_hardware, &["word", "source"]),
    ("node_label", Tables::node_label, &["label", "names", "source"]),
    ("machine", Tables::machine, &["families", "gpu", "source"]),
    ("gpu", Tables::gpu, &["name", "aliases", "sm", "architecture", "segment", "basis", "source"]),
    ("ambiguous_gpu", Tables::ambiguous_gpu, &["names", "source"]),
    ("driver_bound", Tables::driver_bound, &["cuda", "linux", "windows", "windows_disputed", "basis", "source"]),
    ("driver_branch", Tables::driver_branch, &["branch", "cuda", "basis", "source"]),
    ("forward_compat", Tables::forward_compat, &["cuda", "branches", "source"]),
    ("toolkit", Tables::toolkit, &["cuda", "cudas", "sms", "basis", "source"]),
    ("system_package", Tables::system_package, &["pattern", "patterns", "carries", "basis", "source"]),
    ("shell_file", Tables::shell_file, &["end", "source"]),
    ("service_variable", Tables::service_variable, &["name", "services", "source"]),
    ("configuration_file", Tables::configuration_file, &["name", "variable", "source"]),
];
const RELEASE: &[&str] = &[
    "package",
    "version",
    "versions",
    "tag",
    "indexes",
    "platforms",
    "provides",
    "pythons",
    "glibc",
    "requires",
    "needs",
    "brings",
    "kernels",
    "code",
    "ptx",
    "ptx_unknown",
    "basis",
    "source",
    "kernels_basis",
    "kernels_source",
];
const IMAGE: &[&str] = &[
    "repository",
    "tag",
    "tags",
    "variants",
    "oses",
    "cuda",
    "flavour",
    "cudnn",
    "torch",
    "require_cuda",
    "driver",
    "driver_branches",
    "gpu_only",
    "gpu_optional",
    "without_compat",
    "conda_torch",
    "os",
    "python",
    "basis",
    "source",
];
type Take = fn(&mut Tables, &Row) -> Answer<Key>;

impl Tables {
    fn file(&mut self, file: &Table) -> Answer<()> {
        if let Some(date) = file.get("date").and_then(Value::as_str) {
            if !self.date.is_empty() {
                return Err("`date` stands in another file, too".to_owned());
            }
            self.date = date.to_owned();
        }
        for (name, rows) in file {
            let Some((_, take, keys)) = KINDS.iter().find(|(kind, ..)| kind == name) else {
                if DEFAULTS.contains(&name.as_str()) {
                    continue;
                }
                return Err(format!("unknown table or key `{name}`"));
            };
            let rows = rows.as_array().ok_or(format!("[[{name}]] must be a list of tables"))?;
            let mut before: Option<Key> = None;
            for (n, own) in rows.iter().enumerate() {
                let own = own.as_table().ok_or(format!("[[{name}]] must be a list of tables"))?;
                let row = Row { own, file };
                let place = |why: String| {
                    let called = own.values().find_map(Value::as_str).unwrap_or("");
                    format!("[[{name}]] {} ({called}): {why}", n + 1)
                };
                row.knows_only(keys).map_err(place)?;
                let key = take(self, &row).map_err(place)?;
                if before.as_ref().is_some_and(|before| *before > key) {
                    return Err(place("not in order: it belongs further up".to_owned()));
                }
                before = Some(key);
            }
        }
        Ok(())
    }

    fn source(&mut self, text: &str) -> Answer<usize> {
        if !source_is_well_formed(text) {
            return Err(format!(
                "source `{text}` is none of https://…, owner/repo@commit:path (a commit, vX.Y or release/X.Y), pypi:name==version, measured: command"
            ));
        }
        let next = self.sources.len();
        let id = *self.source_ids.entry(text.to_owned()).or_insert(next);
        if id == next {
            self.sources.push(text.to_owned());
        }
        Ok(id)
    }

    fn basis_and_source(&mut self, row: &Row, basis: &str, source: &str, version: &str) -> Answer<(String, usize)> {
        let text = row.must(source)?.replace("{version}", version);
        let given = row.text(basis)?;
        let basis = match given {
            "vendor" => "Vendor",
            "metadata" => "Metadata",
            "measured" => "Measured",
            "report" => "Report",
            "inferred" => "Inferred",
            // Two forms of source say it themselves.
            "" if text.starts_with("measured: ") => "Measured",
            "" if text.starts_with("pypi:") => "Metadata",
            "" => "Vendor",
            other => return Err(format!("unknown basis `{other}`")),
        };
        Ok((format!("Basis::{basis}"), self.source(&text)?))
    }

    fn release(&mut self, row: &Row) -> Answer<Key> {
        let package = row.must("package")?;
        self.partner(package, row)?;
        let versions = row.each("version", "versions")?;
        let tag = row.text("tag")?;
        let platforms = platforms(&row.list("platforms")?)?;
        let indexes = row.list("indexes")?;
        if indexes.is_empty() {
            return Err("`indexes` is missing".to_owned());
        }
        let kernels = kernels(row)?;
        for version in &versions {
            if package == "torch" {
                self.torch.push(Build {
                    version: (*version).to_owned(),
                    tag: tag.to_owned(),
                    indexes: indexes.iter().map(|i| (*i).to_owned()).collect(),
                    platforms,
                    glibc: row.text("glibc")?.to_owned(),
                    cpu: kernels == "Kernels::Cpu",
                });
            }
            let (basis, source) = self.basis_and_source(row, "basis", "source", version)?;
            let (kernels_basis, kernels_source) = match row.get("kernels_source") {
                Some(_) => self.basis_and_source(row, "kernels_basis", "kernels_source", version)?,
                None => (basis.clone(), source),
            };
            let requires: Vec<_> = row.list("requires")?.iter().map(|r| r.replace("{version}", version)).collect();
            let text = format!(
                "Release {{ package: {package:?}, version: {version:?}, tag: {tag:?}, indexes: &{indexes:?}, \
                 platforms: Platforms({platforms}), provides: {:?}, pythons: &{:?}, glibc: {:?}, requires: &{requires:?}, \
                 needs: &[{}], brings: &[{}], kernels: {kernels}, basis: {basis}, source: {source}, kernels_basis: {kernels_basis}, \
                 kernels_source: {kernels_source} }}",
                row.text("provides")?,
                row.list("pythons")?,
                row.text("glibc")?,
                parts(&row.list("needs")?)?,
                parts(&row.list("brings")?)?,
            );
            let key = release_key(version, tag, platforms, &indexes.join(" "));
            self.releases.entry(package.to_owned()).or_default().push((key, text));
        }
        let mut key = text_key(package);
        key.extend(version_key(versions[0]));
        Ok(key)
    }

    fn partner(&mut self, package: &str, row: &Row) -> Answer<()> {
        let of = row.text("companion_of")?;
        if !of.is_empty() {
            self.partners.insert(package.to_owned(), of.to_owned());
        }
        Ok(())
    }

    fn companion(&mut self, row: &Row) -> Answer<Key> {
        let (package, version, torch) = (row.must("package")?, row.must("version")?, row.must("torch")?);
        self.partner(package, row)?;
        let source = self.source(&row.must("source")?.replace("{version}", version))?;
        self.companions.push(Companion {
            package: package.to_owned(),
            version: version.to_owned(),
            torch: torch.to_owned(),
            requires: match row.get("requires") {
                None => vec![format!("torch=={torch}")],
                Some(_) => row.list("requires")?.iter().map(|r| (*r).to_owned()).collect(),
            },
            source,
        });
        let mut key = text_key(package);
        key.extend(version_key(version));
        Ok(key)
    }

    /// A companion is served where its torch is, under the same tags. What PyPI has of it is published; the rest is concluded.
    fn expand_companions(&mut self) -> Answer<()> {
        for c in std::mem::take(&mut self.companions) {
            let (package, version) = (&c.package, &c.version);
            let builds = self.torch.iter().filter(|b| b.version == c.torch);
            let rows = self.releases.entry(package.clone()).or_default();
            let before = rows.len();
            for b in builds {
                let published = b.indexes.iter().any(|i| i == "pypi");
                let requires: Vec<_> =
                    c.requires.iter().map(|r| if published { r } else { r.split('+').next().unwrap_or(r) }).collect();
                let text = format!(
                    "Release {{ package: {package:?}, version: {version:?}, tag: {:?}, indexes: &{:?}, platforms: Platforms({}), \
                     provides: \"\", pythons: &[], glibc: {:?}, requires: &{requires:?}, needs: &[], brings: &[], kernels: Kernels::{}, basis: \
                     Basis::{}, source: {}, kernels_basis: Basis::Inferred, kernels_source: {} }}",
                    b.tag,
                    b.indexes,
                    b.platforms,
                    b.glibc,
                    if b.cpu { "Cpu" } else { "Unknown" },
                    if published { "Metadata" } else { "Inferred" },
                    c.source,
                    c.source
                );
                rows.push((release_key(version, &b.tag, b.platforms, &b.indexes.join(" ")), text));
            }
            if rows.len() == before {
                return Err(format!("rules/knowledge: {package} {version} goes with torch {}, which has no row", c.torch));
            }
        }
        Ok(())
    }

    fn index(&mut self, row: &Row) -> Answer<Key> {
        let id = row.must("id")?;
        let source = self.source(row.must("source")?)?;
        for url in row.list("urls")? {
            self.addresses.push((url.to_owned(), id.to_owned()));
        }
        let text = format!(
            "Index {{ id: {id:?}, address: {:?}, tag: {:?}, flat: {}, complete: {:?}, closed: {}, local_versions: {}, pre_releases: {}, candidates: {}, \
             carries: &{:?}, source: {source} }}",
            row.list("urls")?.first().unwrap_or(&""),
            row.text("tag")?,
            row.flag("flat")?,
            row.text("complete")?,
            row.flag("closed")?,
            row.flag("local_versions")?,
            row.flag("pre_releases")?,
            row.flag("candidates")?,
            row.list("carries")?,
        );
        self.indexes.push((text_key(id), text));
        Ok(text_key(id))
    }

    fn mirror(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let of = row.must("of")?;
        self.mirrors.push((of.to_owned(), row.list("urls")?.iter().map(|u| (*u).to_owned()).collect()));
        Ok(text_key(of))
    }

    fn image(&mut self, row: &Row) -> Answer<Key> {
        let repository = row.must("repository")?;
        let (cuda, cudnn) = (row.text("cuda")?, row.text("cudnn")?);
        // (tag, flavour, cuDNN, operating system)
        let mut tags: Vec<(String, &str, &str, &str)> = Vec::new();
        if row.own.contains_key("variants") {
            for os in row.list("oses")? {
                for variant in row.list("variants")? {
                    let (with, flavour) = variant.rsplit_once('-').unwrap_or(("", variant));
                    let cudnn = if with.starts_with("cudnn") { cudnn } else { "" };
                    tags.push((format!("{cuda}-{variant}-{os}"), flavour, cudnn, os));
                }
            }
        } else {
            let (flavour, os) = (row.text("flavour")?, row.text("os")?);
            tags.extend(row.each("tag", "tags")?.into_iter().map(|tag| (tag.to_owned(), flavour, cudnn, os)));
        }
        for (tag, flavour, cudnn, os) in &tags {
            let (basis, source) = self.basis_and_source(row, "basis", "source", tag)?;
            let flavour = match *flavour {
                "" => "None",
                "base" => "Base",
                "runtime" => "Runtime",
                "devel" => "Devel",
                other => return Err(format!("unknown flavour `{other}`")),
            };
            if tag.matches('*').count() > 1 {
                return Err(format!("`{tag}` has more than one `*`"));
            }
            let text = format!(
                "Image {{ repository: {repository:?}, tag: {tag:?}, cuda: {cuda:?}, flavour: Flavour::{flavour}, cudnn: {cudnn:?}, \
                 torch: {:?}, require_cuda: {:?}, driver: {:?}, driver_branches: &{:?}, gpu_only: {}, gpu_optional: {}, without_compat: {}, conda_torch: {}, os: {os:?}, \
                 python: {:?}, basis: {basis}, source: {source} }}",
                row.text("torch")?,
                row.text("require_cuda")?,
                row.text("driver")?,
                row.numbers("driver_branches")?,
                row.flag("gpu_only")?,
                row.flag("gpu_optional")?,
                row.flag("without_compat")?,
                row.flag("conda_torch")?,
                row.text("python")?,
            );
            self.images.entry(repository.to_owned()).or_default().push((image_key(tag), text));
        }
        let first = tags.first().ok_or("no tag: `variants` or `oses` is empty")?;
        let mut key = text_key(repository);
        key.extend(image_key(&first.0));
        Ok(key)
    }

    fn system_python(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (system, python) = (row.must("system")?, row.must("python")?);
        self.system_pythons.push((text_key(system), format!("({system:?}, {python:?})")));
        Ok(text_key(system))
    }

    fn bare_image(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let repository = row.must("repository")?;
        self.bare_images.push((text_key(repository), format!("{repository:?}")));
        Ok(text_key(repository))
    }

    fn other_hardware(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let word = row.must("word")?;
        self.other_hardware.push((text_key(word), format!("{word:?}")));
        Ok(text_key(word))
    }

    fn node_label(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (label, names) = (row.must("label")?, row.must("names")?);
        let names = match names {
            "gpu" => "Gpu",
            "machine" => "Machine",
            "other" => "Other",
            _ => return Err(format!("unknown names `{names}`")),
        };
        self.node_labels.push((text_key(label), format!("({label:?}, NodeLabel::{names})")));
        Ok(text_key(label))
    }

    fn machine(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let families = row.list("families")?;
        let key = text_key(families.first().ok_or("no family")?);
        for family in families {
            self.machines.push((text_key(family), format!("({family:?}, {:?})", row.must("gpu")?)));
        }
        Ok(key)
    }

    fn gpu(&mut self, row: &Row) -> Answer<Key> {
        let name = row.must("name")?;
        let sm = sm(row.must("sm")?)?;
        let segment = row.must("segment")?;
        if !["DataCenter", "Workstation", "GeForce", "Tegra"].contains(&segment) {
            return Err(format!("unknown segment `{segment}`"));
        }
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let text = format!(
            "Gpu {{ name: {name:?}, sm: {sm}, architecture: {:?}, segment: Segment::{segment}, basis: {basis}, source: {source} }}",
            row.must("architecture")?,
        );
        for called in row.list("aliases")?.into_iter().chain([name]) {
            self.gpu_names.push((gpu_name::key(called), sm.clone(), name.to_owned()));
        }
        self.gpus.push((text_key(name), text));
        Ok(text_key(name))
    }

    fn ambiguous_gpu(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        self.ambiguous.extend(row.list("names")?.iter().map(|name| gpu_name::key(name)));
        Ok(Key::new())
    }

    fn driver_bound(&mut self, row: &Row) -> Answer<Key> {
        let cuda = row.must("cuda")?;
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let text = format!(
            "DriverBound {{ cuda: {cuda:?}, linux: {:?}, windows: {:?}, windows_disputed: {:?}, basis: {basis}, source: {source} }}",
            row.text("linux")?,
            row.text("windows")?,
            row.text("windows_disputed")?,
        );
        // `11` and `11.0` are two rows.
        let mut key = version_key(cuda);
        key.push(Part::Number(cuda.matches('.').count() as u64));
        self.bounds.push((key.clone(), text));
        Ok(key)
    }

    fn driver_branch(&mut self, row: &Row) -> Answer<Key> {
        let branch = row.get("branch").and_then(Value::as_integer).ok_or("`branch` must be a number")?;
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let key = vec![Part::Number(branch.unsigned_abs())];
        let text =
            format!("DriverBranch {{ branch: {branch}, cuda: {:?}, basis: {basis}, source: {source} }}", row.must("cuda")?);
        self.branches.push((key.clone(), text));
        Ok(key)
    }

    fn forward_compat(&mut self, row: &Row) -> Answer<Key> {
        let cuda = row.must("cuda")?;
        self.source(row.must("source")?)?;
        self.compat.push((version_key(cuda), format!("({cuda:?}, &{:?})", row.numbers("branches")?)));
        Ok(version_key(cuda))
    }

    fn toolkit(&mut self, row: &Row) -> Answer<Key> {
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let cudas = row.each("cuda", "cudas")?;
        for cuda in &cudas {
            let text =
                format!("Toolkit {{ cuda: {cuda:?}, sms: &[{}], basis: {basis}, source: {source} }}", sms(&row.list("sms")?)?);
            self.toolkits.push((version_key(cuda), text));
        }
        Ok(version_key(cudas[0]))
    }

    fn system_package(&mut self, row: &Row) -> Answer<Key> {
        let carries = row.must("carries")?;
        if !["Driver", "ForwardCompat", "Toolkit", "Libraries", "Cudnn", "Nccl"].contains(&carries) {
            return Err(format!("unknown `carries`: {carries}"));
        }
        let (basis, source) = self.basis_and_source(row, "basis", "source", "")?;
        let patterns = row.each("pattern", "patterns")?;
        for pattern in &patterns {
            let text = format!(
                "SystemPackage {{ pattern: {pattern:?}, carries: Carries::{carries}, basis: {basis}, source: {source} }}"
            );
            self.packages.push((text_key(pattern), text));
        }
        Ok(text_key(patterns[0]))
    }

    fn shell_file(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let end = row.must("end")?;
        self.shell_files.push((text_key(end), format!("{end:?}")));
        Ok(text_key(end))
    }

    fn service_variable(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (name, services) = (row.must("name")?, row.list("services")?);
        self.service_variables.push((text_key(name), format!("({name:?}, &{services:?})")));
        Ok(text_key(name))
    }

    fn configuration_file(&mut self, row: &Row) -> Answer<Key> {
        self.source(row.must("source")?)?;
        let (name, variable) = (row.must("name")?, row.must("variable")?);
        self.configuration_files.push((text_key(name), format!("({name:?}, {variable:?})")));
        Ok(text_key(name))
    }

    fn into_rust(mut self) -> Answer<String> {
        let mut out = String::new();
        let mut put = |name: &str, of: &str, rows: Vec<String>| {
            writeln!(out, "pub(crate) static {name}: &[{of}] = &[\n{}\n];", rows.join(",\n")).expect("text grows");
        };
        if self.date.is_empty() {
            return Err("rules/knowledge: no file gives the `date`".to_owned());
        }
        self.expand_companions()?;
        put("RELEASES", "(&str, &[Release])", groups(self.releases, "release")?);
        put("COMPANIONS", "(&str, &str)", self.partners.iter().map(|pair| format!("{pair:?}")).collect());
        put("IMAGES", "(&str, &[Image])", groups(self.images, "image")?);
        put("SYSTEM_PYTHONS", "(&str, &str)", sorted(self.system_pythons, "system_python")?);
        put("BARE_IMAGES", "&str", sorted(self.bare_images, "bare_image")?);
        put("OTHER_HARDWARE", "&str", sorted(self.other_hardware, "other_hardware")?);
        put("NODE_LABELS", "(&str, NodeLabel)", sorted(self.node_labels, "node_label")?);
        put("MACHINES", "(&str, &str)", sorted(self.machines, "machine")?);
        for (of, urls) in &self.mirrors {
            for (url, id) in self.addresses.clone() {
                if let Some(rest) = url.strip_prefix(of.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                    self.addresses.extend(urls.iter().map(|mirror| (format!("{mirror}{rest}"), id.clone())));
                }
            }
        }
        let ids = names(&self.indexes);
        let mut addresses = Vec::new();
        for (url, id) in &self.addresses {
            let at = ids.iter().position(|known| known == id).ok_or(format!("no index {id}"))?;
            addresses.push((text_key(url), format!("({url:?}, {at})")));
        }
        put("INDEX_ADDRESSES", "(&str, u16)", sorted(addresses, "index address")?);
        put("INDEXES", "Index", sorted(self.indexes, "index")?);
        let names = names(&self.gpus);
        let mut keys: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for (key, sm, name) in &self.gpu_names {
            let at = names.iter().position(|known| known == name).ok_or(format!("no GPU {name}"))?;
            match keys.get(key) {
                Some((other, _)) if other != sm && !self.ambiguous.contains(key) => {
                    return Err(format!(
                        "GPU name {key} ({name}) stands for two compute capabilities: list it in [[ambiguous_gpu]]"
                    ));
                }
                Some(_) => {}
                None => {
                    keys.insert(key.clone(), (sm.clone(), at));
                }
            }
        }
        keys.retain(|key, _| !self.ambiguous.contains(key));
        put("GPU_NAMES", "(&str, u16)", keys.iter().map(|(key, (_, at))| format!("({key:?}, {at})")).collect());
        put("GPUS", "Gpu", sorted(self.gpus, "gpu")?);
        put("DRIVER_BOUNDS", "DriverBound", sorted(self.bounds, "driver_bound")?);
        put("DRIVER_BRANCHES", "DriverBranch", sorted(self.branches, "driver_branch")?);
        put("FORWARD_COMPAT", "(&str, &[u16])", sorted(self.compat, "forward_compat")?);
        put("TOOLKITS", "Toolkit", sorted(self.toolkits, "toolkit")?);
        put("SYSTEM_PACKAGES", "SystemPackage", sorted(self.packages, "system_package")?);
        put("SHELL_FILES", "&str", sorted(self.shell_files, "shell_file")?);
        put("SERVICE_VARIABLES", "(&str, &[&str])", sorted(self.service_variables, "service_variable")?);
        put("CONFIGURATION_FILES", "(&str, &str)", sorted(self.configuration_files, "configuration_file")?);
        put("SOURCES", "&str", self.sources.iter().map(|s| format!("{s:?}")).collect());
        writeln!(out, "pub(crate) static DATE: &str = {:?};", self.date).expect("text grows");
        Ok(out)
    }
}
