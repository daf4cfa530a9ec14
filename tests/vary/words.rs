//! Other words for the same: of pip's command line, of a requirement, of an option.

use cudalint::outline::Kind;

use crate::calls::{Argument, Call, Is, each_call, has_calls, unquoted};
use crate::written::Written;

/// `python3 -m pip install`.
pub(crate) fn as_module(written: &Written) -> Option<Written> {
    with_head(written, "python3 -m pip install")
}

/// `pip3 install`.
pub(crate) fn pip3(written: &Written) -> Option<Written> {
    with_head(written, "pip3 install")
}

fn with_head(written: &Written, head: &str) -> Option<Written> {
    each_call(written, |_, call| (!call.is_uv()).then(|| Call::text(head, &call.arguments)))
}

/// By its path: `/opt/venv/bin/pip` would be another Python's.
pub(crate) fn by_path(written: &Written) -> Option<Written> {
    let of_system = ["FROM ubuntu", "FROM nvidia/cuda"].iter().any(|from| written.says(from));
    each_call(written, |kind, call| {
        (kind == Kind::Dockerfile && call.head == "pip3 install" && of_system)
            .then(|| Call::text("/usr/bin/pip3 install", &call.arguments))
    })
}

/// `uv pip install --system`; only where no index is named: uv reads several of them otherwise.
pub(crate) fn uv_pip(written: &Written) -> Option<Written> {
    let indexes = ["index", "find-links", "-f ", "-i ", "PIP_", "pip.conf", "[tool.uv"];
    if indexes.iter().any(|word| written.says(word)) {
        return None;
    }
    let same = |argument: &Argument| {
        argument.is != Is::Option
            || ["-r ", "-e ", "--no-deps", "--upgrade", "-U", "--no-build-isolation"].iter().any(|o| argument.text.starts_with(o))
    };
    each_call(written, |_, call| {
        let same = !call.is_uv() && call.arguments.iter().all(same);
        same.then(|| format!("pip install uv && {}", Call::text("uv pip install --system", &call.arguments)))
    })
}

/// Options that change nothing of what is installed.
pub(crate) fn idle_options(written: &Written) -> Option<Written> {
    each_call(written, |_, call| {
        let head = format!("{} {}", call.head, if call.is_uv() { "--no-cache" } else { "--no-cache-dir --quiet" });
        Some(Call::text(&head, &call.arguments))
    })
}

/// The options behind what is installed.
pub(crate) fn options_last(written: &Written) -> Option<Written> {
    each_call(written, |_, call| {
        let (options, mut rest): (Vec<_>, Vec<_>) = call.arguments.iter().cloned().partition(|a| a.is == Is::Option);
        rest.extend(options);
        Some(Call::text(&call.head, &rest))
    })
}

/// The options before what is installed.
pub(crate) fn options_first(written: &Written) -> Option<Written> {
    each_call(written, |_, call| {
        let (mut options, rest): (Vec<_>, Vec<_>) = call.arguments.iter().cloned().partition(|a| a.is == Is::Option);
        options.extend(rest);
        Some(Call::text(&call.head, &options))
    })
}

/// Each argument on a line of its own.
pub(crate) fn continued(written: &Written) -> Option<Written> {
    each_call(written, |kind, call| {
        let text = call.arguments.iter().fold(call.head.clone(), |text, argument| text + " \\\n    " + &argument.text);
        matches!(kind, Kind::Dockerfile | Kind::Script).then_some(text)
    })
}

/// Requirements in quotes.
pub(crate) fn quoted(written: &Written) -> Option<Written> {
    each_call(written, |_, call| Some(Call::text(&call.head, &with_requirements(call, |text| format!("\"{text}\"")))))
}

/// `--option=value`, and the long names of options.
pub(crate) fn joined_options(written: &Written) -> Option<Written> {
    in_options(written, |option, value| {
        let long = match option {
            "-i" => "--index-url",
            "-f" => "--find-links",
            "-r" => "--requirement",
            "-c" => "--constraint",
            option => option,
        };
        long.starts_with("--").then(|| format!("{long}={value}"))
    })
}

/// The short names of options.
pub(crate) fn short_options(written: &Written) -> Option<Written> {
    in_options(written, |option, value| {
        let short = match option {
            "--index-url" => "-i",
            "--find-links" => "-f",
            "--requirement" => "-r",
            _ => return None,
        };
        Some(format!("{short} {value}"))
    })
}

/// The address of an index with or without the slash at its end.
pub(crate) fn slash(written: &Written) -> Option<Written> {
    in_options(written, |option, value| {
        let other = value.strip_suffix('/').map_or_else(|| format!("{value}/"), str::to_owned);
        (option.ends_with("index-url") || option == "-i").then(|| format!("{option} {other}"))
    })
}

/// Each option with a value of a call, a requirements file or a `pip:` list, in other words.
fn in_options(written: &Written, f: impl Fn(&str, &str) -> Option<String>) -> Option<Written> {
    let other =
        |text: &str| text.split_once(' ').filter(|(o, v)| o.starts_with('-') && !v.contains(' ')).and_then(|(o, v)| f(o, v));
    written.each_line(|kind, line| match kind {
        Kind::Requirements => Some(vec![line.with(other(&line.text)?)]),
        Kind::CondaEnvironment => {
            let (indent, item) = line.text.split_once("- -")?;
            Some(vec![line.with(format!("{indent}- {}", other(&format!("-{item}"))?))])
        }
        kind if has_calls(kind) => {
            let mut text = line.text.clone();
            for call in crate::calls::calls(&line.text).iter().rev() {
                let arguments =
                    call.arguments.iter().map(|a| Argument { text: other(&a.text).unwrap_or(a.text.clone()), is: a.is });
                text.replace_range(call.at.clone(), &Call::text(&call.head, &arguments.collect::<Vec<_>>()));
            }
            (text != line.text).then(|| vec![line.with(text)])
        }
        _ => None,
    })
}

/// A name as people write it: pip takes `Torch` and `flash_attn` for `torch` and `flash-attn`.
pub(crate) fn other_name(written: &Written) -> Option<Written> {
    in_requirements(written, |text| {
        let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let mut letters = name.chars();
        let first = letters.next()?.to_uppercase();
        Some(format!("{first}{}{rest}", letters.as_str().replace('-', "_")))
    })
}

/// Blanks round what compares versions.
pub(crate) fn spaced(written: &Written) -> Option<Written> {
    in_requirements(written, |text| {
        let at = text.find(['=', '<', '>', '!', '~'])?;
        let (name, rest) = text.split_at(at);
        let end = rest.find(|c| !matches!(c, '=' | '<' | '>' | '!' | '~')).unwrap_or(rest.len());
        Some(format!("{name} {} {}", &rest[..end], &rest[end..].replace(',', " , ")))
    })
}

/// A marker that holds everywhere.
pub(crate) fn marked(written: &Written) -> Option<Written> {
    in_requirements(written, |text| (!text.contains(';')).then(|| format!("{text} ; python_version >= \"2.7\"")))
}

/// Each requirement by name, of files and calls, in other words; blanks and quotes of the shell are taken care of.
fn in_requirements(written: &Written, f: impl Fn(&str) -> Option<String>) -> Option<Written> {
    let in_files = written.each_line(|kind, line| match kind {
        Kind::Requirements if is_named(&line.text) => Some(vec![line.with(f(&line.text)?)]),
        _ => None,
    });
    let quoted = |text: &str| match f(text) {
        Some(new) if new.contains('"') => format!("'{new}'"),
        Some(new) if new.contains([' ', '[', '<', '>']) => format!("\"{new}\""),
        Some(new) => new,
        None => text.to_owned(),
    };
    let in_calls =
        each_call(in_files.as_ref().unwrap_or(written), |_, call| Some(Call::text(&call.head, &with_requirements(call, quoted))));
    in_calls.or(in_files)
}

fn with_requirements(call: &Call, f: impl Fn(&str) -> String) -> Vec<Argument> {
    let other = |argument: &Argument| match argument.is {
        Is::Requirement => Argument { text: f(unquoted(&argument.text)), is: argument.is },
        _ => argument.clone(),
    };
    call.arguments.iter().map(other).collect()
}

/// A line of a requirements file that is a requirement by name.
pub(crate) fn is_named(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_alphabetic()) && !line.contains(['/', '@', ':', '#', '\\'])
}
