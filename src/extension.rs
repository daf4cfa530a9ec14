//! Extensions for the GPU that are compiled where they are installed: whether they are, and against what.

use crate::chain;
use crate::environment::{Build, Building, Compiled, Environment, Image, Setting, Toolkit};
use crate::knowledge::{self, Flavour, Nvcc, SourceBuild};
use crate::platform::Pythons;
use crate::version::{CudaVersion, Specifiers};

/// Whether a build compiles code for the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compiles {
    /// It does, or fails.
    Surely,
    /// Only where it finds nvcc and a GPU, or is told to by this variable; else it builds for the CPU and says nothing.
    IfThere(&'static str),
    /// It does not, or that is not known.
    Unknown,
}

/// Whether a build compiles code for the GPU, as it stands in an environment.
pub(crate) fn compiles(env: &Environment, built: &Compiled) -> Compiles {
    match &built.what {
        Building::Program { program, .. } if program == "nvcc" => Compiles::Surely,
        Building::Program { program, arguments } if program == EXTENSION => by_tests(built, arguments),
        Building::Program { .. } => Compiles::Unknown,
        Building::Package { row, wants } => {
            if is_skipped(row, built) || may_come_as_wheel(env, row, wants, built) {
                return Compiles::Unknown;
            }
            match row.nvcc {
                Nvcc::Must => Compiles::Surely,
                Nvcc::Asked(variables) if any_is_on(built, variables) => Compiles::Surely,
                Nvcc::Asked(_) => Compiles::Unknown,
                Nvcc::IfThere => if_there(built, row.forced_by),
            }
        }
    }
}

/// Whether what compiles for the GPU only where one is seen is told to do so anyway, by one of these variables.
fn if_there(built: &Compiled, forced_by: &'static str) -> Compiles {
    match forced_by.split(' ').next() {
        _ if any_is_on(built, forced_by) => Compiles::Surely,
        _ if forced_by.split(' ').any(|variable| built.variables.contains_key(variable)) => Compiles::Unknown,
        first => Compiles::IfThere(first.unwrap_or_default()),
    }
}

/// The same of a project's own script, by the tests under which it calls for its extension.
fn by_tests(built: &Compiled, tests: &[Option<String>]) -> Compiles {
    let has = |test: &str| tests.iter().any(|word| word.as_deref() == Some(test));
    match (has(FORCE), has(TOOLKIT)) {
        (true, _) => if_there(built, FORCE),
        (false, true) if built.toolkits.known.is_empty() => Compiles::IfThere(""),
        _ => Compiles::Surely,
    }
}

/// The variable that projects ask beside `torch.cuda.is_available()`, and the name that tells them where nvcc is.
const FORCE: &str = "FORCE_CUDA";
const TOOLKIT: &str = "CUDA_HOME";

fn any_is_on(built: &Compiled, variables: &str) -> bool {
    variables.split(' ').any(|variable| is_on(built.variables.get(variable)))
}

/// What a project's own script calls to compile for the GPU with torch's help.
const EXTENSION: &str = "CUDAExtension";

/// Whether it is known of an image that it sets none of the variables that builds read.
pub(crate) fn sets_no_variable(image: &Image) -> bool {
    let of_cuda = knowledge::is_of_cuda(&image.reference) || image.reference.starts_with("pytorch/pytorch:");
    of_cuda && image.row.is_some_and(|row| row.flavour != Flavour::None) || knowledge::is_bare(&image.reference)
}

/// What is built, by name.
pub(crate) fn name(built: &Compiled) -> &str {
    match &built.what {
        Building::Package { row, .. } => row.name,
        Building::Program { program, .. } if program == EXTENSION => "the project's CUDA extension",
        Building::Program { program, .. } => program,
    }
}

/// Whether it is compiled against the torch that is there.
pub(crate) fn is_of_torch(built: &Compiled) -> bool {
    match &built.what {
        Building::Package { row, .. } => !row.without_torch,
        Building::Program { program, .. } => program == EXTENSION,
    }
}

/// Whether it is compiled against the torch that is there: an isolated build does not see that. What asks for torch at once and
/// names no requirement of its build cannot be built otherwise.
pub(crate) fn sees_torch(built: &Compiled) -> bool {
    let only_so = match &built.what {
        Building::Package { row, .. } => row.imports_torch && !row.declares_torch,
        Building::Program { .. } => false,
    };
    is_of_torch(built) && (!built.isolated || only_so)
}

/// Whether a variable is set to something that switches on: `1`, `ON`, `-DGGML_CUDA=on`.
fn is_on(setting: Option<&Setting>) -> bool {
    let Some(value) = setting.and_then(|setting| setting.value.as_deref()) else { return false };
    match value.to_ascii_lowercase() {
        // Options of cmake, one of which asks.
        options if options.contains("-d") => ["cuda=on", "cuda=1", "cublas=on", "cublas=1"].iter().any(|on| options.contains(on)),
        value => !matches!(value.as_str(), "" | "0" | "false" | "off" | "no"),
    }
}

/// Whether a variable turns the compilation off: by its one value where the table names that, else by any.
fn is_skipped(row: &SourceBuild, built: &Compiled) -> bool {
    row.skipped_by.split(' ').any(|variable| match variable.split_once('=') {
        Some((name, value)) => built.variables.get(name).is_some_and(|set| set.value.as_deref().is_none_or(|v| v == value)),
        None => built.variables.contains_key(variable),
    })
}

/// Whether the build looks for a wheel of its own first.
pub(crate) fn fetches_wheels(row: &SourceBuild, built: &Compiled) -> bool {
    !row.fetches_wheels_unless.is_empty() && !built.variables.contains_key(row.fetches_wheels_unless)
}

/// Whether the build may find a wheel of its own for the torch and Python that are there.
fn may_come_as_wheel(env: &Environment, row: &SourceBuild, wants: &str, built: &Compiled) -> bool {
    if !fetches_wheels(row, built) {
        return false;
    }
    let pin = Specifiers::parse(wants).ok().and_then(|wants| wants.pin()).map(|pin| pin.public().to_string());
    let torch = torch(env).map(|build| build.version.public());
    let (Some(pin), Some(torch)) = (pin, torch) else { return true };
    let mut rows = knowledge::releases(row.name).iter().filter(|release| release.version == pin).peekable();
    let fits = |release: &'static knowledge::Release| {
        let python = release.pythons.iter().filter_map(|p| Pythons::parse(p)).any(|set| set.meets(env.platform.wheels));
        chain::goes_with(release, "torch", &torch) && (python || release.pythons.is_empty())
    };
    rows.peek().is_none() || rows.any(fits)
}

/// The torch that is there, where it is known.
pub(crate) fn torch(env: &Environment) -> Option<&Build> {
    let torch = env.component("torch").or_else(|| env.component("conda:pytorch")).filter(|there| !there.may_be_another())?;
    torch.builds.only().or_else(|| torch.builds.today())
}

/// The nvcc that a build takes, with the place that says so: by `CUDA_HOME`, by `PATH`, else the last that came, where no other
/// may be there.
/// Source: <https://github.com/pytorch/pytorch/blob/v2.5.1/torch/utils/cpp_extension.py>, `_find_cuda_home`.
pub(crate) fn nvcc<'a>(built: &'a Compiled) -> Option<(CudaVersion, Nvccs<'a>)> {
    let leading = built.toolkits.known.last().filter(|last| last.leads);
    for name in ["CUDA_HOME", "CUDA_PATH", "PATH"] {
        let Some(set) = built.variables.get(name) else { continue };
        // What a module sets is where its own lies.
        if set.written.is_empty() && leading.is_some() {
            continue;
        }
        let folders = set.written.split(':').filter(|folder| name != "PATH" || folder.trim_end_matches('/').ends_with("/bin"));
        if let Some(cuda) = folders.into_iter().find_map(crate::loader::release_of_folder) {
            return Some((cuda, Nvccs::Named(set)));
        }
        // Which one it names is not known.
        if name != "PATH" && !matches!(set.value.as_deref().map(|v| v.trim_end_matches('/')), Some("/usr/local/cuda")) {
            return None;
        }
    }
    let last = leading.or(built.toolkits.known.last().filter(|_| !built.toolkits.open))?;
    Some((last.cuda?, Nvccs::Brought(last)))
}

/// What says which nvcc it is.
pub(crate) enum Nvccs<'a> {
    /// A variable.
    Named(&'a Setting),
    /// What brings it.
    Brought(&'a Toolkit),
}
