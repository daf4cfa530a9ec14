//! Links between files, and nothing else: which starts there are, who includes, copies and builds from whom.

mod arguments;
mod arms;
mod before;
mod called;
mod command;
mod composed;
mod context;
mod drivers;
mod extended;
mod givers;
mod gpu_machine;
mod images;
mod inside;
mod installers;
mod launches;
mod locks;
mod made;
mod manifests;
mod merged;
mod number;
mod origins;
mod parts;
mod patches;
mod paths;
mod processors;
mod questions;
mod spoken;
mod starts;
mod tested;
mod usage;
mod variables;
mod walk;
mod watched;
mod workspaces;
mod worlds;

pub(crate) use command::Command;
pub(crate) use drivers::Runfile;
pub(crate) use launches::{Given, LaunchPlace, launches};
pub(crate) use locks::manifest_of;
pub(crate) use manifests::manifests;
pub(crate) use processors::Processors;
pub(crate) use starts::{Beginning, Enters, commanded};
pub(crate) use variables::Value;
pub(crate) use walk::{
    Asked, Brought, Compiling, Event, Indexed, Installed, Link, LockEntry, Prefix, Removed, Routed, Script, survey, walk,
};
pub(crate) use worlds::{World, worlds};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use givers::Gpu;

use crate::device;
use crate::outline::{Act, Change, Does, How, Kind, Launch, Outline, Patch, Text, Variable};
use crate::read::gitlab::local_path;
use crate::source::{FileId, Sources, Span};

/// An rc file that does more is nobody's; each is walked for every manifest below it.
const MOST_OF_RC: usize = 300;
/// Nor does one in a folder deeper than this count.
const DEEPEST_RC: usize = 32;

/// All files of the repository with what they say, by path.
pub(crate) struct Project<'a> {
    /// For the texts of spans.
    pub(crate) sources: &'a Sources,
    files: BTreeMap<&'a str, File<'a>>,
    /// The same, to be asked for: walks do so again and again.
    by_path: HashMap<&'a str, File<'a>>,
    /// By folder.
    rc_files: HashMap<&'a str, Vec<(&'a str, File<'a>)>>,
    /// By the address of what the file says: one may stand inside another.
    parts: HashMap<usize, parts::Parts<'a>>,
    /// Of a file that is not in the table.
    none: parts::Parts<'a>,
    tests: tested::Tests<'a>,
    spoken: spoken::Spoken,
    givers: givers::Givers,
    merged: merged::Merged<'a>,
    composed: composed::Composed,
    called: called::Called,
    inside: inside::Inside<'a>,
    left_out: context::LeftOut<'a>,
    installers: installers::Installers,
    usage: usage::Usage,
    /// The folders of the projects that are defined here, by name.
    named: BTreeMap<&'a str, &'a str>,
    /// What comes before manifests, by their paths.
    before: BTreeMap<String, before::Before<'a>>,
    workspaces: workspaces::Workspaces<'a>,
    /// Installers' own configurations.
    configurations: Vec<&'a str>,
    /// Where `nvidia` is made the runtime of all containers.
    default_runtime: Option<Span>,
}

/// One file.
#[derive(Clone, Copy)]
pub(crate) struct File<'a> {
    pub(crate) id: FileId,
    pub(crate) kind: Kind,
    pub(crate) outline: &'a Outline,
    /// Ours because another file links to it, not by its own name.
    pub(crate) by_link: bool,
}

impl<'a> Project<'a> {
    /// Links these files.
    pub(crate) fn new(sources: &'a Sources, files: impl Iterator<Item = (&'a str, File<'a>)>) -> Self {
        let mut files: BTreeMap<_, _> = files.collect();
        let inlines: Vec<_> = files.values().flat_map(inlines).collect();
        files.extend(inlines);
        let mut rc_files: HashMap<&str, Vec<_>> = HashMap::new();
        for (path, file) in files.iter().filter(|(_, f)| f.kind == Kind::Rc && f.outline.acts.len() <= MOST_OF_RC) {
            rc_files.entry(paths::folder(path)).or_default().push((*path, *file));
        }
        let parts_of = |outline: &'a Outline| (address(outline), parts::Parts::of(outline));
        let mut parts: HashMap<_, _> = files.values().map(|file| parts_of(file.outline)).collect();
        let mut open: Vec<&'a [Act]> = files.values().map(|file| file.outline.acts.as_slice()).collect();
        let mut tests = tested::Tests::default();
        while let Some(acts) = open.pop() {
            tests.add(acts);
            for act in acts {
                match &act.does {
                    Does::Write(written) => {
                        parts.extend([parts_of(&written.outline)]);
                        open.push(&written.outline.acts);
                    }
                    Does::OnBuild(acts) => open.push(acts),
                    _ => {}
                }
            }
        }
        let (givers, installers) = (givers::Givers::default(), installers::Installers::default());
        let usage = usage::Usage::default();
        let none = parts::Parts::default();
        let (merged, left_out) = (merged::Merged::of(&files), context::LeftOut::of(&files));
        let (composed, called) = (composed::Composed::of(&files), called::Called::of(&files));
        let all = files.values().flat_map(|file| &file.outline.acts);
        let default_runtime = all.into_iter().find(|act| act.does == Does::DefaultRuntime).map(|act| act.at);
        let spoken = spoken::Spoken::default();
        let configures = |file: &File<'_>| matches!(file.kind, Kind::PipConfig | Kind::Condarc);
        let configurations = files.iter().filter(|(_, file)| configures(file)).map(|(path, _)| *path).collect();
        let (named, before) = (named(&files), BTreeMap::new());
        let workspaces = workspaces::Workspaces::of(&files);
        let by_path = files.iter().map(|(path, file)| (*path, *file)).collect();
        let mut project = Self {
            sources,
            files,
            by_path,
            rc_files,
            parts,
            none,
            tests,
            spoken,
            givers,
            merged,
            composed,
            called,
            inside: inside::Inside::default(),
            left_out,
            installers,
            usage,
            named,
            before,
            workspaces,
            configurations,
            default_runtime,
        };
        project.spoken = spoken::Spoken::of(&project);
        project.givers = givers::givers(&project);
        project.inside = inside::Inside::of(&project);
        project.installers = installers::Installers::of(&project);
        project.before = before::before(&project);
        project.usage = usage::Usage::of(&project);
        project
    }
    /// The file at a root-relative path.
    pub(crate) fn file(&self, path: &str) -> Option<File<'a>> {
        self.by_path.get(path).copied()
    }
    /// All files, by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'a str, File<'a>)> {
        self.files.iter().map(|(path, file)| (*path, *file))
    }
    /// The paths of installers' own configurations.
    fn configurations(&self) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        self.configurations.iter().copied()
    }
    /// Whether a GPU may be there when a launch of these layers runs, or is missing there.
    fn gpu(&self, layers: &[&Launch]) -> Gpu {
        let words = || layers.iter().flat_map(|l| l.entrypoint.iter().flatten().chain(&l.command)).filter_map(Text::known);
        let set = |v: &Variable| v.value.as_ref().and_then(Text::known).is_some_and(|text| device::chooses_gpu(&v.name, text));
        let asks = layers.iter().any(|l| !l.idle && l.gpu.is_asked());
        let says_cpu = || device::says_cpu(words(), device::Choice::Cpu);
        let needs = || device::says_cuda(words().map(|word| (word, ()))).is_some() || merged::environment(layers).any(set);
        let by_default = || self.default_runtime.is_some() && !Launch::hides_gpus(merged::environment(layers));
        let may = || by_default() || layers.iter().any(|l| l.may_have_gpu());
        if asks || !says_cpu() && (may() || needs()) {
            Gpu::Yes
        } else if words().next().is_none() {
            Gpu::IfOwnNeeds
        } else {
            Gpu::No
        }
    }
    /// Whether nothing asks what its image demands of the driver when a launch of these layers gets its GPU.
    fn unchecked(&self, layers: &[&Launch]) -> bool {
        let mut asking = layers.iter().filter(|layer| layer.gpu.is_asked()).peekable();
        self.default_runtime.is_none() && asking.peek().is_some() && asking.all(|layer| layer.unchecked)
    }
    /// Paths that files name to be read together with others, by the kind that this makes of them.
    pub(crate) fn links(&self) -> BTreeSet<(String, Kind)> {
        let mut found: BTreeSet<(String, Kind)> = self.composed.files().map(|path| (path.to_owned(), Kind::EnvFile)).collect();
        for (path, file) in self.files() {
            let named = merged::runs(path, &file.outline.acts).into_iter().filter(|run| run.named).flat_map(|run| run.places);
            found.extend(named.flat_map(|place| place.files).map(|file| (file, Kind::Compose)));
            for act in &file.outline.acts {
                let (to, kind) = match &act.does {
                    Does::Include(include) if include.how == How::Pipeline => {
                        let from = if file.by_link { "" } else { paths::folder(path) };
                        let to = local_path(&include.path).and_then(|to| paths::join(from, to));
                        found.extend(to.map(|to| (to, Kind::GitlabCi)));
                        continue;
                    }
                    Does::Include(include) if include.how == How::Compose => (&include.path, Kind::Compose),
                    Does::Include(include) if include.how == How::Manifest => (&include.path, Kind::Kubernetes),
                    Does::Patch(Patch { change: Change::File(path), .. }) => (path, Kind::Kubernetes),
                    _ => continue,
                };
                let to = to.known().and_then(|to| paths::join(paths::folder(path), to));
                // What has no such name is a folder.
                found.extend(to.filter(|to| [".yaml", ".yml", ".json"].iter().any(|end| to.ends_with(end))).map(|to| (to, kind)));
            }
        }
        found
    }
    /// The files in or above a path's folder that every shell reads at its start.
    pub(crate) fn rc_files_above(&self, path: &str) -> Vec<(&'a str, File<'a>)> {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]).take(DEEPEST_RC);
        let all = std::iter::once("").chain(folders).filter_map(|folder| self.rc_files.get(folder));
        let mut found: Vec<_> = all.flatten().copied().collect();
        found.sort_unstable_by_key(|(path, _)| *path);
        found
    }
    /// What the other files say of building a Dockerfile or of who installs a manifest: part of the fingerprint of its starts.
    pub(crate) fn given_to(&self, path: &str) -> impl Hash + use<> {
        let before = self.before.get(path).into_iter();
        let before: Vec<_> = before
            .map(|b| {
                let manifests: Vec<String> = b.manifests.iter().map(|path| (*path).to_owned()).collect();
                (b.commands.iter().map(|told| told.at).collect::<Vec<_>>(), manifests)
            })
            .collect();
        let root = self.workspaces.root(path).map(str::to_owned);
        let services = self.givers.changed_services().clone();
        let makes_images = self.file(path).is_some_and(|file| file.kind == Kind::Dockerfile || self.parts(file).launches() > 0);
        let inside = makes_images.then(|| self.inside.places());
        let images = makes_images.then(|| self.givers.hash_of_images());
        let images = (images, inside);
        (self.givers.of(path).hash, images, services, self.installers.tool(path), self.brought(path), root, before)
    }
    /// Where the parts of a file begin.
    fn parts(&self, file: File<'_>) -> &parts::Parts<'a> {
        self.parts.get(&address(file.outline)).unwrap_or(&self.none)
    }
}

/// The Dockerfiles that stand in a file, each as a file of its own.
fn inlines<'a>(file: &File<'a>) -> impl Iterator<Item = (&'a str, File<'a>)> + use<'a> {
    let File { id, outline, by_link, .. } = *file;
    let builds =
        outline.acts.iter().filter_map(|act| if let Does::Launch(launch) = &act.does { launch.build.as_ref() } else { None });
    let inlines = builds.filter_map(|build| build.inline.as_deref());
    inlines.map(move |inline| (inline.path.as_str(), File { id, kind: Kind::Dockerfile, outline: &inline.outline, by_link }))
}

/// The folders of projects by name: of two the one nearer to the root.
fn named<'a>(files: &BTreeMap<&'a str, File<'a>>) -> BTreeMap<&'a str, &'a str> {
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    let depth = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
    for (path, file) in files {
        let Some(name) = file.outline.name.as_deref() else { continue };
        let folder = paths::folder(path);
        let known = found.entry(name).or_insert(folder);
        if depth(folder) < depth(known) {
            *known = folder;
        }
    }
    found
}

/// Where what a file says lies in memory; it does not move while a project is there.
fn address(outline: &Outline) -> usize {
    std::ptr::from_ref(outline).addr()
}
