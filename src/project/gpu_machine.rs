//! What the tests of a shell come to on a Linux machine with an NVIDIA GPU and its driver: `nvidia-smi` answers there, and
//! the system is not `Darwin`.

use super::questions::{parts, value_alone};
use crate::knowledge;
use crate::notation::grep::Grep;
use crate::notation::pattern::{Form, Pattern};

/// Programs that come with the driver.
const BY_THE_DRIVER: &[&str] = &["nvidia-smi"];
/// What is there once the driver is loaded.
/// Source: <https://download.nvidia.com/XFree86/Linux-x86_64/460.80/README/procinterface.html>.
const OF_THE_DRIVER: &[&str] = &["/dev/nvidia0", "/dev/nvidiactl", "/proc/driver/nvidia", "/usr/bin/nvidia-smi"];
/// Programs of other chips and systems: AMD's, Intel's, Ascend's, Habana's, Neuron's, Jetson's, macOS's, Windows' and WSL's.
/// Sources: <https://rocm.docs.amd.com/projects/rocminfo/en/docs-7.2.0/index.html>,
/// <https://rocm.docs.amd.com/projects/amdsmi/en/develop/how-to/amdsmi-cli-tool.html>.
const OF_OTHERS: &[&str] = &[
    "rocm-smi",
    "rocminfo",
    "amd-smi",
    "xpu-smi",
    "npu-smi",
    "hl-smi",
    "neuron-ls",
    "tegrastats",
    "jetson_release",
    "sw_vers",
    "system_profiler",
    "xcode-select",
    "wslpath",
    "wslinfo",
    "wslvar",
    "wsl.exe",
    "cmd.exe",
    "powershell.exe",
];
/// Files of them.
const FILES_OF_OTHERS: &[&str] = &[
    "/etc/nv_tegra_release",
    "/opt/rocm",
    "/dev/kfd",
    "/dev/davinci",
    "/dev/accel",
    "/proc/sys/fs/binfmt_misc/WSLInterop",
    "/usr/lib/wsl",
    "/run/WSL",
    "/dev/dxg",
];
/// Variables that only WSL sets. Source: <https://learn.microsoft.com/windows/wsl/filesystems>.
const SET_BY_WSL: &[&str] = &["WSL_DISTRO_NAME", "WSL_INTEROP", "WSLENV"];
/// What a Jetson, a Raspberry Pi and a WSL machine say of themselves: in their kernels' names, their models, their packages.
/// Which of these a user has is not asked here: a guard for one of them is none for any host.
const OTHER_MACHINES: &[&str] =
    &["tegra", "jetson", "l4t", "nvidia-l4t", "orin", "raspberry", "raspberry pi", "microsoft", "wsl", "wsl1", "wsl2"];
/// Commands that tell the system, the kernel, the processor or the model, and one that lists what a Jetson has; only of what
/// they say a word tells on which machine this is.
const TELL: &[&str] = &["uname", "arch", "sysctl", "sw_vers", "hostnamectl", "lscpu", "dpkg", "dpkg-query", "apt"];
/// Files that tell the same.
const TOLD_BY: &[&str] = &["/proc/version", "/proc/sys/kernel/", "/proc/device-tree/", "/proc/cpuinfo", "/etc/nv_tegra_release"];
/// Those whose word for the processor is the kernel's own, which is no `arm64` under Linux.
const BY_THE_KERNEL: &[&str] = &["$(uname -m)", "$(uname -p)", "$(uname -i)", "$(arch)", "$HOSTTYPE", "$MACHTYPE"];
/// What machines of other systems call themselves, and what people call them.
const OTHER_SYSTEMS: &[&str] =
    &["darwin", "mac", "macos", "osx", "windows", "windows_nt", "win", "win32", "win64", "msys", "cygwin", "mingw", "freebsd"];
/// What the system itself is called.
const LINUX: &[&str] = &["linux", "linux-gnu"];
/// Who says so does without the GPU.
const WITHOUT: &[&str] = &["cpu", "cpu-only", "cpu_only", "cpuonly", "no-gpu", "nogpu", "no-cuda", "nocuda"];
/// Whether the machine has it is what a file's test asks, in one of these ways.
const IS_THERE: &[&str] = &["-e", "-f", "-d", "-r", "-c", "-x", "-s", "-L", "-h", "-a"];
/// Programs that list the machine's devices and drivers.
const LISTS: &[&str] = &["lspci", "lshw", "lsmod"];

/// Whether a command or a part of a test holds there; `None` where that cannot be told. A `build` of an image has neither
/// the GPU nor the driver.
pub(super) fn answers(part: &str, build: bool) -> Option<bool> {
    let part = part.trim();
    if let Some(turned) = part.strip_prefix('!') {
        return answers(turned, build).map(|holds| !holds);
    }
    if let Some(holds) = of_runner(part).or_else(|| of_service(part)).or_else(|| chosen(part)).or_else(|| looked_for(part)) {
        return Some(holds);
    }
    let says = match part.split_once(char::is_whitespace) {
        Some((option, rest)) if IS_THERE.contains(&option) => match output(rest) {
            Some(command) => succeeds(command),
            None => is_there(unquoted(rest)),
        },
        Some(("-n", rest)) => succeeds(output(rest)?),
        Some(("-z", rest)) => succeeds(output(rest)?).map(|some| !some),
        _ => match output(part) {
            Some(command) => succeeds(command),
            None => counted(part).or_else(|| succeeds(part)),
        },
    };
    says.filter(|_| !build)
}

/// A test of a variable that Colab's, CI's or WSL's machines set: it is not there on a host of one's own, nor in a build.
fn of_service(test: &str) -> Option<bool> {
    if let Some(name) = test.strip_prefix("-v ") {
        return is_of_others(name.trim()).then_some(false);
    }
    // The value itself is the command, or what is looked at.
    if let Some(value) = unset_value(test) {
        return Some(value == "true");
    }
    let alone = test.strip_prefix("-n ").map(|word| (word, false)).or_else(|| test.strip_prefix("-z ").map(|word| (word, true)));
    if let Some((word, empty)) = alone {
        return unset_value(word).map(|value| value.is_empty() == empty);
    }
    let parts = parts(test).or_else(|| value_alone(test)).filter(|parts| parts.operator == "=")?;
    let (answer, negated) = (unquoted(parts.answer), parts.negated);
    let value = unset_value(parts.subject).filter(|_| !answer.contains('$'))?;
    Some((value == answer) != negated)
}

fn is_of_others(name: &str) -> bool {
    knowledge::is_of_service(name) || SET_BY_WSL.contains(&name)
}

/// What an expansion of such a variable alone comes to: `$CI`, `${CI:-false}`, `${CI+x}`.
fn unset_value(word: &str) -> Option<&str> {
    let plain = unquoted(word).strip_prefix('$')?;
    let Some(inner) = plain.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return is_of_others(plain).then_some("");
    };
    let end = inner.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
    let (name, form) = inner.split_at(end);
    let form = form.strip_prefix(':').unwrap_or(form);
    let value = match form.chars().next() {
        Some('-' | '=') => unquoted(&form[1..]),
        Some('+') | None => "",
        Some(_) => return None,
    };
    is_of_others(name).then_some(value)
}

/// What GitHub asks of the system: `contains(runner.os, 'mac')`.
fn of_runner(test: &str) -> Option<bool> {
    let (function, arguments) = test.strip_suffix(')')?.split_once('(')?;
    let (subject, part) = arguments.split_once(',')?;
    let part = unquoted(part).to_ascii_lowercase();
    match function.trim() {
        _ if subject.trim() != "$RUNNER_OS" => None,
        "startsWith" => Some("linux".starts_with(&part)),
        "endsWith" => Some("linux".ends_with(&part)),
        "contains" => Some("linux".contains(&part)),
        _ => None,
    }
}

/// A comparison with a word that says for what the arm is: a system, a chip, no GPU.
fn chosen(test: &str) -> Option<bool> {
    let parts = parts(test)?;
    let (subject, answer) = (unquoted(parts.subject), unquoted(parts.answer));
    let holds = match parts.operator {
        // Either side may be the one that is asked for.
        "=" if subject.contains(['$', '.']) => word_holds(subject, answer).or_else(|| flag_holds(subject, answer))?,
        "=" => word_holds(answer, subject).or_else(|| flag_holds(answer, subject))?,
        "~" => {
            let form = if answer == parts.answer { Form::Extended } else { Form::Fixed };
            pattern_holds(subject, &Pattern::parse(answer, form, false)?)?
        }
        _ => return None,
    };
    Some(holds != parts.negated)
}

/// A search for such a word in what tells of the machine: `uname | grep -q Darwin`, `-n "$(uname | grep Darwin)"`.
fn looked_for(test: &str) -> Option<bool> {
    let none = test.strip_prefix("-z ");
    let command = none.or_else(|| test.strip_prefix("-n ")).unwrap_or(test);
    let Grep { subject, pattern, negated } = Grep::parse(output(command).unwrap_or(command))?;
    let tells = match subject.strip_prefix("$(") {
        Some(command) => {
            let command = command.trim_start_matches("cat ");
            let program = command.split([' ', ')']).next().unwrap_or_default();
            TELL.contains(&program.rsplit('/').next().unwrap_or(program)) || TOLD_BY.iter().any(|file| command.starts_with(file))
        }
        None => true,
    };
    let holds = pattern_holds(&subject, &pattern).filter(|_| tells)?;
    Some((holds != negated) != none.is_some())
}

/// Whether a pattern of such words is found.
fn pattern_holds(subject: &str, pattern: &Pattern) -> Option<bool> {
    let mut all = Some(false);
    for word in pattern.words() {
        match word_holds(subject, word) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => all = None,
        }
    }
    all
}

/// Whether something that is compared with such a word has that value.
fn word_holds(subject: &str, word: &str) -> Option<bool> {
    let word = word.replace(['"', '\''], "").to_ascii_lowercase();
    let word = word.trim_matches('*').trim_start_matches('-').trim_end_matches(['-', '_']);
    let is = |list: &[&str]| list.contains(&word);
    let other = ["mingw", "darwin", "cygwin", "msys", "nvidia-l4t"].iter().any(|start| word.starts_with(start));
    let of_arm = word.starts_with("arm") && BY_THE_KERNEL.contains(&subject.replace(['"', '{', '}'], "").as_str());
    if is(LINUX) {
        Some(true)
    } else {
        let others = is(OTHER_SYSTEMS) || is(OTHER_MACHINES) || is(WITHOUT) || knowledge::is_other_hardware(word);
        (other || of_arm || others).then_some(false)
    }
}

/// `"$CPU_ONLY" = 1`, `"$USE_CUDA" = false`.
fn flag_holds(subject: &str, answer: &str) -> Option<bool> {
    let name = subject.trim_matches(['$', '{', '}', '(', ')']).to_ascii_uppercase();
    let mut words = name.split('_');
    let on = ["1", "true", "yes", "on", "y"].contains(&answer.to_ascii_lowercase().as_str());
    let off = ["0", "false", "no", "off", "n"].contains(&answer.to_ascii_lowercase().as_str());
    let switch = ["USE", "WITH", "ENABLE", "HAS", "HAVE", "CPU"].iter().any(|start| name.starts_with(start));
    let cpu = words.clone().any(|word| word == "CPU");
    let gpu = words.any(|word| matches!(word, "CUDA" | "GPU" | "NVIDIA"));
    (switch && (cpu && !gpu && on || gpu && !cpu && off)).then_some(false)
}

/// `$(nvidia-smi -L | wc -l) -gt 0`.
fn counted(test: &str) -> Option<bool> {
    let parts = parts(test)?;
    let command = output(parts.subject)?;
    let (listing, counts) = command.rsplit_once('|')?;
    let mut words = counts.split_whitespace();
    let counts = match (words.next()?, words.next()) {
        ("wc", Some("-l")) => succeeds(listing)?,
        ("grep", Some(options)) if options.starts_with('-') && options.contains('c') => succeeds(command)?,
        _ => return None,
    };
    let holds = match (parts.operator, unquoted(parts.answer)) {
        ("=", "0") => !counts,
        (">", "0") | (">=", "1") => counts,
        _ => return None,
    };
    Some(holds != parts.negated)
}

/// Whether a command succeeds there, and says something.
fn succeeds(command: &str) -> Option<bool> {
    let mut stages = command.split('|').map(|stage| {
        let words = stage.split_whitespace().map(unquoted).filter(|word| !word.is_empty());
        // What becomes of the output does not matter.
        let mut redirected = false;
        words
            .filter(|word| {
                let before = std::mem::replace(&mut redirected, word.ends_with('>') || word.ends_with(">>"));
                !before && !word.contains('>') && *word != "sudo"
            })
            .collect::<Vec<_>>()
    });
    let first = stages.next()?;
    let filters: Vec<_> = stages.collect();
    let program = first.first()?.rsplit('/').next()?;
    let named = match (program, first.get(1..)?) {
        ("command", ["-v" | "-V", name]) | ("type", ["-p" | "-P" | "-t", name]) | ("which" | "type" | "hash", [name]) => {
            Some(*name)
        }
        _ => None,
    };
    if let Some(name) = named {
        return present(name).filter(|_| filters.is_empty());
    }
    if let ("cat", [file]) = (program, first.get(1..)?) {
        return is_there(file).filter(|_| filters.is_empty());
    }
    let lists = LISTS.contains(&program);
    if let Some(there) = present(program)
        && (filters.is_empty() || !there)
    {
        // What it is asked for besides may be missing.
        return Some(there).filter(|there| !there || !first.iter().any(|word| word.starts_with("--query")));
    }
    let finds = |filter: &Vec<&str>| {
        let mut words = filter.iter().skip(1);
        let greps = matches!(filter.first(), Some(&("grep" | "egrep")));
        let pattern = words.find(|word| !word.starts_with('-') || word.contains('v'));
        greps && pattern.is_some_and(|pattern| ["nvidia", "nvidia corporation"].contains(&pattern.to_ascii_lowercase().as_str()))
    };
    ((lists || present(program) == Some(true)) && !filters.is_empty() && filters.iter().all(finds)).then_some(true)
}

fn present(program: &str) -> Option<bool> {
    let name = program.rsplit('/').next().unwrap_or(program);
    if BY_THE_DRIVER.contains(&name) {
        return Some(true);
    }
    OF_OTHERS.contains(&name).then_some(false)
}

fn is_there(path: &str) -> Option<bool> {
    let under = |list: &[&str]| list.iter().any(|start| path.starts_with(start));
    if OF_THE_DRIVER.iter().any(|file| path.trim_end_matches('/') == *file) || path == "/proc/driver/nvidia/version" {
        return Some(true);
    }
    under(FILES_OF_OTHERS).then_some(false)
}

/// The command of `"$(command)"`.
fn output(word: &str) -> Option<&str> {
    let word = unquoted(word);
    word.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).or_else(|| word.strip_prefix('`')?.strip_suffix('`'))
}

fn unquoted(word: &str) -> &str {
    let word = word.trim();
    ['"', '\''].iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_there() {
        for (holds, parts) in [
            (
                Some(true),
                &[
                    "nvidia-smi",
                    "nvidia-smi > /dev/null 2>&1",
                    "nvidia-smi &>/dev/null",
                    "sudo nvidia-smi -L",
                    "command -v nvidia-smi &> /dev/null",
                    "which nvidia-smi",
                    "type -p nvidia-smi",
                    "-x \"$(command -v nvidia-smi)\"",
                    "-n \"$(nvidia-smi -L)\"",
                    "\"$(command -v nvidia-smi)\"",
                    "-e /dev/nvidia0",
                    "-d /proc/driver/nvidia/",
                    "lspci | grep -qi nvidia",
                    "$(nvidia-smi -L | wc -l) -gt 0",
                    "$(lspci | grep -ic nvidia) -ge 1",
                    "\"$OS\" = Linux",
                    "$OSTYPE == linux-gnu*",
                    "$OS != Darwin",
                    "\"$DEVICE\" != cpu",
                    "$USE_GPU != 0",
                    "startsWith($RUNNER_OS, 'Linux')",
                    "-z \"$COLAB_GPU\"",
                    "-z \"${CI:-}\"",
                    "\"$CI\" != true",
                    "${GITHUB_ACTIONS:-false} == false",
                    "!contains($RUNNER_OS, 'mac')",
                    "$OSTYPE =~ ^linux",
                    "! uname | grep -q Darwin",
                    "uname -s | grep -qi linux",
                    "uname -r | grep -qv microsoft",
                ][..],
            ),
            (
                Some(false),
                &[
                    "rocm-smi",
                    "command -v rocminfo",
                    "sw_vers >/dev/null 2>&1",
                    "-f /etc/nv_tegra_release",
                    "-d /opt/rocm-6.2",
                    "-z \"$(lspci | grep -i nvidia)\"",
                    "$(nvidia-smi -L | wc -l) -eq 0",
                    "\"$OS\" = \"Darwin\"",
                    "$OSTYPE == \"darwin\"*",
                    "$OSTYPE = msys",
                    "$X = MINGW64_NT*",
                    "\"$1\" = \"--cpu\"",
                    "\"$BACKEND\" = rocm",
                    "$RUNNER_OS == 'macOS'",
                    "$CPU_ONLY = 1",
                    "${USE_CUDA} -eq 0",
                    "Darwin == $(uname)",
                    "$OSTYPE =~ ^darwin",
                    "\"$(uname -s)\" =~ ^(MINGW|MSYS|CYGWIN)",
                    "$(uname -m) =~ ^arm",
                    "$(uname -a) =~ \"WSL2\"",
                    "\"$(uname -r)\" == *microsoft*",
                    "$HOSTTYPE == arm64",
                    "$MACHTYPE == *apple*",
                    "\"$(sysctl -n machdep.cpu.brand_string)\" == *Apple*",
                    "uname | grep -q Darwin",
                    "uname -p | grep -q arm",
                    "uname -a | grep -qi 'tegra\\|jetson'",
                    "-n \"$(uname | grep -i mingw)\"",
                    "-z \"$(uname | grep Linux)\"",
                    "grep -qi microsoft /proc/version",
                    "dpkg -l | grep -q nvidia-l4t",
                    "echo \"$OSTYPE\" | grep -q darwin",
                    "\"$(cat /etc/nv_tegra_release)\"",
                    "cat /etc/nv_tegra_release 2>/dev/null",
                    "-n \"$WSL_DISTRO_NAME\"",
                    "-f /proc/sys/fs/binfmt_misc/WSLInterop",
                    "-n \"$COLAB_GPU\"",
                    "-n \"${COLAB_RELEASE_TAG+x}\"",
                    "\"$CI\" = true",
                    "\"$CI\" == \"true\"",
                    "${CI:-false}",
                    "$GITHUB_ACTIONS",
                    "-v READTHEDOCS",
                ],
            ),
            (
                None,
                &[
                    "command -v nvcc",
                    "which docker",
                    "nvidia-smi --query-gpu=name --format=csv",
                    "nvidia-smi | grep -q A100",
                    "lspci | grep -i vga",
                    "lspci | grep -vi nvidia",
                    "which nvidia-smi | wc -l",
                    "-d /usr/local/cuda",
                    "\"$DEVICE\" = gpu",
                    "$USE_CUDA = 1",
                    "$CPU_COUNT = 0",
                    "$N -gt 0",
                    "\"$CI\" = \"$WANTED\"",
                    "${CI%x} = true",
                    "-n \"$CI_SERVER\"",
                    "-z \"$X\"",
                    "",
                    "|",
                    "$(",
                    "-n",
                    "$X =~ ^(darwin|y)$",
                    "$X =~ darwin.x",
                    "pip list | grep -q cpu",
                    "uname -a | grep -q host",
                    "uname -m | grep -q aarch64",
                    "cat file | grep -q darwin",
                    "cat file",
                ],
            ),
        ] {
            for part in parts {
                assert_eq!(answers(part, false), holds, "{part}");
            }
        }
        assert_eq!([answers("nvidia-smi", true), answers("$OS = Darwin", true)], [None, Some(false)]);
        assert_eq!(answers("uname -a | grep -q tegra", true), Some(false));
        assert_eq!(answers("\"$CI\" = true", true), Some(false));
    }
}
