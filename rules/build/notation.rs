//! The small notations inside a row, as Rust text: platforms, library parts, compute capabilities, sources.

use std::fmt::Write as _;

use crate::row::{Answer, Row};

pub(crate) fn platforms(names: &[&str]) -> Answer<u8> {
    let bit = |name: &&str| match *name {
        "linux-x86_64" => Ok(1),
        "linux-aarch64" => Ok(2),
        "windows" => Ok(4),
        "macos" => Ok(8),
        "any" => Ok(15),
        other => Err(format!("unknown platform `{other}`")),
    };
    let bits = names.iter().map(bit).try_fold(0, |all, bit| bit.map(|bit| all | bit))?;
    if bits == 0 { Err("`platforms` is missing".to_owned()) } else { Ok(bits) }
}

/// `cuda 12.1 rpath`: library, version, how it is found.
pub(crate) fn parts(all: &[&str]) -> Answer<String> {
    let mut text = String::new();
    for part in all {
        let wrong = || format!("`{part}` is not `library version found`");
        let [library, version, found] = part.split(' ').collect::<Vec<_>>().try_into().map_err(|_| wrong())?;
        let library = match library {
            "cuda" => "Cuda",
            "cudnn" => "Cudnn",
            "nccl" => "Nccl",
            "cublas" => "Cublas",
            "nvjitlink" => "NvJitLink",
            "tensorrt" => "TensorRt",
            _ => return Err(wrong()),
        };
        let found = match found {
            "rpath" => "Rpath",
            "runpath" => "Runpath",
            "system" => "System",
            _ => return Err(wrong()),
        };
        write!(text, "Part {{ library: Library::{library}, version: {version:?}, found: Found::{found} }}, ")
            .expect("text grows");
    }
    Ok(text)
}

pub(crate) fn kernels(row: &Row) -> Answer<String> {
    match (row.text("kernels")?, row.own.contains_key("code")) {
        ("cpu", false) => Ok("Kernels::Cpu".to_owned()),
        ("", false) => Ok("Kernels::Unknown".to_owned()),
        ("", true) => Ok(format!(
            "Kernels::Known {{ code: &[{}], ptx: &[{}], ptx_unknown: {} }}",
            sms(&row.list("code")?)?,
            sms(&row.list("ptx")?)?,
            row.flag("ptx_unknown")?
        )),
        (other, _) => Err(format!("`kernels` is `{other}`: only `cpu`, and not beside `code`")),
    }
}

pub(crate) fn sms(all: &[&str]) -> Answer<String> {
    Ok(all.iter().map(|text| sm(text)).collect::<Answer<Vec<_>>>()?.join(", "))
}

/// `9.0`, `9.0a`.
pub(crate) fn sm(text: &str) -> Answer<String> {
    let (plain, exact) = text.strip_suffix('a').map_or((text, false), |plain| (plain, true));
    let number = |t: &str| t.parse::<u8>().map_err(|_| format!("`{text}` is no compute capability"));
    let (major, minor) = plain.split_once('.').ok_or(format!("`{text}` is no compute capability"))?;
    Ok(format!("Sm {{ major: {}, minor: {}, exact: {exact} }}", number(major)?, number(minor)?))
}

/// A commit, a version's tag or a release branch; `main` says another thing tomorrow.
fn stands_still(commit: &str) -> bool {
    let hex = commit.len() >= 7 && commit.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let numbered =
        |t: &str| t.starts_with(|c: char| c.is_ascii_digit()) && t.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
    hex || commit.strip_prefix('v').is_some_and(numbered) || commit.strip_prefix("release/").is_some_and(numbered)
}

pub(crate) fn source_is_well_formed(text: &str) -> bool {
    let repository = |text: &str| -> Option<bool> {
        let (name, rest) = text.split_once('@')?;
        let (commit, path) = rest.split_once(':')?;
        let (owner, repo) = name.split_once('/')?;
        let word = |t: &str| !t.is_empty() && !t.contains(char::is_whitespace) && !t.contains(':');
        Some(word(owner) && word(repo) && !repo.contains('/') && stands_still(commit) && word(path))
    };
    let published = |text: &str| {
        text.split_once("==").is_some_and(|(name, version)| !name.is_empty() && !version.is_empty() && !text.contains(' '))
    };
    match text.split_once(':') {
        Some(("https", rest)) => rest.starts_with("//") && rest.len() > 6 && !rest.contains(char::is_whitespace),
        Some(("pypi", rest)) => published(rest),
        Some(("measured", rest)) => rest.trim().len() > 8,
        _ => repository(text) == Some(true),
    }
}
