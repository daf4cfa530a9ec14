//! Which indexes a step looks at, in its installer's order of priority.

use super::Aliases;
use crate::environment::StepIndex;
use crate::knowledge;
use crate::outline::{IndexKind, Tool};
use crate::project::{Indexed, Installed};
use crate::secret::address_without;

/// The indexes of a step, and whether something about them is not known.
pub(super) fn indexes(step: &Installed, aliases: &dyn Aliases) -> Vec<StepIndex> {
    let known = |index: &Indexed| {
        let id = index
            .url
            .as_deref()
            .and_then(|url| aliases.index(&address_without(url)).or_else(|| knowledge::index(url).map(|i| i.id)));
        let url = index.url.as_deref().map(address_without).unwrap_or_default();
        StepIndex { id, url, at: Some(index.at), explicit: index.explicit }
    };
    let of = |kind: IndexKind| step.indexes.iter().filter(move |i| i.kind == kind).map(known);
    let no_index = step.indexes.iter().any(|i| i.kind == IndexKind::None);
    // The last --index-url wins.
    let primary = of(IndexKind::Primary).last().unwrap_or_else(pypi);
    let (extra, links): (Vec<_>, Vec<_>) = (of(IndexKind::Extra).collect(), of(IndexKind::FindLinks).collect());
    let backend = match &step.torch_backend {
        None => None,
        Some(None) => Some(unknown()),
        Some(Some(name)) if name == "auto" => Some(unknown()),
        Some(Some(name)) => {
            let url = format!("https://download.pytorch.org/whl/{name}");
            Some(StepIndex { id: knowledge::index(&url).map(|i| i.id), url, at: Some(step.at), explicit: false })
        }
    };
    let mut all: Vec<StepIndex> = Vec::new();
    if no_index {
        all.extend(links);
        return all;
    }
    match step.tool {
        // pip: no priority, but of equal versions the later place is taken.
        Tool::Pip => {
            all.extend(backend);
            all.extend(links);
            all.push(primary);
            all.extend(extra);
        }
        // uv: named indexes first, in order; the default one last.
        Tool::UvPip | Tool::Uv => {
            all.extend(backend);
            all.extend(links);
            all.extend(extra);
            all.push(primary);
        }
        Tool::Conda => {}
    }
    all
}

/// What uv's `--torch-backend auto` picks is the machine's business.
fn unknown() -> StepIndex {
    StepIndex { id: None, url: String::new(), at: None, explicit: false }
}

fn pypi() -> StepIndex {
    StepIndex { id: Some("pypi"), url: String::new(), at: None, explicit: false }
}
