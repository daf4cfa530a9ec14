//! What goes into an image, and who builds it: `COPY`, build contexts, targets, build arguments.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use globset::{Glob, GlobMatcher};

use super::variables::Variables;
use super::{Project, paths};
use crate::outline::{BuildOf, Does, Kind, Launcher, Text, Variable};
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
    /// Files of variables that it runs the image with, root-relative; `None` for one whose path is not known.
    pub(super) environment_files: Vec<Option<String>>,
    /// More of them come from where nothing is read.
    pub(super) unread_environment: bool,
    /// The file whose variables stand in what it says here, root-relative.
    pub(super) interpolation: Option<String>,
}

/// What all who build a Dockerfile say of it.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// The build contexts, in the order of givers; none where nobody builds it.
    pub(super) contexts: Vec<String>,
    /// The different sets of build arguments; one, empty, where nobody builds it.
    pub(super) arguments: Vec<BTreeMap<String, String>>,
    /// Stages that someone asks for by name.
    pub(super) targets: BTreeSet<String>,
    /// Variables that all run it with, where all agree.
    pub(super) environment: Vec<(String, String, Span)>,
    /// Files of variables that it is run with, root-relative, where one alone runs it; `None` for one whose path is not known.
    pub(super) environment_files: Vec<Option<String>>,
    /// More of them come from where nothing is read.
    pub(super) unread_environment: bool,
    /// The files whose variables stand in what is said of it, root-relative.
    pub(super) interpolations: BTreeSet<String>,
    /// Of all this.
    pub(super) hash: u64,
}

impl Built {
    fn by(givers: &[Giver]) -> Self {
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
        for giver in givers {
            let own: BTreeSet<_> = giver.environment.iter().map(|(name, value, _)| (name.as_str(), value.as_str())).collect();
            own.into_iter().for_each(|variable| *agree.entry(variable).or_default() += 1);
        }
        let all = |(name, value, _): &&(String, String, Span)| agree[&(name.as_str(), value.as_str())] == givers.len();
        Self {
            contexts,
            arguments,
            targets: givers.iter().map(|g| g.target.to_lowercase()).filter(|t| !t.is_empty()).collect(),
            environment: givers.first().map(|g| g.environment.iter().filter(all).cloned().collect()).unwrap_or_default(),
            environment_files: if let [only] = givers { only.environment_files.clone() } else { Vec::new() },
            unread_environment: givers
                .iter()
                .any(|g| g.unread_environment || (givers.len() > 1 && !g.environment_files.is_empty())),
            interpolations: givers.iter().filter_map(|g| g.interpolation.clone()).collect(),
            hash: hasher.finish(),
        }
    }
}

/// Who builds which Dockerfile.
#[derive(Debug, Default)]
pub(super) struct Givers {
    of: BTreeMap<String, Built>,
    /// Of what nobody builds.
    none: Built,
    /// Dockerfiles with the stage, by the image's name without tag.
    builders: BTreeMap<String, (String, String)>,
}

impl Givers {
    pub(super) fn of(&self, dockerfile: &str) -> &Built {
        self.of.get(dockerfile).unwrap_or(&self.none)
    }
    /// The Dockerfile that an image name is built from, and its stage.
    pub(super) fn builder(&self, image: &str) -> Option<(&str, &str)> {
        let (path, target) = self.builders.get(untagged(image))?;
        Some((path, target))
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
    let mut told: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut read: HashMap<Option<String>, Variables> = HashMap::new();
    for (path, file) in project.files() {
        for act in &file.outline.acts {
            let Does::Launch(launch) = &act.does else { continue };
            let Some(build) = &launch.build else { continue };
            let image = match launch.by {
                Launcher::DockerBuild => launch.name.clone(),
                _ => launch.image.as_ref().and_then(|i| i.known().map(str::to_owned)),
            };
            if let Some((dockerfile, context)) = dockerfiles(project, path, launch.by, build) {
                let interpolation = interpolation_file(path, launch.by);
                let variables = read.entry(interpolation.clone()).or_insert_with(|| {
                    let file = interpolation.as_deref().and_then(|path| project.file(path));
                    file.filter(|file| file.kind == Kind::EnvFile).map(Variables::of_file).unwrap_or_default()
                });
                let with_place = |v: &Variable| {
                    let value = v.value.as_ref()?;
                    Some((v.name.clone(), variables.resolve(value)?, value.at))
                };
                let known = |v: &Variable| Some((v.name.clone(), variables.resolve(v.value.as_ref()?)?));
                let beside = |text: &Text| paths::join(paths::folder(path), &variables.resolve(text)?);
                let giver = Giver {
                    context,
                    target: build.target.as_ref().and_then(Text::known).unwrap_or_default().to_owned(),
                    image: image.clone().unwrap_or_default(),
                    arguments: build.arguments.iter().filter_map(known).collect(),
                    environment: launch.environment.iter().filter_map(with_place).collect(),
                    environment_files: launch.environment_files.iter().map(beside).collect(),
                    unread_environment: launch.unread_environment,
                    interpolation,
                };
                if file.kind == Kind::Markdown {
                    // How people build it by hand is no world of its own.
                    told.entry(untagged(&giver.image).to_owned()).or_insert((dockerfile, giver.target));
                } else if seen.insert((dockerfile.clone(), giver.clone())) {
                    found.entry(dockerfile).or_default().push(giver);
                }
            }
        }
    }
    let mut builders = BTreeMap::new();
    for (path, givers) in &found {
        for giver in givers {
            let built = (path.clone(), giver.target.clone());
            builders.entry(untagged(&giver.image).to_owned()).or_insert(built);
        }
    }
    for (image, built) in told {
        builders.entry(image).or_insert(built);
    }
    builders.remove("");
    let of = found.into_iter().map(|(path, givers)| (path, Built::by(&givers))).collect();
    Givers { of, none: Built::by(&[]), builders }
}

/// The file beside a compose file from which Compose takes the variables that stand in it.
/// Source: <https://docs.docker.com/compose/how-tos/environment-variables/variable-interpolation/>.
pub(super) fn interpolation_file(path: &str, by: Launcher) -> Option<String> {
    paths::join(paths::folder(path), ".env").filter(|_| by == Launcher::Compose)
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
    /// Whether a context path was copied, to wherever.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.copies.iter().any(|Copied { source, pattern, .. }| match pattern {
            Some(pattern) => paths::folder(source) == paths::folder(path) && pattern.is_match(paths::name(path)),
            None => paths::under(path, source.trim_start_matches("./").trim_end_matches('.')).is_some(),
        })
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
        assert!(contents.holds("any/poetry.lock") && contents.holds("docker/req-a.txt"));
        let mut few = Contents::default();
        few.copy("./sub/", "/app", true);
        few.copy("poetry.lock*", "/app/", true);
        assert!(few.holds("sub/x") && few.holds("poetry.lock") && !few.holds("pdm.lock") && !few.holds("a/poetry.lock"));
        assert_eq!(untagged("a:5000/b:1"), "a:5000/b");
    }
}
