//! Wheel file names (PEP 427).

use crate::platform::{Arch, Libc, Os, Platform, Pythons};
use crate::version::Version;

use super::requirement::normalise;

/// What a wheel's file name says.
#[derive(Clone, Debug, PartialEq)]
pub struct WheelName {
    /// Normalised.
    pub name: String,
    /// With its local part (`%2B` decoded).
    pub version: Version,
    /// CPythons it is for (`cp311`; `py3` and `abi3` from that minor on are wider).
    pub pythons: Pythons,
    /// Its platform tags: `manylinux_2_28_x86_64`, `win_amd64`.
    pub platforms: Vec<String>,
}

impl WheelName {
    /// Reads the file name at the end of a URL or path; query and fragment are ignored. `None` if it is no wheel.
    #[must_use]
    pub fn parse(url: &str) -> Option<Self> {
        let path = url.trim().split(['?', '#']).next()?;
        let file = decode(path.rsplit(['/', '\\']).next()?)?;
        let mut parts = file.strip_suffix(".whl")?.split('-');
        let (name, version) = (parts.next()?, Version::parse(parts.next()?)?);
        let tags: Vec<_> = parts.collect();
        let [python, abi, platform] = match tags.as_slice() {
            [python, abi, platform] => [python, abi, platform],
            [build, python, abi, platform] if build.starts_with(|c: char| c.is_ascii_digit()) => [python, abi, platform],
            _ => return None,
        };
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if name.is_empty() || name.contains("__") || !name.chars().all(word) {
            return None;
        }
        let begins = |tag: &str| tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if ![python, abi, platform].into_iter().flat_map(|tags| tags.split('.')).all(begins) {
            return None;
        }
        // A wheel for an ABI is never for any platform.
        let abis = || abi.split('.').filter(|abi| *abi == "none" || *platform != "any");
        let pairs = python.split('.').flat_map(|p| abis().map(move |a| pythons(p, a)));
        Some(Self {
            name: normalise(name),
            version,
            pythons: pairs.fold(Pythons(0), |all, some| Pythons(all.0 | some.0)),
            platforms: platform.split('.').map(str::to_owned).collect(),
        })
    }
    /// Whether it is for an operating system, processor and C library, whatever the Python; `None` where that is not known.
    #[must_use]
    pub fn fits_system(&self, platform: &Platform) -> Option<bool> {
        let tags: Vec<_> = self.platforms.iter().map(|tag| tag_fits(tag, platform)).collect();
        if tags.contains(&Some(true)) {
            Some(true)
        } else if tags.contains(&None) {
            None
        } else {
            Some(false)
        }
    }
    /// Whether it installs on a platform; `None` where that is not known.
    #[must_use]
    pub fn fits(&self, platform: &Platform) -> Option<bool> {
        let python = match platform.python {
            asked if asked.and(self.pythons) == asked => Some(true),
            asked if asked.meets(self.pythons) => None,
            _ => Some(false),
        };
        match (python, self.fits_system(platform)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

/// Undoes percent-encoding; `None` where that gives no UTF-8.
fn decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                bytes.push(hex(*high)? << 4 | hex(*low)?);
                rest = after;
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// The CPythons that one pair of Python tag and ABI tag is for.
fn pythons(python: &str, abi: &str) -> Pythons {
    const NONE: Pythons = Pythons(0);
    let from = |minor: u32| Pythons(u64::MAX.checked_shl(minor).unwrap_or(0));
    let minor = |digits: &str| match digits.strip_prefix('3') {
        Some("") => Some(None),
        Some(minor) => minor.parse().ok().map(Some),
        None => None,
    };
    if let Some(digits) = python.strip_prefix("py") {
        return match minor(digits) {
            Some(minor) if abi == "none" => from(minor.unwrap_or(0)),
            _ => NONE,
        };
    }
    match python.strip_prefix("cp").and_then(minor) {
        Some(Some(minor)) if matches!(abi, "abi3" | "abi3t") => from(minor),
        Some(Some(minor)) if abi == "none" || abi.strip_prefix(python).is_some_and(build_flags) => Pythons::only(minor),
        _ => NONE,
    }
}

/// What follows the version in an ABI tag: `m`, `dmu`, `t`.
fn build_flags(text: &str) -> bool {
    text.chars().all(|c| "dmut".contains(c))
}

fn tag_fits(tag: &str, platform: &Platform) -> Option<bool> {
    let arch = match (platform.os, platform.arch) {
        (Os::Linux | Os::MacOs, Arch::X86_64) => "x86_64",
        (Os::Linux, Arch::Aarch64) => "aarch64",
        (Os::MacOs, Arch::Aarch64) => "arm64",
        (Os::Windows, Arch::X86_64) => "amd64",
        (Os::Windows, Arch::Aarch64) => "arm64",
    };
    if tag == "any" {
        return Some(true);
    }
    let (family, rest) = tag.split_once('_').unwrap_or((tag, ""));
    match family {
        "linux" => Some(platform.os == Os::Linux && rest == arch),
        "manylinux1" | "manylinux2010" | "manylinux2014" => {
            let glibc = match family {
                "manylinux1" => (2, 5),
                "manylinux2010" => (2, 12),
                _ => (2, 17),
            };
            linux_fits(rest, arch, platform, |libc| has_glibc(libc, glibc))
        }
        "manylinux" => {
            let (glibc, rest) = numbers(rest)?;
            linux_fits(rest, arch, platform, |libc| has_glibc(libc, glibc))
        }
        "musllinux" => {
            let (_, rest) = numbers(rest)?;
            // Which musl is there is not known.
            linux_fits(rest, arch, platform, |libc| if matches!(libc, Libc::Glibc(..)) { Some(false) } else { None })
        }
        "win32" => Some(false),
        "win" => Some(platform.os == Os::Windows && rest == arch),
        "macosx" => {
            let (release, built) = numbers(rest)?;
            let built_for = match built {
                "universal2" => true,
                "intel" | "universal" | "fat64" | "fat3" => arch == "x86_64",
                one => one == arch,
            };
            let oldest = if platform.arch == Arch::Aarch64 { (11, 0) } else { (10, 16) };
            match platform.os == Os::MacOs && built_for {
                false => Some(false),
                // Which macOS is there is not known; these are older than any in use.
                true if release <= oldest => Some(true),
                true => None,
            }
        }
        "ios" | "android" | "emscripten" | "pyodide" => Some(false),
        _ => None,
    }
}

fn linux_fits(built: &str, arch: &str, platform: &Platform, libc: impl Fn(Libc) -> Option<bool>) -> Option<bool> {
    if platform.os == Os::Linux && built == arch { libc(platform.libc) } else { Some(false) }
}

fn has_glibc(libc: Libc, needed: (u16, u16)) -> Option<bool> {
    match libc {
        Libc::Glibc(major, minor) => Some((major, minor) >= needed),
        Libc::Musl => Some(false),
        Libc::Unknown => None,
    }
}

/// `2_28_x86_64` is (2, 28) and `x86_64`.
fn numbers(text: &str) -> Option<((u16, u16), &str)> {
    let (major, rest) = text.split_once('_')?;
    let (minor, rest) = rest.split_once('_')?;
    Some(((major.parse().ok()?, minor.parse().ok()?), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheel(url: &str) -> WheelName {
        WheelName::parse(url).expect(url)
    }

    #[test]
    fn names_and_versions() {
        let cases = [
            ("https://e.org/whl/cu118/torch-2.0.1%2Bcu118-cp310-cp310-linux_x86_64.whl#sha256=ab", "torch", "2.0.1+cu118"),
            ("./torch-2.0.1+cu118-cp310-cp310-linux_x86_64.whl", "torch", "2.0.1+cu118"),
            ("C:\\w\\Torch_Scatter-2.1.2-1-cp310-cp310-win_amd64.whl?x=1", "torch-scatter", "2.1.2"),
            (
                "flash_attn-2.7.3+cu12torch2.5cxx11abiFALSE-cp310-cp310-linux_x86_64.whl",
                "flash-attn",
                "2.7.3+cu12torch2.5cxx11abifalse",
            ),
        ];
        for (url, name, version) in cases {
            let wheel = wheel(url);
            assert_eq!((wheel.name.as_str(), wheel.version.to_string().as_str()), (name, version));
        }
        for bad in [
            "",
            "x.whl",
            "torch-2.0.tar.gz",
            "torch-x-py3-none-any.whl",
            "torch-2.0-b-py3-none-any.whl",
            "a-1-2-3-4-5-6.whl",
            "%.whl",
        ] {
            assert_eq!(WheelName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn pythons_of_tags() {
        let minors = |tags: &str| -> Vec<u32> {
            let set = wheel(&format!("x-1-{tags}-linux_x86_64.whl")).pythons.and(Pythons((1 << 15) - 1));
            set.minors().filter(|m| *m > 6).collect()
        };
        assert_eq!(minors("cp310-cp310"), [10]);
        assert_eq!(minors("cp37-cp37m"), [7]);
        assert_eq!(minors("cp39.cp310-cp39.cp310"), [9, 10]);
        assert_eq!(minors("cp38-abi3"), [8, 9, 10, 11, 12, 13, 14]);
        assert_eq!(minors("py2.py3-none"), [7, 8, 9, 10, 11, 12, 13, 14]);
        assert_eq!(minors("py312-none"), [12, 13, 14]);
        assert_eq!(minors("cp313-cp313t"), [13]);
        for none in ["cp27-cp27mu", "py2-none", "pp39-pypy39_pp73", "cp310-cp311", "cp3999-none", "cp399999999999-none"] {
            assert!(minors(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn where_it_installs() {
        let on = |os, arch, libc| Platform { os, arch, libc, python: Pythons::only(11), wheels: Pythons::only(11) };
        let debian = on(Os::Linux, Arch::X86_64, Libc::Glibc(2, 31));
        let alpine = on(Os::Linux, Arch::X86_64, Libc::Musl);
        let linux = on(Os::Linux, Arch::X86_64, Libc::Unknown);
        let arm = on(Os::Linux, Arch::Aarch64, Libc::Glibc(2, 39));
        let windows = on(Os::Windows, Arch::X86_64, Libc::Unknown);
        let mac = on(Os::MacOs, Arch::Aarch64, Libc::Unknown);
        let cases = [
            (
                "cp311-cp311-manylinux_2_28_x86_64",
                [Some(true), Some(false), None, Some(false), Some(false), Some(false)][..].to_vec(),
            ),
            (
                "cp311-cp311-manylinux_2_28_aarch64",
                vec![Some(false), Some(false), Some(false), Some(true), Some(false), Some(false)],
            ),
            ("cp311-cp311-manylinux_2_34_x86_64", vec![Some(false), Some(false), None, Some(false), Some(false), Some(false)]),
            (
                "cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64",
                vec![Some(true), Some(false), None, Some(false), Some(false), Some(false)],
            ),
            ("cp311-cp311-linux_x86_64", vec![Some(true), Some(true), Some(true), Some(false), Some(false), Some(false)]),
            ("cp311-cp311-musllinux_1_2_x86_64", vec![Some(false), None, None, Some(false), Some(false), Some(false)]),
            ("cp311-cp311-win_amd64", vec![Some(false), Some(false), Some(false), Some(false), Some(true), Some(false)]),
            ("cp311-none-macosx_11_0_arm64", vec![Some(false), Some(false), Some(false), Some(false), Some(false), Some(true)]),
            ("py3-none-any", vec![Some(true); 6]),
            ("cp310-cp310-linux_x86_64", vec![Some(false); 6]),
        ];
        for (tags, want) in cases {
            let wheel = wheel(&format!("x-1-{tags}.whl"));
            let got: Vec<_> = [&debian, &alpine, &linux, &arm, &windows, &mac].map(|p| wheel.fits(p)).to_vec();
            assert_eq!(got, want, "{tags}");
        }
        let any_python = Platform { python: Pythons::ANY, ..debian };
        assert_eq!(wheel("x-1-cp311-cp311-linux_x86_64.whl").fits(&any_python), None);
    }
}
