//! Requests for a GPU that do not reach what they are written for.

use crate::source::Span;

/// A request for a GPU that the program it is written for refuses or reads otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Where it is written.
    pub at: Span,
    /// What is wrong with it.
    pub how: Misread,
}

/// How a request is refused or read otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misread {
    /// An option of `docker run` and its value in one word, which is taken for the option's name.
    OneWord {
        /// `--gpus`.
        option: String,
        /// `all`; `None` where it is not known.
        value: Option<String>,
    },
    /// `docker run` has no option of that name: `--gpu`.
    NoOption(String),
    /// Of docker's commands `build` knows no such option.
    NotOfBuild(String),
    /// A value of `--gpus` with a list that is not quoted: its commas part it.
    Unquoted {
        /// `device=0,1`.
        value: String,
        /// The list that was meant: `device=0,1`.
        list: String,
        /// What of it is taken for a count of GPUs: `1`.
        count: String,
        /// Docker takes it all the same, and gives other GPUs.
        taken: bool,
    },
    /// A value of `--gpus` that docker cannot read.
    Value(String),
    /// A key stands where nobody looks for it.
    Misplaced {
        /// The key: `gpus`.
        key: String,
        /// What it stands in.
        within: Within,
    },
    /// A device request of Compose without `capabilities`.
    NoCapabilities,
    /// A device request with both `count` and `device_ids`.
    CountAndIds,
    /// A value of another form than its key takes.
    Form {
        /// The key: `device_ids`.
        key: String,
        /// What it takes.
        takes: Takes,
    },
    /// Kubernetes: it is requested and has no limit.
    NoLimit {
        /// `nvidia.com/gpu`.
        resource: String,
        /// `1`.
        request: String,
    },
    /// Kubernetes: what is requested is not the limit.
    Unequal {
        /// `nvidia.com/gpu`.
        resource: String,
        /// `1`.
        request: String,
        /// `2`.
        limit: String,
    },
    /// Kubernetes: a part of one.
    Fraction {
        /// `nvidia.com/gpu`.
        resource: String,
        /// `0.5`.
        count: String,
    },
}

impl Misread {
    /// What of it is written so in the file.
    #[must_use]
    pub fn written(&self) -> Vec<&str> {
        match self {
            Self::OneWord { option, value } => vec![option, value.as_deref().unwrap_or_default()],
            Self::NoOption(text) | Self::NotOfBuild(text) | Self::Value(text) => vec![text],
            Self::Unquoted { value, .. } => vec![value],
            Self::Misplaced { key, .. } | Self::Form { key, .. } => vec![key],
            Self::NoCapabilities | Self::CountAndIds => Vec::new(),
            Self::NoLimit { resource, request } => vec![resource, request],
            Self::Unequal { resource, request, limit } => vec![resource, request, limit],
            Self::Fraction { resource, count } => vec![resource, count],
        }
    }
}

/// What a misplaced key stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// A compose file itself.
    File,
    /// Its list of services.
    Services,
    /// A service.
    Service,
    /// A service's `build`.
    Build,
    /// A service's `deploy`.
    Deploy,
    /// `deploy.resources`.
    Resources,
    /// `deploy.resources.limits`.
    Limits,
    /// `deploy.resources.reservations`.
    Reservations,
    /// An entry of `deploy.resources.reservations.devices`.
    DeviceRequest,
    /// An entry of a service's `devices`.
    Device,
    /// A container of a pod.
    Container,
    /// A container's `resources`.
    ContainerResources,
    /// An object of Kubernetes around the specification of its pod.
    Object,
}

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// `all` or a list of device requests.
    AllOrRequests,
    /// A list of device requests.
    Requests,
    /// A list.
    List,
    /// A list of texts.
    Texts,
    /// `all` or a whole number.
    Count,
    /// A whole number.
    Number,
}
