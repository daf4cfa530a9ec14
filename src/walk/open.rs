//! Opens a file that may be ours: only a regular one, inside the root, of a sane size.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::decode::{decode, decode_garbled, decode_head};
use crate::diagnostic::Skipped;
use crate::outline::Kind;
use crate::read;
use crate::source::Position;

/// A larger file is no environment file.
const LARGEST: u64 = 8 << 20;
/// What tools write may be larger than what people write.
const LARGEST_LOCK: u64 = 64 << 20;
/// Nobody writes a larger configuration or host file.
pub const LARGEST_CONFIG: u64 = 1 << 20;
/// Nobody writes a larger ignore file, and its patterns cost more than its reading.
const LARGEST_IGNORE: u64 = 256 << 10;
/// How much of a YAML file is read to see whether it is ours.
const HEAD: u64 = 64 << 10;

/// Why a device or a pipe is not read.
pub const NOT_REGULAR: &str = "not a regular file";
const NOT_TEXT: &str = "not UTF-8";
const GARBLED: &str = "not UTF-8: read without these bytes";

/// The text of a file.
pub(super) struct Opened {
    pub(super) text: String,
    /// The first of the bytes that are no text.
    garbled: Option<Position>,
}

impl Opened {
    /// What is to be said of it, with its path.
    pub(super) fn skipped(&self, path: &str) -> Option<Skipped> {
        self.garbled.map(|at| Skipped { path: path.to_owned(), reason: GARBLED.to_owned(), at: Some(at) })
    }
}

/// Why a file is not used.
#[derive(Debug)]
pub(super) struct Refusal {
    why: String,
    at: Option<Position>,
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self { why, at: None }
    }
}

impl Refusal {
    /// With the file's path.
    pub(super) fn of(self, path: &str) -> Skipped {
        Skipped { path: path.to_owned(), reason: self.why, at: self.at }
    }
}

/// The text of a file, or why it has none.
pub(super) fn text(root: &Path, path: &str) -> Result<Opened, Refusal> {
    let (mut file, size) = open(root, &root.join(path))?;
    let kind = read::kind_by_name(path);
    let largest = match kind {
        Some(Kind::Config) => LARGEST_CONFIG,
        Some(kind) if kind.is_lock() => LARGEST_LOCK,
        _ => LARGEST,
    };
    // What is ours alone is text.
    let decode = if kind == Some(Kind::Config) { strict } else { decode_garbled };
    read_rest(&mut file, size, room(size.min(largest)), largest, decode)
}

/// The text of an ignore file, by its whole path: its folder may have a name that is no text.
pub(super) fn ignore_file(root: &Path, whole: &Path) -> Result<Opened, Refusal> {
    let (mut file, size) = open(root, whole)?;
    read_rest(&mut file, size, room(size.min(LARGEST_IGNORE)), LARGEST_IGNORE, decode_garbled)
}

type Decode = fn(Vec<u8>) -> Result<(String, Option<Position>), Position>;

fn strict(bytes: Vec<u8>) -> Result<(String, Option<Position>), Position> {
    decode(bytes).map(|text| (text, None))
}

/// The text and kind of a YAML file that is ours by its content.
pub(super) fn yaml(root: &Path, path: &str) -> Result<Option<(Kind, Opened)>, Refusal> {
    let (mut file, size) = open(root, &root.join(path))?;
    let mut bytes = room(size.min(HEAD));
    (&mut file).take(HEAD).read_to_end(&mut bytes).map_err(|e| reason(&e))?;
    let head = decode_head(bytes.clone()).ok_or_else(|| NOT_TEXT.to_owned())?;
    let Some(kind) = read::kind_by_content(path, &head) else { return Ok(None) };
    Ok(Some((kind, read_rest(&mut file, size, bytes, LARGEST, decode_garbled)?)))
}

/// Room for a file of that size and for the read that meets its end.
fn room(size: u64) -> Vec<u8> {
    Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(32))
}

fn open(root: &Path, whole: &Path) -> Result<(File, u64), String> {
    let mut whole = Cow::Borrowed(whole);
    let mut about = whole.symlink_metadata().map_err(|e| reason(&e))?;
    if about.is_symlink() {
        whole = Cow::Owned(whole.canonicalize().map_err(|e| format!("a link that cannot be followed: {}", reason(&e)))?);
        if !whole.starts_with(root) {
            return Err("a link that leads outside the root".to_owned());
        }
        about = whole.metadata().map_err(|e| reason(&e))?;
    }
    if !about.is_file() {
        return Err(NOT_REGULAR.to_owned());
    }
    Ok((File::open(&whole).map_err(|e| reason(&e))?, about.len()))
}

fn read_rest(file: &mut File, size: u64, mut bytes: Vec<u8>, largest: u64, decode: Decode) -> Result<Opened, Refusal> {
    let left = (largest + 1).saturating_sub(bytes.len() as u64);
    if size <= largest {
        file.take(left).read_to_end(&mut bytes).map_err(|e| reason(&e))?;
    }
    if size > largest || bytes.len() as u64 > largest {
        return Err(too_large(largest).into());
    }
    match decode(bytes) {
        Ok((text, garbled)) => Ok(Opened { text, garbled }),
        Err(at) => Err(Refusal { at: Some(at), ..NOT_TEXT.to_owned().into() }),
    }
}

/// Why a file beyond a limit is not read.
#[must_use]
pub fn too_large(largest: u64) -> String {
    match largest >> 20 {
        0 => format!("larger than {} KiB", largest >> 10),
        mebibytes => format!("larger than {mebibytes} MiB"),
    }
}

/// An error without the number of the operating system.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        kind => kind.to_string(),
    }
}
