//! One start: what its files lead to, and what the rules say of that.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::{Judged, Linter, collect, shared};
use crate::able::is_able;
use crate::environment::{Environment, Host};
use crate::judge::Seen;
use crate::platform::Platform;
use crate::project::{self, Beginning, Enters, Link, Processors, Project, Script, World};
use crate::rules::{Check, Out, RULES};
use crate::source::Span;
use crate::{hardware, install};

/// For fewer starts no thread is begun.
const LEAST: usize = 4;

impl Linter {
    pub(super) fn fingerprint(&self, project: &Project<'_>, beginning: &Beginning, hosts: &[Host], judged: &Judged) -> u64 {
        let mut hasher = DefaultHasher::new();
        (
            &beginning.name,
            beginning.runs,
            beginning.unchecked,
            &beginning.at,
            &beginning.processors,
            &beginning.gpus,
            project.given_to(&beginning.path),
        )
            .hash(&mut hasher);
        matches!(&beginning.enters, Enters::Manifest(selection) if selection.upon).hash(&mut hasher);
        format!("{hosts:?}").hash(&mut hasher);
        for id in &judged.reached {
            (id, self.files.get(self.sources.path(*id)).map(|f| (f.hash, f.joined))).hash(&mut hasher);
        }
        for (path, _) in &judged.looked {
            (path, self.files.get(path).map(|f| f.hash)).hash(&mut hasher);
        }
        if matches!(beginning.enters, Enters::Manifest(_)) {
            for (path, file) in project.rc_files_above(&beginning.path) {
                (file.id, self.files.get(path).map(|f| f.hash)).hash(&mut hasher);
            }
        }
        if let Some(config) = self.config_of(&beginning.path) {
            config.mirrors.hash(&mut hasher);
            config.images.iter().for_each(|(pattern, image)| (&pattern.written, image).hash(&mut hasher));
        }
        hasher.finish()
    }

    /// Starts do not know of each other: each thread takes some.
    pub(super) fn judge_starts(&self, project: &Project<'_>, starts: &[(Beginning, Vec<Host>)]) -> Vec<(String, Judged)> {
        let judge = |(start, hosts): &(Beginning, Vec<Host>)| (start.name.clone(), self.judge_start(project, start, hosts));
        shared::each(self.settings.threads, LEAST, starts, judge)
    }

    fn judge_start(&self, project: &Project<'_>, beginning: &Beginning, hosts: &[Host]) -> Judged {
        let mut judged = Judged {
            fingerprint: 0,
            reached: BTreeSet::new(),
            looked: BTreeSet::new(),
            installed: BTreeSet::new(),
            only_copied: false,
            outside: BTreeSet::new(),
            left_out: None,
            environments: Arc::default(),
            able: Vec::new(),
            runs: BTreeMap::new(),
            seen: Vec::new(),
        };
        let aliases = self.aliases(&beginning.path);
        let mut environments = Vec::new();
        for (platform, hosts) in platforms(beginning, hosts) {
            let first = World::of(platform, beginning);
            let survey = |world: &World| project::survey(project, beginning, world);
            // Worlds in which the same happens are one.
            let mut happened: HashMap<_, Range<usize>> = HashMap::new();
            let worlds = project::worlds(&first, survey);
            let several = worlds.len() > 1;
            for (world, seen) in worlds {
                let script = seen.unwrap_or_else(|| project::walk(project, beginning, &world));
                judged.left_out = judged.left_out.or(script.left_out.then_some(beginning.at));
                let happens = several.then(|| (script.happens(), world.platform.clone()));
                if let Some(same) = happens.as_ref().and_then(|happens| happened.get(happens)) {
                    let same: &mut [Environment] = environments.get_mut(same.clone()).unwrap_or_default();
                    same.iter_mut().filter(|env| !env.builds.contains(&world.build)).for_each(|env| env.builds.push(world.build));
                    judged.take(script, world.build);
                    continue;
                }
                let hosts: Vec<Host> = hosts.iter().filter(|host| !(script.not_for_wsl && host.wsl)).cloned().collect();
                let mut found = install::fold(beginning, &world, &script, &aliases);
                self.join_rc(project, beginning, &world, &mut found, &mut judged);
                for env in &mut found {
                    let files = env.components.iter().map(|component| component.evidence.at.file);
                    env.files = files.map(|file| (file, self.sources.path(file).to_owned())).collect();
                    check_environment(env, &hosts, &mut judged.seen);
                    let able = hosts.iter().filter_map(|host| match is_able(env, host) {
                        Some(false) => None,
                        known => Some((host.name.clone(), known.is_some())),
                    });
                    judged.able.push(able.collect());
                }
                happened.extend(happens.map(|happens| (happens, environments.len()..environments.len() + found.len())));
                environments.extend(found);
                judged.take(script, world.build);
            }
        }
        judged.environments = Arc::new(environments);
        judged.fingerprint = self.fingerprint(project, beginning, hosts, &judged);
        judged
    }

    /// Variables of an rc file hold where a person installs by hand: by place only.
    fn join_rc(
        &self,
        project: &Project<'_>,
        beginning: &Beginning,
        world: &World,
        found: &mut [Environment],
        judged: &mut Judged,
    ) {
        if !matches!(beginning.enters, Enters::Manifest(_)) {
            return;
        }
        for (path, file) in project.rc_files_above(&beginning.path) {
            let rc = Beginning {
                name: path.to_owned(),
                path: path.to_owned(),
                at: Span::new(file.id, 0, 0),
                enters: Enters::Script,
                runs: true,
                unchecked: false,
                wanted: true,
                machine: String::new(),
                processors: Processors::default(),
                nodes: Vec::new(),
                gpus: Vec::new(),
            };
            let script = project::walk(project, &rc, world);
            for env in found.iter_mut() {
                install::assume(env, &script);
            }
            judged.reached.insert(file.id);
        }
    }
}

impl Judged {
    fn take(&mut self, script: Script, build: usize) {
        self.reached.extend(script.reached);
        self.looked.extend(script.looked);
        self.installed.extend(script.installed);
        self.only_copied |= script.only_copied;
        self.outside.extend(script.links.into_iter().filter_map(|(at, link)| match link {
            Link::Outside(path) => Some((path, at)),
            _ => None,
        }));
        let runs = self.runs.entry(build).or_default();
        if runs.is_empty() {
            *runs = script.runs;
        }
    }
}

/// The platforms that a start is looked at on, with the hosts of each: without a host, Linux on x86-64; an image is always
/// Linux, a CI job's machine what its labels say. What comes on one machine is not what comes on another.
pub(super) fn platforms(beginning: &Beginning, hosts: &[Host]) -> Vec<(Platform, Vec<Host>)> {
    let image = matches!(beginning.enters, Enters::Stage(_) | Enters::Image(_) | Enters::Job(_) | Enters::Called { .. });
    let own = Platform { os: beginning.os(), arch: beginning.processors.usual(), ..Platform::default() };
    let mut found: Vec<(Platform, Vec<Host>)> = Vec::new();
    // What is for another processor is not what this machine runs.
    for host in hosts.iter().filter(|host| !image || beginning.processors.fit(host.platform.arch)) {
        let platform = match image {
            true => Platform { arch: host.platform.arch, ..own.clone() },
            false => host.platform.clone(),
        };
        match found.iter_mut().find(|(known, _)| *known == platform) {
            Some((_, hosts)) => hosts.push(host.clone()),
            None => found.push((platform, vec![host.clone()])),
        }
    }
    if found.is_empty() {
        found.push((own, Vec::new()));
    }
    found
}

fn check_environment(env: &Environment, hosts: &[Host], seen: &mut Vec<Seen>) {
    for (rule, check) in RULES.iter().flat_map(|rule| rule.check.each().iter().map(move |check| (rule, *check))) {
        match check {
            Check::Environment(check) => {
                let mut out = Out::default();
                check(env, &mut out);
                collect(rule, out, &env.start.name, "", seen);
            }
            Check::OnAnyHost(check) => {
                let mut ask = |host: Option<&Host>| {
                    let mut out = Out::default();
                    check(env, host, &mut out);
                    collect(rule, out, &env.start.name, host.map_or("", |host| &host.name), seen);
                };
                match hosts {
                    [] => ask(None),
                    hosts => hosts.iter().for_each(|host| ask(Some(host))),
                }
            }
            Check::Host(check) => {
                let image = env.image.as_ref().map_or("", |image| image.reference.as_str());
                for host in hosts.iter().filter(|host| env.runs && hardware::meets(image, host)) {
                    let mut out = Out::default();
                    check(env, host, &mut out);
                    collect(rule, out, &env.start.name, &host.name, seen);
                }
            }
            Check::File(_) | Check::Launch(_) | Check::Suppressions | Check::All(_) => {}
        }
    }
}
