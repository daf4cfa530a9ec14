//! A pin that names one build by its local version (`torch==2.1.0+cu118`), and the indexes that could serve it.

use crate::environment::{Ask, Origin, Step, StepIndex};
use crate::knowledge::{self, Index, Release};
use crate::version::{CudaVersion, Version};

/// Such a pin that an installer looks for, at indexes all of which are known.
pub(crate) struct Tagged<'a> {
    pub(crate) ask: &'a Ask,
    /// `2.1.0`.
    pub(crate) version: Version,
    /// `cu118`.
    pub(crate) tag: String,
    /// With what the tables know of each.
    pub(crate) indexes: Vec<(&'a StepIndex, &'static Index)>,
}

/// What an index has for such a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Serves {
    /// It has no local versions of that package: PyPI, pages of other packages.
    NoTags,
    /// It has builds of other tags only.
    OtherTags,
    /// It has builds of the tag, as far as is known.
    Tag,
}

/// Those of a step, the ones of one tag together: they are mended together.
pub(crate) fn by_tag(step: &Step, counts: impl Fn(&Tagged<'_>) -> bool) -> Vec<Vec<Tagged<'_>>> {
    let mut found: Vec<Vec<Tagged<'_>>> = Vec::new();
    for pin in step.asks.iter().filter_map(|ask| Tagged::of(step, ask)).filter(counts) {
        match found.iter_mut().find(|pins| pins[0].tag == pin.tag) {
            Some(pins) => pins.push(pin),
            None => found.push(vec![pin]),
        }
    }
    found
}

impl<'a> Tagged<'a> {
    fn of(step: &'a Step, ask: &'a Ask) -> Option<Self> {
        let pin = ask.wants.pin().filter(|_| ask.looked_for && ask.from == Origin::Index)?;
        let tag = pin.local()?;
        let named = |index: &'a StepIndex| Some((index, knowledge::index_by_id(index.id?)?));
        let looked_at = step.looks_at(ask)?;
        // What such a one does not have is not known.
        if looked_at.iter().any(|index| index.by_name) {
            return None;
        }
        let indexes = looked_at.into_iter().map(named).collect::<Option<Vec<_>>>()?;
        Some(Self { ask, version: pin.public(), tag, indexes })
    }
    /// What one of the indexes has for it.
    pub(crate) fn served_by(&self, index: &Index) -> Serves {
        if index.id == "pypi" {
            // "Local versions are not permitted": <https://packaging.python.org/en/latest/specifications/version-specifiers/>.
            return Serves::NoTags;
        }
        if !index.carries.is_empty() {
            let carries = index.carries.contains(&self.ask.package.as_str());
            return if carries { Serves::Tag } else { Serves::NoTags };
        }
        let mut here = self.rows().filter(|row| row.indexes.contains(&index.id)).peekable();
        // What is not listed may be there in any build.
        if here.peek().is_none() || index.pre_releases || index.candidates {
            return Serves::Tag;
        }
        if here.any(|row| row.tag == self.tag) || index.tag.is_empty() { Serves::Tag } else { Serves::OtherTags }
    }
    /// The gravest of all: whether any serves the tag, or at least other tags.
    pub(crate) fn served(&self) -> Serves {
        let all = || self.indexes.iter().map(|(_, index)| self.served_by(index));
        let first = |what| all().any(|serves| serves == what).then_some(what);
        first(Serves::Tag).or_else(|| first(Serves::OtherTags)).unwrap_or(Serves::NoTags)
    }
    /// The package's rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'static Release> {
        knowledge::releases(&self.ask.package).iter()
    }
    /// The rows of that version and tag.
    pub(crate) fn published(&self) -> impl Iterator<Item = &'static Release> {
        let version = self.version.to_string();
        self.rows().filter(move |row| row.tag == self.tag && row.version == version)
    }
    /// `torch==2.1.0+cu118`.
    pub(crate) fn shown(&self) -> String {
        format!("{}=={}+{}", self.ask.package, self.version, self.tag)
    }
    /// The index of one CUDA that serves that build, to be named.
    pub(crate) fn own_index(&self) -> Option<&'static Index> {
        let ids = self.published().flat_map(|row| row.indexes.iter());
        let mut named = ids.filter_map(|id| knowledge::index_by_id(id)).filter(|index| !index.address.is_empty());
        named.find(|index| index.tag == self.tag)
    }
    /// The releases of the package that have a build of the tag, rising.
    pub(crate) fn with_tag(&self) -> Vec<Version> {
        let mut all: Vec<Version> =
            self.rows().filter(|row| row.tag == self.tag).filter_map(|row| Version::parse(row.version)).collect();
        all.sort();
        all.dedup();
        all
    }
    /// The CUDA tags of the builds of the version that is wanted, rising.
    pub(crate) fn other_tags(&self) -> Vec<&'static str> {
        let version = self.version.to_string();
        let mut all: Vec<&'static str> = self
            .rows()
            .filter(|row| row.version == version && row.indexes.iter().any(|id| *id != "pypi"))
            .map(|row| row.tag)
            .filter(|tag| CudaVersion::of_tag(tag).is_some())
            .collect();
        all.sort_by_key(|tag| CudaVersion::of_tag(tag).map(|cuda| (cuda.major(), cuda.minor())));
        all.dedup();
        all
    }
}
