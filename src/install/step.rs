//! One installing step: what it asks, what that comes to, and what it does to what was there.

use std::collections::{BTreeMap, HashMap};

use super::Aliases;
use super::compile::{System, origin};
use super::indexes::indexes;
use super::limits::{Entry, MOST};
use super::overrides::Override;
use super::state::{Held, State, at, comes};
use super::view::View;
use crate::environment::{
    Ask, Build, Candidates, Change, Channel, Conflict, Effect, Evidence, Holds, Origin, Reason, Step, StepIndex, Untold,
};
use crate::knowledge::{self, Basis};
use crate::notation::match_spec::MatchSpec;
use crate::notation::requirement::{self, Requirement, Subject};
use crate::notation::wheel::WheelName;
use crate::outline::{IndexKind, Language, Tool};
use crate::platform::Platform;
use crate::project::{Asked, Installed};
use crate::resolve::{self, Manner, Package, Pick, Reach, Stays};
use crate::source::Span;
use crate::version::Specifiers;

/// How often each package has been asked for: of more conditions on one only the first ones are looked at.
#[derive(Default)]
pub(super) struct Repeats(HashMap<String, usize>);

impl Repeats {
    pub(super) fn too_many(&mut self, name: &str) -> bool {
        let again = match self.0.get_mut(name) {
            Some(again) => again,
            None => self.0.entry(name.to_owned()).or_default(),
        };
        *again += 1;
        *again > MOST
    }
}

/// One package of a step while it is worked out.
#[derive(Clone)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) wants: Specifiers,
    /// As it stands in the file.
    pub(super) shown: String,
    pub(super) at: Span,
    pub(super) also: Vec<(Span, Reason)>,
    pub(super) alone: Candidates,
    /// `tensorflow[and-cuda]`.
    pub(super) extras: Vec<String>,
    /// From where it is asked for.
    pub(super) from: Origin,
    /// As conda is asked for it.
    pub(super) spec: Option<MatchSpec>,
    /// Required by another package of the step, not asked for.
    pub(super) implied: bool,
    /// What requires it comes in one version only, which pins it.
    pub(super) held: bool,
    /// A pin, an upper bound or an index chooses it.
    pub(super) chosen: bool,
}

impl State {
    /// Lets a step happen.
    pub(super) fn install(&mut self, step: &Installed, aliases: &dyn Aliases, system: &System) {
        let found = indexes(step, aliases);
        let mut view = View::new(step, &found, &self.platform, aliases);
        let anew;
        let step = if is_overtaken(step, &view, &self.platform) {
            // What comes is what the tool finds on that day.
            anew = Installed { locks: Vec::new(), open: true, bounds_open: true, ..step.clone() };
            view = View::new(&anew, &found, &self.platform, aliases);
            &anew
        } else {
            step
        };
        let mut wanted = match step.tool {
            Tool::Conda => self.conda_wants(step, &view.limits),
            _ => self.python_wants(step, &view),
        };
        // What a lock does not name does not come.
        if step.tool != Tool::Conda && !step.flags.no_deps && step.locks.is_empty() {
            self.imply(&mut wanted, &view);
        }
        // What is overridden is not held to what others require of it.
        let overridden = |w: &Wanted| view.overrides.of(&w.name);
        wanted.retain(|w| !matches!(overridden(w), Some(Override::Absent)));
        let bounded = step.tool != Tool::Conda && !step.flags.no_deps && step.locks.is_empty() && bounds_torch(&wanted);
        // What is newest of it is not what comes.
        let bounded = |w: &Wanted| bounded && !w.held && w.wants.pin().is_none() && resolve::goes_by_torch(&w.name);
        let only_unread = only_unread(&found);
        let packages: Vec<Package<'_>> = wanted
            .iter()
            .map(|w| {
                let alone = self.lacking(w, &found).unwrap_or_else(|| w.alone.clone());
                // What an unread file may name says where a pinned version comes from, not what it requires.
                let unread = w.wants.pin().is_some() && !alone.builds.is_empty() && only_unread;
                let open = alone.open && !unread || overridden(w).is_some();
                let today = alone.today.filter(|_| !(bounded(w) || step.bounds_open && w.wants.pin().is_none()));
                let candidates = Candidates { open, today, builds: alone.builds };
                let stays = stays(w, self.there(&w.name), step);
                let (name, extras, strict) = (&w.name, &w.extras, w.wants.strictness());
                Package { name, extras, candidates, stays, strict, implied: w.implied }
            })
            .collect();
        let pruned = {
            let manner = Manner { no_deps: step.flags.no_deps, anew: step.tool == Tool::Pip };
            resolve::prune(&packages, &manner, &self.platform)
        };
        let anything = step.asks.iter().find(|ask| ask.anything).map(|ask| ask.at);
        let by_name = found.iter().any(|index| index.by_name);
        let mut asks = Vec::new();
        let mut changes = Vec::new();
        let mut after: BTreeMap<String, Held> = BTreeMap::new();
        let mut gone: Vec<String> = Vec::new();
        for (n, want) in wanted.iter().enumerate() {
            // What no index in reach serves does not come.
            let mut builds = if want.alone.builds.is_empty() { want.alone.clone() } else { pruned.left[n].clone() };
            builds.open = want.alone.open;
            builds.open |= (step.open || anything.is_some()) && want.implied;
            if step.bounds_open && !want.held && (want.implied || want.wants.pin().is_none()) {
                builds = Candidates { open: true, today: None, ..builds };
            }
            if self.may_be_there(want, step) {
                builds = Candidates { open: true, today: None, ..builds };
            }
            let mut evidence = at(want.at, &want.also, comes(&want.name, &want.shown, &builds), step.join);
            // Of what such an index serves its name is all that is known.
            if by_name && builds.builds.iter().any(|build| build.index == "pypi") {
                evidence.basis = Basis::Inferred;
            }
            if let Some(base) = self.may_have_another_build(want, &builds, step).filter(|_| builds.today.is_some()) {
                builds.open = true;
                evidence.also.push((base, Reason::MayBeThere { package: want.name.clone() }));
            }
            // What would have stayed goes for what others require, too.
            let moved = matches!((&packages[n].stays, pruned.picks[n]), (Stays::As(_), Pick::Takes(_)));
            if moved || builds.today().map(|b| &b.version) != want.alone.today().map(|b| &b.version) {
                let others = pruned.by[n].iter().map(|other| (&wanted[*other], &packages[*other].candidates));
                evidence.also.extend(others.map(|(other, builds)| (other.at, limits(other, builds, &want.name))));
            }
            // Where nothing fits together, the installer fails.
            let fails = pruned.conflicts.iter().any(|(a, b)| *a == n || *b == n);
            let pick = if fails { Pick::Unknown } else { pruned.picks[n] };
            let change = self.change(want, &builds, &evidence, step, pick);
            // Whatever was there goes.
            let anew = step.flags.reinstall && step.tool != Tool::Conda && !want.implied && !fails;
            match change.as_ref().map(|c| &c.effect) {
                Some(Effect::Keeps) => {}
                Some(Effect::Unknown) if !anew => {
                    let open = Candidates { open: true, today: None, ..builds.clone() };
                    after.insert(want.name.clone(), Held { builds: open, evidence: evidence.clone(), chosen: false, pin: None });
                }
                effect => {
                    // pip takes conda's own away before it puts a wheel in its place.
                    gone.extend(effect.and_then(|_| self.there(&want.name)).map(|(held, _)| held.to_owned()));
                    after.insert(
                        want.name.clone(),
                        Held { builds: builds.clone(), evidence: evidence.clone(), chosen: want.chosen, pin: want.wants.pin() },
                    );
                }
            }
            let looked_for = step.locks.is_empty() && self.is_looked_for(want, change.as_ref().map(|c| &c.effect), step);
            let from = if want.implied { Origin::Required } else { want.from.clone() };
            let wants = want.wants.clone();
            let (package, alone, route) = (want.name.clone(), want.alone.clone(), view.route(&want.name));
            let (spec, extras, overridden) = (want.spec.clone(), want.extras.clone(), overridden(want).is_some());
            asks.push(Ask { package, wants, evidence, alone, builds, extras, overridden, from, spec, route, looked_for });
            changes.extend(change);
        }
        // A required package that nobody asked for is none that could be asked for otherwise.
        let asked = pruned.conflicts.iter().filter(|(a, b)| !wanted[*a].implied && !wanted[*b].implied);
        let conflicts = asked.map(|(a, b)| Conflict {
            package: wanted[*a].name.clone(),
            against: wanted[*b].name.clone(),
            requires: requires(&packages[*a].candidates.builds, &wanted[*b].name),
        });
        let conflicts = conflicts.collect();
        for name in gone {
            self.installed.remove(&name);
        }
        for (name, held) in after {
            self.put(name, held);
        }
        // What it installed besides is not known: a torch for those that go by it, too.
        let brings_torch = |want: &Wanted| want.name.strip_prefix("conda:").is_some_and(goes_with_torch);
        self.unlisted |= step.open || wanted.iter().any(brings_torch);
        self.unlisted_of_conda |= step.open && step.tool == Tool::Conda;
        if let Some(at) = anything {
            self.run_unread();
            self.upon = self.upon.or(Some(at));
        }
        self.other_builds |= step.open && found.iter().any(|index| index.id != Some("pypi"));
        let done = Step {
            tool: step.tool,
            at: step.at,
            asks,
            one_list: step.tool == Tool::Pip || view.is_told_to_match_best(),
            indexes: found,
            flags: step.flags.clone(),
            changes,
            conflicts,
            unheeded: step.unheeded.clone(),
            no_cuda: step.no_cuda && !step.cuda_elsewhere,
            channels: channels(step),
        };
        self.build(step, &done, system);
        self.steps.push(done);
    }

    /// Whether nothing that meets an ask can be there already.
    fn is_looked_for(&self, want: &Wanted, effect: Option<&Effect>, step: &Installed) -> bool {
        let may_be_there =
            || self.upon.is_some() || self.unlisted || self.other_builds || self.before.may_stay(&want.name, &want.wants);
        match effect {
            _ if step.flags.reinstall => true,
            Some(Effect::Keeps | Effect::Unknown) => false,
            Some(Effect::Replaces { .. }) => true,
            None => !may_be_there(),
        }
    }

    fn python_wants(&self, step: &Installed, view: &View<'_>) -> Vec<Wanted> {
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut repeats = Repeats::default();
        for ask in step.asks.iter().chain(&step.folders).filter(|ask| ask.language == Language::Pep508) {
            // Of a text that is not known, its package may be: then it comes in some version.
            let somehow = ask.package.clone().map(|name| Requirement {
                subject: Subject::Elsewhere { name: Some(name), url: String::new() },
                extras: Vec::new(),
                marker: None,
            });
            let Some(parsed) = ask.text.as_deref().map_or(somehow, |text| requirement::parse(text).ok()) else { continue };
            if parsed.marker.as_ref().is_some_and(|m| m.holds(&self.platform, &[]) != Some(true)) {
                continue;
            }
            // What is built from these sources is not told by them.
            let subject = match (parsed.subject, &ask.package) {
                (Subject::Elsewhere { name: None, url } | Subject::Path(url), Some(package)) => {
                    Subject::Elsewhere { name: Some(package.clone()), url }
                }
                (subject, _) => subject,
            };
            let named = match &subject {
                Subject::Package { name, .. } | Subject::Elsewhere { name: Some(name), .. } => name,
                Subject::Wheel { wheel, .. } => &wheel.name,
                Subject::Elsewhere { name: None, .. } | Subject::Path(_) => continue,
            };
            if repeats.too_many(named) {
                continue;
            }
            // A wheel that the project names as a package's source is what comes.
            let file = match &subject {
                Subject::Package { name, .. } => view.file(name).and_then(|(url, at)| Some((wheel(name, url)?, *at))),
                _ => None,
            };
            let also = file.as_ref().map(|_| (ask.at, Reason::Asked { package: named.clone(), wants: String::new() }));
            let (subject, at) = file.unwrap_or_else(|| (subject.clone(), ask.at));
            let (extras, from) = (parsed.extras, origin(&subject));
            let mut new = match subject {
                Subject::Package { name, wants, .. } => self.package(name, wants, ask, view),
                Subject::Wheel { wheel, url } => {
                    let (wants, alone) = view.wheel(&wheel, &url, &self.platform);
                    Wanted {
                        alone,
                        wants,
                        shown: format!("=={}", wheel.version),
                        name: wheel.name,
                        at,
                        also: ask.also.iter().cloned().chain(also).collect(),
                        extras: Vec::new(),
                        from: Origin::Index,
                        spec: None,
                        implied: false,
                        held: false,
                        chosen: true,
                    }
                }
                // What a lock says of it is known.
                Subject::Elsewhere { name: Some(name), .. } if ask.text.is_none() && !view.limits.locks(&name).is_empty() => {
                    self.package(name, Specifiers::default(), ask, view)
                }
                Subject::Elsewhere { name: Some(name), .. } => Wanted {
                    name,
                    wants: Specifiers::default(),
                    shown: String::new(),
                    at: ask.at,
                    also: ask.also.clone(),
                    alone: open(),
                    extras: Vec::new(),
                    from: Origin::Index,
                    spec: None,
                    implied: false,
                    held: false,
                    chosen: true,
                },
                Subject::Elsewhere { name: None, .. } | Subject::Path(_) => continue,
            };
            (new.extras, new.from) = (extras, from);
            match places.get(&new.name).and_then(|n| wanted.get_mut(*n)) {
                Some(_) if view.overrides.of(&new.name).is_some() => {}
                // Asked for twice: both conditions hold; the stricter line is the one to change.
                Some(old) => {
                    let (mut kept, other) =
                        if new.wants.strictness() > old.wants.strictness() { (new, &*old) } else { (old.clone(), &new) };
                    let wants = kept.wants.and(&other.wants);
                    kept.chosen |= other.chosen;
                    kept.also.push((other.at, Reason::Asked { package: other.name.clone(), wants: other.shown.clone() }));
                    let anything = [&kept, other].iter().any(|w| w.alone.open && w.alone.builds.is_empty() && w.wants.is_any());
                    let extras = kept.extras.iter().chain(&other.extras).cloned().collect();
                    let mut merged = Wanted { wants, extras, ..kept };
                    merged.alone = if anything { open() } else { self.alone(&mut merged, view) };
                    *old = merged;
                }
                None => {
                    places.insert(new.name.clone(), wanted.len());
                    wanted.push(new);
                }
            }
        }
        // A lock alone: its entries are the asks.
        let manifest = !step.asks.is_empty();
        for entry in step.locks.iter().filter(|entry| entry.sure) {
            let lock = &entry.lock;
            let Some(name) = lock.name.known().map(requirement::normalise) else { continue };
            if view.limits.locks(&name).is_empty() || places.contains_key(&name) || (manifest && !resolve::is_framework(&name)) {
                continue;
            }
            let mut also = entry.also.clone();
            also.push((lock.name.at, Reason::Here));
            let ask = Asked { text: None, package: None, anything: false, language: Language::Pep508, at: lock.version.at, also };
            places.insert(name.clone(), wanted.len());
            let new = self.package(name, Specifiers::default(), &ask, view);
            wanted.push(Wanted { shown: new.wants.to_string(), ..new });
        }
        wanted
    }

    fn package(&self, name: String, wants: Specifiers, ask: &Asked, view: &View<'_>) -> Wanted {
        let over = view.overrides.of(&name);
        let unknown = matches!(over, Some(Override::Unknown));
        let (wants, ask) = match over {
            Some(Override::Wants(wants, line)) => (wants.clone(), *line),
            _ => (wants, ask),
        };
        let mut new = Wanted {
            shown: wants.to_string(),
            chosen: !wants.is_open_above(),
            wants,
            at: ask.at,
            also: ask.also.clone(),
            alone: Candidates::default(),
            extras: Vec::new(),
            from: Origin::Index,
            spec: None,
            implied: false,
            held: false,
            name,
        };
        for (at, wants) in view.limits.bounds(&new.name) {
            new.wants = new.wants.and(wants);
            new.chosen |= !wants.is_open_above();
            new.also.push((*at, Reason::Asked { package: new.name.clone(), wants: wants.to_string() }));
        }
        new.alone = if unknown { open() } else { self.alone(&mut new, view) };
        if let Some(build) = new.alone.today()
            && let Some(index) = view.found.iter().find(|i| i.id == Some(build.index))
            && let Some(at) = index.at.filter(|at| *at != new.at)
        {
            new.also.push((at, Reason::Index { index: build.index.to_owned() }));
            new.also.extend(index.also.iter().cloned());
        }
        // An index of one CUDA is a choice, too.
        new.chosen |= !view.limits.locks(&new.name).is_empty() || view.reach(&new.name).routed.is_some() || view.one_cuda;
        new
    }

    /// All builds that an ask alone admits.
    fn alone(&self, want: &mut Wanted, view: &View<'_>) -> Candidates {
        let reach = view.reach(&want.name);
        match view.limits.locks(&want.name) {
            [] => resolve::python_candidates(&want.name, &want.wants, &reach, &self.platform),
            locks => self.locked(want, locks, &reach),
        }
    }

    /// The builds of the lock's entries that meet what is asked: of one version, or of several, one of which it is.
    fn locked(&self, want: &mut Wanted, locks: &[Entry<'_>], reach: &Reach<'_>) -> Candidates {
        let asked = want.wants.clone();
        let admitted: Vec<&Entry<'_>> = locks.iter().filter(|entry| asked.admits(&entry.version)).collect();
        // None: the lock is not this manifest's any more.
        let Some(first) = admitted.first() else { return open() };
        let one = admitted.iter().all(|entry| entry.version == first.version);
        if one {
            want.wants = asked.and(&Specifiers::exactly(&first.version));
        }
        let mut all = Candidates::default();
        for (n, entry) in admitted.iter().enumerate() {
            let (version, at) = (&entry.version, entry.entry.lock.version.at);
            let told = admitted[..n].iter().any(|before| before.version == *version);
            if at != want.at && !told && !want.also.iter().any(|(before, _)| *before == at) {
                want.also.push((at, Reason::Asked { package: want.name.clone(), wants: format!("=={version}") }));
            }
            let found = entry.candidates(&want.name, &asked, reach, &self.platform);
            all.open |= found.open;
            all.today = found.today.filter(|_| one);
            if one {
                // The same version twice, for two groups or platforms.
                all.builds = found.builds;
            } else {
                all.builds.extend(found.builds);
            }
        }
        all
    }

    /// Packages of the chain that asked ones require without their being asked for.
    fn imply(&self, wanted: &mut Vec<Wanted>, view: &View<'_>) {
        let mut next = 0;
        // Who fixes an implied package's version is the line that one would change.
        let mut fixed: HashMap<String, Fixes> = HashMap::new();
        while next < wanted.len() && wanted.len() < 64 {
            let want = &wanted[next];
            next += 1;
            // What is there and fits stays, and what it requires came with it.
            if !want.implied && matches!(stays(want, self.there(&want.name), view.step), Stays::Unknown) {
                continue;
            }
            let Some(build) = want.alone.only().or_else(|| want.alone.today()) else {
                let (name, at) = (want.name.clone(), want.at);
                if want.alone.builds.is_empty() {
                    bring_unknown(wanted, &name, at);
                }
                continue;
            };
            let (alone, elsewhere) = (want.alone.only().is_some(), build.index.is_empty());
            let (by, place, also) = (format!("{} {}", want.name, build.version), want.at, want.also.clone());
            let asked = resolve::all_extras(build.release, &want.extras, &self.platform);
            let extras: Vec<&str> = asked.iter().map(String::as_str).collect();
            let itself = want.name.clone();
            let published = resolve::requirements(build.release);
            for (text, parsed) in published.iter() {
                let holds = |extras: &[&str]| parsed.marker.as_ref().map_or(Some(true), |m| m.holds(&self.platform, extras));
                if holds(&extras) != Some(true) {
                    continue;
                }
                let Subject::Package { name, wants, .. } = &parsed.subject else { continue };
                if *name == itself {
                    continue;
                }
                // Parts of CUDA come with their framework's row, unless an extra asks for them.
                let by_extra = holds(&[]) != Some(true) && !knowledge::releases(name).is_empty();
                // A constraint on a package says something of it where it comes.
                let bounded = !view.limits.bounds(name).is_empty();
                if !resolve::is_framework(name) && !by_extra && !bounded {
                    continue;
                }
                let there = self.there(name).and_then(|(_, held)| held.builds.only().or_else(|| held.builds.today()));
                let fixes = match wants.pin() {
                    Some(_) if alone => Fixes::Always,
                    Some(_) => Fixes::Today,
                    None if there.is_some_and(|build| !wants.admits(&build.version)) => Fixes::Moves,
                    None => Fixes::No,
                };
                let mut also = also.clone();
                also.push((place, Reason::Requires { by: by.clone(), what: (*text).to_owned() }));
                let ask = Asked { text: None, package: None, anything: false, language: Language::Pep508, at: place, also };
                match wanted.iter_mut().find(|w| w.name == *name) {
                    Some(known) => {
                        if known.implied && fixed.get(name).is_some_and(|before| *before < fixes) {
                            *known = Wanted {
                                implied: true,
                                held: fixes == Fixes::Always,
                                chosen: false,
                                ..self.package(name.clone(), Specifiers::default(), &ask, view)
                            };
                            fixed.insert(name.clone(), fixes);
                        }
                    }
                    None => {
                        fixed.insert(name.clone(), fixes);
                        // What others require prunes it later; what an extra requires is known here only.
                        let wants = if by_extra { wants.clone() } else { Specifiers::default() };
                        let mut new = self.package(name.clone(), wants, &ask, view);
                        new.extras.clone_from(&parsed.extras);
                        new.alone.open |= by_extra && !alone;
                        // From where its requirer comes is not known, nor is what else is there.
                        if elsewhere {
                            new.alone = Candidates { open: true, today: None, ..new.alone };
                        }
                        wanted.push(Wanted { implied: true, held: fixes == Fixes::Always, chosen: false, ..new });
                    }
                }
            }
        }
    }

    /// The builds of a pin that no index in reach has, all of which are known: it is published elsewhere, and requires the same.
    fn lacking(&self, want: &Wanted, found: &[StepIndex]) -> Option<Candidates> {
        want.wants.pin().filter(|_| want.alone.builds.is_empty() && found.iter().all(|index| index.id.is_some()))?;
        Some(resolve::wherever_published(&want.name, &want.wants, &self.platform)).filter(|c| !c.builds.is_empty())
    }

    /// What the step does to a package that was there, when of it `pick` comes.
    fn change(&self, want: &Wanted, builds: &Candidates, cause: &Evidence, step: &Installed, pick: Pick) -> Option<Change> {
        let (_, before) = self.there(&want.name)?;
        let effect = self.effect(want, before, builds, step, pick);
        // Who looks first at what is there knows what this does to it.
        let effect = if step.says.packages && !matches!(effect, Effect::Keeps) { Effect::Unknown } else { effect };
        Some(Change {
            package: want.name.clone(),
            effect,
            before: before.evidence.clone(),
            chosen: before.chosen,
            cause: cause.clone(),
        })
    }

    fn effect(&self, want: &Wanted, before: &Held, builds: &Candidates, step: &Installed, pick: Pick) -> Effect {
        if want.is_built_unseen() {
            return Effect::Unknown;
        }
        // A build that is not known goes all the same, when its version is and the new ask does not admit it.
        if before.builds.builds.is_empty()
            && let (Some(old), Some(new)) = (&before.pin, builds.today())
            && !want.wants.admits(old)
        {
            return Effect::Replaces { from: old.to_string(), to: new.version.to_string(), holds: Holds::Always };
        }
        let there = before.builds.only().or_else(|| before.builds.today());
        if step.flags.reinstall {
            replaced(before, builds, Holds::Always)
        } else if step.flags.upgrade && !want.implied {
            // What is there is as new: `2.6.0+cu118` is above `2.6.0`.
            match (there, builds.today()) {
                (Some(old), Some(new)) if new.version <= old.version && want.wants.admits(&old.version) => Effect::Keeps,
                _ => replaced(before, builds, Holds::Always),
            }
        } else {
            // What is there stays if it meets what the step asks, and what the packages beside it require. Of what build it is,
            // a pinned one is of its version.
            let open = before.builds.open && (before.pin.is_none() || want.names_its_build());
            let there = Candidates { open, ..before.builds.clone() };
            let asked = there.hold(|b| Some(want.wants.admits(&b.version)));
            let somehow = there.hold(|b| Some(builds.open || builds.builds.iter().any(|n| same(n, b))));
            match (asked, somehow, pick) {
                (.., Pick::Unknown) => Effect::Unknown,
                (Holds::Never, ..) | (_, Holds::Never, _) => replaced(before, builds, Holds::Always),
                (.., Pick::Stays) => Effect::Keeps,
                // conda solves for the whole environment anew.
                _ if step.tool == Tool::Conda => Effect::Unknown,
                (.., Pick::Takes(_)) => replaced(before, builds, Holds::Today),
            }
        }
    }
}

/// The wheel of that package at an address.
fn wheel(name: &str, url: &str) -> Option<Subject> {
    let wheel = WheelName::parse(url).filter(|wheel| wheel.name == name)?;
    Some(Subject::Wheel { wheel, url: url.to_owned() })
}

/// A release that the tables do not know brings its framework in a version that is not known either.
fn bring_unknown(wanted: &mut Vec<Wanted>, by: &str, at: Span) {
    for name in resolve::frameworks_pinned_by(by).iter() {
        if wanted.iter().any(|w| w.name == *name) {
            continue;
        }
        wanted.push(Wanted {
            name: name.clone(),
            wants: Specifiers::default(),
            shown: String::new(),
            at,
            also: Vec::new(),
            alone: open(),
            extras: Vec::new(),
            from: Origin::Index,
            spec: None,
            implied: true,
            held: false,
            chosen: false,
        });
    }
}

/// Whether a manifest has been changed since its lock was made: it asks for a package of the chain that the lock has not, or has
/// in another version. Then the tool makes another lock.
fn is_overtaken(step: &Installed, view: &View<'_>, platform: &Platform) -> bool {
    let locks_itself = matches!(step.tool, Tool::Uv | Tool::Poetry | Tool::Pdm | Tool::Pipenv);
    if !locks_itself || step.locks.is_empty() {
        return false;
    }
    step.asks.iter().filter(|ask| ask.language == Language::Pep508).any(|ask| {
        let Some(parsed) = ask.text.as_deref().and_then(|text| requirement::parse(text).ok()) else { return false };
        let Subject::Package { name, wants, .. } = &parsed.subject else { return false };
        // Of what comes from elsewhere the lock may tell nothing, and an override asks for something else.
        let plain = !knowledge::releases(name).is_empty() && view.overrides.of(name).is_none() && !view.is_from_elsewhere(name);
        let holds = parsed.marker.as_ref().is_none_or(|marker| marker.holds(platform, &[]) == Some(true));
        plain && holds && !view.limits.locks(name).iter().any(|entry| entry.version.is_pre() || wants.admits(&entry.version))
    })
}

/// Whether a package of a step may require a torch that is not the newest, in a release that the tables do not know.
fn bounds_torch(wanted: &[Wanted]) -> bool {
    let may = |name: &str| knowledge::may_bound_torch(name) || resolve::bounds_torch(name);
    wanted.iter().any(|w| w.alone.only().or_else(|| w.alone.today()).is_none() && may(&w.name))
}

/// Whether a package requires torch, as far as the tables tell of it.
fn goes_with_torch(name: &str) -> bool {
    knowledge::companion_of(name) == Some("torch") || knowledge::may_bound_torch(name) || resolve::bounds_torch(name)
}

/// conda's channels, as they are named.
fn channels(step: &Installed) -> Vec<Channel> {
    let named = step.indexes.iter().filter(|index| index.kind == IndexKind::Channel);
    named.map(|index| Channel { id: index.url.as_deref().ok().and_then(resolve::channel), at: index.at }).collect()
}

/// Whether the indexes that are not known are those which unread files or modules may name.
fn only_unread(found: &[StepIndex]) -> bool {
    found.iter().all(|index| index.id.is_some() || matches!(index.url, Err(Untold::File(Some(_)) | Untold::Module)))
}

/// How surely a package fixes the version of one that it requires.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fixes {
    /// It leaves it open.
    No,
    /// It leaves it open, and does not admit the one that is there.
    Moves,
    /// Its newest version does.
    Today,
    /// Its only version does.
    Always,
}

/// What is there already and meets the ask: installers try it first, and look for newer ones only when told to. uv brings a project's
/// environment to what it resolves, whatever is there: <https://docs.astral.sh/uv/concepts/projects/sync/>.
fn stays<'a>(want: &Wanted, before: Option<(&str, &'a Held)>, step: &Installed) -> Stays<'a> {
    let renewed = step.flags.reinstall || (step.flags.upgrade && !want.implied) || step.tool == Tool::Uv;
    let Some((_, before)) = before.filter(|_| !renewed && !want.is_built_unseen()) else { return Stays::No };
    match before.builds.only().or_else(|| before.builds.today()) {
        Some(build) if want.wants.admits(&build.version) => Stays::As(build),
        // Of what version it is, it is the pinned one in the end.
        None if want.wants.pin().is_none() => Stays::Unknown,
        _ => Stays::No,
    }
}

fn same(a: &Build, b: &Build) -> bool {
    a.version.public() == b.version.public()
}

/// What takes the place of what was there, if that is another build.
fn replaced(before: &Held, builds: &Candidates, holds: Holds) -> Effect {
    let (Some(old), Some(new)) = (before.builds.only().or_else(|| before.builds.today()), builds.today()) else {
        return Effect::Unknown;
    };
    let alike = |o: &Build, b: &Build| same(o, b) && o.release.tag == b.release.tag;
    if alike(old, new) {
        return Effect::Keeps;
    }
    let differs = |b: &Build| !before.builds.builds.iter().any(|o| alike(o, b));
    let show = |b: &Build, all: &Candidates| {
        let tag = b.release.tag;
        // conda has builds of several tags under one version, and so may an image of which nothing is known.
        let told = !all.open && all.builds.iter().all(|other| !same(other, b) || other.release.tag == tag);
        if tag.is_empty() || !told || b.version.local().is_some() {
            b.version.to_string()
        } else {
            format!("{} ({tag})", b.version)
        }
    };
    let always = holds == Holds::Always && builds.hold(|b| Some(differs(b))) == Holds::Always;
    let today = if always && builds.only().is_none() { " (as picked today)" } else { "" };
    Effect::Replaces {
        from: show(old, &before.builds),
        to: show(new, builds) + today,
        holds: if always { Holds::Always } else { Holds::Today },
    }
}

/// Any build may come.
pub(super) fn open() -> Candidates {
    Candidates { open: true, ..Candidates::default() }
}

/// How a package bears on which version of another one comes.
fn limits(by: &Wanted, builds: &Candidates, of: &str) -> Reason {
    // Of the build that comes, not of all that might.
    let picked = builds.only().or_else(|| builds.today());
    let what = picked.map(|build| requires(std::slice::from_ref(build), of)).unwrap_or_default();
    match (what, picked) {
        (what, Some(build)) if !what.is_empty() => Reason::Requires { by: format!("{} {}", by.name, build.version), what },
        _ => Reason::Asked { package: by.name.clone(), wants: by.shown.clone() },
    }
}

/// What the candidates require of another package, in words.
fn requires(builds: &[Build], other: &str) -> String {
    let of_other = |r: &Requirement| matches!(&r.subject, Subject::Package { name, .. } if name == other);
    let mut all: Vec<String> = Vec::new();
    for build in builds.iter().rev() {
        let published = resolve::requirements(build.release);
        let texts = published.iter().filter(|(_, r)| of_other(r)).map(|(text, _)| text.split(';').next().unwrap_or(text));
        all.extend(texts.map(|text| text.trim().to_owned()));
    }
    // The newest came first.
    let mut seen = std::collections::HashSet::new();
    all.retain(|text| seen.insert(text.clone()));
    match all.as_slice() {
        [newest, .., oldest] if all.len() > 2 => format!("{oldest} or, by its release, another up to {newest}"),
        _ => all.join(" or "),
    }
}
