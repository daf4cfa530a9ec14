//! Which indexes a step looks at, in its installer's order of priority.

use super::Aliases;
use crate::environment::StepIndex;
use crate::knowledge;
use crate::outline::{IndexKind, Tool};
use crate::project::{Indexed, Installed};

/// The indexes of a step, and whether something about them is not known.
pub(super) fn indexes(step: &Installed, aliases: &dyn Aliases) -> Vec<StepIndex> {
    let known = |index: &Indexed| {
        let named = index.url.as_deref().map_or_else(unknown, |url| known(url, aliases));
        StepIndex { at: Some(index.at), explicit: index.explicit, ..named }
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
        // Which of several these take is for a lock to say: see `resolve::Reach`.
        Tool::Poetry | Tool::Pdm | Tool::Pipenv | Tool::Pixi => {
            all.extend(links);
            all.extend(extra);
            all.push(primary);
        }
        Tool::Conda => {}
    }
    all
}

/// What the tables and a company's own names know of an address.
pub(super) fn known(url: &str, aliases: &dyn Aliases) -> StepIndex {
    let shown = without_credentials(url);
    let id = aliases.index(&shown).or_else(|| knowledge::index(url).map(|i| i.id));
    StepIndex { id, url: shown, at: None, explicit: false }
}

/// What uv's `--torch-backend auto` picks is the machine's business.
fn unknown() -> StepIndex {
    StepIndex { id: None, url: String::new(), at: None, explicit: false }
}

/// PyPI, which nobody named.
pub(super) fn pypi() -> StepIndex {
    StepIndex { id: Some("pypi"), url: String::new(), at: None, explicit: false }
}

/// An address that may be shown: no user, password, query or fragment, however it is misspelt.
fn without_credentials(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((before, host)) = url.rsplit_once('@') else { return url.to_owned() };
    let scheme = before.split_once("://").map_or(String::new(), |(scheme, _)| format!("{scheme}://"));
    format!("{scheme}{host}")
}

#[cfg(test)]
mod tests {
    use super::without_credentials;

    #[test]
    fn credentials_go() {
        assert_eq!(without_credentials("https://me:secret@host.example/simple"), "https://host.example/simple");
        for bad in [
            "//u:SECRET@h.example/x",
            "https:/u:SECRET@h.example/x",
            "u:SECRET@h.example/x",
            "https://SECRET@h.example/x",
            "https://h.example/x?t=SECRET",
            "https://h.example/x#SECRET",
            "https://u:p/SECRET@h.example",
        ] {
            assert!(!without_credentials(bad).contains("SECRET"), "{bad}: {}", without_credentials(bad));
        }
    }
}
