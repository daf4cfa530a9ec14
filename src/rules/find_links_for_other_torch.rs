use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Join, Origin, Reason, Step, StepIndex};
use crate::knowledge::{self, Basis};
use crate::made_for_torch::{self, Named, Torch};
use crate::meant;
use crate::outline::Tool;
use crate::version::{CudaVersion, Version};

pub(super) static RULE: Rule = Rule {
    name: "find-links-for-other-torch",
    level: Severity::Error,
    page: include_str!("../../rules/find-links-for-other-torch.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    let torch = Torch::of(env);
    for step in env.steps.iter().filter(|step| step.tool != Tool::Conda) {
        for index in &step.indexes {
            let mut asks = asks_of(env, step, index);
            let page = of_page(index);
            if page.torch.is_some() || is_of_dgl(index) && page.cuda.is_some_and(|cuda| !brings(env, cuda)) {
                // Of several pages one may suit: which one pip takes the package from is not known.
                let others = || step.indexes.iter().filter(|other| !std::ptr::eq(*other, index));
                let found = torch.as_ref().and_then(|torch| {
                    let suits = |other: &StepIndex| Differs::of(&of_page(other), torch).is_none();
                    let ask = asks.find(|ask| !others().any(|other| is_on(other, ask) && suits(other)))?;
                    for_other(env, torch, &page, index, ask)
                });
                out.extend(found.or_else(|| never_built(&page, index, asks_of(env, step, index).next()?)));
            } else if index.id == Some(PYG) {
                out.extend(asks.next().and_then(|ask| never(step, index, ask)));
            }
        }
    }
}

/// What a step takes from a page, as far as it is there in the end.
fn asks_of<'e>(env: &'e Environment, step: &'e Step, index: &'e StepIndex) -> impl Iterator<Item = &'e Ask> {
    step.asks.iter().filter(move |ask| ask.from == Origin::Index && is_on(index, ask) && made_for_torch::stays(env, ask))
}

/// Whether an image has the libraries of a CUDA major itself.
fn brings(env: &Environment, cuda: CudaVersion) -> bool {
    let row = env.image.as_ref().and_then(|image| image.row);
    row.and_then(|row| CudaVersion::parse(row.cuda)).is_some_and(|own| own.major() == cuda.major())
}

/// Whether an index is one of dgl's pages: those of its older releases name a CUDA alone, whose libraries torch brings.
fn is_of_dgl(index: &StepIndex) -> bool {
    index.id.is_some_and(|id| id.split('/').next() == Some("dgl"))
}

/// Pages of PyG that the tables do not list one by one.
const PYG: &str = "pyg";

/// Whether an index is a page that has builds of what is asked for.
fn is_on(index: &StepIndex, ask: &Ask) -> bool {
    let package = ask.package.as_str();
    match index.id.and_then(|id| id.split('/').next()) {
        Some("mmcv") => matches!(package, "mmcv" | "mmcv-full"),
        Some("detectron2") => package == "detectron2",
        Some("pyg") => {
            matches!(package, "torch-scatter" | "torch-sparse" | "torch-cluster" | "torch-spline-conv" | "pyg-lib")
        }
        _ => made_for_torch::is_on_page(index, ask),
    }
}

/// What a page is named for: by the tables, or by its address where that says all.
fn of_page(index: &StepIndex) -> Named {
    let listed = Named::of(index.id.unwrap_or_default());
    let path = index.url.as_ref().ok().and_then(|url| url.split_once("://")?.1.split_once('/')).map(|(_, path)| path);
    match path.map(Named::of).filter(|named| (named.is_whole() || is_of_dgl(index)) && index.id != Some(PYG)) {
        Some(named) if listed.torch.is_none() => named,
        _ => listed,
    }
}

/// What of a page does not fit the torch that is there.
enum Differs {
    Torch((u64, u64)),
    Cuda(CudaVersion),
    /// It is for the CPU.
    Cpu,
    /// Its wheels are compiled against a torch with C++11's ABI, or without it.
    Abi(bool),
}

impl Differs {
    fn of(page: &Named, torch: &Torch<'_>) -> Option<Self> {
        let own = torch.line()?;
        let of_page = page.torch.unwrap_or(own);
        match (page.cuda, torch.cuda) {
            _ if of_page != own => Some(Self::Torch(of_page)),
            (Some(page), Some(own)) if page.major() != own.major() => Some(Self::Cuda(page)),
            // Built for CUDA, beside a torch that has none: its libraries are not there.
            (Some(page), None) if torch.cpu => Some(Self::Cuda(page)),
            (None, Some(_)) if page.cpu => Some(Self::Cpu),
            // Of a page all wheels are compiled against the torch that the PyTorch project publishes.
            _ => {
                let published = Version::parse(&format!("{}.{}.0", of_page.0, of_page.1))?;
                let tag = page.cuda.map(tag_of);
                let of_page = knowledge::has_cxx11_abi(&published, tag.as_deref().unwrap_or("cpu"), "")?;
                (torch.cxx11? != of_page).then_some(Self::Abi(of_page))
            }
        }
    }
}

fn line(index: &StepIndex) -> Option<Evidence> {
    let reason = Reason::Index { index: index.url.as_deref().unwrap_or_default().to_owned() };
    Some(Evidence { at: index.at?, reason, also: index.also.clone(), basis: Basis::Vendor, join: Join::Stated })
}

fn for_other(env: &Environment, torch: &Torch<'_>, page: &Named, index: &StepIndex, ask: &Ask) -> Option<Clash> {
    let differs = Differs::of(page, torch)?;
    // On purpose, maybe: where nothing says that a GPU is meant.
    if matches!(differs, Differs::Cpu) && !meant::is_for_gpu(env, torch.index) {
        return None;
    }
    let cuda = torch.cuda.map_or("the CPU".to_owned(), |cuda| format!("CUDA {}", cuda.minor_only()));
    let (made_for, there) = match differs {
        Differs::Torch((major, minor)) => (format!("torch {major}.{minor}"), format!("torch {}", torch.version)),
        Differs::Cuda(page) => (format!("CUDA {}", page.minor_only()), format!("torch {} of {cuda}", torch.version)),
        Differs::Cpu => ("the CPU".to_owned(), format!("torch {} of {cuda}", torch.version)),
        Differs::Abi(cxx11) => {
            let (with, other) = if cxx11 { ("with", "without") } else { ("without", "with") };
            (format!("a torch {with} C++11's ABI"), format!("torch {} {other} it", torch.version))
        }
    };
    let message = format!("the page has {} for {made_for}, and {there} is there", ask.package);
    let links = vec![line(index)?, torch.evidence.clone(), asked(ask)];
    let holds = if torch.sure { Holds::Always } else { Holds::Today };
    // It loads, and knows nothing of the GPU.
    let at_most = if matches!(differs, Differs::Cpu) { Severity::Warning } else { Severity::Error };
    let clash = Clash::new(holds, message, links).at_most(at_most);
    if matches!(differs, Differs::Abi(_)) && torch.index.is_empty() {
        return Some(
            clash.help(format!("build {} from its sources against the image's own torch, or take another image", ask.package)),
        );
    }
    let tag = match torch.cuda {
        Some(cuda) => Some(tag_of(cuda)),
        None => torch.cpu.then(|| "cpu".to_owned()),
    };
    let same = tag.as_ref().and_then(|tag| made_for_torch::page(std::slice::from_ref(&ask.package), &torch.version, tag));
    let (major, minor) = torch.line()?;
    Some(match same {
        Some(page) => clash.help(format!("name the page for torch {}: https://{page}", torch.version)),
        None => clash.help(format!(
            "name the page for torch {major}.{minor}{}, where there is one, or build it from its sources",
            tag.map_or(String::new(), |tag| format!(" and {tag}"))
        )),
    })
}

fn asked(ask: &Ask) -> Evidence {
    let reason = Reason::Asked { package: ask.package.clone(), wants: ask.wants.to_string() };
    Evidence { reason, basis: Basis::Vendor, ..ask.evidence.clone() }
}

/// A page that cannot be there: its torch was never published for its CUDA, and nothing was ever built for both.
fn never_built(page: &Named, index: &StepIndex, ask: &Ask) -> Option<Clash> {
    let (torch, tag) = (page.torch?, tag_of(page.cuda?));
    let listed = Named::of(index.id.unwrap_or_default()).torch.is_some();
    if listed || !is_unpublished(torch, &tag) {
        return None;
    }
    let (major, minor) = torch;
    let message = format!("there is no page with {}: torch {major}.{minor} was never published for {tag}", ask.package);
    let clash = Clash::new(Holds::Always, message, vec![line(index)?, asked(ask)]);
    let mut tags: Vec<&str> = rows_of(torch).map(|row| row.tag).filter(|tag| tag.starts_with("cu")).collect();
    tags.sort_unstable();
    tags.dedup();
    Some(match tags.as_slice() {
        [] => clash,
        tags => clash.help(format!("torch {major}.{minor} was published for {}", tags.join(", "))),
    })
}

/// The releases of torch of one minor that pip finds.
fn rows_of((major, minor): (u64, u64)) -> impl Iterator<Item = &'static knowledge::Release> {
    let line = format!("{major}.{minor}.");
    knowledge::releases("torch").iter().filter(move |row| row.version.starts_with(&line))
}

/// Whether no torch of a minor was published with a tag: the line of the tag has ended, and the minor lies outside.
fn is_unpublished(torch: (u64, u64), tag: &str) -> bool {
    let closed = knowledge::index_by_id(&format!("pytorch/{tag}")).is_some_and(|index| index.closed);
    let known = rows_of(torch).next().is_some();
    closed && known && rows_of(torch).all(|row| row.tag != tag)
}

fn tag_of(cuda: CudaVersion) -> String {
    format!("cu{}", cuda.minor_only().to_string().replace('.', ""))
}

/// A page of PyG that was never there: of the releases in the tables all pages are known.
fn never(step: &Step, index: &StepIndex, ask: &Ask) -> Option<Clash> {
    let url = index.url.as_deref().ok()?;
    let name = url.rsplit('/').next()?.strip_suffix(".html")?.replace("%2B", "+").replace("%2b", "+");
    let (version, tag) = name.strip_prefix("torch-")?.split_once('+')?;
    let version = Version::parse(version)?;
    let pages = knowledge::indexes().iter().filter_map(|row| row.id.strip_prefix("pyg/torch-")?.split_once('+'));
    let pages: Vec<(Version, &str)> = pages.filter_map(|(version, tag)| Some((Version::parse(version)?, tag))).collect();
    let known = pages.iter().map(|(version, _)| version);
    let inside = *known.clone().min()? <= version && version <= *known.max()?;
    let of_cuda = tag.strip_prefix("cu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if !inside || !of_cuda && tag != "cpu" {
        return None;
    }
    let tags: Vec<&str> = pages.iter().filter(|(known, _)| *known == version).map(|(_, tag)| *tag).collect();
    let message = format!("PyG never had a page for torch {version} and {tag}");
    let mut links = vec![line(index)?, asked(ask)];
    links.extend(step.asks.iter().find(|ask| ask.package == "torch").map(asked));
    let clash = Clash::new(Holds::Always, message, links);
    Some(match tags.as_slice() {
        [] => clash,
        tags => clash.help(format!("for torch {version} there are pages for {}", tags.join(", "))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_there_are_for_what_was_published() {
        // PyG's README has offered one or two that are not.
        for index in knowledge::indexes().iter().filter(|index| !index.id.starts_with(PYG)) {
            let Named { torch: Some(torch), cuda: Some(cuda), .. } = Named::of(index.id) else { continue };
            assert!(!is_unpublished(torch, &tag_of(cuda)), "{}", index.id);
        }
        assert!(is_unpublished((1, 9), "cu113"));
        assert!(!is_unpublished((1, 12), "cu113"));
        assert!(!is_unpublished((7, 0), "cu113"));
    }
}
