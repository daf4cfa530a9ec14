//! One environment as a line.

use cudalint::environment::{Build, Environment};

/// `start: package version index, …`, with `?` where more is possible (and of how many, where they are few), and `…` where it
/// is today's, or is there unless another one was before.
pub(crate) fn line(env: &Environment) -> String {
    let image = env.image.as_ref().map(|i| format!("<{}> ", i.reference)).unwrap_or_default();
    let parts = env.components.iter().map(|c| {
        let shown = |b: &Build, sign: &str| {
            let of_conda = c.name.starts_with("conda:") && !b.release.tag.is_empty();
            let tag = if of_conda { format!(" {}", b.release.tag) } else { String::new() };
            format!("{} {}{tag}{sign} {}", c.name, b.version, b.index)
        };
        match (c.builds.only(), c.builds.today(), c.builds.builds.len()) {
            (Some(only), ..) => shown(only, ""),
            (None, Some(today), _) => shown(today, "…"),
            (None, None, few @ 2..=4) => format!("{} ?{few}", c.name),
            (None, None, _) => format!("{} ?", c.name),
        }
    });
    format!("{}: {image}{}", env.start.name, parts.collect::<Vec<_>>().join(", "))
}
