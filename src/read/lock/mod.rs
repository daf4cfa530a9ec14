//! Locks: the one version of each package, or several with the conditions under which each holds.

pub(super) mod conda;
pub(super) mod pdm;
pub(super) mod pipfile;
pub(super) mod pixi;
pub(super) mod poetry;
pub(super) mod pylock;
pub(super) mod uv;

use std::ops::Range;

use crate::notation::match_spec::MatchSpec;
use crate::notation::wheel::WheelName;
use crate::outline::{Locked, LockedFrom, Text};
use crate::source::Span;

/// The entry of a conda package's file, by its address alone.
fn conda_file(url: &Text) -> Option<Locked> {
    let written = url.known()?;
    let spec = MatchSpec::parse(written).ok()?;
    let version = spec.pin()?.to_string();
    let name = spec.name;
    let at = place(url, &[name.as_str(), version.as_str()]);
    let [name, version] = [(name, at[0]), (version, at[1])].map(|(text, at)| Text::literal(text, at));
    Some(Locked { name, version, from: LockedFrom::Conda(url.clone()), markers: Vec::new() })
}

/// The entry of a wheel or source archive, by its address alone.
fn python_file(url: &Text) -> Option<Locked> {
    let written = url.known()?;
    let file = written.split(['?', '#']).next()?.rsplit('/').next()?;
    let (name, version, words) = match WheelName::parse(written) {
        Some(wheel) => {
            let mut parts = file.split('-');
            (wheel.name, wheel.version.to_string(), [parts.next()?, parts.next()?])
        }
        None => {
            let stem = [".tar.gz", ".zip"].iter().find_map(|end| file.strip_suffix(end))?;
            let (name, version) = stem.rsplit_once('-')?;
            (name.to_owned(), version.to_owned(), [name, version])
        }
    };
    let at = place(url, &words);
    let [name, version] = [(name, at[0]), (version, at[1])].map(|(text, at)| Text::literal(text, at));
    Some(Locked { name, version, from: LockedFrom::File(url.clone()), markers: Vec::new() })
}

/// Where words stand in an address, behind its last `/`, one after the other; the whole address for one that does not.
fn place<const N: usize>(url: &Text, words: &[&str; N]) -> [Span; N] {
    let written = url.known().filter(|text| text.len() == url.at.range().len()).unwrap_or_default();
    let mut from = written.rfind('/').map_or(0, |slash| slash + 1);
    words.map(|word| match written.get(from..).and_then(|rest| rest.find(word)) {
        Some(n) if !word.is_empty() => {
            let start = from + n;
            from = start + word.len();
            part(url.at, start..from)
        }
        _ => url.at,
    })
}

/// A part of a place, by bytes from its start.
fn part(at: Span, inner: Range<usize>) -> Span {
    let start = at.start as usize;
    Span::new(at.file, start + inner.start, start + inner.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::{Act, Does, Outline};
    use crate::source::FileId;

    /// What a lock says, an act a line, as it stands in the file.
    pub(super) fn show(read: fn(FileId, &str) -> Outline, text: &str) -> Vec<String> {
        let at = |t: &Text| text[t.at.range()].to_owned();
        let act = |act: &Act| {
            assert!(text.get(act.at.range()).is_some());
            let choices: Vec<_> = act.when.0.iter().map(|c| format!("{c:?}").replace('"', "")).collect();
            let choices = if choices.is_empty() { String::new() } else { format!(" <{}>", choices.join(" ")) };
            match &act.does {
                Does::Lock(lock) => {
                    let from = match &lock.from {
                        LockedFrom::Indexes => String::new(),
                        LockedFrom::Pypi => " PyPI".to_owned(),
                        LockedFrom::Index(url) => format!(" index {}", at(url)),
                        LockedFrom::File(url) => format!(" file {}", at(url)),
                        LockedFrom::Elsewhere => " elsewhere".to_owned(),
                        LockedFrom::Conda(spec) => format!(" conda {}", at(spec)),
                    };
                    let markers: String = lock.markers.iter().map(|m| format!(" if {m}")).collect();
                    format!("{} {}{from}{choices}{markers}", at(&lock.name), at(&lock.version))
                }
                Does::Python(python) => format!("python {}{choices}", at(python)),
                Does::Index(line) => format!("{:?} {}{choices}", line.kind, at(&line.url)),
                other => format!("{other:?}{choices}"),
            }
        };
        read(FileId(0), text).acts.iter().map(act).collect()
    }

    /// No prefix of a lock, and none of some other texts, is more than a reader can bear.
    pub(super) fn survives(read: fn(FileId, &str) -> Outline, sample: &str) {
        let prefixes = (0..=sample.len()).filter(|end| sample.is_char_boundary(*end)).map(|end| sample[..end].to_owned());
        let others = ["\u{feff}", "\0", "[[", "{", "- ", "package:", "中"].map(str::to_owned);
        let variants = [sample.replace('\n', "\r\n"), format!("\u{feff}{sample}"), sample.replace(['"', '\''], "")];
        for text in prefixes.chain(others).chain(variants) {
            let outline = read(FileId(0), &text);
            for act in &outline.acts {
                assert!(text.get(act.at.range()).is_some(), "{text:?}");
                if let Does::Lock(lock) = &act.does {
                    assert!(text.get(lock.name.at.range()).is_some() && text.get(lock.version.at.range()).is_some(), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn addresses_of_packages() {
        let entry = |url: &str| {
            let text = Text::literal(url, Span::new(FileId(0), 0, url.len()));
            let lock = conda_file(&text).or_else(|| python_file(&text))?;
            let at = |t: &Text| url[t.at.range()].to_owned();
            Some([lock.name.known()?.to_owned(), at(&lock.name), lock.version.known()?.to_owned(), at(&lock.version)].join(" "))
        };
        for (url, want) in [
            (
                "https://conda.anaconda.org/pytorch/linux-64/pytorch-2.1.0-py3.10_cuda11.8_cudnn8.7.0_0.tar.bz2",
                Some("pytorch pytorch 2.1.0 2.1.0"),
            ),
            ("https://e.org/c/linux-64/nccl-2.21-h0_0.conda", Some("nccl nccl 2.21 2.21")),
            ("https://e.org/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl", Some("torch torch 2.1.0+cu118 2.1.0%2Bcu118")),
            ("https://e.org/Flash_Attn-2.5.8.tar.gz#sha256=0", Some("Flash_Attn Flash_Attn 2.5.8 2.5.8")),
            ("./local", None),
            ("", None),
        ] {
            assert_eq!(entry(url).as_deref(), want, "{url}");
        }
    }
}
