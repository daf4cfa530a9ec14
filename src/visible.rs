//! What CUDA makes of `CUDA_VISIBLE_DEVICES`: numbers and UUIDs in a list; what is neither hides itself and all behind it. Numbers are
//! read as C's `strtoul` reads them, and one that stands twice hides all.
//! Sources: <https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables>,
//! <https://github.com/pytorch/pytorch/blob/17e3b6a97af175f377f42b52cf20d4c758a432a9/torch/cuda/__init__.py>, which reads it alike.

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// Its first word is no GPU: all are hidden.
    NoGpu,
    /// It begins with a quote or a bracket, which belongs to it: all are hidden.
    Wrapped,
    /// This number stands in it twice: all are hidden.
    Twice(u32),
    /// This word is no GPU: it is hidden, with all behind it.
    Cut(String),
    /// This word, which names several, is read as this one number.
    ReadAs(String, u32),
    /// There are but so many GPUs, and the first is not one of them: all are hidden.
    Beyond(u32),
    /// There are but so many, and this is none of them: it is hidden, with all behind it.
    CutBeyond(u32, u32),
}

/// Values that hide all GPUs on purpose.
const NONE: &[&str] = &["", "none", "null", "nil", "void", "no", "false", "off", "cpu", "nodevfiles", "nan"];
/// What people write in place of numbers.
const WORDS: &[&str] = &["all", "cuda", "gpu", "gpus", "device", "devices", "nvidia"];
/// Longer lists are looked at no further.
const LONGEST: usize = 1 << 10;

/// What is wrong with a value, where that is certain; `count`: how many GPUs there are, where that is known.
pub(crate) fn wrong(value: &str, count: Option<u32>) -> Option<Wrong> {
    let value = value.trim();
    let bare = value.trim_matches(['"', '\'', '[', ']', '(', ')']);
    // What is filled in later is not known.
    let template = value.contains(['$', '<', '>', '{', '}', '%', '@', '`', '*']) || value.contains("...");
    if value.len() > LONGEST || template || bare.starts_with('-') || NONE.contains(&bare.to_ascii_lowercase().as_str()) {
        return None;
    }
    if value.starts_with("GPU-") || value.starts_with("MIG-") {
        return None;
    }
    let names = |word: &str| {
        let word = word.to_ascii_lowercase();
        let name = word.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches([':', '=', '_', ' ']);
        WORDS.contains(&name)
    };
    if bare.len() < value.len() && !value.starts_with(bare) {
        let numbers = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || b == b' ');
        let named = bare.starts_with("GPU-") || bare.split(',').all(|word| numbers(word) || names(word.trim()));
        return named.then_some(Wrong::Wrapped);
    }
    let mut seen: Vec<u32> = Vec::new();
    for word in value.split(',').map(str::trim) {
        let digits = word.strip_prefix('+').unwrap_or(word);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let Ok(number) = digits[..end].parse::<u32>() else {
            return match (names(word), seen.is_empty()) {
                (true, true) => Some(Wrong::NoGpu),
                (true, false) => Some(Wrong::Cut(word.to_owned())),
                (false, _) => None,
            };
        };
        // `0-3`, `0;1`, `0 1`: more numbers are meant.
        let rest = &digits[end..];
        let more = rest.trim_start_matches([' ', ';', ':', '-', '.', '|', '/', '+', '&']);
        if !rest.is_empty() {
            let several = more.len() < rest.len() && more.starts_with(|c: char| c.is_ascii_digit());
            return several.then(|| Wrong::ReadAs(word.to_owned(), number));
        }
        match count.filter(|count| number >= *count) {
            Some(count) if seen.is_empty() => return Some(Wrong::Beyond(count)),
            Some(count) => return Some(Wrong::CutBeyond(number, count)),
            None => {}
        }
        if seen.contains(&number) {
            return Some(Wrong::Twice(number));
        }
        seen.push(number);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let (cut, read) = (|word: &str| Some(Wrong::Cut(word.into())), |word: &str, n| Some(Wrong::ReadAs(word.into(), n)));
        for (value, found) in [
            ("all", Some(Wrong::NoGpu)),
            ("ALL", Some(Wrong::NoGpu)),
            ("cuda:0", Some(Wrong::NoGpu)),
            ("cuda", Some(Wrong::NoGpu)),
            ("gpu0", Some(Wrong::NoGpu)),
            ("GPU0,GPU1", Some(Wrong::NoGpu)),
            ("gpu:1", Some(Wrong::NoGpu)),
            ("device=0", Some(Wrong::NoGpu)),
            ("[0,1]", Some(Wrong::Wrapped)),
            ("'0'", Some(Wrong::Wrapped)),
            ("\"0, 1\"", Some(Wrong::Wrapped)),
            ("\"all\"", Some(Wrong::Wrapped)),
            ("\"GPU-1f\"", Some(Wrong::Wrapped)),
            ("0,gpu1", cut("gpu1")),
            ("0-3", read("0-3", 0)),
            ("0;1", read("0;1", 0)),
            ("2 3", read("2 3", 2)),
            ("0:1", read("0:1", 0)),
            ("0,0", Some(Wrong::Twice(0))),
            ("1,0,1", Some(Wrong::Twice(1))),
            ("0", None),
            (" 0 ", None),
            ("0, 1,2", None),
            ("0,", None),
            ("", None),
            ("\"\"", None),
            ("-1", None),
            ("'-1'", None),
            ("0,-1,1", None),
            ("none", None),
            ("NoDevFiles", None),
            ("GPU-8932f937", None),
            ("MIG-GPU-1/0/0", None),
            ("GPU-a,1", None),
            ("0gpu", None),
            ("<id>", None),
            ("{gpu}", None),
            ("[GPU_ID]", None),
            ("your_gpu", None),
            ("auto", None),
            ("X", None),
            ("gpu-8932f937", None),
            ("99999999999999999999", None),
            ("é", None),
        ] {
            assert_eq!(wrong(value, None), found, "{value:?}");
        }
        for (value, count, found) in [
            ("0", 1, None),
            ("1", 1, Some(Wrong::Beyond(1))),
            ("3", 2, Some(Wrong::Beyond(2))),
            ("0,1", 2, None),
            ("0,1", 1, Some(Wrong::CutBeyond(1, 1))),
            ("GPU-1f", 1, None),
        ] {
            assert_eq!(wrong(value, Some(count)), found, "{value} of {count}");
        }
    }
}
