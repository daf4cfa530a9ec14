//! Which cuDNN and which CUDA a package finds that looks for them by their sonames: in the image, on the system, and what the
//! other packages bring, which is found once they are loaded.
//! Source: dlopen(3): a library that is loaded already is found by its soname; ld.so(8) for the rest.

use crate::environment::{Build, Component, Environment, Evidence, Holds, Reason};
use crate::knowledge::{self, Carries, Flavour, Found, Kernels, Library};
use crate::loader;
use crate::parts::{self, Required};
use crate::version::{CudaVersion, LibraryVersion};

/// What one of the builds that may be there brings of a library.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Brings {
    Nothing,
    This(LibraryVersion),
    /// It brings one, and it is not known which.
    Unknown,
}

/// Who brings a library.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// `torch 2.5.1`, `libcudnn8`, an image.
    pub(crate) what: String,
    /// Where.
    pub(crate) evidence: Evidence,
    /// It is a package, not the image or the system.
    pub(crate) package: bool,
    /// It is a framework's own copy, which others find when that was loaded before.
    pub(crate) own: bool,
    /// The environment provides it, and no package does for itself: the image, the system, a module, conda's toolkit.
    pub(crate) provided: bool,
    /// By each build that may be there.
    all: Vec<Brings>,
    /// There may be other builds.
    open: bool,
    /// By the one that is picked.
    picked: Brings,
}

/// All who bring a library.
pub(crate) struct Reach {
    library: Library,
    sources: Vec<Source>,
    /// Others may be there.
    open: bool,
}

/// A need that is not met by what is there.
pub(crate) struct Unmet<'r> {
    /// How far it is true.
    pub(crate) holds: Holds,
    /// What is needed.
    pub(crate) need: LibraryVersion,
    /// Who brings another one.
    pub(crate) by: &'r Source,
    /// Which one that is.
    pub(crate) brings: LibraryVersion,
}

impl Reach {
    /// Who brings a library in an environment, beside the package that looks for it. A package that is for the CPU as well
    /// (`optional`) is not taken to use what a framework brings for itself.
    pub(crate) fn of(env: &Environment, library: Library, beside: &Component, optional: bool) -> Self {
        let mut sources: Vec<Source> = of_image(env, library).into_iter().collect();
        let mut open = env.system_open || env.unlisted || others_on_library_path(env);
        for part in &env.system {
            let carries = |what: &[Carries]| what.iter().any(|c| part.carries.contains(c));
            let version = match library {
                Library::Cudnn if carries(&[Carries::Cudnn]) => knowledge::cudnn_of(&part.name),
                Library::Cuda if carries(&[Carries::Toolkit, Carries::Libraries]) => cuda_of_part(&part.name),
                _ => continue,
            };
            let source = |version| Source::fixed(part.name.clone(), part.evidence.clone(), library, version);
            open |= version.is_none();
            sources.extend(version.map(source));
        }
        if library == Library::Cuda {
            for named in loader::toolkits_on_library_path(env) {
                let version = LibraryVersion::parse(&named.cuda.to_string());
                let source = |version| Source::fixed(named.folder.to_owned(), named.setting.evidence.clone(), library, version);
                sources.extend(version.map(source));
            }
        }
        let others = env.components.iter().filter(|component| component.name != beside.name);
        let of_others = others.filter_map(|component| of_component(env, component, library, beside));
        sources.extend(of_others.filter(|source| !(optional && source.own)));
        Self { library, sources, open }
    }

    /// Without those who bring it in part only.
    pub(crate) fn without(mut self, part: impl Fn(&Source) -> bool) -> Self {
        self.sources.retain(|source| !part(source));
        self
    }

    /// With a framework's own copy only as it is picked: it is found where that was loaded before, which no range makes sure.
    pub(crate) fn settled(mut self) -> Self {
        for source in self.sources.iter_mut().filter(|source| source.own) {
            (source.all, source.open) = (vec![source.picked], false);
        }
        self
    }

    /// Whether one of those who bring it is such a one.
    pub(crate) fn any(&self, of: impl Fn(&Source) -> bool) -> bool {
        self.sources.iter().any(of)
    }

    /// Whether nobody brings it, as far as all is told.
    pub(crate) fn is_empty(&self) -> bool {
        !self.open && self.sources.is_empty()
    }

    /// How far a package needs another one than all that is there, of which one that `of` admits is told: another major; before
    /// CUDA 11 each minor had names of its own.
    /// Source: <https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html>.
    pub(crate) fn lacks(&self, needs: &Needs, of: impl Fn(&Source) -> bool) -> Option<Unmet<'_>> {
        let other = |need: LibraryVersion| move |brings: &Brings| matches!(brings, Brings::This(v) if self.differ(need, *v));
        let lacks = |need| move |brings: &Brings| *brings == Brings::Nothing || other(need)(brings);
        let always = |need| {
            self.sources.iter().all(|s| !s.open && s.all.iter().all(lacks(need)))
                && self.sources.iter().any(|s| of(s) && s.all.iter().all(other(need)))
        };
        let today = |need| {
            self.sources.iter().all(|s| lacks(need)(&s.picked)) && self.sources.iter().any(|s| of(s) && other(need)(&s.picked))
        };
        let (holds, need) = needs.hold(always, today).filter(|_| !self.open)?;
        let by = self.sources.iter().find(|s| of(s) && other(need)(&s.picked))?;
        by.unmet(holds, need)
    }

    /// Whether one is not found where the other is looked for.
    fn differ(&self, need: LibraryVersion, brings: LibraryVersion) -> bool {
        let cuda = |version: LibraryVersion| CudaVersion::parse(&version.to_string());
        let by_minor = self.library == Library::Cuda && need.major() == brings.major() && !knowledge::goes_by_major(need.major());
        let minors = || cuda(need)?.same_minor(&cuda(brings)?);
        need.major() != brings.major() || by_minor && minors() == Some(false)
    }

    /// How far all of the needed major that is there is below what a package was compiled with.
    pub(crate) fn is_too_old(&self, needs: &Needs) -> Option<Unmet<'_>> {
        let older = |need: LibraryVersion| move |brings: &Brings| matches!(brings, Brings::This(v) if v.major() == need.major() && v.below(&need) == Some(true));
        let no_help = |need: LibraryVersion| {
            move |brings: &Brings| match brings {
                Brings::Nothing => true,
                Brings::This(v) => v.major() != need.major() || older(need)(brings),
                Brings::Unknown => false,
            }
        };
        let always = |need: LibraryVersion| {
            need.has_minor()
                && self.sources.iter().all(|s| !s.open && s.all.iter().all(no_help(need)))
                && self.sources.iter().any(|s| s.all.iter().all(older(need)))
        };
        let today = |need: LibraryVersion| {
            need.has_minor()
                && self.sources.iter().all(|s| no_help(need)(&s.picked))
                && self.sources.iter().any(|s| older(need)(&s.picked))
        };
        let (holds, need) = needs.hold(always, today).filter(|_| !self.open)?;
        let by = self.sources.iter().find(|s| older(need)(&s.picked))?;
        by.unmet(holds, need)
    }
}

impl Source {
    fn fixed(what: String, evidence: Evidence, library: Library, version: LibraryVersion) -> Self {
        let evidence = brought(evidence, &what, library, version);
        let brings = Brings::This(version);
        Self { what, evidence, package: false, own: false, provided: true, all: vec![brings], open: false, picked: brings }
    }

    fn unmet(&self, holds: Holds, need: LibraryVersion) -> Option<Unmet<'_>> {
        let Brings::This(brings) = self.picked else { return None };
        Some(Unmet { holds, need, by: self, brings })
    }
}

fn brought(evidence: Evidence, what: &str, library: Library, version: LibraryVersion) -> Evidence {
    let reason = Reason::Brings { what: what.to_owned(), library, version: version.to_string() };
    Evidence { reason, ..evidence }
}

/// What a package looks for, by the builds that may be there.
pub(crate) struct Needs {
    all: Vec<LibraryVersion>,
    /// Every build that may be there needs one of them.
    certain: bool,
    picked: Option<LibraryVersion>,
}

impl Needs {
    /// What a package looks for of a library on the loader's path; `None` where no build of it does.
    pub(crate) fn of(env: &Environment, component: &Component, library: Library) -> Option<Self> {
        let extras = env.ask_of(component).map(|(_, ask)| ask.extras.clone()).unwrap_or_default();
        let need = |build: &Build| {
            // An extra may bring it along.
            if brings(build, component, library, &extras, env) != Brings::Nothing {
                return None;
            }
            let part = build.release.needs.iter().find(|part| part.library == library && part.found == Found::System)?;
            LibraryVersion::parse(part.version)
        };
        let looks = |row: &knowledge::Release| row.needs.iter().any(|part| part.library == library);
        if !knowledge::releases(&component.name).iter().any(looks) {
            return None;
        }
        // By its name it is made for one major in all of its releases; an extra may bring what it looks for.
        let own = knowledge::module_owner(&component.name).map(|row| row.cuda).filter(|_| library == Library::Cuda);
        if let Some(major) = own.and_then(LibraryVersion::parse) {
            return extras.is_empty().then(|| Self { all: vec![major], certain: true, picked: Some(major) });
        }
        let builds = &component.builds;
        let all: Vec<Option<LibraryVersion>> = builds.builds.iter().map(need).collect();
        let certain = !builds.open && !all.is_empty() && all.iter().all(Option::is_some);
        let alike = || all.first().copied().flatten().filter(|first| certain && all.iter().all(|need| *need == Some(*first)));
        let picked = builds.today().map_or_else(alike, need);
        Some(Self { all: all.into_iter().flatten().collect(), certain, picked })
    }

    /// What the build looks for that is picked, and whether all that may be there look for it.
    pub(crate) fn picked(&self) -> Option<(LibraryVersion, Holds)> {
        Some((self.picked?, if self.certain { Holds::Always } else { Holds::Today }))
    }

    fn hold(
        &self,
        always: impl Fn(LibraryVersion) -> bool,
        today: impl Fn(LibraryVersion) -> bool,
    ) -> Option<(Holds, LibraryVersion)> {
        let picked = self.picked?;
        if self.certain && self.all.iter().all(|need| always(*need)) {
            return Some((Holds::Always, picked));
        }
        today(picked).then_some((Holds::Today, picked))
    }
}

/// Whether a package's one wheel is for the CPU and for GPUs: beside another framework nobody says that it is to use one.
pub(crate) fn is_optional(package: &str) -> bool {
    package == "tensorflow"
}

fn of_image(env: &Environment, library: Library) -> Option<Source> {
    let image = env.image.as_ref()?;
    let row = image.row?;
    let text = match library {
        Library::Cudnn => row.cudnn,
        Library::Cuda if row.flavour != Flavour::None || row.torch.is_empty() => row.cuda,
        _ => "",
    };
    let version = LibraryVersion::parse(text)?;
    Some(Source::fixed(image.reference.clone(), image.evidence.clone(), library, version))
}

/// The CUDA of a system's part: of a package, of NVIDIA's installer, of a module.
fn cuda_of_part(name: &str) -> Option<LibraryVersion> {
    let of_file = || name.split('_').nth(1).and_then(CudaVersion::parse);
    let of_module = || knowledge::module_toolkit(name).flatten();
    let cuda = knowledge::release_of_package(name).or_else(of_file).or_else(of_module)?;
    LibraryVersion::parse(&cuda.to_string())
}

/// On a machine that no image describes, a path of libraries says that there are some.
fn others_on_library_path(env: &Environment) -> bool {
    let path = env.variable("LD_LIBRARY_PATH").filter(|_| env.image.is_none());
    path.is_some_and(|path| path.written.split(':').any(|folder| folder.contains("cuda") || folder.contains("cudnn")))
}

fn of_component(env: &Environment, component: &Component, library: Library, beside: &Component) -> Option<Source> {
    let is_part = parts::is_part(&component.name);
    // Of which CUDA a part is, its name says in all of its releases.
    if let Some(major) = parts::cuda_of(&component.name).filter(|_| library == Library::Cuda) {
        let fixed = Source::fixed(component.name.clone(), component.evidence.clone(), library, major);
        return Some(Source { package: true, provided: false, ..fixed });
    }
    let extras = env.ask_of(component).map(|(_, ask)| ask.extras.clone()).unwrap_or_default();
    let brings = |build: &Build| brings(build, component, library, &extras, env);
    let mut all: Vec<Brings> = component.builds.builds.iter().map(brings).collect();
    // Of several builds of one version, what all of them bring.
    let alike = all.first().copied().filter(|first| all.iter().all(|brings| brings == first) && !component.builds.open);
    let mut picked = component.builds.today().map(brings).or(alike);
    let mut open = component.builds.open;
    if all.is_empty() {
        let asked = asked(env, component, library);
        if asked == Brings::Nothing {
            return None;
        }
        (all, picked, open) = (vec![asked], Some(asked), asked == Brings::Unknown);
    }
    let nothing = Brings::Nothing;
    if all.iter().all(|brings| *brings == nothing) && picked.is_none_or(|picked| picked == nothing) {
        return None;
    }
    let mut others = env.components.iter().filter(|other| other.name != beside.name);
    let own = if is_part {
        others.any(|other| parts::requires(env, other, &component.name))
    } else {
        !component.name.starts_with("conda:cud")
    };
    let picked = picked.unwrap_or(Brings::Unknown);
    let what = parts::shown(component);
    let evidence = match picked {
        Brings::This(version) => brought(component.evidence.clone(), &what, library, version),
        Brings::Nothing | Brings::Unknown => component.evidence.clone(),
    };
    // conda's frameworks bring what their recipes say for themselves.
    let provided = !own && component.name.starts_with("conda:");
    Some(Source { what, evidence, package: true, own, provided, all, open, picked })
}

/// What a package brings whose builds are not in the tables.
fn asked(env: &Environment, component: &Component, library: Library) -> Brings {
    let name = &component.name;
    let ask = env.ask_of(component).map(|(_, ask)| ask);
    let told = |version: Option<LibraryVersion>| version.map_or(Brings::Unknown, Brings::This);
    match library {
        Library::Cudnn if name.starts_with("nvidia-cudnn") => {
            let pin = ask.and_then(|ask| ask.wants.pin());
            told(pin.and_then(|pin| LibraryVersion::parse(&pin.public().to_string())))
        }
        Library::Cudnn if name == "conda:cudnn" => {
            let spec = ask.and_then(|ask| ask.spec.as_ref()?.version.clone());
            told(spec.and_then(|spec| LibraryVersion::parse(spec.trim_start_matches('=').trim_end_matches(".*"))))
        }
        _ if !parts::is_part(name) && may_bring(name, library) => Brings::Unknown,
        _ => Brings::Nothing,
    }
}

/// Whether some release of a package brings the library.
fn may_bring(name: &str, library: Library) -> bool {
    knowledge::releases(name).iter().any(|row| row.brings(library).is_some()) || parts::may_require(name)
}

fn brings(build: &Build, component: &Component, library: Library, extras: &[String], env: &Environment) -> Brings {
    if let Some(part) = build.brings(library) {
        return LibraryVersion::parse(part.version).map_or(Brings::Unknown, Brings::This);
    }
    if parts::is_part(&component.name) {
        let own = (library == Library::Cudnn && component.name.starts_with("nvidia-cudnn"))
            .then(|| LibraryVersion::parse(build.release.version));
        return own.flatten().map_or(Brings::Nothing, Brings::This);
    }
    if build.release.kernels == Kernels::Cpu {
        return Brings::Nothing;
    }
    let of_it = |required: &&Required| match library {
        Library::Cudnn => required.part.starts_with("nvidia-cudnn"),
        _ => parts::is_of_toolkit(&required.part),
    };
    let required = parts::required(build, extras, &env.platform);
    let Some(required) = required.iter().find(of_it) else {
        // conda's frameworks require what their recipes say, of which the tables know CUDA alone.
        let framework = !build.release.provides.is_empty() || build.release.kernels != Kernels::Unknown;
        let of_conda = component.name.starts_with("conda:") && framework && build.cuda().is_some();
        return if of_conda && library == Library::Cudnn { Brings::Unknown } else { Brings::Nothing };
    };
    let version = match library {
        Library::Cudnn => required.wants.pin().and_then(|pin| LibraryVersion::parse(&pin.public().to_string())),
        _ => parts::cuda_of(&required.part),
    };
    version.map_or(Brings::Unknown, Brings::This)
}
