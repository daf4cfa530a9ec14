//! What names say of the torch that a build is for: of local versions, files, folders, pages.

use crate::knowledge;
use crate::version::{CudaVersion, Version};

/// What a name says of the torch and the CUDA that a build is for: a local version (`pt21cu118`, `cu122torch2.2cxx11abiFALSE`), the
/// id of a page (`pyg/torch-2.1.0+cu121`, `mmcv/cu118/torch2.0`), the folder that a wheel lies in (`py310_cu121_pyt210`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Named {
    /// Major and minor.
    pub(crate) torch: Option<(u64, u64)>,
    pub(crate) cuda: Option<CudaVersion>,
    /// It is for the CPU alone.
    pub(crate) cpu: bool,
    /// With C++11's ABI of the standard library, or with the one before.
    pub(crate) cxx11: Option<bool>,
}

impl Named {
    pub(crate) fn of(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let torch = numbers(&text, &["pytorch", "torch"]).find_map(|digits| of_release(&digits));
        let torch = torch.or_else(|| numbers(&text, &["pyt"]).find_map(|digits| of_patch(&digits)));
        let torch = torch.or_else(|| numbers(&text, &["pt"]).find_map(|digits| of_minor(&digits)));
        let cuda = numbers(&text, &["cuda", "cu"]).find_map(|digits| {
            if digits.contains('.') { CudaVersion::parse(&digits) } else { CudaVersion::of_tag(&format!("cu{digits}")) }
        });
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let cpu = cuda.is_none() && words.any(|word| word.ends_with("cpu"));
        let cxx11 = [("cxx11abitrue", true), ("cxx11abifalse", false)].into_iter().find(|(word, _)| text.contains(word));
        Self { torch, cuda, cpu, cxx11: cxx11.map(|(_, is)| is) }
    }
    /// Whether it says both: for which torch, and for which CUDA or that it is for the CPU.
    pub(crate) fn is_whole(&self) -> bool {
        self.torch.is_some() && (self.cuda.is_some() || self.cpu)
    }
}

/// The numbers that stand behind one of the words, which begin there: not the `pt` of `script12`.
fn numbers<'a>(text: &'a str, words: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    words.iter().flat_map(move |word| {
        let begins = move |at: usize| !text[..at].ends_with(|c: char| c.is_ascii_alphabetic());
        text.match_indices(word).filter(move |(at, _)| begins(*at)).filter_map(move |(at, _)| {
            let rest = text[at + word.len()..].trim_start_matches(['-', '_', '=']);
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let number = rest[..end].trim_end_matches('.');
            number.starts_with(|c: char| c.is_ascii_digit()).then(|| number.to_owned())
        })
    })
}

/// Major and minor of `2.1`, `2.1.0`.
fn dotted(number: &str) -> Option<(u64, u64)> {
    let mut parts = number.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Those of `21`, `113`: the major has one digit.
fn short(digits: &str) -> Option<(u64, u64)> {
    let (major, minor) = digits.split_at_checked(1).filter(|(_, minor)| minor.len() == 1 || !minor.starts_with('0'))?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// `PyG`'s: `pt21` is 2.1, `pt113` is 1.13.
fn of_minor(number: &str) -> Option<(u64, u64)> {
    if number.contains('.') { dotted(number) } else { short(number) }
}

/// `PyTorch3D`'s: `pyt210` is 2.1.0, `pyt1110` is 1.11.0.
/// Source: <https://github.com/facebookresearch/pytorch3d/blob/v0.7.5/INSTALL.md>.
fn of_patch(number: &str) -> Option<(u64, u64)> {
    if number.contains('.') {
        return dotted(number);
    }
    let cut = number.len().checked_sub(1).filter(|length| *length >= 2)?;
    short(&number[..cut])
}

/// `torch2.1`, `torch200`, `torch1130`, `torch21`: without dots, as what is released; `210` may be 2.1.0 and 2.10.
fn of_release(number: &str) -> Option<(u64, u64)> {
    if number.contains('.') {
        return dotted(number);
    }
    let rows = || knowledge::releases("torch").iter().map(|row| row.version);
    let minor = short(number).filter(|(a, b)| rows().any(|version| version.starts_with(&format!("{a}.{b}."))));
    let patch = of_patch(number).filter(|(a, b)| {
        let whole = Version::parse(&format!("{a}.{b}.{}", &number[number.len() - 1..]));
        rows().any(|version| Version::parse(version) == whole)
    });
    match (minor, patch) {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::Named;

    #[test]
    fn what_names_say_of_torch() {
        for (text, torch, cuda) in [
            ("pt21cu118", Some((2, 1)), Some("11.8")),
            ("pt113cu117", Some((1, 13)), Some("11.7")),
            ("18f6958pt2.1.0cu121", Some((2, 1)), Some("12.1")),
            ("cu122torch2.2cxx11abiFALSE", Some((2, 2)), Some("12.2")),
            ("cu12torch2.6cxx11abiFALSE", Some((2, 6)), Some("12")),
            ("cu121.torch2.2.0", Some((2, 2)), Some("12.1")),
            ("torch2.4.0-cuda12.1", Some((2, 4)), Some("12.1")),
            ("pyg/torch-2.1.0+cu121", Some((2, 1)), Some("12.1")),
            ("mmcv/cu118/torch2.0", Some((2, 0)), Some("11.8")),
            ("data.dgl.ai/wheels/torch-2.3/cu121/repo.html", Some((2, 3)), Some("12.1")),
            ("detectron2/cpu/torch1.8", Some((1, 8)), None),
            ("pytorch3d/packaging/wheels/py38_cu113_pyt1110/download.html", Some((1, 11)), Some("11.3")),
            ("py310_cu121_pyt210", Some((2, 1)), Some("12.1")),
            ("torch200cu118", Some((2, 0)), Some("11.8")),
            ("torch1130cu117", Some((1, 13)), Some("11.7")),
            ("torch240cu121", Some((2, 4)), Some("12.1")),
            ("torch21cu121", Some((2, 1)), Some("12.1")),
            // 1.13 and no 1.1.3; 2.1.0 or 2.10.
            ("torch113cu117", Some((1, 13)), Some("11.7")),
            ("torch210cu121", None, Some("12.1")),
            ("cu118", None, Some("11.8")),
            ("cuda118", None, Some("11.8")),
            ("whl/torch_stable.html", None, None),
            ("script12", None, None),
            ("gpt2focus118", None, None),
            ("torch-scatter", None, None),
            ("local.1", None, None),
            ("", None, None),
        ] {
            let named = Named::of(text);
            assert_eq!((named.torch, named.cuda.map(|cuda| cuda.to_string()).as_deref()), (torch, cuda), "{text}");
        }
    }

    #[test]
    fn what_else_they_say() {
        for (text, cpu, cxx11) in [
            ("pt21cpu", true, None),
            ("torch-2.1.0+cpu.html", true, None),
            ("cu118", false, None),
            ("cpu/cu118", false, None),
            ("cu122torch2.2cxx11abiFALSE", false, Some(false)),
            ("cu12torch2.7cxx11abiTRUE", false, Some(true)),
        ] {
            let named = Named::of(text);
            assert_eq!((named.cpu, named.cxx11), (cpu, cxx11), "{text}");
        }
    }
}
