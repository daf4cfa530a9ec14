//! `setup.cfg`: what setuptools installs.
//! Source: <https://setuptools.pypa.io/en/latest/userguide/declarative_config.html>.

use std::ops::Range;

use super::syntax::comments::ignores;
use super::syntax::ini::{self, Entry};
use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Does, How, Include, Language, Outline, Requirement, Role, Text, When};
use crate::source::{FileId, Span};

/// Reads the parts of a configuration that install something.
pub(super) fn read(file: FileId, text: &str) -> Outline {
    let (entries, comments) = ini::parse(text);
    let (mut acts, mut name) = (Vec::new(), None);
    for entry in &entries {
        let reader = Reader { file, text, entry };
        match (entry.section.trim(), entry.key.as_str()) {
            ("metadata", "name") => {
                name = entry.lines.first().map(|at| normalise(text[at.clone()].trim())).filter(|name| !name.starts_with("attr:"));
            }
            ("options", "install_requires") => reader.list(When::default(), Role::Asks, &mut acts),
            ("options", "setup_requires") => reader.list(When::default(), Role::Builds, &mut acts),
            ("options", "python_requires") => {
                let python = entry.lines.first().map(|at| reader.literal(at.clone()));
                acts.extend(python.map(|python| Act { at: python.at, when: When::default(), does: Does::Python(python) }));
            }
            ("options.extras_require", extra) => reader.list(When(vec![Choice::Extra(normalise(extra))]), Role::Asks, &mut acts),
            _ => {}
        }
    }
    Outline { acts, ignores: ignores(file, text, comments.into_iter(), |line| line), name, ..Outline::default() }
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    entry: &'a Entry,
}

impl Reader<'_> {
    /// A requirement a line, or several on one line with `;` between them; or `file: a.txt, b.txt`.
    fn list(&self, when: When, role: Role, acts: &mut Vec<Act>) {
        let lines = &self.entry.lines;
        let mut act = |at: Span, does| acts.push(Act { at, when: when.clone(), does });
        if let Some(first) = lines.first()
            && self.text[first.clone()].starts_with("file:")
        {
            let skip = |at: &Range<usize>| if at == first { at.start + "file:".len()..at.end } else { at.clone() };
            for path in lines.iter().map(skip).flat_map(|at| self.parts(at, ',')) {
                let path = self.literal(path);
                act(path.at, Does::Include(Include { path, how: How::Requirements }));
            }
            return;
        }
        let one_line = self.text[self.entry.at.clone()].lines().count() == 1;
        let asked = lines.iter().flat_map(|at| if one_line { self.parts(at.clone(), ';') } else { vec![at.clone()] });
        for at in asked {
            let said = &self.text[at.clone()];
            let end = at.start + said.find(" #").map_or(said.len(), |n| said[..n].trim_end().len());
            let written = self.literal(at.start..end);
            act(written.at, Does::Require(Requirement { written, language: Language::Pep508, role }));
        }
    }
    fn parts(&self, at: Range<usize>, between: char) -> Vec<Range<usize>> {
        let mut start = at.start;
        let mut found = Vec::new();
        for part in self.text[at].split(between) {
            let from = start + (part.len() - part.trim_start().len());
            found.extend((!part.trim().is_empty()).then(|| from..from + part.trim().len()));
            start += part.len() + between.len_utf8();
        }
        found
    }
    fn literal(&self, at: Range<usize>) -> Text {
        let said = &self.text[at.clone()];
        Text::literal(said, Span::new(self.file, at.start, at.end))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pyproject::tests::shown;
    use super::*;

    fn show(text: &str) -> Vec<String> {
        shown(text, &read(FileId(0), text))
    }

    #[test]
    fn a_configuration() {
        let text = "[metadata]\nname = x\n[options]\npython_requires = >=3.8\ninstall_requires =\n  torch==2.1.0 # c\r\n\n  # no\n  numpy; os_name == 'nt'\n\
            setup_requires = cython; setuptools\n[options.extras_require]\nGPU_x = cupy-cuda12x\nall = file: a.txt, b.txt\n";
        assert_eq!(
            show(text),
            [
                "python >=3.8",
                "torch==2.1.0",
                "numpy; os_name == 'nt'",
                "Builds cython",
                "Builds setuptools",
                "cupy-cuda12x <Extra(gpu-x)>",
                "requirements a.txt <Extra(all)>",
                "requirements b.txt <Extra(all)>",
            ]
        );
        for text in ["", "\u{feff}", "[options]\ninstall_requires", "[options]\ninstall_requires =", "\0"] {
            assert!(show(text).is_empty(), "{text:?}");
        }
    }
}
