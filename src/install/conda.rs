//! What a step of conda asks for: match specs, and the files that a lock names.

use std::collections::HashSet;

use super::limits::Limits;
use super::python::told;
use super::state::State;
use super::step::{Repeats, Wanted};
use crate::environment::{Build, Candidates, Origin, Reason};
use crate::knowledge;
use crate::notation::match_spec::MatchSpec;
use crate::outline::{IndexKind, Language};
use crate::platform::Pythons;
use crate::project::{Installed, LockEntry};
use crate::resolve;
use crate::source::Span;
use crate::version::{CondaVersion, CudaVersion, Specifiers};

impl State {
    pub(super) fn conda_wants(&mut self, step: &Installed, limits: &Limits<'_>) -> Vec<Wanted> {
        let named = step.indexes.iter().filter(|index| index.kind == IndexKind::Channel);
        let channels: Vec<_> = named.map(|index| resolve::channel(index.url.as_deref().ok()?)).collect();
        let mut wanted = Vec::new();
        let mut asked: HashSet<String> = HashSet::new();
        let mut repeats = Repeats::default();
        let first =
            step.indexes.iter().find(|index| index.kind == IndexKind::Channel).and_then(|index| index.url.as_deref().ok());
        let label = first.filter(|url| resolve::release_of_label(url).is_some());
        let specs = || step.asks.iter().filter(|a| a.language == Language::MatchSpec);
        let told =
            specs().find_map(|ask| Some((ask.at, MatchSpec::parse(ask.text.as_deref()?).ok()?)).filter(|(_, s)| is_of_cuda(s)));
        // What was asked for before stays asked for, as long as it goes with what is new.
        // Source: <https://docs.conda.io/projects/conda/en/stable/dev-guide/specs/solver-state.html>.
        let pinned = limits.pins(CUDA_VERSION).first().cloned().filter(|(_, spec)| is_of_cuda(spec));
        let cuda = told.clone().or(pinned).or_else(|| self.conda_cuda.clone());
        if told.is_some() {
            self.conda_cuda = told;
        }
        let cpu_only =
            specs().any(|ask| ask.text.as_deref().and_then(|t| MatchSpec::parse(t).ok()).is_some_and(|s| s.name == CPU_ONLY));
        for ask in specs() {
            // Of a text that is not known, its package may be.
            let known = ask.text.as_deref().or(ask.package.as_deref());
            let Some(mut spec) = known.and_then(|t| MatchSpec::parse(t).ok()) else { continue };
            if repeats.too_many(&spec.name) {
                continue;
            }
            asked.insert(spec.name.clone());
            self.python_of(&spec, ask.at);
            let name = format!("conda:{}", spec.name);
            let locks = limits.conda(&spec.name);
            let mut new = Wanted {
                alone: Candidates::default(),
                extras: Vec::new(),
                from: Origin::Index,
                spec: None,
                wants: Specifiers::default(),
                shown: spec.version.clone().unwrap_or_default(),
                at: ask.at,
                also: ask.also.clone(),
                implied: false,
                held: false,
                chosen: spec.version.is_some() || !locks.is_empty(),
                name,
            };
            // The first channel goes before the others with all that it has.
            spec.channel = spec.channel.or_else(|| label.map(str::to_owned).filter(|_| of_cuda(&new.name)));
            new.alone = match locks {
                [] => resolve::conda_candidates(&new.name, &spec, &channels, &self.platform),
                _ => self.conda_locked(&mut new, &spec, locks),
            };
            held_to(&mut new, limits.pins(&spec.name));
            if let Some(cuda) = cuda.as_ref().filter(|_| locks.is_empty()) {
                of_cuda_version(&mut new, cuda);
            }
            // Without the machine's CUDA the solver takes conda-forge's CPU build of what has one, beside `cpuonly` anyone's.
            let by_machine = |build: &Build| build.index.is_empty() || build.index == "conda/conda-forge";
            if (step.no_cuda && new.alone.builds.iter().any(by_machine) || cpu_only) && resolve::has_variants(&new.name) {
                new.alone = Candidates { open: true, today: None, ..new.alone };
            }
            // Of a version that is not known the spec says nothing.
            new.spec = (ask.text.is_some() && locks.is_empty()).then_some(spec);
            wanted.push(new);
        }
        for entry in step.locks.iter().filter(|entry| entry.sure) {
            let Some(name) = entry.lock.name.known() else { continue };
            let Some((_, spec)) = limits.conda(name).first() else { continue };
            if !asked.insert(name.to_owned()) {
                continue;
            }
            self.python_of(spec, entry.lock.version.at);
            let key = format!("conda:{name}");
            if knowledge::releases(&key).is_empty() && name != "python" {
                continue;
            }
            let mut also = entry.also.clone();
            also.push((entry.lock.name.at, Reason::Here));
            let mut new = Wanted {
                alone: Candidates::default(),
                extras: Vec::new(),
                from: Origin::Index,
                spec: None,
                wants: Specifiers::default(),
                shown: spec.version.clone().unwrap_or_default(),
                at: entry.lock.version.at,
                also,
                implied: false,
                held: false,
                chosen: true,
                name: key,
            };
            new.alone = self.conda_locked(&mut new, &MatchSpec::any(name), limits.conda(name));
            wanted.push(new);
        }
        wanted
    }

    /// The builds that a lock names, out of those that a spec admits.
    fn conda_locked(&self, want: &mut Wanted, spec: &MatchSpec, locks: &[(&LockEntry, MatchSpec)]) -> Candidates {
        let fits = |locked: &MatchSpec| {
            locked.pin().is_some_and(|version| spec.admits(&version))
                && locked.build.as_deref().is_none_or(|build| spec.admits_build(build))
        };
        let admitted: Vec<_> = locks.iter().filter(|(_, locked)| fits(locked)).collect();
        let mut all = Candidates { open: admitted.is_empty(), ..Candidates::default() };
        for (entry, locked) in &admitted {
            let found = resolve::conda_candidates(&want.name, locked, &[], &self.platform);
            let at = entry.lock.version.at;
            if at != want.at {
                let wants = locked.version.clone().unwrap_or_default();
                want.also.push((at, Reason::Asked { package: want.name.clone(), wants }));
            }
            all.open |= found.open;
            all.today = found.today.filter(|_| admitted.len() == 1);
            all.builds.extend(found.builds);
        }
        all
    }

    /// The Python that a spec of `python` puts there.
    fn python_of(&mut self, spec: &MatchSpec, at: Span) {
        if spec.name != "python" {
            return;
        }
        let version = spec.version.as_deref().map(|v| v.trim_start_matches(['=', ' ']).trim_end_matches(".*"));
        if let Some(pythons) = version.and_then(Pythons::parse) {
            self.python.set(&mut self.platform, pythons, told(version.unwrap_or_default(), at));
        }
    }
}

/// conda-forge's pin of CUDA.
const CUDA_VERSION: &str = "cuda-version";

/// The pytorch channel's choice of builds without CUDA.
/// Source: <https://github.com/pytorch/builder/blob/release/2.5/conda/pytorch-nightly/meta.yaml>, `run_constrained`.
const CPU_ONLY: &str = "cpuonly";

fn is_of_cuda(spec: &MatchSpec) -> bool {
    spec.name == CUDA_VERSION && spec.version.is_some()
}

/// `cuda-version` stands for one CUDA: a toolkit is of just that one, a framework of conda-forge of the same major and at most
/// as new. The other channel's builds do not know it.
/// Source: <https://github.com/conda-forge/cuda-version-feedstock/blob/main/recipe/README.md> and `meta.yaml` beside it.
fn of_cuda_version(want: &mut Wanted, (at, spec): &(Span, MatchSpec)) {
    let admitted: Vec<CudaVersion> = knowledge::toolkits()
        .iter()
        .filter(|toolkit| CondaVersion::parse(toolkit.cuda).is_some_and(|version| spec.admits(&version)))
        .filter_map(|toolkit| CudaVersion::parse(toolkit.cuda))
        .collect();
    let framework = resolve::has_variants(&want.name);
    let bound = |build: &Build| !framework || build.release.indexes == ["conda/conda-forge"];
    let cuda = |build: &Build| build.cuda().filter(|_| bound(build));
    if want.alone.builds.iter().all(|build| cuda(build).is_none()) {
        return;
    }
    let fits = |build: &Build| {
        let Some(own) = cuda(build) else { return true };
        let same = |other: &CudaVersion| own.same_minor(other) == Some(true);
        let newer = |other: &CudaVersion| other.major() == own.major() && other.below(&own.minor_only()) == Some(false);
        admitted.iter().any(|other| if framework { newer(other) } else { same(other) })
    };
    let before = std::mem::take(&mut want.alone);
    let builds: Vec<Build> = before.builds.into_iter().filter(fits).collect();
    // Of a CUDA for which the tables have none it is not known what comes.
    let known = builds.iter().any(|build| build.cuda().is_some());
    let today = builds.len().checked_sub(1).filter(|_| known && (before.today.is_some() || !framework));
    want.alone = Candidates { open: before.open || !known, builds, today };
    want.also.push((*at, Reason::Asked { package: CUDA_VERSION.to_owned(), wants: spec.version.clone().unwrap_or_default() }));
}

/// A package that NVIDIA's own channel has.
fn of_cuda(name: &str) -> bool {
    knowledge::releases(name).iter().any(|release| release.indexes.contains(&"conda/nvidia"))
}

/// Pins of conda's configuration hold for every install.
fn held_to(want: &mut Wanted, pins: &[(Span, MatchSpec)]) {
    for (at, pin) in pins {
        let fits = |b: &Build| CondaVersion::parse(b.release.version).is_some_and(|version| pin.admits(&version));
        let before = std::mem::take(&mut want.alone);
        let builds: Vec<Build> = before.builds.into_iter().filter(fits).collect();
        let today = builds.len().checked_sub(1).filter(|_| pin.version.is_some() || before.today.is_some());
        want.alone = Candidates { open: builds.is_empty() || (before.open && pin.version.is_none()), builds, today };
        want.chosen |= pin.version.is_some();
        want.also.push((*at, Reason::Asked { package: want.name.clone(), wants: pin.version.clone().unwrap_or_default() }));
    }
}
