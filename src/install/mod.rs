//! Folds what happens, step by step, into what is there in the end. The only place that knows how a step changes what was there.

mod compile;
mod conda;
mod earlier;
mod indexes;
mod limits;
mod overrides;
mod python;
mod state;
mod step;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use crate::device;
use crate::environment::{Environment, Evidence, ForwardCompat, Image, Join, OwnDriver, Reason, Setting, Start};
use crate::knowledge::{self, Basis, Flavour};
use crate::notation::cuda_name::without_cuda;
use crate::notation::image::ImageReference;
use crate::platform::{Platform, Pythons};
use crate::project::{Beginning, Brought, Enters, Event, Prefix, Removed, Script, World};
use crate::source::Span;
use crate::version::CudaVersion;
use compile::System;
use earlier::Earlier;
use python::{OwnPython, Told, python_of_system, told};
use state::State;

/// What a company's own addresses stand for.
pub(crate) trait Aliases {
    /// The index id of the tables for an address.
    fn index(&self, url: &str) -> Option<&'static str>;
    /// The public image that a reference stands for.
    fn image(&self, reference: &str) -> Option<String>;
}

/// The environments of one walk: one for each prefix that something is installed into.
pub(crate) fn fold(beginning: &Beginning, world: &World, script: &Script, aliases: &dyn Aliases) -> Vec<Environment> {
    let mut platform = world.platform.clone();
    let base = script.events.iter().find_map(|event| match event {
        Event::Base { image, at, also } => {
            let stands_on = stands_on(image.as_deref(), *at, also, script, aliases);
            Some(Image { unchecked: beginning.unchecked, ..stands_on })
        }
        _ => None,
    });
    platform.libc = base.as_ref().map_or(platform.libc, |image| knowledge::libc(&image.reference));
    let mut by_image = Told::default();
    if let Some(image) = &base
        && let Some(row) = image.row
        && let Some(pythons) = Pythons::stated(row.python).filter(|_| !row.python.is_empty())
    {
        by_image.narrow(&mut platform, pythons, &image.evidence);
    }
    let mut states: BTreeMap<Prefix, State> = BTreeMap::new();
    let system = State { python: by_image.clone(), ..State::of_image(platform.clone(), base.as_ref()) };
    let mut forward_compat: Vec<ForwardCompat> = base.iter().filter_map(image_compat).collect();
    states.insert(Prefix::System, system.clone());
    let mut pythons = OwnPython::of_image(base.as_ref());
    let mut before = Earlier::default();
    let mut machine = System::of_image(base.as_ref());
    machine.toolkits.open |= script.compilers_open;
    // Folders into which something came of which nothing is known.
    let mut foreign: Vec<(&str, Span)> = Vec::new();
    for event in &script.events {
        let fresh = |prefix: &Prefix| State { before: before.clone(), ..State::fresh(prefix, &platform, &by_image) };
        match event {
            Event::Python(text, at) => {
                if let Some(stated) = Pythons::stated(text) {
                    by_image.narrow(&mut platform, stated, &told(text, *at));
                    states.values_mut().for_each(|state| state.narrow_python(stated, &told(text, *at)));
                }
            }
            Event::SystemPython(python) => {
                if let Some((named, own)) = Pythons::parse(python).zip(pythons.of_system.and_then(Pythons::parse))
                    && let Some(system) = states.get_mut(&Prefix::System)
                {
                    system.platform.narrow_python(Pythons(named.0 | own.0));
                }
            }
            Event::PythonOf { prefix, python, at, now } => {
                if let Some(named) = Pythons::stated(python) {
                    let state = states.entry(pythons.lands(prefix)).or_insert_with_key(fresh);
                    match now {
                        true => state.python.set(&mut state.platform, named, told(python, *at)),
                        false => state.narrow_python(named, &told(python, *at)),
                    }
                }
            }
            Event::Install(installed) => {
                // A place that words lead to may be one that packages went into before.
                let prefix = pythons.lands(&installed.prefix);
                let any = || states.values().any(|state| !state.steps.is_empty() || !state.installed.is_empty());
                let somewhere = (matches!(prefix, Prefix::Somewhere(_)) && any()).then_some(installed.at);
                // So has one that was not made here, in an image of which nothing is known.
                let came = foreign.iter().find(|(folder, _)| prefix.may_lie_in(folder)).map(|(_, at)| *at);
                let upon = somewhere.or(came).or(system.upon.filter(|_| !installed.made));
                let state = states.entry(prefix).or_insert_with_key(fresh);
                // `python3.7 -m pip` says which Python it is.
                if let Prefix::Python(minor) = &installed.prefix
                    && let Some(named) = Pythons::parse(minor)
                {
                    state.narrow_python(named, &told(minor, installed.at));
                }
                if state.steps.is_empty() {
                    state.upon = state.upon.or(upon);
                }
                state.install(installed, aliases, &machine);
                pythons.unnamed |= installed.prefix == Prefix::System && !state.installed.is_empty();
            }
            Event::Remove { tool, prefix, what } => {
                let prefix = pythons.lands(prefix);
                match (what, states.get_mut(&prefix)) {
                    (Removed::Packages(names), Some(state)) => state.remove(*tool, names),
                    (Removed::Unknown(at), Some(state)) => state.remove_unknown(*at),
                    (Removed::Whole, _) => drop(states.remove(&prefix)),
                    (_, None) => {}
                }
            }
            Event::System { names } => {
                machine.put_packages(names, script.repository_of_wsl && !script.repository_of_linux);
                forward_compat.extend(names.iter().filter_map(|(name, _)| package_compat(name)));
                if let Some((pythons, by)) = base.as_ref().and_then(|base| python_of_system(base, names))
                    && let Some(system) = states.get_mut(&Prefix::System)
                {
                    system.narrow_python(pythons, &by);
                }
            }
            Event::Runfile(run, at) => machine.run(run, *at),
            Event::Modules(modules) => machine.load(modules),
            Event::Compile(compiling) => {
                let prefix = pythons.lands(&compiling.prefix);
                states.entry(prefix).or_insert_with_key(fresh).compile(compiling, &machine);
            }
            Event::Unknown => states.values_mut().for_each(|state| state.unlisted = true),
            Event::Upon(at) => {
                machine.toolkits.open = true;
                machine.open = true;
                states.values_mut().for_each(|state| state.upon = state.upon.or(Some(*at)));
            }
            Event::Unread => {
                machine.toolkits.open = true;
                machine.open = true;
                states.values_mut().for_each(State::run_unread);
            }
            Event::Brought { folder, what, at } => {
                let image = match what {
                    Brought::Image(image) | Brought::Perhaps(image) => Some(stands_on(Some(image), *at, &[], script, aliases)),
                    Brought::Unknown | Brought::Package(_) => None,
                };
                let of_folder = Prefix::of_folder(folder);
                match (what, image) {
                    (Brought::Package(named), _) => {
                        if let Some(state) = of_folder.and_then(|prefix| states.get_mut(&prefix)) {
                            state.bring_package(named);
                        }
                    }
                    (_, Some(image)) if knowledge::is_bare(&image.reference) => {}
                    (Brought::Image(_), Some(image)) if image.row.is_some_and(|row| !row.torch.is_empty()) => {
                        states.entry(of_folder.unwrap_or_default()).or_insert_with_key(fresh).bring_image(&image);
                    }
                    _ => {
                        let there = states.iter_mut().filter(|(prefix, _)| prefix.may_lie_in(folder));
                        there.for_each(|(_, state)| state.bring_unknown(*at));
                        foreign.push((folder, *at));
                    }
                }
            }
            Event::Before(steps) => {
                let mut apart = State::of_image(platform.clone(), None);
                steps.steps.iter().for_each(|step| apart.install(step, aliases, &machine));
                before.take(&apart, steps.told);
                states.values_mut().for_each(|state| state.before = before.clone());
            }
            Event::Base { .. } | Event::Driver(_) => {}
        }
    }
    let variables: BTreeMap<String, Setting> = script
        .exported
        .iter()
        .map(|(name, value)| {
            let evidence = stated(value.at, Reason::Variable { name: name.clone() });
            (name.clone(), Setting { value: value.text.clone(), written: value.written.clone(), evidence })
        })
        .collect();
    // Each arm, row and build is for the machines of its own, unless all builds are run.
    let build = if script.all_run { world.suffix_of_build() } else { String::new() };
    let mut choices = vec![format!("{}{build}", beginning.name)];
    choices.extend(without_cuda(&beginning.name));
    if let Enters::Manifest(selection) = &beginning.enters {
        choices.extend(selection.choices.iter().cloned());
    }
    let own_driver = script.events.iter().rev().find_map(|event| match event {
        Event::Driver(version) => Some(OwnDriver { version: version.clone() }),
        _ => None,
    });
    let gpus = gpus(beginning, world, script);
    let keys: Vec<_> = script.keys.iter().map(|(key, at)| (*key, stated(*at, Reason::Here))).collect();
    let on_musl = base.as_ref().is_some_and(|image| knowledge::is_musl(&image.reference));
    let several = states.values().filter(|s| !s.steps.is_empty()).count() > 0;
    states
        .into_iter()
        // The start's own prefix counts where nothing else does: an image alone is an environment.
        .filter(|(prefix, state)| {
            !state.steps.is_empty() || !state.compiled.is_empty() || (*prefix == Prefix::System && !several)
        })
        .map(|(prefix, mut state)| Environment {
            base: prefix == Prefix::System,
            start: Start { name: format!("{}{}", beginning.name, world.suffix()), at: beginning.at },
            choices: choices.clone(),
            chosen: world.with.iter().cloned().collect(),
            builds: vec![world.build],
            platform: state.platform.clone(),
            python: state.python.evidence(),
            image: base.clone(),
            // No wheel of a framework fits musl.
            runs: beginning.runs && !script.suits_host && !script.on_cpu && !on_musl,
            components: state.components(),
            files: BTreeMap::new(),
            steps: state.steps,
            compiled: state.compiled,
            own_words: script.runs.words().map(|(word, at)| (word.to_owned(), at)).collect(),
            unread_environment: script.unread_environment,
            unagreed: script.unagreed.clone(),
            system: machine.parts.clone(),
            system_open: machine.open || script.compilers_open,
            unlisted: state.unlisted,
            is_built: matches!(beginning.enters, Enters::Stage(_)),
            thrown_away: script.only_copied,
            for_wsl: script.for_wsl,
            keys: keys.clone(),
            variables: variables.clone(),
            gpus: gpus.clone(),
            own_driver: own_driver.clone(),
            forward_compat: forward_compat.clone(),
            forward_compat_open: base.as_ref().is_some_and(may_carry_compat),
        })
        .collect()
}

/// Where who runs it asks for a GPU, or starts its program on one.
fn gpus(beginning: &Beginning, world: &World, script: &Script) -> Vec<Evidence> {
    let mine = beginning.gpus.iter().filter(|(build, _)| build.is_none_or(|build| build == world.build));
    let asked = mine.map(|(_, at)| (*at, "it is given a GPU"));
    let own = device::says_cuda(script.runs.words());
    let here = script.on_cuda.map(|at| (at, "a program is started on cuda"));
    let because = |(at, because): (Span, &str)| stated(at, Reason::MadeForGpu { because: because.to_owned() });
    asked.chain(own).chain(here).map(because).collect()
}

fn stated(at: Span, reason: Reason) -> Evidence {
    Evidence { at, reason, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated }
}

/// The image, with what the files set over its own demand.
fn stands_on(image: Option<&str>, at: Span, also: &[(Span, Reason)], script: &Script, aliases: &dyn Aliases) -> Image {
    let public = image.map(|i| aliases.image(i).unwrap_or_else(|| i.to_owned()));
    let row = public.as_deref().and_then(knowledge::image);
    let reference = image.and_then(ImageReference::parse).map(|r| r.to_string()).unwrap_or_default();
    let setting = |name: &str| {
        script.exported.get(name).map(|value| Setting {
            value: value.text.clone(),
            written: value.written.clone(),
            evidence: stated(value.at, Reason::Variable { name: name.to_owned() }),
        })
    };
    let disable = script.unread_environment
        || setting("NVIDIA_DISABLE_REQUIRE").is_some_and(|s| !matches!(s.value.as_deref(), Some("0" | "false" | "")));
    let reason = Reason::Image { image: reference.clone(), cuda: row.map_or("", |r| r.cuda).to_owned() };
    let basis = row.map_or(Basis::Inferred, |r| r.basis);
    Image {
        reference,
        row,
        require_cuda: setting("NVIDIA_REQUIRE_CUDA"),
        disable_require: disable,
        unchecked: false,
        evidence: Evidence { also: also.to_vec(), basis, ..stated(at, reason) },
    }
}

/// NVIDIA's CUDA images, and those that stand on them, carry `cuda-compat` of their own release; so do images whose release
/// notes name older branches.
fn image_compat(image: &Image) -> Option<ForwardCompat> {
    let row = image.row?;
    let branches = row.driver_branches;
    let carries = !branches.is_empty() || row.flavour != Flavour::None && !row.without_compat;
    let cuda = CudaVersion::parse(row.cuda).filter(|_| carries)?.minor_only();
    Some(ForwardCompat { cuda, branches })
}

/// Whether an image may carry a `cuda-compat` of which nothing is known.
fn may_carry_compat(image: &Image) -> bool {
    match image.row {
        Some(row) => match image_compat(image) {
            Some(own) => own.branches.is_empty() && knowledge::forward_compat_branches(&own.cuda).is_empty(),
            None => row.flavour == Flavour::None && !knowledge::is_bare(&image.reference),
        },
        None => !knowledge::is_bare(&image.reference) || knowledge::is_of_cuda(&image.reference),
    }
}

fn package_compat(name: &str) -> Option<ForwardCompat> {
    let row = knowledge::system_package(name).filter(|row| row.carries(knowledge::Carries::ForwardCompat))?;
    let prefix = row.pattern.split('*').next().unwrap_or_default();
    let cuda = CudaVersion::parse(&name.strip_prefix(prefix)?.split('=').next()?.replace('-', "."))?;
    Some(ForwardCompat { cuda, branches: &[] })
}

/// Adds the variables of an rc file that lies above a manifest: they hold by place only.
pub(crate) fn assume(env: &mut Environment, rc: &Script) {
    for (name, value) in &rc.exported {
        let evidence = Evidence { join: Join::Assumed, ..stated(value.at, Reason::Variable { name: name.clone() }) };
        let setting = Setting { value: value.text.clone(), written: value.written.clone(), evidence };
        env.variables.entry(name.clone()).or_insert(setting);
    }
}

impl State {
    /// A prefix that is met for the first time. A conda environment has a Python of its own.
    fn fresh(prefix: &Prefix, platform: &Platform, by_image: &Told) -> Self {
        let python = if matches!(prefix, Prefix::Conda(_)) { Told::default() } else { by_image.clone() };
        Self { python, ..Self::of_image(platform.clone(), None) }
    }

    /// What an image has before anything is installed.
    fn of_image(platform: Platform, image: Option<&Image>) -> Self {
        let mut state = Self {
            platform,
            python: Told::default(),
            installed: BTreeMap::new(),
            by_conda: BTreeMap::new(),
            steps: Vec::new(),
            compiled: Vec::new(),
            upon: None,
            removed: BTreeSet::new(),
            unlisted: false,
            unlisted_of_conda: false,
            other_builds: false,
            before: Earlier::default(),
            conda_cuda: None,
        };
        if let Some(image) = image {
            // An image of inference servers or frameworks may have a torch that its row does not tell.
            let told = image.row.is_some_and(|row| !row.torch.is_empty());
            state.upon = (!told && !knowledge::is_bare(&image.reference)).then_some(image.evidence.at);
            state.take_image(image);
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    #[test]
    fn which_images_carry_a_newer_libcuda() {
        struct Nobody;
        impl Aliases for Nobody {
            fn index(&self, _: &str) -> Option<&'static str> {
                None
            }
            fn image(&self, _: &str) -> Option<String> {
                None
            }
        }
        let at = Span::new(Sources::default().set("Dockerfile", ""), 0, 0);
        for (reference, carries, may_carry) in [
            ("nvidia/cuda:12.4.1-base-ubuntu22.04", true, false),
            ("pytorch/pytorch:2.3.0-cuda12.1-cudnn8-devel", true, false),
            ("pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime", false, false),
            ("python:3.11", false, false),
            ("ubuntu:22.04", false, false),
            // Its release notes name the branches that its `cuda-compat` takes.
            ("nvcr.io/nvidia/tritonserver:23.04-py3", true, false),
            // It came after the tables: what its `cuda-compat` takes is not known.
            ("nvidia/cuda:13.3.1-base-ubuntu24.04", true, true),
            // Of the repository something is known, of the tag nothing.
            ("nvcr.io/nvidia/tritonserver:99.01-py3", false, true),
            ("vllm/vllm-openai:latest", false, true),
            ("company/base:1", false, true),
            // No table has it: its name proves nothing of what is in it.
            ("nvidia/cuda:12.6.99-base-ubuntu22.04", false, true),
        ] {
            let image = stands_on(Some(reference), at, &[], &Script::default(), &Nobody);
            assert_eq!(image_compat(&image).is_some(), carries, "{reference}");
            assert_eq!(may_carry_compat(&image), may_carry, "{reference}");
        }
    }
}
