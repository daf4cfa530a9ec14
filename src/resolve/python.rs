//! Candidates of a Python package under pip and uv.

use super::published::{self, Served};
use crate::environment::{Build, Candidates, StepIndex};
use crate::knowledge::{self, Kernels, Release};
use crate::notation::wheel::WheelName;
use crate::platform::Platform;
use crate::version::{Specifiers, Version};

/// Where a step looks for a package.
#[derive(Clone, Debug)]
pub(crate) struct Reach<'a> {
    /// Whether the first index that has a package at all is its only one (uv); else all are one (pip).
    pub(crate) first_index: bool,
    /// The indexes, in the installer's order of priority.
    pub(crate) indexes: &'a [StepIndex],
    /// The one index that the package is routed to.
    pub(crate) routed: Option<&'a StepIndex>,
    /// Whether pre-releases are taken.
    pub(crate) pre: bool,
}

impl Reach<'_> {
    /// The same for a version that is known exactly: it comes from whichever index has it.
    pub(crate) fn any_order(&self) -> Self {
        Self { first_index: false, ..self.clone() }
    }
}

/// The builds that `wants` admits.
pub(crate) fn candidates(package: &str, wants: &Specifiers, reach: &Reach<'_>, platform: &Platform) -> Candidates {
    let rows = knowledge::releases(package);
    if rows.is_empty() {
        return Candidates { open: true, ..Candidates::default() };
    }
    let visible: Vec<&StepIndex> = match reach.routed {
        Some(index) => vec![index],
        None => reach.indexes.iter().filter(|i| !i.explicit).collect(),
    };
    let sure: Vec<&StepIndex> = visible.iter().copied().filter(|index| !index.perhaps).collect();
    let search = Search { package, rows, wants, reach, platform };
    let mut found = search.with_last(&visible);
    // Releases of other projects than PyTorch's are not all in the tables: an older one may come with an ask that leaves it open.
    let complete = package == "torch" || knowledge::companion_of(package).is_some() || wants.pin().is_some();
    found.open |= !complete;
    // Its local part says which build it is, whoever serves it.
    let tagged = wants.pin().and_then(|pin| pin.local()).is_some_and(|local| knowledge::is_tag(&local));
    if tagged && found.open {
        // No index that is known has it: no other build meets the ask all the same.
        let builds = if found.builds.is_empty() { search.tagged() } else { found.builds };
        return Candidates { open: builds.is_empty(), today: today(&builds), builds };
    }
    // A newer one may come, too, unless what is newest here is among those that are all there.
    let since = knowledge::complete_since(package).and_then(Version::parse);
    let newest = |build: &Build| complete || since.as_ref().is_some_and(|since| build.version.public() >= *since);
    found.today = found.today.filter(|at| newest(&found.builds[*at]));
    if sure.len() == visible.len() {
        return found;
    }
    // It does not matter whether an index is looked at where the same comes out.
    let mut without = search.with_last(&sure);
    without.open |= !complete;
    without.today = without.today.filter(|at| newest(&without.builds[*at]));
    let of = |c: &Candidates| c.builds.iter().map(|b| (b.version.clone(), b.index)).collect::<Vec<_>>();
    let same = of(&found) == of(&without) && found.open == without.open && found.today == without.today;
    if same { found } else { Candidates { open: true, today: None, ..found } }
}

/// What is looked for, wherever it is.
struct Search<'a> {
    package: &'a str,
    rows: &'static [Release],
    wants: &'a Specifiers,
    reach: &'a Reach<'a>,
    platform: &'a Platform,
}

impl Search<'_> {
    /// The builds of some indexes; the last ones are asked only where the others have none.
    fn with_last(&self, visible: &[&StepIndex]) -> Candidates {
        let first: Vec<&StepIndex> = visible.iter().copied().filter(|index| !index.last).collect();
        let found = self.among(&first);
        let has_unknown = first.iter().any(|index| index.id.is_none());
        if first.len() == visible.len() || has_unknown || !found.builds.is_empty() {
            return found;
        }
        self.among(visible)
    }

    /// The build that bears the wanted tag, from wherever it comes.
    fn tagged(&self) -> Vec<Build> {
        let served = published::of_torch(self.rows);
        let fits = served.iter().filter(|served| served.is_for(self.platform) && self.wants.admits(&served.build.version));
        fits.take(1).map(|served| Build { index: "", ..served.build.clone() }).collect()
    }

    /// The builds of these indexes.
    fn among(&self, visible: &[&StepIndex]) -> Candidates {
        let Self { package, rows, wants, reach, platform } = *self;
        let first_index = reach.first_index;
        let mut found = Candidates::default();
        let mut unknown = visible.is_empty();
        let pre = reach.pre || wants.names_pre();
        for index in visible {
            let known = index.id.filter(|id| knowledge::index_by_id(id).is_none_or(|row| !row.carries.contains(&package)));
            let Some(id) = known else {
                // Its contents may win over everything behind it (uv), or over everything (pip).
                unknown = true;
                if first_index {
                    break;
                }
                continue;
            };
            let here = published::served(rows, id);
            let taken = |version: &Version| wants.admits(version) && (pre || !version.is_pre());
            let fits = here.iter().filter(|served| served.is_for(platform) && taken(&served.build.version));
            found.builds.extend(fits.map(|served| served.build.clone()));
            unknown |= knowledge::index_by_id(id).is_some_and(|i| i.candidates);
            // uv stops at the first index that has the package at all.
            if first_index && !here.is_empty() {
                break;
            }
            // A nightly index has builds that no table lists.
            if here.is_empty() && knowledge::index_by_id(id).is_some_and(|i| i.pre_releases) && (reach.pre || first_index) {
                unknown = true;
                if first_index {
                    break;
                }
            }
        }
        let order = |id: &str| visible.iter().position(|i| i.id == Some(id));
        found.builds.sort_by(|a, b| a.version.cmp(&b.version).then_with(|| order(a.index).cmp(&order(b.index))));
        // Of one public version the highest local one is taken, whoever asks: `2.1.0+cu118` before `2.1.0`.
        let above: Vec<Option<Version>> = found.builds.iter().skip(1).map(|b| Some(b.version.clone())).chain([None]).collect();
        let mut above = above.into_iter();
        found.builds.retain(|b| {
            let next = above.next().flatten();
            next.is_none_or(|next| next == b.version || next.public() != b.version.public())
        });
        found.open = unknown || found.builds.is_empty();
        found.today = if unknown { None } else { today(&found.builds) };
        found
    }
}

/// The newest build; `None` where two indexes serve the same newest version, and an installer may take either.
pub(super) fn today(builds: &[Build]) -> Option<usize> {
    let last = builds.len().checked_sub(1)?;
    let tied = last > 0 && builds[last - 1].version == builds[last].version && differ(&builds[last - 1], &builds[last]);
    (!tied).then_some(last)
}

/// Whether it matters which of the two comes, and nobody says which. Beside pytorch-cuda the pytorch channel's CPU builds stand
/// back: their pytorch-mutex has `track_features`.
/// Source: <https://github.com/pytorch/builder/blob/release/2.5/conda/pytorch-mutex/meta.yaml>.
fn differ(a: &Build, b: &Build) -> bool {
    let chosen = b.release.requires.iter().any(|text| text.starts_with("pytorch-cuda=="));
    let stands_back = a.release.kernels == Kernels::Cpu && chosen && a.index == b.index;
    !stands_back
        && !std::ptr::eq(a.release, b.release)
        && (a.release.tag != b.release.tag || a.release.brings != b.release.brings)
}

/// The releases that some of these indexes serve and `wants` admits, for whatever platform and Python.
pub(crate) fn for_any_platform(package: &str, wants: &Specifiers, indexes: &[&'static str]) -> Vec<&'static Release> {
    let rows = knowledge::releases(package);
    let mut found: Vec<&'static Release> = Vec::new();
    for id in indexes {
        let served = published::served(rows, id);
        let fits = served.iter().filter(|served| !served.build.version.is_pre() && wants.admits(&served.build.version));
        found.extend(fits.map(|served| served.build.release));
    }
    found
}

/// Whether one of these indexes has a build that `wants` admits; nothing is said of conda's.
pub(crate) fn is_served(package: &str, wants: &Specifiers, indexes: &[StepIndex], platform: &Platform) -> bool {
    let rows = if package.starts_with("conda:") { &[] } else { knowledge::releases(package) };
    let comes = |served: &Served| served.is_for(platform) && wants.admits(&served.build.version);
    indexes.iter().filter_map(|index| index.id).any(|id| published::served(rows, id).iter().any(comes))
}

/// The builds that `wants` admits, whichever of PyTorch's indexes serves them: what a version requires, it requires
/// wherever it comes from. Wheels of a project's own pages are built for one torch each, and say nothing of its others.
pub(crate) fn wherever_published(package: &str, wants: &Specifiers, platform: &Platform) -> Candidates {
    let served = published::of_torch(knowledge::releases(package));
    let fits = served.iter().map(|s| &s.build).filter(|b| b.release.platforms.meets(platform.bits()) && wants.admits(&b.version));
    let builds: Vec<Build> = fits.cloned().collect();
    Candidates { open: builds.is_empty(), today: None, builds }
}

/// The build that a wheel's address names: without a local version it is the build of the index in whose folder it lies, else PyPI's.
pub(crate) fn from_wheel(wheel: &WheelName, folder: Option<&str>, platform: &Platform) -> Candidates {
    let local = wheel.version.local();
    let public = wheel.version.public();
    let rows = knowledge::releases(&wheel.name).iter().filter(|r| {
        let tagged = local.as_deref().map_or_else(|| r.indexes.contains(&folder.unwrap_or("pypi")), |tag| r.tag == tag);
        tagged && r.platforms.meets(platform.bits()) && Version::parse(r.version).as_ref() == Some(&public)
    });
    let builds: Vec<Build> =
        rows.take(1).map(|release| Build { version: wheel.version.clone(), index: "url", release }).collect();
    Candidates { open: builds.is_empty(), today: today(&builds), builds }
}
