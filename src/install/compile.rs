//! Which compilers for CUDA are at hand, what else is put on the system, and what is compiled with all that.

use std::collections::BTreeMap;

use super::state::State;
use super::stated;
use crate::environment::{Building, Compiled, Evidence, Image, Origin, Reason, Setting, Step, SystemPart, Toolkit, Toolkits};
use crate::knowledge::{self, Carries, Flavour, SourceBuild};
use crate::notation::requirement::{self, Subject};
use crate::outline::{Language, Tool};
use crate::project::{Asked, Compiling, Installed, Runfile, Value};
use crate::secret::masked;
use crate::source::Span;
use crate::version::{CudaVersion, Specifiers, Version};

/// The system that all environments of a start share.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    /// `ubuntu22.04`; empty where it is not known.
    name: String,
    pub(super) parts: Vec<SystemPart>,
    pub(super) toolkits: Toolkits,
    /// It may have more than is told: the image is not known, or a script was run that is not read.
    pub(super) open: bool,
}

impl System {
    /// What an image has; a machine may have anything.
    pub(super) fn of_image(image: Option<&Image>) -> Self {
        let Some(image) = image else {
            return Self { toolkits: Toolkits { open: true, ..Toolkits::default() }, ..Self::default() };
        };
        let name = knowledge::system_of(&image.reference).unwrap_or_default();
        let flavour = image.row.map_or(Flavour::None, |row| row.flavour);
        let devel = image.row.filter(|row| row.flavour == Flavour::Devel).map(|row| Toolkit {
            cuda: CudaVersion::parse(row.cuda),
            of_distribution: false,
            leads: false,
            evidence: image.evidence.clone(),
        });
        let known = knowledge::is_bare(&image.reference) || knowledge::cpu_image(&image.reference).is_some();
        let open = flavour == Flavour::None && !known;
        Self { name, parts: Vec::new(), toolkits: Toolkits { known: devel.into_iter().collect(), open }, open }
    }

    /// Packages of the system's own manager; of NVIDIA's repository for WSL alone `cuda` and its like are the toolkit without a
    /// driver.
    /// Source: <https://docs.nvidia.com/cuda/wsl-user-guide/index.html>, "Getting started with CUDA on WSL 2".
    pub(super) fn put_packages(&mut self, names: &[(String, Span)], of_wsl: bool) {
        for (name, at) in names {
            let row = knowledge::system_package_on(&self.name, name);
            let evidence = Evidence { basis: row.map_or(knowledge::Basis::Vendor, |row| row.basis), ..here(name, *at) };
            if row.is_some_and(|row| row.carries(Carries::Toolkit)) {
                self.toolkits.known.push(Toolkit {
                    cuda: knowledge::release_of_package(name),
                    of_distribution: row.is_some_and(|row| row.of_distribution),
                    leads: false,
                    evidence: evidence.clone(),
                });
            }
            // A file by its own name: `libcudnn8_8.9.7.29-1+cuda12.2_amd64.deb`.
            let file = if knowledge::is_of_cudnn(name) { &[Carries::Cudnn][..] } else { &[] };
            let carries = match row.map_or(file, |row| row.carries) {
                carries if of_wsl && carries.contains(&Carries::Driver) && carries.contains(&Carries::Toolkit) => {
                    &[Carries::Toolkit]
                }
                carries => carries,
            };
            self.parts.push(SystemPart { name: name.clone(), carries, evidence });
        }
    }

    /// NVIDIA's installer of a driver, a toolkit or both.
    pub(super) fn run(&mut self, run: &Runfile, at: Span) {
        let evidence = here(&run.name, at);
        if run.toolkit {
            // `cuda_12.4.1_550.54.15_linux.run`
            let cuda = run.name.split('_').nth(1).and_then(CudaVersion::parse);
            self.toolkits.known.push(Toolkit { cuda, of_distribution: false, leads: false, evidence: evidence.clone() });
        }
        let carries: &[Carries] = match (run.driver, run.toolkit) {
            (true, true) => &[Carries::Driver, Carries::Toolkit],
            (true, false) => &[Carries::Driver],
            (false, true) => &[Carries::Toolkit],
            (false, false) => &[],
        };
        self.parts.push(SystemPart { name: run.name.clone(), carries, evidence });
    }

    /// Environment modules.
    pub(super) fn load(&mut self, modules: &[(String, Span)]) {
        for (name, at) in modules {
            let carries: &[Carries] = match knowledge::module_toolkit(name) {
                Some(_) => &[Carries::Toolkit],
                None if knowledge::is_of_cudnn(name) => &[Carries::Cudnn],
                None => &[],
            };
            if !carries.is_empty() {
                self.parts.push(SystemPart { name: name.clone(), carries, evidence: here(name, *at) });
            }
            if let Some(cuda) = knowledge::module_toolkit(name) {
                let evidence = here(name, *at);
                self.toolkits.known.push(Toolkit { cuda, of_distribution: false, leads: true, evidence });
            }
        }
    }
}

/// Where something is named.
fn here(name: &str, at: Span) -> Evidence {
    stated(at, Reason::Puts { what: name.to_owned() })
}

impl State {
    /// A command compiles.
    pub(super) fn compile(&mut self, compiling: &Compiling, system: &System) {
        let what = Building::Program { program: compiling.program.clone(), arguments: compiling.arguments.clone() };
        let evidence = here(&compiling.program, compiling.at);
        let compiled = self.compiled(what, evidence, false, &compiling.variables, system);
        self.compiled.push(compiled);
    }

    /// What an installing step builds from its sources, with what was there before it.
    pub(super) fn build(&mut self, step: &Installed, done: &Step, system: &System) {
        // What a lock names comes as it says.
        if step.tool == Tool::Conda || !step.locks.is_empty() {
            return;
        }
        for (at, tests) in &step.extensions {
            let what = Building::Program { program: "CUDAExtension".to_owned(), arguments: tests.clone() };
            let evidence = Evidence { also: vec![(step.at, Reason::InstalledBy)], ..here("CUDAExtension", *at) };
            let isolated = !step.flags.no_build_isolation;
            let compiled = self.compiled(what, evidence, isolated, &step.variables, system);
            self.compiled.push(compiled);
        }
        let told = step.variables.iter().any(|(name, _)| name == "PIP_NO_BUILD_ISOLATION");
        for ask in step.asks.iter().chain(&step.folders).filter(|ask| ask.language == Language::Pep508) {
            let Some((row, wants)) = built(ask, step, done, &self.platform) else { continue };
            let named = step.flags.no_isolation_for.iter().any(|name| name.known() == Some(row.name));
            let isolated = !(step.flags.no_build_isolation || told || named);
            let what = Building::Package { row, wants };
            let evidence = Evidence { also: ask.also.clone(), ..here(row.name, ask.at) };
            let compiled = self.compiled(what, evidence, isolated, &step.variables, system);
            self.compiled.push(compiled);
        }
    }

    fn compiled(
        &self,
        what: Building,
        evidence: Evidence,
        isolated: bool,
        variables: &[(String, Value)],
        system: &System,
    ) -> Compiled {
        let mut toolkits = system.toolkits.clone();
        toolkits.known.extend(self.conda_toolkits());
        toolkits.open |= self.unlisted_of_conda;
        let setting = |(name, value): &(String, Value)| {
            let evidence = stated(value.at, Reason::Variable { name: name.clone() });
            (name.clone(), Setting { value: value.text.clone(), written: value.written.clone(), evidence })
        };
        let variables: BTreeMap<String, Setting> = variables.iter().map(setting).collect();
        Compiled { what, evidence, after: self.steps.len(), isolated, toolkits, variables }
    }

    /// The compilers that conda put into the environment.
    fn conda_toolkits(&self) -> impl Iterator<Item = Toolkit> {
        let ours = self.installed.iter().filter(|(name, _)| name.strip_prefix("conda:").is_some_and(knowledge::is_conda_toolkit));
        ours.map(|(_, held)| {
            let of_build = held.builds.only().or_else(|| held.builds.today()).and_then(crate::environment::Build::cuda);
            // Its packages are numbered as the release: `=12.4`, `12.4.*`.
            let asked = || match &held.evidence.reason {
                Reason::Asked { wants, .. } => CudaVersion::parse(wants.trim_start_matches('=').trim_end_matches(".*")),
                _ => None,
            };
            Toolkit { cuda: of_build.or_else(asked), of_distribution: false, leads: true, evidence: held.evidence.clone() }
        })
    }
}

/// The row of what an ask builds from its sources, with the release that it wants; `None` for what comes as a wheel, or may.
fn built(
    ask: &Asked,
    step: &Installed,
    done: &Step,
    platform: &crate::platform::Platform,
) -> Option<(&'static SourceBuild, String)> {
    let parsed = requirement::parse(ask.text.as_deref()?).ok()?;
    if parsed.marker.as_ref().is_some_and(|marker| marker.holds(platform, &[]) != Some(true)) {
        return None;
    }
    match parsed.subject {
        Subject::Wheel { .. } => None,
        Subject::Elsewhere { name, url } => {
            let named = name.as_deref().and_then(knowledge::source_build);
            Some((named.or_else(|| knowledge::source_build_of(address(&url)?))?, String::new()))
        }
        Subject::Path(folder) => Some((knowledge::source_build_in(&folder)?, String::new())),
        Subject::Package { name, wants, .. } => {
            let row = knowledge::source_build(&name)?;
            // Other indexes may have wheels of it.
            let plain = |id: &str| id == "pypi" || id.starts_with("pytorch/");
            let known = done.indexes.iter().all(|index| index.id.is_some_and(plain));
            let by_file = step.routes.iter().any(|route| route.package == name);
            let sources = known && !by_file && without_wheel(row, &wants) == Some(true);
            sources.then(|| (row, wants.to_string()))
        }
    }
}

/// `github.com/owner/name` of `git+https://github.com/owner/name.git@v1`.
fn address(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    // Who logs in is no part of it.
    Some(rest.split_once('@').filter(|(user, _)| !user.contains('/')).map_or(rest, |(_, rest)| rest))
}

/// Whether PyPI has no wheel of any release that is admitted; `None` where that is not known.
fn without_wheel(row: &SourceBuild, wants: &Specifiers) -> Option<bool> {
    let pin = wants.pin();
    // A local version names a wheel.
    if pin.as_ref().is_some_and(|pin| pin.local().is_some()) {
        return None;
    }
    if let (Some(until), Some(pin)) = (Version::parse(row.until), &pin)
        && pin.public() > until
    {
        return None;
    }
    if let (Some(since), Some(pin)) = (Version::parse(row.since), &pin)
        && pin.public() < since
    {
        return None;
    }
    match row.wheels {
        "none" if row.until.is_empty() || pin.is_some() => Some(true),
        "none" | "absent" | "" => None,
        "all" => Some(false),
        with => Some(!Specifiers::parse(with).ok()?.admits(&pin?.public())),
    }
}

/// From where an ask takes its package, as far as that is written.
pub(super) fn origin(subject: &Subject) -> Origin {
    match subject {
        Subject::Package { .. } => Origin::Index,
        Subject::Wheel { url, .. } => Origin::Wheel(masked(url).into_owned()),
        Subject::Elsewhere { url, .. } => Origin::Sources(masked(url).into_owned()),
        Subject::Path(path) => Origin::Sources(masked(path).into_owned()),
    }
}
