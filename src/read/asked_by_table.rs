//! Packages that a table asks for, a key each: `torch = { version = "…", extras = ["…"] }`.

use crate::outline::{Language, Piece, Requirement, Role, Text};
use crate::source::Span;

/// Which of its releases.
pub(super) enum Of {
    /// Those that meet conditions of PEP 440; all where there are none.
    Conditions(String),
    /// The one at an address.
    Address(String),
    /// That cannot be told.
    Unknown,
}

/// The requirement that an entry comes to; `at` is the whole entry.
pub(super) fn requirement(name: &str, extras: &[String], of: Of, at: Span) -> Requirement {
    let mut said = name.trim().to_owned();
    if !extras.is_empty() {
        said = format!("{said}[{}]", extras.join(","));
    }
    let pieces = match of {
        Of::Conditions(conditions) => vec![Piece::Literal(said + &conditions)],
        Of::Address(address) => vec![Piece::Literal(format!("{said} @ {address}"))],
        Of::Unknown => vec![Piece::Literal(said + " "), Piece::Opaque],
    };
    Requirement { written: Text { pieces, at }, language: Language::Pep508, role: Role::Asks }
}

/// Conditions as PEP 440 has them, or `*`.
pub(super) fn conditions(text: &str) -> Of {
    let text = text.trim();
    match crate::notation::requirement::parse(&format!("x{text}")) {
        _ if text == "*" => Of::Conditions(String::new()),
        Ok(_) if text.is_empty() || text.starts_with(|c: char| "=<>!~".contains(c)) => Of::Conditions(text.to_owned()),
        _ => Of::Unknown,
    }
}

/// Whether a path names a wheel or an archive, not a folder.
pub(super) fn is_file(path: &str) -> bool {
    [".whl", ".zip", ".tar.gz", ".tar.bz2"].iter().any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn one_requirement() {
        let at = Span::new(FileId(0), 0, 1);
        for (text, want) in [
            (">=2,<3", Some("torch[a]>=2,<3")),
            ("*", Some("torch[a]")),
            ("", Some("torch[a]")),
            ("2.1.0", None),
            (">=2; x", None),
            ("==", None),
        ] {
            let made = requirement("torch", &["a".to_owned()], conditions(text), at);
            assert_eq!(made.written.known(), want, "{text}");
        }
        let made = requirement("torch", &[], Of::Address("https://e.org/x.whl".into()), at);
        assert_eq!(made.written.known(), Some("torch @ https://e.org/x.whl"));
    }
}
