use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Ask, Environment, Evidence, Holds, Join, Reason, Step, StepIndex};
use crate::knowledge::{self, Basis};
use crate::made_for_torch::{self, Named, Torch};
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
    for step in env.steps.iter().filter(|step| step.tool != Tool::Conda) {
        for index in &step.indexes {
            let Some(row) = index.id.and_then(knowledge::index_by_id) else { continue };
            // What the page is named for.
            let asks = || step.asks.iter().filter(|ask| is_on(row.id, ask));
            let Some(ask) = asks().next() else { continue };
            let page = Named::of(row.id);
            if page.torch.is_some() {
                out.extend(Torch::of(env).and_then(|torch| for_other(&torch, &page, index, ask)));
            } else if row.id == PYG {
                out.extend(never(step, index, ask));
            }
        }
    }
}

/// Pages of PyG that the tables do not list one by one.
const PYG: &str = "pyg";

/// Whether a page of one torch has builds of what is asked for.
fn is_on(id: &str, ask: &Ask) -> bool {
    match id.split('/').next().unwrap_or_default() {
        "mmcv" => matches!(ask.package.as_str(), "mmcv" | "mmcv-full"),
        "detectron2" => ask.package == "detectron2",
        "pyg" => {
            matches!(ask.package.as_str(), "torch-scatter" | "torch-sparse" | "torch-cluster" | "torch-spline-conv" | "pyg-lib")
        }
        _ => false,
    }
}

fn line(index: &StepIndex) -> Option<Evidence> {
    let reason = Reason::Index { index: index.url.as_deref().unwrap_or_default().to_owned() };
    Some(Evidence { at: index.at?, reason, also: index.also.clone(), basis: Basis::Vendor, join: Join::Stated })
}

fn for_other(torch: &Torch<'_>, page: &Named, index: &StepIndex, ask: &Ask) -> Option<Clash> {
    let (of_page, own) = (page.torch?, torch.line()?);
    let other_cuda = match (page.cuda, torch.cuda) {
        (Some(page), Some(own)) => page.major() != own.major(),
        // Built for CUDA, beside a torch that has none: its libraries are not there.
        (Some(_), None) => torch.cpu,
        _ => false,
    };
    let made_for = format!("torch {}.{}", of_page.0, of_page.1);
    let message = if of_page != own {
        format!("the page has {} for {made_for}, and torch {} is there", ask.package, torch.version)
    } else if other_cuda {
        let there = torch.cuda.map_or("the CPU".to_owned(), |cuda| format!("CUDA {}", cuda.minor_only()));
        format!(
            "the page has {} for CUDA {}, and torch {} of {there} is there",
            ask.package,
            page.cuda?.minor_only(),
            torch.version
        )
    } else {
        return None;
    };
    let links = vec![line(index)?, torch.evidence.clone(), asked(ask)];
    let holds = if torch.sure { Holds::Always } else { Holds::Today };
    let clash = Clash::new(holds, message, links);
    let tag = torch.cuda.map(|cuda| cuda.minor_only().to_string().replace('.', ""));
    let tag = tag.map_or("cpu".to_owned(), |digits| format!("cu{digits}"));
    let same = made_for_torch::page(std::slice::from_ref(&ask.package), &torch.version, &tag);
    Some(match same {
        Some(page) => clash.help(format!("name the page for torch {}: https://{page}", torch.version)),
        None => clash.help(format!(
            "name the page for torch {}.{} and {tag}, where there is one, or build it from its sources",
            own.0, own.1
        )),
    })
}

fn asked(ask: &Ask) -> Evidence {
    let reason = Reason::Asked { package: ask.package.clone(), wants: ask.wants.to_string() };
    Evidence { reason, basis: Basis::Vendor, ..ask.evidence.clone() }
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
    if !inside || CudaVersion::of_tag(tag).is_none() && tag != "cpu" {
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
