//! What goes into an image, and who builds it: `COPY`, build contexts, targets, build arguments.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use globset::{Glob, GlobMatcher};

use super::{Project, merged, paths};
use crate::outline::{BuildOf, Does, Launch, Launcher, Text, Variable};
use crate::source::Span;

/// One file of the root that builds a Dockerfile.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Giver {
    /// The build context, relative to the root.
    pub(super) context: String,
    /// The stage, if it names one; empty for the last.
    pub(super) target: String,
    /// The image's name, if it gets one.
    pub(super) image: String,
    /// Build arguments whose values are known.
    pub(super) arguments: Vec<(String, String)>,
    /// Variables that it runs the image with, where it runs it.
    pub(super) environment: Vec<(String, String, Span)>,
    /// More of them come from files that are not read.
    pub(super) unread_environment: bool,
}

/// What all who build a Dockerfile say of it.
#[derive(Debug, Default)]
pub(super) struct Built {
    givers: Vec<Giver>,
    /// The build contexts, in the order of givers; none where nobody builds it.
    pub(super) contexts: Vec<String>,
    /// The different sets of build arguments; one, empty, where nobody builds it.
    pub(super) arguments: Vec<BTreeMap<String, String>>,
    /// Stages that someone asks for by name.
    pub(super) targets: BTreeSet<String>,
    /// Variables that all run it with, where all agree.
    pub(super) environment: Vec<(String, String, Span)>,
    /// More of them come from files that are not read.
    pub(super) unread_environment: bool,
    /// Of all this.
    pub(super) hash: u64,
}

impl Built {
    fn by(givers: Vec<Giver>) -> Self {
        let mut hasher = DefaultHasher::new();
        givers.hash(&mut hasher);
        let mut seen = BTreeSet::new();
        let contexts = givers.iter().map(|g| g.context.clone()).filter(|c| seen.insert(c.clone())).collect();
        let mut sets: Vec<&[(String, String)]> = givers.iter().map(|g| g.arguments.as_slice()).collect();
        sets.sort_unstable();
        sets.dedup();
        let mut arguments: Vec<BTreeMap<_, _>> = sets.into_iter().map(|set| set.iter().cloned().collect()).collect();
        if arguments.is_empty() {
            arguments.push(BTreeMap::new());
        }
        let mut agree: HashMap<(&str, &str), usize> = HashMap::new();
        for giver in &givers {
            let own: BTreeSet<_> = giver.environment.iter().map(|(name, value, _)| (name.as_str(), value.as_str())).collect();
            own.into_iter().for_each(|variable| *agree.entry(variable).or_default() += 1);
        }
        let all = |(name, value, _): &&(String, String, Span)| agree[&(name.as_str(), value.as_str())] == givers.len();
        Self {
            contexts,
            arguments,
            targets: givers.iter().map(|g| g.target.to_lowercase()).filter(|t| !t.is_empty()).collect(),
            environment: givers.first().map(|g| g.environment.iter().filter(all).cloned().collect()).unwrap_or_default(),
            unread_environment: givers.iter().any(|g| g.unread_environment),
            hash: hasher.finish(),
            givers,
        }
    }
}

/// Who builds which Dockerfile.
#[derive(Debug, Default)]
pub(super) struct Givers {
    of: BTreeMap<String, Built>,
    /// Of what nobody builds.
    none: Built,
    /// Dockerfiles with the place of the giver among theirs, by the image's name without tag.
    builders: BTreeMap<String, (String, usize)>,
}

impl Givers {
    pub(super) fn of(&self, dockerfile: &str) -> &Built {
        self.of.get(dockerfile).unwrap_or(&self.none)
    }
    /// The Dockerfile that an image name is built from.
    pub(super) fn builder(&self, image: &str) -> Option<(&str, &Giver)> {
        let (path, n) = self.builders.get(untagged(image))?;
        Some((path, self.of(path).givers.get(*n)?))
    }
}

/// A name built and run in one root is the same image whatever its tag.
fn untagged(image: &str) -> &str {
    let slash = image.rfind('/').map_or(0, |at| at + 1);
    image[slash..].find(':').map_or(image, |colon| &image[..slash + colon])
}

/// Reads all launches for what they say of building.
pub(super) fn givers(project: &Project<'_>) -> Givers {
    let mut found: BTreeMap<String, Vec<Giver>> = BTreeMap::new();
    let mut seen = HashSet::new();
    let runs = runs(project);
    for (path, file) in project.files() {
        for act in &file.outline.acts {
            let Does::Launch(launch) = &act.does else { continue };
            let layers = project.merged.layers(path, launch);
            // Of the two files that write a service the first is its place.
            let place = layers.iter().find(|layer| layer.build.is_some());
            let Some(build) = merged::build(&layers).filter(|_| place.is_some_and(|p| std::ptr::eq(*p, &**launch))) else {
                continue;
            };
            let image = match launch.by {
                Launcher::DockerBuild => launch.name.clone(),
                _ => merged::image(&layers),
            };
            if let Some((dockerfile, context)) = dockerfiles(project, path, launch.by, &build) {
                let known = |v: &Variable| Some((v.name.clone(), v.value.as_ref()?.known()?.to_owned()));
                let giver = |environment, unread_environment| Giver {
                    context: context.clone(),
                    target: build.target.as_ref().and_then(Text::known).unwrap_or_default().to_owned(),
                    image: image.clone().unwrap_or_default(),
                    arguments: build.arguments.iter().filter_map(known).collect(),
                    environment,
                    unread_environment,
                };
                // A build starts nothing: what runs the image by its name gives it its variables.
                let by_name = image.as_deref().filter(|_| launch.by == Launcher::DockerBuild).and_then(|i| runs.get(untagged(i)));
                let givers = match by_name {
                    Some(runs) => runs.iter().map(|(environment, unread)| giver(environment.clone(), *unread)).collect(),
                    None => vec![giver(given(&layers), layers.iter().any(|l| l.unread_environment))],
                };
                for giver in givers {
                    if seen.insert((dockerfile.clone(), giver.clone())) {
                        found.entry(dockerfile.clone()).or_default().push(giver);
                    }
                }
            }
        }
    }
    let mut builders = BTreeMap::new();
    for (path, givers) in &found {
        for (n, giver) in givers.iter().enumerate().filter(|(_, g)| !g.image.is_empty()) {
            builders.entry(untagged(&giver.image).to_owned()).or_insert_with(|| (path.clone(), n));
        }
    }
    let of = found.into_iter().map(|(path, givers)| (path, Built::by(givers))).collect();
    Givers { of, none: Built::by(Vec::new()), builders }
}

/// Variables whose values are known, with the place of each.
type Given = Vec<(String, String, Span)>;

/// An image of one name is not run in more ways: with more it is not known how.
const MOST_RUNS: usize = 16;

/// How images are run that have a name and are not built where they are run; whether more variables are not read.
fn runs(project: &Project<'_>) -> BTreeMap<String, Vec<(Given, bool)>> {
    let mut found: BTreeMap<String, (bool, Vec<(Given, bool)>)> = BTreeMap::new();
    for (path, file) in project.files() {
        for act in &file.outline.acts {
            let Does::Launch(launch) = &act.does else { continue };
            let Some(image) = launch.image.as_ref().and_then(Text::known).filter(|_| launch.build.is_none()) else { continue };
            let layers = project.merged.layers(path, launch);
            let with_gpu = layers.iter().any(|l| l.may_have_gpu());
            let (gpu, ways) = found.entry(untagged(image).to_owned()).or_default();
            // Those with a GPU say how it is used.
            if with_gpu && !*gpu {
                ways.clear();
            }
            let way = (given(&layers), layers.iter().any(|l| l.unread_environment));
            if with_gpu >= *gpu && ways.len() <= MOST_RUNS && !ways.contains(&way) {
                ways.push(way);
            }
            *gpu |= with_gpu;
        }
    }
    let known = |ways: Vec<_>| if ways.len() > MOST_RUNS { vec![(Vec::new(), true)] } else { ways };
    found.into_iter().map(|(image, (_, ways))| (image, known(ways))).collect()
}

/// The variables of a launch; of two values of one the last holds.
fn given(layers: &[&Launch]) -> Given {
    let mut given: BTreeMap<&str, Option<(&str, Span)>> = BTreeMap::new();
    for variable in merged::environment(layers) {
        let value = variable.value.as_ref().and_then(|value| Some((value.known()?, value.at)));
        given.insert(&variable.name, value);
    }
    let known = given.into_iter().filter_map(|(name, value)| value.map(|(text, at)| (name.to_owned(), text.to_owned(), at)));
    known.collect()
}

/// The Dockerfile of a build, with its context. A command's folder is not known: the root's, then the script's.
pub(super) fn dockerfiles(project: &Project<'_>, path: &str, by: Launcher, build: &BuildOf) -> Option<(String, String)> {
    let own = paths::folder(path);
    let bases: &[&str] = if by == Launcher::DockerBuild { &["", own] } else { &[own] };
    let context = build.context.known()?;
    bases.iter().find_map(|base| {
        let context = paths::join(base, context)?;
        let dockerfile = match &build.dockerfile {
            None => paths::join(&context, "Dockerfile")?,
            Some(text) if by == Launcher::DockerBuild => paths::join(base, text.known()?)?,
            Some(text) => paths::join(&context, text.known()?)?,
        };
        project.file(&dockerfile).is_some().then_some((dockerfile, context))
    })
}

/// One source of a `COPY`.
#[derive(Clone, Debug)]
struct Copied {
    /// Its path in the context.
    source: String,
    /// The pattern that its name is, if it is one.
    pattern: Option<GlobMatcher>,
    /// The path in the image.
    to: String,
    /// Whether that is surely a folder.
    folder: bool,
}

/// What an image has from the build context, in the order in which it came.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    copies: Vec<Copied>,
    /// Files that a command changed.
    edited: BTreeSet<String>,
}

impl Contents {
    pub(super) fn copy(&mut self, source: &str, to: &str, folder: bool) {
        let source = source.trim_start_matches('/').to_owned();
        let name = paths::name(&source);
        let pattern = name.contains(['*', '?', '[']).then(|| Glob::new(name).ok().map(|g| g.compile_matcher())).flatten();
        self.copies.push(Copied { source, pattern, to: to.to_owned(), folder });
    }
    pub(super) fn len(&self) -> usize {
        self.copies.len()
    }
    pub(super) fn edit(&mut self, path: String) {
        self.edited.insert(path);
    }
    pub(super) fn is_edited(&self, path: &str) -> bool {
        self.edited.contains(path)
    }
    /// The context paths that may lie at a path of the image, likeliest first.
    pub(super) fn sources(&self, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        for Copied { source, pattern, to, folder } in self.copies.iter().rev() {
            let Some(rest) = paths::under(path, to) else { continue };
            if rest.is_empty() {
                if !folder {
                    found.push(source.clone());
                }
                continue;
            }
            // A file copied into a folder keeps its name; a folder's contents are copied, not the folder.
            let fits = pattern.as_ref().map_or_else(|| paths::name(source) == rest, |pattern| pattern.is_match(rest));
            if fits && !source.is_empty() {
                found.extend(paths::join(paths::folder(source), rest));
            }
            found.extend(paths::join(source, rest));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_found_again() {
        let mut contents = Contents::default();
        contents.copy("requirements.txt", "/app/", true);
        contents.copy("docker/req*.txt", "/tmp", false);
        contents.copy(".", "/src", false);
        contents.copy("a.txt", "/b.txt", false);
        assert_eq!(contents.sources("/app/requirements.txt")[0], "requirements.txt");
        assert_eq!(contents.sources("/tmp/requirements.txt")[0], "docker/requirements.txt");
        assert_eq!(contents.sources("/src/sub/x.txt")[0], "sub/x.txt");
        assert_eq!(contents.sources("/b.txt"), ["a.txt"]);
        assert!(contents.sources("/nowhere").is_empty());
        assert_eq!(untagged("a:5000/b:1"), "a:5000/b");
    }
}
