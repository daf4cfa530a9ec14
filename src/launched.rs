//! What a launch runs, and whether that must have a GPU.

use std::collections::{BTreeMap, HashSet};

use crate::device::{Choice, chooses_gpu, hides_gpus, is_called_cpu, is_choice, says_cpu, says_cuda};
use crate::environment::{Asks, Build, Environment, Evidence, Join, Launched, Reason, Setting, Works};
use crate::knowledge::{self, Basis};
use crate::outline::{GpuRequest, Launch, Launcher, Text, Variable};
use crate::project::{Command, Given, LaunchPlace};
use crate::source::Span;
use crate::work::{self, Work};

/// Of a command these words are looked at: many services may run it.
const MOST_WORDS: usize = 256;

/// Where devices are named by what is mounted there:
/// <https://github.com/NVIDIA/nvidia-container-toolkit/blob/1fc6890b4f27386c25967ecb6e7923fcd92ce4bb/internal/config/image/builder.go>.
const BY_MOUNT: &str = "/var/run/nvidia-container-devices";

/// Puts a launch together with the environments that it runs; `own` is what their image runs by itself.
pub(crate) fn launched<'e>(place: &LaunchPlace<'_>, environments: &[&'e Environment], own: &Command) -> Launched<'e> {
    let launch = place.launch;
    let asks = match launch.gpu {
        GpuRequest::Asked(_) => Asks::Yes,
        GpuRequest::Optional(_) => Asks::Unknown,
        GpuRequest::None | GpuRequest::Declined if launch.open || place.given == Given::Elsewhere => Asks::Unknown,
        GpuRequest::None | GpuRequest::Declined => Asks::No,
    };
    let needs = if place.runs_it { needs(place, environments, own) } else { Vec::new() };
    let malformed = if place.patched { Vec::new() } else { launch.malformed.clone() };
    let all = words(launch, own);
    let bare: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
    let unread = is_open(launch) || is_unread(launch.entrypoint.iter().flatten().chain(&launch.command).next());
    let works = match (work::of(&bare), bare.first()) {
        _ if unread => Works::Other,
        (_, None) => Works::Own,
        (Work::Framework, _) => Works::Program,
        (Work::Arguments, Some(first)) if first.starts_with('-') => Works::Own,
        _ => Works::Other,
    };
    // The runtime may be told by these, too, what to give.
    let by_mount = launch.mounts.iter().any(|mount| mount.to.known().is_none_or(|to| to.starts_with(BY_MOUNT)));
    Launched {
        by: launch.by,
        name: launch.name.clone(),
        at: launch.key,
        needs,
        asks,
        malformed,
        asks_at: place.asks.clone(),
        terms: place.terms.clone(),
        variables: variables(place, environments),
        by_device: launch.unchecked,
        open: by_mount || launch.open || place.changed || place.unread_environment || launch.is_given_more(),
        environments: environments.to_vec(),
        words: all.into_iter().map(|(word, at)| (word.to_owned(), at)).collect(),
        works,
    }
}

/// What its programs see: of an image that is built in several ways, what these do not agree in is not known.
fn variables(place: &LaunchPlace<'_>, environments: &[&Environment]) -> BTreeMap<String, Setting> {
    let mut found: BTreeMap<String, Setting> = BTreeMap::new();
    // What others' images set is theirs; what the files set for those may be its shell's own.
    for (name, set) in environments.iter().filter(|env| env.is_built).flat_map(|env| &env.variables) {
        let known = found.entry(name.clone()).or_insert_with(|| set.clone());
        if known.value != set.value {
            known.value = None;
        }
    }
    let of_maps = place.variables.iter().map(|v| {
        let at = v.value.as_ref().map_or(place.launch.key, |value| value.at);
        (&v.name, v.value.as_ref().and_then(Text::known).map(str::to_owned), at)
    });
    let own = place.given_variables.iter().map(|(name, (value, at))| (name, value.clone(), *at));
    for (name, value, at) in of_maps.chain(own) {
        let reason = Reason::Variable { name: name.clone() };
        let evidence = Evidence { at, reason, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated };
        let written = value.clone().unwrap_or_default();
        found.insert(name.clone(), Setting { value, written, evidence });
    }
    found
}

/// Reasons to think that it must have a GPU, strongest first.
fn needs(place: &LaunchPlace<'_>, environments: &[&Environment], own: &Command) -> Vec<Evidence> {
    let launch = place.launch;
    let words = words(launch, own);
    let bare: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let on_cuda = by_words(&words);
    let baked = environments.iter().flat_map(|env| &env.variables);
    let baked = baked.filter_map(|(name, set)| Some((name.as_str(), set.value.as_deref()?)));
    // What a container says itself goes before what it has from elsewhere.
    let named: HashSet<&str> = launch.environment.iter().map(|own| own.name.as_str()).collect();
    let had = || place.variables.iter().copied().filter(|v| !named.contains(v.name.as_str()));
    let given = launch.environment.iter().chain(had()).filter_map(|v| Some((v.name.as_str(), v.value.as_ref()?.known()?)));
    let hidden = given.chain(baked).any(|(name, value)| hides_gpus(name, value, Choice::CpuOrAny));
    // An image whose own command chooses the CPU is made for it.
    let own_words = || own.words().map(|(word, _)| word).take(MOST_WORDS);
    let cpu = says_cpu(bare.iter().copied(), Choice::CpuOrAny)
        || on_cuda.is_none() && launch.entrypoint.is_none() && says_cpu(own_words(), Choice::CpuOrAny);
    let work =
        if is_unread(launch.entrypoint.iter().flatten().chain(&launch.command).next()) { Work::Unsure } else { work::of(&bare) };
    let service = launch.build.is_none() && launch.image.as_ref().and_then(Text::known).is_some_and(work::is_service);
    if hidden || cpu || on_cuda.is_none() && (service || work == Work::Other && !words.is_empty()) {
        return Vec::new();
    }
    let mut needs: Vec<Evidence> = Vec::new();
    if let Some(node) = &launch.gpu_node {
        needs.push(reason(node.at, "it is sent to a node with a GPU"));
    }
    needs.extend(on_cuda);
    needs.extend(launch.environment.iter().chain(had()).filter_map(by_variable));
    if place.given == Given::No {
        let found = environments.iter().filter_map(|env| by_environment(env, launch, place.built_at));
        needs.extend(found.filter(|need| counts(need, place, work)));
    }
    needs.dedup_by(|a, b| a.at == b.at);
    needs
}

/// What runs in the end, as far as its words are known.
fn words<'l>(launch: &'l Launch, own: &'l Command) -> Vec<(&'l str, Span)> {
    let mut words: Vec<(&str, Span)> = Vec::new();
    match &launch.entrypoint {
        Some(entrypoint) => words.extend(entrypoint.iter().filter_map(known).take(MOST_WORDS)),
        None => words.extend(own.entrypoint.iter().take(MOST_WORDS).map(|(word, at)| (word.as_str(), *at))),
    }
    words.extend(launch.command.iter().filter_map(known).take(MOST_WORDS));
    // Who names another entrypoint does without the image's arguments.
    if launch.entrypoint.is_none() && launch.command.is_empty() {
        words.extend(own.arguments.iter().take(MOST_WORDS).map(|(word, at)| (word.as_str(), *at)));
    }
    words.truncate(MOST_WORDS);
    words
}

/// Whether what an image is made for counts for what a launch runs of it.
fn counts(need: &Evidence, place: &LaunchPlace<'_>, work: Work) -> bool {
    let launch = place.launch;
    let script = launch.by == Launcher::DockerRun;
    let open = is_open(launch);
    match (&need.reason, launch.entrypoint.is_some()) {
        (Reason::NeedsGpu { .. }, _) if script && open => false,
        // Words that are no program are arguments for the image's own.
        (Reason::NeedsGpu { .. }, false) => work == Work::Framework || work == Work::Arguments || launch.command.is_empty(),
        (Reason::NeedsGpu { .. }, true) => !script && work == Work::Framework,
        // Who says that it gets none runs it on the CPU.
        _ if launch.gpu == GpuRequest::Declined => false,
        // A variable may choose the CPU.
        _ if place.unread_environment => false,
        _ if is_for_cpu(launch) => false,
        // Scripts run such images for many things.
        _ => !script && !open && work == Work::Framework,
    }
}

/// It is called after the CPU, or what it runs is.
fn is_for_cpu(launch: &Launch) -> bool {
    let words = launch.entrypoint.iter().flatten().chain(&launch.command).filter_map(Text::known).take(MOST_WORDS);
    let names = launch.name.iter().chain(&launch.profiles).map(String::as_str);
    names.chain(words.flat_map(str::split_ascii_whitespace).take(MOST_WORDS)).any(is_called_cpu)
}

/// A word or the choice of a device that is known only when run may say that no GPU is needed.
fn is_open(launch: &Launch) -> bool {
    let unread = launch.entrypoint.iter().flatten().chain(&launch.command).any(|word| is_unread(Some(word)));
    unread
        || launch.environment.iter().any(|v| is_choice(&v.name) && v.value.as_ref().is_none_or(|value| value.known().is_none()))
}

fn is_unread(word: Option<&Text>) -> bool {
    word.is_some_and(|word| word.known().is_none())
}

fn known(text: &Text) -> Option<(&str, Span)> {
    Some((text.known()?, text.at))
}

fn reason(at: Span, because: &str) -> Evidence {
    Evidence {
        at,
        reason: Reason::NeedsGpu { because: because.to_owned() },
        also: Vec::new(),
        basis: Basis::Vendor,
        join: Join::Stated,
    }
}

/// What carries CUDA often runs without a GPU, too.
fn made_for(at: Span, because: &str) -> Evidence {
    Evidence { reason: Reason::MadeForGpu { because: because.to_owned() }, ..reason(at, "") }
}

/// A choice of the GPU, or `nvidia-smi`.
fn by_words(words: &[(&str, Span)]) -> Option<Evidence> {
    if let Some((at, because)) = says_cuda(words.iter().copied()) {
        return Some(reason(at, because));
    }
    let (word, at) = words.first()?;
    (word.rsplit('/').next() == Some("nvidia-smi")).then(|| reason(*at, "it runs nvidia-smi"))
}

fn by_variable(variable: &Variable) -> Option<Evidence> {
    let value = variable.value.as_ref()?;
    let text = value.known()?.trim();
    chooses_gpu(&variable.name, text).then(|| reason(value.at, &format!("{}={text}", variable.name)))
}

/// An image that does nothing without a GPU, one that carries a CUDA build, or a CUDA build that its files choose.
fn by_environment(env: &Environment, launch: &Launch, built_at: Option<Span>) -> Option<Evidence> {
    // A development container is often opened without using its GPU.
    if launch.by == Launcher::Devcontainer {
        return None;
    }
    let mut found = by_image(env).or_else(|| by_build(env))?;
    if let Some(at) = built_at {
        found.also.push((at, Reason::Launched { by: Launcher::DockerBuild }));
    }
    Some(found)
}

fn by_image(env: &Environment) -> Option<Evidence> {
    let image = env.image.as_ref()?;
    let row = image.row?;
    let at = image.evidence.at;
    let found = if row.gpu_only {
        reason(at, &format!("{} does nothing without one", image.reference))
    } else if !row.torch.is_empty() && !row.cuda.is_empty() {
        made_for(at, "its image carries a CUDA build of torch")
    } else if row.gpu_optional {
        let because = format!("{} uses one where there is one", image.reference);
        Evidence { reason: Reason::UsesGpu { because }, ..reason(at, "") }
    } else {
        return None;
    };
    Some(Evidence { basis: row.basis, ..found })
}

fn by_build(env: &Environment) -> Option<Evidence> {
    for component in &env.components {
        let Some(build) = component.builds.only() else { continue };
        let tagged = knowledge::index_by_id(build.index).is_some_and(|i| i.tag.starts_with("cu"));
        let local = build.version.local().is_some_and(|l| l.starts_with("cu"));
        if (tagged || local) && Build::cuda(build).is_some() {
            let because = format!("{} {} is a CUDA build", component.name, build.version);
            let mut found = made_for(component.evidence.at, &because);
            found.also = component.evidence.also.clone();
            return Some(found);
        }
    }
    None
}
