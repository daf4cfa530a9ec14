//! Numbers with dots that may be written in part: a driver `535`, a CUDA release `12.8u1`.
//! A part stands for everything that begins with it, so comparing answers yes, no, or unknown.

use std::cmp::Ordering;
use std::fmt;

/// The numbers of a dotted version, as far as they were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Dotted {
    parts: [u32; 4],
    written: u8,
}

impl Dotted {
    fn parse(text: &str) -> Option<Self> {
        let (mut parts, mut written) = ([0; 4], 0u8);
        for part in text.split('.') {
            if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            *parts.get_mut(usize::from(written))? = part.parse().ok()?;
            written += 1;
        }
        Some(Self { parts, written })
    }
    fn written(&self) -> &[u32] {
        &self.parts[..usize::from(self.written)]
    }
    /// Whether everything `self` stands for is below `bound`. `bound` is exact: its unwritten parts are 0.
    fn below(&self, bound: &Self) -> Option<bool> {
        for i in 0..4 {
            if i >= usize::from(self.written) {
                // The rest may be anything from 0 up: below only if it cannot reach what is left of the bound.
                return if bound.parts[i..].iter().all(|p| *p == 0) { Some(false) } else { None };
            }
            match self.parts[i].cmp(&bound.parts[i]) {
                Ordering::Less => return Some(true),
                Ordering::Greater => return Some(false),
                Ordering::Equal => {}
            }
        }
        Some(false)
    }
}

impl fmt::Display for Dotted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.written().iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            write!(f, "{part}")?;
        }
        Ok(())
    }
}

/// An NVIDIA driver's number, kept as written: `535.104.05` prints with its zero, `535` is the whole branch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DriverVersion {
    text: String,
    number: Dotted,
}

impl DriverVersion {
    /// Reads `535`, `535.104`, `535.104.05`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Some(Self { text: text.to_owned(), number: Dotted::parse(text)? })
    }
    /// Whether all of this is below `bound`; `None` where a part of it is.
    #[must_use]
    pub fn below(&self, bound: &Self) -> Option<bool> {
        self.number.below(&bound.number)
    }
    /// The branch: 535 of `535.104.05`.
    #[must_use]
    pub fn branch(&self) -> u32 {
        self.number.parts[0]
    }
    /// Orders full numbers; for sorting bounds.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        self.number.parts.cmp(&other.number.parts)
    }
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A CUDA release: `12.1`, `12.4.1`, `12.8u1` (its first update), or a major alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CudaVersion(Dotted);

impl CudaVersion {
    /// Reads `12`, `12.1`, `12.4.1`, `12.1.105`, `12.8u1`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim().split_once('u') {
            Some((release, update)) if release.matches('.').count() == 1 => Dotted::parse(&format!("{release}.{update}")),
            Some(_) => None,
            None => Dotted::parse(text.trim()),
        }
        .map(Self)
    }
    /// Reads a wheel tag: `cu121` is 12.1, `cu92` is 9.2 (the last digit is the minor); `cu12` is a major alone.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        let digits = tag.strip_prefix("cu").filter(|d| (2..=3).contains(&d.len()))?;
        if digits.len() == 2 && digits.starts_with('1') {
            return Self::parse(digits);
        }
        let (major, minor) = digits.split_at(digits.len() - 1);
        Self::parse(&format!("{major}.{minor}"))
    }
    /// 12 of 12.1.
    #[must_use]
    pub fn major(&self) -> u32 {
        self.0.parts[0]
    }
    /// 1 of 12.1; `None` for a major alone.
    #[must_use]
    pub fn minor(&self) -> Option<u32> {
        self.0.written().get(1).copied()
    }
    /// Whether all of this is below `bound`; `None` where a part of it is.
    #[must_use]
    pub fn below(&self, bound: &Self) -> Option<bool> {
        self.0.below(&bound.0)
    }
    /// Major and minor alone.
    #[must_use]
    pub fn minor_only(&self) -> Self {
        let mut cut = self.0;
        cut.written = cut.written.min(2);
        cut.parts[2..].fill(0);
        Self(cut)
    }
    /// Whether both name the same major and minor.
    #[must_use]
    pub fn same_minor(&self, other: &Self) -> Option<bool> {
        if self.major() != other.major() {
            return Some(false);
        }
        Some(self.minor()? == other.minor()?)
    }
}

impl fmt::Display for CudaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A library's number, as far as it is written: cuDNN `8`, `8.9`, `9.1.0.70`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LibraryVersion(Dotted);

impl LibraryVersion {
    /// Reads `8`, `8.9`, `9.1.0.70`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Dotted::parse(text.trim()).map(Self)
    }
    /// 9 of `9.1.0.70`.
    #[must_use]
    pub fn major(&self) -> u32 {
        self.0.parts[0]
    }
    /// Whether all of this is below `bound`; `None` where a part of it is.
    #[must_use]
    pub fn below(&self, bound: &Self) -> Option<bool> {
        self.0.below(&bound.0)
    }
    /// Whether more than the major is written.
    #[must_use]
    pub fn has_minor(&self) -> bool {
        self.0.written > 1
    }
}

impl fmt::Display for LibraryVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(version: &str, bound: &str) -> Option<bool> {
        DriverVersion::parse(version)?.below(&DriverVersion::parse(bound)?)
    }

    #[test]
    fn a_written_part_is_a_span() {
        assert_eq!(below("470.182.03", "525.60.13"), Some(true));
        assert_eq!(below("580", "580.65.06"), None, "a part of 580 is below");
        assert_eq!(below("580.65", "580.65.06"), None);
        assert_eq!(below("580.65.06", "580.65.06"), Some(false));
        assert_eq!(below("535", "580.65.06"), Some(true), "all of 535 is below");
        assert_eq!(below("580", "580"), Some(false));
        assert_eq!(below("581", "580.65.06"), Some(false));
    }

    #[test]
    fn drivers_print_as_written() {
        assert_eq!(DriverVersion::parse("470.182.03").expect("a driver").to_string(), "470.182.03");
        for bad in ["", "a", "535.", "1.2.3.4.5", "535-server", "99999999999"] {
            assert_eq!(DriverVersion::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn cuda_labels() {
        assert_eq!(CudaVersion::of_tag("cu92").expect("9.2").to_string(), "9.2");
        assert_eq!(CudaVersion::of_tag("cu121").expect("12.1").to_string(), "12.1");
        assert_eq!(CudaVersion::parse("12.8u1"), CudaVersion::parse("12.8.1"));
        assert_eq!(CudaVersion::of_tag("cu12"), CudaVersion::parse("12"), "a major alone");
        assert_eq!(CudaVersion::of_tag("cpu"), None);
        let v = |t| CudaVersion::parse(t).expect("a version");
        assert_eq!(v("12.1.105").same_minor(&v("12.1")), Some(true));
        assert_eq!(v("12").same_minor(&v("12.1")), None);
        assert_eq!(v("11").same_minor(&v("12.1")), Some(false));
    }
}
