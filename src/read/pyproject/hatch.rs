//! `[tool.hatch.envs.*]`: environments of the project, each with its own packages beside the project's.
//!
//! Sources: <https://hatch.pypa.io/latest/config/environment/overview/>, <https://hatch.pypa.io/latest/plugins/environment/virtual/>.

use super::super::syntax::toml::{Table, entries, is_set, table, word};
use super::hatch_matrix::{Row, Settled, rows};
use super::{Manifest, Out};
use crate::notation::requirement::normalise;
use crate::outline::{Act, Choice, Composed, Does, Role, Scope, Text, Tool, Variable, When};
use crate::source::Span;

/// Environments of one file that are looked at, each row of a matrix as one.
const MOST: usize = 64;
/// Environments that stand on each other.
const DEEPEST: usize = 8;

impl<'a, 't> Manifest<'a, 't> {
    /// The environments of the table, and one for each row of their matrices; nothing where there is none.
    pub(super) fn hatch(&self, out: &mut Out) {
        let Some(all) = table(self.root, &["tool", "hatch", "envs"]) else { return };
        let mut left = MOST;
        for (name, value) in entries(self.root, &["tool", "hatch", "envs"]).take(MOST) {
            let Some(own) = value.get_ref().as_table() else { continue };
            let chain = chain(all, name.get_ref(), own);
            let Some(rows) = rows(name.get_ref(), &chain, left) else { continue };
            left -= rows.len();
            for row in rows {
                if let Some(settled) = Settled::of(&chain, &row, &self.toml) {
                    self.environment(self.toml.entry(name, value), &row, &settled, out);
                }
            }
        }
    }

    fn environment(&self, at: Span, row: &Row<'a, 't>, settled: &Settled<'a, 't>, out: &mut Out) {
        let feature = Choice::Feature(format!("hatch.{}", row.name));
        let when = When(vec![feature.clone()]);
        for list in ["dependencies", "extra-dependencies"] {
            let items = settled.items(list);
            self.listed(items, &when, Role::Asks, &|text| row.filled(text), out);
        }
        let mut with = vec![feature];
        for (key, choice) in
            [("features", Choice::Extra as fn(String) -> Choice), ("dependency-groups", Choice::Group as fn(String) -> Choice)]
        {
            let names = settled.items(key).into_iter().filter_map(|item| item.get_ref().as_str());
            with.extend(names.map(|name| choice(normalise(name))));
        }
        for (variable, (at, value)) in &settled.variables {
            let set = Variable { name: variable.clone(), value: Some(value.clone()), scope: Scope::Environment };
            out.acts.push(Act { at: *at, when: when.clone(), does: Does::Set(set) });
        }
        if let Some(python) = settled.literal("python").and_then(|python| self.toml.string(python)) {
            let version = python.known().unwrap_or_default();
            if version.starts_with("3.") {
                let exactly = Text::literal(format!("=={version}.*"), python.at);
                out.acts.push(Act { at: python.at, when: when.clone(), does: Does::Python(exactly) });
            }
        }
        let said = |key: &str| settled.literal(key).and_then(|value| value.get_ref().as_bool()) == Some(true);
        let uv = settled.literal("installer").and_then(|value| value.get_ref().as_str()) == Some("uv");
        let composed = Composed {
            name: Some(row.name.clone()),
            tool: if uv { Tool::UvPip } else { Tool::Pip },
            with,
            project: !said("skip-install") && !said("detached"),
        };
        out.acts.push(Act { at, when: When::default(), does: Does::Environment(composed) });
    }
}

/// An environment, and those that it takes from what it does not say itself.
fn chain<'a, 't>(all: &'a Table<'t>, name: &str, own: &'a Table<'t>) -> Vec<&'a Table<'t>> {
    let mut chain = vec![own];
    let mut names = vec![name];
    while let Some(last) = chain.last().filter(|last| chain.len() < DEEPEST && !is_set(last, "detached")) {
        let above = word(last, "template").unwrap_or("default");
        let Some(next) = table(all, &[above]).filter(|_| !names.contains(&above)) else { break };
        names.push(above);
        chain.push(next);
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::super::tests::show;

    #[test]
    fn environments() {
        let text = "[project]\nname = 'x'\ndependencies = ['torch']\n[tool.hatch.envs.default]\ndependencies = ['pytest']\ninstaller = 'uv'\n\
            [tool.hatch.envs.default.env-vars]\nPIP_INDEX_URL = 'https://e.org/cu118'\nX = '{root}'\n\
            [tool.hatch.envs.gpu]\nextra-dependencies = ['cupy']\nfeatures = ['CUDA_12']\npython = '3.11'\n\
            [tool.hatch.envs.docs]\ndetached = true\ndependencies = ['sphinx']\n\
            [tool.hatch.envs.odd]\noverrides.platform.linux.dependencies = ['x']\n";
        let mut got = show(text);
        got.sort();
        let mut want = [
            "torch",
            "pytest <Feature(hatch.default)>",
            "set PIP_INDEX_URL=https://e.org/cu118 <Feature(hatch.default)>",
            "set X=? <Feature(hatch.default)>",
            "environment default by UvPip of Feature(hatch.default) with the project",
            "pytest <Feature(hatch.gpu)>",
            "cupy <Feature(hatch.gpu)>",
            "python ==3.11.* <Feature(hatch.gpu)>",
            "set PIP_INDEX_URL=https://e.org/cu118 <Feature(hatch.gpu)>",
            "set X=? <Feature(hatch.gpu)>",
            "environment gpu by UvPip of Feature(hatch.gpu) Extra(cuda-12) with the project",
            "sphinx <Feature(hatch.docs)>",
            "environment docs by Pip of Feature(hatch.docs)",
        ];
        want.sort_unstable();
        assert_eq!(got, want);
        assert_eq!(show("[tool.hatch.envs]\na = 1\n[tool.hatch.envs.b]\ntemplate = 'b'\ndependencies = 3").len(), 3);
    }
}
