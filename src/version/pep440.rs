//! Versions of Python packages, by PEP 440.

use std::fmt;
use std::str::FromStr;

/// A version of a Python package. Orders as PEP 440 says: `2.1.0+cu118` is above `2.1.0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pep440_rs::Version);

impl Version {
    /// Reads a version; `None` where PEP 440 has no reading.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        pep440_rs::Version::from_str(text.trim()).ok().map(Self)
    }
    /// The part after `+`, normalised.
    #[must_use]
    pub fn local(&self) -> Option<String> {
        let local = self.0.to_string();
        local.split_once('+').map(|(_, tag)| tag.to_owned())
    }
    /// Without the part after `+`.
    #[must_use]
    pub fn public(&self) -> Self {
        Self(self.0.clone().without_local())
    }
    /// Its numbers: 9, 1, 0, 70 of `9.1.0.70`.
    #[must_use]
    pub fn release(&self) -> &[u64] {
        self.0.release()
    }
    /// Whether it is a pre-release or a development release.
    #[must_use]
    pub fn is_pre(&self) -> bool {
        self.0.any_prerelease()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of conditions on a version: `>=2.0,<2.3`. The empty set admits everything.
#[derive(Clone, Debug, PartialEq, Eq, Default, Hash)]
pub struct Specifiers(Vec<Specifier>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Specifier {
    Pep440(pep440_rs::VersionSpecifier),
    /// `===`: the text itself.
    Arbitrary(String),
}

impl Specifiers {
    /// Reads `>=2.0,<2.3`, `==2.1.*`, `===2.1.0+cu118`, `(>=1.0)`.
    ///
    /// # Errors
    /// Says in one line what PEP 440 does not admit.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let text = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts
            .map(|part| match part.strip_prefix("===") {
                Some(exact) => Ok(Specifier::Arbitrary(exact.trim().to_lowercase())),
                None => pep440_rs::VersionSpecifier::from_str(part).map(Specifier::Pep440).map_err(|e| {
                    let why = e.to_string();
                    why.lines().next().unwrap_or("not a version specifier").to_owned()
                }),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
    /// Exactly this version.
    #[must_use]
    pub fn exactly(version: &Version) -> Self {
        Self(vec![Specifier::Pep440(pep440_rs::VersionSpecifier::equals_version(version.0.clone()))])
    }
    /// Whether it states no condition.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.0.is_empty()
    }
    /// Whether `version` meets all conditions. Local parts count as PEP 440 says: `==2.1.0` admits `2.1.0+cu118`.
    #[must_use]
    pub fn admits(&self, version: &Version) -> bool {
        self.0.iter().all(|s| match s {
            Specifier::Pep440(s) => s.contains(&version.0),
            Specifier::Arbitrary(text) => version.0.to_string() == *text,
        })
    }
    /// The numbers that its conditions have at a place of their versions: at 2 the 4 of `>=3.10.4`.
    pub(crate) fn numbers(&self, place: usize) -> impl Iterator<Item = u64> {
        self.0.iter().filter_map(move |s| match s {
            Specifier::Pep440(s) => s.version().release().get(place).copied(),
            Specifier::Arbitrary(text) => Version::parse(text)?.0.release().get(place).copied(),
        })
    }
    /// Whether a condition names a pre-release, which is how pip comes to accept one.
    #[must_use]
    pub fn names_pre(&self) -> bool {
        self.0.iter().any(|s| match s {
            Specifier::Pep440(s) => s.any_prerelease(),
            Specifier::Arbitrary(_) => true,
        })
    }
    /// The one version that `==X` or `===X` names.
    #[must_use]
    pub fn pin(&self) -> Option<Version> {
        self.0.iter().find_map(|s| match s {
            Specifier::Pep440(s) if *s.operator() == pep440_rs::Operator::Equal => Some(Version(s.version().clone())),
            Specifier::Pep440(_) => None,
            Specifier::Arbitrary(text) => Version::parse(text),
        })
    }
    /// Whether no version can meet all conditions, as far as pins and bounds tell.
    #[must_use]
    pub fn contradict(&self) -> bool {
        use pep440_rs::Operator as Op;
        let bounds = || {
            self.0.iter().filter_map(|s| match s {
                Specifier::Pep440(s) => Some((*s.operator(), s.version())),
                Specifier::Arbitrary(_) => None,
            })
        };
        let mut pins = bounds().filter(|(op, _)| *op == Op::Equal).map(|(_, v)| Version(v.clone())).peekable();
        if pins.peek().is_some() {
            return !pins.any(|pin| self.admits(&pin));
        }
        let lower =
            bounds().filter(|(op, _)| matches!(op, Op::GreaterThanEqual | Op::GreaterThan | Op::TildeEqual | Op::EqualStar));
        let upper = bounds().filter(|(op, _)| matches!(op, Op::LessThan | Op::LessThanEqual));
        let (lower, upper) = (lower.map(|(_, v)| v).max(), upper.map(|(_, v)| v).min());
        lower.zip(upper).is_some_and(|(lower, upper)| lower > upper)
    }
    /// Whether a newer release may come in without a change of the file: no pin and no upper bound.
    #[must_use]
    pub fn is_open_above(&self) -> bool {
        use pep440_rs::Operator as Op;
        !self.0.iter().any(|s| match s {
            Specifier::Pep440(s) => matches!(
                s.operator(),
                Op::Equal | Op::EqualStar | Op::TildeEqual | Op::LessThan | Op::LessThanEqual | Op::ExactEqual
            ),
            Specifier::Arbitrary(_) => true,
        })
    }
    /// How little they leave open: 2 for a pin, 1 for an upper bound, 0 for neither.
    #[must_use]
    pub fn strictness(&self) -> u8 {
        match (self.pin(), self.is_open_above()) {
            (Some(_), _) => 2,
            (None, false) => 1,
            (None, true) => 0,
        }
    }
    /// The same without the parts after `+`.
    #[must_use]
    pub fn public(&self) -> Self {
        let public = |specifier: &Specifier| match specifier {
            Specifier::Pep440(s) => {
                let public = pep440_rs::VersionSpecifier::from_version(*s.operator(), s.version().clone().without_local());
                public.map_or_else(|_| specifier.clone(), Specifier::Pep440)
            }
            Specifier::Arbitrary(text) => Specifier::Arbitrary(text.split('+').next().unwrap_or(text).to_owned()),
        };
        Self(self.0.iter().map(public).collect())
    }
    /// Both sets of conditions together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }
}

impl fmt::Display for Specifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, s) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match s {
                Specifier::Pep440(s) => write!(f, "{}", s.to_string().replace(' ', ""))?,
                Specifier::Arbitrary(text) => write!(f, "==={text}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(spec: &str, version: &str) -> bool {
        Specifiers::parse(spec).expect(spec).admits(&Version::parse(version).expect(version))
    }

    #[test]
    fn local_parts() {
        assert!(admits("==2.1.0", "2.1.0+cu118"));
        assert!(!admits("==2.1.0+cu118", "2.1.0"));
        assert!(admits("===2.1.0+cu118", "2.1.0+cu118"));
        assert!(Specifiers::parse(">=2.0+cu118").is_err());
        let v = |t| Version::parse(t).expect("a version");
        assert!(v("2.1.0+cu121") > v("2.1.0+cu118") && v("2.1.0+cu118") > v("2.1.0") && v("2.2.0") > v("2.1.0+cu118"));
        assert_eq!(v("2.1.0+cu118").public(), v("2.1.0"));
        let public = |t: &str| Specifiers::parse(t).expect(t).public().to_string();
        assert_eq!([public("==2.1.0+cu118"), public("===2.1.0+cu118"), public(">=2,<3")], ["==2.1.0", "===2.1.0", ">=2,<3"]);
        assert_eq!(v("2.1.0+CU118").local().as_deref(), Some("cu118"));
    }

    #[test]
    fn bounds() {
        let open = |t: &str| Specifiers::parse(t).expect(t).is_open_above();
        assert!(open("") && open(">=2.0") && open("!=2.1"));
        assert!(!open("==2.1.0") && !open("~=2.1") && !open("<3") && !open("==2.*") && !open(">=2,<3"));
        assert!(admits("(>=1.0)", "1.5") && admits("~=2.1.0", "2.1.2") && !admits("~=2.1.0", "2.2"));
        assert_eq!(Specifiers::parse("==2.1.0").expect("a pin").pin(), Version::parse("2.1.0"));
        assert_eq!(Specifiers::parse("==2.1.*").expect("no pin").pin(), None);
        let strict = |t: &str| Specifiers::parse(t).expect(t).strictness();
        assert_eq!([strict("==2.1.0"), strict("==2.1.*"), strict("<3"), strict(">=2"), strict("")], [2, 1, 1, 0, 0]);
    }
}
