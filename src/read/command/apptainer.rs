//! Apptainer, formerly Singularity (<https://apptainer.org/docs/user/latest/cli.html>).

use super::slurm;
use crate::outline::{Does, GpuRequest, Launch, Launcher, Piece, Text};
use crate::source::Span;

/// Options whose value is the next word.
const VALUED: &[&str] = &[
    "-B",
    "--bind",
    "--env",
    "--env-file",
    "-H",
    "--home",
    "--overlay",
    "-o",
    "--pwd",
    "--cwd",
    "-W",
    "--workdir",
    "-S",
    "--scratch",
    "--network",
    "--network-args",
    "--app",
    "--mount",
    "--hostname",
    "--dns",
    "--security",
    "--add-caps",
    "--drop-caps",
    "--fusemount",
    "--pid-file",
    "--apply-cgroups",
    "--pem-path",
    "-c",
    "--config",
    "--memory",
    "--cpus",
];

/// More of those for `build`.
const BUILD_VALUED: &[&str] = &["--build-arg", "--build-arg-file", "--section", "--library"];

/// `$PWD` and the home folder are there by default:
/// <https://apptainer.org/docs/user/latest/bind_paths_and_mounts.html>.
/// `apptainer exec --nv docker://image command`, `apptainer build image.sif docker-daemon:image`.
pub(super) fn apptainer(words: &[Text], _at: Span) -> Vec<Does> {
    let Some((program, mut rest)) = words.split_first() else { return Vec::new() };
    let (mut gpu, mut unchecked) = (GpuRequest::None, false);
    let mut started = false;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        match word.known() {
            // NVIDIA's own tool asks what the image demands; without it Apptainer binds the driver's files:
            // <https://github.com/apptainer/apptainer/blob/917d66577963ca297352a22e13c86f1748ddc645/internal/pkg/util/gpu/nvidia.go>.
            Some(option @ ("--nv" | "--nvccli")) => {
                unchecked = option == "--nv" && (unchecked || gpu == GpuRequest::None);
                gpu = GpuRequest::Asked(word.at);
            }
            Some(option) if VALUED.contains(&option) => rest = rest.get(1..).unwrap_or_default(),
            Some(option) if option.starts_with('-') => {}
            Some("build") if !started => return converted(after, program.at).into_iter().collect(),
            Some("run" | "exec" | "shell" | "test" | "instance" | "start") if !started || word.known() == Some("start") => {
                started = true;
            }
            _ if started => {
                // `APPTAINER_NV=1` and the site's configuration ask for a GPU too.
                let open = gpu == GpuRequest::None;
                let (image, command) = (slurm::image(word).filter(|_| is_docker(word)), rest.to_vec());
                let launch = Launch {
                    image,
                    gpu,
                    unchecked,
                    command,
                    open,
                    shares_files: true,
                    ..Launch::new(Launcher::Apptainer, program.at)
                };
                return vec![Does::Launch(Box::new(launch))];
            }
            _ => return Vec::new(),
        }
    }
    Vec::new()
}

/// An image of this machine's docker that becomes a file; docker does not start it for that.
fn converted(words: &[Text], key: Span) -> Option<Does> {
    let mut rest = words;
    let mut operands = Vec::new();
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        match word.known() {
            Some(option) if VALUED.contains(&option) || BUILD_VALUED.contains(&option) => {
                rest = rest.get(1..).unwrap_or_default()
            }
            Some(option) if option.starts_with('-') => {}
            _ => operands.push(word),
        }
    }
    let [_, source] = operands[..] else { return None };
    let mut image = source.clone();
    if let Piece::Literal(first) = image.pieces.first_mut()? {
        let name = first.strip_prefix("docker-daemon:")?;
        *first = name.trim_start_matches('/').to_owned();
    }
    let launch = Launch { image: Some(image), idle: true, ..Launch::new(Launcher::Apptainer, key) };
    Some(Does::Launch(Box::new(launch)))
}

/// An image of a registry; all other words name files or other libraries.
fn is_docker(word: &Text) -> bool {
    matches!(word.pieces.first(), Some(Piece::Literal(text)) if text.starts_with("docker://"))
}
