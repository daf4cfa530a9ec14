//! Which tool installs a manifest that no command names outright: `uv pip install -r "$file"` may mean any;
//! a project is its own tool's.

use std::collections::BTreeSet;

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::{File, Project, locks, paths};
use crate::outline::{Act, Choice, Does, Kind, Piece, Text, Tool};

/// No root has more such names, and none is longer: else any may be meant.
const MOST: usize = 256;

/// Who installs a manifest that no command installs outright.
#[derive(Debug, Default)]
pub(super) struct Installers {
    /// Names of manifests that some command may install by uv.
    uv: GlobSet,
}

impl Installers {
    pub(super) fn of(project: &Project<'_>) -> Self {
        let mut patterns: BTreeSet<String> = BTreeSet::new();
        for (_, file) in project.files() {
            for act in &file.outline.acts {
                let Does::Install(install) = &act.does else { continue };
                if file.kind != Kind::Markdown && install.tool == Tool::UvPip {
                    patterns.extend(install.reads.iter().filter_map(|read| pattern(&read.path)));
                }
            }
        }
        if patterns.len() > MOST {
            patterns = BTreeSet::from(["*".to_owned()]);
        }
        let mut set = GlobSetBuilder::new();
        for glob in patterns.iter().filter_map(|p| Glob::new(p).ok()) {
            set.add(glob);
        }
        Self { uv: set.build().unwrap_or_default() }
    }
    /// The tool that installs a requirements file, as far as the root's commands say.
    pub(super) fn tool(&self, path: &str) -> Tool {
        if self.uv.is_match(paths::name(path)) { Tool::UvPip } else { Tool::Pip }
    }
}

impl Project<'_> {
    /// The tool that installs a project: the one whose lock or tables it has.
    pub(super) fn tool_of(&self, path: &str, file: File<'_>) -> Tool {
        let has = |name: &str| self.file(&paths::beside(path, name)).is_some();
        let tables = |tool: Tool| self.parts(file).has_tables_of(tool);
        // pixi's environments say themselves who installs them.
        let locked = locks::beside(self, path).map(|(lock, _)| lock.tool).find(|tool| *tool != Tool::Pixi);
        match (file.kind, locked) {
            (Kind::Pipfile, _) => Tool::Pipenv,
            (Kind::Pixi, _) => Tool::Pixi,
            (_, Some(tool)) => tool,
            _ if self.workspaces.root(path).is_some() => Tool::Uv,
            _ if tables(Tool::Poetry) => Tool::Poetry,
            _ if tables(Tool::Pdm) => Tool::Pdm,
            (Kind::Pyproject, _) if tables(Tool::Uv) || has("uv.toml") => Tool::Uv,
            _ => Tool::Pip,
        }
    }
}

/// Whether a tool looks at an act: `uv pip` at most of what is uv's.
pub(super) fn is_read_by(tool: Tool, act: &Act) -> bool {
    act.when.0.iter().all(|choice| match choice {
        Choice::For(Tool::Uv) => matches!(tool, Tool::Uv | Tool::UvPip),
        Choice::For(of) => *of == tool,
        _ => true,
    })
}

/// The file names that a path with unknown parts may have; `None` where all of it is known: then the link is followed.
fn pattern(path: &Text) -> Option<String> {
    let unknown = |piece: &Piece| !matches!(piece, Piece::Literal(_));
    if !path.pieces.iter().any(unknown) {
        return None;
    }
    let mut whole = String::new();
    for piece in &path.pieces {
        match piece {
            Piece::Literal(text) => whole.push_str(&globset::escape(text)),
            _ if whole.ends_with('*') => {}
            _ => whole.push('*'),
        }
    }
    let name = whole.rsplit('/').next().unwrap_or(&whole);
    Some(if name.len() > MOST { "*" } else { name }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Sources, Span};

    #[test]
    fn patterns() {
        let at = Span::new(Sources::default().set("x", ""), 0, 0);
        let literal = |t: &str| Piece::Literal(t.into());
        let show = |pieces: Vec<Piece>| pattern(&Text { pieces, at });
        assert_eq!(show(vec![literal("a/req.txt")]), None);
        assert_eq!(show(vec![Piece::Opaque, Piece::Opaque]).as_deref(), Some("*"));
        assert_eq!(show(vec![literal(&"a".repeat(1 << 20)), Piece::Opaque]).as_deref(), Some("*"));
        let by_profile = vec![Piece::Opaque, literal("/req-"), Piece::Opaque, literal(".txt")];
        assert_eq!(show(by_profile).as_deref(), Some("req-*.txt"));
        assert_eq!(show(vec![Piece::Opaque, literal("/[a].txt")]).as_deref(), Some("[[]a[]].txt"));
    }
}
