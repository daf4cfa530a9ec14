//! The inline metadata of a Python script, `# /// script` … `# ///`: what `uv run` and `pipx run` install for it.
//!
//! Source: <https://packaging.python.org/en/latest/specifications/inline-script-metadata/>.

use super::syntax::comments::ignores;
use super::syntax::toml::{Toml, comments, table};
use super::uv_settings;
use crate::outline::{Act, Does, Language, Outline, Requirement, Role, When};
use crate::source::FileId;

/// Reads a script; one without metadata says nothing.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let Some(block) = block(text) else { return Outline::default() };
    let (toml, root, torn) = Toml::parse(file, &block);
    let mut acts = Vec::new();
    let always = |at, does| Act { at, when: When::default(), does };
    if let Some(python) = toml.string_at(&root, "requires-python") {
        acts.push(always(python.at, Does::Python(python)));
    }
    for written in root.get("dependencies").map(|list| toml.strings(list)).unwrap_or_default() {
        let asked = Requirement { language: Language::Pep508, role: Role::Asks, written };
        acts.push(always(asked.written.at, Does::Require(asked)));
    }
    if let Some(uv) = table(&root, &["tool", "uv"]) {
        acts.extend(uv_settings::acts(&toml, uv));
    }
    acts.sort_by_key(|act| act.at.start);
    Outline { acts, ignores: ignores(file, text, comments(text), |line| line), torn, ..Outline::default() }
}

/// The text with all but the block's own as blanks, so that places stay.
fn block(text: &str) -> Option<String> {
    let mut masked = String::with_capacity(text.len());
    let (mut inside, mut found) = (false, false);
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let end = &line[body.len()..];
        let content = body.strip_prefix("# ").or((body == "#").then_some(""));
        let kept = match (inside, content) {
            (false, _) if !found && body.trim_end() == "# /// script" => {
                (inside, found) = (true, true);
                None
            }
            (false, _) => None,
            (true, Some(_)) if body.trim_end() == "# ///" => {
                inside = false;
                None
            }
            (true, content) => {
                inside = content.is_some();
                content
            }
        };
        let blanks = body.len() - kept.map_or(0, str::len);
        masked.extend(std::iter::repeat_n(' ', blanks));
        masked.push_str(kept.unwrap_or_default());
        masked.push_str(end);
    }
    found.then_some(masked)
}

#[cfg(test)]
mod tests {
    use super::super::pyproject::tests::shown;
    use super::*;

    fn show(text: &str) -> Vec<String> {
        shown(text, &read(FileId(0), text))
    }

    #[test]
    fn metadata() {
        let text = "#!/usr/bin/env python\n# é\n# /// script\r\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"torch==2.1.0\",\n#   'numpy', # x\n# ]\n#\n\
            # [[tool.uv.index]]\n# url = 'https://e.org/cu118'\n# ///\nimport torch\n# /// script\n# dependencies = ['no']\n# ///\n";
        assert_eq!(show(text), ["python >=3.11", "torch==2.1.0", "numpy", "Extra https://e.org/cu118 <For(Uv)>"]);
        let outline = read(FileId(0), text);
        assert_eq!(&text[outline.acts[1].at.range()], "torch==2.1.0");
        for text in ["", "import torch\n", "# /// other\n# dependencies = ['x']\n# ///\n"] {
            assert!(show(text).is_empty(), "{text}");
        }
        assert_eq!(show("# /// script\n# dependencies = ['torch'")[0], "torch");
    }
}
