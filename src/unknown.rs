//! What the tables do not know: of environments for `-v`, of the GPUs that a user named as a warning.

use std::collections::HashSet;

use crate::diagnostic::Notice;
use crate::environment::{Environment, Gpu, Untold};
use crate::knowledge::{self, Sm};
use crate::resolve;
use crate::secret::masked;
use crate::source::{Span, brief};

/// What the tables do not know of an environment: each is a reason for silence.
pub(crate) fn unknown(env: &Environment) -> Vec<String> {
    let start = &env.start.name;
    let mut found = Vec::new();
    if let Some(image) = env.image.as_ref().filter(|i| i.row.is_none()) {
        found.push(match image.reference.as_str() {
            "" => format!("{start}: the name of its image is not known"),
            name => format!("{start}: the image {} is not in the tables", masked(name)),
        });
    }
    for step in &env.steps {
        for index in step.indexes.iter().filter(|i| i.id.is_none() && i.at.is_some()) {
            found.push(match &index.url {
                Ok(url) => format!("{start}: the index {} is not in the tables", masked(url)),
                Err(why) => format!("{start}: {}", untold(why)),
            });
        }
        let mut told = HashSet::new();
        for ask in &step.asks {
            if !ask.alone.builds.is_empty() || knowledge::releases(&ask.package).is_empty() {
                continue;
            }
            // What a release that is not known brings stands at its place, after it.
            if !told.insert(ask.evidence.at) && ask.wants.is_any() {
                continue;
            }
            let (package, wants) = (&ask.package, &ask.wants);
            found.push(match wants.contradict() {
                true => format!("{start}: no version of {package} can be {wants}: these contradict each other"),
                // Others bring it, or a lock or a route leads elsewhere.
                false if resolve::is_served(package, wants, &step.indexes, &env.platform) => {
                    format!("{start}: which build of {package}{wants} comes is not known from this file alone")
                }
                false => {
                    format!("{start}: no build of {package}{wants} is in the tables for this platform and these indexes")
                }
            });
        }
    }
    found
}

/// Why an index is not known.
fn untold(why: &Untold) -> String {
    match why {
        Untold::Variable => "the index with a variable in its address is not known",
        Untold::File(Some(path)) => {
            return format!("the included file {} is not there, and may name an index", brief(path));
        }
        Untold::File(None) => "an included file whose path is not known may name an index",
        Untold::Configuration => "a configuration of the installer that is not read may name an index",
        Untold::Unplaced => "a configuration lies here that names an index, and nobody says whether it is put in place",
        Untold::Module => "a module that is loaded may set an index",
        Untold::Sourced => "a file that is sourced or included may set an index",
        Untold::Others => "others who install it name an index",
        Untold::TooMuch => "its workspace is more than is looked at: which indexes it names is not known",
        Untold::Machine => "the installer chooses the index by the machine",
    }
    .to_owned()
}

/// No more files are told that are not followed to their ends.
const MOST_FILES: usize = 20;

/// Starts of which nothing is said because they lead to more than is followed, by name and place; of one file the first.
pub(crate) fn left_out<'a>(starts: impl Iterator<Item = (&'a str, Span)>) -> Vec<Notice> {
    let mut files = HashSet::new();
    let first: Vec<_> = starts.filter(|(_, at)| files.insert(at.file)).collect();
    let what = |name: &str| format!("{}: it leads to more than is followed: nothing is said of it", brief(name));
    let mut notices: Vec<_> =
        first.iter().take(MOST_FILES).map(|(name, at)| Notice { at: Some(*at), what: what(name) }).collect();
    if first.len() > MOST_FILES {
        notices.push(Notice { at: None, what: format!("{} more files lead to more than is followed", first.len() - MOST_FILES) });
    }
    notices
}

/// No more unknown GPUs are told one by one.
const MOST_GPUS: usize = 20;

/// The GPUs whose names say no compute capability: all the rules on kernels are silent about them. `is_option` tells those
/// that options name.
pub(crate) fn gpus<'a>(gpus: impl Iterator<Item = &'a Gpu>, is_option: impl Fn(&Gpu) -> bool) -> Vec<Notice> {
    let unknown: Vec<&Gpu> = gpus.filter(|gpu| gpu.sm.is_none()).collect();
    let told = unknown.iter().take(MOST_GPUS);
    let mut notices: Vec<_> = told.map(|gpu| Notice { at: Some(gpu.at), what: unknown_gpu(&gpu.name, is_option(gpu)) }).collect();
    if unknown.len() > MOST_GPUS {
        notices.push(Notice { at: None, what: format!("{} more GPUs are not known", unknown.len() - MOST_GPUS) });
    }
    notices
}

fn unknown_gpu(name: &str, is_option: bool) -> String {
    let said = brief(name);
    if name.is_empty() {
        return "a GPU without `name` and `compute_capability`: nothing is said of its kernels".to_owned();
    }
    if let Some(sm) = Sm::parse(name).filter(|sm| !knowledge::is_chip(*sm)) {
        if knowledge::oldest_sm().is_some_and(|oldest| sm < oldest) {
            return format!(
                "compute capability {}.{} is older than any CUDA of the tables: nothing is said of its kernels",
                sm.major, sm.minor
            );
        }
        return format!("no GPU is known with compute capability {}.{}: nothing is said of its kernels", sm.major, sm.minor);
    }
    if let Some(row) = knowledge::gpu(name) {
        let sm = format!("{}.{}", row.sm.major, row.sm.minor);
        return format!(
            "\"{said}\" has compute capability {sm}, and `compute_capability` says another: nothing is said of its kernels"
        );
    }
    if let Some(sm) = Sm::parse(name).or_else(|| bare_number(name.trim())) {
        let sm = format!("{}.{}", sm.major, sm.minor);
        let write = if is_option { format!("--gpu {sm}") } else { format!("compute_capability = \"{sm}\"") };
        return format!("\"{said}\" is no name but a compute capability: write `{write}`");
    }
    let near = knowledge::gpus_near(name);
    let near: Vec<_> = near.iter().map(|gpu| format!("{} (sm_{}{})", gpu.name, gpu.sm.major, gpu.sm.minor)).collect();
    let near = match near.split_last() {
        None => String::new(),
        Some((last, [])) => format!(" (is it {last}?)"),
        Some((last, others)) => format!(" (is it {} or {last}?)", others.join(", ")),
    };
    format!("no single GPU is known as \"{said}\"{near}: nothing is said of its kernels unless its compute capability is given")
}

/// The chip that `89`, `120` or `12` may mean.
fn bare_number(name: &str) -> Option<Sm> {
    let digits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    let written = [format!("sm_{name}"), format!("{name}.0")];
    written.iter().filter(|_| digits).find_map(|sm| Sm::parse(sm).filter(|sm| knowledge::is_chip(*sm)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::source::Sources;

    #[test]
    fn unknown_gpus_are_told_with_what_may_be_meant() {
        for (gpu, told) in [
            ("name = \"RTX 4090\"", None),
            ("name = \"Mystery\"\ncompute_capability = \"7.0\"", None),
            ("name = \"RTX 409\"", Some("is it GeForce RTX 4090 (sm_89)")),
            ("name = \"RTX 6000\"", Some("Quadro RTX 6000 (sm_75)")),
            ("name = \"Radeon\"", Some("known as \"Radeon\": nothing")),
            ("compute_capability = \"99.9\"", Some("no GPU is known with compute capability 99.9")),
            ("name = \"A\"\ncompute_capability = \"sm_999\"", Some("no GPU is known with compute capability 99.9")),
            ("compute_capability = \"1.3\"", Some("compute capability 1.3 is older than any CUDA of the tables")),
            ("compute_capability = \"sm_90a\"", None),
            ("name = \"A800\"", None),
            ("name = \"89\"", Some("`compute_capability = \"8.9\"`")),
            ("name = \"sm_89\"", Some("`compute_capability = \"8.9\"`")),
            ("name = \"12\"", Some("`compute_capability = \"12.0\"`")),
            ("name = \"120\"", Some("`compute_capability = \"12.0\"`")),
            ("name = \"RTX 4090\"\ncompute_capability = \"8.9\"", None),
            ("name = \"RTX 4090\"\ncompute_capability = \"7.0\"", Some("\"RTX 4090\" has compute capability 8.9, and")),
            ("", Some("without `name`")),
        ] {
            let text = format!("[[gpu]]\n{gpu}\n");
            let host = config::host(Sources::default().set("h.toml", text.as_str()), &text).expect("a host");
            let notices = gpus(host.gpus.iter(), |_| false);
            assert_eq!(notices.len(), usize::from(told.is_some()), "{gpu}: {notices:?}");
            assert!(told.is_none_or(|told| notices[0].what.contains(told)), "{gpu}: {notices:?}");
        }
    }

    #[test]
    fn a_fleet_of_unknown_gpus_is_told_in_short() {
        let text = "[[gpu]]\nname = \"GeForce RTX 409999999999\"\n".repeat(20_000);
        let host = config::host(Sources::default().set("h.toml", text.as_str()), &text).expect("a host");
        let notices = gpus(host.gpus.iter(), |_| false);
        assert_eq!((notices.len(), notices[MOST_GPUS].what.as_str()), (MOST_GPUS + 1, "19980 more GPUs are not known"));
    }
}
