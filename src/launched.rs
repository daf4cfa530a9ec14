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
    let own: Vec<(&str, Span)> = command.iter().take(MOST_WORDS).map(|(word, at)| (word.as_str(), *at)).collect();
    let words: Vec<(&str, Span)> = launch.command.iter().chain(launch.entrypoint.iter().flatten()).filter_map(known).collect();
    let alone = launch.command.is_empty() && launch.entrypoint.is_none();
    let on_cuda = by_words(&words);
    let own_counts = launch.entrypoint.is_none() && on_cuda.is_none();
    let baked = environments.iter().flat_map(|env| &env.variables);
    let baked = baked.filter_map(|(name, set)| Some((name.as_str(), set.value.as_deref()?)));
    let given = launch.environment.iter().filter_map(|v| Some((v.name.as_str(), v.value.as_ref()?.known()?)));
    if says_cpu(&words) || own_counts && says_cpu(&own) || given.chain(baked).any(|(name, value)| hides_gpus(name, value)) {
        return Launched { by: launch.by, name: launch.name.clone(), at: launch.key, needs: Vec::new(), asks };
    }
    needs.extend(on_cuda);
    needs.extend(launch.environment.iter().filter_map(by_variable));
    if alone {
        needs.extend(by_words(&own));
    }
    let other_work = is_shell(&words) || is_cpu_program(&words) || alone && is_cpu_program(&own);
    if launch.entrypoint.is_none() && !other_work {
        let open = is_open(launch);
        let counts = |found: &Evidence| match (&found.reason, launch.by) {
            (Reason::NeedsGpu { .. }, Launcher::DockerRun) => !open,
            (Reason::NeedsGpu { .. }, _) => true,
            // Scripts run such images for many things.
            (_, Launcher::DockerRun) => false,
            _ => !open,
        };
        needs.extend(environments.iter().filter_map(|env| by_environment(env, launch, place.built_at)).filter(counts));
    }
    needs.dedup_by(|a, b| a.at == b.at);
    Launched { by: launch.by, name: launch.name.clone(), at: launch.key, needs, asks }
}

/// A word or the choice of a device that is known only when run may say that no GPU is needed.
fn is_open(launch: &Launch) -> bool {
    let unread = launch.command.iter().any(|word| word.known().is_none());
    let chooses = |v: &Variable| v.name.to_ascii_uppercase().ends_with("DEVICE") || v.name.ends_with("_VISIBLE_DEVICES");
    unread || launch.environment.iter().any(|v| chooses(v) && v.value.as_ref().is_none_or(|value| value.known().is_none()))
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

/// `--device cpu`, `device=auto`, `--no-cuda`, `--cuda false`; also within the one word of a shell's `-c`.
fn says_cpu(words: &[(&str, Span)]) -> bool {
    let mut before = "";
    for word in words.iter().flat_map(|(word, _)| word.split_ascii_whitespace()).take(MOST_WORDS) {
        let word = word.trim_matches(['"', '\'']);
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value),
            None if before.starts_with('-') => (before, word),
            None => ("", ""),
        };
        if is_cpu_flag(word) || hides_gpus(name, value) || chooses_cpu(name, value) {
            return true;
        }
        before = word;
    }
    false
}

fn is_cpu_flag(word: &str) -> bool {
    let flags = [
        "cpu",
        "cpu-only",
        "use-cpu",
        "force-cpu",
        "no-cuda",
        "nocuda",
        "disable-cuda",
        "no-use-cuda",
        "no-gpu",
        "nogpu",
        "disable-gpu",
        "no-use-gpu",
    ];
    word.starts_with('-') && flags.contains(&word.trim_start_matches('-').replace('_', "-").to_ascii_lowercase().as_str())
}

/// `--device` and `cpu`, `--use-cuda` and `false`.
fn chooses_cpu(option: &str, value: &str) -> bool {
    let option = option.trim_start_matches('-').to_ascii_lowercase();
    let value = value.to_ascii_lowercase();
    let device = option == "d" || ["device", "accelerator"].iter().any(|name| option.ends_with(name));
    let gpu = option.ends_with("cuda") || option.ends_with("gpu") || option.ends_with("gpus");
    device && (value == "auto" || value.split(':').next() == Some("cpu")) || gpu && is_no(&value)
}

fn is_no(value: &str) -> bool {
    ["false", "0", "no", "off", "none"].iter().any(|no| value.eq_ignore_ascii_case(no))
}

/// `CUDA_VISIBLE_DEVICES=`, `DEVICE=cpu`, `USE_CUDA=0`, `FORCE_CPU=1`.
fn hides_gpus(name: &str, value: &str) -> bool {
    let value = value.trim();
    match name.trim_start_matches('-').to_ascii_uppercase().as_str() {
        "CUDA_VISIBLE_DEVICES" => value.is_empty() || value.starts_with('-') || value.eq_ignore_ascii_case("none"),
        "NVIDIA_VISIBLE_DEVICES" => ["none", "void"].contains(&value),
        "NO_CUDA" | "NO_GPU" | "FORCE_CPU" | "USE_CPU" | "CPU_ONLY" => !value.is_empty() && !is_no(value),
        variable => {
            let device = variable.ends_with("DEVICE") && chooses_cpu("device", value);
            device || ["CUDA", "USE_CUDA", "GPU", "USE_GPU", "ENABLE_GPU", "ENABLE_CUDA"].contains(&variable) && is_no(value)
        }
    }
}

/// A program that never looks at a GPU.
fn is_cpu_program(words: &[(&str, Span)]) -> bool {
    let programs = [
        "alembic",
        "manage",
        "tensorboard",
        "nginx",
        "redis-server",
        "redis-cli",
        "postgres",
        "mlflow",
        "flower",
        "http.server",
        "django-admin",
        "aws",
        "gsutil",
        "huggingface-cli",
        "hf",
        "git",
        "rsync",
        "node",
        "npm",
        "sshd",
        "caddy",
        "haproxy",
    ];
    let mut words = words.iter().map(|(word, _)| *word);
    let name = |word: &str| {
        let file = word.rsplit('/').next().unwrap_or(word);
        file.strip_suffix(".py").unwrap_or(file).to_owned()
    };
    let Some(mut program) = words.next().map(name) else { return false };
    if program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == "python" {
        // The script, or the module behind -m; its own options take no part.
        let Some(script) = words.find(|word| !word.starts_with('-')) else { return false };
        program = name(script);
    }
    let top = program.split('.').next().unwrap_or(&program);
    programs.contains(&program.as_str()) || programs.contains(&top)
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
    let found = match (row.gpu_only, !row.torch.is_empty() && !row.cuda.is_empty()) {
        (true, _) => reason(image.evidence.at, &format!("{} does nothing without one", image.reference)),
        (false, true) => made_for(image.evidence.at, "its image carries a CUDA build of torch"),
        (false, false) => return None,
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
