//! A framework's release against the CUDA and the cuDNN that its environment provides: the image, the system, modules, conda.

use crate::environment::{Build, Component, Environment, Evidence, Holds, Image, Reason};
use crate::knowledge::{self, Flavour, Library, Release};
use crate::meant;
use crate::parts;
use crate::reach::{self, Needs, Reach, Source};
use crate::version::LibraryVersion;

/// What does not fit, ready to be said.
pub(crate) struct Mismatch {
    /// How far it is true.
    pub(crate) holds: Holds,
    /// What is wrong.
    pub(crate) message: String,
    /// The links; the package is the first.
    pub(crate) links: Vec<Evidence>,
    /// What to write.
    pub(crate) help: String,
}

/// The modules of which a rule of their own says what their environment lacks.
const WITH_OWN_RULE: &[&str] = &["cupy", "onnxruntime", "tensorflow"];

/// Whether a rule of its own says what the environment of a package lacks.
pub(crate) fn has_own_rule(package: &str) -> bool {
    knowledge::module_owner(package).is_some_and(|owner| WITH_OWN_RULE.contains(&owner.module))
}

/// What the packages that own a module do not find in what their environment provides. A stage that is only copied from is not
/// where they run.
pub(crate) fn of_module(env: &Environment, module: &str) -> Vec<Mismatch> {
    if env.thrown_away || meant::for_other_hardware(env) {
        return Vec::new();
    }
    let owns = |component: &&Component| knowledge::module_owner(&component.name).is_some_and(|owner| owner.module == module);
    env.components.iter().filter(owns).filter_map(|component| of_component(env, component)).collect()
}

fn of_component(env: &Environment, component: &Component) -> Option<Mismatch> {
    let cuda = Needs::of(env, component, Library::Cuda)?;
    let reach = Reach::of(env, Library::Cuda, component, false).settled();
    // What runs without a GPU, too, may be there beside what the GPU is for.
    if reach::is_optional(&component.name) && reach.any(|source| source.own) {
        return None;
    }
    if let Some(mut found) = lacking(component, &cuda, &reach, |source| source.provided) {
        found.links.extend(wrong_cudnn(env, component, &found.links));
        return Some(found);
    }
    none(env, component, Library::Cuda, &cuda, &reach.without(is_base_image)).or_else(|| {
        let needs = Needs::of(env, component, Library::Cudnn)?;
        none(env, component, Library::Cudnn, &needs, &Reach::of(env, Library::Cudnn, component, false))
    })
}

/// What looks for the libraries of one CUDA, where all who bring some bring those of another; one of whom `of` admits is told.
pub(crate) fn lacking(component: &Component, needs: &Needs, reach: &Reach, of: impl Fn(&Source) -> bool) -> Option<Mismatch> {
    let unmet = reach.lacks(needs, of)?;
    let what = parts::shown(component);
    // Within one major it is the minor that tells them apart.
    let whole = unmet.need.major() == unmet.brings.major();
    let short = |version: LibraryVersion| if whole { version.to_string() } else { version.major().to_string() };
    let (need, brings) = (short(unmet.need), short(unmet.brings));
    let message =
        format!("{what} looks for the libraries of CUDA {need}, {} brings those of CUDA {}", unmet.by.what, unmet.brings);
    let own = Reason::Needs { what, library: Library::Cuda, version: need.clone() };
    // What its name says rests on what its wheels are.
    let owner = knowledge::module_owner(&component.name).filter(|row| !row.cuda.is_empty());
    let basis = owner.map_or(component.evidence.basis, |row| row.basis);
    let links = vec![Evidence { reason: own, basis, ..component.evidence.clone() }, unmet.by.evidence.clone()];
    let sibling = owner.and_then(|row| knowledge::owner_for(row.module, &brings)).map(str::to_owned);
    let other = || sibling.or_else(|| other_release(&component.name, Library::Cuda, &brings));
    let of = other().unwrap_or_else(|| format!("a {} for CUDA {brings}", component.name));
    let help = if unmet.by.package {
        let other = unmet.by.what.split(' ').next().unwrap_or_default();
        format!("take {of}, or a {other} for CUDA {need}")
    } else {
        format!("take {of}, or provide CUDA {need}")
    };
    Some(Mismatch { holds: unmet.holds, message, links, help })
}

/// The cuDNN that does not fit either, where another place brings it.
fn wrong_cudnn(env: &Environment, component: &Component, told: &[Evidence]) -> Option<Evidence> {
    let needs = Needs::of(env, component, Library::Cudnn)?;
    let reach = Reach::of(env, Library::Cudnn, component, false);
    let by = reach.lacks(&needs, |source| source.provided)?.by.evidence.clone();
    (!told.iter().any(|link| link.at == by.at)).then_some(by)
}

/// It is there in no release at all: a CUDA image, or a GPU that is asked for, says that one is meant.
fn none(env: &Environment, component: &Component, library: Library, needs: &Needs, reach: &Reach) -> Option<Mismatch> {
    let image = env.image.as_ref()?;
    let of_cuda = image.row.is_some_and(|row| row.flavour != Flavour::None);
    if !reach.is_empty() || !of_cuda && env.gpus.is_empty() || meant::is_for_others(env) {
        return None;
    }
    let (need, holds) = needs.picked()?;
    let what = parts::shown(component);
    let wanted = match library {
        Library::Cuda => format!("the libraries of CUDA {}", need.major()),
        _ => format!("cuDNN {}", need.major()),
    };
    let has = if library == Library::Cuda && of_cuda { "has libcudart alone" } else { "has none" };
    let message = format!("{what} looks for {wanted}, {} {has}", image.reference);
    let reason = Reason::Needs { what, library, version: need.to_string() };
    let mut links = vec![Evidence { reason, ..component.evidence.clone() }, image.evidence.clone()];
    links.extend(env.gpus.first().filter(|_| !of_cuda).cloned());
    let with_extras = extras_that_bring(component).map(|extras| format!("take {}[{extras}], or ", component.name));
    let help = format!("{}take {}", with_extras.unwrap_or_default(), with_libraries(image, library, need));
    Some(Mismatch { holds, message, links, help })
}

/// A `base` image has the runtime, and none of the libraries that frameworks compute with.
/// Source: <https://hub.docker.com/r/nvidia/cuda>, "base: Includes the CUDA runtime (cudart)".
fn is_base_image(source: &Source) -> bool {
    !source.package && knowledge::image(&source.what).is_some_and(|row| row.flavour == Flavour::Base)
}

/// What to stand on.
fn with_libraries(image: &Image, library: Library, need: LibraryVersion) -> String {
    let cudnn = if library == Library::Cudnn { format!(" with cuDNN {}", need.major()) } else { String::new() };
    match image.row.filter(|row| row.flavour != Flavour::None) {
        Some(_) if library == Library::Cuda => format!("a runtime image of CUDA {}", need.major()),
        Some(_) => format!("an image of the same CUDA{cudnn}"),
        None => format!("an image of CUDA's{cudnn}"),
    }
}

/// The extras by which the picked release brings parts of CUDA itself: `cuda,cudnn`.
fn extras_that_bring(component: &Component) -> Option<String> {
    let build: &Build = component.builds.only().or_else(|| component.builds.today())?;
    let named = build.release.requires.iter().filter_map(|text| text.strip_prefix("nvidia-")?.split("extra == \"").nth(1));
    let mut extras: Vec<&str> = named.filter_map(|rest| rest.split('"').next()).collect();
    extras.sort_unstable();
    extras.dedup();
    (!extras.is_empty()).then(|| extras.join(","))
}

/// The nearest release of a package that looks for another major of a library: `ctranslate2 4.5.0 or newer`.
pub(crate) fn other_release(package: &str, library: Library, major: &str) -> Option<String> {
    let of_it = |row: &&Release| row.needs.iter().find(|part| part.library == library);
    let fits = |row: &&Release| {
        of_it(row).and_then(|part| LibraryVersion::parse(part.version)).is_some_and(|v| v.major().to_string() == major)
    };
    let rows = knowledge::releases(package);
    let newest = rows.iter().rev().find(|row| of_it(row).is_some())?;
    let name = package.trim_start_matches("conda:");
    if fits(&newest) {
        return rows.iter().find(fits).map(|row| format!("{name} {} or newer", row.version));
    }
    rows.iter().rev().find(fits).map(|row| format!("{name} {} or older", row.version))
}
