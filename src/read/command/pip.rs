//! pip's command line.

use super::asks::{Asked, asked, extras, index, no_index, normal};
use super::options::{Grammar, Part};
use crate::outline::{Does, How, Include, IndexKind, Install, InstallFlags, Piece, Removal, Scope, Target, Text, Tool, Variable};
use crate::source::Span;

/// The options of `pip install`, `download`, `wheel`, `uninstall`, and of pip itself.
const PIP: Grammar = Grammar {
    valued: &[
        &["-r", "--requirement"],
        &["-c", "--constraint"],
        &["-e", "--editable"],
        &["-i", "--pypi-url", "--index-url"],
        &["--extra-index-url"],
        &["-f", "--find-links"],
        &["-t", "--target"],
        &["--prefix"],
        &["--python"],
        &["--python-version"],
        &["--group"],
        &["--no-binary"],
        &["--only-binary"],
        &["--all-releases"],
        &["--only-final"],
        &["--build-constraint"],
        &["--requirements-from-script"],
        &["--platform"],
        &["--implementation"],
        &["--abi"],
        &["--root"],
        &["--src", "--source", "--source-dir", "--source-directory"],
        &["--upgrade-strategy"],
        &["-C", "--config-setting", "--config-settings"],
        &["--install-option"],
        &["--global-option"],
        &["--build-option"],
        &["-b", "--build", "--build-dir", "--build-directory"],
        &["-d", "--dest", "--destination-dir", "--destination-directory"],
        &["-w", "--wheel-dir"],
        &["--progress-bar"],
        &["--root-user-action"],
        &["--report"],
        &["--refresh-package"],
        &["--uploaded-prior-to"],
        &["--hash"],
        &["--log", "--log-file", "--local-log"],
        &["--keyring-provider"],
        &["--proxy"],
        &["--retries"],
        &["--timeout", "--default-timeout"],
        &["--exists-action"],
        &["--trusted-host"],
        &["--cert"],
        &["--client-cert"],
        &["--cache-dir"],
        &["--use-feature"],
        &["--use-deprecated"],
        &["--resume-retries"],
        // uv's: where `pip` is but another name for `uv pip`.
        &["--torch-backend"],
    ],
    flags: &[
        &["--no-deps", "--no-dependencies"],
        &["--dry-run"],
        &["-U", "--upgrade"],
        &["--force-reinstall"],
        &["-I", "--ignore-installed"],
        &["--pre"],
        &["--no-build-isolation"],
        &["--no-index"],
        &["--user"],
        &["--no-user"],
        &["--only-deps", "--only-dependencies"],
        &["--ignore-requires-python"],
        &["--use-pep517"],
        &["--no-use-pep517"],
        &["--check-build-dependencies"],
        &["--break-system-packages"],
        &["--compile"],
        &["--no-compile"],
        &["--no-warn-script-location"],
        &["--no-warn-conflicts"],
        &["--require-hashes"],
        &["--no-require-hashes"],
        &["--no-clean"],
        &["--no-verify"],
        &["--prefer-binary"],
        &["-y", "--yes"],
        &["-h", "--help"],
        &["-V", "--version"],
        &["--debug"],
        &["--isolated"],
        &["--require-virtualenv", "--require-venv"],
        &["-v", "--verbose"],
        &["-q", "--quiet"],
        &["--no-input"],
        &["--no-proxy-env"],
        &["--no-cache-dir"],
        &["--disable-pip-version-check"],
        &["--no-color"],
        &["--no-python-version-warning"],
    ],
    abbreviates: true,
};

/// Those of `pip config`: <https://pip.pypa.io/en/stable/cli/pip_config/>.
const CONFIG: Grammar = Grammar {
    valued: &[&["--editor"], &["--python"], &["--log"]],
    flags: &[&["--global"], &["--user"], &["--site"], &["-q", "--quiet"], &["-v", "--verbose"], &["--isolated"]],
    abbreviates: true,
};

/// What `pip …` does; `words` are those behind `pip`, `python -m pip`.
pub(in crate::read) fn pip(words: &[Text]) -> Vec<Does> {
    let Some((mut parts, command, rest)) = PIP.verb(words, &["install", "download", "wheel", "uninstall"]) else {
        return Vec::new();
    };
    parts.extend(if command.known() == Some("config") { CONFIG.parse(rest) } else { PIP.parse(rest) });
    match command.known() {
        Some("install") => install(parts, false),
        Some("download" | "wheel") => install(parts, true),
        Some("uninstall") => removed(parts, new(false)),
        Some("config") => config(&parts),
        _ => Vec::new(),
    }
}

fn new(elsewhere: bool) -> Install {
    Install {
        tool: Tool::Pip,
        asks: Vec::new(),
        reads: Vec::new(),
        indexes: Vec::new(),
        target: Target::Active,
        flags: InstallFlags { elsewhere, ..InstallFlags::default() },
        line: None,
    }
}

fn option(it: &mut Install, part: Part) {
    match part {
        Part::Option { name, value: Some(value), .. } => valued(it, name, value),
        Part::Option { name, value: None, at } => flag(it, name, at),
        Part::Argument(_) | Part::Unknown(_) => {}
    }
}

fn install(parts: Vec<Part>, elsewhere: bool) -> Vec<Does> {
    let mut it = new(elsewhere);
    for part in parts {
        match part {
            Part::Argument(word) => ask(&mut it, word),
            Part::Option { name: "--editable", value: Some(word), .. } => ask(&mut it, word),
            other => option(&mut it, other),
        }
    }
    let nothing = it.asks.is_empty() && it.reads.is_empty() && it.flags.groups.is_empty();
    if nothing { Vec::new() } else { vec![Does::Install(it)] }
}

/// Adds a package or a folder that is named on the command line.
pub(super) fn ask(it: &mut Install, word: Text) {
    match asked(word) {
        Asked::Package(requirement) => it.asks.push(requirement),
        Asked::Project(folder) => {
            it.flags.extras.extend(extras(&folder.path));
            it.reads.push(folder);
        }
    }
}

fn valued(it: &mut Install, name: &str, value: Text) {
    let include = |path, how| Include { path, how };
    match name {
        "--requirement" => it.reads.push(include(value, How::Requirements)),
        "--constraint" => it.reads.push(include(value, How::Constraints)),
        "--index-url" => it.indexes.push(index(value, IndexKind::Primary)),
        "--extra-index-url" => it.indexes.push(index(value, IndexKind::Extra)),
        "--find-links" => it.indexes.push(index(value, IndexKind::FindLinks)),
        "--target" | "--prefix" | "--python" => it.target = Target::Prefix(value),
        "--platform" | "--abi" | "--implementation" => it.flags.platform = Some(value),
        "--python-version" => {
            it.flags.platform.get_or_insert_with(|| value.clone());
            it.flags.python = Some(value);
        }
        "--group" => it.flags.groups.push(normal(value)),
        "--no-binary" => it.flags.no_binary.extend(names(&value)),
        "--global-option" | "--build-option" | "--install-option" | "--config-settings" => {
            it.flags.build_options.extend(build_options(&value));
        }
        "--torch-backend" => it.flags.torch_backend = Some(value),
        "--uploaded-prior-to" => it.flags.not_newest = true,
        _ => {}
    }
}

fn flag(it: &mut Install, name: &str, at: Span) {
    match name {
        "--no-deps" | "--no-dependencies" => it.flags.no_deps = true,
        "--dry-run" => it.flags.elsewhere = true,
        "--upgrade" => it.flags.upgrade = true,
        "--force-reinstall" | "--ignore-installed" => it.flags.reinstall = true,
        "--pre" => it.flags.pre = true,
        "--no-build-isolation" => it.flags.no_build_isolation = true,
        "--no-index" => it.indexes.push(no_index(at)),
        _ => {}
    }
}

/// The options that a value hands to the script that builds: `--cuda_ext`, `--cpp_ext --cuda_ext`, `--build-option=--cuda_ext`.
/// Source: <https://setuptools.pypa.io/en/latest/build_meta.html>, "Dynamic build dependencies and other build_meta tweaks".
pub(in crate::read) fn build_options(value: &Text) -> Vec<Text> {
    let Some(text) = value.known() else { return Vec::new() };
    let text = text.strip_prefix("--build-option=").or_else(|| text.strip_prefix("--global-option=")).unwrap_or(text);
    let options = text.split_whitespace().filter(|word| word.starts_with("--"));
    options.map(|word| Text::literal(word, value.at)).collect()
}

/// `a,b` of `--no-binary`.
pub(in crate::read) fn names(value: &Text) -> Vec<Text> {
    match value.known() {
        Some(text) => text.split(',').map(|name| Text::literal(name.trim(), value.at)).map(normal).collect(),
        None => vec![value.clone()],
    }
}

/// What arguments name is taken away, from where the options say.
fn removed(parts: Vec<Part>, mut it: Install) -> Vec<Does> {
    let (names, options): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| matches!(part, Part::Argument(_)));
    options.into_iter().for_each(|part| option(&mut it, part));
    removal(named(names), it)
}

/// The arguments, as names of packages.
pub(super) fn named(parts: Vec<Part>) -> Vec<Text> {
    parts.into_iter().filter_map(|part| if let Part::Argument(word) = part { Some(normal(word)) } else { None }).collect()
}

/// Takes these away, and what the files say that an install with the same options would read.
pub(super) fn removal(names: Vec<Text>, options: Install) -> Vec<Does> {
    let Install { tool, reads, target, flags, .. } = options;
    if names.is_empty() && reads.is_empty() || flags.elsewhere {
        return Vec::new();
    }
    vec![Does::Remove(Removal { reads, target, ..Removal::of(tool, names) })]
}

/// `pip config set global.index-url URL` acts as the variable does.
fn config(parts: &[Part]) -> Vec<Does> {
    let words: Vec<_> = parts.iter().filter_map(|p| if let Part::Argument(word) = p { Some(word) } else { None }).collect();
    let [set, key, value] = words.as_slice() else { return Vec::new() };
    let section = key.known().and_then(|key| key.split_once('.'));
    let variable = match (set.known(), section) {
        (Some("set"), Some(("global" | "install", "index-url"))) => "PIP_INDEX_URL",
        (Some("set"), Some(("global" | "install", "extra-index-url"))) => "PIP_EXTRA_INDEX_URL",
        (Some("set"), Some(("global" | "install", "find-links"))) => "PIP_FIND_LINKS",
        _ => return Vec::new(),
    };
    vec![Does::Set(Variable { name: variable.into(), value: Some((*value).clone()), scope: Scope::Configured })]
}

/// `aws codeartifact login --tool pip` sets pip's index to one that is known only when run.
/// Source: <https://docs.aws.amazon.com/cli/latest/reference/codeartifact/login.html>.
pub(super) fn codeartifact(words: &[Text], at: Span) -> Vec<Does> {
    let known: Vec<&str> = words.iter().filter_map(Text::known).collect();
    let pip = known.windows(2).any(|pair| pair == ["--tool", "pip"]) || known.contains(&"--tool=pip");
    if !(known.windows(2).any(|pair| pair == ["codeartifact", "login"]) && pip) {
        return Vec::new();
    }
    let value = Some(Text { pieces: vec![Piece::Opaque], at });
    vec![Does::Set(Variable { name: "PIP_INDEX_URL".to_owned(), value, scope: Scope::Configured })]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::outline::Piece;
    use crate::source::FileId;

    /// The words of a simple line; a part in `'` is one word, `$X` a variable.
    pub(in crate::read::command) fn words(line: &str) -> Vec<Text> {
        let mut words = Vec::new();
        let mut start = 0;
        for word in line.split(' ') {
            let at = Span::new(FileId(0), start, start + word.len());
            let bare = word.trim_matches('\'');
            let pieces = match bare.split_once('$') {
                Some(("", name)) => vec![Piece::Variable { name: name.into(), fallback: None, instead: None }],
                Some((before, _)) => vec![Piece::Literal(before.into()), Piece::Opaque],
                None => vec![Piece::Literal(bare.into())],
            };
            words.push(Text { pieces, at });
            start += word.len() + 1;
        }
        words
    }

    fn text(text: &Text) -> String {
        let piece = |p: &Piece| match p {
            Piece::Literal(text) => text.clone(),
            Piece::Variable { name, .. } => format!("${name}"),
            Piece::Path(_) | Piece::Edited { .. } | Piece::Opaque => "?".into(),
        };
        text.pieces.iter().map(piece).collect()
    }

    /// One line of all that a command says.
    pub(in crate::read::command) fn show(does: &[Does]) -> String {
        let list = |texts: &[Text]| texts.iter().map(text).collect::<Vec<_>>().join(",");
        let one = |d: &Does| match d {
            Does::Install(i) => {
                let mut out: Vec<_> = i.asks.iter().map(|a| text(&a.written)).collect();
                out.extend(i.reads.iter().map(|r| format!("{:?}:{}", r.how, text(&r.path))));
                let called = |n: &Option<String>| n.as_ref().map_or(String::new(), |n| format!("{n}="));
                out.extend(i.indexes.iter().map(|x| format!("{:?}:{}{}", x.kind, called(&x.name), text(&x.url))));
                let InstallFlags { no_deps, upgrade, reinstall, pre, no_build_isolation, elsewhere, .. } = i.flags;
                let flags = [
                    (no_deps, "no-deps"),
                    (upgrade, "upgrade"),
                    (reinstall, "reinstall"),
                    (pre, "pre"),
                    (no_build_isolation, "no-isolation"),
                    (elsewhere, "elsewhere"),
                    (i.flags.all_extras, "all-extras"),
                    (i.flags.all_groups, "all-groups"),
                    (i.flags.all_members, "all-members"),
                    (i.flags.parts_only, "parts-only"),
                    (i.flags.default_groups, "defaults"),
                ];
                out.extend(flags.iter().filter(|f| f.0).map(|f| f.1.to_owned()));
                for (name, texts) in [
                    ("extras", &i.flags.extras),
                    ("groups", &i.flags.groups),
                    ("without", &i.flags.without),
                    ("no-binary", &i.flags.no_binary),
                    ("members", &i.flags.members),
                ] {
                    out.extend((!texts.is_empty()).then(|| format!("{name}:{}", list(texts))));
                }
                let f = &i.flags;
                for (name, value) in [
                    ("backend", &f.torch_backend),
                    ("strategy", &f.index_strategy),
                    ("python", &f.python),
                    ("environment", &f.environment),
                ] {
                    out.extend(value.as_ref().map(|v| format!("{name}:{}", text(v))));
                }
                out.extend((i.target == Target::System).then(|| "system".to_owned()));
                out.extend(if let Target::Own(tool) = &i.target { Some(format!("own:{tool:?}")) } else { None });
                out.extend(if let Target::Apart(name) = &i.target {
                    let name = text(name);
                    Some(if name.is_empty() { "apart".to_owned() } else { format!("apart:{name}") })
                } else {
                    None
                });
                out.extend(if let Target::Prefix(p) = &i.target { Some(format!("into:{}", text(p))) } else { None });
                format!("{:?} {}", i.tool, out.join(" "))
            }
            Does::Remove(Removal { tool, names, reads, target, .. }) => {
                let from = if let Target::Prefix(folder) = target { format!(" from:{}", text(folder)) } else { String::new() };
                let read = reads.iter().map(|file| format!("{:?}:{}", file.how, text(&file.path)));
                let what: Vec<String> = [list(names)].into_iter().filter(|names| !names.is_empty()).chain(read).collect();
                format!("{tool:?} removes {}{from}", what.join(" "))
            }
            Does::Set(v) => format!("{}={}", v.name, v.value.as_ref().map(text).unwrap_or_default()),
            Does::Python(version) => format!("python {}", text(version)),
            other => format!("{other:?}"),
        };
        does.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn commands() {
        for (line, want) in [
            ("install torch==2.1.0 'torchvision>=0.16'", "Pip torch==2.1.0 torchvision>=0.16"),
            ("install -r a.txt -c b.txt --requirement=c.txt", "Pip Requirements:a.txt Constraints:b.txt Requirements:c.txt"),
            (
                "-q --default-timeout 100 install --index-url=https://e.org/cu118 torch --extra-index-url u -fU",
                "Pip torch Primary:https://e.org/cu118 Extra:u FindLinks:U",
            ),
            ("install --default-timeout=1000 --trusted-host h --progress-bar off torch", "Pip torch"),
            ("install -e .[gpu,Dev] --no-build-isolation", "Pip Project:.[gpu,Dev] no-isolation extras:gpu,dev"),
            ("install . ./sub -e git+https://e.org/x#egg=y", "Pip git+https://e.org/x#egg=y Project:. Project:./sub"),
            ("install -U --pre --no-deps -I torch", "Pip torch no-deps upgrade reinstall pre"),
            ("install --target /opt/x --python-version 3.11 torch", "Pip torch python:3.11 into:/opt/x"),
            ("install torch==$V $PKG --index-url $URL", "Pip torch==? $PKG Primary:$URL"),
            ("install --brand-new torch", "Pip torch"),
            ("install --no-binary torch,Xformers torch --no-index", "Pip torch None:--no-index no-binary:torch,xformers"),
            ("install --group Dev", "Pip groups:dev"),
            ("install $DIR/x torch", "Pip $DIR/x torch"),
            ("download torch", "Pip torch elsewhere"),
            ("wheel -w out torch", "Pip torch elsewhere"),
            ("uninstall -y torch Torch_Vision", "Pip removes torch,torch-vision"),
            ("uninstall -y -r r.txt", "Pip removes Requirements:r.txt"),
            ("--python v/bin/python uninstall torch", "Pip removes torch from:v/bin/python"),
            ("$OPTS -q $MORE install -U torch", "Pip torch upgrade"),
            ("$OPTS download torch", "Pip torch elsewhere"),
            ("$COMMAND torch install", ""),
            ("$COMMAND", ""),
            ("config set global.extra-index-url https://e.org/cu118", "PIP_EXTRA_INDEX_URL=https://e.org/cu118"),
            ("config --global set global.index-url https://e.org/cu118", "PIP_INDEX_URL=https://e.org/cu118"),
            ("config set --user install.index-url https://e.org/cu118", "PIP_INDEX_URL=https://e.org/cu118"),
            ("install --upgrade", ""),
            ("install", ""),
            ("list --outdated", ""),
            ("-V", ""),
            ("", ""),
        ] {
            assert_eq!(show(&pip(&words(line))), want, "{line}");
        }
    }
}
