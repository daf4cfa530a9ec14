//! What a launch runs, and whether that must have a GPU.

use crate::environment::{Asks, Build, Environment, Evidence, Join, Launched, Reason};
use crate::knowledge::{self, Basis};
use crate::outline::{GpuRequest, Launch, Launcher, Text, Variable};
use crate::project::LaunchPlace;
use crate::source::Span;

/// Of an image's own command these words are looked at: many services may run it.
const MOST_WORDS: usize = 256;

/// Puts a launch together with the environments that it runs; `command` is what their image runs by itself.
pub(crate) fn launched(place: &LaunchPlace<'_>, environments: &[Environment], command: &[(String, Span)]) -> Launched {
    let launch = place.launch;
    let asks = match launch.gpu {
        GpuRequest::Asked(_) => Asks::Yes,
        GpuRequest::Optional(_) => Asks::Unknown,
        GpuRequest::None if launch.open || place.elsewhere.is_some() => Asks::Unknown,
        GpuRequest::None => Asks::No,
    };
    let mut needs: Vec<Evidence> = Vec::new();
    if let Some(node) = &launch.gpu_node {
        needs.push(reason(node.at, "it asks for a node with a GPU"));
    }
    let words: Vec<(&str, Span)> = launch.command.iter().chain(launch.entrypoint.iter().flatten()).filter_map(known).collect();
    needs.extend(by_words(&words));
    needs.extend(launch.environment.iter().filter_map(by_variable));
    let own: Vec<(&str, Span)> = command.iter().take(MOST_WORDS).map(|(word, at)| (word.as_str(), *at)).collect();
    if launch.command.is_empty() && launch.entrypoint.is_none() {
        needs.extend(by_words(&own));
        for env in environments {
            needs.extend(by_environment(env, launch, place.built_at));
        }
    } else if launch.entrypoint.is_none() && !is_shell(&words) && launch.by != Launcher::DockerRun {
        for env in environments {
            needs.extend(by_environment(env, launch, place.built_at));
        }
    }
    needs.dedup_by(|a, b| a.at == b.at);
    Launched { by: launch.by, name: launch.name.clone(), at: launch.key, needs, asks }
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

/// `--device cuda`, `--device=cuda:0`, `nvidia-smi`.
fn by_words(words: &[(&str, Span)]) -> Option<Evidence> {
    let is_cuda = |w: &str| w == "cuda" || w.strip_prefix("cuda:").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let is_device = |w: &str| w.starts_with('-') && w.trim_start_matches('-').ends_with("device") || w == "-d";
    for (i, (word, at)) in words.iter().enumerate() {
        let glued = word.split_once('=').is_some_and(|(option, value)| option.ends_with("device") && is_cuda(value));
        let split = i > 0 && is_cuda(word) && is_device(words[i - 1].0);
        if glued || split {
            return Some(reason(*at, "its command says that it runs on cuda"));
        }
    }
    let (word, at) = words.first()?;
    (*word == "nvidia-smi").then(|| reason(*at, "it runs nvidia-smi"))
}

/// `CUDA_VISIBLE_DEVICES=0`, `DEVICE=cuda`.
fn by_variable(variable: &Variable) -> Option<Evidence> {
    let value = variable.value.as_ref()?;
    let text = value.known()?.trim();
    let chooses = variable.name == "CUDA_VISIBLE_DEVICES" && text.starts_with(|c: char| c.is_ascii_digit() || c == 'G');
    let device = variable.name.ends_with("DEVICE") && (text == "cuda" || text.starts_with("cuda:"));
    (chooses || device).then(|| reason(value.at, &format!("{}={text}", variable.name)))
}

/// A shell, a download, a test: an image that could use a GPU is used without one.
fn is_shell(words: &[(&str, Span)]) -> bool {
    let tools = [
        "bash", "sh", "zsh", "pip", "pip3", "pytest", "wget", "curl", "ls", "cat", "echo", "cp", "rm", "chown", "make", "cmake",
        "true", "sleep", "tail",
    ];
    words.first().is_some_and(|(word, _)| tools.contains(&word.rsplit('/').next().unwrap_or(word)))
}

/// An image that does nothing without a GPU, one that carries a CUDA build, or a CUDA build that its files choose.
fn by_environment(env: &Environment, launch: &Launch, built_at: Option<Span>) -> Option<Evidence> {
    // A development container is often opened without using its GPU.
    if launch.by == Launcher::Devcontainer {
        return None;
    }
    let mut found = by_image(env).or_else(|| by_build(env))?;
    if let Some(at) = built_at {
        found.also.push((at, Reason::Launched { by: launch.by }));
    }
    Some(found)
}

fn by_image(env: &Environment) -> Option<Evidence> {
    let image = env.image.as_ref()?;
    let row = image.row?;
    let carries = !row.torch.is_empty() && !row.cuda.is_empty();
    let because = match (row.gpu_only, carries) {
        (true, _) => format!("{} does nothing without one", image.reference),
        (false, true) => format!("{} carries a CUDA build of torch", image.reference),
        (false, false) => return None,
    };
    Some(Evidence { basis: row.basis, ..reason(image.evidence.at, &because) })
}

fn by_build(env: &Environment) -> Option<Evidence> {
    for component in &env.components {
        let Some(build) = component.builds.only() else { continue };
        let tagged = knowledge::index_by_id(build.index).is_some_and(|i| i.tag.starts_with("cu"));
        let local = build.version.local().is_some_and(|l| l.starts_with("cu"));
        if (tagged || local) && Build::cuda(build).is_some() {
            let because = format!("{} {} is a CUDA build", component.name, build.version);
            let mut found = reason(component.evidence.at, &because);
            found.also = component.evidence.also.clone();
            return Some(found);
        }
    }
    None
}
