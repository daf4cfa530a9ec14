//! What `docker run` refuses of a request for a GPU. Sources: <https://github.com/docker/cli/blob/28f756087eea5fa301f3fbf12b01ae62f91521c2/opts/gpus.go>;
//! measured: `docker create --gpus VALUE x` and `docker create WORD x` of Docker 28.2.2.

use crate::outline::{Malformed, Misread, Piece, Terms, Text};
use crate::read::container::is_gpu_device;
use crate::source::Span;

/// What docker makes of a word among the options of `run` that it does not know: an option with its value in one word, or a name
/// like `--gpus`.
pub(in crate::read) fn word(word: &Text) -> Option<Malformed> {
    let Some(Piece::Literal(first)) = word.pieces.first() else { return None };
    let malformed = |how| Some(Malformed { at: word.at, how });
    // What stands before `=` is the name.
    let name = first.split('=').next().unwrap_or_default();
    if let Some((option, _)) = name.split_once(char::is_whitespace) {
        let (value, whole) = (first[option.len()..].trim(), word.known().is_some());
        let (option, asks) = match option {
            "--gpus" | "--gpu" => ("--gpus", !value.is_empty() || !whole),
            "--runtime" => (option, value.starts_with("nvidia")),
            "--device" => (option, is_gpu_device(value)),
            _ => return None,
        };
        let how = Misread::OneWord { option: option.to_owned(), value: whole.then(|| value.to_owned()) };
        return asks.then(|| malformed(how)).flatten();
    }
    if is_unknown(name) { malformed(Misread::NoOption(name.to_owned())) } else { None }
}

/// A name like that of `--gpus`.
fn is_unknown(name: &str) -> bool {
    matches!(name, "--gpu" | "-gpu" | "-gpus" | "--GPU" | "--GPUS" | "--Gpus")
}

/// What docker makes of a value of `--gpus` at that place.
pub(in crate::read) fn value(value: &str, at: Span) -> Option<Malformed> {
    // An empty one asks for nothing.
    if value.is_empty() {
        return None;
    }
    let how = misread(value)?;
    Some(Malformed { at, how })
}

/// What a value of `--gpus` says of the GPUs.
pub(in crate::read) fn terms(value: &str) -> Terms {
    let fields = if misread(value).is_some() { Vec::new() } else { fields(value).unwrap_or_default() };
    let set = |name: &str| fields.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
    let count = set("count").or_else(|| fields.iter().map(String::as_str).find(|field| is_count(field)));
    let devices = set("device").map(|devices| devices.split(',').count());
    Terms::of(count, devices, set("capabilities").unwrap_or_default().split(','))
}

fn misread(value: &str) -> Option<Misread> {
    let unread = || Some(Misread::Value(value.to_owned()));
    let Some(fields) = fields(value) else { return unread() };
    let (mut names, mut list, mut devices): (Vec<&str>, Option<usize>, bool) = (Vec::new(), None, false);
    // The last count holds.
    let mut count: Option<&str> = None;
    for (i, field) in fields.iter().enumerate() {
        let (name, set) = field.split_once('=').map_or((field.as_str(), None), |(name, set)| (name, Some(set)));
        match (name, set) {
            (_, None) => {
                let before = i.checked_sub(1).and_then(|i| fields.get(i)).map(String::as_str);
                // A list goes on behind its first comma; counts alone may be one of devices.
                if list.is_none()
                    && before.is_some_and(|b| b.starts_with("device=") || b.starts_with("capabilities=") || is_number(b))
                {
                    list = Some(i - 1);
                }
                if list.is_none() && !is_count(name) {
                    return unread();
                }
                count = Some(name);
            }
            ("count", Some(set)) if is_count(set) => count = Some(set),
            ("device", Some(_)) => devices = true,
            ("driver" | "capabilities" | "options", Some(_)) => {}
            _ => return unread(),
        }
        if list.is_none() && names.contains(&name) {
            return unread();
        }
        names.push(name);
    }
    let bad = count.is_some_and(|count| !is_count(count) || devices && count.trim_start_matches('+').parse() != Ok(0));
    match (list, count) {
        (Some(list), Some(count)) => {
            let end = fields[list + 1..].iter().position(|field| field.contains('=')).map_or(fields.len(), |n| n + list + 1);
            let words = fields[list..end].join(",");
            let list = if words.contains('=') { words } else { format!("device={words}") };
            Some(Misread::Unquoted { value: value.to_owned(), list, count: count.to_owned(), taken: !bad })
        }
        _ if bad => unread(),
        _ => None,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_count(text: &str) -> bool {
    text == "all" || is_number(text.strip_prefix(['-', '+']).unwrap_or(text))
}

/// The fields of a line of comma-separated values, as Go reads it; `None` where a quote stands wrong.
/// Source: <https://pkg.go.dev/encoding/csv>.
fn fields(line: &str) -> Option<Vec<String>> {
    let (mut found, mut rest) = (Vec::new(), line);
    loop {
        let Some(quoted) = rest.strip_prefix('"') else {
            let (field, after) = rest.split_once(',').map_or((rest, None), |(field, after)| (field, Some(after)));
            if field.contains('"') {
                return None;
            }
            found.push(field.to_owned());
            let Some(after) = after else { return Some(found) };
            rest = after;
            continue;
        };
        let (mut field, mut left) = (String::new(), quoted);
        loop {
            let (part, after) = left.split_once('"')?;
            field.push_str(part);
            match after.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    left = after;
                }
                None => {
                    left = after;
                    break;
                }
            }
        }
        found.push(field);
        if left.is_empty() {
            return Some(found);
        }
        rest = left.strip_prefix(',')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    /// Each was given to Docker 28.2.2; what only its daemon refuses is in `daemon/devices_nvidia_linux.go` of moby.
    #[test]
    fn values_as_docker_reads_them() {
        for right in [
            "all",
            "1",
            "-1",
            "+1",
            "0",
            "count=1",
            "count=all",
            "device=0",
            "device=GPU-1a",
            "\"device=0,1\"",
            "\"all\"",
            "all,capabilities=utility",
            "\"device=0,1\",capabilities=utility",
            "\"capabilities=compute,utility\",\"device=0,1\"",
            "driver=nvidia,count=2",
            "options=a",
            "device=0:1",
            "0,device=1",
            "1,capabilities=gpu",
            "",
        ] {
            assert_eq!(misread(right).filter(|_| !right.is_empty()), None, "{right}");
        }
        for wrong in [
            "0.5",
            "nvidia/cuda:12",
            "'all'",
            "'\"device=0,1\"'",
            "\\\"device=0,1\\\"",
            "\"all",
            "all,device=0",
            "device=0,device=1",
            "gpu",
            "device:0",
            "ALL",
            "devices=0",
            " 1",
            "none",
            "true",
            "1_0",
            "count=x",
            "nvidia",
        ] {
            assert_eq!(misread(wrong), Some(Misread::Value(wrong.to_owned())), "{wrong}");
        }
        for (value, list, count, taken) in [
            ("device=0,1", "device=0,1", "1", false),
            ("device=1,0", "device=1,0", "0", true),
            ("device=0,2,3", "device=0,2,3", "3", false),
            ("device=GPU-a,GPU-b", "device=GPU-a,GPU-b", "GPU-b", false),
            ("device=0,1,capabilities=utility", "device=0,1", "1", false),
            ("all,capabilities=compute,utility", "capabilities=compute,utility", "utility", false),
            ("0,1", "device=0,1", "1", true),
            ("0, 1", "device=0, 1", " 1", false),
        ] {
            let how = Misread::Unquoted { value: value.to_owned(), list: list.to_owned(), count: count.to_owned(), taken };
            assert_eq!(misread(value), Some(how), "{value}");
        }
    }

    #[test]
    fn words_as_docker_reads_them() {
        let read = |text: &str| word(&Text::literal(text, Span::new(FileId(0), 0, text.len()))).map(|m| m.how);
        let one = |option: &str, value: &str| Some(Misread::OneWord { option: option.to_owned(), value: Some(value.to_owned()) });
        assert_eq!(read("--gpus all"), one("--gpus", "all"));
        assert_eq!(read("--gpu  1"), one("--gpus", "1"));
        assert_eq!(read("--gpus\tdevice=0"), one("--gpus", "device=0"));
        assert_eq!(read("--runtime nvidia"), one("--runtime", "nvidia"));
        assert_eq!(read("--device nvidia.com/gpu=all"), one("--device", "nvidia.com/gpu=all"));
        for name in ["--gpu", "-gpus", "-gpu", "--GPUS"] {
            assert_eq!(read(name), Some(Misread::NoOption(name.to_owned())));
            assert_eq!(read(&format!("{name}=all")), Some(Misread::NoOption(name.to_owned())));
        }
        for right in [
            "--gpus",
            "--gpus=all",
            "--gpus=a b",
            "--gpus ",
            "--runtime runc",
            "--device /dev/fuse",
            "--name a b",
            "-g",
            "--gpus-x",
        ] {
            assert_eq!(read(right), None, "{right}");
        }
    }
}
