//! `[tool.pdm]`: sources, development groups, overrides.
//!
//! Sources: <https://pdm-project.org/latest/usage/config/>, <https://pdm-project.org/latest/usage/dependency/>,
//! <https://pdm-project.org/latest/usage/lockfile/>.

use super::super::asked_by_table::{Of, conditions, requirement};
use super::super::syntax::toml::{Table, Toml, Value, entries, is_set, items, table, word};
use super::{Manifest, Out};
use crate::notation::requirement::normalise;
use crate::outline::{
    Act, Choice, Does, IndexKind, IndexLine, InstallFlags, Language, Piece, Requirement, Role, Route, RouteTo, Text, Tool, When,
};
use crate::source::Span;

impl<'t> Manifest<'_, 't> {
    /// What the table says; nothing where there is none.
    pub(super) fn pdm(&self, out: &mut Out) {
        let Some(tool) = table(self.root, &["tool", "pdm"]) else { return };
        let own = || When(vec![Choice::For(Tool::Pdm)]);
        let mut defaults = Vec::new();
        for (group, list) in entries(tool, &["dev-dependencies"]) {
            let group = Choice::Group(normalise(group.get_ref()));
            self.list(list, &When(vec![group.clone(), Choice::For(Tool::Pdm)]), Role::Asks, out);
            defaults.push(group);
        }
        for (group, _) in entries(self.root, &["dependency-groups"]) {
            defaults.push(Choice::Group(normalise(group.get_ref())));
        }
        let at = self.toml.span(0..0);
        out.acts.push(Act { at, when: own(), does: Does::Defaults(defaults) });
        for item in tool.get("source").into_iter().flat_map(items) {
            out.acts.extend(source(&self.toml, item).into_iter().map(|(at, does)| Act { at, when: own(), does }));
        }
        let Some(resolution) = table(tool, &["resolution"]) else { return };
        for (name, value) in entries(resolution, &["overrides"]) {
            let at = self.toml.entry(name, value);
            let of = match value.get_ref().as_str() {
                Some(text) if text.contains("://") => Of::Address(text.to_owned()),
                // pdm takes a bare version for a pin.
                Some(text) if text.starts_with(|c: char| c.is_ascii_digit()) => conditions(&format!("=={text}")),
                Some(text) => conditions(text),
                None => Of::Unknown,
            };
            let over = Requirement { role: Role::Overrides, ..requirement(&normalise(name.get_ref()), &[], of, at) };
            out.acts.push(Act { at, when: own(), does: Does::Require(over) });
        }
        // A package that is left out is one that no platform has.
        for name in resolution.get("excludes").map(|list| self.toml.strings(list)).unwrap_or_default() {
            let never = Text::literal(format!("{}; sys_platform == 'never'", name.known().unwrap_or_default()), name.at);
            let over = Requirement { role: Role::Overrides, written: never, language: Language::Pep508 };
            out.acts.push(Act { at: name.at, when: own(), does: Does::Require(over) });
        }
        if is_set(resolution, "respect-source-order") {
            let at = resolution.get_key_value("respect-source-order").map_or(at, |(key, value)| self.toml.entry(key, value));
            let flags = InstallFlags { index_strategy: Some(Text::literal("first-index", at)), ..InstallFlags::default() };
            out.acts.push(Act { at, when: own(), does: Does::Options(flags) });
        }
        if is_set(resolution, "allow-prereleases") {
            let flags = InstallFlags { pre: true, ..InstallFlags::default() };
            out.acts.push(Act { at, when: own(), does: Does::Options(flags) });
        }
    }
}

/// The folder of a project among development dependencies, as for pip: `-e file:///${PROJECT_ROOT}/sub#egg=sub`.
pub(super) fn editable(written: &Text) -> Option<Text> {
    let address = written.known()?.strip_prefix("-e ")?.trim();
    let path = address.strip_prefix("file:///").map_or(address, |path| path.split(['#', '?']).next().unwrap_or(path));
    let path = path.strip_prefix("${PROJECT_ROOT}/").map_or_else(|| path.to_owned(), |path| format!("./{path}"));
    Some(Text::literal(path, written.at))
}

/// A source, and the packages that come from nowhere else.
fn source(toml: &Toml<'_>, item: &Value<'_>) -> Vec<(Span, Does)> {
    let Some(table) = item.get_ref().as_table() else { return Vec::new() };
    let Some(mut url) = toml.string_at(table, "url") else { return Vec::new() };
    let at = toml.whole(item);
    let name = word(table, "name");
    let kind = match (word(table, "type"), name) {
        (Some("find_links"), _) => IndexKind::FindLinks,
        (_, Some("pypi")) => IndexKind::Primary,
        _ => IndexKind::Extra,
    };
    // Some packages never come from it: which index they have is not followed.
    if has_some(table, "exclude_packages") {
        url = Text { pieces: vec![Piece::Opaque], at: url.at };
    }
    let name = name.or(word(table, "url")).unwrap_or_default().to_owned();
    let line = IndexLine { url, kind, name: Some(name.clone()), explicit: false };
    let mut all = vec![(at, Does::Index(line))];
    for package in table.get("include_packages").map(|list| toml.strings(list)).unwrap_or_default() {
        let to = RouteTo::Index(Text::literal(name.clone(), package.at));
        let package = (normalise(package.known().unwrap_or_default()), package.at);
        all.push((package.1, Does::Route(Route { package: package.0, to })));
    }
    all
}

fn has_some(table: &Table<'_>, key: &str) -> bool {
    table.get(key).is_some_and(|list| items(list).next().is_some())
}

#[cfg(test)]
mod tests {
    use super::super::tests::show;

    #[test]
    fn the_table() {
        let text = "[project]\nname = 'x'\ndependencies = ['torch>=2']\n[dependency-groups]\nt = ['pytest']\n[tool.pdm.dev-dependencies]\nlint = ['ruff']\n\
            [[tool.pdm.source]]\nname = 'pt'\nurl = 'https://e.org/cu118'\ninclude_packages = ['torch', 'nvidia-*']\n\
            [[tool.pdm.source]]\nname = 'pypi'\nurl = 'https://pypi.example/simple'\n[[tool.pdm.source]]\ntype = 'find_links'\nurl = 'https://e.org/l.html'\n\
            [[tool.pdm.source]]\nurl = 'u'\nexclude_packages = ['torch']\n\
            [tool.pdm.resolution]\nrespect-source-order = true\nexcludes = ['triton']\n[tool.pdm.resolution.overrides]\nnumpy = '1.26'\ntorch = '>=2.1'\n";
        let mut got = show(text);
        got.retain(|line| line.ends_with("For(Pdm)>"));
        assert_eq!(
            got[..11],
            [
                "defaults lint t <For(Pdm)>",
                "ruff <Group(lint) For(Pdm)>",
                "Extra pt=https://e.org/cu118 <For(Pdm)>",
                "torch -> pt <For(Pdm)>",
                "nvidia-* -> pt <For(Pdm)>",
                "Primary pypi=https://pypi.example/simple <For(Pdm)>",
                "FindLinks https://e.org/l.html=https://e.org/l.html <For(Pdm)>",
                "Extra u=? <For(Pdm)>",
                got[8].as_str(),
                "Overrides triton; sys_platform == 'never' <For(Pdm)>",
                "Overrides numpy==1.26 <For(Pdm)>",
            ]
        );
        assert!(got[8].starts_with("Options("));
    }
}
