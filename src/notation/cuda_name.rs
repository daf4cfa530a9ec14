//! Names of files, stages and extras that say for which CUDA they are.

/// A name that says it (`requirements-cu118.txt`, `Dockerfile:cuda12.4`), in lower case and without saying which; `None` for
/// others.
pub(crate) fn without_cuda(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let (mut kept, mut rest) = (String::new(), lower.as_str());
    while let Some(at) = rest.find("cu") {
        let after = &rest[at + 2..];
        let word = after.strip_prefix("da").or_else(|| after.strip_prefix("blas")).unwrap_or(after);
        let number = word.trim_start_matches(['-', '_']);
        let beyond = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        // A dot that ends the name of a file is none of the number.
        let digits = number[..number.len() - beyond.len()].trim_end_matches('.');
        kept.push_str(&rest[..at]);
        // `docu2` is no CUDA.
        let begins = !kept.ends_with(|c: char| c.is_alphanumeric());
        let says = begins && !digits.is_empty();
        kept.push_str(if says { "cu*" } else { "cu" });
        rest = if says { &number[digits.len()..] } else { after };
    }
    kept.push_str(rest);
    kept.contains("cu*").then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::without_cuda;

    #[test]
    fn names_without_their_cuda() {
        for (name, without) in [
            ("requirements-cu118.txt", Some("requirements-cu*.txt")),
            ("requirements-cublas12.txt", Some("requirements-cu*.txt")),
            ("cublas.txt", None),
            ("docker/Dockerfile.CUDA12.4", Some("docker/dockerfile.cu*")),
            ("cuda-11/env.yml", Some("cu*/env.yml")),
            ("cu118/cu118.txt", Some("cu*/cu*.txt")),
            ("Dockerfile:cu121?branch 2", Some("dockerfile:cu*?branch 2")),
            ("docs/cuda.txt", None),
            ("security/cut3.txt", None),
            ("docu2.txt", None),
            ("requirements.txt", None),
            ("é/cu118", Some("é/cu*")),
        ] {
            assert_eq!(without_cuda(name).as_deref(), without, "{name}");
        }
    }
}
