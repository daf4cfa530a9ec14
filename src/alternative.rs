//! Another build that a user may take instead of the one that breaks, and how it is asked for.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::chain::{self, Driver};
use crate::environment::{Ask, Build, Change, Component, Effect, Environment, Host, Reason, Step};
use crate::knowledge::{self, Basis, Index, Kernels, Release, Sm};
use crate::made_for_torch::{self, Compiled};
use crate::other_image::with_torch;
use crate::outline::Tool;
use crate::platform::{Platform, Pythons};
use crate::version::{CudaVersion, Version};

/// What another build must do.
pub(crate) struct Wanted<'a> {
    /// In which environment.
    pub(crate) env: &'a Environment,
    /// On which host: a build that its driver is too old for, or that has no code for one of its GPUs, helps nobody.
    pub(crate) host: &'a Host,
    /// The GPU that it must have machine code for.
    pub(crate) gpu: Option<Sm>,
}

/// Of more other builds none goes with all that is beside it.
const MOST_LOOKED: usize = 16;

/// Of more parts of CUDA not each is named.
const MOST_NAMED: usize = 3;

/// Of more releases of one package none is the one to take.
const MOST_RELEASES: usize = 500;

impl Wanted<'_> {
    /// What to do instead of a build (`take torch 2.7.0+cu128 from https://download.pytorch.org/whl/cu128`): the one
    /// that a later step replaces; else, of the same version, the build with the newest CUDA that the host's driver runs; else
    /// the next newer version; else the newest older one. One beside which all others have a release goes before the rest.
    /// Of what another package requires that one decides: `add torch==… beside lightning`, `take vllm 0.8.5 …`.
    pub(crate) fn instead_of(&self, component: &Component, now: &Build) -> Option<String> {
        let driver = Driver::of(self.host);
        self.best(component, now, |cuda| driver.as_ref().is_none_or(|driver| driver.below(cuda) == Some(false)))
    }
    /// The same where the driver is raised.
    pub(crate) fn for_any_driver(&self, component: &Component, now: &Build) -> Option<String> {
        self.best(component, now, |_| true)
    }

    /// Whether there may be builds of a package for this platform that have the code, though none is named: of some it is not
    /// known what they have code for, others do not go with what is compiled beside them.
    pub(crate) fn leaves_open(&self, component: &Component) -> bool {
        if !self.compiled(component).is_empty() {
            return true;
        }
        let platform = &self.env.platform;
        // What its CUDA has no target for it has no code for.
        let targets = |cuda: &CudaVersion| {
            let sms = |sm: Sm| knowledge::toolkit(cuda).is_none_or(|t| t.sms.iter().any(|target| target.major == sm.major));
            self.gpu.is_none_or(sms)
        };
        let unknown = |release: &&Release| {
            let may = release.cuda().is_some_and(|cuda| targets(&cuda));
            may && release.kernels == Kernels::Unknown
                && release.platforms.meets(platform.bits())
                && is_for_python(release, platform)
        };
        knowledge::releases(&component.name).iter().any(|release| unknown(&release))
    }

    fn best(&self, component: &Component, now: &Build, runs: impl Fn(&CudaVersion) -> bool) -> Option<String> {
        let mine = now.version.public();
        let mut others: Vec<Other> = Vec::new();
        // A library for frameworks has no kernels that could be missing.
        let library = now.release.kernels == Kernels::Unknown;
        let before = self.replaced(component);
        for release in knowledge::releases(&component.name).iter().filter(|release| self.fits(release, library)) {
            let Some(cuda) = release.cuda() else { continue };
            let Some(version) = Version::parse(release.version) else { continue };
            if std::ptr::eq(release, now.release) || !runs(&cuda) {
                continue;
            }
            let order = match version.cmp(&mine) {
                _ if before.is_some_and(|before| std::ptr::eq(before, release)) => Order::Before,
                Ordering::Equal => Order::Same,
                Ordering::Greater => Order::Newer,
                Ordering::Less => Order::Older,
            };
            let index = served_by(release, now.index);
            others.push(Other { release, version, cuda, order, index, beside: Vec::new(), without: Vec::new() });
        }
        others.sort_by(Other::compare);
        let compiled = self.compiled(component);
        others.retain(|other| compiled.iter().all(|by| self.with_compiled(by, other).is_some()));
        // Nor is what the line's own package requires asked for by its own name.
        let required = self.asks_for(component);
        if let Some(by) = required.filter(|by| knowledge::companion_of(&by.name) != Some(component.name.as_str())) {
            return match by.builds.today().or_else(|| by.builds.only()) {
                Some(build) if !pins(build.release, &component.name) => self.added(component, build, &compiled, others),
                Some(build) => self.other_release(component, build, runs),
                None => None,
            };
        }
        others.truncate(MOST_LOOKED);
        // What an image brings is not asked for by its name.
        let of_image = matches!(component.evidence.reason, Reason::Image { .. });
        // What is pinned beside it changes, too.
        for other in &mut others {
            if other.version != mine || required.is_some() {
                other.beside = self.beside(component, other.release, &other.version);
            }
            self.recompiled(&compiled, other);
            self.tag(component, now, other);
            if !of_image {
                self.without(component, now, other);
            }
            if let Some(by) = required {
                other.beside.retain(|(name, _)| *name != by.name);
                other.beside.insert(0, (by.name.clone(), self.served_beside(by, &component.name, other)));
            }
            if other.is_whole() {
                break;
            }
        }
        if let Some(image) = self.env.image.as_ref().filter(|_| of_image)
            && let Some((named, other)) =
                others.iter().find_map(|other| Some((with_torch(image, &other.version, &other.cuda, self.gpu.is_some())?, other)))
        {
            let along = self.along(component, now, other);
            let along = along.map_or(String::new(), |along| format!(" ({along})"));
            return Some(format!("take {named}{along}"));
        }
        let whole = others.iter().position(Other::is_whole).unwrap_or_default();
        let other = others.into_iter().nth(whole).filter(|other| required.is_none() || other.is_whole())?;
        let name = component.name.trim_start_matches("conda:");
        let along = self.along(component, now, &other);
        if of_image {
            let along = along.map_or(String::new(), |along| format!(" ({along})"));
            return Some(format!("take an image with {name} {} for CUDA {}{along}", other.version, other.cuda.minor_only()));
        }
        Some(format!("take {}", written(name, " ", now.index, along.as_deref(), other)))
    }

    /// What is there of the packages that are compiled against the torch that a component is.
    fn compiled(&self, component: &Component) -> Vec<&Component> {
        let others = self.env.components.iter().filter(|_| component.name == "torch");
        let is_compiled = |other: &&Component| other.builds.builds.iter().any(|b| Compiled::of(b.release).is_some());
        others.filter(|other| self.asks_for(other).is_none()).filter(is_compiled).collect()
    }

    /// Beside another torch, what becomes of a package that is compiled against the one that is there: it stays, or another
    /// release of it comes; `None` where none goes with that.
    fn with_compiled(&self, by: &Component, other: &Other) -> Option<Option<&'static str>> {
        let goes = |release: &'static Release| Compiled::of(release).is_some_and(|it| it.goes_with(&other.version, &other.cuda));
        if by.builds.builds.iter().any(|build| goes(build.release)) {
            return Some(None);
        }
        let (index, platform) = (other.index?, &self.env.platform);
        let here = |row: &&Release| row.indexes.contains(&index.id) && row.platforms.meets(platform.bits());
        let mut rows = knowledge::releases(&by.name).iter().rev().filter(here).filter(|row| is_for_python(row, platform));
        rows.find(|row| goes(row)).map(|row| Some(row.version))
    }

    /// Says which releases of compiled packages come beside another torch.
    fn recompiled(&self, compiled: &[&Component], other: &mut Other) {
        for by in compiled {
            let changed = self.with_compiled(by, other).flatten();
            other.beside.retain(|(name, _)| *name != by.name);
            other.beside.extend(changed.map(|version| (by.name.clone(), Some(version.to_owned()))));
        }
    }

    /// What no table lists, is built for the torch that is there, and changes with it.
    fn along(&self, component: &Component, now: &Build, other: &Other) -> Option<String> {
        let names = if component.name == "torch" { made_for_torch::named(self.env) } else { Vec::new() };
        let changes = if names.len() > 1 { "change" } else { "changes" };
        let page = made_for_torch::page(&names, &other.version, other.release.tag);
        let page = page.map_or(String::new(), |page| format!(": https://{page}"));
        let all = listed(&names);
        (!names.is_empty()).then(|| format!("{all}, here built for torch {}, {changes} with it{page}", now.version))
    }

    /// The package that a line asks for, where it is that one which requires the component.
    fn asks_for(&self, component: &Component) -> Option<&Component> {
        let mut asking = None;
        let mut of = component;
        for _ in 0..MOST_LOOKED {
            let by = of.evidence.also.iter().find_map(|(at, reason)| match reason {
                Reason::Requires { by, .. } if *at == component.evidence.at => by.split(' ').next(),
                _ => None,
            });
            match by.filter(|by| *by != of.name).and_then(|by| self.env.component(by)) {
                Some(by) => {
                    asking = Some(by);
                    of = by;
                }
                None => break,
            }
        }
        asking
    }

    /// What to write beside a package that is content with another build.
    fn added(&self, component: &Component, by: &Build, compiled: &[&Component], others: Vec<Other>) -> Option<String> {
        let goes = |other: &Other| chain::goes_with(by.release, &component.name, &other.version);
        let mut other = others.into_iter().find(goes)?;
        other.beside = self.beside(component, other.release, &other.version);
        self.recompiled(compiled, &mut other);
        let by = by.release.package;
        Some(format!("add {} beside {by}", written(&component.name, "==", "pypi", None, other)))
    }

    /// Another release of a package that names the one version it goes with, such that what PyPI has of that fits. Its wheels
    /// are made for that build: the same version for another CUDA is none to take.
    fn other_release(&self, component: &Component, by: &Build, runs: impl Fn(&CudaVersion) -> bool) -> Option<String> {
        let mine = by.version.public();
        let platform = &self.env.platform;
        let rows = knowledge::releases(by.release.package).iter();
        let rows = rows.filter(|row| row.platforms.meets(platform.bits()) && is_for_python(row, platform));
        let rows: Vec<_> = rows.filter_map(|row| Some((row, Version::parse(row.version)?))).collect();
        let newer = rows.iter().filter(|(_, version)| self.gpu.is_some() && *version > mine);
        let older = rows.iter().rev().filter(|(_, version)| *version < mine);
        newer.chain(older).take(MOST_RELEASES).find_map(|(row, version)| {
            let wanted = chain::demands(row, &component.name).find_map(|wants| wants.pin())?.public();
            if row.cuda().is_some_and(|own| !runs(&own)) {
                return None;
            }
            let plain = |r: &&Release| r.indexes.contains(&"pypi") && Version::parse(r.version).as_ref() == Some(&wanted);
            let mut plain = knowledge::releases(&component.name).iter().filter(plain);
            let of_it = plain.find(|r| self.fits(r, false) && r.cuda().is_some_and(|cuda| runs(&cuda)))?;
            let name = by.release.package;
            let tag = if of_it.tag.is_empty() { String::new() } else { format!(" ({})", of_it.tag) };
            Some(format!("take {name} {version}, made for {} {wanted}{tag}", component.name))
        })
    }

    /// The build that stood there before a later step put this one in its place.
    fn replaced(&self, component: &Component) -> Option<&'static Release> {
        let steps = self.env.steps.iter();
        let mut changes = steps.flat_map(|step| &step.changes);
        let replaces = |change: &&Change| matches!(change.effect, Effect::Replaces { .. }) && change.package == component.name;
        let change = changes.find(|change| replaces(change) && change.cause.at == component.evidence.at)?;
        let mut asks = self.env.steps.iter().flat_map(|step| &step.asks);
        let ask = asks.find(|ask| ask.package == component.name && ask.evidence.at == change.before.at)?;
        ask.builds.only().or_else(|| ask.builds.today()).map(|build| build.release)
    }

    /// The version that a component is asked for in.
    fn pin_of(&self, component: &Component) -> Option<Version> {
        self.env.ask_of(component).and_then(|(_, ask)| ask.wants.pin())
    }

    /// The packages that cannot stay as they are beside another release, with the version that goes with it.
    fn beside(&self, component: &Component, release: &'static Release, version: &Version) -> Vec<(String, Option<String>)> {
        let mut changes = Vec::new();
        for other in self.env.components.iter().filter(|other| other.name != component.name && !is_brought(other)) {
            let builds = &other.builds.builds;
            let goes = |b: &Build| {
                chain::goes_with(b.release, &component.name, version)
                    && chain::goes_with(release, &other.name, &b.version.public())
            };
            let made_for_it = knowledge::companion_of(&other.name) == Some(component.name.as_str());
            let partner = chain::partner(&other.name, &component.name, version).map(str::to_owned);
            // A companion that demands nothing has its own torch all the same.
            let is_other = |b: &Build| {
                let silent = made_for_it && chain::demands(b.release, &component.name).next().is_none();
                silent && partner.as_ref().is_some_and(|partner| *partner != b.version.public().to_string())
            };
            // Of what the tables do not have the version that is asked for is known.
            let meets = || self.pin_of(other).is_none_or(|pin| chain::goes_with(release, &other.name, &pin.public()));
            if builds.iter().any(|b| goes(b) && !is_other(b)) || builds.is_empty() && !made_for_it && meets() {
                continue;
            }
            let demanded =
                || chain::demands(release, &other.name).find_map(|wants| wants.pin()).map(|pin| pin.public().to_string());
            changes.push((other.name.clone(), partner.or_else(demanded)));
        }
        changes
    }

    /// The parts of CUDA that are pinned beside the build go with it: another one brings its own, in versions that the tables do
    /// not all name.
    fn without(&self, component: &Component, now: &Build, other: &mut Other) {
        let brought = |name: &str| {
            let of_cuda = name.rsplit_once("-cu").is_some_and(|(_, major)| major.bytes().all(|b| b.is_ascii_digit()));
            name.starts_with("nvidia-") && (of_cuda || chain::demands(now.release, name).next().is_some())
        };
        let asks = self.env.steps.iter().filter(|step| step.tool != Tool::Conda).flat_map(|step| &step.asks);
        let pinned = asks.filter(|ask| ask.wants.pin().is_some() && ask.evidence.at != component.evidence.at);
        other.without = pinned.map(|ask| ask.package.clone()).filter(|name| brought(name)).collect();
        let frozen = other.without.len() > MOST_NAMED;
        let own = |name: &str| brought(name) || frozen && chain::demands(other.release, name).next().is_some();
        other.beside.retain(|(name, _)| !own(name));
    }

    /// Companions that are asked for with the tag of a CUDA change with that, and those that come from an index with the index.
    fn tag(&self, component: &Component, now: &Build, other: &mut Other) {
        let Some(index) = other.index else { return };
        let tag = if index.local_versions { format!("+{}", other.release.tag) } else { String::new() };
        let moves = is_of_one_cuda(now.index) && index.id != now.index;
        // What is installed twice is one package.
        let mut told: HashSet<&str> = HashSet::new();
        for ask in self.env.steps.iter().flat_map(|step| &step.asks) {
            let is_beside = knowledge::companion_of(&ask.package) == Some(component.name.as_str())
                && self.env.component(&ask.package).is_some_and(|there| there.evidence.at == ask.evidence.at);
            let Some(pin) = ask.wants.pin().filter(|_| is_beside && !told.contains(ask.package.as_str())) else { continue };
            let here = || ask.builds.only().or_else(|| ask.builds.today()).is_some_and(|build| build.index == now.index);
            let tagged = pin.local().is_some();
            if !(tagged || moves && here()) {
                continue;
            }
            told.insert(&ask.package);
            let tag = if tagged { tag.as_str() } else { "" };
            match other.beside.iter_mut().find(|(name, _)| *name == ask.package) {
                Some((_, Some(partner))) => partner.push_str(tag),
                Some((_, None)) => {}
                None => other.beside.push((ask.package.clone(), Some(format!("{}{tag}", pin.public())))),
            }
        }
    }

    /// The newest release of a companion that goes with another build and is where that is.
    fn served_beside(&self, by: &Component, of: &str, other: &Other) -> Option<String> {
        let (index, platform) = (other.index?, &self.env.platform);
        let mut rows = knowledge::releases(&by.name).iter().rev();
        let fits = |row: &&Release| {
            row.indexes.contains(&index.id) && row.platforms.meets(platform.bits()) && is_for_python(row, platform)
        };
        let exact = rows.clone().filter(fits).find(|row| chain::is_made_for(row, of, &other.version));
        let row = exact.or_else(|| rows.find(|row| fits(row) && chain::goes_with(row, of, &other.version)))?;
        Some(row.version.to_owned())
    }

    fn fits(&self, release: &Release, library: bool) -> bool {
        let platform = &self.env.platform;
        let python = is_for_python(release, platform);
        // Of what is not known to run nothing is advised.
        let runs = self.host.gpus.iter().all(|gpu| {
            let tegra = gpu.segment == Some(knowledge::Segment::Tegra);
            gpu.sm.is_none_or(|sm| library || chain::release_runs_on(release, sm, tegra) == Some(true))
        });
        // A GPU newer than a build may run its PTX; that is no advice.
        let own = |sm: Sm| match release.kernels {
            Kernels::Known { code, .. } => code.iter().any(|c| c.major == sm.major && c.minor <= sm.minor),
            _ => false,
        };
        let has_code = self.gpu.is_none_or(|sm| own(sm) && release.kernels_basis != Basis::Inferred);
        release.platforms.meets(platform.bits()) && python && runs && has_code
    }
}

/// Whether nobody asks for a component by its name: an image has it, or another package requires it, and the installer changes
/// it along.
fn is_brought(component: &Component) -> bool {
    let implied = |reason: &Reason| matches!(reason, Reason::Requires { .. });
    matches!(component.evidence.reason, Reason::Image { .. }) || component.evidence.also.iter().any(|(_, reason)| implied(reason))
}

/// A build in words, with what changes beside it and where it is; `between` its name and its version, `along` at its end.
fn written(name: &str, between: &str, index_now: &str, along: Option<&str>, other: Other) -> String {
    let Other { release, version, index, beside, without, .. } = other;
    let local = index.filter(|index| index.local_versions).map_or(String::new(), |_| format!("+{}", release.tag));
    let mut written = format!("{name}{between}{version}{local}");
    if local.is_empty() && index.is_none() && !release.tag.is_empty() {
        written += &format!(" ({})", release.tag);
    }
    let (known, unknown): (Vec<_>, Vec<_>) = beside.into_iter().partition(|(_, partner)| partner.is_some());
    let known: Vec<String> = known.into_iter().map(|(other, partner)| other + between + &partner.unwrap_or_default()).collect();
    if !known.is_empty() {
        written += &format!(" with {}", listed(&known));
    }
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.into_iter().map(|(other, _)| other).collect();
        written += &format!(", and {} in releases that go with it", listed(&names));
    }
    match without.as_slice() {
        [] => {}
        few @ ([_] | [_, _] | [_, _, _]) => written += &format!(", without the pins of {}, which it brings itself,", listed(few)),
        // Who pins all of them has frozen what one install came to.
        _ => written += ", without the pins of what it brings itself (nvidia-* and others; or compile the file anew),",
    }
    match index {
        Some(index) if index.id == index_now => {}
        Some(index) if index.id == "pypi" => written += " from PyPI",
        Some(index) => written += &format!(" from https://{}", index.address),
        None => {}
    }
    let moves = index.is_some_and(|index| index.id != index_now) && is_of_one_cuda(index_now);
    let now = knowledge::index_by_id(index_now).filter(|_| moves);
    let notes: Vec<String> =
        now.map(|now| format!("in place of the {} index", now.tag)).into_iter().chain(along.map(str::to_owned)).collect();
    if !notes.is_empty() {
        written += &format!(" ({})", notes.join("; "));
    }
    written
}

/// Whether a release names the one version of a package that it goes with.
fn pins(release: &'static Release, package: &str) -> bool {
    chain::demands(release, package).any(|wants| wants.pin().is_some())
}

/// Another build, with what it comes to beside the others of its environment.
struct Other {
    release: &'static Release,
    version: Version,
    cuda: CudaVersion,
    order: Order,
    /// Where it is.
    index: Option<&'static Index>,
    /// Packages that change with it; `None` where no release is known that goes with it.
    beside: Vec<(String, Option<String>)>,
    /// Packages whose pins go.
    without: Vec<String>,
}

/// Which other build is looked at first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// The one that a later step replaces.
    Before,
    /// Another build of the same version.
    Same,
    /// The next newer one.
    Newer,
    /// The newest older one.
    Older,
}

impl Other {
    /// Whether all that changes with it is known.
    fn is_whole(&self) -> bool {
        self.beside.iter().all(|(_, partner)| partner.is_some())
    }
    /// What is looked at first comes first.
    fn compare(&self, than: &Self) -> Ordering {
        let cuda = |other: &Self| (other.cuda.major(), other.cuda.minor());
        let version = match self.order {
            Order::Older => than.version.cmp(&self.version),
            Order::Before | Order::Same | Order::Newer => self.version.cmp(&than.version),
        };
        self.order.cmp(&than.order).then(version).then_with(|| cuda(than).cmp(&cuda(self)))
    }
}

/// Releases on an index that go together, for the packages that a step asks for of torch, what is made to go with it, and
/// `lost`: those that the asks admit where there are any, else the newest. `None` where the tables know of none.
pub(crate) fn set_on(index: &Index, step: &Step, lost: &[&str], platform: &Platform) -> Option<Vec<(String, &'static str)>> {
    let family = |ask: &&Ask| ask.package == "torch" || knowledge::companion_of(&ask.package) == Some("torch");
    let asks: Vec<&Ask> = step.asks.iter().filter(|ask| family(ask) || lost.contains(&ask.package.as_str())).collect();
    let rows = |package: &str| {
        let here = knowledge::releases(package).iter().rev();
        here.filter(|r| r.indexes.contains(&index.id) && r.platforms.meets(platform.bits()) && is_for_python(r, platform))
    };
    // With what the asks say, then whatever they say.
    [true, false].into_iter().find_map(|obeys| {
        let admits = |ask: &Ask, version: &Version| !obeys || ask.wants.public().admits(version);
        let beside = |torch: Option<&Version>| {
            let others = asks.iter().filter(|ask| torch.is_none() || ask.package != "torch");
            let newest = |ask: &&Ask| {
                rows(&ask.package).find(|r| {
                    let fits = torch.is_none_or(|torch| chain::goes_with(r, "torch", torch));
                    fits && Version::parse(r.version).is_some_and(|version| admits(ask, &version))
                })
            };
            others.map(|ask| Some((ask.package.clone(), newest(ask)?.version))).collect::<Option<Vec<_>>>()
        };
        let Some(ask) = asks.iter().find(|ask| ask.package == "torch") else { return beside(None) };
        rows("torch").find_map(|release| {
            let version = Version::parse(release.version).filter(|version| admits(ask, version))?;
            let mut set = beside(Some(&version))?;
            set.insert(0, ("torch".to_owned(), release.version));
            Some(set)
        })
    })
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn is_for_python(release: &Release, platform: &Platform) -> bool {
    let minors = || release.pythons.iter().filter_map(|p| Pythons::parse(p));
    release.pythons.is_empty() || minors().any(|set| set.meets(platform.wheels))
}

/// Whether an index is one of PyTorch's for one CUDA.
fn is_of_one_cuda(id: &str) -> bool {
    knowledge::index_by_id(id).is_some_and(|index| index.local_versions && !index.flat && !index.tag.is_empty())
}

/// The index to name for a build: PyPI, or the one of its own CUDA; this goes first where another of its kind is named now, which
/// then is what changes.
fn served_by(release: &Release, now: &str) -> Option<&'static Index> {
    let indexes = || release.indexes.iter().filter_map(|id| knowledge::index_by_id(id));
    let plain = indexes().find(|index| index.id == "pypi");
    let own = indexes().find(|index| index.tag == release.tag && !index.flat && !index.address.is_empty());
    if is_of_one_cuda(now) { own.or(plain) } else { plain.or(own) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_asked_for_where_it_is_served() {
        let of = |version: &str, tag: &str| {
            let row = knowledge::releases("torch").iter().find(|r| r.version == version && r.tag == tag).expect("in the tables");
            |now: &str| served_by(row, now).map(|index| index.id)
        };
        assert_eq!(of("2.7.0", "cu128")("pypi"), Some("pytorch/cu128"));
        assert_eq!(of("2.7.0", "cu126")("pypi"), Some("pypi"), "its plain build");
        assert_eq!(of("2.7.0", "cu126")("pytorch/cu128"), Some("pytorch/cu126"), "one index is named now");
    }
}
