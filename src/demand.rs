//! `NVIDIA_REQUIRE_CUDA`: alternatives separated by spaces, each a list of conditions separated by commas.
//! Source: <https://github.com/NVIDIA/nvidia-container-toolkit/blob/main/cmd/nvidia-container-runtime/README.md>.

use std::collections::BTreeSet;

use crate::chain::Driver;
use crate::environment::Host;
use crate::knowledge::Segment;
use crate::platform::Os;
use crate::version::{CudaVersion, DriverVersion};

/// Whether a host meets a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    /// No alternative holds.
    No,
    /// One would hold on a data-centre GPU, and the host's GPU is not named.
    OnlyDataCenter,
    /// Not known.
    Unknown,
    /// One holds.
    Yes,
}

/// The CUDA version that a demand names first.
pub(crate) fn cuda(demand: &str) -> Option<CudaVersion> {
    CudaVersion::parse(first(demand).strip_prefix("cuda>=")?)
}

/// The first alternative, which speaks of CUDA.
pub(crate) fn first(demand: &str) -> &str {
    demand.split_whitespace().next().unwrap_or_default()
}

/// No image lists as many alternatives.
const MOST_ALTERNATIVES: usize = 500;

/// Drivers that a demand lets in, whatever CUDA they report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Others {
    /// Branches: `470`, or `450 or newer`.
    pub(crate) branches: Vec<String>,
    /// For GPUs of these kinds only; empty for all.
    pub(crate) segments: BTreeSet<Segment>,
}

/// The drivers that the alternatives after the first let in, those for the same GPUs together.
pub(crate) fn others(demand: &str) -> Vec<Others> {
    let mut of_branches: Vec<(String, Option<BTreeSet<Segment>>)> = Vec::new();
    for alternative in demand.split_whitespace().skip(1).take(MOST_ALTERNATIVES) {
        let part = |start: &str| alternative.split(',').find_map(|condition| condition.strip_prefix(start));
        let number = |start: &str| part(start)?.parse::<u32>().ok();
        let (Some(from), below, brand) = (number("driver>="), part("driver<"), part("brand=")) else { continue };
        let branch = match below.map(str::parse::<u32>) {
            None => format!("{from} or newer"),
            Some(Ok(below)) if from.checked_add(1) == Some(below) => from.to_string(),
            Some(_) => continue,
        };
        // GPUs that are shared among virtual machines are of no kind here.
        let segment = brand.map(of_brand);
        if segment == Some(None) {
            continue;
        }
        let at = of_branches.iter().position(|(known, _)| *known == branch).unwrap_or_else(|| {
            of_branches.push((branch, Some(BTreeSet::new())));
            of_branches.len() - 1
        });
        match (segment.flatten(), &mut of_branches[at].1) {
            (Some(segment), Some(all)) => drop(all.insert(segment)),
            (Some(_), None) => {}
            (None, all) => *all = None,
        }
    }
    let every = BTreeSet::from([Segment::DataCenter, Segment::GeForce, Segment::Workstation]);
    let mut others: Vec<Others> = Vec::new();
    for (branch, segments) in of_branches {
        let segments = segments.filter(|some| *some != every).unwrap_or_default();
        match others.iter_mut().find(|known| known.segments == segments) {
            Some(known) => known.branches.push(branch),
            None => others.push(Others { branches: vec![branch], segments }),
        }
    }
    others
}

/// Brands, as demands name them, and the GPUs that bear them. `tesla` is that of every data-centre product.
const BRANDS: &[(&str, Segment)] = &[
    ("tesla", Segment::DataCenter),
    ("geforce", Segment::GeForce),
    ("geforcertx", Segment::GeForce),
    ("titan", Segment::GeForce),
    ("titanrtx", Segment::GeForce),
    ("quadro", Segment::Workstation),
    ("quadrortx", Segment::Workstation),
    ("nvidiartx", Segment::Workstation),
    ("unknown", Segment::Workstation),
    ("nvidia", Segment::Workstation),
];

/// The GPUs of a brand; `None` for one that no kind of ours has.
fn of_brand(brand: &str) -> Option<Segment> {
    BRANDS.iter().find(|(known, _)| *known == brand).map(|(_, segment)| *segment)
}

/// The driver that a demand is put to. Docker Desktop's Linux VM meets it with Windows' own numbers: not known here.
pub(crate) fn asked_of(host: &Host) -> Option<Driver<'_>> {
    Driver::of(host).filter(|_| !host.wsl && host.platform.os != Os::Windows)
}

/// Answers a demand for a host, whose driver that is.
pub(crate) fn of_host(demand: &str, driver: &Driver<'_>, host: &Host) -> Answer {
    match host.gpus.as_slice() {
        [] => holds(demand, driver, None),
        gpus => gpus.iter().map(|gpu| holds(demand, driver, gpu.segment)).max().unwrap_or(Answer::Unknown),
    }
}

/// Answers a demand for one GPU of a host. A kind of several brands has an answer where all of them have the same.
pub(crate) fn holds(demand: &str, driver: &Driver<'_>, gpu: Option<Segment>) -> Answer {
    let Some(gpu) = gpu else { return holds_for(demand, driver, None) };
    let brands = BRANDS.iter().filter(|(_, segment)| *segment == gpu);
    let mut answers = brands.map(|(brand, _)| holds_for(demand, driver, Some(brand)));
    // A GPU of no brand meets what no brand is named for.
    let first = answers.next().unwrap_or_else(|| holds_for(demand, driver, Some("")));
    if answers.all(|answer| answer == first) { first } else { Answer::Unknown }
}

fn holds_for(demand: &str, driver: &Driver<'_>, brand: Option<&str>) -> Answer {
    let mut best = Answer::No;
    for alternative in demand.split_whitespace() {
        let mut worst = Answer::Yes;
        for condition in alternative.split(',') {
            worst = worst.min(answer(condition, driver, brand));
        }
        best = best.max(worst);
    }
    best
}

fn answer(condition: &str, driver: &Driver<'_>, brand: Option<&str>) -> Answer {
    let known =
        |below: Option<bool>, wanted: bool| below.map_or(Answer::Unknown, |b| if b == wanted { Answer::Yes } else { Answer::No });
    if let Some(named) = condition.strip_prefix("brand=") {
        return match brand {
            None => Answer::OnlyDataCenter,
            Some(brand) if brand == named => Answer::Yes,
            Some(_) => Answer::No,
        };
    }
    if let Some(version) = condition.strip_prefix("cuda>=") {
        let Some(wanted) = CudaVersion::parse(version) else { return Answer::Unknown };
        return driver.reports().map_or(Answer::Unknown, |has| known(has.below(&wanted), false));
    }
    let number = |text: &str| DriverVersion::parse(text).and_then(|bound| driver.number()?.below(&bound));
    if let Some(version) = condition.strip_prefix("driver>=") {
        return from_report(driver, version, true).unwrap_or_else(|| known(number(version), false));
    }
    if let Some(version) = condition.strip_prefix("driver<") {
        return from_report(driver, version, false).unwrap_or_else(|| known(number(version), true));
    }
    Answer::Unknown
}

/// A host that says only which CUDA its driver reports has a branch of that CUDA.
fn from_report(driver: &Driver<'_>, branch: &str, at_least: bool) -> Option<Answer> {
    if driver.number().is_some() {
        return None;
    }
    let reported = driver.reports()?;
    let of_branch = crate::knowledge::driver_cuda(&DriverVersion::parse(branch)?)?;
    let older = reported.below(&of_branch)?;
    Some(match (at_least, older) {
        (true, true) => Answer::No,
        (false, true) => Answer::Yes,
        // The same CUDA may be a later branch's, too.
        (true, false) => Answer::Unknown,
        (false, false) => {
            if of_branch.below(&reported)? {
                Answer::No
            } else {
                Answer::Unknown
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_told_by_the_gpus_they_are_for() {
        use Segment::{DataCenter, GeForce, Workstation};
        let told = |demand: &str| -> Vec<(String, Vec<Segment>)> {
            let some = others(demand).into_iter();
            some.map(|one| (one.branches.join(" "), one.segments.into_iter().collect())).collect()
        };
        assert_eq!(told("cuda>=12.4"), []);
        assert_eq!(
            told("cuda>=11.4 brand=tesla,driver>=418,driver<419 brand=tesla,driver>=450,driver<451"),
            [("418 450".to_owned(), vec![DataCenter])]
        );
        assert_eq!(
            told("cuda>=11.3 brand=tesla,driver>=418,driver<419 driver>=450"),
            [("418".to_owned(), vec![DataCenter]), ("450 or newer".to_owned(), vec![])]
        );
        let brands = |branch: u32, brands: &[&str]| -> String {
            brands.iter().map(|brand| format!(" brand={brand},driver>={branch},driver<{}", branch + 1)).collect()
        };
        let all = ["geforce", "tesla", "quadro", "vws"];
        let demand = format!("cuda>=12.4{}{}{}", brands(470, &all), brands(525, &all), brands(535, &all[1..]));
        assert_eq!(told(&demand), [("470 525".to_owned(), vec![]), ("535".to_owned(), vec![DataCenter, Workstation])]);
        assert_eq!(told(&brands(470, &["grid", "geforce"])), [("470".to_owned(), vec![GeForce])]);
        for odd in ["cuda>=12.4 driver>=470,driver<500", "cuda>=12.4 driver>=4294967295,driver<0", "cuda>=1 brand= ,"] {
            assert_eq!(told(odd), [], "{odd}");
        }
    }
}
