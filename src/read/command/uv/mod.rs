//! uv's command lines.

mod tool;

pub(in crate::read) use tool::uvx;

use super::asks::{Asked, asked, index, no_index, normal};
use super::options::{Grammar, Part, leading};
use super::pip;
use crate::outline::{Does, How, Include, IndexKind, IndexLine, Install, InstallFlags, Piece, Place, Target, Text, Tool};
use crate::source::Span;

/// The options of uv's commands that install.
const UV: Grammar = Grammar {
    valued: &[
        &["-r", "--requirement", "--requirements"],
        &["-c", "--constraint", "--constraints"],
        &["-e", "--editable"],
        &["-i", "--index-url"],
        &["--extra-index-url"],
        &["--index"],
        &["--default-index"],
        &["-f", "--find-links"],
        &["-t", "--target"],
        &["--prefix"],
        &["-p", "--python"],
        &["--python-version"],
        &["--extra"],
        &["--no-extra"],
        &["--group"],
        &["--no-group"],
        &["--only-group"],
        &["--no-binary"],
        &["--no-binary-package"],
        &["--only-binary"],
        &["--torch-backend"],
        &["--index-strategy"],
        &["--prerelease"],
        &["-w", "--with"],
        &["--with-requirements"],
        &["--with-editable"],
        &["--from"],
        &["--project"],
        &["--directory"],
        &["--package"],
        &["--optional"],
        &["-P", "--upgrade-package"],
        &["--upgrade-group"],
        &["--reinstall-package"],
        &["--refresh-package"],
        &["--override", "--overrides"],
        &["--excludes", "--exclude"],
        &["-b", "--build-constraint", "--build-constraints"],
        &["--keyring-provider"],
        &["--resolution"],
        &["--fork-strategy"],
        &["-C", "--config-setting", "--config-settings"],
        &["--config-settings-package", "--config-setting-package"],
        &["--no-build-isolation-package"],
        &["--no-build-package"],
        &["--no-sources-package"],
        &["--no-install-package"],
        &["--no-emit-package", "--unsafe-package"],
        &["--exclude-newer"],
        &["--exclude-newer-package"],
        &["--link-mode"],
        &["--python-platform"],
        &["--python-preference"],
        &["--python-fetch"],
        &["--color"],
        &["--config-file"],
        &["--cache-dir"],
        &["--allow-insecure-host", "--trusted-host"],
        &["-o", "--output-file"],
        &["--output-format"],
        &["--format"],
        &["--annotation-style"],
        &["--custom-compile-command"],
        &["--preview-features", "--preview-feature"],
        &["--env-file"],
        &["--script"],
        &["--rev"],
        &["--tag"],
        &["--branch"],
        &["--bounds"],
        &["--marker"],
        &["--prompt"],
    ],
    flags: &[
        &["--system"],
        &["--no-deps"],
        &["--dry-run"],
        &["-U", "--upgrade"],
        &["--reinstall", "--force-reinstall"],
        &["--pre"],
        &["--no-build-isolation"],
        &["--no-index"],
        &["--all-extras"],
        &["--all-groups"],
        &["--dev"],
        &["--no-dev"],
        &["--only-dev"],
        &["--no-default-groups"],
        &["--all-packages"],
        &["--no-sync"],
        &["--no-project"],
        &["--isolated"],
        &["-n", "--no-cache"],
        &["-q", "--quiet"],
        &["-v", "--verbose"],
        &["-h", "--help"],
        &["-V", "--version"],
        &["-m", "--module"],
        &["-s"],
        &["-y", "--yes"],
    ],
    abbreviates: false,
};

/// What `uv …` does; `words` are those behind `uv`.
pub(in crate::read) fn uv(words: &[Text], at: Span) -> Vec<Does> {
    let Some((global, command, rest)) = UV.verb(words, &["pip", "sync", "lock", "add", "remove", "run", "venv"]) else {
        return Vec::new();
    };
    match command.known() {
        Some("pip") => uv_pip(global, rest, at),
        Some("sync") => project(global, UV.parse(rest), at, false),
        Some("lock") => project(global, UV.parse(rest), at, true),
        Some("add") => add(global, UV.parse(rest), at),
        Some("remove") => remove(UV.parse(rest), new(Tool::Uv, false), at),
        Some("run") => run(global, rest, at),
        Some("venv") => venv(UV.parse(rest), at),
        Some("tool") => match UV.command(rest) {
            Some((_, verb, rest)) if verb.known() == Some("run") => tool::uvx(rest, at),
            Some((_, verb, rest)) if verb.known() == Some("install") => tool::install(UV.parse(rest), at),
            Some((_, verb, rest)) if verb.known() == Some("uninstall") => tool::uninstall(UV.parse(rest)),
            _ => Vec::new(),
        },
        Some("x") => tool::uvx(rest, at),
        _ => Vec::new(),
    }
}

/// An environment that is gone after the command.
fn gone(at: Span) -> Target {
    Target::Apart(Text { pieces: Vec::new(), at })
}

fn new(tool: Tool, elsewhere: bool) -> Install {
    Install {
        tool,
        asks: Vec::new(),
        reads: Vec::new(),
        indexes: Vec::new(),
        target: Target::Active,
        flags: InstallFlags { elsewhere, ..InstallFlags::default() },
        line: None,
    }
}

fn done(it: Install) -> Vec<Does> {
    let nothing = it.asks.is_empty() && it.reads.is_empty() && it.flags.groups.is_empty();
    if nothing { Vec::new() } else { vec![Does::Install(it)] }
}

fn uv_pip(global: Vec<Part>, rest: &[Text], at: Span) -> Vec<Does> {
    let Some((mut parts, verb, rest)) = UV.verb(rest, &["install", "sync", "compile", "uninstall"]) else { return Vec::new() };
    parts.splice(0..0, global);
    parts.extend(UV.parse(rest));
    let mut it = new(Tool::UvPip, verb.known() == Some("compile"));
    match verb.known() {
        Some("uninstall") => return remove(parts, it, at),
        Some("install" | "sync" | "compile") => {}
        _ => return Vec::new(),
    }
    for part in parts {
        match part {
            Part::Argument(word) if verb.known() == Some("install") => pip::ask(&mut it, word),
            Part::Argument(file) => it.reads.push(manifest(file)),
            other => option(&mut it, other, at),
        }
    }
    done(it)
}

/// `sync`, `lock`: the project of the working directory.
fn project(mut parts: Vec<Part>, rest: Vec<Part>, at: Span, elsewhere: bool) -> Vec<Does> {
    parts.extend(rest);
    project_with(parts, at, elsewhere).map_or_else(Vec::new, done)
}

/// The project that uv's options name, with extras and groups; `None` where they mean another one.
fn project_with(parts: Vec<Part>, at: Span, elsewhere: bool) -> Option<Install> {
    let mut it = new(Tool::Uv, elsewhere);
    let mut folder = Text::literal(".", at);
    let (mut dev, mut without) = (true, Vec::new());
    for part in parts {
        match part {
            Part::Option { name: "--script", .. } => return None,
            Part::Option { name: "--package", value, .. } => it.flags.members.push(normal(value?)),
            Part::Option { name: "--all-packages", .. } => it.flags.all_members = true,
            Part::Option { name: "--project" | "--directory", value: Some(path), .. } => folder = path,
            Part::Option { name: "--no-default-groups", .. } => dev = false,
            Part::Option { name: "--no-dev", .. } => without.push(Text::literal("dev", at)),
            Part::Option { name: "--only-group", value: Some(group), .. } => {
                (dev, it.flags.parts_only) = (false, true);
                it.flags.groups.push(normal(group));
            }
            Part::Option { name: "--only-dev", .. } => {
                (dev, it.flags.parts_only) = (false, true);
                it.flags.groups.push(Text::literal("dev", at));
            }
            Part::Option { name: "--no-group" | "--no-extra", value: Some(group), .. } => without.push(normal(group)),
            other => option(&mut it, other, at),
        }
    }
    it.flags.default_groups = dev;
    it.flags.extras.retain(|name| !without.iter().any(|gone: &Text| gone.pieces == name.pieces));
    it.flags.without = without;
    it.reads.insert(0, Include { path: folder, how: How::Project });
    Some(it)
}

fn add(mut parts: Vec<Part>, rest: Vec<Part>, at: Span) -> Vec<Does> {
    parts.extend(rest);
    let (asks, options): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| matches!(part, Part::Argument(_)));
    // `--extra` is one of the added package's own.
    let options = options.into_iter().filter(|part| !matches!(part, Part::Option { name: "--extra", .. })).collect();
    let Some(mut it) = project_with(options, at, false) else { return Vec::new() };
    for part in asks {
        if let Part::Argument(word) = part {
            pip::ask(&mut it, word);
        }
    }
    done(it)
}

fn remove(parts: Vec<Part>, mut it: Install, at: Span) -> Vec<Does> {
    let (names, options): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| matches!(part, Part::Argument(_)));
    options.into_iter().for_each(|part| option(&mut it, part, at));
    pip::removal(pip::named(names), it)
}

/// Brings the environment up to date, then starts a command in it, or in one that lies over it with packages of its own.
/// Source: <https://docs.astral.sh/uv/concepts/projects/run/#requesting-additional-dependencies>.
fn run(mut parts: Vec<Part>, rest: &[Text], at: Span) -> Vec<Does> {
    let Some(Run { of_run, command, arguments, is_script }) = Run::of(rest) else { return Vec::new() };
    parts.extend(of_run);
    let has = |name: &str| parts.iter().any(|part| matches!(part, Part::Option { name: own, .. } if *own == name));
    let (isolated, no_project, no_sync) = (has("--isolated"), has("--no-project"), has("--no-sync"));
    let over = |part: &Part| matches!(part, Part::Option { name: "--with" | "--with-requirements" | "--with-editable", .. });
    // What is in force for both: indexes, the Python.
    let both = |part: &Part| {
        matches!(
            part,
            Part::Option {
                name: "--index-url"
                    | "--extra-index-url"
                    | "--index"
                    | "--default-index"
                    | "--find-links"
                    | "--no-index"
                    | "--index-strategy"
                    | "--torch-backend"
                    | "--exclude-newer"
                    | "--resolution"
                    | "--prerelease"
                    | "--python",
                ..
            }
        )
    };
    let mut layer = Install { target: gone(at), ..new(Tool::Uv, false) };
    parts.iter().filter(|part| over(part) || both(part)).for_each(|part| option(&mut layer, part.clone(), at));
    layer.target = gone(at);
    parts.retain(|part| !over(part));
    // What the project's lock holds it takes for these, too, where it fits.
    layer.flags.not_newest |= !no_project;
    let of_project =
        |parts| project_with(parts, at, false).map(|it| if isolated { Install { target: gone(at), ..it } } else { it });
    let mut own = if no_project || no_sync && !isolated { None } else { of_project(parts) };
    if let Some(own) = own.as_mut() {
        own.flags.before_run = true;
    }
    if is_script {
        let script = Include { path: command.clone(), how: How::PythonScript };
        own.get_or_insert_with(|| new(Tool::Uv, false)).reads.push(script);
    }
    let mut does: Vec<Does> = own.into_iter().chain([layer]).flat_map(done).collect();
    let known: Vec<_> = arguments.iter().take(2).map(|word| word.known().unwrap_or_default()).collect();
    match (leading(command), known.as_slice()) {
        ("pip" | "pip3", _) => does.extend(pip::pip(arguments)),
        ("python" | "python3", ["-m", "pip"]) => does.extend(pip::pip(&arguments[2..])),
        _ => {}
    }
    does
}

/// `uv run`'s words.
struct Run<'w> {
    of_run: Vec<Part>,
    command: &'w Text,
    arguments: &'w [Text],
    /// The command is a Python script.
    is_script: bool,
}

impl<'w> Run<'w> {
    fn of(words: &'w [Text]) -> Option<Self> {
        // Here `--script` has no value: what is run is a script, whatever its name.
        let flag = words.iter().position(|word| matches!(word.known(), Some("--script" | "-s")));
        if let Some(flag) = flag {
            let (before, behind) = (&words[..flag], &words[flag + 1..]);
            // Before it there may be only options.
            if UV.command(before).is_none()
                && let Some((more, command, arguments)) = UV.command(behind)
            {
                let of_run = UV.parse(before).into_iter().chain(more).collect();
                return Some(Self { of_run, command, arguments, is_script: true });
            }
        }
        let (of_run, command, arguments) = UV.command(words)?;
        Some(Self { of_run, command, arguments, is_script: is_script(command) })
    }
}

/// Whether a word names a Python script.
pub(super) fn is_script(word: &Text) -> bool {
    matches!(word.pieces.last(), Some(Piece::Literal(end)) if end.ends_with(".py"))
}

/// A new environment, which `uv pip` then takes where it has the default name.
fn venv(parts: Vec<Part>, at: Span) -> Vec<Does> {
    let mut folder = Text::literal(".venv", at);
    let mut python = None;
    for part in parts {
        match part {
            Part::Argument(path) => folder = path,
            Part::Option { name: "--python", value: Some(value), .. } => python = version_of(&value),
            _ => {}
        }
    }
    let made = [Does::Venv { folder: folder.clone(), python: python.clone() }, Does::Enter(Place::Venv(folder))];
    made.into_iter().chain(python.map(Does::Python)).collect()
}

/// `-r`'s file: requirements, or a project's dependencies.
fn manifest(file: Text) -> Include {
    let Some(path) = file.known() else { return Include { path: file, how: How::Requirements } };
    let (folder, name) = path.rsplit_once(['/', '\\']).unwrap_or((".", path));
    if !matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg") {
        return Include { path: file, how: How::Requirements };
    }
    Include { path: Text::literal(folder, file.at), how: How::Project }
}

fn option(it: &mut Install, part: Part, at: Span) {
    let include = |path, how| Include { path, how };
    match part {
        Part::Option { name, value: Some(value), .. } => match name {
            "--requirements" | "--with-requirements" => it.reads.push(manifest(value)),
            "--constraints" => it.reads.push(include(value, How::Constraints)),
            "--overrides" => it.reads.push(include(value, How::Overrides)),
            "--editable" | "--with-editable" => pip::ask(it, value),
            "--with" => with(it, value),
            "--index-url" | "--default-index" => it.indexes.push(named(value, IndexKind::Primary)),
            "--extra-index-url" => it.indexes.push(index(value, IndexKind::Extra)),
            "--index" => it.indexes.push(named(value, IndexKind::Extra)),
            "--find-links" => it.indexes.push(index(value, IndexKind::FindLinks)),
            "--target" | "--prefix" => it.target = Target::Prefix(value),
            "--python" => match version_of(&value) {
                Some(version) => it.flags.python = Some(version),
                None => it.target = Target::Prefix(value),
            },
            "--python-version" => it.flags.python = Some(value),
            "--python-platform" => it.flags.platform = Some(value),
            "--extra" | "--optional" => it.flags.extras.push(normal(value)),
            "--group" => it.flags.groups.push(normal(value)),
            "--config-settings" => it.flags.build_options.extend(pip::build_options(&value)),
            "--no-binary" | "--no-binary-package" => it.flags.no_binary.extend(pip::names(&value)),
            "--torch-backend" => it.flags.torch_backend = Some(value),
            "--exclude-newer" | "--exclude-newer-package" => it.flags.not_newest = true,
            "--resolution" => it.flags.not_newest |= value.known() != Some("highest"),
            "--index-strategy" => it.flags.index_strategy = Some(value),
            "--prerelease" => it.flags.pre = it.flags.pre || value.known() == Some("allow"),
            _ => {}
        },
        Part::Option { name, value: None, at: here } => match name {
            "--no-deps" => it.flags.no_deps = true,
            "--system" => it.target = Target::System,
            "--dry-run" => it.flags.elsewhere = true,
            "--upgrade" => it.flags.upgrade = true,
            "--force-reinstall" => it.flags.reinstall = true,
            "--pre" => it.flags.pre = true,
            "--no-build-isolation" => it.flags.no_build_isolation = true,
            "--no-index" => it.indexes.push(no_index(here)),
            "--all-extras" => it.flags.all_extras = true,
            "--all-groups" => it.flags.all_groups = true,
            "--dev" => it.flags.groups.push(Text::literal("dev", at)),
            _ => {}
        },
        Part::Argument(_) | Part::Unknown(_) => {}
    }
}

/// `--with a,b`: packages of this run alone.
fn with(it: &mut Install, value: Text) {
    match value.known() {
        Some(text) if text.contains(',') && !text.contains(['<', '>', '=', '[', '@', '!', '~']) => {
            let names: Vec<_> = text.split(',').map(|name| Text::literal(name.trim(), value.at)).collect();
            names.into_iter().for_each(|name| pip::ask(it, name));
        }
        _ => {
            if let Asked::Package(requirement) = asked(value) {
                it.asks.push(requirement);
            }
        }
    }
}

/// `NAME=URL`, or a URL.
fn named(value: Text, kind: IndexKind) -> IndexLine {
    let start = leading(&value);
    let name = start.split_once('=').map(|(name, _)| name).filter(|name| !name.is_empty() && !name.contains([':', '/', '?']));
    match name.map(str::to_owned) {
        Some(name) => IndexLine { url: super::options::behind(&value, name.len() + 1), kind, name: Some(name), explicit: false },
        None => index(value, kind),
    }
}

/// The version in a request for a Python: `3.11`, `python3.11`, `cpython@3.11`; `None` for a path.
fn version_of(value: &Text) -> Option<Text> {
    let text = value.known()?;
    let bare = ["cpython", "python", "cp"].iter().find_map(|name| text.strip_prefix(name)).unwrap_or(text);
    let bare = bare.trim_start_matches(['@', '-', '=']);
    let version = bare.starts_with(|c: char| c.is_ascii_digit() || "<>~!".contains(c)) && !bare.contains(['/', '\\']);
    version.then(|| Text::literal(bare, value.at))
}

#[cfg(test)]
mod tests {
    use super::super::pip::tests::{show, words};
    use super::*;
    use crate::source::FileId;

    #[test]
    fn commands() {
        for (line, want) in [
            ("pip install torch --torch-backend=cu128 --system", "UvPip torch backend:cu128 system"),
            ("--quiet pip install --index-strategy unsafe-best-match torch", "UvPip torch strategy:unsafe-best-match"),
            ("pip install -r a.txt -r sub/pyproject.toml --extra GPU", "UvPip Requirements:a.txt Project:sub extras:gpu"),
            ("pip install -e .[gpu] -p 3.11", "UvPip Project:.[gpu] extras:gpu python:3.11"),
            ("pip install torch --python /opt/venv/bin/python", "UvPip torch into:/opt/venv/bin/python"),
            (
                "pip install torch --index pt=https://e.org/cu118 --default-index u",
                "UvPip torch Extra:pt=https://e.org/cu118 Primary:u",
            ),
            ("pip install x --override a.txt", "UvPip x Overrides:a.txt"),
            ("pip sync requirements.txt", "UvPip Requirements:requirements.txt"),
            ("pip compile requirements.in -o requirements.txt", "UvPip Requirements:requirements.in elsewhere"),
            ("pip uninstall torch", "UvPip removes torch"),
            ("pip uninstall --python v torch", "UvPip removes torch from:v"),
            ("pip list", ""),
            ("sync --extra cu124 --frozen --no-dev", "Uv Project:. defaults extras:cu124 without:dev"),
            ("sync --all-extras --group Train --project /app", "Uv Project:/app all-extras defaults groups:train"),
            ("sync --no-group dev", "Uv Project:. defaults without:dev"),
            ("sync --only-group lint", "Uv Project:. parts-only groups:lint"),
            ("sync --only-dev", "Uv Project:. parts-only groups:dev"),
            ("sync --all-groups --no-default-groups", "Uv Project:. all-groups"),
            ("sync --package Other_x", "Uv Project:. defaults members:other-x"),
            ("sync --package a --package b", "Uv Project:. defaults members:a,b"),
            ("sync --all-packages --no-default-groups", "Uv Project:. all-members"),
            ("lock", "Uv Project:. elsewhere defaults"),
            ("add torch --index pt=https://e.org/cu118 --extra x", "Uv torch Project:. Extra:pt=https://e.org/cu118 defaults"),
            ("add -r requirements.txt", "Uv Project:. Requirements:requirements.txt defaults"),
            ("remove torch", "Uv removes torch"),
            ("run --with torch==2.1 python train.py --with x", "Uv Project:. defaults; Uv torch==2.1 apart"),
            (
                "run --no-project --with a,b --with-requirements r.txt --index u python train.py",
                "Uv a b Requirements:r.txt Extra:u apart",
            ),
            ("run --isolated --extra gpu --with a x", "Uv Project:. defaults extras:gpu apart; Uv a apart"),
            ("run --isolated x", "Uv Project:. defaults apart"),
            ("run --only-group lint x", "Uv Project:. parts-only groups:lint"),
            ("run --script tool --script", "Uv Project:. PythonScript:tool defaults"),
            ("run --with x -s tool", "Uv Project:. PythonScript:tool defaults; Uv x apart"),
            ("run --no-project python --script tool", ""),
            ("run --no-sync python train.py", ""),
            ("run train.py --x", "Uv Project:. PythonScript:train.py defaults"),
            ("run --no-project sub/train.py", "Uv PythonScript:sub/train.py"),
            ("run --no-sync python -m pip install torch", "Pip torch"),
            ("run --no-sync pip install $X", "Pip $X"),
            (
                "venv --python 3.11",
                "Venv { folder: Text { pieces: [Literal(\".venv\")], at: Span { file: FileId(0), start: 0, end: 18 } }, \
                 python: Some(Text { pieces: [Literal(\"3.11\")], at: Span { file: FileId(0), start: 14, end: 18 } }) }; \
                 Enter(Venv(Text { pieces: [Literal(\".venv\")], at: Span { file: FileId(0), start: 0, end: 18 } })); python 3.11",
            ),
            ("tool install vllm==0.6 --with torch --torch-backend cu126", "Uv vllm==0.6 torch backend:cu126 apart:uv tool vllm"),
            ("tool install --from git+https://e.org/x My.Tool", "Uv git+https://e.org/x apart:uv tool my-tool"),
            ("tool uninstall vllm", "Uv removes "),
            ("tool run --from vllm==0.6 vllm serve", "Uv vllm==0.6 apart"),
            ("x ruff@0.3.0 check", "Uv ruff==0.3.0 apart"),
            ("x --with-requirements r.txt ruff@latest", "Uv ruff Requirements:r.txt apart"),
            ("", ""),
            ("--version", ""),
        ] {
            assert_eq!(show(&uv(&words(line), Span::new(FileId(0), 0, line.len()))), want, "{line}");
        }
    }
}
