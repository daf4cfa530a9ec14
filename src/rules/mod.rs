//! The rules, one a file. To add one: its file here, its page in `rules/`, its line in [`RULES`].

use crate::diagnostic::{Fix, Severity};
use crate::environment::{Environment, Evidence, Holds, Host, Launched};
use crate::mismatch::Mismatch;
use crate::outline::Outline;
use crate::platform::Os;
use crate::version::DriverVersion;

mod apt_key_rotated;
mod arch_list_missing;
mod capabilities_incomplete;
mod companion_build_mismatch;
mod companion_mismatch;
mod companion_unpinned;
mod conda_may_pick_cpu;
mod conda_no_cuda_at_solve;
mod conda_toolkit_beside_wheel;
mod cpu_build_in_gpu_environment;
mod cuda_major_mix;
mod cuda_paths_disagree;
mod cudnn_major_mix;
mod cudnn_too_old;
mod cupy_cuda_mismatch;
mod driver_in_container;
mod driver_in_wsl;
mod driver_too_old;
mod extension_for_other_torch;
mod find_links_for_other_torch;
mod gpu_not_requested;
mod gpu_request_malformed;
mod gpu_requested_for_cpu_image;
mod image_needs_newer_driver;
mod image_tag_gone;
mod index_shadowed;
mod library_path_shadows_wheel;
mod local_version_without_index;
mod module_installed_twice;
mod no_gpu_build_on_windows;
mod no_kernels_for_gpu;
mod no_nvcc_for_build;
mod no_wheel_for_platform;
mod no_wheel_for_python;
mod nvcc_mismatch;
mod nvidia_pin_conflict;
mod onnxruntime_cuda_mismatch;
mod package_withdrawn;
mod pypi_build_is_cpu;
mod pytorch_channel_frozen;
mod tensorflow_cuda_mismatch;
mod torch_from_conda_and_pip;
mod torch_replaced_later;
mod unknown_wheel_index;
mod unreadable_file;
mod unused_ignore;
mod uv_index_not_explicit;
mod uv_source_not_applied;
mod visible_devices_invalid;
mod visible_devices_unset;
mod wheel_never_published;
mod wheel_tag_index_mismatch;

/// All rules, by name.
pub static RULES: &[&Rule] = &[
    &apt_key_rotated::RULE,
    &arch_list_missing::RULE,
    &capabilities_incomplete::RULE,
    &companion_build_mismatch::RULE,
    &companion_mismatch::RULE,
    &companion_unpinned::RULE,
    &conda_may_pick_cpu::RULE,
    &conda_no_cuda_at_solve::RULE,
    &conda_toolkit_beside_wheel::RULE,
    &cpu_build_in_gpu_environment::RULE,
    &cuda_major_mix::RULE,
    &cuda_paths_disagree::RULE,
    &cudnn_major_mix::RULE,
    &cudnn_too_old::RULE,
    &cupy_cuda_mismatch::RULE,
    &driver_in_container::RULE,
    &driver_in_wsl::RULE,
    &driver_too_old::RULE,
    &extension_for_other_torch::RULE,
    &find_links_for_other_torch::RULE,
    &gpu_not_requested::RULE,
    &gpu_request_malformed::RULE,
    &gpu_requested_for_cpu_image::RULE,
    &image_needs_newer_driver::RULE,
    &image_tag_gone::RULE,
    &index_shadowed::RULE,
    &library_path_shadows_wheel::RULE,
    &local_version_without_index::RULE,
    &module_installed_twice::RULE,
    &no_gpu_build_on_windows::RULE,
    &no_kernels_for_gpu::RULE,
    &no_nvcc_for_build::RULE,
    &no_wheel_for_platform::RULE,
    &no_wheel_for_python::RULE,
    &nvcc_mismatch::RULE,
    &nvidia_pin_conflict::RULE,
    &onnxruntime_cuda_mismatch::RULE,
    &package_withdrawn::RULE,
    &pypi_build_is_cpu::RULE,
    &pytorch_channel_frozen::RULE,
    &tensorflow_cuda_mismatch::RULE,
    &torch_from_conda_and_pip::RULE,
    &torch_replaced_later::RULE,
    &unknown_wheel_index::RULE,
    &unreadable_file::RULE,
    &unused_ignore::RULE,
    &uv_index_not_explicit::RULE,
    &uv_source_not_applied::RULE,
    &visible_devices_invalid::RULE,
    &visible_devices_unset::RULE,
    &wheel_never_published::RULE,
    &wheel_tag_index_mismatch::RULE,
];

/// The rule of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name)
}

/// The rule that may be meant by a name that is none.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    crate::near::nearest(name, RULES.iter().map(|rule| rule.name))
}

/// One rule: a break between two links of the chain.
pub struct Rule {
    /// Its only name: of its file, its page, its suppression, and in every output.
    pub name: &'static str,
    /// The highest severity that a finding of it may have.
    pub level: Severity,
    /// The page `rules/<name>.md`.
    pub page: &'static str,
    /// What must be there for it to speak at all.
    pub needs: Needs,
    /// The check.
    pub check: Check,
}

impl Rule {
    /// The page's first line after the title.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.page.lines().skip(1).find(|line| !line.is_empty()).unwrap_or_default()
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What must be there for a rule to speak.
#[derive(Clone, Copy, Debug)]
pub enum Needs {
    /// The files.
    Nothing,
    /// A host of which this is true.
    Host(fn(&Host) -> bool),
}

impl Needs {
    /// Whether a host is enough for the rule to speak. CUDA has left macOS: no rule speaks of a driver or GPU there.
    #[must_use]
    pub fn meets(self, host: &Host) -> bool {
        match self {
            Self::Nothing => true,
            Self::Host(fits) => host.platform.os != Os::MacOs && fits(host),
        }
    }
}

/// A check, by what it looks at.
#[derive(Clone, Copy)]
pub enum Check {
    /// One file.
    File(fn(&Outline, &mut Out)),
    /// One environment.
    Environment(fn(&Environment, &mut Out)),
    /// One environment, on each host in force, or on none where there is none.
    OnAnyHost(fn(&Environment, Option<&Host>, &mut Out)),
    /// One environment on one host.
    Host(fn(&Environment, &Host, &mut Out)),
    /// One launch.
    Launch(fn(&Launched<'_>, &mut Out)),
    /// The suppressions of a whole run, once everything else is said.
    Suppressions,
    /// Each of these, none of them of this kind.
    All(&'static [Check]),
}

impl Check {
    /// The checks that it is made of.
    pub(crate) fn each(&self) -> &[Check] {
        if let Self::All(all) = self { all } else { std::slice::from_ref(self) }
    }
}

/// Collects what a check finds.
#[derive(Debug, Default)]
pub struct Out(pub(crate) Vec<Clash>);

impl Out {
    /// Reports clashes.
    pub(crate) fn extend(&mut self, clashes: impl IntoIterator<Item = Clash>) {
        self.0.extend(clashes);
    }
    /// Reports a clash.
    pub(crate) fn push(&mut self, clash: Clash) {
        self.0.push(clash);
    }
}

/// Links that cannot all hold. The judge grades and merges it.
#[derive(Clone, Debug)]
pub struct Clash {
    /// The links; the first is the line that a user would change.
    pub of: Vec<Evidence>,
    /// How far it is true.
    pub holds: Holds,
    /// What is wrong, up to what the host has: one line, concrete numbers, no full stop.
    pub message: String,
    /// What the host has, with which the judge ends the message.
    pub has: Has,
    /// What to write.
    pub help: Option<String>,
    /// How to mend it.
    pub fix: Option<Fix>,
    /// Caps the severity of this clash below the rule's.
    pub at_most: Severity,
    /// The driver that would satisfy it: where several rules see the same host, the highest bound speaks.
    pub bound: Option<DriverVersion>,
}

/// What of a host does not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Has {
    /// No host takes part, or it is not told apart from others.
    #[default]
    Nothing,
    /// Its driver: `470.82.01`.
    Driver(String),
    /// A GPU.
    Gpu {
        /// As written.
        name: String,
        /// `sm_70`.
        sm: String,
    },
}

impl Has {
    /// The driver that does not fit.
    pub(crate) fn driver(&self) -> Option<&str> {
        if let Self::Driver(driver) = self { Some(driver) } else { None }
    }
    /// The GPU that does not fit, with its compute capability.
    pub(crate) fn gpu(&self) -> Option<String> {
        match self {
            Self::Gpu { name, sm } if name == sm => Some(sm.clone()),
            Self::Gpu { name, sm } => Some(format!("{name} ({sm})")),
            Self::Nothing | Self::Driver(_) => None,
        }
    }
}

impl From<Mismatch> for Clash {
    fn from(found: Mismatch) -> Self {
        Self::new(found.holds, found.message, found.links).help(found.help)
    }
}

impl Clash {
    /// A clash of these links, as far as `holds` says.
    pub(crate) fn new(holds: Holds, message: impl Into<String>, of: Vec<Evidence>) -> Self {
        let (message, has) = (message.into(), Has::Nothing);
        Self { of, holds, message, has, help: None, fix: None, at_most: Severity::Error, bound: None }
    }
    /// Says what of the host does not fit.
    pub(crate) fn host_has(mut self, has: Has) -> Self {
        self.has = has;
        self
    }
    /// Says what to write.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// Caps the severity.
    pub(crate) fn at_most(mut self, level: Severity) -> Self {
        self.at_most = level;
        self
    }
}
