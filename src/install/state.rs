//! What one prefix holds, and how it came there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::earlier::Earlier;
use super::python::Told;
use super::step::Wanted;
use crate::environment::{Build, Candidates, Compiled, Component, Evidence, Image, Join, Origin, Reason, Step};
use crate::knowledge::{self, Basis, Library};
use crate::notation::match_spec::MatchSpec;
use crate::outline::Tool;
use crate::platform::{Platform, Pythons};
use crate::project::Installed;
use crate::resolve;
use crate::source::Span;
use crate::version::{CudaVersion, Version};

/// One prefix while its steps are folded.
#[derive(Clone)]
pub(super) struct State {
    pub(super) platform: Platform,
    pub(super) python: Told,
    /// By name.
    pub(super) installed: BTreeMap<String, Held>,
    /// Which of them are conda's, by the Python distribution that pip finds in its place.
    pub(super) by_conda: BTreeMap<String, String>,
    pub(super) steps: Vec<Step>,
    pub(super) compiled: Vec<Compiled>,
    /// It stands on something of which nothing is known, named there: any package may be there already, a version that is asked
    /// for in another build, and any index may be set.
    pub(super) upon: Option<Span>,
    /// Packages that were taken away: of these none is there any more.
    pub(super) removed: BTreeSet<String>,
    /// A list that is not known was installed: any package may be there already.
    pub(super) unlisted: bool,
    /// One of conda's, which has compilers, too.
    pub(super) unlisted_of_conda: bool,
    /// A list that is not known came from another index than PyPI: even what is asked for in one version may be there, in
    /// another build.
    pub(super) other_builds: bool,
    /// What may be there from before.
    pub(super) before: Earlier,
    /// The CUDA that an earlier step of conda was asked for: it holds for later ones, too.
    pub(super) conda_cuda: Option<(Span, MatchSpec)>,
}

/// A package that is there.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) builds: Candidates,
    pub(super) evidence: Evidence,
    /// A pin, an upper bound, an index or an image chose it.
    pub(super) chosen: bool,
    /// The version that a pin names, where no row of the tables has it.
    pub(super) pin: Option<Version>,
}

impl Wanted {
    /// Whether it is built of sources of which nothing is known: what is there does not meet that.
    pub(super) fn is_built_unseen(&self) -> bool {
        matches!(self.from, Origin::Sources(_)) && self.alone.builds.is_empty()
    }
    /// Whether the version that it is pinned to is that of one build: `2.7.0+cu128`.
    pub(super) fn names_its_build(&self) -> bool {
        self.wants.pin().is_some_and(|pin| pin.public() != pin)
    }
}

impl State {
    /// The packages of an image: torch, where its row names it.
    pub(super) fn take_image(&mut self, image: &Image) {
        let Some(row) = image.row.filter(|row| !row.torch.is_empty()) else { return };
        let tag = CudaVersion::parse(row.cuda).map(|c| c.minor_only());
        let bits = self.platform.bits();
        let same = |r: &&'static knowledge::Release| {
            r.version == row.torch && r.platforms.meets(bits) && CudaVersion::of_tag(r.tag).map(|t| t.minor_only()) == tag
        };
        let builds: Vec<Build> = knowledge::releases(if row.conda_torch { "conda:pytorch" } else { "torch" })
            .iter()
            .filter(same)
            .take(1)
            .filter_map(|release| Some(Build { version: Version::parse(release.version)?, index: "image", release }))
            .collect();
        let mut evidence = image.evidence.clone();
        evidence.reason = Reason::Image { image: image.reference.clone(), cuda: row.cuda.to_owned() };
        let today = builds.len().checked_sub(1);
        let builds = Candidates { open: builds.is_empty(), today, builds };
        // Its companions are there, too, in versions that the row does not tell.
        // Source: pytorch/pytorch, Dockerfile: `pip install torch torchvision torchaudio`.
        for companion in knowledge::companions_of("torch") {
            let unknown = Candidates { open: true, ..Candidates::default() };
            let held = Held { builds: unknown, evidence: evidence.clone(), chosen: true, pin: None };
            self.put(companion.to_owned(), held);
        }
        self.put("torch".to_owned(), Held { builds, evidence, chosen: true, pin: None });
    }

    /// Says of the Python that it is one of these, too.
    pub(super) fn narrow_python(&mut self, pythons: Pythons, by: &Evidence) {
        self.python.narrow(&mut self.platform, pythons, by);
    }

    /// Takes packages away: pip's by their names, conda's by theirs.
    pub(super) fn remove(&mut self, tool: Tool, names: &[String]) {
        for name in names {
            let name = match tool {
                Tool::Conda => format!("conda:{}", name.to_lowercase()),
                _ => crate::notation::requirement::normalise(name),
            };
            self.installed.remove(&name);
            self.removed.insert(name.clone());
            self.conda_cuda.take_if(|(_, spec)| name.strip_prefix("conda:") == Some(&spec.name));
        }
    }

    /// Lets a script change what is there of which nothing is known.
    pub(super) fn run_unread(&mut self) {
        for held in self.installed.values_mut() {
            held.builds = Candidates { open: true, today: None, builds: std::mem::take(&mut held.builds.builds) };
        }
        self.unlisted = true;
    }

    /// Lets something come over what is there of which nothing is known.
    pub(super) fn bring_unknown(&mut self, at: Span) {
        self.run_unread();
        self.upon = self.upon.or(Some(at));
        self.removed.clear();
    }

    /// Lets the packages of another image come over what is there: of two builds the files of both lie there then.
    pub(super) fn bring_image(&mut self, image: &Image) {
        if self.there("torch").is_some() {
            self.bring_unknown(image.evidence.at);
        } else {
            self.take_image(image);
        }
    }

    /// Lets files come over what is there that are called as those of a package.
    pub(super) fn bring_package(&mut self, named: &str) {
        let end = named.find(['-', '.', '*', '?', '[']).unwrap_or(named.len());
        let stem = crate::notation::requirement::normalise(&named[..end]);
        let any = named[end..].starts_with(['*', '?', '[']);
        for (name, held) in &mut self.installed {
            let name = knowledge::provides(name).unwrap_or(name);
            if name == stem || any && name.starts_with(&stem) {
                held.builds = Candidates { open: true, today: None, builds: std::mem::take(&mut held.builds.builds) };
            }
        }
    }

    /// Takes packages away that are not known: any may be gone, or still be there.
    pub(super) fn remove_unknown(&mut self, at: Span) {
        self.installed.clear();
        self.conda_cuda = None;
        self.upon = self.upon.or(Some(at));
        self.removed.clear();
    }

    /// What pip finds of a distribution, with the name that it is held by: a wheel, or conda's package of the same project.
    pub(super) fn there(&self, name: &str) -> Option<(&str, &Held)> {
        let own = self.installed.get_key_value(name);
        let conda = || self.installed.get_key_value(self.by_conda.get(name)?);
        own.or_else(conda).map(|(held, what)| (held.as_str(), what))
    }

    /// Whether a package may be there that nothing is known of, where another version or build would come.
    pub(super) fn may_be_there(&self, want: &Wanted, step: &Installed) -> bool {
        let unseen = self.upon.is_some() || self.unlisted;
        let may = (unseen && !want.chosen)
            || (self.other_builds && !want.names_its_build() && !step.flags.reinstall)
            || self.before.may_stay(&want.name, &want.wants);
        may && self.there(&want.name).is_none()
    }

    /// The place of what a package comes upon, where that may have another build of what is asked for: installers keep it. Of a
    /// library for frameworks there is one build only.
    pub(super) fn may_have_another_build(&self, want: &Wanted, builds: &Candidates, step: &Installed) -> Option<Span> {
        let one = want.names_its_build() || builds.builds.iter().all(|build| build.index == "url");
        let comes = step.flags.reinstall || self.removed.contains(&want.name) || self.there(&want.name).is_some();
        self.upon.filter(|_| !one && !comes && resolve::has_variants(&want.name))
    }

    /// Puts a package there.
    pub(super) fn put(&mut self, name: String, held: Held) {
        if let Some(distribution) = knowledge::provides(&name) {
            self.by_conda.insert(distribution.to_owned(), name.clone());
        }
        self.installed.insert(name, held);
    }

    /// What is there in the end.
    pub(super) fn components(&mut self) -> Vec<Component> {
        let mut asked: HashMap<(&str, Span), (usize, usize)> = HashMap::new();
        // Of several steps that ask for it at one place the last counts.
        for (n, step) in self.steps.iter().enumerate().rev() {
            for (k, ask) in step.asks.iter().enumerate() {
                asked.entry((&ask.package, ask.evidence.at)).or_insert((n, k));
            }
        }
        let held = std::mem::take(&mut self.installed).into_iter();
        let held = held.map(|(name, held)| {
            let asked = asked.get(&(name.as_str(), held.evidence.at)).copied();
            Component { name, builds: held.builds, evidence: held.evidence, asked }
        });
        held.collect()
    }
}

/// Why a package comes to what it is.
pub(super) fn comes(name: &str, wants: &str, builds: &Candidates) -> (Reason, Basis) {
    match builds.only().or_else(|| builds.today()) {
        Some(build) => {
            let reason = Reason::Comes {
                package: name.to_owned(),
                version: build.version.to_string(),
                index: build.index.to_owned(),
                cuda: build.brings(Library::Cuda).map_or("", |p| p.version).to_owned(),
                today: builds.only().is_none(),
            };
            // What is said of all builds that may come rests on each of them.
            (reason, Basis::weakest(builds.builds.iter().map(|build| build.release.basis)).unwrap_or(build.release.basis))
        }
        None => (Reason::Asked { package: name.to_owned(), wants: wants.to_owned() }, Basis::Metadata),
    }
}

/// A place in a file.
pub(super) fn at(
    at: crate::source::Span,
    also: &[(crate::source::Span, Reason)],
    (reason, basis): (Reason, Basis),
    join: Join,
) -> Evidence {
    Evidence { at, reason, also: also.to_vec(), basis, join }
}
