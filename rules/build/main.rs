//! Makes static tables of `rules/knowledge/*.toml`. A mistake in a table stops the build and names file and row.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, process};

use toml::{Table, Value};

mod containers;
#[path = "../../src/knowledge/gpu_name.rs"]
mod gpu_name;
mod images;
mod indexes;
mod machines;
mod notation;
mod order;
mod releases;
mod row;
mod sources;
mod systems;

use images::IMAGE;
use notation::source_is_well_formed;
use order::{Key, groups, names, sorted, text_key};
use releases::{Build, Companion, RELEASE};
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
    cpu_images: Vec<(Key, String)>,
    image_variables: Vec<(Key, String)>,
    capability_users: Vec<(Key, String)>,
    without_kernels: Vec<(Key, String)>,
    images_gone: Vec<(Key, String)>,
    image_lists: Vec<(Key, String)>,
    other_hardware: Vec<(Key, String)>,
    other_machines: Vec<(Key, String)>,
    node_labels: Vec<(Key, String)>,
    machines: Vec<(Key, String)>,
    system_pythons: Vec<(Key, String)>,
    system_glibcs: Vec<(Key, String)>,
    gpus: Vec<(Key, String)>,
    gpu_names: Vec<(String, String, String)>,
    ambiguous: Vec<String>,
    bounds: Vec<(Key, String)>,
    branches: Vec<(Key, String)>,
    compat: Vec<(Key, String)>,
    toolkits: Vec<(Key, String)>,
    packages: Vec<(Key, String)>,
    shell_files: Vec<(Key, String)>,
    fetched_scripts: Vec<(Key, String)>,
    service_variables: Vec<(Key, String)>,
    configuration_files: Vec<(Key, String)>,
    modules: Vec<(Key, String)>,
    features: Vec<(Key, String)>,
    torch_bounds: Vec<(Key, String)>,
    torch_abis: Vec<(Key, String)>,
    cuda_checks: Vec<(Key, String)>,
    complete: Vec<(Key, String)>,
    wheels_only: Vec<(Key, String)>,
    withdrawn: Vec<(Key, String)>,
    signing_keys: Vec<(Key, String)>,
    module_owners: Vec<(Key, String)>,
    source_builds: Vec<(Key, String)>,
    build_variables: BTreeSet<String>,
    conda_toolkits: Vec<(Key, String)>,
    source_repositories: Vec<(Key, String)>,
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
    ("system_glibc", Tables::system_glibc, &["system", "glibc", "source"]),
    ("image_gone", Tables::image_gone, &["repository", "tags", "basis", "source"]),
    ("image_list", Tables::image_list, &["repository", "before", "complete", "basis", "source"]),
    ("bare_image", Tables::bare_image, &["repository", "source"]),
    ("cpu_image", Tables::cpu_image, &["repository", "tags", "serves", "basis", "source"]),
    ("image_variables", Tables::image_variables, &["repository", "visible_devices", "capabilities", "source"]),
    ("capability_user", Tables::capability_user, &["capability", "programs", "after", "variable", "values", "basis", "source"]),
    ("without_kernels", Tables::without_kernels, &["package", "source"]),
    ("other_hardware", Tables::other_hardware, &["word", "source"]),
    ("other_machine", Tables::other_machine, &["words", "source"]),
    ("node_label", Tables::node_label, &["label", "names", "source"]),
    ("machine", Tables::machine, &["families", "gpu", "source"]),
    ("gpu", Tables::gpu, &["name", "aliases", "sm", "architecture", "segment", "basis", "source"]),
    ("ambiguous_gpu", Tables::ambiguous_gpu, &["names", "source"]),
    ("driver_bound", Tables::driver_bound, &["cuda", "linux", "windows", "windows_disputed", "basis", "source"]),
    ("driver_branch", Tables::driver_branch, &["branch", "cuda", "basis", "source"]),
    ("forward_compat", Tables::forward_compat, &["cuda", "branches", "source"]),
    ("toolkit", Tables::toolkit, &["cuda", "cudas", "sms", "basis", "source"]),
    (
        "system_package",
        Tables::system_package,
        &["pattern", "patterns", "systems", "carries", "of_distribution", "basis", "source"],
    ),
    ("shell_file", Tables::shell_file, &["end", "source"]),
    ("fetched_script", Tables::fetched_script, &["begin", "source"]),
    ("service_variable", Tables::service_variable, &["name", "services", "source"]),
    ("configuration_file", Tables::configuration_file, &["name", "variable", "index", "source"]),
    ("module", Tables::module, &["name", "brings", "toolchain", "nvcc", "source"]),
    ("conda_toolkit", Tables::conda_toolkit, &["name", "source"]),
    ("feature", Tables::feature, &["name", "brings", "source"]),
    ("torch_bound", Tables::torch_bound, &["package", "requires", "source"]),
    ("torch_abi", Tables::torch_abi, &["image", "releases", "tags", "cxx11", "basis", "source"]),
    ("cuda_check", Tables::cuda_check, &["package", "releases", "by", "source"]),
    ("complete", Tables::complete, &["package", "since", "source"]),
    ("wheels_only", Tables::wheels_only, &["package", "listed", "source"]),
    ("withdrawn", Tables::withdrawn, &["package", "packages", "since", "instead", "unless", "source"]),
    ("signing_key", Tables::signing_key, &["below", "name", "withdrawn", "source"]),
    ("module_owner", Tables::module_owner, &["package", "module", "until", "same_from", "cuda", "basis", "source"]),
    ("source_repository", Tables::source_repository, &["address", "package", "source"]),
    ("build_variable", Tables::build_variable, &["name", "source"]),
    (
        "source_build",
        Tables::source_build,
        &[
            "name",
            "repositories",
            "folder",
            "nvcc",
            "asked_by",
            "forced_by",
            "skipped_by",
            "without_torch",
            "imports_torch",
            "declares_torch",
            "own_architectures",
            "architectures_by",
            "wheels",
            "fetches_wheels_unless",
            "since",
            "until",
            "basis",
            "source",
        ],
    ),
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
        put("SYSTEM_GLIBCS", "(&str, &str)", sorted(self.system_glibcs, "system_glibc")?);
        put("BARE_IMAGES", "&str", sorted(self.bare_images, "bare_image")?);
        put("CPU_IMAGES", "CpuImage", sorted(self.cpu_images, "cpu_image")?);
        put("IMAGE_VARIABLES", "ImageVariables", sorted(self.image_variables, "image_variables")?);
        put("CAPABILITY_USERS", "CapabilityUser", sorted(self.capability_users, "capability_user")?);
        put("WITHOUT_KERNELS", "&str", sorted(self.without_kernels, "without_kernels")?);
        put("IMAGES_GONE", "ImageGone", sorted(self.images_gone, "image_gone")?);
        put("IMAGE_LISTS", "ImageList", sorted(self.image_lists, "image_list")?);
        put("OTHER_HARDWARE", "&str", sorted(self.other_hardware, "other_hardware")?);
        put("OTHER_MACHINES", "&str", sorted(self.other_machines, "other_machine")?);
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
        put("FETCHED_SCRIPTS", "&str", sorted(self.fetched_scripts, "fetched_script")?);
        put("MODULES", "Module", sorted(self.modules, "module")?);
        put("FEATURES", "(&str, Brings)", sorted(self.features, "feature")?);
        put("TORCH_BOUNDS", "&str", sorted(self.torch_bounds, "torch_bound")?);
        put("TORCH_ABIS", "TorchAbi", sorted(self.torch_abis, "torch_abi")?);
        put("CUDA_CHECKS", "(&str, &str, bool)", sorted(self.cuda_checks, "cuda_check")?);
        put("COMPLETE", "(&str, &str)", sorted(self.complete, "complete")?);
        put("WHEELS_ONLY", "(&str, Platforms)", sorted(self.wheels_only, "wheels_only")?);
        put("WITHDRAWN", "Withdrawn", sorted(self.withdrawn, "withdrawn")?);
        put("SIGNING_KEYS", "SigningKey", sorted(self.signing_keys, "signing_key")?);
        put("MODULE_OWNERS", "ModuleOwner", sorted(self.module_owners, "module_owner")?);
        put("SOURCE_BUILDS", "SourceBuild", sorted(self.source_builds, "source_build")?);
        put("SOURCE_REPOSITORIES", "(&str, &str)", sorted(self.source_repositories, "source_repository")?);
        put("CONDA_TOOLKITS", "&str", sorted(self.conda_toolkits, "conda_toolkit")?);
        put("BUILD_VARIABLES", "&str", self.build_variables.iter().map(|name| format!("{name:?}")).collect());
        put("SERVICE_VARIABLES", "(&str, &[&str])", sorted(self.service_variables, "service_variable")?);
        put("CONFIGURATION_FILES", "(&str, &str, &str)", sorted(self.configuration_files, "configuration_file")?);
        put("SOURCES", "&str", self.sources.iter().map(|s| format!("{s:?}")).collect());
        writeln!(out, "pub(crate) static DATE: &str = {:?};", self.date).expect("text grows");
        Ok(out)
    }
}
