//! Reasons in words: what stands beside a label. *Where and because*, no full stop.

use crate::diagnostic::Label;
use crate::environment::Reason;
use crate::knowledge::Library;
use crate::outline::Launcher;
use crate::secret::masked;

/// The text of a label. What a file says in it is masked by itself: of the words around it none is a secret.
pub(super) fn of(label: &Label) -> String {
    match &label.required {
        Some(required) => format!("{}: {}", words(required), words(&label.reason)),
        None => words(&label.reason),
    }
}

fn words(reason: &Reason) -> String {
    match reason {
        Reason::Asked { package, wants } if wants.is_empty() => format!("{package} is asked for, in any version"),
        Reason::Asked { package, wants } => format!("{package}{} is asked for", masked(wants)),
        Reason::Comes { package, version, index, cuda, today } => comes(package, version, index, cuda, *today),
        Reason::Carries { build, kernels } => format!("{} carries {kernels}", masked(build)),
        Reason::Requires { by, what } => format!("{by} requires {}", masked(what)),
        Reason::MayBeThere { package } => format!("{} may be there already", package.trim_start_matches("conda:")),
        Reason::InstalledBy => "installed here".to_owned(),
        Reason::BroughtBy { path } => format!("{path} comes in here"),
        Reason::Index { index } => format!("packages come from {}", index_name(index)),
        Reason::Image { image, cuda } if cuda.is_empty() => format!("stands on {}", masked(image)),
        Reason::Image { image, cuda } => format!("{} carries CUDA {cuda}", masked(image)),
        Reason::Brings { what, library, version } => format!("{} brings {} {version}", masked(what), library_name(*library)),
        Reason::Needs { what, library, version } => format!("{} needs {} {version}", masked(what), library_name(*library)),
        Reason::Nvcc { by, cuda } if cuda.is_empty() => format!("{} brings nvcc", masked(by)),
        Reason::Nvcc { by, cuda } => format!("{} brings the nvcc of CUDA {cuda}", masked(by)),
        Reason::Compiles { what } => format!("{} is compiled here", masked(what)),
        Reason::Python { python } => format!("the Python is {}", masked(python)),
        Reason::Puts { what } => format!("{} is put here", masked(what)),
        Reason::Demand { demand } => format!("the image demands {}", masked(demand)),
        Reason::ReleaseNotes { driver } => format!("its release notes ask for driver {driver} or newer"),
        Reason::Variable { name } => format!("{name} is set here"),
        Reason::Holds { name, value } => masked(&format!("{name}={value}")).replacen('=', " is ", 1) + " here",
        Reason::NeedsGpu { because } => format!("needs a GPU: {}", masked(because)),
        Reason::MadeForGpu { because } | Reason::UsesGpu { because } => masked(because).into_owned(),
        Reason::Launched { by } => launched(*by).to_owned(),
        Reason::HostDriver => "the host's driver".to_owned(),
        Reason::HostGpu { name, sm: None } if name.is_empty() => "the host's GPU".to_owned(),
        Reason::HostGpu { name, sm: None } => format!("the host has {name}"),
        Reason::HostGpu { name, sm: Some(sm) } => {
            let exact = if sm.exact { "a" } else { "" };
            match format!("sm_{}{}{exact}", sm.major, sm.minor) {
                sm if sm == *name => format!("the host's GPU is {sm}"),
                sm => format!("the host's {name} is {sm}"),
            }
        }
        Reason::Torn(why) => masked(why).into_owned(),
        Reason::Here => "here".to_owned(),
    }
}

fn comes(package: &str, version: &str, index: &str, cuda: &str, today: bool) -> String {
    // The channel tells a conda package from a wheel.
    let mut text = format!("{} {version}", package.trim_start_matches("conda:"));
    // A file's address stands beside it.
    if !index.is_empty() && index != "url" {
        text += &format!(" from {}", index_name(index));
    }
    if today {
        text += ", picked today,";
    }
    match (cuda, today) {
        ("", true) => text.trim_end_matches(',').to_owned(),
        ("", false) => text + " is taken",
        _ => text + &format!(" brings CUDA {cuda}"),
    }
}

fn library_name(library: Library) -> &'static str {
    match library {
        Library::Cuda => "CUDA",
        Library::Cudnn => "cuDNN",
        Library::Nccl => "NCCL",
        Library::Cublas => "cuBLAS",
        Library::NvJitLink => "nvJitLink",
        Library::TensorRt => "TensorRT",
    }
}

fn launched(by: Launcher) -> &'static str {
    match by {
        Launcher::Compose => "this service is started",
        Launcher::DockerRun | Launcher::Slurm | Launcher::Apptainer => "started here",
        Launcher::DockerBuild => "built here",
        Launcher::Kubernetes => "this container is started",
        Launcher::Devcontainer => "the development container is started",
    }
}

/// An index id as people say it; an address stays as it is.
fn index_name(index: &str) -> String {
    match index.split_once('/') {
        None if index == "pypi" => "PyPI".to_owned(),
        Some(("pytorch", "flat")) => "PyTorch's page of wheels".to_owned(),
        Some(("pytorch", tag)) => match tag.strip_prefix("nightly/") {
            Some(tag) => format!("the nightly {tag} index"),
            None => format!("the {tag} index"),
        },
        Some(("conda", channel)) => format!("conda's {channel} channel"),
        Some(("ort", tag)) => format!("onnxruntime's {tag} index"),
        Some((owner, tag)) if !index.contains("://") => format!("{owner}'s {tag} index"),
        _ => masked(index).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Sm;

    #[test]
    fn reasons_read_as_people_speak() {
        let comes = |index: &str, cuda: &str, today| Reason::Comes {
            package: "torch".into(),
            version: "2.1.0".into(),
            index: index.into(),
            cuda: cuda.into(),
            today,
        };
        for (reason, text) in [
            (comes("pypi", "12.1", false), "torch 2.1.0 from PyPI brings CUDA 12.1"),
            (comes("pypi", "12.1", true), "torch 2.1.0 from PyPI, picked today, brings CUDA 12.1"),
            (comes("pytorch/cu121", "", true), "torch 2.1.0 from the cu121 index, picked today"),
            (comes("", "", false), "torch 2.1.0 is taken"),
            (comes("url", "12.1", false), "torch 2.1.0 brings CUDA 12.1"),
            (Reason::MayBeThere { package: "conda:pytorch".into() }, "pytorch may be there already"),
            (comes("pytorch/nightly/cu128", "12.8", false), "torch 2.1.0 from the nightly cu128 index brings CUDA 12.8"),
            (comes("ort/cuda-12", "", false), "torch 2.1.0 from onnxruntime's cuda-12 index is taken"),
            (comes("paddle/cu118", "11.8", false), "torch 2.1.0 from paddle's cu118 index brings CUDA 11.8"),
            (comes("https://pypi.example/simple", "", false), "torch 2.1.0 from https://pypi.example/simple is taken"),
            (
                Reason::Brings { what: "libcudnn8".into(), library: Library::Cudnn, version: "8.9.6".into() },
                "libcudnn8 brings cuDNN 8.9.6",
            ),
            (
                Reason::Needs { what: "ctranslate2 4.4.0".into(), library: Library::Cudnn, version: "8".into() },
                "ctranslate2 4.4.0 needs cuDNN 8",
            ),
            (
                Reason::Nvcc { by: "cuda-toolkit-12-4".into(), cuda: "12.4".into() },
                "cuda-toolkit-12-4 brings the nvcc of CUDA 12.4",
            ),
            (Reason::Nvcc { by: "cuda-toolkit".into(), cuda: String::new() }, "cuda-toolkit brings nvcc"),
            (Reason::Compiles { what: "flash-attn".into() }, "flash-attn is compiled here"),
            (Reason::HostDriver, "the host's driver"),
            (Reason::ReleaseNotes { driver: "545.23".into() }, "its release notes ask for driver 545.23 or newer"),
            (Reason::MadeForGpu { because: "its image carries CUDA".into() }, "its image carries CUDA"),
            (
                Reason::HostGpu { name: "RTX 4090".into(), sm: Some(Sm { major: 8, minor: 9, exact: false }) },
                "the host's RTX 4090 is sm_89",
            ),
            (
                Reason::HostGpu { name: "sm_90".into(), sm: Some(Sm { major: 9, minor: 0, exact: false }) },
                "the host's GPU is sm_90",
            ),
            (Reason::Asked { package: "torch".into(), wants: String::new() }, "torch is asked for, in any version"),
            (Reason::Asked { package: "torch".into(), wants: "==2.1.0".into() }, "torch==2.1.0 is asked for"),
        ] {
            assert_eq!(words(&reason), text);
        }
    }
}
