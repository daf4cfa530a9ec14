use super::{Check, Clash, Needs, Out, Rule};
use crate::diagnostic::Severity;
use crate::environment::{Environment, Evidence, Holds, Image, Reason};
use crate::knowledge::{self, Basis};
use crate::notation::image::ImageReference;
use crate::other_image;
use crate::version::CudaVersion;

pub(super) static RULE: Rule = Rule {
    name: "image-tag-gone",
    level: Severity::Error,
    page: include_str!("../../rules/image-tag-gone.md"),
    needs: Needs::Nothing,
    check: Check::Environment(check),
};

fn check(env: &Environment, out: &mut Out) {
    out.extend(env.image.as_ref().and_then(clash));
}

fn clash(image: &Image) -> Option<Clash> {
    let parsed = ImageReference::parse(&image.reference)?;
    // What is named by its digest is found by that.
    if parsed.digest.is_some() {
        return None;
    }
    let (repository, named) = (parsed.repository.as_str(), parsed.tag.as_deref());
    let tag = named.unwrap_or("latest");
    let (message, basis) = if let Some(gone) = knowledge::image_gone(repository, tag) {
        (format!("{repository}:{tag} was taken from the registry"), gone.basis)
    } else {
        let list = knowledge::image_list(repository)?;
        let release = CudaVersion::parse(tag.split('-').next()?)?;
        let before = release.below(&CudaVersion::parse(list.before)?) == Some(true);
        let known = knowledge::image(&image.reference).is_some_and(|row| !row.tag.contains('*'));
        if !before || known || may_have_come_since(repository, &release) {
            return None;
        }
        (format!("{repository} has no tag {tag}"), list.basis)
    };
    let implied = if named.is_none() { "without a tag it is latest: " } else { "" };
    let reason = Reason::Image { image: image.reference.clone(), cuda: String::new() };
    let basis = if matches!(basis, Basis::Inferred) { Basis::Vendor } else { basis };
    let links = vec![Evidence { reason, basis, ..image.evidence.clone() }];
    let clash = Clash::new(Holds::Always, format!("{implied}{message}"), links);
    Some(match other_image::in_place_of(repository, tag) {
        Some(other) => clash.help(format!("write a tag that is there: {other}")),
        None => clash,
    })
}

/// Whether a release is a later patch of a line than the tables have: it may have come after them.
fn may_have_come_since(repository: &str, release: &CudaVersion) -> bool {
    let rows = knowledge::images().iter().filter(|(known, _)| *known == repository).flat_map(|(_, rows)| rows.iter());
    let releases = rows.filter(|row| !row.tag.contains('*')).filter_map(|row| CudaVersion::parse(row.tag.split('-').next()?));
    let same_line: Vec<CudaVersion> = releases.filter(|known| known.same_minor(release) == Some(true)).collect();
    // Two numbers name no patch.
    let two = release.to_string().split('.').count() < 3;
    !two && !same_line.is_empty() && same_line.iter().all(|known| known.below(release) == Some(true))
}
