//! The platforms of conda and pixi, by their names.

/// The marker that a platform stands for; `None` for one that is every platform's, or unknown.
/// `linux-64` is of one machine; pixi's `linux`, `osx`, `win` and `unix` are of any.
pub(super) fn marker_of(platform: &str) -> Option<String> {
    let (system, machine) = platform.split_once('-').map_or((platform, None), |(system, machine)| (system, Some(machine)));
    let system = match (system, machine) {
        ("linux", _) => "sys_platform == 'linux'",
        ("osx", _) => "sys_platform == 'darwin'",
        ("win", _) => "sys_platform == 'win32'",
        ("unix", None) => "sys_platform != 'win32'",
        _ => return None,
    };
    let Some(machine) = machine else { return Some(system.to_owned()) };
    let machine = match (machine, system) {
        // Windows calls it so.
        ("64", "sys_platform == 'win32'") => "AMD64",
        ("64", _) => "x86_64",
        (machine, _) => machine,
    };
    let plain = machine.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (plain && !machine.is_empty()).then(|| format!("{system} and platform_machine == '{machine}'"))
}

#[cfg(test)]
mod tests {
    use super::marker_of;

    #[test]
    fn platforms() {
        for (platform, marker) in [
            ("linux-64", "sys_platform == 'linux' and platform_machine == 'x86_64'"),
            ("linux-aarch64", "sys_platform == 'linux' and platform_machine == 'aarch64'"),
            ("osx-arm64", "sys_platform == 'darwin' and platform_machine == 'arm64'"),
            ("win-64", "sys_platform == 'win32' and platform_machine == 'AMD64'"),
            ("osx", "sys_platform == 'darwin'"),
            ("unix", "sys_platform != 'win32'"),
        ] {
            assert_eq!(marker_of(platform).as_deref(), Some(marker), "{platform}");
        }
        assert_eq!(["noarch", "", "linux-", "linux-x'", "unix-64"].map(marker_of), [const { None }; 5]);
    }
}
