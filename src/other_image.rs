//! Another image of the same repository and kind that a host starts and runs.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::chain::Driver;
use crate::demand::{self, Answer};
use crate::environment::{Host, Image};
use crate::knowledge::{self, Segment};
use crate::notation::image::ImageReference;
use crate::version::{CudaVersion, DriverVersion, Version};

/// The newest older one that the host's driver satisfies, by what the image itself demands: `nvidia/cuda:12.4.1-base-ubuntu22.04`
/// for `nvidia/cuda:12.6.3-base-ubuntu22.04`. Where none is for the same release of its system, one for another release of that.
pub(crate) fn other_image(image: &Image, host: &Host) -> Option<String> {
    let row = image.row?;
    let parsed = ImageReference::parse(&image.reference)?;
    let mine = Tag::of(parsed.tag.as_deref()?);
    let driver = demand::asked_of(host)?;
    let concrete = CONCRETE.get(row.repository)?.iter();
    let older = concrete.filter(|(_, tag)| tag.numbers < mine.numbers && tag.family() == mine.family());
    let mut older: Vec<&(&knowledge::Image, Tag)> = older.collect();
    older.sort_by(|(one, a), (two, b)| {
        let near = |tag: &Tag| tag.kind == mine.kind;
        near(b).cmp(&near(a)).then_with(|| b.numbers.cmp(&a.numbers)).then_with(|| two.tag.cmp(one.tag))
    });
    let (other, _) = older.into_iter().find(|(other, _)| serves(other, host, &driver))?;
    Some(format!("{}:{}", parsed.repository, other.tag))
}

/// The rows without a pattern, by repository: many starts stand on the same.
static CONCRETE: LazyLock<HashMap<&str, Vec<(&knowledge::Image, Tag)>>> = LazyLock::new(|| {
    let concrete = |rows: &'static [knowledge::Image]| {
        rows.iter().filter(|row| !row.tag.contains('*')).map(|row| (row, Tag::of(row.tag))).collect()
    };
    knowledge::images().iter().map(|(repository, rows)| (*repository, concrete(rows))).collect()
});

/// A tag of the same repository and kind that is there, nearest to one that is not: the next newer one, else the newest.
pub(crate) fn in_place_of(repository: &str, tag: &str) -> Option<String> {
    let mine = Tag::of(tag);
    let (_, rows) = knowledge::images().iter().find(|(known, _)| *known == repository)?;
    let there = rows.iter().filter(|row| !row.tag.contains('*') && knowledge::image_gone(repository, row.tag).is_none());
    let mut there: Vec<(&knowledge::Image, Tag)> = there.map(|row| (row, Tag::of(row.tag))).collect();
    there.retain(|(_, other)| other.family() == mine.family() || other.flavour() == mine.flavour());
    there.sort_by(|(one, a), (two, b)| {
        let newer = |tag: &Tag| tag.numbers >= mine.numbers;
        let far = |tag: &Tag| if newer(tag) { tag.numbers.clone() } else { Vec::new() };
        (newer(b), b.kind == mine.kind, b.family() == mine.family())
            .cmp(&(newer(a), a.kind == mine.kind, a.family() == mine.family()))
            .then_with(|| far(a).cmp(&far(b)))
            .then_with(|| b.numbers.cmp(&a.numbers))
            .then_with(|| two.tag.cmp(one.tag))
    });
    there.first().map(|(row, _)| format!("{repository}:{}", row.tag))
}

/// The same image with nvcc.
pub(crate) fn with_nvcc(row: &knowledge::Image) -> Option<String> {
    let tag = row.tag.replace("-runtime", "-devel").replace("-base", "-devel");
    let reference = format!("{}:{tag}", row.repository);
    knowledge::image(&reference).filter(|other| other.flavour == knowledge::Flavour::Devel && !tag.contains('*'))?;
    Some(reference)
}

/// The one of the same repository and kind that has a release of torch for a CUDA; where its `kernels` count, as PyTorch builds it.
pub(crate) fn with_torch(image: &Image, torch: &Version, cuda: &CudaVersion, kernels: bool) -> Option<String> {
    let row = image.row?;
    let parsed = ImageReference::parse(&image.reference)?;
    let rows = knowledge::images().iter().find(|(repository, _)| *repository == row.repository)?.1;
    let other = rows.iter().find(|other| {
        other.flavour == row.flavour
            && !(kernels && other.conda_torch)
            && Version::parse(other.torch).as_ref() == Some(torch)
            && CudaVersion::parse(other.cuda).map(|own| own.minor_only()) == Some(cuda.minor_only())
    })?;
    let tag = other.tag.replace("cudnn*", &format!("cudnn{}", other.cudnn));
    (!tag.contains('*')).then(|| format!("{}:{tag}", parsed.repository))
}

/// Whether an image starts on a host, its driver runs what is inside, and that compiles for its GPUs.
fn serves(image: &knowledge::Image, host: &Host, driver: &Driver<'_>) -> bool {
    let Some(cuda) = CudaVersion::parse(image.cuda) else { return false };
    let starts = || match DriverVersion::parse(image.driver) {
        _ if !image.require_cuda.is_empty() => demand::of_host(image.require_cuda, driver, host) == Answer::Yes,
        Some(bound) => driver.number().is_some_and(|number| {
            let data_center = !host.gpus.is_empty() && host.gpus.iter().all(|gpu| gpu.segment == Some(Segment::DataCenter));
            let listed = image.driver_branches.iter().any(|branch| u32::from(*branch) == number.branch());
            number.below(&bound) == Some(false) || listed && data_center
        }),
        None => false,
    };
    let targets = knowledge::toolkit(&cuda).map_or(&[][..], |toolkit| toolkit.sms);
    let compiles = host
        .gpus
        .iter()
        .filter_map(|gpu| gpu.sm)
        .all(|sm| targets.iter().any(|target| target.major == sm.major && target.minor <= sm.minor));
    // What a demand lists is long.
    driver.below(&cuda) == Some(false) && compiles && starts()
}

/// A tag that begins with a version.
struct Tag {
    numbers: Vec<u32>,
    /// What follows, without cuDNN's version: `-cudnn-runtime-ubuntu22.04`, `-py3`.
    kind: String,
}

impl Tag {
    fn of(tag: &str) -> Self {
        let tag = tag.strip_prefix('v').unwrap_or(tag);
        let end = tag.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(tag.len());
        let (version, rest) = tag.split_at(end);
        let numbers = version.split('.').map_while(|number| number.parse().ok()).collect();
        let kind = match rest.split_once("cudnn") {
            Some((before, after)) => format!("{before}cudnn{}", after.trim_start_matches(|c: char| c.is_ascii_digit())),
            None => rest.to_owned(),
        };
        Self { numbers, kind }
    }
    /// The kind without its system: `-cudnn-devel`.
    fn flavour(&self) -> &str {
        self.kind.trim_start_matches('-').rsplit_once('-').map_or("", |(flavour, _)| flavour)
    }
    /// The kind without the release of its system.
    fn family(&self) -> &str {
        self.kind.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
    }
}
