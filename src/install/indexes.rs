//! Which indexes a step looks at, in its installer's order of priority.

use super::Aliases;
use crate::environment::{StepIndex, Untold};
use crate::knowledge;
use crate::outline::{IndexKind, Tool};
use crate::project::{Indexed, Installed};
use crate::secret::address_without;

/// The indexes of a step, and whether something about them is not known.
pub(super) fn indexes(step: &Installed, aliases: &dyn Aliases) -> Vec<StepIndex> {
    let known = |index: &Indexed| {
        let at = match &index.url {
            Ok(url) => known(url, aliases),
            Err(why) => unknown(why.clone()),
        };
        let last = index.kind == IndexKind::Supplemental;
        StepIndex {
            at: Some(index.at),
            also: index.also.clone(),
            explicit: index.explicit,
            in_project: index.in_project,
            last,
            ..at
        }
    };
    let of = |kind: IndexKind| step.indexes.iter().filter(move |i| i.kind == kind).map(known);
    let no_index = step.indexes.iter().any(|i| i.kind == IndexKind::None);
    // The last --index-url wins.
    let primary = of(IndexKind::Primary).last().unwrap_or_else(pypi);
    let (extra, links): (Vec<_>, Vec<_>) = (of(IndexKind::Extra).collect(), of(IndexKind::FindLinks).collect());
    let backend = match &step.torch_backend {
        None => None,
        Some(None) => Some(unknown(Untold::Variable)),
        Some(Some(name)) if name == "auto" => Some(unknown(Untold::Machine)),
        Some(Some(name)) => {
            let url = format!("https://download.pytorch.org/whl/{name}");
            Some(StepIndex { at: Some(step.at), ..named(knowledge::index(&url).map(|i| i.id), url) })
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
        // Each package comes from the first, or from its own.
        Tool::Pipenv => {
            all.push(primary);
            all.extend(extra);
        }
        // No priority either, unless the project asks for it: then PyPI comes first where it is not named.
        Tool::Pdm => {
            all.extend((!step.indexes.iter().any(|i| i.kind == IndexKind::Primary)).then(pypi));
            all.extend(step.indexes.iter().map(known));
        }
        Tool::Poetry => all.extend(of_poetry(&step.indexes, &known)),
        // uv: named indexes first, in order; the default one last. pixi lets uv resolve.
        Tool::UvPip | Tool::Uv | Tool::Pixi => {
            all.extend(backend);
            all.extend(links);
            all.extend(extra);
            all.push(primary);
        }
        Tool::Conda => {}
    }
    all
}

/// poetry looks at all that are no supplement: at PyPI only where no other is named, or where it is named itself. Before
/// poetry 2 it looked at PyPI beside them, unless one was the default.
/// Source: <https://python-poetry.org/docs/repositories/#project-configuration>.
fn of_poetry(named: &[Indexed], known: &impl Fn(&Indexed) -> StepIndex) -> Vec<StepIndex> {
    let is_pypi = |index: &Indexed| index.url.as_deref().is_ok_and(|url| url.eq_ignore_ascii_case("pypi"));
    let mut all: Vec<StepIndex> = Vec::new();
    for index in named {
        let at = known(index);
        all.push(if is_pypi(index) {
            StepIndex { at: at.at, also: at.also, explicit: at.explicit, last: at.last, ..pypi() }
        } else {
            at
        });
    }
    let default = named.iter().any(|index| index.kind == IndexKind::Primary || is_pypi(index));
    let others = all.iter().any(|index| !index.explicit && !index.last);
    all.extend((!default).then(|| StepIndex { perhaps: others, ..pypi() }));
    all
}

/// What the tables and a company's own names know of an address.
pub(super) fn known(url: &str, aliases: &dyn Aliases) -> StepIndex {
    let shown = address_without(url);
    let told = aliases.index(&shown);
    let by_name = told.is_none() && knowledge::is_pypi_by_name(url);
    StepIndex { by_name, ..named(told.or_else(|| knowledge::index(url).map(|i| i.id)), shown) }
}

fn named(id: Option<&'static str>, url: String) -> StepIndex {
    StepIndex {
        id,
        url: Ok(url),
        at: None,
        also: Vec::new(),
        explicit: false,
        in_project: false,
        last: false,
        perhaps: false,
        by_name: false,
    }
}

fn unknown(why: Untold) -> StepIndex {
    StepIndex { url: Err(why), ..named(None, String::new()) }
}

/// PyPI, which nobody named.
pub(super) fn pypi() -> StepIndex {
    named(Some("pypi"), String::new())
}
