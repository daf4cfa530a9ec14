//! What shell text asks of the machine that it runs on, and of the packages that are there.

use std::ops::BitOrAssign;

/// Programs that tell what the machine is.
const TELLING: &[&str] = &[
    "nvidia-smi",
    "nvcc",
    "nvidia-settings",
    "nvidia-detector",
    "lspci",
    "lshw",
    "modinfo",
    "deviceQuery",
    "nvidia-container-cli",
];
/// Files that do.
const TOLD_BY: &[&str] = &["/proc/driver/nvidia", "/usr/local/cuda/version"];
/// Folders that do by being there.
const NAMED_BY: &str = "/usr/local/cuda-";
/// In front of a program or a file: only whether it is there is asked.
const PRESENCE: &[&str] = &["-v", "-V", "-p", "-P", "which", "type", "hash", "-x", "-f", "-e", "-d", "-r", "-s", "-L", "-h"];
/// In front of an output: whether there is any.
const SOME: &[&str] = &["-n", "-z"];
/// In front of a folder: its name is looked at.
const LOOKS: &[&str] = &["-d", "-e", "-f", "-r", "-x", "-L", "-h", "ls", "readlink", "realpath"];
/// Installers, and their commands that speak of what is there.
const INSTALLERS: &[&str] = &["pip", "pip3", "conda", "mamba", "micromamba", "uv", "poetry", "pdm", "pixi", "pipenv"];
const SPEAKING: &[&str] = &["show", "list", "freeze", "check", "inspect", "env"];
/// Those that fail or not by it; what they say on the way tells nothing of a machine.
const CHANGING: &[&str] = &["install", "sync", "create", "update", "upgrade", "add", "uninstall", "remove"];
/// Modules that every Python has.
const STANDARD: &[&str] = &["sys", "os", "platform", "struct", "site", "ssl", "json", "re", "shutil", "subprocess", "sysconfig"];
/// Modules whose words tell of the machine, too.
const FRAMEWORKS: &[&str] = &["torch", "tensorflow", "jax", "cupy", "numba"];
/// So many variables of a text are looked at.
const NAMES: usize = 32;

/// On what an answer rests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Says {
    /// On which driver, toolkit or GPU the machine has; that it has any is not much of an answer.
    pub(crate) machine: bool,
    /// On which packages are installed.
    pub(crate) packages: bool,
    /// On this being no Linux machine with an NVIDIA GPU.
    pub(crate) elsewhere: bool,
}

impl Says {
    /// Whether what rests on it is nothing that a given host with a GPU could be held against.
    pub(crate) fn suits_host(self) -> bool {
        self.machine || self.elsewhere
    }
}

impl BitOrAssign for Says {
    fn bitor_assign(&mut self, other: Self) {
        self.machine |= other.machine;
        self.packages |= other.packages;
        self.elsewhere |= other.elsewhere;
    }
}

/// What a text itself asks: a test, a command's output, a function's body.
pub(crate) fn asks(text: &str) -> Says {
    let mut asking = Asking::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        if word > 0 {
            asking.word(&rest[..word]);
            rest = &rest[word..];
        } else {
            let doubled = rest[c.len_utf8()..].starts_with(c);
            let length = if doubled && matches!(c, '|' | '&') { 2 } else { c.len_utf8() };
            asking.sign(c, length == 2);
            rest = &rest[length..];
        }
    }
    asking.says
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./+-".contains(c)
}

#[derive(Default)]
struct Asking<'t> {
    says: Says,
    before: &'t str,
    sign: char,
    /// Parentheses within a substitution, and whether backquotes are open: what is said there is looked at.
    depth: usize,
    quoted: bool,
    /// What becomes looked at when it is piped on.
    pending: Says,
    installer: bool,
    imports: bool,
}

impl<'t> Asking<'t> {
    fn sign(&mut self, c: char, doubled: bool) {
        match c {
            '(' if self.depth > 0 || matches!(self.sign, '$' | '<') => self.depth += 1,
            ')' => self.depth = self.depth.saturating_sub(1),
            '`' => self.quoted = !self.quoted,
            '|' if !doubled => self.says |= self.pending,
            _ => {}
        }
        if matches!(c, ';' | '\n') || doubled {
            self.pending = Says::default();
            (self.installer, self.imports) = (false, false);
            self.before = "";
        }
        self.sign = c;
    }

    /// Something is told: at once where it is looked at, else when it is piped on.
    fn told(&mut self, says: Says) {
        self.pending |= says;
        if self.depth > 0 || self.quoted {
            self.says |= says;
        }
    }

    fn word(&mut self, word: &'t str) {
        let machine = Says { machine: true, ..Says::default() };
        let both = Says { packages: true, ..machine };
        let program = word.rsplit('/').next().unwrap_or(word);
        if TELLING.contains(&program) && SOME.contains(&self.before) {
            self.pending |= machine;
        } else if TELLING.contains(&program) && !PRESENCE.contains(&self.before) {
            self.told(machine);
        }
        if word.starts_with("--query") && self.pending.machine {
            self.says |= machine;
        }
        let told_by = TOLD_BY.iter().any(|file| word.starts_with(file)) && !PRESENCE.contains(&self.before);
        let named_by = word.starts_with(NAMED_BY) && LOOKS.contains(&self.before);
        let computes = ["torch.cuda", "torch.version", "torch.utils.collect_env"].iter().any(|name| word.starts_with(name));
        if told_by || named_by {
            self.says |= machine;
        } else if computes {
            self.says |= both;
        }
        if self.imports && word != "as" {
            let module = word.split('.').next().unwrap_or(word);
            if !STANDARD.contains(&module) {
                self.says.packages = true;
                self.told(Says { machine: FRAMEWORKS.contains(&module), packages: true, elsewhere: false });
            }
        }
        self.imports = word == "import" || self.imports && word != "as";
        let numbered = || program.strip_prefix("pip3.").is_some_and(|minor| minor.bytes().all(|b| b.is_ascii_digit()));
        if INSTALLERS.contains(&program) || numbered() {
            self.installer = !PRESENCE.contains(&self.before);
        } else if self.installer && !word.starts_with('-') {
            self.installer = false;
            self.says.packages |= SPEAKING.contains(&word) || CHANGING.contains(&word);
            if SPEAKING.contains(&word) {
                self.told(both);
            }
        }
        self.before = word;
    }
}

/// What a text's answer rests on besides: variables, and as `(name)` the functions whose output it takes.
pub(crate) fn names(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: String| {
        if found.len() < NAMES && !found.contains(&name) {
            found.push(name);
        }
    };
    let arithmetic =
        text.contains("((") || [" -eq ", " -ne ", " -ge ", " -gt ", " -le ", " -lt "].iter().any(|o| text.contains(o));
    let mut rest = text;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            if arithmetic || matches!(before, '$' | '{') {
                add(rest[..end].to_owned());
            }
            before = 'x';
            rest = &rest[end..];
            continue;
        }
        let after = &rest[c.len_utf8()..];
        if c == '`' || c == '(' && before == '$' {
            let called = command_of(after);
            if !called.is_empty() {
                add(format!("({called})"));
            }
        }
        before = if c == '{' && before != '$' || c == '!' && before == '{' { before } else { c };
        rest = after;
    }
    found
}

/// The first word of a command.
fn command_of(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|c: char| c.is_whitespace() || ";|&()<>`\"'$".contains(c)).unwrap_or(text.len());
    &text[..end]
}

/// The words of a text, any of which may be a function that it calls.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ";|&()<>`\"'$!{}[]=".contains(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked() {
        for (text, machine, packages) in [
            ("$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1 | cut -d. -f1)", true, false),
            ("`nvcc --version | grep release`", true, false),
            ("nvidia-smi | grep -q 'RTX 50'", true, false),
            ("lspci | grep -i nvidia", true, false),
            ("[ -n \"$(nvcc --version | grep 12.1)\" ]", true, false),
            ("grep -q 535 /proc/driver/nvidia/version", true, false),
            ("$(cat /usr/local/cuda/version.txt | cut -d' ' -f3)", true, false),
            ("[ -d /usr/local/cuda-12.1 ]", true, false),
            ("$(ls /usr/local/cuda-12*)", true, false),
            ("$(python -c 'import torch; print(torch.__version__)')", true, true),
            ("python3 -c 'import torch; assert torch.cuda.is_available()'", true, true),
            ("$(pip show torch | grep Version)", true, true),
            ("pip freeze | grep torch==2", true, true),
            ("conda list | grep pytorch", true, true),
            ("python -c \"import torchvision\"", false, true),
            ("! python -c 'import importlib.util as u; u.find_spec(\"torch\")'", false, true),
            ("pip show torch > /dev/null 2>&1", false, true),
            ("pip3.10 -q install torch==2.4.1", false, true),
            ("uv pip install torch", false, true),
            // What is said on the way.
            ("o=$(pip install numpy)", false, true),
            ("pip install numpy | tee log", false, true),
            ("echo `conda install numpy`", false, true),
            ("o=$(conda list)", true, true),
            // Whether there is any.
            ("nvidia-smi", false, false),
            ("nvidia-smi > /dev/null 2>&1", false, false),
            ("command -v nvidia-smi", false, false),
            ("[ -n \"$(nvidia-smi)\" ]", false, false),
            ("[ -x \"$(command -v nvidia-smi)\" ]", false, false),
            ("which nvcc || nvcc --version", false, false),
            ("[ -n \"$(which conda)\" ]", false, false),
            ("[ -e /proc/driver/nvidia/version ]", false, false),
            ("[ -d /usr/local/cuda ]", false, false),
            ("export CUDA_HOME=/usr/local/cuda-12.1", false, false),
            // Nothing of them.
            ("$(python -c 'import sys; print(sys.version_info[1])')", false, false),
            ("pip --version", false, false),
            ("[ $TOOL = conda ]", false, false),
            ("$(uname -m)", false, false),
            ("", false, false),
            ("(((((`|||&&;\n)", false, false),
            ("é$(é", false, false),
        ] {
            assert_eq!(asks(text), Says { machine, packages, elsewhere: false }, "{text}");
        }
    }

    #[test]
    fn what_it_rests_on() {
        for (text, want) in [
            ("[ \"$DRV\" -ge 580 ]", &["DRV", "ge", "580"][..]),
            ("[[ ${CC%%.*} == 12 ]]", &["CC"]),
            ("(( v >= 580 ))", &["v", "580"]),
            ("$(echo \"$DRV\" | cut -d. -f1)", &["(echo)", "DRV"]),
            ("`driver_version`", &["(driver_version)"]),
            ("$(get-cuda)", &["(get-cuda)"]),
            ("case a in b", &[]),
            ("${!X}", &["X"]),
        ] {
            assert_eq!(names(text), want, "{text}");
        }
        assert_eq!(words("if ! has_gpu 12 && x; then").collect::<Vec<_>>(), ["if", "has_gpu", "12", "x", "then"]);
    }
}
