//! What is started, and the GPU it asks for.

use super::{Malformed, Outline, Text, Variable};
use crate::source::Span;

/// Something is started: a compose service, a pod's container, `docker run`.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// By what.
    pub by: Launcher,
    /// The service, pod or container name.
    pub name: Option<String>,
    /// Where a finding about it is placed: the service's key, the `docker` word, the container's entry.
    pub key: Span,
    /// The image it runs; of what is only built, the name that it gets.
    pub image: Option<Text>,
    /// Or the Dockerfile that is built for it.
    pub build: Option<BuildOf>,
    /// The platforms it is built for, or runs on (`linux/arm64`, or several with commas); none: whatever the machine has.
    pub platforms: Vec<Text>,
    /// The GPU it asks for.
    pub gpu: GpuRequest,
    /// What that request says besides.
    pub terms: Terms,
    /// Where it asks in a way that is refused or read otherwise.
    pub malformed: Vec<Malformed>,
    /// It gets that in a way in which nothing asks what the image demands of the driver; see [`Launch::by_device`].
    pub unchecked: bool,
    /// Arguments after the image, or `command:`/`args:`, word by word.
    pub command: Vec<Text>,
    /// `--entrypoint`, `entrypoint:`, Kubernetes' `command:`.
    pub entrypoint: Option<Vec<Text>>,
    /// Folders of the machine that lie in it.
    pub mounts: Vec<Mount>,
    /// The machine's own folders lie in it, all of them in their places, and its command begins where the launch happens.
    pub shares_files: bool,
    /// The folder that its command begins in, where that is not the image's (`working_dir`, `-w`).
    pub folder: Option<Text>,
    /// The service of another file that it stands on (`extends`).
    pub extends: Option<Extends>,
    /// It is started only where one of these is asked for; where there are none, always.
    pub profiles: Vec<String>,
    /// Variables given to it.
    pub environment: Vec<Variable>,
    /// Files of variables given to it, before those (`env_file`); relative to the file that says so.
    pub environment_files: Vec<Text>,
    /// More variables come from where nothing is read (`envFrom: [{secretRef}]`).
    pub unread_environment: bool,
    /// Objects whose variables it is given, by name (`envFrom: [{configMapRef}]`); those of its own come after these.
    pub config_maps: Vec<String>,
    /// The pod that it belongs to: of its containers one is enough to say that a GPU is missing.
    pub pod: Option<Span>,
    /// The object of a manifest that makes it.
    pub object: Option<Object>,
    /// A word that asks for a GPU node without asking for the GPU (Kubernetes nodeSelector, affinity).
    pub gpu_node: Option<Text>,
    /// What the nodes that it is sent to must have.
    pub nodes: Vec<Node>,
    /// An argument could not be read (`$GPU_ARGS`, an array, `extends`): absence proves nothing.
    pub open: bool,
    /// Nothing of it uses a GPU: it has no replicas, only prints its help, or is made and never started.
    pub idle: bool,
    /// It is only made (`docker create`).
    pub made: bool,
}

impl Launch {
    /// One of which nothing is said yet.
    #[must_use]
    pub fn new(by: Launcher, key: Span) -> Self {
        Self {
            by,
            name: None,
            key,
            image: None,
            build: None,
            platforms: Vec::new(),
            gpu: GpuRequest::None,
            terms: Terms::default(),
            malformed: Vec::new(),
            unchecked: false,
            command: Vec::new(),
            entrypoint: None,
            mounts: Vec::new(),
            shares_files: false,
            folder: None,
            extends: None,
            profiles: Vec::new(),
            environment: Vec::new(),
            environment_files: Vec::new(),
            unread_environment: false,
            config_maps: Vec::new(),
            pod: None,
            object: None,
            gpu_node: None,
            nodes: Vec::new(),
            open: false,
            idle: false,
            made: false,
        }
    }
    /// Whether a GPU's devices and driver may be there when it runs.
    #[must_use]
    pub fn may_have_gpu(&self) -> bool {
        // Where the `nvidia` runtime is the default one, this variable asks.
        let chosen = |v: &Variable| v.name == VISIBLE && !hides(v);
        !self.idle && (self.gpu.is_asked() || self.open || self.environment.iter().any(chosen))
    }
    /// Whether these variables, the last of a name the one that holds, keep the `nvidia` runtime from giving any GPU. A request
    /// of Docker's own (`--gpus`) sets the variable anew, behind those that are given, or does without it:
    /// <https://github.com/moby/moby/blob/18a2f3f01538afa4c631c2b09f898dd3d8a8168d/daemon/nvidia_linux.go>,
    /// <https://github.com/moby/moby/blob/b985e2313a8676e18072b442911fc8f64f17d440/daemon/devices_nvidia_linux.go>. Of several the
    /// runtime takes the last:
    /// <https://github.com/NVIDIA/nvidia-container-toolkit/blob/d34b3046758cb1a5db606b2a39519c731bbf9f56/internal/config/image/builder.go>.
    #[must_use]
    pub fn hides_gpus<'v>(environment: impl IntoIterator<Item = &'v Variable>) -> bool {
        environment.into_iter().filter(|v| v.name == VISIBLE).last().is_some_and(hides)
    }
    /// Asks for a GPU as a device: by its name in CDI, or by its file. The container's engine puts that in by itself; what the
    /// image demands (`NVIDIA_REQUIRE_CUDA`) is asked by the hook of NVIDIA's toolkit in its `legacy` mode only:
    /// <https://github.com/moby/moby/blob/b985e2313a8676e18072b442911fc8f64f17d440/daemon/cdi.go>,
    /// <https://github.com/NVIDIA/nvidia-container-toolkit/blob/d34b3046758cb1a5db606b2a39519c731bbf9f56/cmd/nvidia-container-runtime-hook/main.go>.
    pub fn by_device(&mut self, at: Span) {
        self.unchecked |= !matches!(self.gpu, GpuRequest::Asked(_));
        self.gpu = GpuRequest::Asked(at);
    }
    /// Asks for a GPU of NVIDIA's runtime or hook, which hold it against what the image demands.
    pub fn by_hook(&mut self, at: Span) {
        self.unchecked = false;
        self.gpu = GpuRequest::Asked(at);
    }
    /// Whether these variables make the `nvidia` runtime put the GPUs in by CDI:
    /// <https://github.com/NVIDIA/nvidia-container-toolkit/blob/d34b3046758cb1a5db606b2a39519c731bbf9f56/internal/info/auto.go>.
    #[must_use]
    pub fn names_devices<'v>(environment: impl IntoIterator<Item = &'v Variable>) -> bool {
        let last = environment.into_iter().filter(|v| v.name == VISIBLE).last();
        let devices = last.and_then(|v| v.value.as_ref()?.known());
        devices.is_some_and(|devices| devices.split(',').all(|device| device.contains('/') && device.contains('=')))
    }
    /// Whether it may be given more variables than stand at it or in its files.
    #[must_use]
    pub fn is_given_more(&self) -> bool {
        self.unread_environment || !self.config_maps.is_empty()
    }
    /// Whether these words only ask a program for its help or version.
    #[must_use]
    pub fn only_tells(entrypoint: Option<&[Text]>, command: &[Text]) -> bool {
        let mut words = entrypoint.unwrap_or_default().iter().chain(command).filter_map(Text::known);
        let alone = || matches!(command, [word] if word.known() == Some("-h"));
        words.any(|word| matches!(word, "--help" | "--version")) || alone()
    }
}

/// Which GPUs the `nvidia` runtime gives: <https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html>.
const VISIBLE: &str = "NVIDIA_VISIBLE_DEVICES";

fn hides(variable: &Variable) -> bool {
    matches!(variable.value.as_ref().and_then(Text::known), Some("" | "void" | "none"))
}

/// Compose files that are read together; relative to the working directory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together {
    /// Those, the last of which has the last word; none: the usual ones of the working directory.
    pub files: Vec<Text>,
    /// Files of variables that stand in them (`--env-file`), in the place of `.env`.
    pub environment_files: Vec<Text>,
}

impl Together {
    /// Those files.
    #[must_use]
    pub fn of(files: Vec<Text>) -> Self {
        Self { files, ..Self::default() }
    }
}

/// A folder or file of the machine that lies in a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// Which; relative to the file that says so (compose) or to the working directory (a command).
    pub from: Text,
    /// Where in the container.
    pub to: Text,
}

/// A service of another file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Extends {
    /// The file, relative to the one that says so.
    pub file: Text,
    /// Its name there.
    pub service: String,
}

/// A label that a node must have, with one of these values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Its key.
    pub label: String,
    /// Those.
    pub values: Vec<Text>,
}

/// What a manifest calls an object, and patches of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object {
    /// `Deployment`; empty for a patch of all kinds.
    pub kind: String,
    /// Its name; empty where none is written.
    pub name: String,
}

/// An object that holds variables for containers (`ConfigMap`).
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigMap {
    /// Its name.
    pub name: String,
    /// Those.
    pub variables: Vec<Variable>,
    /// Whether it holds no others.
    pub whole: bool,
}

/// A manifest is changed before it is applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Of which objects; where nothing is said, the patch's own text may say it.
    pub of: Object,
    /// What is changed.
    pub change: Change,
}

/// Where a change is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// In a file.
    File(Text),
    /// Here.
    Here(Span),
    /// Not known.
    Unknown,
}

/// What starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Launcher {
    /// A compose service.
    Compose,
    /// `docker run`, `podman run`, `nvidia-docker run`.
    DockerRun,
    /// `docker build -t X`: starts nothing, but names an image for its Dockerfile.
    DockerBuild,
    /// A Kubernetes container.
    Kubernetes,
    /// `devcontainer.json`.
    Devcontainer,
    /// `srun --container-image`, `shifter`.
    Slurm,
    /// `apptainer exec`, `singularity run`.
    Apptainer,
}

/// A Dockerfile to build.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildOf {
    /// The folder.
    pub context: Text,
    /// The Dockerfile, relative to the context (compose), to the file that says so (dev container) or to the working directory
    /// (`docker build -f`).
    pub dockerfile: Option<Text>,
    /// What stands here in place of a Dockerfile (`dockerfile_inline`).
    pub inline: Option<Box<Inline>>,
    /// The stage.
    pub target: Option<Text>,
    /// Build arguments; of one without a value it is not known.
    pub arguments: Vec<Variable>,
    /// More of them come from where nothing is read.
    pub unread_arguments: bool,
    /// What takes the place of stages and images of these names (`--build-context base=docker-image://x`).
    pub contexts: Vec<(String, Text)>,
}

impl BuildOf {
    /// Of a folder, with nothing else said.
    pub(crate) fn of(context: Text) -> Self {
        Self {
            context,
            dockerfile: None,
            inline: None,
            target: None,
            arguments: Vec::new(),
            unread_arguments: false,
            contexts: Vec::new(),
        }
    }
}

/// A Dockerfile that stands in another file.
#[derive(Clone, Debug, PartialEq)]
pub struct Inline {
    /// What it is called in the root: `compose.yml[service]`.
    pub path: String,
    /// What it says; its places are those of the file around it.
    pub outline: Outline,
}

/// How a launch asks for a GPU.
#[derive(Clone, Debug, PartialEq)]
pub enum GpuRequest {
    /// Not at all.
    None,
    /// None, in so many words (`nvidia.com/gpu: 0`).
    Declined,
    /// At that place.
    Asked(Span),
    /// "If there is one" (`hostRequirements.gpu: optional`).
    Optional(Span),
}

/// What a request for GPUs says of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// It is the `nvidia` runtime alone that is asked, which gives those that `NVIDIA_VISIBLE_DEVICES` names.
    pub by_runtime: bool,
    /// The container sees the devices of the whole machine, whatever it is given.
    pub privileged: bool,
    /// How many are given, where that is said.
    pub count: Option<u32>,
    /// Parts of the driver that are asked for by name, as `NVIDIA_DRIVER_CAPABILITIES` names them; empty = none is.
    pub capabilities: Vec<String>,
}

impl Terms {
    /// Those of a request for a number of GPUs (`2`, `all`), for these, with these capabilities. Of capabilities Docker hands on
    /// those that it knows for NVIDIA's: <https://github.com/moby/moby/blob/18a2f3f01538afa4c631c2b09f898dd3d8a8168d/daemon/nvidia_linux.go>.
    #[must_use]
    pub fn of<'c>(count: Option<&str>, devices: Option<usize>, capabilities: impl IntoIterator<Item = &'c str>) -> Self {
        let named = devices.and_then(|devices| u32::try_from(devices).ok());
        let count = named.or_else(|| count?.parse().ok().filter(|count| *count > 0));
        let capabilities = capabilities.into_iter().map(str::trim).filter(|name| CAPABILITIES.contains(name));
        Self { count, capabilities: capabilities.map(str::to_owned).collect(), ..Self::default() }
    }
}

/// Those that Docker takes for NVIDIA's.
const CAPABILITIES: &[&str] = &["compute", "compat32", "graphics", "utility", "video", "display"];

impl GpuRequest {
    /// Whether it may get one.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        matches!(self, Self::Asked(_) | Self::Optional(_))
    }
}
