//! Jobs that run on a machine which the CI service lends, or on one without a GPU: no host of the fleet runs them.

use super::{Beginning, Enters, Project};
use crate::outline::Does;

/// Whether a start is a job on a standard runner of GitHub's, which has no GPU, or on one named for its CPU.
/// Source: <https://docs.github.com/en/actions/reference/runners/github-hosted-runners>.
pub(crate) fn is_lent(project: &Project<'_>, beginning: &Beginning) -> bool {
    let Enters::Job(at) = beginning.enters else { return false };
    let Some(file) = project.file(&beginning.path) else { return false };
    let Some(Does::Job(wanted)) = file.outline.acts.get(at).map(|act| &act.does) else { return false };
    // A matrix repeats its job, once a row, one after the other.
    let rows = file.outline.acts[at..].iter().filter_map(|act| if let Does::Job(job) = &act.does { Some(job) } else { None });
    let mut rows = rows.take_while(|job| job.name == wanted.name);
    rows.all(|job| job.runs_on.as_ref().and_then(|text| text.known()).is_some_and(|label| is_standard(label) || is_cpu(label)))
}

/// `ubuntu-latest`, `ubuntu-22.04-arm`, `windows-2022`; a larger runner has a name of its own.
fn is_standard(label: &str) -> bool {
    let Some((system, rest)) = label.split_once('-') else { return false };
    let version = rest.trim_end_matches("-arm").trim_end_matches("-xlarge").trim_end_matches("-large").trim_end_matches("-intel");
    let number = !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    matches!(system, "ubuntu" | "windows" | "macos") && (number || matches!(version, "latest" | "slim"))
}

/// `linux-amd64-cpu16`.
fn is_cpu(labels: &str) -> bool {
    labels.split([' ', '-', '_', '.']).any(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()) == "cpu")
}

#[cfg(test)]
mod tests {
    use super::{is_cpu, is_standard};

    #[test]
    fn labels() {
        for lent in ["ubuntu-latest", "ubuntu-22.04", "ubuntu-24.04-arm", "windows-2022", "macos-14-xlarge"] {
            assert!(is_standard(lent), "{lent}");
        }
        for own in ["self-hosted", "self-hosted ubuntu-latest", "ubuntu-latest-gpu", "gpu-t4", "", "ubuntu-"] {
            assert!(!is_standard(own) && !is_cpu(own), "{own}");
        }
        assert!(is_cpu("linux-amd64-cpu16") && is_cpu("self-hosted cpu"));
    }
}
