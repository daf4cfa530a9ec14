//! Drivers that are installed on the way: what a host had before is not what the rest runs on.

use crate::knowledge::{self, Carries};
use crate::outline::{Does, Text};
use crate::version::DriverVersion;

/// The driver that an act puts on the machine, with its number as far as it is told; `None` for one that puts none there.
pub(super) fn installed(does: &Does, resolve: &impl Fn(&Text) -> Option<String>) -> Option<Option<DriverVersion>> {
    match does {
        Does::System(packages) if !packages.removes => {
            let carries = |name: &String| knowledge::system_package(name).is_some_and(|row| row.carries(Carries::Driver));
            let drivers: Vec<String> = packages.names.iter().filter_map(resolve).filter(carries).collect();
            (!drivers.is_empty()).then(|| drivers.iter().find_map(|name| of_package(name)))
        }
        Does::Runfile { file, arguments } => {
            Runfile::of(file, arguments, resolve).filter(|run| run.driver).map(|run| run.driver_version)
        }
        _ => None,
    }
}

/// A run of NVIDIA's installer of a toolkit, a driver, or both.
#[derive(Clone, Debug)]
pub(crate) struct Runfile {
    /// The name of the file, as far as it is known.
    pub(crate) name: String,
    /// It puts a driver there.
    pub(crate) driver: bool,
    /// The number of that, as far as it is told.
    driver_version: Option<DriverVersion>,
    /// It puts a toolkit there.
    pub(crate) toolkit: bool,
}

impl Runfile {
    /// What a run of such a file puts there; `None` where it only looks, unpacks or takes away.
    /// Source: <https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html>.
    pub(super) fn of(file: &Text, arguments: &[Text], resolve: &impl Fn(&Text) -> Option<String>) -> Option<Self> {
        let path = resolve(file).unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        let has = |option: &str| arguments.iter().any(|word| word.known() == Some(option));
        if ["--extract-only", "-x", "--uninstall", "--check", "--info", "--list"].iter().any(|option| has(option)) {
            return None;
        }
        // The toolkit's installer asks what to install, unless it is told.
        let parts = ["--toolkit", "--samples", "--toolkitpath", "--extract"];
        let told = |word: &Text| {
            let option = word.known().unwrap_or_default();
            parts.contains(&option.split('=').next().unwrap_or_default())
        };
        let of_toolkit = name.starts_with("cuda");
        let told = arguments.iter().any(told);
        let driver = !(of_toolkit && !has("--driver") && told || name.starts_with("cudnn"));
        let numbers = name.trim_end_matches(".run").split(['_', '-']);
        let driver_version =
            numbers.filter(|part| is_branch(part.split('.').next().unwrap_or_default())).find_map(DriverVersion::parse);
        let toolkit = of_toolkit && (has("--toolkit") || !told && !has("--driver"));
        Some(Self { name: name.to_owned(), driver, driver_version, toolkit })
    }
}

/// `nvidia-driver-550`, `cuda-drivers=550.54.15-1`.
fn of_package(name: &str) -> Option<DriverVersion> {
    let (name, version) = name.split_once('=').unwrap_or((name, ""));
    let number = |text: &str| {
        let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
        let number = text[..end].trim_end_matches('.');
        DriverVersion::parse(number).filter(|_| is_branch(number.split('.').next().unwrap_or_default()))
    };
    number(version).or_else(|| name.split(['-', ':']).find_map(number))
}

/// Branches have three digits, releases of CUDA one or two.
fn is_branch(number: &str) -> bool {
    number.len() == 3 && number.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Kind;
    use crate::read::read;
    use crate::source::Sources;

    #[test]
    fn which_commands_bring_a_driver() {
        for (command, want) in [
            ("sudo apt-get install -y nvidia-driver-550", Some("550")),
            ("apt install cuda-drivers=550.54.15-1 gcc", Some("550.54.15")),
            ("apt install cuda-drivers", Some("?")),
            ("apt install cuda", Some("?")),
            ("apt install cuda-12-4", Some("?")),
            ("yum install -y nvidia-open-570", Some("570")),
            ("dnf -y module install nvidia-driver:560-dkms", Some("560")),
            ("dnf module install nvidia-driver:latest-dkms", Some("?")),
            ("sudo ubuntu-drivers autoinstall", Some("?")),
            ("ubuntu-drivers install nvidia:550", Some("550")),
            ("sh NVIDIA-Linux-x86_64-550.54.14.run --silent", Some("550.54.14")),
            ("V=550.54.14\nsudo ./NVIDIA-Linux-x86_64-$V.run -s", Some("?")),
            ("sudo sh cuda_12.4.1_550.54.15_linux.run", Some("550.54.15")),
            ("sudo sh cuda_12.4.1_550.54.15_linux.run --silent --driver --toolkit", Some("550.54.15")),
            ("sh cuda_12.4.1_550.54.15_linux.run --silent --toolkit", None),
            ("sh NVIDIA-Linux-x86_64-550.54.14.run --uninstall", None),
            ("apt remove nvidia-driver-470", None),
            ("apt install cuda-toolkit-12-4 nvidia-container-toolkit", None),
            ("ubuntu-drivers devices", None),
            ("dnf module list", None),
        ] {
            let id = Sources::default().set("a.sh", command);
            let outline = read(Kind::Script, "a.sh", id, command);
            let found = outline.acts.iter().find_map(|act| installed(&act.does, &|text| text.known().map(str::to_owned)));
            let found = found.map(|version| version.map_or("?".to_owned(), |version| version.to_string()));
            assert_eq!(found.as_deref(), want, "{command}");
        }
    }
}
