//! A pin that names one build by its local version (`torch==2.1.0+cu118`), and the indexes that could serve it.

use crate::environment::{Ask, Origin, Step, StepIndex};
use crate::knowledge::{self, Index, Release};
use crate::notation::wheel::WheelName;
use crate::version::{CudaVersion, Version};

/// Such a pin that an installer looks for, at indexes all of which are known.
pub(crate) struct Tagged<'a> {
    pub(crate) ask: &'a Ask,
    /// `2.1.0`.
    pub(crate) version: Version,
    /// `cu118`.
    pub(crate) tag: String,
    /// What says so.
    pub(crate) by: By,
    /// With what the tables know of each.
    pub(crate) indexes: Vec<(&'a StepIndex, &'static Index)>,
}

/// What says of which build an ask is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Its own local version.
    Tag,
    /// The indexes where it is looked for: all are for one CUDA, and it is a version.
    Index,
    /// These, and it is a range, which begins with the version.
    Range,
    /// The file's name and folder: it is one wheel.
    File,
}

/// On which side of all releases with its tag a version lies.
pub(crate) enum Outside {
    /// The tag's line ended before it, with this.
    Behind(Version),
    /// The tag came after it, with this.
    Before(Version),
}

/// Where a version of a package lies outside of what was built for a tag; `None` where the build may exist: builds off the official
/// matrix do.
pub(crate) fn outside(package: &str, tag: &str, version: &Version) -> Option<Outside> {
    // Only of torch, and of what is released with it, the tables have all releases.
    let listed = package == "torch" || knowledge::companion_of(package) == Some("torch");
    if !listed || version.is_pre() {
        return None;
    }
    let rows = knowledge::releases(package);
    let with_tag = || rows.iter().filter(|row| row.tag == tag).filter_map(|row| Version::parse(row.version));
    let (first, last) = (with_tag().min()?, with_tag().max()?);
    let closed = knowledge::index_by_id(&format!("pytorch/{tag}")).is_some_and(|index| index.closed);
    if *version > last && closed {
        return Some(Outside::Behind(last));
    }
    // Between the two another line of releases came and went without that tag.
    let between = || {
        let mut all = rows.iter().filter_map(|row| Version::parse(row.version));
        all.any(|v| v > *version && v < first && !same_line(&v, version))
    };
    (*version < first && (closed || between())).then_some(Outside::Before(first))
}

/// Whether two releases share major and minor.
fn same_line(a: &Version, b: &Version) -> bool {
    let line = |version: &Version| version.to_string().split('.').take(2).map(str::to_owned).collect::<Vec<_>>();
    line(a) == line(b)
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
    grouped(step.asks.iter().filter_map(|ask| Tagged::of(step, ask)).filter(counts))
}

/// Those of a step, and what says by its index or its address of which build it is, the ones of one tag together.
pub(crate) fn by_build(step: &Step, counts: impl Fn(&Tagged<'_>) -> bool) -> Vec<Vec<Tagged<'_>>> {
    let of = |ask| Tagged::of(step, ask).or_else(|| Tagged::of_index(step, ask)).or_else(|| Tagged::of_file(ask));
    grouped(step.asks.iter().filter_map(of).filter(counts))
}

fn grouped<'a>(pins: impl Iterator<Item = Tagged<'a>>) -> Vec<Vec<Tagged<'a>>> {
    let mut found: Vec<Vec<Tagged<'_>>> = Vec::new();
    for pin in pins {
        match found.iter_mut().find(|pins| pins[0].tag == pin.tag) {
            Some(pins) => pins.push(pin),
            None => found.push(vec![pin]),
        }
    }
    found
}

/// Where an ask is looked for; `None` where what one of these does not have is not known.
fn known_indexes<'a>(step: &'a Step, ask: &'a Ask) -> Option<Vec<(&'a StepIndex, &'static Index)>> {
    let named = |index: &'a StepIndex| Some((index, knowledge::index_by_id(index.id?)?));
    let looked_at = step.looks_at(ask)?;
    if looked_at.iter().any(|index| index.by_name) {
        return None;
    }
    looked_at.into_iter().map(named).collect()
}

impl<'a> Tagged<'a> {
    fn of(step: &'a Step, ask: &'a Ask) -> Option<Self> {
        let pin = ask.wants.pin().filter(|_| ask.looked_for && ask.from == Origin::Index)?;
        let tag = pin.local()?;
        Some(Self { ask, version: pin.public(), tag, by: By::Tag, indexes: known_indexes(step, ask)? })
    }
    /// What has no local version, where all indexes are for one CUDA and none of them is known to have it.
    fn of_index(step: &'a Step, ask: &'a Ask) -> Option<Self> {
        if !ask.looked_for || ask.from != Origin::Index || ask.wants.is_any() || step.flags.pre {
            return None;
        }
        let indexes = known_indexes(step, ask)?;
        let tag = indexes.first()?.1.tag;
        let of_it = |index: &Index| index.tag == tag && index.id == format!("pytorch/{tag}");
        if CudaVersion::of_tag(tag).is_none() || !indexes.iter().all(|(_, index)| of_it(index)) {
            return None;
        }
        let rows = knowledge::releases(&ask.package);
        let admitted = |row: &&Release| Version::parse(row.version).filter(|version| ask.wants.admits(version));
        let here = |row: &Release| row.tag == tag || indexes.iter().any(|(_, index)| row.indexes.contains(&index.id));
        if rows.iter().any(|row| admitted(&row).is_some() && here(row)) {
            return None;
        }
        let (version, by) = match ask.wants.pin() {
            Some(pin) => (pin.local().is_none().then_some(pin)?, By::Index),
            // Of a range that begins with what the tables do not know nothing is said.
            None => (rows.iter().filter_map(|row| admitted(&row)).min()?, By::Range),
        };
        Some(Self { ask, version, tag: tag.to_owned(), by, indexes })
    }
    /// A wheel in the folder of one CUDA.
    fn of_file(ask: &'a Ask) -> Option<Self> {
        let Origin::Wheel(url) = &ask.from else { return None };
        let (wheel, index) = (WheelName::parse(url)?, knowledge::index_of_file(url)?);
        let own = index.id == format!("pytorch/{}", index.tag) && wheel.version.local().as_deref() == Some(index.tag);
        own.then(|| Self { ask, version: wheel.version.public(), tag: index.tag.to_owned(), by: By::File, indexes: Vec::new() })
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
