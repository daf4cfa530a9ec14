//! `[[tool.hatch.envs.*.matrix]]`: an environment for each of its rows, and what `overrides` make of it there.
//!
//! Sources: <https://hatch.pypa.io/latest/config/environment/advanced/>,
//! pypa/hatch@010099fc6ec42105c68d3ebd9ecf280f0f1e5bea:src/hatch/project/env.py.

use std::collections::{BTreeMap, HashMap};

use super::super::syntax::toml::{Table, Toml, Value, entries, items, word};
use crate::outline::{Piece, Text};
use crate::source::Span;

/// Options that are lists.
const LISTS: [&str; 4] = ["dependencies", "extra-dependencies", "features", "dependency-groups"];
/// Options that are one value.
const LITERALS: [&str; 4] = ["python", "skip-install", "detached", "installer"];
const VARIABLES: &str = "env-vars";
/// Which of these overrides hold, the machine says; or they look for something in the name.
const UNTOLD: [&str; 3] = ["platform", "env", "name"];

/// A row of an environment's matrix; the environment itself where it has none.
pub(super) struct Row<'a, 't> {
    pub(super) name: String,
    values: Vec<(&'a str, &'a Value<'t>)>,
}

impl Row<'_, '_> {
    fn value(&self, variable: &str) -> Option<&str> {
        let (_, value) = self.values.iter().find(|(name, _)| *name == variable)?;
        value.get_ref().as_str()
    }

    /// A text with the row's values in it: `torch=={matrix:torch}`, `{matrix:cuda:cpu}`.
    pub(super) fn filled(&self, text: Text) -> Text {
        const BEGIN: &str = "{matrix:";
        let Some(mut rest) = text.known().filter(|known| known.contains(BEGIN)) else { return text };
        let mut filled = String::new();
        while let Some((before, after)) = rest.split_once(BEGIN) {
            let untold = Text { pieces: vec![Piece::Opaque], at: text.at };
            let Some((asked, after)) = after.split_once('}') else { return untold };
            let (name, default) = asked.split_once(':').map_or((asked, None), |(name, default)| (name, Some(default)));
            let Some(value) = self.value(name).or(default) else { return untold };
            filled.extend([before, value]);
            rest = after;
        }
        filled.push_str(rest);
        Text::literal(filled, text.at)
    }
}

/// The rows of an environment, which stands on the others of its chain; none where they cannot be told, or are more than `most`.
pub(super) fn rows<'a, 't>(name: &str, chain: &[&'a Table<'t>], most: usize) -> Option<Vec<Row<'a, 't>>> {
    // A matrix is inherited by nobody.
    let Some(matrix) = chain.first()?.get("matrix") else {
        return (most > 0).then(|| vec![Row { name: name.to_owned(), values: Vec::new() }]);
    };
    let format = chain.iter().find_map(|table| word(table, "matrix-name-format")).unwrap_or("{value}");
    let mut found = Vec::new();
    for set in items(matrix) {
        let set = set.get_ref().as_table()?;
        let mut variables: Vec<(&str, &Value<'t>)> = set.iter().map(|(key, list)| (key.get_ref().as_ref(), list)).collect();
        variables.sort_by_key(|(name, _)| !is_python(name));
        let mut product: Vec<Vec<(&str, &Value<'t>)>> = vec![Vec::new()];
        for (name, list) in variables {
            let values: Vec<&Value<'t>> = items(list).collect();
            if values.is_empty() || values.iter().any(|value| value.get_ref().as_str().is_none()) {
                return None;
            }
            if product.len() * values.len() + found.len() > most {
                return None;
            }
            let with = |row: &Vec<_>| {
                let row = row.clone();
                values
                    .iter()
                    .map(move |value| row.iter().copied().chain([(name, *value)]).collect::<Vec<_>>())
                    .collect::<Vec<_>>()
            };
            product = product.iter().flat_map(with).collect();
        }
        for values in product {
            let part = |(variable, value): &(&str, &Value<'t>)| {
                let value = value.get_ref().as_str().unwrap_or_default();
                match is_python(variable) {
                    true if value.starts_with("py") => value.to_owned(),
                    true => format!("py{value}"),
                    false => format.replace("{variable}", variable).replace("{value}", value),
                }
            };
            let parts = values.iter().map(part).collect::<Vec<_>>().join("-");
            let name = if name == "default" { parts } else { format!("{name}.{parts}") };
            found.push(Row { name, values });
        }
    }
    Some(found).filter(|found| found.len() <= most)
}

/// What an environment is in one row.
pub(super) struct Settled<'a, 't> {
    lists: HashMap<&'static str, Vec<&'a Value<'t>>>,
    literals: HashMap<&'static str, &'a Value<'t>>,
    /// Variables by name: where each is set, and to what.
    pub(super) variables: BTreeMap<String, (Span, Text)>,
}

impl<'a, 't> Settled<'a, 't> {
    /// `None` where it rests on what is not known.
    pub(super) fn of(chain: &[&'a Table<'t>], row: &Row<'a, 't>, toml: &Toml<'t>) -> Option<Self> {
        let first = |key: &str| chain.iter().find_map(|table| table.get(key));
        let lists = LISTS.iter().filter_map(|key| Some((*key, items(first(key)?).collect())));
        let literals = LITERALS.iter().filter_map(|key| Some((*key, first(key)?)));
        let mut settled = Self { lists: lists.collect(), literals: literals.collect(), variables: BTreeMap::new() };
        let variables = first(VARIABLES).and_then(|set| set.get_ref().as_table());
        for (name, value) in variables.into_iter().flat_map(|set| set.iter()) {
            if let Some(text) = toml.string(value) {
                settled.set(name.get_ref(), toml.entry(name, value), text, row);
            }
        }
        if let Some(overrides) = first("overrides").and_then(|overrides| overrides.get_ref().as_table()) {
            settled.override_with(overrides, row, toml)?;
        }
        // The Python of a row goes before all that is said of it.
        if let Some((_, python)) = row.values.iter().find(|(name, _)| is_python(name)) {
            settled.literals.insert("python", python);
        }
        Some(settled)
    }

    pub(super) fn items(&self, list: &str) -> Vec<&'a Value<'t>> {
        self.lists.get(list).cloned().unwrap_or_default()
    }

    pub(super) fn literal(&self, option: &str) -> Option<&'a Value<'t>> {
        self.literals.get(option).copied()
    }

    /// `{root}` and its like are filled in later.
    fn set(&mut self, name: &str, at: Span, value: Text, row: &Row<'_, '_>) {
        let value = row.filled(value);
        let is_known = value.known().is_some_and(|text| !text.contains('{'));
        let value = if is_known { value } else { Text { pieces: vec![Piece::Opaque], at: value.at } };
        self.variables.insert(name.to_owned(), (at, value));
    }

    fn override_with(&mut self, overrides: &'a Table<'t>, row: &Row<'a, 't>, toml: &Toml<'t>) -> Option<()> {
        let tables = |value: &'a Value<'t>| value.get_ref().as_table().into_iter().flat_map(|table| table.iter());
        let untold = UNTOLD.iter().filter_map(|source| overrides.get(*source)).flat_map(tables);
        let mut options = untold.flat_map(|(_, options)| tables(options));
        if options.any(|(option, _)| is_looked_at(without_set(option.get_ref()).1)) {
            return None;
        }
        for (variable, options) in entries(overrides, &["matrix"]) {
            let Some(value) = row.value(variable.get_ref()) else { continue };
            for (option, data) in options.get_ref().as_table()?.iter() {
                let (whole, option) = without_set(option.get_ref());
                if let Some(list) = LISTS.iter().find(|list| **list == option) {
                    let more: Vec<_> = items(data).map(|item| chosen(item, value)).collect::<Option<_>>()?;
                    let items = self.lists.entry(list).or_default();
                    if whole {
                        items.clear();
                    }
                    items.extend(more.into_iter().flatten());
                } else if option == VARIABLES {
                    if whole {
                        self.variables.clear();
                    }
                    let one = data.get_ref().as_str().map(|_| data);
                    for entry in one.into_iter().chain(items(data)) {
                        self.variable(entry, value, row, toml)?;
                    }
                } else if let Some(literal) = LITERALS[..2].iter().find(|literal| **literal == option) {
                    let one = if data.get_ref().is_array() { None } else { Some(data) };
                    for entry in one.into_iter().chain(items(data)) {
                        if let Some(said) = chosen(entry, value)? {
                            self.literals.insert(literal, said);
                            break;
                        }
                    }
                } else if is_looked_at(option) {
                    return None;
                }
            }
        }
        Some(())
    }

    /// `KEY=VALUE`, `KEY`, or a table of both; without a value it is the row's.
    fn variable(&mut self, entry: &'a Value<'t>, of_row: &str, row: &Row<'_, '_>, toml: &Toml<'t>) -> Option<()> {
        if let Some(text) = toml.string(entry) {
            let (name, value) = text.known()?.split_once('=').unwrap_or((text.known()?, of_row));
            self.set(name, text.at, Text::literal(value, text.at), row);
            return Some(());
        }
        let said = entry.get_ref().as_table()?;
        if holds(said, of_row)? {
            let name = toml.string_at(said, "key")?;
            let value = toml.string_at(said, "value").unwrap_or_else(|| Text::literal(of_row, name.at));
            self.set(name.known()?, name.at, value, row);
        }
        Some(())
    }
}

fn is_python(variable: &str) -> bool {
    matches!(variable, "py" | "python")
}

/// Whether an option takes the place of the whole that was there, and which it is.
fn without_set(option: &str) -> (bool, &str) {
    option.rsplit_once("set-").map_or((false, option), |(_, option)| (true, option))
}

fn is_looked_at(option: &str) -> bool {
    let of_itself = ["template", "matrix-name-format", VARIABLES].contains(&option);
    of_itself || LISTS.contains(&option) || LITERALS.contains(&option)
}

/// What an entry adds where the variable has this value; `None` where that is not known.
fn chosen<'a, 't>(entry: &'a Value<'t>, value: &str) -> Option<Option<&'a Value<'t>>> {
    let Some(said) = entry.get_ref().as_table() else { return Some(Some(entry)) };
    Some(if holds(said, value)? { Some(said.get("value")?) } else { None })
}

/// Whether an entry holds where the variable has this value.
fn holds(entry: &Table<'_>, value: &str) -> Option<bool> {
    let allows = |list: &Value<'_>| items(list).any(|item| item.get_ref().as_str() == Some(value));
    if entry.get("if").is_some_and(|list| !allows(list)) {
        return Some(false);
    }
    // The machine says it.
    (!entry.contains_key("platform") && !entry.contains_key("env")).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::super::tests::show;

    const PROJECT: &str = "[project]\nname = 'p'\n";

    #[test]
    fn a_row_is_an_environment() {
        let text = "[tool.hatch.envs.t]\ndependencies = ['torch=={matrix:torch}', 'x{matrix:none:==1}']\nskip-install = true\n\
            [tool.hatch.envs.t.env-vars]\nA = '{matrix:torch}{root}'\nPIP_INDEX_URL = 'https://e.org/cpu'\n\
            [tool.hatch.envs.t.overrides]\nmatrix.torch.extra-dependencies = ['a', {value = 'b', if = ['2.1']}]\n\
            matrix.cuda.env-vars = [{key = 'PIP_INDEX_URL', value = 'https://e.org/cu', if = ['on']}, 'CUDA']\n\
            matrix.cuda.features = [{value = 'gpu', if = ['on']}]\nmatrix.other.dependencies = ['never']\n\
            platform.windows.scripts = ['x']\n\
            [[tool.hatch.envs.t.matrix]]\ncuda = ['on', 'off']\ntorch = ['2.1']\n\
            [[tool.hatch.envs.t.matrix]]\ntorch = ['2.2']\npython = ['3.11']\n";
        let mut got = show(&format!("{PROJECT}{text}"));
        got.sort();
        let mut want = Vec::new();
        for (name, torch, cuda) in [("on-2.1", "2.1", Some("on")), ("off-2.1", "2.1", Some("off")), ("py3.11-2.2", "2.2", None)] {
            let feature = format!("Feature(hatch.t.{name})");
            let mut say = |what: &str| want.push(format!("{what} <{feature}>"));
            say(&format!("torch=={torch}"));
            say("x==1");
            say("set A=?");
            say("a");
            let more: &[&str] = match cuda {
                Some("on") => &["b", "set PIP_INDEX_URL=https://e.org/cu", "set CUDA=on"],
                Some(_) => &["b", "set PIP_INDEX_URL=https://e.org/cpu", "set CUDA=off"],
                None => &["python ==3.11.*", "set PIP_INDEX_URL=https://e.org/cpu"],
            };
            more.iter().for_each(|what| say(what));
            let extra = if cuda == Some("on") { " Extra(gpu)" } else { "" };
            want.push(format!("environment t.{name} by Pip of {feature}{extra}"));
        }
        want.sort_unstable();
        assert_eq!(got, want);
    }

    #[test]
    fn what_cannot_be_told_is_no_environment() {
        let matrix = "[[tool.hatch.envs.t.matrix]]\nc = ['1']\n";
        for (overrides, told) in [
            ("env.CI.dependencies = ['x']", false),
            ("platform.linux.set-features = ['x']", false),
            ("name.'^1'.env-vars = 'A=1'", false),
            ("matrix.c.dependencies = [{value = 'x', platform = ['linux']}]", false),
            ("matrix.c.dependencies = [{value = 'x', if = ['2'], platform = ['linux']}]", true),
            ("matrix.c.installer = {value = 'uv'}", false),
            ("matrix.c.scripts = ['x']", true),
            ("matrix.c = 1", false),
        ] {
            let text = format!(
                "{PROJECT}[tool.hatch.envs.t]\ndependencies = ['y']\n[tool.hatch.envs.t.overrides]\n{overrides}\n{matrix}"
            );
            assert_eq!(show(&text).len(), if told { 2 } else { 0 }, "{overrides}");
        }
        for matrix in ["matrix = 1", "matrix = [1]", "matrix = [{c = []}]", "matrix = [{c = [1]}]", "matrix = [{c = 'x'}]"] {
            assert_eq!(show(&format!("{PROJECT}[tool.hatch.envs.t]\ndependencies = ['y']\n{matrix}\n")), [""; 0], "{matrix}");
        }
        let wide = (0..20).map(|n| format!("'{n}'")).collect::<Vec<_>>().join(",");
        let wide = (0..30).map(|n| format!("v{n} = [{wide}]\n")).collect::<String>();
        assert_eq!(show(&format!("{PROJECT}[[tool.hatch.envs.t.matrix]]\n{wide}")), [""; 0]);
    }
}
