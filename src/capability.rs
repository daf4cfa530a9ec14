//! Parts of the driver that a container is given (`NVIDIA_DRIVER_CAPABILITIES`), and those that what runs in it is of no use without.

use std::collections::BTreeMap;

use crate::environment::{Build, Environment, Evidence, Holds, Join, Reason, Setting};
use crate::knowledge::{self, Basis};
use crate::source::Span;

/// The variable that names them.
pub(crate) const CAPABILITIES: &str = "NVIDIA_DRIVER_CAPABILITIES";
/// What is given where nothing names them.
/// Source: <https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html>; for an image that sets
/// `CUDA_VERSION` alone all are.
pub(crate) const USUAL: &str = "compute,utility";
const KNOWN: &[&str] = &["compute", "compat32", "graphics", "utility", "video", "display", "ngx"];
/// Of a command these many words are looked at.
const MOST_WORDS: usize = 256;

/// Something is of no use without a part of the driver.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    /// The part.
    pub(crate) capability: &'static str,
    /// What needs it: `h264_nvenc`, `torch 2.3.1`.
    pub(crate) by: String,
    /// Where that is said.
    pub(crate) evidence: Evidence,
}

/// Whether a list of capabilities has one, under its own name or with another that carries it; `None` where the list has a word that
/// is not known.
/// Source: <https://github.com/NVIDIA/libnvidia-container/blob/5529c95fa75d3ee9da83ee66cfb1b7b849b702c4/src/options.h>.
pub(crate) fn has(list: &str, capability: &str) -> Option<bool> {
    let list = if list.trim().is_empty() { USUAL } else { list };
    let words: Vec<&str> = list.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    if words.contains(&"all") {
        return Some(true);
    }
    let carries = |word: &&str| match capability {
        "compute" => matches!(*word, "compute" | "video"),
        "graphics" => matches!(*word, "graphics" | "display"),
        other => *word == other,
    };
    words.iter().all(|word| KNOWN.contains(word)).then(|| words.iter().any(carries))
}

/// What is surely needed: by the words that run, by variables for all programs, by what is installed in each of these environments.
pub(crate) fn needs(words: &[(String, Span)], variables: &BTreeMap<String, Setting>, environments: &[&Environment]) -> Vec<Need> {
    let mut found = by_words(words);
    for row in knowledge::capability_users().iter().filter(|row| !row.variable.is_empty()) {
        let set = variables.get(row.variable).filter(|set| set.value.as_deref().is_some_and(|value| row.means(value)));
        found.extend(set.map(|set| Need {
            capability: row.capability,
            by: format!("{}={}", row.variable, set.written),
            evidence: set.evidence.clone(),
        }));
    }
    let of_cuda: Vec<Option<(String, Evidence)>> = environments.iter().map(|env| on_cuda(env)).collect();
    if let Some(Some((by, evidence))) = of_cuda.first().filter(|_| of_cuda.iter().all(Option::is_some)) {
        found.push(Need { capability: "compute", by: by.clone(), evidence: evidence.clone() });
    }
    found
}

/// A framework that is built for CUDA whatever is installed, or an image that does nothing without a GPU.
fn on_cuda(env: &Environment) -> Option<(String, Evidence)> {
    let image = env.image.as_ref().filter(|image| image.row.is_some_and(|row| row.gpu_only));
    if let Some(image) = image {
        return Some((image.reference.clone(), image.evidence.clone()));
    }
    let is_cuda = |build: &Build| Some(build.cuda().is_some());
    let torch = env.component("torch").filter(|torch| torch.builds.hold(is_cuda) == Holds::Always)?;
    let build = torch.builds.only().or_else(|| torch.builds.today())?;
    Some((format!("torch {}", build.version), torch.evidence.clone()))
}

fn by_words(words: &[(String, Span)]) -> Vec<Need> {
    // The one word of a shell's `-c` is many.
    let parts = words.iter().flat_map(|(word, at)| {
        let several = word.contains(char::is_whitespace);
        let parts = word.split_ascii_whitespace().enumerate();
        parts.map(move |(n, part)| (part.trim_matches(['"', '\'']), *at, several && n == 0))
    });
    let parts: Vec<(&str, Span, bool)> = parts.take(MOST_WORDS).collect();
    let ends = |word: &str| word.ends_with([';', '&', '|']);
    let mut found: Vec<Need> = Vec::new();
    for row in knowledge::capability_users().iter().filter(|row| row.variable.is_empty()) {
        for (i, (part, at, begins)) in parts.iter().enumerate() {
            let name = part.rsplit('/').next().unwrap_or(part).trim_end_matches(';');
            let before = i.checked_sub(1).map_or("", |i| parts[i].0);
            let starts = i == 0 || *begins || ends(before) || matches!(before, "exec" | "--" | "then" | "do" | "(" | "{");
            if !starts || !row.programs.contains(&name) {
                continue;
            }
            let own = || parts[i + 1..].iter().take_while(|(word, ..)| !ends(word));
            // Who goes on without it does not need it.
            if parts[i..].iter().find(|(word, ..)| ends(word)).is_some_and(|(word, ..)| *word == "||") {
                continue;
            }
            let mut last = "";
            let used = own().find(|(word, ..)| {
                let before = std::mem::replace(&mut last, word);
                row.means(word) && (row.after.is_empty() || before == row.after)
            });
            let (by, at) = match used {
                Some((word, at, _)) if row.after.is_empty() => (format!("{name} with {word}"), *at),
                Some((word, at, _)) => (format!("{name} {} {word}", row.after), *at),
                None if row.values.is_empty() => (name.to_owned(), *at),
                None => continue,
            };
            let reason = Reason::NeedsGpu { because: format!("it runs {by}") };
            let evidence = Evidence { at, reason, also: Vec::new(), basis: row.basis, join: Join::Stated };
            found.push(Need { capability: row.capability, by, evidence });
        }
    }
    found
}

/// What is given where nothing that is run in names it, by the image; `None` where that is not known.
pub(crate) fn of_image(env: &Environment) -> Option<&'static str> {
    let image = env.image.as_ref()?;
    let row = knowledge::image_variables(&image.reference)?;
    // An old image, to which all is given.
    if row.capabilities.is_empty() && env.variable("CUDA_VERSION").is_some() {
        return None;
    }
    Some(if row.capabilities.is_empty() { USUAL } else { row.capabilities })
}

/// Where a list is written.
pub(crate) fn written(at: Span) -> Evidence {
    let reason = Reason::Variable { name: CAPABILITIES.to_owned() };
    Evidence { at, reason, also: Vec::new(), basis: Basis::Vendor, join: Join::Stated }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn lists() {
        for (list, capability, found) in [
            ("compute,utility", "video", Some(false)),
            ("compute, video", "video", Some(true)),
            ("all", "video", Some(true)),
            ("utility,all", "graphics", Some(true)),
            ("video", "compute", Some(true)),
            ("display", "graphics", Some(true)),
            ("graphics,utility", "compute", Some(false)),
            ("", "compute", Some(true)),
            ("", "video", Some(false)),
            ("compute,gpu", "video", None),
            ("compute,utility;video", "video", None),
        ] {
            assert_eq!(has(list, capability), found, "{list:?} {capability}");
        }
    }

    #[test]
    fn words_that_need_a_part() {
        let at = Span::new(FileId(0), 0, 1);
        for (line, found) in [
            (&["ffmpeg", "-hwaccel", "cuda", "-i", "a", "b"][..], "video: ffmpeg -hwaccel cuda"),
            (&["/usr/bin/ffmpeg", "-c:v", "h264_nvenc", "b"], "video: ffmpeg with h264_nvenc"),
            (&["sh", "-c", "cd /x && exec ffmpeg -i a -c:v hevc_nvenc b"], "video: ffmpeg with hevc_nvenc"),
            (&["tini", "--", "ffmpeg", "-c:v", "h264_cuvid", "-i", "a"], "video: ffmpeg with h264_cuvid"),
            (&["ffmpeg", "-i", "a", "-c:v", "libx264", "b"], ""),
            (&["ffmpeg", "-hwaccel", "auto", "-i", "a"], ""),
            (&["python", "ffmpeg", "h264_nvenc"], ""),
            (&["sh", "-c", "ffmpeg -i a b; echo h264_nvenc"], ""),
            (&["sh", "-c", "ffmpeg -c:v h264_nvenc b || ffmpeg b"], ""),
            (&["nvidia-smi"], "utility: nvidia-smi"),
            (&["sh", "-c", "nvidia-smi; python x.py"], "utility: nvidia-smi"),
            (&["sh", "-c", "nvidia-smi || true"], ""),
            (&["echo", "nvidia-smi"], ""),
            (&[], ""),
        ] {
            let words: Vec<(String, Span)> = line.iter().map(|word| ((*word).to_owned(), at)).collect();
            let all: Vec<String> = by_words(&words).iter().map(|need| format!("{}: {}", need.capability, need.by)).collect();
            assert_eq!(all.first().map_or("", String::as_str), found, "{line:?}");
        }
    }
}
