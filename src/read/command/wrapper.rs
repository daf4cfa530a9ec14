//! Commands that run another command as it is: `sudo`, `env A=b`, `time`, `srun` …

use super::assignment;
use super::options::leading;
use crate::outline::{Piece, Scope, Text, Variable};

/// A command without what it is wrapped in.
pub(crate) struct Unwrapped {
    /// Variables set for it alone.
    pub(crate) sets: Vec<Variable>,
    /// Its words, program first.
    pub(crate) words: Vec<Text>,
}

/// How a wrapping command is written.
struct Wrapper {
    names: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words before the inner command that belong to the wrapper.
    operands: usize,
}

static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["sudo", "doas"],
        valued: &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "--user", "--group"],
        operands: 0,
    },
    Wrapper { names: &["env"], valued: &["-u", "-C", "--unset", "--chdir"], operands: 0 },
    Wrapper { names: &["time"], valued: &["-f", "-o", "--format", "--output"], operands: 0 },
    Wrapper { names: &["nohup", "setsid", "exec", "builtin", "unbuffer", "eatmydata"], valued: &["-a"], operands: 0 },
    Wrapper { names: &["command"], valued: &[], operands: 0 },
    Wrapper { names: &["fakeroot", "xvfb-run", "tini", "dumb-init"], valued: &["-s", "-n", "-e", "-f"], operands: 0 },
    Wrapper { names: &["gosu", "su-exec", "taskset", "flock"], valued: &["-w", "-E"], operands: 1 },
    Wrapper { names: &["numactl"], valued: &["-N", "-m", "-C", "-i", "-p", "-l"], operands: 0 },
    Wrapper { names: &["nice"], valued: &["-n", "--adjustment"], operands: 0 },
    Wrapper { names: &["ionice"], valued: &["-c", "-n", "-p"], operands: 0 },
    Wrapper { names: &["stdbuf"], valued: &["-i", "-o", "-e"], operands: 0 },
    Wrapper { names: &["timeout"], valued: &["-k", "-s", "--kill-after", "--signal"], operands: 1 },
    Wrapper {
        names: &["srun"],
        valued: &[
            "-A",
            "-c",
            "-D",
            "-e",
            "-i",
            "-J",
            "-n",
            "-N",
            "-o",
            "-p",
            "-q",
            "-t",
            "-w",
            "-x",
            "-C",
            "-G",
            "--account",
            "--cpus-per-task",
            "--gpus",
            "--gpus-per-node",
            "--gpus-per-task",
            "--gres",
            "--job-name",
            "--mem",
            "--nodelist",
            "--nodes",
            "--ntasks",
            "--ntasks-per-node",
            "--output",
            "--partition",
            "--qos",
            "--time",
            "--constraint",
        ],
        operands: 0,
    },
    Wrapper {
        names: &["mpirun", "mpiexec"],
        valued: &["-n", "-np", "-N", "-H", "-x", "--host", "--hostfile", "-hostfile"],
        operands: 0,
    },
    Wrapper {
        names: &["xargs"],
        valued: &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s", "--max-args", "--max-procs", "--delimiter", "--arg-file"],
        operands: 0,
    },
];

/// The words behind the options of a wrapping command.
pub(super) fn behind_options(words: &[Text]) -> &[Text] {
    let Some((program, mut rest)) = words.split_first() else { return words };
    let name = program.known().unwrap_or_default();
    let wrapper = WRAPPERS.iter().find(|w| w.names.contains(&name));
    while let Some(option) = rest.first().map(leading).filter(|w| w.starts_with('-')) {
        let valued = wrapper.is_some_and(|w| w.valued.contains(&option)) || (option.starts_with("--") && !option.contains('='));
        rest = rest.get(1 + usize::from(valued)..).unwrap_or_default();
    }
    rest
}

/// `$SUDO`, which is empty for whoever needs none.
fn may_be_sudo(word: &Text) -> bool {
    let [Piece::Variable { name, instead: None, .. }] = word.pieces.as_slice() else { return false };
    ["SUDO", "SUDO_CMD"].iter().any(|sudo| name.trim_start_matches('_').eq_ignore_ascii_case(sudo))
}

/// Takes wrapping commands away, and `A=b` before or between them.
pub(crate) fn unwrap(words: &[Text]) -> Unwrapped {
    let mut sets = Vec::new();
    let mut rest = words;
    let mut more = Vec::new();
    let mut wrapped = false;
    'commands: while let Some(first) = rest.first() {
        if wrapped && let Some((name, value)) = assignment(first) {
            sets.push(Variable { name, value: Some(value), scope: Scope::Command });
            rest = &rest[1..];
            continue;
        }
        let name = first.known().unwrap_or_else(|| if may_be_sudo(first) { "sudo" } else { "" });
        let name = name.rsplit('/').next().unwrap_or_default();
        let Some(wrapper) = WRAPPERS.iter().find(|w| w.names.contains(&name)) else { break };
        let mut inner = &rest[1..];
        let mut operands = wrapper.operands;
        while let Some(word) = inner.first() {
            match word.known() {
                Some("--") => {
                    inner = &inner[1..];
                    break;
                }
                Some(option) if option.len() > 1 && option.starts_with('-') => {
                    let looks_up = name == "command" && (option.contains('v') || option.contains('V'));
                    let elsewhere = option.starts_with("--container-image");
                    if looks_up || elsewhere {
                        break 'commands;
                    }
                    let skip = 1 + usize::from(wrapper.valued.contains(&option));
                    inner = inner.get(skip..).unwrap_or_default();
                }
                None if leading(word).starts_with("--container-image") => break 'commands,
                // `--nodes=$N`
                None if leading(word).starts_with("--") => inner = &inner[1..],
                _ if operands > 0 => {
                    operands -= 1;
                    inner = &inner[1..];
                }
                _ => break,
            }
        }
        if name == "xargs" {
            more.push(Text { pieces: vec![Piece::Opaque], at: first.at });
        }
        wrapped = true;
        rest = inner;
    }
    let words = rest.iter().cloned().chain(if rest.is_empty() { vec![] } else { more }).collect();
    Unwrapped { sets, words }
}
